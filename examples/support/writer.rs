//! A writer for the tests of the store packages: one operating-system process that creates tasks in
//! a list, and tells of each that was acknowledged.

use agent_tasklist::store::{ListKey, Store, block_on, update};
use agent_tasklist::{Policy, TaskDraft};
use std::error::Error;
use std::io::Write;

/// `PROGRAM BACKEND KEY NAME COUNT`, with the store that `open` makes of the backend.
pub fn main<S: Store>(
    usage: &str,
    open: impl FnOnce(&str) -> Result<S, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [backend, key, name, count] = &args[..] else {
        return Err(format!("usage: {usage} KEY NAME COUNT").into());
    };
    block_on(run(&open(backend)?, key, name, count.parse()?))
}

/// Creates `count` tasks named after `name`, and prints the id of each once it is stored.
async fn run(
    store: &impl Store,
    key: &str,
    name: &str,
    count: usize,
) -> Result<(), Box<dyn Error>> {
    let key = ListKey::new(key)?;
    for n in 0..count {
        let mut id = None;
        update(store, &key, &Policy::default(), |list| {
            let created = list.create(TaskDraft::new(format!("{name} {n}")))?;
            id = Some(created.id);
            Ok::<_, agent_tasklist::Error>(created.changes)
        })
        .await?;
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{}",
            id.expect("an edit that succeeds has made a task")
        )?;
        out.flush()?;
    }
    Ok(())
}

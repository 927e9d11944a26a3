//! `store-file FOLDER KEY NAME COUNT`: creates tasks in a list, for the tests.

#[path = "../../support/writer.rs"]
mod writer;

use store_file::FileStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, key, name, count] = &args[..] else {
        return Err("usage: store-file FOLDER KEY NAME COUNT".into());
    };
    agent_tasklist::block_on(writer::run(
        &FileStore::new(folder),
        key,
        name,
        count.parse()?,
    ))
}

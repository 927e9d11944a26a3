//! `store-sqlite FILE KEY NAME COUNT`: creates tasks in a list, for the tests.

#[path = "../../support/writer.rs"]
mod writer;

use store_sqlite::SqliteStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, key, name, count] = &args[..] else {
        return Err("usage: store-sqlite FILE KEY NAME COUNT".into());
    };
    agent_tasklist::block_on(writer::run(
        &SqliteStore::open(file)?,
        key,
        name,
        count.parse()?,
    ))
}

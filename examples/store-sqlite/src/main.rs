//! `store-sqlite FILE KEY NAME COUNT`: creates tasks in a list, for the tests.

#[path = "../../support/writer.rs"]
mod writer;

use store_sqlite::SqliteStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    writer::main("store-sqlite FILE", |file| Ok(SqliteStore::open(file)?))
}

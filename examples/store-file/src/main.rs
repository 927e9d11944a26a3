//! `store-file FOLDER KEY NAME COUNT`: creates tasks in a list, for the tests.

#[path = "../../support/writer.rs"]
mod writer;

use store_file::FileStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    writer::main("store-file FOLDER", |folder| Ok(FileStore::new(folder)))
}

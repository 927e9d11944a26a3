//! For those who keep task lists in files: no process, killed or not, loses a task that it was told is stored, and a
//! damaged file is said to be damaged and never written over.

#[path = "../../support/damage.rs"]
mod damage;
#[path = "../../support/processes.rs"]
mod processes;

use agent_tasklist::store::{ListKey, block_on, conformance};
use std::fs;
use std::future::ready;
use std::path::PathBuf;
use store_file::FileStore;

const WRITER: &str = env!("CARGO_BIN_EXE_store-file");

/// A folder that was not there before.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn conforms() {
    let folder = folder("file-conforms");
    block_on(conformance::check(|| ready(FileStore::new(&folder))));
}

#[test]
fn writers_lose_nothing() {
    let folder = folder("file-writers");
    let store = FileStore::new(&folder);
    processes::writers_lose_nothing(WRITER, folder.to_str().unwrap(), &store);
}

#[test]
fn killed_writers_lose_nothing() {
    let folder = folder("file-killed");
    let store = FileStore::new(&folder);
    processes::killed_writers_lose_nothing(WRITER, folder.to_str().unwrap(), &store);
}

#[test]
fn a_damaged_list_is_corrupt_and_left_as_it_is() {
    let store = FileStore::new(folder("file-damaged"));
    let key = ListKey::new("k").unwrap();
    let file = store.path(&key).with_extension("json");
    block_on(damage::a_damaged_list_is_corrupt_and_left_as_it_is(
        &store,
        key.as_str(),
        async || fs::read_to_string(&file).unwrap(),
        async |damaged| fs::write(&file, damaged).unwrap(),
        async || fs::remove_file(&file).unwrap(),
    ));
    fs::write(&file, b"\xff").unwrap();
    block_on(damage::is_corrupt(&store, &key, "not UTF-8"));
}

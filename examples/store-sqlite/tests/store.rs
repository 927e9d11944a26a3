//! For those who keep task lists in SQLite: no process, killed or not, loses a task that it was told is stored, and a
//! damaged row is said to be damaged and never written over.

#[path = "../../support/damage.rs"]
mod damage;
#[path = "../../support/processes.rs"]
mod processes;

use agent_tasklist::store::{block_on, conformance};
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use store_sqlite::SqliteStore;

const WRITER: &str = env!("CARGO_BIN_EXE_store-sqlite");

/// A database that was not there before.
fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.join("lists.db")
}

#[test]
fn conforms() {
    let file = file("sqlite-conforms");
    block_on(conformance::check(|| async {
        SqliteStore::open(&file).unwrap()
    }));
}

#[test]
fn writers_lose_nothing() {
    let file = file("sqlite-writers");
    let store = SqliteStore::open(&file).unwrap();
    processes::writers_lose_nothing(WRITER, file.to_str().unwrap(), &store);
}

#[test]
fn killed_writers_lose_nothing() {
    let file = file("sqlite-killed");
    let store = SqliteStore::open(&file).unwrap();
    processes::killed_writers_lose_nothing(WRITER, file.to_str().unwrap(), &store);
}

#[test]
fn a_damaged_list_is_corrupt_and_left_as_it_is() {
    let file = file("sqlite-damaged");
    let (store, raw) = (
        SqliteStore::open(&file).unwrap(),
        Connection::open(&file).unwrap(),
    );
    block_on(damage::a_damaged_list_is_corrupt_and_left_as_it_is(
        &store,
        "k",
        async || {
            raw.query_row("SELECT list FROM lists", [], |row| row.get(0))
                .unwrap()
        },
        async |damaged| {
            let changed = raw.execute("UPDATE lists SET list = ?1", [damaged]);
            assert_eq!(changed, Ok(1));
        },
        async || {
            raw.execute("DELETE FROM lists", []).unwrap();
        },
    ));
}

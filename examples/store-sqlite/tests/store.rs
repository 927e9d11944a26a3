#[path = "../../support/processes.rs"]
mod processes;

use agent_tasklist::{
    ListKey, Policy, Store, StoreError, TaskDraft, UpdateError, block_on, conformance, update,
};
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

fn ids(store: &SqliteStore, key: &str) -> Vec<String> {
    let stored = block_on(store.load(&ListKey::new(key).unwrap())).expect("the list loads");
    let tasks = |stored: agent_tasklist::Stored| {
        stored
            .list
            .tasks()
            .map(|task| task.id.to_string())
            .collect()
    };
    stored.map_or_else(Vec::new, tasks)
}

#[test]
fn conforms() {
    let file = file("conforms");
    block_on(conformance::check(|| async {
        SqliteStore::open(&file).unwrap()
    }));
}

#[test]
fn writers_lose_nothing() {
    let file = file("writers");
    let store = SqliteStore::open(&file).unwrap();
    processes::writers_lose_nothing(WRITER, file.to_str().unwrap(), |key| ids(&store, key));
}

#[test]
fn killed_writers_lose_nothing() {
    let file = file("killed");
    let store = SqliteStore::open(&file).unwrap();
    processes::killed_writers_lose_nothing(WRITER, file.to_str().unwrap(), |key| ids(&store, key));
}

#[test]
fn a_damaged_list_is_corrupt_and_left_as_it_is() {
    let file = file("damaged");
    let (store, raw) = (
        SqliteStore::open(&file).unwrap(),
        Connection::open(&file).unwrap(),
    );
    let key = ListKey::new("k").unwrap();
    let create = || {
        block_on(update(&store, &key, &Policy::default(), |list| {
            list.create(TaskDraft::new("A"))
                .map(|created| created.changes)
        }))
    };
    let first = create().unwrap().revision;
    let stored = || {
        raw.query_row("SELECT list FROM lists", [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    for damaged in processes::damaged(&stored()) {
        raw.execute("UPDATE lists SET list = ?1", [&damaged])
            .unwrap();
        let loaded = block_on(store.load(&key));
        assert!(matches!(loaded, Err(StoreError::Corrupt(_))), "{damaged}");
        let created = create();
        assert!(
            matches!(created, Err(UpdateError::Store(StoreError::Corrupt(_)))),
            "{damaged}"
        );
        assert_eq!(stored(), damaged);
    }
    raw.execute("DELETE FROM lists", []).unwrap();
    assert!(
        create().unwrap().revision > first,
        "a revision is not used again"
    );
}

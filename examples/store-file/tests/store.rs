#[path = "../../support/processes.rs"]
mod processes;

use agent_tasklist::{
    ListKey, Policy, Store, StoreError, TaskDraft, UpdateError, block_on, conformance, update,
};
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

fn ids(store: &FileStore, key: &str) -> Vec<String> {
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
    let folder = folder("conforms");
    block_on(conformance::check(|| ready(FileStore::new(&folder))));
}

#[test]
fn writers_lose_nothing() {
    let folder = folder("writers");
    let store = FileStore::new(&folder);
    processes::writers_lose_nothing(WRITER, folder.to_str().unwrap(), |key| ids(&store, key));
}

#[test]
fn killed_writers_lose_nothing() {
    let folder = folder("killed");
    let store = FileStore::new(&folder);
    processes::killed_writers_lose_nothing(WRITER, folder.to_str().unwrap(), |key| {
        ids(&store, key)
    });
}

#[test]
fn a_damaged_list_is_corrupt_and_left_as_it_is() {
    let store = FileStore::new(folder("damaged"));
    let key = ListKey::new("k").unwrap();
    let create = || {
        block_on(update(&store, &key, &Policy::default(), |list| {
            list.create(TaskDraft::new("A"))
                .map(|created| created.changes)
        }))
    };
    create().unwrap();
    let file = store.path(&key).with_extension("json");
    let json = fs::read_to_string(&file).unwrap();
    for damaged in processes::damaged(&json) {
        fs::write(&file, &damaged).unwrap();
        let loaded = block_on(store.load(&key));
        assert!(matches!(loaded, Err(StoreError::Corrupt(_))), "{damaged}");
        let created = create();
        assert!(
            matches!(created, Err(UpdateError::Store(StoreError::Corrupt(_)))),
            "{damaged}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
    }
    fs::write(&file, b"\xff").unwrap();
    assert!(
        matches!(create(), Err(UpdateError::Store(StoreError::Corrupt(_)))),
        "not UTF-8"
    );
    fs::remove_file(&file).unwrap();
    assert_eq!(
        create().unwrap().revision.unwrap().get(),
        2,
        "a revision is not used again"
    );
}

//! Run `./with-redis cargo test`, or set `STORE_REDIS_URL`.

#[path = "../../support/processes.rs"]
#[allow(dead_code)]
mod processes;

use agent_tasklist::{
    ListKey, Policy, Store, StoreError, TaskDraft, UpdateError, block_on, conformance, update,
};
use std::io::Write;
use store_redis::RedisStore;

/// The server, or `None` where there is none to be had, which is said past the capture of the tests.
fn url() -> Option<String> {
    let url = std::env::var("STORE_REDIS_URL").ok();
    if url.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: needs a Redis server; run ./with-redis cargo test, or set STORE_REDIS_URL"
        );
    }
    url
}

#[test]
fn conforms() {
    let Some(url) = url() else { return };
    block_on(conformance::check(|| async {
        RedisStore::open(&url).unwrap()
    }));
}

#[test]
fn a_damaged_list_is_corrupt_and_left_as_it_is() {
    let Some(url) = url() else { return };
    let store = RedisStore::open(&url).unwrap();
    let key = ListKey::new("damaged").unwrap();
    let name = "tasklist:{damaged}";
    let create = || {
        block_on(update(&store, &key, &Policy::default(), |list| {
            list.create(TaskDraft::new("A"))
                .map(|created| created.changes)
        }))
    };
    let first = create().unwrap().revision;
    let stored = || {
        store
            .with(|c| redis::cmd("HGET").arg(name).arg("list").query::<String>(c))
            .unwrap()
    };
    for damaged in processes::damaged(&stored()) {
        store
            .with(|c| {
                redis::cmd("HSET")
                    .arg(name)
                    .arg("list")
                    .arg(&damaged)
                    .exec(c)
            })
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
    store
        .with(|c| redis::cmd("HDEL").arg(name).arg("list").exec(c))
        .unwrap();
    assert!(
        matches!(block_on(store.load(&key)), Err(StoreError::Corrupt(_))),
        "half a list is not none"
    );
    store.with(|c| redis::cmd("DEL").arg(name).exec(c)).unwrap();
    assert!(
        create().unwrap().revision > first,
        "a revision is not used again"
    );
}

#[test]
fn a_lost_connection_is_opened_again() {
    let Some(url) = url() else { return };
    let store = RedisStore::open(&url).unwrap();
    let key = ListKey::new("lost").unwrap();
    assert!(block_on(store.load(&key)).unwrap().is_none());
    let id: u64 = store
        .with(|c| redis::cmd("CLIENT").arg("ID").query(c))
        .unwrap();
    let other = RedisStore::open(&url).unwrap();
    other
        .with(|c| redis::cmd("CLIENT").arg("KILL").arg("ID").arg(id).exec(c))
        .unwrap();
    let lost = block_on(store.load(&key));
    assert!(
        matches!(lost, Err(StoreError::Backend(_)) | Ok(None)),
        "{lost:?}"
    );
    assert!(block_on(store.load(&key)).unwrap().is_none());
}

#[test]
fn an_unreachable_server_is_a_failed_backend() {
    let store = RedisStore::open("redis://127.0.0.1:1/").unwrap();
    let loaded = block_on(store.load(&ListKey::new("k").unwrap()));
    assert!(matches!(loaded, Err(StoreError::Backend(_))), "{loaded:?}");
}

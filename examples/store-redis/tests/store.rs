//! For those who keep task lists in Redis: no commit is lost, a damaged list is said to be damaged and never written
//! over, and a lost connection costs one call. Run `./with-redis cargo test`, or set `STORE_REDIS_URL`.

#[path = "../../support/damage.rs"]
mod damage;
#[path = "../../support/server.rs"]
mod server;

use agent_tasklist::store::{ListKey, Store, StoreError, block_on, conformance};
use store_redis::RedisStore;

fn url() -> Option<String> {
    server::url("STORE_REDIS_URL", "Redis", "./with-redis")
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
    let read = || store.with(|c| redis::cmd("HGET").arg(name).arg("list").query::<String>(c));
    let write = |list: &str| {
        let mut set = redis::cmd("HSET");
        set.arg(name).arg("list").arg(list);
        store.with(|c| set.exec(c)).unwrap();
    };
    block_on(damage::a_damaged_list_is_corrupt_and_left_as_it_is(
        &store,
        key.as_str(),
        async || read().unwrap(),
        async |damaged| write(damaged),
        async || {
            store
                .with(|c| redis::cmd("HDEL").arg(name).arg("list").exec(c))
                .unwrap();
            damage::is_corrupt(&store, &key, "half a list is not none").await;
            store.with(|c| redis::cmd("DEL").arg(name).exec(c)).unwrap();
        },
    ));
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

//! For those who keep task lists in PostgreSQL: no commit and no parallel call is lost, a damaged list is said to be
//! damaged and never written over, and who may not read is told so. Run `./with-postgres cargo test`, or set
//! `STORE_POSTGRES_URL`.

#[path = "../../support/damage.rs"]
mod damage;
#[path = "../../support/server.rs"]
mod server;

use agent_tasklist::store::{
    Commit, ListKey, MemoryStore, Revision, Store, StoreError, StoreFuture, Stored, conformance,
};
use agent_tasklist::tools::{ListTools, Toolset};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use store_postgres::PostgresStore;

fn url() -> Option<String> {
    server::url("STORE_POSTGRES_URL", "PostgreSQL", "./with-postgres")
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() {
    let Some(url) = url() else { return };
    let open = async move || PostgresStore::connect(&url).await.unwrap();
    conformance::check(open).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_runs_on_a_task_of_its_own() {
    let backend = MemoryStore::new();
    let check = conformance::check(move || std::future::ready(backend.clone()));
    tokio::spawn(check).await.unwrap();
}

#[tokio::test]
async fn a_damaged_list_is_corrupt_and_left_as_it_is() {
    let Some(url) = url() else { return };
    let store = PostgresStore::connect(&url).await.unwrap();
    damage::a_damaged_list_is_corrupt_and_left_as_it_is(
        &store,
        "damaged",
        async || {
            let select = "SELECT list FROM task_lists WHERE key = 'damaged'";
            store.client().query_one(select, &[]).await.unwrap().get(0)
        },
        async |damaged| {
            let damage = "UPDATE task_lists SET list = $1 WHERE key = 'damaged'";
            let changed = store.client().execute(damage, &[&damaged]).await;
            assert_eq!(changed.unwrap(), 1);
        },
        async || {
            let delete = "DELETE FROM task_lists WHERE key = 'damaged'";
            store.client().execute(delete, &[]).await.unwrap();
        },
    )
    .await;
}

#[tokio::test]
async fn who_is_not_let_in_is_told_so() {
    let Some(url) = url() else { return };
    let store = PostgresStore::connect(&url).await.unwrap();
    let make = "DROP ROLE IF EXISTS nobody; CREATE ROLE nobody LOGIN";
    store.client().batch_execute(make).await.unwrap();
    store
        .client()
        .batch_execute("SET ROLE nobody")
        .await
        .unwrap();
    let loaded = store.load(&ListKey::new("k").unwrap()).await;
    assert!(
        matches!(loaded, Err(StoreError::Unauthenticated(_))),
        "{loaded:?}"
    );
}

/// A store that is 5 ms away.
#[derive(Clone)]
struct Far(Arc<dyn Store>);

impl Store for Far {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            self.0.load(key).await
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            self.0.commit(key, commit).await
        })
    }
}

/// Two handles, five `task_complete` calls in one step: all five must be there.
async fn parallel_calls(name: &str, store: Arc<dyn Store>) {
    let tools = || {
        ListTools::new(
            Far(store.clone()),
            ListKey::new(name).unwrap(),
            Toolset::mastra(),
        )
    };
    let (one, other) = (tools(), tools());
    let tasks: Vec<Value> = (0..5)
        .map(|n| json!({"id": format!("t{n}"), "content": "T", "status": "pending"}))
        .collect();
    assert!(
        !one.call("task_write", &json!({"tasks": tasks}))
            .await
            .is_error()
    );
    let calls = (0..5).map(|n| {
        let tools = if n % 2 == 0 {
            one.clone()
        } else {
            other.clone()
        };
        tokio::spawn(async move {
            tools
                .call("task_complete", &json!({"id": format!("t{n}")}))
                .await
        })
    });
    for call in calls.collect::<Vec<_>>() {
        assert!(!call.await.unwrap().is_error());
    }
    let completed = one.call("task_check", &json!({})).await.data["summary"]["completed"].clone();
    println!("{name}: {completed} of 5");
    assert_eq!(completed, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_calls_lose_nothing() {
    parallel_calls("in memory", Arc::new(MemoryStore::new())).await;
    let Some(url) = url() else { return };
    let store = PostgresStore::connect(&url).await.unwrap();
    parallel_calls("parallel", Arc::new(store)).await;
}

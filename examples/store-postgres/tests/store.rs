//! Run `./with-postgres cargo test`, or set `STORE_POSTGRES_URL`.

#[path = "../../support/processes.rs"]
#[allow(dead_code)]
mod processes;

use agent_tasklist::{
    Commit, ListKey, ListTools, MemoryStore, Policy, Revision, Store, StoreError, StoreFuture,
    Stored, TaskDraft, Toolset, UpdateError, conformance, update,
};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use store_postgres::PostgresStore;

/// The database, or `None` where there is none to be had, which is said past the capture of the tests.
fn url() -> Option<String> {
    let url = std::env::var("STORE_POSTGRES_URL").ok();
    if url.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: needs a PostgreSQL server; run ./with-postgres cargo test, or set STORE_POSTGRES_URL"
        );
    }
    url
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
    let key = ListKey::new("damaged").unwrap();
    let create = || async {
        update(&store, &key, &Policy::default(), |list| {
            list.create(TaskDraft::new("A"))
                .map(|created| created.changes)
        })
        .await
    };
    let first = create().await.unwrap().revision;
    let stored = || async {
        let select = "SELECT list FROM task_lists WHERE key = 'damaged'";
        store
            .client()
            .query_one(select, &[])
            .await
            .unwrap()
            .get::<_, String>(0)
    };
    let json = stored().await;
    for damaged in processes::damaged(&json) {
        let damage = "UPDATE task_lists SET list = $1 WHERE key = 'damaged'";
        store.client().execute(damage, &[&damaged]).await.unwrap();
        assert!(
            matches!(store.load(&key).await, Err(StoreError::Corrupt(_))),
            "{damaged}"
        );
        let created = create().await;
        assert!(
            matches!(created, Err(UpdateError::Store(StoreError::Corrupt(_)))),
            "{damaged}"
        );
        assert_eq!(stored().await, damaged);
    }
    store
        .client()
        .execute("DELETE FROM task_lists WHERE key = 'damaged'", &[])
        .await
        .unwrap();
    assert!(
        create().await.unwrap().revision > first,
        "a revision is not used again"
    );
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
            .is_error
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
        assert!(!call.await.unwrap().is_error);
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

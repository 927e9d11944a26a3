//! Checks for those who write a [`Store`].
//!
//! One call in a test of yours: [`check`] with a function that opens another handle on the same
//! backend. It needs no runtime of its own, and runs on yours where the store needs one.
//!
//! ```
//! use agent_tasklist::{MemoryStore, block_on, conformance};
//!
//! let backend = MemoryStore::new();
//! block_on(conformance::check(|| std::future::ready(backend.clone())));
//! ```

use crate::activation::Activation;
use crate::change::Changes;
use crate::key::ListKey;
use crate::list::TaskList;
use crate::store::{Commit, Revision, Store, StoreError, Stored, yield_once};
use crate::task::{Status, TaskDraft};
use serde_json::{Map, json};
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::task::Poll;

const WRITERS: usize = 8;
const UPDATES: usize = 25;

/// Checks that a store keeps the contract of [`Store`], by its return values, through several
/// handles, and with 8 writers that race each other.
///
/// `open` gives another handle on the same backend: another connection, another instance on the
/// same folder, a clone. It is called some twenty times. The check writes lists under keys that start with
/// `conformance-` and a number of its own, and leaves them there.
///
/// # Panics
///
/// Where the store breaks the contract, with a message that says how.
pub async fn check<S: Store>(open: impl AsyncFn() -> S) {
    let check = Check {
        prefix: format!("conformance-{:x}", RandomState::new().hash_one(0)),
        open,
    };
    check.absent().await;
    check.round_trip().await;
    check.compare_and_set().await;
    check.keys_apart().await;
    check.unpolled().await;
    check.race().await;
}

struct Check<F> {
    prefix: String,
    open: F,
}

/// A list of one task, to tell lists apart by.
fn list_of(subject: &str) -> (TaskList, Changes) {
    let mut list = TaskList::new();
    let created = list
        .create(TaskDraft::new(subject))
        .expect("a subject is all it takes");
    (list, created.changes)
}

/// A list with something of everything that a list can hold.
fn list_of_everything() -> TaskList {
    let until = |patterns: &[&str]| Activation::files_modified(patterns).expect("valid patterns");
    let metadata = json!({"n": [1, -2.5, null, true, {"深い": "\u{10ffff}"}]});
    let metadata = metadata.as_object().cloned().unwrap_or_else(Map::new);
    let mut list = TaskList::new();
    let edits = (|| {
        list.begin_run("run-1")?;
        list.write([
            TaskDraft::new("zuerst: „Straße“ \u{202e}<b>&amp;</b>")
                .id("z")
                .status(Status::InProgress),
            TaskDraft::new("编写测试\nzweite Zeile\0")
                .id("ü")
                .description("👩‍👩‍👧 e\u{301}")
                .owner("wörker"),
            TaskDraft::new("a")
                .id("a")
                .blocked_by(["z", "ü"])
                .active_form("a-ing"),
            TaskDraft::new("asleep").activation(until(&["docs/**", ""])),
            TaskDraft::new("done")
                .id("d")
                .status(Status::Completed)
                .metadata(metadata),
            TaskDraft::new("to go").id("g"),
            TaskDraft::new("to be dropped").id("x"),
        ])?;
        list.files_modified(["src/ä.rs", "b"])?;
        list.delete("g")?;
        let kept = list
            .drafts()
            .into_iter()
            .filter(|draft| draft.id.as_deref() != Some("x"));
        list.write(kept.collect::<Vec<_>>())
    })();
    edits.expect("a valid list");
    list
}

impl<S: Store, F: AsyncFn() -> S> Check<F> {
    async fn open(&self) -> S {
        (self.open)().await
    }

    fn key(&self, name: &str) -> ListKey {
        ListKey::new(&format!("{}/{name}", self.prefix)).expect("a valid key")
    }

    async fn load(&self, store: &S, key: &ListKey, what: &str) -> Option<Stored> {
        match store.load(key).await {
            Ok(stored) => stored,
            Err(error) => panic!("{what}: load must succeed, but gave: {error:?}"),
        }
    }

    /// Loads through a new handle what must be there.
    async fn expect(&self, key: &ListKey, list: &TaskList, revision: Revision, what: &str) {
        let store = self.open().await;
        let Some(stored) = self.load(&store, key, what).await else {
            panic!(
                "{what}: another handle must see the list, but load gave None. Is it kept in the handle, or not written?"
            );
        };
        assert_eq!(
            stored.revision, revision,
            "{what}: load must give the revision that commit gave for what is stored"
        );
        assert_same(&stored.list, list, what);
    }

    async fn commit(
        &self,
        store: &S,
        key: &ListKey,
        expected: Option<Revision>,
        (list, changes): &(TaskList, Changes),
        what: &str,
    ) -> Revision {
        match store
            .commit(key, Commit::new(expected, list, changes))
            .await
        {
            Ok(revision) => {
                if let Some(expected) = expected {
                    assert!(
                        revision > expected,
                        "{what}: revisions must grow, but {expected} was followed by {revision}"
                    );
                }
                revision
            }
            Err(error) => panic!("{what}: commit must succeed, but gave: {error:?}"),
        }
    }

    async fn conflict(&self, key: &ListKey, expected: Option<Revision>, what: &str) {
        let store = self.open().await;
        let (list, changes) = list_of("must not be written");
        match store
            .commit(key, Commit::new(expected, &list, &changes))
            .await
        {
            Err(StoreError::Conflict) => {}
            Ok(_) => panic!(
                "{what}: commit must be a Conflict, but it wrote. Does it compare the expected revision \
                 with the stored one, in one step with the write?"
            ),
            Err(error) => panic!("{what}: commit must be a Conflict, but gave: {error:?}"),
        }
    }

    async fn absent(&self) {
        let (store, key) = (self.open().await, self.key("absent"));
        let stored = self.load(&store, &key, "a key without a list").await;
        assert!(
            stored.is_none(),
            "a key without a list: load must give None, not an empty list"
        );
        self.conflict(
            &key,
            Some(Revision::new(1)),
            "a commit that expects a list where there is none",
        )
        .await;
        let stored = self.load(&store, &key, "after a refused commit").await;
        assert!(
            stored.is_none(),
            "after a refused commit: load must still give None"
        );
    }

    async fn round_trip(&self) {
        let (store, key) = (self.open().await, self.key("round-trip"));
        let list = list_of_everything();
        let written = (list, Changes::default());
        let revision = self
            .commit(&store, &key, None, &written, "the first commit")
            .await;
        self.expect(&key, &written.0, revision, "a list with everything in it")
            .await;

        let empty = (TaskList::new(), Changes::default());
        let revision = self
            .commit(&store, &key, Some(revision), &empty, "an empty list")
            .await;
        self.expect(&key, &empty.0, revision, "an empty list").await;
    }

    async fn compare_and_set(&self) {
        let key = self.key("compare-and-set");
        let (one, other) = (self.open().await, self.open().await);
        let first = list_of("first");
        let first_revision = self
            .commit(&one, &key, None, &first, "the first commit")
            .await;
        self.expect(&key, &first.0, first_revision, "the first commit")
            .await;

        self.conflict(
            &key,
            None,
            "a commit that expects no list where there is one",
        )
        .await;
        self.expect(&key, &first.0, first_revision, "after that conflict")
            .await;

        let second = list_of("second");
        let second_revision = self
            .commit(
                &other,
                &key,
                Some(first_revision),
                &second,
                "a commit through another handle",
            )
            .await;
        self.expect(
            &key,
            &second.0,
            second_revision,
            "a commit through another handle",
        )
        .await;
        let stored = self
            .load(&one, &key, "the first handle, after the other wrote")
            .await;
        assert_eq!(
            stored.map(|stored| stored.revision),
            Some(second_revision),
            "the first handle must see what another wrote. Does it keep what it loaded before?"
        );

        self.conflict(
            &key,
            Some(first_revision),
            "a commit that expects an old revision",
        )
        .await;
        self.expect(&key, &second.0, second_revision, "after that conflict")
            .await;
        let later = Revision::after(Some(second_revision));
        self.conflict(
            &key,
            Some(later),
            "a commit that expects a revision that is not there yet",
        )
        .await;
        self.expect(&key, &second.0, second_revision, "after that conflict")
            .await;

        let mut revision = second_revision;
        let mut seen = BTreeSet::from([first_revision, second_revision]);
        for _ in 0..5 {
            let what = "the same list committed again";
            revision = self.commit(&one, &key, Some(revision), &second, what).await;
            assert!(
                seen.insert(revision),
                "{what}: revision {revision} was used before"
            );
        }
        self.expect(&key, &second.0, revision, "the same list committed again")
            .await;
    }

    async fn keys_apart(&self) {
        let store = self.open().await;
        let long = |end: &str| format!("{}{end}", "long/".repeat(80));
        let names = [
            "a/b",
            "a_b",
            "a%2Fb",
            "a%2fb",
            "a-b",
            "a b",
            "a",
            "A",
            "a.json",
            "a:b",
            "ä",
            "a\u{308}",
            "Ä",
            "日本",
            "'; drop table lists; --",
            "%",
            "*",
            "a/b/c",
            "con",
            &long("x"),
            &long("y"),
        ];
        let mut written = Vec::new();
        for name in names {
            let key = self.key(name);
            let what = format!("the key {name:?}");
            let stored = self.load(&store, &key, &what).await;
            assert!(
                stored.is_none(),
                "{what}: it is another than those before, but load gave the list of one of them. Are keys kept apart \
                 to the byte (case, accents, separators, length)?"
            );
            let list = list_of(name);
            let revision = self.commit(&store, &key, None, &list, &what).await;
            written.push((key, list, revision, what));
        }
        for (key, (list, _), revision, what) in &written {
            self.expect(key, list, *revision, what).await;
        }
    }

    async fn unpolled(&self) {
        let (store, key) = (self.open().await, self.key("unpolled"));
        let (list, changes) = list_of("never polled");
        drop(store.load(&key));
        drop(store.commit(&key, Commit::new(None, &list, &changes)));
        yield_once().await;
        let stored = self
            .load(&store, &key, "after a commit that was never polled")
            .await;
        assert!(
            stored.is_none(),
            "a commit that was dropped before it was polled must not write: do the work inside the future"
        );
    }

    /// Writers that load, let the others have a turn, and commit; nobody's update may be lost.
    async fn race(&self) {
        let key = &self.key("race");
        let mut writers = Vec::new();
        for writer in 0..WRITERS {
            let store = self.open().await;
            writers.push(self.write(store, key, writer));
        }
        let revisions = join(writers).await.into_iter().flatten();
        let mut seen = BTreeSet::new();
        for revision in revisions {
            assert!(
                seen.insert(revision),
                "the race: two commits gave revision {revision}. Are comparing, counting and writing one step?"
            );
        }
        let store = self.open().await;
        let stored = self.load(&store, key, "after the race").await;
        let Some(Stored { list, revision }) = stored else {
            panic!("after the race: load must give the list, but gave None");
        };
        assert_eq!(
            Some(&revision),
            seen.last(),
            "after the race: the last revision must be the stored one"
        );
        let wanted = WRITERS * UPDATES;
        let found = list
            .tasks()
            .map(|task| &*task.subject)
            .collect::<BTreeSet<_>>()
            .len();
        assert_eq!(
            found, wanted,
            "the race: {wanted} updates were acknowledged, {found} are there. An update was lost: does commit \
             compare and write in one step that no other writer can come between?"
        );
    }

    async fn write(&self, store: S, key: &ListKey, writer: usize) -> Vec<Revision> {
        const TRIES: usize = 100_000;
        let mut revisions = Vec::with_capacity(UPDATES);
        for _ in 0..TRIES {
            let what = "a writer of the race";
            let stored = self.load(&store, key, what).await;
            yield_once().await;
            let expected = stored.as_ref().map(|stored| stored.revision);
            let mut list = stored.map_or_else(TaskList::new, |stored| stored.list);
            let draft = TaskDraft::new(format!("update {} of {writer}", revisions.len()));
            let created = list.create(draft).expect("a subject is all it takes");
            yield_once().await;
            match store
                .commit(key, Commit::new(expected, &list, &created.changes))
                .await
            {
                Ok(revision) => revisions.push(revision),
                Err(StoreError::Conflict) => {}
                Err(error) => {
                    panic!("{what}: commit must succeed or be a Conflict, but gave: {error:?}")
                }
            }
            if revisions.len() == UPDATES {
                return revisions;
            }
        }
        panic!(
            "a writer of the race had a Conflict {TRIES} times: does commit compare with what is stored now?"
        );
    }
}

fn assert_same(found: &TaskList, list: &TaskList, what: &str) {
    if found == list {
        return;
    }
    let ids = |list: &TaskList| {
        list.tasks()
            .map(|task| task.id.to_string())
            .collect::<Vec<_>>()
    };
    let (found_ids, ids) = (ids(found), ids(list));
    assert_eq!(
        found_ids, ids,
        "{what}: the tasks must come back in the order they were written in. Is the list stored whole?"
    );
    panic!(
        "{what}: the list that comes back must equal the one that was written:\n{found:#?}\n{list:#?}"
    );
}

/// Runs futures together on the task of the caller, a turn each.
async fn join<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut running: Vec<Pin<Box<_>>> = futures.into_iter().map(Box::pin).collect();
    let mut done = Vec::with_capacity(running.len());
    poll_fn(|context| {
        running.retain_mut(|future| match future.as_mut().poll(context) {
            Poll::Ready(output) => {
                done.push(output);
                false
            }
            Poll::Pending => true,
        });
        match running.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    done
}

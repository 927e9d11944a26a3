//! Checks for those who write a [`Store`].
//!
//! One call in a test of yours: [`check`] with a function that opens another handle on the same
//! backend. It needs no runtime of its own, and runs on yours where the store needs one.
//!
//! ```
//! use agent_tasklist::store::{MemoryStore, block_on, conformance};
//!
//! let backend = MemoryStore::new();
//! block_on(conformance::check(|| std::future::ready(backend.clone())));
//! ```

use super::contract::{Commit, Revision, Store, StoreError, Stored};
use super::wait::yield_once;
use crate::activation::Activation;
use crate::change::Changes;
use crate::key::ListKey;
use crate::list::TaskList;
use crate::status::Status;
use crate::task::TaskDraft;
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
        // A number of its own for each run, so that a backend which outlives the test does not fail the next one. The
        // hasher of the standard library is the one source of randomness that needs no package.
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

    /// A key that has no list yet.
    fn row(&self, name: &str) -> Row<'_, F> {
        Row {
            check: self,
            key: self.key(name),
            stored: None,
        }
    }

    async fn absent(&self) {
        let row = self.row("absent");
        row.verify("a key without a list").await;
        let what = "a commit that expects a list where there is none";
        row.conflict(Some(Revision::new(1)), what).await;
    }

    async fn round_trip(&self) {
        let (store, mut row) = (self.open().await, self.row("round-trip"));
        let everything = (list_of_everything(), Changes::default());
        row.commit(&store, &everything, "a list with everything in it")
            .await;
        let empty = (TaskList::new(), Changes::default());
        row.commit(&store, &empty, "an empty list").await;
    }

    async fn compare_and_set(&self) {
        let mut row = self.row("compare-and-set");
        let (one, other) = (self.open().await, self.open().await);
        let first = row
            .commit(&one, &list_of("first"), "the first commit")
            .await;
        let what = "a commit that expects no list where there is one";
        row.conflict(None, what).await;

        let (second, what) = (list_of("second"), "a commit through another handle");
        let revision = row.commit(&other, &second, what).await;
        let stored = load(&one, &row.key, "the first handle, after the other wrote").await;
        assert_eq!(
            stored.map(|stored| stored.revision),
            Some(revision),
            "the first handle must see what another wrote. Does it keep what it loaded before?"
        );
        let what = "a commit that expects an old revision";
        row.conflict(Some(first), what).await;
        // A store that only asks whether the expected revision is old would let this one through.
        let later = Some(Revision::after(Some(revision)));
        let what = "a commit that expects a revision that is not there yet";
        row.conflict(later, what).await;

        let mut seen = BTreeSet::from([first, revision]);
        for _ in 0..5 {
            let what = "the same list committed again";
            let revision = row.commit(&one, &second, what).await;
            assert!(
                seen.insert(revision),
                "{what}: revision {revision} was used before"
            );
        }
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
            let (mut row, what) = (self.row(name), format!("the key {name:?}"));
            assert!(
                load(&store, &row.key, &what).await.is_none(),
                "{what}: it is another than those before, but load gave the list of one of them. Are keys kept apart \
                 to the byte (case, accents, separators, length)?"
            );
            row.commit(&store, &list_of(name), &what).await;
            written.push((row, what));
        }
        for (row, what) in &written {
            row.verify(what).await;
        }
    }

    async fn unpolled(&self) {
        let (store, key) = (self.open().await, self.key("unpolled"));
        let (list, changes) = list_of("never polled");
        // Work that a method does before it gives the future is done although nobody waits for it: a cancelled request would
        // write.
        drop(store.load(&key));
        drop(store.commit(&key, Commit::new(None, &list, &changes)));
        yield_once().await;
        let stored = load(&store, &key, "after a commit that was never polled").await;
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
        let stored = load(&store, key, "after the race").await;
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
        // Bounded, so that a store which always says conflict fails the check instead of hanging the test.
        const TRIES: usize = 100_000;
        let mut revisions = Vec::with_capacity(UPDATES);
        for _ in 0..TRIES {
            let what = "a writer of the race";
            let stored = load(&store, key, what).await;
            // Between load and commit: on one thread nobody else could come between otherwise, and nothing would be tried.
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

async fn load<S: Store>(store: &S, key: &ListKey, what: &str) -> Option<Stored> {
    match store.load(key).await {
        Ok(stored) => stored,
        Err(error) => panic!("{what}: load must succeed, but gave: {error:?}"),
    }
}

/// A key, and what was last written there.
struct Row<'c, F> {
    check: &'c Check<F>,
    key: ListKey,
    stored: Option<(TaskList, Revision)>,
}

impl<S: Store, F: AsyncFn() -> S> Row<'_, F> {
    /// Loads through a new handle what must be there.
    async fn verify(&self, what: &str) {
        let found = load(&self.check.open().await, &self.key, what).await;
        match (&self.stored, found) {
            (None, None) => {}
            (None, Some(_)) => panic!("{what}: load must give None, not an empty list"),
            (Some(_), None) => panic!(
                "{what}: another handle must see the list, but load gave None. Is it kept in the handle, or not written?"
            ),
            (Some((list, revision)), Some(found)) => {
                assert_eq!(
                    found.revision, *revision,
                    "{what}: load must give the revision that commit gave for what is stored"
                );
                assert_same(&found.list, list, what);
            }
        }
    }

    /// Writes over what is there, through that handle.
    async fn commit(
        &mut self,
        store: &S,
        (list, changes): &(TaskList, Changes),
        what: &str,
    ) -> Revision {
        let expected = self.stored.as_ref().map(|(_, revision)| *revision);
        let commit = store.commit(&self.key, Commit::new(expected, list, changes));
        let revision = match commit.await {
            Ok(revision) => revision,
            Err(error) => panic!("{what}: commit must succeed, but gave: {error:?}"),
        };
        if let Some(expected) = expected {
            assert!(
                revision > expected,
                "{what}: revisions must grow, but {expected} was followed by {revision}"
            );
        }
        self.stored = Some((list.clone(), revision));
        self.verify(what).await;
        revision
    }

    /// Tries several times what must be refused each time, and change nothing: a store may fail only now and then.
    async fn conflict(&self, expected: Option<Revision>, what: &str) {
        let store = self.check.open().await;
        let (list, changes) = list_of("must not be written");
        for _ in 0..5 {
            let commit = store.commit(&self.key, Commit::new(expected, &list, &changes));
            match commit.await {
                Err(StoreError::Conflict) => {}
                Ok(_) => panic!(
                    "{what}: commit must be a Conflict, but it wrote. Does it compare the expected revision \
                     with the stored one, in one step with the write?"
                ),
                Err(error) => panic!("{what}: commit must be a Conflict, but gave: {error:?}"),
            }
        }
        self.verify("after a refused commit").await;
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
        // In turn, all of them: which writer is first changes from round to round only with the store.
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

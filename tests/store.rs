//! For the framework author who implements `Store`: the conformance check accepts a right store and tells what is wrong
//! with another. For the operator: `update` and the tools lose, repeat and hide nothing, whatever a store does.

use agent_tasklist::error::Problem;
use agent_tasklist::policy::Limit;
use agent_tasklist::store::{
    Commit, ListKey, MemoryStore, Revision, Store, StoreError, StoreFuture, Stored, UpdateError,
    block_on, conformance, update,
};
use agent_tasklist::tools::{Access, ListTools, Reply, Toolset};
use agent_tasklist::{Changes, Error, Policy, Status, TaskDraft, TaskList};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::{Future, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

fn key(key: &str) -> ListKey {
    ListKey::new(key).unwrap()
}

fn create(list: &mut TaskList, subject: &str) -> Result<Changes, Error> {
    Ok(list.create(TaskDraft::new(subject))?.changes)
}

fn subjects(store: &impl Store, name: &str) -> Vec<String> {
    let stored = block_on(store.load(&key(name))).unwrap();
    let list = stored.map_or_else(TaskList::new, |stored| stored.list);
    list.tasks().map(|task| task.subject.to_string()).collect()
}

#[test]
fn the_memory_store_conforms() {
    let backend = MemoryStore::new();
    block_on(conformance::check(|| ready(backend.clone())));
    block_on(conformance::check(|| ready(&backend)));
    let shared: Arc<dyn Store> = Arc::new(backend.clone());
    block_on(conformance::check(|| ready(shared.clone())));
    block_on(conformance::check(|| {
        ready(Box::new(backend.clone()) as Box<dyn Store>)
    }));
}

#[test]
fn the_longest_key_has_512_bytes() {
    assert_eq!(ListKey::MAX_BYTES, 512);
    for (longest, longer) in [
        ("k".repeat(512), "k".repeat(513)),
        ("é".repeat(256), "é".repeat(256) + "k"),
        // The leading slash is none of the key.
        (
            "/".to_owned() + &"a/".repeat(255) + "bc",
            "/".to_owned() + &"a/".repeat(256) + "b",
        ),
    ] {
        let key = ListKey::new(&longest).expect(&longest);
        assert_eq!(key.as_str().len(), 512);
        let refused = ListKey::new(&longer).unwrap_err();
        assert_eq!(refused.problem, Problem::TooLong { bytes: 513 });
        assert!(refused.to_string().contains("it is 513 bytes long"));
        // What a slug makes of a key is held to the same.
        let own = ListKey::new("w/acme/k").unwrap();
        assert!(
            own.resolve(&format!("/{}", longest.trim_start_matches('/')), "")
                .is_ok()
        );
        assert!(
            own.resolve(&format!("/{}", longer.trim_start_matches('/')), "")
                .is_err()
        );
    }
}

#[test]
fn revisions_outlive_a_delete() {
    let store = MemoryStore::new();
    let first = block_on(update(&store, &key("k"), &Policy::default(), |list| {
        create(list, "A")
    }))
    .unwrap();
    assert!(store.delete(&key("k")));
    assert!(!store.delete(&key("k")));
    assert!(block_on(store.load(&key("k"))).unwrap().is_none());
    let next = block_on(update(&store, &key("k"), &Policy::default(), |list| {
        create(list, "A")
    }))
    .unwrap();
    assert!(next.revision > first.revision);
}

/// What a commit that is a conflict expects.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expects {
    Another,
    OneWhereThereIsNone,
}

/// A way to get a store wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    NoCompare,
    LastWriteWins,
    AlwaysConflict,
    RevisionReused,
    RevisionShrinks,
    WrongRevision,
    ForgetsOrder,
    ForgetsRetired,
    GarbageIsEmpty,
    CaseFoldsKeys,
    CutsKeys,
    SlashIsUnderscore,
    WritesUnpolled,
    KeepsWhatItLoaded,
    CreatesOverExisting,
    UpdatesAbsent,
    ErrorInsteadOfConflict,
    /// Of the commits that expect another list than there is, or one where there is none, writes the first of three, or
    /// the second, or the third.
    OverwritesOneInThree(Expects, usize),
}

#[derive(Clone)]
struct Faulty {
    fault: Fault,
    lists: Arc<Mutex<HashMap<String, (u64, String)>>>,
    seen: Arc<Mutex<HashMap<String, (u64, String)>>>,
    conflicts: Arc<AtomicUsize>,
}

impl Faulty {
    fn name(&self, key: &ListKey) -> String {
        match self.fault {
            Fault::CaseFoldsKeys => key.as_str().to_lowercase(),
            Fault::CutsKeys => key.as_str().chars().take(100).collect(),
            Fault::SlashIsUnderscore => key.as_str().replace('/', "_"),
            _ => key.as_str().to_owned(),
        }
    }

    fn read(&self, key: &ListKey) -> Result<Option<Stored>, StoreError> {
        let name = self.name(key);
        let mut entry = self.lists.lock().unwrap().get(&name).cloned();
        if self.fault == Fault::KeepsWhatItLoaded
            && let Some(found) = entry.take()
        {
            entry = Some(
                self.seen
                    .lock()
                    .unwrap()
                    .entry(name)
                    .or_insert(found)
                    .clone(),
            );
        }
        let Some((revision, json)) = entry else {
            return match self.fault {
                Fault::GarbageIsEmpty => Ok(Some(Stored::new(TaskList::new(), Revision::new(0)))),
                _ => Ok(None),
            };
        };
        let revision = match self.fault {
            Fault::WrongRevision => revision + 1,
            _ => revision,
        };
        let mut list = TaskList::from_json(&json)?;
        if self.fault == Fault::ForgetsOrder {
            let mut drafts = list.drafts();
            drafts.reverse();
            list.write(drafts).unwrap();
        }
        if self.fault == Fault::ForgetsRetired {
            let drafts = list.drafts();
            list = TaskList::new();
            list.write(drafts).unwrap();
        }
        Ok(Some(Stored::new(list, Revision::new(revision))))
    }

    fn write(
        &self,
        key: &ListKey,
        expected: Option<Revision>,
        json: String,
    ) -> Result<Revision, StoreError> {
        let name = self.name(key);
        let mut lists = self.lists.lock().unwrap();
        let current = lists
            .get(&name)
            .map(|&(revision, _)| Revision::new(revision));
        let compares = match self.fault {
            Fault::NoCompare => true,
            Fault::LastWriteWins => current.is_some() == expected.is_some(),
            Fault::CreatesOverExisting => expected.is_none() || current == expected,
            Fault::UpdatesAbsent => current.is_none() || current == expected,
            Fault::AlwaysConflict => false,
            Fault::OverwritesOneInThree(expects, which)
                if current != expected
                    && current.is_none() == (expects == Expects::OneWhereThereIsNone) =>
            {
                self.conflicts.fetch_add(1, Ordering::Relaxed) % 3 == which
            }
            _ => current == expected,
        };
        match (compares, self.fault) {
            (true, _) => {}
            (false, Fault::ErrorInsteadOfConflict) => {
                return Err(StoreError::backend("constraint failed"));
            }
            (false, _) => return Err(StoreError::Conflict),
        }
        let next = match self.fault {
            Fault::RevisionReused => Revision::new(1),
            Fault::RevisionShrinks => Revision::new(u64::MAX / 2 - current.map_or(0, |_| 1)),
            _ => Revision::after(current),
        };
        lists.insert(name, (next.get(), json));
        Ok(next)
    }
}

impl Store for Faulty {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move { self.read(key) })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        let write = move || self.write(key, commit.expected, commit.list.to_json());
        match self.fault {
            Fault::WritesUnpolled => Box::pin(ready(write())),
            _ => Box::pin(async move { write() }),
        }
    }
}

#[test]
fn broken_stores_are_told_what_is_wrong() {
    for (fault, message) in [
        (
            Fault::NoCompare,
            "a commit that expects a list where there is none: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::LastWriteWins,
            "a commit that expects an old revision: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::AlwaysConflict,
            "a list with everything in it: commit must succeed, but gave: Conflict",
        ),
        (
            Fault::RevisionReused,
            "revisions must grow, but 1 was followed by 1",
        ),
        (Fault::RevisionShrinks, "revisions must grow, but"),
        (
            Fault::WrongRevision,
            "load must give the revision that commit gave for what is stored",
        ),
        (
            Fault::ForgetsOrder,
            "the tasks must come back in the order they were written in",
        ),
        (
            Fault::ForgetsRetired,
            "the list that comes back must equal the one that was written",
        ),
        (
            Fault::GarbageIsEmpty,
            "a key without a list: load must give None, not an empty list",
        ),
        (
            Fault::CaseFoldsKeys,
            "the key \"a%2fb\": it is another than those before",
        ),
        (
            Fault::CutsKeys,
            "it is another than those before, but load gave the list of one of them",
        ),
        (
            Fault::SlashIsUnderscore,
            "the key \"a_b\": it is another than those before",
        ),
        (
            Fault::WritesUnpolled,
            "a commit that was dropped before it was polled must not write",
        ),
        (
            Fault::KeepsWhatItLoaded,
            "load must give the revision that commit gave",
        ),
        (
            Fault::CreatesOverExisting,
            "a commit that expects no list where there is one: commit must be a Conflict",
        ),
        (
            Fault::UpdatesAbsent,
            "a commit that expects a list where there is none: commit must be a Conflict",
        ),
        (
            Fault::ErrorInsteadOfConflict,
            "commit must be a Conflict, but gave: Backend",
        ),
        (
            Fault::OverwritesOneInThree(Expects::Another, 0),
            "expects no list where there is one: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::OverwritesOneInThree(Expects::OneWhereThereIsNone, 0),
            "expects a list where there is none: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::OverwritesOneInThree(Expects::Another, 1),
            "expects no list where there is one: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::OverwritesOneInThree(Expects::OneWhereThereIsNone, 1),
            "expects a list where there is none: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::OverwritesOneInThree(Expects::Another, 2),
            "expects no list where there is one: commit must be a Conflict, but it wrote",
        ),
        (
            Fault::OverwritesOneInThree(Expects::OneWhereThereIsNone, 2),
            "expects a list where there is none: commit must be a Conflict, but it wrote",
        ),
    ] {
        let store = Faulty {
            fault,
            lists: Arc::default(),
            seen: Arc::default(),
            conflicts: Arc::default(),
        };
        let check = || block_on(conformance::check(|| ready(store.clone())));
        let panic =
            catch_unwind(AssertUnwindSafe(check)).expect_err(&format!("{fault:?} must be found"));
        let said = panic.downcast_ref::<String>().cloned();
        let said = said
            .or_else(|| panic.downcast_ref::<&str>().map(|said| said.to_string()))
            .unwrap();
        assert!(said.contains(message), "{fault:?}: {said}");
    }
}

/// Compares and writes in two steps, with a turn for others in between.
#[derive(Clone, Default)]
struct TwoSteps(MemoryStore);

impl Store for TwoSteps {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        self.0.load(key)
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let current = |stored: Option<Stored>| stored.map(|stored| stored.revision);
            if current(self.0.load(key).await?) != commit.expected {
                return Err(StoreError::Conflict);
            }
            pause(1).await;
            let now = current(self.0.load(key).await?);
            self.0
                .commit(key, Commit::new(now, commit.list, commit.changes))
                .await
        })
    }
}

#[test]
fn a_race_between_comparing_and_writing_is_found() {
    let store = TwoSteps::default();
    let check = || block_on(conformance::check(|| ready(store.clone())));
    let panic = catch_unwind(AssertUnwindSafe(check)).unwrap_err();
    let said = panic.downcast_ref::<String>().unwrap();
    assert!(said.contains("An update was lost"), "{said}");
}

/// Gives others some turns.
async fn pause(turns: usize) {
    let mut left = turns;
    poll_fn(move |context: &mut Context<'_>| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What a store that lies does to a commit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    None,
    Conflict,
    FailsBefore,
    FailsAfter,
}

/// A memory store that delays, and lies as it is told to, a commit after the other.
#[derive(Clone)]
struct Liar {
    store: MemoryStore,
    lies: Arc<Vec<Lie>>,
    commits: Arc<AtomicUsize>,
    corrupt: bool,
}

impl Liar {
    fn new(lies: &[Lie]) -> Self {
        Liar {
            store: MemoryStore::new(),
            lies: Arc::new(lies.to_vec()),
            commits: Arc::default(),
            corrupt: false,
        }
    }
}

impl Store for Liar {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            pause(2).await;
            match self.corrupt {
                true => Err(TaskList::from_json("{\"version\":1,\"tas")
                    .unwrap_err()
                    .into()),
                false => self.store.load(key).await,
            }
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            pause(1).await;
            let at = self.commits.fetch_add(1, Ordering::Relaxed);
            match self
                .lies
                .get(at % self.lies.len().max(1))
                .copied()
                .unwrap_or(Lie::None)
            {
                Lie::None => self.store.commit(key, commit).await,
                Lie::Conflict => Err(StoreError::Conflict),
                Lie::FailsBefore => Err(StoreError::backend("connection refused")),
                Lie::FailsAfter => {
                    self.store.commit(key, commit).await?;
                    Err(StoreError::backend("connection reset"))
                }
            }
        })
    }
}

#[test]
fn conflicts_are_tried_again_and_failures_are_not() {
    let name = key("k");
    let add = |store: &Liar| {
        block_on(update(store, &name, &Policy::default(), |list| {
            create(list, "A")
        }))
        .map(|updated| updated.revision)
    };
    let store = Liar::new(&[Lie::Conflict, Lie::Conflict, Lie::None]);
    assert_eq!(add(&store).unwrap(), Some(Revision::new(1)));
    assert_eq!(store.commits.load(Ordering::Relaxed), 3);
    assert_eq!(
        subjects(&store.store, "k"),
        ["A"],
        "tried three times, done once"
    );

    let store = Liar::new(&[Lie::Conflict]);
    assert!(matches!(
        add(&store),
        Err(UpdateError::Store(StoreError::Conflict))
    ));
    assert_eq!(store.commits.load(Ordering::Relaxed), 1000, "bounded");
    assert!(subjects(&store.store, "k").is_empty());

    for (lie, written) in [(Lie::FailsBefore, 0), (Lie::FailsAfter, 1)] {
        let store = Liar::new(&[lie]);
        let error = add(&store).unwrap_err();
        assert!(matches!(error, UpdateError::Store(StoreError::Backend(_))));
        assert_eq!(
            store.commits.load(Ordering::Relaxed),
            1,
            "the outcome is unknown, so it is not tried again"
        );
        assert_eq!(subjects(&store.store, "k").len(), written);
    }
    let store = Liar {
        corrupt: true,
        ..Liar::new(&[])
    };
    let error = add(&store).unwrap_err();
    assert!(matches!(error, UpdateError::Store(StoreError::Corrupt(_))));
    assert_eq!(
        store.commits.load(Ordering::Relaxed),
        0,
        "nothing is written over what cannot be read"
    );
}

#[test]
fn an_edit_that_refuses_or_changes_nothing_is_not_committed() {
    let store = Liar::new(&[]);
    let name = key("k");
    let policy = Policy::default();
    let refused = block_on(update(&store, &name, &policy, |list| list.complete("x"))).unwrap_err();
    assert!(matches!(
        refused,
        UpdateError::Refused(Error::UnknownTask { .. })
    ));
    let same = block_on(update(&store, &name, &policy, |list| list.write([]))).unwrap();
    assert_eq!((same.revision, same.changes().is_empty()), (None, true));
    assert_eq!(store.commits.load(Ordering::Relaxed), 0);
}

fn call(tools: &ListTools<impl Store>, name: &str, args: Value) -> Reply {
    block_on(tools.call(name, &args))
}

fn mastra<S: Store>(store: S) -> ListTools<S> {
    ListTools::new(store, key("thread"), Toolset::mastra())
}

#[test]
fn replies_carry_the_revision() {
    let tools = mastra(MemoryStore::new());
    assert_eq!(call(&tools, "task_check", json!({})).data["revision"], 0);
    let write = |tasks: Value, base: Value| {
        call(
            &tools,
            "task_write",
            json!({"tasks": tasks, "baseRevision": base}),
        )
    };
    let one = json!([{"content": "A", "status": "pending"}]);
    assert_eq!(write(one.clone(), json!(0)).data["revision"], 1);
    assert_eq!(
        write(one.clone(), json!(1)).data["revision"],
        1,
        "no facts, no commit"
    );
    let stale = write(json!([]), json!(0));
    assert!(stale.is_error());
    assert_eq!(stale.data["revision"], 1);
    assert_eq!(
        stale.data["tasks"][0]["id"], "task_a",
        "refused with the current list"
    );
    assert!(
        stale
            .text
            .starts_with("The list has changed: it is at revision 1, and baseRevision is 0.")
    );
    assert!(
        stale
            .text
            .ends_with("Tasks: [0/1 completed]\nTask IDs:\n- task_a: A (pending)")
    );
    assert!(write(json!([]), json!(7)).is_error());
    assert_eq!(
        write(json!([{"content": "B", "status": "pending"}]), json!("1")).data["revision"],
        2
    );
    assert!(!write(one, Value::Null).is_error());
    let bad = write(json!([]), json!(-1));
    assert!(
        bad.is_error() && bad.text.contains("baseRevision: received -1"),
        "{}",
        bad.text
    );
    let refused = call(&tools, "task_complete", json!({"id": "x"}));
    assert_eq!(
        (refused.is_error(), &refused.data["revision"]),
        (true, &json!(3))
    );

    let properties =
        |spec: &agent_tasklist::tools::ToolSpec| spec.input_schema["properties"].clone();
    let specs = tools.specs();
    assert_eq!(properties(&specs[0])["baseRevision"]["type"], "integer");
    assert!(
        specs[1..]
            .iter()
            .all(|spec| properties(spec).get("baseRevision").is_none())
    );
}

#[test]
fn without_a_key_nothing_is_recorded() {
    let store = MemoryStore::new();
    let tools = ListTools::new(store.clone(), None, Toolset::mastra());
    for (name, args) in [
        ("task_write", json!({"tasks": []})),
        ("task_check", json!({})),
    ] {
        let reply = call(&tools, name, args);
        assert!(reply.is_error());
        assert_eq!(
            reply.text,
            "Task tools require agent memory (a memory-backed thread). No task was recorded. \
             Configure the agent with Memory to use the task list."
        );
        assert_eq!(reply.data["content"], reply.text);
        assert_eq!(reply.data["tasks"], json!([]));
        assert_eq!(reply.data["isError"], true);
        assert_eq!(reply.data["summary"].is_object(), name == "task_check");
    }
    let tools = ListTools::new(store, None, Toolset::murmur());
    let reply = call(&tools, "task_list", json!({}));
    assert!(reply.is_error() && reply.text.contains("No task was recorded"));
}

#[test]
fn which_list_a_slug_means_is_the_hosts_to_say() {
    let store = MemoryStore::new();
    let other = ListTools::new(
        store.clone(),
        key("w/acme/u/jo/fix-auth"),
        Toolset::murmur(),
    );
    call(&other, "task_create", json!({"subject": "Fix auth"}));
    let own = || ListTools::new(store.clone(), key("w/acme/u/jo/docs"), Toolset::murmur());
    let fix_auth = || json!({"slug": "fix-auth"});

    let by_default = call(&own(), "task_list", fix_auth());
    assert_eq!(by_default.data["error"]["code"], "NOT_FOUND");
    let decides = |answer| own().with_access(move |_, _| answer);
    let listed = call(&decides(Access::Allowed), "task_list", fix_auth());
    assert_eq!(listed.data["tasks"][0]["subject"], "Fix auth");
    let not_found = call(&decides(Access::NotFound), "task_list", fix_auth());
    assert_eq!(not_found.data["error"]["code"], "NOT_FOUND");
    let unauthenticated = call(&decides(Access::Unauthenticated), "task_list", fix_auth());
    assert_eq!(unauthenticated.data["error"]["code"], "UNAUTHENTICATED");
    assert!(unauthenticated.text.contains("Check the credentials"));

    let siblings = own().with_access(|own, asked| {
        let folder = |key: &ListKey| {
            key.as_str()
                .rsplit_once('/')
                .map(|(folder, _)| folder.to_owned())
        };
        match folder(own) == folder(asked) {
            true => Access::Allowed,
            false => Access::NotFound,
        }
    });
    let args = json!({"slug": "fix-auth", "subject": "Update the API docs"});
    assert!(!call(&siblings, "task_create", args).is_error());
    assert_eq!(
        subjects(&store, "w/acme/u/jo/fix-auth"),
        ["Fix auth", "Update the API docs"]
    );
    assert!(subjects(&store, "w/acme/u/jo/docs").is_empty());
    for slug in ["/w/acme/u/al/api", "/w/acme/u/jo/x/y"] {
        assert_eq!(
            call(&siblings, "task_list", json!({"slug": slug})).data["error"]["code"],
            "NOT_FOUND"
        );
    }
    for slug in ["..", "a/b", "/w/../x"] {
        let reply = call(&siblings, "task_list", json!({"slug": slug}));
        assert_eq!(reply.data["error"]["code"], "INVALID_ARGUMENT", "{slug}");
    }
    assert!(
        !call(&own(), "task_list", json!({"slug": "docs"})).is_error(),
        "its own name is its own list"
    );
}

#[test]
fn tools_say_what_became_of_the_store() {
    let args = || json!({"tasks": [{"content": "A", "status": "pending"}]});
    for (lie, said) in [
        (
            Lie::Conflict,
            "the list was changed by another writer. Nothing was changed. Try again.",
        ),
        (
            Lie::FailsBefore,
            "Whether the call was carried out is not known. Look at the list",
        ),
        (
            Lie::FailsAfter,
            "Whether the call was carried out is not known. Look at the list",
        ),
    ] {
        let reply = call(&mastra(Liar::new(&[lie])), "task_write", args());
        assert!(
            reply.is_error() && reply.text.contains(said),
            "{lie:?}: {}",
            reply.text
        );
        assert_eq!(reply.changes, Changes::default());
    }
    let corrupt = Liar {
        corrupt: true,
        ..Liar::new(&[])
    };
    let reply = call(&mastra(corrupt.clone()), "task_write", args());
    assert!(
        reply.text.contains("the stored list cannot be read"),
        "{}",
        reply.text
    );
    assert_eq!(corrupt.commits.load(Ordering::Relaxed), 0);
    for (tool, args) in [("task_write", args()), ("task_check", json!({}))] {
        let data = call(&mastra(corrupt.clone()), tool, args).data;
        for member in ["summary", "incompleteTasks"] {
            assert_eq!(data.get(member).is_some(), tool == "task_check", "{data}");
        }
    }
    let tools = ListTools::new(Liar::new(&[Lie::FailsAfter]), key("k"), Toolset::murmur());
    let reply = call(&tools, "task_create", json!({"subject": "A"}));
    assert_eq!(reply.data["error"]["code"], "UNAVAILABLE");
}

/// Runs futures together, a turn each.
fn together<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut running: Vec<Pin<Box<_>>> = futures.into_iter().map(Box::pin).collect();
    let mut done = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while !running.is_empty() {
        running.retain_mut(|future| match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => {
                done.push(output);
                false
            }
            Poll::Pending => true,
        });
    }
    done
}

#[test]
fn parallel_calls_lose_nothing() {
    let lies = [
        Lie::None,
        Lie::Conflict,
        Lie::None,
        Lie::None,
        Lie::Conflict,
        Lie::Conflict,
        Lie::None,
    ];
    let tools = mastra(Liar::new(&lies));
    let tasks: Vec<Value> = (0..5)
        .map(|n| json!({"id": format!("t{n}"), "content": "T", "status": "pending"}))
        .collect();
    assert!(!call(&tools, "task_write", json!({"tasks": tasks})).is_error());
    let handles: Vec<_> = (0..5).map(|_| tools.clone()).collect();
    let args: Vec<Value> = (0..5).map(|n| json!({"id": format!("t{n}")})).collect();
    let calls = handles
        .iter()
        .zip(&args)
        .map(|(tools, args)| tools.call("task_complete", args))
        .collect();
    let replies = together(calls);
    let mut revisions: Vec<u64> = replies
        .iter()
        .map(|reply| reply.data["revision"].as_u64().unwrap())
        .collect();
    revisions.sort_unstable();
    assert_eq!(revisions, [2, 3, 4, 5, 6], "each call is one edit");
    let reply = call(&tools, "task_check", json!({}));
    assert_eq!(reply.data["summary"]["completed"], 5);
}

#[test]
fn a_call_that_fails_after_writing_was_done_once() {
    let store = Liar::new(&[Lie::FailsAfter, Lie::None]);
    let tools = mastra(store.clone());
    let args = json!({"tasks": [{"content": "A", "status": "in_progress"}]});
    assert!(call(&tools, "task_write", args.clone()).is_error());
    let again = call(&tools, "task_write", args);
    assert!(
        !again.is_error() && again.changes.is_empty(),
        "the list is looked at again, not the call repeated"
    );
    assert_eq!(subjects(&store.store, "thread"), ["A"]);
}

#[test]
fn c49_concurrent_creates_are_both_there() {
    let store = MemoryStore::new();
    let name = key("shared");
    let load = || block_on(store.load(&name)).unwrap();
    let (first, second) = (load(), load());
    let write = |stored: Option<Stored>, subject: &str| {
        let expected = stored.as_ref().map(|stored| stored.revision);
        let mut list = stored.map_or_else(TaskList::new, |stored| stored.list);
        let changes = create(&mut list, subject).unwrap();
        block_on(store.commit(&name, Commit::new(expected, &list, &changes)))
    };
    write(first, "foo").unwrap();
    assert!(matches!(write(second, "bar"), Err(StoreError::Conflict)));
    write(load(), "bar").unwrap();
    assert_eq!(subjects(&store, "shared"), ["foo", "bar"]);
}

#[test]
fn a_hosts_policy_is_not_stored() {
    let store = MemoryStore::new();
    let stored = block_on(update(&store, &key("k"), &Policy::default(), |list| {
        list.set_policy(
            list.policy()
                .with_limits(agent_tasklist::Limits::default().with(Limit::Retired, 1)),
        );
        list.create(TaskDraft::new("A").status(Status::InProgress))
            .map(|created| created.changes)
    }))
    .unwrap();
    assert_eq!(stored.list.policy().limits.get(Limit::Retired), 1);
    let loaded = block_on(store.load(&key("k"))).unwrap().unwrap().list;
    assert_eq!(loaded.policy().limits.get(Limit::Retired), 200);
    assert_eq!(loaded, stored.list);
}

#[test]
fn block_on_waits_to_be_woken() {
    let (sender, receiver) = std::sync::mpsc::channel::<Waker>();
    let waker = std::thread::spawn(move || receiver.recv().unwrap().wake());
    let mut polls = 0;
    block_on(poll_fn(|context| {
        polls += 1;
        match polls {
            1 => {
                sender.send(context.waker().clone()).unwrap();
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }));
    waker.join().unwrap();
    assert_eq!(polls, 2);
}

#[test]
fn after_a_conflict_others_have_a_turn() {
    let (store, key) = (MemoryStore::new(), key("list"));
    let policy = Policy::default();
    let mut is_first = true;
    let edit = |list: &mut TaskList| {
        if std::mem::take(&mut is_first) {
            block_on(update(&store, &key, &policy, |list| create(list, "Theirs"))).unwrap();
        }
        create(list, "Mine")
    };
    let mut mine = Box::pin(update(&store, &key, &policy, edit));
    let mut context = Context::from_waker(Waker::noop());
    assert!(mine.as_mut().poll(&mut context).is_pending());
    assert!(mine.as_mut().poll(&mut context).is_ready());
    assert_eq!(subjects(&store, "list"), ["Theirs", "Mine"]);
}

#[test]
fn futures_and_handles_can_cross_threads() {
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    let backend = MemoryStore::new();
    let check = sendable(conformance::check(move || ready(backend.clone())));
    std::thread::spawn(move || block_on(check)).join().unwrap();
    let tools = mastra(MemoryStore::new());
    let args = json!({});
    drop(sendable(tools.call("task_check", &args)));
}

//! For the framework author and the operator: a mistake never opens a door. What is blank, misspelled, broken or not known
//! is refused by name, and is never taken for permission.

use agent_tasklist::error::{Place, Problem, TextKind};
use agent_tasklist::policy::{Dropped, Limit};
use agent_tasklist::store::{
    Commit, ListKey, MemoryStore, Revision, Store, StoreError, StoreFuture, Stored, UpdateError,
    block_on, update,
};
use agent_tasklist::tools::{ListTools, Toolset};
use agent_tasklist::{Activation, Error, Limits, LoadError, Policy, TaskDraft, TaskList};
use serde_json::json;

fn list_of(drafts: impl IntoIterator<Item = TaskDraft>) -> TaskList {
    let mut list = TaskList::new();
    list.write(drafts).unwrap();
    list
}

fn key(name: &str) -> ListKey {
    ListKey::new(name).unwrap()
}

#[test]
fn a_blank_actor_is_an_error_everywhere() {
    let mut list = list_of([TaskDraft::new("Work").id("w").owner("jo")]);
    for blank in ["", " ", "\t\n"] {
        let is_blank = |error: &Error| {
            matches!(error, Error::Invalid { invalid, .. }
            if invalid.kind == TextKind::Owner && invalid.problem == Problem::Blank)
        };
        assert!(is_blank(&list.acting_as(blank).unwrap_err()));
        assert!(is_blank(&list.claim(blank).unwrap_err()));
        assert!(is_blank(&list.claim_task("w", blank).unwrap_err()));
        assert!(is_blank(&list.release(blank).unwrap_err()));
        assert!(is_blank(&Toolset::full().acting_as(blank).unwrap_err()));
        let tools = ListTools::new(MemoryStore::new(), key("k"), Toolset::full());
        assert!(is_blank(&tools.acting_as(blank).unwrap_err()));
    }
    let text = list.acting_as(" ").unwrap_err().to_string();
    assert_eq!(text, "The name of an owner must not be blank.");
}

#[test]
fn who_acts_claims_and_releases_as_itself() {
    let mut list = list_of([
        TaskDraft::new("Work").id("w"),
        TaskDraft::new("More").id("m").owner("jo"),
    ]);
    let mut jo = list.acting_as("jo").unwrap();
    assert_eq!(jo.claim().unwrap().id.unwrap(), "m");
    jo.complete("m").unwrap();
    jo.claim_task("w").unwrap();
    assert!(matches!(
        list.acting_as("al").unwrap().claim_task("w"),
        Err(Error::OwnedByOther { .. })
    ));
    list.acting_as("jo").unwrap().release().unwrap();
    assert_eq!(list.get("w").unwrap().owner, None);
}

#[test]
fn the_name_of_an_owner_is_spelled_in_one_way() {
    let mut list = list_of([TaskDraft::new("Work").id("w").owner(" jo\n")]);
    assert_eq!(list.get("w").unwrap().owner.as_deref(), Some("jo"));
    assert_eq!(list.claim("jo ").unwrap().id.unwrap(), "w");
    list.acting_as("\tjo").unwrap().complete("w").unwrap();
    list.create(TaskDraft::new("More").id("m")).unwrap();
    assert_eq!(list.claim(" jo ").unwrap().id.unwrap(), "m");
    assert_eq!(list.release("jo").unwrap().facts.edited.len(), 1);

    // A list that was stored before names were trimmed.
    let stored =
        r#"{"version":1,"tasks":[{"id":"w","subject":"Work","status":"pending","owner":"jo "}]}"#;
    let mut list = TaskList::from_json(stored).unwrap();
    assert_eq!(list.claim("jo").unwrap().id.unwrap(), "w");

    let mut list = TaskList::new();
    let tools = Toolset::full().acting_as("jo").unwrap();
    tools.call(
        &mut list,
        "task_create",
        r#"{"id": "w", "content": "Work", "owner": "jo "}"#,
    );
    let claimed = tools.call(&mut list, "task_claim", "{}");
    assert_eq!(claimed.data["claimed"], "w");
}

#[test]
fn an_update_hands_back_what_the_edit_returned() {
    let (store, policy) = (MemoryStore::new(), Policy::default());
    let key = key("k");
    let created = block_on(update(&store, &key, &policy, |list| {
        list.create(TaskDraft::new("Ship"))
    }));
    assert_eq!(created.unwrap().outcome.id, "task_ship");
    let counted = block_on(update(&store, &key, &policy, |list| {
        let changes = list.complete("task_ship")?;
        Ok::<_, Error>((list.len(), changes))
    }));
    let counted = counted.unwrap();
    assert_eq!(
        (counted.outcome.0, counted.changes().facts.edited.len()),
        (1, 1)
    );
    assert_eq!(counted.revision, Some(Revision::new(2)));
}

/// Another writer comes between the first load and its commit.
struct Overtaken(MemoryStore, std::sync::atomic::AtomicBool);

impl Store for Overtaken {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        self.0.load(key)
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            if !self.1.swap(true, std::sync::atomic::Ordering::SeqCst) {
                let policy = Policy::default();
                let other = update(&self.0, key, &policy, |list| {
                    list.create(TaskDraft::new("Ship"))
                });
                assert!(other.await.is_ok());
            }
            self.0.commit(key, commit).await
        })
    }
}

#[test]
fn after_a_conflict_the_outcome_is_that_of_the_try_that_was_committed() {
    let store = Overtaken(MemoryStore::new(), false.into());
    let (key_of_list, policy) = (key("k"), Policy::default());
    let edit = update(&store, &key_of_list, &policy, |list| {
        list.create(TaskDraft::new("Ship"))
    });
    let updated = block_on(edit).unwrap();
    assert_eq!(updated.outcome.id, "task_ship_2");
    assert_eq!(updated.changes().facts.added[0].id, "task_ship_2");

    let store = Overtaken(MemoryStore::new(), false.into());
    let tools = ListTools::new(store, key("k"), Toolset::full());
    let reply = block_on(tools.call("task_create", r#"{"content": "Ship"}"#));
    assert_eq!(reply.data["id"], "task_ship_2");
    assert_eq!(reply.data["revision"], 2);
    assert_eq!(reply.changes.facts.added[0].id, "task_ship_2");
}

#[test]
fn a_policy_and_its_limits_go_together() {
    let limits = Limits::default().with(Limit::SubjectBytes, 4);
    let policy = Policy::default()
        .with_dropped(Dropped::Keep)
        .with_limits(limits);
    let long = json!({"tasks": [{"content": "Longer than that"}]});

    let mut list = TaskList::new();
    list.set_policy(policy);
    assert_eq!(list.policy(), policy);
    // A toolset brings a policy of its own, limits included, as it always did for the rest.
    let reply = Toolset::mastra().call(&mut list, "task_write", &long);
    assert!(!reply.is_error());
    assert_eq!(list.policy(), Policy::default());
    let tools = Toolset::mastra().with_policy(policy);
    let reply = tools.call(
        &mut list,
        "task_write",
        r#"{"tasks": [{"content": "Another"}]}"#,
    );
    assert!(matches!(
        reply.refusal.unwrap().error,
        Some(Error::LimitExceeded {
            limit: Limit::SubjectBytes,
            max: 4,
            found: 7,
            ..
        })
    ));
    assert_eq!(list.policy(), policy);

    let store = MemoryStore::new();
    let edit = |policy| {
        block_on(update(&store, &key("k"), &policy, |list: &mut TaskList| {
            list.create(TaskDraft::new("Another"))
        }))
    };
    assert!(matches!(
        edit(policy),
        Err(UpdateError::Refused(Error::LimitExceeded { .. }))
    ));
    assert!(edit(Policy::default()).is_ok());
    let stored = block_on(store.load(&key("k"))).unwrap().unwrap();
    assert_eq!(
        stored.list.policy(),
        Policy::default(),
        "a policy is never stored"
    );
}

#[test]
fn a_bad_pattern_is_told_with_its_place() {
    let refused = Activation::files_modified(["docs/**", "../x"]).unwrap_err();
    let Error::Invalid { invalid, place } = refused else {
        panic!("{refused}");
    };
    assert_eq!(
        (&*invalid.text, invalid.problem),
        ("../x", Problem::ParentFolder)
    );
    assert_eq!(place, Some(Place::Item(1)));

    let mut list = TaskList::new();
    let refused = list.files_modified(["a", "b/../c"]).unwrap_err();
    assert!(matches!(
        refused,
        Error::Invalid {
            place: Some(Place::Item(1)),
            ..
        }
    ));

    let args = json!({"tasks": [
        {"content": "A", "status": "pending"},
        {"content": "B", "status": "pending", "activation": {"filesModified": ["docs/**", "!x"]}},
        {"content": "C", "status": "soon"},
    ]});
    let reply = Toolset::full().call(&mut list, "task_write", &args);
    assert!(
        reply
            .text
            .contains("- tasks[1].activation.filesModified[1]: Invalid pattern \"!x\""),
        "{}",
        reply.text
    );
    assert!(
        reply.text.contains("- tasks[2].status: "),
        "told together with the other faults: {}",
        reply.text
    );
}

#[test]
fn a_bad_key_is_no_loss_of_data() {
    let damaged = TaskList::from_json("{").unwrap_err();
    assert!(matches!(damaged, LoadError::Json { .. }));
    assert!(matches!(StoreError::from(damaged), StoreError::Corrupt(_)));
    let cycle =
        r#"{"version":1,"tasks":[{"id":"a","subject":"A","status":"pending","blocked_by":["a"]}]}"#;
    let refused = TaskList::from_json(cycle).unwrap_err();
    assert!(matches!(
        refused,
        LoadError::Refused(Error::SelfDependency { .. })
    ));
    let bad_key: Error = ListKey::new("a/../b").unwrap_err().into();
    assert!(matches!(bad_key, Error::Invalid { invalid, .. } if invalid.kind == TextKind::ListKey));
}

#[test]
fn removed_edges_have_one_order() {
    let drafts = || {
        ["z", "y", "x"]
            .map(|id| TaskDraft::new(id).id(id))
            .into_iter()
            .chain([
                TaskDraft::new("m").id("m").blocked_by(["z", "x"]),
                TaskDraft::new("a").id("a").blocked_by(["y", "m"]),
            ])
    };
    // By a write that keeps both ends, by one that drops an end, and by a delete.
    let mut list = list_of(drafts());
    let kept = list
        .write(drafts().map(|draft| draft.blocked_by([""; 0])))
        .unwrap();
    let mut list = list_of(drafts());
    let dropped = list
        .write([
            TaskDraft::new("a").id("a").blocked_by([""; 0]),
            TaskDraft::new("m").id("m"),
        ])
        .unwrap();
    let mut list = list_of(drafts());
    let deleted = list.delete("m").unwrap();
    for changes in [kept, dropped, deleted] {
        let edges = &changes.facts.edges_removed;
        assert!(edges.len() > 1 && edges.is_sorted(), "{edges:?}");
    }
}

//! For the many agents on one list, and their host: nobody's unfinished work is taken, changed or dropped by another, no
//! task is worked on by two, and each policy does what it says.

#[path = "support/refused.rs"]
mod refused;

use agent_tasklist::policy::{Dependencies, Dropped, Excess, InProgress, Violation};
use agent_tasklist::store::{ListKey, MemoryStore, block_on};
use agent_tasklist::tools::{ListTools, Reply, Toolset};
use agent_tasklist::{Changes, Error, Policy, State, Status, TaskDraft, TaskList, TaskPatch};
use refused::refused;
use serde_json::{Value, json};

use Status::{Completed, InProgress as Running, Pending};

fn policy(set: impl FnOnce(&mut Policy)) -> Policy {
    let mut policy = Policy::default();
    set(&mut policy);
    policy
}

fn per_owner() -> Policy {
    policy(|policy| policy.in_progress = InProgress::PerOwner)
}

fn draft(id: &str, status: Status) -> TaskDraft {
    TaskDraft::new(id.to_uppercase()).id(id).status(status)
}

fn list(policy: Policy, drafts: impl IntoIterator<Item = TaskDraft>) -> TaskList {
    let mut list = TaskList::new();
    list.set_policy(policy);
    list.write(drafts).expect("a valid list");
    list
}

fn owned_by(error: Error) -> (String, String) {
    match error {
        Error::OwnedByOther { id, owner } => (id.to_string(), owner.to_string()),
        error => panic!("{error:?}"),
    }
}

fn status(list: &TaskList, id: &str) -> Status {
    list.get(id).unwrap().status
}

fn owner<'a>(list: &'a TaskList, id: &str) -> Option<&'a str> {
    list.get(id).unwrap().owner.as_deref()
}

#[test]
fn c22_one_in_progress_for_each_owner() {
    let tasks = || {
        [
            draft("a", Running).owner("x"),
            draft("b", Running).owner("y"),
            draft("c", Running).owner("y"),
        ]
    };
    let mut empty = list(per_owner(), []);
    let error = refused(&mut empty, |list| list.write(tasks()));
    let Error::TooManyInProgress {
        ids,
        per_owner: true,
        ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(*ids, ["b", "c"]);
    assert!(
        error
            .to_string()
            .starts_with("Only one task of an owner can be in_progress at a time.")
    );
    let [a, b, _] = tasks();
    list(per_owner(), [a, b]);
}

#[test]
fn c21_the_last_written_one_stays_in_progress() {
    let policy = policy(|policy| policy.excess = Excess::Demote);
    let mut list = list(policy, []);
    let changes = list
        .write([
            draft("a", Running),
            draft("b", Completed),
            draft("c", Running),
        ])
        .unwrap();
    assert_eq!((status(&list, "a"), status(&list, "c")), (Pending, Running));
    assert_eq!(changes.effects.demoted[0].id, "a");
}

#[test]
fn all_others_yield_to_the_last_written_one() {
    let unlimited = policy(|policy| policy.in_progress = InProgress::Unlimited);
    let running = ["a", "b", "c"].map(|id| draft(id, Running));
    let mut list = list(unlimited, running);
    list.set_policy(policy(|policy| policy.excess = Excess::Demote));
    let changes = list
        .write([
            draft("d", Running),
            TaskDraft::new("A").id("a"),
            draft("b", Running),
            TaskDraft::new("C").id("c"),
        ])
        .unwrap();
    let demoted = changes.effects.demoted.iter();
    let demoted: Vec<&str> = demoted.map(|demoted| demoted.id.as_str()).collect();
    assert_eq!(demoted, ["d", "a", "c"], "b is named last");
    assert_eq!(status(&list, "b"), Running);
}

#[test]
fn where_it_is_unlimited_any_number_may_be_in_progress() {
    let unlimited = policy(|policy| policy.in_progress = InProgress::Unlimited);
    let mut list = list(unlimited, [draft("a", Running), draft("b", Running)]);
    list.create(draft("c", Running)).unwrap();
    assert_eq!(list.in_state(State::InProgress).count(), 3);
}

#[test]
fn c39_advised_not_enforced() {
    let advise = policy(|policy| policy.dependencies = Dependencies::Advise);
    let mut list = list(
        advise,
        [draft("a", Pending), draft("b", Pending).blocked_by(["a"])],
    );
    let changes = list.update("b", TaskPatch::new().status(Running)).unwrap();
    assert_eq!(changes.notes.advised, ["b"]);
    assert_eq!(list.state("b"), Some(State::InProgress));
    let changes = list
        .update("b", TaskPatch::new().status(Completed))
        .unwrap();
    assert_eq!(changes.notes.advised, ["b"]);
    list.create(draft("c", Running)).unwrap();
    let changes = list
        .update("c", TaskPatch::new().add_blocked_by(["a"]))
        .unwrap();
    assert_eq!(changes.notes.advised, ["c"], "running, and made to wait");
    assert_eq!(status(&list, "c"), Running);
}

#[test]
fn c13_unfinished_work_is_kept_or_the_write_refused() {
    let tasks = || {
        [
            draft("a", Completed),
            draft("b", Running),
            draft("c", Pending).blocked_by(["b"]),
        ]
    };
    let keep = policy(|policy| policy.dropped = Dropped::Keep);
    let mut kept = list(keep, tasks());
    let changes = kept
        .write([TaskDraft::new("B step 1").status(Running)])
        .unwrap();
    let ids: Vec<&str> = kept.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["task_b_step_1", "b", "c"], "after the written ones");
    assert_eq!(changes.notes.unfinished_kept, ["b", "c"]);
    assert!(changes.notes.unfinished_removed.is_empty());
    assert_eq!(status(&kept, "b"), Pending, "and yields to them");
    assert_eq!(kept.blocked_by("c").unwrap()[0].id, "b");

    let refuse = policy(|policy| policy.dropped = Dropped::Refuse);
    let mut strict = list(refuse, tasks());
    let error = refused(&mut strict, |list| list.write([draft("b", Running)]));
    assert!(
        matches!(&error, Error::Dropped { ids } if *ids == ["c"]),
        "{error}"
    );
    strict
        .write([draft("c", Pending), draft("b", Running)])
        .unwrap();
    assert_eq!(strict.len(), 2, "finished work may be left out");
}

#[test]
fn c50_two_agents_cannot_claim_one_task() {
    let mut list = list(per_owner(), [draft("a", Pending)]);
    list.claim_task("a", "w1").unwrap();
    assert_eq!(
        (status(&list, "a"), owner(&list, "a")),
        (Running, Some("w1"))
    );
    let error = refused(&mut list, |list| list.claim_task("a", "w2"));
    assert!(error.to_string().contains("belongs to w1"), "{error}");
    assert_eq!(owned_by(error), ("a".into(), "w1".into()));
    assert!(list.claim_task("a", "w1").unwrap().is_empty());
    assert_eq!(list.claim("w1").unwrap().id.unwrap(), "a");
    assert!(list.claim("w2").unwrap().id.is_none());
}

#[test]
fn c51_the_work_of_a_lost_owner_is_released() {
    let mut list = list(per_owner(), [draft("a", Pending), draft("b", Pending)]);
    list.claim_task("a", "w1").unwrap();
    let changes = list.release("w1").unwrap();
    assert_eq!(changes.facts.edited.len(), 1);
    assert_eq!((status(&list, "a"), owner(&list, "a")), (Pending, None));
    list.claim_task("a", "w2").unwrap();
    let error = refused(&mut list, |list| {
        list.acting_as("w1").unwrap().complete("a")
    });
    assert_eq!(owned_by(error), ("a".into(), "w2".into()));
    list.acting_as("w2").unwrap().complete("a").unwrap();
    assert!(
        list.release("w2").unwrap().is_empty(),
        "finished work stays its own"
    );
    assert_eq!(owner(&list, "a"), Some("w2"));
}

#[test]
fn a_claim_takes_ones_own_first() {
    let mut list = list(
        per_owner(),
        [
            draft("free", Pending),
            draft("theirs", Pending).owner("al"),
            draft("blocked", Pending).owner("jo").blocked_by(["free"]),
            draft("mine", Pending).owner("jo"),
        ],
    );
    assert_eq!(list.claim("jo").unwrap().id.unwrap(), "mine");
    list.complete("mine").unwrap();
    assert_eq!(list.claim("jo").unwrap().id.unwrap(), "free");
    assert_eq!(owner(&list, "free"), Some("jo"));
    list.complete("free").unwrap();
    assert_eq!(list.claim("jo").unwrap().id.unwrap(), "blocked");
    let error = refused(&mut list, |list| list.claim(" "));
    assert_eq!(error.to_string(), "The name of an owner must not be blank.");
    let error = refused(&mut list, |list| list.claim_task("free", "jo"));
    assert!(matches!(error, Error::Completed { .. }));
}

#[test]
fn with_one_for_all_anothers_task_is_in_the_way() {
    let mut list = list(
        Policy::default(),
        [draft("a", Running), draft("b", Pending)],
    );
    let claimed = list.claim("w1").unwrap();
    assert_eq!(claimed.id.unwrap(), "b");
    assert_eq!(
        claimed.changes.effects.demoted[0].id, "a",
        "nobody's task yields"
    );
    let error = refused(&mut list, |list| list.claim("w2"));
    assert_eq!(owned_by(error), ("b".into(), "w1".into()));
}

#[test]
fn who_acts_leaves_the_work_of_others_alone() {
    let mut list = list(
        policy(|policy| policy.in_progress = InProgress::One),
        [
            draft("theirs", Running).owner("al"),
            draft("done", Completed).owner("al"),
            draft("mine", Pending).owner("jo"),
            draft("free", Pending),
        ],
    );
    let theirs = ("theirs".to_owned(), "al".to_owned());
    let patch = TaskPatch::new;
    for attempt in [
        patch().subject("Other"),
        patch().owner("jo"),
        patch().status(Pending),
        patch().status(Completed),
        patch().status(Status::Deleted),
        patch().add_blocked_by(["mine"]),
    ] {
        let error = refused(&mut list, |list| {
            list.acting_as("jo").unwrap().update("theirs", attempt)
        });
        assert_eq!(owned_by(error), theirs);
    }
    let start = || patch().status(Running);
    let error = refused(&mut list, |list| {
        list.acting_as("jo").unwrap().update("mine", start())
    });
    assert_eq!(
        owned_by(error),
        theirs,
        "starting one's own would stop theirs"
    );
    let error = refused(&mut list, |list| {
        list.acting_as("jo").unwrap().create(draft("new", Running))
    });
    assert_eq!(owned_by(error), theirs);
    let block = patch().add_blocks(["theirs"]);
    let error = refused(&mut list, |list| {
        list.acting_as("jo").unwrap().update("mine", block)
    });
    assert_eq!(owned_by(error), theirs);
    let error = refused(&mut list, |list| {
        list.acting_as("jo")
            .unwrap()
            .write([draft("mine", Pending)])
    });
    assert_eq!(owned_by(error), theirs, "dropped by a write");
    let error = refused(&mut list, |list| {
        list.acting_as("jo")
            .unwrap()
            .write([draft("theirs", Pending), draft("mine", Pending)])
    });
    assert_eq!(owned_by(error), theirs, "stopped by a write");

    let mut acting = list.acting_as("jo").unwrap();
    acting.update("free", patch().subject("Anybody's")).unwrap();
    acting.delete("done").unwrap();
    acting.complete("mine").unwrap();
    acting
        .write([TaskDraft::default().id("theirs"), draft("new", Pending)])
        .unwrap();
    acting.restore("done").unwrap();
    assert_eq!(owner(&list, "theirs"), Some("al"));
    list.acting_as("al").unwrap().complete("theirs").unwrap();
    assert!(list.acting_as("").is_err(), "a blank name lifts nothing");
    list.delete("theirs").unwrap();
}

#[test]
fn whose_a_task_is_was_settled_before_the_call() {
    let mut owned = list(
        Policy::default(),
        [draft("a", Pending), draft("b", Pending)],
    );
    let give = TaskPatch::new().owner("al").add_blocked_by(["b"]);
    owned.acting_as("jo").unwrap().update("a", give).unwrap();

    let theirs = || draft("a", Pending).owner("al");
    let mut turned = list(Policy::default(), [theirs(), draft("b", Pending)]);
    let over = TaskPatch::new()
        .add_blocked_by(["b"])
        .remove_blocked_by(["b"]);
    assert!(
        turned
            .acting_as("jo")
            .unwrap()
            .update("a", over)
            .unwrap()
            .is_empty(),
        "nothing of theirs changes"
    );

    let mut empty = list(policy(|policy| policy.excess = Excess::Demote), []);
    let new = [draft("a", Running).owner("al"), draft("b", Running)];
    let changes = empty.acting_as("jo").unwrap().write(new).unwrap();
    assert_eq!(
        changes.effects.demoted[0].id, "a",
        "it was nobody's work that yields"
    );
}

#[test]
fn a_running_task_given_to_an_owner_who_has_one_yields() {
    let mut list = list(
        per_owner(),
        [
            draft("a", Running).owner("x"),
            draft("b", Running).owner("y"),
        ],
    );
    let changes = list.update("a", TaskPatch::new().owner("y")).unwrap();
    assert_eq!(changes.effects.demoted[0].id, "a");
    assert_eq!((status(&list, "a"), status(&list, "b")), (Pending, Running));
}

#[test]
fn violations_are_named() {
    let unlimited = policy(|policy| {
        policy.in_progress = InProgress::Unlimited;
        policy.dependencies = Dependencies::Advise;
    });
    let mut list = list(
        unlimited,
        [
            draft("a", Running).owner("x"),
            draft("b", Running).owner("x").blocked_by(["a"]),
            draft("c", Running),
        ],
    );
    assert!(list.violations().is_empty());
    list.set_policy(per_owner());
    let violations = list.violations();
    assert!(
        matches!(&violations[0], Violation::TooManyInProgress { ids, owner: Some(owner) }
        if *ids == ["a", "b"] && **owner == *"x")
    );
    assert!(
        matches!(&violations[1], Violation::StartedEarly { id, open_blockers }
        if *id == "b" && *open_blockers == ["a"])
    );
    assert_eq!(violations.len(), 2);
    let mut loaded = TaskList::from_json(&list.to_json()).unwrap();
    assert_eq!(
        loaded.violations().len(),
        2,
        "loaded lists have the default policy"
    );
    loaded
        .update("c", TaskPatch::new().subject("Edited"))
        .unwrap();
    assert_eq!(
        loaded.in_state(State::InProgress).count(),
        3,
        "a policy judges transitions only"
    );
}

fn call(tools: &Toolset, list: &mut TaskList, name: &str, args: Value) -> Reply {
    tools.call(list, name, &args)
}

#[test]
fn the_full_set_reads_and_shows_every_field() {
    let tools = Toolset::full();
    let mut list = TaskList::new();
    let reply = call(
        &tools,
        &mut list,
        "task_write",
        json!({"tasks": [
            {"id": "a", "content": "A", "status": "in_progress", "activeForm": "A-ing", "description": "first"},
            {"id": "b", "content": "B", "status": "pending", "blockedBy": ["a"], "owner": "jo"},
            {"id": "c", "content": "C", "status": "pending", "activation": {"filesModified": ["docs/**"]}},
        ]}),
    );
    assert_eq!(
        reply.data["tasks"],
        json!([
            {"id": "a", "content": "A", "status": "in_progress", "activeForm": "A-ing", "description": "first", "blocks": ["b"]},
            {"id": "b", "content": "B", "status": "pending", "activeForm": "B", "owner": "jo", "blockedBy": ["a"], "state": "blocked"},
            {"id": "c", "content": "C", "status": "pending", "activeForm": "C", "state": "dormant",
             "activation": {"filesModified": ["docs/**"]}},
        ])
    );
    assert!(reply.text.ends_with(
        "- a: A (in_progress)\n- b: B (pending) (blocked by a) (owner: jo)\n- c: C (pending) (dormant until docs/**)"
    ));
    let reply = call(&tools, &mut list, "task_check", json!({}));
    let summary = &reply.data["summary"];
    assert_eq!(
        (&summary["dormant"], &summary["blocked"], &summary["ready"]),
        (&json!(1), &json!(1), &json!(0))
    );
    assert_eq!(summary["canFinish"], false);

    let reply = call(
        &tools,
        &mut list,
        "task_update",
        json!({"id": "b", "clear": ["owner", "blockedBy"]}),
    );
    assert_eq!(
        reply.data["tasks"][1],
        json!({"id": "b", "content": "B", "status": "pending", "activeForm": "B"})
    );
    let reply = call(
        &tools,
        &mut list,
        "task_update",
        json!({"id": "b", "addBlockedBy": ["a"], "addBlocks": []}),
    );
    assert_eq!(reply.data["tasks"][1]["blockedBy"], json!(["a"]));
    let reply = call(
        &tools,
        &mut list,
        "task_update",
        json!({"id": "b", "removeBlockedBy": ["a"]}),
    );
    assert!(reply.data["tasks"][1].get("blockedBy").is_none());
    let reply = call(
        &tools,
        &mut list,
        "task_update",
        json!({"id": "b", "addBlocks": []}),
    );
    assert!(
        reply.is_error() && reply.text.contains("nothing to change"),
        "{}",
        reply.text
    );
    let reply = call(
        &tools,
        &mut list,
        "task_update",
        json!({"id": "b", "clear": ["colour"]}),
    );
    assert!(
        reply
            .text
            .contains("clear[0]: received \"colour\"; allowed: description, activeForm"),
        "{}",
        reply.text
    );
}

#[test]
fn mastras_set_has_only_its_four_tools() {
    let mut list = list(Policy::default(), [draft("a", Pending)]);
    let before = list.clone();
    for spec in Toolset::full().specs() {
        let mastra = Toolset::mastra();
        if mastra.specs().iter().all(|own| own.name != spec.name) {
            let reply = call(&mastra, &mut list, spec.name, json!({"id": "a"}));
            let names = "Tools: task_write, task_update, task_complete, task_check.";
            assert!(reply.is_error() && reply.text.ends_with(names));
            assert_eq!(list, before);
        }
    }
}

#[test]
fn the_full_set_has_tools_for_one_task() {
    let tools = Toolset::full();
    let mut list = TaskList::new();
    let args = json!({"content": "Fix", "description": "the login", "blocks": []});
    let reply = call(&tools, &mut list, "task_create", args);
    assert_eq!(reply.data["id"], "task_fix");
    assert!(
        reply
            .text
            .starts_with("Created task_fix\nTasks updated: [0/1 completed]")
    );
    let reply = call(&tools, &mut list, "task_get", json!({"id": "task_fix"}));
    assert_eq!(reply.data["id"], "task_fix");
    assert!(
        reply.text.starts_with("task_fix is ready\nthe login\n"),
        "{}",
        reply.text
    );
    let reply = call(&tools, &mut list, "task_list", json!({}));
    assert!(
        reply.text.starts_with("Tasks: [0/1 completed]\n"),
        "nothing was updated: {}",
        reply.text
    );
    let reply = call(
        &tools,
        &mut list,
        "task_create",
        json!({"id": "task_fix", "content": "Again"}),
    );
    assert!(
        reply.is_error() && reply.text.contains("is taken by the task \"Fix\""),
        "{}",
        reply.text
    );
    let reply = call(&tools, &mut list, "task_delete", json!({"id": "task_fix"}));
    assert!(reply.text.starts_with("Deleted task_fix") && list.is_empty());
    assert!(
        call(&tools, &mut list, "task_create", json!({}))
            .text
            .contains("content: missing")
    );
    for tool in tools.specs() {
        let reply = call(&tools, &mut list, tool.name, json!(7));
        assert!(
            reply.is_error() || tool.name == "task_check",
            "{}: {}",
            tool.name,
            reply.text
        );
        assert_eq!(reply.changes, Changes::default());
    }
}

#[test]
fn tools_act_for_who_they_are_given_to() {
    let tools = |name: &str| {
        Toolset::full()
            .with_policy(per_owner())
            .acting_as(name)
            .unwrap()
    };
    let mut list = TaskList::new();
    let tasks = json!({"tasks": [{"id": "a", "content": "A"}, {"id": "b", "content": "B"}]});
    call(&tools("jo"), &mut list, "task_write", tasks);
    let claim = |list: &mut TaskList, name: &str| call(&tools(name), list, "task_claim", json!({}));
    assert_eq!(claim(&mut list, "jo").data["claimed"], "a");
    let reply = claim(&mut list, "al");
    assert_eq!(reply.data["claimed"], "b");
    assert!(reply.text.starts_with("You have b\n"));
    let reply = claim(&mut list, "li");
    assert_eq!(reply.data["claimed"], Value::Null);
    assert!(reply.text.starts_with("There is no task to claim"));
    let reply = call(&tools("al"), &mut list, "task_complete", json!({"id": "a"}));
    assert!(
        reply.is_error() && reply.text.contains("Task a belongs to jo"),
        "{}",
        reply.text
    );
    let reply = call(
        &tools("al"),
        &mut list,
        "task_write",
        json!({"tasks": [{"id": "b"}]}),
    );
    assert!(
        reply.is_error() && reply.text.contains("Task a belongs to jo"),
        "{}",
        reply.text
    );
    let reply = call(
        &tools("al"),
        &mut list,
        "task_claim",
        json!({"owner": "jo"}),
    );
    assert!(
        reply.is_error() && reply.text.contains("you are \"al\""),
        "{}",
        reply.text
    );
    let again = json!({"owner": " al "});
    let reply = call(&tools("al"), &mut list, "task_claim", again);
    assert_eq!(reply.data["claimed"], "b", "who one is may be said");
    let reply = call(&tools("jo"), &mut list, "task_release", json!({}));
    assert_eq!(reply.data["released"], json!(["a"]));
    assert!(reply.text.starts_with("Released: a\n"), "{}", reply.text);
    let reply = call(&tools("jo"), &mut list, "task_release", json!({}));
    assert_eq!(reply.data["released"], json!([]));
    assert!(reply.text.starts_with("There is no task to release\n"));
    let anyone = Toolset::full().with_policy(per_owner());
    let reply = call(
        &anyone,
        &mut list,
        "task_claim",
        json!({"id": "a", "owner": "li"}),
    );
    assert_eq!(reply.data["claimed"], "a");
    assert!(
        call(&anyone, &mut list, "task_claim", json!({}))
            .text
            .contains("owner: missing")
    );
    let murmur = Toolset::murmur()
        .with_policy(per_owner())
        .acting_as("jo")
        .unwrap();
    let reply = murmur.call(
        &mut list,
        "task_update",
        json!({"task_id": "b", "status": "completed"}),
    );
    assert_eq!(reply.data["error"]["code"], "INVALID_ARGUMENT");
}

#[test]
fn stored_tools_claim_without_a_race() {
    let store = MemoryStore::new();
    let tools = |name: &str| {
        let full = Toolset::full().with_policy(per_owner());
        ListTools::new(store.clone(), ListKey::new("shared").unwrap(), full)
            .acting_as(name)
            .unwrap()
    };
    let tasks: Vec<Value> = (0..3)
        .map(|n| json!({"id": format!("t{n}"), "content": "T"}))
        .collect();
    block_on(tools("host").call("task_write", &json!({"tasks": tasks})));
    let claim = |name| block_on(tools(name).call("task_claim", &json!({}))).data["claimed"].clone();
    assert_eq!(
        [claim("a"), claim("b"), claim("c"), claim("d")],
        [json!("t0"), json!("t1"), json!("t2"), Value::Null]
    );
}

#[test]
fn descriptions_speak_of_the_policy() {
    for tools in [Toolset::mastra(), Toolset::murmur(), Toolset::full()] {
        let said = |policy| {
            let specs = tools.clone().with_policy(policy).specs();
            specs
                .into_iter()
                .map(|spec| spec.description)
                .collect::<String>()
        };
        let one = |text: &str| text.to_lowercase().contains("only one task can be");
        assert!(one(&said(Policy::default())));
        assert!(
            !one(&said(per_owner()))
                && said(per_owner())
                    .to_lowercase()
                    .contains("each owner can have one")
        );
        assert!(!one(&said(policy(
            |policy| policy.in_progress = InProgress::Unlimited
        ))));
    }
}

#[test]
fn a_write_names_fifty_tasks_that_it_leaves_out() {
    for tasks in [50, 51, 60] {
        let mut list = TaskList::new();
        list.write((0..tasks).map(|n| TaskDraft::new("T").id(format!("t{n}"))))
            .unwrap();
        let reply = call(
            &Toolset::full(),
            &mut list,
            "task_write",
            json!({"tasks": []}),
        );
        let (_, names) = reply
            .text
            .split_once("Removed, since this list does not have them: ")
            .unwrap();
        assert_eq!(names.matches(" \"T\"").count(), 50);
        assert!(names.starts_with("t0 \"T\", t1 "), "{names}");
        let last = match tasks {
            50 => "t49 \"T\". To keep".to_owned(),
            _ => format!("t49 \"T\", and {} more. To keep", tasks - 50),
        };
        assert!(names.contains(&last), "{names}");
    }
}

#[test]
fn notes_do_not_grow_with_a_mistake() {
    let tasks: Vec<Value> = (0..1000)
        .map(|_| json!({"id": 1, "content": "Same"}))
        .collect();
    let mut list = TaskList::new();
    let reply = call(
        &Toolset::full(),
        &mut list,
        "task_write",
        json!({"tasks": tasks}),
    );
    assert_eq!(list.len(), 1000);
    assert_eq!(reply.text.matches("Note: ").count(), 51);
    assert!(
        reply.text.ends_with("Note: 950 more notes were left out."),
        "{}",
        &reply.text[reply.text.len() - 100..]
    );
}

/// Bob's unfinished tasks, beside one that ann owns, one that nobody does and one that cy finished.
fn shared() -> TaskList {
    list(
        Policy::default(),
        [
            draft("ours", Pending),
            draft("anns", Pending).owner("ann"),
            draft("cys", Completed).owner("cy"),
            draft("bob-1", Pending).owner("bob").blocked_by(["cys"]),
            draft("bob-2", Pending)
                .owner("bob")
                .blocked_by(["anns", "ours"]),
        ],
    )
}

#[test]
fn a_dependency_of_anothers_task_goes_only_with_what_is_ones_own() {
    let mut list = shared();
    for refused in [
        list.acting_as("ann").unwrap().delete("cys"),
        list.acting_as("ann")
            .unwrap()
            .write(["ours", "anns", "bob-1", "bob-2"].map(|id| TaskDraft::default().id(id))),
    ] {
        assert!(matches!(refused, Err(Error::OwnedByOther { id, .. }) if id == "bob-1"));
    }
    let mut ann = list.acting_as("ann").unwrap();
    let changes = ann.delete("anns").unwrap();
    assert_eq!(changes.facts.edges_removed.len(), 1);
    let changes = ann.delete("ours").unwrap();
    assert_eq!(changes.effects.unblocked, ["bob-2"], "told as an effect");
    list.delete("cys").unwrap();
}

#[test]
fn taking_a_finished_blocker_back_does_not_hold_up_another() {
    let mut list = shared();
    list.complete("ours").unwrap();
    let mut ann = list.acting_as("ann").unwrap();
    ann.complete("anns").unwrap();
    for id in ["ours", "anns"] {
        let back = ann.update(id, TaskPatch::new().status(Pending));
        assert!(
            matches!(back, Err(Error::OwnedByOther { id, .. }) if id == "bob-2"),
            "{id}"
        );
    }
    list.acting_as("bob").unwrap().complete("bob-2").unwrap();
    let mut ann = list.acting_as("ann").unwrap();
    ann.update("anns", TaskPatch::new().status(Pending))
        .unwrap();
}

#[test]
fn a_write_leaves_the_order_of_anothers_tasks_among_themselves() {
    let mut list = list(
        Policy::default(),
        ["a", "bob-1", "b", "bob-2", "bob-3"].map(|id| {
            let draft = draft(id, Pending);
            if id.starts_with("bob") {
                draft.owner("bob")
            } else {
                draft
            }
        }),
    );
    let order = |list: &TaskList| {
        list.tasks()
            .map(|task| task.id.to_string())
            .collect::<Vec<_>>()
    };
    let items = |ids: [&str; 5]| ids.map(|id| TaskDraft::default().id(id));
    list.acting_as("ann")
        .unwrap()
        .write(items(["bob-3", "b", "bob-1", "a", "bob-2"]))
        .unwrap();
    assert_eq!(order(&list), ["bob-1", "b", "bob-2", "a", "bob-3"]);
    list.acting_as("bob")
        .unwrap()
        .write(items(["bob-3", "b", "bob-1", "a", "bob-2"]))
        .unwrap();
    assert_eq!(order(&list), ["bob-3", "b", "bob-1", "a", "bob-2"]);
}

#[test]
fn nothing_is_started_in_anothers_name() {
    let mut list = list(Policy::default(), [draft("a", Pending)]);
    let mut ann = list.acting_as("ann").unwrap();
    let ghost = |id: &str| draft(id, Running).owner("ghost");
    let patch = TaskPatch::new().owner("ghost").status(Running);
    for refused in [
        ann.create(ghost("new")).map(|created| created.changes),
        ann.write([ghost("a")]),
        ann.update("a", patch),
    ] {
        assert!(matches!(refused, Err(Error::StartedForOther { owner, .. }) if *owner == *"ghost"));
    }
    ann.create(draft("later", Pending).owner("ghost")).unwrap();
    ann.claim_task("a").unwrap();
}

#[test]
fn a_name_that_nobody_can_see_is_no_name() {
    let mut list = list(Policy::default(), [draft("a", Pending)]);
    for invisible in [
        "\u{200b}",
        "\u{feff}\u{200d}",
        "\u{2060} \u{ad}",
        "\u{3164}",
    ] {
        assert!(list.acting_as(invisible).is_err(), "{invisible:?}");
        assert!(list.claim(invisible).is_err());
        list.update("a", TaskPatch::new().owner(invisible)).unwrap();
        assert_eq!(owner(&list, "a"), None);
    }
    list.update("a", TaskPatch::new().owner("jo\u{200d}"))
        .unwrap();
    assert_eq!(
        owner(&list, "a"),
        Some("jo\u{200d}"),
        "what can be seen is kept as it is"
    );
}

#[test]
fn work_made_in_anothers_name_is_noted() {
    let mut list = list(Policy::default(), [draft("old", Pending)]);
    list.delete("old").unwrap();
    let mut ann = list.acting_as("ann").unwrap();
    let changes = ann
        .write([
            draft("new", Pending).owner("bob"),
            draft("old", Pending).owner("bob"),
            draft("own", Pending).owner("ann"),
        ])
        .unwrap();
    assert_eq!(changes.notes.for_others, ["new", "old"]);
    let created = list.create(draft("more", Pending).owner("bob")).unwrap();
    assert!(created.changes.notes.for_others.is_empty(), "nobody acts");
}

#[test]
fn n13_the_gate_of_one_is_its_own() {
    let policy = Policy::default().with_in_progress(InProgress::PerOwner);
    let mut list = list(
        policy,
        [
            draft("a", Pending).owner("al"),
            draft("j", Pending).owner("jo"),
            draft("after", Pending).blocked_by(["j"]),
        ],
    );
    list.claim("jo").unwrap();
    list.acting_as("al").unwrap().complete("a").unwrap();
    assert!(list.can_finish_for("al") && !list.can_finish());
    assert!(!list.can_finish_for("jo"));
    let open = |owner: &str| {
        list.open_tasks_of(owner)
            .map(|task| task.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(open("jo"), ["j"]);
    assert_eq!(
        open(""),
        ["j", "after"],
        "a name that is not known opens no gate"
    );
    assert_eq!(list.claim("al").unwrap().id, None);
    list.complete("j").unwrap();
    assert!(
        !list.can_finish_for("al"),
        "what is ready and nobody's is everybody's"
    );
}

#[test]
fn n13_the_tools_of_one_tell_its_own_gate() {
    let policy = Policy::default().with_in_progress(InProgress::PerOwner);
    let mut list = list(
        policy,
        [
            draft("a", Pending).owner("al"),
            draft("j", Pending).owner("jo").active_form("Doing j"),
            draft("after", Pending).blocked_by(["j"]),
        ],
    );
    list.claim("jo").unwrap();
    for tools in [Toolset::mastra(), Toolset::full()] {
        let al = tools.with_policy(policy).acting_as("al").unwrap();
        let mut list = list.clone();
        let check = al.call(&mut list, "task_check", "{}");
        assert!(check.text.contains("Continue working"), "{}", check.text);
        let reply = al.call(&mut list, "task_complete", r#"{"id": "a"}"#);
        assert!(!reply.text.contains("Currently"), "{}", reply.text);
        let check = al.call(&mut list, "task_check", "{}");
        assert_eq!(check.data["incompleteTasks"], serde_json::json!([]));
        let theirs = "Held by others, or waiting for other tasks (do not work on these now):\n- j: J (in_progress)";
        assert!(check.text.contains(theirs), "{}", check.text);
        assert!(
            check
                .text
                .ends_with("Nothing is left for you to do: you may stop.")
        );
        assert_ne!(check.data["summary"]["canFinish"], false);
        assert_eq!(
            check.data["summary"]["allCompleted"], false,
            "the counts are the list's"
        );
    }
    let jo = Toolset::full().acting_as("jo").unwrap();
    let check = jo.call(&mut list, "task_check", "{}");
    assert_eq!(check.data["summary"]["canFinish"], false);
    let list_of_all = jo.call(&mut list, "task_list", "{}");
    assert!(list_of_all.text.contains("Currently: Doing j (j)"));
}

#[test]
fn n13_so_do_the_loop_and_the_reminder() {
    let store = MemoryStore::new();
    let handle = |name: &str| {
        let tools = Toolset::full().acting_as(name).unwrap();
        let key = ListKey::new("k").unwrap();
        agent_tasklist::tools::TaskSignals::new(ListTools::new(store.clone(), key, tools))
    };
    let (mut jo, al) = (handle("jo"), handle("al"));
    block_on(jo.call("task_create", r#"{"content": "Work", "owner": "jo"}"#));
    let finished = |who: &agent_tasklist::tools::TaskSignals<MemoryStore>| {
        let finish = block_on(who.tools().can_finish()).unwrap();
        (finish, block_on(who.reminder(0, None)).unwrap().is_none())
    };
    assert_eq!(finished(&al), (true, true));
    assert_eq!(finished(&jo), (false, false));
    block_on(jo.call("task_complete", r#"{"id": "task_work"}"#));
    assert_eq!(finished(&jo), (true, true));
}

//! For the model and the people it works for: what went wrong in the task lists of other projects goes right here. Each
//! test is a public bug report as a small input with the right outcome. The number is that of the report; `tests/CASES.md`
//! says where it came from.

#[path = "support/refused.rs"]
mod refused;

use agent_tasklist::change::Demotion;
use agent_tasklist::error::Problem;
use agent_tasklist::tools::Toolset;
use agent_tasklist::{
    Activation, Error, Field, LoadError, State, Status, TaskDraft, TaskList, TaskPatch,
};
use refused::refused;
use serde_json::{Value, json};

use Status::{Completed, InProgress, Pending};

fn draft(id: &str, subject: &str, status: Status) -> TaskDraft {
    TaskDraft::new(subject).id(id).status(status)
}

fn list(drafts: impl IntoIterator<Item = TaskDraft>) -> TaskList {
    let mut list = TaskList::new();
    list.write(drafts).expect("a valid list");
    list
}

fn ids(list: &TaskList) -> Vec<&str> {
    list.tasks().map(|task| task.id.as_str()).collect()
}

fn subjects(list: &TaskList) -> Vec<&str> {
    list.tasks().map(|task| &*task.subject).collect()
}

fn ready(list: &TaskList) -> Vec<&str> {
    list.ready().map(|task| task.id.as_str()).collect()
}

fn blocked_by<'a>(list: &'a TaskList, id: &str) -> Vec<&'a str> {
    let tasks = list.blocked_by(id).expect("a live task");
    tasks.into_iter().map(|task| task.id.as_str()).collect()
}

fn set(status: Status) -> TaskPatch {
    TaskPatch::new().status(status)
}

fn call(list: &mut TaskList, tool: &str, args: Value) -> agent_tasklist::tools::Reply {
    Toolset::mastra().call(list, tool, &args)
}

#[test]
fn c01_ids_rebound_by_insertion_are_noted() {
    let mut list = list([
        draft("1", "Read spec", Completed),
        draft("2", "Write code", InProgress).description("of the parser"),
        draft("3", "Write docs", Pending),
    ]);
    let changes = list
        .write([
            draft("1", "Read spec", Completed),
            draft("2", "Write tests", Pending),
            draft("3", "Write code", InProgress),
            draft("4", "Write docs", Pending),
        ])
        .unwrap();
    let rebound: Vec<_> = (changes.notes.rebound.iter())
        .map(|note| (note.id.as_str(), note.previous.as_str()))
        .collect();
    assert_eq!(rebound, [("3", "2"), ("4", "3")]);
    assert_eq!(
        list.get("3").unwrap().description,
        None,
        "fields do not stick to other work"
    );
}

#[test]
fn c02_omitted_ids_keep_their_handles() {
    let mut list = list([TaskDraft::new("Build"), TaskDraft::new("Test")]);
    let before: Vec<String> = ids(&list).into_iter().map(str::to_owned).collect();
    list.write([
        TaskDraft::new("Build").status(Completed),
        TaskDraft::new("Test").status(InProgress),
    ])
    .unwrap();
    assert_eq!(ids(&list), before);
    list.update(&before[1], set(Completed)).unwrap();
}

#[test]
fn c03_a_case_flip_is_an_edit() {
    let mut list = list([TaskDraft::new("Auto-update check").status(InProgress)]);
    let changes = list
        .write([TaskDraft::new("Auto-Update  Check").status(InProgress)])
        .unwrap();
    assert_eq!(ids(&list), ["task_auto_update_check"]);
    assert_eq!(subjects(&list), ["Auto-Update  Check"]);
    assert!(changes.facts.removed.is_empty() && changes.facts.added.is_empty());
    assert_eq!(changes.facts.edited.len(), 1);
}

#[test]
fn c04_a_removal_does_not_hide_behind_a_position() {
    let mut list = list([TaskDraft::new("A"), TaskDraft::new("B")]);
    let changes = list.write([TaskDraft::new("B")]).unwrap();
    assert_eq!(ids(&list), ["task_b"]);
    assert_eq!(changes.facts.removed.len(), 1);
    assert_eq!(changes.facts.removed[0].id, "task_a");
}

#[test]
fn c06_duplicate_explicit_ids() {
    let mut list = TaskList::new();
    let changes = list
        .write([draft("1", "Scan", Pending), draft("1", "Fix", Pending)])
        .unwrap();
    assert_eq!(ids(&list), ["1", "task_fix"]);
    let note = &changes.notes.duplicate_ids[0];
    assert_eq!(
        (note.id.as_str(), note.generated.as_str()),
        ("1", "task_fix")
    );
}

#[test]
fn c08_replacing_every_task_is_a_change() {
    let mut list = list([TaskDraft::new("A").status(InProgress), TaskDraft::new("B")]);
    let changes = list
        .write([TaskDraft::new("C").status(InProgress), TaskDraft::new("D")])
        .unwrap();
    assert_eq!(changes.facts.added.len(), 2);
    assert_eq!(changes.facts.removed.len(), 2);
    assert!(changes.facts.edited.is_empty());
}

#[test]
fn c09_ids_of_a_cleared_list_are_not_used_again() {
    let mut list = TaskList::new();
    let old = list.create(TaskDraft::new("old")).unwrap().id;
    list.delete(&old).unwrap();
    let mut list = TaskList::from_json(&list.to_json()).unwrap();
    assert_ne!(list.create(TaskDraft::new("old")).unwrap().id, old);
}

#[test]
fn c10_ids_do_not_come_from_the_length() {
    let mut list = TaskList::new();
    let a = list.create(TaskDraft::new("x")).unwrap().id;
    let b = list.create(TaskDraft::new("x")).unwrap().id;
    list.delete(&a).unwrap();
    let c = list.create(TaskDraft::new("x")).unwrap().id;
    assert!(c != a && c != b);
    assert_eq!(ids(&list), [b.as_str(), c.as_str()]);
}

#[test]
fn c12_order_is_that_of_the_creates() {
    let mut list = TaskList::new();
    let names: Vec<String> = (1..=11).map(|n| format!("s{n}")).collect();
    for name in &names {
        list.create(TaskDraft::new(name)).unwrap();
    }
    let list = TaskList::from_json(&list.to_json()).unwrap();
    assert_eq!(subjects(&list), names);
}

#[test]
fn c13_unfinished_work_that_a_write_drops_is_named() {
    let mut list = list([
        TaskDraft::new("A").status(Completed),
        TaskDraft::new("B").status(InProgress),
        TaskDraft::new("C"),
    ]);
    let reply = call(
        &mut list,
        "task_write",
        json!({"tasks": [{"content": "B step 1", "status": "in_progress"}]}),
    );
    assert_eq!(reply.changes.notes.unfinished_removed, ["task_b", "task_c"]);
    assert!(
        reply
            .text
            .ends_with("Note: Removed, since this list does not have them: task_b \"B\", task_c \"C\". To keep them, send the full list.")
    );
}

#[test]
fn c15_no_tasks_is_not_an_empty_list() {
    let mut list = list([TaskDraft::new("A").status(InProgress)]);
    let reply = call(&mut list, "task_write", json!({}));
    assert!(
        reply.is_error() && reply.text.contains("tasks: missing"),
        "{}",
        reply.text
    );
    assert_eq!(subjects(&list), ["A"]);
    let reply = call(&mut list, "task_write", json!({"tasks": []}));
    assert!(
        reply
            .text
            .contains("Removed, since this list does not have them: task_a \"A\""),
        "{}",
        reply.text
    );
    let reply = call(&mut list, "task_write", json!({"tasks": []}));
    assert!(!reply.is_error() && reply.changes.is_empty());
}

#[test]
fn c16_an_identical_write_is_no_change() {
    let mut list = list([TaskDraft::new("A").status(InProgress)]);
    let json = list.to_json();
    let changes = list.write([draft("task_a", "A", InProgress)]).unwrap();
    assert!(changes.is_empty());
    assert_eq!(list.to_json(), json);
}

#[test]
fn c17_completing_twice_succeeds_without_change() {
    let mut list = TaskList::new();
    let id = list.create(TaskDraft::new("A")).unwrap().id;
    assert!(!list.complete(&id).unwrap().is_empty());
    assert!(list.complete(&id).unwrap().is_empty());
}

#[test]
fn c18_a_status_alone_keeps_the_text() {
    let mut list = list([
        draft("a", "A", Pending).description("long"),
        draft("b", "B", Pending),
    ]);
    list.update("a", set(Completed)).unwrap();
    let a = list.get("a").unwrap();
    assert_eq!(
        (&*a.subject, a.description.as_deref(), a.status),
        ("A", Some("long"), Completed)
    );
    assert_eq!(list.len(), 2);

    let reply = call(
        &mut list,
        "task_write",
        json!({"tasks": [{"id": "a", "status": "pending"}, {"id": "b"}]}),
    );
    assert!(!reply.is_error(), "{}", reply.text);
    let a = list.get("a").unwrap();
    assert_eq!(
        (&*a.subject, a.description.as_deref(), a.status),
        ("A", Some("long"), Pending)
    );
}

#[test]
fn c20_two_in_progress_are_refused_by_name() {
    let mut list = TaskList::new();
    let error = refused(&mut list, |list| {
        list.write([
            draft("a", "Fix A", InProgress),
            draft("b", "Investigate B", InProgress),
            draft("c", "Write C", Pending),
        ])
    });
    let Error::TooManyInProgress { ids, limit: 1, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn c25_one_bad_item_is_named_with_what_is_allowed() {
    let mut list = TaskList::new();
    let reply = call(
        &mut list,
        "task_write",
        json!({"tasks": [
            {"id": "1", "content": "A", "status": "completed"},
            {"id": "2", "content": "B", "status": "completed"},
            {"id": "3", "content": "C", "status": "failed"},
        ]}),
    );
    assert!(reply.is_error() && list.is_empty());
    assert!(
        reply.text.contains(
            "tasks[2].status: received \"failed\"; allowed: pending, in_progress, completed"
        ),
        "{}",
        reply.text
    );
}

#[test]
fn c26_a_task_may_be_completed_without_being_started() {
    let mut list = list([draft("a", "A", Pending)]);
    list.write([draft("a", "A", Completed)]).unwrap();
    assert!(list.can_finish());
}

#[test]
fn c28_self_dependency() {
    let mut list = list([draft("a", "A", Pending)]);
    for patch in [
        TaskPatch::new().add_blocked_by(["a"]),
        TaskPatch::new().blocks(["a"]),
    ] {
        let error = refused(&mut list, |list| list.update("a", patch));
        assert!(matches!(error, Error::SelfDependency { id } if id == "a"));
    }
    let error = refused(&mut list, |list| {
        list.write([draft("a", "A", Pending).blocks(["a"])])
    });
    assert!(matches!(error, Error::SelfDependency { .. }));
    let error = refused(&mut list, |list| {
        list.create(draft("b", "B", Pending).blocked_by(["b"]))
    });
    assert!(matches!(error, Error::SelfDependency { .. }));
}

fn cycle(error: Error) -> (Vec<String>, Vec<String>) {
    let Error::Cycle { path, completed } = error else {
        panic!("{error:?}");
    };
    let text = |ids: Vec<agent_tasklist::TaskId>| ids.iter().map(|id| id.to_string()).collect();
    (text(path), text(completed))
}

#[test]
fn c29_a_cycle_of_two() {
    let mut list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    let error = refused(&mut list, |list| {
        list.update("b", TaskPatch::new().add_blocks(["a"]))
    });
    assert!(error.to_string().contains("a → b → a"), "{error}");
    assert_eq!(cycle(error).0, ["a", "b", "a"]);
    assert_eq!(blocked_by(&list, "b"), ["a"]);
}

#[test]
fn c30_a_cycle_over_other_tasks() {
    let tasks = || {
        [
            draft("a", "A", Pending),
            draft("b", "B", Pending).blocked_by(["a"]),
            draft("c", "C", Pending).blocked_by(["b"]),
        ]
    };
    let mut list = list(tasks());
    let expected = ["a", "b", "c", "a"];
    let error = refused(&mut list, |list| {
        list.update("a", TaskPatch::new().add_blocked_by(["c"]))
    });
    assert_eq!(cycle(error).0, expected);
    let error = refused(&mut list, |list| {
        list.create(draft("d", "D", Pending).blocked_by(["c"]).blocks(["a"]))
    });
    assert_eq!(cycle(error).0, ["a", "b", "c", "d", "a"]);
    let error = refused(&mut list, |list| {
        let [a, b, c] = tasks();
        list.write([a.blocked_by(["c"]), b, c])
    });
    assert_eq!(cycle(error).0, expected);
    let stored = list.to_json().replacen(
        r#""subject":"A","status":"pending""#,
        r#""subject":"A","status":"pending","blocked_by":["c"]"#,
        1,
    );
    let Err(LoadError::Refused(error)) = TaskList::from_json(&stored) else {
        panic!("a stored cycle is refused");
    };
    assert_eq!(cycle(error).0, expected);
}

#[test]
fn c32_a_cycle_over_completed_work_says_so() {
    let mut list = list([
        draft("x", "X", Completed),
        draft("a", "A", Completed).blocked_by(["x"]),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    list.update("x", set(Pending)).unwrap();
    let error = refused(&mut list, |list| {
        list.update("x", TaskPatch::new().add_blocked_by(["b"]))
    });
    assert!(
        error.to_string().contains("x → a (completed) → b → x"),
        "{error}"
    );
    assert_eq!(
        cycle(error),
        (
            ["x", "a", "b", "x"].map(String::from).into(),
            vec!["a".into()]
        )
    );
}

#[test]
fn c34_an_edge_to_an_unknown_id() {
    let mut list = list([draft("a", "A", Pending)]);
    let nope = || TaskPatch::new().add_blocked_by(["nope"]);
    for patch in [
        nope(),
        TaskPatch::new().add_blocks(["nope"]),
        TaskPatch::new().blocked_by(["nope"]),
        TaskPatch::new().remove_blocks(["nope"]),
        nope().subject("B"),
    ] {
        let error = refused(&mut list, |list| list.update("a", patch));
        let Error::UnknownTask { id, known } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(
            (&**id, &known.ids[..], known.total),
            ("nope", &[list.get("a").unwrap().id.clone()][..], 1)
        );
        assert_eq!(error.to_string(), "Task not found: nope. Known ids: a.");
    }
    let error = refused(&mut list, |list| {
        list.write([draft("a", "A", Pending).blocked_by(["nope"])])
    });
    assert!(matches!(error, Error::UnknownTask { .. }));
}

#[test]
fn c35_integer_ids_are_text() {
    let mut list = TaskList::new();
    let reply = call(
        &mut list,
        "task_write",
        json!({"tasks": [{"id": 5, "content": "A", "status": "pending"}, {"id": "6", "content": "B"}]}),
    );
    assert!(
        reply
            .text
            .contains("tasks[0].id was a number; it was read as a string.")
    );
    assert_eq!(reply.data["tasks"][0]["id"], "5");
    assert_eq!(list.get("5").unwrap().subject, "A".into());
    assert!(!call(&mut list, "task_complete", json!({"id": 6})).is_error());
}

#[test]
fn c36_a_delete_strands_nobody() {
    let mut list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    let changes = list.delete("a").unwrap();
    assert!(blocked_by(&list, "b").is_empty());
    assert_eq!(ready(&list), ["b"]);
    assert_eq!(changes.effects.unblocked, ["b"]);
    assert_eq!(changes.facts.edges_removed.len(), 1);
}

#[test]
fn c37_a_deleted_blocker_does_not_block() {
    let mut list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    list.update("a", set(Status::Deleted)).unwrap();
    assert_eq!(ready(&list), ["b"]);
    assert_eq!(list.explain("b").unwrap().to_string(), "b is ready");
}

#[test]
fn c39_blocked_tasks_cannot_be_started_or_completed() {
    let mut list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    for status in [InProgress, Completed] {
        let error = refused(&mut list, |list| list.update("b", set(status)));
        let Error::OpenBlockers {
            id,
            status: asked,
            open_blockers,
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((id.as_str(), asked), ("b", status));
        assert_eq!(open_blockers, ["a"]);
        let error = refused(&mut list, |list| {
            list.write([
                draft("a", "A", Pending),
                draft("b", "B", status).blocked_by(["a"]),
            ])
        });
        assert!(matches!(error, Error::OpenBlockers { .. }));
        let error = refused(&mut list, |list| {
            list.create(draft("c", "C", status).blocked_by(["a"]))
        });
        assert!(matches!(error, Error::OpenBlockers { .. }));
    }
    list.write([
        draft("a", "A", Completed),
        draft("b", "B", Completed).blocked_by(["a"]),
    ])
    .unwrap();
}

#[test]
fn c40_completion_looks_at_dependencies() {
    let mut list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
        draft("c", "C", Pending).blocked_by(["b"]),
    ]);
    let error = refused(&mut list, |list| list.complete("b"));
    assert!(matches!(error, Error::OpenBlockers { .. }));
    assert_eq!(list.state("c"), Some(State::Blocked));
}

#[test]
fn c41_one_edge_seen_from_both_ends() {
    let mut list = list([draft("a", "A", Pending), draft("b", "B", Pending)]);
    list.update("b", TaskPatch::new().add_blocked_by(["a"]))
        .unwrap();
    let blocks = list.blocks("a").unwrap();
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].id, "b");
    assert_eq!(blocked_by(&list, "b"), ["a"]);
    for again in [
        TaskPatch::new().add_blocked_by(["a"]),
        TaskPatch::new().blocked_by(["a"]),
    ] {
        assert!(list.update("b", again).unwrap().is_empty());
    }
}

#[test]
fn a_write_keeps_no_edge_that_either_end_gives_up() {
    let list = list([
        draft("x", "X", Pending),
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    let kept = |drafts: &[&TaskDraft]| {
        let mut list = list.clone();
        let drafts = drafts.iter().copied().cloned();
        list.write(drafts).unwrap();
        blocked_by(&list, "b").len()
    };
    let (a, b) = (draft("a", "A", Pending), draft("b", "B", Pending));
    let gives = |draft: &TaskDraft, ids: &[&str]| draft.clone().blocks(ids);
    assert_eq!(kept(&[&a, &b]), 1);
    assert_eq!(kept(&[&gives(&a, &[]), &b]), 0);
    assert_eq!(kept(&[&gives(&a, &["b"]), &b]), 1);
    assert_eq!(
        kept(&[&a, &gives(&b, &[])]),
        1,
        "the edge is not one of these"
    );
    assert_eq!(kept(&[&a, &b.clone().blocked_by([""; 0])]), 0);
    let (a_for_x, b_for_x) = (draft("a", "X", Pending), draft("b", "X", Pending));
    assert_eq!(kept(&[&draft("a", "Else", Pending), &b]), 1, "a new name");
    assert_eq!(kept(&[&a_for_x, &b]), 0, "a is the id of other work now");
    assert_eq!(kept(&[&a, &b_for_x]), 0, "b is the id of other work now");
}

#[test]
fn c42_an_edge_can_be_removed() {
    let mut list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending)
            .blocked_by(["a"])
            .description("keep me"),
    ]);
    for patch in [
        TaskPatch::new().remove_blocked_by(["a"]),
        TaskPatch::new().blocked_by([""; 0]),
        TaskPatch::new().clear(Field::BlockedBy),
    ] {
        let mut list = list.clone();
        list.update("b", patch).unwrap();
        assert_eq!(ready(&list), ["a", "b"]);
    }
    let changes = list
        .update("a", TaskPatch::new().remove_blocks(["b"]))
        .unwrap();
    assert_eq!(changes.effects.unblocked, ["b"]);
    assert_eq!(
        list.get("b").unwrap().description.as_deref(),
        Some("keep me")
    );
}

#[test]
fn c43_blockers_follow_from_the_list() {
    let mut list = list([
        draft("a", "A", InProgress),
        draft("b", "B", Pending),
        draft("c", "C", Pending).blocked_by(["a", "b"]),
    ]);
    list.complete("a").unwrap();
    assert_eq!(list.explain("c").unwrap().open_blockers, ["b"]);
}

#[test]
fn c44_there_is_no_hierarchy_to_deadlock_with() {
    let mut list = TaskList::new();
    let reply = call(
        &mut list,
        "task_write",
        json!({"tasks": [
            {"id": "p", "content": "Epic", "status": "pending"},
            {"id": "c", "content": "Child", "status": "pending", "parent": "p"},
        ]}),
    );
    assert!(!reply.is_error());
    list.update("p", TaskPatch::new().add_blocked_by(["c"]))
        .unwrap();
    assert_eq!(ready(&list), ["c"]);
}

#[test]
fn c45_what_blocks_others_is_ready() {
    let list = list([
        draft("r", "Review", Pending),
        draft("m", "Merge", Pending).blocked_by(["r"]),
    ]);
    assert_eq!(ready(&list), ["r"]);
}

#[test]
fn c47_dependents_can_be_pointed_at_a_retry() {
    let mut list = list([
        draft("f1", "Fix v1", Pending),
        draft("q", "QA", Pending).blocked_by(["f1"]),
    ]);
    list.create(draft("f2", "Fix v2", Pending)).unwrap();
    list.update(
        "q",
        TaskPatch::new()
            .add_blocked_by(["f2"])
            .remove_blocked_by(["f1"]),
    )
    .unwrap();
    list.complete("f2").unwrap();
    assert_eq!(ready(&list), ["f1", "q"]);
}

#[test]
fn c54_a_torn_list_is_refused() {
    let list = list([
        draft("a", "A", Pending),
        draft("b", "B", Pending).blocked_by(["a"]),
    ]);
    let json = list.to_json();
    for end in 0..json.len() {
        assert!(matches!(
            TaskList::from_json(&json[..end]),
            Err(LoadError::Json { .. })
        ));
    }
    assert_eq!(TaskList::from_json(&json).unwrap(), list);
}

#[test]
fn c55_ids_are_safe_as_names() {
    let mut list = TaskList::new();
    for (id, problem) in [
        ("../../evil", Problem::Character('/')),
        ("a\0b", Problem::Character('\0')),
        ("..", Problem::Dots),
        ("a\u{2028}b", Problem::Character('\u{2028}')),
        ("a\u{202e}b", Problem::Character('\u{202e}')),
    ] {
        let error = refused(&mut list, |list| list.create(draft(id, "x", Pending)));
        assert!(
            matches!(&error, Error::Invalid { invalid, .. } if invalid.problem == problem),
            "{error}"
        );
        let error = refused(&mut list, |list| list.write([draft(id, "x", Pending)]));
        assert!(matches!(error, Error::Invalid { .. }));
    }
    let long = "i".repeat(129);
    let error = refused(&mut list, |list| list.create(draft(&long, "x", Pending)));
    assert!(error.to_string().contains("129 bytes"));
    let id = list.create(draft(" \t", "x", Pending)).unwrap().id;
    assert_eq!(id, "task_x", "a blank id is an omitted one");
}

#[test]
fn c62_tasks_as_a_json_string() {
    let mut list = TaskList::new();
    let args = json!({"tasks": r#"[{"content":"A","status":"pending"}]"#});
    let reply = call(&mut list, "task_write", args);
    assert!(reply.text.contains("Note: tasks was a JSON string"));
    assert_eq!(subjects(&list), ["A"]);
    let reply = call(&mut list, "task_write", json!({"tasks": "buy milk"}));
    assert!(reply.is_error() && reply.text.contains("received the text \"buy milk\""));
    assert_eq!(subjects(&list), ["A"]);
}

#[test]
fn c65_the_active_form_may_be_left_out() {
    let mut list = TaskList::new();
    let args = json!({"tasks": [{"content": "Run tests", "status": "in_progress"}]});
    let reply = call(&mut list, "task_write", args);
    assert!(reply.text.contains("Currently: Run tests (task_run_tests)"));
    assert_eq!(reply.data["tasks"][0]["activeForm"], "Run tests");
}

/// One task with a pattern, what is pushed, and its state after each push.
fn asleep_until(pattern: &str, pushes: &[(&[&str], State)]) {
    let mut list = TaskList::new();
    let activation = Activation::files_modified([pattern]).unwrap();
    list.create(draft("t", "T", Pending).activation(activation))
        .unwrap();
    assert_eq!(list.state("t"), Some(State::Dormant));
    for (paths, state) in pushes {
        list.files_modified(*paths).unwrap();
        assert_eq!(list.state("t"), Some(*state), "{pattern} after {paths:?}");
    }
}

#[test]
fn c66_one_star_does_not_cross_folders() {
    asleep_until(
        "src/*.rs",
        &[
            (&["src/a/b.rs"], State::Dormant),
            (&["src/b.rs"], State::Ready),
        ],
    );
}

#[test]
fn c67_two_stars_match_no_folder_too() {
    asleep_until("**/*_test.go", &[(&["x_test.go"], State::Ready)]);
}

#[test]
fn c69_a_malformed_pattern_is_refused_when_given() {
    let mut list = TaskList::new();
    let args = json!({"subject": "T", "activate_when": "files_modified", "pattern": "[ab"});
    let reply = Toolset::murmur().call(&mut list, "task_create", &args);
    assert!(reply.is_error() && reply.text.contains("Invalid pattern \"[ab\": unclosed"));
    assert!(list.is_empty());
}

#[test]
fn s01_a_dormant_task_does_not_hold_the_agent() {
    let tests = Activation::files_modified(["**/*_test.go"]).unwrap();
    let list = list([
        TaskDraft::new("A").status(Completed),
        TaskDraft::new("Run integration tests").activation(tests),
    ]);
    assert!(list.can_finish());
    assert!(ready(&list).is_empty());
}

#[test]
fn s02_once_awake_it_holds_the_agent() {
    let tests = Activation::files_modified(["**/*_test.go"]).unwrap();
    let mut list = list([draft("r", "Run integration tests", Pending).activation(tests)]);
    list.files_modified(["pkg/a_test.go"]).unwrap();
    assert!(!list.can_finish());
    list.complete("r").unwrap();
    assert!(list.can_finish());
}

#[test]
fn s03_the_empty_pattern_is_any_file() {
    asleep_until("", &[(&[], State::Dormant), (&["README"], State::Ready)]);
}

#[test]
fn s05_only_the_current_run_counts() {
    let rust = Activation::files_modified(["*.rs"]).unwrap();
    let mut list = list([draft("t", "T", Pending).activation(rust)]);
    list.begin_run("r1").unwrap();
    list.files_modified(["a.rs"]).unwrap();
    assert_eq!(list.state("t"), Some(State::Ready));
    let changes = list.begin_run("r2").unwrap();
    assert_eq!(changes.effects.fallen_asleep, ["t"]);
    assert_eq!(list.state("t"), Some(State::Dormant));
}

#[test]
fn s07_a_dormant_task_does_not_block() {
    let rust = Activation::files_modified(["*.rs"]).unwrap();
    let mut list = list([
        draft("l", "Lint", Pending).activation(rust),
        draft("s", "Ship", Pending).blocked_by(["l"]),
    ]);
    assert_eq!(ready(&list), ["s"]);
    list.files_modified(["a.rs"]).unwrap();
    assert_eq!(ready(&list), ["l"]);
}

#[test]
fn s06_both_ends_give_the_same_edge() {
    let mut list = list([draft("a", "A", Pending), draft("b", "B", Pending)]);
    list.update("a", TaskPatch::new().add_blocks(["b"]))
        .unwrap();
    assert!(
        list.update("b", TaskPatch::new().add_blocked_by(["a"]))
            .unwrap()
            .is_empty()
    );
    assert_eq!(blocked_by(&list, "b"), ["a"]);
}

#[test]
fn s09_a_generated_id_is_not_that_of_a_dropped_task() {
    let mut list = list([draft("task_alpha", "Old thing", Pending)]);
    let changes = list.write([TaskDraft::new("Alpha")]).unwrap();
    assert_eq!(ids(&list), ["task_alpha_2"]);
    assert_eq!(changes.facts.removed[0].id, "task_alpha");
}

#[test]
fn s10_ids_of_non_latin_text_follow_the_text() {
    let mut list = list([TaskDraft::new("编写测试"), TaskDraft::new("修复错误")]);
    assert_eq!(ids(&list), ["task_item", "task_item_2"]);
    list.write([TaskDraft::new("修复错误"), TaskDraft::new("编写测试")])
        .unwrap();
    assert_eq!(ids(&list), ["task_item_2", "task_item"]);
}

#[test]
fn starting_a_task_demotes_the_one_in_progress() {
    let mut list = list([draft("a", "A", InProgress), draft("b", "B", Pending)]);
    let reply = call(
        &mut list,
        "task_update",
        json!({"id": "b", "status": "in_progress"}),
    );
    assert!(
        reply
            .text
            .ends_with("\n\nNote: a went back to pending: b is in progress instead.")
    );
    let demoted = &reply.changes.effects.demoted[0];
    assert_eq!(demoted.id, "a");
    assert!(matches!(&demoted.cause, Demotion::Yielded { to } if *to == "b"));
}

#[test]
fn an_unknown_id_is_answered_with_fifty_known_ones() {
    for (tasks, last) in [
        (49, ""),
        (50, ""),
        (51, "- and 1 more"),
        (90, "- and 40 more"),
    ] {
        let mut list = list((0..tasks).map(|n| draft(&format!("t{n}"), "T", Pending)));
        let text = call(&mut list, "task_complete", json!({"id": "t90"})).text;
        assert!(
            text.starts_with("Task not found: t90\n\nAvailable task IDs:\n- t0: T"),
            "{text}"
        );
        assert_eq!(text.matches(": T").count(), tasks.min(50));
        assert!(text.ends_with(last), "{text}");
        assert_eq!(text.contains("more"), !last.is_empty());
    }
}

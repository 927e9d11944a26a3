//! For the framework author: no list, however deep, wide or long, overflows the stack of a thread or takes more than
//! linear time, what is kept of retired tasks is bounded, and odd text has a defined result.

#[path = "support/stack.rs"]
mod stack;

use agent_tasklist::policy::Limit;
use agent_tasklist::{Error, Limits, LoadError, Status, TaskDraft, TaskList, TaskPatch};
use stack::on_2_mib;
use std::time::{Duration, Instant};

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let made = run();
    let took = start.elapsed();
    println!("{what}: {took:?}");
    (made, took)
}

/// Half a second in release; a debug build gets more.
fn well_under_a_second(took: Duration) {
    let most = if cfg!(debug_assertions) { 8000 } else { 500 };
    assert!(took < Duration::from_millis(most), "{took:?}");
}

/// n0 ← n1 ← n2 …, given in reverse order so that every edge points backward.
fn chain(tasks: usize) -> Vec<TaskDraft> {
    (0..tasks)
        .rev()
        .map(|n| {
            let draft = TaskDraft::new(format!("Step {n}")).id(format!("n{n}"));
            if n == 0 {
                draft
            } else {
                draft.blocked_by([format!("n{}", n - 1)])
            }
        })
        .collect()
}

#[test]
fn a_chain_of_100_000_needs_no_deep_stack() {
    on_2_mib(|| {
        let mut list = TaskList::new();
        let (_, took) = timed("write a backward chain of 100,000", || {
            list.write(chain(100_000))
        });
        well_under_a_second(took / 4);
        let (error, took) = timed("refuse a cycle of 100,000", || {
            list.update("n0", TaskPatch::new().add_blocked_by(["n99999"]))
                .unwrap_err()
        });
        well_under_a_second(took);
        assert!(matches!(&error, Error::Cycle { path, .. } if path.len() == 100_001));
        assert!(error.to_string().len() < 1000);

        let mut drafts = chain(100_000);
        let first = drafts.pop().unwrap();
        drafts.push(first.blocked_by(["n99999"]));
        let (error, took) = timed("refuse it in a write", || list.write(drafts).unwrap_err());
        well_under_a_second(took / 4);
        assert!(matches!(error, Error::Cycle { path, .. } if path.len() == 100_001));

        let stored = list.to_json();
        let closed = stored.replacen(
            r#""id":"n0","subject":"Step 0","status":"pending""#,
            r#""id":"n0","subject":"Step 0","status":"pending","blocked_by":["n99999"]"#,
            1,
        );
        assert!(matches!(
            TaskList::from_json(&closed),
            Err(LoadError::Refused(Error::Cycle { .. }))
        ));
        let (loaded, repairs) = TaskList::from_json_lenient(&closed).unwrap();
        assert_eq!((loaded.len(), repairs.len()), (100_000, 1));

        let json = list.to_json();
        let (loaded, took) = timed("load it", || TaskList::from_json(&json).unwrap());
        well_under_a_second(took / 4);
        assert_eq!(loaded, list);
        assert_eq!(list.ready().count(), 1);
        list.complete("n0").unwrap();
        list.delete("n1").unwrap();
        assert_eq!(list.ready().next().unwrap().id, "n2");
        list.write([]).unwrap();
        assert!(list.can_finish());
    });
}

#[test]
fn a_hub_of_50_000_edges_is_torn_down_in_linear_time() {
    let wide = |hub_blocks: bool| {
        let leaves = 0..50_000;
        let mut list = TaskList::new();
        let leaf = |n| format!("leaf{n}");
        let hub = TaskDraft::new("Hub").id("hub");
        let hub = match hub_blocks {
            true => hub.blocks(leaves.clone().map(leaf)),
            false => hub.blocked_by(leaves.clone().map(leaf)),
        };
        let leaves = leaves.map(|n| TaskDraft::new("Leaf").id(leaf(n)));
        let drafts: Vec<_> = std::iter::once(hub).chain(leaves).collect();
        let (_, took) = timed("write a hub", || list.write(drafts).unwrap());
        well_under_a_second(took / 2);
        list
    };
    for hub_blocks in [true, false] {
        let list = wide(hub_blocks);
        let mut deleted = list.clone();
        let (changes, took) = timed("delete the hub", || deleted.delete("hub").unwrap());
        well_under_a_second(took);
        assert_eq!(changes.facts.edges_removed.len(), 50_000);
        assert_eq!(
            changes.effects.unblocked.len(),
            if hub_blocks { 50_000 } else { 0 }
        );
        assert_eq!(deleted.ready().count(), 50_000);

        let mut cleared = list.clone();
        let (changes, took) = timed("write []", || cleared.write([]).unwrap());
        well_under_a_second(took);
        assert_eq!(changes.facts.edges_removed.len(), 50_000);

        let mut updated = list.clone();
        let patch = match hub_blocks {
            true => TaskPatch::new().blocks([""; 0]),
            false => TaskPatch::new().blocked_by([""; 0]),
        };
        let (_, took) = timed("clear its edges", || updated.update("hub", patch).unwrap());
        well_under_a_second(took);
        assert_eq!(updated.ready().count(), 50_001);
    }
}

#[test]
fn retired_tasks_are_bounded() {
    let mut list = TaskList::new();
    list.write((0..1000).map(|n| TaskDraft::new(format!("Task {n}"))))
        .unwrap();
    list.write([]).unwrap();
    let ids: Vec<_> = list
        .retired()
        .map(|retired| retired.task.id.to_string())
        .collect();
    assert_eq!(ids.len(), 200);
    assert_eq!((&*ids[0], &*ids[199]), ("task_task_0", "task_task_199"));
    assert_eq!(TaskList::from_json(&list.to_json()).unwrap(), list);

    list.set_policy(
        list.policy()
            .with_limits(Limits::default().with(Limit::Retired, 2)),
    );
    assert_eq!(list.retired().count(), 200, "a limit judges transitions");
    for subject in ["a", "b"] {
        let id = list.create(TaskDraft::new(subject)).unwrap().id;
        list.delete(&id).unwrap();
    }
    let ids: Vec<_> = list
        .retired()
        .map(|retired| retired.task.id.to_string())
        .collect();
    assert_eq!(ids, ["task_b", "task_a"]);
    assert_eq!(
        list.create(TaskDraft::new("Task 0")).unwrap().id,
        "task_task_0",
        "forgotten, so free"
    );
    assert_eq!(
        Limits::default()
            .with(Limit::Retired, 1000)
            .get(Limit::Retired),
        200,
        "never raised"
    );
}

#[test]
fn odd_text_has_defined_results() {
    let mut list = TaskList::new();
    list.write([]).unwrap();
    assert_eq!(list.to_json(), r#"{"version":1,"tasks":[]}"#);
    for subject in [
        "a\u{0}b",
        "a\u{2028}b",
        "\u{202e}abc",
        "e\u{301}\u{301}",
        "\u{feff}",
        "👩‍👩‍👧",
        "שלום",
    ] {
        let id = list.create(TaskDraft::new(subject)).unwrap().id;
        assert_eq!(
            &*list.get(&id).unwrap().subject,
            subject,
            "text is kept untouched"
        );
    }
    for blank in ["", " ", "\t\n", "\u{3000}", "\u{2028}"] {
        let error = list.create(TaskDraft::new(blank)).unwrap_err();
        assert_eq!(error, Error::MissingSubject { item: 0 });
        let error = list
            .write([TaskDraft::new("x"), TaskDraft::new(blank)])
            .unwrap_err();
        assert_eq!(error, Error::MissingSubject { item: 1 });
    }
    let error = list
        .create(TaskDraft::new("x").status(Status::Deleted))
        .unwrap_err();
    assert!(matches!(
        error,
        Error::StatusNotAllowed {
            item: 0,
            status: Status::Deleted
        }
    ));
    assert_eq!(TaskList::from_json(&list.to_json()).unwrap(), list);
}

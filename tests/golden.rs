//! For the operator: a list stored by any release loads in every later one, and means what it meant.
//!
//! The files are never changed. A new version of the stored form gets files of its own beside these;
//! `AGENT_TASKLIST_WRITE_GOLDEN=1 cargo test --test golden` writes those that are not there yet.

use agent_tasklist::policy::Limit;
use agent_tasklist::{Activation, Limits, State, Status, TaskDraft, TaskList, TaskPatch};
use serde_json::json;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    PathBuf::from(folder).join(format!("{name}.json"))
}

/// The lists that version 1 was written from.
fn version_1() -> Vec<(&'static str, TaskList)> {
    let until = |pattern: &str| Activation::files_modified([pattern]).unwrap();
    let empty = TaskList::new();

    let mut plain = TaskList::new();
    plain
        .write([
            TaskDraft::new("Fix the bug")
                .active_form("Fixing the bug")
                .status(Status::InProgress),
            TaskDraft::new("Run the tests").id("tests"),
            TaskDraft::new("Read the report").status(Status::Completed),
        ])
        .unwrap();

    let mut whole = TaskList::new();
    whole.begin_run("run-7").unwrap();
    whole
        .files_modified(["docs/index.md", "src/ünïcode \"quoted\".rs"])
        .unwrap();
    let metadata = json!({"pr": 12, "score": 0.1, "tags": ["a", null, {"deep": [true]}]});
    let metadata = metadata.as_object().unwrap().clone();
    whole
        .write([
            TaskDraft::new("Zeile 1\nZeile 2 🏳️‍🌈").id("ünï çode"),
            TaskDraft::new("Build")
                .id("build")
                .description("with care")
                .owner("jo")
                .metadata(metadata),
            TaskDraft::new("Ship")
                .id("ship")
                .blocked_by(["build", "ünï çode"]),
            TaskDraft::new("Write docs")
                .id("docs")
                .activation(until("docs/**")),
            TaskDraft::new("Sleep")
                .id("sleep")
                .activation(until("*.py"))
                .blocked_by(["ship"]),
            TaskDraft::new("Drop me"),
            TaskDraft::new("Delete me")
                .id("deleted")
                .status(Status::Completed),
        ])
        .unwrap();
    whole
        .update("docs", TaskPatch::new().status(Status::InProgress))
        .unwrap();
    whole
        .update("docs", TaskPatch::new().status(Status::Pending))
        .unwrap();
    whole.delete("deleted").unwrap();
    whole.write(whole.drafts().into_iter().take(5)).unwrap();

    let mut overrun = TaskList::new();
    overrun.set_policy(
        overrun
            .policy()
            .with_limits(Limits::default().with(Limit::Evidence, 1)),
    );
    overrun
        .create(TaskDraft::new("Docs").activation(until("docs/**")))
        .unwrap();
    overrun.files_modified(["a", "b"]).unwrap();
    vec![
        ("v1-empty", empty),
        ("v1-plain", plain),
        ("v1-whole", whole),
        ("v1-overrun", overrun),
    ]
}

#[test]
fn lists_of_every_release_load() {
    for (name, made) in version_1() {
        let path = path(name);
        if std::env::var_os("AGENT_TASKLIST_WRITE_GOLDEN").is_some() && !path.exists() {
            std::fs::write(&path, made.to_json() + "\n").unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap();
        let list = TaskList::from_json(stored.trim_end()).unwrap();
        assert_eq!(list, made, "{name}");
        assert_eq!(
            list.retired().collect::<Vec<_>>(),
            made.retired().collect::<Vec<_>>(),
            "{name}"
        );
        let (lenient, repairs) = TaskList::from_json_lenient(stored.trim_end()).unwrap();
        assert_eq!((lenient, repairs.len()), (list, 0), "{name}");
    }
}

/// What a stored list means stays what it was, not only that it loads.
#[test]
fn lists_of_every_release_mean_what_they_meant() {
    let load = |name| {
        let stored = std::fs::read_to_string(path(name)).unwrap();
        TaskList::from_json(stored.trim_end()).unwrap()
    };
    let whole = load("v1-whole");
    let states: Vec<(&str, State)> = whole
        .tasks()
        .map(|task| (task.id.as_str(), whole.state(&task.id).unwrap()))
        .collect();
    assert_eq!(
        states,
        [
            ("ünï çode", State::Ready),
            ("build", State::Ready),
            ("ship", State::Blocked),
            ("docs", State::Ready),
            ("sleep", State::Dormant),
        ]
    );
    assert_eq!(whole.run(), Some("run-7"));
    assert_eq!(
        whole.get("build").unwrap().metadata.as_ref().unwrap()["score"],
        json!(0.1)
    );
    let retired: Vec<(&str, bool)> = whole
        .retired()
        .map(|retired| (retired.task.id.as_str(), retired.deleted))
        .collect();
    assert_eq!(retired, [("task_drop_me", false), ("deleted", true)]);
    assert!(!whole.can_finish());
    assert_eq!(
        load("v1-overrun").state("task_docs"),
        Some(State::Ready),
        "evidence was lost"
    );
    assert_eq!(
        load("v1-plain")
            .in_state(State::InProgress)
            .next()
            .unwrap()
            .id,
        "task_fix_the_bug"
    );
}

/// Today's form is written as it always was.
#[test]
fn today_writes_version_1() {
    for (name, made) in version_1() {
        let stored: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path(name)).unwrap()).unwrap();
        let now: serde_json::Value = serde_json::from_str(&made.to_json()).unwrap();
        assert_eq!(now, stored, "{name}");
    }
}

//! For the model and the operator: what comes back under an old id is new work. Nobody said of it that it is done, whose it
//! is or what it sleeps until; and what was done before it left the list is waited for no longer.

use agent_tasklist::tools::Toolset;
use agent_tasklist::{Activation, Error, State, Status, TaskDraft, TaskList, TaskPatch};
use serde_json::json;

fn done(subject: &str) -> TaskDraft {
    TaskDraft::new(subject).status(Status::Completed)
}

/// A list whose finished plan was cleared away.
fn after_a_plan() -> TaskList {
    let mut list = TaskList::new();
    list.write([done("Fix login"), done("Run the tests")])
        .unwrap();
    list.write([]).unwrap();
    list
}

fn status(list: &TaskList, id: &str) -> Status {
    list.get(id).unwrap().status
}

#[test]
fn n07_a_new_plan_does_not_start_out_done() {
    let mut list = after_a_plan();
    let changes = list
        .write(["Fix the header", "Run the tests"].map(TaskDraft::new))
        .unwrap();
    assert_eq!(status(&list, "task_run_the_tests"), Status::Pending);
    assert!(!list.get("task_run_the_tests").unwrap().started);
    assert_eq!(changes.facts.revived[0].id, "task_run_the_tests");
    assert!(!list.can_finish());
}

#[test]
fn n07_by_its_id() {
    let mut list = after_a_plan();
    list.write([TaskDraft::new("run the  Tests").id("task_run_the_tests")])
        .unwrap();
    assert_eq!(status(&list, "task_run_the_tests"), Status::Pending);
}

#[test]
fn n07_unless_the_item_says_so() {
    let mut list = after_a_plan();
    list.write([done("Run the tests")]).unwrap();
    assert_eq!(status(&list, "task_run_the_tests"), Status::Completed);
}

#[test]
fn n07_through_the_tools_with_a_note() {
    for tools in [Toolset::mastra(), Toolset::full()] {
        let mut list = after_a_plan();
        let reply = tools.call(&mut list, "task_write", r#"{"tasks": ["Run the tests"]}"#);
        assert!(reply.text.contains("Task Run") || reply.text.contains("task_run_the_tests"));
        assert!(
            reply
                .text
                .contains("Note: task_run_the_tests is new work under the id of an earlier task"),
            "{}",
            reply.text
        );
        assert!(!list.can_finish());
    }
}

/// A deleted task of jo's that slept.
fn deleted_of_jo() -> TaskList {
    let mut list = TaskList::new();
    let deploy = TaskDraft::new("Deploy")
        .description("to production")
        .active_form("Deploying")
        .owner("jo")
        .activation(Activation::files_modified(["dist/**"]).unwrap());
    list.create(deploy).unwrap();
    list.delete("task_deploy").unwrap();
    list
}

#[test]
fn n08_what_comes_back_is_nobodys_and_awake() {
    let mut list = deleted_of_jo();
    list.acting_as("al")
        .unwrap()
        .write([TaskDraft::new("Deploy")])
        .unwrap();
    let task = list.get("task_deploy").unwrap();
    assert_eq!((&task.owner, &task.activation), (&None, &None));
    assert_eq!(task.description.as_deref(), Some("to production"));
    assert_eq!(task.active_form.as_deref(), Some("Deploying"));
    assert_eq!(list.state("task_deploy"), Some(State::Ready));
    let mut al = list.acting_as("al").unwrap();
    al.update("task_deploy", TaskPatch::new().status(Status::InProgress))
        .unwrap();
}

#[test]
fn n08_with_an_owner_of_its_own() {
    let mut list = deleted_of_jo();
    list.write([TaskDraft::new("Deploy").owner("al")]).unwrap();
    assert_eq!(
        list.get("task_deploy").unwrap().owner.as_deref(),
        Some("al")
    );
}

#[test]
fn n08_with_a_condition_of_its_own() {
    let mut list = deleted_of_jo();
    let until = Activation::files_modified(["src/**"]).unwrap();
    list.write([TaskDraft::new("Deploy").activation(until.clone())])
        .unwrap();
    assert_eq!(
        list.get("task_deploy").unwrap().activation.as_deref(),
        Some(&until)
    );
    assert_eq!(list.state("task_deploy"), Some(State::Dormant));
}

#[test]
fn n08_restore_brings_back_what_it_was() {
    let mut list = deleted_of_jo();
    list.restore("task_deploy").unwrap();
    assert_eq!(
        list.get("task_deploy").unwrap().owner.as_deref(),
        Some("jo")
    );
    assert_eq!(list.state("task_deploy"), Some(State::Dormant));
}

/// Build was completed and is gone.
fn build_is_gone() -> TaskList {
    let mut list = TaskList::new();
    list.write([
        done("Build").id("build"),
        TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
    ])
    .unwrap();
    list
}

#[test]
fn n09_what_is_done_and_gone_is_waited_for_no_longer() {
    let mut list = build_is_gone();
    let ship = TaskDraft::new("Ship")
        .id("ship")
        .blocked_by(["build"])
        .status(Status::InProgress);
    let changes = list.write([ship]).unwrap();
    let met = &changes.notes.already_met[0];
    assert_eq!(
        (&*met.blocked.to_string(), &*met.blocker.to_string()),
        ("ship", "build")
    );
    assert_eq!(list.state("ship"), Some(State::InProgress));
    assert!(list.blocked_by("ship").unwrap().is_empty());
}

#[test]
fn n09_in_a_create_and_an_update() {
    let mut list = build_is_gone();
    list.write([TaskDraft::new("Ship").id("ship")]).unwrap();
    let created = list
        .create(TaskDraft::new("Announce").blocked_by(["build", "ship"]))
        .unwrap();
    assert_eq!(created.changes.notes.already_met.len(), 1);
    assert_eq!(list.blocked_by(&created.id).unwrap()[0].id, "ship");
    let changes = list
        .update("ship", TaskPatch::new().add_blocked_by(["build"]))
        .unwrap();
    assert!(changes.is_empty() && changes.notes.already_met.len() == 1);
}

#[test]
fn n09_through_the_tools() {
    let mut list = build_is_gone();
    let full = Toolset::full();
    let args = json!({"tasks": [{"id": "ship", "content": "Ship", "blockedBy": ["build"], "status": "in_progress"}]});
    let reply = full.call(&mut list, "task_write", &args);
    assert!(!reply.is_error(), "{}", reply.text);
    let reply = full.call(
        &mut list,
        "task_create",
        r#"{"content": "Announce", "blockedBy": ["build"]}"#,
    );
    assert!(!reply.is_error());
    let note =
        "Note: task_announce does not wait for build, which was completed before it left the list.";
    assert!(reply.text.contains(note), "{}", reply.text);
    let reply = Toolset::murmur().call(
        &mut list,
        "task_update",
        r#"{"task_id": "ship", "add_blocked_by": ["build"]}"#,
    );
    assert!(!reply.is_error(), "{}", reply.text);
}

#[test]
fn n09_what_left_undone_is_refused_by_name() {
    let mut list = TaskList::new();
    list.write([TaskDraft::new("Build").id("build")]).unwrap();
    list.write([]).unwrap();
    let before = list.clone();
    let refused = list
        .create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))
        .unwrap_err();
    assert!(
        matches!(&refused, Error::RetiredBlocker { task, blocker, subject }
        if *task == "ship" && *blocker == "build" && **subject == *"Build")
    );
    assert!(
        refused
            .to_string()
            .contains("removed from the list before it was completed")
    );
    assert!(
        list.write([TaskDraft::new("Ship").blocked_by(["build"])])
            .is_err()
    );
    assert_eq!(list, before);
    // Unless the same write brings it back.
    list.write([
        TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
        TaskDraft::new("Build").id("build"),
    ])
    .unwrap();
    assert_eq!(list.state("ship"), Some(State::Blocked));
}

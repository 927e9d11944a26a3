//! For the model, and whoever pays for its tokens: a short reply tells what the call changed and all that followed from it,
//! shows what was asked for, and has the whole list where the model must know it.

use agent_tasklist::store::{ListKey, MemoryStore, block_on};
use agent_tasklist::tools::{Detail, ListTools, Toolset};
use agent_tasklist::{TaskDraft, TaskList};
use serde_json::{Value, json};

fn list_of(count: usize) -> TaskList {
    let mut list = TaskList::new();
    let draft = |n| {
        TaskDraft::new(format!("Do the thing number {n} well"))
            .id(format!("task-{n}"))
            .active_form(format!("Doing the thing number {n} well"))
    };
    list.write((0..count).map(draft)).unwrap();
    list
}

fn short() -> Toolset {
    Toolset::full().with_detail(Detail::Changed)
}

fn ids(tasks: &Value) -> Vec<&str> {
    let tasks = tasks.as_array().unwrap().iter();
    tasks.map(|task| task["id"].as_str().unwrap()).collect()
}

#[test]
fn sizes_are_as_documented() {
    for (count, full, changed) in [(10, 1_756, 368), (100, 17_237, 372), (1_000, 176_538, 376)] {
        let size = |detail| {
            let tools = Toolset::mastra().with_detail(detail);
            let args = json!({"id": "task-3"});
            let reply = tools.call(&mut list_of(count), "task_complete", &args);
            reply.data.to_string().len()
        };
        assert_eq!((size(Detail::Full), size(Detail::Changed)), (full, changed));
    }
}

#[test]
fn a_change_is_told_with_what_followed() {
    let mut list = TaskList::new();
    let tools = short();
    let reply = tools.call(
        &mut list,
        "task_write",
        json!({"tasks": [
            {"content": "Build", "status": "in_progress", "activeForm": "Building"},
            {"content": "Ship", "status": "pending", "blockedBy": ["task_build"]},
            {"content": "Old", "status": "pending"},
        ]}),
    );
    assert_eq!(
        reply.text,
        "Tasks updated: [0/3 completed]\nCurrently: Building (task_build)\nChanged:\n\
         - task_build: Build (in_progress)\n- task_ship: Ship (pending) (blocked by task_build)\n\
         - task_old: Old (pending)"
    );
    assert_eq!(reply.data["summary"]["total"], 3);

    let reply = tools.call(
        &mut list,
        "task_write",
        json!({"tasks": [
            {"content": "Ship", "status": "pending", "blockedBy": []},
            {"content": "Build", "status": "in_progress"},
        ]}),
    );
    assert_eq!(
        reply.text,
        "Tasks updated: [0/2 completed]\nCurrently: Building (task_build)\nChanged:\n\
         - task_ship: Ship (pending)\n- task_build: Build (in_progress)\nRemoved: task_old\n\
         The order changed.\nNow ready: task_ship\n\nNote: Removed, since this list does not have them: task_old \"Old\". \
         To keep them, send them too, or add single tasks with task_create or with merge: true."
    );
    assert_eq!(ids(&reply.data["tasks"]), ["task_ship", "task_build"]);
    assert_eq!(reply.data["removed"], json!(["task_old"]));

    let reply = tools.call(&mut list, "task_complete", json!({"id": "task_build"}));
    assert_eq!(ids(&reply.data["tasks"]), ["task_build"]);
    let again = tools.call(&mut list, "task_complete", json!({"id": "task_build"}));
    assert_eq!(again.text, "Tasks updated: [1/2 completed]");
    assert_eq!(again.data["tasks"], json!([]));
}

#[test]
fn what_was_asked_for_is_shown() {
    let mut list = list_of(5);
    let tools = short().acting_as("jo").unwrap();
    let all = tools.call(&mut list, "task_list", json!({}));
    assert_eq!(all.data["tasks"].as_array().unwrap().len(), 5);
    let one = tools.call(&mut list, "task_get", json!({"id": "task-2"}));
    assert_eq!(ids(&one.data["tasks"]), ["task-2"]);
    assert!(
        one.text
            .contains("Task IDs:\n- task-2: Do the thing number 2 well (pending)")
    );
    let check = tools.call(&mut list, "task_check", json!({}));
    assert_eq!(check.data["tasks"], json!([]));
    assert_eq!(check.data["incompleteTasks"].as_array().unwrap().len(), 5);
    let claimed = tools.call(&mut list, "task_claim", json!({}));
    let again = tools.call(&mut list, "task_claim", json!({}));
    assert_eq!(claimed.data["tasks"], again.data["tasks"]);
    assert_eq!(ids(&again.data["tasks"]), ["task-0"]);
    let unknown = tools.call(&mut list, "task_get", json!({"id": "task-9"}));
    assert!(unknown.is_error() && unknown.text.contains("- task-4: Do"));
    assert_eq!(unknown.data["tasks"], json!([]));
}

#[test]
fn a_late_write_gets_the_list_and_every_reply_its_revision() {
    let tools = ListTools::new(MemoryStore::new(), ListKey::new("k").unwrap(), short());
    let call = |name, args| block_on(tools.call(name, &args));
    let tasks =
        json!([{"content": "A", "status": "pending"}, {"content": "B", "status": "pending"}]);
    assert_eq!(
        call("task_write", json!({"tasks": tasks})).data["revision"],
        1
    );
    let done = call("task_complete", json!({"id": "task_a"}));
    assert_eq!(done.data["revision"], 2);
    assert_eq!(ids(&done.data["tasks"]), ["task_a"]);
    let late = call("task_write", json!({"tasks": [], "baseRevision": 1}));
    assert_eq!(ids(&late.data["tasks"]), ["task_a", "task_b"]);
}

#[test]
fn a_reply_is_its_value_however_it_is_read() {
    let mut list = TaskList::new();
    let tools = Toolset::mastra();
    let write = json!({"tasks": [{"content": "A", "status": "pending", "activeForm": "A"}]});
    let written = tools.call(&mut list, "task_write", &write).data;
    let checked = tools.call(&mut list, "task_check", json!({})).data;
    for data in [&written, &checked] {
        assert_eq!(data, &data.clone());
        let text = serde_json::to_string(data).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(*data, value);
        assert_eq!(Value::from(data.clone()), value);
        assert_eq!(data.to_string(), text);
        assert_eq!(format!("{data:?}"), format!("{value:?}"));
    }
    assert_ne!(written, checked);
    assert_ne!(written, json!({}));
}

//! For the framework author who replaces Murmur's task tools: calls and answers have Murmur's exact wire form, as its
//! documentation shows it.

use agent_tasklist::store::ListKey;
use agent_tasklist::tools::{Reply, Toolset};
use agent_tasklist::{Activation, Changes, Status, TaskDraft, TaskList};
use serde_json::{Value, json};

fn call(list: &mut TaskList, tool: &str, args: Value) -> Reply {
    Toolset::murmur().call(list, tool, &args)
}

fn two() -> TaskList {
    let mut list = TaskList::new();
    let api = TaskDraft::new("Add pagination to the users API").id("t_abc123");
    let docs = TaskDraft::new("Update API docs")
        .id("t_def456")
        .blocked_by(["t_abc123"]);
    list.write([api.status(Status::InProgress), docs]).unwrap();
    list
}

/// The error of a call that must change nothing.
fn refused(list: &mut TaskList, tool: &str, args: Value, code: &str) -> String {
    let before = list.clone();
    let reply = call(list, tool, args);
    assert!(reply.is_error(), "{}", reply.text);
    assert_eq!(*list, before);
    assert_eq!(reply.changes, Changes::default());
    assert_eq!(reply.data["error"]["code"], code);
    let message = reply.data["error"]["message"].as_str().unwrap();
    assert_eq!(reply.text, format!("{code}: {message}"));
    message.to_owned()
}

#[test]
fn task_list_answers_in_murmurs_form() {
    let mut list = two();
    let reply = call(&mut list, "task_list", json!({}));
    let expected = json!([
        {"taskId": "t_abc123", "subject": "Add pagination to the users API", "status": "TASK_STATUS_IN_PROGRESS"},
        {"taskId": "t_def456", "subject": "Update API docs", "status": "TASK_STATUS_PENDING",
         "blockedBy": ["t_abc123"]},
    ]);
    assert_eq!(
        serde_json::from_str::<Value>(&reply.text).unwrap(),
        expected
    );
    assert_eq!(reply.data, json!({"tasks": expected}));
    assert!(
        reply
            .text
            .starts_with(r#"[{"taskId":"t_abc123","subject":"Add pagination"#),
        "{}",
        reply.text
    );
    assert_eq!(
        call(&mut TaskList::new(), "task_list", Value::Null).text,
        "[]"
    );
    let reply = call(&mut list, "task_get", json!({"task_id": "t_abc123"}));
    assert_eq!(
        reply.data["blocks"],
        json!(["t_def456"]),
        "a task alone says both ends"
    );
}

#[test]
fn a_task_has_nothing_more_than_it_says() {
    let mut list = TaskList::new();
    list.create(
        TaskDraft::new("Add pagination to the users API")
            .id("t_abc123")
            .status(Status::InProgress),
    )
    .unwrap();
    let reply = call(
        &mut list,
        "task_list",
        json!({"slug": "", "workspace": null}),
    );
    assert_eq!(
        reply.data["tasks"],
        json!([{"taskId": "t_abc123", "subject": "Add pagination to the users API",
                "status": "TASK_STATUS_IN_PROGRESS"}])
    );
}

#[test]
fn task_create_answers_in_murmurs_form() {
    let mut list = TaskList::new();
    let reply = call(
        &mut list,
        "task_create",
        json!({"subject": "Add pagination to the users API"}),
    );
    assert_eq!(
        reply.text,
        r#"{"task_id":"task_add_pagination_to_the_users_api"}"#
    );
    assert_eq!(
        reply.data,
        json!({"task_id": "task_add_pagination_to_the_users_api"})
    );
    assert_eq!(reply.changes.facts.added.len(), 1);

    for activation in [
        json!({"activate_when": "files_modified", "pattern": "**/*_test.go"}),
        json!({"activation": {"filesModified": "**/*_test.go"}}),
        json!({"activation": {"filesModified": ["**/*_test.go"]}}),
        json!({"activation": {"filesModified": {"pattern": "**/*_test.go"}}}),
        json!({"activation": {"files_modified": ["**/*_test.go"]}}),
        json!({"activation": "**/*_test.go"}),
        json!({"activation": ["**/*_test.go"]}),
        json!({"activation": {"pattern": "**/*_test.go"}}),
        json!({"activate_when": "files_modified", "pattern": "**/*_test.go", "activation": {"filesModified": "**/*_test.go"}}),
    ] {
        let mut args = activation;
        args["subject"] = "Run integration tests".into();
        args["description"] = "All of them".into();
        let mut list = TaskList::new();
        let reply = call(&mut list, "task_create", args);
        assert!(!reply.is_error(), "{}", reply.text);
        let reply = call(
            &mut list,
            "task_get",
            json!({"task_id": "task_run_integration_tests"}),
        );
        assert_eq!(
            reply.data,
            json!({"taskId": "task_run_integration_tests", "subject": "Run integration tests",
                   "description": "All of them", "status": "TASK_STATUS_PENDING",
                   "activation": {"filesModified": ["**/*_test.go"]}})
        );
        assert!(list.can_finish());
    }
    let args = json!({"subject": "Any", "activate_when": "files_modified"});
    call(&mut list, "task_create", args);
    assert!(
        list.files_modified(["x"]).unwrap().effects.woken.len() == 1,
        "no pattern is any file"
    );
}

#[test]
fn task_create_says_what_is_wrong() {
    let mut list = two();
    for (args, wanted) in [
        (json!({}), "subject: missing"),
        (json!({"subject": "  "}), "subject: missing"),
        (
            json!({"subject": 5}),
            "subject: received 5; a string is wanted",
        ),
        (
            json!({"subject": "x", "pattern": "*.go"}),
            "pattern: goes with activate_when: files_modified",
        ),
        (
            json!({"subject": "x", "pattern": ""}),
            "pattern: goes with activate_when: files_modified",
        ),
        (
            json!({"subject": "x", "activate_when": "commit_pushed"}),
            "Unknown condition \"commit_pushed\". Allowed: files_modified.",
        ),
        (
            json!({"subject": "x", "activation": {"commitPushed": "*"}}),
            "activation: unknown condition \"commitPushed\"; an object is wanted: {\"filesModified\": ",
        ),
        (
            json!({"subject": "x", "activate_when": "files_modified", "pattern": "a",
                   "activation": {"filesModified": "b"}}),
            "activation: says something else",
        ),
        (
            json!({"subject": "x", "activation": 7}),
            "activation: received 7; an object is wanted",
        ),
        (
            json!({"subject": "x", "activate_when": "files_modified", "pattern": "[a"}),
            "unclosed character class",
        ),
        (
            json!([1]),
            "arguments: received an array of 1; an object is wanted",
        ),
    ] {
        let message = refused(&mut list, "task_create", args, "INVALID_ARGUMENT");
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn task_update_answers_in_murmurs_form() {
    let mut list = two();
    let reply = call(
        &mut list,
        "task_update",
        json!({"task_id": "t_abc123", "status": "completed"}),
    );
    assert_eq!(reply.text, "updated task t_abc123");
    assert_eq!(reply.data, json!({"task_id": "t_abc123"}));
    let args = json!({"task_id": "t_abc123", "subject": "Add pagination (v2)",
        "description": "Use cursor-based pagination instead of offset."});
    assert_eq!(
        call(&mut list, "task_update", args).text,
        "updated task t_abc123"
    );
    list.create(TaskDraft::new("Review").id("t_review"))
        .unwrap();
    list.create(TaskDraft::new("Deploy").id("t_deploy"))
        .unwrap();
    let args = json!({"task_id": "t_deploy", "add_blocked_by": ["t_def456", "t_review"]});
    assert_eq!(
        call(&mut list, "task_update", args).text,
        "updated task t_deploy"
    );
    let args = json!({"task_id": "t_review", "add_blocks": ["t_deploy"]});
    assert!(
        call(&mut list, "task_update", args).changes.is_empty(),
        "the same edge"
    );
    let reply = call(&mut list, "task_get", json!({"task_id": "t_deploy"}));
    assert_eq!(reply.data["blockedBy"], json!(["t_def456", "t_review"]));

    call(
        &mut list,
        "task_update",
        json!({"task_id": "t_review", "status": "in_progress"}),
    );
    let reply = call(
        &mut list,
        "task_update",
        json!({"task_id": "t_def456", "status": "in_progress"}),
    );
    assert_eq!(
        reply.text,
        "updated task t_def456\n\nNote: t_review went back to pending: t_def456 is in progress instead."
    );
    assert_eq!(reply.data["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn deleted_tasks_are_still_listed() {
    let mut list = two();
    let args = json!({"task_id": "t_abc123", "status": "deleted"});
    assert_eq!(
        call(&mut list, "task_update", args).text,
        "updated task t_abc123"
    );
    list.write([TaskDraft::new("New")]).unwrap();
    let reply = call(&mut list, "task_list", json!({}));
    assert_eq!(
        reply.data["tasks"],
        json!([
            {"taskId": "task_new", "subject": "New", "status": "TASK_STATUS_PENDING"},
            {"taskId": "t_abc123", "subject": "Add pagination to the users API", "status": "TASK_STATUS_DELETED"},
        ]),
        "rewritten-away ones are not"
    );
    let reply = call(&mut list, "task_get", json!({"task_id": "t_abc123"}));
    assert_eq!(reply.data["status"], "TASK_STATUS_DELETED");
    let args = json!({"task_id": "t_abc123", "status": "pending"});
    let message = refused(&mut list, "task_update", args, "NOT_FOUND");
    assert_eq!(message, "Task not found: t_abc123. Known ids: task_new.");
    let rewritten_away = json!({"task_id": "t_def456"});
    let message = refused(&mut list, "task_get", rewritten_away, "NOT_FOUND");
    assert_eq!(message, "Task not found: t_def456. Known ids: task_new.");
}

#[test]
fn errors_say_what_to_do() {
    let mut list = two();
    for tool in ["task_get", "task_update"] {
        let args = json!({"task_id": "t_1", "status": "completed"});
        let message = refused(&mut list, tool, args, "NOT_FOUND");
        assert_eq!(
            message,
            "Task not found: t_1. Known ids: t_abc123, t_def456."
        );
    }
    for (args, wanted) in [
        (
            json!({"task_id": "t_abc123", "status": "failed"}),
            "status: received \"failed\"; allowed: pending, in_progress, completed, deleted",
        ),
        (
            json!({"status": "completed"}),
            "task_id: missing; the id of a task is wanted",
        ),
        (
            json!({"task_id": "t_abc123"}),
            "nothing to change; give at least one of status, subject",
        ),
        (
            json!({"task_id": "t_abc123", "add_blocks": true}),
            "add_blocks: received true; an array of task ids is wanted",
        ),
        (
            json!({"task_id": "t_abc123", "add_blocks": [{}]}),
            "add_blocks[0]: received an object of 0; a string is wanted",
        ),
        (
            json!({"task_id": "t_abc123", "add_blocked_by": ["t_def456"]}),
            "Dependency cycle: t_abc123 → t_def456 → t_abc123.",
        ),
        (
            json!({"task_id": "t_def456", "status": "completed"}),
            "it is blocked by t_abc123",
        ),
    ] {
        let message = refused(&mut list, "task_update", args, "INVALID_ARGUMENT");
        assert!(message.contains(wanted), "{message}");
    }
    let args = json!({"task_id": "t_abc123", "add_blocks": ["t_9"]});
    let message = refused(&mut list, "task_update", args, "NOT_FOUND");
    assert!(
        message.contains("t_9") && message.contains("t_def456"),
        "{message}"
    );
    let message = refused(&mut list, "task_delete", json!({}), "NOT_FOUND");
    assert_eq!(
        message,
        "There is no tool \"task_delete\". Tools: task_list, task_create, task_update, task_get."
    );
    for tool in ["task_list", "task_create", "task_update", "task_get"] {
        for args in [json!({"slug": "fix-auth"}), json!({"workspace": "beta"})] {
            let message = refused(&mut list, tool, args, "NOT_FOUND");
            assert!(
                message.contains("Leave slug and workspace out for your own list"),
                "{message}"
            );
        }
    }
}

#[test]
fn only_what_is_not_over_the_limit_is_taken() {
    let mut list = TaskList::new();
    let args =
        json!({"subject": "x", "activate_when": "files_modified", "pattern": "x".repeat(1025)});
    let message = refused(&mut list, "task_create", args, "INVALID_ARGUMENT");
    assert!(
        message.contains("1024") && message.contains("1025") && message.len() < 200,
        "{message}"
    );
    assert!(Activation::files_modified(["x".repeat(1024)]).is_ok());
}

#[test]
fn slugs_resolve_against_the_callers_own_path() {
    let own = ListKey::new("/w/acme/u/jo/fix-auth").unwrap();
    let resolve = |slug: &str, workspace: &str| {
        own.resolve(slug, workspace)
            .map(|key| key.to_string())
            .map_err(|error| error.to_string())
    };
    for (slug, workspace, key) in [
        ("", "", "w/acme/u/jo/fix-auth"),
        (" ", "", "w/acme/u/jo/fix-auth"),
        ("docs", "", "w/acme/u/jo/docs"),
        ("", "acme", "w/acme/u/jo/fix-auth"),
        ("", "beta", "w/beta/u/jo/fix-auth"),
        ("docs", "beta", "w/beta/u/jo/docs"),
        ("/w/acme/u/al/api", "", "w/acme/u/al/api"),
        ("/w/acme/u/al/api", "acme", "w/acme/u/al/api"),
        ("/other", "", "other"),
        ("Ünïcode ✓", "", "w/acme/u/jo/Ünïcode ✓"),
    ] {
        assert_eq!(
            resolve(slug, workspace).as_deref(),
            Ok(key),
            "{slug:?} {workspace:?}"
        );
    }
    for (slug, workspace) in [
        ("..", ""),
        (".", ""),
        ("/w/acme/../beta/x", ""),
        ("/w//x", ""),
        ("/", ""),
        ("/w/acme/", ""),
        ("//w/acme", ""),
        ("a/b", ""),
        ("../x", ""),
        ("a\u{0}b", ""),
        ("a\nb", ""),
        ("/w/a\u{1b}/x", ""),
        ("", ".."),
        ("", "a/b"),
        ("", "/w/beta"),
        ("/w/acme/u/al/api", "beta"),
        ("/other", "beta"),
        (&"x".repeat(600), ""),
    ] {
        assert!(resolve(slug, workspace).is_err(), "{slug:?} {workspace:?}");
    }
    let plain = ListKey::new("thread-1").unwrap();
    assert_eq!(plain.resolve("thread-2", "").unwrap().as_str(), "thread-2");
    assert!(plain.resolve("", "beta").is_err(), "it has no workspace");
    assert!(
        ListKey::new("").is_err() && ListKey::new("a//b").is_err() && ListKey::new(" ").is_err()
    );
}

#[test]
fn mastras_update_can_delete() {
    let mut list = two();
    let reply = Toolset::mastra().call(
        &mut list,
        "task_update",
        json!({"id": "t_abc123", "status": "deleted"}),
    );
    assert!(!reply.is_error());
    assert_eq!(list.len(), 1);
    let args = json!({"tasks": [{"content": "x", "status": "deleted"}]});
    assert!(
        Toolset::mastra()
            .call(&mut list, "task_write", &args)
            .is_error()
    );
}

#[test]
fn mastras_check_names_dormant_tasks() {
    let mut list = TaskList::new();
    let until = Activation::files_modified(["docs/**"]).unwrap();
    list.write([
        TaskDraft::new("Write").id("a").status(Status::Completed),
        TaskDraft::new("Build the site").id("b").activation(until),
    ])
    .unwrap();
    let reply = Toolset::mastra().call(&mut list, "task_check", json!({}));
    assert_eq!(
        reply.text,
        "Task Status: [1/2 completed, 1 dormant]\n- Completed: 1\n- In Progress: 0\n- Pending: 0\n\n\
         All tasks completed: YES\n\nDormant (do not work on these):\n- b: Build the site"
    );
    assert_eq!(reply.data["summary"]["allCompleted"], true);
    assert_eq!(reply.data["incompleteTasks"], json!([]));
    list.files_modified(["docs/x"]).unwrap();
    let reply = Toolset::mastra().call(&mut list, "task_check", json!({}));
    assert!(reply.text.contains("All tasks completed: NO") && !reply.text.contains("Dormant"));
}

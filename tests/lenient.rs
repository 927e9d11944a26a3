//! For the model: what can mean only one thing is understood, and noted in the reply; anything else is refused whole, in
//! words by which the model can correct itself. Junk never empties a list.

use agent_tasklist::tools::{Reply, Strictness, Toolset};
use agent_tasklist::{Changes, Status, TaskDraft, TaskList};
use proptest::prelude::*;
use serde_json::{Value, json};

fn call(list: &mut TaskList, tool: &str, args: Value) -> Reply {
    Toolset::full().call(list, tool, &args)
}

fn strict(list: &mut TaskList, tool: &str, args: Value) -> Reply {
    Toolset::full()
        .with_strictness(Strictness::Strict)
        .call(list, tool, &args)
}

/// What is sent, the canonical form of it, and what the note says of it.
fn means(tool: &str, sent: Value, canonical: Value, note: &str) {
    let start = || {
        let mut list = TaskList::new();
        list.create(TaskDraft::new("A").id("a")).unwrap();
        list.create(TaskDraft::new("Five").id("5")).unwrap();
        list
    };
    let (mut one, mut other) = (start(), start());
    let reply = call(&mut one, tool, sent.clone());
    let expected = call(&mut other, tool, canonical.clone());
    assert!(!expected.is_error(), "{canonical}: {}", expected.text);
    assert!(!reply.is_error(), "{sent}: {}", reply.text);
    assert_eq!(one, other, "{sent} must do what {canonical} does");
    assert_eq!(reply.changes, expected.changes);
    assert!(reply.text.contains(note), "{sent}: {}", reply.text);
    let notes =
        expected.text.matches("Note: ").count() - expected.text.matches("Note: Removed").count();
    assert_eq!(
        notes, 0,
        "the canonical form needs no repair: {}",
        expected.text
    );
    let mut list = start();
    assert!(
        !strict(&mut list, tool, canonical).is_error(),
        "the canonical form is what the schema says"
    );
    if !note.is_empty() {
        let mut list = start();
        let reply = strict(&mut list, tool, sent.clone());
        let ignores = reply.changes == Changes::default() && list == start();
        assert!(
            reply.is_error() && ignores,
            "{sent} must be refused by the strict: {}",
            reply.text
        );
    }
}

fn write(tasks: Value) -> Value {
    json!({"tasks": tasks})
}

#[test]
fn json_strings_are_read_as_what_is_in_them() {
    let tasks =
        json!([{"id": "a", "content": "A"}, {"id": "5", "content": "Five"}, {"content": "B"}]);
    let (once, note) = (
        tasks.to_string(),
        "tasks was a JSON string; it was read as what is in it.",
    );
    means("task_write", write(json!(once)), write(tasks.clone()), note);
    means(
        "task_write",
        write(json!(json!(once).to_string())),
        write(tasks.clone()),
        note,
    );
    means(
        "task_write",
        write(json!(format!("```json\n{once}\n```"))),
        write(tasks.clone()),
        note,
    );
    means(
        "task_write",
        json!(write(tasks.clone()).to_string()),
        write(tasks.clone()),
        "The arguments were a JSON string",
    );
    let items: Vec<Value> = tasks
        .as_array()
        .unwrap()
        .iter()
        .map(|task| json!(task.to_string()))
        .collect();
    means(
        "task_write",
        write(json!(items)),
        write(tasks),
        "tasks[0] was a JSON string",
    );
    means(
        "task_update",
        json!({"id": "a", "blockedBy": "[\"5\"]"}),
        json!({"id": "a", "blockedBy": ["5"]}),
        "blockedBy was a JSON string",
    );
}

#[test]
fn wrappers_and_single_items_are_unwrapped() {
    let tasks = json!([{"id": "a", "content": "A"}, {"id": "5", "content": "Five"}]);
    means(
        "task_write",
        json!({"input": write(tasks.clone())}),
        write(tasks.clone()),
        "were inside \"input\"",
    );
    means(
        "task_write",
        json!({"todos": tasks}),
        write(tasks.clone()),
        "todos was read as tasks",
    );
    means(
        "task_write",
        write(json!({"items": tasks})),
        write(tasks),
        "was an object around a list",
    );
    means(
        "task_complete",
        json!({"args": {"id": "a"}}),
        json!({"id": "a"}),
        "were inside \"args\"",
    );
    means(
        "task_write",
        write(json!({"id": "a", "content": "A"})),
        write(json!([{"id": "a", "content": "A"}])),
        "tasks was one item; it was read as a list of it.",
    );
    means(
        "task_update",
        json!({"id": "a", "addBlockedBy": "5"}),
        json!({"id": "a", "addBlockedBy": ["5"]}),
        "addBlockedBy was one item",
    );
}

#[test]
fn texts_and_checklist_lines_are_tasks() {
    for (line, content, status) in [
        ("Fix the bug", "Fix the bug", None),
        ("- [ ] Fix the bug", "Fix the bug", Some("pending")),
        ("* [x] Fix the bug", "Fix the bug", Some("completed")),
        ("- [~] Fix the bug", "Fix the bug", Some("in_progress")),
        ("- Fix the bug", "Fix the bug", None),
        ("2. Fix the bug", "Fix the bug", None),
        ("2 bugs to fix", "2 bugs to fix", None),
    ] {
        let mut task = json!({"content": content});
        if let Some(status) = status {
            task["status"] = status.into();
        }
        means(
            "task_write",
            write(json!([line])),
            write(json!([task])),
            "tasks[0] was a text; it was read as a task.",
        );
    }
}

#[test]
fn keys_go_by_other_spellings_and_names() {
    for (sent, canonical) in [
        (
            json!({"Task_ID": "a", "status": "completed"}),
            json!({"id": "a", "status": "completed"}),
        ),
        (
            json!({"id": "a", "title": "B"}),
            json!({"id": "a", "content": "B"}),
        ),
        (
            json!({"id": "a", "active-form": "B-ing"}),
            json!({"id": "a", "activeForm": "B-ing"}),
        ),
        (
            json!({"id": "a", "dependsOn": ["5"]}),
            json!({"id": "a", "blockedBy": ["5"]}),
        ),
        (
            json!({"id": "a", "add_blocked_by": ["5"]}),
            json!({"id": "a", "addBlockedBy": ["5"]}),
        ),
    ] {
        means("task_update", sent, canonical, "was read as");
    }
    for name in [
        "subject", "title", "step", "task", "text", "name", "CONTENT",
    ] {
        let mut task = json!({"status": "pending"});
        task[name] = "B".into();
        means(
            "task_create",
            task,
            json!({"content": "B", "status": "pending"}),
            "was read as content.",
        );
    }
}

#[test]
fn c23_other_words_for_a_status() {
    let mut list = TaskList::new();
    let tasks = json!([
        {"content": "A", "status": "done"},
        {"content": "B", "status": "in-progress"},
        {"content": "C", "status": "TODO"},
        {"content": "D", "status": "TASK_STATUS_COMPLETED"},
    ]);
    let reply = call(&mut list, "task_write", write(tasks.clone()));
    let statuses: Vec<Status> = list.tasks().map(|task| task.status).collect();
    assert_eq!(
        statuses,
        [
            Status::Completed,
            Status::InProgress,
            Status::Pending,
            Status::Completed
        ]
    );
    assert!(
        reply
            .text
            .contains("Note: tasks[0].status \"done\" was read as completed."),
        "{}",
        reply.text
    );
    let two = json!([{"content": "B", "status": "running"}, {"content": "D", "status": "TASK_STATUS_IN_PROGRESS"}]);
    let reply = call(&mut list, "task_write", write(two));
    assert!(
        reply.is_error()
            && reply
                .text
                .starts_with("Only one task can be in_progress at a time.")
    );
    let reply = strict(&mut list, "task_write", write(tasks));
    assert!(
        reply.text.contains(
            "tasks[0].status: received \"done\"; allowed: pending, in_progress, completed"
        )
    );
}

#[test]
fn c64_a_wrong_parameter_name() {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("A").id("a")).unwrap();
    let reply = call(
        &mut list,
        "task_update",
        json!({"task_id": "a", "status": "completed"}),
    );
    assert!(
        !reply.is_error() && reply.text.contains("Note: task_id was read as id."),
        "{}",
        reply.text
    );
    assert!(list.can_finish());
    let reply = strict(
        &mut list,
        "task_update",
        json!({"identifier": "a", "status": "pending"}),
    );
    assert!(
        reply
            .text
            .contains("identifier: is not known; did you mean id?"),
        "{}",
        reply.text
    );
    let reply = strict(
        &mut list,
        "task_update",
        json!({"task_id": "a", "status": "pending"}),
    );
    assert!(
        reply
            .text
            .contains("task_id: is not known; did you mean id?"),
        "{}",
        reply.text
    );
    assert!(list.can_finish());
}

#[test]
fn c62_strictly_a_json_string_is_a_string() {
    let mut list = TaskList::new();
    let reply = strict(
        &mut list,
        "task_write",
        write(json!("[{\"content\":\"A\",\"status\":\"pending\"}]")),
    );
    assert!(
        reply.is_error() && reply.text.contains("an array of objects is wanted"),
        "{}",
        reply.text
    );
    assert!(call(&mut list, "task_write", write(json!("buy milk"))).is_error());
    assert!(list.is_empty());
}

#[test]
fn what_is_not_known_goes_into_the_metadata_of_a_new_task() {
    let mut list = TaskList::new();
    let args = json!({"content": "A", "activeForm": "A-ing", "priority": "high", "metadata": {"k": 1}, "tags": ["x"]});
    let reply = call(&mut list, "task_create", args);
    assert!(
        reply.text.contains(
            "has fields that are not known (priority, tags); they went into its metadata."
        )
    );
    let metadata = |list: &TaskList| {
        list.tasks()
            .next()
            .unwrap()
            .metadata
            .as_deref()
            .cloned()
            .map(Value::Object)
    };
    assert_eq!(
        metadata(&list),
        Some(json!({"k": 1, "priority": "high", "tags": ["x"]}))
    );
    let again = json!([{"id": "task_a", "content": "A", "priority": "low"}]);
    call(&mut list, "task_write", write(again));
    assert_eq!(
        metadata(&list),
        Some(json!({"k": 1, "priority": "low", "tags": ["x"]})),
        "key by key"
    );
    let reply = call(
        &mut list,
        "task_update",
        json!({"id": "task_a", "content": "B", "priority": "none"}),
    );
    assert!(
        reply
            .text
            .contains("Note: priority is not known; it was ignored."),
        "{}",
        reply.text
    );
    assert_eq!(metadata(&list).unwrap()["priority"], "low");
    let mut same = list.clone();
    let echo = reply.data["tasks"].clone();
    let reply = call(&mut same, "task_write", write(echo));
    assert!(
        reply.changes.is_empty(),
        "a reply sent back changes nothing: {}",
        reply.text
    );
}

#[test]
fn of_two_spellings_that_disagree_none_is_picked() {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("A").id("a")).unwrap();
    let before = list.clone();
    for args in [
        json!({"id": "a", "content": "B", "title": "C"}),
        json!({"id": "a", "taskId": "b", "status": "completed"}),
        json!({"id": "a", "blockedBy": ["a"], "dependsOn": []}),
    ] {
        let reply = call(&mut list, "task_update", args);
        assert!(
            reply.is_error() && reply.text.contains("given twice, with different values"),
            "{}",
            reply.text
        );
        assert_eq!(list, before);
    }
    let same = json!({"id": "a", "taskId": "a", "content": "B", "title": null, "subject": ""});
    assert!(!call(&mut list, "task_update", same).is_error());
}

#[test]
fn five_problems_are_shown_with_their_paths() {
    let mut list = TaskList::new();
    let tasks: Vec<Value> = (0..7)
        .map(|n| json!({"content": n, "status": "lost"}))
        .collect();
    let reply = call(&mut list, "task_write", write(json!(tasks)));
    assert!(
        reply
            .text
            .contains("tasks[0].content: received 0; a string is wanted")
    );
    assert!(reply.text.contains("tasks[2].content") && !reply.text.contains("tasks[2].status"));
    let example = r#"{"tasks": [{"content": "Fix the bug", "status": "pending", "activeForm": "Fixing the bug"}]}"#;
    let end = format!("- and 9 more\nExample: {example}");
    assert!(reply.text.ends_with(&end), "{}", reply.text);
}

#[test]
fn a_refusal_shows_right_arguments() {
    let toolsets = [
        Toolset::mastra(),
        Toolset::murmur(),
        Toolset::full(),
        Toolset::full().acting_as("jo").unwrap(),
    ];
    for tools in toolsets {
        for spec in tools.specs() {
            let mut list = TaskList::new();
            let drafts = [TaskDraft::new("Fix the bug")
                .owner("worker-1")
                .status(Status::InProgress)];
            list.write(drafts).unwrap();
            let reply = tools.call(&mut list, spec.name, json!("junk"));
            let (problem, example) = reply.text.split_once("\nExample: ").unwrap();
            assert!(
                problem.ends_with("- arguments: received \"junk\"; an object is wanted"),
                "{problem}"
            );
            let example: Value = serde_json::from_str(example).unwrap();
            jsonschema::validate(&spec.input_schema, &example).unwrap();
            let args = tools
                .clone()
                .with_strictness(Strictness::Strict)
                .call(&mut list, spec.name, &example);
            assert!(
                !args.is_error() || args.text.contains("belongs to worker-1"),
                "{}",
                args.text
            );
        }
    }
}

#[test]
fn what_is_repaired_alike_is_told_once() {
    let tasks: Vec<Value> = (0..50)
        .map(|n| json!({"content": format!("Task {n}"), "status": "todo"}))
        .collect();
    let reply = call(&mut TaskList::new(), "task_write", write(json!(tasks)));
    let note = "Note: tasks[0].status \"todo\" was read as pending; likewise tasks[1].status, tasks[2].status, \
        tasks[3].status, tasks[4].status and 45 more.";
    assert!(reply.text.ends_with(note), "{}", reply.text);
}

#[test]
fn a_bare_list_is_the_tasks() {
    for args in [
        json!([{"content": "A"}]),
        json!("[{\"content\": \"A\"}]"),
        json!(["A"]),
    ] {
        let reply = call(&mut TaskList::new(), "task_write", args);
        assert_eq!(reply.data["tasks"][0]["content"], "A", "{}", reply.text);
    }
    for args in [json!([]), json!("[]"), json!([[]])] {
        let mut list = TaskList::new();
        list.create(TaskDraft::new("A")).unwrap();
        assert!(call(&mut list, "task_write", args).is_error());
        assert_eq!(list.len(), 1);
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![
            "[ab5]",
            "pending|done|TASK_STATUS_PENDING|lost",
            ".{0,4}",
            r#"\[\]|\{\}|\[\{"content":"A"\}\]|```json \[\] ```|- \[x\] B"#
        ]
        .prop_map(Value::from),
    ];
    let keys = "tasks|todos|input|id|taskId|task_id|content|subject|title|status|activeForm|description|blockedBy|dependsOn|blocks|activation|filesModified|pattern|activate_when|owner|metadata|addBlocks|clear|x|slug|state|baseRevision";
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(keys, inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_json_has_an_answer(args in json_value()) {
        for tools in [Toolset::mastra(), Toolset::murmur(), Toolset::full()] {
            for strictness in [Strictness::Lenient, Strictness::Strict] {
                let tools = tools.clone().with_strictness(strictness);
                for spec in tools.specs() {
                    let mut list = TaskList::new();
                    list.write([TaskDraft::new("A").id("a"), TaskDraft::new("B").id("b")]).unwrap();
                    let before = list.clone();
                    let reply = tools.call(&mut list, spec.name, &args);
                    prop_assert_eq!(reply.is_error() && list != before, false, "{}", reply.text);
                    prop_assert_eq!(reply.changes.is_empty(), list == before);
                    prop_assert!(reply.text.len() < 4000, "{}", reply.text);
                }
            }
        }
    }

    /// A list is only emptied by an empty array that is there.
    #[test]
    fn junk_is_never_an_empty_list(args in json_value()) {
        let mut list = TaskList::new();
        list.write([TaskDraft::new("A")]).unwrap();
        let reply = call(&mut list, "task_write", args.clone());
        if list.is_empty() {
            prop_assert!(!reply.is_error());
            prop_assert!(args.to_string().contains("[]"), "{}", args);
        }
    }
}

fn refused(tool: &str, args: Value, text: &str) {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("A").id("a")).unwrap();
    let before = list.clone();
    let reply = call(&mut list, tool, args.clone());
    assert!(reply.is_error(), "{args}: {}", reply.text);
    assert!(reply.text.contains(text), "{args}: {}", reply.text);
    assert_eq!(list, before);
}

#[test]
fn strings_and_wrappers_within_each_other_are_read() {
    let tasks = json!([{"id": "a", "content": "A"}]);
    let inside = write(tasks.clone()).to_string();
    for (sent, note) in [
        (json!({"input": inside}), "were inside \"input\""),
        (
            json!({"todos": tasks.to_string()}),
            "todos was read as tasks",
        ),
    ] {
        means("task_write", sent, write(tasks.clone()), note);
    }
    let task = json!({"blockedBy": [], "content": "B"});
    means(
        "task_write",
        write(task.clone()),
        write(json!([task])),
        "tasks was one item",
    );
    let task = json!({"content": "B"});
    means(
        "task_write",
        write(task.clone()),
        write(json!([task])),
        "tasks was one item",
    );
    for (args, text) in [
        (json!("5"), "arguments: received \"5\"; an object"),
        (json!("null"), "arguments: received \"null\"; an object"),
    ] {
        refused("task_write", args, text);
    }
    let args = json!("[\"a\"]");
    refused(
        "task_complete",
        args,
        "arguments: received \"[\\\"a\\\"]\"; an object",
    );
    let args = json!({"id": "a", "blockedBy": {"x": 1}});
    refused(
        "task_update",
        args,
        "- blockedBy: received an object of 1; an array of task ids is wanted",
    );
}

#[test]
fn only_what_holds_arguments_is_unwrapped() {
    let tools = Toolset::full().acting_as("jo").unwrap();
    for args in [
        json!({"args": {"foo": 1}}),
        json!({"args": ["a"]}),
        json!({"args": 1}),
    ] {
        let reply = tools.call(&mut TaskList::new(), "task_claim", &args);
        let note = "Note: args is not known; it was ignored.";
        assert!(
            !reply.is_error() && reply.text.contains(note),
            "{}",
            reply.text
        );
    }
}

#[test]
fn numbers_are_ids_where_they_are_whole() {
    for (sent, canonical) in [
        (
            json!({"id": 5, "status": "completed"}),
            json!({"id": "5", "status": "completed"}),
        ),
        (
            json!({"id": "a", "blockedBy": [5]}),
            json!({"id": "a", "blockedBy": ["5"]}),
        ),
        (
            json!({"id": "a", "blockedBy": 5}),
            json!({"id": "a", "blockedBy": ["5"]}),
        ),
    ] {
        means("task_update", sent, canonical, "it was read as a string");
    }
    for number in [json!(-5), json!(u64::MAX), json!(i64::MIN)] {
        let canonical = json!({"content": "B", "id": number.to_string()});
        let sent = json!({"content": "B", "id": number});
        means("task_create", sent, canonical, "it was read as a string");
    }
    refused(
        "task_create",
        json!({"content": "B", "id": 1.5}),
        "id: received 1.5",
    );
    let blank = json!({"id": "a", "blockedBy": ["", "5", null]});
    means(
        "task_update",
        blank,
        json!({"id": "a", "blockedBy": ["5"]}),
        "",
    );
}

#[test]
fn what_is_not_given_takes_nothing_away() {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("Five").id("5")).unwrap();
    list.create(TaskDraft::new("A").id("a").blocked_by(["5"]))
        .unwrap();
    let blank =
        json!({"id": "a", "status": "pending", "content": null, "activation": "", "clear": ""});
    let lines = write(json!(["- [ ] Five", "- [ ] A"]));
    for (tool, mut args) in [("task_update", blank), ("task_write", lines)] {
        for nothing in [json!(null), json!(""), json!("  ")] {
            if tool == "task_update" {
                args["blockedBy"] = nothing;
            }
            let reply = call(&mut list, tool, args.clone());
            assert!(
                !reply.is_error() && reply.changes.is_empty(),
                "{}",
                reply.text
            );
        }
    }
    let line = write(json!([
        "- [ ] Five",
        "- [ ] A {#a} {after #5}",
        "- B {after #a}"
    ]));
    let reply = call(&mut list, "task_write", line);
    assert_eq!(reply.changes.facts.added.len(), 1, "{}", reply.text);
    assert_eq!(list.blocked_by("task_b").unwrap()[0].id, "a");
    for sent in [
        json!({"id": "a", "content": null, "title": "B"}),
        json!({"id": "a", "content": " ", "title": "B"}),
    ] {
        means(
            "task_update",
            sent,
            json!({"id": "a", "content": "B"}),
            "title was read as content",
        );
    }
    let mut list = TaskList::new();
    let reply = call(
        &mut list,
        "task_create",
        json!({"content": "A", "priority": null}),
    );
    assert!(!reply.text.contains("Note: "), "{}", reply.text);
    assert_eq!(list.tasks().next().unwrap().metadata, None);
}

#[test]
fn metadata_in_a_string_is_the_object_in_it() {
    let mut list = TaskList::new();
    let args = json!({"content": "A", "metadata": "{\"k\": [1]}"});
    let reply = call(&mut list, "task_create", args);
    let note = "Note: metadata was a JSON string; it was read as the object in it.";
    assert!(reply.text.ends_with(note), "{}", reply.text);
    let metadata = list.tasks().next().unwrap().metadata.clone();
    assert_eq!(metadata.unwrap()["k"], json!([1]));
}

#[test]
fn statuses_of_updates_go_by_other_words_too() {
    for (word, status) in [
        ("Deleted", "deleted"),
        ("DONE", "completed"),
        ("not_started", "pending"),
    ] {
        means(
            "task_update",
            json!({"id": "a", "status": word}),
            json!({"id": "a", "status": status}),
            "was read as",
        );
    }
}

#[test]
fn activations_are_read_from_lists_and_texts() {
    let condition = json!({"filesModified": ["*.rs"]});
    for sent in [
        json!("*.rs"),
        json!(["*.rs"]),
        json!("[\"*.rs\"]"),
        json!(condition.to_string()),
        json!({"files_modified": ["*.rs"]}),
        json!({"filesModified": "*.rs"}),
        json!({"filesModified": {"pattern": "*.rs"}}),
        json!({"pattern": "*.rs"}),
    ] {
        means(
            "task_create",
            json!({"content": "B", "activation": sent}),
            json!({"content": "B", "activation": condition}),
            "activation was read as a condition on modified files",
        );
    }
    for (sent, text) in [
        (
            json!(["*.rs", 5]),
            "- activation: received an array of 2; an object is wanted",
        ),
        (
            json!({"filesModified": {"pattern": "*.rs", "x": 1}}),
            "activation.filesModified: an array of patterns",
        ),
        (
            json!({"pattern": 5}),
            "activation: unknown condition \"pattern\"",
        ),
    ] {
        refused(
            "task_create",
            json!({"content": "B", "activation": sent}),
            text,
        );
    }
}

#[test]
fn the_strict_take_no_member_that_the_schema_has_not() {
    for (name, told) in [
        ("metadata", "metadata: is not known"),
        ("state", "state: is not known"),
        ("des", "des: is not known; did you mean description?"),
        ("de", "de: is not known"),
        (
            "status_code",
            "status_code: is not known; did you mean status?",
        ),
        ("zzz", "zzz: is not known"),
    ] {
        let mut args = json!({"content": "A"});
        args[name] = json!({"k": 1});
        let reply = strict(&mut TaskList::new(), "task_create", args);
        let (_, problem) = reply.text.split_once("- ").unwrap();
        let problem = problem.lines().next().unwrap();
        assert_eq!(problem, told, "{}", reply.text);
    }
}

#[test]
fn notes_name_five_places() {
    for (tasks, end) in [
        (1, "tasks[0].status \"todo\" was read as pending."),
        (2, "was read as pending; likewise tasks[1].status."),
        (5, ", tasks[3].status, tasks[4].status."),
        (6, ", tasks[3].status, tasks[4].status and 1 more."),
    ] {
        let tasks: Vec<Value> = (0..tasks)
            .map(|n| json!({"content": format!("Task {n}"), "status": "todo"}))
            .collect();
        let reply = call(&mut TaskList::new(), "task_write", write(json!(tasks)));
        assert!(reply.text.ends_with(end), "{}", reply.text);
    }
}

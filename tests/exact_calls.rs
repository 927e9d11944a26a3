//! For the user whose list a model writes: a call never does more than it says. A change that is named (add, updates,
//! remove) is not taken for the whole list, a flag that turns the meaning round is read or refused, and nothing that a
//! call says of a status, a blocker or a task inside a task is dropped without a word.

use agent_tasklist::store::{ListKey, MemoryStore, block_on};
use agent_tasklist::tools::{ListTools, RefusalKind, Reply, Strictness, Toolset};
use agent_tasklist::{Activation, Error, Policy, State, Status, TaskDraft, TaskList};
use proptest::prelude::*;
use serde_json::{Value, json};

fn abc() -> TaskList {
    let mut list = TaskList::new();
    list.write(["A", "B", "C"].map(|text| TaskDraft::new(text).id(text.to_lowercase())))
        .unwrap();
    list
}

fn full(list: &mut TaskList, tool: &str, args: Value) -> Reply {
    Toolset::full().call(list, tool, &args)
}

/// The tasks as `id:status`.
fn shown(list: &TaskList) -> Vec<String> {
    let task = |task: &agent_tasklist::Task| format!("{}:{}", task.id, task.status);
    list.tasks().map(task).collect()
}

fn blockers(list: &TaskList, id: &str) -> Vec<String> {
    let blockers = list.blocked_by(id).unwrap().into_iter();
    blockers.map(|task| task.id.to_string()).collect()
}

/// The call must be refused, say so, and change nothing.
#[track_caller]
fn refused(tools: &Toolset, tool: &str, args: Value, texts: &[&str]) -> Reply {
    let mut list = abc();
    let reply = tools.call(&mut list, tool, &args);
    assert!(reply.is_error(), "{args}: {}", reply.text);
    assert_eq!(list, abc(), "{args}");
    for text in texts {
        assert!(reply.text.contains(text), "{args}: {}", reply.text);
    }
    reply
}

/// The call must leave the list as shown, with these words in its reply.
#[track_caller]
fn gives(tools: &Toolset, tool: &str, args: Value, after: &[&str], texts: &[&str]) -> TaskList {
    let mut list = abc();
    let reply = tools.call(&mut list, tool, &args);
    assert!(!reply.is_error(), "{args}: {}", reply.text);
    assert_eq!(shown(&list), after, "{args}: {}", reply.text);
    for text in texts {
        assert!(reply.text.contains(text), "{args}: {}", reply.text);
    }
    list
}

#[test]
fn n01_a_checklist_in_one_text_is_its_items() {
    let items = [
        "- [x] Read the code",
        "- [-] Fix the bug",
        "- [ ] Run the tests",
    ];
    let after = [
        "task_read_the_code:completed",
        "task_fix_the_bug:in_progress",
        "task_run_the_tests:pending",
    ];
    for text in [
        items.join("\n"),
        items.join("\r\n"),
        items.join("\n").replace("- ", ""),
        format!("\u{feff}{}\n\n", items.join("\n\n").replace("- ", "* ")),
        "1. [x] Read the code\n2) [~] Fix the bug\n3. [ ] Run the tests".into(),
        "\\[x\\] Read the code\n- \\[-\\] Fix the bug\n+ \\[ \\] Run the tests".into(),
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            for tasks in [json!([text]), json!(text)] {
                let args = json!({"tasks": tasks});
                gives(
                    &tools,
                    "task_write",
                    args,
                    &after,
                    &["each line was read as a task"],
                );
            }
        }
    }
    let args = json!({"plan": items.join("\n")});
    gives(
        &Toolset::full(),
        "task_write",
        args,
        &after,
        &["plan was read as tasks"],
    );
    // In a store, beside an item of the usual kind.
    let tools = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::full(),
    );
    let args = json!({"tasks": [{"content": "First"}, "[x] Second\n[ ] Third"]});
    let reply = block_on(tools.call("task_write", &args));
    assert_eq!(
        reply.data["tasks"].as_array().unwrap().len(),
        3,
        "{}",
        reply.text
    );
}

#[test]
fn n01_some_items_and_some_not_are_no_checklist() {
    for text in ["The plan:\n- [x] A\n- [ ] B", "- [ ] A\nand so on"] {
        refused(
            &Toolset::full(),
            "task_write",
            json!({"tasks": [text]}),
            &["tasks[0]: received"],
        );
        refused(
            &Toolset::mastra(),
            "task_write",
            json!({"tasks": text}),
            &["tasks: received"],
        );
    }
    refused(
        &Toolset::full(),
        "task_write",
        json!({"tasks": "buy milk\nbuy eggs"}),
        &["tasks: received"],
    );
}

#[test]
fn n21_an_unknown_mark_is_never_part_of_a_subject() {
    for line in [
        "- [/] Draft",
        "[!] Urgent",
        "2. [>] Later",
        "- [ ] A\n- [?] B",
        "\\[/\\] Draft",
    ] {
        refused(
            &Toolset::full(),
            "task_write",
            json!({"tasks": [line]}),
            &["tasks[0]: received"],
        );
        refused(
            &Toolset::mastra(),
            "task_write",
            json!({"tasks": ["A", line]}),
            &["tasks[1]: received"],
        );
        refused(
            &Toolset::full(),
            "task_write",
            json!({"tasks": line}),
            &["tasks: received"],
        );
    }
    // No boxes: a link, a footnote, a list.
    let args = json!({"tasks": ["- [a](b) is a link", "[1]: a note", "[12] items"]});
    let mut list = TaskList::new();
    assert!(!full(&mut list, "task_write", args).is_error());
    assert_eq!(list.len(), 3);
}

#[test]
fn n03_a_change_is_not_the_whole_list() {
    let named: [(Value, &str); 9] = [
        (
            json!({"updates": [{"id": "a", "status": "completed"}]}),
            "task_update",
        ),
        (json!({"remove": []}), "task_delete"),
        (json!({"add": [{"content": "New one"}]}), "task_create"),
        (json!({"delete": ["c"]}), "task_delete"),
        (json!({"ids": ["a"]}), "task_delete"),
        (json!({"filter": []}), "task_update"),
        (json!({"NEW_ITEM": [{"content": "D"}]}), "task_create"),
        (json!({"changes": "[{\"content\": \"D\"}]"}), "task_update"),
        (
            json!({"update": {"tasks": [{"content": "D"}]}}),
            "task_update",
        ),
    ];
    for (args, instead) in named {
        let texts = ["tasks: missing", instead];
        refused(&Toolset::full(), "task_write", args.clone(), &texts);
        refused(
            &Toolset::full(),
            "task_write",
            json!(args.to_string()),
            &texts,
        );
        let told = match instead {
            "task_update" => "task_update",
            _ => "give the full list",
        };
        let reply = refused(
            &Toolset::mastra(),
            "task_write",
            args.clone(),
            &["tasks: missing", told],
        );
        assert!(!reply.text.contains("task_create") && !reply.text.contains("task_delete"));
        let store = MemoryStore::new();
        let tools = ListTools::new(store, ListKey::new("k").unwrap(), Toolset::full());
        block_on(tools.call("task_write", json!({"tasks": ["A"]})));
        assert!(block_on(tools.call("task_write", &args)).is_error());
        assert_eq!(block_on(tools.load()).unwrap().unwrap().list.len(), 1);
    }
    for inner in [json!({"remove": ["a"]}), json!({"updates": [{"id": "a"}]})] {
        refused(&Toolset::full(), "task_write", json!({"tasks": inner}), &[]);
    }
    refused(
        &Toolset::full(),
        "task_update",
        json!({"id": "a", "blockedBy": {"remove": ["b"]}}),
        &["blockedBy: received an object"],
    );
}

#[test]
fn n03_the_whole_list_goes_by_its_names() {
    for name in [
        "todos",
        "Items",
        "plan",
        "list",
        "task_list",
        "taskList",
        "TODO-LIST",
        "checklist",
        "steps",
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            let mut args = json!({"explanation": "Better so"});
            args[name] = json!([{"content": "D"}]);
            let texts = [
                "was read as tasks",
                "explanation is not known; it was ignored",
            ];
            gives(
                &tools,
                "task_write",
                args.clone(),
                &["task_d:pending"],
                &texts,
            );
            args[name] = json!("[{\"content\": \"D\"}]");
            gives(
                &tools,
                "task_write",
                args.clone(),
                &["task_d:pending"],
                &texts,
            );
            args[name] = json!({"tasks": [{"content": "D"}]});
            gives(&tools, "task_write", args, &["task_d:pending"], &texts);
        }
    }
    // A plan in words beside the list is talk.
    let args = json!({"tasks": ["D"], "plan": "First look around"});
    gives(
        &Toolset::full(),
        "task_write",
        args,
        &["task_d:pending"],
        &["plan is not known"],
    );
}

#[test]
fn n04_what_may_turn_the_meaning_round_is_refused() {
    for (name, value) in [
        ("partial", json!(true)),
        ("partial", json!("true")),
        ("position", json!(1)),
        ("position", json!(1.5)),
        ("where", json!({"id": "a"})),
        ("ids", json!(["a"])),
        ("ids", json!("[\"a\"]")),
        ("mode", json!("update")),
        ("op", json!("add")),
        ("operation", json!("merge")),
        ("action", json!("Delete")),
        ("update_mode", json!("selective")),
        ("mode", json!(["replace"])),
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            let mut args = json!({"tasks": ["D"]});
            args[name] = value.clone();
            let text = format!("{name}: is not known, and this call replaces the whole list");
            refused(&tools, "task_write", args, &[&text]);
        }
    }
}

#[test]
fn n04_talk_and_words_for_replacing_are_not() {
    for (name, value) in [
        ("reason", json!("merge these")),
        ("explanation", json!("5")),
        ("partial", json!(false)),
        ("note", json!(null)),
        ("mode", json!("Replace")),
        ("updateMode", json!("overwrite")),
        ("op", json!("set")),
        ("action", json!("write")),
        ("merge", json!(false)),
        ("append", json!("false")),
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            let mut args = json!({"tasks": ["D"]});
            args[name] = value.clone();
            gives(&tools, "task_write", args, &["task_d:pending"], &[]);
        }
    }
    // Of other tools nothing is taken away, so what is not known is ignored as before.
    let args = json!({"id": "a", "status": "completed", "notify": true});
    let after = ["a:completed", "b:pending", "c:pending"];
    gives(
        &Toolset::full(),
        "task_update",
        args,
        &after,
        &["notify is not known; it was ignored"],
    );
}

#[test]
fn n04_a_merge_changes_and_adds_and_leaves_the_rest() {
    let flags = [
        json!({"merge": true}),
        json!({"append": true}),
        json!({"Merge": "true"}),
        json!({"mode": "merge"}),
        json!({"updateMode": "append"}),
        json!({"update_mode": "Merge"}),
    ];
    for tools in [Toolset::mastra(), Toolset::full()] {
        for flag in &flags {
            let mut args = flag.clone();
            args["tasks"] = json!([{"id": "b", "status": "completed"}, {"content": "New one"}, {"content": " c "}]);
            let after = [
                "a:pending",
                "b:completed",
                "c:pending",
                "task_new_one:pending",
            ];
            let list = gives(&tools, "task_write", args, &after, &[]);
            assert_eq!(&*list.get("b").unwrap().subject, "B", "the text stays");
        }
    }
    // As the schema has it, nothing is noted.
    let strict = Toolset::full().with_strictness(Strictness::Strict);
    let args =
        json!({"merge": true, "tasks": [{"id": "a", "content": "A", "status": "completed"}]});
    let after = ["a:completed", "b:pending", "c:pending"];
    gives(&strict, "task_write", args.clone(), &after, &[]);
    let mut list = abc();
    assert!(
        !full(&mut list, "task_write", args.clone())
            .text
            .contains("Note: ")
    );
    let strict = Toolset::mastra().with_strictness(Strictness::Strict);
    refused(&strict, "task_write", args, &["merge: is not known"]);
    let args = json!({"merge": true, "mode": "replace", "tasks": ["D"]});
    refused(
        &Toolset::full(),
        "task_write",
        args,
        &["merge: given twice"],
    );
    refused(
        &Toolset::full(),
        "task_write",
        json!({"merge": "some", "tasks": ["D"]}),
        &["merge: received"],
    );
    refused(
        &Toolset::full(),
        "task_write",
        json!({"merge": true}),
        &["tasks: missing"],
    );
}

#[test]
fn n04_a_merge_keeps_places_edges_and_finished_tasks() {
    let mut list = TaskList::new();
    list.write([
        TaskDraft::new("Done").id("done").status(Status::Completed),
        TaskDraft::new("Build").id("build").description("all of it"),
        TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
        TaskDraft::new("Same").id("s1"),
        TaskDraft::new("Same").id("s2"),
    ])
    .unwrap();
    let args = json!({"merge": true, "tasks": [
        {"content": "Announce", "blockedBy": ["ship"]},
        {"id": "build", "status": "in_progress"},
        {"content": "Same"},
    ]});
    let reply = full(&mut list, "task_write", args);
    assert_eq!(
        shown(&list),
        [
            "done:completed",
            "build:in_progress",
            "ship:pending",
            "s1:pending",
            "s2:pending",
            "task_announce:pending",
            "task_same_3:pending"
        ],
        "{}",
        reply.text
    );
    assert_eq!(blockers(&list, "ship"), ["build"]);
    assert_eq!(blockers(&list, "task_announce"), ["ship"]);
    assert_eq!(
        list.get("build").unwrap().description.as_deref(),
        Some("all of it")
    );
    assert!(reply.changes.facts.removed.is_empty() && reply.changes.facts.order.is_none());
    // An item is told of by its own place, not by that in the list.
    let reply = full(
        &mut list,
        "task_write",
        json!({"merge": true, "tasks": [{"id": "new", "status": "pending"}]}),
    );
    assert!(
        reply.text.contains("tasks[0].content: missing"),
        "{}",
        reply.text
    );
    // What others own stays theirs.
    list.update("ship", agent_tasklist::TaskPatch::new().owner("jo"))
        .unwrap();
    let tools = Toolset::full().acting_as("al").unwrap();
    let args = json!({"merge": true, "tasks": [{"id": "ship", "content": "Sink"}]});
    let reply = tools.call(&mut list, "task_write", &args);
    assert!(matches!(
        reply.refusal.unwrap().error,
        Some(Error::OwnedByOther { .. })
    ));
    // In a store, twice: the second time nothing is new.
    let tools = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::full(),
    );
    let args = json!({"merge": true, "tasks": [{"content": "A"}]});
    assert!(!block_on(tools.call("task_write", &args)).changes.is_empty());
    let reply = block_on(tools.call("task_write", &args));
    assert!(
        reply.changes.is_empty() && reply.data["revision"] == 1,
        "{}",
        reply.text
    );
}

#[test]
fn n05_a_status_is_read_wherever_it_is_given() {
    for (said, status) in [
        (json!({"state": "completed"}), "completed"),
        (json!({"state": "in progress"}), "in_progress"),
        (json!({"State": "todo"}), "pending"),
        (json!({"status": "[x]"}), "completed"),
        (json!({"status": "[-]"}), "in_progress"),
        (json!({"status": "[ ]"}), "pending"),
        (json!({"status": "x"}), "completed"),
        (json!({"done": true}), "completed"),
        (json!({"completed": true}), "completed"),
        (json!({"checked": "true"}), "completed"),
        (json!({"is_completed": true}), "completed"),
        (json!({"isDone": false}), "pending"),
        (json!({"done": true, "status": "completed"}), "completed"),
        (
            json!({"done": false, "status": "in_progress"}),
            "in_progress",
        ),
        (
            json!({"done": false, "state": "in_progress"}),
            "in_progress",
        ),
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            let mut item = said.clone();
            item["id"] = json!("a");
            let after = format!("a:{status}");
            let args = json!({"tasks": [item.clone()]});
            gives(&tools, "task_write", args, &[&after], &[]);
            gives(
                &tools,
                "task_update",
                item,
                &[&after, "b:pending", "c:pending"],
                &[],
            );
        }
        let mut item = said.clone();
        item["content"] = json!("D");
        let after = format!("task_d:{status}");
        gives(
            &Toolset::full(),
            "task_create",
            item,
            &["a:pending", "b:pending", "c:pending", &after],
            &[],
        );
        let mut item = said;
        item["task_id"] = json!("a");
        let after = format!("a:{status}");
        gives(
            &Toolset::murmur(),
            "task_update",
            item,
            &[&after, "b:pending", "c:pending"],
            &[],
        );
    }
    let args = json!({"id": "a", "isDone": true});
    let after = ["a:completed", "b:pending", "c:pending"];
    gives(
        &Toolset::full(),
        "task_update",
        args,
        &after,
        &["Note: isDone was read as status completed."],
    );
}

#[test]
fn n05_what_replies_say_of_a_task_is_an_echo() {
    for state in ["blocked", "dormant", "ready"] {
        let args = json!({"tasks": [{"id": "a", "content": "A", "state": state}]});
        let mut list = abc();
        let reply = full(&mut list, "task_write", args);
        assert_eq!(shown(&list), ["a:pending"]);
        assert!(
            !reply.text.contains("state") && list.get("a").unwrap().metadata.is_none(),
            "{}",
            reply.text
        );
    }
}

#[test]
fn n05_a_state_that_is_no_status_is_told_of() {
    let item = json!({"id": "a", "content": "A", "state": "paused"});
    let text = "state: received \"paused\", which is no status";
    refused(
        &Toolset::full(),
        "task_write",
        json!({"tasks": [item]}),
        &[text],
    );
    refused(
        &Toolset::full(),
        "task_create",
        json!({"content": "D", "state": "paused"}),
        &[text],
    );
    let args = json!({"tasks": [{"id": "a", "content": "A", "state": "paused"}]});
    let note = "has fields that are not known (state); they went into its metadata";
    gives(
        &Toolset::mastra(),
        "task_write",
        args,
        &["a:pending"],
        &[note],
    );
}

#[test]
fn n05_two_that_disagree_are_refused() {
    for item in [
        json!({"id": "a", "status": "pending", "state": "completed"}),
        json!({"id": "a", "status": "completed", "done": false}),
        json!({"id": "a", "status": "pending", "checked": true}),
        json!({"id": "a", "done": true, "completed": false}),
        json!({"id": "a", "state": "in_progress", "is_completed": true}),
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            refused(
                &tools,
                "task_update",
                item.clone(),
                &["status: given twice"],
            );
            refused(
                &tools,
                "task_write",
                json!({"tasks": [item.clone()]}),
                &["tasks[0].status: given twice"],
            );
        }
    }
}

/// The three sets, and the words that none of them may take for a status.
#[test]
fn a_word_that_is_no_status_is_refused() {
    for word in [
        "lost",
        "done!",
        "completed.",
        "pending?",
        "(done)",
        "\"done\"",
        "[y]",
        "[xx]",
        "paused",
        "xx",
        "done,",
    ] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            let item = json!({"id": "a", "content": "A", "status": word});
            let reply = refused(
                &tools,
                "task_write",
                json!({"tasks": [item]}),
                &["tasks[0].status: received", "allowed: "],
            );
            assert_eq!(reply.refusal.unwrap().kind, RefusalKind::InvalidArguments);
            refused(
                &tools,
                "task_update",
                json!({"id": "a", "status": word}),
                &["status: received"],
            );
        }
        refused(
            &Toolset::full(),
            "task_create",
            json!({"content": "D", "status": word}),
            &["status: received"],
        );
        refused(
            &Toolset::murmur(),
            "task_update",
            json!({"task_id": "a", "status": word}),
            &["status: received"],
        );
    }
}

#[test]
fn n10_a_blocker_goes_by_its_text() {
    let tools = Toolset::full();
    let mut list = TaskList::new();
    let args = json!({"tasks": [
        {"content": "Create the endpoints", "blockedBy": ["set up  the SCHEMA"]},
        {"content": "Set up the schema", "blocks": ["Write the docs"]},
        {"content": "Write the docs"},
    ]});
    let reply = tools.call(&mut list, "task_write", &args);
    let note =
        "Note: \"set up  the SCHEMA\" was read as task_set_up_the_schema, the task with that text.";
    assert!(reply.text.contains(note), "{}", reply.text);
    assert_eq!(
        blockers(&list, "task_create_the_endpoints"),
        ["task_set_up_the_schema"]
    );
    assert_eq!(
        blockers(&list, "task_write_the_docs"),
        ["task_set_up_the_schema"]
    );
    let args = json!({"content": "Write tests", "blockedBy": "Create the endpoints"});
    tools.call(&mut list, "task_create", &args);
    assert_eq!(
        blockers(&list, "task_write_tests"),
        ["task_create_the_endpoints"]
    );
    let args = json!({"id": "task_write_tests", "addBlockedBy": ["Write the docs"], "removeBlockedBy": ["create the endpoints"]});
    let reply = tools.call(&mut list, "task_update", &args);
    assert_eq!(
        blockers(&list, "task_write_tests"),
        ["task_write_the_docs"],
        "{}",
        reply.text
    );
    let args = json!({"task_id": "task_write_tests", "add_blocked_by": ["Set up the schema"]});
    let reply = Toolset::murmur().call(&mut list, "task_update", &args);
    assert!(
        reply.text.contains("was read as task_set_up_the_schema"),
        "{}",
        reply.text
    );
    // A merge counts what is there too, and in a store it is the same.
    let store = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::full(),
    );
    block_on(store.call("task_write", json!({"tasks": ["Build"]})));
    let args = json!({"merge": true, "tasks": [{"content": "Ship", "dependsOn": ["build"]}]});
    let reply = block_on(store.call("task_write", &args));
    assert_eq!(
        reply.data["tasks"][1]["blockedBy"],
        json!(["task_build"]),
        "{}",
        reply.text
    );
}

#[test]
fn n10_ids_go_first_and_two_of_one_text_are_unknown() {
    let tools = Toolset::full();
    // "a" is the text of one task and the id of another.
    let mut list = TaskList::new();
    let args = json!({"tasks": [{"id": "a", "content": "X"}, {"id": "y", "content": "a"}, {"content": "Z", "blockedBy": ["a"]}]});
    assert!(
        !tools
            .call(&mut list, "task_write", &args)
            .text
            .contains("Note: ")
    );
    assert_eq!(blockers(&list, "task_z"), ["a"]);
    // An id that the call makes is one too.
    let args =
        json!({"tasks": [{"content": "Build"}, {"content": "Ship", "blockedBy": ["task_build"]}]});
    assert!(
        !tools
            .call(&mut TaskList::new(), "task_write", &args)
            .is_error()
    );
    for args in [
        json!({"tasks": ["Twice", "Twice", {"content": "C", "blockedBy": ["Twice"]}]}),
        json!({"tasks": ["Twice", "twice", {"content": "C", "blockedBy": ["TWICE"]}]}),
        // Of a task that the write leaves out.
        json!({"tasks": [{"content": "C", "blockedBy": ["B"]}]}),
    ] {
        let reply = refused(&tools, "task_write", args, &["Task not found"]);
        assert_eq!(reply.refusal.unwrap().kind, RefusalKind::UnknownTask);
    }
    refused(
        &tools,
        "task_create",
        json!({"content": "A", "blockedBy": ["A "]}),
        &["Task not found: A"],
    );
    refused(
        &tools,
        "task_update",
        json!({"id": "b", "content": "A", "blocks": ["A"]}),
        &["Task not found: A"],
    );
    let strict = Toolset::full().with_strictness(Strictness::Strict);
    refused(
        &strict,
        "task_create",
        json!({"content": "D", "blockedBy": ["A"]}),
        &["Task not found: A"],
    );
}

#[test]
fn n15_whole_numbers_come_as_floats() {
    let tools = Toolset::full();
    let start = || {
        let mut list = abc();
        list.create(TaskDraft::new("Five").id("5")).unwrap();
        list
    };
    for (tool, args) in [
        ("task_complete", json!({"id": 5.0})),
        ("task_update", json!({"id": 5.0, "status": "completed"})),
        (
            "task_write",
            json!({"tasks": [{"id": 5.0, "status": "completed"}]}),
        ),
    ] {
        let mut list = start();
        let reply = tools.call(&mut list, tool, &args);
        assert_eq!(
            list.get("5").map(|task| task.status),
            Some(Status::Completed),
            "{}",
            reply.text
        );
        assert!(
            reply
                .text
                .contains("id was a number; it was read as a string"),
            "{}",
            reply.text
        );
    }
    let mut list = start();
    tools.call(
        &mut list,
        "task_update",
        json!({"id": "a", "blockedBy": [5.0]}),
    );
    assert_eq!(blockers(&list, "a"), ["5"]);
    let reply = Toolset::murmur().call(&mut list, "task_get", r#"{"task_id": 5.0}"#);
    assert_eq!(reply.data["taskId"], "5");
    let store = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::mastra(),
    );
    block_on(store.call("task_write", json!({"tasks": ["A"]})));
    let reply = block_on(store.call(
        "task_write",
        r#"{"tasks": [{"content": "B"}], "baseRevision": 1.0}"#,
    ));
    assert_eq!(reply.data["revision"], 2, "{}", reply.text);
    for id in [json!(5.5), json!(1e300)] {
        refused(
            &tools,
            "task_complete",
            json!({"id": id}),
            &["id: received"],
        );
    }
}

#[test]
fn n19_patterns_parted_by_commas_are_several() {
    let wanted = Activation::files_modified(["**/*.ts", "**/*.tsx"]).unwrap();
    for activation in [
        json!({"filesModified": ["**/*.ts,**/*.tsx"]}),
        json!({"filesModified": ["**/*.ts, **/*.tsx,"]}),
        json!({"filesModified": "**/*.ts,**/*.tsx"}),
        json!("**/*.ts,**/*.tsx"),
    ] {
        for (tool, args) in [
            (
                "task_create",
                json!({"content": "D", "activation": activation}),
            ),
            ("task_update", json!({"id": "a", "activation": activation})),
        ] {
            let mut list = abc();
            let reply = full(&mut list, tool, args);
            assert!(
                reply.text.contains("was read as 2 patterns."),
                "{}",
                reply.text
            );
            let sleeper = list
                .tasks()
                .find_map(|task| task.activation.as_deref())
                .unwrap();
            assert_eq!(*sleeper, wanted);
            list.files_modified(["src/a.tsx"]).unwrap();
            assert_eq!(list.in_state(State::Dormant).count(), 0);
        }
    }
    let mut list = TaskList::new();
    let args =
        json!({"subject": "D", "activate_when": "files_modified", "pattern": "**/*.ts,**/*.tsx"});
    let reply = Toolset::murmur().call(&mut list, "task_create", &args);
    assert!(
        reply.text.contains("was read as 2 patterns"),
        "{}",
        reply.text
    );
    assert_eq!(
        list.tasks().next().unwrap().activation.as_deref(),
        Some(&wanted)
    );
    // Commas in braces are of the pattern.
    let args = json!({"content": "D", "activation": {"filesModified": ["*.{ts,tsx}"]}});
    let mut list = TaskList::new();
    assert!(!full(&mut list, "task_create", args).text.contains("Note: "));
    assert_eq!(
        list.tasks()
            .next()
            .unwrap()
            .activation
            .as_ref()
            .unwrap()
            .patterns()
            .count(),
        1
    );
}

#[test]
fn n31_tasks_inside_a_task_are_tasks() {
    for tools in [Toolset::mastra(), Toolset::full()] {
        let args = json!({"tasks": [
            {"content": "E", "id": "e", "subtasks": [
                {"content": "E1", "status": "pending", "children": ["Deep", "- [x] Deeper"]},
                "E2",
            ]},
            {"content": "F", "sub_tasks": [{"content": "E2"}], "subtasks": []},
        ]});
        let after = [
            "e:pending",
            "task_e1:pending",
            "task_deep:pending",
            "task_deeper:completed",
            "task_e2:pending",
            "task_f:pending",
            "task_e2_2:pending",
        ];
        let note = "tasks[0].subtasks became tasks of their own, which the task waits for";
        let mut list = gives(&tools, "task_write", args.clone(), &after, &[note]);
        assert_eq!(blockers(&list, "e"), ["task_e1", "task_e2"]);
        assert_eq!(blockers(&list, "task_e1"), ["task_deep", "task_deeper"]);
        assert_eq!(
            blockers(&list, "task_f"),
            ["task_e2_2"],
            "by place, not by text"
        );
        assert!(
            tools
                .call(&mut list, "task_complete", json!({"id": "e"}))
                .is_error()
        );
        assert!(
            tools
                .call(&mut list, "task_write", &args)
                .changes
                .is_empty(),
            "again: no change"
        );
    }
    // With blockers of its own, in a merge, in a store.
    let store = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::full(),
    );
    block_on(store.call(
        "task_write",
        json!({"tasks": ["A", {"content": "B", "blockedBy": ["A"]}]}),
    ));
    let args = json!({"merge": true, "tasks": [{"id": "task_b", "subtasks": [{"content": "B1"}]}]});
    let reply = block_on(store.call("task_write", &args));
    assert_eq!(
        reply.data["tasks"][1]["blockedBy"],
        json!(["task_a", "task_b1"]),
        "{}",
        reply.text
    );
    // As a checklist, and as JSON in a text. What is wrong inside is told of with its path.
    for inner in [
        json!("- [x] E1\n- [ ] E2"),
        json!("[{\"content\": \"E1\", \"done\": true}, \"E2\"]"),
    ] {
        let args = json!({"tasks": [{"content": "E", "sub_tasks": inner}]});
        let after = ["task_e:pending", "task_e1:completed", "task_e2:pending"];
        gives(
            &Toolset::full(),
            "task_write",
            args,
            &after,
            &["tasks[0].sub_tasks became tasks"],
        );
    }
    let args = json!({"tasks": [{"content": "E", "subtasks": [{"content": "E1", "title": "E2"}]}]});
    refused(
        &Toolset::mastra(),
        "task_write",
        args,
        &["tasks[0].subtasks[0].content: given twice"],
    );
    refused(
        &Toolset::full(),
        "task_write",
        json!({"tasks": [{"content": "E", "children": 5}]}),
        &["children: not"],
    );
    // Where they cannot become tasks they are not put where nobody looks.
    let args = json!({"content": "D", "subtasks": [{"content": "D1"}]});
    refused(
        &Toolset::full(),
        "task_create",
        args.clone(),
        &["subtasks: not known here"],
    );
    let strict = Toolset::full().with_strictness(Strictness::Strict);
    refused(
        &strict,
        "task_write",
        json!({"tasks": [args]}),
        &["tasks[0].subtasks: is not known"],
    );
}

#[test]
fn n31_to_any_depth() {
    let mut item = json!({"content": "T"});
    for _ in 0..50 {
        item = json!({"content": "T", "subtasks": [item]});
    }
    let mut list = TaskList::new();
    let reply = full(&mut list, "task_write", json!({"tasks": [item]}));
    assert_eq!(list.len(), 51, "{}", reply.text);
    assert_eq!(list.ready().count(), 1);
}

#[test]
fn n32_dormant_tasks_are_named_where_they_are_counted() {
    let asleep = || TaskDraft::new("D").activation(Activation::files_modified(["docs/"]).unwrap());
    let mut list = TaskList::new();
    list.create(asleep()).unwrap();
    let tools = Toolset::full();
    let reply = tools.call(&mut list, "task_check", json!({}));
    assert!(
        reply
            .text
            .starts_with("Task Status: [0/1 completed, 1 dormant]"),
        "{}",
        reply.text
    );
    list.write([
        asleep(),
        TaskDraft::new("A").status(Status::Completed),
        TaskDraft::new("B"),
    ])
    .unwrap();
    let reply = tools.call(
        &mut list,
        "task_update",
        json!({"id": "task_b", "content": "C"}),
    );
    assert!(
        reply
            .text
            .starts_with("Tasks updated: [1/3 completed, 1 dormant]"),
        "{}",
        reply.text
    );
    let reply = tools.call(&mut list, "task_list", json!({}));
    assert!(
        reply.text.starts_with("Tasks: [1/3 completed, 1 dormant]"),
        "{}",
        reply.text
    );
    // In Mastra's form too, where a host puts tasks to sleep.
    let reply = Toolset::mastra().call(&mut list, "task_check", json!({}));
    assert!(
        reply
            .text
            .starts_with("Task Status: [1/3 completed, 1 dormant]\n"),
        "{}",
        reply.text
    );
    let store = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::full(),
    );
    let args = json!({"content": "D", "activation": {"filesModified": ["docs/"]}});
    let reply = block_on(store.call("task_create", &args));
    assert!(
        reply.text.contains("[0/1 completed, 1 dormant]"),
        "{}",
        reply.text
    );
    list.files_modified(["docs/a"]).unwrap();
    let reply = tools.call(&mut list, "task_check", json!({}));
    assert!(
        reply.text.starts_with("Task Status: [1/3 completed]\n"),
        "{}",
        reply.text
    );
}

#[test]
fn n34_a_claim_shows_the_description() {
    let text = "Use the v2 API, keep the old table until Friday";
    let tools = Toolset::full().acting_as("jo").unwrap();
    let mut list = TaskList::new();
    tools.call(
        &mut list,
        "task_create",
        json!({"content": "Migrate", "description": text}),
    );
    let reply = tools.call(&mut list, "task_claim", json!({}));
    assert!(
        reply
            .text
            .starts_with(&format!("You have task_migrate\n{text}\n")),
        "{}",
        reply.text
    );
    // Again, after the reply was lost; by id; in a store and for another.
    let reply = tools.call(&mut list, "task_claim", json!({"id": "task_migrate"}));
    assert!(reply.text.contains(text), "{}", reply.text);
    let store = ListTools::new(
        MemoryStore::new(),
        ListKey::new("k").unwrap(),
        Toolset::full(),
    );
    block_on(store.call(
        "task_create",
        json!({"content": "Migrate", "description": text}),
    ));
    let reply = block_on(store.call("task_claim", json!({"owner": "al"})));
    assert!(
        reply
            .text
            .starts_with(&format!("You have task_migrate\n{text}\n")),
        "{}",
        reply.text
    );
    tools.call(&mut list, "task_create", json!({"content": "Bare"}));
    tools.call(&mut list, "task_complete", json!({"id": "task_migrate"}));
    let reply = tools.call(&mut list, "task_claim", json!({}));
    assert!(
        reply.text.starts_with("You have task_bare\nTasks updated"),
        "{}",
        reply.text
    );
}

#[test]
fn words_for_nothing_are_not_given() {
    for word in ["null", "None", " nil ", "undefined", "N/A"] {
        let args = json!({"content": "D", "description": word, "activeForm": word, "owner": word});
        let mut list = TaskList::new();
        let reply = full(&mut list, "task_create", args);
        let task = list.tasks().next().unwrap();
        assert_eq!(
            (&task.description, &task.active_form, &task.owner),
            (&None, &None, &None)
        );
        assert!(reply.text.contains("counts as not given"), "{}", reply.text);
        refused(
            &Toolset::full(),
            "task_claim",
            json!({"owner": word}),
            &["owner: missing"],
        );
        refused(
            &Toolset::mastra(),
            "task_update",
            json!({"id": "a", "activeForm": word}),
            &["nothing to change"],
        );
        // A subject is no optional text.
        let mut list = TaskList::new();
        full(&mut list, "task_create", json!({"content": word}));
        assert_eq!(list.len(), 1);
    }
}

#[test]
fn what_a_write_removed_is_told_with_how_to_keep_it() {
    let full_note = "Removed, since this list does not have them: b \"B\", c \"C\". To keep them, send them too, \
        or add single tasks with task_create or with merge: true.";
    let args = json!({"tasks": [{"id": "a", "content": "A"}]});
    gives(
        &Toolset::full(),
        "task_write",
        args.clone(),
        &["a:pending"],
        &[full_note],
    );
    let note = "does not have them: b \"B\", c \"C\". To keep them, send the full list.";
    gives(
        &Toolset::mastra(),
        "task_write",
        args,
        &["a:pending"],
        &[note],
    );
}

#[test]
fn available_ids_are_those_of_the_list_that_the_call_would_have_made() {
    let tools = Toolset::full();
    let mut list = abc();
    let args = json!({"tasks": [{"id": "a", "content": "Other"}, {"content": "New", "blockedBy": ["zzz"]}]});
    let reply = tools.call(&mut list, "task_write", &args);
    assert_eq!(
        reply.text,
        "Task not found: zzz\n\nAvailable task IDs:\n- a\n- task_new",
    );
    // None: nothing is said of available ones.
    for (tool, args) in [
        ("task_complete", json!({"id": "zzz"})),
        ("task_create", json!({"content": "D", "blockedBy": ["zzz"]})),
    ] {
        let reply = tools.call(&mut TaskList::new(), tool, &args);
        assert!(!reply.text.contains("Available"), "{}", reply.text);
    }
    let mut list = TaskList::new();
    list.write((0..60).map(|n| TaskDraft::new("T").id(format!("t{n}"))))
        .unwrap();
    for tools in [Toolset::mastra(), Toolset::full()] {
        let reply = tools.call(&mut list, "task_complete", json!({"id": "zzz"}));
        assert!(reply.text.ends_with("\n- and 10 more"), "{}", reply.text);
    }
}

/// A store in which another writer is faster, once.
mod racing {
    use super::*;
    use agent_tasklist::store::{Commit, Revision, Store, StoreFuture, Stored, update};
    use std::sync::atomic::{AtomicBool, Ordering};

    #[derive(Debug, Default)]
    pub(super) struct Racing {
        pub(super) store: MemoryStore,
        pub(super) armed: AtomicBool,
    }

    impl Store for Racing {
        fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
            self.store.load(key)
        }

        fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
            Box::pin(async move {
                if self.armed.swap(false, Ordering::SeqCst) {
                    let policy = Policy::default();
                    let other = update(&self.store, key, &policy, |list| list.delete("b"));
                    other.await.unwrap();
                }
                self.store.commit(key, commit).await
            })
        }
    }
}

#[test]
fn the_reply_is_that_of_the_try_that_was_committed() {
    use std::sync::atomic::Ordering;
    let key = ListKey::new("k").unwrap();
    let store = std::sync::Arc::new(racing::Racing::default());
    let tools = ListTools::new(store.clone(), key, Toolset::full());
    let tasks = json!([{"id": "a", "content": "A"}, {"id": "b", "content": "B"}]);
    block_on(tools.call("task_write", json!({"tasks": tasks})));
    // The first try would have been carried out: the other writer took the task away before it was committed.
    store.armed.store(true, Ordering::SeqCst);
    let reply = block_on(tools.call("task_complete", json!({"id": "b"})));
    assert!(
        reply.is_error() && reply.text.starts_with("Task not found: b"),
        "{}",
        reply.text
    );
    assert!(
        reply.changes.is_empty() && reply.data["revision"] == 2,
        "{}",
        reply.data
    );
    // And a try that is carried out the second time tells of the list that it was carried out on.
    block_on(tools.call("task_create", json!({"content": "B", "id": "c"})));
    block_on(tools.call(
        "task_write",
        json!({"tasks": [{"id": "a"}, {"id": "b", "content": "B"}]}),
    ));
    store.armed.store(true, Ordering::SeqCst);
    let reply = block_on(tools.call("task_complete", json!({"id": "a"})));
    assert!(
        reply.text.starts_with("Tasks updated: [1/1 completed]"),
        "{}",
        reply.text
    );
    assert_eq!(reply.data["tasks"].as_array().unwrap().len(), 1);
}

fn loose_call() -> impl Strategy<Value = (&'static str, Value)> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..6u8).prop_map(Value::from),
        prop_oneof![
            "[abcd]",
            "A|B|C|merge|replace|delete|add|deleted|Removed",
            "- \\[x\\] A",
            r#"\["a"\]|\[\]|\{\}"#
        ]
        .prop_map(Value::from),
    ];
    let keys = "tasks|todos|plan|items|input|update|updates|add|remove|delete|ids|merge|append|mode|op|id|taskId|content|title|status|state|done|subtasks|blockedBy|clear|metadata|x";
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(keys, inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    let tools = [
        "task_write",
        "task_update",
        "task_complete",
        "task_create",
        "task_delete",
        "task_claim",
        "task_release",
    ];
    (prop::sample::select(tools.to_vec()), value)
}

/// Whether a `task_write` gives a list under its own name or one of the whole list, and says nothing of merging.
fn item_list_is_not_in_doubt(args: &Value) -> bool {
    const NAMES: [&str; 4] = ["tasks", "todos", "plan", "items"];
    let parsed = args
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let args = parsed.as_ref().unwrap_or(args);
    let members = |args: &Value| {
        let members = args.as_object()?;
        let names = |name: &&String| NAMES.contains(&name.as_str());
        let merges = ["merge", "append"]
            .iter()
            .any(|name| args[*name] == true || args[*name] == "true");
        let other = (members.iter()).any(|(name, value)| {
            ["add", "remove", "delete", "update", "updates", "ids"].contains(&name.as_str())
                && (value.is_array() || value.is_object())
        });
        Some(members.keys().any(|name| names(&name)) && !merges && !other)
    };
    args.is_array() || members(args).unwrap_or(false) || members(&args["input"]).unwrap_or(false)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..ProptestConfig::default() })]

    /// No lenient call takes a task away unless the same call in strict form does, or it is a write whose list is
    /// not in doubt, or it says in so many words that a task is to be deleted.
    #[test]
    fn no_repair_takes_a_task_away((tool, args) in loose_call()) {
        for tools in [Toolset::mastra(), Toolset::full(), Toolset::murmur()] {
            let mut list = abc();
            let reply = tools.call(&mut list, tool, &args);
            if reply.changes.facts.removed.is_empty() {
                continue;
            }
            let mut other = abc();
            let strict = tools.clone().with_strictness(Strictness::Strict);
            let strict = strict.call(&mut other, tool, &args);
            let says_delete = tool == "task_delete" || args.to_string().contains("deleted");
            prop_assert!(
                strict.changes.facts.removed == reply.changes.facts.removed
                    || tool == "task_write" && item_list_is_not_in_doubt(&args)
                    || tool != "task_write" && says_delete,
                "{} {}: {}", tool, args, reply.text
            );
        }
    }
}

//! Why a call is refused, as the host sees it; and arguments as text.

use agent_tasklist::policy::Dependencies;
use agent_tasklist::store::{
    Commit, ListKey, MemoryStore, Revision, Store, StoreError, StoreFuture, Stored, block_on,
};
use agent_tasklist::tools::{Access, Detail, ListTools, RefusalKind, Reply, Strictness, Toolset};
use agent_tasklist::{Error, Policy, Status, TaskDraft, TaskList};
use serde_json::{Value, json};

/// A store that fails every load in one way.
struct Broken(Failure);

type Failure = fn() -> StoreError;

impl Store for Broken {
    fn load<'a>(&'a self, _: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async { Err((self.0)()) })
    }

    fn commit<'a>(&'a self, _: &'a ListKey, _: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async { Err((self.0)()) })
    }
}

fn key() -> ListKey {
    ListKey::new("w/acme/u/jo/thread-1").unwrap()
}

fn toolsets() -> [Toolset; 3] {
    [Toolset::mastra(), Toolset::murmur(), Toolset::full()]
}

fn kind(reply: &Reply) -> RefusalKind {
    assert!(reply.is_error(), "{}", reply.text);
    assert!(reply.changes.is_empty());
    reply.refusal.as_ref().unwrap().kind
}

fn two() -> TaskList {
    let mut list = TaskList::new();
    let drafts = [
        TaskDraft::new("Build").id("build"),
        TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
    ];
    list.write(drafts).unwrap();
    list
}

#[test]
fn each_kind_of_refusal_is_told_apart() {
    let tools = Toolset::full();
    for (name, args, expected) in [
        ("task_fly", json!({}), RefusalKind::UnknownTool),
        ("task_get", json!({}), RefusalKind::InvalidArguments),
        (
            "task_create",
            json!({"id": "a/b", "content": "A"}),
            RefusalKind::InvalidArguments,
        ),
        (
            "task_complete",
            json!({"id": "x"}),
            RefusalKind::UnknownTask,
        ),
        ("task_complete", json!({"id": "ship"}), RefusalKind::Refused),
    ] {
        let reply = tools.call(&mut two(), name, &args);
        assert_eq!(kind(&reply), expected, "{}", reply.text);
        assert_eq!(reply.data["isError"], true);
    }
    let reply = tools.call(&mut two(), "task_complete", json!({"id": "ship"}));
    let error = reply.refusal.unwrap().error;
    assert!(matches!(error, Some(Error::OpenBlockers { id, .. }) if id == "ship"));
    let reply = tools.call(&mut two(), "task_complete", json!({"id": "build"}));
    assert_eq!((reply.is_error(), reply.refusal), (false, None));

    let slug = json!({"slug": "docs"});
    let reply = Toolset::murmur().call(&mut two(), "task_list", &slug);
    assert_eq!(kind(&reply), RefusalKind::OtherList);
    let no_list = ListTools::new(MemoryStore::new(), None, Toolset::full());
    let reply = block_on(no_list.call("task_list", "{}"));
    assert_eq!(kind(&reply), RefusalKind::NoList);
    let closed = ListTools::new(MemoryStore::new(), key(), Toolset::murmur())
        .with_access(|_, _| Access::Unauthenticated);
    let reply = block_on(closed.call("task_list", &slug));
    assert_eq!(kind(&reply), RefusalKind::Unauthenticated);
    let stored = ListTools::new(MemoryStore::new(), key(), Toolset::full());
    let outdated = json!({"tasks": [], "baseRevision": 7});
    let reply = block_on(stored.call("task_write", &outdated));
    assert_eq!(kind(&reply), RefusalKind::Outdated);
}

#[test]
fn what_the_store_says_has_a_kind_and_a_code() {
    let cases: [(Failure, RefusalKind, &str); 4] = [
        (|| StoreError::Conflict, RefusalKind::Conflict, "ABORTED"),
        (
            || StoreError::corrupt("cut off"),
            RefusalKind::Corrupt,
            "DATA_LOSS",
        ),
        (
            || StoreError::unauthenticated("who?"),
            RefusalKind::Unauthenticated,
            "UNAUTHENTICATED",
        ),
        (
            || StoreError::backend("gone"),
            RefusalKind::Unavailable,
            "UNAVAILABLE",
        ),
    ];
    for (error, expected, code) in cases {
        for tools in toolsets() {
            let tools = ListTools::new(Broken(error), key(), tools);
            let reply = block_on(tools.call("task_update", r#"{"id": "a", "subject": "A"}"#));
            assert_eq!(kind(&reply), expected);
            assert!(
                reply
                    .data
                    .get("error")
                    .is_none_or(|error| error["code"] == code)
            );
        }
    }
}

/// An agent that asks whether it may stop must not be told so because its list is damaged.
#[test]
fn a_damaged_list_is_never_finished() {
    for detail in [Detail::Full, Detail::Changed] {
        for tools in toolsets() {
            let tools = tools.with_detail(detail);
            for spec in tools.specs() {
                let broken = Broken(|| StoreError::corrupt("cut off"));
                let list = ListTools::new(broken, key(), tools.clone());
                let args = json!({"id": "a", "task_id": "a", "content": "A", "subject": "A", "owner": "jo", "tasks": []});
                let reply = block_on(list.call(spec.name, &args));
                assert_eq!(kind(&reply), RefusalKind::Corrupt);
                assert_ne!(reply.data["summary"]["canFinish"], true);
                assert_ne!(reply.data["summary"]["allCompleted"], true);
                assert!(block_on(list.can_finish()).is_err());
            }
        }
    }
    let full = Toolset::full();
    for tools in [full.clone(), full.with_detail(Detail::Changed)] {
        for name in ["task_check", "task_complete"] {
            let reply = tools.call(&mut two(), name, "[1]");
            let members = reply.data.as_object().unwrap();
            assert!(reply.is_error() && !members.contains_key("summary"));
            assert!(!members.contains_key("incompleteTasks"));
        }
    }
}

#[test]
fn the_loop_of_the_host_asks_whether_to_finish() {
    let tools = ListTools::new(MemoryStore::new(), key(), Toolset::full());
    let can_finish = || block_on(tools.can_finish()).unwrap();
    assert!(can_finish(), "there is no list yet");
    block_on(tools.call("task_create", r#"{"content": "A"}"#));
    assert!(!can_finish());
    block_on(tools.call("task_complete", r#"{"id": "task_a"}"#));
    assert!(can_finish());
    let without_list = ListTools::new(Broken(|| StoreError::Conflict), None, Toolset::full());
    assert!(block_on(without_list.can_finish()).unwrap());
}

#[test]
fn a_list_in_memory_has_no_revisions() {
    for strictness in [Strictness::Lenient, Strictness::Strict] {
        for tools in [Toolset::mastra(), Toolset::full()] {
            let tools = tools.with_strictness(strictness);
            let mut list = two();
            for revision in [json!(0), json!(3), json!("x")] {
                let args = json!({"tasks": [], "baseRevision": revision});
                let reply = tools.call(&mut list, "task_write", &args);
                assert_eq!(kind(&reply), RefusalKind::InvalidArguments);
                assert!(reply.text.contains("- baseRevision: "), "{}", reply.text);
                assert_eq!(list.len(), 2);
            }
            let none = json!({"tasks": [], "baseRevision": null});
            assert!(!tools.call(&mut list, "task_write", &none).is_error());
        }
    }
    let args = json!({"tasks": [], "baseRevision": 0});
    let reply = Toolset::full().call(&mut two(), "task_write", &args);
    let said = "baseRevision: this list has no revisions, since it is in no store; leave it out";
    assert!(reply.text.contains(said), "{}", reply.text);
}

#[test]
fn arguments_can_be_text() {
    let text = r#"{"tasks": [{"id": "a", "content": "A", "status": "pending"}]}"#;
    for strictness in [Strictness::Lenient, Strictness::Strict] {
        let tools = Toolset::full().with_strictness(strictness);
        let (mut one, mut other) = (TaskList::new(), TaskList::new());
        let reply = tools.call(&mut one, "task_write", text);
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(reply, tools.call(&mut other, "task_write", &value));
        assert!(!reply.is_error() && !reply.text.contains("Note"));
        assert_eq!(one, other);
        assert_eq!(reply, tools.call(&mut TaskList::new(), "task_write", value));
        assert_eq!(
            reply,
            tools.call(&mut TaskList::new(), "task_write", &text.to_owned())
        );
        for blank in ["", " \n"] {
            assert!(!tools.call(&mut one, "task_list", blank).is_error());
        }
    }
    let fenced = format!("```json\n{text}\n```");
    let lenient = Toolset::full().call(&mut TaskList::new(), "task_write", &fenced);
    assert!(
        !lenient.is_error()
            && lenient
                .text
                .contains("Note: The arguments were a JSON string")
    );
    let strict = Toolset::full().with_strictness(Strictness::Strict);
    let reply = strict.call(&mut TaskList::new(), "task_write", &fenced);
    assert_eq!(kind(&reply), RefusalKind::InvalidArguments);
}

#[test]
fn text_that_is_not_json_is_refused_with_the_place() {
    let cut = r#"{"tasks": [{"content": "A", "status": "pending"}"#;
    let padded = format!(
        "{{\"content\": \"{}\",\n  \"ünïcode\" oops}}",
        "x".repeat(500)
    );
    let deep = "[".repeat(100_000);
    for (text, place, near) in [
        (
            cut,
            "EOF while parsing a list at line 1 column 48",
            "pending",
        ),
        (&padded, "expected `:` at line 2 column 15", "oops"),
        (
            &deep,
            "recursion limit exceeded at line 1 column 128",
            "[[[",
        ),
        ("buy milk", "expected value at line 1 column 1", "buy milk"),
        ("é", "expected value at line 1 column 1", "é"),
        ("{\"content\": \"\u{1}é", "control character", "content"),
    ] {
        for tools in toolsets() {
            for spec in tools.specs() {
                let reply = tools.call(&mut two(), spec.name, text);
                assert_eq!(kind(&reply), RefusalKind::InvalidArguments);
                let problems: Vec<&str> = reply
                    .text
                    .lines()
                    .filter(|line| line.starts_with("- "))
                    .collect();
                let [problem] = problems[..] else {
                    panic!("one problem: {}", reply.text)
                };
                let said = "- arguments: not valid JSON: ";
                assert!(problem.starts_with(said), "{problem}");
                assert!(
                    problem.contains(place) && problem.contains(near),
                    "{problem}"
                );
                assert!(problem.chars().count() < 220, "{problem}");
            }
        }
    }
}

#[test]
fn no_text_panics() {
    let text = r#"```json {"tasks": [{"content": "Ä", "blockedBy": "[\"é\"]"}], "x": 1e999}```"#;
    let ends = text.char_indices().map(|(at, _)| at);
    for end in ends.clone() {
        for start in ends.clone().filter(|start| *start <= end) {
            Toolset::full().call(&mut two(), "task_write", &text[start..end]);
        }
    }
    for depth in [1, 100, 127, 128, 129, 5_000] {
        for (open, close) in [("[", "]"), ("{\"tasks\":", "}"), ("{\"metadata\":", "}")] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            Toolset::full().call(&mut two(), "task_create", &text);
            let quoted = json!(text).to_string();
            Toolset::full().call(&mut two(), "task_write", &quoted);
        }
    }
}

#[test]
fn what_a_policy_only_advises_is_told_plainly() {
    let mut policy = Policy::default();
    policy.dependencies = Dependencies::Advise;
    let tools = Toolset::full().with_policy(policy);
    for (status, done) in [("in_progress", "started"), ("completed", "completed")] {
        let args = json!({"id": "ship", "status": status});
        let reply = tools.call(&mut two(), "task_update", &args);
        let note = format!(
            "Note: ship waits for build. It was {done} anyway, since the policy only advises."
        );
        assert!(reply.text.ends_with(&note), "{}", reply.text);
    }
}

#[test]
fn available_ids_are_those_that_the_call_would_have_made() {
    let mut list = TaskList::new();
    let args = json!({"tasks": [{"content": "A"}, {"content": "B", "blockedBy": ["x"]}]});
    let reply = Toolset::full().call(&mut list, "task_write", &args);
    let said = "Task not found: x\n\nAvailable task IDs:\n- task_a\n- task_b";
    assert_eq!(reply.text, said);
    list.create(TaskDraft::new("A").status(Status::InProgress))
        .unwrap();
    let reply = Toolset::full().call(&mut list, "task_complete", "{\"id\": \"x\"}");
    let said = "Task not found: x\n\nAvailable task IDs:\n- task_a: A (in_progress)";
    assert_eq!(reply.text, said);
}

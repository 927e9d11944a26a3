//! The program as a client that is none sees it: lines in, lines out, and the command line.

mod support;

use agent_tasklist::store::{ListKey, Store, block_on};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::process::{Command, Stdio};
use store_file::FileStore;
use support::{SERVER, folder, run};

/// Sends lines after the handshake and hangs up. Gives what the server answers to each id, all of it JSON-RPC.
fn exchange(args: &[&str], lines: &[String]) -> Vec<(Value, Value)> {
    let begin = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "lines", "version": "1"},
    });
    let mut input = request(json!("begin"), "initialize", &begin) + "\n";
    input += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    input.extend(lines.iter().map(|line| format!("{line}\n")));
    let file = folder(&format!("wire-{:?}", std::thread::current().id())).join("input");
    fs::write(&file, input).unwrap();
    let ran = run(Command::new(SERVER).args(args), File::open(file).unwrap());
    assert!(ran.status.success(), "{}", ran.stderr);
    assert_eq!(ran.stderr, "");
    let mut answers: Vec<(Value, Value)> = (ran.stdout.lines())
        .map(|line| {
            let mut answer: Value = serde_json::from_str(line).expect(line);
            assert_eq!(answer["jsonrpc"], "2.0");
            let [id, result, error] = ["id", "result", "error"].map(|member| answer[member].take());
            (id, if error.is_null() { result } else { error })
        })
        .collect();
    let begun = answers.remove(0);
    assert_eq!(begun.0, "begin");
    assert_eq!(begun.1["protocolVersion"], "2025-06-18");
    answers.sort_by_key(|(id, _)| id.as_i64());
    answers
}

fn request(id: Value, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn call(id: usize, tool: &str, arguments: Value) -> String {
    request(
        id.into(),
        "tools/call",
        &json!({"name": tool, "arguments": arguments}),
    )
}

/// Arguments that MCP does not allow are malformed; a line that is no JSON that can be read is passed over by
/// rmcp, without an answer; and the server goes on.
#[test]
fn malformed_requests_are_answered() {
    let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    let lines = [
        call(1, "task_list", json!([])),
        call(2, "task_list", json!("{\"tasks\":[]}")),
        call(3, "task_list", json!(7)),
        request(json!(4), "tools/call", &json!({"arguments": {}})),
        request(json!(5), "tools/call", &json!(null)),
        request(json!(6), "tools/burn", &json!({})),
        call(7, "task_list", json!(null)),
        call(8, "task_write", json!({"tasks": "DEEP"})).replace("\"DEEP\"", &deep),
        "no JSON".to_owned(),
        call(9, "task_check", json!({})),
    ];
    let answers = exchange(&[], &lines);
    let malformed = json!({
        "code": -32602,
        "message": "tools/call takes the name of a tool, a string, and its arguments, an object.",
    });
    let ids: Vec<i64> = answers.iter().filter_map(|(id, _)| id.as_i64()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 9]);
    for (id, answer) in &answers[..5] {
        assert_eq!(*answer, malformed, "{id}");
    }
    assert_eq!(
        answers[5].1,
        json!({"code": -32601, "message": "tools/burn"})
    );
    for (id, answer) in &answers[6..] {
        assert_eq!(answer["isError"], false, "{id}: {answer}");
    }
}

/// A client that hangs up has its calls carried out all the same, and answered.
#[test]
fn calls_before_the_end_are_kept() {
    const CALLS: usize = 20;
    let folder = folder("wire-kept");
    let store = format!("file:{}", folder.display());
    let create = |id| {
        call(
            id,
            "task_create",
            json!({"id": format!("t{id}"), "content": "A"}),
        )
    };
    let lines: Vec<String> = (0..CALLS).map(create).collect();
    let answers = exchange(&["--store", &store, "--key", "kept"], &lines);
    assert_eq!(answers.len(), CALLS);
    for (id, answer) in &answers {
        assert_eq!(
            answer["structuredContent"]["id"],
            format!("t{id}"),
            "{answer}"
        );
    }
    let stored = block_on(FileStore::new(&folder).load(&ListKey::new("kept").unwrap()));
    let stored = stored.unwrap().expect("there is a list");
    assert_eq!(stored.list.tasks().count(), CALLS);
    assert_eq!(stored.revision.get(), CALLS as u64);
}

/// Lists are apart by key, and what one owner works on another leaves alone.
#[test]
fn keys_and_owners() {
    let store = format!("sqlite:{}", folder("wire-keys").join("lists.db").display());
    let as_owner = |key: &str, owner: &str, line: String| {
        let answers = exchange(
            &["--store", &store, "--key", key, "--owner", owner],
            &[line],
        );
        answers[0].1["structuredContent"].clone()
    };
    let build = json!({"id": "build", "content": "Build", "status": "pending"});
    as_owner("one", "jo", call(1, "task_create", build));
    assert_eq!(
        as_owner("one", "jo", call(1, "task_claim", json!({})))["claimed"],
        "build"
    );
    assert_eq!(
        as_owner("one", "al", call(1, "task_claim", json!({}))).get("claimed"),
        None
    );
    assert_eq!(
        as_owner("one", "al", call(1, "task_list", json!({})))["tasks"][0]["owner"],
        "jo"
    );
    assert_eq!(
        as_owner("two", "jo", call(1, "task_list", json!({})))["tasks"],
        json!([])
    );
}

#[test]
fn toolsets() {
    for (tools, count) in [("full", 10), ("mastra", 4), ("murmur", 4)] {
        let answers = exchange(
            &["--tools", tools],
            &[request(json!(1), "tools/list", &json!({}))],
        );
        assert_eq!(answers[0].1["tools"].as_array().unwrap().len(), count);
    }
    let create = json!({"subject": "Update the docs"});
    let answers = exchange(&["--tools", "murmur"], &[call(1, "task_create", create)]);
    assert_eq!(
        answers[0].1["content"][0]["text"],
        r#"{"task_id":"task_update_the_docs"}"#
    );
}

#[test]
fn command_line() {
    let ran = run(Command::new(SERVER).arg("--help"), Stdio::null());
    assert_eq!((ran.status.code(), ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.starts_with("usage: with-rmcp [--tools TOOLS]"));
    let refused = [
        (
            &["--tols", "full"][..],
            "there is no option --tols; see --help",
        ),
        (
            &["--key"],
            "--key is not known or takes a value; see --help",
        ),
        (
            &["--tools", "all"],
            "--tools is full, mastra or murmur, not all",
        ),
        (
            &["--store", "redis:x"],
            "--store is memory, file:FOLDER or sqlite:FILE, not redis:x",
        ),
        (
            &["--store", "file:"],
            "--store is memory, file:FOLDER or sqlite:FILE, not file:",
        ),
        (&["--owner", " "], "The name of an owner must not be blank."),
        (&[], "connection closed: initialize request"),
    ];
    for (args, error) in refused {
        let ran = run(Command::new(SERVER).args(args), Stdio::null());
        assert_eq!(
            (ran.status.code(), ran.stdout.as_str()),
            (Some(2), ""),
            "{args:?}"
        );
        assert_eq!(ran.stderr, format!("with-rmcp: {error}\n"));
    }
}

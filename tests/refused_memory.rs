//! For the operator: refusing an input takes memory in proportion to it, whatever it is.
//!
//! A binary of its own, since counting replaces the allocator. What is counted is what the thread of the test allocates, to
//! the byte. What the system says that a process has is neither exact nor its own: the kernel counts pages on each processor
//! and sums up now and then, and takes pages away when others need them.

use agent_tasklist::tools::Toolset;
use agent_tasklist::{TaskDraft, TaskList, TaskPatch};
use allocation_counter::measure;
use serde_json::{Map, Value, json};

fn list() -> TaskList {
    let mut list = TaskList::new();
    list.write(["a", "b"].map(|id| TaskDraft::new(id.to_uppercase()).id(id)))
        .unwrap();
    list
}

/// Arguments, without a copy of them on the way.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.map(|(key, value)| (key.to_owned(), value));
    Value::Object(Map::from_iter(members))
}

type Giant = (&'static str, f64, fn(usize) -> Box<dyn Fn()>);

/// Giant inputs, by name, and how many times its size each may take beside itself: it is built of a
/// size in bytes, which gives what refuses it. What is dense has values of two to four bytes of JSON, of
/// which serde_json makes some of 32, and a text that is read as a task becomes a map. A `Vec` that grows counts
/// twice while it moves.
const GIANTS: [Giant; 13] = [
    ("the subject of a write", 4.0, |bytes| {
        let subject = "ö".repeat(bytes / 2);
        Box::new(move || {
            assert!(list().write([TaskDraft::new(&subject)]).is_err());
        })
    }),
    ("the description of an update", 4.0, |bytes| {
        let description = "x".repeat(bytes);
        Box::new(move || {
            let patch = TaskPatch::new().description(&description);
            assert!(list().update("a", patch).is_err());
        })
    }),
    ("a modified path", 4.0, |bytes| {
        let paths = ["docs/a".to_owned(), "x/".repeat(bytes / 2)];
        Box::new(move || {
            assert!(list().files_modified(&paths).is_err());
        })
    }),
    ("metadata through a tool", 4.0, |bytes| {
        let args = object([("content", "N".into()), ("more", "x".repeat(bytes).into())]);
        Box::new(move || {
            let reply = Toolset::full().call(&mut list(), "task_create", &args);
            assert!(reply.is_error() && reply.text.len() < 300);
        })
    }),
    ("an id through a tool", 4.0, |bytes| {
        let args = object([("id", "x".repeat(bytes).into())]);
        Box::new(move || {
            let reply = Toolset::full().call(&mut list(), "task_complete", &args);
            assert!(reply.is_error() && reply.text.len() < 300);
        })
    }),
    ("a text in a JSON text through a tool", 4.0, |bytes| {
        let args = object([("tasks", ["[\"", &*"x".repeat(bytes), "\"]"].concat().into())]);
        Box::new(move || {
            let reply = Toolset::mastra().call(&mut list(), "task_write", &args);
            assert!(reply.is_error() && reply.text.len() < 300);
        })
    }),
    ("a dense JSON text through a tool", 26.0, |bytes| {
        let args = object([(
            "tasks",
            format!("[{}null]", "null,".repeat(bytes / 8)).into(),
        )]);
        Box::new(move || {
            let reply = Toolset::mastra().call(&mut list(), "task_write", &args);
            assert!(reply.is_error() && reply.text.len() < 1000);
        })
    }),
    ("a dense array through a tool", 7.0, |bytes| {
        let args = object([("tasks", vec![Value::from(0); bytes / 32].into())]);
        Box::new(move || {
            let reply = Toolset::mastra().call(&mut list(), "task_write", &args);
            assert!(reply.is_error() && reply.text.len() < 1000);
        })
    }),
    ("dense texts through a tool", 30.0, |bytes| {
        let args = object([("tasks", vec![Value::from("T"); bytes / 48].into())]);
        Box::new(move || {
            let reply = Toolset::mastra().call(&mut list(), "task_write", &args);
            assert!(reply.is_error() && reply.text.len() < 1000);
        })
    }),
    ("dense stored files", 10.0, |bytes| {
        let json = format!(
            r#"{{"version":1,"tasks":[],"run":{{"files":[{}"a"]}}}}"#,
            r#""a","#.repeat(bytes / 16)
        );
        Box::new(move || {
            assert!(TaskList::from_json(&json).is_err());
        })
    }),
    ("tasks through a tool", 4.0, |bytes| {
        let task = json!({"content": "A task of some length", "status": "pending"});
        let args = object([("tasks", vec![task; bytes / 60].into())]);
        Box::new(move || {
            let reply = Toolset::mastra().call(&mut list(), "task_write", &args);
            assert!(reply.is_error() && reply.text.len() < 300);
        })
    }),
    ("a stored subject", 4.0, |bytes| {
        let json = [
            r#"{"version":1,"tasks":[{"id":"a","status":"pending","subject":""#,
            &*"x".repeat(bytes),
            "\"}]}",
        ];
        let json = json.concat();
        Box::new(move || {
            assert!(TaskList::from_json(&json).is_err());
        })
    }),
    ("stored tasks", 4.0, |bytes| {
        let mut json =
            r#"{"version":1,"tasks":[{"id":"t","subject":"T","status":"pending"}"#.to_owned();
        for n in 0..bytes / 70 {
            let task = r#"","subject":"A task of some length","status":"pending"}"#;
            json += &format!(r#",{{"id":"t{n}{task}"#);
        }
        json += "]}";
        Box::new(move || {
            assert!(TaskList::from_json(&json).is_err());
        })
    }),
];

#[test]
fn memory_of_a_refused_input_is_proportional_to_it() {
    let mut wrong = Vec::new();
    for (name, most, build) in GIANTS {
        let mut refuse: Option<Box<dyn Fn()>> = None;
        let input = measure(|| refuse = Some(build(8 << 20))).bytes_current;
        let beside = measure(refuse.as_ref().unwrap());
        let times = beside.bytes_max as f64 / input as f64;
        println!("{name}: {times:.2} times its size, of {input} bytes");
        assert!(input > 4 << 20, "{name}: {input} bytes");
        assert_eq!(beside.bytes_current, 0, "{name}: something is kept");
        // Values are larger with features of serde_json that another crate may switch on.
        let most = most * size_of::<Value>() as f64 / 32.0;
        if times > most {
            wrong.push(format!("{name}: {times:.2} times its size, not {most}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

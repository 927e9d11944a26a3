//! Stored lists: JSON text or, where the input starts with the separator, made from the bytes.

use crate::SEPARATOR;
use crate::make::{self, Bytes};
use agent_tasklist::TaskList;
use serde_json::{Value, json};

pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((&SEPARATOR, rest)) => check(&stored(&mut Bytes::new(rest)).to_string()),
        _ => {
            if let Ok(json) = std::str::from_utf8(data) {
                check(json);
            }
        }
    }
}

fn check(json: &str) {
    let strict = TaskList::from_json(json);
    assert_eq!(
        serde_json::from_str::<TaskList>(json).ok(),
        strict.as_ref().ok().cloned()
    );
    let lenient = TaskList::from_json_lenient(json);
    if let Ok(list) = &strict {
        make::check(list);
        let (again, repairs) = lenient.as_ref().expect("lenient takes what strict takes");
        assert_eq!((again, &repairs[..]), (list, &[][..]));
    }
    if let Err(error) = &strict {
        assert!(error.to_string().len() < 10_000 + 2 * json.len());
    }
    if let Ok((list, repairs)) = lenient {
        make::check(&list);
        assert_eq!(repairs.is_empty(), strict.is_ok());
        for repair in &repairs {
            assert!(list.get(&repair.task).is_some());
        }
    }
}

/// The JSON of something like a list.
fn stored(bytes: &mut Bytes<'_>) -> Value {
    let tasks = bytes.some(9, task);
    let mut list = json!({"version": 1, "tasks": tasks});
    if bytes.one_in(2) {
        list["retired"] = bytes.some(5, task).into();
    }
    if bytes.one_in(2) {
        list["run"] = json!({"id": "r1", "files": bytes.some(5, Bytes::path)});
    }
    match bytes.below(24) {
        0 => list["version"] = bytes.value(1),
        1 => list["run"] = json!({"incomplete": bytes.one_in(2)}),
        2 => list["tasks"] = bytes.value(2),
        3 => list[bytes.text()] = bytes.value(2),
        _ => {}
    }
    list
}

fn task(bytes: &mut Bytes<'_>) -> Value {
    const IDS: [&str; 12] = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "task_build",
        "task_build_2",
        "é",
        "a ",
    ];
    let id = bytes.pick(&IDS);
    let mut task = json!({"id": id, "subject": bytes.text(), "status": "pending"});
    for _ in 0..bytes.below(5) {
        let (name, value): (&str, Value) = match bytes.below(12) {
            0 | 1 => (
                "status",
                bytes.pick(&["in_progress", "completed", "deleted"]).into(),
            ),
            2..5 => ("blocked_by", bytes.some(4, |bytes| bytes.pick(&IDS)).into()),
            5 => ("description", bytes.text().into()),
            6 => ("owner", bytes.owner().into()),
            7 => ("started", bytes.one_in(2).into()),
            8 => ("deleted", bytes.one_in(2).into()),
            9 => ("metadata", Value::Object(bytes.metadata())),
            10 => (
                "activation",
                json!({"files_modified": bytes.some(4, Bytes::pattern)}),
            ),
            _ => (
                bytes.pick(&[
                    "active_form",
                    "id",
                    "subject",
                    "x",
                    "metadata",
                    "activation",
                ]),
                bytes.value(3),
            ),
        };
        task[name] = value;
    }
    task
}

//! Tool calls on a list.
//!
//! The first part of the input makes the list and the toolset, each further one a call: a byte for
//! the tool, and the arguments as JSON text or, where it is none, made from the bytes.

use crate::SEPARATOR;
use crate::make::{self, Bytes, nested};
use agent_tasklist::TaskList;
use agent_tasklist::tools::{Detail, Reply, Strictness, Toolset};
use serde_json::{Map, Value, json};

/// The tools that there are, and one that there is not. A call's first byte picks.
pub const TOOLS: [&str; 11] = [
    "task_write",
    "task_update",
    "task_complete",
    "task_check",
    "task_create",
    "task_get",
    "task_list",
    "task_delete",
    "task_claim",
    "task_release",
    "task_\u{202e}none",
];

pub fn run(data: &[u8]) {
    let mut parts = data.split(|&byte| byte == SEPARATOR);
    let mut setup = Bytes::new(parts.next().unwrap_or_default());
    let tools = toolset(&mut setup);
    let specs = tools.specs();
    let mut list = setup.list();
    for part in parts {
        let Some((&tool, args)) = part.split_first() else {
            continue;
        };
        let name = TOOLS[usize::from(tool) % TOOLS.len()];
        let args = serde_json::from_slice(args)
            .unwrap_or_else(|_| arguments(&mut Bytes::new(args), &list));
        let reply = call(&tools, &mut list, name, &args);
        let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
            assert!(reply.is_error());
            continue;
        };
        if reply.is_error() {
            continue;
        }
        check_schema(&reply.data, &spec.output_schema, name);
        assert!(!spec.hints.read_only || reply.changes.is_empty());
        // The second of two items with one id is new work each time.
        if spec.hints.idempotent && reply.changes.notes.duplicate_ids.is_empty() {
            let again = tools.call(&mut list.clone(), name, &args);
            assert!(again.changes.is_empty(), "{:?}", again.changes.facts);
        }
    }
    make::check(&list);
}

fn toolset(bytes: &mut Bytes<'_>) -> Toolset {
    let mut tools = match bytes.below(3) {
        0 => Toolset::full(),
        1 => Toolset::murmur(),
        _ => Toolset::mastra(),
    };
    tools = tools.with_policy(bytes.policy());
    if bytes.one_in(3) {
        // A blank name is refused.
        tools = tools.clone().acting_as(bytes.owner()).unwrap_or(tools);
    }
    if bytes.one_in(4) {
        tools = tools.with_strictness(Strictness::Strict);
    }
    if bytes.one_in(3) {
        tools = tools.with_detail(Detail::Changed);
    }
    tools
}

/// Carries out a call, and checks what every call promises.
pub fn call(tools: &Toolset, list: &mut TaskList, name: &str, args: &Value) -> Reply {
    let before = list.clone();
    let json = before.to_json();
    let reply = tools.call(list, name, args);
    let now = list.to_json();
    assert!(reply.data.is_object());
    assert_eq!(
        reply.changes.is_empty(),
        *list == before,
        "{:?}",
        reply.changes.facts
    );
    if reply.is_error() || ["task_check", "task_get", "task_list"].contains(&name) {
        assert_eq!(*list, before);
        assert_eq!(now, json);
    }
    let most = match reply.is_error() {
        true => 10_000 + 2 * json.len(),
        false => 20_000 + 8 * (json.len() + now.len()),
    };
    assert!(reply.text.len() <= most, "{} bytes", reply.text.len());

    let mut loaded = TaskList::from_json(&json).expect("what is stored can be read");
    loaded.set_policy(loaded.policy().with_limits(before.policy().limits));
    assert_eq!(tools.call(&mut loaded, name, args), reply);
    assert_eq!(loaded, *list);
    reply
}

/// Checks a value against a schema in the style of the tools' own.
fn check_schema(value: &Value, schema: &Value, path: &str) {
    let is_right = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        Some("boolean") => value.is_boolean(),
        _ => false,
    };
    assert!(is_right, "{path}: {value} for {schema}");
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{path}: {value}");
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap();
        assert!(value.get(name).is_some(), "{path}.{name} is missing");
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let schema = schema["properties"].get(name);
        let schema = schema.unwrap_or_else(|| panic!("{path}.{name} is not in the schema"));
        check_schema(value, schema, name);
    }
    for item in value.as_array().into_iter().flatten() {
        check_schema(item, &schema["items"], path);
    }
}

/// Arguments that look like those of a tool.
fn arguments(bytes: &mut Bytes<'_>, list: &TaskList) -> Value {
    let args = match bytes.below(8) {
        0..3 => json!({"tasks": bytes.some(7, |bytes| item(bytes, list))}),
        3..7 => item(bytes, list),
        _ => bytes.value(3),
    };
    match bytes.below(12) {
        0 => args.to_string().into(),
        1 => json!({ "args": args }),
        2 => json!({"tasks": args.to_string()}),
        3 => format!("```json\n{args}\n```").into(),
        4 => nested(bytes.below(120), args),
        _ => args,
    }
}

fn item(bytes: &mut Bytes<'_>, list: &TaskList) -> Value {
    if bytes.one_in(12) {
        return bytes.text().into();
    }
    let mut members = Map::new();
    for _ in 0..1 + bytes.below(6) {
        let (mut name, value) = member(bytes, list);
        match bytes.below(12) {
            0 => name = name.to_uppercase(),
            1 => name.insert(name.len() / 2, '_'),
            2 => name = bytes.text(),
            _ => {}
        }
        members.insert(name, value);
    }
    members.into()
}

fn member(bytes: &mut Bytes<'_>, list: &TaskList) -> (String, Value) {
    let (names, value): (&[&str], Value) = match bytes.below(10) {
        0 | 1 => (&["id", "task_id", "taskId"], bytes.id(list).into()),
        2 | 3 => (
            &["content", "subject", "title", "task"],
            bytes.text().into(),
        ),
        4 => (
            &["status"],
            bytes
                .pick(&[
                    "pending",
                    "in_progress",
                    "completed",
                    "deleted",
                    "DONE",
                    "TASK_STATUS_PENDING",
                    "in-progress",
                    "x",
                ])
                .into(),
        ),
        5 => (
            &[
                "blockedBy",
                "blocks",
                "addBlockedBy",
                "removeBlockedBy",
                "addBlocks",
                "removeBlocks",
                "add_blocks",
                "add_blocked_by",
                "dependsOn",
                "deps",
            ],
            bytes.ids(list).into(),
        ),
        6 => (
            &["activeForm", "description", "details", "state", "pattern"],
            bytes.text().into(),
        ),
        7 => (
            &["owner", "assignee", "slug", "workspace"],
            bytes.owner().into(),
        ),
        8 => match bytes.below(4) {
            0 => (
                &["clear"],
                json!([bytes.pick(&["owner", "blockedBy", "metadata", "activeForm", "x"])]),
            ),
            1 => (&["activate_when"], "files_modified".into()),
            2 => (&["metadata"], Value::Object(bytes.metadata())),
            _ => (
                &["activation"],
                json!({"filesModified": bytes.some(4, Bytes::pattern)}),
            ),
        },
        _ => (
            &[
                "id",
                "content",
                "status",
                "blockedBy",
                "metadata",
                "activation",
                "tasks",
                "baseRevision",
            ],
            bytes.value(3),
        ),
    };
    let name = bytes.pick(names).to_owned();
    let value = match bytes.below(16) {
        0 => value.to_string().into(),
        1 => json!([value]),
        2 => value.get(0).cloned().unwrap_or_default(),
        _ => value,
    };
    (name, value)
}

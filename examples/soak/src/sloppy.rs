//! The same call as a careless model sends it.

use crate::random::Random;
use serde_json::{Map, Value, json};

/// Arguments that mean the same.
pub fn sent(random: &mut Random, tool: &str, args: &Value) -> Value {
    let Value::Object(args) = args else {
        return args.clone();
    };
    let based = args.contains_key("baseRevision");
    let mut top = match tool {
        "task_write" => args.clone(),
        _ => task(random, args),
    };
    if let Some(Value::Array(items)) = top.get_mut("tasks") {
        for item in items.iter_mut() {
            if let Value::Object(members) = item
                && random.percent(10)
            {
                *item = line(random, members).unwrap_or_else(|| task(random, members).into());
            }
        }
        let list = Value::Array(items.clone());
        let list = match random.below(6) {
            0 => list.to_string().into(),
            1 => format!("```json\n{list}\n```").into(),
            2 if !items.is_empty() => json!({"items": list}),
            3 if !based && !items.is_empty() => return list,
            _ => list,
        };
        top.insert("tasks".into(), list);
    }
    let known = matches!(tool, "task_update" | "task_complete" | "task_delete");
    if known && random.percent(20) {
        top.insert("reason".into(), "because".into());
    }
    let wraps = known || tool == "task_create" || tool == "task_write";
    match random.below(12) {
        0 if wraps => json!({"input": top}),
        1 => Value::Object(top).to_string().into(),
        2 if top.is_empty() => Value::Null,
        _ => top.into(),
    }
}

/// The arguments without the revision that they were written on, which only a list in a store has.
pub fn unguarded(sent: &Value) -> Value {
    match sent {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value) => unguarded(&value).to_string().into(),
            Err(_) => sent.clone(),
        },
        Value::Object(members) => {
            let mut members = members.clone();
            members.remove("baseRevision");
            if let Some(Value::Object(inner)) = members.get_mut("input") {
                inner.remove("baseRevision");
            }
            members.into()
        }
        other => other.clone(),
    }
}

/// An item as a text or a line of a checklist, where it says no more than that.
fn line(random: &mut Random, item: &Map<String, Value>) -> Option<Value> {
    let content = item.get("content")?.as_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == ' ';
    if !content.chars().all(plain) || content.contains("  ") {
        return None;
    }
    match (item.len(), item.get("status").and_then(Value::as_str)) {
        (1, None) => Some(content.into()),
        (2, Some("completed")) => Some(format!("- [x] {content}").into()),
        (2, Some("pending")) if random.percent(50) => Some(format!("- [ ] {content}").into()),
        _ => None,
    }
}

/// Other spellings of the members of a task.
fn task(random: &mut Random, members: &Map<String, Value>) -> Map<String, Value> {
    let mut sent = Map::new();
    for (name, value) in members {
        if name == "metadata" && random.percent(50) {
            sent.extend(value.as_object().cloned().unwrap_or_default());
            continue;
        }
        let name = match name.as_str() {
            "id" => random.one(&["id", "taskId", "task_id", "ID"]),
            "content" => random.one(&["content", "subject", "title", "Text", "step"]),
            "activeForm" => random.one(&["activeForm", "active_form"]),
            "description" => random.one(&["description", "details"]),
            "blockedBy" => random.one(&["blockedBy", "depends_on", "dependencies", "blocked-by"]),
            "addBlockedBy" => random.one(&["addBlockedBy", "add_blocked_by", "addDependencies"]),
            "removeBlockedBy" => random.one(&["removeBlockedBy", "removeDependencies"]),
            "owner" => random.one(&["owner", "assignee"]),
            other => other,
        };
        sent.insert(
            name.to_owned(),
            spelled(random, value, name == "activation"),
        );
    }
    if !members.contains_key("owner") && members.contains_key("content") && random.percent(30) {
        sent.insert("owner".into(), Value::Null);
        sent.entry("state").or_insert("blocked".into());
    }
    sent
}

fn spelled(random: &mut Random, value: &Value, activation: bool) -> Value {
    match value {
        Value::String(word) => match word.as_str() {
            "completed" => random.one(&["done", "Complete", "TASK_STATUS_COMPLETED"]),
            "in_progress" => random.one(&["in-progress", "running", "In Progress"]),
            "pending" => random.one(&["todo", "open", "TASK_STATUS_PENDING"]),
            _ => word,
        }
        .into(),
        Value::Array(ids) if ids.len() == 1 && random.percent(40) => ids[0].clone(),
        Value::Array(_) if random.percent(40) => value.to_string().into(),
        Value::Object(members) if activation => match random.below(3) {
            0 => members["filesModified"].clone(),
            1 => json!({"files_modified": members["filesModified"]}),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

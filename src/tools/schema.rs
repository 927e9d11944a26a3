//! Builds JSON Schemas in the style that all providers accept: one string `type` a node, string enums, no
//! additional properties, and optional means not in `required`.
//!
//! Only the building blocks are here. What the schema of a tool holds follows from its row. Tested in
//! `tests/schemas.rs`.

use serde_json::{Map, Value, json};

pub(super) fn string(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

pub(super) fn integer(description: &str) -> Value {
    json!({"type": "integer", "description": description})
}

pub(super) fn string_enum(allowed: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": allowed, "description": description})
}

pub(super) fn array(items: Value, description: &str) -> Value {
    json!({"type": "array", "items": items, "description": description})
}

/// An object of these properties: name, schema, and whether it is required.
pub(super) fn object(properties: &[(&str, Value, bool)]) -> Value {
    let schemas: Map<String, Value> = (properties.iter())
        .map(|(name, schema, _)| ((*name).to_owned(), schema.clone()))
        .collect();
    let required: Vec<&str> = (properties.iter())
        .filter(|(.., required)| *required)
        .map(|(name, ..)| *name)
        .collect();
    json!({
        "type": "object",
        "properties": schemas,
        "required": required,
        "additionalProperties": false,
    })
}

/// An activation, in and out.
pub(super) fn files_modified(glob: &str) -> Value {
    object(&[("filesModified", array(string(glob), "Any of these"), true)])
}

pub(super) fn boolean(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// The schemas inside a schema.
fn inner(schema: &mut Value) -> Vec<&mut Value> {
    let mut inner = Vec::new();
    for (key, value) in schema.as_object_mut().into_iter().flatten() {
        match (key.as_str(), value) {
            ("items", items) => inner.push(items),
            ("properties", Value::Object(properties)) => inner.extend(properties.values_mut()),
            _ => {}
        }
    }
    inner
}

/// Makes every property required, and lets those be null that were not.
pub(super) fn require_all(schema: &mut Value) {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let names = schema["properties"]
            .as_object()
            .map(|all| all.keys().cloned().collect());
        let names: Vec<String> = names.unwrap_or_default();
        let required = schema.get("required").cloned().unwrap_or_default();
        let required = required.as_array().map_or(&[][..], Vec::as_slice);
        for name in names
            .iter()
            .filter(|name| !required.iter().any(|other| other == *name))
        {
            let property = &mut schema["properties"][name];
            // OpenAI's strict mode has no optional properties; one that may be null stands for it.
            property["type"] = json!([property["type"], "null"]);
            if let Some(words) = property.get_mut("enum").and_then(Value::as_array_mut) {
                words.push(Value::Null);
            }
        }
        if schema.get("properties").is_some() {
            schema["required"] = names.into();
        }
        open.extend(inner(schema));
    }
}

pub(super) fn drop_additional_properties(schema: &mut Value) {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if let Some(members) = schema.as_object_mut() {
            members.remove("additionalProperties");
        }
        open.extend(inner(schema));
    }
}

//! JSON Schemas, by hand, in the style that all providers accept: one string `type` a
//! node, string enums, no additional properties, optional = not required.

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

//! [`ToolSpec`]: a tool as models and clients are told of it, and the shapes in which providers list tools.
//!
//! Everything in it follows from the row, the policy and the detail; nothing is written here. Tested in
//! `tests/schemas.rs`, and `tests/descriptions.txt` has every description.

use super::catalogue::{Hints, Tool};
use super::params;
use super::reply::Detail;
use super::schema;
use crate::policy::{InProgress, Policy};
use serde::Serialize;
use serde_json::{Value, json};

/// A tool as a model and its client are told of it.
///
/// The schemas are in the style that all providers accept: one string `type` a node, string enums, no
/// additional properties, optional means not in `required`; no references, unions or defaults. Where
/// a provider wants it otherwise there are [`strict`](Self::strict) and
/// [`without_additional_properties`](Self::without_additional_properties).
///
/// It serialises in MCP's shape. [`openai`](Self::openai), [`anthropic`](Self::anthropic) and [`mcp`](Self::mcp)
/// give what these protocols list.
///
/// ```
/// use agent_tasklist::tools::Toolset;
///
/// let specs = Toolset::full().specs();
/// let listed: Vec<_> = specs.iter().map(|spec| spec.openai()).collect();
/// assert_eq!(listed[0]["function"]["name"], "task_write");
/// assert_eq!(listed[0]["function"]["parameters"]["type"], "object");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that calls give.
    pub name: &'static str,
    /// A name for people.
    pub title: &'static str,
    /// When to use the tool and what it takes, for the model.
    pub description: String,
    /// The JSON Schema of the arguments, an object.
    pub input_schema: Value,
    /// The JSON Schema of [`Reply::data`](crate::tools::Reply::data), an object, where the call is not refused.
    pub output_schema: Value,
    /// What the tool does to the list, for clients that ask before they let a model do it.
    #[serde(rename = "annotations")]
    pub hints: Hints,
}

impl ToolSpec {
    pub(super) fn new(tool: &Tool, policy: &Policy, detail: Detail, stored: bool) -> Self {
        let [one, per_owner, any] = tool.rule;
        let rule = match policy.in_progress {
            InProgress::One => one,
            InProgress::PerOwner => per_owner,
            InProgress::Unlimited => any,
        };
        let mut output_schema = (tool.output)(detail);
        if stored {
            output_schema["properties"]["revision"] =
                schema::integer("The revision of the list, 0 where there is none yet");
        }
        ToolSpec {
            name: tool.name,
            title: tool.title,
            // A rule that does not hold under the policy must not be told.
            description: tool.description.replace("{rule}", rule),
            input_schema: params::input_schema(tool.params, stored),
            output_schema,
            hints: tool.hints,
        }
    }

    /// The tool as OpenAI's chat completions list it.
    pub fn openai(&self) -> Value {
        json!({"type": "function", "function": {
            "name": self.name,
            "description": self.description,
            "parameters": self.input_schema,
        }})
    }

    /// The tool as Anthropic's messages list it.
    pub fn anthropic(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        })
    }

    /// The tool as an MCP server lists it.
    pub fn mcp(&self) -> Value {
        json!(self)
    }

    /// The same with an input schema as OpenAI's strict mode wants it: every property is required, and those
    /// that were optional may be `null`, which counts as not given.
    #[must_use]
    pub fn strict(mut self) -> Self {
        schema::require_all(&mut self.input_schema);
        self
    }

    /// The same with schemas that do not speak of `additionalProperties`, for providers that refuse the word.
    #[must_use]
    pub fn without_additional_properties(mut self) -> Self {
        schema::drop_additional_properties(&mut self.input_schema);
        schema::drop_additional_properties(&mut self.output_schema);
        self
    }
}

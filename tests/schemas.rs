//! For the framework author: every provider accepts the schemas of the tools, they say what a tool does, and what a schema
//! allows is accepted and answered in the form that the tool declares.

use agent_tasklist::store::{ListKey, MemoryStore, block_on};
use agent_tasklist::tools::{Detail, ListTools, Strictness, ToolSpec, Toolset};
use agent_tasklist::{Activation, Status, TaskDraft, TaskList};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn toolsets() -> [(&'static str, Toolset); 3] {
    [
        ("mastra", Toolset::mastra()),
        ("murmur", Toolset::murmur()),
        ("full", Toolset::full()),
    ]
}

/// The toolsets, and the same with short replies.
fn all_toolsets() -> Vec<Toolset> {
    let short = |tools: &Toolset| tools.clone().with_detail(Detail::Changed);
    let long = toolsets().map(|(_, tools)| tools);
    long.iter().map(short).chain(long.clone()).collect()
}

/// Calls `visit` with every schema inside a schema.
fn walk(schema: &Value, visit: &mut impl FnMut(&Map<String, Value>)) {
    let members = schema.as_object().expect("a schema is an object");
    visit(members);
    if let Some(items) = members.get("items") {
        walk(items, visit);
    }
    for property in members
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::values)
    {
        walk(property, visit);
    }
}

#[test]
fn schemas_are_in_the_style_that_all_providers_accept() {
    const WORDS: [&str; 7] = [
        "type",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "additionalProperties",
    ];
    for tools in all_toolsets() {
        for spec in tools.specs() {
            for schema in [&spec.input_schema, &spec.output_schema] {
                assert_eq!(schema["type"], "object");
                walk(schema, &mut |schema| {
                    let kind = schema["type"].as_str().expect("one type, a string");
                    assert!(
                        schema.keys().all(|word| WORDS.contains(&word.as_str())),
                        "{schema:?}"
                    );
                    match kind {
                        "object" => {
                            assert_eq!(schema["additionalProperties"], false);
                            let properties = schema["properties"].as_object().unwrap();
                            let required = schema["required"].as_array().unwrap();
                            assert!(
                                required
                                    .iter()
                                    .all(|name| properties.contains_key(name.as_str().unwrap()))
                            );
                        }
                        "array" => assert!(schema["items"].is_object()),
                        "string" | "integer" | "boolean" => {}
                        other => panic!("{other}"),
                    }
                    if let Some(words) = schema.get("enum") {
                        assert!(words.as_array().unwrap().iter().all(Value::is_string));
                    }
                });
            }
        }
    }
}

#[test]
fn optional_parameters_are_few() {
    for (name, tools) in toolsets() {
        let mut optional = 0;
        for spec in tools.specs() {
            walk(&spec.input_schema, &mut |schema| {
                if let Some(properties) = schema.get("properties") {
                    let required = schema["required"].as_array().unwrap().len();
                    optional += properties.as_object().unwrap().len() - required;
                }
            });
        }
        println!("{name}: {optional} optional parameters");
        match name {
            "full" => assert_eq!(optional, 32, "the docs of Toolset::full say the figure"),
            _ => assert!(optional <= 24),
        }
    }
}

#[test]
fn strict_schemas_require_every_property() {
    for (_, tools) in toolsets() {
        for spec in tools.specs() {
            let lenient = spec.clone();
            let strict = spec.strict();
            walk(&strict.input_schema, &mut |schema| {
                if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                    let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
                    let mut required: Vec<&str> = schema["required"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter_map(Value::as_str)
                        .collect();
                    names.sort_unstable();
                    required.sort_unstable();
                    assert_eq!(names, required);
                }
            });
            assert_eq!(strict.output_schema, lenient.output_schema);
            let none: Map<String, Value> = (strict.input_schema["properties"]
                .as_object()
                .unwrap()
                .keys())
            .filter(|name| {
                !lenient.input_schema["required"]
                    .as_array()
                    .unwrap()
                    .contains(&json!(name))
            })
            .map(|name| (name.clone(), Value::Null))
            .collect();
            let required_only = json!({"type": "object", "properties": strict.input_schema["properties"], "required": []});
            assert!(
                jsonschema::is_valid(&required_only, &Value::Object(none)),
                "null for what is optional"
            );
        }
    }
    let status = &Toolset::full().specs()[1].clone().strict().input_schema["properties"]["status"];
    assert_eq!(status["type"], json!(["string", "null"]));
    assert_eq!(
        status["enum"],
        json!(["pending", "in_progress", "completed", "deleted", null])
    );
}

#[test]
fn additional_properties_can_be_left_unsaid() {
    for (_, tools) in toolsets() {
        for spec in tools.specs() {
            let spec = spec.without_additional_properties();
            assert!(
                !spec
                    .input_schema
                    .to_string()
                    .contains("additionalProperties")
            );
            assert!(
                !spec
                    .output_schema
                    .to_string()
                    .contains("additionalProperties")
            );
        }
    }
}

#[test]
fn hints_say_what_a_tool_does() {
    for (_, tools) in toolsets() {
        for spec in tools.specs() {
            let hints = spec.hints;
            assert!(!spec.title.is_empty() && !hints.open_world);
            assert!(!(hints.read_only && hints.destructive));
            let looks = ["task_check", "task_list", "task_get"].contains(&spec.name);
            assert_eq!(hints.read_only, looks, "{}", spec.name);
            assert_eq!(hints.idempotent, spec.name != "task_create");
        }
    }
}

/// What a model is told, for a look at every change of it.
#[test]
fn descriptions_are_as_they_were() {
    let mut told = String::new();
    for (name, tools) in toolsets() {
        for spec in tools.specs() {
            told += &format!("{name} {}: {}\n", spec.name, spec.description);
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/descriptions.txt");
    if std::env::var_os("UPDATE_DESCRIPTIONS").is_some() {
        std::fs::write(file, &told).unwrap();
    }
    let before = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(
        told, before,
        "run with UPDATE_DESCRIPTIONS=1 if that is meant"
    );
}

/// Any value that a schema allows, with texts that are not blank.
fn valid(schema: &Value) -> BoxedStrategy<Value> {
    match schema["type"].as_str() {
        Some("object") => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let properties = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            let members = properties.iter().map(|(name, schema)| {
                let (name, needed) = (name.clone(), required.contains(&json!(name)));
                let value = valid(schema);
                let given = if needed {
                    Just(true).boxed()
                } else {
                    any::<bool>().boxed()
                };
                (given, value).prop_map(move |(given, value)| given.then(|| (name.clone(), value)))
            });
            let members: Vec<_> = members.collect();
            members
                .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
                .boxed()
        }
        Some("array") => prop::collection::vec(valid(&schema["items"]), 0..4)
            .prop_map(Value::from)
            .boxed(),
        Some("integer") => (0..5u64).prop_map(Value::from).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        _ => match schema.get("enum").and_then(Value::as_array) {
            Some(words) => prop::sample::select(words.clone()).boxed(),
            None => "[ab]|task_a|[A-Z][a-z]{0,5}|docs/\\*\\*"
                .prop_map(Value::from)
                .boxed(),
        },
    }
}

fn calls() -> impl Strategy<Value = (usize, usize, Value)> {
    let all: Vec<_> = (all_toolsets().into_iter().enumerate())
        .flat_map(|(set, tools)| {
            let specs: Vec<ToolSpec> = tools.specs();
            (0..specs.len()).map(move |tool| {
                valid(&specs[tool].input_schema)
                    .prop_map(move |args| (set, tool, args))
                    .boxed()
            })
        })
        .collect();
    prop::strategy::Union::new(all)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_a_schema_allows_is_accepted_and_answered_in_form(calls in prop::collection::vec(calls(), 1..6)) {
        let store = MemoryStore::new();
        for (set, tool, args) in calls {
            let tools = all_toolsets()[set].clone().acting_as("a").unwrap().with_strictness(Strictness::Strict);
            let tools = ListTools::new(store.clone(), ListKey::new("k").unwrap(), tools);
            let spec = &tools.specs()[tool];
            prop_assert!(jsonschema::is_valid(&spec.input_schema, &args));
            let reply = block_on(tools.call(spec.name, &args));
            let refused_for_shape = reply.text.contains("The arguments are not right");
            let says_nothing = ["nothing to change", "goes with activate_when", "says something else", "leave owner out",
                // No array has a shortest length in the schemas: not all providers accept one.
                "there is no pattern"];
            prop_assert!(
                !refused_for_shape || says_nothing.iter().any(|said| reply.text.contains(said)),
                "{} {args}: {}", spec.name, reply.text
            );
            if !reply.is_error() {
                let fits = jsonschema::validate(&spec.output_schema, &reply.data).map_err(|error| error.to_string());
                prop_assert_eq!(fits, Ok(()), "{} {}", spec.name, reply.data);
            }
        }
    }
}

#[test]
fn every_tool_answers_in_form() {
    let until = Activation::files_modified(["docs/**"]).unwrap();
    for tools in all_toolsets() {
        let tools = tools.acting_as("jo").unwrap();
        for spec in tools.specs() {
            let mut list = TaskList::new();
            list.write([
                TaskDraft::new("A")
                    .id("a")
                    .description("more")
                    .owner("jo")
                    .status(Status::InProgress),
                TaskDraft::new("B").id("b").blocked_by(["a"]),
                TaskDraft::new("C").id("c").activation(until.clone()),
            ])
            .unwrap();
            let args = match spec.name {
                "task_write" => json!({"tasks": [{"content": "A", "status": "pending"}]}),
                "task_create" => json!({"content": "D", "subject": "D"}),
                "task_update" => json!({"id": "a", "task_id": "a", "status": "completed"}),
                "task_check" | "task_list" | "task_claim" | "task_release" => json!({}),
                _ => json!({"id": "a", "task_id": "a"}),
            };
            let known = spec.input_schema["properties"].as_object().unwrap();
            let args: Value = args
                .as_object()
                .unwrap()
                .iter()
                .filter(|(name, _)| known.contains_key(*name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect::<Map<_, _>>()
                .into();
            let reply = tools.call(&mut list, spec.name, &args);
            assert!(!reply.is_error(), "{}: {}", spec.name, reply.text);
            jsonschema::validate(&spec.output_schema, &reply.data)
                .unwrap_or_else(|error| panic!("{}: {error}", spec.name));
        }
    }
}

#[test]
fn tools_are_listed_in_the_shapes_of_providers() {
    for (_, tools) in toolsets() {
        for spec in tools.specs() {
            let schema = &spec.input_schema;
            assert_eq!(
                spec.openai(),
                json!({"type": "function", "function": {
                    "name": spec.name, "description": spec.description, "parameters": schema,
                }})
            );
            assert_eq!(
                spec.anthropic(),
                json!({"name": spec.name, "description": spec.description, "input_schema": schema})
            );
            let hints = spec.hints;
            let mcp = json!({
                "name": spec.name,
                "title": spec.title,
                "description": spec.description,
                "inputSchema": schema,
                "outputSchema": spec.output_schema,
                "annotations": {
                    "readOnlyHint": hints.read_only,
                    "destructiveHint": hints.destructive,
                    "idempotentHint": hints.idempotent,
                    "openWorldHint": hints.open_world,
                },
            });
            assert_eq!(spec.mcp(), mcp);
            assert_eq!(serde_json::to_value(&spec).unwrap(), mcp);
        }
    }
}

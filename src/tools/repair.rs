//! Turns what models really send into what the schemas ask for, and says what it understood.
//!
//! A pass before the reading: it knows the parameters of each tool, and gives the arguments in
//! their canonical form. What it cannot make sense of it leaves as it is, for the reader to refuse.

use crate::error::Quote;
use crate::render;
use crate::text::is_blank;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;

/// A parameter: its name, the other names that it goes by, and what it holds.
#[derive(Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    /// As [`plain`] has them.
    aliases: &'static [&'static str],
    holds: Holds,
}

#[derive(Clone, Copy, Debug)]
enum Holds {
    Text,
    Id,
    Ids,
    Words,
    Status,
    Number,
    Activation,
    /// An object that goes into the metadata of the task.
    Metadata,
    /// Nothing that is read.
    Echo,
    Tasks(&'static [Param]),
}

const fn param(name: &'static str, aliases: &'static [&'static str], holds: Holds) -> Param {
    Param {
        name,
        aliases,
        holds,
    }
}

const ID: Param = param("id", &["taskid"], Holds::Id);
const CONTENT: Param = param(
    "content",
    &["subject", "title", "step", "task", "text", "name"],
    Holds::Text,
);
const STATUS: Param = param("status", &[], Holds::Status);
const ACTIVE_FORM: Param = param("activeForm", &[], Holds::Text);
const DESCRIPTION: Param = param("description", &["details"], Holds::Text);
const BLOCKED_BY: Param = param(
    "blockedBy",
    &["dependson", "dependencies", "deps", "blockers"],
    Holds::Ids,
);
const BLOCKS: Param = param("blocks", &[], Holds::Ids);
const ACTIVATION: Param = param("activation", &[], Holds::Activation);
const OWNER: Param = param("owner", &["assignee"], Holds::Text);
/// What replies say of a task, and models send back with it.
const STATE: Param = param("state", &[], Holds::Echo);
const METADATA: Param = param("metadata", &[], Holds::Metadata);
const BASE_REVISION: Param = param("baseRevision", &[], Holds::Number);
const TASK_ID: Param = param("task_id", &["id"], Holds::Id);
const SUBJECT: Param = param(
    "subject",
    &["content", "title", "step", "task", "text", "name"],
    Holds::Text,
);
const SLUG: Param = param("slug", &[], Holds::Text);
const WORKSPACE: Param = param("workspace", &[], Holds::Text);

const MASTRA_ITEM: &[Param] = &[ID, CONTENT, STATUS, ACTIVE_FORM, METADATA];
const FULL_ITEM: &[Param] = &[
    ID,
    CONTENT,
    STATUS,
    ACTIVE_FORM,
    DESCRIPTION,
    BLOCKED_BY,
    BLOCKS,
    ACTIVATION,
    OWNER,
    STATE,
    METADATA,
];

/// The parameters of Mastra's tools, and of the full ones.
pub(super) fn mastra(name: &str, full: bool) -> &'static [Param] {
    match (name, full) {
        ("task_write", false) => {
            const {
                &[
                    param("tasks", &[], Holds::Tasks(MASTRA_ITEM)),
                    BASE_REVISION,
                ]
            }
        }
        ("task_write", true) => {
            const { &[param("tasks", &[], Holds::Tasks(FULL_ITEM)), BASE_REVISION] }
        }
        ("task_update", false) => const { &[ID, CONTENT, STATUS, ACTIVE_FORM] },
        ("task_update", true) => {
            const {
                &[
                    ID,
                    CONTENT,
                    STATUS,
                    ACTIVE_FORM,
                    DESCRIPTION,
                    BLOCKED_BY,
                    BLOCKS,
                    ACTIVATION,
                    OWNER,
                    param("addBlockedBy", &["adddependencies"], Holds::Ids),
                    param("removeBlockedBy", &["removedependencies"], Holds::Ids),
                    param("addBlocks", &[], Holds::Ids),
                    param("removeBlocks", &[], Holds::Ids),
                    param("clear", &[], Holds::Words),
                ]
            }
        }
        ("task_create", true) => FULL_ITEM,
        ("task_complete", _) | ("task_delete" | "task_get", true) => const { &[ID] },
        ("task_claim", true) => const { &[ID, OWNER] },
        ("task_release", true) => const { &[OWNER] },
        _ => const { &[] },
    }
}

/// The parameters of Murmur's tools.
pub(super) fn murmur(name: &str) -> &'static [Param] {
    match name {
        "task_create" => {
            const {
                &[
                    SUBJECT,
                    DESCRIPTION,
                    param("activate_when", &[], Holds::Text),
                    param("pattern", &[], Holds::Text),
                    ACTIVATION,
                    METADATA,
                    SLUG,
                    WORKSPACE,
                ]
            }
        }
        "task_update" => {
            const {
                &[
                    TASK_ID,
                    STATUS,
                    SUBJECT,
                    DESCRIPTION,
                    param("add_blocks", &[], Holds::Ids),
                    param("add_blocked_by", &["adddependencies"], Holds::Ids),
                    SLUG,
                    WORKSPACE,
                ]
            }
        }
        "task_get" => const { &[TASK_ID, SLUG, WORKSPACE] },
        _ => const { &[SLUG, WORKSPACE] },
    }
}

/// A name without case, `_`, `-` and spaces.
fn plain(name: &str) -> String {
    let plain = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    plain.flat_map(char::to_lowercase).collect()
}

fn find<'p>(params: &'p [Param], key: &str) -> Option<&'p Param> {
    let plain_key = plain(key);
    let spelled = |param: &&Param| param.name == key || plain(param.name) == plain_key;
    let named = |param: &&Param| param.aliases.contains(&&*plain_key);
    params
        .iter()
        .find(spelled)
        .or_else(|| params.iter().find(named))
}

/// The members of the arguments that no schema has, with their paths and what they may have been
/// meant for. For those who want no repairs.
pub(super) fn unknown(
    args: &Value,
    params: &'static [Param],
) -> Vec<(String, Option<&'static str>)> {
    let mut unknown = Vec::new();
    let mut members: Vec<(&String, &Value)> = args.as_object().into_iter().flatten().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in members {
        let param = params
            .iter()
            .find(|param| param.name == key && param.is_in_schema());
        let Some(param) = param else {
            unknown.push((Quote(key).to_string(), meant(params, key)));
            continue;
        };
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        for (i, item) in items.iter().enumerate() {
            if let Holds::Tasks(params) = param.holds {
                let inner = self::unknown(item, params).into_iter();
                unknown.extend(
                    inner.map(|(path, meant)| (format!("{}[{i}].{path}", param.name), meant)),
                );
            }
        }
    }
    unknown
}

impl Param {
    fn is_in_schema(&self) -> bool {
        !matches!(self.holds, Holds::Metadata | Holds::Echo)
    }
}

/// The parameter that a wrong name may have been meant for.
fn meant(params: &'static [Param], key: &str) -> Option<&'static str> {
    let plain_key = plain(key);
    let near = |param: &&Param| {
        let name = plain(param.name);
        plain_key.starts_with(&name) || (plain_key.len() > 2 && name.starts_with(&plain_key))
    };
    let param = find(params, key).or_else(|| params.iter().find(near))?;
    Some(param.name).filter(|_| param.is_in_schema())
}

fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !is_blank(text),
        _ => true,
    }
}

/// What became of the arguments.
pub(super) struct Repaired<'a> {
    pub(super) args: Cow<'a, Value>,
    pub(super) notes: Vec<String>,
    /// Paths where two spellings disagree, of which none is picked.
    pub(super) disagreements: Vec<(String, String)>,
}

/// The arguments in their canonical form.
pub(super) fn repair<'a>(args: &'a Value, params: &'static [Param]) -> Repaired<'a> {
    let mut repair = Repair::default();
    let top = unwrapped(args, params, &mut repair);
    let args = match top.as_ref() {
        Value::Object(members) => match repair.object("", members, params) {
            Some(members) => Cow::Owned(Value::Object(members)),
            None => top,
        },
        _ => top,
    };
    Repaired {
        args,
        notes: told(repair.notes),
        disagreements: repair.disagreements,
    }
}

/// The notes as sentences: what was understood alike is told once.
fn told(notes: Vec<(String, String)>) -> Vec<String> {
    const NAMED: usize = 5;
    let mut alike: IndexMap<String, Vec<String>> = IndexMap::new();
    for (path, what) in notes {
        alike.entry(what).or_default().push(path);
    }
    let sentence = |(what, paths): (String, Vec<String>)| {
        let mut text = format!("{} {what}", paths[0]);
        if paths.len() > 1 {
            let named = &paths[1..paths.len().min(NAMED)];
            let _ = write!(text, "; likewise {}", named.join(", "));
        }
        if paths.len() > NAMED {
            let _ = write!(text, " and {} more", paths.len() - NAMED);
        }
        text + "."
    };
    alike.into_iter().map(sentence).collect()
}

/// The arguments without a JSON string around them, and without an object whose one member holds
/// them or their tasks.
fn unwrapped<'a>(args: &'a Value, params: &[Param], repair: &mut Repair) -> Cow<'a, Value> {
    let holds_tasks = params
        .iter()
        .any(|param| matches!(param.holds, Holds::Tasks(_)));
    let wanted = |value: &Value| value.is_object() || holds_tasks && value.is_array();
    let args = match parsed(args, wanted) {
        Some(parsed) => {
            repair.note("", "were a JSON string; they were read as what is in it");
            Cow::Owned(parsed)
        }
        None => Cow::Borrowed(args),
    };
    if holds_tasks && args.as_array().is_some_and(|items| !items.is_empty()) {
        repair.note("", "were a list; it was read as the tasks");
        return Cow::Owned(json!({"tasks": args}));
    }
    let Some((key, inner)) = args
        .as_object()
        .filter(|args| args.len() == 1)
        .and_then(|args| args.iter().next())
    else {
        return args;
    };
    if find(params, key).is_some() {
        return args;
    }
    let known = |value: &Value| {
        let members = value.as_object();
        members.is_some_and(|members| members.keys().any(|key| find(params, key).is_some()))
    };
    let inner = parsed(inner, |value| value.is_object() || value.is_array())
        .unwrap_or_else(|| inner.clone());
    let unwrapped = match inner {
        Value::Object(_) if known(&inner) => inner,
        Value::Array(_) if holds_tasks => json!({"tasks": inner}),
        _ => return args,
    };
    repair.note(
        "",
        &format!(
            "were inside {:?}; they were taken out of it",
            Quote(key).to_string()
        ),
    );
    Cow::Owned(unwrapped)
}

/// What a JSON string holds, if it is of the wanted kind: through two levels of strings, and a code fence.
fn parsed(value: &Value, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
    let mut text = value.as_str()?.to_owned();
    for _ in 0..2 {
        let bare = text.trim();
        let bare = match bare
            .strip_prefix("```")
            .and_then(|inside| inside.strip_suffix("```"))
        {
            Some(inside) => inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric()),
            None => bare,
        };
        match serde_json::from_str(bare.trim()).ok()? {
            Value::String(inner) => text = inner,
            value => return wanted(&value).then_some(value),
        }
    }
    None
}

#[derive(Default)]
struct Repair {
    /// Paths, and what was understood there.
    notes: Vec<(String, String)>,
    disagreements: Vec<(String, String)>,
}

impl Repair {
    fn note(&mut self, path: &str, what: &str) {
        let path = if path.is_empty() {
            "The arguments"
        } else {
            path
        };
        self.notes.push((path.to_owned(), what.to_owned()));
    }

    /// An object with canonical names and values; `None` where it is so already.
    fn object(
        &mut self,
        path: &str,
        members: &Map<String, Value>,
        params: &'static [Param],
    ) -> Option<Map<String, Value>> {
        let at = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        let takes_more = params
            .iter()
            .any(|param| matches!(param.holds, Holds::Metadata));
        let is_canonical = |(key, value): (&String, &Value)| {
            let param = params.iter().find(|param| param.name == key);
            param.is_some_and(|param| is_canonical(value, param.holds))
        };
        if members.iter().all(is_canonical) {
            return None;
        }
        let mut repaired = Map::new();
        let mut more = Map::new();
        // The order of a map is not to be relied on: other crates switch it.
        let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in sorted {
            let param = find(params, key);
            if param.is_some_and(|param| matches!(param.holds, Holds::Echo)) {
                continue;
            }
            let Some(param) = param else {
                match takes_more {
                    true if !value.is_null() => _ = more.insert(key.clone(), value.clone()),
                    true => {}
                    false => {
                        self.note(&at(&Quote(key).to_string()), "is not known; it was ignored")
                    }
                }
                continue;
            };
            let value = self.value(&at(param.name), value, param.holds);
            let value = value.unwrap_or_else(|| members[key].clone());
            if param.name != key && is_given(&value) {
                self.note(
                    &at(&Quote(key).to_string()),
                    &format!("was read as {}", param.name),
                );
            }
            match repaired.get(param.name) {
                Some(other) if is_given(other) && is_given(&value) && *other != value => {
                    let what = format!(
                        "given twice, with different values, also as {:?}",
                        Quote(key).to_string()
                    );
                    self.disagreements.push((at(param.name), what));
                }
                Some(other) if is_given(other) => {}
                _ => _ = repaired.insert(param.name.to_owned(), value),
            }
        }
        if !more.is_empty() {
            let mut names: Vec<String> = more.keys().map(|key| Quote(key).to_string()).collect();
            names.sort_unstable();
            names.truncate(5);
            let names = names.join(", ");
            self.note(
                path,
                &format!("has fields that are not known ({names}); they went into its metadata"),
            );
            match repaired.get_mut("metadata").and_then(Value::as_object_mut) {
                Some(metadata) => metadata.extend(more),
                None => _ = repaired.insert("metadata".to_owned(), Value::Object(more)),
            }
        }
        Some(repaired)
    }

    /// A value in its canonical form; `None` where it is so already, or makes no sense.
    fn value(&mut self, path: &str, value: &Value, holds: Holds) -> Option<Value> {
        if !is_given(value) || is_canonical(value, holds) {
            return None;
        }
        let noted = self.notes.len();
        let repaired = self.repaired(path, value, holds);
        if repaired.is_none() {
            self.notes.truncate(noted);
        }
        repaired
    }

    fn repaired(&mut self, path: &str, value: &Value, holds: Holds) -> Option<Value> {
        match holds {
            Holds::Text | Holds::Echo => None,
            Holds::Id => {
                let id = integer(value)?;
                self.note(path, "was a number; it was read as a string");
                Some(id.into())
            }
            Holds::Number => Some(value.as_str()?.trim().parse::<u64>().ok()?.into()),
            Holds::Status => {
                let word = value.as_str()?;
                let status = status(word)?;
                self.note(
                    path,
                    &format!("{:?} was read as {status}", Quote(word).to_string()),
                );
                Some(status.into())
            }
            Holds::Ids | Holds::Words => {
                let list = self.list(path, value, Value::is_string)?;
                let ids = list.into_iter().enumerate().filter(|(_, id)| is_given(id));
                Some(
                    ids.map(|(i, id)| {
                        self.value(&format!("{path}[{i}]"), &id, Holds::Id)
                            .unwrap_or(id)
                    })
                    .collect(),
                )
            }
            Holds::Activation => self.activation(path, value),
            Holds::Metadata => {
                let object = parsed(value, Value::is_object)?;
                self.note(path, "was a JSON string; it was read as the object in it");
                Some(object)
            }
            Holds::Tasks(params) => {
                let items = self.list(path, value, Value::is_object)?;
                let items = items.into_iter().enumerate();
                Some(
                    items
                        .map(|(i, item)| self.item(&format!("{path}[{i}]"), item, params))
                        .collect(),
                )
            }
        }
    }

    /// The items of a list that may be a JSON string, inside a one-key object, or one item alone.
    fn list(
        &mut self,
        path: &str,
        value: &Value,
        is_item: fn(&Value) -> bool,
    ) -> Option<Vec<Value>> {
        let wanted = |value: &Value| value.is_array() || value.is_object();
        let value = match parsed(value, wanted) {
            Some(parsed) => {
                self.note(path, "was a JSON string; it was read as what is in it");
                Cow::Owned(parsed)
            }
            None => Cow::Borrowed(value),
        };
        if value.is_array() {
            return match value.into_owned() {
                Value::Array(items) => Some(items),
                _ => None,
            };
        }
        match value.as_ref() {
            Value::Object(members) if members.len() == 1 => match members.values().next() {
                Some(Value::Array(items)) => {
                    self.note(path, "was an object around a list; it was read as the list");
                    Some(items.clone())
                }
                _ if is_item(&value) => self.alone(path, &value),
                _ => None,
            },
            value if is_item(value) || integer(value).is_some() && is_item(&json!("")) => {
                self.alone(path, value)
            }
            _ => None,
        }
    }

    fn alone(&mut self, path: &str, item: &Value) -> Option<Vec<Value>> {
        self.note(path, "was one item; it was read as a list of it");
        Some(vec![item.clone()])
    }

    /// A task of a list: an object, a JSON string of one, or a line of a checklist.
    fn item(&mut self, path: &str, item: Value, params: &'static [Param]) -> Value {
        let item = match parsed(&item, Value::is_object) {
            Some(parsed) => {
                self.note(path, "was a JSON string; it was read as the object in it");
                parsed
            }
            None => match item.as_str().filter(|line| !is_blank(line)) {
                Some(line) => {
                    self.note(path, "was a text; it was read as a task");
                    checklist_line(line)
                }
                None => item,
            },
        };
        match &item {
            Value::Object(members) => match self.object(path, members, params) {
                Some(members) => Value::Object(members),
                None => item,
            },
            _ => item,
        }
    }

    fn activation(&mut self, path: &str, value: &Value) -> Option<Value> {
        let value = match parsed(value, |value| value.is_array() || value.is_object()) {
            Some(parsed) => Cow::Owned(parsed),
            None => Cow::Borrowed(value),
        };
        let patterns = |value: &Value| match value {
            Value::String(_) => Some(json!([value])),
            Value::Array(patterns) if patterns.iter().all(Value::is_string) => Some(value.clone()),
            Value::Object(inner) if inner.len() == 1 => match inner.get("pattern")? {
                pattern @ Value::String(_) => Some(json!([pattern])),
                _ => None,
            },
            _ => None,
        };
        let list = match value
            .as_object()
            .filter(|members| members.len() == 1)
            .and_then(|m| m.iter().next())
        {
            Some((kind, inner)) if plain(kind) == "filesmodified" => patterns(inner)?,
            _ => patterns(&value)?,
        };
        self.note(path, "was read as a condition on modified files");
        Some(json!({"filesModified": list}))
    }
}

/// Whether a value needs no repair.
fn is_canonical(value: &Value, holds: Holds) -> bool {
    match holds {
        Holds::Text => true,
        Holds::Echo => false,
        Holds::Metadata => !value.is_string(),
        Holds::Id => integer(value).is_none(),
        Holds::Number => !value.is_string(),
        Holds::Status => value.as_str().is_none_or(|text| {
            matches!(text, "pending" | "in_progress" | "completed" | "deleted")
                || status(text).is_none()
        }),
        Holds::Ids | Holds::Words => match value {
            Value::Array(ids) => ids.iter().all(|id| is_given(id) && integer(id).is_none()),
            _ => !is_given(value),
        },
        Holds::Activation => match value.as_object() {
            Some(members) => {
                members.len() != 1 || members.get("filesModified").is_some_and(Value::is_array)
            }
            None => !is_given(value),
        },
        Holds::Tasks(params) => match value {
            Value::Array(items) => items.iter().all(|item| match item {
                Value::Object(members) => members.iter().all(|(key, value)| {
                    let param = params.iter().find(|param| param.name == key);
                    param.is_some_and(|param| is_canonical(value, param.holds))
                }),
                item => !item.is_string(),
            }),
            _ => !is_given(value),
        },
    }
}

/// A whole number as text.
fn integer(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

/// The status that a word stands for.
fn status(word: &str) -> Option<&'static str> {
    let word = plain(word.trim());
    match word.strip_prefix("taskstatus").unwrap_or(&word) {
        "pending" | "todo" | "notstarted" | "open" => Some("pending"),
        "inprogress" | "running" | "active" | "doing" | "started" => Some("in_progress"),
        "completed" | "complete" | "done" | "finished" => Some("completed"),
        "deleted" => Some("deleted"),
        _ => None,
    }
}

/// An item of a Markdown list, or just a text, as a task.
fn checklist_line(line: &str) -> Value {
    let Some(item) = render::item(line) else {
        return json!({"content": line.trim()});
    };
    let mut task = json!({"content": item.subject});
    if let Some(status) = item.status {
        task["status"] = status.as_str().into();
    }
    if let [id] = &item.ids[..] {
        task["id"] = id.as_str().into();
    }
    if !item.after.is_empty() {
        task["blockedBy"] = item.after.into();
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sloppy() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ab]",
            "pending|done|Running",
            "- \\[x\\] B",
            "",
            r#"\["a"\]|\{"id":"a"\}"#
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<u8>().prop_map(Value::from),
            text.prop_map(Value::from)
        ];
        let keys = "tasks|input|id|task_id|content|title|status|blockedBy|depends_on|activation|metadata|x";
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(keys, inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn what_is_repaired_needs_no_repair(args in sloppy()) {
            for name in ["task_write", "task_update", "task_create"] {
                let once = repair(&args, mastra(name, true));
                if once.disagreements.is_empty() {
                    let args = once.args.into_owned();
                    let twice = repair(&args, mastra(name, true));
                    prop_assert_eq!(twice.args.as_ref(), &args);
                    prop_assert_eq!(twice.notes, Vec::<String>::new());
                }
            }
        }
    }
}

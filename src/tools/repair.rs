//! Turns what models really send into what the schemas ask for, and says what it understood.
//!
//! A pass before the reading: it knows the parameters of the tool, and gives the arguments in their canonical
//! form. It reads only what can mean one thing, changes nothing else, and refuses nothing: what it cannot make sense
//! of it leaves as it is, for the reader to refuse. Tested in `tests/lenient.rs`, and below for doing nothing
//! the second time.

use super::params::{self, Arg, Holds, Need, Param, Params, find};
use super::words::{self, plain};
use crate::render;
use crate::text::Quote;
use crate::text::is_blank;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;

type Members = Map<String, Value>;
type Test = fn(&Value) -> bool;

/// The members of the arguments that no schema has, with their paths and what they may have been
/// meant for, in words. For those who want no repairs.
pub(super) fn unknown(args: &Value, params: Params) -> Vec<(String, String)> {
    let mut unknown = Vec::new();
    let mut members: Vec<(&String, &Value)> = args.as_object().into_iter().flatten().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in members {
        let is_named = |param: &&Param| param.name == key && param.need != Need::Hidden;
        let Some(param) = params.iter().find(is_named) else {
            let meant = meant(params, key).map(|meant| format!("; did you mean {meant}?"));
            let what = format!("is not known{}", meant.unwrap_or_default());
            unknown.push((Quote(key).to_string(), what));
            continue;
        };
        let (Holds::Tasks(params), Value::Array(items)) = (param.holds, value) else {
            continue;
        };
        for (i, item) in items.iter().enumerate() {
            let inner = self::unknown(item, params).into_iter();
            unknown.extend(inner.map(|(path, what)| (format!("{key}[{i}].{path}"), what)));
        }
    }
    unknown
}

/// The parameter that a wrong name may have been meant for.
fn meant(params: Params, key: &str) -> Option<&'static str> {
    let plain_key = plain(key);
    let near = |param: &&Param| {
        let name = plain(param.name);
        plain_key.starts_with(&name) || (plain_key.len() > 2 && name.starts_with(&plain_key))
    };
    let param = find(params, key).or_else(|| params.iter().find(near))?;
    Some(param.name).filter(|_| param.need != Need::Hidden)
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
pub(super) fn repair<'a>(args: Cow<'a, Value>, params: Params) -> Repaired<'a> {
    let mut repair = Repair::default();
    let args = match repair.unwrapped(&args, params) {
        Some(inner) => Cow::Owned(inner),
        None => args,
    };
    let members = args.as_object();
    let repaired = members.and_then(|members| repair.object("", members, params));
    Repaired {
        args: repaired.map_or(args, |members| Cow::Owned(Value::Object(members))),
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
    // A list of 10,000 tasks with one wrong spelling throughout must not be answered with 10,000 notes.
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

/// What a JSON string holds, if it is of the wanted kind: through two levels of strings, and a code fence.
pub(super) fn parsed(value: &Value, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
    // A model that is told to send JSON as text may do so twice over; a third time has not been seen.
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
        let path = Some(path).filter(|path| !path.is_empty());
        let path = path.unwrap_or("The arguments").to_owned();
        self.notes.push((path, what.to_owned()));
    }

    /// The arguments without a JSON string around them, and without an object whose one member holds them or
    /// their tasks; `None` where there is nothing around them.
    fn unwrapped(&mut self, args: &Value, params: Params) -> Option<Value> {
        let list = params.iter().find(|param| param.arg == Arg::Tasks);
        let wanted = |value: &Value| value.is_object() || list.is_some() && value.is_array();
        let read = parsed(args, wanted);
        if read.is_some() {
            self.note("", "were a JSON string; they were read as what is in it");
        }
        let bare = read.as_ref().unwrap_or(args);
        // An empty list is not taken: it would delete everything, and nobody said that it is the tasks.
        let inner = match (list, bare.as_array()) {
            (Some(list), Some(items)) if !items.is_empty() => {
                self.note("", "were a list; it was read as the tasks");
                Some(json!({list.name: items}))
            }
            _ => self.inside(bare, params, list),
        };
        inner.or(read)
    }

    /// What the one member of an object holds, if that is the arguments or the list.
    fn inside(&mut self, args: &Value, params: Params, list: Option<&Param>) -> Option<Value> {
        let (key, inner) = only_member(args)?;
        // An object with one argument that is known is the arguments, whatever is inside.
        if find(params, key).is_some() {
            return None;
        }
        let inner = parsed(inner, is_container).unwrap_or_else(|| inner.clone());
        let is_known = |members: &Members| members.keys().any(|key| find(params, key).is_some());
        let inside = match (list, &inner) {
            (_, Value::Object(members)) if is_known(members) => inner,
            (Some(list), Value::Array(_)) => json!({list.name: inner}),
            _ => return None,
        };
        let key = Quote(key).to_string();
        self.note(
            "",
            &format!("were inside {key:?}; they were taken out of it"),
        );
        Some(inside)
    }

    /// An object with canonical names and values; `None` where it is so already.
    fn object(&mut self, path: &str, members: &Members, params: Params) -> Option<Members> {
        // Right arguments are the common case, and are not copied.
        if are_canonical(members, params) {
            return None;
        }
        let rest = params::of(params, Arg::Metadata);
        let (mut repaired, mut more) = (Members::new(), Members::new());
        // The order of a map is not to be relied on: other crates switch it.
        let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in sorted {
            match (find(params, key), rest) {
                (Some(param), _) => self.member(path, &mut repaired, param, key, value),
                // Null is not given, here as everywhere: nothing to keep, and nothing to note.
                (None, Some(_)) if value.is_null() => {}
                (None, Some(_)) => _ = more.insert(key.clone(), value.clone()),
                (None, None) => {
                    let path = at(path, &Quote(key).to_string());
                    self.note(&path, "is not known; it was ignored");
                }
            }
        }
        if let Some(rest) = rest.filter(|_| !more.is_empty()) {
            self.keep(path, &mut repaired, rest, more);
        }
        Some(repaired)
    }

    /// Puts a member into an object under its canonical name.
    fn member(
        &mut self,
        path: &str,
        repaired: &mut Members,
        param: &'static Param,
        key: &str,
        given: &Value,
    ) {
        if matches!(param.holds, Holds::Echo) {
            return;
        }
        let value = self.value(&at(path, param.name), given, param.holds);
        let value = value.unwrap_or_else(|| given.clone());
        let said = Quote(key).to_string();
        if param.name != key && is_given(&value) {
            self.note(&at(path, &said), &format!("was read as {}", param.name));
        }
        match repaired.get(param.name) {
            Some(other) if is_given(other) && is_given(&value) && *other != value => {
                let what = format!("given twice, with different values, also as {said:?}");
                self.disagreements.push((at(path, param.name), what));
            }
            // The same value under two spellings. One is enough.
            Some(other) if is_given(other) => {}
            _ => _ = repaired.insert(param.name.to_owned(), value),
        }
    }

    /// Puts what is not known into the metadata.
    fn keep(&mut self, path: &str, repaired: &mut Members, metadata: &Param, more: Members) {
        let mut names: Vec<String> = more.keys().map(|key| Quote(key).to_string()).collect();
        names.sort_unstable();
        names.truncate(5);
        let names = names.join(", ");
        let what = format!("has fields that are not known ({names}); they went into its metadata");
        self.note(path, &what);
        match repaired
            .get_mut(metadata.name)
            .and_then(Value::as_object_mut)
        {
            Some(metadata) => metadata.extend(more),
            None => _ = repaired.insert(metadata.name.to_owned(), Value::Object(more)),
        }
    }

    /// A value in its canonical form; `None` where it is so already, or makes no sense.
    fn value(&mut self, path: &str, value: &Value, holds: Holds) -> Option<Value> {
        if !is_given(value) || is_canonical(value, holds) {
            return None;
        }
        // What was noted on the way is taken back where the value makes no sense in the end: the reader refuses it, and a
        // note that it was understood would be wrong.
        let noted = self.notes.len();
        let repaired = self.repaired(path, value, holds);
        if repaired.is_none() {
            self.notes.truncate(noted);
        }
        repaired
    }

    fn repaired(&mut self, path: &str, value: &Value, holds: Holds) -> Option<Value> {
        match holds {
            Holds::Text | Holds::Choice(_) | Holds::Echo => None,
            Holds::Id => {
                let id = integer(value)?;
                self.note(path, "was a number; it was read as a string");
                Some(id.into())
            }
            Holds::Number => Some(value.as_str()?.trim().parse::<u64>().ok()?.into()),
            Holds::Status(_) => {
                let word = value.as_str()?;
                let status = words::meant(word)?;
                let word = Quote(word).to_string();
                self.note(path, &format!("{word:?} was read as {status}"));
                Some(status.as_str().into())
            }
            Holds::Ids | Holds::Fields(_) => self.ids(path, value),
            Holds::Activation => self.activation(path, value),
            Holds::Metadata => {
                let object = parsed(value, Value::is_object)?;
                self.note(path, "was a JSON string; it was read as the object in it");
                Some(object)
            }
            Holds::Tasks(params) => {
                let items = self.list(path, value, Value::is_object)?;
                let items = items.iter().enumerate();
                let item = |(i, item)| self.item(&format!("{path}[{i}]"), item, params);
                Some(items.map(item).collect())
            }
        }
    }

    fn ids(&mut self, path: &str, value: &Value) -> Option<Value> {
        let list = self.list(path, value, Value::is_string)?;
        let ids = list.iter().enumerate().filter(|(_, id)| is_given(id));
        let as_text = |(i, id): (usize, &Value)| {
            let text = self.value(&format!("{path}[{i}]"), id, Holds::Id);
            text.unwrap_or_else(|| id.clone())
        };
        Some(ids.map(as_text).collect())
    }

    /// A value without a JSON string around it.
    fn open<'v>(&mut self, path: &str, value: &'v Value, is: Test, what: &str) -> Cow<'v, Value> {
        let Some(parsed) = parsed(value, is) else {
            return Cow::Borrowed(value);
        };
        self.note(path, &format!("was a JSON string; it was read as {what}"));
        Cow::Owned(parsed)
    }

    /// The items of a list that may be a JSON string, inside a one-key object, or one item alone.
    fn list<'v>(
        &mut self,
        path: &str,
        value: &'v Value,
        is_item: Test,
    ) -> Option<Cow<'v, [Value]>> {
        let value = match self.open(path, value, is_container, "what is in it") {
            Cow::Borrowed(Value::Array(items)) => return Some(Cow::Borrowed(items)),
            Cow::Owned(Value::Array(items)) => return Some(Cow::Owned(items)),
            value => value,
        };
        if let Some((_, Value::Array(items))) = only_member(&value) {
            self.note(path, "was an object around a list; it was read as the list");
            return Some(Cow::Owned(items.clone()));
        }
        // Only lists of texts take a lone number for an id; a number is no task.
        let takes_ids = is_item(&Value::from(""));
        let is_alone = is_item(&value) || takes_ids && integer(&value).is_some();
        is_alone.then(|| {
            self.note(path, "was one item; it was read as a list of it");
            Cow::Owned(vec![value.into_owned()])
        })
    }

    /// A task of a list: an object, a JSON string of one, or a line of a checklist.
    fn item(&mut self, path: &str, item: &Value, params: Params) -> Value {
        let mut item = self.open(path, item, Value::is_object, "the object in it");
        if let Some(line) = item.as_str().filter(|line| !is_blank(line)) {
            self.note(path, "was a text; it was read as a task");
            item = Cow::Owned(checklist_line(line, params));
        }
        let members = item.as_object();
        let repaired = members.and_then(|members| self.object(path, members, params));
        repaired.map_or_else(|| item.into_owned(), Value::Object)
    }

    fn activation(&mut self, path: &str, value: &Value) -> Option<Value> {
        let value = &parsed(value, is_container).unwrap_or_else(|| value.clone());
        let inner = match only_member(value) {
            Some((kind, inner)) if plain(kind) == "filesmodified" => inner,
            _ => value,
        };
        let patterns = match (inner, only_member(inner)) {
            (Value::Array(patterns), _) if patterns.iter().all(Value::is_string) => {
                patterns.clone()
            }
            (Value::String(_), _) => vec![inner.clone()],
            (_, Some((key, pattern))) if key == "pattern" && pattern.is_string() => {
                vec![pattern.clone()]
            }
            _ => return None,
        };
        self.note(path, "was read as a condition on modified files");
        Some(json!({"filesModified": patterns}))
    }
}

fn is_container(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// The member of an object that has one.
fn only_member(value: &Value) -> Option<(&String, &Value)> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.iter().next()
}

/// Whether the members of an object need no repair.
fn are_canonical(members: &Members, params: &[Param]) -> bool {
    members.iter().all(|(key, value)| {
        let param = params.iter().find(|param| param.name == key);
        param.is_some_and(|param| is_canonical(value, param.holds))
    })
}

/// Whether a value needs no repair.
fn is_canonical(value: &Value, holds: Holds) -> bool {
    match holds {
        Holds::Text | Holds::Choice(_) => true,
        Holds::Echo => false,
        Holds::Metadata | Holds::Number => !value.is_string(),
        Holds::Id => integer(value).is_none(),
        Holds::Status(_) => value
            .as_str()
            .is_none_or(|text| words::exact(text).is_some() || words::meant(text).is_none()),
        Holds::Ids | Holds::Fields(_) => match value {
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
                Value::Object(members) => are_canonical(members, params),
                item => !item.is_string(),
            }),
            _ => !is_given(value),
        },
    }
}

/// The path to a member.
fn at(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// A whole number as text.
fn integer(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

/// An item of a Markdown list, or just a text, as a task.
fn checklist_line(line: &str, params: Params) -> Value {
    let mut task = Members::new();
    // What the interface has no parameter for goes by a name of its own, so that it is told of as not known.
    let mut set = |arg, otherwise: &str, value: Value| {
        let name = params::of(params, arg).map_or(otherwise, |param| param.name);
        task.insert(name.to_owned(), value);
    };
    match render::item(line) {
        None => set(Arg::Subject, "content", line.trim().into()),
        Some(item) => {
            set(Arg::Subject, "content", item.subject.into());
            if let Some(status) = item.status {
                set(Arg::Status, "status", status.as_str().into());
            }
            if let [id] = &item.ids[..] {
                set(Arg::Id, "id", id.as_str().into());
            }
            if !item.after.is_empty() {
                set(Arg::BlockedBy, "blockedBy", item.after.into());
            }
        }
    }
    Value::Object(task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[rustfmt::skip]
    const ITEM: Params = &[
        params::ID, params::CONTENT, params::STATUS, params::BLOCKED_BY, params::ACTIVATION,
        params::STATE, params::METADATA,
    ];
    const WRITE: Params = &[
        Param::new(Arg::Tasks, "tasks", Holds::Tasks(ITEM)),
        params::BASE_REVISION,
    ];

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
            for params in [WRITE, ITEM] {
                let once = repair(Cow::Borrowed(&args), params);
                if once.disagreements.is_empty() {
                    let args = once.args.into_owned();
                    let twice = repair(Cow::Borrowed(&args), params);
                    prop_assert_eq!(twice.args.as_ref(), &args);
                    prop_assert_eq!(twice.notes, Vec::<String>::new());
                }
            }
        }
    }
}

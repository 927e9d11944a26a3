//! Turns what models really send into what the schemas ask for, and says what it understood.
//!
//! A pass before the reading: it knows the parameters of the tool, and gives the arguments in their canonical
//! form. It reads only what can mean one thing and changes nothing else: what it cannot make sense of it leaves
//! as it is, for the reader to refuse. What it must not drop, since the call would then do more than it says, it tells
//! as wrong. Tested in `tests/lenient.rs` and `tests/exact_calls.rs`, and below for doing nothing the second time.

use super::params::{self, Arg, Holds, Need, Param, Params, find};
use super::words::{self, plain};
use crate::render;
use crate::status::Status;
use crate::text::Quote;
use crate::text::is_blank;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;

type Members = Map<String, Value>;
type Test = fn(&Value) -> bool;
/// A task, and the items inside it with their paths.
type Nested<'v> = (Cow<'v, Value>, Vec<(String, Cow<'v, Value>)>);

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

/// Whether a value says anything: neither null nor blank text does.
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
    /// Paths, and what is wrong there: spellings that disagree, of which none is picked, and what must not be dropped.
    pub(super) wrong: Vec<(String, String)>,
    /// Tasks of the list that were inside another, as places: `(outer, inner)`.
    pub(super) nested: Vec<(usize, usize)>,
}

/// The arguments in their canonical form. `tools` are the names of the set, for what to call instead.
pub(super) fn repair<'a>(args: Cow<'a, Value>, params: Params, tools: &[&str]) -> Repaired<'a> {
    let mut repair = Repair {
        tools,
        ..Repair::default()
    };
    let args = match repair.unwrapped(&args, params) {
        Some(inner) => Cow::Owned(inner),
        None => args,
    };
    let members = args.as_object();
    let repaired = members.and_then(|members| repair.object("", members, params));
    Repaired {
        args: repaired.map_or(args, |members| Cow::Owned(Value::Object(members))),
        notes: told(repair.notes),
        wrong: repair.wrong,
        nested: repair.nested,
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

/// A repair that is going on: what it knows of the set, and what it found so far.
#[derive(Default)]
struct Repair<'t> {
    /// The names of the tools of the set, for what to call instead.
    tools: &'t [&'t str],
    /// Paths, and what was understood there.
    notes: Vec<(String, String)>,
    /// Paths, and what is wrong there that the reader would not see.
    wrong: Vec<(String, String)>,
    /// Places in the list of tasks: of one, and of one that was inside it.
    nested: Vec<(usize, usize)>,
}

impl Repair<'_> {
    /// Says how something was understood. Without a path it is about the arguments as a whole.
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
        // Under `add` or `remove` the same arguments mean something else than the whole list.
        if list.is_some() && !words::WRAPPERS.contains(&&*plain(key)) {
            return None;
        }
        let inside = parsed(inner, is_container).unwrap_or_else(|| inner.clone());
        let mut keys = inside.as_object()?.keys();
        keys.find(|key| find(params, key).is_some())?;
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
        let status = params::of(params, Arg::Status);
        let replaces = params::of(params, Arg::Tasks).is_some();
        let (mut repaired, mut more) = (Members::new(), Members::new());
        let mut said = Vec::new();
        // The order of a map is not to be relied on: other crates switch it.
        let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in sorted {
            if let Some(says) = status.and_then(|_| Says::of(key, value, params)) {
                said.push((says, key, value));
                continue;
            }
            match (named(params, key, value), rest) {
                (Some(param), _) => self.member(path, &mut repaired, param, key, value),
                // Null is not given, here as everywhere: nothing to keep, and nothing to note.
                (None, Some(_)) if value.is_null() => {}
                (None, Some(_)) if words::SUBTASKS.contains(&&*plain(key)) && holds_any(value) => {
                    let what = "not known here; give each of them as a task of its own";
                    self.wrong
                        .push((at(path, &Quote(key).to_string()), what.into()));
                }
                (None, Some(_)) => _ = more.insert(key.clone(), value.clone()),
                (None, None) if replaces => self.beside(&mut repaired, params, key, value),
                (None, None) => self.ignore(path, key),
            }
        }
        if let Some(status) = status {
            self.status(path, &mut repaired, status, said);
        }
        if let Some(rest) = rest.filter(|_| !more.is_empty()) {
            self.keep(path, &mut repaired, rest, more);
        }
        Some(repaired)
    }

    /// Leaves a member out, and says so.
    fn ignore(&mut self, path: &str, key: &str) {
        let path = at(path, &Quote(key).to_string());
        self.note(&path, "is not known; it was ignored");
    }

    /// An argument that is not known, of a call that replaces the list. It may say that the call is to do less.
    fn beside(&mut self, repaired: &mut Members, params: Params, key: &str, value: &Value) {
        let plain_key = plain(key);
        let word = value.as_str().and_then(words::word).map(plain);
        let mode = words::MODES.iter().position(|mode| *mode == plain_key);
        if let (Some(mode), true) = (mode, is_given(value)) {
            let is_one_of = |all: &[&str]| word.as_deref().is_some_and(|word| all.contains(&word));
            let merges = mode < words::MERGE_MODES && is_one_of(words::MERGING);
            if let (Some(merge), true) = (
                params::of(params, Arg::Merge),
                merges || is_one_of(words::REPLACING),
            ) {
                return self.member("", repaired, merge, key, &merges.into());
            }
        } else {
            // A number or `true` may be a flag, an object or an array the change itself. A text is talk.
            let is_talk = match value {
                Value::Null | Value::Bool(false) => true,
                Value::String(text) => {
                    words::truth(text) != Some(true) && parsed(value, is_container).is_none()
                }
                _ => false,
            };
            if is_talk {
                return self.ignore("", key);
            }
        }
        let what = format!(
            "is not known, and this call replaces the whole list. {}",
            self.instead(&plain_key)
        );
        self.wrong.push((Quote(key).to_string(), what));
    }

    /// What to call for a change of single tasks, by the name that it was given under.
    fn instead(&self, plain_key: &str) -> String {
        const ADD: &[&str] = &["add", "append", "create", "insert", "new"];
        const REMOVE: &[&str] = &["remove", "delete", "drop", "clear", "ids"];
        let names = |all: &[&str]| all.iter().any(|name| plain_key.contains(name));
        let (what, tool) = match () {
            () if names(ADD) => ("add a task", "task_create"),
            () if names(REMOVE) => ("remove a task", "task_delete"),
            () => ("change a task", "task_update"),
        };
        match self.tools.contains(&tool) {
            true => format!("To {what} there is {tool}"),
            false => format!("To {what}, give the full list as tasks"),
        }
    }

    /// The status that other members say, beside the one that is given as such.
    fn status(
        &mut self,
        path: &str,
        repaired: &mut Members,
        param: &Param,
        mut said: Vec<(Says, &String, &Value)>,
    ) {
        // What leaves something open comes last: not completed agrees with in progress.
        said.sort_by_key(|(says, ..)| *says == Says::NotCompleted);
        for (says, key, value) in said {
            let given = repaired.get(param.name).filter(|given| is_given(given));
            let status = says.status();
            let Some(given) = given else {
                let what = format!("was read as {} {status}", param.name);
                self.note(&at(path, &Quote(key).to_string()), &what);
                repaired.insert(param.name.to_owned(), status.as_str().into());
                continue;
            };
            let given = given.as_str().and_then(|given| words::exact(given.trim()));
            let agrees = given.is_none_or(|given| match says {
                Says::Status(status) => given == status,
                Says::NotCompleted => given != Status::Completed,
            });
            if !agrees {
                let key = Quote(key).to_string();
                let what = format!("given twice, and {key} {value} says something else");
                self.wrong.push((at(path, param.name), what));
            }
        }
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
            // A word that replies do not have is meant as a status, of which nothing would be left.
            let echoes = |text: &str| words::ECHOES.contains(&&*plain(text.trim()));
            if given
                .as_str()
                .is_some_and(|text| !is_blank(text) && !echoes(text))
            {
                let said = Quote(given.as_str().unwrap_or_default()).to_string();
                let what = format!("received {said:?}, which is no status");
                self.wrong.push((at(path, param.name), what));
            }
            return;
        }
        if is_nothing(param, given) {
            self.note(
                &at(path, param.name),
                &format!("{given} counts as not given"),
            );
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
                self.wrong.push((at(path, param.name), what));
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
            Holds::Number => {
                let text = whole(value).or_else(|| Some(value.as_str()?.trim().to_owned()));
                Some(text?.parse::<u64>().ok()?.into())
            }
            Holds::Truth => Some(words::truth(value.as_str()?)?.into()),
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
            Holds::Tasks(params) => self.tasks(path, value, params),
        }
    }

    /// The ids of a list. What is not given in it is left out.
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
        // Only lists of texts take a lone number for an id; a number is no task.
        let takes_ids = is_item(&Value::from(""));
        let is_whole = |key: &str| {
            let key = plain(key);
            let names = |name: &&str| plain(name) == key;
            words::WHOLE_LIST.contains(&&*key)
                || path.rsplit('.').next().iter().any(names)
                || takes_ids && ["ids", "taskids", "fields"].contains(&&*key)
        };
        if let Some((key, Value::Array(items))) = only_member(&value)
            && is_whole(key)
        {
            self.note(path, "was an object around a list; it was read as the list");
            return Some(Cow::Owned(items.clone()));
        }
        let is_alone = is_item(&value) || takes_ids && integer(&value).is_some();
        is_alone.then(|| {
            self.note(path, "was one item; it was read as a list of it");
            Cow::Owned(vec![value.into_owned()])
        })
    }

    /// The tasks of a list, those inside others after them.
    fn tasks(&mut self, path: &str, value: &Value, params: Params) -> Option<Value> {
        let items = match value.as_str().map(|text| lines(text, params)) {
            Some(Lines::Tasks(tasks)) => {
                self.note(path, "was a checklist; each line was read as a task");
                Cow::Owned(tasks)
            }
            _ => self.list(path, value, Value::is_object)?,
        };
        let mut tasks: Vec<Value> = Vec::with_capacity(items.len());
        // On a stack of its own: what a host hands in can nest deeper than that of the thread.
        let mut open: Vec<(String, Cow<'_, Value>, Option<usize>)> = Vec::new();
        for (i, item) in items.iter().enumerate() {
            open.push((format!("{path}[{i}]"), Cow::Borrowed(item), None));
            while let Some((path, item, outer)) = open.pop() {
                for (item, inner) in self.items(&path, item, params) {
                    let place = tasks.len();
                    self.nested.extend(outer.map(|outer| (outer, place)));
                    // The last of them is to come up first.
                    open.extend(
                        (inner.into_iter().rev()).map(|(path, inner)| (path, inner, Some(place))),
                    );
                    let members = item.as_object();
                    let repaired = members.and_then(|members| self.object(&path, members, params));
                    tasks.push(repaired.map_or_else(|| item.into_owned(), Value::Object));
                }
            }
        }
        Some(tasks.into())
    }

    /// What an item of a list stands for, an object, a JSON string of one, a text or lines of a checklist: tasks, and what
    /// is inside them.
    fn items<'v>(&mut self, path: &str, item: Cow<'v, Value>, params: Params) -> Vec<Nested<'v>> {
        let item = match parsed(&item, Value::is_object) {
            Some(object) => {
                self.note(path, "was a JSON string; it was read as the object in it");
                Cow::Owned(object)
            }
            None => item,
        };
        match item.as_str().map(|text| lines(text, params)) {
            Some(Lines::Tasks(tasks)) => {
                let what = match tasks.len() {
                    1 => "was a text; it was read as a task",
                    _ => "was a checklist; each line was read as a task",
                };
                self.note(path, what);
                let tasks = tasks.into_iter();
                return tasks.map(|task| (Cow::Owned(task), Vec::new())).collect();
            }
            Some(Lines::Text) => {
                self.note(path, "was a text; it was read as a task");
                let name = params::of(params, Arg::Subject).map_or("content", |param| param.name);
                let task = json!({name: item.as_str().unwrap_or_default().trim()});
                return vec![(Cow::Owned(task), Vec::new())];
            }
            Some(Lines::Unread) => return vec![(item, Vec::new())],
            None => {}
        }
        let holds_some =
            |members: &Members| (members.iter()).any(|(key, value)| is_nest(key, value, params));
        if !item.as_object().is_some_and(holds_some) {
            return vec![(item, Vec::new())];
        }
        let mut inner = Vec::new();
        let mut own = Members::new();
        // Each member by itself: a copy of the whole would be one more of all that is inside, at every depth.
        let members: Vec<(Cow<'v, String>, Cow<'v, Value>)> = match item {
            Cow::Borrowed(item) => (item.as_object().into_iter().flatten())
                .map(|(key, value)| (Cow::Borrowed(key), Cow::Borrowed(value)))
                .collect(),
            Cow::Owned(Value::Object(members)) => (members.into_iter())
                .map(|(key, value)| (Cow::Owned(key), Cow::Owned(value)))
                .collect(),
            Cow::Owned(_) => Vec::new(),
        };
        for (key, value) in members {
            if !is_nest(&key, &value, params) {
                own.insert(key.into_owned(), value.into_owned());
                continue;
            }
            let what = "became tasks of their own, which the task waits for";
            self.note(&at(path, &Quote(&key).to_string()), what);
            let items: Vec<Cow<'v, Value>> = match value {
                Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
                Cow::Owned(Value::Array(items)) => items.into_iter().map(Cow::Owned).collect(),
                text => {
                    let items = nest_in_text(&text, params).unwrap_or_default();
                    items.into_iter().map(Cow::Owned).collect()
                }
            };
            let path = at(short(path), &Quote(&key).to_string());
            let items = items.into_iter().enumerate();
            inner.extend(items.map(|(i, item)| (format!("{path}[{i}]"), item)));
        }
        vec![(Cow::Owned(Value::Object(own)), inner)]
    }

    /// A condition on files, from every form that patterns have been sent in: a text or a list of them, under the name of
    /// the condition or under `pattern`, several in one text.
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
        let (is_right, mut all) = (inner.is_array() && inner != value, Vec::new());
        for pattern in patterns.iter().filter_map(Value::as_str) {
            let parts = parted(pattern);
            if parts.len() > 1 {
                self.note(path, &parted_note(pattern, parts.len()));
            }
            all.extend(parts);
        }
        // What was right but for its commas has its note already.
        if !is_right || all.len() == patterns.len() {
            self.note(path, "was read as a condition on modified files");
        }
        Some(json!({"filesModified": all}))
    }
}

/// Whether a value can hold arguments, tasks or ids.
fn is_container(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// The member of an object that has one.
fn only_member(value: &Value) -> Option<(&String, &Value)> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    members.iter().next()
}

/// What a member of a task says of its status, under another name.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    /// It has that status.
    Status(Status),
    /// It has any status but completed. By itself that is pending.
    NotCompleted,
}

impl Says {
    /// What a member says, if it is one that does. A name that the tool has for something else is not.
    fn of(key: &str, value: &Value, params: Params) -> Option<Self> {
        let told = params::of(params, Arg::State);
        if plain(key) == "state" {
            // What replies say of a task (blocked, ready) is no status, and nothing is made of it.
            let word = value.as_str()?;
            return Some(Says::Status(
                words::exact(word.trim()).or_else(|| words::meant(word))?,
            ));
        }
        let is_other =
            find(params, key).is_some_and(|param| Some(param.arg) != told.map(|told| told.arg));
        if is_other || !words::is_completed(key) {
            return None;
        }
        let truth = match value {
            Value::Bool(truth) => *truth,
            Value::String(text) => match (words::truth(text), words::meant(text)) {
                (Some(truth), _) => truth,
                (None, status) => return status.map(Says::Status),
            },
            _ => return None,
        };
        Some(match truth {
            true => Says::Status(Status::Completed),
            false => Says::NotCompleted,
        })
    }

    /// The status of a task of which nothing else is said.
    fn status(self) -> Status {
        match self {
            Says::Status(status) => status,
            Says::NotCompleted => Status::Pending,
        }
    }
}

/// The parameter that a member stands for. Another name than its own counts only for a value that it can hold, where
/// something else may be meant: a `plan` in words is not the list.
fn named(params: Params, key: &str, value: &Value) -> Option<&'static Param> {
    let param = find(params, key)?;
    let fits = match param.holds {
        _ if plain(param.name) == plain(key) || !is_given(value) => true,
        Holds::Tasks(item) => {
            is_container(value)
                || parsed(value, is_container).is_some()
                || matches!(
                    value.as_str().map(|text| lines(text, item)),
                    Some(Lines::Tasks(_))
                )
        }
        Holds::Truth => {
            value.is_boolean()
                || value
                    .as_str()
                    .is_some_and(|text| words::truth(text).is_some())
        }
        _ => true,
    };
    fits.then_some(param)
}

/// Whether a text says that the parameter is not given.
fn is_nothing(param: &Param, value: &Value) -> bool {
    let takes = matches!(param.arg, Arg::Description | Arg::ActiveForm | Arg::Owner);
    takes && value.as_str().is_some_and(words::is_nothing)
}

/// Whether a member of a task holds tasks.
fn is_nest(key: &str, value: &Value, params: Params) -> bool {
    let holds_tasks = || value.is_array() || nest_in_text(value, params).is_some();
    words::SUBTASKS.contains(&&*plain(key)) && holds_tasks()
}

/// The tasks that a text holds, as JSON or as a checklist.
fn nest_in_text(text: &Value, params: Params) -> Option<Vec<Value>> {
    match (parsed(text, Value::is_array), lines(text.as_str()?, params)) {
        (Some(Value::Array(items)), _) | (_, Lines::Tasks(items)) => Some(items),
        _ => None,
    }
}

/// Whether something that should be a list holds anything.
fn holds_any(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        value => is_given(value),
    }
}

/// A path to put more after. That of a task 10,000 deep would be longer than the call.
fn short(path: &str) -> &str {
    const LONGEST: usize = 120;
    match path.char_indices().nth(LONGEST) {
        Some(_) => "tasks",
        None => path,
    }
}

/// The patterns that a text holds: parted by commas, but for those in braces and brackets, and escaped ones.
pub(super) fn parted(pattern: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut is_escaped) = (Vec::new(), 0, 0usize, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return vec![pattern];
    }
    parts.push(&pattern[start..]);
    let parts: Vec<&str> = parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    // Nothing but commas is for the reader to refuse.
    if parts.is_empty() {
        vec![pattern]
    } else {
        parts
    }
}

/// What to note of a text that held several patterns.
pub(super) fn parted_note(pattern: &str, parts: usize) -> String {
    let pattern = Quote(pattern).to_string();
    format!("has commas; {pattern:?} was read as {parts} patterns")
}

/// Whether the members of an object need no repair.
fn are_canonical(members: &Members, params: &[Param]) -> bool {
    members.iter().all(|(key, value)| {
        let param = params.iter().find(|param| param.name == key);
        param.is_some_and(|param| is_canonical(value, param.holds) && !is_nothing(param, value))
    })
}

/// Whether a value needs no repair.
fn is_canonical(value: &Value, holds: Holds) -> bool {
    match holds {
        Holds::Text | Holds::Choice(_) => true,
        Holds::Echo => false,
        Holds::Metadata | Holds::Truth => !value.is_string(),
        Holds::Number => !value.is_string() && whole(value).is_none(),
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
                let patterns = || members.get("filesModified").and_then(Value::as_array);
                let is_one =
                    |pattern: &Value| pattern.as_str().is_none_or(|text| parted(text).len() == 1);
                members.len() != 1 || patterns().is_some_and(|all| all.iter().all(is_one))
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

/// A whole number as text, also one that comes as a float.
fn integer(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => whole(value),
    }
}

/// A float that is a whole number, as text.
fn whole(value: &Value) -> Option<String> {
    // Beyond it floats skip whole numbers, so that the one that was meant is not known.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let Value::Number(number) = value else {
        return None;
    };
    let is_integer = number.is_i64() || number.is_u64();
    let float = number.as_f64().filter(|_| !is_integer)?;
    let is_whole = float.fract() == 0.0 && float.abs() < EXACT;
    is_whole.then(|| (float as i64).to_string())
}

/// What the lines of a text are.
enum Lines {
    /// Each of them an item of a list or a box.
    Tasks(Vec<Value>),
    /// None of them.
    Text,
    /// Blank, or some items and some not, or a box with a mark that is not known.
    Unread,
}

/// Reads a text as the lines of a checklist.
fn lines(text: &str, params: Params) -> Lines {
    let text = text.trim_start_matches('\u{feff}');
    let (mut tasks, mut has_others) = (Vec::new(), false);
    for line in text.lines().filter(|line| !is_blank(line)) {
        match checklist_line(line, params) {
            Ok(Some(task)) => tasks.push(task),
            Ok(None) => has_others = true,
            Err(UnknownMark) => return Lines::Unread,
        }
    }
    match (tasks.is_empty(), has_others) {
        (false, false) => Lines::Tasks(tasks),
        (true, true) => Lines::Text,
        _ => Lines::Unread,
    }
}

/// A box of which nobody knows what it means.
struct UnknownMark;

/// A line that is an item of a list or a box, as a task.
fn checklist_line(line: &str, params: Params) -> Result<Option<Value>, UnknownMark> {
    let line = line.trim();
    let Some((mark, after)) = boxed(without_bullet(line)) else {
        return Ok(render::item(line).map(|item| task(item, params)));
    };
    // With a bullet before it and without what an editor escapes: the form that there is one reader for.
    let item = render::item(&format!("- [{mark}] {after}"));
    let item = item.filter(|item| item.status.is_some());
    item.map(|item| Some(task(item, params))).ok_or(UnknownMark)
}

/// What follows the bullet or the number of a list item.
fn without_bullet(line: &str) -> &str {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match numbered.len() < line.len() {
        true => numbered.strip_prefix(['.', ')']),
        false => line.strip_prefix(['-', '*', '+']),
    };
    rest.map_or(line, str::trim_start)
}

/// The mark of a box with one character in it, and what stands after it.
fn boxed(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('\\').unwrap_or(text).strip_prefix('[')?;
    let (mark, after) = inside.split_once(']')?;
    let mark = mark.strip_suffix('\\').unwrap_or(mark);
    let is_box =
        mark.chars().count() == 1 && (after.is_empty() || after.starts_with(char::is_whitespace));
    is_box.then_some((mark, after))
}

/// An item of a checklist as a task.
fn task(item: render::Item, params: Params) -> Value {
    let mut task = Members::new();
    // What the interface has no parameter for goes by a name of its own, so that it is told of as not known.
    let mut set = |arg, otherwise: &str, value: Value| {
        let name = params::of(params, arg).map_or(otherwise, |param| param.name);
        task.insert(name.to_owned(), value);
    };
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
        params::MERGE,
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
        let keys = "tasks|input|todos|merge|mode|done|state|subtasks|id|task_id|content|title|status|blockedBy|depends_on|activation|metadata|x";
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
                let once = repair(Cow::Borrowed(&args), params, &[]);
                if once.wrong.is_empty() {
                    let args = once.args.into_owned();
                    let twice = repair(Cow::Borrowed(&args), params, &[]);
                    prop_assert_eq!(twice.args.as_ref(), &args);
                    prop_assert_eq!(twice.notes, Vec::<String>::new());
                }
            }
        }
    }
}

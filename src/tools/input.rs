//! Reads what models send, by hand from `Value`: no reliance on key order, and every
//! problem with its path.

use super::repair::{self, Param};
use crate::activation::Activation;
use crate::error::{Error, Quote};
use crate::task::Status;
use crate::text::is_blank;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

/// What is wrong with the arguments of a call.
#[derive(Clone, Debug)]
pub(super) struct Problems {
    shown: Vec<Problem>,
    /// How many there are beyond those.
    more: usize,
    /// Right arguments.
    example: &'static str,
}

#[derive(Clone, Debug)]
struct Problem {
    path: String,
    what: String,
}

impl Problems {
    /// How many are shown.
    const SHOWN: usize = 5;

    fn add(&mut self, path: impl fmt::Display, what: impl fmt::Display) {
        if self.shown.len() == Self::SHOWN {
            self.more += 1;
            return;
        }
        let (path, what) = (path.to_string(), what.to_string());
        self.shown.push(Problem { path, what });
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments are not right; nothing was changed.")?;
        for problem in &self.shown {
            write!(f, "\n- {}: {}", problem.path, problem.what)?;
        }
        if self.more > 0 {
            write!(f, "\n- and {} more", self.more)?;
        }
        write!(f, "\nExample: {}", self.example)
    }
}

/// A value as it is told of in a problem: its text if that is short, else its kind.
struct Received<'a>(&'a Value);

impl fmt::Display for Received<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{}", Quote(&number.to_string())),
            Value::String(text) => write!(f, "{:?}", Quote(text).to_string()),
            Value::Array(items) => write!(f, "an array of {}", items.len()),
            Value::Object(members) => write!(f, "an object of {}", members.len()),
        }
    }
}

/// No arguments.
static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The arguments of one call: what is read of them, and what is found wrong or was repaired.
pub(super) struct Input<'a> {
    /// None where they are no object, which is then the one problem.
    args: Option<&'a Map<String, Value>>,
    problems: Problems,
    /// What was understood although it was not quite right.
    pub(super) repairs: Vec<String>,
}

/// The revision that a write says it was made from.
pub(super) fn base_revision(prepared: &Prepared<'_>) -> Result<Option<u64>, Problems> {
    const NAME: &str = "baseRevision";
    let mut input = Input::new(prepared);
    let base = input.top().member(NAME).and_then(|value| {
        if value.as_u64().is_none() {
            let received = Received(value);
            let wanted = "the revision of a reply is wanted, 0 for no list";
            input
                .problems
                .add(NAME, format!("received {received}; {wanted}"));
        }
        value.as_u64()
    });
    input.finish(base).map(|(base, _)| base)
}

/// The arguments of a call, as they are to be read.
pub(super) struct Prepared<'a> {
    args: Cow<'a, Value>,
    notes: Vec<String>,
    problems: Problems,
}

impl<'a> Prepared<'a> {
    /// The arguments in the form that the schemas ask for: repaired, or if `strict` as they are.
    pub(super) fn new(
        args: &'a Value,
        params: &'static [Param],
        example: &'static str,
        strict: bool,
    ) -> Self {
        let mut problems = Problems {
            shown: Vec::new(),
            more: 0,
            example,
        };
        if strict {
            for (path, meant) in repair::unknown(args, params) {
                let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
                problems.add(path, format!("is not known{meant}"));
            }
            let (args, notes) = (Cow::Borrowed(args), Vec::new());
            return Prepared {
                args,
                notes,
                problems,
            };
        }
        let repaired = repair::repair(args, params);
        for (path, what) in repaired.disagreements {
            problems.add(path, what);
        }
        Prepared {
            args: repaired.args,
            notes: repaired.notes,
            problems,
        }
    }
}

/// An object of the input, with the path to it.
#[derive(Clone)]
pub(super) struct Object<'a> {
    members: &'a Map<String, Value>,
    /// The list that it is in, and its place there; `None` for the arguments themselves.
    place: Option<(&'static str, usize)>,
}

impl<'a> Object<'a> {
    /// A member that is given: there, and neither null nor blank.
    fn member(&self, name: &str) -> Option<&'a Value> {
        match self.members.get(name)? {
            Value::Null => None,
            Value::String(text) if is_blank(text) => None,
            value => Some(value),
        }
    }

    fn path_to(&self, name: &str) -> String {
        match self.place {
            None => name.to_owned(),
            Some((list, i)) => format!("{list}[{i}].{name}"),
        }
    }
}

impl<'a> Input<'a> {
    pub(super) fn new(prepared: &'a Prepared<'_>) -> Self {
        let mut problems = prepared.problems.clone();
        let args = match prepared.args.as_ref() {
            Value::Object(args) => Some(args),
            Value::Null => Some(&*NONE),
            other => {
                let received = Received(other);
                problems.add(
                    "arguments",
                    format!("received {received}; an object is wanted"),
                );
                None
            }
        };
        Input {
            args,
            problems,
            repairs: prepared.notes.clone(),
        }
    }

    /// The arguments themselves.
    pub(super) fn top(&self) -> Object<'a> {
        Object {
            members: self.args.unwrap_or(&NONE),
            place: None,
        }
    }

    /// Gives what was read, if nothing was wrong.
    pub(super) fn finish<T>(mut self, read: T) -> Result<(T, Vec<String>), Problems> {
        if self.args.is_none() {
            self.problems.shown.truncate(1);
            self.problems.more = 0;
        }
        match self.problems.shown.is_empty() {
            true => Ok((read, self.repairs)),
            false => Err(self.problems),
        }
    }

    /// The objects of a list that must be there. A JSON text is read as the list in it.
    pub(super) fn objects<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Self, Object<'_>) -> T,
    ) -> Vec<T> {
        const WANTED: &str = "an array of objects is wanted, [] for an empty list";
        let items = match self.top().member(name) {
            Some(Value::Array(items)) => items,
            Some(Value::String(text)) => {
                let text = Quote(text).to_string();
                self.problems
                    .add(name, format!("received the text {text:?}; {WANTED}"));
                return Vec::new();
            }
            Some(other) => {
                self.problems
                    .add(name, format!("received {}; {WANTED}", Received(other)));
                return Vec::new();
            }
            None => {
                self.problems.add(name, format!("missing; {WANTED}"));
                return Vec::new();
            }
        };
        let mut objects = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            match item {
                Value::Object(members) => {
                    let place = Some((name, i));
                    objects.push(read(self, Object { members, place }));
                }
                other => {
                    let received = Received(other);
                    self.problems.add(
                        format_args!("{name}[{i}]"),
                        format!("received {received}; an object is wanted"),
                    );
                }
            }
        }
        objects
    }

    /// A text, if it is given.
    pub(super) fn text<'o>(&mut self, object: &Object<'o>, name: &str) -> Option<&'o str> {
        match object.member(name)? {
            Value::String(text) => Some(text),
            other => {
                let received = Received(other);
                self.problems.add(
                    object.path_to(name),
                    format!("received {received}; a string is wanted"),
                );
                None
            }
        }
    }

    /// An id that must be given.
    pub(super) fn required_id<'o>(&mut self, object: &Object<'o>, name: &str) -> Option<&'o str> {
        if object.member(name).is_none() {
            self.problems
                .add(object.path_to(name), "missing; the id of a task is wanted");
        }
        self.text(object, name)
    }

    /// A status, if it is given.
    pub(super) fn status(
        &mut self,
        object: &Object<'_>,
        name: &str,
        allowed: &[&str],
    ) -> Option<Status> {
        const ALL: [Status; 4] = [
            Status::Pending,
            Status::InProgress,
            Status::Completed,
            Status::Deleted,
        ];
        let value = object.member(name)?;
        let text = value
            .as_str()
            .map(str::trim)
            .filter(|text| allowed.contains(text));
        let status = ALL.into_iter().find(|status| text == Some(status.as_str()));
        if status.is_none() {
            let (received, allowed) = (Received(value), allowed.join(", "));
            self.problems.add(
                object.path_to(name),
                format!("received {received}; allowed: {allowed}"),
            );
        }
        status
    }

    /// A text that must be given.
    pub(super) fn required_text<'o>(&mut self, object: &Object<'o>, name: &str) -> Option<&'o str> {
        if object.member(name).is_none() {
            self.problems.add(
                object.path_to(name),
                "missing; a text that is not blank is wanted",
            );
        }
        self.text(object, name)
    }

    /// Ids: an array of them, none where it is not given.
    pub(super) fn ids<'o>(&mut self, object: &Object<'o>, name: &str) -> Vec<&'o str> {
        self.ids_if_given(object, name).unwrap_or_default()
    }

    /// Ids, if they are given: an array of them.
    pub(super) fn ids_if_given<'o>(
        &mut self,
        object: &Object<'o>,
        name: &str,
    ) -> Option<Vec<&'o str>> {
        let items = self.array(object, name, "an array of task ids is wanted")?;
        let mut texts = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            match item {
                Value::String(text) => texts.push(&**text),
                other => {
                    let path = format!("{}[{i}]", object.path_to(name));
                    let received = Received(other);
                    self.problems
                        .add(path, format!("received {received}; a string is wanted"));
                }
            }
        }
        Some(texts)
    }

    /// Some of the words that there are, if they are given.
    pub(super) fn choices<T: Copy>(
        &mut self,
        object: &Object<'_>,
        name: &str,
        all: &[(&str, T)],
    ) -> Vec<T> {
        let items = self.array(object, name, "an array of field names is wanted");
        let mut chosen = Vec::new();
        for (i, item) in items.unwrap_or_default().iter().enumerate() {
            match all.iter().find(|(word, _)| item.as_str() == Some(word)) {
                Some(&(_, choice)) => chosen.push(choice),
                None => {
                    let words: Vec<&str> = all.iter().map(|&(word, _)| word).collect();
                    let path = format!("{}[{i}]", object.path_to(name));
                    let (received, words) = (Received(item), words.join(", "));
                    self.problems
                        .add(path, format!("received {received}; allowed: {words}"));
                }
            }
        }
        chosen
    }

    fn array<'o>(&mut self, object: &Object<'o>, name: &str, wanted: &str) -> Option<&'o [Value]> {
        match object.member(name)? {
            Value::Array(items) => Some(items),
            other => {
                let received = Received(other);
                self.problems.add(
                    object.path_to(name),
                    format!("received {received}; {wanted}"),
                );
                None
            }
        }
    }

    /// Refuses an argument.
    pub(super) fn wrong(&mut self, name: &str, what: &str) {
        self.problems.add(name, what);
    }

    /// Murmur's activation: `activate_when` with a `pattern`, or `activation` as replies
    /// have it.
    pub(super) fn activate_when(
        &mut self,
        object: &Object<'_>,
    ) -> Result<Option<Activation>, Error> {
        let kind = self.text(object, "activate_when");
        let has_pattern = object
            .members
            .get("pattern")
            .is_some_and(|pattern| !pattern.is_null());
        let pattern = self.text(object, "pattern").unwrap_or_default();
        let given = self.activation(object, "activation")?;
        match (kind, given) {
            (Some(kind), None) => Activation::of_kind(kind, [pattern]).map(Some),
            (Some(kind), Some(given)) => {
                if Activation::of_kind(kind, [pattern])? != given {
                    self.problems.add(
                        "activation",
                        "says something else than activate_when; give one",
                    );
                }
                Ok(Some(given))
            }
            (None, given) => {
                if has_pattern {
                    let kinds = Activation::FILES_MODIFIED;
                    self.problems
                        .add("pattern", format!("goes with activate_when: {kinds}"));
                }
                Ok(given)
            }
        }
    }

    /// An activation, if it is given: `{"filesModified": [...]}`.
    pub(super) fn activation(
        &mut self,
        object: &Object<'_>,
        name: &str,
    ) -> Result<Option<Activation>, Error> {
        const WANTED: &str = "an object is wanted: {\"filesModified\": [\"docs/**\"]}";
        let members = match object.member(name) {
            None => return Ok(None),
            Some(Value::Object(members)) if members.len() == 1 => members,
            Some(other) => {
                let received = Received(other);
                self.problems.add(
                    object.path_to(name),
                    format!("received {received}; {WANTED}"),
                );
                return Ok(None);
            }
        };
        let Some((kind, patterns)) = members.iter().next() else {
            return Ok(None);
        };
        if kind != "filesModified" {
            let unknown = Quote(kind).to_string();
            self.problems.add(
                object.path_to(name),
                format!("unknown condition {unknown:?}; {WANTED}"),
            );
            return Ok(None);
        }
        let patterns: Option<Vec<&str>> = match patterns {
            Value::Array(patterns) => patterns.iter().map(Value::as_str).collect(),
            _ => None,
        };
        match patterns {
            Some(patterns) => Activation::files_modified(patterns).map(Some),
            None => {
                let path = format!("{}.{kind}", object.path_to(name));
                self.problems.add(path, "an array of patterns is wanted");
                Ok(None)
            }
        }
    }

    /// An object as it is, if it is given.
    pub(super) fn map<'o>(
        &mut self,
        object: &Object<'o>,
        name: &str,
    ) -> Option<&'o Map<String, Value>> {
        match object.member(name)? {
            Value::Object(members) => Some(members),
            other => {
                let received = Received(other);
                self.problems.add(
                    object.path_to(name),
                    format!("received {received}; an object is wanted"),
                );
                None
            }
        }
    }

    /// Refuses a call that asks for no change.
    pub(super) fn nothing_to_do(&mut self, wanted: &str) {
        self.problems
            .add("arguments", format_args!("nothing to change; {wanted}"));
    }
}

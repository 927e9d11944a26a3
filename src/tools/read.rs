//! Reads the arguments of a call: from JSON text or a value, through the repair, to what verbs want.
//!
//! Verbs ask for an [`Arg`] and get a value of its type; what is wrong is collected with its path, and told of
//! at once. Values are read by hand: serde's `flatten` and `untagged` break under features of serde_json that any
//! other crate may switch on. Nothing here knows a list or a tool. Tested in `tests/lenient.rs` and
//! `tests/refusals.rs`.

use super::params::{self, Arg, Holds, Need, Param, Params};
use super::refusal::{RefusalKind, Refused};
use super::{repair, words};
use crate::activation::Activation;
use crate::error::{Error, Place, TextKind};
use crate::status::Status;
use crate::task::{Field, Fields, TaskDraft, TaskPatch};
use crate::text::Quote;
use crate::text::is_blank;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::sync::LazyLock;

/// The arguments of a call, as a value or as the JSON text that a provider sends.
///
/// Some protocols give the arguments of a tool call as an object, others as JSON text (OpenAI's
/// `function.arguments`). Both can be handed over as they come: [`Toolset::call`](crate::tools::Toolset::call) and
/// [`ListTools::call`](crate::tools::ListTools::call) take what converts into this. Blank text is no arguments.
/// Text that is not JSON is refused, with the place where it goes wrong.
///
/// ```
/// use agent_tasklist::TaskList;
/// use agent_tasklist::tools::{RefusalKind, Toolset};
///
/// let (tools, mut list) = (Toolset::full(), TaskList::new());
/// let reply = tools.call(&mut list, "task_create", r#"{"content": "Fix the bug"}"#);
/// assert!(!reply.is_error());
///
/// let reply = tools.call(&mut list, "task_create", r#"{"content": "Run the tests""#);
/// assert_eq!(reply.refusal.unwrap().kind, RefusalKind::InvalidArguments);
/// ```
#[derive(Clone, Debug)]
pub struct Arguments<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Value(Cow<'a, Value>),
    Text(&'a str),
}

impl<'a> From<&'a Value> for Arguments<'a> {
    fn from(value: &'a Value) -> Self {
        Arguments(Source::Value(Cow::Borrowed(value)))
    }
}

impl From<Value> for Arguments<'_> {
    fn from(value: Value) -> Self {
        Arguments(Source::Value(Cow::Owned(value)))
    }
}

impl<'a> From<&'a str> for Arguments<'a> {
    fn from(text: &'a str) -> Self {
        Arguments(Source::Text(text))
    }
}

impl<'a> From<&'a String> for Arguments<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

impl<'a> Arguments<'a> {
    /// The arguments as a value, or what is wrong with their text.
    fn value(self, strict: bool) -> Result<Cow<'a, Value>, String> {
        let text = match self.0 {
            Source::Value(value) => return Ok(value),
            Source::Text(text) if is_blank(text) => return Ok(Cow::Owned(Value::Null)),
            Source::Text(text) => text,
        };
        match serde_json::from_str(text) {
            Ok(value) => Ok(Cow::Owned(value)),
            Err(error) => {
                // JSON in a code fence. The repair takes it out and says so.
                let fenced = Value::from(text);
                let is_read = !strict && repair::parsed(&fenced, |_| true).is_some();
                let around = Quote(around(text, &error)).to_string();
                let wrong = || format!("not valid JSON: {error}, near {around:?}");
                is_read.then_some(Cow::Owned(fenced)).ok_or_else(wrong)
            }
        }
    }
}

/// The text about the place of an error, 40 characters before it and as many after.
fn around<'t>(text: &'t str, error: &serde_json::Error) -> &'t str {
    // serde_json tells line and column in bytes; the quoted part must start and end between characters.
    let line_starts = text.match_indices('\n').map(|(at, _)| at + 1);
    let line = std::iter::once(0).chain(line_starts);
    let line = line.take(error.line().max(1)).last().unwrap_or_default();
    let end = text.len().min(line + error.column());
    let is_boundary = |&at: &usize| text.is_char_boundary(at);
    let place = (0..=end).rev().find(is_boundary).unwrap_or_default();
    let before = text[..place].char_indices().rev().take(40).last();
    &text[before.map_or(place, |(start, _)| start)..]
}

/// What is wrong with the arguments of a call.
#[derive(Clone, Debug, Default)]
struct Problems {
    shown: Vec<(String, String)>,
    /// How many there are beyond those.
    more: usize,
    /// Right arguments.
    example: &'static str,
}

impl Problems {
    /// How many are shown.
    const SHOWN: usize = 5;

    fn add(&mut self, path: impl Display, what: impl Display) {
        // A model that gets five problems right gets the rest right too, and pays for each line.
        if self.shown.len() == Self::SHOWN {
            self.more += 1;
            return;
        }
        self.shown.push((path.to_string(), what.to_string()));
    }
}

impl Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments are not right; nothing was changed.")?;
        for (path, what) in &self.shown {
            write!(f, "\n- {path}: {what}")?;
        }
        if self.more > 0 {
            write!(f, "\n- and {} more", self.more)?;
        }
        write!(f, "\nExample: {}", self.example)
    }
}

/// A value as it is told of in a problem: its text if that is short, else its kind.
struct Received<'a>(&'a Value);

impl Display for Received<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{}", Quote(&number.to_string())),
            Value::String(text) => write!(f, "{:?}", Quote(text).to_string()),
            // Not the value itself: it may be as long as the whole list.
            Value::Array(items) => write!(f, "an array of {}", items.len()),
            Value::Object(members) => write!(f, "an object of {}", members.len()),
        }
    }
}

/// No arguments.
static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The arguments of a call in the form that the schemas ask for. A call that is run again on a
/// conflict is prepared once.
pub(super) struct Prepared<'a> {
    /// None where they cannot be read at all, which is then the one problem.
    args: Option<Cow<'a, Value>>,
    /// What the tool takes.
    params: Params,
    /// How they were understood.
    notes: Vec<String>,
    /// What is known to be wrong before anything is read of them.
    problems: Problems,
    /// Tasks of the list that were inside another, as places: `(outer, inner)`.
    nested: Vec<(usize, usize)>,
    /// Whether they were taken as they are.
    strict: bool,
}

impl<'a> Prepared<'a> {
    /// The arguments repaired, or if `strict` as they are. `tools` are the names of the set.
    pub(super) fn new(
        args: Arguments<'a>,
        params: Params,
        example: &'static str,
        tools: &[&str],
        strict: bool,
    ) -> Self {
        let mut problems = Problems {
            example,
            ..Problems::default()
        };
        let (mut notes, mut wrong, mut nested) = (Vec::new(), Vec::new(), Vec::new());
        let args = match args.value(strict) {
            Err(what) => {
                wrong.push(("arguments".to_owned(), what));
                None
            }
            Ok(args) if strict => {
                wrong = repair::unknown(&args, params);
                Some(args)
            }
            Ok(args) => {
                let repaired = repair::repair(args, params, tools);
                (notes, wrong) = (repaired.notes, repaired.wrong);
                nested = repaired.nested;
                Some(repaired.args)
            }
        };
        for (path, what) in wrong {
            problems.add(path, what);
        }
        Prepared {
            args,
            params,
            notes,
            problems,
            nested,
            strict,
        }
    }

    /// Whose list the call is about: slug and workspace, empty for the caller's own.
    pub(super) fn target(&self) -> Result<[&str; 2], Refused> {
        if params::of(self.params, Arg::Slug).is_none() {
            return Ok(["", ""]);
        }
        let mut input = Input::new(self);
        let top = input.top();
        let target = [Arg::Slug, Arg::Workspace].map(|arg| input.text(&top, arg));
        input.finish()?;
        Ok(target.map(Option::unwrap_or_default))
    }
}

/// An object of the input, with the path to it.
#[derive(Clone)]
pub(super) struct Object<'a> {
    members: &'a Map<String, Value>,
    params: Params,
    /// The list that it is in, and its place there; `None` for the arguments themselves.
    place: Option<(&'static str, usize)>,
}

impl<'a> Object<'a> {
    /// A member that is given: there, and neither null nor blank.
    fn given(&self, arg: Arg) -> Option<(&'static Param, &'a Value)> {
        let param = params::of(self.params, arg)?;
        match self.members.get(param.name)? {
            Value::Null => None,
            Value::String(text) if is_blank(text) => None,
            value => Some((param, value)),
        }
    }

    fn path_to(&self, name: &str) -> String {
        match self.place {
            None => name.to_owned(),
            Some((list, i)) => format!("{list}[{i}].{name}"),
        }
    }
}

/// The arguments of one call: what is read of them, and what is found wrong.
pub(super) struct Input<'a> {
    args: Option<&'a Map<String, Value>>,
    params: Params,
    problems: Problems,
    /// What was understood although it was not quite right.
    pub(super) notes: Vec<String>,
    /// Tasks of the list that were inside another, as places: `(outer, inner)`.
    pub(super) nested: &'a [(usize, usize)],
    /// Whether nothing is to be understood that is not quite right.
    pub(super) strict: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(prepared: &'a Prepared<'_>) -> Self {
        let mut input = Input {
            args: None,
            params: prepared.params,
            problems: prepared.problems.clone(),
            notes: prepared.notes.clone(),
            nested: &prepared.nested,
            strict: prepared.strict,
        };
        match prepared.args.as_deref() {
            Some(Value::Object(args)) => input.args = Some(args),
            Some(Value::Null) => input.args = Some(&NONE),
            Some(other) => input.received("arguments".into(), other, "an object is wanted"),
            None => {}
        }
        input
    }

    /// The arguments themselves.
    pub(super) fn top(&self) -> Object<'a> {
        Object {
            members: self.args.unwrap_or(&NONE),
            params: self.params,
            place: None,
        }
    }

    /// Refuses the call if anything was wrong with what was read.
    pub(super) fn finish(&mut self) -> Result<(), Refused> {
        if self.args.is_none() {
            // That nothing is there follows from the first problem.
            self.problems.shown.truncate(1);
            self.problems.more = 0;
        }
        if self.problems.shown.is_empty() {
            return Ok(());
        }
        let message = self.problems.to_string();
        Err(Refused::new(RefusalKind::InvalidArguments, message))
    }

    /// Adds a problem with an argument.
    pub(super) fn wrong(&mut self, name: &str, what: impl Display) {
        self.problems.add(name, what);
    }

    /// Refuses a call that asks for no change, with what it could change.
    pub(super) fn nothing_to_change(&mut self) {
        const SHOWN: usize = 5;
        let is_change = |param: &&Param| {
            param.need == Need::Optional && !matches!(param.arg, Arg::Slug | Arg::Workspace)
        };
        let names = self.params.iter().filter(is_change).map(|param| param.name);
        let mut names: Vec<&str> = names.take(SHOWN + 1).collect();
        if let Some(more) = names.get_mut(SHOWN) {
            *more = "…";
        }
        let what = format!(
            "nothing to change; give at least one of {}",
            names.join(", ")
        );
        self.wrong("arguments", what);
    }

    fn received(&mut self, path: String, value: &Value, wanted: impl Display) {
        let received = Received(value);
        self.problems
            .add(path, format_args!("received {received}; {wanted}"));
    }

    /// A value, if it is given. What `read` cannot read is a problem.
    fn take<'o, T>(
        &mut self,
        object: &Object<'o>,
        arg: Arg,
        wanted: impl Display,
        read: impl FnOnce(&'o Value) -> Option<T>,
    ) -> Option<T> {
        let (param, value) = object.given(arg)?;
        let read = read(value);
        if read.is_none() {
            self.received(object.path_to(param.name), value, wanted);
        }
        read
    }

    /// Refuses a call without an argument that must be given.
    pub(super) fn require(&mut self, object: &Object<'_>, arg: Arg, wanted: &str) {
        if let (Some(param), None) = (params::of(object.params, arg), object.given(arg)) {
            let missing = format!("missing; {wanted}");
            self.problems.add(object.path_to(param.name), missing);
        }
    }

    /// A text, if it is given.
    pub(super) fn text<'o>(&mut self, object: &Object<'o>, arg: Arg) -> Option<&'o str> {
        self.take(object, arg, "a string is wanted", Value::as_str)
    }

    /// The id of a task, which must be given.
    pub(super) fn id<'o>(&mut self, object: &Object<'o>) -> &'o str {
        self.require(object, Arg::Id, "the id of a task is wanted");
        self.text(object, Arg::Id).unwrap_or_default()
    }

    /// Whether the tasks are to go into the list, and not to replace it.
    pub(super) fn merges(&mut self, object: &Object<'_>) -> bool {
        let wanted = "true or false is wanted";
        let merges = self.take(object, Arg::Merge, wanted, Value::as_bool);
        merges.unwrap_or_default()
    }

    /// The revision that the call says it was made from.
    pub(super) fn base_revision(&mut self) -> Option<u64> {
        let wanted = "the revision of a reply is wanted, 0 for no list";
        self.take(&self.top(), Arg::BaseRevision, wanted, Value::as_u64)
    }

    fn status(&mut self, object: &Object<'_>, allowed: &[Status]) -> Option<Status> {
        let (param, value) = object.given(Arg::Status)?;
        let status = value.as_str().and_then(|word| words::exact(word.trim()));
        let status = status.filter(|status| allowed.contains(status));
        if status.is_none() {
            let allowed = words::names(allowed).join(", ");
            let wanted = format_args!("allowed: {allowed}");
            self.received(object.path_to(param.name), value, wanted);
        }
        status
    }

    /// The tasks of a list, which must be given.
    pub(super) fn tasks(&mut self, top: &Object<'_>) -> Vec<TaskDraft> {
        const WANTED: &str = "an array of objects is wanted, [] for an empty list";
        self.require(top, Arg::Tasks, WANTED);
        let Some((param, value)) = top.given(Arg::Tasks) else {
            return Vec::new();
        };
        let (name, Holds::Tasks(params)) = (param.name, param.holds) else {
            return Vec::new();
        };
        let Value::Array(items) = value else {
            let text = value.as_str().map_or("", |_| "the text ");
            let received = Received(value);
            self.wrong(name, format_args!("received {text}{received}; {WANTED}"));
            return Vec::new();
        };
        let mut drafts = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            match item {
                Value::Object(members) => {
                    let place = Some((name, i));
                    drafts.push(self.draft(&Object {
                        members,
                        params,
                        place,
                    }));
                }
                other => self.received(format!("{name}[{i}]"), other, "an object is wanted"),
            }
        }
        drafts
    }

    /// A task of a write or a create.
    pub(super) fn draft(&mut self, object: &Object<'_>) -> TaskDraft {
        // A draft and a patch hold the same fields, and so they are read once.
        let fields = self.fields(object, words::LIVE);
        let draft = TaskDraft { id: None, fields };
        match self.text(object, Arg::Id) {
            Some(id) => draft.id(id),
            None => draft,
        }
    }

    /// What a call sets of a task, by the parameters that the tool has. In place: a whole list is read item by item.
    fn fields(&mut self, object: &Object<'_>, statuses: &[Status]) -> Fields {
        let mut fields = Fields::default();
        if let Some(subject) = self.text(object, Arg::Subject) {
            fields.set_subject(subject);
        }
        fields.status = self.status(object, statuses);
        if let Some(text) = self.text(object, Arg::ActiveForm) {
            fields.set_active_form(text);
        }
        let wanted = "an object is wanted";
        if let Some(members) = self.take(object, Arg::Metadata, wanted, Value::as_object) {
            fields.merge_metadata(members.clone());
        }
        if let Some(text) = self.text(object, Arg::Description) {
            fields.set_description(text);
        }
        if let Some(name) = self.text(object, Arg::Owner) {
            fields.set_owner(name);
        }
        if let Some(ids) = self.ids(object, Arg::BlockedBy) {
            fields.set_blocked_by(ids);
        }
        if let Some(ids) = self.ids(object, Arg::Blocks) {
            fields.set_blocks(ids);
        }
        if let Some(activation) = self.condition(object) {
            fields.set_activation(activation);
        }
        fields
    }

    /// What an update sets, adds, removes and clears.
    pub(super) fn patch(&mut self, top: &Object<'_>) -> TaskPatch {
        let mut patch = TaskPatch {
            fields: self.fields(top, words::ALL),
            ..TaskPatch::default()
        };
        let mut ids = |arg| self.ids(top, arg).unwrap_or_default();
        patch = patch
            .add_blocked_by(ids(Arg::AddBlockedBy))
            .remove_blocked_by(ids(Arg::RemoveBlockedBy))
            .add_blocks(ids(Arg::AddBlocks))
            .remove_blocks(ids(Arg::RemoveBlocks));
        for field in self.cleared(top).unwrap_or_default() {
            patch = patch.clear(field);
        }
        if patch.is_empty() {
            self.nothing_to_change();
        }
        patch
    }

    /// An array, if it is given. What `read` cannot read is a problem.
    fn array<'o, T>(
        &mut self,
        object: &Object<'o>,
        arg: Arg,
        wanted: [&str; 2],
        read: impl Fn(&'o Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let name = object.given(arg)?.0.name;
        let [wanted, wanted_inside] = wanted;
        let items = self.take(object, arg, wanted, Value::as_array)?;
        let mut all = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            match read(item) {
                Some(item) => all.push(item),
                None => {
                    let path = format!("{}[{i}]", object.path_to(name));
                    self.received(path, item, wanted_inside);
                }
            }
        }
        Some(all)
    }

    /// An array of ids, if it is given.
    fn ids<'o>(&mut self, object: &Object<'o>, arg: Arg) -> Option<Vec<&'o str>> {
        let wanted = ["an array of task ids is wanted", "a string is wanted"];
        self.array(object, arg, wanted, Value::as_str)
    }

    /// The fields to clear.
    fn cleared(&mut self, object: &Object<'_>) -> Option<Vec<Field>> {
        let Holds::Fields(all) = object.given(Arg::Clear)?.0.holds else {
            return None;
        };
        let words: Vec<&str> = all.iter().map(|&(word, _)| word).collect();
        let allowed = format!("allowed: {}", words.join(", "));
        let wanted = ["an array of field names is wanted", &allowed];
        let field = |word: &str| all.iter().find(|(other, _)| *other == word);
        self.array(object, Arg::Clear, wanted, |item| {
            Some(field(item.as_str()?)?.1)
        })
    }

    /// What a task sleeps until: as replies have it, or by a kind and a pattern.
    fn condition(&mut self, object: &Object<'_>) -> Option<Activation> {
        let given = self.activation(object);
        let Some(param) = params::of(object.params, Arg::Pattern) else {
            return given;
        };
        // A pattern that is blank is given too: it matches any file.
        let has_pattern = object.members.get(param.name);
        let has_pattern = has_pattern.is_some_and(|pattern| !pattern.is_null());
        let pattern = self.text(object, Arg::Pattern).unwrap_or_default();
        let Some(kind) = self.text(object, Arg::ActivateWhen) else {
            if has_pattern {
                let kinds = Activation::FILES_MODIFIED;
                let what = format_args!("goes with activate_when: {kinds}");
                self.wrong(param.name, what);
            }
            return given;
        };
        let patterns = match self.strict {
            true => vec![pattern],
            false => repair::parted(pattern),
        };
        if patterns.len() > 1 {
            let note = repair::parted_note(pattern, patterns.len());
            self.notes.push(format!("{} {note}.", param.name));
        }
        match (Activation::of_kind(kind, patterns), given) {
            (Err(error), _) => {
                let path = match &error {
                    Error::Invalid { invalid, .. } if invalid.kind == TextKind::Condition => {
                        "activate_when"
                    }
                    _ => param.name,
                };
                self.wrong(path, error.told_without_place());
                return None;
            }
            (Ok(by_kind), Some(given)) if by_kind != given => {
                let what = "says something else than activate_when; give one";
                self.wrong("activation", what);
            }
            (Ok(by_kind), _) => return Some(by_kind),
        }
        None
    }

    /// An activation, if it is given: `{"filesModified": [...]}`.
    fn activation(&mut self, object: &Object<'_>) -> Option<Activation> {
        const WANTED: &str = "an object is wanted: {\"filesModified\": [\"docs/**\"]}";
        let path = object.path_to(object.given(Arg::Activation)?.0.name);
        let (kind, patterns) = self.take(object, Arg::Activation, WANTED, |value| {
            let members = value.as_object().filter(|members| members.len() == 1)?;
            members.iter().next()
        })?;
        if kind != "filesModified" {
            let unknown = Quote(kind).to_string();
            let what = format_args!("unknown condition {unknown:?}; {WANTED}");
            self.wrong(&path, what);
            return None;
        }
        let patterns = patterns.as_array();
        let patterns: Option<Vec<&str>> =
            patterns.and_then(|patterns| patterns.iter().map(Value::as_str).collect());
        match patterns.map(Activation::files_modified) {
            None => self.wrong(&format!("{path}.{kind}"), "an array of patterns is wanted"),
            Some(Err(error)) => {
                let path = match error.place() {
                    Some(Place::Item(i)) => format!("{path}.{kind}[{i}]"),
                    _ => format!("{path}.{kind}"),
                };
                self.wrong(&path, error.told_without_place());
            }
            Some(Ok(activation)) => return Some(activation),
        }
        None
    }
}

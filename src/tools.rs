mod data;
mod full;
mod input;
mod mastra;
mod murmur;
mod repair;
mod schema;
mod signals;
mod stored;

pub use data::ReplyData;
pub use signals::TaskSignals;
pub use stored::{Access, ListTools};

use crate::change::{Changes, Demotion};
use crate::error::{Error, Quote};
use crate::list::TaskList;
use crate::policy::{Limits, Policy};
use input::Prepared;
use serde_json::Value;
use std::sync::Arc;

/// A set of tools to hand to a model, over a [`TaskList`].
///
/// A toolset is plain data: which tools, and the [`Policy`] and [`Limits`] that they act under. It
/// describes the tools ([`specs`](Self::specs)) and carries out what the model calls
/// ([`call`](Self::call)). The list stays with the host.
///
/// ```
/// use agent_tasklist::{TaskList, Toolset};
/// use serde_json::json;
///
/// let tools = Toolset::mastra();
/// let mut list = TaskList::new();
/// let reply = tools.call(&mut list, "task_write", &json!({"tasks": [
///     {"content": "Fix the bug", "status": "in_progress", "activeForm": "Fixing the bug"},
///     {"content": "Run the tests", "status": "pending", "activeForm": "Running the tests"},
/// ]}));
/// assert!(!reply.is_error);
/// assert_eq!(reply.text, "\
/// Tasks updated: [0/2 completed]
/// Currently: Fixing the bug (task_fix_the_bug)
/// Task IDs:
/// - task_fix_the_bug: Fix the bug (in_progress)
/// - task_run_the_tests: Run the tests (pending)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    kind: Kind,
    policy: Policy,
    limits: Option<Limits>,
    actor: Option<Arc<str>>,
    strictness: Strictness,
    detail: Detail,
}

/// What a toolset makes of arguments that are not quite what the schema asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strictness {
    /// What can only mean one thing is understood, and noted in the reply: JSON strings where an array
    /// or object is wanted (with a code fence around them, and twice over), an object with one member around
    /// the arguments or a list, one item in the place of a list, a text or a checklist line for a task,
    /// other spellings and names of keys, other words for a status, and whole numbers as ids. What a new
    /// task has beyond the schema goes into its metadata; other arguments that are not known are ignored.
    ///
    /// Never is something missing read as an empty list, and of two spellings that disagree none is picked.
    #[default]
    Lenient,
    /// Nothing but what the schema says, `null` and blanks for what is not given apart. Arguments that are not
    /// known are refused.
    Strict,
}

/// How much of the list a reply repeats.
///
/// One `task_complete` in a list of tasks with texts of some thirty characters, in bytes of [`Reply::data`] as
/// JSON, beside a recording of Mastra's own:
///
/// | tasks | Mastra | `Full` | `Changed` |
/// | ---: | ---: | ---: | ---: |
/// | 10 | 1,900 | 1,756 | 368 |
/// | 100 | 18,000 | 17,237 | 372 |
/// | 1,000 | 185,000 | 176,538 | 376 |
///
/// Murmur's replies are short as they are, and the same in both. What was asked for is shown whatever the
/// detail: `task_list` has all tasks, `task_get` its own, `task_check` those that are incomplete, and a write that
/// was made from another revision the list as it is.
///
/// ```
/// use agent_tasklist::{Detail, TaskDraft, TaskList, Toolset};
/// use serde_json::json;
///
/// let mut list = TaskList::new();
/// list.write([
///     TaskDraft::new("Build").id("build"),
///     TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
///     TaskDraft::new("Write the docs").id("docs"),
/// ])?;
/// let tools = Toolset::full().with_detail(Detail::Changed);
/// let reply = tools.call(&mut list, "task_complete", &json!({"id": "build"}));
/// assert_eq!(reply.text, "\
/// Tasks updated: [1/3 completed]
/// Changed:
/// - build: Build (completed)
/// - ship: Ship (pending)
/// Now ready: ship");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detail {
    /// The whole list, as text and as data, in every reply: Mastra's form.
    #[default]
    Full,
    /// The tasks that the call changed or set free, the ids of those that it removed, and the counts.
    Changed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mastra,
    Murmur,
    Full,
}

/// A tool as a model and its client are told of it.
///
/// The schemas are in the style that all providers accept: one string `type` a node, string enums, no
/// additional properties, optional means not in `required`; no references, unions or defaults. Where
/// a provider wants it otherwise there are [`strict`](Self::strict) and
/// [`without_additional_properties`](Self::without_additional_properties).
#[derive(Clone, Debug, PartialEq)]
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
    /// The JSON Schema of [`Reply::data`], an object, where the call is not refused.
    pub output_schema: Value,
    /// What the tool does to the list, for clients that ask before they let a model do it.
    pub hints: Hints,
}

/// What a tool does, as MCP's annotations put it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It can take something away that was there.
    pub destructive: bool,
    /// The same call again changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond the list. None does.
    pub open_world: bool,
}

impl ToolSpec {
    fn new(
        name: &'static str,
        description: String,
        input_schema: Value,
        output_schema: Value,
    ) -> Self {
        let (title, hint) = match name {
            "task_write" => ("Write the task list", "destructive"),
            "task_update" => ("Update a task", "destructive"),
            "task_delete" => ("Delete a task", "destructive"),
            "task_complete" => ("Complete a task", ""),
            "task_create" => ("Create a task", "not idempotent"),
            "task_claim" => ("Claim a task", ""),
            "task_release" => ("Release tasks", ""),
            "task_check" => ("Check the task list", "read-only"),
            "task_get" => ("Show a task", "read-only"),
            _ => ("List the tasks", "read-only"),
        };
        let hints = Hints {
            read_only: hint == "read-only",
            destructive: hint == "destructive",
            idempotent: hint != "not idempotent",
            open_world: false,
        };
        ToolSpec {
            name,
            title,
            description,
            input_schema,
            output_schema,
            hints,
        }
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

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The answer as text.
    pub text: String,
    /// The answer as a JSON object, which reads as a [`Value`].
    pub data: ReplyData,
    /// Whether the call was refused. Nothing has changed then.
    pub is_error: bool,
    /// What the call did to the list: save it when this is not
    /// [empty](Changes::is_empty).
    pub changes: Changes,
}

impl Toolset {
    /// Mastra's four task tools, as `@mastra/core` 1.71.0 has them: `task_write`,
    /// `task_update`, `task_complete` and `task_check`. They take Mastra's parameters
    /// and answer in its form, with notes after a blank line.
    pub fn mastra() -> Self {
        Toolset::of(Kind::Mastra)
    }

    /// Murmur's four task tools, in its wire form: `task_list`, `task_create`, `task_update` and
    /// `task_get`. Errors carry its codes. A task that was deleted is still listed.
    ///
    /// ```
    /// use agent_tasklist::{TaskList, Toolset};
    /// use serde_json::json;
    ///
    /// let mut list = TaskList::new();
    /// let args = json!({"subject": "Update API docs", "activate_when": "files_modified", "pattern": "api/**"});
    /// let reply = Toolset::murmur().call(&mut list, "task_create", &args);
    /// assert_eq!(reply.text, r#"{"task_id":"task_update_api_docs"}"#);
    /// ```
    pub fn murmur() -> Self {
        Toolset::of(Kind::Murmur)
    }

    /// Everything, in Mastra's field names: its four tools with descriptions, dependencies,
    /// activation and owner, and `task_create`, `task_delete`, `task_list`, `task_get`,
    /// `task_claim` and `task_release`.
    ///
    /// Tasks in replies have Mastra's four fields always, and the others and `state` where they say
    /// something. The schemas have 31 optional parameters in all (Mastra's set has 5, Murmur's 16), for
    /// providers that limit them.
    ///
    /// ```
    /// use agent_tasklist::{TaskList, Toolset};
    /// use serde_json::json;
    ///
    /// let mut list = TaskList::new();
    /// let tools = Toolset::full().acting_as("jo");
    /// tools.call(&mut list, "task_write", &json!({"tasks": [
    ///     {"id": "build", "content": "Build", "status": "pending"},
    ///     {"id": "ship", "content": "Ship", "status": "pending", "blockedBy": ["build"]},
    /// ]}));
    /// let reply = tools.call(&mut list, "task_claim", &json!({}));
    /// assert_eq!(reply.data["claimed"], "build");
    /// assert_eq!(reply.data["tasks"][0]["owner"], "jo");
    /// assert_eq!(reply.data["tasks"][1]["state"], "blocked");
    /// ```
    pub fn full() -> Self {
        Toolset::of(Kind::Full)
    }

    fn of(kind: Kind) -> Self {
        Toolset {
            kind,
            policy: Policy::default(),
            limits: None,
            actor: None,
            strictness: Strictness::default(),
            detail: Detail::default(),
        }
    }

    /// The same tools under a policy of the host's.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The same tools under lower limits of the host's. Without them those of the list hold, which
    /// are the highest where it was just loaded.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The same tools on behalf of an owner: the unfinished tasks of others are left as they are, and
    /// refused by name. A blank name is nobody's.
    #[must_use]
    pub fn acting_as(mut self, owner: impl AsRef<str>) -> Self {
        self.actor = crate::text::given(owner.as_ref());
        self
    }

    /// The same tools with another strictness.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// The same tools with shorter or longer replies.
    #[must_use]
    pub fn with_detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// What to tell the model of each tool.
    pub fn specs(&self) -> Vec<ToolSpec> {
        match self.kind {
            Kind::Mastra => mastra::own_specs(self),
            Kind::Murmur => murmur::specs(&self.policy),
            Kind::Full => full::all_specs(self),
        }
    }

    /// Carries out a call on a list, under the toolset's policy and limits.
    ///
    /// Never fails in the Rust sense: whatever is wrong with the name, the arguments or
    /// the change asked for is said in the reply, for the model to correct itself.
    ///
    /// The list is the caller's own: where the arguments name another, the call is refused. For
    /// several lists in a store there is [`ListTools`].
    pub fn call(&self, list: &mut TaskList, name: &str, args: &Value) -> Reply {
        let args = self.prepare(name, args);
        match self.target(&args) {
            Ok(["", ""]) => self.run(list, name, &args),
            Ok([slug, workspace]) => {
                murmur::out_of_reach(if slug.is_empty() { workspace } else { slug })
            }
            Err(reply) => *reply,
        }
    }

    /// The answer where no list was touched.
    fn failure(&self, name: &str, code: &str, message: &str) -> Reply {
        match self.kind {
            Kind::Murmur => murmur::failure(code, message),
            Kind::Mastra | Kind::Full => self.form().failure(name, message),
        }
    }

    /// The form of Mastra's tools and the full ones.
    fn form(&self) -> mastra::Form<'_> {
        mastra::Form {
            full: self.kind == Kind::Full,
            actor: self.actor.as_deref(),
            tools: self,
        }
    }

    /// Whose list a call is about: slug and workspace, empty for the caller's own.
    fn target<'a>(&self, args: &'a Prepared<'_>) -> Result<[&'a str; 2], Box<Reply>> {
        match self.kind {
            Kind::Murmur => murmur::target(args),
            Kind::Mastra | Kind::Full => Ok(["", ""]),
        }
    }

    /// The arguments of a call as they are to be read.
    fn prepare<'a>(&self, name: &str, args: &'a Value) -> Prepared<'a> {
        let params = match self.kind {
            Kind::Murmur => repair::murmur(name),
            Kind::Mastra | Kind::Full => repair::mastra(name, self.kind == Kind::Full),
        };
        let strict = self.strictness == Strictness::Strict;
        Prepared::new(args, params, self.example(name), strict)
    }

    /// Right arguments of a tool.
    fn example(&self, name: &str) -> &'static str {
        match (name, self.kind) {
            ("task_write", _) => {
                r#"{"tasks": [{"content": "Fix the bug", "status": "pending", "activeForm": "Fixing the bug"}]}"#
            }
            ("task_create", Kind::Murmur) => r#"{"subject": "Fix the bug"}"#,
            ("task_create", _) => {
                r#"{"content": "Run the tests", "blockedBy": ["task_fix_the_bug"]}"#
            }
            ("task_update", Kind::Murmur) => {
                r#"{"task_id": "task_fix_the_bug", "status": "in_progress"}"#
            }
            ("task_update", _) => r#"{"id": "task_fix_the_bug", "status": "in_progress"}"#,
            ("task_get", Kind::Murmur) => r#"{"task_id": "task_fix_the_bug"}"#,
            ("task_get" | "task_complete" | "task_delete", _) => r#"{"id": "task_fix_the_bug"}"#,
            ("task_claim" | "task_release", _) if self.actor.is_none() => {
                r#"{"owner": "worker-1"}"#
            }
            _ => "{}",
        }
    }

    /// Carries out a call on the list that it is about.
    fn run(&self, list: &mut TaskList, name: &str, args: &Prepared<'_>) -> Reply {
        list.set_policy(self.policy);
        if let Some(limits) = self.limits {
            list.set_limits(limits);
        }
        match self.kind {
            Kind::Murmur => murmur::call(self, list, name, args),
            Kind::Mastra | Kind::Full => self.form().call(list, name, args),
        }
    }
}

/// Why a call is refused.
enum Refusal {
    NoSuchTool,
    Input(input::Problems),
    List(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::List(error)
    }
}

fn no_such_tool(name: &str, specs: &[ToolSpec]) -> String {
    let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
    let name = Quote(name).to_string();
    format!("There is no tool {name:?}. Tools: {}.", names.join(", "))
}

/// What the model may not expect of a call, a line each: what it was understood to be, and what
/// the change did beyond it. At most 50 lines.
fn notes(list: &TaskList, changes: &Changes, repairs: Vec<String>) -> Vec<String> {
    const MOST: usize = 50;
    let mut lines = changes_noted(list, changes);
    lines.extend(repairs);
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    lines.extend((more > 0).then(|| format!("And {more} notes more.")));
    lines
}

fn changes_noted(list: &TaskList, changes: &Changes) -> Vec<String> {
    let subject = |id: &str| list.get(id).map_or("", |task| &task.subject).to_owned();
    let mut lines = Vec::new();
    for demoted in &changes.effects.demoted {
        let why = match &demoted.cause {
            Demotion::Yielded { to } => format!("{to} is in progress instead"),
            Demotion::Blocked { by } => format!("it is blocked by {}", crate::error::Ids(by)),
        };
        lines.push(format!("{} went back to pending: {why}.", demoted.id));
    }
    for note in &changes.notes.rebound {
        let subject = subject(note.id.as_str());
        lines.push(format!(
            "Id {} now means \"{}\", which had id {}. Nothing of what it meant before is kept.",
            note.id,
            Quote(&subject),
            note.previous
        ));
    }
    for note in &changes.notes.duplicate_ids {
        let subject = subject(note.generated.as_str());
        lines.push(format!(
            "Id {} was given twice: \"{}\" has id {}.",
            note.id,
            Quote(&subject),
            note.generated
        ));
    }
    let unfinished = &changes.notes.unfinished_removed;
    if !unfinished.is_empty() {
        const MOST: usize = 50;
        // Both in the old list order.
        let mut removed = changes.facts.removed.iter();
        let mut names: Vec<String> = (unfinished.iter().take(MOST))
            .filter_map(|id| removed.find(|task| task.id == *id))
            .map(|task| format!("{} \"{}\"", task.id, Quote(&task.subject)))
            .collect();
        if unfinished.len() > MOST {
            names.push(format!("and {} more", unfinished.len() - MOST));
        }
        lines.push(format!("Left out unfinished: {}.", names.join(", ")));
    }
    let kept = &changes.notes.unfinished_kept;
    if !kept.is_empty() {
        let kept = crate::error::Ids(kept);
        lines.push(format!(
            "Left out unfinished, so they stay at the end: {kept}."
        ));
    }
    for id in &changes.notes.advised {
        let why = list
            .explain(id.as_str())
            .map_or(String::new(), |why| why.to_string());
        lines.push(format!("{why}: it was to wait, but is worked on."));
    }
    lines
}

//! What comes back from a call: [`Reply`], its data, and how long it is.
//!
//! [`ListData`] is the data in Mastra's field names, written straight from the list so that no value is made of it
//! unless somebody looks. What an interface says in its replies is in `interfaces`, not here. Tested in
//! `tests/detail.rs`.

use super::refusal::Refusal;
use crate::change::Changes;
use crate::graph::State;
use crate::id::TaskId;
use crate::list::{self, TaskList};
use crate::status::Status;
use crate::task::Task;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The answer as text.
    pub text: String,
    /// The answer as a JSON object, which reads as a [`Value`].
    pub data: ReplyData,
    /// Why the call was refused, if it was. Nothing has changed then.
    pub refusal: Option<Refusal>,
    /// What the call did to the list: save it when this is not
    /// [empty](Changes::is_empty).
    pub changes: Changes,
}

impl Reply {
    /// Whether the call was refused.
    pub fn is_error(&self) -> bool {
        self.refusal.is_some()
    }
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
/// use agent_tasklist::{TaskDraft, TaskList};
/// use agent_tasklist::tools::{Detail, Toolset};
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

/// The answer to a call as a JSON object.
///
/// It reads as a [`Value`], which is made when it is first looked at; written with serde it needs none. So a
/// host that gives only the text of replies to its model does not pay for the data.
///
/// Its members, by the tools that give them:
///
/// | sets | tools | members |
/// | --- | --- | --- |
/// | Mastra's, full | all | `content` (the text), `tasks`, `isError` |
/// | Mastra's, full | `task_check` | `summary` (counts), `incompleteTasks` |
/// | full | `task_create`, `task_get` | `id` |
/// | full | `task_claim` | `claimed`: an id, left out where there is no task to claim |
/// | full | `task_release` | `released`: ids |
/// | Mastra's, full, in [`Detail::Changed`] | all | `summary`, and `removed` (ids) where tasks are gone |
/// | Murmur's | `task_list` | `tasks` |
/// | Murmur's | `task_create`, `task_update` | `task_id`, and `notes` where there are some |
/// | Murmur's | `task_get` | the members of the task |
/// | Murmur's | a refused call | `error`: `code` and `message` |
/// | all, in a store | all | `revision` |
///
/// A refused call of the full set, or in [`Detail::Changed`], has no `summary` and no `incompleteTasks`, so
/// that nobody takes a list that could not be read for one with nothing to do. [`ToolSpec::output_schema`] has the
/// types of all these for a call that is carried out.
///
/// [`ToolSpec::output_schema`]: crate::tools::ToolSpec::output_schema
///
/// It holds a clone of the list as it was after the call. An edit of the list while a reply is
/// kept copies pointers, as with every clone.
///
/// ```
/// use agent_tasklist::TaskList;
/// use agent_tasklist::tools::Toolset;
/// use serde_json::{Value, json};
///
/// let mut list = TaskList::new();
/// let reply = Toolset::mastra().call(&mut list, "task_check", &json!({}));
/// assert_eq!(reply.data["summary"]["total"], 0);
/// let text = serde_json::to_string(&reply.data).unwrap();
/// let value: Value = reply.data.into();
/// assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
/// ```
#[derive(Clone)]
pub struct ReplyData {
    source: Source,
    /// Members beyond those of the source.
    more: Vec<(&'static str, Value)>,
    value: OnceLock<Value>,
}

#[derive(Clone)]
enum Source {
    Object(Value),
    List(Box<ListData>),
}

/// A reply in Mastra's form.
#[derive(Clone)]
pub(super) struct ListData {
    pub(super) list: TaskList,
    /// Whose gate it tells of, if not the list's.
    pub(super) actor: Option<Arc<str>>,
    /// Whether tasks have all fields, or Mastra's four.
    pub(super) full: bool,
    pub(super) content: String,
    pub(super) is_error: bool,
    /// The tasks that are shown, all if `None`.
    pub(super) shown: Option<Vec<TaskId>>,
    pub(super) has_summary: bool,
    pub(super) has_incomplete: bool,
    pub(super) removed: Vec<TaskId>,
}

impl ReplyData {
    /// Adds a member, or gives another value to one that was given so before.
    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        // The revision is set twice: to what the call ran on, then to what was committed.
        self.more.retain(|(other, _)| *other != name);
        self.more.push((name, value));
        self.value = OnceLock::new();
    }
}

impl From<Source> for ReplyData {
    fn from(source: Source) -> Self {
        let (more, value) = (Vec::new(), OnceLock::new());
        ReplyData {
            source,
            more,
            value,
        }
    }
}

impl From<Value> for ReplyData {
    fn from(object: Value) -> Self {
        Source::Object(object).into()
    }
}

impl From<ListData> for ReplyData {
    fn from(data: ListData) -> Self {
        Source::List(Box::new(data)).into()
    }
}

impl Deref for ReplyData {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.value
            .get_or_init(|| serde_json::to_value(self).unwrap_or_default())
    }
}

impl From<ReplyData> for Value {
    fn from(data: ReplyData) -> Value {
        // Made if nobody looked at it yet.
        let _ = &*data;
        data.value.into_inner().unwrap_or_default()
    }
}

impl PartialEq for ReplyData {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Value> for ReplyData {
    fn eq(&self, other: &Value) -> bool {
        **self == *other
    }
}

impl fmt::Debug for ReplyData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// As JSON on one line.
impl fmt::Display for ReplyData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for ReplyData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.source {
            Source::Object(object) => {
                for (name, value) in object.as_object().into_iter().flatten() {
                    map.serialize_entry(name, value)?;
                }
            }
            Source::List(data) => {
                map.serialize_entry("content", &data.content)?;
                map.serialize_entry("tasks", &Tasks(data, data.shown()))?;
                map.serialize_entry("isError", &data.is_error)?;
                if data.has_summary {
                    map.serialize_entry("summary", &data.summary())?;
                }
                if data.has_incomplete {
                    let open = open_to(&data.list, data.actor.as_ref()).collect();
                    map.serialize_entry("incompleteTasks", &Tasks(data, open))?;
                }
                if !data.removed.is_empty() {
                    map.serialize_entry("removed", &data.removed)?;
                }
            }
        }
        for (name, value) in &self.more {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl ListData {
    fn shown(&self) -> Vec<&Task> {
        match &self.shown {
            None => self.list.tasks().collect(),
            Some(ids) => ids.iter().filter_map(|id| self.list.get(id)).collect(),
        }
    }

    fn summary(&self) -> Value {
        let summary = self.list.summary();
        let mut counts = json!({
            "total": summary.total,
            "completed": summary.completed,
            "inProgress": summary.in_progress,
            "pending": summary.pending,
            "incomplete": summary.incomplete,
            "hasTasks": summary.has_tasks,
            "allCompleted": summary.all_completed,
        });
        if self.full {
            counts["dormant"] = summary.dormant.into();
            counts["blocked"] = summary.blocked.into();
            counts["ready"] = summary.ready.into();
            counts["canFinish"] = (open_to(&self.list, self.actor.as_ref()).len() == 0).into();
        }
        counts
    }

    fn task<'a>(&'a self, task: &'a Task) -> TaskOut<'a> {
        let full = self.full.then_some(&self.list);
        let state = full.and_then(|list| list.state(&task.id));
        let ends =
            |ids: fn(_, _) -> _| full.map_or(Vec::new(), |list| self::ids(ids(list, &task.id)));
        TaskOut {
            id: &task.id,
            content: &task.subject,
            status: task.status,
            active_form: task.active_label(),
            description: full.and(task.description.as_deref()),
            owner: full.and(task.owner.as_deref()),
            activation: full.and_then(|_| ActivationOut::of(task)),
            blocked_by: ends(TaskList::blocked_by),
            blocks: ends(TaskList::blocks),
            state: state.filter(|state| matches!(state, State::Blocked | State::Dormant)),
        }
    }
}

/// What is left to do for the one who asks: by the gate of that owner, or where nobody is named, by the list's.
pub(super) fn open_to<'l>(list: &'l TaskList, actor: Option<&Arc<str>>) -> list::Tasks<'l> {
    match actor {
        Some(actor) => list.open_tasks_of(actor),
        None => list.open_tasks(),
    }
}

/// Tasks in the form of the data.
struct Tasks<'a>(&'a ListData, Vec<&'a Task>);

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tasks(data, tasks) = self;
        serializer.collect_seq(tasks.iter().map(|task| data.task(task)))
    }
}

/// A task in Mastra's form: its four members, and those of the full set that say something.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskOut<'a> {
    id: &'a TaskId,
    content: &'a str,
    status: Status,
    active_form: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<ActivationOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<&'a TaskId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<&'a TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<State>,
}

/// An activation in every wire form.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActivationOut<'a> {
    files_modified: Vec<&'a str>,
}

impl<'a> ActivationOut<'a> {
    pub(super) fn of(task: &'a Task) -> Option<Self> {
        let activation = task.activation.as_ref()?;
        Some(ActivationOut {
            files_modified: activation.patterns().collect(),
        })
    }
}

pub(super) fn ids(tasks: Option<Vec<&Task>>) -> Vec<&TaskId> {
    let tasks = tasks.unwrap_or_default();
    tasks.into_iter().map(|task| &task.id).collect()
}

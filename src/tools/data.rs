//! Replies as data: what is in them, and how it is written.

use crate::error::Error;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::state::State;
use crate::task::{Status, Task};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

/// The answer to a call as a JSON object.
///
/// It reads as a [`Value`], which is made when it is first looked at; written with serde it needs none. So a
/// host that gives only the text of replies to its model does not pay for the data.
///
/// It holds a clone of the list as it was after the call. An edit of the list while a reply is
/// kept copies pointers, as with every clone.
///
/// ```
/// use agent_tasklist::{TaskList, Toolset};
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
    /// A member more, or another value of one that was given so before.
    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        self.more.retain(|(other, _)| *other != name);
        self.more.push((name, value));
        self.value = OnceLock::new();
    }
}

impl From<Value> for ReplyData {
    fn from(object: Value) -> Self {
        ReplyData {
            source: Source::Object(object),
            more: Vec::new(),
            value: OnceLock::new(),
        }
    }
}

impl From<ListData> for ReplyData {
    fn from(data: ListData) -> Self {
        ReplyData {
            source: Source::List(Box::new(data)),
            more: Vec::new(),
            value: OnceLock::new(),
        }
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
                map.serialize_entry("tasks", &Tasks(data))?;
                map.serialize_entry("isError", &data.is_error)?;
                if data.has_summary {
                    map.serialize_entry("summary", &data.summary())?;
                }
                if data.has_incomplete {
                    map.serialize_entry("incompleteTasks", &Incomplete(data))?;
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
            counts["canFinish"] = summary.can_finish.into();
        }
        counts
    }

    fn task<'a>(&'a self, task: &'a Task) -> TaskOut<'a> {
        let basic = TaskOut {
            id: &task.id,
            content: &task.subject,
            status: task.status,
            active_form: task.active_label(),
            description: None,
            owner: None,
            activation: None,
            blocked_by: Vec::new(),
            blocks: Vec::new(),
            state: None,
        };
        if !self.full {
            return basic;
        }
        let state = self.list.state(&task.id);
        TaskOut {
            description: task.description.as_deref(),
            owner: task.owner.as_deref(),
            activation: ActivationOut::of(task),
            blocked_by: ids(self.list.blocked_by(&task.id)),
            blocks: ids(self.list.blocks(&task.id)),
            state: state.filter(|state| matches!(state, State::Blocked | State::Dormant)),
            ..basic
        }
    }
}

struct Tasks<'a>(&'a ListData);

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tasks(data) = self;
        match &data.shown {
            None => serializer.collect_seq(data.list.tasks().map(|task| data.task(task))),
            Some(ids) => {
                let tasks = ids.iter().filter_map(|id| data.list.get(id));
                serializer.collect_seq(tasks.map(|task| data.task(task)))
            }
        }
    }
}

struct Incomplete<'a>(&'a ListData);

impl Serialize for Incomplete<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Incomplete(data) = self;
        serializer.collect_seq(data.list.open_tasks().map(|task| data.task(task)))
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
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "state_name")]
    state: Option<State>,
}

fn state_name<S: Serializer>(state: &Option<State>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.map_or("", State::as_str))
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

pub(super) fn ids(tasks: Result<Vec<&Task>, Error>) -> Vec<&TaskId> {
    let tasks = tasks.unwrap_or_default();
    tasks.into_iter().map(|task| &task.id).collect()
}

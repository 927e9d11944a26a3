//! The stored JSON form, versioned, and checked on load.
//!
//! Reading checks what no call could have made, and the highest limits; policies are not asked. The form is written here
//! by hand, so that a field renamed elsewhere does not change what is stored. Tested by `tests/stored.rs`, the lists in
//! `tests/golden`, which every later release must load, and by fuzzing.

use crate::activation::{Activation, Evidence, Matcher, Run};
use crate::error::{Error, LoadError, Place, Repair, RepairReason};
use crate::graph::{Builder, Graph, Slot};
use crate::id::TaskId;
use crate::invalid::{InvalidText, Problem, TextKind};
use crate::limit::{Limit, Limits};
use crate::list::{Retired, RetiredTask, TaskList};
use crate::owner;
use crate::status::Status;
use crate::task::{Task, check_depth};
use crate::text::{is_blank, without_byte_order_mark};
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

const VERSION: u64 = 1;

impl TaskList {
    /// The list as JSON, to be read back by [`TaskList::from_json`] and by every later
    /// release. Costs time linear in the list.
    ///
    /// The same as `serde_json::to_string`, without its error: a list always serialises.
    ///
    /// The form is an object with `version` (1) and `tasks`, in order, and where there is something to say, `retired` and
    /// `run`. A task has `id`, `subject` and `status`, and what else it has of `description`, `active_form`, `owner`,
    /// `activation` (`{"files_modified": [...]}`), `metadata`, `started` (where the status does not say it) and
    /// `blocked_by`, the ids that it waits for. Retired tasks have the same form, oldest first, with `deleted` where a
    /// delete took them out. A run has its `id` and the `files` modified in it, or `incomplete`. States are never stored,
    /// since they follow from the rest; nor is the policy, which is the host's.
    ///
    /// ```
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Build"))?;
    /// let stored = list.to_json();
    /// assert_eq!(TaskList::from_json(&stored)?, list);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json(&self) -> String {
        serde_json::to_string(self)
            .expect("strings, string keys and a Vec as the writer cannot fail")
    }

    /// Reads a list that [`TaskList::to_json`] wrote, and checks it. Nothing is
    /// repaired: what no list can be is refused. A list that breaks a policy loads.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with what is wrong and where.
    pub fn from_json(json: &str) -> Result<Self, LoadError> {
        parse(json)?.check(None)
    }
}

fn parse(json: &str) -> Result<StoredList<'_>, LoadError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: u64,
    }
    let json = without_byte_order_mark(json);
    // `from_str`, not `from_slice`: it validates UTF-8 once, which is a quarter of the time. The version is read a second
    // time only where the list could not be: a later release may have fields that this one does not know.
    serde_json::from_str(json).map_err(|error| match serde_json::from_str(json) {
        Ok(Versioned { version }) if version > VERSION => unsupported(version),
        _ => LoadError::Json {
            line: error.line(),
            column: error.column(),
            message: error.to_string().into(),
        },
    })
}

impl TaskList {
    /// Reads a list that others may have written without care: like [`TaskList::from_json`], but
    /// dependencies that no list can have are left out, and each is reported. Of a cycle, the
    /// dependency that closes it is left out. Everything else is as strict.
    ///
    /// # Errors
    ///
    /// Those of [`TaskList::from_json`], but for the dependencies.
    ///
    /// ```
    /// use agent_tasklist::TaskList;
    /// use agent_tasklist::error::RepairReason;
    ///
    /// let json = r#"{"version":1,"tasks":[
    ///     {"id":"a","subject":"A","status":"pending","blocked_by":["b","gone"]},
    ///     {"id":"b","subject":"B","status":"pending","blocked_by":["a"]}]}"#;
    /// assert!(TaskList::from_json(json).is_err());
    /// let (list, repairs) = TaskList::from_json_lenient(json)?;
    /// assert_eq!(list.len(), 2);
    /// let reasons: Vec<_> = repairs.iter().map(|repair| repair.reason).collect();
    /// assert_eq!(reasons, [RepairReason::Dangling, RepairReason::Cycle]);
    /// # Ok::<(), agent_tasklist::LoadError>(())
    /// ```
    pub fn from_json_lenient(json: &str) -> Result<(Self, Vec<Repair>), LoadError> {
        let mut repairs = Vec::new();
        let list = parse(json)?.check(Some(&mut repairs))?;
        Ok((list, repairs))
    }
}

fn unsupported(found: u64) -> LoadError {
    LoadError::UnsupportedVersion {
        found,
        supported: VERSION,
    }
}

/// A text in its place, copied there without another copy between.
struct Shared(Arc<str>);

/// A text that is only looked at: in the JSON itself, where it stands there as it is.
struct Seen<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Shared;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Shared, E> {
                Ok(Shared(text.into()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Seen<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> de::Visitor<'de> for Text {
            type Value = Seen<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Seen<'de>, E> {
                Ok(Seen(text.into()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Seen<'de>, E> {
                Ok(Seen(text.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredList<'a> {
    #[serde(rename = "version")]
    _version: Version,
    #[serde(borrow)]
    tasks: Vec<StoredTask<'a>>,
    #[serde(default)]
    retired: Vec<StoredTask<'a>>,
    #[serde(default)]
    run: StoredRun,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRun {
    #[serde(default)]
    id: Option<Box<str>>,
    #[serde(default)]
    files: Vec<Arc<str>>,
    #[serde(default)]
    incomplete: bool,
}

/// A condition by its kind, which is refused by name where it is not known.
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredActivation {
    FilesModified(Vec<Arc<str>>),
}

/// The version, refused as it is read, before what a later one may have changed.
struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            VERSION => Ok(Version),
            found => Err(de::Error::custom(unsupported(found))),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTask<'a> {
    #[serde(borrow)]
    id: Seen<'a>,
    subject: Shared,
    status: Status,
    #[serde(default)]
    description: Option<Shared>,
    #[serde(default)]
    active_form: Option<Shared>,
    #[serde(default)]
    owner: Option<Shared>,
    #[serde(default)]
    activation: Option<StoredActivation>,
    #[serde(default)]
    metadata: Option<Arc<Map<String, Value>>>,
    #[serde(default)]
    started: bool,
    #[serde(default)]
    blocked_by: Vec<Seen<'a>>,
    #[serde(default)]
    deleted: bool,
}

impl StoredList<'_> {
    /// Makes the list; dependencies that it cannot have are refused, or left out and told of.
    fn check(self, mut repairs: Option<&mut Vec<Repair>>) -> Result<TaskList, LoadError> {
        Limits::HIGHEST.check(Limit::Tasks, self.tasks.len())?;
        Limits::HIGHEST.check(Limit::Retired, self.retired.len())?;
        let run = self.run.check()?;
        let mut tasks = Vec::with_capacity(self.tasks.len());
        let mut blockers = Vec::with_capacity(self.tasks.len());
        for mut stored in self.tasks {
            blockers.push(std::mem::take(&mut stored.blocked_by));
            let RetiredTask { task, deleted } = stored.check()?;
            if deleted {
                return Err(invalid(&task.id, Problem::DeletedStatus));
            }
            tasks.push(task);
        }
        // The cache that was filled here goes into the list: its first push finds the patterns compiled.
        let mut matcher = Arc::default();
        let activations = tasks.iter().map(|task| task.activation.as_ref());
        let asleep = Matcher::unmet(&mut matcher, activations, &run.evidence);
        let mut builder = Builder::with_capacity(tasks.len());
        for (task, asleep) in tasks.into_iter().zip(asleep) {
            (builder.append(task, asleep)).map_err(|task| duplicate(&task.id))?;
        }
        let mut edges = edges(&builder, &blockers, repairs.as_deref_mut())?;
        if let Some(repairs) = repairs {
            for (blocked, blocker) in builder.break_cycles(&mut edges) {
                repairs.push(Repair {
                    task: builder.id(blocked).clone(),
                    blocker: builder.id(blocker).as_str().into(),
                    reason: RepairReason::Cycle,
                });
            }
        }
        let graph = builder.build(&edges)?;
        let retired = retired(self.retired, &graph)?;
        Ok(TaskList::loaded(graph, retired, run, matcher))
    }
}

fn retired(stored: Vec<StoredTask<'_>>, live: &Graph) -> Result<Retired, LoadError> {
    let mut retired = Retired::default();
    for stored in stored {
        // Asked before `check` takes the task apart.
        let has_edges = !stored.blocked_by.is_empty();
        let task = stored.check()?;
        let id = task.task.id.clone();
        if has_edges {
            return Err(invalid(&id, Problem::RetiredDependency));
        }
        if live.find(id.as_str()).is_some() || retired.place(task).is_err() {
            return Err(duplicate(&id));
        }
    }
    Ok(retired)
}

fn duplicate(id: &TaskId) -> LoadError {
    LoadError::DuplicateId { id: id.clone() }
}

/// A stored id, which must be what it is trimmed to.
fn stored_id(text: &str) -> Result<TaskId, InvalidText> {
    let id = TaskId::new(text)?;
    match id == *text {
        true => Ok(id),
        false => Err(InvalidText::new(TextKind::TaskId, text, Problem::NotNormal)),
    }
}

impl StoredRun {
    fn check(self) -> Result<Run, LoadError> {
        let id = self.id.as_deref().map(stored_id).transpose()?;
        let evidence = match self.incomplete {
            false => Evidence::loaded(self.files)?,
            true => {
                Limits::HIGHEST
                    .with(Limit::Evidence, 0)
                    .check(Limit::Evidence, self.files.len())?;
                Evidence::Incomplete
            }
        };
        Ok(Run {
            id: id.map(|id| id.as_str().into()),
            evidence,
        })
    }
}

/// The edges as `(blocked, blocker)` by place.
fn edges(
    builder: &Builder,
    blockers: &[Vec<Seen<'_>>],
    mut repairs: Option<&mut Vec<Repair>>,
) -> Result<Vec<(u32, u32)>, LoadError> {
    let mut edges = Vec::with_capacity(blockers.iter().map(Vec::len).sum());
    // One vector for all tasks: a set for each would cost more than the edges.
    let mut seen_for = vec![u32::MAX; blockers.len()];
    for (place, blockers) in (0..).zip(blockers) {
        let id = || builder.id(place).clone();
        for blocker in blockers {
            let blocker = &*blocker.0;
            let (reason, error) = match builder.find(blocker) {
                None => (
                    RepairReason::Dangling,
                    LoadError::DanglingBlocker {
                        task: id(),
                        blocker: blocker.into(),
                    },
                ),
                Some(other) if other == place => (
                    RepairReason::SelfDependency,
                    Error::SelfDependency { id: id() }.into(),
                ),
                Some(other) if std::mem::replace(&mut seen_for[other as usize], place) == place => {
                    (
                        RepairReason::Duplicate,
                        invalid(&id(), Problem::DuplicateBlocker),
                    )
                }
                Some(other) => {
                    edges.push((place, other));
                    continue;
                }
            };
            let repairs = repairs.as_deref_mut().ok_or(error)?;
            repairs.push(Repair {
                task: id(),
                blocker: blocker.into(),
                reason,
            });
        }
    }
    Ok(edges)
}

fn invalid(task: &TaskId, problem: Problem) -> LoadError {
    LoadError::InvalidTask {
        task: task.clone(),
        problem,
    }
}

impl StoredTask<'_> {
    fn check(self) -> Result<RetiredTask, LoadError> {
        let id = stored_id(&self.id.0)?;
        if let Some(problem) = self.problem() {
            return Err(invalid(&id, problem));
        }
        let at = |error: Error| error.at(Place::Task(id.clone()));
        if let Some(metadata) = &self.metadata {
            check_depth(metadata).map_err(|exceeded| at(exceeded.into()))?;
        }
        let activation = self
            .activation
            .map(|StoredActivation::FilesModified(patterns)| {
                Activation::loaded(patterns).map(Arc::new).map_err(at)
            });
        let given = |text: Option<Shared>| text.map(|Shared(text)| text);
        let task = Task {
            activation: activation.transpose()?,
            started: self.started || self.status.is_started(),
            subject: self.subject.0,
            description: given(self.description),
            active_form: given(self.active_form),
            // Trimmed, though nothing else is repaired: an earlier release kept names as they were given.
            owner: given(self.owner).and_then(|name| match name.trim() == &*name {
                true => Some(name),
                false => owner::given(&name),
            }),
            metadata: self.metadata,
            status: self.status,
            id,
        };
        let checked = task.check(None, &Limits::HIGHEST);
        checked.map_err(|exceeded| Error::from(exceeded).at(Place::Task(task.id.clone())))?;
        Ok(RetiredTask {
            task: Arc::new(task),
            deleted: self.deleted,
        })
    }

    fn problem(&self) -> Option<Problem> {
        let mut texts = [&self.description, &self.active_form, &self.owner]
            .into_iter()
            .flatten();
        if is_blank(&self.subject.0) {
            Some(Problem::BlankSubject)
        } else if texts.any(|text| is_blank(&text.0)) {
            Some(Problem::BlankText)
        } else if self
            .metadata
            .as_ref()
            .is_some_and(|metadata| metadata.is_empty())
        {
            Some(Problem::EmptyMetadata)
        } else if self.status == Status::Deleted {
            Some(Problem::DeletedStatus)
        } else {
            None
        }
    }
}

impl<'de> Deserialize<'de> for TaskList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredList::deserialize(deserializer)?;
        stored.check(None).map_err(de::Error::custom)
    }
}

impl Serialize for TaskList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Left out where empty, so that the form of a list that never used them stays short.
        let retired = self.retired.len() > 0;
        let run = *self.run != Run::default();
        let fields = 2 + usize::from(retired) + usize::from(run);
        let mut list = serializer.serialize_struct("TaskList", fields)?;
        list.serialize_field("version", &VERSION)?;
        list.serialize_field("tasks", &Live(&self.graph))?;
        match retired {
            true => list.serialize_field("retired", &*self.retired)?,
            false => list.skip_field("retired")?,
        }
        match run {
            true => list.serialize_field("run", &RunOut::new(&self.run))?,
            false => list.skip_field("run")?,
        }
        list.end()
    }
}

#[derive(serde::Serialize)]
struct RunOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a BTreeSet<Arc<str>>>,
    #[serde(skip_serializing_if = "is_false")]
    incomplete: bool,
}

impl<'a> RunOut<'a> {
    fn new(run: &'a Run) -> Self {
        RunOut {
            id: run.id.as_deref(),
            files: match &run.evidence {
                Evidence::Files(files) => Some(files).filter(|files| !files.is_empty()),
                Evidence::Incomplete => None,
            },
            incomplete: run.evidence == Evidence::Incomplete,
        }
    }
}

#[derive(serde::Serialize)]
struct TaskOut<'a> {
    id: &'a TaskId,
    subject: &'a str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_form: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<&'a Activation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Map<String, Value>>,
    /// Left out where the status says it.
    #[serde(skip_serializing_if = "is_false")]
    started: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_by: Option<Blockers<'a>>,
    #[serde(skip_serializing_if = "is_false")]
    deleted: bool,
}

/// What a task waits for, if anything, in list order.
struct Blockers<'a>(&'a Graph, Slot);

impl<'a> Blockers<'a> {
    fn of(graph: &'a Graph, slot: Slot) -> Option<Self> {
        graph.unsorted_blockers(slot).next()?;
        Some(Blockers(graph, slot))
    }
}

impl Serialize for Blockers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Blockers(graph, slot) = *self;
        let id = |slot| &graph.task(slot).id;
        // Most tasks wait for one other at the most: no vector is made to sort it.
        let mut unsorted = graph.unsorted_blockers(slot);
        match (unsorted.next(), unsorted.next()) {
            (Some(one), None) => serializer.collect_seq([id(one)]),
            _ => serializer.collect_seq(graph.blockers(slot).into_iter().map(id)),
        }
    }
}

fn is_false(deleted: &bool) -> bool {
    !deleted
}

impl<'a> TaskOut<'a> {
    fn new(task: &'a Task, blocked_by: Option<Blockers<'a>>, deleted: bool) -> Self {
        TaskOut {
            id: &task.id,
            subject: &task.subject,
            status: task.status,
            description: task.description.as_deref(),
            active_form: task.active_form.as_deref(),
            owner: task.owner.as_deref(),
            activation: task.activation.as_deref(),
            metadata: task.metadata.as_deref(),
            started: task.started && !task.status.is_started(),
            blocked_by,
            deleted,
        }
    }
}

struct Live<'a>(&'a Graph);

impl Serialize for Live<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.0;
        serializer.collect_seq(
            graph
                .slots()
                .map(|slot| TaskOut::new(graph.task(slot), Blockers::of(graph, slot), false)),
        )
    }
}

impl Serialize for Retired {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.iter()
                .map(|retired| TaskOut::new(&retired.task, None, retired.deleted)),
        )
    }
}

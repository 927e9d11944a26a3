//! The stored JSON form, versioned, and checked on load.

use crate::activation::{Activation, Evidence, Matcher, Run};
use crate::dag::{Dag, Slot};
use crate::error::{Error, IdProblem, Limit, TaskProblem};
use crate::id::TaskId;
use crate::list::{TaskList, cycle_error};
use crate::policy::Limits;
use crate::retired::{Retired, RetiredTask};
use crate::task::{Status, Task, check_depth};
use crate::text::is_blank;
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
    /// ```
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Build"))?;
    /// let stored = list.to_json();
    /// assert_eq!(TaskList::from_json(&stored)?, list);
    /// # Ok::<(), agent_tasklist::Error>(())
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
    /// [`Error::Json`] for what is not the JSON of a list, [`Error::UnsupportedVersion`],
    /// [`Error::InvalidId`], [`Error::DuplicateId`], [`Error::InvalidTask`],
    /// [`Error::DanglingBlocker`], [`Error::Cycle`], [`Error::LimitExceeded`].
    pub fn from_json(json: &str) -> Result<Self, Error> {
        parse(json)?.check(None)
    }
}

fn parse(json: &str) -> Result<StoredList<'_>, Error> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: u64,
    }
    serde_json::from_str(json).map_err(|error| match serde_json::from_str(json) {
        Ok(Versioned { version }) if version > VERSION => unsupported(version),
        _ => Error::Json {
            line: error.line(),
            column: error.column(),
            message: error.to_string().into(),
        },
    })
}

/// What [`TaskList::from_json_lenient`] left out of a list that it loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The task that no longer waits.
    pub task: TaskId,
    /// What it waited for, as it was stored.
    pub blocker: Arc<str>,
    /// Why.
    pub reason: RepairReason,
}

/// Why a dependency was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairReason {
    /// There is no such task.
    Dangling,
    /// The task waited for itself.
    SelfDependency,
    /// It was there twice.
    Duplicate,
    /// With it the tasks waited for each other in a circle.
    Cycle,
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
    /// use agent_tasklist::{RepairReason, TaskList};
    ///
    /// let json = r#"{"version":1,"tasks":[
    ///     {"id":"a","subject":"A","status":"pending","blocked_by":["b","gone"]},
    ///     {"id":"b","subject":"B","status":"pending","blocked_by":["a"]}]}"#;
    /// assert!(TaskList::from_json(json).is_err());
    /// let (list, repairs) = TaskList::from_json_lenient(json)?;
    /// assert_eq!(list.len(), 2);
    /// let reasons: Vec<_> = repairs.iter().map(|repair| repair.reason).collect();
    /// assert_eq!(reasons, [RepairReason::Dangling, RepairReason::Cycle]);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn from_json_lenient(json: &str) -> Result<(Self, Vec<Repair>), Error> {
        let mut repairs = Vec::new();
        let list = parse(json)?.check(Some(&mut repairs))?;
        Ok((list, repairs))
    }
}

fn unsupported(found: u64) -> Error {
    Error::UnsupportedVersion {
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
    fn check(self, mut repairs: Option<&mut Vec<Repair>>) -> Result<TaskList, Error> {
        Limit::Tasks.check(Limits::HIGHEST.tasks(), self.tasks.len())?;
        Limit::Retired.check(Limits::HIGHEST.retired(), self.retired.len())?;
        let run = self.run.check()?;
        let mut tasks = Vec::with_capacity(self.tasks.len());
        let mut blockers = Vec::with_capacity(self.tasks.len());
        for mut stored in self.tasks {
            blockers.push(std::mem::take(&mut stored.blocked_by));
            let RetiredTask { task, deleted } = stored.check()?;
            if deleted {
                return Err(invalid(&task.id, TaskProblem::DeletedStatus));
            }
            tasks.push(task);
        }
        let mut matcher = Arc::default();
        let asleep = Matcher::unmet(
            &mut matcher,
            tasks.iter().map(|task| &**task),
            &run.evidence,
        );
        let mut dag = Dag::with_capacity(tasks.len());
        for (task, asleep) in tasks.into_iter().zip(asleep) {
            (dag.append(task, asleep)).map_err(|task| Error::DuplicateId {
                id: task.id.clone(),
            })?;
        }
        let mut edges = edges(&dag, &blockers, repairs.as_deref_mut())?;
        if let Some(repairs) = repairs {
            for (blocked, blocker) in dag.break_cycles(&mut edges) {
                repairs.push(Repair {
                    task: dag.task(blocked).id.clone(),
                    blocker: dag.task(blocker).id.as_str().into(),
                    reason: RepairReason::Cycle,
                });
            }
        }
        dag.connect(&edges)
            .map_err(|cycle| cycle_error(&dag, cycle))?;

        let mut retired = Retired::default();
        for stored in self.retired {
            let has_edges = !stored.blocked_by.is_empty();
            let task = stored.check()?;
            let id = task.task.id.clone();
            if has_edges {
                return Err(invalid(&id, TaskProblem::RetiredDependency));
            }
            if dag.find(id.as_str()).is_some() || retired.place(task).is_err() {
                return Err(Error::DuplicateId { id });
            }
        }
        Ok(TaskList::loaded(dag, retired, run, matcher))
    }
}

/// A stored id, which must be what it is trimmed to.
fn stored_id(text: &str) -> Result<TaskId, Error> {
    let id = TaskId::new(text)?;
    match id == *text {
        true => Ok(id),
        false => Err(Error::InvalidId {
            id: text.into(),
            problem: IdProblem::Untrimmed,
        }),
    }
}

impl StoredRun {
    fn check(self) -> Result<Run, Error> {
        let id = self.id.as_deref().map(stored_id).transpose()?;
        let evidence = match self.incomplete {
            false => Evidence::loaded(self.files)?,
            true => {
                Limit::Evidence.check(0, self.files.len())?;
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
    dag: &Dag,
    blockers: &[Vec<Seen<'_>>],
    mut repairs: Option<&mut Vec<Repair>>,
) -> Result<Vec<(u32, u32)>, Error> {
    let mut edges = Vec::with_capacity(blockers.iter().map(Vec::len).sum());
    let mut seen_for = vec![usize::MAX; blockers.len()];
    for (place, (slot, blockers)) in dag.slots().zip(blockers).enumerate() {
        let id = || dag.task(slot).id.clone();
        for blocker in blockers {
            let blocker = &*blocker.0;
            let other = dag.find(blocker).map(|slot| dag.place(slot));
            let (reason, error) = match other {
                None => (
                    RepairReason::Dangling,
                    Error::DanglingBlocker {
                        task: id(),
                        blocker: blocker.into(),
                    },
                ),
                Some(other) if other == place => (
                    RepairReason::SelfDependency,
                    Error::SelfDependency { id: id() },
                ),
                Some(other) if std::mem::replace(&mut seen_for[other], place) == place => (
                    RepairReason::Duplicate,
                    invalid(&id(), TaskProblem::DuplicateBlocker),
                ),
                Some(other) => {
                    edges.push((place as u32, other as u32));
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

fn invalid(task: &TaskId, problem: TaskProblem) -> Error {
    Error::InvalidTask {
        task: task.clone(),
        problem,
    }
}

impl StoredTask<'_> {
    fn check(self) -> Result<RetiredTask, Error> {
        let id = stored_id(&self.id.0)?;
        let given = |text: Option<Shared>| text.map(|Shared(text)| text);
        let (description, owner) = (given(self.description), given(self.owner));
        let (subject, active_form) = (self.subject.0, given(self.active_form));
        let texts = [&description, &active_form, &owner];
        let problem = if is_blank(&subject) {
            Some(TaskProblem::BlankSubject)
        } else if texts.into_iter().flatten().any(|text| is_blank(text)) {
            Some(TaskProblem::BlankText)
        } else if self
            .metadata
            .as_ref()
            .is_some_and(|metadata| metadata.is_empty())
        {
            Some(TaskProblem::EmptyMetadata)
        } else if self.status == Status::Deleted {
            Some(TaskProblem::DeletedStatus)
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(invalid(&id, problem));
        }
        if let Some(metadata) = &self.metadata {
            check_depth(metadata).map_err(|error| error.at_task(&id))?;
        }
        let activation = match self.activation {
            None => None,
            Some(StoredActivation::FilesModified(patterns)) => {
                let activation = Activation::loaded(patterns);
                Some(Arc::new(activation.map_err(|error| error.at_task(&id))?))
            }
        };
        let task = Task {
            id,
            activation,
            started: self.started || self.status.is_started(),
            subject,
            description,
            active_form,
            owner,
            metadata: self.metadata,
            status: self.status,
        };
        task.check(None, &Limits::HIGHEST)
            .map_err(|error| error.at_task(&task.id))?;
        Ok(RetiredTask {
            task: Arc::new(task),
            deleted: self.deleted,
        })
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
        let retired = self.retired.len() > 0;
        let run = *self.run != Run::default();
        let fields = 2 + usize::from(retired) + usize::from(run);
        let mut list = serializer.serialize_struct("TaskList", fields)?;
        list.serialize_field("version", &VERSION)?;
        list.serialize_field("tasks", &Live(&self.dag))?;
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
struct ActivationOut<'a> {
    files_modified: &'a [Arc<str>],
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
    activation: Option<ActivationOut<'a>>,
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
struct Blockers<'a>(&'a Dag, Slot);

impl<'a> Blockers<'a> {
    fn of(dag: &'a Dag, slot: Slot) -> Option<Self> {
        dag.unsorted_blockers(slot).next()?;
        Some(Blockers(dag, slot))
    }
}

impl Serialize for Blockers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Blockers(dag, slot) = *self;
        let id = |slot| &dag.task(slot).id;
        let mut unsorted = dag.unsorted_blockers(slot);
        match (unsorted.next(), unsorted.next()) {
            (Some(one), None) => serializer.collect_seq([id(one)]),
            _ => serializer.collect_seq(dag.blockers(slot).into_iter().map(id)),
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
            activation: task.activation.as_ref().map(|activation| ActivationOut {
                files_modified: activation.shared_patterns(),
            }),
            metadata: task.metadata.as_deref(),
            started: task.started && !task.status.is_started(),
            blocked_by,
            deleted,
        }
    }
}

struct Live<'a>(&'a Dag);

impl Serialize for Live<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dag = self.0;
        serializer.collect_seq(
            dag.slots()
                .map(|slot| TaskOut::new(dag.task(slot), Blockers::of(dag, slot), false)),
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

//! Why a call was refused, and why a stored list could not be read.
//!
//! ```
//! use agent_tasklist::error::{Place, Problem};
//! use agent_tasklist::{Activation, Error, TaskDraft, TaskList};
//!
//! let refused = Activation::files_modified(["docs/**", "!docs/drafts/**"]).unwrap_err();
//! let Error::Invalid { invalid, place } = &refused else { unreachable!() };
//! assert_eq!((&*invalid.text, &invalid.problem), ("!docs/drafts/**", &Problem::Negated));
//! assert_eq!(*place, Some(Place::Item(1)));
//!
//! let mut list = TaskList::new();
//! list.create(TaskDraft::new("Build").id("build"))?;
//! let unknown = list.complete("bild").unwrap_err();
//! assert_eq!(unknown.to_string(), "Task not found: bild. Known ids: build.");
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! Errors name things by id and text. They know ids, statuses and limits, and nothing of the list above them, so that
//! every room can refuse. Their texts are written for a model that has nothing else to go by. Tested by the tests of
//! each rule, and for length and line breaks by `tests/security.rs` and `tests/limits.rs`.

use crate::id::{Ids, TaskId};
pub use crate::invalid::{InvalidText, Problem, TextKind};
use crate::limit::{Exceeded, Limit};
use crate::status::Status;
use crate::text::{MOST_NAMED, Quote};
use std::fmt;
use std::sync::Arc;

/// Why a call was refused. The list is then exactly as it was.
///
/// An error carries data for the host; its text is written for the model, to
/// correct itself from that text alone. The data holds a wrong input whole, the
/// text quotes at most 80 characters of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No live task has that id. Retired ids are not found either.
    #[error("Task not found: {}. {known}", Quote(id))]
    UnknownTask {
        /// The id asked for, trimmed.
        id: Arc<str>,
        /// The ids that there are.
        known: KnownIds,
    },
    /// No retired task that is remembered has that id.
    #[error("No retired task has id {}. {known}", Quote(id))]
    NotRetired {
        /// The id asked for, trimmed.
        id: Arc<str>,
        /// The ids of the retired tasks, the most recently retired first.
        known: KnownIds,
    },
    /// The id given to a new task is that of a live or retired one.
    #[error("Task id {id} is taken by {} task \"{}\". Leave the id out to have one made, or use another.", if *.retired { "a retired" } else { "the" }, Quote(subject))]
    IdTaken {
        /// The id.
        id: TaskId,
        /// The subject of the task that has it.
        subject: Arc<str>,
        /// Whether that task has left the list.
        retired: bool,
    },
    /// A new task has no subject, or a blank one.
    #[error("Item {} has no text. A new task needs a short imperative text.", item + 1)]
    MissingSubject {
        /// The position of the item in the call, from 0.
        item: usize,
    },
    /// A status that this call cannot give: a write and a create do not delete.
    #[error("Item {} has status {status}, which is not allowed here. Allowed: pending, in_progress, completed.", item + 1)]
    StatusNotAllowed {
        /// The position of the item in the call, from 0.
        item: usize,
        /// The status.
        status: Status,
    },
    /// A task was given itself as a blocker.
    #[error("Task {id} cannot depend on itself. Remove it from its own dependencies.")]
    SelfDependency {
        /// The task.
        id: TaskId,
    },
    /// The dependencies asked for form a cycle.
    #[error("Dependency cycle: {}. Each task blocks the next, so none could ever start; remove one of these dependencies.", Path { path, completed })]
    Cycle {
        /// A cycle, each task a blocker of the next; the first task stands again at the end. It is the shortest,
        /// and of several the one over the first tasks of the list; in lists whose cycles would take more than some
        /// four million steps to compare, the shortest of those that were.
        path: Vec<TaskId>,
        /// Those of the path that are completed. They are part of the cycle
        /// all the same: a completed task can be reopened.
        completed: Vec<TaskId>,
    },
    /// More tasks in progress than the policy allows.
    #[error("Only one task {}can be in_progress at a time. This call sets {} to in_progress: {}. Keep one of them, and set the others to pending.", if *per_owner { "of an owner " } else { "" }, ids.len(), Ids(ids))]
    TooManyInProgress {
        /// The tasks that were to be in progress, in list order.
        ids: Vec<TaskId>,
        /// How many may be.
        limit: usize,
        /// Whether that is for each owner.
        per_owner: bool,
    },
    /// A write left out unfinished tasks, and the policy does not allow that.
    #[error(
        "This write leaves out unfinished tasks: {}. Write them too, or complete or delete them first.",
        Ids(ids)
    )]
    Dropped {
        /// The tasks, in list order.
        ids: Vec<TaskId>,
    },
    /// The call would start, stop, change or remove the unfinished task of another owner.
    #[error(
        "Task {id} belongs to {}, who has not finished it. Leave it as it is, and work on another.",
        Quote(owner)
    )]
    OwnedByOther {
        /// The task.
        id: TaskId,
        /// Who owns it.
        owner: Arc<str>,
    },
    /// The call would set a task in progress that belongs to another owner than the one who acts.
    #[error(
        "Task {id} belongs to {}, so only {} can start it. Leave it pending, or start one of your own.",
        Quote(owner),
        Quote(owner)
    )]
    StartedForOther {
        /// The task.
        id: TaskId,
        /// Whose it would be.
        owner: Arc<str>,
    },
    /// A task was to wait for one that left the list before it was completed.
    #[error(
        "Task {task} cannot wait for {blocker} (\"{}\"), which was removed from the list before it was completed. \
         Leave that dependency out, or add the task again.",
        Quote(subject)
    )]
    RetiredBlocker {
        /// The task that was to wait.
        task: TaskId,
        /// The retired task.
        blocker: TaskId,
        /// Its subject.
        subject: Arc<str>,
    },
    /// A completed task cannot be claimed.
    #[error("Task {id} is completed already. Claim another.")]
    Completed {
        /// The task.
        id: TaskId,
    },
    /// A task was to be started or completed while it waits for others.
    #[error("Cannot set {id} to {status}: it is blocked by {}. Complete {} first, or remove the dependency.", Ids(open_blockers), if open_blockers.len() == 1 { "that task" } else { "those tasks" })]
    OpenBlockers {
        /// The task.
        id: TaskId,
        /// The status asked for.
        status: Status,
        /// The blockers that are not completed, in list order.
        open_blockers: Vec<TaskId>,
    },
    /// A dormant task was to be started.
    #[error(
        "Cannot start {id}: it is dormant until a file that matches {} is modified. Work on something else.",
        Patterns(patterns)
    )]
    Dormant {
        /// The task.
        id: TaskId,
        /// The patterns it waits for.
        patterns: Vec<Arc<str>>,
    },
    /// A text that cannot be what it was given as: an id, an owner's name, a condition, a pattern, a path, a list key.
    #[error("{}{invalid}", At(place))]
    Invalid {
        /// The text, and what is wrong with it.
        invalid: InvalidText,
        /// Where it was given, where that can be told.
        place: Option<Place>,
    },
    /// Something is larger than allowed.
    #[error("{}{limit} is limited to {max}; this is {found}. {}", At(place), limit.advice())]
    LimitExceeded {
        /// Which limit.
        limit: Limit,
        /// The most that is allowed.
        max: usize,
        /// What was given, or as much of that as was looked at.
        found: usize,
        /// What is too large, where that can be told.
        place: Option<Place>,
    },
}

/// The live ids of a list, at most 50 of them, for those who asked for another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownIds {
    /// The first ids in list order.
    pub ids: Vec<TaskId>,
    /// How many tasks the list has.
    pub total: usize,
}

impl KnownIds {
    pub(crate) fn new<'a>(mut ids: impl ExactSizeIterator<Item = &'a TaskId>) -> Self {
        KnownIds {
            total: ids.len(),
            ids: ids.by_ref().take(MOST_NAMED).cloned().collect(),
        }
    }
}

impl fmt::Display for KnownIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total == 0 {
            return f.write_str("The list has no tasks.");
        }
        write!(f, "Known ids: {}", Ids(&self.ids))?;
        match self.total - self.ids.len() {
            0 => f.write_str("."),
            more => write!(f, " and {more} more."),
        }
    }
}

/// Why a stored list could not be read. Nothing of it is used then.
///
/// ```
/// use agent_tasklist::{LoadError, TaskList};
///
/// let damaged = TaskList::from_json(r#"{"version":1,"tasks":[{"id":"a","sub"#);
/// assert!(matches!(damaged, Err(LoadError::Json { line: 1, .. })));
/// let newer = TaskList::from_json(r#"{"version":9,"tasks":[],"colour":"red"}"#);
/// assert!(matches!(newer, Err(LoadError::UnsupportedVersion { found: 9, .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Not the JSON of a stored list.
    #[error("not a stored task list: {}", Quote(message))]
    Json {
        /// What the JSON reader says, with the place.
        message: Box<str>,
        /// The line, from 1; 0 where there is none.
        line: usize,
        /// The column, from 1; 0 where there is none.
        column: usize,
    },
    /// The list is of a version that this release does not know.
    #[error("stored list has version {found}; this release reads version {supported}")]
    UnsupportedVersion {
        /// The version found.
        found: u64,
        /// The newest version that can be read.
        supported: u64,
    },
    /// Two tasks have the same id, live and retired ones counted together.
    #[error("Task id {id} is there twice")]
    DuplicateId {
        /// The id.
        id: TaskId,
    },
    /// A task names a blocker that is not in the list.
    #[error(
        "Task {task} is blocked by {}, which is not in the list",
        Quote(blocker)
    )]
    DanglingBlocker {
        /// The task.
        task: TaskId,
        /// The missing blocker.
        blocker: Arc<str>,
    },
    /// A task has a value that no task can have.
    #[error("stored task {task}: {problem}")]
    InvalidTask {
        /// The task.
        task: TaskId,
        /// What is wrong with it.
        problem: Problem,
    },
    /// What a call would be refused for too: a bad id, pattern or path, a cycle, a size over the highest limit.
    #[error(transparent)]
    Refused(#[from] Error),
}

impl From<InvalidText> for LoadError {
    fn from(invalid: InvalidText) -> Self {
        LoadError::Refused(invalid.into())
    }
}

impl From<Exceeded> for LoadError {
    fn from(exceeded: Exceeded) -> Self {
        LoadError::Refused(exceeded.into())
    }
}

/// What [`TaskList::from_json_lenient`](crate::TaskList::from_json_lenient) left out of a list that it loaded.
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

impl Error {
    /// The same with the place of what is wrong, if there is none yet.
    pub(crate) fn at(mut self, at: Place) -> Self {
        if let Error::LimitExceeded { place, .. } | Error::Invalid { place, .. } = &mut self {
            // The first who knows a place is nearest to what is wrong.
            place.get_or_insert(at);
        }
        self
    }
}

impl Error {
    /// Where what is wrong was given.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Error::LimitExceeded { place, .. } | Error::Invalid { place, .. } => place.as_ref(),
            _ => None,
        }
    }

    /// The text of the error, for those who have a better place to tell.
    pub(crate) fn told_without_place(mut self) -> String {
        if let Error::LimitExceeded { place, .. } | Error::Invalid { place, .. } = &mut self {
            *place = None;
        }
        self.to_string()
    }
}

impl From<InvalidText> for Error {
    fn from(invalid: InvalidText) -> Self {
        Error::Invalid {
            invalid,
            place: None,
        }
    }
}

impl From<Exceeded> for Error {
    fn from(Exceeded { limit, max, found }: Exceeded) -> Self {
        Error::LimitExceeded {
            limit,
            max,
            found,
            place: None,
        }
    }
}

/// Where something is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// At that position, from 0, among the tasks or the paths that were given.
    Item(usize),
    /// In that task of the list.
    Task(TaskId),
}

struct At<'a>(&'a Option<Place>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Place::Item(item)) => write!(f, "Item {}: ", item + 1),
            Some(Place::Task(id)) => write!(f, "Task {id}: "),
            None => Ok(()),
        }
    }
}

/// Patterns joined by `or`.
pub(crate) struct Patterns<'a>(pub(crate) &'a [Arc<str>]);

impl fmt::Display for Patterns<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 10;
        for (i, pattern) in self.0.iter().take(MOST).enumerate() {
            f.write_str(if i == 0 { "" } else { " or " })?;
            match &**pattern {
                "" => f.write_str("any name")?,
                pattern => Quote(pattern).fmt(f)?,
            }
        }
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, " or {more} more"),
        }
    }
}

struct Path<'a> {
    path: &'a [TaskId],
    completed: &'a [TaskId],
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, id) in self.path.iter().enumerate() {
            // The end is shown whatever is left out: that a path comes back to its start is what makes it a cycle.
            if i == MOST_NAMED - 1 && self.path.len() > MOST_NAMED {
                let more = self.path.len() - MOST_NAMED;
                return write!(f, " → … {more} more … → {}", self.path[0]);
            }
            let done = if self.completed.contains(id) {
                " (completed)"
            } else {
                ""
            };
            write!(f, "{}{id}{done}", if i == 0 { "" } else { " → " })?;
        }
        Ok(())
    }
}

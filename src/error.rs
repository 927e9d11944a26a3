use crate::id::TaskId;
use crate::task::Status;
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
    /// The text cannot be an id.
    #[error("Invalid task id {:?}: {problem}. Use 1 to 128 bytes without control characters, / \\ {{ }}.", Quote(id).to_string())]
    InvalidId {
        /// The text, trimmed.
        id: Arc<str>,
        /// What is wrong with it.
        problem: IdProblem,
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
    /// A stored list has the same id twice, among its live and retired tasks together.
    #[error("Task id {id} is there twice")]
    DuplicateId {
        /// The id.
        id: TaskId,
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
        /// The shortest cycle, each task a blocker of the next; the first task
        /// stands again at the end.
        path: Vec<TaskId>,
        /// Those of the path that are completed. They are part of the cycle
        /// all the same: a completed task can be reopened.
        completed: Vec<TaskId>,
    },
    /// A stored task names a blocker that is not in the list.
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
    /// A completed task cannot be claimed.
    #[error("Task {id} is completed already. Claim another.")]
    Completed {
        /// The task.
        id: TaskId,
    },
    /// An owner without a name.
    #[error("The name of an owner must not be blank.")]
    BlankOwner,
    /// A blocked task was to be started or completed.
    #[error("Cannot set {id} to {status}: it is blocked by {}. Complete {} first, or remove the dependency.", Ids(open_blockers), if open_blockers.len() == 1 { "that task" } else { "those tasks" })]
    Blocked {
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
    /// A pattern that cannot be waited for.
    #[error("Invalid pattern {:?}: {problem}", Quote(pattern).to_string())]
    InvalidPattern {
        /// The pattern.
        pattern: Arc<str>,
        /// What is wrong with it.
        problem: PatternProblem,
    },
    /// A kind of condition that there is not.
    #[error("Unknown condition {:?}. Allowed: files_modified.", Quote(kind).to_string())]
    UnknownCondition {
        /// The kind asked for, trimmed.
        kind: Arc<str>,
    },
    /// A path that is not one of a modified file.
    #[error("Invalid path {:?}: {problem}", Quote(path).to_string())]
    InvalidPath {
        /// The path.
        path: Arc<str>,
        /// What is wrong with it.
        problem: PathProblem,
    },
    /// The text cannot be the key of a list.
    #[error("Invalid list key {:?}: {problem}", Quote(key).to_string())]
    InvalidKey {
        /// The text.
        key: Arc<str>,
        /// What is wrong with it.
        problem: KeyProblem,
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
    /// A stored list is of a version that this release does not know.
    #[error("stored list has version {found}; this release reads version {supported}")]
    UnsupportedVersion {
        /// The version found.
        found: u64,
        /// The newest version that can be read.
        supported: u64,
    },
    /// A stored list has a value that no list can have.
    #[error("stored task {task}: {problem}")]
    InvalidTask {
        /// The task.
        task: TaskId,
        /// What is wrong with it.
        problem: TaskProblem,
    },
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
    pub(crate) const MOST: usize = 50;

    pub(crate) fn new<'a>(mut ids: impl ExactSizeIterator<Item = &'a TaskId>) -> Self {
        KnownIds {
            total: ids.len(),
            ids: ids.by_ref().take(Self::MOST).cloned().collect(),
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

/// What keeps a text from being an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdProblem {
    /// Nothing is left after trimming.
    Empty,
    /// It is longer than [`TaskId::MAX_BYTES`].
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It is `.` or `..`.
    Dots,
    /// It has white space at an end. Only a stored id is refused for that.
    Untrimmed,
    /// It has a character that ids must not have.
    Character(char),
}

impl fmt::Display for IdProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdProblem::Empty => f.write_str("it is blank"),
            IdProblem::TooLong { bytes } => write!(f, "it is {bytes} bytes long"),
            IdProblem::Untrimmed => f.write_str("it has white space at an end"),
            IdProblem::Dots => f.write_str("it names a folder"),
            IdProblem::Character(c) => write!(f, "it contains {c:?}"),
        }
    }
}

/// What keeps a text from being the key of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyProblem {
    /// It is blank, or has a blank segment.
    EmptySegment,
    /// It has a `.` or `..` segment.
    Dots,
    /// It has a character that keys must not have.
    Character(char),
    /// It is longer than [`ListKey::MAX_BYTES`](crate::ListKey::MAX_BYTES).
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A name is wanted, and it is a path.
    NotAName,
    /// There is no workspace to put it in the place of, or an absolute path says another.
    OtherWorkspace,
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyProblem::EmptySegment => f.write_str("it has an empty segment"),
            KeyProblem::Dots => f.write_str("it has a . or .. segment"),
            KeyProblem::Character(c) => write!(f, "it contains {c:?}"),
            KeyProblem::TooLong { bytes } => write!(f, "it is {bytes} bytes long"),
            KeyProblem::NotAName => f.write_str("a name without / is wanted, or an absolute path"),
            KeyProblem::OtherWorkspace => f.write_str("it is not the workspace of that list"),
        }
    }
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// There is no pattern at all.
    Missing,
    /// It starts with `!`, and there is no negation.
    Negated,
    /// It has a `..` segment.
    ParentFolder,
    /// It is not a glob.
    Syntax(Box<str>),
    /// It is too complex to be compiled.
    TooComplex,
    /// It is not in the form that a list stores. Only a stored pattern is refused for that.
    NotNormal,
}

impl fmt::Display for PatternProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PatternProblem::Missing => "there is no pattern; an empty one matches any file",
            PatternProblem::Negated => {
                "there is no negation; write \\! for a name that starts with !"
            }
            PatternProblem::ParentFolder => "it goes up with ..; give it from the root",
            PatternProblem::Syntax(problem) => problem,
            PatternProblem::TooComplex => "it is too complex",
            PatternProblem::NotNormal => "it is not in its stored form",
        })
    }
}

/// What is wrong with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathProblem {
    /// It has a `..` segment.
    ParentFolder,
    /// It is not in the form that a list stores. Only a stored path is refused for that.
    NotNormal,
    /// It is there twice. Only a stored path is refused for that.
    Duplicate,
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PathProblem::ParentFolder => "it goes up with ..; give it from the root",
            PathProblem::NotNormal => "it is not in its stored form",
            PathProblem::Duplicate => "it is there twice",
        })
    }
}

/// What keeps a stored task from being loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskProblem {
    /// The subject is blank.
    BlankSubject,
    /// Another text is there but blank.
    BlankText,
    /// The status is `deleted`; deleted tasks are among the retired.
    DeletedStatus,
    /// Its metadata is there but empty.
    EmptyMetadata,
    /// It names the same blocker twice.
    DuplicateBlocker,
    /// It is retired and has a blocker.
    RetiredDependency,
}

impl fmt::Display for TaskProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TaskProblem::BlankSubject => "its subject is blank",
            TaskProblem::BlankText => "one of its texts is there but blank",
            TaskProblem::DeletedStatus => "its status is deleted",
            TaskProblem::EmptyMetadata => "its metadata is there but empty",
            TaskProblem::DuplicateBlocker => "it names the same blocker twice",
            TaskProblem::RetiredDependency => "it is retired and has a blocker",
        })
    }
}

impl Error {
    /// The same with the place of what is too large.
    pub(crate) fn at_item(mut self, item: usize) -> Self {
        if let Error::LimitExceeded { place, .. } = &mut self {
            *place = Some(Place::Item(item));
        }
        self
    }

    /// The same with the task that is too large.
    pub(crate) fn at_task(mut self, id: &TaskId) -> Self {
        if let Error::LimitExceeded { place, .. } = &mut self {
            *place = Some(Place::Task(id.clone()));
        }
        self
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

/// A limit of the list. What a host can lower is in [`Limits`](crate::Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// How many tasks a list may have.
    Tasks,
    /// How long a subject may be, in bytes.
    SubjectBytes,
    /// How long an active form may be, in bytes.
    ActiveFormBytes,
    /// How long a description may be, in bytes.
    DescriptionBytes,
    /// How long the name of an owner may be, in bytes.
    OwnerBytes,
    /// How large the metadata of a task may be, in bytes of JSON.
    MetadataBytes,
    /// How deep the arrays and objects of a task's metadata nest.
    MetadataDepth,
    /// How many retired tasks a stored list may hold.
    Retired,
    /// How many patterns a task may wait for.
    Patterns,
    /// How long a pattern may be, in bytes.
    PatternBytes,
    /// How many modified files a stored list may hold.
    Evidence,
    /// How long the path of a modified file may be, in bytes.
    PathBytes,
}

impl Limit {
    /// Refuses what is more than allowed.
    pub(crate) fn check(self, max: usize, found: usize) -> Result<(), Error> {
        if found <= max {
            return Ok(());
        }
        Err(Error::LimitExceeded {
            limit: self,
            max,
            found,
            place: None,
        })
    }

    /// What to do about it.
    fn advice(self) -> &'static str {
        match self {
            Limit::Tasks => "Nothing was changed; leave tasks out, or delete some first.",
            _ => "Make it smaller.",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Tasks => "The number of tasks",
            Limit::SubjectBytes => "The length of a subject in bytes",
            Limit::ActiveFormBytes => "The length of an active form in bytes",
            Limit::DescriptionBytes => "The length of a description in bytes",
            Limit::OwnerBytes => "The length of an owner's name in bytes",
            Limit::MetadataBytes => "The size of a task's metadata in bytes of JSON",
            Limit::MetadataDepth => "The nesting of a task's metadata",
            Limit::Retired => "The number of retired tasks",
            Limit::Patterns => "The number of patterns of a task",
            Limit::PatternBytes => "The length of a pattern in bytes",
            Limit::Evidence => "The number of modified files",
            Limit::PathBytes => "The length of a modified file's path in bytes",
        })
    }
}

/// The first 80 characters of a text on one line, then `…` where there are more.
pub(crate) struct Quote<'a>(pub(crate) &'a str);

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 80;
        let mut chars = self.0.chars();
        for c in chars.by_ref().take(MOST) {
            fmt::Write::write_char(f, crate::text::one_line(c))?;
        }
        match chars.next() {
            Some(_) => f.write_str("…"),
            None => Ok(()),
        }
    }
}

/// Ids joined by commas, at most 50 of them.
pub(crate) struct Ids<'a>(pub(crate) &'a [TaskId]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, id) in self.0.iter().take(KnownIds::MOST).enumerate() {
            write!(f, "{}{id}", if i == 0 { "" } else { ", " })?;
        }
        match self.0.len().saturating_sub(KnownIds::MOST) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
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
        const MOST: usize = 50;
        for (i, id) in self.path.iter().enumerate() {
            if i == MOST - 1 && self.path.len() > MOST {
                let more = self.path.len() - MOST;
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

use crate::error::{Ids, Patterns};
use crate::id::TaskId;
use crate::task::Status;
use std::fmt;
use std::sync::Arc;

/// What follows for a task from the whole list. Never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum State {
    /// Being worked on.
    InProgress,
    /// Pending, with nothing in its way.
    Ready,
    /// Pending, and waiting for a task that is not completed.
    Blocked,
    /// Done.
    Completed,
    /// Pending, and asleep until its [`Activation`](crate::Activation) is met. Not worked on, and in nobody's way.
    Dormant,
    /// Retired, by a delete.
    Deleted,
}

impl State {
    /// How many states a live task can be in.
    pub(crate) const LIVE: usize = 5;

    /// The one place that decides a task's state.
    pub(crate) fn of(status: Status, dormant: bool, open_blockers: u32) -> State {
        match status {
            Status::InProgress => State::InProgress,
            Status::Completed => State::Completed,
            Status::Deleted => State::Deleted,
            Status::Pending if dormant => State::Dormant,
            Status::Pending if open_blockers > 0 => State::Blocked,
            Status::Pending => State::Ready,
        }
    }

    /// Whether a task in this state is still to be done, and so holds up both the
    /// tasks that wait for it and the finish.
    pub fn is_open(self) -> bool {
        match self {
            State::InProgress | State::Ready | State::Blocked => true,
            State::Completed | State::Dormant | State::Deleted => false,
        }
    }

    /// `in_progress`, `ready`, `blocked`, `completed`, `dormant` or `deleted`.
    pub fn as_str(self) -> &'static str {
        match self {
            State::InProgress => "in_progress",
            State::Ready => "ready",
            State::Blocked => "blocked",
            State::Completed => "completed",
            State::Dormant => "dormant",
            State::Deleted => "deleted",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The counts of a list, and whether the agent may finish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// All live tasks.
    pub total: usize,
    /// Those that are completed.
    pub completed: usize,
    /// Those in progress.
    pub in_progress: usize,
    /// Those pending, blocked ones included, dormant ones not.
    pub pending: usize,
    /// Those pending or in progress, dormant ones not included.
    pub incomplete: usize,
    /// Those pending that are asleep.
    pub dormant: usize,
    /// Those pending that wait for another task.
    pub blocked: usize,
    /// Those pending that can be started.
    pub ready: usize,
    /// Whether there is any task.
    pub has_tasks: bool,
    /// Whether there are tasks, and the agent may finish.
    pub all_completed: bool,
    /// Whether no task is open.
    pub can_finish: bool,
}

/// Where a list breaks its [`Policy`](crate::Policy).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// More than one task is in progress, where only one may be.
    TooManyInProgress {
        /// The tasks, in list order.
        ids: Vec<TaskId>,
        /// The owner of all of them, where the policy allows one for each owner.
        owner: Option<Arc<str>>,
    },
    /// A task is in progress although it waits for others.
    Blocked {
        /// The task.
        id: TaskId,
        /// The blockers that are not completed, in list order.
        open_blockers: Vec<TaskId>,
    },
}

/// Why a task is in the state it is in.
///
/// Its text says it in one sentence:
///
/// ```
/// use agent_tasklist::{TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.create(TaskDraft::new("Build").id("build"))?;
/// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
/// assert_eq!(list.explain("ship")?.to_string(), "ship is blocked by build");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The task.
    pub id: TaskId,
    /// Its state.
    pub state: State,
    /// Its blockers that are [open](State::is_open), in list order. A task that was
    /// started or completed before they came can have some too.
    pub open_blockers: Vec<TaskId>,
    /// The patterns that a dormant task waits for; empty in every other state.
    pub waits_for: Vec<Arc<str>>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is ", self.id)?;
        match self.state {
            State::InProgress => f.write_str("in progress"),
            State::Blocked => write!(f, "blocked by {}", Ids(&self.open_blockers)),
            State::Dormant => {
                let patterns = Patterns(&self.waits_for);
                write!(
                    f,
                    "dormant until a file that matches {patterns} is modified"
                )
            }
            State::Ready | State::Completed | State::Deleted => f.write_str(self.state.as_str()),
        }
    }
}

//! What the host decides for a list, and where a list breaks it.
//!
//! ```
//! use agent_tasklist::policy::Dropped;
//! use agent_tasklist::{Error, Policy, TaskDraft, TaskList};
//!
//! let mut list = TaskList::new();
//! list.set_policy(Policy::default().with_dropped(Dropped::Refuse));
//! list.write(["Build", "Ship"].map(TaskDraft::new))?;
//! let refused = list.write([TaskDraft::new("Build")]);
//! assert!(matches!(refused, Err(Error::Dropped { ids }) if ids == ["task_ship"]));
//! # Ok::<(), Error>(())
//! ```
//!
//! A policy is plain data. The rules that it chooses between are in `list/settle.rs` (what a call may start, and what
//! yields) and `list/write.rs` (what a write leaves out); the figures are in `limit.rs`. Tested by `tests/owners.rs`,
//! `tests/limits.rs` and the reference model of the state machine.

use crate::id::TaskId;
pub use crate::limit::{Limit, Limits};
use std::sync::Arc;

/// What a list allows: how many tasks may be in progress, what happens to waiting, surplus and dropped ones, and how
/// large things may be.
///
/// ```
/// use agent_tasklist::policy::{Dropped, InProgress, Limit};
/// use agent_tasklist::{Limits, Policy, TaskList};
///
/// let policy = Policy::default()
///     .with_in_progress(InProgress::PerOwner)
///     .with_dropped(Dropped::Keep)
///     .with_limits(Limits::default().with(Limit::Tasks, 50));
/// let mut list = TaskList::new();
/// list.set_policy(policy);
/// ```
///
/// A policy belongs to the host, never to the stored list: it is carried in
/// memory, left out of equality, JSON and [`Changes`](crate::Changes), and a
/// loaded list has the default. It judges transitions only, so a list that
/// breaks it still loads and can be put right step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// How many tasks may be in progress.
    pub in_progress: InProgress,
    /// What a write gets that starts more tasks than that.
    pub excess: Excess,
    /// Whether a task that waits may be started or completed.
    pub dependencies: Dependencies,
    /// What happens to an unfinished task that a write leaves out.
    pub dropped: Dropped,
    /// How large things may be.
    pub limits: Limits,
}

impl Policy {
    /// The same with another rule for how many tasks may be in progress.
    #[must_use]
    pub fn with_in_progress(mut self, in_progress: InProgress) -> Self {
        self.in_progress = in_progress;
        self
    }

    /// The same with another rule for a write that starts too many tasks.
    #[must_use]
    pub fn with_excess(mut self, excess: Excess) -> Self {
        self.excess = excess;
        self
    }

    /// The same with another rule for tasks that wait.
    #[must_use]
    pub fn with_dependencies(mut self, dependencies: Dependencies) -> Self {
        self.dependencies = dependencies;
        self
    }

    /// The same with another rule for unfinished tasks that a write leaves out.
    #[must_use]
    pub fn with_dropped(mut self, dropped: Dropped) -> Self {
        self.dropped = dropped;
        self
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// How many tasks may be in progress at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InProgress {
    /// One. Starting another puts the first back to pending.
    #[default]
    One,
    /// One for each owner; the tasks that nobody owns count together.
    PerOwner,
    /// Any number.
    Unlimited,
}

/// What a write gets that asks for more tasks in progress than [`InProgress`] allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Excess {
    /// An error that names them; nothing changes.
    #[default]
    Refuse,
    /// The last written one stays in progress; the others are pending.
    Demote,
}

/// Whether a task that waits for others, or sleeps, may be started or completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dependencies {
    /// No: the call is refused, naming the open blockers, and a running task that is made to wait goes
    /// back to pending. The same holds for starting a dormant task.
    #[default]
    Enforce,
    /// Yes, and the change notes it.
    Advise,
}

/// What happens to an unfinished task that a write leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dropped {
    /// It retires, and the change notes it by name.
    #[default]
    Allow,
    /// It stays, after the written ones, and yields to them.
    Keep,
    /// The write is refused, naming the tasks.
    Refuse,
}

/// Where a list breaks its [`Policy`], as [`TaskList::violations`](crate::TaskList::violations) tells it.
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
    StartedEarly {
        /// The task.
        id: TaskId,
        /// The blockers that are not completed, in list order.
        open_blockers: Vec<TaskId>,
    },
}

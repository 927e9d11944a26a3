//! What a call did, as data: facts, what followed, and how the call was understood.
//!
//! ```
//! use agent_tasklist::change::Demotion;
//! use agent_tasklist::{Status, TaskDraft, TaskList, TaskPatch};
//!
//! let mut list = TaskList::new();
//! list.create(TaskDraft::new("Build").id("build").status(Status::InProgress))?;
//! list.create(TaskDraft::new("Test").id("test"))?;
//! let changes = list.update("test", TaskPatch::new().status(Status::InProgress))?;
//!
//! assert_eq!(changes.facts.edited.len(), 2);
//! let demoted = &changes.effects.demoted[0];
//! assert_eq!(demoted.id, "build");
//! assert!(matches!(&demoted.cause, Demotion::Yielded { to } if *to == "test"));
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! Plain values. They are made in `list/tell.rs`, and put into words in `tools/notes.rs`. Tested by the state machine, which
//! applies the facts to the list before.

use crate::id::TaskId;
use crate::task::Task;
use serde::Serialize;
use std::sync::Arc;

/// What a call did to the list.
///
/// [`facts`](Self::facts) is the net difference, and empty exactly when the list
/// is what it was before: save when it is not. [`effects`](Self::effects) is
/// what followed for other tasks, [`notes`](Self::notes) what the caller may
/// not have expected.
///
/// It serialises for logs; there is no promise yet that a later release reads that form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// The net difference between the list before and after.
    pub facts: Facts,
    /// What followed for tasks that the call may not have named.
    pub effects: Effects,
    /// How the call was understood.
    pub notes: Notes,
}

impl Changes {
    /// Whether the list is exactly what it was before.
    pub fn is_empty(&self) -> bool {
        self.facts == Facts::default()
    }

    /// The tasks that are there and were changed, linked or set free, in no order; one may come several times.
    pub(crate) fn touched(&self) -> impl Iterator<Item = &TaskId> {
        // Taken apart whole, so that a new group cannot be forgotten here.
        let Facts {
            removed: _,
            added,
            revived,
            edited,
            edges_removed,
            edges_added,
            order: _,
            run_began: _,
            files_added: _,
            evidence_lost: _,
        } = &self.facts;
        let Effects {
            demoted: _,
            unblocked,
            now_blocked,
            woken,
            fallen_asleep,
        } = &self.effects;
        let edited = edited.iter().map(|edited| &edited.after);
        let tasks = added.iter().chain(revived).chain(edited);
        let edges = edges_added.iter().chain(edges_removed);
        let ids = tasks.map(|task| &task.id);
        let ids = ids.chain(edges.flat_map(|edge| [&edge.blocked, &edge.blocker]));
        let effects = unblocked.iter().chain(now_blocked);
        ids.chain(effects).chain(woken).chain(fallen_asleep)
    }
}

/// The net difference that a call made: the list before, with these applied in
/// the order of the fields, is the list after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// Tasks that retired, as they were, in their old list order.
    pub removed: Vec<Arc<Task>>,
    /// Tasks under ids that the list did not have, in list order; they stand at the end unless
    /// `order` says otherwise.
    pub added: Vec<Arc<Task>>,
    /// Tasks under ids that were retired, in list order; they stand after the added ones unless
    /// `order` says otherwise.
    pub revived: Vec<Arc<Task>>,
    /// Tasks with a field that is no longer what it was, in list order.
    pub edited: Vec<Edited>,
    /// Dependencies that are gone, those of removed tasks included, sorted by id: of the task that waited, then of its
    /// blocker.
    pub edges_removed: Vec<Edge>,
    /// Dependencies that are new, in list order: of the task that waits, then of its blocker.
    pub edges_added: Vec<Edge>,
    /// The whole order, where it is not the old one without the removed tasks, then the added,
    /// then the revived ones.
    pub order: Option<Vec<TaskId>>,
    /// The run that began, where another was going on or none. The files of the former
    /// are forgotten.
    pub run_began: Option<Arc<str>>,
    /// Modified files that the run did not have yet, normalised and sorted.
    pub files_added: Vec<Arc<str>>,
    /// Whether the files became too many to keep. Then the run has none any longer, and every
    /// activation counts as met.
    pub evidence_lost: bool,
}

/// A task before and after a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Edited {
    /// As it was.
    pub before: Arc<Task>,
    /// As it is.
    pub after: Arc<Task>,
}

/// A dependency between two tasks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Edge {
    /// The task that waits.
    pub blocked: TaskId,
    /// The task that it waits for.
    pub blocker: TaskId,
}

/// What followed from a call for tasks that it may not have named, each in list order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Effects {
    /// Tasks that went from in progress back to pending without being asked to.
    pub demoted: Vec<Demoted>,
    /// Tasks that no longer wait for a blocker, and are ready or in progress.
    pub unblocked: Vec<TaskId>,
    /// Tasks that were ready or in progress, and now wait for a blocker.
    pub now_blocked: Vec<TaskId>,
    /// Tasks that were dormant and no longer are.
    pub woken: Vec<TaskId>,
    /// Tasks that are dormant and were not.
    pub fallen_asleep: Vec<TaskId>,
}

/// A task that went from in progress back to pending without being asked to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Demoted {
    /// The task.
    pub id: TaskId,
    /// Why.
    pub cause: Demotion,
}

/// Why a task went back to pending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Demotion {
    /// Another task was started, and only one may be in progress.
    Yielded {
        /// The task that is in progress instead.
        to: TaskId,
    },
    /// The call made it wait for other tasks.
    MadeToWait {
        /// The open blockers, in list order.
        by: Vec<TaskId>,
    },
}

/// How a call was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notes {
    /// Ids that were given to the work of another task.
    pub rebound: Vec<Rebound>,
    /// Items whose id an earlier item of the call already had.
    pub duplicate_ids: Vec<DuplicateId>,
    /// Unfinished tasks that a write left out and that retired, in their old list order.
    pub unfinished_removed: Vec<TaskId>,
    /// Unfinished tasks that a write left out and that stay all the same, in list order.
    pub unfinished_kept: Vec<TaskId>,
    /// Tasks that are in progress or completed although they wait, in list order. Only where the
    /// policy allows it.
    pub advised: Vec<TaskId>,
    /// Dependencies that were asked for and not made, since the blocker was completed before it left the list: what
    /// they wait for is done.
    pub already_met: Vec<Edge>,
    /// Tasks that the call made, then those that it brought back, in the name of another than the one who acts.
    pub for_others: Vec<TaskId>,
}

/// An explicit id that was given with the subject of another live task. The item
/// took over only the id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rebound {
    /// The id given.
    pub id: TaskId,
    /// The id that the work had before.
    pub previous: TaskId,
}

/// An item whose id an earlier item of the same call already had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DuplicateId {
    /// The id given twice.
    pub id: TaskId,
    /// The id made for the later item.
    pub generated: TaskId,
}

//! What has left the list: kept aside so that ids stay taken and tasks can come back.
//!
//! Which task retires, and which comes back, is decided by the calls. Tested by `tests/stored.rs`, `tests/limits.rs` and
//! the reference model of the state machine.

use crate::change::Edge;
use crate::error::Error;
use crate::id::TaskId;
use crate::status::Status;
use crate::task::Task;
use indexmap::IndexMap;
use serde::Serialize;
use std::sync::Arc;

/// A task that left the list, kept aside so that its id stays taken and it can come back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RetiredTask {
    /// As it was, with the status it had; its dependencies are gone.
    pub task: Arc<Task>,
    /// Whether it was deleted. Else a write left it out.
    pub deleted: bool,
}

/// The retired tasks: read backwards, the most recently retired first and those of
/// one call in list order. Whatever is too many is forgotten from the front.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retired {
    tasks: IndexMap<TaskId, RetiredTask>,
}

impl Retired {
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&RetiredTask> {
        self.tasks.get(id)
    }

    /// How many were retired before it.
    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.tasks.get_index_of(id)
    }

    pub(crate) fn at(&self, position: usize) -> &RetiredTask {
        &self.tasks[position]
    }

    pub(crate) fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = &RetiredTask> + DoubleEndedIterator + Clone {
        self.tasks.values()
    }

    /// Appends a task of a list that is being loaded; gives it back where its id is taken.
    pub(crate) fn place(&mut self, retired: RetiredTask) -> Result<(), RetiredTask> {
        match self.tasks.entry(retired.task.id.clone()) {
            indexmap::map::Entry::Occupied(_) => Err(retired),
            indexmap::map::Entry::Vacant(entry) => {
                entry.insert(retired);
                Ok(())
            }
        }
    }

    /// Takes back the tasks whose ids are live again.
    pub(crate) fn revive(&mut self, is_live: impl Fn(&TaskId) -> bool) {
        self.tasks.retain(|id, _| !is_live(id));
    }

    /// Retires the tasks of one call, given in list order, and forgets the oldest past
    /// `cap`. Gives the ids that became free.
    pub(crate) fn retire(&mut self, tasks: &[Arc<Task>], deleted: bool, cap: usize) -> Vec<TaskId> {
        // The oldest go first, and where one call retires more than all that are kept, the last of that call.
        let too_many = (self.tasks.len() + tasks.len()).saturating_sub(cap);
        let old = too_many.min(self.tasks.len());
        let mut freed: Vec<TaskId> = self.tasks.drain(..old).map(|(id, _)| id).collect();
        let (kept, forgotten) = tasks.split_at(tasks.len() - (too_many - old));
        freed.extend(forgotten.iter().map(|task| task.id.clone()));
        // Backwards, so that read from the end those of one call come in list order.
        self.tasks.extend(kept.iter().rev().map(|task| {
            let task = task.clone();
            (task.id.clone(), RetiredTask { task, deleted })
        }));
        freed
    }
}

/// The dependency on a task that is not in the list any longer: if it was completed there is nothing to wait for, and else
/// there never will be, which is refused.
pub(super) fn already_met(task: &TaskId, gone: &Task) -> Result<Edge, Error> {
    match gone.status {
        Status::Completed => Ok(Edge {
            blocked: task.clone(),
            blocker: gone.id.clone(),
        }),
        _ => Err(Error::RetiredBlocker {
            task: task.clone(),
            blocker: gone.id.clone(),
            subject: gone.subject.clone(),
        }),
    }
}

impl PartialEq for Retired {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

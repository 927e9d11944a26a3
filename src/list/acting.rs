//! The calls that change tasks, on behalf of an owner or of nobody.
//!
//! What each does is in `edit` and `write`; here the arguments are made ready, once for the list and for owners. Tested by
//! `tests/owners.rs` and the state machine.

use super::value::TaskList;
use crate::change::Changes;
use crate::error::Error;
use crate::id::TaskId;
use crate::owner;
use crate::status::Status;
use crate::task::{TaskDraft, TaskPatch};
use std::sync::Arc;

/// A list on behalf of an owner, made by [`TaskList::acting_as`].
///
/// Its calls are those of the list, and refuse with [`Error::OwnedByOther`] what would start, stop,
/// change, remove or hold up the unfinished task of another owner, or take a dependency off it. Tasks that nobody owns are
/// free, and so are finished ones. The [guide](crate::guide::several_agents) has the rule for each kind of call.
///
/// ```
/// use agent_tasklist::{Error, Status, TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.create(TaskDraft::new("Review").id("review").owner("bob"))?;
/// list.create(TaskDraft::new("Build").id("build"))?;
/// let mut ann = list.acting_as("ann")?;
/// assert_eq!(ann.claim()?.id.unwrap(), "build");
/// assert!(matches!(ann.delete("review"), Err(Error::OwnedByOther { .. })));
/// ann.release()?;
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Debug)]
pub struct Acting<'a> {
    list: &'a mut TaskList,
    actor: Option<Arc<str>>,
}

impl TaskList {
    /// The same calls on behalf of an owner, which then leave the unfinished tasks of others as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a blank name: a host that does not know who acts must not act for everybody.
    ///
    /// ```
    /// use agent_tasklist::{Error, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Fix the bug").id("fix").owner("jo"))?;
    /// let refused = list.acting_as("al")?.complete("fix");
    /// assert!(matches!(refused, Err(Error::OwnedByOther { .. })));
    /// list.acting_as("jo")?.complete("fix")?;
    /// assert!(list.acting_as(" ").is_err());
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn acting_as(&mut self, owner: impl AsRef<str>) -> Result<Acting<'_>, Error> {
        let actor = owner::name(owner.as_ref())?;
        Ok(self.acting(Some(actor)))
    }

    /// The calls of an owner, or of nobody: then every task may be changed.
    pub(crate) fn acting(&mut self, actor: Option<Arc<str>>) -> Acting<'_> {
        Acting { list: self, actor }
    }
}

/// What [`TaskList::create`] made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Created {
    /// The id of the new task.
    pub id: TaskId,
    /// What the call did.
    pub changes: Changes,
}

/// What [`TaskList::claim`] gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claimed {
    /// The task that the owner now has in progress; `None` where there is no work for it.
    pub id: Option<TaskId>,
    /// What the call did. Nothing where the owner had the task already.
    pub changes: Changes,
}

impl Acting<'_> {
    /// See [`TaskList::write`].
    ///
    /// # Errors
    ///
    /// As there, and [`Error::OwnedByOther`].
    pub fn write(&mut self, tasks: impl IntoIterator<Item = TaskDraft>) -> Result<Changes, Error> {
        let tasks = tasks.into_iter();
        let actor = self.actor.as_deref();
        let ((), changes) = self.list.change(actor, |edit| {
            // Before the drafts are made: an iterator may be lazy, and tell that it has a million of them.
            edit.check_count(tasks.size_hint().0)?;
            edit.write(tasks.collect())
        })?;
        Ok(changes)
    }

    /// See [`TaskList::create`].
    ///
    /// # Errors
    ///
    /// As there, and [`Error::OwnedByOther`].
    pub fn create(&mut self, task: TaskDraft) -> Result<Created, Error> {
        let actor = self.actor.as_deref();
        let (id, changes) = self.list.change(actor, |edit| edit.create(&task))?;
        Ok(Created { id, changes })
    }

    /// See [`TaskList::update`].
    ///
    /// # Errors
    ///
    /// As there, and [`Error::OwnedByOther`].
    pub fn update(&mut self, id: impl AsRef<str>, patch: TaskPatch) -> Result<Changes, Error> {
        let actor = self.actor.as_deref();
        let ((), changes) = self
            .list
            .change(actor, |edit| edit.update(id.as_ref(), &patch))?;
        Ok(changes)
    }

    /// See [`TaskList::complete`].
    ///
    /// # Errors
    ///
    /// As there, and [`Error::OwnedByOther`].
    pub fn complete(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        self.update(id, TaskPatch::new().status(Status::Completed))
    }

    /// See [`TaskList::delete`].
    ///
    /// # Errors
    ///
    /// As there, and [`Error::OwnedByOther`].
    pub fn delete(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        self.update(id, TaskPatch::new().status(Status::Deleted))
    }

    /// See [`TaskList::restore`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn restore(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        let actor = self.actor.as_deref();
        let ((), changes) = self
            .list
            .change(actor, |edit| edit.restore(id.as_ref().trim()))?;
        Ok(changes)
    }

    /// See [`TaskList::claim`]: work for the one who acts.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn claim(&mut self) -> Result<Claimed, Error> {
        let owner = self.owner()?;
        let (id, changes) = self.list.change(Some(&owner), |edit| edit.claim(&owner))?;
        Ok(Claimed { id, changes })
    }

    /// See [`TaskList::claim_task`]: that task for the one who acts.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn claim_task(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        let owner = self.owner()?;
        let id = id.as_ref();
        let ((), changes) = self
            .list
            .change(Some(&owner), |edit| edit.claim_task(id, &owner))?;
        Ok(changes)
    }

    /// See [`TaskList::release`]: the unfinished tasks of the one who acts.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn release(&mut self) -> Result<Changes, Error> {
        let owner = self.owner()?;
        let ((), changes) = self.list.change(Some(&owner), |edit| {
            edit.release(&owner);
            Ok(())
        })?;
        Ok(changes)
    }

    /// Who acts, for what only somebody can do.
    fn owner(&self) -> Result<Arc<str>, Error> {
        match &self.actor {
            Some(actor) => Ok(actor.clone()),
            None => Ok(owner::name("")?),
        }
    }
}

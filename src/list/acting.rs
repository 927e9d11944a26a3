use super::{Created, TaskList};
use crate::change::Changes;
use crate::error::Error;
use crate::id::TaskId;
use crate::task::{Status, TaskDraft, TaskPatch};
use crate::text::given;
use std::sync::Arc;

/// A list on behalf of an owner, made by [`TaskList::acting_as`].
///
/// Its calls are those of the list, and refuse with [`Error::OwnedByOther`] what would start, stop,
/// change or remove the unfinished task of another owner. Tasks that nobody owns are free, and so are
/// finished ones.
#[derive(Debug)]
pub struct Acting<'a> {
    list: &'a mut TaskList,
    actor: Option<Arc<str>>,
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

impl<'a> Acting<'a> {
    pub(super) fn new(list: &'a mut TaskList, actor: Option<&str>) -> Self {
        let actor = actor.and_then(given);
        Acting { list, actor }
    }

    /// See [`TaskList::write`].
    ///
    /// # Errors
    ///
    /// As there, and [`Error::OwnedByOther`].
    pub fn write(&mut self, tasks: impl IntoIterator<Item = TaskDraft>) -> Result<Changes, Error> {
        let tasks = tasks.into_iter();
        let actor = self.actor.as_deref();
        let ((), changes) = self.list.change(actor, |edit| {
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
}

//! The calls that change a list, as a host makes them: their documentation, and the run's files.
//!
//! Those on tasks go through [`Acting`](super::Acting) as nobody; nothing is decided here. Tested by the state machine,
//! `tests/cases.rs` and `tests/activation.rs`.

use super::acting::{Claimed, Created};
use super::value::TaskList;
use crate::activation::PathStyle;
use crate::change::Changes;
use crate::error::Error;
use crate::status::Status;
use crate::task::{TaskDraft, TaskPatch};

/// Changing: on behalf of nobody, so that every task may be changed.
impl TaskList {
    /// Replaces the whole list, in order, and keeps the identity of what stays.
    ///
    /// A draft with an id stands for the task with that id, live or retired, or
    /// for a new one under it; of several with one id the first has it. A draft
    /// without an id stands for a task that no draft names and that has the same
    /// subject: told apart by active form, then by status, then by order; then
    /// the same but for case and white space; then one that retired. Else it is new
    /// and gets an id made from its subject. A live task that no draft stands for
    /// retires.
    ///
    /// A task that comes back from among the retired is new work under its old id: it keeps its description and metadata,
    /// but is pending unless the draft says otherwise, is nobody's, and sleeps until nothing. A blocker that was completed
    /// before it left the list is waited for no longer, and noted ([`Notes::already_met`](crate::change::Notes)); one that
    /// was not is refused.
    ///
    /// Whatever a draft leaves out stays as it was. A draft that gives an id the
    /// subject of another live task, which has a different one now, takes over the id
    /// only, and so does one that brings an id back under another subject.
    ///
    /// Dependencies that a draft leaves out stay too, as far as both tasks do and the
    /// other end does not say otherwise; those given from either end all hold.
    ///
    /// Costs time linear in the drafts, the list and the dependencies.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`], [`Error::MissingSubject`], [`Error::StatusNotAllowed`],
    /// [`Error::UnknownTask`] for a blocker that is not in the resulting list, [`Error::RetiredBlocker`],
    /// [`Error::SelfDependency`], [`Error::Cycle`], [`Error::TooManyInProgress`],
    /// [`Error::Dropped`], [`Error::OpenBlockers`], [`Error::Dormant`], [`Error::LimitExceeded`].
    ///
    /// ```
    /// use agent_tasklist::{Status, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.write([TaskDraft::new("Build"), TaskDraft::new("Test")])?;
    /// let changes = list.write([
    ///     TaskDraft::new("test").status(Status::InProgress),
    ///     TaskDraft::new("Ship"),
    /// ])?;
    /// let ids: Vec<&str> = list.tasks().map(|task| task.id.as_str()).collect();
    /// assert_eq!(ids, ["task_test", "task_ship"]);
    /// assert_eq!(changes.notes.unfinished_removed, ["task_build"]);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn write(&mut self, tasks: impl IntoIterator<Item = TaskDraft>) -> Result<Changes, Error> {
        self.acting(None).write(tasks)
    }

    /// Appends a task. Never matches one that is there, and never brings one back.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`] where the draft has the id of a live or retired task, and
    /// otherwise as for [`TaskList::write`].
    ///
    /// ```
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// let first = list.create(TaskDraft::new("Fix the bug"))?.id;
    /// let second = list.create(TaskDraft::new("Fix the bug"))?.id;
    /// assert_eq!((first.as_str(), second.as_str()), ("task_fix_the_bug", "task_fix_the_bug_2"));
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn create(&mut self, task: TaskDraft) -> Result<Created, Error> {
        self.acting(None).create(task)
    }

    /// Changes a task, which keeps its place in the list.
    ///
    /// Starting a task puts the one in progress back to pending. The status
    /// [`Deleted`](Status::Deleted) retires the task as it is, like
    /// [`TaskList::delete`]; the rest of such a patch is not looked at.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`] for the task or the other end of a dependency,
    /// [`Error::SelfDependency`], [`Error::Cycle`], [`Error::OpenBlockers`],
    /// [`Error::LimitExceeded`].
    ///
    /// ```
    /// use agent_tasklist::{Error, Status, TaskDraft, TaskList, TaskPatch};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Build").id("build"))?;
    /// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
    /// let refused = list.update("ship", TaskPatch::new().status(Status::InProgress));
    /// assert!(matches!(refused, Err(Error::OpenBlockers { .. })));
    /// let changes = list.complete("build")?;
    /// assert_eq!(changes.effects.unblocked, ["ship"]);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn update(&mut self, id: impl AsRef<str>, patch: TaskPatch) -> Result<Changes, Error> {
        self.acting(None).update(id, patch)
    }

    /// Sets a task to completed. No change where it is completed already.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`], [`Error::OpenBlockers`].
    pub fn complete(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        self.update(id, TaskPatch::new().status(Status::Completed))
    }

    /// Retires a task: it leaves the list with its dependencies, and its id stays taken.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`].
    pub fn delete(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        self.update(id, TaskPatch::new().status(Status::Deleted))
    }

    /// Brings a retired task back under its id, with its fields, pending, at the end and without
    /// dependencies.
    ///
    /// # Errors
    ///
    /// [`Error::IdTaken`] where the task is in the list, [`Error::NotRetired`] where no task
    /// that is remembered has the id, [`Error::LimitExceeded`] where the list is full.
    ///
    /// ```
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// let id = list.create(TaskDraft::new("Ship").description("on Friday"))?.id;
    /// list.delete(&id)?;
    /// list.restore(&id)?;
    /// assert_eq!(list.get(&id).unwrap().description.as_deref(), Some("on Friday"));
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn restore(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        self.acting(None).restore(id)
    }

    /// Adds to the files that were modified in the current run, and wakes the tasks whose
    /// [`Activation`](crate::Activation) is met by them.
    ///
    /// Paths are from the root of the work, with `/` between segments; empty and `.` segments do
    /// not count. Empty paths are skipped. Costs the new paths times the compiled patterns of dormant
    /// tasks, which are matched together.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a path with a `..` segment, [`Error::LimitExceeded`] for one that is
    /// too long. Too many are no error: see [`Limit::Evidence`](crate::policy::Limit::Evidence).
    ///
    /// ```
    /// use agent_tasklist::{Activation, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// let tests = Activation::files_modified(["**/*_test.go"])?;
    /// let id = list.create(TaskDraft::new("Run the integration tests").activation(tests))?.id;
    /// assert!(list.files_modified(["main.go"])?.effects.woken.is_empty());
    /// assert_eq!(list.files_modified(["pkg/a_test.go"])?.effects.woken, [id]);
    /// assert!(list.files_modified(["pkg/a_test.go"])?.is_empty(), "a second push changes nothing");
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn files_modified<I>(&mut self, paths: I) -> Result<Changes, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        self.files_modified_as(&PathStyle::unix(), paths)
    }

    /// The same as [`TaskList::files_modified`], for paths that are written in another way: with `\` between segments,
    /// or absolute.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn files_modified_as<I>(&mut self, style: &PathStyle, paths: I) -> Result<Changes, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        // Kept, since the edit borrows from them.
        let paths: Vec<I::Item> = paths.into_iter().collect();
        let paths = paths.iter().map(AsRef::as_ref);
        let ((), changes) = self.change(None, |edit| edit.files_modified(paths, style))?;
        Ok(changes)
    }

    /// Begins a run: the files modified before no longer count, so that a task with an activation
    /// goes dormant again unless it was ever started or completed. No change where the run
    /// with that id is going on.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]: the id of a run follows the rules of [`TaskId`](crate::TaskId).
    ///
    /// ```
    /// use agent_tasklist::{Activation, State, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// let docs = Activation::files_modified(["docs/"])?;
    /// let id = list.create(TaskDraft::new("Build the site").activation(docs))?.id;
    /// list.files_modified(["docs/index.md"])?;
    /// assert_eq!(list.state(&id), Some(State::Ready));
    /// list.begin_run("run-2")?;
    /// assert_eq!(list.state(&id), Some(State::Dormant));
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn begin_run(&mut self, id: impl AsRef<str>) -> Result<Changes, Error> {
        let ((), changes) = self.change(None, |edit| edit.begin_run(id.as_ref()))?;
        Ok(changes)
    }

    /// Gives an owner work: what it has in progress, else its own first ready task, else the first
    /// ready one that nobody owns, which it then owns. `None` where there is none.
    ///
    /// The task is started under the [`Policy`](crate::Policy): with one task in progress for all, an unowned one yields
    /// and that of another owner is in the way.
    ///
    /// # Errors
    ///
    /// [`Error::OwnedByOther`] where another owner's task would have to yield, [`Error::Invalid`] for a blank name,
    /// [`Error::LimitExceeded`] for a name that is too long.
    ///
    /// ```
    /// use agent_tasklist::policy::InProgress;
    /// use agent_tasklist::{Policy, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.set_policy(Policy::default().with_in_progress(InProgress::PerOwner));
    /// list.write(["Build", "Test"].map(TaskDraft::new))?;
    /// assert_eq!(list.claim("jo")?.id.unwrap(), "task_build");
    /// assert_eq!(list.claim("al")?.id.unwrap(), "task_test");
    /// assert_eq!(list.claim("jo")?.id.unwrap(), "task_build");
    /// assert_eq!(list.claim("li")?.id, None);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn claim(&mut self, owner: impl AsRef<str>) -> Result<Claimed, Error> {
        self.acting_as(owner)?.claim()
    }

    /// Gives an owner a task that is its own or nobody's, and starts it. No change where it has it
    /// in progress already.
    ///
    /// # Errors
    ///
    /// [`Error::OwnedByOther`] for another's task, or where another's would have to yield;
    /// [`Error::UnknownTask`], [`Error::Completed`], [`Error::OpenBlockers`], [`Error::Dormant`],
    /// [`Error::Invalid`] for a blank name, [`Error::LimitExceeded`].
    pub fn claim_task(
        &mut self,
        id: impl AsRef<str>,
        owner: impl AsRef<str>,
    ) -> Result<Changes, Error> {
        self.acting_as(owner)?.claim_task(id)
    }

    /// Puts the unfinished tasks of an owner back to pending and unowned, for others to claim: when
    /// it gives up, or is gone.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a blank name.
    pub fn release(&mut self, owner: impl AsRef<str>) -> Result<Changes, Error> {
        self.acting_as(owner)?.release()
    }
}

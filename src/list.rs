mod acting;
mod edit;
mod write;

pub use acting::{Acting, Claimed};

use crate::activation::{Evidence, Matcher, Run};
use crate::change::{Changes, Facts};
use crate::dag::{Dag, Slot};
use crate::error::{Error, KnownIds};
use crate::id::TaskId;
use crate::policy::{Blocked, InProgress, Limits, Policy};
use crate::reconcile::Suffixes;
use crate::retired::{Retired, RetiredTask};
use crate::state::{Explanation, State, Summary, Violation};
use crate::task::{Given, Status, Task, TaskDraft, TaskPatch};
use crate::text::is_blank;
use edit::{Edit, RunChange};
use indexmap::IndexMap;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The checklist of an agent: tasks in order, the dependencies between them, and
/// what has left the list.
///
/// A list is a value. It does no I/O, reads no clock and draws no random numbers:
/// the same calls on equal lists give equal results. It is compared, and
/// serialised, by its content alone; [`Policy`] and [`Limits`] are the host's and
/// take no part.
///
/// Cloning is O(1). The first edit after that copies pointers, not text.
///
/// Every call that changes the list either gives [`Changes`] or refuses with an
/// [`Error`], and then the list is exactly what it was.
///
/// Ids are looked up trimmed. Look-ups are O(1); iteration is in list order.
#[derive(Clone, Default)]
pub struct TaskList {
    pub(crate) dag: Arc<Dag>,
    pub(crate) retired: Arc<Retired>,
    pub(crate) run: Arc<Run>,
    suffixes: Arc<Suffixes>,
    matcher: Arc<Matcher>,
    policy: Policy,
    limits: Limits,
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

/// Reading.
impl TaskList {
    /// An empty list with the default policy.
    pub fn new() -> Self {
        TaskList::default()
    }

    /// How many live tasks there are.
    pub fn len(&self) -> usize {
        self.dag.len()
    }

    /// Whether there is no live task.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The live task with that id.
    pub fn get(&self, id: impl AsRef<str>) -> Option<&Task> {
        let slot = self.dag.find(id.as_ref().trim())?;
        Some(self.dag.task(slot))
    }

    /// The live tasks.
    pub fn tasks(&self) -> impl ExactSizeIterator<Item = &Task> + DoubleEndedIterator {
        self.dag.tasks().map(|task| &**task)
    }

    /// The retired tasks that are remembered, the most recently retired first.
    pub fn retired(&self) -> impl ExactSizeIterator<Item = &RetiredTask> + DoubleEndedIterator {
        self.retired.iter().rev()
    }

    /// The tasks that the task waits for, completed ones included.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`].
    pub fn blocked_by(&self, id: impl AsRef<str>) -> Result<Vec<&Task>, Error> {
        let slot = self.find(id.as_ref())?;
        Ok(self.tasks_at(self.dag.blockers(slot)).collect())
    }

    /// The tasks that wait for the task, or did until it was completed.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`].
    pub fn blocks(&self, id: impl AsRef<str>) -> Result<Vec<&Task>, Error> {
        let slot = self.find(id.as_ref())?;
        Ok(self.tasks_at(self.dag.dependents(slot)).collect())
    }

    /// The state of the live task with that id, or of one that was deleted and is remembered.
    pub fn state(&self, id: impl AsRef<str>) -> Option<State> {
        let id = id.as_ref().trim();
        match self.dag.find(id) {
            Some(slot) => Some(self.dag.condition(slot).state),
            None => (self.retired.get(id))
                .filter(|task| task.deleted)
                .map(|_| State::Deleted),
        }
    }

    /// Why the task is in the state it is in.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`].
    pub fn explain(&self, id: impl AsRef<str>) -> Result<Explanation, Error> {
        let slot = self.find(id.as_ref())?;
        let (task, state) = (self.dag.task(slot), self.dag.condition(slot).state);
        let dormant = task.activation.as_ref().filter(|_| state == State::Dormant);
        Ok(Explanation {
            id: task.id.clone(),
            state,
            open_blockers: ids_at(&self.dag, self.dag.open_blockers(slot)),
            waits_for: dormant.map_or(Vec::new(), |activation| {
                activation.shared_patterns().to_vec()
            }),
        })
    }

    /// The tasks that sleep until their activation is met. Costs what it gives.
    pub fn dormant(&self) -> impl Iterator<Item = &Task> {
        self.tasks_at(self.dag.in_state(State::Dormant))
    }

    /// The run that is going on, if one was begun.
    pub fn run(&self) -> Option<&str> {
        self.run.id.as_deref()
    }

    /// The tasks that can be started. Costs what it gives.
    pub fn ready(&self) -> impl Iterator<Item = &Task> {
        self.tasks_at(self.dag.in_state(State::Ready))
    }

    /// The tasks in progress. Costs what it gives.
    pub fn in_progress(&self) -> impl Iterator<Item = &Task> {
        self.tasks_at(self.dag.in_state(State::InProgress))
    }

    /// The tasks that hold up the finish: those in progress, then those pending,
    /// each in list order. Costs what it gives.
    pub fn open_tasks(&self) -> impl Iterator<Item = &Task> {
        let mut pending: Vec<Slot> = (self.dag.in_state(State::Ready))
            .chain(self.dag.in_state(State::Blocked))
            .collect();
        self.dag.sort(&mut pending);
        self.in_progress().chain(self.tasks_at(pending))
    }

    /// Whether no task is open, so that the agent may stop. O(1).
    pub fn can_finish(&self) -> bool {
        self.summary().can_finish
    }

    /// The counts of the list. O(1).
    pub fn summary(&self) -> Summary {
        let [in_progress, ready, blocked, completed, dormant] = [
            State::InProgress,
            State::Ready,
            State::Blocked,
            State::Completed,
            State::Dormant,
        ]
        .map(|state| self.dag.count(state));
        let (total, pending) = (self.len(), ready + blocked);
        let incomplete = in_progress + pending;
        Summary {
            total,
            completed,
            in_progress,
            pending,
            incomplete,
            dormant,
            blocked,
            ready,
            has_tasks: total > 0,
            all_completed: total > 0 && incomplete == 0,
            can_finish: incomplete == 0,
        }
    }

    /// The list as drafts that say everything of each task, so that writing them
    /// back changes nothing. To edit a list as a whole.
    pub fn drafts(&self) -> Vec<TaskDraft> {
        let draft = |slot| {
            let task = self.dag.task(slot);
            let mut draft = TaskDraft::new(&task.subject)
                .id(&task.id)
                .status(task.status)
                .blocked_by(ids_at(&self.dag, self.dag.blockers(slot)));
            let fields = &mut draft.fields;
            fields.description = Given::all_of(&task.description);
            fields.active_form = Given::all_of(&task.active_form);
            fields.owner = Given::all_of(&task.owner);
            fields.activation = Given::all_of(&task.activation);
            fields.metadata = Given::all_of(&task.metadata);
            draft
        };
        self.dag.slots().map(draft).collect()
    }

    /// Where the list breaks its [`Policy`], in list order: as it may after it was loaded, or
    /// after the policy was changed, for a policy judges transitions only. Costs the tasks in progress.
    ///
    /// ```
    /// use agent_tasklist::{InProgress, Policy, Status, TaskDraft, TaskList, Violation};
    ///
    /// let mut list = TaskList::new();
    /// let mut policy = Policy::default();
    /// policy.in_progress = InProgress::Unlimited;
    /// list.set_policy(policy);
    /// list.write(["A", "B"].map(|subject| TaskDraft::new(subject).status(Status::InProgress)))?;
    /// assert!(list.violations().is_empty());
    /// list.set_policy(Policy::default());
    /// assert!(matches!(&list.violations()[..], [Violation::TooManyInProgress { .. }]));
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn violations(&self) -> Vec<Violation> {
        let mut groups: IndexMap<Option<&Arc<str>>, Vec<TaskId>> = IndexMap::new();
        let mut waiting = Vec::new();
        for slot in self.dag.in_state(State::InProgress) {
            let task = self.dag.task(slot);
            match self.policy.in_progress {
                InProgress::One => groups.entry(None).or_default().push(task.id.clone()),
                InProgress::PerOwner => {
                    groups
                        .entry(task.owner.as_ref())
                        .or_default()
                        .push(task.id.clone());
                }
                InProgress::Unlimited => {}
            }
            if self.policy.blocked == Blocked::Enforce && self.dag.condition(slot).blocked {
                waiting.push(Violation::Blocked {
                    id: task.id.clone(),
                    open_blockers: ids_at(&self.dag, self.dag.open_blockers(slot)),
                });
            }
        }
        let too_many = groups.into_iter().filter(|(_, ids)| ids.len() > 1);
        let too_many = too_many.map(|(owner, ids)| Violation::TooManyInProgress {
            ids,
            owner: owner.cloned(),
        });
        too_many.chain(waiting).collect()
    }

    /// The policy that calls on this list are judged by.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Sets the policy. Never fails, and changes no task: a policy judges
    /// transitions only.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// The limits that calls on this list are held to.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Sets the limits. Never fails, and changes no task: limits judge transitions only.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// A list of these, with the default policy.
    pub(crate) fn loaded(dag: Dag, retired: Retired, run: Run, matcher: Arc<Matcher>) -> Self {
        TaskList {
            dag: Arc::new(dag),
            retired: Arc::new(retired),
            run: Arc::new(run),
            matcher,
            ..TaskList::default()
        }
    }

    /// The live tasks in a state, in list order.
    pub(crate) fn in_state(&self, state: State) -> impl Iterator<Item = &Task> {
        self.tasks_at(self.dag.in_state(state))
    }

    /// Where a live task stands, from 0.
    pub(crate) fn position(&self, id: &TaskId) -> Option<usize> {
        self.dag.position(id.as_str())
    }

    /// Those of these tasks that are live, each once, in list order.
    pub(crate) fn in_order<'i>(&self, ids: impl Iterator<Item = &'i TaskId>) -> Vec<&Task> {
        let dag = &self.dag;
        let mut slots: Vec<Slot> = ids.filter_map(|id| dag.find(id.as_str())).collect();
        dag.sort(&mut slots);
        slots.dedup();
        slots.into_iter().map(|slot| &**dag.task(slot)).collect()
    }

    pub(crate) fn unknown_task(&self, id: &str) -> Error {
        unknown_task(&self.dag, id)
    }

    fn find(&self, id: &str) -> Result<Slot, Error> {
        find(&self.dag, id)
    }

    fn tasks_at(&self, slots: impl IntoIterator<Item = Slot>) -> impl Iterator<Item = &Task> {
        slots.into_iter().map(|slot| &**self.dag.task(slot))
    }
}

/// The name of an owner.
fn named(owner: &str) -> Result<&str, Error> {
    match is_blank(owner) {
        true => Err(Error::BlankOwner),
        false => Ok(owner),
    }
}

fn find(dag: &Dag, id: &str) -> Result<Slot, Error> {
    let id = id.trim();
    dag.find(id).ok_or_else(|| unknown_task(dag, id))
}

fn unknown_task(dag: &Dag, id: &str) -> Error {
    Error::UnknownTask {
        id: id.trim().into(),
        known: KnownIds::new(dag.ids()),
    }
}

fn ids_at(dag: &Dag, slots: impl IntoIterator<Item = Slot>) -> Vec<TaskId> {
    let id = |slot| dag.task(slot).id.clone();
    slots.into_iter().map(id).collect()
}

pub(crate) fn cycle_error(dag: &Dag, mut cycle: Vec<Slot>) -> Error {
    let completed = |&slot: &Slot| dag.condition(slot).state == State::Completed;
    let completed = cycle.iter().copied().filter(completed);
    let completed = ids_at(dag, completed);
    cycle.extend(cycle.first().copied());
    Error::Cycle {
        path: ids_at(dag, cycle),
        completed,
    }
}

/// Changing.
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
    /// [`Error::InvalidId`], [`Error::MissingSubject`], [`Error::StatusNotAllowed`],
    /// [`Error::UnknownTask`] for a blocker that is not in the resulting list,
    /// [`Error::SelfDependency`], [`Error::Cycle`], [`Error::TooManyInProgress`],
    /// [`Error::Dropped`], [`Error::Blocked`], [`Error::Dormant`], [`Error::LimitExceeded`].
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
        self.as_anyone().write(tasks)
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
        self.as_anyone().create(task)
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
    /// [`Error::SelfDependency`], [`Error::Cycle`], [`Error::Blocked`],
    /// [`Error::LimitExceeded`].
    ///
    /// ```
    /// use agent_tasklist::{Error, Status, TaskDraft, TaskList, TaskPatch};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Build").id("build"))?;
    /// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
    /// let refused = list.update("ship", TaskPatch::new().status(Status::InProgress));
    /// assert!(matches!(refused, Err(Error::Blocked { .. })));
    /// let changes = list.complete("build")?;
    /// assert_eq!(changes.effects.unblocked, ["ship"]);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn update(&mut self, id: impl AsRef<str>, patch: TaskPatch) -> Result<Changes, Error> {
        self.as_anyone().update(id, patch)
    }

    /// Sets a task to completed. No change where it is completed already.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTask`], [`Error::Blocked`].
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
        self.as_anyone().restore(id)
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
    /// [`Error::InvalidPath`] for a path with a `..` segment, [`Error::LimitExceeded`] for one that is
    /// too long. Too many are no error: see [`Limits::evidence`].
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
        let paths: Vec<I::Item> = paths.into_iter().collect();
        let paths = paths.iter().map(AsRef::as_ref);
        let ((), changes) = self.change(None, |edit| edit.files_modified(paths))?;
        Ok(changes)
    }

    /// The same as [`TaskList::files_modified`], for paths with `\` between segments too.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn files_modified_on_windows<I>(&mut self, paths: I) -> Result<Changes, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        self.files_modified(
            paths
                .into_iter()
                .map(|path| path.as_ref().replace('\\', "/")),
        )
    }

    /// Begins a run: the files modified before no longer count, so that a task with an activation
    /// goes dormant again unless it was ever started or completed. No change where the run
    /// with that id is going on.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`]: the id of a run follows the rules of [`TaskId`].
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

    /// The same calls on behalf of an owner, which then leave the unfinished tasks of others as they
    /// are. A blank name is nobody's, and then nothing is left alone.
    ///
    /// ```
    /// use agent_tasklist::{Error, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Fix the bug").id("fix").owner("jo"))?;
    /// let refused = list.acting_as("al").complete("fix");
    /// assert!(matches!(refused, Err(Error::OwnedByOther { .. })));
    /// list.acting_as("jo").complete("fix")?;
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn acting_as(&mut self, owner: impl AsRef<str>) -> Acting<'_> {
        Acting::new(self, Some(owner.as_ref()))
    }

    fn as_anyone(&mut self) -> Acting<'_> {
        Acting::new(self, None)
    }

    /// Gives an owner work: what it has in progress, else its own first ready task, else the first
    /// ready one that nobody owns, which it then owns. `None` where there is none.
    ///
    /// The task is started under the [`Policy`]: with one task in progress for all, an unowned one yields
    /// and that of another owner is in the way.
    ///
    /// # Errors
    ///
    /// [`Error::OwnedByOther`] where another owner's task would have to yield, [`Error::BlankOwner`],
    /// [`Error::LimitExceeded`] for a name that is too long.
    ///
    /// ```
    /// use agent_tasklist::{InProgress, Policy, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// let mut policy = Policy::default();
    /// policy.in_progress = InProgress::PerOwner;
    /// list.set_policy(policy);
    /// list.write(["Build", "Test"].map(TaskDraft::new))?;
    /// assert_eq!(list.claim("jo")?.id.unwrap(), "task_build");
    /// assert_eq!(list.claim("al")?.id.unwrap(), "task_test");
    /// assert_eq!(list.claim("jo")?.id.unwrap(), "task_build");
    /// assert_eq!(list.claim("li")?.id, None);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn claim(&mut self, owner: impl AsRef<str>) -> Result<Claimed, Error> {
        let owner = named(owner.as_ref())?;
        let (id, changes) = self.change(Some(owner), |edit| edit.claim(owner))?;
        Ok(Claimed { id, changes })
    }

    /// Gives an owner a task that is its own or nobody's, and starts it. No change where it has it
    /// in progress already.
    ///
    /// # Errors
    ///
    /// [`Error::OwnedByOther`] for another's task, or where another's would have to yield;
    /// [`Error::UnknownTask`], [`Error::Completed`], [`Error::Blocked`], [`Error::Dormant`],
    /// [`Error::BlankOwner`], [`Error::LimitExceeded`].
    pub fn claim_task(
        &mut self,
        id: impl AsRef<str>,
        owner: impl AsRef<str>,
    ) -> Result<Changes, Error> {
        let owner = named(owner.as_ref())?;
        let ((), changes) = self.change(Some(owner), |edit| edit.claim_task(id.as_ref(), owner))?;
        Ok(changes)
    }

    /// Puts the unfinished tasks of an owner back to pending and unowned, for others to claim: when
    /// it gives up, or is gone.
    ///
    /// # Errors
    ///
    /// [`Error::BlankOwner`].
    pub fn release(&mut self, owner: impl AsRef<str>) -> Result<Changes, Error> {
        let owner = named(owner.as_ref())?;
        let ((), changes) = self.change(Some(owner), |edit| {
            edit.release(owner);
            Ok(())
        })?;
        Ok(changes)
    }

    /// The one door that every change goes through: edit, check, tell what changed; or
    /// undo it all.
    fn change<T>(
        &mut self,
        actor: Option<&str>,
        plan: impl FnOnce(&mut Edit<'_>) -> Result<T, Error>,
    ) -> Result<(T, Changes), Error> {
        let mut edit = Edit::new(self, actor);
        match plan(&mut edit).and_then(|made| edit.settle().map(|()| made)) {
            Ok(made) => Ok((made, edit.commit())),
            Err(error) => {
                edit.undo();
                Err(error)
            }
        }
    }
}

impl TaskList {
    /// Keeps aside what left the list, takes back what came in again, and keeps the
    /// memory of used ids in step with both.
    fn retire(&mut self, facts: &Facts, deleted: bool, used: HashMap<Box<str>, u32>) {
        if !used.is_empty() {
            Arc::make_mut(&mut self.suffixes).remember(used);
        }
        if !facts.revived.is_empty() {
            let dag = &self.dag;
            Arc::make_mut(&mut self.retired).revive(|id| dag.find(id.as_str()).is_some());
        }
        if !facts.removed.is_empty() {
            let cap = self.limits.retired();
            let retired = Arc::make_mut(&mut self.retired);
            for id in retired.retire(&facts.removed, deleted, cap) {
                Arc::make_mut(&mut self.suffixes).free(&id);
            }
        }
    }
}

impl TaskList {
    fn change_run(&mut self, change: RunChange) {
        match (change, Arc::make_mut(&mut self.run)) {
            (RunChange::Began(id), run) => {
                *run = Run {
                    id: Some(id),
                    evidence: Evidence::default(),
                }
            }
            (RunChange::EvidenceLost, run) => run.evidence = Evidence::Incomplete,
            (RunChange::FilesAdded(news), run) => {
                if let Evidence::Files(files) = &mut run.evidence {
                    match files.is_empty() {
                        true => *files = news,
                        false => files.extend(news),
                    }
                }
            }
        }
    }
}

impl PartialEq for TaskList {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.dag, &other.dag) || self.dag == other.dag)
            && (Arc::ptr_eq(&self.retired, &other.retired) || self.retired == other.retired)
            && self.run == other.run
    }
}

impl Eq for TaskList {}

impl fmt::Debug for TaskList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskList")
            .field("tasks", &self.dag)
            .field("retired", &self.retired)
            .field("run", &self.run)
            .field("policy", &self.policy)
            .field("limits", &self.limits)
            .finish()
    }
}

//! What can be asked of a list: its tasks, their dependencies and states, and whether the agent may stop.
//!
//! Nothing here changes anything or decides a state; answers come from the graph's index. Tested by the reference model of
//! the state machine, and by `tests/activation.rs` and `tests/owners.rs`.

use super::retired::RetiredTask;
use super::value::TaskList;
use crate::error::{Error, Patterns};
use crate::graph::{Graph, Slot, Slots, State};
use crate::id::{Ids, TaskId};
use crate::owner;
use crate::policy::{Dependencies, InProgress, Violation};
use crate::task::{Given, Task, TaskDraft};
use indexmap::IndexMap;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Reading. Ids are looked up trimmed; an id that is not there gives `None`.
impl TaskList {
    /// How many live tasks there are.
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// Whether there is no live task.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The live task with that id.
    pub fn get(&self, id: impl AsRef<str>) -> Option<&Task> {
        let slot = self.graph.find(id.as_ref().trim())?;
        Some(self.graph.task(slot))
    }

    /// The live tasks.
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks {
            graph: &self.graph,
            slots: self.graph.slots(),
        }
    }

    /// The retired tasks that are remembered, the most recently retired first.
    pub fn retired(&self) -> impl ExactSizeIterator<Item = &RetiredTask> + DoubleEndedIterator {
        self.retired.iter().rev()
    }

    /// The tasks that the live task with that id waits for, completed ones included.
    pub fn blocked_by(&self, id: impl AsRef<str>) -> Option<Vec<&Task>> {
        let slot = self.graph.find(id.as_ref().trim())?;
        Some(self.at(self.graph.blockers(slot)).collect())
    }

    /// The tasks that wait for the live task with that id, or did until it was completed.
    pub fn blocks(&self, id: impl AsRef<str>) -> Option<Vec<&Task>> {
        let slot = self.graph.find(id.as_ref().trim())?;
        Some(self.at(self.graph.dependents(slot)).collect())
    }

    /// The state of the live task with that id, or of one that was deleted and is remembered.
    pub fn state(&self, id: impl AsRef<str>) -> Option<State> {
        let id = id.as_ref().trim();
        match self.graph.find(id) {
            Some(slot) => Some(self.graph.condition(slot).state),
            None => (self.retired.get(id))
                .filter(|task| task.deleted)
                .map(|_| State::Deleted),
        }
    }

    /// Why the live task with that id is in the state it is in.
    pub fn explain(&self, id: impl AsRef<str>) -> Option<Explanation> {
        let slot = self.graph.find(id.as_ref().trim())?;
        let (task, state) = (self.graph.task(slot), self.graph.condition(slot).state);
        // A task that was started is awake whatever it waits for; its patterns would be a wrong reason.
        let dormant = task.activation.as_ref().filter(|_| state == State::Dormant);
        Some(Explanation {
            id: task.id.clone(),
            state,
            open_blockers: self.graph.ids_of(self.graph.open_blockers(slot)),
            waits_for: dormant.map_or(Vec::new(), |activation| {
                activation.shared_patterns().to_vec()
            }),
        })
    }

    /// The run that is going on, if one was begun.
    pub fn run(&self) -> Option<&str> {
        self.run.id.as_deref()
    }

    /// The live tasks in a state; none for [`State::Deleted`]. Costs what it gives.
    pub fn in_state(&self, state: State) -> Tasks<'_> {
        Tasks {
            graph: &self.graph,
            slots: self.graph.in_state(state),
        }
    }

    /// The tasks that can be started. Costs what it gives.
    ///
    /// A list is worked off by taking the first until there is none. Dependencies have no cycles, so each gets its
    /// turn:
    ///
    /// ```
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.write([
    ///     TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
    ///     TaskDraft::new("Build").id("build"),
    /// ])?;
    /// let mut done = Vec::new();
    /// while let Some(task) = list.ready().next() {
    ///     let id = task.id.clone();
    ///     list.complete(&id)?;
    ///     done.push(id);
    /// }
    /// assert_eq!(done, ["build", "ship"]);
    /// assert!(list.can_finish());
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn ready(&self) -> Tasks<'_> {
        self.in_state(State::Ready)
    }

    /// The tasks that hold up the finish: those in progress, then those pending,
    /// each in list order. Costs what it gives.
    pub fn open_tasks(&self) -> Tasks<'_> {
        let graph = &self.graph;
        // Ready and blocked tasks are in two indexes; the finish gate shows them in one order.
        let mut pending: Vec<Slot> = (graph.in_state(State::Ready))
            .chain(graph.in_state(State::Blocked))
            .collect();
        graph.sort(&mut pending);
        let mut open: Vec<Slot> = graph.in_state(State::InProgress).collect();
        open.append(&mut pending);
        self.at(open)
    }

    /// What is left to do for an owner, for a worker of several: its own unfinished tasks that are awake, those of nobody
    /// that are in progress, and those of nobody that are ready; first what is in progress, then the rest in list order.
    /// Blocked tasks of nobody are not among them: they wait for the work of others. A blank name means everybody, so that
    /// a name that is not known opens no gate. Costs the open tasks.
    ///
    /// ```
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Build").id("build").owner("jo"))?;
    /// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
    /// assert_eq!(list.open_tasks_of("jo").next().unwrap().id, "build");
    /// assert!(list.can_finish_for("al") && !list.can_finish());
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn open_tasks_of(&self, owner: impl AsRef<str>) -> Tasks<'_> {
        let Some(owner) = owner::given(owner.as_ref()) else {
            return self.open_tasks();
        };
        let Tasks { graph, slots } = self.open_tasks();
        let is_left = |slot: &Slot| match &graph.task(*slot).owner {
            Some(other) => *other == owner,
            None => graph.condition(*slot).state != State::Blocked,
        };
        self.at(slots.filter(is_left).collect())
    }

    /// Whether an owner has nothing left to do, so that it may stop though others may not: see
    /// [`open_tasks_of`](Self::open_tasks_of).
    pub fn can_finish_for(&self, owner: impl AsRef<str>) -> bool {
        self.open_tasks_of(owner).len() == 0
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
        .map(|state| self.graph.count(state));
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
            let task = self.graph.task(slot);
            let mut draft = TaskDraft::new(&task.subject)
                .id(&task.id)
                .status(task.status)
                .blocked_by(self.graph.ids_of(self.graph.blockers(slot)));
            let fields = &mut draft.fields;
            fields.description = Given::all_of(&task.description);
            fields.active_form = Given::all_of(&task.active_form);
            fields.owner = Given::all_of(&task.owner);
            fields.activation = Given::all_of(&task.activation);
            fields.metadata = Given::all_of(&task.metadata);
            draft
        };
        self.graph.slots().map(draft).collect()
    }

    /// Where the list breaks its [`Policy`](crate::Policy), in list order: as it may after it was loaded, or
    /// after the policy was changed, for a policy judges transitions only. Costs the tasks in progress.
    ///
    /// ```
    /// use agent_tasklist::policy::{InProgress, Violation};
    /// use agent_tasklist::{Policy, Status, TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.set_policy(Policy::default().with_in_progress(InProgress::Unlimited));
    /// list.write(["A", "B"].map(|subject| TaskDraft::new(subject).status(Status::InProgress)))?;
    /// assert!(list.violations().is_empty());
    /// list.set_policy(Policy::default());
    /// assert!(matches!(&list.violations()[..], [Violation::TooManyInProgress { .. }]));
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn violations(&self) -> Vec<Violation> {
        // In the order in which owners come up, so that equal lists tell equal violations.
        let mut groups: IndexMap<Option<&Arc<str>>, Vec<TaskId>> = IndexMap::new();
        let mut waiting = Vec::new();
        for slot in self.graph.in_state(State::InProgress) {
            let task = self.graph.task(slot);
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
            if self.policy.dependencies == Dependencies::Enforce
                && self.graph.condition(slot).blocked
            {
                waiting.push(Violation::StartedEarly {
                    id: task.id.clone(),
                    open_blockers: self.graph.ids_of(self.graph.open_blockers(slot)),
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

    /// Where a live task stands, from 0.
    pub(crate) fn position(&self, id: &TaskId) -> Option<usize> {
        self.graph.position(id.as_str())
    }

    /// Those of these tasks that are live, each once, in list order.
    pub(crate) fn in_order<'i>(&self, ids: impl Iterator<Item = &'i TaskId>) -> Vec<&Task> {
        let graph = &self.graph;
        let mut slots: Vec<Slot> = ids.filter_map(|id| graph.find(id.as_str())).collect();
        graph.sort(&mut slots);
        slots.dedup();
        slots.into_iter().map(|slot| &**graph.task(slot)).collect()
    }

    pub(crate) fn unknown_task(&self, id: &str) -> Error {
        self.graph.unknown(id)
    }

    fn at(&self, slots: Vec<Slot>) -> Tasks<'_> {
        Tasks {
            graph: &self.graph,
            slots: Slots::Listed(slots.into_iter()),
        }
    }
}

/// Tasks of a list, in list order unless said otherwise. Has a name so that it can be kept in a struct, and so that the
/// list can be changed in the body of `while let Some(task) = list.ready().next()`.
#[derive(Clone)]
pub struct Tasks<'a> {
    graph: &'a Graph,
    slots: Slots<'a>,
}

impl<'a> Iterator for Tasks<'a> {
    type Item = &'a Task;

    fn next(&mut self) -> Option<&'a Task> {
        let slot = self.slots.next()?;
        Some(self.graph.task(slot))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}

impl DoubleEndedIterator for Tasks<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let slot = self.slots.next_back()?;
        Some(self.graph.task(slot))
    }
}

impl ExactSizeIterator for Tasks<'_> {}

impl fmt::Debug for Tasks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// The counts of a list, and whether the agent may finish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
/// assert_eq!(list.explain("ship").unwrap().to_string(), "ship is blocked by build");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

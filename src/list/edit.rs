//! The door, first room: what each call does to the list, journaled so that it can be undone and told.
//!
//! Which of it is allowed is for the second room, `settle`; here is refused only what cannot be done at all: an unknown
//! id, a task that waits for itself, a draft that no list can hold. Tested by `tests/state_machine.rs`.

use super::ids::IdMaker;
use super::retired::already_met;
use super::value::TaskList;
use crate::activation::{Evidence, Matcher, PathStyle};
use crate::change::{Edge, Notes};
use crate::error::{Error, KnownIds, Place};
use crate::graph::{End, Graph, Journal, Slot, State};
use crate::id::TaskId;
use crate::limit::Limit;
use crate::status::Status;
use crate::task::{Task, TaskDraft, TaskPatch};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A change under way.
///
/// A journal and not a copy of the list: a single edit costs what it touches, and what it touched is what is told of it.
pub(super) struct Edit<'a> {
    pub(super) list: &'a mut TaskList,
    /// Who acts, if the call says so.
    pub(super) actor: Option<&'a str>,
    /// How many tasks there were.
    pub(super) tasks_before: usize,
    pub(super) journal: Journal,
    pub(super) asked: Asked,
    /// What a write of the whole list did beside the journal.
    pub(super) rewrite: Option<Rewrite>,
    /// What becomes of the run, at the end.
    pub(super) run: Option<RunChange>,
    /// A task to take out at the end, when nothing can fail any more: the journal cannot bring one back.
    pub(super) doomed: Option<Slot>,
    pub(super) used_suffixes: HashMap<Box<str>, u32>,
    /// Dependencies on what is done and gone, which are not made.
    pub(super) already_met: Vec<Edge>,
}

/// What the rules need to know of a call beyond what it changed.
#[derive(Default)]
pub(super) struct Asked {
    /// The task that every edge added one by one touches.
    pub(super) linked: Option<Slot>,
    /// Tasks that the call itself says are in progress.
    pub(super) running: Vec<Slot>,
    /// Tasks whose status counts as changed even if it is what it was: other work under an old id.
    pub(super) new_work: HashSet<Slot>,
    /// Dormant tasks that the call started.
    pub(super) started_asleep: Vec<Slot>,
}

/// What a write of the whole list did beside the journal.
#[derive(Default)]
pub(super) struct Rewrite {
    /// The graph that another was put in the place of; `None` where nothing changed.
    pub(super) replaced: Option<Arc<Graph>>,
    /// Tasks that are out, in list order.
    pub(super) removed: Vec<Arc<Task>>,
    /// Edges that went with a task.
    pub(super) lost_edges: Vec<Edge>,
    pub(super) reordered: bool,
    /// How the items were understood.
    pub(super) notes: Notes,
}

impl<'a> Edit<'a> {
    pub(super) fn new(list: &'a mut TaskList, actor: Option<&'a str>) -> Self {
        Edit {
            tasks_before: list.len(),
            list,
            actor,
            journal: Journal::default(),
            asked: Asked::default(),
            rewrite: None,
            run: None,
            doomed: None,
            used_suffixes: HashMap::new(),
            already_met: Vec::new(),
        }
    }

    pub(super) fn graph(&self) -> &Graph {
        &self.list.graph
    }

    /// Puts a task in the place of the old one with its id.
    pub(super) fn set(&mut self, slot: Slot, task: Task) {
        // No journal entry for no change: facts are empty exactly when nothing changed.
        let before = self.graph().task(slot).clone();
        if *before == task {
            return;
        }
        // The same condition has the same answer, and asking compiles patterns.
        let asleep = match before.activation == task.activation {
            true => self.graph().is_asleep(slot),
            false => self.is_asleep(&task),
        };
        if starts_asleep(&task, asleep, before.started) {
            self.asked.started_asleep.push(slot);
        }
        let graph = Arc::make_mut(&mut self.list.graph);
        graph.set(slot, Arc::new(task), asleep, &mut self.journal);
    }

    /// Whether the activation of a task is not met by what the run has.
    fn is_asleep(&mut self, task: &Task) -> bool {
        let TaskList { run, matcher, .. } = &mut *self.list;
        let activation = std::iter::once(task.activation.as_ref());
        Matcher::unmet(matcher, activation, &run.evidence) == [true]
    }

    fn push(&mut self, task: Task, started_before: bool) -> Result<Slot, Error> {
        let asleep = self.is_asleep(&task);
        let starts_asleep = starts_asleep(&task, asleep, started_before);
        let graph = Arc::make_mut(&mut self.list.graph);
        let pushed = graph.push(Arc::new(task), asleep, &mut self.journal);
        let slot = pushed.map_err(|task| taken(&task, false))?;
        if starts_asleep {
            self.asked.started_asleep.push(slot);
        }
        Ok(slot)
    }

    pub(super) fn create(&mut self, draft: &TaskDraft) -> Result<TaskId, Error> {
        check_draft(0, draft)?;
        let subject = draft.fields.subject.clone();
        let subject = subject.ok_or(Error::MissingSubject { item: 0 })?;
        let id = match &draft.id {
            Some(id) => self.free_id(id)?,
            None => {
                let list = &self.list;
                let mut ids = IdMaker::for_one(&list.graph, &list.retired, &list.suffixes);
                let id = ids.make(&subject, 1);
                self.used_suffixes = ids.used;
                id
            }
        };
        let blockers = self.blockers(&id, draft.fields.blocked_by.as_deref())?;
        let blocked = self.others(&id, draft.fields.blocks.as_deref())?;
        let slot = self.push(draft.fields.alone(id.clone(), subject), false)?;
        if draft.fields.status == Some(Status::InProgress) {
            self.asked.running.push(slot);
        }
        self.link(slot, End::Dependent, blockers.unwrap_or_default());
        self.link(slot, End::Blocker, blocked.unwrap_or_default());
        Ok(id)
    }

    fn free_id(&self, id: &str) -> Result<TaskId, Error> {
        let live = self.graph().find(id).map(|slot| self.graph().task(slot));
        let retired = || self.list.retired.get(id).map(|retired| &retired.task);
        match live.or_else(retired) {
            None => Ok(TaskId::new(id)?),
            Some(task) => Err(taken(task, live.is_none())),
        }
    }

    pub(super) fn update(&mut self, id: &str, patch: &TaskPatch) -> Result<(), Error> {
        let slot = self.graph().named(id)?;
        // The rest of the patch would be lost with the task.
        if patch.fields.status == Some(Status::Deleted) {
            self.doomed = Some(slot);
            return Ok(());
        }
        let id = &self.graph().task(slot).id;
        (patch.fields.check()).map_err(|error| error.at(Place::Task(id.clone())))?;
        if patch.fields.status == Some(Status::InProgress) {
            self.asked.running.push(slot);
        }
        let id = self.graph().task(slot).id.clone();
        // All ends are looked up before the first change: an unknown id must not leave half of a patch to undo.
        let set_blockers = self.blockers(&id, patch.fields.blocked_by.as_deref())?;
        let set_blocked = self.others(&id, patch.fields.blocks.as_deref())?;
        let new_blockers = self.blockers(&id, Some(&patch.add_blocked_by))?;
        let new_blocked = self.others(&id, Some(&patch.add_blocks))?;
        let old_blockers = self.find_all(&patch.remove_blocked_by)?;
        let old_blocked = self.find_all(&patch.remove_blocks)?;

        self.set(slot, patch.fields.over(self.graph().task(slot)));
        self.set_edges(slot, End::Dependent, set_blockers);
        self.set_edges(slot, End::Blocker, set_blocked);
        self.link(slot, End::Dependent, new_blockers.unwrap_or_default());
        self.link(slot, End::Blocker, new_blocked.unwrap_or_default());
        self.unlink(slot, End::Dependent, old_blockers);
        self.unlink(slot, End::Blocker, old_blocked);
        Ok(())
    }

    pub(super) fn restore(&mut self, id: &str) -> Result<(), Error> {
        if let Some(slot) = self.graph().find(id) {
            return Err(taken(self.graph().task(slot), false));
        }
        let retired = &self.list.retired;
        let Some(task) = retired.get(id).map(|retired| &retired.task) else {
            return Err(Error::NotRetired {
                id: id.into(),
                known: KnownIds::new(retired.iter().rev().map(|retired| &retired.task.id)),
            });
        };
        // Whatever it was: to restore is to take the work up again.
        let task = task.with_status(Status::Pending);
        let started = task.started;
        self.push(task, started).map(|_| ())
    }

    /// Starts a task for an owner, of those that `claim` may give.
    pub(super) fn claim(&mut self, owner: &Arc<str>) -> Result<Option<TaskId>, Error> {
        let graph = self.graph();
        let owned_by =
            |slot: &Slot, owner: Option<&str>| graph.task(*slot).owner.as_deref() == owner;
        // A worker that lost the reply to its claim asks again, and gets the same task.
        if let Some(slot) = graph
            .in_state(State::InProgress)
            .find(|slot| owned_by(slot, Some(owner)))
        {
            return Ok(Some(graph.task(slot).id.clone()));
        }
        let ready = |owner| {
            graph
                .in_state(State::Ready)
                .find(|slot| owned_by(slot, owner))
        };
        // What was given to it by name goes before what anybody could take.
        match ready(Some(owner)).or_else(|| ready(None)) {
            None => Ok(None),
            Some(slot) => Ok(Some(self.start_for(slot, owner))),
        }
    }

    /// Starts that task for an owner.
    pub(super) fn claim_task(&mut self, id: &str, owner: &Arc<str>) -> Result<(), Error> {
        let slot = self.graph().named(id)?;
        let task = self.graph().task(slot);
        if task.status == Status::Completed {
            return Err(Error::Completed {
                id: task.id.clone(),
            });
        }
        if let Some(other) = task.owner.as_ref().filter(|other| *other != owner) {
            return Err(Error::OwnedByOther {
                id: task.id.clone(),
                owner: other.clone(),
            });
        }
        self.start_for(slot, owner);
        Ok(())
    }

    fn start_for(&mut self, slot: Slot, owner: &Arc<str>) -> TaskId {
        let task = self.graph().task(slot);
        let id = task.id.clone();
        let mut task = task.with_status(Status::InProgress);
        task.owner = Some(owner.clone());
        self.asked.running.push(slot);
        self.set(slot, task);
        id
    }

    /// Puts the unfinished tasks of an owner back to pending and unowned.
    pub(super) fn release(&mut self, owner: &str) {
        let graph = self.graph();
        let held = |slot: &Slot| {
            let task = graph.task(*slot);
            task.owner.as_deref() == Some(owner) && task.status != Status::Completed
        };
        let held: Vec<Slot> = graph.slots().filter(held).collect();
        for slot in held {
            let mut task = self.graph().task(slot).with_status(Status::Pending);
            task.owner = None;
            self.set(slot, task);
        }
    }

    pub(super) fn files_modified<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p str>,
        style: &PathStyle,
    ) -> Result<(), Error> {
        let limits = &self.list.policy.limits;
        // Only news is judged. What the run had already has woken whatever it matches.
        let news = self.list.run.evidence.news(paths, style, limits)?;
        let Evidence::Files(files) = &self.list.run.evidence else {
            return Ok(());
        };
        if news.is_empty() {
            return Ok(());
        }
        // Too many: none are kept, since a part of them would say that the others were not modified.
        let (change, evidence) = match files.len() + news.len() > limits.get(Limit::Evidence) {
            true => (RunChange::EvidenceLost, Evidence::Incomplete),
            false => (RunChange::FilesAdded(news.clone()), Evidence::Files(news)),
        };
        self.run = Some(change);
        let dormant: Vec<Slot> = self.graph().in_state(State::Dormant).collect();
        self.judge(&dormant, &evidence);
        Ok(())
    }

    pub(super) fn begin_run(&mut self, id: &str) -> Result<(), Error> {
        let id = TaskId::new(id)?;
        if self.list.run() == Some(id.as_str()) {
            return Ok(());
        }
        self.run = Some(RunChange::Began(id.as_str().into()));
        // A task that was ever started stays awake in every later run.
        let conditional = |&slot: &Slot| {
            let task = self.graph().task(slot);
            task.activation.is_some() && !task.started
        };
        let conditional: Vec<Slot> = self.graph().slots().filter(conditional).collect();
        self.judge(&conditional, &Evidence::default());
        Ok(())
    }

    /// Puts tasks to sleep or wakes them, by this evidence alone.
    fn judge(&mut self, slots: &[Slot], evidence: &Evidence) {
        let TaskList { graph, matcher, .. } = &mut *self.list;
        let activations = (slots.iter()).map(|&slot| graph.task(slot).activation.as_ref());
        let unmet = Matcher::unmet(matcher, activations, evidence);
        for (&slot, asleep) in slots.iter().zip(unmet) {
            if graph.is_asleep(slot) != asleep {
                let task = graph.task(slot).clone();
                Arc::make_mut(graph).set(slot, task, asleep, &mut self.journal);
            }
        }
    }

    fn find_all(&self, ids: &[Arc<str>]) -> Result<Vec<Slot>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        ids.iter().map(|id| self.graph().named(id)).collect()
    }

    /// The tasks that one is to wait for, if they are given. What was completed before it left the list is waited for no
    /// longer.
    fn blockers(
        &mut self,
        own: &TaskId,
        ids: Option<&[Arc<str>]>,
    ) -> Result<Option<Vec<Slot>>, Error> {
        let Some(ids) = ids else {
            return Ok(None);
        };
        let mut blockers = Vec::with_capacity(ids.len());
        for id in ids {
            if *own == **id {
                return Err(Error::SelfDependency { id: own.clone() });
            }
            match self.graph().find(id) {
                Some(slot) => blockers.push(slot),
                None => match self.list.retired.get(id) {
                    Some(gone) => self.already_met.push(already_met(own, &gone.task)?),
                    None => return Err(self.graph().unknown(id)),
                },
            }
        }
        Ok(Some(blockers))
    }

    /// The tasks that one is to have edges with, if they are given; not itself.
    fn others(&self, own: &TaskId, ids: Option<&[Arc<str>]>) -> Result<Option<Vec<Slot>>, Error> {
        let Some(ids) = ids else {
            return Ok(None);
        };
        match ids.iter().any(|id| *own == **id) {
            true => Err(Error::SelfDependency { id: own.clone() }),
            false => self.find_all(ids).map(Some),
        }
    }

    /// Makes the tasks at the other ends of one task's edges exactly these, if they are given.
    fn set_edges(&mut self, slot: Slot, end: End, others: Option<Vec<Slot>>) {
        let Some(others) = others else {
            return;
        };
        let stay: HashSet<Slot> = others.iter().copied().collect();
        // What stays is not taken out and put back: facts would tell an edge that never was gone.
        let mut gone = self.graph().others(slot, end);
        gone.retain(|other| !stay.contains(other));
        self.unlink(slot, end, gone);
        self.link(slot, end, others);
    }

    fn link(&mut self, slot: Slot, end: End, others: Vec<Slot>) {
        for link in others.into_iter().map(|other| end.link(slot, other)) {
            if !self.graph().is_linked(link) {
                self.asked.linked = Some(slot);
                Arc::make_mut(&mut self.list.graph).link(link, &mut self.journal);
            }
        }
    }

    fn unlink(&mut self, slot: Slot, end: End, mut gone: Vec<Slot>) {
        gone.retain(|&other| self.graph().is_linked(end.link(slot, other)));
        if !gone.is_empty() {
            let gone: HashSet<Slot> = gone.into_iter().collect();
            Arc::make_mut(&mut self.list.graph).unlink(slot, end, &gone, &mut self.journal);
        }
    }

    /// Refuses more tasks than the limits allow, unless there were as many before.
    pub(super) fn check_count(&self, tasks: usize) -> Result<(), Error> {
        match tasks > self.tasks_before {
            true => Ok(self.list.policy.limits.check(Limit::Tasks, tasks)?),
            false => Ok(()),
        }
    }

    /// Puts the list back to what it was.
    pub(super) fn undo(self) {
        match self.rewrite.and_then(|rewrite| rewrite.replaced) {
            Some(old) => self.list.graph = old,
            None if self.journal.is_empty() => {}
            None => Arc::make_mut(&mut self.list.graph).undo(self.journal),
        }
    }
}

/// The id of a task is not free.
pub(super) fn taken(task: &Task, retired: bool) -> Error {
    Error::IdTaken {
        id: task.id.clone(),
        subject: task.subject.clone(),
        retired,
    }
}

/// What a call makes of the run.
pub(super) enum RunChange {
    Began(Arc<str>),
    FilesAdded(BTreeSet<Arc<str>>),
    EvidenceLost,
}

pub(super) fn edge(graph: &Graph, blocked: Slot, blocker: Slot) -> Edge {
    Edge {
        blocked: graph.task(blocked).id.clone(),
        blocker: graph.task(blocker).id.clone(),
    }
}

/// The owner of an unfinished task that is not the one who acts. Others' work is not to be touched.
pub(super) fn is_of_another<'t>(task: &'t Task, actor: &str) -> Option<&'t Arc<str>> {
    let owner = task.owner.as_ref().filter(|owner| ***owner != *actor)?;
    (task.status != Status::Completed).then_some(owner)
}

/// Whether a task is started that was never awake.
pub(super) fn starts_asleep(task: &Task, asleep: bool, started_before: bool) -> bool {
    asleep && !started_before && task.status == Status::InProgress
}

pub(super) fn check_draft(item: usize, draft: &TaskDraft) -> Result<(), Error> {
    match draft.fields.status {
        Some(status @ Status::Deleted) => Err(Error::StatusNotAllowed { item, status }),
        _ => (draft.fields.check()).map_err(|error| error.at(Place::Item(item))),
    }
}

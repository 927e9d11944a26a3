//! One change: what each call does to the list, what holds for all, what is told of it.

use super::{TaskList, cycle_error, find, ids_at};
use crate::activation::{Evidence, Matcher};
use crate::change::{
    Changes, Demoted, Demotion, DuplicateId, Edge, Edited, Effects, Facts, Notes, Rebound,
};
use crate::dag::{Before, Condition, Dag, End, Journal, Link, Slot};
use crate::error::{Error, KnownIds, Limit};
use crate::id::TaskId;
use crate::policy::{Blocked, Excess, InProgress};
use crate::reconcile::IdMaker;
use crate::state::State;
use crate::task::{Status, Task, TaskDraft, TaskPatch};
use indexmap::IndexMap;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A change under way.
pub(super) struct Edit<'a> {
    pub(super) list: &'a mut TaskList,
    /// Who acts, if the call says so.
    actor: Option<&'a str>,
    /// Whether the call writes the whole list.
    pub(super) is_write: bool,
    /// How many tasks there were.
    tasks_before: usize,
    pub(super) journal: Journal,
    /// The graph that a write put another in the place of.
    pub(super) replaced: Option<Arc<Dag>>,
    /// What becomes of the run, at the end.
    pub(super) run: Option<RunChange>,
    /// Dormant tasks that the call started.
    pub(super) started_asleep: Vec<Slot>,
    /// Tasks to take out at the end, when nothing can fail any more.
    pub(super) doomed: Option<Slot>,
    /// Tasks that are out, in list order.
    pub(super) removed: Vec<Arc<Task>>,
    /// Edges that went with a task.
    pub(super) lost_edges: Vec<Edge>,
    pub(super) reordered: bool,
    /// The task that every edge added one by one touches.
    pub(super) linked: Option<Slot>,
    /// Tasks that the call itself says are in progress.
    pub(super) named_running: Vec<Slot>,
    /// Tasks whose status counts as changed even if it is what it was.
    pub(super) new_work: HashSet<Slot>,
    pub(super) demoted: Vec<(Slot, Demotion)>,
    pub(super) rebound: Vec<Rebound>,
    pub(super) duplicate_ids: Vec<DuplicateId>,
    pub(super) unfinished_kept: Vec<TaskId>,
    /// Tasks that wait, and that the policy lets be in progress or completed.
    advised: Vec<Slot>,
    pub(super) suffixes: HashMap<Box<str>, u32>,
}

/// What a call may do.
impl<'a> Edit<'a> {
    pub(super) fn new(list: &'a mut TaskList, actor: Option<&'a str>) -> Self {
        Edit {
            tasks_before: list.len(),
            list,
            actor,
            is_write: false,
            journal: Journal::default(),
            replaced: None,
            run: None,
            started_asleep: Vec::new(),
            doomed: None,
            removed: Vec::new(),
            lost_edges: Vec::new(),
            reordered: false,
            linked: None,
            named_running: Vec::new(),
            new_work: HashSet::new(),
            demoted: Vec::new(),
            rebound: Vec::new(),
            duplicate_ids: Vec::new(),
            unfinished_kept: Vec::new(),
            advised: Vec::new(),
            suffixes: HashMap::new(),
        }
    }

    fn dag(&self) -> &Dag {
        &self.list.dag
    }

    fn set(&mut self, slot: Slot, task: Task) {
        let before = self.dag().task(slot).clone();
        if *before == task {
            return;
        }
        let asleep = match before.activation == task.activation {
            true => self.dag().is_asleep(slot),
            false => self.is_asleep(&task),
        };
        if starts_asleep(&task, asleep, before.started) {
            self.started_asleep.push(slot);
        }
        let dag = Arc::make_mut(&mut self.list.dag);
        dag.set(slot, Arc::new(task), asleep, &mut self.journal);
    }

    /// Whether the activation of a task is not met by what the run has.
    fn is_asleep(&mut self, task: &Task) -> bool {
        let TaskList { run, matcher, .. } = &mut *self.list;
        Matcher::unmet(matcher, std::iter::once(task), &run.evidence) == [true]
    }

    fn push(&mut self, task: Task, started_before: bool) -> Result<Slot, Error> {
        let asleep = self.is_asleep(&task);
        let starts_asleep = starts_asleep(&task, asleep, started_before);
        let dag = Arc::make_mut(&mut self.list.dag);
        let slot = (dag.push(Arc::new(task), asleep, &mut self.journal)).map_err(|task| {
            Error::DuplicateId {
                id: task.id.clone(),
            }
        })?;
        if starts_asleep {
            self.started_asleep.push(slot);
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
                let mut ids = IdMaker::for_one(&list.dag, &list.retired, &list.suffixes);
                let id = ids.make(&subject, 1);
                self.suffixes = ids.used;
                id
            }
        };
        let blockers = self.others(&id, draft.fields.blocked_by.as_deref())?;
        let blocked = self.others(&id, draft.fields.blocks.as_deref())?;
        let slot = self.push(draft.fields.alone(id.clone(), subject), false)?;
        if draft.fields.status == Some(Status::InProgress) {
            self.named_running.push(slot);
        }
        self.link(slot, End::Blocked, blockers.unwrap_or_default());
        self.link(slot, End::Blocker, blocked.unwrap_or_default());
        Ok(id)
    }

    fn free_id(&self, id: &str) -> Result<TaskId, Error> {
        let live = self.dag().find(id).map(|slot| self.dag().task(slot));
        let retired = || self.list.retired.get(id).map(|retired| &retired.task);
        match live.or_else(retired) {
            None => TaskId::new(id),
            Some(task) => Err(Error::IdTaken {
                id: task.id.clone(),
                subject: task.subject.clone(),
                retired: live.is_none(),
            }),
        }
    }

    pub(super) fn update(&mut self, id: &str, patch: &TaskPatch) -> Result<(), Error> {
        let slot = find(self.dag(), id)?;
        if patch.fields.status == Some(Status::Deleted) {
            self.doomed = Some(slot);
            return Ok(());
        }
        let id = &self.dag().task(slot).id;
        (patch.fields.check()).map_err(|error| error.at_task(id))?;
        if patch.fields.status == Some(Status::InProgress) {
            self.named_running.push(slot);
        }
        let id = self.dag().task(slot).id.clone();
        let set_blockers = self.others(&id, patch.fields.blocked_by.as_deref())?;
        let set_blocked = self.others(&id, patch.fields.blocks.as_deref())?;
        let new_blockers = self.others(&id, Some(&patch.add_blocked_by))?;
        let new_blocked = self.others(&id, Some(&patch.add_blocks))?;
        let old_blockers = self.find_all(&patch.remove_blocked_by)?;
        let old_blocked = self.find_all(&patch.remove_blocks)?;

        self.set(slot, patch.fields.over(self.dag().task(slot)));
        self.set_edges(slot, End::Blocked, set_blockers);
        self.set_edges(slot, End::Blocker, set_blocked);
        self.link(slot, End::Blocked, new_blockers.unwrap_or_default());
        self.link(slot, End::Blocker, new_blocked.unwrap_or_default());
        self.unlink(slot, End::Blocked, old_blockers);
        self.unlink(slot, End::Blocker, old_blocked);
        Ok(())
    }

    pub(super) fn restore(&mut self, id: &str) -> Result<(), Error> {
        if let Some(slot) = self.dag().find(id) {
            let task = self.dag().task(slot);
            return Err(Error::IdTaken {
                id: task.id.clone(),
                subject: task.subject.clone(),
                retired: false,
            });
        }
        let retired = &self.list.retired;
        let Some(task) = retired.get(id).map(|retired| &retired.task) else {
            return Err(Error::NotRetired {
                id: id.into(),
                known: KnownIds::new(retired.iter().rev().map(|retired| &retired.task.id)),
            });
        };
        let task = task.with_status(Status::Pending);
        let started = task.started;
        self.push(task, started).map(|_| ())
    }

    /// Starts a task for an owner, of those that `claim` may give.
    pub(super) fn claim(&mut self, owner: &str) -> Result<Option<TaskId>, Error> {
        let dag = self.dag();
        let owned_by = |slot: &Slot, owner: Option<&str>| dag.task(*slot).owner.as_deref() == owner;
        if let Some(slot) = dag
            .in_state(State::InProgress)
            .find(|slot| owned_by(slot, Some(owner)))
        {
            return Ok(Some(dag.task(slot).id.clone()));
        }
        let ready = |owner| {
            dag.in_state(State::Ready)
                .find(|slot| owned_by(slot, owner))
        };
        match ready(Some(owner)).or_else(|| ready(None)) {
            None => Ok(None),
            Some(slot) => Ok(Some(self.start_for(slot, owner))),
        }
    }

    /// Starts that task for an owner.
    pub(super) fn claim_task(&mut self, id: &str, owner: &str) -> Result<(), Error> {
        let slot = find(self.dag(), id)?;
        let task = self.dag().task(slot);
        if task.status == Status::Completed {
            return Err(Error::Completed {
                id: task.id.clone(),
            });
        }
        if let Some(other) = task.owner.as_ref().filter(|other| ***other != *owner) {
            return Err(Error::OwnedByOther {
                id: task.id.clone(),
                owner: other.clone(),
            });
        }
        self.start_for(slot, owner);
        Ok(())
    }

    fn start_for(&mut self, slot: Slot, owner: &str) -> TaskId {
        let task = self.dag().task(slot);
        let id = task.id.clone();
        let mut task = task.with_status(Status::InProgress);
        task.owner = Some(owner.into());
        self.named_running.push(slot);
        self.set(slot, task);
        id
    }

    /// Puts the unfinished tasks of an owner back to pending and unowned.
    pub(super) fn release(&mut self, owner: &str) {
        let dag = self.dag();
        let held = |slot: &Slot| {
            let task = dag.task(*slot);
            task.owner.as_deref() == Some(owner) && task.status != Status::Completed
        };
        let held: Vec<Slot> = dag.slots().filter(held).collect();
        for slot in held {
            let mut task = self.dag().task(slot).with_status(Status::Pending);
            task.owner = None;
            self.set(slot, task);
        }
    }

    pub(super) fn files_modified<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<(), Error> {
        let news = self.list.run.evidence.news(paths, &self.list.limits)?;
        let Evidence::Files(files) = &self.list.run.evidence else {
            return Ok(());
        };
        if news.is_empty() {
            return Ok(());
        }
        let (change, evidence) = match files.len() + news.len() > self.list.limits.evidence() {
            true => (RunChange::EvidenceLost, Evidence::Incomplete),
            false => (RunChange::FilesAdded(news.clone()), Evidence::Files(news)),
        };
        self.run = Some(change);
        let dormant: Vec<Slot> = self.dag().in_state(State::Dormant).collect();
        self.judge(&dormant, &evidence);
        Ok(())
    }

    pub(super) fn begin_run(&mut self, id: &str) -> Result<(), Error> {
        let id = TaskId::new(id)?;
        if self.list.run() == Some(id.as_str()) {
            return Ok(());
        }
        self.run = Some(RunChange::Began(id.as_str().into()));
        let conditional = |&slot: &Slot| {
            let task = self.dag().task(slot);
            task.activation.is_some() && !task.started
        };
        let conditional: Vec<Slot> = self.dag().slots().filter(conditional).collect();
        self.judge(&conditional, &Evidence::default());
        Ok(())
    }

    /// Puts tasks to sleep or wakes them, by this evidence alone.
    fn judge(&mut self, slots: &[Slot], evidence: &Evidence) {
        let TaskList { dag, matcher, .. } = &mut *self.list;
        let tasks = slots.iter().map(|&slot| &**dag.task(slot));
        let unmet = Matcher::unmet(matcher, tasks, evidence);
        for (&slot, asleep) in slots.iter().zip(unmet) {
            if dag.is_asleep(slot) != asleep {
                let task = dag.task(slot).clone();
                Arc::make_mut(dag).set(slot, task, asleep, &mut self.journal);
            }
        }
    }

    fn find_all(&self, ids: &[Arc<str>]) -> Result<Vec<Slot>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        ids.iter().map(|id| find(self.dag(), id)).collect()
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
        let mut gone = self.dag().others(slot, end);
        gone.retain(|other| !stay.contains(other));
        self.unlink(slot, end, gone);
        self.link(slot, end, others);
    }

    fn link(&mut self, slot: Slot, end: End, others: Vec<Slot>) {
        for link in others.into_iter().map(|other| end.link(slot, other)) {
            if !self.dag().is_linked(link) {
                self.linked = Some(slot);
                Arc::make_mut(&mut self.list.dag).link(link, &mut self.journal);
            }
        }
    }

    fn unlink(&mut self, slot: Slot, end: End, mut gone: Vec<Slot>) {
        gone.retain(|&other| self.dag().is_linked(end.link(slot, other)));
        if !gone.is_empty() {
            let gone: HashSet<Slot> = gone.into_iter().collect();
            Arc::make_mut(&mut self.list.dag).unlink(slot, end, &gone, &mut self.journal);
        }
    }
}

/// The tasks in progress of those of which one may be, in list order.
#[derive(Default)]
struct Running {
    all: Vec<Slot>,
    /// Those that the call started.
    started: Vec<Slot>,
    /// Those that it says are in progress.
    named: Vec<Slot>,
}

impl Running {
    /// The one that stays in progress: the last that the call names, if it starts any of those, else the
    /// first that was in progress before, else the last.
    fn stays(&self) -> Slot {
        let names_a_start = self.named.iter().any(|slot| self.started.contains(slot));
        let named = self.named.last().filter(|_| names_a_start);
        let kept = || self.all.iter().find(|slot| !self.started.contains(slot));
        *named.or_else(kept).unwrap_or(&self.all[self.all.len() - 1])
    }
}

/// What a call makes of the run.
pub(super) enum RunChange {
    Began(Arc<str>),
    FilesAdded(BTreeSet<Arc<str>>),
    EvidenceLost,
}

/// Whether a task is started that was never awake.
pub(super) fn starts_asleep(task: &Task, asleep: bool, started_before: bool) -> bool {
    asleep && !started_before && task.status == Status::InProgress
}

pub(super) fn edge(dag: &Dag, blocked: Slot, blocker: Slot) -> Edge {
    Edge {
        blocked: dag.task(blocked).id.clone(),
        blocker: dag.task(blocker).id.clone(),
    }
}

pub(super) fn check_draft(item: usize, draft: &TaskDraft) -> Result<(), Error> {
    match draft.fields.status {
        Some(status @ Status::Deleted) => Err(Error::StatusNotAllowed { item, status }),
        _ => (draft.fields.check()).map_err(|error| error.at_item(item)),
    }
}

/// What holds for every call.
impl Edit<'_> {
    /// Checks the edited list, and puts back to pending what has to yield.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        self.check_count(self.dag().len())?;
        self.check_sizes()?;
        let cycle = self.linked.and_then(|slot| self.dag().cycle_through(slot));
        if let Some(cycle) = cycle {
            return Err(cycle_error(self.dag(), cycle));
        }
        let moved = self.moved();
        let yielding = self.yielding(&moved)?;
        self.judge_waiting(&moved)?;
        for (slot, to) in yielding {
            self.demote(slot, Demotion::Yielded { to });
        }
        self.judge_made_to_wait();
        self.refuse_others_tasks()
    }

    /// Refuses more tasks than the limits allow, unless there were as many before.
    pub(super) fn check_count(&self, tasks: usize) -> Result<(), Error> {
        match tasks > self.tasks_before {
            true => Limit::Tasks.check(self.list.limits.tasks(), tasks),
            false => Ok(()),
        }
    }

    /// Refuses a task that the call made larger than the limits allow.
    fn check_sizes(&self) -> Result<(), Error> {
        let limits = &self.list.limits;
        for (slot, before) in &self.journal.set {
            let task = self.dag().task(*slot);
            let before = before.as_ref().map(|before| &*before.task);
            let Err(error) = task.check(before, limits) else {
                continue;
            };
            let retired = self.list.retired.get(task.id.as_str());
            let came_back = retired.filter(|_| before.is_none());
            if came_back.is_some_and(|old| task.check(Some(&old.task), limits).is_ok()) {
                continue;
            }
            return Err(match before {
                _ if self.is_write => error.at_item(self.dag().place(*slot)),
                None => error.at_item(0),
                Some(_) => error.at_task(&task.id),
            });
        }
        Ok(())
    }

    /// The tasks whose status the call changed to in progress or completed, in list order.
    fn moved(&self) -> Vec<Slot> {
        let moved = |(slot, before): &(Slot, Option<Before>)| {
            let now = self.dag().task(*slot).status;
            let before = before.as_ref().map(|before| before.task.status);
            now != Status::Pending && (before != Some(now) || self.new_work.contains(slot))
        };
        let mut slots: Vec<Slot> = (self.journal.set.iter())
            .filter(|entry| moved(entry))
            .map(|&(slot, _)| slot)
            .collect();
        self.dag().sort(&mut slots);
        slots
    }

    /// The tasks that yield to one that the call starts, and that one, where only one may be in
    /// progress. Two that the call names are refused.
    fn yielding(&self, moved: &[Slot]) -> Result<Vec<(Slot, TaskId)>, Error> {
        let dag = self.dag();
        let policy = self.list.policy();
        let one_each = policy.in_progress == InProgress::PerOwner;
        let group = |slot: Slot| dag.task(slot).owner.clone().filter(|_| one_each);
        if policy.in_progress == InProgress::Unlimited || dag.count(State::InProgress) < 2 {
            return Ok(Vec::new());
        }
        let mut started: HashSet<Slot> = moved.iter().copied().collect();
        if one_each {
            started.extend(self.given_to_others());
        }
        let mut groups: IndexMap<Option<Arc<str>>, Running> = IndexMap::new();
        for slot in dag.in_state(State::InProgress) {
            let running = groups.entry(group(slot)).or_default();
            running.all.push(slot);
            running
                .started
                .extend(started.contains(&slot).then_some(slot));
        }
        for &slot in &self.named_running {
            groups.entry(group(slot)).or_default().named.push(slot);
        }
        let mut yielding = Vec::new();
        for running in groups
            .into_values()
            .filter(|running| !running.started.is_empty())
        {
            let names_a_start = running
                .named
                .iter()
                .any(|slot| running.started.contains(slot));
            if running.named.len() > 1 && names_a_start && policy.excess == Excess::Refuse {
                return Err(Error::TooManyInProgress {
                    ids: ids_at(dag, running.named),
                    limit: 1,
                    per_owner: one_each,
                });
            }
            let stays = running.stays();
            let to = &dag.task(stays).id;
            // A task that the call starts without naming a status yields to one that was running.
            let yields = match names_a_start || running.started.contains(&stays) {
                true => running.all,
                false => running.started,
            };
            let yields = yields.into_iter().filter(|&slot| slot != stays);
            yielding.extend(yields.map(|slot| (slot, to.clone())));
        }
        Ok(yielding)
    }

    /// The tasks whose owner the call changed.
    fn given_to_others(&self) -> impl Iterator<Item = Slot> + '_ {
        let changed = |(slot, before): &(Slot, Option<Before>)| {
            let before = &before.as_ref()?.task;
            (before.owner != self.dag().task(*slot).owner).then_some(*slot)
        };
        self.journal.set.iter().filter_map(changed)
    }

    /// Refuses, or notes, that a task which waits was started or completed.
    fn judge_waiting(&mut self, moved: &[Slot]) -> Result<(), Error> {
        let policy = self.list.policy().blocked;
        let started_asleep: HashSet<Slot> = self.started_asleep.iter().copied().collect();
        for &slot in moved {
            let (task, blocked) = (self.dag().task(slot), self.dag().condition(slot).blocked);
            let asleep = started_asleep.contains(&slot);
            match policy {
                Blocked::Advise => self.advised.extend((blocked || asleep).then_some(slot)),
                Blocked::Enforce if asleep => {
                    let activation = task.activation.as_ref();
                    let patterns = activation.map_or(&[][..], |a| a.shared_patterns());
                    return Err(Error::Dormant {
                        id: task.id.clone(),
                        patterns: patterns.to_vec(),
                    });
                }
                Blocked::Enforce if blocked => {
                    return Err(Error::Blocked {
                        id: task.id.clone(),
                        status: task.status,
                        open_blockers: ids_at(self.dag(), self.dag().open_blockers(slot)),
                    });
                }
                Blocked::Enforce => {}
            }
        }
        Ok(())
    }

    /// Puts back to pending, or notes, what was running and is made to wait by this call.
    fn judge_made_to_wait(&mut self) {
        let mut seen = HashSet::new();
        let waits = |&(slot, before): &(Slot, Condition)| {
            let now = self.dag().condition(slot);
            let is_new = !before.blocked && now.blocked && now.state == State::InProgress;
            (seen.insert(slot) && is_new).then_some(slot)
        };
        let waiting: Vec<Slot> = self.journal.conditions.iter().filter_map(waits).collect();
        for slot in waiting {
            match self.list.policy().blocked {
                Blocked::Advise => self.advised.push(slot),
                Blocked::Enforce => {
                    let by = ids_at(self.dag(), self.dag().open_blockers(slot));
                    self.demote(slot, Demotion::Blocked { by });
                }
            }
        }
    }

    /// Where the call says who acts: leaves the unfinished tasks of others as they are.
    fn refuse_others_tasks(&self) -> Result<(), Error> {
        let Some(actor) = self.actor else {
            return Ok(());
        };
        let others = |task: &Arc<Task>| {
            let owner = task.owner.as_ref().filter(|owner| ***owner != *actor)?;
            (task.status != Status::Completed).then(|| Error::OwnedByOther {
                id: task.id.clone(),
                owner: owner.clone(),
            })
        };
        let dag = self.dag();
        let mut set: IndexMap<Slot, Option<&Arc<Task>>> = IndexMap::new();
        for (slot, before) in &self.journal.set {
            let before = before.as_ref().map(|before| &before.task);
            set.entry(*slot).or_insert(before);
        }
        // A task as it was before the call, if it was there.
        let before = |slot: Slot| match set.get(&slot) {
            Some(before) => *before,
            None => Some(dag.task(slot)),
        };
        let edited = set
            .iter()
            .filter_map(|(&slot, before)| before.filter(|b| *b != dag.task(slot)));
        let linked = net_edges(&self.journal, dag).into_iter();
        let linked = linked.filter_map(|(link, _)| before(link.blocked));
        let doomed = self.doomed.iter().filter_map(|&slot| before(slot));
        let touched = edited.chain(linked).chain(doomed).chain(&self.removed);
        touched.filter_map(others).next().map_or(Ok(()), Err)
    }

    fn demote(&mut self, slot: Slot, cause: Demotion) {
        self.set(slot, self.dag().task(slot).with_status(Status::Pending));
        self.demoted.push((slot, cause));
    }

    pub(super) fn undo(self) {
        match self.replaced {
            Some(old) => self.list.dag = old,
            None if self.journal.is_empty() => {}
            None => Arc::make_mut(&mut self.list.dag).undo(self.journal),
        }
    }

    /// Retires what left, and tells what changed. Nothing fails from here on.
    pub(super) fn commit(&mut self) -> Changes {
        let written = self.is_write;
        if let Some(slot) = self.doomed {
            self.remove(slot);
        }
        // Before the facts, which take the journal apart.
        let effects = self.effects();
        let facts = self.facts();
        let mut advised = std::mem::take(&mut self.advised);
        self.list.dag.sort(&mut advised);
        advised.dedup();
        let unfinished = |task: &&Arc<Task>| written && task.status != Status::Completed;
        let notes = Notes {
            rebound: std::mem::take(&mut self.rebound),
            duplicate_ids: std::mem::take(&mut self.duplicate_ids),
            unfinished_kept: std::mem::take(&mut self.unfinished_kept),
            advised: ids_at(&self.list.dag, advised),
            unfinished_removed: (facts.removed.iter().filter(unfinished))
                .map(|task| task.id.clone())
                .collect(),
        };
        let suffixes = std::mem::take(&mut self.suffixes);
        self.list.retire(&facts, !written, suffixes);
        if let Some(change) = self.run.take() {
            self.list.change_run(change);
        }
        Changes {
            facts,
            effects,
            notes,
        }
    }

    fn facts(&mut self) -> Facts {
        let TaskList { dag, retired, .. } = &*self.list;
        let mut facts = Facts {
            removed: std::mem::take(&mut self.removed),
            order: self.reordered.then(|| dag.ids().cloned().collect()),
            ..Facts::default()
        };
        for (slot, before) in first_of(std::mem::take(&mut self.journal.set), dag) {
            let after = dag.task(slot).clone();
            match before.map(|before| before.task) {
                Some(before) if before == after => {}
                Some(before) => facts.edited.push(Edited { before, after }),
                None if retired.get(after.id.as_str()).is_some() => facts.revived.push(after),
                None => facts.added.push(after),
            }
        }
        for (link, existed) in net_edges(&self.journal, dag) {
            let edge = edge(dag, link.blocked, link.blocker);
            match existed {
                true => facts.edges_removed.push(edge),
                false => facts.edges_added.push(edge),
            }
        }
        self.lost_edges.sort_unstable();
        facts.edges_removed.append(&mut self.lost_edges);
        match &self.run {
            None => {}
            Some(RunChange::Began(id)) => facts.run_began = Some(id.clone()),
            Some(RunChange::FilesAdded(files)) => facts.files_added.extend(files.iter().cloned()),
            Some(RunChange::EvidenceLost) => facts.evidence_lost = true,
        }
        facts
    }

    fn effects(&mut self) -> Effects {
        use State::{Blocked, Dormant, InProgress, Ready};
        let dag = &self.list.dag;
        let id = |slot| dag.task(slot).id.clone();
        let mut effects = Effects::default();
        for (slot, cause) in first_of(std::mem::take(&mut self.demoted), dag) {
            effects.demoted.push(Demoted {
                id: id(slot),
                cause,
            });
        }
        let is_new = |(slot, before): &(Slot, Option<Before>)| before.is_none().then_some(*slot);
        let new: HashSet<Slot> = self.journal.set.iter().filter_map(is_new).collect();
        self.journal
            .conditions
            .retain(|(slot, _)| !new.contains(slot));
        for (slot, before) in first_of(std::mem::take(&mut self.journal.conditions), dag) {
            match (before.state, dag.condition(slot).state) {
                (Blocked, Ready | InProgress) => effects.unblocked.push(id(slot)),
                (Ready | InProgress, Blocked) => effects.now_blocked.push(id(slot)),
                (Dormant, Dormant) => {}
                (Dormant, _) => effects.woken.push(id(slot)),
                (_, Dormant) => effects.fallen_asleep.push(id(slot)),
                _ => {}
            }
        }
        effects
    }

    fn remove(&mut self, slot: Slot) {
        let dag = Arc::make_mut(&mut self.list.dag);
        let blockers = dag.blockers(slot).into_iter();
        self.lost_edges
            .extend(blockers.map(|blocker| edge(dag, slot, blocker)));
        let dependents = dag.dependents(slot).into_iter();
        self.lost_edges
            .extend(dependents.map(|blocked| edge(dag, blocked, slot)));
        self.removed.push(dag.task(slot).clone());
        dag.remove(slot, &mut self.journal);
    }
}

/// The edges that are other than before, and whether they were there, in list order.
fn net_edges(journal: &Journal, dag: &Dag) -> Vec<(Link, bool)> {
    let mut touched = journal.edges.clone();
    touched.sort_by_key(|(link, _)| (dag.rank(link.blocked), dag.rank(link.blocker)));
    // Each entry turns the edge over.
    (touched.chunk_by(|(a, _), (b, _)| a == b))
        .filter(|entries| entries.len() % 2 == 1)
        .map(|entries| entries[0])
        .collect()
}

/// The first entry of each slot, in list order. A task that the call takes out has none.
fn first_of<T>(mut entries: Vec<(Slot, T)>, dag: &Dag) -> Vec<(Slot, T)> {
    entries.sort_by_key(|&(slot, _)| dag.rank(slot));
    entries.dedup_by_key(|&mut (slot, _)| slot);
    entries
}

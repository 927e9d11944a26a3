//! Replace-all: the new list is built beside the old one, then they are compared.

use super::edit::{Edit, check_draft, edge, starts_asleep};
use super::{TaskList, cycle_error, find};
use crate::activation::Matcher;
use crate::dag::{Dag, Link, Slot};
use crate::error::Error;
use crate::policy::Dropped;
use crate::reconcile::{Item, Origin, Plan, reconcile, same_folded};
use crate::retired::Retired;
use crate::task::{Given, Status, Task, TaskDraft};
use std::sync::Arc;

impl Edit<'_> {
    pub(super) fn write(&mut self, mut drafts: Vec<TaskDraft>) -> Result<(), Error> {
        self.is_write = true;
        self.check_count(drafts.len())?;
        for (i, draft) in drafts.iter().enumerate() {
            check_draft(i, draft)?;
        }
        let old = self.list.dag.clone();
        let mut plan = reconcile(&drafts, &old, &self.list.retired, &self.list.suffixes)?;
        match self.list.policy().dropped {
            Dropped::Allow => {}
            Dropped::Refuse => match plan.unfinished_left_out(&old) {
                left_out if left_out.is_empty() => {}
                left_out => {
                    let ids = left_out.into_iter().map(|item| item.id).collect();
                    return Err(Error::Dropped { ids });
                }
            },
            Dropped::Keep => {
                for item in plan.unfinished_left_out(&old) {
                    self.unfinished_kept.push(item.id.clone());
                    drafts.push(TaskDraft::default());
                    plan.items.push(item);
                }
            }
        }
        let written = Written::new(&drafts, plan.items, &old, self.list)?;
        if self.compare(&old, &written) {
            self.started_asleep = written.started_asleep;
            let says_running = |draft: &TaskDraft| draft.fields.status == Some(Status::InProgress);
            self.named_running = (written.dag.slots().zip(written.drafts))
                .filter_map(|(slot, draft)| says_running(draft).then_some(slot))
                .collect();
            self.list.dag = Arc::new(written.dag);
            self.replaced = Some(old);
        }
        self.rebound = plan.rebound;
        self.duplicate_ids = plan.duplicate_ids;
        self.suffixes = plan.suffixes;
        Ok(())
    }

    /// Journals what a write made of the old list, and says whether it is anything at all.
    fn compare(&mut self, old: &Dag, written: &Written<'_>) -> bool {
        use Sort::{Added, Kept, Revived};
        let new = &written.dag;
        let mut last = Kept(0);
        for (slot, item) in new.slots().zip(&written.items) {
            let sort = match item.origin {
                Origin::Live(at) => Kept(at),
                Origin::New => Added,
                Origin::Retired(_) => Revived,
            };
            self.reordered |= last > sort;
            last = sort;
            let Origin::Live(at) = item.origin else {
                self.journal.set.push((slot, None));
                continue;
            };
            let old_slot = old.slot_at(at);
            let (before, after) = (old.task(old_slot), new.task(slot));
            if before != after {
                self.journal.set.push((slot, Some(old.before(old_slot))));
            }
            if item.id_only {
                self.new_work.insert(slot);
            }
            let condition = old.condition(old_slot);
            if condition != new.condition(slot) {
                self.journal.conditions.push((slot, condition));
            }
        }
        let gone = old.slots().filter(|&slot| written.place_of(slot).is_none());
        self.removed = gone.map(|slot| old.task(slot).clone()).collect();
        self.compare_edges(old, written);
        let journal = &self.journal;
        self.reordered
            || !(self.removed.is_empty() && journal.set.is_empty() && journal.edges.is_empty())
    }

    fn compare_edges(&mut self, old: &Dag, written: &Written<'_>) {
        const OLD: u64 = 1 << 32;
        let new = &written.dag;
        // By place of a blocker in the new list: the blocked task it was last seen for, with
        // a bit that says in which list.
        let mut seen = vec![u64::MAX; new.len()];
        for (place, (slot, item)) in new.slots().zip(&written.items).enumerate() {
            let mark = place as u64;
            if let Origin::Live(at) = item.origin {
                for blocker in old.unsorted_blockers(old.slot_at(at)) {
                    match written.place_of(blocker) {
                        Some(place) => seen[place] = mark | OLD,
                        None => self.lost_edges.push(edge(old, old.slot_at(at), blocker)),
                    }
                }
            }
            for blocker in new.unsorted_blockers(slot) {
                let seen = &mut seen[new.place(blocker)];
                if *seen != mark | OLD {
                    let link = Link {
                        blocked: slot,
                        blocker,
                    };
                    self.journal.edges.push((link, false));
                }
                *seen = mark;
            }
            if let Origin::Live(at) = item.origin {
                for blocker in old.unsorted_blockers(old.slot_at(at)) {
                    if let Some(place) = written.place_of(blocker)
                        && seen[place] == mark | OLD
                    {
                        let link = Link {
                            blocked: slot,
                            blocker: new.slot_at(place),
                        };
                        self.journal.edges.push((link, true));
                    }
                }
            }
        }
        for blocked in old.slots().filter(|&slot| written.place_of(slot).is_none()) {
            for blocker in old.unsorted_blockers(blocked) {
                self.lost_edges.push(edge(old, blocked, blocker));
            }
        }
    }
}

/// The order that tasks stand in where nothing else is told.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Sort {
    Kept(usize),
    Added,
    Revived,
}

/// The list that a write makes, beside the one it is made from.
struct Written<'a> {
    drafts: &'a [TaskDraft],
    items: Vec<Item>,
    dag: Dag,
    /// Where the task of an old slot stands now, by id.
    places: Vec<Option<u32>>,
    /// Dormant tasks that are started.
    started_asleep: Vec<Slot>,
}

impl<'a> Written<'a> {
    fn new(
        drafts: &'a [TaskDraft],
        items: Vec<Item>,
        old: &Dag,
        list: &mut TaskList,
    ) -> Result<Self, Error> {
        let mut written = Written {
            drafts,
            items,
            dag: Dag::with_capacity(drafts.len()),
            places: vec![None; old.slot_bound()],
            started_asleep: Vec::new(),
        };
        let mut tasks = Vec::with_capacity(drafts.len());
        for (place, (item, draft)) in written.items.iter().zip(drafts).enumerate() {
            if let Origin::Live(at) = item.origin {
                written.places[old.slot_at(at).index()] = Some(place as u32);
            }
            let before = item.kept(old, &list.retired);
            tasks.push(written_task(item, draft, before));
        }
        let asleep = written.asleep(&tasks, old, list);
        for (task, (item, asleep)) in tasks.into_iter().zip(written.items.iter().zip(asleep)) {
            let started_before = item
                .kept(old, &list.retired)
                .is_some_and(|task| task.started);
            let starts_asleep = starts_asleep(&task, asleep, started_before);
            let slot = (written.dag.append(task, asleep)).map_err(|task| Error::DuplicateId {
                id: task.id.clone(),
            })?;
            if starts_asleep {
                written.started_asleep.push(slot);
            }
        }
        let edges = written.edges(old)?;
        match written.dag.connect(&edges) {
            Ok(()) => Ok(written),
            Err(cycle) => Err(cycle_error(&written.dag, cycle)),
        }
    }

    /// Which of the tasks sleep. Those whose activation is what it was sleep as they did.
    fn asleep(&self, tasks: &[Arc<Task>], old: &Dag, list: &mut TaskList) -> Vec<bool> {
        let mut asleep = vec![false; tasks.len()];
        let mut unknown = Vec::new();
        for (place, (task, item)) in tasks.iter().zip(&self.items).enumerate() {
            if task.activation.is_none() {
                continue;
            }
            match item.origin {
                Origin::Live(at)
                    if !item.id_only && old.task(old.slot_at(at)).activation == task.activation =>
                {
                    asleep[place] = old.is_asleep(old.slot_at(at));
                }
                _ => unknown.push(place),
            }
        }
        let judged = unknown.iter().map(|&place| &*tasks[place]);
        let unmet = Matcher::unmet(&mut list.matcher, judged, &list.run.evidence);
        for (place, unmet) in unknown.into_iter().zip(unmet) {
            asleep[place] = unmet;
        }
        asleep
    }

    fn place_of(&self, old: Slot) -> Option<usize> {
        self.places[old.index()].map(|place| place as usize)
    }

    /// The edges that the drafts give or keep, as `(blocked, blocker)`.
    fn edges(&self, old: &Dag) -> Result<Vec<(u32, u32)>, Error> {
        let mut edges = Vec::new();
        for (place, (item, draft)) in self.items.iter().zip(self.drafts).enumerate() {
            match (&draft.fields.blocked_by, item.origin) {
                (Some(ids), _) => {
                    for id in ids {
                        edges.push((place as u32, self.other_end(place, id)?));
                    }
                }
                (None, Origin::Live(at)) if !item.id_only => {
                    let blockers = old.unsorted_blockers(old.slot_at(at));
                    let kept = blockers.filter_map(|blocker| self.place_of(blocker));
                    let kept = kept.filter(|&blocker| {
                        !self.items[blocker].id_only && self.drafts[blocker].fields.blocks.is_none()
                    });
                    edges.extend(kept.map(|blocker| (place as u32, blocker as u32)));
                }
                (None, _) => {}
            }
            for id in draft.fields.blocks.iter().flatten() {
                edges.push((self.other_end(place, id)?, place as u32));
            }
        }
        Ok(edges)
    }

    fn other_end(&self, place: usize, id: &str) -> Result<u32, Error> {
        let other = self.dag.place(find(&self.dag, id)?);
        if other == place {
            let id = self.items[place].id.clone();
            return Err(Error::SelfDependency { id });
        }
        Ok(other as u32)
    }
}

impl Plan {
    /// Items for the unfinished live tasks that no item stands for, in list order.
    fn unfinished_left_out(&self, old: &Dag) -> Vec<Item> {
        let mut is_taken = vec![false; old.len()];
        for item in &self.items {
            if let Origin::Live(at) = item.origin {
                is_taken[at] = true;
            }
        }
        let left_out = (0..old.len()).filter(|&at| !is_taken[at]).filter_map(|at| {
            let task = old.task(old.slot_at(at));
            (task.status != Status::Completed).then(|| Item {
                id: task.id.clone(),
                subject: task.subject.clone(),
                origin: Origin::Live(at),
                id_only: false,
            })
        });
        left_out.collect()
    }
}

impl Item {
    /// The task whose fields the item keeps.
    fn kept<'l>(&self, old: &'l Dag, retired: &'l Retired) -> Option<&'l Arc<Task>> {
        match self.origin {
            _ if self.id_only => None,
            Origin::New => None,
            Origin::Retired(at) => Some(&retired.at(at).task),
            Origin::Live(at) => Some(old.task(old.slot_at(at))),
        }
    }
}

/// What a draft makes of the task whose fields it keeps; the same `Arc` where nothing changes.
fn written_task(item: &Item, draft: &TaskDraft, before: Option<&Arc<Task>>) -> Arc<Task> {
    let Some(before) = before else {
        return Arc::new(draft.fields.alone(item.id.clone(), item.subject.clone()));
    };
    let mut task = draft.fields.over(before);
    task.subject = item.subject.clone();
    if draft.fields.active_form == Given::Kept && !same_folded(&before.subject, &task.subject) {
        task.active_form = None;
    }
    match task == **before {
        true => before.clone(),
        false => Arc::new(task),
    }
}

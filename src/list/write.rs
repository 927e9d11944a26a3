//! Replace-all: the new list is built beside the old one, then the two are compared, and the difference is journaled.
//!
//! Which task an item stands for is decided in `reconcile`; the rules for the list that comes out are those of every
//! call, in `settle`. Tested by the vectors in `tests/conformance`, the reference model, and `tests/growth.rs`.

use super::edit::{Edit, Rewrite, check_draft, edge, is_of_another, starts_asleep, taken};
use super::reconcile::{Item, Origin, Plan, reconcile, same_folded};
use super::retired::{Retired, already_met};
use super::value::TaskList;
use crate::activation::Matcher;
use crate::change::Edge;
use crate::error::Error;
use crate::graph::{Builder, Graph, Link, Slot};
use crate::policy::Dropped;
use crate::status::Status;
use crate::task::{Given, Task, TaskDraft};
use std::sync::Arc;

impl Edit<'_> {
    pub(super) fn write(&mut self, mut drafts: Vec<TaskDraft>) -> Result<(), Error> {
        // Before anything is built: a call of a million items costs no more than counting them.
        self.check_count(drafts.len())?;
        for (i, draft) in drafts.iter().enumerate() {
            check_draft(i, draft)?;
        }
        // A pointer. The old graph is compared with, and comes back where a rule is broken.
        let old = self.list.graph.clone();
        let mut plan = reconcile(&drafts, &old, &self.list.retired, &self.list.suffixes)?;
        let mut rewrite = Rewrite::default();
        self.keep_the_order_of_others(&mut plan.items, &mut drafts, &old);
        for item in self.kept_beside(&plan, &old)? {
            rewrite.notes.unfinished_kept.push(item.id.clone());
            drafts.push(TaskDraft::default());
            plan.items.push(item);
        }
        rewrite.notes.rebound = plan.rebound;
        rewrite.notes.duplicate_ids = plan.duplicate_ids;
        self.used_suffixes = plan.suffixes;
        let written = Written::new(&drafts, plan.items, &old, self.list)?;
        self.already_met = written.already_met.clone();
        if self.compare(&old, &written, &mut rewrite) {
            self.asked.started_asleep = written.started_asleep;
            let says_running = |draft: &TaskDraft| draft.fields.status == Some(Status::InProgress);
            self.asked.running = (written.graph.slots().zip(written.drafts))
                .filter_map(|(slot, draft)| says_running(draft).then_some(slot))
                .collect();
            self.list.graph = Arc::new(written.graph);
            rewrite.replaced = Some(old);
        }
        self.rewrite = Some(rewrite);
        Ok(())
    }

    /// Puts the unfinished tasks of others back into their old order among themselves, at the places that were written for
    /// them: which of its tasks an owner does first is its own business.
    fn keep_the_order_of_others(
        &self,
        items: &mut Vec<Item>,
        drafts: &mut Vec<TaskDraft>,
        old: &Graph,
    ) {
        let Some(actor) = self.actor else {
            return;
        };
        let old_place = |item: &Item| match item.origin {
            Origin::Live(at) => {
                let task = old.task(old.slot_at(at));
                is_of_another(task, actor).is_some().then_some(at)
            }
            _ => None,
        };
        let places: Vec<Option<usize>> = items.iter().map(old_place).collect();
        if places.iter().flatten().is_sorted() {
            return;
        }
        let written = items.drain(..).zip(drafts.drain(..));
        let (mut theirs, mut free): (Vec<_>, Vec<_>) =
            written.partition(|(item, _)| old_place(item).is_some());
        // Backwards, so that the first is taken from the end.
        theirs.sort_by_key(|(item, _)| std::cmp::Reverse(old_place(item)));
        free.reverse();
        for place in places {
            let next = if place.is_some() {
                theirs.pop()
            } else {
                free.pop()
            };
            if let Some((item, draft)) = next {
                items.push(item);
                drafts.push(draft);
            }
        }
    }

    /// Items for the unfinished tasks that the write leaves out and that stay all the same, as the policy says.
    fn kept_beside(&self, plan: &Plan, old: &Graph) -> Result<Vec<Item>, Error> {
        let dropped = self.list.policy.dropped;
        let left_out = match dropped {
            // Not asked for where nobody wants them: most policies allow it.
            Dropped::Allow => Vec::new(),
            Dropped::Keep | Dropped::Refuse => plan.unfinished_left_out(old),
        };
        match dropped {
            Dropped::Refuse if !left_out.is_empty() => {
                let ids = left_out.into_iter().map(|item| item.id).collect();
                Err(Error::Dropped { ids })
            }
            _ => Ok(left_out),
        }
    }

    /// Journals what a write made of the old list, and says whether it is anything at all.
    fn compare(&mut self, old: &Graph, written: &Written<'_>, rewrite: &mut Rewrite) -> bool {
        use Sort::{Added, Kept, Revived};
        let new = &written.graph;
        let mut last = Kept(0);
        for (slot, item) in new.slots().zip(&written.items) {
            let sort = match item.origin {
                Origin::Live(at) => Kept(at),
                Origin::New => Added,
                Origin::Retired(_) => Revived,
            };
            // The order is told only where it is not the one that the other facts give.
            rewrite.reordered |= last > sort;
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
                self.asked.new_work.insert(slot);
            }
            let condition = old.condition(old_slot);
            if condition != new.condition(slot) {
                self.journal.conditions.push((slot, condition));
            }
        }
        let gone = old.slots().filter(|&slot| written.place_of(slot).is_none());
        rewrite.removed = gone.map(|slot| old.task(slot).clone()).collect();
        self.compare_edges(old, written, &mut rewrite.lost_edges);
        let journal = &self.journal;
        rewrite.reordered
            || !(rewrite.removed.is_empty() && journal.set.is_empty() && journal.edges.is_empty())
    }

    fn compare_edges(&mut self, old: &Graph, written: &Written<'_>, lost: &mut Vec<Edge>) {
        // A pair of place and list in one word: with a set of edges this pass took a third of a write.
        const OLD: u64 = 1 << 32;
        let new = &written.graph;
        // By place of a blocker in the new list: the blocked task it was last seen for, with
        // a bit that says in which list.
        // By place in a vector, not in a set: this runs over all edges of both lists.
        let mut seen = vec![u64::MAX; new.len()];
        for (place, (slot, item)) in new.slots().zip(&written.items).enumerate() {
            let mark = place as u64;
            if let Origin::Live(at) = item.origin {
                for blocker in old.unsorted_blockers(old.slot_at(at)) {
                    match written.place_of(blocker) {
                        Some(place) => seen[place] = mark | OLD,
                        None => lost.push(edge(old, old.slot_at(at), blocker)),
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
                lost.push(edge(old, blocked, blocker));
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
    graph: Graph,
    /// Where the task of an old slot stands now, by id.
    places: Vec<Option<u32>>,
    /// Dormant tasks that are started.
    started_asleep: Vec<Slot>,
    already_met: Vec<Edge>,
}

impl<'a> Written<'a> {
    fn new(
        drafts: &'a [TaskDraft],
        items: Vec<Item>,
        old: &Graph,
        list: &mut TaskList,
    ) -> Result<Self, Error> {
        let mut places = vec![None; old.slot_bound()];
        let mut tasks = Vec::with_capacity(drafts.len());
        for (place, (item, draft)) in items.iter().zip(drafts).enumerate() {
            if let Origin::Live(at) = item.origin {
                places[old.slot_at(at).index()] = Some(place as u32);
            }
            let before = item.kept(old, &list.retired);
            tasks.push(written_task(item, draft, before));
        }
        let asleep = asleep(&tasks, &items, old, list);
        let mut builder = Builder::with_capacity(drafts.len());
        let mut started_asleep = Vec::new();
        for (task, (item, asleep)) in tasks.into_iter().zip(items.iter().zip(asleep)) {
            let started_before = matches!(item.origin, Origin::Live(_))
                && (item.kept(old, &list.retired)).is_some_and(|task| task.started);
            let starts_asleep = starts_asleep(&task, asleep, started_before);
            let slot = (builder.append(task, asleep)).map_err(|task| taken(&task, false))?;
            if starts_asleep {
                started_asleep.push(slot);
            }
        }
        let mut ends = Ends {
            drafts,
            items: &items,
            places: &places,
            builder: &builder,
            retired: &list.retired,
            already_met: Vec::new(),
        };
        let edges = ends.edges(old)?;
        let already_met = ends.already_met;
        Ok(Written {
            already_met,
            drafts,
            graph: builder.build(&edges)?,
            items,
            places,
            started_asleep,
        })
    }

    fn place_of(&self, old: Slot) -> Option<usize> {
        self.places[old.index()].map(|place| place as usize)
    }
}

/// Which of the tasks sleep. Those whose activation is what it was sleep as they did.
fn asleep(tasks: &[Arc<Task>], items: &[Item], old: &Graph, list: &mut TaskList) -> Vec<bool> {
    let mut asleep = vec![false; tasks.len()];
    let mut unknown = Vec::new();
    for (place, (task, item)) in tasks.iter().zip(items).enumerate() {
        if task.activation.is_none() {
            continue;
        }
        match item.origin {
            Origin::Live(at)
                if !item.id_only && old.task(old.slot_at(at)).activation == task.activation =>
            {
                asleep[place] = old.is_asleep(old.slot_at(at));
            }
            // Judged together below: each call of the matcher walks the files.
            _ => unknown.push(place),
        }
    }
    let judged = unknown
        .iter()
        .map(|&place| tasks[place].activation.as_ref());
    let unmet = Matcher::unmet(&mut list.matcher, judged, &list.run.evidence);
    for (place, unmet) in unknown.into_iter().zip(unmet) {
        asleep[place] = unmet;
    }
    asleep
}

/// The tasks of a write, for finding the ends of its edges.
struct Ends<'a> {
    drafts: &'a [TaskDraft],
    items: &'a [Item],
    /// Where the task of an old slot stands now.
    places: &'a [Option<u32>],
    builder: &'a Builder,
    retired: &'a Retired,
    /// Dependencies on what is done and gone, which are not made.
    already_met: Vec<Edge>,
}

impl Ends<'_> {
    /// The edges that the drafts give or keep, as `(blocked, blocker)`.
    fn edges(&mut self, old: &Graph) -> Result<Vec<(u32, u32)>, Error> {
        let mut edges = Vec::new();
        for (place, (item, draft)) in self.items.iter().zip(self.drafts).enumerate() {
            match (&draft.fields.blocked_by, item.origin) {
                (Some(ids), _) => {
                    for id in ids {
                        match self.gone(old, id) {
                            Some(gone) => self.already_met.push(already_met(&item.id, gone)?),
                            None => edges.push((place as u32, self.other_end(place, id)?)),
                        }
                    }
                }
                (None, Origin::Live(at)) if !item.id_only => {
                    let blockers = old.unsorted_blockers(old.slot_at(at));
                    let kept = blockers.filter_map(|blocker| self.places[blocker.index()]);
                    let kept = kept.filter(|&blocker| {
                        let at = blocker as usize;
                        !self.items[at].id_only && self.drafts[at].fields.blocks.is_none()
                    });
                    edges.extend(kept.map(|blocker| (place as u32, blocker)));
                }
                (None, _) => {}
            }
            for id in draft.fields.blocks.iter().flatten() {
                edges.push((self.other_end(place, id)?, place as u32));
            }
        }
        Ok(edges)
    }

    /// The task with an id that has left the list, or that this write leaves out.
    fn gone<'t>(&self, old: &'t Graph, id: &str) -> Option<&'t Task>
    where
        Self: 't,
    {
        if self.builder.find(id).is_some() {
            return None;
        }
        let retired = || self.retired.get(id).map(|retired| &*retired.task);
        old.find(id).map(|slot| &**old.task(slot)).or_else(retired)
    }

    fn other_end(&self, place: usize, id: &str) -> Result<u32, Error> {
        let other = self.builder.named(id)?;
        match other as usize == place {
            true => Err(Error::SelfDependency {
                id: self.items[place].id.clone(),
            }),
            false => Ok(other),
        }
    }
}

impl Plan {
    /// Items for the unfinished live tasks that no item stands for, in list order.
    fn unfinished_left_out(&self, old: &Graph) -> Vec<Item> {
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
    fn kept<'l>(&self, old: &'l Graph, retired: &'l Retired) -> Option<&'l Arc<Task>> {
        match self.origin {
            _ if self.id_only => None,
            Origin::New => None,
            Origin::Retired(at) => Some(&retired.at(at).task),
            Origin::Live(at) => Some(old.task(old.slot_at(at))),
        }
    }
}

/// A retired task as a write brings it back: new work under an old id. Nobody said of this work that it is done, whose it
/// is or what it sleeps until.
fn new_work(retired: &Task) -> Task {
    Task {
        owner: None,
        activation: None,
        status: Status::Pending,
        started: false,
        ..retired.clone()
    }
}

/// What a draft makes of the task whose fields it keeps; the same `Arc` where nothing changes.
fn written_task(item: &Item, draft: &TaskDraft, before: Option<&Arc<Task>>) -> Arc<Task> {
    let Some(before) = before else {
        return Arc::new(draft.fields.alone(item.id.clone(), item.subject.clone()));
    };
    let mut task = match item.origin {
        Origin::Retired(_) => draft.fields.over(&new_work(before)),
        _ => draft.fields.over(before),
    };
    task.subject = item.subject.clone();
    // "Fixing the bug" under "Write the docs" would be worse than none.
    if draft.fields.active_form == Given::Kept && !same_folded(&before.subject, &task.subject) {
        task.active_form = None;
    }
    match task == **before {
        true => before.clone(),
        false => Arc::new(task),
    }
}

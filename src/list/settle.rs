//! The door, second room: the rules that hold for every call, judged on the edited list.
//!
//! One in progress, nothing started that waits, limits, cycles, and the rights of owners. What breaks a rule that the call
//! itself asked for is refused; what follows for other tasks is put right, and told in the third room. Rules judge what
//! the call changed, so that a list which breaks one can be put right step by step. Tested by the reference model in
//! `tests/model`, `tests/owners.rs` and `tests/limits.rs`.

use super::edit::{Edit, is_of_another};
use crate::change::Demotion;
use crate::error::{Error, Place};
use crate::graph::{Before, Slot, State};
use crate::id::TaskId;
use crate::policy::{Dependencies, Excess, InProgress};
use crate::status::Status;
use crate::task::Task;
use indexmap::IndexMap;
use std::collections::HashSet;
use std::sync::Arc;

/// What the rules made of a call.
#[derive(Default)]
pub(super) struct Settled {
    /// Tasks that were put back to pending, and why.
    pub(super) demoted: Vec<(Slot, Demotion)>,
    /// Tasks that wait, and that the policy lets be in progress or completed.
    pub(super) advised: Vec<Slot>,
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

impl Edit<'_> {
    /// Checks the edited list, and puts back to pending what has to yield.
    pub(super) fn settle(&mut self) -> Result<Settled, Error> {
        self.check_count(self.graph().len())?;
        self.check_sizes()?;
        if let Some(slot) = self.asked.linked {
            self.graph().refuse_cycle_through(slot)?;
        }
        let moved = self.moved();
        // What yields is found before waiting tasks are judged, so that of two faults the one about the call itself is
        // told; it is demoted after, since a call that is refused must not be half done.
        let yielding = self.yielding(&moved)?;
        let mut settled = Settled::default();
        self.judge_waiting(&moved, &mut settled)?;
        for (slot, to) in yielding {
            self.demote(slot, Demotion::Yielded { to }, &mut settled);
        }
        self.judge_made_to_wait(&mut settled);
        self.refuse_others_tasks()?;
        Ok(settled)
    }

    /// Refuses a task that the call made larger than the limits allow.
    fn check_sizes(&self) -> Result<(), Error> {
        let limits = &self.list.policy.limits;
        for (slot, before) in &self.journal.set {
            let task = self.graph().task(*slot);
            let before = before.as_ref().map(|before| &*before.task);
            let Err(exceeded) = task.check(before, limits) else {
                continue;
            };
            // What came back from retirement is measured against what it was, as what stayed is.
            let retired = self.list.retired.get(task.id.as_str());
            let came_back = retired.filter(|_| before.is_none());
            if came_back.is_some_and(|old| task.check(Some(&old.task), limits).is_ok()) {
                continue;
            }
            let place = match before {
                _ if self.rewrite.is_some() => Place::Item(self.graph().place(*slot)),
                None => Place::Item(0),
                Some(_) => Place::Task(task.id.clone()),
            };
            return Err(Error::from(exceeded).at(place));
        }
        Ok(())
    }

    /// The tasks whose status the call changed to in progress or completed, in list order.
    fn moved(&self) -> Vec<Slot> {
        // A status that stays is not judged, so that a list which breaks a rule already can be edited elsewhere.
        let moved = |(slot, before): &(Slot, Option<Before>)| {
            let now = self.graph().task(*slot).status;
            let before = before.as_ref().map(|before| before.task.status);
            now != Status::Pending && (before != Some(now) || self.asked.new_work.contains(slot))
        };
        let mut slots: Vec<Slot> = (self.journal.set.iter())
            .filter(|entry| moved(entry))
            .map(|&(slot, _)| slot)
            .collect();
        self.graph().sort(&mut slots);
        slots
    }

    /// The tasks that yield to one that the call starts, and that one, where only one may be in
    /// progress. Two that the call names are refused.
    fn yielding(&self, moved: &[Slot]) -> Result<Vec<(Slot, TaskId)>, Error> {
        let graph = self.graph();
        let policy = &self.list.policy;
        let one_each = policy.in_progress == InProgress::PerOwner;
        let group = |slot: Slot| graph.task(slot).owner.clone().filter(|_| one_each);
        if policy.in_progress == InProgress::Unlimited || graph.count(State::InProgress) < 2 {
            return Ok(Vec::new());
        }
        // A task that is given to another owner while it runs takes that owner's place as if it were started.
        let mut started: HashSet<Slot> = moved.iter().copied().collect();
        // A running task that changes hands comes under the rule of its new owner.
        if one_each {
            started.extend(self.given_to_others());
        }
        let mut groups: IndexMap<Option<Arc<str>>, Running> = IndexMap::new();
        for slot in graph.in_state(State::InProgress) {
            let running = groups.entry(group(slot)).or_default();
            running.all.push(slot);
            running
                .started
                .extend(started.contains(&slot).then_some(slot));
        }
        for &slot in &self.asked.running {
            groups.entry(group(slot)).or_default().named.push(slot);
        }
        let mut yielding = Vec::new();
        for running in groups
            .into_values()
            .filter(|running| !running.started.is_empty())
        {
            // Two tasks that were in progress before, under a looser policy, may both be named again: nothing is started.
            let names_a_start = running
                .named
                .iter()
                .any(|slot| running.started.contains(slot));
            if running.named.len() > 1 && names_a_start && policy.excess == Excess::Refuse {
                return Err(Error::TooManyInProgress {
                    ids: graph.ids_of(running.named),
                    limit: 1,
                    per_owner: one_each,
                });
            }
            let stays = running.stays();
            let to = &graph.task(stays).id;
            // A task that the call starts without naming a status yields to one that was running.
            // Where the call names none that it starts, those that it starts yield to the one that ran before.
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
            (before.owner != self.graph().task(*slot).owner).then_some(*slot)
        };
        self.journal.set.iter().filter_map(changed)
    }

    /// Refuses, or notes, that a task which waits was started or completed.
    fn judge_waiting(&self, moved: &[Slot], settled: &mut Settled) -> Result<(), Error> {
        let policy = self.list.policy.dependencies;
        let started_asleep: HashSet<Slot> = self.asked.started_asleep.iter().copied().collect();
        for &slot in moved {
            let (task, blocked) = (
                self.graph().task(slot),
                self.graph().condition(slot).blocked,
            );
            let asleep = started_asleep.contains(&slot);
            match policy {
                Dependencies::Advise => settled.advised.extend((blocked || asleep).then_some(slot)),
                Dependencies::Enforce if asleep => {
                    let activation = task.activation.as_ref();
                    let patterns = activation.map_or(&[][..], |a| a.shared_patterns());
                    return Err(Error::Dormant {
                        id: task.id.clone(),
                        patterns: patterns.to_vec(),
                    });
                }
                Dependencies::Enforce if blocked => {
                    return Err(Error::OpenBlockers {
                        id: task.id.clone(),
                        status: task.status,
                        open_blockers: self.graph().ids_of(self.graph().open_blockers(slot)),
                    });
                }
                Dependencies::Enforce => {}
            }
        }
        Ok(())
    }

    /// Puts back to pending, or notes, what was running and is made to wait by this call.
    fn judge_made_to_wait(&mut self, settled: &mut Settled) {
        let mut waiting = self.held_up();
        waiting.retain(|&slot| self.graph().condition(slot).state == State::InProgress);
        for slot in waiting {
            match self.list.policy.dependencies {
                Dependencies::Advise => settled.advised.push(slot),
                Dependencies::Enforce => {
                    let by = self.graph().ids_of(self.graph().open_blockers(slot));
                    self.demote(slot, Demotion::MadeToWait { by }, settled);
                }
            }
        }
    }

    /// Where the call says who acts: leaves the unfinished tasks of others as they are. Neither are they edited or taken
    /// out, nor do dependencies come to them or go from them, nor does anything hold them up that did not before; and
    /// nothing is started in another's name.
    fn refuse_others_tasks(&self) -> Result<(), Error> {
        let Some(actor) = self.actor else {
            return Ok(());
        };
        let graph = self.graph();
        let was = |(slot, before): &'_ (Slot, Option<Before>)| {
            (*slot, before.as_ref().map(|b| b.task.clone()))
        };
        let set = graph.first_of(self.journal.set.iter().map(was).collect());
        let set: IndexMap<Slot, Option<Arc<Task>>> = set.into_iter().collect();
        // A task as it was before the call, if it was there.
        let before = |slot: Slot| match set.get(&slot) {
            Some(before) => before.as_ref(),
            None => Some(graph.task(slot)),
        };
        let edited = set.iter().filter_map(|(&slot, before)| {
            (before.as_ref()).filter(|before| *before != graph.task(slot))
        });
        // An edge is the business of the task that waits; its blocker is not changed by it.
        let linked = self.journal.net_edges(graph).into_iter();
        let linked = linked.filter_map(|(link, _)| before(link.blocked));
        // A task that is to be deleted is still there, unedited; it goes after the last refusal.
        let doomed = self.doomed.iter().filter_map(|&slot| before(slot));
        let removed = self.rewrite.iter().flat_map(|rewrite| &rewrite.removed);
        let held_up = self.held_up().into_iter().filter_map(before);
        let touched = edited.chain(linked).chain(doomed).chain(removed);
        let freed = self.freed_by_another(actor).into_iter().filter_map(before);
        let touched = touched.chain(held_up).chain(freed).map(|task| &**task);
        let theirs = |task: &Task| Some((task.id.clone(), is_of_another(task, actor)?.clone()));
        if let Some((id, owner)) = touched.filter_map(theirs).next() {
            return Err(Error::OwnedByOther { id, owner });
        }
        let running =
            (set.keys().copied()).filter(|&slot| graph.task(slot).status == Status::InProgress);
        let mut started = running.filter_map(|slot| theirs(graph.task(slot)));
        match started.next() {
            Some((id, owner)) => Err(Error::StartedForOther { id, owner }),
            None => Ok(()),
        }
    }

    /// Tasks that wait for something open, and did not before the call.
    fn held_up(&self) -> Vec<Slot> {
        let conditions = self.graph().first_of(self.journal.conditions.clone());
        let held_up = conditions
            .into_iter()
            .filter(|&(slot, before)| !before.blocked && self.graph().condition(slot).blocked);
        held_up.map(|(slot, _)| slot).collect()
    }

    /// Tasks that lose a blocker which leaves the list, where it was neither the actor's nor nobody's: whoever finished it
    /// may still want it looked at before the other goes on.
    fn freed_by_another(&self, actor: &str) -> Vec<Slot> {
        let graph = self.graph();
        let is_free =
            |blocker: &Task| (blocker.owner.as_deref()).is_none_or(|owner| owner == actor);
        let doomed = self.doomed.filter(|&slot| !is_free(graph.task(slot)));
        let mut freed = doomed.map_or(Vec::new(), |slot| graph.dependents(slot));
        if let Some(rewrite) = &self.rewrite {
            let gone = rewrite.removed.iter().filter(|task| !is_free(task));
            let gone: HashSet<&TaskId> = gone.map(|task| &task.id).collect();
            let lost = rewrite.lost_edges.iter();
            let lost = lost.filter(|edge| gone.contains(&edge.blocker));
            freed.extend(lost.filter_map(|edge| graph.find(edge.blocked.as_str())));
        }
        freed
    }

    fn demote(&mut self, slot: Slot, cause: Demotion, settled: &mut Settled) {
        self.set(slot, self.graph().task(slot).with_status(Status::Pending));
        settled.demoted.push((slot, cause));
    }
}

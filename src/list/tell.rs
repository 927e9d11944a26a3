//! The door, third room: what left is kept aside, and what changed is told. Nothing fails here.
//!
//! Facts are told from the journal, as the net difference between before and after. Tested by the state machine, which
//! applies them to the list before and compares with the list after, and by `tests/cases.rs` for effects and notes.

use super::edit::{Edit, RunChange, edge};
use super::settle::Settled;
use super::value::TaskList;
use crate::activation::{Evidence, Run};
use crate::change::{Changes, Demoted, Demotion, Edge, Edited, Effects, Facts, Notes};
use crate::graph::{Before, Slot, State};
use crate::id::TaskId;
use crate::limit::Limit;
use crate::status::Status;
use crate::task::Task;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What a call took out of the list.
#[derive(Default)]
struct Left {
    tasks: Vec<Arc<Task>>,
    /// Edges that went with a task.
    edges: Vec<Edge>,
    reordered: bool,
}

impl Edit<'_> {
    /// Takes out and keeps aside what leaves the list, and tells what the call did.
    pub(super) fn tell(mut self, settled: Settled) -> Changes {
        let rewrite = self.rewrite.take();
        let written = rewrite.is_some();
        let mut notes = Notes::default();
        let mut left = Left::default();
        if let Some(rewrite) = rewrite {
            left.tasks = rewrite.removed;
            left.edges = rewrite.lost_edges;
            left.reordered = rewrite.reordered;
            notes = rewrite.notes;
        }
        if let Some(slot) = self.doomed {
            self.remove(slot, &mut left);
        }
        // Before the facts, which take the journal apart.
        let effects = self.effects(settled.demoted);
        let facts = self.facts(left);
        let mut advised = settled.advised;
        self.list.graph.sort(&mut advised);
        advised.dedup();
        notes.advised = self.list.graph.ids_of(advised);
        notes.for_others = self.in_others_names(&facts);
        notes.already_met = std::mem::take(&mut self.already_met);
        notes.already_met.sort_unstable();
        notes.already_met.dedup();
        if written {
            let unfinished = |task: &&Arc<Task>| task.status != Status::Completed;
            let unfinished = facts.removed.iter().filter(unfinished);
            notes.unfinished_removed = unfinished.map(|task| task.id.clone()).collect();
        }
        self.list.retire(&facts, !written, self.used_suffixes);
        if let Some(change) = self.run {
            self.list.change_run(change);
        }
        Changes {
            facts,
            effects,
            notes,
        }
    }

    fn facts(&mut self, left: Left) -> Facts {
        let TaskList { graph, retired, .. } = &*self.list;
        let mut facts = Facts {
            removed: left.tasks,
            order: left.reordered.then(|| graph.ids().cloned().collect()),
            ..Facts::default()
        };
        for (slot, before) in graph.first_of(std::mem::take(&mut self.journal.set)) {
            let after = graph.task(slot).clone();
            match before.map(|before| before.task) {
                Some(before) if before == after => {}
                Some(before) => facts.edited.push(Edited { before, after }),
                // Asked before `retire` takes them out of the retired.
                None if retired.get(after.id.as_str()).is_some() => facts.revived.push(after),
                None => facts.added.push(after),
            }
        }
        for (link, existed) in self.journal.net_edges(graph) {
            let edge = edge(graph, link.blocked, link.blocker);
            match existed {
                true => facts.edges_removed.push(edge),
                false => facts.edges_added.push(edge),
            }
        }
        facts.edges_removed.extend(left.edges);
        // By ids, since a task that left has no place in the list any longer.
        facts.edges_removed.sort_unstable();
        match &self.run {
            None => {}
            Some(RunChange::Began(id)) => facts.run_began = Some(id.clone()),
            Some(RunChange::FilesAdded(files)) => facts.files_added.extend(files.iter().cloned()),
            Some(RunChange::EvidenceLost) => facts.evidence_lost = true,
        }
        facts
    }

    fn effects(&mut self, demoted: Vec<(Slot, Demotion)>) -> Effects {
        use State::{Blocked, Dormant, InProgress, Ready};
        let graph = &self.list.graph;
        let id = |slot| graph.task(slot).id.clone();
        let mut effects = Effects::default();
        for (slot, cause) in graph.first_of(demoted) {
            effects.demoted.push(Demoted {
                id: id(slot),
                cause,
            });
        }
        // A task that the call made has no state before, so nothing followed for it.
        let is_new = |(slot, before): &(Slot, Option<Before>)| before.is_none().then_some(*slot);
        let new: HashSet<Slot> = self.journal.set.iter().filter_map(is_new).collect();
        self.journal
            .conditions
            .retain(|(slot, _)| !new.contains(slot));
        for (slot, before) in graph.first_of(std::mem::take(&mut self.journal.conditions)) {
            match (before.state, graph.condition(slot).state) {
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

    fn in_others_names(&self, facts: &Facts) -> Vec<TaskId> {
        let is_anothers = |task: &&Arc<Task>| match (&task.owner, self.actor) {
            (Some(owner), Some(actor)) => **owner != *actor,
            _ => false,
        };
        let tasks = facts.added.iter().chain(&facts.revived).filter(is_anothers);
        tasks.map(|task| task.id.clone()).collect()
    }

    fn remove(&mut self, slot: Slot, left: &mut Left) {
        let graph = Arc::make_mut(&mut self.list.graph);
        for blocker in graph.blockers(slot) {
            left.edges.push(edge(graph, slot, blocker));
        }
        for blocked in graph.dependents(slot) {
            left.edges.push(edge(graph, blocked, slot));
        }
        left.tasks.push(graph.task(slot).clone());
        graph.remove(slot, &mut self.journal);
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
            let graph = &self.graph;
            Arc::make_mut(&mut self.retired).revive(|id| graph.find(id.as_str()).is_some());
        }
        if !facts.removed.is_empty() {
            let cap = self.policy.limits.get(Limit::Retired);
            let retired = Arc::make_mut(&mut self.retired);
            for id in retired.retire(&facts.removed, deleted, cap) {
                Arc::make_mut(&mut self.suffixes).free(&id);
            }
        }
    }

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

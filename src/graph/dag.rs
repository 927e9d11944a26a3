//! Order, tasks, edges and the state index of a list, kept in step, and the journal that undoes a change of them.
//!
//! Which change is allowed is not known here, only how it is made. Whatever is given out is sorted by list order, for
//! petgraph yields neighbours newest first. Tested below by random edits that are held against a rebuilt index and
//! undone.

use super::state::State;
use crate::error::{Error, KnownIds};
use crate::id::TaskId;
use crate::task::Task;
use indexmap::IndexMap;
use petgraph::Direction::{Incoming, Outgoing};
use petgraph::stable_graph::{EdgeIndex, NodeIndex, StableDiGraph};
use petgraph::visit::{EdgeRef, NodeIndexable};
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

/// Where a task is, for as long as it is in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub(super) NodeIndex);

/// Grows along the list; never reused within one graph.
pub(super) type Rank = u64;

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0.index()
    }
}

/// A task and what its state follows from.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) task: Arc<Task>,
    pub(super) rank: Rank,
    /// Whether its activation is not met. Of no meaning once the task was started.
    pub(super) asleep: bool,
    pub(super) open_blockers: u32,
}

impl Node {
    pub(super) fn condition(&self) -> Condition {
        let dormant = self.asleep && !self.task.started;
        Condition {
            state: State::of(self.task.status, dormant, self.open_blockers),
            blocked: self.open_blockers > 0,
        }
    }
}

/// What a task is in for: its state, and whether a blocker of it is open, which
/// can be so of a started or completed task too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) state: State,
    pub(crate) blocked: bool,
}

/// The tasks in each state, in list order.
pub(super) type Index = [BTreeSet<(Rank, Slot)>; State::LIVE];

#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(super) order: IndexMap<TaskId, Slot>,
    /// Edges go from the blocker to the task it blocks. Stable, so that a slot stays good when another task leaves.
    pub(super) graph: StableDiGraph<Node, ()>,
    pub(super) index: Index,
    /// Edges whose blocker stands after the task it blocks. While there are
    /// none, the list order proves that there is no cycle.
    pub(super) backward: usize,
    next_rank: Rank,
}

/// Slots, from one of the places where a graph has them. One type, so that what iterates over tasks has a name.
#[derive(Clone, Debug)]
pub(crate) enum Slots<'a> {
    All(indexmap::map::Values<'a, TaskId, Slot>),
    InState(std::collections::btree_set::Iter<'a, (Rank, Slot)>),
    Listed(std::vec::IntoIter<Slot>),
}

impl Iterator for Slots<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        match self {
            Slots::All(slots) => slots.next().copied(),
            Slots::InState(slots) => slots.next().map(|&(_, slot)| slot),
            Slots::Listed(slots) => slots.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Slots::All(slots) => slots.size_hint(),
            Slots::InState(slots) => slots.size_hint(),
            Slots::Listed(slots) => slots.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Slots<'_> {
    fn next_back(&mut self) -> Option<Slot> {
        match self {
            Slots::All(slots) => slots.next_back().copied(),
            Slots::InState(slots) => slots.next_back().map(|&(_, slot)| slot),
            Slots::Listed(slots) => slots.next_back(),
        }
    }
}

impl ExactSizeIterator for Slots<'_> {}

/// What an edit touched, as it was before: enough to undo it and to tell it.
///
/// Whoever reads it takes the first entry for a key; later ones are of states in between.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// Tasks that were added (`None`) or set.
    pub(crate) set: Vec<(Slot, Option<Before>)>,
    /// Edges that were added or removed, and whether they were there before.
    pub(crate) edges: Vec<(Link, bool)>,
    /// Conditions that changed.
    pub(crate) conditions: Vec<(Slot, Condition)>,
}

/// A task before it was set.
#[derive(Debug)]
pub(crate) struct Before {
    pub(crate) task: Arc<Task>,
    asleep: bool,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    pub(crate) blocked: Slot,
    pub(crate) blocker: Slot,
}

/// Which end of its edges a task is at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Dependent,
    Blocker,
}

impl End {
    /// The edge between the task at this end and another.
    pub(crate) fn link(self, slot: Slot, other: Slot) -> Link {
        let (blocked, blocker) = match self {
            End::Dependent => (slot, other),
            End::Blocker => (other, slot),
        };
        Link { blocked, blocker }
    }

    fn direction(self) -> petgraph::Direction {
        match self {
            End::Dependent => Incoming,
            End::Blocker => Outgoing,
        }
    }
}

/// What [`Graph::touch`] does to a node.
enum Touch {
    Task(Arc<Task>, bool),
    BlockerOpened,
    BlockerClosed,
}

impl Journal {
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.edges.is_empty()
    }

    /// The edges that are other than before, and whether they were there, in list order.
    pub(crate) fn net_edges(&self, graph: &Graph) -> Vec<(Link, bool)> {
        let mut touched = self.edges.clone();
        touched.sort_by_key(|(link, _)| (graph.rank(link.blocked), graph.rank(link.blocker)));
        // Each entry turns the edge over.
        (touched.chunk_by(|(a, _), (b, _)| a == b))
            .filter(|entries| entries.len() % 2 == 1)
            .map(|entries| entries[0])
            .collect()
    }
}

/// Two are equal that have the same tasks in the same order, with the same edges.
impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        let blockers = |dag: &Graph, slot| {
            let slots = dag.blockers(slot).into_iter();
            slots
                .map(|slot| dag.task(slot).id.clone())
                .collect::<Vec<_>>()
        };
        self.len() == other.len()
            && self.tasks().eq(other.tasks())
            && self.graph.edge_count() == other.graph.edge_count()
            && (self.slots().zip(other.slots()))
                .all(|(a, b)| blockers(self, a) == blockers(other, b))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = |slot| {
            let blockers = self.blockers(slot).into_iter();
            let blockers = blockers.map(|slot| &self.task(slot).id);
            (self.task(slot), blockers.collect::<Vec<_>>())
        };
        f.debug_map().entries(self.slots().map(entry)).finish()
    }
}

impl Graph {
    pub(super) fn rebuilt_index(&self) -> Index {
        let mut lists: [Vec<(Rank, Slot)>; State::LIVE] = Default::default();
        for &slot in self.order.values() {
            let node = &self.graph[slot.0];
            lists[node.condition().state as usize].push((node.rank, slot));
        }
        lists.map(BTreeSet::from_iter)
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn find(&self, id: &str) -> Option<Slot> {
        self.order.get(id).copied()
    }

    /// The task that a call names.
    pub(crate) fn named(&self, id: &str) -> Result<Slot, Error> {
        let id = id.trim();
        self.find(id).ok_or_else(|| self.unknown(id))
    }

    pub(crate) fn unknown(&self, id: &str) -> Error {
        Error::UnknownTask {
            id: id.trim().into(),
            known: KnownIds::new(self.ids()),
        }
    }

    pub(crate) fn ids_of(&self, slots: impl IntoIterator<Item = Slot>) -> Vec<TaskId> {
        let id = |slot| self.task(slot).id.clone();
        slots.into_iter().map(id).collect()
    }

    /// Where a task stands in the list, from 0, in a graph that was just built. Later ranks have gaps.
    pub(crate) fn place(&self, slot: Slot) -> usize {
        self.graph[slot.0].rank as usize
    }

    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.order.get_index_of(id)
    }

    pub(crate) fn slot_at(&self, position: usize) -> Slot {
        self.order[position]
    }

    pub(crate) fn task(&self, slot: Slot) -> &Arc<Task> {
        &self.graph[slot.0].task
    }

    /// Whether the activation of a task that was never started is not met.
    pub(crate) fn is_asleep(&self, slot: Slot) -> bool {
        self.graph[slot.0].asleep
    }

    pub(crate) fn condition(&self, slot: Slot) -> Condition {
        self.graph[slot.0].condition()
    }

    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = &TaskId> + DoubleEndedIterator {
        self.order.keys()
    }

    pub(crate) fn slots(&self) -> Slots<'_> {
        Slots::All(self.order.values())
    }

    pub(crate) fn tasks(&self) -> impl ExactSizeIterator<Item = &Arc<Task>> + DoubleEndedIterator {
        self.slots().map(|slot| self.task(slot))
    }

    /// Grows along the list.
    pub(crate) fn rank(&self, slot: Slot) -> impl Ord + use<> {
        self.graph[slot.0].rank
    }

    /// More than the index of any slot.
    pub(crate) fn slot_bound(&self) -> usize {
        self.graph.node_bound()
    }

    pub(crate) fn count(&self, state: State) -> usize {
        self.index[state as usize].len()
    }

    /// The tasks in a state, in list order; none are deleted.
    pub(crate) fn in_state(&self, state: State) -> Slots<'_> {
        match self.index.get(state as usize) {
            Some(tasks) => Slots::InState(tasks.iter()),
            None => Slots::Listed(Vec::new().into_iter()),
        }
    }

    /// What entries of a journal say of each task before the call, which is the first entry, in list order. A task that
    /// the call takes out has none.
    pub(crate) fn first_of<T>(&self, mut entries: Vec<(Slot, T)>) -> Vec<(Slot, T)> {
        // A stable sort: later entries of a slot are of states in between, and go.
        entries.sort_by_key(|&(slot, _)| self.rank(slot));
        entries.dedup_by_key(|&mut (slot, _)| slot);
        entries
    }

    /// Sorts by list order.
    pub(crate) fn sort(&self, slots: &mut [Slot]) {
        slots.sort_unstable_by_key(|slot| self.graph[slot.0].rank);
    }

    /// The tasks that this one waits for, in list order.
    pub(crate) fn blockers(&self, slot: Slot) -> Vec<Slot> {
        self.others(slot, End::Dependent)
    }

    /// The tasks that wait for this one, in list order.
    pub(crate) fn dependents(&self, slot: Slot) -> Vec<Slot> {
        self.others(slot, End::Blocker)
    }

    /// The blockers that are not completed, in list order.
    pub(crate) fn open_blockers(&self, slot: Slot) -> Vec<Slot> {
        let mut blockers = self.blockers(slot);
        blockers.retain(|&blocker| self.condition(blocker).state.is_open());
        blockers
    }

    /// The tasks that this one waits for, in no order.
    pub(crate) fn unsorted_blockers(&self, slot: Slot) -> impl Iterator<Item = Slot> + '_ {
        self.graph.neighbors_directed(slot.0, Incoming).map(Slot)
    }

    /// The tasks at the other ends of its edges, in list order.
    pub(crate) fn others(&self, slot: Slot, end: End) -> Vec<Slot> {
        // petgraph gives the newest edge first. Nothing leaves this file in that order.
        let others = self.graph.neighbors_directed(slot.0, end.direction());
        let mut others: Vec<Slot> = others.map(Slot).collect();
        self.sort(&mut others);
        others
    }

    /// Whether the edge is there. Costs the smaller of the two degrees.
    pub(crate) fn is_linked(&self, link: Link) -> bool {
        // From both ends at once: a hub has as many edges as the list has tasks, and the other end mostly few.
        let mut dependents = self.graph.neighbors_directed(link.blocker.0, Outgoing);
        let mut blockers = self.graph.neighbors_directed(link.blocked.0, Incoming);
        loop {
            match (dependents.next(), blockers.next()) {
                (Some(dependent), _) if dependent == link.blocked.0 => return true,
                (_, Some(blocker)) if blocker == link.blocker.0 => return true,
                (Some(_), Some(_)) => {}
                _ => return false,
            }
        }
    }

    fn is_backward(&self, link: Link) -> bool {
        self.graph[link.blocker.0].rank > self.graph[link.blocked.0].rank
    }

    /// Appends a task and leaves the index for later; gives the task back where its id is taken.
    pub(super) fn append(&mut self, task: Arc<Task>, asleep: bool) -> Result<Slot, Arc<Task>> {
        match self.order.entry(task.id.clone()) {
            indexmap::map::Entry::Occupied(_) => Err(task),
            indexmap::map::Entry::Vacant(entry) => {
                let rank = self.next_rank;
                self.next_rank += 1;
                let slot = Slot(self.graph.add_node(Node {
                    task,
                    rank,
                    asleep,
                    open_blockers: 0,
                }));
                entry.insert(slot);
                Ok(slot)
            }
        }
    }

    /// Appends a task; gives it back where its id is taken.
    pub(crate) fn push(
        &mut self,
        task: Arc<Task>,
        asleep: bool,
        journal: &mut Journal,
    ) -> Result<Slot, Arc<Task>> {
        let slot = self.append(task, asleep)?;
        let node = &self.graph[slot.0];
        self.index[node.condition().state as usize].insert((node.rank, slot));
        journal.set.push((slot, None));
        Ok(slot)
    }

    /// Puts a task with the same id in the place of the old one, asleep or not.
    pub(crate) fn set(&mut self, slot: Slot, task: Arc<Task>, asleep: bool, journal: &mut Journal) {
        journal.set.push((slot, Some(self.before(slot))));
        self.touch(slot, Touch::Task(task, asleep), journal);
    }

    /// A task as it is, for the journal of what is about to be done.
    pub(crate) fn before(&self, slot: Slot) -> Before {
        let Node { task, asleep, .. } = &self.graph[slot.0];
        Before {
            task: task.clone(),
            asleep: *asleep,
        }
    }

    /// Adds an edge between two different tasks; no change where it is there already.
    pub(crate) fn link(&mut self, link: Link, journal: &mut Journal) {
        if self.is_linked(link) {
            return;
        }
        // Before the graph changes, so that an undo finds what it needs whatever comes after.
        journal.edges.push((link, false));
        self.graph.add_edge(link.blocker.0, link.blocked.0, ());
        self.backward += usize::from(self.is_backward(link));
        if self.condition(link.blocker).state.is_open() {
            self.touch(link.blocked, Touch::BlockerOpened, journal);
        }
    }

    /// Removes the edges of a task, at one end, to those that are `gone`. Costs the degree.
    pub(crate) fn unlink(
        &mut self,
        slot: Slot,
        end: End,
        gone: &HashSet<Slot>,
        journal: &mut Journal,
    ) {
        let edges = self.graph.edges_directed(slot.0, end.direction());
        let edges: Vec<(EdgeIndex, Slot)> = edges
            .map(|edge| match end {
                End::Dependent => (edge.id(), Slot(edge.source())),
                End::Blocker => (edge.id(), Slot(edge.target())),
            })
            .collect();
        // To remove one edge petgraph walks past all newer ones. So all go, newest first, and
        // those that stay come back.
        for &(edge, _) in &edges {
            self.graph.remove_edge(edge);
        }
        for (_, other) in edges.into_iter().rev() {
            let link = end.link(slot, other);
            match gone.contains(&other) {
                true => self.unlinked(link, journal),
                false => _ = self.graph.add_edge(link.blocker.0, link.blocked.0, ()),
            }
        }
    }

    fn unlinked(&mut self, link: Link, journal: &mut Journal) {
        journal.edges.push((link, true));
        self.backward -= usize::from(self.is_backward(link));
        if self.condition(link.blocker).state.is_open() {
            self.touch(link.blocked, Touch::BlockerClosed, journal);
        }
    }

    /// Takes a task out, with its edges. Not for an edit that may still fail: only the
    /// conditions of other tasks are journaled.
    pub(crate) fn remove(&mut self, slot: Slot, journal: &mut Journal) {
        let was_open = self.condition(slot).state.is_open();
        for blocker in self.blockers(slot) {
            let link = Link {
                blocked: slot,
                blocker,
            };
            self.backward -= usize::from(self.is_backward(link));
        }
        for blocked in self.dependents(slot) {
            let link = Link {
                blocked,
                blocker: slot,
            };
            self.backward -= usize::from(self.is_backward(link));
            if was_open {
                self.touch(blocked, Touch::BlockerClosed, journal);
            }
        }
        self.discard(slot);
    }

    fn discard(&mut self, slot: Slot) {
        if let Some(node) = self.graph.remove_node(slot.0) {
            self.index[node.condition().state as usize].remove(&(node.rank, slot));
            // Not `swap_remove`, which moves the last task. It is linear, and a delete takes one task at a time.
            self.order.shift_remove(&node.task.id);
        }
    }

    /// The one way a node changes: keeps the index, and the counts of the tasks that
    /// wait for it, in step. It calls itself once at the most, as a blocker count does
    /// not decide whether a task is open.
    fn touch(&mut self, slot: Slot, touch: Touch, journal: &mut Journal) {
        // The condition is taken before and after, so that whatever may decide a state is covered by one comparison.
        let node = &mut self.graph[slot.0];
        let before = node.condition();
        match touch {
            Touch::Task(task, asleep) => (node.task, node.asleep) = (task, asleep),
            Touch::BlockerOpened => node.open_blockers += 1,
            Touch::BlockerClosed => node.open_blockers -= 1,
        }
        let (after, rank) = (node.condition(), node.rank);
        if before == after {
            return;
        }
        journal.conditions.push((slot, before));
        // Only the count of open blockers changed, of a task that is started or done; the index has no place for that.
        if before.state == after.state {
            return;
        }
        self.index[before.state as usize].remove(&(rank, slot));
        self.index[after.state as usize].insert((rank, slot));
        // What waits for this task feels only whether it is open.
        if before.state.is_open() == after.state.is_open() {
            return;
        }
        // Detached, since the loop changes the nodes while it walks.
        let mut dependents = self.graph.neighbors_directed(slot.0, Outgoing).detach();
        while let Some(dependent) = dependents.next_node(&self.graph) {
            let touch = match after.state.is_open() {
                true => Touch::BlockerOpened,
                false => Touch::BlockerClosed,
            };
            self.touch(Slot(dependent), touch, journal);
        }
    }

    /// Puts back what the journal tells of, last things first.
    pub(crate) fn undo(&mut self, journal: Journal) {
        let undone = &mut Journal::default();
        // Edges before tasks: a task that the edit added still has the edges that it was given.
        for (link, existed) in journal.edges.into_iter().rev() {
            match existed {
                true => self.link(link, undone),
                false => {
                    // The newest edge of both its ends, so that it is found at once.
                    if let Some(edge) = self.graph.find_edge(link.blocker.0, link.blocked.0) {
                        self.graph.remove_edge(edge);
                        self.unlinked(link, undone);
                    }
                }
            }
        }
        for (slot, before) in journal.set.into_iter().rev() {
            match before {
                Some(Before { task, asleep }) => {
                    self.touch(slot, Touch::Task(task, asleep), undone);
                }
                None => self.discard(slot),
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn check_index(&self) {
        let mut backward = 0;
        let mut last = None;
        for (id, &slot) in &self.order {
            let node = &self.graph[slot.0];
            assert_eq!(&node.task.id, id);
            assert!(last < Some(node.rank), "ranks grow along the list");
            last = Some(node.rank);
            assert_eq!(node.open_blockers as usize, self.open_blockers(slot).len());
            let backward_blockers = self.blockers(slot).into_iter();
            backward += backward_blockers
                .filter(|b| self.graph[b.0].rank > node.rank)
                .count();
        }
        assert_eq!(self.graph.node_count(), self.order.len());
        let edges = self.graph.edge_indices();
        let ends: HashSet<_> = edges.map(|edge| self.graph.edge_endpoints(edge)).collect();
        assert_eq!(
            ends.len(),
            self.graph.edge_count(),
            "each edge is there once"
        );
        assert_eq!(self.backward, backward);
        assert_eq!(self.index, self.rebuilt_index());
    }
}

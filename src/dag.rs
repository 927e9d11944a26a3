//! Order, tasks, edges and the state index, kept in step.
//!
//! The only module that knows petgraph. Whatever it gives out is sorted by list
//! order, for petgraph yields neighbours newest first.

use crate::buckets::Buckets;
use crate::id::TaskId;
use crate::state::State;
use crate::task::Task;
use indexmap::IndexMap;
use petgraph::Direction::{Incoming, Outgoing};
use petgraph::stable_graph::{EdgeIndex, NodeIndex, StableDiGraph};
use petgraph::visit::{EdgeRef, NodeIndexable};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

/// Where a task is, for as long as it is in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(NodeIndex);

/// Grows along the list; never reused within one graph.
type Rank = u64;

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0.index()
    }
}

/// A task and what its state follows from.
#[derive(Clone, Debug)]
struct Node {
    task: Arc<Task>,
    rank: Rank,
    /// Whether its activation is not met. Of no meaning once the task was started.
    asleep: bool,
    open_blockers: u32,
}

impl Node {
    fn condition(&self) -> Condition {
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
type Index = [BTreeSet<(Rank, Slot)>; State::LIVE];

#[derive(Clone, Default)]
pub(crate) struct Dag {
    order: IndexMap<TaskId, Slot>,
    /// Edges go from the blocker to the task it blocks.
    graph: StableDiGraph<Node, ()>,
    index: Index,
    /// Edges whose blocker stands after the task it blocks. While there are
    /// none, the list order proves that there is no cycle.
    backward: usize,
    next_rank: Rank,
}

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
    Blocked,
    Blocker,
}

impl End {
    /// The edge between the task at this end and another.
    pub(crate) fn link(self, slot: Slot, other: Slot) -> Link {
        let (blocked, blocker) = match self {
            End::Blocked => (slot, other),
            End::Blocker => (other, slot),
        };
        Link { blocked, blocker }
    }

    fn direction(self) -> petgraph::Direction {
        match self {
            End::Blocked => Incoming,
            End::Blocker => Outgoing,
        }
    }
}

/// What [`Dag::touch`] does to a node.
enum Touch {
    Task(Arc<Task>, bool),
    BlockerOpened,
    BlockerClosed,
}

impl Journal {
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.edges.is_empty()
    }
}

/// Two are equal that have the same tasks in the same order, with the same edges.
impl PartialEq for Dag {
    fn eq(&self, other: &Self) -> bool {
        let blockers = |dag: &Dag, slot| {
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

impl fmt::Debug for Dag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = |slot| {
            let blockers = self.blockers(slot).into_iter();
            let blockers = blockers.map(|slot| &self.task(slot).id);
            (self.task(slot), blockers.collect::<Vec<_>>())
        };
        f.debug_map().entries(self.slots().map(entry)).finish()
    }
}

impl Dag {
    pub(crate) fn with_capacity(tasks: usize) -> Self {
        Dag {
            order: IndexMap::with_capacity(tasks),
            graph: StableDiGraph::with_capacity(tasks, 0),
            ..Dag::default()
        }
    }

    /// Appends a task to a graph that is being built: the index waits for [`Dag::connect`].
    /// Gives the task back where its id is taken.
    pub(crate) fn append(&mut self, task: Arc<Task>, asleep: bool) -> Result<Slot, Arc<Task>> {
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

    /// Adds the edges of a graph that was just placed, `(blocked, blocker)` by
    /// position and in any order, each once, and makes the index. A cycle is refused
    /// with its shortest path.
    pub(crate) fn connect(&mut self, edges: &[(u32, u32)]) -> Result<(), Vec<Slot>> {
        debug_assert_eq!(self.graph.edge_count(), 0);
        let by_blocked = Buckets::new(self.len(), edges.iter().copied());
        let mut seen_for = vec![u32::MAX; self.len()];
        for blocked in 0..self.len() as u32 {
            for &blocker in by_blocked.of(blocked) {
                if std::mem::replace(&mut seen_for[blocker as usize], blocked) != blocked {
                    let open = self.graph[NodeIndex::from(blocker)]
                        .condition()
                        .state
                        .is_open();
                    self.graph.add_edge(blocker.into(), blocked.into(), ());
                    self.graph[NodeIndex::from(blocked)].open_blockers += u32::from(open);
                    self.backward += usize::from(blocker > blocked);
                }
            }
        }
        self.index = self.rebuilt_index();
        match self.shortest_cycle() {
            None => Ok(()),
            Some(cycle) => Err(cycle),
        }
    }

    /// Takes out of the edges that a placed graph is to have those that close a cycle, and gives them as
    /// `(blocked, blocker)`. Goes depth first through the tasks in list order, on a stack of its own.
    pub(crate) fn break_cycles(&self, edges: &mut Vec<(u32, u32)>) -> Vec<(Slot, Slot)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            Not,
            Open,
            Done,
        }
        let by_blocker = Buckets::new(
            self.len(),
            edges.iter().map(|&(blocked, blocker)| (blocker, blocked)),
        );
        let mut visits = vec![Visit::Not; self.len()];
        let mut closing = HashSet::new();
        let mut path: Vec<(u32, usize)> = Vec::new();
        for start in 0..self.len() as u32 {
            if visits[start as usize] == Visit::Not {
                visits[start as usize] = Visit::Open;
                path.push((start, 0));
            }
            while let Some((blocker, next)) = path.last_mut() {
                let Some(&blocked) = by_blocker.of(*blocker).get(*next) else {
                    visits[*blocker as usize] = Visit::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match visits[blocked as usize] {
                    Visit::Done => {}
                    Visit::Open => _ = closing.insert((blocked, *blocker)),
                    Visit::Not => {
                        visits[blocked as usize] = Visit::Open;
                        path.push((blocked, 0));
                    }
                }
            }
        }
        let mut broken = Vec::new();
        edges.retain(|&(blocked, blocker)| {
            let closes = closing.contains(&(blocked, blocker));
            let slot = |place: u32| self.slot_at(place as usize);
            broken.extend(closes.then(|| (slot(blocked), slot(blocker))));
            !closes
        });
        broken
    }

    fn rebuilt_index(&self) -> Index {
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

    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.order.get_index_of(id)
    }

    /// The place in the list of a task that [`Dag::connect`] made the graph of.
    pub(crate) fn place(&self, slot: Slot) -> usize {
        self.graph[slot.0].rank as usize
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

    pub(crate) fn slots(&self) -> impl ExactSizeIterator<Item = Slot> + DoubleEndedIterator {
        self.order.values().copied()
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

    /// The tasks in a state, in list order.
    pub(crate) fn in_state(&self, state: State) -> impl Iterator<Item = Slot> + '_ {
        self.index[state as usize].iter().map(|&(_, slot)| slot)
    }

    /// Sorts by list order.
    pub(crate) fn sort(&self, slots: &mut [Slot]) {
        slots.sort_unstable_by_key(|slot| self.graph[slot.0].rank);
    }

    /// The tasks that this one waits for, in list order.
    pub(crate) fn blockers(&self, slot: Slot) -> Vec<Slot> {
        self.others(slot, End::Blocked)
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
        let others = self.graph.neighbors_directed(slot.0, end.direction());
        let mut others: Vec<Slot> = others.map(Slot).collect();
        self.sort(&mut others);
        others
    }

    /// Whether the edge is there. Costs the smaller of the two degrees.
    pub(crate) fn is_linked(&self, link: Link) -> bool {
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
                End::Blocked => (edge.id(), Slot(edge.source())),
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
            self.order.shift_remove(&node.task.id);
        }
    }

    /// The one way a node changes: keeps the index, and the counts of the tasks that
    /// wait for it, in step. It calls itself once at the most, as a blocker count does
    /// not decide whether a task is open.
    fn touch(&mut self, slot: Slot, touch: Touch, journal: &mut Journal) {
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
        if before.state == after.state {
            return;
        }
        self.index[before.state as usize].remove(&(rank, slot));
        self.index[after.state as usize].insert((rank, slot));
        if before.state.is_open() == after.state.is_open() {
            return;
        }
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

    /// The shortest cycle through a task, from its first task in list order on. Costs
    /// nothing while every edge points forward, else one breadth-first search.
    pub(crate) fn cycle_through(&self, slot: Slot) -> Option<Vec<Slot>> {
        if self.backward == 0 {
            return None;
        }
        let cycle = Search::new(self).cycle(slot, usize::MAX)?;
        Some(self.first_task_first(cycle))
    }

    /// A shortest cycle of the whole graph, from its first task in list order on. In
    /// graphs with more than some millions of steps to try, the shortest of those tried.
    fn shortest_cycle(&self) -> Option<Vec<Slot>> {
        const STEPS: usize = 1 << 22;
        if self.backward == 0 || self.is_acyclic() {
            return None;
        }
        let mut suspects: Vec<Slot> = petgraph::algo::kosaraju_scc(&self.graph)
            .into_iter()
            .filter(|component| component.len() > 1)
            .flatten()
            .map(Slot)
            .collect();
        self.sort(&mut suspects);
        let mut search = Search::new(self);
        let mut best: Option<Vec<Slot>> = None;
        for suspect in suspects {
            let most = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            best = search.cycle(suspect, most).or(best);
            if search.steps > STEPS || best.as_ref().is_some_and(|cycle| cycle.len() == 2) {
                break;
            }
        }
        best.map(|cycle| self.first_task_first(cycle))
    }

    /// Not inlined, so that `benches/instructions` finds what it costs.
    #[inline(never)]
    fn is_acyclic(&self) -> bool {
        petgraph::algo::toposort(&self.graph, None).is_ok()
    }

    fn first_task_first(&self, mut cycle: Vec<Slot>) -> Vec<Slot> {
        let ranks = cycle.iter().map(|slot| self.graph[slot.0].rank);
        let first = ranks.enumerate().min_by_key(|&(_, rank)| rank);
        cycle.rotate_left(first.map_or(0, |(at, _)| at));
        cycle
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

/// Breadth-first searches over one graph that share their scratch space.
struct Search<'a> {
    dag: &'a Dag,
    /// By node: the search that last came there, and how far it was from its start.
    seen: Vec<(u32, u32)>,
    searches: u32,
    /// Edges walked so far.
    steps: usize,
}

impl<'a> Search<'a> {
    fn new(dag: &'a Dag) -> Self {
        Search {
            dag,
            seen: vec![(0, 0); dag.graph.node_bound()],
            searches: 0,
            steps: 0,
        }
    }

    /// The shortest cycle through `start` of at most so many tasks.
    fn cycle(&mut self, start: Slot, most: usize) -> Option<Vec<Slot>> {
        self.searches += 1;
        self.seen[start.0.index()] = (self.searches, 0);
        let mut queue = VecDeque::from([start.0]);
        while let Some(node) = queue.pop_front() {
            let distance = self.seen[node.index()].1;
            if distance as usize >= most {
                return None;
            }
            for next in self.dag.graph.neighbors_directed(node, Outgoing) {
                self.steps += 1;
                if next == start.0 {
                    return Some(self.back(start, distance));
                }
                let seen = &mut self.seen[next.index()];
                if seen.0 != self.searches {
                    *seen = (self.searches, distance + 1);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Walks a cycle back to its start by the distances of the running search; of
    /// several ways it takes the one over the first tasks in list order.
    fn back(&self, start: Slot, length: u32) -> Vec<Slot> {
        let mut cycle = vec![start];
        let mut at = start;
        for distance in (1..=length).rev() {
            let before = self.dag.blockers(at).into_iter();
            let seen = |slot: &Slot| self.seen[slot.0.index()] == (self.searches, distance);
            at = before.clone().find(seen).unwrap_or(at);
            cycle.push(at);
        }
        cycle[1..].reverse();
        cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Status, TaskDraft};
    use proptest::prelude::*;

    fn task(id: u8, status: Status) -> Arc<Task> {
        let id = TaskId::from_slug(&format!("t{id}"));
        let draft = TaskDraft::default().status(status);
        Arc::new(draft.fields.alone(id, "Subject".into()))
    }

    #[derive(Clone, Debug)]
    enum Op {
        Push(u8, Status, bool),
        Set(u8, Status, bool),
        Link(u8, u8),
        Unlink(u8, bool, Vec<u8>),
    }

    fn op() -> impl Strategy<Value = Op> {
        let id = || 0..8u8;
        let status = || {
            prop_oneof![
                Just(Status::Pending),
                Just(Status::InProgress),
                Just(Status::Completed)
            ]
        };
        prop_oneof![
            (id(), status(), any::<bool>())
                .prop_map(|(id, status, asleep)| Op::Push(id, status, asleep)),
            (id(), status(), any::<bool>())
                .prop_map(|(id, status, asleep)| Op::Set(id, status, asleep)),
            (id(), id()).prop_map(|(a, b)| Op::Link(a, b)),
            (id(), any::<bool>(), prop::collection::vec(id(), 0..4))
                .prop_map(|(id, end, gone)| Op::Unlink(id, end, gone)),
        ]
    }

    fn apply(dag: &mut Dag, op: &Op, journal: &mut Journal) {
        let find = |dag: &Dag, id: u8| dag.find(&format!("t{id}"));
        match *op {
            Op::Push(id, status, asleep) => _ = dag.push(task(id, status), asleep, journal),
            Op::Set(id, status, asleep) => {
                if let Some(slot) = find(dag, id) {
                    dag.set(slot, task(id, status), asleep, journal);
                }
            }
            Op::Link(a, b) => {
                if let (Some(blocker), Some(blocked)) = (find(dag, a), find(dag, b))
                    && a != b
                {
                    dag.link(Link { blocked, blocker }, journal);
                }
            }
            Op::Unlink(id, blocked, ref gone) => {
                if let Some(slot) = find(dag, id) {
                    let gone = gone.iter().filter_map(|&id| find(dag, id)).collect();
                    let end = if blocked { End::Blocked } else { End::Blocker };
                    dag.unlink(slot, end, &gone, journal);
                }
            }
        }
    }

    fn pending(tasks: u8) -> Dag {
        let mut dag = Dag::default();
        for id in 0..tasks {
            dag.append(task(id, Status::Pending), false).unwrap();
        }
        dag
    }

    #[test]
    fn an_edge_is_found_from_either_end() {
        let edges: Vec<(u32, u32)> = (1..6).flat_map(|n| [(n, 0), (6, n)]).collect();
        let mut dag = pending(7);
        dag.connect(&edges).unwrap();
        for (blocked, blocker) in edges {
            let (blocked, blocker) = (dag.slot_at(blocked as usize), dag.slot_at(blocker as usize));
            assert!(dag.is_linked(Link { blocked, blocker }));
            let (blocked, blocker) = (blocker, blocked);
            assert!(!dag.is_linked(Link { blocked, blocker }));
        }
    }

    #[test]
    fn of_cycles_of_one_length_the_first_is_told() {
        let edges = [(4, 3), (5, 4), (3, 5), (1, 0), (2, 1), (0, 2)];
        let mut dag = pending(6);
        let cycle = dag.connect(&edges).unwrap_err();
        let places: Vec<usize> = cycle.iter().map(|&slot| dag.place(slot)).collect();
        assert_eq!(places, [0, 1, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_index_equals_a_rebuild_and_undo_restores_all(
            kept in prop::collection::vec(op(), 0..40),
            undone in prop::collection::vec(op(), 0..20),
            removed in prop::collection::vec(0..8u8, 0..8),
        ) {
            let mut dag = Dag::default();
            for op in &kept {
                apply(&mut dag, op, &mut Journal::default());
                dag.check_index();
            }
            let before = dag.clone();
            let mut journal = Journal::default();
            for op in &undone {
                apply(&mut dag, op, &mut journal);
                dag.check_index();
            }
            dag.undo(journal);
            dag.check_index();
            prop_assert_eq!(&dag, &before);
            for id in removed {
                if let Some(slot) = dag.find(&format!("t{id}")) {
                    dag.remove(slot, &mut Journal::default());
                    dag.check_index();
                }
            }
        }

        #[test]
        fn the_shortest_cycle_is_found(
            tasks in 2..8u32,
            edges in prop::collection::vec((0..8u32, 0..8u32), 0..16),
        ) {
            let edges: Vec<(u32, u32)> = (edges.into_iter())
                .map(|(a, b)| (a % tasks, b % tasks))
                .filter(|(a, b)| a != b)
                .collect();
            let mut dag = Dag::with_capacity(tasks as usize);
            for id in 0..tasks {
                dag.append(task(id as u8, Status::Pending), false).unwrap();
            }
            let found = dag.connect(&edges).err();
            // Lengths of walks from each task to itself, by repeated widening.
            let mut reach: Vec<BTreeSet<u32>> = (0..tasks).map(|t| BTreeSet::from([t])).collect();
            let shortest = (1..=tasks).find_map(|length| {
                for set in &mut reach {
                    let step = edges.iter().filter(|(_, from)| set.contains(from));
                    *set = step.map(|&(to, _)| to).collect();
                }
                let first = (0..tasks).find(|&t| reach[t as usize].contains(&t))?;
                Some((length, first))
            });
            let length_and_first = |cycle: &Vec<Slot>| {
                (cycle.len() as u32, dag.place(cycle[0]) as u32)
            };
            prop_assert_eq!(found.as_ref().map(length_and_first), shortest);
            if let Some(cycle) = found {
                let places: Vec<u32> = cycle.iter().map(|&slot| dag.place(slot) as u32).collect();
                prop_assert_eq!(places.iter().min(), places.first());
                for (i, &at) in places.iter().enumerate() {
                    let next = places[(i + 1) % places.len()];
                    prop_assert!(edges.contains(&(next, at)));
                }
            }
        }
    }
}

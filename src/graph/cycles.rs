//! Cycles: whether there is one, and a shortest one to tell of.
//!
//! Nothing recurses, since a chain of 100,000 tasks would overflow the stack. Tested in `tests.rs` beside this file
//! against cycles found by brute force, and by `tests/limits.rs` on deep and wide graphs.

use super::dag::{Graph, Slot};
use super::state::State;
use crate::error::Error;
use petgraph::Direction::Outgoing;
use petgraph::visit::NodeIndexable;
use std::collections::VecDeque;

impl Graph {
    /// Refuses a cycle through a task, with the shortest. Costs nothing while every edge points forward, else one
    /// breadth-first search.
    pub(crate) fn refuse_cycle_through(&self, slot: Slot) -> Result<(), Error> {
        if self.backward == 0 {
            return Ok(());
        }
        match Search::new(self).cycle(slot, usize::MAX) {
            None => Ok(()),
            Some(cycle) => Err(self.cycle_error(cycle)),
        }
    }

    /// Refuses a cycle anywhere, with a shortest one, or in graphs with more than some millions of steps to try, the
    /// shortest of those tried.
    pub(super) fn refuse_cycles(&self) -> Result<(), Error> {
        match self.shortest_cycle() {
            None => Ok(()),
            Some(cycle) => Err(self.cycle_error(cycle)),
        }
    }

    fn cycle_error(&self, cycle: Vec<Slot>) -> Error {
        let mut cycle = self.first_task_first(cycle);
        let completed = |&slot: &Slot| self.condition(slot).state == State::Completed;
        let completed = self.ids_of(cycle.iter().copied().filter(completed));
        cycle.extend(cycle.first().copied());
        Error::Cycle {
            path: self.ids_of(cycle),
            completed,
        }
    }

    fn shortest_cycle(&self) -> Option<Vec<Slot>> {
        // A search from every suspect is quadratic in the worst case. This many steps take some 20 ms.
        const STEPS: usize = 1 << 22;
        if self.backward == 0 || self.is_acyclic() {
            return None;
        }
        // Only tasks that are in some cycle are worth a search. Kosaraju's algorithm, since Tarjan's in petgraph recurses.
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
            // A search stops at the length to beat, so that most suspects cost a few steps.
            let most = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            best = search.cycle(suspect, most).or(best);
            if search.steps > STEPS || best.as_ref().is_some_and(|cycle| cycle.len() == 2) {
                break;
            }
        }
        best
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
}

/// Breadth-first searches over one graph that share their scratch space.
struct Search<'a> {
    graph: &'a Graph,
    /// By node: the search that last came there, and how far it was from its start.
    seen: Vec<(u32, u32)>,
    searches: u32,
    /// Edges walked so far.
    steps: usize,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        Search {
            graph,
            seen: vec![(0, 0); graph.graph.node_bound()],
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
            for next in self.graph.graph.neighbors_directed(node, Outgoing) {
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
            // Over the first tasks of the list, so that equal lists tell the same cycle.
            let before = self.graph.blockers(at).into_iter();
            let seen = |slot: &Slot| self.seen[slot.0.index()] == (self.searches, distance);
            at = before.clone().find(seen).unwrap_or(at);
            cycle.push(at);
        }
        cycle[1..].reverse();
        cycle
    }
}

//! A graph that is being made as a whole, for a write and for a load: tasks first, then all edges at once.
//!
//! Apart from [`Graph`], whose every change keeps the index in step: here the index is made once, at the end, and one
//! check for cycles stands for all edges. Tested in `tests.rs` beside this file.

use super::buckets::Buckets;
use super::dag::{Graph, Slot};
use crate::error::Error;
use crate::id::TaskId;
use crate::task::Task;
use petgraph::graph::NodeIndex;
use petgraph::stable_graph::StableDiGraph;
use std::collections::HashSet;
use std::sync::Arc;

/// Tasks in order, without edges yet. A place is where a task stands, from 0.
#[derive(Debug)]
pub(crate) struct Builder(Graph);

impl Builder {
    pub(crate) fn with_capacity(tasks: usize) -> Self {
        let mut graph = Graph::default();
        graph.order.reserve(tasks);
        graph.graph = StableDiGraph::with_capacity(tasks, 0);
        Builder(graph)
    }

    /// Appends a task, asleep or not; gives it back where its id is taken. The slot is good in the graph that is
    /// built.
    pub(crate) fn append(&mut self, task: Arc<Task>, asleep: bool) -> Result<Slot, Arc<Task>> {
        self.0.append(task, asleep)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        let slot = self.0.find(id)?;
        Some(self.0.place(slot) as u32)
    }

    /// The place of a task that a call names.
    pub(crate) fn named(&self, id: &str) -> Result<u32, Error> {
        let slot = self.0.named(id)?;
        Ok(self.0.place(slot) as u32)
    }

    pub(crate) fn id(&self, place: u32) -> &TaskId {
        &self.0.task(self.0.slot_at(place as usize)).id
    }

    /// The graph with these edges, `(blocked, blocker)` by place and in any order; one given twice counts once. A cycle
    /// is refused.
    pub(crate) fn build(self, edges: &[(u32, u32)]) -> Result<Graph, Error> {
        let Builder(mut graph) = self;
        let by_blocked = Buckets::new(graph.len(), edges.iter().copied());
        let mut seen_for = vec![u32::MAX; graph.len()];
        for blocked in 0..graph.len() as u32 {
            for &blocker in by_blocked.of(blocked) {
                // `update_edge` would look through the edges of the blocker, which is quadratic on a hub.
                if std::mem::replace(&mut seen_for[blocker as usize], blocked) == blocked {
                    continue;
                }
                let is_open = graph.graph[NodeIndex::from(blocker)]
                    .condition()
                    .state
                    .is_open();
                graph.graph.add_edge(blocker.into(), blocked.into(), ());
                graph.graph[NodeIndex::from(blocked)].open_blockers += u32::from(is_open);
                graph.backward += usize::from(blocker > blocked);
            }
        }
        // Sorted vectors become B-trees in linear time; insertion one by one would sort as it goes.
        graph.index = graph.rebuilt_index();
        graph.refuse_cycles()?;
        Ok(graph)
    }

    /// Takes those edges out that close a cycle, and gives them as `(blocked, blocker)`. Goes depth first through the
    /// tasks in list order, on a stack of its own.
    pub(crate) fn break_cycles(&self, edges: &mut Vec<(u32, u32)>) -> Vec<(u32, u32)> {
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
        edges.retain(|edge| {
            let closes = closing.contains(edge);
            broken.extend(closes.then_some(*edge));
            !closes
        });
        broken
    }
}

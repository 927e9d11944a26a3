//! The graph against a rebuilt index, its undo, and its cycles against brute force.

use super::build::Builder;
use super::dag::{End, Graph, Journal, Link};
use crate::error::Error;
use crate::id::TaskId;
use crate::status::Status;
use crate::task::{Task, TaskDraft};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

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

fn apply(graph: &mut Graph, op: &Op, journal: &mut Journal) {
    let find = |graph: &Graph, id: u8| graph.find(&format!("t{id}"));
    match *op {
        Op::Push(id, status, asleep) => _ = graph.push(task(id, status), asleep, journal),
        Op::Set(id, status, asleep) => {
            if let Some(slot) = find(graph, id) {
                graph.set(slot, task(id, status), asleep, journal);
            }
        }
        Op::Link(a, b) => {
            if let (Some(blocker), Some(blocked)) = (find(graph, a), find(graph, b))
                && a != b
            {
                graph.link(Link { blocked, blocker }, journal);
            }
        }
        Op::Unlink(id, blocked, ref gone) => {
            if let Some(slot) = find(graph, id) {
                let gone = gone.iter().filter_map(|&id| find(graph, id)).collect();
                let end = if blocked {
                    End::Dependent
                } else {
                    End::Blocker
                };
                graph.unlink(slot, end, &gone, journal);
            }
        }
    }
}

fn pending(tasks: u8) -> Builder {
    let mut builder = Builder::with_capacity(tasks.into());
    for id in 0..tasks {
        builder.append(task(id, Status::Pending), false).unwrap();
    }
    builder
}

/// The tasks of the cycle that a graph with these edges is refused for, by place.
fn cycle(tasks: u8, edges: &[(u32, u32)]) -> Option<Vec<u32>> {
    let builder = pending(tasks);
    let Err(Error::Cycle { mut path, .. }) = builder.build(edges) else {
        return None;
    };
    assert_eq!(path.pop(), path.first().cloned());
    let place = |id: &TaskId| id.as_str()[1..].parse().unwrap();
    Some(path.iter().map(place).collect())
}

#[test]
fn an_edge_is_found_from_either_end() {
    let edges: Vec<(u32, u32)> = (1..6).flat_map(|n| [(n, 0), (6, n)]).collect();
    let graph = pending(7).build(&edges).unwrap();
    for (blocked, blocker) in edges {
        let (blocked, blocker) = (
            graph.slot_at(blocked as usize),
            graph.slot_at(blocker as usize),
        );
        assert!(graph.is_linked(Link { blocked, blocker }));
        let (blocked, blocker) = (blocker, blocked);
        assert!(!graph.is_linked(Link { blocked, blocker }));
    }
}

#[test]
fn of_cycles_of_one_length_the_first_is_told() {
    let edges = [(4, 3), (5, 4), (3, 5), (1, 0), (2, 1), (0, 2)];
    assert_eq!(cycle(6, &edges), Some(vec![0, 1, 2]));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_equals_a_rebuild_and_undo_restores_all(
        kept in prop::collection::vec(op(), 0..40),
        undone in prop::collection::vec(op(), 0..20),
        removed in prop::collection::vec(0..8u8, 0..8),
    ) {
        let mut graph = Graph::default();
        for op in &kept {
            apply(&mut graph, op, &mut Journal::default());
            graph.check_index();
        }
        let before = graph.clone();
        let mut journal = Journal::default();
        for op in &undone {
            apply(&mut graph, op, &mut journal);
            graph.check_index();
        }
        graph.undo(journal);
        graph.check_index();
        prop_assert_eq!(&graph, &before);
        for id in removed {
            if let Some(slot) = graph.find(&format!("t{id}")) {
                graph.remove(slot, &mut Journal::default());
                graph.check_index();
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
        let found = cycle(tasks as u8, &edges);
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
        let length_and_first = |cycle: &Vec<u32>| (cycle.len() as u32, cycle[0]);
        prop_assert_eq!(found.as_ref().map(length_and_first), shortest);
        if let Some(places) = found {
            prop_assert_eq!(places.iter().min(), places.first());
            for (i, &at) in places.iter().enumerate() {
                let next = places[(i + 1) % places.len()];
                prop_assert!(edges.contains(&(next, at)));
            }
        }
    }
}

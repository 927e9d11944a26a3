//! Tests that every store package runs with its own writer binary (`writer.rs`).

use agent_tasklist::store::{ListKey, Store, block_on};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Starts the writer `binary BACKEND KEY NAME COUNT`.
fn start(binary: &str, backend: &str, key: &str, name: &str, count: usize) -> Child {
    Command::new(binary)
        .args([backend, key, name, &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer is built with the tests")
}

/// The ids that a writer told of before it ended.
fn acknowledged(writer: &mut Child) -> Vec<String> {
    let out = writer.stdout.take().expect("its output is piped");
    let lines = BufReader::new(out).lines();
    lines.map_while(Result::ok).collect()
}

/// The ids of a list.
fn ids(store: &impl Store, key: &str) -> BTreeSet<String> {
    let stored = block_on(store.load(&ListKey::new(key).unwrap())).expect("the list loads");
    let list = stored.map(|stored| stored.list).unwrap_or_default();
    list.tasks().map(|task| task.id.to_string()).collect()
}

/// 6 processes, 100 creates each, on one list: all 600 must be there.
pub fn writers_lose_nothing(binary: &str, backend: &str, store: &impl Store) {
    for round in 0..3 {
        let key = format!("writers-{round}");
        let start = |n| start(binary, backend, &key, &format!("Writer {n} task"), 100);
        let mut writers: Vec<Child> = (0..6).map(start).collect();
        let mut told = BTreeSet::new();
        for writer in &mut writers {
            told.extend(acknowledged(writer));
            assert!(writer.wait().expect("it ends").success());
        }
        let stored = ids(store, &key);
        println!(
            "round {round}: {} told, {} stored",
            told.len(),
            stored.len()
        );
        assert_eq!(told.len(), 600);
        assert_eq!(stored, told);
    }
}

/// 50 rounds of writers that are killed at some moment: the list must load, with every task that a
/// writer told of.
pub fn killed_writers_lose_nothing(binary: &str, backend: &str, store: &impl Store) {
    let key = "killed";
    let mut told = BTreeSet::new();
    for round in 0..50_u64 {
        let start = |n| {
            start(
                binary,
                backend,
                key,
                &format!("Round {round} writer {n} task"),
                1000,
            )
        };
        let mut writers: Vec<Child> = (0..2).map(start).collect();
        std::thread::sleep(Duration::from_millis(10 + round * 7919 % 40));
        for writer in &mut writers {
            writer.kill().expect("it was started");
        }
        for writer in &mut writers {
            told.extend(acknowledged(writer));
            writer.wait().expect("it was killed");
        }
        let stored = ids(store, key);
        let lost: Vec<&String> = told.difference(&stored).collect();
        assert!(
            lost.is_empty(),
            "round {round}: acknowledged and lost: {lost:?}"
        );
    }
    println!("50 rounds, {} tasks acknowledged, none lost", told.len());
    assert!(told.len() > 50, "the writers must get some work done");
}

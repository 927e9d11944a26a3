//! Tests that every store package runs with its own writer binary (`writer.rs`).

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

/// 6 processes, 100 creates each, on one list: `ids` must give all 600.
pub fn writers_lose_nothing(binary: &str, backend: &str, ids: impl Fn(&str) -> Vec<String>) {
    for round in 0..3 {
        let key = format!("writers-{round}");
        let start = |n| start(binary, backend, &key, &format!("Writer {n} task"), 100);
        let mut writers: Vec<Child> = (0..6).map(start).collect();
        let mut told = BTreeSet::new();
        for writer in &mut writers {
            told.extend(acknowledged(writer));
            assert!(writer.wait().expect("it ends").success());
        }
        let stored: BTreeSet<String> = ids(&key).into_iter().collect();
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
pub fn killed_writers_lose_nothing(binary: &str, backend: &str, ids: impl Fn(&str) -> Vec<String>) {
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
        let stored: BTreeSet<String> = ids(key).into_iter().collect();
        let lost: Vec<&String> = told.difference(&stored).collect();
        assert!(
            lost.is_empty(),
            "round {round}: acknowledged and lost: {lost:?}"
        );
    }
    println!("50 rounds, {} tasks acknowledged, none lost", told.len());
    assert!(told.len() > 50, "the writers must get some work done");
}

/// Every way to damage a stored list that the tests of the packages try: cut, and a bit flipped in its structure.
pub fn damaged(json: &str) -> Vec<String> {
    let cut = [0, 1, json.len() / 3, json.len() / 2, json.len() - 1];
    let mut damaged: Vec<String> = cut.iter().map(|&end| json[..end].to_owned()).collect();
    for (at, c) in json
        .char_indices()
        .filter(|&(_, c)| matches!(c, '{' | '}' | '[' | ']' | ':' | ','))
    {
        let flipped = char::from(c as u8 ^ 1);
        damaged.push(format!("{}{flipped}{}", &json[..at], &json[at + 1..]));
    }
    damaged
}

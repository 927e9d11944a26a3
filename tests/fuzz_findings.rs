//! For the framework author: what the targets of `tests/fuzz` found stays mended. Each is the least that shows it.

use agent_tasklist::policy::{Dependencies, InProgress};
use agent_tasklist::render::from_markdown;
use agent_tasklist::tools::Toolset;
use agent_tasklist::{Activation, Policy, Status, TaskDraft, TaskList};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long where it is not optimised")]
fn patterns_that_do_not_compile_together_still_match_by_themselves() {
    let mut list = TaskList::new();
    for n in 0..128 {
        let pattern = "a**".repeat(16) + &"?".repeat(940) + &n.to_string();
        let activation = Activation::files_modified([pattern]).expect("it compiles by itself");
        let draft = TaskDraft::new("T").id(format!("t{n}"));
        list.create(draft.activation(activation)).unwrap();
    }
    let changes = list.files_modified(["something/else"]).unwrap();
    assert_eq!(changes.effects.woken, [""; 0]);
    let changes = list.files_modified(["a".repeat(1000) + "7"]).unwrap();
    assert_eq!(changes.effects.woken, ["t7"]);
}

/// Checks that eight times as much takes about eight times as long, and not sixty-four times.
fn is_linear(what: &str, few: usize, run: impl Fn(usize) -> Duration) {
    let (mut best, mut best_of_many) = (Duration::MAX, Duration::MAX);
    for round in 1.. {
        best = best.min(run(few));
        best_of_many = best_of_many.min(run(8 * few));
        let ratio = best_of_many.as_secs_f64() / best.as_secs_f64();
        if ratio <= 40.0 {
            println!("{what}: {best:?}, {best_of_many:?} for eight times as much");
            return;
        }
        assert!(round < 10, "{what}: {best:?}, {best_of_many:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long where it is not optimised")]
fn time_is_linear_in_ids_at_the_end_of_a_line_in_dropped_tasks_and_in_sleepers_started() {
    is_linear("ids", 20_000, |n| {
        let line = "- A ".to_owned() + &"{#a}".repeat(n);
        let start = Instant::now();
        assert_eq!(from_markdown(&line).unread.len(), 1);
        start.elapsed()
    });
    is_linear("dropped", 5_000, |n| {
        let mut list = TaskList::new();
        let status = |i| match i < n {
            true => Status::Completed,
            false => Status::Pending,
        };
        let draft = |i| TaskDraft::new("A").id(format!("t{i}")).status(status(i));
        list.write((0..2 * n).map(draft)).unwrap();
        let start = Instant::now();
        let reply = Toolset::mastra().call(&mut list, "task_write", json!({"tasks": []}));
        let first = format!(
            "Removed, since this list does not have them: t{n} \"A\", t{} \"A\"",
            n + 1
        );
        assert!(reply.text.contains(&first), "{}", reply.text);
        start.elapsed()
    });
    is_linear("started asleep", 10_000, |n| {
        let mut list = TaskList::new();
        let mut policy = Policy::default();
        policy.in_progress = InProgress::Unlimited;
        policy.dependencies = Dependencies::Advise;
        list.set_policy(policy);
        let activation = Activation::files_modified(["docs/"]).unwrap();
        let draft = TaskDraft::new("A").activation(activation);
        let draft = draft.status(Status::InProgress);
        let drafts: Vec<_> = (0..n).map(|i| draft.clone().id(format!("t{i}"))).collect();
        let start = Instant::now();
        let changes = list.write(drafts).unwrap();
        assert_eq!(changes.notes.advised.len(), n);
        start.elapsed()
    });
}

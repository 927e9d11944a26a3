//! For the framework author: 10,000 creates cost at most five times one write of the same, and a write of 10,000 without
//! ids at most fifteen times one of 1,000: `cargo test --release --test growth -- --nocapture`. A binary of its own, so that
//! no other test takes its time.

#[path = "../benches/support/subjects.rs"]
mod subjects;

use agent_tasklist::{TaskDraft, TaskList};
use std::time::{Duration, Instant};
use subjects::{DISTINCT, EQUAL, NON_LATIN, Subject};

const TASKS: usize = 10_000;
const ROUNDS: std::ops::Range<usize> = 10..100;

const SUBJECTS: [(&str, Subject); 3] = [
    ("distinct", DISTINCT),
    ("equal", EQUAL),
    ("non-Latin", NON_LATIN),
];

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// The best of some rounds of each, taken in turns so that whatever else the machine does hits both;
/// of more rounds while the first is more than `most` times the second.
fn best_of(
    most: f64,
    mut one: impl FnMut() -> Duration,
    mut other: impl FnMut() -> Duration,
) -> f64 {
    let (mut best, mut best_other) = (Duration::MAX, Duration::MAX);
    for round in 1..=ROUNDS.end {
        best = best.min(one());
        best_other = best_other.min(other());
        let ratio = best.as_secs_f64() / best_other.as_secs_f64();
        if round == ROUNDS.end || (round >= ROUNDS.start && ratio <= most) {
            println!(
                "  {best:?} against {best_other:?}, the best of {round}: {ratio:.2} (at most {most})"
            );
            return ratio;
        }
    }
    unreachable!("the last round returns")
}

fn drafts(subject: Subject, tasks: usize) -> Vec<TaskDraft> {
    (0..tasks).map(|n| TaskDraft::new(subject(n))).collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "figures are taken where it is optimised")]
fn creates_one_by_one_and_rewrites_stay_linear() {
    for (name, subject) in SUBJECTS {
        let write = || {
            let (drafts, mut list) = (drafts(subject, TASKS), TaskList::new());
            timed(|| drop(list.write(drafts).unwrap()))
        };
        let create = || {
            let (drafts, mut list) = (drafts(subject, TASKS), TaskList::new());
            timed(|| {
                drafts
                    .into_iter()
                    .for_each(|draft| drop(list.create(draft).unwrap()))
            })
        };
        println!("{name}: {TASKS} creates one by one, one write of the same");
        assert!(best_of(5.0, create, write) <= 5.0);

        let rewrite = |tasks: usize| {
            move || {
                let mut list = TaskList::new();
                list.write(drafts(subject, tasks)).unwrap();
                let mut again = drafts(subject, tasks);
                again.reverse();
                timed(|| drop(list.write(again).unwrap()))
            }
        };
        println!(
            "{name}: a write without ids of {TASKS} tasks, of {}",
            TASKS / 10
        );
        assert!(best_of(15.0, rewrite(TASKS), rewrite(TASKS / 10)) <= 15.0);
    }
}

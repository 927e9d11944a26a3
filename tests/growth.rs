//! What 10,000 creates cost against one write of the same, and a write of 10,000 against one of
//! 1,000: `cargo test --release growth -- --nocapture`. A binary of its own, so that no other test
//! takes its time.

use agent_tasklist::{TaskDraft, TaskList};
use std::time::{Duration, Instant};

const TASKS: usize = 10_000;
const ROUNDS: usize = 15;

type Subject = fn(usize) -> String;

const SUBJECTS: [(&str, Subject); 3] = [
    ("distinct", |n| format!("Task number {n}")),
    ("equal", |_| "The same task".to_owned()),
    ("non-Latin", |n| {
        let digits = "零一二三四五六七八九".chars().collect::<Vec<_>>();
        let number = n.to_string();
        let number = number
            .bytes()
            .map(|digit| digits[usize::from(digit - b'0')]);
        format!("任务{}", number.collect::<String>())
    }),
];

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// The best of some rounds of each, taken in turns so that whatever else the machine does hits both.
fn best_of(
    mut one: impl FnMut() -> Duration,
    mut other: impl FnMut() -> Duration,
) -> (Duration, Duration) {
    let rounds = (0..ROUNDS).map(|_| (one(), other()));
    rounds.fold((Duration::MAX, Duration::MAX), |best, round| {
        (best.0.min(round.0), best.1.min(round.1))
    })
}

fn drafts(subject: Subject, tasks: usize) -> Vec<TaskDraft> {
    (0..tasks).map(|n| TaskDraft::new(subject(n))).collect()
}

#[test]
fn growth() {
    if cfg!(debug_assertions) {
        println!("figures are taken in release builds only");
        return;
    }
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
        let (created, written) = best_of(create, write);
        let ratio = created.as_secs_f64() / written.as_secs_f64();
        println!(
            "{name}: {TASKS} creates {created:?}, one write {written:?}: {ratio:.2} (at most 5)"
        );
        assert!(ratio <= 5.0);

        let rewrite = |tasks: usize| {
            move || {
                let mut list = TaskList::new();
                list.write(drafts(subject, tasks)).unwrap();
                let mut again = drafts(subject, tasks);
                again.reverse();
                timed(|| drop(list.write(again).unwrap()))
            }
        };
        let (small, large) = best_of(rewrite(TASKS / 10), rewrite(TASKS));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        println!(
            "{name}: write without ids of {TASKS} {large:?}, of {} {small:?}: {ratio:.2} (at most 15)",
            TASKS / 10
        );
        assert!(ratio <= 15.0);
    }
}

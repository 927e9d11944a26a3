//! Medians of repeated calls, and the lines that a measuring process tells them in.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The whole list again, with two statuses changed and no ids.
    WriteOmitted,
    /// The same with ids.
    WriteExplicit,
    /// A whole list of texts without a Latin letter and without ids, where there was none.
    WriteNonLatin,
    /// Another status for one task.
    Update,
    /// How much is done and what is open.
    Check,
    /// Which tasks can be started, where half of them wait for others.
    Ready,
    /// The same as a caller of taskchampion gets it without asking each task whether it is blocked.
    ReadyJoined,
}

impl Operation {
    pub const ALL: [Operation; 7] = [
        Operation::WriteOmitted,
        Operation::WriteExplicit,
        Operation::WriteNonLatin,
        Operation::Update,
        Operation::Check,
        Operation::Ready,
        Operation::ReadyJoined,
    ];

    /// How the table calls it.
    pub fn title(self) -> &'static str {
        match self {
            Operation::WriteOmitted => "write again, ids omitted",
            Operation::WriteExplicit => "write again, explicit ids",
            Operation::WriteNonLatin => "write, non-Latin text, ids omitted",
            Operation::Update => "update one task",
            Operation::Check => "check",
            Operation::Ready => "ready",
            Operation::ReadyJoined => "ready, joined by the caller",
        }
    }
}

/// One line of a measuring process: a median of calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    pub operation: Operation,
    pub tasks: usize,
    pub micros: f64,
    pub calls: usize,
}

/// Calls `once`, which gives the time that the measured part of it took in µs, until the budget is used up and
/// it was called three times, or until a second is over. The first quarter of the calls warms up.
pub fn measure(
    operation: Operation,
    tasks: usize,
    budget: Duration,
    mut once: impl FnMut() -> f64,
) -> Measurement {
    let (start, mut times) = (Instant::now(), Vec::new());
    while start.elapsed() < budget || (times.len() < 3 && start.elapsed() < Duration::from_secs(1))
    {
        times.push(once());
    }
    times.drain(..times.len() / 4);
    Measurement {
        operation,
        tasks,
        calls: times.len(),
        micros: median(&mut times),
    }
}

/// What `run` gives, and how long it took in µs.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = run();
    (made, start.elapsed().as_secs_f64() * 1e6)
}

/// The middle value, of two the mean.
pub fn median(values: &mut [f64]) -> f64 {
    assert!(!values.is_empty(), "nothing was measured");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
    }

    #[test]
    fn the_first_quarter_warms_up() {
        let mut calls = 0;
        let measured = measure(Operation::Check, 1, Duration::from_millis(20), || {
            std::thread::sleep(Duration::from_millis(6));
            calls += 1;
            f64::from(calls)
        });
        let counted = calls - calls / 4;
        assert_eq!(measured.calls, counted as usize);
        let middle = f64::from(calls / 4) + f64::from(counted + 1) / 2.0;
        assert_eq!(measured.micros, middle);
    }

    #[test]
    fn slow_calls_are_made_at_least_once() {
        let measured = measure(Operation::Check, 1, Duration::from_nanos(1), || 7.0);
        assert_eq!(measured.micros, 7.0);
        assert!(measured.calls >= 1);
    }
}

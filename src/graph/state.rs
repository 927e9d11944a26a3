//! The state of a task: what follows for it from the whole list.
//!
//! One function decides it, and everything that lists, claims, explains, counts or renders asks for its answer.
//! Tested by the index that is held against a rebuild, and by the reference model of the state machine.

use crate::status::Status;
use serde::Serialize;
use std::fmt;

/// What follows for a task from the whole list. Never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// Being worked on.
    InProgress,
    /// Pending, with nothing in its way.
    Ready,
    /// Pending, and waiting for a task that is not completed.
    Blocked,
    /// Done.
    Completed,
    /// Pending, and asleep until its [`Activation`](crate::Activation) is met. Not worked on, and in nobody's way.
    Dormant,
    /// Retired, by a delete.
    Deleted,
}

impl State {
    /// How many states a live task can be in.
    pub(crate) const LIVE: usize = 5;

    /// The one place that decides a task's state.
    pub(crate) fn of(status: Status, dormant: bool, open_blockers: u32) -> State {
        match status {
            Status::InProgress => State::InProgress,
            Status::Completed => State::Completed,
            Status::Deleted => State::Deleted,
            // Dormant before blocked: a task that sleeps must not hold the gate, whatever it waits for besides.
            Status::Pending if dormant => State::Dormant,
            Status::Pending if open_blockers > 0 => State::Blocked,
            Status::Pending => State::Ready,
        }
    }

    /// Whether a task in this state is still to be done, and so holds up both the
    /// tasks that wait for it and the finish.
    pub fn is_open(self) -> bool {
        match self {
            State::InProgress | State::Ready | State::Blocked => true,
            State::Completed | State::Dormant | State::Deleted => false,
        }
    }

    /// `in_progress`, `ready`, `blocked`, `completed`, `dormant` or `deleted`.
    pub fn as_str(self) -> &'static str {
        match self {
            State::InProgress => "in_progress",
            State::Ready => "ready",
            State::Blocked => "blocked",
            State::Completed => "completed",
            State::Dormant => "dormant",
            State::Deleted => "deleted",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

//! The status of a task, and its one word.
//!
//! Other words that models use for it are for the tools to know. Tested by `tests/lenient.rs` and the stored form.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How far a task is, as it was last set. Whether it can be worked on follows from the whole list, and is its
/// [`State`](crate::State).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Not started.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Gone from the list. No live task has it.
    Deleted,
}

impl Status {
    /// `pending`, `in_progress`, `completed` or `deleted`.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::InProgress => "in_progress",
            Status::Completed => "completed",
            Status::Deleted => "deleted",
        }
    }

    pub(crate) fn is_started(self) -> bool {
        matches!(self, Status::InProgress | Status::Completed)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

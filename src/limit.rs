//! How large things may be: each limit with its figure and its words, once.
//!
//! Nothing here knows what is measured; whoever holds a thing to a limit asks [`Limits::check`]. Tested by
//! `tests/limits.rs`, which goes to each figure and one beyond it.

use std::fmt;

/// What is limited. [`highest`](Self::highest) is the most that any list takes; a host lowers it with
/// [`Limits::with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// How many live tasks there may be: 100,000. A list that has more than a lowered limit may get smaller
    /// step by step.
    Tasks,
    /// The length of a subject: 64 KiB.
    SubjectBytes,
    /// The length of an active form: 64 KiB.
    ActiveFormBytes,
    /// The length of a description: 256 KiB.
    DescriptionBytes,
    /// The length of an owner's name: 64 KiB.
    OwnerBytes,
    /// The size of a task's metadata, in bytes of the JSON that it is stored as: 64 KiB.
    MetadataBytes,
    /// How deep the arrays and objects of a task's metadata nest: 100 levels, so that the stored list can be read
    /// back by a parser that stops at 128.
    MetadataDepth,
    /// How many retired tasks are kept: 200. Past it the oldest is forgotten, and its id becomes free.
    Retired,
    /// How many patterns a task may wait for: 64.
    Patterns,
    /// The length of a pattern: 1 KiB.
    PatternBytes,
    /// How many modified files a run keeps: 100,000. Past it the evidence is incomplete, and every activation counts
    /// as met, so that no gate opens by accident.
    Evidence,
    /// The length of the path of a modified file: 4 KiB.
    PathBytes,
}

impl Limit {
    const ALL: [Limit; 12] = [
        Limit::Tasks,
        Limit::SubjectBytes,
        Limit::ActiveFormBytes,
        Limit::DescriptionBytes,
        Limit::OwnerBytes,
        Limit::MetadataBytes,
        Limit::MetadataDepth,
        Limit::Retired,
        Limit::Patterns,
        Limit::PatternBytes,
        Limit::Evidence,
        Limit::PathBytes,
    ];

    /// The figure, and what an error calls the thing that is too large.
    const fn row(self) -> (usize, &'static str) {
        match self {
            Limit::Tasks => (100_000, "The number of tasks"),
            Limit::SubjectBytes => (64 << 10, "The length of a subject in bytes"),
            Limit::ActiveFormBytes => (64 << 10, "The length of an active form in bytes"),
            Limit::DescriptionBytes => (256 << 10, "The length of a description in bytes"),
            Limit::OwnerBytes => (64 << 10, "The length of an owner's name in bytes"),
            Limit::MetadataBytes => (64 << 10, "The size of a task's metadata in bytes of JSON"),
            Limit::MetadataDepth => (100, "The nesting of a task's metadata"),
            Limit::Retired => (200, "The number of retired tasks"),
            Limit::Patterns => (64, "The number of patterns of a task"),
            Limit::PatternBytes => (1 << 10, "The length of a pattern in bytes"),
            Limit::Evidence => (100_000, "The number of modified files"),
            Limit::PathBytes => (4 << 10, "The length of a modified file's path in bytes"),
        }
    }

    /// The most that any list takes, and the limit of every list whose host does not lower it.
    pub const fn highest(self) -> usize {
        self.row().0
    }

    /// What to do about it.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Limit::Tasks => "Nothing was changed; leave tasks out, or delete some first.",
            _ => "Make it smaller.",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}

/// How large the things of a list may be: part of its [`Policy`](crate::Policy). A host may lower a limit, never
/// raise it.
///
/// Limits judge what a call changes, and nothing else: a stored list is held to the highest figures alone, and
/// what a task has already stays as it is, and may be given again, whatever the limits are by then. Nothing is ever
/// cut: what is too large is refused with [`Error::LimitExceeded`](crate::Error::LimitExceeded).
///
/// ```
/// use agent_tasklist::policy::Limit;
/// use agent_tasklist::{Error, Limits, Policy, TaskDraft, TaskList};
///
/// let limits = Limits::default().with(Limit::SubjectBytes, 20);
/// let mut list = TaskList::new();
/// list.set_policy(Policy::default().with_limits(limits));
/// let refused = list.create(TaskDraft::new("Rewrite the whole thing"));
/// assert!(matches!(
///     refused,
///     Err(Error::LimitExceeded { limit: Limit::SubjectBytes, max: 20, found: 23, .. })
/// ));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits([usize; Limit::ALL.len()]);

/// The highest figures.
impl Default for Limits {
    fn default() -> Self {
        Limits::HIGHEST
    }
}

impl Limits {
    /// What no list goes beyond.
    pub(crate) const HIGHEST: Limits = {
        let mut most = [0; Limit::ALL.len()];
        let mut i = 0;
        // A constant cannot use a `for` loop.
        while i < most.len() {
            most[Limit::ALL[i] as usize] = Limit::ALL[i].highest();
            i += 1;
        }
        Limits(most)
    };

    /// The figure of a limit.
    pub const fn get(&self, limit: Limit) -> usize {
        self.0[limit as usize]
    }

    /// The same with a lower figure. One above [`Limit::highest`] means the highest.
    #[must_use]
    pub fn with(mut self, limit: Limit, most: usize) -> Self {
        self.0[limit as usize] = most.min(limit.highest());
        self
    }

    /// Refuses what is more than allowed.
    pub(crate) fn check(&self, limit: Limit, found: usize) -> Result<(), Exceeded> {
        // Equal is allowed: a limit is the most that there may be.
        let max = self.get(limit);
        match found <= max {
            true => Ok(()),
            false => Err(Exceeded { limit, max, found }),
        }
    }
}

/// What was too large. [`Error`](crate::Error) adds where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub(crate) limit: Limit,
    pub(crate) max: usize,
    pub(crate) found: usize,
}

use crate::activation::EVIDENCE_CAP;
use crate::retired::RETIRED_CAP;

/// What a list allows: how many tasks may be in progress, and what happens to
/// blocked, surplus and dropped ones.
///
/// A policy belongs to the host, never to the stored list: it is carried in
/// memory, left out of equality, JSON and [`Changes`](crate::Changes), and a
/// loaded list has the default. It judges transitions only, so a list that
/// breaks it still loads and can be put right step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// How many tasks may be in progress.
    pub in_progress: InProgress,
    /// What a write gets that starts more tasks than that.
    pub excess: Excess,
    /// Whether a blocked task may be started or completed.
    pub blocked: Blocked,
    /// What happens to an unfinished task that a write leaves out.
    pub dropped: Dropped,
}

/// How many tasks may be in progress at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InProgress {
    /// One. Starting another puts the first back to pending.
    #[default]
    One,
    /// One for each owner; the tasks that nobody owns count together.
    PerOwner,
    /// Any number.
    Unlimited,
}

/// What a write gets that asks for more tasks in progress than [`InProgress`] allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Excess {
    /// An error that names them; nothing changes.
    #[default]
    Refuse,
    /// The last written one stays in progress; the others are pending.
    Demote,
}

/// Whether a blocked task may be started or completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blocked {
    /// No: the call is refused, naming the open blockers, and a running task that is made to wait goes
    /// back to pending. The same holds for starting a dormant task.
    #[default]
    Enforce,
    /// Yes, and the change notes it.
    Advise,
}

/// What happens to an unfinished task that a write leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dropped {
    /// It retires, and the change notes it by name.
    #[default]
    Allow,
    /// It stays, after the written ones, and yields to them.
    Keep,
    /// The write is refused, naming the tasks.
    Refuse,
}

/// Caps on what a list holds. A host may lower them, never raise them.
///
/// Like [`Policy`] they are carried in memory and judge transitions only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    retired: usize,
    evidence: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            retired: RETIRED_CAP,
            evidence: EVIDENCE_CAP,
        }
    }
}

impl Limits {
    /// How many retired tasks are kept aside, 200 unless lowered. Past it the
    /// oldest is forgotten, and its id becomes free.
    pub fn retired(&self) -> usize {
        self.retired
    }

    /// Lowers the cap on retired tasks; a figure above 200 means 200.
    #[must_use]
    pub fn with_retired(mut self, tasks: usize) -> Self {
        self.retired = tasks.min(RETIRED_CAP);
        self
    }

    /// How many modified files a run keeps, 100,000 unless lowered. Past it the evidence is
    /// incomplete, and every activation counts as met, so that no gate opens by accident.
    pub fn evidence(&self) -> usize {
        self.evidence
    }

    /// Lowers the cap on modified files; a figure above 100,000 means 100,000.
    #[must_use]
    pub fn with_evidence(mut self, files: usize) -> Self {
        self.evidence = files.min(EVIDENCE_CAP);
        self
    }
}

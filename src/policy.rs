use crate::activation::Activation;
use crate::error::{Error, Limit};
use std::sync::Arc;

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
/// Like [`Policy`] they are carried in memory and judge transitions only: a stored list is held to
/// the highest figures alone, and what a task has stays as it is, and may be given again, whatever
/// the caps are by then. Nothing is ever cut: what is too large is refused with
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded).
///
/// ```
/// use agent_tasklist::{Error, Limit, Limits, TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.set_limits(Limits::default().with_subject_bytes(20));
/// let refused = list.create(TaskDraft::new("Rewrite the whole thing"));
/// assert!(matches!(
///     refused,
///     Err(Error::LimitExceeded { limit: Limit::SubjectBytes, max: 20, found: 23, .. })
/// ));
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    tasks: usize,
    subject_bytes: usize,
    active_form_bytes: usize,
    description_bytes: usize,
    owner_bytes: usize,
    metadata_bytes: usize,
    patterns: usize,
    pattern_bytes: usize,
    retired: usize,
    evidence: usize,
    path_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::HIGHEST
    }
}

macro_rules! caps {
    ($($(#[$doc:meta])* $name:ident, $(#[$with_doc:meta])* $with:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> usize {
            self.$name
        }

        $(#[$with_doc])*
        #[must_use]
        pub fn $with(mut self, most: usize) -> Self {
            self.$name = most.min(Limits::HIGHEST.$name);
            self
        }
    )*};
}

impl Limits {
    /// What no list goes beyond.
    pub(crate) const HIGHEST: Limits = Limits {
        tasks: 100_000,
        subject_bytes: 64 << 10,
        active_form_bytes: 64 << 10,
        description_bytes: 256 << 10,
        owner_bytes: 64 << 10,
        metadata_bytes: 64 << 10,
        patterns: Activation::MAX_PATTERNS,
        pattern_bytes: Activation::MAX_PATTERN_BYTES,
        retired: 200,
        evidence: 100_000,
        path_bytes: 4 << 10,
    };

    caps! {
        /// How many live tasks there may be, 100,000 unless lowered. A list that has more may get
        /// smaller step by step.
        tasks,
        /// Lowers the cap on live tasks; a figure above 100,000 means 100,000.
        with_tasks;

        /// How long a subject may be in bytes, 64 KiB unless lowered.
        subject_bytes,
        /// Lowers the cap on subjects; a figure above 64 KiB means 64 KiB.
        with_subject_bytes;

        /// How long an active form may be in bytes, 64 KiB unless lowered.
        active_form_bytes,
        /// Lowers the cap on active forms; a figure above 64 KiB means 64 KiB.
        with_active_form_bytes;

        /// How long a description may be in bytes, 256 KiB unless lowered.
        description_bytes,
        /// Lowers the cap on descriptions; a figure above 256 KiB means 256 KiB.
        with_description_bytes;

        /// How long the name of an owner may be in bytes, 64 KiB unless lowered.
        owner_bytes,
        /// Lowers the cap on the names of owners; a figure above 64 KiB means 64 KiB.
        with_owner_bytes;

        /// How large the metadata of a task may be, in bytes of the JSON that it is stored as;
        /// 64 KiB unless lowered.
        metadata_bytes,
        /// Lowers the cap on metadata; a figure above 64 KiB means 64 KiB.
        with_metadata_bytes;

        /// How many patterns a task may wait for, 64 unless lowered.
        patterns,
        /// Lowers the cap on patterns; a figure above 64 means 64.
        with_patterns;

        /// How long a pattern may be in bytes, 1 KiB unless lowered.
        pattern_bytes,
        /// Lowers the cap on the length of patterns; a figure above 1 KiB means 1 KiB.
        with_pattern_bytes;

        /// How many retired tasks are kept aside, 200 unless lowered. Past it the
        /// oldest is forgotten, and its id becomes free.
        retired,
        /// Lowers the cap on retired tasks; a figure above 200 means 200.
        with_retired;

        /// How many modified files a run keeps, 100,000 unless lowered. Past it the evidence is
        /// incomplete, and every activation counts as met, so that no gate opens by accident.
        evidence,
        /// Lowers the cap on modified files; a figure above 100,000 means 100,000.
        with_evidence;

        /// How long the path of a modified file may be in bytes, 4 KiB unless lowered.
        path_bytes,
        /// Lowers the cap on the length of paths; a figure above 4 KiB means 4 KiB.
        with_path_bytes;
    }

    /// Refuses the first text that is too long, and not what it was.
    pub(crate) fn check_texts(&self, texts: Texts<'_>, before: Texts<'_>) -> Result<(), Error> {
        let caps = [
            (Limit::SubjectBytes, self.subject_bytes),
            (Limit::ActiveFormBytes, self.active_form_bytes),
            (Limit::DescriptionBytes, self.description_bytes),
            (Limit::OwnerBytes, self.owner_bytes),
        ];
        for ((limit, most), (text, before)) in caps.into_iter().zip(texts.into_iter().zip(before)) {
            if let Some(text) = text
                && text.len() > most
                && before != Some(text)
            {
                limit.check(most, text.len())?;
            }
        }
        Ok(())
    }
}

/// Subject, active form, description and owner.
pub(crate) type Texts<'a> = [Option<&'a Arc<str>>; 4];

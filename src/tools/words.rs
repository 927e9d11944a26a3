//! The words for a status: what models and interfaces call it, in one table.
//!
//! The words that schemas allow, those that are repaired and the names of Murmur's protocol all come from here.
//! No file of the tools names a status by a text of its own. Tested in `tests/lenient.rs` and
//! `tests/murmur.rs`.

use crate::status::Status::{self, Completed, Deleted, InProgress, Pending};

/// What a task of a list can have.
pub(super) const LIVE: &[Status] = &[Pending, InProgress, Completed];
/// What an update can set.
pub(super) const ALL: &[Status] = &[Pending, InProgress, Completed, Deleted];

/// Each status with its name in Murmur's protocol and other words that models use for it, as [`plain`] has them.
#[rustfmt::skip]
const WORDS: [(Status, &str, &[&str]); 4] = [
    (Pending, "TASK_STATUS_PENDING", &["todo", "notstarted", "open"]),
    (InProgress, "TASK_STATUS_IN_PROGRESS", &["running", "active", "doing", "started"]),
    (Completed, "TASK_STATUS_COMPLETED", &["complete", "done", "finished"]),
    (Deleted, "TASK_STATUS_DELETED", &[]),
];

/// The status of exactly that name.
pub(super) fn exact(word: &str) -> Option<Status> {
    ALL.iter().copied().find(|status| status.as_str() == word)
}

/// The status that a word stands for, however it is spelled.
pub(super) fn meant(word: &str) -> Option<Status> {
    let word = plain(word.trim());
    // The enum names of protocols, which models copy from other tools.
    let word = word.strip_prefix("taskstatus").unwrap_or(&word);
    let is_meant = |(status, _, others): &&(Status, &str, &[&str])| {
        plain(status.as_str()) == word || others.contains(&word)
    };
    WORDS.iter().find(is_meant).map(|(status, ..)| *status)
}

/// The names of statuses.
pub(super) fn names(statuses: &[Status]) -> Vec<&'static str> {
    statuses.iter().map(|status| status.as_str()).collect()
}

/// The name of a status in Murmur's protocol.
pub(super) fn protocol_name(status: Status) -> &'static str {
    let same = |(other, ..): &&(Status, _, _)| *other == status;
    WORDS
        .iter()
        .find(same)
        .map_or(status.as_str(), |(_, name, _)| *name)
}

/// A word without case, `_`, `-` and spaces.
pub(super) fn plain(word: &str) -> String {
    let plain = word.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    plain.flat_map(char::to_lowercase).collect()
}

//! The words that models use beside those of the schemas: for a status, for the whole list, for nothing at all.
//!
//! The words that schemas allow, those that are repaired and the names of Murmur's protocol all come from here.
//! No file of the tools names a status by a text of its own, and a word that is in no table here is not read. Tested
//! in `tests/lenient.rs`, `tests/exact_calls.rs` and `tests/murmur.rs`.

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

/// Names of the whole list, as [`plain`] has them. An array under another name may be a part of it, or what is to be
/// taken out of it.
pub(super) const WHOLE_LIST: &[&str] = &[
    "todos",
    "todo",
    "items",
    "plan",
    "list",
    "tasklist",
    "todolist",
    "todoitems",
    "checklist",
    "steps",
    "newtodos",
    "newtasks",
    "alltasks",
    "fulllist",
];

/// Names of nothing but the arguments, around which models put them. A wrapper of another name may say what is to be
/// done with what is in it, so that a call which replaces the list is not taken out of it.
pub(super) const WRAPPERS: &[&str] = &[
    "args",
    "arguments",
    "body",
    "data",
    "input",
    "json",
    "kwargs",
    "parameters",
    "params",
    "payload",
    "request",
    "taskwrite",
    "toolinput",
];

/// Names of the tasks inside a task.
pub(super) const SUBTASKS: &[&str] = &["subtasks", "children", "subtask", "subitems", "childtasks"];

/// Names under which a call says how it changes the list. Only under the first ones a merge is read: an `op` or an
/// `action` says what a call of another protocol does, of which the tasks here may be no more than a part.
pub(super) const MODES: &[&str] = &[
    "mode",
    "updatemode",
    "writemode",
    "op",
    "operation",
    "action",
];
/// How many of them.
pub(super) const MERGE_MODES: usize = 3;
/// Words for replacing the list, and for merging into it.
pub(super) const REPLACING: &[&str] = &[
    "replace",
    "replaceall",
    "overwrite",
    "set",
    "write",
    "full",
    "rewrite",
    "taskwrite",
];
pub(super) const MERGING: &[&str] = &["merge", "append"];

/// What replies say of a task that is pending, as its `state`.
pub(super) const ECHOES: &[&str] = &["blocked", "dormant", "ready"];

/// Words that say that a text is not given.
const NOTHING: &[&str] = &["null", "none", "nil", "undefined", "n/a"];

/// Names of truths, as [`plain`] has them, that say whether a task is completed.
const IS_COMPLETED: &[&str] = &[
    "done",
    "completed",
    "complete",
    "checked",
    "finished",
    "isdone",
    "iscompleted",
    "iscomplete",
    "ischecked",
    "isfinished",
];

/// The marks of boxes.
const MARKS: [(&str, Status); 5] = [
    (" ", Pending),
    ("x", Completed),
    ("X", Completed),
    ("-", InProgress),
    ("~", InProgress),
];

/// A text that may be a word, trimmed.
pub(super) fn word(text: &str) -> Option<&str> {
    // Longer than every word here, however it is spelled. A text of a megabyte must not be folded to be told so.
    const LONGEST: usize = 64;
    Some(text.trim()).filter(|word| word.len() <= LONGEST)
}

/// Whether a text says that it is not given.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    NOTHING.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Whether a key says of a task, by its truth, that it is completed.
pub(super) fn is_completed(key: &str) -> bool {
    IS_COMPLETED.contains(&&*plain(key))
}

/// The truth that a text says.
pub(super) fn truth(text: &str) -> Option<bool> {
    match &*plain(word(text)?) {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The status that the mark of a box stands for.
pub(super) fn marked(mark: &str) -> Option<Status> {
    let is = |(other, _): &&(&str, Status)| *other == mark;
    MARKS.iter().find(is).map(|(_, status)| *status)
}

/// The status that a word or a box stands for, however it is spelled.
pub(super) fn meant(text: &str) -> Option<Status> {
    let word = word(text)?;
    let inside = word.strip_prefix('[');
    let boxed = inside.and_then(|word| word.strip_suffix(']'));
    // Before spelling is looked through: it would take the mark out of the box.
    if let Some(mark) = boxed.or(Some(word).filter(|word| plain(word) == "x")) {
        return marked(mark);
    }
    let word = plain(word);
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

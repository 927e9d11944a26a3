//! Words that several renderings have in common: the mark of a status, why a task waits, how far a list is.
//!
//! Whether a task waits is asked of the list. Tested by `tests/render.rs` and the vectors of signals.

use super::budget::chars;
use crate::graph::State;
use crate::id::Ids;
use crate::list::TaskList;
use crate::status::Status;
use crate::task::Task;
use crate::text::OneLine;
use std::fmt::{self, Write};

pub(super) fn mark(status: Status) -> char {
    match status {
        Status::InProgress => '▸',
        Status::Completed => '✓',
        _ => '○',
    }
}

/// How far a list is, in one line for people: `3/7 done · 1 in progress · 2 blocked · 1 asleep`.
///
/// Parts that are zero are left out, except for what is done. Where the budget is short, so are those at the end.
///
/// ```
/// use agent_tasklist::render::progress;
/// use agent_tasklist::{TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.create(TaskDraft::new("Build").id("build"))?;
/// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
/// assert_eq!(progress(&list, None), "0/2 done · 1 ready · 1 blocked");
/// assert_eq!(progress(&list, Some(20)), "0/2 done · 1 ready");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub fn progress(list: &TaskList, max_chars: Option<usize>) -> String {
    let summary = list.summary();
    let mut text = String::new();
    let parts = [
        (summary.in_progress, "in progress"),
        (summary.ready, "ready"),
        (summary.blocked, "blocked"),
        (summary.dormant, "asleep"),
    ];
    let done = format!("{}/{} done", summary.completed, summary.total);
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, what)| format!(" · {count} {what}"));
    for part in std::iter::once(done).chain(parts) {
        // What is left out is at the end, and the parts are in the order of what matters.
        if max_chars.is_some_and(|max| chars(&text) + chars(&part) > max) {
            break;
        }
        text.push_str(&part);
    }
    text
}

/// What a line says of a task beyond Mastra's format: why it waits, and whose it is.
pub(crate) fn suffix(list: &TaskList, task: &Task) -> String {
    let mut text = String::new();
    if let Some(why) = list.explain(&task.id) {
        match why.state {
            State::Blocked => _ = write!(text, " (blocked by {})", Ids(&why.open_blockers)),
            State::Dormant => {
                let patterns = why.waits_for.iter().map(|pattern| match &**pattern {
                    "" => "any file".to_owned(),
                    pattern => OneLine(pattern).to_string(),
                });
                let patterns: Vec<String> = patterns.collect();
                let _ = write!(text, " (dormant until {})", patterns.join(" or "));
            }
            _ => {}
        }
    }
    if let Some(owner) = &task.owner {
        let _ = write!(text, " (owner: {})", OneLine(owner));
    }
    text
}

/// A text with `&`, `<` and `>` escaped.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                _ => "&gt;",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

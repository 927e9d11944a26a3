//! What a model and people see of a list: a signal for each request, a reminder, a checklist,
//! diagrams and a line of progress.
//!
//! All are plain functions of the list. Texts of tasks show on one line whatever they hold, and are escaped
//! in the way of the format, so that no text can pass for a line, a tag, an id or a fence of its own.
//!
//! | what | for whom | budget |
//! | --- | --- | --- |
//! | [`Projector`] | a model: the list, then what changed | none |
//! | [`reminder`] | a model: what is open, at the tail of a request | yes |
//! | [`markdown`], [`from_markdown`] | people: a checklist to read and to edit | yes |
//! | [`mermaid`], [`dot`] | people: the graph of dependencies | yes |
//! | [`progress`] | people: one line | yes |
//!
//! A budget is a number of characters (Unicode scalar values) that the rendering stays within, or `None`.
//! What does not fit is left out whole, never cut: what is in progress is kept first, then what is ready,
//! blocked, dormant and done, each in list order, and a task that does not fit makes room for later ones that do.
//! A note says how many are left out, and counts too; where not even that fits, the rendering is
//! empty. The same list and budget give the same text.

mod diagram;
mod markdown;

pub use diagram::{dot, mermaid};
pub(crate) use markdown::item;
pub use markdown::{Checklist, Unread, from_markdown, markdown};

use crate::error::Ids;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::state::State;
use crate::store::Revision;
use crate::task::{Status, Task};
use crate::text::OneLine;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::{self, Write};

/// Says, request by request, what to tell a model of a list: all of it, what changed, or nothing.
///
/// A projector remembers what the model has been sent. Before each request of a conversation give it the list,
/// and whether the snapshot that it gave last is still among the messages: where old messages are dropped
/// or summarised, it may not be. Send what it gives as a message of its own, after those that are there; so what
/// was sent before stays as it is, and a provider's prompt cache goes on working.
///
/// - The model has seen nothing yet: a snapshot, if there are tasks.
/// - The snapshot is gone: another, even if nothing changed.
/// - What would be shown is the same as before: nothing.
/// - Otherwise a delta; after ten of them, or where the order is another, a snapshot.
///
/// It is serialisable, so that it outlives the process with the conversation that it belongs to. It holds the lines
/// that it sent last, so its size is that of the list.
///
/// ```
/// use agent_tasklist::render::{Mode, Projector};
/// use agent_tasklist::{TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// let mut projector = Projector::new();
/// assert_eq!(projector.next(&list, false), None);
///
/// list.create(TaskDraft::new("Fix the bug").id("fix"))?;
/// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["fix"]))?;
/// assert_eq!(projector.next(&list, false).unwrap().text, "\
/// <current-task-list count=\"2\">
///   ○ [pending] {id: fix} Fix the bug
///   ○ [pending] {id: ship} Ship (blocked by fix)
/// </current-task-list>");
///
/// list.complete("fix")?;
/// let delta = projector.next(&list, true).unwrap();
/// assert_eq!(delta.mode, Mode::Delta);
/// assert_eq!(delta.text, "\
/// <task-list-update changes=\"2\">
///   ✓ {id: fix} [completed] Fix the bug
///   ○ {id: ship} [pending] Ship
/// </task-list-update>");
/// assert_eq!(projector.next(&list, true), None);
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projector {
    /// The lines that the model knows, in order; `None` before the first snapshot.
    seen: Option<Vec<Line>>,
    deltas: u32,
}

/// A task as a model is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    id: TaskId,
    status: Status,
    /// The subject, and what follows it, escaped.
    text: String,
}

/// What to send to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signal {
    /// Whether it is the whole list.
    pub mode: Mode,
    /// The message.
    pub text: String,
    /// The revision of the stored list that it was made from; `None` from a [`Projector`] alone.
    pub revision: Option<Revision>,
}

/// Whether a signal stands for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// The whole list.
    Snapshot,
    /// What changed since the signal before.
    Delta,
}

impl Projector {
    /// How many deltas follow a snapshot before the next one.
    pub const MAX_DELTAS: u32 = 10;

    /// A projector for a conversation that has seen nothing yet.
    pub fn new() -> Self {
        Projector::default()
    }

    /// How many deltas were given since the last snapshot.
    pub fn deltas_since_snapshot(&self) -> u32 {
        self.deltas
    }

    /// What to send next, and takes it as sent. Clone the projector before, if sending can fail.
    ///
    /// `base_in_window`: whether the last snapshot, and the deltas since, are still among the messages.
    /// It costs time in the size of the list.
    pub fn next(&mut self, list: &TaskList, base_in_window: bool) -> Option<Signal> {
        let now: Vec<Line> = list.tasks().map(|task| Line::new(list, task)).collect();
        let signal = match &self.seen {
            None if now.is_empty() => return None,
            Some(seen) if base_in_window && *seen == now => return None,
            Some(seen) if base_in_window && self.deltas < Self::MAX_DELTAS => delta(seen, &now),
            _ => None,
        };
        self.deltas = signal.as_ref().map_or(0, |_| self.deltas + 1);
        let signal = signal.unwrap_or_else(|| snapshot(&now));
        self.seen = Some(now);
        Some(signal)
    }
}

impl Line {
    fn new(list: &TaskList, task: &Task) -> Self {
        let text = format!("{}{}", OneLine(&task.subject), suffix(list, task));
        Line {
            id: task.id.clone(),
            status: task.status,
            text: Escaped(&text).to_string(),
        }
    }
}

fn snapshot(lines: &[Line]) -> Signal {
    let mut text = format!("<current-task-list count=\"{}\"", lines.len());
    text.push_str(if lines.is_empty() { " />" } else { ">\n" });
    for line in lines {
        let (mark, id) = (mark(line.status), Escaped(line.id.as_str()));
        let _ = writeln!(
            text,
            "  {mark} [{}] {{id: {id}}} {}",
            line.status, line.text
        );
    }
    text.push_str(if lines.is_empty() {
        ""
    } else {
        "</current-task-list>"
    });
    Signal {
        mode: Mode::Snapshot,
        text,
        revision: None,
    }
}

/// What changed, or `None` where the order is not the old one with the new tasks at its end.
fn delta(seen: &[Line], now: &[Line]) -> Option<Signal> {
    let left: IndexMap<&TaskId, &Line> = now.iter().map(|line| (&line.id, line)).collect();
    let before: IndexMap<&TaskId, &Line> = seen.iter().map(|line| (&line.id, line)).collect();
    let survivors = before.keys().filter(|id| left.contains_key(*id));
    let added = now
        .iter()
        .map(|line| &line.id)
        .filter(|id| !before.contains_key(id));
    if !survivors.copied().chain(added).eq(left.keys().copied()) {
        return None;
    }
    let mut lines = String::new();
    let mut changes = 0;
    for line in now {
        let mark = match before.get(&line.id) {
            Some(before) if *before == line => continue,
            Some(_) => mark(line.status),
            None => '+',
        };
        changes += 1;
        let id = Escaped(line.id.as_str());
        let _ = writeln!(
            lines,
            "  {mark} {{id: {id}}} [{}] {}",
            line.status, line.text
        );
    }
    for id in before.keys().filter(|id| !left.contains_key(*id)) {
        changes += 1;
        let _ = writeln!(lines, "  − removed {{id: {}}}", Escaped(id.as_str()));
    }
    Some(Signal {
        mode: Mode::Delta,
        text: format!("<task-list-update changes=\"{changes}\">\n{lines}</task-list-update>"),
        revision: None,
    })
}

fn mark(status: Status) -> char {
    match status {
        Status::InProgress => '▸',
        Status::Completed => '✓',
        _ => '○',
    }
}

/// What is open, as a short text for the tail of a request; `None` when nothing is.
///
/// It names what is in progress, what is ready, and what is blocked by what; never finished work, and
/// nothing dormant. `turns_since_change` is how many turns of the model have passed since the list last
/// changed, 0 to leave that unsaid.
///
/// It belongs at the tail, after the messages of the conversation: there a model heeds it most, and what stands before
/// is the same from request to request, so that the provider's prompt cache goes on working. In the
/// system prompt each change of the list would void the cache of all that follows. Send it, and leave it out of
/// the history that is kept: the next request has its own.
///
/// ```
/// use agent_tasklist::render::reminder;
/// use agent_tasklist::{Status, TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.write([
///     TaskDraft::new("Read the report").status(Status::Completed),
///     TaskDraft::new("Fix the bug").id("fix").status(Status::InProgress),
///     TaskDraft::new("Ship").id("ship").blocked_by(["fix"]),
/// ])?;
/// assert_eq!(reminder(&list, 4, None).unwrap(), "\
/// <task-list-reminder>
/// 1/3 done · 1 in progress · 1 blocked. The list has not changed for 4 turns.
///   ▸ [in_progress] {id: fix} Fix the bug
///   ○ [blocked] {id: ship} Ship (blocked by fix)
/// </task-list-reminder>");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub fn reminder(
    list: &TaskList,
    turns_since_change: usize,
    max_chars: Option<usize>,
) -> Option<String> {
    if list.can_finish() {
        return None;
    }
    let line = |task: &Task| {
        let Line { id, status, text } = Line::new(list, task);
        let (mark, id) = (mark(status), Escaped(id.as_str()).to_string());
        let state = list.state(&task.id).unwrap_or(State::Ready);
        format!("  {mark} [{state}] {{id: {id}}} {text}\n")
    };
    let open: Vec<&Task> = by_urgency(list)
        .take_while(|task| list.state(&task.id).is_some_and(State::is_open))
        .collect();
    let whole = |kept: &dyn Fn(&Task) -> bool, left_out: usize| {
        let mut text = format!("<task-list-reminder>\n{}.", progress(list, None));
        match turns_since_change {
            0 => {}
            1 => text.push_str(" The list has not changed for a turn."),
            turns => _ = write!(text, " The list has not changed for {turns} turns."),
        }
        text.push('\n');
        for task in open.iter().filter(|task| kept(task)) {
            text.push_str(&line(task));
        }
        if left_out > 0 {
            let _ = writeln!(text, "  … {left_out} more");
        }
        text + "</task-list-reminder>"
    };
    Some(within(&open, max_chars, whole, |task, _| {
        chars(&line(task))
    }))
}

/// How far a list is, in one line for people: `3/7 done · 1 in progress · 2 blocked · 1 asleep`.
///
/// Parts that are zero are left out, but for what is done. Where the budget is short, so are those at the end.
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
    if let Ok(why) = list.explain(&task.id) {
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

/// The live tasks in the order in which a short rendering keeps them.
fn by_urgency(list: &TaskList) -> impl Iterator<Item = &Task> {
    let states = [
        State::InProgress,
        State::Ready,
        State::Blocked,
        State::Dormant,
        State::Completed,
    ];
    states.into_iter().flat_map(|state| list.in_state(state))
}

/// A rendering of tasks, given in order of urgency, within a budget. `whole` renders those that are kept, and how
/// many are left out; `cost` says how many characters one more takes beside those that are kept.
fn within<'l>(
    tasks: &[&'l Task],
    max_chars: Option<usize>,
    whole: impl Fn(&dyn Fn(&Task) -> bool, usize) -> String,
    cost: impl Fn(&'l Task, &HashSet<&'l TaskId>) -> usize,
) -> String {
    let all = whole(&|_| true, 0);
    let Some(max) = max_chars.filter(|&max| chars(&all) > max) else {
        return all;
    };
    let nothing_kept = chars(&whole(&|_| false, tasks.len()));
    let Some(mut rest) = max.checked_sub(nothing_kept) else {
        return String::new();
    };
    let mut kept = HashSet::new();
    for task in tasks {
        let cost = cost(task, &kept);
        if cost <= rest {
            rest -= cost;
            kept.insert(&task.id);
        }
    }
    whole(&|task| kept.contains(&task.id), tasks.len() - kept.len())
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// A text with `&`, `<` and `>` escaped.
struct Escaped<'a>(&'a str);

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

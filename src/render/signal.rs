//! What a model is shown of its list: a signal before a request, and a reminder at its tail.
//!
//! The format is Mastra's, held to `tests/conformance/mastra-signals.jsonl`. Whether a message is still in the window is the
//! host's to know. Tested by `tests/render.rs` and `tests/conversation.rs`.

use super::budget::{by_urgency, chars, within};
use super::words::{Escaped, mark, progress, suffix};
use crate::change::Changes;
use crate::graph::State;
use crate::id::TaskId;
use crate::list::{TaskList, Tasks};
use crate::status::Status;
use crate::store::Revision;
use crate::task::Task;
use crate::text::OneLine;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write;

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
            // Compared as shown: what a model cannot see need not be told.
            Some(seen) if base_in_window && *seen == now => return None,
            Some(seen) if base_in_window && self.deltas < Self::MAX_DELTAS => delta(seen, &now),
            _ => None,
        };
        // A delta that could not be made counts as a snapshot.
        self.deltas = signal.as_ref().map_or(0, |_| self.deltas + 1);
        let signal = signal.unwrap_or_else(|| snapshot(&now));
        self.seen = Some(now);
        Some(signal)
    }

    /// Takes the changes of a call as sent, since its reply told them; `list` is the list after the call. What others
    /// changed is still to be told, and so is an order that is not the old one with the new tasks at its end.
    ///
    /// ```
    /// use agent_tasklist::render::Projector;
    /// use agent_tasklist::{TaskDraft, TaskList};
    ///
    /// let mut list = TaskList::new();
    /// list.create(TaskDraft::new("Fix the bug").id("fix"))?;
    /// let mut projector = Projector::new();
    /// projector.next(&list, false);
    ///
    /// let changes = list.complete("fix")?;
    /// projector.told(&list, &changes);
    /// assert_eq!(projector.next(&list, true), None);
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn told(&mut self, list: &TaskList, changes: &Changes) {
        // Before the first snapshot a model has no list that a change could be of.
        let Some(seen) = &mut self.seen else {
            return;
        };
        let mut lines: IndexMap<TaskId, Line> = (seen.drain(..))
            .map(|line| (line.id.clone(), line))
            .collect();
        let removed = &changes.facts.removed;
        let gone: HashSet<&TaskId> = removed.iter().map(|task| &task.id).collect();
        lines.retain(|id, _| !gone.contains(id));
        for task in list.in_order(changes.touched()) {
            lines.insert(task.id.clone(), Line::new(list, task));
        }
        seen.extend(lines.into_values());
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
    // Indexed once: ten deltas of a long list compare line with line, not all with all.
    let left: IndexMap<&TaskId, &Line> = now.iter().map(|line| (&line.id, line)).collect();
    let before: IndexMap<&TaskId, &Line> = seen.iter().map(|line| (&line.id, line)).collect();
    let survivors = before.keys().filter(|id| left.contains_key(*id));
    let added = now
        .iter()
        .map(|line| &line.id)
        .filter(|id| !before.contains_key(id));
    // A delta has no words for places, so any other order needs the whole list.
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
    remind(list, list.open_tasks(), turns_since_change, max_chars)
}

/// The same for one of several owners: what is left to do for it, as
/// [`TaskList::open_tasks_of`] has it; `None` when nothing is, though others may have work.
pub fn reminder_for(
    list: &TaskList,
    owner: &str,
    turns_since_change: usize,
    max_chars: Option<usize>,
) -> Option<String> {
    let open = list.open_tasks_of(owner);
    remind(list, open, turns_since_change, max_chars)
}

fn remind(
    list: &TaskList,
    open: Tasks<'_>,
    turns_since_change: usize,
    max_chars: Option<usize>,
) -> Option<String> {
    let open: HashSet<&TaskId> = open.map(|task| &task.id).collect();
    if open.is_empty() {
        return None;
    }
    let line = |task: &Task| {
        let Line { id, status, text } = Line::new(list, task);
        let (mark, id) = (mark(status), Escaped(id.as_str()).to_string());
        let state = list.state(&task.id).unwrap_or(State::Ready);
        format!("  {mark} [{state}] {{id: {id}}} {text}\n")
    };
    let open: Vec<&Task> = by_urgency(list)
        .filter(|task| open.contains(&task.id))
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

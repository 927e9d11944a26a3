//! What a reply notes: how a call was understood, and what it did beyond what it says.
//!
//! One line for each thing that a model may not expect, in plain sentences. What the call was asked to do is no
//! note, and how notes are shown is for the interface. Tested in `tests/owners.rs`, `tests/detail.rs` and
//! `tests/refusals.rs`.

use super::catalogue::Interface;
use crate::change::{Changes, Demotion};
use crate::id::{Ids, TaskId};
use crate::list::TaskList;
use crate::status::Status;
use crate::text::{MOST_NAMED, Quote};
use std::fmt::Write;

/// The notes on a call. `repairs` is how its arguments were understood.
pub(super) fn of(
    interface: &Interface,
    list: &TaskList,
    changes: &Changes,
    repairs: Vec<String>,
) -> Vec<String> {
    let mut notes = Vec::new();
    demoted(&mut notes, changes);
    reassigned(&mut notes, list, changes);
    came_back(&mut notes, changes);
    left_out(&mut notes, interface.to_keep, changes);
    not_linked(&mut notes, changes);
    for_others(&mut notes, list, changes);
    advised(&mut notes, list, changes);
    // What the call did comes first: of too many notes, those on spelling are the ones to lose.
    notes.extend(repairs);
    let more = notes.len().saturating_sub(MOST_NAMED);
    notes.truncate(MOST_NAMED);
    notes.extend((more > 0).then(|| format!("{more} more notes were left out.")));
    notes
}

/// Adds notes to a text, after a blank line.
pub(super) fn append(text: &mut String, notes: &[String]) {
    for (i, note) in notes.iter().enumerate() {
        let _ = write!(text, "{}Note: {note}", if i == 0 { "\n\n" } else { "\n" });
    }
}

/// Tasks that went back to pending.
fn demoted(notes: &mut Vec<String>, changes: &Changes) {
    for demoted in &changes.effects.demoted {
        let why = match &demoted.cause {
            Demotion::Yielded { to } => format!("{to} is in progress instead"),
            Demotion::MadeToWait { by } => format!("it is blocked by {}", Ids(by)),
        };
        notes.push(format!("{} went back to pending: {why}.", demoted.id));
    }
}

/// Ids that do not mean what the call seemed to think.
fn reassigned(notes: &mut Vec<String>, list: &TaskList, changes: &Changes) {
    let subject = |id: &TaskId| {
        let task = list.get(id);
        task.map_or(String::new(), |task| Quote(&task.subject).to_string())
    };
    for note in &changes.notes.rebound {
        notes.push(format!(
            "Id {} now means \"{}\", which had id {}. Nothing of what it meant before is kept.",
            note.id,
            subject(&note.id),
            note.previous
        ));
    }
    for note in &changes.notes.duplicate_ids {
        notes.push(format!(
            "Id {} was given twice: \"{}\" has id {}.",
            note.id,
            subject(&note.generated),
            note.generated
        ));
    }
}

/// Tasks that a write brought back.
fn came_back(notes: &mut Vec<String>, changes: &Changes) {
    for task in &changes.facts.revived {
        notes.push(format!(
            "{} is new work under the id of an earlier task that had left the list; it is {}.",
            task.id, task.status
        ));
    }
}

/// Dependencies that were not made.
fn not_linked(notes: &mut Vec<String>, changes: &Changes) {
    for edge in &changes.notes.already_met {
        notes.push(format!(
            "{} does not wait for {}, which was completed before it left the list.",
            edge.blocked, edge.blocker
        ));
    }
}

/// Tasks that the call made for another than the one who acts.
fn for_others(notes: &mut Vec<String>, list: &TaskList, changes: &Changes) {
    for id in &changes.notes.for_others {
        let owner = list.get(id).and_then(|task| task.owner.as_deref());
        let owner = Quote(owner.unwrap_or_default()).to_string();
        notes.push(format!("{id} is {owner}'s to do, not yours."));
    }
}

/// Unfinished tasks that a write left out. A small model that was asked to add a task sends that one alone; it must
/// read that the others are gone, and what to do.
fn left_out(notes: &mut Vec<String>, to_keep: &str, changes: &Changes) {
    let unfinished = &changes.notes.unfinished_removed;
    if !unfinished.is_empty() {
        // Both are in the old list order, so one pass finds them.
        let mut removed = changes.facts.removed.iter();
        let mut names: Vec<String> = (unfinished.iter().take(MOST_NAMED))
            .filter_map(|id| removed.find(|task| task.id == *id))
            .map(|task| format!("{} \"{}\"", task.id, Quote(&task.subject)))
            .collect();
        if unfinished.len() > MOST_NAMED {
            names.push(format!("and {} more", unfinished.len() - MOST_NAMED));
        }
        let names = names.join(", ");
        notes.push(format!(
            "Removed, since this list does not have them: {names}. {to_keep}"
        ));
    }
    let kept = &changes.notes.unfinished_kept;
    if !kept.is_empty() {
        let kept = Ids(kept);
        notes.push(format!(
            "Left out unfinished, so they stay at the end: {kept}."
        ));
    }
}

/// Tasks that were started or completed although they wait.
fn advised(notes: &mut Vec<String>, list: &TaskList, changes: &Changes) {
    for id in &changes.notes.advised {
        let Some(why) = list.explain(id) else {
            continue;
        };
        // A task that was started is never dormant again, so its patterns cannot be told any more.
        let waits = match why.open_blockers.is_empty() {
            true => format!("{id} was dormant"),
            false => format!("{id} waits for {}", Ids(&why.open_blockers)),
        };
        let is_done = list
            .get(id)
            .is_some_and(|task| task.status == Status::Completed);
        let done = if is_done { "completed" } else { "started" };
        notes.push(format!(
            "{waits}. It was {done} anyway, since the policy only advises."
        ));
    }
}

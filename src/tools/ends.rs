//! Makes ids of the texts by which a call names blockers, and of the places of tasks that were inside another.
//!
//! A model that makes several tasks in one call, or several calls at once, does not know their ids yet and names them by
//! what they say. A text counts where exactly one task of the resulting list has it, and an id always goes before a
//! text. What stays unknown is left as it is, for the list to refuse. Tested in `tests/exact_calls.rs`.

use super::merge::Whole;
use crate::error::Error;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::task::{Task, TaskDraft, TaskPatch};
use crate::text::{Quote, folded};
use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The other ends of edges, as they are given.
type Ends = Vec<Arc<str>>;

/// Puts ids into the drafts of a write, and gives what to note. `nested` are items inside another, `(outer, inner)`,
/// for which the outer one is to wait.
///
/// # Errors
///
/// Those of the write.
pub(super) fn of_write(
    list: &TaskList,
    whole: &mut Whole,
    nested: &[(usize, usize)],
) -> Result<Vec<String>, Error> {
    let is_unknown = is_unknown(list);
    let mut unknown: HashSet<Arc<str>> = (whole.drafts.iter().flat_map(ends_of_draft))
        .filter(|end| is_unknown(end))
        .cloned()
        .collect();
    if !unknown.is_empty() {
        for id in whole.drafts.iter().filter_map(|draft| draft.id.as_deref()) {
            unknown.remove(id);
        }
    }
    if unknown.is_empty() && nested.is_empty() {
        return Ok(Vec::new());
    }
    // The write itself, on a copy and without what is not known: which ids it makes is the list's to say. On behalf of
    // nobody, since the edges that are missing here may be those of others.
    let mut trial = list.clone();
    let mut drafts = whole.drafts.clone();
    for ends in drafts.iter_mut().flat_map(ends_of_draft_mut) {
        ends.retain(|end| !unknown.contains(end));
    }
    trial.write(drafts)?;
    let names = Names::of(trial.tasks().map(|task| (&*task.subject, Some(&task.id))));
    let mut notes = BTreeSet::new();
    for ends in whole.drafts.iter_mut().flat_map(ends_of_draft_mut) {
        for end in ends.iter_mut().filter(|end| unknown.contains(*end)) {
            if trial.get(&**end).is_none() {
                names.resolve(end, &mut notes);
            }
        }
    }
    let made: Vec<&Task> = trial.tasks().collect();
    for &(outer, inner) in nested {
        let (outer, inner) = (whole.places[outer], whole.places[inner]);
        let id = &made[outer].id;
        let kept = || trial.blocked_by(id).unwrap_or_default().into_iter();
        let kept = || kept().map(|task| task.id.as_str().into()).collect();
        let blockers = &mut whole.drafts[outer].fields.blocked_by;
        (blockers.get_or_insert_with(kept)).push(made[inner].id.as_str().into());
    }
    Ok(notes.into_iter().collect())
}

/// The same for a new task.
pub(super) fn of_create(list: &TaskList, draft: &mut TaskDraft) -> Vec<String> {
    let own = draft.fields.subject.clone();
    // It has a text in the resulting list too, and cannot wait for itself.
    let own = own.as_deref().map(|subject| (subject, None));
    let tasks = || list.tasks().map(|task| (&*task.subject, Some(&task.id)));
    resolve_all(
        list,
        || Names::of(tasks().chain(own)),
        ends_of_draft_mut(draft),
    )
}

/// The same for a change of a task.
pub(super) fn of_update(list: &TaskList, id: &str, patch: &mut TaskPatch) -> Vec<String> {
    let new = patch.fields.subject.clone();
    let names = || {
        let id = id.trim();
        Names::of(list.tasks().map(|task| match &new {
            Some(new) if task.id == *id => (&**new, Some(&task.id)),
            _ => (&*task.subject, Some(&task.id)),
        }))
    };
    let TaskPatch {
        fields,
        add_blocked_by,
        remove_blocked_by,
        add_blocks,
        remove_blocks,
    } = patch;
    let set = [&mut fields.blocked_by, &mut fields.blocks];
    let more = [add_blocked_by, remove_blocked_by, add_blocks, remove_blocks];
    resolve_all(list, names, set.into_iter().flatten().chain(more))
}

/// Puts ids in the place of the ends that are texts, and gives what to note. `names` is asked where there is such a one.
fn resolve_all<'l, 'e>(
    list: &TaskList,
    names: impl FnOnce() -> Names<'l>,
    ends: impl Iterator<Item = &'e mut Ends>,
) -> Vec<String> {
    let is_unknown = is_unknown(list);
    let unknown = ends.flatten().filter(|end| is_unknown(end));
    let mut unknown = unknown.peekable();
    let mut notes = BTreeSet::new();
    // All texts of the list are looked at only where one is needed.
    if unknown.peek().is_some() {
        let names = names();
        unknown.for_each(|end| names.resolve(end, &mut notes));
    }
    notes.into_iter().collect()
}

/// Whether something is the id of no task, in the list or retired.
fn is_unknown(list: &TaskList) -> impl Fn(&str) -> bool {
    // Once for all ends, and only where one is not live: a list can remember as many tasks as a call names.
    let ids = || (list.retired().map(|retired| retired.task.id.as_str())).collect();
    let retired: LazyCell<HashSet<&str>, _> = LazyCell::new(ids);
    move |end| list.get(end).is_none() && !retired.contains(end)
}

/// The tasks that a draft names, at either end of an edge.
fn ends_of_draft(draft: &TaskDraft) -> impl Iterator<Item = &Arc<str>> {
    let fields = &draft.fields;
    [&fields.blocked_by, &fields.blocks]
        .into_iter()
        .flatten()
        .flatten()
}

/// The same, a list of them for each end, to be changed.
fn ends_of_draft_mut(draft: &mut TaskDraft) -> impl Iterator<Item = &mut Ends> {
    let fields = &mut draft.fields;
    [&mut fields.blocked_by, &mut fields.blocks]
        .into_iter()
        .flatten()
}

/// The tasks of a list by their texts.
struct Names<'l> {
    /// `None` where two tasks have the text, or the one that has it cannot be meant.
    exact: HashMap<&'l str, Option<&'l TaskId>>,
    /// The same by folded text, for a text that none has exactly.
    folded: HashMap<String, Option<&'l TaskId>>,
}

impl<'l> Names<'l> {
    /// The texts of tasks, each with the id that it stands for, if it can stand for one.
    fn of(tasks: impl Iterator<Item = (&'l str, Option<&'l TaskId>)>) -> Self {
        let (mut exact, mut by_folded) = (HashMap::new(), HashMap::new());
        for (subject, id) in tasks {
            let id_or_two = |is_first: bool| id.filter(|_| is_first);
            let is_first = !exact.contains_key(subject);
            exact.insert(subject, id_or_two(is_first));
            let folded = folded(subject);
            let is_first = !by_folded.contains_key(&folded);
            by_folded.insert(folded, id_or_two(is_first));
        }
        Names {
            exact,
            folded: by_folded,
        }
    }

    /// Puts the id of the one task that is meant in the place of its text.
    fn resolve(&self, end: &mut Arc<str>, notes: &mut BTreeSet<String>) {
        let exact = self.exact.get(&**end).copied();
        let found = exact.unwrap_or_else(|| self.folded.get(&folded(end)).copied().flatten());
        if let Some(id) = found {
            notes.insert(format!(
                "\"{}\" was read as {id}, the task with that text.",
                Quote(end)
            ));
            *end = id.as_str().into();
        }
    }
}

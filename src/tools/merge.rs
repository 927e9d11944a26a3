//! Makes the whole list of the items of a write: those alone, or those over the tasks that are there.
//!
//! The list knows one way to be written, as a whole, and so a merge is a write in which every other task is named and
//! nothing said of it. What becomes of a field, of owners and of edges is the list's, as for every write. Blockers are not
//! looked up here. Tested in `tests/exact_calls.rs`.

use crate::error::{Error, Place};
use crate::list::TaskList;
use crate::task::{Task, TaskDraft};
use crate::text::folded;
use std::collections::HashMap;
use std::hash::Hash;

/// The drafts of a whole list, for one write.
///
/// Who writes it need not know whether the call gave the whole list or a part of it: the drafts are the same then, and
/// the errors are told of the items.
pub(super) struct Whole {
    /// One for each task of the resulting list, in its order.
    pub(super) drafts: Vec<TaskDraft>,
    /// Where the draft of each item of the call is among them.
    pub(super) places: Vec<usize>,
}

impl Whole {
    /// The items and nothing else.
    pub(super) fn of(items: Vec<TaskDraft>) -> Self {
        let places = (0..items.len()).collect();
        let drafts = items;
        Whole { drafts, places }
    }

    /// The list with the items over it: those of live tasks at their places, others at the end.
    ///
    /// An item stands for the task with its id, else for the one task that has its text, exactly or but for case and
    /// white space, and that no other item stands for. Linear in both.
    pub(super) fn merged(list: &TaskList, items: Vec<TaskDraft>) -> Self {
        let tasks: Vec<&Task> = list.tasks().collect();
        let mut taken = vec![false; tasks.len()];
        let mut at: Vec<Option<usize>> = Vec::with_capacity(items.len());
        for item in &items {
            let named = item.id.as_deref().and_then(|id| list.get(id));
            let named = named.and_then(|task| list.position(&task.id));
            // A second item of one id is for the list to tell of, as in every write.
            at.push(named.filter(|&place| !std::mem::replace(&mut taken[place], true)));
        }
        by_text(&items, &tasks, &mut taken, &mut at, |text| text.to_owned());
        by_text(&items, &tasks, &mut taken, &mut at, folded);

        // Named and nothing said of it: the task stays as it is, with its edges.
        let mut drafts: Vec<TaskDraft> = (tasks.iter())
            .map(|task| TaskDraft::default().id(&task.id))
            .collect();
        let mut places = Vec::with_capacity(items.len());
        for (item, at) in items.into_iter().zip(at) {
            match at {
                Some(place) => {
                    drafts[place] = item.id(&tasks[place].id);
                    places.push(place);
                }
                None => {
                    places.push(drafts.len());
                    drafts.push(item);
                }
            }
        }
        Whole { drafts, places }
    }

    /// The error with the place that the caller gave.
    pub(super) fn told_of_items(&self, mut error: Error) -> Error {
        let item_at = |place: usize| self.places.iter().position(|other| *other == place);
        if let Error::MissingSubject { item }
        | Error::StatusNotAllowed { item, .. }
        | Error::Invalid {
            place: Some(Place::Item(item)),
            ..
        }
        | Error::LimitExceeded {
            place: Some(Place::Item(item)),
            ..
        } = &mut error
        {
            *item = item_at(*item).unwrap_or(*item);
        }
        error
    }
}

/// Gives items without an id the one free task that has their text.
fn by_text<K: Eq + Hash>(
    items: &[TaskDraft],
    tasks: &[&Task],
    taken: &mut [bool],
    at: &mut [Option<usize>],
    key: impl Fn(&str) -> K,
) {
    let is_open = |(item, at): &(&TaskDraft, &mut Option<usize>)| item.id.is_none() && at.is_none();
    // Folding allocates, so nothing is folded where no item is left.
    let open: Vec<_> = items.iter().zip(at).filter(is_open).collect();
    if open.is_empty() {
        return;
    }
    let mut places: HashMap<K, Option<usize>> = HashMap::new();
    for (place, task) in tasks.iter().enumerate() {
        // Of two tasks with one text none is meant.
        let key = key(&task.subject);
        let place = Some(place).filter(|_| !places.contains_key(&key));
        places.insert(key, place);
    }
    for (item, at) in open {
        let found = item.fields.subject.as_deref().map(&key);
        let found = found.and_then(|key| places.get(&key).copied().flatten());
        *at = found.filter(|&place| !std::mem::replace(&mut taken[place], true));
    }
}

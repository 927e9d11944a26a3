//! Renderings within a budget of characters: what is kept, and in which order.
//!
//! It does not know any format. Tested by `tests/render.rs`, which tries every budget of small lists.

use crate::graph::State;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::task::Task;
use std::collections::HashSet;

/// The live tasks in the order in which a short rendering keeps them.
pub(super) fn by_urgency(list: &TaskList) -> impl Iterator<Item = &Task> {
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
pub(super) fn within<'l>(
    tasks: &[&'l Task],
    max_chars: Option<usize>,
    whole: impl Fn(&dyn Fn(&Task) -> bool, usize) -> String,
    cost: impl Fn(&'l Task, &HashSet<&'l TaskId>) -> usize,
) -> String {
    // Whole first: mostly it fits, and then no task is measured.
    let all = whole(&|_| true, 0);
    let Some(max) = max_chars.filter(|&max| chars(&all) > max) else {
        return all;
    };
    let nothing_kept = chars(&whole(&|_| false, tasks.len()));
    let Some(mut rest) = max.checked_sub(nothing_kept) else {
        return String::new();
    };
    let mut kept = HashSet::new();
    // A task that does not fit is passed over, not the end: shorter ones after it may fit.
    for task in tasks {
        let cost = cost(task, &kept);
        if cost <= rest {
            rest -= cost;
            kept.insert(&task.id);
        }
    }
    whole(&|task| kept.contains(&task.id), tasks.len() - kept.len())
}

pub(super) fn chars(text: &str) -> usize {
    text.chars().count()
}

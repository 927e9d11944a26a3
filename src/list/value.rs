//! The list as a value: what it is made of, and what makes two of them equal.
//!
//! It is changed in `edit` and `write` only, through the door in `door`. Tested by `tests/autotraits.rs`,
//! `tests/stored.rs` and every comparison of lists.

use super::ids::Suffixes;
use super::retired::Retired;
use crate::activation::{Matcher, Run};
use crate::graph::Graph;
use crate::policy::Policy;
use std::fmt;
use std::sync::Arc;

/// The checklist of an agent: tasks in order, the dependencies between them, and
/// what has left the list.
///
/// A list is a value. It does no I/O, reads no clock and draws no random numbers:
/// the same calls on equal lists give equal results. It is compared, and
/// serialised, by its content alone; its [`Policy`] is the host's and takes no part.
///
/// Cloning is O(1). The first edit after that copies pointers, not text.
///
/// Every call that changes the list either gives [`Changes`](crate::Changes) or refuses with an
/// [`Error`](crate::Error), and then the list is exactly what it was.
///
/// Ids are looked up trimmed. Look-ups are O(1); iteration is in list order.
#[derive(Clone, Default)]
pub struct TaskList {
    pub(crate) graph: Arc<Graph>,
    pub(crate) retired: Arc<Retired>,
    pub(crate) run: Arc<Run>,
    /// Saves looking for free ids. It follows from the list, and takes no part in equality.
    pub(super) suffixes: Arc<Suffixes>,
    /// Compiled patterns. A cache too.
    pub(super) matcher: Arc<Matcher>,
    pub(super) policy: Policy,
}

impl TaskList {
    /// An empty list with the default policy.
    pub fn new() -> Self {
        TaskList::default()
    }

    /// The policy that calls on this list are judged by, its limits included.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Sets the policy. Never fails, and changes no task: a policy judges
    /// transitions only.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// A list of these, with the default policy.
    pub(crate) fn loaded(graph: Graph, retired: Retired, run: Run, matcher: Arc<Matcher>) -> Self {
        TaskList {
            graph: Arc::new(graph),
            retired: Arc::new(retired),
            run: Arc::new(run),
            matcher,
            ..TaskList::default()
        }
    }
}

impl PartialEq for TaskList {
    fn eq(&self, other: &Self) -> bool {
        // Most lists that are compared are clones of each other.
        (Arc::ptr_eq(&self.graph, &other.graph) || self.graph == other.graph)
            && (Arc::ptr_eq(&self.retired, &other.retired) || self.retired == other.retired)
            && self.run == other.run
    }
}

impl Eq for TaskList {}

impl fmt::Debug for TaskList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskList")
            .field("tasks", &self.graph)
            .field("retired", &self.retired)
            .field("run", &self.run)
            .field("policy", &self.policy)
            .finish()
    }
}

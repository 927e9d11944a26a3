//! [`TaskSignals`]: the tools of a list and what its model is shown of it, as one thing to register.
//!
//! It joins [`ListTools`] with the projector of `render`, and decides nothing itself. Tested in
//! `tests/conversation.rs`.

use super::read::Arguments;
use super::reply::Reply;
use super::shared::ListTools;
use crate::list::TaskList;
use crate::render::{Projector, Signal};
use crate::store::{Revision, Store, StoreError, Stored};

/// The tools of a list and what its model is shown of it, as one thing to register: over one store and key,
/// for one conversation.
///
/// Tools alone are not enough for a model to keep to its list. The messages in which it wrote the list are dropped or
/// summarised sooner or later, and what other agents change it never sees. So register both from one value: the tools
/// ([`tools`](Self::tools)), and before each request of the conversation the signal ([`next`](Self::next)).
/// Both look at the store, never at a copy.
///
/// ```
/// use agent_tasklist::store::{ListKey, MemoryStore, block_on};
/// use agent_tasklist::tools::{ListTools, TaskSignals, Toolset};
/// use serde_json::json;
///
/// # block_on(async {
/// let tools = ListTools::new(MemoryStore::new(), ListKey::new("thread-1").unwrap(), Toolset::full());
/// let mut list = TaskSignals::new(tools);
/// let mut messages = vec!["Release version 2".to_owned()];
///
/// let args = json!({"tasks": [{"content": "Fix the bug", "status": "in_progress"}]});
/// messages.push(list.tools().call("task_write", &args).await.text);
///
/// // Before each request. Here the messages so far have been summarised, and the list is shown again.
/// messages = vec!["The user wants a release.".to_owned()];
/// let base_in_window = false;
/// messages.extend(list.next(base_in_window).await.unwrap().map(|signal| signal.text));
/// assert_eq!(messages[1], "\
/// <current-task-list count=\"1\">
///   ▸ [in_progress] {id: task_fix_the_bug} Fix the bug
/// </current-task-list>");
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct TaskSignals<S> {
    tools: ListTools<S>,
    projector: Projector,
}

impl<S: Store> TaskSignals<S> {
    /// The tools, and the signal for a conversation that has seen nothing of the list yet.
    pub fn new(tools: ListTools<S>) -> Self {
        TaskSignals {
            tools,
            projector: Projector::new(),
        }
    }

    /// The same for a conversation that goes on, with the projector that was kept with it.
    #[must_use]
    pub fn with_projector(mut self, projector: Projector) -> Self {
        self.projector = projector;
        self
    }

    /// The tools, to hand to the model.
    pub fn tools(&self) -> &ListTools<S> {
        &self.tools
    }

    /// Carries out a call, as [`ListTools::call`] does, and takes what it changed as told: the reply says it, and the next
    /// signal need not say it again. What others changed is still to be told.
    pub async fn call<'a>(&mut self, name: &str, args: impl Into<Arguments<'a>>) -> Reply {
        let (reply, list) = self.tools.call_and_list(name, args.into()).await;
        if let Some(list) = list {
            let told = self.tools.tools().told(&reply.changes);
            self.projector.told(&list, &told);
        }
        reply
    }

    /// What the model has been shown, to be kept with the conversation.
    pub fn projector(&self) -> &Projector {
        &self.projector
    }

    /// What to send before the next request, as [`Projector::next`] has it, from the list as it is stored.
    ///
    /// # Errors
    ///
    /// Whatever the store says; the projector is as it was then.
    pub async fn next(&mut self, base_in_window: bool) -> Result<Option<Signal>, StoreError> {
        let (list, revision) = self.list().await?;
        let signal = self.projector.next(&list, base_in_window);
        Ok(signal.map(|signal| Signal {
            revision: Some(revision),
            ..signal
        }))
    }

    /// What is open, for the tail of the next request, as [`reminder`](crate::render::reminder) has it: for an owner, what is left to
    /// do for it.
    ///
    /// # Errors
    ///
    /// Whatever the store says.
    pub async fn reminder(
        &self,
        turns_since_change: usize,
        max_chars: Option<usize>,
    ) -> Result<Option<String>, StoreError> {
        let (list, _) = self.list().await?;
        let tools = self.tools.tools();
        Ok(tools.reminder(&list, turns_since_change, max_chars))
    }

    async fn list(&self) -> Result<(TaskList, Revision), StoreError> {
        let stored = self.tools.load().await?;
        let none = || Stored::new(TaskList::new(), Revision::new(0));
        let Stored { list, revision, .. } = stored.unwrap_or_else(none);
        Ok((list, revision))
    }
}

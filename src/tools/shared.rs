//! [`ListTools`]: the tools over a list in a store, each call one edit under compare-and-set.
//!
//! Which list a call is about, whether it may be reached and what becomes of the store is decided here; what
//! the call does is the toolset's. A handle remembers nothing. Tested in `tests/store.rs`, `tests/stored.rs` and
//! `tests/refusals.rs`.

use super::read::Arguments;
use super::refusal::{RefusalKind, Refused};
use super::reply::Reply;
use super::spec::ToolSpec;
use super::toolset::{Prompt, Toolset};
use crate::change::Changes;
use crate::error::Error;
use crate::key::ListKey;
use crate::list::TaskList;
use crate::store::{Outcome, Revision, Store, StoreError, Stored, UpdateError, update_at};
use crate::text::Quote;
use std::fmt;
use std::sync::Arc;

/// A [`Toolset`] over a list in a [`Store`]: one handle for one agent.
///
/// Each call is one edit under compare-and-set: it loads the list, carries the call out and
/// commits; where another was faster, it does so again on fresh data. So calls that run in parallel, here or in
/// other processes, lose nothing. A handle remembers nothing between calls. It is as cheap to clone as its
/// store: an `Arc` of a store is a store too.
///
/// Replies are those of the toolset, with the list's `revision` at the top of
/// [`data`](Reply::data) (0 where there is no list yet). `task_write` takes a `baseRevision`: where the list
/// has another revision by now, the write is refused with the list as it is.
///
/// ```
/// use agent_tasklist::store::{ListKey, MemoryStore, block_on};
/// use agent_tasklist::tools::{ListTools, Toolset};
/// use serde_json::json;
///
/// let tools = ListTools::new(MemoryStore::new(), ListKey::new("thread-1")?, Toolset::mastra());
/// let args = json!({"tasks": [{"content": "Fix the bug", "status": "in_progress"}]});
/// let reply = block_on(tools.call("task_write", &args));
/// assert_eq!(reply.data["revision"], 1);
///
/// let late = json!({"tasks": [], "baseRevision": 0});
/// assert!(block_on(tools.call("task_write", &late)).is_error());
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone)]
pub struct ListTools<S> {
    store: S,
    key: Option<ListKey>,
    tools: Toolset,
    access: Arc<Decide>,
}

type Decide = dyn Fn(&ListKey, &ListKey) -> Access + Send + Sync;

/// Whether a caller may reach the list of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// It may.
    Allowed,
    /// There is no such list, or the caller must not know that there is.
    NotFound,
    /// The caller has not proved who it is.
    Unauthenticated,
}

impl<S: Store> ListTools<S> {
    /// The tools over the list under `key`. An agent without one (no thread, no memory) gets
    /// `None`: each of its calls is answered with what to configure.
    pub fn new(store: S, key: impl Into<Option<ListKey>>, tools: Toolset) -> Self {
        ListTools {
            store,
            key: key.into(),
            tools,
            access: Arc::new(|_, _| Access::NotFound),
        }
    }

    /// Lets calls with a `slug` or `workspace` reach other lists, as `decide` says when it is given the
    /// caller's own key and the one asked for. Without it none can be reached.
    #[must_use]
    pub fn with_access(
        mut self,
        decide: impl Fn(&ListKey, &ListKey) -> Access + Send + Sync + 'static,
    ) -> Self {
        self.access = Arc::new(decide);
        self
    }

    /// The same tools on behalf of an owner, as [`Toolset::acting_as`] has it.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a blank name.
    pub fn acting_as(mut self, owner: impl AsRef<str>) -> Result<Self, Error> {
        self.tools = self.tools.acting_as(owner)?;
        Ok(self)
    }

    /// What to tell the model of each tool.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.specs_at(true)
    }

    /// The list as it is stored, `None` where there is none yet.
    ///
    /// # Errors
    ///
    /// Whatever the store says.
    pub async fn load(&self) -> Result<Option<Stored>, StoreError> {
        match &self.key {
            Some(key) => self.store.load(key).await,
            None => Ok(None),
        }
    }

    /// Whether the agent may finish, for the loop of the host, which asks before it lets the agent stop: by the list as it
    /// is stored, and where the tools act for an owner, by the gate of that owner
    /// ([`TaskList::can_finish_for`]).
    ///
    /// Where there is no list yet, and for an agent without a key, nothing is open: `true`.
    ///
    /// # Errors
    ///
    /// Whatever the store says. A list that cannot be read is never taken for one that is finished.
    pub async fn can_finish(&self) -> Result<bool, StoreError> {
        let stored = self.load().await?;
        Ok(stored.is_none_or(|stored| self.tools.can_finish(&stored.list)))
    }

    /// Carries out a call. The arguments are a value or JSON text, see [`Arguments`].
    ///
    /// Never fails in the Rust sense, whatever the model sends and whatever becomes of the store.
    pub async fn call<'a>(&self, name: &str, args: impl Into<Arguments<'a>>) -> Reply {
        self.call_and_list(name, args.into()).await.0
    }

    pub(super) fn tools(&self) -> &Toolset {
        &self.tools
    }

    /// The same with the list of the agent after a call that was carried out on it.
    pub(super) async fn call_and_list(
        &self,
        name: &str,
        args: Arguments<'_>,
    ) -> (Reply, Option<TaskList>) {
        let prompt = &self.tools.prepare(name, args);
        let refuse = |refused| (self.tools.refuse(None, prompt.tool, refused), None);
        let key = match self.key_for(prompt) {
            Ok(key) => key,
            Err(refused) => return refuse(refused),
        };
        let updated = update_at(&self.store, &key, &self.tools.policy, |list, revision| {
            let revision = revision.map_or(0, Revision::get);
            let mut reply = Box::new(self.tools.run(list, prompt, Some(revision)));
            reply.data.set("revision", revision.into());
            match reply.is_error() {
                true => Err(reply),
                false => Ok(reply),
            }
        });
        match updated.await {
            Ok(updated) => {
                let (mut reply, revision) = (updated.outcome, updated.revision);
                let revision = revision.map_or(0, Revision::get);
                reply.data.set("revision", revision.into());
                // The list of another agent is not the one that signals tell of.
                let list = (self.key.as_ref() == Some(&key)).then_some(updated.list);
                (*reply, list)
            }
            Err(UpdateError::Refused(reply)) => (*reply, None),
            Err(UpdateError::Store(error)) => refuse(failed(&error)),
        }
    }

    /// The list that a call is about.
    fn key_for(&self, prompt: &Prompt<'_>) -> Result<ListKey, Refused> {
        const NO_MEMORY: &str = "Task tools require agent memory (a memory-backed thread). No task was recorded. \
            Configure the agent with Memory to use the task list.";
        let no_list = || Refused::new(RefusalKind::NoList, NO_MEMORY);
        let own = self.key.as_ref().ok_or_else(no_list)?;
        let [slug, workspace] = prompt.args.target()?;
        let key = own.resolve(slug, workspace)?;
        // Before the host is asked: every agent may reach its own list.
        if key == *own {
            return Ok(key);
        }
        match (self.access)(own, &key) {
            Access::Allowed => Ok(key),
            Access::NotFound => Err(Refused::out_of_reach(key.as_str())),
            Access::Unauthenticated => {
                let key = Quote(key.as_str()).to_string();
                let message = format!(
                    "The identity of the caller gives no access to {key:?}. Check the credentials, \
                     or leave slug and workspace out for your own list."
                );
                Err(Refused::new(RefusalKind::Unauthenticated, message))
            }
        }
    }
}

impl Outcome for Box<Reply> {
    fn changes(&self) -> &Changes {
        &self.changes
    }
}

/// What a failure of the store means for the call.
fn failed(error: &StoreError) -> Refused {
    let (kind, what_to_do) = match error {
        StoreError::Conflict => (RefusalKind::Conflict, "Nothing was changed. Try again."),
        StoreError::Corrupt(_) => (
            RefusalKind::Corrupt,
            "Nothing was changed. Go on without the list, and report it.",
        ),
        StoreError::Unauthenticated(_) => (
            RefusalKind::Unauthenticated,
            "Nothing was changed. Check the credentials.",
        ),
        StoreError::Backend(_) => (
            RefusalKind::Unavailable,
            "Whether the call was carried out is not known. Look at the list before you call again.",
        ),
    };
    let error = error.to_string();
    Refused::new(kind, format!("{}. {what_to_do}", Quote(&error)))
}

impl<S: fmt::Debug> fmt::Debug for ListTools<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListTools")
            .field("store", &self.store)
            .field("key", &self.key)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

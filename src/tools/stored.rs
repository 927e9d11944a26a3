use super::input::{self, Prepared};
use super::{Reply, ToolSpec, Toolset, murmur, schema};
use crate::error::Quote;
use crate::key::ListKey;
use crate::store::{Revision, Store, StoreError, Stored, UpdateError, update_at};
use serde_json::Value;
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
/// use agent_tasklist::{ListKey, ListTools, MemoryStore, Toolset, block_on};
/// use serde_json::json;
///
/// let tools = ListTools::new(MemoryStore::new(), ListKey::new("thread-1")?, Toolset::mastra());
/// let args = json!({"tasks": [{"content": "Fix the bug", "status": "in_progress"}]});
/// let reply = block_on(tools.call("task_write", &args));
/// assert_eq!(reply.data["revision"], 1);
///
/// let late = json!({"tasks": [], "baseRevision": 0});
/// assert!(block_on(tools.call("task_write", &late)).is_error);
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
    #[must_use]
    pub fn acting_as(mut self, owner: impl AsRef<str>) -> Self {
        self.tools = self.tools.acting_as(owner);
        self
    }

    /// What to tell the model of each tool.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.tools.specs();
        for spec in &mut specs {
            spec.output_schema["properties"]["revision"] =
                schema::integer("The revision of the list, 0 where there is none yet");
        }
        for spec in specs.iter_mut().filter(|spec| spec.name == "task_write") {
            spec.input_schema["properties"]["baseRevision"] = schema::integer(
                "The revision that this list was made from (0: none yet). Refused if it is another by now",
            );
        }
        specs
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

    /// Carries out a call. Never fails in the Rust sense, whatever the model sends and whatever
    /// becomes of the store.
    pub async fn call(&self, name: &str, args: &Value) -> Reply {
        let args = &self.tools.prepare(name, args);
        let (key, base) = match self.understand(name, args) {
            Ok(understood) => understood,
            Err(reply) => return *reply,
        };
        let mut made = None;
        let updated = update_at(&self.store, &key, &self.tools.policy, |list, revision| {
            let revision = revision.map_or(0, Revision::get);
            let mut reply = match base.filter(|&base| base != revision) {
                Some(base) => self.tools.form().outdated(list, base, revision),
                None => self.tools.run(list, name, args),
            };
            reply.data.set("revision", revision.into());
            match reply.is_error {
                true => Err(Box::new(reply)),
                false => {
                    let changes = std::mem::take(&mut reply.changes);
                    made = Some(reply);
                    Ok(changes)
                }
            }
        });
        match (updated.await, made) {
            (Ok(updated), Some(mut reply)) => {
                let revision = updated.revision.map_or(0, Revision::get);
                reply.data.set("revision", revision.into());
                reply.changes = updated.changes;
                reply
            }
            (Ok(_), None) => unreachable!("an edit that succeeds makes a reply"),
            (Err(UpdateError::Refused(reply)), _) => *reply,
            (Err(UpdateError::Store(error)), _) => self.failed(name, &error),
        }
    }

    /// The list that a call is about, and the revision that it says it was made from.
    fn understand(
        &self,
        name: &str,
        args: &Prepared<'_>,
    ) -> Result<(ListKey, Option<u64>), Box<Reply>> {
        const NO_MEMORY: &str = "Task tools require agent memory (a memory-backed thread). No task was recorded. \
            Configure the agent with Memory to use the task list.";
        let failure = |code, message: &str| Box::new(self.tools.failure(name, code, message));
        let own = self
            .key
            .as_ref()
            .ok_or_else(|| failure("NOT_FOUND", NO_MEMORY))?;
        let [slug, workspace] = self.tools.target(args)?;
        let key = own
            .resolve(slug, workspace)
            .map_err(|error| failure("INVALID_ARGUMENT", &error.to_string()))?;
        let base = match name {
            "task_write" => input::base_revision(args),
            _ => Ok(None),
        };
        let base = base.map_err(|problems| failure("INVALID_ARGUMENT", &problems.to_string()))?;
        if key == *own {
            return Ok((key, base));
        }
        match (self.access)(own, &key) {
            Access::Allowed => Ok((key, base)),
            Access::NotFound => Err(Box::new(murmur::out_of_reach(key.as_str()))),
            Access::Unauthenticated => {
                let key = Quote(key.as_str()).to_string();
                let message = format!(
                    "The identity of the caller gives no access to {key:?}. Check the credentials, \
                     or leave slug and workspace out for your own list."
                );
                Err(failure("UNAUTHENTICATED", &message))
            }
        }
    }

    fn failed(&self, name: &str, error: &StoreError) -> Reply {
        let (code, what_to_do) = match error {
            StoreError::Conflict => ("ABORTED", "Nothing was changed. Try again."),
            StoreError::Corrupt(_) => (
                "DATA_LOSS",
                "Nothing was changed. Go on without the list, and report it.",
            ),
            StoreError::Unauthenticated(_) => (
                "UNAUTHENTICATED",
                "Nothing was changed. Check the credentials.",
            ),
            StoreError::Backend(_) => (
                "UNAVAILABLE",
                "Whether the call was carried out is not known. Look at the list before you call again.",
            ),
        };
        let error = error.to_string();
        self.tools
            .failure(name, code, &format!("{}. {what_to_do}", Quote(&error)))
    }
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

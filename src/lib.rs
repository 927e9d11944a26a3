//! The task list that an AI agent works from, as a value: tasks in order, dependencies
//! between them, one in progress, and a finish gate. Storage-agnostic, without I/O, clock,
//! randomness or runtime.
//!
//! # A list
//!
//! A [`TaskList`] is changed by five calls: [`write`](TaskList::write) replaces it as a
//! whole and keeps the ids of what stays, [`create`](TaskList::create) appends,
//! [`update`](TaskList::update), [`complete`](TaskList::complete) and
//! [`delete`](TaskList::delete) change one task.
//!
//! ```
//! use agent_tasklist::{Status, TaskDraft, TaskList};
//!
//! let mut list = TaskList::new();
//! list.write([
//!     TaskDraft::new("Fix the bug").status(Status::InProgress),
//!     TaskDraft::new("Run the tests"),
//! ])?;
//! list.complete("task_fix_the_bug")?;
//! assert_eq!(list.ready().next().unwrap().id, "task_run_the_tests");
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # Dependencies
//!
//! A task can wait for others. It is [`Blocked`](State::Blocked) while one of them is open,
//! and cannot be started or completed then. Cycles are refused, so whatever waits gets its turn.
//!
//! ```
//! use agent_tasklist::{Error, State, TaskDraft, TaskList, TaskPatch};
//!
//! let mut list = TaskList::new();
//! list.create(TaskDraft::new("Build").id("build"))?;
//! list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
//! assert_eq!(list.state("ship"), Some(State::Blocked));
//!
//! let refused = list.update("build", TaskPatch::new().add_blocked_by(["ship"]));
//! assert!(refused.unwrap_err().to_string().starts_with("Dependency cycle: build → ship → build."));
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # Tasks that sleep
//!
//! A task with an [`Activation`] is dormant until a matching file is modified in the current run.
//! It blocks nobody, and does not keep the agent from finishing.
//!
//! ```
//! use agent_tasklist::{Activation, State, TaskDraft, TaskList};
//!
//! let mut list = TaskList::new();
//! let docs = Activation::files_modified(["docs/**"])?;
//! list.create(TaskDraft::new("Build the site").id("site").activation(docs))?;
//! assert!(list.can_finish());
//! list.files_modified(["docs/index.md"])?;
//! assert_eq!(list.state("site"), Some(State::Ready));
//! assert!(!list.can_finish());
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # What a call did
//!
//! Each call gives [`Changes`]: the net difference, what followed for other tasks, and what the
//! caller may not have expected. Save the list when they are not
//! [empty](Changes::is_empty).
//!
//! ```
//! use agent_tasklist::{Status, TaskDraft, TaskList, TaskPatch};
//!
//! let mut list = TaskList::new();
//! list.write([
//!     TaskDraft::new("Build").id("build").status(Status::InProgress),
//!     TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
//! ])?;
//! let changes = list.complete("build")?;
//! assert_eq!(changes.effects.unblocked, ["ship"]);
//! assert!(list.complete("build")?.is_empty());
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # Errors
//!
//! A refused call changes nothing. An [`Error`] carries data for the host, and a text that lets
//! a model correct itself.
//!
//! # Tools for a model
//!
//! A [`Toolset`] describes its tools and carries out what the model calls, whatever it sends.
//!
//! ```
//! use agent_tasklist::{TaskList, Toolset};
//! use serde_json::json;
//!
//! let tools = Toolset::mastra();
//! let names: Vec<&str> = tools.specs().iter().map(|spec| spec.name).collect();
//! assert_eq!(names, ["task_write", "task_update", "task_complete", "task_check"]);
//!
//! let mut list = TaskList::new();
//! let reply = tools.call(&mut list, "task_complete", &json!({"id": "task_1"}));
//! assert!(reply.is_error);
//! assert_eq!(reply.text, "Task not found: task_1\n\nNo tasks are currently tracked.");
//! ```
//!
//! # Many agents
//!
//! Tasks have owners: [`TaskList::claim`] gives an owner work, [`TaskList::acting_as`] leaves the work of
//! others alone, and the [`Policy`] says how many tasks may be in progress. See [`many_agents`].
//!
//! # Keeping a list
//!
//! A list serialises with serde, in a versioned form that is checked on load
//! ([`TaskList::to_json`], [`TaskList::from_json`]). Where several writers share one, there is
//! [`Store`], with [`update`] for the host and [`ListTools`] for its agents.
//!
//! ```
//! use agent_tasklist::{ListKey, ListTools, MemoryStore, Toolset, block_on};
//! use serde_json::json;
//!
//! let tools = ListTools::new(MemoryStore::new(), ListKey::new("thread-1")?, Toolset::mastra());
//! let args = json!({"tasks": [{"content": "Fix the bug", "status": "in_progress"}]});
//! assert_eq!(block_on(tools.call("task_write", &args)).data["revision"], 1);
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # What the model and people see
//!
//! [`render`] shows a list: what to send to a model before each request, a reminder, a checklist to
//! edit, diagrams. [`TaskSignals`] is the tools and that signal in one.
//!
//! ```
//! use agent_tasklist::render::{markdown, progress};
//! use agent_tasklist::{TaskDraft, TaskList};
//!
//! let mut list = TaskList::new();
//! list.create(TaskDraft::new("Build").id("build"))?;
//! list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
//! assert_eq!(markdown(&list, None), "- [ ] Build {#build}\n- [ ] Ship {#ship} {after #build}\n");
//! assert_eq!(progress(&list, None), "0/2 done · 1 ready · 1 blocked");
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # Security
//!
//! What a model or a user writes into a task is data, and stays it:
//!
//! - In a prompt it can say anything, as every tool result can: treat it as untrusted. It shows on one line, escaped
//!   where there are tags, and takes no line, tag or id of its own.
//! - Ids and [`ListKey`]s are safe as names: it names no other file, key or list.
//! - It adds nothing to a diagram or a checklist: labels and Markdown are escaped, and held to real parsers.
//! - In a log an error quotes at most 80 characters of a wrong input, on one line.
//!
//! A call that says who acts ([`TaskList::acting_as`], [`Toolset::acting_as`]) leaves the unfinished tasks of others
//! alone; one that does not may change every task, so the host must say it. Another list is reached only where
//! the host's resolver says so ([`ListTools::with_access`]).
//!
//! A store must let one of two commits on the same revision through, and give back what it was given
//! ([`conformance::check`]). The stored form has no checksum or signature: who can write the store can write any list, and
//! a list is checked on load, so that it cannot do more than be another list.
//!
//! No input makes the crate panic or overflow a 2 MiB stack, and what is too large is refused
//! ([`Limits`]). Each of these claims is a test in `tests/security.rs` or `tests/limits.rs`.

mod activation;
mod buckets;
mod change;
pub mod conformance;
mod dag;
mod error;
mod id;
mod key;
mod list;
pub mod many_agents;
mod persist;
mod policy;
mod reconcile;
pub mod render;
mod retired;
mod state;
mod store;
mod task;
mod text;
mod tools;

pub use activation::Activation;
pub use change::{
    Changes, Demoted, Demotion, DuplicateId, Edge, Edited, Effects, Facts, Notes, Rebound,
};
pub use error::{
    Error, IdProblem, KeyProblem, KnownIds, Limit, PathProblem, PatternProblem, Place, TaskProblem,
};
pub use id::TaskId;
pub use key::ListKey;
pub use list::{Acting, Claimed, Created, TaskList};
pub use persist::{Repair, RepairReason};
pub use policy::{Blocked, Dropped, Excess, InProgress, Limits, Policy};
pub use retired::RetiredTask;
pub use state::{Explanation, State, Summary, Violation};
pub use store::{
    Commit, MemoryStore, Revision, Store, StoreError, StoreFuture, Stored, UpdateError, Updated,
    block_on, update,
};
pub use task::{Field, Status, Task, TaskDraft, TaskPatch};
pub use tools::{
    Access, Detail, Hints, ListTools, Reply, ReplyData, Strictness, TaskSignals, ToolSpec, Toolset,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

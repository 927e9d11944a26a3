//! The task list that an AI agent works from, as a value: tasks in order, dependencies between them, one in progress, and a
//! finish gate. Storage-agnostic, without I/O, clock, randomness or runtime.
//!
//! # A list
//!
//! A [`TaskList`] is changed by five calls: [`write`](TaskList::write) replaces it as a whole and keeps the ids of what
//! stays, [`create`](TaskList::create) appends, [`update`](TaskList::update), [`complete`](TaskList::complete) and
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
//! A task can wait for others. It is [`Blocked`](State::Blocked) while one of them is open, and cannot be started or
//! completed then. Cycles are refused, so whatever waits gets its turn.
//!
//! ```
//! use agent_tasklist::{State, TaskDraft, TaskList, TaskPatch};
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
//! A task with an [`Activation`] is dormant until a matching file is modified in the current run. It blocks nobody, and
//! does not keep the agent from finishing.
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
//! Each call gives [`Changes`]: the net difference, what followed for other tasks, and what the caller may not have
//! expected. Save the list when they are not [empty](Changes::is_empty). A refused call changes nothing; its [`Error`]
//! carries data for the host, and a text that lets a model correct itself.
//!
//! ```
//! use agent_tasklist::{Error, Status, TaskDraft, TaskList};
//!
//! let mut list = TaskList::new();
//! list.write([
//!     TaskDraft::new("Build").id("build").status(Status::InProgress),
//!     TaskDraft::new("Ship").id("ship").blocked_by(["build"]),
//! ])?;
//! let changes = list.complete("build")?;
//! assert_eq!(changes.effects.unblocked, ["ship"]);
//! assert!(list.complete("build")?.is_empty());
//! assert!(matches!(list.complete("bild"), Err(Error::UnknownTask { known, .. }) if known.total == 2));
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # Tools for a model
//!
//! A [`Toolset`](tools::Toolset) describes its tools and carries out what the model calls, whatever it sends.
//!
//! ```
//! use agent_tasklist::TaskList;
//! use agent_tasklist::tools::Toolset;
//!
//! let tools = Toolset::mastra();
//! let names: Vec<&str> = tools.specs().iter().map(|spec| spec.name).collect();
//! assert_eq!(names, ["task_write", "task_update", "task_complete", "task_check"]);
//!
//! let mut list = TaskList::new();
//! let reply = tools.call(&mut list, "task_complete", r#"{"id": "task_1"}"#);
//! assert!(reply.is_error());
//! assert_eq!(reply.text, "Task not found: task_1\n\nNo tasks are currently tracked.");
//! ```
//!
//! # Keeping a list
//!
//! A list serialises with serde, in a versioned form that is checked on load ([`TaskList::to_json`],
//! [`TaskList::from_json`]). Where several writers share one, there is [`store`], and
//! [`ListTools`](tools::ListTools) for its agents.
//!
//! ```
//! use agent_tasklist::store::{ListKey, MemoryStore, block_on};
//! use agent_tasklist::tools::{ListTools, Toolset};
//!
//! let tools = ListTools::new(MemoryStore::new(), ListKey::new("thread-1")?, Toolset::mastra());
//! let args = r#"{"tasks": [{"content": "Fix the bug", "status": "in_progress"}]}"#;
//! assert_eq!(block_on(tools.call("task_write", args)).data["revision"], 1);
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! # Where to find what
//!
//! | module | what |
//! | --- | --- |
//! | the root | what a first hour needs: lists, tasks, what a call gives and refuses |
//! | [`policy`] | what the host decides: how many tasks in progress, what a write may leave out, limits |
//! | [`change`] | the parts of [`Changes`] |
//! | [`error`] | the parts of [`Error`] and [`LoadError`] |
//! | [`store`] | shared lists: the trait, its conformance suite, a store in memory |
//! | [`tools`] | tools for models, over a list or a store |
//! | [`render`] | what models and people are shown |
//! | [`guide`] | how to put it together: a loop with the finish gate, several agents, stores, signals |
//!
//! # Security
//!
//! What a model or a user writes into a task is data, and stays it:
//!
//! - In a prompt it can say anything, as every tool result can: treat it as untrusted. It shows on one line, escaped
//!   where there are tags, and takes no line, tag or id of its own.
//! - Ids and [`ListKey`](store::ListKey)s are safe as names: it names no other file, key or list.
//! - It adds nothing to a diagram or a checklist: labels and Markdown are escaped, and held to real parsers.
//! - In a log an error quotes at most 80 characters of a wrong input, on one line.
//!
//! A call that says who acts ([`TaskList::acting_as`], [`Toolset::acting_as`](tools::Toolset::acting_as)) leaves the unfinished tasks of others
//! alone; one that does not may change every task, so the host must say it. Another list is reached only where
//! the host's resolver says so ([`ListTools::with_access`](tools::ListTools::with_access)).
//!
//! A store must let one of two commits on the same revision through, and give back what it was given
//! ([`conformance::check`](store::conformance::check)). The stored form has no checksum or signature: who can write the store can write any list, and
//! a list is checked on load, so that it cannot do more than be another list.
//!
//! No input makes the crate panic or overflow a 2 MiB stack, and what is too large is refused
//! ([`Limits`]). Each of these claims is a test in `tests/security.rs` or `tests/limits.rs`.
//!
//! # How it is built
//!
//! In rooms, each of which knows only those above it in this list. `tests/house.rs` reads the list and fails where an arrow
//! points the other way.
//!
//! ```text
//! text, limit, invalid — texts and figures, and what is wrong with them
//! owner, id, status, key — strings with rules
//! error — why a call is refused; knows ids, statuses and limits
//! policy — what the host decides
//! activation — conditions and evidence; the only user of globset
//! task — a task, drafts and patches
//! graph/ buckets, state, dag, cycles, build — order, edges and states; the only user of petgraph
//! change — what a call did
//! list/ retired, ids, value, read, reconcile — the list, and which task an item of a write stands for
//! list/ edit, write, settle, tell, door — the door in three rooms: edit, restore the rules, say what changed
//! list/ acting, calls — the calls
//! stored — the versioned form, checked on load
//! store/ wait, contract, memory, update, conformance — shared lists
//! render/ budget, words, diagram, markdown, signal — what is shown
//! tools/ words, schema, params, repair, refusal, read, merge, ends, run, reply, catalogue, notes — tools as rows, verbs, replies
//! tools/interfaces/ form, mastra, full, murmur — one file for each interface
//! tools/ spec, toolset, shared, signals — tools for models, over a list and over a store
//! guide/ hand_it_to_a_model, several_agents, what_to_show, your_own_store — chapters
//! ```

mod activation;
pub mod change;
pub mod error;
mod graph;
pub mod guide;
mod id;
mod invalid;
mod key;
mod limit;
mod list;
mod owner;
pub mod policy;
pub mod render;
mod status;
pub mod store;
mod stored;
mod task;
mod text;
pub mod tools;

pub use activation::{Activation, PathStyle};
pub use change::Changes;
pub use error::{Error, LoadError};
pub use graph::State;
pub use id::TaskId;
pub use list::{Acting, Claimed, Created, Explanation, RetiredTask, Summary, TaskList, Tasks};
pub use policy::{Limits, Policy};
pub use status::Status;
pub use task::{Field, Task, TaskDraft, TaskPatch};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Keeping a list where you keep everything else.
//!
//! # No store at all
//!
//! A list is a serde value. A host that has one writer for each list needs nothing more than
//! [`to_json`](crate::TaskList::to_json) and [`from_json`](crate::TaskList::from_json), and saves when
//! [`Changes::is_empty`](crate::Changes::is_empty) is false. A damaged list is an error and never an empty list, so do not
//! replace it by a new one: the old work would be gone, and the finish gate open.
//!
//! ```
//! use agent_tasklist::TaskList;
//! use agent_tasklist::tools::Toolset;
//!
//! let mut row = TaskList::new().to_json();
//! let mut list = TaskList::from_json(&row)?;
//! let reply = Toolset::mastra().call(&mut list, "task_write", r#"{"tasks": [{"content": "Fix the bug"}]}"#);
//! if !reply.changes.is_empty() {
//!     row = list.to_json();
//! }
//! assert!(row.contains("task_fix_the_bug"));
//! # Ok::<(), agent_tasklist::LoadError>(())
//! ```
//!
//! # A store
//!
//! Where several writers share a list, one of two writes on the same version must be refused. That is all that a
//! [`Store`](crate::store::Store) has to do: load a list with its revision, and commit one if the revision is still the
//! expected one. Its page has a whole store of 30 lines. With a database it is one statement:
//!
//! ```sql
//! UPDATE lists SET list = $3, revision = revision + 1 WHERE key = $1 AND revision = $2
//! ```
//!
//! No row updated is a [`Conflict`](crate::store::StoreError::Conflict). Whoever edits through
//! [`update`](crate::store::update) or [`ListTools`](crate::tools::ListTools) does not see it, since the edit is run again on
//! the list as it is then. An error after which nobody knows whether the row was written is
//! [`Backend`](crate::store::StoreError::Backend), and is not tried again.
//!
//! Call [`conformance::check`](crate::store::conformance::check) in a test of yours. It asserts every return value, tells
//! keys apart to the byte, and lets eight writers race; it finds a store that loses one update in a hundred.
//!
//! # What to give your own calls
//!
//! A program edits as a model does, through the same guard, and gets back what its edit returned:
//!
//! ```
//! use agent_tasklist::store::{ListKey, MemoryStore, UpdateError, block_on, update};
//! use agent_tasklist::{Error, Policy, TaskDraft};
//!
//! let (store, key) = (MemoryStore::new(), ListKey::new("thread-1")?);
//! let policy = Policy::default();
//! let created = block_on(update(&store, &key, &policy, |list| list.create(TaskDraft::new("Ship"))))?;
//! let id = created.outcome.id;
//! let refused = block_on(update(&store, &key, &policy, |list| list.acting_as("jo")?.complete("no-such-task")));
//! assert!(matches!(refused, Err(UpdateError::Refused(Error::UnknownTask { .. }))));
//! block_on(update(&store, &key, &policy, |list| list.complete(&id)))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The packages under `examples/` are whole stores for files, SQLite, PostgreSQL and Redis, with their tests.

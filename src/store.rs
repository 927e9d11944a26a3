//! Keeping lists where several writers share them: a two-method trait, compare-and-set, and the suite that holds a store to
//! its contract.
//!
//! A host that keeps its lists itself needs none of this: a list is a serde value.
//!
//! ```
//! use agent_tasklist::store::{ListKey, MemoryStore, block_on, conformance, update};
//! use agent_tasklist::{Policy, TaskDraft};
//!
//! let store = MemoryStore::new();
//! let key = ListKey::new("thread-1")?;
//! block_on(update(&store, &key, &Policy::default(), |list| list.create(TaskDraft::new("Fix the bug"))))?;
//! let updated = block_on(update(&store, &key, &Policy::default(), |list| list.complete("task_fix_the_bug")))?;
//! assert_eq!(updated.revision.unwrap().get(), 2);
//!
//! block_on(conformance::check(|| std::future::ready(store.clone())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Store`] says what yours has to do, with a whole one of 30 lines; [`conformance::check`] tells what is wrong with it;
//! the [guide](crate::guide::your_own_store) has the rest.
//!
//! Files, from low to high: `wait`, `contract`, `memory`, `update`, `conformance`. They know lists, and nothing of tools.

pub mod conformance;
mod contract;
mod memory;
mod update;
mod wait;

pub use crate::key::ListKey;
pub use contract::{Commit, Revision, Store, StoreError, StoreFuture, Stored};
pub use memory::MemoryStore;
pub(crate) use update::update_at;
pub use update::{Outcome, UpdateError, Updated, update};
pub use wait::block_on;

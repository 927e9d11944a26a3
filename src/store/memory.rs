//! A store in memory.
//!
//! It keeps values, not JSON, so that it costs a test nothing. Tested by `conformance` and `tests/store.rs`.

use super::contract::{Commit, Revision, Store, StoreError, StoreFuture, Stored};
use crate::key::ListKey;
use crate::list::TaskList;
use crate::policy::Policy;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A store in memory. Clones are handles on the same lists. For tests, and for agents whose
/// lists need not outlive the process.
///
/// Loading costs O(1), committing too.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    lists: Arc<Mutex<HashMap<ListKey, Entry>>>,
}

/// The last revision of a key, and the list unless it was deleted.
#[derive(Debug)]
struct Entry {
    revision: Revision,
    list: Option<TaskList>,
}

impl MemoryStore {
    /// A store without lists.
    pub fn new() -> Self {
        MemoryStore::default()
    }

    /// Deletes the list under a key. Its revisions are not used again. Says whether there was one.
    pub fn delete(&self, key: &ListKey) -> bool {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists
            .get_mut(key)
            .and_then(|entry| entry.list.take())
            .is_some()
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(lists.get(key).and_then(|entry| {
                let list = entry.list.clone()?;
                Some(Stored::new(list, entry.revision))
            }))
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            // A panic elsewhere while the lock was held leaves whole lists: each is put in with one insert.
            let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = lists.get(key);
            let current = entry
                .filter(|entry| entry.list.is_some())
                .map(|entry| entry.revision);
            if current != commit.expected {
                return Err(StoreError::Conflict);
            }
            // Of the entry, deleted or not: a revision is never used twice.
            let revision = Revision::after(entry.map(|entry| entry.revision));
            let mut list = commit.list.clone();
            // As after a load from JSON: a policy is the host's, and is never stored.
            list.set_policy(Policy::default());
            let list = Some(list);
            lists.insert(key.clone(), Entry { revision, list });
            Ok(revision)
        })
    }
}

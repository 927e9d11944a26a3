//! What a store is: two methods, and the words for what goes in and comes out.
//!
//! No store is here, and nothing retries here. Every store of the project passes `conformance`, which holds the contract.

use crate::change::Changes;
use crate::error::LoadError;
use crate::key::ListKey;
use crate::list::TaskList;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// What a [`Store`] gives: a boxed future, so that the trait is object-safe and needs no runtime.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where lists are kept: whole, each under its key, and written by compare-and-set.
///
/// Two methods, without defaults. Whatever can compare a number and write in one step can be a
/// store: a row with a revision column, a key with a script, a file under a lock. Check yours
/// with [`conformance::check`](crate::store::conformance::check).
///
/// # Contract
///
/// - A future does nothing until it is polled.
/// - [`load`](Self::load) gives `None` only if there is no list under the key. What is there and
///   cannot be read is [`StoreError::Corrupt`], and nothing is ever written over it.
/// - [`commit`](Self::commit) writes only if the revision under the key is the expected one, with
///   `None` for no list; comparing and writing are one step that no other writer can come
///   between. Otherwise it is [`StoreError::Conflict`], and nothing is changed.
/// - A commit gives the revision that it wrote. Revisions of a key grow, and none is ever used
///   again, not even after the list was deleted by other means.
/// - Keys that differ by a byte are different lists.
///
/// ```
/// use agent_tasklist::TaskList;
/// use agent_tasklist::store::{self, Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored};
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// #[derive(Default)]
/// struct InMemory(Mutex<HashMap<ListKey, (u64, String)>>);
///
/// impl Store for InMemory {
///     fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
///         Box::pin(async move {
///             let lists = self.0.lock().unwrap();
///             let Some((revision, json)) = lists.get(key) else { return Ok(None) };
///             Ok(Some(Stored::new(TaskList::from_json(json)?, Revision::new(*revision))))
///         })
///     }
///
///     fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
///         Box::pin(async move {
///             let mut lists = self.0.lock().unwrap();
///             let current = lists.get(key).map(|(revision, _)| Revision::new(*revision));
///             if current != commit.expected {
///                 return Err(StoreError::Conflict);
///             }
///             let next = Revision::after(current);
///             lists.insert(key.clone(), (next.get(), commit.list.to_json()));
///             Ok(next)
///         })
///     }
/// }
///
/// let store = InMemory::default();
/// store::block_on(store::conformance::check(|| std::future::ready(&store)));
/// ```
pub trait Store: Send + Sync {
    /// Reads the list under a key, with its revision.
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>>;

    /// Writes the list under a key, if it still has the expected revision, and gives the new one.
    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<S: Store + ?Sized> Store for $pointer {
            fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
                (**self).load(key)
            }

            fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
                (**self).commit(key, commit)
            }
        }
    )*};
}

forward!(&S, Box<S>, Arc<S>);

/// The number of a stored version of a list. A later version has a greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision(u64);

impl Revision {
    /// The revision with that number. What the first one is is up to the store; 0 stands for no
    /// list in what tools say and take.
    pub const fn new(number: u64) -> Self {
        Revision(number)
    }

    /// The revision that follows one, or 1 where there is no list yet. For stores that keep
    /// the number of a deleted list.
    pub const fn after(current: Option<Revision>) -> Self {
        match current {
            // Not 0, which stands for no list in what tools say and take.
            None => Revision(1),
            // A counter that wraps would make an old revision match again. This one stops, and commits become conflicts.
            Some(Revision(number)) => Revision(number.saturating_add(1)),
        }
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A list as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stored {
    /// The list.
    pub list: TaskList,
    /// Its revision.
    pub revision: Revision,
}

impl Stored {
    /// A list with its revision.
    pub fn new(list: TaskList, revision: Revision) -> Self {
        Stored { list, revision }
    }
}

/// What a store is to write.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Commit<'a> {
    /// The revision that the list must have now; `None`: there must be none.
    pub expected: Option<Revision>,
    /// The list to write, whole.
    pub list: &'a TaskList,
    /// What was changed of the expected version, for stores that log or announce it.
    pub changes: &'a Changes,
}

impl<'a> Commit<'a> {
    /// What a store is to write.
    pub fn new(expected: Option<Revision>, list: &'a TaskList, changes: &'a Changes) -> Self {
        Commit {
            expected,
            list,
            changes,
        }
    }
}

type Source = Box<dyn std::error::Error + Send + Sync>;

/// What can become of a load or a commit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The list under the key does not have the expected revision. Nothing was written.
    #[error("the list was changed by another writer")]
    Conflict,
    /// What is under the key is not a list that can be read. Nothing was written.
    #[error("the stored list cannot be read: {0}")]
    Corrupt(#[source] Source),
    /// The store does not know the caller, or does not let it do that. Nothing was written.
    #[error("the store refuses the caller: {0}")]
    Unauthenticated(#[source] Source),
    /// The store failed. Whether something was written is not known, so the commit must not
    /// be tried again as it is.
    #[error("the store failed: {0}")]
    Backend(#[source] Source),
}

impl StoreError {
    /// What is under the key cannot be read.
    pub fn corrupt(error: impl Into<Source>) -> Self {
        StoreError::Corrupt(error.into())
    }

    /// The caller is not known or not allowed.
    pub fn unauthenticated(error: impl Into<Source>) -> Self {
        StoreError::Unauthenticated(error.into())
    }

    /// The store failed.
    pub fn backend(error: impl Into<Source>) -> Self {
        StoreError::Backend(error.into())
    }
}

/// What [`TaskList::from_json`] refuses is corrupt. There is no such conversion from [`Error`](crate::Error): that a call
/// was refused, or a key is no key, is not a loss of data.
impl From<LoadError> for StoreError {
    fn from(error: LoadError) -> Self {
        StoreError::corrupt(error)
    }
}

mod memory;

pub use memory::MemoryStore;

use crate::change::Changes;
use crate::error::Error;
use crate::key::ListKey;
use crate::list::TaskList;
use crate::policy::Policy;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// What a [`Store`] gives: a boxed future, so that the trait is object-safe and needs no runtime.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where lists are kept: whole, each under its key, and written by compare-and-set.
///
/// Two methods, without defaults. Whatever can compare a number and write in one step can be a
/// store: a row with a revision column, a key with a script, a file under a lock. Check yours
/// with [`conformance::check`](crate::conformance::check).
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
/// use agent_tasklist::{Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored, TaskList};
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
/// agent_tasklist::block_on(agent_tasklist::conformance::check(|| std::future::ready(&store)));
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
            None => Revision(1),
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

/// What [`TaskList::from_json`] refuses is corrupt.
impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        StoreError::corrupt(error)
    }
}

/// What [`update`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// The list after the edit.
    pub list: TaskList,
    /// Its revision; `None` where there still is no list, since nothing was changed.
    pub revision: Option<Revision>,
    /// What the edit did.
    pub changes: Changes,
}

/// Why [`update`] did nothing, or does not know what it did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError<E = Error> {
    /// The edit refused. Nothing was written.
    #[error(transparent)]
    Refused(E),
    /// The store. After [`StoreError::Conflict`] the list was changed by others at each of
    /// 1,000 tries, and nothing was written.
    #[error(transparent)]
    Store(StoreError),
}

/// Edits the list under a key: loads it (an empty one where there is none), runs `edit` under
/// the `policy`, and commits the result. Where another writer was faster, the edit is run again on fresh
/// data, at most 1,000 times. An edit without [facts](Changes::is_empty) is not committed.
///
/// The edit may run several times, so it must not do anything but edit the list it is given.
///
/// # Errors
///
/// [`UpdateError::Refused`] with what the edit gave; [`UpdateError::Store`] with what the store
/// gave. A [`StoreError::Backend`] is never tried again, since the commit may have been done.
///
/// ```
/// use agent_tasklist::{ListKey, MemoryStore, Policy, TaskDraft, block_on, update};
///
/// let (store, key) = (MemoryStore::new(), ListKey::new("thread-1")?);
/// let updated = block_on(update(&store, &key, &Policy::default(), |list| {
///     Ok::<_, agent_tasklist::Error>(list.create(TaskDraft::new("Fix the bug"))?.changes)
/// }))
/// .unwrap();
/// assert_eq!(updated.revision.unwrap().get(), 1);
/// assert_eq!(updated.changes.facts.added[0].id, "task_fix_the_bug");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub async fn update<S, E, F>(
    store: &S,
    key: &ListKey,
    policy: &Policy,
    mut edit: F,
) -> Result<Updated, UpdateError<E>>
where
    S: Store + ?Sized,
    F: FnMut(&mut TaskList) -> Result<Changes, E>,
{
    update_at(store, key, policy, |list, _| edit(list)).await
}

/// The same for an edit that wants to know the revision it runs on.
pub(crate) async fn update_at<S, E, F>(
    store: &S,
    key: &ListKey,
    policy: &Policy,
    mut edit: F,
) -> Result<Updated, UpdateError<E>>
where
    S: Store + ?Sized,
    F: FnMut(&mut TaskList, Option<Revision>) -> Result<Changes, E>,
{
    const TRIES: usize = 1000;
    for _ in 0..TRIES {
        let stored = store.load(key).await.map_err(UpdateError::Store)?;
        let (mut list, expected) = match stored {
            Some(Stored { list, revision }) => (list, Some(revision)),
            None => (TaskList::new(), None),
        };
        list.set_policy(*policy);
        let changes = edit(&mut list, expected).map_err(UpdateError::Refused)?;
        if changes.is_empty() {
            return Ok(Updated {
                list,
                revision: expected,
                changes,
            });
        }
        match store
            .commit(key, Commit::new(expected, &list, &changes))
            .await
        {
            Ok(revision) => {
                return Ok(Updated {
                    list,
                    revision: Some(revision),
                    changes,
                });
            }
            Err(StoreError::Conflict) => yield_once().await,
            Err(error) => return Err(UpdateError::Store(error)),
        }
    }
    Err(UpdateError::Store(StoreError::Conflict))
}

/// Lets the other futures of this task's executor have a turn.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(
        |context: &mut Context<'_>| match std::mem::replace(&mut yielded, true) {
            true => Poll::Ready(()),
            false => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        },
    )
    .await;
}

/// Runs a future on this thread, for callers without a runtime.
///
/// For stores whose futures need none: [`MemoryStore`], and those that block, such as files or
/// SQLite. A store on tokio needs tokio's own `block_on`.
///
/// ```
/// assert_eq!(agent_tasklist::block_on(async { 1 + 1 }), 2);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

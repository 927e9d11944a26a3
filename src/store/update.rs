//! One edit of a stored list under compare-and-set.
//!
//! It knows the contract of a store, and nothing of any one. Tested by `tests/store.rs` over stores that fail, conflict and
//! lie.

use super::contract::{Commit, Revision, Store, StoreError, Stored};
use super::wait::yield_once;
use crate::change::Changes;
use crate::error::Error;
use crate::key::ListKey;
use crate::list::{Claimed, Created, TaskList};
use crate::policy::Policy;

/// What an edit of [`update`] returns: something that knows the changes it made.
///
/// The calls of a list return such values. An edit that has more to say returns a pair of that and its changes.
pub trait Outcome {
    /// What the edit changed. Where there is nothing, nothing is committed.
    fn changes(&self) -> &Changes;
}

impl Outcome for Changes {
    fn changes(&self) -> &Changes {
        self
    }
}

impl Outcome for Created {
    fn changes(&self) -> &Changes {
        &self.changes
    }
}

impl Outcome for Claimed {
    fn changes(&self) -> &Changes {
        &self.changes
    }
}

impl<T> Outcome for (T, Changes) {
    fn changes(&self) -> &Changes {
        &self.1
    }
}

/// What [`update`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated<T = Changes> {
    /// The list after the edit.
    pub list: TaskList,
    /// Its revision; `None` where there still is no list, since nothing was changed.
    pub revision: Option<Revision>,
    /// What the edit returned, in the try that was committed.
    pub outcome: T,
}

impl<T: Outcome> Updated<T> {
    /// What the edit changed.
    pub fn changes(&self) -> &Changes {
        self.outcome.changes()
    }
}

/// Why [`update`] did nothing, or does not know what it did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError<E = Error> {
    /// The edit refused. Nothing was written.
    #[error(transparent)]
    Refused(E),
    /// The store failed or refused. After [`StoreError::Conflict`] the list was changed by others at each of
    /// 1,000 tries, and nothing was written.
    #[error(transparent)]
    Store(StoreError),
}

/// Edits the list under a key: loads it (an empty one where there is none), runs `edit` under
/// the `policy`, and commits the result. Where another writer was faster, the edit is run again on fresh
/// data, at most 1,000 times. An edit without [facts](Changes::is_empty) is not committed.
///
/// The edit may run several times, so it must not do anything but edit the list it is given. What it returns comes
/// back in [`Updated::outcome`].
///
/// # Errors
///
/// [`UpdateError::Refused`] with what the edit gave; [`UpdateError::Store`] with what the store
/// gave. A [`StoreError::Backend`] is never tried again, since the commit may have been done.
///
/// ```
/// use agent_tasklist::store::{ListKey, MemoryStore, block_on, update};
/// use agent_tasklist::{Policy, TaskDraft};
///
/// let (store, key) = (MemoryStore::new(), ListKey::new("thread-1")?);
/// let policy = Policy::default();
/// let edit = update(&store, &key, &policy, |list| list.create(TaskDraft::new("Fix the bug")));
/// let updated = block_on(edit)?;
/// assert_eq!(updated.outcome.id, "task_fix_the_bug");
/// assert_eq!(updated.changes().facts.added.len(), 1);
/// assert_eq!(updated.revision.unwrap().get(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn update<S, T, E, F>(
    store: &S,
    key: &ListKey,
    policy: &Policy,
    mut edit: F,
) -> Result<Updated<T>, UpdateError<E>>
where
    S: Store + ?Sized,
    T: Outcome,
    F: FnMut(&mut TaskList) -> Result<T, E>,
{
    update_at(store, key, policy, |list, _| edit(list)).await
}

/// The same for an edit that wants to know the revision it runs on.
pub(crate) async fn update_at<S, T, E, F>(
    store: &S,
    key: &ListKey,
    policy: &Policy,
    mut edit: F,
) -> Result<Updated<T>, UpdateError<E>>
where
    S: Store + ?Sized,
    T: Outcome,
    F: FnMut(&mut TaskList, Option<Revision>) -> Result<T, E>,
{
    // Bounded, so that a store which always says conflict ends in an error. Eight writers on one list need some ten.
    const TRIES: usize = 1000;
    for _ in 0..TRIES {
        let stored = store.load(key).await.map_err(UpdateError::Store)?;
        let (mut list, expected) = match stored {
            Some(Stored { list, revision }) => (list, Some(revision)),
            None => (TaskList::new(), None),
        };
        list.set_policy(*policy);
        let outcome = edit(&mut list, expected).map_err(UpdateError::Refused)?;
        let committed = match outcome.changes() {
            // A call that changed nothing must not make another writer's commit a conflict.
            changes if changes.is_empty() => Ok(expected),
            changes => {
                let commit = Commit::new(expected, &list, changes);
                store.commit(key, commit).await.map(Some)
            }
        };
        match committed {
            Ok(revision) => {
                return Ok(Updated {
                    list,
                    revision,
                    outcome,
                });
            }
            // On one thread the writer that won may still have to be polled to its end.
            Err(StoreError::Conflict) => yield_once().await,
            Err(error) => return Err(UpdateError::Store(error)),
        }
    }
    Err(UpdateError::Store(StoreError::Conflict))
}

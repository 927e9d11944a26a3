//! The store of the soak: SQLite, with a log that each commit writes itself.
//!
//! A trigger copies the list that a transaction stores, and the call that it is of, into a table. So the
//! log has exactly what was committed, in that order, whenever a process is killed.

use crate::Outcome;
use agent_tasklist::store::{Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored};
use agent_tasklist::{Changes, TaskList};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use store_sqlite::SqliteStore;

const LOG: &str = "
    CREATE TABLE IF NOT EXISTS log (revision INTEGER PRIMARY KEY, call TEXT NOT NULL, list TEXT NOT NULL);
    CREATE TEMP TRIGGER log_insert AFTER INSERT ON main.lists
        BEGIN INSERT INTO log VALUES (NEW.revision, soak_call(), NEW.list); END;
    CREATE TEMP TRIGGER log_update AFTER UPDATE ON main.lists
        BEGIN INSERT INTO log VALUES (NEW.revision, soak_call(), NEW.list); END;";

/// The list that all share.
pub fn key() -> ListKey {
    ListKey::new("soak").expect("a key")
}

/// What a store noticed of the call that runs.
#[derive(Default)]
pub struct Noticed {
    /// What the last load gave.
    pub loaded: Option<Stored>,
    /// The revision that was committed.
    pub committed: Option<u64>,
    pub conflicts: u64,
    /// What the store failed with.
    pub failed: Option<String>,
}

/// The store of one agent.
pub struct Logged {
    inner: SqliteStore,
    call: Arc<Mutex<String>>,
    noticed: Mutex<Noticed>,
    /// Whether others have a turn between a load and its commit.
    yields: bool,
    broken: Option<Broken>,
}

/// A store that is broken on purpose, to see that it is found.
struct Broken {
    kind: String,
    /// Commits until it breaks.
    left: Mutex<u64>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Logged {
    pub fn open(file: &Path, yields: bool, corrupt: Option<&str>) -> Outcome<Logged> {
        let connection = Connection::open(file)?;
        let call = Arc::new(Mutex::new(String::new()));
        let told = Arc::clone(&call);
        connection.create_scalar_function(
            "soak_call",
            0,
            FunctionFlags::SQLITE_UTF8,
            move |_| Ok(lock(&told).clone()),
        )?;
        // The tables are there before the triggers.
        drop(SqliteStore::open(file)?);
        connection.busy_timeout(Duration::from_secs(30))?;
        connection.execute_batch(LOG)?;
        Ok(Logged {
            inner: SqliteStore::over(connection)?,
            call,
            noticed: Mutex::default(),
            yields,
            broken: corrupt.map(|kind| Broken {
                kind: kind.to_owned(),
                left: Mutex::new(10),
            }),
        })
    }

    /// Says which call the next commits are of.
    pub fn begin(&self, call: String) {
        *lock(&self.call) = call;
        let mut noticed = lock(&self.noticed);
        noticed.committed = None;
        noticed.conflicts = 0;
        noticed.failed = None;
    }

    pub fn noticed(&self) -> MutexGuard<'_, Noticed> {
        lock(&self.noticed)
    }

    /// Whether this commit is to go wrong.
    fn breaks(&self) -> Option<&str> {
        let broken = self.broken.as_ref()?;
        let mut left = lock(&broken.left);
        *left = left.saturating_sub(1);
        (*left == 0).then_some(&*broken.kind)
    }

    async fn commit_wrongly(
        &self,
        kind: &str,
        key: &ListKey,
        commit: Commit<'_>,
    ) -> Result<Revision, StoreError> {
        let list = match kind {
            "swap" => swapped(commit.list)?,
            "drop" => match &lock(&self.noticed).loaded {
                Some(stored) => stored.list.clone(),
                None => TaskList::new(),
            },
            "lost" => return Ok(Revision::after(commit.expected)),
            "stale" => {
                let mut newest = commit.expected;
                for _ in 0..if self.yields { 1 } else { 500 } {
                    newest = self.inner.load(key).await?.map(|stored| stored.revision);
                    if newest != commit.expected {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                let commit = Commit::new(newest, commit.list, commit.changes);
                return self.inner.commit(key, commit).await;
            }
            other => return Err(StoreError::backend(format!("no such kind: {other}"))),
        };
        let commit = Commit::new(commit.expected, &list, commit.changes);
        self.inner.commit(key, commit).await
    }
}

/// The list with its first two tasks in the other order.
fn swapped(list: &TaskList) -> Result<TaskList, StoreError> {
    let mut list = list.clone();
    let mut drafts = list.drafts();
    if drafts.len() > 1 {
        drafts.swap(0, 1);
    }
    let _: Changes = list.write(drafts).map_err(StoreError::backend)?;
    Ok(list)
}

impl Store for Logged {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let loaded = self.inner.load(key).await;
            match &loaded {
                Ok(stored) => lock(&self.noticed).loaded = stored.clone(),
                Err(error) => lock(&self.noticed).failed = Some(error.to_string()),
            }
            if self.yields {
                Turn(false).await;
            }
            loaded
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let committed = match self.breaks() {
                Some(kind) => self.commit_wrongly(kind, key, commit).await,
                None => self.inner.commit(key, commit).await,
            };
            let mut noticed = lock(&self.noticed);
            match &committed {
                Ok(revision) => noticed.committed = Some(revision.get()),
                Err(StoreError::Conflict) => noticed.conflicts += 1,
                Err(error) => noticed.failed = Some(error.to_string()),
            }
            committed
        })
    }
}

/// A turn for the others.
struct Turn(bool);

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A commit as the database logged it.
pub struct Entry {
    pub revision: u64,
    /// Whose call, the how manieth of which life, and what.
    pub call: String,
    pub list: String,
}

/// The log, for the one who checks it.
pub struct Log {
    connection: Connection,
    kept: u64,
}

impl Log {
    pub fn open(file: &Path) -> Outcome<Log> {
        let connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        Ok(Log {
            connection,
            kept: 0,
        })
    }

    /// Gives each entry after that revision, in order, and forgets those up to it.
    pub fn after(&mut self, revision: u64, most: usize) -> Outcome<Vec<Entry>> {
        if revision > self.kept + 100 {
            self.connection
                .prepare_cached("DELETE FROM log WHERE revision <= ?1")?
                .execute([revision])?;
            self.kept = revision;
        }
        let mut select = self.connection.prepare_cached(
            "SELECT revision, call, list FROM log WHERE revision > ?1 ORDER BY revision LIMIT ?2",
        )?;
        let entry = |row: &rusqlite::Row<'_>| {
            Ok(Entry {
                revision: row.get(0)?,
                call: row.get(1)?,
                list: row.get(2)?,
            })
        };
        let entries = select.query_map((revision, most as u64), entry)?;
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// The revision of the stored list, 0 where there is none.
    pub fn newest(&self) -> Outcome<u64> {
        let mut select = self
            .connection
            .prepare_cached("SELECT COALESCE(MAX(revision), 0) FROM lists")?;
        Ok(select.query_row([], |row| row.get(0))?)
    }

    /// What SQLite says of the file.
    pub fn integrity(&self) -> Outcome<String> {
        Ok(self
            .connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
    }
}

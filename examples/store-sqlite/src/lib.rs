//! Task lists in an SQLite database, for any number of processes on one machine.

use agent_tasklist::TaskList;
use agent_tasklist::store::{Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Revisions are drawn from one counter, so that none is used again even after a row was deleted.
const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS lists (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, list TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY CHECK (id = 0), revision INTEGER NOT NULL);
    INSERT OR IGNORE INTO counter VALUES (0, 0);";

/// Lists in a database file. Futures block on the disk and need no runtime.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens the database, and makes it where it is not there.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, StoreError> {
        SqliteStore::over(Connection::open(file).map_err(StoreError::backend)?)
    }

    /// The lists in the database of a connection that is set up already.
    pub fn over(connection: Connection) -> Result<Self, StoreError> {
        connection
            .busy_timeout(Duration::from_secs(30))
            .map_err(StoreError::backend)?;
        connection
            .execute_batch(SCHEMA)
            .map_err(StoreError::backend)?;
        Ok(SqliteStore {
            connection: Mutex::new(connection),
        })
    }

    fn read(&self, key: &ListKey) -> rusqlite::Result<Option<(u64, String)>> {
        let connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut select =
            connection.prepare_cached("SELECT revision, list FROM lists WHERE key = ?1")?;
        select
            .query_row([key.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
    }

    /// Gives `None` where the expected revision is not the stored one.
    fn write(&self, key: &ListKey, commit: &Commit<'_>) -> rusqlite::Result<Option<u64>> {
        let mut connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let count = "UPDATE counter SET revision = revision + 1 RETURNING revision";
        let revision: u64 = transaction.query_row(count, [], |row| row.get(0))?;
        let (key, list) = (key.as_str(), commit.list.to_json());
        let written = match commit.expected {
            None => transaction.execute(
                "INSERT INTO lists VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                params![key, revision, list],
            )?,
            Some(expected) => transaction.execute(
                "UPDATE lists SET revision = ?2, list = ?3 WHERE key = ?1 AND revision = ?4",
                params![key, revision, list, expected.get()],
            )?,
        };
        if written == 0 {
            return Ok(None);
        }
        transaction.commit()?;
        Ok(Some(revision))
    }
}

impl Store for SqliteStore {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let Some((revision, json)) = self.read(key).map_err(StoreError::backend)? else {
                return Ok(None);
            };
            Ok(Some(Stored::new(
                TaskList::from_json(&json)?,
                Revision::new(revision),
            )))
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let written = self.write(key, &commit).map_err(StoreError::backend)?;
            written.map(Revision::new).ok_or(StoreError::Conflict)
        })
    }
}

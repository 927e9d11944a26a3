//! Task lists in a PostgreSQL database, for any number of processes on any number of machines.

use agent_tasklist::TaskList;
use agent_tasklist::store::{Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls};

/// Revisions are drawn from a sequence, so that none is used again even after a row was deleted. The
/// lock is for processes that start together: making what is not there is not atomic in PostgreSQL.
const SCHEMA: &str = r#"
    BEGIN;
    SELECT pg_advisory_xact_lock(7245061);
    CREATE TABLE IF NOT EXISTS task_lists
        (key text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, list text NOT NULL);
    CREATE SEQUENCE IF NOT EXISTS task_list_revisions;
    COMMIT;"#;

/// Lists in a database. Futures need tokio.
#[derive(Debug)]
pub struct PostgresStore {
    client: Client,
}

impl PostgresStore {
    /// Connects, and makes the table where it is not there. `url` is as libpq takes it.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(failed)?;
        tokio::spawn(connection);
        client.batch_execute(SCHEMA).await.map_err(failed)?;
        Ok(PostgresStore { client })
    }

    /// The connection, for what a host keeps beside the lists.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

fn failed(error: tokio_postgres::Error) -> StoreError {
    match error.code() {
        Some(code)
            if code.code().starts_with("28") || *code == SqlState::INSUFFICIENT_PRIVILEGE =>
        {
            StoreError::unauthenticated(error)
        }
        _ => StoreError::backend(error),
    }
}

impl Store for PostgresStore {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let select = "SELECT revision, list FROM task_lists WHERE key = $1";
            let row = self
                .client
                .query_opt(select, &[&key.as_str()])
                .await
                .map_err(failed)?;
            let Some(row) = row else {
                return Ok(None);
            };
            let list = TaskList::from_json(row.get("list"))?;
            Ok(Some(Stored::new(list, revision(row.get("revision")))))
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let (key, list) = (key.as_str(), commit.list.to_json());
            let row = match commit.expected {
                None => {
                    let insert =
                        "INSERT INTO task_lists VALUES ($1, nextval('task_list_revisions'), $2)
                        ON CONFLICT DO NOTHING RETURNING revision";
                    self.client.query_opt(insert, &[&key, &list]).await
                }
                Some(expected) => {
                    let update =
                        "UPDATE task_lists SET revision = nextval('task_list_revisions'), list = $2
                        WHERE key = $1 AND revision = $3 RETURNING revision";
                    let expected =
                        i64::try_from(expected.get()).map_err(|_| StoreError::Conflict)?;
                    self.client
                        .query_opt(update, &[&key, &list, &expected])
                        .await
                }
            };
            let row = row.map_err(failed)?.ok_or(StoreError::Conflict)?;
            Ok(revision(row.get("revision")))
        })
    }
}

fn revision(number: i64) -> Revision {
    Revision::new(number.unsigned_abs())
}

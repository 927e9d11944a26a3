//! Task lists in Redis, for any number of processes on any number of machines.

use agent_tasklist::TaskList;
use agent_tasklist::store::{Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored};
use redis::{
    Client, Connection, ConnectionLike, ErrorKind, RedisError, RedisResult, Script, ServerErrorKind,
};
use std::sync::{Mutex, PoisonError};

/// Compares, counts and writes in one step. The counter is a key of its own, so that no revision is
/// used again even after the list was deleted.
const COMMIT: &str = r"
    local current = redis.call('HGET', KEYS[1], 'revision') or ''
    if current ~= ARGV[1] then return false end
    local revision = redis.call('INCR', KEYS[2])
    redis.call('HSET', KEYS[1], 'revision', revision, 'list', ARGV[2])
    return revision";

/// Lists in a Redis server. Futures block on the network and need no runtime.
pub struct RedisStore {
    client: Client,
    connection: Mutex<Option<Connection>>,
    commit: Script,
}

/// The key of a list, and that of its counter, in one slot of a cluster.
fn names(key: &ListKey) -> [String; 2] {
    [
        format!("tasklist:{{{key}}}"),
        format!("tasklist:{{{key}}}:revision"),
    ]
}

impl RedisStore {
    /// Lists in the server at `redis://HOST:PORT/`.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let client = Client::open(url).map_err(failed)?;
        let (connection, commit) = (Mutex::default(), Script::new(COMMIT));
        Ok(RedisStore {
            client,
            connection,
            commit,
        })
    }

    /// Runs something on the connection, a new one where the last was lost.
    pub fn with<T>(
        &self,
        run: impl FnOnce(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !connection.as_ref().is_some_and(ConnectionLike::is_open) {
            *connection = Some(self.client.get_connection().map_err(failed)?);
        }
        match connection.as_mut() {
            Some(connection) => run(connection).map_err(failed),
            None => Err(StoreError::backend("no connection")),
        }
    }
}

fn failed(error: RedisError) -> StoreError {
    match error.kind() {
        ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm) => {
            StoreError::unauthenticated(error)
        }
        _ if error.code() == Some("NOAUTH") => StoreError::unauthenticated(error),
        _ => StoreError::backend(error),
    }
}

impl Store for RedisStore {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let [name, _] = names(key);
            let mut command = redis::cmd("HMGET");
            let command = command.arg(&name).arg("revision").arg("list");
            let (revision, list): (Option<u64>, Option<Vec<u8>>) =
                self.with(|c| command.query(c))?;
            let (revision, list) = match (revision, list) {
                (None, None) => return Ok(None),
                (Some(revision), Some(list)) => (Revision::new(revision), list),
                _ => {
                    return Err(StoreError::corrupt(
                        "the hash lacks its revision or its list",
                    ));
                }
            };
            let json = String::from_utf8(list).map_err(StoreError::corrupt)?;
            Ok(Some(Stored::new(TaskList::from_json(&json)?, revision)))
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let [name, counter] = names(key);
            let expected = commit
                .expected
                .map(|expected| expected.to_string())
                .unwrap_or_default();
            let mut script = self.commit.prepare_invoke();
            let script = script
                .key(&name)
                .key(&counter)
                .arg(expected)
                .arg(commit.list.to_json());
            let revision: Option<u64> = self.with(|c| script.invoke(c))?;
            revision.map(Revision::new).ok_or(StoreError::Conflict)
        })
    }
}

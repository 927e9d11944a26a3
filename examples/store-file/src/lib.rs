//! Task lists as JSON files in a folder, for any number of processes on one machine.
//!
//! Each list has two files: `KEY.json`, which is only ever replaced as a whole, and `KEY.lock`,
//! which writers lock, and whose length is the last revision, so that it outlives a deleted list.

use agent_tasklist::TaskList;
use agent_tasklist::store::{Commit, ListKey, Revision, Store, StoreError, StoreFuture, Stored};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Lists in a folder. Futures block on the disk and need no runtime.
#[derive(Clone, Debug)]
pub struct FileStore {
    folder: PathBuf,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Entry<L> {
    revision: u64,
    list: L,
}

impl FileStore {
    /// Lists in this folder, which is made when it is first needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        FileStore {
            folder: folder.into(),
        }
    }

    /// The file of a list, without its ending. Bytes that file systems fold or forbid are encoded,
    /// and long names go on in a subfolder.
    pub fn path(&self, key: &ListKey) -> PathBuf {
        let encode = |byte: u8| match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
            _ => format!("%{byte:02x}"),
        };
        let name: String = key.as_str().bytes().map(encode).collect();
        let parts = name.as_bytes().chunks(200).map(String::from_utf8_lossy);
        parts.fold(self.folder.clone(), |path, part| path.join(&*part))
    }
}

fn read(path: &Path) -> Result<Option<Stored>, StoreError> {
    let json = match fs::read_to_string(path) {
        Ok(json) => json,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            return Err(StoreError::corrupt(error));
        }
        Err(error) => return Err(StoreError::backend(error)),
    };
    let entry: Entry<TaskList> = serde_json::from_str(&json).map_err(StoreError::corrupt)?;
    Ok(Some(Stored::new(entry.list, Revision::new(entry.revision))))
}

fn write(path: &Path, commit: &Commit<'_>) -> Result<Revision, StoreError> {
    let (json, temporary) = (path.with_extension("json"), path.with_extension("new"));
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(StoreError::backend)?;
    let lock = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path.with_extension("lock"));
    let lock = lock
        .and_then(|lock| lock.lock().map(|()| lock))
        .map_err(StoreError::backend)?;
    let current = read(&json)?.map(|stored| stored.revision);
    if current != commit.expected {
        return Err(StoreError::Conflict);
    }
    let replace = |revision: Revision| {
        let mut file = File::create(&temporary)?;
        let entry = Entry {
            revision: revision.get(),
            list: commit.list,
        };
        file.write_all(&serde_json::to_vec(&entry)?)?;
        file.sync_all()?;
        lock.set_len(revision.get())?;
        fs::rename(&temporary, &json)?;
        File::open(folder)?.sync_all()
    };
    let last = lock.metadata().map_err(StoreError::backend)?.len();
    let revision = Revision::after(current.max(Some(Revision::new(last))));
    replace(revision)
        .map(|()| revision)
        .map_err(StoreError::backend)
}

impl Store for FileStore {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move { read(&self.path(key).with_extension("json")) })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move { write(&self.path(key), &commit) })
    }
}

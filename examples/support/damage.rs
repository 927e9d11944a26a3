//! What every store package promises of a list that was damaged where it is stored.

use agent_tasklist::store::{ListKey, Store, StoreError, UpdateError, Updated, update};
use agent_tasklist::{Error, Policy, TaskDraft};

/// Stores a list under `key`, damages it in every way, and removes it: while it is damaged it must be corrupt, and left
/// as it is; when it is gone, no revision may be used again. `read`, `write` and `remove` go past the store.
pub async fn a_damaged_list_is_corrupt_and_left_as_it_is(
    store: &impl Store,
    key: &str,
    read: impl AsyncFn() -> String,
    write: impl AsyncFn(&str),
    remove: impl AsyncFn(),
) {
    let key = ListKey::new(key).unwrap();
    let first = create(store, &key).await.unwrap().revision;
    for damaged in damaged(&read().await) {
        write(&damaged).await;
        is_corrupt(store, &key, &damaged).await;
        assert_eq!(read().await, damaged);
    }
    remove().await;
    assert!(
        create(store, &key).await.unwrap().revision > first,
        "a revision is not used again"
    );
}

/// Neither loads nor can be written over.
pub async fn is_corrupt(store: &impl Store, key: &ListKey, what: &str) {
    let loaded = store.load(key).await;
    assert!(matches!(loaded, Err(StoreError::Corrupt(_))), "{what}");
    let created = create(store, key).await;
    assert!(
        matches!(created, Err(UpdateError::Store(StoreError::Corrupt(_)))),
        "{what}"
    );
}

async fn create(store: &impl Store, key: &ListKey) -> Result<Updated, UpdateError> {
    update(store, key, &Policy::default(), |list| {
        Ok::<_, Error>(list.create(TaskDraft::new("A"))?.changes)
    })
    .await
}

/// Every way to damage a stored list that is tried: cut, and a bit flipped in its structure.
fn damaged(json: &str) -> Vec<String> {
    let cut = [0, 1, json.len() / 3, json.len() / 2, json.len() - 1];
    let mut damaged: Vec<String> = cut.iter().map(|&end| json[..end].to_owned()).collect();
    for (at, c) in json
        .char_indices()
        .filter(|&(_, c)| matches!(c, '{' | '}' | '[' | ']' | ':' | ','))
    {
        let flipped = char::from(c as u8 ^ 1);
        damaged.push(format!("{}{flipped}{}", &json[..at], &json[at + 1..]));
    }
    damaged
}

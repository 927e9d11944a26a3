//! What every refusal promises.

use agent_tasklist::{Error, TaskList};

/// The error of a call that must be refused and must change nothing.
pub(crate) fn refused<T>(
    list: &mut TaskList,
    call: impl FnOnce(&mut TaskList) -> Result<T, Error>,
) -> Error {
    let (before, json) = (list.clone(), list.to_json());
    let error = call(list).err().expect("the call must be refused");
    assert_eq!(*list, before);
    assert_eq!(list.to_json(), json);
    error
}

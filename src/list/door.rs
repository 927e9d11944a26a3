//! The one door: every change goes through it, and none gets past it half done.
//!
//! Tested by `tests/state_machine.rs`: a refused call leaves the same value and the same JSON.

use super::edit::Edit;
use super::value::TaskList;
use crate::change::Changes;
use crate::error::Error;

impl TaskList {
    /// Edits the list, settles what follows and tells what changed; or undoes it all.
    pub(super) fn change<T>(
        &mut self,
        actor: Option<&str>,
        plan: impl FnOnce(&mut Edit<'_>) -> Result<T, Error>,
    ) -> Result<(T, Changes), Error> {
        let mut edit = Edit::new(self, actor);
        let settled = plan(&mut edit).and_then(|made| Ok((made, edit.settle()?)));
        match settled {
            Ok((made, settled)) => Ok((made, edit.tell(settled))),
            Err(error) => {
                edit.undo();
                Err(error)
            }
        }
    }
}

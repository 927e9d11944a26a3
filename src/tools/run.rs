//! The verbs: what a call does to a list, the same for every interface.
//!
//! A verb reads its arguments by what they stand for, makes one change of the list, and says what it was. It knows no
//! parameter by its name and writes no text of a reply. What a call says of tasks by their texts is made ids of first
//! (`ends`), and a write that adds is made the whole list that it means (`merge`). Every verb reads through [`Call::read`], so that none
//! acts on arguments that have a problem. Tested through the interfaces, in `tests/murmur.rs`, `tests/owners.rs`
//! and `tests/conformance.rs`.

use super::ends;
use super::merge::Whole;
use super::params::Arg;
use super::read::{Input, Object};
use super::refusal::Refused;
use crate::change::Changes;
use crate::id::TaskId;
use crate::list::{Acting, TaskList};
use crate::owner;
use std::sync::Arc;

/// A call that is being carried out.
pub(super) struct Call<'a> {
    pub(super) list: &'a mut TaskList,
    pub(super) input: Input<'a>,
    /// On behalf of whom.
    pub(super) actor: Option<&'a Arc<str>>,
}

/// Carries out a call. A refused one has changed nothing.
pub(super) type Verb = fn(&mut Call<'_>) -> Result<Done, Refused>;

/// What a call did.
pub(super) struct Done {
    pub(super) changes: Changes,
    pub(super) what: What,
    /// What the model may not expect of it, once it is known.
    pub(super) notes: Vec<String>,
}

/// What a call was about, for the reply.
pub(super) enum What {
    Written,
    Updated(String),
    Created(TaskId),
    Deleted(String),
    Checked,
    Listed,
    Found(TaskId),
    Claimed(Option<TaskId>),
    Released(Vec<TaskId>),
}

impl What {
    fn did(self, changes: Changes) -> Result<Done, Refused> {
        let (what, notes) = (self, Vec::new());
        Ok(Done {
            changes,
            what,
            notes,
        })
    }

    /// Only looked.
    fn saw(self) -> Result<Done, Refused> {
        self.did(Changes::default())
    }
}

impl<'a> Call<'a> {
    /// Reads the arguments, and refuses the call if anything is wrong with them.
    fn read<T>(
        &mut self,
        read: impl FnOnce(&mut Input<'a>, &Object<'a>) -> T,
    ) -> Result<T, Refused> {
        let top = self.input.top();
        let read = read(&mut self.input, &top);
        self.input.finish()?;
        Ok(read)
    }

    fn acting(&mut self) -> Acting<'_> {
        self.list.acting(self.actor.cloned())
    }
}

pub(super) fn write(call: &mut Call<'_>) -> Result<Done, Refused> {
    let (items, merges) = call.read(|input, top| (input.tasks(top), input.merges(top)))?;
    let mut whole = match merges {
        true => Whole::merged(call.list, items),
        false => Whole::of(items),
    };
    if !call.input.strict {
        let notes = ends::of_write(call.list, &mut whole, call.input.nested);
        let notes = notes.map_err(|error| whole.told_of_items(error))?;
        call.input.notes.extend(notes);
    }
    let written = call.acting().write(std::mem::take(&mut whole.drafts));
    What::Written.did(written.map_err(|error| whole.told_of_items(error))?)
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Done, Refused> {
    let mut draft = call.read(|input, top| {
        let wanted = "a text that is not blank is wanted";
        input.require(top, Arg::Subject, wanted);
        input.draft(top)
    })?;
    if !call.input.strict {
        let notes = ends::of_create(call.list, &mut draft);
        call.input.notes.extend(notes);
    }
    let created = call.acting().create(draft)?;
    What::Created(created.id).did(created.changes)
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Done, Refused> {
    let (id, mut patch) = call.read(|input, top| (input.id(top), input.patch(top)))?;
    if !call.input.strict {
        let notes = ends::of_update(call.list, id, &mut patch);
        call.input.notes.extend(notes);
    }
    let changes = call.acting().update(id, patch)?;
    What::Updated(id.trim().into()).did(changes)
}

pub(super) fn complete(call: &mut Call<'_>) -> Result<Done, Refused> {
    let id = call.read(Input::id)?;
    let changes = call.acting().complete(id)?;
    What::Updated(id.trim().into()).did(changes)
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Done, Refused> {
    let id = call.read(Input::id)?;
    let changes = call.acting().delete(id)?;
    What::Deleted(id.trim().into()).did(changes)
}

pub(super) fn check(call: &mut Call<'_>) -> Result<Done, Refused> {
    call.read(|_, _| ())?;
    What::Checked.saw()
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Done, Refused> {
    call.read(|_, _| ())?;
    What::Listed.saw()
}

pub(super) fn get(call: &mut Call<'_>) -> Result<Done, Refused> {
    let id = call.read(Input::id)?;
    let why = call
        .list
        .explain(id)
        .ok_or_else(|| call.list.unknown_task(id))?;
    What::Found(why.id).saw()
}

/// The same for interfaces that still show a task after it was deleted.
pub(super) fn get_also_deleted(call: &mut Call<'_>) -> Result<Done, Refused> {
    let id = call.read(Input::id)?;
    // Before the live tasks: an id is never live and deleted, and this look tells the two apart.
    let deleted = (call.list.retired())
        .find(|retired| retired.deleted && retired.task.id == *id.trim())
        .map(|retired| retired.task.id.clone());
    match deleted {
        Some(id) => What::Found(id).saw(),
        None => get(call),
    }
}

pub(super) fn claim(call: &mut Call<'_>) -> Result<Done, Refused> {
    let actor = call.actor.map(|actor| &**actor);
    let (id, owner) =
        call.read(|input, top| (input.text(top, Arg::Id), owner_of(actor, input, top)))?;
    let (id, changes) = match id {
        Some(id) => {
            let changes = call.list.claim_task(id, owner)?;
            (call.list.get(id).map(|task| task.id.clone()), changes)
        }
        None => {
            let claimed = call.list.claim(owner)?;
            (claimed.id, claimed.changes)
        }
    };
    What::Claimed(id).did(changes)
}

pub(super) fn release(call: &mut Call<'_>) -> Result<Done, Refused> {
    let actor = call.actor.map(|actor| &**actor);
    let owner = call.read(|input, top| owner_of(actor, input, top))?;
    let changes = call.list.release(owner)?;
    // A release edits exactly what it puts back, so the facts name them.
    let edited = changes.facts.edited.iter();
    let ids = edited.map(|edited| edited.after.id.clone()).collect();
    What::Released(ids).did(changes)
}

/// For whom a claim or a release is: the actor, or where the call does not say who acts, the owner it names.
fn owner_of<'a>(actor: Option<&'a str>, input: &mut Input<'a>, top: &Object<'a>) -> &'a str {
    match (actor, input.text(top, Arg::Owner)) {
        (Some(actor), None) => actor,
        (Some(actor), Some(name)) if owner::given(name).as_deref() == Some(actor) => actor,
        (Some(actor), Some(_)) => {
            input.wrong("owner", format_args!("you are {actor:?}; leave owner out"));
            actor
        }
        (None, Some(owner)) => owner,
        (None, None) => {
            input.wrong("owner", "missing; the name of the one who works is wanted");
            ""
        }
    }
}

//! What a row of an interface is: a [`Tool`] with everything that there is to know of it, and the [`Interface`]
//! that it belongs to.
//!
//! A name that no row has cannot be described or called. Only the types are here; the rows are in
//! `interfaces`, one file for each. Tested in `tests/schemas.rs`.

use super::params::Params;
use super::refusal::Refused;
use super::reply::{Detail, ReplyData};
use super::run::{self, Done, Verb};
use super::schema;
use crate::list::TaskList;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// What a tool does, as MCP's annotations put it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Hints {
    /// It changes nothing.
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    /// It can take something away that was there.
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    /// The same call again changes nothing more.
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
    /// It reaches beyond the list. None does.
    #[serde(rename = "openWorldHint")]
    pub open_world: bool,
}

impl Hints {
    pub(super) const LOOKS: Hints = Hints::new(true, false, true);
    pub(super) const CHANGES: Hints = Hints::new(false, false, true);
    pub(super) const DESTROYS: Hints = Hints::new(false, true, true);
    /// Adds something, each time that it is called.
    pub(super) const ADDS: Hints = Hints::new(false, false, false);

    const fn new(read_only: bool, destructive: bool, idempotent: bool) -> Self {
        Hints {
            read_only,
            destructive,
            idempotent,
            open_world: false,
        }
    }
}

/// A tool, all of it.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// The name for people.
    pub(super) title: &'static str,
    pub(super) hints: Hints,
    /// For the model. `{rule}` stands for the words of the policy.
    pub(super) description: &'static str,
    /// What stands for `{rule}` where one task, one of each owner, or any number can be in progress.
    pub(super) rule: [&'static str; 3],
    pub(super) params: Params,
    /// Right arguments.
    pub(super) example: &'static str,
    /// Right arguments where the toolset says who acts, if others.
    pub(super) example_acting: Option<&'static str>,
    /// The schema of the reply's data.
    pub(super) output: fn(Detail) -> Value,
    pub(super) verb: Verb,
}

impl Tool {
    /// A row that shows the list, takes nothing and has no name: for the fields that another row leaves out.
    pub(super) const LOOK: Tool = Tool {
        name: "",
        title: "",
        hints: Hints::LOOKS,
        description: "",
        rule: [""; 3],
        params: &[],
        example: "{}",
        example_acting: None,
        output: |_| schema::object(&[]),
        verb: run::list,
    };
}

/// A set of tools in the form of one host.
pub(super) struct Interface {
    pub(super) name: &'static str,
    pub(super) tools: &'static [Tool],
    /// Whether replies say what followed for other tasks.
    pub(super) tells_effects: bool,
    /// How tasks are kept that a write left out, by the tools that there are.
    pub(super) to_keep: &'static str,
    /// The reply to a call that was carried out.
    pub(super) done: fn(&Asked<'_>, &TaskList, &Done) -> Shown,
    /// The reply to a call that was refused.
    pub(super) refused: fn(&Asked<'_>, &Refused) -> Shown,
}

/// A reply as text and data.
pub(super) type Shown = (String, ReplyData);

/// A call that was refused.
pub(super) struct Asked<'a> {
    /// The tool, if there is one of that name.
    pub(super) tool: Option<&'static Tool>,
    /// The list as it is now; `None` where the call was refused before there was one.
    pub(super) list: Option<&'a TaskList>,
    pub(super) detail: Detail,
    /// On whose behalf the toolset acts: its gate is the one that is told of.
    pub(super) actor: Option<&'a Arc<str>>,
}

impl fmt::Debug for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Interfaces are the same if they are one.
impl PartialEq for Interface {
    fn eq(&self, other: &Self) -> bool {
        // They are statics, and function pointers cannot be compared for what they do.
        std::ptr::eq(self, other)
    }
}

impl Eq for Interface {}

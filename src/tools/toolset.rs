//! [`Toolset`]: an interface with the host's policy, and the one way of a call through it.
//!
//! Here a name becomes a row, arguments are prepared, a verb runs and its outcome is shown. What one interface does
//! differently from another is in its own file. Tested in `tests/cases.rs`, `tests/conformance.rs` and
//! `tests/refusals.rs`.

use super::catalogue::{Asked, Interface, Tool};
use super::interfaces::{full, mastra, murmur};
use super::notes;
use super::read::{Arguments, Input, Prepared};
use super::refusal::{RefusalKind, Refused};
use super::reply::{Detail, Reply, open_to};
use super::run::{Call, Done};
use super::spec::ToolSpec;
use crate::change::{Changes, Effects};
use crate::error::Error;
use crate::list::TaskList;
use crate::owner;
use crate::policy::Policy;
use crate::render;
use crate::text::Quote;
use std::sync::Arc;

/// A set of tools to hand to a model, over a [`TaskList`].
///
/// A toolset is plain data: which tools, and the [`Policy`] that they act under. It
/// describes the tools ([`specs`](Self::specs)) and carries out what the model calls
/// ([`call`](Self::call)). The list stays with the host.
///
/// ```
/// use agent_tasklist::TaskList;
/// use agent_tasklist::tools::Toolset;
/// use serde_json::json;
///
/// let tools = Toolset::mastra();
/// let mut list = TaskList::new();
/// let reply = tools.call(&mut list, "task_write", &json!({"tasks": [
///     {"content": "Fix the bug", "status": "in_progress", "activeForm": "Fixing the bug"},
///     {"content": "Run the tests", "status": "pending", "activeForm": "Running the tests"},
/// ]}));
/// assert!(!reply.is_error());
/// assert_eq!(reply.text, "\
/// Tasks updated: [0/2 completed]
/// Currently: Fixing the bug (task_fix_the_bug)
/// Task IDs:
/// - task_fix_the_bug: Fix the bug (in_progress)
/// - task_run_the_tests: Run the tests (pending)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    interface: &'static Interface,
    pub(super) policy: Policy,
    actor: Option<Arc<str>>,
    strictness: Strictness,
    detail: Detail,
}

/// What a toolset makes of arguments that are not quite what the schema asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strictness {
    /// What can only mean one thing is understood, and noted in the reply: JSON strings where an array
    /// or object is wanted (with a code fence around them, and twice over), an object with one member around
    /// the arguments or a list, one item in the place of a list, a text or a checklist line for a task,
    /// a checklist in one text, other spellings and names of keys, other words for a status (also as a box, as
    /// `state`, or as `done: true`), whole numbers as ids, the text of one task for its id as a blocker, and tasks
    /// inside a task. What a new task has beyond the schema goes into its metadata; other arguments that are not
    /// known are ignored.
    ///
    /// A call never does more than it says. `task_write` replaces the list, so it takes a list only under a name of
    /// the whole one, never under `add`, `updates` or `remove`, and is refused with an argument that is not known
    /// and is more than a text. Something missing is never read as an empty list, and of two spellings that
    /// disagree none is picked.
    #[default]
    Lenient,
    /// Nothing but what the schema says, `null` and blanks for what is not given apart. Arguments that are not
    /// known are refused.
    Strict,
}

/// A call with its arguments prepared, to be run once or several times.
pub(super) struct Prompt<'a> {
    name: &'a str,
    pub(super) tool: Option<&'static Tool>,
    pub(super) args: Prepared<'a>,
}

impl Toolset {
    /// Mastra's four task tools, as `@mastra/core` 1.71.0 has them: `task_write`,
    /// `task_update`, `task_complete` and `task_check`. They take Mastra's parameters
    /// and answer in its form, with notes after a blank line.
    pub fn mastra() -> Self {
        Toolset::of(&mastra::INTERFACE)
    }

    /// Murmur's four task tools, in its wire form: `task_list`, `task_create`, `task_update` and
    /// `task_get`. Errors carry its codes. A task that was deleted is still listed.
    ///
    /// ```
    /// use agent_tasklist::TaskList;
    /// use agent_tasklist::tools::Toolset;
    /// use serde_json::json;
    ///
    /// let mut list = TaskList::new();
    /// let args = json!({"subject": "Update API docs", "activate_when": "files_modified", "pattern": "api/**"});
    /// let reply = Toolset::murmur().call(&mut list, "task_create", &args);
    /// assert_eq!(reply.text, r#"{"task_id":"task_update_api_docs"}"#);
    /// ```
    pub fn murmur() -> Self {
        Toolset::of(&murmur::INTERFACE)
    }

    /// Everything, in Mastra's field names: its four tools with descriptions, dependencies,
    /// activation and owner, and `task_create`, `task_delete`, `task_list`, `task_get`,
    /// `task_claim` and `task_release`.
    ///
    /// Tasks in replies have Mastra's four fields always, and the others and `state` where they say
    /// something. The schemas have 32 optional parameters in all (Mastra's set has 5, Murmur's 16), for
    /// providers that limit them.
    ///
    /// ```
    /// use agent_tasklist::TaskList;
    /// use agent_tasklist::tools::Toolset;
    /// use serde_json::json;
    ///
    /// let mut list = TaskList::new();
    /// let tools = Toolset::full().acting_as("jo").unwrap();
    /// tools.call(&mut list, "task_write", &json!({"tasks": [
    ///     {"id": "build", "content": "Build", "status": "pending"},
    ///     {"id": "ship", "content": "Ship", "status": "pending", "blockedBy": ["build"]},
    /// ]}));
    /// let reply = tools.call(&mut list, "task_claim", &json!({}));
    /// assert_eq!(reply.data["claimed"], "build");
    /// assert_eq!(reply.data["tasks"][0]["owner"], "jo");
    /// assert_eq!(reply.data["tasks"][1]["state"], "blocked");
    /// ```
    pub fn full() -> Self {
        Toolset::of(&full::INTERFACE)
    }

    fn of(interface: &'static Interface) -> Self {
        Toolset {
            interface,
            policy: Policy::default(),
            actor: None,
            strictness: Strictness::default(),
            detail: Detail::default(),
        }
    }

    /// The same tools under a policy of the host's, limits included. Without it they act under the default, whatever
    /// policy the list has when it is handed in.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The same tools on behalf of an owner: the unfinished tasks of others are left as they are, and
    /// refused by name.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a blank name: a host that does not know who acts must not act for everybody.
    pub fn acting_as(mut self, owner: impl AsRef<str>) -> Result<Self, Error> {
        self.actor = Some(owner::name(owner.as_ref())?);
        Ok(self)
    }

    /// The same tools with another strictness.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// The same tools with shorter or longer replies.
    #[must_use]
    pub fn with_detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// Those of the changes of a call that its reply told.
    pub(super) fn told(&self, changes: &Changes) -> Changes {
        let mut told = changes.clone();
        if !self.interface.tells_effects {
            told.effects = Effects::default();
        }
        told
    }

    /// What to tell the model of each tool.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.specs_at(false)
    }

    pub(super) fn specs_at(&self, stored: bool) -> Vec<ToolSpec> {
        let spec = |tool| ToolSpec::new(tool, &self.policy, self.detail, stored);
        self.interface.tools.iter().map(spec).collect()
    }

    /// Carries out a call on a list, under the toolset's policy and limits. The arguments are a value or
    /// JSON text, see [`Arguments`].
    ///
    /// Never fails in the Rust sense: whatever is wrong with the name, the arguments or
    /// the change asked for is said in the reply, for the model to correct itself.
    ///
    /// The list is the caller's own: where the arguments name another, the call is refused, and so is a
    /// `baseRevision`, since a list in memory has none. For several lists in a store there is
    /// [`ListTools`](crate::tools::ListTools).
    pub fn call<'a>(
        &self,
        list: &mut TaskList,
        name: &str,
        args: impl Into<Arguments<'a>>,
    ) -> Reply {
        let prompt = self.prepare(name, args.into());
        match prompt.args.target() {
            Ok(["", ""]) => self.run(list, &prompt, None),
            Ok(["", other] | [other, _]) => {
                self.refuse(None, prompt.tool, Refused::out_of_reach(other))
            }
            Err(refused) => self.refuse(None, prompt.tool, refused),
        }
    }

    /// The call of a tool with the arguments as they are to be read.
    pub(super) fn prepare<'a>(&self, name: &'a str, args: Arguments<'a>) -> Prompt<'a> {
        let tool = self.interface.tools.iter().find(|tool| tool.name == name);
        let (params, example) = match (tool, &self.actor) {
            (None, _) => (&[][..], "{}"),
            (Some(tool), Some(_)) => (tool.params, tool.example_acting.unwrap_or(tool.example)),
            (Some(tool), None) => (tool.params, tool.example),
        };
        let strict = self.strictness == Strictness::Strict;
        let names: Vec<&str> = self.interface.tools.iter().map(|tool| tool.name).collect();
        let args = Prepared::new(args, params, example, &names, strict);
        Prompt { name, tool, args }
    }

    /// Carries out a call on the list that it is about, which a store has at that revision.
    pub(super) fn run(
        &self,
        list: &mut TaskList,
        prompt: &Prompt<'_>,
        revision: Option<u64>,
    ) -> Reply {
        // On each call, not once: the list may have just been loaded, or have been in other hands.
        list.set_policy(self.policy);
        let mut call = Call {
            list,
            input: Input::new(&prompt.args),
            actor: self.actor.as_ref(),
        };
        let done = self.done(&mut call, prompt, revision);
        let (list, repairs) = (&*call.list, call.input.notes);
        match done {
            Err(refused) => self.refuse(Some(list), prompt.tool, refused),
            Ok(mut done) => {
                done.notes = notes::of(self.interface, list, &done.changes, repairs);
                let asked = self.asked(Some(list), prompt.tool);
                let (text, data) = (self.interface.done)(&asked, list, &done);
                Reply {
                    text,
                    data,
                    refusal: None,
                    changes: done.changes,
                }
            }
        }
    }

    fn done(
        &self,
        call: &mut Call<'_>,
        prompt: &Prompt<'_>,
        revision: Option<u64>,
    ) -> Result<Done, Refused> {
        let Some(tool) = prompt.tool else {
            let names = self.interface.tools.iter().map(|tool| tool.name);
            let names = names.collect::<Vec<_>>().join(", ");
            let name = Quote(prompt.name).to_string();
            let message = format!("There is no tool {name:?}. Tools: {names}.");
            return Err(Refused::new(RefusalKind::UnknownTool, message));
        };
        match (call.input.base_revision(), revision) {
            (Some(_), None) => {
                let what = "this list has no revisions, since it is in no store; leave it out";
                call.input.wrong("baseRevision", what);
            }
            (Some(base), Some(revision)) if base != revision => {
                let message = format!(
                    "The list has changed: it is at revision {revision}, and baseRevision is {base}. Nothing \
                     was written. Write again from the list as it is now."
                );
                return Err(Refused::new(RefusalKind::Outdated, message));
            }
            _ => {}
        }
        (tool.verb)(call)
    }

    fn asked<'a>(&'a self, list: Option<&'a TaskList>, tool: Option<&'static Tool>) -> Asked<'a> {
        Asked {
            tool,
            list,
            detail: self.detail,
            actor: self.actor.as_ref(),
        }
    }

    /// Whether the agent that the toolset acts for may stop: by the gate of its owner, or where nobody is named, by the
    /// list's.
    pub(super) fn can_finish(&self, list: &TaskList) -> bool {
        open_to(list, self.actor.as_ref()).len() == 0
    }

    /// The reminder of what is left to do for the one that the toolset acts for.
    pub(super) fn reminder(
        &self,
        list: &TaskList,
        turns_since_change: usize,
        max_chars: Option<usize>,
    ) -> Option<String> {
        match &self.actor {
            Some(actor) => render::reminder_for(list, actor, turns_since_change, max_chars),
            None => render::reminder(list, turns_since_change, max_chars),
        }
    }

    /// The reply to a refused call. `list` is `None` where no list was touched.
    pub(super) fn refuse(
        &self,
        list: Option<&TaskList>,
        tool: Option<&'static Tool>,
        refused: Refused,
    ) -> Reply {
        let asked = self.asked(list, tool);
        let (text, data) = (self.interface.refused)(&asked, &refused);
        Reply {
            text,
            data,
            refusal: Some(refused.refusal),
            changes: Changes::default(),
        }
    }
}

//! The parameters of tools: what each stands for, what it is called, what it holds, and its schema.
//!
//! A [`Param`] is one fact read by three: the schema is made from it, the repair brings arguments into its form,
//! and the reader finds the value of an [`Arg`] by it. Nothing here looks at a value or a list. Here are also the
//! parameters that several interfaces share. Tested in `tests/schemas.rs` and `tests/lenient.rs`.

use super::{schema, words};
use crate::status::Status;
use crate::task::Field;
use serde_json::Value;

/// What a parameter stands for, whatever an interface calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    /// The tasks of a write: the whole list, unless `Merge` says otherwise.
    Tasks,
    /// Whether the tasks go into the list, and do not replace it.
    Merge,
    /// The revision that a whole list was made from.
    BaseRevision,
    /// The task that the call is about, or the id that a new one is to have.
    Id,
    /// What is to be done.
    Subject,
    /// How far it is.
    Status,
    /// What is to be done, while it is being done.
    ActiveForm,
    /// More about it.
    Description,
    /// All tasks that it waits for.
    BlockedBy,
    /// All tasks that wait for it.
    Blocks,
    /// Tasks that it is to wait for too.
    AddBlockedBy,
    /// Tasks that it is to wait for no longer.
    RemoveBlockedBy,
    /// Tasks that are to wait for it too.
    AddBlocks,
    /// Tasks that are to wait for it no longer.
    RemoveBlocks,
    /// Optional fields to empty.
    Clear,
    /// What a task sleeps until, as replies have it.
    Activation,
    /// The kind of that condition, where kind and pattern are given apart.
    ActivateWhen,
    /// The pattern of that condition.
    Pattern,
    /// Who works on it, or for whom a claim is.
    Owner,
    /// Whatever else a host or a model keeps with a task.
    Metadata,
    /// What replies say of a task and models send back with it. Read only where it is a word for a status.
    State,
    /// Whose list the call is about.
    Slug,
    /// In which workspace that is.
    Workspace,
}

/// What a parameter holds, once it is repaired.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holds {
    /// A text, as it is.
    Text,
    /// The id of a task.
    Id,
    /// Ids of tasks.
    Ids,
    /// One of these words. The verb refuses others.
    Choice(&'static [&'static str]),
    /// Some of these words.
    Fields(&'static [(&'static str, Field)]),
    /// A status. The schema tells of these; what is allowed is for the verb to say.
    Status(&'static [Status]),
    /// A whole number from 0.
    Number,
    /// True or false.
    Truth,
    /// A condition, in the form that replies have.
    Activation,
    /// An object that goes into the metadata of the task, with whatever else is not known.
    Metadata,
    /// Nothing that is read.
    Echo,
    /// Objects, each with these parameters.
    Tasks(Params),
}

/// Who has to give a parameter, and who is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// A call without it is refused.
    Required,
    /// Told of in the schema, and may be left out.
    Optional,
    /// Optional, and told of only where the list is in a store.
    Stored,
    /// Taken in lenient mode and in no schema.
    Hidden,
}

/// A parameter of a tool, or of the tasks in a list.
#[derive(Debug)]
pub(super) struct Param {
    pub(super) arg: Arg,
    pub(super) name: &'static str,
    /// Other names that it goes by, as [`words::plain`] has them.
    pub(super) aliases: &'static [&'static str],
    pub(super) holds: Holds,
    pub(super) need: Need,
    /// For the model.
    pub(super) about: &'static str,
}

/// The parameters of a tool, or of the tasks in a list.
pub(super) type Params = &'static [Param];

impl Param {
    /// An optional parameter.
    pub(super) const fn new(arg: Arg, name: &'static str, holds: Holds) -> Self {
        Param {
            arg,
            name,
            aliases: &[],
            holds,
            need: Need::Optional,
            about: "",
        }
    }

    /// Other names that models use for it.
    pub(super) const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// The same, with who has to give it.
    pub(super) const fn need(mut self, need: Need) -> Self {
        self.need = need;
        self
    }

    /// The same, as one that must be given.
    pub(super) const fn required(self) -> Self {
        self.need(Need::Required)
    }

    /// The same, described for the model.
    pub(super) const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// The same, with another kind of value.
    pub(super) const fn holds(mut self, holds: Holds) -> Self {
        self.holds = holds;
        self
    }

    fn schema(&self) -> Value {
        match self.holds {
            Holds::Text | Holds::Id | Holds::Echo => schema::string(self.about),
            Holds::Ids => schema::array(schema::string("A task id"), self.about),
            Holds::Choice(words) => schema::string_enum(words, self.about),
            Holds::Fields(fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
                schema::array(schema::string_enum(&names, "A field"), self.about)
            }
            Holds::Status(statuses) => schema::string_enum(&words::names(statuses), self.about),
            Holds::Number => schema::integer(self.about),
            Holds::Truth => schema::boolean(self.about),
            Holds::Activation => schema::files_modified("A glob: *.go, docs/**"),
            // An open object is in no schema, since some providers refuse it. It is only read.
            Holds::Metadata => schema::object(&[]),
            Holds::Tasks(item) => schema::array(input_schema(item, false), self.about),
        }
    }
}

/// The schema of an object with these parameters.
pub(super) fn input_schema(params: &[Param], stored: bool) -> Value {
    // What is repaired into shape must not be asked for: a schema tells only what a model is to send.
    let is_told = |param: &&Param| match param.need {
        Need::Required | Need::Optional => true,
        Need::Stored => stored,
        Need::Hidden => false,
    };
    let property = |param: &Param| (param.name, param.schema(), param.need == Need::Required);
    let told: Vec<_> = params.iter().filter(is_told).map(property).collect();
    schema::object(&told)
}

/// The parameter for an argument.
pub(super) fn of(params: Params, arg: Arg) -> Option<&'static Param> {
    params.iter().find(|param| param.arg == arg)
}

/// The parameter that a key names: by its name in any spelling, else by an alias.
pub(super) fn find<'p>(params: &'p [Param], key: &str) -> Option<&'p Param> {
    let plain_key = words::plain(key);
    let spelled = |param: &&Param| param.name == key || words::plain(param.name) == plain_key;
    let named = |param: &&Param| param.aliases.contains(&&*plain_key);
    // The spelling of a name goes before every alias, so that no alias of one parameter takes the name of another.
    let mut all = params.iter();
    all.clone().find(spelled).or_else(|| all.find(named))
}

// What Mastra's set and the full one have in common, and other interfaces may share.

pub(super) const ID: Param = Param::new(Arg::Id, "id", Holds::Id)
    .aliases(&["taskid"])
    .about("Stable task id, as returned by the task tools. Keep it unchanged.");
pub(super) const CONTENT: Param = Param::new(Arg::Subject, "content", Holds::Text)
    .aliases(&["subject", "title", "step", "task", "text", "name"])
    .about("What to do, in the imperative: \"Fix the login bug\"");
pub(super) const STATUS: Param =
    Param::new(Arg::Status, "status", Holds::Status(words::LIVE)).about("Status");
pub(super) const ACTIVE_FORM: Param = Param::new(Arg::ActiveForm, "activeForm", Holds::Text)
    .about("Present continuous, shown while it runs: \"Fixing the login bug\"");
pub(super) const DESCRIPTION: Param = Param::new(Arg::Description, "description", Holds::Text)
    .aliases(&["details"])
    .about("More about it");
pub(super) const BLOCKED_BY: Param = Param::new(Arg::BlockedBy, "blockedBy", Holds::Ids)
    .aliases(&["dependson", "dependencies", "deps", "blockers"])
    .about("Tasks that must be completed before this one");
pub(super) const BLOCKS: Param = Param::new(Arg::Blocks, "blocks", Holds::Ids)
    .about("Tasks that cannot start before this one is completed");
pub(super) const ACTIVATION: Param = Param::new(Arg::Activation, "activation", Holds::Activation);
pub(super) const OWNER: Param = Param::new(Arg::Owner, "owner", Holds::Text)
    .aliases(&["assignee"])
    .about("Who works on it");
pub(super) const STATE: Param = Param::new(Arg::State, "state", Holds::Echo).need(Need::Hidden);
pub(super) const METADATA: Param =
    Param::new(Arg::Metadata, "metadata", Holds::Metadata).need(Need::Hidden);
pub(super) const MERGE: Param = Param::new(Arg::Merge, "merge", Holds::Truth)
    .aliases(words::MERGING)
    .about("true: add or change only these tasks; all others stay");
pub(super) const BASE_REVISION: Param = Param::new(
    Arg::BaseRevision,
    "baseRevision",
    Holds::Number,
)
.need(Need::Stored)
.about("The revision that this list was made from (0: none yet). Refused if it is another by now");

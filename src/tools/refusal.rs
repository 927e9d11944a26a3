//! Why a call is refused, for the host: the kind, and the list's error where there is one.
//!
//! The texts for the model are written where the reason is found, and an interface may put them in its own words
//! or add a code to them; neither is here. Tested in `tests/refusals.rs`.

use crate::error::{Error, InvalidText};
use crate::text::Quote;

/// Why a call was refused.
///
/// The text of the [`Reply`](crate::tools::Reply) is for the model. This is for the host: to count, to log, to
/// answer with a status code, or to stop where trying again makes no sense.
///
/// ```
/// use agent_tasklist::{Error, TaskList};
/// use agent_tasklist::tools::{RefusalKind, Toolset};
/// use serde_json::json;
///
/// let reply = Toolset::mastra().call(&mut TaskList::new(), "task_complete", &json!({"id": "x"}));
/// let refusal = reply.refusal.unwrap();
/// assert_eq!(refusal.kind, RefusalKind::UnknownTask);
/// assert!(matches!(refusal.error, Some(Error::UnknownTask { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// What kind of refusal it is.
    pub kind: RefusalKind,
    /// The error of the list, where the list refused the call.
    pub error: Option<Error>,
}

/// The kinds of refusals.
///
/// The model can put right the first five by itself, from the text of the reply. The others are for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The toolset has no tool of that name. As an HTTP status: 404.
    UnknownTool,
    /// The arguments are not what the tool takes: not JSON, of the wrong type, missing, or contradicting each
    /// other. As an HTTP status: 400.
    InvalidArguments,
    /// The call names a task that is not in the list. As an HTTP status: 404.
    UnknownTask,
    /// The arguments are in order, and a rule of the list or a limit of the host forbids the change: a cycle, a
    /// blocked task, the task of another owner. As an HTTP status: 422.
    Refused,
    /// The list is no longer at the `baseRevision` that the call was made from. As an HTTP status: 412.
    Outdated,
    /// The call is about the list of another agent, which cannot be reached from here. As an HTTP status: 404.
    OtherList,
    /// The caller has not proved that it may reach the list. As an HTTP status: 401.
    Unauthenticated,
    /// The agent has no list: it was given no key. The host has to configure one. As an HTTP status: 500.
    NoList,
    /// Other writers were faster at every try. Nothing was changed, and the call can be made again. As an HTTP
    /// status: 409.
    Conflict,
    /// What is stored is not a list that can be read. Nothing was changed. As an HTTP status: 500.
    Corrupt,
    /// The store failed, and whether the change was made is not known. As an HTTP status: 503.
    Unavailable,
}

/// A refusal with what to tell the model of it.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) refusal: Refusal,
    pub(super) message: String,
}

impl Refused {
    pub(super) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        let refusal = Refusal { kind, error: None };
        let message = message.into();
        Refused { refusal, message }
    }

    /// Another list than the caller's own is meant, and cannot be reached.
    pub(super) fn out_of_reach(slug: &str) -> Self {
        let slug = Quote(slug).to_string();
        let message = format!(
            "No agent {slug:?} can be reached from here. Leave slug and workspace out for your own list."
        );
        Refused::new(RefusalKind::OtherList, message)
    }
}

impl From<InvalidText> for Refused {
    fn from(invalid: InvalidText) -> Self {
        Error::from(invalid).into()
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::UnknownTask { .. } | Error::NotRetired { .. } => RefusalKind::UnknownTask,
            Error::Invalid { .. }
            | Error::MissingSubject { .. }
            | Error::StatusNotAllowed { .. } => RefusalKind::InvalidArguments,
            _ => RefusalKind::Refused,
        };
        let message = error.to_string();
        let error = Some(error);
        let refusal = Refusal { kind, error };
        Refused { refusal, message }
    }
}

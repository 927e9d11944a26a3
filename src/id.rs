//! The id of a task: the rule for its text, and how many ids are named in a sentence.
//!
//! Which ids are taken, and how new ones are made, is the list's. Tested by `tests/security.rs` and the unit tests
//! of `list/ids.rs`.

use crate::invalid::{InvalidText, Problem, TextKind};
use crate::text::MOST_NAMED;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The id of a task: 1–128 bytes that are safe in file names, keys and prompts.
///
/// An id is trimmed, and has no control characters, line separators, bidi
/// controls, `/`, `\`, `{` or `}`; it is not `.` or `..`. Everything else,
/// non-ASCII text and inner spaces included, is allowed and kept as given.
///
/// Cloning copies a pointer. Wherever the list takes an id it takes `&str`, so
/// a `TaskId` is only needed to hold on to one.
///
/// ```
/// use agent_tasklist::TaskId;
///
/// let id = TaskId::new(" write-docs ")?;
/// assert_eq!(id, "write-docs");
/// assert!(TaskId::new("../../etc/passwd").is_err());
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(Arc<str>);

impl TaskId {
    /// The longest id, in bytes after trimming.
    pub const MAX_BYTES: usize = 128;

    /// Trims `text` and checks it.
    ///
    /// # Errors
    ///
    /// [`InvalidText`] with the text and what is wrong with it.
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let id = text.trim();
        match problem(id) {
            None => Ok(TaskId(id.into())),
            Some(problem) => Err(InvalidText::new(TextKind::TaskId, id, problem)),
        }
    }

    /// The id of a slug, which has none of the characters that [`TaskId::new`] refuses.
    pub(crate) fn from_slug(slug: &str) -> Self {
        debug_assert_eq!(problem(slug), None);
        TaskId(slug.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn problem(id: &str) -> Option<Problem> {
    if id.is_empty() {
        return Some(Problem::Blank);
    }
    if id.len() > TaskId::MAX_BYTES {
        return Some(Problem::TooLong { bytes: id.len() });
    }
    if id == "." || id == ".." {
        return Some(Problem::Dots);
    }
    id.chars().find(|&c| forbidden(c)).map(Problem::Character)
}

/// Ids joined by commas, at most [`MOST_NAMED`] of them.
pub(crate) struct Ids<'a>(pub(crate) &'a [TaskId]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, id) in self.0.iter().take(MOST_NAMED).enumerate() {
            write!(f, "{}{id}", if i == 0 { "" } else { ", " })?;
        }
        match self.0.len().saturating_sub(MOST_NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

fn forbidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '/' | '\\' | '{' | '}' | '\u{2028}' | '\u{2029}')
        // Bidi controls make an id read as another than it is.
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for TaskId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for TaskId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for TaskId {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for TaskId {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl FromStr for TaskId {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        TaskId::new(text)
    }
}

impl TryFrom<&str> for TaskId {
    type Error = InvalidText;

    fn try_from(text: &str) -> Result<Self, InvalidText> {
        TaskId::new(text)
    }
}

impl Serialize for TaskId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TaskId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        TaskId::new(&text).map_err(serde::de::Error::custom)
    }
}

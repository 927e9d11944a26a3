//! The key of a list: the rule for its text, and what a slug and a workspace mean beside it.
//!
//! Whether another list may be reached is the host's to say, in `tools/shared.rs`. Tested by `tests/murmur.rs` and
//! `tests/security.rs`.

use crate::invalid::{InvalidText, Problem, TextKind};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of a list: one or more segments joined by `/`, such as `thread-1` or
/// `w/acme/u/jo/fix-auth`.
///
/// A key is at most 512 bytes, and has no empty segment, no `.` or `..` and no control
/// character. A leading `/` is taken off. Everything else is kept as given: two keys are the
/// same only if they are so to the byte. A store must keep all keys apart, so one that makes file
/// names of them has to encode them.
///
/// ```
/// use agent_tasklist::store::ListKey;
///
/// let own = ListKey::new("/w/acme/u/jo/fix-auth")?;
/// assert_eq!(own.as_str(), "w/acme/u/jo/fix-auth");
/// assert!(ListKey::new("a/../b").is_err());
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListKey(Arc<str>);

impl ListKey {
    /// The longest key, in bytes.
    pub const MAX_BYTES: usize = 512;

    /// Checks a key.
    ///
    /// # Errors
    ///
    /// [`InvalidText`] with the text and what is wrong with it.
    pub fn new(key: &str) -> Result<Self, InvalidText> {
        let path = key.strip_prefix('/').unwrap_or(key);
        let problem = if path.len() > Self::MAX_BYTES {
            Some(Problem::TooLong { bytes: path.len() })
        } else if path.split('/').any(|segment| segment.trim().is_empty()) {
            Some(Problem::EmptySegment)
        } else if path.split('/').any(|segment| matches!(segment, "." | "..")) {
            Some(Problem::Dots)
        } else {
            path.chars()
                .find(|c| c.is_control())
                .map(Problem::Character)
        };
        match problem {
            None => Ok(ListKey(path.into())),
            // With the text as given: a key comes from a host, which looks for it in its own logs.
            Some(problem) => Err(InvalidText::new(TextKind::ListKey, key, problem)),
        }
    }

    /// The key as text, without a leading `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The list that an agent with this key means by a `slug` and a `workspace`, as Murmur's
    /// tools give them: an empty slug is its own list, a name that of a sibling, a path with a
    /// leading `/` any list. A workspace that is not empty is put in the place of the
    /// agent's own, which is the segment after a leading `w`.
    ///
    /// Says what is meant, not whether it may be reached.
    ///
    /// # Errors
    ///
    /// [`InvalidText`] for a slug or workspace that no key can have, for a name with a `/`
    /// in it, and for a workspace where the key has none or an absolute slug says another.
    ///
    /// ```
    /// use agent_tasklist::store::ListKey;
    ///
    /// let own = ListKey::new("w/acme/u/jo/fix-auth")?;
    /// assert_eq!(own.resolve("", "")?, own);
    /// assert_eq!(own.resolve("docs", "")?.as_str(), "w/acme/u/jo/docs");
    /// assert_eq!(own.resolve("docs", "beta")?.as_str(), "w/beta/u/jo/docs");
    /// assert_eq!(own.resolve("/w/acme/u/al/api", "")?.as_str(), "w/acme/u/al/api");
    /// # Ok::<(), agent_tasklist::Error>(())
    /// ```
    pub fn resolve(&self, slug: &str, workspace: &str) -> Result<ListKey, InvalidText> {
        let (slug, workspace) = (slug.trim(), workspace.trim());
        let invalid = |text, problem| InvalidText::new(TextKind::ListKey, text, problem);
        // Only a slug may be a path, and only from the root: `../x` and `a/b` would name lists beside or below the own one.
        for name in [slug, workspace] {
            if name.contains('/') && !(name == slug && slug.starts_with('/')) {
                return Err(invalid(name, Problem::NotAName));
            }
        }
        let meant = match slug {
            "" => self.clone(),
            slug if slug.starts_with('/') => ListKey::new(slug)?,
            // A sibling: the own key with the last segment exchanged.
            slug => {
                let folder = self.0.rsplit_once('/').map(|(folder, _)| folder);
                ListKey::new(&folder.map_or(slug.to_owned(), |folder| format!("{folder}/{slug}")))?
            }
        };
        if workspace.is_empty() {
            return Ok(meant);
        }
        let mut segments: Vec<&str> = meant.0.split('/').collect();
        match segments[..] {
            // A name is looked for in the workspace given; an absolute slug says a workspace itself, which must not be another.
            ["w", own, _, ..] if own == workspace || !slug.starts_with('/') => {
                segments[1] = workspace;
                ListKey::new(&segments.join("/"))
            }
            _ => Err(invalid(workspace, Problem::OtherWorkspace)),
        }
    }
}

impl fmt::Display for ListKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ListKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for ListKey {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for ListKey {
    type Err = InvalidText;

    fn from_str(key: &str) -> Result<Self, InvalidText> {
        ListKey::new(key)
    }
}

impl TryFrom<&str> for ListKey {
    type Error = InvalidText;

    fn try_from(key: &str) -> Result<Self, InvalidText> {
        ListKey::new(key)
    }
}

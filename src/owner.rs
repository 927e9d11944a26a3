//! The one rule for the name of an owner: trimmed, and not blank.
//!
//! Names enter in drafts and patches, in claims and releases, in what acts, and in stored lists; all of them come
//! through here. Tested by `tests/owners.rs`.

use crate::invalid::{InvalidText, Problem, TextKind};
use std::sync::Arc;

/// The name of somebody who must be named.
pub(crate) fn name(text: &str) -> Result<Arc<str>, InvalidText> {
    given(text).ok_or_else(|| InvalidText::new(TextKind::Owner, text, Problem::Blank))
}

/// The name, or `None` where none is given.
pub(crate) fn given(text: &str) -> Option<Arc<str>> {
    crate::text::given(text.trim())
}

//! The one rule for the name of an owner: trimmed, and with something in it that can be seen.
//!
//! Names enter in drafts and patches, in claims and releases, in what acts, and in stored lists; all of them come
//! through here. Tested by `tests/owners.rs` and `tests/closed_doors.rs`.

use crate::invalid::{InvalidText, Problem, TextKind};
use std::sync::Arc;

/// The name of somebody who must be named.
pub(crate) fn name(text: &str) -> Result<Arc<str>, InvalidText> {
    given(text).ok_or_else(|| InvalidText::new(TextKind::Owner, text, Problem::Blank))
}

/// The name, or `None` where none is given.
pub(crate) fn given(text: &str) -> Option<Arc<str>> {
    let name = text.trim();
    // A name that nobody can see is a name that nobody acts under: its tasks would be out of everybody's reach.
    let is_visible = |c: char| !c.is_whitespace() && !c.is_control() && !is_invisible(c);
    name.chars().any(is_visible).then(|| name.into())
}

/// Characters that show nothing by themselves: fillers, joiners, variation selectors, directions and tags.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

//! What counts as text, and how it shows on one line.

use std::fmt;
use std::sync::Arc;

/// The text, or `None` where it is nothing but white space.
pub(crate) fn given(text: &str) -> Option<Arc<str>> {
    (!is_blank(text)).then(|| text.into())
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_start().is_empty()
}

/// A space for each character that could break a line, else the character.
pub(crate) fn one_line(c: char) -> char {
    if breaks_line(c) { ' ' } else { c }
}

/// The text with case and white space folded: lower case, trimmed, each run of
/// white space one space.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded.to_lowercase()
}

/// A text on one line.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(breaks_line) {
            f.write_str(&rest[..at])?;
            f.write_str(" ")?;
            rest = &rest[at..];
            rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
        }
        f.write_str(rest)
    }
}

pub(crate) fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_shows_as_itself_or_a_space() {
        for c in '\0'..=char::MAX {
            let shown = OneLine(&format!("a{c}b")).to_string();
            assert_eq!(shown, format!("a{}b", one_line(c)), "{c:?}");
        }
    }
}

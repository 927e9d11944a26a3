//! Text as such: what counts as given, how it is folded, quoted and shown on one line.
//!
//! The lowest room: it knows nothing of tasks. Rules for texts of one kind (ids, owners, keys) are in the files
//! of those kinds. Tested here over every `char`, and through every error text and rendering above.

use std::fmt;
use std::sync::Arc;

/// The text, or `None` where it is nothing but white space.
pub(crate) fn given(text: &str) -> Option<Arc<str>> {
    (!is_blank(text)).then(|| text.into())
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_start().is_empty()
}

/// The text after a byte order mark, which some editors and programs put before a file.
pub(crate) fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
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
    // Lower case as a whole: of a Σ it depends on what stands beside it.
    folded.to_lowercase()
}

/// How many things a text names before it says how many more there are. A model reads the text, and a list can
/// have 100,000 tasks.
pub(crate) const MOST_NAMED: usize = 50;

/// The first 80 characters of a text on one line, then `…` where there are more.
pub(crate) struct Quote<'a>(pub(crate) &'a str);

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 80;
        let mut chars = self.0.chars();
        for c in chars.by_ref().take(MOST) {
            fmt::Write::write_char(f, one_line(c))?;
        }
        match chars.next() {
            Some(_) => f.write_str("…"),
            None => Ok(()),
        }
    }
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

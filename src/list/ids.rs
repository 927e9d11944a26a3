//! Ids for new tasks: a slug of the subject, and the next suffix that is free.
//!
//! It knows what is taken, and nothing of how items are matched. Tested below over every `char` against the rule written
//! plainly, by the vectors in `tests/conformance`, and by `tests/growth.rs`: equal subjects stay linear.

use super::retired::Retired;
use crate::graph::Graph;
use crate::id::TaskId;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// For a slug, the lowest suffix that may be free: all below it are taken.
///
/// It follows from the list and is kept to save looking. It never holds more entries than there
/// are ids with a suffix.
#[derive(Clone, Debug, Default)]
pub(super) struct Suffixes(HashMap<Box<str>, u32>);

const FIRST_SUFFIX: u32 = 2;

impl Suffixes {
    /// Takes in what the ids of a call have used up.
    pub(super) fn remember(&mut self, used: HashMap<Box<str>, u32>) {
        self.0.extend(used);
    }

    /// Makes room for an id that nobody has any longer.
    pub(super) fn free(&mut self, id: &TaskId) {
        // An id that was given, not made, may look like a slug with a suffix; then the memory only points lower than it
        // need, and looking starts earlier.
        let Some((slug, Ok(suffix))) =
            (id.as_str().rsplit_once('_')).map(|(slug, suffix)| (slug, suffix.parse::<u32>()))
        else {
            return;
        };
        if let Some(next) = self.0.get_mut(slug) {
            *next = suffix.min(*next);
            if *next <= FIRST_SUFFIX {
                self.0.remove(slug);
            }
        }
    }
}

/// Makes ids for the new tasks of one call.
pub(super) struct IdMaker<'a> {
    live: &'a Graph,
    retired: &'a Retired,
    /// Ids of the call that the list does not know.
    taken: HashSet<TaskId>,
    /// How often a subject came up so far, of those that need an id. A subject that none of them has is not counted:
    /// a write that gives all ids pays nothing here.
    occurrences: HashMap<Arc<str>, u32>,
    suffixes: &'a Suffixes,
    pub(super) used: HashMap<Box<str>, u32>,
}

impl<'a> IdMaker<'a> {
    /// For a call whose items may name ids that the list does not know, `taken`. `subjects` are those of the items that
    /// need an id.
    pub(super) fn for_many<'s>(
        live: &'a Graph,
        retired: &'a Retired,
        suffixes: &'a Suffixes,
        taken: HashSet<TaskId>,
        subjects: impl Iterator<Item = &'s Arc<str>> + Clone,
    ) -> Self {
        let mut ids = IdMaker::for_one(live, retired, suffixes);
        let needed = subjects.clone().count();
        ids.taken = taken;
        ids.taken.reserve(needed);
        ids.occurrences.reserve(needed);
        ids.occurrences
            .extend(subjects.map(|subject| (subject.clone(), 0)));
        ids
    }

    /// For a call with one item.
    pub(super) fn for_one(live: &'a Graph, retired: &'a Retired, suffixes: &'a Suffixes) -> Self {
        IdMaker {
            live,
            retired,
            taken: HashSet::new(),
            occurrences: HashMap::new(),
            suffixes,
            used: HashMap::new(),
        }
    }

    /// Counts an item of the call: 1 for the first with its subject, 2 for the second.
    pub(super) fn count(&mut self, subject: &Arc<str>) -> u32 {
        if self.occurrences.is_empty() {
            return 1;
        }
        match self.occurrences.get_mut(subject) {
            Some(times) => {
                *times += 1;
                *times
            }
            None => 1,
        }
    }

    pub(super) fn make(&mut self, subject: &str, occurrence: u32) -> TaskId {
        let mut id = slug(subject);
        if occurrence > 1 {
            let _ = write!(id, "_{occurrence}");
        }
        // A slug that this call has used up is taken: known without three look-ups.
        if self.used.contains_key(&*id) || self.is_taken(&id) {
            let slug_end = id.len();
            let known = self.used.get(&*id).or_else(|| self.suffixes.0.get(&*id));
            let mut suffix = known.copied().unwrap_or(FIRST_SUFFIX);
            loop {
                id.truncate(slug_end);
                let _ = write!(id, "_{suffix}");
                suffix += 1;
                if !self.is_taken(&id) {
                    break;
                }
            }
            match self.used.get_mut(&id[..slug_end]) {
                Some(next) => *next = suffix,
                None => _ = self.used.insert(id[..slug_end].into(), suffix),
            }
        }
        let id = TaskId::from_slug(&id);
        self.taken.insert(id.clone());
        id
    }

    fn is_taken(&self, id: &str) -> bool {
        self.live.find(id).is_some() || self.retired.get(id).is_some() || self.taken.contains(id)
    }
}

/// `task_` and the subject in lower case, each run of other characters than a–z and
/// 0–9 one `_`, none at the ends, cut to 48 characters; `task_item` where nothing is left.
fn slug(subject: &str) -> String {
    const PREFIX: &str = "task_";
    const MOST: usize = PREFIX.len() + 48;
    let mut slug = String::from(PREFIX);
    let mut gap = false;
    // Says whether there is room for more.
    let mut add = |c: char| {
        if !matches!(c, 'a'..='z' | '0'..='9') {
            gap = slug.len() > PREFIX.len();
            return true;
        }
        if std::mem::take(&mut gap) {
            slug.push('_');
        }
        if slug.len() < MOST {
            slug.push(c);
        }
        slug.len() < MOST
    };
    for c in subject.chars() {
        let has_room = match c.is_ascii() {
            true => add(c.to_ascii_lowercase()),
            // Only the lower case of a capital can be in ASCII.
            // Only the lower case of a capital can be in ASCII: of a Turkish İ, of the Kelvin sign.
            false if c.is_uppercase() => c.to_lowercase().all(&mut add),
            false => add(c),
        };
        if !has_room {
            break;
        }
    }
    if slug.len() == PREFIX.len() {
        slug.push_str("item");
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::slug;

    /// The rule, one character after the other.
    fn naive(subject: &str) -> String {
        let lower: String = subject.chars().flat_map(char::to_lowercase).collect();
        let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let words: Vec<&str> = lower
            .split(|c| !is_kept(c))
            .filter(|word| !word.is_empty())
            .collect();
        let slug: String = words.join("_").chars().take(48).collect();
        format!("task_{}", if slug.is_empty() { "item" } else { &slug })
    }

    #[test]
    fn slugs_are_those_of_the_lower_case_of_every_character() {
        for c in '\0'..=char::MAX {
            let subject = [c, 'X', c].iter().collect::<String>();
            assert_eq!(slug(&subject), naive(&subject), "{c:?}");
        }
        for length in 40..60 {
            for subject in [
                "Ab".repeat(length),
                "a b".repeat(length),
                format!("{} b", "x".repeat(length)),
            ] {
                assert_eq!(slug(&subject), naive(&subject));
            }
        }
    }
}

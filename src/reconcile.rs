//! Which task an item of a write stands for, and the ids of new ones. Linear in
//! the items and the tasks of the list.

use crate::buckets::Buckets;
use crate::change::{DuplicateId, Rebound};
use crate::dag::Dag;
use crate::error::Error;
use crate::id::TaskId;
use crate::retired::Retired;
use crate::task::{Given, Status, Task, TaskDraft};
use crate::text::folded;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::hash::Hash;
use std::sync::Arc;

/// Whose work an item takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody's.
    New,
    /// That of the live task at this place in the list.
    Live(usize),
    /// That of the retired task at this place.
    Retired(usize),
}

/// What became of the item at the same place of the call.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) id: TaskId,
    pub(crate) subject: Arc<str>,
    pub(crate) origin: Origin,
    /// Only the id is taken over, for new work: no field, edge or status is kept.
    pub(crate) id_only: bool,
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) items: Vec<Item>,
    pub(crate) rebound: Vec<Rebound>,
    pub(crate) duplicate_ids: Vec<DuplicateId>,
    pub(crate) suffixes: HashMap<Box<str>, u32>,
}

/// How an item came by its id so far.
enum Claim {
    /// It names a task or a new id, as the first to do so.
    Named(Origin, TaskId),
    /// It names an id that an earlier item has.
    Duplicate(TaskId),
    /// It gives no id; `New` until it is matched.
    Open(Origin),
}

pub(crate) fn reconcile(
    drafts: &[TaskDraft],
    live: &Dag,
    retired: &Retired,
    suffixes: &Suffixes,
) -> Result<Plan, Error> {
    let mut pool = Pool {
        live,
        retired,
        live_item: vec![None; live.len()],
        retired_item: vec![None; retired.len()],
    };
    let mut new_ids = HashSet::new();
    let mut claims = Vec::with_capacity(drafts.len());
    for (i, draft) in drafts.iter().enumerate() {
        claims.push(pool.claim(i, draft, &mut new_ids)?);
    }
    pool.match_open(drafts, &mut claims);

    let mut items = Vec::with_capacity(drafts.len());
    for (i, (draft, claim)) in drafts.iter().zip(&claims).enumerate() {
        let origin = claim.origin();
        let subject = match (&draft.fields.subject, pool.task(origin)) {
            (Some(given), Some(task)) if *given == task.subject => task.subject.clone(),
            (Some(given), _) => given.clone(),
            (None, Some(task)) => task.subject.clone(),
            (None, None) => return Err(Error::MissingSubject { item: i }),
        };
        items.push((subject, origin));
    }
    let rebound = pool.rebound(&claims, &items);
    let mut ids = IdMaker::new(&claims, &items, &pool, new_ids, suffixes);
    let mut plan = Plan {
        items: Vec::with_capacity(drafts.len()),
        rebound: Vec::new(),
        duplicate_ids: Vec::new(),
        suffixes: HashMap::new(),
    };
    let mut rebound = rebound.into_iter().peekable();
    for (i, (claim, (subject, origin))) in claims.into_iter().zip(items).enumerate() {
        let mut id_only = false;
        let occurrence = ids.count(&subject);
        let id = match (claim, pool.task(origin)) {
            (Claim::Named(_, id), task) => {
                if let Some((_, previous)) = rebound.next_if(|&(item, _)| item == i) {
                    id_only = true;
                    let id = id.clone();
                    plan.rebound.push(Rebound { id, previous });
                }
                if let (Origin::Retired(_), Some(task)) = (origin, task) {
                    id_only |= !same_folded(&task.subject, &subject);
                }
                id
            }
            (Claim::Duplicate(id), _) => {
                let generated = ids.make(&subject, occurrence);
                let note = DuplicateId {
                    id,
                    generated: generated.clone(),
                };
                plan.duplicate_ids.push(note);
                generated
            }
            (Claim::Open(_), Some(task)) => task.id.clone(),
            (Claim::Open(_), None) => ids.make(&subject, occurrence),
        };
        plan.items.push(Item {
            id,
            subject,
            origin,
            id_only,
        });
    }
    plan.suffixes = ids.used;
    Ok(plan)
}

/// Whether two subjects are the same but for case and white space.
pub(crate) fn same_folded(a: &Arc<str>, b: &Arc<str>) -> bool {
    a == b || folded(a) == folded(b)
}

impl Claim {
    fn origin(&self) -> Origin {
        match self {
            Claim::Named(origin, _) | Claim::Open(origin) => *origin,
            Claim::Duplicate(_) => Origin::New,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Claim::Open(Origin::New))
    }
}

/// The tasks that items can stand for, and the item that each is taken by.
struct Pool<'a> {
    live: &'a Dag,
    retired: &'a Retired,
    live_item: Vec<Option<usize>>,
    retired_item: Vec<Option<usize>>,
}

impl<'a> Pool<'a> {
    fn task(&self, origin: Origin) -> Option<&'a Arc<Task>> {
        match origin {
            Origin::New => None,
            Origin::Live(at) => Some(self.live.task(self.live.slot_at(at))),
            Origin::Retired(at) => Some(&self.retired.at(at).task),
        }
    }

    fn taken_by(&mut self, origin: Origin) -> Option<&mut Option<usize>> {
        match origin {
            Origin::New => None,
            Origin::Live(at) => Some(&mut self.live_item[at]),
            Origin::Retired(at) => Some(&mut self.retired_item[at]),
        }
    }

    fn claim(
        &mut self,
        item: usize,
        draft: &TaskDraft,
        new_ids: &mut HashSet<TaskId>,
    ) -> Result<Claim, Error> {
        let Some(id) = draft.id.as_deref() else {
            return Ok(Claim::Open(Origin::New));
        };
        let known = match self.live.position(id) {
            Some(at) => Origin::Live(at),
            None => (self.retired.position(id)).map_or(Origin::New, Origin::Retired),
        };
        let id = match self.task(known) {
            Some(task) => task.id.clone(),
            None => TaskId::new(id)?,
        };
        let is_first = match self.taken_by(known) {
            Some(taken) => taken.replace(taken.unwrap_or(item)).is_none(),
            None => new_ids.insert(id.clone()),
        };
        Ok(match is_first {
            true => Claim::Named(known, id),
            false => Claim::Duplicate(id),
        })
    }

    /// Pairs the items without an id with the tasks that nobody names.
    fn match_open(&mut self, drafts: &[TaskDraft], claims: &mut [Claim]) {
        let wanted: Vec<(usize, Key<'_>)> = (claims.iter().enumerate())
            .filter(|(_, claim)| claim.is_open())
            .filter_map(|(i, _)| Some((i, Key::of_draft(&drafts[i])?)))
            .collect();
        if wanted.is_empty() {
            return;
        }
        let live = (0..self.live.len()).map(Origin::Live);
        let wanted = self.pair(wanted, live, exactly, claims);
        let live = (0..self.live.len()).map(Origin::Live);
        let wanted = self.pair(wanted, live, by_folded_subject, claims);
        let retired = (0..self.retired.len()).rev().map(Origin::Retired);
        self.pair(wanted, retired, exactly, claims);
    }

    /// Pairs items with those of the tasks that are still free; gives the items that are left.
    fn pair<'k>(
        &mut self,
        mut wanted: Vec<(usize, Key<'k>)>,
        tasks: impl Iterator<Item = Origin>,
        how: Step,
        claims: &mut [Claim],
    ) -> Vec<(usize, Key<'k>)> {
        if wanted.is_empty() {
            return wanted;
        }
        let free: Vec<Origin> = tasks
            .filter(|&origin| self.taken_by(origin).is_some_and(|taken| taken.is_none()))
            .collect();
        if free.is_empty() {
            return wanted;
        }
        let offered: Vec<Key<'_>> = (free.iter())
            .filter_map(|&origin| self.task(origin))
            .map(|task| Key::of_task(task))
            .collect();
        let keys: Vec<Key<'_>> = wanted.iter().map(|&(_, key)| key).collect();
        for (want, offer) in how(&keys, &offered) {
            let item = wanted[want].0;
            claims[item] = Claim::Open(free[offer]);
            if let Some(taken) = self.taken_by(free[offer]) {
                *taken = Some(item);
            }
        }
        wanted.retain(|&(item, _)| claims[item].is_open());
        wanted
    }

    /// The items that take an id from its work to the work of another live task, whose
    /// own item is gone or about something else: `(item, the id that the work had)`.
    fn rebound(&self, claims: &[Claim], items: &[(Arc<str>, Origin)]) -> Vec<(usize, TaskId)> {
        let renamed = |&i: &usize| {
            let task = self.task(items[i].1);
            let kept = task.is_some_and(|task| task.subject == items[i].0);
            matches!(claims[i], Claim::Named(..)) && !kept
        };
        let renamed: Vec<usize> = (0..items.len()).filter(renamed).collect();
        if renamed.is_empty() {
            return Vec::new();
        }
        let mut left: HashMap<&str, Option<&TaskId>> =
            renamed.iter().map(|&i| (&*items[i].0, None)).collect();
        for (task, item) in self.live.tasks().zip(&self.live_item) {
            if item.is_none_or(|item| items[item].0 != task.subject)
                && let Some(first) = left.get_mut(&*task.subject)
            {
                first.get_or_insert(&task.id);
            }
        }
        (renamed.into_iter())
            .filter_map(|i| Some((i, left[&*items[i].0]?.clone())))
            .collect()
    }
}

/// Pairs wanted with offered ones, by their places.
type Step = fn(&[Key<'_>], &[Key<'_>]) -> Vec<(usize, usize)>;

/// What items and tasks are matched by.
#[derive(Clone, Copy)]
struct Key<'a> {
    subject: &'a str,
    active_form: Option<&'a str>,
    status: Option<Status>,
}

impl<'a> Key<'a> {
    fn of_draft(draft: &'a TaskDraft) -> Option<Self> {
        let subject = draft.fields.subject.as_deref()?;
        Some(Key {
            subject,
            active_form: match &draft.fields.active_form {
                Given::Set(text) => Some(text),
                Given::Cleared => Some(subject),
                Given::Kept => None,
            },
            status: draft.fields.status,
        })
    }

    fn of_task(task: &'a Task) -> Self {
        Key {
            subject: &task.subject,
            active_form: Some(task.active_label()),
            status: Some(task.status),
        }
    }
}

/// Pairs equal subjects: those whose active form tells them apart, then those whose
/// status does, then the rest in order.
fn exactly(wanted: &[Key<'_>], offered: &[Key<'_>]) -> Vec<(usize, usize)> {
    let mut groups: HashMap<&str, u32> = HashMap::with_capacity(wanted.len());
    let mut wanted_in = Vec::with_capacity(wanted.len());
    for (i, key) in wanted.iter().enumerate() {
        let next = groups.len() as u32;
        wanted_in.push((*groups.entry(key.subject).or_insert(next), i as u32));
    }
    let offered_in: Vec<(u32, u32)> = (offered.iter().enumerate())
        .filter_map(|(i, key)| Some((*groups.get(key.subject)?, i as u32)))
        .collect();
    let wanted_in = Buckets::new(groups.len(), wanted_in.iter().copied());
    let offered_in = Buckets::new(groups.len(), offered_in.iter().copied());
    let mut pairs = Pairs::default();
    for group in 0..groups.len() as u32 {
        match (wanted_in.of(group), offered_in.of(group)) {
            ([], _) | (_, []) => {}
            (&[want], &[offer]) => pairs.add(want, offer),
            (wants, offers) => {
                let (mut wants, mut offers) = (wants.to_vec(), offers.to_vec());
                pairs.add_unique(&mut wants, &mut offers, |side| match side {
                    Side::Wanted(i) => wanted[i].active_form,
                    Side::Offered(i) => offered[i].active_form,
                });
                pairs.add_unique(&mut wants, &mut offers, |side| match side {
                    Side::Wanted(i) => wanted[i].status,
                    Side::Offered(i) => offered[i].status,
                });
                for (want, offer) in wants.into_iter().zip(offers) {
                    pairs.add(want, offer);
                }
            }
        }
    }
    pairs.0
}

/// Pairs subjects that are the same but for case and white space, if one to one.
fn by_folded_subject(wanted: &[Key<'_>], offered: &[Key<'_>]) -> Vec<(usize, usize)> {
    let mut pairs = Pairs::default();
    let mut wants = (0..wanted.len() as u32).collect();
    let mut offers = (0..offered.len() as u32).collect();
    pairs.add_unique(&mut wants, &mut offers, |side| {
        Some(folded(match side {
            Side::Wanted(i) => wanted[i].subject,
            Side::Offered(i) => offered[i].subject,
        }))
    });
    pairs.0
}

/// Pairs of a wanted and an offered one, by their places.
#[derive(Default)]
struct Pairs(Vec<(usize, usize)>);

enum Side {
    Wanted(usize),
    Offered(usize),
}

impl Pairs {
    fn add(&mut self, want: u32, offer: u32) {
        self.0.push((want as usize, offer as usize));
    }

    /// Pairs those whose key occurs once on both sides, and takes them out of the sides.
    /// One without a key takes no part.
    fn add_unique<K: Eq + Hash>(
        &mut self,
        wants: &mut Vec<u32>,
        offers: &mut Vec<u32>,
        key: impl Fn(Side) -> Option<K>,
    ) {
        #[derive(Default)]
        struct Holders {
            wants: u32,
            offers: u32,
            offer: u32,
        }
        let mut holders: HashMap<K, Holders> = HashMap::with_capacity(wants.len());
        for &want in wants.iter() {
            if let Some(key) = key(Side::Wanted(want as usize)) {
                holders.entry(key).or_default().wants += 1;
            }
        }
        for &offer in offers.iter() {
            if let Some(key) = key(Side::Offered(offer as usize))
                && let Some(holders) = holders.get_mut(&key)
            {
                holders.offers += 1;
                holders.offer = offer;
            }
        }
        let mut paired = HashSet::new();
        wants.retain(|&want| {
            let holders = key(Side::Wanted(want as usize)).and_then(|key| holders.get(&key));
            match holders {
                Some(&Holders {
                    wants: 1,
                    offers: 1,
                    offer,
                }) => {
                    self.add(want, offer);
                    paired.insert(offer);
                    false
                }
                _ => true,
            }
        });
        offers.retain(|offer| !paired.contains(offer));
    }
}

/// For a slug, the lowest suffix that may be free: all below it are taken.
///
/// It follows from the list and is kept to save looking. It never holds more entries than there
/// are ids with a suffix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suffixes(HashMap<Box<str>, u32>);

const FIRST_SUFFIX: u32 = 2;

impl Suffixes {
    /// Takes in what the ids of a call have used up.
    pub(crate) fn remember(&mut self, used: HashMap<Box<str>, u32>) {
        self.0.extend(used);
    }

    /// Makes room for an id that nobody has any longer.
    pub(crate) fn free(&mut self, id: &TaskId) {
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
pub(crate) struct IdMaker<'a> {
    live: &'a Dag,
    retired: &'a Retired,
    /// Ids of the call that the list does not know.
    taken: HashSet<TaskId>,
    /// How often a subject came up so far, of those that need an id.
    occurrences: HashMap<Arc<str>, u32>,
    suffixes: &'a Suffixes,
    pub(crate) used: HashMap<Box<str>, u32>,
}

impl<'a> IdMaker<'a> {
    fn new(
        claims: &[Claim],
        items: &[(Arc<str>, Origin)],
        pool: &Pool<'a>,
        taken: HashSet<TaskId>,
        suffixes: &'a Suffixes,
    ) -> Self {
        let needs_id = |claim: &Claim| claim.is_open() || matches!(claim, Claim::Duplicate(_));
        let needed = claims.iter().filter(|claim| needs_id(claim)).count();
        let mut ids = IdMaker::for_one(pool.live, pool.retired, suffixes);
        ids.taken = taken;
        ids.taken.reserve(needed);
        ids.occurrences.reserve(needed);
        let subjects = claims
            .iter()
            .zip(items)
            .filter(|(claim, _)| needs_id(claim));
        ids.occurrences
            .extend(subjects.map(|(_, (subject, _))| (subject.clone(), 0)));
        ids
    }

    /// For a call with one item.
    pub(crate) fn for_one(live: &'a Dag, retired: &'a Retired, suffixes: &'a Suffixes) -> Self {
        IdMaker {
            live,
            retired,
            taken: HashSet::new(),
            occurrences: HashMap::new(),
            suffixes,
            used: HashMap::new(),
        }
    }

    /// Counts an item of the call, and says the how many-th with its subject it is.
    fn count(&mut self, subject: &Arc<str>) -> u32 {
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

    pub(crate) fn make(&mut self, subject: &str, occurrence: u32) -> TaskId {
        let mut id = slug(subject);
        if occurrence > 1 {
            let _ = write!(id, "_{occurrence}");
        }
        // A slug that this call has used up is taken.
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

//! Which task an item of a write stands for. Linear in the items and the tasks of the list.
//!
//! The steps, and their order, are those of DESIGN section 3, "Replace-all". What an item makes of its task is not
//! decided here but in `write`. Tested by the vectors in `tests/conformance` and by the reference model.

use super::ids::{IdMaker, Suffixes};
use super::retired::Retired;
use crate::change::{DuplicateId, Rebound};
use crate::error::Error;
use crate::graph::{Buckets, Graph};
use crate::id::TaskId;
use crate::status::Status;
use crate::task::{Given, Task, TaskDraft};
use crate::text::folded;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

/// Whose work an item takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nobody's.
    New,
    /// That of the live task at this place in the list.
    Live(usize),
    /// That of the retired task at this place.
    Retired(usize),
}

/// What became of the item at the same place of the call.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) id: TaskId,
    pub(super) subject: Arc<str>,
    pub(super) origin: Origin,
    /// Only the id is taken over, for new work: no field, edge or status is kept.
    pub(super) id_only: bool,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    pub(super) rebound: Vec<Rebound>,
    pub(super) duplicate_ids: Vec<DuplicateId>,
    pub(super) suffixes: HashMap<Box<str>, u32>,
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

pub(super) fn reconcile(
    drafts: &[TaskDraft],
    live: &Graph,
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

    let items = pool.subjects(drafts, &claims)?;
    let mut rebound = pool.rebound(&claims, &items).into_iter().peekable();
    let unnamed = claims
        .iter()
        .zip(&items)
        .filter(|(claim, _)| claim.needs_id());
    let subjects = unnamed.map(|(_, (subject, _))| subject);
    let mut ids = IdMaker::for_many(live, retired, suffixes, new_ids, subjects);
    let mut plan = Plan {
        items: Vec::with_capacity(drafts.len()),
        rebound: Vec::new(),
        duplicate_ids: Vec::new(),
        suffixes: HashMap::new(),
    };
    for (i, (claim, (subject, origin))) in claims.into_iter().zip(items).enumerate() {
        let occurrence = ids.count(&subject);
        let task = pool.task(origin);
        let previous = rebound.next_if(|&(item, _)| item == i);
        let id_only = claim.takes_only_the_id(previous.is_some(), task, &subject);
        let id = match (claim, task) {
            (Claim::Named(_, id), _) => id,
            (Claim::Open(_), Some(task)) => task.id.clone(),
            (Claim::Open(_), None) => ids.make(&subject, occurrence),
            (Claim::Duplicate(id), _) => {
                let generated = ids.make(&subject, occurrence);
                plan.duplicate_ids.push(DuplicateId {
                    id,
                    generated: generated.clone(),
                });
                generated
            }
        };
        plan.rebound.extend(previous.map(|(_, previous)| Rebound {
            id: id.clone(),
            previous,
        }));
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
pub(super) fn same_folded(a: &Arc<str>, b: &Arc<str>) -> bool {
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

    /// Whether the item is other work under an old id: the id of another task, or a retired one under another subject.
    fn takes_only_the_id(
        &self,
        rebound: bool,
        task: Option<&Arc<Task>>,
        subject: &Arc<str>,
    ) -> bool {
        let comes_back = matches!(self, Claim::Named(Origin::Retired(_), _));
        rebound || comes_back && task.is_some_and(|task| !same_folded(&task.subject, subject))
    }

    fn needs_id(&self) -> bool {
        self.is_open() || matches!(self, Claim::Duplicate(_))
    }
}

/// The tasks that items can stand for, and the item that each is taken by.
struct Pool<'a> {
    live: &'a Graph,
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

    /// The subject of each item, and whose work it takes up. Where the task has the same subject, it is the task's
    /// own text, so that no copy is made and later comparisons see the same pointer.
    fn subjects(
        &self,
        drafts: &[TaskDraft],
        claims: &[Claim],
    ) -> Result<Vec<(Arc<str>, Origin)>, Error> {
        let subject = |(item, (draft, claim)): (usize, (&TaskDraft, &Claim))| {
            let origin = claim.origin();
            let subject = match (&draft.fields.subject, self.task(origin)) {
                (Some(given), Some(task)) if *given == task.subject => &task.subject,
                (Some(given), _) => given,
                (None, Some(task)) => &task.subject,
                (None, None) => return Err(Error::MissingSubject { item }),
            };
            Ok((subject.clone(), origin))
        };
        drafts.iter().zip(claims).enumerate().map(subject).collect()
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
        // Live tasks by their exact subject, then by the folded one; only then what has left the list, so that work
        // which is still there is never doubled by work that was dropped.
        let live = (0..self.live.len()).map(Origin::Live);
        let wanted = self.pair(wanted, live, exactly, claims);
        let live = (0..self.live.len()).map(Origin::Live);
        // Folding allocates, so it is left for what equal texts did not settle.
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
        // Only an item with an id under another subject than before can take an id from its work.
        let renamed: Vec<usize> = (0..items.len()).filter(renamed).collect();
        if renamed.is_empty() {
            return Vec::new();
        }
        // By subject of the renamed items alone: mostly none, and then the list is not walked at all.
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
    // Keyed by the incoming items: a short write on a long list hashes what it sends, and looks the rest up.
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
        // Nearly every subject is there once on both sides; the rest is for lists with equal subjects.
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

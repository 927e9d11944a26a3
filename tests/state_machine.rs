//! For all of them: a list does what its definition says, whatever calls come in whatever order, and keeps its promises.
//!
//! Random calls are made on a list and on the model of `tests/model`, which says how to read it, and compared in all that
//! they answer; and each call is held against the promises that need no model.

mod model;

use agent_tasklist as real;
use agent_tasklist::policy::Limit;
use model::{Changes, Facts, Fields, Given, Item, List, Model, Op, Pairs, Patch};
use model::{Run, Task, Violation, answers, observe, starts};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use real::policy::{Dependencies, Dropped, Excess, InProgress};
use real::{Activation, Error, Field, Limits, Policy, Status, TaskDraft, TaskList, TaskPatch};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

// ---------------------------------------------------------------------------
// What is made up

#[derive(Clone, Debug)]
enum Step {
    Call(Box<Op>),
    /// Sets the caps on retired tasks and on evidence.
    Cap(usize, usize),
    Policy(Policy),
    /// Loads the list anew, some tasks with another status. A stored status that starts a
    /// task says it alone, so that one set to pending was never started.
    Reload(Vec<Option<Status>>),
}

const PLAIN_IDS: &[&str] = &[
    "a",
    "b",
    "c",
    " a ",
    "task_a",
    "task_a_2",
    "task_b",
    "task_b_2_2",
    "task_item",
    "ü",
];

/// Its slug is cut right after a `_`.
const LONG: &str = "Migrate every caller of the old storage trait X to the new one, then remove it";

/// An id, or a stand-in for one that [`Step::resolve`] looks up when its turn comes:
/// `#n` for the n-th task of the list, `#` for the one at the item's own place, `~n`
/// for the n-th retired, both counted round, `=n` and `-n` for the same not counted
/// round. At the other end of an edge also `%n` for the n-th but the updated one and,
/// in a write, `@n` for the task that the n-th item gets, `<n` for one that an item
/// before this one gets.
fn id() -> impl Strategy<Value = String> {
    let known = (0..8usize).prop_map(|n| format!("#{n}"));
    let retired = (0..4usize).prop_map(|n| format!("~{n}"));
    prop_oneof![6 => known, 1 => retired, 2 => plain_id()]
}

fn plain_id() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &[
        "",
        " ",
        "ghost",
        "x/y",
        "..",
        "a\u{2028}b",
        "\u{200f}a",
        "a\u{a0}",
        "A",
    ];
    let longest = "é".repeat(64);
    prop_oneof![
        36 => select(PLAIN_IDS).prop_map(str::to_owned),
        2 => select(ODD).prop_map(str::to_owned),
        1 => select(vec![longest.clone() + "x", longest]),
    ]
}

fn subject() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &[
        "a",
        " A",
        "A  ",
        "B\t",
        "b",
        "A b",
        "a  B",
        "A 2",
        "a_2",
        "A 2 2",
        "İ go",
        "i̇ GO",
        "Σ ΟΔΟΣ",
        "σ  οδος",
        "\u{212a}",
        "k",
        "日本",
        "!!",
        "item",
        "Item",
        "\u{200b}",
        "\"<{&",
        LONG,
    ];
    prop_oneof![4 => select(&["A", "B", "C"][..]), 2 => select(ODD)].prop_map(str::to_owned)
}

fn maybe_blank<T: Strategy<Value = String>>(text: T) -> impl Strategy<Value = String> {
    let blank = select(&["", "  ", "\u{2003}\n"][..]).prop_map(str::to_owned);
    prop_oneof![100 => text, 1 => blank]
}

fn text(pool: &'static [&'static str]) -> impl Strategy<Value = Given<String>> {
    let text = maybe_blank(select(pool).prop_map(str::to_owned));
    prop_oneof![8 => Just(Given::Kept), 1 => Just(Given::Cleared), 4 => text.prop_map(Given::Set)]
}

fn metadata() -> impl Strategy<Value = Given<Map<String, Value>>> {
    let maps = [
        json!({}),
        json!({"n": 1}),
        json!({"n": [1.5, null, {"x": "é"}]}),
    ];
    let maps = maps.map(|map| map.as_object().cloned().unwrap_or_default());
    prop_oneof![
        8 => Just(Given::Kept),
        1 => Just(Given::Cleared),
        2 => select(maps.to_vec()).prop_map(Given::Set),
    ]
}

/// Members that meet those above, and each other.
fn more_metadata() -> impl Strategy<Value = Map<String, Value>> {
    let maps = [
        json!({"n": 2}),
        json!({"n": null, "m": {}}),
        json!({"m": "x"}),
    ];
    let maps = maps.map(|map| map.as_object().cloned().unwrap_or_default());
    prop_oneof![8 => Just(Map::new()), 2 => select(maps.to_vec())]
}

/// In their stored form, or blank.
const PATTERNS: &[&str] = &[
    "*.rs",
    "docs/",
    "a/*.x",
    "",
    "**/b",
    "/a.rs",
    "**",
    "d?cs/**/b",
    "a/**",
    "docs/a**",
    " ",
];

fn activation() -> impl Strategy<Value = Given<Vec<String>>> {
    let pattern = || {
        let pattern = prop_oneof![5 => Just("*.rs"), 2 => Just("docs/"), 3 => select(PATTERNS)];
        pattern.prop_map(str::to_owned)
    };
    let patterns = prop_oneof![4 => vec(pattern(), 1), 1 => vec(pattern(), 2..4)];
    prop_oneof![
        12 => Just(Given::Kept),
        1 => Just(Given::Cleared),
        6 => patterns.prop_map(Given::Set),
    ]
}

fn path() -> impl Strategy<Value = String> {
    const PATHS: &[&str] = &[
        "a.rs", "src/a.rs", "docs/b", "docs/a/b", "docs", "a/b.x", "a/c/b.x", "b", "é",
    ];
    const ODD: &[&str] = &[
        "", ".", "./", "./a.rs", "a//b.x", "docs/", "..a", "dücs/b", "a/.x", " ", "*.rs",
    ];
    prop_oneof![
        60 => select(PATHS),
        20 => select(ODD),
        1 => select(&["../a", "a/..", "a/../b.x", "/", "/a//b.x", "/a/.."][..]),
    ]
    .prop_map(str::to_owned)
}

fn run() -> impl Strategy<Value = String> {
    let odd = select(&["", " r1 ", "r/1", "a"][..]);
    prop_oneof![8 => select(&["r1", "r2", "r3"][..]), 1 => odd].prop_map(str::to_owned)
}

fn status(running: u32) -> impl Strategy<Value = Option<Status>> {
    prop_oneof![
        200 => Just(None),
        70 => Just(Some(Status::Pending)),
        running => Just(Some(Status::InProgress)),
        80 => Just(Some(Status::Completed)),
        1 => Just(Some(Status::Deleted)),
    ]
}

fn fields(
    subject: impl Strategy<Value = Option<String>>,
    status: impl Strategy<Value = Option<Status>>,
    edge: impl Strategy<Value = String> + Clone,
) -> impl Strategy<Value = Fields> {
    let forms = text(&["Doing", "doing", "A", "Busy"]);
    let edges = vec(edge, 0..3);
    (
        (subject, status, text(&["More", "more "]), forms),
        (
            text(&["ann", "bob", "ann", "bob", " ann"]),
            metadata(),
            more_metadata(),
            activation(),
        ),
        (weighted(0.25, edges.clone()), weighted(0.1, edges)),
    )
        .prop_map(
            |(
                (subject, status, description, active_form),
                (owner, metadata, more_metadata, activation),
                edges,
            )| {
                Fields {
                    subject,
                    status,
                    description,
                    active_form,
                    owner,
                    activation,
                    metadata,
                    more_metadata,
                    blocked_by: edges.0,
                    blocks: edges.1,
                }
            },
        )
}

fn item() -> impl Strategy<Value = Item> {
    let stand_in = prop_oneof![
        3 => Just("#".to_owned()),
        1 => (0..8usize).prop_map(|n| format!("#{n}")),
        1 => (0..4usize).prop_map(|n| format!("~{n}")),
    ];
    let subject = || maybe_blank(subject());
    let id_and_subject = prop_oneof![
        4 => (Just(None), subject().prop_map(Some)),
        4 => (stand_in.prop_map(Some), weighted(0.75, subject())),
        1 => (plain_id().prop_map(Some), subject().prop_map(Some)),
    ];
    let edge = prop_oneof![
        12 => (0..8usize).prop_map(|n| format!("<{n}")),
        4 => (0..8usize).prop_map(|n| format!("@{n}")),
        1 => id(),
    ]
    .boxed();
    (id_and_subject, fields(Just(None), status(45), edge)).prop_map(
        |((id, subject), mut fields)| {
            fields.subject = subject;
            Item { id, fields }
        },
    )
}

/// Items that say no more than which task it is, and maybe its status.
fn bare_items() -> impl Strategy<Value = Vec<Item>> {
    let live = (0..7).map(|n| format!("={n}"));
    let ids: Vec<String> = live.chain((0..3).map(|n| format!("-{n}"))).collect();
    let ids = subsequence(ids, 0..=10).prop_shuffle();
    let running = weighted(0.3, Just(Status::InProgress));
    let statuses = prop_oneof![vec(status(60), 10), vec(running, 10)];
    (ids, statuses).prop_map(|(ids, statuses)| {
        let items = ids.into_iter().zip(statuses).map(|(id, status)| Item {
            id: Some(id),
            fields: Fields {
                status,
                ..Fields::default()
            },
        });
        items.collect()
    })
}

/// The same with these fields and no others.
fn items_that_say(said: impl Strategy<Value = Fields>) -> impl Strategy<Value = Vec<Item>> {
    (bare_items(), vec(said, 10)).prop_map(|(mut items, said)| {
        for (item, said) in items.iter_mut().zip(said) {
            item.fields = said;
        }
        items
    })
}

fn draft() -> impl Strategy<Value = Item> {
    let id = prop_oneof![3 => plain_id(), 1 => id()];
    let fields = fields(weighted(0.97, maybe_blank(subject())), status(100), other());
    (of(id), fields).prop_map(|(id, fields)| Item { id, fields })
}

/// Mostly the id of a live task.
fn target() -> impl Strategy<Value = String> {
    prop_oneof![20 => (0..8usize).prop_map(|n| format!("#{n}")), 1 => id()]
}

/// Mostly the id of a retired task.
fn gone() -> impl Strategy<Value = String> {
    prop_oneof![8 => (0..6usize).prop_map(|n| format!("~{n}")), 1 => id()]
}

fn other() -> impl Strategy<Value = String> + Clone {
    prop_oneof![30 => (0..8usize).prop_map(|n| format!("%{n}")), 1 => id()].boxed()
}

fn patch() -> impl Strategy<Value = Patch> {
    let one_by_one = || prop_oneof![4 => Just(vec![]), 1 => vec(other(), 1..3)];
    (
        fields(weighted(0.2, maybe_blank(subject())), status(150), other()),
        [one_by_one(), one_by_one(), one_by_one(), one_by_one()],
    )
        .prop_map(
            |(fields, [add_blocked_by, remove_blocked_by, add_blocks, remove_blocks])| Patch {
                fields,
                add_blocked_by,
                remove_blocked_by,
                add_blocks,
                remove_blocks,
            },
        )
}

fn owner() -> impl Strategy<Value = String> {
    let odd = select(&["", " ", " ann", "cyd"][..]);
    prop_oneof![8 => select(&["ann", "bob"][..]), 1 => odd].prop_map(str::to_owned)
}

/// The call, often on behalf of somebody where that can be said.
fn maybe_as(op: impl Strategy<Value = Op> + 'static, part: f64) -> impl Strategy<Value = Op> {
    (weighted(part, owner()), op.boxed()).prop_map(|(actor, op)| match (actor, &op) {
        (None, _) | (_, Op::BeginRun(_) | Op::FilesModified(_)) => op,
        (_, Op::Claim(_) | Op::ClaimTask(..) | Op::Release(_)) => op,
        (Some(actor), _) => Op::As(actor, Box::new(op)),
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let in_progress = prop_oneof![
        3 => Just(InProgress::One),
        4 => Just(InProgress::PerOwner),
        1 => Just(InProgress::Unlimited),
    ];
    let excess = select(&[Excess::Refuse, Excess::Demote][..]);
    let blocked = select(&[Dependencies::Enforce, Dependencies::Advise][..]);
    let dropped = prop_oneof![
        3 => Just(Dropped::Allow),
        3 => Just(Dropped::Keep),
        1 => Just(Dropped::Refuse),
    ];
    (in_progress, excess, blocked, dropped).prop_map(|(in_progress, excess, blocked, dropped)| {
        let mut policy = Policy::default();
        policy.in_progress = in_progress;
        policy.excess = excess;
        policy.dependencies = blocked;
        policy.dropped = dropped;
        policy
    })
}

fn claims() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => owner().prop_map(Op::Claim),
        3 => (target(), owner()).prop_map(|(id, owner)| Op::ClaimTask(id, owner)),
        1 => owner().prop_map(Op::Release),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    maybe_as(any_op(), 0.2)
}

fn any_op() -> impl Strategy<Value = Op> {
    let items = prop_oneof![
        30 => vec(item(), 0..9),
        1 => vec(item(), 9..20),
        5 => bare_items(),
    ];
    prop_oneof![
        6 => items.prop_map(Op::Write).boxed(),
        4 => draft().prop_map(Op::Create).boxed(),
        6 => (target(), patch()).prop_map(|(id, patch)| Op::Update(id, patch)).boxed(),
        3 => target().prop_map(Op::Complete),
        2 => target().prop_map(Op::Delete),
        2 => gone().prop_map(Op::Restore),
        2 => run().prop_map(Op::BeginRun),
        3 => vec(path(), 0..3).prop_map(Op::FilesModified),
        4 => claims(),
    ]
}

/// A list loaded with any statuses, then writes that leave most of them as they are.
fn reload_and_write() -> impl Strategy<Value = Vec<Step>> {
    const STATUSES: &[Status] = &[
        Status::Pending,
        Status::Completed,
        Status::InProgress,
        Status::InProgress,
    ];
    let statuses = vec(weighted(0.5, select(STATUSES)), 0..8);
    let writes = vec(
        bare_items().prop_map(|items| Step::call(Op::Write(items))),
        0..3,
    );
    (statuses, writes).prop_map(|(statuses, writes)| {
        let reload = std::iter::once(Step::Reload(statuses));
        reload.chain(writes).collect()
    })
}

/// Tasks that wait for few files, in a list that says little else, so that sleep meets
/// all that can be said of a task.
fn naps() -> impl Strategy<Value = Vec<Step>> {
    let asleep = || {
        let patterns = prop_oneof![4 => Just("*.rs"), 1 => Just("docs/")];
        weighted(0.4, patterns).prop_map(|pattern| match pattern {
            Some(pattern) => Given::Set(vec![pattern.to_owned()]),
            None => Given::Kept,
        })
    };
    let subject = || weighted(0.25, select(&["A", "B", "C"][..]).prop_map(str::to_owned));
    let said = move || {
        (subject(), asleep(), status(40)).prop_map(|(subject, activation, status)| Fields {
            subject,
            activation,
            status,
            ..Fields::default()
        })
    };
    let items = items_that_say(said());
    let patch = (said(), weighted(0.3, vec(other(), 1))).prop_map(|(mut fields, blocked_by)| {
        fields.subject = None;
        Patch {
            fields,
            add_blocked_by: blocked_by.unwrap_or_default(),
            ..Patch::default()
        }
    });
    let files = select(&["a.rs", "docs/b", "b"][..]).prop_map(str::to_owned);
    let op = prop_oneof![
        3 => items.prop_map(Op::Write).boxed(),
        4 => (target(), patch).prop_map(|(id, patch)| Op::Update(id, patch)).boxed(),
        2 => vec(files, 1..3).prop_map(Op::FilesModified),
        1 => run().prop_map(Op::BeginRun),
        1 => target().prop_map(Op::Delete),
        1 => gone().prop_map(Op::Restore),
    ];
    vec(op.prop_map(Step::call), 2..8)
}

/// Owners that share a list which says little else, under one policy.
fn crew() -> impl Strategy<Value = Vec<Step>> {
    let subject = || weighted(0.2, select(&["A", "B", "C"][..]).prop_map(str::to_owned));
    let said = move || {
        let owner = prop_oneof![
            4 => Just(Given::Kept),
            1 => Just(Given::Cleared),
            3 => owner().prop_map(Given::Set),
        ];
        (subject(), owner, status(120)).prop_map(|(subject, owner, status)| Fields {
            subject,
            owner,
            status,
            ..Fields::default()
        })
    };
    let items = items_that_say(said());
    let one_by_one = || prop_oneof![4 => Just(vec![]), 1 => vec(other(), 1)];
    let edges = [one_by_one(), one_by_one(), one_by_one(), one_by_one()];
    let patch = (said(), edges).prop_map(
        |(mut fields, [add_blocked_by, remove_blocked_by, add_blocks, remove_blocks])| {
            fields.subject = None;
            Patch {
                fields,
                add_blocked_by,
                remove_blocked_by,
                add_blocks,
                remove_blocks,
            }
        },
    );
    let op = prop_oneof![
        3 => items.prop_map(Op::Write).boxed(),
        4 => (target(), patch).prop_map(|(id, patch)| Op::Update(id, patch)).boxed(),
        3 => claims(),
        1 => target().prop_map(Op::Complete),
        1 => target().prop_map(Op::Delete),
        1 => gone().prop_map(Op::Restore),
    ];
    let ops = vec(maybe_as(op, 0.4).prop_map(Step::call), 2..8);
    (of(policy()), ops).prop_map(|(policy, ops)| {
        let policy = policy.into_iter().map(Step::Policy);
        policy.chain(ops).collect()
    })
}

/// Some tasks, then anything.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let cap = || prop_oneof![4 => 0..6usize, 1 => Just(200_000)];
    let step = prop_oneof![
        18 => op().prop_map(|op| vec![Step::call(op)]).boxed(),
        1 => (cap(), cap()).prop_map(|(retired, files)| vec![Step::Cap(retired, files)]),
        2 => reload_and_write().boxed(),
        2 => naps().boxed(),
        2 => crew().boxed(),
        2 => policy().prop_map(|policy| vec![Step::Policy(policy)]),
    ];
    (vec(subject(), 0..8), vec(step, 1..20)).prop_map(|(subjects, steps)| {
        let items = subjects.into_iter().map(|subject| Item {
            id: None,
            fields: Fields {
                subject: Some(subject),
                ..Fields::default()
            },
        });
        let first = Step::call(Op::Write(items.collect()));
        std::iter::once(first).chain(steps.concat()).collect()
    })
}

impl Step {
    fn call(op: Op) -> Self {
        Step::Call(Box::new(op))
    }

    /// The step with real ids in the place of stand-ins.
    fn resolve(&self, list: &List) -> Self {
        match self {
            Step::Call(op) => Step::call(resolve(op, list)),
            other => other.clone(),
        }
    }
}

fn resolve(op: &Op, list: &List) -> Op {
    let mut known = Known {
        live: list.ids(),
        retired: (list.retired.iter())
            .map(|retired| retired.task.id.clone())
            .collect(),
        ..Known::default()
    };
    known.others = known.live.clone();
    let mut op = op.clone();
    match &mut op {
        Op::Write(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                if let Some(id) = &mut item.id {
                    *id = known.look_up(id, at);
                }
            }
            let blank = |item: &Item| item.id.as_ref().is_some_and(|id| id.is_empty());
            items.retain(|item| item.fields.subject.is_some() || !blank(item));
            known.result = ids_of_write(items, list);
            for (at, item) in items.iter_mut().enumerate() {
                known.look_up_edges(&mut item.fields, at);
            }
        }
        Op::Create(item) => {
            item.id = item.id.as_ref().map(|id| known.look_up(id, 0));
            known.look_up_edges(&mut item.fields, 0);
        }
        Op::Update(id, patch) => {
            *id = known.look_up(id, 0);
            known.others.retain(|other| other != id);
            known.look_up_edges(&mut patch.fields, 0);
            for ids in [
                &mut patch.add_blocked_by,
                &mut patch.remove_blocked_by,
                &mut patch.add_blocks,
                &mut patch.remove_blocks,
            ] {
                known.look_up_all(ids, 0);
            }
        }
        Op::Complete(id) | Op::Delete(id) | Op::Restore(id) => *id = known.look_up(id, 0),
        Op::ClaimTask(id, _) => *id = known.look_up(id, 0),
        Op::As(_, op) => **op = resolve(op, list),
        Op::BeginRun(_) | Op::FilesModified(_) | Op::Claim(_) | Op::Release(_) => {}
    }
    op
}

/// What stand-ins stand for.
#[derive(Default)]
struct Known {
    live: Vec<String>,
    others: Vec<String>,
    retired: Vec<String>,
    result: Vec<String>,
}

impl Known {
    /// The id, for the item at that place. Blank where there is none.
    fn look_up(&self, id: &str, at: usize) -> String {
        let (pool, round) = match id.get(..1) {
            Some("#") => (&*self.live, true),
            Some("=") => (&*self.live, false),
            Some("~") => (&*self.retired, true),
            Some("-") => (&*self.retired, false),
            Some("%") => (&*self.others, true),
            Some("@") => (&*self.result, true),
            Some("<") => (&self.result[..at.min(self.result.len())], true),
            _ => return id.to_owned(),
        };
        let n: usize = id[1..].parse().unwrap_or(at);
        let n = if round {
            n.checked_rem(pool.len())
        } else {
            Some(n)
        };
        let found = n.and_then(|n| pool.get(n));
        found.cloned().unwrap_or_default()
    }

    fn look_up_all(&self, ids: &mut [String], at: usize) {
        for id in ids {
            *id = self.look_up(id, at);
        }
    }

    fn look_up_edges(&self, fields: &mut Fields, at: usize) {
        let lists = [&mut fields.blocked_by, &mut fields.blocks];
        for ids in lists.into_iter().flatten() {
            self.look_up_all(ids, at);
        }
    }
}

/// The ids that a write gives, going by the model.
fn ids_of_write(items: &[Item], list: &List) -> Vec<String> {
    let mut bare = items.to_vec();
    for item in &mut bare {
        item.fields.status = None;
        item.fields.blocked_by = Some(vec![]);
        item.fields.blocks = None;
    }
    let mut model = Model::new();
    model.list = list.clone();
    match model.apply(&Op::Write(bare)) {
        Ok(_) => model.list.ids(),
        Err(_) => vec![],
    }
}

// ---------------------------------------------------------------------------
// The same for the crate

macro_rules! with_given {
    ($to:expr, $given:expr, $set:ident, $field:ident) => {
        match &$given {
            Given::Set(value) => $to.$set(value.clone()),
            Given::Cleared => $to.clear(Field::$field),
            Given::Kept => $to,
        }
    };
}

macro_rules! with_ids {
    ($to:expr, $ids:expr, $set:ident, $field:ident) => {
        match $ids.as_deref() {
            Some([]) => $to.clear(Field::$field),
            Some(ids) => $to.$set(ids),
            None => $to,
        }
    };
}

macro_rules! with_fields {
    ($to:expr, $fields:expr) => {{
        let fields: &Fields = $fields;
        let to = with_given!($to, fields.description, description, Description);
        let to = with_given!(to, fields.active_form, active_form, ActiveForm);
        let to = with_given!(to, fields.owner, owner, Owner);
        let to = to.merge_metadata(fields.more_metadata.clone());
        let to = with_given!(to, fields.metadata, metadata, Metadata);
        let to = match &fields.activation {
            Given::Set(patterns) => to.activation(Activation::files_modified(patterns).unwrap()),
            Given::Cleared => to.clear(Field::Activation),
            Given::Kept => to,
        };
        let to = with_ids!(to, fields.blocked_by, blocked_by, BlockedBy);
        let to = with_ids!(to, fields.blocks, blocks, Blocks);
        match fields.status {
            Some(status) => to.status(status),
            None => to,
        }
    }};
}

fn real_draft(item: &Item) -> TaskDraft {
    let subject = item.fields.subject.as_deref();
    let draft = subject.map_or_else(TaskDraft::default, TaskDraft::new);
    let draft = with_fields!(draft, &item.fields);
    match &item.id {
        Some(id) => draft.id(id),
        None => draft,
    }
}

fn real_patch(patch: &Patch) -> TaskPatch {
    let subject = patch.fields.subject.as_deref().unwrap_or_default();
    with_fields!(TaskPatch::new().subject(subject), &patch.fields)
        .add_blocked_by(&patch.add_blocked_by)
        .remove_blocked_by(&patch.remove_blocked_by)
        .add_blocks(&patch.add_blocks)
        .remove_blocks(&patch.remove_blocks)
}

/// What the crate answers: its changes, and the id that a create or a claim gave.
type Answer = Result<(real::Changes, Option<String>), Error>;

fn call(list: &mut TaskList, op: &Op) -> Answer {
    match op {
        Op::Write(items) => list.write(items.iter().map(real_draft)),
        Op::Create(item) => {
            let created = list.create(real_draft(item))?;
            return Ok((created.changes, Some(created.id.to_string())));
        }
        Op::Update(id, patch) => list.update(id, real_patch(patch)),
        Op::Complete(id) => list.complete(id),
        Op::Delete(id) => list.delete(id),
        Op::Restore(id) => list.restore(id),
        Op::BeginRun(id) => list.begin_run(id),
        Op::FilesModified(paths) => list.files_modified(paths),
        Op::Claim(owner) => {
            let claimed = list.claim(owner)?;
            return Ok((claimed.changes, claimed.id.map(|id| id.to_string())));
        }
        Op::ClaimTask(id, owner) => list.claim_task(id, owner),
        Op::Release(owner) => list.release(owner),
        Op::As(actor, op) => return call_as(list, actor, op),
    }
    .map(|changes| (changes, None))
}

fn call_as(list: &mut TaskList, actor: &str, op: &Op) -> Answer {
    let mut acting = list.acting_as(actor)?;
    match op {
        Op::Write(items) => acting.write(items.iter().map(real_draft)),
        Op::Create(item) => {
            let created = acting.create(real_draft(item))?;
            return Ok((created.changes, Some(created.id.to_string())));
        }
        Op::Update(id, patch) => acting.update(id, real_patch(patch)),
        Op::Complete(id) => acting.complete(id),
        Op::Delete(id) => acting.delete(id),
        Op::Restore(id) => acting.restore(id),
        other => unreachable!("nobody can {other:?}"),
    }
    .map(|changes| (changes, None))
}

/// The answer with its edges as sets.
fn plain(answer: &Answer) -> Result<(Changes, Option<&str>), &Error> {
    let (changes, gave) = answer.as_ref()?;
    Ok((changes.into(), gave.as_deref()))
}

/// The list through its JSON, with the statuses put over those of its tasks.
fn reload(list: &TaskList, statuses: &[Option<Status>]) -> TaskList {
    let mut json: Value = serde_json::from_str(&list.to_json()).unwrap();
    for (at, status) in statuses.iter().enumerate().take(list.len()) {
        if let Some(status) = status {
            json["tasks"][at]["status"] = json!(status.as_str());
            if starts(*status) {
                json["tasks"][at].as_object_mut().unwrap().remove("started");
            }
        }
    }
    let mut loaded = TaskList::from_json(&json.to_string()).unwrap();
    assert_eq!(loaded.policy(), Policy::default());
    loaded.set_policy(list.policy().with_limits(Limits::default()));
    loaded
}

fn set_caps(list: &mut TaskList, retired: usize, files: usize) {
    let limits = Limits::default().with(Limit::Retired, retired);
    list.set_policy(
        list.policy()
            .with_limits(limits.with(Limit::Evidence, files)),
    );
}

fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig {
        cases: if asked { config.cases } else { 500 },
        failure_persistence: None,
        max_shrink_iters: 50_000,
        max_shrink_time: 30_000,
        ..config
    }
}

// ---------------------------------------------------------------------------
// The list against the model

fn agree(list: &TaskList, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(observe(list), model.list.clone());
    prop_assert_eq!(answers(list), model.list.answers());
    let violations: Vec<Violation> = list.violations().iter().map(Violation::from).collect();
    prop_assert_eq!(violations, model.violations());
    Ok(())
}

fn agree_on(list: &mut TaskList, model: &mut Model, op: &Op) -> Result<(), TestCaseError> {
    let json = list.to_json();
    let before = model.list.clone();
    match (call(list, op), model.apply(op)) {
        (Ok((changes, gave)), Ok(done)) => {
            prop_assert_eq!(Changes::from(&changes), done.changes, "{:?}", op);
            prop_assert_eq!(gave, done.gave, "{:?}", op);
        }
        (Err(error), Ok(done)) if done.or_refused.iter().any(|fault| fault.admits(&error)) => {
            model.list = before;
            prop_assert_eq!(list.to_json(), json);
        }
        (Err(error), Err(faults)) => {
            let expected = faults.iter().any(|fault| fault.admits(&error));
            prop_assert!(expected, "{op:?}\ngives {error:?}\ninstead of {faults:?}");
            prop_assert_eq!(list.to_json(), json);
        }
        (answer, expected) => {
            return Err(TestCaseError::fail(format!(
                "{op:?}\ngives {answer:?}\ninstead of {expected:?}"
            )));
        }
    }
    Ok(())
}

fn agree_throughout(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut list = TaskList::new();
    let mut model = Model::new();
    for step in steps {
        match step.resolve(&model.list) {
            Step::Call(op) => agree_on(&mut list, &mut model, &op)?,
            Step::Cap(retired, files) => {
                set_caps(&mut list, retired, files);
                model.retired_cap = retired.min(200);
                model.evidence_cap = files.min(100_000);
            }
            Step::Policy(policy) => {
                list.set_policy(policy.with_limits(list.policy().limits));
                model.policy = policy;
            }
            Step::Reload(statuses) => {
                list = reload(&list, &statuses);
                model = Model {
                    list: model.list,
                    policy: model.policy,
                    ..Model::new()
                };
                for (task, status) in model.list.tasks.iter_mut().zip(statuses) {
                    if let Some(status) = status {
                        let stored = task.started && !starts(task.status);
                        task.started = stored || starts(status);
                        task.status = status;
                    }
                }
            }
        }
        agree(&list, &model)?;
    }
    Ok(())
}

// ---------------------------------------------------------------------------
// What holds whatever the model says

/// A call, seen from all sides.
struct Seen<'a> {
    op: &'a Op,
    /// A clone taken before the call.
    kept: TaskList,
    json: String,
    before: List,
    list: &'a TaskList,
    after: List,
    answer: Answer,
}

type Check = fn(&Seen) -> Result<(), TestCaseError>;

fn an_error_changes_nothing(seen: &Seen) -> Result<(), TestCaseError> {
    if seen.answer.is_err() {
        prop_assert_eq!(seen.list, &seen.kept);
        prop_assert_eq!(seen.list.to_json(), seen.json.as_str());
        prop_assert_eq!(&seen.after, &seen.before);
        prop_assert_eq!(answers(seen.list), answers(&seen.kept));
    }
    Ok(())
}

fn facts_lead_from_before_to_after(seen: &Seen) -> Result<(), TestCaseError> {
    if let Ok((changes, _)) = &seen.answer {
        let facts = Changes::from(changes).facts;
        let (tasks, edges) = with_facts(&seen.before, &facts);
        prop_assert_eq!(tasks, seen.after.tasks.clone());
        prop_assert_eq!(edges, seen.after.edges.clone());
        let run = run_with_facts(&seen.before.run, &facts);
        prop_assert_eq!(run, seen.after.run.clone());
        prop_assert!(facts.files_added.is_sorted());
    }
    Ok(())
}

/// The tasks and edges of a list with the facts applied. The order after serves
/// to merge the added with the revived.
fn with_facts(before: &List, facts: &Facts) -> (Vec<Task>, Pairs) {
    let place = |ids: &[String], task: &Task| ids.iter().position(|id| *id == task.id);
    let mut tasks = before.tasks.clone();
    tasks.retain(|task| !facts.removed.contains(task));
    for (old, new) in &facts.edited {
        for task in tasks.iter_mut().filter(|task| *task == old) {
            *task = new.clone();
        }
    }
    tasks.extend([&*facts.added, &*facts.revived].concat());
    if let Some(order) = &facts.order {
        tasks.sort_by_key(|task| place(order, task));
    }
    let kept = &before.edges - &facts.edges_removed;
    (tasks, &kept | &facts.edges_added)
}

fn run_with_facts(before: &Run, facts: &Facts) -> Run {
    let mut run = before.clone();
    if let Some(id) = &facts.run_began {
        run = Run {
            id: Some(id.clone()),
            ..Run::default()
        };
    }
    for path in &facts.files_added {
        assert!(run.files.insert(path.clone()), "{path} was there before");
    }
    if facts.evidence_lost {
        run.files.clear();
        run.incomplete = true;
    }
    run
}

fn facts_are_empty_exactly_when_nothing_changed(seen: &Seen) -> Result<(), TestCaseError> {
    if let Ok((changes, _)) = &seen.answer {
        let same = *seen.list == seen.kept;
        prop_assert_eq!(changes.is_empty(), same, "{:?}", changes);
        prop_assert_eq!(seen.list.to_json() == seen.json, same);
        prop_assert_eq!(seen.after == seen.before, same);
    }
    Ok(())
}

fn writing_its_own_drafts_changes_nothing(seen: &Seen) -> Result<(), TestCaseError> {
    let mut again = seen.list.clone();
    let changes = again.write(seen.list.drafts());
    prop_assert_eq!(changes, Ok(real::Changes::default()));
    prop_assert_eq!(&again, seen.list);
    prop_assert_eq!(again.to_json(), seen.list.to_json());
    Ok(())
}

fn ids_are_there_once(seen: &Seen) -> Result<(), TestCaseError> {
    let retired = seen.after.retired.iter().map(|retired| &retired.task);
    let tasks: Vec<&Task> = seen.after.tasks.iter().chain(retired).collect();
    let ids: BTreeSet<&str> = tasks.iter().map(|task| &*task.id).collect();
    prop_assert_eq!(ids.len(), tasks.len());
    Ok(())
}

/// An item without an id of its own gets one that no task had, unless it is that
/// task, going by the subject.
fn a_generated_id_is_new(seen: &Seen) -> Result<(), TestCaseError> {
    let holder = |id: &str| {
        let live = seen.before.get(id);
        live.or(seen.before.get_retired(id))
    };
    let folded = |task: &Task| {
        let words: Vec<&str> = task.subject.split_whitespace().collect();
        words.join(" ").to_lowercase()
    };
    let Ok((changes, gave)) = &seen.answer else {
        return Ok(());
    };
    if let (Op::Create(_), Some(id)) = (seen.op.bare(), gave) {
        prop_assert_eq!(holder(id), None);
    }
    for note in &changes.notes.duplicate_ids {
        prop_assert_eq!(holder(note.generated.as_str()), None);
    }
    if let Op::Write(items) = seen.op.bare() {
        for (item, task) in items.iter().zip(&seen.after.tasks) {
            let blank = item.id.as_ref().is_none_or(|id| id.trim().is_empty());
            if let (true, Some(old)) = (blank, holder(&task.id)) {
                prop_assert_eq!(folded(task), folded(old), "{} went to other work", task.id);
            }
        }
    }
    Ok(())
}

fn json_brings_the_list_back(seen: &Seen) -> Result<(), TestCaseError> {
    let json = seen.list.to_json();
    let loaded = TaskList::from_json(&json);
    prop_assert_eq!(loaded.as_ref(), Ok(seen.list));
    let loaded = loaded?;
    prop_assert_eq!(loaded.to_json(), json);
    prop_assert_eq!(observe(&loaded), seen.after.clone());
    prop_assert_eq!(answers(&loaded), answers(seen.list));
    Ok(())
}

fn a_reloaded_list_behaves_the_same(seen: &Seen) -> Result<(), TestCaseError> {
    let mut loaded = TaskList::from_json(&seen.json)?;
    loaded.set_policy(seen.kept.policy());
    let answer = call(&mut loaded, seen.op);
    prop_assert_eq!(plain(&answer), plain(&seen.answer));
    prop_assert_eq!(&loaded, seen.list);
    prop_assert_eq!(loaded.to_json(), seen.list.to_json());
    prop_assert_eq!(answers(&loaded), answers(seen.list));
    Ok(())
}

fn a_clone_stays_as_it_was(seen: &Seen) -> Result<(), TestCaseError> {
    prop_assert_eq!(observe(&seen.kept), seen.before.clone());
    prop_assert_eq!(answers(&seen.kept), seen.before.answers());
    prop_assert_eq!(seen.kept.to_json(), seen.json.as_str());
    Ok(())
}

fn who_acts_leaves_the_work_of_others_alone(seen: &Seen) -> Result<(), TestCaseError> {
    let (Ok(_), Some(actor)) = (&seen.answer, seen.op.actor()) else {
        return Ok(());
    };
    for task in &seen.before.tasks {
        let theirs = task.owner.as_deref().is_some_and(|owner| owner != actor);
        if theirs && task.status != Status::Completed {
            prop_assert_eq!(seen.after.get(&task.id), Some(task));
            let blockers = |list: &List| {
                let mut edges = list.edges.clone();
                edges.retain(|(blocked, blocker)| {
                    *blocked == task.id && seen.after.get(blocker).is_some()
                });
                edges
            };
            prop_assert_eq!(blockers(&seen.before), blockers(&seen.after));
        }
    }
    Ok(())
}

/// A call may end with two in progress only where there were as many too many before it.
fn no_call_leaves_more_violations(seen: &Seen) -> Result<(), TestCaseError> {
    let surplus = |list: &TaskList| {
        let ids = list
            .violations()
            .into_iter()
            .map(|violation| match violation {
                real::policy::Violation::TooManyInProgress { ids, .. } => ids.len() - 1,
                _ => 0,
            });
        ids.sum::<usize>()
    };
    prop_assert!(surplus(seen.list) <= surplus(&seen.kept));
    Ok(())
}

macro_rules! named {
    ($($check:ident)*) => {
        &[$((stringify!($check), $check as Check)),*]
    };
}

const CHECKS: &[(&str, Check)] = named! {
    an_error_changes_nothing
    facts_lead_from_before_to_after
    facts_are_empty_exactly_when_nothing_changed
    writing_its_own_drafts_changes_nothing
    ids_are_there_once
    a_generated_id_is_new
    json_brings_the_list_back
    a_reloaded_list_behaves_the_same
    a_clone_stays_as_it_was
    who_acts_leaves_the_work_of_others_alone
    no_call_leaves_more_violations
};

fn hold_throughout(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut list = TaskList::new();
    for step in steps {
        let before = observe(&list);
        match step.resolve(&before) {
            Step::Cap(retired, files) => set_caps(&mut list, retired, files),
            Step::Reload(statuses) => list = reload(&list, &statuses),
            Step::Policy(policy) => list.set_policy(policy.with_limits(list.policy().limits)),
            Step::Call(op) => {
                let kept = list.clone();
                let json = list.to_json();
                let answer = call(&mut list, &op);
                let seen = Seen {
                    op: &op,
                    kept,
                    json,
                    before,
                    list: &list,
                    after: observe(&list),
                    answer,
                };
                for (name, check) in CHECKS {
                    check(&seen)
                        .map_err(|e| TestCaseError::fail(format!("{name}: {op:?}: {e}")))?;
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_list_does_what_the_model_does(steps in steps()) {
        agree_throughout(&steps)?;
    }

    #[test]
    fn the_list_keeps_its_promises(steps in steps()) {
        hold_throughout(&steps)?;
    }
}

//! The work that is measured, and what it is measured against.

mod subjects;

use agent_tasklist::tools::Toolset;
use agent_tasklist::{Activation, Status, TaskDraft, TaskList, TaskPatch};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use subjects::{EQUAL, NON_LATIN, Subject};

pub(crate) use subjects::DISTINCT;

/// An operation at a size, and what it is held against.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    /// Nanoseconds.
    pub(crate) ours: fn(usize) -> f64,
    pub(crate) floor: fn(usize) -> f64,
    pub(crate) target: Target,
}

pub(crate) enum Target {
    /// Ours is at most so many times the floor.
    Ratio(f64),
    /// Ours takes at most so long.
    Nanoseconds(f64),
}

/// All that is measured.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name, sizes: &[usize], ours, floor, target: fn(usize) -> Target| {
        for &size in sizes {
            cases.push(Case {
                name,
                size,
                ours,
                floor,
                target: target(size),
            });
        }
    };
    add("load", &[100, 1_000, 10_000], load, owned_parse, |size| {
        Target::Ratio(if size > 1_000 { 2.5 } else { 1.6 })
    });
    add(
        "load, growth from a tenth",
        &[10_000],
        load,
        |size| load(size / 10),
        |_| Target::Ratio(15.0),
    );
    add(
        "write with ids",
        &[10, 100, 1_000, 10_000],
        |n| write(n, true),
        |n| write_floor(n, true),
        |_| Target::Ratio(2.0),
    );
    add(
        "write without ids",
        &[10, 100, 1_000, 10_000],
        |n| write(n, false),
        |n| write_floor(n, false),
        |_| Target::Ratio(2.0),
    );
    add(
        "write without ids, growth from a tenth",
        &[10_000],
        |n| write(n, false),
        |n| write(n / 10, false),
        |_| Target::Ratio(15.0),
    );
    add("update", &[100, 10_000, 100_000], update, look_up, |_| {
        Target::Ratio(10.0)
    });
    add(
        "update of 60 KB texts",
        &[1_000],
        update_long,
        look_up,
        |_| Target::Ratio(10.0),
    );
    add(
        "complete",
        &[100, 10_000, 100_000],
        complete,
        look_up,
        |_| Target::Ratio(10.0),
    );
    add("create", &[100, 10_000, 100_000], create, look_up, |_| {
        Target::Ratio(10.0)
    });
    add(
        "edge without search",
        &[100, 10_000, 100_000],
        edge,
        look_up,
        |_| Target::Ratio(20.0),
    );
    add("delete", &[10_000], delete, bare_write, |_| {
        Target::Ratio(0.1)
    });
    add(
        "creates, distinct",
        &[10_000],
        |n| creates(n, DISTINCT),
        |n| bare_write_of(n, DISTINCT),
        |_| Target::Ratio(5.0),
    );
    add(
        "creates, equal",
        &[10_000],
        |n| creates(n, EQUAL),
        |n| bare_write_of(n, EQUAL),
        |_| Target::Ratio(5.0),
    );
    add(
        "creates, non-Latin",
        &[10_000],
        |n| creates(n, NON_LATIN),
        |n| bare_write_of(n, NON_LATIN),
        |_| Target::Ratio(5.0),
    );
    add("clone", &[10, 100_000], clone, look_up, |_| {
        Target::Nanoseconds(60.0)
    });
    add(
        "check, growth from 10 tasks",
        &[100_000],
        check,
        |_| check(10),
        |_| Target::Ratio(2.0),
    );
    add(
        "ready, growth from 10 tasks",
        &[100_000],
        ready,
        |_| ready(10),
        |_| Target::Ratio(2.0),
    );
    add("save", &[100, 1_000, 10_000], save, derived_save, |_| {
        Target::Ratio(1.2)
    });
    add(
        "activation, warm",
        &[1, 10, 100],
        activation,
        glob_set,
        |_| Target::Ratio(1.5),
    );
    cases
}

/// The best time of a run, in nanoseconds: of as many as fit in a fifth of a second, at least three.
pub(crate) fn best<T>(mut run: impl FnMut() -> T) -> f64 {
    best_of(|| {
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        drop(result);
        time
    })
}

/// The best of what `run` says it took.
fn best_of(mut run: impl FnMut() -> Duration) -> f64 {
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 3 || start.elapsed() < Duration::from_millis(200) {
        best = best.min(run());
        runs += 1;
    }
    best.as_nanos() as f64
}

/// The time of one of many short runs.
fn each(count: usize, mut run: impl FnMut(usize)) -> f64 {
    best(|| (0..count).for_each(&mut run)) / count as f64
}

// What the lists are.

/// A random order of `count` places, the same in every run.
pub(crate) fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for i in (1..count).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        order.swap(i, (random % (i as u64 + 1)) as usize);
    }
    order
}

/// Tasks with texts, each waiting for up to two before it: the first tenth done, one in progress.
pub(crate) fn drafts(count: usize) -> impl Iterator<Item = TaskDraft> {
    (0..count).map(move |n| {
        let status = match n {
            n if n < count / 10 => Status::Completed,
            n if n == count / 10 => Status::InProgress,
            _ => Status::Pending,
        };
        TaskDraft::new(DISTINCT(n))
            .id(format!("step-{n}"))
            .status(status)
            .active_form(format!("Implementing step number {n} of the plan"))
            .description("What it is for, and how one sees that it is done.")
            .blocked_by(blockers(n, count).map(|n| format!("step-{n}")))
    })
}

fn blockers(n: usize, count: usize) -> impl Iterator<Item = usize> {
    let far = (n > count / 10).then_some(n / 2).filter(|&far| far + 1 < n);
    let near = (n > count / 10 + 1).then(|| n - 1);
    near.filter(|_| n.is_multiple_of(3))
        .into_iter()
        .chain(far.filter(|_| n.is_multiple_of(2)))
}

pub(crate) fn list(count: usize) -> TaskList {
    let mut list = TaskList::new();
    list.write(drafts(count)).expect("a list");
    list
}

// Load and save.

#[derive(Deserialize, Serialize)]
#[allow(dead_code)]
pub(crate) struct OwnedList {
    version: u64,
    tasks: Vec<OwnedTask>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retired: Vec<OwnedTask>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<Value>,
}

#[derive(Deserialize, Serialize)]
#[allow(dead_code)]
struct OwnedTask {
    id: String,
    subject: String,
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    active_form: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    activation: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    started: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
}

fn load(count: usize) -> f64 {
    let json = list(count).to_json();
    best(|| TaskList::from_json(black_box(&json)).expect("a list"))
}

fn owned_parse(count: usize) -> f64 {
    let json = list(count).to_json();
    best(|| serde_json::from_str::<OwnedList>(black_box(&json)).expect("a list"))
}

fn save(count: usize) -> f64 {
    let list = list(count);
    best(|| black_box(&list).to_json())
}

fn derived_save(count: usize) -> f64 {
    let owned: OwnedList = serde_json::from_str(&list(count).to_json()).expect("a list");
    best(|| serde_json::to_vec(black_box(&owned)).expect("JSON"))
}

// Writes.

/// The arguments of a write as JSON text, and the list that it is a restatement of.
pub(crate) fn written(count: usize, with_ids: bool) -> (String, TaskList) {
    let mut tasks: Vec<Value> = (drafts(count).enumerate())
        .map(|(n, _)| {
            json!({
                "id": format!("step-{n}"),
                "content": DISTINCT(n),
                "status": "pending",
                "activeForm": format!("Implementing step number {n} of the plan"),
            })
        })
        .collect();
    let tools = Toolset::mastra();
    let mut list = TaskList::new();
    let reply = tools.call(&mut list, "task_write", json!({"tasks": tasks}));
    assert!(!reply.is_error(), "{}", reply.text);
    for task in tasks.iter_mut().filter(|_| !with_ids) {
        task.as_object_mut().expect("a task").remove("id");
    }
    (json!({"tasks": tasks}).to_string(), list)
}

/// JSON text in, reply out: its text, and its data as text.
fn write(count: usize, with_ids: bool) -> f64 {
    let (input, mut list) = written(count, with_ids);
    let tools = Toolset::mastra();
    best(|| call(&tools, &mut list, black_box(&input)))
}

pub(crate) fn call(tools: &Toolset, list: &mut TaskList, input: &str) -> (String, String) {
    let args: Value = serde_json::from_str(input).expect("JSON");
    let reply = tools.call(list, "task_write", &args);
    assert!(!reply.is_error());
    (
        serde_json::to_string(&reply.data).expect("JSON"),
        reply.text,
    )
}

fn write_floor(count: usize, with_ids: bool) -> f64 {
    let (input, mut list) = written(count, with_ids);
    let (data, _) = call(&Toolset::mastra(), &mut list, &input);
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    best(|| (parse(black_box(&input)), parse(black_box(&data))))
}

fn bare_write(count: usize) -> f64 {
    let drafts: Vec<TaskDraft> = drafts(count).collect();
    let mut list = list(count);
    best(|| list.write(drafts.clone()).expect("a list"))
}

fn bare_write_of(count: usize, subject: Subject) -> f64 {
    best_of(|| {
        let drafts: Vec<TaskDraft> = (0..count).map(|n| TaskDraft::new(subject(n))).collect();
        let mut list = TaskList::new();
        let start = Instant::now();
        list.write(drafts).expect("a list");
        start.elapsed()
    })
}

fn creates(count: usize, subject: Subject) -> f64 {
    best_of(|| {
        let drafts: Vec<TaskDraft> = (0..count).map(|n| TaskDraft::new(subject(n))).collect();
        let mut list = TaskList::new();
        let start = Instant::now();
        for draft in drafts {
            list.create(draft).expect("a task");
        }
        start.elapsed()
    })
}

// Cycles.

/// Edges from each of `count` tasks to one or two later ones, in an order of the tasks that is that of the edges or
/// a random one.
pub(crate) fn edges(count: usize, shuffle: bool) -> Vec<(usize, usize)> {
    let place = match shuffle {
        true => shuffled(count),
        false => (0..count).collect(),
    };
    let edge = |n: usize| blockers(n, 10).map(move |blocker| (blocker, n));
    let edges = (0..count).flat_map(edge);
    edges.map(|(from, to)| (place[from], place[to])).collect()
}

pub(crate) fn graph_list(count: usize, shuffle: bool) -> String {
    let mut blocked_by = vec![Vec::new(); count];
    for (from, to) in edges(count, shuffle) {
        blocked_by[to].push(format!("t{from}"));
    }
    let task = |(n, blocked_by): (usize, &Vec<String>)| json!({"id": format!("t{n}"), "subject": "T", "status": "pending", "blocked_by": blocked_by});
    let tasks: Vec<Value> = blocked_by.iter().enumerate().map(task).collect();
    json!({"version": 1, "tasks": tasks}).to_string()
}

// Single edits, beside one look-up by id.

const EDITS: usize = 1_000;

pub(crate) fn flat(count: usize) -> TaskList {
    let mut list = TaskList::new();
    let drafts = (0..count).map(|n| TaskDraft::new(DISTINCT(n)).id(format!("step-{n}")));
    list.write(drafts).expect("a list");
    list
}

fn ids(count: usize) -> Vec<String> {
    let order = shuffled(count);
    (0..EDITS)
        .map(|n| format!("step-{}", order[n % count]))
        .collect()
}

fn look_up(count: usize) -> f64 {
    let map: IndexMap<String, Arc<str>> = (0..count)
        .map(|n| (format!("step-{n}"), DISTINCT(n).into()))
        .collect();
    let ids = ids(count);
    each(EDITS, |n| drop(black_box(map.get(&ids[n]).cloned())))
}

fn update(count: usize) -> f64 {
    let mut list = flat(count);
    let ids = ids(count);
    let mut turn = 0_usize;
    best(|| {
        turn += 1;
        let owner = if turn.is_multiple_of(2) { "jo" } else { "al" };
        for id in &ids {
            let patch = TaskPatch::new().owner(owner);
            black_box(list.update(id, patch).expect("a task"));
        }
    }) / EDITS as f64
}

fn update_long(count: usize) -> f64 {
    let mut list = TaskList::new();
    let long = "x".repeat(60_000);
    let drafts = (0..count).map(|n| TaskDraft::new(&*long).id(format!("step-{n}")));
    list.write(drafts).expect("a list");
    let ids = ids(count);
    let mut turn = 0_usize;
    best(|| {
        turn += 1;
        let owner = if turn.is_multiple_of(2) { "jo" } else { "al" };
        for id in &ids {
            let patch = TaskPatch::new().owner(owner);
            black_box(list.update(id, patch).expect("a task"));
        }
    }) / EDITS as f64
}

/// Completes in one round, and reopens in the next.
fn complete(count: usize) -> f64 {
    let mut list = flat(count);
    let mut ids = ids(count);
    ids.sort_unstable();
    ids.dedup();
    let mut round = 0_usize;
    best(|| {
        round += 1;
        for id in &ids {
            let status = if round.is_multiple_of(2) {
                Status::Pending
            } else {
                Status::Completed
            };
            black_box(
                list.update(id, TaskPatch::new().status(status))
                    .expect("a task"),
            );
        }
    }) / ids.len() as f64
}

fn create(count: usize) -> f64 {
    let before = count.saturating_sub(EDITS);
    best_of(|| {
        let mut list = flat(before);
        let drafts: Vec<TaskDraft> = (0..EDITS)
            .map(|n| TaskDraft::new(DISTINCT(n)).id(format!("new-{n}")))
            .collect();
        let start = Instant::now();
        for draft in drafts {
            black_box(list.create(draft).expect("a task"));
        }
        start.elapsed()
    }) / EDITS as f64
}

fn edge(count: usize) -> f64 {
    let half = count / 2;
    let edits: Vec<(String, String)> = (0..EDITS)
        .map(|n| {
            (
                format!("step-{}", n % half),
                format!("step-{}", half + n % half),
            )
        })
        .collect();
    let mut is_there = false;
    let mut list = flat(count);
    best(|| {
        is_there = !is_there;
        for (blocker, blocked) in &edits {
            let patch = match is_there {
                true => TaskPatch::new().add_blocked_by([blocker]),
                false => TaskPatch::new().remove_blocked_by([blocker]),
            };
            black_box(list.update(blocked, patch).expect("a task"));
        }
    }) / EDITS as f64
}

fn delete(count: usize) -> f64 {
    best_of(|| {
        let mut list = list(count);
        let id = format!("step-{}", count / 2);
        let start = Instant::now();
        black_box(list.delete(&id).expect("a task"));
        start.elapsed()
    })
}

fn clone(count: usize) -> f64 {
    let list = list(count);
    each(EDITS, |_| drop(black_box(black_box(&list).clone())))
}

fn check(count: usize) -> f64 {
    let list = flat(count);
    each(EDITS, |_| {
        _ = black_box((list.summary(), list.can_finish()))
    })
}

/// One ready task among many that wait for it.
fn ready(count: usize) -> f64 {
    let mut list = TaskList::new();
    let first = TaskDraft::new("First").id("first");
    let others = (1..count).map(|n| TaskDraft::new(DISTINCT(n)).blocked_by(["first"]));
    list.write(std::iter::once(first).chain(others))
        .expect("a list");
    each(EDITS, |_| _ = black_box(list.ready().count()))
}

// Activations.

const PATHS: usize = 1_000;

pub(crate) fn patterns(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| match n % 4 {
            0 => format!("src/module{n}/**"),
            1 => format!("*.ext{n}"),
            2 => format!("docs/**/page{n}.md"),
            _ => format!("tests/*/case_{n}_*.rs"),
        })
        .collect()
}

pub(crate) fn paths(turn: usize) -> Vec<String> {
    (0..PATHS)
        .map(|n| format!("crates/part{}/src/deep/file{turn}_{n}.rs", n % 50))
        .collect()
}

/// What `count` patterns add to a push of new paths, none of which wakes anything, once they are compiled.
fn activation(count: usize) -> f64 {
    (push(count) - push(0)).max(0.0)
}

fn push(patterns_count: usize) -> f64 {
    let mut list = TaskList::new();
    let drafts = patterns(patterns_count).into_iter().map(|pattern| {
        TaskDraft::new("T").activation(Activation::files_modified([pattern]).expect("a pattern"))
    });
    list.write(drafts).expect("a list");
    list.files_modified(["nothing"]).expect("evidence");
    let list = list;
    let paths = paths(0);
    best_of(|| {
        let mut list = list.clone();
        let start = Instant::now();
        black_box(list.files_modified(&paths).expect("evidence"));
        start.elapsed()
    })
}

pub(crate) fn set(count: usize) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns(count) {
        let globs = match pattern.contains('/') {
            true => vec![pattern],
            // The name of a file, and that of a folder.
            false => vec![format!("**/{pattern}"), format!("**/{pattern}/**")],
        };
        for glob in globs {
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(glob.expect("a pattern"));
        }
    }
    set.build().expect("patterns")
}

fn glob_set(count: usize) -> f64 {
    let set = set(count);
    let paths = paths(0);
    best(|| {
        paths
            .iter()
            .filter(|path| set.is_match(black_box(path)))
            .count()
    })
}

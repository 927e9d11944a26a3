//! Each operation at sizes from 10 to 100,000 tasks, beside its floor in the same group.
//!
//! ```text
//! cargo bench --bench operations            # all, in some minutes
//! cargo bench --bench operations -- load    # those whose names have it
//! cargo bench --bench operations -- --test  # each once
//! ```
//!
//! *Ordered* lists have each task after those it waits for; *shuffled* ones are in a random order.

#[expect(dead_code, reason = "other benches use the rest")]
#[path = "support/work.rs"]
mod work;

use agent_tasklist::policy::InProgress;
use agent_tasklist::render::{Projector, markdown, mermaid, reminder};
use agent_tasklist::tools::Toolset;
use agent_tasklist::{Activation, Policy, TaskDraft, TaskList, TaskPatch};
use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode};
use indexmap::IndexMap;
use petgraph::graph::DiGraph;
use serde_json::Value;
use std::cell::LazyCell;
use std::fmt::Display;
use std::hint::black_box;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};
use work::{DISTINCT, OwnedList};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
const ORDERS: [(&str, bool); 2] = [("ordered", false), ("shuffled", true)];

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .configure_from_args();
    let operations: [fn(&mut Criterion); 13] = [
        load,
        write,
        create,
        update,
        claim,
        clone,
        ready,
        check,
        explain,
        save,
        cycle_check,
        activation,
        rendering,
    ];
    operations
        .iter()
        .for_each(|measure| measure(&mut criterion));
    criterion.final_summary();
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> Group<'a> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    group
}

/// Measures what makes a value, but not what drops it, nor what is made once for the first run.
fn each<T>(group: &mut Group<'_>, name: &str, size: impl Display, mut make: impl FnMut() -> T) {
    let mut ran = false;
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        if !std::mem::replace(&mut ran, true) {
            drop(make());
        }
        bencher.iter_with_large_drop(&mut make);
    });
}

/// Measures what is done to fresh lists: always `count` times to each, so that what only the first edit of a list
/// costs is shared by as many.
fn on_fresh<L>(
    group: &mut Group<'_>,
    name: &str,
    size: impl Display,
    count: usize,
    fresh: impl Fn() -> L,
    mut edit: impl FnMut(&mut L, usize),
) {
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        bencher.iter_custom(|times| {
            let lists = times.div_ceil(count as u64);
            let mut time = Duration::ZERO;
            for _ in 0..lists {
                let mut list = fresh();
                let start = Instant::now();
                (0..count).for_each(|n| edit(&mut list, n));
                time += start.elapsed();
            }
            time.mul_f64(times as f64 / (lists * count as u64) as f64)
        });
    });
}

/// One look-up by id, of ids in a random order.
fn look_up(group: &mut Group<'_>, size: usize) {
    look_ups(group, "floor: look-up", size, 1);
}

fn look_ups(group: &mut Group<'_>, name: &str, size: usize, count: usize) {
    let map = LazyCell::new(|| -> IndexMap<String, Arc<str>> {
        let entry = |n| (format!("step-{n}"), DISTINCT(n).into());
        (0..size).map(entry).collect()
    });
    let ids = ids(size);
    let mut turn = 0;
    each(group, name, size, || {
        for _ in 0..count {
            turn += 1;
            black_box(map.get(&ids[turn % size]).cloned());
        }
    });
}

fn ids(size: usize) -> Vec<String> {
    let order = work::shuffled(size).into_iter();
    order.map(|n| format!("step-{n}")).collect()
}

fn list(size: usize, shuffle: bool) -> TaskList {
    let mut drafts: Vec<TaskDraft> = work::drafts(size).collect();
    if shuffle {
        let mut places = work::shuffled(size).into_iter();
        drafts.sort_by_cached_key(|_| places.next());
    }
    let mut list = TaskList::new();
    list.write(drafts).expect("a list");
    list
}

fn load(criterion: &mut Criterion) {
    let group = &mut group(criterion, "load");
    for size in SIZES {
        for (order, shuffle) in ORDERS {
            let json = LazyCell::new(|| list(size, shuffle).to_json());
            each(group, order, size, || {
                TaskList::from_json(black_box(&json)).expect("a list")
            });
            each(group, &format!("{order}, floor: owned"), size, || {
                serde_json::from_str::<OwnedList>(black_box(&json)).expect("a list")
            });
            each(group, &format!("{order}, floor: Value"), size, || {
                serde_json::from_str::<Value>(black_box(&json)).expect("JSON")
            });
        }
    }
}

/// JSON text in, reply out: its text, and its data as text. *Shuffled* ones have another order than the list.
fn write(criterion: &mut Criterion) {
    let group = &mut group(criterion, "write");
    let tools = Toolset::mastra();
    for size in SIZES {
        for (ids, with_ids) in [("with ids", true), ("without ids", false)] {
            for (order, shuffle) in ORDERS {
                // Turn by turn the one order and the other, so that each write moves the tasks of a shuffled one.
                let texts = LazyCell::new(|| {
                    let (text, _) = work::written(size, with_ids);
                    let mut other: Value = serde_json::from_str(&text).expect("JSON");
                    if let Some(tasks) = other["tasks"].as_array_mut().filter(|_| shuffle) {
                        let mut places = work::shuffled(size).into_iter();
                        tasks.sort_by_cached_key(|_| places.next());
                    }
                    [text, other.to_string()]
                });
                let name = format!("{ids}, {order}");
                let mut turn = 0;
                let mut mine = LazyCell::new(|| work::written(size, with_ids).1);
                each(group, &name, size, || {
                    turn += 1;
                    work::call(&tools, &mut mine, black_box(&texts[turn % 2]))
                });
                let reply = LazyCell::new(|| {
                    let (text, mut list) = work::written(size, with_ids);
                    work::call(&tools, &mut list, &text).0
                });
                let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
                each(group, &format!("{name}, floor: Value"), size, || {
                    (parse(black_box(&texts[1])), parse(black_box(&reply)))
                });
            }
        }
    }
}

/// The last tenth of the list.
fn create(criterion: &mut Criterion) {
    let group = &mut group(criterion, "create");
    for size in SIZES {
        for (name, with_ids) in [("with ids", true), ("without ids", false)] {
            let count = size / 10;
            let fresh = || {
                let draft = |n| match with_ids {
                    true => TaskDraft::new(DISTINCT(n)).id(format!("step-{n}")),
                    false => TaskDraft::new(DISTINCT(n)),
                };
                let drafts: Vec<TaskDraft> = (size - count..size).map(draft).collect();
                (work::flat(size - count), drafts.into_iter())
            };
            on_fresh(group, name, size, count, fresh, |(list, drafts), _| {
                black_box(
                    list.create(drafts.next().expect("a draft"))
                        .expect("a task"),
                );
            });
        }
        look_up(group, size);
    }
}

fn update(criterion: &mut Criterion) {
    let group = &mut group(criterion, "update");
    for size in SIZES {
        let ids = ids(size);
        let mut list = LazyCell::new(|| work::flat(size));
        let mut turn = 0;
        each(group, "owner", size, || {
            turn += 1;
            let owner = if turn / size % 2 == 0 { "jo" } else { "al" };
            let patch = TaskPatch::new().owner(owner);
            list.update(&ids[turn % size], patch).expect("a task")
        });
        each(group, "subject", size, || {
            turn += 1;
            let patch = TaskPatch::new().subject(DISTINCT(turn));
            list.update(&ids[turn % size], patch).expect("a task")
        });
        on_fresh(
            group,
            "complete",
            size,
            size,
            || work::flat(size),
            |list, n| {
                black_box(list.complete(&ids[n]).expect("a task"));
            },
        );
        // Each points forward, and goes again.
        let half = size / 2;
        each(group, "edge without search", size, || {
            turn += 1;
            let pair = turn / 2 % half;
            let (blocker, blocked) = (format!("step-{pair}"), format!("step-{}", half + pair));
            let patch = match turn % 2 {
                0 => TaskPatch::new().add_blocked_by([blocker]),
                _ => TaskPatch::new().remove_blocked_by([blocker]),
            };
            list.update(blocked, patch).expect("a task")
        });
        look_up(group, size);
    }
}

/// Each agent claims one task, of a list that is ready as a whole.
fn claim(criterion: &mut Criterion) {
    let group = &mut group(criterion, "claim");
    let mut policy = Policy::default();
    policy.in_progress = InProgress::PerOwner;
    for size in SIZES {
        let fresh = || {
            let mut list = work::flat(size);
            list.set_policy(policy);
            list
        };
        on_fresh(group, "one agent", size, 1, fresh, |list, _| {
            black_box(list.claim("jo").expect("a task"));
        });
        let agents: Vec<String> = (0..10).map(|n| format!("agent-{n}")).collect();
        on_fresh(group, "each of 10 agents", size, 10, fresh, |list, n| {
            black_box(list.claim(&agents[n]).expect("a task"));
        });
        look_up(group, size);
    }
}

fn clone(criterion: &mut Criterion) {
    let group = &mut group(criterion, "clone");
    for size in SIZES {
        let list = LazyCell::new(|| list(size, false));
        each(group, "clone", size, || black_box(&*list).clone());
        each(group, "clone and first update", size, || {
            let mut copy = list.clone();
            touch(&mut copy);
            copy
        });
        look_up(group, size);
    }
}

fn touch(list: &mut TaskList) {
    let patch = TaskPatch::new().owner("jo");
    black_box(list.update("step-1", patch).expect("a task"));
}

fn ready(criterion: &mut Criterion) {
    let group = &mut group(criterion, "ready");
    for size in SIZES {
        let one = LazyCell::new(|| {
            let first = TaskDraft::new("First").id("first");
            let others = (1..size).map(|n| TaskDraft::new(DISTINCT(n)).blocked_by(["first"]));
            let mut list = TaskList::new();
            list.write(std::iter::once(first).chain(others))
                .expect("a list");
            list
        });
        each(group, "one", size, || black_box(&*one).ready().count());
        look_up(group, size);
        let all = LazyCell::new(|| work::flat(size));
        each(group, "all", size, || {
            for task in black_box(&*all).ready() {
                black_box(task);
            }
        });
        look_ups(group, "floor: all look-ups", size, size);
    }
}

fn check(criterion: &mut Criterion) {
    let group = &mut group(criterion, "check");
    for size in SIZES {
        let list = LazyCell::new(|| list(size, false));
        each(group, "summary and can_finish", size, || {
            let list = black_box(&*list);
            (list.summary(), list.can_finish())
        });
        look_up(group, size);
    }
}

fn explain(criterion: &mut Criterion) {
    let group = &mut group(criterion, "explain");
    for size in SIZES {
        let ids = ids(size);
        for (order, shuffle) in ORDERS {
            let list = LazyCell::new(|| list(size, shuffle));
            let mut turn = 0;
            each(group, order, size, || {
                turn += 1;
                list.explain(&ids[turn % size]).expect("a task")
            });
        }
        look_up(group, size);
    }
}

fn save(criterion: &mut Criterion) {
    let group = &mut group(criterion, "save");
    for size in SIZES {
        for (order, shuffle) in ORDERS {
            let list = LazyCell::new(|| list(size, shuffle));
            each(group, order, size, || black_box(&*list).to_json());
            derived_save(group, &format!("{order}, floor: to_vec"), size, &list);
        }
    }
}

fn derived_save(
    group: &mut Group<'_>,
    name: &str,
    size: usize,
    list: &impl Deref<Target = TaskList>,
) {
    let owned =
        LazyCell::new(|| -> OwnedList { serde_json::from_str(&list.to_json()).expect("a list") });
    each(group, name, size, || {
        serde_json::to_vec(black_box(&*owned)).expect("JSON")
    });
}

/// What a check costs a whole list is what the load of a shuffled one takes longer, for one whose edges all point
/// forward needs none.
fn cycle_check(criterion: &mut Criterion) {
    let group = &mut group(criterion, "cycle check");
    for size in SIZES {
        for (order, shuffle) in ORDERS {
            let json = LazyCell::new(|| work::graph_list(size, shuffle));
            each(group, &format!("load, {order}"), size, || {
                TaskList::from_json(black_box(&json)).expect("a list")
            });
            let graph = LazyCell::new(|| graph(size, shuffle));
            each(group, &format!("{order}, floor: toposort"), size, || {
                petgraph::algo::toposort(black_box(&*graph), None).expect("no cycle")
            });
        }
        // Each may close a cycle, for the list is shuffled, and goes again.
        let mut list = LazyCell::new(|| list(size, true));
        let mut turn = 0;
        each(group, "one edge with search", size, || {
            turn += 1;
            let blocked = format!("step-{}", size / 2 + turn / 2 % (size / 2));
            let patch = match turn % 2 {
                0 => TaskPatch::new().add_blocked_by(["step-0"]),
                _ => TaskPatch::new().remove_blocked_by(["step-0"]),
            };
            list.update(blocked, patch).expect("a task")
        });
    }
}

fn graph(size: usize, shuffle: bool) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    let nodes: Vec<_> = (0..size).map(|_| graph.add_node(())).collect();
    for (from, to) in work::edges(size, shuffle) {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    graph
}

/// New paths that wake nothing: on a list that was just loaded, and on one whose patterns are compiled.
fn activation(criterion: &mut Criterion) {
    let group = &mut group(criterion, "activation");
    for patterns in [1, 10, 100, 1_000] {
        let json = LazyCell::new(|| dormant(patterns).to_json());
        let set = LazyCell::new(|| work::set(patterns));
        for count in [1, 100, 1_000] {
            let paths = &work::paths(0)[..count];
            let size = format!("{patterns} patterns × {count} paths");
            group.bench_function(BenchmarkId::new("cold", &size), |bencher| {
                bencher.iter_batched_ref(
                    || TaskList::from_json(&json).expect("a list"),
                    |list| list.files_modified(paths).expect("evidence"),
                    BatchSize::LargeInput,
                );
            });
            each(group, "cold, floor: GlobSet", &size, || {
                let set = work::set(patterns);
                paths.iter().filter(|path| set.is_match(path)).count()
            });
            let warm = || {
                let mut list = TaskList::from_json(&json).expect("a list");
                list.files_modified(["nothing"]).expect("evidence");
                list
            };
            group.bench_function(BenchmarkId::new("warm", &size), |bencher| {
                let mut list = warm();
                bencher.iter_custom(|count| {
                    let mut time = Duration::ZERO;
                    for run in 0..count {
                        list.begin_run(format!("run-{run}")).expect("a run");
                        let start = Instant::now();
                        black_box(list.files_modified(black_box(paths)).expect("evidence"));
                        time += start.elapsed();
                    }
                    time
                });
            });
            each(group, "warm, floor: GlobSet", &size, || {
                let set = black_box(&*set);
                paths.iter().filter(|path| set.is_match(path)).count()
            });
        }
    }
}

fn dormant(patterns: usize) -> TaskList {
    let draft = |pattern| {
        TaskDraft::new("T").activation(Activation::files_modified([pattern]).expect("a pattern"))
    };
    let mut list = TaskList::new();
    list.write(work::patterns(patterns).into_iter().map(draft))
        .expect("a list");
    list
}

fn rendering(criterion: &mut Criterion) {
    let group = &mut group(criterion, "rendering");
    for size in SIZES {
        let before = LazyCell::new(|| list(size, false));
        each(group, "snapshot", size, || {
            Projector::new().next(&before, false)
        });
        let after = LazyCell::new(|| {
            let mut after = before.clone();
            touch(&mut after);
            after
        });
        let shown = LazyCell::new(|| {
            let mut shown = Projector::new();
            shown.next(&before, false);
            shown
        });
        group.bench_function(BenchmarkId::new("delta", size), |bencher| {
            let (shown, after) = (&*shown, &*after);
            bencher.iter_batched_ref(
                || shown.clone(),
                |projector| projector.next(after, true),
                BatchSize::LargeInput,
            );
        });
        each(group, "reminder", size, || reminder(&before, 3, None));
        each(group, "reminder in 2,000 characters", size, || {
            reminder(&before, 3, Some(2_000))
        });
        each(group, "markdown", size, || markdown(&before, None));
        each(group, "mermaid", size, || mermaid(&before, None));
        derived_save(group, "floor: to_vec", size, &before);
    }
}

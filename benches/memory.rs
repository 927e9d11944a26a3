//! What each operation allocates, beside the owned parse of the same list.
//!
//! ```text
//! cargo bench --bench memory
//! ```
//!
//! An allocation that grows counts as a new one beside the old one, so peaks are upper bounds.

#[expect(dead_code, reason = "other benches use the rest")]
#[path = "support/work.rs"]
mod work;

use agent_tasklist::store::{ListKey, MemoryStore, block_on};
use agent_tasklist::tools::Toolset;
use agent_tasklist::{Policy, TaskList, TaskPatch};
use allocation_counter::AllocationInfo;
use serde_json::Value;
use std::hint::black_box;
use std::time::{Duration, Instant};
use work::OwnedList;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    println!(
        "| operation | tasks | allocations | per task | peak bytes | per task | kept per task | peak ÷ owned parse |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for size in SIZES {
        rows(size);
    }
    println!("\n| 100,000 tasks | time | peak |");
    println!("| --- | ---: | ---: |");
    large();
}

fn rows(size: usize) {
    let json = work::list(size).to_json();
    let owned = measure(|| serde_json::from_str::<OwnedList>(&json).expect("a list"));
    let row = |name, info: AllocationInfo| {
        let each = |figure: f64| figure / size as f64;
        println!(
            "| {name} | {size} | {} | {:.2} | {} | {:.0} | {:.0} | {:.2} |",
            info.count_total,
            each(info.count_total as f64),
            info.bytes_max,
            each(info.bytes_max as f64),
            each(info.bytes_current as f64),
            info.bytes_max as f64 / owned.bytes_max as f64,
        );
    };
    row("owned parse", owned);
    row(
        "load",
        measure(|| TaskList::from_json(&json).expect("a list")),
    );

    row("drafts", measure(|| work::drafts(size).collect::<Vec<_>>()));
    row("drafts, and their write", measure(|| work::list(size)));
    for (name, with_ids) in [("tools, with ids", true), ("tools, without ids", false)] {
        let (input, mut list) = work::written(size, with_ids);
        let tools = Toolset::mastra();
        row(name, measure(|| work::call(&tools, &mut list, &input)));
        let (reply, _) = work::call(&tools, &mut list, &input);
        let parse = |text| serde_json::from_str::<Value>(text).expect("JSON");
        row(
            "floor: input and reply as Values",
            measure(|| (parse(&input), parse(&reply))),
        );
    }
    row(
        "drafts, and a create of each",
        measure(|| {
            let mut list = TaskList::new();
            for draft in work::drafts(size) {
                list.create(draft).expect("a task");
            }
            list
        }),
    );

    let mut list = TaskList::from_json(&json).expect("a list");
    let id = format!("step-{}", size / 2);
    row(
        "one update",
        measure(|| list.update(&id, TaskPatch::new().owner("jo"))),
    );
    row(
        "clone, then one update",
        measure(|| {
            let mut copy = list.clone();
            copy.update(&id, TaskPatch::new().owner("al"))
                .expect("a task");
            copy
        }),
    );
    row("save", measure(|| list.to_json()));
    let owned: OwnedList = serde_json::from_str(&json).expect("a list");
    row(
        "floor: derived to_vec",
        measure(|| serde_json::to_vec(&owned).expect("JSON")),
    );
}

/// What making a value allocates; what is kept is the value.
fn measure<T>(make: impl FnOnce() -> T) -> AllocationInfo {
    let mut made = None;
    let info = allocation_counter::measure(|| made = Some(black_box(make())));
    drop(made);
    info
}

/// A list as large as any can be, through a store.
fn large() {
    const SIZE: usize = 100_000;
    let json = work::list(SIZE).to_json();
    let (store, key) = (MemoryStore::new(), ListKey::new("thread-1").expect("a key"));
    let policy = Policy::default();

    step("load", || TaskList::from_json(&json).expect("a list"));
    let list = TaskList::from_json(&json).expect("a list");
    block_on(agent_tasklist::store::update(
        &store,
        &key,
        &policy,
        |stored: &mut TaskList| stored.write(list.drafts()),
    ))
    .expect("a list");
    let mut turn = 0;
    step("one update through a `MemoryStore`", || {
        turn += 1;
        let owner = format!("agent {turn}");
        let edit = |list: &mut TaskList| list.update("step-50000", TaskPatch::new().owner(&*owner));
        block_on(agent_tasklist::store::update(&store, &key, &policy, edit)).expect("a task")
    });
    step("save", || list.to_json());
}

/// Prints the best time of some runs, and the peak of another.
fn step<T>(name: &str, mut run: impl FnMut() -> T) {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let made = black_box(run());
        best = best.min(start.elapsed());
        drop(made);
    }
    let peak = measure(run).bytes_max as f64 / f64::from(1 << 20);
    println!(
        "| {name} | {:.1} ms | {peak:.1} MB |",
        best.as_secs_f64() * 1e3
    );
}

//! One piece of work, for the script `benches/instructions` to count the instructions of.
//!
//! ```text
//! cargo bench --bench instructions -- load 1000
//! ```

#[expect(dead_code, reason = "other benches use the rest")]
#[path = "support/work.rs"]
mod work;

use agent_tasklist::TaskList;
use agent_tasklist::tools::Toolset;
use petgraph::data::Build;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::stable_graph::StableDiGraph;
use petgraph::visit::{IntoNeighborsDirected, IntoNodeIdentifiers, Visitable};
use serde_json::Value;
use std::hint::black_box;
use std::process::ExitCode;
use work::OwnedList;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let known = match &args[..] {
        [] => {
            println!("benches/instructions counts them");
            true
        }
        [name, size] => size.parse().is_ok_and(|size| run(name, size)),
        _ => false,
    };
    match known {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Runs the work of that name; `false` where there is none.
fn run(name: &str, size: usize) -> bool {
    match name {
        "load" => load(&work::list(size).to_json()),
        "load-floor" => {
            let json = work::list(size).to_json();
            count(|| serde_json::from_str::<OwnedList>(black_box(&json)).expect("a list"));
        }
        "write-with-ids" => write(size, true),
        "write-with-ids-floor" => write_floor(size, true),
        "write-without-ids" => write(size, false),
        "write-without-ids-floor" => write_floor(size, false),
        "load-shuffled" => load(&work::graph_list(size, true)),
        "toposort" => toposort(DiGraph::<(), ()>::new(), size),
        "toposort-stable" => toposort(StableDiGraph::<(), ()>::new(), size),
        _ => return false,
    }
    true
}

/// Counts what makes a value; not what drops it, nor what the allocator still has to do for what came before,
/// which a large allocation makes it do.
fn count<T>(mut make: impl FnMut() -> T) {
    drop(black_box(vec![0_u8; 100_000]));
    let mut made = None;
    count_this(&mut || made = Some(make()));
    black_box(made);
}

/// The script has callgrind count in here alone, by this name.
#[inline(never)]
fn count_this(work: &mut dyn FnMut()) {
    work();
    black_box(());
}

fn load(json: &str) {
    count(|| TaskList::from_json(black_box(json)).expect("a list"));
}

fn write(size: usize, with_ids: bool) {
    let (input, mut list) = work::written(size, with_ids);
    let tools = Toolset::mastra();
    count(|| work::call(&tools, &mut list, black_box(&input)));
}

fn write_floor(size: usize, with_ids: bool) {
    let (input, mut list) = work::written(size, with_ids);
    let (data, _) = work::call(&Toolset::mastra(), &mut list, &input);
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    count(|| (parse(black_box(&input)), parse(black_box(&data))));
}

fn toposort<G>(mut graph: G, size: usize)
where
    G: Build<NodeWeight = (), EdgeWeight = (), NodeId = NodeIndex>,
    for<'g> &'g G: IntoNeighborsDirected<NodeId = NodeIndex>
        + IntoNodeIdentifiers
        + Visitable<NodeId = NodeIndex>,
{
    let nodes: Vec<_> = (0..size).map(|_| graph.add_node(())).collect();
    for (from, to) in work::edges(size, true) {
        graph.update_edge(nodes[from], nodes[to], ());
    }
    count(|| petgraph::algo::toposort(black_box(&graph), None).expect("no cycle"));
}

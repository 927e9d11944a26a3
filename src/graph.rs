//! The tasks of a list in order, their dependencies and their states: the only room that knows petgraph.
//!
//! What may be done to it is decided above, in `list`. Files, from low to high: `buckets`, `state` (one function decides a
//! task's state), `dag` (the graph and its changes), `cycles`, `build` (a graph made as a whole).

mod buckets;
mod build;
mod cycles;
mod dag;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use buckets::Buckets;
pub(crate) use build::Builder;
pub(crate) use dag::{Before, End, Graph, Journal, Link, Slot, Slots};
pub use state::State;

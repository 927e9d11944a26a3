//! The list: what can be read of it, the calls that change it, and the door that they all go through.
//!
//! It knows nothing of tools, stores and renderings. Files, from low to high: `retired` and `ids` (what left, and which ids
//! are free), `value` (the list itself), `read`, `reconcile` (which task an item of a write stands for), then the door in
//! three rooms, `edit` with `write`, `settle` and `tell`, put together in `door`; and the calls, in `acting` and `calls`.

mod acting;
mod calls;
mod door;
mod edit;
mod ids;
mod read;
mod reconcile;
mod retired;
mod settle;
mod tell;
mod value;
mod write;

pub use acting::{Acting, Claimed, Created};
pub use read::{Explanation, Summary, Tasks};
pub(crate) use retired::Retired;
pub use retired::RetiredTask;
pub use value::TaskList;

//! The interfaces: one file each, a table of rows and the functions that show its replies.
//!
//! A file may use everything below `interfaces`, and of its siblings only `form`, which is what Mastra's set and
//! the full one have in common; the full set is Mastra's rows with more parameters. None knows `Toolset`.
//! Tested in `tests/conformance.rs`, `tests/owners.rs` and `tests/murmur.rs`.

mod form;
pub(super) mod full;
pub(super) mod mastra;
pub(super) mod murmur;

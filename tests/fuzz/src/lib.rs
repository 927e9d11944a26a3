//! What the fuzz targets do with their input. Each target is a function of bytes, so that a finding is
//! replayed, and tested, without a fuzzer.

pub mod globs;
pub mod load;
pub mod make;
pub mod markdown;
pub mod projector;
#[path = "../../support/reader.rs"]
mod reader;
pub mod seed;
pub mod tools;

/// The byte that stands between the parts of an input. No UTF-8 text has it.
pub const SEPARATOR: u8 = 0xff;

#![no_main]

use agent_tasklist_fuzz::{globs, seed};

libfuzzer_sys::fuzz_target!(
    init: seed::plant("globs"),
    |data: &[u8]| globs::run(data)
);

#![no_main]

use agent_tasklist_fuzz::{seed, tools};

libfuzzer_sys::fuzz_target!(
    init: seed::plant("tools"),
    |data: &[u8]| tools::run(data)
);

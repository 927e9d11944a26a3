#![no_main]

use agent_tasklist_fuzz::{load, seed};

libfuzzer_sys::fuzz_target!(
    init: seed::plant("load"),
    |data: &[u8]| load::run(data)
);

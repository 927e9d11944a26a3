#![no_main]

use agent_tasklist_fuzz::{projector, seed};

libfuzzer_sys::fuzz_target!(
    init: seed::plant("projector"),
    |data: &[u8]| projector::run(data)
);

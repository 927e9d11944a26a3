#![no_main]

use agent_tasklist_fuzz::{markdown, seed};

libfuzzer_sys::fuzz_target!(
    init: seed::plant("markdown"),
    |data: &[u8]| markdown::run(data)
);

//! The server that a store package is tested with.

use std::io::Write;

/// Its URL from this variable, or `None` where there is none to be had, which is said past the capture of the tests.
pub fn url(variable: &str, server: &str, script: &str) -> Option<String> {
    let url = std::env::var(variable).ok();
    if url.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: needs a {server} server; run {script} cargo test, or set {variable}"
        );
    }
    url
}

//! The stack that threads have by default.

/// Runs on it.
pub(crate) fn on_2_mib<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread
        .expect("a thread")
        .join()
        .expect("no panic and no overflow")
}

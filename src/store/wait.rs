//! Waiting without a runtime.
//!
//! Tested by `tests/store.rs`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// Lets the other futures of this task's executor have a turn.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(
        |context: &mut Context<'_>| match std::mem::replace(&mut yielded, true) {
            true => Poll::Ready(()),
            false => {
                // Woken at once: this gives others a turn, and waits for nothing.
                context.waker().wake_by_ref();
                Poll::Pending
            }
        },
    )
    .await;
}

/// Runs a future on this thread, for callers without a runtime.
///
/// For stores whose futures need none: [`MemoryStore`](crate::store::MemoryStore), and those that block, such as files or
/// SQLite. A store on tokio needs tokio's own `block_on`.
///
/// ```
/// assert_eq!(agent_tasklist::store::block_on(async { 1 + 1 }), 2);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

//! Waiting for a state that somebody else brings about: looked at again and again, however busy the machine is, and given
//! up in words at last. What a test knows how to be told of, it is told of; this is for the rest.

use std::time::{Duration, Instant};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// How long anything may take before a test gives up. It only ends what hangs: where a machine does ten other things, a
/// key takes minutes to be drawn.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until it is so, as a task.
///
/// # Panics
/// When it is not so for [`PATIENCE`].
#[track_caller]
pub fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    async move {
        let began = Instant::now();
        while !is_so().await {
            assert!(began.elapsed() < PATIENCE, "{caller}: waited in vain for {what}");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// The same, keeping the thread.
///
/// # Panics
/// When it is not so for [`PATIENCE`].
#[track_caller]
pub fn until_now(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(PAUSE);
    }
}

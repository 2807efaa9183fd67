//! The same work for many things, on a few threads. Called for folders and files of one project at a time.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// More threads wait for the same disk.
const MAX_THREADS: usize = 8;

/// Fewer things than this are done before a thread has started.
const WORTH_A_THREAD: usize = 24;

/// What `work` makes of each thing, in order.
pub(super) fn spread<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let share = things.len().div_ceil(threads).max(WORTH_A_THREAD);
    if things.len() <= share {
        return things.iter().map(work).collect();
    }
    thread::scope(|scope| {
        let started: Vec<_> = things
            .chunks(share)
            .map(|chunk| scope.spawn(|| chunk.iter().map(&work).collect::<Vec<R>>()))
            .collect();
        started
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

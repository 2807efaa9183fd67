//! Work that goes on by itself: it has an end also where a defect breaks it off, and a person can stop it.
//!
//! A panic in a task of tokio ends that task alone, and whoever waits for what it would have done waits until the program
//! ends. Turns and summaries go through [`unbroken`], so that a panic in one is a failure of it like any other; what is
//! on its way is known by guards ([`Stoppable`]), which go with whatever ended it, a dropped call included. What a
//! panic says may quote a person's words; the program's own hook notes where it was, and nothing here repeats it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;

use futures_util::FutureExt;
use siltstone_contract::{Code, Failure};
use siltstone_engine::ids::ConversationId;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::core::locked;

/// Carries `work` out. What is locked meanwhile is valid after every statement ([`locked`]).
pub(crate) async fn unbroken<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.map_err(|_| Failure::new(Code::Internal, "this ended in a way it never should"))
}

/// Runs something that takes long off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let (tell, done) = oneshot::channel();
    let work = move || {
        // Nobody waits for it any more.
        _ = tell.send(work());
    };
    off_the_threads(Box::new(work)).await?;
    done.await.map_err(|_| Failure::new(Code::Internal, "this ended in a way it never should"))
}

/// The same in a box: a task is compiled once, and not for everything that takes long.
async fn off_the_threads(work: Box<dyn FnOnce() + Send>) -> Result<(), Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(()) => Ok(()),
        // The program ends: whoever waits for this is about to go too, and has nothing to say of it.
        Err(error) if error.is_cancelled() => std::future::pending().await,
        Err(error) => Err(Failure::new(Code::Internal, error.to_string())),
    }
}

/// Work of one kind, at most one at a time in a conversation.
#[derive(Default)]
pub(crate) struct Stoppable(Mutex<HashMap<ConversationId, CancellationToken>>);

impl Stoppable {
    /// Begins it, unless it goes on already.
    pub(crate) fn begin(&self, id: ConversationId) -> Option<Begun<'_>> {
        match locked(&self.0).entry(id) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                let stop = free.insert(CancellationToken::new()).clone();
                Some(Begun { of: self, id, stop })
            }
        }
    }

    /// Asks it to stop; `false` where nothing goes on.
    pub(crate) fn stop(&self, id: ConversationId) -> bool {
        locked(&self.0).get(&id).inspect(|stop| stop.cancel()).is_some()
    }

    /// Whether nothing goes on in any conversation.
    pub(crate) fn is_idle(&self) -> bool {
        locked(&self.0).is_empty()
    }
}

/// Work that goes on; it has ended when this is gone.
pub(crate) struct Begun<'a> {
    of: &'a Stoppable,
    id: ConversationId,
    /// Cancelled when somebody asks it to stop.
    pub(crate) stop: CancellationToken,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        locked(&self.of.0).remove(&self.id);
    }
}

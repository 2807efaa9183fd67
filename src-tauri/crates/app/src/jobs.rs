//! Summaries that are being made in this process: at most one job a conversation, which can be waited for and stopped.

use std::collections::HashMap;
use std::sync::Mutex;

use siltstone_engine::ids::ConversationId;
use tokio_util::sync::CancellationToken;

use crate::locked;

/// The jobs, by conversation.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<HashMap<ConversationId, Job>>);

struct Job {
    stop: CancellationToken,
    ended: CancellationToken,
    again: bool,
    writing: String,
}

/// What came of the wish to begin a job.
pub(crate) enum Begun {
    /// It is this one's; the token stops it.
    Here(CancellationToken),
    /// Another one is there, which looks once more before it ends.
    There,
}

impl Jobs {
    /// Begins a job, unless there is one.
    pub(crate) fn begin(&self, id: ConversationId) -> Begun {
        let mut all = locked(&self.0);
        if let Some(job) = all.get_mut(&id) {
            job.again = true;
            return Begun::There;
        }
        let stop = CancellationToken::new();
        let job = Job {
            stop: stop.clone(),
            ended: CancellationToken::new(),
            again: false,
            writing: String::new(),
        };
        all.insert(id, job);
        Begun::Here(stop)
    }

    /// Ends a job; `false` when it has to look once more.
    pub(crate) fn end(&self, id: ConversationId) -> bool {
        let mut all = locked(&self.0);
        if let Some(job) = all.get_mut(&id)
            && std::mem::take(&mut job.again)
            && !job.stop.is_cancelled()
        {
            return false;
        }
        if let Some(job) = all.remove(&id) {
            job.ended.cancel();
        }
        true
    }

    /// What tells that the job of a conversation has ended, if there is one.
    pub(crate) fn ended(&self, id: ConversationId) -> Option<CancellationToken> {
        locked(&self.0).get(&id).map(|job| job.ended.clone())
    }

    /// Asks a job to stop; `false` if there is none.
    pub(crate) fn stop(&self, id: ConversationId) -> bool {
        locked(&self.0).get(&id).inspect(|job| job.stop.cancel()).is_some()
    }

    /// Begins a text anew (`None`), or adds to it.
    pub(crate) fn write(&self, id: ConversationId, more: Option<&str>) {
        if let Some(job) = locked(&self.0).get_mut(&id) {
            match more {
                Some(more) => job.writing.push_str(more),
                None => job.writing.clear(),
            }
        }
    }

    /// The text so far.
    pub(crate) fn writing(&self, id: ConversationId) -> String {
        locked(&self.0).get(&id).map(|job| job.writing.clone()).unwrap_or_default()
    }
}

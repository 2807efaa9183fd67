//! Summaries that are being made in this process: at most one job a conversation, which can be waited for and stopped,
//! and beside it at most one try at another rate, which can be stopped. Of sketches only the newest is wanted, whatever the
//! conversation. What kept a job from its work is known until the next one begins.

use std::collections::HashMap;
use std::sync::Mutex;

use siltstone_contract::Failure;
use siltstone_engine::ids::ConversationId;
use tokio_util::sync::CancellationToken;

use crate::core::{Stoppable, locked};

/// The jobs, by conversation.
#[derive(Default)]
pub(crate) struct Jobs {
    all: Mutex<HashMap<ConversationId, Job>>,
    /// Summaries that are tried at another rate.
    pub(crate) tries: Stoppable,
    /// Stops the sketch that is on its way.
    sketch: Mutex<CancellationToken>,
    failed: Mutex<HashMap<ConversationId, Failure>>,
}

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
        let mut all = locked(&self.all);
        if let Some(job) = all.get_mut(&id) {
            job.again = true;
            return Begun::There;
        }
        locked(&self.failed).remove(&id);
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
        let mut all = locked(&self.all);
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

    /// A job could not do its work.
    pub(crate) fn fail(&self, id: ConversationId, failure: Failure) {
        locked(&self.failed).insert(id, failure);
    }

    /// What kept the last job of a conversation from its work.
    pub(crate) fn failure(&self, id: ConversationId) -> Option<Failure> {
        locked(&self.failed).get(&id).cloned()
    }

    /// Stops the sketch that is on its way; the next one ends with what is given.
    pub(crate) fn next_sketch(&self) -> CancellationToken {
        let next = CancellationToken::new();
        std::mem::replace(&mut *locked(&self.sketch), next.clone()).cancel();
        next
    }

    /// Whether no job and no try is on its way here.
    pub(crate) fn is_idle(&self) -> bool {
        locked(&self.all).is_empty() && self.tries.is_idle()
    }

    /// What tells that the job of a conversation has ended, if there is one.
    pub(crate) fn ended(&self, id: ConversationId) -> Option<CancellationToken> {
        locked(&self.all).get(&id).map(|job| job.ended.clone())
    }

    /// Asks a job to stop; `false` if there is none.
    pub(crate) fn stop(&self, id: ConversationId) -> bool {
        locked(&self.all).get(&id).inspect(|job| job.stop.cancel()).is_some()
    }

    /// Begins a text anew (`None`), or adds to it.
    pub(crate) fn write(&self, id: ConversationId, more: Option<&str>) {
        if let Some(job) = locked(&self.all).get_mut(&id) {
            match more {
                Some(more) => job.writing.push_str(more),
                None => job.writing.clear(),
            }
        }
    }

    /// The text so far.
    pub(crate) fn writing(&self, id: ConversationId) -> String {
        locked(&self.all).get(&id).map(|job| job.writing.clone()).unwrap_or_default()
    }
}

//! The broadcast of what went stale. Writes name topics; observers read again.

use std::time::Duration;

use siltstone_contract::{Changed, Topic};
use siltstone_engine::ids::ConversationId;
use tokio::sync::broadcast;

use crate::App;
use crate::failure::Outcome;
use crate::projects::blocking;

/// Broadcasts an observer may be behind before it is told to read everything again.
const BACKLOG: usize = 256;

/// How often the database is asked whether another process wrote to it.
const POLL: Duration = Duration::from_millis(250);

/// Polls between looks for turns and summaries that a process left open.
const RECOVER_EVERY: u32 = 20;

/// Polls between looks whether a checkpoint is due.
const CHECKPOINT_EVERY: u32 = 240;

/// Polls between saying that the files of sessions are still written here.
const SESSIONS_EVERY: u32 = 120;

/// Polls between looks whether the backup of the day is due.
const BACKUP_EVERY: u32 = 1_200;

pub(crate) struct Changes(broadcast::Sender<Changed>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }
}

impl App {
    /// Follows the broadcast. An observer that lags should treat everything as stale ([`Topic::All`]).
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.0.changes.0.subscribe()
    }

    pub(crate) fn changed(&self, topics: impl Into<Vec<Topic>>) {
        let topics = topics.into();
        if topics.iter().any(|it| matches!(it, Topic::All | Topic::Conversation { .. })) {
            self.tend_meaning();
        }
        // Nobody listening is fine: `silt` has no observers.
        let _ = self.0.changes.0.send(Changed { topics });
    }

    pub(crate) fn conversation_changed(&self, id: ConversationId) {
        self.changed([Topic::Conversation { id }, Topic::Conversations]);
    }

    /// Watches for changes by other processes on the same data folder, for as long as the host runs. This host is one
    /// that stays from the call on, however late the work itself begins.
    pub fn watch_other_processes(&self) -> impl Future<Output = ()> + Send + 'static {
        self.stay();
        let app = self.clone();
        async move { app.keep_watch().await }
    }

    async fn keep_watch(&self) {
        self.stay_for_meaning();
        let mut seen = self.stores().ok().and_then(|stores| stores.records.data_version().ok());
        for round in 1_u32.. {
            tokio::time::sleep(POLL).await;
            let Ok(stores) = self.stores() else { continue };
            let now = stores.records.data_version().ok();
            if seen.is_some() && now != seen {
                self.changed([Topic::All]);
                self.layers_changed().await;
            }
            seen = now;
            self.tend_contexts().await;
            if round.is_multiple_of(CHECKPOINT_EVERY) {
                let app = self.clone();
                tokio::spawn(async move { app.tend_checkpoints().await });
            }
            if round.is_multiple_of(BACKUP_EVERY) {
                let app = self.clone();
                tokio::spawn(async move { app.tend_backups().await });
            }
            if round.is_multiple_of(SESSIONS_EVERY) {
                let app = self.clone();
                tokio::spawn(async move { app.tend_sessions().await });
            }
            if round.is_multiple_of(RECOVER_EVERY) {
                let now = self.now();
                let turns = stores.transcripts.recover_turns(now).map(|turns| !turns.is_empty());
                let folds = stores.summaries.recover_summaries(now).map(|of| !of.is_empty());
                match turns.and_then(|turns| Ok(folds? || turns)) {
                    Ok(true) => self.changed([Topic::All]),
                    Ok(false) => {}
                    Err(error) => tracing::warn!(%error, "looking for what processes left open"),
                }
                let transcripts = stores.transcripts;
                // What a process began and did not end.
                let rest = blocking(move || transcripts.purge_rest(&mut |_| true)).await;
                if let Err(failure) = rest.and_then(|rest| rest.or_failure()) {
                    tracing::warn!(%failure, "deleting what was to be deleted");
                }
            }
        }
    }
}

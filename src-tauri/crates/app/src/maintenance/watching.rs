//! What is done now and then while a host stays: hearing what other processes wrote, and what a clock asks for.

use std::time::Duration;

use siltstone_contract::Topic;

use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::maintenance::MaintenanceService;

/// How often the database is asked whether another process wrote to it.
const POLL: Duration = Duration::from_millis(250);

/// Polls between looks at the files of what is known beside conversations, which other programs may write.
const CONTEXTS_EVERY: u32 = 4;

/// Polls between looks for turns and summaries that a process left open.
const RECOVER_EVERY: u32 = 20;

/// Polls between looks whether a checkpoint is due.
const CHECKPOINT_EVERY: u32 = 240;

/// Polls between saying that the files of sessions are still written here.
const SESSIONS_EVERY: u32 = 120;

/// Polls between looks whether the backup of the day is due.
const BACKUP_EVERY: u32 = 1_200;

impl MaintenanceService {
    /// Watches for changes by other processes on the same data folder, for as long as the host runs. This host is one
    /// that stays from the call on, however late the work itself begins.
    pub fn watch_other_processes(&self) -> impl Future<Output = ()> + Send + use<> {
        self.memory.stay();
        let this = self.clone();
        async move { this.keep_watch().await }
    }

    async fn keep_watch(&self) {
        self.search.stay_for_meaning();
        let mut seen =
            self.core.stores().ok().and_then(|stores| stores.records.data_version().ok());
        for round in 1_u32.. {
            tokio::time::sleep(POLL).await;
            let Ok(stores) = self.core.stores() else { continue };
            let now = stores.records.data_version().ok();
            if seen.is_some() && now != seen {
                self.core.changed([Topic::All]);
                self.contexts.layers_changed().await;
            }
            seen = now;
            if round.is_multiple_of(CONTEXTS_EVERY) {
                self.contexts.tend_contexts().await;
            }
            if round.is_multiple_of(CHECKPOINT_EVERY) {
                let this = self.clone();
                tokio::spawn(async move { this.checkpoints.tend_checkpoints().await });
            }
            if round.is_multiple_of(BACKUP_EVERY) {
                let this = self.clone();
                tokio::spawn(async move { this.tend_backups().await });
            }
            if round.is_multiple_of(SESSIONS_EVERY) {
                let this = self.clone();
                tokio::spawn(async move { this.sessions.tend_sessions().await });
            }
            if round.is_multiple_of(RECOVER_EVERY) {
                let now = self.core.now();
                let turns = stores.transcripts.recover_turns(now).map(|turns| !turns.is_empty());
                let folds = stores.summaries.recover_summaries(now).map(|of| !of.is_empty());
                match turns.and_then(|turns| Ok(folds? || turns)) {
                    Ok(true) => self.core.changed([Topic::All]),
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

//! Sending checkpoints to remotes by rule: after each one, once a day, or when the host ends, and looking whether another
//! computer went on meanwhile. Nothing is fetched and nothing decided here: what waits there is shown, and the person
//! fetches it. What fails is shown with the remote, and is in nobody's way.

use std::sync::Arc;
use std::time::Duration;

use siltstone_contract::Failure;
use siltstone_engine::checkpoint::Checkpoint;
use siltstone_engine::checkpoint::remote::{
    CHECKPOINTS, Remote, SyncMoment, SyncRule, Synced, conflicts,
};
use siltstone_engine::ids::ProjectId;

use super::remotes::id_in;
use crate::checkpoints::CheckpointService;
use crate::core::failure::Outcome;
use crate::core::locked;

/// The longest that the end of a host waits for remotes.
const LEAVING: Duration = Duration::from_secs(30);

/// Checkpoints of others that are looked at, the newest ones.
const MOST_WAITING: usize = 100;

impl CheckpointService {
    /// A checkpoint was taken: it goes in the background to where the rules say so.
    pub(super) fn sync_after(&self, project: ProjectId) {
        locked(&self.taking.taken_in).insert(project);
        let this = self.clone();
        let sending = tokio::spawn(async move { this.sync(project, SyncMoment::Taken).await });
        let mut syncs = locked(&self.taking.syncs);
        syncs.retain(|sync| !sync.is_finished());
        syncs.push(sending);
    }

    /// Waits until what was begun here is sent.
    pub async fn syncs_settled(&self) {
        let begun = std::mem::take(&mut *locked(&self.taking.syncs));
        for sync in begun {
            if let Err(error) = sync.await {
                tracing::warn!(%error, "sending checkpoints");
            }
        }
    }

    /// The host ends: what goes then goes now. A remote that does not answer keeps nobody from ending.
    pub async fn leave_remotes(&self) {
        let sent = async {
            self.syncs_settled().await;
            let projects: Vec<ProjectId> = locked(&self.taking.taken_in).drain().collect();
            for project in projects {
                self.sync(project, SyncMoment::Closing).await;
            }
        };
        if tokio::time::timeout(LEAVING, sent).await.is_err() {
            tracing::warn!("a remote does not answer");
        }
    }

    async fn sync(&self, project: ProjectId, moment: SyncMoment) {
        let Ok(stores) = self.core.stores() else { return };
        let Ok(settings) = stores.records.settings() else { return };
        let remotes = settings.checkpoints.remotes;
        for remote in remotes.into_iter().filter(|remote| remote.sync != SyncRule::ByHand) {
            let _alone = self.taking.syncing.lock().await;
            let now = self.core.now();
            let last = remote.synced.get(&project).filter(|it| it.failed.is_none());
            if !remote.sync.is_due(moment, last.map(|it| it.at), now) {
                continue;
            }
            let synced = self.sync_with(&remote, project).await.unwrap_or_else(|failure| Synced {
                at: now,
                waiting: 0,
                conflicts: Vec::new(),
                failed: Some(failure.message),
            });
            let kept = self
                .change_remote(&remote.name, |it| _ = it.synced.insert(project, synced.clone()));
            if let Err(failure) = kept {
                tracing::warn!(%failure, "remembering what was sent");
            }
        }
    }

    /// Sends what is missing there, and looks what of others waits.
    async fn sync_with(&self, remote: &Remote, project: ProjectId) -> Result<Synced, Failure> {
        self.unlocked().await?;
        self.push(&remote.name, project, Arc::new(|_| {})).await?;
        let here = self.all_of(project)?;
        let waiting = self.waiting(remote, project, &here).await?;
        Ok(Synced {
            at: self.core.now(),
            waiting: u32::try_from(waiting.len()).unwrap_or(u32::MAX),
            conflicts: conflicts(&here, &waiting),
            failed: None,
        })
    }

    /// The checkpoints of a project on a remote that are not here: those that go on from one that is here, or are of a
    /// project of this name.
    async fn waiting(
        &self,
        remote: &Remote,
        project: ProjectId,
        here: &[Checkpoint],
    ) -> Result<Vec<Checkpoint>, Failure> {
        let from = self.reach(&remote.name, Some(project)).await?;
        let stores = self.core.stores()?;
        let name = stores.records.project(project).or_failure()?.name;
        let mut there: Vec<_> = from.blobs.list(CHECKPOINTS).await.or_failure()?;
        there.sort();
        let unknown = there.iter().rev().filter(|blob| {
            id_in(blob).is_some_and(|id| stores.checkpoints.checkpoint(id).is_err())
        });
        let mut waiting = Vec::new();
        for blob in unknown.take(MOST_WAITING) {
            let manifest = self.manifest(&from, blob).await?;
            let follows = here.iter().any(|it| manifest.checkpoint.parent == Some(it.id));
            if follows || manifest.project == name {
                waiting.push(manifest.checkpoint);
            }
        }
        Ok(waiting)
    }
}

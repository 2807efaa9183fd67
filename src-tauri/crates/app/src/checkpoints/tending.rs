//! What the clock does for checkpoints while a host stays: it takes those that are due, looks now and then whether the
//! system tells of every change, and whether the disk has room.

use std::sync::atomic::Ordering;

use siltstone_contract::{CleanCheckpoints, Failure, Topic};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{CheckpointReason, EVERY_MINUTES, Heard};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::project::Trust;

use super::taking::{Wanted, of_snapshot};
use crate::checkpoints::CheckpointService;
use crate::core::failure::Outcome;
use crate::core::{blocking, locked};

impl CheckpointService {
    /// Takes a checkpoint of every project that was worked in here, when half an hour passed and something changed
    /// (behaviour.md, Checkpoints). Called now and then while a host watches.
    pub(crate) async fn tend_checkpoints(&self) {
        self.go_on_sealing().await;
        // Somebody is at it already.
        let Ok(alone) = self.taking.alone.try_lock() else { return };
        let worked_in = locked(&self.taking.worked_in).clone();
        let mut taken = Vec::new();
        for (project, conversation) in worked_in {
            match self.take_if_due(project, conversation).await {
                Ok(true) => taken.push(project),
                Ok(false) => {}
                Err(failure) => tracing::warn!(%failure, "taking a checkpoint"),
            }
        }
        let watched = locked(&self.taking.worked_in).keys().copied().collect::<Vec<_>>();
        for project in watched.into_iter().filter(|_| self.core.live.is_idle()) {
            if let Err(failure) = self.verify_told(project).await {
                tracing::warn!(%failure, "comparing what was told with a look at everything");
            }
        }
        drop(alone);
        self.look_at_the_disk();
        for project_id in taken {
            let by_settings =
                CleanCheckpoints { project_id, rules: None, only: None, dry_run: false };
            if let Err(failure) = self.checkpoint_clean(by_settings).await {
                tracing::warn!(%failure, "letting old checkpoints go");
            }
        }
    }

    /// Whether one was taken; whoever calls holds `alone`.
    async fn take_if_due(
        &self,
        id: ProjectId,
        conversation: Option<ConversationId>,
    ) -> Result<bool, Failure> {
        let stores = self.core.stores()?;
        let Ok(project) = stores.records.project(id) else {
            locked(&self.taking.worked_in).remove(&id);
            return Ok(false);
        };
        if !stores.records.settings().or_failure()?.checkpoints.on
            || project.trust == Trust::Untrusted
        {
            return Ok(false);
        }
        let last = stores.checkpoints.checkpoints(id, None, 1).or_failure()?;
        let last = last.first().map(|(last, _)| last.created_at);
        let looked = locked(&self.taking.looked).get(&id).copied();
        let now = self.core.now();
        // Either of them may be of another time, when the clock was wrong.
        let is_recent = |at: Timestamp| now.duration_since(at).as_mins().abs() < EVERY_MINUTES;
        if [last, looked].into_iter().flatten().any(is_recent) {
            return Ok(false);
        }
        let conversation = conversation.filter(|id| stores.transcripts.conversation(*id).is_ok());
        let reason = CheckpointReason::Interval;
        let taken = self
            .take(Wanted { project, conversation, reason, tag: None, surely: Vec::new() })
            .await?;
        locked(&self.taking.looked).insert(id, now);
        Ok(taken.is_some())
    }

    /// Compares what the system told of a project with a look at everything, every half hour; whoever calls holds
    /// `alone`.
    async fn verify_told(&self, id: ProjectId) -> Result<(), Failure> {
        let now = self.core.now();
        let last = *locked(&self.taking.verified).entry(id).or_insert(now);
        if now.duration_since(last).as_mins().abs() < EVERY_MINUTES {
            return Ok(());
        }
        locked(&self.taking.verified).insert(id, now);
        let stores = self.core.stores()?;
        let Ok(project) = stores.records.project(id) else { return Ok(()) };
        let this = self.clone();
        let heard = blocking(move || {
            let (snapshots, objects) = (&this.core.world.snapshots, stores.checkpoints.objects());
            let heard = this.at_place(&stores, &project, |place| {
                snapshots.verify(place, objects.as_ref(), &mut |_| true)
            });
            objects.sync()?;
            heard
        });
        if heard.await?.map_err(of_snapshot)? == Heard::NotAll {
            let count = self.taking.untold.fetch_add(1, Ordering::Relaxed) + 1;
            tracing::warn!(
                count,
                "a change was not told; this project is looked at whole from here on"
            );
        }
        Ok(())
    }

    /// Whether the disk is nearly full. One that cannot be asked is not: it says itself when it is full.
    pub(super) fn is_disk_low(&self) -> bool {
        self.core.world.data.space().is_ok_and(|space| space.is_low())
    }

    /// Tells screens when the disk gets nearly full, and when it has room again.
    fn look_at_the_disk(&self) {
        let low = self.is_disk_low();
        if self.taking.low.swap(low, Ordering::Relaxed) != low {
            self.core.changed([Topic::Checkpoints]);
        }
    }
}

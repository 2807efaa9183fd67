//! Checkpoints: taking them, looking at them, going back to them and letting old ones go (behaviour.md, Checkpoints).
//!
//! Taking one is in [`taking`], what the clock does in [`tending`], sending by rule in [`syncing`], comparing in [`comparing`], copies of projects in [`copies`], going back in
//! [`restoring`], where they are kept in [`placing`]; here are the list and what is done to single ones. The engine
//! decides what a restore does and which ones go; files and objects come through its ports. Everything that reads a
//! folder runs off the async threads.

mod carrying;
mod changes;
mod comparing;
mod copies;
mod placing;
mod pushing;
mod remotes;
mod restoring;
mod sealing;
mod seen;
mod syncing;
mod taking;
mod tending;

use std::sync::atomic::Ordering;

use siltstone_contract::{
    ChangeCheckpoint, CheckpointDetail, CheckpointItem, CheckpointList, CheckpointRef,
    CheckpointRefs, CleanCheckpoints, Cleaned, DamagedObject, Failure, FilesOff, ListCheckpoints,
    Overdue, Topic, UnfinishedRestore, Verified,
};
use siltstone_engine::checkpoint::{Aged, Checkpoint, ObjectId, Reckoning, StoredPlan, overdue};
use siltstone_engine::ids::{CheckpointId, ProjectId, TurnId};
use siltstone_engine::message::{Message, Role};
use siltstone_engine::ports::{StoreError, Stores};

use crate::contexts::ContextService;
use crate::conversations::ConversationService;
use crate::core::failure::{Outcome, bad_request};
use crate::core::{Core, blocking, service};
use crate::memory::MemoryService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;

pub use carrying::PackedCheckpoint;
pub(crate) use taking::Taking;

service! {
    /// Checkpoints.
    CheckpointService {
        needs {
            core: Core, privacy: PrivacyService, models: ModelService, memory: MemoryService,
            conversations: ConversationService, contexts: ContextService
        }
        keeps {
            taking: Taking,
        }
    }
}

/// Most checkpoints of a page.
const PAGE: u32 = 200;

/// Longest tag in characters.
const TAG: usize = 100;

impl CheckpointService {
    /// Checkpoints of a project, the newest first.
    pub async fn checkpoint_list(
        &self,
        request: ListCheckpoints,
    ) -> Result<CheckpointList, Failure> {
        self.ask_for_seal_key_once().await;
        let stores = self.core.stores()?;
        let project = self.core.known_project(request.project_id)?;
        let limit = request.limit.clamp(1, PAGE);
        let mut found =
            stores.checkpoints.checkpoints(project.id, request.before, limit + 1).or_failure()?;
        let more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let (_, bytes) = stores.checkpoints.aged(project.id).or_failure()?;
        let cut_off = opened(stores.checkpoints.cut_off_plans(project.id))?;
        let unfinished = cut_off.into_iter().filter_map(|plan| {
            Some(UnfinishedRestore {
                plan_id: plan.id,
                checkpoint_id: plan.checkpoint,
                before: plan.before?,
            })
        });
        Ok(CheckpointList {
            items: found.iter().map(|(checkpoint, bytes)| item(checkpoint, *bytes)).collect(),
            more,
            bytes,
            cap: stores.records.settings().or_failure()?.checkpoints.retention.bytes,
            unfinished: unfinished.collect(),
            files_off: self
                .core
                .world
                .snapshots
                .is_wide(&project.path)
                .then_some(FilesOff::TooWide),
            disk_full: self.taking.full.load(Ordering::Relaxed),
            disk_low: self.is_disk_low(),
        })
    }

    /// One checkpoint.
    pub async fn checkpoint_get(
        &self,
        request: CheckpointRef,
    ) -> Result<CheckpointDetail, Failure> {
        self.unlocked().await?;
        let stores = self.core.stores()?;
        let checkpoint = stores.checkpoints.checkpoint(request.id).or_failure()?;
        let objects = stores.checkpoints.objects();
        let memory = taking::read_json(objects.as_ref(), checkpoint.context.memory)?;
        let files = checkpoint.files.as_ref();
        let aged = match checkpoint.project_id {
            Some(project) => stores.checkpoints.aged(project).or_failure()?.0,
            None => Vec::new(),
        };
        let bytes = aged.iter().find(|aged| aged.id == request.id).map(|aged| aged.bytes);
        Ok(CheckpointDetail {
            item: item(&checkpoint, bytes.unwrap_or_default()),
            turn_id: turn_at(&stores, &checkpoint)?,
            conversation: checkpoint.conversation.clone(),
            not_captured: files.map(|files| files.not_captured.clone()).unwrap_or_default(),
            runtime_additions: checkpoint.context.runtime_additions,
            memory: memory.as_ref().map(taking::said),
            metadata: checkpoint.metadata,
        })
    }

    /// Gives a checkpoint another name, or lets it stay whatever the rules say.
    pub async fn checkpoint_change(&self, request: ChangeCheckpoint) -> Result<(), Failure> {
        let tag = checked(request.tag)?;
        let rows = self.core.stores()?.checkpoints;
        rows.change_checkpoint(request.id, tag.as_deref(), request.pinned).or_failure()?;
        self.core.changed([Topic::Checkpoints]);
        Ok(())
    }

    /// Deletes checkpoints for ever; what nothing else names is freed in the background.
    pub async fn checkpoint_delete(&self, request: CheckpointRefs) -> Result<(), Failure> {
        let rows = self.core.stores()?.checkpoints;
        rows.delete_checkpoints(&request.ids).or_failure()?;
        self.core.changed([Topic::Checkpoints]);
        self.collect_in_background();
        Ok(())
    }

    /// Lets old checkpoints go by the rules, or says which would go.
    pub async fn checkpoint_clean(&self, request: CleanCheckpoints) -> Result<Cleaned, Failure> {
        let stores = self.core.stores()?;
        let (rules, reckoning) = match request.rules {
            Some(rules) => (rules, Reckoning::Calendar),
            None => {
                let settings = stores.records.settings().or_failure()?;
                (settings.checkpoints.retention, Reckoning::Lived)
            }
        };
        let (mut aged, total) = stores.checkpoints.aged(request.project_id).or_failure()?;
        let unfinished = opened(stores.checkpoints.unfinished_plans(request.project_id))?;
        for checkpoint in &mut aged {
            checkpoint.kept |= unfinished.iter().any(|plan| plan.needs(checkpoint.id));
        }
        let mut gone = overdue(&aged, &rules, total, self.core.now(), reckoning);
        // Rules may have changed since, and checkpoints grown old.
        gone.retain(|(id, _)| request.only.as_ref().is_none_or(|only| only.contains(id)));
        let overdue = gone.iter().filter_map(|(id, rule)| {
            let Aged { created_at, bytes, .. } = aged.iter().find(|aged| aged.id == *id)?;
            Some(Overdue { id: *id, created_at: *created_at, rule: *rule, bytes: *bytes })
        });
        let overdue: Vec<Overdue> = overdue.collect();
        if request.dry_run || gone.is_empty() {
            let freed = overdue.iter().map(|checkpoint| checkpoint.bytes).sum();
            return Ok(Cleaned { gone: overdue, freed });
        }
        let ids: Vec<CheckpointId> = gone.into_iter().map(|(id, _)| id).collect();
        stores.checkpoints.delete_checkpoints(&ids).or_failure()?;
        self.core.changed([Topic::Checkpoints]);
        Ok(Cleaned { gone: overdue, freed: self.collect().await? })
    }

    /// Reads everything that is kept, and names what is damaged.
    pub async fn checkpoint_verify(&self, (): ()) -> Result<Verified, Failure> {
        self.unlocked().await?;
        let rows = self.core.stores()?.checkpoints;
        let damaged = blocking(move || rows.verify(&mut |_| true)).await?.or_failure()?;
        Ok(Verified { damaged: damaged.into_iter().map(damaged_object).collect(), repaired: 0 })
    }

    /// Finds again what can be found in everything that is on disk.
    pub async fn checkpoint_repair(&self, (): ()) -> Result<Verified, Failure> {
        self.unlocked().await?;
        let rows = self.core.stores()?.checkpoints;
        let _alone = self.taking.alone.lock().await;
        let done = blocking(move || {
            let repaired = rows.repair()?;
            Ok::<_, StoreError>((repaired, rows.verify(&mut |_| true)?))
        });
        let (repaired, damaged) = done.await?.or_failure()?;
        self.core.changed([Topic::Checkpoints]);
        Ok(Verified { damaged: damaged.into_iter().map(damaged_object).collect(), repaired })
    }

    fn collect_in_background(&self) {
        let this = self.clone();
        tokio::spawn(async move {
            if let Err(failure) = this.collect().await {
                tracing::warn!(%failure, "freeing what no checkpoint names");
            }
        });
    }

    /// Frees what nothing names; bytes freed.
    async fn collect(&self) -> Result<u64, Failure> {
        let rows = self.core.stores()?.checkpoints;
        let _alone = self.taking.alone.lock().await;
        match blocking(move || rows.collect()).await? {
            // Another process makes a checkpoint, or they are sealed; the next cleaning frees it.
            Err(StoreError::Conflict { .. } | StoreError::Locked) => Ok(0),
            freed => freed.or_failure(),
        }
    }

    /// A checkpoint and the project it is of.
    fn checkpoint_at(&self, id: CheckpointId) -> Result<(Checkpoint, ProjectId), Failure> {
        let checkpoint = self.core.stores()?.checkpoints.checkpoint(id).or_failure()?;
        let project = checkpoint.project_id.ok_or_else(|| bad_request("it is of no project"))?;
        Ok((checkpoint, project))
    }
}

/// Plans that were found; none where they are sealed, for nothing can be gone on with before they are opened.
fn opened(found: Result<Vec<StoredPlan>, StoreError>) -> Result<Vec<StoredPlan>, Failure> {
    match found {
        Err(StoreError::Locked) => Ok(Vec::new()),
        found => found.or_failure(),
    }
}

fn damaged_object((id, checkpoints): (ObjectId, Vec<CheckpointId>)) -> DamagedObject {
    DamagedObject { id: id.to_string(), checkpoints }
}

/// A tag that can be kept.
fn checked(tag: Option<String>) -> Result<Option<String>, Failure> {
    let tag = tag.map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty());
    match &tag {
        Some(tag) if tag.chars().count() > TAG || tag.contains(char::is_control) => {
            Err(bad_request("a name has at most 100 characters on one line"))
        }
        _ => Ok(tag),
    }
}

/// The recorded turn of the last reply a checkpoint has; it may have been deleted since.
fn turn_at(stores: &Stores, checkpoint: &Checkpoint) -> Result<Option<TurnId>, Failure> {
    let mut next = checkpoint.conversation.as_ref().and_then(|state| state.message);
    while let Some(id) = next {
        match stores.transcripts.message(id).map(|found| found.message) {
            Ok(Message { id, role: Role::Assistant, .. }) => {
                let turns = stores.transcripts.turns_of_replies(&[id]).or_failure()?;
                return Ok(turns.first().map(|turn| turn.id));
            }
            Ok(Message { parent_id, .. }) => next = parent_id,
            Err(StoreError::NotFound { .. }) => break,
            Err(other) => return Err(other).or_failure(),
        }
    }
    Ok(None)
}

/// A line of the list.
fn item(checkpoint: &Checkpoint, bytes: u64) -> CheckpointItem {
    let (files, state) = (checkpoint.files.as_ref(), checkpoint.conversation.as_ref());
    CheckpointItem {
        id: checkpoint.id,
        tag: checkpoint.tag.clone(),
        pinned: checkpoint.pinned,
        created_at: checkpoint.created_at,
        reason: checkpoint.reason.clone(),
        parent: checkpoint.parent,
        conversation_id: state.map(|state| state.id),
        message_id: state.and_then(|state| state.message),
        messages: state.map_or(0, |state| state.messages),
        files: files.map(|files| files.files),
        changed: files.map_or(0, |files| files.changed),
        bytes,
        not_captured: files.map_or(0, |files| files.not_captured_count),
        known: checkpoint.is_known(),
    }
}

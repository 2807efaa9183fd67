//! Taking a checkpoint: files first, then where the conversation stands and what shapes its requests, then one row.
//!
//! One thing is captured at a time in this process, until a row names it: space is freed only between two captures.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use siltstone_contract::{CheckpointItem, Code, CreateCheckpoint, Failure, MemoryAt, Topic};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Captured, Checkpoint, CheckpointReason, ContextState, ConversationState, Dirty, FORMAT,
    FilesState, Metadata, ObjectId, Objects, SnapshotError, SnapshotPlace, diff,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, ProjectId};
use siltstone_engine::memory::{Effective, LineKind};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::turn::Usage;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::sealing::Resealing;
use super::{checked, item};
use crate::checkpoints::CheckpointService;
use crate::core::failure::{Outcome, conflict, of_store};
use crate::core::{blocking, locked};

/// Paths that were not captured which a checkpoint names; beyond it they are counted.
const NAMED: usize = 200;

/// Checkpoints that are looked through for the last moment of a folder, and for the last one of a copy.
pub(super) const NEWEST: u32 = 200;

/// What this process keeps of taking checkpoints.
pub(crate) struct Taking {
    /// Held from the first object of a capture until a row names it, and while space is freed.
    pub(super) alone: tokio::sync::Mutex<()>,
    /// Projects that were worked in here, each with the conversation that was asked last.
    pub(super) worked_in: Mutex<HashMap<ProjectId, Option<ConversationId>>>,
    /// When each of them was looked at by the clock last, also where nothing changed.
    pub(super) looked: Mutex<HashMap<ProjectId, Timestamp>>,
    /// When what the system told of each of them was compared with a look at everything.
    pub(super) verified: Mutex<HashMap<ProjectId, Timestamp>>,
    /// How often such a look found what had not been told.
    pub(super) untold: AtomicU64,
    /// Whether the disk was full the last time.
    pub(super) full: AtomicBool,
    /// Whether it was nearly full when the clock looked.
    pub(super) low: AtomicBool,
    /// Sealing what exists, and the key.
    pub(super) resealing: Resealing,
    /// Projects whose first copy is written right now, each with what stops it.
    pub(super) placing: Mutex<HashMap<ProjectId, CancellationToken>>,
    /// Sending to remotes by rule, as far as it was begun here.
    pub(super) syncs: Mutex<Vec<JoinHandle<()>>>,
    /// Held by whoever sends by rule.
    pub(super) syncing: tokio::sync::Mutex<()>,
    /// Projects in which a checkpoint was taken here.
    pub(super) taken_in: Mutex<HashSet<ProjectId>>,
    /// This run of the program.
    pub(super) session: String,
}

impl Default for Taking {
    fn default() -> Self {
        Self {
            alone: tokio::sync::Mutex::default(),
            worked_in: Mutex::default(),
            looked: Mutex::default(),
            verified: Mutex::default(),
            untold: AtomicU64::new(0),
            full: AtomicBool::new(false),
            low: AtomicBool::new(false),
            resealing: Resealing::default(),
            placing: Mutex::default(),
            syncs: Mutex::default(),
            syncing: tokio::sync::Mutex::default(),
            taken_in: Mutex::default(),
            session: Uuid::now_v7().to_string(),
        }
    }
}

/// Which checkpoint to take.
pub(super) struct Wanted {
    pub(super) project: Project,
    pub(super) conversation: Option<ConversationId>,
    pub(super) reason: CheckpointReason,
    pub(super) tag: Option<String>,
    /// Paths that are read whatever their stamps say.
    pub(super) surely: Vec<Vec<u8>>,
}

/// What shapes the requests of a project at this moment.
struct Shaping {
    memory: Option<String>,
    lines: Vec<String>,
    told: String,
    settings: String,
}

impl CheckpointService {
    /// A checkpoint of now.
    pub async fn checkpoint_create(
        &self,
        request: CreateCheckpoint,
    ) -> Result<CheckpointItem, Failure> {
        let tag = checked(request.tag)?;
        let stores = self.core.stores()?;
        let project = stores.records.project(request.project_id).or_failure()?;
        if let Some(tag) = &tag
            && stores.checkpoints.tagged(project.id, tag).or_failure()?.is_some()
        {
            return Err(conflict("another checkpoint has this name"));
        }
        let (reason, conversation) = (CheckpointReason::Manual, request.conversation_id);
        let _alone = self.taking.alone.lock().await;
        let made =
            self.take(Wanted { project, conversation, reason, tag, surely: Vec::new() }).await?;
        let (made, bytes) = made.ok_or_else(|| conflict("nothing changed"))?;
        Ok(item(&made, bytes))
    }

    /// A project is opened, or a conversation of it is asked in: its checkpoints are taken from now on.
    pub(crate) fn works_in(&self, project: ProjectId, conversation: Option<ConversationId>) {
        let mut worked_in = locked(&self.taking.worked_in);
        let asked = worked_in.entry(project).or_default();
        *asked = conversation.or(*asked);
    }

    /// Takes a checkpoint, with the bytes it added on disk; whoever calls holds `alone`. One by the clock is not taken
    /// where nothing changed, and one that nobody asked for not while the disk is nearly full.
    pub(super) async fn take(&self, wanted: Wanted) -> Result<Option<(Checkpoint, u64)>, Failure> {
        if wanted.reason.is_automatic() && self.is_disk_low() {
            return Ok(None);
        }
        if wanted.reason.is_automatic() {
            self.ask_for_seal_key_once().await;
        } else {
            self.unlocked().await?;
        }
        let shaping = self.shaping(&wanted.project, wanted.conversation).await?;
        let (this, project) = (self.clone(), wanted.project.id);
        let made = blocking(move || this.take_now(wanted, shaping)).await?;
        let full = made.as_ref().is_err_and(|failure| failure.code == Code::DiskFull);
        let was_full = self.taking.full.swap(full, Ordering::Relaxed);
        if full != was_full || matches!(made, Ok(Some(_))) {
            self.core.changed([Topic::Checkpoints]);
        }
        if matches!(made, Ok(Some(_))) {
            self.copy_after(project).await;
            self.sync_after(project);
        }
        made
    }

    /// Another plan is worked on: a checkpoint says where the one before stood. One that cannot be taken is in nobody's
    /// way.
    pub(crate) async fn plan_changed(&self, project: Project, plan: String) {
        let settings = self.core.stores().and_then(|stores| stores.records.settings().or_failure());
        if !settings.is_ok_and(|it| it.checkpoints.on) || project.trust == Trust::Untrusted {
            return;
        }
        let conversation = locked(&self.taking.worked_in).get(&project.id).copied().flatten();
        let reason = CheckpointReason::PlanChange { plan };
        let _alone = self.taking.alone.lock().await;
        let wanted = Wanted { project, conversation, reason, tag: None, surely: Vec::new() };
        if let Err(failure) = self.take(wanted).await {
            tracing::warn!(%failure, "taking a checkpoint of another plan");
        }
    }

    /// Before a tool changes a project or runs a program in it. Nothing while checkpoints are switched off; fails where
    /// one would be taken and its files cannot be, so that the call is refused. What it `touches` is read in any case.
    pub(crate) async fn before_tool(
        &self,
        project: Project,
        conversation: ConversationId,
        tool: &str,
        touches: Vec<String>,
    ) -> Result<Option<CheckpointId>, Failure> {
        if !self.core.stores()?.records.settings().or_failure()?.checkpoints.on {
            return Ok(None);
        }
        let reason = CheckpointReason::BeforeTool { tool: tool.to_owned() };
        let _alone = self.taking.alone.lock().await;
        let wanted = Wanted {
            project,
            conversation: Some(conversation),
            reason,
            tag: None,
            surely: touches.into_iter().map(String::into_bytes).collect(),
        };
        let Some((made, _)) = self.take(wanted).await? else {
            return Err(Failure::new(Code::DiskFull, "the disk is nearly full"));
        };
        match made.files {
            Some(_) => Ok(Some(made.id)),
            None => Err(Failure::new(Code::FolderTooWide, "the folder is too wide to be kept")),
        }
    }

    /// After a turn before which a checkpoint was taken: what the turn left. The newest checkpoint where that holds it
    /// already; `None` while the disk is nearly full, and where files cannot be kept.
    pub(crate) async fn after_turn(
        &self,
        project: Project,
        conversation: ConversationId,
        touched: &[String],
    ) -> Result<Option<CheckpointId>, Failure> {
        let _alone = self.taking.alone.lock().await;
        let wanted = Wanted {
            project,
            conversation: Some(conversation),
            reason: CheckpointReason::AfterTurn,
            tag: None,
            surely: touched.iter().map(|path| path.as_bytes().to_vec()).collect(),
        };
        Ok(self.take(wanted).await?.map(|(taken, _)| taken.id))
    }

    fn take_now(
        &self,
        wanted: Wanted,
        shaping: Shaping,
    ) -> Result<Option<(Checkpoint, u64)>, Failure> {
        let Wanted { project, conversation, reason, tag, surely } = wanted;
        let stores = self.core.stores()?;
        let newest = stores.checkpoints.checkpoints(project.id, None, NEWEST).or_failure()?;
        let newest_at = newest.first().map(|(newest, _)| newest.created_at);
        let last = newest.into_iter().map(|(checkpoint, _)| checkpoint).find(is_own);
        let objects = stores.checkpoints.objects();
        let files = match self.capture(&stores, &project, &surely) {
            Ok(captured) => Some(files_state(objects.as_ref(), captured, last.as_ref())),
            Err(SnapshotError::TooWide { .. }) => None,
            Err(error) => return Err(of_snapshot(error)),
        };
        if reason == CheckpointReason::AfterTurn {
            let Some(files) = &files else { return Ok(None) };
            if let Some(last) = last.as_ref().filter(|last| last.files.is_some())
                && super::comparing::tree_of(last) == files.tree
            {
                objects.sync().or_failure()?;
                return Ok(Some((last.clone(), 0)));
            }
        }
        let conversation = conversation.map(|id| self.state_of(&stores, id)).transpose()?;
        if reason == CheckpointReason::Interval
            && let Some(last) = &last
            && super::comparing::tree_of(last) == files.as_ref().and_then(|files| files.tree)
            && last.context.runtime_additions == shaping.lines
            && conversation.as_ref().is_none_or(|state| last.conversation.as_ref() == Some(state))
        {
            objects.sync().or_failure()?;
            return Ok(None);
        }
        let restored = stores.checkpoints.last_restore(project.id).or_failure()?;
        let last_made = newest_at;
        // After a clock that was ahead they follow each other in its time, until it is caught up with: what is newer
        // always says so.
        let now =
            after(last_made.max(restored.as_ref().and_then(|it| it.finished_at)), self.core.now());
        // What follows a restore goes on from what was restored.
        let parent = match restored {
            Some(restored) if restored.copy.is_none() && last_made < restored.finished_at => {
                Some(restored.checkpoint)
            }
            _ => last.map(|last| last.id),
        };
        let user = stores.records.settings().or_failure()?.checkpoints.user_id.trim().to_owned();
        let user_id = Some(user).filter(|user| !user.is_empty());
        let put = |text: String| objects.put(text.as_bytes()).or_failure();
        let checkpoint = Checkpoint {
            id: CheckpointId::new(now),
            tag,
            pinned: false,
            created_at: now,
            reason,
            parent,
            project_id: Some(project.id),
            conversation,
            files,
            context: ContextState {
                memory: shaping.memory.map(put).transpose()?,
                runtime_additions: shaping.lines,
                stores: Some(put(shaping.told)?),
                settings: Some(put(shaping.settings)?),
            },
            metadata: Metadata {
                session_id: self.taking.session.clone(),
                user_id,
                project_path: project.path,
                version: self.core.options.version.clone(),
                format: FORMAT,
            },
        };
        stores.checkpoints.add_checkpoint(&checkpoint).or_failure()?;
        let added = stores.checkpoints.checkpoints(project.id, None, 1).or_failure()?;
        let bytes = added.into_iter().find(|(found, _)| found.id == checkpoint.id);
        Ok(Some((checkpoint, bytes.map_or(0, |(_, bytes)| bytes))))
    }

    /// The files of a project as they are now, as objects; whoever calls holds `alone` and lets a row name them, or
    /// calls `sync`.
    pub(super) fn capture(
        &self,
        stores: &Stores,
        project: &Project,
        surely: &[Vec<u8>],
    ) -> Result<Captured, SnapshotError> {
        // Whoever goes again soon looks at everything rather than begin to listen.
        let dirty = if self.memory.stays() { Dirty::Told } else { Dirty::Anything };
        let (snapshots, objects) = (&self.core.world.snapshots, stores.checkpoints.objects());
        self.at_place(stores, project, |place| {
            let place = SnapshotPlace { surely, ..*place };
            snapshots.capture(&place, &dirty, objects.as_ref(), &mut |_| true)
        })
    }

    /// Does something where files of a project are captured.
    pub(super) fn at_place<T>(
        &self,
        stores: &Stores,
        project: &Project,
        act: impl FnOnce(&SnapshotPlace<'_>) -> Result<T, SnapshotError>,
    ) -> Result<T, SnapshotError> {
        // Whoever comes with a row of before asks again whose folder it is.
        stores.records.project(project.id)?;
        let settings = stores.records.settings()?;
        let exclude = settings.privacy.exclude_patterns.iter().chain(&project.exclude).cloned();
        let exclude: Vec<String> =
            exclude.chain(self.privacy.own_data_pattern(&project.path)).collect();
        act(&SnapshotPlace {
            root: &project.path,
            exclude: &exclude,
            also: &settings.checkpoints.also,
            max_file_bytes: settings.checkpoints.max_file_bytes,
            surely: &[],
        })
    }

    /// Where a conversation stands.
    fn state_of(&self, stores: &Stores, id: ConversationId) -> Result<ConversationState, Failure> {
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let page = stores.transcripts.page(id, None, 1).or_failure()?;
        let spent = stores.transcripts.spent_in(id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        let folds = stores.summaries.summaries(id).or_failure()?;
        Ok(ConversationState {
            id,
            message: page.messages.last().map(|found| found.message.id),
            messages: page.total,
            summaries: folds.iter().map(|record| record.id).collect(),
            token_usage: Usage {
                input_tokens: spent.input_tokens,
                output_tokens: spent.output_tokens,
                exact: true,
                ..Usage::default()
            },
            model: choice.model,
            provider: choice.provider,
        })
    }

    async fn shaping(
        &self,
        project: &Project,
        conversation: Option<ConversationId>,
    ) -> Result<Shaping, Failure> {
        let lines =
            self.core.stores()?.memory.lines(Some(project.id), conversation).or_failure()?;
        Ok(Shaping {
            memory: match project.trust {
                Trust::Trusted => Some(json(&self.merged_memory(project.id, conversation).await?)?),
                Trust::Untrusted => None,
            },
            // What comes back is the person's words; data of tools and files would become that.
            lines: lines
                .into_iter()
                .filter(|line| line.kind == LineKind::Added)
                .map(|line| line.text)
                .collect(),
            told: json(&self.contexts.told_context(project.id).await?)?,
            settings: json(&self.shaping_settings()?)?,
        })
    }

    /// Memory as it is merged at the root of a project.
    pub(super) async fn merged_memory(
        &self,
        project: ProjectId,
        conversation_id: Option<ConversationId>,
    ) -> Result<Effective, Failure> {
        let at = MemoryAt { project_id: Some(project), conversation_id, dir: Some(String::new()) };
        self.memory.memory_effective(at).await
    }

    /// The settings that shape a request.
    pub(super) fn shaping_settings(&self) -> Result<serde_json::Value, Failure> {
        let settings = self.core.stores()?.records.settings().or_failure()?;
        Ok(serde_json::json!({
            "default_provider": settings.default_provider,
            "default_model": settings.default_model,
            "this_computer_only": settings.this_computer_only,
            "summary": settings.summary,
            "memory": settings.memory,
            "privacy": settings.privacy,
        }))
    }
}

/// Whether it is a moment of the project's own folder, and not what a copy held.
pub(super) fn is_own(checkpoint: &Checkpoint) -> bool {
    !matches!(checkpoint.reason, CheckpointReason::Copy { .. })
}

pub(super) fn files_state(
    objects: &dyn Objects,
    captured: Captured,
    last: Option<&Checkpoint>,
) -> FilesState {
    let before = last.and_then(super::comparing::tree_of);
    let changed = diff(before, captured.tree, &mut super::comparing::trees(objects));
    let not_captured_count = captured.not_captured.len() as u64;
    let mut not_captured = captured.not_captured;
    not_captured.truncate(NAMED);
    FilesState {
        tree: captured.tree,
        files: captured.files,
        bytes: captured.bytes,
        // An older checkpoint that is damaged does not keep a new one from being made.
        changed: changed.map_or(captured.files, |changes| changes.len() as u64),
        not_captured,
        not_captured_count,
    }
}

/// A failure of capturing or writing files.
pub(super) fn of_snapshot(error: SnapshotError) -> Failure {
    let code = match &error {
        SnapshotError::Folder { .. } => Code::Io,
        SnapshotError::Changed { .. } => Code::Conflict,
        SnapshotError::TooWide { .. } => Code::FolderTooWide,
        SnapshotError::Cancelled => Code::Cancelled,
        SnapshotError::Store(store) => return of_store(store.clone()),
    };
    Failure::new(code, error.to_string())
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value);
    text.map_err(|error| of_store(StoreError::Io { detail: error.to_string() }))
}

/// What an object says that was kept as JSON. What another version wrote and this one cannot read is not compared.
pub(super) fn read_json<T: DeserializeOwned>(
    objects: &dyn Objects,
    id: Option<ObjectId>,
) -> Result<Option<T>, Failure> {
    let Some(id) = id else { return Ok(None) };
    let bytes = objects.get(id).or_failure()?;
    Ok(serde_json::from_slice(&bytes).ok())
}

/// Memory in words: the lines that nothing speaks over.
pub(super) fn said(memory: &Effective) -> String {
    let held = memory.lines.iter().filter(|line| line.overridden_by.is_none());
    held.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The time now, or the moment after `last` where that was later.
pub(super) fn after(last: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let next = last.and_then(|last| last.checked_add(Duration::from_micros(1)).ok());
    next.map_or(now, |next| next.max(now))
}

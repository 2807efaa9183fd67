//! Checkpoints in files: written for another computer, and taken over from one.
//!
//! What is read may be written by anybody, so all of it is checked before any of it is kept, ids are made anew, and the
//! rules of cleaning leave it alone. Hosts read and write the files; here are only bytes.

use std::collections::{BTreeMap, BTreeSet};

use siltstone_contract::{
    Code, ExportCheckpoint, Failure, ForeignItem, ImportForeign, ImportedCheckpoint, ProjectRef,
    Topic,
};
use siltstone_engine::checkpoint::foreign::{self, Foreign};
use siltstone_engine::checkpoint::{
    BadBundle, Bundle, BundleWriter, Chat, Checkpoint, CheckpointReason, ContextState,
    ConversationState, EXTENSION, FORMAT, FilesState, MAX_PACKED, Manifest, Metadata, ObjectId,
    needed,
};
use siltstone_engine::export::{self, ImportWarning};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::message::Message;
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::secret::Secret;

use super::comparing::trees;
use super::item;
use crate::checkpoints::CheckpointService;
use crate::conversations::attachments::bytes_of;
use crate::conversations::transfer::outputs_of;
use crate::core::blocking;
use crate::core::failure::Outcome;

/// How a file that is locked with a passphrase begins.
const LOCKED: &[u8] = b"age-encryption.org/";

/// A checkpoint as a file.
pub struct PackedCheckpoint {
    /// A name for it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A checkpoint that was read and checked, and is not kept yet.
pub(super) struct Arrived {
    pub(super) checkpoint: Checkpoint,
    /// The conversation as text that can be imported.
    pub(super) chat: Option<String>,
}

impl CheckpointService {
    /// A checkpoint with everything that restoring it elsewhere takes, as the bytes of one file.
    pub async fn checkpoint_packed(
        &self,
        request: ExportCheckpoint,
    ) -> Result<PackedCheckpoint, Failure> {
        self.unlocked().await?;
        let this = self.clone();
        blocking(move || this.packed(&request)).await?
    }

    /// A checkpoint out of the bytes of a file; nothing is kept unless all of it is whole.
    pub async fn checkpoint_unpacked(
        &self,
        project_id: ProjectId,
        bytes: Vec<u8>,
        passphrase: Option<Secret>,
    ) -> Result<ImportedCheckpoint, Failure> {
        self.unlocked().await?;
        let alone = self.taking.alone.lock().await;
        let this = self.clone();
        let kept = blocking(move || {
            let bytes = match (bytes.starts_with(LOCKED), passphrase) {
                (true, Some(passphrase)) => {
                    this.core.world.sealer.unlock_file(&passphrase, &bytes).or_failure()?
                }
                (true, None) => {
                    let message = "the file is locked with a passphrase";
                    return Err(Failure::new(Code::PassphraseNeeded, message));
                }
                (false, _) => bytes,
            };
            if bytes.len() as u64 > MAX_PACKED {
                return Err(unreadable("the file is larger than may be read"));
            }
            let bundle = Bundle::read(&bytes).map_err(unreadable)?;
            let (arrived, ids) = arrived(&bundle)?;
            let mut objects = ids.into_iter().map(|id| bundle.get(id).map_err(unreadable));
            this.arrive(project_id, arrived, &mut objects)
        });
        let (checkpoint, warnings) = kept.await??;
        drop(alone);
        self.copy_after(project_id).await;
        self.core.changed([Topic::Checkpoints, Topic::Conversations]);
        Ok(ImportedCheckpoint { item: item(&checkpoint, 0), warnings, notes: Vec::new() })
    }

    /// Files in the form and at the places of the Checkpoints design, the latest first.
    pub async fn checkpoint_foreign_list(
        &self,
        request: ProjectRef,
    ) -> Result<Vec<ForeignItem>, Failure> {
        let found = self.of_others(request.id).await?;
        let mut items: Vec<ForeignItem> = found
            .into_iter()
            .map(|(path, found)| ForeignItem {
                path,
                files: found.files.as_ref().map(|files| files.len() as u64),
                id: found.id,
                tag: found.tag,
                timestamp: found.timestamp,
                messages: found.messages,
                version: found.version,
                notes: found.notes,
            })
            .collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.timestamp));
        Ok(items)
    }

    /// Takes one of them over.
    pub async fn checkpoint_foreign_import(
        &self,
        request: ImportForeign,
    ) -> Result<ImportedCheckpoint, Failure> {
        self.unlocked().await?;
        let mut found = self.of_others(request.project_id).await?;
        let missing = || Failure::new(Code::NotFound, request.path.clone());
        let found = found.remove(&request.path).ok_or_else(missing)?;
        let notes = found.notes.clone();
        let alone = self.taking.alone.lock().await;
        let this = self.clone();
        let kept = blocking(move || {
            let (arrived, objects) = this.of_foreign(request.project_id, found);
            this.arrive(request.project_id, arrived, &mut objects.into_iter().map(Ok))
        });
        let (checkpoint, warnings) = kept.await??;
        drop(alone);
        self.copy_after(request.project_id).await;
        self.core.changed([Topic::Checkpoints, Topic::Conversations]);
        Ok(ImportedCheckpoint { item: item(&checkpoint, 0), warnings, notes })
    }

    fn packed(&self, request: &ExportCheckpoint) -> Result<PackedCheckpoint, Failure> {
        let stores = self.core.stores()?;
        let (checkpoint, project) = self.checkpoint_at(request.id)?;
        let project = stores.records.project(project).or_failure()?;
        let objects = stores.checkpoints.objects();
        let mut writer = BundleWriter::default();
        let mut found = Vec::new();
        needed(&checkpoint, &mut BTreeSet::new(), &mut found, &mut trees(objects.as_ref()))
            .or_failure()?;
        for id in found {
            writer.object(&objects.get(id).or_failure()?);
        }
        let cleaner = self.privacy.cleaner().unless(request.passphrase.is_some());
        let mut chat = None;
        if let Some((objects, whole)) = chat_at(&stores, &checkpoint, Some(&cleaner))? {
            objects.iter().for_each(|bytes| writer.object(bytes));
            chat = Some(whole);
        }
        let at = checkpoint.created_at.strftime("%Y-%m-%d %H.%M");
        let title = checkpoint.tag.clone().unwrap_or_else(|| format!("{} {at}", project.name));
        let manifest = Manifest { checkpoint, project: project.name, chat };
        let mut bytes = writer.finish(Some(&manifest));
        if let Some(passphrase) = &request.passphrase {
            bytes = self.core.world.sealer.lock_file(passphrase, &bytes).or_failure()?;
        }
        Ok(PackedCheckpoint { name: export::file_name(&title, EXTENSION), bytes })
    }

    /// Keeps what arrived: objects, the conversation, and last the row that names them; whoever calls holds `alone`.
    pub(super) fn arrive(
        &self,
        project: ProjectId,
        arrived: Arrived,
        objects: &mut dyn Iterator<Item = Result<Vec<u8>, Failure>>,
    ) -> Result<(Checkpoint, Vec<ImportWarning>), Failure> {
        let Arrived { mut checkpoint, chat } = arrived;
        let (stores, now) = (self.core.stores()?, self.core.now());
        let project = stores.records.project(project).or_failure()?.id;
        let kept = stores.checkpoints.objects();
        for bytes in objects {
            kept.put(&bytes?).or_failure()?;
        }
        let found = chat.map(|text| export::import(&text, "", now).or_failure()).transpose()?;
        let mut warnings = Vec::new();
        let mut state = checkpoint.conversation.take();
        if let Some(found) = found {
            let (message, messages) = (Some(found.active), found.messages.len() as u64);
            let summaries = found.summaries.iter().map(|record| record.id).collect();
            let id = found.conversation_id;
            warnings = self.conversations.keep_imported(found, Some(project))?.warnings;
            state =
                state.map(|state| ConversationState { id, message, messages, summaries, ..state });
        } else {
            state = None;
        }
        checkpoint = Checkpoint {
            id: CheckpointId::new(now),
            tag: free_tag(&stores, project, checkpoint.tag)?,
            pinned: true,
            created_at: checkpoint.created_at.min(now),
            reason: CheckpointReason::Imported,
            parent: None,
            project_id: Some(project),
            conversation: state,
            ..checkpoint
        };
        let added = stores.checkpoints.add_checkpoint(&checkpoint).or_failure();
        if let (Err(_), Some(state)) = (&added, &checkpoint.conversation) {
            self.conversations.forget_imported(state.id)?;
        }
        added.map(|()| (checkpoint, warnings))
    }

    async fn of_others(&self, project: ProjectId) -> Result<BTreeMap<String, Foreign>, Failure> {
        let project = self.core.stores()?.records.project(project).or_failure()?;
        let places = self.core.world.foreign.clone();
        blocking(move || {
            let read = |path: String| {
                let bytes = places.read(&project.path, &path).ok()?;
                Some((path, foreign::read(&bytes)?))
            };
            places.found(&project.path).into_iter().filter_map(read).collect()
        })
        .await
    }

    /// A foreign checkpoint as one of ours (behaviour.md, Checkpoints), and its objects.
    fn of_foreign(&self, project: ProjectId, found: Foreign) -> (Arrived, Vec<Vec<u8>>) {
        let now = self.core.now();
        let mut objects = Vec::new();
        let files = found.files.as_ref().map(|files| {
            let (tree, made) = foreign::trees(files);
            objects = made;
            FilesState {
                tree,
                files: files.len() as u64,
                bytes: files.values().map(|text| text.len() as u64).sum(),
                changed: files.len() as u64,
                not_captured: Vec::new(),
                not_captured_count: 0,
            }
        });
        let memory = found.memory.map(|memory| {
            let bytes = memory.to_string().into_bytes();
            let id = ObjectId::of(&bytes);
            objects.push(bytes);
            id
        });
        // The place of the conversation is filled in when it has one here.
        let placeholder = siltstone_engine::ids::ConversationId::new(now);
        let state = ConversationState {
            id: placeholder,
            message: None,
            messages: 0,
            summaries: Vec::new(),
            token_usage: found.token_usage,
            model: found.model,
            provider: String::new(),
        };
        let checkpoint = Checkpoint {
            id: CheckpointId::new(now),
            tag: found.tag,
            pinned: true,
            created_at: found.timestamp.unwrap_or(now),
            reason: CheckpointReason::Imported,
            parent: None,
            project_id: Some(project),
            conversation: Some(state),
            files,
            context: ContextState {
                memory,
                runtime_additions: found.runtime_additions,
                stores: None,
                settings: None,
            },
            metadata: Metadata {
                session_id: found.session_id,
                user_id: found.user_id,
                project_path: found.project_path,
                version: found.version,
                format: FORMAT,
            },
        };
        let chat = Some(found.transcript).filter(|text| !text.is_empty());
        (Arrived { checkpoint, chat }, objects)
    }
}

/// What a file brings, and the objects that its checkpoint names; all of them are in it.
fn arrived(bundle: &Bundle<'_>) -> Result<(Arrived, Vec<ObjectId>), Failure> {
    let manifest = bundle.manifest();
    let manifest = manifest.ok_or_else(|| unreadable("it holds no checkpoint"))?.clone();
    if !manifest.checkpoint.is_known() {
        return Err(unreadable("a newer version of the program wrote it"));
    }
    let mut found = Vec::new();
    let mut tree = |id| bundle.tree(id);
    needed(&manifest.checkpoint, &mut BTreeSet::new(), &mut found, &mut tree)
        .map_err(unreadable)?;
    if let Some(id) = found.iter().copied().find(|id| !bundle.has(*id)) {
        return Err(unreadable(BadBundle::Missing { id }));
    }
    let chat = match manifest.chat {
        Some(id) => {
            let chat = bundle.get(id).map_err(unreadable)?;
            let chat: Chat = serde_json::from_slice(&chat).map_err(unreadable)?;
            Some(as_text(&chat, &mut |id| bundle.get(id)).map_err(unreadable)?)
        }
        None => None,
    };
    Ok((Arrived { checkpoint: manifest.checkpoint, chat }, found))
}

fn unreadable(why: impl ToString) -> Failure {
    Failure::new(Code::CheckpointUnreadable, why.to_string())
}

/// A conversation as the text that an export of it is, which importing makes new ids of.
fn as_text<E>(
    chat: &Chat,
    read: &mut dyn FnMut(ObjectId) -> Result<Vec<u8>, E>,
) -> Result<String, E> {
    let mut attached = BTreeMap::new();
    for (hash, id) in &chat.attached {
        attached.insert(hash.clone(), read(*id)?.into());
    }
    let shown: Vec<_> = chat.messages.iter().map(|message| message.id).collect();
    let Chat { conversation, messages, summaries, .. } = chat;
    Ok(export::json(conversation, messages, summaries, &shown, &attached, false))
}

/// The objects of a conversation, and the id of the [`Chat`] among them.
pub(super) type ChatObjects = (Vec<Vec<u8>>, ObjectId);

/// A checkpoint's conversation; `None` when it has none, or it was deleted for ever.
pub(super) fn chat_at(
    stores: &Stores,
    checkpoint: &Checkpoint,
    cleaner: Option<&Cleaner<'_>>,
) -> Result<Option<ChatObjects>, Failure> {
    let Some(state) = &checkpoint.conversation else { return Ok(None) };
    let mut conversation = match stores.transcripts.conversation(state.id) {
        Err(StoreError::NotFound { .. }) => return Ok(None),
        found => found.or_failure()?,
    };
    let mut messages: Vec<Message> = Vec::new();
    let mut next = state.message;
    while let Some(id) = next {
        let found = stores.transcripts.message(id).or_failure()?.message;
        next = found.parent_id;
        messages.push(found);
    }
    if messages.is_empty() {
        return Ok(None);
    }
    messages.reverse();
    let mut summaries = stores.summaries.summaries(state.id).or_failure()?;
    summaries.retain(|record| state.summaries.contains(&record.id));
    conversation.draft.clear();
    conversation.draft_attachments.clear();
    conversation.tuning.mode = None;
    if let Some(cleaner) = cleaner {
        cleaner.clean(&mut conversation.title);
        cleaner.clean(&mut conversation.tuning.instructions);
        messages.iter_mut().for_each(|message| _ = cleaner.message(message));
        summaries.iter_mut().for_each(|record| _ = cleaner.clean(&mut record.summary));
    }
    let parts = messages.iter().flat_map(|message| &message.parts);
    let mut bytes = bytes_of(stores, parts)?.found;
    bytes.extend(outputs_of(stores, state.id, &mut messages, cleaner)?);
    let attached = bytes.iter().map(|(hash, bytes)| (hash.clone(), ObjectId::of(bytes))).collect();
    let mut objects: Vec<Vec<u8>> = bytes.values().map(|bytes| bytes.to_vec()).collect();
    let chat = Chat { conversation, messages, summaries, attached };
    // Strings, numbers and lists alone: writing them to memory cannot fail.
    let chat = serde_json::to_vec(&chat).unwrap_or_default();
    let id = ObjectId::of(&chat);
    objects.push(chat);
    Ok(Some((objects, id)))
}

/// The tag, or the tag with a number where a checkpoint of the project has it already.
pub(super) fn free_tag(
    stores: &Stores,
    project: ProjectId,
    tag: Option<String>,
) -> Result<Option<String>, Failure> {
    let Some(wanted) = super::checked(tag).unwrap_or_default() else { return Ok(None) };
    let mut tag = wanted.clone();
    let mut number = 2;
    while stores.checkpoints.tagged(project, &tag).or_failure()?.is_some() {
        tag = format!("{wanted} ({number})");
        number += 1;
    }
    Ok(Some(tag))
}

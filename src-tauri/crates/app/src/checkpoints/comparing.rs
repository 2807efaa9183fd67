//! Two moments beside each other: their files, their messages and their context. A later moment may be now.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use siltstone_contract::{
    ChangeKind, CheckpointDiff, CompareCheckpoints, CompareFile, ContextChange, Failure,
    FileChange, FileTexts, MomentMessage,
};
use siltstone_engine::checkpoint::{
    Change, Checkpoint, ConversationState, Leaf, ObjectId, Objects, Tree, diff, leaf_at, shown,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, MessageId};
use siltstone_engine::memory::Effective;
use siltstone_engine::message::Message;
use siltstone_engine::ports::{StoreError, Stores};

use super::taking::{of_snapshot, read_json, said};
use crate::checkpoints::CheckpointService;
use crate::contexts::Told;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request};

/// Largest file whose text is compared.
const MAX_TEXT: u64 = 1024 * 1024;

/// Messages that are named; beyond them they are counted.
const NAMED: usize = 50;

/// Characters of a message that are shown.
const SHOWN: usize = 200;

/// One of two moments.
struct Moment {
    files: Option<ObjectId>,
    conversation: Option<(ConversationId, Option<MessageId>)>,
    memory: Option<String>,
    lines: Vec<String>,
    told: BTreeMap<String, String>,
    settings: BTreeMap<String, serde_json::Value>,
}

impl CheckpointService {
    /// What is different between a checkpoint and another one, or now.
    pub async fn checkpoint_diff(
        &self,
        request: CompareCheckpoints,
    ) -> Result<CheckpointDiff, Failure> {
        self.unlocked().await?;
        let stores = self.core.stores()?;
        let (checkpoint, _) = self.checkpoint_at(request.id)?;
        let objects = stores.checkpoints.objects();
        let before = moment(objects.as_ref(), &checkpoint)?;
        let after = match request.with {
            Some(id) => moment(objects.as_ref(), &self.sibling(&checkpoint, id)?)?,
            None => self.moment_now(&checkpoint).await?,
        };
        let this = self.clone();
        blocking(move || this.compared(objects.as_ref(), &before, &after)).await?
    }

    /// One file at two moments.
    pub async fn checkpoint_file_diff(&self, request: CompareFile) -> Result<FileTexts, Failure> {
        self.unlocked().await?;
        let stores = self.core.stores()?;
        let (checkpoint, _) = self.checkpoint_at(request.id)?;
        let before = tree_of(&checkpoint);
        let after = match request.with {
            Some(id) => tree_of(&self.sibling(&checkpoint, id)?),
            None => self.tree_now(&checkpoint).await?,
        };
        let objects = stores.checkpoints.objects();
        let changes = diff(before, after, &mut trees(objects.as_ref())).or_failure()?;
        let of = changes.into_iter().find(|change| shown(&change.path) == request.path);
        let Some(change) = of else {
            return Ok(FileTexts { before: None, after: None, binary: false });
        };
        let texts =
            [&change.before, &change.after].map(|leaf| readable(objects.as_ref(), leaf.as_ref()));
        let [before, after] = texts;
        let (before, after) = (before?, after?);
        let binary = [&before, &after].iter().any(|text| matches!(text, Readable::Binary));
        Ok(FileTexts { before: before.text(), after: after.text(), binary })
    }

    /// Another checkpoint of the same project; each project's are kept for themselves.
    fn sibling(&self, of: &Checkpoint, id: CheckpointId) -> Result<Checkpoint, Failure> {
        let (found, _) = self.checkpoint_at(id)?;
        match found.project_id == of.project_id {
            true => Ok(found),
            false => Err(bad_request("they are of two projects")),
        }
    }

    fn compared(
        &self,
        objects: &dyn Objects,
        before: &Moment,
        after: &Moment,
    ) -> Result<CheckpointDiff, Failure> {
        let stores = self.core.stores()?;
        let files = diff(before.files, after.files, &mut trees(objects)).or_failure()?;
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        if let (Some((conversation, was)), Some((same, is))) =
            (before.conversation, after.conversation)
            && conversation == same
        {
            (gone, come) = self.paths_apart(&stores, was, is)?;
        }
        let counts = (gone.len() as u64, come.len() as u64);
        let messages = gone.iter().map(|message| (message, false));
        let messages = messages.chain(come.iter().map(|message| (message, true)));
        let named = |(message, later): (&Message, bool)| MomentMessage {
            id: message.id,
            role: message.role,
            text: message.text().chars().take(SHOWN).collect(),
            later,
        };
        Ok(CheckpointDiff {
            files: files.iter().map(file_change).collect(),
            messages_before: counts.0,
            messages_after: counts.1,
            messages: messages.take(NAMED).map(named).collect(),
            context: context_changes(before, after),
        })
    }

    /// The messages that only one of two paths has, each in order.
    pub(super) fn paths_apart(
        &self,
        stores: &Stores,
        was: Option<MessageId>,
        is: Option<MessageId>,
    ) -> Result<(Vec<Message>, Vec<Message>), Failure> {
        let read = |id| stores.transcripts.message(id).map(|found| found.message).or_failure();
        let (mut one, mut other) = (was.map(read).transpose()?, is.map(read).transpose()?);
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        // The deeper end steps up until both stand on the same message.
        loop {
            match (one.take(), other.take()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.id == b.id => break,
                (Some(a), b) if b.as_ref().is_none_or(|b| a.index >= b.index) => {
                    one = a.parent_id.map(read).transpose()?;
                    other = b;
                    gone.push(a);
                }
                (a, Some(b)) => {
                    other = b.parent_id.map(read).transpose()?;
                    one = a;
                    come.push(b);
                }
                (a, None) => one = a,
            }
        }
        gone.reverse();
        come.reverse();
        Ok((gone, come))
    }

    /// The files of a checkpoint's project as they are now.
    pub(super) async fn tree_now(
        &self,
        checkpoint: &Checkpoint,
    ) -> Result<Option<ObjectId>, Failure> {
        let (_, project) = self.checkpoint_at(checkpoint.id)?;
        if checkpoint.files.is_none() {
            return Ok(None);
        }
        let project = self.core.stores()?.records.project(project).or_failure()?;
        let _alone = self.taking.alone.lock().await;
        let this = self.clone();
        let tree = blocking(move || {
            let stores = this.core.stores()?;
            let captured = this.capture(&stores, &project, &[]).map_err(of_snapshot)?;
            stores.checkpoints.objects().sync().or_failure()?;
            Ok::<_, Failure>(captured.tree)
        });
        tree.await?
    }

    async fn moment_now(&self, like: &Checkpoint) -> Result<Moment, Failure> {
        let stores = self.core.stores()?;
        let (_, project) = self.checkpoint_at(like.id)?;
        let id = like.conversation.as_ref().map(|state| state.id);
        // A conversation that was deleted for ever has no now.
        let id = id.filter(|id| stores.transcripts.conversation(*id).is_ok());
        let tip = |id| stores.transcripts.page(id, None, 1).or_failure();
        let conversation = match id {
            Some(id) => Some((id, tip(id)?.messages.last().map(|found| found.message.id))),
            None => None,
        };
        let lines = stores.memory.lines(Some(project), id).or_failure()?;
        Ok(Moment {
            files: self.tree_now(like).await?,
            conversation,
            memory: match like.context.memory {
                Some(_) => Some(said(&self.merged_memory(project, id).await?)),
                None => None,
            },
            lines: lines.into_iter().map(|line| line.text).collect(),
            told: self.contexts.told_context(project).await?.entries(),
            settings: as_map(Some(self.shaping_settings()?)),
        })
    }
}

fn moment(objects: &dyn Objects, checkpoint: &Checkpoint) -> Result<Moment, Failure> {
    let context = &checkpoint.context;
    let told: Option<Told> = read_json(objects, context.stores)?;
    let memory: Option<Effective> = read_json(objects, context.memory)?;
    let state = |state: &ConversationState| (state.id, state.message);
    Ok(Moment {
        files: tree_of(checkpoint),
        conversation: checkpoint.conversation.as_ref().map(state),
        memory: memory.as_ref().map(said),
        lines: context.runtime_additions.clone(),
        told: told.unwrap_or_default().entries(),
        settings: as_map(read_json(objects, context.settings)?),
    })
}

pub(super) fn tree_of(checkpoint: &Checkpoint) -> Option<ObjectId> {
    checkpoint.files.as_ref().and_then(|files| files.tree)
}

/// Reads trees out of the stores.
pub(super) fn trees(objects: &dyn Objects) -> impl FnMut(ObjectId) -> Result<Tree, StoreError> {
    move |id| {
        Tree::decode(id, &objects.get(id)?).map_err(|error| StoreError::Damaged {
            path: format!("object {id}"),
            detail: error.detail,
        })
    }
}

fn as_map(value: Option<serde_json::Value>) -> BTreeMap<String, serde_json::Value> {
    match value {
        Some(serde_json::Value::Object(map)) => map.into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

fn context_changes(before: &Moment, after: &Moment) -> Vec<ContextChange> {
    let mut changes = Vec::new();
    let mut push = |name: &str, before: Option<&str>, after: Option<&str>| {
        if before != after {
            let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
            changes.push(ContextChange { name: name.to_owned(), before, after });
        }
    };
    push("memory", before.memory.as_deref(), after.memory.as_deref());
    let [was, is] = [before, after].map(|moment| moment.lines.iter().collect::<HashSet<_>>());
    for line in before.lines.iter().filter(|line| !is.contains(line)) {
        push("runtime", Some(line), None);
    }
    for line in after.lines.iter().filter(|line| !was.contains(line)) {
        push("runtime", None, Some(line));
    }
    for key in before.told.keys().chain(after.told.keys()).collect::<BTreeSet<_>>() {
        let of = |moment: &'_ Moment| moment.told.get(key).cloned();
        push(key, of(before).as_deref(), of(after).as_deref());
    }
    let keys = before.settings.keys().chain(after.settings.keys());
    for key in keys.collect::<BTreeSet<_>>() {
        let of = |moment: &Moment| moment.settings.get(key).map(ToString::to_string);
        push(&format!("settings.{key}"), of(before).as_deref(), of(after).as_deref());
    }
    changes
}

fn size(leaf: &Leaf) -> u64 {
    match leaf {
        Leaf::File { size, .. } => *size,
        Leaf::Link { target } => target.len() as u64,
    }
}

/// Bytes of what stands at a path.
pub(super) fn size_of(leaf: Option<&Leaf>) -> Option<u64> {
    leaf.map(size)
}

fn file_change(change: &Change) -> FileChange {
    let kind = match (&change.before, &change.after) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        (Some(Leaf::File { id: was, .. }), Some(Leaf::File { id: is, .. })) if was == is => {
            ChangeKind::Mode
        }
        _ => ChangeKind::Modified,
    };
    FileChange {
        path: shown(&change.path),
        kind,
        before: size_of(change.before.as_ref()),
        after: size_of(change.after.as_ref()),
    }
}

/// The content of a path, as far as it can be shown.
pub(super) enum Readable {
    Nothing,
    Text(String),
    Binary,
}

impl Readable {
    pub(super) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing | Self::Binary => None,
        }
    }
}

/// The text of a leaf; a link is shown as where it points.
pub(super) fn readable(objects: &dyn Objects, leaf: Option<&Leaf>) -> Result<Readable, Failure> {
    let bytes = match leaf {
        None => return Ok(Readable::Nothing),
        Some(Leaf::File { size, .. }) if *size > MAX_TEXT => return Ok(Readable::Binary),
        Some(Leaf::File { id, .. }) => objects.get(*id).or_failure()?,
        Some(Leaf::Link { target }) => target.clone(),
    };
    Ok(match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Readable::Text(text),
        _ => Readable::Binary,
    })
}

/// What stood at a path in a checkpoint.
pub(super) fn leaf_in(
    objects: &dyn Objects,
    root: Option<ObjectId>,
    path: &[u8],
) -> Result<Option<Leaf>, Failure> {
    leaf_at(root, path, &mut trees(objects)).or_failure()
}

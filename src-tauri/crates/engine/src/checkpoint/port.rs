//! What checkpoints need of the world.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::plan::{Choice, Step};
use super::tree::{BadTree, Leaf, ObjectId};
use super::{Aged, Checkpoint};
use crate::ids::{CheckpointId, ConversationId, PlanId, ProjectId, TurnId};
use crate::ports::{OnProgress, StoreError};

/// Content-addressed bytes. What was put is durable after [`Objects::sync`], and not before.
pub trait Objects: Send + Sync {
    /// Keeps bytes under their id; bytes that are there already cost nothing.
    fn put(&self, bytes: &[u8]) -> Result<ObjectId, StoreError>;
    /// Whether bytes of this id are there.
    fn has(&self, id: ObjectId) -> Result<bool, StoreError>;
    /// The bytes under an id. Bytes that are not what their id says are reported as damaged and never given.
    fn get(&self, id: ObjectId) -> Result<Vec<u8>, StoreError>;
    /// Makes everything that was put durable.
    fn sync(&self) -> Result<(), StoreError>;
}

/// Where files are captured and restored.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotPlace<'a> {
    /// The project's root.
    pub root: &'a str,
    /// Patterns of files that are never captured, as in `.gitignore`.
    pub exclude: &'a [String],
    /// Patterns of files that are captured although git ignores them.
    pub also: &'a [String],
    /// Largest file that is captured.
    pub max_file_bytes: u64,
    /// Paths below the root that are read whatever their stamps say: what is about to be changed.
    pub surely: &'a [Vec<u8>],
}

/// A path that is there and was not captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NotCaptured {
    /// Below the root, as shown.
    pub path: String,
    /// Why.
    pub why: NotCapturedWhy,
}

/// Why a path was not captured. The UI owns the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NotCapturedWhy {
    /// Larger than a file may be.
    TooLarge,
    /// The person, or its name, says that it holds secrets.
    Excluded,
    /// A pipe, a socket, a device.
    NotRegular,
    /// It could not be read.
    Unreadable,
    /// It changed again and again while it was read.
    Unsteady,
    /// A program that may write here could not be asked whether it holds files in its memory: what it wrote there and nobody
    /// wrote down may be missing.
    Unsure,
}

/// What may have changed since the last capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dirty {
    /// Anything: the whole folder is looked at.
    Anything,
    /// What the system told since the last capture, of a folder that is listened to from now on; anything where it
    /// may not have told all.
    Told,
    /// These paths below the root and what lies beneath them; nothing else.
    Paths(Vec<Vec<u8>>),
}

/// Whether the system tells of every change in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The folder is not listened to.
    Nothing,
    /// Something changed meanwhile.
    Unsure,
    /// A look at everything found nothing else.
    All,
    /// It found a change that was not told. The folder is not listened to any more.
    NotAll,
}

/// A capture of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The root's tree; `None` for an empty folder.
    pub tree: Option<ObjectId>,
    /// Files and links in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files whose content was read.
    pub read: u64,
    /// What is there and was not captured.
    pub not_captured: Vec<NotCaptured>,
}

/// How capturing or restoring fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The folder is gone or cannot be read.
    #[error("{path}: {detail}")]
    Folder {
        /// The path.
        path: String,
        /// What the system said.
        detail: String,
    },
    /// A file is not what the plan was made for, and was left as it is.
    #[error("{path} changed after the plan was made")]
    Changed {
        /// The path.
        path: String,
    },
    /// The person's home, or the root of a file system: such a folder is not captured.
    #[error("{path} holds too much to be captured")]
    TooWide {
        /// The path.
        path: String,
    },
    /// The person cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The objects could not be kept or found.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A project's files on disk.
pub trait FileSnapshots: Send + Sync {
    /// Whether a folder holds too much to be captured: the person's home, or the root of a file system.
    fn is_wide(&self, root: &str) -> bool;
    /// Captures the folder. What has the stamp it had at the last capture of this root is not read again.
    fn capture(
        &self,
        place: &SnapshotPlace<'_>,
        dirty: &Dirty,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Captured, SnapshotError>;
    /// Compares a capture of what was told with one of everything. Both may have put objects.
    fn verify(
        &self,
        place: &SnapshotPlace<'_>,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Heard, SnapshotError>;
    /// Makes a path what it should be, atomically, when it still is `now`; folders are made, and a folder that is empty
    /// afterwards goes. A path that is what it should be already is left alone. Owner and attributes of a file that is
    /// replaced stay; of the paths in `alike`, which are `now` and become `then` too, those that are other names of it stay
    /// that.
    fn write(
        &self,
        root: &str,
        path: &[u8],
        now: Option<&Leaf>,
        then: Option<&Leaf>,
        alike: &[&[u8]],
        objects: &dyn Objects,
    ) -> Result<(), SnapshotError>;
    /// Makes a folder with those above it; `false` where something has its name already.
    fn make_folder(&self, root: &str, path: &[u8]) -> Result<bool, SnapshotError>;
}

/// What of a checkpoint comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// The conversation as it stood.
    pub chat: bool,
    /// The project's files.
    pub files: bool,
    /// What was added while working.
    pub memory: bool,
    /// What is known beside the conversation.
    pub context: bool,
}

/// A plan that was made and may be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPlan {
    /// Its id.
    pub id: PlanId,
    /// The checkpoint that is restored; of a turn, the one before it.
    pub checkpoint: CheckpointId,
    /// When it was made.
    pub created_at: Timestamp,
    /// What comes back.
    pub parts: Parts,
    /// The files as Siltstone saw them last in ordinary work, which merges begin with; of a turn, as it left them.
    pub base: Option<ObjectId>,
    /// The files.
    pub steps: Vec<(Step, Option<Choice>)>,
    /// The checkpoint that was taken before it was begun; `None` until then.
    pub before: Option<CheckpointId>,
    /// When its last step was done.
    pub finished_at: Option<Timestamp>,
    /// The turn whose changes it takes back; `None` where a checkpoint is restored.
    #[serde(default)]
    pub turn: Option<TurnId>,
    /// The copy of a project whose changes it takes over, or takes back within the copy; `None` where neither is done. Then
    /// `base` is what the copy began with, and `checkpoint` what the copy held, or within it its first one.
    #[serde(default)]
    pub copy: Option<ProjectId>,
}

impl StoredPlan {
    /// Whether a checkpoint is restored, rather than what a turn or a copy changed.
    pub fn is_whole(&self) -> bool {
        self.turn.is_none() && self.copy.is_none()
    }

    /// Whether it cannot be finished, or undone afterwards, without a checkpoint.
    pub fn needs(&self, id: CheckpointId) -> bool {
        id == self.checkpoint || Some(id) == self.before
    }
}

/// A file that Siltstone itself wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Below the root.
    pub path: Vec<u8>,
    /// What it wrote; `None` when it deleted it.
    pub leaf: Option<Leaf>,
}

/// Rows of checkpoints, beside the objects they name.
pub trait Checkpoints: Send + Sync {
    /// What checkpoints hold.
    fn objects(&self) -> Arc<dyn Objects>;
    /// Makes a checkpoint durable; every object it names is durable before.
    fn add_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), StoreError>;
    /// Changes tag and pin.
    fn change_checkpoint(
        &self,
        id: CheckpointId,
        tag: Option<&str>,
        pinned: bool,
    ) -> Result<(), StoreError>;
    /// One checkpoint.
    fn checkpoint(&self, id: CheckpointId) -> Result<Checkpoint, StoreError>;
    /// The checkpoint of a tag.
    fn tagged(&self, project: ProjectId, tag: &str) -> Result<Option<Checkpoint>, StoreError>;
    /// Checkpoints of a project made before a time, newest first, each with the bytes it added on disk. While what is
    /// sealed cannot be opened, they have what may be seen without the key: no files and no context.
    fn checkpoints(
        &self,
        project: ProjectId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(Checkpoint, u64)>, StoreError>;
    /// All checkpoints of a project as the rules of retention see them, oldest first, and what they take on disk.
    fn aged(&self, project: ProjectId) -> Result<(Vec<Aged>, u64), StoreError>;
    /// Deletes checkpoints; their objects go when nothing names them. Fails with `Conflict` while a restore that was
    /// begun and not finished needs one of them.
    fn delete_checkpoints(&self, ids: &[CheckpointId]) -> Result<(), StoreError>;
    /// Takes a conversation that is deleted for ever out of every checkpoint, with its own lines of memory, and writes
    /// packs anew that hold what no checkpoint names any more. Fails with `Locked` while they are sealed, and with
    /// `Conflict` while a checkpoint is being made.
    fn forget_conversation(&self, id: ConversationId, lines: &[String]) -> Result<(), StoreError>;
    /// Frees what no checkpoint names; bytes freed. Fails with `Conflict` while a checkpoint is being made.
    fn collect(&self) -> Result<u64, StoreError>;
    /// The objects that are damaged or missing, each with the checkpoints that need it.
    fn verify(
        &self,
        progress: OnProgress<'_>,
    ) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError>;

    /// Looks for damaged and missing objects in everything that is on disk; how many can be read again.
    fn repair(&self) -> Result<u64, StoreError>;

    /// Keeps a plan, and every object it names.
    fn put_plan(&self, project: ProjectId, plan: &StoredPlan) -> Result<(), StoreError>;
    /// One plan.
    fn plan(&self, id: PlanId) -> Result<StoredPlan, StoreError>;
    /// Waits until no process restores, and is the one that does as long as what is returned is kept.
    fn restore_alone(&self) -> Result<Box<dyn Send + Sync>, StoreError>;
    /// Plans of a project that were begun and not finished; one of them may be carried out now.
    fn unfinished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError>;
    /// Those of them that nobody is at; none is said to be while any process restores.
    fn cut_off_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError>;

    /// The restores that were finished in a project, in their order.
    fn finished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError>;

    /// The restore that was finished last in a project.
    fn last_restore(&self, project: ProjectId) -> Result<Option<StoredPlan>, StoreError>;

    /// The restore that a checkpoint was taken before, of which it is the way back.
    fn guarded_by(
        &self,
        project: ProjectId,
        before: CheckpointId,
    ) -> Result<Option<StoredPlan>, StoreError>;

    /// Remembers what Siltstone wrote in a project; `None` where what stands there is not its own.
    fn note_written(&self, project: ProjectId, written: &[Written]) -> Result<(), StoreError>;
    /// What Siltstone wrote at a path last.
    fn written(&self, project: ProjectId, path: &[u8]) -> Result<Option<Leaf>, StoreError>;
}

impl From<BadTree> for StoreError {
    fn from(error: BadTree) -> Self {
        Self::Damaged { path: format!("object {}", error.id), detail: error.detail }
    }
}

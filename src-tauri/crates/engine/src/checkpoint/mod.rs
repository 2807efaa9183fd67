//! Checkpoints: a moment of a conversation, its files and its context, that can be gone back to (the Checkpoints design, "체크포인트
//! 시스템").
//!
//! Files are content-addressed [`Tree`]s, so a checkpoint costs what changed. A restore is a [`plan`] first, made of
//! three states. Nothing here touches a disk: objects come through [`Objects`], folders through [`FileSnapshots`], rows
//! through [`Checkpoints`]. Deliberately absent: the transcript itself, which is append-only and never copied; a
//! checkpoint names the message it stood at.

mod bundle;
mod copied;
mod diff;
pub mod foreign;
mod merge;
mod pieces;
mod place;
mod plan;
mod port;
pub mod remote;
mod retention;
mod seal;
mod space;
#[cfg(test)]
mod tests;
mod told;
mod tree;

pub use bundle::{BadBundle, Bundle, BundleWriter, Chat, EXTENSION, MAX_PACKED, Manifest, needed};
pub use copied::{TakenOver, Texts, take_over};
pub use diff::{Change, ReadTree, diff, empty_folders, leaf_at};
pub use merge::{Merged, merge};
pub use pieces::{Pieces, Standing};
pub use place::{FoundCheckpoints, FoundFolder, IN_PROJECT, Kept, OnCopied, PlaceState, Places};
pub use plan::{Action, Choice, Known, Step, Why, plan};
pub use port::{
    Captured, Checkpoints, Dirty, FileSnapshots, Heard, NotCaptured, NotCapturedWhy, Objects,
    Parts, SnapshotError, SnapshotPlace, StoredPlan, Written,
};
pub use retention::{Aged, Reckoning, Retention, Rule, overdue};
pub use seal::{SealError, SealKey, Sealed, Sealer, Sealing};
pub use space::Space;
pub use told::{Did, RolledBack};
pub use tree::{BadTree, Leaf, Node, ObjectId, Tree, shown};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::remote::Remote;
use crate::ids::{CheckpointId, ConversationId, MessageId, ProjectId, SummaryId};
use crate::turn::Usage;

/// The form in which checkpoints are kept; an older one is migrated, a newer one can be looked at and not restored.
pub const FORMAT: u32 = 1;

/// Largest file that is captured; the person can change it.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Time between automatic checkpoints while something changed (behaviour.md, Checkpoints).
pub const EVERY_MINUTES: i64 = 30;

/// Why a checkpoint was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum CheckpointReason {
    /// The person asked for it.
    Manual,
    /// Something changed, and half an hour passed.
    Interval,
    /// Before a tool that writes, deletes or runs.
    BeforeTool {
        /// Its name.
        tool: String,
    },
    /// After a turn that may have changed files: what the turn left.
    AfterTurn,
    /// Before a restore.
    BeforeRestore {
        /// Of which checkpoint.
        of: CheckpointId,
    },
    /// Before a change of a memory file.
    BeforeMemory {
        /// Its path.
        path: String,
    },
    /// The person works on another plan from here on.
    PlanChange {
        /// Its title; empty for none.
        plan: String,
    },
    /// It came in a file.
    Imported,
    /// What a copy of the project held when it was looked at to be taken over.
    Copy {
        /// The copy, which may be gone.
        copy: ProjectId,
        /// What the copy is called.
        name: String,
    },
}

impl CheckpointReason {
    /// Whether it is taken without being asked for, and nothing else waits for it.
    pub fn is_automatic(&self) -> bool {
        !matches!(self, Self::Manual | Self::BeforeRestore { .. } | Self::Imported)
    }

    /// Whether it saw the project in ordinary work. What a restore took to guard itself saw what nobody decided on yet, and
    /// what came in a file or of a copy is another folder.
    pub fn saw_work(&self) -> bool {
        !matches!(self, Self::BeforeRestore { .. } | Self::Imported | Self::Copy { .. })
    }
}

/// Where a conversation stood (behaviour.md, Checkpoints).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConversationState {
    /// Which.
    pub id: ConversationId,
    /// The last message of the shown path; `None` while there was none. The messages are those above it.
    pub message: Option<MessageId>,
    /// How many messages the path had.
    pub messages: u64,
    /// The summaries that held.
    pub summaries: Vec<SummaryId>,
    /// What the conversation took so far (`tokenUsage`).
    pub token_usage: Usage,
    /// The model that was asked.
    pub model: String,
    /// Its provider.
    pub provider: String,
}

/// The files of the project (behaviour.md, Checkpoints).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FilesState {
    /// The root's tree; `None` for an empty folder.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub tree: Option<ObjectId>,
    /// How many files it has.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many paths differ from the checkpoint before.
    pub changed: u64,
    /// Paths that are there and were not captured, with why; the first ones.
    pub not_captured: Vec<NotCaptured>,
    /// How many there are in all.
    pub not_captured_count: u64,
}

/// What shaped a request (behaviour.md, Checkpoints).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ContextState {
    /// The merged memory as JSON, an object.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub memory: Option<ObjectId>,
    /// What was added while working.
    pub runtime_additions: Vec<String>,
    /// The context stores as JSON, an object.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub stores: Option<ObjectId>,
    /// The settings that shape a request as JSON, an object.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub settings: Option<ObjectId>,
}

/// Where it was made, and by what (behaviour.md, Checkpoints).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Metadata {
    /// The sitting in which it was made: one run of the program.
    pub session_id: String,
    /// The name of the person's account on this computer, if they want it kept.
    pub user_id: Option<String>,
    /// The project's root.
    pub project_path: String,
    /// The program's version.
    pub version: String,
    /// [`FORMAT`] when it was made.
    pub format: u32,
}

/// A checkpoint (behaviour.md, Checkpoints).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Checkpoint {
    /// Its id.
    pub id: CheckpointId,
    /// A name the person gave; unique in a project.
    pub tag: Option<String>,
    /// Stays whatever the rules say.
    pub pinned: bool,
    /// When (`timestamp`).
    pub created_at: Timestamp,
    /// Why.
    pub reason: CheckpointReason,
    /// The one before it on the same line of work.
    pub parent: Option<CheckpointId>,
    /// The project.
    pub project_id: Option<ProjectId>,
    /// The conversation, if one was open.
    pub conversation: Option<ConversationState>,
    /// The files, unless they could not or should not be captured.
    pub files: Option<FilesState>,
    /// The context.
    pub context: ContextState,
    /// Where, and by what.
    pub metadata: Metadata,
}

/// What the person chose for checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct CheckpointSettings {
    /// Whether they are taken without being asked for.
    pub on: bool,
    /// Which ones go.
    pub retention: Retention,
    /// Who makes them, as new ones say it; empty for nobody.
    pub user_id: String,
    /// Largest file that is captured, in bytes.
    pub max_file_bytes: u64,
    /// Patterns of files that are captured although git ignores them, as in `.gitignore`.
    pub also: Vec<String>,
    /// Places beyond this computer that checkpoints are pushed to; what opens them is kept elsewhere.
    pub remotes: Vec<Remote>,
}

impl Default for CheckpointSettings {
    fn default() -> Self {
        let retention = Retention::default();
        Self {
            on: true,
            retention,
            user_id: String::new(),
            max_file_bytes: MAX_FILE_BYTES,
            also: Vec::new(),
            remotes: Vec::new(),
        }
    }
}

impl Checkpoint {
    /// Whether this program can restore it.
    pub fn is_known(&self) -> bool {
        self.metadata.format <= FORMAT
    }
}

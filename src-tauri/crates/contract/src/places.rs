//! Where the checkpoints of a project are kept, as hosts ask for it and see it.

use serde::{Deserialize, Serialize};
use siltstone_engine::checkpoint::Kept;
use siltstone_engine::ids::{CheckpointId, ProjectId};
use ts_rs::TS;

/// Where the checkpoints of a project are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckpointPlace {
    /// Where.
    pub kept: Kept,
    /// The folder in the project, while they are kept there.
    pub path: Option<String>,
    /// Whether that folder, or a part of it, is not there any more.
    pub gone: bool,
    /// Checkpoints that lost what they hold with it.
    pub lost: u64,
    /// Whether this program moves them right now.
    pub working: bool,
    /// Folders of checkpoints in the project that this computer did not write.
    pub found: Vec<FolderFound>,
}

/// A folder of checkpoints that this computer did not write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FolderFound {
    /// Its name.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Whether it was taken over already.
    pub taken: bool,
}

/// Brings the checkpoints of a project to another place.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct MoveCheckpoints {
    /// Of this project.
    pub project_id: ProjectId,
    /// To this place.
    pub to: Kept,
}

/// How far moving has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MoveEvent {
    /// Objects that were copied, and read again where they are now.
    pub done: u64,
    /// Twice the objects that are needed.
    pub total: u64,
}

/// Takes over what a folder holds that this computer did not write.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct TakeFolder {
    /// Of this project.
    pub project_id: ProjectId,
    /// The folder's name.
    pub name: String,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TakenFolder {
    /// The checkpoints as they are here, pinned, the earliest first.
    pub taken: Vec<CheckpointId>,
    /// Those that are damaged, or that a newer version wrote.
    pub left_out: u64,
    /// Whether a part of the folder is sealed with a key that is not here.
    pub sealed: bool,
}

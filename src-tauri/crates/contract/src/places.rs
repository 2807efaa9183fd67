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
    /// The folder of the copy in the project, while there is to be one.
    pub path: Option<String>,
    /// Whether the copy holds every checkpoint. One that does not is written again with the next checkpoint.
    pub whole: bool,
    /// Why it could not be written the last time.
    pub failed: Option<String>,
    /// Whether that folder alone still has what checkpoints hold, as an earlier version left it: it is brought here as soon
    /// as it can be read.
    pub waits: bool,
    /// Checkpoints that lost what they hold, when an earlier version kept it in the project's folder alone.
    pub lost: u64,
    /// Whether this program writes the first copy right now, or deletes it.
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

/// Says where the checkpoints of a project are kept from now on.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct SetPlace {
    /// Of this project.
    pub project_id: ProjectId,
    /// Where.
    pub to: Kept,
}

/// How far the first copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CopyEvent {
    /// Objects that were copied.
    pub done: u64,
    /// Objects that are needed.
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

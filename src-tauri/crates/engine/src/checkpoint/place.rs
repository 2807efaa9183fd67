//! Where the checkpoints of a project are kept: with everything else on this computer, or in the project's own folder.
//!
//! Only what lies there is told here; who asks, and in which words, others decide. A folder that this computer did not
//! write is foreign: nothing of it counts before the person took it over.

use serde::{Deserialize, Serialize};

use super::{Checkpoint, ObjectId};
use crate::ids::ProjectId;
use crate::ports::StoreError;

/// The way from a project's root to the checkpoints that are kept there.
pub const IN_PROJECT: [&str; 2] = [".siltstone", "checkpoints"];

/// Where the checkpoints of a project are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// With everything else of this computer.
    #[default]
    Here,
    /// In the project's folder, where git does not see them.
    Project,
}

/// What is known of the place of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceState {
    /// Where they are kept.
    pub kept: Kept,
    /// The folder in the project, while they are kept there.
    pub path: Option<String>,
    /// Whether that folder, or a part of it, is not there any more.
    pub gone: bool,
    /// Checkpoints that lost what they hold with it.
    pub lost: u64,
}

/// A folder of checkpoints in a project that this computer did not write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFolder {
    /// Its name.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Whether the person took it over already.
    pub taken: bool,
}

/// How far moving has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Objects that were copied, and read again where they are now.
    pub done: u64,
    /// Twice the objects that are needed.
    pub total: u64,
    /// Whether the other place counts from now on.
    pub finished: bool,
}

/// The checkpoints of one project on their way to another place. Dropped before it is finished, everything is where it
/// was.
pub trait Moving: Send {
    /// Goes on by a part. Fails with `Conflict` while a checkpoint is being made; the next call goes on then.
    fn step(&mut self) -> Result<Moved, StoreError>;
}

/// What a foreign folder holds.
pub trait FoundCheckpoints: Send {
    /// The checkpoints, as they say themselves.
    fn checkpoints(&self) -> &[Checkpoint];
    /// An object of theirs; bytes that are not what their id says are never given.
    fn object(&self, id: ObjectId) -> Result<Vec<u8>, StoreError>;
    /// Whether a part of it is sealed with a key that is not here.
    fn is_sealed(&self) -> bool;
}

/// The places of projects.
pub trait Places: Send + Sync {
    /// What is known of the place of a project.
    fn place(&self, project: ProjectId) -> Result<PlaceState, StoreError>;
    /// Begins to move the checkpoints of a project with this root. Fails with `Conflict` where they are there already, or
    /// while somebody moves them.
    fn begin_moving(
        &self,
        project: ProjectId,
        root: &str,
        to: Kept,
    ) -> Result<Box<dyn Moving>, StoreError>;
    /// Folders of checkpoints below a root that this computer did not write. Nothing in them is read.
    fn found(&self, project: ProjectId, root: &str) -> Result<Vec<FoundFolder>, StoreError>;
    /// Reads one of them.
    fn open_found(
        &self,
        project: ProjectId,
        root: &str,
        name: &str,
    ) -> Result<Box<dyn FoundCheckpoints>, StoreError>;
    /// Remembers that it was taken over.
    fn settle_found(&self, project: ProjectId, name: &str) -> Result<(), StoreError>;
}

//! Where the checkpoints of a project are kept: with everything else on this computer, always, and where the person wants
//! it a copy of them in the project's own folder.
//!
//! Only what lies there is told here; who asks, and in which words, others decide. A folder that this computer did not
//! write is foreign: nothing of it counts before the person took it over.

use serde::{Deserialize, Serialize};

use super::{Checkpoint, ObjectId};
use crate::ids::ProjectId;
use crate::ports::StoreError;

/// The way from a project's root to copies of its checkpoints.
pub const IN_PROJECT: [&str; 2] = [".siltstone", "checkpoints"];

/// Where the checkpoints of a project are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// On this computer alone, with everything else.
    #[default]
    Here,
    /// In the project's folder too, where git does not see them.
    Project,
}

/// What is known of the place of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceState {
    /// Where they are kept.
    pub kept: Kept,
    /// The folder of the copy, while there is to be one.
    pub path: Option<String>,
    /// Whether the copy holds every checkpoint, as far as can be said without reading it.
    pub whole: bool,
    /// Why it could not be written the last time.
    pub failed: Option<String>,
    /// Whether that folder alone still has what checkpoints hold, as an earlier version left it: it is brought here as soon
    /// as it can be read.
    pub waits: bool,
    /// Checkpoints that lost what they hold, when the project's folder alone had it.
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

/// Told how many objects are copied, of how many; `false` stops it.
pub type OnCopied<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

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
    /// Keeps a copy in the folder of a project with this root from now on, or none any more. What is stopped or fails
    /// leaves none. Fails with `Conflict` where it is so already, and while somebody else is at the copy.
    fn set_place(
        &self,
        project: ProjectId,
        root: &str,
        to: Kept,
        progress: OnCopied<'_>,
    ) -> Result<(), StoreError>;
    /// Makes the copy of a project whole, if it has one; says whether it has. Why that failed is told with its place, too.
    fn copy(&self, project: ProjectId) -> Result<bool, StoreError>;
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

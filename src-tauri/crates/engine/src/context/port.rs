//! Where persistent stores are kept.

use jiff::Timestamp;

use crate::ids::ProjectId;
use crate::ports::StoreError;

/// The files of persistent stores in the app's data folder: one folder a project and one for no project, one file a
/// store. Every change happens under the file's lock, and only while the file is what the caller last saw.
pub trait ContextFiles: Send + Sync {
    /// The bytes of a store's file; `None` when there is none yet.
    fn read(&self, project: Option<ProjectId>, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Replaces the whole file at once. Fails with `Conflict`, and changes nothing, when the file no longer is `seen`:
    /// another process was faster, and what it wrote has to be read first.
    fn write(
        &self,
        project: Option<ProjectId>,
        name: &str,
        seen: Option<&[u8]>,
        text: &str,
    ) -> Result<(), StoreError>;

    /// Moves a file that cannot be read to a name of its own, with every byte, and says where it is now. Fails with
    /// `Conflict` when it is not `seen` any more.
    fn set_aside(
        &self,
        project: Option<ProjectId>,
        name: &str,
        seen: &[u8],
        now: Timestamp,
    ) -> Result<String, StoreError>;

    /// Deletes all files of a project that was forgotten.
    fn remove(&self, project: ProjectId) -> Result<(), StoreError>;
}

//! What memory needs of the world.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{FileRecord, MemoryFile, MemoryLine, MemorySettings, Refusal};
use crate::ids::{ConversationId, MemoryLineId, ProjectId};
use crate::ports::{FolderError, OnProgress, StoreError};

/// Where memory is looked for.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace<'a> {
    /// The project's root; `None` for global memory alone.
    pub root: Option<&'a str>,
    /// How it is found.
    pub settings: &'a MemorySettings,
    /// Patterns of files that never enter a request, as in `.gitignore`.
    pub exclude: &'a [String],
}

/// A file that another one imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its path as in [`MemoryFile`].
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A memory file as an editor holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryDocument {
    /// Its path as in [`MemoryFile`].
    pub path: String,
    /// Its text with `\n` and without a byte-order mark; how it is written on disk is kept aside and restored.
    pub text: String,
    /// BLAKE3 of its bytes; `None` while there is no such file.
    pub hash: Option<String>,
    /// Whether it may be written.
    pub writable: bool,
}

/// How saving fails. Nothing was changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// The file is not what the editor began with.
    #[error("the file was changed meanwhile")]
    Changed {
        /// What it says now.
        now: MemoryDocument,
    },
    /// It may not be written.
    #[error("the file may not be written: {detail}")]
    ReadOnly {
        /// What the system said.
        detail: String,
    },
    /// Anything else.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// How a folder is watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Watching {
    /// The system says what changed.
    Notified,
    /// It says so of some folders, those of memory first; the others are looked at now and then.
    Partly {
        /// How many are watched.
        folders: u64,
        /// Of how many.
        of: u64,
    },
    /// The system cannot, so the files are looked at now and then.
    Polled {
        /// Why.
        why: String,
    },
}

/// Called with the paths of memory files that changed, as in [`MemoryFile`], after they settled; an empty list says
/// that anything may have changed.
pub type OnMemoryChange = Box<dyn Fn(Vec<String>) + Send + Sync>;

/// Memory files on disk. What was read is kept by the file's stamp, so asking again costs what changed.
pub trait MemoryFiles: Send + Sync {
    /// The program's own file of global memory, whether or not it exists.
    fn own_file(&self) -> Option<String>;
    /// Global memory, then the files from the root to each of these directories (relative, with `/`), root first.
    /// Directories beyond the root's own that are not named are not read.
    fn along(
        &self,
        place: &MemoryPlace<'_>,
        dirs: &[String],
    ) -> Result<Vec<MemoryFile>, FolderError>;
    /// Global memory and every memory file of the project, gitignore-aware, root first.
    fn all(
        &self,
        place: &MemoryPlace<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<MemoryFile>, FolderError>;
    /// What `@target` in the file `from` names: relative to that file, or absolute inside the project.
    fn import(
        &self,
        place: &MemoryPlace<'_>,
        from: &str,
        target: &str,
    ) -> Result<Imported, Refusal>;
    /// A memory file for editing; one that does not exist yet is empty. Only names that hold memory, and files that
    /// one of them imports, can be opened.
    fn open(&self, place: &MemoryPlace<'_>, path: &str) -> Result<MemoryDocument, FolderError>;
    /// Writes a file atomically when it still is what `base` says; keeps its permissions, line endings, byte-order
    /// mark, final newline and, for a link, its target.
    fn save(
        &self,
        place: &MemoryPlace<'_>,
        path: &str,
        text: &str,
        base: Option<&str>,
    ) -> Result<MemoryDocument, SaveError>;
    /// Takes a file away, if it still is what `base` says.
    fn remove(&self, place: &MemoryPlace<'_>, path: &str, base: &str) -> Result<(), SaveError>;
    /// The project's root that holds a folder, by its markers; the folder itself where there is none.
    fn root_of(&self, folder: &str, settings: &MemorySettings) -> Result<String, FolderError>;
    /// Watches the memory of a place, in place of what was watched under this root before.
    fn watch(
        &self,
        place: &MemoryPlace<'_>,
        on_change: OnMemoryChange,
    ) -> Result<Watching, FolderError>;
    /// Ends it.
    fn unwatch(&self, root: &str);
}

/// How a version of a memory file came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum VersionOrigin {
    /// Found on disk.
    Disk,
    /// Saved here.
    Saved,
    /// An older version that was taken back.
    Restored,
}

/// A version of a memory file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryVersion {
    /// Its number over all files; later ones are greater.
    pub seq: u64,
    /// BLAKE3 of the bytes.
    pub hash: String,
    /// How it came to be.
    pub origin: VersionOrigin,
    /// When.
    pub at: Timestamp,
    /// Bytes.
    pub size: u64,
}

/// What is kept of memory beside its files.
pub trait MemoryRecords: Send + Sync {
    /// Keeps a version of a file (`path` is absolute and real) unless the newest one says the same; whether it did.
    fn add_version(
        &self,
        path: &str,
        text: &str,
        hash: &str,
        origin: VersionOrigin,
        at: Timestamp,
    ) -> Result<bool, StoreError>;
    /// The versions of a file, newest first.
    fn versions(&self, path: &str, limit: u32) -> Result<Vec<MemoryVersion>, StoreError>;
    /// The text of a version.
    fn version_text(&self, seq: u64) -> Result<String, StoreError>;

    /// What is known of the files of a project.
    fn file_records(&self, project: ProjectId) -> Result<Vec<FileRecord>, StoreError>;
    /// The projects of which files are shared with the agents that read them ([`super::FileChoice::share`]).
    fn sharing(&self) -> Result<Vec<ProjectId>, StoreError>;
    /// Keeps what is known of one.
    fn put_file_record(&self, project: ProjectId, record: &FileRecord) -> Result<(), StoreError>;

    /// Lines of a project, or of none, and of a conversation if one is named, oldest first.
    fn lines(
        &self,
        project: Option<ProjectId>,
        conversation: Option<ConversationId>,
    ) -> Result<Vec<MemoryLine>, StoreError>;
    /// One line, removed or not.
    fn line(&self, id: MemoryLineId) -> Result<MemoryLine, StoreError>;
    /// Adds a line, or changes it.
    fn put_line(&self, line: &MemoryLine) -> Result<(), StoreError>;
}

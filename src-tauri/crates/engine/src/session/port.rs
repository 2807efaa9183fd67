//! What a session needs of the disk: the folder `.ai-brain` of a project.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lock::Holder;
use super::snapshot::Snapshot;

/// A file of `.ai-brain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BrainFile {
    /// `context.json`.
    Context,
    /// `workflow.json`.
    Workflow,
    /// `lock.json`.
    Lock,
}

impl BrainFile {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Context => "context.json",
            Self::Workflow => "workflow.json",
            Self::Lock => "lock.json",
        }
    }
}

/// The bytes of a file, and their BLAKE3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// BLAKE3, hexadecimal.
    pub hash: String,
}

/// What lies in `.ai-brain`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrainFiles {
    /// Whether there is such a folder.
    pub exists: bool,
    /// `context.json`.
    pub context: Option<Stored>,
    /// `workflow.json`.
    pub workflow: Option<Stored>,
    /// `lock.json`.
    pub lock: Option<Stored>,
    /// Whether git would take the folder in; `None` where there is no repository.
    pub in_git: Option<bool>,
}

/// How the folder fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The file is not what it was expected to be, and was left alone.
    #[error("{name} was changed by somebody else")]
    Conflict {
        /// Which file.
        name: String,
    },
    /// The project is the person's home or the root of a file system.
    #[error("{root} is too wide for a session of its own")]
    TooWide {
        /// The folder.
        root: String,
    },
    /// `.ai-brain` or a file of it is a link, or no regular file; nothing is followed out of the project.
    #[error("{name} is not a plain file or folder of the project")]
    Refused {
        /// What.
        name: String,
    },
    /// The file is larger than any that is read.
    #[error("{name} has {bytes} bytes, more than the {most} that are read")]
    TooLarge {
        /// Which file.
        name: String,
        /// Its size.
        bytes: u64,
        /// The largest size that is read.
        most: u64,
    },
    /// A copy is not what was copied.
    #[error("snapshots/{name} is not what was copied; it was left as it is")]
    Damaged {
        /// Which copy.
        name: String,
    },
    /// The folder cannot be written.
    #[error("{name} cannot be written: {detail}")]
    ReadOnly {
        /// What.
        name: String,
        /// What the system said.
        detail: String,
    },
    /// Another program held the folder for too long.
    #[error("the folder is in use")]
    Busy,
    /// Anything else the system says.
    #[error("{name}: {detail}")]
    Io {
        /// What.
        name: String,
        /// What the system said.
        detail: String,
    },
}

/// The folder `.ai-brain` of projects. Every write takes the folder's lock and compares, so that any number of
/// processes of one machine lose nothing of each other; it is atomic and durable when it returns.
pub trait SessionFiles: Send + Sync {
    /// Who writes from this process.
    fn holder(&self) -> Holder;
    /// What lies in the folder.
    fn read(&self, root: &str) -> Result<BrainFiles, SessionError>;
    /// Puts `bytes` in place of the file whose hash is `expected`, `None` for no file, and gives their hash. The folder
    /// is made where there is none.
    fn write(
        &self,
        root: &str,
        file: BrainFile,
        bytes: &[u8],
        expected: Option<&str>,
    ) -> Result<String, SessionError>;
    /// Removes a file whose hash is `expected`.
    fn remove(&self, root: &str, file: BrainFile, expected: &str) -> Result<(), SessionError>;
    /// Renames a broken file whose hash is `expected` to `context.json.broken-<8 digits>`, which it gives.
    fn set_aside(
        &self,
        root: &str,
        file: BrainFile,
        expected: &str,
    ) -> Result<String, SessionError>;
    /// Copies of files, oldest first.
    fn snapshots(&self, root: &str) -> Result<Vec<Snapshot>, SessionError>;
    /// Keeps a copy of these bytes of a file; `None` when the newest copy of it holds the same.
    fn put_snapshot(
        &self,
        root: &str,
        file: BrainFile,
        bytes: &[u8],
        now: Timestamp,
    ) -> Result<Option<Snapshot>, SessionError>;
    /// The bytes of a copy; those that are not what was copied are never given.
    fn read_snapshot(&self, root: &str, snapshot: &Snapshot) -> Result<Vec<u8>, SessionError>;
    /// Deletes copies; one that is gone is deleted already.
    fn delete_snapshots(&self, root: &str, snapshots: &[Snapshot]) -> Result<(), SessionError>;
    /// Adds `.ai-brain/` to `.gitignore` where there is a repository that would take it in; whether it was added.
    fn ignore(&self, root: &str) -> Result<bool, SessionError>;
}

//! What a turn, or somebody in a copy of a project, changed in files, as hosts see it, and what of it is taken back.

use serde::{Deserialize, Serialize};
use siltstone_engine::checkpoint::Standing;
use siltstone_engine::difference::Difference;
use siltstone_engine::ids::{ProjectId, TurnId};
use ts_rs::TS;

/// Whose changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum ChangesOf {
    /// Those of a turn.
    Turn {
        /// Which.
        id: TurnId,
    },
    /// All that is different in a copy of a project from what it began with.
    Copy {
        /// The copy.
        id: ProjectId,
    },
}

/// What is known of the files that were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangesKnown {
    /// It carried nothing out that may change files, or checkpoints were switched off.
    Nothing,
    /// What was there before it, and what it left.
    Whole,
    /// What it left was not kept: an earlier version carried it out, or it was cut off. What is listed is what was different
    /// at the next checkpoint, or is now where there is none, and may hold what others changed.
    UntilNext,
    /// The checkpoint before it was deleted.
    Gone,
}

/// How a file was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TurnChange {
    /// It was not there.
    Added,
    /// It said something else.
    Modified,
    /// It had other permissions.
    Mode,
    /// It had another name, and says the same.
    Moved,
    /// It was there.
    Deleted,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangedFile {
    /// Below the root, as shown.
    pub path: String,
    /// The name it had before, where it was moved.
    pub from: Option<String>,
    /// How.
    pub kind: TurnChange,
    /// Bytes before.
    pub before: Option<u64>,
    /// Bytes after.
    pub after: Option<u64>,
    /// Lines that came; `None` where it is not text, is too large, or is one of very many.
    pub added: Option<u32>,
    /// Lines that went.
    pub removed: Option<u32>,
    /// Whether a tool for files did it. Otherwise a command or a server did, or somebody else at the same time.
    pub by_tool: bool,
    /// How it stands now; `None` where the folder cannot be looked at.
    pub standing: Option<Standing>,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TurnChanges {
    /// The project whose files they are.
    pub project_id: Option<ProjectId>,
    /// What is known.
    pub known: ChangesKnown,
    /// The files, by path.
    pub files: Vec<ChangedFile>,
    /// Lines that came, in all files whose lines were counted.
    pub added: u64,
    /// Lines that went.
    pub removed: u64,
}

/// Asks for the differences.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReviewChanges {
    /// Whose.
    pub of: ChangesOf,
    /// Of this file alone, as [`ChangedFile::path`] names it; `None` for all.
    pub path: Option<String>,
}

/// What can be seen of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ShownChange {
    /// Its pieces: the hunks of the difference, each of which can be taken back alone while it stands.
    Pieces {
        /// From the text before the turn to the text that it left.
        difference: Difference,
        /// How each hunk stands today.
        standing: Vec<Standing>,
    },
    /// Nothing of what it says: only its name or its permissions changed.
    Outside,
    /// It is not text, or too large.
    Opaque,
    /// It is one of very many lines; asking for this file alone shows it.
    Later,
}

/// A file that was changed, with its differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReviewedFile {
    /// Which.
    pub file: ChangedFile,
    /// What can be seen of it.
    pub shown: ShownChange,
    /// Stands for what is there now; taking something back names it, so that nothing else is written over.
    pub seen: String,
}

/// What was changed, with the differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TurnReview {
    /// What is known.
    pub known: ChangesKnown,
    /// The files, by path.
    pub files: Vec<ReviewedFile>,
}

/// What of a file is taken back.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TakenBackFile {
    /// Which, as [`ChangedFile::path`] names it.
    pub path: String,
    /// [`ReviewedFile::seen`] as it was shown.
    pub seen: String,
    /// Hunks, from 0; `None` for the whole file, which becomes what it was before, whoever changed it since.
    pub pieces: Option<Vec<u32>>,
}

/// Takes back what was changed, or some of it. The project's files are kept before.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TakeBackChanges {
    /// Whose.
    pub of: ChangesOf,
    /// The files, and what of them.
    pub files: Vec<TakenBackFile>,
}

//! Memory: what a person and a project tell every model, in layers (behaviour.md, Memory).
//!
//! A layer is a set of files or of lines; a higher layer speaks over a lower one. Files come through [`MemoryFiles`],
//! lines through [`MemoryRecords`]. Everything here is pure: what is read is handed in, and what is decided goes out
//! as data. Deliberately absent: finding, watching and writing files, which is the workspace's, and keeping versions,
//! which is the storage's.

pub mod clean;
pub mod effective;
pub mod expand;
pub mod front;
pub mod imports;
pub mod inject;
mod lines;
pub mod lint;
pub mod must;
pub mod passages;
mod port;
mod regions;
pub mod share;
pub mod slash;
#[cfg(test)]
mod tests;

pub use clean::{clean, hidden_count};
pub use effective::{Effective, EffectiveLine, FileShare, LayerTokens, Origin, effective};
pub use expand::{Expanded, ImportNote, Piece, expand};
pub use front::Front;
pub use inject::{Injected, InjectedWhy, TaskAtHand, inject, paths_in, spoken_of};
pub use lint::{Finding, FindingKind, Passage, lint};
pub use passages::{Flagged, flagged, without};
pub use port::{
    Imported, MemoryDocument, MemoryFiles, MemoryPlace, MemoryRecords, MemoryVersion,
    OnMemoryChange, SaveError, VersionOrigin, Watching,
};
pub use share::{Share, ShareFile};

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, MemoryLineId, ProjectId};

/// The layers in the order of rising priority (behaviour.md, Memory); session lines stand below runtime lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemoryLayer {
    /// Of the person, for every project.
    Global,
    /// Of the project's root.
    Project,
    /// Of a directory below the root, for what lies beneath it.
    Directory,
    /// Of one conversation.
    Session,
    /// Added while working; speaks over everything else.
    Runtime,
}

/// A memory file as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryFile {
    /// Relative to the project's root with `/`; absolute for a file outside of it (global memory).
    pub path: String,
    /// Its layer.
    pub layer: MemoryLayer,
    /// The directory it speaks for, relative to the root; empty for the root and for global memory.
    pub dir: String,
    /// Its text, without a byte-order mark; empty when it was refused.
    pub text: String,
    /// BLAKE3 of its bytes, hexadecimal.
    pub hash: String,
    /// Its size.
    pub bytes: u64,
    /// An earlier file that says the same; this one then counts for nothing.
    pub same_as: Option<SameAs>,
    /// Why it was not read.
    pub refused: Option<Refusal>,
}

/// An earlier file that says the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SameAs {
    /// Its path.
    pub path: String,
    /// How they are the same.
    pub how: Sameness,
}

/// How two memory files are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Sameness {
    /// One file under two names (device and inode).
    File,
    /// Two files with one text.
    Text,
}

/// Why a memory file or an import was not taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Refusal {
    /// There is no such file.
    #[error("not found")]
    Missing,
    /// The real path lies outside of the project.
    #[error("outside of the project")]
    Outside,
    /// An address of another computer.
    #[error("not a file of this computer")]
    Remote,
    /// A directory, a pipe, a device.
    #[error("not a regular file")]
    NotRegular,
    /// Not text in any known encoding.
    #[error("not text")]
    NotText,
    /// Larger than one file may be.
    #[error("{bytes} bytes, more than {most}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The most a file may have.
        most: u64,
    },
    /// All imports together would be larger than they may be.
    #[error("all imports together are more than {most} bytes")]
    TooMuch {
        /// The most they may have.
        most: u64,
    },
    /// More imports than one file may have.
    #[error("more than {most} imports")]
    TooMany {
        /// The most.
        most: u32,
    },
    /// Deeper than imports may go.
    #[error("deeper than {most} imports")]
    TooDeep {
        /// The deepest.
        most: u32,
    },
    /// It imports itself, directly or not.
    #[error("imports itself")]
    Cycle,
    /// The person said that it never goes into a request, or it is likely to hold a secret.
    #[error("never sent")]
    Excluded,
    /// Anything else the system says.
    #[error("{detail}")]
    Unreadable {
        /// What the system said.
        detail: String,
    },
}

/// When a file's text goes into a request (behaviour.md, Memory).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Injection {
    /// Always.
    #[default]
    Static,
    /// Those headings that the task at hand touches.
    Dynamic,
    /// Only when its topic is mentioned.
    Lazy,
}

/// What the person chose for a file of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct FileChoice {
    /// Whether it takes part at all.
    pub on: bool,
    /// When it goes in; `None` as the file itself says, else [`Injection::Static`].
    pub injection: Option<Injection>,
    /// Whether its flagged passages go in, by their hash; those that are not here were agreed to with the whole.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub passages: BTreeMap<String, bool>,
    /// How memory is kept in it for the agents that read it; `None` where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub share: Option<Share>,
}

impl Default for FileChoice {
    fn default() -> Self {
        Self { on: true, injection: None, passages: BTreeMap::new(), share: None }
    }
}

/// What is known of a memory file of a project beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRecord {
    /// Its path as in [`MemoryFile`].
    pub path: String,
    /// [`MemoryFile::hash`] of what the person agreed to last; `None` before the first answer.
    pub seen: Option<String>,
    /// What the person chose.
    pub choice: FileChoice,
}

/// Where a line of memory comes from (behaviour.md, Memory).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// The person added it (`userAdditions`, `contextAdditions`).
    Added,
    /// What a tool gave (`toolResults`).
    ToolResult,
    /// What a file said (`fileContext`).
    File,
    /// What an MCP server gave (`mcpContext`).
    Mcp,
    /// The instructions of a skill that the person chose.
    Skill,
}

/// A line of session or runtime memory: kept until it is removed, and a removal can be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MemoryLine {
    /// Its id.
    pub id: MemoryLineId,
    /// The project it is about; `None` for one that belongs to no project.
    pub project_id: Option<ProjectId>,
    /// The conversation it belongs to: then it is session memory, else runtime memory.
    pub conversation_id: Option<ConversationId>,
    /// Where it comes from.
    pub kind: LineKind,
    /// What it says.
    pub text: String,
    /// A `silt:` link or a path to where it was said.
    pub source: Option<String>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was removed.
    pub removed_at: Option<Timestamp>,
}

impl MemoryLine {
    /// Session or runtime.
    pub fn layer(&self) -> MemoryLayer {
        match self.conversation_id {
            Some(_) => MemoryLayer::Session,
            None => MemoryLayer::Runtime,
        }
    }

    /// What a request calls it that is kept of a tool, a file, a server or a skill: its place, or the kind and its id.
    pub fn kept_as(&self) -> String {
        let of = match self.kind {
            LineKind::File => {
                return format!("kept/{}", self.source.as_deref().unwrap_or_default());
            }
            LineKind::Skill => {
                return format!("skill/{}", self.source.as_deref().unwrap_or_default());
            }
            LineKind::Mcp => "server",
            LineKind::ToolResult | LineKind::Added => "result",
        };
        format!("kept/{of}-{}", self.id)
    }
}

/// File names that hold memory, in the order in which they are read; a setting changes them.
pub const MEMORY_NAMES: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".gemini/GEMINI.md",
    ".cursor/rules",
    ".goosehints",
    ".clinerules",
];

/// How memory is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct MemorySettings {
    /// Names that hold memory in every directory; a folder of that name holds rule files (`.md`, `.mdc`).
    pub names: Vec<String>,
    /// Names whose presence marks the root of a project.
    pub markers: Vec<String>,
    /// Only the current directory's file beside the root's, exactly as the Memory design says ("디렉토리 메모리").
    pub strict: bool,
    /// How long a line lasts that `/memory add` adds; `None` until the person was asked, which then lasts until it is
    /// cleared.
    pub added_for: Option<AddedFor>,
}

/// How long a line lasts that was added (behaviour.md, Memory).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AddedFor {
    /// For the conversation it was added in.
    Conversation,
    /// In every conversation, until it is cleared.
    UntilCleared,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            names: MEMORY_NAMES.map(str::to_owned).to_vec(),
            markers: vec![String::from(".git")],
            strict: false,
            added_for: None,
        }
    }
}

/// Deepest chain of imports.
pub const MAX_IMPORT_DEPTH: u32 = 5;

/// Most imports of a file that are looked for, those of its imports included.
pub const MAX_IMPORTS: u32 = 200;

/// Largest memory file and largest import.
pub const MAX_FILE_BYTES: u64 = 256 * 1024;

/// Most bytes of all imports of a file together.
pub const MAX_IMPORT_BYTES: u64 = 1024 * 1024;

/// What a text is known by: BLAKE3 of its bytes, hexadecimal.
pub fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Whether a path is a directory or lies in it; both are relative to the root, which an empty one is.
fn lies_in(path: &str, dir: &str) -> bool {
    let rest = path.strip_prefix(dir);
    dir.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

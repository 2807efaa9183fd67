//! Memory as hosts ask for it, change it and see it.

use serde::{Deserialize, Serialize};
use siltstone_engine::ids::{ConversationId, MemoryLineId, ProjectId};
use siltstone_engine::memory::{
    Effective, FileChoice, Finding, ImportNote, Injection, LayerTokens, MemoryDocument,
    MemoryLayer, MemoryLine, Refusal, SameAs, Watching,
};
use siltstone_engine::project::{Probe, Trust};
use ts_rs::TS;

/// Where memory is asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryAt {
    /// The project; `None` for global memory alone.
    pub project_id: Option<ProjectId>,
    /// The conversation whose session memory it is.
    #[serde(default)]
    pub conversation_id: Option<ConversationId>,
    /// The directory that is worked in, relative to the root; `None` for all of them.
    #[serde(default)]
    pub dir: Option<String>,
}

/// The layers of a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryView {
    /// The files, the lowest layer first.
    pub files: Vec<MemoryFileView>,
    /// The lines that were added, oldest first.
    pub lines: Vec<MemoryLine>,
    /// What each layer costs.
    pub tokens: Vec<LayerTokens>,
    /// How the project is watched; `None` while it is not.
    pub watching: Option<Watching>,
    /// The person's answer; `None` without a project.
    pub trust: Option<Trust>,
    /// How many files of it the person keeps out.
    pub excluded: u64,
}

/// A memory file, without its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryFileView {
    /// Relative to the root; absolute for a file of global memory.
    pub path: String,
    /// Its layer.
    pub layer: MemoryLayer,
    /// The directory it speaks for.
    pub dir: String,
    /// Estimated tokens with its imports.
    pub tokens: u64,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes.
    pub hash: String,
    /// Whether it takes part.
    pub on: bool,
    /// When it goes into a request.
    pub injection: Injection,
    /// What the person chose of that; `None` as the file says.
    pub choice_injection: Option<Injection>,
    /// An earlier file that says the same.
    pub same_as: Option<SameAs>,
    /// Why it was not read.
    pub refused: Option<Refusal>,
    /// What it imports.
    pub imports: Vec<ImportNote>,
    /// What to look at before a model reads it.
    pub findings: Vec<Finding>,
    /// Whether there is no such file yet.
    pub missing: bool,
    /// Whether it, or what it imports, is not what the person agreed to.
    pub changed: bool,
    /// What it costs a day at today's use, in billionths of a US dollar; `None` where the price is not known.
    pub cost_a_day: Option<u64>,
}

/// What a folder would bring, and what it would have a model read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ProbeView {
    /// The folder.
    #[serde(flatten)]
    pub probe: Probe,
    /// Its memory files, with what to look at in them.
    pub memory: Vec<MemoryFileView>,
    /// They and what they import, as they are now; an answer that trusts the folder names them.
    pub seen: Vec<AgreedFile>,
    /// What it asks other programs to run. Siltstone runs none of it.
    pub effects: Vec<Effect>,
}

/// Something a folder asks programs to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Effect {
    /// The file that asks.
    pub path: String,
    /// What it is.
    pub kind: EffectKind,
    /// Its name.
    pub name: String,
    /// The command or the address, as it is written.
    pub what: String,
}

/// What a folder asks programs to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// An MCP server.
    McpServer,
    /// A command on an event.
    Hook,
}

/// Names a memory file.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryFileRef {
    /// Its project; `None` for a file of global memory.
    pub project_id: Option<ProjectId>,
    /// Its path as in [`MemoryFileView`].
    pub path: String,
}

/// A memory file as it was edited.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SaveMemory {
    /// Its project; `None` for a file of global memory.
    pub project_id: Option<ProjectId>,
    /// Its path.
    pub path: String,
    /// What it is to say.
    pub text: String,
    /// The hash that the editor began with; `None` for a file that did not exist.
    pub base: Option<String>,
}

/// An older version to take back.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RestoreMemory {
    /// Its project; `None` for a file of global memory.
    pub project_id: Option<ProjectId>,
    /// Its path.
    pub path: String,
    /// The version.
    pub seq: u64,
    /// The hash that the file is believed to have.
    pub base: Option<String>,
}

/// What became of a save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Saved {
    /// It is written.
    Saved {
        /// As it is now.
        document: MemoryDocument,
    },
    /// The file was changed meanwhile; nothing was written.
    Changed {
        /// What it says now.
        now: MemoryDocument,
    },
}

/// Names a version.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct VersionRef {
    /// Its number.
    pub seq: u64,
}

/// What a version says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VersionText {
    /// Its text.
    pub text: String,
}

/// What the person chooses for a file.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChooseMemory {
    /// The project it is chosen for.
    pub project_id: ProjectId,
    /// The file.
    pub path: String,
    /// The choice.
    pub choice: FileChoice,
}

/// A line to remember.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AddMemory {
    /// The project it is about.
    pub project_id: Option<ProjectId>,
    /// The conversation it is for; `None` for all of the project.
    #[serde(default)]
    pub conversation_id: Option<ConversationId>,
    /// What to remember.
    pub text: String,
    /// Where it was said: a `silt:` link or a path.
    #[serde(default)]
    pub source: Option<String>,
}

/// Keeps what a section of a conversation's requests says for as long as the conversation lasts: the result of a tool, or
/// a file.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct KeepMemory {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The section, by its id.
    pub section_id: String,
}

/// Names a line of memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct LineRef {
    /// The line.
    pub id: MemoryLineId,
}

/// A line that becomes part of a file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct MoveLine {
    /// The line.
    pub id: MemoryLineId,
    /// Project or global.
    pub to: MemoryLayer,
}

/// A command that was typed instead of a message (behaviour.md, Memory).
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryCommand {
    /// The project.
    pub project_id: Option<ProjectId>,
    /// The conversation it was typed in.
    pub conversation_id: Option<ConversationId>,
    /// What was typed.
    pub text: String,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "did", rename_all = "snake_case")]
pub enum MemoryAnswer {
    /// `/memory add`
    Added {
        /// The line.
        line: MemoryLine,
    },
    /// `/memory show`
    Shown {
        /// What memory says.
        effective: Effective,
    },
    /// `/memory list`
    Listed {
        /// Where it comes from.
        view: MemoryView,
    },
    /// `/memory refresh`
    Refreshed {
        /// As it is now.
        view: MemoryView,
    },
    /// `/memory clear`
    Cleared {
        /// What was removed; each can be taken back.
        lines: Vec<MemoryLine>,
    },
}

/// The text a new file could begin with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DraftText {
    /// The file it is for.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Changed files that the person agrees to.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AgreeMemory {
    /// Their project.
    pub project_id: ProjectId,
    /// The files as they were shown.
    pub files: Vec<AgreedFile>,
}

/// Lets a flagged passage into requests, or leaves it out.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AllowPassage {
    /// Its project.
    pub project_id: ProjectId,
    /// Its file.
    pub path: String,
    /// [`Passage::hash`](siltstone_engine::memory::Passage::hash).
    pub hash: String,
    /// Whether it goes.
    pub on: bool,
}

/// A changed file as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AgreedFile {
    /// Its path.
    pub path: String,
    /// [`ChangedMemory::hash`].
    pub hash: Option<String>,
}

/// A file of a trusted project that is not what the person agreed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangedMemory {
    /// The file, or what one imports.
    pub path: String,
    /// What was agreed to, which goes into requests; `None` for a new file.
    pub before: Option<String>,
    /// What it says now; `None` where it is gone.
    pub now: Option<String>,
    /// What it says now, by its hash.
    pub hash: Option<String>,
    /// What to look at in it.
    pub findings: Vec<Finding>,
}

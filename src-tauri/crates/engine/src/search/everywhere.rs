//! Search over everything a person may have meant: what can be found, by what it may be narrowed, and what a hit says.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::SnippetPart;
use crate::ids::{ConversationId, MessageId, ProjectId};
use crate::message::Role;

/// What can be found; also the order of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FoundKind {
    /// What somebody said in a conversation.
    Message,
    /// What a tool answered.
    ToolResult,
    /// A summary of earlier messages.
    Summary,
    /// What was decided.
    Decision,
    /// A line of memory.
    Memory,
    /// A stretch of a project file.
    File,
    /// A checkpoint's note.
    Checkpoint,
}

impl FoundKind {
    /// All of them, in the order of the groups.
    pub const ALL: [Self; 7] = [
        Self::Message,
        Self::ToolResult,
        Self::Summary,
        Self::Decision,
        Self::Memory,
        Self::File,
        Self::Checkpoint,
    ];
}

/// By what a search is narrowed; what is not said does not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Filter {
    /// Only of this project.
    pub project_id: Option<ProjectId>,
    /// Only of this conversation.
    pub conversation_id: Option<ConversationId>,
    /// Only these; empty for all.
    pub kinds: Vec<FoundKind>,
    /// Only what this one said.
    pub role: Option<Role>,
    /// Only from this moment on.
    pub from: Option<Timestamp>,
    /// Only before this moment.
    pub before: Option<Timestamp>,
}

impl Filter {
    /// Whether a kind is looked for.
    pub fn takes(&self, kind: FoundKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// Something that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Found {
    /// What it is.
    pub kind: FoundKind,
    /// What it is part of, as a person calls it: the title of a conversation, the path of a file.
    pub title: String,
    /// A `silt:` link to the place, made by `crate::link`: `message`, `summary`, `decision`, `memory`, `file` or
    /// `checkpoint`; a path in it is of the project that is named beside it.
    pub link: String,
    /// Its project, if it is of one.
    pub project_id: Option<ProjectId>,
    /// Its conversation, if it is of one.
    pub conversation_id: Option<ConversationId>,
    /// The message to show, if it is at one.
    pub message_id: Option<MessageId>,
    /// Who said it, where somebody did.
    pub role: Option<Role>,
    /// The surroundings of the first match.
    pub snippet: Vec<SnippetPart>,
    /// When it was said or written, where that is known.
    pub at: Option<Timestamp>,
}

impl Found {
    /// What everything that is found has; the rest is said by who knows it.
    pub fn new(kind: FoundKind, title: String, link: String, snippet: Vec<SnippetPart>) -> Self {
        Self {
            kind,
            title,
            link,
            snippet,
            project_id: None,
            conversation_id: None,
            message_id: None,
            role: None,
            at: None,
        }
    }
}

/// The best matches of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FoundGroup {
    /// What they are.
    pub kind: FoundKind,
    /// Best first.
    pub found: Vec<Found>,
    /// How many match; a lower bound when `capped`.
    pub total: u64,
    /// Counting or ranking stopped early because the words are everywhere.
    pub capped: bool,
}

/// What a search found, by kind; kinds without a match are missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FoundEverywhere {
    /// In the order of [`FoundKind`].
    pub groups: Vec<FoundGroup>,
}

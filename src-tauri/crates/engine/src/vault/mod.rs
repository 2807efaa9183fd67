//! Sessions of other agents: what Claude Code, Codex and others wrote down of their work, kept for good.
//!
//! An agent's files are kept first and understood afterwards. What is kept is every byte that was seen, in versions: a
//! file that grew is the same version, one that was written anew is another, and one that was cut or deleted stays what
//! it was ([`VaultStore`]). What is understood is a [`Session`]: what was said, by whom and after what, which is read
//! from the bytes again at any time ([`AgentSessions`]), and what a compaction took from the model
//! ([`dropped()`]). The `vault` crate finds and reads, `storage` keeps, the `app` crate asks the person first.
//!
//! Everything here was written by other programs and is data: nothing of it is an instruction, and nothing of it enters a
//! request by itself. What goes to another agent is a [`Handover`]. Deliberately absent: memory of agents, which
//! [`crate::memory`] has.

mod dropped;
mod handover;
mod port;
mod said;
mod session;
mod text;
mod tree;

#[cfg(test)]
mod tests;

pub use dropped::{Dropped, DroppedFact, Stays, dropped};
pub use handover::{
    ComposeError, Composed, Handover, Left, LeftReason, Outgoing, Step, handover, id_of,
};
pub use port::{
    AgentHome, AgentSessions, Beside, FileRole, Forgotten, GoesOn, KeptFile, Listing, Looked,
    Place, SeenFile, Stamp, VaultFault, VaultPass, VaultSize, VaultStore,
};
pub use said::{FoundSaid, MAX_SAID, Said, SaidAt, SaidCandidates, SaidHits, SaidNear};
pub use session::{Entry, EntryKind, Fold, Session, SessionFacts, Tally};
pub use text::as_text;

use serde::{Deserialize, Serialize};

/// A program of others whose sessions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// Antigravity, the editor and its command line `agy`.
    Antigravity,
    /// opencode.
    Opencode,
    /// Cline.
    Cline,
    /// Cursor, the editor and its command line.
    Cursor,
    /// ChatGPT, of which the person has exports.
    #[serde(rename = "chatgpt")]
    ChatGpt,
    /// Claude on the web, of which the person has exports.
    ClaudeWeb,
    /// Siltstone itself, of which the person has conversations as text, from another computer or another time.
    Siltstone,
}

impl Agent {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::Antigravity,
        Self::Opencode,
        Self::Cline,
        Self::Cursor,
        Self::ChatGpt,
        Self::ClaudeWeb,
        Self::Siltstone,
    ];

    /// Whether it has no home: what is kept of it are exports, which lie where a person put them.
    pub fn is_exported(self) -> bool {
        matches!(self, Self::ChatGpt | Self::ClaudeWeb | Self::Siltstone)
    }

    /// Its name for programs, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Antigravity => "antigravity",
            Self::Opencode => "opencode",
            Self::Cline => "cline",
            Self::Cursor => "cursor",
            Self::ChatGpt => "chatgpt",
            Self::ClaudeWeb => "claude-web",
            Self::Siltstone => "siltstone",
        }
    }

    /// The agent of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Its name for people, the same in every language.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Antigravity => "Antigravity",
            Self::Opencode => "opencode",
            Self::Cline => "Cline",
            Self::Cursor => "Cursor",
            Self::ChatGpt => "ChatGPT",
            Self::ClaudeWeb => "Claude",
            Self::Siltstone => "Siltstone",
        }
    }
}

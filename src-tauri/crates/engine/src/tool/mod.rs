//! Tools: what a model may call, and what a call does to the world.
//!
//! A provider is told [`ToolSpec`]s and streams calls back; [`Call::parse`] reads one against the table of [`BUILT_IN`]
//! tools and the tools of MCP servers. [`approval`] decides whether the person has to be asked, [`output`] what of a
//! long result enters a request. Files, commands and servers are ports. Whoever carries calls out is the app.

pub mod approval;
pub mod arguments;
mod call;
pub mod mcp;
pub mod output;
mod path;
mod port;
mod specs;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::ProjectId;

pub use call::{Call, CallError, CommandCall, FileCall};
pub use path::{is_inside, relative_to, spelled};
pub use port::{
    Answer, ChangeKind, CommandRun, Commands, Ended, FileChange, FileTools, InboxRecord, OnOutput,
    Ran, Sandbox, ToolError, ToolRecords,
};
pub use specs::{BUILT_IN, SKILLS, built_in};

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`, at most 64: what every wire format takes.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of its arguments, an object.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub schema: Value,
}

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ToolEffect"))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks, and changes nothing.
    Reads,
    /// Leaves something for the person to accept.
    Proposes,
    /// Changes files of the project.
    Changes,
    /// Runs a program, or asks a server that may do anything.
    Runs,
}

impl Effect {
    /// Whether what it does may be impossible to take back, so that a checkpoint is made first.
    pub fn is_destructive(self) -> bool {
        matches!(self, Self::Changes | Self::Runs)
    }
}

/// How far a turn may go before it is ended with what it has, and what of a result a request takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct ToolSettings {
    /// Whether models are offered tools at all.
    pub on: bool,
    /// Most times the model is asked in one turn.
    pub max_rounds: u32,
    /// Most tokens that all requests and replies of a turn may have together; 0 for no limit.
    pub max_tokens: u64,
    /// Longest that a turn may take, in seconds, the waiting for the person's answers not counted; 0 for no limit.
    pub max_seconds: u64,
    /// Longest that a command may run, in seconds.
    pub command_seconds: u64,
    /// Names of tools that are offered to no model.
    pub off: Vec<String>,
    /// Folders that commands may read beside their project, the system and its programs; `~/` is the home.
    pub reads: Vec<String>,
    /// Projects whose commands may use the network.
    pub network: Vec<ProjectId>,
    /// Calls whose results are kept for the conversation without being asked for (behaviour.md, Memory): each a tool's
    /// name and, behind a blank, what the call has to be about; `*` stands for anything. None until the person says so.
    pub keep: Vec<String>,
    /// Skills that models may be told of: hashes of their files as they were looked at.
    pub skills: Vec<String>,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            on: true,
            max_rounds: 40,
            max_tokens: 0,
            max_seconds: 1_800,
            command_seconds: 120,
            off: Vec::new(),
            reads: Vec::new(),
            network: Vec::new(),
            keep: Vec::new(),
            skills: Vec::new(),
        }
    }
}

impl ToolSettings {
    /// Whether the result of a call is kept.
    pub fn keeps(&self, tool: &str, about: &str) -> bool {
        let fits = |rule: &String| {
            let (name, pattern) = rule.trim().split_once(' ').unwrap_or((rule.trim(), "*"));
            like(name, tool) && like(pattern.trim(), about)
        };
        self.keep.iter().any(fits)
    }

    /// The same with every number inside its limits.
    pub fn within_limits(mut self) -> Self {
        self.max_rounds = self.max_rounds.clamp(1, 1_000);
        self.command_seconds = self.command_seconds.clamp(1, 3_600);
        self
    }
}

/// Whether a text is of a form in which `*` stands for anything.
fn like(form: &str, text: &str) -> bool {
    let mut parts = form.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

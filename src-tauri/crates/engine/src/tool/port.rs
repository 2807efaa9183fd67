//! What the tools' world must offer: files of a project, commands, and what is kept of calls.

use std::path::PathBuf;
use std::pin::Pin;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::FileCall;
use super::approval::Rule;
use super::mcp::McpServer;
use crate::checkpoint::Leaf;
use crate::ids::{ConversationId, InboxId, MessageId, NodeId, ProjectId, RuleId, TurnId};
use crate::ports::{Folder, StoreError};
use crate::run::RunNode;
use crate::section::Manifest;

/// What a call came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What the model is told. May be long; [`super::output`] cuts it.
    pub text: String,
    /// Whether it says that the call failed.
    pub is_error: bool,
    /// Files of the project that it read or changed, relative to the root.
    pub touched: Vec<String>,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ToolChangeKind"))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is made.
    Create,
    /// It says something else.
    Edit,
    /// It is called something else.
    Move {
        /// The new path.
        to: String,
    },
    /// It is deleted.
    Delete,
}

/// What a call would change, for the person to look at. Nothing is done yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ToolChange"))]
pub struct FileChange {
    /// The file, relative to the project's root, with `/`.
    pub path: String,
    /// What happens to it.
    #[serde(flatten)]
    pub kind: ChangeKind,
    /// What it says now; `None` where there is nothing or no text.
    pub before: Option<String>,
    /// What it would say; `None` where it would not be there, or is no text.
    pub after: Option<String>,
    /// BLAKE3 of its bytes now, hexadecimal; empty where it is not there. A change is refused when they are others by then.
    pub stamp: String,
}

/// How a tool fails. Its `Display` is told to the model, so it says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Not there, or hidden from tools: excluded files do not exist for them.
    #[error("{path} does not exist. List the folder to see what does.")]
    NotFound {
        /// As it was asked for.
        path: String,
    },
    /// Leads out of the project, also through links.
    #[error("{path} is not inside the project. Use paths relative to the project's root.")]
    Outside {
        /// As it was asked for.
        path: String,
    },
    /// The arguments cannot be carried out.
    #[error("{0}")]
    Refused(String),
    /// The file is not what it was when the change was planned.
    #[error("{path} was changed meanwhile. Read it again before you change it.")]
    Changed {
        /// Which.
        path: String,
    },
    /// The system said no.
    #[error("{path}: {detail}")]
    System {
        /// Which file or program.
        path: String,
        /// Its words.
        detail: String,
    },
    /// The person stopped it.
    #[error("stopped by the person")]
    Stopped,
}

/// Files of a project, for tools. Excluded and never-sent files do not exist here; every path stays inside the root, also
/// when a link is changed at the same moment.
pub trait FileTools: Send + Sync {
    /// Carries out a call that only looks. `go_on` is asked now and then; `false` stops.
    fn look(
        &self,
        folder: Folder<'_>,
        call: &FileCall,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError>;
    /// What a call would change; nothing is done.
    fn plan(&self, folder: Folder<'_>, call: &FileCall) -> Result<FileChange, ToolError>;
    /// Carries the change out as it was planned, whole or not at all.
    fn change(
        &self,
        folder: Folder<'_>,
        call: &FileCall,
        planned: &FileChange,
    ) -> Result<Answer, ToolError>;
    /// What else a path is called beneath the root: where links on it lead, and every other name of the file there, also
    /// those that are hidden from calls.
    fn names(&self, folder: Folder<'_>, path: &str) -> Result<Vec<String>, ToolError>;
    /// A file as it is now, as checkpoints know it; `None` where there is none.
    fn leaf(&self, folder: Folder<'_>, path: &str) -> Result<Option<Leaf>, ToolError>;
}

/// What keeps a command inside its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Sandbox {
    /// It has a view of its own: what it may not read is not there, what it may not change cannot be changed in any way,
    /// and it has no network but its own, unless it may use one.
    Whole,
    /// The system lets it read and write nowhere but where it may. It can still change modes and times of other files of
    /// the person, and talk to what listens on a socket with a name.
    Writes,
    /// Nothing: it can do whatever the person can.
    None,
}

/// A command that is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// The project's root, in which it starts.
    pub root: String,
    /// The line, for the system's shell.
    pub line: String,
    /// Seconds until it is ended.
    pub seconds: u64,
    /// Folders it may read beside the project, the system and its programs; `~/` is the home.
    pub reads: Vec<String>,
    /// Folders that are not there for it, wherever they lie: those of this program.
    pub closed: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: bool,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// It took too long and was ended with all its children.
    TimedOut,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// Both outputs as they came, whole up to a limit of the adapter's; bytes that are no text are marked.
    pub output: String,
    /// Bytes that were not kept.
    pub dropped: u64,
    /// Files that other programs run or obey without being told to, and that were changed meanwhile; relative to the root.
    pub run_by_others: Vec<String>,
}

/// Hears output as it comes.
pub type OnOutput = Box<dyn FnMut(&str) + Send>;

/// Runs commands. Dropping the future ends the command with all its children.
pub trait Commands: Send + Sync {
    /// What keeps commands inside their project here.
    fn sandbox(&self) -> Sandbox;
    /// Runs one. Its environment holds nothing that looks like a secret.
    fn run(
        &self,
        run: CommandRun,
        on_output: OnOutput,
    ) -> Pin<Box<dyn Future<Output = Result<Ran, ToolError>> + Send + '_>>;
}

/// A line that a model or an agent wants to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRecord {
    /// Its id.
    pub id: InboxId,
    /// The project; `None` where there was none.
    pub project_id: Option<ProjectId>,
    /// The conversation it is from; `None` where it is from none of ours.
    pub conversation_id: Option<ConversationId>,
    /// The message that proposes it, or that an agent's rests on.
    pub message_id: Option<MessageId>,
    /// The line.
    pub text: String,
    /// What it rests on, in the model's words.
    pub why: String,
    /// Whether it is about all projects.
    pub for_all_projects: bool,
    /// When.
    pub at: Timestamp,
    /// The agent outside that proposes it, as it calls itself; `None` for a model in a conversation of ours.
    pub from: Option<String>,
}

/// What is kept of runs: their nodes, rules, long outputs and servers.
pub trait ToolRecords: Send + Sync {
    /// Adds a node or changes it.
    fn put_node(&self, node: &RunNode) -> Result<(), StoreError>;
    /// The nodes of a turn, in the order in which they began. Nodes that a dead process left running are stopped ones.
    fn nodes(&self, turn: TurnId) -> Result<Vec<RunNode>, StoreError>;
    /// Keeps what a model call was made of.
    fn put_node_manifest(&self, node: NodeId, manifest: &Manifest) -> Result<(), StoreError>;
    /// What a model call was made of.
    fn node_manifest(&self, node: NodeId) -> Result<Option<Manifest>, StoreError>;

    /// Keeps a long output for a conversation, under the BLAKE3 of its bytes, which is given. It goes with the last
    /// conversation that has it.
    fn put_output(
        &self,
        id: ConversationId,
        text: &str,
        now: Timestamp,
    ) -> Result<String, StoreError>;
    /// An output of this conversation; `NotFound` for others', also where the bytes are the same.
    fn output(&self, id: ConversationId, hash: &str) -> Result<String, StoreError>;

    /// The person's rules for a project, and those for all of them; oldest first.
    fn rules(&self, project: Option<ProjectId>) -> Result<Vec<Rule>, StoreError>;
    /// Adds a rule.
    fn put_rule(&self, rule: &Rule) -> Result<(), StoreError>;
    /// Revokes one; `false` if there was none.
    fn remove_rule(&self, id: RuleId) -> Result<Option<Rule>, StoreError>;
    /// Whether commands may be run in a project at all. Off until the person says so.
    fn commands_allowed(&self, project: ProjectId) -> Result<bool, StoreError>;
    /// The person says so.
    fn allow_commands(&self, project: ProjectId, allowed: bool) -> Result<(), StoreError>;

    /// Lines that models and agents want to be remembered and the person has not answered, oldest first: of a project
    /// and of none.
    fn inbox(&self, project: Option<ProjectId>) -> Result<Vec<InboxRecord>, StoreError>;
    /// Adds one.
    fn put_inbox(&self, record: &InboxRecord) -> Result<(), StoreError>;
    /// Adds one of an agent outside, unless so many of theirs wait in all projects together; whether it was added.
    fn put_inbox_within(&self, record: &InboxRecord, most: u64) -> Result<bool, StoreError>;
    /// Takes one out, answered; `None` if there was none.
    fn take_inbox(&self, id: InboxId) -> Result<Option<InboxRecord>, StoreError>;

    /// MCP servers of a project, and those for all of them, by name.
    fn servers(&self, project: Option<ProjectId>) -> Result<Vec<McpServer>, StoreError>;
    /// Adds one or changes it.
    fn put_server(&self, server: &McpServer) -> Result<(), StoreError>;
    /// Removes one; `false` if there was none.
    fn remove_server(&self, project: Option<ProjectId>, name: &str) -> Result<bool, StoreError>;
}

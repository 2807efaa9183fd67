//! Tools as hosts see them: what is offered, what waits for the person, what was remembered, and runs.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, InboxId, MessageId, ProjectId, RuleId, TurnId};
use siltstone_engine::keys::Place;
use siltstone_engine::run::{NodeStatus, RunNode};
pub use siltstone_engine::tasks::{EvaluatedCriterion, Evaluation, ExecutionTree, TreeStep};
use siltstone_engine::tool::approval::Rule;
use siltstone_engine::tool::mcp::{
    McpChange, McpNeeds, McpResource, McpServer, McpTool, McpTransport,
};
use siltstone_engine::tool::{Effect, FileChange, Sandbox};
use ts_rs::TS;

/// Where tools are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolsAt {
    /// The project; `None` for conversations without one.
    pub project_id: Option<ProjectId>,
}

/// A tool that a model may be offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolItem {
    /// Its name.
    pub name: String,
    /// What models are told of it; of a server's tool, the server's words.
    pub description: String,
    /// What it does.
    pub effect: Effect,
    /// The server it is of; `None` for a built-in one.
    pub server: Option<String>,
    /// Whether the person offers it.
    pub on: bool,
    /// Whether it can be offered here: it may need a trusted project.
    pub available: bool,
}

/// Tools at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolPanel {
    /// All of them.
    pub tools: Vec<ToolItem>,
    /// Whether commands may be run in the project.
    pub commands_allowed: bool,
    /// What keeps them inside it.
    pub sandbox: Sandbox,
    /// What was remembered for the project, and for all of them.
    pub rules: Vec<Rule>,
}

/// Says whether commands may be run in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AllowCommands {
    /// The project.
    pub project_id: ProjectId,
    /// Whether.
    pub allowed: bool,
}

/// Names a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleRef {
    /// Which.
    pub id: RuleId,
}

/// A call that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Approval {
    /// The turn.
    pub turn_id: TurnId,
    /// The call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// The server it is of.
    pub server: Option<String>,
    /// What it does.
    pub effect: Effect,
    /// What a file would be changed to.
    pub change: Option<FileChange>,
    /// The whole command, as it would run.
    pub command: Option<String>,
    /// What the model says it is for.
    pub purpose: Option<String>,
    /// The arguments as they are carried out, whole: JSON over several lines.
    pub arguments: String,
    /// Path patterns that "always for this" could mean, the narrowest first.
    pub patterns: Vec<String>,
    /// Hash of everything above; an answer names it, so that nothing else can be agreed to.
    pub hash: String,
}

/// The person's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum ApprovalAnswer {
    /// This once.
    Once,
    /// Every call of the tool in this project.
    AlwaysTool,
    /// Calls of the tool whose paths match.
    AlwaysPattern {
        /// One of the patterns that were offered, or the person's own.
        pattern: String,
    },
    /// Exactly this command, or exactly these arguments.
    AlwaysExactly,
    /// Not now; the model is told, with the person's words.
    No {
        /// What to do instead; empty for nothing.
        note: String,
    },
    /// Never this tool in this project.
    Never,
}

/// Answers a call that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AnswerApproval {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The call.
    pub call_id: String,
    /// The hash that was shown.
    pub hash: String,
    /// The answer.
    #[serde(flatten)]
    pub answer: ApprovalAnswer,
}

/// A call as it goes on, for its row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolProgress {
    /// The call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// One line that says what it is about.
    pub about: String,
    /// Where it stands.
    pub status: NodeStatus,
    /// Whether its result was kept for the conversation, by a rule of the person's.
    pub kept: bool,
}

/// A turn as it was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunView {
    /// The turn.
    pub turn_id: TurnId,
    /// Its nodes, in the order in which they began.
    pub nodes: Vec<RunNode>,
}

/// Asks for a part of a long result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadOutput {
    /// The conversation that has it.
    pub conversation_id: ConversationId,
    /// Its handle.
    pub hash: String,
    /// First line, from 1.
    pub offset: u64,
    /// Most lines.
    pub limit: u64,
}

/// A part of a long result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OutputText {
    /// The lines.
    pub text: String,
    /// First line, from 1.
    pub offset: u64,
    /// Lines of the whole.
    pub lines: u64,
}

/// A server with how it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpItem {
    /// As it was set up.
    pub server: McpServer,
    /// Whether the person trusted it as it is now, with its files as they are now.
    pub trusted: bool,
    /// What trust in it would be bound to now.
    pub fingerprint: String,
    /// How it is another one than was trusted, by its files; at most a hundred.
    pub changes: Vec<McpChange>,
    /// Files of it that can be changed where it lies, and that trust is bound to; at most a hundred.
    pub files: Vec<String>,
    /// How many there are.
    pub file_count: u64,
    /// Whether there are more than are looked at, to which trust is not bound.
    pub more_files: bool,
    /// What it usually needs, by its name and its arguments, and was not given.
    pub lacks: McpNeeds,
    /// What keeps a program inside here.
    pub sandbox: Sandbox,
    /// Whether no program has a network here, whatever it is given.
    pub this_computer_only: bool,
    /// Names of its secrets that are not kept yet.
    pub missing_secrets: Vec<String>,
    /// Why it could not be reached the last time; `None` when it could, or was not asked.
    pub fault: Option<String>,
    /// Tools it offered the last time.
    pub tools: Vec<String>,
}

/// Adds a server, or changes the one of this name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetMcp {
    /// The project; `None` for all.
    pub project_id: Option<ProjectId>,
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether its tools are offered.
    pub on: bool,
}

/// Names a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpRef {
    /// The project; `None` for all.
    pub project_id: Option<ProjectId>,
    /// Its name.
    pub name: String,
}

/// Asks a server what it offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TestMcp {
    /// Which.
    #[serde(flatten)]
    pub server: McpRef,
    /// The project in which one of all projects is looked at: it starts there. One of a project starts in that one.
    #[serde(default)]
    #[ts(optional)]
    pub at: Option<ProjectId>,
}

/// Trusts a server as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TrustMcp {
    /// Which.
    #[serde(flatten)]
    pub server: McpRef,
    /// The fingerprint that was shown.
    pub fingerprint: String,
    /// BLAKE3 of its instructions that may take effect; empty for none.
    pub instructions: String,
    /// The project in which it was looked at; as when it was asked.
    #[serde(default)]
    #[ts(optional)]
    pub at: Option<ProjectId>,
}

/// Keeps a secret of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetMcpSecret {
    /// Which server.
    #[serde(flatten)]
    pub server: McpRef,
    /// Name of the variable or header.
    pub variable: String,
    /// Its value.
    pub value: String,
    /// Where it is kept; `None` where keys go without a question.
    #[serde(default)]
    pub place: Option<Place>,
}

/// A server that was asked what it offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct McpTested {
    /// Its fingerprint.
    pub fingerprint: String,
    /// Its tools, in its own words.
    pub tools: Vec<McpTool>,
    /// What it wants models to be told; shown before it takes effect.
    pub instructions: Option<String>,
    /// BLAKE3 of that.
    pub instructions_hash: String,
}

/// What a server has to read, as far as a conversation may keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerResources {
    /// The server's name.
    pub server: String,
    /// What it has, with what is kept though the server does not list it.
    pub resources: Vec<ResourceItem>,
    /// Why it could not be asked.
    pub fault: Option<String>,
}

/// Something a server has to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceItem {
    /// In the server's own words.
    pub resource: McpResource,
    /// How it stands to the conversation.
    pub state: ResourceState,
}

/// How a resource stands to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ResourceState {
    /// It is in no request.
    NotKept,
    /// What is kept is what it says now.
    AsKept,
    /// It says something else now; what was agreed to goes on being sent.
    Changed,
    /// It is kept, and cannot be read any more.
    Gone,
}

/// Names a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceRef {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The server's name.
    pub server: String,
    /// What the resource is asked for by.
    pub uri: String,
}

/// What a resource says, as it would be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResourceText {
    /// Its text, without what nobody sees in it, and no longer than a kept one is.
    pub text: String,
    /// BLAKE3 of that: what a yes is given to.
    pub hash: String,
    /// Whether it says more than that.
    pub cut: bool,
    /// What is kept of it now.
    pub kept: Option<String>,
}

/// Keeps a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeepResource {
    /// Which.
    #[serde(flatten)]
    pub resource: ResourceRef,
    /// [`ResourceText::hash`] of what was shown.
    pub hash: String,
}

/// A server that a project's own files name; nothing of it runs before it is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpFound {
    /// The file that names it.
    pub path: String,
    /// Its name there.
    pub name: String,
    /// How it would be reached.
    pub transport: McpTransport,
    /// Whether one is set up that is the same.
    pub added: bool,
}

/// A line that a model or an agent wants to be remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct InboxItem {
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

/// Takes a line of the inbox into memory, in these words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AcceptInbox {
    /// Which.
    pub id: InboxId,
    /// The text as the person wants it.
    pub text: String,
    /// Whether it goes into global memory; otherwise into the project's.
    pub global: bool,
}

/// Names a line of the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct InboxRef {
    /// Which.
    pub id: InboxId,
}

/// Asks for a plan of what is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CreateTree {
    /// The conversation in which it is asked.
    pub conversation_id: ConversationId,
    /// What is to be done.
    pub goal: String,
}

/// Carries a plan out: it becomes the plan that is worked on, and its tasks are asked for one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunTree {
    /// The conversation in which it runs.
    pub conversation_id: ConversationId,
    /// As the person edited it.
    pub tree: ExecutionTree,
}

//! Sessions as hosts see them: where the work in a project stands, its plans, and the files that carry it elsewhere.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, ProjectId, ProposalId};
use siltstone_engine::session::ContextFile;
use siltstone_engine::workflow::{Workflow, WorkflowChange};
use ts_rs::TS;

/// Where the work in a project stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionView {
    /// The project.
    pub project_id: ProjectId,
    /// Whether `.ai-brain` is written into it; `None` until the person was asked.
    pub shared: Option<bool>,
    /// Whether the folder has an `.ai-brain` already.
    pub there: bool,
    /// Whether git would take the folder in; `None` where there is no repository.
    pub in_git: Option<bool>,
    /// How the files stand.
    pub files: SessionFilesState,
    /// The session, as in `context.json`.
    pub context: ContextFile,
    /// Plans, tasks and decisions, as in `workflow.json`.
    pub workflow: Workflow,
    /// Files that Siltstone did not write; nothing of them is in any request.
    pub foreign: Vec<ForeignFile>,
    /// Copies to go back to, newest first.
    pub snapshots: Vec<SessionSnapshot>,
    /// Proposals that wait.
    pub proposals: u64,
    /// Whose lock was taken here because its owner had gone silent.
    pub taken_from: Option<SilentOwner>,
}

/// Another computer that wrote the files and went silent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SilentOwner {
    /// Who.
    pub owner: String,
    /// On which computer.
    pub host: String,
    /// When it last said that it writes, by its clock.
    pub heartbeat: Timestamp,
}

/// How the files of a session stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SessionFilesState {
    /// The person does not want them, or was not asked.
    Off,
    /// They are written after every message.
    Written,
    /// They came from elsewhere and wait for the person; nothing is written over them.
    Foreign,
    /// Another computer writes them; here they are read-only.
    Held {
        /// Who.
        owner: String,
        /// On which computer.
        host: String,
        /// When it last said so, by its clock.
        heartbeat: Timestamp,
    },
    /// A newer version wrote them; they are left as they are.
    Newer {
        /// Its version.
        version: String,
    },
    /// They cannot be written; what is here goes on.
    Refused {
        /// What the system said.
        detail: String,
    },
}

/// A file that Siltstone did not write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ForeignFile {
    /// `context.json` or `workflow.json`.
    pub name: String,
    /// What Siltstone would write, which it is compared with.
    pub before: String,
    /// What it says.
    pub now: String,
    /// What it says, by its hash.
    pub hash: String,
    /// What it and Siltstone changed in different ways, by id or field.
    pub conflicts: Vec<String>,
    /// Plans and tasks that it names, by id, and that no workflow here or beside it has: nothing is worked on of them.
    pub dropped: Vec<String>,
    /// Whether it can be read as what it should be.
    pub readable: bool,
}

/// A copy of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionSnapshot {
    /// Its name.
    pub name: String,
    /// `context.json` or `workflow.json`.
    pub file: String,
    /// When it was taken.
    pub at: Timestamp,
}

/// Whether a project's session is written into its folder.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct ShareSession {
    /// The project.
    pub project_id: ProjectId,
    /// Whether it is; what is there stays when it is not.
    pub on: bool,
    /// Adds `.ai-brain/` to `.gitignore`, where git would take it in.
    #[serde(default)]
    pub ignore: bool,
}

/// What becomes of files that Siltstone did not write.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AcceptSession {
    /// The project.
    pub project_id: ProjectId,
    /// The files as they were shown.
    pub files: Vec<ShownFile>,
    /// What stands where both say something else.
    pub keep: Keep,
}

/// A file as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ShownFile {
    /// [`ForeignFile::name`].
    pub name: String,
    /// [`ForeignFile::hash`].
    pub hash: String,
}

/// What stands of a file and of what Siltstone knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Both, merged by ids; the file where they contradict each other.
    Theirs,
    /// What Siltstone knows; the file is written over.
    Mine,
}

/// Names a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SnapshotRef {
    /// Its project.
    pub project_id: ProjectId,
    /// [`SessionSnapshot::name`].
    pub name: String,
}

/// What reading the files again found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionVerified {
    /// Whether all of it is as it should be.
    pub whole: bool,
    /// What is not, in English, each with its file.
    pub problems: Vec<SessionProblem>,
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionProblem {
    /// The file.
    pub name: String,
    /// What is wrong.
    pub detail: String,
}

/// What a new conversation is told first (behaviour.md, Sessions).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Hydrated {
    /// In the design's order.
    pub lines: Vec<String>,
}

/// Where the work stopped, in a few lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ResumeCard {
    /// What we were doing: the last question.
    pub doing: Option<ResumeLine>,
    /// The running summary; empty while there is none.
    pub summary: String,
    /// The last decisions, newest first.
    pub decisions: Vec<ResumeLine>,
    /// Files that were named, shown or worked in, relative to the root, the last one first.
    pub open_files: Vec<String>,
    /// The plan that is worked on.
    pub plan: Option<String>,
    /// The task that is worked on.
    pub task: Option<String>,
    /// Tasks of that plan that are done.
    pub tasks_done: u64,
    /// All its tasks but the archived ones.
    pub tasks: u64,
    /// The conversation to go on with; `None` where it was held elsewhere.
    pub conversation_id: Option<ConversationId>,
    /// When something was last said, as the file says it.
    pub last_message_at: Option<String>,
    /// Turns so far.
    pub dialog_turns: u64,
}

/// A line of the card, and where it was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResumeLine {
    /// What.
    pub text: String,
    /// A `silt:` link; `None` where it was said elsewhere.
    pub link: Option<String>,
}

/// How work in a project goes on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct BeginSession {
    /// The project.
    pub project_id: ProjectId,
    /// In a new conversation that is told nothing; otherwise where it stopped.
    pub fresh: bool,
}

/// Whether a new conversation is told where the work stopped.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct TakePlace {
    /// The conversation, which has no message yet.
    pub conversation_id: ConversationId,
    /// Whether it is.
    pub take: bool,
}

/// Whether what was said in one conversation of a project may go in another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct AllowOthers {
    /// The project.
    pub project_id: ProjectId,
    /// Whether it may; remembered until it is answered anew.
    pub allow: bool,
}

/// A change of plans, tasks or decisions.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChangeWorkflow {
    /// The project.
    pub project_id: ProjectId,
    /// The change.
    pub change: WorkflowChange,
    /// When the plan becomes another one: the running summary begins anew with what that plan is about.
    #[serde(default)]
    pub reset: bool,
}

/// A command that was typed instead of a message: `/plan`, `/task` or `/decide`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkflowCommand {
    /// The project.
    pub project_id: ProjectId,
    /// What was typed.
    pub text: String,
}

/// Names a proposal.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct ProposalRef {
    /// The proposal.
    pub id: ProposalId,
}

//! Sessions of other agents: what hosts ask, and what they get. Texts come without secrets.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::export::ImportWarning;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ledger::{Category, Retention};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::project::Project;
use siltstone_engine::search::SnippetPart;
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{
    Agent, AgentHome, FileRole, LeftReason, SessionFacts, Stays, Tally, VaultFault,
};
use ts_rs::TS;

use crate::{ConversationItem, Failure};

/// A folder in which an agent keeps sessions, and what the person was told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultSource {
    /// Whose, and where.
    pub home: AgentHome,
    /// Whether the person said yes to it.
    pub agreed: bool,
    /// Sessions in it, those of subagents not counted.
    pub sessions: u64,
    /// Files that belong to sessions.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// When the one that rests longest was written.
    pub first: Option<Timestamp>,
    /// When the newest was written.
    pub last: Option<Timestamp>,
    /// What is in the place of such files and is not read: links, pipes, folders that cannot be opened.
    pub skipped: Vec<String>,
}

/// Looks at a place that the person names: a folder of an agent that is elsewhere, or one in which exports lie.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LookVault {
    /// Where.
    pub path: String,
    /// Whose; without one, of every service whose sessions lie wherever a person put them.
    pub agent: Option<Agent>,
}

/// Says yes to folders, or takes that back; what is kept stays.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AgreeVault {
    /// Which.
    pub homes: Vec<AgentHome>,
    /// Yes, or no longer.
    pub yes: bool,
}

/// Keeps what is new in the folders that were agreed to.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ScanVault {
    /// A name for cancelling it.
    pub work_id: String,
    /// Files and folders below those that were agreed to; empty for all of these.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// Whether passages of sessions that worked in a project may go in its requests.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct RecallVault {
    /// The project.
    pub project_id: ProjectId,
    /// Whether they may.
    pub allow: bool,
}

/// Reads everything that is kept again.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct VerifyVault {
    /// A name for cancelling it.
    pub work_id: String,
}

/// Cancels a scan or a look at everything; what was kept by then stays.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CancelVault {
    /// The name that was given to it.
    pub work_id: String,
}

/// How far such work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultEvent {
    /// Files that were looked at.
    pub files: u64,
    /// Files there are; 0 while nobody knows.
    pub of: u64,
    /// Bytes that were read.
    pub bytes: u64,
}

/// What a scan did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultScanned {
    /// Files that belong to sessions.
    pub files: u64,
    /// Seen for the first time.
    pub new: u64,
    /// Longer than before.
    pub grew: u64,
    /// Written anew; what they said before is kept.
    pub rewritten: u64,
    /// Shorter than before; what they lost is kept.
    pub cut: u64,
    /// Bytes that were added.
    pub bytes: u64,
    /// Sessions that were understood anew.
    pub understood: u64,
    /// Files that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// What is in the place of files and is not read.
    pub skipped: Vec<String>,
    /// Kinds of records of the sessions that were understood anew which are not known here; they are kept.
    pub unknown: Tally,
    /// Whether it was cancelled before its end.
    pub cancelled: bool,
}

/// What is kept of an agent's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultKept {
    /// Whose, and where.
    pub home: AgentHome,
    /// Whether what is new there is kept, too.
    pub agreed: bool,
    /// Sessions.
    pub sessions: u64,
    /// Files.
    pub files: u64,
    /// Files that the agent has no more.
    pub gone: u64,
    /// Files of which the agent has less, or something else.
    pub changed: u64,
    /// Bytes of the newest versions.
    pub bytes: u64,
    /// When something was kept last.
    pub kept_at: Option<Timestamp>,
    /// Records of kinds that are not known here.
    pub unknown: Tally,
    /// Lines that could not be read.
    pub unreadable: u64,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultStatus {
    /// By folder.
    pub kept: Vec<VaultKept>,
    /// Bytes of all versions; what versions share counts once.
    pub bytes: u64,
    /// What they take on the disk.
    pub stored: u64,
    /// Whether this program keeps what is new by itself.
    pub following: VaultFollowing,
}

/// How keeping by itself what agents write goes on in the program that was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultFollowing {
    /// Whether it does so, in the folders that were agreed to.
    pub on: bool,
    /// When everything had been looked at last.
    pub looked_at: Option<Timestamp>,
    /// Why the last look did not succeed.
    pub failure: Option<Failure>,
}

/// Which sessions to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ListVault {
    /// Of this agent alone.
    pub agent: Option<Agent>,
    /// Of work in this folder, or beneath it.
    pub folder: Option<String>,
    /// At most so many, those of which something was said last.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Looks for words in what was said in kept sessions.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SearchVault {
    /// What is looked for: words that all must be there, phrases in quotes.
    pub query: String,
    /// In sessions of this agent alone.
    pub agent: Option<Agent>,
    /// In sessions of work in this folder, or beneath it.
    pub folder: Option<String>,
    /// Most hits to give; capped at 100.
    pub limit: u32,
}

/// What was found in kept sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultFound {
    /// Best first.
    pub hits: Vec<VaultHit>,
    /// How many match; a lower bound when `capped`.
    pub total: u64,
    /// Counting or ranking stopped early because the words are everywhere.
    pub capped: bool,
}

/// Something that was said in a kept session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultHit {
    /// Whose session.
    pub agent: Agent,
    /// The agent's own id of it.
    pub id: String,
    /// The session that began it, where it is a subagent's.
    pub parent: Option<String>,
    /// What it is called; may be empty.
    pub title: String,
    /// The folder in which it worked.
    pub folder: Option<String>,
    /// Its place among the session's entries, from 1.
    pub number: u64,
    /// Who said it.
    pub role: Role,
    /// When.
    pub at: Option<Timestamp>,
    /// The surroundings of the first match.
    pub snippet: Vec<SnippetPart>,
}

/// A session in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultItem {
    /// What is known of it.
    #[serde(flatten)]
    pub facts: SessionFacts,
    /// Where its agent wrote it.
    pub home: AgentHome,
    /// Its file, below that.
    pub path: String,
    /// How many times that was written anew; 1 for one that only ever grew.
    pub versions: u32,
    /// Bytes of the newest version.
    pub bytes: u64,
    /// Since when the agent does not have it any more.
    pub gone_at: Option<Timestamp>,
    /// Bytes that the agent's own file lacks at its end.
    pub cut: u64,
    /// Sessions of its subagents.
    pub children: u64,
}

/// Names a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultRef {
    /// The agent's own id, or a beginning of it that no other has.
    pub id: String,
    /// A version of its file; the newest one otherwise.
    pub version: Option<u32>,
}

/// Asks what going on with a session would take along.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PlanVault {
    /// The agent's own id, or a beginning of it that no other has; or the whole id of a conversation from here.
    pub id: String,
    /// A version of its file; the newest one otherwise.
    pub version: Option<u32>,
    /// Where it goes on.
    pub goal: VaultGoal,
}

/// Goes on with a session.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ContinueVault {
    /// The agent's own id, or a beginning of it that no other has; or the whole id of a conversation from here.
    pub id: String,
    /// A version of its file; the newest one otherwise.
    pub version: Option<u32>,
    /// Where it goes on.
    pub goal: VaultGoal,
    /// The path that the person was shown and said yes to, for an agent's session: nothing is written elsewhere.
    pub path: Option<String>,
}

/// Where a session goes on. It stays what it is itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum VaultGoal {
    /// Here, as a conversation with all its branches.
    Here {
        /// The project that it belongs to; that of the session's folder otherwise, if it was ever opened.
        project_id: Option<ProjectId>,
    },
    /// With an agent, as a session of its own.
    Agent {
        /// Which.
        agent: Agent,
        /// The folder in which it goes on; that of the session otherwise.
        folder: Option<String>,
        /// With what was before the last compaction, in the place of its summary.
        whole: bool,
        /// In the agent's own folder; otherwise below the data folder, from where the person takes it.
        install: bool,
    },
    /// With whoever reads it, as a text.
    Text,
}

/// What going on with a session takes along. Nothing is changed by asking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultPlan {
    /// The session; none for a conversation from here.
    pub item: Option<VaultItem>,
    /// What it is called.
    pub title: String,
    /// The project that the conversation would belong to.
    pub project: Option<Project>,
    /// Questions of the person that go.
    pub turns: u64,
    /// Messages that go, those and the answers of tools included.
    pub messages: u64,
    /// Calls of tools that go.
    pub calls: u64,
    /// Pictures that go.
    pub pictures: u64,
    /// Compactions that become summaries.
    pub summaries: u64,
    /// Tokens of what goes on the path that goes on, estimated.
    pub tokens: u64,
    /// What stays behind, with the reason; the session keeps it.
    pub left: Vec<VaultLeft>,
    /// The session that would be written, for an agent.
    pub handover: Option<VaultHandover>,
}

/// Something that stays behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultLeft {
    /// Why.
    pub reason: LeftReason,
    /// How much.
    pub count: u64,
}

/// A session that is written for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultHandover {
    /// Its id there.
    pub session_id: String,
    /// The file that is written.
    pub path: String,
    /// The command that puts it where the agent looks, when it is written elsewhere.
    pub install: Option<String>,
    /// The command with which the agent goes on.
    pub start: String,
}

/// What came of going on with a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum VaultContinued {
    /// A conversation here.
    Here {
        /// The new conversation.
        item: ConversationItem,
        /// What was read, but not as it stood.
        warnings: Vec<ImportWarning>,
    },
    /// A session of an agent.
    Agent {
        /// Where it is, and how it goes on.
        handover: VaultHandover,
    },
    /// A text.
    Text {
        /// The text itself.
        text: String,
        /// A name for a file of it.
        name: String,
    },
}

/// A session, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultSession {
    /// What the list says of it.
    pub item: VaultItem,
    /// Everything that was said, on all branches, in the order in which it was written.
    pub entries: Vec<VaultEntry>,
    /// Its subagents' sessions.
    pub children: Vec<VaultItem>,
    /// Tokens of it and of those, each counted once.
    pub usage: Usage,
    /// Files that belong to it, its own first.
    pub files: Vec<VaultFile>,
    /// How often each kind of record stands in it that says nothing of the conversation.
    pub beside: Tally,
    /// Texts that are shown in part, and entries that are not: all of it is kept.
    pub shortened: u64,
    /// Whether its last line is cut off.
    pub is_cut: bool,
}

/// One thing that was said in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultEntry {
    /// Its place, from 1.
    pub number: u64,
    /// The place of the one before it.
    pub parent: Option<u64>,
    /// Whether it is on the path that the agent would go on with.
    pub active: bool,
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: VaultEntryKind,
    /// What was said, called and answered.
    pub parts: Vec<Part>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultEntryKind {
    /// Said by the person, the model or a tool.
    Said,
    /// Put there by the agent.
    Context,
    /// A compaction; its text is the summary.
    Fold,
}

/// A file that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultFile {
    /// Below its agent's folder.
    pub path: String,
    /// What it is to the session.
    pub role: FileRole,
    /// Bytes of the newest version.
    pub bytes: u64,
    /// How many versions there are.
    pub versions: u32,
    /// Since when the agent does not have it any more.
    pub gone_at: Option<Timestamp>,
}

/// A compaction, and what became of what it folded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultDropped {
    /// Its place among the session's entries, from 1.
    pub number: u64,
    /// When.
    pub at: Option<Timestamp>,
    /// Whether it came by itself; `None` where nobody says.
    pub automatic: Option<bool>,
    /// Tokens of the context before it, as the agent counted them.
    pub before: Option<u64>,
    /// Tokens of the context after it.
    pub after: Option<u64>,
    /// The summary's text; empty where the agent keeps it to itself.
    pub summary: String,
    /// Its tokens, estimated.
    pub summary_tokens: u64,
    /// Entries that it folded.
    pub entries: Vec<u64>,
    /// Their tokens, estimated.
    pub tokens: u64,
    /// What of it is still told, kind by kind.
    pub retention: Retention,
    /// Everything that was said there, the weightiest first.
    pub facts: Vec<VaultDroppedFact>,
}

/// Something that a compaction folded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultDroppedFact {
    /// What kind of thing it is.
    pub category: Category,
    /// As it was said.
    pub text: String,
    /// The entry that said it first.
    pub entry: u64,
    /// Where it stays.
    pub stays: Stays,
}

/// What came of reading everything again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct VaultVerified {
    /// Files.
    pub files: u64,
    /// Versions of them.
    pub versions: u64,
    /// Bytes that were read and compared with their hashes.
    pub bytes: u64,
    /// What is not what was kept.
    pub faults: Vec<VaultFault>,
}

/// Deletes what is kept, for ever.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ForgetVault {
    /// What.
    pub what: ForgetWhat,
    /// Do it; otherwise it is only said what would go.
    pub yes: bool,
}

/// What is to be forgotten.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ForgetWhat {
    /// A session with its subagents' and what it put beside itself. It is not kept again.
    Session {
        /// The agent's id of it, or a beginning of that.
        id: String,
    },
    /// Everything of an agent, and the yes to its folders.
    Agent {
        /// Which.
        agent: Agent,
    },
}

/// What forgetting does, or did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultForgets {
    /// Files that go.
    pub files: Vec<VaultFile>,
    /// Whether they are gone.
    pub done: bool,
    /// Bytes that the disk has back.
    pub freed: u64,
}

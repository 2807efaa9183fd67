//! Checkpoints as hosts ask for them and see them.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Action, CheckpointReason, ConversationState, Metadata, NotCaptured, Retention, Rule, Why,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, MessageId, PlanId, ProjectId, TurnId};
use ts_rs::TS;

/// Makes a checkpoint now.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CreateCheckpoint {
    /// Of this project.
    pub project_id: ProjectId,
    /// With where this conversation stands.
    pub conversation_id: Option<ConversationId>,
    /// A name, unique in the project; the checkpoint then stays until it is deleted by hand.
    pub tag: Option<String>,
}

/// Which checkpoints to list.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ListCheckpoints {
    /// Of this project.
    pub project_id: ProjectId,
    /// Made before this time; `None` for the newest.
    pub before: Option<Timestamp>,
    /// At most so many.
    pub limit: u32,
}

/// Names a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckpointRef {
    /// Which.
    pub id: CheckpointId,
}

/// Names checkpoints.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckpointRefs {
    /// Which.
    pub ids: Vec<CheckpointId>,
}

/// Gives a checkpoint another name, or lets it stay whatever the rules say.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChangeCheckpoint {
    /// Which.
    pub id: CheckpointId,
    /// The name; `None` for none.
    pub tag: Option<String>,
    /// Whether it stays.
    pub pinned: bool,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CheckpointItem {
    /// Its id.
    pub id: CheckpointId,
    /// Its name.
    pub tag: Option<String>,
    /// Stays whatever the rules say.
    pub pinned: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// Why.
    pub reason: CheckpointReason,
    /// The one before it on the same line of work.
    pub parent: Option<CheckpointId>,
    /// The conversation, and where it stood.
    pub conversation_id: Option<ConversationId>,
    /// The last message of it.
    pub message_id: Option<MessageId>,
    /// How many messages it had.
    pub messages: u64,
    /// Files it holds; `None` when it holds none of the project's.
    pub files: Option<u64>,
    /// Paths that differ from the checkpoint before.
    pub changed: u64,
    /// Bytes it added on disk.
    pub bytes: u64,
    /// Paths that were not captured.
    pub not_captured: u64,
    /// Whether this version can restore it.
    pub known: bool,
}

/// Checkpoints of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CheckpointList {
    /// The newest first.
    pub items: Vec<CheckpointItem>,
    /// Whether there are older ones.
    pub more: bool,
    /// What all of the project's take on disk.
    pub bytes: u64,
    /// The most they may take.
    pub cap: Option<u64>,
    /// Restores that were begun and not finished, for example because the program was killed.
    pub unfinished: Vec<UnfinishedRestore>,
    /// Why files are not captured in this project, if they are not.
    pub files_off: Option<FilesOff>,
    /// Whether the last one could not be made because the disk is full. Conversations go on.
    pub disk_full: bool,
    /// Whether so little of the disk is left that none is taken by itself. Those that are asked for are.
    pub disk_low: bool,
}

/// Why the files of a project are not captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FilesOff {
    /// The folder is the person's home, or the root of a file system.
    TooWide,
}

/// A restore that was begun and not finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct UnfinishedRestore {
    /// Its plan.
    pub plan_id: PlanId,
    /// Of this checkpoint.
    pub checkpoint_id: CheckpointId,
    /// The checkpoint that was taken before it.
    pub before: CheckpointId,
}

/// Everything about a checkpoint but its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CheckpointDetail {
    /// As in the list.
    pub item: CheckpointItem,
    /// Where it was made, and by what.
    pub metadata: Metadata,
    /// Where the conversation stood, if one was open.
    pub conversation: Option<ConversationState>,
    /// The turn that ended there: what was sent for it is what the model saw last. `None` where nothing was sent.
    pub turn_id: Option<TurnId>,
    /// The first paths that were not captured.
    pub not_captured: Vec<NotCaptured>,
    /// What was added while working.
    pub runtime_additions: Vec<String>,
    /// The merged memory at that moment.
    pub memory: Option<String>,
}

/// Two moments to compare.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CompareCheckpoints {
    /// The earlier one.
    pub id: CheckpointId,
    /// The later one; `None` for now.
    pub with: Option<CheckpointId>,
}

/// How a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there.
    Added,
    /// It says something else.
    Modified,
    /// Only its permissions differ.
    Mode,
    /// It is gone.
    Deleted,
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FileChange {
    /// Below the root, as shown.
    pub path: String,
    /// How.
    pub kind: ChangeKind,
    /// Bytes before.
    pub before: Option<u64>,
    /// Bytes after.
    pub after: Option<u64>,
}

/// What is different between two moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CheckpointDiff {
    /// Files, by path.
    pub files: Vec<FileChange>,
    /// Messages of the conversation that are only in the earlier one.
    pub messages_before: u64,
    /// Messages that are only in the later one.
    pub messages_after: u64,
    /// The first of the messages that would go, and those that would come.
    pub messages: Vec<MomentMessage>,
    /// Lines of memory, settings and context that differ.
    pub context: Vec<ContextChange>,
}

/// A message that one of two moments does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MomentMessage {
    /// Which.
    pub id: MessageId,
    /// Who said it.
    pub role: siltstone_engine::message::Role,
    /// Its beginning.
    pub text: String,
    /// Whether the later moment has it.
    pub later: bool,
}

/// Something of the context that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextChange {
    /// What it is: a memory file, a line, a setting, a key of a store.
    pub name: String,
    /// What it said.
    pub before: Option<String>,
    /// What it says.
    pub after: Option<String>,
}

/// One file at two moments.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CompareFile {
    /// The earlier moment.
    pub id: CheckpointId,
    /// The later one; `None` for now.
    pub with: Option<CheckpointId>,
    /// The path, as in [`FileChange`].
    pub path: String,
}

/// The texts of one file; `None` where there is none, or none that can be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileTexts {
    /// Before.
    pub before: Option<String>,
    /// After.
    pub after: Option<String>,
    /// Whether one of them is not text, or too large to show.
    pub binary: bool,
}

/// What of a checkpoint comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RestoreParts {
    /// The conversation as it stood; what came later stays on its branch.
    pub chat: bool,
    /// The project's files.
    pub files: bool,
    /// What was added while working.
    pub memory: bool,
    /// What is known beside the conversation.
    pub context: bool,
}

/// Asks what a restore would do.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PlanRestore {
    /// The checkpoint.
    pub id: CheckpointId,
    /// What comes back.
    pub parts: RestoreParts,
}

/// One path of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PlannedFile {
    /// Its place in the plan, which names it.
    pub index: u32,
    /// As shown.
    pub path: String,
    /// What happens unless the person chooses otherwise.
    pub action: Action,
    /// Why.
    pub why: Why,
    /// Bytes now.
    pub now: Option<u64>,
    /// Bytes then.
    pub then: Option<u64>,
    /// Whether both can be merged: the checkpoint, now, and what both began with are text.
    pub can_merge: bool,
}

/// What a restore would do. Nothing was done yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RestorePlan {
    /// Names the plan when it is carried out.
    pub plan_id: PlanId,
    /// The checkpoint.
    pub checkpoint_id: CheckpointId,
    /// What comes back.
    pub parts: RestoreParts,
    /// Files, by path.
    pub files: Vec<PlannedFile>,
    /// Paths that were not captured and stay as they are.
    pub untouched: Vec<NotCaptured>,
    /// How many messages of the shown path would no longer be on it.
    pub messages: u64,
    /// Lines of memory that come or go.
    pub lines: u64,
    /// Keys of the context that change.
    pub keys: u64,
}

/// The three texts of a file that can be merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MergeTexts {
    /// What both began with.
    pub base: String,
    /// Now.
    pub now: String,
    /// Then.
    pub then: String,
    /// Both together, with marks where they contradict each other.
    pub merged: String,
    /// Whether it has such marks.
    pub conflicts: bool,
}

/// Names a file of a plan.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PlannedFileRef {
    /// The plan.
    pub plan_id: PlanId,
    /// Its place in the plan.
    pub index: u32,
}

/// What the person wants for one path.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PathChoice {
    /// Its place in the plan.
    pub index: u32,
    /// What happens.
    pub choice: PathOutcome,
}

/// What happens to a path by the person's choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum PathOutcome {
    /// It stays as it is.
    Keep,
    /// It becomes what it was; where nothing was, it goes.
    Overwrite,
    /// It becomes this text, which the person made of both.
    Merge {
        /// The text.
        text: String,
    },
}

/// Carries a plan out.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunRestore {
    /// The plan.
    pub plan_id: PlanId,
    /// Where the person chose otherwise.
    pub choices: Vec<PathChoice>,
}

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Restored {
    /// The checkpoint that was taken before; restoring it undoes this.
    pub before: CheckpointId,
    /// Paths that are what they were now.
    pub done: u64,
    /// Paths that stayed as they are.
    pub kept: u64,
    /// Paths that could not be written, with why; the rest is done.
    pub failed: Vec<FailedPath>,
    /// The conversation that is shown now, if it was restored.
    pub conversation_id: Option<ConversationId>,
}

/// A path that could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FailedPath {
    /// As shown.
    pub path: String,
    /// What the system said.
    pub detail: String,
}

/// Frees space by rules.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CleanCheckpoints {
    /// Of this project.
    pub project_id: ProjectId,
    /// The rules; `None` for those of the settings.
    pub rules: Option<Retention>,
    /// Of what goes by them these alone, as somebody was shown; `None` for all of it.
    pub only: Option<Vec<CheckpointId>>,
    /// Only says what would go.
    pub dry_run: bool,
}

/// What goes, or went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Cleaned {
    /// Checkpoints, the oldest first.
    pub gone: Vec<Overdue>,
    /// Bytes that were freed; in a dry run, about how many would be.
    pub freed: u64,
}

/// A checkpoint that goes by a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Overdue {
    /// Which.
    pub id: CheckpointId,
    /// When it was made.
    pub created_at: Timestamp,
    /// The rule.
    pub rule: Rule,
    /// Bytes it added on disk.
    pub bytes: u64,
}

/// What looking at every object found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Verified {
    /// Objects that are damaged or missing, in hexadecimal, each with the checkpoints that need it.
    pub damaged: Vec<DamagedObject>,
    /// Objects that were found again, after a repair.
    pub repaired: u64,
}

/// An object that is damaged or missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DamagedObject {
    /// Its BLAKE3.
    pub id: String,
    /// The checkpoints that cannot be restored whole.
    pub checkpoints: Vec<CheckpointId>,
}

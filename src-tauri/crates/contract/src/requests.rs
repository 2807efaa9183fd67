//! What a host may ask.

use serde::{Deserialize, Serialize};
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId, TurnId};
use siltstone_engine::keys::Place;
use siltstone_engine::project::Trust;
use siltstone_engine::search::SearchScope;
use siltstone_engine::secret::Secret;
use ts_rs::TS;

/// Names a project.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProjectRef {
    /// The project.
    pub id: ProjectId,
}

/// Names a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ConversationRef {
    /// The conversation.
    pub id: ConversationId,
}

/// Names a message.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MessageRef {
    /// The message.
    pub id: MessageId,
}

/// Names a turn.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TurnRef {
    /// The turn.
    pub id: TurnId,
}

/// Names a provider.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProviderRef {
    /// Its name.
    pub name: String,
}

/// A key, to be recognised.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct RecogniseKey {
    /// As it was pasted.
    pub key: Secret,
}

/// A key to keep.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct SetKey {
    /// Name of the provider it belongs to.
    pub provider: String,
    /// As it was pasted.
    pub key: Secret,
    /// Where the person wants it kept.
    pub place: Place,
}

/// The passphrase of the encrypted file.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct UnlockVault {
    /// As it was typed; at least eight characters for a new file.
    pub passphrase: Secret,
}

/// Which backup to put in place.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RestoreBackup {
    /// File name inside the backups folder.
    pub name: String,
}

/// A folder to look through.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProbeProject {
    /// Path of the folder.
    pub path: String,
    /// Chosen by the caller, to cancel by.
    pub probe_id: String,
}

/// A probe to cancel.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CancelProbe {
    /// As given to the probe.
    pub probe_id: String,
}

/// A folder to open.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OpenProject {
    /// Path of the folder.
    pub path: String,
    /// The person's answer; `None` keeps the earlier one and fails when there is none.
    pub trust: Option<Trust>,
}

/// A changed answer about trust.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TrustProject {
    /// The project.
    pub id: ProjectId,
    /// The new answer.
    pub trust: Trust,
}

/// A file to read.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReadProjectFile {
    /// The project.
    pub id: ProjectId,
    /// Path relative to the project, with `/`.
    pub path: String,
}

/// Which conversations to list.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ListConversations {
    /// Only of this project.
    pub project_id: Option<ProjectId>,
    /// The trash instead of the living.
    pub trashed: bool,
}

/// A conversation to make.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CreateConversation {
    /// The project it belongs to, if any.
    pub project_id: Option<ProjectId>,
}

/// A stretch of messages.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PageConversation {
    /// The conversation.
    pub id: ConversationId,
    /// Index of the first message; `None` for the newest ones.
    pub start: Option<u64>,
    /// Most messages to give; capped at 200.
    pub limit: u64,
}

/// A title.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RenameConversation {
    /// The conversation.
    pub id: ConversationId,
    /// The title.
    pub title: String,
}

/// Pin or unpin.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PinConversation {
    /// The conversation.
    pub id: ConversationId,
    /// Whether it stays at the top.
    pub pinned: bool,
}

/// Provider and model of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChooseModel {
    /// The conversation.
    pub id: ConversationId,
    /// The choice; `None` follows the default.
    pub choice: Option<DefaultModel>,
}

/// A provider and one of its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DefaultModel {
    /// Name of the provider.
    pub provider: String,
    /// Id of the model.
    pub model: String,
}

/// Text in the composer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SaveDraft {
    /// The conversation.
    pub id: ConversationId,
    /// The text.
    pub text: String,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// For reading: the shown path.
    Markdown,
    /// For keeping: every branch, loss-free.
    Json,
    /// For other programs: the shown path, one message a line.
    Jsonl,
}

/// An export.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExportConversation {
    /// The conversation.
    pub id: ConversationId,
    /// The form.
    pub format: ExportFormat,
}

/// An import; the format is recognised.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportConversation {
    /// The text of the file.
    pub text: String,
    /// The file's name, which becomes the title when the text has none.
    pub name: String,
    /// The project it joins.
    pub project_id: Option<ProjectId>,
}

/// A search.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Search {
    /// What is looked for.
    pub query: String,
    /// Where.
    pub scope: SearchScope,
    /// Most hits to give; capped at 100.
    pub limit: u32,
}

/// A message to send.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SendMessage {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The text.
    pub text: String,
}

/// A message to ask again with another text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EditMessage {
    /// The person's message.
    pub id: MessageId,
    /// The new text.
    pub text: String,
}

/// A message that is being written.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PreviewRequest {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// What is in the composer.
    pub draft: String,
}

/// An address to open outside.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OpenLink {
    /// The whole address.
    pub url: String,
}

/// A notification.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Notify {
    /// First line.
    pub title: String,
    /// Second line.
    pub body: String,
}

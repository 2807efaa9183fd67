//! What a host may ask.

use serde::{Deserialize, Serialize};
use siltstone_engine::conversation::Tuning;
use siltstone_engine::ids::{ConversationId, MessageId, NodeId, ProjectId, SummaryId, TurnId};
use siltstone_engine::keys::Place;
use siltstone_engine::project::Trust;
use siltstone_engine::provider::ProviderRecord;
use siltstone_engine::recall::RecallSettings;
use siltstone_engine::search::{Filter, SearchScope};
use siltstone_engine::secret::Secret;
use siltstone_engine::summary::{Policy, Rate};
use siltstone_engine::wish::Wish;
use ts_rs::TS;

use crate::context::BroughtContext;
use crate::memory::AgreedFile;

/// Names a project.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProjectRef {
    /// The project.
    pub id: ProjectId,
}

/// What of a project never goes anywhere.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExcludeFiles {
    /// The project.
    pub id: ProjectId,
    /// Its files, as in `.gitignore`, one pattern each.
    pub patterns: Vec<String>,
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

/// Names one call of the model within a turn.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct CallRef {
    /// The turn.
    pub turn_id: TurnId,
    /// The call, as the run of the turn names it.
    pub node_id: NodeId,
}

/// Names a summary.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct SummaryRef {
    /// The summary.
    pub id: SummaryId,
}

/// A summary in the person's words.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EditSummary {
    /// The summary.
    pub id: SummaryId,
    /// What it says from now on.
    pub text: String,
}

/// What is sent in a summary's place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct UnfoldSummary {
    /// The summary.
    pub id: SummaryId,
    /// Whether the messages themselves are.
    pub unfolded: bool,
}

/// A summary to make at another rate.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct TrySummary {
    /// The summary.
    pub id: SummaryId,
    /// The rate.
    pub rate: Rate,
}

/// The next fold, to be looked at.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct SketchFold {
    /// The conversation.
    pub id: ConversationId,
    /// At which rate; none takes the conversation's own.
    pub rate: Option<Rate>,
}

/// What the person wants of a section.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WishSection {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The section's id.
    pub id: String,
    /// Where the section comes from, to be shown where it is gone.
    pub source: String,
    /// What is wanted; `None` for nothing any more.
    pub wish: Option<Wish>,
}

/// How a conversation is told.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct SetFolding {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The policy; `None` follows the settings.
    pub policy: Option<Policy>,
    /// How long summaries are; `None` follows the settings.
    pub rate: Option<Rate>,
    /// Whether the designs are followed to the letter; `None` follows the settings.
    #[serde(default)]
    #[ts(optional)]
    pub strict: Option<bool>,
    /// What is recalled of earlier messages; `None` follows the settings.
    #[serde(default)]
    #[ts(optional)]
    pub recall: Option<RecallSettings>,
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

/// A key to try.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct TestKey {
    /// The provider, stored or not.
    pub record: ProviderRecord,
    /// As it was pasted.
    pub key: Secret,
}

/// The passphrase of the encrypted file.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct UnlockVault {
    /// As it was typed; at least eight characters for a new file.
    pub passphrase: Secret,
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
    /// Whether its conversations ask this computer alone; `None` keeps the earlier answer.
    pub this_computer_only: Option<bool>,
    /// With an answer that trusts it: the instruction files as they were shown. What is there and is not as it is here
    /// stays asked about.
    #[serde(default)]
    pub seen: Vec<AgreedFile>,
}

/// A changed answer about trust.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TrustProject {
    /// The project.
    pub id: ProjectId,
    /// The new answer.
    pub trust: Trust,
}

/// How far a project's conversations may ask.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReachProject {
    /// The project.
    pub id: ProjectId,
    /// Whether they ask this computer alone.
    pub this_computer_only: bool,
}

/// A file to read.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReadProjectFile {
    /// The project.
    pub id: ProjectId,
    /// Path relative to the project, with `/`.
    pub path: String,
}

/// Files of a project to offer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ListPaths {
    /// The project.
    pub project_id: ProjectId,
    /// What their names or paths hold; empty for any.
    pub query: String,
    /// Most paths to give; capped at 100.
    pub limit: u32,
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

/// How a conversation's model is to be asked.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TuneConversation {
    /// The conversation.
    pub id: ConversationId,
    /// All of it; what is not set is left to the provider.
    pub tuning: Tuning,
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
    /// With the secrets in it, for the person alone.
    #[serde(default)]
    pub as_is: bool,
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

/// An export of another service that was opened, to import from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportAll {
    /// As it was given when the file was opened.
    pub import_id: String,
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

/// A search over everything.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Find {
    /// What is looked for.
    pub query: String,
    /// What narrows it.
    pub filter: Filter,
    /// Most to give of each kind; capped at 100.
    pub limit: u32,
}

/// A picture or file for the message in the composer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AddAttachment {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The file's name.
    pub name: String,
    /// Its bytes in base64, at most 20 MiB of them.
    pub data: String,
}

/// A long text that was pasted into the composer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PasteText {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The text, at most 20 MiB.
    pub text: String,
}

/// Names a picture, file or pasted text in the composer.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AttachmentRef {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// Its hash.
    pub hash: String,
}

/// A picture or file to read.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReadAttachment {
    /// Its hash.
    pub hash: String,
}

/// Files that were dropped.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DropFiles {
    /// The conversation they are for.
    pub conversation_id: ConversationId,
    /// As the window system named them.
    pub paths: Vec<String>,
}

/// A message to send.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SendMessage {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The text; may be empty when something is attached.
    pub text: String,
    /// Hashes of the pictures and files in the composer that go with it.
    pub attachments: Vec<String>,
    /// What is known of the place it was written at.
    #[serde(default)]
    #[ts(optional)]
    pub context: Option<BroughtContext>,
    /// Models that are asked the same, one after the other, once the reply before theirs ended; at most three.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<DefaultModel>>")]
    pub also: Vec<DefaultModel>,
}

/// A message to ask again with another text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EditMessage {
    /// The person's message.
    pub id: MessageId,
    /// The new text; may be empty when something is attached.
    pub text: String,
    /// Hashes of the message's own pictures and files, or of those in the composer, that go with it; `None` keeps the
    /// message's own.
    pub attachments: Option<Vec<String>>,
    /// What is known of the place it was written at.
    #[serde(default)]
    #[ts(optional)]
    pub context: Option<BroughtContext>,
}

/// A reply to ask for once more.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Regenerate {
    /// The reply.
    pub id: MessageId,
    /// What is known of the place it is asked at.
    #[serde(default)]
    #[ts(optional)]
    pub context: Option<BroughtContext>,
    /// The model that writes it, if not the conversation's.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<DefaultModel>,
}

/// A message that is being written.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PreviewRequest {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// What is in the composer.
    pub draft: String,
    /// What is known of the place it is written at.
    #[serde(default)]
    #[ts(optional)]
    pub context: Option<BroughtContext>,
    /// The model that would be asked, if not the conversation's.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<DefaultModel>,
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

/// Which requests that left to list.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ListEgress {
    /// Only those before this number; `None` begins with the latest.
    pub before: Option<u64>,
    /// Most requests to give; capped at 500.
    pub limit: u32,
    /// Only those that went to other computers.
    pub away_only: bool,
}

/// Names a request that left.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct EgressRef {
    /// Its number.
    pub seq: u64,
}

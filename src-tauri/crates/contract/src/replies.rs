//! What a host is answered.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::Backup;
use siltstone_engine::conversation::{Folding, QueuedMessage, Siblings, TitleSource, Tuning};
use siltstone_engine::export::ImportWarning;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId, SummaryId, TurnId};
use siltstone_engine::keys::{KeyShown, KeyringState, Place, VaultState};
use siltstone_engine::message::{MessageStatus, Part, Role};
use siltstone_engine::offers::OffersAt;
use siltstone_engine::project::Project;
use siltstone_engine::provider::{ProviderKind, WindowSource};
use siltstone_engine::recall::Shares;
use siltstone_engine::section::{LeftOut, ManifestSection, Section};
use siltstone_engine::spending::SpentOn;
use siltstone_engine::summary::{
    Distance, MissingConstraint, Policy, Rate, Record as Summary, Statistics,
};
use siltstone_engine::turn::{Spent, TurnFault, TurnStatus, Usage};
use ts_rs::TS;

use crate::requests::{DefaultModel, ImportAll};

/// What is kept of a project beside its conversations and its files: what goes for ever when it is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProjectHolds {
    /// Plans, finished ones too.
    pub plans: u64,
    /// Their tasks.
    pub tasks: u64,
    /// Decisions.
    pub decisions: u64,
    /// Lines of memory that were added to no file.
    pub lines: u64,
    /// Proposals that wait for an answer.
    pub proposals: u64,
    /// MCP servers of this project alone.
    pub servers: u64,
    /// Checkpoints.
    pub checkpoints: u64,
    /// What those take on the disk, in bytes.
    pub bytes: u64,
}

impl ProjectHolds {
    /// Whether there is nothing of it.
    pub fn is_empty(&self) -> bool {
        *self == Self { bytes: self.bytes, ..Self::default() }
    }
}

/// What the window should know when it starts.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AppInfo {
    /// The program's version.
    pub version: String,
    /// Where everything is kept.
    pub data_dir: String,
    /// Whether the database could be opened.
    pub data: DataState,
    /// The system's language, `ko` or `en`.
    pub system_language: String,
    /// A folder that was named when the program was started.
    pub start_path: Option<String>,
}

/// What of a conversation its deletion does not reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Traces {
    /// Backups that were made while it was there, the newest first.
    pub backups: Vec<Backup>,
    /// Providers on other computers that it was sent to.
    pub sent_to: Vec<String>,
    /// Places beyond this computer that checkpoints of its project are pushed to.
    pub pushed_to: Vec<String>,
    /// What could not be cleaned when it was deleted, and why.
    pub refused: Vec<String>,
}

/// The state of the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DataState {
    /// Open.
    Open,
    /// Open to read alone: nothing can be written in the data folder.
    ReadOnly {
        /// What the system said.
        detail: String,
    },
    /// Open, and something of it could not be read: what else there is can be used, and salvaged.
    PartlyDamaged {
        /// What was wrong.
        detail: String,
    },
    /// Cannot be read; left as it is.
    Damaged {
        /// What is wrong.
        detail: String,
    },
    /// Written by a newer version of this program; left as it is.
    Newer {
        /// What was found.
        detail: String,
    },
    /// Cannot be opened for another reason.
    Unavailable {
        /// What the system said.
        detail: String,
    },
}

/// A file's text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProjectFile {
    /// Path relative to the project.
    pub path: String,
    /// The text, at most the first 2 MiB.
    pub text: String,
    /// Whether the file goes on.
    pub truncated: bool,
}

/// A file of the project, to be named in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PathHit {
    /// Path relative to the project, with `/`.
    pub path: String,
    /// Number of its bytes.
    pub size: u64,
}

/// A conversation in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationItem {
    /// Its id.
    pub id: ConversationId,
    /// The project it belongs to.
    pub project_id: Option<ProjectId>,
    /// The title; empty until the first question.
    pub title: String,
    /// Who gave the title.
    pub title_source: TitleSource,
    /// Stays at the top.
    pub pinned: bool,
    /// In the trash since.
    pub deleted_at: Option<Timestamp>,
    /// When something was last said.
    pub updated_at: Timestamp,
    /// Messages on the shown path.
    pub message_count: u64,
}

/// A conversation as the screen needs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationDetail {
    /// As in the list.
    pub item: ConversationItem,
    /// Text in the composer.
    pub draft: String,
    /// Pictures and files in the composer.
    pub attachments: Vec<Attached>,
    /// Messages that wait for the reply to end.
    pub queued: Vec<QueuedMessage>,
    /// The provider that will be asked.
    pub provider: String,
    /// The model that will be asked.
    pub model: String,
    /// Whether provider and model follow the default.
    pub follows_default: bool,
    /// Whether that model reads pictures, when that is known.
    pub takes_images: Option<bool>,
    /// Whether that model reads PDF files, when that is known.
    pub takes_files: Option<bool>,
    /// How it is asked.
    pub tuning: Tuning,
    /// What the conversation took so far.
    pub spent: Spent,
    /// The turn whose reply is on its way.
    pub open_turn: Option<TurnId>,
    /// Models that are asked the same once it ended.
    pub also: Vec<DefaultModel>,
    /// Messages that wait and are then asked of other models too.
    pub queued_also: Vec<QueuedAlso>,
}

/// A message that waits, with the models that it is asked of behind the conversation's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct QueuedAlso {
    /// The message.
    pub message_id: MessageId,
    /// The models.
    pub models: Vec<DefaultModel>,
}

/// A picture or file that is attached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Attached {
    /// What the message will hold.
    pub part: Part,
    /// Number of its bytes; 0 when they are gone.
    pub size: u64,
}

/// The bytes of a picture or file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachmentBytes {
    /// For example `image/png`; one of those that can be attached.
    pub media_type: String,
    /// The bytes in base64.
    pub data: String,
}

/// A message of the shown path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MessageItem {
    /// Its id.
    pub id: MessageId,
    /// The message before it.
    pub parent_id: Option<MessageId>,
    /// Its turn.
    pub turn_id: Option<TurnId>,
    /// Place on the path, from 0.
    pub index: u64,
    /// Who speaks.
    pub role: Role,
    /// What was said.
    pub parts: Vec<Part>,
    /// How it ended.
    pub status: MessageStatus,
    /// The model that wrote it.
    pub model: Option<String>,
    /// Estimated tokens.
    pub tokens: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// The ways to go at this point.
    pub siblings: Siblings,
    /// For replies: whether the record of its turn is here. One that came in a file has none.
    pub recorded: bool,
    /// For replies: what the provider counted.
    pub usage: Option<Usage>,
    /// For replies: what it cost, in billionths of a US dollar, when the price is known.
    pub cost: Option<u64>,
    /// For failed replies: why.
    pub fault: Option<TurnFault>,
}

/// One of several replies to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Version {
    /// What was said, called and answered in it, in order. Its places are those of its own branch.
    pub messages: Vec<MessageItem>,
    /// The provider that was asked; `None` where nothing is recorded of it.
    pub provider: Option<String>,
}

/// A stretch of the shown path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationPage {
    /// Messages in order.
    pub messages: Vec<MessageItem>,
    /// Index of the first.
    pub start: u64,
    /// Messages on the whole path.
    pub total: u64,
    /// The turn that was under way when they were read: what it left unfinished is not cut off.
    pub open_turn: Option<TurnId>,
}

/// Where a message is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Located {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// Its place on the shown path.
    pub index: u64,
}

/// A conversation that was imported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Imported {
    /// The new conversation.
    pub item: ConversationItem,
    /// What was read, but not as it stood.
    pub warnings: Vec<ImportWarning>,
}

/// What came of a file that was opened to be imported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileImported {
    /// It held one conversation, which is imported.
    One(Imported),
    /// It is an export of another service, which waits to be imported; only the last one that was opened does.
    Many(ImportAll),
}

/// What an import of many conversations did. What is in stays, however it ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportedAll {
    /// Conversations that are new here.
    pub conversations: u64,
    /// Messages in them.
    pub messages: u64,
    /// Conversations that were there already.
    pub already: u64,
    /// Conversations in which nothing was said.
    pub empty: u64,
    /// Conversations that could not be read.
    pub unreadable: u64,
    /// Pictures and files of which only the name is there.
    pub left_out: u64,
    /// Whether it was cancelled before it came to the end.
    pub cancelled: bool,
    /// The new conversation in which something was last said.
    pub latest: Option<ConversationItem>,
}

/// Exported text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExportedText {
    /// A file name that fits.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A file that was written where the person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedFile {
    /// Where.
    pub path: String,
    /// Whether others may write in its folder; the file is the person's alone.
    pub shared: bool,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Sent {
    /// A reply is on its way.
    Asked {
        /// The turn.
        turn_id: TurnId,
        /// The question.
        message_id: MessageId,
        /// The reply that is being written.
        reply_id: MessageId,
    },
    /// It waits for the reply before it.
    Queued {
        /// The waiting message.
        message_id: MessageId,
    },
}

/// The summaries of a conversation, and how it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SummaryPanel {
    /// How its earlier part is told.
    pub policy: Policy,
    /// How long its next summary is.
    pub rate: Rate,
    /// Whether policy and rate follow the settings.
    pub follows_default: bool,
    /// What the conversation itself has chosen.
    pub folding: Folding,
    /// Whether the designs are followed to the letter.
    pub strict: bool,
    /// Whether anything earlier is told at all.
    pub enabled: bool,
    /// The summaries of the shown path, all versions, made, failed or being made, oldest first.
    pub records: Vec<Summary>,
    /// Those that hold, by place.
    pub shown: Vec<SummaryId>,
    /// Index of the first message that is sent whole.
    pub first_raw: u64,
    /// How far the next summary is; `None` for policies that make none.
    pub distance: Option<Distance>,
    /// The summary that is being made, on whatever branch.
    pub busy: Option<SummaryId>,
    /// What came of it so far, where it is made in this process.
    pub writing: String,
    /// What summarising has saved.
    pub statistics: Statistics,
    /// Tokens spent on summaries of this conversation, on all its branches: those of the statistics, and what was spent on
    /// others that were replaced, tried or failed.
    pub spent_tokens: u64,
}

/// A request, section by section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RequestView {
    /// In send order.
    pub sections: Vec<Section>,
    /// What is not sent.
    pub left_out: Vec<LeftOut>,
    /// Sum over the sections.
    pub tokens: u64,
    /// Most tokens the sections may have.
    pub budget: u64,
    /// Tokens that the model holds, the reply included.
    pub window: u64,
    /// Who says so.
    pub window_source: WindowSource,
    /// What has to go weighs, where that is more than fits: it cannot be sent.
    pub needed: Option<u64>,
    /// The provider that would be asked.
    pub provider: String,
    /// The model that would be asked.
    pub model: String,
    /// Rules in force that it does not say: there was no room, or the person wants it without them. The first 50.
    pub missing_constraints: Vec<MissingConstraint>,
    /// How many more of them there are.
    pub missing_more: u64,
    /// How the room for earlier messages is shared out; `None` where nothing is recalled in this conversation.
    pub recall: Option<Shares>,
    /// Where the work stopped, while this conversation has no message yet and can be told of it.
    pub place: Option<PlaceOffer>,
    /// Passages of other conversations that would go if the person said that they may; 0 once they answered.
    pub others: u32,
    /// It goes to an agent that may look up more by itself: what was said in the project, and its rules.
    pub looks_up: bool,
    /// The mode in which the agent works that is asked; `None` for the one in which it asks, and where no agent is asked.
    pub mode: Option<String>,
}

/// Where the work in a project stopped, as a new conversation may be told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaceOffer {
    /// Whether it goes with the first message.
    pub taken: bool,
    /// Its tokens.
    pub tokens: u64,
    /// Exactly what goes, or would.
    pub sections: Vec<Section>,
}

/// A section that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SentSection {
    /// Its trace.
    pub section: ManifestSection,
    /// Its text, if it still is what was sent.
    pub text: Option<String>,
    /// Whether its source has changed or gone since.
    pub changed_since: bool,
}

/// What was sent for a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SentRequestView {
    /// The turn.
    pub turn_id: TurnId,
    /// Where it stands.
    pub status: TurnStatus,
    /// When it was asked.
    pub opened_at: Timestamp,
    /// The provider that was asked.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// How the model was asked.
    pub tuning: Tuning,
    /// In send order.
    pub sections: Vec<SentSection>,
    /// What was not sent.
    pub left_out: Vec<LeftOut>,
    /// Sum over the sections at that time.
    pub tokens: u64,
    /// Most tokens the sections could have.
    pub budget: u64,
    /// The number of the last request that left for it, while its body is kept.
    pub egress: Option<u64>,
}

/// A provider in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderItem {
    /// Its name.
    pub name: String,
    /// Its wire format.
    pub kind: ProviderKind,
    /// Where it listens; empty for the offline one.
    pub base_url: String,
    /// The default model, when it is the default provider.
    pub default_model: Option<String>,
    /// What is shown of its key.
    pub key: Option<KeyShown>,
    /// Whether it answers nobody without a key.
    pub needs_key: bool,
    /// What an agent offers beside its models, as it said when it was started last: in each project, and where there was
    /// none, which holds for projects in which it was not started yet.
    pub offers: Vec<OffersAt>,
}

/// Where keys can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeysState {
    /// The system's keyring.
    pub keyring: KeyringState,
    /// The encrypted file.
    pub vault: VaultState,
    /// Where a key is best kept now; `None` when the person must open or choose a place first.
    pub place: Option<Place>,
}

/// A request as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SentBody {
    /// The HTTP method.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Header names and values; where the key was stands `$KEY`.
    pub headers: Vec<(String, String)>,
    /// Exactly what was sent.
    pub body: String,
    /// BLAKE3 of the body, in hexadecimal digits.
    pub hash: String,
    /// A shell command that sends the same again, with the key from the variable `KEY`; empty where none can: what an agent
    /// was told in a session.
    pub curl: String,
}

/// What this calendar month cost so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Spending {
    /// The month of the person's time zone, for example `2026-11`.
    pub month: String,
    /// Known costs, in billionths of a US dollar.
    pub cost: u64,
    /// Where it asks, in millionths of a US dollar; `None` for nowhere.
    pub limit: Option<u64>,
    /// Up to where the person let this month go on, in millionths of a US dollar, when that is beyond the limit.
    pub allowed_until: Option<u64>,
    /// Replies whose price is not known.
    pub unpriced_turns: u64,
    /// What it was spent on, the dearest first.
    pub by_model: Vec<SpentOn>,
}

/// The sample project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SampleOpened {
    /// The project, trusted.
    pub project: Project,
    /// Its recorded conversation.
    pub conversation_id: ConversationId,
}

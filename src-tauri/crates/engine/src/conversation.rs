//! Conversations: durable trees of messages, of which one path is shown.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{BranchId, ConversationId, MessageId, ProjectId};
use crate::message::{Message, Part};
use crate::provider::Effort;
use crate::recall::RecallSettings;
use crate::summary::{Policy, Rate, SummarySettings};
use crate::wish::Wishes;

/// Who gave a conversation its title; a person's is never overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TitleSource {
    /// Nobody yet.
    Unset,
    /// Derived from the first question.
    Derived,
    /// Typed by the person.
    Person,
}

/// A conversation without its messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The project it belongs to, if any.
    pub project_id: Option<ProjectId>,
    /// The title; empty until the first question.
    pub title: String,
    /// Who gave the title.
    pub title_source: TitleSource,
    /// Kept at the top of the list.
    pub pinned: bool,
    /// In the trash since.
    pub deleted_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When something was last said in it.
    pub updated_at: Timestamp,
    /// The branch that is shown.
    pub active_branch: BranchId,
    /// Provider chosen for this conversation; `None` follows the default.
    pub provider: Option<String>,
    /// Model chosen for this conversation; `None` follows the default.
    pub model: Option<String>,
    /// How its model is asked.
    pub tuning: Tuning,
    /// How its earlier part is told.
    pub folding: Folding,
    /// What the person wants of single sections of its requests.
    pub wishes: Wishes,
    /// Text in the composer that was not sent yet.
    pub draft: String,
    /// Pictures and files in the composer.
    pub draft_attachments: Vec<Part>,
    /// Number of messages on the shown path.
    pub message_count: u64,
}

impl Conversation {
    /// A conversation in which nothing was said yet.
    pub fn empty(project_id: Option<ProjectId>, now: Timestamp) -> Self {
        Self {
            id: ConversationId::new(now),
            project_id,
            title: String::new(),
            title_source: TitleSource::Unset,
            pinned: false,
            deleted_at: None,
            created_at: now,
            updated_at: now,
            active_branch: BranchId::new(now),
            provider: None,
            model: None,
            tuning: Tuning::default(),
            folding: Folding::default(),
            wishes: Wishes::default(),
            draft: String::new(),
            draft_attachments: Vec::new(),
            message_count: 0,
        }
    }
}

/// How the model of a conversation is asked; what is not set is left to the provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Tuning {
    /// The person's instructions for this conversation; empty for none.
    pub instructions: String,
    /// Sampling temperature, 0 to 2.
    pub temperature: Option<f32>,
    /// Most tokens of a reply.
    pub max_output_tokens: Option<u32>,
    /// How much to think.
    pub effort: Option<Effort>,
    /// In which mode an agent works; without one, in that in which it asks.
    pub mode: Option<ChosenMode>,
}

/// A mode of one agent, as the person chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChosenMode {
    /// The name of the agent's provider: another agent knows nothing of it.
    pub agent: String,
    /// The mode's id.
    pub id: String,
}

/// Longest instructions of a conversation, in bytes.
const INSTRUCTIONS_BYTES: usize = 64 * 1024;

/// Hottest temperature any provider takes.
const HOTTEST: f32 = 2.0;

impl Tuning {
    /// Whether every value is one that some provider could take.
    pub fn is_possible(&self) -> bool {
        self.instructions.len() <= INSTRUCTIONS_BYTES
            && self.temperature.is_none_or(|degrees| (0.0..=HOTTEST).contains(&degrees))
            && self.max_output_tokens != Some(0)
    }

    /// The mode in which an agent is to work; `None` for the one in which it asks.
    pub fn mode_of(&self, agent: &str) -> Option<&str> {
        self.mode.as_ref().filter(|it| it.agent == agent).map(|it| it.id.as_str())
    }
}

/// How the earlier part of a conversation is told; what is not set follows the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Folding {
    /// The policy.
    pub policy: Option<Policy>,
    /// How long summaries are; counts from the next one.
    pub rate: Option<Rate>,
    /// Whether the designs are followed to the letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub strict: Option<bool>,
    /// What is recalled of earlier messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub recall: Option<RecallSettings>,
}

impl Folding {
    /// The settings with what this conversation has chosen.
    pub fn over(&self, settings: &SummarySettings) -> SummarySettings {
        SummarySettings {
            policy: self.policy.unwrap_or(settings.policy),
            rate: self.rate.unwrap_or(settings.rate),
            strict: self.strict.unwrap_or(settings.strict),
            recall: self.recall.unwrap_or(settings.recall),
            ..settings.clone()
        }
    }
}

/// Fields of a conversation that may change; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationPatch {
    /// New title with its source.
    pub title: Option<(String, TitleSource)>,
    /// Pin or unpin.
    pub pinned: Option<bool>,
    /// Trash (`Some(Some(at))`) or restore (`Some(None)`).
    pub deleted_at: Option<Option<Timestamp>>,
    /// Provider and model for this conversation; the inner `None` follows the default.
    pub model: Option<Option<(String, String)>>,
    /// How its model is asked.
    pub tuning: Option<Tuning>,
    /// How its earlier part is told.
    pub folding: Option<Folding>,
    /// Text in the composer.
    pub draft: Option<String>,
    /// Pictures and files in the composer.
    pub draft_attachments: Option<Vec<Part>>,
}

/// Which conversations to list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationFilter {
    /// Only of this project.
    pub project_id: Option<ProjectId>,
    /// The trash instead of the living.
    pub trashed: bool,
}

/// The replies or questions that share a parent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Siblings {
    /// Zero-based place of the shown one.
    pub position: u32,
    /// All of them, oldest first.
    pub ids: Vec<MessageId>,
}

/// One message of a path, with the ways to go at this point.
#[derive(Clone, Debug, PartialEq)]
pub struct PathMessage {
    /// The message.
    pub message: Message,
    /// Its siblings, itself included.
    pub siblings: Siblings,
}

/// A stretch of the shown path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPage {
    /// Messages in order.
    pub messages: Vec<PathMessage>,
    /// Index of the first one.
    pub start: u64,
    /// Number of messages on the whole path.
    pub total: u64,
}

/// A message that waits for the reply before it to end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QueuedMessage {
    /// Its id, which the sent message keeps.
    pub id: MessageId,
    /// What to send.
    pub text: String,
    /// Pictures and files to send with it.
    pub attachments: Vec<Part>,
}

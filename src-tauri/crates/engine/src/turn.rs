//! A Turn: a question, the work between, and the answer.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, MessageId, TurnId};

/// Where a turn stands. Only completed turns are numbered and summarised; the others travel as raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// A reply is on its way.
    Open,
    /// Answered.
    Completed,
    /// Stopped by the person or cut off by a crash; the partial reply is kept.
    Interrupted,
    /// The provider answered with an error.
    Failed,
}

/// Tokens as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the reply.
    pub output_tokens: u64,
    /// Those of `input_tokens` that were found in the provider's cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Those of `input_tokens` that were written to the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Whether the provider counted; `false` means our own estimate.
    pub exact: bool,
}

impl Usage {
    /// Of both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            exact: self.exact && other.exact,
        }
    }

    /// Whether the counts can be true: no model reads or writes a thousand million tokens at once.
    pub fn is_plausible(&self) -> bool {
        self.input_tokens.max(self.output_tokens) <= 1_000_000_000
    }
}

/// What a conversation took so far, on all its branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Spent {
    /// Billionths of a US dollar, over the turns whose price is known.
    pub cost: u64,
    /// Tokens of all requests.
    pub input_tokens: u64,
    /// Tokens of all replies.
    pub output_tokens: u64,
    /// Turns whose tokens are counted and whose price is not known.
    pub unpriced_turns: u64,
}

/// Why a turn failed, in the provider layer's words; the UI owns the wording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TurnFault {
    /// A stable code such as `offline` or `rate_limited`.
    pub code: String,
    /// The technical detail, for the curious.
    pub message: String,
}

/// The durable record of one turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// The conversation it belongs to.
    pub conversation_id: ConversationId,
    /// The question; a regenerated reply shares it with its siblings.
    pub user_message_id: MessageId,
    /// The reply.
    pub reply_id: MessageId,
    /// Where it stands.
    pub status: TurnStatus,
    /// Name of the provider that was asked.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// Tokens, when known.
    pub usage: Option<Usage>,
    /// What it cost, in billionths of a US dollar, by the price of that day; `None` when the price is not known.
    pub cost: Option<u64>,
    /// Why it failed.
    pub fault: Option<TurnFault>,
    /// When the question became durable.
    pub opened_at: Timestamp,
    /// When the reply ended.
    pub closed_at: Option<Timestamp>,
}

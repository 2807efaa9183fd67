//! Whether passages of earlier messages are put beside what is asked, from where, and how much room they have; and what
//! came of it in a request.

use serde::{Deserialize, Serialize};

/// Where passages may come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RecallScope {
    /// The shown branch of the conversation.
    Conversation,
    /// The other conversations of its project as well.
    #[default]
    Project,
}

/// How a conversation recalls what was said. A field that is missing in the stored form takes its default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct RecallSettings {
    /// Whether it does; `None` says yes, except in the strict forms, which know nothing of it.
    pub on: Option<bool>,
    /// From where.
    pub scope: RecallScope,
    /// Percent of the room for earlier messages that passages may have; `None` lets it move with what is asked.
    pub share: Option<u32>,
}

impl RecallSettings {
    /// Most percent that a person may give passages.
    pub const MOST_SHARE: u32 = 60;

    /// The same with every number inside its limits.
    pub fn within_limits(self) -> Self {
        Self { share: self.share.map(|share| share.clamp(1, Self::MOST_SHARE)), ..self }
    }
}

/// Why passages have the share they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ShareWhy {
    /// The person fixed it.
    Fixed,
    /// Nothing that was said is about what is asked.
    Unrelated,
    /// Something is related to it.
    Related,
    /// What is asked looks back: something answers it well, or it asks for what was said.
    LooksBack,
    /// Everything said goes word for word, and nothing of other conversations is about it.
    AllSent,
}

/// How the room for earlier messages is shared out in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Shares {
    /// Tokens that summaries, recent turns and passages have together.
    pub room: u64,
    /// Percent of it that passages may have.
    pub percent: u32,
    /// Why so many.
    pub why: ShareWhy,
    /// Tokens of the passages that go.
    pub recalled: u64,
    /// Tokens of summaries and key sentences.
    pub summaries: u64,
    /// Tokens of messages that go word for word.
    pub turns: u64,
}

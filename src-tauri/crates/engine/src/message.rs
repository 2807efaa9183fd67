//! Messages and the parts they are made of.
//!
//! A message never changes once its turn is closed: editing makes a sibling, folding makes an overlay.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, MessageId, TurnId};
use crate::tool::output::KeptOutput;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Rules for the model; never typed by a model or a file.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Plain or Markdown text.
    Text {
        /// The text itself.
        text: String,
    },
    /// A picture; its bytes are kept beside the message under `hash`.
    Image {
        /// BLAKE3 of the bytes, hexadecimal.
        hash: String,
        /// For example `image/png`.
        media_type: String,
        /// The name it came with.
        name: String,
        /// Estimated tokens.
        #[serde(default)]
        tokens: u64,
    },
    /// A file that is not a picture; its bytes are kept beside the message under `hash`.
    File {
        /// BLAKE3 of the bytes, hexadecimal.
        hash: String,
        /// For example `application/pdf`.
        media_type: String,
        /// The name it came with.
        name: String,
        /// Estimated tokens.
        #[serde(default)]
        tokens: u64,
    },
    /// A long text that the person pasted: material for the model, kept apart from what they typed.
    Pasted {
        /// BLAKE3 of the text, hexadecimal.
        hash: String,
        /// How many lines it has.
        lines: u64,
        /// Estimated tokens.
        tokens: u64,
        /// The text itself; empty in a draft, which keeps it beside itself under `hash`.
        #[serde(default)]
        text: String,
    },
    /// The model asks for a tool.
    ToolCall {
        /// The provider's id of the call.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text, as the model wrote them.
        arguments: String,
        /// What the provider wants back with the call.
        #[serde(default)]
        seal: Option<Seal>,
    },
    /// What a tool answered.
    ToolResult {
        /// The id of the call it answers.
        call_id: String,
        /// The answer.
        text: String,
        /// Whether the tool failed.
        is_error: bool,
        /// The whole of it, when `text` is only its beginning and end.
        #[serde(default)]
        kept: Option<KeptOutput>,
    },
    /// What a model thought before it answered; shown folded.
    Reasoning {
        /// The thought; empty when the provider keeps it to itself.
        text: String,
        /// What the provider wants back with it.
        #[serde(default)]
        seal: Option<Seal>,
    },
}

impl Part {
    /// Tokens of a picture or a file; text is counted elsewhere.
    pub fn attached_tokens(&self) -> u64 {
        match self {
            Self::Image { tokens, .. } | Self::File { tokens, .. } => *tokens,
            _ => 0,
        }
    }

    /// The hash of a picture, a file or a pasted text.
    pub fn attached_hash(&self) -> Option<&str> {
        match self {
            Self::Image { hash, .. } | Self::File { hash, .. } | Self::Pasted { hash, .. } => {
                Some(hash)
            }
            _ => None,
        }
    }

    /// The name of a picture or a file.
    pub fn attached_name(&self) -> Option<&str> {
        match self {
            Self::Image { name, .. } | Self::File { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// What a provider wants back with a thought, unread and unchanged, so that its model can go on from there. Worth
/// nothing to another model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Seal {
    /// The model that thought.
    pub model: String,
    /// What the data is.
    pub form: SealForm,
    /// The provider's own text.
    pub data: String,
}

/// What the data of a [`Seal`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SealForm {
    /// Proof that the thought is the model's own.
    Signature,
    /// The thought itself, encrypted.
    Redacted,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// Whole.
    Complete,
    /// Still being written.
    Streaming,
    /// Cut off by the person, a crash or a lost connection; what came is kept.
    Interrupted,
    /// The provider answered with an error.
    Failed,
}

/// A durable message on the tree of its conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The conversation it belongs to.
    pub conversation_id: ConversationId,
    /// The message before it; `None` for the first.
    pub parent_id: Option<MessageId>,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
    /// Distance from the root: 0 for the first message of a path.
    pub index: u64,
    /// Who speaks.
    pub role: Role,
    /// What was said.
    pub parts: Vec<Part>,
    /// How it ended.
    pub status: MessageStatus,
    /// The model that wrote it, for replies.
    pub model: Option<String>,
    /// Estimated or counted tokens of its parts.
    pub tokens: u64,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Message {
    /// Whether it says nothing: no text, and nothing is attached.
    pub fn is_silent(&self) -> bool {
        self.parts.iter().all(|part| part.attached_hash().is_none()) && self.text().is_empty()
    }

    /// All text, joined; reasoning and tool traffic left out.
    pub fn text(&self) -> String {
        text_of(&self.parts)
    }

    /// Whether it calls for a later message of its turn, which is then its result.
    pub fn calls_for(&self, result: &Self) -> bool {
        let answered = |id: &String| {
            let is_of =
                |part: &Part| matches!(part, Part::ToolResult { call_id, .. } if call_id == id);
            result.parts.iter().any(is_of)
        };
        let calls = |part: &Part| matches!(part, Part::ToolCall { id, .. } if answered(id));
        (self.turn_id == result.turn_id && self.index < result.index)
            && (self.role, result.role) == (Role::Assistant, Role::Tool)
            && self.parts.iter().any(calls)
    }
}

/// What a request says of `parts` in words: all text, and what tools answered.
pub fn words_of(parts: &[Part]) -> String {
    joined(parts, |part| match part {
        Part::ToolResult { text, .. } => Some(text),
        _ => None,
    })
}

/// All text of `parts`, joined; what was pasted stands in a paragraph of its own.
pub fn text_of(parts: &[Part]) -> String {
    joined(parts, |_| None)
}

/// What the person asks: their own words. A pasted text names no file, calls for no tool and looks for nothing.
pub fn asked_of(parts: &[Part]) -> String {
    let typed = parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    typed.collect()
}

fn joined(parts: &[Part], other: fn(&Part) -> Option<&String>) -> String {
    let mut said = String::new();
    for part in parts {
        match part {
            Part::Text { text } => said.push_str(text),
            Part::Pasted { text, .. } => push_paragraph(&mut said, text),
            part => said.push_str(other(part).map_or("", String::as_str)),
        }
    }
    said
}

/// Adds a pasted text to what is said before it.
pub fn push_paragraph(said: &mut String, text: &str) {
    if !said.is_empty() {
        said.push_str("\n\n");
    }
    said.push_str(text);
}

//! Runs: a turn as it is carried out, a tree of model calls and tool calls (behaviour.md, Context stores).
//!
//! A model call hangs on the tool calls whose results it was asked with, through its turn; a tool call hangs on the model
//! call that asked for it. Nodes describe themselves as layers do.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{CheckpointId, MessageId, NodeId, TurnId};
use crate::tool::{Effect, ToolSettings};
use crate::turn::Usage;

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NodeKind {
    /// The model was asked.
    Model {
        /// Which.
        model: String,
        /// The reply it wrote.
        message_id: MessageId,
    },
    /// A tool was called.
    Tool {
        /// The tool's name.
        tool: String,
        /// The call's id in the reply that asked for it.
        call_id: String,
        /// What it does.
        effect: Effect,
        /// The message with its result, once there is one.
        message_id: Option<MessageId>,
        /// One line that says what it is about: a path, a pattern, a command.
        about: String,
        /// Files of the project that it read or changed.
        touched: Vec<String>,
        /// The checkpoint that was made before it.
        checkpoint_id: Option<CheckpointId>,
        /// The checkpoint of what the turn left, where `checkpoint_id` is there: the same one where no file changed.
        #[serde(default)]
        left_id: Option<CheckpointId>,
        /// Whether its result was kept for the conversation, by a rule of the person's.
        #[serde(default)]
        kept: bool,
    },
}

/// Where a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// The person is asked.
    Waiting,
    /// Under way.
    Running,
    /// Done.
    Done,
    /// It failed, and the model is told.
    Failed,
    /// The person, or a rule of theirs, said no.
    Denied,
    /// Stopped by the person, by a limit or by a crash.
    Stopped,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunNode {
    /// Its id.
    pub id: NodeId,
    /// The turn.
    pub turn_id: TurnId,
    /// The node it hangs on.
    pub parent: Option<NodeId>,
    /// What it is.
    #[serde(flatten)]
    pub kind: NodeKind,
    /// Where it stands.
    pub status: NodeStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Tokens of a model call; of a tool call, its result's as `output_tokens`.
    pub usage: Option<Usage>,
    /// What a model call cost, in billionths of a US dollar, when the price is known.
    pub cost: Option<u64>,
}

/// Why a turn was ended before the model was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// It was asked as often as it may be.
    #[error("the model was asked as often as the settings allow in one turn")]
    Rounds,
    /// All requests and replies together.
    #[error("the turn has as many tokens as the settings allow")]
    Tokens,
    /// Time.
    #[error("the turn took as long as the settings allow")]
    Time,
}

impl Limit {
    /// The limit that is reached after the model was asked so often, with so many tokens, in so many seconds.
    pub fn reached(
        settings: &ToolSettings,
        rounds: u32,
        tokens: u64,
        seconds: u64,
    ) -> Option<Self> {
        let over = |value: u64, most: u64| most > 0 && value >= most;
        if rounds >= settings.max_rounds {
            Some(Self::Rounds)
        } else if over(tokens, settings.max_tokens) {
            Some(Self::Tokens)
        } else {
            over(seconds, settings.max_seconds).then_some(Self::Time)
        }
    }

    /// The stable code of a turn that ended so.
    pub fn code(self) -> &'static str {
        match self {
            Self::Rounds => "limit_rounds",
            Self::Tokens => "limit_tokens",
            Self::Time => "limit_time",
        }
    }
}

//! What a host is told without asking: an ordered channel per watched turn or probe, and one broadcast.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MessageId, TurnId};
use siltstone_engine::message::MessageStatus;
use siltstone_engine::project::ProbeProgress;
use siltstone_engine::turn::{TurnFault, Usage};
use ts_rs::TS;

use crate::tools::ToolProgress;

/// What happens to a reply, in order. At most about 30 a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TurnEvent {
    /// A reply is on its way; `text` and `reasoning` are what came before watching began.
    Started {
        /// The turn.
        turn_id: TurnId,
        /// The reply.
        reply_id: MessageId,
        /// Text so far.
        text: String,
        /// Reasoning so far.
        reasoning: String,
        /// Calls of this reply that are under way.
        calls: Vec<ToolProgress>,
        /// Why nothing comes for a while.
        waiting: Option<Waiting>,
    },
    /// More text.
    Text {
        /// The addition.
        text: String,
    },
    /// More reasoning.
    Reasoning {
        /// The addition.
        text: String,
    },
    /// The model goes on in a new message, after calls of tools.
    Reply {
        /// It.
        reply_id: MessageId,
    },
    /// A call of a tool, and where it stands.
    Tool {
        /// The call.
        call: ToolProgress,
    },
    /// The provider answered that it cannot now, and is asked again in a while. More of the reply ends it.
    Waiting {
        /// Until when.
        waiting: Waiting,
    },
    /// More output of a call that runs.
    Output {
        /// The call.
        call_id: String,
        /// The addition.
        text: String,
    },
    /// The reply ended and is durable.
    Done {
        /// The reply.
        reply_id: MessageId,
        /// How it ended.
        status: MessageStatus,
        /// What the provider counted.
        usage: Option<Usage>,
        /// Why it failed.
        fault: Option<TurnFault>,
    },
}

/// A pause before a provider is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Waiting {
    /// Whether too much was asked of it; it has trouble of its own otherwise.
    pub limited: bool,
    /// When it is asked again.
    pub until: Timestamp,
}

/// What a probe counted so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ProbeEvent {
    /// Counts so far.
    pub counts: ProbeProgress,
}

/// How far an import of many conversations is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportEvent {
    /// Conversations that were looked at.
    pub done: u64,
    /// Conversations in the file.
    pub total: u64,
}

/// Something a screen may show that is no longer true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Topic {
    /// Another program changed the data: everything may be stale.
    All,
    /// The list of conversations.
    Conversations,
    /// One conversation: its path, title, queue or open turn.
    Conversation {
        /// Which.
        id: ConversationId,
    },
    /// The list of projects.
    Projects,
    /// Settings.
    Settings,
    /// Providers.
    Providers,
    /// What is known beside the conversations.
    Context,
    /// Memory: its files or its lines.
    Memory,
    /// Checkpoints.
    Checkpoints,
    /// Tools: rules, servers, and calls that wait for the person.
    Tools,
    /// Vectors of messages.
    Meaning,
    /// Sessions: plans, tasks, decisions, proposals, and their files.
    Sessions,
    /// Sessions of other agents.
    Vault,
}

/// The broadcast: what to read again. No state is pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Changed {
    /// What went stale.
    pub topics: Vec<Topic>,
}

/// A folder, or the file of a checkpoint, was handed to the running window by a second start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PathOffered {
    /// Its path.
    pub path: String,
}

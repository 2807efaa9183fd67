//! Meaning, as hosts look at it: who makes vectors of messages, how far that is, and what it would cost.

use serde::{Deserialize, Serialize};
use siltstone_engine::meaning::{EmbedderChoice, LocalEmbedder};
use siltstone_engine::turn::TurnFault;
use ts_rs::TS;

/// Why no vectors are being made although some are missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum MeaningHalt {
    /// The person stopped it.
    Stopped,
    /// As many tokens were sent as the person agreed to.
    Limit,
    /// The embedder could not be asked.
    Fault {
        /// Why; the code has its words in the window.
        fault: TurnFault,
    },
}

/// Who makes vectors, and how far that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MeaningState {
    /// By whom they are made; `None` while recall goes by words alone.
    pub embedder: Option<EmbedderChoice>,
    /// Whether texts stay on this computer.
    pub home: bool,
    /// The models in the data folder and those that came with this program, by name.
    pub local: Vec<LocalEmbedder>,
    /// The folder where those are looked for.
    pub folder: String,
    /// Messages that have vectors.
    pub done: u64,
    /// Messages that could have some.
    pub all: u64,
    /// Bytes of the vectors.
    pub bytes: u64,
    /// Tokens sent so far to a provider.
    pub tokens: u64,
    /// Most tokens that the person agreed to; `None` where nothing leaves this computer.
    pub most_tokens: Option<u64>,
    /// Whether vectors are being made now.
    pub running: bool,
    /// Why not, where some are missing.
    pub halted: Option<MeaningHalt>,
}

/// An embedder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MeaningBy {
    /// Which.
    pub embedder: EmbedderChoice,
}

/// What an embedder would take, before it is chosen. Nothing was sent to find it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MeaningPlan {
    /// Whether texts would stay on this computer.
    pub home: bool,
    /// Messages to read.
    pub messages: u64,
    /// Tokens of them, estimated.
    pub tokens: u64,
    /// What that costs, in billionths of a US dollar, when the price is known.
    pub cost: Option<u64>,
}

/// Chooses who makes vectors. The vectors of an earlier choice are forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChooseMeaning {
    /// By whom; `None` for nobody.
    pub embedder: Option<EmbedderChoice>,
    /// Most tokens to send in all, which the person agreed to; needed where texts leave this computer.
    pub most_tokens: Option<u64>,
}

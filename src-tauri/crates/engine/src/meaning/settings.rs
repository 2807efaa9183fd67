//! What the person chose about meaning.

use serde::{Deserialize, Serialize};

/// Who makes vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum EmbedderChoice {
    /// A model of this computer; nothing leaves this program.
    Local {
        /// The name of its folder.
        name: String,
    },
    /// A provider's model.
    Provider {
        /// The provider's name.
        provider: String,
        /// The model's id.
        model: String,
    },
}

impl EmbedderChoice {
    /// The name under which its vectors are kept: those of another model mean nothing to this one.
    pub fn id(&self) -> String {
        match self {
            Self::Local { name } => format!("local/{name}"),
            Self::Provider { provider, model } => format!("provider/{provider}/{model}"),
        }
    }
}

/// Whether and how far vectors are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct MeaningSettings {
    /// By whom; until the person chooses, by the model that came with this program, if one did.
    pub embedder: Option<EmbedderChoice>,
    /// The person wants nobody to.
    pub nobody: bool,
    /// Most tokens to send to a provider of another computer in all; nothing is sent there without it.
    pub most_tokens: Option<u64>,
    /// The person stopped the making of vectors; those that are there still serve.
    pub stopped: bool,
}

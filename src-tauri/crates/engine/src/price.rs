//! What tokens cost.
//!
//! Amounts are whole numbers, so that sums are exact: a price is in millionths of a US dollar for a million tokens, a
//! cost in billionths of a US dollar.

use serde::{Deserialize, Serialize};

/// The price of a model, in millionths of a US dollar for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Price {
    /// What is sent.
    pub input: u64,
    /// What is sent and was found in the provider's cache; as `input` when it is not priced apart.
    pub cached_input: Option<u64>,
    /// What is sent and written to the provider's cache; as `input` when it is not priced apart.
    pub cache_write: Option<u64>,
    /// What is answered, thoughts included.
    pub output: u64,
}

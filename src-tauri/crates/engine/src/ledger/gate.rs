//! The gate: whether a summary may stand for its source.

use serde::{Deserialize, Serialize};

use super::{Category, Retention};

/// Below this a kind is named when a summary is adopted.
const SOFT: f64 = 0.5;

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FoldGate"))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Gate {
    /// Nothing to say.
    Pass,
    /// It may stand, and these kinds lost more than half or, of decisions, any.
    Soft {
        /// The weightiest first.
        lost: Vec<Category>,
    },
    /// It may not stand.
    Hard {
        /// Why.
        reason: Refusal,
    },
}

/// Why a summary may not stand for its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FoldRefusal"))]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It says nothing.
    Empty,
    /// It costs more than what it stands for.
    LargerThanSource,
    /// A constraint in force is not told any more.
    ConstraintLost,
}

/// Judges a summary with the facts that travel with it: its text, the tokens of both sides, and what it keeps.
pub fn gate(text: &str, tokens: u64, source_tokens: u64, retention: &Retention) -> Gate {
    let lost = |category: Category, least: f64| {
        retention.of(category).is_some_and(|share| share.rate() < least)
    };
    let refusal = if text.trim().is_empty() {
        Some(Refusal::Empty)
    } else if tokens > source_tokens {
        Some(Refusal::LargerThanSource)
    } else if lost(Category::Constraint, 1.0) {
        Some(Refusal::ConstraintLost)
    } else {
        None
    };
    if let Some(reason) = refusal {
        return Gate::Hard { reason };
    }
    let least = |category| if category == Category::Decision { 1.0 } else { SOFT };
    let lost: Vec<Category> =
        Category::ALL.into_iter().filter(|category| lost(*category, least(*category))).collect();
    if lost.is_empty() { Gate::Pass } else { Gate::Soft { lost } }
}

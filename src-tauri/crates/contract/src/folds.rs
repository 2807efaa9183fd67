//! Folds with receipts, as hosts look at them: what a summary keeps, what it leaves behind, and what a fold would cost
//! before it is adopted.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use siltstone_engine::ids::{MessageId, SummaryId};
use siltstone_engine::ledger::{Category, Gate, Retention};
use siltstone_engine::summary::{FoldTokens, MissingConstraint, Record as Summary, SummaryLine};
use ts_rs::TS;

/// A fact that is to go with a summary, or is not.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct KeepFact {
    /// The summary.
    pub id: SummaryId,
    /// The fact, as its messages say it.
    pub text: String,
}

/// Something that the messages of a summary say and the next request would not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftBehind {
    /// As it was said.
    pub text: String,
    /// What it is.
    pub category: Category,
    /// Who said it first.
    pub message: MessageId,
    /// Where in that message, in bytes.
    pub span: Range<usize>,
    /// Whether a later message says it again.
    pub used_again: bool,
}

/// What a summary comes to, measured now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FoldCheck {
    /// The summary.
    pub id: SummaryId,
    /// Whether it may stand for its messages, and what it lost.
    pub gate: Gate,
    /// How much of them it keeps, kind by kind.
    pub retention: Retention,
    /// What is neither in it nor beside it nor in memory, the weightiest first.
    pub left_behind: Vec<LeftBehind>,
    /// Its lines that claim what their messages do not say.
    pub unsupported: Vec<SummaryLine>,
    /// What both sides weigh.
    pub tokens: FoldTokens,
}

/// The next fold in sentences that are chosen without a model. Nobody is asked for it and nothing of it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FoldSketch {
    /// The summary. Its id names nothing.
    pub summary: Summary,
    /// What it keeps and leaves behind.
    pub check: FoldCheck,
}

/// A fold that nobody has adopted yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FoldPreview {
    /// The summary; it stands for nothing until it is adopted.
    pub candidate: Summary,
    /// What it keeps and leaves behind.
    pub check: FoldCheck,
    /// Tokens of the next request without it.
    pub tokens_before: u64,
    /// Tokens of the next request with it.
    pub tokens_after: u64,
    /// Tokens behind the place where the request changes: no provider has them in its cache.
    pub reread_tokens: u64,
    /// What reading those once costs, in billionths of a US dollar, when the price is known.
    pub reread_cost: Option<u64>,
    /// Rules in force that the next request would not say: the first 50.
    pub missing_constraints: Vec<MissingConstraint>,
    /// How many more of them there are.
    pub missing_more: u64,
}

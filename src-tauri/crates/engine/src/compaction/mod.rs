//! Compaction: which messages still go when they do not all fit (behaviour.md, Compaction).
//!
//! Three strategies choose: the newest without a hole ([`window`]), the most important ([`importance`]), and the newest
//! beside a summary of the rest ([`summarise`]). [`flow`] is what every policy falls back to when a request is over the
//! model's window: summarise, then truncate, then send, and name what is too large when even that fails. Messages come
//! oldest first and are never changed: the answer is which of them to send. `strict` does exactly what the design writes,
//! holes and order by score included; else a tool's result never goes without its call, the newest question always
//! goes whole, and messages stand by time. Not here: what a summary says (the `summary` policies), what is sent beside
//! messages (the composer).

pub mod flow;
mod importance;
pub(crate) mod pairs;
pub mod summarise;
mod window;

pub use importance::{MAX_MESSAGES, Score, Worth, importance, most_worth, scores};
pub use window::window;

use crate::ids::MessageId;
use crate::message::{Message, Role};
use crate::tokens;

/// What a strategy chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Places of the chosen messages, in the order in which they are sent.
    pub kept: Vec<usize>,
    /// What they cost.
    pub tokens: u64,
}

/// A part of a request that takes room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it is from, as a section says it.
    pub source: String,
    /// The message it is, if it is one.
    pub message: Option<MessageId>,
    /// What it costs.
    pub tokens: u64,
}

/// How many blocks an [`Overflow`] names.
const NAMED: usize = 3;

/// What has to go does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{needed} tokens have to go, {budget} fit")]
pub struct Overflow {
    /// What has to go costs.
    pub needed: u64,
    /// What fits.
    pub budget: u64,
    /// The largest of what has to go, largest first.
    pub largest: Vec<Block>,
}

impl Overflow {
    fn of(mut blocks: Vec<Block>, budget: u64) -> Self {
        let needed = blocks.iter().map(|block| block.tokens).sum();
        blocks.sort_by_key(|block| std::cmp::Reverse(block.tokens));
        blocks.truncate(NAMED);
        Self { needed, budget, largest: blocks }
    }
}

/// What a message costs in a request.
pub fn cost(message: &Message) -> u64 {
    message.tokens.max(1) + tokens::MESSAGE_OVERHEAD
}

fn block(message: &Message) -> Block {
    Block { source: "conversation".to_owned(), message: Some(message.id), tokens: cost(message) }
}

fn total(messages: &[Message]) -> u64 {
    messages.iter().map(cost).sum()
}

/// Place of the newest question; of the newest message where nobody asked.
fn newest_question(messages: &[Message]) -> usize {
    messages
        .iter()
        .rposition(|message| message.role == Role::User)
        .unwrap_or(messages.len().saturating_sub(1))
}

#[cfg(test)]
mod tests;

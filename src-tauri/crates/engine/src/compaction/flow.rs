//! What happens when a request is over the model's window (behaviour.md, Compaction): count; if it fits, send; else
//! summarise, then truncate, then send. When even the newest question does not fit, the largest blocks are named.
//!
//! Pure: [`next`] says what to do with what is known, the app does it, and asks again with what came of it.

use super::summarise::should_summarise;
use super::{Block, Overflow, Selection, total, window};
use crate::message::Message;

/// Most tokens of the summary, and the share of the room it may have.
const SUMMARY_TOKENS: u64 = 1_024;
const SUMMARY_SHARE: u64 = 4;

/// What is known when a request is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Tokens that fit: the window less the reserve for the reply.
    pub budget: u64,
    /// What goes whatever happens: rules, memory, the draft.
    pub fixed: &'a [Block],
    /// The messages of the path, oldest first.
    pub messages: &'a [Message],
    /// How far the summary of this request has come.
    pub summary: Summary,
}

/// How far a summary has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// Not asked for.
    Untried,
    /// It is there.
    Made {
        /// The messages that it stands for, counted from the oldest.
        covers: usize,
        /// What it costs.
        tokens: u64,
    },
    /// It failed, took too long, or is switched off.
    Unavailable,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send these messages; places are of [`Situation::messages`].
    Send {
        /// Which.
        selection: Selection,
        /// Whether the summary goes before them.
        with_summary: bool,
    },
    /// Summarise first.
    Summarise {
        /// The messages to summarise, counted from the oldest.
        covers: usize,
        /// Tokens that the summary may have.
        limit: u64,
    },
    /// Nothing helps.
    Refuse(Overflow),
}

/// The next step.
pub fn next(situation: &Situation<'_>) -> Step {
    let Situation { budget, fixed, messages, summary } = *situation;
    let taken: u64 = fixed.iter().map(|block| block.tokens).sum();
    let Some(room) = budget.checked_sub(taken) else {
        return Step::Refuse(Overflow::of(fixed.to_vec(), budget));
    };
    let all = total(messages);
    match summary {
        Summary::Untried if !should_summarise(all, room) => {
            send((0..messages.len()).collect(), all, false)
        }
        Summary::Untried => summarise(messages, room)
            .unwrap_or_else(|| next(&Situation { summary: Summary::Unavailable, ..*situation })),
        Summary::Made { covers, tokens } => {
            let after = &messages[covers.min(messages.len())..];
            match room.checked_sub(tokens).map(|room| window(after, room, false)) {
                Some(Ok(selection)) => {
                    let kept = selection.kept.into_iter().map(|place| place + covers).collect();
                    send(kept, selection.tokens, true)
                }
                // The summary is what has to give way.
                _ => next(&Situation { summary: Summary::Unavailable, ..*situation }),
            }
        }
        Summary::Unavailable => match window(messages, room, false) {
            Ok(Selection { kept, tokens }) => send(kept, tokens, false),
            Err(Overflow { needed, largest, .. }) => {
                let blocks = largest.into_iter().chain(fixed.iter().cloned()).collect();
                let Overflow { largest, .. } = Overflow::of(blocks, budget);
                Step::Refuse(Overflow { needed: needed + taken, budget, largest })
            }
        },
    }
}

fn send(kept: Vec<usize>, tokens: u64, with_summary: bool) -> Step {
    Step::Send { selection: Selection { kept, tokens }, with_summary }
}

/// Summarises what the window leaves out once the summary has its share; `None` if nothing is left to summarise.
fn summarise(messages: &[Message], room: u64) -> Option<Step> {
    let limit = SUMMARY_TOKENS.min(room / SUMMARY_SHARE);
    let covers = *window(messages, room - limit, false).ok()?.kept.first()?;
    (covers > 0).then_some(Step::Summarise { covers, limit })
}

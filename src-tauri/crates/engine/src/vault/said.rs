//! What was said in a session, for finding it again.

use jiff::Timestamp;

use super::Agent;
use super::session::{Entry, EntryKind, Session};
use crate::message::{Part, Role, text_of};

/// Most bytes of one thing that was said, by which it is found.
pub const MAX_SAID: usize = 64 << 10;

/// Bytes of what people and models say, by which that is found, and of each call and each result: those are long, and
/// what they are about stands at their beginning.
const WORDS: usize = 24 << 10;
const CALL: usize = 512;
const RESULT: usize = 2 << 10;

/// Where in a kept session something was said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SaidAt {
    /// Whose session.
    pub agent: Agent,
    /// The agent's own id of it.
    pub session: String,
    /// The number of its entry, from 1.
    pub number: u64,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its place among the entries of its session, from 0.
    pub entry: u64,
    /// Who said it.
    pub role: Role,
    /// When.
    pub at: Option<Timestamp>,
    /// As much of it as it is found by, at most [`MAX_SAID`].
    pub text: String,
    /// Bytes of the text that a person or a model said, by which it may be recalled; behind them stand calls and results.
    /// None of a summary.
    pub words: usize,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSaid {
    /// The number of its file.
    pub file: u64,
    /// What was said.
    pub said: Said,
}

/// Something that may answer a question, or that stands beside such a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidNear {
    /// Where.
    pub at: SaidAt,
    /// What was said, its words alone.
    pub said: Said,
    /// Its place among everything that is kept: what was understood later is higher.
    pub seq: i64,
    /// Whether the index named it; otherwise it is here as a neighbour.
    pub named: bool,
}

/// What sessions say to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidCandidates {
    /// By session and place, each once.
    pub said: Vec<SaidNear>,
    /// How much was said in the sessions that were asked, as far as it was counted.
    pub all: u64,
    /// How many have each phrase that was asked for, in its order; of what very many have, about how many.
    pub having: Vec<u64>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidHits {
    /// Best first.
    pub hits: Vec<FoundSaid>,
    /// How many match; a lower bound when `capped`.
    pub total: u64,
    /// Counting or ranking stopped early because the words are everywhere.
    pub capped: bool,
}

impl Session {
    /// What was said in it, on all branches, summaries included; not what the agent put there by itself.
    pub fn said(&self) -> Vec<Said> {
        let entries = self.entries.iter().enumerate();
        let told = entries.filter(|(_, entry)| entry.kind != EntryKind::Context);
        let said = told.map(|(at, entry)| {
            let words = begin(&text_of(&entry.parts), WORDS).to_owned();
            Said {
                entry: at as u64,
                role: entry.role,
                at: entry.at,
                words: if entry.kind == EntryKind::Said { words.len() } else { 0 },
                text: with_calls(words, entry),
            }
        });
        said.filter(|said| !said.text.trim().is_empty()).collect()
    }
}

fn with_calls(mut text: String, entry: &Entry) -> String {
    for part in &entry.parts {
        let more = match part {
            Part::ToolCall { name, arguments, .. } => {
                format!("{name} {}", begin(arguments, CALL))
            }
            Part::ToolResult { text, .. } => begin(text, RESULT).to_owned(),
            _ => continue,
        };
        if text.len() + more.len() >= MAX_SAID {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&more);
    }
    text
}

fn begin(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

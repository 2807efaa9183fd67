//! What was said in a session, for finding it again.

use jiff::Timestamp;

use super::session::{Entry, EntryKind, Session};
use crate::message::{Part, Role, text_of};

/// Most bytes of one thing that was said, by which it is found.
pub const MAX_SAID: usize = 64 << 10;

/// Bytes of what people and models say, by which that is found, and of each call and each result: those are long, and
/// what they are about stands at their beginning.
const WORDS: usize = 24 << 10;
const CALL: usize = 512;
const RESULT: usize = 2 << 10;

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
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSaid {
    /// The number of its file.
    pub file: u64,
    /// What was said.
    pub said: Said,
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
        let said = told.map(|(at, entry)| Said {
            entry: at as u64,
            role: entry.role,
            at: entry.at,
            text: text(entry),
        });
        said.filter(|said| !said.text.trim().is_empty()).collect()
    }
}

fn text(entry: &Entry) -> String {
    let mut text = begin(&text_of(&entry.parts), WORDS).to_owned();
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

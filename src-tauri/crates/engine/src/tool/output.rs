//! What of a long result enters a request: its head and its tail, and a handle to read the rest by.

use serde::{Deserialize, Serialize};

/// Bytes of a result that go whole.
pub const WHOLE_BYTES: usize = 12_000;

/// Bytes of a longer one's beginning and end that go.
const HEAD_BYTES: usize = 6_000;
const TAIL_BYTES: usize = 4_000;

/// A result that is kept whole beside the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeptOutput {
    /// BLAKE3 of its bytes, hexadecimal: the handle.
    pub hash: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
}

impl KeptOutput {
    /// Of a whole result.
    pub fn of(text: &str) -> Self {
        Self {
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            bytes: text.len() as u64,
            lines: text.lines().count() as u64,
        }
    }
}

/// What a request takes of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut<'a> {
    /// All of it.
    Whole,
    /// Beginning and end, at the ends of lines where there are any near; between them so much is missing.
    Parts {
        /// The beginning.
        head: &'a str,
        /// The end.
        tail: &'a str,
        /// Bytes between them.
        missing: usize,
    },
}

/// Cuts a result.
pub fn cut(text: &str) -> Cut<'_> {
    if text.len() <= WHOLE_BYTES {
        return Cut::Whole;
    }
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let head = head.rfind('\n').filter(|at| *at > HEAD_BYTES / 2).map_or(head, |at| &head[..=at]);
    let start = text.ceil_char_boundary(text.len() - TAIL_BYTES);
    let tail = &text[start..];
    let tail = tail.find('\n').filter(|at| *at < TAIL_BYTES / 2).map_or(tail, |at| &tail[at + 1..]);
    Cut::Parts { head, tail, missing: text.len() - head.len() - tail.len() }
}

/// Head, a line that says what is missing and how to read it, tail.
pub fn shortened(text: &str, kept: &KeptOutput) -> String {
    match cut(text) {
        Cut::Whole => text.to_owned(),
        Cut::Parts { head, tail, missing } => format!(
            "{head}\n[… {missing} bytes left out of {} in {} lines. Call read_output with \
             {{\"handle\":\"{}\",\"offset\":LINE}} to read on …]\n{tail}",
            kept.bytes, kept.lines, kept.hash
        ),
    }
}

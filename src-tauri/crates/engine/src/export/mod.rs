//! Conversations as text, and back.
//!
//! Three forms: Markdown for reading ([`markdown()`], the shown path), JSON for keeping ([`json()`], every branch) and
//! JSONL for other programs ([`jsonl()`], the shown path, one message a line). [`import`] reads all three and tells them
//! apart by themselves; [`others`] reads whole exports of other services, and [`of_session`] makes a conversation of what
//! another agent kept. The `app` crate calls this for the window and for `silt`. What is read may be written by
//! anybody: ids are made anew, sizes are limited, nothing recurses over the input, and a fault is an error with a line.
//! JSON alone carries the bytes of pictures and files, and long results of tools; what is read of them is checked against
//! its hash and looked at anew, and what is not there or not what it says is left out with a warning. The other forms
//! name pictures and files, and have of a long result what a request has. Summaries, and
//! how the conversation is told, its own times and which messages were one turn are in JSON alone too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::conversation::{Folding, Tuning};
use crate::ids::{ConversationId, MessageId, TurnId};
use crate::message::{Message, MessageStatus, Part, Role};
use crate::summary::Record;
use crate::{title, tokens};

mod json;
mod jsonl;
mod markdown;
mod name;
pub mod others;
mod session;
mod summaries;

pub use json::write as json;
pub use jsonl::{TranscriptCall, TranscriptLine, lines as transcript_lines, write as jsonl};
pub use markdown::write as markdown;
pub use name::file_name;
pub use session::of_session;

/// Longest text that is imported, in bytes.
pub const MAX_TEXT: usize = 256 * 1024 * 1024;
/// Most messages that are imported.
pub const MAX_MESSAGES: usize = 200_000;

/// A form of exported text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Siltstone's Markdown, with a marker before each message.
    Markdown,
    /// Siltstone's JSON: the whole tree.
    Json,
    /// One JSON object a line, each a message.
    Jsonl,
}

/// A conversation that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// A fresh id; the messages carry it.
    pub conversation_id: ConversationId,
    /// The title: the text's own, else the file's name, else the first question made short.
    pub title: String,
    /// When it was made and when something was last said in it, where the text says so; never later than now.
    pub times: Option<(Timestamp, Timestamp)>,
    /// Parents before children, with fresh ids that sort in this order. Messages of one turn share a fresh id of one,
    /// of which there is no record here.
    pub messages: Vec<Message>,
    /// The last message of the path that was shown.
    pub active: MessageId,
    /// How its model is asked.
    pub tuning: Tuning,
    /// How its earlier part is told.
    pub folding: Folding,
    /// Its summaries, on all branches.
    pub summaries: Vec<Record>,
    /// Pictures and files that the messages name, by hash.
    pub attached: BTreeMap<String, (Part, Vec<u8>)>,
    /// Long results of tools that the messages name, by hash.
    pub outputs: BTreeMap<String, String>,
    /// What was not taken over as it stood.
    pub warnings: Vec<ImportWarning>,
    /// Pictures and files of which only the name is there.
    pub left_out: u64,
}

/// Something that was read, but not as it stood.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error,
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ImportWarning {
    /// The text breaks off in its last line, which was left out.
    #[error("line {line} is cut off and was left out")]
    LastLineCut {
        /// Counted from 1.
        line: usize,
    },
    /// A time could not be read; the time of the message before it stands for it.
    #[error("the time in line {line} is unreadable")]
    TimeUnreadable {
        /// Counted from 1.
        line: usize,
    },
    /// Names of people who speak were put in front of what they say.
    #[error("names of speakers were put in front of their messages")]
    SpeakersInText,
    /// A summary is broken or does not fit the messages; the messages stand for themselves.
    #[error("a summary does not fit the messages and was left out")]
    SummaryLeftOut,
    /// The bytes of a picture or file are missing or not what they should be; its name stands for it.
    #[error("the attachment {name:?} is not whole in the text and was left out")]
    AttachmentLeftOut {
        /// The name it came with.
        name: String,
    },
    /// A long result of a tool is missing or not what it should be; its beginning and end stand for it.
    #[error(
        "a long result of a tool is not whole in the text; its beginning and end were taken over"
    )]
    OutputLeftOut,
}

/// How an import fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Longer than [`MAX_TEXT`].
    #[error("the text has {bytes} bytes; at most {MAX_TEXT} are imported")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// More than [`MAX_MESSAGES`].
    #[error("the text has more than {MAX_MESSAGES} messages")]
    TooManyMessages,
    /// No form that is known.
    #[error(
        "this is neither Siltstone's Markdown or JSON, nor JSONL with one message a line, nor an export of ChatGPT or \
         Claude"
    )]
    Unrecognised,
    /// More than [`MAX_TEXT`] in one conversation of an export, or more than [`others::MAX_ALL`] in all of them.
    #[error(
        "the file holds too much: at most {MAX_TEXT} bytes of one conversation, and {} of all, are imported",
        others::MAX_ALL
    )]
    TooMuch,
    /// A file that cannot be read to its end.
    #[error("the file is damaged or not whole: {detail}")]
    Broken {
        /// What is wrong.
        detail: String,
    },
    /// One of the three forms, but without any message.
    #[error("the text holds no message")]
    Empty,
    /// Written by a newer version.
    #[error("the text has version {found} of its form, this program knows {known}")]
    Newer {
        /// Its version.
        found: u64,
        /// The newest we know.
        known: u64,
    },
    /// A line that cannot be read.
    #[error("line {line}: {detail}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        detail: String,
    },
    /// Two messages share an id, or a parent does not come before its child.
    #[error("message {id:?} {detail}")]
    Tree {
        /// The id as written.
        id: String,
        /// What is wrong.
        detail: &'static str,
    },
}

/// What the text is, judged by its beginning.
pub fn recognise(text: &str) -> Option<Format> {
    let text = without_bom(text);
    if text.trim_start().starts_with('{') {
        Some(json::recognise(text))
    } else if markdown::recognise(text) {
        Some(Format::Markdown)
    } else {
        None
    }
}

/// Reads a text of any form. `name` is the file's name and gives the title when the text has none.
pub fn import(text: &str, name: &str, now: Timestamp) -> Result<Imported, ImportError> {
    if text.len() > MAX_TEXT {
        return Err(ImportError::TooLarge { bytes: text.len() });
    }
    let format = recognise(text).ok_or(ImportError::Unrecognised)?;
    let text = without_bom(text);
    let read = match format {
        Format::Markdown => markdown::read(text)?,
        Format::Json => json::read(text)?,
        Format::Jsonl => jsonl::read(text)?,
    };
    read.mint(name, now)
}

/// What a form's reader gives: places instead of ids.
#[derive(Default)]
struct Read {
    title: String,
    drafts: Vec<Draft>,
    /// Place of the last message of the shown path; `None` means the last one.
    active: Option<usize>,
    tuning: Tuning,
    folding: Folding,
    /// With the place of the last message that each stands for.
    summaries: Vec<(usize, summaries::Told)>,
    times: Option<(Timestamp, Timestamp)>,
    attached: BTreeMap<String, (Part, Vec<u8>)>,
    outputs: BTreeMap<String, String>,
    warnings: BTreeSet<ImportWarning>,
    left_out: u64,
}

/// A message before it gets an id.
struct Draft {
    /// Place of the message before it, always smaller than its own.
    parent: Option<usize>,
    role: Role,
    parts: Vec<Part>,
    status: MessageStatus,
    model: Option<String>,
    at: Option<Timestamp>,
    /// What messages of its turn have in common.
    turn: Option<String>,
}

impl Read {
    /// Adds a message below the last one.
    fn follow(&mut self, draft: Draft) -> Result<(), ImportError> {
        let parent = self.drafts.len().checked_sub(1);
        self.push(Draft { parent, ..draft })
    }

    fn push(&mut self, draft: Draft) -> Result<(), ImportError> {
        if self.drafts.len() == MAX_MESSAGES {
            return Err(ImportError::TooManyMessages);
        }
        self.drafts.push(draft);
        Ok(())
    }

    /// Notes that a picture or file is not there, and gives what stands for it.
    fn leave_out(&mut self, name: &str) -> String {
        self.left_out += 1;
        self.warnings.insert(ImportWarning::AttachmentLeftOut { name: name.to_owned() });
        format!("[{name}]")
    }

    fn mint(mut self, name: &str, now: Timestamp) -> Result<Imported, ImportError> {
        let conversation_id = ConversationId::new(now);
        let count = self.drafts.len();
        let active = self.active.unwrap_or(count.saturating_sub(1));
        let mut messages: Vec<Message> = Vec::with_capacity(count);
        let mut last_time = now;
        let mut turns: HashMap<String, TurnId> = HashMap::new();
        for (place, draft) in self.drafts.into_iter().enumerate() {
            let parent = draft.parent.and_then(|place| messages.get(place));
            last_time = draft.at.unwrap_or(last_time);
            messages.push(Message {
                id: id_of_place(place, count, now),
                conversation_id,
                parent_id: parent.map(|parent| parent.id),
                turn_id: draft
                    .turn
                    .map(|turn| *turns.entry(turn).or_insert_with(|| TurnId::new(now))),
                index: parent.map_or(0, |parent| parent.index + 1),
                role: draft.role,
                tokens: draft.parts.iter().map(part_tokens).sum(),
                parts: draft.parts,
                // Nobody is writing it any more.
                status: match draft.status {
                    MessageStatus::Streaming => MessageStatus::Interrupted,
                    ended => ended,
                },
                model: draft.model,
                created_at: last_time,
            });
        }
        let active = messages.get(active).ok_or(ImportError::Empty)?.id;
        let (mut summaries, mut versions) = (Vec::new(), HashSet::new());
        for (place, told) in self.summaries {
            let record = told.record(&messages, place, now);
            match record
                .filter(|it| versions.insert((it.policy, it.level, it.coverage.start, it.version)))
            {
                Some(record) => summaries.push(record),
                None => _ = self.warnings.insert(ImportWarning::SummaryLeftOut),
            }
        }
        Ok(Imported {
            conversation_id,
            title: title_of(&self.title, name, &messages),
            times: self.times.map(|(made, said)| (made.min(said).min(now), said.min(now))),
            messages,
            active,
            tuning: self.tuning,
            folding: self.folding,
            summaries,
            attached: self.attached,
            outputs: self.outputs,
            warnings: self.warnings.into_iter().collect(),
            left_out: self.left_out,
        })
    }
}

/// Ids a millisecond apart and none in the future, so that they sort as the messages came.
fn id_of_place(place: usize, count: usize, now: Timestamp) -> MessageId {
    let before = i64::try_from(count - place).unwrap_or(0);
    let millis = now.as_millisecond().saturating_sub(before);
    MessageId::new(Timestamp::from_millisecond(millis).unwrap_or(now))
}

fn title_of(own: &str, name: &str, messages: &[Message]) -> String {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let question = messages.iter().find(|message| message.role == Role::User);
    [own, stem]
        .into_iter()
        .map(name::one_line)
        .find(|title| !title.is_empty())
        .unwrap_or_else(|| title::derive(&question.map(Message::text).unwrap_or_default()))
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text { text }
        | Part::Pasted { text, .. }
        | Part::Reasoning { text, .. }
        | Part::ToolResult { text, .. } => tokens::estimate(text),
        Part::ToolCall { name, arguments, .. } => {
            tokens::estimate(name) + tokens::estimate(arguments)
        }
        Part::Image { tokens, .. } | Part::File { tokens, .. } => *tokens,
    }
}

/// What a reader sees of a message: text, results of tools, and names of what is attached.
fn readable(parts: &[Part]) -> String {
    let mut text = String::new();
    let mut after_block = false;
    for part in parts {
        let (piece, is_block) = match part {
            Part::Text { text } => (text.clone(), false),
            Part::Pasted { text, .. } | Part::ToolResult { text, .. } => (text.clone(), true),
            Part::Image { name, .. } | Part::File { name, .. } => (format!("[{name}]"), true),
            Part::ToolCall { .. } | Part::Reasoning { .. } => continue,
        };
        if !text.is_empty() && (is_block || after_block) {
            text.push('\n');
        }
        text.push_str(&piece);
        after_block = is_block;
    }
    text
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

#[cfg(test)]
mod tests;

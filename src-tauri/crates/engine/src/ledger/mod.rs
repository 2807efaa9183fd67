//! The ledger: what a conversation said that must not get lost, found by rules and parsers, never by a model.
//!
//! [`entries`] reads one message, in Korean or English: constraints, decisions and open questions are whole sentences;
//! paths, commands, errors, numbers with their clause and the like are stretches of one. A [`Ledger`] holds them for a path, each once,
//! with the places that mention it; it grows by [`Ledger::push`] at a cost of the new text alone. From it come what a
//! fold kept ([`retention`]) and left behind ([`left_behind`]), the facts that travel with it ([`choose`], [`block`]),
//! whether it may be adopted ([`gate`]), and, with [`Told`], which claims of a summary its sources do not hold. The app
//! calls all of it when it folds, `silt` when it checks. Nothing here rewrites a text: an entry is a slice of its
//! message. Not here: what is asked of a model, and where facts are stored.

mod facts;
mod gate;
mod marks;
mod measure;
mod normal;
mod path;
mod receipts;
mod retention;
mod statements;

#[cfg(test)]
mod tests;

pub use facts::{KeptFacts, block, choose, left_behind};
pub use gate::{Gate, Refusal, gate};
pub use measure::{Claim, Measured, measure};
pub(crate) use normal::key;
pub use path::{Fact, Ledger};
pub use receipts::Told;
pub use retention::{Retention, Share, retention};

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::ids::MessageId;
use crate::message::{Message, Part, Role};
use crate::prose;

/// What kind of thing an entry is. In the order in which the kinds matter when something has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FactCategory"))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// What has to be so, or must never be; a sentence of the person's.
    Constraint,
    /// What was settled; a sentence.
    Decision,
    /// What nobody has settled or answered; a sentence.
    Question,
    /// A file or a folder.
    Path,
    /// A line for a shell.
    Command,
    /// A figure with its clause.
    Number,
    /// What went wrong, as a program said it.
    Error,
    /// A name of code, or a stretch of it.
    Identifier,
    /// An address.
    Url,
    /// A version of something.
    Version,
    /// A day or a time.
    Date,
    /// Somebody's words in quotation marks.
    Quote,
    /// A person, a product, a place.
    Name,
}

impl Category {
    /// All of them, the weightiest first.
    pub const ALL: [Self; 13] = [
        Self::Constraint,
        Self::Decision,
        Self::Question,
        Self::Path,
        Self::Command,
        Self::Number,
        Self::Error,
        Self::Identifier,
        Self::Url,
        Self::Version,
        Self::Date,
        Self::Quote,
        Self::Name,
    ];

    /// Its name for programs, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::Decision => "decision",
            Self::Question => "question",
            Self::Path => "path",
            Self::Command => "command",
            Self::Number => "number",
            Self::Error => "error",
            Self::Identifier => "identifier",
            Self::Url => "url",
            Self::Version => "version",
            Self::Date => "date",
            Self::Quote => "quote",
            Self::Name => "name",
        }
    }

    /// Whether it is a whole sentence that somebody may take back.
    pub fn is_statement(self) -> bool {
        matches!(self, Self::Constraint | Self::Decision | Self::Question)
    }

    /// Whether a later line can be held against its source for it: it is said the same way or not at all.
    pub fn is_checkable(self) -> bool {
        !self.is_statement() && !matches!(self, Self::Error | Self::Name)
    }
}

/// Something that a message said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "LedgerEntry"))]
pub struct Entry {
    /// What it is.
    pub category: Category,
    /// As it was said.
    pub text: String,
    /// The same for all ways of writing it; of a number without its clause.
    pub key: String,
    /// The message that says it.
    pub message: MessageId,
    /// Where, in bytes of [`text_of`] that message.
    pub span: Range<usize>,
    /// What a command ended with, where that was said.
    pub exit: Option<i32>,
    /// `false` for a statement that was taken back, replaced or answered since.
    pub in_force: bool,
}

impl Entry {
    /// Whether a text means this entry: says the same, or of a number less of its clause.
    pub fn is_meant(&self, said: &str) -> bool {
        let of_number = || {
            self.category == Category::Number
                && self.key == key(self.category, said)
                && self.text.contains(said)
        };
        self.text == said || of_number()
    }
}

/// A stretch of a text and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub category: Category,
    pub span: Range<usize>,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Voice {
    /// Written by the person, who may demand.
    Person,
    /// Written by a model, which may settle and ask.
    Model,
    /// Written by a program.
    Program,
}

/// What a message says to the ledger: its text parts as [`Message::text`] joins them, then every tool call and result
/// on lines of their own.
pub fn text_of(message: &Message) -> String {
    let (mut text, programs) = read(message);
    text.push_str(&programs);
    text
}

/// The entries of a message, by place. Linear in its text. Of an answer of the offline provider those of what it quotes.
pub fn entries(message: &Message) -> Vec<Entry> {
    let (mut said, programs) = read(message);
    if prose::is_offline(message) {
        said = prose::quotes(&said);
    }
    let voice = match message.role {
        Role::System | Role::User => Voice::Person,
        Role::Assistant => Voice::Model,
        Role::Tool => Voice::Program,
    };
    let mut found = entries_of(message.id, &said, voice, 0);
    found.extend(entries_of(message.id, &programs, Voice::Program, said.len()));
    found
}

/// What the message says itself, and what programs say in it.
fn read(message: &Message) -> (String, String) {
    let mut programs = String::new();
    for part in &message.parts {
        match part {
            Part::ToolCall { name, arguments, .. } => {
                programs.extend(["\n", name, " ", arguments]);
            }
            Part::ToolResult { text, .. } => programs.extend(["\n", text]),
            _ => {}
        }
    }
    (message.text(), programs)
}

fn entries_of(message: MessageId, text: &str, voice: Voice, shift: usize) -> Vec<Entry> {
    let exits = marks::exits(text);
    let mut found: Vec<Entry> = scan(text, voice)
        .into_iter()
        .map(|Mark { category, span }| {
            let key = key(category, &text[span.clone()]);
            // A figure is compared alone, and told with its clause.
            let span = if category == Category::Number { marks::clause(text, span) } else { span };
            Entry {
                category,
                text: text[span.clone()].to_owned(),
                key,
                message,
                span: span.start + shift..span.end + shift,
                exit: None,
                in_force: true,
            }
        })
        .collect();
    for (at, exit) in exits {
        let before = found.iter_mut().rev();
        let mut before = before.filter(|it| it.span.start < at + shift);
        if let Some(command) = before.find(|it| it.category == Category::Command) {
            command.exit = Some(exit);
        }
    }
    found
}

/// Statements and marks of a text, by place.
pub(crate) fn scan(text: &str, voice: Voice) -> Vec<Mark> {
    let mut found = marks::marks(text, voice);
    if voice != Voice::Program {
        found.extend(statements::statements(text, voice));
    }
    found.sort_by_key(|mark| (mark.span.start, mark.category));
    found
}

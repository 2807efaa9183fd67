//! Clean prose: what messages say as text that reads well when sentences of it stand alone.
//!
//! An extract (a summary that no model wrote) is shown and sent as plain text, line by line. So what it is chosen from is
//! read here first: a heading, or the words before a list, ends with a colon and goes only with something that stands
//! under it; points of a list and rows of a table keep a line of their own; a code block is whole or not there; links read
//! as their text, emphasis is off ([`plain`]); a line of nothing but ids says nothing. Of an answer of the offline provider
//! only what it quotes is read. Tool calls are named in words ([`acts`]).
//!
//! `summary`, `session` and `compaction` choose from it. Not here: what a model is given to summarise from, which is what
//! was said. Every look ahead is bounded, so all is linear in the text.

mod acts;
mod choice;
mod lines;
mod plain;
mod weight;

#[cfg(test)]
mod tests;

pub(crate) use acts::acts;
pub(crate) use choice::{Said, choose};
pub(crate) use lines::quotes;
pub(crate) use plain::plain;
pub use weight::KeyKind;
pub(crate) use weight::{ACT, KEY, Weight, kind};

use crate::density::{self, Sentence, is_id};
use crate::message::{Message, Part, Role};
use crate::provider::{OFFLINE, OFFLINE_EN, OFFLINE_KO};
use crate::summary::fit;
use lines::{Kind, Line, ends_sentence};

/// A stretch of clean text that begins a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub text: String,
    /// Whether it says nothing without something that stands under it: a heading, the words before a list.
    pub head: bool,
    /// The place of its head among the blocks of its text.
    pub under: Option<usize>,
}

/// What a text says.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    built(lines::lines(text))
}

/// What a reply says.
pub(crate) fn blocks_of_reply(text: &str) -> Vec<Block> {
    if begins_offline(text) { blocks(&quotes(text)) } else { blocks(text) }
}

/// What a message says, without what tools answered.
pub(crate) fn blocks_of(message: &Message) -> Vec<Block> {
    match message.role {
        Role::Tool => Vec::new(),
        _ if is_offline(message) => blocks(&quotes(&message.text())),
        _ => blocks(&message.text()),
    }
}

/// Whether a message is an answer of the offline provider.
pub(crate) fn is_offline(message: &Message) -> bool {
    let begins = || {
        message.parts.iter().any(|part| matches!(part, Part::Text { text } if begins_offline(text)))
    };
    message.role == Role::Assistant && (message.model.as_deref() == Some(OFFLINE) || begins())
}

fn begins_offline(text: &str) -> bool {
    text.starts_with(OFFLINE_KO) || text.starts_with(OFFLINE_EN)
}

/// A head that is open, and how deep it stands: a heading 0, an introduction 1, a point from 2 on.
struct Open {
    place: usize,
    depth: usize,
}

const INTRODUCTION: usize = 1;
const POINT: usize = 2;

#[derive(Default)]
struct Builder {
    blocks: Vec<Block>,
    open: Vec<Open>,
    /// Whether the last block is of sentences.
    in_prose: bool,
}

fn built(lines: Vec<Line>) -> Vec<Block> {
    let mut builder = Builder::default();
    for Line { kind, text } in lines {
        match kind {
            Kind::Heading => {
                let end = if text.ends_with([':', '：', '?', '？', '!', '.']) { "" } else { ":" };
                builder.head(format!("{text}{end}"), 0);
            }
            Kind::Prose => builder.prose(&text),
            Kind::Point(indent) if is_head(&text) => {
                builder.head(format!("- {text}"), POINT + indent);
            }
            Kind::Point(indent) => {
                builder.close(POINT + indent);
                builder.push(format!("- {text}"), false);
            }
            Kind::Code => builder.push(text, false),
        }
    }
    builder.blocks
}

impl Builder {
    fn push(&mut self, text: String, head: bool) {
        let under = self.open.last().map(|open| open.place);
        self.blocks.push(Block { text, head, under });
        self.in_prose = false;
    }

    fn close(&mut self, depth: usize) {
        while self.open.last().is_some_and(|open| open.depth >= depth) {
            self.open.pop();
        }
    }

    fn head(&mut self, text: String, depth: usize) {
        self.close(depth);
        self.push(text, true);
        self.open.push(Open { place: self.blocks.len() - 1, depth });
    }

    /// Sentences. What comes right after an introduction is what it introduces, whatever it is.
    fn prose(&mut self, text: &str) {
        let sentences = density::sentences(text);
        let introduction = sentences.last().map_or("", |last| last.text);
        let introduction = if is_head(introduction) { introduction } else { "" };
        let said = text.strip_suffix(introduction).unwrap_or(text).trim_end();
        if !said.is_empty() {
            let is_introduced =
                self.open.last().is_some_and(|it| it.place + 1 == self.blocks.len());
            if !is_introduced {
                self.close(INTRODUCTION);
            }
            let under = self.open.last().map(|open| open.place);
            let before = self.blocks.last_mut().filter(|before| {
                self.in_prose && before.under == under && ends_sentence(&before.text)
            });
            match before {
                Some(before) => before.text.extend([" ", said]),
                None => self.push(said.to_owned(), false),
            }
            self.in_prose = true;
        }
        if !introduction.is_empty() {
            self.head(introduction.to_owned(), INTRODUCTION);
        }
    }
}

fn is_head(text: &str) -> bool {
    text.ends_with([':', '：'])
}

/// All that a text says, one block below the other.
pub(crate) fn text(said: &str) -> String {
    let blocks = blocks(said).into_iter().map(|block| block.text);
    blocks.collect::<Vec<_>>().join("\n")
}

/// Texts to choose sentences from, each with what it is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Material<T>(Vec<(Vec<Block>, T)>);

impl<T: Copy> Material<T> {
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds the blocks of a text.
    pub fn add(&mut self, blocks: Vec<Block>, of: T) {
        self.0.push((blocks, of));
    }

    /// The lines that [`choose`] gives, each with what it is of.
    pub fn choose(
        &self,
        limit: u64,
        weight: impl Fn(T, &Sentence<'_>) -> f64,
        mut cost: impl FnMut(&str) -> u64,
    ) -> Vec<(String, T)> {
        let read = |(blocks, of): &(Vec<Block>, T)| -> Vec<Said> {
            blocks.iter().map(|block| Said::of(block, |said| weight(*of, said))).collect()
        };
        let texts: Vec<Vec<Said>> = self.0.iter().map(read).collect();
        let lines = choose(texts.iter().map(Vec::as_slice), limit, &mut cost).into_iter();
        lines.map(|(text, line)| (line, self.0[text].1)).collect()
    }

    /// How it begins, for where no sentence is short enough: at most so many letters, no part of a code block or an id.
    pub fn beginning(&self, letters: usize) -> String {
        let blocks = self.0.iter().flat_map(|(blocks, _)| blocks).map(|block| block.text.as_str());
        let prose: Vec<&str> = blocks.filter(|text| !density::is_code(text)).collect();
        let prose = prose.join("\n");
        let begun = fit(&prose, letters);
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let word = begun.rfind(is_end).map_or(0, |at| begun.ceil_char_boundary(at + 1));
        let whole = prose[word..].split(is_end).next().unwrap_or_default();
        let cut = word + whole.len() > begun.len() && is_id(whole);
        if cut { begun[..word].trim_end() } else { begun }.to_owned()
    }
}

//! The index of a conversation: for each term where it occurs, and how each stretch reads.

use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;
use rustc_hash::FxHashMap;

use super::postings::Postings;
use super::reads::{Read, Reads, Term, term_of};
use crate::message::Role;

/// Something that was said.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// Who said it, as the reader is told.
    pub speaker: &'a str,
    /// Whether that is the person or the model; `None` for one of several people.
    pub role: Option<Role>,
    /// What was said.
    pub text: &'a str,
    /// On which day.
    pub on: Option<Date>,
    /// The sitting it belongs to, counted up.
    pub session: u32,
}

/// A stretch where it stands.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its message, and the first stretch of that.
    pub message: u32,
    pub first: u32,
    pub speaker: u16,
    pub role: Option<Role>,
    pub on: Option<Date>,
    pub session: u32,
    /// How it reads.
    pub read: Arc<Read>,
}

/// An index that grows by one message at a time.
#[derive(Clone, Debug, Default)]
pub struct Index {
    postings: FxHashMap<Term, Postings>,
    pub(super) entries: Vec<Entry>,
    pub(super) speakers: Vec<String>,
    length: f64,
    /// Messages it has.
    messages: usize,
    /// Messages there are, where it has only some of them.
    all: usize,
}

impl Index {
    /// An index over some of so many messages: a word is as rare as it is among all of them.
    pub fn among(all: u64) -> Self {
        Self { all: usize::try_from(all).unwrap_or(usize::MAX), ..Self::default() }
    }

    /// Takes in the next message, which reads as `reads` says.
    pub fn push(&mut self, said: &Said<'_>, reads: &Reads) {
        let first = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let message = u32::try_from(self.messages).unwrap_or(u32::MAX);
        let speaker = self.speaker(said.speaker);
        let Said { role, on, session, .. } = *said;
        for read in reads.read(said.text, role).iter() {
            let place = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
            for (term, count) in &read.counts {
                self.postings.entry(*term).or_default().push(place, *count);
            }
            self.length += f64::from(read.length());
            let read = read.clone();
            self.entries.push(Entry { message, first, speaker, role, on, session, read });
        }
        self.messages += 1;
    }

    fn speaker(&mut self, name: &str) -> u16 {
        let known = self.speakers.iter().position(|it| it == name);
        let at = known.unwrap_or_else(|| {
            self.speakers.push(name.to_owned());
            self.speakers.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// How many stretches it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many messages it has.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// The message of a stretch, and which bytes of it that is.
    pub fn stretch(&self, place: usize) -> (usize, Range<usize>) {
        let Entry { message, read, .. } = &self.entries[place];
        (*message as usize, read.bytes.clone())
    }

    /// The stretches of the same message.
    pub(super) fn siblings(&self, place: usize) -> Range<usize> {
        let message = self.entries[place].message;
        let behind = self.entries[place..].iter().take_while(|it| it.message == message).count();
        self.entries[place].first as usize..place + behind
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The day of the newest message.
    pub fn today(&self) -> Option<Date> {
        self.entries.iter().rev().find_map(|entry| entry.on)
    }

    /// The last question of the message before, where this one answers it.
    pub(super) fn question_of(&self, place: usize) -> Option<usize> {
        let answer = self.entries.get(place)?;
        let before = (answer.first as usize).checked_sub(1)?;
        let asked = self.siblings(before).rev().find(|at| self.entries[*at].read.asks)?;
        (self.entries[asked].speaker != answer.speaker).then_some(asked)
    }

    /// Whether a stretch asks something and somebody else speaks next.
    pub(super) fn is_answered_question(&self, place: usize) -> bool {
        let asked = &self.entries[place];
        let next = self.entries.get(self.siblings(place).end);
        asked.read.asks && next.is_some_and(|it| it.speaker != asked.speaker)
    }

    pub(super) fn postings(&self, term: &str) -> Option<&Postings> {
        self.of_term(term_of(term))
    }

    pub(super) fn of_term(&self, term: Term) -> Option<&Postings> {
        self.postings.get(&term)
    }

    /// Terms of a message on average.
    pub(super) fn average(&self) -> f32 {
        (self.length / self.entries.len().max(1) as f64).max(1.0) as f32
    }

    /// How much a term tells that so many messages have.
    pub(super) fn rarity(&self, messages: u32) -> f32 {
        rarity(self.entries.len().max(self.all), messages as usize)
    }
}

/// How much a term tells that so many of all have.
pub(super) fn rarity(all: usize, having: usize) -> f32 {
    let (all, having) = (all as f32, having as f32);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

//! The index of a conversation: for each term where it occurs, and a few marks of each message.

use std::collections::HashMap;
use std::ops::Range;

use jiff::civil::Date;

use super::cut::cut;
use super::postings::Postings;
use super::words::{Terms, is_question, terms};
use super::{counters, shapes, units};
use crate::ledger::{Category, Voice, scan};
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

/// Bytes of each end of a long message of which it is judged what kinds of things they say. Its words are all kept; to look
/// for kinds in all of it takes a hundred times as long as that, whenever it is recalled from.
const END: usize = 4_096;

/// Whether a stretch stands at either end of a message of so many bytes.
fn at_an_end(stretch: &Range<usize>, length: usize) -> bool {
    stretch.start < END || stretch.end + END > length
}

/// What is kept of a stretch beside its terms.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its message, and the first stretch of that.
    pub message: u32,
    pub first: u32,
    /// Bytes of the message.
    pub bytes: Range<usize>,
    pub speaker: u16,
    pub role: Option<Role>,
    pub on: Option<Date>,
    pub session: u32,
    /// Plain terms.
    pub length: f32,
    /// Which categories of the ledger it has, a bit each.
    pub marks: u16,
    /// Units of its figures, a bit each.
    pub units: u16,
    /// How it looks, a bit each.
    pub shapes: u16,
    /// Whether it asks something.
    pub asks: bool,
    /// Whether it says when something is, in words or figures.
    pub tells_time: bool,
    /// Whether it says why something is.
    pub tells_reason: bool,
}

/// Words that say when, beside the dates that the ledger finds.
const TIMES: [&str; 30] = [
    "yesterday",
    "today",
    "tonight",
    "tomorrow",
    "last ",
    "next ",
    " ago",
    "week",
    "month",
    "year",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "recently",
    "어제",
    "오늘",
    "내일",
    "지난",
    "다음",
    "이번",
    "주말",
    "월",
    "요일",
    "년",
    "며칠",
    "오전",
];

/// Words that say why.
const REASONS: [&str; 14] = [
    "because",
    "since ",
    "so that",
    "reason",
    "due to",
    "why",
    "cause",
    "때문",
    "그래서",
    "이유",
    "까닭",
    "라서",
    "해서",
    "니까",
];

/// An index that grows by one message at a time.
#[derive(Clone, Debug, Default)]
pub struct Index {
    vocabulary: HashMap<Box<str>, u32>,
    postings: Vec<Postings>,
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

    /// Takes in the next message.
    pub fn push(&mut self, said: &Said<'_>) {
        let first = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for bytes in cut(said.text) {
            self.push_stretch(said, bytes, first);
        }
        self.messages += 1;
    }

    fn push_stretch(&mut self, said: &Said<'_>, bytes: Range<usize>, first: u32) {
        let text = &said.text[bytes.clone()];
        let place = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let Terms { plain, beginnings, sounds } = terms(text);
        let length = plain.len() as f32;
        let mut counts: HashMap<String, u32> = HashMap::new();
        let looked = if at_an_end(&bytes, said.text.len()) { text } else { "" };
        let counters = counters::said(looked);
        for term in plain.into_iter().chain(beginnings).chain(sounds).chain(counters) {
            *counts.entry(term).or_default() += 1;
        }
        for (term, count) in counts {
            let next = self.postings.len() as u32;
            let id = *self.vocabulary.entry(term.into_boxed_str()).or_insert(next);
            if id == next {
                self.postings.push(Postings::default());
            }
            self.postings[id as usize].push(place, count);
        }
        let voice = match said.role {
            Some(Role::Assistant) => Voice::Model,
            Some(Role::Tool) => Voice::Program,
            _ => Voice::Person,
        };
        let marks = scan(looked, voice).iter().fold(0, |marks, it| marks | bit(it.category));
        let lower = looked.to_lowercase();
        let tells = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        self.length += f64::from(length);
        let speaker = self.speaker(said.speaker);
        self.entries.push(Entry {
            message: u32::try_from(self.messages).unwrap_or(u32::MAX),
            first,
            bytes,
            speaker,
            role: said.role,
            on: said.on,
            session: said.session,
            length,
            marks,
            units: units::said(looked),
            shapes: shapes::said(looked),
            asks: is_question(text),
            tells_time: marks & bit(Category::Date) != 0 || tells(&TIMES),
            tells_reason: tells(&REASONS),
        });
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
        let Entry { message, bytes, .. } = &self.entries[place];
        (*message as usize, bytes.clone())
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

    /// Bytes it takes, without what the allocator adds.
    pub fn size(&self) -> usize {
        let words: usize =
            self.vocabulary.keys().map(|term| term.len() + size_of::<(Box<str>, u32)>()).sum();
        let postings: usize = self.postings.iter().map(Postings::size).sum();
        words + postings + self.entries.len() * size_of::<Entry>()
    }

    /// The day of the newest message.
    pub fn today(&self) -> Option<Date> {
        self.entries.iter().rev().find_map(|entry| entry.on)
    }

    /// The last question of the message before, where this one answers it.
    pub(super) fn question_of(&self, place: usize) -> Option<usize> {
        let answer = self.entries.get(place)?;
        let before = (answer.first as usize).checked_sub(1)?;
        let asked = self.siblings(before).rev().find(|at| self.entries[*at].asks)?;
        (self.entries[asked].speaker != answer.speaker).then_some(asked)
    }

    /// Whether a stretch asks something and somebody else speaks next.
    pub(super) fn is_answered_question(&self, place: usize) -> bool {
        let asked = &self.entries[place];
        let next = self.entries.get(self.siblings(place).end);
        asked.asks && next.is_some_and(|it| it.speaker != asked.speaker)
    }

    pub(super) fn postings(&self, term: &str) -> Option<&Postings> {
        self.vocabulary.get(term).map(|id| &self.postings[*id as usize])
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

pub(super) fn bit(category: Category) -> u16 {
    1 << category as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_message_both_ends_say_what_kinds_of_things_they_say() {
        let (said, filler) = ("검수는 8초 안에 끝나요.", "가나 ".repeat(2_000));
        let units = |text: &str| {
            let mut index = Index::default();
            let role = Some(Role::User);
            index.push(&Said { speaker: "user", role, text, on: None, session: 0 });
            index.entries.iter().fold(0, |units, it| units | it.units)
        };
        assert_ne!(units(said), 0);
        assert_eq!(units(&format!("{said}\n\n{filler}")), units(said));
        assert_eq!(units(&format!("{filler}\n\n{said}")), units(said));
        assert_eq!(units(&format!("{filler}\n\n{said}\n\n{filler}")), 0);
    }
}

//! How texts read: the stretches of each with their terms and what they tell, whatever stands around them.
//!
//! To read is most of what it costs to recall, and at every key press the same messages are recalled from, so [`Reads`]
//! remembers what was read. It keeps no text.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::cut::cut;
use super::otherwise::Says;
use super::words::{Terms, is_question, terms};
use super::{counters, shapes, units};
use crate::fingerprint::Fingerprint;
use crate::ledger::{Category, Voice, scan};
use crate::message::Role;
use crate::search::Phrase;

/// Bytes of what is remembered, about: the stretches of a few hundred long answers take a quarter.
const MOST: usize = 16 << 20;

/// Bytes of each end of a long message of which it is judged what kinds of things they say. Its words are all kept; to look
/// for kinds in all of it takes a hundred times as long as that, whenever it is recalled from.
const END: usize = 4_096;

/// Whether a stretch stands at either end of a message of so many bytes.
fn at_an_end(stretch: &Range<usize>, length: usize) -> bool {
    stretch.start < END || stretch.end + END > length
}

/// A term as a number: two of a million terms have the same one once in thirty million times.
pub(super) type Term = u64;

/// The number of a term.
pub(super) fn term_of(term: &str) -> Term {
    let mut hasher = DefaultHasher::new();
    term.hash(&mut hasher);
    hasher.finish()
}

/// A stretch as it reads.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// Bytes of the text.
    pub bytes: Range<usize>,
    /// Plain terms, in order.
    pub plain: Vec<Term>,
    /// All terms, each with how often it is there, in the order of their numbers.
    pub counts: Vec<(Term, u32)>,
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
    /// What it says, once that was held against what was said otherwise.
    pub says: OnceLock<Says>,
    /// The values that tell it from others, once that was asked.
    pub values: OnceLock<Vec<Phrase>>,
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

impl Read {
    fn of(text: &str, bytes: Range<usize>, voice: Voice) -> Self {
        let said = &text[bytes.clone()];
        let Terms { plain, beginnings, sounds } = terms(said);
        let plain: Vec<Term> = plain.iter().map(|term| term_of(term)).collect();
        let looked = if at_an_end(&bytes, text.len()) { said } else { "" };
        let others = beginnings.into_iter().chain(sounds).chain(counters::said(looked));
        let mut counts: BTreeMap<Term, u32> = BTreeMap::new();
        for term in plain.iter().copied().chain(others.map(|term| term_of(&term))) {
            *counts.entry(term).or_default() += 1;
        }
        let marks = scan(looked, voice).iter().fold(0, |marks, it| marks | bit(it.category));
        let lower = looked.to_lowercase();
        let tells = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        Self {
            bytes,
            plain,
            counts: counts.into_iter().collect(),
            marks,
            units: units::said(looked),
            shapes: shapes::said(looked),
            asks: is_question(said),
            tells_time: marks & bit(Category::Date) != 0 || tells(&TIMES),
            tells_reason: tells(&REASONS),
            says: OnceLock::new(),
            values: OnceLock::new(),
        }
    }

    /// Plain terms.
    pub(super) fn length(&self) -> f32 {
        self.plain.len() as f32
    }

    fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.plain) + size_of_val(&*self.counts)
    }
}

/// The stretches of a text, in order.
type Stretches = Arc<[Arc<Read>]>;

/// How texts read, as far as that is remembered.
#[derive(Debug, Default)]
pub struct Reads {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    texts: HashMap<(Fingerprint, Voice), Stretches>,
    size: usize,
}

impl Reads {
    /// The stretches of what somebody in a role said; `None` is one of several people.
    pub(super) fn read(&self, text: &str, role: Option<Role>) -> Stretches {
        let voice = match role {
            Some(Role::Assistant) => Voice::Model,
            Some(Role::Tool) => Voice::Program,
            _ => Voice::Person,
        };
        let key = (Fingerprint::of(text), voice);
        let known = locked(&self.known).texts.get(&key).cloned();
        known.unwrap_or_else(|| {
            let read: Stretches =
                cut(text).into_iter().map(|bytes| Arc::new(Read::of(text, bytes, voice))).collect();
            let size = size_of_all(&read);
            let mut known = locked(&self.known);
            if known.size + size > MOST {
                *known = Known::default();
            }
            if size <= MOST && known.texts.insert(key, read.clone()).is_none() {
                known.size += size;
            }
            read
        })
    }
}

fn size_of_all(read: &[Arc<Read>]) -> usize {
    size_of::<Fingerprint>() + read.iter().map(|it| it.size()).sum::<usize>()
}

fn locked(known: &Mutex<Known>) -> std::sync::MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
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
            let read = Reads::default().read(text, Some(Role::User));
            read.iter().fold(0, |units, it| units | it.units)
        };
        assert_ne!(units(said), 0);
        assert_eq!(units(&format!("{said}\n\n{filler}")), units(said));
        assert_eq!(units(&format!("{filler}\n\n{said}")), units(said));
        assert_eq!(units(&format!("{filler}\n\n{said}\n\n{filler}")), 0);
    }
    #[test]
    fn what_was_read_is_remembered_for_a_while() {
        let reads = Reads::default();
        let said = reads.read("the mill turns", Some(Role::User));
        assert!(Arc::ptr_eq(&said, &reads.read("the mill turns", Some(Role::User))));
        assert!(!Arc::ptr_eq(&said, &reads.read("the mill turns", Some(Role::Tool))));
        let long: String = (0..2_000).map(|at| format!("word{at} ")).collect();
        let size = size_of_all(&reads.read(&long, None));
        (0..MOST / size).for_each(|at| {
            reads.read(&format!("{long} {at}"), None);
        });
        assert!(!Arc::ptr_eq(&said, &reads.read("the mill turns", Some(Role::User))));
        assert!(locked(&reads.known).size <= MOST);
    }
}

//! Information density: which sentences of a text say the most for their length.
//!
//! A sentence is worth the rarity of its words (inverse document frequency over the sentences at hand), with figures
//! and names on top, over its tokens to the power of 0.7, so that neither the shortest nor the longest wins by length;
//! a question weighs 0.4, since what is asked is seldom what is known. Centrality measures such as TextRank choose
//! small talk, which resembles everything. `choose` is the summariser when no model is at hand, and what chooses key
//! phrases, of what `prose` reads; [`densities`] tells which messages say something. Sentences are chosen, never
//! rewritten. No model, no stored statistics: all is linear in the text but for sorting its sentences.

mod names;
mod sentence;

pub(crate) use names::{is_id, marked_words as marked, names};
pub(crate) use sentence::{Fence, bare, is_code};
pub use sentence::{Sentence, sentences};

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::search::telling_words;
use crate::tokens;
use names::marked_words;

/// Length weighs less than in proportion.
const LENGTH_POWER: f64 = 0.7;
/// What a question is worth beside a statement.
const QUESTION: f64 = 0.4;
/// What a figure or a name is worth beyond the rarity of its word.
const MARK: f64 = 3.0;

/// A sentence or code block that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// Which text it is from.
    pub source: usize,
    /// The sentence as it stands there.
    pub text: &'a str,
    /// Whether it is a code block.
    pub code: bool,
}

/// A sentence or code block, read.
#[derive(Clone, Debug)]
pub(crate) struct Piece<T> {
    pub(crate) text: T,
    pub(crate) code: bool,
    pub(crate) reading: Reading,
}

/// The sentences of a text, read.
pub(crate) fn pieces(text: &str) -> Vec<Piece<&str>> {
    let read = |Sentence { text, code }| Piece { text, code, reading: Reading::of(text, code) };
    sentences(text).into_iter().map(read).collect()
}

/// What is chosen from: a sentence, how it reads and how much it weighs.
pub(crate) struct Unit<'a, 'r> {
    pub(crate) excerpt: Excerpt<'a>,
    pub(crate) reading: &'r Reading,
    pub(crate) weight: f64,
}

/// The densest of these that fit in `limit`, in their order, and what is left of it. What a sentence costs is the caller's
/// to say: characters, tokens by an estimate, tokens by an encoding; each is asked for once. `1` is added for what joins
/// two, so that the [`joined`] text costs no more than `limit`, and is left with the rest, since the first sentence joins
/// nothing. A sentence that was said twice is taken once.
pub(crate) fn choose<'a>(
    units: &[Unit<'a, '_>],
    limit: u64,
    cost: &mut dyn FnMut(&str) -> u64,
) -> (Vec<Excerpt<'a>>, u64) {
    let rarity = Rarity::over(units.iter().map(|unit| unit.reading));
    let mut ranked: Vec<(f64, usize)> = units
        .iter()
        .map(|unit| rarity.density(unit.reading) * unit.weight)
        .enumerate()
        .map(|(place, score)| (score, place))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    let mut left = limit.saturating_add(1);
    let mut said = HashSet::new();
    let mut chosen = Vec::new();
    for (_, place) in ranked {
        let text = units[place].excerpt.text;
        let price = cost(text).saturating_add(1);
        if price <= left && said.insert(text) {
            left -= price;
            chosen.push(place);
        }
    }
    chosen.sort_unstable();
    (chosen.into_iter().map(|place| units[place].excerpt).collect(), left)
}

impl Excerpt<'_> {
    /// Whether the next one goes on in the same line.
    pub fn continues(&self, next: &Self) -> bool {
        self.source == next.source && !self.code && !next.code
    }
}

/// The excerpts as one text: sentences of a source follow each other, sources and code blocks begin a line.
pub fn joined(excerpts: &[Excerpt<'_>]) -> String {
    let mut text = String::new();
    let mut before: Option<&Excerpt<'_>> = None;
    for excerpt in excerpts {
        if let Some(before) = before {
            text.push(if before.continues(excerpt) { ' ' } else { '\n' });
        }
        text.push_str(excerpt.text);
        before = Some(excerpt);
    }
    text
}

/// How much each text says for its length beside the others: 1.0 for the densest, 0.0 for one that says nothing.
pub fn densities(texts: &[&str]) -> Vec<f64> {
    let readings: Vec<Reading> = texts.iter().map(|text| Reading::of(text, false)).collect();
    let rarity = Rarity::over(readings.iter());
    let densities: Vec<f64> = readings.iter().map(|reading| rarity.density(reading)).collect();
    let most = densities.iter().copied().fold(0.0, f64::max);
    densities.into_iter().map(|density| if most > 0.0 { density / most } else { 0.0 }).collect()
}

/// What a text is found to hold.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// In an order, so that their sum is the same at every run.
    words: BTreeSet<String>,
    marks: usize,
    tokens: u64,
    question: bool,
}

impl Reading {
    fn of(text: &str, code: bool) -> Self {
        let asks = text.trim_end_matches(['"', '\'', ')', '*', ' ']).ends_with(['?', '？']);
        Self {
            // An id is the rarest of words, and tells a reader nothing.
            words: telling_words(text).filter(|word| !is_id(word)).collect(),
            // In code every other word is an identifier.
            marks: if code { 0 } else { marked_words(text).filter(|word| !is_id(word)).count() },
            tokens: tokens::estimate(text),
            question: asks && !code,
        }
    }
}

/// How rare each word is among the texts at hand.
struct Rarity<'a> {
    holders: HashMap<&'a str, f64>,
    texts: f64,
}

impl<'a> Rarity<'a> {
    fn over(readings: impl Iterator<Item = &'a Reading>) -> Self {
        let mut rarity = Self { holders: HashMap::new(), texts: 0.0 };
        for reading in readings {
            rarity.texts += 1.0;
            for word in &reading.words {
                *rarity.holders.entry(word).or_default() += 1.0;
            }
        }
        rarity
    }

    fn of(&self, word: &str) -> f64 {
        let holders = self.holders.get(word).copied().unwrap_or_default();
        f64::ln(1.0 + (self.texts - holders + 0.5) / (holders + 0.5))
    }

    fn density(&self, reading: &Reading) -> f64 {
        if reading.tokens == 0 {
            return 0.0;
        }
        let words: f64 = reading.words.iter().map(|word| self.of(word)).sum();
        let marks = MARK * reading.marks as f64;
        let asked = if reading.question { QUESTION } else { 1.0 };
        asked * (words + marks) / (reading.tokens as f64).powf(LENGTH_POWER)
    }
}

#[cfg(test)]
mod tests;

//! Choosing under a token budget, and showing what was chosen.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use super::{Index, Ranked};

/// What a message's length takes off its score: long ones have to be worth it.
const LENGTH: f32 = 0.4;
/// The question before an answer goes with it where it costs at most this share of the budget.
const COMPANION: u64 = 40;

/// A message as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// Who said it.
    pub speaker: &'a str,
    /// What was said.
    pub text: &'a str,
    /// When; messages with the same heading in a row share it.
    pub heading: &'a str,
    /// Tokens of its line, with the line end.
    pub tokens: u64,
    /// Tokens of its heading, with the line end.
    pub heading_tokens: u64,
}

/// Chooses messages in the order of their worth as long as they fit in `budget`, with the question that an answer
/// belongs to. The places come in the order in which they were said.
pub fn pack<'p>(
    index: &Index,
    ranked: &[Ranked],
    budget: u64,
    passage: impl Fn(usize) -> Passage<'p>,
) -> Vec<usize> {
    let worth = |it: &Ranked| it.score - LENGTH * (passage(it.place).tokens.max(1) as f32).ln();
    let mut order: Vec<(f32, usize)> = ranked.iter().map(|it| (worth(it), it.place)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let mut chosen = BTreeSet::new();
    let mut headings = HashSet::new();
    let mut left = budget;
    let mut take = |place: usize, most: u64| {
        let it = passage(place);
        let heading = if headings.contains(it.heading) { 0 } else { it.heading_tokens };
        let cost = it.tokens + heading;
        if cost <= left.min(most) && chosen.insert(place) {
            left -= cost;
            headings.insert(it.heading);
        }
        chosen.contains(&place)
    };
    for (_, place) in order {
        if take(place, budget)
            && let Some(question) = index.question_of(place)
        {
            take(question, budget / COMPANION);
        }
    }
    chosen.into_iter().collect()
}

/// The chosen messages, each with its speaker, under the days on which they were said.
pub fn render<'p>(places: &[usize], passage: impl Fn(usize) -> Passage<'p>) -> String {
    let mut text = String::new();
    let mut heading = "";
    for place in places {
        let it = passage(*place);
        if it.heading != heading {
            text.extend([heading_line(it.heading).as_str(), "\n"]);
            heading = it.heading;
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", line(it.speaker, it.text));
    }
    text
}

/// How a message is shown.
pub(super) fn line(speaker: &str, text: &str) -> String {
    format!("{speaker}: {text}")
}

/// How a day is shown.
pub(super) fn heading_line(heading: &str) -> String {
    format!("[{heading}]")
}

//! How much room passages have: the share of recent turns, summaries and passages moves with what is asked.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;

use super::{Offer, RecallSettings, ShareWhy, weight};
use crate::message::Role;
use crate::section::PassageOf;

/// A passage that may go, as it would be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recollection {
    /// Of what.
    pub of: PassageOf,
    /// What its conversation is called; empty where it has no title, and of a session.
    pub title: String,
    /// Whether it is the one that is asked in.
    pub own: bool,
    /// Who said it.
    pub role: Role,
    /// When.
    pub at: Timestamp,
    /// On which day, where the person is.
    pub on: Date,
    /// Its whole text.
    pub text: String,
    /// What of it may be shown, best first.
    pub parts: Vec<Part>,
    /// What the best of them is worth, 0 to 100.
    pub worth: u32,
    /// Whether that is for its meaning more than for its words.
    pub by_meaning: bool,
    /// The question it answers, or its answer: what goes with it.
    pub beside: Option<PassageOf>,
    /// What of it holds from then on.
    pub standing: Option<Standing>,
}

/// What the person wants from then on, as it stands in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Bytes of the text, in order.
    pub bytes: Vec<Range<usize>>,
    /// Whether any of it concerns what is asked.
    pub concerns: bool,
}

/// A stretch of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which one, in order.
    pub stretch: usize,
    /// Bytes of its text.
    pub bytes: Range<usize>,
    /// What it is worth, 0 to 100.
    pub worth: u32,
    /// Its score in the ranking, in thousandths.
    pub score: i32,
    /// What says otherwise and is newer.
    pub otherwise: Option<Otherwise>,
}

/// A stretch that says otherwise than an older one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// Of what.
    pub of: PassageOf,
    /// Which of its stretches, in order.
    pub stretch: usize,
    /// On which day, where the person is.
    pub on: Date,
}

/// What passages may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Percent of the room for earlier messages.
    pub percent: u32,
    /// Tokens at most, however large the room is.
    pub tokens: u64,
    /// Passages at most.
    pub passages: usize,
    /// Why so much.
    pub why: ShareWhy,
}

/// Least worth of a passage of the conversation, and of one of another.
const OWN: u32 = 30;
const OTHER: u32 = 45;
/// Worth from which something answers well.
const ANSWERS: u32 = 65;

/// Words by which a question asks for what was said.
const BACK: [&str; 34] = [
    "earlier",
    "before",
    "previous",
    "remember",
    "remind",
    "last time",
    "last week",
    "yesterday",
    "again",
    "did we",
    "did i",
    "did you",
    "we said",
    "i said",
    "you said",
    "told you",
    "you told",
    "we decid",
    "we agree",
    "아까",
    "전에",
    "예전",
    "지난",
    "어제",
    "기억",
    "했더라",
    "였더라",
    "했었",
    "했지",
    "였지",
    "라고 했",
    "다고 했",
    "하기로",
    "정했",
];

/// Whether a text asks for what was said.
pub fn looks_back(asked: &str) -> bool {
    let lower = asked.to_lowercase();
    BACK.iter().any(|cue| lower.contains(cue))
}

impl Standing {
    /// Whether all of it is among these stretches.
    pub fn is_within(&self, stretches: &[Range<usize>]) -> bool {
        let within = |it: &Range<usize>| {
            stretches.iter().any(|stretch| stretch.start <= it.start && it.end <= stretch.end)
        };
        self.bytes.iter().all(within)
    }
}

impl Recollection {
    /// Whether it is worth sending at all.
    pub fn is_worth_it(&self) -> bool {
        self.worth >= self.least()
    }

    /// What of it is worth sending.
    pub fn worthy(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|it| it.worth >= self.least())
    }

    /// The last day on which otherwise was said than in these stretches of it.
    pub fn otherwise(&self, stretches: &[Range<usize>]) -> Option<Date> {
        let shown = |it: &&Part| {
            stretches.iter().any(|all| all.start <= it.bytes.start && it.bytes.end <= all.end)
        };
        self.parts.iter().filter(shown).filter_map(|it| Some(it.otherwise.as_ref()?.on)).max()
    }

    fn least(&self) -> u32 {
        if self.own { OWN } else { OTHER }
    }
}

/// A stretch as it is chosen among these.
pub fn offer_of<'a>(
    it: &'a Recollection,
    part: &'a Part,
    among: &[&'a Recollection],
) -> Offer<(&'a Recollection, &'a Part)> {
    let newer = part.otherwise.as_ref().and_then(|newer| {
        let other = among.iter().find(|it| it.of == newer.of)?;
        Some((*other, other.parts.iter().find(|it| it.stretch == newer.stretch)?))
    });
    let weight = weight(&it.text[part.bytes.clone()]);
    Offer { what: (it, part), score: part.score as f32 / 1e3, weight, otherwise: newer }
}

impl Share {
    /// For what is asked and the passages that are not sent already. `all_sent` says that everything said in the
    /// conversation goes word for word.
    pub fn of(
        settings: &RecallSettings,
        asked: &str,
        open: &[&Recollection],
        all_sent: bool,
    ) -> Self {
        let best = open.iter().filter(|it| it.is_worth_it()).map(|it| it.worth).max();
        if let Some(percent) = settings.within_limits().share {
            return Self { percent, tokens: u64::MAX, passages: 24, why: ShareWhy::Fixed };
        }
        let (percent, tokens, passages, why) = match best {
            None if all_sent => (0, 0, 0, ShareWhy::AllSent),
            None => (0, 0, 0, ShareWhy::Unrelated),
            Some(best) if best >= ANSWERS || looks_back(asked) => {
                (30, 6_144, 12, ShareWhy::LooksBack)
            }
            Some(_) => (10, 2_048, 6, ShareWhy::Related),
        };
        Self { percent, tokens, passages, why }
    }

    /// Tokens of a room of this size.
    pub fn within(&self, room: u64) -> u64 {
        (room.saturating_mul(u64::from(self.percent)) / 100).min(self.tokens)
    }
}

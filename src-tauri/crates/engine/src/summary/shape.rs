//! What a request consists of beside the question: summaries, then whole messages, and what is in neither.
//!
//! Messages are read backwards from the newest and only as far as they are sent, so a request costs the same at any
//! length of the history.

use std::borrow::Borrow;
use std::collections::HashSet;

use super::due::Terms;
use super::overlay::Overlay;
use super::quote::quote;
use super::receipt::KeptFact;
use super::record::{Record, TurnSpan};
use super::rolling::REQUEST_CHARS;
use super::settings::Policy;
use super::text::{Text, chars_of, cut};
use super::turns::{Backwards, ends_turn};
use crate::ids::SummaryId;
use crate::ledger;
use crate::message::{Message, MessageStatus, Part, words_of};
use crate::tokens::{MESSAGE_OVERHEAD, estimate};

/// The three forms of the Rolling design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptShape {
    /// Case A: the question alone.
    Bare,
    /// Case B: earlier messages and the question.
    Recent,
    /// Case C: a summary, the messages after it, and the question.
    Summarized,
}

/// A summary as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The record.
    pub record: SummaryId,
    /// Its version.
    pub version: u32,
    /// The turns it stands for.
    pub turns: Option<TurnSpan>,
    /// What the model reads; the first one begins with the heading of all.
    pub text: String,
    /// Tokens of the text.
    pub tokens: u64,
}

/// A message that is sent word for word.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw<M> {
    /// The message.
    pub message: M,
    /// How many characters of it are sent, when not all are.
    pub cut: Option<usize>,
    /// Its tokens in the request.
    pub tokens: u64,
    /// The turn it belongs to, where the messages before it were read or summarised.
    pub turn: Option<u32>,
}

impl<M: Borrow<Message>> Raw<M> {
    /// The text that is sent.
    pub fn text(&self) -> String {
        let text = words_of(&self.message.borrow().parts);
        self.cut.map_or(text.as_str(), |limit| cut(&text, limit)).to_owned()
    }
}

/// What is neither summarised nor sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// How many messages.
    pub messages: u64,
    /// Summaries that had no room, oldest first.
    pub summaries: Vec<SummaryId>,
}

/// What a request consists of beside the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape<M> {
    /// Which of the three forms it is.
    pub form: PromptShape,
    /// Summaries, oldest first.
    pub summaries: Vec<Told>,
    /// Whole messages, oldest first.
    pub raw: Vec<Raw<M>>,
    /// Sum over both.
    pub tokens: u64,
    /// What is in neither.
    pub left_out: Missing,
}

/// Composes the earlier part of a request. `newest_first` are the messages before the question, read only as far as
/// they are sent; the overlay must have been made for the path that ends with the newest of them.
pub fn shape<M: Borrow<Message>>(
    overlay: &Overlay<'_>,
    newest_first: impl IntoIterator<Item = M>,
    terms: &Terms<'_>,
) -> Shape<M> {
    let settings = terms.settings;
    let mut shape = Shape {
        form: PromptShape::Bare,
        summaries: Vec::new(),
        raw: Vec::new(),
        tokens: 0,
        left_out: Missing::default(),
    };
    if !settings.enabled {
        return shape;
    }
    let none = Overlay::on::<Record>(&[], |_| None);
    let summarises =
        matches!(settings.policy, Policy::Rolling | Policy::Segments | Policy::Running);
    let overlay = if summarises { overlay } else { &none };
    let limit = match settings.policy {
        Policy::Running if terms.newest.due.is_none() => terms.budget.min(settings.token_limit),
        Policy::Rolling | Policy::Segments if settings.strict => u64::MAX,
        _ => terms.budget,
    };
    shape.tell(overlay, terms, limit);
    let earlier = shape.take(overlay, newest_first, terms, limit);
    shape.form = match (shape.summaries.is_empty(), shape.raw.is_empty()) {
        (false, _) => PromptShape::Summarized,
        (true, false) => PromptShape::Recent,
        (true, true) => PromptShape::Bare,
    };
    if is_strict_rolling(terms) && shape.form == PromptShape::Recent && earlier < 2 {
        // behaviour.md, Rolling: the first two messages are sent without anything before them.
        shape.left_out.messages += shape.raw.len() as u64;
        shape = Shape { form: PromptShape::Bare, raw: Vec::new(), tokens: 0, ..shape };
    }
    shape
}

fn is_strict_rolling(terms: &Terms<'_>) -> bool {
    terms.settings.strict && terms.settings.policy == Policy::Rolling
}

impl<M: Borrow<Message>> Shape<M> {
    /// Takes the summaries, newest first, into half of the limit; the newest and what is pinned may have all of it.
    fn tell(&mut self, overlay: &Overlay<'_>, terms: &Terms<'_>, limit: u64) {
        let words = Words::of(terms);
        let mut records: Vec<&Record> = overlay.folded().collect();
        let mut told = words.told_once(&records);
        let mut tokens = told.iter().map(|told| told.tokens).sum::<u64>() + words.heading_tokens();
        while !told.is_empty() {
            let loose = told.iter().position(|told| !overlay.pins(told.record));
            let most = if told.len() > 1 && loose.is_some() { limit / 2 } else { limit };
            if tokens <= most {
                break;
            }
            let at = loose.unwrap_or(0);
            self.left_out.summaries.push(records.remove(at).id);
            tokens -= told.remove(at).tokens;
            if at > 0 {
                // Those before it may have left facts to it.
                told = words.told_once(&records);
                tokens = told.iter().map(|told| told.tokens).sum::<u64>() + words.heading_tokens();
            }
        }
        if let Some(first) = told.first_mut() {
            words.head(first);
        }
        self.tokens = told.iter().map(|told| told.tokens).sum();
        self.summaries = told;
    }

    /// Takes messages, newest first, while they fit; says how many messages the path has.
    fn take(
        &mut self,
        overlay: &Overlay<'_>,
        newest_first: impl IntoIterator<Item = M>,
        terms: &Terms<'_>,
        limit: u64,
    ) -> u64 {
        let strict = is_strict_rolling(terms);
        let mut path = None;
        let mut waiting: Vec<Raw<M>> = Vec::new();
        let mut backwards = Backwards::default();
        let mut full = false;
        let mut failed = 0;
        for message in newest_first {
            let index = message.borrow().index;
            path.get_or_insert(index + 1);
            if strict && message.borrow().status == MessageStatus::Failed {
                // The Rolling design stores what was answered, and this was not.
                failed += 1;
                continue;
            }
            full = strict && self.raw.len() >= terms.settings.recent_messages as usize;
            if full || index < overlay.first_raw() {
                break;
            }
            if overlay.over(index).is_some_and(|record| !overlay.is_open(record)) {
                continue;
            }
            let may_begin = backwards.may_begin_with(message.borrow());
            waiting.push(raw_of(message, terms));
            full = (may_begin || strict) && !self.admit(&mut waiting, terms, limit);
            if full {
                break;
            }
        }
        if !full {
            self.admit(&mut waiting, terms, limit);
        }
        self.raw.reverse();
        self.number(overlay);
        let path = path.unwrap_or(0) - failed;
        let after = self.raw.iter().filter(|raw| raw.message.borrow().index >= overlay.end());
        self.left_out.messages =
            path.saturating_sub(overlay.end()).saturating_sub(after.count() as u64);
        path
    }

    /// Takes messages that belong together, or none of them.
    fn admit(&mut self, waiting: &mut Vec<Raw<M>>, terms: &Terms<'_>, limit: u64) -> bool {
        let left = limit.saturating_sub(self.tokens);
        let tokens = |waiting: &[Raw<M>]| waiting.iter().map(|raw| raw.tokens).sum::<u64>();
        if tokens(waiting) > left
            && terms.settings.policy == Policy::Rolling
            && let [only] = waiting.as_mut_slice()
        {
            only.shorten(terms);
        }
        if tokens(waiting) > left {
            return false;
        }
        self.tokens += tokens(waiting);
        self.raw.append(waiting);
        true
    }

    /// Takes out what does not fit, the oldest first: of the summaries of segments all before any message, while the one
    /// of a rolling summary, which stands for everything, goes last.
    pub(crate) fn cut(&mut self, room: u64, terms: &Terms<'_>) {
        let least = usize::from(terms.settings.policy != Policy::Segments);
        while self.tokens > room && self.summaries.len() > least {
            self.tokens -= self.summaries.remove(0).tokens;
            if let Some(first) = self.summaries.first_mut() {
                self.tokens -= first.tokens;
                Words::of(terms).head(first);
                self.tokens += first.tokens;
            }
        }
        while self.tokens > room && !self.raw.is_empty() {
            self.tokens -= self.raw.remove(0).tokens;
            self.left_out.messages += 1;
        }
        while self.tokens > room && !self.summaries.is_empty() {
            self.tokens -= self.summaries.remove(0).tokens;
        }
    }

    /// Gives every message the number of its turn.
    fn number(&mut self, overlay: &Overlay<'_>) {
        let mut number = None;
        for raw in &mut self.raw {
            let message = raw.message.borrow();
            if message.index == overlay.end() {
                number = Some(overlay.turns() + 1);
            } else if let Some(record) = overlay.over(message.index)
                && record.coverage.start == message.index
            {
                number = record.turns.map(|turns| turns.first);
            }
            raw.turn = number;
            if ends_turn(message) {
                number = number.map(|number| number + 1);
            }
        }
    }
}

impl<M: Borrow<Message>> Raw<M> {
    /// Sends the first 2,000 characters only (behaviour.md, Rolling), of a message that is nothing but text.
    fn shorten(&mut self, terms: &Terms<'_>) {
        let message = self.message.borrow();
        let text = |part: &Part| matches!(part, Part::Text { .. } | Part::Pasted { .. });
        let plain = message.parts.iter().all(text);
        if plain && chars_of(message) > REQUEST_CHARS as u64 {
            self.cut = Some(REQUEST_CHARS);
            self.tokens = (terms.text)(&self.text()) + MESSAGE_OVERHEAD;
        }
    }
}

fn raw_of<M: Borrow<Message>>(message: M, terms: &Terms<'_>) -> Raw<M> {
    let tokens = terms.tokens(message.borrow()) + MESSAGE_OVERHEAD;
    let mut raw = Raw { message, cut: None, tokens, turn: None };
    if is_strict_rolling(terms) && chars_of(raw.message.borrow()) > REQUEST_CHARS as u64 {
        raw.cut = Some(REQUEST_CHARS);
        raw.tokens = REQUEST_CHARS as u64 / 4 + MESSAGE_OVERHEAD;
    }
    raw
}

/// Kept facts as a model reads them; `None` for none.
pub fn kept_block<'a>(
    kept: impl IntoIterator<Item = &'a KeptFact>,
    language: &str,
) -> Option<String> {
    let kept = kept.into_iter().map(|it| (it.category, it.text.as_str()));
    let facts = ledger::block(kept, language);
    (!facts.is_empty()).then(|| Text::Kept.fill(language, &[("facts", &quote(&facts))]))
}

/// Tokens that a summary has at most where it is told.
pub(crate) fn most_tokens_told(record: &Record, terms: &Terms<'_>) -> u64 {
    let words = Words::of(terms);
    words.told(record, &HashSet::new()).tokens + words.heading_tokens()
}

/// Every text that a summary may have been sent as before these later ones, so that a sent one can be shown again.
pub fn tellings(record: &Record, later: &[Record]) -> impl Iterator<Item = String> {
    let later = later.iter().flat_map(|it| &it.receipt.kept).map(|fact| fact.text.as_str());
    let later: HashSet<&str> = later.collect();
    let policies = [Policy::Rolling, Policy::Segments, Policy::Running].into_iter();
    let ways = policies.flat_map(|policy| {
        let ways = [("en", false), ("ko", false), ("en", true), ("ko", true)];
        ways.map(|(language, strict)| Words::new(policy, language, strict, &estimate))
    });
    ways.flat_map(move |words| {
        let alone = words.told(record, &later);
        let mut first = alone.clone();
        words.head(&mut first);
        [alone.text, first.text]
    })
}

/// How summaries are told: in the words of the policy's design, under `strict` also in the design's language.
struct Words<'a> {
    policy: Policy,
    heading: Text,
    language: &'a str,
    strict: bool,
    count: &'a dyn Fn(&str) -> u64,
}

impl<'a> Words<'a> {
    fn of(terms: &Terms<'a>) -> Self {
        let settings = terms.settings;
        let of_seed = match settings.policy {
            Policy::Segments => Some("ko"),
            Policy::Running => None,
            _ => Some("en"),
        };
        let language = of_seed.filter(|_| settings.strict).unwrap_or(terms.language);
        Self::new(settings.policy, language, settings.strict, terms.text)
    }

    fn new(
        policy: Policy,
        language: &'a str,
        strict: bool,
        count: &'a dyn Fn(&str) -> u64,
    ) -> Self {
        let heading = match policy {
            Policy::Segments => Text::History,
            Policy::Running => Text::Line,
            _ => Text::Context,
        };
        Self { policy, heading, language, strict, count }
    }

    /// Summaries, oldest first: a fact that goes with several goes with the newest of them alone.
    fn told_once(&self, records: &[&Record]) -> Vec<Told> {
        let mut later = HashSet::new();
        let mut told: Vec<Told> = Vec::with_capacity(records.len());
        for record in records.iter().rev() {
            told.push(self.told(record, &later));
            later.extend(record.receipt.kept.iter().map(|fact| fact.text.as_str()));
        }
        told.reverse();
        told
    }

    /// A summary without the facts that go with later ones.
    fn told(&self, record: &Record, later: &HashSet<&str>) -> Told {
        let summary = quote(&record.summary);
        let text = match record.turns {
            Some(turns) if self.policy == Policy::Segments => {
                let (first, last) = (turns.first.to_string(), turns.last.to_string());
                let values = [("first", &*first), ("last", &last), ("summary", &summary)];
                Text::Turns.fill(self.language, &values)
            }
            _ => summary,
        };
        let kept = record.receipt.kept.iter().filter(|fact| !later.contains(&*fact.text));
        let text = match kept_block(kept, self.language) {
            Some(kept) if !self.strict => format!("{text}\n{kept}"),
            _ => text,
        };
        let tokens = (self.count)(&text) + MESSAGE_OVERHEAD;
        Told { record: record.id, version: record.version, turns: record.turns, text, tokens }
    }

    /// Tokens of the heading, at most.
    fn heading_tokens(&self) -> u64 {
        (self.count)(&self.heading.fill(self.language, &[])) + 1
    }

    /// Puts the heading of all in front of the first.
    fn head(&self, first: &mut Told) {
        first.text = self.heading.fill(self.language, &[("summary", &first.text)]);
        first.tokens = (self.count)(&first.text) + MESSAGE_OVERHEAD;
    }
}

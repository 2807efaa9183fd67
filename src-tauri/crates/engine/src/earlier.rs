//! What a request carries of the earlier conversation: summaries, whole messages, key sentences, and what is missing.
//!
//! One question for all policies, asked by whoever composes. The summary policies tell their records and send what
//! comes after them; the others choose among messages. Where messages would be neither told nor sent, key sentences of
//! them go instead (behaviour.md, Compaction). Under all of them but `strict` the newest exchanges
//! stand whole ([`Newest`](crate::summary::Newest)), and a summary is told only where that takes less than the messages it
//! stands for. Messages are read from the newest backwards, and little more of them than fits. Nothing of this is stored,
//! and nothing here asks a model.

mod wished;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::compaction::flow::{self, Situation, Step};
use crate::compaction::{
    Block, Overflow, Score, Selection, Worth, cost, most_worth, scores, window,
};
use crate::ids::{MessageId, TurnId};
use crate::message::{Message, Role};
use crate::section::{LeftOut, LeftOutWhy, id_of_message, id_of_summary};
use crate::summary::{
    Overlay, Policy, Raw, Record, Terms, Told, ends_turn, most_tokens_told, shape,
};
use crate::tokens::MESSAGE_OVERHEAD;
use crate::wish::Wishes;

pub use wished::{fitting, together, with_newest};

use wished::Wished;

/// Tokens that are read for their key sentences beyond what fits.
const KEY_TOKENS: u64 = 16_384;

/// Messages that importance chooses among; what older ones said is long past.
const CANDIDATES: usize = 512;

/// Messages of which is said what they were worth, though they do not go.
pub const PASSED: usize = 8;

/// The earlier part of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// Summaries, oldest first.
    pub summaries: Vec<Told>,
    /// Key sentences of messages that are neither summarised nor sent.
    pub extract: Option<Extract>,
    /// Messages in the order in which they are sent.
    pub raw: Vec<Raw<Arc<Message>>>,
    /// What the messages are worth that were chosen by that, and not because they are the newest.
    pub worth: HashMap<MessageId, Worth>,
    /// Messages that were worth too little, the best of them first, at most [`PASSED`]; they count in `left_out` too.
    pub passed: Vec<LeftOut>,
    /// The policy whose design is followed to the letter.
    pub strict: Option<Policy>,
    /// What the person wants the request without.
    pub unwanted: Vec<LeftOut>,
    /// How many messages are in none of these.
    pub left_out: u64,
    /// Tokens of those of them that were read.
    pub left_out_tokens: u64,
    /// How many messages summaries and key sentences stand for.
    pub told: u64,
    /// Tokens of those.
    pub told_tokens: u64,
    /// How many summaries had no room.
    pub untold: u64,
    /// Tokens of those.
    pub untold_tokens: u64,
    /// Tokens of the newest exchanges, which keep their room whatever else there is.
    pub newest_tokens: u64,
    /// Tokens that it takes less than all messages would; `None` where these would not fit.
    pub saved: Option<u64>,
}

/// Key sentences, chosen for one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The sentences.
    pub text: String,
    /// Their tokens in the request.
    pub tokens: u64,
    /// How many messages they are of.
    pub messages: u64,
    /// Index of the first of those.
    pub first: u64,
}

impl Extract {
    /// Whether they are of the message at this index.
    fn quotes(&self, index: u64) -> bool {
        (self.first..self.first + self.messages).contains(&index)
    }
}

impl Earlier {
    /// Whether a summary or a key sentence has a text word for word.
    pub fn says(&self, text: &str) -> bool {
        let extract = self.extract.iter().map(|it| &it.text);
        self.summaries.iter().map(|it| &it.text).chain(extract).any(|told| told.contains(text))
    }

    /// Says what was saved where messages are chosen that would fit beside others.
    fn bounded(self) -> Self {
        let quoted = self.extract.as_ref().map_or(0, |extract| extract.tokens);
        let saved = (self.left_out_tokens + self.told_tokens).saturating_sub(quoted);
        Self { saved: Some(saved), ..self }
    }
}

/// What the earlier part makes room for.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// What goes whatever happens, the question left out.
    pub fixed: &'a [Block],
    /// The question; `None` where a reply goes on.
    pub question: Option<&'a Message>,
    /// Tokens of the whole request.
    pub budget: u64,
    /// What the person wants of single sections.
    pub wishes: &'a Wishes,
    /// The messages that are pinned, by time, each with all that it cannot go without.
    pub pinned: &'a [Arc<Message>],
    /// The newest messages before the question that stand whole, by time and without a hole.
    pub newest: &'a [Arc<Message>],
    /// Key sentences of messages in at most so many tokens, as
    /// [`extractive`](crate::compaction::summarise::extractive) chooses them.
    pub extract: &'a dyn Fn(&[Message], u64) -> String,
}

/// Chooses the earlier part. `newest_first` are the messages before the question; the terms' own budget is not looked
/// at. Fails when what has to go is too large by itself, and names the largest of it.
pub fn earlier(
    overlay: &Overlay<'_>,
    newest_first: impl Iterator<Item = Arc<Message>>,
    beside: Beside<'_>,
    terms: &Terms<'_>,
) -> Result<Earlier, Overflow> {
    let room = room(&beside)?;
    let wished = Wished::of(&beside, room);
    let room = room - wished.tokens();
    let newest_first = newest_first.map(|message| wished.weighed(message));
    let question = beside.question;
    let (text, extract) = (terms.text, beside.extract);
    let path = Path {
        newest_first,
        read: Vec::new(),
        tokens: 0,
        text,
        extract,
        question,
        room,
        first: 0,
        wishes: &wished,
    };
    let overlay = overlay.clone().under(beside.wishes);
    let overlay = overlay.opening(|record| {
        let chosen = record.edited || beside.wishes.pins(&id_of_summary(record.id));
        !terms.settings.strict && !is_shorter(record, beside.newest, chosen, terms)
    });
    let (chosen, end) = path.under_policy(&overlay, terms)?;
    let mut earlier = wished.carry_out(chosen, &overlay, end);
    earlier.strict = Some(terms.settings.policy).filter(|_| terms.settings.strict);
    beside.newest.iter().for_each(|message| _ = earlier.worth.remove(&message.id));
    let stands: HashSet<String> = beside.newest.iter().map(|it| id_of_message(it.id)).collect();
    let unwanted = |id: &str| beside.wishes.leaves_out(id) || stands.contains(id);
    earlier.passed.retain(|it| !it.id.as_deref().is_some_and(unwanted));
    earlier.newest_tokens = beside.newest.iter().map(|message| cost(message)).sum();
    number(&mut earlier.raw, beside.newest, &overlay);
    Ok(earlier)
}

/// What of the messages was not chosen, the most worth first; the question goes in any case.
fn passed(
    messages: &[Message],
    scores: &[Score],
    sent: &[Raw<Arc<Message>>],
    asked: Option<MessageId>,
) -> Vec<LeftOut> {
    let sent: HashSet<MessageId> = sent.iter().map(|raw| raw.message.id).chain(asked).collect();
    let mut left: Vec<(&Message, Worth)> = messages
        .iter()
        .zip(scores.iter().map(Score::worth))
        .filter(|(message, _)| !sent.contains(&message.id))
        .collect();
    left.sort_by_key(|(message, worth)| Reverse((worth.sum(), message.index)));
    left.truncate(PASSED);
    let said = left.into_iter().map(|(message, worth)| LeftOut {
        worth: Some(worth),
        ..LeftOut::of(id_of_message(message.id), "conversation", cost(message), LeftOutWhy::NoRoom)
    });
    said.collect()
}

/// Whether a summary takes less than those of its messages that do not stand whole anyway. One that the person wrote or
/// pinned is their choice where none of its messages do.
fn is_shorter(record: &Record, newest: &[Arc<Message>], chosen: bool, terms: &Terms<'_>) -> bool {
    let covered = covered_anew(record, newest);
    (chosen && covered == covered_by(record)) || most_tokens_told(record, terms) < covered
}

/// Tokens that the messages of a record would take.
fn covered_by(record: &Record) -> u64 {
    record.covered_token_count + record.coverage.count * MESSAGE_OVERHEAD
}

/// The same without those that stand whole.
fn covered_anew(record: &Record, newest: &[Arc<Message>]) -> u64 {
    let places = record.coverage.start..record.coverage.end();
    let whole = newest.iter().filter(|message| places.contains(&message.index));
    covered_by(record).saturating_sub(whole.map(|message| cost(message)).sum())
}

/// Gives the newest messages that a summary stands for as well the numbers of their turns, counted back from its end.
fn number(raw: &mut [Raw<Arc<Message>>], newest: &[Arc<Message>], overlay: &Overlay<'_>) {
    let (end, turns) = (overlay.end(), overlay.turns());
    let told = newest.iter().filter(|message| message.index < end);
    let mut ended = 0;
    for message in told.rev() {
        ended += u32::from(ends_turn(message));
        let number = (turns + 1).checked_sub(ended).filter(|number| turns > 0 && *number > 0);
        let there = raw.iter_mut().find(|raw| raw.message.id == message.id && raw.turn.is_none());
        if let Some(raw) = there {
            raw.turn = number;
        }
    }
}

/// A result behind the message that called for it, whatever order a strategy chose: no format sends it elsewhere.
fn behind_their_calls(raw: Vec<Raw<Arc<Message>>>) -> Vec<Raw<Arc<Message>>> {
    let mut by_turn: HashMap<Option<TurnId>, Vec<Arc<Message>>> = HashMap::new();
    for Raw { message, .. } in raw.iter().filter(|raw| raw.message.role == Role::Assistant) {
        by_turn.entry(message.turn_id).or_default().push(message.clone());
    }
    let caller_of = |result: &Message| {
        let said = by_turn.get(&result.turn_id).filter(|_| result.role == Role::Tool);
        let calls = said.into_iter().flatten().filter(|by| by.calls_for(result));
        calls.max_by_key(|by| by.index).map(|by| by.id)
    };
    let mut results: HashMap<MessageId, Vec<Raw<Arc<Message>>>> = HashMap::new();
    let mut others = Vec::with_capacity(raw.len());
    for one in raw {
        match caller_of(&one.message) {
            Some(caller) => results.entry(caller).or_default().push(one),
            None => others.push(one),
        }
    }
    let with_results = |other: Raw<Arc<Message>>| {
        let mut its = results.remove(&other.message.id).unwrap_or_default();
        its.sort_by_key(|result| result.message.index);
        std::iter::once(other).chain(its)
    };
    others.into_iter().flat_map(with_results).collect()
}

/// What is left for the earlier part.
fn room(beside: &Beside<'_>) -> Result<u64, Overflow> {
    let question = beside.question.map(|question| Block {
        source: "composer".to_owned(),
        message: Some(question.id),
        tokens: cost(question),
    });
    let fixed: Vec<Block> = beside.fixed.iter().cloned().chain(question).collect();
    let situation = Situation {
        budget: beside.budget,
        fixed: &fixed,
        messages: &[],
        summary: flow::Summary::Unavailable,
    };
    match flow::next(&situation) {
        Step::Refuse(overflow) => Err(overflow),
        _ => Ok(beside.budget - fixed.iter().map(|block| block.tokens).sum::<u64>()),
    }
}

/// The messages before the question, and those of them that were read.
struct Path<'a, I> {
    newest_first: I,
    /// Newest first.
    read: Vec<Arc<Message>>,
    /// What those cost.
    tokens: u64,
    /// Tokens of a text.
    text: &'a dyn Fn(&str) -> u64,
    extract: &'a dyn Fn(&[Message], u64) -> String,
    question: Option<&'a Message>,
    room: u64,
    /// Place of the first message that no summary stands for.
    first: u64,
    wishes: &'a Wished<'a>,
}

impl<I: Iterator<Item = Arc<Message>>> Iterator for Path<'_, I> {
    type Item = Arc<Message>;

    fn next(&mut self) -> Option<Arc<Message>> {
        let message = self.newest_first.next()?;
        self.tokens += cost(&message);
        self.read.push(message.clone());
        Some(message)
    }
}

impl<I: Iterator<Item = Arc<Message>>> Path<'_, I> {
    /// What the policy chooses, and where the messages begin that no summary stands for.
    fn under_policy(
        mut self,
        overlay: &Overlay<'_>,
        terms: &Terms<'_>,
    ) -> Result<(Earlier, u64), Overflow> {
        let (settings, room) = (terms.settings, self.room);
        let strict = settings.strict;
        let chosen = match settings.policy {
            _ if !settings.enabled => {
                self.read_while(|path| path.read.is_empty());
                Ok(Earlier { left_out: self.length(), ..Earlier::default() })
            }
            Policy::Rolling | Policy::Segments | Policy::Running => {
                let newest = self.wishes.newest();
                let told = self.told(overlay, newest, &Terms { budget: room, ..*terms });
                let unwanted = wished::summaries(overlay, terms);
                return Ok((Earlier { unwanted, ..told }, overlay.end()));
            }
            Policy::Importance => {
                self.read_while(|path| strict || path.read.len() < CANDIDATES);
                let draft = self.question.map(Message::text).unwrap_or_default();
                let messages = self.messages();
                let scores = scores(&messages, &draft, strict);
                let worth = messages.iter().map(|message| message.id);
                let asked = self.question.map(|question| question.id);
                let worth = worth.zip(scores.iter().map(|score| score.worth())).collect();
                let chosen =
                    self.chosen(|messages, room| most_worth(messages, &scores, room, strict));
                chosen.map(|chosen| {
                    let passed = passed(&messages, &scores, &chosen.raw, asked);
                    Earlier { worth, passed, ..chosen.bounded() }
                })
            }
            Policy::Summarise => {
                self.read_while(|path| path.tokens <= room + KEY_TOKENS);
                self.condensed().map(Earlier::bounded)
            }
            Policy::Window if strict => {
                self.read_while(|_| true);
                self.chosen(|messages, room| window(messages, room, true))
            }
            Policy::Window | Policy::None => {
                self.read_while(|path| path.tokens <= room);
                self.chosen(|messages, room| window(messages, room, false))
            }
        };
        chosen.map(|chosen| (chosen, 0))
    }

    fn read_while(&mut self, wanted: impl Fn(&Self) -> bool) {
        while wanted(self) && self.next().is_some() {}
    }

    /// Messages before the question, once one is read.
    fn length(&self) -> u64 {
        self.read.first().map_or(0, |newest| newest.index + 1)
    }

    /// Summaries and the messages after them; where messages are in neither, their key sentences if that helps.
    fn told(
        mut self,
        overlay: &Overlay<'_>,
        newest: &[Arc<Message>],
        terms: &Terms<'_>,
    ) -> Earlier {
        let mut shape = shape(overlay, self.by_ref(), terms);
        // The designs know no window: what they would send beyond it is cut.
        shape.cut(self.room, terms);
        let gap = shape.left_out.messages > 0 && !terms.settings.strict;
        let told = shape.summaries.iter().map(|told| told.tokens).sum::<u64>();
        let sent: u64 = shape.raw.iter().map(|raw| raw.tokens).sum();
        let is_sent = |record: &Record| shape.summaries.iter().any(|it| it.record == record.id);
        let (stands, untold): (Vec<_>, Vec<_>) = overlay.folded().partition(|it| is_sent(it));
        let plain = Earlier {
            told: stands.iter().map(|record| record.coverage.count).sum(),
            told_tokens: stands.iter().map(|record| record.covered_token_count).sum(),
            untold: untold.len() as u64,
            untold_tokens: untold.iter().map(|record| (terms.text)(&record.summary)).sum(),
            newest_tokens: 0,
            saved: (shape.left_out.messages == 0 && untold.is_empty()).then(|| {
                let covered = stands.iter().map(|record| covered_anew(record, newest));
                covered.sum::<u64>().saturating_sub(told)
            }),
            strict: None,
            worth: HashMap::new(),
            passed: Vec::new(),
            unwanted: Vec::new(),
            summaries: shape.summaries,
            extract: None,
            raw: shape.raw,
            left_out: shape.left_out.messages,
            left_out_tokens: 0,
        };
        let end = overlay.end();
        if !gap || overlay.first_raw() < end {
            return Earlier { left_out_tokens: self.tokens.saturating_sub(sent), ..plain };
        }
        if terms.settings.policy == Policy::Running && terms.newest.due.is_none() {
            self.room = self.room.min(terms.settings.token_limit);
        }
        self.room = self.room.saturating_sub(told);
        self.read_while(|path| {
            path.tokens <= path.room + KEY_TOKENS
                && path.read.last().is_some_and(|oldest| oldest.index > end)
        });
        self.first = end;
        self.read.retain(|message| message.index >= end);
        self.tokens = self.read.iter().map(|message| cost(message)).sum();
        match self.condensed() {
            Ok(rest) if rest.extract.is_some() => Earlier {
                saved: None,
                raw: rest.raw,
                extract: rest.extract,
                left_out: rest.left_out,
                left_out_tokens: rest.left_out_tokens,
                told: plain.told + rest.told,
                told_tokens: plain.told_tokens + rest.told_tokens,
                ..plain
            },
            _ => Earlier { left_out_tokens: self.tokens.saturating_sub(sent), ..plain },
        }
    }

    /// What a strategy chooses among the messages and the question.
    fn chosen(
        self,
        choose: impl Fn(&[Message], u64) -> Result<Selection, Overflow>,
    ) -> Result<Earlier, Overflow> {
        let messages = self.messages();
        let room = self.room + self.question.map_or(0, cost);
        let mut kept = choose(&messages, room)?.kept;
        if kept.iter().map(|place| cost(&messages[*place])).sum::<u64>() > room {
            // As the design writes it, it does not fit.
            kept = window(&messages, room, false)?.kept;
        }
        Ok(self.sending(&kept, 0, None))
    }

    /// The newest messages beside key sentences of those before them.
    fn condensed(&self) -> Result<Earlier, Overflow> {
        let messages = self.messages();
        let budget = self.room + self.question.map_or(0, cost);
        let mut extract = None;
        let mut summary = flow::Summary::Untried;
        loop {
            match flow::next(&Situation { budget, fixed: &[], messages: &messages, summary }) {
                Step::Refuse(overflow) => return Err(overflow),
                Step::Send { selection, with_summary } => {
                    let extract = extract.filter(|_| with_summary);
                    let covered = extract.as_ref().map_or(0, |(_, tokens)| *tokens);
                    return Ok(self.sending(&selection.kept, covered, extract.map(|it| it.0)));
                }
                Step::Summarise { .. } if !self.wishes.may_quote() => {
                    summary = flow::Summary::Unavailable;
                }
                Step::Summarise { covers, limit, .. } => {
                    let limit = limit.saturating_sub(MESSAGE_OVERHEAD);
                    let text = (self.extract)(&messages[..covers], limit);
                    let tokens = (self.text)(&text) + MESSAGE_OVERHEAD;
                    summary = match text.is_empty() {
                        true => flow::Summary::Unavailable,
                        false => flow::Summary::Made { covers, tokens },
                    };
                    let covered = messages[..covers].iter().map(cost).sum::<u64>();
                    let (first, messages) = (messages[0].index, covers as u64);
                    extract = Some((Extract { text, tokens, messages, first }, covered));
                }
            }
        }
    }

    /// What was read, oldest first, and the question.
    fn messages(&self) -> Vec<Message> {
        let read = self.read.iter().rev().map(|message| Message::clone(message));
        read.chain(self.question.cloned()).collect()
    }

    /// The messages at these places, the question left out.
    fn sending(&self, kept: &[usize], covered: u64, extract: Option<Extract>) -> Earlier {
        let at = |place: &usize| self.read.len().checked_sub(place + 1).map(|at| &self.read[at]);
        let raw: Vec<Raw<Arc<Message>>> = kept
            .iter()
            .filter_map(at)
            .map(|message| Raw {
                tokens: cost(message),
                message: message.clone(),
                cut: None,
                turn: None,
            })
            .collect();
        let raw = behind_their_calls(raw);
        let sent = raw.iter().map(|raw| raw.tokens).sum::<u64>();
        let told = extract.as_ref().map_or(0, |extract| extract.messages);
        Earlier {
            left_out: self.length() - self.first - raw.len() as u64 - told,
            left_out_tokens: self.tokens.saturating_sub(sent + covered),
            told,
            told_tokens: covered,
            raw,
            extract,
            ..Earlier::default()
        }
    }
}

#[cfg(test)]
mod tests;

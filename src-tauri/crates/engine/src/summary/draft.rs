//! A summary that is being made: what is asked, and what becomes of the answers.
//!
//! What a summariser reads is put together at once, so the draft holds on to no message. Material that is longer than
//! the model reads at once is asked for in parts first (map), and the summary is made of the notes (reduce).

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::due::Terms;
use super::material::{self, Piece};
use super::overlay::Overlay;
use super::quote::quote;
use super::receipt::{self, Receipt, SummaryLine};
use super::record::{Coverage, Record, Status, TurnSpan};
use super::settings::{Policy, Rate};
use super::text::{Text, chars_of, cut, fit};
use super::turns::turns;
use crate::density::Sentence;
use crate::ids::{ConversationId, SummaryId};
use crate::message::{Message, Role};
use crate::prose::{ACT, Material, Weight};
use crate::provider::OFFLINE;
use crate::tokens::estimate;
use crate::turn::{TurnFault, Usage};

/// The fault of a summary that helps nobody.
pub(super) const NOT_SHORTER: &str = "not_shorter";

/// The fault of a summary that says nothing.
const EMPTY: &str = "empty";

/// Most tokens of an answer (behaviour.md, Rolling); a longer target gets more.
const MAX_TOKENS: u64 = 1_024;

/// Most tokens of an answer, whatever the target.
const MOST_TOKENS: u64 = 8_192;

/// Characters of an extractive summary that has no target of its own: what 500 words are.
const EXTRACT_CHARS: (u64, u64) = (1_500, 3_000);

/// Characters an extractive summary may have, however short what it stands for.
const LEAST_EXTRACT: u64 = 20;

/// Weight, in an extract, of what counts more than the rest.
const DOUBLE: f64 = 2.0;

/// Least tokens of material a summariser is trusted to read at once.
const LEAST_ROOM: u64 = 2_000;

/// What to ask a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The one message of the request.
    pub prompt: String,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// When to give up.
    pub timeout: Duration,
    /// What the answer is to be, as a JSON schema, where a provider can see to it.
    pub schema: Option<Value>,
}

/// Who wrote an answer, and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The model.
    pub model: String,
    /// Tokens, over all parts.
    pub usage: Option<Usage>,
    /// Billionths of a US dollar, when the price is known.
    pub cost: Option<u64>,
    /// Whether the answer ended before the model was done.
    pub cut: bool,
}

/// How long a summary becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// As the prompt says.
    Words,
    /// About so many characters.
    Near(u64),
    /// So many characters and no more.
    Within(u64),
}

/// What a draft is made of.
pub(super) struct Plan<'a> {
    pub(super) policy: Policy,
    /// The summaries it continues or merges.
    pub(super) previous: &'a [&'a Record],
    /// The messages it reads.
    pub(super) messages: &'a [Message],
    /// Index of the first of them on the path.
    pub(super) first_index: u64,
    /// Completed turns before them.
    pub(super) turns_before: u32,
    pub(super) prompt: Text,
    /// Characters of a message that are read.
    pub(super) message_limit: Option<usize>,
    /// Derives the length from the number of original characters.
    pub(super) length: &'a dyn Fn(u64) -> Length,
}

/// A summary in progress. Its record is stored before anything is asked, so a second one cannot start.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The record, in progress.
    pub record: Record,
    /// The summaries that held when the draft was made; if others hold at the end, it fails as `superseded`.
    pub basis: Vec<SummaryId>,
    prompt: Text,
    language: String,
    previous: Vec<Piece>,
    lines: Vec<Piece>,
    /// What sentences are chosen from where no model can be asked.
    prose: Material<material::Of>,
    length: Length,
    timeout: Duration,
    /// The designs know no receipts, and keep a summary that is longer than what it stands for.
    strict: bool,
    /// What goes with the summary in any case, once an answer was of no use.
    refused: Option<String>,
    room: u64,
    parts: VecDeque<String>,
    part_count: usize,
    notes: Vec<String>,
    /// Whether a note ended before the model was done.
    note_cut: bool,
}

impl Draft {
    pub(super) fn new(
        plan: &Plan<'_>,
        overlay: &Overlay<'_>,
        terms: &Terms<'_>,
        now: Timestamp,
    ) -> Option<Self> {
        let record = record_of(plan, overlay, terms, now)?;
        let cites = !terms.settings.strict;
        let previous = material::summaries(plan.previous, cites);
        let mut draft = Self {
            basis: overlay.records().iter().map(|record| record.id).collect(),
            prompt: plan.prompt,
            language: terms.language.to_owned(),
            prose: material::prose(&previous, plan.messages, terms.language),
            lines: material::messages(plan.messages, plan.message_limit, cites),
            previous,
            length: (plan.length)(record.original_chars),
            timeout: Duration::from_secs(terms.settings.timeout_s.into()),
            strict: terms.settings.strict,
            refused: None,
            room: terms.room.max(LEAST_ROOM),
            parts: VecDeque::new(),
            part_count: 0,
            notes: Vec::new(),
            note_cut: false,
            record,
        };
        draft.part();
        Some(draft)
    }

    /// A candidate for the same messages with another rate, or once more after a failure.
    pub fn again(
        record: &Record,
        messages: &[Message],
        rate: Rate,
        overlay: &Overlay<'_>,
        terms: &Terms<'_>,
        now: Timestamp,
    ) -> Option<Self> {
        let length = |original| match record.policy {
            // Merging applies the rate once more for every level.
            Policy::Segments => {
                Length::Near((0..record.level).fold(original, |chars, _| rate.target(chars)))
            }
            Policy::Running => Length::Within(super::running::limit(terms.language)),
            _ => Length::Words,
        };
        let plan = Plan {
            policy: record.policy,
            previous: &[],
            messages,
            first_index: record.coverage.start,
            turns_before: record.turns.map_or(0, |turns| turns.first.saturating_sub(1)),
            prompt: match record.policy {
                Policy::Segments => Text::Segment,
                Policy::Running => Text::RunningFirst,
                _ => Text::First,
            },
            message_limit: (record.policy == Policy::Rolling)
                .then_some(super::rolling::PROMPT_CHARS),
            length: &length,
        };
        let mut draft = Self::new(&plan, overlay, terms, now)?;
        draft.record.level = record.level;
        draft.record.version =
            overlay.next_version(record.policy, record.level, record.coverage.start);
        draft.record.compression_rate = rate;
        Some(draft)
    }

    /// Parts the material if it is too long to be read at once.
    fn part(&mut self) {
        let whole: u64 = self.lines.iter().map(|line| estimate(&line.labelled())).sum();
        if whole + estimate(&material::texts(&self.previous)) <= self.room {
            return;
        }
        let mut used = 0;
        for line in &self.lines {
            for (index, piece) in pieces(&line.labelled(), self.room).into_iter().enumerate() {
                // What goes on in the middle of a line must not read like the beginning of one.
                let piece = if index > 0 { &format!("…{piece}") } else { piece };
                let tokens = estimate(piece);
                match self.parts.back_mut().filter(|_| used + tokens <= self.room) {
                    Some(part) => {
                        part.push('\n');
                        part.push_str(piece);
                        used += tokens;
                    }
                    None => {
                        self.parts.push_back(piece.to_owned());
                        used = tokens;
                    }
                }
            }
        }
        self.part_count = self.parts.len();
    }

    /// Parts that must be asked for and [heard](Self::hear) before the summary itself.
    pub fn parts_left(&self) -> usize {
        self.parts.len()
    }

    /// What to ask next: for a part while some are left, then for the summary.
    pub fn ask(&self) -> Ask {
        if let Some(part) = self.parts.front() {
            let number = (self.part_count - self.parts.len() + 1).to_string();
            let (parts, marks) = (self.part_count.to_string(), self.marks());
            let values =
                [("part", &*number), ("parts", &parts), ("messages", part), ("marks", &marks)];
            return self.asked(Text::Part.fill(&self.language, &values), MAX_TOKENS);
        }
        let (Length::Near(chars) | Length::Within(chars)) = self.length else {
            return self.asked(self.filled(""), MAX_TOKENS);
        };
        let tokens = chars.clamp(MAX_TOKENS, MOST_TOKENS);
        self.asked(self.filled(&chars.to_string()), tokens)
    }

    fn asked(&self, prompt: String, max_tokens: u64) -> Ask {
        let max_tokens = u32::try_from(max_tokens).unwrap_or(u32::MAX);
        // A model whose answer to a schema was refused is asked again in plain words.
        let lines = !self.strict && self.parts.is_empty() && self.refused.is_none();
        let schema = lines.then(receipt::schema);
        Ask { prompt, max_tokens, timeout: self.timeout, schema }
    }

    fn filled(&self, chars: &str) -> String {
        let previous: Vec<String> = self.previous.iter().map(Piece::labelled).collect();
        let previous = previous.join("\n");
        let values = [
            ("previous", &*previous),
            ("summaries", &*previous),
            ("messages", &*self.material()),
            ("target", chars),
            ("limit", chars),
            ("marks", &*self.marks()),
        ];
        let asked = self.prompt.fill(&self.language, &values);
        let Some(facts) = &self.refused else { return asked };
        let again = Text::Again.fill(&self.language, &[("facts", &quote(facts))]);
        format!("{asked}\n\n{again}")
    }

    /// How lines are cited; nothing where they are not.
    fn marks(&self) -> String {
        let marks = || format!(" {}", Text::Marks.fill(&self.language, &[]));
        if self.strict { String::new() } else { marks() }
    }

    /// The language of the summary.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Whether what was made of an answer is of no use, or ends before the model was done, so that it is worth asking
    /// once more; `facts` is what goes with the summary in any case.
    pub fn refuse(&mut self, record: &Record, facts: &str) -> bool {
        let fault = record.fault.as_ref();
        let of_no_use = fault.is_some_and(|it| it.code == EMPTY || it.code == NOT_SHORTER);
        let again = !self.strict
            && self.refused.is_none()
            && (of_no_use || (record.receipt.cut && !self.note_cut));
        if again {
            self.refused = Some(facts.to_owned());
        }
        again
    }

    /// The messages, or the notes on their parts.
    fn material(&self) -> String {
        if self.notes.is_empty() {
            let lines: Vec<String> = self.lines.iter().map(Piece::labelled).collect();
            return lines.join("\n");
        }
        let share = self.room / self.notes.len() as u64;
        let notes: Vec<String> =
            self.notes.iter().map(|note| quote(first_tokens(note, share.max(1)))).collect();
        notes.join("\n")
    }

    /// What is told of an answer: of one that was cut, what is whole. The designs tell all of it.
    fn told<'a>(&self, answer: &'a str, cut: bool) -> &'a str {
        if cut && !self.strict { receipt::whole(answer) } else { answer.trim() }
    }

    /// Takes the answer to a part; `cut` where it ended before the model was done.
    pub fn hear(&mut self, answer: &str, cut: bool) {
        if self.parts.pop_front().is_some() {
            self.notes.push(self.told(answer, cut).to_owned());
            self.note_cut |= cut;
        }
    }

    /// The record with the answer as its summary; failed when the answer is of no use.
    pub fn finish(self, answer: &str, mut written: Written, now: Timestamp) -> Record {
        let pieces = self.previous.iter().chain(&self.lines);
        let answer = self.told(answer, written.cut);
        let lines = match self.strict {
            true => vec![SummaryLine::resting_on_all(answer)],
            false => receipt::parse(answer, &material::marks(pieces)),
        };
        written.cut |= self.note_cut;
        self.made_of(lines, written, now)
    }

    fn made_of(self, lines: Vec<SummaryLine>, written: Written, now: Timestamp) -> Record {
        let Self { record, length, previous, strict, .. } = self;
        let text = receipt::joined(&lines);
        let text = match length {
            Length::Within(chars) => fit(&text, usize::try_from(chars).unwrap_or(usize::MAX)),
            _ => text.trim(),
        };
        let chars = text.chars().count() as u64;
        let lines = if strict { Vec::new() } else { receipt::within(lines, text) };
        let record = Record {
            model: Some(written.model),
            usage: written.usage,
            cost: written.cost,
            ..record
        };
        if text.is_empty() {
            return record.failed(fault(EMPTY, "the model answered nothing"), now);
        }
        if !strict && chars >= record.original_chars {
            return record.failed(fault(NOT_SHORTER, "longer than what it covers"), now);
        }
        let before = material::texts(&previous).chars().count() as u64;
        if record.level > 1 && !previous.is_empty() && chars >= before {
            return record.failed(fault(NOT_SHORTER, "merging made the text no shorter"), now);
        }
        Record {
            status: Status::Completed,
            summary: text.to_owned(),
            summary_chars: chars,
            receipt: Receipt { lines, cut: written.cut, ..record.receipt },
            finished_at: Some(now),
            ..record
        }
    }

    /// The record with sentences of the material as its summary, for when no model can be asked.
    pub fn extract(self, now: Timestamp) -> Record {
        let limit = match self.length {
            Length::Near(chars) | Length::Within(chars) => chars,
            Length::Words if self.language == "ko" => EXTRACT_CHARS.0,
            Length::Words => EXTRACT_CHARS.1,
        };
        // All sentences of a short text would be no summary of it.
        let limit = limit.min(self.record.original_chars / 2).max(LEAST_EXTRACT);
        let pieces: Vec<&Piece> = self.previous.iter().chain(&self.lines).collect();
        let weights: Vec<Weight> =
            pieces.iter().map(|piece| Weight::of(piece.role, &piece.text)).collect();
        let running = self.record.policy == Policy::Running;
        let weight = |of: material::Of, said: &Sentence<'_>| match pieces[of.piece].role {
            // behaviour.md, Running: what the assistant said weighs double.
            Some(Role::Assistant) if running => DOUBLE,
            _ if running || self.strict => 1.0,
            _ if of.act => ACT,
            _ => weights[of.piece].of_sentence(said),
        };
        let chosen = self.prose.choose(limit, weight, |text| text.chars().count() as u64);
        // Every line is its own source.
        let line = |(text, of): (String, material::Of)| {
            SummaryLine::citing(&text, pieces[of.piece].sources.clone())
        };
        let mut lines: Vec<SummaryLine> = chosen.into_iter().map(line).collect();
        if lines.is_empty() {
            // No sentence is short enough: the beginning says more than nothing.
            let text = self.prose.beginning(usize::try_from(limit).unwrap_or(usize::MAX));
            lines = vec![SummaryLine::resting_on_all(&text)];
        }
        self.made_of(lines, Written { model: OFFLINE.to_owned(), ..Written::default() }, now)
    }

    /// The record of an attempt that failed, with why.
    pub fn fail(self, code: &str, message: &str, now: Timestamp) -> Record {
        self.record.failed(fault(code, message), now)
    }
}

fn fault(code: &str, message: &str) -> TurnFault {
    TurnFault { code: code.to_owned(), message: message.to_owned() }
}

/// The beginning of a text that has at most so many tokens.
pub fn first_tokens(text: &str, tokens: u64) -> &str {
    pieces(text, tokens).first().copied().unwrap_or_default()
}

/// A text in pieces of at most so many tokens, parted at line ends where there are some.
fn pieces(text: &str, tokens: u64) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // A token has at least one character, save for characters that are several tokens.
        let mut chars = usize::try_from(tokens.saturating_mul(6)).unwrap_or(usize::MAX).max(1);
        while chars > 1 && estimate(cut(rest, chars)) > tokens {
            chars = chars * 3 / 4;
        }
        let piece = cut(rest, chars);
        let end = match piece.rfind('\n').filter(|at| at * 2 > piece.len()) {
            Some(at) if piece.len() < rest.len() => at + 1,
            _ => piece.len(),
        };
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

fn record_of(
    plan: &Plan<'_>,
    overlay: &Overlay<'_>,
    terms: &Terms<'_>,
    now: Timestamp,
) -> Option<Record> {
    let (first, last) = (plan.previous.first(), plan.messages.last());
    let start = first.map_or(plan.first_index, |record| record.coverage.start);
    let end = match plan.previous.last() {
        Some(record) if plan.messages.is_empty() => record.coverage.end(),
        _ => plan.first_index + plan.messages.len() as u64,
    };
    let last =
        last.map(|message| message.id).or(plan.previous.last().map(|it| it.coverage.last))?;
    let conversation_id = conversation_of(plan)?;
    let completed = turns(plan.messages, plan.turns_before);
    let numbers = completed.iter().filter_map(|turn| turn.number);
    let spans = plan.previous.iter().filter_map(|record| record.turns);
    let numbers: Vec<u32> = spans.flat_map(|span| [span.first, span.last]).chain(numbers).collect();
    let turns = numbers.first().zip(numbers.last());
    let level = match plan.prompt {
        Text::Merge => plan.previous.iter().map(|record| record.level).max().unwrap_or(0) + 1,
        _ => 1,
    };
    let sum = |of_record: fn(&Record) -> u64, of_message: &dyn Fn(&Message) -> u64| {
        plan.previous.iter().map(|record| of_record(record)).sum::<u64>()
            + plan.messages.iter().map(of_message).sum::<u64>()
    };
    Some(Record {
        id: SummaryId::new(now),
        conversation_id,
        policy: plan.policy,
        level,
        version: overlay.next_version(plan.policy, level, start),
        status: Status::InProgress,
        coverage: Coverage { start, count: end - start, last },
        covered_token_count: sum(|it| it.covered_token_count, &|message| terms.tokens(message)),
        turns: turns.map(|(first, last)| TurnSpan { first: *first, last: *last }),
        original_chars: sum(|it| it.original_chars, &chars_of),
        summary_chars: 0,
        compression_rate: terms.settings.rate,
        summary: String::new(),
        model: None,
        usage: None,
        cost: None,
        edited: false,
        fault: None,
        unfolded_at: None,
        receipt: Receipt::default(),
        created_at: now,
        finished_at: None,
    })
}

fn conversation_of(plan: &Plan<'_>) -> Option<ConversationId> {
    let of_message = plan.messages.first().map(|message| message.conversation_id);
    of_message.or(plan.previous.first().map(|record| record.conversation_id))
}

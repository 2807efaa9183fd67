//! Summaries in the JSON form: what they say, and the messages they stand for by number and by the last one's id. Only
//! those that were made are written; what they took stays with the conversation that paid for it.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Draft, MAX_TEXT, part_tokens};
use crate::ids::{MessageId, SummaryId};
use crate::message::{Message, words_of};
use crate::summary::{Coverage, Policy, Rate, Receipt, Record, Status, TurnSpan};

/// Highest level and version that are taken over.
const HIGHEST: u32 = 1_000_000;

/// A summary as it is written.
#[derive(Serialize, Deserialize)]
pub(super) struct Told {
    policy: Policy,
    level: u32,
    version: u32,
    start: u64,
    count: u64,
    pub(super) last: String,
    covered_token_count: u64,
    original_chars: u64,
    turns: Option<TurnSpan>,
    compression_rate: Rate,
    summary: String,
    model: Option<String>,
    #[serde(default)]
    edited: bool,
    unfolded_at: Option<Timestamp>,
    created_at: Timestamp,
    finished_at: Option<Timestamp>,
    #[serde(default)]
    receipt: Receipt,
    /// Places of the messages that the receipt names.
    #[serde(skip)]
    cited: HashMap<MessageId, usize>,
}

impl Told {
    /// The summary, if it was made.
    pub(super) fn of(record: &Record) -> Option<Self> {
        record.is_completed().then(|| Self {
            policy: record.policy,
            level: record.level,
            version: record.version,
            start: record.coverage.start,
            count: record.coverage.count,
            last: record.coverage.last.to_string(),
            covered_token_count: record.covered_token_count,
            original_chars: record.original_chars,
            turns: record.turns,
            compression_rate: record.compression_rate,
            summary: record.summary.clone(),
            model: record.model.clone(),
            edited: record.edited,
            unfolded_at: record.unfolded_at,
            created_at: record.created_at,
            finished_at: record.finished_at,
            receipt: record.receipt.clone(),
            cited: HashMap::new(),
        })
    }

    /// What another agent put in the place of these messages, the first of their path to the last.
    pub(super) fn of_another(
        summary: String,
        version: u32,
        covered: &[&Draft],
        at: Option<Timestamp>,
    ) -> Self {
        let parts = || covered.iter().flat_map(|draft| &draft.parts);
        let at = at.unwrap_or(Timestamp::UNIX_EPOCH);
        Self {
            policy: Policy::Rolling,
            level: 1,
            version,
            start: 0,
            count: covered.len() as u64,
            last: String::new(),
            covered_token_count: parts().map(part_tokens).sum(),
            original_chars: covered
                .iter()
                .map(|draft| words_of(&draft.parts).chars().count() as u64)
                .sum(),
            turns: None,
            compression_rate: Rate::default(),
            summary,
            model: None,
            edited: false,
            unfolded_at: None,
            created_at: at,
            finished_at: Some(at),
            receipt: Receipt::default(),
            cited: HashMap::new(),
        }
    }

    /// Finds the messages that the receipt names.
    pub(super) fn place(&mut self, places: &HashMap<String, usize>) {
        let cited = self.receipt.messages().collect::<Vec<_>>().into_iter();
        self.cited = cited.filter_map(|id| Some((id, *places.get(&id.to_string())?))).collect();
    }

    /// The record of the conversation whose message at `place` is its last; `None` when it cannot stand for messages up
    /// to there.
    pub(super) fn record(
        self,
        messages: &[Message],
        place: usize,
        now: Timestamp,
    ) -> Option<Record> {
        let last = messages.get(place)?;
        let carried = |id: MessageId| Some(messages.get(*self.cited.get(&id)?)?.id);
        let receipt = self.receipt.carried(carried);
        let summarises =
            matches!(self.policy, Policy::Rolling | Policy::Segments | Policy::Running);
        let fits = self.count > 0 && self.start.checked_add(self.count) == Some(last.index + 1);
        let turns = self.turns.is_none_or(|turns| {
            1 <= turns.first && turns.first <= turns.last && u64::from(turns.last) <= last.index + 1
        });
        let numbers = (1..=HIGHEST).contains(&self.level) && (1..=HIGHEST).contains(&self.version);
        let sizes = self.original_chars.max(self.covered_token_count) <= MAX_TEXT as u64;
        let says = !self.summary.trim().is_empty();
        (summarises && fits && turns && numbers && sizes && says).then(|| Record {
            id: SummaryId::new(now),
            conversation_id: last.conversation_id,
            policy: self.policy,
            level: self.level,
            version: self.version,
            status: Status::Completed,
            coverage: Coverage { start: self.start, count: self.count, last: last.id },
            covered_token_count: self.covered_token_count,
            turns: self.turns,
            original_chars: self.original_chars,
            summary_chars: self.summary.chars().count() as u64,
            compression_rate: self.compression_rate,
            summary: self.summary,
            model: self.model,
            usage: None,
            cost: None,
            edited: self.edited,
            fault: None,
            unfolded_at: self.unfolded_at.map(|at| at.min(now)),
            receipt,
            created_at: self.created_at.min(now),
            // The newest one holds, and none is newer than those that are made here later.
            finished_at: Some(self.finished_at.unwrap_or(now).min(now)),
        })
    }
}

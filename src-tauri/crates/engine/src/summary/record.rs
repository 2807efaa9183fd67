//! The record of a summary: every column of the Rolling design's table and every field of the Segments design's history.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::receipt::Receipt;
use super::settings::{Policy, Rate};
use crate::ids::{ConversationId, MessageId, SummaryId};
use crate::turn::{TurnFault, Usage};

/// The fault of a summary that the person took back.
const UNDONE: &str = "undone";

/// Where a summary stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "SummaryStatus"))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Being made; at most one of a conversation is.
    InProgress,
    /// Made.
    Completed,
    /// Not made; tried again at the policy's next occasion.
    Failed,
}

/// The messages a summary stands for: a stretch of one path, without holes.
///
/// Messages form a tree and never move, so the last message and the number of those before it name every message of
/// the stretch: a path that holds the last one holds them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Coverage {
    /// Index of the first message.
    pub start: u64,
    /// Number of messages; never 0.
    pub count: u64,
    /// The last message.
    pub last: MessageId,
}

impl Coverage {
    /// Index of the first message after the stretch.
    pub fn end(&self) -> u64 {
        self.start + self.count
    }

    /// Whether a path holds the whole stretch; `at` gives the path's message at an index.
    pub fn lies_on(&self, at: impl Fn(u64) -> Option<MessageId>) -> bool {
        at(self.end().saturating_sub(1)) == Some(self.last)
    }
}

/// Completed turns by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TurnSpan {
    /// The first; turns are counted from 1.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl TurnSpan {
    /// The numbers.
    pub fn numbers(self) -> std::ops::RangeInclusive<u32> {
        self.first..=self.last
    }

    /// How many.
    pub fn length(self) -> u32 {
        (self.last + 1).saturating_sub(self.first)
    }
}

/// A summary, being made, made or failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "Summary"))]
pub struct Record {
    /// Its id.
    pub id: SummaryId,
    /// The conversation it belongs to (behaviour.md, Segments).
    pub conversation_id: ConversationId,
    /// The policy that made it.
    pub policy: Policy,
    /// 1 for a summary of messages, more for one that merges summaries.
    pub level: u32,
    /// 1, 2, 3 … among the summaries of this policy and level that begin at the same message.
    pub version: u32,
    /// Where it stands.
    pub status: Status,
    /// The messages it stands for.
    pub coverage: Coverage,
    /// Tokens of those messages.
    pub covered_token_count: u64,
    /// The completed turns it stands for, if a whole one is among them.
    pub turns: Option<TurnSpan>,
    /// Characters of those messages.
    pub original_chars: u64,
    /// Characters of the summary.
    pub summary_chars: u64,
    /// The rate it was made with.
    pub compression_rate: Rate,
    /// The summary; empty until it is completed.
    pub summary: String,
    /// The model that is asked for it, or was; `None` for one a person wrote.
    pub model: Option<String>,
    /// Tokens spent on it.
    pub usage: Option<Usage>,
    /// What it cost, in billionths of a US dollar, when the price is known.
    pub cost: Option<u64>,
    /// Whether a person changed the text.
    pub edited: bool,
    /// Why it failed.
    pub fault: Option<TurnFault>,
    /// Since when the person wants the messages themselves in its place.
    pub unfolded_at: Option<Timestamp>,
    /// What its lines rest on, and what goes with it.
    pub receipt: Receipt,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it was completed or failed.
    pub finished_at: Option<Timestamp>,
}

/// One entry of the Segments design's `summary_history`, field by field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HistoryItem {
    /// The conversation.
    pub thread_id: ConversationId,
    /// Numbers of the turns.
    pub turns: Vec<u32>,
    /// How many.
    pub turn_length: u32,
    /// Characters of the turns.
    pub original_chars: u64,
    /// Characters of the summary.
    pub summary_chars: u64,
    /// The rate it was made with.
    pub compression_rate: Rate,
    /// The summary.
    pub summary: String,
}

impl Record {
    /// Whether it may be shown to a model.
    pub fn is_completed(&self) -> bool {
        self.status == Status::Completed
    }

    /// The record as an entry of the Segments design's list.
    pub fn history_item(&self) -> HistoryItem {
        HistoryItem {
            thread_id: self.conversation_id,
            turns: self.turns.map_or_else(Vec::new, |turns| turns.numbers().collect()),
            turn_length: self.turns.map_or(0, TurnSpan::length),
            original_chars: self.original_chars,
            summary_chars: self.summary_chars,
            compression_rate: self.compression_rate,
            summary: self.summary.clone(),
        }
    }

    /// The same summary as the newest version: how an older version, a candidate or one that was undone is taken.
    pub fn adopted(&self, version: u32, now: Timestamp) -> Self {
        Self {
            id: SummaryId::new(now),
            version,
            status: Status::Completed,
            fault: None,
            unfolded_at: None,
            created_at: now,
            finished_at: Some(now),
            ..self.clone()
        }
    }

    /// A new version with the words of a person.
    pub fn edited(&self, text: &str, version: u32, now: Timestamp) -> Self {
        Self {
            summary: text.to_owned(),
            summary_chars: text.chars().count() as u64,
            receipt: self.receipt.edited(text),
            edited: true,
            model: None,
            usage: None,
            cost: None,
            ..self.adopted(version, now)
        }
    }

    /// The record after the person took it back: what held before it holds again.
    pub fn undone(self, now: Timestamp) -> Self {
        let message = "taken back by the person".to_owned();
        self.failed(TurnFault { code: UNDONE.to_owned(), message }, now)
    }

    /// Whether the person took it back.
    pub fn is_undone(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.code == UNDONE)
    }

    /// The record after its making has failed.
    pub fn failed(self, fault: TurnFault, now: Timestamp) -> Self {
        Self { status: Status::Failed, fault: Some(fault), finished_at: Some(now), ..self }
    }
}

/// At start: what a process that is gone left in progress has failed. The caller knows whose process is gone.
pub fn abandoned(left: Vec<Record>, now: Timestamp) -> Vec<Record> {
    let fault = || TurnFault {
        code: "abandoned".to_owned(),
        message: "the program ended while it was summarising".to_owned(),
    };
    left.into_iter()
        .filter(|record| record.status == Status::InProgress)
        .map(|record| record.failed(fault(), now))
        .collect()
}

//! Which summaries hold on a path: the newest that lie on it whole, one after the other from its beginning.
//!
//! Chosen records never overlap and leave no hole between them, so a path is always a summarised beginning and a rest
//! of whole messages. An edited or renewed summary is simply a newer one that begins at the same place.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::draft::NOT_SHORTER;
use super::record::{Record, Status, TurnSpan};
use super::settings::Policy;
use crate::ids::{MessageId, SummaryId};
use crate::section::id_of_summary;
use crate::wish::Wishes;

/// The summaries of a conversation as they lie on one path.
#[derive(Clone, Debug)]
pub struct Overlay<'a> {
    chosen: Vec<&'a Record>,
    /// Index of the first message behind all that was summarised and taken back.
    undone: u64,
    all: Vec<&'a Record>,
    wishes: Option<&'a Wishes>,
    /// Records whose messages go themselves in one request.
    opened: Vec<SummaryId>,
}

impl<'a> Overlay<'a> {
    /// Chooses among all records of a conversation; `at` gives the path's message at an index and is asked about as
    /// many places as there are records to choose.
    pub fn on<R: Borrow<Record>>(records: &'a [R], at: impl Fn(u64) -> Option<MessageId>) -> Self {
        let all: Vec<&Record> = records.iter().map(Borrow::borrow).collect();
        let mut by_start: HashMap<u64, Vec<&Record>> = HashMap::new();
        for record in all.iter().copied().filter(|record| record.is_completed()) {
            by_start.entry(record.coverage.start).or_default().push(record);
        }
        let mut chosen: Vec<&Record> = Vec::new();
        let mut end = 0;
        while let Some(candidates) = by_start.get_mut(&end) {
            candidates.sort_by_key(|record| Reverse((record.finished_at, record.id)));
            let newest =
                candidates.iter().find(|it| it.coverage.count > 0 && it.coverage.lies_on(&at));
            let Some(newest) = newest else { break };
            end = newest.coverage.end();
            chosen.push(newest);
        }
        let undone = all.iter().filter(|it| it.is_undone() && it.coverage.lies_on(&at));
        let undone = undone.map(|record| record.coverage.end()).max().unwrap_or(0);
        Self { chosen, undone, all, wishes: None, opened: Vec::new() }
    }

    /// The same for a request in which the messages of these records go themselves.
    pub fn opening(mut self, opens: impl Fn(&Record) -> bool) -> Self {
        let opened = self.folded().filter(|record| opens(record)).map(|record| record.id);
        self.opened = opened.collect();
        self
    }

    /// Whether the messages of a record go themselves.
    pub(super) fn is_open(&self, record: &Record) -> bool {
        record.unfolded_at.is_some() || self.opened.contains(&record.id)
    }

    /// The same for a request under these wishes.
    pub fn under(self, wishes: &'a Wishes) -> Self {
        Self { wishes: Some(wishes), ..self }
    }

    /// The chosen records, by place.
    pub fn records(&self) -> &[&'a Record] {
        &self.chosen
    }

    /// Index of the first message that no summary stands for.
    pub fn end(&self) -> u64 {
        self.chosen.last().map_or(0, |record| record.coverage.end())
    }

    /// Whether a message was summarised, and the person took the summary back.
    pub(super) fn is_undone(&self, index: u64) -> bool {
        index < self.undone
    }

    /// How many completed turns are summarised.
    pub fn turns(&self) -> u32 {
        self.chosen
            .iter()
            .filter_map(|record| record.turns)
            .map(|turns| turns.last)
            .max()
            .unwrap_or(0)
    }

    /// Whether a summary of the conversation is being made, on whatever branch.
    pub fn is_busy(&self) -> bool {
        self.all.iter().any(|record| record.status == Status::InProgress)
    }

    /// The record that stands for the message at this index.
    pub fn over(&self, index: u64) -> Option<&'a Record> {
        let at = self.chosen.partition_point(|record| record.coverage.end() <= index);
        self.chosen.get(at).copied()
    }

    /// Index of the first message that is sent whole: after the summaries, or where the person unfolded one.
    pub fn first_raw(&self) -> u64 {
        let open = self.chosen.iter().find(|record| self.is_open(record));
        open.map_or(self.end(), |record| record.coverage.start)
    }

    /// The chosen records that are sent, by place.
    pub fn folded(&self) -> impl DoubleEndedIterator<Item = &'a Record> {
        self.closed().filter(|record| !self.leaves_out(record))
    }

    /// Those that would be sent if the person did not want the request without them.
    pub fn unwanted(&self) -> impl Iterator<Item = &'a Record> {
        self.closed().filter(|record| self.leaves_out(record))
    }

    /// Whether the person wants a record in every request.
    pub fn pins(&self, record: SummaryId) -> bool {
        self.wishes.is_some_and(|wishes| wishes.pins(&id_of_summary(record)))
    }

    fn closed(&self) -> impl DoubleEndedIterator<Item = &'a Record> {
        self.chosen.iter().copied().filter(|record| !self.is_open(record))
    }

    fn leaves_out(&self, record: &Record) -> bool {
        self.wishes.is_some_and(|wishes| wishes.leaves_out(&id_of_summary(record.id)))
    }

    /// The version of the next summary of this policy and level that begins here.
    pub fn next_version(&self, policy: Policy, level: u32, start: u64) -> u32 {
        let alike = self.all.iter().filter(|record| {
            record.policy == policy && record.level == level && record.coverage.start == start
        });
        alike.map(|record| record.version).max().unwrap_or(0) + 1
    }

    /// How many of the next turns have a summary that came out no shorter than they are, or was taken back.
    pub(super) fn turns_kept_whole(&self, policy: Policy) -> u32 {
        let next = self.all.iter().filter(|record| {
            (record.policy, record.level, record.coverage.start) == (policy, 1, self.end())
                && record
                    .fault
                    .as_ref()
                    .is_some_and(|it| it.code == NOT_SHORTER || record.is_undone())
        });
        next.filter_map(|record| record.turns).map(TurnSpan::length).max().unwrap_or(0)
    }

    /// Whether these are the chosen records still: what a draft was built on.
    pub fn is_built_of(&self, basis: &[SummaryId]) -> bool {
        self.chosen.iter().map(|record| record.id).eq(basis.iter().copied())
    }
}

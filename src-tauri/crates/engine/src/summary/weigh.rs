//! Weighing a fold before it is adopted: what goes with the summary word for word, what it keeps of its messages, and
//! whether it may stand for them.
//!
//! Constraints and decisions in force that the summary does not say word for word always go with it; what else was
//! left behind goes while the budget of kept facts has room. What the person kept stays kept in later versions, and
//! what the person dropped stays dropped.

use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::receipt::{KeptBy, KeptFact, Receipt};
use super::record::Record;
use super::shape::kept_block;
use crate::ids::MessageId;
use crate::ledger::{
    self, Category, Entry, Fact, Gate, Ledger, Refusal, Retention, Told, choose, retention,
};
use crate::turn::TurnFault;

/// What a fold is weighed by.
#[derive(Clone, Copy)]
pub struct Scales<'a> {
    /// What the path said.
    pub ledger: &'a Ledger,
    /// Texts that go with every request beside the summary: memory.
    pub elsewhere: &'a [String],
    /// Percent of the summary's tokens that kept facts may have.
    pub share: u32,
    /// The language of the block of kept facts.
    pub language: &'a str,
    /// Tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

/// What a fold comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FoldTokens {
    /// Of the messages.
    pub source: u64,
    /// Of the summary.
    pub summary: u64,
    /// Of the facts that go with it.
    pub kept_facts: u64,
}

impl Scales<'_> {
    /// The record with the facts that go with it; `before` are the receipts of what it continues. It has failed when it
    /// may not stand for its messages.
    pub fn weigh(&self, record: Record, before: &[&Receipt], now: Timestamp) -> Record {
        let record = self.with_facts(record, before);
        match self.gate(&record) {
            Gate::Hard { reason } if record.is_completed() => {
                let (code, message) = words(reason);
                let fault = TurnFault { code: code.to_owned(), message: message.to_owned() };
                record.failed(fault, now)
            }
            _ => record,
        }
    }

    /// The same without asking whether it may stand: a person may write what they want.
    pub fn with_facts(&self, record: Record, before: &[&Receipt]) -> Record {
        let receipt = self.receipt(&record, before);
        Record { receipt, ..record }
    }

    /// The record with something more that its messages say; `None` where they do not say it.
    pub fn keeping(&self, record: &Record, text: &str) -> Option<Record> {
        let fact = self.ledger.within(places(record)).find(|fact| fact.entry.is_meant(text))?;
        let mut receipt = record.receipt.clone();
        receipt.dropped.retain(|dropped| !fact.entry.is_meant(dropped));
        receipt.kept.retain(|kept| !fact.entry.is_meant(&kept.text));
        receipt.kept.push(KeptFact::of(&fact.entry, KeptBy::Person));
        Some(self.with_receipt(record, receipt))
    }

    /// The record without something that went with it, now and in later versions; `None` where it did not.
    pub fn dropping(&self, record: &Record, text: &str) -> Option<Record> {
        let mut receipt = record.receipt.clone();
        let before = receipt.kept.len();
        receipt.kept.retain(|kept| kept.text != text);
        receipt.dropped.push(text.to_owned());
        (receipt.kept.len() < before).then(|| self.with_receipt(record, receipt))
    }

    fn with_receipt(&self, record: &Record, mut receipt: Receipt) -> Record {
        receipt.kept.sort_by_key(|fact| fact.category);
        receipt.constraints = self.constraints(record, &receipt.dropped);
        let record = Record { receipt, ..record.clone() };
        let retention = Some(self.retention(&record));
        Record { receipt: Receipt { retention, ..record.receipt }, ..record }
    }

    /// The receipt of a record, weighed anew.
    fn receipt(&self, record: &Record, before: &[&Receipt]) -> Receipt {
        let own = &record.receipt;
        let all = || before.iter().copied().chain([own]);
        let mut dropped: Vec<String> = all().flat_map(|it| it.dropped.clone()).collect();
        dropped.sort();
        dropped.dedup();
        let in_force = self.ledger.within(places(record));
        let in_force: Vec<&Fact> =
            in_force.filter(|fact| !is_among(&fact.entry, &dropped)).collect();
        let wanted: Vec<String> = all()
            .flat_map(|it| &it.kept)
            .filter(|fact| fact.by == KeptBy::Person)
            .map(|fact| fact.text.clone())
            .collect();
        let by_person = in_force.iter().filter(|fact| is_among(&fact.entry, &wanted));
        let mut kept: Vec<KeptFact> =
            by_person.map(|fact| KeptFact::of(&fact.entry, KeptBy::Person)).collect();

        // What must hold is word for word in the summary or beside it, whatever memory says today.
        let must_go = |fact: &&&Fact| {
            fact.entry.category <= Category::Decision && !record.summary.contains(&fact.entry.text)
        };
        let mut left: Vec<Fact> =
            in_force.iter().filter(must_go).map(|fact| Fact::clone(fact)).collect();
        let rest = self.left(record, &[&record.summary], &dropped);
        left.extend(rest.into_iter().filter(|fact| fact.entry.category > Category::Decision));
        left.retain(|fact| kept.iter().all(|kept| kept.text != fact.entry.text));
        let budget = (self.count)(&record.summary) * u64::from(self.share) / 100;
        let budget = budget.saturating_sub(self.tokens_of(&kept));
        let chosen = choose(&left, budget, self.language, self.count);
        kept.extend(chosen.facts.iter().map(|fact| {
            let gate = fact.entry.category <= Category::Decision;
            KeptFact::of(&fact.entry, if gate { KeptBy::Gate } else { KeptBy::Auto })
        }));
        let lines = own.lines.clone();
        let receipt = Receipt { lines, kept, dropped, cut: own.cut, ..Receipt::default() };
        self.with_receipt(record, receipt).receipt
    }

    fn constraints(&self, record: &Record, dropped: &[String]) -> Vec<String> {
        let said = self.ledger.within(places(record)).map(|fact| &fact.entry);
        let rules = said.filter(|entry| entry.category == Category::Constraint);
        rules.map(|entry| entry.text.clone()).filter(|text| !dropped.contains(text)).collect()
    }

    /// What is neither in the summary nor beside it nor elsewhere, the weightiest first.
    pub fn left_behind(&self, record: &Record) -> Vec<Fact> {
        let kept = kept_block(&record.receipt.kept, self.language).unwrap_or_default();
        self.left(record, &[&record.summary, &kept], &record.receipt.dropped)
    }

    fn left(&self, record: &Record, told: &[&str], dropped: &[String]) -> Vec<Fact> {
        let elsewhere = self.elsewhere.iter().map(String::as_str);
        let told = Told::of(told.iter().copied().chain(elsewhere));
        let mut left = ledger::left_behind(self.ledger, places(record), &told);
        left.retain(|fact| !is_among(&fact.entry, dropped));
        left
    }

    /// How much of its messages a record keeps, kept facts included.
    pub fn retention(&self, record: &Record) -> Retention {
        let kept = kept_block(&record.receipt.kept, self.language).unwrap_or_default();
        let told = Told::of([record.summary.as_str(), &kept]);
        retention(self.ledger, places(record), &told)
    }

    /// What the gate says of a record.
    pub fn gate(&self, record: &Record) -> Gate {
        let retention = self.retention(record);
        let FoldTokens { source, summary, kept_facts } = self.tokens(record);
        let said = ledger::gate(&record.summary, summary + kept_facts, source, &retention);
        let lost = Gate::Hard { reason: Refusal::ConstraintLost };
        // What the person dropped is no loss.
        if said == lost && self.holds_constraints(record) {
            return Gate::Soft { lost: vec![Category::Constraint] };
        }
        said
    }

    fn holds_constraints(&self, record: &Record) -> bool {
        let Receipt { kept, constraints, .. } = &record.receipt;
        constraints.iter().all(|rule| {
            record.summary.contains(rule.as_str()) || kept.iter().any(|fact| fact.text == *rule)
        })
    }

    /// What a record comes to.
    pub fn tokens(&self, record: &Record) -> FoldTokens {
        FoldTokens {
            source: record.covered_token_count,
            summary: (self.count)(&record.summary),
            kept_facts: self.tokens_of(&record.receipt.kept),
        }
    }

    fn tokens_of(&self, kept: &[KeptFact]) -> u64 {
        kept_block(kept, self.language).map_or(0, |block| (self.count)(&block))
    }
}

impl Receipt {
    /// Marks what lines claim and their messages do not say. `texts` gives what the messages say, all of them where
    /// none is named.
    pub fn check(&mut self, texts: impl Fn(&[MessageId]) -> Vec<String>) {
        let told = |sources: &[MessageId]| Told::of(texts(sources).iter().map(String::as_str));
        let mut all = None;
        for line in &mut self.lines {
            line.unsupported = match line.sources.as_slice() {
                [] => all.get_or_insert_with(|| told(&[])).unsupported(&line.text),
                sources => told(sources).unsupported(&line.text),
            };
        }
    }
}

/// Whether texts that a person kept or dropped mean an entry; its clause may have been shorter then.
fn is_among(entry: &Entry, texts: &[String]) -> bool {
    texts.iter().any(|text| entry.is_meant(text))
}

/// The places of a record's messages.
fn places(record: &Record) -> Range<usize> {
    let place = |index| usize::try_from(index).unwrap_or(usize::MAX);
    place(record.coverage.start)..place(record.coverage.end())
}

/// Why a summary was refused, by code.
fn words(reason: Refusal) -> (&'static str, &'static str) {
    match reason {
        Refusal::Empty => ("empty", "the summary says nothing"),
        Refusal::LargerThanSource => {
            (super::draft::NOT_SHORTER, "with the facts it keeps it is longer than what it covers")
        }
        Refusal::ConstraintLost => ("constraint_lost", "a rule that holds is not in it"),
    }
}

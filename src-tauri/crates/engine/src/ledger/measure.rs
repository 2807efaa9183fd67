//! The same measures from outside: a path folded by a policy, what its summaries keep, and what they claim.

use super::{
    Category, KeptFacts, Ledger, Retention, Told, choose, left_behind, retention, text_of,
};
use crate::density::sentences;
use crate::ids::SummaryId;
use crate::message::Message;
use crate::summary::Record;
use crate::tokens::estimate;

/// A stretch of a summary that its source does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The summary.
    pub summary: SummaryId,
    /// The line that claims it.
    pub line: String,
    /// What it claims.
    pub text: String,
}

/// What came of a measure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What the summaries alone keep.
    pub alone: Retention,
    /// What they keep with the facts that travel with them.
    pub retention: Retention,
    /// The same of what a later message says again.
    pub used_again: Retention,
    /// What is claimed and does not stand in the source.
    pub unsupported: Vec<Claim>,
    /// Tokens of the covered messages.
    pub source_tokens: u64,
    /// Tokens of the summaries.
    pub summary_tokens: u64,
    /// The facts that travel with them, as they are told.
    pub kept: String,
    /// Tokens of those.
    pub kept_tokens: u64,
}

/// Measures the summaries that hold on a path, first to last; `share` of their tokens is for the facts that travel with
/// them, and 0.0 keeps none.
pub fn measure(path: &[Message], summaries: &[Record], share: f64, language: &str) -> Measured {
    let ledger = Ledger::of(path);
    let place = |index: u64| usize::try_from(index).unwrap_or(path.len()).min(path.len());
    let covered = |record: &Record| place(record.coverage.start)..place(record.coverage.end());
    let all = summaries.iter().map(covered).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
    let all = all.unwrap_or_default();

    let mut texts: Vec<&str> = summaries.iter().map(|record| record.summary.as_str()).collect();
    let alone = Told::of(texts.iter().copied());
    let summary_tokens = texts.iter().map(|text| estimate(text)).sum::<u64>();
    let kept = match (summary_tokens as f64 * share) as u64 {
        0 => KeptFacts::default(),
        budget => choose(&left_behind(&ledger, all.clone(), &alone), budget, language, estimate),
    };
    texts.push(&kept.text);
    let told = Told::of(texts.iter().copied());
    let mut used_again = Retention::default();
    for fact in ledger.within(all.clone()).filter(|fact| fact.is_used_again()) {
        let entry = &fact.entry;
        used_again.count(entry.category, told.holds(entry.category, &entry.key));
    }
    Measured {
        alone: retention(&ledger, all.clone(), &alone),
        retention: retention(&ledger, all.clone(), &told),
        used_again,
        unsupported: summaries
            .iter()
            .flat_map(|record| unsupported(record, &path[covered(record)]))
            .collect(),
        source_tokens: path[all].iter().map(|message| estimate(&text_of(message))).sum(),
        summary_tokens,
        kept_tokens: kept.tokens,
        kept: kept.text,
    }
}

/// What the lines of a summary claim and the messages it covers do not hold.
fn unsupported(record: &Record, covered: &[Message]) -> Vec<Claim> {
    let texts: Vec<String> = covered.iter().map(text_of).collect();
    let sources = Told::of(texts.iter().map(String::as_str));
    let lines = sentences(&record.summary).into_iter().map(|line| line.text);
    let claims = lines.flat_map(|line| {
        let spans = sources.unsupported(line).into_iter();
        spans.map(move |span| (line, &line[span]))
    });
    let claim = |(line, text): (&str, &str)| Claim {
        summary: record.id,
        line: line.to_owned(),
        text: text.to_owned(),
    };
    claims.map(claim).collect()
}

impl Measured {
    /// Whether every constraint and decision in force is told.
    pub fn keeps_statements(&self) -> bool {
        let whole = |category| self.retention.of(category).is_none_or(|it| it.kept == it.in_source);
        whole(Category::Constraint) && whole(Category::Decision)
    }
}

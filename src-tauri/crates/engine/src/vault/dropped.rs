//! What a compaction took from the model: of what was said before it, what the summary says, what was said again later,
//! and what is nowhere any more.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::session::{Entry, EntryKind, Fold, Session};
use crate::ids::{ConversationId, MessageId};
use crate::ledger::{Category, Fact, Ledger, Retention, Told, text_of};
use crate::message::{Message, MessageStatus, Role};
use crate::tokens::{estimate, estimate_parts};

/// A compaction, and what became of what it folded.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The entry of the compaction; its text is the summary.
    pub fold: usize,
    /// The entries that it folded, in order; those that went on word for word are not among them.
    pub entries: Vec<usize>,
    /// Their tokens, estimated.
    pub tokens: u64,
    /// Tokens of the summary, estimated.
    pub summary_tokens: u64,
    /// What of it is still told, in the summary or later, kind by kind.
    pub retention: Retention,
    /// Everything that they said, the weightiest first; of equals in the order in which it was said.
    pub facts: Vec<DroppedFact>,
}

/// Something that folded entries said.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedFact {
    /// What kind of thing it is.
    pub category: Category,
    /// As it was said.
    pub text: String,
    /// The folded entry that said it first.
    pub entry: usize,
    /// Where it stays.
    pub stays: Stays,
}

/// Where something stays that was said before a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Stays {
    /// In the summary, or in a message that went on with it.
    Summary,
    /// The summary does not say it; somebody said it again afterwards.
    Later,
    /// In what was dropped, and nowhere else.
    Nowhere,
}

/// Most compactions that are looked at; a file may claim any number.
const MOST: usize = 1_000;

/// Every compaction of a session, in the order in which they were made. What came before an earlier one is told of there:
/// the next one folds the summary of the one before and what was said since.
pub fn dropped(session: &Session) -> Vec<Dropped> {
    let mut lines: Vec<Line> = Vec::new();
    let mut found = Vec::new();
    let folds = session.entries.iter().enumerate().filter_map(|(index, entry)| match &entry.kind {
        EntryKind::Fold(fold) => Some((index, fold)),
        EntryKind::Said | EntryKind::Context => None,
    });
    for (index, fold) in folds.take(MOST) {
        let known = lines.iter().position(|line| line.path.contains(&index));
        let at = known.unwrap_or_else(|| {
            lines.push(Line::of(session, through(session, index)));
            lines.len() - 1
        });
        found.extend(lines[at].dropped(session, index, fold));
    }
    found
}

/// The path that the agent would go on with, if it leads through this entry; else the one to the last entry beyond it.
fn through(session: &Session, index: usize) -> Vec<usize> {
    let leaves = session.leaves().into_iter().rev();
    let mut paths = session.leaf.into_iter().chain(leaves).map(|leaf| session.path_to(leaf));
    paths.find(|path| path.contains(&index)).unwrap_or_else(|| session.path_to(index))
}

/// What a path says, in categories.
pub(super) fn ledger_of(session: &Session, path: &[usize]) -> Ledger {
    Line::of(session, path.to_vec()).ledger
}

/// A path and its ledger. What the agent put there by itself is on no ledger: it comes back by itself.
struct Line {
    path: Vec<usize>,
    ledger: Ledger,
    texts: Vec<String>,
}

impl Line {
    fn of(session: &Session, path: Vec<usize>) -> Self {
        let is_told = |index: &usize| session.entries[*index].kind != EntryKind::Context;
        let path: Vec<usize> = path.into_iter().filter(is_told).collect();
        let conversation = ConversationId::new(Timestamp::UNIX_EPOCH);
        let message = |index: &usize| message_of(&session.entries[*index], conversation);
        let messages: Vec<Message> = path.iter().map(message).collect();
        let ledger = Ledger::of(&messages);
        Self { path, ledger, texts: messages.iter().map(text_of).collect() }
    }

    fn dropped(&self, session: &Session, index: usize, fold: &Fold) -> Option<Dropped> {
        let place = self.path.iter().position(|at| *at == index)?;
        let is_fold = |at: &usize| matches!(session.entries[*at].kind, EntryKind::Fold(_));
        let begin = self.path[..place].iter().rposition(is_fold).unwrap_or_default();
        let carried: HashSet<&str> = fold.carried.iter().map(|text| text.trim()).collect();
        let goes = |at: &usize| {
            let said = session.entries[self.path[*at]].text();
            said.trim().is_empty() || !carried.contains(said.trim())
        };
        let places: Vec<usize> = (begin..place).filter(goes).collect();
        let gone: HashSet<usize> = places.iter().copied().collect();
        let summary = self.texts[place].as_str();
        let told = Told::of(fold.carried.iter().map(String::as_str).chain([summary]));
        let mut retention = Retention::default();
        let mut facts = Vec::new();
        for fact in self.ledger.within(begin..place) {
            let Some(first) = fact.mentions.iter().find(|at| gone.contains(at)) else { continue };
            let stays = stays(fact, place, &told);
            retention.count(fact.entry.category, stays != Stays::Nowhere);
            facts.push(DroppedFact {
                category: fact.entry.category,
                text: fact.entry.text.clone(),
                entry: self.path[*first],
                stays,
            });
        }
        facts.sort_by_key(|fact| fact.category);
        let entries: Vec<usize> = places.iter().map(|at| self.path[*at]).collect();
        let tokens = entries.iter().map(|at| estimate_parts(&session.entries[*at].parts)).sum();
        let summary_tokens = estimate(summary);
        Some(Dropped { fold: index, entries, tokens, summary_tokens, retention, facts })
    }
}

fn stays(fact: &Fact, place: usize, told: &Told) -> Stays {
    match () {
        () if told.holds(fact.entry.category, &fact.entry.key) => Stays::Summary,
        () if fact.mentions.iter().any(|at| *at >= place) => Stays::Later,
        () => Stays::Nowhere,
    }
}

impl Entry {
    /// All text, joined; reasoning and tool traffic left out.
    pub fn text(&self) -> String {
        crate::message::text_of(&self.parts)
    }
}

/// As a message of ours, for what reads those. A summary is a model's, whoever seems to say it: it demands nothing.
fn message_of(entry: &Entry, conversation_id: ConversationId) -> Message {
    let created_at = entry.at.unwrap_or(Timestamp::UNIX_EPOCH);
    let role = match entry.kind {
        EntryKind::Fold(_) => Role::Assistant,
        EntryKind::Said | EntryKind::Context => entry.role,
    };
    Message {
        id: MessageId::new(created_at),
        conversation_id,
        parent_id: None,
        turn_id: None,
        index: 0,
        role,
        parts: entry.parts.clone(),
        status: MessageStatus::Complete,
        model: entry.model.clone(),
        tokens: 0,
        created_at,
    }
}

//! The constraint guard, asked of every request that is composed: which rules in force it does not say. A rule is
//! looked for where it may have got lost: in memory, in summaries, and in messages that neither go whole nor are told.
//!
//! Rules change seldom, and a request is composed at every key press: what looks for those of memory and of summaries is put
//! together once for as long as they are the same, what looks for those of the path grows with its ledger.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};

use siltstone_contract::Failure;
use siltstone_engine::earlier::Earlier;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ledger::Ledger;
use siltstone_engine::ports::Stores;
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::section::{Section, id_of_memory, id_of_summary};
use siltstone_engine::summary::{MissingConstraint, PathRules, Record, Rules, Unsaid};

use super::Asked;
use crate::core::{blocking, locked};
use crate::requests::RequestService;

/// Missing rules that are told one by one: so many are read, and of more their number says enough.
const MOST_TOLD: usize = 50;

/// Sets of rules that are remembered.
const KNOWN: usize = 4;

/// Rules with the sections that they would be in.
type Said = Vec<(String, String)>;

/// The rules that were looked for last, by what was said and whether secrets were taken out of it.
#[derive(Default)]
pub(crate) struct Guards(Mutex<VecDeque<Guard>>);

/// What the rules were made of, and they.
type Guard = ((Said, bool), Arc<Rules>);

impl Guards {
    fn of(&self, said: Said, cleaner: Cleaner<'_>) -> Arc<Rules> {
        let key = (said, cleaner.is_on());
        let mut known = locked(&self.0);
        if let Some((_, rules)) = known.iter().find(|(of, _)| *of == key) {
            return rules.clone();
        }
        let said = key.0.iter();
        let rules =
            Arc::new(Rules::of(said.map(|(section, rule)| (section.as_str(), cleaner.text(rule)))));
        known.push_front((key, rules.clone()));
        known.truncate(KNOWN);
        rules
    }
}

/// The messages before `end` that a request does not say, by those that it does.
struct LeftOut {
    id: ConversationId,
    end: u64,
    /// Places of messages that go whole.
    whole: HashSet<u64>,
    /// What the person does not want to be told.
    dropped: Vec<String>,
}

/// Rules in force that a request does not say: the first of them, and how many more there are.
#[derive(Default)]
pub(super) struct Missing {
    pub(super) told: Vec<MissingConstraint>,
    pub(super) more: u64,
}

impl RequestService {
    /// The rules in force that the request of these sections does not say.
    pub(super) async fn unsaid_constraints(
        &self,
        stores: &Stores,
        asked: &Asked<'_>,
        earlier: &Earlier,
        sections: &mut Vec<Section>,
    ) -> Result<Missing, Failure> {
        if asked.command {
            // That goes alone, and is shown so.
            return Ok(Missing::default());
        }
        let overlay = asked.folds.overlay();
        let told = overlay.records().iter().filter(|_| asked.folds.tells());
        let of_summaries = told.flat_map(|record| {
            let rules = record.receipt.constraints.iter();
            rules.map(|rule| (id_of_summary(record.id), rule.clone()))
        });
        let of_memory = asked.found.memory.iter().flat_map(|memory| {
            let rules = memory.must.iter().flat_map(|must| must.lines());
            rules.map(|rule| (id_of_memory(&memory.path), rule.to_owned()))
        });
        let said = of_summaries.chain(of_memory).collect();
        let rules = self.guards.of(said, self.privacy.cleaner());
        let mut missing = rules.missing_in(sections);
        let left_out = LeftOut::of(asked, earlier).filter(|_| !asked.folds.settings.strict);
        let (most, mut more) = (MOST_TOLD.saturating_sub(missing.len()), 0);
        if let Some(left_out) = left_out {
            // Lent to the thread that looks through them, and given back.
            let lent = std::mem::take(sections);
            let (this, stores) = (self.clone(), stores.clone());
            let look = move || {
                let found = this.missing_of_path(&stores, left_out, &lent, &rules, most);
                (lent, found)
            };
            let (lent, found) = blocking(look).await?;
            *sections = lent;
            let (told, others) = found?;
            missing.extend(told);
            more = others;
        }
        more += missing.len().saturating_sub(MOST_TOLD);
        missing.truncate(MOST_TOLD);
        Ok(Missing { told: missing, more: more as u64 })
    }

    /// Of what the path says: at most so many rules, and how many more there are. None while it is not read yet.
    fn missing_of_path(
        &self,
        stores: &Stores,
        left_out: LeftOut,
        sections: &[Section],
        beside: &Rules,
        most: usize,
    ) -> Result<(Vec<MissingConstraint>, usize), Failure> {
        let cleaner = self.privacy.cleaner();
        let LeftOut { id, end, whole, dropped } = left_out;
        let look = |ledger: &Ledger, rules: &mut PathRules| {
            if rules.is_cleaned() != cleaner.is_on() {
                *rules = PathRules::new(cleaner.is_on());
            }
            rules.grow(ledger, |text| cleaner.text(text));
            let dropped = dropped.iter().map(|rule| cleaner.text(rule));
            let others = dropped.chain(beside.texts().map(Cow::Borrowed));
            let texts = sections.iter().map(|section| section.text.as_str());
            rules.missing_in(ledger, &Unsaid { whole: &whole, end }, texts, others, most)
        };
        let found = self.folding.with_ledger_at_hand(stores, id, end, look)?;
        Ok(found.unwrap_or_default())
    }
}

impl LeftOut {
    /// `None` where every message goes whole or is told.
    fn of(asked: &Asked<'_>, earlier: &Earlier) -> Option<Self> {
        let overlay = asked.folds.overlay();
        let is_told =
            |record: &Record| earlier.summaries.iter().any(|told| told.record == record.id);
        let whole = earlier.raw.iter().filter(|raw| raw.cut.is_none());
        let whole: HashSet<u64> = whole.map(|raw| raw.message.index).collect();
        let beside = whole.iter().filter(|place| !overlay.over(**place).is_some_and(is_told));
        let told = overlay.records().iter().filter(|record| is_told(record));
        let said = told.map(|it| it.coverage.count).sum::<u64>() + beside.count() as u64;
        let dropped = overlay.records().iter().flat_map(|it| it.receipt.dropped.iter().cloned());
        let (id, end) = (asked.conversation.id, asked.end);
        (said < end).then(|| Self { id, end, whole, dropped: dropped.collect() })
    }
}

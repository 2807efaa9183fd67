//! The constraint guard, asked of every request that is composed: which rules in force it does not say. A rule is
//! looked for where it may have got lost: in memory, in summaries, and in messages that neither go whole nor are told.
//!
//! Rules change seldom, and a request is composed at every key press: what looks for them is put together once for as long
//! as they are the same.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};

use siltstone_contract::Failure;
use siltstone_engine::earlier::Earlier;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ledger::Ledger;
use siltstone_engine::ports::Stores;
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::section::{Section, id_of_memory, id_of_message, id_of_summary};
use siltstone_engine::summary::{MissingConstraint, Record, Rules};

use super::Asked;
use crate::core::{blocking, locked};
use crate::requests::RequestService;

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
struct Unsaid {
    id: ConversationId,
    end: u64,
    /// Places of messages that go whole.
    whole: HashSet<u64>,
    /// What the person does not want to be told.
    dropped: HashSet<String>,
}

impl RequestService {
    /// The rules in force that these sections do not say.
    pub(super) async fn unsaid_constraints(
        &self,
        stores: &Stores,
        asked: &Asked<'_>,
        earlier: &Earlier,
        sections: &[Section],
    ) -> Result<Vec<MissingConstraint>, Failure> {
        if asked.command {
            // That goes alone, and is shown so.
            return Ok(Vec::new());
        }
        let unsaid = Unsaid::of(asked, earlier);
        let of_messages = match unsaid.filter(|_| !asked.folds.settings.strict) {
            Some(unsaid) => {
                let (this, stores) = (self.clone(), stores.clone());
                let rules = move || {
                    let (id, end) = (unsaid.id, unsaid.end);
                    this.folding
                        .with_ledger_at_hand(&stores, id, end, |ledger| unsaid.rules(ledger))
                };
                blocking(rules).await??.unwrap_or_default()
            }
            None => Vec::new(),
        };
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
        let said = of_summaries.chain(of_messages).chain(of_memory).collect();
        Ok(self.guards.of(said, self.privacy.cleaner()).missing_in(sections))
    }
}

impl Unsaid {
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

    /// The rules that none of the messages says that go whole, each with the section of the first that says it.
    fn rules(&self, ledger: &Ledger) -> Vec<(String, String)> {
        let goes = |place: &usize| {
            let place = *place as u64;
            place >= self.end || self.whole.contains(&place)
        };
        // What goes whole stands at the end as a rule, and a rule may be said a thousand times before.
        let first = self.whole.iter().min().copied().unwrap_or(self.end);
        let rules = ledger.constraints().filter(|fact| {
            let before = fact.mentions.partition_point(|place| (*place as u64) < first);
            fact.entry.in_force
                && !fact.mentions[before..].iter().any(goes)
                && !self.dropped.contains(&fact.entry.text)
        });
        rules.map(|it| (id_of_message(it.entry.message), it.entry.text.clone())).collect()
    }
}

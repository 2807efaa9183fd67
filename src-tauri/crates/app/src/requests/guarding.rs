//! The constraint guard, asked of every request that is composed: which rules in force it does not say. A rule is
//! looked for where it may have got lost: in memory, in summaries, and in messages that neither go whole nor are told.

use std::collections::HashSet;

use siltstone_contract::Failure;
use siltstone_engine::earlier::Earlier;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ledger::Ledger;
use siltstone_engine::ports::Stores;
use siltstone_engine::section::{Section, id_of_memory, id_of_message, id_of_summary};
use siltstone_engine::summary::{MissingConstraint, Record, missing_constraints};

use super::Asked;
use crate::core::blocking;
use crate::requests::RequestService;

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
            rules.map(|rule| (id_of_summary(record.id), rule.as_str()))
        });
        let of_memory = asked.found.memory.iter().flat_map(|memory| {
            let rules = memory.must.iter().flat_map(|must| must.lines());
            rules.map(|rule| (id_of_memory(&memory.path), rule))
        });
        let of_messages = of_messages.iter().map(|(id, rule)| (id.clone(), rule.as_str()));
        let cleaner = self.privacy.cleaner();
        let rules = of_summaries.chain(of_messages).chain(of_memory);
        let rules = rules.map(|(section, rule)| (section, cleaner.text(rule)));
        Ok(missing_constraints(rules, sections))
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
        let rules = ledger.constraints().filter(|fact| {
            fact.entry.in_force
                && !fact.mentions.iter().any(goes)
                && !self.dropped.contains(&fact.entry.text)
        });
        rules.map(|it| (id_of_message(it.entry.message), it.entry.text.clone())).collect()
    }
}

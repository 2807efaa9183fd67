//! Folds with receipts: every summary that was made is weighed against what its messages said before it may stand for
//! them, and the facts that go with it are chosen. Summarising calls [`FoldingService::weighed`]; what a person does
//! to a fold is in [`keeping`], what the next one would come to without a model in [`sketching`], what it would be in
//! `requests::previewing`, and what a request must say whatever was folded in `requests::guarding`.
//!
//! Of a path that is not shown nothing is known ([`reading`]): its summaries are weighed when it is shown.

pub(crate) mod folds;
pub(crate) mod jobs;
mod keeping;
mod reading;
mod shown;
mod sketching;
mod summaries;
pub(crate) mod summarising;

use std::collections::HashMap;

use siltstone_contract::Failure;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::MessageId;
use siltstone_engine::ledger;
use siltstone_engine::memory::TaskAtHand;
use siltstone_engine::ports::Stores;
use siltstone_engine::summary::{Receipt, Record, Scales, language_of};
use siltstone_engine::tokens::estimate;

use crate::core::failure::Outcome;
use crate::core::{Core, blocking, service};
use crate::folding::folds::Folds;
use crate::memory::MemoryService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use jobs::Jobs;

pub(crate) use reading::Ledgers;

service! {
    /// Summaries: when they are made, what they keep, and what holds of them.
    FoldingService {
        needs { core: Core, privacy: PrivacyService, models: ModelService, memory: MemoryService }
        keeps {
            /// Summaries that are being made.
            jobs: Jobs,
            /// What was said in conversations, as far as it was read.
            ledgers: Ledgers,
        }
    }
}

/// What a conversation's folds are weighed by.
pub(crate) struct Ground {
    stores: Stores,
    conversation: Conversation,
    folds: Folds,
    /// Texts that go with every request: memory, and what is pinned.
    elsewhere: Vec<String>,
}

impl FoldingService {
    /// A summary that was made, with the facts that go with it; failed if it may not stand for its messages.
    pub(crate) async fn weighed(&self, record: Record) -> Result<Record, Failure> {
        let this = self.clone();
        blocking(move || {
            let ground = this.ground(&record)?;
            if ground.folds.settings.strict || !ground.folds.is_on_path(&record) {
                return Ok(record);
            }
            let now = this.core.now();
            this.on_scales(&ground, &record, |scales| {
                let mut record = scales.weigh(record.clone(), &ground.before(&record), now);
                this.check_lines(&ground, &mut record)?;
                Ok(record)
            })
        })
        .await?
    }

    pub(crate) fn ground(&self, record: &Record) -> Result<Ground, Failure> {
        let (stores, id) = (self.core.stores()?, record.conversation_id);
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let mut folds =
            self.folds(&stores, &conversation, &self.models.choice_for(&conversation)?)?;
        folds.find(&stores, std::slice::from_ref(record))?;
        let project = conversation.project_id.map(|id| self.core.known_project(id));
        let project = project.transpose()?;
        let taken = self.memory.taken_memory(project.as_ref(), Some(id), &TaskAtHand::default());
        let pinned = conversation.wishes.pinned_messages();
        let pinned = pinned.filter_map(|id| Some(stores.transcripts.message(id).ok()?.message));
        let pinned: Vec<String> = pinned.map(|message| message.text()).collect();
        let elsewhere = taken.texts.into_iter().map(|it| it.text).chain(pinned).collect();
        Ok(Ground { stores, conversation, folds, elsewhere })
    }

    /// Weighs a record of the shown path.
    fn on_scales<T>(
        &self,
        ground: &Ground,
        record: &Record,
        weigh: impl FnOnce(&Scales<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.with_ledger(&ground.stores, ground.conversation.id, |ledger| {
            weigh(&Scales {
                ledger,
                elsewhere: &ground.elsewhere,
                share: ground.folds.settings.kept_facts_share,
                language: language_of(&record.summary),
                count: &|text| ground.folds.calibration.correct(estimate(text)),
            })
        })?
    }

    /// Marks what lines claim and the messages they cite do not say.
    fn check_lines(&self, ground: &Ground, record: &mut Record) -> Result<(), Failure> {
        let (id, coverage) = (record.conversation_id, record.coverage);
        let places = coverage.start..coverage.end();
        let mut texts: HashMap<MessageId, String> = HashMap::new();
        let mut all: Vec<MessageId> = Vec::new();
        for (message, _) in ground.stores.transcripts.counted(id, places, None).or_failure()? {
            all.push(message.id);
            texts.insert(message.id, ledger::text_of(&message));
        }
        record.receipt.check(|sources| {
            let sources = if sources.is_empty() { all.as_slice() } else { sources };
            sources.iter().filter_map(|id| texts.get(id).cloned()).collect()
        });
        Ok(())
    }
}

impl Ground {
    /// The receipts of the summaries that hold now where this one would: what the person kept of them stays kept.
    fn before(&self, record: &Record) -> Vec<&Receipt> {
        let inside = |it: &Record| {
            it.coverage.start >= record.coverage.start && it.coverage.end() <= record.coverage.end()
        };
        let overlay = self.folds.overlay();
        let inside: Vec<_> =
            overlay.records().iter().filter(|it| inside(it)).map(|it| it.id).collect();
        let records = self.folds.records.iter().filter(|it| inside.contains(&it.id));
        records.map(|it| &it.receipt).collect()
    }
}

//! The summaries of a path that is about to be told: those that were finished while another branch was shown are weighed
//! first, so that what they keep goes with them.

use siltstone_contract::{DefaultModel, Failure};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ports::Stores;
use siltstone_engine::summary::Record;

use crate::core::failure::Outcome;
use crate::folding::FoldingService;
use crate::folding::folds::Folds;

impl FoldingService {
    /// The summaries of a conversation whose path is about to be told, all of them weighed.
    pub(crate) async fn shown_folds(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        choice: &DefaultModel,
    ) -> Result<Folds, Failure> {
        // How much stays whole goes by its window.
        self.models.model_of(choice).await;
        loop {
            let folds = self.folds(stores, conversation, choice)?;
            let unweighed = folds.unweighed().filter(|_| folds.tells());
            let Some(record) = unweighed else { return Ok(folds) };
            let weighed = match record.edited {
                true => self.edited(record).await?,
                false => self.weighed(record).await?,
            };
            if weighed.receipt.retention.is_none() {
                // Another branch was shown meanwhile.
                return Ok(folds);
            }
            stores.summaries.put_summary(&weighed).or_failure()?;
            self.core.conversation_changed(conversation.id);
        }
    }
}

impl Folds {
    /// Whether summaries go with requests, and their facts with them.
    pub(crate) fn tells(&self) -> bool {
        self.summarises() && !self.settings.strict
    }

    /// A summary that holds and was finished while another branch was shown.
    fn unweighed(&self) -> Option<Record> {
        let overlay = self.overlay();
        let mut held = overlay.records().iter();
        held.find(|record| record.receipt.retention.is_none()).map(|record| (*record).clone())
    }
}

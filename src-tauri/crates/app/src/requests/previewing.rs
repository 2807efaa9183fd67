//! A fold before it is adopted: made, weighed and laid beside the request without it. Nothing of the conversation
//! changes; adopting it, or editing it, is what makes it hold.

use std::collections::HashSet;

use siltstone_contract::{
    Code, ConversationRef, Excess, Failure, FoldPreview, PreviewRequest, RequestView, UnfoldSummary,
};
use siltstone_engine::conversation::PathMessage;
use siltstone_engine::ids::MessageId;
use siltstone_engine::link;
use siltstone_engine::ports::Stores;
use siltstone_engine::section::SectionKind;
use siltstone_engine::summary::{Record, kept_block};
use siltstone_engine::tokens::{MESSAGE_OVERHEAD, estimate};
use siltstone_engine::turn::Usage;

use crate::core::blocking;
use crate::core::failure::{Outcome, conflict};
use crate::requests::RequestService;

/// Messages read at a time.
const BATCH: u64 = 1_000;

impl RequestService {
    /// What the next fold would be, and what it would cost; [`FoldingService::summary_try_cancel`] stops it.
    pub async fn summary_preview(&self, request: ConversationRef) -> Result<FoldPreview, Failure> {
        let id = request.id;
        let (draft, writer) = self.folding.due_at_once(id).await?;
        let trying = self.folding.jobs.tries.begin(id);
        let trying = trying.ok_or_else(|| conflict("another fold is being tried"))?;
        let candidate = self.folding.candidate(draft, writer.as_ref(), &trying.stop).await?;
        drop(trying);
        self.laid_beside(candidate).await
    }

    async fn laid_beside(&self, candidate: Record) -> Result<FoldPreview, Failure> {
        let stores = self.core.stores()?;
        let id = candidate.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let draft = conversation.draft.clone();
        let request = PreviewRequest { conversation_id: id, draft, context: None, model: None };
        let before = self.previewed(request.clone(), None).await?;
        let after = self.previewed(request, Some(candidate.clone())).await?;
        let reread_tokens = after.tokens - same_beginning(&before, &after);
        let choice = self.models.choice_for(&conversation)?;
        let tariff = self.models.tariff(&stores, &choice)?;
        let read = Usage { input_tokens: reread_tokens, ..Usage::default() };
        let (this, record) = (self.clone(), candidate.clone());
        let check =
            blocking(move || this.folding.check(&this.folding.ground(&record)?, record)).await??;
        Ok(FoldPreview {
            candidate,
            check,
            tokens_before: before.tokens,
            tokens_after: after.tokens,
            reread_tokens,
            reread_cost: tariff.map(|tariff| tariff.cost(&read)),
            missing_constraints: after.missing_constraints,
            missing_more: after.missing_more,
        })
    }

    /// Sends the messages themselves in a summary's place where they fit, or the summary again.
    pub async fn summary_unfold(&self, request: UnfoldSummary) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let mut record = stores.summaries.summary(request.id).or_failure()?;
        if !record.is_completed() {
            return Err(conflict("there is no summary to unfold"));
        }
        if request.unfolded
            && let Some(excess) = self.excess_unfolding(&stores, &record).await?
        {
            let Excess { over, budget } = excess;
            let message = format!("{over} tokens more than the {budget} of a request");
            let failure = Failure::new(Code::UnfoldTooLarge, message);
            return Err(Failure { excess: Some(excess), ..failure });
        }
        record.unfolded_at = request.unfolded.then(|| self.core.now());
        stores.summaries.put_summary(&record).or_failure()?;
        self.core.conversation_changed(record.conversation_id);
        Ok(())
    }

    /// By how much the next request would be too large with the messages themselves in this summary's place.
    async fn excess_unfolding(
        &self,
        stores: &Stores,
        record: &Record,
    ) -> Result<Option<Excess>, Failure> {
        let id = record.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let folds =
            self.folding.folds(stores, &conversation, &self.models.choice_for(&conversation)?)?;
        if !folds.summarises() || !folds.overlay().folded().any(|it| it.id == record.id) {
            return Ok(None);
        }
        let draft = conversation.draft;
        let request = PreviewRequest { conversation_id: id, draft, context: None, model: None };
        let next = self.request_preview(request).await?;
        let link = Some(link::to_summary(record.id));
        let told = next.sections.iter().filter(|section| section.link == link);
        let told = told.map(|section| section.tokens).sum::<u64>();
        let turns = next.sections.iter().filter(|section| section.kind == SectionKind::Turn);
        let stand: HashSet<MessageId> = turns.flat_map(|it| it.messages.iter().copied()).collect();
        let mut whole = 0;
        let mut start = record.coverage.start;
        while start < record.coverage.end() {
            let limit = (record.coverage.end() - start).min(BATCH);
            let page = stores.transcripts.page(id, Some(start), limit).or_failure()?;
            let cost = |it: &PathMessage| folds.count(&it.message) + MESSAGE_OVERHEAD;
            let more = page.messages.iter().filter(|it| !stand.contains(&it.message.id));
            whole += more.map(cost).sum::<u64>();
            start += limit;
        }
        // What it keeps may go with an older one then.
        let facts = kept_block(&record.receipt.kept, folds.told_in("en")).unwrap_or_default();
        whole += folds.calibration.correct(estimate(&facts));
        let over = (next.tokens - told + whole).saturating_sub(next.budget);
        Ok((over > 0).then_some(Excess { over, budget: next.budget }))
    }
}

/// Tokens of the sections that both requests begin with.
fn same_beginning(before: &RequestView, after: &RequestView) -> u64 {
    let pairs = before.sections.iter().zip(&after.sections);
    let same =
        pairs.take_while(|(before, after)| before.text == after.text && before.id == after.id);
    same.map(|(_, after)| after.tokens).sum()
}

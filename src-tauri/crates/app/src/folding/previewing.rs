//! A fold before it is adopted: made, weighed and laid beside the request without it. Nothing of the conversation
//! changes; adopting it, or editing it, is what makes it hold.

use siltstone_contract::{ConversationRef, Failure, FoldPreview, PreviewRequest, RequestView};
use siltstone_engine::summary::{Draft, Record};
use siltstone_engine::turn::Usage;
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::asides::Writer;
use crate::failure::{Outcome, conflict, of_fault};
use crate::projects::blocking;

impl App {
    /// What the next fold would be, and what it would cost; [`App::summary_try_cancel`] stops it.
    pub async fn summary_preview(&self, request: ConversationRef) -> Result<FoldPreview, Failure> {
        let id = request.id;
        let (draft, writer) = self.due_at_once(id).await?;
        let trying = self.0.jobs.tries.begin(id);
        let trying = trying.ok_or_else(|| conflict("another fold is being tried"))?;
        let candidate = self.candidate(draft, writer.as_ref(), &trying.stop).await?;
        drop(trying);
        self.laid_beside(candidate).await
    }

    /// A summary that stands for nothing; what was paid for it is kept, also when it failed.
    pub(crate) async fn candidate(
        &self,
        draft: Draft,
        writer: Option<&Writer>,
        stop: &CancellationToken,
    ) -> Result<Record, Failure> {
        let made = self.written(draft, writer, stop).await;
        let provider = writer.map(Writer::provider);
        self.stores()?.summaries.put_candidate(&made, provider).or_failure()?;
        match made.fault {
            None => Ok(made),
            Some(fault) => Err(of_fault(fault)),
        }
    }

    async fn laid_beside(&self, candidate: Record) -> Result<FoldPreview, Failure> {
        let stores = self.stores()?;
        let id = candidate.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let draft = conversation.draft.clone();
        let request = PreviewRequest { conversation_id: id, draft, context: None };
        let before = self.previewed(request.clone(), None).await?;
        let after = self.previewed(request, Some(candidate.clone())).await?;
        let reread_tokens = after.tokens - same_beginning(&before, &after);
        let choice = self.choice_for(&conversation)?;
        let tariff = self.tariff(&stores, &choice)?;
        let read = Usage { input_tokens: reread_tokens, ..Usage::default() };
        let (app, record) = (self.clone(), candidate.clone());
        let check = blocking(move || app.check(&app.ground(&record)?, record)).await??;
        Ok(FoldPreview {
            candidate,
            check,
            tokens_before: before.tokens,
            tokens_after: after.tokens,
            reread_tokens,
            reread_cost: tariff.map(|tariff| tariff.cost(&read)),
            missing_constraints: after.missing_constraints,
        })
    }
}

/// Tokens of the sections that both requests begin with.
fn same_beginning(before: &RequestView, after: &RequestView) -> u64 {
    let pairs = before.sections.iter().zip(&after.sections);
    let same =
        pairs.take_while(|(before, after)| before.text == after.text && before.id == after.id);
    same.map(|(_, after)| after.tokens).sum()
}

//! The commands of summaries: what there is, and what a person does to it.
//!
//! Nothing a person does changes an original or another summary: an edit, another try and an older version that is
//! taken again are new versions, and the newest one holds.

use std::sync::Arc;

use siltstone_contract::{
    ConversationRef, EditSummary, Failure, SetFolding, SummaryPanel, SummaryRef, TrySummary,
};
use siltstone_engine::conversation::{ConversationPatch, Folding};
use siltstone_engine::summary::{Rate, Record, Statistics, Status, readable, to_discard};
use tokio_util::sync::CancellationToken;

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::folding::FoldingService;
use crate::folding::folds::next_version;
use crate::folding::summarising::Task;

/// Longest summary of a person, in characters.
const SUMMARY: usize = 100_000;

impl FoldingService {
    /// The summaries of a conversation, and how it is told.
    pub async fn summary_list(&self, request: ConversationRef) -> Result<SummaryPanel, Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(request.id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        let mut folds = self.shown_folds(&stores, &conversation, &choice).await?;
        let distance = folds.distance(&stores, request.id)?;
        let overlay = folds.overlay();
        let mut panel = SummaryPanel {
            policy: folds.settings.policy,
            rate: folds.settings.rate,
            follows_default: conversation.folding == Folding::default(),
            folding: conversation.folding,
            strict: folds.settings.strict,
            enabled: folds.settings.enabled,
            records: Vec::new(),
            shown: overlay.records().iter().map(|record| record.id).collect(),
            first_raw: overlay.first_raw(),
            distance,
            busy: in_progress(&folds.records).map(|record| record.id),
            writing: readable(&self.jobs.writing(request.id)),
            statistics: Statistics::of(&overlay),
            spent_tokens: stores.summaries.spent_on_summaries(request.id).or_failure()?,
        };
        let records = stores.summaries.summaries(request.id).or_failure()?;
        folds.find(&stores, &records)?;
        panel.records = records.into_iter().filter(|record| folds.is_on_path(record)).collect();
        Ok(panel)
    }

    /// One summary.
    pub async fn summary_get(&self, request: SummaryRef) -> Result<Record, Failure> {
        self.core.stores()?.summaries.summary(request.id).or_failure()
    }

    /// Summarises in the background what can be summarised now.
    pub async fn summary_run(&self, request: ConversationRef) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(request.id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        let folds = self.shown_folds(&stores, &conversation, &choice).await?;
        if folds.distance(&stores, request.id)?.is_none() {
            return Err(conflict("this conversation is told without summaries"));
        }
        // One that is being made goes on, and looks for more by itself.
        if in_progress(&folds.records).is_none() && self.jobs.ended(request.id).is_none() {
            self.due_at_once(request.id).await?;
        }
        self.summarise(request.id, Task::All);
        Ok(())
    }

    /// Stops the summary that is being made.
    pub async fn summary_cancel(&self, request: ConversationRef) -> Result<(), Failure> {
        if self.jobs.stop(request.id) {
            return Ok(());
        }
        let records = self.core.stores()?.summaries.standing(request.id).or_failure()?.records;
        match in_progress(&records) {
            Some(_) => Err(conflict("another program is making this summary; stop it there")),
            None => Ok(()),
        }
    }

    /// A new version in the person's words.
    pub async fn summary_edit(&self, request: EditSummary) -> Result<Record, Failure> {
        let text = request.text.trim();
        if text.is_empty() || text.chars().count() > SUMMARY {
            return Err(bad_request("a summary has at least one character, and at most 100,000"));
        }
        let record = self.core.stores()?.summaries.summary(request.id).or_failure()?;
        let edited = self.edited(record.edited(text, record.version, self.core.now())).await?;
        self.new_version(SummaryRef { id: request.id }, |_, version, now| Record {
            edited: true,
            ..edited.adopted(version, now)
        })
    }

    /// Takes a candidate or an older version as the newest one.
    pub async fn summary_adopt(&self, request: SummaryRef) -> Result<Record, Failure> {
        self.new_version(request, |record, version, now| record.adopted(version, now))
    }

    /// Makes a summary once more in the background.
    pub async fn summary_retry(&self, request: SummaryRef) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let record = stores.summaries.summary(request.id).or_failure()?;
        let id = record.conversation_id;
        let records = stores.summaries.standing(id).or_failure()?.records;
        if self.jobs.ended(id).is_some() || in_progress(&records).is_some() {
            return Err(conflict("a summary of this conversation is being made"));
        }
        let (draft, writer) = self.redraft(&record, None).await?;
        self.summarise(id, Task::One(Box::new(draft), writer));
        Ok(())
    }

    /// A summary of the same messages at another rate, which stands for nothing until it is adopted.
    pub async fn summary_try(&self, request: TrySummary) -> Result<Record, Failure> {
        let record = self.core.stores()?.summaries.summary(request.id).or_failure()?;
        let id = record.conversation_id;
        let trying = self.jobs.tries.begin(id);
        let trying = trying.ok_or_else(|| conflict("another rate is being tried"))?;
        self.tried(&record, request.rate, &trying.stop).await
    }

    /// Stops the summary that is being tried; it stays among those that were paid for.
    pub async fn summary_try_cancel(&self, request: ConversationRef) -> Result<(), Failure> {
        self.jobs.tries.stop(request.id);
        Ok(())
    }

    async fn tried(
        &self,
        record: &Record,
        rate: Rate,
        stop: &CancellationToken,
    ) -> Result<Record, Failure> {
        let (draft, writer) = self.redraft(record, Some(rate)).await?;
        self.candidate(draft, writer.as_ref(), stop).await
    }

    /// Changes how a conversation is told. A segment that was made ahead at another rate is not used.
    pub async fn folding_set(&self, request: SetFolding) -> Result<SummaryPanel, Failure> {
        let stores = self.core.stores()?;
        let id = request.conversation_id;
        let SetFolding { policy, rate, strict, recall, .. } = request;
        let folding = Folding { policy, rate, strict, recall };
        let patch = ConversationPatch { folding: Some(folding), ..Default::default() };
        stores.transcripts.update_conversation(id, &patch).or_failure()?;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let folds = self.folds(&stores, &conversation, &self.models.choice_for(&conversation)?)?;
        let ahead = to_discard(&folds.overlay(), conversation.message_count, folds.settings.rate);
        if let Some(ahead) = ahead {
            stores.summaries.discard_summary(ahead).or_failure()?;
        }
        self.core.conversation_changed(id);
        self.summary_list(ConversationRef { id }).await
    }

    pub(crate) fn new_version(
        &self,
        request: SummaryRef,
        of: impl FnOnce(&Record, u32, siltstone_engine::Timestamp) -> Record,
    ) -> Result<Record, Failure> {
        let stores = self.core.stores()?;
        let record = stores.summaries.summary(request.id).or_failure()?;
        if !record.is_completed() && !record.is_undone() {
            return Err(conflict("this summary was not made"));
        }
        let version = next_version(&stores, &record)?;
        let made = of(&record, version, self.core.now());
        stores.summaries.put_summary(&made).or_failure()?;
        self.core.conversation_changed(made.conversation_id);
        Ok(made)
    }
}

fn in_progress(records: &[Arc<Record>]) -> Option<&Record> {
    records.iter().map(AsRef::as_ref).find(|record| record.status == Status::InProgress)
}

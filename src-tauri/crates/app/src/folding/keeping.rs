//! What a person does to a fold: looks at what it keeps, keeps or drops a fact, takes the fold back.

use siltstone_contract::{
    ConversationRef, Failure, FoldCheck, KeepFact, LeftBehind, SummaryPanel, SummaryRef,
};
use siltstone_engine::ledger::Fact;
use siltstone_engine::summary::{Record, Scales};

use super::Ground;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::folding::FoldingService;

impl FoldingService {
    /// What a summary keeps of its messages, leaves behind and claims without support, measured now.
    pub async fn summary_check(&self, request: SummaryRef) -> Result<FoldCheck, Failure> {
        let record = self.core.stores()?.summaries.summary(request.id).or_failure()?;
        let this = self.clone();
        blocking(move || {
            let ground = this.ground(&record)?;
            this.check(&ground, record)
        })
        .await?
    }

    /// Keeps a fact with a summary, as a new version.
    pub async fn summary_keep(&self, request: KeepFact) -> Result<Record, Failure> {
        let keeping =
            |scales: &Scales<'_>, record: &Record, text: &str| scales.keeping(record, text);
        self.reweighed(request, "its messages do not say that", keeping).await
    }

    /// Drops a fact that goes with a summary, as a new version.
    pub async fn summary_drop(&self, request: KeepFact) -> Result<Record, Failure> {
        let dropping =
            |scales: &Scales<'_>, record: &Record, text: &str| scales.dropping(record, text);
        self.reweighed(
            request,
            "no such fact goes with it: what its text says is changed there",
            dropping,
        )
        .await
    }

    /// Takes a summary back: what held before it holds again. The newest of a path can be; taking it up again is
    /// adopting it.
    pub async fn summary_undo(&self, request: SummaryRef) -> Result<SummaryPanel, Failure> {
        let stores = self.core.stores()?;
        let record = stores.summaries.summary(request.id).or_failure()?;
        let id = record.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let folds = self.folds(&stores, &conversation, &self.models.choice_for(&conversation)?)?;
        if folds.overlay().records().last().map(|last| last.id) != Some(record.id) {
            return Err(conflict("only the newest fold of the shown path can be taken back"));
        }
        stores.summaries.put_summary(&record.undone(self.core.now())).or_failure()?;
        self.core.conversation_changed(id);
        self.summary_list(ConversationRef { id }).await
    }

    /// A text of a person's, with the facts that go with it.
    pub(crate) async fn edited(&self, record: Record) -> Result<Record, Failure> {
        let this = self.clone();
        blocking(move || {
            let ground = this.ground(&record)?;
            if ground.folds.settings.strict || !ground.folds.is_on_path(&record) {
                return Ok(record);
            }
            this.on_scales(&ground, &record, |scales| {
                let mut record = scales.with_facts(record.clone(), &ground.before(&record));
                this.check_lines(&ground, &mut record)?;
                Ok(record)
            })
        })
        .await?
    }

    async fn reweighed(
        &self,
        KeepFact { id, text }: KeepFact,
        otherwise: &'static str,
        how: impl FnOnce(&Scales<'_>, &Record, &str) -> Option<Record> + Send + 'static,
    ) -> Result<Record, Failure> {
        let record = self.core.stores()?.summaries.summary(id).or_failure()?;
        let this = self.clone();
        let changed = blocking(move || {
            let ground = this.ground(&record)?;
            if ground.folds.settings.strict {
                return Err(conflict(
                    "nothing goes with a summary that follows the designs strictly",
                ));
            }
            on_path(&ground, &record)?;
            this.on_scales(&ground, &record, |scales| {
                how(scales, &record, &text).ok_or_else(|| bad_request(otherwise))
            })
        })
        .await??;
        self.new_version(SummaryRef { id }, |_, version, now| changed.adopted(version, now))
    }

    pub(crate) fn check(&self, ground: &Ground, mut record: Record) -> Result<FoldCheck, Failure> {
        on_path(ground, &record)?;
        if record.receipt.lines.is_empty() {
            record.receipt = record.receipt.edited(&record.summary);
        }
        self.check_lines(ground, &mut record)?;
        self.on_scales(ground, &record, |scales| {
            let left = scales.left_behind(&record).into_iter();
            Ok(FoldCheck {
                id: record.id,
                gate: scales.gate(&record),
                retention: scales.retention(&record),
                left_behind: left.map(left_behind).collect(),
                tokens: scales.tokens(&record),
                unsupported: record
                    .receipt
                    .lines
                    .iter()
                    .filter(|line| !line.unsupported.is_empty())
                    .cloned()
                    .collect(),
            })
        })
    }
}

fn on_path(ground: &Ground, record: &Record) -> Result<(), Failure> {
    if !record.is_completed() && !record.is_undone() {
        return Err(conflict("this summary was not made"));
    }
    match ground.folds.is_on_path(record) {
        true => Ok(()),
        false => Err(conflict("the messages of this summary are on another branch")),
    }
}

fn left_behind(fact: Fact) -> LeftBehind {
    let used_again = fact.is_used_again();
    let entry = fact.entry;
    LeftBehind {
        text: entry.text,
        category: entry.category,
        message: entry.message,
        span: entry.span,
        used_again,
    }
}

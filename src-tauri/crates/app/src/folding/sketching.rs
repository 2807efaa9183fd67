//! The next fold before anybody is asked for it: what a rate comes to, in sentences that are chosen without a model. No
//! model reads a word and nothing is stored. Deliberately absent: what it does to the next request, which
//! `requests::previewing` says of a fold that was made.

use siltstone_contract::{Code, Failure, FoldSketch, SketchFold};
use siltstone_engine::summary::Moment;
use tokio_util::sync::CancellationToken;

use crate::core::blocking;
use crate::core::failure::of_fault;
use crate::folding::FoldingService;

impl FoldingService {
    /// What the next fold would come to, as far as it is there already; `None` where nothing is. A newer one stops it.
    pub async fn summary_sketch(&self, request: SketchFold) -> Result<Option<FoldSketch>, Failure> {
        let newer = self.jobs.next_sketch();
        tokio::select! {
            biased;
            () = newer.cancelled() => Err(Failure::new(Code::Cancelled, "a newer one is wanted")),
            sketch = self.sketched(request) => sketch,
        }
    }

    async fn sketched(
        &self,
        SketchFold { id, rate }: SketchFold,
    ) -> Result<Option<FoldSketch>, Failure> {
        let Some((conversation, mut folds)) = self.foldable(id).await? else { return Ok(None) };
        folds.settings.rate = rate.unwrap_or(folds.settings.rate);
        let gathered = folds.gathered();
        let due = self.drafted(&conversation, folds, None, Moment::TurnClosed, true).await?;
        let draft = match due {
            Some(draft) => Some(draft),
            None => self.drafted(&conversation, gathered, None, Moment::TurnClosed, false).await?,
        };
        let Some(draft) = draft else { return Ok(None) };
        let summary = self.written(draft, None, &CancellationToken::new()).await;
        if let Some(fault) = summary.fault {
            return Err(of_fault(fault));
        }
        let (this, record) = (self.clone(), summary.clone());
        let check = blocking(move || this.check(&this.ground(&record)?, record)).await??;
        Ok(Some(FoldSketch { summary, check }))
    }
}

//! The search over everything.

use siltstone_contract::{Failure, Find};
use siltstone_engine::search::FoundEverywhere;

use crate::App;
use crate::failure::Outcome;
use crate::projects::blocking;

/// Most of a kind that are given.
const FOUND: u32 = 100;

impl App {
    /// Search over everything: conversations, summaries, decisions, memory, files, checkpoints.
    pub async fn find(&self, request: Find) -> Result<FoundEverywhere, Failure> {
        let finder = self.stores()?.finder;
        let Find { query, filter, limit } = request;
        blocking(move || finder.find_everywhere(&query, &filter, limit.min(FOUND)))
            .await?
            .or_failure()
    }
}

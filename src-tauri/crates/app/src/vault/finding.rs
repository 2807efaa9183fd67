//! Finding what was said in kept sessions.

use std::collections::HashSet;

use siltstone_contract::{Failure, SearchVault, VaultFound, VaultHit};
use siltstone_engine::search::{Query, snippet};
use siltstone_engine::vault::FoundSaid;

use super::showing::is_below;
use super::{Known, VaultService};
use crate::core::blocking;
use crate::core::failure::Outcome;

/// Most hits that are given.
const HITS: u32 = 100;

impl VaultService {
    /// What was said with these words in sessions, subagents' included; the best first.
    pub async fn vault_search(&self, request: SearchVault) -> Result<VaultFound, Failure> {
        let this = self.clone();
        blocking(move || this.found(&request)).await?
    }

    fn found(&self, request: &SearchVault) -> Result<VaultFound, Failure> {
        let store = self.store()?;
        let files = match (request.agent, &request.folder) {
            (None, None) => None,
            _ => Some(self.narrowed(request)?),
        };
        let query = Query::parse(&request.query);
        let limit = request.limit.min(HITS) as usize;
        let found = store.find(&query, files.as_ref(), limit).or_failure()?;
        let of: Vec<u64> = found.hits.iter().map(|hit| hit.file).collect();
        let of = store.facts_of(&of).or_failure()?;
        let cleaner = self.privacy.cleaner();
        let hit = |FoundSaid { file, said }: FoundSaid| {
            let facts = of.get(&file)?;
            let text = cleaner.text(&said.text);
            Some(VaultHit {
                agent: facts.agent,
                id: facts.id.clone(),
                parent: facts.parent.clone(),
                title: cleaner.text(&facts.title).into_owned(),
                folder: facts.folder.clone(),
                number: said.entry + 1,
                role: said.role,
                at: said.at.or(facts.ended_at),
                snippet: snippet(&text, &query),
            })
        };
        Ok(VaultFound {
            hits: found.hits.into_iter().filter_map(hit).collect(),
            total: found.total,
            capped: found.capped,
        })
    }

    /// The files of the sessions in which it is looked.
    fn narrowed(&self, request: &SearchVault) -> Result<HashSet<u64>, Failure> {
        let wanted = |known: &Known| {
            let agent = request.agent.is_none_or(|agent| agent == known.file.home.agent);
            let folder = known.facts.as_ref().and_then(|facts| facts.folder.as_deref());
            agent && request.folder.as_deref().is_none_or(|wanted| is_below(folder, wanted))
        };
        let known = self.known()?;
        Ok(known.iter().filter(|it| wanted(it)).map(|it| it.file.id).collect())
    }
}

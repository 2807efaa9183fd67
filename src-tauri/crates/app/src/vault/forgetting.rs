//! Deleting what is kept, for ever: out of the database and out of the packs.

use std::collections::HashSet;

use siltstone_contract::{Failure, ForgetVault, ForgetWhat, Topic, VaultForgets};
use siltstone_engine::vault::{Agent, SaidAt};

use super::showing::{all_of, file_of, named};
use super::{Known, VaultService};
use crate::core::blocking;
use crate::core::failure::Outcome;

impl VaultService {
    /// Says what would go, and with a yes lets it go. The agents' own files are never touched.
    pub async fn vault_forget(&self, request: ForgetVault) -> Result<VaultForgets, Failure> {
        // What is being kept just now is kept to its end, and then goes with the rest.
        let alone = if request.yes { Some(self.alone().await) } else { None };
        let this = self.clone();
        let done = blocking(move || {
            let _alone = alone;
            this.forget(request)
        });
        let done = done.await?;
        self.core.changed([Topic::Vault]);
        done
    }

    fn forget(&self, request: ForgetVault) -> Result<VaultForgets, Failure> {
        let store = self.store()?;
        let known = self.known()?;
        let goes: Vec<&Known> = match &request.what {
            ForgetWhat::Session { id } => all_of(&known, named(&known, id)?),
            ForgetWhat::Agent { agent } => {
                known.iter().filter(|it| it.file.home.agent == *agent).collect()
            }
        };
        let mut forgets = VaultForgets {
            files: goes.iter().map(|it| file_of(it)).collect(),
            done: request.yes,
            freed: 0,
        };
        if !request.yes {
            return Ok(forgets);
        }
        let ids: Vec<u64> = goes.iter().map(|it| it.file.id).collect();
        let gone: HashSet<u64> = ids.iter().copied().collect();
        let mut stays = Vec::new();
        for it in known.iter().filter(|it| !gone.contains(&it.file.id)) {
            if self.goes_on_from(it, &gone)? {
                stays.push(&it.file);
            }
        }
        let for_good = matches!(request.what, ForgetWhat::Session { .. });
        if let ForgetWhat::Agent { agent } = request.what {
            // First: what is kept again afterwards would not be what was asked for.
            for home in store.agreed().or_failure()?.iter().filter(|home| home.agent == agent) {
                store.agree(home, false, self.core.now()).or_failure()?;
            }
        }
        let sessions: HashSet<(Agent, &str)> = goes
            .iter()
            .filter_map(|it| Some((it.file.home.agent, it.facts.as_ref()?.id.as_str())))
            .collect();
        // First: afterwards nobody knows any more which they were.
        let told = |at: &SaidAt| sessions.contains(&(at.agent, at.session.as_str()));
        self.core.stores()?.transcripts.forget_sessions(&told).or_failure()?;
        forgets.freed = store.forget(&ids, for_good).or_failure()?.freed;
        // Who went on from it has nothing of it any more, in what is found either.
        for file in stays {
            self.understand_one(file, file, &[])?;
        }
        Ok(forgets)
    }
}

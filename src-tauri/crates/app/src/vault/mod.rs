//! Sessions of other agents: asking for them, keeping them, showing them, forgetting them.
//!
//! Nothing is kept of a folder before the person said yes to it, having seen how much is there and since when. What is
//! kept is data: it is shown without secrets, and enters no request. Kept first, understood afterwards: a session that
//! cannot be understood is kept all the same, and is read again whenever this program reads better.

mod finding;
mod following;
mod forgetting;
mod scanning;
mod showing;

pub(crate) use scanning::Running;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use siltstone_contract::{
    AgreeVault, CancelVault, Code, Failure, LookVault, RecallVault, Topic, VaultFollowing,
    VaultKept, VaultSource, VaultStatus,
};
use siltstone_engine::ports::StoreError;
use siltstone_engine::vault::{
    AgentHome, AgentSessions, FileRole, KeptFile, Listing, Place, SessionFacts, Tally, VaultStore,
};
use tokio_util::sync::CancellationToken;

use crate::core::failure::Outcome;
use crate::core::{Core, blocking, locked, service};
use crate::privacy::PrivacyService;

service! {
    /// Sessions of other agents.
    VaultService {
        needs { core: Core, privacy: PrivacyService }
        keeps {
            /// The scan that goes on in this program, which whoever asks for another one meanwhile watches.
            running: Mutex<Option<Running>>,
            /// How keeping by itself goes on.
            following: Mutex<VaultFollowing>,
        }
    }
}

/// What is kept of a file, and what it is.
struct Known {
    file: KeptFile,
    role: FileRole,
    /// The session that it belongs to, where its path says so.
    owner: Option<String>,
    /// What was understood of it.
    facts: Option<SessionFacts>,
}

impl Known {
    /// Whether it is a session of its own.
    fn is_session(&self) -> bool {
        self.role == FileRole::Session && self.facts.as_ref().is_none_or(|it| it.parent.is_none())
    }
}

impl VaultService {
    fn store(&self) -> Result<Arc<dyn VaultStore>, Failure> {
        Ok(self.core.stores()?.vault)
    }

    fn agents(&self) -> Arc<dyn AgentSessions> {
        self.core.world.agents.clone()
    }

    /// Folders of agents, those that the person said yes to and that are gone included.
    pub async fn vault_sources(&self, (): ()) -> Result<Vec<VaultSource>, Failure> {
        let this = self.clone();
        blocking(move || {
            let agents = this.agents();
            let store = this.store()?;
            let agreed = store.agreed().or_failure()?;
            let files = store.files().or_failure()?;
            // A place that a person named is known by the yes to it, or by what is kept of it after that was taken back.
            let kept: BTreeSet<AgentHome> = files.into_iter().map(|file| file.home).collect();
            let is_there = |home: &AgentHome| {
                !agents.homes_at(Path::new(&home.root), Some(home.agent)).is_empty()
            };
            let mut homes = agents.homes();
            for home in agreed.iter().cloned().chain(kept.into_iter().filter(is_there)) {
                if !homes.contains(&home) {
                    homes.push(home);
                }
            }
            looked(&*agents, homes, &agreed)
        })
        .await?
    }

    /// A place that the person names, as the sources that it is; what is not there is none.
    pub async fn vault_look(&self, request: LookVault) -> Result<Vec<VaultSource>, Failure> {
        let this = self.clone();
        blocking(move || {
            let agents = this.agents();
            let homes = agents.homes_at(Path::new(&request.path), request.agent);
            looked(&*agents, homes, &this.store()?.agreed().or_failure()?)
        })
        .await?
    }

    /// Says yes to folders, or takes it back.
    pub async fn vault_agree(&self, request: AgreeVault) -> Result<Vec<VaultSource>, Failure> {
        let store = self.store()?;
        for home in &request.homes {
            store.agree(home, request.yes, self.core.now()).or_failure()?;
        }
        self.core.changed([Topic::Vault]);
        self.vault_sources(()).await
    }

    /// Cancels work; what is over already is fine.
    pub async fn vault_cancel(&self, request: CancelVault) -> Result<(), Failure> {
        if let Some(cancel) = locked(&self.core.probes).remove(&request.work_id) {
            cancel.cancel();
        }
        Ok(())
    }

    /// Whether what was said in sessions that worked in a project may go in its requests.
    pub async fn vault_recall(&self, request: RecallVault) -> Result<(), Failure> {
        self.core.stores()?.records.project(request.project_id).or_failure()?;
        self.core.change_settings(|it| {
            match request.allow {
                true => it.recall_sessions.insert(request.project_id),
                false => it.recall_sessions.remove(&request.project_id),
            };
        })?;
        self.core.changed([Topic::Settings, Topic::All]);
        Ok(())
    }

    /// What is kept of whom.
    pub async fn vault_status(&self, (): ()) -> Result<VaultStatus, Failure> {
        let this = self.clone();
        blocking(move || {
            let store = this.store()?;
            let agreed = store.agreed().or_failure()?;
            let mut kept: Vec<VaultKept> = Vec::new();
            for home in &agreed {
                kept.push(nothing_of(home.clone(), true));
            }
            // Several files may be one session.
            let mut sessions = HashSet::new();
            for known in this.known()? {
                let home = &known.file.home;
                let at = kept.iter().position(|it| it.home == *home).unwrap_or_else(|| {
                    kept.push(nothing_of(home.clone(), false));
                    kept.len() - 1
                });
                add(&mut kept[at], &known);
                let id = known.facts.as_ref().map(|facts| facts.id.clone());
                let is_new = id.is_none_or(|id| sessions.insert((home.clone(), id)));
                kept[at].sessions += u64::from(known.is_session() && is_new);
            }
            let size = store.state().or_failure()?;
            let following = locked(&this.following).clone();
            Ok(VaultStatus { kept, bytes: size.bytes, stored: size.stored, following })
        })
        .await?
    }

    /// Everything that is kept.
    fn known(&self) -> Result<Vec<Known>, Failure> {
        let (store, agents) = (self.store()?, self.agents());
        let mut facts: HashMap<u64, SessionFacts> = store.facts().or_failure()?;
        let known = |file: KeptFile| {
            let (role, owner) = agents.role(file.home.agent, &file.path);
            let facts = facts.remove(&file.id);
            Known { role, owner, facts, file }
        };
        Ok(store.files().or_failure()?.into_iter().map(known).collect())
    }

    /// Runs work that can be cancelled by a name.
    async fn cancellable<T: Send + 'static>(
        &self,
        id: String,
        cancel: CancellationToken,
        work: impl FnOnce(&Self, CancellationToken) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        locked(&self.core.probes).insert(id.clone(), cancel.clone());
        let this = self.clone();
        let done = blocking(move || work(&this, cancel)).await;
        locked(&self.core.probes).remove(&id);
        done?
    }
}

/// The failure of a store, or that the person cancelled.
fn of_store(error: StoreError) -> Failure {
    match error {
        StoreError::Conflict { what: "cancelled" } => Failure::new(Code::Cancelled, "cancelled"),
        error => crate::core::failure::of_store(error),
    }
}

/// What is in these folders.
fn looked(
    agents: &dyn AgentSessions,
    homes: Vec<AgentHome>,
    agreed: &[AgentHome],
) -> Result<Vec<VaultSource>, Failure> {
    let source = |home: AgentHome| -> Result<VaultSource, Failure> {
        let all = Place::all_of(home.clone());
        let found = agents.files(&all, &mut |_| true).or_failure()?;
        let agreed = agreed.contains(&home);
        Ok(source_of(agents, home, agreed, found))
    };
    homes.into_iter().map(source).collect()
}

fn source_of(
    agents: &dyn AgentSessions,
    home: AgentHome,
    agreed: bool,
    found: Listing,
) -> VaultSource {
    // Two files may be one session, where their paths say so.
    let session = |path: &str| match agents.role(home.agent, path) {
        (FileRole::Session, of) => Some(of.unwrap_or_else(|| path.to_owned())),
        _ => None,
    };
    let sessions: HashSet<String> =
        found.files.iter().filter_map(|file| session(&file.path)).collect();
    let stamps = || found.files.iter().map(|file| file.stamp);
    // Where no row of a database says when, its stamp says nothing of the day.
    let times = || stamps().map(|stamp| stamp.modified).filter(|at| at.as_second() > 0);
    VaultSource {
        agreed,
        sessions: sessions.len() as u64,
        files: found.files.len() as u64,
        bytes: stamps().map(|stamp| stamp.bytes).sum(),
        first: times().min(),
        last: times().max(),
        skipped: found.skipped,
        home,
    }
}

fn nothing_of(home: AgentHome, agreed: bool) -> VaultKept {
    VaultKept {
        home,
        agreed,
        sessions: 0,
        files: 0,
        gone: 0,
        changed: 0,
        bytes: 0,
        kept_at: None,
        unknown: Tally::new(),
        unreadable: 0,
    }
}

fn add(kept: &mut VaultKept, known: &Known) {
    let file = &known.file;
    kept.files += 1;
    kept.gone += u64::from(file.gone_at.is_some());
    kept.changed += u64::from(file.cut > 0 || file.versions > 1);
    kept.bytes += file.bytes;
    kept.kept_at = kept.kept_at.max(Some(file.kept_at));
    if let Some(facts) = &known.facts {
        add_up(&mut kept.unknown, &facts.unknown);
        kept.unreadable += facts.unreadable;
    }
}

/// Adds counts to others.
fn add_up(all: &mut Tally, more: &Tally) {
    for (kind, count) in more {
        *all.entry(kind.clone()).or_default() += count;
    }
}

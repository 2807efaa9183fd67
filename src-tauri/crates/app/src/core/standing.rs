//! Projects as they stand: each is the folder that the person answered about, and not whatever has its path by now.
//!
//! A folder is known by what the system calls it ([`ProjectFiles::identity`]), which is kept when it is opened. Where
//! another one is at its path, nobody was asked about that: whoever wants to read, write, run or restore something
//! there is refused, until it is opened and answered for again. So every use of the project's row asks, and nobody
//! can forget to. What needs no folder ([`Core::known_project`]) has the row all the same, of a project that is not
//! trusted.

use std::sync::Arc;

use siltstone_contract::Failure;
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::keys::{Account, KeyShown};
use siltstone_engine::offers::OffersAt;
use siltstone_engine::ports::{ProjectFiles, Records, StoreError};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::provider::ProviderRecord;
use siltstone_engine::settings::Settings;

use crate::core::Core;
use crate::core::failure::{Outcome, of_store};

/// Records whose projects are looked at before they are given.
pub(crate) struct Standing {
    of: Arc<dyn Records>,
    files: Arc<dyn ProjectFiles>,
}

impl Standing {
    pub(crate) fn over(of: Arc<dyn Records>, files: Arc<dyn ProjectFiles>) -> Arc<dyn Records> {
        Arc::new(Self { of, files })
    }

    /// Keeps which folders those are that were opened before that was kept.
    pub(crate) fn note(of: &dyn Records, files: &dyn ProjectFiles) -> Result<(), StoreError> {
        for project in of.projects()?.into_iter().filter(|project| project.identity.is_none()) {
            if let Some(identity) = files.identity(&project.path) {
                of.put_project(&Project { identity: Some(identity), ..project })?;
            }
        }
        Ok(())
    }
}

/// Whether another folder is where a project was. One that is gone, or that cannot be told, is no other one.
pub(crate) fn is_replaced(files: &dyn ProjectFiles, project: &Project) -> bool {
    let known = project.identity.as_ref();
    known.zip(files.identity(&project.path)).is_some_and(|(known, now)| *known != now)
}

/// Passes a call on as it is.
macro_rules! pass {
    ($($name:ident($($argument:ident: $of:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($argument: $of),*) -> Result<$out, StoreError> {
            self.of.$name($($argument),*)
        })*
    };
}

impl Records for Standing {
    fn project(&self, id: ProjectId) -> Result<Project, StoreError> {
        let project = self.of.project(id)?;
        match is_replaced(&*self.files, &project) {
            true => Err(StoreError::Replaced { path: project.path }),
            false => Ok(project),
        }
    }

    fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let mut all = self.of.projects()?;
        for project in all.iter_mut().filter(|it| is_replaced(&*self.files, it)) {
            project.trust = Trust::Untrusted;
        }
        Ok(all)
    }

    pass! {
        put_project(project: &Project) -> ();
        project_at(path: &str) -> Option<Project>;
        set_trust(id: ProjectId, trust: Trust) -> ();
        forget_project(id: ProjectId) -> ();
        hand_over(from: ProjectId, to: ProjectId) -> ();
        settings() -> Settings;
        put_settings(settings: &Settings) -> ();
        change_settings(change: &mut dyn FnMut(&mut Settings)) -> Settings;
        providers() -> Vec<ProviderRecord>;
        put_provider(provider: &ProviderRecord) -> ();
        remove_provider(name: &str) -> bool;
        offers(agent: &str) -> Vec<OffersAt>;
        put_offers(agent: &ProviderRecord, offers: &OffersAt) -> ();
        keys_shown() -> Vec<(Account, KeyShown)>;
        put_key_shown(account: &Account, shown: &KeyShown) -> ();
        remove_key_shown(account: &Account) -> bool;
        sample(language: &str) -> Option<ConversationId>;
        put_sample(language: &str, id: ConversationId) -> ();
        data_version() -> u64;
    }
}

impl Core {
    /// Changes the settings as they are stored.
    pub(crate) fn change_settings(
        &self,
        mut change: impl FnMut(&mut Settings),
    ) -> Result<Settings, Failure> {
        self.stores()?.records.change_settings(&mut change).or_failure()
    }

    /// A project, wherever its folder is: for what does not touch that. Where another one is in its place, nothing of it
    /// is trusted.
    pub(crate) fn known_project(&self, id: ProjectId) -> Result<Project, Failure> {
        let all = self.stores()?.records.projects().or_failure()?;
        let found = all.into_iter().find(|project| project.id == id);
        found.ok_or_else(|| of_store(StoreError::NotFound { what: "project", id: id.to_string() }))
    }
}

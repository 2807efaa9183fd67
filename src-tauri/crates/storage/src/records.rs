//! The port for projects, settings, providers and what is shown of their keys.

use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::keys::{Account, KeyShown};
use siltstone_engine::offers::OffersAt;
use siltstone_engine::ports::{Records, StoreError};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::provider::ProviderRecord;
use siltstone_engine::settings::Settings;

use crate::{Store, keys, passages, projects, providers, samples, search, settings};

impl Records for Store {
    fn put_project(&self, project: &Project) -> Result<(), StoreError> {
        self.database.write(|db| projects::put(db, project))
    }

    fn project(&self, id: ProjectId) -> Result<Project, StoreError> {
        self.database.read(|db| projects::get(db, id))
    }

    fn project_at(&self, path: &str) -> Result<Option<Project>, StoreError> {
        self.database.read(|db| projects::at(db, path))
    }

    fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.database.read(|db| projects::list(db))
    }

    fn set_trust(&self, id: ProjectId, trust: Trust) -> Result<(), StoreError> {
        self.database.write(|db| projects::set_trust(db, id, trust))
    }

    fn hand_over(&self, from: ProjectId, to: ProjectId) -> Result<(), StoreError> {
        self.database.write(|db| projects::hand_over(db, from, to))
    }

    fn forget_project(&self, id: ProjectId) -> Result<(), StoreError> {
        // The index first: a project without one is only indexed again, an index without a project would stay for ever.
        self.passages.write(|db| passages::remove_project(db, id))?;
        search::compact(&self.passages, "passage_index")?;
        self.database.write(|db| projects::remove(db, id))?;
        search::compact(&self.database, "note_index")
    }

    fn settings(&self) -> Result<Settings, StoreError> {
        Ok((*self.settings.get(&self.database)?).clone())
    }

    fn put_settings(&self, settings: &Settings) -> Result<(), StoreError> {
        self.database.write(|db| settings::put(db, settings))
    }

    fn change_settings(
        &self,
        change: &mut dyn FnMut(&mut Settings),
    ) -> Result<Settings, StoreError> {
        self.database.write(|db| {
            let mut settings = settings::get(db)?;
            change(&mut settings);
            settings::put(db, &settings)?;
            Ok(settings)
        })
    }

    fn providers(&self) -> Result<Vec<ProviderRecord>, StoreError> {
        self.database.read(|db| providers::list(db))
    }

    fn put_provider(&self, provider: &ProviderRecord) -> Result<(), StoreError> {
        self.database.write(|db| providers::put(db, provider))
    }

    fn remove_provider(&self, name: &str) -> Result<bool, StoreError> {
        self.database.write(|db| providers::remove(db, name))
    }

    fn offers(&self, agent: &str) -> Result<Vec<OffersAt>, StoreError> {
        self.database.read(|db| providers::offers(db, agent))
    }

    fn put_offers(&self, agent: &ProviderRecord, offers: &OffersAt) -> Result<(), StoreError> {
        self.database.write(|db| providers::put_offers(db, agent, offers))
    }

    fn keys_shown(&self) -> Result<Vec<(Account, KeyShown)>, StoreError> {
        self.database.read(|db| keys::list(db))
    }

    fn put_key_shown(&self, account: &Account, shown: &KeyShown) -> Result<(), StoreError> {
        self.database.write(|db| keys::put(db, account, shown))
    }

    fn remove_key_shown(&self, account: &Account) -> Result<bool, StoreError> {
        self.database.write(|db| keys::remove(db, account))
    }

    fn sample(&self, language: &str) -> Result<Option<ConversationId>, StoreError> {
        self.database.read(|db| samples::get(db, language))
    }

    fn put_sample(&self, language: &str, id: ConversationId) -> Result<(), StoreError> {
        self.database.write(|db| samples::put(db, language, id))
    }

    fn data_version(&self) -> Result<u64, StoreError> {
        self.database.version()
    }
}

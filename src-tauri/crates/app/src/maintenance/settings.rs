//! Start-up facts and settings.

use siltstone_contract::{AppInfo, Failure, Topic};
use siltstone_engine::settings::Settings;

use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::maintenance::MaintenanceService;

impl MaintenanceService {
    /// Version, folders, languages and what start-up found.
    pub async fn app_info(&self, (): ()) -> Result<AppInfo, Failure> {
        if self.reopen() {
            self.core.changed([Topic::All]);
        }
        let options = &self.core.options;
        Ok(AppInfo {
            version: options.version.clone(),
            data_dir: options.data_dir.display().to_string(),
            data: self.data_state(),
            system_language: options.system_language.clone(),
            start_path: options.start_path.clone(),
        })
    }

    /// Begins with an empty database; a damaged one is moved aside and kept.
    pub async fn data_start_anew(&self, (): ()) -> Result<(), Failure> {
        self.replace(|data, now| data.start_anew(now))?;
        self.core.changed([Topic::All]);
        Ok(())
    }

    /// The settings.
    pub async fn settings_get(&self, (): ()) -> Result<Settings, Failure> {
        self.core.stores()?.records.settings().or_failure()
    }

    /// Stores all settings; gives them back as stored.
    pub async fn settings_set(&self, request: Settings) -> Result<Settings, Failure> {
        let mut settings = request.within_limits();
        let (records, network) = (self.core.stores()?.records, settings.network());
        let earlier = records.settings().or_failure()?;
        settings.privacy.encrypt_checkpoints = earlier.privacy.encrypt_checkpoints;
        // What was accepted once and broke since must not stand in the way of other changes.
        if network != earlier.network() {
            let providers = self.core.world.providers.clone();
            blocking(move || providers.check_network(&network)).await?.or_failure()?;
        }
        records.put_settings(&settings).or_failure()?;
        if settings.tools != earlier.tools {
            self.contexts.layers_changed().await;
        }
        self.core.changed([Topic::Settings, Topic::Providers]);
        self.turns.send_held();
        Ok(settings)
    }
}

//! Providers: the offline one, those the person added, and servers found on this computer.

use std::sync::Arc;

use siltstone_contract::{DefaultModel, Failure, ProviderItem, ProviderRef, Topic};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ports::{Access, ModelProvider};
use siltstone_engine::prompt::DEFAULT_WINDOW;
use siltstone_engine::provider::{FoundServer, ModelInfo, OFFLINE, ProviderKind, ProviderRecord};
use siltstone_engine::settings::Settings;

use crate::failure::{Outcome, bad_request};
use crate::{App, locked};

impl App {
    /// Providers, the offline one first.
    pub async fn provider_list(&self, (): ()) -> Result<Vec<ProviderItem>, Failure> {
        let settings = self.stores()?.records.settings().or_failure()?;
        let mut records = vec![offline()];
        records.extend(self.stores()?.records.providers().or_failure()?);
        Ok(records.into_iter().map(|record| item(record, &settings)).collect())
    }

    /// Adds or changes a provider.
    pub async fn provider_add(&self, request: ProviderRecord) -> Result<ProviderItem, Failure> {
        let stores = self.stores()?;
        let name = request.name.trim().to_owned();
        if name.is_empty() || name == OFFLINE || request.kind == ProviderKind::Offline {
            return Err(bad_request("a provider needs a name of its own"));
        }
        let record = ProviderRecord {
            name,
            kind: request.kind,
            base_url: request.base_url.trim().trim_end_matches('/').to_owned(),
        };
        // Refuses an address that may not be used before it is stored.
        self.0.world.providers.connect(&record, Access::default()).or_failure()?;
        stores.records.put_provider(&record).or_failure()?;
        locked(&self.0.windows).clear();
        self.changed([Topic::Providers]);
        Ok(item(record, &stores.records.settings().or_failure()?))
    }

    /// Removes a provider; what followed it falls back to the offline model.
    pub async fn provider_remove(&self, request: ProviderRef) -> Result<(), Failure> {
        let stores = self.stores()?;
        stores.records.remove_provider(&request.name).or_failure()?;
        let settings = stores.records.settings().or_failure()?;
        if settings.default_provider == request.name {
            let offline = DefaultModel { provider: OFFLINE.into(), model: OFFLINE.into() };
            self.provider_default(offline).await?;
        }
        self.changed([Topic::Providers]);
        Ok(())
    }

    /// The models of a provider; also a test of the connection.
    pub async fn provider_models(&self, request: ProviderRef) -> Result<Vec<ModelInfo>, Failure> {
        let provider = self.connect(&request.name)?;
        let models = provider.models().await.or_failure()?;
        let mut windows = locked(&self.0.windows);
        for model in &models {
            if let Some(window) = model.context_window {
                windows.insert((request.name.clone(), model.id.clone()), window);
            }
        }
        Ok(models)
    }

    /// Servers that answer on this computer.
    pub async fn provider_discover(&self, (): ()) -> Result<Vec<FoundServer>, Failure> {
        self.0.world.providers.discover().await.or_failure()
    }

    /// Chooses provider and model for conversations that chose none.
    pub async fn provider_default(&self, request: DefaultModel) -> Result<Settings, Failure> {
        let stores = self.stores()?;
        self.record(&request.provider)?;
        let mut settings = stores.records.settings().or_failure()?;
        settings.default_provider = request.provider;
        settings.default_model = request.model;
        stores.records.put_settings(&settings).or_failure()?;
        self.changed([Topic::Settings, Topic::Providers]);
        Ok(settings)
    }

    /// Provider and model a conversation asks: its own choice while that provider exists, else the default.
    pub(crate) fn choice_for(&self, conversation: &Conversation) -> Result<DefaultModel, Failure> {
        if let (Some(provider), Some(model)) = (&conversation.provider, &conversation.model)
            && self.record(provider).is_ok()
        {
            return Ok(DefaultModel { provider: provider.clone(), model: model.clone() });
        }
        let settings = self.stores()?.records.settings().or_failure()?;
        Ok(DefaultModel { provider: settings.default_provider, model: settings.default_model })
    }

    pub(crate) fn connect(&self, name: &str) -> Result<Arc<dyn ModelProvider>, Failure> {
        self.0.world.providers.connect(&self.record(name)?, Access::default()).or_failure()
    }

    /// Tokens of a model's window: as the provider said when it was last asked for its models.
    pub(crate) fn known_window(&self, choice: &DefaultModel) -> u64 {
        let key = (choice.provider.clone(), choice.model.clone());
        locked(&self.0.windows).get(&key).copied().unwrap_or(DEFAULT_WINDOW)
    }

    /// The same, asking the provider if it was not asked yet; a provider that does not answer changes nothing.
    pub(crate) async fn window_of(&self, choice: &DefaultModel) -> u64 {
        let key = (choice.provider.clone(), choice.model.clone());
        if !locked(&self.0.windows).contains_key(&key) {
            let asked = self.provider_models(ProviderRef { name: choice.provider.clone() }).await;
            if let Err(error) = asked {
                tracing::debug!(%error, "asking for models before a turn");
            }
        }
        self.known_window(choice)
    }

    fn record(&self, name: &str) -> Result<ProviderRecord, Failure> {
        if name == OFFLINE {
            return Ok(offline());
        }
        let all = self.stores()?.records.providers().or_failure()?;
        all.into_iter().find(|record| record.name == name).ok_or_else(|| {
            Failure::new(siltstone_contract::Code::NotFound, format!("no provider {name}"))
        })
    }
}

fn offline() -> ProviderRecord {
    ProviderRecord { name: OFFLINE.into(), kind: ProviderKind::Offline, base_url: String::new() }
}

fn item(record: ProviderRecord, settings: &Settings) -> ProviderItem {
    let is_default = settings.default_provider == record.name;
    ProviderItem {
        default_model: is_default.then(|| settings.default_model.clone()),
        name: record.name,
        kind: record.kind,
        base_url: record.base_url,
    }
}

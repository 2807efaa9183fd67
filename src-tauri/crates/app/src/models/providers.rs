//! Providers: the offline one, those the person added, and servers found on this computer.

use std::collections::BTreeMap;
use std::sync::Arc;

use siltstone_contract::{Code, DefaultModel, Failure, ProviderItem, ProviderRef, Topic};
use siltstone_engine::acp::{self, CommandLine};
use siltstone_engine::catalogue;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ProjectId, TurnId};
use siltstone_engine::keys::{self, Account};
use siltstone_engine::offers::{Offers, OffersAt, Told};
use siltstone_engine::ports::ModelProvider;
use siltstone_engine::provider::{
    FoundServer, ModelInfo, OFFLINE, ProviderError, ProviderKind, ProviderRecord, WindowSource,
};
use siltstone_engine::settings::Settings;
use siltstone_engine::turn::Turn;

use crate::core::failure::{Outcome, bad_request};
use crate::core::{blocking, locked};
use crate::models::ModelService;

impl ModelService {
    /// Providers, the offline one first.
    pub async fn provider_list(&self, (): ()) -> Result<Vec<ProviderItem>, Failure> {
        let settings = self.core.stores()?.records.settings().or_failure()?;
        let records = self.all_providers()?;
        records.into_iter().map(|record| self.item(record, &settings)).collect()
    }

    /// The same as they are stored.
    pub(crate) fn all_providers(&self) -> Result<Vec<ProviderRecord>, Failure> {
        let mut records = vec![offline()];
        records.extend(self.core.stores()?.records.providers().or_failure()?);
        Ok(records)
    }

    /// Adds or changes a provider.
    pub async fn provider_add(&self, request: ProviderRecord) -> Result<ProviderItem, Failure> {
        let stores = self.core.stores()?;
        let record = trimmed(request);
        let unnamed = record.name.is_empty() || record.name == OFFLINE;
        if unnamed || record.kind == ProviderKind::Offline {
            return Err(bad_request("a provider needs a name of its own"));
        }
        // Refuses an address that may not be used before it is stored.
        let access = self.access_without_key(&record, None, None)?;
        self.core.world.providers.connect(&record, access).or_failure()?;
        self.forget_key_of_earlier_address(&record).await?;
        stores.records.put_provider(&record).or_failure()?;
        locked(&self.told).clear();
        self.core.changed([Topic::Providers]);
        self.core.layers_changed().await;
        self.item(record, &stores.records.settings().or_failure()?)
    }

    /// Removes a provider and its key; what followed it falls back to the offline model. While a keyring that has the
    /// key is closed, nothing is removed.
    pub async fn provider_remove(&self, request: ProviderRef) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        match self.forget_key(&self.record(&request.name)?).await {
            // With the keyring gone from this system, so is the key.
            Err(failure) if failure.code != Code::KeyringAbsent => return Err(failure),
            _ => {}
        }
        stores.records.remove_provider(&request.name).or_failure()?;
        let settings = stores.records.settings().or_failure()?;
        if settings.default_provider == request.name {
            let offline = DefaultModel { provider: OFFLINE.into(), model: OFFLINE.into() };
            self.provider_default(offline).await?;
        }
        self.core.changed([Topic::Providers]);
        self.core.layers_changed().await;
        Ok(())
    }

    /// The models of a provider; also a test of the connection.
    pub async fn provider_models(&self, request: ProviderRef) -> Result<Vec<ModelInfo>, Failure> {
        let mut models = self.models_asked_for(&request.name).await?;
        let mut known = locked(&self.told);
        for model in &mut models {
            let key = (request.name.clone(), model.id.clone());
            // What a refusal told stays where the list tells nothing.
            if let Some(before) = known.get(&key).filter(|_| model.window_assumed())
                && !before.window_assumed()
            {
                (model.context_window, model.window_guessed) = (before.context_window, false);
            }
            known.insert(key, model.clone());
        }
        Ok(models)
    }

    /// An agent is started for that, because the person asked; everywhere else it is known by its name alone.
    async fn models_asked_for(&self, name: &str) -> Result<Vec<ModelInfo>, Failure> {
        let record = self.record(name)?;
        if let Some(command) = command_of(&record)? {
            let access = self.access_without_key(&record, None, None)?;
            let (models, told) =
                self.core.world.workers.look(command, access).await.or_failure()?;
            self.learn_offers(&record, None, told)?;
            return Ok(models);
        }
        let provider = self.connect(name, None, None).await?;
        provider.models().await.or_failure()
    }

    /// Servers that answer on this computer, and agents that are on it.
    pub async fn provider_discover(&self, (): ()) -> Result<Vec<FoundServer>, Failure> {
        let outbox = self.outbox("", None)?;
        let mut found = self.core.world.providers.discover(outbox).await.or_failure()?;
        let workers = self.core.world.workers.clone();
        found.extend(blocking(move || workers.found()).await?);
        Ok(found)
    }

    /// Chooses provider and model for conversations that chose none.
    pub async fn provider_default(&self, request: DefaultModel) -> Result<Settings, Failure> {
        self.record(&request.provider)?;
        let settings = self.core.change_settings(|it| {
            it.default_provider.clone_from(&request.provider);
            it.default_model.clone_from(&request.model);
        })?;
        self.core.changed([Topic::Settings, Topic::Providers]);
        Ok(settings)
    }

    /// Provider and model a conversation asks: its own choice while that provider exists, else the default.
    pub(crate) fn choice_for(&self, conversation: &Conversation) -> Result<DefaultModel, Failure> {
        if let (Some(provider), Some(model)) = (&conversation.provider, &conversation.model)
            && self.record(provider).is_ok()
        {
            return Ok(DefaultModel { provider: provider.clone(), model: model.clone() });
        }
        let settings = self.core.stores()?.records.settings().or_failure()?;
        Ok(DefaultModel { provider: settings.default_provider, model: settings.default_model })
    }

    /// The provider, with its key, for a project's conversation or for none.
    pub(crate) async fn connect(
        &self,
        name: &str,
        project: Option<ProjectId>,
        turn: Option<TurnId>,
    ) -> Result<Arc<dyn ModelProvider>, Failure> {
        let record = self.record(name)?;
        let access = self.access(&record, project, turn).await?;
        self.core.world.providers.connect(&record, access).or_failure()
    }

    /// The provider for what asks it nothing: no keyring is waited for.
    pub(crate) fn connect_without_key(
        &self,
        name: &str,
        project: Option<ProjectId>,
    ) -> Result<Arc<dyn ModelProvider>, Failure> {
        let record = self.record(name)?;
        let access = self.access_without_key(&record, project, None)?;
        self.core.world.providers.connect(&record, access).or_failure()
    }

    /// What is known of a model, with the window that the person gave it. Its provider is asked once; of a model that it
    /// does not list, or while it does not answer, its name tells what it tells until its models are listed again.
    pub(crate) async fn model_of(&self, choice: &DefaultModel) -> ModelInfo {
        if let Some(known) = self.known_model(choice) {
            return known;
        }
        let record = self.record(&choice.provider);
        if record.as_ref().is_ok_and(|it| it.kind == ProviderKind::Agent) {
            return acp::model(choice.model.clone(), None).with_own_window(&self.own_windows());
        }
        let asked = self.provider_models(ProviderRef { name: choice.provider.clone() }).await;
        if let Err(error) = asked {
            tracing::debug!(%error, "asking what a model is");
        }
        let key = (choice.provider.clone(), choice.model.clone());
        let model = ModelInfo::named(choice.model.clone());
        let by_name = match record {
            Ok(record) => catalogue::complete(model, &record.base_url),
            Err(_) => model,
        };
        let found = locked(&self.told).entry(key).or_insert(by_name).clone();
        found.with_own_window(&self.own_windows())
    }

    /// The same without asking.
    pub(crate) fn known_model(&self, choice: &DefaultModel) -> Option<ModelInfo> {
        let key = (choice.provider.clone(), choice.model.clone());
        let found = locked(&self.told).get(&key).cloned()?;
        Some(found.with_own_window(&self.own_windows()))
    }

    /// An agent that was started in a project, or in none, says what it offers there; what it does not tell stays.
    pub(crate) fn learn_offers(
        &self,
        agent: &ProviderRecord,
        project_id: Option<ProjectId>,
        told: Told,
    ) -> Result<(), Failure> {
        let records = &self.core.stores()?.records;
        let known = records.offers(&agent.name).or_failure()?;
        let before = known.iter().find(|it| it.project_id == project_id);
        let before = before.map(|it| it.told.clone()).unwrap_or_default();
        let told = before.clone().with(told);
        if told != before {
            records.put_offers(agent, &OffersAt { project_id, told }).or_failure()?;
            self.core.changed([Topic::Providers]);
        }
        Ok(())
    }

    /// Whether a message of a conversation is a command of the agent's own, which it reads alone.
    pub(crate) fn is_command(
        &self,
        conversation: &Conversation,
        choice: &DefaultModel,
        message: &str,
    ) -> Result<bool, Failure> {
        if !message.starts_with('/') || self.record(&choice.provider)?.kind != ProviderKind::Agent {
            return Ok(false);
        }
        let known = self.core.stores()?.records.offers(&choice.provider).or_failure()?;
        let project = conversation.project_id.map(|id| self.core.known_project(id)).transpose()?;
        Ok(Offers::at(&known, project.as_ref()).command_in(message).is_some())
    }

    /// An agent that was started says whether it reads pictures: the next request knows.
    pub(crate) fn learn_images(&self, turn: &Turn, images: bool) {
        let key = (turn.provider.clone(), turn.model.clone());
        let mut told = locked(&self.told);
        let model = told.entry(key).or_insert_with(|| acp::model(turn.model.clone(), None));
        model.takes_images = Some(images);
    }

    /// A server that refused a request as too long may have said how much the model holds: less than was thought is
    /// believed while this process lasts, for that server may be started otherwise next time. Nothing is sent again
    /// by itself; the next request is made, and shown, for that window.
    pub(crate) fn learn_window(&self, turn: &Turn, error: &ProviderError) {
        let ProviderError::ContextOverflow { holds: Some(holds), .. } = *error else { return };
        let key = (turn.provider.clone(), turn.model.clone());
        if let Some(model) = locked(&self.told).get_mut(&key)
            && holds < model.window()
        {
            (model.context_window, model.window_guessed) = (Some(holds), false);
        }
    }

    pub(crate) fn window_source(&self, model: &ModelInfo) -> WindowSource {
        match self.own_windows().contains_key(&model.id) {
            true => WindowSource::Person,
            false if model.window_assumed() => WindowSource::Assumed,
            false => WindowSource::Known,
        }
    }

    /// What the person said of models; without their settings, nothing.
    fn own_windows(&self) -> BTreeMap<String, u64> {
        let settings = self.core.stores().and_then(|stores| stores.records.settings().or_failure());
        settings.map(|settings| settings.windows).unwrap_or_default()
    }

    pub(crate) fn record(&self, name: &str) -> Result<ProviderRecord, Failure> {
        if name == OFFLINE {
            return Ok(offline());
        }
        let all = self.core.stores()?.records.providers().or_failure()?;
        all.into_iter()
            .find(|record| record.name == name)
            .ok_or_else(|| Failure::new(Code::NotFound, format!("no provider {name}")))
    }

    /// A key stays with the origin it was entered for; when the provider moves to another, it is of no use.
    async fn forget_key_of_earlier_address(&self, record: &ProviderRecord) -> Result<(), Failure> {
        let all = self.core.stores()?.records.providers().or_failure()?;
        let earlier = all.into_iter().find(|earlier| earlier.name == record.name);
        if let Some(earlier) = earlier
            && Account::of(&earlier) != Account::of(record)
            && let Err(error) = self.forget_key(&earlier).await
        {
            tracing::warn!(%error, "the key of an earlier address stays where it was, unused");
        }
        Ok(())
    }

    fn item(&self, record: ProviderRecord, settings: &Settings) -> Result<ProviderItem, Failure> {
        let is_default = settings.default_provider == record.name;
        Ok(ProviderItem {
            default_model: is_default.then(|| settings.default_model.clone()),
            key: self.key_shown(&record)?,
            needs_key: keys::needs_key(&record),
            offers: match record.kind {
                ProviderKind::Agent => {
                    self.core.stores()?.records.offers(&record.name).or_failure()?
                }
                _ => Vec::new(),
            },
            name: record.name,
            kind: record.kind,
            base_url: record.base_url,
        })
    }
}

/// What starts an agent; `None` for a provider that is none.
pub(crate) fn command_of(record: &ProviderRecord) -> Result<Option<CommandLine>, Failure> {
    if record.kind != ProviderKind::Agent {
        return Ok(None);
    }
    let command = CommandLine::parse(&record.base_url);
    command.map(Some).ok_or_else(|| bad_request("this is no command; a quote may be open"))
}

/// The record without blanks around it, its address without a last slash; a command may end with one.
pub(crate) fn trimmed(record: ProviderRecord) -> ProviderRecord {
    let ProviderRecord { name, kind, base_url } = record;
    let base_url = match kind {
        ProviderKind::Agent => base_url.trim(),
        _ => base_url.trim().trim_end_matches('/'),
    };
    ProviderRecord { name: name.trim().to_owned(), kind, base_url: base_url.to_owned() }
}

fn offline() -> ProviderRecord {
    ProviderRecord { name: OFFLINE.into(), kind: ProviderKind::Offline, base_url: String::new() }
}

//! `silt provider`.

use serde_json::json;
use siltstone_contract::{Code, DefaultModel, Failure, ProviderItem, ProviderRef, SetKey};
use siltstone_engine::provider::{ModelInfo, ProviderRecord};
use siltstone_engine::secret::Secret;

use crate::args;
use crate::host::Host;
use crate::input;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Provider) -> Result<(), Stop> {
    match command {
        args::Provider::List => list(host).await,
        args::Provider::Add { kind, name, base_url, key_stdin, keep } => {
            let key = key_stdin.then(input::stdin).transpose()?.map(Secret::new);
            let record = ProviderRecord { name, kind: kind.into(), base_url };
            let added = host.app.provider_add(record).await?;
            if let Some(key) = key {
                let (provider, place) = (added.name.clone(), keep.into());
                let kept = host.app.key_set(SetKey { provider, key, place }).await;
                kept.map_err(|refused| without_key(host, &added.name, refused))?;
            }
            let next = host.out.lang.pick(
                "`silt provider models {}` names its models, `silt provider default {} MODEL` asks one from now on",
                "`silt provider models {}`로 모델을 보고, `silt provider default {} 모델`로 이제부터 물을 모델을 정합니다",
            );
            host.out.note(&next.replace("{}", &added.name));
            show(host, &added.name).await
        }
        args::Provider::Key { name, remove: true, .. } => {
            host.app.key_remove(ProviderRef { name: name.clone() }).await?;
            show(host, &name).await
        }
        args::Provider::Key { name, keep, .. } => {
            let key = Secret::new(input::stdin()?);
            let (provider, place) = (name.clone(), keep.into());
            host.app.key_set(SetKey { provider, key, place }).await?;
            show(host, &name).await
        }
        args::Provider::Test { name } => test(host, name).await,
        args::Provider::Models { name } => models(host, name).await,
        args::Provider::Window { model, tokens } => window(host, model, tokens).await,
        args::Provider::Default { name, model } => {
            let choice = DefaultModel { provider: name, model };
            let settings = host.app.provider_default(choice).await?;
            let (provider, model) = (settings.default_provider, settings.default_model);
            if host.out.json {
                return host.out.value(&json!({"provider": provider, "model": model}));
            }
            host.out.line(&format!("{provider}  {model}"))
        }
        args::Provider::Remove { name } => remove(host, name).await,
        args::Provider::Discover => discover(host).await,
    }
}

/// The provider is there all the same: whoever reads only the end has to know, and what is left to do.
fn without_key(host: &Host, name: &str, refused: Failure) -> Failure {
    let added = host.out.lang.pick(
        "{} was added, but its key was not kept; \
         `silt provider key {} --key-stdin` gives it one",
        "{}: 추가했지만 키는 보관하지 못했습니다. \
         `silt provider key {} --key-stdin`으로 넣어 주세요",
    );
    let message = format!("{}; {}", refused.message, added.replace("{}", name));
    Failure { message, ..refused }
}

/// How much models hold as the person says, after what they said now.
async fn window(host: &Host, model: String, tokens: Option<u64>) -> Result<(), Stop> {
    let mut settings = host.app.settings_get(()).await?;
    match tokens {
        Some(tokens) => settings.windows.insert(model, tokens),
        None => settings.windows.remove(&model),
    };
    let settings = host.app.settings_set(settings).await?;
    if host.out.json {
        return host.out.value(&json!({"windows": settings.windows}));
    }
    let mut windows = settings.windows.iter();
    windows.try_for_each(|(model, tokens)| host.out.line(&format!("{tokens:>9}  {model}")))
}

/// One provider as it is now.
async fn show(host: &Host, name: &str) -> Result<(), Stop> {
    let all = host.app.provider_list(()).await?;
    let found = all.into_iter().find(|provider| provider.name == name);
    let found = found.ok_or_else(|| Failure::new(Code::NotFound, format!("no provider {name}")))?;
    if host.out.json {
        return host.out.value(&json!({"provider": found}));
    }
    host.out.line(&line(&found))
}

async fn list(host: &Host) -> Result<(), Stop> {
    let providers = host.app.provider_list(()).await?;
    if host.out.json {
        return host.out.value(&json!({"providers": providers}));
    }
    providers.iter().try_for_each(|provider| host.out.line(&line(provider)))
}

fn line(provider: &ProviderItem) -> String {
    let mark = if provider.default_model.is_some() { '*' } else { ' ' };
    let model = provider.default_model.as_deref().unwrap_or_default();
    let key = provider.key.as_ref().map(|key| format!("…{}", key.last_four)).unwrap_or_default();
    let line = format!("{mark} {}  {}  {model}  {key}", provider.name, provider.base_url);
    line.trim_end().to_owned()
}

async fn test(host: &Host, name: String) -> Result<(), Stop> {
    let request = ProviderRef { name: name.clone() };
    let models = host.app.provider_models(request).await?;
    if host.out.json {
        return host
            .out
            .value(&json!({"provider": name, "reachable": true, "models": models.len()}));
    }
    let lang = host.out.lang;
    let count = lang.count("answers, {} models", "응답함, 모델 {}개", models.len());
    host.out.line(&format!("{name}: {count}"))
}

pub(super) async fn models(host: &Host, name: String) -> Result<(), Stop> {
    let models = host.app.provider_models(ProviderRef { name }).await?;
    if host.out.json {
        return host.out.value(&json!({"models": models}));
    }
    show_models(host, &models)
}

/// A line for each.
pub(super) fn show_models(host: &Host, models: &[ModelInfo]) -> Result<(), Stop> {
    models.iter().try_for_each(|model| host.out.line(&model_line(host, model)))
}

fn model_line(host: &Host, model: &ModelInfo) -> String {
    match model.context_window {
        Some(window) => {
            let tokens = host.out.lang.count("{} token(s)", "{}토큰", window);
            format!("{}  {tokens}", model.id)
        }
        None => model.id.clone(),
    }
}

pub(super) async fn remove(host: &Host, name: String) -> Result<(), Stop> {
    let all = host.app.provider_list(()).await?;
    if !all.iter().any(|provider| provider.name == name) {
        return Err(Failure::new(Code::NotFound, format!("no provider {name}")).into());
    }
    host.app.provider_remove(ProviderRef { name: name.clone() }).await?;
    if host.out.json {
        return host.out.value(&json!({"removed": name}));
    }
    host.out.note(host.out.lang.pick("Removed.", "지웠습니다."));
    Ok(())
}

async fn discover(host: &Host) -> Result<(), Stop> {
    let servers = host.app.provider_discover(()).await?;
    if host.out.json {
        return host.out.value(&json!({"servers": servers}));
    }
    if servers.is_empty() {
        host.out.note(host.out.lang.pick(
            "No server answers on this computer.",
            "이 컴퓨터에서 응답하는 서버가 없습니다.",
        ));
    }
    for server in &servers {
        host.out.line(&format!("{}  {}", server.name, server.base_url))?;
        for model in &server.models {
            host.out.line(&format!("  {}", model_line(host, model)))?;
        }
    }
    Ok(())
}

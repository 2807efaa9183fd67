//! `silt agent`: providers that are agents, and what they are asked to do.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use siltstone_contract::{
    Code, ConversationRef, Failure, ListConversations, ProviderItem, ProviderRef,
};
use siltstone_engine::acp::OWN_MODEL;
use siltstone_engine::offers::{AgentCommand, AgentMode, Offers};
use siltstone_engine::provider::{FoundServer, ProviderKind, ProviderRecord};

use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Agent) -> Result<(), Stop> {
    match command {
        args::Agent::List => list(host).await,
        args::Agent::Add { name, command } => add(host, name, command).await,
        args::Agent::Test { name } => {
            named(host, &name).await?;
            test(host, name).await
        }
        args::Agent::Run { name, copy, conversation, model, mode, asking, text } => {
            named(host, &name).await?;
            let chat = args::Chat {
                provider: Some(name),
                // An agent's own choice, unless one was named.
                model: model.or_else(|| Some(OWN_MODEL.to_owned())),
                mode,
                conversation,
                asking,
                text,
                literal: true,
                ..args::Chat::default()
            };
            match copy {
                Some(copy) => {
                    let copy = super::copy::found_or_made(host, &copy).await?;
                    super::chat::run(&host.within(&copy), chat).await
                }
                None => super::chat::run(host, chat).await,
            }
        }
        args::Agent::Sessions => sessions(host).await,
        args::Agent::Stop { conversation } => {
            let id = super::named::conversation(host, &conversation).await?;
            let here = ConversationRef { id };
            let going = host.app.conversation_get(here.clone()).await?.open_turn.is_some();
            host.app.stop(here.clone()).await?;
            // Whoever writes the reply hears of it, and ends it.
            while host.app.conversation_get(here.clone()).await?.open_turn.is_some() {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            match host.out.json {
                true => host.out.value(&json!({"stopped": going.then_some(id)})),
                false if going => Ok(()),
                false => {
                    let lang = host.out.lang;
                    host.out
                        .note(lang.pick("Nothing goes on there.", "거기서 하는 일이 없습니다."));
                    Ok(())
                }
            }
        }
        args::Agent::Remove { name } => {
            named(host, &name).await?;
            super::provider::remove(host, name).await
        }
    }
}

async fn added(host: &Host) -> Result<Vec<ProviderItem>, Stop> {
    let all = host.app.provider_list(()).await?;
    Ok(all.into_iter().filter(|it| it.kind == ProviderKind::Agent).collect())
}

/// Agents of this computer that are not added.
async fn found(host: &Host, added: &[ProviderItem]) -> Result<Vec<FoundServer>, Stop> {
    let found = host.app.provider_discover(()).await?.into_iter();
    let is_new = |it: &FoundServer| added.iter().all(|agent| agent.base_url != it.base_url);
    Ok(found.filter(|it| it.kind == ProviderKind::Agent && is_new(it)).collect())
}

async fn named(host: &Host, name: &str) -> Result<ProviderItem, Stop> {
    let agent = added(host).await?.into_iter().find(|it| it.name == name);
    agent.ok_or_else(|| Failure::new(Code::NotFound, format!("no agent {name}")).into())
}

/// How often is looked whether a reply ended that was asked to stop.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How a conversation with an agent stands.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Stands {
    /// The agent works.
    Working,
    /// It asked for leave and waits.
    Waiting,
    /// It is done, or was never asked.
    Ended,
}

async fn sessions(host: &Host) -> Result<(), Stop> {
    let agents: Vec<String> = added(host).await?.into_iter().map(|it| it.name).collect();
    let places = match host.project().await? {
        Some(project) => {
            let mut places = super::copy::of(host, project.id).await?;
            places.insert(0, project);
            places.into_iter().map(|it| (Some(it.id), it.name)).collect()
        }
        None => vec![(None, String::new())],
    };
    let mut found = Vec::new();
    for (project_id, place) in places {
        let list = ListConversations { project_id, trashed: false };
        for item in host.app.conversation_list(list).await? {
            let here = ConversationRef { id: item.id };
            let detail = host.app.conversation_get(here.clone()).await?;
            if item.project_id != project_id || !agents.contains(&detail.provider) {
                continue;
            }
            let waits = !host.app.approval_list(here).await?.is_empty();
            let stands = match detail.open_turn {
                Some(_) if waits => Stands::Waiting,
                Some(_) => Stands::Working,
                None => Stands::Ended,
            };
            found.push((item, detail.provider, place.clone(), stands));
        }
    }
    if host.out.json {
        let sessions: Vec<_> = found
            .iter()
            .map(|(item, agent, place, stands)| {
                json!({
                    "conversation_id": item.id, "title": item.title, "agent": agent,
                    "project": place, "state": stands, "updated_at": item.updated_at,
                })
            })
            .collect();
        return host.out.value(&json!({"sessions": sessions}));
    }
    if found.is_empty() {
        host.out.note(host.out.lang.pick(
            "No agent was asked here yet; `silt agent run NAME TEXT` asks one.",
            "아직 여기서 에이전트에 물은 적이 없습니다. `silt agent run 이름 할일`로 묻습니다.",
        ));
    }
    found.iter().try_for_each(|(item, agent, place, stands)| {
        let stands = host.out.lang.term(stands);
        host.out.line(&format!("{}  {agent}  {stands}  {place}  {}", item.id, item.title))
    })
}

async fn list(host: &Host) -> Result<(), Stop> {
    let agents = added(host).await?;
    let found = found(host, &agents).await?;
    if host.out.json {
        return host.out.value(&json!({"agents": agents, "found": found}));
    }
    if agents.is_empty() && found.is_empty() {
        host.out.note(host.out.lang.pick(
            "No agent is known by name on this computer; `silt agent add NAME COMMAND` adds any that speaks the Agent \
             Client Protocol.",
            "이 컴퓨터에서 이름으로 아는 에이전트를 찾지 못했습니다. Agent Client Protocol을 쓰는 것이면 `silt agent add 이름 \
             명령`으로 추가합니다.",
        ));
    }
    for agent in &agents {
        let mark = if agent.default_model.is_some() { '*' } else { ' ' };
        host.out.line(&format!("{mark} {}  {}", agent.name, agent.base_url))?;
    }
    for agent in &found {
        host.out.line(&format!("+ {}  {}", agent.name, agent.base_url))?;
    }
    if !found.is_empty() {
        host.out.note(host.out.lang.pick(
            "+ is on this computer and not added; `silt agent add NAME` adds it",
            "+는 이 컴퓨터에 있고 아직 추가하지 않은 것. `silt agent add 이름`으로 추가합니다",
        ));
    }
    Ok(())
}

/// What it offers, now that it was started.
async fn test(host: &Host, name: String) -> Result<(), Stop> {
    let models = host.app.provider_models(ProviderRef { name: name.clone() }).await?;
    let known = named(host, &name).await?.offers;
    let Offers { commands, modes } = Offers::at(&known, None);
    if host.out.json {
        return host.out.value(&json!({"models": models, "modes": modes, "commands": commands}));
    }
    super::provider::show_models(host, &models)?;
    let lang = host.out.lang;
    for AgentMode { id, name, about, asks } in &modes {
        let asks = if *asks { lang.pick("  (asks)", "  (먼저 물음)") } else { "" };
        host.out.line(&format!("--mode {id}  {name}{asks}  {about}"))?;
    }
    for AgentCommand { name, about, hint } in &commands {
        let hint = if hint.is_empty() { String::new() } else { format!(" {hint}") };
        host.out.line(&format!("/{name}{hint}  {about}"))?;
    }
    Ok(())
}

async fn add(host: &Host, name: String, command: Option<String>) -> Result<(), Stop> {
    let base_url = match command {
        Some(command) => command,
        None => {
            let found = host.app.provider_discover(()).await?.into_iter();
            let of_name = |it: &FoundServer| {
                it.kind == ProviderKind::Agent && it.name.eq_ignore_ascii_case(&name)
            };
            let unknown = || {
                let message = format!("no agent {name} on this computer; say what starts it");
                Failure::new(Code::NotFound, message)
            };
            found.into_iter().find(of_name).ok_or_else(unknown)?.base_url
        }
    };
    let record = ProviderRecord { name, kind: ProviderKind::Agent, base_url };
    let agent = host.app.provider_add(record).await?;
    if host.out.json {
        return host.out.value(&json!({"agent": agent}));
    }
    host.out.line(&format!("{}  {}", agent.name, agent.base_url))?;
    let next = host.out.lang.pick(
        "It is started by this command, as from your terminal; `silt chat --provider \"{}\"` asks it",
        "터미널에서처럼 이 명령으로 시작됩니다. `silt chat --provider \"{}\"`로 묻습니다",
    );
    host.out.note(&next.replace("{}", &agent.name));
    Ok(())
}

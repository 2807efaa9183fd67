//! `silt mcp`.

use serde_json::json;
use siltstone_contract::{
    Code, Failure, McpItem, McpRef, McpTested, ProjectRef, SetMcp, SetMcpSecret, ToolsAt, TrustMcp,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::keys::Place;
use siltstone_engine::tool::mcp::McpTransport;

use crate::args::Mcp;
use crate::host::Host;
use crate::input;
use crate::out::Stop;

pub async fn run(host: &Host, command: Mcp) -> Result<(), Stop> {
    match command {
        Mcp::List => {
            let all = all(host).await?;
            if host.out.json {
                return host.out.value(&all);
            }
            all.iter().try_for_each(|item| listed(host, item))
        }
        Mcp::Found => found(host).await,
        Mcp::Add { name, all, command, url, env, secret, off } => {
            let project_id = if all { None } else { Some(project(host).await?) };
            let transport = transport(command, url, env, secret)?;
            let request = SetMcp { project_id, name, transport, on: !off };
            show(host, &host.app.mcp_set(request).await?)
        }
        Mcp::Secret { name, variable, all } => {
            let server = named(host, &name, all).await?.1;
            let value = input::stdin()?.trim_end_matches(['\r', '\n']).to_owned();
            // Kept for this call alone it would be lost: a keyring that does not take it says so.
            let place = host.app.key_state(()).await?.place.unwrap_or(Place::Keyring);
            let request = SetMcpSecret { server, variable, value, place: Some(place) };
            show(host, &host.app.mcp_secret(request).await?)
        }
        Mcp::Test { name, all } => {
            let (item, server) = named(host, &name, all).await?;
            host.out.note(&reached(&item.server.transport));
            tested(host, &host.app.mcp_test(server).await?)
        }
        Mcp::Trust { name, all, fingerprint, instructions } => {
            let (item, server) = named(host, &name, all).await?;
            let fingerprint = fingerprint.unwrap_or_else(|| item.server.fingerprint());
            let request = TrustMcp { server, fingerprint, instructions };
            show(host, &host.app.mcp_trust(request).await?)
        }
        Mcp::Remove { name, all } => {
            let server = named(host, &name, all).await?.1;
            host.app.mcp_remove(server).await?;
            if host.out.json {
                return host.out.value(&json!({"removed": name}));
            }
            host.out.note(host.out.lang.pick("Removed.", "지웠습니다."));
            Ok(())
        }
    }
}

async fn all(host: &Host) -> Result<Vec<McpItem>, Stop> {
    let project_id = host.project().await?.map(|project| project.id);
    Ok(host.app.mcp_list(ToolsAt { project_id }).await?)
}

async fn project(host: &Host) -> Result<ProjectId, Stop> {
    let found = host.project().await?.map(|project| project.id);
    let none = || Failure::new(Code::NotFound, "no project here; open it, or add --all");
    Ok(found.ok_or_else(none)?)
}

/// The project's server of this name, else the one of all projects.
async fn named(host: &Host, name: &str, of_all: bool) -> Result<(McpItem, McpRef), Stop> {
    let mut all = all(host).await?;
    all.retain(|item| item.server.name == name && !(of_all && item.server.project_id.is_some()));
    all.sort_by_key(|item| item.server.project_id.is_none());
    let none = || Failure::new(Code::NotFound, format!("no server {name}"));
    let item = all.into_iter().next().ok_or_else(none)?;
    let server = McpRef { project_id: item.server.project_id, name: item.server.name.clone() };
    Ok((item, server))
}

fn transport(
    command: Vec<String>,
    url: Option<String>,
    env: Vec<String>,
    secret: Vec<String>,
) -> Result<McpTransport, Stop> {
    if let Some(url) = url {
        let mut secrets = secret.into_iter();
        let secret_header = secrets.next().unwrap_or_default();
        if secrets.next().is_some() {
            return Err(Stop::Usage("an address has one secret header at most".to_owned()));
        }
        return Ok(McpTransport::Http { url, secret_header });
    }
    let pair = |text: &String| {
        let pair = text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        pair.ok_or_else(|| Stop::Usage(format!("write NAME=VALUE, not {text}")))
    };
    let env = env.iter().map(pair).collect::<Result<_, _>>()?;
    let mut words = command.into_iter();
    let command = words.next().unwrap_or_default();
    Ok(McpTransport::Stdio { command, args: words.collect(), env, secret_env: secret })
}

/// What runs or is asked, whole.
fn reached(transport: &McpTransport) -> String {
    match transport {
        McpTransport::Stdio { command, args, env, secret_env } => {
            let env = env.iter().map(|(name, value)| format!("{name}={value:?} "));
            let secrets = secret_env.iter().map(|name| format!("{name}=… "));
            let words = std::iter::once(command).chain(args).map(|word| format!("{word:?}"));
            let words = words.collect::<Vec<_>>().join(" ");
            env.chain(secrets).chain([words]).collect()
        }
        McpTransport::Http { url, secret_header } if secret_header.is_empty() => url.clone(),
        McpTransport::Http { url, secret_header } => format!("{url}  ({secret_header}: …)"),
    }
}

fn show(host: &Host, item: &McpItem) -> Result<(), Stop> {
    if host.out.json { host.out.value(item) } else { listed(host, item) }
}

fn listed(host: &Host, item: &McpItem) -> Result<(), Stop> {
    let lang = host.out.lang;
    let state = match (item.server.on, item.trusted) {
        (_, false) => lang.pick("not trusted", "아직 믿지 않음"),
        (false, true) => lang.pick("off", "꺼짐"),
        (true, true) => lang.pick("on", "켜짐"),
    };
    let of = match item.server.project_id {
        Some(_) => lang.pick("this project", "이 프로젝트"),
        None => lang.pick("all projects", "모든 프로젝트"),
    };
    let at = reached(&item.server.transport);
    host.out.line(&format!("{}  {of}  {state}  {at}", item.server.name))?;
    for name in &item.missing_secrets {
        let words = lang.pick("secret not kept yet", "아직 없는 비밀");
        host.out.line(&format!("  ! {words}: {name}"))?;
    }
    Ok(())
}

fn tested(host: &Host, tested: &McpTested) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(tested);
    }
    let lang = host.out.lang;
    let tools = lang.count("{} tools", "도구 {}개", tested.tools.len());
    host.out.line(&format!("{tools}  {}", tested.fingerprint))?;
    for tool in &tested.tools {
        let first = tool.description.lines().next().unwrap_or_default();
        host.out.line(&format!("  {}  {first}", tool.name))?;
    }
    let Some(instructions) = &tested.instructions else { return Ok(()) };
    let words = lang.pick("Instructions", "안내문");
    host.out.line(&format!("{words}  {}", tested.instructions_hash))?;
    instructions.lines().try_for_each(|line| host.out.line(&format!("  {line}")))
}

async fn found(host: &Host) -> Result<(), Stop> {
    let found = host.app.mcp_found(ProjectRef { id: project(host).await? }).await?;
    if host.out.json {
        return host.out.value(&found);
    }
    found.iter().try_for_each(|it| {
        let added = if it.added { host.out.lang.pick("  added", "  더해 둠") } else { "" };
        host.out.line(&format!("{}  {}  {}{added}", it.path, it.name, reached(&it.transport)))
    })
}

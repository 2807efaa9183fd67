//! `silt mcp`.

use serde_json::json;
use siltstone_contract::{
    Code, Failure, McpItem, McpRef, McpTested, ProjectRef, SetMcp, SetMcpSecret, TestMcp, ToolsAt,
    TrustMcp,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::keys::Place;
use siltstone_engine::tool::Sandbox;
use siltstone_engine::tool::mcp::{McpChangeKind, McpNeeds, McpTransport};

use super::{installing, serve};
use crate::args::Mcp;
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words::Lang;

pub async fn run(host: &Host, command: Mcp) -> Result<(), Stop> {
    match command {
        Mcp::List => {
            let all = all(host).await?;
            if host.out.json {
                return host.out.value(&all);
            }
            host.out.empty(&all, "No servers yet.", "아직 서버가 없습니다.");
            all.iter().try_for_each(|item| listed(host, item))
        }
        Mcp::Found => found(host).await,
        Mcp::Add { name, all, command, url, env, secret, read, write, network, off } => {
            let project_id = if all { None } else { Some(project(host).await?) };
            let needs = McpNeeds { reads: read, writes: write, network };
            let transport = transport(command, url, env, secret, needs)?;
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
            notes(host, &item);
            let at = here(host).await?;
            tested(host, &host.app.mcp_test(TestMcp { server, at }).await?)
        }
        Mcp::Trust { name, all, fingerprint, instructions } => {
            let (item, server) = named(host, &name, all).await?;
            notes(host, &item);
            let at = here(host).await?;
            let fingerprint = fingerprint.unwrap_or(item.fingerprint);
            let request = TrustMcp { server, fingerprint, instructions, at };
            show(host, &host.app.mcp_trust(request).await?)
        }
        Mcp::Serve { http: false, .. } => serve::run(host).await,
        Mcp::Serve { http: true, port, token_file } => serve::http(host, port, token_file).await,
        Mcp::Install { clients, dry_run } => installing::install(host, clients, dry_run).await,
        Mcp::Uninstall { clients, dry_run } => installing::uninstall(host, clients, dry_run).await,
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
    let project_id = here(host).await?;
    Ok(host.app.mcp_list(ToolsAt { project_id }).await?)
}

async fn here(host: &Host) -> Result<Option<ProjectId>, Stop> {
    Ok(host.project().await?.map(|project| project.id))
}

async fn project(host: &Host) -> Result<ProjectId, Stop> {
    let found = here(host).await?;
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
    needs: McpNeeds,
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
    Ok(McpTransport::Stdio { command, args: words.collect(), env, secret_env: secret, needs })
}

/// What runs or is asked, whole.
fn reached(transport: &McpTransport) -> String {
    match transport {
        McpTransport::Stdio { command, args, env, secret_env, .. } => {
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
        (_, false) if !item.changes.is_empty() => lang.pick("changed", "바뀜"),
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
    for change in &item.changes {
        let words = match change.kind {
            McpChangeKind::Program => lang.pick("now another program", "이제 다른 프로그램"),
            McpChangeKind::Added => lang.pick("new since you trusted it", "믿은 뒤 새로 생김"),
            McpChangeKind::Changed => lang.pick("changed since you trusted it", "믿은 뒤 바뀜"),
            McpChangeKind::Removed => lang.pick("gone since you trusted it", "믿은 뒤 없어짐"),
        };
        host.out.line(&format!("  ! {words}: {}", change.path))?;
    }
    item.server
        .needs()
        .map_or(Ok(()), |needs| needed(needs, lang).try_for_each(|it| host.out.line(&it)))
}

/// What a program may reach beside the project, a line each.
fn needed(needs: &McpNeeds, lang: Lang) -> impl Iterator<Item = String> {
    let reads = needs.reads.iter().map(move |it| format!("  {}: {it}", lang.pick("reads", "읽음")));
    let writes =
        needs.writes.iter().map(move |it| format!("  {}: {it}", lang.pick("changes", "바꿈")));
    let network = lang.pick("uses the network", "네트워크를 씀");
    let network = needs.network.then(|| format!("  {network}"));
    reads.chain(writes).chain(network)
}

/// What is to be known before a program is started or trusted, beside its command line.
fn notes(host: &Host, item: &McpItem) {
    let lang = host.out.lang;
    let Some(needs) = item.server.needs() else { return };
    needed(needs, lang).for_each(|it| host.out.note(&it));
    match item.sandbox {
        Sandbox::Whole => {}
        Sandbox::Writes => host.out.note(lang.pick(
            "Without bubblewrap it can still change modes and times of your files.",
            "bubblewrap이 없어 파일의 권한과 시각은 바꿀 수 있습니다.",
        )),
        Sandbox::None => host.out.note(lang.pick(
            "Nothing keeps a program inside on this system: it can do whatever you can.",
            "이 시스템에는 프로그램을 가둘 방법이 없어, 직접 할 수 있는 일은 무엇이든 할 수 있습니다.",
        )),
    }
    if needs.network && item.this_computer_only {
        host.out.note(lang.pick(
            "With \"This computer only\" it has no network.",
            "\"이 컴퓨터에서만\"이라 네트워크는 쓰지 못합니다.",
        ));
    }
    let count = usize::try_from(item.file_count).unwrap_or(usize::MAX);
    if count > 0 {
        let words = "Trust is bound to {} files of it that can be changed here.";
        host.out.note(&lang.count(
            words,
            "여기서 바뀔 수 있는 파일 {}개에 믿음이 매입니다.",
            count,
        ));
    }
    if item.more_files {
        host.out.note(lang.pick(
            "More files lie beside it than are looked at; those are not bound.",
            "곁에 있는 파일이 너무 많아, 살펴보지 못한 파일에는 매이지 않습니다.",
        ));
    }
    let reads = item.lacks.reads.iter().map(|it| format!("--read {it}"));
    let writes = item.lacks.writes.iter().map(|it| format!("--write {it}"));
    let network = item.lacks.network.then(|| "--network".to_owned());
    let lacks: Vec<String> = reads.chain(writes).chain(network).collect();
    if !lacks.is_empty() {
        let words = lang.pick("It usually needs", "보통 필요한 것");
        host.out.note(&format!("{words}: {}", lacks.join(" ")));
    }
}

fn tested(host: &Host, tested: &McpTested) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(tested);
    }
    let lang = host.out.lang;
    let tools = lang.count("{} tool(s)", "도구 {}개", tested.tools.len());
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

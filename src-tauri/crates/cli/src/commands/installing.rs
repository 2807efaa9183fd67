//! `silt mcp install` and `uninstall`: Siltstone in the settings of other programs, with what changes in them.

use serde_json::json;
use siltstone_contract::{Code, Failure};
use siltstone_engine::client::{COMMAND, Client, ClientError, ClientFile, Named};
use siltstone_engine::ids::ProjectId;

use super::changes;
use crate::args::Program;
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;

pub async fn install(host: &Host, programs: Vec<Program>, dry_run: bool) -> Result<(), Stop> {
    if programs.is_empty() {
        return list(host).await;
    }
    change(host, programs, true, dry_run).await?;
    let [command, ..] = COMMAND;
    if !is_found(command) {
        host.out.note(host.out.lang.pick(
            "these programs start `silt`, and there is none on this PATH",
            "이 프로그램들은 `silt`를 실행하는데, 지금 PATH에 없습니다",
        ));
    }
    Ok(())
}

pub async fn uninstall(host: &Host, programs: Vec<Program>, dry_run: bool) -> Result<(), Stop> {
    change(host, programs, false, dry_run).await
}

/// All programs, with where they keep their settings and whether Siltstone is named there. One that cannot be read says
/// why, in its line.
async fn list(host: &Host) -> Result<(), Stop> {
    let project = here(host).await?;
    let mut all = Vec::new();
    for client in Client::ALL {
        let found = host.app.agent_client(client, project, true).await;
        let (path, said, named) = match found {
            Ok(file) => {
                (Some(file.path), named(host.out.lang, file.named).to_owned(), Some(file.named))
            }
            Err(failure) => (None, crate::words::of_failure(host.out.lang, &failure).0, None),
        };
        all.push((client, path, said, named));
    }
    if host.out.json {
        let all = all.iter().map(|(client, path, said, named)| match path {
            Some(path) => json!({"program": client, "path": path, "named": named}),
            None => json!({"program": client, "failure": said}),
        });
        return host.out.value(&json!({"programs": all.collect::<Vec<_>>()}));
    }
    all.iter().try_for_each(|(client, path, said, _)| {
        let path = path.as_deref().unwrap_or_default();
        host.out.line(format!("{:<12}  {said}  {path}", client.label()).trim_end())
    })
}

async fn change(
    host: &Host,
    programs: Vec<Program>,
    wanted: bool,
    dry_run: bool,
) -> Result<(), Stop> {
    let project = here(host).await?;
    let mut files = Vec::new();
    // All are looked at before one is changed.
    for program in programs {
        let file = host.app.agent_client(program.into(), project, wanted).await?;
        if file.named == Named::Otherwise {
            let otherwise = ClientError::Otherwise { path: file.path };
            return Err(Failure::new(Code::Conflict, otherwise.to_string()).into());
        }
        files.push(file);
    }
    for file in &files {
        if !host.out.json {
            show(host, file, wanted)?;
        }
        if !dry_run {
            host.app.agent_client_change(project, file.clone()).await?;
        }
    }
    match host.out.json {
        true => host.out.value(&json!({"programs": files, "changed": !dry_run})),
        false => Ok(()),
    }
}

fn show(host: &Host, file: &ClientFile, wanted: bool) -> Result<(), Stop> {
    let lang = host.out.lang;
    if file.before == file.after {
        let said = match wanted {
            true => lang.pick("is named there already", "이미 들어 있습니다"),
            false => lang.pick("is not named there", "들어 있지 않습니다"),
        };
        host.out.note(&format!("{}: silt {said} ({})", file.client.label(), file.path));
        return Ok(());
    }
    changes(host, &file.path, file.before.as_deref(), file.after.as_deref())
}

fn named(lang: Lang, named: Named) -> &'static str {
    match named {
        Named::Yes => lang.pick("named", "들어 있음"),
        Named::No => lang.pick("not named", "없음"),
        Named::Otherwise => lang.pick("named in another way", "다르게 적혀 있음"),
    }
}

async fn here(host: &Host) -> Result<Option<ProjectId>, Stop> {
    Ok(host.project().await?.map(|project| project.id))
}

/// Whether a program is found by its name.
fn is_found(program: &str) -> bool {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}

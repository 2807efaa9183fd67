//! `silt checkpoint export|import|foreign|push|pull|remote`.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::Arc;

use serde_json::json;
use siltstone_app::Sink;
use siltstone_contract::{
    AddRemote, Carried, CarryEvent, ExportCheckpoint, ImportForeign, ImportedCheckpoint,
    ProjectRef, PullCheckpoints, PushCheckpoints, RemoteItem, RemoteRef, SetSync, SyncedProject,
};
use siltstone_engine::checkpoint::MAX_PACKED;
use siltstone_engine::checkpoint::remote::{RemotePlace, SyncRule};
use siltstone_storage::write_whole;

use super::checkpoint::{done, find, line, project};
use super::named::id;
use super::note_shared;
use crate::args::{Carry, Remote, Where};
use crate::host::Host;
use crate::input;
use crate::out::Stop;

/// There is one run a call, which ends with it.
const RUN: &str = "silt";

pub async fn run(host: &Host, command: Carry) -> Result<(), Stop> {
    match command {
        Carry::Export { id, file, lock } => {
            let id = find(host, &id).await?.id;
            let passphrase = lock.map(|path| input::secret(&path)).transpose()?;
            let packed = host.app.checkpoint_packed(ExportCheckpoint { id, passphrase }).await?;
            if file.symlink_metadata().is_ok() {
                return Err(Stop::file(&file, &ErrorKind::AlreadyExists.into()));
            }
            write_whole(&file, &packed.bytes).map_err(|error| Stop::file(&file, &error))?;
            note_shared(host, &file);
            done(host, &json!({"path": file, "bytes": packed.bytes.len()}))
        }
        Carry::Import { file, unlock } => {
            let passphrase = unlock.map(|path| input::secret(&path)).transpose()?;
            let mut bytes = Vec::new();
            File::open(&file)
                .and_then(|file| file.take(MAX_PACKED + 1).read_to_end(&mut bytes))
                .map_err(|error| Stop::file(&file, &error))?;
            let project = project(host).await?;
            imported(host, &host.app.checkpoint_unpacked(project, bytes, passphrase).await?)
        }
        Carry::Foreign { path: Some(path) } => {
            let project_id = project(host).await?;
            let request = ImportForeign { project_id, path };
            imported(host, &host.app.checkpoint_foreign_import(request).await?)
        }
        Carry::Foreign { path: None } => foreign(host).await,
        Carry::Push { remote } => {
            let (project_id, carry_id) = (project(host).await?, RUN.to_owned());
            let request = PushCheckpoints { remote, project_id, carry_id };
            carried(host, &host.app.checkpoint_push(request, progress(host)).await?)
        }
        Carry::Pull { remote, ids } => {
            let ids = ids.iter().map(|typed| id("checkpoint", typed)).collect::<Result<_, _>>()?;
            let (project_id, carry_id) = (project(host).await?, RUN.to_owned());
            let request = PullCheckpoints { remote, project_id, ids, carry_id };
            carried(host, &host.app.checkpoint_pull(request, progress(host)).await?)
        }
        Carry::Remote(command) => remote(host, command).await,
    }
}

async fn remote(host: &Host, command: Remote) -> Result<(), Stop> {
    match command {
        Remote::List => {
            let all = host.app.remote_list(()).await?;
            if host.out.json {
                return host.out.value(&all);
            }
            host.out.empty(&all, "No remotes yet.", "아직 원격 저장소가 없습니다.");
            all.iter().try_for_each(|item| listed(host, item))
        }
        Remote::Add {
            name,
            kind,
            place,
            open,
            credentials,
            endpoint,
            region,
            prefix,
            access_key_id,
            keep,
        } => {
            let at = match kind {
                Where::Folder => {
                    let path = std::path::absolute(&place).map_err(|error| Stop::io(&error))?;
                    RemotePlace::Folder { path: path.display().to_string() }
                }
                Where::S3 => {
                    RemotePlace::S3 { endpoint, region, bucket: place, prefix, access_key_id }
                }
                Where::Azure => {
                    let (account, container) = place
                        .split_once('/')
                        .map(|(account, container)| (account.to_owned(), container.to_owned()))
                        .ok_or_else(|| Stop::Usage("write ACCOUNT/CONTAINER".to_owned()))?;
                    RemotePlace::Azure { endpoint, account, container, prefix }
                }
                Where::Gcs => RemotePlace::Gcs { bucket: place, prefix },
            };
            let credentials = credentials.map(|path| input::secret(&path)).transpose()?;
            let passphrase = input::secret(&open)?;
            let request = AddRemote { name, at, credentials, passphrase, key_place: keep.into() };
            let added = host.app.remote_add(request).await?;
            if host.out.json { host.out.value(&added) } else { listed(host, &added) }
        }
        Remote::Test { name } => {
            let tested = host.app.remote_test(RemoteRef { name }).await?;
            if host.out.json {
                return host.out.value(&tested);
            }
            let lang = host.out.lang;
            host.out.line(&lang.count("{} checkpoint(s)", "체크포인트 {}개", tested.checkpoints))
        }
        Remote::Show { name } => {
            let all = host.app.remote_checkpoints(RemoteRef { name }).await?;
            if host.out.json {
                return host.out.value(&all);
            }
            all.iter().try_for_each(|it| line(host, &it.item))
        }
        Remote::Sync { name, rule } => {
            let set = host.app.remote_sync(SetSync { name, sync: rule.into() }).await?;
            if host.out.json { host.out.value(&set) } else { listed(host, &set) }
        }
        Remote::Remove { name } => {
            host.app.remote_remove(RemoteRef { name: name.clone() }).await?;
            done(host, &json!({"removed": name}))
        }
    }
}

fn listed(host: &Host, item: &RemoteItem) -> Result<(), Stop> {
    let off = if item.allowed { "" } else { host.out.lang.pick("  off", "  꺼짐") };
    let lang = host.out.lang;
    let rule = match item.sync {
        SyncRule::ByHand => "",
        SyncRule::AfterEach => lang.pick("  after each checkpoint", "  체크포인트마다"),
        SyncRule::Daily => lang.pick("  once a day", "  하루 한 번"),
        SyncRule::OnClose => lang.pick("  on close", "  닫을 때"),
    };
    host.out.line(&format!("{}  {}{rule}{off}", item.name, item.at.shown()))?;
    for SyncedProject { project, synced, .. } in &item.synced {
        let said = match &synced.failed {
            Some(why) => lang.count("not sent: {}", "보내지 못함: {}", why),
            None => lang.count("sent {}", "{}에 보냄", synced.at),
        };
        host.out.line(&format!("  {project}  {said}"))?;
        if synced.waiting > 0 {
            let waits = lang.count(
                "  {} checkpoints of another computer wait there: `silt checkpoint pull`",
                "  다른 컴퓨터의 체크포인트 {}개가 기다림: `silt checkpoint pull`",
                synced.waiting,
            );
            host.out.line(&waits)?;
        }
        if !synced.conflicts.is_empty() {
            host.out.line(lang.pick(
                "  Both computers went on from the same checkpoint. Pulling keeps both, as branches.",
                "  두 컴퓨터가 같은 체크포인트에서 이어 갔습니다. 가져오면 둘 다 가지로 남습니다.",
            ))?;
        }
    }
    Ok(())
}

async fn foreign(host: &Host) -> Result<(), Stop> {
    let id = project(host).await?;
    let found = host.app.checkpoint_foreign_list(ProjectRef { id }).await?;
    if host.out.json {
        return host.out.value(&found);
    }
    let lang = host.out.lang;
    found.iter().try_for_each(|it| {
        let messages = lang.count("{} message(s)", "메시지 {}개", it.messages);
        let files = lang.count("{} file(s)", "파일 {}개", it.files.unwrap_or_default());
        let tag = it.tag.as_deref().unwrap_or(&it.id);
        host.out.line(&format!("{}  {tag}  {messages}  {files}", it.path))
    })
}

fn imported(host: &Host, imported: &ImportedCheckpoint) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(imported);
    }
    line(host, &imported.item)?;
    imported.warnings.iter().for_each(|warning| host.out.note(&warning.to_string()));
    imported.notes.iter().for_each(|note| host.out.note(&json!(note).to_string()));
    Ok(())
}

/// What did not go over is named, and the call fails then.
fn carried(host: &Host, carried: &Carried) -> Result<(), Stop> {
    if host.out.json {
        host.out.value(carried)?;
    } else {
        let (lang, count) = (host.out.lang, carried.done.len() as u64);
        host.out.line(&lang.count("{} checkpoint(s)", "체크포인트 {}개", count))?;
        host.out.line(&lang.size(carried.bytes))?;
        for left in &carried.left_out {
            host.out.line(&format!("! {}  {}", left.id, left.detail))?;
        }
    }
    if carried.left_out.is_empty() { Ok(()) } else { Err(Stop::Interrupted) }
}

fn progress(host: &Host) -> Sink<CarryEvent> {
    let out = host.out.clone();
    Arc::new(move |CarryEvent { done, total, bytes }| {
        out.note(&format!("{done}/{total}  {}", out.lang.size(bytes)));
    })
}

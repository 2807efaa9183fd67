//! `silt checkpoint`.

use serde_json::json;
use siltstone_contract::{
    ChangeCheckpoint, CheckpointItem, CheckpointRef, CheckpointRefs, CleanCheckpoints, Code,
    CompareCheckpoints, CompareFile, CreateCheckpoint, Failure, ListCheckpoints, ProjectRef,
    Verified,
};
use siltstone_engine::checkpoint::Retention;
use siltstone_engine::difference::Difference;
use siltstone_engine::ids::{CheckpointId, ProjectId};

use super::named::{self, LAST};
use super::{place, remote, restore, sealing};
use crate::args::Checkpoint;
use crate::host::Host;
use crate::out::Stop;

/// Checkpoints of a page.
const PAGE: u32 = 200;

pub async fn run(host: &Host, command: Checkpoint) -> Result<(), Stop> {
    match command {
        Checkpoint::Carry(command) => remote::run(host, command).await,
        Checkpoint::Create { tag, conversation } => {
            let conversation_id = match conversation {
                Some(typed) => Some(named::conversation(host, &typed).await?),
                None => None,
            };
            let project_id = project(host).await?;
            let request = CreateCheckpoint { project_id, conversation_id, tag };
            let made = host.app.checkpoint_create(request).await?;
            if host.out.json { host.out.value(&made) } else { line(host, &made) }
        }
        Checkpoint::List { limit } => list(host, limit).await,
        Checkpoint::Show { id } => show(host, &id).await,
        Checkpoint::Diff { id, with, file: None } => diff(host, &id, with).await,
        Checkpoint::Diff { id, with, file: Some(path) } => file_diff(host, &id, with, path).await,
        Checkpoint::Plan { id, parts } => restore::plan(host, &id, &parts).await,
        Checkpoint::Restore { of, how, picked } => restore::run(host, &of, how, picked).await,
        Checkpoint::Undo => restore::undo(host).await,
        Checkpoint::Continue { id } => {
            let id = find(host, &id).await?.id;
            let shown = host.app.checkpoint_continue(CheckpointRef { id }).await?;
            match host.out.json {
                true => host.out.value(&json!({"conversation_id": shown.id})),
                false => host.out.line(&shown.id.to_string()),
            }
        }
        Checkpoint::Delete { ids, yes } => {
            let mut found = Vec::new();
            for named in &ids {
                let item = find(host, named).await?;
                if item.pinned && !yes {
                    let message = "{} is pinned and stays until it is deleted with --yes";
                    let message = message.replace("{}", named);
                    return Err(Failure::new(Code::Conflict, message).into());
                }
                found.push(item.id);
            }
            host.app.checkpoint_delete(CheckpointRefs { ids: found.clone() }).await?;
            let gone = ("{} checkpoint(s) gone", "체크포인트 {}개를 지웠습니다");
            host.out.note(&host.out.lang.count(gone.0, gone.1, found.len()));
            done(host, &json!({"deleted": found}))
        }
        Checkpoint::Clean { dry_run, days, count, bytes } => {
            let own = days.is_some() || count.is_some() || bytes.is_some();
            clean(host, own.then_some(Retention { days, count, bytes }), dry_run).await
        }
        Checkpoint::Verify => verified(host, &host.app.checkpoint_verify(()).await?),
        Checkpoint::Repair => verified(host, &host.app.checkpoint_repair(()).await?),
        Checkpoint::Pin { id, off } => {
            let found = find(host, &id).await?;
            let change = ChangeCheckpoint { id: found.id, tag: found.tag, pinned: !off };
            host.app.checkpoint_change(change).await?;
            done(host, &json!({"pinned": !off}))
        }
        Checkpoint::Tag { id, name } => {
            let found = find(host, &id).await?;
            let change = ChangeCheckpoint { id: found.id, tag: name.clone(), pinned: found.pinned };
            host.app.checkpoint_change(change).await?;
            done(host, &json!({"tag": name}))
        }
        Checkpoint::Place { to, take } => place::run(host, to, take).await,
        Checkpoint::Sealing(command) => sealing::run(host, command).await,
    }
}

/// The project of the call.
pub(super) async fn project(host: &Host) -> Result<ProjectId, Stop> {
    let project = host.project().await?;
    let missing = || Failure::new(Code::NotFound, "no project here; name one");
    Ok(project.ok_or_else(missing)?.id)
}

/// A checkpoint by its id, or by its name in the project; `last` is the newest one, unless one is called so.
pub(super) async fn find(host: &Host, named: &str) -> Result<CheckpointItem, Stop> {
    if let Ok(id) = named.parse::<CheckpointId>() {
        return Ok(host.app.checkpoint_get(CheckpointRef { id }).await?.item);
    }
    let (project_id, mut before, mut newest) = (project(host).await?, None, None);
    loop {
        let request = ListCheckpoints { project_id, before, limit: PAGE };
        let page = host.app.checkpoint_list(request).await?;
        newest = newest.or_else(|| page.items.first().cloned());
        before = page.items.last().map(|item| item.created_at);
        if let Some(found) = page.items.into_iter().find(|it| it.tag.as_deref() == Some(named)) {
            return Ok(found);
        }
        if !page.more {
            if let Some(newest) = newest.filter(|_| named == LAST) {
                return Ok(newest);
            }
            return Err(Failure::new(Code::NotFound, format!("no checkpoint {named}")).into());
        }
    }
}

/// The later of two moments; `None` for now.
async fn later(host: &Host, with: Option<String>) -> Result<Option<CheckpointId>, Stop> {
    match with {
        Some(named) => Ok(Some(find(host, &named).await?.id)),
        None => Ok(None),
    }
}

async fn list(host: &Host, limit: u32) -> Result<(), Stop> {
    let project_id = project(host).await?;
    let request = ListCheckpoints { project_id, before: None, limit };
    let list = host.app.checkpoint_list(request).await?;
    if host.out.json {
        return host.out.value(&list);
    }
    host.out.empty(&list.items, "No checkpoints yet.", "아직 체크포인트가 없습니다.");
    list.items.iter().try_for_each(|item| line(host, item))?;
    place::notes(host, &host.app.checkpoint_place(ProjectRef { id: project_id }).await?)?;
    let lang = host.out.lang;
    if list.disk_full {
        host.out.line(lang.pick("the disk is full", "디스크가 가득 찼습니다"))?;
    }
    if list.disk_low {
        let said = "the disk is nearly full: checkpoints are taken only when asked for";
        host.out.line(
            lang.pick(said, "디스크가 거의 찼습니다. 직접 만드는 체크포인트만 만들어집니다"),
        )?;
    }
    list.unfinished.iter().try_for_each(|it| {
        let said = lang.pick("cut off: restore ", "중단됨: 되돌리기 ");
        host.out.line(&format!("{said}{}", it.plan_id))
    })
}

pub(super) fn line(host: &Host, item: &CheckpointItem) -> Result<(), Stop> {
    let lang = host.out.lang;
    let mut said = vec![item.id.to_string(), lang.moment(item.created_at), lang.term(&item.reason)];
    said.extend(item.tag.clone());
    said.extend(item.pinned.then(|| lang.pick("pinned", "고정").to_owned()));
    said.extend(item.files.map(|files| lang.count("{} file(s)", "파일 {}개", files)));
    said.push(lang.count("{} changed", "{}개 바뀜", item.changed));
    said.push(lang.size(item.bytes));
    host.out.line(&said.join("  "))
}

async fn show(host: &Host, named: &str) -> Result<(), Stop> {
    let id = find(host, named).await?.id;
    let detail = host.app.checkpoint_get(CheckpointRef { id }).await?;
    if host.out.json {
        return host.out.value(&detail);
    }
    line(host, &detail.item)?;
    host.out.line(&detail.metadata.project_path)?;
    detail.runtime_additions.iter().try_for_each(|line| host.out.line(&format!("+ {line}")))?;
    detail.not_captured.iter().try_for_each(|it| {
        host.out.line(&format!("- {}  {}", it.path, host.out.lang.term(&it.why)))
    })
}

async fn diff(host: &Host, named: &str, with: Option<String>) -> Result<(), Stop> {
    let (id, with) = (find(host, named).await?.id, later(host, with).await?);
    let diff = host.app.checkpoint_diff(CompareCheckpoints { id, with }).await?;
    if host.out.json {
        return host.out.value(&diff);
    }
    for file in &diff.files {
        host.out.line(&format!("{}  {}", host.out.lang.term(&file.kind), file.path))?;
    }
    for message in &diff.messages {
        let mark = if message.later { '+' } else { '-' };
        host.out.line(&format!(
            "{mark} {}  {}",
            host.out.lang.term(&message.role),
            message.text
        ))?;
    }
    diff.context.iter().try_for_each(|change| host.out.line(&format!("~ {}", change.name)))
}

async fn file_diff(
    host: &Host,
    named: &str,
    with: Option<String>,
    path: String,
) -> Result<(), Stop> {
    let (id, with) = (find(host, named).await?.id, later(host, with).await?);
    let texts = host.app.checkpoint_file_diff(CompareFile { id, with, path }).await?;
    if host.out.json {
        return host.out.value(&texts);
    }
    let (before, after) = (texts.before.unwrap_or_default(), texts.after.unwrap_or_default());
    host.out.line(Difference::of(&before, &after).unified().trim_end())
}

async fn clean(host: &Host, rules: Option<Retention>, dry_run: bool) -> Result<(), Stop> {
    let project_id = project(host).await?;
    let request = CleanCheckpoints { project_id, rules, only: None, dry_run };
    let cleaned = host.app.checkpoint_clean(request).await?;
    if host.out.json {
        return host.out.value(&cleaned);
    }
    let lang = host.out.lang;
    host.out.empty(&cleaned.gone, "Nothing is due to go.", "지울 때가 된 것이 없습니다.");
    if cleaned.gone.is_empty() {
        return Ok(());
    }
    for gone in &cleaned.gone {
        let (rule, size) = (lang.term(&gone.rule), lang.size(gone.bytes));
        let at = lang.moment(gone.created_at);
        host.out.line(&format!("{}  {at}  {rule}  {size}", gone.id))?;
    }
    let (en, ko) = match dry_run {
        true => ("{} checkpoint(s) would go", "체크포인트 {}개가 지워질 것입니다"),
        false => ("{} checkpoint(s) gone", "체크포인트 {}개를 지웠습니다"),
    };
    let gone = lang.count(en, ko, cleaned.gone.len());
    host.out.line(&format!("{gone}, {}", lang.size(cleaned.freed)))
}

/// What is damaged is printed, and the call fails.
fn verified(host: &Host, verified: &Verified) -> Result<(), Stop> {
    if host.out.json {
        host.out.value(verified)?;
    } else {
        host.out.empty(&verified.damaged, "Nothing is damaged.", "손상된 것이 없습니다.");
        for damaged in &verified.damaged {
            let of: Vec<String> = damaged.checkpoints.iter().map(ToString::to_string).collect();
            host.out.line(&format!("{}  {}", damaged.id, of.join(" ")))?;
        }
    }
    if verified.damaged.is_empty() { Ok(()) } else { Err(Stop::Interrupted) }
}

/// What was done is said to programs alone.
pub(super) fn done(host: &Host, what: &serde_json::Value) -> Result<(), Stop> {
    if host.out.json { host.out.value(what) } else { Ok(()) }
}

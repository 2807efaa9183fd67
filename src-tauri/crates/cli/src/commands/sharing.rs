//! `silt memory share` and `unshare`: memory in the files that other agents read, with what changes in them.

use serde_json::json;
use siltstone_contract::{
    Code, Failure, LookShare, ProjectRef, SharePlan, ShareState, ShareWish, SharedFile, WriteShare,
};
use siltstone_engine::memory::{Share, ShareFile};
use siltstone_engine::project::Project;

use super::changes;
use crate::host::Host;
use crate::out::Stop;

/// All files, with how each stands.
pub async fn list(host: &Host, project: Option<Project>) -> Result<(), Stop> {
    let project = named(project)?;
    let files = host.app.share_list(ProjectRef { id: project.id }).await?;
    if host.out.json {
        return host.out.value(&json!({"files": files}));
    }
    files.iter().try_for_each(|file| line(host, file))
}

/// Keeps memory in files as `how` says, or takes it out of them.
pub async fn change(
    host: &Host,
    project: Option<Project>,
    files: Vec<ShareFile>,
    how: Option<Share>,
    dry_run: bool,
) -> Result<(), Stop> {
    let project_id = named(project)?.id;
    // The one that others import comes first.
    let files = ShareFile::ALL.into_iter().filter(|file| files.contains(file));
    let files: Vec<ShareWish> = files.map(|file| ShareWish { file, how }).collect();
    let plans = host.app.share_look(LookShare { project_id, files }).await?;
    if !host.out.json {
        plans.iter().try_for_each(|plan| show(host, plan))?;
    }
    if !dry_run {
        host.app.share_write(WriteShare { project_id, plans: plans.clone() }).await?;
    }
    match host.out.json {
        true => host.out.value(&json!({"files": plans, "changed": !dry_run})),
        false => Ok(()),
    }
}

fn named(project: Option<Project>) -> Result<Project, Stop> {
    let missing = || Failure::new(Code::NotFound, "no project here").into();
    project.ok_or_else(missing)
}

fn line(host: &Host, file: &SharedFile) -> Result<(), Stop> {
    let SharedFile { path, readers, how, state, by_hand, .. } = file;
    let lang = host.out.lang;
    let with = match how {
        Some(Share { global: true, .. }) => {
            lang.pick(" · with global memory", " · 전역 메모리 포함")
        }
        _ => "",
    };
    let said = match state {
        ShareState::Off => lang.pick("not kept there", "넣지 않음"),
        ShareState::Current => lang.pick("as memory is", "메모리와 같음"),
        ShareState::Behind => lang.pick("behind memory", "메모리보다 뒤처짐"),
        ShareState::Edited => lang.pick("edited by hand", "직접 고침"),
        ShareState::Gone => lang.pick("the block is gone", "블록이 없어짐"),
        ShareState::Waits => lang.pick("changed, waits for your answer", "바뀌어서 답을 기다림"),
        ShareState::Broken => lang.pick("its marks are not one pair", "표시가 한 쌍이 아님"),
        ShareState::Unreadable { .. } => lang.pick("cannot be kept there", "넣을 수 없음"),
    };
    host.out.line(&format!("{path:<32}  {said}{with}  ({readers})"))?;
    by_hand.iter().try_for_each(|line| host.out.line(&format!("  + {line}")))
}

fn show(host: &Host, plan: &SharePlan) -> Result<(), Stop> {
    let SharePlan { path, before, after, by_hand, .. } = plan;
    let lang = host.out.lang;
    if !by_hand.is_empty() {
        let words =
            lang.pick("lines written by hand become proposals", "직접 쓴 줄은 제안이 됩니다");
        host.out.note(&format!("{path}: {words}: {}", by_hand.join(" · ")));
    }
    if before == after {
        let words = lang.pick("nothing changes", "바뀌는 것이 없습니다");
        host.out.note(&format!("{path}: {words}"));
        return Ok(());
    }
    changes(host, path, before.as_deref(), after.as_deref())
}

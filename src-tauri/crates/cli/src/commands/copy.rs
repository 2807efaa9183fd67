//! `silt copy`: copies of a project, in which agents or people work beside it.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use siltstone_contract::{
    CancelCopy, ChangesOf, Code, CompareFile, CopyHolds, CopyMade, CreateCopy, Failure, ProjectRef,
    RestorePlan,
};
use siltstone_engine::checkpoint::Action;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::project::Project;

use super::project::ProjectOut;
use super::restore;
use crate::args::{self, Conflicts, ForAll};
use crate::host::Host;
use crate::out::Stop;

/// A progress of this many files is worth a word.
const TOLD_EVERY: u64 = 500;

pub async fn run(host: &Host, command: args::Copy) -> Result<(), Stop> {
    match command {
        args::Copy::Create { name, folder } => {
            let made = create(host, &name, folder).await?;
            if host.out.json {
                return host.out.value(&out(&made));
            }
            line(host, &made)
        }
        args::Copy::List => list(host).await,
        args::Copy::Diff { copy, file } => diff(host, &copy, file).await,
        args::Copy::Merge { copy, dry_run, conflicts, picked } => {
            let id = find(host, &copy).await?.id;
            let plan = host.app.copy_plan(ProjectRef { id }).await?;
            if dry_run {
                return if host.out.json { host.out.value(&plan) } else { planned(host, &plan) };
            }
            if !plan.files.iter().any(|file| file.action != Action::Skip) {
                return if host.out.json { host.out.value(&plan) } else { planned(host, &plan) };
            }
            let all = match conflicts {
                Some(Conflicts::Copy) => Some(ForAll::AsItWas),
                Some(Conflicts::Mine) | None => Some(ForAll::KeepMine),
            };
            restore::carry_out(host, plan, all, picked).await
        }
        args::Copy::Remove { copy, yes } => remove(host, &copy, yes).await,
    }
}

/// A copy of the project of this call.
pub async fn create(host: &Host, name: &str, folder: bool) -> Result<Project, Stop> {
    let project_id = of_this_call(host).await?.id;
    let place = host.app.copy_place(ProjectRef { id: project_id }).await?;
    let worktree = place.worktree && !folder;
    let request =
        CreateCopy { making_id: String::from("silt"), project_id, name: name.to_owned(), worktree };
    let (told, out) = (AtomicU64::new(0), host.out.clone());
    let sink = Arc::new(move |CopyMade { done, total }| {
        if total > TOLD_EVERY
            && done / TOLD_EVERY > told.swap(done / TOLD_EVERY, Ordering::Relaxed)
            && std::io::stderr().is_terminal()
        {
            out.note(&format!("{done} / {total}"));
        }
    });
    let making = host.app.copy_create(request, sink);
    let mut making = std::pin::pin!(making);
    loop {
        tokio::select! {
            made = &mut making => return Ok(made?),
            // What is made of it goes before this ends.
            Ok(()) = tokio::signal::ctrl_c() => {
                host.app.copy_cancel(CancelCopy { making_id: String::from("silt") }).await?;
            }
        }
    }
}

/// The copy of this name, which is made where there is none.
pub async fn found_or_made(host: &Host, name: &str) -> Result<Project, Stop> {
    match find(host, name).await {
        Err(Stop::Failure(failure)) if failure.code == Code::NotFound => {
            create(host, name, false).await
        }
        found => found,
    }
}

/// The project that copies are made of: that of this call, or the one whose copy it is.
async fn of_this_call(host: &Host) -> Result<Project, Stop> {
    let here = host
        .project()
        .await?
        .ok_or_else(|| Stop::Failure(Failure::new(Code::NotFound, "no project here; name one")))?;
    let Some(copy) = &here.copy else { return Ok(here) };
    let all = host.app.project_list(()).await?;
    Ok(all.into_iter().find(|it| it.id == copy.project).unwrap_or(here))
}

/// The copies of a project, the oldest first.
pub async fn of(host: &Host, project: ProjectId) -> Result<Vec<Project>, Stop> {
    let all = host.app.project_list(()).await?;
    let is_copy = |it: &Project| it.copy.as_ref().is_some_and(|copy| copy.project == project);
    let mut copies: Vec<Project> = all.into_iter().filter(is_copy).collect();
    copies.sort_by_key(|copy| copy.id);
    Ok(copies)
}

/// A copy by what it is for, by the name of its folder, or by its path.
pub async fn find(host: &Host, named: &str) -> Result<Project, Stop> {
    let project = of_this_call(host).await?;
    let copies = of(host, project.id).await?;
    let long = format!("{}-{named}", project.name);
    let is_for = |it: &&Project| it.copy.as_ref().is_some_and(|of| of.name == named);
    let found = copies
        .iter()
        .find(|it| it.name == long || it.name == named || it.path == named.trim_end_matches('/'))
        .or_else(|| copies.iter().find(is_for));
    let missing = || Failure::new(Code::NotFound, format!("no copy {named}"));
    Ok(found.cloned().ok_or_else(missing)?)
}

fn out(copy: &Project) -> serde_json::Value {
    let branch = copy.copy.as_ref().and_then(|it| it.branch.as_ref());
    json!({"copy": ProjectOut::from(copy), "branch": branch})
}

fn line(host: &Host, copy: &Project) -> Result<(), Stop> {
    let branch = copy.copy.as_ref().and_then(|it| it.branch.clone());
    let branch = branch.unwrap_or_else(|| host.out.lang.pick("plain folder", "일반 폴더").into());
    host.out.line(&format!("{}  ({branch})  {}", copy.name, copy.path))
}

async fn list(host: &Host) -> Result<(), Stop> {
    let project = of_this_call(host).await?;
    let copies = of(host, project.id).await?;
    if host.out.json {
        return host.out.value(&json!({"copies": copies.iter().map(out).collect::<Vec<_>>()}));
    }
    if copies.is_empty() {
        host.out.note(host.out.lang.pick(
            "There is no copy of this project; `silt copy create NAME` makes one.",
            "이 프로젝트의 복사본이 없습니다. `silt copy create 이름`으로 만듭니다.",
        ));
    }
    copies.iter().try_for_each(|copy| line(host, copy))
}

async fn diff(host: &Host, named: &str, file: Option<String>) -> Result<(), Stop> {
    let copy = find(host, named).await?;
    if let (Some(path), Some(of)) = (file, &copy.copy) {
        let compare = CompareFile { id: of.base, with: None, path: path.clone() };
        let texts = host.app.checkpoint_file_diff(compare).await?;
        if host.out.json {
            return host.out.value(&texts);
        }
        return super::changes(host, &path, texts.before.as_deref(), texts.after.as_deref());
    }
    let changes = host.app.changes_get(ChangesOf::Copy { id: copy.id }).await?;
    if host.out.json {
        return host.out.value(&changes);
    }
    for file in &changes.files {
        host.out.line(&super::conversation::changed(host.out.lang, file))?;
    }
    host.out.empty(&changes.files, "Nothing was changed.", "바뀐 것이 없습니다.");
    Ok(())
}

fn planned(host: &Host, plan: &RestorePlan) -> Result<(), Stop> {
    let lang = host.out.lang;
    for file in &plan.files {
        let (action, why) = (lang.term(&file.action), lang.term(&file.why));
        host.out.line(&format!("{}  {action} ({why})  {}", file.index, file.path))?;
    }
    if plan.files.is_empty() {
        host.out.note(lang.pick("There is nothing to merge.", "합칠 것이 없습니다."));
        return Ok(());
    }
    host.out.line(&format!("silt checkpoint restore {}", plan.plan_id))
}

async fn remove(host: &Host, named: &str, yes: bool) -> Result<(), Stop> {
    let copy = find(host, named).await?;
    let request = ProjectRef { id: copy.id };
    let holds = host.app.copy_holds(request.clone()).await?;
    if !yes {
        said(host, &holds)?;
    }
    let removed = host.app.copy_remove(request).await?;
    if host.out.json {
        return host.out.value(&removed);
    }
    let lang = host.out.lang;
    host.out.note(lang.pick(
        "Removed; what it held is kept in a checkpoint, and its conversations are here.",
        "지웠습니다. 있던 파일은 체크포인트에 남았고, 대화는 여기로 옮겼습니다.",
    ));
    if let Some(rest) = &removed.rest {
        let said = lang.pick("could not be deleted: {}", "지우지 못한 것: {}");
        host.out.note(&said.replace("{}", rest));
    }
    Ok(())
}

/// Refuses where something of a copy would go. What git ignores goes in any case, and the hint says so.
fn said(host: &Host, holds: &CopyHolds) -> Result<(), Stop> {
    let lang = host.out.lang;
    let hint = lang.pick(
        "`silt copy merge` brings files here; --yes removes it all the same, with what git ignores and repositories in it.",
        "`silt copy merge`로 파일을 가져올 수 있습니다. 그래도 지우려면 --yes를 붙이세요. git이 무시하는 것과 안에 든 저장소도 사라집니다.",
    );
    let kept = &holds.holds;
    let counts = [
        (holds.unmerged, "{} file(s) not merged", "합치지 않은 파일 {}개"),
        (holds.lost.len() as u64, "{} path(s) kept nowhere", "어디에도 남지 않을 경로 {}개"),
        (holds.named, "{} checkpoint(s) with a name of their own", "이름을 붙인 체크포인트 {}개"),
        (kept.plans, "{} plan(s)", "계획 {}개"),
        (kept.tasks, "{} task(s)", "할 일 {}개"),
        (kept.decisions, "{} decision(s)", "결정 {}개"),
        (kept.servers, "{} MCP server(s)", "MCP 서버 {}개"),
    ];
    let some = counts.into_iter().filter(|(count, ..)| *count > 0);
    let some: Vec<String> = some.map(|(count, en, ko)| lang.count(en, ko, count)).collect();
    if some.is_empty() {
        return Ok(());
    }
    Err(Stop::Value { message: some.join(", "), hint: hint.to_owned() })
}

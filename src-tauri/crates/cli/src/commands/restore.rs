//! `silt checkpoint plan`, `restore` and `undo`: going back, by a plan that was shown or in one step. In one step every
//! file that somebody changed since stays, unless the call says otherwise, and what stayed is named.

use std::path::Path;

use serde_json::json;
use siltstone_contract::{
    CheckpointRef, Code, Failure, PathChoice, PathOutcome, PlanRestore, PlannedFile,
    PlannedFileRef, ProjectRef, RestoreParts, RestorePlan, Restored, RunRestore,
};
use siltstone_engine::checkpoint::{Action, Why};
use siltstone_engine::ids::{CheckpointId, PlanId};

use super::checkpoint::{find, project};
use super::named::id;
use crate::args::{ForAll, How, Part, Picked};
use crate::host::Host;
use crate::input;
use crate::out::Stop;

/// Files that stayed which are named; beyond it they are counted.
const NAMED: usize = 50;

pub async fn plan(host: &Host, named: &str, parts: &[Part]) -> Result<(), Stop> {
    let id = find(host, named).await?.id;
    let plan = made(host, id, parts).await?;
    if host.out.json { host.out.value(&plan) } else { planned(host, &plan) }
}

pub async fn undo(host: &Host) -> Result<(), Stop> {
    let id = project(host).await?;
    restored(host, &host.app.checkpoint_undo(ProjectRef { id }).await?)
}

pub async fn run(host: &Host, of: &str, how: How, picked: Picked) -> Result<(), Stop> {
    match plan_named(host, of).await? {
        Some(plan_id) if how.all.is_none() && how.parts.is_empty() => {
            let choices = by_number(picked)?;
            let run = RunRestore { plan_id, choices };
            restored(host, &host.app.checkpoint_restore(run).await?)
        }
        Some(_) => Err(Stop::Usage("--all and --parts go with a checkpoint".to_owned())),
        None => {
            let plan = made(host, find(host, of).await?.id, &how.parts).await?;
            carry_out(host, plan, how.all, picked).await
        }
    }
}

/// An id that is no checkpoint's names a plan.
async fn plan_named(host: &Host, of: &str) -> Result<Option<PlanId>, Stop> {
    let Ok(known) = of.parse::<CheckpointId>() else { return Ok(None) };
    match host.app.checkpoint_get(CheckpointRef { id: known }).await {
        Err(failure) if failure.code == Code::NotFound => Ok(Some(id("plan", of)?)),
        found => found.map(|_| None).map_err(Stop::from),
    }
}

async fn made(host: &Host, id: CheckpointId, parts: &[Part]) -> Result<RestorePlan, Stop> {
    let wants = |part| parts.is_empty() || parts.contains(&part);
    let parts = RestoreParts {
        chat: wants(Part::Chat),
        files: wants(Part::Files),
        memory: wants(Part::Memory),
        context: wants(Part::Context),
    };
    Ok(host.app.checkpoint_plan(PlanRestore { id, parts }).await?)
}

fn planned(host: &Host, plan: &RestorePlan) -> Result<(), Stop> {
    let lang = host.out.lang;
    for file in &plan.files {
        let (action, why) = (lang.term(&file.action), lang.term(&file.why));
        host.out.line(&format!("{}  {action} ({why})  {}", file.index, file.path))?;
    }
    host.out.line(&lang.count("{} message(s)", "메시지 {}개", plan.messages))?;
    host.out.line(&format!("silt checkpoint restore {}", plan.plan_id))
}

/// Carries a plan out at once; what was changed since stays, unless the call says otherwise.
pub(super) async fn carry_out(
    host: &Host,
    plan: RestorePlan,
    all: Option<ForAll>,
    picked: Picked,
) -> Result<(), Stop> {
    let mut choices = by_path(&plan, picked)?;
    for file in plan.files.iter().filter(|file| file.action == Action::Conflict) {
        if choices.iter().any(|made| made.index == file.index) {
            continue;
        }
        if let Some(choice) = for_all(host, &plan, file, all).await? {
            choices.push(PathChoice { index: file.index, choice });
        }
    }
    let stays: Vec<&PlannedFile> = plan.files.iter().filter(|it| stays(it, &choices)).collect();
    let run = RunRestore { plan_id: plan.plan_id, choices: choices.clone() };
    let done = host.app.checkpoint_restore(run).await?;
    if host.out.json {
        let mut said = json!(done);
        said["kept_files"] =
            stays.iter().map(|file| json!({"path": file.path, "why": file.why})).collect();
        return host.out.value(&said);
    }
    restored(host, &done)?;
    let lang = host.out.lang;
    for file in stays.iter().take(NAMED) {
        let why = match file.why {
            Why::ChangedOutside => lang.pick("changed since", "그 뒤에 바뀜"),
            Why::NotOurs => lang.pick("was not there then", "그때는 없었음"),
            Why::InTheWay => {
                lang.pick("something else is in its place", "그 자리에 다른 것이 있음")
            }
            Why::Unknown => lang.pick("in no checkpoint of the copy", "복사본의 체크포인트에 없음"),
            Why::Apart => lang.pick("changed here too", "여기에서도 바뀜"),
            Why::Missing
            | Why::Kept
            | Why::Ours
            | Why::Undone
            | Why::TakenBack
            | Why::Copied
            | Why::Both => lang.pick("as you said", "말한 대로"),
        };
        host.out.line(&format!("=  {}  {why}", file.path))?;
    }
    if let Some(more) = stays.len().checked_sub(NAMED).filter(|more| *more > 0) {
        host.out.line(&lang.count("and {} more", "그 밖에 {}개", more))?;
    }
    if all.is_none() && stays.iter().any(|it| it.why == Why::ChangedOutside) {
        host.out.note(lang.pick(
            "`--all as-it-was` gives back those that were changed since, too; `--all merge` joins both",
            "그 뒤에 바뀐 것까지 되돌리려면 `--all as-it-was`, 둘을 합치려면 `--all merge`를 붙이세요",
        ));
    }
    Ok(())
}

/// Whether a file stays as it is.
fn stays(file: &PlannedFile, choices: &[PathChoice]) -> bool {
    let choice = choices.iter().find(|made| made.index == file.index);
    match choice.map(|made| &made.choice) {
        Some(PathOutcome::Keep) => true,
        Some(_) => file.why == Why::InTheWay,
        None => matches!(file.action, Action::Conflict | Action::Skip),
    }
}

/// What becomes of a file that was changed since; `None` lets it stay.
async fn for_all(
    host: &Host,
    plan: &RestorePlan,
    file: &PlannedFile,
    all: Option<ForAll>,
) -> Result<Option<PathOutcome>, Stop> {
    match all {
        Some(ForAll::AsItWas) => Ok(Some(PathOutcome::Overwrite)),
        Some(ForAll::Merge) if file.can_merge => {
            let of = PlannedFileRef { plan_id: plan.plan_id, index: file.index };
            let texts = host.app.checkpoint_merge(of).await?;
            Ok((!texts.conflicts).then_some(PathOutcome::Merge { text: texts.merged }))
        }
        Some(ForAll::Merge | ForAll::KeepMine) | None => Ok(None),
    }
}

/// The choices, each with what names its file.
fn named(picked: Picked) -> Result<Vec<(String, PathOutcome)>, Stop> {
    let keep = picked.keep.into_iter().map(|file| (file, PathOutcome::Keep));
    let overwrite = picked.overwrite.into_iter().map(|file| (file, PathOutcome::Overwrite));
    let mut all: Vec<(String, PathOutcome)> = keep.chain(overwrite).collect();
    for merged in picked.merge {
        let text = input::text(Path::new(&merged.from))?;
        all.push((merged.file, PathOutcome::Merge { text }));
    }
    Ok(all)
}

/// The numbers of a plan that was shown.
fn by_number(picked: Picked) -> Result<Vec<PathChoice>, Stop> {
    let choices = named(picked)?.into_iter().map(|(file, choice)| {
        let index = file.parse();
        let index = index.map_err(|_| Stop::Usage(format!("{file} is no number of the plan")))?;
        Ok(PathChoice { index, choice })
    });
    choices.collect()
}

/// The paths of a plan that nobody saw.
fn by_path(plan: &RestorePlan, picked: Picked) -> Result<Vec<PathChoice>, Stop> {
    let choices = named(picked)?.into_iter().map(|(path, choice)| {
        let file = plan.files.iter().find(|file| file.path == path);
        let missing = || Failure::new(Code::NotFound, format!("nothing changes at {path}"));
        Ok(PathChoice { index: file.ok_or_else(missing)?.index, choice })
    });
    choices.collect()
}

/// What came back, and what did not.
pub(super) fn restored(host: &Host, restored: &Restored) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(restored);
    }
    let lang = host.out.lang;
    host.out.line(&lang.count("{} file(s) restored", "파일 {}개를 되돌렸습니다", restored.done))?;
    host.out.line(&lang.count("{} kept as they are", "{}개는 그대로 두었습니다", restored.kept))?;
    restored
        .failed
        .iter()
        .try_for_each(|failed| host.out.line(&format!("! {}  {}", failed.path, failed.detail)))
}

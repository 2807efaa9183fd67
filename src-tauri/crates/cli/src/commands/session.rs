//! `silt session`.

use serde_json::json;
use siltstone_contract::{
    AcceptSession, Code, Failure, Keep, ProjectRef, SessionFilesState, SessionSnapshot,
    SessionView, ShareSession, ShownFile, SnapshotRef,
};
use siltstone_engine::ids::ProjectId;

use crate::args::Session;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: Session) -> Result<(), Stop> {
    let id = project(host).await?;
    let (app, at) = (&host.app, ProjectRef { id });
    match command {
        Session::Show => show(host, &app.session_get(at).await?),
        Session::Share { off } => {
            let share = ShareSession { project_id: id, on: !off, ignore: !off };
            show(host, &app.session_share(share).await?)
        }
        Session::Accept { files, mine } => accept(host, id, &files, mine).await,
        Session::Hydrate => {
            let hydrated = app.session_hydrate(at).await?;
            if host.out.json {
                return host.out.value(&hydrated);
            }
            hydrated.lines.iter().try_for_each(|line| host.out.line(line))
        }
        Session::Snapshot => snapshots(host, &app.session_snapshot(at).await?),
        Session::Restore { name: None } => snapshots(host, &app.session_get(at).await?.snapshots),
        Session::Restore { name: Some(name) } => {
            let copy = SnapshotRef { project_id: id, name };
            show(host, &app.session_restore(copy).await?)
        }
        Session::Verify => {
            let found = app.session_verify(at).await?;
            if host.out.json {
                host.out.value(&found)?;
            }
            for problem in found.problems.iter().filter(|_| !host.out.json) {
                host.out.line(&format!("{}  {}", problem.name, problem.detail))?;
            }
            if found.whole { Ok(()) } else { Err(Stop::Interrupted) }
        }
        Session::TakeOver => show(host, &app.session_take_over(at).await?),
    }
}

/// The project of the call.
pub(super) async fn project(host: &Host) -> Result<ProjectId, Stop> {
    let project = host.project().await?;
    let missing = || Failure::new(Code::NotFound, "no project here; name one");
    Ok(project.ok_or_else(missing)?.id)
}

async fn accept(host: &Host, id: ProjectId, named: &[String], mine: bool) -> Result<(), Stop> {
    let foreign = host.app.session_get(ProjectRef { id }).await?.foreign;
    if let Some(name) = named.iter().find(|name| foreign.iter().all(|file| file.name != **name)) {
        return Err(Failure::new(Code::NotFound, format!("{name} is not foreign")).into());
    }
    let chosen = foreign.iter().filter(|file| named.is_empty() || named.contains(&file.name));
    let file = |it: &siltstone_contract::ForeignFile| ShownFile {
        name: it.name.clone(),
        hash: it.hash.clone(),
    };
    let (files, keep) = (chosen.map(file).collect(), if mine { Keep::Mine } else { Keep::Theirs });
    show(host, &host.app.session_accept(AcceptSession { project_id: id, files, keep }).await?)
}

fn show(host: &Host, view: &SessionView) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(view);
    }
    let lang = host.out.lang;
    let (context, workflow) = (&view.context, &view.workflow);
    let files = match &view.files {
        SessionFilesState::Off => lang.pick("not written", "쓰지 않음").to_owned(),
        SessionFilesState::Written => lang.pick("written", "씀").to_owned(),
        SessionFilesState::Foreign => {
            lang.pick("came from elsewhere", "다른 데서 온 파일").to_owned()
        }
        SessionFilesState::Held { owner, host, .. } => {
            format!("{} {owner}@{host}", lang.pick("held by", "쓰고 있는 곳:"))
        }
        SessionFilesState::Newer { version } => {
            format!("{} {version}", lang.pick("of the newer version", "더 새로운 버전:"))
        }
        SessionFilesState::Refused { detail } => detail.clone(),
    };
    let fact = |label: &str, value: &str| match value {
        "" => Ok(()),
        value => host.out.line(&format!("{label}: {value}")),
    };
    fact(".ai-brain", &files)?;
    let plan = workflow.current_plan().map_or("", |plan| &plan.title);
    fact(lang.pick("Plan", "계획"), plan)?;
    let task = workflow.current_task().map_or("", |task| &task.title);
    fact(lang.pick("Task", "할 일"), task)?;
    fact(lang.pick("Decisions", "결정"), &context.memory.last_decisions.join("; "))?;
    fact(lang.pick("Summary", "요약"), &context.conversation.running_summary)?;
    fact(lang.pick("Turns", "턴"), &context.stats.dialog_turns.to_string())?;
    for file in &view.foreign {
        host.out.line(&file.name)?;
        let diff = similar::TextDiff::from_lines(&file.before, &file.now);
        host.out.line(diff.unified_diff().to_string().trim_end())?;
    }
    Ok(())
}

fn snapshots(host: &Host, all: &[SessionSnapshot]) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"snapshots": all}));
    }
    all.iter().try_for_each(|copy| host.out.line(&format!("{}  {}", copy.name, copy.at)))
}

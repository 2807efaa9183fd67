//! `silt session`.

use serde_json::json;
use siltstone_contract::{
    AcceptSession, AllowOthers, Code, Failure, ForeignFile, Keep, ProjectRef, SessionFilesState,
    SessionSnapshot, SessionView, ShareSession, ShownFile, SilentOwner, SnapshotRef,
};
use siltstone_engine::difference::Difference;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::settings::CarryOver;

use crate::args::{Answer, CarryRule, Session};
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;

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
        Session::Carry { rule } => carry(host, rule).await,
        Session::Others { answer } => others(host, id, answer).await,
    }
}

/// Says when new conversations are told where the work stopped, and changes that where a rule is named.
async fn carry(host: &Host, rule: Option<CarryRule>) -> Result<(), Stop> {
    let mut settings = host.app.settings_get(()).await?;
    if let Some(rule) = rule {
        settings.carry_over = match rule {
            CarryRule::Offer => CarryOver::Offer,
            CarryRule::Always => CarryOver::Always,
            CarryRule::Never => CarryOver::Never,
        };
        settings = host.app.settings_set(settings).await?;
    }
    if host.out.json {
        return host.out.value(&json!({"carry_over": settings.carry_over}));
    }
    host.out.line(match settings.carry_over {
        CarryOver::Offer => "offer",
        CarryOver::Always => "always",
        CarryOver::Never => "never",
    })
}

/// Says whether other conversations may be quoted in a project, and changes that where an answer is given.
async fn others(host: &Host, project_id: ProjectId, answer: Option<Answer>) -> Result<(), Stop> {
    if let Some(answer) = answer {
        let allow = answer == Answer::Yes;
        host.app.others_allow(AllowOthers { project_id, allow }).await?;
    }
    let settings = host.app.settings_get(()).await?;
    let allowed = settings.recall_others.get(&project_id).copied();
    if host.out.json {
        return host.out.value(&json!({"others": allowed}));
    }
    host.out.line(match allowed {
        Some(true) => "yes",
        Some(false) => "no",
        None => host.out.lang.pick("not asked yet", "아직 묻지 않음"),
    })
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
    let chosen: Vec<&ForeignFile> = chosen.collect();
    let dropped: Vec<&str> = chosen.iter().flat_map(|it| &it.dropped).map(String::as_str).collect();
    if !mine && !dropped.is_empty() {
        host.out.note(&format!("silt: {}", said_dropped(host.out.lang, &dropped)));
    }
    let file = |it: &ForeignFile| ShownFile { name: it.name.clone(), hash: it.hash.clone() };
    let (files, keep) =
        (chosen.into_iter().map(file).collect(), if mine { Keep::Mine } else { Keep::Theirs });
    show(host, &host.app.session_accept(AcceptSession { project_id: id, files, keep }).await?)
}

/// After any command: what of its work could not be written into `.ai-brain`, and what settles that.
pub fn say_unwritten(host: &Host) {
    for (_, state) in host.app.sessions_unwritten() {
        if let Some(said) = unwritten(host.out.lang, &state) {
            host.out.note(&format!("silt: {said}"));
        }
    }
    for SilentOwner { owner, host: computer, heartbeat } in host.app.sessions_taken() {
        let said = host.out.lang.pick(
            ".ai-brain is written here now: {} has been silent since {at}",
            "이제 .ai-brain을 여기서 씁니다: {}에서 {at} 뒤로 소식이 없습니다",
        );
        let said = said.replace("{}", &format!("{owner}@{computer}"));
        host.out.note(&format!("silt: {}", said.replace("{at}", &heartbeat.to_string())));
    }
}

/// Plans and tasks that a file names and nobody has.
fn said_dropped(lang: Lang, ids: &[&str]) -> String {
    lang.count(
        "context.json names {}, which no workflow.json has: accepting it drops that",
        "context.json에 적힌 {}이(가) 어느 workflow.json에도 없어, 받아들이면 빠집니다",
        ids.join(", "),
    )
}

/// What stops the writing of the files, and what settles it; `None` where nothing does.
fn unwritten(lang: Lang, state: &SessionFilesState) -> Option<String> {
    Some(match state {
        SessionFilesState::Off | SessionFilesState::Written => return None,
        SessionFilesState::Foreign => lang
            .pick(
                ".ai-brain was changed elsewhere and is not written over: look with `silt session show`, \
                 then take it in with `silt session accept` or write over it with `silt session accept --mine`",
                ".ai-brain이 다른 곳에서 바뀌어 덮어쓰지 않습니다: `silt session show`로 보고, \
                 `silt session accept`로 받아들이거나 `silt session accept --mine`으로 덮어쓰세요",
            )
            .to_owned(),
        SessionFilesState::Held { owner, host, .. } => lang
            .pick(
                ".ai-brain is written by {} and only read here: `silt session take-over` writes it here",
                ".ai-brain을 {}에서 쓰고 있어 여기서는 읽기만 합니다: `silt session take-over`로 넘겨받으세요",
            )
            .replace("{}", &format!("{owner}@{host}")),
        SessionFilesState::Newer { version } => lang.count(
            ".ai-brain is of the newer version {} and was left as it is: update Siltstone, or stop \
             with `silt session share --off`",
            ".ai-brain이 더 새로운 버전 {}의 것이어서 그대로 두었습니다: Siltstone을 새로 받거나 \
             `silt session share --off`로 그만두세요",
            version,
        ),
        SessionFilesState::Refused { detail } => lang.count(
            ".ai-brain cannot be written ({}): make room or allow it, or stop with `silt session share --off`",
            ".ai-brain에 쓸 수 없습니다 ({}): 공간이나 권한을 마련하거나 `silt session share --off`로 그만두세요",
            detail,
        ),
    })
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
        stopped => unwritten(lang, stopped).unwrap_or_default(),
    };
    let fact = |label: &str, value: &str| match value {
        "" => Ok(()),
        value => host.out.line(&format!("{label}: {value}")),
    };
    host.out.line(&match view.files {
        SessionFilesState::Off | SessionFilesState::Written => format!(".ai-brain: {files}"),
        _ => files,
    })?;
    let plan = workflow.current_plan().map_or("", |plan| &plan.title);
    fact(lang.pick("Plan", "계획"), plan)?;
    let task = workflow.current_task().map_or("", |task| &task.title);
    fact(lang.pick("Task", "할 일"), task)?;
    fact(lang.pick("Decisions", "결정"), &context.memory.last_decisions.join("; "))?;
    fact(lang.pick("Summary", "요약"), &context.conversation.running_summary)?;
    fact(lang.pick("Turns", "턴"), &context.stats.dialog_turns.to_string())?;
    for file in &view.foreign {
        host.out.line(&file.name)?;
        let dropped: Vec<&str> = file.dropped.iter().map(String::as_str).collect();
        if !dropped.is_empty() {
            host.out.line(&said_dropped(lang, &dropped))?;
        }
        host.out.line(Difference::of(&file.before, &file.now).unified().trim_end())?;
    }
    Ok(())
}

fn snapshots(host: &Host, all: &[SessionSnapshot]) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"snapshots": all}));
    }
    let lang = host.out.lang;
    all.iter()
        .try_for_each(|copy| host.out.line(&format!("{}  {}", copy.name, lang.moment(copy.at))))
}

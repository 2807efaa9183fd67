//! `silt project`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use siltstone_contract::{
    AgreedFile, Code, Failure, OpenProject, ProbeProject, ProbeView, ProjectHolds, ProjectRef,
};
use siltstone_engine::memory::Finding;
use siltstone_engine::project::{ProbeWarning, Project, Trust};

use crate::args;
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;

/// Digits of a file's hash that a person compares.
const SHOWN_OF_HASH: usize = 12;

#[derive(Serialize)]
pub struct ProjectOut<'a> {
    id: String,
    path: &'a str,
    name: &'a str,
    trusted: bool,
    this_computer_only: bool,
    opened_at: String,
}

impl<'a> From<&'a Project> for ProjectOut<'a> {
    fn from(project: &'a Project) -> Self {
        Self {
            id: project.id.to_string(),
            path: &project.path,
            name: &project.name,
            trusted: project.trust == Trust::Trusted,
            this_computer_only: project.this_computer_only,
            opened_at: project.opened_at.to_string(),
        }
    }
}

pub async fn run(host: &Host, command: args::Project) -> Result<(), Stop> {
    match command {
        args::Project::Open { path, trust, no_trust, this_computer_only, any_computer } => {
            let answer = match (trust, no_trust) {
                (true, _) => Some(Trust::Trusted),
                (_, true) => Some(Trust::Untrusted),
                _ => None,
            };
            let this_computer_only =
                (this_computer_only || any_computer).then_some(this_computer_only);
            let seen = Vec::new();
            open(host, OpenProject { path, trust: answer, this_computer_only, seen }).await
        }
        args::Project::List => list(host).await,
        args::Project::Forget { path, yes } => forget(host, &path, yes).await,
    }
}

async fn open(host: &Host, request: OpenProject) -> Result<(), Stop> {
    let probe = ProbeProject { path: request.path.clone(), probe_id: String::from("silt") };
    let found = host.app.project_probe(probe, Arc::new(|_| ())).await?;
    // The answer is to what was found here, and to nothing that comes after it.
    let request = OpenProject { seen: found.seen.clone(), ..request };
    let answered = request.trust == Some(Trust::Trusted);
    let project = match host.app.project_open(request).await {
        Ok(project) => project,
        Err(failure) => {
            // Whoever is to answer sees what the answer is about.
            if failure.code == Code::TrustUnanswered {
                for line in what_it_brings(host, &found) {
                    host.out.note(&line);
                }
            }
            return Err(failure.into());
        }
    };
    let changed = match answered {
        true => host.app.memory_changes(ProjectRef { id: project.id }).await?,
        false => Vec::new(),
    };
    let changed: Vec<&str> = changed.iter().map(|it| it.path.as_str()).collect();
    if host.out.json {
        let ProbeView { probe: found, memory, seen, effects } = &found;
        let looked_at: Vec<_> = memory
            .iter()
            .map(|file| json!({"path": file.path, "findings": file.findings, "imports": file.imports}))
            .collect();
        let instructions: Vec<_> = found
            .instructions
            .iter()
            .map(|file| json!({"path": file.path, "tokens": file.tokens, "same_as": file.same_as}))
            .collect();
        return host.out.value(&json!({
            "project": ProjectOut::from(&project),
            "instruction_files": instructions,
            "memory": looked_at,
            "seen": seen,
            "changed": changed,
            "effects": effects,
            "warnings": found.warnings,
            "never_sent": found.never_sent,
            "files": found.counts.files,
            "git_branch": found.git_branch,
            "brain": found.brain,
        }));
    }
    host.out.line(&format!("{}  {}", project.name, project.path))?;
    host.out.line(match project.trust {
        Trust::Trusted => host.out.lang.pick("trusted", "믿는 폴더"),
        Trust::Untrusted => host
            .out
            .lang
            .pick("opened without its instructions and texts", "지침과 글은 빼고 연 폴더"),
    })?;
    if project.this_computer_only {
        let asks = ("asks models on this computer alone", "이 컴퓨터에 있는 모델에만 물음");
        host.out.line(host.out.lang.pick(asks.0, asks.1))?;
    }
    for line in what_it_brings(host, &found) {
        host.out.line(&line)?;
    }
    for path in changed {
        let said = ("! changed since it was looked at, and left out", "! 살펴본 뒤에 바뀌어 빼 둠");
        host.out.line(&format!("{}: {path}", host.out.lang.pick(said.0, said.1)))?;
    }
    Ok(())
}

fn what_it_brings(host: &Host, view: &ProbeView) -> Vec<String> {
    let (lang, found) = (host.out.lang, &view.probe);
    let mut lines = vec![lang.count("{} file(s)", "파일 {}개", found.counts.files)];
    for AgreedFile { path, hash } in &view.seen {
        let hash: String = hash.iter().flat_map(|hash| hash.chars().take(SHOWN_OF_HASH)).collect();
        // What is only imported costs what the file costs that imports it.
        let file = view.memory.iter().find(|file| file.path == *path);
        let tokens = file.map(|file| lang.count("~{} token(s)", "약 {}토큰", file.tokens));
        lines.push(
            format!("  {path}  {hash}  {}", tokens.unwrap_or_default()).trim_end().to_owned(),
        );
    }
    if found.brain {
        let brings = ("a session of its own in .ai-brain", ".ai-brain에 담아 온 세션");
        lines.push(lang.pick(brings.0, brings.1).to_owned());
    }
    if !found.never_sent.is_empty() {
        lines.push(format!(
            "{}: {}",
            lang.pick("never sent", "보내지 않는 파일"),
            found.never_sent.join(", ")
        ));
    }
    for file in &view.memory {
        let look = |it: &Finding| format!("! {}", super::memory::finding(lang, &file.path, it));
        lines.extend(file.findings.iter().map(look));
    }
    if view.memory.iter().flat_map(|file| &file.findings).any(|it| it.passage.is_some()) {
        let said = "! flagged lines are left out of requests, until `silt memory allow FILE LINE`";
        let korean = "! 표시된 줄은 `silt memory allow 파일 줄`로 허락하기 전에는 보내지 않습니다";
        lines.push(lang.pick(said, korean).to_owned());
    }
    for effect in &view.effects {
        lines.push(format!("! {}  {}: {}", effect.path, effect.name, effect.what));
    }
    for warning in &found.warnings {
        lines.push(
            match warning {
                ProbeWarning::Home => lang.pick("! this is your home folder", "! 홈 폴더입니다"),
                ProbeWarning::Root => lang.pick(
                    "! this is the root of a file system",
                    "! 파일 시스템의 맨 위 폴더입니다",
                ),
                ProbeWarning::OwnData => lang.pick(
                    "! Siltstone's own data is in this folder; it is left out of everything",
                    "! Siltstone의 데이터가 이 폴더에 있습니다. 그 부분은 모든 것에서 뺍니다",
                ),
                ProbeWarning::Network => {
                    lang.pick("! this folder is on the network", "! 네트워크에 있는 폴더입니다")
                }
                ProbeWarning::TooManyFiles => lang.pick(
                    "! more files than are looked at",
                    "! 파일이 너무 많아 일부만 보았습니다",
                ),
                ProbeWarning::StillWritten => lang.pick(
                    "! files are still being written here; what changes is asked about again",
                    "! 아직 파일을 쓰는 중입니다. 바뀌는 것은 다시 묻습니다",
                ),
                ProbeWarning::Unreadable => {
                    lang.pick("! some folders could not be read", "! 읽을 수 없는 폴더가 있습니다")
                }
            }
            .to_owned(),
        );
    }
    lines
}

async fn list(host: &Host) -> Result<(), Stop> {
    let projects = host.app.project_list(()).await?;
    if host.out.json {
        let projects: Vec<_> = projects.iter().map(ProjectOut::from).collect();
        return host.out.value(&json!({"projects": projects}));
    }
    if projects.is_empty() {
        host.out.note(host.out.lang.pick("No folder was opened yet.", "아직 연 폴더가 없습니다."));
    }
    for project in &projects {
        let trusted = match project.trust {
            Trust::Trusted => host.out.lang.pick("trusted", "믿음"),
            Trust::Untrusted => host.out.lang.pick("not trusted", "안 믿음"),
        };
        host.out.line(&format!("{}  ({trusted})  {}", project.name, project.path))?;
    }
    Ok(())
}

/// Forgetting is for ever: what goes is said before it goes.
fn would_go(lang: Lang, holds: &ProjectHolds) -> Stop {
    let counts = [
        (holds.plans, "{} plan(s)", "계획 {}개"),
        (holds.tasks, "{} task(s)", "할 일 {}개"),
        (holds.decisions, "{} decision(s)", "결정 {}개"),
        (holds.lines, "{} line(s) of memory", "메모리 {}줄"),
        (holds.proposals, "{} proposal(s)", "제안 {}개"),
        (holds.servers, "{} MCP server(s)", "MCP 서버 {}개"),
        (holds.checkpoints, "{} checkpoint(s)", "체크포인트 {}개"),
    ];
    let some = counts.into_iter().filter(|(count, ..)| *count > 0);
    let some: Vec<String> = some.map(|(count, en, ko)| lang.count(en, ko, count)).collect();
    let message = lang.pick("this would go for ever: {}", "완전히 사라질 것: {}");
    let hint = lang.pick(
        "Its conversations and its files stay. Add --yes to forget it all the same.",
        "대화와 폴더의 파일은 그대로 있습니다. 그래도 잊으려면 --yes를 붙이세요.",
    );
    Stop::Value { message: message.replace("{}", &some.join(", ")), hint: hint.to_owned() }
}

async fn forget(host: &Host, path: &str, yes: bool) -> Result<(), Stop> {
    let Some(project) = host.opened(path).await? else {
        let message = format!("no project {path}");
        return Err(Failure::new(Code::NotFound, message).into());
    };
    let named = ProjectRef { id: project.id };
    let holds = host.app.project_holds(named.clone()).await?;
    if !yes && !holds.is_empty() {
        return Err(would_go(host.out.lang, &holds));
    }
    host.app.project_forget(named).await?;
    if host.out.json {
        return host.out.value(&json!({"forgotten": ProjectOut::from(&project)}));
    }
    host.out.note(
        host.out
            .lang
            .pick("Forgotten; its conversations stay.", "잊었습니다. 대화는 그대로 있습니다."),
    );
    Ok(())
}

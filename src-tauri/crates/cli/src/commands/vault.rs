//! `silt vault`: sessions of other agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use siltstone_app::Sink;
use siltstone_contract::{
    AgreeVault, CancelVault, ContinueVault, Failure, ForgetVault, ForgetWhat, ListVault, LookVault,
    PlanVault, ScanVault, SearchVault, VaultContinued, VaultDropped, VaultEntry, VaultEntryKind,
    VaultEvent, VaultForgets, VaultFound, VaultGoal, VaultItem, VaultLeft, VaultPlan, VaultRef,
    VaultScanned, VaultSession, VaultSource, VaultVerified, VerifyVault,
};
use siltstone_engine::Timestamp;
use siltstone_engine::message::Part;
use siltstone_engine::vault::{Agent, AgentHome, LeftReason, Stays, Tally};

use crate::args;
use crate::host::Host;
use crate::out::{Out, Stop};
use crate::words::Lang;

/// Characters of a call's arguments or a result that a person is shown; `--json` has all.
const SHOWN: usize = 600;

pub async fn run(host: &Host, command: args::Vault) -> Result<(), Stop> {
    let app = &host.app;
    match command {
        args::Vault::Sources => {
            let sources = app.vault_sources(()).await?;
            listed(host, "sources", &sources, source_line)?;
            host.out.empty(
                &sources,
                "No sessions of other agents.",
                "다른 에이전트의 세션이 없습니다.",
            );
            Ok(())
        }
        args::Vault::Scan { paths, agree, withdraw, agent, home } => {
            let home = home.as_deref();
            scan(host, (agree, withdraw), agent.map(Into::into), home, &paths).await
        }
        args::Vault::Status => status(host).await,
        args::Vault::List { agent, folder, limit } => {
            let folder = folder.map(|folder| whole(&folder));
            let request = ListVault { agent: agent.map(Into::into), folder, limit };
            let sessions = app.vault_list(request).await?;
            listed(host, "sessions", &sessions, item_line)?;
            host.out.empty(&sessions, "No sessions are kept.", "보관한 세션이 없습니다.");
            Ok(())
        }
        args::Vault::Search { words, agent, folder, limit } => {
            let request = SearchVault {
                query: words.join(" "),
                agent: agent.map(Into::into),
                folder: folder.map(|folder| whole(&folder)),
                limit,
            };
            found(host, &app.vault_search(request).await?)
        }
        args::Vault::Show { id, version, raw: true, file, .. } => {
            let into = Box::new(std::io::stdout());
            app.vault_bytes(VaultRef { id, version }, file, into).await?;
            Ok(())
        }
        args::Vault::Show { id, branches, version, .. } => {
            show(host, &app.vault_session(VaultRef { id, version }).await?, branches)
        }
        args::Vault::Dropped { id, version, all } => {
            dropped(host, &app.vault_dropped(VaultRef { id, version }).await?, all)
        }
        args::Vault::Continue { id, version, to, as_text, folder, whole, install, yes } => {
            let goal = match (to, as_text) {
                (Some(agent), _) => VaultGoal::Agent {
                    agent: agent.into(),
                    folder: folder.map(|folder| self::whole(&folder)),
                    whole,
                    install,
                },
                (None, true) => VaultGoal::Text,
                (None, false) => {
                    let project = host.named_project().await?;
                    VaultGoal::Here { project_id: project.map(|project| project.id) }
                }
            };
            go_on(host, PlanVault { id, version, goal }, yes).await
        }
        args::Vault::Verify => {
            let request = VerifyVault { work_id: WORK.to_owned() };
            let verified = until_stopped(host, app.vault_verify(request, steps(host))).await?;
            of_verified(host, &verified)
        }
        args::Vault::Forget { id, agent, yes } => {
            let what = match (id, agent) {
                (Some(id), _) => ForgetWhat::Session { id },
                (None, agent) => {
                    ForgetWhat::Agent { agent: agent.map_or(Agent::ClaudeCode, Into::into) }
                }
            };
            forgotten(host, &app.vault_forget(ForgetVault { what, yes }).await?)
        }
    }
}

/// The only work of this process that can be cancelled.
const WORK: &str = "silt";

/// Cancels work at Ctrl-C, and waits until what it has is durable.
async fn until_stopped<T>(
    host: &Host,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Stop> {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok(done?),
            heard = tokio::signal::ctrl_c() => {
                if heard.is_ok() {
                    host.app.vault_cancel(CancelVault { work_id: WORK.to_owned() }).await?;
                }
            }
        }
    }
}

/// How far it has come, beside what is said.
fn steps(host: &Host) -> Sink<VaultEvent> {
    let out: Out = host.out.clone();
    Arc::new(move |event: VaultEvent| {
        let files = out.lang.count("{} file(s)", "파일 {}개", event.files);
        out.note(&format!("{files} / {} · {}", event.of, out.lang.size(event.bytes)));
    })
}

fn listed<T: Serialize>(
    host: &Host,
    name: &str,
    all: &[T],
    line: fn(Lang, &T) -> String,
) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({ name: all }));
    }
    all.iter().try_for_each(|it| host.out.line(&line(host.out.lang, it)))
}

fn source_line(lang: Lang, source: &VaultSource) -> String {
    let agreed = match source.agreed {
        true => lang.pick("kept", "보관함"),
        false => lang.pick("not kept", "보관하지 않음"),
    };
    let sessions = lang.count("{} session(s)", "세션 {}개", source.sessions);
    let day = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string()[..10].into());
    let skipped = match source.skipped.len() {
        0 => String::new(),
        count => lang.count(" · {} not read", " · 읽지 않음 {}", count),
    };
    format!(
        "{} · {} · {sessions} · {} · {} – {} · {agreed}{skipped}",
        source.home.agent.title(),
        source.home.root,
        lang.size(source.bytes),
        day(source.first),
        day(source.last),
    )
}

fn item_line(lang: Lang, item: &VaultItem) -> String {
    let facts = &item.facts;
    let when = facts.ended_at.map_or_else(String::new, |at| lang.ago(at, Timestamp::now()));
    let title = titled(lang, &facts.title);
    let mut notes = vec![lang.count("{} turn(s)", "턴 {}개", facts.turns)];
    if facts.folds > 0 {
        notes.push(lang.count("{} compaction(s)", "압축 {}번", facts.folds));
    }
    if item.children > 0 {
        notes.push(lang.count("{} subagent(s)", "하위 에이전트 {}개", item.children));
    }
    if item.versions > 1 {
        notes.push(lang.count("{} version(s)", "버전 {}개", item.versions));
    }
    if item.gone_at.is_some() {
        notes.push(lang.pick("the agent deleted it", "에이전트가 지움").to_owned());
    } else if item.cut > 0 {
        notes.push(lang.pick("the agent cut it", "에이전트가 잘라 냄").to_owned());
    }
    format!("{}  {when:>10}  {}  {title}  ({})", facts.id, facts.agent.title(), notes.join(" · "))
}

fn found(host: &Host, found: &VaultFound) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(found);
    }
    let lang = host.out.lang;
    for hit in &found.hits {
        let day = hit.at.map_or_else(String::new, |at| at.to_string()[..10].into());
        let (agent, title) = (hit.agent.title(), titled(lang, &hit.title));
        host.out.line(&format!("{}:{}  {day}  {agent}  {title}", hit.id, hit.number))?;
        let snippet: String = hit.snippet.iter().map(|part| part.text.as_str()).collect();
        host.out.line(&format!("    {}", snippet.replace('\n', " ")))?;
    }
    host.out.empty(&found.hits, "Nothing was found.", "찾은 것이 없습니다.");
    if found.total > found.hits.len() as u64 {
        host.out.note(&lang.count("{} in all", "모두 {}개", found.total));
    }
    Ok(())
}

fn titled(lang: Lang, title: &str) -> &str {
    if title.is_empty() { lang.pick("(untitled)", "(제목 없음)") } else { title }
}

async fn scan(
    host: &Host,
    (agree, withdraw): (bool, bool),
    agent: Option<Agent>,
    home: Option<&Path>,
    paths: &[PathBuf],
) -> Result<(), Stop> {
    let app = &host.app;
    if agent.is_some() && !agree && !withdraw {
        let said =
            "--agent goes with --agree or --withdraw; a scan looks at all that was agreed to";
        return Err(Stop::Usage(said.to_owned()));
    }
    let sources = app.vault_sources(()).await?;
    if agree || withdraw {
        let homes = chosen(host, &sources, agree, agent, home).await?;
        let sources = app.vault_agree(AgreeVault { homes, yes: agree }).await?;
        sources.iter().for_each(|it| host.out.note(&source_line(host.out.lang, it)));
        if withdraw {
            return if host.out.json {
                host.out.value(&json!({"sources": sources}))
            } else {
                Ok(())
            };
        }
    } else if !sources.iter().any(|source| source.agreed) {
        sources.iter().for_each(|it| host.out.note(&source_line(host.out.lang, it)));
    }
    let paths = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let request = ScanVault { work_id: WORK.to_owned(), paths };
    let scanned = until_stopped(host, app.vault_scan(request, steps(host))).await?;
    of_scan(host, &scanned)?;
    if scanned.cancelled { Err(Stop::Interrupted) } else { Ok(()) }
}

/// The folders that are agreed to, or withdrawn from.
async fn chosen(
    host: &Host,
    sources: &[VaultSource],
    agree: bool,
    agent: Option<Agent>,
    home: Option<&Path>,
) -> Result<Vec<AgentHome>, Stop> {
    let place = home.map(whole);
    let of_agent = |it: &&VaultSource| agent.is_none_or(|agent| agent == it.home.agent);
    let known = sources.iter().filter(of_agent).map(|source| source.home.clone());
    let Some(place) = place else {
        let homes: Vec<AgentHome> = known.collect();
        let is_export = agent.is_some_and(Agent::is_exported);
        return match agree && is_export && homes.is_empty() {
            true => {
                let said = "exports lie where you put them: name the folder with --home";
                Err(Stop::Usage(said.to_owned()))
            }
            false => Ok(homes),
        };
    };
    if !agree {
        // It may be gone by now.
        return Ok(known.filter(|home| home.root == place).collect());
    }
    let found = host.app.vault_look(LookVault { path: place.clone(), agent }).await?;
    match found.is_empty() {
        true => Err(Stop::Usage(format!("nothing is at {place}"))),
        false => Ok(found.into_iter().map(|source| source.home).collect()),
    }
}

fn of_scan(host: &Host, scanned: &VaultScanned) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(scanned);
    }
    let lang = host.out.lang;
    let mut said = vec![lang.count("{} file(s)", "파일 {}개", scanned.files)];
    let counts = [
        (scanned.new, "{} new", "새로 {}"),
        (scanned.grew, "{} longer", "늘어남 {}"),
        (scanned.rewritten, "{} written anew, the former kept", "새로 쓰임 {}, 앞의 것도 보관"),
        (scanned.cut, "{} cut, the rest kept", "잘림 {}, 나머지도 보관"),
    ];
    let counts = counts.iter().filter(|(count, ..)| *count > 0);
    said.extend(counts.map(|(count, en, ko)| lang.count(en, ko, count)));
    said.push(lang.size(scanned.bytes));
    host.out.line(&said.join(" · "))?;
    for file in &scanned.unreadable {
        host.out.note(&lang.count("not read: {}", "읽지 못함: {}", file));
    }
    for path in &scanned.skipped {
        host.out.note(&lang.count("no file of its own: {}", "보통 파일이 아님: {}", path));
    }
    unknown(host, &scanned.unknown);
    if scanned.cancelled {
        host.out.note(lang.pick(
            "Stopped; what was kept by then stays, and the next scan goes on.",
            "멈췄습니다. 그때까지 보관한 것은 남고, 다음에 이어 갑니다.",
        ));
    }
    Ok(())
}

/// A format that changed is said, and stops nothing.
fn unknown(host: &Host, unknown: &Tally) {
    if unknown.is_empty() {
        return;
    }
    let kinds: Vec<String> =
        unknown.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
    host.out.note(&host.out.lang.count(
        "kept, but not understood: {}",
        "보관했지만 알지 못하는 기록: {}",
        kinds.join(", "),
    ));
}

async fn status(host: &Host) -> Result<(), Stop> {
    let status = host.app.vault_status(()).await?;
    if host.out.json {
        return host.out.value(&status);
    }
    let lang = host.out.lang;
    for kept in &status.kept {
        let sessions = lang.count("{} session(s)", "세션 {}개", kept.sessions);
        let files = lang.count("{} file(s)", "파일 {}개", kept.files);
        let gone = lang.count("{} only here", "여기에만 있음 {}", kept.gone);
        let changed = lang.count("{} more here than there", "여기에 더 있음 {}", kept.changed);
        let (agent, root) = (kept.home.agent.title(), &kept.home.root);
        let size = lang.size(kept.bytes);
        host.out.line(&format!(
            "{agent} · {root} · {sessions} · {files} · {size} · {gone} · {changed}"
        ))?;
        unknown(host, &kept.unknown);
    }
    host.out.empty(&status.kept, "Nothing is kept.", "보관한 것이 없습니다.");
    let (bytes, stored) = (lang.size(status.bytes), lang.size(status.stored));
    host.out.line(&format!("{bytes} → {stored}"))
}

fn show(host: &Host, session: &VaultSession, branches: bool) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(session);
    }
    let lang = host.out.lang;
    host.out.line(&item_line(lang, &session.item))?;
    let facts = &session.item.facts;
    let about = [facts.folder.as_deref(), facts.git_branch.as_deref()].into_iter().flatten();
    let about: Vec<&str> = about.chain(facts.models.iter().map(String::as_str)).collect();
    host.out.line(&about.join(" · "))?;
    let usage = session.usage;
    let tokens = lang.count("{} token(s) asked", "물은 토큰 {}개", usage.input_tokens);
    let answered = lang.count("{} answered", "답한 토큰 {}개", usage.output_tokens);
    host.out.line(&format!("{tokens} · {answered}"))?;
    let shown = session.entries.iter().filter(|entry| entry.active || branches);
    for entry in shown {
        host.out.line(&format!("\n── {}", heading(lang, entry)))?;
        for part in &entry.parts {
            if let Some(said) = said(part) {
                host.out.line(&said)?;
            }
        }
    }
    for child in &session.children {
        host.out.line(&format!("\n{}", item_line(lang, child)))?;
    }
    if session.shortened > 0 {
        host.out.note(&lang.count(
            "{} text(s) are longer than shown; --raw has all of it.",
            "보이는 것보다 긴 글이 {}개 있습니다. --raw로 모두 볼 수 있습니다.",
            session.shortened,
        ));
    }
    unknown(host, &facts.unknown);
    Ok(())
}

fn heading(lang: Lang, entry: &VaultEntry) -> String {
    let what = match entry.kind {
        VaultEntryKind::Said => lang.term(&entry.role),
        VaultEntryKind::Context => {
            lang.pick("put there by the agent", "에이전트가 넣음").to_owned()
        }
        VaultEntryKind::Fold => lang.pick("compaction", "압축").to_owned(),
    };
    let mut words = vec![entry.number.to_string(), what];
    words.extend(entry.model.clone());
    words.extend(entry.at.map(|at| at.to_string()));
    if !entry.active {
        words.push(lang.pick("on another branch", "다른 가지").to_owned());
    }
    words.join(" · ")
}

fn said(part: &Part) -> Option<String> {
    match part {
        Part::Text { text } | Part::Pasted { text, .. } => Some(text.clone()),
        Part::Reasoning { text, .. } => Some(format!("~ {text}")).filter(|_| !text.is_empty()),
        Part::ToolCall { name, arguments, .. } => {
            Some(format!("→ {name} {}", beginning(arguments)))
        }
        Part::ToolResult { text, .. } => Some(format!("← {}", beginning(text))),
        Part::Image { media_type, .. } | Part::File { media_type, .. } => {
            Some(format!("[{media_type}]"))
        }
    }
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

fn dropped(host: &Host, folds: &[VaultDropped], all: bool) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"compactions": folds}));
    }
    let lang = host.out.lang;
    host.out.empty(folds, "It was never compacted.", "압축된 적이 없습니다.");
    for fold in folds {
        let told = |tokens: Option<u64>, else_: u64| match tokens {
            Some(tokens) => tokens.to_string(),
            None => format!("~{else_}"),
        };
        let tokens = format!(
            "{} → {}",
            told(fold.before, fold.tokens),
            told(fold.after, fold.summary_tokens)
        );
        let entries = lang.count("{} message(s)", "메시지 {}개", fold.entries.len());
        let at = fold.at.map(|at| at.to_string()).unwrap_or_default();
        let tokens = lang.count("{} tokens", "토큰 {}", tokens);
        host.out.line(&format!("── {} · {at} · {tokens} · {entries}", fold.number))?;
        for share in &fold.retention.shares {
            let kind = lang.term(&share.category);
            host.out.line(&format!("   {kind}: {} / {}", share.kept, share.in_source))?;
        }
        let shown = fold.facts.iter().filter(|fact| all || fact.stays == Stays::Nowhere);
        for fact in shown {
            let mark = match fact.stays {
                Stays::Nowhere => "-",
                Stays::Later => "~",
                Stays::Summary => "+",
            };
            let kind = lang.term(&fact.category);
            let text = fact.text.split_whitespace().collect::<Vec<_>>().join(" ");
            host.out.line(&format!(" {mark} {kind}: {text}  [{}]", fact.entry))?;
        }
    }
    Ok(())
}

/// Says what would go, and with a yes lets it go. A text changes nothing and needs none.
async fn go_on(host: &Host, asked: PlanVault, yes: bool) -> Result<(), Stop> {
    let PlanVault { id, version, goal } = asked.clone();
    let is_text = goal == VaultGoal::Text;
    let plan = host.app.vault_plan(asked).await?;
    if !(is_text || yes && host.out.json) {
        planned(host, &plan)?;
    }
    if !is_text && !yes {
        host.out.note(host.out.lang.pick(
            "Nothing is written yet; --yes does it.",
            "아직 아무것도 쓰지 않았습니다. --yes를 붙이면 씁니다.",
        ));
        return Ok(());
    }
    let path = plan.handover.map(|handover| handover.path);
    let request = ContinueVault { id, version, goal, path };
    continued(host, &host.app.vault_continue(request).await?)
}

fn planned(host: &Host, plan: &VaultPlan) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(plan);
    }
    let lang = host.out.lang;
    let item = plan.item.as_ref().map(|item| item_line(lang, item));
    host.out.line(&item.unwrap_or_else(|| plan.title.clone()))?;
    if let Some(project) = &plan.project {
        host.out.line(&format!("→ {}", project.path))?;
    }
    let counts = [
        (plan.turns, "{} turn(s)", "턴 {}개"),
        (plan.messages, "{} message(s)", "메시지 {}개"),
        (plan.calls, "{} call(s)", "호출 {}번"),
        (plan.pictures, "{} picture(s)", "그림 {}개"),
        (plan.summaries, "{} compaction(s) as summaries", "요약이 되는 압축 {}번"),
        (plan.tokens, "{} token(s), estimated", "토큰 약 {}개"),
    ];
    let counts = counts.iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, en, ko)| lang.count(en, ko, count)).collect();
    host.out.line(&counts.join(" · "))?;
    for left in &plan.left {
        host.out.line(&format!("- {}", left_line(lang, left)))?;
    }
    plan.handover.as_ref().map_or(Ok(()), |handover| host.out.line(&handover.path))
}

/// What stays behind, and why.
fn left_line(lang: Lang, left: &VaultLeft) -> String {
    let (en, ko) = match left.reason {
        LeftReason::Folded => (
            "{} message(s) before the last compaction: its summary goes for them (--whole takes them)",
            "마지막 압축 앞의 메시지 {}개: 요약이 대신 감 (--whole이면 메시지가 감)",
        ),
        LeftReason::Summary => {
            ("{} compaction(s): the messages themselves go", "압축 {}번: 메시지 자체가 감")
        }
        LeftReason::Branch => ("{} message(s) on other branches", "다른 가지의 메시지 {}개"),
        LeftReason::Unwanted => {
            ("{} message(s) that you left out of requests", "요청에서 뺀 메시지 {}개")
        }
        LeftReason::Context => (
            "{} message(s) of rules and surroundings: whoever goes on has its own",
            "규칙과 주변 정보 {}개: 이어 가는 쪽에 제 것이 있음",
        ),
        LeftReason::Thought => (
            "{} thought(s): a provider takes back its own model's alone",
            "생각 {}개: 제공자는 제 모델의 것만 다시 받음",
        ),
        LeftReason::Picture => ("{} picture(s) that cannot be read", "읽을 수 없는 그림 {}개"),
        LeftReason::Result => ("{} result(s) without their call", "호출이 없는 결과 {}개"),
        LeftReason::Aside => (
            "{} message(s) of a subagent in the same file",
            "같은 파일에 있는 하위 에이전트의 메시지 {}개",
        ),
        LeftReason::Subagent => ("{} subagent session(s)", "하위 에이전트 세션 {}개"),
        LeftReason::Output => {
            ("{} file(s) with long results beside the session", "세션 옆에 있는 긴 결과 파일 {}개")
        }
        LeftReason::Shortened => {
            ("{} text(s) of which only the beginning goes", "앞부분만 가는 글 {}개")
        }
        LeftReason::Unknown => ("{} record(s) of unknown kinds", "모르는 종류의 기록 {}개"),
        LeftReason::Unreadable => ("{} line(s) that cannot be read", "읽을 수 없는 줄 {}개"),
    };
    lang.count(en, ko, left.count)
}

fn continued(host: &Host, done: &VaultContinued) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(done);
    }
    let lang = host.out.lang;
    match done {
        VaultContinued::Here { item, .. } => {
            host.out.line(&format!("{}  {}", item.id, item.title))?;
            host.out.note(&lang.count(
                "Go on with `silt chat --conversation {}`; the session itself stays as it is.",
                "`silt chat --conversation {}`로 이어 가세요. 세션 자체는 그대로입니다.",
                item.id,
            ));
            Ok(())
        }
        VaultContinued::Agent { handover } => {
            if let Some(install) = &handover.install {
                host.out.note(lang.pick(
                    "Put it where the agent looks, then go on:",
                    "에이전트가 찾는 곳에 두고 나서 이어 가세요.",
                ));
                host.out.line(install)?;
            }
            host.out.line(&handover.start)
        }
        VaultContinued::Text { text, .. } => host.out.line(text.trim_end()),
    }
}

fn of_verified(host: &Host, verified: &VaultVerified) -> Result<(), Stop> {
    if host.out.json {
        host.out.value(verified)?;
    } else {
        let lang = host.out.lang;
        let files = lang.count("{} file(s)", "파일 {}개", verified.files);
        let versions = lang.count("{} version(s)", "버전 {}개", verified.versions);
        let bad = lang.count("{} damaged", "손상 {}", verified.faults.len());
        host.out.line(&format!("{files} · {versions} · {} · {bad}", lang.size(verified.bytes)))?;
        for fault in &verified.faults {
            let (agent, at) = (fault.agent.title(), fault.at);
            host.out.line(&format!(
                "  {agent} {} ({}) @{at}: {}",
                fault.path, fault.version, fault.detail
            ))?;
        }
    }
    if verified.faults.is_empty() { Ok(()) } else { Err(Stop::Interrupted) }
}

fn forgotten(host: &Host, forgets: &VaultForgets) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(forgets);
    }
    let lang = host.out.lang;
    for file in &forgets.files {
        host.out.line(&format!("{} · {}", file.path, lang.size(file.bytes)))?;
    }
    host.out.note(&match forgets.done {
        true => lang.count("Forgotten; {} freed.", "잊었습니다. {}를 비웠습니다.", lang.size(forgets.freed)),
        false => lang
            .pick(
                "Nothing was changed. --yes deletes this here for ever; the agent's own files stay.",
                "아무것도 바꾸지 않았습니다. --yes를 주면 여기서 영영 지웁니다. 에이전트의 파일은 그대로입니다.",
            )
            .to_owned(),
    });
    Ok(())
}

/// A folder by its real path, as agents write it; one that is gone as it was typed.
fn whole(folder: &Path) -> String {
    let real: PathBuf = folder
        .canonicalize()
        .or_else(|_| std::path::absolute(folder))
        .unwrap_or_else(|_| folder.to_owned());
    real.display().to_string()
}

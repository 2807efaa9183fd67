//! `silt memory`.

use std::path::Path;

use serde_json::{Value, json};
use siltstone_contract::{
    AcceptInbox, AddMemory, AgreeMemory, AgreedFile, AllowPassage, ChangedMemory, Code,
    ConversationRef, Failure, InboxRef, KeepMemory, KeepResource, MemoryAnswer, MemoryAt,
    MemoryCommand, MemoryFileRef, MemoryView, ProjectRef, ResourceItem, ResourceRef, ResourceState,
    ResourceText, ServerResources, ToolsAt, VersionRef,
};
use siltstone_engine::difference::Difference;
use siltstone_engine::ids::{ConversationId, InboxId, ProjectId};
use siltstone_engine::memory::slash::{self, Slash};
use siltstone_engine::memory::{
    Effective, EffectiveLine, Finding, FindingKind, LineKind, MemoryLine, Refusal, Share,
};
use siltstone_engine::project::{Project, Trust};

use super::named::{self, id};
use super::{file_of, sharing};
use crate::args::{About, Memory};
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words::Lang;

pub async fn run(host: &Host, command: Memory) -> Result<(), Stop> {
    let Memory { dir, conversation, what } = command;
    let project = host.project().await?;
    let conversation_id = match conversation {
        Some(typed) => Some(named::conversation(host, &typed).await?),
        None => None,
    };
    let dir = dir.map(|typed| inside(project.as_ref(), &typed)).transpose()?;
    let at = MemoryAt { project_id: project.as_ref().map(|it| it.id), conversation_id, dir };
    let root = project.as_ref().map(|project| project.path.clone());
    let named = |file: &str| root.as_ref().map_or(file.to_owned(), |root| file_of(root, file));
    match what {
        About::Show => {
            let view = host.app.memory_layers(at.clone()).await?;
            show(host, &view, &host.app.memory_effective(at).await?)
        }
        About::Effective => {
            note_refused(host, &host.app.memory_layers(at.clone()).await?);
            effective(host, &host.app.memory_effective(at).await?)
        }
        About::List => list(host, &host.app.memory_layers(at).await?),
        About::Refresh => list(host, &host.app.memory_refresh(at).await?),
        About::Add { text } => {
            let text = match text.join(" ") {
                dash if dash == "-" => input::stdin()?,
                text => text,
            };
            let MemoryAt { project_id, conversation_id, .. } = at;
            let request = AddMemory { project_id, conversation_id, text, source: None };
            lines(host, &[host.app.memory_add(request).await?])
        }
        About::Keep { section } => {
            let request =
                KeepMemory { conversation_id: named_conversation(host, &at)?, section_id: section };
            lines(host, &[host.app.memory_keep(request).await?])
        }
        About::Resources => {
            let at = ConversationRef { id: named_conversation(host, &at)? };
            resources(host, &host.app.mcp_resources(at).await?)
        }
        About::Resource { server, uri, keep } => {
            let conversation_id = named_conversation(host, &at)?;
            let resource = ResourceRef { conversation_id, server, uri };
            match keep {
                Some(hash) => {
                    let request = KeepResource { resource, hash };
                    lines(host, &[host.app.mcp_resource_keep(request).await?])
                }
                None => resource_text(host, &host.app.mcp_resource(resource).await?),
            }
        }
        About::Clear => lines(host, &host.app.memory_clear(at).await?),
        About::Lint => {
            let view = host.app.memory_layers(at).await?;
            lint(host, &view)?;
            // As linters do: a script need not read what they say.
            let is_clean = view.files.iter().all(|file| file.findings.is_empty());
            is_clean.then_some(()).ok_or(Stop::Interrupted)
        }
        About::Allow { file, line, off } => allow(host, at, &named(&file), line, !off).await,
        About::History { file, version } => history(host, at, named(&file), version).await,
        About::Inbox { accept, all, dismiss } => {
            inbox(host, at.project_id, accept, all, dismiss).await
        }
        About::Agree { files, yes } => {
            let files: Vec<String> = files.iter().map(|file| named(file)).collect();
            agree(host, project, &files, yes).await
        }
        About::Share { files, .. } if files.is_empty() => sharing::list(host, project).await,
        About::Share { files, global, text, dry_run } => {
            let files = files.into_iter().map(|file| file.0).collect();
            sharing::change(host, project, files, Some(Share { global, text }), dry_run).await
        }
        About::Unshare { files, dry_run } => {
            let files = files.into_iter().map(|file| file.0).collect();
            sharing::change(host, project, files, None, dry_run).await
        }
    }
}

fn named_conversation(host: &Host, at: &MemoryAt) -> Result<ConversationId, Stop> {
    let lang = host.out.lang;
    let missing = || {
        Stop::Value {
        message: lang.pick("no conversation is named", "어느 대화인지 빠졌습니다").to_owned(),
        hint: lang
            .pick(
                "Name it with --conversation ID; `silt conversation list` has the ids.",
                "--conversation 아이디로 알려 주세요. 아이디는 `silt conversation list`에 있습니다.",
            )
            .to_owned(),
    }
    };
    at.conversation_id.ok_or_else(missing)
}

fn resources(host: &Host, all: &[ServerResources]) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&all);
    }
    let lang = host.out.lang;
    host.out.empty(all, "No trusted server is on here.", "믿는 서버가 켜져 있지 않습니다.");
    for ServerResources { server, resources, fault } in all {
        if let Some(fault) = fault {
            host.out.note(&format!("{server}: {fault}"));
        }
        for ResourceItem { resource, state } in resources {
            let state = match state {
                ResourceState::NotKept => String::new(),
                state => format!("  {}", lang.term(state)),
            };
            let (uri, name) = (one_line(&resource.uri), one_line(&resource.name));
            host.out.line(&format!("{server}  {uri}  {name}{state}"))?;
        }
    }
    Ok(())
}

/// Words of a server in a line of their own.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The text on stdout, what to know of it beside that.
fn resource_text(host: &Host, said: &ResourceText) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(said);
    }
    let lang = host.out.lang;
    match &said.kept {
        Some(kept) if *kept != said.text => {
            host.out.note(lang.pick("Changed since it was kept.", "남긴 뒤로 바뀌었습니다."));
            host.out.line(Difference::of(kept, &said.text).unified().trim_end())?;
        }
        _ => host.out.line(said.text.trim_end())?,
    }
    if said.cut {
        let words = "It says more; this much is kept.";
        host.out.note(lang.pick(words, "내용이 더 있지만 여기까지만 남깁니다."));
    }
    let keep = lang.pick("Keep it with --keep", "남기려면 --keep");
    host.out.note(&format!("{keep} {}", said.hash));
    Ok(())
}

/// Lists what is proposed, or answers one of it.
async fn inbox(
    host: &Host,
    project_id: Option<ProjectId>,
    accept: Option<String>,
    all: bool,
    dismiss: Option<String>,
) -> Result<(), Stop> {
    let waiting = host.app.inbox_list(ToolsAt { project_id }).await?;
    let lang = host.out.lang;
    if let Some(typed) = accept {
        let named: InboxId = id("line", &typed)?;
        let missing = || Failure::new(Code::NotFound, format!("no line {typed}"));
        let item = waiting.into_iter().find(|item| item.id == named).ok_or_else(missing)?;
        let global = all || item.for_all_projects || item.project_id.is_none();
        let request = AcceptInbox { id: item.id, text: item.text, global };
        return lines(host, &[host.app.inbox_accept(request).await?]);
    }
    if let Some(typed) = dismiss {
        host.app.inbox_dismiss(InboxRef { id: id("line", &typed)? }).await?;
        if host.out.json {
            return host.out.value(&json!({"dismissed": typed}));
        }
        host.out.note(lang.pick("Dismissed.", "거절했습니다."));
        return Ok(());
    }
    if host.out.json {
        return host.out.value(&waiting);
    }
    host.out.empty(&waiting, "Nothing is proposed.", "제안한 것이 없습니다.");
    waiting.iter().try_for_each(|item| {
        let from = item.from.as_deref().map_or(String::new(), |from| format!("{from}  "));
        let of = match item.for_all_projects {
            true => lang.pick("all projects", "모든 프로젝트"),
            false => lang.pick("this project", "이 프로젝트"),
        };
        host.out.line(&format!("{}  {of}  {from}{}", item.id, item.text))?;
        item.why.lines().try_for_each(|line| host.out.line(&format!("  {line}")))
    })
}

/// A directory of the project, relative to its root, however it was typed.
fn inside(project: Option<&Project>, typed: &str) -> Result<String, Stop> {
    let project =
        project.ok_or_else(|| Failure::new(Code::NotFound, "no project here; name one"))?;
    let root = Path::new(&project.path);
    let dir = root.join(typed);
    let real = dir.canonicalize().map_err(|error| Stop::file(Path::new(typed), &error))?;
    let inside = real.strip_prefix(root).ok().filter(|_| real.is_dir());
    let inside = inside.ok_or_else(|| {
        let message = format!("the directory is not inside the project: {typed}");
        Failure::new(Code::OutsideProject, message)
    })?;
    Ok(inside.components().map(|it| it.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
}

/// Says which imports of memory files are not taken in, and why: what they say is in no request.
pub(super) fn note_refused(host: &Host, view: &MemoryView) {
    for note in view.files.iter().flat_map(|file| &file.imports) {
        if let Some(refusal) = &note.refused {
            let lang = host.out.lang;
            let said = lang.pick("not taken in", "불러오지 않음");
            let (from, line, target) = (&note.from, note.line, &note.target);
            host.out.note(&format!("{said}: {from}:{line} @{target} ({})", refused(lang, refusal)));
        }
    }
}

/// Why an import is not taken in.
fn refused(lang: Lang, refusal: &Refusal) -> String {
    match (lang, refusal) {
        (Lang::En, _) => refusal.to_string(),
        (Lang::Ko, Refusal::Missing) => "없는 파일".to_owned(),
        (Lang::Ko, Refusal::Outside) => "프로젝트 밖".to_owned(),
        (Lang::Ko, Refusal::Remote) => "이 컴퓨터의 파일이 아님".to_owned(),
        (Lang::Ko, Refusal::NotText) => "글이 아님".to_owned(),
        (Lang::Ko, _) => refusal.to_string(),
    }
}

/// `/memory …`, typed as a message.
pub(super) async fn typed(
    host: &Host,
    conversation_id: Option<ConversationId>,
    text: String,
) -> Result<(), Stop> {
    let project_id = host.project().await?.map(|project| project.id);
    // As in the window: what is added is for the whole project.
    let adds = matches!(slash::parse(&text), Some(Slash::MemoryAdd(_)));
    let conversation_id = conversation_id.filter(|_| !adds);
    let request = MemoryCommand { project_id, conversation_id, text };
    match host.app.memory_command(request).await? {
        MemoryAnswer::Added { line } => lines(host, &[line]),
        MemoryAnswer::Shown { effective: merged } => effective(host, &merged),
        MemoryAnswer::Listed { view } | MemoryAnswer::Refreshed { view } => list(host, &view),
        MemoryAnswer::Cleared { lines: gone } => lines(host, &gone),
    }
}

fn show(host: &Host, view: &MemoryView, merged: &Effective) -> Result<(), Stop> {
    if !host.out.json {
        list(host, view)?;
        return effective(host, merged);
    }
    let trusted = view.trust != Some(Trust::Untrusted);
    let layers = view.files.iter().filter(|file| !file.missing).map(|file| {
        let mut layer = json!(file);
        layer["trusted"] = json!(trusted || is_global(&file.path));
        layer
    });
    let layers: Vec<Value> = layers.collect();
    host.out.value(&json!({"layers": layers, "lines": merged.lines, "tokens": view.tokens}))
}

/// Global memory is the person's own, whatever the folder is.
fn is_global(path: &str) -> bool {
    Path::new(path).is_absolute()
}

fn list(host: &Host, view: &MemoryView) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(view);
    }
    let lang = host.out.lang;
    for file in view.files.iter().filter(|file| !file.missing) {
        let tokens = lang.count("~{} token(s)", "약 {}토큰", file.tokens);
        let mut said = vec![tokens];
        said.extend(file.same_as.as_ref().map(|same| format!("= {}", same.path)));
        said.extend(file.refused.as_ref().map(|it| refused(lang, it)));
        said.extend((!file.on).then(|| lang.pick("off", "꺼짐").to_owned()));
        let changed = lang.pick(
            "changed: what you agreed to goes, see `silt memory agree`",
            "바뀜: 동의한 글이 가고, `silt memory agree`로 확인",
        );
        said.extend(file.changed.then(|| changed.to_owned()));
        host.out.line(&format!(
            "{}  {}  {}",
            lang.term(&file.layer),
            file.path,
            said.join(", ")
        ))?;
        for note in &file.imports {
            let became = match &note.refused {
                Some(refusal) => refused(lang, refusal),
                None => note.to.clone().unwrap_or_default(),
            };
            host.out
                .line(&format!("  {}:{} @{} -> {became}", note.from, note.line, note.target))?;
        }
    }
    if view.lines.is_empty() && view.files.iter().all(|file| file.missing) {
        host.out.note(lang.pick("Nothing is remembered here.", "여기에는 기억한 것이 없습니다."));
    }
    view.lines.iter().try_for_each(|line| host.out.line(&said(lang, line)))
}

/// What was added, whole; of what is kept as data where it is from and how it begins.
fn said(lang: Lang, line: &MemoryLine) -> String {
    let layer = lang.term(&line.layer());
    match &line.source {
        Some(source) if line.kind != LineKind::Added => {
            let first = line.text.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
            format!("{layer}  {}  {source}  {}", lang.term(&line.kind), one_line(first))
        }
        _ => format!("{layer}  {}", line.text),
    }
}

fn lines(host: &Host, lines: &[MemoryLine]) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"lines": lines}));
    }
    lines.iter().try_for_each(|line| host.out.line(&said(host.out.lang, line)))
}

fn effective(host: &Host, merged: &Effective) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(merged);
    }
    let lang = host.out.lang;
    let line = |line: &EffectiveLine| {
        // What was added stands on no line of a file.
        let place = line.path.as_ref().map(|path| format!(" {path}:{}", line.line));
        let over = line.overridden_by.as_ref().map(|over| {
            let place = over.path.as_deref().unwrap_or("");
            format!("  [< {} {place}:{}]", lang.term(&over.layer), over.line)
        });
        let over = over.unwrap_or_default();
        let place = place.unwrap_or_default();
        format!("{}{place}  {}{over}", lang.term(&line.layer), line.text)
    };
    let told = merged.lines.iter().filter(|line| !line.text.trim().is_empty());
    told.map(line).try_for_each(|line| host.out.line(&line))
}

fn lint(host: &Host, view: &MemoryView) -> Result<(), Stop> {
    let files = || view.files.iter().filter(|file| !file.findings.is_empty());
    if host.out.json {
        let files: Vec<Value> =
            files().map(|file| json!({"path": file.path, "findings": file.findings})).collect();
        return host.out.value(&json!({"files": files}));
    }
    let flagged: Vec<_> = files().collect();
    host.out.empty(&flagged, "Nothing to look at.", "살펴볼 것이 없습니다.");
    flagged.iter().try_for_each(|file| findings(host, &file.path, &file.findings))
}

fn findings(host: &Host, path: &str, found: &[Finding]) -> Result<(), Stop> {
    found.iter().try_for_each(|it| host.out.line(&finding(host.out.lang, path, it)))
}

/// Where something of a file is to be looked at, and why. What a secret says is not repeated.
pub(super) fn finding(lang: Lang, path: &str, it: &Finding) -> String {
    let mut kind = lang.term(&it.kind);
    if let FindingKind::Secret { rule } = &it.kind {
        kind = format!("{kind} ({rule})");
    }
    let path = it.in_file.as_deref().unwrap_or(path);
    let left = it.passage.as_ref().is_some_and(|passage| passage.left_out);
    let left = if left { lang.pick("  left out", "  보내지 않음") } else { "" };
    let said = format!("{path}:{}:{}  {kind}  {}{left}", it.line, it.column, it.excerpt);
    said.trim_end().to_owned()
}

async fn allow(host: &Host, at: MemoryAt, file: &str, line: u32, on: bool) -> Result<(), Stop> {
    let missing = |what: &str| Failure::new(Code::NotFound, what.to_owned());
    let project_id = at.project_id.ok_or_else(|| missing("no project here; name one"))?;
    let view = host.app.memory_layers(MemoryAt { dir: None, ..at }).await?;
    let found = view.files.iter().flat_map(|it| it.findings.iter().map(move |found| (it, found)));
    let passages = found.filter_map(|(it, found)| {
        let path = found.in_file.as_ref().unwrap_or(&it.path);
        let passage = found.passage.as_ref().filter(|_| path == file)?;
        (found.line..found.line + passage.lines).contains(&line).then(|| passage.hash.clone())
    });
    let mut hashes: Vec<String> = passages.collect();
    hashes.dedup();
    if hashes.is_empty() {
        return Err(missing("nothing is flagged there; `silt memory lint` lists what is").into());
    }
    for hash in hashes {
        let request = AllowPassage { project_id, path: file.to_owned(), hash, on };
        host.app.memory_allow(request).await?;
    }
    lint(
        host,
        &host
            .app
            .memory_layers(MemoryAt { project_id: Some(project_id), ..MemoryAt::default() })
            .await?,
    )
}

async fn history(
    host: &Host,
    at: MemoryAt,
    file: String,
    version: Option<u64>,
) -> Result<(), Stop> {
    // What is there now is a version too.
    host.app.memory_layers(at.clone()).await?;
    let named = MemoryFileRef { project_id: at.project_id, path: file };
    let versions = host.app.memory_versions(named.clone()).await?;
    // Their numbers count those of all files; a person counts this one's.
    let mut places: Vec<u64> = versions.iter().map(|version| version.seq).collect();
    places.sort_unstable();
    if let Some(place) = version {
        let seq = place.checked_sub(1).and_then(|at| places.get(usize::try_from(at).ok()?));
        let missing =
            || Failure::new(Code::NotFound, format!("{} has no version {place}", named.path));
        let text = host.app.memory_version(VersionRef { seq: *seq.ok_or_else(missing)? }).await?;
        return if host.out.json { host.out.value(&text) } else { host.out.line(&text.text) };
    }
    if host.out.json {
        let numbered = versions.iter().map(|it| {
            let mut version = json!(it);
            version["version"] = json!(place_of(&places, it.seq));
            version
        });
        let versions: Vec<Value> = numbered.collect();
        return host.out.value(&json!({"path": named.path, "versions": versions}));
    }
    if versions.is_empty() {
        let nothing = host.out.lang.pick("no version of it is kept: ", "남은 버전이 없습니다: ");
        host.out.note(&format!("{nothing}{}", named.path));
    }
    versions.iter().try_for_each(|it| {
        let (lang, place) = (host.out.lang, place_of(&places, it.seq));
        let (origin, size) = (lang.term(&it.origin), lang.size(it.size));
        host.out.line(&format!("{place}  {}  {origin}  {size}", lang.moment(it.at)))
    })
}

/// Which of a file's versions it is, from 1.
fn place_of(places: &[u64], seq: u64) -> usize {
    places.iter().take_while(|known| **known <= seq).count()
}

async fn agree(
    host: &Host,
    project: Option<Project>,
    named: &[String],
    yes: bool,
) -> Result<(), Stop> {
    let project =
        project.ok_or_else(|| Failure::new(Code::NotFound, "no project here; name one"))?;
    let all = host.app.memory_changes(ProjectRef { id: project.id }).await?;
    let unknown = named.iter().find(|path| all.iter().all(|change| change.path != **path));
    if let Some(path) = unknown {
        return Err(Failure::new(Code::NotFound, format!("{path} did not change")).into());
    }
    let chosen = |change: &ChangedMemory| named.is_empty() || named.contains(&change.path);
    let changes: Vec<ChangedMemory> = all.into_iter().filter(chosen).collect();
    if yes {
        let file = |it: &ChangedMemory| AgreedFile { path: it.path.clone(), hash: it.hash.clone() };
        let files = changes.iter().map(file).collect();
        host.app.memory_agree(AgreeMemory { project_id: project.id, files }).await?;
    }
    if host.out.json {
        return host.out.value(&json!({"agreed": yes, "changes": changes}));
    }
    for change in &changes {
        host.out.line(&change.path)?;
        let (before, now) = (change.before.as_deref(), change.now.as_deref());
        let diff = Difference::of(before.unwrap_or_default(), now.unwrap_or_default());
        host.out.line(diff.unified().trim_end())?;
        findings(host, &change.path, &change.findings)?;
    }
    Ok(())
}

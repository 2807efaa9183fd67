//! `silt search`: everything in one list, by what it is; and the index anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::json;
use siltstone_contract::{Code, Failure, Find, ProjectRef};
use siltstone_engine::Timestamp;
use siltstone_engine::search::{Filter, Found, FoundGroup, FoundKind};

use super::named;
use crate::args;
use crate::host::Host;
use crate::out::Stop;
use crate::words::Lang;

pub async fn run(host: &Host, request: args::Search) -> Result<(), Stop> {
    let Some(query) = request.query else { return rebuild(host).await };
    let conversation_id = match &request.conversation {
        Some(typed) => Some(named::conversation(host, typed).await?),
        None => None,
    };
    let everywhere = request.all || conversation_id.is_some();
    let project = if everywhere { None } else { host.project().await? };
    let filter = Filter {
        project_id: project.map(|project| project.id),
        conversation_id,
        kinds: request.kind.into_iter().map(FoundKind::from).collect(),
        role: request.role.map(Into::into),
        from: request.from.map(|day| start_of(day, 0)).transpose()?,
        before: request.to.map(|day| start_of(day, 1)).transpose()?,
    };
    if let Some(id) = filter.project_id.filter(|_| filter.takes(FoundKind::File)) {
        host.app.refresh_files(ProjectRef { id }).await?;
    }
    let of_project = filter.project_id.is_some();
    let found = host.app.find(Find { query, filter, limit: request.limit }).await?;
    if host.out.json {
        return host.out.value(&found);
    }
    let lang = host.out.lang;
    for group in &found.groups {
        let name = kind_name(lang, group.kind);
        host.out.line(&format!("{name}: {}", count(group.total, group.capped)))?;
        for one in &group.found {
            host.out.line(&format!("  {}", place_line(lang, one)))?;
            let snippet: String = one.snippet.iter().map(|part| part.text.as_str()).collect();
            host.out.line(&format!("      {}", snippet.replace('\n', " ")))?;
        }
    }
    let total = found.groups.iter().map(|group| group.total).sum();
    let capped = found.groups.iter().any(|group: &FoundGroup| group.capped);
    host.out.note(&lang.count("{} found", "{}개를 찾았습니다", count(total, capped)));
    if of_project && total == 0 {
        host.out.note(lang.pick(
            "Only this project was searched; --all searches everything.",
            "이 프로젝트에서만 찾았습니다. --all을 붙이면 모든 곳에서 찾습니다.",
        ));
    }
    Ok(())
}

/// Makes the index over conversations anew; Ctrl-C leaves what is missing to the next start.
async fn rebuild(host: &Host) -> Result<(), Stop> {
    let stopped = Arc::new(AtomicBool::new(false));
    let (out, stop) = (host.out.clone(), stopped.clone());
    let step = Arc::new(move |left: u64| {
        out.note(&out.lang.count("{} message(s) left", "메시지 {}개 남음", left));
        !stop.load(Ordering::Relaxed)
    });
    let interrupt = tokio::spawn({
        let stopped = stopped.clone();
        async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    });
    let rebuilt = host.app.rebuild_index(step).await;
    interrupt.abort();
    rebuilt?;
    if stopped.load(Ordering::Relaxed) {
        return Err(Stop::Interrupted);
    }
    if host.out.json {
        return host.out.value(&json!({ "rebuilt": true }));
    }
    host.out.line(host.out.lang.pick("The index is new.", "색인을 새로 만들었습니다."))
}

fn count(total: u64, capped: bool) -> String {
    if capped { format!("≥ {total}") } else { total.to_string() }
}

/// The start of a day in the person's own time, so many days later.
fn start_of(day: Date, later: i64) -> Result<Timestamp, Stop> {
    let start = day.checked_add(later.days()).and_then(|day| day.to_zoned(TimeZone::system()));
    let out_of_range = |error: jiff::Error| Failure::new(Code::BadRequest, error.to_string());
    Ok(start.map_err(out_of_range)?.timestamp())
}

/// What names the place, by which it is asked for elsewhere; when; and what it is called.
fn place_line(lang: Lang, found: &Found) -> String {
    let (path, line) = found.link.rsplit_once("?line=").unwrap_or((&found.link, ""));
    let named = path.rsplit('/').next().unwrap_or_default();
    let place = match found.kind {
        FoundKind::File | FoundKind::Memory if !found.title.is_empty() => {
            return format!("{}:{line}", found.title);
        }
        FoundKind::Message | FoundKind::ToolResult | FoundKind::Summary => {
            found.conversation_id.map_or_else(|| named.to_owned(), |id| id.to_string())
        }
        _ => named.to_owned(),
    };
    let when = found.at.map(|at| lang.ago(at, Timestamp::now())).unwrap_or_default();
    [place.as_str(), &when, &found.title]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("  ")
}

fn kind_name(lang: Lang, kind: FoundKind) -> &'static str {
    match kind {
        FoundKind::Message => lang.pick("Messages", "메시지"),
        FoundKind::ToolResult => lang.pick("Tool results", "도구 결과"),
        FoundKind::Summary => lang.pick("Summaries", "요약"),
        FoundKind::Decision => lang.pick("Decisions", "결정"),
        FoundKind::Memory => lang.pick("Memory", "메모리"),
        FoundKind::File => lang.pick("Files", "파일"),
        FoundKind::Checkpoint => lang.pick("Checkpoints", "체크포인트"),
    }
}

//! `silt summary`.

use std::time::Duration;

use serde_json::{Value, json};
use siltstone_contract::{
    Code, ConversationRef, EditSummary, Failure, FoldPreview, KeepFact, SetFolding, SummaryPanel,
    SummaryRef,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::summary::{Policy, Record, Statistics, Status};
use similar::{ChangeTag, TextDiff};
use tokio::sync::broadcast::error::RecvError;

use super::{ledger, named};
use crate::args;
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words::Lang;

/// The longest that two texts are compared; a coarser difference is given then.
const COMPARE: Duration = Duration::from_secs(2);

pub async fn run(host: &Host, command: args::Summary) -> Result<(), Stop> {
    match command {
        args::Summary::List { id: typed } => {
            let named = ConversationRef { id: named::conversation(host, &typed).await? };
            list(host, &host.app.summary_list(named).await?)
        }
        args::Summary::Show { summary } => show(host, &get(host, &summary).await?),
        args::Summary::Policy { policy } => choose(host, policy.map(Into::into)).await,
        args::Summary::Run { id: typed, folding } => {
            let id = named::conversation(host, &typed).await?;
            fold(host, id, &folding).await?;
            make(host, id).await
        }
        args::Summary::Diff { a, b } => diff(host, &get(host, &a).await?, &get(host, &b).await?),
        args::Summary::Preview { id: typed } => {
            let named = ConversationRef { id: named::conversation(host, &typed).await? };
            preview(host, &host.app.summary_preview(named).await?)
        }
        args::Summary::Adopt { summary } => {
            let named = SummaryRef { id: named::summary(host, &summary).await? };
            show(host, &host.app.summary_adopt(named).await?)
        }
        args::Summary::Undo { summary } => {
            let named = SummaryRef { id: named::summary(host, &summary).await? };
            list(host, &host.app.summary_undo(named).await?)
        }
        args::Summary::Keep { summary, text } => {
            let fact = KeepFact { id: named::summary(host, &summary).await?, text: text.join(" ") };
            show(host, &host.app.summary_keep(fact).await?)
        }
        args::Summary::Drop { summary, text } => {
            let fact = KeepFact { id: named::summary(host, &summary).await?, text: text.join(" ") };
            show(host, &host.app.summary_drop(fact).await?)
        }
        args::Summary::Check(said) => ledger::check(host, said).await,
        args::Summary::Edit { summary, text } => {
            let text = match text.join(" ") {
                dash if dash == "-" => input::stdin()?,
                text => text,
            };
            let request = EditSummary { id: named::summary(host, &summary).await?, text };
            show(host, &host.app.summary_edit(request).await?)
        }
    }
}

/// Changes how a conversation is told, as far as the call says.
pub async fn fold(host: &Host, id: ConversationId, said: &args::Folding) -> Result<(), Stop> {
    if said.policy.is_none() && said.rate.is_none() && said.strict.is_none() {
        return Ok(());
    }
    let panel = host.app.summary_list(ConversationRef { id }).await?;
    let request = SetFolding {
        conversation_id: id,
        policy: said.policy.map(Into::into).or(panel.folding.policy),
        rate: said.rate.or(panel.folding.rate),
        strict: said.strict.or(panel.folding.strict),
        recall: panel.folding.recall,
    };
    host.app.folding_set(request).await?;
    Ok(())
}

/// Says how earlier messages are told, and changes that where a policy is named.
async fn choose(host: &Host, policy: Option<Policy>) -> Result<(), Stop> {
    let mut settings = host.app.settings_get(()).await?;
    if let Some(policy) = policy {
        settings.summary.policy = policy;
        settings.summary.asked = Some(true);
        settings = host.app.settings_set(settings).await?;
    }
    let name = serde_json::to_value(settings.summary.policy).unwrap_or_default();
    match host.out.json {
        true => host.out.value(&json!({"policy": name})),
        false => host.out.line(name.as_str().unwrap_or_default()),
    }
}

/// After any command: a summary stands for the beginning of a conversation, and nobody chose how.
pub async fn say_choice(host: &Host) {
    if let Ok(settings) = host.app.settings_get(()).await
        && settings.summary.asked == Some(false)
    {
        host.out.note(host.out.lang.pick(
            "silt: a summary stands for the beginning of long conversations now: `silt summary policy segments` makes \
             one for every three turns instead, `silt summary policy rolling` keeps the one that is renewed",
            "silt: 긴 대화의 앞부분은 이제 요약이 대신합니다: `silt summary policy segments`로 세 턴마다 하나씩, \
             `silt summary policy rolling`으로 이어 고치는 요약 하나를 고르세요",
        ));
    }
}

/// The summaries of a conversation that failed so far.
pub async fn failed(host: &Host, id: ConversationId) -> Result<Vec<Record>, Stop> {
    let mut records = host.app.summary_list(ConversationRef { id }).await?.records;
    records.retain(|it| it.status == Status::Failed);
    Ok(records)
}

/// Waits for the summary that a reply made due, and says so; one that failed beside those of before is named.
pub async fn settled(host: &Host, id: ConversationId, before: &[Record]) -> Result<(), Stop> {
    let lang = host.out.lang;
    // One is due before its record is there: whoever looks once may look too early.
    let mut changes = host.app.subscribe();
    let settled = host.app.summaries_settled(id);
    tokio::pin!(settled);
    let mut is_said = false;
    loop {
        if !is_said && host.app.summary_list(ConversationRef { id }).await?.busy.is_some() {
            host.out.note(lang.pick(
                "A summary of earlier messages is being made; Ctrl-C leaves it for the next reply.",
                "앞선 메시지의 요약을 만드는 중입니다. Ctrl-C를 누르면 다음 답변 뒤로 미룹니다.",
            ));
            is_said = true;
        }
        tokio::select! {
            () = &mut settled => break,
            news = changes.recv(), if !is_said => is_said = matches!(news, Err(RecvError::Closed)),
        }
    }
    let new = |made: &Record| before.iter().all(|it| it.id != made.id);
    for made in failed(host, id).await?.into_iter().filter(new) {
        let Some(fault) = made.fault else { continue };
        host.out.note(&lang.count(
            "The summary failed ({}); the messages themselves go, and the next reply tries again.",
            "요약하지 못했습니다({}). 메시지는 그대로 보내고, 다음 답변 뒤에 다시 해 봅니다.",
            lang.term(&fault.code),
        ));
    }
    Ok(())
}

async fn get(host: &Host, typed: &str) -> Result<Record, Stop> {
    Ok(host.app.summary_get(SummaryRef { id: named::summary(host, typed).await? }).await?)
}

/// Makes what can be made; the first Ctrl-C stops it.
async fn make(host: &Host, id: ConversationId) -> Result<(), Stop> {
    let named = ConversationRef { id };
    let before = host.app.summary_list(named.clone()).await?.records;
    match host.app.summary_run(named.clone()).await {
        // What there is, is what was asked for.
        Err(nothing) if nothing.code == Code::NothingToFold => {
            host.out.note(host.out.lang.pick("Nothing to fold yet.", "아직 접을 것이 없습니다."));
            return list(host, &host.app.summary_list(named).await?);
        }
        begun => begun?,
    }
    let made = tokio::select! {
        made = host.app.summaries_made(id) => made,
        _ = tokio::signal::ctrl_c() => {
            host.app.summary_cancel(named.clone()).await?;
            host.app.summaries_made(id).await
        }
    };
    let panel = host.app.summary_list(named).await?;
    list(host, &panel)?;
    made?;
    let mut new = panel.records.iter().filter(|record| before.iter().all(|it| it.id != record.id));
    match new.next_back().and_then(|record| record.fault.as_ref()) {
        None => Ok(()),
        Some(fault) => {
            let code = serde_json::from_value(fault.code.clone().into());
            Err(Failure::new(code.unwrap_or(Code::Conflict), fault.message.clone()).into())
        }
    }
}

fn list(host: &Host, panel: &SummaryPanel) -> Result<(), Stop> {
    if host.out.json {
        let records: Vec<Value> = panel.records.iter().map(fields).collect();
        let statistics = &panel.statistics;
        return host.out.value(&json!({
            "policy": panel.policy, "rate": panel.rate, "strict": panel.strict, "enabled": panel.enabled,
            "records": records, "shown": panel.shown, "first_raw": panel.first_raw,
            "distance": panel.distance, "busy": panel.busy, "statistics": statistics,
        }));
    }
    let lang = host.out.lang;
    let how = lang.pick("{}, rate {}", "{}, 비율 {}");
    let how = how.replacen("{}", &lang.term(&panel.policy), 1);
    let strict = if panel.strict { lang.pick(", strict", ", 정해진 그대로") } else { "" };
    host.out
        .line(&format!("{}{strict}", how.replacen("{}", &f64::from(panel.rate).to_string(), 1)))?;
    if panel.records.is_empty() {
        host.out.note(lang.pick("No summaries yet.", "아직 요약이 없습니다."));
        return Ok(());
    }
    host.out.line(lang.pick(
        "* holds   version   turns   characters   rate   model",
        "* 쓰는 것   버전   턴   글자   비율   모델",
    ))?;
    for record in &panel.records {
        let held = if panel.shown.contains(&record.id) { "*" } else { " " };
        host.out.line(&format!("{held} {}", line(lang, record)))?;
    }
    let Statistics { count, original_chars, summary_chars, saved_percent, .. } = panel.statistics;
    let sum = lang.count("in use: {}", "쓰는 요약: {}", count);
    let saved = lang.count("{} % saved", "{}% 줄임", saved_percent);
    host.out.line(&format!("{sum}  {original_chars} -> {summary_chars}  {saved}"))
}

fn show(host: &Host, record: &Record) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&fields(record));
    }
    host.out.line(&line(host.out.lang, record))?;
    host.out.line(&record.summary)?;
    if record.receipt.cut {
        host.out.note(host.out.lang.pick(
            "The model was not done: what the newest of its messages say may be missing.",
            "모델이 끝맺지 못했습니다. 마지막 메시지들의 내용이 빠졌을 수 있습니다.",
        ));
    }
    record.receipt.kept.iter().try_for_each(|fact| host.out.line(&format!("+ {}", fact.text)))
}

fn preview(host: &Host, preview: &FoldPreview) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({
            "candidate": fields(&preview.candidate),
            "check": ledger::fields_of(&preview.check),
            "tokens_before": preview.tokens_before,
            "tokens_after": preview.tokens_after,
            "reread_tokens": preview.reread_tokens,
            "reread_cost": preview.reread_cost,
            "missing_constraints": preview.missing_constraints,
            "missing_more": preview.missing_more,
        }));
    }
    show(host, &preview.candidate)?;
    for left in &preview.check.left_behind {
        host.out.line(&format!("- {}", left.text))?;
    }
    let FoldPreview { tokens_before, tokens_after, reread_tokens, .. } = preview;
    host.out.line(&format!("{tokens_before} -> {tokens_after}  ({reread_tokens})"))
}

/// `id  v2  1-3  1500 -> 450  30 %  haiku`, in plain figures.
fn line(lang: Lang, record: &Record) -> String {
    let turns =
        record.turns.map_or(String::new(), |turns| format!("{}-{}", turns.first, turns.last));
    let state = match (record.status, &record.fault) {
        (Status::Completed, _) => {
            let (from, to) = (record.original_chars, record.summary_chars);
            let percent = (to * 100).checked_div(from).unwrap_or_default();
            format!("{from} -> {to}  {percent} %")
        }
        (Status::InProgress, _) => lang.pick("being made", "만드는 중").to_owned(),
        (Status::Failed, fault) => {
            let why = fault.as_ref().map_or(String::new(), |fault| lang.term(&fault.code));
            format!("{} {why}", lang.pick("failed:", "실패:"))
        }
    };
    let model = record.model.as_deref().unwrap_or_default();
    format!("{}  v{}  {turns:>5}  {state}  {model}", record.id, record.version)
        .trim_end()
        .to_owned()
}

/// The columns of the Rolling design's table and the fields of the Segments design's history, by name.
fn fields(record: &Record) -> Value {
    let item = record.history_item();
    json!({
        "id": record.id,
        "conversation_id": record.conversation_id,
        "policy": record.policy,
        "level": record.level,
        "version": record.version,
        "status": record.status,
        "turns": item.turns,
        "turn_length": item.turn_length,
        "covered_from": record.coverage.start,
        "covered_until_message_id": record.coverage.last,
        "covered_message_count": record.coverage.count,
        "covered_token_count": record.covered_token_count,
        "original_chars": record.original_chars,
        "summary_chars": record.summary_chars,
        "compression_rate": record.compression_rate,
        "model": record.model,
        "usage": record.usage,
        "cost": record.cost,
        "edited": record.edited,
        "fault": record.fault,
        "unfolded_at": record.unfolded_at,
        "lines": record.receipt.lines,
        "kept": record.receipt.kept,
        "dropped": record.receipt.dropped,
        "constraints": record.receipt.constraints,
        "retention": record.receipt.retention.as_ref().map(ledger::shares),
        "cut": record.receipt.cut,
        "summary": record.summary,
        "created_at": record.created_at,
        "finished_at": record.finished_at,
    })
}

fn diff(host: &Host, a: &Record, b: &Record) -> Result<(), Stop> {
    let diff = TextDiff::configure()
        .timeout(COMPARE)
        .diff_unicode_words(a.summary.as_str(), b.summary.as_str());
    let mut changes: Vec<(ChangeTag, String)> = Vec::new();
    for change in diff.iter_all_changes() {
        match changes.last_mut().filter(|(tag, _)| *tag == change.tag()) {
            Some((_, text)) => text.push_str(change.value()),
            None => changes.push((change.tag(), change.value().to_owned())),
        }
    }
    if host.out.json {
        let name = |tag| match tag {
            ChangeTag::Equal => "equal",
            ChangeTag::Delete => "delete",
            ChangeTag::Insert => "insert",
        };
        let changes: Vec<Value> = changes
            .into_iter()
            .map(|(tag, text)| json!({"tag": name(tag), "text": text}))
            .collect();
        return host.out.value(&json!({"a": a.id, "b": b.id, "changes": changes}));
    }
    let marked = changes.into_iter().map(|(tag, text)| match tag {
        ChangeTag::Equal => text,
        ChangeTag::Delete => format!("[-{text}-]"),
        ChangeTag::Insert => format!("{{+{text}+}}"),
    });
    host.out.line(&marked.collect::<String>())
}

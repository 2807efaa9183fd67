//! `silt context`.

use serde::Serialize;
use serde_json::{Map, Value, json};
use siltstone_contract::{
    CallRef, Code, ContextRef, ContextView, ConversationRef, Failure, PreviewRequest, ProviderRef,
    PutContext, RemoveContext, RequestView, SentRequestView, StoreView, TurnRef, WishSection,
};
use siltstone_engine::compaction::Worth;
use siltstone_engine::context::{ContextScope, PersistenceKind};
use siltstone_engine::provider::WindowSource;
use siltstone_engine::run::{NodeKind, RunNode};
use siltstone_engine::section::{LeftOut, Reason, SectionKind};
use siltstone_engine::summary::TurnSpan;
use siltstone_engine::wish::Wish;

use super::named::{self, LAST};
use super::replay;
use crate::args;
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words::Lang;

pub async fn run(host: &Host, command: args::Context) -> Result<(), Stop> {
    let project_id = match &command {
        args::Context::Show
        | args::Context::Get { .. }
        | args::Context::Put { .. }
        | args::Context::Remove { .. }
        | args::Context::Clear
        | args::Context::Refresh => host.project().await?.map(|project| project.id),
        _ => None,
    };
    let named = ContextRef { project_id };
    match command {
        args::Context::Show => show(host, &host.app.context_get(named).await?),
        args::Context::Get { key } => get(host, &host.app.context_get(named).await?, &key),
        args::Context::Put { key, value, persistent } => {
            let value = if value == "-" { input::stdin()? } else { value };
            let kind = kind_of(persistent);
            host.app.context_put(PutContext { project_id, kind, key, value }).await?;
            changed(host, named).await
        }
        args::Context::Remove { key, persistent } => {
            let kind = kind_of(persistent);
            host.app.context_remove(RemoveContext { project_id, kind, key }).await?;
            changed(host, named).await
        }
        args::Context::Clear => {
            host.app.context_clear(named.clone()).await?;
            changed(host, named).await
        }
        args::Context::Refresh => show(host, &host.app.context_refresh(named).await?),
        args::Context::Preview(args::Preview { conversation, draft, brought, replay }) => {
            match (conversation, replay.transcript.is_some()) {
                (None, true) => replay::run(host, replay, &draft),
                (named, _) => preview(host, named.as_deref().unwrap_or(LAST), draft, brought).await,
            }
        }
        args::Context::Pin(section) => wish(host, section, Some(Wish::Pinned)).await,
        args::Context::LeaveOut(section) => wish(host, section, Some(Wish::LeftOut)).await,
        args::Context::ClearWish(section) => wish(host, section, None).await,
        args::Context::Sent { turn, call } => sent(host, &turn, call).await,
    }
}

async fn wish(host: &Host, said: args::Section, wish: Option<Wish>) -> Result<(), Stop> {
    let conversation_id = named::conversation(host, &said.conversation).await?;
    let source = match said.section.split_once(':') {
        Some(("message", _)) => "conversation",
        Some(("summary", _)) => "summary",
        Some((_, place)) => place,
        None => &said.section,
    };
    let source = source.to_owned();
    let request = WishSection { conversation_id, id: said.section, source, wish };
    host.app.section_wish(request.clone()).await?;
    if host.out.json { host.out.value(&request) } else { Ok(()) }
}

fn kind_of(persistent: bool) -> PersistenceKind {
    if persistent { PersistenceKind::Persistent } else { PersistenceKind::Volatile }
}

/// Programs get all there is now; a person who changed something knows what.
async fn changed(host: &Host, named: ContextRef) -> Result<(), Stop> {
    match host.out.json {
        true => show(host, &host.app.context_get(named).await?),
        false => Ok(()),
    }
}

fn show(host: &Host, view: &ContextView) -> Result<(), Stop> {
    if host.out.json {
        let of = |kind| {
            let mut scopes = Map::new();
            for store in view.stores.iter().filter(|store| store.kind == kind) {
                let Value::Object(entries) = scopes.entry(name(&store.scope)).or_insert(json!({}))
                else {
                    continue;
                };
                let said = store.entries.iter();
                entries.extend(said.map(|entry| (entry.key.clone(), json!(entry.value))));
            }
            scopes
        };
        return host.out.value(&json!({
            "persistent": of(PersistenceKind::Persistent),
            "volatile": of(PersistenceKind::Volatile),
            "stores": view.stores,
            "composed_persistent": view.composed_persistent,
            "composed_volatile": view.composed_volatile,
        }));
    }
    let filled = view.stores.iter().filter(|store| !store.entries.is_empty());
    filled.into_iter().try_for_each(|store| store_lines(host, store))
}

fn store_lines(host: &Host, store: &StoreView) -> Result<(), Stop> {
    host.out.line(&format!(
        "{} ({})",
        host.out.lang.term(&store.scope),
        host.out.lang.term(&store.kind)
    ))?;
    store.entries.iter().try_for_each(|entry| {
        let said = entry.value.replace('\n', "\n    ");
        host.out.line(&format!("  {}: {said}  [{}]", entry.key, host.out.lang.term(&entry.source)))
    })
}

/// The app's own word first, what changes before what is kept.
fn get(host: &Host, view: &ContextView, key: &str) -> Result<(), Stop> {
    let rank = |store: &&StoreView| match (store.scope, store.kind) {
        (ContextScope::App, PersistenceKind::Volatile) => 0,
        (ContextScope::App, PersistenceKind::Persistent) => 1,
        _ => 2,
    };
    let mut stores: Vec<&StoreView> = view.stores.iter().collect();
    stores.sort_by_key(rank);
    let found = stores.iter().flat_map(|store| &store.entries).find(|entry| entry.key == key);
    let entry = found.ok_or_else(|| Failure::new(Code::NotFound, format!("no context {key}")))?;
    match host.out.json {
        true => host.out.value(entry),
        false => host.out.line(&entry.value),
    }
}

async fn preview(
    host: &Host,
    conversation: &str,
    draft: String,
    brought: args::Brought,
) -> Result<(), Stop> {
    let conversation_id = named::conversation(host, conversation).await?;
    if conversation == LAST {
        host.out.note(&format!("{} {conversation_id}", host.out.lang.pick("conversation", "대화")));
    }
    // A model's window is known once its provider was asked; one that is away leaves the usual window.
    let named = ConversationRef { id: conversation_id };
    let provider = host.app.conversation_get(named).await?.provider;
    let _ = host.app.provider_models(ProviderRef { name: provider }).await;
    let context = host.brought_from_here(conversation_id, brought.into()).await?;
    let request = PreviewRequest { conversation_id, draft, context, model: None };
    let view = host.app.request_preview(request).await?;
    if host.out.json {
        return host.out.value(&with_turns_listed(json!(view)));
    }
    for section in &view.sections {
        let pinned = if section.pinned { host.out.lang.pick("(pinned)", "(고정)") } else { "" };
        let worth = worth(host.out.lang, &section.reason);
        let remark = format!("[{}] {pinned}{worth}", section.id);
        line(host, section.kind, &section.source, section.tokens, &remark)?;
    }
    rest(host, &view.left_out, view.tokens, view.budget)?;
    assumed(host, &view)
}

/// The turns of sections one by one, as everywhere else that programs are told of turns.
fn with_turns_listed(mut view: Value) -> Value {
    for piece in view["sections"].as_array_mut().into_iter().flatten() {
        let section = match piece.get("section") {
            Some(_) => &mut piece["section"],
            None => piece,
        };
        let span: Option<TurnSpan> = serde_json::from_value(section["turns"].take()).ok().flatten();
        section["turns"] =
            json!(span.map_or(Vec::new(), |span| span.numbers().collect::<Vec<u32>>()));
    }
    view
}

/// What was sent, and with which of how many calls of the model.
#[derive(Serialize)]
struct SentCall<'a> {
    call: usize,
    calls: usize,
    #[serde(flatten)]
    view: &'a SentRequestView,
}

async fn sent(host: &Host, turn: &str, call: Option<usize>) -> Result<(), Stop> {
    let turn = TurnRef { id: named::turn(host, turn).await? };
    let nodes = host.app.run_get(turn.clone()).await?.nodes;
    let of_model = |node: &&RunNode| matches!(node.kind, NodeKind::Model { .. });
    let models: Vec<&RunNode> = nodes.iter().filter(of_model).collect();
    let calls = models.len();
    let view = match call {
        Some(call) => {
            let node = call.checked_sub(1).and_then(|place| models.get(place));
            let none = || format!("no call {call}: the turn has {calls}");
            let node = node.ok_or_else(|| Failure::new(Code::NotFound, none()))?;
            host.app.call_sent(CallRef { turn_id: turn.id, node_id: node.id }).await?
        }
        None => host.app.request_sent(turn).await?,
    };
    let call = call.unwrap_or(calls);
    if host.out.json {
        let sent = SentCall { call, calls, view: &view };
        return host.out.value(&with_turns_listed(json!(sent)));
    }
    host.out.line(&format!("{}  {}", view.provider, view.model))?;
    if calls > 1 {
        let of = host.out.lang.pick("call {} of {}", "호출 {}/{}");
        let of = of.replacen("{}", &call.to_string(), 1);
        host.out.line(&of.replacen("{}", &calls.to_string(), 1))?;
    }
    for sent in &view.sections {
        let changed = match sent.changed_since {
            true => host.out.lang.pick("(changed since)", "(그 뒤로 바뀜)"),
            false => "",
        };
        let section = &sent.section;
        let remark = format!("{changed}{}", worth(host.out.lang, &section.reason));
        line(host, section.kind, &section.source, section.tokens, &remark)?;
    }
    rest(host, &view.left_out, view.tokens, view.budget)
}

/// What a message is worth that goes because of that, and of what that is made; nothing for others.
pub(super) fn worth(lang: Lang, reason: &Reason) -> String {
    let Reason::Important { worth } = reason else { return String::new() };
    format!("({}, {})", lang.pick("kept for its worth", "중요해서 남김"), points(lang, worth))
}

/// A worth and the parts that make it.
fn points(lang: Lang, worth: &Worth) -> String {
    let parts = [
        (worth.recency, "new", "최근"),
        (worth.tools, "tool call", "도구 호출"),
        (worth.error, "error", "오류"),
        (worth.decision, "decision", "결정"),
        (worth.mention, "names what you write", "지금 쓰는 것을 가리킴"),
        (worth.density, "says much", "담긴 내용"),
    ];
    let points = |tenths: u32| format!("{}.{}", tenths / 10, tenths % 10);
    let total = points(worth.sum());
    let earned = parts.iter().filter(|(tenths, ..)| *tenths > 0);
    let said = earned.map(|(tenths, en, ko)| format!("{} {}", lang.pick(en, ko), points(*tenths)));
    format!("{total}: {}", said.collect::<Vec<_>>().join(", "))
}

pub(super) fn line(
    host: &Host,
    kind: SectionKind,
    source: &str,
    tokens: u64,
    remark: &str,
) -> Result<(), Stop> {
    let line = format!("{tokens:>7}  {:<12}  {source} {remark}", host.out.lang.term(&kind));
    host.out.line(line.trim_end())
}

pub(super) fn rest(
    host: &Host,
    left_out: &[LeftOut],
    tokens: u64,
    budget: u64,
) -> Result<(), Stop> {
    let lang = host.out.lang;
    let of = lang.count("of at most {} tokens", "토큰, 최대 {}토큰", budget);
    host.out.line(&format!("{tokens:>7}  {of}"))?;
    for piece in left_out {
        let worth = piece
            .worth
            .as_ref()
            .map(|worth| format!("  ({} {})", lang.pick("worth", "중요도"), points(lang, worth)));
        host.out.line(&format!(
            "{:>7}  {}: {}  {}{}{}",
            piece.tokens,
            lang.pick("left out", "빠짐"),
            piece.source,
            lang.term(&piece.why),
            piece.id.as_ref().map(|id| format!("  [{id}]")).unwrap_or_default(),
            worth.unwrap_or_default()
        ))?;
    }
    Ok(())
}

/// Says of a limit that nobody knows that it is assumed, and how to change it.
fn assumed(host: &Host, view: &RequestView) -> Result<(), Stop> {
    if view.window_source != WindowSource::Assumed {
        return Ok(());
    }
    let of = host.out.lang.pick(
        "assumed: {} holds {} tokens (`silt provider window {} TOKENS` says it)",
        "추정: {} 모델이 담는 양 {}토큰 (`silt provider window {} 토큰수`로 정합니다)",
    );
    let of = of.replacen("{}", &view.model, 1).replacen("{}", &view.window.to_string(), 1);
    host.out.line(&format!("{:>7}  {}", "", of.replacen("{}", &view.model, 1)))
}

/// The name that the JSON form has for it.
fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

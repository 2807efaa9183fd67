//! `silt context`.

use serde::Serialize;
use siltstone_contract::{ConversationRef, PreviewRequest, ProviderRef, TurnRef};
use siltstone_engine::section::{LeftOut, SectionKind};

use super::id;
use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Context) -> Result<(), Stop> {
    match command {
        args::Context::Preview { conversation, draft } => {
            let conversation_id = id("conversation", &conversation)?;
            // A model's window is known once its provider was asked; one that is away leaves the usual window.
            let named = ConversationRef { id: conversation_id };
            let name = host.app.conversation_get(named).await?.provider;
            let _ = host.app.provider_models(ProviderRef { name }).await;
            let request = PreviewRequest { conversation_id, draft, context: None };
            let view = host.app.request_preview(request).await?;
            if host.out.json {
                return host.out.value(&view);
            }
            for section in &view.sections {
                line(host, section.kind, &section.source, section.tokens, "")?;
            }
            rest(host, &view.left_out, view.tokens, view.budget)
        }
        args::Context::Sent { turn } => {
            let request = TurnRef { id: id("turn", &turn)? };
            let view = host.app.request_sent(request).await?;
            if host.out.json {
                return host.out.value(&view);
            }
            host.out.line(&format!("{}  {}", view.provider, view.model))?;
            for sent in &view.sections {
                let changed = match sent.changed_since {
                    true => host.out.lang.pick("(changed since)", "(그 뒤로 바뀜)"),
                    false => "",
                };
                let section = &sent.section;
                line(host, section.kind, &section.source, section.tokens, changed)?;
            }
            rest(host, &view.left_out, view.tokens, view.budget)
        }
    }
}

fn line(
    host: &Host,
    kind: SectionKind,
    source: &str,
    tokens: u64,
    remark: &str,
) -> Result<(), Stop> {
    let line = format!("{tokens:>7}  {:<12}  {source} {remark}", name(&kind));
    host.out.line(line.trim_end())
}

fn rest(host: &Host, left_out: &[LeftOut], tokens: u64, budget: u64) -> Result<(), Stop> {
    let lang = host.out.lang;
    let of = lang.count("of at most {} tokens", "토큰, 최대 {}토큰", budget);
    host.out.line(&format!("{tokens:>7}  {of}"))?;
    for piece in left_out {
        host.out.line(&format!(
            "{:>7}  {}: {}  {}",
            piece.tokens,
            lang.pick("left out", "빠짐"),
            piece.source,
            name(&piece.why)
        ))?;
    }
    Ok(())
}

/// The name that the JSON form has for it.
fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

//! `silt ledger` and `silt summary check`: what was said that must not get lost, and what summaries keep of it.

use std::path::Path;

use serde_json::{Map, Value, json};
use siltstone_contract::{Code, Failure, FoldCheck, SummaryRef};
use siltstone_engine::ledger::{Ledger, Measured, Retention, Share, measure};
use siltstone_engine::message::Message;
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::replay::Replay;
use siltstone_engine::summary::SummarySettings;

use super::conversation;
use super::named::{self, LAST};
use super::replay::{messages, named, spoken, transcript};
use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Ledger) -> Result<(), Stop> {
    let args::Ledger::Show { id: typed, transcript: file } = command;
    if let Some(file) = file {
        let text = transcript(Some(&file))?;
        let path = messages(&text)?;
        let names = named(&text, &path);
        return show(host, &path, |message| names[&message.id].clone());
    }
    let id = named::conversation(host, typed.as_deref().unwrap_or(LAST)).await?;
    let path = conversation::path(host, id).await?;
    show(host, &path, |message| message.id.to_string())
}

fn show(host: &Host, path: &[Message], name: impl Fn(&Message) -> String) -> Result<(), Stop> {
    let ledger = Ledger::of(path);
    if !host.out.json {
        return ledger.facts().iter().try_for_each(|fact| {
            let mark = if fact.entry.in_force { " " } else { "-" };
            let category = host.out.lang.term(&fact.entry.category);
            host.out.line(&format!("{mark} {category:<11} {}", fact.entry.text))
        });
    }
    let facts = ledger.facts().iter().map(|fact| {
        let entry = &fact.entry;
        let mentions: Vec<String> = fact.mentions.iter().map(|at| name(&path[*at])).collect();
        json!({
            "category": entry.category,
            "text": entry.text,
            "key": entry.key,
            "message": mentions.first(),
            "span": [entry.span.start, entry.span.end],
            "exit": entry.exit,
            "in_force": entry.in_force,
            "mentions": mentions,
            "used_again": fact.is_used_again(),
        })
    });
    host.out.value(&json!({"entries": facts.collect::<Vec<Value>>()}))
}

/// `silt summary check`.
pub async fn check(host: &Host, said: args::Check) -> Result<(), Stop> {
    match &said.summary {
        Some(typed) => {
            let request = SummaryRef { id: named::summary(host, typed).await? };
            of_summary(host, &host.app.summary_check(request).await?)
        }
        None => of_transcript(host, &said, said.transcript.as_deref()),
    }
}

fn of_summary(host: &Host, check: &FoldCheck) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&fields_of(check));
    }
    table(host, &check.retention)?;
    check.unsupported.iter().try_for_each(|line| host.out.line(&format!("? {}", line.text)))
}

/// What a summary comes to, by name.
pub fn fields_of(check: &FoldCheck) -> Value {
    json!({
        "id": check.id,
        "gate": check.gate,
        "retention": shares(&check.retention),
        "left_behind": check.left_behind,
        "unsupported": check.unsupported,
        "tokens": check.tokens,
    })
}

fn of_transcript(host: &Host, said: &args::Check, file: Option<&Path>) -> Result<(), Stop> {
    let path = messages(&transcript(file)?)?;
    let settings = SummarySettings {
        policy: said.policy.into(),
        // What a fold keeps is measured of folds as the designs make them, whatever the window.
        by_numbers: Some(true),
        rate: said.rate.unwrap_or_default(),
        ..SummarySettings::default()
    };
    let settings = settings.overridden_by(|name| std::env::var(name).ok());
    let language = said.language.map_or_else(|| spoken(&path), |chosen| chosen.code());
    let model = ModelInfo::named("unknown".to_owned());
    let replayed = Replay { settings: &settings, language, model: &model }
        .run(&path)
        .map_err(|overflow| Failure::new(Code::ContextOverflow, overflow.to_string()))?;
    let share = f64::from(said.kept_facts) / 100.0;
    let measured = measure(&path, &replayed.summaries, share, language);
    if host.out.json {
        return host.out.value(&fields(&measured));
    }
    table(host, &measured.retention)?;
    measured.unsupported.iter().try_for_each(|it| host.out.line(&format!("? {}", it.text)))
}

fn fields(measured: &Measured) -> Value {
    let claims = measured.unsupported.iter();
    let claims = claims.map(|claim| json!({"line": claim.line, "text": claim.text}));
    json!({
        "retention": shares(&measured.retention),
        "without_kept_facts": shares(&measured.alone),
        "used_again": shares(&measured.used_again),
        "unsupported": claims.collect::<Vec<Value>>(),
        "tokens": {
            "source": measured.source_tokens,
            "summary": measured.summary_tokens,
            "kept_facts": measured.kept_tokens,
        },
    })
}

/// The kinds of a retention, by name.
pub fn shares(retention: &Retention) -> Value {
    let share = |it: &Share| {
        let value = json!({"in_source": it.in_source, "kept": it.kept, "rate": it.rate()});
        (it.category.name().to_owned(), value)
    };
    Value::Object(retention.shares.iter().map(share).collect::<Map<String, Value>>())
}

fn table(host: &Host, retention: &Retention) -> Result<(), Stop> {
    retention.shares.iter().try_for_each(|share| {
        let name = share.category.name();
        host.out.line(&format!("{name:<11} {:>5} / {}", share.kept, share.in_source))
    })
}

//! `silt context preview --transcript`: what a policy would send by the end of somebody's conversation. Messages and
//! summaries go by the names that the transcript gives them and by their numbers, so the same file gives the same text.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use siltstone_contract::{Code, Failure};
use siltstone_engine::Timestamp;
use siltstone_engine::export::{self, Format};
use siltstone_engine::ids::{MessageId, SummaryId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::replay::{Replay, Replayed};
use siltstone_engine::section::{self, LeftOut, Section};
use siltstone_engine::summary::{Policy, Record, SummarySettings, TurnSpan, language_of, turns};
use siltstone_engine::tokens;

use super::context::{line, rest, worth};

use crate::args;
use crate::host::Host;
use crate::input;
use crate::out::Stop;

/// What is printed for programs.
#[derive(Serialize)]
struct Told {
    policy: Policy,
    strict: bool,
    language: String,
    model: String,
    sections: Vec<Value>,
    left_out: Vec<LeftOut>,
    tokens: u64,
    budget: u64,
    summaries: Vec<Value>,
}

/// The names of a transcript's messages, and the turns they belong to.
#[derive(Default)]
struct Names {
    messages: HashMap<MessageId, String>,
    turns: HashMap<MessageId, u32>,
    summaries: HashMap<SummaryId, String>,
}

pub fn run(host: &Host, said: args::Replay, draft: &str) -> Result<(), Stop> {
    let text = transcript(said.transcript.as_deref())?;
    let mut path = messages(&text)?;
    let mut names = Names { messages: named(&text, &path), ..Names::default() };
    if let Some(last) = path.last().filter(|_| !draft.is_empty()) {
        let question = asked_after(last, draft);
        names.messages.insert(question.id, "draft".to_owned());
        path.push(question);
    }
    for (number, turn) in (1..).zip(turns(&path, 0)) {
        names.turns.extend(turn.messages.iter().map(|message| (message.id, number)));
    }

    let settings = SummarySettings {
        policy: said.policy.into(),
        strict: said.strict,
        rate: said.rate.unwrap_or_default(),
        ..SummarySettings::default()
    };
    let settings = settings.overridden_by(|name| std::env::var(name).ok());
    let language = said.language.map_or_else(|| spoken(&path), |chosen| chosen.code());
    // Three quarters of a window are for what is sent.
    let context_window = said.budget.map(|budget| budget.saturating_mul(4) / 3);
    let model = ModelInfo { context_window, ..ModelInfo::named(said.model.clone()) };
    let replay = Replay { settings: &settings, language, model: &model };
    let Replayed { request, summaries } = replay
        .run(&path)
        .map_err(|overflow| Failure::new(Code::ContextOverflow, overflow.to_string()))?;
    if !host.out.json {
        for section in &request.sections {
            let worth = worth(host.out.lang, &section.reason);
            line(host, section.kind, &section.source, section.tokens, &worth)?;
        }
        return rest(host, &request.left_out, request.tokens, request.budget);
    }
    let numbers = (1_u32..).map(|number| number.to_string());
    names.summaries = summaries.iter().map(|it| it.id).zip(numbers).collect();
    host.out.value(&Told {
        policy: settings.policy,
        strict: settings.strict,
        language: language.to_owned(),
        model: said.model,
        sections: request.sections.iter().map(|section| names.section(section)).collect(),
        left_out: request.left_out.into_iter().map(|left| names.left_out(left)).collect(),
        tokens: request.tokens,
        budget: request.budget,
        summaries: summaries.iter().map(|record| names.summary(record)).collect(),
    })
}

/// The text of a transcript; stdin where none is named.
pub(super) fn transcript(file: Option<&Path>) -> Result<String, Stop> {
    file.map_or_else(input::stdin, input::text)
}

/// Its messages, from the root on.
pub(super) fn messages(text: &str) -> Result<Vec<Message>, Stop> {
    let unreadable = |detail: String| Stop::Failure(Failure::new(Code::ImportUnreadable, detail));
    if export::recognise(text) != Some(Format::Jsonl) {
        return Err(unreadable("a transcript has one message a line (JSONL)".to_owned()));
    }
    let imported = export::import(text, "", Timestamp::UNIX_EPOCH);
    let imported = imported.map_err(|error| unreadable(error.to_string()))?;
    for warning in &imported.warnings {
        tracing::warn!("{warning}");
    }
    Ok(imported.messages)
}

/// A line's own id, or its number.
pub(super) fn named(text: &str, path: &[Message]) -> HashMap<MessageId, String> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(default)]
        id: Value,
    }
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
    let names = lines.filter(|(line, _)| !line.trim().is_empty()).map(|(line, number)| {
        match serde_json::from_str::<Line>(line).map(|line| line.id) {
            Ok(Value::String(id)) => id,
            Ok(Value::Number(id)) => id.to_string(),
            _ => number.to_string(),
        }
    });
    path.iter().map(|message| message.id).zip(names).collect()
}

/// The draft as the message after this one.
fn asked_after(last: &Message, draft: &str) -> Message {
    Message {
        id: MessageId::new(last.created_at),
        parent_id: Some(last.id),
        turn_id: None,
        index: last.index + 1,
        role: Role::User,
        parts: vec![Part::Text { text: draft.to_owned() }],
        status: MessageStatus::Complete,
        model: None,
        tokens: tokens::estimate(draft),
        ..last.clone()
    }
}

/// The language of what the person said.
pub(super) fn spoken(path: &[Message]) -> &'static str {
    let said = path.iter().filter(|message| message.role == Role::User).map(Message::text);
    language_of(&said.collect::<String>())
}

impl Names {
    fn section(&self, section: &Section) -> Value {
        let mut value = serde_json::to_value(section).unwrap_or_default();
        let Value::Object(fields) = &mut value else { return value };
        // Links lead into a data folder, and nothing of this is in one.
        fields.remove("link");
        let names: Vec<&String> =
            section.messages.iter().filter_map(|id| self.messages.get(id)).collect();
        let (kind, own) = section.id.split_once(':').unwrap_or((&section.id, ""));
        let own = match (own.parse::<SummaryId>(), names.as_slice()) {
            (_, [name]) => Some((*name).clone()),
            (Ok(id), _) => self.summaries.get(&id).cloned(),
            _ => None,
        };
        if let Some(own) = own.filter(|_| section.id.contains(':')) {
            fields.insert("id".to_owned(), json!(format!("{kind}:{own}")));
        }
        let turns: Vec<u32> = match section.turns {
            Some(span) => span.numbers().collect(),
            None => section.messages.iter().filter_map(|id| self.turns.get(id)).copied().collect(),
        };
        fields.insert("turns".to_owned(), json!(turns));
        fields.insert("messages".to_owned(), json!(names));
        value
    }

    fn left_out(&self, left: LeftOut) -> LeftOut {
        let of = left.id.as_deref().and_then(section::message_of);
        match of.and_then(|message| self.messages.get(&message)) {
            Some(name) => LeftOut { id: Some(format!("message:{name}")), ..left },
            None => left,
        }
    }

    fn summary(&self, record: &Record) -> Value {
        json!({
            "id": self.summaries.get(&record.id),
            "policy": record.policy,
            "level": record.level,
            "version": record.version,
            "status": record.status,
            "turns": record.turns.map_or(Vec::new(), |turns| turns.numbers().collect::<Vec<u32>>()),
            "turn_length": record.turns.map_or(0, TurnSpan::length),
            "covered_until_message_id": self.messages.get(&record.coverage.last),
            "covered_message_count": record.coverage.count,
            "covered_token_count": record.covered_token_count,
            "original_chars": record.original_chars,
            "summary_chars": record.summary_chars,
            "compression_rate": record.compression_rate,
            "summary": record.summary,
        })
    }
}

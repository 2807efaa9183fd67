//! Cline: one object in `sessions/<id>/<id>.messages.json`, written anew whenever something is said.
//!
//! Messages have the blocks of Anthropic's API. The list is never shortened: what a compaction sends in its place stands in a
//! file beside it, which says how many messages it stands for. Only the newest compaction is there; those before it are in
//! earlier versions of that file. Tasks of versions before 3 are in `cline_tasks`.

use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{Agent, EntryKind, FileRole, Fold, Session};

use crate::cline_tasks::{self, BESIDE, HISTORY, task_of};
use crate::draft::{Draft, arguments, entry, first, number, short, text, time};
use crate::lines::whole;
use crate::source::{Files, Root, SETTINGS, Source};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::Cline,
    roots: &[
        Root { variable: "CLINE_DATA_DIR", usual: &[".cline/data"], below: &[""] },
        Root {
            variable: SETTINGS.0,
            usual: &[SETTINGS.1],
            below: &[
                "Code/User/globalStorage/saoudrizwan.claude-dev",
                "Code - Insiders/User/globalStorage/saoudrizwan.claude-dev",
                "VSCodium/User/globalStorage/saoudrizwan.claude-dev",
                "Cursor/User/globalStorage/saoudrizwan.claude-dev",
                "Windsurf/User/globalStorage/saoudrizwan.claude-dev",
            ],
        },
        Root {
            variable: "",
            usual: &[".vscode-server/data/User/globalStorage"],
            below: &["saoudrizwan.claude-dev"],
        },
    ],
    files: Files::of(&[
        ("sessions/*/agent_*.messages.json", FileRole::Child),
        ("sessions/*/*.messages.json", FileRole::Session),
        ("sessions/*/*.json", FileRole::Beside),
        ("tasks/*/api_conversation_history.json", FileRole::Session),
        ("tasks/*/*.json", FileRole::Output),
    ]),
    owner,
    beside: Some(beside),
    goes_on: None,
    read,
    compose: None,
    rows: None,
};

/// How the name of a session's file ends, and that of what stands for its beginning.
const MESSAGES: &str = ".messages.json";
const COMPACTION: &str = ".compaction.json";

/// Stands before a summary in the message that tells the model of it.
const SUMMARY: &str = "Context summary:";

/// Stands before the folder in what the agent tells its model of the surroundings.
const FOLDER: &str = "Working Directory: ";

fn owner(path: &str) -> Option<String> {
    let names: Vec<&str> = path.split('/').collect();
    match names[..] {
        ["sessions", session, file] if !file.starts_with(session) => Some(session.to_owned()),
        ["tasks", task, _] if !path.ends_with(HISTORY) => Some(task.to_owned()),
        _ => None,
    }
}

fn beside(path: &str) -> Vec<String> {
    if let Some(task) = path.strip_suffix(HISTORY) {
        return vec![format!("{task}{BESIDE}")];
    }
    match (path.strip_suffix(MESSAGES), path.split('/').nth(1)) {
        // What is known of a session holds of its subagents, too.
        (Some(messages), Some(of)) => {
            vec![format!("{messages}{COMPACTION}"), format!("sessions/{of}/{of}.json")]
        }
        _ => Vec::new(),
    }
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    if let Some(task) = task_of(path) {
        return cline_tasks::read(task, bytes, draft);
    }
    let mut reading = Reading { draft: draft.named(path, MESSAGES), tip: None };
    reading.draft.session.parent = owner(path);
    match whole(bytes)? {
        Some(said) => reading.all(&said),
        None => reading.draft.unreadable(),
    }
    Ok(reading.draft.done())
}

struct Reading {
    draft: Draft,
    /// What was said last.
    tip: Option<usize>,
}

impl Reading {
    fn all(&mut self, said: &Map<String, Value>) {
        let session = &mut self.draft.session;
        if let Some(id) = text(said, "sessionId") {
            session.id = short(id);
        }
        let told = text(said, "system_prompt").unwrap_or_default();
        let folder = told.lines().find_map(|line| Some(line.split_once(FOLDER)?.1.trim()));
        session.folder = folder.filter(|it| !it.is_empty()).map(str::to_owned);
        let messages = said.get("messages").and_then(Value::as_array);
        let compaction = self.draft.told(COMPACTION);
        let about = self.draft.told(".json");
        if let Some(about) = about.as_ref().and_then(Value::as_object) {
            let git = about.get("metadata").and_then(|it| it.pointer("/git/branch"));
            let session = &mut self.draft.session;
            first(&mut session.folder, text(about, "cwd"));
            first(&mut session.git_branch, git.and_then(Value::as_str));
        }
        let mut compaction = match compaction {
            Some(Value::Object(compaction)) => Some(compaction),
            Some(_) => {
                self.draft.unreadable();
                None
            }
            None => None,
        };
        for (message, count) in messages.into_iter().flatten().zip(1_u64..) {
            match message.as_object() {
                Some(_) if self.draft.passes_over() => continue,
                Some(message) => self.message(message),
                None => self.draft.unreadable(),
            }
            if let Some(compaction) = compaction.take_if(|it| is_behind(it, message, count)) {
                self.fold(&compaction);
            }
        }
        if compaction.is_some() {
            self.draft.beside("compaction of other messages");
        }
    }

    /// What a compaction sends in the place of all that was said so far.
    fn fold(&mut self, compaction: &Map<String, Value>) {
        let sent = compaction.get("messages").and_then(Value::as_array);
        let (mut fold, mut summary) = (Fold::default(), String::new());
        for message in sent.into_iter().flatten().filter_map(Value::as_object) {
            let said = said_in(message);
            let about = message.get("metadata").and_then(Value::as_object);
            let kind = about.and_then(|about| text(about, "kind")).unwrap_or_default();
            match about.filter(|_| kind.starts_with("compaction")) {
                Some(about) if summary.is_empty() => {
                    let told = said.strip_prefix(SUMMARY).unwrap_or(&said).trim();
                    told.clone_into(&mut summary);
                    fold.automatic =
                        text(about, "reason").map(|reason| !reason.starts_with("manual"));
                    fold.before = about.get("tokensBefore").and_then(Value::as_u64);
                }
                _ if said.trim().is_empty() => {}
                _ => fold.carried.push(self.draft.text(&said)),
            }
        }
        if summary.is_empty() {
            return self.draft.beside("compaction without a summary");
        }
        // A summary stands for what was asked of the model, whoever wrote it.
        let mut new = entry(Role::User, EntryKind::Fold(fold));
        new.parts = vec![Part::Text { text: self.draft.text(&summary) }];
        (new.parent, new.at) = (self.tip, time(compaction, "updated_at"));
        self.tip = self.draft.push(new).or(self.tip);
    }

    fn message(&mut self, message: &Map<String, Value>) {
        let role = match text(message, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some(other) => return self.draft.unknown(&format!("role {}", short(other))),
            None => return self.draft.unreadable(),
        };
        let about = message.get("metadata").and_then(Value::as_object);
        if about.is_some_and(|it| it.get("displayOnly") == Some(&Value::Bool(true))) {
            return self.draft.beside("shown only");
        }
        // What the agent itself put among what was said, a summary for one.
        let kind = match about.and_then(|about| text(about, "kind")) {
            Some(_) => EntryKind::Context,
            None => EntryKind::Said,
        };
        let id = text(message, "id").map(short).unwrap_or_default();
        let at = message.get("ts").and_then(Value::as_i64);
        let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
        let (mut said, mut answers) = (Vec::new(), Vec::new());
        match message.get("content") {
            Some(Value::String(text)) => said.push(Part::Text { text: self.draft.text(text) }),
            Some(Value::Array(blocks)) => blocks.iter().for_each(|block| {
                let to = if block["type"] == "tool_result" { &mut answers } else { &mut said };
                to.extend(self::block(&mut self.draft, block, role));
            }),
            _ => return self.draft.unreadable(),
        }
        if let Some(usage) = message.get("metrics").filter(|_| role == Role::Assistant) {
            self.draft.count(id.clone(), counted(usage));
        }
        let model = message.get("modelInfo").and_then(Value::as_object);
        let model = model.and_then(|model| text(model, "id")).map(short);
        for (role, parts) in [(Role::Tool, answers), (role, said)] {
            if parts.is_empty() {
                continue;
            }
            let mut new = entry(role, kind.clone());
            (new.key, new.parent, new.parts, new.at) = (id.clone(), self.tip, parts, at);
            new.model = model.clone().filter(|_| role == Role::Assistant);
            self.tip = self.draft.push(new).or(self.tip);
        }
    }
}

/// A part of what was said, but for texts of tasks of before.
pub(crate) fn block(draft: &mut Draft, block: &Value, role: Role) -> Option<Part> {
    let Some(of) = block.as_object() else {
        draft.unreadable();
        return None;
    };
    let said = |key: &str| text(of, key).unwrap_or_default();
    match said("type") {
        "text" => {
            let typed = if role == Role::User { typed(said("text")) } else { said("text") };
            Some(Part::Text { text: draft.text(typed) })
        }
        "thinking" => {
            let text = draft.text(said("thinking"));
            (!text.is_empty()).then_some(Part::Reasoning { text, seal: None })
        }
        "tool_use" => Some(Part::ToolCall {
            id: short(said("id")),
            name: short(said("name")),
            arguments: draft.text(&arguments(of.get("input"))),
            seal: None,
        }),
        "tool_result" => {
            let (text, failed) = answer(of.get("content").unwrap_or(&Value::Null));
            Some(Part::ToolResult {
                call_id: short(said("tool_use_id")),
                text: draft.text(&text),
                is_error: failed || of.get("is_error") == Some(&Value::Bool(true)),
                kept: None,
            })
        }
        "image" => {
            // Tasks of before have what the picture is in an object.
            let source = of.get("source").and_then(Value::as_object).unwrap_or(of);
            let kind = text(source, "media_type").or_else(|| text(source, "mediaType"));
            draft.picture(text(source, "data").unwrap_or_default(), kind.unwrap_or_default())
        }
        "redacted_thinking" | "file" | "media" => {
            draft.beside(said("type"));
            None
        }
        other => {
            draft.unknown(&format!("block {}", short(other)));
            None
        }
    }
}

/// Whether a compaction stands for the messages up to this one, which is so many.
fn is_behind(compaction: &Map<String, Value>, message: &Value, count: u64) -> bool {
    let id = message.get("id").and_then(Value::as_str).unwrap_or_default();
    let last = text(compaction, "source_last_message_key").unwrap_or_default();
    compaction.get("source_message_count").and_then(Value::as_u64) == Some(count)
        && last.strip_prefix("id:") == Some(id)
}

/// The texts of a message, as they are told of it elsewhere.
fn said_in(message: &Map<String, Value>) -> String {
    let is_typed = text(message, "role") == Some("user");
    let typed = |text| if is_typed { typed(text) } else { text };
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(Value::as_object);
            let texts = texts.filter(|block| text(block, "type") == Some("text"));
            let texts = texts.filter_map(|block| text(block, "text")).map(typed);
            texts.collect()
        }
        _ => String::new(),
    }
}

/// What the person typed, without the tag around it.
fn typed(text: &str) -> &str {
    let inside = text.strip_prefix("<user_input").and_then(|rest| Some(rest.split_once('>')?.1));
    inside.and_then(|rest| rest.trim_end().strip_suffix("</user_input>")).unwrap_or(text)
}

/// What a tool answered, and whether something of it failed: texts, or one object or more with `result`, `error` and
/// `success`, sometimes written as text.
fn answer(content: &Value) -> (String, bool) {
    let mut told = Vec::new();
    let mut failed = false;
    let inside = content.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let content = inside.as_ref().filter(|it| it.is_object()).unwrap_or(content);
    let items = match content {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for item in items {
        failed |= item.get("success") == Some(&Value::Bool(false));
        let said = |key: &str| item.get(key).and_then(Value::as_str).filter(|it| !it.is_empty());
        let said = said("result").or_else(|| said("text")).or_else(|| said("error"));
        told.push(said.map_or_else(|| arguments(Some(item)), str::to_owned));
    }
    (told.join("\n"), failed)
}

fn counted(usage: &Value) -> Usage {
    Usage {
        input_tokens: number(usage, "inputTokens"),
        output_tokens: number(usage, "outputTokens"),
        cached_input_tokens: number(usage, "cacheReadTokens"),
        cache_write_tokens: number(usage, "cacheWriteTokens"),
        exact: true,
    }
}

//! Claude on the web: conversations of an export, each a list of messages, in newer exports with their parents.
//!
//! A message has blocks. One in which tools were called has their results inside; here it is as many entries as the model
//! was asked anew. Of files there are names, and the text that the service took out of some. Which files hold
//! conversations says `exports`.

use std::collections::HashMap;
use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::export::others::{Service, time};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::vault::{Agent, EntryKind, FileRole, Session};

use crate::draft::{Draft, arguments, entry, short, text};
use crate::exports::Exports;
use crate::lines::whole;
use crate::source::{Files, Source};
use crate::written::in_order;

pub(crate) static SOURCE: Source = Source {
    agent: Agent::ClaudeWeb,
    roots: &[],
    files: Files::of(&[("*.json", FileRole::Session)]),
    owner: |_| None,
    beside: None,
    goes_on: None,
    read,
    compose: None,
    rows: Some(&Exports(Service::Claude)),
};

/// What the first message names as its parent.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

/// Blocks that say nothing of the conversation.
const SILENT: [&str; 3] = ["flag", "redacted_thinking", "token_budget"];

type Fields = Map<String, Value>;

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let mut reading = Reading { draft: draft.named(path, ".json") };
    match whole(bytes)? {
        Some(said) => reading.all(&said),
        None => reading.draft.unreadable(),
    }
    Ok(reading.draft.done())
}

struct Reading {
    draft: Draft,
}

impl Reading {
    fn all(&mut self, said: &Fields) {
        let session = &mut self.draft.session;
        if let Some(id) = text(said, "uuid").filter(|id| !id.is_empty()) {
            session.id = short(id);
        }
        session.title = text(said, "name").unwrap_or_default().chars().take(200).collect();
        let model = text(said, "model").filter(|model| !model.is_empty()).map(short);
        let Some(all) = said.get("chat_messages").and_then(Value::as_array) else {
            return self.draft.unreadable();
        };
        let mut messages: Vec<&Fields> = Vec::with_capacity(all.len());
        for message in all {
            match message.as_object() {
                Some(message) => messages.push(message),
                None => self.draft.unreadable(),
            }
        }
        let ids = messages.iter().enumerate();
        let places: HashMap<&str, usize> =
            ids.filter_map(|(at, message)| Some((text(message, "uuid")?, at))).collect();
        let above = |message: &Fields| text(message, "parent_message_uuid").map(str::to_owned);
        let grows = messages.iter().any(|message| above(message).is_some());
        let mut parents = Vec::with_capacity(messages.len());
        for (at, message) in messages.iter().enumerate() {
            parents.push(match above(message) {
                None if !grows => at.checked_sub(1),
                None => None,
                Some(parent) => {
                    let place = places.get(parent.as_str()).copied();
                    if place.is_none() && parent != ROOT {
                        self.draft.beside("parent that is not there");
                    }
                    place
                }
            });
        }
        let at = |message: &&Fields| message.get("created_at").and_then(time);
        let times: Vec<_> = messages.iter().map(at).collect();
        let mut ends: Vec<Option<usize>> = vec![None; messages.len()];
        for place in in_order(&parents, &times) {
            if self.draft.passes_over() {
                continue;
            }
            let above = parents[place].and_then(|parent| ends[parent]);
            ends[place] = self.message(messages[place], above, model.as_deref());
        }
        let leaf = text(said, "current_leaf_message_uuid").and_then(|id| places.get(id)).copied();
        // The last one is the one that was said last, which an export of before branches ends with.
        let shown = leaf.or_else(|| messages.len().checked_sub(1));
        self.draft.session.leaf = shown.and_then(|place| ends[place]);
    }

    /// Adds what a message says below an entry, and gives the last entry then.
    fn message(
        &mut self,
        message: &Fields,
        above: Option<usize>,
        model: Option<&str>,
    ) -> Option<usize> {
        let role = match text(message, "sender") {
            Some("human" | "user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some(other) => {
                self.draft.unknown(&format!("sender {}", short(other)));
                return above;
            }
            None => {
                self.draft.unreadable();
                return above;
            }
        };
        let id = text(message, "uuid").map(short).unwrap_or_default();
        // Texts, the results of tools, texts again: each run is an entry.
        let mut runs: Vec<(Role, Vec<Part>)> = vec![(role, Vec::new())];
        let blocks = message.get("content").and_then(Value::as_array);
        let mut calls = 0;
        for block in blocks.into_iter().flatten() {
            let Some(block) = block.as_object() else {
                self.draft.unreadable();
                continue;
            };
            let Some(part) = self.block(block, &id, &mut calls) else { continue };
            let speaker = if matches!(part, Part::ToolResult { .. }) { Role::Tool } else { role };
            match runs.last_mut() {
                Some((last, parts)) if *last == speaker => parts.push(part),
                _ => runs.push((speaker, vec![part])),
            }
        }
        let mut beside = Vec::new();
        // Older exports have the text alone.
        if blocks.is_none_or(Vec::is_empty) {
            beside.extend(
                text(message, "text").filter(|it| !it.trim().is_empty()).map(str::to_owned),
            );
        }
        self.files(message, &mut beside);
        for told in beside {
            let text = self.draft.text(&told);
            runs[0].1.push(Part::Text { text });
        }
        runs.retain(|(_, parts)| !parts.is_empty());
        if runs.is_empty() {
            self.draft.beside("empty message");
        }
        let mut last = above;
        for (role, parts) in runs {
            let mut new = entry(role, EntryKind::Said);
            (new.key, new.parent, new.parts) = (id.clone(), last, parts);
            new.at = message.get("created_at").and_then(time);
            new.model = model.filter(|_| role == Role::Assistant).map(str::to_owned);
            last = self.draft.push(new).or(last);
        }
        last
    }

    fn block(&mut self, block: &Fields, message: &str, calls: &mut u64) -> Option<Part> {
        let said = |key: &str| text(block, key).unwrap_or_default();
        // A call without an id has its message's, and its place there.
        let id = |key: &str, place: u64| match said(key) {
            "" => format!("{message}-{place}"),
            id => short(id),
        };
        match said("type") {
            "text" | "voice_note" => {
                let text = self.draft.text(said("text"));
                (!text.trim().is_empty()).then_some(Part::Text { text })
            }
            "thinking" => {
                let text = self.draft.text(said("thinking"));
                (!text.trim().is_empty()).then_some(Part::Reasoning { text, seal: None })
            }
            "tool_use" => {
                *calls += 1;
                Some(Part::ToolCall {
                    id: id("id", *calls),
                    name: short(said("name")),
                    arguments: self.draft.text(&arguments(block.get("input"))),
                    seal: None,
                })
            }
            "tool_result" => Some(Part::ToolResult {
                call_id: id("tool_use_id", *calls),
                text: {
                    let told = self.answer(block.get("content"));
                    self.draft.text(&told)
                },
                is_error: block.get("is_error") == Some(&Value::Bool(true)),
                kept: None,
            }),
            silent if SILENT.contains(&silent) => {
                self.draft.beside(silent);
                None
            }
            other => {
                self.draft.unknown(&format!("block {}", short(other)));
                let text = self.draft.text(said("text"));
                (!text.trim().is_empty()).then_some(Part::Text { text })
            }
        }
    }

    /// What a tool answered: a text, or blocks of which those with a text count. One that searched names what it found.
    fn answer(&mut self, content: Option<&Value>) -> String {
        let blocks = match content {
            Some(Value::String(text)) => return text.clone(),
            Some(Value::Array(blocks)) => blocks.as_slice(),
            Some(one @ Value::Object(_)) => std::slice::from_ref(one),
            _ => return String::new(),
        };
        let mut told = Vec::new();
        for block in blocks {
            let Some(of) = block.as_object() else {
                self.draft.unreadable();
                continue;
            };
            let said = ["title", "url", "text"].map(|key| text(of, key).unwrap_or_default());
            let said: Vec<&str> = said.into_iter().filter(|it| !it.is_empty()).collect();
            match said.is_empty() {
                true => self.draft.beside("result without a text"),
                false => told.push(said.join("\n")),
            }
        }
        told.join("\n\n")
    }

    /// The text of files of which the export has it, each under its name, and the names of the others.
    fn files(&mut self, message: &Fields, told: &mut Vec<String>) {
        let mut names: Vec<&str> = Vec::new();
        let of = |key: &str| message.get(key).and_then(Value::as_array).into_iter().flatten();
        for file in of("attachments").chain(of("files")) {
            let Some(file) = file.as_object() else {
                self.draft.unreadable();
                continue;
            };
            let name = text(file, "file_name").unwrap_or_default();
            let inside = text(file, "extracted_content").unwrap_or_default();
            // A file stands in both lists.
            if inside.is_empty() && (name.is_empty() || names.contains(&name)) {
                continue;
            }
            self.draft.beside("file");
            names.push(name);
            let name = short(name);
            told.push(if inside.is_empty() {
                format!("[{name}]")
            } else {
                format!("[{name}]\n{inside}")
            });
        }
    }
}

//! ChatGPT on the web: conversations of an export, each a tree of nodes by their ids.
//!
//! A node says one thing: a text, thoughts, a call by whom it goes to (`recipient`), or what a tool answered. What the
//! service put there hidden, its own rules and what it knows of the person, is context. Of pictures and files there are
//! names alone. What the engine's importer refuses (an orphan, a circle, a role that nobody knows) is counted here.
//! Which files hold conversations says `exports`.

use std::collections::HashMap;
use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::export::others::{Service, arguments, fenced, time};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::vault::{Agent, EntryKind, FileRole, Session};

use crate::draft::{Draft, entry, short, text};
use crate::exports::Exports;
use crate::lines::whole;
use crate::source::{Files, Source};
use crate::written::in_order;

pub(crate) static SOURCE: Source = Source {
    agent: Agent::ChatGpt,
    roots: &[],
    files: Files::of(&[("*.json", FileRole::Session)]),
    owner: |_| None,
    beside: None,
    goes_on: None,
    read,
    compose: None,
    rows: Some(&Exports(Service::ChatGpt)),
};

/// Kinds of content that are known. What is of another kind is counted, and its text is read all the same.
const KINDS: [&str; 10] = [
    "code",
    "execution_output",
    "model_editable_context",
    "multimodal_text",
    "sonic_webpage",
    "system_error",
    "tether_browsing_display",
    "tether_quote",
    "text",
    "user_editable_context",
];

/// Where a text stands in content that has no `parts`.
const WORDS: [&str; 9] = [
    "name",
    "title",
    "url",
    "text",
    "result",
    "summary",
    "user_profile",
    "user_instructions",
    "model_set_context",
];

/// Kinds of parts that stand for bytes which are elsewhere.
const POINTERS: &str = "_pointer";

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

/// What stands above a node.
#[derive(Clone, Default)]
struct Above {
    /// The last entry.
    entry: Option<usize>,
    /// The call that a tool may answer.
    call: Option<String>,
}

impl Reading {
    fn all(&mut self, said: &Fields) {
        let ids = ["conversation_id", "id"].map(|key| text(said, key).unwrap_or_default());
        let session = &mut self.draft.session;
        if let Some(id) = ids.into_iter().find(|id| !id.is_empty()) {
            session.id = short(id);
        }
        session.title = text(said, "title").unwrap_or_default().chars().take(200).collect();
        let Some(mapping) = said.get("mapping").and_then(Value::as_object) else {
            return self.draft.unreadable();
        };
        let mut nodes: Vec<(&str, &Fields)> = Vec::with_capacity(mapping.len());
        for (id, node) in mapping {
            match node.as_object() {
                Some(node) => nodes.push((id, node)),
                None => self.draft.unreadable(),
            }
        }
        let places: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
        let mut parents = Vec::with_capacity(nodes.len());
        for (_, node) in &nodes {
            let parent = text(node, "parent").map(|parent| places.get(parent).copied());
            if parent == Some(None) {
                self.draft.beside("parent that is not there");
            }
            parents.push(parent.flatten());
        }
        let messages = nodes.iter().map(|(_, node)| node.get("message"));
        let at = |message: Option<&Value>| message?.get("create_time").and_then(time);
        let times: Vec<_> = messages.map(at).collect();
        let mut above = vec![Above::default(); nodes.len()];
        for place in in_order(&parents, &times) {
            if self.draft.passes_over() {
                continue;
            }
            let mut own = parents[place].map(|parent| above[parent].clone()).unwrap_or_default();
            let (id, node) = nodes[place];
            match node.get("message") {
                Some(Value::Object(message)) => self.message(id, message, &mut own),
                None | Some(Value::Null) => self.draft.beside("node without a message"),
                Some(_) => self.draft.unreadable(),
            }
            above[place] = own;
        }
        let shown = text(said, "current_node").and_then(|id| places.get(id));
        self.draft.session.leaf = shown.and_then(|place| above[*place].entry);
    }

    /// Adds what a node says, which becomes what is above those below it.
    fn message(&mut self, id: &str, message: &Fields, above: &mut Above) {
        let author = message.get("author").and_then(Value::as_object);
        let role = match author.and_then(|author| text(author, "role")) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            Some("system") => Role::System,
            Some(other) => return self.draft.unknown(&format!("role {}", short(other))),
            None => return self.draft.unreadable(),
        };
        let Some(content) = message.get("content").and_then(Value::as_object) else {
            return self.draft.unreadable();
        };
        let none = Fields::new();
        let about = message.get("metadata").and_then(Value::as_object).unwrap_or(&none);
        let kind = text(content, "content_type").unwrap_or_default();
        let mut parts = self.thoughts(kind, content);
        let by_model = role == Role::Assistant;
        let called = text(message, "recipient").filter(|to| by_model && !["", "all"].contains(to));
        if parts.is_empty() {
            let told = self.told(kind, content, about);
            if told.trim().is_empty() && called.is_none() {
                return self.draft.beside("empty message");
            }
            parts.push(match (role, called) {
                (_, Some(name)) => Part::ToolCall {
                    id: short(id),
                    name: short(name),
                    arguments: self.draft.text(&arguments(&told)),
                    seal: None,
                },
                (Role::Tool, None) => Part::ToolResult {
                    // One that nobody asked for in so many words is by itself.
                    call_id: above.call.clone().unwrap_or_else(|| short(id)),
                    text: self.draft.text(&told),
                    is_error: kind == "system_error",
                    kept: None,
                },
                (_, None) if kind == "code" => {
                    let language = text(content, "language").unwrap_or_default();
                    Part::Text { text: self.draft.text(&fenced(&told, language)) }
                }
                (_, None) => Part::Text { text: self.draft.text(&told) },
            });
        }
        let says = |key: &str| about.get(key) == Some(&Value::Bool(true));
        let is_hidden = role == Role::System
            || kind.ends_with("_editable_context")
            || says("is_user_system_message")
            || (role == Role::User && says("is_visually_hidden_from_conversation"));
        let mut new = entry(role, if is_hidden { EntryKind::Context } else { EntryKind::Said });
        new.key = short(id);
        new.parent = above.entry;
        new.parts = parts;
        new.at = message.get("create_time").and_then(time);
        let model = text(about, "model_slug").filter(|model| by_model && !model.is_empty());
        new.model = model.map(short);
        let is_call = new.parts.iter().any(|part| matches!(part, Part::ToolCall { .. }));
        above.call = match role {
            Role::Assistant if is_call => Some(short(id)),
            // One tool may answer in several nodes.
            Role::Tool => above.call.take(),
            _ => None,
        };
        above.entry = self.draft.push(new).or(above.entry);
    }

    /// What the model thought, where this is that.
    fn thoughts(&mut self, kind: &str, content: &Fields) -> Vec<Part> {
        let mut told = Vec::new();
        match kind {
            "thoughts" => {
                let thoughts = content.get("thoughts").and_then(Value::as_array);
                for thought in thoughts.into_iter().flatten() {
                    match thought.as_object() {
                        Some(it) => {
                            let both = ["summary", "content"].map(|key| text(it, key));
                            told.push(joined(both.into_iter().flatten()));
                        }
                        None => self.draft.unreadable(),
                    }
                }
            }
            "reasoning_recap" => told.extend(text(content, "content").map(str::to_owned)),
            _ => {}
        }
        told.retain(|text| !text.trim().is_empty());
        let parts = told.iter().map(|told| self.draft.text(told));
        parts.map(|text| Part::Reasoning { text, seal: None }).collect()
    }

    /// All text of a message, with the names of pictures and files where they are.
    fn told(&mut self, kind: &str, content: &Fields, about: &Fields) -> String {
        if !KINDS.contains(&kind) && !["thoughts", "reasoning_recap"].contains(&kind) {
            self.draft.unknown(&format!("content {}", short(kind)));
        }
        let attached = about.get("attachments").and_then(Value::as_array);
        let attached = attached.into_iter().flatten().filter_map(Value::as_object);
        let mut attached: Vec<(&str, &str)> = attached
            .map(|file| ["id", "name"].map(|key| text(file, key).unwrap_or_default()))
            .map(|[id, name]| (id, if name.is_empty() { id } else { name }))
            .filter(|(_, name)| !name.is_empty())
            .collect();
        let mut told: Vec<String> = Vec::new();
        let parts = content.get("parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            match part {
                Value::String(text) => told.push(text.clone()),
                Value::Object(part) => told.extend(self.part(part, &mut attached)),
                Value::Null => {}
                _ => self.draft.unreadable(),
            }
        }
        told.extend(WORDS.iter().filter_map(|key| text(content, key)).map(str::to_owned));
        for (_, name) in attached {
            self.draft.beside("file");
            told.push(named(name));
        }
        joined(told.iter().map(String::as_str))
    }

    /// A part that is no text by itself.
    fn part(&mut self, part: &Fields, attached: &mut Vec<(&str, &str)>) -> Option<String> {
        let kind = text(part, "content_type").unwrap_or_default();
        if let Some(text) = text(part, "text") {
            return Some(text.to_owned());
        }
        if !kind.ends_with(POINTERS) {
            self.draft.unknown(&format!("part {}", short(kind)));
            return None;
        }
        self.draft.beside("file");
        let pointer = text(part, "asset_pointer").unwrap_or_default();
        let file = pointer.rsplit('/').next().unwrap_or_default();
        let place = attached.iter().position(|(id, _)| *id == file);
        let name = place.map_or(file, |place| attached.remove(place).1);
        (!name.is_empty()).then(|| named(name))
    }
}

fn named(file: &str) -> String {
    format!("[{}]", short(file))
}

fn joined<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
    let said: Vec<&str> = pieces.into_iter().filter(|piece| !piece.trim().is_empty()).collect();
    said.join("\n\n")
}

//! Gemini CLI: messages and changes of them in `tmp/<project>/chats/session-*.jsonl`; before, one object in a `.json`.
//!
//! A line is a message, or says that one with an id is another now, that messages from one on are gone, or that all of
//! them are these: the last is how a compaction shows. What is gone from the list stays here, as a branch or before a fold.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{Agent, Entry, EntryKind, FileRole, Fold, Session};

use crate::draft::{Draft, arguments, each, entry, first, number, short, text, time};
use crate::handover;
use crate::lines::whole;
use crate::source::{Files, Root, Source};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::GeminiCli,
    roots: &[Root { variable: "GEMINI_CLI_HOME", usual: &[""], below: &[".gemini"] }],
    files: Files::of(&[
        ("tmp/*/chats/session-*.jsonl", FileRole::Session),
        ("tmp/*/chats/session-*.json", FileRole::Session),
        ("tmp/*/chats/*/*.jsonl", FileRole::Child),
        ("tmp/*/checkpoint-*.json", FileRole::Beside),
        ("tmp/*/checkpoints/*.json", FileRole::Beside),
        ("tmp/*/logs.json", FileRole::Beside),
        ("tmp/*/memory/**", FileRole::Beside),
        ("tmp/*/tool-outputs/**", FileRole::Beside),
        ("tmp/*/.project_root", FileRole::Beside),
        ("projects.json", FileRole::Beside),
    ]),
    owner,
    beside: Some(beside),
    goes_on: None,
    read,
    compose: Some(handover::gemini),
    rows: None,
};

/// Messages of the program to the person.
const NOTES: [&str; 3] = ["info", "error", "warning"];

/// How a text begins that the program put in the person's place.
const CONTEXT: &str = "<session_context>";

/// The file that names the folder in which sessions worked.
const FOLDER: &str = "/.project_root";

fn beside(path: &str) -> Vec<String> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["tmp", project, "chats", ..] => vec![format!("tmp/{project}{FOLDER}")],
        _ => Vec::new(),
    }
}

fn owner(path: &str) -> Option<String> {
    let names: Vec<&str> = path.split('/').collect();
    match names[..] {
        ["tmp", _, "chats", session, _] => Some(session.to_owned()),
        _ => None,
    }
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let mut reading = Reading { draft, ..Reading::default() };
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.trim_end_matches(".jsonl").trim_end_matches(".json");
    reading.draft.session.id = stem.to_owned();
    reading.draft.session.parent = owner(path);
    if name.ends_with(".json") {
        match whole(bytes)? {
            Some(record) => {
                reading.about(&record);
                let messages = record.get("messages").and_then(Value::as_array);
                messages.into_iter().flatten().for_each(|message| reading.message(message));
            }
            None => reading.draft.unreadable(),
        }
        return Ok(reading.done());
    }
    each(bytes, &mut reading, |it| &mut it.draft, Reading::record)?;
    Ok(reading.done())
}

/// A message of the list, and the entries that it became: itself, and what its tools answered.
#[derive(Clone)]
struct Listed {
    id: String,
    /// Where it stands in the list, or stood.
    place: usize,
    first: usize,
    last: usize,
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// The messages that the agent has now.
    list: Vec<Listed>,
    /// Every message that it ever had.
    known: HashMap<String, Listed>,
    /// What was said last.
    tip: Option<usize>,
    /// Tokens of the last request and its reply.
    context: Option<u64>,
    /// A compaction after which no tokens were told yet.
    fold: Option<usize>,
    /// Messages that went on word for word through a compaction, under another id than before.
    copies: HashSet<String>,
    /// Calls whose answers are there.
    answered: HashSet<String>,
}

impl Reading {
    fn record(&mut self, mut record: Map<String, Value>) {
        if self.draft.passes_over() {
            return;
        }
        if let Some(to) = text(&record, "$rewindTo") {
            return self.rewind(to);
        }
        if let Some(set) = record.remove("$set") {
            let Value::Object(set) = set else { return self.draft.unreadable() };
            self.about(&set);
            if let Some(messages) = set.get("messages").and_then(Value::as_array) {
                self.rebuild(messages);
            }
            return;
        }
        match (record.contains_key("type"), record.contains_key("sessionId")) {
            (true, _) => self.message(&Value::Object(record)),
            (false, true) => self.about(&record),
            (false, false) => {
                let kind = record.keys().next().map(String::as_str).unwrap_or("{}");
                self.draft.unknown(kind);
            }
        }
    }

    fn about(&mut self, said: &Map<String, Value>) {
        self.draft.beside("metadata");
        let session = &mut self.draft.session;
        if let Some(id) = text(said, "sessionId") {
            session.id = short(id);
        }
        if let Some(title) = text(said, "summary") {
            session.title = title.chars().take(200).collect();
        }
        let folders = said.get("directories").and_then(Value::as_array);
        let folder = folders.and_then(|folders| folders.first()).and_then(Value::as_str);
        first(&mut session.folder, folder);
    }

    fn rewind(&mut self, to: &str) {
        self.draft.beside("rewind");
        let place = self.known.get(to).map(|known| known.place);
        let place = place.filter(|place| self.list.get(*place).is_some_and(|it| it.id == to));
        self.list.truncate(place.unwrap_or_default());
        self.tip = self.list.last().map(|listed| listed.last);
    }

    /// All messages are these now. Those that were there before and are not now went behind a fold, where something new came
    /// in their place; where nothing did, the agent only began anew, and says all of them in a moment.
    fn rebuild(&mut self, messages: &[Value]) {
        let ids: HashSet<&str> =
            messages.iter().filter_map(|it| it.get("id").and_then(Value::as_str)).collect();
        let stays = |listed: &&Listed| ids.contains(listed.id.as_str());
        if self.list.iter().all(|listed| stays(&listed)) {
            self.list.clear();
            return messages.iter().for_each(|message| self.message(message));
        }
        let is_new = |it: &&Value| {
            let id = it.get("id").and_then(Value::as_str).unwrap_or_default();
            !self.known.contains_key(id)
        };
        // The first thing that was not said before is the summary.
        let mut new: Vec<&Value> = messages.iter().filter(is_new).collect();
        let kept: Vec<Listed> = self.list.iter().filter(stays).cloned().collect();
        let Some(summary) = (!new.is_empty()).then(|| new.remove(0)) else {
            self.list.clear();
            kept.into_iter().for_each(|listed| self.listed(listed));
            self.tip = self.list.last().map(|listed| listed.last);
            return;
        };
        let gone = self.list.iter().filter(|listed| !stays(listed));
        let gone = gone.map(|it| key_of(&self.draft.session.entries[it.first]));
        let gone: HashSet<Key> = gone.collect();
        let mut carried = Vec::new();
        for listed in &kept {
            let said = self.draft.session.entries[listed.first].text();
            carried.push(self.draft.text(&said));
        }
        let fold = Fold { automatic: None, before: self.context, after: None, carried };
        let said = summary.get("content").map(|it| self.content(it).0);
        let mut stands = entry(Role::User, EntryKind::Fold(fold));
        stands.parent = self.tip;
        stands.parts = said.unwrap_or_default();
        stands.at = summary.as_object().and_then(|it| time(it, "timestamp"));
        let id = summary.get("id").and_then(Value::as_str);
        stands.key = short(id.unwrap_or_default());
        self.list.clear();
        kept.into_iter().for_each(|listed| self.listed(listed));
        if let Some(at) = self.draft.push(stands) {
            (self.tip, self.fold) = (Some(at), Some(at));
            if let Some(id) = id {
                self.listed(Listed { id: id.to_owned(), place: 0, first: at, last: at });
            }
        }
        let Some(fold) = self.fold else { return };
        for (place, message) in new.into_iter().enumerate() {
            if !self.went_on(message, &gone, fold) {
                let before = self.draft.session.entries.len();
                self.message(message);
                // What the agent has its model answer to the summary, nobody said.
                if let Some(said) =
                    self.draft.session.entries.get_mut(before).filter(|_| place == 0)
                    && said.role == Role::Assistant
                {
                    said.kind = EntryKind::Context;
                }
            }
        }
    }

    /// Whether a message is one of those that are gone, under another id; it went on behind the fold then.
    fn went_on(&mut self, message: &Value, gone: &HashSet<Key>, fold: usize) -> bool {
        let role = match message.get("type").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            _ => return false,
        };
        let mut said = entry(role, EntryKind::Said);
        said.parts = message.get("content").map(|it| self.content(it).0).unwrap_or_default();
        let id = message.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let (true, Some(id)) = (gone.contains(&key_of(&said)), id) else { return false };
        self.copies.insert(id.to_owned());
        self.listed(Listed { id: id.to_owned(), place: 0, first: fold, last: fold });
        if let EntryKind::Fold(told) = &mut self.draft.session.entries[fold].kind {
            told.carried.extend(Some(said.text()).filter(|text| !text.is_empty()));
        }
        true
    }

    fn listed(&mut self, listed: Listed) {
        let listed = Listed { place: self.list.len(), ..listed };
        self.list.push(listed.clone());
        self.known.insert(listed.id.clone(), listed);
    }

    fn message(&mut self, message: &Value) {
        let Some(message) = message.as_object() else { return self.draft.unreadable() };
        let Some(kind) = text(message, "type") else { return self.draft.unreadable() };
        let role = match kind {
            "user" => Role::User,
            "gemini" => Role::Assistant,
            kind if NOTES.contains(&kind) => return self.draft.beside(kind),
            kind => return self.draft.unknown(kind),
        };
        let mut id = text(message, "id").map(short).unwrap_or_default();
        if let Some(copy) = self.known.get(&id).filter(|_| self.copies.contains(&id)).cloned() {
            return self.listed(copy);
        }
        let mut parts = self.thoughts(message);
        let (said, told) = message.get("content").map(|it| self.content(it)).unwrap_or_default();
        let (calls, mut results) = self.calls(message);
        // Some versions say the calls in the content alone, and answers in a message of the person's.
        parts.extend(said.into_iter().filter(|it| calls.is_empty() || !is_call(it)));
        parts.extend(calls);
        results.extend(told);
        results.retain(|result| match result {
            Part::ToolResult { call_id, .. } => self.answered.insert(call_id.clone()),
            _ => true,
        });
        if role == Role::User && parts.is_empty() {
            if results.is_empty() {
                return self.draft.beside("answers");
            }
            id.push_str("/answers");
            return self.say(id, Role::Tool, message, (results, Vec::new()));
        }
        self.tokens(message, &id);
        match self.known.get(&id).filter(|_| !id.is_empty()).cloned() {
            Some(known) => self.say_anew(known, message, parts, results),
            None => self.say(id, role, message, (parts, results)),
        }
    }

    fn say(
        &mut self,
        id: String,
        role: Role,
        message: &Map<String, Value>,
        (parts, results): (Vec<Part>, Vec<Part>),
    ) {
        let surroundings =
            |part: &Part| matches!(part, Part::Text { text } if text.starts_with(CONTEXT));
        let kind = match role == Role::User && parts.first().is_some_and(surroundings) {
            true => EntryKind::Context,
            false => EntryKind::Said,
        };
        let mut new = entry(role, kind);
        new.key = id.clone();
        new.parent = self.tip;
        new.parts = parts;
        new.model = text(message, "model").filter(|_| role == Role::Assistant).map(short);
        new.at = time(message, "timestamp");
        let answered = Entry { parts: results, role: Role::Tool, model: None, ..new.clone() };
        let Some(first) = self.draft.push(new) else { return };
        let mut last = first;
        if !answered.parts.is_empty() {
            let answered = Entry { parent: Some(first), ..answered };
            last = self.draft.push(answered).unwrap_or(first);
        }
        self.tip = Some(last);
        self.listed(Listed { id, place: 0, first, last });
    }

    /// A message with the same id stands for the earlier one.
    fn say_anew(
        &mut self,
        mut known: Listed,
        message: &Map<String, Value>,
        parts: Vec<Part>,
        results: Vec<Part>,
    ) {
        let before = known.last;
        let entries = &mut self.draft.session.entries;
        let first = &mut entries[known.first];
        first.parts = parts;
        first.model = text(message, "model").map(short).or(first.model.take());
        match (known.last == known.first, results.is_empty()) {
            (_, true) => {}
            (false, false) => entries[known.last].parts = results,
            (true, false) => {
                let mut answered = entries[known.first].clone();
                answered.parts = results;
                (answered.role, answered.model) = (Role::Tool, None);
                answered.parent = Some(known.first);
                known.last = self.draft.push(answered).unwrap_or(known.last);
            }
        }
        if let Some(next) = self.list.get(known.place + 1).map(|next| next.first) {
            let next = &mut self.draft.session.entries[next];
            next.parent = if next.parent == Some(before) { Some(known.last) } else { next.parent };
        }
        if self.tip.is_none() || self.tip == Some(before) {
            self.tip = Some(known.last);
        }
        match self.list.get_mut(known.place).filter(|listed| listed.id == known.id) {
            Some(listed) => {
                *listed = known.clone();
                self.known.insert(known.id.clone(), known);
            }
            // The list is said anew.
            None => {
                self.tip = Some(known.last);
                self.listed(known);
            }
        }
    }

    fn thoughts(&mut self, message: &Map<String, Value>) -> Vec<Part> {
        let thoughts = message.get("thoughts").and_then(Value::as_array).into_iter().flatten();
        let told = |thought: &Value| {
            let said = |key: &str| thought.get(key).and_then(Value::as_str).unwrap_or_default();
            [said("subject"), said("description")].join("\n").trim().to_owned()
        };
        let told: Vec<String> = thoughts.map(told).filter(|told| !told.is_empty()).collect();
        told.iter()
            .map(|told| Part::Reasoning { text: self.draft.text(told), seal: None })
            .collect()
    }

    /// One part, or a list of them; a text is one, too. What tools answered comes apart.
    fn content(&mut self, content: &Value) -> (Vec<Part>, Vec<Part>) {
        let all = match content {
            Value::Array(all) => all.as_slice(),
            Value::Null => &[],
            one => std::slice::from_ref(one),
        };
        let (mut parts, mut results) = (Vec::new(), Vec::new());
        for part in all {
            if let Some(call) = part.get("functionCall").and_then(Value::as_object) {
                parts.push(self.call(call));
                continue;
            }
            if let Some(answer) = part.get("functionResponse").and_then(Value::as_object) {
                let call_id = short(text(answer, "id").unwrap_or_default());
                let is_error = answer.get("response").is_some_and(|it| it.get("error").is_some());
                let text = self.draft.text(&answered(part));
                results.push(Part::ToolResult { call_id, text, is_error, kept: None });
                continue;
            }
            let data = part.get("inlineData").and_then(Value::as_object);
            let said = part.as_str().or_else(|| part.get("text").and_then(Value::as_str));
            let shown = data.and_then(|data| {
                let of = text(data, "mimeType").unwrap_or_default();
                self.draft.picture(text(data, "data")?, of)
            });
            match (said, shown) {
                (Some(said), _) if part.get("thought").and_then(Value::as_bool) == Some(true) => {
                    parts.push(Part::Reasoning { text: self.draft.text(said), seal: None });
                }
                (Some(said), _) => parts.push(Part::Text { text: self.draft.text(said) }),
                (None, Some(shown)) => parts.push(shown),
                (None, None) => {
                    let name = part.as_object().and_then(|part| part.keys().next());
                    let name = name.map(String::as_str).unwrap_or("without a name");
                    self.draft.unknown(&format!("part {}", short(name)));
                }
            }
        }
        (parts, results)
    }

    fn call(&mut self, call: &Map<String, Value>) -> Part {
        Part::ToolCall {
            id: short(text(call, "id").unwrap_or_default()),
            name: short(text(call, "name").unwrap_or_default()),
            arguments: self.draft.text(&arguments(call.get("args"))),
            seal: None,
        }
    }

    /// What tools were called with, and what they answered.
    fn calls(&mut self, message: &Map<String, Value>) -> (Vec<Part>, Vec<Part>) {
        let all = message.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for call in all {
            let Some(call) = call.as_object() else {
                self.draft.unreadable();
                continue;
            };
            let id = short(text(call, "id").unwrap_or_default());
            calls.push(self.call(call));
            if let Some(result) = call.get("result").filter(|result| !result.is_null()) {
                let said = answered(result);
                let is_error = text(call, "status") == Some("error");
                let text = self.draft.text(&said);
                results.push(Part::ToolResult { call_id: id, text, is_error, kept: None });
            }
        }
        (calls, results)
    }

    fn tokens(&mut self, message: &Map<String, Value>, id: &str) {
        let Some(tokens) = message.get("tokens").filter(|tokens| tokens.is_object()) else {
            return;
        };
        let answered = number(tokens, "output").saturating_add(number(tokens, "thoughts"));
        let asked = number(tokens, "input");
        let usage = Usage {
            input_tokens: asked.saturating_add(number(tokens, "tool")),
            output_tokens: answered,
            cached_input_tokens: number(tokens, "cached"),
            cache_write_tokens: 0,
            exact: true,
        };
        self.draft.count(id.to_owned(), usage);
        let total = Some(number(tokens, "total")).filter(|total| *total > 0);
        self.context = total.or(self.context);
        // The first count after a compaction is what that left.
        if let Some(at) = self.fold.take_if(|_| asked > 0)
            && let EntryKind::Fold(fold) = &mut self.draft.session.entries[at].kind
        {
            fold.after = Some(asked);
        }
    }

    fn done(mut self) -> Session {
        let folder = self.draft.told_line(FOLDER);
        first(&mut self.draft.session.folder, folder.as_deref());
        self.draft.session.leaf = self.tip;
        self.draft.done()
    }
}

/// By what a message is known where its id is another: whether the person said it, its text, and the calls in it.
type Key = (bool, String, Vec<String>);

fn key_of(entry: &Entry) -> Key {
    let call = |part: &Part| match part {
        Part::ToolCall { id, .. } => Some(id.clone()),
        _ => None,
    };
    (entry.role == Role::User, entry.text(), entry.parts.iter().filter_map(call).collect())
}

fn is_call(part: &Part) -> bool {
    matches!(part, Part::ToolCall { .. })
}

/// What a tool answered: parts, whose responses hold the output as a text or as JSON.
fn answered(result: &Value) -> String {
    match result {
        Value::String(said) => said.clone(),
        Value::Array(parts) => parts.iter().map(answered).collect::<Vec<_>>().join("\n"),
        part => {
            let response = part.pointer("/functionResponse/response");
            let said = response.and_then(|it| it.get("output").or_else(|| it.get("error")));
            match (part.get("text").and_then(Value::as_str), said, response) {
                (Some(said), ..) => said.to_owned(),
                (None, Some(Value::String(said)), _) => said.clone(),
                (None, Some(said), _) | (None, None, Some(said)) => said.to_string(),
                (None, None, None) => String::new(),
            }
        }
    }
}

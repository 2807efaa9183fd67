//! Cursor's command line: a `store.db` for each session in `chats`, and the transcripts in `projects`.
//!
//! A store has blobs under the hashes of what they are. The newest root names the messages in order; others are states from
//! before, and what the program itself keeps of a session. A session is told as lines: what is said of it, the order, its
//! messages, then all other blobs in the order in which they were written, those that are no JSON in hexadecimal digits.
//!
//! Transcripts have neither results nor thoughts nor times, and are written by the editor, too. They are read where there is
//! no store of the same session here. The editor's database is in another home: what is in both has one id, and times there.
//!
//! This was written from what other programs read of these files, and was never run against a Cursor that is alive.
//!
//! Deliberately absent: states from before, which are kept and not shown, and messages of 2025 that are no JSON; tokens,
//! which nobody tells.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{EntryKind, Listing, SeenFile, Session};

use crate::cursor::{SOURCE, is_id, time_of};
use crate::database::{bounded, line, opened, stamp_of};
use crate::draft::{Draft, arguments, each, entry, first, short, text, timed};
use crate::lines::{MAX_LINE, record};
use crate::protobuf::{Field, Fields};
use crate::source::{Opened, walk};

/// Most bytes of what stands beside a store.
const MOST_BESIDE: u64 = 64 << 10;

/// Most messages that roots may name.
const MOST_NAMED: usize = 1_000_000;

/// Bytes of a hash, and how a root names one: a field with the number 1 and so many bytes.
const HASH: usize = 32;
const NAMES: u64 = 1;

/// Stands before the folder in what the program tells its model of the surroundings.
const FOLDER: &str = "Workspace Path: ";

/// A name that nobody gave.
const UNTITLED: &str = "New Agent";

/// The session that a transcript of a subagent belongs to.
pub(crate) fn owner(path: &str) -> Option<String> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["projects", _, "agent-transcripts", session, "subagents", _] => Some(session.to_owned()),
        _ => None,
    }
}

/// Adds what lies below a home.
pub(crate) fn list(
    root: &Path,
    to: &mut Listing,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<(), FolderError> {
    let stores = walk(root, ["chats"], &|path| store_of(path).is_some(), 3, go_on)?;
    to.skipped.extend(stores.skipped);
    let mut known = HashSet::new();
    for SeenFile { path, .. } in stores.files {
        let Some(id) = store_of(&path) else { continue };
        known.insert(id.to_owned());
        match stamp_of(&root.join(&path)) {
            Ok(_) if is_empty(root, &path) => {}
            Ok(stamp) => to.files.push(SeenFile { path: format!("{path}/{id}.jsonl"), stamp }),
            Err(_) => to.skipped.push(path),
        }
    }
    let projects = fs::read_dir(root.join("projects")).into_iter().flatten().flatten();
    let names = projects.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let starts: Vec<String> =
        names.map(|name| format!("projects/{name}/agent-transcripts")).collect();
    let fits = |path: &str| SOURCE.role(path).is_some();
    let told = walk(root, starts.iter().map(String::as_str), &fits, 5, go_on)?;
    to.skipped.extend(told.skipped);
    to.files.extend(told.files.into_iter().filter(|file| !known.contains(name_of(&file.path))));
    Ok(())
}

/// A session of a store; `None` for a transcript.
pub(crate) fn open(root: &Path, path: &str) -> io::Result<Option<Opened>> {
    if path.starts_with("projects/") && SOURCE.role(path).is_some() {
        return Ok(None);
    }
    let gone = || io::Error::from(io::ErrorKind::NotFound);
    let (store, file) = path.rsplit_once('/').ok_or_else(gone)?;
    let id = store_of(store).filter(|id| file.strip_suffix(".jsonl") == Some(*id));
    id.ok_or_else(gone)?;
    let whole = root.join(store);
    // Before anything is read: what is written meanwhile gives another one.
    let stamp = stamp_of(&whole)?;
    let mut db = opened(&whole)?;
    let state = db.transaction().map_err(io::Error::other)?;
    let size = "SELECT TOTAL(octet_length(id)) + TOTAL(octet_length(data)) FROM blobs";
    let size = state.query_row(size, [], |row| row.get::<_, f64>(0)).map_err(io::Error::other)?;
    // In digits it is twice as long.
    bounded((size * 2.0) as u64)?;
    let beside = beside(root, store).unwrap_or_default();
    Ok(Some((lines(&state, &beside).map_err(io::Error::other)?, stamp)))
}

/// The session that is in the store at this path.
fn store_of(path: &str) -> Option<&str> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["chats", folder, id, "store.db"] if is_id(folder) && is_id(id) => Some(id),
        _ => None,
    }
}

/// The session that the path of a transcript names.
fn name_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".jsonl").unwrap_or(name)
}

/// What stands beside a store.
fn beside(root: &Path, store: &str) -> Option<Vec<u8>> {
    let path = root.join(store).with_file_name("meta.json");
    let (file, _) = crate::open_regular(&path).ok()?;
    let mut told = Vec::new();
    file.take(MOST_BESIDE).read_to_end(&mut told).ok()?;
    Some(told)
}

/// Whether nothing was said in a session, as far as the program says so.
fn is_empty(root: &Path, store: &str) -> bool {
    let told = beside(root, store).and_then(|told| record(&told));
    told.is_some_and(|told| told.get("hasConversation") == Some(&Value::Bool(false)))
}

/// A session as text.
fn lines(db: &Connection, beside: &[u8]) -> rusqlite::Result<Vec<u8>> {
    let mut told = Vec::new();
    let mut root = None;
    let mut find = db.prepare("SELECT value FROM meta ORDER BY key")?;
    let mut rows = find.query([])?;
    while let Some(row) = rows.next()? {
        let (ValueRef::Text(value) | ValueRef::Blob(value)) = row.get_ref(0)? else { continue };
        if value.len() > MAX_LINE {
            continue;
        }
        let plain = unwritten(value).unwrap_or_else(|| value.to_vec());
        let about = record(&plain);
        let named = about.as_ref().and_then(|about| text(about, "latestRootBlobId"));
        root = root.or(named.map(str::to_owned));
        line(&mut told, r#"{"row":"meta","data":"#, ValueRef::Text(&plain));
    }
    if !beside.is_empty() {
        line(&mut told, r#"{"row":"about","data":"#, ValueRef::Text(beside));
    }
    let mut blob = db.prepare("SELECT data FROM blobs WHERE id = ?1")?;
    let mut get = |id: &str| -> rusqlite::Result<Option<Vec<u8>>> {
        let bytes = |data: ValueRef<'_>| match data {
            ValueRef::Text(data) | ValueRef::Blob(data) => data.to_vec(),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Vec::new(),
        };
        blob.query_row([id], |row| Ok(bytes(row.get_ref(0)?))).optional()
    };
    let order = match root {
        Some(root) => named(root, &mut get)?,
        None => Vec::new(),
    };
    let ids = Value::from(order.clone()).to_string();
    line(&mut told, r#"{"row":"order","data":"#, ValueRef::Text(ids.as_bytes()));
    let mut find = db.prepare("SELECT id FROM blobs ORDER BY rowid")?;
    let others = find.query_map([], |row| Ok(row.get_ref(0)?.as_str().ok().map(str::to_owned)))?;
    let others: Vec<Option<String>> = others.collect::<rusqlite::Result<_>>()?;
    let mut done = HashSet::new();
    for id in order.into_iter().chain(others.into_iter().flatten()) {
        if done.contains(&id) {
            continue;
        }
        if let Some(data) = get(&id)? {
            let written = written(&data);
            let data = if data.first() == Some(&b'{') { &data } else { &written };
            let before = format!(r#"{{"row":"blob","id":{},"data":"#, Value::from(id.as_str()));
            line(&mut told, &before, ValueRef::Text(data));
        }
        done.insert(id);
    }
    Ok(told)
}

/// The messages that a root names, in order. Where it names another root, those of that; each is asked once, for one may name
/// itself.
fn named(
    root: String,
    get: &mut dyn FnMut(&str) -> rusqlite::Result<Option<Vec<u8>>>,
) -> rusqlite::Result<Vec<String>> {
    let (mut order, mut asked, mut waiting) = (Vec::new(), HashSet::new(), vec![root]);
    while let Some(id) = waiting.pop() {
        if !asked.insert(id.clone()) {
            continue;
        }
        let Some(data) = get(&id)? else { continue };
        let names = if data.first() == Some(&b'{') { Vec::new() } else { names_in(&data) };
        if names.is_empty() || waiting.len() >= MOST_NAMED {
            order.push(id);
        }
        waiting.extend(names.into_iter().rev().take(MOST_NAMED.saturating_sub(waiting.len())));
    }
    Ok(order)
}

/// The hashes in a message of protocol buffers, by the field in which a root has them.
fn names_in(data: &[u8]) -> Vec<String> {
    let name = |field| match field {
        (NAMES, Field::Bytes(value)) if value.len() == HASH => Some(digits(value)),
        _ => None,
    };
    Fields(data).filter_map(name).collect()
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes as JSON.
fn written(bytes: &[u8]) -> Vec<u8> {
    format!("\"{}\"", digits(bytes)).into_bytes()
}

/// What stands there in hexadecimal digits.
fn unwritten(text: &[u8]) -> Option<Vec<u8>> {
    let value = |digit: &u8| char::from(*digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(value(high)? << 4 | value(low)?),
        _ => None,
    };
    text.chunks(2).map(byte).collect()
}

pub(crate) fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let mut reading = Reading { draft, ..Reading::default() };
    reading.draft.session.id = name_of(path).to_owned();
    reading.draft.session.parent = owner(path);
    let is_transcript = path.starts_with("projects/");
    each(
        bytes,
        &mut reading,
        |it| &mut it.draft,
        |it, record| match it.draft.passes_over() {
            true => {}
            false if is_transcript => it.transcript(&record),
            false => it.row(&record),
        },
    )?;
    let session = &mut reading.draft.session;
    session.folder = session.folder.take().or(reading.folder);
    timed(session, reading.times);
    Ok(reading.draft.done())
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// The messages that the newest root names; `None` before it is known.
    named: Option<HashSet<String>>,
    /// What was said last.
    tip: Option<usize>,
    /// The model of which the session was last.
    model: Option<String>,
    /// The folder that the model was told of.
    folder: Option<String>,
    /// When the session began, and when it was written last.
    times: [Option<Timestamp>; 2],
}

impl Reading {
    fn row(&mut self, line: &Map<String, Value>) {
        let id = text(line, "id").map(short).unwrap_or_default();
        let data = line.get("data").unwrap_or(&Value::Null);
        match (text(line, "row").unwrap_or_default(), data) {
            ("meta", Value::Object(data)) => self.meta(data),
            ("about", Value::Object(data)) => self.about(data),
            ("order", Value::Array(ids)) => {
                let ids = ids.iter().filter_map(Value::as_str).map(str::to_owned);
                self.named = Some(ids.collect()).filter(|ids: &HashSet<String>| !ids.is_empty());
            }
            ("blob", data) => {
                let is_named = self.named.as_ref().is_none_or(|named| named.contains(&id));
                match data {
                    _ if !is_named => self.draft.beside("older state"),
                    Value::Object(message) => self.message(&id, message),
                    Value::String(_) if self.named.is_some() => self.draft.unknown("blob"),
                    Value::String(_) => self.draft.beside("blob"),
                    _ => self.draft.unreadable(),
                }
            }
            ("meta" | "about" | "order", _) => self.draft.unreadable(),
            (other, _) => self.draft.unknown(&format!("row {}", short(other))),
        }
    }

    fn meta(&mut self, data: &Map<String, Value>) {
        self.draft.beside("meta");
        let session = &mut self.draft.session;
        if let Some(id) = text(data, "agentId") {
            session.id = short(id);
        }
        let name = text(data, "name").unwrap_or_default().trim();
        if session.title.is_empty() && name != UNTITLED {
            session.title = name.chars().take(200).collect();
        }
        let info = data.get("subagentInfo").and_then(Value::as_object);
        let parent = info.and_then(|info| text(info, "parentAgentId")).map(short);
        first(&mut session.parent, parent.as_deref());
        self.times[0] = self.times[0].or(data.get("createdAt").and_then(time_of));
        let model = match data.get("lastUsedModel") {
            Some(Value::Object(model)) => text(model, "model"),
            other => other.and_then(Value::as_str),
        };
        first(&mut self.model, model.map(short).as_deref());
    }

    fn about(&mut self, data: &Map<String, Value>) {
        self.draft.beside("about");
        first(&mut self.draft.session.folder, text(data, "cwd"));
        let title = text(data, "title").unwrap_or_default().trim();
        if !title.is_empty() {
            self.draft.session.title = title.chars().take(200).collect();
        }
        let times = ["createdAtMs", "updatedAtMs"].map(|key| data.get(key).and_then(time_of));
        for (known, time) in self.times.iter_mut().zip(times) {
            *known = known.or(time);
        }
    }

    fn transcript(&mut self, line: &Map<String, Value>) {
        match (text(line, "type"), line.get("message").and_then(Value::as_object)) {
            (_, Some(message)) => {
                let mut message = message.clone();
                if let Some(role) = line.get("role") {
                    message.insert("role".to_owned(), role.clone());
                }
                self.message("", &message);
            }
            (Some("turn_ended"), None) => self.draft.beside("turn_ended"),
            (Some(other), None) => self.draft.unknown(&format!("line {}", short(other))),
            (None, None) => self.draft.unreadable(),
        }
    }

    fn message(&mut self, id: &str, message: &Map<String, Value>) {
        let role = match text(message, "role") {
            Some("system") => return self.draft.beside("system"),
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            Some(other) => return self.draft.unknown(&format!("role {}", short(other))),
            None => return self.draft.unreadable(),
        };
        let (mut said, mut put, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        let content = match message.get("content") {
            Some(Value::String(told)) => {
                self.told(role, told, &mut said, &mut put);
                &[][..]
            }
            Some(Value::Array(parts)) => parts.as_slice(),
            _ => return self.draft.unreadable(),
        };
        for part in content {
            let Some(of) = part.as_object() else {
                self.draft.unreadable();
                continue;
            };
            let get = |key: &str| text(of, key).unwrap_or_default();
            match get("type") {
                "text" => self.told(role, get("text"), &mut said, &mut put),
                "reasoning" if get("text").is_empty() => self.draft.beside("reasoning"),
                "reasoning" => {
                    let text = self.draft.text(get("text"));
                    said.push(Part::Reasoning { text, seal: None });
                }
                // Transcripts have the one, stores the other.
                "tool-call" | "tool_use" => {
                    let given = of.get("args").or_else(|| of.get("input"));
                    let name = text(of, "toolName").unwrap_or(get("name"));
                    said.push(Part::ToolCall {
                        id: short(get("toolCallId")),
                        name: short(name),
                        arguments: self.draft.text(&arguments(given)),
                        seal: None,
                    });
                }
                "tool-result" => {
                    let is_error = ["isError", "is_error"]
                        .iter()
                        .any(|key| of.get(*key) == Some(&Value::Bool(true)));
                    let text = answer(of.get("result").or_else(|| of.get("output")));
                    let (call_id, text) = (short(get("toolCallId")), self.draft.text(&text));
                    answers.push(Part::ToolResult { call_id, text, is_error, kept: None });
                }
                kind @ ("redacted-reasoning" | "image" | "file") => self.draft.beside(kind),
                other => self.draft.unknown(&format!("part {}", short(other))),
            }
        }
        let options = message.get("providerOptions").and_then(|it| it.get("cursor"));
        let model = options.and_then(Value::as_object).and_then(|it| text(it, "modelName"));
        let model = model.map(short).or_else(|| self.model.clone());
        for (role, kind, parts) in [
            (Role::User, EntryKind::Context, put),
            (role, EntryKind::Said, said),
            (Role::Tool, EntryKind::Said, answers),
        ] {
            if parts.is_empty() {
                continue;
            }
            let mut new = entry(role, kind);
            (new.key, new.parent, new.parts) = (id.to_owned(), self.tip, parts);
            new.model = model.clone().filter(|_| role == Role::Assistant);
            self.tip = self.draft.push(new).or(self.tip);
        }
    }

    /// A text; of the person's what was typed, and apart from it what the program put there.
    fn told(&mut self, role: Role, told: &str, said: &mut Vec<Part>, put: &mut Vec<Part>) {
        if role != Role::User {
            let text = self.draft.text(told);
            return said.extend((!text.is_empty()).then_some(Part::Text { text }));
        }
        let folder = told.lines().find_map(|line| Some(line.split_once(FOLDER)?.1.trim()));
        first(&mut self.folder, folder);
        let query = told.split_once("<user_query>");
        let (around, typed) = match query {
            Some((before, rest)) => {
                let typed = rest.rsplit_once("</user_query>").map_or(rest, |(typed, _)| typed);
                (before.trim(), typed.trim())
            }
            None if told.trim_start().starts_with('<') => (told.trim(), ""),
            None => ("", told),
        };
        for (text, to) in [(around, put), (typed, said)] {
            let text = self.draft.text(text);
            to.extend((!text.is_empty()).then_some(Part::Text { text }));
        }
    }
}

/// What a tool answered: a text, or texts in a list.
fn answer(result: Option<&Value>) -> String {
    match result {
        None | Some(Value::Null) => String::new(),
        Some(Value::Array(items)) => {
            let said = |item: &Value| {
                let text = item.get("text").and_then(Value::as_str);
                text.map_or_else(|| arguments(Some(item)), str::to_owned)
            };
            items.iter().map(said).collect::<Vec<_>>().join("\n")
        }
        some => arguments(some),
    }
}

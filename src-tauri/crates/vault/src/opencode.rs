//! opencode: rows of `opencode.db`, and of the databases that other channels of it keep beside that.
//!
//! A session is told as lines: its own row without what changes all the time, a line for each message and for each of its
//! parts, in the order in which opencode reads them, and what is taken back at the moment. What stands in its columns of
//! JSON is told byte for byte. Accounts, keys, secrets of shared sessions, and the log of events, which repeats every state
//! that a row ever had, are not read.
//!
//! How the database is opened says `database`. Deliberately absent: the store of single files from before version 1.2,
//! which that version takes over into the database.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::{Connection, Row};
use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::FolderError;
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{
    Agent, Entry, EntryKind, FileRole, Fold, Listing, SeenFile, Session, Stamp,
};

use crate::database::{self, bounded, has, opened};
use crate::draft::{Draft, arguments, each, entry, number, short, text};
use crate::source::{Files, Opened, Root, Rows, Source};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::Opencode,
    roots: &[Root { variable: "XDG_DATA_HOME", usual: &[".local/share"], below: &["opencode"] }],
    files: Files::of(&[("opencode*.db/*.jsonl", FileRole::Session)]),
    owner: |_| None,
    beside: None,
    goes_on: None,
    read,
    compose: None,
    rows: Some(&Databases),
};

/// Parts that say nothing of the conversation.
const SILENT: [&str; 7] =
    ["agent", "patch", "retry", "snapshot", "step-finish", "step-start", "subtask"];

/// The same of rows of sessions in the newer form.
const BESIDE: [&str; 4] = ["agent-switched", "model-switched", "shell", "system"];

/// A title that nobody gave.
const UNTITLED: [&str; 2] = ["New session - ", "Child session - "];

/// What stands before the JSON of a row in its line, in SQL; behind it stand `}` and the end of the line. The JSON itself
/// is told byte for byte, so that the length of a session is known without reading it.
const MESSAGE: &str = r#"'{"row":"message","id":' || json_quote(id) || ',"time_created":'
    || COALESCE(time_created, 'null') || ',"data":'"#;
const PART: &str = r#"'{"row":"part","id":' || json_quote(id) || ',"message_id":'
    || json_quote(message_id) || ',"data":'"#;
const NEWER: &str = r#"'{"row":"session_message","id":' || json_quote(id) || ',"type":'
    || json_quote(type) || ',"time_created":' || COALESCE(time_created, 'null') || ',"data":'"#;
const REVERT: &str = r#"'{"row":"revert","data":'"#;

/// The line of a session itself, without what changes at every word.
const SESSION: &str = "json_object('row', 'session', 'id', id, 'parent_id', parent_id, \
     'directory', directory, 'title', title, 'version', version, 'time_created', time_created)";

/// The tables that a session has rows in, not all of which every version has, each with what stands before its JSON.
const TABLES: [(&str, &str); 3] =
    [("message", MESSAGE), ("part", PART), ("session_message", NEWER)];

/// All channels' databases of a person.
struct Databases;

impl Rows for Databases {
    fn list(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        let mut listing = Listing::default();
        let Ok(entries) = fs::read_dir(root) else { return Ok(listing) };
        for name in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
            if !(name.starts_with("opencode") && name.ends_with(".db")) {
                continue;
            }
            match opened(&root.join(&name))
                .and_then(|db| stamps(&db, None).map_err(io::Error::other))
            {
                Ok(sessions) => listing.files.extend(
                    sessions
                        .into_iter()
                        .map(|(id, stamp)| SeenFile { path: format!("{name}/{id}.jsonl"), stamp }),
                ),
                Err(_) => listing.skipped.push(name),
            }
            if !go_on(listing.files.len() as u64) {
                return Err(FolderError::Cancelled);
            }
        }
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    fn open(&self, root: &Path, path: &str) -> io::Result<Option<Opened>> {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (name, file) = path.split_once('/').ok_or_else(gone)?;
        let id = file.strip_suffix(".jsonl").ok_or_else(gone)?;
        let mut db = opened(&root.join(name))?;
        // One state of it, however much is written meanwhile.
        let state = db.transaction().map_err(io::Error::other)?;
        let (_, stamp) =
            stamps(&state, Some(id)).map_err(io::Error::other)?.pop().ok_or_else(gone)?;
        bounded(stamp.bytes)?;
        Ok(Some((lines(&state, id).map_err(io::Error::other)?, stamp)))
    }
}

fn stamps(db: &Connection, of: Option<&str>) -> rusqlite::Result<Vec<(String, Stamp)>> {
    let mut bytes = format!(
        "octet_length({SESSION}) + 1 + COALESCE(octet_length({REVERT}) + octet_length(revert) + 2, 0)"
    );
    let mut modified = String::from("time_updated");
    for (table, before) in TABLES {
        if has(db, table)? {
            let rows = format!("FROM {table} WHERE session_id = session.id");
            bytes.push_str(&format!(
                " + COALESCE((SELECT SUM(octet_length({before}) + COALESCE(octet_length(data), 4) + 2) {rows}), 0)"
            ));
            modified.push_str(&format!(", COALESCE((SELECT MAX(time_updated) {rows}), 0)"));
        }
    }
    let mut statement = db.prepare(&format!(
        "SELECT id, {bytes}, MAX({modified}, 0) FROM session WHERE ?1 IS NULL OR id = ?1"
    ))?;
    let rows = statement.query_map([of], |row| {
        let modified = Timestamp::from_millisecond(row.get(2)?).unwrap_or_default();
        Ok((row.get(0)?, Stamp { bytes: row.get::<_, i64>(1)?.unsigned_abs(), modified }))
    })?;
    rows.collect()
}

/// A session as text.
fn lines(db: &Connection, id: &str) -> rusqlite::Result<Vec<u8>> {
    let session = format!("SELECT {SESSION} FROM session WHERE id = ?1");
    let mut lines =
        db.query_row(&session, [id], |row| Ok(row.get::<_, String>(0)?.into_bytes()))?;
    lines.push(b'\n');
    let mut parts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let of = format!("SELECT {PART}, data, message_id FROM part WHERE session_id = ?1 ORDER BY id");
    let mut find = db.prepare(&of)?;
    let mut rows = find.query([id])?;
    while let Some(row) = rows.next()? {
        line(parts.entry(row.get(2)?).or_default(), row)?;
    }
    let of = "FROM message WHERE session_id = ?1 ORDER BY time_created, id";
    let mut find = db.prepare(&format!("SELECT {MESSAGE}, data, id {of}"))?;
    let mut rows = find.query([id])?;
    while let Some(row) = rows.next()? {
        line(&mut lines, row)?;
        lines.append(&mut parts.remove(&row.get::<_, String>(2)?).unwrap_or_default());
    }
    parts.into_values().for_each(|mut of_none| lines.append(&mut of_none));
    if has(db, "session_message")? {
        let of = "FROM session_message WHERE session_id = ?1 ORDER BY seq";
        let mut find = db.prepare(&format!("SELECT {NEWER}, data {of}"))?;
        let mut rows = find.query([id])?;
        while let Some(row) = rows.next()? {
            line(&mut lines, row)?;
        }
    }
    let of = format!("SELECT {REVERT}, revert FROM session WHERE id = ?1 AND revert IS NOT NULL");
    let mut find = db.prepare(&of)?;
    let mut rows = find.query([id])?;
    while let Some(row) = rows.next()? {
        line(&mut lines, row)?;
    }
    Ok(lines)
}

/// Adds the line of a row: what stands before its JSON, and that.
fn line(to: &mut Vec<u8>, row: &Row<'_>) -> rusqlite::Result<()> {
    database::line(to, row.get_ref(0)?.as_str()?, row.get_ref(1)?);
    Ok(())
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let draft = draft.named(path, ".jsonl");
    let mut reading = Reading { draft, ..Reading::default() };
    each(bytes, &mut reading, |it| &mut it.draft, Reading::record)?;
    reading.close();
    Ok(reading.draft.done())
}

type Fields = Map<String, Value>;

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// A message whose parts come now.
    open: Option<(Fields, Vec<Fields>)>,
    /// What was said last.
    tip: Option<usize>,
    /// The first entry of each message.
    firsts: HashMap<String, usize>,
    /// What was asked for by the message before the summary that answers it.
    compaction: Option<Fold>,
    /// Tokens of the last request and its reply.
    context: Option<u64>,
}

impl Reading {
    fn record(&mut self, mut record: Fields) {
        let row = text(&record, "row").unwrap_or_default().to_owned();
        if row != "part" {
            self.close();
        }
        if self.draft.passes_over() {
            return;
        }
        if row == "session" {
            return self.named(&record);
        }
        let Some(Value::Object(data)) = record.remove("data") else {
            return self.draft.unreadable();
        };
        match (row.as_str(), &mut self.open) {
            ("message", open) => {
                record.insert("data".to_owned(), Value::Object(data));
                *open = Some((record, Vec::new()));
            }
            ("part", Some((message, parts))) if message["id"] == record["message_id"] => {
                parts.push(data);
            }
            ("part", _) => self.draft.beside("part without a message"),
            ("session_message", _) => self.newer(&record, &data),
            ("revert", _) => {
                self.draft.beside("revert");
                let to = text(&data, "messageID").and_then(|id| self.firsts.get(id));
                if let Some(first) = to {
                    let session = &mut self.draft.session;
                    session.leaf = session.entries[*first].parent;
                }
            }
            (other, _) => self.draft.unknown(&format!("row {}", short(other))),
        }
    }

    /// All parts of the open message were there.
    fn close(&mut self) {
        if let Some((message, parts)) = self.open.take() {
            match message["data"].as_object() {
                Some(data) => self.message(&message, data, &parts),
                None => self.draft.unreadable(),
            }
        }
    }

    fn named(&mut self, said: &Fields) {
        self.draft.beside("session");
        let session = &mut self.draft.session;
        if let Some(id) = text(said, "id") {
            session.id = short(id);
        }
        session.parent = text(said, "parent_id").map(short);
        session.folder = text(said, "directory").map(str::to_owned);
        let title = text(said, "title").unwrap_or_default();
        if !UNTITLED.iter().any(|untitled| title.starts_with(untitled)) {
            session.title = title.chars().take(200).collect();
        }
    }

    fn message(&mut self, record: &Fields, data: &Fields, parts: &[Fields]) {
        let id = text(record, "id").map(short).unwrap_or_default();
        let at = record.get("time_created").and_then(Value::as_i64);
        let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
        let role = match text(data, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return self.draft.unreadable(),
        };
        if data.contains_key("error") {
            self.draft.beside("error");
        }
        let (mut said, mut put, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let kind = text(part, "type").unwrap_or_default();
            if kind == "compaction" {
                let automatic = part.get("auto").and_then(Value::as_bool);
                let carried = self.carried(text(part, "tail_start_id"));
                let (before, after) = (self.context, None);
                self.compaction = Some(Fold { automatic, before, after, carried });
                continue;
            }
            let is_put =
                ["synthetic", "ignored"].iter().any(|it| part.get(*it) == Some(&Value::Bool(true)));
            let to = if is_put && role == Role::User { &mut put } else { &mut said };
            self.part(kind, part, to, &mut answers);
        }
        let model = text(data, "modelID").filter(|_| role == Role::Assistant).map(short);
        if role == Role::Assistant {
            self.tokens(data);
        }
        let mut kind = EntryKind::Said;
        let is_summary = data.get("summary") == Some(&Value::Bool(true));
        if role == Role::Assistant && is_summary && !said.is_empty() {
            kind = EntryKind::Fold(self.compaction.take().unwrap_or_default());
        }
        // A summary stands for what was asked of the model, whoever wrote it.
        let role = if matches!(kind, EntryKind::Fold(_)) { Role::User } else { role };
        for (role, kind, parts) in [
            (role, kind, said),
            (Role::User, EntryKind::Context, put),
            (Role::Tool, EntryKind::Said, answers),
        ] {
            let mut new = entry(role, kind);
            (new.key, new.at, new.parts) = (id.clone(), at, parts);
            new.model = model.clone().filter(|_| role == Role::Assistant);
            self.add(new, &id);
        }
    }

    fn add(&mut self, mut new: Entry, id: &str) {
        if new.parts.is_empty() {
            return;
        }
        new.parent = self.tip;
        if let Some(at) = self.draft.push(new) {
            self.tip = Some(at);
            self.firsts.entry(id.to_owned()).or_insert(at);
        }
    }

    /// What goes on word for word after a compaction: everything from this message on.
    fn carried(&mut self, from: Option<&str>) -> Vec<String> {
        let Some(first) = from.and_then(|id| self.firsts.get(id)).copied() else {
            return Vec::new();
        };
        let said = &self.draft.session.entries[first..];
        let texts: Vec<String> = said.iter().map(Entry::text).collect();
        texts.iter().map(|text| self.draft.text(text)).collect()
    }

    fn part(&mut self, kind: &str, part: &Fields, said: &mut Vec<Part>, answers: &mut Vec<Part>) {
        match kind {
            "text" => {
                let text = self.draft.text(text(part, "text").unwrap_or_default());
                said.extend((!text.is_empty()).then_some(Part::Text { text }));
            }
            "reasoning" => {
                let text = self.draft.text(text(part, "text").unwrap_or_default());
                said.extend((!text.is_empty()).then_some(Part::Reasoning { text, seal: None }));
            }
            "tool" => {
                let state =
                    part.get("state").and_then(Value::as_object).cloned().unwrap_or_default();
                let (id, name) = (text(part, "callID"), text(part, "tool"));
                let answer = text(&state, "error").or_else(|| text(&state, "output"));
                self.call([id, name], &state, answer, said, answers);
            }
            "file" => {
                let url = text(part, "url").unwrap_or_default();
                match url.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,")) {
                    Some((kind, data)) => {
                        said.extend(self.draft.picture(data, &format!("image/{kind}")));
                    }
                    None => self.draft.beside("file"),
                }
            }
            silent if SILENT.contains(&silent) => self.draft.beside(silent),
            other => self.draft.unknown(&format!("part {}", short(other))),
        }
    }

    /// A call, and what answered it where anything did.
    fn call(
        &mut self,
        [id, name]: [Option<&str>; 2],
        state: &Fields,
        answer: Option<&str>,
        said: &mut Vec<Part>,
        answers: &mut Vec<Part>,
    ) {
        let id = short(id.unwrap_or_default());
        said.push(Part::ToolCall {
            id: id.clone(),
            name: short(name.unwrap_or_default()),
            arguments: self.draft.text(&arguments(state.get("input"))),
            seal: None,
        });
        let status = text(state, "status").unwrap_or_default();
        if matches!(status, "completed" | "error") {
            let text = self.draft.text(answer.unwrap_or_default());
            let is_error = status == "error";
            answers.push(Part::ToolResult { call_id: id, text, is_error, kept: None });
        }
    }

    /// A row of a session in the form that the newer interface writes.
    fn newer(&mut self, record: &Fields, data: &Fields) {
        let kind = text(record, "type").unwrap_or_default();
        let id = text(record, "id").map(short).unwrap_or_default();
        let at = record.get("time_created").and_then(Value::as_i64);
        let (mut said, mut answers) = (Vec::new(), Vec::new());
        let (role, kind) = match kind {
            "user" => (Role::User, EntryKind::Said),
            "synthetic" => (Role::User, EntryKind::Context),
            "compaction" => {
                let automatic = text(data, "reason").map(|reason| reason == "auto");
                let before = self.context.take();
                (Role::User, EntryKind::Fold(Fold { automatic, before, ..Fold::default() }))
            }
            "assistant" => (Role::Assistant, EntryKind::Said),
            beside if BESIDE.contains(&beside) => return self.draft.beside(beside),
            other => return self.draft.unknown(&format!("entry {}", short(other))),
        };
        if let Some(words) = text(data, "text").or_else(|| text(data, "summary")) {
            said.push(Part::Text { text: self.draft.text(words) });
        }
        let content = data.get("content").and_then(Value::as_array);
        for part in content.into_iter().flatten().filter_map(Value::as_object) {
            match text(part, "type").unwrap_or_default() {
                "tool" => {
                    let state = part.get("state").and_then(Value::as_object).cloned();
                    let state = state.unwrap_or_default();
                    let answer = answered(&state);
                    let names = [text(part, "id"), text(part, "name")];
                    self.call(names, &state, Some(&answer), &mut said, &mut answers);
                }
                kind => self.part(kind, part, &mut said, &mut answers),
            }
        }
        let mut model = None;
        if role == Role::Assistant {
            self.tokens(data);
            let named = data.get("model").and_then(Value::as_object);
            model = named.and_then(|model| text(model, "id")).map(short);
        }
        for (role, kind, parts) in [(role, kind, said), (Role::Tool, EntryKind::Said, answers)] {
            let mut new = entry(role, kind);
            new.key = id.clone();
            new.at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
            new.model = model.clone().filter(|_| role == Role::Assistant);
            new.parts = parts;
            self.add(new, &id);
        }
    }

    /// Tokens of a reply. A fork repeats what was counted before it, with the times of then.
    fn tokens(&mut self, data: &Fields) {
        let Some(tokens) = data.get("tokens") else { return };
        let (read, write) = (number(&tokens["cache"], "read"), number(&tokens["cache"], "write"));
        let (output, reasoning) = (number(tokens, "output"), number(tokens, "reasoning"));
        let input = number(tokens, "input") + read + write;
        // Earlier versions count thoughts with the output. The total tells, where it is there.
        let apart =
            tokens.get("total").and_then(Value::as_u64).is_none_or(|total| total != input + output);
        let usage = Usage {
            input_tokens: input,
            output_tokens: if apart { output + reasoning } else { output },
            cached_input_tokens: read,
            cache_write_tokens: write,
            exact: true,
        };
        let times = data.get("time").map(Value::to_string).unwrap_or_default();
        if input + output > 0 {
            self.context = Some(usage.input_tokens + usage.output_tokens);
            self.draft.count(times, usage);
        }
    }
}

/// What a tool answered in the newer form: texts, else what it gave to the program, else why it failed.
fn answered(state: &Fields) -> String {
    let content = state.get("content").and_then(Value::as_array);
    let texts: Vec<&str> = content
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("text").and_then(Value::as_str))
        .collect();
    let given = state.get("structured").and_then(Value::as_object);
    let given = given.and_then(|given| text(given, "content"));
    let failed = state.get("error").and_then(Value::as_object);
    let failed = failed.and_then(|error| text(error, "message"));
    match texts.is_empty() {
        false => texts.join("\n"),
        true => given.or(failed).unwrap_or_default().to_owned(),
    }
}

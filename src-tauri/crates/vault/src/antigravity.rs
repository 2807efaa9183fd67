//! Antigravity, the editor and the command line `agy`: a folder for each conversation in `brain`, and its database in
//! `conversations`.
//!
//! What was said stands as lines in two logs: a whole one, which may begin late, and one with long texts cut short in the
//! middle. The whole one is read, with what only the other has; the other one where it is alone. A line is a step with a
//! number. Lines may come late, and are put back in their places as far as [`HELD`]; a line that takes a place which is
//! taken already is a rewind: what was there stays as a branch. Results do not say which call they answer: they follow the
//! step that made it, in the order of its calls.
//!
//! The database is kept as lines of its tables. Its values are messages without a schema; of them the folder and the tokens
//! of each step are read, by the numbers that these fields have.
//!
//! This was written from what other programs read of these files, and was never run against an `agy` that is alive: no
//! registry has it.
//!
//! Deliberately absent: conversations of versions that encrypt them (`.pb`), titles and lists that are kept for all
//! conversations together, whose subagent a conversation is, branches of git, and pictures.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, Read};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value, json};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::FolderError;
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{Agent, EntryKind, FileRole, Fold, Listing, SeenFile, Session};

use crate::database::{bounded, has, opened, stamp_of};
use crate::draft::{self, Draft, arguments, each, entry, first, short, text, time};
use crate::lines::record;
use crate::protobuf;
use crate::source::{Files, Opened, Root, Rows, Source, walk};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::Antigravity,
    roots: &[Root {
        variable: "",
        usual: &[".gemini"],
        below: &["antigravity-cli", "antigravity-ide", "antigravity"],
    }],
    files: Files::of(&[
        ("brain/*/.system_generated/logs/transcript_full.jsonl", FileRole::Session),
        ("brain/*/.system_generated/logs/transcript.jsonl", FileRole::Session),
        ("brain/*/.system_generated/messages/*.json", FileRole::Output),
        ("brain/*/.system_generated/steps/*/*", FileRole::Output),
        ("brain/*/.system_generated/tasks/*.log", FileRole::Output),
        ("brain/*/*.md", FileRole::Output),
        ("conversations/*.db/*.jsonl", FileRole::Output),
        ("history.jsonl", FileRole::Beside),
    ]),
    owner,
    beside: Some(beside),
    goes_on: None,
    read,
    compose: None,
    rows: Some(&Conversations),
};

/// Both logs of a conversation.
const WHOLE: &str = "/transcript_full.jsonl";
const SHORT: &str = "/transcript.jsonl";

/// Most files lie in so many folders.
const DEEPEST: usize = 4;

/// How many steps a line may come late. Four were seen.
const HELD: usize = 64;

/// Longest line that waits for others, by its texts: all that wait are in memory.
const LONG: usize = 256 << 10;

/// A file of lines that a database is told as, with its tables and the columns that are told, or those that are not.
type Telling = (&'static str, &'static [&'static str], Columns);

enum Columns {
    All,
    Only(&'static [&'static str]),
    But(&'static [&'static str]),
}

/// What is read of the database, and beside it what is only kept. Each table but the first grows at its end.
const TOLD: [Telling; 4] = [
    (
        ABOUT,
        &[
            "trajectory_meta",
            "trajectory_metadata_blob",
            "parent_references",
            "executor_metadata",
            "battle_mode_infos",
        ],
        Columns::All,
    ),
    (STEPS, &["steps"], Columns::Only(&["idx", "step_type", "status", "metadata"])),
    ("payloads.jsonl", &["steps"], Columns::But(&["step_type", "status", "metadata"])),
    ("generations.jsonl", &["gen_metadata"], Columns::All),
];

const ABOUT: &str = "about.jsonl";
const STEPS: &str = "steps.jsonl";

/// Fields in a conversation's own message: the folder, and in older ones a message that begins with it.
const FOLDER: u64 = 7;
const WORKSPACE: u64 = 1;

/// The field with the tokens in the message of a step, and the fields in that: asked anew, answered with thoughts, written
/// to the cache, found there.
const USAGE: u64 = 9;
const INPUT: u64 = 2;
const OUTPUT: u64 = 3;
const CACHE_WRITE: u64 = 4;
const CACHE_READ: u64 = 5;

/// Around what the person typed.
const TYPED: [&str; 2] = ["<USER_REQUEST>", "</USER_REQUEST>"];

/// Stands before the model's name where it is told that the person changed it.
const MODEL: &str = "`Model Selection` from ";

/// How the first lines of a result begin that say when it was made.
const TIMES: [&str; 2] = ["Created At: ", "Completed At: "];

/// How a result tells that a command failed, before a number that is not 0.
const EXITED: &str = "exited with code ";

/// Results whose kind says which calls they answer; others answer the next one.
const ANSWERS: [(&str, &[&str]); 7] = [
    ("CODE_ACTION", &["write_to_file", "replace_file_content", "multi_replace_file_content"]),
    ("GENERATE_IMAGE", &["generate_image"]),
    ("GREP_SEARCH", &["grep_search"]),
    ("LIST_DIRECTORY", &["list_dir"]),
    ("RUN_COMMAND", &["run_command"]),
    ("SEARCH_WEB", &["search_web"]),
    ("VIEW_FILE", &["view_file"]),
];

/// The conversation in whose folder, or database, a file lies.
fn owner_of(path: &str) -> Option<&str> {
    let names: Vec<&str> = path.split('/').collect();
    match names[..] {
        ["brain", id, ..] => Some(id),
        ["conversations", database, _] => database.strip_suffix(".db"),
        _ => None,
    }
}

fn owner(path: &str) -> Option<String> {
    owner_of(path).map(str::to_owned)
}

fn beside(path: &str) -> Vec<String> {
    let (folder, other) = match (path.strip_suffix(WHOLE), path.strip_suffix(SHORT)) {
        (Some(folder), _) => (folder, SHORT),
        (None, Some(folder)) => (folder, WHOLE),
        (None, None) => return Vec::new(),
    };
    let mut beside = vec![format!("{folder}{other}")];
    if let Some(id) = owner_of(path) {
        beside.extend([ABOUT, STEPS].map(|file| format!("conversations/{id}.db/{file}")));
    }
    beside
}

/// Databases of conversations, and the files of their folders.
struct Conversations;

impl Rows for Conversations {
    fn list(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        let is_database = |path: &str| database_of(path).is_some();
        let databases = walk(root, ["conversations"], &is_database, 1, go_on)?;
        let fits = |path: &str| SOURCE.role(path).is_some();
        let mut listing = walk(root, ["brain", "history.jsonl"], &fits, DEEPEST, go_on)?;
        listing.skipped.extend(databases.skipped);
        for SeenFile { path, .. } in databases.files {
            match stamp_of(&root.join(&path)) {
                Ok(stamp) => listing.files.extend(
                    TOLD.map(|(file, ..)| SeenFile { path: format!("{path}/{file}"), stamp }),
                ),
                Err(_) => listing.skipped.push(path),
            }
        }
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    fn open(&self, root: &Path, path: &str) -> io::Result<Option<Opened>> {
        let Some((database, file)) =
            path.rsplit_once('/').filter(|(database, _)| database_of(database).is_some())
        else {
            return Ok(None);
        };
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (_, tables, columns) = TOLD.iter().find(|(told, ..)| *told == file).ok_or_else(gone)?;
        let whole = root.join(database);
        // Before anything is read: what is written meanwhile gives another one.
        let stamp = stamp_of(&whole)?;
        // In base64 it is a third longer.
        bounded(stamp.bytes.saturating_mul(4) / 3)?;
        let mut db = opened(&whole)?;
        let state = db.transaction().map_err(io::Error::other)?;
        let mut told = Vec::new();
        for table in *tables {
            lines(&state, table, columns, &mut told).map_err(io::Error::other)?;
        }
        Ok(Some((told, stamp)))
    }
}

/// The conversation whose database is at this path.
fn database_of(path: &str) -> Option<&str> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["conversations", name] => name.strip_suffix(".db"),
        _ => None,
    }
}

/// A table as lines, a row each, with what is no text or number in base64.
fn lines(
    db: &Connection,
    table: &str,
    columns: &Columns,
    told: &mut Vec<u8>,
) -> rusqlite::Result<()> {
    if !has(db, table)? {
        return Ok(());
    }
    let mut find = db.prepare(&format!("SELECT * FROM {table} ORDER BY rowid"))?;
    let names: Vec<String> = find.column_names().into_iter().map(str::to_owned).collect();
    let is_told = |name: &str| match columns {
        Columns::All => true,
        Columns::Only(these) => these.contains(&name),
        Columns::But(these) => !these.contains(&name),
    };
    let mut rows = find.query([])?;
    while let Some(row) = rows.next()? {
        let mut line = Map::new();
        line.insert("table".to_owned(), table.into());
        for (at, name) in names.iter().enumerate().filter(|(_, name)| is_told(name)) {
            let value = match row.get_ref(at)? {
                ValueRef::Null => continue,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                ValueRef::Blob(bytes) => json!({ "base64": STANDARD.encode(bytes) }),
            };
            line.insert(name.clone(), value);
        }
        told.extend_from_slice(Value::Object(line).to_string().as_bytes());
        told.push(b'\n');
    }
    Ok(())
}

/// The bytes in a column of a line.
fn blob(line: &Map<String, Value>, column: &str) -> Option<Vec<u8>> {
    STANDARD.decode(line.get(column)?.get("base64")?.as_str()?).ok()
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let mut reading = Reading { draft, ..Reading::default() };
    let id = owner_of(path).unwrap_or(path);
    reading.draft.session.id = short(id);
    // A whole log that is too long to be read beside this one is there, too.
    if let Some(whole) = reading.draft.taken(WHOLE)
        && whole.is_none_or(|whole| !whole.is_empty())
    {
        reading.draft.beside("the same in transcript_full.jsonl");
        return Ok(reading.draft.done());
    }
    reading.database(id);
    if path.ends_with(SHORT) {
        each(bytes, &mut reading, |it| &mut it.draft, |it, line| it.line(line, true))?;
    } else {
        let short = reading.draft.taken(SHORT).flatten().unwrap_or_default();
        let mut other = Other::of(&short);
        each(
            bytes,
            &mut reading,
            |it| &mut it.draft,
            |it, line| {
                other.before(&line).into_iter().for_each(|line| it.line(line, true));
                it.line(line, false);
            },
        )?;
        other.rest().into_iter().for_each(|line| reading.line(line, true));
    }
    Ok(reading.done())
}

/// What a line is known by in both logs.
type Key = (Option<u64>, String, String);

fn key_of(line: &Map<String, Value>) -> Key {
    let get = |key: &str| text(line, key).unwrap_or_default().to_owned();
    (step_of(line), get("type"), get("created_at"))
}

fn step_of(line: &Map<String, Value>) -> Option<u64> {
    line.get("step_index").and_then(Value::as_u64)
}

/// The log with short texts, beside the one that is read.
struct Other<'t> {
    lines: Vec<&'t [u8]>,
    places: HashMap<Key, VecDeque<usize>>,
    next: usize,
}

impl<'t> Other<'t> {
    fn of(text: &'t [u8]) -> Self {
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let mut places: HashMap<Key, VecDeque<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            if let Some(line) = record(line) {
                places.entry(key_of(&line)).or_default().push_back(at);
            }
        }
        Self { lines, places, next: 0 }
    }

    /// What stands before this line there and not in the log that is read.
    fn before(&mut self, line: &Map<String, Value>) -> Vec<Map<String, Value>> {
        let at = self.places.get_mut(&key_of(line)).and_then(VecDeque::pop_front);
        let Some(at) = at.filter(|at| *at >= self.next) else { return Vec::new() };
        let before = self.lines[self.next..at].iter().filter_map(|line| record(line)).collect();
        self.next = at + 1;
        before
    }

    fn rest(self) -> Vec<Map<String, Value>> {
        self.lines[self.next..].iter().filter_map(|line| record(line)).collect()
    }
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// Lines that wait for those before them, by step and by the order in which they came, each with whether its texts may be
    /// short.
    held: BTreeMap<(u64, u64), (Map<String, Value>, bool)>,
    /// How many lines came.
    came: u64,
    /// The step of the line before.
    before: u64,
    /// What was said last after each step that is read.
    ends: BTreeMap<u64, Option<usize>>,
    /// What was said last.
    tip: Option<usize>,
    /// The model that answers.
    model: Option<String>,
    /// Calls of the last step that are not answered yet, by id and name.
    open: Vec<(String, String)>,
}

impl Reading {
    /// What is read of the database of this conversation.
    fn database(&mut self, id: &str) {
        for line in self.rows(ABOUT) {
            let data = blob(&line, "data").unwrap_or_default();
            let own = protobuf::bytes(&data, FOLDER);
            let within = protobuf::bytes(&data, WORKSPACE);
            let folder = own.or_else(|| protobuf::bytes(within?, 1));
            let folder = folder.and_then(|it| std::str::from_utf8(it).ok()).and_then(draft::folder);
            if text(&line, "table") == Some("trajectory_metadata_blob") {
                first(&mut self.draft.session.folder, folder.as_deref());
            }
        }
        for line in self.rows(STEPS) {
            let data = blob(&line, "metadata").unwrap_or_default();
            let step = line.get("idx").and_then(Value::as_u64);
            let (Some(step), Some(told)) = (step, protobuf::bytes(&data, USAGE)) else { continue };
            let count = |field| protobuf::number(told, field);
            let (read, write) = (count(CACHE_READ), count(CACHE_WRITE));
            let usage = Usage {
                input_tokens: count(INPUT).saturating_add(read).saturating_add(write),
                output_tokens: count(OUTPUT),
                cached_input_tokens: read,
                cache_write_tokens: write,
                exact: true,
            };
            self.draft.count(format!("{id}/{step}"), usage);
        }
    }

    /// The lines of a table beside the session.
    fn rows(&mut self, file: &str) -> Vec<Map<String, Value>> {
        let text = self.draft.taken(file).flatten().unwrap_or_default();
        text.split(|byte| *byte == b'\n').filter_map(record).collect()
    }

    fn line(&mut self, line: Map<String, Value>, is_short: bool) {
        if self.draft.passes_over() {
            return;
        }
        let step = step_of(&line).unwrap_or(self.before);
        let is_taken = self.ends.contains_key(&step)
            || self.held.range((step, 0)..=(step, u64::MAX)).next().is_some();
        if step < self.before && is_taken {
            self.rewind(step);
        }
        (self.before, self.came) = (step, self.came + 1);
        let most = if line.values().map(weight).sum::<usize>() > LONG { 0 } else { HELD };
        self.held.insert((step, self.came), (line, is_short));
        while self.held.len() > most {
            self.next();
        }
    }

    /// What is said now takes the place of this step and of all after it.
    fn rewind(&mut self, step: u64) {
        while !self.held.is_empty() {
            self.next();
        }
        self.draft.beside("rewind");
        self.ends.split_off(&step);
        self.tip = self.ends.last_key_value().and_then(|(_, tip)| *tip);
        self.open.clear();
    }

    fn next(&mut self) {
        if let Some(((step, _), (line, is_short))) = self.held.pop_first() {
            self.step(step, &line, is_short);
            self.ends.insert(step, self.tip);
        }
    }

    fn step(&mut self, step: u64, line: &Map<String, Value>, is_short: bool) {
        let content = text(line, "content").unwrap_or_default();
        match (text(line, "type"), text(line, "source").unwrap_or_default()) {
            (None, _) => self.draft.unreadable(),
            (Some("USER_INPUT"), _) => self.typed(step, line, content),
            (Some("PLANNER_RESPONSE"), _) => self.answered(step, line, content, is_short),
            (Some("CHECKPOINT"), _) if !content.is_empty() => {
                let kind = EntryKind::Fold(Fold::default());
                self.say(step, line, Role::User, kind, content);
            }
            (Some(kind), "SYSTEM" | "SYSTEM_SDK") if content.is_empty() => self.draft.beside(kind),
            (Some(_), "SYSTEM" | "SYSTEM_SDK") => {
                self.say(step, line, Role::User, EntryKind::Context, content);
            }
            // The kinds of results grow in number.
            (Some(kind), "MODEL" | "TOOL") => self.result(step, line, kind, content),
            (Some(kind), _) => self.draft.unknown(kind),
        }
    }

    /// Adds a text, said or put there.
    fn say(
        &mut self,
        step: u64,
        line: &Map<String, Value>,
        role: Role,
        kind: EntryKind,
        said: &str,
    ) {
        let text = self.draft.text(said);
        self.push(step, line, role, kind, vec![Part::Text { text }]);
    }

    fn push(
        &mut self,
        step: u64,
        line: &Map<String, Value>,
        role: Role,
        kind: EntryKind,
        parts: Vec<Part>,
    ) {
        let mut new = entry(role, kind);
        (new.key, new.parent, new.parts) = (step.to_string(), self.tip, parts);
        new.at = time(line, "created_at");
        new.model = self.model.clone().filter(|_| role == Role::Assistant);
        self.tip = self.draft.push(new).or(self.tip);
    }

    /// What the person typed, and apart from it what the program put around it.
    fn typed(&mut self, step: u64, line: &Map<String, Value>, content: &str) {
        let [begins, ends] = TYPED;
        let typed = content.split_once(begins).and_then(|(before, rest)| {
            let (typed, after) = rest.rsplit_once(ends)?;
            Some((typed, format!("{before}{after}")))
        });
        let (typed, put) = typed.unwrap_or((content, String::new()));
        if let Some((_, change)) = put.split_once(MODEL)
            && let Some((_, model)) = change.split_once(" to ")
        {
            // The point that ends the sentence, and not one in the name.
            let end = model.find(['\n', '<']).unwrap_or(model.len());
            let end = model[..end].find(". ").unwrap_or(end);
            let model = model[..end].trim().trim_end_matches('.');
            self.model = Some(short(model)).filter(|model| !model.is_empty());
        }
        let put = put.trim();
        if !put.is_empty() {
            self.say(step, line, Role::User, EntryKind::Context, put);
        }
        self.say(step, line, Role::User, EntryKind::Said, typed.trim());
        self.open.clear();
    }

    /// What the model thought, said and called.
    fn answered(&mut self, step: u64, line: &Map<String, Value>, content: &str, is_short: bool) {
        self.open.clear();
        let mut parts = Vec::new();
        if let Some(thought) = text(line, "thinking").filter(|thought| !thought.is_empty()) {
            parts.push(Part::Reasoning { text: self.draft.text(thought), seal: None });
        }
        if !content.is_empty() {
            parts.push(Part::Text { text: self.draft.text(content) });
        }
        let calls = line.get("tool_calls").and_then(Value::as_array);
        for (at, call) in calls.into_iter().flatten().enumerate() {
            let Some(name) = call.get("name").and_then(Value::as_str) else {
                self.draft.unreadable();
                continue;
            };
            let mut given = call.get("args").cloned();
            if let Some(given) = given.as_mut().and_then(Value::as_object_mut) {
                // There each value is a text of JSON.
                given.values_mut().filter(|_| is_short).for_each(unpack);
                let folder = given.get("Cwd").and_then(Value::as_str);
                first(&mut self.draft.session.folder, folder);
            }
            let (id, name) = (format!("{step}/{at}"), short(name));
            self.open.push((id.clone(), name.clone()));
            let arguments = self.draft.text(&arguments(given.as_ref()));
            parts.push(Part::ToolCall { id, name, arguments, seal: None });
        }
        match parts.is_empty() {
            true => self.draft.beside("PLANNER_RESPONSE"),
            false => self.push(step, line, Role::Assistant, EntryKind::Said, parts),
        }
    }

    fn result(&mut self, step: u64, line: &Map<String, Value>, kind: &str, content: &str) {
        let names = ANSWERS.iter().find(|(known, _)| *known == kind).map(|(_, names)| *names);
        let of = |(_, name): &(String, String)| names.is_some_and(|it| it.contains(&name.as_str()));
        let at = self.open.iter().position(of).unwrap_or_default();
        let mut said = content;
        while let Some((line, rest)) = said.split_once('\n')
            && TIMES.iter().any(|time| line.starts_with(time))
        {
            said = rest;
        }
        let said = said.trim_matches('\n');
        if self.open.is_empty() {
            return self.say(step, line, Role::User, EntryKind::Context, said);
        }
        let (call_id, _) = self.open.remove(at);
        let status = text(line, "status").unwrap_or("DONE");
        let exited = said.split_once(EXITED).and_then(|(_, code)| code.chars().next());
        let is_error = !["DONE", "RUNNING", "PENDING"].contains(&status)
            || line.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0)
            || exited.is_some_and(|code| matches!(code, '1'..='9' | '-'));
        let text = self.draft.text(said);
        let result = Part::ToolResult { call_id, text, is_error, kept: None };
        self.push(step, line, Role::Tool, EntryKind::Said, vec![result]);
    }

    fn done(mut self) -> Session {
        while !self.held.is_empty() {
            self.next();
        }
        self.draft.session.leaf = self.tip;
        self.draft.done()
    }
}

/// What a value takes of memory, roughly.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(|value| 32 + weight(value)).sum(),
        Value::Object(values) => {
            values.iter().map(|(key, value)| 64 + key.len() + weight(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// A value out of a text of JSON that holds it.
fn unpack(value: &mut Value) {
    let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    if let Some(inner) = inner {
        *value = inner;
    }
}

//! Cursor: conversations in `globalStorage/state.vscdb` of the editor, which are rows under keys; those of its command line
//! and the transcripts of both are in `cursor_cli`.
//!
//! A session is told as lines: the row of the conversation, its messages ("bubbles") in the order in which it names them,
//! those that it names no more in the order in which they were written, then what the index of conversations and the
//! folder of its window say of it, and whose subagent it is where another conversation says that alone. Values are told
//! byte for byte. Keys are asked for by ranges: the file may have gigabytes, and most of it is something else.
//!
//! This was written from what other programs read of these files, and was never run against a Cursor that is alive.
//!
//! Deliberately absent: checkpoints, texts of files and differences of them; messages of a conversation whose own row is
//! gone; chats of before 2025, which the databases of workspaces have, and what those say of folders; the contents of
//! attached pictures; costs, which are told for a conversation as a whole.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::FolderError;
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{
    Agent, Entry, EntryKind, FileRole, Fold, Listing, SeenFile, Session, Stamp,
};

use crate::cursor_cli;
use crate::database::{bounded, has, line, opened};
use crate::draft::{Draft, arguments, each, entry, first, folder, number, short, text, timed};
use crate::lines::{MAX_LINE, record};
use crate::source::{Files, Opened, Root, Rows, SETTINGS, Source};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::Cursor,
    roots: &[
        Root { variable: SETTINGS.0, usual: &[SETTINGS.1], below: &["Cursor/User"] },
        Root { variable: "CURSOR_DATA_DIR", usual: &[".cursor"], below: &[""] },
    ],
    files: Files::of(&[
        ("globalStorage/state.vscdb/*.jsonl", FileRole::Session),
        ("chats/*/*/store.db/*.jsonl", FileRole::Session),
        ("projects/*/agent-transcripts/*/subagents/*.jsonl", FileRole::Child),
        ("projects/*/agent-transcripts/*/*.jsonl", FileRole::Session),
        ("projects/*/agent-transcripts/*.jsonl", FileRole::Session),
    ]),
    owner: cursor_cli::owner,
    beside: None,
    goes_on: None,
    read,
    compose: None,
    rows: Some(&Stores),
};

/// The editor's database, below its home.
const STATE: &str = "globalStorage/state.vscdb";

/// Most bytes of what says where a window's folder is.
const MOST_OF_WORKSPACE: u64 = 64 << 10;

/// No conversation was written after this, whatever it says: the year 2100, in milliseconds.
const LATEST: i64 = 4_102_444_800_000;

/// Most summaries of a session that are looked for in it.
const MOST_FOLDS: usize = 1_000;

/// How long a value is as it is told, without reading it.
const LENGTH: &str = "CASE typeof(value) WHEN 'text' THEN octet_length(value) WHEN 'blob' THEN octet_length(value) ELSE 4 END";

/// The value of a column as JSON that can be asked; an empty object where it is none, or too long.
fn json(column: &str) -> String {
    let told = format!("CAST({column} AS TEXT)");
    format!(
        "CASE WHEN octet_length({column}) <= {MAX_LINE} AND json_valid({told}) THEN {told} ELSE '{{}}' END"
    )
}

/// All that are below a home, of both kinds.
struct Stores;

impl Rows for Stores {
    fn list(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        let mut listing = Listing::default();
        let state = root.join(STATE);
        if state.symlink_metadata().is_ok() {
            let found = opened(&state).and_then(|mut db| {
                let state = db.transaction().map_err(io::Error::other)?;
                conversations(&state, root, None).map_err(io::Error::other)
            });
            match found {
                Ok(found) => listing.files.extend(found.into_iter().map(|it| SeenFile {
                    path: format!("{STATE}/{}.jsonl", it.id),
                    stamp: it.stamp,
                })),
                Err(_) => listing.skipped.push(STATE.to_owned()),
            }
            if !go_on(listing.files.len() as u64) {
                return Err(FolderError::Cancelled);
            }
        }
        cursor_cli::list(root, &mut listing, go_on)?;
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    fn open(&self, root: &Path, path: &str) -> io::Result<Option<Opened>> {
        let Some(file) = path.strip_prefix(STATE) else { return cursor_cli::open(root, path) };
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let id = file.strip_prefix('/').and_then(|file| file.strip_suffix(".jsonl"));
        let id = id.filter(|id| is_id(id)).ok_or_else(gone)?;
        let mut db = opened(&root.join(STATE))?;
        // One state of it, however much is written meanwhile.
        let state = db.transaction().map_err(io::Error::other)?;
        let found = conversations(&state, root, Some(id)).map_err(io::Error::other)?.pop();
        let found = found.ok_or_else(gone)?;
        bounded(found.stamp.bytes)?;
        let told = lines(&state, root, &found).map_err(io::Error::other)?;
        Ok(Some((told, found.stamp)))
    }
}

/// Whether something may be the name of a file, and stand between colons in a key.
pub(crate) fn is_id(id: &str) -> bool {
    let fits = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'-' || sign == b'_';
    !id.is_empty() && id.len() <= 100 && id.bytes().all(fits)
}

/// A conversation in the database.
struct Conversation {
    id: String,
    stamp: Stamp,
    /// Where its window's folder is told.
    workspace: Option<String>,
    /// Whose subagent it is, where that is not in its own rows.
    parent: Option<String>,
}

/// What is asked of each row of a conversation, and of each in the index of them.
const ASKED: &str = "'$.lastUpdatedAt', '$.createdAt', '$.workspaceIdentifier.id', \
     '$.subagentInfo.parentComposerId', '$.isBestOfNSubcomposer', '$.conversation[0].type'";

/// The answers, and the row that they are from.
#[derive(Default)]
struct Asked {
    row: i64,
    bytes: u64,
    told: [Value; 6],
    /// What only the index has in columns of its own.
    workspace: Option<String>,
    is_child: bool,
}

impl Asked {
    fn of(row: i64, bytes: u64, told: Option<String>) -> Self {
        let told = told.and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default();
        Self { row, bytes, told, ..Self::default() }
    }

    fn updated(&self) -> Option<i64> {
        self.told[..2].iter().find_map(milliseconds)
    }

    fn workspace(&self) -> Option<&str> {
        self.workspace.as_deref().or_else(|| self.told[2].as_str())
    }

    fn has_parent(&self) -> bool {
        self.told[3].is_string()
    }

    fn is_child(&self) -> bool {
        self.is_child || self.told[4] == true
    }
}

/// Milliseconds, however they are written.
fn milliseconds(of: &Value) -> Option<i64> {
    let at = match of {
        Value::Number(at) => at.as_f64().map(|at| at as i64),
        Value::String(at) => at.parse::<Timestamp>().ok().map(Timestamp::as_millisecond),
        _ => None,
    };
    at.filter(|at| (0..=LATEST).contains(at))
}

/// All conversations in which something was said, or this one.
fn conversations(
    db: &Connection,
    root: &Path,
    of: Option<&str>,
) -> rusqlite::Result<Vec<Conversation>> {
    let composers = composers(db, of)?;
    let bubbles = bubbles(db, of)?;
    let heads = heads(db, of)?;
    let is_child = |id: &str, asked: &Asked| {
        let head = heads.get(id);
        let knows = asked.has_parent() || head.is_some_and(Asked::has_parent);
        let is_child = asked.is_child() || head.is_some_and(Asked::is_child);
        !knows && (is_child || id.starts_with("task-"))
    };
    let parents = match composers.iter().any(|(id, asked)| is_child(id, asked)) {
        true => parents(db)?,
        false => HashMap::new(),
    };
    let mut workspaces: HashMap<String, Option<u64>> = HashMap::new();
    let mut found = Vec::new();
    for (id, asked) in composers {
        let rows = bubbles.get(&id).copied().unwrap_or_default();
        // What was never sent is no session.
        if rows.bytes == 0 && asked.told[5].is_null() && !has_inline(db, &id)? {
            continue;
        }
        let head = heads.get(&id);
        let parent = parents.get(&id).filter(|_| is_child(&id, &asked)).cloned();
        let workspace = head.and_then(Asked::workspace).or_else(|| asked.workspace());
        let workspace = workspace.filter(|id| is_id(id)).map(str::to_owned);
        let mut bytes = rows.bytes + before("composer", &id).len() as u64 + asked.bytes + 2;
        bytes += head.map_or(0, |head| before_head(head).len() as u64 + head.bytes + 2);
        if let Some(id) = &workspace {
            let told = workspaces.entry(id.clone());
            let told = told.or_insert_with(|| Some(workspace_line(root, id)?.len() as u64));
            bytes += told.unwrap_or_default();
        }
        bytes += parent.as_ref().map_or(0, |parent| parent_line(parent).len() as u64);
        let newest = asked.row.max(rows.newest).max(head.map_or(0, |head| head.row));
        let updated = asked.updated().max(head.and_then(Asked::updated)).unwrap_or_default();
        let stamp = Stamp { bytes, modified: modified(updated, newest) };
        found.push(Conversation { id, stamp, workspace, parent });
    }
    Ok(found)
}

/// When a conversation was written last. A row that is written anew gets a new number, which makes up the part of it that
/// is less than a millisecond: another state has another time, also where nothing else tells.
fn modified(updated: i64, newest: i64) -> Timestamp {
    let below = updated.rem_euclid(1_000) * 1_000_000 + newest.rem_euclid(1_000_000);
    let below = i32::try_from(below).unwrap_or_default();
    Timestamp::new(updated.div_euclid(1_000), below).unwrap_or_default()
}

fn composers(db: &Connection, of: Option<&str>) -> rusqlite::Result<Vec<(String, Asked)>> {
    let range = match of {
        Some(_) => "key = 'composerData:' || ?1",
        None => "key >= 'composerData:' AND key < 'composerData;'",
    };
    let json = json("value");
    let mut find = db.prepare(&format!(
        "SELECT key, rowid, {LENGTH}, json_extract({json}, {ASKED}) FROM cursorDiskKV WHERE {range}"
    ))?;
    let mut rows = find.query(params_from_iter(of))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.get_ref(0)?.as_str().ok().and_then(|key| key.strip_prefix("composerData:"));
        if let Some(id) = id.filter(|id| is_id(id)) {
            let bytes = row.get::<_, i64>(2)?.unsigned_abs();
            found.push((id.to_owned(), Asked::of(row.get(1)?, bytes, row.get(3)?)));
        }
    }
    Ok(found)
}

/// The messages of a conversation, as far as it takes to know that one changed.
#[derive(Clone, Copy, Default)]
struct Sum {
    bytes: u64,
    newest: i64,
}

fn bubbles(db: &Connection, of: Option<&str>) -> rusqlite::Result<HashMap<String, Sum>> {
    let range = bubble_range(of);
    let mut find =
        db.prepare(&format!("SELECT key, rowid, {LENGTH} FROM cursorDiskKV WHERE {range}"))?;
    let mut rows = find.query(params_from_iter(of))?;
    let mut found: HashMap<String, Sum> = HashMap::new();
    while let Some(row) = rows.next()? {
        let Some((of, id)) = row.get_ref(0)?.as_str().ok().and_then(bubble_of) else { continue };
        let bytes = before("bubble", id).len() as u64 + row.get::<_, i64>(2)?.unsigned_abs() + 2;
        // The name of one that is known already is not made again for each of its messages.
        let sum = match found.get_mut(of) {
            Some(sum) => sum,
            None => found.entry(of.to_owned()).or_default(),
        };
        sum.bytes += bytes;
        sum.newest = sum.newest.max(row.get(1)?);
    }
    Ok(found)
}

fn bubble_range(of: Option<&str>) -> &'static str {
    match of {
        Some(_) => "key >= 'bubbleId:' || ?1 || ':' AND key < 'bubbleId:' || ?1 || ';'",
        None => "key >= 'bubbleId:' AND key < 'bubbleId;'",
    }
}

/// The conversation and the message that a key names.
fn bubble_of(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("bubbleId:")?.split_once(':')
}

/// What the index says of conversations: the table, else the list from before it.
fn heads(db: &Connection, of: Option<&str>) -> rusqlite::Result<HashMap<String, Asked>> {
    let mut found = HashMap::new();
    for query in [listed_heads(db)?, table_of_heads(db)].into_iter().flatten() {
        let mut find = db.prepare(&query)?;
        let mut rows = find.query([of])?;
        while let Some(row) = rows.next()? {
            let Ok(id) = row.get_ref(0)?.as_str() else { continue };
            let bytes = row.get::<_, i64>(2)?.unsigned_abs();
            let mut head = Asked::of(row.get(1)?, bytes, row.get(3)?);
            head.workspace = row.get_ref(4)?.as_str().ok().map(str::to_owned);
            head.is_child = row.get_ref(5)?.as_i64().is_ok_and(|is| is != 0);
            found.insert(id.to_owned(), head);
        }
    }
    Ok(found)
}

fn table_of_heads(db: &Connection) -> Option<String> {
    let has = |columns: &str| {
        db.prepare(&format!("SELECT {columns} FROM composerHeaders LIMIT 0")).is_ok()
    };
    if !has("rowid, composerId, value") {
        return None;
    }
    let column = |name: &'static str| if has(name) { name } else { "NULL" };
    let (workspace, is_child, json) = (column("workspaceId"), column("isSubagent"), json("value"));
    Some(format!(
        "SELECT composerId, rowid, {LENGTH}, json_extract({json}, {ASKED}), {workspace}, {is_child} \
         FROM composerHeaders WHERE ?1 IS NULL OR composerId = ?1"
    ))
}

/// The list as a table of one value each.
fn listed() -> String {
    let json = json("i.value");
    format!(
        "(SELECT e.value ->> '$.composerId' AS id, e.value AS value \
         FROM ItemTable i, json_each({json}, '$.allComposers') e \
         WHERE i.key = 'composer.composerHeaders' AND e.type = 'object')"
    )
}

fn listed_heads(db: &Connection) -> rusqlite::Result<Option<String>> {
    if !has(db, "ItemTable")? {
        return Ok(None);
    }
    let (json, listed) = (json("value"), listed());
    Ok(Some(format!(
        "SELECT id, 0, {LENGTH}, json_extract({json}, {ASKED}), NULL, NULL FROM {listed} \
         WHERE ?1 IS NULL OR id = ?1"
    )))
}

/// Whose subagent each conversation is, as the others say.
fn parents(db: &Connection) -> rusqlite::Result<HashMap<String, String>> {
    let json = json("c.value");
    let mut found = HashMap::new();
    for list in ["$.subagentComposerIds", "$.subComposerIds"] {
        let mut find = db.prepare(&format!(
            "SELECT c.key, e.value FROM cursorDiskKV c, json_each({json}, '{list}') e \
             WHERE c.key >= 'composerData:' AND c.key < 'composerData;' AND e.type = 'text'"
        ))?;
        let mut rows = find.query([])?;
        while let Some(row) = rows.next()? {
            let parent = row.get_ref(0)?.as_str().ok();
            let parent = parent.and_then(|key| key.strip_prefix("composerData:"));
            let child = row.get_ref(1)?.as_str().ok();
            if let (Some(parent), Some(child)) = (parent, child)
                && parent != child
                && is_id(parent)
            {
                found.entry(child.to_owned()).or_insert_with(|| parent.to_owned());
            }
        }
    }
    Ok(found)
}

/// Whether the row of a conversation has its messages in itself, by name.
fn has_inline(db: &Connection, id: &str) -> rusqlite::Result<bool> {
    let json = json("c.value");
    let key = format!("composerData:{id}");
    db.prepare(&format!(
        "SELECT 1 FROM cursorDiskKV c WHERE c.key = ?1 \
         AND EXISTS (SELECT 1 FROM json_each({json}, '$.conversationMap'))"
    ))?
    .exists([key])
}

/// What stands before the value of a row in its line.
fn before(row: &str, id: &str) -> String {
    format!(r#"{{"row":"{row}","id":{},"data":"#, Value::from(id))
}

fn before_head(head: &Asked) -> String {
    let workspace = head.workspace.as_deref().map_or(Value::Null, Value::from);
    format!(r#"{{"row":"header","workspace":{workspace},"data":"#)
}

fn parent_line(parent: &str) -> String {
    format!("{{\"row\":\"parent\",\"id\":{}}}\n", Value::from(parent))
}

/// What is said of the folder of a window.
fn workspace_line(root: &Path, id: &str) -> Option<Vec<u8>> {
    let path = root.join("workspaceStorage").join(id).join("workspace.json");
    let (file, _) = crate::open_regular(&path).ok()?;
    let mut told = Vec::new();
    file.take(MOST_OF_WORKSPACE).read_to_end(&mut told).ok()?;
    let mut written = Vec::new();
    line(&mut written, &before("workspace", id), ValueRef::Text(&told));
    Some(written)
}

/// A session as text.
fn lines(db: &Connection, root: &Path, of: &Conversation) -> rusqlite::Result<Vec<u8>> {
    let mut told = Vec::new();
    let mut value = db.prepare("SELECT value FROM cursorDiskKV WHERE key = ?1")?;
    let composer = value.query_row([format!("composerData:{}", of.id)], |row| {
        let data = row.get_ref(0)?;
        line(&mut told, &before("composer", &of.id), data);
        let (ValueRef::Text(said) | ValueRef::Blob(said)) = data else { return Ok(Fields::new()) };
        Ok(Some(said).filter(|said| said.len() <= MAX_LINE).and_then(record).unwrap_or_default())
    })?;
    let mut done = HashSet::new();
    let mut put = |id: &str, told: &mut Vec<u8>| -> rusqlite::Result<()> {
        if done.insert(id.to_owned()) {
            value
                .query_row([format!("bubbleId:{}:{id}", of.id)], |row| {
                    line(told, &before("bubble", id), row.get_ref(0)?);
                    Ok(())
                })
                .optional()?;
        }
        Ok(())
    };
    for (id, _) in order_of(&composer) {
        put(id, &mut told)?;
    }
    let range = bubble_range(Some(&of.id));
    let mut find = db.prepare(&format!("SELECT key, rowid FROM cursorDiskKV WHERE {range}"))?;
    let mut others: Vec<(i64, String)> = Vec::new();
    let mut rows = find.query([&of.id])?;
    while let Some(row) = rows.next()? {
        if let Some((_, id)) = row.get_ref(0)?.as_str().ok().and_then(bubble_of) {
            others.push((row.get(1)?, id.to_owned()));
        }
    }
    others.sort_unstable();
    for (_, id) in &others {
        put(id, &mut told)?;
    }
    if let Some(head) = heads(db, Some(&of.id))?.get(&of.id) {
        let from = match head.row {
            0 => format!("SELECT value FROM {} WHERE id = ?1", listed()),
            _ => "SELECT value FROM composerHeaders WHERE composerId = ?1".to_owned(),
        };
        db.query_row(&from, [&of.id], |row| {
            line(&mut told, &before_head(head), row.get_ref(0)?);
            Ok(())
        })
        .optional()?;
    }
    if let Some(id) = &of.workspace {
        told.append(&mut workspace_line(root, id).unwrap_or_default());
    }
    told.extend(of.parent.iter().flat_map(|parent| parent_line(parent).into_bytes()));
    Ok(told)
}

type Fields = Map<String, Value>;

/// The messages that a conversation names, in its order, with the server's names of them.
fn order_of(composer: &Fields) -> impl Iterator<Item = (&str, Option<&str>)> {
    let headers = composer.get("fullConversationHeadersOnly").and_then(Value::as_array);
    headers.into_iter().flatten().filter_map(|header| {
        let header = header.as_object()?;
        Some((text(header, "bubbleId")?, text(header, "serverBubbleId")))
    })
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    if !path.starts_with(STATE) {
        return cursor_cli::read(path, bytes, draft);
    }
    let draft = draft.named(path, ".jsonl");
    let mut reading = Reading { draft, ..Reading::default() };
    each(bytes, &mut reading, |it| &mut it.draft, Reading::record)?;
    reading.close();
    Ok(reading.draft.done())
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// The messages that the conversation names, and the server's names of them.
    listed: HashSet<String>,
    servers: HashSet<String>,
    /// The messages that were read.
    done: HashSet<String>,
    /// What was said last, of what is named and of what is not named any more.
    tip: Option<usize>,
    lost: Option<usize>,
    /// The first entry of each message that is named, and the one behind its last.
    spans: HashMap<String, (usize, usize)>,
    /// The newest summary, and the message behind which it stands.
    latest: Option<(Fields, Option<String>)>,
    /// The summaries that were placed.
    folded: HashSet<String>,
    /// The model that answers, as it was said last.
    model: Option<String>,
    /// When the conversation began, and when it was written last.
    times: [Option<Timestamp>; 2],
    /// The folder by who says it: those of the conversation, its window's, its messages'.
    folders: [Option<String>; 3],
}

impl Reading {
    fn record(&mut self, mut record: Fields) {
        if self.draft.passes_over() {
            return;
        }
        let row = text(&record, "row").unwrap_or_default().to_owned();
        let id = text(&record, "id").map(short).unwrap_or_default();
        let data = record.remove("data");
        match (row.as_str(), data) {
            ("parent", _) => {
                self.draft.beside("parent");
                first(&mut self.draft.session.parent, Some(id.as_str()));
            }
            ("composer", Some(Value::Object(data))) => self.composer(&data),
            ("header", Some(Value::Object(data))) => {
                self.draft.beside("header");
                self.about(&data);
            }
            ("workspace", Some(Value::Object(data))) => {
                self.draft.beside("workspace");
                first(&mut self.folders[1], text(&data, "folder").and_then(folder).as_deref());
            }
            ("bubble", Some(Value::Object(data))) => self.bubble(&id, &data),
            // The program empties what it gives up.
            ("bubble", Some(Value::Null)) => {
                self.done.insert(id);
                self.draft.beside("emptied bubble");
            }
            ("composer" | "header" | "workspace" | "bubble", _) => self.draft.unreadable(),
            (other, _) => self.draft.unknown(&format!("row {}", short(other))),
        }
    }

    /// What the row of a conversation and the index say of it alike.
    fn about(&mut self, data: &Fields) {
        let title = text(data, "name").unwrap_or_default();
        if self.draft.session.title.is_empty() {
            self.draft.session.title = title.trim().chars().take(200).collect();
        }
        let info = data.get("subagentInfo").and_then(Value::as_object);
        let parent = info.and_then(|info| text(info, "parentComposerId")).map(short);
        first(&mut self.draft.session.parent, parent.as_deref());
        let times = ["createdAt", "lastUpdatedAt"].map(|key| data.get(key).and_then(time_of));
        for (known, time) in self.times.iter_mut().zip(times) {
            *known = known.or(time);
        }
        let uri = data.get("workspaceIdentifier").and_then(|it| it.get("uri"));
        first(&mut self.folders[0], uri.and_then(folder_of).as_deref());
    }

    fn composer(&mut self, data: &Fields) {
        self.draft.beside("composer");
        self.about(data);
        let set = data.get("modelConfig").and_then(Value::as_object);
        self.model = set.and_then(|set| text(set, "modelName")).map(short);
        for (id, server) in order_of(data) {
            self.listed.insert(short(id));
            self.servers.extend(server.map(short));
        }
        if let Some(latest) = data.get("latestConversationSummary").and_then(Value::as_object) {
            // Older versions have all of it on one level.
            let inner = latest.get("summary").and_then(Value::as_object).unwrap_or(latest);
            let behind = text(latest, "lastBubbleId").map(short);
            let behind = behind.or_else(|| text(inner, LAST_FOLDED).map(short));
            self.latest = Some((inner.clone(), behind));
        }
        let inline = data.get("conversation").and_then(Value::as_array);
        for bubble in inline.into_iter().flatten() {
            self.inline(bubble);
        }
        if let Some(map) = data.get("conversationMap").and_then(Value::as_object) {
            let named = order_of(data).filter_map(|(id, _)| map.get(id));
            named.chain(map.values()).for_each(|bubble| self.inline(bubble));
        }
    }

    /// A message in the row of its conversation.
    fn inline(&mut self, bubble: &Value) {
        match bubble.as_object() {
            Some(_) if self.draft.passes_over() => {}
            Some(data) => {
                let id = text(data, "bubbleId").map(short);
                let id = id.unwrap_or_else(|| self.done.len().to_string());
                // The map is gone through twice: in its order, and for the rest of it.
                if !self.done.contains(&id) {
                    self.listed.insert(id.clone());
                    self.bubble(&id, data);
                }
            }
            None => self.draft.unreadable(),
        }
    }

    fn bubble(&mut self, id: &str, data: &Fields) {
        let server = text(data, "serverBubbleId").map(short);
        let is_listed = self.listed.is_empty() || self.listed.contains(id);
        let is_rewritten = server.as_ref().is_some_and(|it| self.servers.contains(it));
        if !self.done.insert(id.to_owned()) || (!is_listed && is_rewritten) {
            return self.draft.beside("superseded bubble");
        }
        let is_on = |key: &str| data.get(key) == Some(&Value::Bool(true));
        if is_on("isDisplayOnly") || is_on("isEphemeral") {
            return self.draft.beside("shown only");
        }
        let role = match data.get("type").and_then(Value::as_u64) {
            Some(1) => Role::User,
            Some(2) => Role::Assistant,
            Some(other) => return self.draft.unknown(&format!("bubble {other}")),
            None => return self.draft.unreadable(),
        };
        if data.get("errorDetails").is_some_and(Value::is_object) {
            self.draft.beside("error");
        }
        let model = data.get("modelInfo").and_then(Value::as_object);
        self.model = model.and_then(|it| text(it, "modelName")).map(short).or(self.model.take());
        let uris = data.get("workspaceUris").and_then(Value::as_array);
        let uri = uris.and_then(|uris| uris.first()).and_then(folder_of);
        first(&mut self.folders[2], uri.as_deref());
        if is_listed {
            self.summary_of(data);
        }
        let begin = self.draft.session.entries.len();
        let (said, answers) = self.parts(id, data);
        self.tokens(server.as_deref().unwrap_or(id), data);
        if said.is_empty() && answers.is_empty() {
            self.draft.beside("empty bubble");
        }
        let at = data.get("createdAt").and_then(time_of);
        for (role, parts) in [(role, said), (Role::Tool, answers)] {
            if parts.is_empty() {
                continue;
            }
            let mut new = entry(role, EntryKind::Said);
            (new.key, new.at, new.parts) = (id.to_owned(), at, parts);
            new.model = self.model.clone().filter(|_| role == Role::Assistant);
            self.add(new, is_listed);
        }
        if is_listed {
            let span = (begin, self.draft.session.entries.len());
            for name in server.iter().map(String::as_str).chain([id]) {
                self.spans.insert(name.to_owned(), span);
            }
            self.latest_behind(&[Some(id), server.as_deref()]);
        }
    }

    fn add(&mut self, mut new: Entry, is_listed: bool) {
        let tip = if is_listed { &mut self.tip } else { &mut self.lost };
        new.parent = *tip;
        if let Some(at) = self.draft.push(new) {
            *tip = Some(at);
        }
    }

    fn parts(&mut self, id: &str, data: &Fields) -> (Vec<Part>, Vec<Part>) {
        let (mut said, mut answers) = (Vec::new(), Vec::new());
        let thought = match data.get("thinking") {
            Some(Value::Object(thought)) => text(thought, "text"),
            // Older versions have the text alone.
            other => other.and_then(Value::as_str),
        };
        if let Some(thought) = thought.filter(|thought| !thought.is_empty()) {
            said.push(Part::Reasoning { text: self.draft.text(thought), seal: None });
        }
        let words = text(data, "text").unwrap_or_default();
        let blocks = data.get("codeBlocks").and_then(Value::as_array);
        let blocks = blocks.into_iter().flatten().filter_map(Value::as_object);
        // Code that the text has is a block once more.
        let blocks = blocks.filter(|_| words.is_empty()).filter_map(|it| text(it, "content"));
        for words in [words].into_iter().chain(blocks).filter(|words| !words.trim().is_empty()) {
            said.push(Part::Text { text: self.draft.text(words) });
        }
        let images = data.get("images").and_then(Value::as_array).map_or(0, Vec::len);
        for _ in 0..images.min(MOST_FOLDS) {
            self.draft.beside("image");
        }
        if let Some(tool) = data.get("toolFormerData").and_then(Value::as_object) {
            self.call(id, tool, &mut said, &mut answers);
        }
        (said, answers)
    }

    fn call(&mut self, id: &str, tool: &Fields, said: &mut Vec<Part>, answers: &mut Vec<Part>) {
        let number = tool.get("tool").and_then(Value::as_u64);
        let (name, call) = (text(tool, "name"), text(tool, "toolCallId"));
        let name = match (name, number) {
            (Some(name), _) => short(name),
            (None, Some(number)) => format!("tool {number}"),
            // It failed before anybody knew what it should have been.
            (None, None) if call.is_none() => return self.draft.beside("tool without a name"),
            (None, None) => String::new(),
        };
        let id = short(call.filter(|call| !call.is_empty()).unwrap_or(id));
        let given = text(tool, "rawArgs").filter(|given| !given.is_empty()).map(str::to_owned);
        let given = given.unwrap_or_else(|| arguments(tool.get("params")));
        let given = self.draft.text(&given);
        said.push(Part::ToolCall { id: id.clone(), name, arguments: given, seal: None });
        let of = |key: &str| {
            tool.get(key).filter(|it| !it.is_null() && **it != "").map(|it| arguments(Some(it)))
        };
        let (result, error) = (of("result"), of("error"));
        let beside = tool.get("additionalData").and_then(Value::as_object);
        let failed = beside.and_then(|it| text(it, "status")) == Some("error");
        // "completed" says that the request came to an end, and not that it came to a good one.
        let (answer, is_error) = match text(tool, "status").unwrap_or_default() {
            "completed" if failed => (error.or(result).or(Some(String::new())), true),
            "completed" => (result.or(error).or(Some(String::new())), false),
            "error" | "cancelled" => (error.or(result).or(Some(String::new())), true),
            "loading" | "pending" => (None, false),
            other => {
                if !other.is_empty() {
                    self.draft.unknown(&format!("tool that is {}", short(other)));
                }
                let is_error = failed || (result.is_none() && error.is_some());
                (result.or(error), is_error)
            }
        };
        if let Some(answer) = answer {
            let text = self.draft.text(&answer);
            answers.push(Part::ToolResult { call_id: id, text, is_error, kept: None });
        }
    }

    /// Tokens of a request and its reply; most are not metered, and say 0.
    fn tokens(&mut self, what: &str, data: &Fields) {
        let Some(tokens) = data.get("tokenCount") else { return };
        let usage = Usage {
            input_tokens: number(tokens, "inputTokens"),
            output_tokens: number(tokens, "outputTokens"),
            exact: true,
            ..Usage::default()
        };
        if usage.input_tokens > 0 || usage.output_tokens > 0 {
            self.draft.count(what.to_owned(), usage);
        }
    }

    /// The summary that a message carries: it stands before it.
    fn summary_of(&mut self, data: &Fields) {
        let inner = match data.get("conversationSummary") {
            Some(Value::String(told)) => record(told.as_bytes()),
            Some(Value::Object(told)) => Some(told.clone()),
            _ => None,
        };
        if let Some(inner) = inner {
            self.fold(&inner);
        }
    }

    /// Places the newest summary, if it stands behind this message.
    fn latest_behind(&mut self, names: &[Option<&str>]) {
        let behind = self.latest.as_ref().and_then(|(_, behind)| behind.as_deref());
        if behind.is_some()
            && names.contains(&behind)
            && let Some((inner, _)) = self.latest.take()
        {
            self.fold(&inner);
        }
    }

    fn fold(&mut self, summary: &Fields) {
        let told = text(summary, "summary").unwrap_or_default();
        if told.trim().is_empty() || self.folded.len() >= MOST_FOLDS {
            return self.draft.beside("summary");
        }
        if !self.folded.insert(blake3::hash(told.as_bytes()).to_hex().to_string()) {
            return self.draft.beside("summary");
        }
        let from = text(summary, FIRST_SENT).and_then(|id| self.spans.get(id)).map(|it| it.0);
        let behind = text(summary, LAST_FOLDED).and_then(|id| self.spans.get(id)).map(|it| it.1);
        let carried = self.carried(from.or(behind));
        let fold = Fold { carried, ..Fold::default() };
        // A summary stands for what was asked of the model, whoever wrote it.
        let mut new = entry(Role::User, EntryKind::Fold(fold));
        new.parts = vec![Part::Text { text: self.draft.text(told) }];
        self.add(new, true);
    }

    /// What goes on word for word behind a summary: everything from this entry on.
    fn carried(&mut self, from: Option<usize>) -> Vec<String> {
        let Some(from) = from else { return Vec::new() };
        let said = self.draft.session.entries.get(from..).unwrap_or_default();
        let said = said.iter().filter(|entry| entry.kind == EntryKind::Said);
        let texts: Vec<String> = said.map(Entry::text).filter(|text| !text.is_empty()).collect();
        texts.iter().map(|text| self.draft.text(text)).collect()
    }

    fn close(&mut self) {
        if self.latest.take().is_some() {
            self.draft.beside("summary without a place");
        }
        // Those of which no row is there, and those whose row cannot be read.
        let lacking = self.listed.iter().filter(|id| !self.done.contains(*id)).count();
        for _ in 0..lacking.min(MOST_FOLDS) {
            self.draft.beside("missing bubble");
        }
        let session = &mut self.draft.session;
        session.leaf = self.tip;
        session.folder = self.folders.iter_mut().find_map(Option::take);
        timed(session, self.times);
    }
}

/// The last message that a summary stands for, and the first that goes on word for word.
const LAST_FOLDED: &str = "truncationLastBubbleIdInclusive";
const FIRST_SENT: &str = "clientShouldStartSendingFromInclusiveBubbleId";

/// A time, however it is written.
pub(crate) fn time_of(of: &Value) -> Option<Timestamp> {
    milliseconds(of).and_then(|at| Timestamp::from_millisecond(at).ok())
}

/// The folder that something names: an address, or an object with its path.
fn folder_of(of: &Value) -> Option<String> {
    match of {
        Value::String(address) => folder(address),
        Value::Object(of) => {
            let path = text(of, "fsPath").or_else(|| text(of, "path"));
            path.map(str::to_owned).or_else(|| text(of, "external").and_then(folder))
        }
        _ => None,
    }
}

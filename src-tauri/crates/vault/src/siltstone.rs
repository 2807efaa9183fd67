//! Siltstone's own exports: conversations as JSON, each a file that lies where a person put it, from another computer or
//! another time.
//!
//! A home is a folder with such files in it or one folder below, or one file. What is one says how it begins. The session
//! is known by the conversation's first message, so that a later export of the same is the same session. Summaries
//! stand on the shown path behind what they cover, as they do in the window.
//!
//! Deliberately absent: Markdown and JSONL, which have one path of a conversation and no ids to know it by again; summaries of
//! other branches, and those that were taken back.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{Agent, EntryKind, FileRole, Fold, Listing, SeenFile, Session};

use crate::database::bounded;
use crate::draft::{Draft, entry, short, text, time};
use crate::exports::{Export, Looking};
use crate::lines::whole;
use crate::source::{Files, Opened, Rows, Source};
use crate::{open_regular, stamp_of};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::Siltstone,
    roots: &[],
    files: Files::of(&[("*.json", FileRole::Session), ("*/*.json", FileRole::Session)]),
    owner: |_| None,
    beside: None,
    goes_on: None,
    read,
    compose: None,
    rows: Some(&Exports),
};

/// What an export calls itself, in its first field.
const FORMAT: &str = "siltstone-conversation";

/// How much of a file is looked at to know what it is.
const HEAD: u64 = 256;

/// Most files of a home: each is one conversation.
const MOST: usize = 20_000;

struct Exports;

impl Rows for Exports {
    fn list(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        let looking = Looking::at(root, is_json, MOST);
        let mut listing =
            Listing { skipped: looking.skipped, hides: looking.hides, ..Listing::default() };
        for Export { name, whole, stamp } in looking.exports {
            match is_export(&whole) {
                Ok(true) => listing.files.push(SeenFile { path: name, stamp }),
                Ok(false) => {}
                Err(_) => {
                    listing.skipped.push(name);
                    listing.hides = true;
                }
            }
            if !go_on(listing.files.len() as u64) {
                return Err(FolderError::Cancelled);
            }
        }
        Ok(listing)
    }

    fn open(&self, root: &Path, path: &str) -> io::Result<Option<Opened>> {
        // A home that is a file itself has its own name in it.
        if !root.is_file() || root.file_name().is_none_or(|name| name != path) {
            return Ok(None);
        }
        let (mut file, found) = open_regular(root)?;
        let (mut bytes, stamp) = (Vec::new(), stamp_of(&found)?);
        bounded(stamp.bytes)?;
        file.read_to_end(&mut bytes)?;
        Ok(Some((bytes, stamp)))
    }

    fn has(&self, name: &str) -> bool {
        is_json(name)
    }
}

fn is_json(name: &str) -> bool {
    let ending = name.len().checked_sub(5).and_then(|at| name.get(at..));
    ending.is_some_and(|it| it.eq_ignore_ascii_case(".json"))
}

/// Whether a file begins as an export does.
fn is_export(path: &Path) -> io::Result<bool> {
    let (file, _) = open_regular(path)?;
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head)?;
    let plain: Vec<u8> = head.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
    Ok(plain.starts_with(format!("{{\"format\":\"{FORMAT}\"").as_bytes()))
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let mut reading = Reading { draft: draft.named(path, ".json"), ..Reading::default() };
    match whole(bytes)? {
        Some(said) if text(&said, "format") == Some(FORMAT) => reading.all(&said),
        _ => reading.draft.unreadable(),
    }
    Ok(reading.draft.done())
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// Messages that became entries, and what follows each on the shown path: itself, or a summary behind it.
    places: HashMap<String, (usize, usize)>,
}

impl Reading {
    fn all(&mut self, said: &Map<String, Value>) {
        let list =
            |key: &str| said.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        self.draft.session.title =
            text(said, "title").unwrap_or_default().chars().take(200).collect();
        let shown: HashSet<&str> = list("active").iter().filter_map(Value::as_str).collect();
        let mut folds: BTreeMap<&str, &Map<String, Value>> = BTreeMap::new();
        for told in list("summaries") {
            match (told.as_object(), told.get("last").and_then(Value::as_str)) {
                (Some(told), Some(_)) if told.get("unfolded_at").is_some_and(Value::is_string) => {
                    self.draft.beside("summary that was taken back");
                }
                (Some(_), Some(last)) if !shown.contains(last) => {
                    self.draft.beside("summary of another branch");
                }
                // A later one of the same stretch stands for it.
                (Some(told), Some(last)) => _ = folds.insert(last, told),
                _ => self.draft.unreadable(),
            }
        }
        let attached = said.get("attached").and_then(Value::as_object);
        for message in list("messages") {
            let Some(message) = message.as_object() else {
                self.draft.unreadable();
                continue;
            };
            self.message(message, &shown, attached);
            let id = text(message, "id").unwrap_or_default();
            if let (Some(told), Some((at, _))) = (folds.get(id), self.places.get(id).copied()) {
                self.fold(id, at, told);
            }
        }
        let last = list("active").last().and_then(Value::as_str);
        self.draft.session.leaf = last.and_then(|id| Some(self.places.get(id)?.1));
    }

    fn message(
        &mut self,
        message: &Map<String, Value>,
        shown: &HashSet<&str>,
        attached: Option<&Map<String, Value>>,
    ) {
        if self.draft.passes_over() {
            return;
        }
        let role = message.get("role").map(|role| serde_json::from_value(role.clone()));
        let (Some(Ok(role)), Some(id)) = (role, text(message, "id")) else {
            return self.draft.unreadable();
        };
        let kind = if role == Role::System { EntryKind::Context } else { EntryKind::Said };
        let mut new = entry(role, kind);
        let parent = text(message, "parent").and_then(|parent| self.places.get(parent));
        new.parent = parent.map(|(at, follows)| if shown.contains(id) { *follows } else { *at });
        for part in message.get("parts").and_then(Value::as_array).into_iter().flatten() {
            match serde_json::from_value(part.clone()) {
                Ok(part) => new.parts.push(self.part(part, attached)),
                Err(_) => {
                    self.draft.unknown(part.get("type").and_then(Value::as_str).unwrap_or("part"))
                }
            }
        }
        (new.key, new.at) = (short(id), time(message, "created_at"));
        new.model = text(message, "model").filter(|_| role == Role::Assistant).map(short);
        if self.draft.session.entries.is_empty() {
            self.draft.session.id = short(id);
        }
        if let Some(at) = self.draft.push(new) {
            self.places.insert(id.to_owned(), (at, at));
        }
    }

    /// A part as far as there is room for it, with what the export has of it elsewhere.
    fn part(&mut self, part: Part, attached: Option<&Map<String, Value>>) -> Part {
        let bytes = |hash: &str| attached?.get(hash)?.as_str();
        match part {
            Part::Text { text } => Part::Text { text: self.draft.text(&text) },
            Part::Reasoning { text, .. } => {
                Part::Reasoning { text: self.draft.text(&text), seal: None }
            }
            Part::ToolCall { id, name, arguments, .. } => {
                let arguments = self.draft.text(&arguments);
                Part::ToolCall { id: short(&id), name: short(&name), arguments, seal: None }
            }
            Part::ToolResult { call_id, text, is_error, kept } => {
                let all = kept.and_then(|kept| STANDARD.decode(bytes(&kept.hash)?).ok());
                let all = all.and_then(|all| String::from_utf8(all).ok());
                let text = self.draft.text(&all.unwrap_or(text));
                Part::ToolResult { call_id: short(&call_id), text, is_error, kept: None }
            }
            Part::Pasted { hash, lines, tokens, text } => {
                Part::Pasted { hash, lines, tokens, text: self.draft.text(&text) }
            }
            Part::Image { hash, media_type, name, tokens } => {
                let found = bytes(&hash).and_then(|told| self.draft.picture(told, &media_type));
                match found {
                    Some(Part::Image { hash: real, .. }) if real != hash => {
                        self.draft.unreadable();
                        Part::Image { hash, media_type, name, tokens }
                    }
                    _ => Part::Image { hash, media_type, name, tokens },
                }
            }
            other => other,
        }
    }

    /// A summary behind the last message that it covers.
    fn fold(&mut self, id: &str, last: usize, told: &Map<String, Value>) {
        let mut new = entry(Role::User, EntryKind::Fold(Fold::default()));
        let text = self.draft.text(text(told, "summary").unwrap_or_default());
        (new.parent, new.parts) = (Some(last), vec![Part::Text { text }]);
        new.at = time(told, "finished_at").or_else(|| time(told, "created_at"));
        if let Some(at) = self.draft.push(new) {
            self.places.insert(id.to_owned(), (last, at));
        }
    }
}

//! What reads what others wrote, and the laws that hold whatever is read.

use std::collections::HashSet;

use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{self, Bundle};
use siltstone_engine::context::{ContextScope, StoreFile};
use siltstone_engine::export;
use siltstone_engine::memory::{
    Imported, MAX_IMPORT_BYTES, MAX_IMPORTS, MemoryFile, MemoryLayer, Refusal, expand, front,
    imports,
};
use siltstone_engine::message::{Message, Role};
use siltstone_engine::privacy::Redactor;
use siltstone_engine::session::{self, ContextFile, LockFile, Parsed};
use siltstone_engine::workflow::Workflow;

use super::good;
use crate::Trouble;

/// Something that reads, and good inputs for it.
pub struct Target {
    /// What is counted.
    pub name: &'static str,
    /// Good inputs.
    pub seeds: Vec<Vec<u8>>,
    /// Reads.
    pub read: fn(&[u8]) -> Came,
    /// How many are tried in a sample.
    pub sample: u64,
    /// How many are tried in all.
    pub whole: u64,
}

/// What came of an input.
pub enum Came {
    /// It was read.
    Read,
    /// It was refused, as it may be.
    Refused,
    /// A law was broken.
    Broken(String),
}

impl From<Option<String>> for Came {
    fn from(broken: Option<String>) -> Self {
        broken.map_or(Self::Read, Self::Broken)
    }
}

/// All of them.
pub fn all() -> Result<Vec<Target>, Trouble> {
    let target = |name, seeds, read| Target { name, seeds, read, sample: 100, whole: 15_000 };
    Ok(vec![
        target("memory files", good::memory(), memory as fn(&[u8]) -> Came),
        target("checkpoint files", good::bundles(), container),
        target("texts to redact", good::secrets(), redactor),
        target("conversations", good::conversations()?, conversation),
        target("merges", good::merges(), merge),
        target("session files", good::sessions(), session_file),
        target("work files", good::workflows(), workflow_file),
        target("locks", good::locks(), lock_file),
        target("context files", good::contexts(), context_file),
    ])
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What was imported is bounded, every piece is of the file it names, and front matter ends where a character begins.
fn memory(bytes: &[u8]) -> Came {
    let text = text(bytes);
    let (_, end) = front::parse(&text);
    if !text.is_char_boundary(end) {
        return Came::Broken(format!("front matter ends at {end}"));
    }
    let file = MemoryFile {
        path: "AGENTS.md".to_owned(),
        layer: MemoryLayer::Project,
        dir: String::new(),
        hash: String::new(),
        bytes: text.len() as u64,
        text: text.clone(),
        same_as: None,
        refused: None,
    };
    let mut looks = 0_u64;
    // Every file imports what this one does, under a name of its own: as bad as it gets.
    let mut read = |_: &str, _: &str| -> Result<Imported, Refusal> {
        looks += 1;
        Ok(Imported { path: format!("{looks}.md"), text: text.clone() })
    };
    let expanded = expand(&file, &mut read);
    let taken: u64 = expanded.pieces.iter().map(|piece| piece.text.len() as u64).sum();
    let most = MAX_IMPORT_BYTES + text.len() as u64;
    let ends = imports::find(&text).into_iter().map(|mark| mark.range);
    let outside = ends.filter(|range| text.get(range.clone()).is_none()).count();
    let broken = match () {
        () if taken > most => Some(format!("{taken} bytes were taken in")),
        () if looks > u64::from(MAX_IMPORTS) => Some(format!("{looks} files were looked for")),
        () if outside > 0 => Some(format!("{outside} imports stand within a character")),
        () => None,
    };
    broken.into()
}

/// As it came, and with a hash that is right, so that what is behind it is read: an object is what its id says.
fn container(bytes: &[u8]) -> Came {
    let mut sealed = bytes[..bytes.len().saturating_sub(32)].to_vec();
    let hash = blake3::hash(&sealed);
    sealed.extend_from_slice(hash.as_bytes());
    match (read_container(bytes), read_container(&sealed)) {
        (broken @ Came::Broken(_), _) | (Came::Read | Came::Refused, broken) => broken,
    }
}

fn read_container(bytes: &[u8]) -> Came {
    let Ok(bundle) = Bundle::read(bytes) else { return Came::Refused };
    for object in bundle.objects() {
        let Ok(object) = object else { continue };
        let id = checkpoint::ObjectId::of(&object);
        if !bundle.has(id) || bundle.get(id).ok().as_ref() != Some(&object) {
            return Came::Broken("an object is not what its id says".to_owned());
        }
        // Most objects are no trees; what is none says so.
        let Ok(tree) = bundle.tree(id) else { continue };
        let leads_elsewhere =
            |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.contains(&b'/');
        if tree.entries().iter().any(|(name, _)| leads_elsewhere(name)) {
            return Came::Broken("a name of a tree leads elsewhere".to_owned());
        }
    }
    Came::Read
}

/// What was found is in order, and what is left is the rest.
pub fn redactor(bytes: &[u8]) -> Came {
    altered(&text(bytes)).into()
}

fn altered(text: &str) -> Option<String> {
    let redacted = Redactor::always().redact(text);
    let mut rest = redacted.text.as_ref();
    let mut at = 0;
    for found in &redacted.found {
        let Some(plain) = text.get(at..found.range.start) else {
            return Some("what was found overlaps".to_owned());
        };
        let lines = "\n".repeat(text.get(found.range.clone())?.matches('\n').count());
        let mark = format!("{plain}[redacted: {}]{lines}", found.rule);
        let Some(after) = rest.strip_prefix(&mark) else {
            return Some(format!(
                "something beside the secret changed before {}",
                found.range.start
            ));
        };
        (rest, at) = (after, found.range.end);
    }
    (Some(rest) != text.get(at..)).then(|| "the end changed".to_owned())
}

/// What was read has parents before children, and says the same when it is written and read again.
fn conversation(bytes: &[u8]) -> Came {
    let now = Timestamp::UNIX_EPOCH;
    let text = text(bytes);
    let read = export::import(&text, "a name", now);
    let read = read.or_else(|_| export::others::conversation(&text, now));
    let Ok(read) = read else { return Came::Refused };
    let mut known = HashSet::new();
    for message in &read.messages {
        let parent = message.parent_id.map(|id| known.contains(&id));
        if parent == Some(false) || !known.insert(message.id) {
            return Came::Broken("a message comes before its parent, or twice".to_owned());
        }
    }
    if !known.contains(&read.active) {
        return Came::Broken("the shown message is none of them".to_owned());
    }
    let said = |messages: &[Message]| -> Vec<(Role, String)> {
        let lines = messages.iter().flat_map(export::transcript_lines);
        lines.map(|line| (line.role, line.content)).collect()
    };
    match export::import(&export::jsonl(&read.messages), "a name", now) {
        Ok(again) if said(&again.messages) == said(&read.messages) => Came::Read,
        Ok(_) => Came::Broken("written out, it is read as something else".to_owned()),
        Err(error) => Came::Broken(format!("written out, it is not read: {error}")),
    }
}

/// What one side did stays, and what both did alike.
fn merge(bytes: &[u8]) -> Came {
    let text = text(bytes);
    let mut parts = text.splitn(3, '\u{1f}');
    let mut next = || parts.next().unwrap_or_default();
    let (base, now, then) = (next(), next(), next());
    let lost = |now: &str, then: &str, expected: &str| {
        let merged = checkpoint::merge(base, now, then);
        merged.conflicts || merged.text != expected
    };
    // What both did may contradict; that it is merged at all is what is asked.
    checkpoint::merge(base, now, then);
    let broken = match () {
        () if lost(now, base, now) => Some("our side is lost"),
        () if lost(base, then, then) => Some("their side is lost"),
        () if lost(now, now, now) => Some("what both did is lost"),
        () => None,
    };
    broken.map(str::to_owned).into()
}

/// What is read can be written and read again, and merged with itself without a contradiction.
fn session_file(bytes: &[u8]) -> Came {
    let Parsed::Known(file) = session::parse::<ContextFile>(bytes) else { return Came::Refused };
    let written = match session::to_bytes(&file) {
        Ok(written) => written,
        Err(error) => return Came::Broken(format!("it cannot be written: {error}")),
    };
    let Parsed::Known(again) = session::parse::<ContextFile>(&written) else {
        return Came::Broken("written, it is not read".to_owned());
    };
    match session::merge(&again, &again, &again) {
        Ok(merged) if merged.conflicts.is_empty() && merged.file == again => Came::Read,
        Ok(_) => Came::Broken("merged with itself, it is another one".to_owned()),
        Err(error) => Came::Broken(format!("it cannot be merged with itself: {error}")),
    }
}

/// The same for plans and decisions, beside those of nobody too.
fn workflow_file(bytes: &[u8]) -> Came {
    let Parsed::Known(work) = session::parse::<Workflow>(bytes) else { return Came::Refused };
    let written = session::to_bytes(&work).map(|written| session::parse::<Workflow>(&written));
    if !matches!(written, Ok(Parsed::Known(_))) {
        return Came::Broken("written, it is not read".to_owned());
    }
    match session::merge_workflows(&work, &work, &work) {
        Ok(merged) if merged.conflicts.is_empty() && merged.file == work => {}
        Ok(_) => return Came::Broken("merged with itself, it is another one".to_owned()),
        Err(error) => return Came::Broken(format!("it cannot be merged with itself: {error}")),
    }
    match session::merge_workflows(&Workflow::default(), &work, &work) {
        Ok(_) => Came::Read,
        Err(error) => Came::Broken(format!("begun twice, it cannot be merged: {error}")),
    }
}

/// Who holds a session is read and judged, whatever it says.
fn lock_file(bytes: &[u8]) -> Came {
    let Ok(lock) = serde_json::from_slice::<LockFile>(bytes) else { return Came::Refused };
    let again = serde_json::to_vec(&lock).map(|bytes| serde_json::from_slice::<LockFile>(&bytes));
    match again {
        Ok(Ok(again)) if again == lock => Came::Read,
        _ => Came::Broken("written, it is another one".to_owned()),
    }
}

fn context_file(bytes: &[u8]) -> Came {
    let Ok(file) = StoreFile::from_json(&text(bytes), ContextScope::App) else {
        return Came::Refused;
    };
    match StoreFile::from_json(&file.to_json(), ContextScope::App) {
        Ok(again) if again.store().snapshot() == file.store().snapshot() => Came::Read,
        _ => Came::Broken("written, it is another one".to_owned()),
    }
}

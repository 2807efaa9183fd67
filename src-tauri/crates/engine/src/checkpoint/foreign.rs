//! Checkpoints in the form and at the places that the Checkpoints design names ("체크포인트 구조", "체크포인트 저장 위치"): read, and never
//! written there.
//!
//! Such a file is JSON in which a checkpoint holds its messages and files themselves. What can be had of it is had: a field
//! that is missing or of another kind costs that field alone, and a [`ForeignNote`] says so.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::tree::{Leaf, Node, ObjectId, Tree, is_name};
use crate::ports::StoreError;
use crate::turn::Usage;

/// Largest file that is read, in bytes.
pub const MAX_FOREIGN: u64 = 256 * 1024 * 1024;

/// The newest major version whose form is known.
const KNOWN_MAJOR: u64 = 1;

/// Mode of the files; the form keeps none.
const MODE: u32 = 0o644;

/// Something of such a file that is not as it says, or that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum ForeignNote {
    /// A newer version wrote it; what this program knows of it was taken.
    Newer {
        /// Its version.
        version: String,
    },
    /// The content is not what the hash says.
    HashDiffers {
        /// The file's path.
        path: String,
    },
    /// The hash is of a kind this program does not know, so the content was taken unchecked.
    HashUnknown {
        /// The file's path.
        path: String,
    },
    /// A path that leads elsewhere, or a file without content; left out.
    FileLeftOut {
        /// The path as written.
        path: String,
    },
    /// A message of an unknown form; left out.
    MessageLeftOut {
        /// Its place, counted from 1.
        place: usize,
    },
}

/// Such a checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foreign {
    /// Its id there.
    pub id: String,
    /// Its tag.
    pub tag: Option<String>,
    /// When it was made.
    pub timestamp: Option<Timestamp>,
    /// The messages as a transcript, one a line.
    pub transcript: String,
    /// How many there are.
    pub messages: u64,
    /// What the conversation took.
    pub token_usage: Usage,
    /// The model.
    pub model: String,
    /// The files by path; `None` when it has none of the project's.
    pub files: Option<BTreeMap<String, String>>,
    /// The merged memory as it is written.
    pub memory: Option<Value>,
    /// What was added while working.
    pub runtime_additions: Vec<String>,
    /// The sitting.
    pub session_id: String,
    /// Whose.
    pub user_id: Option<String>,
    /// The project's root there.
    pub project_path: String,
    /// The version that wrote it.
    pub version: String,
    /// What is not as it says.
    pub notes: Vec<ForeignNote>,
}

/// The places of the Checkpoints design.
pub trait ForeignCheckpoints: Send + Sync {
    /// Paths of the JSON files at the places: those of the person, and those of a project. Larger ones are passed over.
    fn found(&self, root: &str) -> Vec<String>;
    /// The bytes of a file at one of the places; any other is not found.
    fn read(&self, root: &str, path: &str) -> Result<Vec<u8>, StoreError>;
}

/// Reads a file of the form; `None` when it is something else.
pub fn read(bytes: &[u8]) -> Option<Foreign> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let (conversation, metadata) = (&value["conversation"], &value["metadata"]);
    let messages = conversation["messages"].as_array()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut found = Foreign {
        id: text(&value["id"])?,
        tag: text(&value["tag"]).filter(|tag| !tag.trim().is_empty()),
        timestamp: time(&value["timestamp"]),
        token_usage: usage(&conversation["tokenUsage"]),
        model: text(&conversation["model"]).unwrap_or_default(),
        memory: ["memory", "mergedMemory"]
            .iter()
            .map(|name| &value["context"][*name])
            .find(|memory| !memory.is_null())
            .cloned(),
        runtime_additions: value["context"]["runtimeAdditions"]
            .as_array()
            .map(|lines| lines.iter().filter_map(text).collect())
            .unwrap_or_default(),
        session_id: text(&metadata["sessionId"]).unwrap_or_default(),
        user_id: text(&metadata["userId"]),
        project_path: text(&metadata["projectPath"]).unwrap_or_default(),
        version: text(&metadata["version"]).unwrap_or_default(),
        ..Foreign::default()
    };
    let major = found.version.split('.').next().and_then(|major| major.parse::<u64>().ok());
    if major.is_some_and(|major| major > KNOWN_MAJOR) {
        found.notes.push(ForeignNote::Newer { version: found.version.clone() });
    }
    for (place, message) in messages.iter().enumerate() {
        match line(message) {
            Some(line) => {
                found.transcript.push_str(&line.to_string());
                found.transcript.push('\n');
                found.messages += 1;
            }
            None => found.notes.push(ForeignNote::MessageLeftOut { place: place + 1 }),
        }
    }
    if let Some(files) = value["files"].as_array() {
        let mut kept = BTreeMap::new();
        files.iter().for_each(|file| take_file(file, &mut kept, &mut found.notes));
        found.files = Some(kept);
    }
    Some(found)
}

/// The files as trees; gives the root and every object, each after what it holds.
pub fn trees(files: &BTreeMap<String, String>) -> (Option<ObjectId>, Vec<Vec<u8>>) {
    let mut objects = Vec::new();
    let files: Vec<(Vec<&str>, &str)> =
        files.iter().map(|(path, text)| (path.split('/').collect(), text.as_str())).collect();
    let root = (!files.is_empty()).then(|| folder(&files, 0, &mut objects));
    (root, objects)
}

/// The tree of files that share their first `depth` names. They are in the order of their paths' names.
fn folder(files: &[(Vec<&str>, &str)], depth: usize, objects: &mut Vec<Vec<u8>>) -> ObjectId {
    let mut below: BTreeMap<&str, Vec<(Vec<&str>, &str)>> = BTreeMap::new();
    for file in files {
        below.entry(file.0[depth]).or_default().push(file.clone());
    }
    let mut entries = Vec::with_capacity(below.len());
    for (name, files) in below {
        let node = match files.iter().find(|(names, _)| names.len() == depth + 1) {
            Some((_, text)) => {
                let (id, size) = (ObjectId::of(text.as_bytes()), text.len() as u64);
                objects.push(text.as_bytes().to_vec());
                Node::Leaf(Leaf::File { id, size, mode: MODE })
            }
            None => Node::Dir(folder(&files, depth + 1, objects)),
        };
        entries.push((name.as_bytes().to_vec(), node));
    }
    let (id, bytes) = Tree::new(entries).encode();
    objects.push(bytes);
    id
}

fn take_file(file: &Value, kept: &mut BTreeMap<String, String>, notes: &mut Vec<ForeignNote>) {
    let path = file["path"].as_str().unwrap_or_default().to_owned();
    let names = || path.split('/');
    let inside = names().all(|name| is_name(name.as_bytes()) && !name.contains(['\\', ':']))
        && !names().any(|name| name.eq_ignore_ascii_case(".git"))
        && names().count() <= 64;
    let Some(content) = file["content"].as_str().filter(|_| inside) else {
        return notes.push(ForeignNote::FileLeftOut { path });
    };
    match file["hash"].as_str() {
        Some("") => {}
        Some(hash) => match is_hash_of(hash, content) {
            Some(true) => {}
            Some(false) => notes.push(ForeignNote::HashDiffers { path: path.clone() }),
            None => notes.push(ForeignNote::HashUnknown { path: path.clone() }),
        },
        None => {}
    }
    kept.insert(path, content.to_owned());
}

/// Whether a hash is the content's; `None` for a kind that is not known. SHA-256 and BLAKE3 are as long as each other.
fn is_hash_of(hash: &str, content: &str) -> Option<bool> {
    let digits = hash.rsplit([':', '-']).next().unwrap_or(hash);
    if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let sha256: String =
        Sha256::digest(content.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let blake3 = ObjectId::of(content.as_bytes()).to_string();
    Some([sha256, blake3].iter().any(|known| known.eq_ignore_ascii_case(digits)))
}

/// A message as a line of a transcript: roles and contents as the usual clients write them.
fn line(message: &Value) -> Option<Value> {
    let role = message["role"].as_str().or(message["type"].as_str())?;
    let role = match role {
        "user" | "human" => "user",
        "assistant" | "model" | "gemini" => "assistant",
        "system" => "system",
        _ => return None,
    };
    let said = [&message["content"], &message["text"], &message["parts"]];
    let content = said.into_iter().find_map(words)?;
    let mut line = json!({"role": role, "content": content});
    if let Some(at) = time(&message["timestamp"]) {
        line["ts"] = json!(at);
    }
    Some(line)
}

fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str().or(part.as_str()));
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// A time as text, or as milliseconds.
fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => Timestamp::from_millisecond(number.as_i64()?).ok(),
        _ => None,
    }
}

/// Counts under the names that the usual clients give them.
fn usage(value: &Value) -> Usage {
    let count = |names: &[&str]| names.iter().find_map(|name| value[*name].as_u64()).unwrap_or(0);
    Usage {
        input_tokens: count(&["input", "inputTokens", "promptTokens", "promptTokenCount"]),
        output_tokens: count(&["output", "outputTokens", "completionTokens"]),
        ..Usage::default()
    }
}

//! The whole tree as JSON: every branch, every summary and every attached byte, loss-free.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::summaries::Told;
use super::{Draft, Format, ImportError, ImportWarning, Read};
use crate::attachment;
use crate::conversation::{Conversation, Folding, Tuning};
use crate::ids::{MessageId, TurnId};
use crate::message::{Message, MessageStatus, Part, Role};
use crate::summary::Record;
use crate::tool::output::KeptOutput;

const FORMAT: &str = "siltstone-conversation";
const VERSION: u64 = 1;

#[derive(Serialize)]
struct Tree<'a> {
    format: &'static str,
    version: u64,
    title: &'a str,
    created_at: Timestamp,
    updated_at: Timestamp,
    provider: Option<&'a str>,
    model: Option<&'a str>,
    tuning: &'a Tuning,
    #[serde(skip_serializing_if = "Option::is_none")]
    folding: Option<Folding>,
    /// Whether secrets were taken out of the texts.
    redacted: bool,
    active: &'a [MessageId],
    messages: Vec<Node<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    summaries: Vec<Told>,
    /// Base64 by hash.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attached: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct Node<'a> {
    id: MessageId,
    parent: Option<MessageId>,
    role: Role,
    parts: &'a [Part],
    status: MessageStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    created_at: Timestamp,
    /// What it weighs here; whoever reads it weighs it anew.
    token_count: u64,
    /// Which messages were one turn. Its record stays here: what was sent, what it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<TurnId>,
}

/// Writes a whole conversation. `active` are the ids of the shown path, first message first; `attached` the bytes of its
/// pictures, files and long results by hash. Of the summaries those that were made are written. `redacted`
/// says whether secrets were taken out of all this.
pub fn write(
    conversation: &Conversation,
    messages: &[Message],
    summaries: &[Record],
    active: &[MessageId],
    attached: &BTreeMap<String, Arc<[u8]>>,
    redacted: bool,
) -> String {
    let tree = Tree {
        format: FORMAT,
        version: VERSION,
        title: &conversation.title,
        created_at: conversation.created_at,
        updated_at: conversation.updated_at,
        provider: conversation.provider.as_deref(),
        model: conversation.model.as_deref(),
        tuning: &conversation.tuning,
        folding: Some(conversation.folding).filter(|own| *own != Folding::default()),
        redacted,
        active,
        messages: messages
            .iter()
            .map(|message| Node {
                id: message.id,
                parent: message.parent_id,
                role: message.role,
                parts: &message.parts,
                status: message.status,
                model: message.model.as_deref(),
                created_at: message.created_at,
                token_count: message.tokens,
                turn: message.turn_id,
            })
            .collect(),
        summaries: summaries.iter().filter_map(Told::of).collect(),
        attached: attached
            .iter()
            .map(|(hash, bytes)| (hash.as_str(), attachment::to_base64(bytes)))
            .collect(),
    };
    // Strings, numbers and lists alone: writing them to memory cannot fail.
    let mut text = serde_json::to_string_pretty(&tree).unwrap_or_default();
    text.push('\n');
    text
}

/// Decides between one JSON value and one a line. The text begins with `{`.
pub(super) fn recognise(text: &str) -> Format {
    #[derive(Deserialize)]
    struct Keys {
        format: Option<IgnoredAny>,
        role: Option<IgnoredAny>,
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Keys>();
    match values.next() {
        Some(Ok(keys)) if keys.format.is_none() && keys.role.is_some() => Format::Jsonl,
        Some(Ok(_)) => Format::Json,
        // Broken from the start: the reader that can say more about it.
        _ if text.contains(FORMAT) => Format::Json,
        _ => Format::Jsonl,
    }
}

#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Deserialize)]
struct TreeIn {
    #[serde(default)]
    title: String,
    #[serde(default)]
    active: Vec<String>,
    #[serde(default)]
    tuning: Tuning,
    /// Read one by one, so that a broken one costs no other.
    #[serde(default)]
    folding: Value,
    /// Beside the messages, and worth no import if they cannot be read.
    #[serde(default)]
    created_at: Value,
    #[serde(default)]
    updated_at: Value,
    messages: Vec<NodeIn>,
    #[serde(default)]
    summaries: Vec<Value>,
    #[serde(default)]
    attached: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct NodeIn {
    id: String,
    parent: Option<String>,
    role: Role,
    parts: Vec<Part>,
    #[serde(default = "complete")]
    status: MessageStatus,
    model: Option<String>,
    created_at: Option<Timestamp>,
    /// Any name that messages of one turn share.
    #[serde(default)]
    turn: Value,
}

fn complete() -> MessageStatus {
    MessageStatus::Complete
}

pub(super) fn read(text: &str) -> Result<Read, ImportError> {
    // The head first: a newer version may have messages that this one cannot read.
    let head: Head = serde_json::from_str(text).map_err(fault)?;
    if head.format.as_deref() != Some(FORMAT) {
        return Err(ImportError::Unrecognised);
    }
    match head.version {
        Some(VERSION) => {}
        Some(found) if found > VERSION => {
            return Err(ImportError::Newer { found, known: VERSION });
        }
        _ => return Err(ImportError::Unrecognised),
    }
    let tree: TreeIn = serde_json::from_str(text).map_err(fault)?;

    let tuning = Some(tree.tuning).filter(Tuning::is_possible).unwrap_or_default();
    let folding = serde_json::from_value(tree.folding).unwrap_or_default();
    let time = |said: Value| serde_json::from_value::<Timestamp>(said).ok();
    let times = time(tree.created_at).zip(time(tree.updated_at));
    let mut read = Read { title: tree.title, tuning, folding, times, ..Read::default() };
    let mut places: HashMap<String, usize> = HashMap::with_capacity(tree.messages.len());
    for node in tree.messages {
        let parent = match &node.parent {
            None => None,
            Some(parent) => Some(*places.get(parent).ok_or_else(|| ImportError::Tree {
                id: node.id.clone(),
                detail: "names a parent that does not come before it",
            })?),
        };
        let mut parts = node.parts;
        for part in &mut parts {
            restore(part, &tree.attached, &mut read);
        }
        read.push(Draft {
            parent,
            role: node.role,
            parts,
            status: node.status,
            model: node.model,
            at: node.created_at,
            turn: node.turn.as_str().map(str::to_owned),
        })?;
        if places.insert(node.id.clone(), read.drafts.len() - 1).is_some() {
            return Err(ImportError::Tree { id: node.id, detail: "is there twice" });
        }
    }
    for summary in tree.summaries {
        let told = serde_json::from_value::<Told>(summary).ok();
        match told.and_then(|told| Some((*places.get(&told.last)?, told))) {
            Some((place, mut told)) => {
                told.place(&places);
                read.summaries.push((place, told));
            }
            None => _ = read.warnings.insert(ImportWarning::SummaryLeftOut),
        }
    }
    read.active = tree.active.last().and_then(|id| places.get(id)).copied();
    Ok(read)
}

/// Takes the whole of a long result over when it is there and is that of its hash.
fn restore_output(
    kept: &mut Option<KeptOutput>,
    encoded: &BTreeMap<String, String>,
    read: &mut Read,
) {
    let Some(named) = kept.take() else { return };
    let bytes = encoded.get(&named.hash).and_then(|text| attachment::from_base64(text));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    match text.map(|text| (KeptOutput::of(&text), text)) {
        Some((own, text)) if own.hash == named.hash => {
            read.outputs.insert(named.hash, text);
            *kept = Some(own);
        }
        _ => _ = read.warnings.insert(ImportWarning::OutputLeftOut),
    }
}

/// Takes a picture or file over when its bytes are there, are those of its hash, and are something that may be attached.
fn restore(part: &mut Part, encoded: &BTreeMap<String, String>, read: &mut Read) {
    if let Part::ToolResult { kept, .. } = part {
        return restore_output(kept, encoded, read);
    }
    let (Part::Image { hash, name, .. } | Part::File { hash, name, .. }) = part else {
        return;
    };
    let known = read.attached.get(hash).map(|(_, bytes)| bytes.clone());
    let bytes = known.or_else(|| encoded.get(hash).and_then(|text| attachment::from_base64(text)));
    let named = bytes.and_then(|bytes| Some((attachment::part_of(name, &bytes).ok()?, bytes)));
    match named.filter(|(named, _)| named.attached_hash() == Some(hash.as_str())) {
        Some((named, bytes)) => {
            read.attached.insert(std::mem::take(hash), (named.clone(), bytes));
            *part = named;
        }
        None => {
            let text = read.leave_out(name);
            *part = Part::Text { text };
        }
    }
}

pub(super) fn fault(error: serde_json::Error) -> ImportError {
    ImportError::Line { line: error.line(), detail: error.to_string() }
}

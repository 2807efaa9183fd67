//! The whole tree as JSON: every branch, loss-free.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{Draft, Format, ImportError, ImportWarning, Read};
use crate::conversation::Conversation;
use crate::ids::{MessageId, TurnId};
use crate::message::{Message, MessageStatus, Part, Role};

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
    active: &'a [MessageId],
    messages: Vec<Node<'a>>,
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
    /// For other programs; a turn's record stays here, so reading does not take it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<TurnId>,
}

/// Writes a whole conversation. `active` are the ids of the shown path, first message first.
pub fn write(conversation: &Conversation, messages: &[Message], active: &[MessageId]) -> String {
    let tree = Tree {
        format: FORMAT,
        version: VERSION,
        title: &conversation.title,
        created_at: conversation.created_at,
        updated_at: conversation.updated_at,
        provider: conversation.provider.as_deref(),
        model: conversation.model.as_deref(),
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
                turn: message.turn_id,
            })
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
    messages: Vec<NodeIn>,
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

    let mut read = Read { title: tree.title, ..Read::default() };
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
            drop_unsafe_hash(part, &mut read);
        }
        read.push(Draft {
            parent,
            role: node.role,
            parts,
            status: node.status,
            model: node.model,
            at: node.created_at,
        })?;
        if places.insert(node.id.clone(), read.drafts.len() - 1).is_some() {
            return Err(ImportError::Tree { id: node.id, detail: "is there twice" });
        }
    }
    read.active = tree.active.last().and_then(|id| places.get(id)).copied();
    Ok(read)
}

/// A hash names a file beside the database, so it must be one and nothing else.
fn drop_unsafe_hash(part: &mut Part, read: &mut Read) {
    let (Part::Image { hash, name, .. } | Part::File { hash, name, .. }) = part else {
        return;
    };
    let is_hash = hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        let name = std::mem::take(name);
        read.warnings.insert(ImportWarning::AttachmentLeftOut { name: name.clone() });
        *part = Part::Text { text: format!("[{name}]") };
    }
}

fn fault(error: serde_json::Error) -> ImportError {
    ImportError::Line { line: error.line(), detail: error.to_string() }
}

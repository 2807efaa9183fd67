//! A conversation of Claude: messages in order, in newer exports each with its parent.
//!
//! A reply that called tools is one message there, with the results inside; here it is as many as the model was asked
//! anew, all of one turn.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::{CIRCLE, ORPHAN, STRANGER, in_order, placed, time, times, tree, word};
use crate::attachment;
use crate::export::{Draft, ImportError, Read};
use crate::message::{MessageStatus, Part, Role};

/// What the first message names as its parent.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

#[derive(Deserialize)]
struct Talk {
    name: Option<String>,
    model: Option<String>,
    #[serde(default)]
    created_at: Value,
    #[serde(default)]
    updated_at: Value,
    current_leaf_message_uuid: Option<String>,
    chat_messages: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    uuid: String,
    sender: String,
    text: Option<String>,
    #[serde(default)]
    created_at: Value,
    content: Option<Vec<Value>>,
    attachments: Option<Vec<Value>>,
    files: Option<Vec<Value>>,
    parent_message_uuid: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Read, ImportError> {
    let talk: Talk = serde_json::from_str(text).map_err(crate::export::json::fault)?;
    let mut read = Read {
        title: talk.name.unwrap_or_default(),
        times: times(&talk.created_at, &talk.updated_at),
        ..Read::default()
    };
    let said = talk.chat_messages;
    let places: HashMap<&str, usize> =
        said.iter().enumerate().map(|(at, one)| (one.uuid.as_str(), at)).collect();
    let grows = said.iter().any(|one| one.parent_message_uuid.is_some());
    let mut parents = Vec::with_capacity(said.len());
    for (at, one) in said.iter().enumerate() {
        parents.push(match one.parent_message_uuid.as_deref() {
            None if !grows => at.checked_sub(1),
            None | Some(ROOT) => None,
            Some(parent) => Some(*places.get(parent).ok_or_else(|| tree(&one.uuid, ORPHAN))?),
        });
    }
    let id_of = |at: usize| said.get(at).map(|one| one.uuid.as_str()).unwrap_or_default();
    let order = in_order(&parents, &[]).map_err(|at| tree(id_of(at), CIRCLE))?;
    let leaf = talk.current_leaf_message_uuid.as_deref().and_then(|id| places.get(id)).copied();
    let shown = leaf.or_else(|| said.len().checked_sub(1));

    let model = talk.model.as_deref();
    let kept = placed(order, &parents, |at, above| {
        said.get(at).map_or(Ok(None), |one| push(&mut read, above, one, model))
    })?;
    read.active = shown.and_then(|at| kept.get(at).copied().flatten());
    Ok(read)
}

/// Adds what was said below `above`, and gives the place of its end.
fn push(
    read: &mut Read,
    above: Option<usize>,
    said: &Said,
    model: Option<&str>,
) -> Result<Option<usize>, ImportError> {
    let role = match said.sender.as_str() {
        "human" | "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return Err(tree(&said.uuid, STRANGER)),
    };
    // Texts of its own, a result of a tool, texts again: each run is one message.
    let mut runs: Vec<(Role, Vec<Part>)> = vec![(role, Vec::new())];
    let mut calls = 0_usize;
    for block in said.content.iter().flatten() {
        let part = match word(block, "type") {
            "thinking" => Part::Reasoning { text: word(block, "thinking").to_owned(), seal: None },
            "tool_use" => {
                calls += 1;
                let arguments = block.get("input").filter(|it| it.is_object());
                Part::ToolCall {
                    id: named(block, "id", &said.uuid, calls),
                    name: word(block, "name").to_owned(),
                    arguments: arguments.map_or_else(|| "{}".to_owned(), Value::to_string),
                    seal: None,
                }
            }
            "tool_result" => Part::ToolResult {
                call_id: named(block, "tool_use_id", &said.uuid, calls),
                text: result(block),
                is_error: block.get("is_error") == Some(&true.into()),
                kept: None,
            },
            _ => Part::Text { text: word(block, "text").to_owned() },
        };
        let speaker = if matches!(part, Part::ToolResult { .. }) { Role::Tool } else { role };
        match runs.last_mut() {
            Some((last, parts)) if *last == speaker => parts.push(part),
            _ => runs.push((speaker, vec![part])),
        }
    }
    if let Some((_, first)) = runs.first_mut() {
        // Older exports have the text alone.
        if said.content.as_ref().is_none_or(Vec::is_empty) {
            first.push(Part::Text { text: said.text.clone().unwrap_or_default() });
        }
        first.extend(attached(read, said));
    }
    runs.iter_mut().for_each(|(_, parts)| parts.retain(|part| !says_nothing(part)));
    runs.retain(|(_, parts)| !parts.is_empty());
    let mut last = above;
    for (role, parts) in runs {
        let turn = if role == Role::User { None } else { read.turn_below(last, &said.uuid) };
        read.push(Draft {
            parent: last,
            role,
            parts,
            status: MessageStatus::Complete,
            model: model.filter(|_| role == Role::Assistant).map(str::to_owned),
            at: time(&said.created_at),
            turn,
        })?;
        last = Some(read.drafts.len() - 1);
    }
    Ok(last)
}

/// Files of which the export has the text, each under its name, and the names of the others.
fn attached(read: &mut Read, said: &Said) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut whole: Vec<&str> = Vec::new();
    for file in said.attachments.iter().flatten() {
        let (name, text) = (word(file, "file_name"), word(file, "extracted_content"));
        if text.is_empty() {
            continue;
        }
        whole.push(name);
        let text = if name.is_empty() { text.to_owned() } else { format!("[{name}]\n{text}") };
        parts.push(match attachment::pasted(text.as_bytes()) {
            Ok(Part::Pasted { hash, lines, tokens, .. }) => {
                Part::Pasted { hash, lines, tokens, text }
            }
            // Too long to be one piece of the composer, and no less said for that.
            _ => Part::Text { text },
        });
    }
    for file in said.attachments.iter().chain(&said.files).flatten() {
        let name = word(file, "file_name");
        if !name.is_empty() && !whole.contains(&name) {
            whole.push(name);
            parts.push(Part::Text { text: format!("\n\n{}", read.leave_out(name)) });
        }
    }
    parts
}

/// The id that a block says, or one of its message and its place there.
fn named(block: &Value, key: &str, message: &str, place: usize) -> String {
    match word(block, key) {
        "" => format!("{message}-{place}"),
        id => id.to_owned(),
    }
}

/// What a tool answered: text, or blocks of which those with text count.
fn result(block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().map(|block| word(block, "text"));
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

fn says_nothing(part: &Part) -> bool {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.trim().is_empty(),
        _ => false,
    }
}

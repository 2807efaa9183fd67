//! A conversation of ChatGPT: nodes by id, each with its parent, and the one at which the shown path ends.
//!
//! What ChatGPT hid from the person (its own rules, and what they told it about themselves once for all conversations)
//! is not taken over; what hangs below it hangs on what it hangs on.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::{
    CIRCLE, ORPHAN, STRANGER, arguments, fenced, in_order, placed, time, times, tree, word,
};
use crate::export::{Draft, ImportError, Read};
use crate::message::{MessageStatus, Part, Role};

#[derive(Deserialize)]
struct Talk {
    title: Option<String>,
    #[serde(default)]
    create_time: Value,
    #[serde(default)]
    update_time: Value,
    mapping: IndexMap<String, Node>,
    current_node: Option<String>,
}

#[derive(Deserialize)]
struct Node {
    message: Option<Said>,
    parent: Option<String>,
    children: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Said {
    author: Author,
    #[serde(default)]
    create_time: Value,
    #[serde(default)]
    content: Value,
    status: Option<String>,
    recipient: Option<String>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Author {
    role: String,
    name: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Read, ImportError> {
    let talk: Talk = serde_json::from_str(text).map_err(crate::export::json::fault)?;
    let mut read = Read {
        title: talk.title.unwrap_or_default(),
        times: times(&talk.create_time, &talk.update_time),
        ..Read::default()
    };
    let place = |id: &str| talk.mapping.get_index_of(id);
    let mut parents = Vec::with_capacity(talk.mapping.len());
    let mut ranks = vec![usize::MAX; talk.mapping.len()];
    for (id, node) in &talk.mapping {
        parents.push(match &node.parent {
            None => None,
            Some(parent) => Some(place(parent).ok_or_else(|| tree(id, ORPHAN))?),
        });
        for (rank, child) in node.children.iter().flatten().enumerate() {
            if let Some(own) = place(child).and_then(|child| ranks.get_mut(child)) {
                *own = rank;
            }
        }
    }
    let shown = talk.current_node.as_deref().and_then(place);
    let mut nodes: Vec<(String, Option<Said>)> =
        talk.mapping.into_iter().map(|(id, node)| (id, node.message)).collect();
    let id_of = |at: usize| nodes.get(at).map(|(id, _)| id.as_str()).unwrap_or_default();
    let order = in_order(&parents, &ranks).map_err(|at| tree(id_of(at), CIRCLE))?;

    let kept = placed(order, &parents, |at, above| {
        let Some((id, said)) = nodes.get_mut(at) else { return Ok(None) };
        said.take().map_or(Ok(None), |said| push(&mut read, above, id, said))
    })?;
    read.active = shown.and_then(|at| kept.get(at).copied().flatten());
    Ok(read)
}

/// Adds what was said below `above`; `None` where nothing was.
fn push(
    read: &mut Read,
    above: Option<usize>,
    id: &str,
    said: Said,
) -> Result<Option<usize>, ImportError> {
    let role = match said.author.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "system" => Role::System,
        _ => return Err(tree(id, STRANGER)),
    };
    let kind = word(&said.content, "content_type");
    let hidden = said.metadata.get("is_visually_hidden_from_conversation") == Some(&true.into());
    let by_person = matches!(role, Role::User | Role::System);
    if kind.ends_with("_editable_context") || (hidden && by_person) {
        return Ok(None);
    }
    let mut parts = thoughts(kind, &said.content);
    let mut above = above;
    let turn = if by_person { None } else { read.turn_below(above, id) };
    let at = time(&said.create_time);
    if parts.is_empty() {
        let text = text(read, &said);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let called = said.recipient.filter(|to| role == Role::Assistant && to != "all");
        parts.push(match (role, called) {
            (_, Some(name)) => {
                Part::ToolCall { id: id.to_owned(), name, arguments: arguments(&text), seal: None }
            }
            (Role::Tool, None) => {
                let call_id = match asked(read, above) {
                    Some(call_id) => call_id,
                    None => {
                        // An answer that nobody asked for in so many words is shown with who gave it.
                        let name = said.author.name.unwrap_or_else(|| "tool".to_owned());
                        let arguments = "{}".to_owned();
                        let call =
                            Part::ToolCall { id: id.to_owned(), name, arguments, seal: None };
                        let (role, turn) = (Role::Assistant, turn.clone());
                        read.push(Draft {
                            parent: above,
                            role,
                            parts: vec![call],
                            status: MessageStatus::Complete,
                            model: None,
                            at,
                            turn,
                        })?;
                        above = Some(read.drafts.len() - 1);
                        id.to_owned()
                    }
                };
                Part::ToolResult { call_id, text, is_error: kind == "system_error", kept: None }
            }
            (_, None) if kind == "code" => {
                Part::Text { text: fenced(&text, word(&said.content, "language")) }
            }
            (_, None) => Part::Text { text },
        });
    }
    let model = word(&said.metadata, "model_slug");
    read.push(Draft {
        parent: above,
        role,
        parts,
        status: match said.status.as_deref() {
            Some("in_progress" | "finished_partial_completion") => MessageStatus::Interrupted,
            _ => MessageStatus::Complete,
        },
        model: (role == Role::Assistant && !model.is_empty()).then(|| model.to_owned()),
        at,
        turn,
    })?;
    Ok(Some(read.drafts.len() - 1))
}

/// The call that the message at this place ends with.
fn asked(read: &Read, place: Option<usize>) -> Option<String> {
    match read.drafts.get(place?)?.parts.last()? {
        Part::ToolCall { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// What the model thought, where this is that.
fn thoughts(kind: &str, content: &Value) -> Vec<Part> {
    let told = match kind {
        "thoughts" => content.get("thoughts").and_then(Value::as_array).map(|all| {
            let one = |it: &Value| joined([word(it, "summary"), word(it, "content")]);
            all.iter().map(one).collect()
        }),
        "reasoning_recap" => Some(vec![word(content, "content").to_owned()]),
        _ => None,
    };
    told.into_iter()
        .flatten()
        .filter(|text: &String| !text.trim().is_empty())
        .map(|text| Part::Reasoning { text, seal: None })
        .collect()
}

/// All text of a message, with the names of its pictures and files where they are.
fn text(read: &mut Read, said: &Said) -> String {
    let attached = said.metadata.get("attachments").and_then(Value::as_array);
    let mut attached: Vec<&Value> = attached.into_iter().flatten().collect();
    let mut pieces: Vec<String> = Vec::new();
    let parts = said.content.get("parts").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let pointer = word(part, "asset_pointer");
        if let Some(text) = part.as_str().or_else(|| part.get("text")?.as_str()) {
            pieces.push(text.to_owned());
        } else if !pointer.is_empty() {
            let file = pointer.rsplit('/').next().unwrap_or_default();
            let named = attached.iter().position(|it| word(it, "id") == file);
            let name = named.map(|at| word(attached.remove(at), "name"));
            pieces.push(read.leave_out(name.filter(|name| !name.is_empty()).unwrap_or(file)));
        }
    }
    for key in ["name", "title", "url", "text", "result", "summary", "content"] {
        pieces.push(word(&said.content, key).to_owned());
    }
    for file in attached {
        let names = [word(file, "name"), word(file, "id")];
        pieces.extend(names.into_iter().find(|it| !it.is_empty()).map(|it| read.leave_out(it)));
    }
    joined(pieces.iter().map(String::as_str))
}

fn joined<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
    let said: Vec<&str> = pieces.into_iter().filter(|piece| !piece.trim().is_empty()).collect();
    said.join("\n\n")
}

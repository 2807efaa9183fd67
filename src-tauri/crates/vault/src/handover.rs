//! Sessions in the forms in which agents go on with them: what each reads when it is told to resume one.
//!
//! Only what a resumed session needs is written, in the words of the newest version of each agent and without any that it
//! would have to believe: no usage, no request ids, no thoughts. The steps are such that a provider takes them (the
//! engine sees to that); arguments of calls that are no JSON object become one.

use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use siltstone_engine::Timestamp;
use siltstone_engine::attachment::to_base64;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::vault::{Agent, ComposeError, Composed, Outgoing, Step};

use crate::lines;

/// The model of a reply that names none.
const NO_MODEL: &str = "unknown";

/// Bytes of a folder's name in Claude Code's own folder; longer ones get a hash, which is not made here.
const LONGEST_NAME: usize = 200;

/// The form of Claude Code: a record a message, each naming the one before it.
pub(crate) fn claude(
    session: &Outgoing<'_>,
    _home: Option<&Path>,
) -> Result<Composed, ComposeError> {
    let mut lines = Vec::new();
    let mut before = Value::Null;
    for (place, step) in session.steps.iter().enumerate() {
        let id = id_of(session.id, place);
        let content: Vec<Value> = step.parts.iter().filter_map(|it| block(it, session)).collect();
        let (kind, message) = match step.role {
            Role::Assistant => ("assistant", reply(step, &id, content)),
            _ => ("user", json!({"role": "user", "content": content})),
        };
        lines.push(json!({
            "parentUuid": before,
            "isSidechain": false,
            "userType": "external",
            "cwd": session.folder,
            "sessionId": session.id,
            "version": env!("CARGO_PKG_VERSION"),
            "gitBranch": session.git_branch.unwrap_or_default(),
            "type": kind,
            "message": message,
            "uuid": id,
            "timestamp": time(step, session),
        }));
        before = Value::String(id);
    }
    if !session.title.is_empty() {
        let (title, id) = (session.title, session.id);
        lines.push(json!({"type": "custom-title", "customTitle": title, "sessionId": id}));
    }
    let folder = claude_folder(session.folder).ok_or_else(|| ComposeError::UnknownFolder {
        agent: Agent::ClaudeCode,
        folder: session.folder.to_owned(),
    })?;
    Ok(Composed {
        path: format!("projects/{folder}/{}.jsonl", session.id),
        bytes: text(&lines),
        resume: format!("claude --resume {}", session.id),
    })
}

/// What Claude Code calls a folder; `None` where it would need the hash that it makes of long ones.
fn claude_folder(folder: &str) -> Option<String> {
    // It counts and replaces units of UTF-16.
    let letters = folder.encode_utf16().map(|unit| {
        let letter = u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
        letter.map_or('-', char::from)
    });
    let name: String = letters.collect();
    (name.len() <= LONGEST_NAME).then_some(name)
}

fn reply(step: &Step, id: &str, content: Vec<Value>) -> Value {
    let calls = step.parts.iter().any(|part| matches!(part, Part::ToolCall { .. }));
    json!({
        "id": format!("msg_{}", id.replace('-', "")),
        "type": "message",
        "role": "assistant",
        "model": step.model.as_deref().unwrap_or(NO_MODEL),
        "content": content,
        "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    })
}

fn block(part: &Part, session: &Outgoing<'_>) -> Option<Value> {
    Some(match part {
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Image { hash, media_type, .. } => {
            let data = to_base64(session.pictures.get(hash)?);
            let source = json!({"type": "base64", "media_type": media_type, "data": data});
            json!({"type": "image", "source": source})
        }
        Part::ToolCall { id, name, arguments, .. } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": object(arguments)})
        }
        Part::ToolResult { call_id, text, is_error, .. } => json!({
            "type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error,
        }),
        Part::File { .. } | Part::Pasted { .. } | Part::Reasoning { .. } => return None,
    })
}

/// The form of Codex: an item a line, and beside it what its terminal shows of it.
pub(crate) fn codex(
    session: &Outgoing<'_>,
    _home: Option<&Path>,
) -> Result<Composed, ComposeError> {
    let line = |at: &str, kind: &str, payload: Value| json!({"timestamp": at, "type": kind, "payload": payload});
    let now = stamp(session.now);
    let about = json!({
        "id": session.id,
        "timestamp": now,
        "cwd": session.folder,
        "originator": "siltstone",
        "cli_version": env!("CARGO_PKG_VERSION"),
        "source": "cli",
    });
    let mut lines = vec![line(&now, "session_meta", about)];
    for step in session.steps {
        let at = time(step, session);
        if step.role == Role::User {
            let content: Vec<Value> =
                step.parts.iter().filter_map(|it| input(it, session)).collect();
            let said = json!({"type": "message", "role": "user", "content": content});
            lines.push(line(&at, "response_item", said));
            let shown = json!({"type": "user_message", "message": words(step), "kind": "plain"});
            lines.push(line(&at, "event_msg", shown));
            continue;
        }
        for part in &step.parts {
            match part {
                Part::Text { text } => {
                    let content = json!([{"type": "output_text", "text": text}]);
                    let said = json!({"type": "message", "role": "assistant", "content": content});
                    lines.push(line(&at, "response_item", said));
                    let shown = json!({"type": "agent_message", "message": text});
                    lines.push(line(&at, "event_msg", shown));
                }
                Part::ToolCall { id, name, arguments, .. } => {
                    let arguments = Value::Object(object(arguments)).to_string();
                    let call = json!({
                        "type": "function_call", "name": name, "arguments": arguments, "call_id": id,
                    });
                    lines.push(line(&at, "response_item", call));
                }
                Part::ToolResult { call_id, text, .. } => {
                    let answer = json!({
                        "type": "function_call_output", "call_id": call_id, "output": text,
                    });
                    lines.push(line(&at, "response_item", answer));
                }
                _ => {}
            }
        }
    }
    let days = session.ended_at.strftime("%Y/%m/%d");
    let name = session.ended_at.strftime("%Y-%m-%dT%H-%M-%S");
    let path = format!("sessions/{days}/rollout-{name}-{}.jsonl", session.id);
    Ok(Composed { path, bytes: text(&lines), resume: format!("codex resume {}", session.id) })
}

fn input(part: &Part, session: &Outgoing<'_>) -> Option<Value> {
    Some(match part {
        Part::Text { text } => json!({"type": "input_text", "text": text}),
        Part::Image { hash, media_type, .. } => {
            let data = to_base64(session.pictures.get(hash)?);
            json!({"type": "input_image", "image_url": format!("data:{media_type};base64,{data}")})
        }
        _ => return None,
    })
}

/// The form of Gemini CLI: a line about the session, then one a message; answers stand with their calls.
pub(crate) fn gemini(
    session: &Outgoing<'_>,
    home: Option<&Path>,
) -> Result<Composed, ComposeError> {
    let unknown = || ComposeError::UnknownFolder {
        agent: Agent::GeminiCli,
        folder: session.folder.to_owned(),
    };
    let project = home.and_then(|home| gemini_folder(home, session.folder)).ok_or_else(unknown)?;
    let now = stamp(session.now);
    let mut lines = vec![json!({
        "sessionId": session.id,
        "projectHash": sha256(session.folder),
        "startTime": now,
        "lastUpdated": now,
        "kind": "main",
    })];
    for (place, step) in session.steps.iter().enumerate() {
        let (id, at) = (id_of(session.id, place), time(step, session));
        match step.role {
            Role::Assistant => {
                let answers = session.steps.get(place + 1).filter(|it| it.role == Role::Tool);
                let mut answers = answers.into_iter().flat_map(|it| &it.parts);
                let calls = step.parts.iter().filter_map(|it| call(it, &mut answers, &at));
                let calls: Vec<Value> = calls.collect();
                let mut said = json!({
                    "id": id, "timestamp": at, "type": "gemini", "content": words(step),
                    "model": step.model.as_deref().unwrap_or(NO_MODEL),
                });
                if !calls.is_empty() {
                    said["toolCalls"] = Value::Array(calls);
                }
                lines.push(said);
            }
            Role::Tool => {}
            Role::User | Role::System => {
                let parts = step.parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(json!({"text": text})),
                    Part::Image { hash, media_type, .. } => {
                        let data = to_base64(session.pictures.get(hash)?);
                        Some(json!({"inlineData": {"mimeType": media_type, "data": data}}))
                    }
                    _ => None,
                });
                let content: Vec<Value> = parts.collect();
                lines.push(json!({"id": id, "timestamp": at, "type": "user", "content": content}));
            }
        }
    }
    let name = session.ended_at.strftime("%Y-%m-%dT%H-%M");
    let begin = session.id.get(..8).unwrap_or(session.id);
    let path = format!("tmp/{project}/chats/session-{name}-{begin}.jsonl");
    Ok(Composed { path, bytes: text(&lines), resume: format!("gemini --resume {}", session.id) })
}

/// The name that Gemini CLI gave to a folder when it was started there.
fn gemini_folder(home: &Path, folder: &str) -> Option<String> {
    let (mut file, _) = crate::open_regular(&home.join("projects.json")).ok()?;
    let known = lines::whole(&mut file).ok()??;
    let name = known.get("projects")?.get(folder)?.as_str()?;
    let plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
    (!name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
}

/// How Gemini CLI tells one folder from another; a session without it is none to it.
fn sha256(folder: &str) -> String {
    Sha256::digest(folder).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn call<'p>(part: &Part, answers: &mut impl Iterator<Item = &'p Part>, at: &str) -> Option<Value> {
    let Part::ToolCall { id, name, arguments, .. } = part else { return None };
    let Some(Part::ToolResult { text, is_error, .. }) = answers.next() else { return None };
    let key = if *is_error { "error" } else { "output" };
    let response = json!({"id": id, "name": name, "response": {key: text}});
    Some(json!({
        "id": id,
        "name": name,
        "args": object(arguments),
        "result": [{"functionResponse": response}],
        "status": if *is_error { "error" } else { "success" },
        "timestamp": at,
    }))
}

/// All texts of a step.
fn words(step: &Step) -> String {
    let texts = step.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// What a tool was called with, as an object whatever it was.
fn object(arguments: &str) -> Map<String, Value> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => object,
        _ => Map::from_iter([("input".to_owned(), Value::String(arguments.to_owned()))]),
    }
}

/// An id of its own for each message, the same whenever the same session is written.
fn id_of(session: &str, place: usize) -> String {
    siltstone_engine::vault::id_of(&format!("{session} {place}"))
}

fn time(step: &Step, session: &Outgoing<'_>) -> String {
    stamp(step.at.unwrap_or(session.now))
}

fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn text(lines: &[Value]) -> Vec<u8> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text.into_bytes()
}

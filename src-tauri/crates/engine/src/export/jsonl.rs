//! The shown path as a transcript: one message a line, as other programs write it too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Draft, ImportError, ImportWarning, Read, readable};
use crate::message::{Message, MessageStatus, Part, Role};

/// A message of a transcript. [`lines`] makes it of ours; hosts add their own fields around it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TranscriptLine {
    /// The message's id; further results in one message get `#2`, `#3`, … behind it.
    pub id: String,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// When.
    pub ts: Timestamp,
    /// For replies: the model that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Tools the model asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<TranscriptCall>,
    /// The call that this answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// For answers of tools: whether the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// How it ended, unless it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MessageStatus>,
}

/// A call of a tool in a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TranscriptCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

/// Writes messages in the given order, one a line.
pub fn write(path: &[Message]) -> String {
    let mut text = String::new();
    for line in path.iter().flat_map(lines) {
        // Strings and numbers alone: writing them to memory cannot fail.
        text.push_str(&serde_json::to_string(&line).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// A message as lines of a transcript: one, and one more for each further result of a tool.
pub fn lines(message: &Message) -> Vec<TranscriptLine> {
    let mut results = Vec::new();
    let mut calls = Vec::new();
    let mut said = Vec::new();
    for part in &message.parts {
        match part {
            Part::ToolResult { call_id, text, is_error, .. } => {
                results.push((call_id, text, *is_error))
            }
            Part::ToolCall { id, name, arguments, .. } => calls.push(TranscriptCall {
                id: id.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
            }),
            other => said.push(other.clone()),
        }
    }
    let content = readable(&said);
    let bare = TranscriptLine {
        id: message.id.to_string(),
        role: message.role,
        content: String::new(),
        ts: message.created_at,
        // Of anybody else it would be read as a person's name.
        speaker: message.model.clone().filter(|_| message.role == Role::Assistant),
        tool_calls: Vec::new(),
        tool_call_id: None,
        is_error: None,
        status: (message.status != MessageStatus::Complete).then_some(message.status),
    };
    let mut lines = Vec::new();
    if results.is_empty() || !content.is_empty() || !calls.is_empty() {
        lines.push(TranscriptLine { content, tool_calls: calls, ..bare.clone() });
    }
    for (call_id, text, is_error) in results {
        lines.push(TranscriptLine {
            content: text.clone(),
            tool_call_id: Some(call_id.clone()),
            is_error: Some(is_error),
            ..bare.clone()
        });
    }
    for (place, line) in lines.iter_mut().enumerate().skip(1) {
        line.id = format!("{}#{}", line.id, place + 1);
    }
    lines
}

#[derive(Deserialize)]
struct LineIn {
    role: String,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    ts: Value,
    speaker: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallIn>>,
    tool_call_id: Option<String>,
    is_error: Option<bool>,
    status: Option<MessageStatus>,
}

/// A call as we write it, or wrapped in `function` as OpenAI's clients do.
#[derive(Deserialize)]
struct CallIn {
    #[serde(default)]
    id: String,
    name: Option<String>,
    #[serde(default)]
    arguments: Value,
    function: Option<FunctionIn>,
}

#[derive(Deserialize)]
struct FunctionIn {
    name: String,
    #[serde(default)]
    arguments: Value,
}

pub(super) fn read(text: &str) -> Result<Read, ImportError> {
    let mut read = Read::default();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    while let Some((place, line)) = lines.next() {
        let number = place + 1;
        match serde_json::from_str::<LineIn>(line) {
            Ok(line) => {
                let draft = draft(line, number, &mut read)?;
                read.follow(draft)?;
            }
            // A program that was killed while it wrote leaves half a line at the end.
            Err(error) if error.is_eof() && lines.peek().is_none() && !read.drafts.is_empty() => {
                read.warnings.insert(ImportWarning::LastLineCut { line: number });
            }
            Err(error) => {
                return Err(ImportError::Line { line: number, detail: error.to_string() });
            }
        }
    }
    Ok(read)
}

fn draft(line: LineIn, number: usize, read: &mut Read) -> Result<Draft, ImportError> {
    let refused = |detail: &str| ImportError::Line { line: number, detail: detail.to_owned() };
    let role = role(&line.role).ok_or_else(|| refused("an unknown role"))?;
    let mut content = content(line.content).ok_or_else(|| refused("content that is not text"))?;
    let mut model = None;
    if let Some(speaker) = line.speaker.filter(|speaker| !speaker.trim().is_empty()) {
        if role == Role::Assistant {
            model = Some(speaker);
        } else {
            content = format!("{speaker}: {content}");
            read.warnings.insert(ImportWarning::SpeakersInText);
        }
    }
    let at = match &line.ts {
        Value::Null => None,
        Value::String(ts) => ts.parse().ok(),
        _ => None,
    };
    if at.is_none() && !line.ts.is_null() {
        read.warnings.insert(ImportWarning::TimeUnreadable { line: number });
    }
    let mut parts = Vec::new();
    parts.push(match role {
        Role::Tool => Part::ToolResult {
            call_id: line.tool_call_id.unwrap_or_default(),
            text: content,
            is_error: line.is_error.unwrap_or(false),
            kept: None,
        },
        _ => Part::Text { text: content },
    });
    for call in line.tool_calls.unwrap_or_default() {
        let (name, arguments) = match (call.name, call.function) {
            (Some(name), _) => (name, call.arguments),
            (None, Some(function)) => (function.name, function.arguments),
            (None, None) => return Err(refused("a tool call without a name")),
        };
        parts.push(Part::ToolCall {
            id: call.id,
            name,
            arguments: match arguments {
                Value::String(text) => text,
                Value::Null => String::new(),
                value => value.to_string(),
            },
            seal: None,
        });
    }
    Ok(Draft {
        parent: None,
        role,
        parts,
        status: line.status.unwrap_or(MessageStatus::Complete),
        model,
        at,
        turn: None,
    })
}

/// Our roles, and the names that other programs have for them.
fn role(name: &str) -> Option<Role> {
    match name {
        "user" | "human" => Some(Role::User),
        "assistant" | "model" | "ai" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    }
}

/// Text, nothing, or a list of parts of which those with a `text` count.
fn content(value: Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
                .collect(),
        ),
        _ => None,
    }
}

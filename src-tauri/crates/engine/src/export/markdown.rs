//! The shown path as Markdown for reading, with a comment before each message that makes it readable back.
//!
//! A marker stands alone at the beginning of a line. A line of a message that looks like one gets a backslash, and one
//! that has backslashes there gets one more, so nothing a message says can pass for a marker. A code block that a
//! message leaves open is closed for the reader's sake; the marker says so and reading takes the line off again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::one_line;
use super::{Draft, ImportError, Read, readable};
use crate::message::{Message, MessageStatus, Part, Role};

const OPEN: &str = "<!-- ";
const HEAD: &str = "<!-- siltstone conversation ";
const MESSAGE: &str = "<!-- siltstone message ";
const CLOSE: &str = " -->";
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct Marker {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    role: Role,
    at: Option<Timestamp>,
    #[serde(default = "complete", skip_serializing_if = "is_complete")]
    status: MessageStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The last line only closes a code block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    closed: bool,
}

fn complete() -> MessageStatus {
    MessageStatus::Complete
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_complete(status: &MessageStatus) -> bool {
    *status == MessageStatus::Complete
}

/// Writes messages in the given order. The headings are Korean when the conversation is.
pub fn write(title: &str, path: &[Message]) -> String {
    let korean = has_hangul(title) || path.first().is_some_and(|first| has_hangul(&first.text()));
    let mut out = String::new();
    comment(&mut out, HEAD, &Head { version: VERSION });
    out.push_str("# ");
    out.push_str(&one_line(title));
    out.push_str("\n\n");
    for message in path {
        let text = readable(&message.parts);
        let fence = open_fence(&text);
        let marker = Marker {
            id: Some(message.id.to_string()),
            role: message.role,
            at: Some(message.created_at),
            status: message.status,
            model: message.model.clone(),
            closed: fence.is_some(),
        };
        comment(&mut out, MESSAGE, &marker);
        out.push_str("## ");
        out.push_str(&speaker(message, korean));
        out.push_str(" · ");
        out.push_str(&message.created_at.strftime("%Y-%m-%d %H:%M UTC").to_string());
        out.push_str("\n\n");
        for line in text.split('\n') {
            push_escaped(&mut out, line);
            out.push('\n');
        }
        if let Some(fence) = fence {
            out.push_str(&fence);
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

fn comment(out: &mut String, open: &str, value: &impl Serialize) {
    out.push_str(open);
    // Strings and numbers alone: writing them to memory cannot fail. `>` alone could end the comment early.
    let value = serde_json::to_string(value).unwrap_or_default();
    out.push_str(&value.replace('>', "\\u003e"));
    out.push_str(CLOSE);
    out.push('\n');
}

fn speaker(message: &Message, korean: bool) -> String {
    let word = match (message.role, korean) {
        (Role::User, false) => "You",
        (Role::User, true) => "나",
        (Role::Assistant, false) => "Model",
        (Role::Assistant, true) => "모델",
        (Role::System, false) => "System",
        (Role::System, true) => "시스템",
        (Role::Tool, false) => "Tool",
        (Role::Tool, true) => "도구",
    };
    match &message.model {
        Some(model) => format!("{word} ({})", one_line(model)),
        None => word.to_owned(),
    }
}

fn has_hangul(text: &str) -> bool {
    text.chars().any(|c| ('\u{AC00}'..='\u{D7A3}').contains(&c))
}

/// What follows the backslashes of a line that is, or looks like, one of ours.
fn after_backslashes(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(OPEN)?;
    rest.trim_start_matches('\\').starts_with("siltstone ").then_some(rest)
}

fn push_escaped(out: &mut String, line: &str) {
    match after_backslashes(line) {
        Some(rest) => {
            out.push_str(OPEN);
            out.push('\\');
            out.push_str(rest);
        }
        None => out.push_str(line),
    }
}

fn unescaped(line: &str) -> String {
    match after_backslashes(line).and_then(|rest| rest.strip_prefix('\\')) {
        Some(rest) => format!("{OPEN}{rest}"),
        None => line.to_owned(),
    }
}

/// The fence that closes a code block which the text leaves open.
fn open_fence(text: &str) -> Option<String> {
    let mut open: Option<(char, usize)> = None;
    for line in text.split('\n') {
        let inner = line.trim_start_matches(' ');
        if line.len() - inner.len() > 3 {
            continue;
        }
        let Some(mark) = inner.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            continue;
        };
        let rest = inner.trim_start_matches(mark);
        let length = inner.len() - rest.len();
        match open {
            None if length >= 3 && !(mark == '`' && rest.contains('`')) => {
                open = Some((mark, length));
            }
            Some((opened, least))
                if mark == opened && length >= least && rest.trim().is_empty() =>
            {
                open = None;
            }
            _ => {}
        }
    }
    open.map(|(mark, length)| String::from(mark).repeat(length))
}

pub(super) fn recognise(text: &str) -> bool {
    text.trim_start().starts_with(HEAD)
}

pub(super) fn read(text: &str) -> Result<Read, ImportError> {
    let mut read = Read::default();
    // An editor or git may have turned every line end into CR LF; the first line tells.
    let crlf = text.trim_start().split('\n').next().is_some_and(|line| line.ends_with('\r'));
    let mut open: Option<(Marker, Vec<String>)> = None;
    for (place, line) in text.split('\n').enumerate() {
        let line = if crlf { line.strip_suffix('\r').unwrap_or(line) } else { line };
        let number = place + 1;
        if let Some(attributes) = attributes(line, HEAD) {
            let head: Head = parse(attributes, number)?;
            if head.version > VERSION {
                return Err(ImportError::Newer { found: head.version, known: VERSION });
            }
        } else if let Some(attributes) = attributes(line, MESSAGE) {
            let marker: Marker = parse(attributes, number)?;
            if let Some((marker, lines)) = open.replace((marker, Vec::new())) {
                read.follow(draft(marker, lines))?;
            }
        } else if let Some((_, lines)) = &mut open {
            lines.push(unescaped(line));
        } else if let Some(title) = line.strip_prefix("# ") {
            read.title = title.trim().to_owned();
        }
    }
    if let Some((marker, mut lines)) = open {
        // What follows the last line end.
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        read.follow(draft(marker, lines))?;
    }
    Ok(read)
}

fn attributes<'a>(line: &'a str, open: &str) -> Option<&'a str> {
    line.strip_prefix(open)?.trim_end().strip_suffix(CLOSE)
}

fn parse<'a, T: Deserialize<'a>>(attributes: &'a str, line: usize) -> Result<T, ImportError> {
    serde_json::from_str(attributes)
        .map_err(|error| ImportError::Line { line, detail: error.to_string() })
}

/// Takes off what writing put around the text: the heading, a blank line on each side, a closing fence.
fn draft(marker: Marker, mut lines: Vec<String>) -> Draft {
    let mut from = 0;
    if lines.first().is_some_and(|line| line.starts_with("## ")) {
        from += 1;
        if lines.get(from).is_some_and(String::is_empty) {
            from += 1;
        }
    }
    if lines.len() > from && lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if marker.closed && lines.len() > from {
        lines.pop();
    }
    let text = lines.get(from..).unwrap_or_default().join("\n");
    let part = match marker.role {
        // Of which call, the form does not say; that it is no more than an answer, it does.
        Role::Tool => {
            Part::ToolResult { call_id: String::new(), text, is_error: false, kept: None }
        }
        _ => Part::Text { text },
    };
    Draft {
        parent: None,
        role: marker.role,
        parts: vec![part],
        status: marker.status,
        model: marker.model,
        at: marker.at,
        turn: None,
    }
}

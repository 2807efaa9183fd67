//! Tool calls in words: what was read, changed, run and looked for.

use serde_json::{Map, Value};

use super::Block;
use super::plain::plain;
use crate::density::sentences;
use crate::message::{Message, Part};

/// Most letters of a path, a command or a pattern that is named; half of one would say something else.
const NAMED: usize = 120;

/// Letters from which on no more is named for a message.
const ENOUGH: usize = 200;

/// What a message attaches, calls for, and heard of a failure, as a sentence in the words of `language`; nothing where that
/// says nothing.
pub(crate) fn acts(message: &Message, language: &str) -> Option<Block> {
    let korean = language == "ko";
    let mut said: Vec<String> = Vec::new();
    let mut letters = 0;
    for part in &message.parts {
        let act = match part {
            Part::Image { name, .. } | Part::File { name, .. } => attached(name, korean),
            Part::ToolCall { name, arguments, .. } => called(name, arguments, korean),
            Part::ToolResult { text, is_error: true, .. } => failed(text, korean),
            _ => None,
        };
        let is_new = |act: &String| letters < ENOUGH && !said.contains(act);
        // What reads like several sentences would be parted.
        let Some(act) = act.filter(|act| is_new(act) && sentences(act).len() == 1) else {
            continue;
        };
        letters += act.chars().count();
        said.push(act);
    }
    let mut text = said.join("; ");
    if !korean && let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text.push('.');
    (!said.is_empty()).then_some(Block { text, head: false, under: None })
}

fn attached(name: &str, korean: bool) -> Option<String> {
    let name = named(name)?;
    Some(if korean { format!("{name} 첨부") } else { format!("attached {name}") })
}

fn called(tool: &str, arguments: &str, korean: bool) -> Option<String> {
    let fields: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let tool = tool.to_ascii_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| tool.contains(word));
    let field = |names: &[&str]| {
        let text = names.iter().find_map(|name| text_of(fields.get(*name)?))?;
        // What is escaped in the arguments stands there in other letters, and nobody could find it again.
        named(text).filter(|text| arguments.contains(text.as_str()))
    };
    let said = |en: &str, ko: &str, what: String| {
        if korean { format!("{what} {ko}") } else { format!("{en} {what}") }
    };
    if let Some(command) = field(&["command", "cmd", "script"]) {
        return (!command.contains('`')).then(|| said("ran", "실행", format!("`{command}`")));
    }
    if let Some(pattern) = field(&["query", "pattern"]) {
        return Some(said("searched for", "검색", pattern));
    }
    if let Some(url) = field(&["url", "uri"]) {
        return Some(said("opened", "열기", url));
    }
    if let Some(from) = field(&["from"]) {
        return field(&["to"]).map(|to| said("moved", "이동", format!("{from} → {to}")));
    }
    let path = field(&["path", "file_path", "filename", "file", "notebook_path"])?;
    let (en, ko) = match () {
        () if is(&["delete", "remove"]) => ("deleted", "삭제"),
        () if is(&["write", "edit", "create", "replace", "patch", "insert"]) => ("changed", "수정"),
        () if is(&["list", "find", "search", "glob", "grep"]) => ("looked through", "살펴봄"),
        () => ("read", "읽음"),
    };
    Some(said(en, ko, path))
}

/// A text, or the line that a shell is given, `["bash", "-lc", "make"]`.
fn text_of(value: &Value) -> Option<&str> {
    match value.as_array().map(Vec::as_slice) {
        Some([_, flag, line]) if flag.as_str()?.ends_with('c') => line.as_str(),
        _ => value.as_str(),
    }
}

/// What a failed tool answered, by its first line, where that is words.
fn failed(text: &str, korean: bool) -> Option<String> {
    let line = plain(text.trim().lines().next().unwrap_or_default());
    let line = named(&line).filter(|line| !line.starts_with(['{', '[', '<']))?;
    Some(if korean { format!("실패: {line}") } else { format!("failed: {line}") })
}

/// What can be named: on one line, and not too long.
fn named(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = !text.is_empty() && !text.contains('\n') && text.chars().count() <= NAMED;
    fits.then(|| text.to_owned())
}

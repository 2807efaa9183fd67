//! What an agent reads: a request's sections as blocks of text, the question last. Everything that is quoted stands between
//! fences longer than any in it, so that no file, result or message can end its own quotation and speak for somebody else.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use siltstone_engine::fence::{fenced, quoted};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{Section, SectionKind};

/// Stands above what was said before, which is not the agent's own memory.
const EARLIER: &str =
    "What follows was said earlier in this conversation, by the person and by you.";

/// Stands below a call whose result nobody knows: it was cut off, or is not in the request.
const UNKNOWN: &str = "Its result is not known here; it may have been carried out.";

/// The blocks of a prompt, the pictures before the question, if there is anything before it. A file goes nowhere: the request
/// left it out, and says so.
pub(super) fn blocks(request: &ModelRequest, pictures: Vec<Value>) -> Vec<Value> {
    let (mut before, mut said, mut now) = (Vec::new(), Vec::new(), Vec::new());
    for (at, section) in request.sections.iter().enumerate() {
        match section.kind {
            SectionKind::Tools => {}
            SectionKind::Draft => now.push(section.text.clone()),
            SectionKind::VolatileContext if section.role != Role::System => {
                now.push(section.text.clone());
            }
            SectionKind::Turn => said.extend(turn(section, &request.sections[at + 1..])),
            SectionKind::Memory => before.push(quoted("Memory", &section.source, &section.text)),
            SectionKind::Plan => {
                before.push(quoted("Work in progress", &section.source, &section.text));
            }
            SectionKind::Summary => {
                said.push(quoted("A summary of what was said", &section.source, &section.text));
            }
            SectionKind::Passage => now.push(quoted("Passage", &section.source, &section.text)),
            SectionKind::Instructions
            | SectionKind::PersistentContext
            | SectionKind::VolatileContext => before.push(section.text.clone()),
        }
    }
    if !said.is_empty() {
        said.insert(0, EARLIER.to_owned());
    }
    let text = |texts: Vec<String>| {
        let texts: Vec<String> = texts.into_iter().filter(|it| !it.trim().is_empty()).collect();
        let text = texts.join("\n\n");
        (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
    };
    let before: Vec<Value> = text(before).into_iter().chain(text(said)).collect();
    let now = text(now);
    if before.is_empty() {
        // A command of the agent's is one where nothing stands before it.
        return now.into_iter().chain(pictures).collect();
    }
    before.into_iter().chain(pictures).chain(now).collect()
}

/// The pictures of the question and of what was said before, in order.
pub(super) fn pictures(request: &ModelRequest) -> Vec<Value> {
    let of = |it: &&Section| matches!(it.kind, SectionKind::Turn | SectionKind::Draft);
    let parts = request.sections.iter().filter(of).flat_map(|section| &section.parts);
    let block = |part: &Part| {
        let Part::Image { hash, media_type, .. } = part else { return None };
        let data = BASE64_STANDARD.encode(request.attached.get(hash)?);
        Some(json!({"type": "image", "mimeType": media_type, "data": data}))
    };
    parts.filter_map(block).collect()
}

/// A message that was said, with what it called for and what came of it, which stands behind it.
fn turn(section: &Section, behind: &[Section]) -> Vec<String> {
    let mut told = Vec::new();
    if !section.text.trim().is_empty() {
        told.push(match section.role {
            Role::Assistant => fenced("You answered", &section.text),
            Role::Tool => fenced("The result of a tool", &section.text),
            _ => fenced("The person said", &section.text),
        });
    }
    for part in &section.parts {
        match part {
            Part::ToolCall { id, name, arguments, .. } => {
                told.push(quoted("You called a tool", name, arguments));
                if !is_answered(id, behind) {
                    told.push(UNKNOWN.to_owned());
                }
            }
            Part::ToolResult { text, .. } if section.text.trim().is_empty() => {
                told.push(fenced("Its result", text));
            }
            _ => {}
        }
    }
    told
}

/// Whether the result of a call is there, before another call of its id: each message is a session of its own, and an agent
/// may number the calls of each anew.
fn is_answered(call: &str, behind: &[Section]) -> bool {
    let found = behind.iter().flat_map(|section| &section.parts).find(|part| match part {
        Part::ToolResult { call_id: id, .. } | Part::ToolCall { id, .. } => id == call,
        _ => false,
    });
    matches!(found, Some(Part::ToolResult { .. }))
}

#[cfg(test)]
mod tests {
    use siltstone_engine::prompt::tools_section;

    use super::*;

    #[test]
    fn a_call_whose_result_is_not_known_says_so() {
        let part = |id: &str| Part::ToolCall {
            id: id.to_owned(),
            name: "agent: edit".to_owned(),
            arguments: "{}".to_owned(),
            seal: None,
        };
        let said = |role, parts| Section {
            kind: SectionKind::Turn,
            role,
            text: String::new(),
            parts,
            ..tools_section(&[])
        };
        let result = Part::ToolResult {
            call_id: "a".to_owned(),
            text: "x".to_owned(),
            is_error: false,
            kept: None,
        };
        let all = [
            said(Role::Assistant, vec![part("a"), part("b")]),
            said(Role::Assistant, vec![part("a")]),
            said(Role::Tool, vec![result]),
        ];
        let unknown = |at: usize| {
            let told = turn(&all[at], &all[at + 1..]);
            told.iter().filter(|it| *it == UNKNOWN).count()
        };
        assert_eq!((unknown(0), unknown(1)), (2, 0));
    }
}

//! What an agent reads: a request's sections as blocks of text, the question last. Everything that is quoted stands between
//! fences longer than any in it, so that no file, result or message can end its own quotation and speak for somebody else.

use serde_json::{Value, json};
use siltstone_engine::fence;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{Section, SectionKind};

/// Stands above what was said before, which is not the agent's own memory.
const EARLIER: &str =
    "What follows was said earlier in this conversation, by the person and by you.";

/// The blocks of a prompt. No picture or file goes: the request left them out, and says so.
pub(super) fn blocks(request: &ModelRequest) -> Vec<Value> {
    let (mut before, mut said, mut now) = (Vec::new(), Vec::new(), Vec::new());
    for section in &request.sections {
        match section.kind {
            SectionKind::Tools => {}
            SectionKind::Draft => now.push(section.text.clone()),
            SectionKind::VolatileContext if section.role != Role::System => {
                now.push(section.text.clone());
            }
            SectionKind::Turn => said.extend(turn(section)),
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
    let blocks = [before, said, now].map(|texts| {
        let texts: Vec<String> = texts.into_iter().filter(|it| !it.trim().is_empty()).collect();
        texts.join("\n\n")
    });
    let blocks = blocks.into_iter().filter(|text| !text.is_empty());
    blocks.map(|text| json!({"type": "text", "text": text})).collect()
}

/// A message that was said, with what it called for and what came of it.
fn turn(section: &Section) -> Vec<String> {
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
            Part::ToolCall { name, arguments, .. } => {
                told.push(quoted("You called a tool", name, arguments));
            }
            Part::ToolResult { text, .. } if section.text.trim().is_empty() => {
                told.push(fenced("Its result", text));
            }
            _ => {}
        }
    }
    told
}

fn quoted(what: &str, source: &str, text: &str) -> String {
    let on_one_line = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
    let source: String = source.chars().map(on_one_line).collect();
    fenced(&format!("{what}, {source}"), text)
}

fn fenced(what: &str, text: &str) -> String {
    let fence = fence::around(text);
    format!("{what}:\n{fence}\n{text}\n{fence}")
}

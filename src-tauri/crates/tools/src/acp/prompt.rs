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

/// The blocks of a prompt, the pictures before the question. A file goes nowhere: the request left it out, and says so.
pub(super) fn blocks(request: &ModelRequest, pictures: Vec<Value>) -> Vec<Value> {
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
    let text = |texts: Vec<String>| {
        let texts: Vec<String> = texts.into_iter().filter(|it| !it.trim().is_empty()).collect();
        let text = texts.join("\n\n");
        (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
    };
    let before = text(before).into_iter().chain(text(said));
    before.chain(pictures).chain(text(now)).collect()
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

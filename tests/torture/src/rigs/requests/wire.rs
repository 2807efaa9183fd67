//! Whether the bytes that arrived are what was shown, and nothing besides: the sections are looked for in the body one after
//! the other, and between them there may stand only what says where a piece comes from.

use serde_json::Value;
use siltstone_engine::attachment::to_base64;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{Section, SectionKind, TOOLS};
use siltstone_test_servers::request::Received;

use super::server::text;

/// Stands where a message of the other side would be, and where the result of a call that was cut off.
const FILLERS: [&str; 2] = [
    "[…]",
    "The call was interrupted before it had a result. Whether it has done anything is not known.",
];

/// What is wrong with what arrived for a request of these sections; nothing when one of the bodies is exactly it.
pub fn wrong(shown: &[Section], asked: &ModelRequest, arrived: &[Received]) -> Option<String> {
    let mut why = Vec::new();
    for received in arrived {
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        match compare(shown, asked, &body) {
            Ok(()) => return None,
            Err(wrong) => why.push(wrong),
        }
    }
    Some(format!("{} bodies arrived: {}", why.len(), why.join("; ")))
}

fn compare(shown: &[Section], asked: &ModelRequest, body: &Value) -> Result<(), String> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let side = |it: &&Value| it["role"] == "system";
    let system: Vec<String> = messages.iter().filter(side).map(text).collect();
    let is_system = |it: &&Section| {
        matches!(
            it.kind,
            SectionKind::Instructions
                | SectionKind::Memory
                | SectionKind::PersistentContext
                | SectionKind::Plan
                | SectionKind::Summary
        ) || (it.kind == SectionKind::VolatileContext && it.role == Role::System)
    };
    walked(&system.join("\n\n"), shown.iter().filter(is_system))?;
    let talk: Vec<String> = messages.iter().filter(|it| !side(it)).map(said).collect();
    let of_talk = |it: &&Section| !is_system(it) && it.id != TOOLS;
    walked(&talk.join("\n\n"), shown.iter().filter(of_talk))?;
    tools(shown, body)?;
    attached(shown, asked, messages)
}

/// Everything that a message of the talk says, calls of tools and their results included.
fn said(message: &Value) -> String {
    let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls = calls.iter().map(|call| {
        let of = |name: &str| call["function"][name].as_str().unwrap_or_default().to_owned();
        format!("{}\n{}", of("name"), of("arguments"))
    });
    std::iter::once(text(message)).chain(calls).collect::<Vec<_>>().join("\n\n")
}

/// Looks for each section behind the one before; what is left between them is nobody's words.
fn walked<'a>(text: &str, sections: impl Iterator<Item = &'a Section>) -> Result<(), String> {
    let mut rest = text;
    for section in sections {
        for piece in pieces(section) {
            let piece = piece.trim_end();
            let Some(at) = rest.find(piece) else {
                return Err(format!("{} did not arrive: {:?}", section.id, short(piece)));
            };
            let (before, after) = rest.split_at(at);
            let beside = beside(before, section);
            if !beside.is_empty() {
                return Err(format!("before {} stands {:?}", section.id, short(&beside)));
            }
            rest = &after[piece.len()..];
        }
    }
    let mut end = rest.lines().map(|line| line.trim().trim_matches('`'));
    match end.find(|line| !line.is_empty() && !FILLERS.contains(line)) {
        Some(alien) => Err(format!("at the end stands {:?}", short(alien))),
        None => Ok(()),
    }
}

/// What a section says, in its order.
fn pieces(section: &Section) -> Vec<&str> {
    let mut pieces = Vec::new();
    // What a tool answered stands in its part.
    if section.role != Role::Tool && !section.text.trim().is_empty() {
        pieces.push(section.text.as_str());
    }
    for part in &section.parts {
        match part {
            Part::ToolCall { name, arguments, .. } => pieces.extend([name.as_str(), arguments]),
            Part::ToolResult { text, .. } => pieces.push(text),
            _ => {}
        }
    }
    pieces
}

/// What stands before a section and is neither a fence nor its heading.
fn beside(before: &str, section: &Section) -> String {
    let lines = before.lines().map(|line| line.trim().trim_matches('`'));
    let heading = |line: &str| {
        let source = section.source.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c });
        let source: String = source.collect();
        let quoted = ["Memory", "Passage", "Work in progress", "Earlier conversation"];
        quoted.iter().any(|what| line == format!("{what}, {source}:"))
            // Its name is a piece of its own.
            || ["Tool call,", "Its result,", "Result of a tool,"].iter().any(|it| line.starts_with(it))
            || line == ":"
    };
    let left_out = |line: &str| line.contains("cannot be sent to this model");
    let failed = |part: &Part| matches!(part, Part::ToolResult { is_error: true, .. });
    let failed = section.parts.iter().any(failed);
    let alien = lines.filter(|line| {
        let ours = line.is_empty() || FILLERS.contains(line) || failed && *line == "Error:";
        !(ours || heading(line) || left_out(line))
    });
    alien.collect::<Vec<_>>().join(" ")
}

/// The tools that are offered are those that are shown.
fn tools(shown: &[Section], body: &Value) -> Result<(), String> {
    let offered = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let section = shown.iter().find(|section| section.id == TOOLS);
    let text = section.map(|section| section.text.as_str()).unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("- ")).count();
    if offered.len() != lines {
        return Err(format!("{} tools arrived and {lines} are shown", offered.len()));
    }
    for tool in offered {
        let name = tool["function"]["name"].as_str().unwrap_or_default();
        if !text.contains(&format!("- {name}: ")) {
            return Err(format!("the tool {name} arrived and is not shown"));
        }
    }
    Ok(())
}

/// As many pictures and files arrive as are shown, each as its bytes.
fn attached(shown: &[Section], asked: &ModelRequest, messages: &[Value]) -> Result<(), String> {
    let items = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let items: Vec<String> =
        items.filter(|item| item["text"].is_null()).map(Value::to_string).collect();
    let parts: Vec<&str> = shown
        .iter()
        .flat_map(|section| section.attached())
        .filter_map(|part| part.attached_hash())
        .collect();
    if items.len() != parts.len() {
        return Err(format!("{} attachments arrived and {} are shown", items.len(), parts.len()));
    }
    for (item, hash) in items.iter().zip(parts) {
        let bytes = asked.attached.get(hash).map(|bytes| to_base64(bytes));
        if !bytes.is_some_and(|bytes| item.contains(&bytes)) {
            return Err(format!("{hash} arrived as something else"));
        }
    }
    Ok(())
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

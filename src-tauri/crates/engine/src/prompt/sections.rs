//! The sections a request is made of, each from what it shows.

use std::borrow::Borrow;

use super::{Ask, MemoryText, OWN_TEXTS, default_rules};
use crate::earlier::Extract;
use crate::link;
use crate::memory::{InjectedWhy, MemoryLayer};
use crate::mention::Mention;
use crate::message::{Message, Part, Role, text_of};
use crate::passage::Passage;
use crate::provider::ModelInfo;
use crate::section::{
    CONTINUE, CONVERSATION_INSTRUCTIONS, DRAFT, EXTRACT, INSTRUCTIONS, LeftOut, LeftOutWhy,
    MENTION, PASSAGE, RULES, Reason, Section, SectionKind, TOOLS, id_of_memory, id_of_message,
    id_of_summary,
};
use crate::summary::{Raw, Told, TurnSpan};
use crate::tokens::Scale;
use crate::tool::ToolSpec;

/// What a model reads after as much of a result as is sent.
const SHORTENED: &str = "[shortened to make room; call the tool again for the rest]";

pub(super) fn instructions(language: &str) -> Section {
    section(
        INSTRUCTIONS,
        SectionKind::Instructions,
        Role::System,
        "siltstone",
        default_rules(language),
        Reason::Base,
    )
}

pub(super) fn conversation_instructions(text: &str) -> Option<Section> {
    let text = text.trim();
    (!text.is_empty()).then(|| {
        section(
            CONVERSATION_INSTRUCTIONS,
            SectionKind::Instructions,
            Role::System,
            "conversation",
            text,
            Reason::ConversationRule,
        )
    })
}

/// What is shown of a tool.
pub fn tool_line(tool: &ToolSpec) -> String {
    format!("- {}: {}\n  {}", tool.name, tool.description, tool.schema)
}

/// The tools that a model may call. It is sent beside the talk; here it is seen and counted.
pub fn tools_section(tools: &[ToolSpec]) -> Section {
    let text: Vec<String> = tools.iter().map(tool_line).collect();
    section(TOOLS, SectionKind::Tools, Role::System, "siltstone", &text.join("\n"), Reason::Base)
}

/// What a server wants models to be told, which the person let take effect. Quoted: it is the server's word.
pub fn server_section(server: &str, said: &str) -> Section {
    let quoted: Vec<String> = said.lines().map(|line| format!("> {line}")).collect();
    let text = format!("The server {server} says of its tools:\n{}", quoted.join("\n"));
    let (id, kind) = (format!("server:{server}"), SectionKind::PersistentContext);
    section(&id, kind, Role::System, server, &text, Reason::Base)
}

/// Takes out the pictures and files that the model does not read; the text still goes.
pub(super) fn without_untaken(
    section: &mut Section,
    model: &ModelInfo,
    scale: &Scale<'_>,
) -> Vec<LeftOut> {
    let mut untaken = Vec::new();
    section.parts.retain(|part| match part {
        Part::Image { name, tokens, .. } | Part::File { name, tokens, .. }
            if !model.takes(part) =>
        {
            let why = LeftOutWhy::NotTaken;
            untaken.push(LeftOut::new(name, scale.correct(*tokens), why));
            false
        }
        _ => true,
    });
    let tokens: u64 = untaken.iter().map(|left| left.tokens).sum();
    section.tokens = section.tokens.saturating_sub(tokens);
    untaken
}

/// A memory file's rules where it has any, and the whole of it where that is more.
pub(super) fn memory_sections(memory: &MemoryText) -> impl Iterator<Item = Section> {
    let whole = (memory.must.as_ref() != Some(&memory.text)).then(|| memory_section(memory));
    let rules = memory.must.as_ref().map(|must| {
        let (text, why) = (must.clone(), InjectedWhy::Must);
        let mut rules = memory_section(&MemoryText { text, why, ..memory.clone() });
        rules.id.push_str(RULES);
        rules
    });
    rules.into_iter().chain(whole)
}

fn memory_section(memory: &MemoryText) -> Section {
    let MemoryText { path, text, layer, why, .. } = memory;
    let source = match layer {
        // Where it is on this computer is nobody's business.
        MemoryLayer::Global => {
            format!("{} (global)", path.rsplit(['/', '\\']).next().unwrap_or(path))
        }
        _ => path.clone(),
    };
    let reason = Reason::Memory { layer: *layer, why: why.clone() };
    let id = id_of_memory(path);
    if matches!(why, InjectedWhy::Kept { .. }) {
        return section(&id, SectionKind::Passage, Role::User, &source, text, reason);
    }
    let mut made = section(&id, SectionKind::Memory, Role::System, &source, text, reason);
    if matches!(layer, MemoryLayer::Project | MemoryLayer::Directory) {
        made.link = Some(link::to_file(path, 1));
    }
    made
}

pub(super) fn persistent_section(block: &str) -> Section {
    let (kind, reason) = (SectionKind::PersistentContext, Reason::Persistent);
    section("context:persistent", kind, Role::System, "context", block, reason)
}

pub(super) fn volatile_section(block: &str) -> Section {
    let (kind, reason) = (SectionKind::VolatileContext, Reason::Volatile);
    section("context:volatile", kind, Role::User, "context", block, reason)
}

pub(super) fn mention_section(mention: &Mention<String>) -> Section {
    let place = mention.place();
    let reason = Reason::Mentioned { lines: mention.lines };
    let id = format!("{MENTION}{place}");
    let mut made = section(&id, SectionKind::Passage, Role::User, &place, &mention.found, reason);
    let line = mention.lines.map_or(1, |lines| lines.first);
    made.link = Some(link::to_file(&mention.path, line));
    made
}

pub(super) fn passage_section((index, passage): (usize, &Passage)) -> Section {
    let source = format!("{}:{}", passage.path, passage.line);
    let reason = Reason::Found { rank: u32::try_from(index + 1).unwrap_or(u32::MAX) };
    let id = format!("{PASSAGE}{source}");
    let mut made = section(&id, SectionKind::Passage, Role::User, &source, &passage.text, reason);
    made.link = Some(link::to_file(&passage.path, passage.line));
    made
}

/// An earlier message, or as much of it as is sent.
pub(super) fn raw_section<M: Borrow<Message>>(raw: &Raw<M>) -> Section {
    let message = raw.message.borrow();
    let id = id_of_message(message.id);
    let reason = match raw.cut {
        Some(chars) => Reason::Shortened { chars: u32::try_from(chars).unwrap_or(u32::MAX) },
        None => Reason::Recent,
    };
    let text = raw.text();
    let mut made = section(&id, SectionKind::Turn, message.role, "conversation", &text, reason);
    made.link = Some(link::to_message(message.id));
    made.tokens = raw.tokens;
    made.parts = other_parts(&message.parts);
    if raw.cut.is_some() {
        for part in &mut made.parts {
            if let Part::ToolResult { text: whole, .. } = part {
                *whole = format!("{text}\n{SHORTENED}");
            }
        }
    }
    made.messages = vec![message.id];
    made.turns = raw.turn.map(|turn| TurnSpan { first: turn, last: turn });
    made
}

pub(super) fn summary_section(told: &Told, scale: &Scale<'_>) -> Section {
    let id = id_of_summary(told.record);
    let reason = Reason::Summary { version: told.version };
    let mut made = section(&id, SectionKind::Summary, Role::System, "summary", &told.text, reason);
    made.link = Some(link::to_summary(told.record));
    made.tokens = told.tokens;
    made.exact = scale.text(&told.text).exact;
    made.turns = told.turns;
    made
}

pub(super) fn extract_section(extract: &Extract, scale: &Scale<'_>) -> Section {
    let reason = Reason::KeySentences { messages: extract.messages };
    let kind = SectionKind::Summary;
    let mut made = section(EXTRACT, kind, Role::System, "key sentences", &extract.text, reason);
    made.tokens = extract.tokens;
    made.exact = scale.text(&extract.text).exact;
    made
}

pub(super) fn ask_section(ask: &Ask, language: &str) -> Section {
    match ask {
        Ask::Draft { id, parts } => {
            let text = text_of(parts);
            let mut made =
                section(DRAFT, SectionKind::Draft, Role::User, "composer", &text, Reason::Draft);
            made.parts = other_parts(parts);
            made.tokens = parts.iter().map(Part::attached_tokens).sum::<u64>();
            made.messages = id.iter().copied().collect();
            made.link = id.map(link::to_message);
            made
        }
        Ask::Continue => {
            let [.., en, ko] = OWN_TEXTS;
            let text = if language == "ko" { ko } else { en };
            section(
                CONTINUE,
                SectionKind::Draft,
                Role::User,
                "siltstone",
                text.trim(),
                Reason::Continue,
            )
        }
    }
}

pub(super) fn has_content(section: &Section) -> bool {
    !section.text.trim().is_empty() || !section.parts.is_empty()
}

/// What goes beside the text: pictures, files, tool traffic, and thoughts a provider wants back.
fn other_parts(parts: &[Part]) -> Vec<Part> {
    let is_text = |part: &Part| {
        matches!(part, Part::Text { .. } | Part::Pasted { .. } | Part::Reasoning { seal: None, .. })
    };
    parts.iter().filter(|part| !is_text(part)).cloned().collect()
}

pub(super) fn section(
    id: &str,
    kind: SectionKind,
    role: Role,
    source: &str,
    text: &str,
    reason: Reason,
) -> Section {
    Section {
        id: id.to_owned(),
        kind,
        role,
        source: source.to_owned(),
        link: None,
        text: text.to_owned(),
        parts: Vec::new(),
        tokens: 0,
        exact: false,
        reason,
        pinned: false,
        messages: Vec::new(),
        turns: None,
        redacted: Vec::new(),
    }
}

//! The sections a request is made of, each from what it shows.

use std::borrow::Borrow;

use super::{Ask, MemoryText, OWN_TEXTS, default_rules};
use crate::earlier::Extract;
use crate::link;
use crate::message::{Message, Part, Role, text_of};
use crate::passage::Passage;
use crate::provider::ModelInfo;
use crate::section::{LeftOut, LeftOutWhy, Reason, Section, SectionKind};
use crate::summary::{Raw, Told, TurnSpan};
use crate::tokens;

pub(super) fn instructions(language: &str) -> Section {
    section(
        "instructions",
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
            "conversation-instructions",
            SectionKind::Instructions,
            Role::System,
            "conversation",
            text,
            Reason::ConversationRule,
        )
    })
}

/// Takes out the pictures and files that the model does not read; the text still goes.
pub(super) fn without_untaken(section: &mut Section, model: &ModelInfo) -> Vec<LeftOut> {
    let mut untaken = Vec::new();
    section.parts.retain(|part| match part {
        Part::Image { name, tokens, .. } | Part::File { name, tokens, .. }
            if !model.takes(part) =>
        {
            let why = LeftOutWhy::NotTaken;
            untaken.push(LeftOut { source: name.clone(), tokens: *tokens, why });
            false
        }
        _ => true,
    });
    let tokens: u64 = untaken.iter().map(|left| left.tokens).sum();
    section.tokens = section.tokens.saturating_sub(tokens);
    untaken
}

pub(super) fn memory_section(memory: &MemoryText) -> Section {
    let id = format!("memory:{}", memory.path);
    let mut made = section(
        &id,
        SectionKind::Memory,
        Role::System,
        &memory.path,
        &memory.text,
        Reason::ProjectRule,
    );
    made.link = Some(link::to_file(&memory.path, 1));
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

pub(super) fn passage_section((index, passage): (usize, &Passage)) -> Section {
    let source = format!("{}:{}", passage.path, passage.line);
    let reason = Reason::Found { rank: u32::try_from(index + 1).unwrap_or(u32::MAX) };
    let id = format!("passage:{source}");
    let mut made = section(&id, SectionKind::Passage, Role::User, &source, &passage.text, reason);
    made.link = Some(link::to_file(&passage.path, passage.line));
    made
}

/// An earlier message, or as much of it as is sent.
pub(super) fn raw_section<M: Borrow<Message>>(raw: &Raw<M>) -> Section {
    let message = raw.message.borrow();
    let id = format!("message:{}", message.id);
    let reason = match raw.cut {
        Some(chars) => Reason::Shortened { chars: u32::try_from(chars).unwrap_or(u32::MAX) },
        None => Reason::Recent,
    };
    let text = raw.text();
    let mut made = section(&id, SectionKind::Turn, message.role, "conversation", &text, reason);
    made.link = Some(link::to_message(message.id));
    made.tokens = raw.tokens;
    made.parts = other_parts(&message.parts);
    made.messages = vec![message.id];
    made.turns = raw.turn.map(|turn| TurnSpan { first: turn, last: turn });
    made
}

pub(super) fn summary_section(told: &Told) -> Section {
    let id = format!("summary:{}", told.record);
    let reason = Reason::Summary { version: told.version };
    let mut made = section(&id, SectionKind::Summary, Role::System, "summary", &told.text, reason);
    made.link = Some(link::to_summary(told.record));
    made.tokens = told.tokens;
    made.turns = told.turns;
    made
}

pub(super) fn extract_section(extract: &Extract) -> Section {
    let reason = Reason::KeySentences { messages: extract.messages };
    let kind = SectionKind::Summary;
    let mut made = section("extract", kind, Role::System, "key sentences", &extract.text, reason);
    made.tokens = extract.tokens;
    made
}

pub(super) fn ask_section(ask: &Ask, language: &str) -> Section {
    match ask {
        Ask::Draft { id, parts } => {
            let text = text_of(parts);
            let mut made =
                section("draft", SectionKind::Draft, Role::User, "composer", &text, Reason::Draft);
            made.parts = other_parts(parts);
            made.tokens += parts.iter().map(Part::attached_tokens).sum::<u64>();
            made.messages = id.iter().copied().collect();
            made.link = id.map(link::to_message);
            made
        }
        Ask::Continue => {
            let [.., en, ko] = OWN_TEXTS;
            let text = if language == "ko" { ko } else { en };
            section(
                "continue",
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
    parts
        .iter()
        .filter(|part| !matches!(part, Part::Text { .. } | Part::Reasoning { seal: None, .. }))
        .cloned()
        .collect()
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
        tokens: tokens::estimate(text) + tokens::MESSAGE_OVERHEAD,
        exact: false,
        reason,
        pinned: false,
        messages: Vec::new(),
        turns: None,
    }
}

//! Composing: from what is known to the ordered list of sections that is sent.
//!
//! Instructions, then memory, then passages, then earlier messages, then the draft. The stable part comes first, so a
//! provider's prompt cache keeps it. Earlier messages are taken newest first until the budget is full and never with a
//! hole in between; what does not fit is listed in `left_out`.

use crate::ids::MessageId;
use crate::link;
use crate::message::{Message, Part, Role, text_of};
use crate::passage::Passage;
use crate::section::{LeftOut, LeftOutWhy, Reason, Request, Section, SectionKind};
use crate::tokens;

/// Our own texts in all languages, so that a sent one can be shown again.
pub const OWN_TEXTS: [&str; 4] = [
    include_str!("../prompts/en/instructions.md"),
    include_str!("../prompts/ko/instructions.md"),
    include_str!("../prompts/en/continue.md"),
    include_str!("../prompts/ko/continue.md"),
];

/// Tokens of a window when the provider does not say.
pub const DEFAULT_WINDOW: u64 = 8_192;

/// Share of the window that is kept free for the reply.
const REPLY_SHARE: u64 = 4;

/// A trusted memory file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryText {
    /// Path relative to the project.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What is asked at the end of the request.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A new message, still in the composer or just made durable.
    Draft {
        /// Its id once it is durable.
        id: Option<MessageId>,
        /// What it says.
        parts: Vec<Part>,
    },
    /// Go on where the last reply stopped.
    Continue,
}

/// Everything a request is composed from.
#[derive(Clone, Debug)]
pub struct Ingredients<'a> {
    /// Language of our own instructions, `ko` or `en`.
    pub language: &'a str,
    /// Trusted memory files, root first.
    pub memory: &'a [MemoryText],
    /// What was not taken in and why, found before composing.
    pub already_left_out: &'a [LeftOut],
    /// Passages found for the question, best first.
    pub passages: &'a [Passage],
    /// Earlier messages, newest first; only as many are read as fit.
    pub history: &'a [Message],
    /// Messages of the path that are older than `history`.
    pub older_messages: u64,
    /// What is asked.
    pub ask: &'a Ask,
    /// The model's window in tokens.
    pub window: u64,
}

/// Tokens the sections may have in a window of this size.
pub fn budget_of(window: u64) -> u64 {
    window - window / REPLY_SHARE
}

/// Composes the request.
pub fn compose(from: &Ingredients<'_>) -> Request {
    let budget = budget_of(from.window);
    // Nothing is asked yet while the composer is empty.
    let ask = Some(ask_section(from.ask, from.language)).filter(has_content);
    let mut fixed = vec![instructions(from.language)];
    let mut left_out = from.already_left_out.to_vec();
    let mut used = fixed[0].tokens + ask.as_ref().map_or(0, |ask| ask.tokens);

    let memory = from.memory.iter().map(memory_section);
    let passages = from.passages.iter().enumerate().map(passage_section);
    for section in memory.chain(passages) {
        if used + section.tokens <= budget {
            used += section.tokens;
            fixed.push(section);
        } else {
            left_out.push(no_room(section.source, section.tokens));
        }
    }

    let mut turns = Vec::new();
    let mut skipped_tokens = 0;
    let mut skipped = 0;
    for message in from.history {
        let section = turn_section(message);
        if skipped == 0 && used + section.tokens <= budget {
            used += section.tokens;
            turns.push(section);
        } else {
            skipped += 1;
            skipped_tokens += section.tokens;
        }
    }
    skipped += from.older_messages;
    if skipped > 0 {
        left_out.push(no_room(format!("conversation ({skipped})"), skipped_tokens));
    }

    let mut sections = fixed;
    sections.extend(turns.into_iter().rev());
    sections.extend(ask);
    Request { sections, left_out, tokens: used, budget }
}

fn no_room(source: String, tokens: u64) -> LeftOut {
    LeftOut { source, tokens, why: LeftOutWhy::NoRoom }
}

fn instructions(language: &str) -> Section {
    let [en, ko, ..] = OWN_TEXTS;
    let text = if language == "ko" { ko } else { en };
    section(
        "instructions",
        SectionKind::Instructions,
        Role::System,
        "siltstone",
        text.trim(),
        Reason::Base,
    )
}

fn memory_section(memory: &MemoryText) -> Section {
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

fn passage_section((index, passage): (usize, &Passage)) -> Section {
    let source = format!("{}:{}", passage.path, passage.line);
    let reason = Reason::Found { rank: u32::try_from(index + 1).unwrap_or(u32::MAX) };
    let id = format!("passage:{source}");
    let mut made = section(&id, SectionKind::Passage, Role::User, &source, &passage.text, reason);
    made.link = Some(link::to_file(&passage.path, passage.line));
    made
}

fn turn_section(message: &Message) -> Section {
    let text = message.text();
    let id = format!("message:{}", message.id);
    let mut made =
        section(&id, SectionKind::Turn, message.role, "conversation", &text, Reason::Recent);
    made.link = Some(link::to_message(message.id));
    made.tokens = message.tokens.max(1) + tokens::MESSAGE_OVERHEAD;
    made.parts = other_parts(&message.parts);
    made.messages = vec![message.id];
    made
}

fn ask_section(ask: &Ask, language: &str) -> Section {
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

fn has_content(section: &Section) -> bool {
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

fn section(
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
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::ids::{ConversationId, MessageId};
    use crate::message::MessageStatus;

    fn message(index: u64, text: &str) -> Message {
        let now = Timestamp::from_second(i64::try_from(index).unwrap()).unwrap();
        Message {
            id: MessageId::new(now),
            conversation_id: ConversationId::new(now),
            parent_id: None,
            turn_id: None,
            index,
            role: if index.is_multiple_of(2) { Role::User } else { Role::Assistant },
            parts: vec![Part::Text { text: text.to_owned() }],
            status: MessageStatus::Complete,
            model: None,
            tokens: tokens::estimate(text),
            created_at: now,
        }
    }

    fn ask(text: &str) -> Ask {
        Ask::Draft { id: None, parts: vec![Part::Text { text: text.to_owned() }] }
    }

    #[test]
    fn sections_stand_in_order_and_the_newest_messages_fill_the_room_without_a_hole() {
        let words = "refresh token ".repeat(40);
        let history: Vec<Message> = (0..20).rev().map(|index| message(index, &words)).collect();
        let memory = [MemoryText { path: "AGENTS.md".into(), text: "Never break the API.".into() }];
        let passages = [Passage { path: "src/a.rs".into(), line: 3, text: "fn a() {}".into() }];
        let request = compose(&Ingredients {
            language: "en",
            memory: &memory,
            already_left_out: &[],
            passages: &passages,
            history: &history,
            older_messages: 5,
            ask: &ask("What now?"),
            window: 2_000,
        });
        let kinds: Vec<SectionKind> = request.sections.iter().map(|section| section.kind).collect();
        assert!(kinds.is_sorted(), "{kinds:?}");
        assert_eq!(
            request.tokens,
            request.sections.iter().map(|section| section.tokens).sum::<u64>()
        );
        assert!(request.tokens <= request.budget);
        let shown: Vec<MessageId> =
            request.sections.iter().flat_map(|section| section.messages.clone()).collect();
        let newest: Vec<MessageId> = history.iter().take(shown.len()).rev().map(|m| m.id).collect();
        assert_eq!(shown, newest);
        assert!((1..20).contains(&shown.len()));
        let expected = format!("conversation ({})", 20 - shown.len() + 5);
        assert_eq!(request.left_out.last().unwrap().source, expected);
    }

    #[test]
    fn a_manifest_names_every_section_without_its_text() {
        let request = compose(&Ingredients {
            language: "ko",
            memory: &[],
            already_left_out: &[],
            passages: &[],
            history: &[],
            older_messages: 0,
            ask: &ask("비밀이 아닌 질문"),
            window: DEFAULT_WINDOW,
        });
        let stored = serde_json::to_string(&request.manifest()).unwrap();
        assert!(stored.contains("\"draft\"") && !stored.contains("질문"), "{stored}");
    }
}

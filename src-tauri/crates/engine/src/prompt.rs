//! Composing: from what is known to the ordered list of sections that is sent.
//!
//! Our instructions, then the person's for the conversation, then memory, the persistent context, passages, earlier
//! messages, the volatile context and the draft. The stable part comes first, so a provider's prompt cache keeps it. Earlier messages are taken newest first until the budget is full and never with a
//! hole in between; what does not fit is listed in `left_out`.

use crate::ids::MessageId;
use crate::link;
use crate::message::{Message, Part, Role, text_of};
use crate::passage::Passage;
use crate::provider::ModelInfo;
use crate::section::{LeftOut, LeftOutWhy, Reason, Request, Section, SectionKind};
use crate::tokens;

/// Our own texts in all languages, so that a sent one can be shown again.
pub const OWN_TEXTS: [&str; 4] = [
    include_str!("../prompts/en/instructions.md"),
    include_str!("../prompts/ko/instructions.md"),
    include_str!("../prompts/en/continue.md"),
    include_str!("../prompts/ko/continue.md"),
];

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
    /// The person's instructions for this conversation; empty for none.
    pub instructions: &'a str,
    /// Trusted memory files, root first.
    pub memory: &'a [MemoryText],
    /// The composed block of the persistent context.
    pub persistent: Option<&'a str>,
    /// The composed block of the volatile context.
    pub volatile: Option<&'a str>,
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
    /// The model that is asked.
    pub model: &'a ModelInfo,
}

/// The one section of a request that asks for work of our own, such as a summary.
pub fn task(text: &str) -> Section {
    section("task", SectionKind::Draft, Role::User, "siltstone", text, Reason::Base)
}

/// Tokens the sections may have in a window of this size.
pub fn budget_of(window: u64) -> u64 {
    window - window / REPLY_SHARE
}

/// Composes the request.
pub fn compose(from: &Ingredients<'_>) -> Request {
    let budget = budget_of(from.model.window());
    let mut left_out = from.already_left_out.to_vec();
    let mut ask = ask_section(from.ask, from.language);
    left_out.extend(without_untaken(&mut ask, from.model));
    // Nothing is asked yet while the composer is empty.
    let ask = Some(ask).filter(has_content);
    let mut fixed = vec![instructions(from.language)];
    fixed.extend(conversation_instructions(from.instructions));
    let mut used: u64 = fixed.iter().chain(&ask).map(|section| section.tokens).sum();
    let volatile = from.volatile.map(volatile_section).filter(|section| {
        let fits = used + section.tokens <= budget;
        match fits {
            true => used += section.tokens,
            false => left_out.push(no_room(section.source.clone(), section.tokens)),
        }
        fits
    });

    let memory = from.memory.iter().map(memory_section);
    let persistent = from.persistent.map(persistent_section);
    let passages = from.passages.iter().enumerate().map(passage_section);
    for section in memory.chain(persistent).chain(passages) {
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
        let mut section = turn_section(message);
        let untaken = without_untaken(&mut section, from.model);
        if skipped == 0 && used + section.tokens <= budget {
            used += section.tokens;
            turns.push(section);
            left_out.extend(untaken);
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
    sections.extend(volatile);
    sections.extend(ask);
    Request { sections, left_out, tokens: used, budget }
}

fn no_room(source: String, tokens: u64) -> LeftOut {
    LeftOut { source, tokens, why: LeftOutWhy::NoRoom }
}

/// Our own rules, which hold in every project.
pub fn default_rules(language: &str) -> &'static str {
    let [en, ko, ..] = OWN_TEXTS;
    let text = if language == "ko" { ko } else { en };
    text.trim()
}

fn instructions(language: &str) -> Section {
    section(
        "instructions",
        SectionKind::Instructions,
        Role::System,
        "siltstone",
        default_rules(language),
        Reason::Base,
    )
}

fn conversation_instructions(text: &str) -> Option<Section> {
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
fn without_untaken(section: &mut Section, model: &ModelInfo) -> Vec<LeftOut> {
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

fn persistent_section(block: &str) -> Section {
    let (kind, reason) = (SectionKind::PersistentContext, Reason::Persistent);
    section("context:persistent", kind, Role::System, "context", block, reason)
}

fn volatile_section(block: &str) -> Section {
    let (kind, reason) = (SectionKind::VolatileContext, Reason::Volatile);
    section("context:volatile", kind, Role::User, "context", block, reason)
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
    use crate::conversation::Tuning;
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
            instructions: "",
            memory: &memory,
            persistent: Some("## Persistent context\nticket: 7"),
            volatile: Some("## Volatile context\nselection: 1-3"),
            already_left_out: &[],
            passages: &passages,
            history: &history,
            older_messages: 5,
            ask: &ask("What now?"),
            model: &ModelInfo { context_window: Some(2_000), ..ModelInfo::named("m") },
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
    fn what_the_model_does_not_read_is_left_out_and_the_words_still_go() {
        let picture = |name: &str| Part::Image {
            hash: "h".into(),
            media_type: "image/png".into(),
            name: name.into(),
            tokens: 400,
        };
        let mut earlier = message(0, "Look at this");
        earlier.parts.push(picture("a.png"));
        earlier.tokens += 400;
        let words = Part::Text { text: "And this?".into() };
        let file = Part::File {
            hash: "f".into(),
            media_type: "application/pdf".into(),
            name: "b.pdf".into(),
            tokens: 3_000,
        };
        let ask = Ask::Draft { id: None, parts: vec![words, picture("b.png"), file] };
        let composed = |model: &ModelInfo| {
            compose(&Ingredients {
                language: "en",
                instructions: " Answer in verse.\n",
                memory: &[],
                persistent: None,
                volatile: None,
                already_left_out: &[],
                passages: &[],
                history: std::slice::from_ref(&earlier),
                older_messages: 0,
                ask: &ask,
                model,
            })
        };
        let all = composed(&ModelInfo::named("m"));
        let blind = composed(&ModelInfo { takes_images: Some(false), ..ModelInfo::named("m") });
        let ids: Vec<&str> = all.sections[..2].iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids, ["instructions", "conversation-instructions"]);
        assert_eq!(all.sections[1].text, "Answer in verse.");
        assert_eq!(all.sections.iter().flat_map(Section::attached).count(), 3);
        assert_eq!(all.left_out, []);

        let kept: Vec<&Part> = blind.sections.iter().flat_map(Section::attached).collect();
        assert!(matches!(kept[..], [Part::File { .. }]), "{kept:?}");
        let names: Vec<&str> = blind.left_out.iter().map(|left| left.source.as_str()).collect();
        assert_eq!(names, ["b.png", "a.png"]);
        assert!(blind.left_out.iter().all(|left| left.why == LeftOutWhy::NotTaken));
        assert_eq!(blind.tokens + 800, all.tokens);
        let texts = |request: &Request| -> Vec<String> {
            request.sections.iter().map(|section| section.text.clone()).collect()
        };
        assert_eq!(texts(&blind), texts(&all));
    }

    #[test]
    fn a_manifest_names_every_section_without_its_text() {
        let request = compose(&Ingredients {
            language: "ko",
            instructions: "",
            memory: &[],
            persistent: None,
            volatile: None,
            already_left_out: &[],
            passages: &[],
            history: &[],
            older_messages: 0,
            ask: &ask("비밀이 아닌 질문"),
            model: &ModelInfo::named("m"),
        });
        let stored = serde_json::to_string(&request.manifest(&Tuning::default())).unwrap();
        assert!(stored.contains("\"draft\"") && !stored.contains("질문"), "{stored}");
    }
}

//! What a request consists of, and in which order.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::*;
use crate::conversation::Tuning;
use crate::ids::{ConversationId, MessageId, SummaryId};
use crate::memory::must;
use crate::message::{Message, MessageStatus};
use crate::passage::Passage;
use crate::provider::DEFAULT_WINDOW;
use crate::summary::{Raw, Told, TurnSpan};
use crate::tokens::{self, Counter, Encoding};
use crate::tool::{BUILT_IN, ToolSpec};

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

fn agents(text: &str) -> MemoryText {
    MemoryText {
        path: "AGENTS.md".into(),
        text: text.into(),
        layer: MemoryLayer::Project,
        why: InjectedWhy::Always,
        must: must::rules(text),
    }
}

fn whole(messages: impl IntoIterator<Item = Message>) -> Earlier {
    let raw = |message: Message| Raw {
        tokens: message.tokens + MESSAGE_OVERHEAD,
        message: Arc::new(message),
        cut: None,
        turn: None,
    };
    Earlier { raw: messages.into_iter().map(raw).collect(), ..Earlier::default() }
}

fn ask(text: &str) -> Ask {
    Ask::Draft { id: None, parts: vec![Part::Text { text: text.to_owned() }] }
}

#[test]
fn sections_stand_in_order_and_the_numbers_are_what_the_provider_would_count() {
    let memory = [agents("Never break the API.")];
    let passages = [Passage { path: "src/a.rs".into(), line: 3, text: "fn a() {}".into() }];
    let calibration =
        (0..20).fold(Calibration::default(), |known: Calibration, _| known.observe(1_000, 1_300));
    let model = ModelInfo { context_window: Some(2_000), ..ModelInfo::named("m") };
    let ask = ask("What now?");
    let ingredients = Ingredients {
        language: "en",
        instructions: "",
        tools: &[],
        steps: &[],
        memory: &memory,
        persistent: Some("## Persistent context\nticket: 7"),
        session: &[],
        volatile: Some("## Volatile context\nselection: 1-3"),
        already_left_out: &[],
        mentions: &[],
        passages: &passages,
        wishes: &Wishes::default(),
        pinned: &[],
        ask: &ask,
        model: &model,
        scale: Scale::estimating(calibration),
    };
    let frame = frame(&ingredients);
    assert_eq!(frame.budget(), 1_500);
    let beside: u64 = frame.blocks().iter().map(|block| block.tokens).sum();
    let now = Timestamp::UNIX_EPOCH;
    let told = Told {
        record: SummaryId::new(now),
        version: 2,
        turns: Some(TurnSpan { first: 1, last: 3 }),
        text: "They agreed on port 5433.".into(),
        tokens: 12,
    };
    let earlier = Earlier {
        summaries: vec![told.clone()],
        told: 6,
        told_tokens: 900,
        left_out: 2,
        left_out_tokens: 40,
        ..whole([message(8, "And the timer?"), message(9, "One is enough.")])
    };
    let request = frame.with(&earlier, &HashSet::new());
    let kinds: Vec<SectionKind> = request.sections.iter().map(|section| section.kind).collect();
    assert!(kinds.is_sorted(), "{kinds:?}");
    assert_eq!(kinds.len(), 9);
    assert_eq!(request.tokens, request.sections.iter().map(|it| it.tokens).sum::<u64>());
    let question = calibration.correct(tokens::estimate("What now?")) + MESSAGE_OVERHEAD;
    let of_earlier = 12 + earlier.raw.iter().map(|raw| raw.tokens).sum::<u64>();
    assert_eq!(request.tokens, beside + question + of_earlier);
    // What each message adds is not learned.
    assert_eq!(request.counted, 9 * MESSAGE_OVERHEAD);
    let corrected = request.estimated as f64 * calibration.factor();
    assert!((corrected - (request.tokens - request.counted) as f64).abs() <= 1.0);
    assert!(request.sections.iter().all(|section| !section.exact));
    assert!(request.tokens <= request.budget && request.budget == 1_500);
    let summary = &request.sections[3];
    assert_eq!(summary.link, Some(format!("silt:summary/{}", told.record)));
    assert_eq!((&summary.reason, summary.turns), (&Reason::Summary { version: 2 }, told.turns));
    let missing: Vec<(&str, LeftOutWhy)> =
        request.left_out.iter().map(|left| (left.source.as_str(), left.why)).collect();
    assert_eq!(
        missing,
        [("conversation (6)", LeftOutWhy::Summarised), ("conversation (2)", LeftOutWhy::NoRoom)]
    );
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
    let earlier = whole([earlier]);
    let composed = |model: &ModelInfo| {
        frame(&Ingredients {
            language: "en",
            instructions: " Answer in verse.\n",
            tools: &[],
            steps: &[],
            memory: &[],
            persistent: None,
            session: &[],
            volatile: None,
            already_left_out: &[],
            mentions: &[],
            passages: &[],
            wishes: &Wishes::default(),
            pinned: &[],
            ask: &ask,
            model,
            scale: Scale::estimating(Calibration::default()),
        })
        .with(&earlier, &HashSet::new())
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
    let request = frame(&Ingredients {
        language: "ko",
        instructions: "",
        tools: &[],
        steps: &[],
        memory: &[],
        persistent: None,
        session: &[],
        volatile: None,
        already_left_out: &[],
        mentions: &[],
        passages: &[],
        wishes: &Wishes::default(),
        pinned: &[],
        ask: &ask("비밀이 아닌 질문"),
        model: &ModelInfo::named("m"),
        scale: Scale::estimating(Calibration::default()),
    })
    .with(&Earlier::default(), &HashSet::new());
    let stored = serde_json::to_string(&request.manifest(&Tuning::default())).unwrap();
    assert!(stored.contains("\"draft\"") && !stored.contains("질문"), "{stored}");
}

#[test]
fn what_a_tokenizer_counted_is_exact_and_teaches_nothing() {
    let picture = Part::Image {
        hash: "h".into(),
        media_type: "image/png".into(),
        name: "a.png".into(),
        tokens: 400,
    };
    let (counted, mut uncounted) = (message(0, "Which port?"), message(1, "It is 5433."));
    uncounted.tokens = 100;
    let known = HashSet::from([counted.id]);
    let ask = Ask::Draft { id: None, parts: vec![Part::Text { text: "And now?".into() }, picture] };
    let doubled = (0..40).fold(Calibration::default(), |known, _| known.observe(1_000, 2_000));
    let exact = |text: &str| Counter::Exact(Encoding::O200k).count(text);
    let scale = Scale::new(&exact, doubled);
    let request = frame(&Ingredients {
        language: "en",
        instructions: "",
        tools: &[],
        steps: &[],
        memory: &[agents("Never break the API.")],
        persistent: None,
        session: &[],
        volatile: None,
        already_left_out: &[],
        mentions: &[],
        passages: &[],
        wishes: &Wishes::default(),
        pinned: &[],
        ask: &ask,
        model: &ModelInfo::named("gpt-4o"),
        scale,
    })
    .with(&whole([counted, uncounted]), &known);
    let found: Vec<(&str, bool)> =
        request.sections.iter().map(|it| (it.source.as_str(), it.exact)).collect();
    let expected = [
        ("siltstone", true),
        ("AGENTS.md", true),
        ("conversation", true),
        ("conversation", false),
        ("composer", false),
    ];
    assert_eq!(found, expected);
    let memory = exact("Never break the API.").tokens;
    assert_eq!(request.sections[1].tokens, memory + MESSAGE_OVERHEAD);
    let draft = exact("And now?").tokens + doubled.correct(400);
    assert_eq!(request.sections[4].tokens, draft + MESSAGE_OVERHEAD);
    assert_eq!(request.tokens - request.counted, 100 + draft);
}

#[test]
fn a_window_of_which_nothing_is_known_has_room_for_all_built_in_tools() {
    let specs: Vec<ToolSpec> = BUILT_IN.iter().map(|tool| tool.spec.clone()).collect();
    let tools = weighed(tools_section(&specs), &Scale::estimating(Calibration::default()));
    assert!(!crowds(&tools, budget_of(DEFAULT_WINDOW)), "{} tokens", tools.tokens);
    assert!(crowds(&tools, budget_of(DEFAULT_WINDOW / 32)), "{} tokens", tools.tokens);
}

#[test]
fn the_last_exchanges_do_not_push_the_tools_out_of_the_work_with_them() {
    let specs: Vec<ToolSpec> = BUILT_IN.iter().map(|tool| tool.spec.clone()).collect();
    let model = ModelInfo::named("our-own-model");
    let full = budget_of(model.window());
    let last: Vec<Arc<Message>> = (0..4)
        .map(|index| Arc::new(Message { tokens: full / 3, ..message(index, "I wrote the file.") }))
        .collect();
    let request = frame(&Ingredients {
        language: "en",
        instructions: "",
        tools: &[tools_section(&specs)],
        steps: &[],
        memory: &[agents("Never break the API.")],
        persistent: None,
        session: &[],
        volatile: None,
        already_left_out: &[],
        mentions: &[],
        passages: &[],
        wishes: &Wishes::default(),
        pinned: &last,
        ask: &ask("Go on."),
        model: &model,
        scale: Scale::estimating(Calibration::default()),
    })
    .with(&Earlier::default(), &HashSet::new());
    let kinds: Vec<SectionKind> = request.sections.iter().map(|section| section.kind).collect();
    let expected = [SectionKind::Instructions, SectionKind::Tools, SectionKind::Draft];
    assert_eq!(kinds.iter().filter(|kind| expected.contains(kind)).count(), 3, "{kinds:?}");
    assert!(request.tokens <= full - full / 3, "an exchange of its former size still fits");
}

#[test]
fn old_results_are_shortened_before_a_turn_outgrows_its_window() {
    let step = |index: u64, role, part| Message { role, parts: vec![part], ..message(index, "") };
    let call = |index: u64| Part::ToolCall {
        id: format!("call{index}"),
        name: "read_file".into(),
        arguments: format!("{{\"path\":\"src/{index}.rs\"}}"),
        seal: None,
    };
    let answered = |index: u64| Part::ToolResult {
        call_id: format!("call{index}"),
        text: format!("line of file {index}\n").repeat(400),
        is_error: false,
        kept: None,
    };
    let steps = (0..6).flat_map(|index| {
        let (call, answered) = (call(index), answered(index));
        [step(2 * index, Role::Assistant, call), step(2 * index + 1, Role::Tool, answered)]
    });
    let steps: Vec<Arc<Message>> = steps
        .map(|it| Arc::new(Message { tokens: tokens::estimate_parts(&it.parts), ..it }))
        .collect();
    let scale = Scale::estimating(Calibration::default());
    let all: u64 = steps.iter().map(|it| compaction::cost(it)).sum();
    assert!(steps::fitted(&steps, all, &scale).iter().all(|it| it.reason == Reason::Recent));
    let room = all / 2;
    let fitted = steps::fitted(&steps, room, &scale);
    assert!(fitted.iter().map(|it| it.tokens).sum::<u64>() <= room);
    let cut: Vec<bool> =
        fitted.iter().map(|it| matches!(it.reason, Reason::Shortened { .. })).collect();
    let first_whole = cut.iter().rposition(|cut| *cut).unwrap() + 1;
    assert!(first_whole < 12, "the newest stay whole");
    for (place, (step, cut)) in fitted.iter().zip(&cut).enumerate() {
        assert_eq!(*cut, place % 2 == 1 && place < first_whole, "calls stay, old results do not");
        let Some(Part::ToolResult { text, .. }) = step.parts.first() else { continue };
        assert!(text.starts_with(&step.text) && (*cut == text.ends_with("for the rest]")));
    }
}

#[test]
fn what_a_call_says_at_length_is_cut_where_nothing_else_makes_room() {
    let text = "한 줄 더\n".repeat(4_000);
    let arguments = serde_json::json!({"path": "src/a.rs", "text": text}).to_string();
    let (id, name) = ("a".to_owned(), "write_file".to_owned());
    let call = Part::ToolCall { id, name, arguments, seal: None };
    let tokens = tokens::estimate_parts(std::slice::from_ref(&call));
    let role = Role::Assistant;
    let step = Arc::new(Message { role, parts: vec![call], tokens, ..message(0, "") });
    let scale = Scale::estimating(Calibration::default());
    let fitted = steps::fitted(&[step], tokens / 4, &scale);
    assert!(fitted[0].tokens <= tokens / 4);
    let Some(Part::ToolCall { arguments, .. }) = fitted[0].parts.first() else { panic!() };
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(arguments["path"], "src/a.rs");
    let cut = arguments["text"].as_str().unwrap();
    assert!(cut.starts_with("한 줄 더\n") && cut.ends_with("characters left out]"), "{cut}");
}

#[test]
fn the_heading_of_a_passage_says_when_otherwise_was_said() {
    let (on, later) = (jiff::civil::date(2026, 3, 2), jiff::civil::date(2026, 3, 9));
    let told = |language, otherwise| {
        headed(language, Role::User, Whence::Conversation("Ports"), on, otherwise, "5433")
    };
    assert_eq!(told("en", None), "[Said on 2026-03-02 by the user in “Ports”]\n5433");
    let heading = "[Said on 2026-03-02 by the user in “Ports”; said otherwise on 2026-03-09]";
    assert_eq!(told("en", Some(later)), format!("{heading}\n5433"));
    let heading = "[2026-03-02, “Ports” 대화에서 사용자가 한 말, 2026-03-09에는 달리 말함]";
    assert_eq!(told("ko", Some(later)), format!("{heading}\n5433"));
    assert!(
        told("ko", Some(on)).starts_with(
            "[2026-03-02, “Ports” 대화에서 사용자가 한 말, 같은 날 나중에는 달리 말함]"
        )
    );
}

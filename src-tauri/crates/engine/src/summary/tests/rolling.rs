//! behaviour.md, Rolling: cases, trigger, the summarising prompt, versions and edge cases.

use std::time::Duration;

use rstest::rstest;

use super::*;

/// behaviour.md, Rolling: cases A and B by the number of earlier messages, and its edge cases.
#[rstest]
#[case(0, PromptShape::Bare, "now")]
#[case(1, PromptShape::Bare, "now")]
#[case(
    2,
    PromptShape::Recent,
    "[RECENT MESSAGES]\nUSER: m1\nASSISTANT: m2\n\n[CURRENT MESSAGE]\nnow"
)]
#[case(
    4,
    PromptShape::Recent,
    "[RECENT MESSAGES]\nUSER: m1\nASSISTANT: m2\nUSER: m3\nASSISTANT: m4\n\n[CURRENT MESSAGE]\nnow"
)]
#[case(
    9,
    PromptShape::Recent,
    "[RECENT MESSAGES]\nASSISTANT: m4\nUSER: m5\nASSISTANT: m6\nUSER: m7\nASSISTANT: m8\nUSER: m9\n\n[CURRENT MESSAGE]\nnow"
)]
fn without_a_summary_a_strict_request_is_case_a_or_b(
    #[case] earlier: usize,
    #[case] form: PromptShape,
    #[case] expected: &str,
) {
    let mut chat = Chat::strict(Policy::Rolling);
    for number in 1..=earlier {
        let role = if number % 2 == 1 { Role::User } else { Role::Assistant };
        chat.say(role, &format!("m{number}"));
    }
    let shape = chat.shape();
    assert_eq!((shape.form, single_message(&shape, "now").as_str()), (form, expected));
}

/// behaviour.md, Rolling.
#[rstest]
#[case(0, "")]
#[case(2, "[RECENT MESSAGES]\nUSER: 최근 질문...\nASSISTANT: 최근 답변...\n\n")]
fn with_a_summary_a_strict_request_is_case_c(#[case] after: usize, #[case] recent: &str) {
    let mut chat = Chat::strict(Policy::Rolling);
    chat.language = "ko";
    chat.answer = |_| {
        let text = "사용자는 우주정거장 시뮬레이터 프로젝트를 논의했다.\n주요 기능은 산소 재활용이며 WebGL 플랫폼 타겟...";
        Some(text.to_owned())
    };
    chat.turn(&chars(20_000), &chars(20_000));
    for (role, text) in
        [(Role::User, "최근 질문..."), (Role::Assistant, "최근 답변...")].into_iter().take(after)
    {
        chat.say(role, text);
    }
    let expected = format!(
        "[CONVERSATION CONTEXT]\nThe following is a summary of our earlier conversation:\n\
         사용자는 우주정거장 시뮬레이터 프로젝트를 논의했다.\n주요 기능은 산소 재활용이며 WebGL 플랫폼 타겟...\n\n\
         {recent}[CURRENT MESSAGE]\n현재 질문..."
    );
    let shape = chat.shape();
    assert_eq!(shape.form, PromptShape::Summarized);
    assert_eq!(single_message(&shape, "현재 질문..."), expected);
}

/// behaviour.md, Rolling: at most 6 messages after the summary, at most 2,000 characters of each.
#[test]
fn a_strict_request_has_the_newest_six_messages_after_the_summary_cut_to_2000_characters() {
    let mut chat = Chat::strict(Policy::Rolling);
    chat.turn(&chars(32_004), "folded");
    for _ in 0..4 {
        chat.say(Role::User, &chars(2_001));
        chat.say(Role::Assistant, &chars(2_000));
    }
    let shape = chat.shape();
    let lengths: Vec<_> = shape.raw.iter().map(|raw| raw.text().chars().count()).collect();
    assert_eq!((lengths, shape.left_out.messages), (vec![2_000; 6], 2));
    assert_eq!(shape.raw.iter().filter(|raw| raw.cut == Some(2_000)).count(), 3);
    let text = single_message(&shape, "now");
    assert_eq!(text.matches('가').count(), 12_000);
}

/// behaviour.md, Rolling: switched off, the message goes alone, whatever was said before.
#[test]
fn switched_off_the_message_goes_alone() {
    let mut chat = Chat::new(Policy::Rolling);
    chat.turn(&chars(40_000), "folded");
    chat.turn("more", "said");
    chat.settings.enabled = false;
    let shape = chat.shape();
    assert_eq!((shape.form, single_message(&shape, "now").as_str()), (PromptShape::Bare, "now"));
    assert_eq!(chat.due(Moment::TurnClosed), None);
}

/// behaviour.md, Rolling: a token is four characters, cut off; 32,000 characters are no more than 8,000 tokens.
#[rstest]
#[case(&[5], None)]
#[case(&[16_000, 16_000], None)]
#[case(&[16_000, 16_003], None)]
#[case(&[16_000, 16_004], Some(8_001))]
#[case(&[5, 100, 4_000, 30_000], Some(1 + 25 + 1_000 + 7_500))]
fn a_strict_summary_is_due_over_8000_quarters_of_characters(
    #[case] lengths: &[usize],
    #[case] covered: Option<u64>,
) {
    let mut chat = Chat::strict(Policy::Rolling);
    for (number, length) in lengths.iter().enumerate() {
        chat.say(if number % 2 == 0 { Role::User } else { Role::Assistant }, &chars(*length));
    }
    let draft = chat.due(Moment::TurnClosed);
    assert_eq!(draft.map(|draft| draft.record.covered_token_count), covered);
    assert_eq!(chat.due(Moment::TurnOpens), None, "seed 002 looks when a reply has ended");
}

/// The Rolling design, the status column.
#[test]
fn states_and_policies_have_the_names_of_the_design() {
    use Policy::*;
    let states = [Status::InProgress, Status::Completed, Status::Failed];
    let policies = [Rolling, Segments, Running, Window, Importance, Summarise, None];
    assert_eq!(
        serde_json::to_string(&(states, policies)).unwrap(),
        r#"[["IN_PROGRESS","COMPLETED","FAILED"],["rolling","segments","running","window","importance","summarise","none"]]"#
    );
}

/// behaviour.md, Rolling: one at a time.
#[test]
fn nothing_is_due_while_a_summary_is_made() {
    let mut chat = Chat::new(Policy::Rolling);
    chat.say(Role::User, &chars(20_000));
    chat.say(Role::Assistant, &chars(20_000));
    let draft = chat.due(Moment::TurnClosed).unwrap();
    assert_eq!(draft.record.status, Status::InProgress);
    chat.records.push(draft.record);
    chat.say(Role::User, &chars(20_000));
    chat.say(Role::Assistant, "more");
    assert_eq!(chat.due(Moment::TurnClosed), None);
}

/// behaviour.md, Rolling: failed, so tried again when the next reply has ended. A crash is a failure too.
#[rstest]
#[case("timeout", |draft: Draft, now| draft.fail("timeout", "60 s", now))]
#[case("empty", |draft: Draft, now| draft.finish(" \n", Written::default(), now))]
#[case("abandoned", |draft: Draft, now| abandoned(vec![draft.record], now).remove(0))]
fn a_failed_summary_is_tried_again_after_the_next_reply(
    #[case] code: &str,
    #[case] end: fn(Draft, Timestamp) -> Record,
) {
    let mut chat = Chat::strict(Policy::Rolling);
    chat.say(Role::User, &chars(20_000));
    chat.say(Role::Assistant, &chars(20_000));
    let draft = chat.due(Moment::TurnClosed).unwrap();
    let failed = end(draft, at(99));
    assert_eq!((failed.status, failed.finished_at), (Status::Failed, Some(at(99))));
    assert_eq!(failed.fault.as_ref().unwrap().code, code);
    chat.records.push(failed);
    assert_eq!(chat.shape().form, PromptShape::Recent, "raw until it is made");
    chat.turn("again", "reply");
    let record = chat.records.last().unwrap();
    assert_eq!((record.status, record.version, record.coverage.count), (Status::Completed, 2, 4));
}

/// A summary that is no shorter than what it covers fails and its messages stay; the design, under `strict`, keeps it.
#[rstest]
#[case(true, 40_000, Status::Completed)]
#[case(false, 40_000, Status::Failed)]
#[case(false, 39_999, Status::Completed)]
fn a_summary_is_shorter_than_what_it_covers(
    #[case] strict: bool,
    #[case] length: usize,
    #[case] status: Status,
) {
    let mut chat = Chat::new(Policy::Rolling);
    chat.settings.strict = strict;
    chat.say(Role::User, &chars(20_000));
    chat.say(Role::Assistant, &chars(20_000));
    let draft = chat.due(Moment::TurnClosed).unwrap();
    let record = draft.finish(&chars(length), Written::default(), at(99));
    assert_eq!(record.status, status);
    let fault = record.fault.as_ref().map(|fault| fault.message.as_str());
    assert_eq!(fault, (status == Status::Failed).then_some("longer than what it covers"));
    chat.records.push(record);
    assert_eq!(chat.shape().raw.len(), if status == Status::Failed { 2 } else { 0 });
}

/// behaviour.md, Rolling: no key. Chosen sentences by default.
#[test]
fn without_a_model_a_strict_summary_is_skipped_and_another_is_extracted() {
    let mut chat = Chat::strict(Policy::Rolling);
    chat.connected = false;
    chat.say(Role::User, &"Port is 5433. ".repeat(3_000));
    chat.say(Role::Assistant, "Noted.");
    assert_eq!(chat.due(Moment::TurnClosed), None);
    chat.settings.strict = false;
    let draft = chat.due(Moment::TurnClosed).unwrap();
    let record = draft.extract(at(99));
    assert_eq!(record.status, Status::Completed);
    assert!(record.summary.starts_with("Port is 5433."), "{}", record.summary);
    assert_eq!(record.model.as_deref(), Some("offline"));
}

/// behaviour.md, Rolling: the first summary reads the whole conversation, the next one the first and what is new;
/// every column of the table is filled.
#[test]
fn versions_cover_1_to_30_and_then_1_to_60() {
    let mut chat = Chat::strict(Policy::Rolling);
    let fill = |chat: &mut Chat, from: usize| {
        for number in from..from + 30 {
            let role = if number % 2 == 1 { Role::User } else { Role::Assistant };
            chat.say(role, &format!("m{number} {}", "x".repeat(3_500)));
        }
        chat.due(Moment::TurnClosed).unwrap()
    };
    let first = fill(&mut chat, 1);
    let ask = first.ask();
    assert_eq!((ask.max_tokens, ask.timeout), (1_024, Duration::from_secs(60)));
    assert!(ask.prompt.starts_with("Summarize the following conversation concisely"));
    assert!(ask.prompt.contains("\n\nConversation:\nUSER: m1 xxx"), "{}", &ask.prompt[..600]);
    // 3,000 characters of each message: its name, the blank and the rest.
    assert_eq!(
        ask.prompt.matches('x').count(),
        9 * 2_997 + 21 * 2_996 + "exactly".matches('x').count()
    );
    chat.records.push(first.finish("what was designed", Written::default(), at(500)));

    let second = fill(&mut chat, 31);
    let prompt = second.ask().prompt;
    assert!(prompt.contains(
        "\n\nPrevious summary:\nwhat was designed\n\nNew messages since last summary:\nUSER: m31 "
    ));
    assert!(!prompt.contains("m30 ") && prompt.contains("m60 "));
    let record = second.finish("all of it", Written::default(), at(900));
    let last = chat.messages.last().unwrap();
    assert_eq!(record.conversation_id, chat.id);
    assert_eq!((record.summary.as_str(), record.status), ("all of it", Status::Completed));
    assert_eq!((record.coverage.start, record.coverage.count), (0, 60));
    assert_eq!((record.coverage.last, record.version), (last.id, 2));
    let tokens = |number: usize| (3_501 + format!("m{number}").len() as u64) / 4;
    assert_eq!(record.covered_token_count, (1..=60).map(tokens).sum::<u64>());
    assert_eq!(record.turns, Some(TurnSpan { first: 1, last: 30 }));
    assert_eq!(record.finished_at, Some(at(900)));
    chat.records.push(record);
    assert_eq!(chat.overlay().records().len(), 1, "only the newest is shown");
}

/// The tick on the bar: what is missing to more than 8,000 tokens, to the third turn, to a full window.
#[rstest]
#[case(Policy::Rolling, Some(Distance::Tokens(8_001 - 520)))]
#[case(Policy::Segments, Some(Distance::Turns(1)))]
#[case(Policy::Running, Some(Distance::Tokens(801 - 520)))]
#[case(Policy::Window, None)]
fn the_next_summary_has_a_distance(#[case] policy: Policy, #[case] expected: Option<Distance>) {
    let mut chat = Chat::new(policy);
    for (role, tokens) in
        [(Role::User, 10), (Role::Assistant, 500), (Role::User, 3), (Role::Assistant, 7)]
    {
        chat.say(role, "said").tokens = tokens;
    }
    let overlay = chat.overlay();
    assert_eq!(chat.with_terms(|terms| distance(&overlay, &chat.messages, terms)), expected);
}

/// Recall, fact about the Rolling design: messages between the summary and the newest six are lost. By default none is.
#[test]
fn the_gap_of_002_is_zero_turns_by_default() {
    let mut chat = Chat::new(Policy::Rolling);
    for turn in 1..=120 {
        chat.turn(&format!("question {turn} {}", "word ".repeat(150)), "an answer. ");
        let (shape, overlay) = (chat.shape(), chat.overlay());
        let raw = shape.raw.len() as u64;
        assert_eq!(overlay.end() + raw, chat.messages.len() as u64, "at turn {turn}");
        assert_eq!(shape.left_out, Missing::default());
    }
    assert!(chat.records.len() >= 2, "{} summaries", chat.records.len());

    chat.settings.strict = true;
    for turn in 0..5 {
        chat.say(Role::User, &format!("u{turn}"));
        chat.say(Role::Assistant, "a");
    }
    assert!(chat.shape().left_out.messages > 0, "strict loses what the seed loses");
}

/// The default takes a long message whole while it fits, and shortens it before it drops it.
#[rstest]
#[case(100_000, None, 3)]
#[case(3_000, Some(2_000), 3)]
#[case(400, None, 1)]
fn a_long_message_is_shortened_only_when_it_does_not_fit(
    #[case] budget: u64,
    #[case] cut: Option<usize>,
    #[case] sent: usize,
) {
    let mut chat = Chat::new(Policy::Rolling);
    chat.say(Role::Assistant, "hello");
    chat.say(Role::User, &chars(6_000));
    chat.say(Role::Assistant, "short");
    chat.budget = budget;
    let shape = chat.shape();
    assert_eq!(shape.raw.len(), sent);
    assert_eq!(shape.raw.iter().find_map(|raw| raw.cut), cut);
    assert!(shape.tokens <= budget);
}

/// The Rolling design saves what was answered: a question that failed is one earlier message, and its reply is none.
#[test]
fn a_failed_reply_is_no_earlier_message() {
    let mut chat = Chat::strict(Policy::Rolling);
    chat.say(Role::User, "first");
    chat.say(Role::Assistant, "").status = MessageStatus::Failed;
    let shape = chat.shape();
    assert_eq!((shape.form, shape.left_out.messages), (PromptShape::Bare, 1));
    chat.say(Role::User, "again");
    chat.say(Role::Assistant, "answered");
    let expected = "[RECENT MESSAGES]\nUSER: first\nUSER: again\nASSISTANT: answered\n\n[CURRENT MESSAGE]\nnow";
    assert_eq!(single_message(&chat.shape(), "now"), expected);
}

//! behaviour.md, Segments: trigger, composition of turns 1 to 50, turns with tools, records, statistics, the system prompt.

use std::ops::RangeInclusive;

use rstest::rstest;

use super::*;

#[rstest] // the Segments design, should_summarize: turns 4, 7, 10, … and no other
#[case(1, None)]
#[case(2, None)]
#[case(3, None)]
#[case(4, Some(1..=3))]
#[case(5, None)]
#[case(6, None)]
#[case(7, Some(4..=6))]
#[case(8, None)]
#[case(9, None)]
#[case(10, Some(7..=9))]
#[case(13, Some(10..=12))]
#[case(16, Some(13..=15))]
#[case(49, Some(46..=48))]
#[case(50, None)]
fn a_segment_is_summarised_when_the_next_turn_opens(
    #[case] turn: u32,
    #[case] due: Option<RangeInclusive<u32>>,
) {
    assert_eq!(SegmentPolicy::of_turns(3).due(turn), due, "at turn {turn}");
}

/// The context of an open turn, written like the design's table.
fn context(chat: &Chat) -> String {
    let shape = chat.shape();
    let summaries = shape.summaries.iter().map(|told| {
        let turns = told.turns.unwrap();
        format!("Summary({}-{})", turns.first, turns.last)
    });
    let mut items: Vec<String> = summaries.collect();
    items.extend(shape.raw.iter().map(|raw| format!("Turn{}", raw.turn.unwrap())));
    items.dedup();
    format!("[{}]", items.join(", "))
}

/// Opens turn after turn and gives the context of each.
fn contexts(chat: &mut Chat, turns: usize) -> Vec<String> {
    let open_and_close = |turn: usize| {
        chat.say(Role::User, &format!("question {turn}"));
        chat.fold(Moment::TurnOpens);
        let seen = context(chat);
        chat.use_tool(&format!("call-{turn}"));
        chat.say(Role::Assistant, &format!("answer {turn}"));
        chat.fold(Moment::TurnClosed);
        seen
    };
    (1..=turns).map(open_and_close).collect()
}

/// behaviour.md, Segments: the table's rows as they stand, every other turn to 50 by its formula. The same
/// with segments made ahead.
#[rstest]
fn the_context_of_turns_1_to_50_is_the_table(#[values(true, false)] strict: bool) {
    let mut chat = Chat::new(Policy::Segments);
    chat.settings.strict = strict;
    let seen = contexts(&mut chat, 50);
    for (turn, expected) in [
        (1, "[Turn1]"),
        (2, "[Turn1, Turn2]"),
        (3, "[Turn1, Turn2, Turn3]"),
        (4, "[Summary(1-3), Turn4]"),
        (5, "[Summary(1-3), Turn4, Turn5]"),
        (6, "[Summary(1-3), Turn4, Turn5, Turn6]"),
        (7, "[Summary(1-3), Summary(4-6), Turn7]"),
        (8, "[Summary(1-3), Summary(4-6), Turn7, Turn8]"),
    ] {
        assert_eq!(seen[turn - 1], expected, "at turn {turn}");
    }
    for turn in 1..=50 {
        let summaries = (turn - 1) / 3;
        let summary = |number| format!("Summary({}-{})", number * 3 + 1, number * 3 + 3);
        let mut items: Vec<String> = (0..summaries).map(summary).collect();
        items.extend((summaries * 3 + 1..=turn).map(|raw| format!("Turn{raw}")));
        assert_eq!(seen[turn - 1], format!("[{}]", items.join(", ")), "at turn {turn}");
    }
    assert!(seen[49].ends_with("Summary(46-48), Turn49, Turn50]"));
    assert_eq!(seen[49].matches("Summary").count(), 16);
}

/// behaviour.md, Segments: empty history at its start, one entry after the summary, unchanged at its end.
#[rstest]
#[case(true, [0, 1, 1])]
#[case(false, [1, 1, 1])]
fn the_history_grows_when_turn_4_opens(#[case] strict: bool, #[case] expected: [usize; 3]) {
    let mut chat = Chat::new(Policy::Segments);
    chat.settings.strict = strict;
    contexts(&mut chat, 3);
    let mut seen = [chat.records.len(), 0, 0];
    chat.say(Role::User, "question 4");
    chat.fold(Moment::TurnOpens);
    seen[1] = chat.records.len();
    chat.say(Role::Assistant, "answer 4");
    chat.fold(Moment::TurnClosed);
    seen[2] = chat.records.len();
    assert_eq!(seen, expected, "by default turn 3 was summarised when it closed");
    let last = chat.messages.iter().rposition(|message| message.text() == "answer 3").unwrap();
    assert_eq!(chat.records[0].coverage.last, chat.messages[last].id, "turn 4 is not in it");
}

/// behaviour.md, Turns: what an interrupted turn left goes with the next.
#[test]
fn a_turn_ends_with_a_whole_reply_that_calls_no_tool() {
    let mut chat = Chat::new(Policy::Segments);
    chat.say(Role::User, "search and analyse");
    chat.use_tool("a");
    chat.use_tool("b");
    chat.say(Role::Assistant, "the news are");
    chat.say(Role::User, "cut off").status = MessageStatus::Complete;
    chat.say(Role::Assistant, "half an ans").status = MessageStatus::Interrupted;
    chat.say(Role::User, "failed");
    chat.say(Role::Assistant, "").status = MessageStatus::Failed;
    chat.say(Role::User, "once more");
    chat.say(Role::Assistant, "whole");
    chat.say(Role::User, "open");
    chat.use_tool("c");
    let views = turns(&chat.messages, 4);
    let seen: Vec<_> = views.iter().map(|turn| (turn.number, turn.messages.len())).collect();
    assert_eq!(seen, [(Some(5), 6), (Some(6), 6), (None, 3)]);
}

/// Calls of one reply, and a message with the result of each.
fn call_and_answer(chat: &mut Chat, said: &str, exchanges: &[(&str, &str, &str)]) {
    let call = |(at, (name, arguments, _)): (usize, &(&str, &str, &str))| Part::ToolCall {
        id: format!("call_{at}"),
        name: (*name).into(),
        arguments: (*arguments).into(),
        seal: None,
    };
    let mut parts = vec![Part::Text { text: said.into() }];
    parts.extend(exchanges.iter().enumerate().map(call));
    chat.say_parts(Role::Assistant, parts);
    for (at, (_, _, text)) in exchanges.iter().enumerate() {
        let (call_id, text) = (format!("call_{at}"), (*text).to_owned());
        let result = Part::ToolResult { call_id, text, is_error: false, kept: None };
        chat.say_parts(Role::Tool, vec![result]);
    }
}

/// The design's turn 1, word for word; servers number the calls of every reply anew.
fn turn_1(chat: &mut Chat) {
    chat.say(Role::User, "파이썬 3.13 새 기능 검색해서 분석해줘");
    let search = ("web_search", r#"{"query":"파이썬 3.13 새 기능"}"#, "{...검색 결과...}");
    call_and_answer(chat, "", &[search]);
    let think = ("reasoning", r#"{"about":"검색 결과 분석"}"#, "{...분석 결과...}");
    call_and_answer(chat, "", &[think]);
    chat.say(Role::Assistant, "파이썬 3.13의 주요 새 기능은...");
}

/// behaviour.md, Turns: 1턴 = 사용자 질의 + 중간 사고 과정(Tool Calling) + AI 최종 응답.
#[test]
fn the_turn_of_the_seed_is_one_turn() {
    let mut chat = Chat::new(Policy::Segments);
    turn_1(&mut chat);
    let views = turns(&chat.messages, 0);
    assert_eq!((views.len(), views[0].number, views[0].messages.len()), (1, Some(1), 6));
    // behaviour.md, Turns: what follows the last whole turn is the one that goes on.
    chat.say(Role::User, "다음");
    call_and_answer(&mut chat, "", &[("a", "{}", "x"), ("b", "{}", "y")]);
    for open in [1, 2, 3, 4] {
        let messages = &chat.messages[..6 + open];
        let views = turns(messages, 0);
        assert_eq!((views.len(), views[1].number, views[1].messages.len()), (2, None, open));
    }
}

/// behaviour.md, Segments: three turns with tools, their results counted, are one segment of whole turns;
/// 도구가 많은 턴은 길다. Two calls of one reply have a message for each result.
#[rstest]
fn turns_with_tools_fold_as_the_seed_says(#[values(true, false)] strict: bool) {
    let mut chat = Chat::new(Policy::Segments);
    chat.settings.strict = strict;
    chat.answer = |_| Some("파이썬 3.13의 새 기능을 검색해 설명함.".into());
    turn_1(&mut chat);
    chat.say(Role::User, "둘 다 읽어줘");
    let long = "줄 하나\n".repeat(300);
    let read = ("read_file", r#"{"path":"a.py"}"#, long.as_str());
    call_and_answer(&mut chat, "읽을게요.", &[read, ("read_file", r#"{"path":"b.py"}"#, "없음")]);
    chat.say(Role::Assistant, "읽었어요.");
    chat.turn("고마워요", "천만에요");
    let whole = chat.messages.len();
    chat.say(Role::User, "JIT 컴파일러 성능 벤치마크 더 자세히 알려줘");
    chat.fold(Moment::TurnOpens);

    let record = &chat.records[0];
    assert_eq!(record.turns, Some(TurnSpan { first: 1, last: 3 }));
    assert_eq!(record.coverage.end(), whole as u64, "whole turns, with every result");
    let contents = [
        "파이썬 3.13 새 기능 검색해서 분석해줘",
        "{...검색 결과...}",
        "{...분석 결과...}",
        "파이썬 3.13의 주요 새 기능은...",
        "둘 다 읽어줘",
        "읽을게요.",
        &long,
        "없음",
        "읽었어요.",
        "고마워요",
        "천만에요",
    ];
    let original: usize = contents.iter().map(|text| text.chars().count()).sum();
    assert_eq!(record.original_chars, original as u64, "what tools answered counts, calls do not");
    let raw: Vec<String> = chat.shape().raw.iter().map(|raw| raw.text()).collect();
    assert_eq!(raw, ["JIT 컴파일러 성능 벤치마크 더 자세히 알려줘"]);

    // The fourth turn goes on: its calls and results are sent whole, behind the summary.
    call_and_answer(&mut chat, "", &[("bench", "{}", "1.2x"), ("bench", "{}", "1.3x")]);
    let sent: Vec<Role> = chat.shape().raw.iter().map(|raw| raw.message.role).collect();
    assert_eq!(sent, [Role::User, Role::Assistant, Role::Tool, Role::Tool]);
    assert!(chat.due(Moment::TurnOpens).is_none(), "nothing is due in the middle of a turn");
}

/// behaviour.md, Segments: field by field, as JSON.
#[test]
fn a_record_is_an_entry_of_the_summary_history() {
    let mut chat = Chat::strict(Policy::Segments);
    chat.answer = |draft| {
        let text = draft.ask().prompt;
        assert!(text.contains("in about 450 characters"), "{text}");
        Some(chars(450))
    };
    for reply in [400, 500, 589] {
        chat.turn(&chars(2), &chars(reply));
    }
    // A result counts, a call does not: 1,500 characters in all.
    let result =
        Part::ToolResult { call_id: "x".into(), text: chars(5), is_error: false, kept: None };
    let call =
        Part::ToolCall { id: "x".into(), name: "t".into(), arguments: chars(99), seal: None };
    chat.messages[1].parts.extend([call, result]);
    chat.say(Role::User, "fourth");
    chat.fold(Moment::TurnOpens);
    assert_eq!(
        serde_json::to_value(chat.records[0].history_item()).unwrap(),
        serde_json::json!({
            "thread_id": chat.id,
            "turns": [1, 2, 3],
            "turn_length": 3,
            "original_chars": 1_500,
            "summary_chars": 450,
            "compression_rate": 0.3,
            "summary": chars(450),
        })
    );
}

/// behaviour.md, Segments: 3 summaries (9 turns), 2,400 -> 720 characters, 70 % saved.
#[test]
fn the_statistics_are_those_of_the_panel() {
    let mut chat = Chat::new(Policy::Segments);
    chat.answer = |draft| Some(chars((draft.record.original_chars * 3 / 10) as usize));
    for total in [1_500, 100, 800] {
        for length in [10, 10, total - 20] {
            chat.turn(&chars(4), &chars(length - 4));
        }
    }
    assert_eq!(
        Statistics::of(&chat.overlay()),
        Statistics {
            count: 3,
            turns: 9,
            original_chars: 2_400,
            summary_chars: 720,
            saved_percent: 70,
            spent_tokens: 0
        }
    );
}

/// behaviour.md, Segments: the system prompt, byte for byte.
#[test]
fn the_system_prompt_is_the_one_of_the_seed() {
    let mut chat = Chat::strict(Policy::Segments);
    assert_eq!(system_prompt(&chat.shape(), "ko"), "당신은 유용한 AI 어시스턴트입니다.");
    chat.answer = |draft| {
        let first = draft.record.turns.unwrap().first == 1;
        Some(
            if first {
                "사용자가 인사 후 파이썬 3.13 새 기능을 검색 요청..."
            } else {
                "사용자가 간단히 현재 시간을 물어봄..."
            }
            .into(),
        )
    };
    contexts(&mut chat, 6);
    let asked = "JIT 컴파일러 성능 벤치마크 더 자세히 알려줘";
    chat.say(Role::User, asked);
    chat.fold(Moment::TurnOpens);
    let expected = "당신은 유용한 AI 어시스턴트입니다.\n\n[이전 대화 요약]\n\
                    [1-3턴] 사용자가 인사 후 파이썬 3.13 새 기능을 검색 요청...\n\
                    [4-6턴] 사용자가 간단히 현재 시간을 물어봄...";
    let shape = chat.shape();
    assert_eq!(system_prompt(&shape, "ko"), expected);
    assert_eq!(shape.raw.iter().map(|raw| raw.text()).collect::<Vec<_>>(), [asked]);
}

/// A failed segment is retried at the next trigger and its raw turns stay until then.
#[test]
fn a_failed_segment_is_made_at_the_next_trigger() {
    let mut chat = Chat::strict(Policy::Segments);
    chat.answer = |_| None;
    let seen = contexts(&mut chat, 4);
    assert_eq!(seen[3], "[Turn1, Turn2, Turn3, Turn4]");
    chat.answer = |_| Some("made".into());
    for (turn, expected) in [
        (5, "[Turn1, Turn2, Turn3, Turn4, Turn5]"),
        (6, "[Turn1, Turn2, Turn3, Turn4, Turn5, Turn6]"),
        (7, "[Summary(1-3), Summary(4-6), Turn7]"),
    ] {
        let seen = contexts(&mut chat, 1);
        assert_eq!(seen[0], expected, "at turn {turn}");
    }
    let states: Vec<_> = chat.records.iter().map(|it| (it.status, it.version)).collect();
    assert_eq!(states, [(Status::Failed, 1), (Status::Completed, 2), (Status::Completed, 1)]);
}

/// A changed rate counts from the next summary.
#[test]
fn a_changed_rate_discards_only_the_segment_that_is_not_in_the_history() {
    let mut chat = Chat::new(Policy::Segments);
    contexts(&mut chat, 6);
    let length = chat.messages.len() as u64;
    let rate = chat.settings.rate;
    assert_eq!(to_discard(&chat.overlay(), length, rate), None);
    chat.settings.rate = Rate::from(0.1);
    let ahead = to_discard(&chat.overlay(), length, chat.settings.rate);
    assert_eq!(ahead, Some(chat.records[1].id), "4-6; 1-3 has entered");
    chat.records.retain(|record| Some(record.id) != ahead);
    chat.say(Role::User, "seventh");
    chat.fold(Moment::TurnOpens);
    let rates: Vec<_> = chat.records.iter().map(|it| f64::from(it.compression_rate)).collect();
    assert_eq!(rates, [0.3, 0.1]);
    assert_eq!(to_discard(&chat.overlay(), length + 1, rate), None, "turn 7 is open");
}

/// Recall, fact about the Segments design: 0.3 of the history grows without bound. By default it does not.
#[test]
fn the_request_stays_bounded_at_500_turns() {
    let mut chat = Chat::new(Policy::Segments);
    chat.budget = 6_000;
    chat.answer = |draft| {
        let target = draft.ask().max_tokens.min(1_024) as usize;
        let read = draft.ask().prompt.chars().count();
        Some("The port is 5433. ".repeat(target.min(read * 3 / 10) / 18))
    };
    let mut largest = 0;
    for turn in 1..=500 {
        chat.turn(
            &format!("question {turn}: {}", "what about it? ".repeat(20)),
            &"so. ".repeat(90),
        );
        let shape = chat.shape();
        assert_eq!(shape.left_out, Missing::default(), "at turn {turn}");
        largest = largest.max(shape.tokens);
        let share: u64 = shape.summaries.iter().map(|told| told.tokens).sum();
        assert!(share <= chat.budget / 4 + 16, "{share} at turn {turn}");
    }
    assert!(largest < chat.budget * 2 / 3, "{largest}");
    let overlay = chat.overlay();
    assert_eq!(overlay.turns(), 498);
    assert!(overlay.records()[0].level > 2, "merged more than once");
    assert_eq!(Statistics::of(&overlay).turns, 498);

    chat.settings.strict = true;
    chat.records.retain(|record| record.level == 1);
    assert_eq!(chat.shape().summaries.len(), 166, "strict keeps every one");
}

/// What is no shorter than its turns helps nobody: they stay, and are told with those that follow. `strict` keeps it.
#[rstest]
#[case(true, &[(1, 3), (4, 6), (7, 9)])]
#[case(false, &[(1, 6), (7, 9)])]
fn turns_of_a_few_words_are_told_with_the_next_ones(
    #[case] strict: bool,
    #[case] told: &[(u32, u32)],
) {
    let mut chat = Chat::new(Policy::Segments);
    chat.settings.strict = strict;
    chat.answer = |_| Some("The two greeted each other.".to_owned());
    for turn in 1..=10 {
        let (question, reply) =
            if turn > 3 { ("And what then?", "Then this.") } else { ("Hi", "Yo") };
        chat.turn(question, reply);
        if turn == 4 && !strict {
            let failed = &chat.records[0];
            assert_eq!(failed.fault.as_ref().unwrap().code, "not_shorter");
            assert_eq!((chat.records.len(), chat.shape().raw.len()), (1, 8), "once, and raw since");
        }
    }
    let spans = |it: &&Record| (it.turns.unwrap().first, it.turns.unwrap().last);
    assert_eq!(chat.overlay().records().iter().map(spans).collect::<Vec<_>>(), told);
}

/// A merged text that is no shorter helps nobody; the summaries it was to replace stay.
#[test]
fn merging_must_make_the_text_shorter() {
    let mut chat = Chat::new(Policy::Segments);
    chat.budget = 200;
    chat.answer = |_| Some("The port of the test server is 5433. ".repeat(4));
    for _ in 0..9 {
        chat.turn(&"question ".repeat(20), &"answer ".repeat(20));
    }
    let merged = chat.records.pop().unwrap();
    assert_eq!((merged.level, merged.status), (2, Status::Completed), "half as long");
    assert_eq!(merged.turns, Some(TurnSpan { first: 1, last: 6 }), "the newest is left alone");
    chat.answer = |draft| Some(format!("{} and more", draft.ask().prompt));
    chat.fold(Moment::TurnClosed);
    let failed = chat.records.last().unwrap();
    assert_eq!(failed.fault.as_ref().unwrap().code, "not_shorter");
    assert_eq!(chat.overlay().records().len(), 3);
}

/// What outgrew its share is merged on the way, so that no merge reads all of it; one that fails keeps nothing from being made.
#[rstest]
#[case::merged(|_: &Draft| Some("The port of the test server is 5433. ".repeat(4)), 10)]
#[case::not_merged(|draft: &Draft| (draft.record.level == 1).then(|| "The port is 5433. ".repeat(9)), 1)]
fn a_long_history_is_merged_while_it_is_worked_off(
    #[case] answer: fn(&Draft) -> Option<String>,
    #[case] most_merges: usize,
) {
    let mut chat = Chat::new(Policy::Segments);
    chat.budget = 2_000;
    chat.answer = answer;
    for turn in 0..300 {
        chat.say(Role::User, &format!("question {turn}: {}", "what about it? ".repeat(20)));
        chat.say(Role::Assistant, &"so. ".repeat(90));
    }
    chat.fold(Moment::TurnClosed);
    assert_eq!(chat.overlay().turns(), 300, "all of it is told");
    let merges: Vec<&Record> = chat.records.iter().filter(|record| record.level > 1).collect();
    let first = merges[0].turns.unwrap();
    assert!(first.first == 1 && first.last < 150, "{first:?}");
    assert!(merges.len() <= most_merges, "{}", merges.len());
    let held = chat.overlay().records().len();
    assert!(held < 20 || most_merges == 1, "{held}");
}

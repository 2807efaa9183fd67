//! The examples and edge cases of the Compaction design, and the laws that hold for every strategy.

use jiff::Timestamp;
use proptest::prelude::*;
use rstest::rstest;

use super::flow::{Situation, Step, Summary, next};
use super::summarise::{KeyKind, extractive, key_information, missing, should_summarise};
use super::*;
use crate::ids::ConversationId;
use crate::message::{MessageStatus, Part};
use crate::provider::OFFLINE_EN;

fn message(role: Role, tokens: u64, parts: Vec<Part>) -> Message {
    let now = Timestamp::UNIX_EPOCH;
    Message {
        id: MessageId::new(now),
        conversation_id: ConversationId::new(now),
        parent_id: None,
        turn_id: None,
        index: 0,
        role,
        parts,
        status: MessageStatus::Complete,
        model: None,
        tokens,
        created_at: now,
    }
}

fn says(role: Role, text: &str) -> Message {
    message(role, tokens::estimate(text), vec![Part::Text { text: text.to_owned() }])
}

fn calls(id: &str) -> Message {
    let call =
        Part::ToolCall { id: id.into(), name: "read".into(), arguments: "{}".into(), seal: None };
    message(Role::Assistant, 10, vec![call])
}

fn answers(id: &str, is_error: bool) -> Message {
    let result = Part::ToolResult {
        call_id: id.into(),
        text: "no such file\nat 3".into(),
        is_error,
        kept: None,
    };
    message(Role::Tool, 10, vec![result])
}

/// Questions and replies in turn, the oldest a question, of these sizes.
fn turns(sizes: &[u64]) -> Vec<Message> {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    roles.zip(sizes).map(|(role, tokens)| message(role, *tokens, Vec::new())).collect()
}

/// behaviour.md, Compaction: `maintainWindow(messages, maxTokens)`, traced by hand. The fourth case is the hole
/// that the loop leaves because it passes over what does not fit.
#[rstest]
#[case::nothing(&[], 100, &[])]
#[case::all_fit_to_the_token(&[10, 20, 30], 60, &[0, 1, 2])]
#[case::the_oldest_goes(&[10, 20, 30], 59, &[1, 2])]
#[case::a_hole(&[10, 90, 20, 30], 70, &[0, 2, 3])]
#[case::even_the_newest_may_go(&[10, 90], 50, &[0])]
#[case::no_room(&[10, 20], 0, &[])]
fn window_as_written(#[case] sizes: &[u64], #[case] max: u64, #[case] kept: &[usize]) {
    let selection = window(&turns(sizes), max, true).unwrap();
    assert_eq!(selection.kept, kept);
    assert_eq!(selection.tokens, kept.iter().map(|place| sizes[*place]).sum::<u64>());
}

/// The same, without what the design loses; 4 more tokens a message is what a provider adds.
#[rstest]
#[case::all_fit_to_the_token(&[10, 20, 30], 72, &[0, 1, 2])]
#[case::the_oldest_goes(&[10, 20, 30], 71, &[1, 2])]
#[case::no_hole(&[10, 90, 20, 30], 82, &[2, 3])]
fn a_window_ends_where_a_message_does_not_fit(
    #[case] sizes: &[u64],
    #[case] budget: u64,
    #[case] kept: &[usize],
) {
    assert_eq!(window(&turns(sizes), budget, false).unwrap().kept, kept);
}

#[test]
fn a_question_that_does_not_fit_is_named_with_what_came_after_it() {
    let messages = turns(&[5, 6, 100, 300]);
    let overflow = window(&messages, 250, false).unwrap_err();
    assert_eq!((overflow.needed, overflow.budget), (408, 250));
    let named: Vec<_> =
        overflow.largest.iter().map(|block| (block.message, block.tokens)).collect();
    assert_eq!(named, [(Some(messages[3].id), 304), (Some(messages[2].id), 104)]);
}

#[test]
fn a_window_never_parts_a_call_from_its_result() {
    let messages = [
        says(Role::User, "Read it."),
        calls("1"),
        answers("1", false),
        says(Role::Assistant, "It is read."),
        says(Role::User, "And?"),
    ];
    let pair = total(&messages[1..]);
    assert_eq!(window(&messages, pair, false).unwrap().kept, [1, 2, 3, 4]);
    assert_eq!(window(&messages, pair - 1, false).unwrap().kept, [3, 4]);
}

#[test]
fn a_result_without_its_call_ends_the_window() {
    let messages = [
        says(Role::User, "a"),
        answers("gone", false),
        says(Role::User, "b"),
        calls("1"),
        answers("1", true),
    ];
    assert_eq!(window(&messages, 1_000, false).unwrap().kept, [2, 3, 4]);
    assert_eq!(importance(&messages, "", 1_000, false).unwrap().kept, [0, 2, 3, 4]);
}

/// behaviour.md, Compaction: recency + 10 for tool use + 15 for an error, sorted by score. Message 1 called a tool,
/// message 2 failed; the others differ by recency alone.
#[test]
fn importance_as_written() {
    let mut messages = turns(&[10; 6]);
    messages[1] = calls("1");
    messages[2] = answers("1", true);
    let selection = importance(&messages, "", 0, true).unwrap();
    assert_eq!(selection.kept, [2, 1, 5, 4, 3, 0], "by score, and no budget");
    assert_eq!(selection.tokens, 60);
}

/// behaviour.md, Compaction: `slice(0, this.maxMessages)`; fifty, as settled.
#[rstest]
#[case(49, 49)]
#[case(50, 50)]
#[case(51, 50)]
#[case(0, 0)]
fn importance_keeps_fifty(
    #[case] count: usize,
    #[case] kept: usize,
    #[values(true, false)] strict: bool,
) {
    let messages = turns(&vec![10; count]);
    assert_eq!(importance(&messages, "", 1_000, strict).unwrap().kept.len(), kept);
}

/// Each message but one is small talk of one length; the budget is for it and the question.
#[rstest]
#[case::tool_use(vec![calls("1")], "Go on")]
#[case::error(vec![calls("1"), answers("1", true)], "Go on")]
#[case::mention(vec![says(Role::Assistant, "We keep it in SessionStore then.")], "What of SessionStore now")]
#[case::korean_mention(vec![says(Role::Assistant, "그건 세션 모듈에 있어요.")], "모듈을 고쳐 줘")]
#[case::density(vec![says(Role::Assistant, "Redis 7 runs on port 6379.")], "Go on")]
fn what_matters_is_kept_before_small_talk_and_by_time(
    #[case] matters: Vec<Message>,
    #[case] draft: &str,
) {
    let mut messages = vec![says(Role::User, "well then"); 30];
    let place = 20;
    let end = place + matters.len();
    messages.splice(place..place, matters);
    let budget = total(&messages[place..end]) + total(&messages[messages.len() - 3..]);
    let kept = importance(&messages, draft, budget, false).unwrap().kept;
    assert!((place..end).all(|place| kept.contains(&place)), "{kept:?}");
    assert!(kept.is_sorted() && kept.contains(&(messages.len() - 1)), "{kept:?}");
}

/// behaviour.md, Compaction: `shouldSummarize(tokenCount, limit)`.
#[rstest]
#[case(8_000, 8_000, false)]
#[case(8_001, 8_000, true)]
fn summarises_over_the_limit(#[case] tokens: u64, #[case] limit: u64, #[case] due: bool) {
    assert_eq!(should_summarise(tokens, limit), due);
}

/// behaviour.md, Compaction: `preserveKeyInformation(messages)`.
#[test]
fn key_information_is_kept() {
    let messages = [
        says(Role::User, "Hi there. The API must not change. Must it?"),
        says(Role::Assistant, "좋아요. 토큰은 30분으로 하기로 했어요."),
        calls("1"),
        answers("1", true),
    ];
    let key = key_information(&messages);
    let found: Vec<_> =
        key.iter().map(|info| (info.message, info.kind, info.text.as_str())).collect();
    assert_eq!(
        found,
        [
            (0, KeyKind::Constraint, "The API must not change."),
            (1, KeyKind::Decision, "토큰은 30분으로 하기로 했어요."),
            (3, KeyKind::Error, "no such file"),
        ]
    );
    let room = key.iter().map(|info| tokens::estimate(&info.text) + 1).sum();
    let summary = extractive(&messages, room, tokens::estimate);
    assert_eq!(summary, "The API must not change.\n토큰은 30분으로 하기로 했어요.\nno such file");
    assert!(missing(&summary, &key).is_empty());
    assert_eq!(missing("They spoke of the API and a change.", &key), [&key[1], &key[2]]);
}

#[test]
fn key_sentences_are_clean_prose() {
    let messages = [
        says(
            Role::User,
            "## Rules\n- **Never** push, see [the rules](silt:file/AGENTS.md?line=2)\n- 항상 `make`로 검사해요",
        ),
        says(Role::Assistant, &format!("{OFFLINE_EN}\n\n> Port 5433.\n\n[a](silt:file/a?line=1)")),
    ];
    let summary = extractive(&messages, 1_000, tokens::estimate);
    assert_eq!(
        summary,
        "Rules:\n- Never push, see the rules\n- 항상 `make`로 검사해요\nPort 5433."
    );
}

fn fixed(tokens: u64) -> Vec<Block> {
    vec![Block { source: "AGENTS.md".into(), message: None, tokens }]
}

/// behaviour.md, Compaction: 제한 내 → 정상 처리; else 압축 → 요약 → 자르기 → 처리.
#[test]
fn flow_summarises_then_truncates_then_sends() {
    let messages = turns(&[96; 20]);
    let rules = fixed(200);
    let step =
        |budget, summary| next(&Situation { budget, fixed: &rules, messages: &messages, summary });
    let sent = |step| match step {
        Step::Send { selection, with_summary } => (selection.kept, with_summary),
        other => panic!("{other:?}"),
    };
    assert_eq!(sent(step(2_200, Summary::Untried)), ((0..20).collect(), false));
    let Step::Summarise { covers, limit } = step(1_200, Summary::Untried) else {
        panic!("over the window, so summarise first");
    };
    assert_eq!((covers, limit), (13, 250), "a quarter of the room, the newest in the rest");
    assert_eq!(
        sent(step(1_200, Summary::Made { covers, tokens: 250 })),
        ((13..20).collect(), true)
    );
    let longer = Summary::Made { covers, tokens: 450 };
    assert_eq!(sent(step(1_200, longer)), ((15..20).collect(), true), "truncated");
    assert_eq!(
        sent(step(1_200, Summary::Made { covers, tokens: 900 })),
        ((10..20).collect(), false)
    );
    assert_eq!(sent(step(1_200, Summary::Unavailable)), ((10..20).collect(), false));
}

/// behaviour.md, Compaction: 60 for the rules, 4 around each message.
#[rstest]
#[case::by_the_question(60, 450, &[("conversation", 300), ("conversation", 90), ("AGENTS.md", 60)])]
#[case::by_the_rules(600, 600, &[("AGENTS.md", 600)])]
fn when_nothing_helps_the_largest_blocks_are_named(
    #[case] rules: u64,
    #[case] needed: u64,
    #[case] expected: &[(&str, u64)],
) {
    let messages = turns(&[50, 50, 296, 86]);
    let fixed = fixed(rules);
    let situation =
        Situation { budget: 200, fixed: &fixed, messages: &messages, summary: Summary::Untried };
    let Step::Refuse(overflow) = next(&situation) else { panic!("nothing fits") };
    let named: Vec<_> =
        overflow.largest.iter().map(|block| (block.source.as_str(), block.tokens)).collect();
    assert_eq!((overflow.needed, named.as_slice()), (needed, expected));
}

/// behaviour.md, Compaction: a reply and the results of all its calls, a message each, go
/// together or not at all. What a call or a result names counts where the draft names it.
#[test]
fn a_reply_that_calls_goes_with_the_results_of_all_its_calls() {
    let exchange = |file: &str, answer: &str| {
        let call = |id: &str| Part::ToolCall {
            id: id.into(),
            name: "read_file".into(),
            arguments: format!("{{\"path\":\"{file}\"}}"),
            seal: None,
        };
        let result = |id: &str| Part::ToolResult {
            call_id: id.into(),
            text: answer.into(),
            is_error: false,
            kept: None,
        };
        vec![
            message(Role::Assistant, 40, vec![call("1"), call("2")]),
            message(Role::Tool, 40, vec![result("1")]),
            message(Role::Tool, 40, vec![result("2")]),
        ]
    };
    let mut messages = Vec::new();
    for file in ["src/auth.rs", "src/cart.rs", "src/menu.rs"] {
        messages.push(says(Role::User, "And this?"));
        messages.extend(exchange(file, &format!("fn main of {file}")));
        messages.push(says(Role::Assistant, "Done."));
    }
    messages.push(says(Role::User, "Once more."));
    // Of an exchange, 132 with what is around each message, there is room for one, and then for none.
    let of_tools = |budget, draft: &str| -> Vec<usize> {
        let kept = importance(&messages, draft, budget, false).unwrap().kept;
        kept.into_iter().filter(|place| messages[*place].tokens == 40).collect()
    };
    assert_eq!(of_tools(200, "Look at src/auth.rs again"), [1, 2, 3]);
    assert_eq!(of_tools(200, "Go on"), [11, 12, 13], "the newest");
    assert!(of_tools(131, "Look at src/auth.rs again").is_empty());
}

/// Messages of any kind, with calls and results anywhere: paired, crossed, repeated, lost.
fn conversation() -> impl Strategy<Value = Vec<Message>> {
    let one = (0..5u8, 0..200u64, 0..4u8, "[a-zA-Z0-9가-힣 .?]{0,12}");
    proptest::collection::vec(one, 0..70).prop_map(|messages| {
        let make = |(kind, tokens, id, text): (u8, u64, u8, String)| {
            let id = id.to_string();
            let mut made = match kind {
                0 => calls(&id),
                1 => answers(&id, tokens % 2 == 0),
                2 => says(Role::User, &text),
                _ => says(Role::Assistant, &text),
            };
            made.tokens = tokens;
            made
        };
        messages.into_iter().map(make).collect()
    })
}

/// Whether every call that a kept result answers is kept, and every result at hand of a kept call.
fn pairs_are_whole(
    messages: &[Message],
    kept: &[usize],
    may_lack_a_call: impl Fn(usize) -> bool,
) -> bool {
    let mut calls = std::collections::HashMap::new();
    messages.iter().enumerate().all(|(place, message)| {
        message.parts.iter().all(|part| match part {
            Part::ToolCall { id, .. } => {
                calls.insert(id.clone(), place);
                true
            }
            Part::ToolResult { call_id, .. } => match calls.get(call_id) {
                Some(call) => kept.contains(call) == kept.contains(&place),
                None => !kept.contains(&place) || may_lack_a_call(place),
            },
            _ => true,
        })
    })
}

proptest! {
    #[test]
    fn a_window_fits_has_no_hole_and_keeps_the_newest_question_and_pairs_whole(
        messages in conversation(), budget in 0..4_000u64,
    ) {
        let before = messages.clone();
        let answer = window(&messages, budget, false);
        prop_assert_eq!(&messages, &before);
        let asked = newest_question(&messages);
        let Ok(Selection { kept, tokens }) = answer else {
            let overflow = answer.unwrap_err();
            prop_assert!(overflow.needed > budget && !overflow.largest.is_empty());
            return Ok(());
        };
        let start = messages.len() - kept.len();
        prop_assert_eq!(&kept, &(start..messages.len()).collect::<Vec<_>>(), "a hole");
        prop_assert_eq!(tokens, total(&messages[start..]));
        prop_assert!(tokens <= budget);
        prop_assert!(messages.is_empty() || kept.contains(&asked));
        // Since the newest question everything goes, even what a broken server sent.
        let holder = pairs::holder(&pairs::groups(&messages), asked);
        let since = pairs::groups(&messages).get(holder).map_or(0, |group| group.places.start);
        prop_assert!(pairs_are_whole(&messages, &kept, |place| place >= since));
    }

    #[test]
    fn importance_fits_stands_by_time_and_keeps_the_newest_question_and_pairs_whole(
        messages in conversation(), draft in "[a-zA-Z0-9가-힣 ]{0,12}", budget in 0..4_000u64,
    ) {
        let asked = newest_question(&messages);
        let groups = pairs::groups(&messages);
        let own = groups.get(pairs::holder(&groups, asked)).map_or(0..0, |group| group.places.clone());
        match importance(&messages, &draft, budget, false) {
            Ok(Selection { kept, tokens }) => {
                prop_assert!(kept.is_sorted_by(|a, b| a < b));
                prop_assert_eq!(tokens, kept.iter().map(|place| cost(&messages[*place])).sum::<u64>());
                prop_assert!(tokens <= budget);
                prop_assert!(kept.len() <= MAX_MESSAGES.max(own.len()));
                prop_assert!(messages.is_empty() || kept.contains(&asked));
                prop_assert!(pairs_are_whole(&messages, &kept, |place| own.contains(&place)));
            }
            Err(overflow) => prop_assert!(total(&messages[own]) == overflow.needed && overflow.needed > budget),
        }
    }

    #[test]
    fn groups_part_the_messages_without_rest(messages in conversation()) {
        let groups = pairs::groups(&messages);
        let places: Vec<usize> = groups.iter().flat_map(|group| group.places.clone()).collect();
        prop_assert_eq!(places, (0..messages.len()).collect::<Vec<_>>());
    }

    /// Whatever becomes of the summary, the flow ends after at most one, with a request that fits or with names.
    #[test]
    fn the_flow_never_sends_more_than_fits(
        messages in conversation(), rules in 0..800u64, budget in 0..4_000u64, made in prop::option::of(0..2_000u64),
    ) {
        let fixed = fixed(rules);
        let mut summary = Summary::Untried;
        for _ in 0..2 {
            match next(&Situation { budget, fixed: &fixed, messages: &messages, summary }) {
                Step::Summarise { covers, limit } => {
                    prop_assert_eq!(summary, Summary::Untried, "asks once");
                    prop_assert!(covers > 0 && covers < messages.len() && limit <= budget - rules);
                    summary = match made {
                        Some(tokens) => Summary::Made { covers, tokens },
                        None => Summary::Unavailable,
                    };
                }
                Step::Send { selection, with_summary } => {
                    let own = if with_summary { made.unwrap() } else { 0 };
                    prop_assert!(rules + own + selection.tokens <= budget);
                    let asked = newest_question(&messages);
                    prop_assert!(messages.is_empty() || selection.kept.contains(&asked));
                    return Ok(());
                }
                Step::Refuse(overflow) => {
                    prop_assert!(overflow.needed > budget && !overflow.largest.is_empty());
                    return Ok(());
                }
            }
        }
        prop_assert!(false, "no end");
    }

    #[test]
    fn an_extractive_summary_keeps_its_limit(messages in conversation(), limit in 0..100u64) {
        prop_assert!(tokens::estimate(&extractive(&messages, limit, tokens::estimate)) <= limit);
    }
}

/// The setting says that decisions, errors and tool results stay longer; what each message is worth can be shown.
#[test]
fn decisions_weigh_and_every_part_of_the_worth_is_known() {
    let messages = [
        says(Role::Assistant, "We decided to keep the port at 5433."),
        says(Role::Assistant, "The weather is nice in the whole country today."),
        calls("a"),
        answers("a", true),
        says(Role::User, "And now?"),
    ];
    let worth: Vec<Worth> =
        scores(&messages, "", false).iter().map(|score| score.worth()).collect();
    assert_eq!(worth[0].decision, 120);
    assert!(worth[1..].iter().all(|it| it.decision == 0), "{worth:?}");
    assert_eq!((worth[2].tools, worth[3].error, worth[4].recency), (100, 150, 100));
    let strict = scores(&messages, "", true)[0].worth();
    assert_eq!((strict.decision, strict.density), (0, 0));
    // As old as it is, it stays before the newer words about nothing.
    let asked = says(Role::User, "And now?");
    let three = [messages[0].clone(), messages[1].clone(), asked];
    let room = cost(&three[0]) + cost(&three[2]);
    assert_eq!(importance(&three, "", room, false).unwrap().kept, [0, 2]);
}

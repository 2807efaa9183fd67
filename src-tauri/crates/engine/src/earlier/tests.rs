//! The laws of the earlier part: within its budget, without a gap, and read no further than it needs.

mod wishes;

use std::cell::Cell;

use jiff::Timestamp;
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::compaction::summarise::extractive;
use crate::ids::{ConversationId, MessageId};
use crate::message::{MessageStatus, Part, Role};
use crate::summary::{Coverage, Newest, Rate, Receipt, Record, Status, SummarySettings, TurnSpan};
use crate::tokens::estimate;

const POLICIES: [Policy; 7] = [
    Policy::Rolling,
    Policy::Segments,
    Policy::Running,
    Policy::Window,
    Policy::Importance,
    Policy::Summarise,
    Policy::None,
];

fn at(second: u64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + i64::try_from(second).unwrap()).unwrap()
}

fn message(index: u64, words: usize) -> Message {
    let text = format!("Module {index} must keep port {index}5. ") + &"refresh it ".repeat(words);
    Message {
        id: MessageId::new(at(index)),
        conversation_id: ConversationId::new(at(0)),
        parent_id: None,
        turn_id: None,
        index,
        role: if index.is_multiple_of(2) { Role::User } else { Role::Assistant },
        tokens: estimate(&text),
        parts: vec![Part::Text { text }],
        status: MessageStatus::Complete,
        model: None,
        created_at: at(index),
    }
}

/// A summary of the messages before `end`.
fn summary(messages: &[Arc<Message>], end: usize) -> Record {
    Record {
        id: crate::ids::SummaryId::new(at(0)),
        conversation_id: messages[0].conversation_id,
        policy: Policy::Rolling,
        level: 1,
        version: 1,
        status: Status::Completed,
        coverage: Coverage { start: 0, count: end as u64, last: messages[end - 1].id },
        covered_token_count: 100,
        turns: Some(TurnSpan { first: 1, last: 3 }),
        original_chars: 1_000,
        summary_chars: 20,
        compression_rate: Rate::default(),
        summary: "They agreed on ports.".to_owned(),
        model: None,
        usage: None,
        cost: None,
        edited: false,
        fault: None,
        unfolded_at: None,
        receipt: Receipt::default(),
        created_at: at(0),
        finished_at: Some(at(0)),
    }
}

fn extract(messages: &[Message], limit: u64) -> String {
    extractive(messages, limit, estimate)
}

/// The earlier part of a request of `budget` tokens, and how many messages were read for it.
fn of(
    messages: &[Arc<Message>],
    records: &[Record],
    settings: &SummarySettings,
    budget: u64,
) -> (Result<Earlier, Overflow>, usize) {
    let question = Message { role: Role::User, ..message(messages.len() as u64, 2) };
    let fixed = [Block { source: "siltstone".into(), message: None, tokens: 50 }];
    let wishes = Wishes::default();
    let beside = Beside {
        fixed: &fixed,
        question: Some(&question),
        budget,
        wishes: &wishes,
        pinned: &[],
        newest: &[],
        extract: &extract,
    };
    beside_of(messages, records, settings, beside)
}

/// The same beside something else.
fn beside_of(
    messages: &[Arc<Message>],
    records: &[Record],
    settings: &SummarySettings,
    beside: Beside<'_>,
) -> (Result<Earlier, Overflow>, usize) {
    let overlay =
        Overlay::on(records, |place| messages.get(place as usize).map(|message| message.id));
    let terms = Terms {
        settings,
        newest: Newest::of(settings, 8_192),
        language: "en",
        count: &|message| message.tokens,
        text: &estimate,
        budget: 0,
        room: 0,
        connected: true,
    };
    let read = Cell::new(0);
    let newest = messages.iter().rev().cloned().inspect(|_| read.set(read.get() + 1));
    (earlier(&overlay, newest, beside, &terms), read.get())
}

fn settings(policy: Policy, strict: bool) -> SummarySettings {
    SummarySettings { policy, strict, ..SummarySettings::default() }
}

fn tokens_of(earlier: &Earlier) -> u64 {
    earlier.summaries.iter().map(|told| told.tokens).sum::<u64>()
        + earlier.extract.as_ref().map_or(0, |extract| extract.tokens)
        + earlier.raw.iter().map(|raw| raw.tokens).sum::<u64>()
}

proptest! {
    #[test]
    fn it_fits_and_every_message_is_accounted_for(
        policy in 0_usize..7,
        strict in any::<bool>(),
        lengths in proptest::collection::vec(0_usize..60, 2..40),
        folded in 0_usize..20,
        budget in 0_u64..3_000,
    ) {
        let messages: Vec<Arc<Message>> =
            (0..).zip(&lengths).map(|(index, words)| Arc::new(message(index, *words))).collect();
        let end = folded.min(messages.len());
        let records: Vec<Record> = (end > 0).then(|| summary(&messages, end)).into_iter().collect();
        let policy = POLICIES[policy];
        let question = cost(&message(messages.len() as u64, 2));
        let (earlier, _) = of(&messages, &records, &settings(policy, strict), budget);
        let Ok(earlier) = earlier else {
            prop_assert!(budget < 50 + question, "refused although the question fits");
            return Ok(());
        };
        prop_assert!(50 + question + tokens_of(&earlier) <= budget);
        let raw: Vec<u64> = earlier.raw.iter().map(|raw| raw.message.index).collect();
        let by_time = raw.is_sorted() || (strict && policy == Policy::Importance);
        prop_assert!(by_time, "{raw:?}");
        let summarises = matches!(policy, Policy::Rolling | Policy::Segments | Policy::Running);
        let untold = if earlier.untold > 0 { end as u64 } else { 0 };
        let accounted = earlier.told + earlier.left_out + raw.len() as u64 + untold;
        prop_assert_eq!(accounted, messages.len() as u64);
        if !strict && policy != Policy::Importance {
            // Without a hole, and nothing that could go is missing from the end.
            let last = messages.len() as u64;
            prop_assert_eq!(raw.clone(), (last - raw.len() as u64..last).collect::<Vec<_>>());
        }
        if !strict && summarises && earlier.extract.is_none() && earlier.left_out > 0 {
            // Where messages are neither told nor sent, not even a sentence of them fitted.
            let room = budget - 50 - question;
            prop_assert!(room < 400, "{} tokens of room", room);
        }
    }
}

proptest! {
    /// The newest exchanges stand whole whatever a policy chooses and whatever was summarised, and a summary is told only
    /// where that is shorter: nothing takes more than all messages would.
    #[test]
    fn the_newest_exchanges_stand_whole_and_nothing_takes_more_than_all_messages(
        policy in 0_usize..7,
        lengths in proptest::collection::vec(0_usize..40, 6..40),
        folded in 0_usize..40,
        told in 1_usize..200,
        window in 2_000_u64..60_000,
    ) {
        let messages: Vec<Arc<Message>> =
            (0..).zip(&lengths).map(|(index, words)| Arc::new(message(index, *words))).collect();
        let end = folded.min(messages.len());
        let record = (end > 0).then(|| Record {
            summary: "They agreed. ".repeat(told),
            covered_token_count: messages[..end].iter().map(|message| message.tokens).sum(),
            ..summary(&messages, end)
        });
        let records: Vec<Record> = record.into_iter().collect();
        let settings = settings(POLICIES[policy], false);
        let newest = Newest::of(&settings, window).whole(messages.iter().rev().cloned(), u64::MAX, cost);
        let beside = Beside {
            fixed: &[],
            question: None,
            budget: window * 3 / 4,
            wishes: &Wishes::default(),
            pinned: &[],
            newest: &newest,
            extract: &extract,
        };
        let (earlier, _) = beside_of(&messages, &records, &settings, beside);
        let earlier = earlier.unwrap();
        let raw: Vec<u64> = earlier.raw.iter().map(|raw| raw.message.index).collect();
        prop_assert!(raw.is_sorted());
        let sum: u64 = newest.iter().map(|message| cost(message)).sum();
        prop_assert_eq!(earlier.newest_tokens, sum);
        if sum <= window * 3 / 4 {
            for message in &newest {
                let sent = earlier.raw.iter().find(|raw| raw.message.id == message.id);
                prop_assert!(sent.is_some_and(|raw| raw.cut.is_none() && raw.tokens == cost(message)));
            }
        }
        let all: u64 = messages.iter().map(|message| cost(message)).sum();
        prop_assert!(tokens_of(&earlier) <= all, "{} of {all}", tokens_of(&earlier));
        if let Some(saved) = earlier.saved.filter(|_| all <= window * 3 / 4) {
            prop_assert!(tokens_of(&earlier) + saved <= all, "{} and {saved} of {all}", tokens_of(&earlier));
        }
    }
}

#[rstest]
#[case(Policy::Rolling)]
#[case(Policy::Segments)]
#[case(Policy::Running)]
#[case(Policy::Window)]
#[case(Policy::Importance)]
#[case(Policy::Summarise)]
#[case(Policy::None)]
fn as_much_is_read_of_a_hundred_thousand_messages_as_of_four_thousand(#[case] policy: Policy) {
    let read = |count: u64| {
        let messages: Vec<Arc<Message>> =
            (0..count).map(|index| Arc::new(message(index, 10))).collect();
        let folded = summary(&messages, messages.len() - 20);
        of(&messages, &[folded], &settings(policy, false), 6_000).1
    };
    let few = read(4_000);
    assert!((20..1_000).contains(&few), "{few}");
    assert_eq!(read(100_000), few);
}

/// What is passed over has its worth, the best first, and is no part of what goes; under another policy nothing is.
#[rstest]
fn the_best_that_do_not_go_say_what_they_are_worth(#[values(true, false)] strict: bool) {
    let messages: Vec<Arc<Message>> = (0..60).map(|index| Arc::new(message(index, 30))).collect();
    let (earlier, _) = of(&messages, &[], &settings(Policy::Importance, strict), 2_000);
    let earlier = earlier.unwrap();
    assert_eq!(earlier.passed.len(), PASSED);
    assert!(earlier.left_out > PASSED as u64, "those and more");
    let sent: Vec<String> = earlier.raw.iter().map(|raw| id_of_message(raw.message.id)).collect();
    assert!(earlier.passed.iter().all(|it| !sent.contains(it.id.as_ref().unwrap())));
    let worth: Vec<u32> = earlier.passed.iter().map(|it| it.worth.unwrap().sum()).collect();
    assert!(worth.is_sorted_by(|a, b| a >= b) && worth[0] > 0, "{worth:?}");
    let least = earlier.raw.iter().map(|raw| earlier.worth[&raw.message.id].sum()).min().unwrap();
    assert!(worth[0] <= least, "{worth:?}, and {least} goes");

    let (window, _) = of(&messages, &[], &settings(Policy::Window, strict), 2_000);
    assert_eq!(window.unwrap().passed, []);
}

#[test]
fn a_history_that_was_never_summarised_is_not_read_whole_either() {
    let messages: Vec<Arc<Message>> =
        (0..20_000).map(|index| Arc::new(message(index, 10))).collect();
    let (earlier, read) = of(&messages, &[], &settings(Policy::Rolling, false), 6_000);
    let earlier = earlier.unwrap();
    assert!(read < 1_000, "{read}");
    assert!(earlier.extract.is_some(), "key sentences of the newest that do not fit");
    assert_eq!(earlier.told + earlier.left_out + earlier.raw.len() as u64, 20_000);
}

#[test]
fn key_sentences_are_the_same_every_time() {
    let messages: Vec<Arc<Message>> = (0..60).map(|index| Arc::new(message(index, 30))).collect();
    let compose = || of(&messages, &[], &settings(Policy::Summarise, false), 2_000).0.unwrap();
    let first = compose();
    assert!(first.extract.as_ref().unwrap().text.contains("must keep port"));
    assert!((0..20).all(|_| compose() == first));
}

#[test]
fn switched_off_only_the_question_goes() {
    let messages: Vec<Arc<Message>> = (0..6).map(|index| Arc::new(message(index, 5))).collect();
    let off = SummarySettings { enabled: false, ..SummarySettings::default() };
    let (earlier, _) = of(&messages, &[summary(&messages, 4)], &off, 2_000);
    assert_eq!(earlier.unwrap(), Earlier { left_out: 6, ..Earlier::default() });
}

#[test]
fn what_is_too_large_by_itself_is_named_largest_first() {
    let (refused, read) = of(&[], &[], &settings(Policy::Rolling, false), 60);
    let overflow = refused.unwrap_err();
    let named: Vec<(&str, u64)> =
        overflow.largest.iter().map(|block| (block.source.as_str(), block.tokens)).collect();
    let question = cost(&message(0, 2));
    assert_eq!(named, [("siltstone", 50), ("composer", question)]);
    assert_eq!((overflow.needed, overflow.budget, read), (50 + question, 60, 0));
}

/// As a strategy may choose them: a call, a later question, and what the call brought.
#[test]
fn results_stand_behind_their_calls() {
    let part = |part: Part, role: Role, index: u64| Message {
        role,
        parts: vec![part],
        ..message(index, 0)
    };
    let call = |name: &str| Part::ToolCall {
        id: "a".to_owned(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
        seal: None,
    };
    let result = |text: &str| Part::ToolResult {
        call_id: "a".to_owned(),
        text: text.to_owned(),
        is_error: false,
        kept: None,
    };
    // Ids are numbered anew by each reply.
    let messages = [
        part(call("second"), Role::Assistant, 3),
        message(6, 0),
        part(result("of the second"), Role::Tool, 4),
        part(result("of the first"), Role::Tool, 2),
        part(call("first"), Role::Assistant, 1),
    ];
    let raw =
        |message: Message| Raw { message: Arc::new(message), cut: None, tokens: 1, turn: None };
    let sorted = behind_their_calls(messages.into_iter().map(raw).collect());
    let order: Vec<u64> = sorted.iter().map(|raw| raw.message.index).collect();
    assert_eq!(order, [3, 4, 6, 1, 2]);
}

//! What holds for every conversation: random turns, tools, interruptions, failures, branches, policies and budgets.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::summary::quote::unquote;

#[derive(Clone, Debug)]
enum Step {
    Turn { question: usize, reply: usize },
    Tools { calls: u8 },
    Interrupted,
    Unanswered,
    SummariesFail(bool),
    Branch { keep: u8 },
    Edit,
    Unfold { which: u8 },
    Policy(Policy),
    Budget(u64),
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::Rolling),
        Just(Policy::Segments),
        Just(Policy::Running),
        Just(Policy::None)
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..900_usize, 0..900_usize)
            .prop_map(|(question, reply)| Step::Turn { question, reply }),
        3 => (1..4_u8).prop_map(|calls| Step::Tools { calls }),
        1 => Just(Step::Interrupted),
        1 => Just(Step::Unanswered),
        1 => any::<bool>().prop_map(Step::SummariesFail),
        1 => any::<u8>().prop_map(|keep| Step::Branch { keep }),
        1 => Just(Step::Edit),
        1 => any::<u8>().prop_map(|which| Step::Unfold { which }),
        1 => policy().prop_map(Step::Policy),
        1 => (0..6_000_u64).prop_map(Step::Budget),
    ]
}

fn carry_out(chat: &mut Chat, step: &Step, number: usize) {
    match step {
        Step::Turn { question, reply } => chat.turn(&chars(*question), &chars(*reply)),
        Step::Tools { calls } => {
            chat.say(Role::User, "use tools");
            chat.fold(Moment::TurnOpens);
            for call in 0..*calls {
                chat.use_tool(&format!("{number}-{call}"));
                chat.fold(Moment::TurnClosed);
            }
            chat.say(Role::Assistant, "used");
            chat.fold(Moment::TurnClosed);
        }
        Step::Interrupted => {
            chat.say(Role::User, "stopped");
            chat.say(Role::Assistant, &chars(50)).status = MessageStatus::Interrupted;
            chat.fold(Moment::TurnClosed);
        }
        Step::Unanswered => {
            chat.say(Role::User, &chars(300));
            chat.use_tool(&format!("{number}"));
            chat.fold(Moment::TurnClosed);
        }
        Step::SummariesFail(true) => chat.answer = |_| None,
        Step::SummariesFail(false) => chat.answer = |draft| Some(draft.record.id.to_string()),
        Step::Branch { keep } => {
            let keep = chat.messages.len() * usize::from(*keep) / 256;
            chat.messages.truncate(keep);
        }
        Step::Edit => {
            if let Some(record) = chat.overlay().records().last().map(|it| (*it).clone()) {
                let version =
                    chat.overlay().next_version(record.policy, record.level, record.coverage.start);
                let now = chat.now();
                chat.records.push(record.edited("edited", version, now));
            }
        }
        Step::Unfold { which } => {
            let now = chat.now();
            let count = chat.records.len().max(1);
            if let Some(record) = chat.records.get_mut(usize::from(*which) % count) {
                record.unfolded_at = Some(now);
            }
        }
        Step::Policy(policy) => chat.settings.policy = *policy,
        Step::Budget(budget) => chat.budget = *budget,
    }
}

/// The laws of one state of a conversation.
fn check(chat: &Chat) -> Result<(), TestCaseError> {
    let overlay = chat.overlay();
    let shape = chat.shape();
    let truth = turns(&chat.messages, 0);

    // Coverage is contiguous, does not overlap, and lies on the path.
    let mut end = 0;
    for record in overlay.records() {
        prop_assert_eq!(record.coverage.start, end);
        end = record.coverage.end();
        prop_assert_eq!(chat.messages[end as usize - 1].id, record.coverage.last);
        prop_assert!(record.is_completed());
        let covered = turns(&chat.messages[..end as usize], 0);
        let last = covered.iter().filter_map(|turn| turn.number).next_back();
        prop_assert!(record.turns.is_none_or(|turns| Some(turns.last) == last));
        // A turn that is not completed stays raw, but for what has left the running window.
        let last = &chat.messages[end as usize - 1];
        prop_assert!(record.policy == Policy::Running || ends_turn(last));
    }
    prop_assert!(end <= chat.messages.len() as u64);
    let alike = |a: &Record, b: &Record| {
        (a.policy, a.level, a.version, a.coverage.start)
            == (b.policy, b.level, b.version, b.coverage.start)
    };
    for (at, record) in chat.records.iter().enumerate() {
        prop_assert!(!chat.records[..at].iter().any(|other| alike(other, record)));
    }

    // A request never exceeds its budget, and says what it left out.
    let sum = shape.summaries.iter().map(|told| told.tokens).sum::<u64>()
        + shape.raw.iter().map(|raw| raw.tokens).sum::<u64>();
    prop_assert_eq!(shape.tokens, sum);
    prop_assert!(sum <= chat.budget, "{} of {}", sum, chat.budget);
    let summarised = if chat.settings.policy == Policy::None { 0 } else { end };
    let after = shape.raw.iter().filter(|raw| raw.message.index >= summarised).count() as u64;
    prop_assert_eq!(summarised + after + shape.left_out.messages, chat.messages.len() as u64);

    // Whole messages are the newest of those no summary is told for, without holes.
    let told = |index: u64| {
        let record = overlay.over(index).filter(|_| chat.settings.policy != Policy::None);
        record.is_some_and(|record| record.unfolded_at.is_none())
    };
    let open: Vec<u64> = (0..chat.messages.len() as u64).filter(|index| !told(*index)).collect();
    let raw: Vec<u64> = shape.raw.iter().map(|raw| raw.message.index).collect();
    prop_assert!(open.ends_with(&raw), "{:?} of {:?}", raw, open);

    // No result without its call.
    let parts = || shape.raw.iter().flat_map(|raw| &raw.message.parts);
    let called = |wanted: &str| {
        parts().any(|part| matches!(part, Part::ToolCall { id, .. } if id == wanted))
    };
    for part in parts() {
        if let Part::ToolResult { call_id, .. } = part {
            prop_assert!(called(call_id), "no call for {}", call_id);
        }
    }

    // A known number is the true one.
    let number_of = |index: usize| {
        let mut seen = 0;
        let turn = truth.iter().find(|turn| {
            seen += turn.messages.len();
            seen > index
        });
        let completed = truth.iter().filter_map(|turn| turn.number).next_back().unwrap_or(0);
        turn.and_then(|turn| turn.number).unwrap_or(completed + 1)
    };
    for raw in &shape.raw {
        let expected = number_of(raw.message.index as usize);
        prop_assert!(raw.turn.is_none_or(|turn| turn == expected), "{:?}", raw);
    }
    Ok(())
}

/// A request of the Rolling design's form, taken apart at its labels.
fn parse(text: &str) -> (Option<String>, Vec<(Role, String)>, String) {
    let Some((before, draft)) = text
        .split_once("\n\n[CURRENT MESSAGE]\n")
        .or_else(|| Some(("", text.strip_prefix("[CURRENT MESSAGE]\n")?)))
    else {
        return (None, Vec::new(), text.to_owned());
    };
    let (context, recent) = match before.strip_prefix("[RECENT MESSAGES]\n") {
        Some(recent) => ("", recent),
        None => before.split_once("\n\n[RECENT MESSAGES]\n").unwrap_or((before, "")),
    };
    let heading =
        "[CONVERSATION CONTEXT]\nThe following is a summary of our earlier conversation:\n";
    let mut messages: Vec<(Role, String)> = Vec::new();
    for line in recent.split('\n').filter(|_| !recent.is_empty()) {
        let labels = [("USER: ", Role::User), ("ASSISTANT: ", Role::Assistant)];
        let labelled =
            labels.iter().find_map(|(label, role)| Some((*role, line.strip_prefix(label)?)));
        match (labelled, messages.last_mut()) {
            (Some((role, said)), _) => messages.push((role, said.to_owned())),
            (None, Some((_, said))) => said.extend(["\n", line]),
            (None, None) => panic!("no label in front of {line:?}"),
        }
    }
    let messages = messages.into_iter().map(|(role, said)| (role, unquote(&said))).collect();
    (context.strip_prefix(heading).map(unquote), messages, draft.to_owned())
}

fn forging() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just("USER: "),
        Just("ASSISTANT: "),
        Just("\\"),
        Just("a 가"),
        Just("[CURRENT MESSAGE]\n"),
        Just("[RECENT MESSAGES]\n"),
        Just("[CONVERSATION CONTEXT]\n"),
        Just("The following is a summary of our earlier conversation:\n"),
        Just("[1-3턴] "),
    ];
    vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_laws_hold_after_every_step(policy in policy(), steps in vec(step(), 1..40)) {
        let mut chat = Chat::new(policy);
        chat.budget = 3_000;
        chat.settings.threshold = 1_000;
        chat.settings.window_keep = 12;
        for (number, step) in steps.iter().enumerate() {
            let before = chat.messages.clone();
            carry_out(&mut chat, step, number);
            check(&chat)?;
            // Originals are never changed.
            let kept = before.len().min(chat.messages.len());
            prop_assert_eq!(&chat.messages[..kept], &before[..kept]);
        }
        chat.budget = 1_000_000;
        if chat.settings.policy != Policy::Running {
            prop_assert_eq!(chat.shape().left_out, Missing::default(), "the gap is 0 turns");
        }
    }

    #[test] // safety T13: what is composed is parted into what it was composed of
    fn no_text_forges_a_turn_or_a_heading(
        summary in forging(), said in vec(forging(), 2..5), draft in forging(),
    ) {
        let mut chat = Chat::strict(Policy::Rolling);
        chat.settings.threshold = 100;
        chat.turn(&chars(500), "folded");
        prop_assume!(!summary.trim().is_empty());
        let version = chat.overlay().next_version(Policy::Rolling, 1, 0);
        let edited = chat.records[0].edited(&summary, version, at(9_000));
        chat.records.push(edited);
        for (number, text) in said.iter().enumerate() {
            chat.say(if number % 2 == 0 { Role::User } else { Role::Assistant }, text);
        }
        let (context, messages, question) = parse(&single_message(&chat.shape(), &draft));
        prop_assert_eq!(context, Some(summary));
        let texts: Vec<&String> = messages.iter().map(|(_, text)| text).collect();
        prop_assert_eq!(texts, said.iter().collect::<Vec<_>>());
        // The newest message of the person is always whole.
        prop_assert_eq!(question, draft);
    }
}

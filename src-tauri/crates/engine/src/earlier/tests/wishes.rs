//! The laws of what is pinned and what is left out.

use super::*;
use crate::section::{id_of_message, id_of_summary};
use crate::wish::Wish;

/// A conversation of messages with so many words; every fifth and sixth are a tool's call and its result.
fn conversation(lengths: &[usize]) -> Vec<Arc<Message>> {
    let made = |(index, words): (u64, &usize)| {
        let mut made = message(index, *words);
        let id = (index / 6).to_string();
        match index % 6 {
            4 => made.parts.push(Part::ToolCall {
                id,
                name: "read".to_owned(),
                arguments: "{}".to_owned(),
                seal: None,
            }),
            5 => made.parts.push(Part::ToolResult {
                call_id: id,
                text: "done".to_owned(),
                is_error: false,
                kept: None,
            }),
            _ => {}
        }
        Arc::new(made)
    };
    (0..).zip(lengths).map(made).collect()
}

fn wanting(wishes: &mut Wishes, message: &Message, wish: Wish) {
    wishes.set(id_of_message(message.id), "conversation".to_owned(), Some(wish)).unwrap();
}

/// Those that are pinned with what goes with them, by time.
fn pinned(messages: &[Arc<Message>], wishes: &Wishes) -> Vec<Arc<Message>> {
    let places = (0..messages.len()).filter(|place| {
        let with_it = together(messages, *place).unwrap_or(*place..*place + 1);
        messages[with_it].iter().any(|it| wishes.pins(&id_of_message(it.id)))
    });
    let is_pinned = |place: &usize| {
        let of_tools = messages[*place].parts.len() > 1;
        of_tools || wishes.pins(&id_of_message(messages[*place].id))
    };
    places.filter(is_pinned).map(|place| messages[place].clone()).collect()
}

fn pairs_are_whole(earlier: &Earlier) -> bool {
    let places: Vec<u64> = earlier.raw.iter().map(|raw| raw.message.index).collect();
    places.iter().all(|place| match place % 6 {
        4 => true,
        5 => places.contains(&(place - 1)),
        _ => true,
    })
}

proptest! {
    #[test]
    fn what_is_pinned_is_whole_what_is_left_out_is_gone_and_the_rest_fits(
        policy in 0_usize..7,
        strict in any::<bool>(),
        continues in any::<bool>(),
        lengths in proptest::collection::vec(0_usize..60, 2..40),
        wanted in proptest::collection::vec(0_u8..6, 40),
        folded in 0_usize..4,
        budget in 100_u64..3_000,
    ) {
        let messages = conversation(&lengths);
        // Summaries part no pair.
        let end = (folded * 6).min(messages.len());
        let records: Vec<Record> = (end > 0).then(|| summary(&messages, end)).into_iter().collect();
        let mut wishes = Wishes::default();
        for (message, wanted) in messages.iter().zip(wanted) {
            match wanted {
                0 => wanting(&mut wishes, message, Wish::Pinned),
                1 => wanting(&mut wishes, message, Wish::LeftOut),
                _ => {}
            }
        }
        let question = Message { role: Role::User, ..message(messages.len() as u64, 2) };
        let question = Some(&question).filter(|_| !continues);
        let fixed = [Block { source: "siltstone".into(), message: None, tokens: 50 }];
        let pinned = pinned(&messages, &wishes);
        let (wishes, pinned, extract) = (&wishes, &pinned, &extract);
        let beside = Beside { fixed: &fixed, question, budget, wishes, pinned, newest: &[], extract };
        let settings = settings(POLICIES[policy], strict);
        let (earlier, _) = beside_of(&messages, &records, &settings, beside);
        let Ok(earlier) = earlier else {
            // Nothing but what is being asked may be too large.
            let newest = messages.iter().rposition(|it| it.role == Role::User).unwrap_or(0);
            let since: u64 = messages[newest.saturating_sub(6)..].iter().map(|it| cost(it)).sum();
            let pins: u64 = pinned.iter().map(|it| cost(it)).sum();
            prop_assert!(continues && 50 + since + pins > budget, "refused for its wishes");
            return Ok(());
        };
        let asked = question.map_or(0, cost);
        prop_assert!(50 + asked + tokens_of(&earlier) <= budget);

        let fit = fitting(pinned, budget - 50 - asked);
        for message in &fit {
            let there: Vec<_> =
                earlier.raw.iter().filter(|raw| raw.message.id == message.id).collect();
            prop_assert!(there.len() == 1 && there[0].cut.is_none());
            prop_assert_eq!(&there[0].message, message);
            prop_assert_eq!(there[0].tokens, cost(message));
        }
        if let Some(newest) = pinned.last().filter(|it| it.parts.len() == 1) {
            prop_assert_eq!(fit.contains(newest), cost(newest) <= budget - 50 - asked);
        }
        let newest = messages.iter().rposition(|it| it.role == Role::User).unwrap_or(0);
        for (place, message) in messages.iter().enumerate() {
            let sent = earlier.raw.iter().any(|raw| raw.message.id == message.id);
            let is_asked = continues && place >= newest;
            if wishes.leaves_out_message(message.id) && !pinned.contains(message) && !is_asked {
                prop_assert!(!sent, "{place} was to be left out");
                let quoted = earlier.extract.as_ref().is_some_and(|extract| {
                    extract.text.contains(&format!("Module {place} must"))
                });
                prop_assert!(!quoted, "{place} is quoted");
            }
        }
        prop_assert!(strict || pairs_are_whole(&earlier));
    }
}

#[test]
fn a_pinned_message_stands_by_time_between_the_summary_and_the_rest() {
    let messages = conversation(&[5; 20]);
    let mut wishes = Wishes::default();
    wanting(&mut wishes, &messages[2], Wish::Pinned);
    let pinned = pinned(&messages, &wishes);
    let question = Message { role: Role::User, ..message(20, 2) };
    let beside = Beside {
        fixed: &[],
        question: Some(&question),
        budget: 4_000,
        wishes: &wishes,
        pinned: &pinned,
        newest: &[],
        extract: &extract,
    };
    let records = [summary(&messages, 12)];
    let (earlier, _) = beside_of(&messages, &records, &settings(Policy::Rolling, false), beside);
    let earlier = earlier.unwrap();
    let sent: Vec<u64> = earlier.raw.iter().map(|raw| raw.message.index).collect();
    assert_eq!(sent, [2, 12, 13, 14, 15, 16, 17, 18, 19]);
    assert_eq!((earlier.summaries.len(), earlier.told, earlier.left_out), (1, 11, 0));

    let mut without = wishes.clone();
    without.set(id_of_summary(records[0].id), "summary".to_owned(), Some(Wish::LeftOut)).unwrap();
    let beside = Beside { wishes: &without, ..beside };
    let (earlier, _) = beside_of(&messages, &records, &settings(Policy::Rolling, false), beside);
    let earlier = earlier.unwrap();
    assert_eq!((earlier.summaries.len(), earlier.told), (0, 0));
    let unwanted: Vec<Option<String>> = earlier.unwanted.into_iter().map(|it| it.id).collect();
    assert_eq!(unwanted, [Some(id_of_summary(records[0].id))]);
}

#[test]
fn a_tools_call_is_left_out_with_its_result_and_said_so_once() {
    let messages = conversation(&[5; 12]);
    let mut wishes = Wishes::default();
    wanting(&mut wishes, &messages[5], Wish::LeftOut);
    wanting(&mut wishes, &messages[8], Wish::LeftOut);
    let question = Message { role: Role::User, ..message(12, 2) };
    let beside = Beside {
        fixed: &[],
        question: Some(&question),
        budget: 4_000,
        wishes: &wishes,
        pinned: &[],
        newest: &[],
        extract: &extract,
    };
    let (earlier, _) = beside_of(&messages, &[], &settings(Policy::None, false), beside);
    let earlier = earlier.unwrap();
    let sent: Vec<u64> = earlier.raw.iter().map(|raw| raw.message.index).collect();
    assert_eq!(sent, [0, 1, 2, 3, 6, 7, 9, 10, 11]);
    let said: Vec<(&str, Option<String>, u64)> =
        earlier.unwanted.iter().map(|it| (it.source.as_str(), it.id.clone(), it.tokens)).collect();
    let pair = cost(&messages[4]) + cost(&messages[5]);
    assert_eq!(
        said,
        [
            ("conversation (2)", Some(id_of_message(messages[5].id)), pair),
            ("conversation", Some(id_of_message(messages[8].id)), cost(&messages[8])),
        ]
    );
}

//! What stays whole, and a fold that is due by a share of the model's window.

use rstest::rstest;

use super::*;

/// A chat that goes by a window of this size.
fn chat(policy: Policy, window: u64) -> Chat {
    let mut chat = Chat::new(policy);
    chat.settings.by_numbers = None;
    (chat.window, chat.budget) = (window, window * 3 / 4);
    chat
}

fn whole(chat: &Chat) -> Vec<u64> {
    let newest = Newest::of(&chat.settings, chat.window);
    let whole = newest.whole(chat.messages.iter().rev(), u64::MAX, |message| message.tokens);
    whole.iter().map(|message| message.index).collect()
}

#[rstest]
#[case::share(Policy::Rolling, None, 8_000, 800, (Some(4_000), 2_000))]
#[case::share(Policy::Segments, None, 8_000, 800, (Some(4_000), 2_000))]
#[case::share(Policy::Running, None, 8_000, 800, (Some(4_000), 2_000))]
#[case::by_name(Policy::Rolling, Some(true), 8_000, 800, (None, 2_000))]
#[case::by_name(Policy::Segments, Some(true), 8_000, 800, (None, 0))]
#[case::by_name(Policy::Running, Some(true), 8_000, 800, (None, 400))]
#[case::by_a_number_of_the_persons(Policy::Rolling, None, 1_000, 800, (None, 500))]
#[case::by_a_number_of_the_persons(Policy::Running, None, 8_000, 900, (None, 450))]
#[case::of_another_policy(Policy::Segments, None, 1_000, 900, (Some(4_000), 2_000))]
#[case::changed_and_not_wanted(Policy::Rolling, Some(false), 1_000, 800, (Some(4_000), 2_000))]
#[case::no_summaries(Policy::Window, None, 8_000, 800, (None, 2_000))]
fn it_goes_by_the_window_unless_the_person_says_a_number(
    #[case] policy: Policy,
    #[case] by_numbers: Option<bool>,
    #[case] threshold: u64,
    #[case] window_keep: u64,
    #[case] expected: (Option<u64>, u64),
) {
    let usual = SummarySettings::default();
    let settings = SummarySettings { policy, by_numbers, threshold, window_keep, ..usual };
    let newest = Newest::of(&settings, 10_000);
    assert_eq!((newest.due, newest.keeps, newest.exchanges), (expected.0, expected.1, 2));
    let strict = SummarySettings { strict: true, ..settings };
    assert_eq!(Newest::of(&strict, 10_000), Newest { due: None, exchanges: 0, keeps: 0 });
}

#[test]
fn the_last_two_exchanges_stay_and_more_up_to_a_fifth() {
    let mut chat = chat(Policy::Rolling, 1_000);
    for _ in 0..4 {
        chat.say(Role::User, "said").tokens = 60;
        chat.say(Role::Assistant, "said").tokens = 60;
    }
    assert_eq!(whole(&chat), [4, 5, 6, 7], "two of 120 tokens, though a fifth is 200");
    chat.window = 2_000;
    assert_eq!(whole(&chat), [2, 3, 4, 5, 6, 7], "three of them are 360 of 400");
    // What is open stays beside them, as does what an interrupted turn left.
    chat.say(Role::User, "and?").tokens = 500;
    chat.say(Role::Assistant, "half").status = MessageStatus::Interrupted;
    chat.say(Role::User, "go on").tokens = 10;
    assert_eq!(whole(&chat), [4, 5, 6, 7, 8, 9, 10]);
    chat.use_tool("a");
    assert_eq!(whole(&chat)[..2], [4, 5], "a call and its result are of the open turn");
}

#[test]
fn no_more_is_read_than_may_go() {
    let mut chat = chat(Policy::Rolling, 1_000_000);
    for _ in 0..50 {
        chat.say(Role::User, "said").tokens = 50;
        chat.say(Role::Assistant, "said").tokens = 50;
    }
    let newest = Newest::of(&chat.settings, chat.window);
    let mut read = 0;
    let messages = chat.messages.iter().rev().inspect(|_| read += 1);
    assert_eq!(newest.whole(messages, 1_010, |message| message.tokens).len(), 20);
    assert_eq!(read, 21);
    let strict = Newest::of(&SummarySettings { strict: true, ..chat.settings.clone() }, 1_000);
    assert!(
        strict.whole(std::iter::from_fn(|| -> Option<Message> { panic!() }), 9, |_| 0).is_empty()
    );
}

/// However long it goes on: nothing is folded before two fifths of the window wait, nothing of the last two exchanges ever,
/// and what is left after a fold is about a fifth.
#[rstest]
fn folds_leave_what_stays_whole(
    #[values(Policy::Rolling, Policy::Segments, Policy::Running)] policy: Policy,
    #[values(2_000, 20_000)] window: u64,
) {
    let mut chat = chat(policy, window);
    let mut folds = 0;
    for turn in 1..=200 {
        let before = chat.overlay().end();
        let waiting = |chat: &Chat| -> u64 {
            chat.messages[before as usize..].iter().map(|message| message.tokens).sum()
        };
        chat.say(Role::User, &format!("question {turn} {}", "what about it? ".repeat(9)));
        chat.fold(Moment::TurnOpens);
        chat.say(Role::Assistant, &"so it is. ".repeat(20));
        let waited = waiting(&chat);
        chat.fold(Moment::TurnClosed);
        let end = chat.overlay().end();
        assert!(whole(&chat).iter().all(|index| *index >= end), "turn {turn}");
        assert!(end as usize + 4 <= chat.messages.len() || end == 0, "turn {turn}");
        if end == before {
            assert!(waited <= window * 2 / 5, "{waited} at turn {turn}");
            continue;
        }
        folds += 1;
        assert!(waited > window * 2 / 5, "{waited} at turn {turn}");
        let left: u64 = chat.messages[end as usize..].iter().map(|message| message.tokens).sum();
        // Segments are of three turns, so two may stay that would not have to.
        let more = if policy == Policy::Segments { 2 * 120 } else { 0 };
        let least = end as usize + 4 == chat.messages.len();
        assert!(left <= window / 5 + more || least, "{left}");
    }
    assert!(folds >= 3, "{folds}");
}

/// Whoever folds by hand folds what may be folded.
#[rstest]
#[case(Policy::Rolling, 14)]
#[case::two_threes_of_seven(Policy::Segments, 12)]
#[case(Policy::Running, 14)]
fn by_hand_all_is_folded_but_the_last_two_exchanges(#[case] policy: Policy, #[case] end: u64) {
    let mut chat = chat(policy, 100_000);
    for turn in 1..=9 {
        chat.turn(&format!("question {turn}"), "an answer to it, of some length, so to say");
    }
    assert_eq!(chat.records, []);
    loop {
        let (overlay, now) = (chat.overlay(), at(9_999));
        let rest = &chat.messages[overlay.end() as usize..];
        let draft = chat.with_terms(|terms| {
            let terms = Terms { newest: terms.newest.at_once(), ..*terms };
            due(Moment::TurnClosed, &overlay, rest, &terms, now)
        });
        let Some(draft) = draft else { break };
        let record = draft.finish("told", Written::default(), now);
        chat.records.push(record);
    }
    assert_eq!(chat.overlay().end(), end);
}

#[test]
fn the_distance_is_one_of_tokens() {
    let mut chat = chat(Policy::Segments, 10_000);
    for tokens in [10, 500, 3, 7] {
        chat.say(Role::User, "said").tokens = tokens;
    }
    let overlay = chat.overlay();
    let distance = chat.with_terms(|terms| distance(&overlay, &chat.messages, terms));
    assert_eq!(distance, Some(Distance::Tokens(4_001 - 520)));
}

//! Which summaries hold after an edit, a regenerated reply, another version, an
//! unfolded one and another policy.

use super::*;

fn texts(chat: &Chat, path: &[Message]) -> Vec<String> {
    chat.shape_of(path).summaries.into_iter().map(|told| told.text).collect()
}

/// Turns until there are so many summaries; each is called by the messages it covers.
fn folded(policy: Policy, turns: usize) -> Chat {
    let mut chat = Chat::new(policy);
    chat.answer = |draft| {
        let coverage = draft.record.coverage;
        Some(format!("{}..{}", coverage.start, coverage.end()))
    };
    for turn in 0..turns {
        chat.turn(&format!("q{turn} {}", chars(1_000)), &chars(1_000));
    }
    chat
}

/// Another branch: the same path up to `index`, then something else.
fn branch(chat: &mut Chat, index: usize, turns: usize) -> Vec<Message> {
    let trunk = chat.messages.clone();
    chat.messages.truncate(index);
    for turn in 0..turns {
        chat.say(Role::User, &format!("other {turn}"));
        chat.say(Role::Assistant, "other");
    }
    std::mem::replace(&mut chat.messages, trunk)
}

#[test]
fn an_edit_leaves_the_summary_on_the_old_branch_and_falls_back_to_an_older_one() {
    // A turn has some 1,200 tokens: 0..14 after 7 turns, 0..28 after 14.
    let mut chat = folded(Policy::Rolling, 14);
    let covered: Vec<u64> = chat.records.iter().map(|record| record.coverage.end()).collect();
    assert_eq!(covered, [14, 28]);
    let early = branch(&mut chat, 10, 2);
    let late = branch(&mut chat, 20, 2);
    assert!(texts(&chat, &chat.messages)[0].ends_with("0..28"));
    assert!(texts(&chat, &late)[0].ends_with("0..14"));
    assert_eq!(texts(&chat, &early), [""; 0]);
    let raw = |path: &[Message]| chat.shape_of(path).raw.iter().map(|raw| raw.message.index).min();
    assert_eq!((raw(&late), raw(&early)), (Some(14), Some(0)));
    // The next version is new on every branch.
    assert_eq!(chat.overlay_of(&late).next_version(Policy::Rolling, 1, 0), 3);
}

#[test]
fn a_branch_keeps_the_segments_before_it_and_goes_on_counting() {
    let mut chat = folded(Policy::Segments, 9);
    let other = branch(&mut chat, 10, 2);
    let shape = chat.shape_of(&other);
    let turns: Vec<_> = shape.raw.iter().map(|raw| raw.turn.unwrap()).collect();
    assert_eq!((shape.summaries.len(), turns), (1, vec![4, 4, 5, 5, 6, 6, 7, 7]));
    assert_eq!(chat.shape().summaries.len(), 3);
}

#[test]
fn a_regenerated_reply_takes_the_summary_that_held_before_it() {
    let mut chat = folded(Policy::Rolling, 14);
    let question = chat.messages.len() - 1;
    assert!(texts(&chat, &chat.messages[..question])[0].ends_with("0..14"));
    chat.messages.truncate(question);
    chat.say(Role::Assistant, "another reply");
    assert!(texts(&chat, &chat.messages)[0].ends_with("0..14"));
}

#[test]
fn the_newest_version_holds_whoever_wrote_it() {
    let mut chat = folded(Policy::Segments, 6);
    let first = chat.records[0].clone();
    let version = chat.overlay().next_version(Policy::Segments, 1, 0);
    chat.records.push(first.edited("edited by a person", version, at(5_000)));
    assert!(texts(&chat, &chat.messages)[0].ends_with("[Turns 1-3] edited by a person"));
    chat.records.push(first.adopted(version + 1, at(5_001)));
    assert!(texts(&chat, &chat.messages)[0].ends_with("[Turns 1-3] 0..6"));
    let (edited, adopted) = (&chat.records[2], &chat.records[3]);
    assert_eq!((edited.version, edited.edited, edited.summary_chars), (2, true, 18));
    assert_eq!((adopted.version, adopted.edited, adopted.summary_chars), (3, false, 4));
    assert_eq!(edited.coverage, first.coverage);
}

#[test]
fn a_draft_that_was_built_on_other_summaries_is_seen() {
    let mut chat = folded(Policy::Rolling, 7);
    chat.say(Role::User, &chars(20_000));
    chat.say(Role::Assistant, "read");
    let draft = chat.due(Moment::TurnClosed).unwrap();
    assert!(chat.overlay().is_built_of(&draft.basis));
    let edited = chat.records[0].edited("edited meanwhile", 2, at(5_000));
    chat.records.push(edited);
    assert!(!chat.overlay().is_built_of(&draft.basis));
}

#[test]
fn an_unfolded_summary_gives_its_messages_back() {
    let mut chat = folded(Policy::Segments, 7);
    chat.records[0].unfolded_at = Some(at(5_000));
    let shape = chat.shape();
    assert_eq!(texts(&chat, &chat.messages).len(), 1);
    let turns: Vec<_> = shape.raw.iter().map(|raw| raw.turn.unwrap()).collect();
    assert_eq!(turns, [1, 1, 2, 2, 3, 3, 7, 7]);
    assert_eq!(chat.due(Moment::TurnClosed), None, "it is not folded again at once");
    chat.budget = 4_000;
    let turns: Vec<_> = chat.shape().raw.iter().map(|raw| raw.turn).collect();
    assert_eq!(turns, [None, None, None, None, Some(7), Some(7)], "as many as fit, newest first");
}

#[test]
fn another_policy_goes_on_after_the_summaries_there_are() {
    let mut chat = folded(Policy::Rolling, 7);
    chat.settings.policy = Policy::Segments;
    for _ in 0..3 {
        chat.turn("question", "answer");
    }
    let spans: Vec<_> = chat.overlay().records().iter().map(|it| it.turns.unwrap()).collect();
    assert_eq!(spans, [TurnSpan { first: 1, last: 7 }, TurnSpan { first: 8, last: 10 }]);
    chat.settings.policy = Policy::Rolling;
    chat.turn(&chars(20_000), "a");
    let overlay = chat.overlay();
    assert_eq!(overlay.records().len(), 1, "one summary of all, made of both");
    assert_eq!((overlay.turns(), overlay.end()), (11, 22));
    chat.settings.policy = Policy::None;
    let shape = chat.shape();
    assert_eq!((shape.summaries.len(), shape.raw.len()), (0, 22), "nothing was lost");
}

#[test]
fn another_rate_is_tried_beside_the_summary_that_holds() {
    let chat = folded(Policy::Segments, 4);
    let record = chat.records[0].clone();
    let (overlay, covered) = (chat.overlay(), &chat.messages[..6]);
    let again = |rate| {
        chat.with_terms(|terms| Draft::again(&record, covered, rate, &overlay, terms, at(5_000)))
    };
    let draft = again(Rate::from(0.5)).unwrap();
    assert!(draft.ask().prompt.contains("in about 3004 characters"));
    let candidate = draft.finish("longer", Written::default(), at(5_001));
    assert_eq!((candidate.version, candidate.turns), (2, record.turns));
    assert_eq!(f64::from(candidate.compression_rate), 0.5);
    assert_eq!(candidate.coverage, record.coverage);
}

/// A request reads the messages it sends and one more, at any length of the history.
#[test]
fn composing_reads_the_window_and_no_more() {
    for length in [400, 4_000] {
        let mut chat = Chat::new(Policy::Rolling);
        chat.budget = 1_000;
        for number in 0..length {
            chat.say(if number % 2 == 0 { Role::User } else { Role::Assistant }, &chars(100));
        }
        let read = std::cell::Cell::new(0);
        let overlay = chat.overlay();
        let counted = chat.messages.iter().rev().inspect(|_| read.set(read.get() + 1));
        let shape = chat.with_terms(|terms| shape(&overlay, counted, terms));
        assert_eq!(read.get(), shape.raw.len() + 1);
        assert_eq!(shape.left_out.messages, length - shape.raw.len() as u64);
    }
}

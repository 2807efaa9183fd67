//! What the index says to a question: what it has, of what it may speak, and what stands beside it.

use std::collections::BTreeSet;

use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::ports::Transcripts;
use siltstone_engine::project::Trust;
use siltstone_engine::recall::{Finder, Scope};
use siltstone_engine::search::{Phrase, question};

use crate::it::finding::{Said, project, trash, world};
use crate::it::support::{Dice, at, conversation, opening, say, store};

#[test]
fn a_question_finds_its_messages_and_their_neighbours_within_its_scope() {
    let (_dir, store) = store();
    let all = world(&store, &mut Dice(5));
    for asked in
        ["데이터베이스의 포트는 몇 번이었지?", "Who is the owner of the thread?", "결정된 상태"]
    {
        let phrases = question(asked);
        let conversation_id = all[0].conversation;
        for project_id in [None, all[0].project] {
            let scope = Scope { conversation_id: Some(conversation_id), project_id };
            let of_scope = |said: &&Said| match project_id {
                None => said.conversation == conversation_id,
                Some(_) => said.project == project_id,
            };
            let candidates = store.candidates(&phrases, &[], scope, 40).unwrap();
            let expected: Vec<u64> = phrases
                .iter()
                .map(|phrase| {
                    all.iter().filter(of_scope).filter(|said| stands(&said.text, phrase)).count()
                        as u64
                })
                .collect();
            assert_eq!(candidates.having, expected, "{asked}: {phrases:?}");
            assert_eq!(candidates.all, all.iter().filter(of_scope).count() as u64);
            let inside: BTreeSet<&str> =
                all.iter().filter(of_scope).map(|said| said.text.as_str()).collect();
            assert!(!candidates.messages.is_empty());
            for found in &candidates.messages {
                assert!(inside.contains(found.text.as_str()), "{found:?}");
                let has = phrases.iter().any(|phrase| stands(&found.text, phrase));
                assert!(has || !found.named, "{found:?}");
            }
            let there: BTreeSet<MessageId> =
                candidates.messages.iter().map(|it| it.message_id).collect();
            assert_eq!(there.len(), candidates.messages.len(), "each once");
            for found in candidates.messages.iter().filter(|it| it.named) {
                assert!(found.parent_id.is_none_or(|parent| there.contains(&parent)));
            }
        }
    }
}

#[test]
fn of_a_very_long_word_the_text_is_asked_whether_it_has_all_of_it() {
    let (_dir, store) = store();
    let new = conversation(None);
    store.create_conversation(&new).unwrap();
    let letters = |range: std::ops::Range<u32>| -> String {
        range.filter_map(|at| char::from_u32(0xAC00 + at * 7)).collect()
    };
    let (whole, begins) = (letters(0..900), letters(0..300));
    let mut tip = None;
    for (text, second) in [(&whole, 1), (&begins, 2)] {
        tip = Some(say(&store, new.id, tip, text, second));
    }
    let phrases = question(&whole);
    let scope = Scope { conversation_id: Some(new.id), project_id: None };
    let candidates = store.candidates(&phrases, &[], scope, 40).unwrap();
    assert_eq!((phrases[0].tokens.len(), candidates.having[0]), (899, 1));
    assert_eq!(candidates.messages.len(), 2, "both share pairs with it");
}

/// Whether a phrase stands in a text: Hangul as written, other words whole or as a beginning.
fn stands(text: &str, phrase: &Phrase) -> bool {
    let text = text.to_lowercase();
    let first = &phrase.tokens[0];
    if first.is_ascii() {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        return words.any(|word| if phrase.open { word.starts_with(first) } else { word == first });
    }
    let mut stretch = first.clone();
    stretch.extend(phrase.tokens[1..].iter().filter_map(|pair| pair.chars().nth(1)));
    text.contains(&stretch)
}

#[test]
fn what_is_named_is_taken_in_only_within_the_scope_and_outside_of_the_trash() {
    let (_dir, store) = store();
    let place = project(&store, "/a", Trust::Trusted);
    let ids: Vec<ConversationId> = [Some(place), Some(place), None]
        .into_iter()
        .map(|project| {
            let new = conversation(project);
            store.create_conversation(&new).unwrap();
            new.id
        })
        .collect();
    let said: Vec<MessageId> = ids.iter().map(|id| say(&store, *id, None, "basalt", 1)).collect();
    let turn = opening(ids[0], Some(said[0]), "is it written yet?", at(2));
    store.open_turn(&turn).unwrap();
    // Places among all messages: what was said, the question, and its reply.
    let named: Vec<i64> = (1..=said.len() as i64 + 2).collect();
    let given = |project_id| -> BTreeSet<MessageId> {
        let scope = Scope { conversation_id: Some(ids[0]), project_id };
        let found = store.candidates(&[], &named, scope, 10).unwrap();
        found.messages.iter().filter(|it| it.named).map(|it| it.message_id).collect()
    };
    let asked = turn.question.as_ref().unwrap().message.id;
    assert_eq!(
        given(None),
        BTreeSet::from([said[0], asked]),
        "a reply that is being written is not"
    );
    assert_eq!(given(Some(place)), BTreeSet::from([said[0], said[1], asked]));
    trash(&store, ids[1]);
    assert_eq!(given(Some(place)), BTreeSet::from([said[0], asked]));
    let phrases = question("basalt");
    let scope = Scope { conversation_id: Some(ids[0]), project_id: Some(place) };
    assert_eq!(store.candidates(&phrases, &[], scope, 10).unwrap().having[0], 1);
}

#[test]
fn what_stands_beside_is_of_the_shown_path_and_what_is_off_it_has_nothing_beside() {
    let (_dir, store) = store();
    let new = conversation(None);
    store.create_conversation(&new).unwrap();
    let first = say(&store, new.id, None, "which stone is it?", 1);
    let basalt = say(&store, new.id, Some(first), "basalt, I think", 2);
    say(&store, new.id, Some(basalt), "thanks", 3);
    // Said instead, and shown from then on.
    let granite = say(&store, new.id, Some(first), "granite, I think", 4);
    let last = say(&store, new.id, Some(granite), "thank you", 5);
    let scope = Scope { conversation_id: Some(new.id), project_id: None };
    let found = |asked: &str| -> Vec<(MessageId, bool, bool)> {
        let found = store.candidates(&question(asked), &[], scope, 10).unwrap();
        found.messages.iter().map(|it| (it.message_id, it.named, it.shown)).collect()
    };
    let beside = [(first, false, true), (granite, true, true), (last, false, true)];
    assert_eq!(found("granite"), beside);
    assert_eq!(found("basalt"), [(basalt, true, false)]);
}

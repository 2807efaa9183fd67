//! Turns: opened, streamed, closed, left behind and taken up by another process.

use siltstone_engine::conversation::{QueuedMessage, Tuning};
use siltstone_engine::ids::MessageId;
use siltstone_engine::message::MessageStatus;
use siltstone_engine::ports::{StoreError, Transcripts, TurnClosing};
use siltstone_engine::search::SearchScope;
use siltstone_engine::section::Manifest;
use siltstone_engine::turn::{Spent, TurnFault, TurnStatus, Usage};
use siltstone_storage::Store;

use crate::it::support::{at, closing, new_conversation, opening, store};

#[test]
fn a_turn_goes_from_question_to_reply() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let mut turn = opening(id, None, "세션은 어디에 있나?", at(1));
    store.open_turn(&turn).unwrap();
    assert_eq!(store.conversation(id).unwrap().title, "제목");
    assert_eq!(store.open_turn_of(id).unwrap(), Some(turn.turn.clone()));
    store.append_partial(turn.turn.id, "세션은 ").unwrap();
    store.append_partial(turn.turn.id, "여기").unwrap();
    let reply = store.message(turn.turn.reply_id).unwrap().message;
    assert_eq!((reply.text().as_str(), reply.status), ("세션은 여기", MessageStatus::Streaming));
    let tuning = Tuning { temperature: Some(0.5), ..Tuning::default() };
    let manifest =
        Manifest { tokens: 5, estimated: 4, counted: 1, budget: 9, tuning, ..Manifest::default() };
    store.set_manifest(turn.turn.id, &manifest).unwrap();
    let hits = |word: &str| store.search(word, &SearchScope::default(), 9).unwrap().total;
    assert_eq!((hits("어디"), hits("여기")), (1, 0), "a reply is found once it is whole");

    let mut end = closing(turn.turn.id, "세션은 여기 있다.", at(9));
    end.usage = Some(Usage { input_tokens: 10, output_tokens: 4, exact: true, ..Usage::default() });
    end.fault = Some(TurnFault { code: "x".into(), message: "y".into() });
    store.close_turn(&end).unwrap();
    turn.turn.status = TurnStatus::Completed;
    turn.turn.usage = end.usage;
    turn.turn.fault = end.fault.clone();
    turn.turn.closed_at = Some(at(9));
    assert_eq!(store.turn(turn.turn.id).unwrap(), turn.turn);
    assert_eq!(store.turns_of_replies(&[turn.turn.reply_id]).unwrap(), vec![turn.turn.clone()]);
    assert_eq!(store.manifest(turn.turn.id).unwrap(), Some(manifest));
    assert_eq!(store.open_turn_of(id).unwrap(), None);
    assert_eq!((hits("여기"), store.conversation(id).unwrap().updated_at), (1, at(9)));
    let reply = store.message(turn.turn.reply_id).unwrap().message;
    assert_eq!((reply.text().as_str(), reply.tokens), ("세션은 여기 있다.", 7));
    assert!(matches!(store.close_turn(&end), Err(StoreError::Conflict { .. })));
    let late = store.append_partial(turn.turn.id, "zu spät");
    assert!(matches!(late, Err(StoreError::Conflict { .. })));
}

#[test]
fn one_reply_at_a_time() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let first = opening(id, None, "one", at(1));
    store.open_turn(&first).unwrap();
    let second = opening(id, Some(first.turn.reply_id), "two", at(2));
    assert!(matches!(store.open_turn(&second), Err(StoreError::Conflict { .. })));
    let other = Store::open(dir.path(), at(3)).unwrap();
    assert!(matches!(other.open_turn(&second), Err(StoreError::Conflict { .. })));
    assert_eq!(other.recover_turns(at(3)).unwrap(), vec![], "its process lives");
    assert_eq!(other.page(id, None, 10).unwrap().total, 2, "a refused turn leaves nothing");
    store.close_turn(&closing(first.turn.id, "done", at(4))).unwrap();
    other.open_turn(&second).unwrap();
    assert_eq!(store.open_turn_of(id).unwrap(), Some(second.turn));
}

#[test]
fn a_waiting_message_is_sent_once() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let mut turn = opening(id, None, "first", at(1));
    let waiting = |id: MessageId, text: &str| QueuedMessage {
        id,
        text: text.into(),
        attachments: Vec::new(),
    };
    let (a, b) = (MessageId::new(at(1)), MessageId::new(at(2)));
    store.enqueue(id, &waiting(b, "b")).unwrap();
    store.enqueue(id, &waiting(a, "a")).unwrap();
    assert_eq!(store.queued(id).unwrap(), vec![waiting(b, "b"), waiting(a, "a")]);
    let question = turn.question.as_mut().unwrap();
    question.message.id = b;
    turn.turn.user_message_id = b;
    turn.reply.message.parent_id = Some(b);
    store.open_turn(&turn).unwrap();
    assert_eq!(store.queued(id).unwrap(), vec![waiting(a, "a")]);
    assert!(store.dequeue(a).unwrap());
    assert!(!store.dequeue(a).unwrap());
}

#[test]
fn what_a_conversation_took_is_the_sum_of_its_turns_on_all_branches() {
    let (_dir, store) = store();
    let [id, other] = [new_conversation(&store), new_conversation(&store)];
    let usage = |input_tokens, output_tokens| {
        Some(Usage { input_tokens, output_tokens, exact: true, ..Usage::default() })
    };
    let turns = [
        (id, usage(100, 10), Some(5_000)),
        (id, usage(200, 20), None),
        (id, None, None),
        (other, usage(1, 1), Some(1)),
    ];
    for (second, (conversation, usage, cost)) in (1..).zip(turns) {
        // Without a parent: each question is a branch of its own.
        let asked = opening(conversation, None, "q", at(second));
        store.open_turn(&asked).unwrap();
        let closed = closing(asked.turn.id, "a", at(second));
        store.close_turn(&TurnClosing { usage, cost, ..closed }).unwrap();
    }
    let expected = Spent { cost: 5_000, input_tokens: 300, output_tokens: 30, unpriced_turns: 1 };
    assert_eq!(store.spent_in(id).unwrap(), expected);
    assert_eq!(store.spent_in(new_conversation(&store)).unwrap(), Spent::default());
}

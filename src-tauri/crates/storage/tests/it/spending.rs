//! What turns cost, by month and by model.

use siltstone_engine::Timestamp;
use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::MessageStatus;
use siltstone_engine::ports::{Records, Spending, StoreError, Transcripts, TurnClosing};
use siltstone_engine::spending::{Aside, SpentOn};
use siltstone_engine::turn::{TurnStatus, Usage};
use siltstone_storage::Store;

use crate::it::support::{at, new_conversation, opening, store};

/// A turn of this model that was opened at this moment and cost this much.
fn spend(store: &Store, id: ConversationId, model: &str, now: Timestamp, cost: Option<u64>) {
    let mut opening = opening(id, None, "how much?", now);
    opening.turn.provider = "work".into();
    opening.turn.model = model.into();
    store.open_turn(&opening).unwrap();
    let usage = Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() };
    let closing = TurnClosing {
        turn_id: opening.turn.id,
        status: TurnStatus::Completed,
        reply_status: MessageStatus::Complete,
        parts: Vec::new(),
        tokens: 10,
        usage: Some(usage),
        cost,
        fault: None,
        closed_at: now,
    };
    store.close_turn(&closing).unwrap();
}

fn on(model: &str, cost: u64, turns: u64, unpriced_turns: u64) -> SpentOn {
    SpentOn {
        provider: "work".into(),
        model: model.into(),
        cost,
        input_tokens: 100 * turns,
        output_tokens: 10 * turns,
        turns,
        unpriced_turns,
    }
}

#[test]
fn sums_hold_from_the_first_moment_up_to_the_next_month() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let before = Timestamp::from_nanosecond(at(100).as_nanosecond() - 1).unwrap();
    let last = Timestamp::from_nanosecond(at(200).as_nanosecond() - 1).unwrap();
    spend(&store, id, "big", before, Some(1));
    spend(&store, id, "big", at(100), Some(2));
    spend(&store, id, "small", at(150), Some(30));
    spend(&store, id, "small", last, None);
    spend(&store, id, "big", at(200), Some(4_000));

    assert_eq!(store.cost(at(100), at(200)), Ok(32));
    let spent = store.spent(at(100), at(200)).unwrap();
    assert_eq!(spent, vec![on("small", 30, 2, 1), on("big", 2, 1, 0)], "the dearest first");
    assert_eq!(store.cost(at(300), at(400)), Ok(0));
    assert_eq!(store.spent(at(300), at(400)), Ok(vec![]));
}

#[test]
fn a_deleted_conversation_stays_paid_for() {
    let (_dir, store) = store();
    let (gone, kept) = (new_conversation(&store), new_conversation(&store));
    spend(&store, gone, "big", at(1), Some(7));
    spend(&store, kept, "big", at(2), Some(5));
    let trash = ConversationPatch { deleted_at: Some(Some(at(3))), ..Default::default() };
    store.update_conversation(gone, &trash).unwrap();
    store.purge_conversation(gone).unwrap();
    assert_eq!(store.cost(at(0), at(9)), Ok(12));
    assert_eq!(store.spent(at(0), at(9)), Ok(vec![on("big", 12, 2, 0)]));
}

#[test]
fn a_request_counts_while_its_reply_is_on_its_way_and_after_its_process_died() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let opening = opening(id, None, "how much?", at(1));
    store.open_turn(&opening).unwrap();
    store.set_cost(opening.turn.id, Some(900)).unwrap();
    assert_eq!(store.cost(at(0), at(9)), Ok(900));

    drop(store);
    let store = Store::open(dir.path(), at(2)).unwrap();
    assert_eq!(store.recover_turns(at(3)), Ok(vec![opening.turn.id]));
    assert_eq!(store.cost(at(0), at(9)), Ok(900));
    let late = store.set_cost(opening.turn.id, Some(1));
    assert!(matches!(late, Err(StoreError::NotFound { .. })), "{late:?}");
}

#[test]
fn an_allowance_holds_for_its_month_and_outlives_the_program() {
    let (dir, store) = store();
    assert_eq!(store.allowed_until("2026-11"), Ok(None));
    store.allow_until("2026-11", 20).unwrap();
    store.allow_until("2026-11", 30).unwrap();
    drop(store);
    let store = Store::open(dir.path(), at(1)).unwrap();
    assert_eq!(store.allowed_until("2026-11"), Ok(Some(30)));
    assert_eq!(store.allowed_until("2026-12"), Ok(None));
}

#[test]
fn a_recorded_conversation_is_forgotten_with_its_conversation() {
    let (_dir, store) = store();
    let (english, korean) = (new_conversation(&store), new_conversation(&store));
    store.put_sample("en", english).unwrap();
    store.put_sample("ko", korean).unwrap();
    let trash = ConversationPatch { deleted_at: Some(Some(at(3))), ..Default::default() };
    store.update_conversation(english, &trash).unwrap();
    assert_eq!(store.sample("en"), Ok(Some(english)), "it can come out of the trash again");
    store.purge_conversation(english).unwrap();
    assert_eq!(store.sample("en"), Ok(None));
    assert_eq!(store.sample("ko"), Ok(Some(korean)));
}

/// What is asked beside turns counts before it leaves, whoever sees its end.
#[test]
fn a_request_beside_turns_counts_before_it_is_settled_and_not_at_all_when_it_was_refused() {
    let (dir, store) = store();
    let (from, to) = (at(0), at(100));
    let usage =
        |input_tokens, output_tokens| Usage { input_tokens, output_tokens, ..Usage::default() };
    let aside = |second, cost| Aside {
        at: at(second),
        provider: "work".into(),
        model: "small".into(),
        usage: usage(100, 0),
        cost,
    };
    let first = store.note_aside(&aside(1, Some(300))).unwrap();
    let refused = store.note_aside(&aside(2, Some(300))).unwrap();
    store.note_aside(&aside(200, Some(300))).unwrap();
    // Not settled, and read by another process.
    drop(store);
    let store = Store::open(dir.path(), at(3)).unwrap();
    assert_eq!(store.cost(from, to), Ok(600));

    store.settle_aside(first, Some((usage(100, 10), Some(450)))).unwrap();
    store.settle_aside(refused, None).unwrap();
    assert_eq!(store.cost(from, to), Ok(450));
    assert_eq!(store.spent(from, to), Ok(vec![on("small", 450, 1, 0)]));
}

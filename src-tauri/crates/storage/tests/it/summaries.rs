//! Summaries: one of a conversation at a time, whoever makes it, and what is left when its process dies.

use siltstone_engine::ids::{ConversationId, MessageId, SummaryId};
use siltstone_engine::ports::{Spending, StoreError, Summaries, Transcripts};
use siltstone_engine::summary::{
    Coverage, Overlay, Policy, Rate, Receipt, Record, Status, TurnSpan,
};
use siltstone_engine::tokens::Calibration;
use siltstone_engine::turn::{TurnFault, Usage};
use siltstone_storage::Store;

use crate::it::support::{Dice, at, new_conversation, say, store};

/// A summary in progress, of the first message.
pub fn begun(conversation_id: ConversationId, version: u32, second: i64) -> Record {
    Record {
        id: SummaryId::new(at(second)),
        conversation_id,
        policy: Policy::Segments,
        level: 1,
        version,
        status: Status::InProgress,
        coverage: Coverage { start: 0, count: 6, last: MessageId::new(at(0)) },
        covered_token_count: 400,
        turns: Some(TurnSpan { first: 1, last: 3 }),
        original_chars: 1_500,
        summary_chars: 0,
        compression_rate: Rate::from(0.35),
        summary: String::new(),
        model: Some("haiku".into()),
        usage: Some(Usage { input_tokens: 500, ..Usage::default() }),
        cost: Some(7_000),
        edited: false,
        fault: None,
        unfolded_at: None,
        receipt: Receipt::default(),
        created_at: at(second),
        finished_at: None,
    }
}

pub fn made(record: &Record) -> Record {
    Record {
        status: Status::Completed,
        summary: "포트는 5433번.".into(),
        summary_chars: 10,
        usage: Some(Usage {
            input_tokens: 510,
            output_tokens: 20,
            exact: true,
            ..Usage::default()
        }),
        cost: Some(9_000),
        finished_at: Some(at(9)),
        ..record.clone()
    }
}

#[test]
fn every_column_comes_back_in_every_state() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let first = begun(id, 1, 1);
    store.begin_summary(&first, Some("work")).unwrap();
    assert_eq!(store.summary(first.id).unwrap(), first);
    let done = made(&first);
    store.finish_summary(&done).unwrap();
    let fault = TurnFault { code: "provider_timed_out".into(), message: "60 s".into() };
    let second = begun(id, 2, 2);
    store.begin_summary(&second, Some("work")).unwrap();
    let failed = second.failed(fault, at(3));
    store.finish_summary(&failed).unwrap();
    let edited = done.edited("5433.", 3, at(4));
    store.put_summary(&edited).unwrap();
    let unfolded = Record { unfolded_at: Some(at(5)), ..edited };
    store.put_summary(&unfolded).unwrap();
    assert_eq!(store.summaries(id).unwrap(), [done, failed, unfolded]);
    assert_eq!(store.summaries(new_conversation(&store)).unwrap(), []);
}

#[test]
fn the_database_holds_one_in_progress_and_one_of_each_version() {
    let (dir, store) = store();
    let other = Store::open(dir.path(), at(0)).unwrap();
    let [id, elsewhere] = [new_conversation(&store), new_conversation(&store)];
    let first = begun(id, 1, 1);
    store.begin_summary(&first, None).unwrap();
    for begins in [&store, &other] {
        let refused = begins.begin_summary(&begun(id, 2, 2), None);
        assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
    }
    other.begin_summary(&begun(elsewhere, 1, 2), None).unwrap();
    assert_eq!(other.recover_summaries(at(3)).unwrap(), [], "its process lives");

    store.finish_summary(&made(&first)).unwrap();
    let again = store.finish_summary(&made(&first));
    assert!(matches!(again, Err(StoreError::Conflict { .. })), "finished once: {again:?}");
    let same = other.begin_summary(&begun(id, 1, 4), None);
    assert!(matches!(same, Err(StoreError::Conflict { .. })), "version 1 is there: {same:?}");
    other.begin_summary(&begun(id, 2, 4), None).unwrap();
}

#[test]
fn what_stands_aside_is_no_summary_of_the_path_and_keeps_its_cost() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let candidate = made(&begun(id, 1, 1));
    store.put_candidate(&candidate, Some("work")).unwrap();
    assert_eq!(store.summaries(id).unwrap(), []);
    let adopted = store.summary(candidate.id).unwrap().adopted(1, at(2));
    store.put_summary(&adopted).unwrap();
    assert_eq!(store.summaries(id).unwrap(), std::slice::from_ref(&adopted));
    store.discard_summary(adopted.id).unwrap();
    assert_eq!(store.summaries(id).unwrap(), []);
    store.put_summary(&adopted.adopted(1, at(3))).unwrap();

    // Paid for once, however often it was taken over, and also after the conversation is gone.
    let cost = || store.cost(at(0), at(100)).unwrap();
    assert_eq!((cost(), store.spent_in(id).unwrap().cost), (9_000, 9_000));
    let tokens = candidate.usage.map(|usage| usage.input_tokens + usage.output_tokens);
    assert_eq!(Some(store.spent_on_summaries(id).unwrap()), tokens);
    assert_eq!(store.spent_on_summaries(new_conversation(&store)), Ok(0));
    let [on] = &store.spent(at(0), at(100)).unwrap()[..] else { panic!("one model") };
    assert_eq!((on.provider.as_str(), on.model.as_str(), on.input_tokens), ("work", "haiku", 510));
    let patch = siltstone_engine::conversation::ConversationPatch {
        deleted_at: Some(Some(at(4))),
        ..Default::default()
    };
    store.update_conversation(id, &patch).unwrap();
    store.purge_conversation(id).unwrap();
    assert_eq!(cost(), 9_000);
    assert!(matches!(store.summary(candidate.id), Err(StoreError::NotFound { .. })));
}

#[test]
fn places_of_the_shown_path_are_found_without_reading_it() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let first = say(&store, id, None, "a", 1);
    let second = say(&store, id, Some(first), "b", 2);
    let other = say(&store, id, Some(first), "c", 3);
    assert_eq!(store.ids_at(id, &[1, 0, 2]).unwrap(), [Some(other), Some(first), None]);
    store.activate(second).unwrap();
    assert_eq!(store.ids_at(id, &[1]).unwrap(), [Some(second)]);
}

#[test]
fn what_was_learned_of_a_model_is_kept() {
    let (_dir, store) = store();
    assert_eq!(store.calibration("work", "m").unwrap(), Calibration::default());
    let known = Calibration::default().observe(1_000, 1_300);
    store.put_calibration("work", "m", &known).unwrap();
    assert_eq!(store.calibration("work", "m").unwrap(), known);
    assert_eq!(store.calibration("work", "n").unwrap(), Calibration::default());
}

/// Whatever was made, edited, taken back, unfolded and discarded on two branches: what holds comes out of the few that
/// stand as out of all.
#[test]
fn what_stands_tells_what_holds_as_all_that_was_ever_made_does() {
    for seed in 1..=20 {
        let mut dice = Dice(seed);
        let (_dir, store) = store();
        let id = new_conversation(&store);
        let mut tip = None;
        let mut forked = None;
        for place in 0..24 {
            tip = Some(say(&store, id, tip, "한 마디", place));
            forked = if place == 11 { tip } else { forked };
        }
        let paths = [tip, forked.map(|from| say(&store, id, Some(from), "another word", 30))];
        let paths: Vec<(MessageId, Vec<MessageId>)> = paths
            .into_iter()
            .flatten()
            .map(|tip| {
                store.activate(tip).unwrap();
                let places: Vec<u64> = (0..24).collect();
                (tip, store.ids_at(id, &places).unwrap().into_iter().flatten().collect())
            })
            .collect();
        for second in 40..100 {
            let (_, path) = dice.of(&paths);
            let start = 3 * dice.below(path.len() / 3);
            let count = (3 * (1 + dice.below(3))).min(path.len() - start);
            let coverage = Coverage {
                start: start as u64,
                count: count as u64,
                last: path[start + count - 1],
            };
            let version = store.next_version(id, Policy::Segments, 1, coverage.start).unwrap();
            let record = Record { coverage, ..begun(id, version, second) };
            let fault = TurnFault { code: "not_shorter".into(), message: String::new() };
            let record = match dice.below(8) {
                0 => record.failed(fault, at(second)),
                1 => made(&record).undone(at(second)),
                2 => Record { unfolded_at: Some(at(second)), ..made(&record) },
                _ => Record { finished_at: Some(at(second)), ..made(&record) },
            };
            store.put_summary(&record).unwrap();
            if dice.below(6) == 0 {
                store.discard_summary(record.id).unwrap();
            }
        }
        if dice.below(2) == 0 {
            let version = store.next_version(id, Policy::Segments, 1, 0).unwrap();
            store.begin_summary(&begun(id, version, 200), None).unwrap();
        }
        for (tip, path) in &paths {
            store.activate(*tip).unwrap();
            let all = store.summaries(id).unwrap();
            let on_path = |place: u64| path.get(place as usize).copied();
            let whole = Overlay::on(&all, on_path);
            let standing = store.standing(id).unwrap();
            let ends = |place| standing.ends.iter().find(|it| it.0 == place).map(|it| it.1);
            let few = Overlay::on(&standing.records, ends);
            let told: Vec<Record> =
                standing.records.iter().map(|record| Record::clone(record)).collect();
            let held = |overlay: &Overlay<'_>| -> Vec<SummaryId> {
                overlay.records().iter().map(|record| record.id).collect()
            };
            assert_eq!(held(&few), held(&whole), "{seed}");
            assert_eq!((few.end(), few.turns()), (whole.end(), whole.turns()));
            assert_eq!((few.first_raw(), few.is_busy()), (whole.first_raw(), whole.is_busy()));
            // What was folded before the newest, and what failed or was taken back beyond the end.
            let newest = whole.folded().next_back().map_or(0, |it| it.coverage.end());
            let before = |records: &[Record]| {
                let made = records.iter().filter(|it| it.is_completed());
                let made = made.filter(|it| it.coverage.lies_on(on_path));
                made.map(|it| it.coverage.end()).filter(|end| *end < newest).max()
            };
            assert_eq!(before(&told), before(&all), "{seed}");
            let beyond = |records: &[Record]| {
                let failed = records.iter().filter(|it| it.status == Status::Failed);
                let beyond = failed.filter(|it| it.coverage.end() > whole.end());
                let mut beyond: Vec<SummaryId> = beyond.map(|it| it.id).collect();
                beyond.sort();
                beyond
            };
            assert_eq!(beyond(&told), beyond(&all), "{seed}");
            assert!(standing.records.len() <= held(&whole).len() + beyond(&all).len() + 2);
        }
    }
}

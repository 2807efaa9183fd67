//! Paths, siblings and switches, against a tree that keeps only parents.

use std::collections::HashMap;

use siltstone_engine::Timestamp;
use siltstone_engine::conversation::{ConversationFilter, ConversationPatch, PathPage};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::Role;
use siltstone_engine::ports::{Spending, StoreError, Transcripts};
use siltstone_engine::search::SearchScope;
use siltstone_engine::tokens::Encoding;
use siltstone_storage::Store;

use crate::it::support::{
    Dice, at, closing, conversation, message, new_conversation, opening, say, store,
};

/// The same tree without branches: parents, and the leaves in the order in which they were shown last.
#[derive(Default)]
struct Naive {
    parents: HashMap<MessageId, Option<MessageId>>,
    leaves: Vec<MessageId>,
}

impl Naive {
    fn path(&self, leaf: MessageId) -> Vec<MessageId> {
        let mut path = vec![leaf];
        while let Some(parent) = self.parents[path.last().unwrap()] {
            path.push(parent);
        }
        path.reverse();
        path
    }

    fn shown(&self) -> Vec<MessageId> {
        self.leaves.last().map(|leaf| self.path(*leaf)).unwrap_or_default()
    }

    fn add(&mut self, id: MessageId, parent: Option<MessageId>) {
        self.leaves.retain(|leaf| Some(*leaf) != parent);
        self.leaves.push(id);
        self.parents.insert(id, parent);
    }

    fn activate(&mut self, id: MessageId) {
        let place = self.leaves.iter().rposition(|leaf| self.path(*leaf).contains(&id)).unwrap();
        let leaf = self.leaves.remove(place);
        self.leaves.push(leaf);
    }

    fn siblings(&self, id: MessageId) -> Vec<MessageId> {
        let parent = self.parents[&id];
        let mut all: Vec<MessageId> =
            self.parents.iter().filter(|(_, p)| **p == parent).map(|(id, _)| *id).collect();
        all.sort();
        all
    }

    fn assert_page(&self, page: &PathPage, start: Option<u64>, limit: u64) {
        let path = self.shown();
        let total = path.len() as u64;
        let start = start.unwrap_or(total.saturating_sub(limit)).min(total);
        let end = (start + limit).min(total);
        let ids: Vec<MessageId> = page.messages.iter().map(|m| m.message.id).collect();
        assert_eq!(ids, path[start as usize..end as usize]);
        assert_eq!((page.start, page.total), (start, total));
        for (offset, shown) in page.messages.iter().enumerate() {
            let siblings = self.siblings(shown.message.id);
            assert_eq!(shown.siblings.ids, siblings);
            assert_eq!(siblings[shown.siblings.position as usize], shown.message.id);
            assert_eq!(shown.message.index, start + offset as u64);
            assert_eq!(shown.message.parent_id, self.parents[&shown.message.id]);
        }
    }
}

#[test]
fn random_edits_and_switches_agree_with_a_naive_tree() {
    for seed in 0..12 {
        let (_dir, store) = store();
        let id = new_conversation(&store);
        let mut naive = Naive::default();
        let mut dice = Dice(seed);
        for step in 0..120 {
            let path = naive.shown();
            let all: Vec<MessageId> = naive.parents.keys().copied().collect();
            match dice.below(10) {
                // Speak on, the common case.
                0..=4 => {
                    let parent = path.last().copied();
                    naive.add(say(&store, id, parent, "on", step), parent);
                }
                // Edit or regenerate something shown: a sibling of it.
                5..=6 if !path.is_empty() => {
                    let parent = naive.parents[dice.of(&path)];
                    naive.add(say(&store, id, parent, "edit", step), parent);
                }
                // Go on from anywhere, as an import does.
                7 if !all.is_empty() => {
                    let parent = Some(*dice.of(&all));
                    naive.add(say(&store, id, parent, "elsewhere", step), parent);
                }
                _ if !all.is_empty() => {
                    let target = *dice.of(&all);
                    store.activate(target).unwrap();
                    naive.activate(target);
                }
                _ => {}
            }
            let start = (dice.below(2) == 0).then(|| dice.below(20) as u64);
            let limit = 1 + dice.below(20) as u64;
            naive.assert_page(&store.page(id, start, limit).unwrap(), start, limit);
        }
        let every: Vec<_> = store.all_messages(id).unwrap();
        assert_eq!(every.len(), naive.parents.len());
        assert_eq!(store.conversation(id).unwrap().message_count, naive.shown().len() as u64);
        let mut seen: Vec<MessageId> = Vec::new();
        for message in every {
            assert!(message.parent_id.is_none_or(|parent| seen.contains(&parent)));
            seen.push(message.id);
        }
    }
}

#[test]
fn a_message_cannot_join_a_foreign_tree() {
    let (_dir, store) = store();
    let (one, two) = (new_conversation(&store), new_conversation(&store));
    let root = say(&store, one, None, "a", 1);
    let foreign = message(two, Some(root), Role::User, "b", at(2));
    assert!(matches!(store.append_message(&foreign), Err(StoreError::Conflict { .. })));
    let orphan = message(two, Some(MessageId::new(at(3))), Role::User, "c", at(3));
    assert!(matches!(
        store.append_message(&orphan),
        Err(StoreError::NotFound { what: "message", .. })
    ));
    let nowhere = message(ConversationId::new(at(4)), None, Role::User, "d", at(4));
    assert!(matches!(
        store.append_message(&nowhere),
        Err(StoreError::NotFound { what: "conversation", .. })
    ));
    assert_eq!(store.page(two, None, 10).unwrap().total, 0);
}

#[test]
fn an_import_is_whole_or_not_at_all() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let first = message(id, None, Role::User, "one", at(1));
    let second = message(id, Some(first.message.id), Role::Assistant, "two", at(2));
    let twice = vec![first.clone(), second.clone(), first.clone()];
    assert!(store.append_messages(&twice).is_err());
    assert_eq!(store.page(id, None, 10).unwrap().total, 0);
    store.append_messages(&[first, second.clone()]).unwrap();
    let page = store.page(id, None, 10).unwrap();
    assert_eq!(page.total, 2);
    let mut expected = second.message;
    expected.index = 1;
    assert_eq!(page.messages[1].message, expected);
}

#[test]
fn a_purge_leaves_no_row_and_no_byte() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let secret = "marzipanregenschirm";
    let root = say(&store, id, None, secret, 1);
    say(&store, id, Some(root), "the other message", 2);
    let kept = conversation(None);
    store.create_conversation(&kept).unwrap();
    say(&store, kept.id, None, "a message that stays", 3);
    assert!(matches!(store.purge_conversation(id), Err(StoreError::Conflict { .. })));
    let trash = ConversationPatch { deleted_at: Some(Some(at(4))), ..Default::default() };
    store.update_conversation(id, &trash).unwrap();
    store.purge_conversation(id).unwrap();
    assert!(matches!(store.conversation(id), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.message(root), Err(StoreError::NotFound { .. })));
    assert_eq!(store.page(kept.id, None, 10).unwrap().total, 1);
    drop(store);
    for entry in std::fs::read_dir(dir.path()).unwrap().flatten() {
        if entry.path().is_file() {
            let bytes = std::fs::read(entry.path()).unwrap();
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{}", entry.path().display());
        }
    }
}

#[test]
fn a_long_and_often_edited_conversation_is_purged_whole() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let mut all = Vec::new();
    let mut parent = None;
    // Each message on the way is an edit of another: as many branches as messages, one inside the other.
    for n in 0..1_500 {
        for _ in 0..2 {
            all.push(message(id, parent, Role::User, "고친 말", at(n)));
        }
        parent = all.last().map(|new| new.message.id);
    }
    store.append_messages(&all).unwrap();
    let page = store.page(id, Some(700), 20).unwrap();
    assert_eq!((page.total, page.messages.len()), (1_500, 20));
    let trash = ConversationPatch { deleted_at: Some(Some(at(4))), ..Default::default() };
    store.update_conversation(id, &trash).unwrap();
    store.purge_conversation(id).unwrap();
    let db = rusqlite::Connection::open(dir.path().join("siltstone.db")).unwrap();
    for table in ["conversations", "branches", "messages", "message_index"] {
        let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let left = db.query_row(&format!("SELECT count(*) FROM {table}"), [], count).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

/// performance.md, 10: nobody waits for a deletion, however long the conversation is.
#[test]
fn a_purge_goes_in_steps_and_is_taken_up_where_a_process_left_it() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let mut parent = None;
    for turn in 0..2 {
        let opened = opening(id, parent, "무엇을 정했나?", at(turn));
        store.open_turn(&opened).unwrap();
        store.close_turn(&closing(opened.turn.id, "Port 5433.", at(turn))).unwrap();
        parent = Some(opened.turn.reply_id);
    }
    let mut all = Vec::new();
    for n in 0..4_500 {
        all.push(message(id, parent, Role::User, "granite", at(10 + n)));
        parent = all.last().map(|new| new.message.id);
    }
    store.append_messages(&all).unwrap();
    let kept = new_conversation(&store);
    say(&store, kept, None, "granite stays", 3);
    let spent = store.cost(Timestamp::MIN, Timestamp::MAX).unwrap();
    let trash = ConversationPatch { deleted_at: Some(Some(at(4))), ..Default::default() };
    store.update_conversation(id, &trash).unwrap();

    store.begin_purge(id).unwrap();
    let trashed = ConversationFilter { trashed: true, ..Default::default() };
    assert_eq!(store.conversations(&trashed).unwrap(), [], "nobody comes back to half of it");
    let back = ConversationPatch { deleted_at: Some(None), ..Default::default() };
    assert!(matches!(store.update_conversation(id, &back), Err(StoreError::NotFound { .. })));
    let mut heard = Vec::new();
    store
        .purge_rest(&mut |left| {
            heard.push(left);
            heard.len() < 2
        })
        .unwrap();
    assert_eq!(heard, [2_504, 504], "it was stopped between two steps");
    say(&store, kept, None, "said meanwhile", 5);
    drop(store);

    let store = Store::open(dir.path(), at(9)).unwrap();
    store.purge_rest(&mut |_| true).unwrap();
    assert!(matches!(store.conversation(id), Err(StoreError::NotFound { .. })));
    assert_eq!(store.search("granite", &SearchScope::default(), 5).unwrap().total, 1);
    assert_eq!(store.cost(Timestamp::MIN, Timestamp::MAX).unwrap(), spent, "costs stay");
    let db = rusqlite::Connection::open(dir.path().join("siltstone.db")).unwrap();
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM messages"), 2);
    assert_eq!(count("SELECT count(*) FROM message_index"), 2);
    assert_eq!(count("SELECT count(*) FROM turns"), 0);
    assert_eq!(count("SELECT count(*) FROM purged_costs"), 2);
    assert_eq!(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn exact_counts_are_kept_by_encoding_and_not_of_what_is_still_being_written() {
    let (_dir, store) = store();
    let id = new_conversation(&store);
    let turn = opening(id, None, "세션은 어디에 있나?", at(1));
    store.open_turn(&turn).unwrap();
    let (question, reply) = (turn.turn.user_message_id, turn.turn.reply_id);
    store.put_counts(Encoding::O200k, &[(question, 9), (reply, 3)]).unwrap();
    let counts = |encoding| -> Vec<Option<u64>> {
        let found = store.counted(id, 0..10, encoding).unwrap();
        found.into_iter().map(|(_, count)| count).collect()
    };
    assert_eq!(counts(Some(Encoding::O200k)), [Some(9), None]);
    assert_eq!(counts(Some(Encoding::Cl100k)), [None, None]);
    assert_eq!(counts(None), [None, None]);
    let first = store.counted(id, 0..1, None).unwrap();
    assert_eq!(first[0].0, store.message(question).unwrap().message);
    assert_eq!(first.len(), 1);
}

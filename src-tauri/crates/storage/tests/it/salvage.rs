//! Damaged database files and what is read of them (safety.md, R12 and G15): every page lost in turn, cut off, the header
//! broken, a log that was not brought home, and a backup that has what is missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use siltstone_engine::conversation::{ConversationFilter, ConversationPatch};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::Message;
use siltstone_engine::ports::{DataFolder, StoreError, Transcripts};
use siltstone_engine::salvage::LOST;
use siltstone_engine::search::SearchScope;
use siltstone_secrets::Seals;
use siltstone_storage::{DataDir, Store};
use tempfile::TempDir;

use crate::it::support::{at, new_conversation, say};

const PAGE: usize = 4096;

fn folder(dir: &Path) -> DataDir {
    DataDir::new(dir.to_owned(), Arc::new(Seals))
}

/// What is said: long enough for many pages, some of it for pages of its own, and each with words of its own.
fn said(talk: usize, index: usize) -> String {
    let long = if index == 7 { 900 } else { 20 };
    format!("<{talk}:{index:03}> {}", "the heron stands in the reeds, 왜가리 ".repeat(long))
}

/// Talks of so many messages, the first one with a second branch, and a database that was closed.
fn filled(talks: usize, messages: usize) -> (TempDir, Vec<ConversationId>) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    let ids = (0..talks).map(|talk| talked(&store, talk, messages)).collect();
    (dir, ids)
}

fn talked(store: &Store, talk: usize, messages: usize) -> ConversationId {
    let id = new_conversation(store);
    let mut last = None;
    for index in 0..messages {
        let second = i64::try_from(index).unwrap();
        let before = last;
        last = Some(say(store, id, before, &said(talk, index), second));
        if talk == 0 && index == 5 {
            say(store, id, before, &format!("<0:b> {}", said(9, 9)), second);
            store.activate(last.unwrap()).unwrap();
        }
    }
    id
}

/// Texts of a database by their beginnings, those that stand for lost ones left out.
fn texts(store: &Store) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for trashed in [false, true] {
        let filter = ConversationFilter { project_id: None, trashed };
        for conversation in store.conversations(&filter).unwrap() {
            let all: Vec<Message> = store.all_messages(conversation.id).unwrap();
            let path = store.page(conversation.id, Some(0), 10_000).unwrap();
            assert_eq!(path.messages.len() as u64, path.total, "every place of the path");
            let mut above = None;
            for message in &path.messages {
                assert_eq!(message.message.parent_id, above, "the path hangs together");
                above = Some(message.message.id);
            }
            for message in all.into_iter().map(|message| message.text()) {
                let (head, _) = message.split_once(' ').unwrap();
                if message != LOST {
                    found.insert(head.to_owned(), message);
                }
            }
        }
    }
    found
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn whichever_page_is_lost_everything_that_stands_on_others_is_read() {
    let (dir, _) = filled(3, 40);
    let before = texts(&Store::open(dir.path(), at(1)).unwrap());
    assert_eq!(before.len(), 121);
    let path = dir.path().join("siltstone.db");
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / PAGE;
    assert!(pages > 40, "trees of more than a page: {pages}");
    let (mut tried, mut refused) = (0, 0);
    // The rig of damaged databases takes every page; here it is every seventh, whichever tables those hold.
    for page in (0..pages).step_by(7) {
        tried += 1;
        let mut bytes = whole.clone();
        let lost = bytes[page * PAGE..(page + 1) * PAGE].to_vec();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0);
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("siltstone.db");
        fs::write(&path, &bytes).unwrap();
        if lost == bytes[page * PAGE..(page + 1) * PAGE] || Store::open(other.path(), at(2)).is_ok()
        {
            continue;
        }
        refused += 1;
        let salvage = folder(other.path()).salvage(None, at(3)).unwrap();
        let kept = Path::new(salvage.kept.as_ref().unwrap()).join("siltstone.db");
        assert_eq!(fs::read(kept).unwrap(), bytes, "the damaged one is kept as it was");
        let store = Store::open(other.path(), at(4)).unwrap();
        let after = texts(&store);
        for (head, text) in &before {
            // The long ones go on over pages of their own, on which their beginning does not stand.
            if head.ends_with(":007>") || holds(&lost, head) {
                continue;
            }
            assert_eq!(after.get(head), Some(text), "page {page} of {pages}");
        }
        assert!(after.len() + salvage.lost_messages as usize >= before.len(), "page {page}");
        let found = store.search("heron", &SearchScope::default(), 1).unwrap();
        assert_eq!(found.total as usize, after.len(), "the index is made again");
    }
    assert!(refused * 2 > tried, "{refused} of {tried} were refused");
}

#[test]
fn a_file_that_ends_early_or_begins_with_noise_gives_what_is_left() {
    let (dir, _) = filled(2, 60);
    let path = dir.path().join("siltstone.db");
    let whole = fs::read(&path).unwrap();
    let before = texts(&Store::open(dir.path(), at(1)).unwrap());
    let cut = whole[..whole.len() / 5 * 4 + 100].to_vec();
    let mut noise = whole.clone();
    noise.iter_mut().take(100).zip(0_u8..).for_each(|(byte, value)| *byte = value ^ 0x5a);
    let mut zeros = whole.clone();
    zeros[..PAGE].fill(0);
    for (bytes, least) in [(cut, 20), (noise, before.len()), (zeros, before.len())] {
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(Store::open(dir.path(), at(2)), Err(StoreError::Damaged { .. })));
        folder(dir.path()).salvage(None, at(3)).unwrap();
        let after = texts(&Store::open(dir.path(), at(4)).unwrap());
        assert!(after.len() >= least, "{} of {}", after.len(), before.len());
        assert!(after.iter().all(|(head, text)| before.get(head) == Some(text)));
    }
    // The same second, and yet each has a folder of its own.
    assert_eq!(fs::read_dir(dir.path().join("damaged")).unwrap().count(), 3);
}

#[test]
fn what_stands_in_the_log_alone_is_read_up_to_where_that_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    talked(&store, 1, 30);
    let (left, log) = (tempfile::tempdir().unwrap(), dir.path().join("siltstone.db-wal"));
    let half = fs::metadata(&log).unwrap().len() / 2;
    // As a process leaves it that was killed; then the power went, and a page with it.
    let mut counts = Vec::new();
    for cut in [None, Some(half)] {
        let mut main = fs::read(dir.path().join("siltstone.db")).unwrap();
        let mut wal = fs::read(&log).unwrap();
        wal.truncate(cut.map_or(wal.len(), |cut| usize::try_from(cut).unwrap()));
        main.iter_mut().take(16).for_each(|byte| *byte = 0);
        // Its first page is in the log too, which no header of the file needs.
        fs::write(left.path().join("siltstone.db"), &main).unwrap();
        fs::write(left.path().join("siltstone.db-wal"), &wal).unwrap();
        let salvage = folder(left.path()).salvage(None, at(3)).unwrap();
        counts.push(salvage.holds.messages);
        let kept = Path::new(salvage.kept.as_ref().unwrap()).join("siltstone.db-wal");
        assert_eq!(fs::read(kept).unwrap(), wal, "the log is kept too");
        assert!(
            !left.path().join("siltstone.db-wal").exists(),
            "an old log would spoil the new file"
        );
    }
    assert_eq!(counts[0], 30);
    assert!((1..30).contains(&counts[1]), "{counts:?}");
}

#[test]
fn a_backup_adds_what_is_lost_and_not_what_was_deleted() {
    let (dir, ids) = filled(3, 40);
    let store = Store::open(dir.path(), at(1)).unwrap();
    let before = texts(&store);
    let backup = store.backup_now(at(1)).unwrap();
    // Later: one goes for ever, and another goes on.
    let patch = ConversationPatch { deleted_at: Some(Some(at(2))), ..Default::default() };
    store.update_conversation(ids[2], &patch).unwrap();
    store.purge_conversation(ids[2]).unwrap();
    let last = store.page(ids[1], None, 1).unwrap().messages[0].message.id;
    say(&store, ids[1], Some(last), "<later> than the backup", 99);
    drop(store);

    let path = dir.path().join("siltstone.db");
    let mut bytes = fs::read(&path).unwrap();
    // The page that one of the first messages stands on, and no other of the file.
    let heads = ["<0:003>", "<0:b>"];
    let leaf = |page: &&mut [u8]| page[0] == 13 && heads.iter().any(|head| holds(page, head));
    let lost = bytes.chunks_mut(PAGE).find(leaf).unwrap();
    lost.fill(0xff);
    fs::write(&path, &bytes).unwrap();
    let plan = folder(dir.path()).salvage_plan().unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes, "a plan changes nothing");
    assert!(plan.alone.lost_messages > 0);
    assert_eq!(plan.alone.touched[0].lost, plan.alone.lost_messages);
    let with = plan.with_backup.unwrap();
    assert_eq!((with.lost_messages, with.touched_count), (0, 0));
    assert_eq!(plan.backup.unwrap().name, backup.file_name().unwrap().to_str().unwrap());

    let name = backup.file_name().unwrap().to_str().unwrap();
    folder(dir.path()).salvage(Some(name), at(3)).unwrap();
    let after = texts(&Store::open(dir.path(), at(4)).unwrap());
    let expected = before.iter().filter(|(head, _)| !head.starts_with("<2:"));
    for (head, text) in expected {
        assert_eq!(after.get(head), Some(text));
    }
    assert!(after.contains_key("<later>"));
    assert!(!after.keys().any(|head| head.starts_with("<2:")), "what was deleted stays deleted");
}

#[test]
fn what_nothing_can_be_read_of_is_left_as_it_is_and_one_in_use_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    let in_use = folder(dir.path()).salvage(None, at(1));
    assert!(matches!(in_use, Err(StoreError::Conflict { .. })), "{in_use:?}");
    drop(store);
    let path = dir.path().join("siltstone.db");
    for bytes in [Vec::new(), vec![7; 40_000]] {
        fs::write(&path, &bytes).unwrap();
        for refused in
            [folder(dir.path()).salvage_plan().err(), folder(dir.path()).salvage(None, at(1)).err()]
        {
            assert!(matches!(refused, Some(StoreError::Damaged { .. })), "{refused:?}");
        }
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(!dir.path().join("siltstone.db.new").exists());
    }
    fs::remove_file(&path).unwrap();
    assert!(matches!(folder(dir.path()).salvage_plan(), Err(StoreError::Damaged { .. })));
}

//! Sealed checkpoints on disk: nothing of them can be read without the key, nothing of them can be changed unnoticed, and
//! switching on and off loses nothing, wherever it is cut off.

use std::fs;
use std::path::{Path, PathBuf};

use siltstone_engine::checkpoint::{
    Checkpoint, Checkpoints, Leaf, ObjectId, Objects, Parts, SealKey, Sealer, Sealing, StoredPlan,
    Written,
};
use siltstone_engine::ids::{PlanId, ProjectId};
use siltstone_engine::ports::StoreError;
use siltstone_secrets::Seals;
use siltstone_storage::CheckpointStore;

use crate::it::checkpoints::{at, is_whole, listed, noise, open, opened, packs, save};

/// What no file on disk may hold, as content, as a name and as a path that was written.
const CANARY: &str = "canary-in-the-mine";

fn key() -> SealKey {
    Seals.new_key().unwrap()
}

/// Seals everything, or opens it again.
fn finish(store: &CheckpointStore) -> u32 {
    let mut parts = 0;
    while store.reseal().unwrap().left() > 0 {
        parts += 1;
    }
    parts
}

fn sealed_with(store: &CheckpointStore, key: &SealKey) {
    store.unlock(key).unwrap();
    store.seal(true).unwrap();
    finish(store);
}

/// A checkpoint with the canary wherever a person's words can be, and a plan and a written path beside it.
fn tell(store: &CheckpointStore, project: ProjectId, second: i64) -> (Checkpoint, StoredPlan) {
    let name = format!("{CANARY}-{second}.txt");
    let text = format!("{CANARY} {second}").into_bytes();
    let made = save(store, project, second, &[(&name, text), ("noise", noise(7, 50_000))]);
    let plan = StoredPlan {
        id: PlanId::new(at(second)),
        checkpoint: made.id,
        created_at: at(second),
        parts: Parts { chat: false, files: true, memory: false, context: false },
        base: made.files.as_ref().and_then(|files| files.tree),
        steps: Vec::new(),
        before: Some(made.id),
        finished_at: None,
        turn: None,
        copy: None,
    };
    store.put_plan(project, &plan).unwrap();
    let leaf = Leaf::Link { target: CANARY.into() };
    let written = Written { path: name.into_bytes(), leaf: Some(leaf) };
    store.note_written(project, &[written]).unwrap();
    (made, plan)
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    inside.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The files below a folder that hold the canary, or the id of an object.
fn telling(dir: &Path, id: ObjectId) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(CANARY.len()).any(|it| it == CANARY.as_bytes())
            || bytes.windows(32).any(|it| it == id.as_bytes())
            || String::from_utf8_lossy(&bytes).contains(&id.to_string())
    };
    files(dir).into_iter().filter(holds).collect()
}

#[test]
fn nothing_of_sealed_checkpoints_can_be_read_without_the_key_and_everything_with_it() {
    let (dir, store, project) = open();
    let (before, plan) = tell(&store, project, 1);
    let text = ObjectId::of(format!("{CANARY} 1").as_bytes());
    assert!(!telling(dir.path(), text).is_empty(), "the search finds what is plain");
    let key = key();
    sealed_with(&store, &key);
    let (after, _) = tell(&store, project, 2);
    assert_eq!(telling(dir.path(), text), Vec::<PathBuf>::new(), "nor in the database or its log");
    let sealed = store.sealed().unwrap();
    assert!(sealed.on && !sealed.locked && sealed.plain_bytes == 0 && sealed.sealed_bytes > 50_000);
    assert!(sealed.sealed_bytes < 60_000, "the same content is there once, sealed as well");

    drop(store);
    let store = opened(dir.path());
    assert!(store.is_locked().unwrap());
    let seen = listed(&store, project, None, 10);
    assert_eq!(seen.iter().map(|it| it.id).collect::<Vec<_>>(), [after.id, before.id]);
    assert!(
        seen.iter().all(|it| it.files.is_none()),
        "a tree that is not told is not an empty one"
    );
    for refused in [
        store.checkpoint(before.id).map(|_| ()),
        store.get(text).map(|_| ()),
        store.put(b"more").map(|_| ()),
        store.has(text).map(|_| ()),
        store.plan(plan.id).map(|_| ()),
        store.written(project, b"x").map(|_| ()),
        store.verify(&mut |_| true).map(|_| ()),
        store.collect().map(|_| ()),
    ] {
        assert_eq!(refused, Err(StoreError::Locked));
    }
    let other = store.unlock(&self::key());
    assert!(matches!(other, Err(StoreError::Conflict { .. })) && store.is_locked().unwrap());

    store.unlock(&key).unwrap();
    assert_eq!(listed(&store, project, None, 10), [after, before]);
    assert_eq!(store.get(text).unwrap(), format!("{CANARY} 1").into_bytes());
    assert_eq!(store.plan(plan.id).unwrap(), plan);
    let path = format!("{CANARY}-1.txt");
    let leaf = Leaf::Link { target: CANARY.into() };
    assert_eq!(store.written(project, path.as_bytes()).unwrap(), Some(leaf));
    assert!(is_whole(&store));
}

#[test]
fn opened_again_everything_is_what_it_was_and_needs_no_key() {
    let (dir, store, project) = open();
    let (first, plan) = tell(&store, project, 1);
    store.change_checkpoint(first.id, Some("kept"), true).unwrap();
    sealed_with(&store, &key());
    let (second, _) = tell(&store, project, 2);
    assert_eq!(store.collect().unwrap(), 0, "every sealed object is found needed");
    store.seal(false).unwrap();
    finish(&store);
    drop(store);

    let store = opened(dir.path());
    assert!(!store.is_locked().unwrap() && store.sealed().unwrap().sealed_bytes == 0);
    let named = Checkpoint { tag: Some("kept".into()), pinned: true, ..first.clone() };
    assert_eq!(listed(&store, project, None, 10), [second, named]);
    assert_eq!(store.plan(plan.id).unwrap(), plan);
    let path = format!("{CANARY}-2.txt");
    assert!(store.written(project, path.as_bytes()).unwrap().is_some());
    assert!(is_whole(&store));
    drop(store);
    fs::remove_file(dir.path().join("checkpoints/checkpoints.db")).unwrap();
    assert_eq!(listed(&opened(dir.path()), project, None, 10).len(), 2, "from plain packs alone");
}

#[test]
fn a_thousand_flipped_bits_are_all_noticed() {
    let (dir, store, project) = open();
    let texts: Vec<Vec<u8>> = (1..=3).map(|seed| noise(seed, 3_000)).collect();
    let key = key();
    sealed_with(&store, &key);
    let names = ["a", "b", "c"].into_iter();
    save(&store, project, 1, &names.zip(texts).collect::<Vec<_>>());
    let path = &packs(dir.path())[0];
    let good = fs::read(path).unwrap();
    for n in 0..1_000_usize {
        // Anywhere behind the head of the pack, and before the record of the checkpoint, which is not read.
        let at = 8 + n.wrapping_mul(7_919) % 9_000;
        let mut bad = good.clone();
        bad[at] ^= 1 << (n % 8);
        fs::write(path, &bad).unwrap();
        assert!(!is_whole(&store), "bit {} of byte {at}", n % 8);
    }
    fs::write(path, &good).unwrap();
    assert!(is_whole(&store));
}

#[test]
fn a_database_that_is_lost_is_made_again_when_the_key_comes() {
    let (dir, store, project) = open();
    let (plain, _) = tell(&store, project, 1);
    let key = key();
    store.unlock(&key).unwrap();
    store.seal(true).unwrap();
    let (sealed, _) = tell(&store, project, 2);
    drop(store);
    for name in ["checkpoints.db", "checkpoints.db-wal", "checkpoints.db-shm"] {
        let _ = fs::remove_file(dir.path().join("checkpoints").join(name));
    }
    let store = opened(dir.path());
    assert!(store.is_locked().unwrap(), "it says that something is missing");
    assert_eq!(
        listed(&store, project, None, 10),
        std::slice::from_ref(&plain),
        "what was not sealed yet"
    );
    let other = store.unlock(&self::key());
    assert!(matches!(other, Err(StoreError::Conflict { .. })), "{other:?}");

    store.unlock(&key).unwrap();
    assert_eq!(listed(&store, project, None, 10), [sealed, plain]);
    finish(&store);
    assert!(is_whole(&store));
    assert_eq!(telling(dir.path(), ObjectId::of(b"")), Vec::<PathBuf>::new());
}

#[test]
fn whatever_cuts_sealing_off_what_was_made_stays_and_the_rest_can_be_done_later() {
    let (dir, store, project) = open();
    let first = save(&store, project, 1, &[("a", noise(1, 20_000))]);
    // A pack of another process, which goes on with it after the first one was sealed.
    let other = opened(dir.path());
    let theirs = save(&other, project, 2, &[("b", noise(2, 20_000))]);
    assert_eq!(packs(dir.path()).len(), 2);
    let key = key();
    store.unlock(&key).unwrap();
    store.seal(true).unwrap();
    assert!(store.reseal().unwrap().left() > 0, "one of the two");
    assert!(matches!(other.put(b"more"), Err(StoreError::Locked)), "from the first moment");
    drop(store);

    let store = opened(dir.path());
    store.unlock(&key).unwrap();
    assert!(is_whole(&store), "in both forms at once");
    finish(&store);
    store.seal(false).unwrap();
    finish(&store);
    // Its pack is gone, under another name, and it must not append to what nobody finds any more.
    let again = save(&other, project, 3, &[("c", noise(3, 20_000))]);
    drop(other);
    let fresh = opened(dir.path());
    assert!(is_whole(&fresh));
    assert_eq!(listed(&fresh, project, None, 10), [again, theirs, first]);
}

#[test]
fn what_could_not_be_sealed_before_is_taken_over() {
    let (dir, store, project) = open();
    let made = save(&store, project, 1, &[("a", noise(1, 1_000))]);
    drop(store);
    let db = rusqlite::Connection::open(dir.path().join("checkpoints/checkpoints.db")).unwrap();
    db.execute_batch(
        "DROP TABLE sealing; ALTER TABLE checkpoints DROP COLUMN sealed; \
         ALTER TABLE plans DROP COLUMN sealed; ALTER TABLE written DROP COLUMN sealed; \
         ALTER TABLE checkpoints DROP COLUMN lost; ALTER TABLE packs DROP COLUMN ends; \
         CREATE INDEX objects_pack ON objects(pack); PRAGMA user_version = 1;",
    )
    .unwrap();
    drop(db);
    let store = opened(dir.path());
    assert_eq!(listed(&store, project, None, 10), [made]);
    // Where its pack ends is known, and what comes is put there.
    let before = packs(dir.path());
    save(&store, project, 2, &[("b", noise(2, 1_000))]);
    assert_eq!(packs(dir.path()), before);
    assert!(is_whole(&store));
    sealed_with(&store, &key());
    assert!(is_whole(&store));
}

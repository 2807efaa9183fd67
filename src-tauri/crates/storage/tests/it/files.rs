//! The files themselves: damaged, foreign, newer, missing, backed up, restored, and whose they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;
use siltstone_engine::ports::{StoreError, Transcripts};
use siltstone_storage::{BackupKind, Store};
use tempfile::TempDir;

use crate::it::support::{Dice, at, new_conversation, say, store};

const DAY: i64 = 24 * 60 * 60;

fn database(dir: &TempDir) -> PathBuf {
    dir.path().join("siltstone.db")
}

/// A closed data folder with a conversation of a few hundred messages.
fn filled() -> TempDir {
    let (dir, store) = store();
    let id = new_conversation(&store);
    let mut parent = None;
    for n in 0..200 {
        parent = Some(say(&store, id, parent, "a sentence that fills a page or two", n));
    }
    dir
}

/// Every file that holds the database or a copy of it.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap();
        if path.is_dir() && name != "owners" {
            all.extend(contents(&path));
        } else if name.ends_with(".db") || name.ends_with(".db-wal") {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

fn assert_left_alone(dir: &TempDir, expected: impl Fn(&StoreError) -> bool) {
    let before = contents(dir.path());
    for _ in 0..2 {
        let error = Store::open(dir.path(), at(1)).err().expect("must not open");
        assert!(expected(&error), "{error:?}");
        assert!(contents(dir.path()) == before, "the files changed");
    }
}

fn is_damaged(error: &StoreError) -> bool {
    matches!(error, StoreError::Damaged { path, .. } if path.ends_with("siltstone.db"))
}

#[rstest]
#[case::empty(|bytes: &mut Vec<u8>| bytes.clear())]
#[case::cut_to_half(|bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2))]
#[case::cut_in_the_header(|bytes: &mut Vec<u8>| bytes.truncate(50))]
#[case::text(|bytes: &mut Vec<u8>| *bytes = b"these are my notes, not a database\n".repeat(40))]
#[case::zeros(|bytes: &mut Vec<u8>| bytes.fill(0))]
#[case::zeroed_page(|bytes: &mut Vec<u8>| bytes[8192..12288].fill(0))]
fn a_damaged_file_is_reported_and_left_alone(#[case] damage: fn(&mut Vec<u8>)) {
    let dir = filled();
    let mut bytes = fs::read(database(&dir)).unwrap();
    damage(&mut bytes);
    fs::write(database(&dir), bytes).unwrap();
    assert_left_alone(&dir, is_damaged);
}

#[test]
fn random_damage_is_found_or_harmless_and_never_a_fresh_start() {
    let dir = filled();
    let whole = fs::read(database(&dir)).unwrap();
    let mut dice = Dice(7);
    for _ in 0..60 {
        let mut bytes = whole.clone();
        let start = dice.below(bytes.len());
        let end = (start + 1 + dice.below(600)).min(bytes.len());
        for byte in &mut bytes[start..end] {
            *byte = dice.below(256) as u8;
        }
        fs::write(database(&dir), &bytes).unwrap();
        match Store::open(dir.path(), at(1)) {
            // The free space of a page, or the text of a message: the conversation is still there.
            Ok(store) => {
                assert_eq!(store.conversations(&Default::default()).map(|c| c.len()), Ok(1))
            }
            Err(_) => assert!(fs::read(database(&dir)).unwrap() == bytes),
        }
        for beside in ["siltstone.db-wal", "siltstone.db-shm"] {
            let _ = fs::remove_file(dir.path().join(beside));
        }
    }
}

#[test]
fn a_foreign_database_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let foreign = rusqlite::Connection::open(database(&dir)).unwrap();
    foreign.execute_batch("CREATE TABLE conversations (id); PRAGMA user_version = 1").unwrap();
    drop(foreign);
    assert_left_alone(&dir, is_damaged);
}

#[test]
fn a_newer_database_is_left_alone_also_when_only_its_wal_says_so() {
    let dir = filled();
    let newer = rusqlite::Connection::open(database(&dir)).unwrap();
    newer.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 99").unwrap();
    assert!(contents(dir.path()).keys().any(|path| path.ends_with("siltstone.db-wal")));
    // A process that was killed leaves its WAL; a copy of both files is what the next one finds.
    let copy = tempfile::tempdir().unwrap();
    for (path, bytes) in contents(dir.path()) {
        fs::write(copy.path().join(path.file_name().unwrap()), bytes).unwrap();
    }
    assert_left_alone(&copy, |error| matches!(error, StoreError::Newer { found: 99, .. }));
}

#[test]
fn a_missing_database_is_not_replaced_by_an_empty_one() {
    let dir = filled();
    fs::remove_file(database(&dir)).unwrap();
    assert_left_alone(&dir, is_damaged);

    let dir = filled();
    let store = Store::open(dir.path(), at(1)).unwrap();
    let backup = store.backup_now(at(1)).unwrap();
    drop(store);
    fs::remove_file(database(&dir)).unwrap();
    let name = backup.display().to_string();
    assert_left_alone(&dir, |error| is_damaged(error) && error.to_string().contains(&name));
}

#[test]
fn a_backup_takes_the_place_of_a_damaged_database() {
    let dir = filled();
    let store = Store::open(dir.path(), at(1)).unwrap();
    let backup = store.backup_now(at(1)).unwrap();
    let refused = Store::restore_backup(dir.path(), &backup, at(2));
    assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
    let later = new_conversation(&store);
    say(&store, later, None, "after the backup", 2);
    drop(store);
    fs::write(database(&dir), "ruined").unwrap();
    Store::restore_backup(dir.path(), &backup, at(3)).unwrap();
    let store = Store::open(dir.path(), at(4)).unwrap();
    let all = store.conversations(&Default::default()).unwrap();
    assert_eq!(all.iter().map(|c| c.message_count).collect::<Vec<_>>(), [200]);
    let aside: Vec<_> = contents(&dir.path().join("damaged")).into_values().collect();
    assert_eq!(aside, [b"ruined".to_vec()]);
    drop(store);
    let broken = dir.path().join("backups/siltstone-daily-2026-01-01T00-00-00Z.db");
    fs::write(&broken, "nothing").unwrap();
    assert!(Store::restore_backup(dir.path(), &broken, at(5)).is_err());
    Store::open(dir.path(), at(6)).unwrap();
}

#[test]
fn starting_anew_is_possible_and_keeps_what_was() {
    let dir = filled();
    let before = fs::read(database(&dir)).unwrap();
    Store::start_anew(dir.path(), at(1)).unwrap();
    let store = Store::open(dir.path(), at(2)).unwrap();
    assert_eq!(store.conversations(&Default::default()).unwrap(), []);
    let aside: Vec<_> = contents(&dir.path().join("damaged")).into_values().collect();
    assert!(aside == [before]);
}

/// safety.md, R24: seven daily and four weekly.
#[test]
fn one_backup_a_day_and_seven_days_and_four_weeks_of_them() {
    let (dir, store) = store();
    let mut made = 0;
    for hour in (0..24 * 60).step_by(6) {
        made += usize::from(store.backup_if_due(at(hour * 3600)).unwrap().is_some());
    }
    assert_eq!(made, 60);
    let kept = Store::backups(dir.path()).unwrap();
    assert!(kept.iter().all(|b| b.kind == BackupKind::Daily && b.bytes > 0));
    let ages: Vec<_> =
        kept.iter().map(|b| 59 - (b.made_at.as_second() - at(0).as_second()) / DAY).collect();
    assert_eq!(ages[..7], [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(ages.len(), 11, "{ages:?}");
    // The newest of the four may be of a week that is not over.
    assert!(ages[7..].windows(2).skip(1).all(|two| two[1] - two[0] == 7), "{ages:?}");
}

#[test]
fn a_backup_that_finds_no_room_leaves_nothing_behind_and_those_that_are_asked_for_take_no_day() {
    let (dir, store) = store();
    for second in 0..8 {
        store.backup_now(at(second)).unwrap();
    }
    assert!(store.backup_if_due(at(60)).unwrap().is_some(), "asking is no daily backup");
    let kinds: Vec<_> = Store::backups(dir.path()).unwrap().iter().map(|b| b.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == BackupKind::Asked).count(), 5);
    // A folder in the place of the copy stands for a disk that says no.
    let name = format!("siltstone-asked-{}.db", format!("{:.0}", at(90)).replace(':', "-"));
    fs::create_dir_all(dir.path().join("backups").join(&name).join("inside")).unwrap();
    assert!(store.backup_now(at(90)).is_err());
    let left = fs::read_dir(dir.path().join("backups")).unwrap().flatten();
    let names: Vec<_> = left.map(|it| it.file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.ends_with(".unfinished")), "{names:?}");
}

#[test]
fn what_a_process_left_of_a_copy_goes_at_the_next_start_and_what_is_being_copied_stays() {
    let (dir, store) = store();
    assert!(store.backup_if_due(at(0)).unwrap().is_some());
    let left = dir.path().join("backups/siltstone-asked-2026-01-02T00-00-00Z.db.unfinished");
    fs::write(&left, "half").unwrap();
    let copying = fs::File::open(dir.path().join("backup.lock")).unwrap();
    copying.lock().unwrap();
    assert!(store.backup_if_due(at(60)).unwrap().is_none());
    assert!(left.exists(), "somebody is at it");
    drop(copying);
    // None is due, and all the same nobody is at it any more.
    assert!(store.backup_if_due(at(60)).unwrap().is_none());
    assert!(!left.exists());
    assert_eq!(Store::backups(dir.path()).unwrap().len(), 1);
}

#[test]
fn going_back_in_an_open_database_is_one_step_and_is_undone_by_the_backup_made_before() {
    let (dir, store) = store();
    let id = new_conversation(&store);
    say(&store, id, None, "before", 1);
    let backup = store.backup_now(at(2)).unwrap();
    let later = new_conversation(&store);
    say(&store, later, None, "after", 3);
    let reading = rusqlite::Connection::open(database(&dir)).unwrap();
    let count = || -> u32 {
        reading.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(), 2);
    store.go_back(&backup, at(4)).unwrap();
    assert_eq!(count(), 1, "whoever reads sees the other state at once");
    assert_eq!(store.conversations(&Default::default()).unwrap().len(), 1);
    say(&store, id, None, "and on", 5);
    assert!(!dir.path().join("siltstone.db.new").exists());
    let kept = Store::backups(dir.path()).unwrap();
    let kept = kept.iter().find(|b| b.kind == BackupKind::Restore).unwrap();
    store.go_back(&kept.path, at(6)).unwrap();
    assert_eq!(count(), 2);
    drop((store, reading));
    Store::open(dir.path(), at(7)).unwrap();
}

#[cfg(unix)]
#[test]
fn every_file_is_the_persons_own() {
    use std::os::unix::fs::PermissionsExt;

    fn assert_private(path: &Path) {
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
        if path.is_dir() {
            fs::read_dir(path).unwrap().flatten().for_each(|entry| assert_private(&entry.path()));
        }
    }

    let outside = tempfile::tempdir().unwrap();
    let dir = outside.path().join("deep/data");
    let store = Store::open(&dir, at(0)).unwrap();
    let id = new_conversation(&store);
    say(&store, id, None, "mine", 1);
    store.backup_if_due(at(1)).unwrap();
    let names: Vec<_> = fs::read_dir(&dir).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(names.iter().any(|name| name == "siltstone.db-wal"), "{names:?}");
    assert_private(&dir);
    drop(store);
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(dir.join("siltstone.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let _store = Store::open(&dir, at(2)).unwrap();
    assert_private(&dir);
}

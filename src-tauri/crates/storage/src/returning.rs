//! Going back to a backup: what that would change, and doing it.
//!
//! Into an open database the backup is copied in one transaction of SQLite's own, which begins before what is there is
//! backed up: whatever was committed is in that backup, and nothing can be committed in between. Whoever reads sees
//! the old or the new. A backup of an older schema is brought up to date beside its place first.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::backup::{Backup as Copying, StepResult};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Backup, BackupKind, BackupPlan, Going, Holds, NAMED};
use siltstone_engine::ports::StoreError;

use crate::backup::{self, stamp};
use crate::connection::{Durability, open_reader, open_untouched, open_writer};
use crate::fault::{damaged, io as io_fault, sql};
use crate::open::{self, FILE, MIGRATIONS};
use crate::passages::with_suffix;
use crate::{Store, files, owner};

const ASIDE: &str = "damaged";

/// How long the copy waits for whoever writes at this moment.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it looks meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

impl Store {
    /// Puts a backup in the place of this open database, which is backed up first. Another process that has it open
    /// stands against it.
    pub fn go_back(&self, backup: &Path, now: Timestamp) -> Result<(), StoreError> {
        let _alone = open::gate(&self.dir)?;
        if self.owner.has_company() {
            return Err(StoreError::Busy);
        }
        let fresh = ready(&self.dir, backup)?;
        let copied = self.put(&fresh, now);
        // Its work is done, well or not; what it was made from stays.
        let removed = fs::remove_file(&fresh).map_err(|error| io_fault(&fresh, &error));
        copied.and(removed)?;
        // A backup of an older schema comes without the index of this one.
        self.begin_index()?;
        self.database.empty_wal()
    }

    fn put(&self, fresh: &Path, now: Timestamp) -> Result<(), StoreError> {
        let place = self.dir.join(FILE);
        let source = open_untouched(fresh)?;
        let mut target = open_writer(&place, Durability::Full)?;
        let copying = Copying::new(&source, &mut target).map_err(|error| sql(&place, &error))?;
        let began = Instant::now();
        // The first page takes the right to write, and it is kept until all of them are there.
        loop {
            match copying.step(1).map_err(|error| sql(&place, &error))? {
                StepResult::Busy | StepResult::Locked if began.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                StepResult::Busy | StepResult::Locked => return Err(StoreError::Busy),
                _ => break,
            }
        }
        backup::write(&self.dir, BackupKind::Restore, now)?;
        match copying.step(-1).map_err(|error| sql(&place, &error))? {
            StepResult::Done => Ok(()),
            _ => Err(StoreError::Busy),
        }
    }

    /// Puts a backup in the place of the database of `dir`, which is moved aside. Nobody may have it open.
    pub fn restore_backup(dir: &Path, backup: &Path, now: Timestamp) -> Result<(), StoreError> {
        let _alone = open::gate(dir)?;
        refuse_if_in_use(dir)?;
        open::check(backup, true, MIGRATIONS.len())?;
        let fresh = copied(dir, backup)?;
        set_aside(dir, &folder_aside(dir, now)?)?;
        files::put_in_place(&fresh, &dir.join(FILE))
    }

    /// Begins with an empty database, because the person said so; what is there is moved aside, backups stay.
    pub fn start_anew(dir: &Path, now: Timestamp) -> Result<(), StoreError> {
        let _alone = open::gate(dir)?;
        refuse_if_in_use(dir)?;
        set_aside(dir, &folder_aside(dir, now)?)?;
        open::create(dir, MIGRATIONS)
    }
}

/// A backup as the person sees it.
pub(crate) fn told(backup: &backup::Backup) -> Backup {
    let name = backup.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let holds = open_untouched(&backup.path).ok().and_then(|connection| holds(&connection).ok());
    let (kind, made_at, bytes) = (backup.kind, backup.made_at, backup.bytes);
    Backup { name: name.unwrap_or_default(), kind, made_at, bytes, holds }
}

/// What going back to a backup of `dir` would change.
pub(crate) fn plan(dir: &Path, backup: &backup::Backup) -> Result<BackupPlan, StoreError> {
    open::check(&backup.path, true, MIGRATIONS.len())?;
    let then = open_untouched(&backup.path)?;
    let then = counts(&then).map_err(|error| sql(&backup.path, &error))?;
    let now = open_reader(&dir.join(FILE)).ok();
    // What is there may be what cannot be read; going back is then all the more wanted.
    let present = now.as_ref().and_then(|now| holds(now).ok());
    let now = now.and_then(|now| counts(&now).ok()).unwrap_or_default();
    let back_count = then.iter().filter(|(id, it)| !it.trashed && !now.contains_key(*id)).count();
    let mut going: Vec<Going> = now
        .into_iter()
        .filter(|(_, it)| !it.trashed)
        .filter_map(|(id, it)| {
            let left = then.get(&id).map(|it| it.messages);
            let loses = left.is_none_or(|left| left < it.messages);
            loses.then_some(Going { title: it.title, messages: it.messages, then: left })
        })
        .collect();
    let loss = |it: &Going| it.messages.saturating_sub(it.then.unwrap_or(0));
    going.sort_by(|a, b| loss(b).cmp(&loss(a)).then_with(|| a.title.cmp(&b.title)));
    let going_count = u32::try_from(going.len()).unwrap_or(u32::MAX);
    going.truncate(NAMED);
    Ok(BackupPlan {
        backup: told(backup),
        present,
        going,
        going_count,
        back_count: u32::try_from(back_count).unwrap_or(u32::MAX),
    })
}

pub(crate) fn holds(connection: &Connection) -> rusqlite::Result<Holds> {
    connection.query_row(
        "SELECT (SELECT count(*) FROM conversations WHERE deleted_at IS NULL), \
         (SELECT count(*) FROM messages m JOIN conversations c ON c.id = m.conversation_id \
          WHERE c.deleted_at IS NULL)",
        [],
        |row| Ok(Holds { conversations: row.get(0)?, messages: row.get(1)? }),
    )
}

/// One conversation of a database.
struct Counted {
    title: String,
    messages: u32,
    trashed: bool,
}

fn counts(connection: &Connection) -> rusqlite::Result<HashMap<String, Counted>> {
    let mut statement = connection.prepare(
        "SELECT c.id, c.title, c.deleted_at IS NOT NULL, count(m.seq) FROM conversations c \
         LEFT JOIN messages m ON m.conversation_id = c.id GROUP BY c.id",
    )?;
    let rows = statement.query_map([], |row| {
        let counted = Counted { title: row.get(1)?, trashed: row.get(2)?, messages: row.get(3)? };
        Ok((row.get(0)?, counted))
    })?;
    rows.collect()
}

/// A copy of a backup beside the place of the database, of today's schema.
fn ready(dir: &Path, backup: &Path) -> Result<PathBuf, StoreError> {
    let version = open::check(backup, true, MIGRATIONS.len())?;
    let fresh = copied(dir, backup)?;
    if version < MIGRATIONS.len() {
        open::bring_up_to_date(&fresh, MIGRATIONS)?;
    }
    // Whoever has foreign keys that lead nowhere would break the next write, not this one.
    let connection = open_untouched(&fresh)?;
    let astray = connection
        .prepare("PRAGMA foreign_key_check")
        .and_then(|mut statement| statement.exists([]))
        .map_err(|error| sql(&fresh, &error))?;
    if astray {
        return Err(damaged(backup, "a row of it names another that is not there"));
    }
    Ok(fresh)
}

fn copied(dir: &Path, backup: &Path) -> Result<PathBuf, StoreError> {
    let fresh = open::fresh_file(dir)?;
    let mut source = fs::File::open(backup).map_err(|error| io_fault(backup, &error))?;
    fs::OpenOptions::new()
        .write(true)
        .open(&fresh)
        .and_then(|mut target| io::copy(&mut source, &mut target))
        .map_err(|error| io_fault(&fresh, &error))?;
    Ok(fresh)
}

pub(crate) fn refuse_if_in_use(dir: &Path) -> Result<(), StoreError> {
    if owner::in_use(dir) {
        return Err(StoreError::Conflict { what: "another Siltstone has the database open" });
    }
    Ok(())
}

/// A folder for a damaged database, named by the time; one that is there already is another one's.
pub(crate) fn folder_aside(dir: &Path, now: Timestamp) -> Result<PathBuf, StoreError> {
    let all = dir.join(ASIDE);
    files::create_private_dir(&all)?;
    let mut folder = all.join(stamp(now));
    for number in 2_u32.. {
        if !folder.exists() {
            break;
        }
        folder = all.join(format!("{}-{number}", stamp(now)));
    }
    files::create_private_dir(&folder)?;
    Ok(folder)
}

/// Moves the database, whatever is left of it, into a folder of its own.
pub(crate) fn set_aside(dir: &Path, aside: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let from = with_suffix(&dir.join(FILE), suffix);
        if from.exists() {
            let to = with_suffix(&aside.join(FILE), suffix);
            files::rename(&from, &to).map_err(|error| io_fault(&from, &error))?;
        }
    }
    files::sync_dir(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSERT: &str = "INSERT INTO projects (id, path, name, trust, opened_at) \
        VALUES ('0192f0c4-5d8e-7aaa-8000-000000000001', '/old', 'old', '\"trusted\"', 1)";

    #[test]
    fn a_backup_of_every_older_schema_is_brought_up_to_date_before_it_takes_the_place() {
        let now = Timestamp::from_second(1_760_000_000).unwrap();
        for version in 1..MIGRATIONS.len() {
            let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            open::create(old.path(), &MIGRATIONS[..version]).unwrap();
            let backup = old.path().join(FILE);
            Connection::open(&backup).unwrap().execute(INSERT, []).unwrap();
            let store = Store::open(new.path(), now).unwrap();
            store.go_back(&backup, now).unwrap();
            let place = new.path().join(FILE);
            assert_eq!(open::check(&place, true, usize::MAX).unwrap(), MIGRATIONS.len());
            let name: String = open_reader(&place)
                .unwrap()
                .query_row("SELECT name FROM projects", [], |row| row.get(0))
                .unwrap();
            assert_eq!(name, "old", "of version {version}");
            drop(store);
            Store::open(new.path(), now).unwrap();
        }
    }

    #[test]
    fn a_backup_of_a_newer_schema_is_refused_and_nothing_is_replaced() {
        let now = Timestamp::from_second(1_760_000_000).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), now).unwrap();
        let backup = store.backup_now(now).unwrap();
        let newer = Connection::open(&backup).unwrap();
        newer.pragma_update(None, "user_version", 99).unwrap();
        drop(newer);
        let refused = store.go_back(&backup, now);
        assert!(matches!(refused, Err(StoreError::Newer { found: 99, .. })), "{refused:?}");
        assert_eq!(Store::backups(dir.path()).unwrap().len(), 1, "not even a backup was made");
    }
}

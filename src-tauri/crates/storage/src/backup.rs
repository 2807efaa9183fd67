//! Backups: whole copies of the database under `backups/`, one before each migration and one a day, made while
//! everything goes on.
//!
//! A copy is written under a temporary name, pressed onto the disk and then named, so a backup that is listed is
//! whole. Going back to one never destroys what it replaces: of an open database a backup is made first, and one that
//! cannot be opened is moved to `damaged/`. `returning.rs` has the way back.

use std::cmp::Reverse;
use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use siltstone_engine::Timestamp;
use siltstone_engine::backup::{BackupKind, spare_daily, spare_others};
use siltstone_engine::ports::StoreError;

use crate::connection::open_reader;
use crate::fault::{io as io_fault, sql};
use crate::held::Held;
use crate::open::FILE;
use crate::{Store, files};

const FOLDER: &str = "backups";
const UNFINISHED: &str = ".unfinished";
const LOCK: &str = "backup.lock";
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// A whole copy of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// Why it was made.
    pub kind: BackupKind,
    /// When it was made.
    pub made_at: Timestamp,
    /// Its size.
    pub bytes: u64,
}

impl Store {
    /// The backups of the data folder `dir`, the newest first. Works without opening the database.
    pub fn backups(dir: &Path) -> Result<Vec<Backup>, StoreError> {
        list(dir)
    }

    /// Makes a backup now, because the person asked.
    pub fn backup_now(&self, now: Timestamp) -> Result<PathBuf, StoreError> {
        write(&self.dir, BackupKind::Asked, now)
    }

    /// Makes the backup of the day if the last one is a day old. Another process that is at it is left alone.
    pub fn backup_if_due(&self, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        write_if_due(&self.dir, now)
    }
}

pub(crate) fn write_if_due(dir: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let path = dir.join(LOCK);
    let turn = files::open_private(&path)?;
    let _turn = match Held::try_alone(turn) {
        Ok(held) => held,
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(io_fault(&path, &error)),
    };
    clear_unfinished(dir);
    // One from the future was made under a wrong clock and says nothing.
    let recent = list(dir)?.into_iter().any(|backup| {
        backup.kind == BackupKind::Daily
            && (0..DAY_SECONDS).contains(&(now.as_second() - backup.made_at.as_second()))
    });
    if recent {
        return Ok(None);
    }
    copy(dir, BackupKind::Daily, now).map(Some)
}

/// The backups of a data folder, the newest first.
pub(crate) fn list(dir: &Path) -> Result<Vec<Backup>, StoreError> {
    let folder = dir.join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_fault(&folder, &error)),
    };
    let mut backups: Vec<Backup> = entries
        .flatten()
        .filter_map(|entry| {
            let (kind, made_at) = parse_name(&entry.file_name().into_string().ok()?)?;
            Some(Backup { path: entry.path(), kind, made_at, bytes: entry.metadata().ok()?.len() })
        })
        .collect();
    // The one that a person asked for was made after the daily one of the same second.
    let asked = |backup: &Backup| backup.kind == BackupKind::Asked;
    backups.sort_by_key(|it| Reverse((it.made_at, asked(it), it.path.clone())));
    Ok(backups)
}

/// Copies the database as it is before its schema changes.
pub(crate) fn before_migration(
    dir: &Path,
    version: usize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let from = u32::try_from(version).unwrap_or(u32::MAX);
    write(dir, BackupKind::Migration { from }, now).map(|_| ())
}

/// Copies the database into a new backup, and lets those go that stay no longer. Waits for another copy that is made.
pub(crate) fn write(dir: &Path, kind: BackupKind, now: Timestamp) -> Result<PathBuf, StoreError> {
    let path = dir.join(LOCK);
    let turn = files::open_private(&path)?;
    let _turn = Held::alone(turn).map_err(|error| io_fault(&path, &error))?;
    clear_unfinished(dir);
    copy(dir, kind, now)
}

fn copy(dir: &Path, kind: BackupKind, now: Timestamp) -> Result<PathBuf, StoreError> {
    let folder = dir.join(FOLDER);
    files::create_private_dir(&folder)?;
    let name_at = |at: Timestamp| format!("siltstone-{}-{}.db", kind.label(), stamp(at));
    // A clock that was set back shows the same second again.
    let mut at = now;
    while folder.join(name_at(at)).is_file() {
        at = at.checked_add(Duration::from_secs(1)).map_err(|_| StoreError::Busy)?;
    }
    let name = name_at(at);
    let place = folder.join(&name);
    let fresh = folder.join(format!("{name}{UNFINISHED}"));
    // Made by us, so that it is private from its first byte; SQLite fills an empty file.
    files::create_private(&fresh)?;
    let database = dir.join(FILE);
    let copied = open_reader(&database).and_then(|reader| {
        reader
            .execute("VACUUM INTO ?1", [fresh.to_string_lossy()])
            .map_err(|error| sql(&database, &error))
    });
    if let Err(error) = copied.and_then(|_| files::put_in_place(&fresh, &place)) {
        // A disk that is full has better uses for half a copy. What was said first is what is told.
        let _ = fs::remove_file(&fresh);
        return Err(error);
    }
    prune(dir, kind, now, &place)?;
    Ok(place)
}

/// Removes what processes left behind that ended in the middle of a copy. Whoever calls holds the lock, so nobody is at it.
fn clear_unfinished(dir: &Path) {
    let entries = fs::read_dir(dir.join(FOLDER)).into_iter().flatten().flatten();
    for entry in entries.filter(|it| it.file_name().to_string_lossy().ends_with(UNFINISHED)) {
        // The next one looks again.
        let _ = fs::remove_file(entry.path());
    }
}

/// Lets older backups of a kind go; what was just made stays, whatever time it says.
fn prune(dir: &Path, kind: BackupKind, now: Timestamp, made: &Path) -> Result<(), StoreError> {
    let alike =
        |backup: &Backup| std::mem::discriminant(&backup.kind) == std::mem::discriminant(&kind);
    let alike: Vec<Backup> = list(dir)?.into_iter().filter(alike).collect();
    let made_at: Vec<Timestamp> = alike.iter().map(|backup| backup.made_at).collect();
    let spare = match kind {
        BackupKind::Daily => spare_daily(&made_at, now),
        _ => spare_others(&made_at),
    };
    let spare = spare.into_iter().filter_map(|place| alike.get(place));
    for old in spare.filter(|old| old.path != made) {
        match fs::remove_file(&old.path) {
            // Another process made one at this moment and was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(|error| io_fault(&old.path, &error))?,
        }
    }
    Ok(())
}

/// A time as it stands in a file name: no colons, which some file systems refuse.
pub(crate) fn stamp(at: Timestamp) -> String {
    format!("{at:.0}").replace(':', "-")
}

fn parse_name(name: &str) -> Option<(BackupKind, Timestamp)> {
    let (kind, stamp) = name.strip_prefix("siltstone-")?.strip_suffix(".db")?.split_once('-')?;
    let (date, time) = stamp.split_once('T')?;
    let made_at = format!("{date}T{}", time.replace('-', ":")).parse().ok()?;
    Some((BackupKind::of_label(kind)?, made_at))
}

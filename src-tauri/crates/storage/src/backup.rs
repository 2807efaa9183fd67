//! Backups: whole copies of the database under `backups/`, one before each migration and one a day.
//!
//! A copy is written under a temporary name, pressed onto the disk and then named, so a backup that is listed is
//! whole. Going back to one never destroys what it replaces: that is moved to `damaged/`.

use std::cmp::Reverse;
use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use siltstone_engine::Timestamp;
use siltstone_engine::ports::StoreError;

use crate::connection::open_reader;
use crate::fault::{io as io_fault, sql};
use crate::open::{self, FILE, MIGRATIONS};
use crate::passages::with_suffix;
use crate::{Store, files, owner};

const FOLDER: &str = "backups";
const ASIDE: &str = "damaged";
const UNFINISHED: &str = ".unfinished";
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Why a backup was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupKind {
    /// The schema of this version was about to change.
    Migration {
        /// The version that it holds.
        from: u32,
    },
    /// A day had passed, or the person asked.
    Daily,
}

impl BackupKind {
    fn label(self) -> String {
        match self {
            Self::Migration { from } => format!("v{from}"),
            Self::Daily => "daily".to_owned(),
        }
    }

    fn of_label(label: &str) -> Option<Self> {
        match label.strip_prefix('v') {
            Some(from) => from.parse().ok().map(|from| Self::Migration { from }),
            None => (label == "daily").then_some(Self::Daily),
        }
    }

    /// How many of a kind are kept, the newest.
    fn kept(self) -> usize {
        match self {
            Self::Migration { .. } => 5,
            Self::Daily => 7,
        }
    }
}

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

    /// Makes a backup now.
    pub fn backup_now(&self, now: Timestamp) -> Result<PathBuf, StoreError> {
        write(&self.dir, BackupKind::Daily, now)
    }

    /// Makes a backup if the last one is a day old. Another process that is at it is left alone.
    pub fn backup_if_due(&self, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        let path = self.dir.join("backup.lock");
        let turn = files::open_private(&path)?;
        match turn.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(io_fault(&path, &error)),
        }
        let last = list(&self.dir)?.into_iter().find(|backup| backup.kind == BackupKind::Daily);
        // A backup from the future was made under a wrong clock and says nothing.
        let recent = last.is_some_and(|backup| {
            (0..DAY_SECONDS).contains(&(now.as_second() - backup.made_at.as_second()))
        });
        if recent {
            return Ok(None);
        }
        write(&self.dir, BackupKind::Daily, now).map(Some)
    }

    /// Puts a backup in the place of the database of `dir`, which is moved aside. Nobody may have it open.
    pub fn restore_backup(dir: &Path, backup: &Path, now: Timestamp) -> Result<(), StoreError> {
        let _alone = open::gate(dir)?;
        refuse_if_in_use(dir)?;
        open::check(backup, true, MIGRATIONS.len())?;
        let fresh = open::fresh_file(dir)?;
        let mut source = fs::File::open(backup).map_err(|error| io_fault(backup, &error))?;
        fs::OpenOptions::new()
            .write(true)
            .open(&fresh)
            .and_then(|mut target| io::copy(&mut source, &mut target))
            .map_err(|error| io_fault(&fresh, &error))?;
        set_aside(dir, now)?;
        open::put_in_place(&fresh, &dir.join(FILE))
    }

    /// Begins with an empty database, because the person said so; what is there is moved aside, backups stay.
    pub fn start_anew(dir: &Path, now: Timestamp) -> Result<(), StoreError> {
        let _alone = open::gate(dir)?;
        refuse_if_in_use(dir)?;
        set_aside(dir, now)?;
        open::create(dir, MIGRATIONS)
    }
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
    backups.sort_by_key(|backup| Reverse((backup.made_at, backup.path.clone())));
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

fn write(dir: &Path, kind: BackupKind, now: Timestamp) -> Result<PathBuf, StoreError> {
    let folder = dir.join(FOLDER);
    files::create_private_dir(&folder)?;
    let name = format!("siltstone-{}-{}.db", kind.label(), stamp(now));
    let place = folder.join(&name);
    let fresh = folder.join(format!("{name}{UNFINISHED}"));
    // Left behind by a process that ended in the middle.
    let _ = fs::remove_file(&fresh);
    // Made by us, so that it is private from its first byte; SQLite fills an empty file.
    files::create_private(&fresh)?;
    let database = dir.join(FILE);
    open_reader(&database)?
        .execute("VACUUM INTO ?1", [fresh.to_string_lossy()])
        .map_err(|error| sql(&database, &error))?;
    open::put_in_place(&fresh, &place)?;
    prune(dir, kind)?;
    Ok(place)
}

fn prune(dir: &Path, kind: BackupKind) -> Result<(), StoreError> {
    let same =
        |backup: &Backup| std::mem::discriminant(&backup.kind) == std::mem::discriminant(&kind);
    for old in list(dir)?.into_iter().filter(same).skip(kind.kept()) {
        fs::remove_file(&old.path).map_err(|error| io_fault(&old.path, &error))?;
    }
    Ok(())
}

fn refuse_if_in_use(dir: &Path) -> Result<(), StoreError> {
    if owner::in_use(dir) {
        return Err(StoreError::Conflict { what: "another Siltstone has the database open" });
    }
    Ok(())
}

/// Moves the database, whatever is left of it, into a folder of its own.
fn set_aside(dir: &Path, now: Timestamp) -> Result<(), StoreError> {
    let aside = dir.join(ASIDE).join(stamp(now));
    files::create_private_dir(&dir.join(ASIDE))?;
    files::create_private_dir(&aside)?;
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let from = with_suffix(&dir.join(FILE), suffix);
        if from.exists() {
            let to = with_suffix(&aside.join(FILE), suffix);
            fs::rename(&from, &to).map_err(|error| io_fault(&from, &error))?;
        }
    }
    files::sync_dir(&aside)
}

/// A time as it stands in a file name: no colons, which some file systems refuse.
fn stamp(at: Timestamp) -> String {
    format!("{at:.0}").replace(':', "-")
}

fn parse_name(name: &str) -> Option<(BackupKind, Timestamp)> {
    let (kind, stamp) = name.strip_prefix("siltstone-")?.strip_suffix(".db")?.split_once('-')?;
    let (date, time) = stamp.split_once('T')?;
    let made_at = format!("{date}T{}", time.replace('-', ":")).parse().ok()?;
    Some((BackupKind::of_label(kind)?, made_at))
}

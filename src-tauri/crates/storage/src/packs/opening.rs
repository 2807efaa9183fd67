//! Opening the database beside packs: as it is, brought to its newest form, or made again from the packs where it is lost
//! or damaged.

use std::fs;
use std::path::Path;

use rusqlite::{Transaction, TransactionBehavior};
use siltstone_engine::ports::StoreError;

use super::folder::Packs;
use crate::connection::{Database, Durability, open_reader, open_writer};
use crate::fault::{Fault, io, sql};
use crate::files;
use crate::passages::with_suffix;

/// What such a database is called, how it is made, and how its rows are found again.
pub(crate) struct Form {
    /// Its name in its folder.
    pub(crate) file: &'static str,
    /// How each version is made of the one before; the first of nothing.
    pub(crate) steps: &'static [&'static str],
    /// Makes the rows of what a pack holds.
    pub(crate) take_in: fn(&Transaction<'_>, &Packs, &str) -> Result<(), Fault>,
}

impl Form {
    /// The newest version.
    fn version(&self) -> i64 {
        self.steps.len() as i64
    }

    /// Opens the database, or makes it: empty, or from the packs that are there.
    pub(crate) fn open(&self, dir: &Path, packs: &Packs) -> Result<Database, StoreError> {
        let path = dir.join(self.file);
        match version_of(&path) {
            Ok(Some(found)) if found == self.version() => {}
            Ok(Some(found)) if found > self.version() => {
                let (path, found) = (path.display().to_string(), found.unsigned_abs() as u32);
                let known = self.version().unsigned_abs() as u32;
                return Err(StoreError::Newer { path, found, known });
            }
            Ok(Some(1..)) => self.learn(&path)?,
            Ok(Some(_)) | Err(StoreError::Damaged { .. }) => {
                for suffix in ["", "-wal", "-shm"] {
                    let file = with_suffix(&path, suffix);
                    if file.exists() {
                        let aside = with_suffix(&file, ".damaged");
                        files::rename(&file, &aside).map_err(|error| io(&file, &error))?;
                    }
                }
                self.make(&path, packs)?;
            }
            Ok(None) => self.make(&path, packs)?,
            Err(error) => return Err(error),
        }
        Database::open(&path, Durability::Full)
    }

    /// Opens the database where nothing can be written; without one there is nothing to be seen.
    pub(crate) fn open_to_read(&self, dir: &Path) -> Result<Database, StoreError> {
        let path = dir.join(self.file);
        let refused = |what: &str| {
            let detail = format!("{}: {what}, and nothing can be written there", path.display());
            StoreError::ReadOnly { detail }
        };
        if !path.exists() {
            return Database::in_memory(&path, self.steps);
        }
        if with_suffix(&path, "-journal").exists() {
            return Err(refused("a change of it was cut off"));
        }
        let left = Database::open_to_read(&path)?;
        let version: i64 =
            left.read(|db| Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?))?;
        match version == self.version() {
            true => Ok(left),
            false => Err(refused("it is of another version")),
        }
    }

    /// Whether there is a database that says anything.
    pub(crate) fn is_there(&self, dir: &Path) -> Result<bool, StoreError> {
        match version_of(&dir.join(self.file)) {
            Ok(found) => Ok(found.is_some_and(|version| version > 0)),
            Err(StoreError::Damaged { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// From an earlier form.
    fn learn(&self, path: &Path) -> Result<(), StoreError> {
        let mut connection = open_writer(path, Durability::Full)?;
        let mut change = || -> Result<(), Fault> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have been first.
            let found: i64 =
                transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            let done = usize::try_from(found).unwrap_or_default();
            for step in self.steps.iter().skip(done) {
                transaction.execute_batch(step)?;
            }
            transaction.pragma_update(None, "user_version", self.version().max(found))?;
            Ok(transaction.commit()?)
        };
        change().map_err(|fault| fault.at(path))?;
        // Gives the room of what went back; while another process is at it, it stays and is filled again.
        if let Err(error) = connection.execute_batch("VACUUM") {
            tracing::debug!(%error, "{} keeps its size", path.display());
        }
        Ok(())
    }

    fn make(&self, path: &Path, packs: &Packs) -> Result<(), StoreError> {
        // Under another name until it is whole: a process that dies here leaves none, and the next one begins anew.
        let fresh = with_suffix(path, ".new");
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(with_suffix(&fresh, suffix));
        }
        files::create_private(&fresh)?;
        let mut connection = open_writer(&fresh, Durability::Full)?;
        let mut fill = || -> Result<(), Fault> {
            let transaction = connection.transaction()?;
            for step in self.steps {
                transaction.execute_batch(step)?;
            }
            // Where others may write, only what rows know counts.
            let there = if packs.is_beneath() { Vec::new() } else { packs.list()? };
            for pack in there {
                (self.take_in)(&transaction, packs, &pack)?;
            }
            transaction.pragma_update(None, "user_version", self.version())?;
            Ok(transaction.commit()?)
        };
        fill().map_err(|fault| fault.at(&fresh))?;
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .and_then(|()| {
                connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))
            })
            .map_err(|error| sql(&fresh, &error))?;
        drop(connection);
        files::sync_file(&fresh)?;
        files::rename(&fresh, path).map_err(|error| io(path, &error))
    }
}

/// The version of what is there; `None` if nothing is.
fn version_of(path: &Path) -> Result<Option<i64>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    // A process died while it changed the file: only who may write can take back what it began.
    if with_suffix(path, "-journal").exists() {
        open_writer(path, Durability::Full)?;
    }
    let connection = open_reader(path)?;
    let version = connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        .map_err(|error| sql(path, &error))?;
    Ok(Some(version))
}

//! Switching sealing on and off: rows at once, packs one after the other.
//!
//! The rows change in one transaction, and from then on everything that comes has the new form. What lies in packs of
//! the other form is written anew, pack by pack: copied and pressed onto the disk, moved in the database in one
//! transaction, and only then is the old file deleted. Whatever dies in between leaves every object findable, and the
//! next call goes on with what is left.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use rusqlite::{Connection, Transaction, params};
use siltstone_engine::checkpoint::{SealKey, Sealed, Sealing, StoredPlan};
use siltstone_engine::ports::StoreError;

use super::rows::{SealedWritten, opened, plan_record, put_written};
use super::{CheckpointStore, Opened, index, rows};
use crate::fault::{Fault, io};
use crate::held::Held;
use crate::packs::lock::{Fact, Lock, Seal, fact, put_fact};
use crate::packs::pack;
use crate::{column, files};

/// The key under the recovery passphrase.
const RECOVERY: &str = "recovery.age";

impl Sealing for CheckpointStore {
    fn is_locked(&self) -> Result<bool, StoreError> {
        Ok(self.core.home()?.is_locked()? || self.core.waits.load(Ordering::Relaxed))
    }

    fn sealed(&self) -> Result<Sealed, StoreError> {
        let locked = self.is_locked()?;
        Ok(Sealed { locked, ..self.core.home()?.sealed()? })
    }

    fn unlock(&self, key: &SealKey) -> Result<(), StoreError> {
        let home = self.core.home()?;
        home.unlock(key)?;
        self.core.bring_home(&home)
    }

    fn seal(&self, on: bool) -> Result<(), StoreError> {
        self.core.home()?.seal(on)
    }

    fn reseal(&self) -> Result<Sealed, StoreError> {
        // First, so that they are gone when nothing is left to do.
        self.core.each_copy(|project| self.core.reform(project));
        self.core.home()?.reseal()
    }

    fn recovery(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.core.dir().join(RECOVERY);
        match fs::read(&path) {
            Ok(wrapped) => Ok(Some(wrapped)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io(&path, &error)),
        }
    }

    fn put_recovery(&self, wrapped: Option<&[u8]>) -> Result<(), StoreError> {
        self.core.home()?;
        let path = self.core.dir().join(RECOVERY);
        match wrapped {
            Some(wrapped) => files::replace(&path, wrapped),
            None => match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(io(&path, &error))
                }
                _ => Ok(()),
            },
        }
    }
}

impl Opened {
    pub(super) fn is_locked(&self) -> Result<bool, StoreError> {
        let Opened { database, shelf } = self;
        match database.read(|db| shelf.lock.reading(db)) {
            Err(StoreError::Locked) => Ok(true),
            found => found.map(|_| false),
        }
    }

    pub(super) fn sealed(&self) -> Result<Sealed, StoreError> {
        let Opened { database, shelf } = self;
        let on = database.read(|db| fact(db))?.is_some_and(|fact| fact.due);
        let mut found = Sealed { on, locked: self.is_locked()?, ..Sealed::default() };
        for name in shelf.packs().list()? {
            // One that goes meanwhile is in another one already.
            let Some(size) = shelf.packs().size(&name)? else { continue };
            match pack::is_sealed(shelf.packs(), &name) {
                Ok(Some(true)) => found.sealed_bytes += size,
                Ok(Some(false)) => found.plain_bytes += size,
                Ok(None) => {}
                Err(_) if shelf.packs().size(&name)?.is_none() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    pub(super) fn unlock(&self, key: &SealKey) -> Result<(), StoreError> {
        let Opened { database, shelf } = self;
        let seal = shelf.lock.with(key);
        let other = StoreError::Conflict { what: "this is the key of other checkpoints" };
        match database.read(|db| fact(db))? {
            Some(Fact { mark: Some(mark), .. }) if mark != seal.mark() => return Err(other),
            Some(Fact { mark: None, .. }) => {
                let packs = shelf.packs().list()?;
                database.write(|db| {
                    let before = count(db)?;
                    for pack in packs {
                        index::take_in(db, shelf.packs(), &pack, Some(&seal))?;
                    }
                    if count(db)? == before {
                        return Err(Fault::Store(other));
                    }
                    put_fact(db, Some(Fact { due: true, mark: Some(seal.mark()) }))?;
                    change_rows(db, Some(&seal), Some(&seal))
                })?;
            }
            _ => {}
        }
        shelf.lock.hold(Some(key.clone()));
        Ok(())
    }

    pub(super) fn seal(&self, on: bool) -> Result<(), StoreError> {
        let Opened { database, shelf } = self;
        shelf.commit(database, |_, _| Ok(()))?;
        let _gate = alone(shelf.gate())?;
        database.write(|db| {
            let before = fact(db)?;
            if before.map_or(!on, |fact| fact.due == on) {
                return Ok(());
            }
            // What is there is opened with the key it was sealed with; a first key is the one that was given.
            let reading = shelf.lock.reading(db)?;
            let seal = reading.clone().or_else(|| shelf.lock.held()).ok_or(StoreError::Locked)?;
            put_fact(db, Some(Fact { due: on, mark: Some(seal.mark()) }))?;
            change_rows(db, reading.as_ref(), on.then_some(&seal))
        })?;
        database.empty_wal()
    }

    pub(super) fn reseal(&self) -> Result<Sealed, StoreError> {
        let Opened { database, shelf } = self;
        // Of a capture that failed.
        shelf.commit(database, |_, _| Ok(()))?;
        let _gate = alone(shelf.gate())?;
        let Some(Fact { due, .. }) = database.read(|db| fact(db))? else { return self.sealed() };
        let mut left = shelf.packs().list()?;
        left.retain(|pack| {
            pack::is_sealed(shelf.packs(), pack).is_ok_and(|sealed| sealed == Some(!due))
        });
        if let Some(name) = left.first() {
            shelf.rewrite(database, name, true)?;
        }
        if left.len() <= 1 && !due {
            database.write(|db| put_fact(db, None))?;
            shelf.lock.hold(None);
        }
        // What was deleted from the database is overwritten there; here it would still stand.
        database.empty_wal()?;
        self.sealed()
    }
}

/// Keeps everybody from capturing and from freeing space, as long as it is held.
pub(super) fn alone(gate: &Path) -> Result<Held, StoreError> {
    Held::try_alone(files::open_private(gate)?)
        .map_err(|_| StoreError::Conflict { what: "a checkpoint is being made" })
}

/// Seals the rows that are not sealed and should be.
pub(super) fn seal_rows(db: &Transaction<'_>, lock: &Lock) -> Result<(), Fault> {
    match lock.writing(db)? {
        Some(seal) => change_rows(db, Some(&seal), Some(&seal)),
        None => Ok(()),
    }
}

fn count(db: &Connection) -> Result<u64, Fault> {
    Ok(db.query_row("SELECT COUNT(*) FROM objects", [], |row| column::count(row, 0))?)
}

/// Gives every row the other form; `reading` opens what is sealed.
fn change_rows(
    db: &Transaction<'_>,
    reading: Option<&Seal>,
    writing: Option<&Seal>,
) -> Result<(), Fault> {
    rows::change_records(db, reading, writing)?;
    let plans: Vec<StoredPlan> = rows::plans(db, "", [], reading)?;
    for plan in plans {
        let (record, sealed) = plan_record(&plan, writing)?;
        db.prepare_cached("UPDATE plans SET plan = ?2, sealed = ?3 WHERE id = ?1")?
            .execute(params![column::text(plan.id), record, sealed])?;
    }
    let written: Vec<(String, SealedWritten, Option<Vec<u8>>)> = {
        let mut find = db.prepare_cached("SELECT project_id, path, leaf, sealed FROM written")?;
        let rows = find.query_map([], |row| {
            let plain = SealedWritten { path: row.get(1)?, leaf: column::optional_json(row, 2)? };
            Ok((row.get(0)?, plain, row.get(3)?))
        })?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    db.execute("DELETE FROM written", [])?;
    for (project, plain, sealed) in written {
        let said = match opened(sealed.as_deref(), &project, reading)? {
            Some(said) => serde_json::from_str(&said)?,
            None => plain,
        };
        put_written(db, &project, &said.path, said.leaf.as_ref(), writing)?;
    }
    Ok(())
}

//! The database of checkpoints: where each object is, and the rows. Made again from the packs when it is lost.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use siltstone_engine::checkpoint::{Checkpoint, ObjectId};
use siltstone_engine::ports::StoreError;

use super::folder::Packs;
use super::lock::{self, Fact, Seal};
use super::pack::{self, Kind, Stand};
use super::rows;
use crate::connection::{Database, Durability, open_reader, open_writer};
use crate::fault::{Fault, io, sql};
use crate::passages::with_suffix;
use crate::{column, files};

const FILE: &str = "checkpoints.db";
const SCHEMA: &str = include_str!("../migrations/checkpoints.sql");
const SEALING: &str = include_str!("../migrations/checkpoints_sealing.sql");
const PLACES: &str = include_str!("../migrations/checkpoints_places.sql");
const VERSION: i64 = 3;

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) pack: i64,
    pub(super) offset: u64,
    pub(super) stored: u64,
}

/// Opens the database, or makes it: empty, or from the packs that are there.
pub(super) fn open(dir: &Path, packs: &Packs) -> Result<Database, StoreError> {
    let path = dir.join(FILE);
    match version_of(&path) {
        Ok(Some(VERSION)) => {}
        Ok(Some(1..VERSION)) => learn(&path)?,
        Ok(Some(found)) if found > VERSION => {
            let (path, found) = (path.display().to_string(), found.unsigned_abs() as u32);
            return Err(StoreError::Newer { path, found, known: VERSION.unsigned_abs() as u32 });
        }
        Ok(Some(_)) | Err(StoreError::Damaged { .. }) => {
            for suffix in ["", "-wal", "-shm"] {
                let file = with_suffix(&path, suffix);
                if file.exists() {
                    let aside = with_suffix(&file, ".damaged");
                    fs::rename(&file, &aside).map_err(|error| io(&file, &error))?;
                }
            }
            make(&path, packs)?;
        }
        Ok(None) => make(&path, packs)?,
        Err(error) => return Err(error),
    }
    Database::open(&path, Durability::Full)
}

/// Opens the database where nothing can be written; without one there are no checkpoints to be seen.
pub(super) fn open_to_read(dir: &Path) -> Result<Database, StoreError> {
    let path = dir.join(FILE);
    let refused = |what: &str| {
        let detail = format!("{}: {what}, and nothing can be written there", path.display());
        StoreError::ReadOnly { detail }
    };
    if !path.exists() {
        return Database::in_memory(&path, &[SCHEMA, SEALING, PLACES]);
    }
    if with_suffix(&path, "-journal").exists() {
        return Err(refused("a change of it was cut off"));
    }
    let left = Database::open_to_read(&path)?;
    let version: i64 =
        left.read(|db| Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?))?;
    match version {
        VERSION => Ok(left),
        _ => Err(refused("it is of another version")),
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

/// Whether there is a database that says anything.
pub(super) fn is_there(dir: &Path) -> Result<bool, StoreError> {
    match version_of(&dir.join(FILE)) {
        Ok(found) => Ok(found.is_some_and(|version| version > 0)),
        Err(StoreError::Damaged { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// From earlier forms: the one in which nothing could be sealed, and the one in which packs were looked through.
fn learn(path: &Path) -> Result<(), StoreError> {
    let mut connection = open_writer(path, Durability::Full)?;
    let mut change = || -> Result<(), Fault> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been first.
        let found = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        for (from, step) in [(1_i64, SEALING), (2, PLACES)] {
            if from >= found {
                transaction.execute_batch(step)?;
            }
        }
        transaction.pragma_update(None, "user_version", VERSION.max(found))?;
        Ok(transaction.commit()?)
    };
    change().map_err(|fault| fault.at(path))?;
    // Gives the room of the index back; while another process is at it, it stays and is filled again.
    if let Err(error) = connection.execute_batch("VACUUM") {
        tracing::debug!(%error, "{} keeps its size", path.display());
    }
    Ok(())
}

fn make(path: &Path, packs: &Packs) -> Result<(), StoreError> {
    // Under another name until it is whole: a process that dies here leaves none, and the next one begins anew.
    let fresh = with_suffix(path, ".new");
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(with_suffix(&fresh, suffix));
    }
    files::create_private(&fresh)?;
    let mut connection = open_writer(&fresh, Durability::Full)?;
    let mut fill = || -> Result<(), Fault> {
        let transaction = connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        transaction.execute_batch(SEALING)?;
        transaction.execute_batch(PLACES)?;
        // Where others may write, only what rows know counts.
        let there = if packs.is_beneath() { Vec::new() } else { packs.list()? };
        for pack in there {
            match take_in(&transaction, packs, &pack, None) {
                // What is in it is found when the key comes.
                Err(Fault::Store(StoreError::Locked)) => {
                    lock::put_fact(&transaction, Some(Fact { due: true, mark: None }))?;
                }
                taken => taken?,
            }
        }
        transaction.pragma_update(None, "user_version", VERSION)?;
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
    fs::rename(&fresh, path).map_err(|error| io(path, &error))
}

/// Takes in what a pack holds and no row names; the rows of its checkpoints are not sealed yet. A pack of another form is
/// left alone.
pub(super) fn take_in(
    db: &Transaction<'_>,
    packs: &Packs,
    pack: &str,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    let mut found = Vec::new();
    let most = pack::MAX_OBJECT + pack::GROWTH;
    let scanned = pack::scan((packs, pack), most, seal, |stand, record| {
        let checkpoint = (record.kind == Kind::Checkpoint)
            .then(|| serde_json::from_slice::<Checkpoint>(&record.bytes).ok());
        found.push((stand, checkpoint.flatten()));
        Ok(())
    });
    match scanned {
        Err(StoreError::Damaged { .. }) => return Ok(()),
        other => other?,
    };
    let pack = pack_id(db, pack)?;
    for (Stand { name, offset, bytes: stored }, checkpoint) in found {
        put_place(db, name, Place { pack, offset, stored })?;
        put_end(db, pack, offset + stored)?;
        if let Some(checkpoint) = checkpoint {
            insert_row(db, &checkpoint, 0, true, None)?;
        }
    }
    Ok(())
}

/// The number of a pack, which is given when it has none.
pub(super) fn pack_id(db: &Connection, name: &str) -> Result<i64, Fault> {
    db.prepare_cached("INSERT INTO packs (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")?
        .execute([name])?;
    let mut find = db.prepare_cached("SELECT id FROM packs WHERE name = ?1")?;
    Ok(find.query_row([name], |row| row.get(0))?)
}

/// Where an object is, and the name of its pack.
pub(super) fn place(db: &Connection, id: ObjectId) -> Result<Option<(Place, String)>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT pack, offset, stored, name FROM objects JOIN packs ON packs.id = objects.pack \
         WHERE objects.id = ?1",
    )?;
    let found = find.query_row([id.as_bytes().as_slice()], |row| {
        let place = Place {
            pack: row.get(0)?,
            offset: column::count(row, 1)?,
            stored: column::count(row, 2)?,
        };
        Ok((place, row.get(3)?))
    });
    Ok(found.optional()?)
}

/// Remembers where an object is, unless that is known.
pub(super) fn put_place(db: &Connection, id: ObjectId, place: Place) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO objects (id, pack, offset, stored) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        id.as_bytes().as_slice(),
        place.pack,
        column::integer(place.offset),
        column::integer(place.stored),
    ])?;
    Ok(())
}

/// Remembers that rows name records of a pack up to there.
pub(super) fn put_end(db: &Connection, pack: i64, end: u64) -> Result<(), Fault> {
    db.prepare_cached("UPDATE packs SET ends = MAX(ends, ?2) WHERE id = ?1")?
        .execute(params![pack, column::integer(end)])?;
    Ok(())
}

/// Adds the row of a checkpoint; `bytes` are what it added to the packs.
pub(super) fn insert_row(
    db: &Connection,
    checkpoint: &Checkpoint,
    bytes: u64,
    again: bool,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    let on_conflict = if again { "OR IGNORE " } else { "" };
    let (record, sealed) = rows::record(checkpoint, column::to_json(checkpoint)?, seal)?;
    db.prepare_cached(&format!(
        "INSERT {on_conflict}INTO checkpoints (id, project_id, created_at, tag, pinned, bytes, \
         record, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    ))?
    .execute(params![
        column::text(checkpoint.id),
        column::optional_text(checkpoint.project_id),
        column::nanoseconds(checkpoint.created_at),
        checkpoint.tag,
        checkpoint.pinned,
        column::integer(bytes),
        record,
        sealed,
    ])?;
    Ok(())
}

/// What rows need of a pack: the names of objects there, and their places.
pub(super) fn objects_of(db: &Connection, pack: &str) -> Result<Vec<(ObjectId, u64)>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT id, offset FROM objects WHERE pack = (SELECT id FROM packs WHERE name = ?1) \
         ORDER BY offset",
    )?;
    let rows = find
        .query_map([pack], |row| Ok((ObjectId::from_bytes(row.get(0)?), column::count(row, 1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

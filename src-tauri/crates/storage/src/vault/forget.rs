//! Deleting files with all their versions, out of the rows and out of the packs.
//!
//! The rows go first, in one transaction that also says that bytes wait to be taken out. A process that dies before they
//! are leaves that note, and the next one that keeps or forgets something begins with it.

use std::collections::HashSet;

use rusqlite::{Transaction, params};
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;
use siltstone_engine::vault::{AgentHome, Forgotten};

use super::pass::alone;
use super::record::{self, Record};
use super::{Opened, rows, words};
use crate::column;
use crate::fault::Fault;
use crate::files;
use crate::held::Held;
use crate::packs::pack::Kind;
use crate::packs::sweep::{self, Dead};
use crate::search;

pub(super) fn forget(
    opened: &Opened,
    files: &[u64],
    for_good: bool,
) -> Result<Forgotten, StoreError> {
    let _alone = alone(opened)?;
    let Opened { database, shelf, .. } = opened;
    let wanted: HashSet<u64> = files.iter().copied().collect();
    let all = database.read(rows::files)?;
    let found: Vec<(u64, AgentHome, String)> = all
        .into_iter()
        .filter(|file| wanted.contains(&file.id))
        .map(|file| (file.id, file.home, file.path))
        .collect();
    let mut marks = Vec::new();
    for (_, home, path) in found.iter().filter(|_| for_good) {
        let hash = record::hash(home, path);
        let bytes = serde_json::to_vec(&Record::Forgotten { hash })
            .map_err(|error| StoreError::Io { detail: error.to_string() })?;
        marks.push((hash, shelf.put(database, Kind::Record, &bytes)?));
    }
    shelf.commit(database, |db, _| {
        for (hash, object) in &marks {
            record::put_forgotten(db, *hash, *object)?;
        }
        let mut delete = db.prepare_cached("DELETE FROM files WHERE id = ?1")?;
        for (id, ..) in &found {
            delete.execute(params![column::integer(*id)])?;
        }
        db.execute("INSERT OR IGNORE INTO sweeping (id) VALUES (1)", [])?;
        Ok(())
    })?;
    let freed = sweep(opened)?;
    Ok(Forgotten { files: found.len() as u64, freed })
}

/// Takes out of the packs what no row names, if anybody left that to be done; bytes freed. Whoever calls is alone.
pub(super) fn sweep(opened: &Opened) -> Result<u64, StoreError> {
    let Opened { database, shelf, .. } = opened;
    let is_due = |db: &Transaction<'_>| Ok(db.prepare("SELECT 1 FROM sweeping")?.exists([])?);
    if !database.read(is_due)? {
        return Ok(0);
    }
    // What a pass that failed left waiting is let go of.
    shelf.commit(database, |_, _| Ok(()))?;
    let busy = |_| StoreError::Conflict { what: "sessions of agents are being read already" };
    let freed = {
        let _gate = Held::try_alone(files::open_private(shelf.gate())?).map_err(busy)?;
        let needed = database.read(needed)?;
        let dead = sweep::unneeded(database, &needed)?;
        sweep::sweep(database, shelf, &dead, Dead::Goes)?
    };
    database.write(|db| Ok(db.execute("DELETE FROM sweeping", []).map(|_| ())?))?;
    search::compact(database, words::INDEX)?;
    // What the rows said is in the log of the database until then.
    database.empty_wal()?;
    Ok(freed)
}

/// Every object that rows name.
fn needed(db: &Transaction<'_>) -> Result<HashSet<ObjectId>, Fault> {
    let mut find = db.prepare(
        "SELECT object FROM spans UNION SELECT object FROM records UNION SELECT object FROM forgotten",
    )?;
    let rows = find.query_map([], |row| Ok(ObjectId::from_bytes(row.get(0)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

//! Freeing objects that nothing needs, and rewriting packs that hold little else.

use std::collections::HashSet;
use std::fs::TryLockError;

use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;

use super::pack;
use super::shelf::Shelf;
use crate::column;
use crate::connection::Database;
use crate::fault::io;

/// A pack of which less than this share is needed is rewritten.
const LEAST_SHARE: u64 = 2;

/// What becomes of bytes in a pack that nothing names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dead {
    /// They stay while the pack holds more that is needed.
    MayStay,
    /// They go: somebody deleted what they say.
    Goes,
}

/// The objects that are none of these, by their names.
pub(crate) fn unneeded(
    database: &Database,
    needed: &HashSet<ObjectId>,
) -> Result<Vec<ObjectId>, StoreError> {
    database.read(|db| {
        let mut all = db.prepare_cached("SELECT id FROM objects")?;
        let ids = all.query_map([], |row| row.get::<_, [u8; 32]>(0))?;
        let dead = ids.map(|id| Ok(ObjectId::from_bytes(id?)));
        let dead: Vec<ObjectId> = dead.collect::<rusqlite::Result<_>>()?;
        Ok(dead.into_iter().filter(|id| !needed.contains(id)).collect())
    })
}

/// Forgets these objects, and frees what they took; bytes freed.
pub(crate) fn sweep(
    database: &Database,
    shelf: &Shelf,
    dead: &[ObjectId],
    dead_bytes: Dead,
) -> Result<u64, StoreError> {
    database.write(|db| {
        let mut forget = db.prepare_cached("DELETE FROM objects WHERE id = ?1")?;
        for id in dead {
            forget.execute([id.as_bytes().as_slice()])?;
        }
        Ok(())
    })?;
    let mut freed = 0;
    for (name, live) in live_bytes(database)? {
        freed += shrink(database, shelf, (&name, live), dead_bytes)?;
    }
    Ok(freed)
}

/// The packs, each with the bytes that are needed of it.
fn live_bytes(database: &Database) -> Result<Vec<(String, u64)>, StoreError> {
    database.read(|db| {
        let mut packs = db.prepare_cached(
            "SELECT name, COALESCE(live, 0) FROM packs LEFT JOIN \
             (SELECT pack, SUM(stored) AS live FROM objects GROUP BY pack) ON pack = packs.id \
             ORDER BY packs.id",
        )?;
        let rows = packs.query_map([], |row| Ok((row.get(0)?, column::count(row, 1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
}

/// Rewrites a pack of which little is needed, or deletes one of which nothing is; bytes freed. The pack goes only after
/// what is needed of it is durable elsewhere.
fn shrink(
    database: &Database,
    shelf: &Shelf,
    (name, live): (&str, u64),
    dead: Dead,
) -> Result<u64, StoreError> {
    let Some(size) = shelf.packs().size(name)? else { return Ok(0) };
    let is_ours = shelf.current().as_deref() == Some(name);
    let stays = match dead {
        Dead::MayStay => live.saturating_mul(LEAST_SHARE) >= size,
        Dead::Goes => live.saturating_add(pack::START) >= size,
    };
    if stays {
        return Ok(0);
    }
    if is_ours {
        shelf.close()?;
    }
    let _alone = match shelf.hold(name) {
        Ok(held) => held,
        // Another process appends to it.
        Err(TryLockError::WouldBlock) => return Ok(0),
        Err(TryLockError::Error(error)) => return Err(io(&shelf.path(name), &error)),
    };
    let kept = shelf.rewrite(database, name, false)?;
    Ok(size.saturating_sub(kept))
}

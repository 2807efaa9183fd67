//! Freeing what no checkpoint names: mark what is reachable, forget the rest, and rewrite packs that hold little else.

use std::collections::HashSet;

use siltstone_engine::checkpoint::{Checkpoint, Choice, Leaf, Node, ObjectId, StoredPlan, Tree};
use siltstone_engine::ports::StoreError;

use super::rows;
use super::shelf::Shelf;
use crate::connection::Database;
use crate::fault::io;
use crate::{column, files};

/// A pack of which less than this share is needed is rewritten.
const LEAST_SHARE: u64 = 2;

/// Frees what nothing names; says how many bytes. Fails with `Conflict` while anybody captures.
pub(super) fn collect(database: &Database, shelf: &Shelf) -> Result<u64, StoreError> {
    let gate = files::open_private(shelf.gate())?;
    if gate.try_lock().is_err() {
        return Err(StoreError::Conflict { what: "a checkpoint is being made" });
    }
    let (checkpoints, plans, seal) = database.read(|db| {
        let seal = shelf.lock.reading(db)?;
        Ok((rows::all(db, seal.as_ref())?, rows::unfinished(db, None, seal.as_ref())?, seal))
    })?;
    let mut needed = reachable(database, shelf, &checkpoints, &plans)?;
    if let Some(seal) = seal {
        let masks: Vec<ObjectId> = needed.iter().map(|id| seal.mask(*id)).collect();
        needed.extend(masks);
    }
    let dead = database.read(|db| {
        let mut all = db.prepare_cached("SELECT id FROM objects")?;
        let ids = all.query_map([], |row| row.get::<_, [u8; 32]>(0))?;
        let dead = ids.map(|id| Ok(ObjectId::from_bytes(id?)));
        let dead: Vec<ObjectId> = dead.collect::<rusqlite::Result<_>>()?;
        Ok(dead.into_iter().filter(|id| !needed.contains(id)).collect::<Vec<_>>())
    })?;
    database.write(|db| {
        let mut forget = db.prepare_cached("DELETE FROM objects WHERE id = ?1")?;
        for id in &dead {
            forget.execute([id.as_bytes().as_slice()])?;
        }
        Ok(())
    })?;
    let mut freed = 0;
    for (name, live) in live_bytes(database)? {
        freed += shrink(database, shelf, &name, live)?;
    }
    Ok(freed)
}

/// Every object that a checkpoint or an unfinished plan needs.
pub(super) fn reachable(
    database: &Database,
    shelf: &Shelf,
    checkpoints: &[(ObjectId, Checkpoint)],
    plans: &[StoredPlan],
) -> Result<HashSet<ObjectId>, StoreError> {
    let mut needed = HashSet::new();
    for (record, checkpoint) in checkpoints {
        let context = &checkpoint.context;
        needed.insert(*record);
        needed.extend([context.memory, context.stores, context.settings].into_iter().flatten());
        if let Some(root) = checkpoint.files.as_ref().and_then(|files| files.tree) {
            mark(database, shelf, root, &mut needed)?;
        }
    }
    for (step, choice) in plans.iter().flat_map(|plan| &plan.steps) {
        for leaf in step.now.iter().chain(&step.then) {
            if let Leaf::File { id, .. } = leaf {
                needed.insert(*id);
            }
        }
        if let Some(Choice::Merge { id, .. }) = choice {
            needed.insert(*id);
        }
    }
    Ok(needed)
}

fn mark(
    database: &Database,
    shelf: &Shelf,
    tree: ObjectId,
    needed: &mut HashSet<ObjectId>,
) -> Result<(), StoreError> {
    if !needed.insert(tree) {
        return Ok(());
    }
    for (_, node) in read_tree(database, shelf, tree)?.entries() {
        match node {
            Node::Dir(id) => mark(database, shelf, *id, needed)?,
            Node::Leaf(Leaf::File { id, .. }) => _ = needed.insert(*id),
            Node::Leaf(Leaf::Link { .. }) => {}
        }
    }
    Ok(())
}

/// A tree by its id.
pub(super) fn read_tree(
    database: &Database,
    shelf: &Shelf,
    id: ObjectId,
) -> Result<Tree, StoreError> {
    let bytes = shelf.get(database, id)?;
    Tree::decode(id, &bytes)
        .map_err(|error| StoreError::Damaged { path: format!("object {id}"), detail: error.detail })
}

/// The packs, each with the bytes that are needed of it.
fn live_bytes(database: &Database) -> Result<Vec<(String, u64)>, StoreError> {
    database.read(|db| {
        let mut packs = db.prepare_cached(
            "SELECT name, (SELECT COALESCE(SUM(stored), 0) FROM objects WHERE pack = packs.id) \
             FROM packs ORDER BY id",
        )?;
        let rows = packs.query_map([], |row| Ok((row.get(0)?, column::count(row, 1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
}

/// Rewrites a pack of which little is needed, or deletes one of which nothing is; bytes freed. The pack goes only after
/// what is needed of it is durable elsewhere.
fn shrink(database: &Database, shelf: &Shelf, name: &str, live: u64) -> Result<u64, StoreError> {
    let path = shelf.path(name);
    let Ok(metadata) = path.metadata() else { return Ok(0) };
    let is_ours = shelf.current().as_deref() == Some(name);
    if live.saturating_mul(LEAST_SHARE) >= metadata.len() {
        return Ok(0);
    }
    if is_ours {
        shelf.close()?;
    }
    let file = std::fs::File::open(&path).map_err(|error| io(&path, &error))?;
    if file.try_lock().is_err() {
        // Another process appends to it.
        return Ok(0);
    }
    let kept = shelf.rewrite(database, name, false)?;
    Ok(metadata.len().saturating_sub(kept))
}

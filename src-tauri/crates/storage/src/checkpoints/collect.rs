//! Freeing what no checkpoint names: mark what is reachable, forget the rest, and rewrite packs that hold little else.

use std::collections::HashSet;

use siltstone_engine::checkpoint::{Checkpoint, Choice, Leaf, Node, ObjectId, StoredPlan, Tree};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::ports::StoreError;

use super::pack;
use super::rows;
use super::sealing::alone;
use super::shelf::Shelf;
use crate::column;
use crate::connection::Database;
use crate::fault::io;
use crate::held::Held;

/// A pack of which less than this share is needed is rewritten.
const LEAST_SHARE: u64 = 2;

/// What becomes of bytes in a pack that nothing names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dead {
    /// They stay while the pack holds more that is needed.
    MayStay,
    /// They go: somebody deleted what they say.
    Goes,
}

/// Frees what nothing names; says how many bytes. Fails with `Conflict` while anybody captures.
pub(super) fn collect(
    database: &Database,
    shelf: &Shelf,
    dead_bytes: Dead,
) -> Result<u64, StoreError> {
    let _alone = alone(shelf.gate())?;
    let dead = unneeded(database, &needed(database, shelf, None)?)?;
    sweep(database, shelf, &dead, dead_bytes)
}

/// Every object that checkpoints and unfinished plans need, of all projects or of one, by each name it may have.
pub(super) fn needed(
    database: &Database,
    shelf: &Shelf,
    project: Option<ProjectId>,
) -> Result<HashSet<ObjectId>, StoreError> {
    let (checkpoints, plans, lost, seal) = database.read(|db| {
        let seal = shelf.lock.reading(db)?;
        let all = rows::all(db, project, seal.as_ref())?;
        let plans = rows::unfinished(db, project, seal.as_ref())?;
        Ok((all, plans, rows::lost(db, project)?, seal))
    })?;
    let mut needed = reachable((database, shelf), &checkpoints, &lost, &plans)?;
    if let Some(seal) = seal {
        let masks: Vec<ObjectId> = needed.iter().map(|id| seal.mask(*id)).collect();
        needed.extend(masks);
    }
    Ok(needed)
}

/// The objects that are none of these, by their names.
pub(super) fn unneeded(
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
pub(super) fn sweep(
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

/// Every object that a checkpoint or an unfinished plan needs; of one that is lost, what there still is.
fn reachable(
    at: (&Database, &Shelf),
    checkpoints: &[(ObjectId, Checkpoint)],
    lost: &HashSet<CheckpointId>,
    plans: &[StoredPlan],
) -> Result<HashSet<ObjectId>, StoreError> {
    let mut needed = HashSet::new();
    for (record, checkpoint) in checkpoints {
        let context = &checkpoint.context;
        needed.insert(*record);
        needed.extend([context.memory, context.stores, context.settings].into_iter().flatten());
        if let Some(root) = checkpoint.files.as_ref().and_then(|files| files.tree) {
            mark(at, root, lost.contains(&checkpoint.id), &mut needed)?;
        }
    }
    needed.extend(plans.iter().flat_map(named_by));
    Ok(needed)
}

/// The objects that a plan names itself.
pub(super) fn named_by(plan: &StoredPlan) -> Vec<ObjectId> {
    let mut named = Vec::new();
    for (step, choice) in &plan.steps {
        for leaf in step.now.iter().chain(&step.then) {
            if let Leaf::File { id, .. } = leaf {
                named.push(*id);
            }
        }
        if let Some(Choice::Merge { id, .. }) = choice {
            named.push(*id);
        }
    }
    named
}

fn mark(
    (database, shelf): (&Database, &Shelf),
    tree: ObjectId,
    is_lost: bool,
    needed: &mut HashSet<ObjectId>,
) -> Result<(), StoreError> {
    if !needed.insert(tree) {
        return Ok(());
    }
    let read = match read_tree(database, shelf, tree) {
        Err(StoreError::NotFound { .. } | StoreError::Damaged { .. }) if is_lost => return Ok(()),
        read => read?,
    };
    for (_, node) in read.entries() {
        match node {
            Node::Dir(id) => mark((database, shelf), *id, is_lost, needed)?,
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
    let file = shelf.packs().open(name).map_err(|error| io(&shelf.path(name), &error))?;
    let Ok(_alone) = Held::try_alone(file) else {
        // Another process appends to it.
        return Ok(0);
    };
    let kept = shelf.rewrite(database, name, false)?;
    Ok(size.saturating_sub(kept))
}

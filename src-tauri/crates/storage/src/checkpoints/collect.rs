//! Freeing what no checkpoint names: mark what is reachable, forget the rest, and rewrite packs that hold little else.

use std::collections::HashSet;

use siltstone_engine::checkpoint::{Checkpoint, Choice, Leaf, Node, ObjectId, StoredPlan, Tree};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::ports::StoreError;

use super::rows;
use super::sealing::alone;
use crate::connection::Database;
use crate::packs::shelf::Shelf;
use crate::packs::sweep::{Dead, sweep, unneeded};

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

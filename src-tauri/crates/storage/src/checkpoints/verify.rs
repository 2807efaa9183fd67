//! Looking whether everything is what it should be, and finding again what was lost.

use std::collections::{BTreeSet, HashMap, HashSet};

use siltstone_engine::checkpoint::{
    Checkpoint, FoundCheckpoints, Leaf, Node, ObjectId, Tree, needed,
};
use siltstone_engine::ids::CheckpointId;
use siltstone_engine::ports::{OnProgress, StoreError};
use siltstone_engine::project::ProbeProgress;

use super::collect::read_tree;
use super::found::Found;
use super::{index, rows, sealing};
use crate::column;
use crate::connection::Database;
use crate::packs::pack::Kind;
use crate::packs::shelf::Shelf;

/// Reads every object that a checkpoint needs, once. Those that are damaged or missing are named, each with the
/// checkpoints that need it.
pub(super) fn verify(
    database: &Database,
    shelf: &Shelf,
    progress: OnProgress<'_>,
) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError> {
    let all = database.read(|db| rows::all(db, None, shelf.lock.reading(db)?.as_ref()))?;
    let all: Vec<Checkpoint> = all.into_iter().map(|(_, checkpoint)| checkpoint).collect();
    unreadable(database, shelf, &all, progress)
}

/// The same of these checkpoints.
pub(super) fn unreadable(
    database: &Database,
    shelf: &Shelf,
    checkpoints: &[Checkpoint],
    progress: OnProgress<'_>,
) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError> {
    let mut read = Reading {
        database,
        shelf,
        progress,
        states: HashMap::new(),
        counts: ProbeProgress::default(),
    };
    let mut bad: HashMap<ObjectId, Vec<CheckpointId>> = HashMap::new();
    for checkpoint in checkpoints {
        let mut needs = HashSet::new();
        let context = &checkpoint.context;
        for id in [context.memory, context.stores, context.settings].into_iter().flatten() {
            if !read.is_whole(id)? {
                needs.insert(id);
            }
        }
        if let Some(root) = checkpoint.files.as_ref().and_then(|files| files.tree) {
            read.tree(root, &mut needs)?;
        }
        for id in needs {
            bad.entry(id).or_default().push(checkpoint.id);
        }
    }
    let mut bad: Vec<_> = bad.into_iter().collect();
    bad.sort();
    Ok(bad)
}

struct Reading<'a, 'p> {
    database: &'a Database,
    shelf: &'a Shelf,
    progress: OnProgress<'p>,
    /// What is bad below a tree that was read, or of an object.
    states: HashMap<ObjectId, HashSet<ObjectId>>,
    counts: ProbeProgress,
}

impl Reading<'_, '_> {
    fn is_whole(&mut self, id: ObjectId) -> Result<bool, StoreError> {
        if let Some(known) = self.states.get(&id) {
            return Ok(known.is_empty());
        }
        self.counts.files += 1;
        if !(self.progress)(self.counts) {
            return Err(StoreError::Conflict { what: "cancelled" });
        }
        let whole = match self.shelf.get(self.database, id) {
            Ok(bytes) => {
                self.counts.bytes += bytes.len() as u64;
                true
            }
            Err(StoreError::Damaged { .. } | StoreError::NotFound { .. }) => false,
            Err(error) => return Err(error),
        };
        let bad = if whole { HashSet::new() } else { HashSet::from([id]) };
        self.states.insert(id, bad);
        Ok(whole)
    }

    fn tree(&mut self, id: ObjectId, needs: &mut HashSet<ObjectId>) -> Result<(), StoreError> {
        if let Some(known) = self.states.get(&id) {
            needs.extend(known);
            return Ok(());
        }
        let mut bad = HashSet::new();
        match read_tree(self.database, self.shelf, id) {
            Ok(tree) => {
                for (_, node) in tree.entries() {
                    match node {
                        Node::Dir(inner) => self.tree(*inner, &mut bad)?,
                        Node::Leaf(Leaf::File { id, .. }) => {
                            if !self.is_whole(*id)? {
                                bad.insert(*id);
                            }
                        }
                        Node::Leaf(Leaf::Link { .. }) => {}
                    }
                }
            }
            Err(StoreError::Damaged { .. } | StoreError::NotFound { .. }) => _ = bad.insert(id),
            Err(error) => return Err(error),
        }
        needs.extend(&bad);
        self.states.insert(id, bad);
        Ok(())
    }
}

/// Finds records in the packs that no row names any more, for example because a row was lost or names a damaged copy, and
/// objects that are elsewhere; how many objects can be read again.
pub(super) fn repair(
    database: &Database,
    shelf: &Shelf,
    elsewhere: &dyn Fn() -> Vec<Found>,
) -> Result<u64, StoreError> {
    let before = verify(database, shelf, &mut |_| true)?;
    let packs = shelf.packs().list()?;
    database.write(|db| {
        let seal = shelf.lock.reading(db)?;
        let mut forget = db.prepare_cached("DELETE FROM objects WHERE id = ?1")?;
        for (id, _) in &before {
            for name in seal.iter().map(|seal| seal.mask(*id)).chain([*id]) {
                forget.execute([name.as_bytes().as_slice()])?;
            }
        }
        for pack in &packs {
            index::take_in(db, shelf.packs(), pack, seal.as_ref())?;
        }
        sealing::seal_rows(db, &shelf.lock)
    })?;
    if !before.is_empty() {
        take_from(database, shelf, &elsewhere())?;
    }
    let after = verify(database, shelf, &mut |_| true)?;
    let bad: HashSet<CheckpointId> = after.iter().flat_map(|(_, of)| of).copied().collect();
    database.write(|db| {
        let mut found = db.prepare_cached("UPDATE checkpoints SET lost = 0 WHERE id = ?1")?;
        for id in rows::lost(db, None)?.difference(&bad) {
            found.execute([column::text(*id)])?;
        }
        Ok(())
    })?;
    Ok(before.len().saturating_sub(after.len()) as u64)
}

/// Takes from folders what checkpoints need and is not here.
fn take_from(database: &Database, shelf: &Shelf, folders: &[Found]) -> Result<(), StoreError> {
    let elsewhere = |id| folders.iter().find_map(|found| found.object(id).ok());
    let all = database.read(|db| rows::all(db, None, shelf.lock.reading(db)?.as_ref()))?;
    let (mut seen, mut ids) = (BTreeSet::new(), Vec::new());
    for (_, checkpoint) in &all {
        // What is nowhere has nothing below it.
        needed::<StoreError>(checkpoint, &mut seen, &mut ids, &mut |id| {
            let here = read_tree(database, shelf, id).ok();
            let tree = here.or_else(|| Tree::decode(id, &elsewhere(id)?).ok());
            Ok(tree.unwrap_or_default())
        })?;
    }
    for id in ids {
        if shelf.find(database, id)?.is_none()
            && let Some(bytes) = elsewhere(id)
        {
            shelf.put(database, Kind::Object, &bytes)?;
        }
    }
    shelf.commit(database, |_, _| Ok(()))
}

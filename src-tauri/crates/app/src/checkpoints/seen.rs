//! What Siltstone knows of a project's files when it plans a restore: what it saw in ordinary work, and what it wrote
//! itself (`docs/decisions/0022-seen-files.md`).
//!
//! Deliberately absent: what a restore took to guard itself. It holds what the person changed unseen, so counting it as
//! seen would let the next restore write over that unasked.

use std::collections::{HashMap, HashSet};

use siltstone_contract::Failure;
use siltstone_engine::checkpoint::{
    Checkpoint, CheckpointReason, Choice, Leaf, ObjectId, StoredPlan, Why, Written,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::Stores;

use super::comparing::tree_of;
use crate::core::failure::Outcome;

/// Checkpoints that are looked at in one go.
const PAGE: u32 = 50;

/// The files of the newest checkpoint that saw the person's work and can still be read.
pub(super) fn seen_tree(stores: &Stores, project: ProjectId) -> Result<Option<ObjectId>, Failure> {
    let objects = stores.checkpoints.objects();
    let mut before = None;
    loop {
        let page = stores.checkpoints.checkpoints(project, before, PAGE).or_failure()?;
        for (checkpoint, _) in page.iter().filter(|(checkpoint, _)| checkpoint.reason.saw_work()) {
            match (&checkpoint.files, tree_of(checkpoint)) {
                (Some(_), None) => return Ok(None),
                // One that is lost or damaged says nothing; an older one does.
                (Some(_), Some(tree)) if objects.get(tree).is_ok() => return Ok(Some(tree)),
                _ => {}
            }
        }
        let Some((last, _)) = page.last().filter(|_| page.len() == PAGE as usize) else {
            return Ok(None);
        };
        before = Some(last.created_at);
    }
}

/// The restore that a checkpoint guards: restoring that checkpoint undoes it.
pub(super) struct Undone {
    /// What it made of each path.
    wrote: HashMap<Vec<u8>, Leaf>,
    /// Paths where Siltstone's own stood before it.
    ours: HashSet<Vec<u8>>,
}

impl Undone {
    /// Of the guard of a restore; `None` for every other checkpoint.
    pub(super) fn by(
        stores: &Stores,
        project: ProjectId,
        checkpoint: &Checkpoint,
    ) -> Result<Option<Self>, Failure> {
        if !matches!(checkpoint.reason, CheckpointReason::BeforeRestore { .. }) {
            return Ok(None);
        }
        let steps = stores.checkpoints.guarded_by(project, checkpoint.id).or_failure()?;
        let steps = steps.map(|plan| plan.steps).unwrap_or_default();
        let mut undone = Self { wrote: HashMap::new(), ours: HashSet::new() };
        for (step, choice) in steps {
            if step.why == Why::Ours {
                undone.ours.insert(step.path.clone());
            }
            if let Some(Some(leaf)) = step.outcome(choice) {
                undone.wrote.insert(step.path, leaf);
            }
        }
        Ok(Some(undone))
    }

    /// What it made of a path, also where the person merged it.
    pub(super) fn wrote(&self, path: &[u8]) -> Option<Leaf> {
        self.wrote.get(path).cloned()
    }
}

/// What a plan will write, as it is remembered. A merge is the person's own text, and what a guard brings back belongs to
/// whom it belonged before: neither is Siltstone's to write over.
pub(super) fn notes(todo: &StoredPlan, undone: Option<&Undone>) -> Vec<Written> {
    let written = todo.steps.iter().filter_map(|(step, choice)| {
        let ours = !matches!(choice, Some(Choice::Merge { .. }))
            && undone.is_none_or(|undone| undone.ours.contains(&step.path));
        let leaf = step.outcome(*choice)?.filter(|_| ours);
        Some(Written { path: step.path.clone(), leaf })
    });
    written.collect()
}

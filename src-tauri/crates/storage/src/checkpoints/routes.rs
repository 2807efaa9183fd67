//! The engine's ports over all places: each call goes where the project of what it names is kept.

use std::sync::{Arc, Mutex, PoisonError};

use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Aged, Checkpoint, Checkpoints, Leaf, ObjectId, Objects, StoredPlan, Written,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, PlanId, ProjectId};
use siltstone_engine::ports::{OnProgress, StoreError};

use super::pack::Kind;
use super::places::Core;
use super::rows::Table;
use super::{CheckpointStore, Opened};
use crate::column;

/// The objects of one project.
struct Scoped {
    core: Arc<Core>,
    project: Option<ProjectId>,
    /// Where something was put last.
    last: Mutex<Option<Arc<Opened>>>,
}

impl Scoped {
    /// Where it is put; nobody moves it until there is a row.
    fn steady(&self) -> Result<Arc<Opened>, StoreError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = last.as_ref().filter(|place| place.shelf.holds_back()) {
            return Ok(place.clone());
        }
        Ok(last.insert(self.core.steady(self.project)?).clone())
    }
}

impl Objects for Scoped {
    fn put(&self, bytes: &[u8]) -> Result<ObjectId, StoreError> {
        let place = self.steady()?;
        place.shelf.put(&place.database, Kind::Object, bytes)
    }

    fn has(&self, id: ObjectId) -> Result<bool, StoreError> {
        let place = self.steady()?;
        place.shelf.has(&place.database, id)
    }

    fn get(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        let place = self.core.of(self.project)?;
        match place.shelf.get(&place.database, id) {
            Err(error @ (StoreError::NotFound { .. } | StoreError::Damaged { .. })) => {
                // It may have been moved since the question where it is.
                let now = self.core.of(self.project)?;
                if Arc::ptr_eq(&place, &now) {
                    return Err(error);
                }
                now.shelf.get(&now.database, id)
            }
            found => found,
        }
    }

    fn sync(&self) -> Result<(), StoreError> {
        let place = self.steady()?;
        place.shelf.commit(&place.database, |_, _| Ok(()))
    }
}

impl Objects for CheckpointStore {
    fn put(&self, bytes: &[u8]) -> Result<ObjectId, StoreError> {
        let home = self.core.home()?;
        home.shelf.put(&home.database, Kind::Object, bytes)
    }

    fn has(&self, id: ObjectId) -> Result<bool, StoreError> {
        let home = self.core.home()?;
        home.shelf.has(&home.database, id)
    }

    fn get(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        let home = self.core.home()?;
        home.shelf.get(&home.database, id)
    }

    fn sync(&self) -> Result<(), StoreError> {
        let home = self.core.home()?;
        home.shelf.commit(&home.database, |_, _| Ok(()))
    }
}

impl CheckpointStore {
    fn holder(
        &self,
        table: Table,
        what: &'static str,
        id: String,
    ) -> Result<Arc<Opened>, StoreError> {
        self.core.holder(table, &id)?.ok_or(StoreError::NotFound { what, id })
    }
}

impl Checkpoints for CheckpointStore {
    fn objects(&self, project: ProjectId) -> Arc<dyn Objects> {
        let (core, last) = (self.core.clone(), Mutex::default());
        Arc::new(Scoped { core, project: Some(project), last })
    }

    fn add_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.core.steady(checkpoint.project_id)?.add_checkpoint(checkpoint)
    }

    fn change_checkpoint(
        &self,
        id: CheckpointId,
        tag: Option<&str>,
        pinned: bool,
    ) -> Result<(), StoreError> {
        let place = self.holder(Table::Checkpoints, "checkpoint", column::text(id))?;
        place.change_checkpoint(id, tag, pinned)
    }

    fn checkpoint(&self, id: CheckpointId) -> Result<Checkpoint, StoreError> {
        self.holder(Table::Checkpoints, "checkpoint", column::text(id))?.checkpoint(id)
    }

    fn tagged(&self, project: ProjectId, tag: &str) -> Result<Option<Checkpoint>, StoreError> {
        self.core.of(Some(project))?.tagged(project, tag)
    }

    fn checkpoints(
        &self,
        project: ProjectId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(Checkpoint, u64)>, StoreError> {
        self.core.of(Some(project))?.checkpoints(project, before, limit)
    }

    fn aged(&self, project: ProjectId) -> Result<(Vec<Aged>, u64), StoreError> {
        self.core.of(Some(project))?.aged(project)
    }

    fn delete_checkpoints(&self, ids: &[CheckpointId]) -> Result<(), StoreError> {
        let mut left = ids.to_vec();
        while let Some(id) = left.first() {
            let holder = self.core.holder(Table::Checkpoints, &column::text(*id))?;
            let Some(place) = holder else {
                left.remove(0);
                continue;
            };
            let mut here = Vec::new();
            for id in std::mem::take(&mut left) {
                match place.holds(id)? {
                    true => here.push(id),
                    false => left.push(id),
                }
            }
            place.delete_checkpoints(&here)?;
        }
        Ok(())
    }

    fn forget_conversation(&self, id: ConversationId, lines: &[String]) -> Result<(), StoreError> {
        self.core.all()?.into_iter().try_for_each(|place| place.forget_conversation(id, lines))
    }

    fn collect(&self) -> Result<u64, StoreError> {
        self.tidy_all()?;
        self.core.all()?.into_iter().map(|place| place.collect()).sum()
    }

    fn verify(
        &self,
        progress: OnProgress<'_>,
    ) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError> {
        let mut bad = Vec::new();
        for place in self.core.all()? {
            bad.extend(place.verify(progress)?);
        }
        Ok(bad)
    }

    fn repair(&self) -> Result<u64, StoreError> {
        self.core.all()?.into_iter().map(|place| place.repair()).sum()
    }

    fn put_plan(&self, project: ProjectId, plan: &StoredPlan) -> Result<(), StoreError> {
        self.core.steady(Some(project))?.put_plan(project, plan)
    }

    fn plan(&self, id: PlanId) -> Result<StoredPlan, StoreError> {
        self.holder(Table::Plans, "plan", column::text(id))?.plan(id)
    }

    fn unfinished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError> {
        self.core.of(Some(project))?.unfinished_plans(project)
    }

    fn last_restore(&self, project: ProjectId) -> Result<Option<StoredPlan>, StoreError> {
        self.core.of(Some(project))?.last_restore(project)
    }

    fn guarded_by(
        &self,
        project: ProjectId,
        before: CheckpointId,
    ) -> Result<Option<StoredPlan>, StoreError> {
        self.core.of(Some(project))?.guarded_by(project, before)
    }

    fn note_written(&self, project: ProjectId, written: &[Written]) -> Result<(), StoreError> {
        self.core.of(Some(project))?.note_written(project, written)
    }

    fn written(&self, project: ProjectId, path: &[u8]) -> Result<Option<Leaf>, StoreError> {
        self.core.of(Some(project))?.written(project, path)
    }
}

//! The engine's ports over what lies in the data folder, and over the copies in projects' folders.

use std::sync::Arc;

use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Aged, Checkpoint, Checkpoints, Leaf, ObjectId, Objects, StoredPlan, Written,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, PlanId, ProjectId};
use siltstone_engine::ports::{OnProgress, StoreError};

use super::CheckpointStore;
use crate::packs::pack::Kind;

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

impl Checkpoints for CheckpointStore {
    fn objects(&self) -> Arc<dyn Objects> {
        Arc::new(Self { core: self.core.clone() })
    }

    fn add_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.core.home()?.add_checkpoint(checkpoint)
    }

    fn change_checkpoint(
        &self,
        id: CheckpointId,
        tag: Option<&str>,
        pinned: bool,
    ) -> Result<(), StoreError> {
        self.core.home()?.change_checkpoint(id, tag, pinned)
    }

    fn checkpoint(&self, id: CheckpointId) -> Result<Checkpoint, StoreError> {
        self.core.home()?.checkpoint(id)
    }

    fn tagged(&self, project: ProjectId, tag: &str) -> Result<Option<Checkpoint>, StoreError> {
        self.core.home()?.tagged(project, tag)
    }

    fn checkpoints(
        &self,
        project: ProjectId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(Checkpoint, u64)>, StoreError> {
        self.core.home()?.checkpoints(project, before, limit)
    }

    fn aged(&self, project: ProjectId) -> Result<(Vec<Aged>, u64), StoreError> {
        self.core.home()?.aged(project)
    }

    fn delete_checkpoints(&self, ids: &[CheckpointId]) -> Result<(), StoreError> {
        self.core.home()?.delete_checkpoints(ids)
    }

    fn forget_conversation(&self, id: ConversationId, lines: &[String]) -> Result<(), StoreError> {
        self.core.home()?.forget_conversation(id, lines)?;
        for (project, _) in self.core.copied()? {
            self.core.thin(project)?;
        }
        Ok(())
    }

    fn collect(&self) -> Result<u64, StoreError> {
        self.core.tidy_all()?;
        let freed = self.core.home()?.collect()?;
        self.core.each_copy(|project| self.core.thin(project));
        Ok(freed)
    }

    fn verify(
        &self,
        progress: OnProgress<'_>,
    ) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError> {
        let bad = self.core.home()?.verify(progress)?;
        // While something is damaged here, a copy that is damaged elsewhere may be what it is found again in.
        if bad.is_empty() && !self.core.read_only {
            self.core.each_copy(|project| self.core.look_through(project));
        }
        Ok(bad)
    }

    fn repair(&self) -> Result<u64, StoreError> {
        let home = self.core.home()?;
        self.core.bring_home(&home)?;
        home.repair(&|| self.found_in_copies())
    }

    fn put_plan(&self, project: ProjectId, plan: &StoredPlan) -> Result<(), StoreError> {
        self.core.home()?.put_plan(project, plan)
    }

    fn plan(&self, id: PlanId) -> Result<StoredPlan, StoreError> {
        self.core.home()?.plan(id)
    }

    fn restore_alone(&self) -> Result<Box<dyn Send + Sync>, StoreError> {
        Ok(Box::new(self.core.restore_alone()?))
    }

    fn unfinished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError> {
        self.core.home()?.unfinished_plans(project)
    }

    fn cut_off_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError> {
        self.core.unless_restoring(|| self.core.home()?.unfinished_plans(project))
    }

    fn finished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError> {
        self.core.home()?.finished_plans(project)
    }

    fn last_restore(&self, project: ProjectId) -> Result<Option<StoredPlan>, StoreError> {
        self.core.home()?.last_restore(project)
    }

    fn guarded_by(
        &self,
        project: ProjectId,
        before: CheckpointId,
    ) -> Result<Option<StoredPlan>, StoreError> {
        self.core.home()?.guarded_by(project, before)
    }

    fn note_written(&self, project: ProjectId, written: &[Written]) -> Result<(), StoreError> {
        self.core.home()?.note_written(project, written)
    }

    fn written(&self, project: ProjectId, path: &[u8]) -> Result<Option<Leaf>, StoreError> {
        self.core.home()?.written(project, path)
    }
}

//! Plans of restores: keeping one, and finding those that were begun. How a row reads is in [`super::rows`].

use rusqlite::params;
use siltstone_engine::checkpoint::StoredPlan;
use siltstone_engine::ids::{CheckpointId, PlanId, ProjectId};
use siltstone_engine::ports::StoreError;

use super::Opened;
use super::rows::{insert_plan, plans, unfinished};
use crate::column;
use crate::fault::not_found;

impl Opened {
    pub(super) fn put_plan(&self, project: ProjectId, plan: &StoredPlan) -> Result<(), StoreError> {
        // What a merge made waits in a pack, and has to be found when the plan is carried out.
        self.shelf.commit(&self.database, |db, _| {
            let seal = self.shelf.lock.writing(db)?;
            insert_plan(db, project, plan, seal.as_ref())
        })
    }

    pub(super) fn plan(&self, id: PlanId) -> Result<StoredPlan, StoreError> {
        self.read(|db, seal| {
            let found = plans(db, "WHERE id = ?1", [column::text(id)], seal)?;
            found.into_iter().next().ok_or_else(|| not_found("plan", id))
        })
    }

    pub(super) fn unfinished_plans(
        &self,
        project: ProjectId,
    ) -> Result<Vec<StoredPlan>, StoreError> {
        self.read(|db, seal| unfinished(db, Some(project), seal))
    }

    pub(super) fn finished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError> {
        let condition = "WHERE project_id = ?1 AND finished_at IS NOT NULL ORDER BY id";
        self.read(|db, seal| plans(db, condition, [column::text(project)], seal))
    }

    pub(super) fn last_restore(
        &self,
        project: ProjectId,
    ) -> Result<Option<StoredPlan>, StoreError> {
        let condition = "WHERE project_id = ?1 AND finished_at IS NOT NULL \
                         ORDER BY finished_at DESC LIMIT 1";
        self.read(|db, seal| {
            Ok(plans(db, condition, [column::text(project)], seal)?.into_iter().next())
        })
    }

    pub(super) fn guarded_by(
        &self,
        project: ProjectId,
        before: CheckpointId,
    ) -> Result<Option<StoredPlan>, StoreError> {
        // A plan may be sealed, so no column says which checkpoint it took. What is undone was begun last.
        let condition = "WHERE project_id = ?1 AND begun = 1 AND (?2 IS NULL OR id < ?2) \
                         ORDER BY id DESC LIMIT 1";
        self.read(|db, seal| {
            let (project, mut last) = (column::text(project), None::<String>);
            loop {
                let found = plans(db, condition, params![project, last], seal)?;
                match found.into_iter().next() {
                    Some(plan) if plan.before == Some(before) => return Ok(Some(plan)),
                    Some(plan) => last = Some(column::text(plan.id)),
                    None => return Ok(None),
                }
            }
        })
    }
}

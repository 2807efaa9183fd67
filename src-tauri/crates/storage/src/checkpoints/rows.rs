//! Rows of checkpoints, of plans, and of what Siltstone wrote itself.

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Aged, Checkpoint, Checkpoints, Leaf, ObjectId, StoredPlan, Written,
};
use siltstone_engine::ids::{CheckpointId, PlanId, ProjectId};
use siltstone_engine::ports::{OnProgress, StoreError};

use super::pack::Kind;
use super::{CheckpointStore, collect, index, verify};
use crate::column;
use crate::fault::{Fault, not_found};

const SELECT: &str = "SELECT record, tag, pinned, bytes FROM checkpoints";

/// The columns speak over the record, which says how the checkpoint was made.
fn from_row(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
    let made: Checkpoint = column::json(row, 0)?;
    Ok(Checkpoint { tag: row.get(1)?, pinned: row.get(2)?, ..made })
}

/// Every checkpoint of every project, each with the object of its record in a pack.
pub(super) fn all(db: &Connection) -> Result<Vec<(ObjectId, Checkpoint)>, Fault> {
    let mut statement = db.prepare_cached(SELECT)?;
    let rows = statement
        .query_map([], |row| Ok((ObjectId::of(row.get_ref(0)?.as_bytes()?), from_row(row)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Plans that were begun and not finished.
pub(super) fn unfinished(
    db: &Connection,
    project: Option<ProjectId>,
) -> Result<Vec<StoredPlan>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT plan FROM plans WHERE begun = 1 AND finished_at IS NULL \
         AND (?1 IS NULL OR project_id = ?1) ORDER BY id",
    )?;
    let rows = statement.query_map([column::optional_text(project)], |row| column::json(row, 0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

impl Checkpoints for CheckpointStore {
    fn add_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let record = serde_json::to_vec(checkpoint)
            .map_err(|error| StoreError::Io { detail: error.to_string() })?;
        self.opened()?.shelf.put(&self.opened()?.database, Kind::Checkpoint, &record)?;
        self.opened()?.shelf.commit(&self.opened()?.database, |db, bytes| {
            index::insert_row(db, checkpoint, bytes, false)
        })
    }

    fn change_checkpoint(
        &self,
        id: CheckpointId,
        tag: Option<&str>,
        pinned: bool,
    ) -> Result<(), StoreError> {
        self.opened()?.database.write(|db| {
            let changed = db
                .prepare_cached("UPDATE checkpoints SET tag = ?2, pinned = ?3 WHERE id = ?1")?
                .execute(params![column::text(id), tag, pinned])?;
            if changed == 0 { Err(not_found("checkpoint", id)) } else { Ok(()) }
        })
    }

    fn checkpoint(&self, id: CheckpointId) -> Result<Checkpoint, StoreError> {
        self.opened()?.database.read(|db| {
            db.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
                .query_row([column::text(id)], from_row)
                .optional()?
                .ok_or_else(|| not_found("checkpoint", id))
        })
    }

    fn tagged(&self, project: ProjectId, tag: &str) -> Result<Option<Checkpoint>, StoreError> {
        self.opened()?.database.read(|db| {
            Ok(db
                .prepare_cached(&format!("{SELECT} WHERE project_id = ?1 AND tag = ?2"))?
                .query_row([column::text(project).as_str(), tag], from_row)
                .optional()?)
        })
    }

    fn checkpoints(
        &self,
        project: ProjectId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(Checkpoint, u64)>, StoreError> {
        self.opened()?.database.read(|db| {
            let mut statement = db.prepare_cached(&format!(
                "{SELECT} WHERE project_id = ?1 AND (?2 IS NULL OR created_at < ?2) \
                 ORDER BY created_at DESC, id DESC LIMIT ?3"
            ))?;
            let before = before.map(column::nanoseconds);
            let rows = statement
                .query_map(params![column::text(project), before, limit], |row| {
                    Ok((from_row(row)?, column::count(row, 3)?))
                })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn aged(&self, project: ProjectId) -> Result<(Vec<Aged>, u64), StoreError> {
        self.opened()?.database.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT id, created_at, pinned OR tag IS NOT NULL, bytes FROM checkpoints \
                 WHERE project_id = ?1 ORDER BY created_at, id",
            )?;
            let rows = statement.query_map([column::text(project)], |row| {
                Ok(Aged {
                    id: column::id(row, 0)?,
                    created_at: column::time(row, 1)?,
                    kept: row.get(2)?,
                    bytes: column::count(row, 3)?,
                })
            })?;
            let aged: Vec<Aged> = rows.collect::<rusqlite::Result<_>>()?;
            let total = aged.iter().map(|checkpoint| checkpoint.bytes).sum();
            Ok((aged, total))
        })
    }

    fn delete_checkpoints(&self, ids: &[CheckpointId]) -> Result<(), StoreError> {
        self.opened()?.database.write(|db| {
            let mut delete = db.prepare_cached("DELETE FROM checkpoints WHERE id = ?1")?;
            for id in ids {
                delete.execute([column::text(id)])?;
            }
            Ok(())
        })
    }

    fn collect(&self) -> Result<u64, StoreError> {
        collect::collect(&self.opened()?.database, &self.opened()?.shelf)
    }

    fn verify(
        &self,
        progress: OnProgress<'_>,
    ) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError> {
        verify::verify(&self.opened()?.database, &self.opened()?.shelf, progress)
    }

    fn repair(&self) -> Result<u64, StoreError> {
        verify::repair(&self.opened()?.database, &self.opened()?.shelf)
    }

    fn put_plan(&self, project: ProjectId, plan: &StoredPlan) -> Result<(), StoreError> {
        // What a merge made waits in a pack, and has to be found when the plan is carried out.
        self.opened()?.shelf.commit(&self.opened()?.database, |db, _| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO plans (id, project_id, begun, finished_at, plan) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                column::text(plan.id),
                column::text(project),
                plan.before.is_some(),
                plan.finished_at.map(column::nanoseconds),
                column::to_json(plan)?,
            ])?;
            Ok(())
        })
    }

    fn plan(&self, id: PlanId) -> Result<StoredPlan, StoreError> {
        self.opened()?.database.read(|db| {
            db.prepare_cached("SELECT plan FROM plans WHERE id = ?1")?
                .query_row([column::text(id)], |row| column::json(row, 0))
                .optional()?
                .ok_or_else(|| not_found("plan", id))
        })
    }

    fn unfinished_plans(&self, project: ProjectId) -> Result<Vec<StoredPlan>, StoreError> {
        self.opened()?.database.read(|db| unfinished(db, Some(project)))
    }

    fn last_restore(&self, project: ProjectId) -> Result<Option<StoredPlan>, StoreError> {
        self.opened()?.database.read(|db| {
            Ok(db
                .prepare_cached(
                    "SELECT plan FROM plans WHERE project_id = ?1 AND finished_at IS NOT NULL \
                     ORDER BY finished_at DESC LIMIT 1",
                )?
                .query_row([column::text(project)], |row| column::json(row, 0))
                .optional()?)
        })
    }

    fn note_written(&self, project: ProjectId, written: &[Written]) -> Result<(), StoreError> {
        self.opened()?.database.write(|db| {
            let mut note = db.prepare_cached(
                "INSERT OR REPLACE INTO written (project_id, path, leaf) VALUES (?1, ?2, ?3)",
            )?;
            for Written { path, leaf } in written {
                let leaf = leaf.as_ref().map(column::to_json).transpose()?;
                note.execute(params![column::text(project), path, leaf])?;
            }
            Ok(())
        })
    }

    fn written(&self, project: ProjectId, path: &[u8]) -> Result<Option<Leaf>, StoreError> {
        self.opened()?.database.read(|db| {
            let found = db
                .prepare_cached("SELECT leaf FROM written WHERE project_id = ?1 AND path = ?2")?
                .query_row(params![column::text(project), path], |row| {
                    column::optional_json(row, 0)
                })
                .optional()?;
            Ok(found.flatten())
        })
    }
}

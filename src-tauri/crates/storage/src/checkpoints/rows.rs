//! Rows of checkpoints and of what Siltstone wrote itself, and how a row of a plan reads; [`super::plans`] asks for those.

use std::borrow::Cow;
use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Aged, Checkpoint, CheckpointReason, ContextState, Leaf, Metadata, ObjectId, StoredPlan, Written,
};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::ports::{OnProgress, StoreError};

use super::found::Found;
use super::{Opened, collect, index, verify};
use crate::column;
use crate::fault::{Fault, not_found};
use crate::packs::lock::Seal;
use crate::packs::pack::Kind;
use crate::packs::sweep::Dead;

const SELECT: &str = "SELECT id, record, sealed, tag, pinned, bytes FROM checkpoints";

/// Checkpoints that lost what they held.
pub(super) fn lost(
    db: &Connection,
    project: Option<ProjectId>,
) -> Result<HashSet<CheckpointId>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT id FROM checkpoints WHERE lost = 1 AND (?1 IS NULL OR project_id = ?1)",
    )?;
    let rows = find.query_map([column::optional_text(project)], |row| column::id(row, 0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A row of a checkpoint as it stands.
struct Stood {
    id: String,
    record: String,
    sealed: Option<Vec<u8>>,
    tag: Option<String>,
    pinned: bool,
    bytes: u64,
}

fn stood(row: &Row<'_>) -> rusqlite::Result<Stood> {
    Ok(Stood {
        id: row.get(0)?,
        record: row.get(1)?,
        sealed: row.get(2)?,
        tag: row.get(3)?,
        pinned: row.get(4)?,
        bytes: column::count(row, 5)?,
    })
}

impl Stood {
    /// The whole record, as it stands in a pack too.
    fn whole(&self, seal: Option<&Seal>) -> Result<Cow<'_, str>, Fault> {
        opened(self.sealed.as_deref(), &self.id, seal)?
            .map_or(Ok(Cow::Borrowed(&self.record)), |record| Ok(Cow::Owned(record)))
    }

    /// The columns speak over the record, which says how the checkpoint was made.
    fn read(self, record: &str) -> Result<Checkpoint, Fault> {
        let made: Checkpoint = serde_json::from_str(record)?;
        Ok(Checkpoint { tag: self.tag, pinned: self.pinned, ..made })
    }

    fn open(self, seal: Option<&Seal>) -> Result<Checkpoint, Fault> {
        let record = self.whole(seal)?.into_owned();
        self.read(&record)
    }

    /// What may be seen of it.
    fn seen(self, seal: Option<&Seal>) -> Result<Checkpoint, Fault> {
        let record = match self.whole(seal) {
            Err(Fault::Store(StoreError::Locked)) => self.record.clone(),
            whole => whole?.into_owned(),
        };
        self.read(&record)
    }
}

/// A text that is sealed; `None` when it is not.
pub(super) fn opened(
    sealed: Option<&[u8]>,
    about: &str,
    seal: Option<&Seal>,
) -> Result<Option<String>, Fault> {
    let Some(sealed) = sealed else { return Ok(None) };
    let seal = seal.ok_or(StoreError::Locked)?;
    let bad = |detail: String| StoreError::Damaged { path: format!("row {about}"), detail };
    let plain = seal.open(about.as_bytes(), sealed).map_err(|error| bad(error.to_string()))?;
    Ok(Some(String::from_utf8(plain).map_err(|error| bad(error.to_string()))?))
}

/// What the row of a checkpoint says, and what of it is sealed. Without the key its time, reason, conversation, name and
/// size may be seen, and nothing of files, memory or context.
pub(super) fn record(
    checkpoint: &Checkpoint,
    whole: String,
    seal: Option<&Seal>,
) -> Result<(String, Option<Vec<u8>>), Fault> {
    let Some(seal) = seal else { return Ok((whole, None)) };
    let reason = match &checkpoint.reason {
        CheckpointReason::BeforeMemory { .. } => {
            CheckpointReason::BeforeMemory { path: String::new() }
        }
        reason => reason.clone(),
    };
    let seen = Checkpoint {
        reason,
        files: None,
        context: ContextState::default(),
        metadata: Metadata { project_path: String::new(), ..checkpoint.metadata.clone() },
        ..checkpoint.clone()
    };
    let sealed = seal.seal(column::text(checkpoint.id).as_bytes(), whole.as_bytes())?;
    Ok((column::to_json(&seen)?, Some(sealed)))
}

/// What a plan's row says, and what of it is sealed.
pub(super) fn plan_record(
    plan: &StoredPlan,
    seal: Option<&Seal>,
) -> Result<(String, Option<Vec<u8>>), Fault> {
    let whole = column::to_json(plan)?;
    let Some(seal) = seal else { return Ok((whole, None)) };
    let sealed = seal.seal(column::text(plan.id).as_bytes(), whole.as_bytes())?;
    Ok((String::new(), Some(sealed)))
}

/// Adds the row of a plan, or changes it.
pub(super) fn insert_plan(
    db: &Connection,
    project: ProjectId,
    plan: &StoredPlan,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    let (record, sealed) = plan_record(plan, seal)?;
    db.prepare_cached(
        "INSERT OR REPLACE INTO plans (id, project_id, begun, finished_at, plan, sealed) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        column::text(plan.id),
        column::text(project),
        plan.before.is_some(),
        plan.finished_at.map(column::nanoseconds),
        record,
        sealed,
    ])?;
    Ok(())
}

/// Every checkpoint of every project, or of one, each with the object of its record in a pack.
pub(super) fn all(
    db: &Connection,
    project: Option<ProjectId>,
    seal: Option<&Seal>,
) -> Result<Vec<(ObjectId, Checkpoint)>, Fault> {
    let mut statement =
        db.prepare_cached(&format!("{SELECT} WHERE ?1 IS NULL OR project_id = ?1"))?;
    let rows = statement.query_map([column::optional_text(project)], stood)?;
    rows.map(|row| {
        let row = row?;
        let record = row.whole(seal)?.into_owned();
        Ok((ObjectId::of(record.as_bytes()), row.read(&record)?))
    })
    .collect()
}

/// Gives the rows of all checkpoints another form, word for word: a record in a pack says the same.
pub(super) fn change_records(
    db: &Connection,
    reading: Option<&Seal>,
    writing: Option<&Seal>,
) -> Result<(), Fault> {
    let rows: Vec<Stood> =
        db.prepare_cached(SELECT)?.query_map([], stood)?.collect::<rusqlite::Result<_>>()?;
    for row in rows {
        let whole = row.whole(reading)?.into_owned();
        let (record, sealed) = record(&serde_json::from_str(&whole)?, whole, writing)?;
        db.prepare_cached("UPDATE checkpoints SET record = ?2, sealed = ?3 WHERE id = ?1")?
            .execute(params![row.id, record, sealed])?;
    }
    Ok(())
}

/// Plans that are found by this condition.
pub(super) fn plans(
    db: &Connection,
    condition: &str,
    params: impl Params,
    seal: Option<&Seal>,
) -> Result<Vec<StoredPlan>, Fault> {
    let mut find = db.prepare_cached(&format!("SELECT id, plan, sealed FROM plans {condition}"))?;
    let rows = find.query_map(params, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
    })?;
    rows.map(|row| {
        let (id, plan, sealed) = row?;
        let plan = opened(sealed.as_deref(), &id, seal)?.unwrap_or(plan);
        Ok(serde_json::from_str(&plan)?)
    })
    .collect()
}

/// Plans that were begun and not finished.
pub(super) fn unfinished(
    db: &Connection,
    project: Option<ProjectId>,
    seal: Option<&Seal>,
) -> Result<Vec<StoredPlan>, Fault> {
    let condition = "WHERE begun = 1 AND finished_at IS NULL \
                     AND (?1 IS NULL OR project_id = ?1) ORDER BY id";
    plans(db, condition, [column::optional_text(project)], seal)
}

/// What a row of `written` says, sealed; its path then stands inside.
#[derive(Serialize, Deserialize)]
pub(super) struct SealedWritten {
    pub(super) path: Vec<u8>,
    pub(super) leaf: Option<Leaf>,
}

/// What stands for a path where nobody may read it.
pub(super) fn masked(path: &[u8], seal: &Seal) -> Vec<u8> {
    seal.mask(ObjectId::of(path)).as_bytes().to_vec()
}

/// Remembers what was written.
pub(super) fn put_written(
    db: &Connection,
    project: &str,
    path: &[u8],
    leaf: Option<&Leaf>,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    let mut put = db.prepare_cached(
        "INSERT OR REPLACE INTO written (project_id, path, leaf, sealed) VALUES (?1, ?2, ?3, ?4)",
    )?;
    match seal {
        None => {
            let leaf = leaf.map(column::to_json).transpose()?;
            put.execute(params![project, path, leaf, Option::<Vec<u8>>::None])?;
        }
        Some(seal) => {
            let said = SealedWritten { path: path.to_vec(), leaf: leaf.cloned() };
            let sealed = seal.seal(project.as_bytes(), column::to_json(&said)?.as_bytes())?;
            put.execute(params![project, masked(path, seal), Option::<String>::None, sealed])?;
        }
    }
    Ok(())
}

impl Opened {
    pub(super) fn add_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let record = serde_json::to_vec(checkpoint)
            .map_err(|error| StoreError::Io { detail: error.to_string() })?;
        self.shelf.put(&self.database, Kind::Record, &record)?;
        self.shelf.commit(&self.database, |db, bytes| {
            let seal = self.shelf.lock.writing(db)?;
            index::insert_row(db, checkpoint, bytes, false, seal.as_ref())
        })
    }

    pub(super) fn change_checkpoint(
        &self,
        id: CheckpointId,
        tag: Option<&str>,
        pinned: bool,
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            let changed = db
                .prepare_cached("UPDATE checkpoints SET tag = ?2, pinned = ?3 WHERE id = ?1")?
                .execute(params![column::text(id), tag, pinned])?;
            if changed == 0 { Err(not_found("checkpoint", id)) } else { Ok(()) }
        })
    }

    pub(super) fn checkpoint(&self, id: CheckpointId) -> Result<Checkpoint, StoreError> {
        self.read(|db, seal| {
            let found = db
                .prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
                .query_row([column::text(id)], stood)
                .optional()?;
            found.ok_or_else(|| not_found("checkpoint", id))?.open(seal)
        })
    }

    pub(super) fn tagged(
        &self,
        project: ProjectId,
        tag: &str,
    ) -> Result<Option<Checkpoint>, StoreError> {
        self.read(|db, seal| {
            let found = db
                .prepare_cached(&format!("{SELECT} WHERE project_id = ?1 AND tag = ?2"))?
                .query_row([column::text(project).as_str(), tag], stood)
                .optional()?;
            found.map(|found| found.seen(seal)).transpose()
        })
    }

    pub(super) fn checkpoints(
        &self,
        project: ProjectId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(Checkpoint, u64)>, StoreError> {
        self.read(|db, seal| {
            let mut statement = db.prepare_cached(&format!(
                "{SELECT} WHERE project_id = ?1 AND (?2 IS NULL OR created_at < ?2) \
                 ORDER BY created_at DESC, id DESC LIMIT ?3"
            ))?;
            let before = before.map(column::nanoseconds);
            let rows = statement.query_map(params![column::text(project), before, limit], stood)?;
            rows.map(|row| {
                let row = row?;
                let bytes = row.bytes;
                Ok((row.seen(seal)?, bytes))
            })
            .collect()
        })
    }

    pub(super) fn aged(&self, project: ProjectId) -> Result<(Vec<Aged>, u64), StoreError> {
        self.database.read(|db| {
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

    pub(super) fn delete_checkpoints(&self, ids: &[CheckpointId]) -> Result<(), StoreError> {
        self.database.write(|db| {
            let seal = self.shelf.lock.held();
            let cut_off = unfinished(db, None, seal.as_ref())?;
            if ids.iter().any(|id| cut_off.iter().any(|plan| plan.needs(*id))) {
                let what = "a restore that was cut off needs it";
                return Err(Fault::Store(StoreError::Conflict { what }));
            }
            let mut delete = db.prepare_cached("DELETE FROM checkpoints WHERE id = ?1")?;
            for id in ids {
                delete.execute([column::text(id)])?;
            }
            Ok(())
        })
    }

    pub(super) fn collect(&self) -> Result<u64, StoreError> {
        collect::collect(&self.database, &self.shelf, Dead::MayStay)
    }

    pub(super) fn verify(
        &self,
        progress: OnProgress<'_>,
    ) -> Result<Vec<(ObjectId, Vec<CheckpointId>)>, StoreError> {
        verify::verify(&self.database, &self.shelf, progress)
    }

    /// What is not in the packs is looked for elsewhere, too.
    pub(super) fn repair(&self, elsewhere: &dyn Fn() -> Vec<Found>) -> Result<u64, StoreError> {
        verify::repair(&self.database, &self.shelf, elsewhere)
    }

    pub(super) fn note_written(
        &self,
        project: ProjectId,
        written: &[Written],
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            let seal = self.shelf.lock.writing(db)?;
            let project = column::text(project);
            written.iter().try_for_each(|Written { path, leaf }| {
                put_written(db, &project, path, leaf.as_ref(), seal.as_ref())
            })
        })
    }

    pub(super) fn written(
        &self,
        project: ProjectId,
        path: &[u8],
    ) -> Result<Option<Leaf>, StoreError> {
        self.database.read(|db| {
            let project = column::text(project);
            let seal = self.shelf.lock.writing(db)?;
            let key = seal.as_ref().map_or_else(|| path.to_vec(), |seal| masked(path, seal));
            let found = db
                .prepare_cached(
                    "SELECT leaf, sealed FROM written WHERE project_id = ?1 AND path = ?2",
                )?
                .query_row(params![project, key], |row| {
                    Ok((column::optional_json(row, 0)?, row.get::<_, Option<Vec<u8>>>(1)?))
                })
                .optional()?;
            let Some((leaf, sealed)) = found else { return Ok(None) };
            match opened(sealed.as_deref(), &project, seal.as_ref())? {
                Some(said) => Ok(serde_json::from_str::<SealedWritten>(&said)?.leaf),
                None => Ok(leaf),
            }
        })
    }
}

impl Opened {
    /// Reads rows with what opens them, if that is at hand.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection, Option<&Seal>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.database.read(|db| {
            let seal = match self.shelf.lock.reading(db) {
                Err(Fault::Store(StoreError::Locked)) => None,
                seal => seal?,
            };
            work(db, seal.as_ref())
        })
    }
}

//! The rows of one project, taken from one database and put into another: as they are, or word for word and sealed as is
//! said there.

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use siltstone_engine::checkpoint::{Checkpoint, StoredPlan};
use siltstone_engine::ids::ProjectId;

use super::rows::{self, SealedWritten, opened};
use crate::column;
use crate::fault::Fault;
use crate::packs::lock::Seal;

/// A row of a checkpoint.
pub(super) struct Row {
    /// With the tag and the pin that the row says.
    pub(super) checkpoint: Checkpoint,
    /// As it was made, which stands in a pack too.
    pub(super) record: String,
    bytes: u64,
    /// It lost what it held.
    pub(super) lost: bool,
}

/// All rows of a project.
pub(super) struct Carried {
    pub(super) checkpoints: Vec<Row>,
    pub(super) plans: Vec<StoredPlan>,
    written: Vec<SealedWritten>,
}

/// Takes them.
pub(super) fn carried(
    db: &Connection,
    project: ProjectId,
    seal: Option<&Seal>,
) -> Result<Carried, Fault> {
    let of = column::text(project);
    let mut find = db.prepare_cached(
        "SELECT id, record, sealed, tag, pinned, bytes, lost FROM checkpoints \
         WHERE project_id = ?1 ORDER BY created_at, id",
    )?;
    let mut found = find.query([&of])?;
    let mut checkpoints = Vec::new();
    while let Some(row) = found.next()? {
        let (id, plain): (String, String) = (row.get(0)?, row.get(1)?);
        let sealed: Option<Vec<u8>> = row.get(2)?;
        let record = opened(sealed.as_deref(), &id, seal)?.unwrap_or(plain);
        let made: Checkpoint = serde_json::from_str(&record)?;
        let checkpoint = Checkpoint { tag: row.get(3)?, pinned: row.get(4)?, ..made };
        let (bytes, lost) = (column::count(row, 5)?, row.get(6)?);
        checkpoints.push(Row { checkpoint, record, bytes, lost });
    }
    let plans = rows::plans(db, "WHERE project_id = ?1", [&of], seal)?;
    let mut find =
        db.prepare_cached("SELECT path, leaf, sealed FROM written WHERE project_id = ?1")?;
    let mut found = find.query([&of])?;
    let mut written = Vec::new();
    while let Some(row) = found.next()? {
        let sealed: Option<Vec<u8>> = row.get(2)?;
        written.push(match opened(sealed.as_deref(), &of, seal)? {
            Some(said) => serde_json::from_str(&said)?,
            None => SealedWritten { path: row.get(0)?, leaf: column::optional_json(row, 1)? },
        });
    }
    Ok(Carried { checkpoints, plans, written })
}

/// Puts them.
pub(super) fn put(
    db: &Connection,
    project: ProjectId,
    carried: &Carried,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    let of = column::text(project);
    let mut insert = db.prepare_cached(
        "INSERT INTO checkpoints (id, project_id, created_at, tag, pinned, bytes, record, sealed, \
         lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for Row { checkpoint, record, bytes, lost } in &carried.checkpoints {
        let (record, sealed) = rows::record(checkpoint, record.clone(), seal)?;
        insert.execute(params![
            column::text(checkpoint.id),
            of,
            column::nanoseconds(checkpoint.created_at),
            checkpoint.tag,
            checkpoint.pinned,
            column::integer(*bytes),
            record,
            sealed,
            lost,
        ])?;
    }
    for plan in &carried.plans {
        rows::insert_plan(db, project, plan, seal)?;
    }
    for SealedWritten { path, leaf } in &carried.written {
        rows::put_written(db, &of, path, leaf.as_ref(), seal)?;
    }
    Ok(())
}

/// The tables with rows of a project, each with its columns.
const TABLES: [(&str, &str); 3] = [
    ("checkpoints", "id, project_id, created_at, tag, pinned, bytes, record, sealed, lost"),
    ("plans", "id, project_id, begun, finished_at, plan, sealed"),
    ("written", "project_id, path, leaf, sealed"),
];

/// The rows of each.
pub(super) type AsTheyAre = [Vec<Vec<Value>>; 3];

/// Takes them, sealed or not.
pub(super) fn as_they_are(db: &Connection, project: ProjectId) -> Result<AsTheyAre, Fault> {
    let mut all = AsTheyAre::default();
    for ((table, columns), taken) in TABLES.iter().zip(&mut all) {
        let select = format!("SELECT {columns} FROM {table} WHERE project_id = ?1");
        let mut find = db.prepare_cached(&select)?;
        let many = find.column_count();
        let rows = find.query_map([column::text(project)], |row| {
            (0..many).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<Value>>>()
        })?;
        *taken = rows.collect::<rusqlite::Result<_>>()?;
    }
    Ok(all)
}

/// Puts them in the place of what is there. What the checkpoints hold is not here.
pub(super) fn put_as_they_are(
    db: &Connection,
    project: ProjectId,
    all: &AsTheyAre,
) -> Result<(), Fault> {
    if all.iter().all(Vec::is_empty) {
        return Ok(());
    }
    forget(db, project)?;
    for ((table, columns), rows) in TABLES.iter().zip(all) {
        for row in rows {
            let places = vec!["?"; row.len()].join(", ");
            let insert = format!("INSERT INTO {table} ({columns}) VALUES ({places})");
            db.prepare_cached(&insert)?.execute(params_from_iter(row))?;
        }
    }
    db.execute("UPDATE checkpoints SET lost = 1 WHERE project_id = ?1", [column::text(project)])?;
    Ok(())
}

/// Takes them away.
pub(super) fn forget(db: &Connection, project: ProjectId) -> Result<(), Fault> {
    let of = column::text(project);
    for delete in [
        "DELETE FROM checkpoints WHERE project_id = ?1",
        "DELETE FROM plans WHERE project_id = ?1",
        "DELETE FROM written WHERE project_id = ?1",
    ] {
        db.prepare_cached(delete)?.execute([&of])?;
    }
    Ok(())
}

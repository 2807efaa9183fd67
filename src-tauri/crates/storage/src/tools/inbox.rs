//! The table of lines that models want to be remembered and the person has not answered.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::{InboxId, ProjectId};
use siltstone_engine::tool::InboxRecord;

use crate::column;
use crate::fault::Fault;

const COLUMNS: &str =
    "id, project_id, conversation_id, message_id, text, why, for_all_projects, at";

/// Of a conversation that is not in the trash.
const OUTSIDE_TRASH: &str = "EXISTS (SELECT 1 FROM conversations c \
     WHERE c.id = conversation_id AND c.deleted_at IS NULL)";

fn from_row(row: &Row<'_>) -> rusqlite::Result<InboxRecord> {
    Ok(InboxRecord {
        id: column::id(row, 0)?,
        project_id: column::optional_id(row, 1)?,
        conversation_id: column::id(row, 2)?,
        message_id: column::id(row, 3)?,
        text: row.get(4)?,
        why: row.get(5)?,
        for_all_projects: row.get(6)?,
        at: column::time(row, 7)?,
    })
}

/// Whether a line reads as one.
pub(crate) fn is_readable(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, &format!("SELECT {COLUMNS} FROM inbox WHERE id = ?1"), id, from_row)
}

/// Lines of a project and of conversations without one, oldest first; none of a conversation in the trash.
pub(super) fn list(db: &Connection, project: Option<ProjectId>) -> Result<Vec<InboxRecord>, Fault> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM inbox WHERE (project_id IS NULL OR project_id = ?1) \
         AND {OUTSIDE_TRASH} ORDER BY at, id"
    ))?;
    let rows = statement.query_map([column::optional_text(project)], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds a line.
pub(super) fn put(db: &Connection, record: &InboxRecord) -> Result<(), Fault> {
    db.prepare_cached(&format!(
        "INSERT INTO inbox ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    ))?
    .execute(params![
        column::text(record.id),
        column::optional_text(record.project_id),
        column::text(record.conversation_id),
        column::text(record.message_id),
        record.text,
        record.why,
        record.for_all_projects,
        column::nanoseconds(record.at),
    ])?;
    Ok(())
}

/// Takes a line out; `None` if there was none.
pub(super) fn take(db: &Connection, id: InboxId) -> Result<Option<InboxRecord>, Fault> {
    Ok(db
        .prepare_cached(&format!(
            "DELETE FROM inbox WHERE id = ?1 AND {OUTSIDE_TRASH} RETURNING {COLUMNS}"
        ))?
        .query_row([column::text(id)], from_row)
        .optional()?)
}

/// Lines of a project that is about to be forgotten stay when they are about all projects.
pub(crate) fn release(db: &Connection, project: ProjectId) -> Result<(), Fault> {
    db.prepare_cached(
        "UPDATE inbox SET project_id = NULL WHERE project_id = ?1 AND for_all_projects",
    )?
    .execute([column::text(project)])?;
    Ok(())
}

//! The table of lines that models and agents want to be remembered and the person has not answered.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::{InboxId, ProjectId};
use siltstone_engine::tool::InboxRecord;

use crate::column;
use crate::fault::Fault;

const COLUMNS: &str =
    "id, project_id, conversation_id, message_id, text, why, for_all_projects, at, sender";

/// Of no conversation, or of one that is not in the trash.
const OUTSIDE_TRASH: &str = "(conversation_id IS NULL OR EXISTS (SELECT 1 FROM conversations c \
     WHERE c.id = conversation_id AND c.deleted_at IS NULL))";

fn from_row(row: &Row<'_>) -> rusqlite::Result<InboxRecord> {
    Ok(InboxRecord {
        id: column::id(row, 0)?,
        project_id: column::optional_id(row, 1)?,
        conversation_id: column::optional_id(row, 2)?,
        message_id: column::optional_id(row, 3)?,
        text: row.get(4)?,
        why: row.get(5)?,
        for_all_projects: row.get(6)?,
        at: column::time(row, 7)?,
        from: row.get(8)?,
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
    put_within(db, record, u64::MAX).map(drop)
}

/// Adds a line, unless so many of agents wait; whether it was added. One statement, so that of two processes that add
/// the last one, one does.
pub(super) fn put_within(db: &Connection, record: &InboxRecord, most: u64) -> Result<bool, Fault> {
    let added = db
        .prepare_cached(&format!(
            "INSERT INTO inbox ({COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 \
             WHERE (SELECT count(*) FROM inbox WHERE sender IS NOT NULL) < ?10"
        ))?
        .execute(params![
            column::text(record.id),
            column::optional_text(record.project_id),
            column::optional_text(record.conversation_id),
            column::optional_text(record.message_id),
            record.text,
            record.why,
            record.for_all_projects,
            column::nanoseconds(record.at),
            record.from,
            column::integer(most),
        ])?;
    Ok(added == 1)
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

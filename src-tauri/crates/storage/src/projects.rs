//! The table of projects.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::project::{Project, Trust};

use crate::column;
use crate::fault::{Fault, not_found};
use crate::finder::notes;
use crate::search;
use crate::tools::inbox;

const SELECT: &str = "SELECT id, path, name, trust, opened_at, this_computer_only, exclude, identity, copy \
     FROM projects";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: column::id(row, 0)?,
        path: row.get(1)?,
        name: row.get(2)?,
        trust: column::name(row, 3)?,
        opened_at: column::time(row, 4)?,
        this_computer_only: row.get(5)?,
        exclude: row.get_ref(6)?.as_str()?.lines().map(str::to_owned).collect(),
        identity: row.get(7)?,
        copy: column::optional_json(row, 8)?,
    })
}

/// Whether a project reads as one.
pub(crate) fn is_readable(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE id = ?1"), id, from_row)
}

/// Adds a project or changes the one at its path, which keeps its id.
pub(crate) fn put(db: &Connection, project: &Project) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO projects (id, path, name, trust, opened_at, this_computer_only, exclude, \
         identity, copy) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
         ON CONFLICT (path) DO UPDATE SET name = excluded.name, trust = excluded.trust, \
         opened_at = excluded.opened_at, this_computer_only = excluded.this_computer_only, \
         exclude = excluded.exclude, identity = excluded.identity, copy = excluded.copy",
    )?
    .execute(params![
        column::text(project.id),
        project.path,
        project.name,
        column::to_name(&project.trust)?,
        column::nanoseconds(project.opened_at),
        project.this_computer_only,
        project.exclude.join("\n"),
        project.identity,
        project.copy.as_ref().map(column::to_json).transpose()?,
    ])?;
    Ok(())
}

/// One project.
pub(crate) fn get(db: &Connection, id: ProjectId) -> Result<Project, Fault> {
    db.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
        .query_row([column::text(id)], from_row)
        .optional()?
        .ok_or_else(|| not_found("project", id))
}

/// The project at a real path.
pub(crate) fn at(db: &Connection, path: &str) -> Result<Option<Project>, Fault> {
    Ok(db
        .prepare_cached(&format!("{SELECT} WHERE path = ?1"))?
        .query_row([path], from_row)
        .optional()?)
}

/// All projects, the last opened first.
pub(crate) fn list(db: &Connection) -> Result<Vec<Project>, Fault> {
    let mut statement = db.prepare_cached(&format!("{SELECT} ORDER BY opened_at DESC, id DESC"))?;
    let rows = statement.query_map([], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Changes the person's answer.
pub(crate) fn set_trust(db: &Connection, id: ProjectId, trust: Trust) -> Result<(), Fault> {
    let changed = db
        .prepare_cached("UPDATE projects SET trust = ?2 WHERE id = ?1")?
        .execute([column::text(id), column::to_name(&trust)?])?;
    if changed == 0 {
        return Err(not_found("project", id));
    }
    Ok(())
}

/// Gives conversations, lines of memory and proposals of a project to another one.
pub(crate) fn hand_over(db: &Connection, from: ProjectId, to: ProjectId) -> Result<(), Fault> {
    let moved = "SELECT id FROM conversations WHERE project_id = ?1";
    let mut conversations = db.prepare_cached(moved)?;
    let conversations = conversations
        .query_map([column::text(from)], |row| column::id(row, 0))?
        .collect::<rusqlite::Result<Vec<ConversationId>>>()?;
    for table in ["conversations", "memory_lines", "inbox"] {
        db.prepare_cached(&format!("UPDATE {table} SET project_id = ?2 WHERE project_id = ?1"))?
            .execute([column::text(from), column::text(to)])?;
    }
    // Where something is found is a part of what it is found by.
    for id in conversations {
        search::index_again(db, id)?;
    }
    let of_it = "DELETE FROM notes WHERE project_id = ?1 AND kind <> 'decision'";
    db.execute(of_it, [column::text(from)])?;
    notes::fill(db)
}

/// Removes a project; its conversations stay, without one.
pub(crate) fn remove(db: &Connection, id: ProjectId) -> Result<(), Fault> {
    inbox::release(db, id)?;
    let removed =
        db.prepare_cached("DELETE FROM projects WHERE id = ?1")?.execute([column::text(id)])?;
    if removed == 0 {
        return Err(not_found("project", id));
    }
    Ok(())
}

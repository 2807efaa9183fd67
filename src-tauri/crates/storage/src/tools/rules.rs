//! The tables of remembered answers about tools, and of projects in which commands may be run.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::{ProjectId, RuleId};
use siltstone_engine::tool::approval::Rule;

use crate::column;
use crate::fault::Fault;

const SELECT: &str =
    "SELECT id, project_id, tool, fingerprint, scope, verdict, created_at FROM tool_rules";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Rule> {
    Ok(Rule {
        id: column::id(row, 0)?,
        project_id: column::optional_id(row, 1)?,
        tool: row.get(2)?,
        fingerprint: row.get(3)?,
        scope: column::json(row, 4)?,
        verdict: column::name(row, 5)?,
        created_at: column::time(row, 6)?,
    })
}

/// Whether a rule reads as one.
pub(crate) fn is_readable(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE id = ?1"), id, from_row)
}

/// Rules of a project and those of all, oldest first.
pub(super) fn list(db: &Connection, project: Option<ProjectId>) -> Result<Vec<Rule>, Fault> {
    let mut statement = db.prepare_cached(&format!(
        "{SELECT} WHERE project_id IS NULL OR project_id = ?1 ORDER BY created_at, id"
    ))?;
    let rows = statement.query_map([column::optional_text(project)], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds a rule.
pub(super) fn put(db: &Connection, rule: &Rule) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO tool_rules (id, project_id, tool, fingerprint, scope, verdict, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        column::text(rule.id),
        column::optional_text(rule.project_id),
        rule.tool,
        rule.fingerprint,
        column::to_json(&rule.scope)?,
        column::to_name(&rule.verdict)?,
        column::nanoseconds(rule.created_at),
    ])?;
    Ok(())
}

/// Removes a rule, and says which it was.
pub(super) fn remove(db: &Connection, id: RuleId) -> Result<Option<Rule>, Fault> {
    let removed = db
        .prepare_cached(
            "DELETE FROM tool_rules WHERE id = ?1 \
             RETURNING id, project_id, tool, fingerprint, scope, verdict, created_at",
        )?
        .query_row([column::text(id)], from_row)
        .optional()?;
    Ok(removed)
}

/// Whether commands may be run in a project.
pub(super) fn commands_allowed(db: &Connection, project: ProjectId) -> Result<bool, Fault> {
    let found = db
        .prepare_cached("SELECT 1 FROM commands_allowed WHERE project_id = ?1")?
        .query_row([column::text(project)], |_| Ok(()))
        .optional()?;
    Ok(found.is_some())
}

/// Says whether they may.
pub(super) fn allow_commands(
    db: &Connection,
    project: ProjectId,
    allowed: bool,
) -> Result<(), Fault> {
    let sql = if allowed {
        "INSERT INTO commands_allowed (project_id) VALUES (?1) ON CONFLICT DO NOTHING"
    } else {
        "DELETE FROM commands_allowed WHERE project_id = ?1"
    };
    db.prepare_cached(sql)?.execute([column::text(project)])?;
    Ok(())
}

//! The table of MCP servers. Their secrets are with the keys and not here.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::tool::mcp::McpServer;

use crate::column;
use crate::fault::Fault;

const SELECT: &str = "SELECT project_id, name, transport, offered, trusted, instructions_trusted, agreed FROM mcp_servers";

fn from_row(row: &Row<'_>) -> rusqlite::Result<McpServer> {
    Ok(McpServer {
        project_id: column::optional_id(row, 0)?,
        name: row.get(1)?,
        transport: column::json(row, 2)?,
        on: row.get(3)?,
        trusted: row.get(4)?,
        instructions_trusted: row.get(5)?,
        agreed: column::json(row, 6)?,
    })
}

/// Whether a server reads as one.
pub(crate) fn is_readable(db: &Connection, seq: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE seq = ?1"), seq, from_row)
}

/// Servers of a project and those of all, by name; of the same name the project's own first.
pub(super) fn list(db: &Connection, project: Option<ProjectId>) -> Result<Vec<McpServer>, Fault> {
    let mut statement = db.prepare_cached(&format!(
        "{SELECT} WHERE project_id IS NULL OR project_id = ?1 ORDER BY name, project_id IS NULL"
    ))?;
    let rows = statement.query_map([column::optional_text(project)], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds a server or changes the one of this project and name.
pub(super) fn put(db: &Connection, server: &McpServer) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO mcp_servers (project_id, name, transport, offered, trusted, instructions_trusted, agreed) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (coalesce(project_id, ''), name) DO UPDATE SET \
         transport = excluded.transport, offered = excluded.offered, trusted = excluded.trusted, \
         instructions_trusted = excluded.instructions_trusted, \
         agreed = excluded.agreed",
    )?
    .execute(params![
        column::optional_text(server.project_id),
        server.name,
        column::to_json(&server.transport)?,
        server.on,
        server.trusted,
        server.instructions_trusted,
        column::to_json(&server.agreed)?,
    ])?;
    Ok(())
}

/// Removes a server; `false` if there was none.
pub(super) fn remove(
    db: &Connection,
    project: Option<ProjectId>,
    name: &str,
) -> Result<bool, Fault> {
    let removed = db
        .prepare_cached("DELETE FROM mcp_servers WHERE project_id IS ?1 AND name = ?2")?
        .execute(params![column::optional_text(project), name])?;
    Ok(removed > 0)
}

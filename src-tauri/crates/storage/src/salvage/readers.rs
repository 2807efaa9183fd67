//! Whether rows read as what they should be: the tables that the program reads row by row, each with its own reader.
//! Damage within a text leaves a whole database and may leave a row that says nothing; one of them stands in the way of
//! whatever lists its table. Conversations and messages are not here: they are mended and not only set aside.

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::{
    egress, keys, memory, projects, providers, queue, sessions, settings, summaries, tools, turns,
};

/// Whether the row of a table that has this key reads as what it should be.
type Reads = fn(&Connection, &Value) -> bool;

/// Tables with what tells their rows apart.
const READERS: [(&str, &str, Reads); 18] = [
    ("turns", "rowid", turns::is_readable),
    ("summaries", "rowid", summaries::is_readable),
    ("settings", "id", settings::is_readable),
    ("projects", "id", projects::is_readable),
    ("providers", "name", providers::is_readable),
    ("keys_shown", "account", keys::is_readable),
    ("queue", "seq", queue::is_readable),
    ("egress", "seq", egress::is_readable),
    ("memory_versions", "seq", memory::is_version),
    ("memory_files", memory::FILE, memory::is_file),
    ("memory_lines", "id", memory::is_line),
    ("sessions", "project_id", sessions::is_session),
    ("session_proposals", "id", sessions::is_proposal),
    ("session_told", "conversation_id", sessions::is_told),
    ("run_nodes", "seq", tools::nodes::is_readable),
    ("tool_rules", "id", tools::rules::is_readable),
    ("mcp_servers", "seq", tools::servers::is_readable),
    ("inbox", "id", tools::inbox::is_readable),
];

/// A row that says nothing that can be understood.
pub(crate) struct Senseless {
    pub(crate) table: &'static str,
    /// The column, or the expression, that tells the rows of the table apart, and what it is for this one.
    pub(crate) key: (&'static str, Value),
}

/// Reads every row of every table.
pub(crate) fn senseless(db: &Connection) -> rusqlite::Result<Vec<Senseless>> {
    let mut found = Vec::new();
    for (table, key, is_readable) in READERS {
        let mut statement = db.prepare(&format!("SELECT {key} FROM {table}"))?;
        let rows: Vec<Value> =
            statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let rows = rows.into_iter().filter(|row| !is_readable(db, row));
        found.extend(rows.map(|row| Senseless { table, key: (key, row) }));
    }
    Ok(found)
}

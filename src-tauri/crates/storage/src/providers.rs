//! The table of providers the person added.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use siltstone_engine::provider::ProviderRecord;

use crate::column;
use crate::fault::Fault;

const SELECT: &str = "SELECT name, kind, base_url FROM providers";

fn from_row(row: &Row<'_>) -> rusqlite::Result<ProviderRecord> {
    Ok(ProviderRecord { name: row.get(0)?, kind: column::name(row, 1)?, base_url: row.get(2)? })
}

/// Whether a provider reads as one.
pub(crate) fn is_readable(db: &Connection, name: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE name = ?1"), name, from_row)
}

/// All of them, by name.
pub(crate) fn list(db: &Connection) -> Result<Vec<ProviderRecord>, Fault> {
    let mut statement = db.prepare_cached(&format!("{SELECT} ORDER BY name"))?;
    let rows = statement.query_map([], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds or changes one.
pub(crate) fn put(db: &Connection, provider: &ProviderRecord) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO providers (name, kind, base_url) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![provider.name, column::to_name(&provider.kind)?, provider.base_url])?;
    Ok(())
}

/// Removes one; `false` if there was none.
pub(crate) fn remove(db: &Connection, name: &str) -> Result<bool, Fault> {
    let removed = db.prepare_cached("DELETE FROM providers WHERE name = ?1")?.execute([name])?;
    Ok(removed > 0)
}

//! The person's settings: one row of JSON, in which a missing field takes its default.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row};
use siltstone_engine::settings::Settings;

use crate::column;
use crate::fault::Fault;

const SELECT: &str = "SELECT value FROM settings WHERE id = ?1";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Settings> {
    column::json(row, 0)
}

/// Whether settings read as such.
pub(crate) fn is_readable(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, SELECT, id, from_row)
}

/// The settings, or their defaults before any was changed.
pub(crate) fn get(db: &Connection) -> Result<Settings, Fault> {
    let stored = db.prepare_cached(SELECT)?.query_row([1], from_row).optional()?;
    Ok(stored.unwrap_or_default())
}

/// Stores the settings.
pub(crate) fn put(db: &Connection, settings: &Settings) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR REPLACE INTO settings (id, value) VALUES (1, ?1)")?
        .execute([column::to_json(settings)?])?;
    Ok(())
}

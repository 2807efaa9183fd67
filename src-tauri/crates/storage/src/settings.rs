//! The person's settings: one row of JSON, in which a missing field takes its default.

use rusqlite::{Connection, OptionalExtension};
use siltstone_engine::settings::Settings;

use crate::column;
use crate::fault::Fault;

/// The settings, or their defaults before any was changed.
pub(crate) fn get(db: &Connection) -> Result<Settings, Fault> {
    let stored = db
        .prepare_cached("SELECT value FROM settings WHERE id = 1")?
        .query_row([], |row| column::json(row, 0))
        .optional()?;
    Ok(stored.unwrap_or_default())
}

/// Stores the settings.
pub(crate) fn put(db: &Connection, settings: &Settings) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR REPLACE INTO settings (id, value) VALUES (1, ?1)")?
        .execute([column::to_json(settings)?])?;
    Ok(())
}

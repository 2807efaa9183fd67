//! The person's settings: one row of JSON, in which a missing field takes its default. They are asked for dozens of times
//! while a request is composed, so they are kept as they were read until somebody commits anything.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row};
use siltstone_engine::ports::StoreError;
use siltstone_engine::settings::Settings;

use crate::column;
use crate::connection::Database;
use crate::fault::Fault;

const SELECT: &str = "SELECT value FROM settings WHERE id = ?1";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Settings> {
    column::json(row, 0)
}

/// Whether settings read as such.
pub(crate) fn is_readable(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, SELECT, id, from_row)
}

/// The settings as they were read last, and the state of the database that they were read in.
#[derive(Default)]
pub(crate) struct Known(Mutex<Option<(i64, Arc<Settings>)>>);

impl Known {
    /// The settings, which are read where anything was committed since.
    pub(crate) fn get(&self, database: &Database) -> Result<Arc<Settings>, StoreError> {
        let state = database.state()?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, settings)) = &*known
            && Some(*at) == state
        {
            return Ok(settings.clone());
        }
        let settings = Arc::new(database.read(|db| get(db))?);
        *known = state.map(|state| (state, settings.clone()));
        Ok(settings)
    }
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

#[cfg(test)]
mod tests {
    use siltstone_engine::Timestamp;
    use siltstone_engine::ports::Records;
    use siltstone_engine::settings::Language;

    use super::*;
    use crate::Store;

    #[test]
    fn settings_are_read_once_until_anybody_commits() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        let (store, other) = (open(), open());
        let read = || store.settings.get(&store.database).unwrap();
        let first = read();
        assert!(Arc::ptr_eq(&first, &read()));
        for (by, zoom) in [(&store, 110), (&other, 120), (&store, 130)] {
            let settings = Settings { zoom, language: Language::Ko, ..Settings::default() };
            by.put_settings(&settings).unwrap();
            assert_eq!(store.settings().unwrap(), settings);
            assert_eq!(other.settings().unwrap(), settings);
            assert!(Arc::ptr_eq(&read(), &read()));
        }
    }

    #[test]
    fn changes_at_the_same_moment_are_all_kept() {
        const EACH: usize = 20;
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        let stores = [open(), open(), open()];
        std::thread::scope(|scope| {
            for (which, store) in stores.iter().enumerate() {
                scope.spawn(move || {
                    for n in 0..EACH {
                        let mut add = |it: &mut Settings| it.tools.off.push(format!("{which}-{n}"));
                        store.change_settings(&mut add).unwrap();
                    }
                });
            }
        });
        let mut kept = stores[0].settings().unwrap().tools.off;
        kept.sort();
        kept.dedup();
        assert_eq!(kept.len(), stores.len() * EACH);
    }
}

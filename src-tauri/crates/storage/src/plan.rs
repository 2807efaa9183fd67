//! How the database goes about a query, for tests that hold it to an index.

use rusqlite::Transaction;
use siltstone_engine::Timestamp;

use crate::Store;

/// The steps of a query of two parameters in a new database, a line each.
pub(crate) fn plan(sql: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
    let steps = |db: &Transaction<'_>| {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let steps = statement.query_map([0, 1], |row| row.get::<_, String>(3))?;
        Ok(steps.collect::<rusqlite::Result<Vec<_>>>()?.join("\n"))
    };
    store.database.read(steps).unwrap()
}

//! The table of what is shown of keys. The keys are elsewhere and never pass through here.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use siltstone_engine::keys::{Account, KeyShown};

use crate::column;
use crate::fault::Fault;

const SELECT: &str = "SELECT account, place, last_four FROM keys_shown";

fn from_row(row: &Row<'_>) -> rusqlite::Result<(Account, KeyShown)> {
    let shown = KeyShown { place: column::name(row, 1)?, last_four: row.get(2)? };
    Ok((Account::from_text(row.get(0)?), shown))
}

/// Whether what is shown of a key reads as such.
pub(crate) fn is_readable(db: &Connection, account: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE account = ?1"), account, from_row)
}

/// All of them, by account.
pub(crate) fn list(db: &Connection) -> Result<Vec<(Account, KeyShown)>, Fault> {
    let mut statement = db.prepare_cached(&format!("{SELECT} ORDER BY account"))?;
    let rows = statement.query_map([], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds or changes one.
pub(crate) fn put(db: &Connection, account: &Account, shown: &KeyShown) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO keys_shown (account, place, last_four) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![account.as_str(), column::to_name(&shown.place)?, shown.last_four])?;
    Ok(())
}

/// Removes one; `false` if there was none.
pub(crate) fn remove(db: &Connection, account: &Account) -> Result<bool, Fault> {
    let removed = db
        .prepare_cached("DELETE FROM keys_shown WHERE account = ?1")?
        .execute([account.as_str()])?;
    Ok(removed > 0)
}

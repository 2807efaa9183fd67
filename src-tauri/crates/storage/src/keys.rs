//! The table of what is shown of keys. The keys are elsewhere and never pass through here.

use rusqlite::{Connection, params};
use siltstone_engine::keys::{Account, KeyShown};

use crate::column;
use crate::fault::Fault;

/// All of them, by account.
pub(crate) fn list(db: &Connection) -> Result<Vec<(Account, KeyShown)>, Fault> {
    let mut statement =
        db.prepare_cached("SELECT account, place, last_four FROM keys_shown ORDER BY account")?;
    let rows = statement.query_map([], |row| {
        let shown = KeyShown { place: column::name(row, 1)?, last_four: row.get(2)? };
        Ok((Account::from_text(row.get(0)?), shown))
    })?;
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

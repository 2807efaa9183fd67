//! The table of providers the person added.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use siltstone_engine::offers::Offers;
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

/// Adds or changes one; of a changed one nothing is known that an agent said.
pub(crate) fn put(db: &Connection, provider: &ProviderRecord) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO providers (name, kind, base_url) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![provider.name, column::to_name(&provider.kind)?, provider.base_url])?;
    Ok(())
}

/// What an agent offers, as it said.
pub(crate) fn offers(db: &Connection, name: &str) -> Result<Offers, Fault> {
    let mut statement = db.prepare_cached("SELECT offers FROM providers WHERE name = ?1")?;
    let mut rows = statement.query([name])?;
    let Some(row) = rows.next()? else { return Ok(Offers::default()) };
    let said: Option<String> = row.get(0)?;
    // It says it again when it is started; what no longer reads is no reason for anything to fail.
    Ok(said.and_then(|said| serde_json::from_str(&said).ok()).unwrap_or_default())
}

/// Keeps what an agent offers.
pub(crate) fn put_offers(db: &Connection, name: &str, offers: &Offers) -> Result<(), Fault> {
    db.prepare_cached("UPDATE providers SET offers = ?2 WHERE name = ?1")?
        .execute(params![name, column::to_json(offers)?])?;
    Ok(())
}

/// Removes one; `false` if there was none.
pub(crate) fn remove(db: &Connection, name: &str) -> Result<bool, Fault> {
    let removed = db.prepare_cached("DELETE FROM providers WHERE name = ?1")?.execute([name])?;
    Ok(removed > 0)
}

//! The table of providers the person added.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use siltstone_engine::offers::OffersAt;
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

/// What an agent offers, as it said, by place.
pub(crate) fn offers(db: &Connection, agent: &str) -> Result<Vec<OffersAt>, Fault> {
    let mut statement =
        db.prepare_cached("SELECT project_id, told FROM agent_offers WHERE agent = ?1")?;
    let mut rows = statement.query([agent])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let said = row.get_ref(1)?.as_str().ok().and_then(|it| serde_json::from_str(it).ok());
        // It says it again when it is started: what does not read is no reason for anything to fail.
        if let (Ok(project_id), Some(told)) = (column::optional_id(row, 0), said) {
            found.push(OffersAt { project_id, told });
        }
    }
    Ok(found)
}

/// Keeps what an agent offers at a place, if it is still that one.
pub(crate) fn put_offers(
    db: &Connection,
    agent: &ProviderRecord,
    OffersAt { project_id, told }: &OffersAt,
) -> Result<(), Fault> {
    let mut same =
        db.prepare_cached("SELECT 1 FROM providers WHERE name = ?1 AND base_url = ?2")?;
    if !same.exists([&agent.name, &agent.base_url])? {
        return Ok(());
    }
    let place = column::optional_text(*project_id);
    db.prepare_cached("DELETE FROM agent_offers WHERE agent = ?1 AND project_id IS ?2")?
        .execute(params![agent.name, place])?;
    db.prepare_cached("INSERT INTO agent_offers (agent, project_id, told) VALUES (?1, ?2, ?3)")?
        .execute(params![agent.name, place, column::to_json(told)?])?;
    Ok(())
}

/// Removes one; `false` if there was none.
pub(crate) fn remove(db: &Connection, name: &str) -> Result<bool, Fault> {
    let removed = db.prepare_cached("DELETE FROM providers WHERE name = ?1")?.execute([name])?;
    Ok(removed > 0)
}

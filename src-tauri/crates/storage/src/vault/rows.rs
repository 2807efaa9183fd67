//! Rows of homes, files, versions and spans.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::vault::{Agent, AgentHome, KeptFile, Place, SessionFacts};

use crate::column;
use crate::fault::{Fault, not_found};

/// Bytes of a version that are one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) object: ObjectId,
}

fn home_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<AgentHome>> {
    let (agent, root) = (row.get::<_, String>(column)?, row.get(column + 1)?);
    Ok(Agent::named(&agent).map(|agent| AgentHome { agent, root }))
}

/// The homes with a yes. Those of an agent that only a newer version knows wait for that.
pub(super) fn agreed(db: &Transaction<'_>) -> Result<Vec<AgentHome>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT agent, root FROM homes WHERE agreed_at IS NOT NULL ORDER BY agent, root",
    )?;
    let rows = find.query_map([], |row| home_of(row, 0))?;
    Ok(rows.flat_map(Result::transpose).collect::<rusqlite::Result<_>>()?)
}

/// The number of a home, which is given when it has none.
pub(super) fn home(db: &Connection, home: &AgentHome) -> Result<i64, Fault> {
    let (agent, root) = (home.agent.name(), &home.root);
    db.prepare_cached(
        "INSERT INTO homes (agent, root) VALUES (?1, ?2) ON CONFLICT (agent, root) DO NOTHING",
    )?
    .execute(params![agent, root])?;
    let mut find = db.prepare_cached("SELECT id FROM homes WHERE agent = ?1 AND root = ?2")?;
    Ok(find.query_row(params![agent, root], |row| row.get(0))?)
}

/// The number of a file, if it is kept.
pub(super) fn file(db: &Connection, home: i64, path: &str) -> Result<Option<i64>, Fault> {
    let mut find = db.prepare_cached("SELECT id FROM files WHERE home = ?1 AND path = ?2")?;
    Ok(find.query_row(params![home, path], |row| row.get(0)).optional()?)
}

/// All files with their newest version.
pub(super) fn files(db: &Transaction<'_>) -> Result<Vec<KeptFile>, Fault> {
    kept(db, "", [])
}

/// Those of a place.
pub(super) fn files_at(db: &Transaction<'_>, place: &Place) -> Result<Vec<KeptFile>, Fault> {
    let Some(home) = home_if_there(db, &place.home)? else { return Ok(Vec::new()) };
    let (from, before) = bounds(place);
    let of = "WHERE files.home = ?1 AND files.path >= ?2 AND files.path < ?3";
    let mut found = kept(db, of, params![home, from, before])?;
    found.retain(|file| place.has(&file.path));
    Ok(found)
}

/// The file of a home whose name ends like this. What could be more than a name is none.
pub(super) fn file_named(
    db: &Transaction<'_>,
    home: &AgentHome,
    name: &str,
) -> Result<Option<KeptFile>, Fault> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let Some(home) = home_if_there(db, home)? else { return Ok(None) };
    if name.is_empty() || !name.bytes().all(is_plain) {
        return Ok(None);
    }
    let of = "WHERE files.home = ?1 AND files.path GLOB ?2";
    Ok(kept(db, of, params![home, format!("*[-_]{name}.*")])?.pop())
}

/// Between which paths those of a place lie; others may, too.
pub(super) fn bounds(place: &Place) -> (&str, String) {
    let last = if place.path.is_empty() { char::MAX } else { '0' };
    (&place.path, format!("{}{last}", place.path))
}

fn kept(
    db: &Transaction<'_>,
    of: &str,
    bounds: impl rusqlite::Params,
) -> Result<Vec<KeptFile>, Fault> {
    let mut find = db.prepare_cached(&format!(
        "SELECT files.id, agent, root, path, COUNT(*), MAX(number), kept_at, gone_at, seen_bytes, \
         facts.version, facts.bytes, facts.reader, \
         (SELECT COALESCE(MAX(at + bytes), 0) FROM spans WHERE version = versions.id) \
         FROM files JOIN homes ON homes.id = files.home JOIN versions ON versions.file = files.id \
         LEFT JOIN facts ON facts.file = files.id {of} \
         GROUP BY files.id ORDER BY agent, root, path",
    ))?;
    let rows = find.query_map(bounds, |row| {
        let Some(home) = home_of(row, 1)? else { return Ok(None) };
        let bytes = column::count(row, 12)?;
        let understood = match row.get::<_, Option<u32>>(9)? {
            Some(version) => Some((version, column::count(row, 10)?, row.get(11)?)),
            None => None,
        };
        let gone_at = column::optional_time(row, 7)?;
        Ok(Some(KeptFile {
            id: column::count(row, 0)?,
            home,
            path: row.get(3)?,
            versions: row.get(4)?,
            bytes,
            kept_at: column::time(row, 6)?,
            gone_at,
            cut: match gone_at {
                Some(_) => 0,
                None => bytes.saturating_sub(column::count(row, 8)?),
            },
            understood,
        }))
    })?;
    Ok(rows.flat_map(Result::transpose).collect::<rusqlite::Result<_>>()?)
}

/// The newest version of a file: its row and its number.
pub(super) fn newest(db: &Connection, file: i64) -> Result<Option<(i64, u32)>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT id, number FROM versions WHERE file = ?1 ORDER BY number DESC LIMIT 1",
    )?;
    Ok(find.query_row([file], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// The spans of a version by its row, in order.
pub(super) fn spans_of(db: &Connection, version: i64) -> Result<Vec<Span>, Fault> {
    let mut find =
        db.prepare_cached("SELECT at, bytes, object FROM spans WHERE version = ?1 ORDER BY at")?;
    let rows = find.query_map([version], |row| {
        Ok(Span {
            at: column::count(row, 0)?,
            bytes: column::count(row, 1)?,
            object: ObjectId::from_bytes(row.get(2)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The spans of a version of a file, the newest one unless one is named.
pub(super) fn spans(
    db: &Transaction<'_>,
    file: u64,
    version: Option<u32>,
) -> Result<Vec<Span>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT id FROM versions WHERE file = ?1 AND (?2 IS NULL OR number = ?2) \
         ORDER BY number DESC LIMIT 1",
    )?;
    let found = find.query_row(params![column::integer(file), version], |row| row.get(0));
    match found.optional()? {
        Some(version) => spans_of(db, version),
        None => Err(not_found("kept version", version.unwrap_or(1))),
    }
}

/// Adds spans to a version of a file, which are made if they are not there. Spans that are there stay.
pub(super) fn put_spans(
    db: &Connection,
    file: i64,
    number: u32,
    spans: &[Span],
) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO versions (file, number) VALUES (?1, ?2) ON CONFLICT (file, number) DO NOTHING",
    )?
    .execute(params![file, number])?;
    let mut find = db.prepare_cached("SELECT id FROM versions WHERE file = ?1 AND number = ?2")?;
    let version: i64 = find.query_row(params![file, number], |row| row.get(0))?;
    let mut put = db.prepare_cached(
        "INSERT OR IGNORE INTO spans (version, at, bytes, object) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for span in spans {
        put.execute(params![
            version,
            column::integer(span.at),
            column::integer(span.bytes),
            span.object.as_bytes().as_slice()
        ])?;
    }
    Ok(())
}

/// Remembers that a record in a pack is about a file.
pub(super) fn put_record(db: &Connection, object: ObjectId, file: i64) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR IGNORE INTO records (object, file) VALUES (?1, ?2)")?
        .execute(params![object.as_bytes().as_slice(), file])?;
    Ok(())
}

/// The facts of sessions; what an earlier version wrote in another form is found again by reading the session.
pub(super) fn facts(db: &Transaction<'_>) -> Result<HashMap<u64, SessionFacts>, Fault> {
    let mut find = db.prepare_cached("SELECT file, facts FROM facts")?;
    let rows = find.query_map([], |row| {
        let facts: String = row.get(1)?;
        Ok((column::count(row, 0)?, serde_json::from_str(&facts).ok()))
    })?;
    let rows: Vec<(u64, Option<SessionFacts>)> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(rows.into_iter().filter_map(|(file, facts)| Some((file, facts?))).collect())
}

/// The same of these files alone.
pub(super) fn facts_of(
    db: &Transaction<'_>,
    files: &[u64],
) -> Result<HashMap<u64, SessionFacts>, Fault> {
    let mut find = db.prepare_cached("SELECT facts FROM facts WHERE file = ?1")?;
    let mut found = HashMap::new();
    for file in files {
        let facts = find.query_row([column::integer(*file)], |row| row.get::<_, String>(0));
        let facts = facts.optional()?.and_then(|facts| serde_json::from_str(&facts).ok());
        found.extend(facts.map(|facts| (*file, facts)));
    }
    Ok(found)
}

/// Keeps the facts of a file; `false` where it was forgotten meanwhile.
pub(super) fn put_facts(
    db: &Transaction<'_>,
    file: &KeptFile,
    reader: u32,
    facts: &SessionFacts,
) -> Result<bool, Fault> {
    let put = db
        .prepare_cached(
            "INSERT INTO facts (file, version, bytes, reader, facts, session) \
         SELECT id, ?2, ?3, ?4, ?5, ?6 FROM files WHERE id = ?1 ON CONFLICT (file) DO UPDATE \
         SET version = ?2, bytes = ?3, reader = ?4, facts = ?5, session = ?6",
        )?
        .execute(params![
            column::integer(file.id),
            file.versions,
            column::integer(file.bytes),
            reader,
            column::to_json(facts)?,
            facts.id,
        ])?;
    Ok(put > 0)
}

/// Bytes of all objects that spans name.
pub(super) fn distinct_bytes(db: &Transaction<'_>) -> Result<u64, Fault> {
    let sum = "SELECT COALESCE(SUM(bytes), 0) FROM (SELECT DISTINCT object, bytes FROM spans)";
    Ok(db.query_row(sum, [], |row| column::count(row, 0))?)
}

/// The number of a home, if something was ever kept of it.
pub(super) fn home_if_there(db: &Connection, home: &AgentHome) -> Result<Option<i64>, Fault> {
    let mut find = db.prepare_cached("SELECT id FROM homes WHERE agent = ?1 AND root = ?2")?;
    Ok(find.query_row(params![home.agent.name(), home.root], |row| row.get(0)).optional()?)
}

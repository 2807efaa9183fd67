//! Rows of packs and of the objects in them: where each object is, and how far rows name what a pack holds.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;

use super::folder::Packs;
use super::lock::Seal;
use super::pack::{self, Kind, Record, Stand};
use crate::column;
use crate::fault::Fault;

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pack: i64,
    pub(crate) offset: u64,
    pub(crate) stored: u64,
}

/// Takes in what a pack holds and no row names; `of_record` makes the rows of what is no plain object. A pack of another
/// form is left alone.
pub(crate) fn take_in(
    db: &Transaction<'_>,
    packs: &Packs,
    pack: &str,
    seal: Option<&Seal>,
    of_record: &mut dyn FnMut(Record) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut found = Vec::new();
    let most = pack::MAX_OBJECT + pack::GROWTH;
    let scanned = pack::scan((packs, pack), most, seal, |stand, record| {
        found.push((stand, Some(record).filter(|record| record.kind != Kind::Object)));
        Ok(())
    });
    match scanned {
        Err(StoreError::Damaged { .. }) => return Ok(()),
        other => other?,
    };
    let pack = pack_id(db, pack)?;
    for (Stand { name, offset, bytes: stored }, record) in found {
        put_place(db, name, Place { pack, offset, stored })?;
        put_end(db, pack, offset + stored)?;
        record.map_or(Ok(()), &mut *of_record)?;
    }
    Ok(())
}

/// The number of a pack, which is given when it has none.
pub(crate) fn pack_id(db: &Connection, name: &str) -> Result<i64, Fault> {
    db.prepare_cached("INSERT INTO packs (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")?
        .execute([name])?;
    let mut find = db.prepare_cached("SELECT id FROM packs WHERE name = ?1")?;
    Ok(find.query_row([name], |row| row.get(0))?)
}

/// Where an object is, and the name of its pack.
pub(crate) fn place(db: &Connection, id: ObjectId) -> Result<Option<(Place, String)>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT pack, offset, stored, name FROM objects JOIN packs ON packs.id = objects.pack \
         WHERE objects.id = ?1",
    )?;
    let found = find.query_row([id.as_bytes().as_slice()], |row| {
        let place = Place {
            pack: row.get(0)?,
            offset: column::count(row, 1)?,
            stored: column::count(row, 2)?,
        };
        Ok((place, row.get(3)?))
    });
    Ok(found.optional()?)
}

/// Remembers where an object is, unless that is known.
pub(crate) fn put_place(db: &Connection, id: ObjectId, place: Place) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO objects (id, pack, offset, stored) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        id.as_bytes().as_slice(),
        place.pack,
        column::integer(place.offset),
        column::integer(place.stored),
    ])?;
    Ok(())
}

/// Remembers that rows name records of a pack up to there.
pub(crate) fn put_end(db: &Connection, pack: i64, end: u64) -> Result<(), Fault> {
    db.prepare_cached("UPDATE packs SET ends = MAX(ends, ?2) WHERE id = ?1")?
        .execute(params![pack, column::integer(end)])?;
    Ok(())
}

/// What rows need of a pack: the names of objects there, and their places.
pub(crate) fn objects_of(db: &Connection, pack: &str) -> Result<Vec<(ObjectId, u64)>, Fault> {
    let mut find = db.prepare_cached(
        "SELECT id, offset FROM objects WHERE pack = (SELECT id FROM packs WHERE name = ?1) \
         ORDER BY offset",
    )?;
    let rows = find
        .query_map([pack], |row| Ok((ObjectId::from_bytes(row.get(0)?), column::count(row, 1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Where each pack ends as far as rows name its records; the newest pack first.
pub(crate) fn ends(db: &Connection) -> Result<Vec<(String, u64)>, Fault> {
    let mut find =
        db.prepare_cached("SELECT name, ends FROM packs WHERE ends > 0 ORDER BY id DESC LIMIT 8")?;
    let rows = find.query_map([], |row| Ok((row.get(0)?, column::count(row, 1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The same of one pack.
pub(crate) fn end_of(db: &Connection, name: &str) -> Result<Option<u64>, Fault> {
    let mut find = db.prepare_cached("SELECT ends FROM packs WHERE name = ?1")?;
    Ok(find.query_row([name], |row| column::count(row, 0)).optional()?)
}

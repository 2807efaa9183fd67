//! Reading everything again: whether every byte of every version is where it was put, and is what it was.

use std::collections::HashMap;

use rusqlite::Transaction;
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;
use siltstone_engine::vault::VaultFault;

use super::pass::CANCELLED;
use super::{Opened, rows};
use crate::fault::Fault;

/// A version, and what it is made of.
struct Version {
    file: usize,
    number: u32,
    spans: Vec<rows::Span>,
}

pub(super) fn verify(
    opened: &Opened,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<VaultFault>, StoreError> {
    let (files, versions) = opened.database.read(|db| {
        let files = rows::files(db)?;
        let versions = versions(db, &files.iter().map(|file| file.id).collect::<Vec<_>>())?;
        Ok((files, versions))
    })?;
    let mut bad = Vec::new();
    let mut read: HashMap<ObjectId, Option<String>> = HashMap::new();
    for Version { file, number, spans } in versions {
        let mut end = 0;
        for span in spans {
            let fault = match read.get(&span.object) {
                Some(known) => known.clone(),
                None => {
                    if !go_on(span.bytes) {
                        return Err(StoreError::Conflict { what: CANCELLED });
                    }
                    let fault = look(opened, span)?;
                    read.insert(span.object, fault.clone());
                    fault
                }
            };
            let fault = fault.or_else(|| (span.at != end).then(|| String::from(GAP)));
            if let Some(detail) = fault {
                let (agent, path) = (files[file].home.agent, files[file].path.clone());
                bad.push(VaultFault { agent, path, version: number, at: span.at, detail });
            }
            end = span.at + span.bytes;
        }
    }
    Ok(bad)
}

const GAP: &str = "bytes before it are not named any more";

/// What is wrong with a span.
fn look(opened: &Opened, span: rows::Span) -> Result<Option<String>, StoreError> {
    match opened.shelf.get(&opened.database, span.object) {
        // Its hash was compared; its length may still be another one than the row says.
        Ok(bytes) if bytes.len() as u64 == span.bytes => Ok(None),
        Ok(bytes) => Ok(Some(format!("{} bytes are there", bytes.len()))),
        Err(error @ (StoreError::Damaged { .. } | StoreError::NotFound { .. })) => {
            Ok(Some(error.to_string()))
        }
        Err(error) => Err(error),
    }
}

fn versions(db: &Transaction<'_>, files: &[u64]) -> Result<Vec<Version>, Fault> {
    let places: HashMap<u64, usize> =
        files.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let mut find = db.prepare("SELECT id, file, number FROM versions ORDER BY file, number")?;
    let rows = find.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?, crate::column::count(row, 1)?, row.get::<_, u32>(2)?))
    })?;
    let rows: Vec<(i64, u64, u32)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut versions = Vec::new();
    for (id, file, number) in rows {
        if let Some(file) = places.get(&file) {
            versions.push(Version { file: *file, number, spans: rows::spans_of(db, id)? });
        }
    }
    Ok(versions)
}

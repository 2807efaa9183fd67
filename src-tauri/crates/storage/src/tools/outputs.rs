//! The tables of long results and of the conversations that keep them. A text is there once, compressed, and goes with the
//! last conversation that keeps it; no other conversation can read it, however well its hash is guessed.

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::StoreError;

use super::zipped;
use crate::column;
use crate::fault::{Fault, not_found};

/// What programs write compresses well at any level, and a turn waits for it.
const LEVEL: i32 = 3;

/// A text as it is stored.
pub(super) struct Zipped {
    /// BLAKE3 of the text, hexadecimal.
    pub(super) hash: String,
    size: u64,
    bytes: Vec<u8>,
}

/// A text as it is stored.
pub(super) fn zip(text: &str) -> Result<Zipped, StoreError> {
    let bytes = zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(zipped)?;
    Ok(Zipped { hash: ObjectId::of(text.as_bytes()).to_string(), size: text.len() as u64, bytes })
}

/// A text as it was.
pub(super) fn unzip(size: u64, bytes: &[u8]) -> Result<String, StoreError> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let text = zstd::bulk::decompress(bytes, size).map_err(zipped)?;
    String::from_utf8(text).map_err(zipped)
}

/// Keeps a text for a conversation.
pub(super) fn keep(
    db: &Connection,
    id: ConversationId,
    output: &Zipped,
    now: Timestamp,
) -> Result<(), Fault> {
    db.prepare_cached("INSERT OR IGNORE INTO outputs (hash, size, text) VALUES (?1, ?2, ?3)")?
        .execute(params![output.hash, column::integer(output.size), output.bytes])?;
    db.prepare_cached(
        "INSERT INTO outputs_kept (conversation_id, hash, at) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![column::text(id), output.hash, column::nanoseconds(now)])?;
    Ok(())
}

/// A text that this conversation keeps, with its size.
pub(super) fn get(
    db: &Connection,
    id: ConversationId,
    hash: &str,
) -> Result<(u64, Vec<u8>), Fault> {
    db.prepare_cached(
        "SELECT size, text FROM outputs_kept JOIN outputs USING (hash) \
         WHERE conversation_id = ?1 AND hash = ?2",
    )?
    .query_row(params![column::text(id), hash], |row| Ok((column::count(row, 0)?, row.get(1)?)))
    .optional()?
    .ok_or_else(|| not_found("output", hash))
}

/// Ends the keeping of everything that a conversation keeps.
pub(crate) fn release_all(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    let kept: Vec<String> = db
        .prepare_cached("DELETE FROM outputs_kept WHERE conversation_id = ?1 RETURNING hash")?
        .query_map([column::text(id)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut remove = db.prepare_cached(
        "DELETE FROM outputs WHERE hash = ?1 \
         AND NOT EXISTS (SELECT 1 FROM outputs_kept WHERE hash = ?1)",
    )?;
    for hash in kept {
        remove.execute([hash])?;
    }
    Ok(())
}

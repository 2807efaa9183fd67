//! The tables of blobs and of the conversations that keep them. Bytes are there once, however many messages name them,
//! and go with the last conversation that keeps them.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::attachment::Blob;
use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::Part;

use crate::column;
use crate::conversations;
use crate::fault::{Fault, conflict, not_found};

/// What a pasted text is kept as while it is in a draft; what is sent says it itself.
const PASTED: &str = "text/plain";

/// Keeps bytes for a conversation.
pub(crate) fn keep(
    db: &Connection,
    id: ConversationId,
    part: &Part,
    bytes: &[u8],
) -> Result<(), Fault> {
    let (hash, media_type) = match part {
        Part::Image { hash, media_type, .. } | Part::File { hash, media_type, .. } => {
            (hash, media_type.as_str())
        }
        Part::Pasted { hash, .. } => (hash, PASTED),
        _ => return Err(conflict("only pictures, files and pasted texts have bytes")),
    };
    db.prepare_cached("INSERT OR IGNORE INTO blobs (hash, media_type, bytes) VALUES (?1, ?2, ?3)")?
        .execute(params![hash, media_type, bytes])?;
    db.prepare_cached("INSERT OR IGNORE INTO attachments (conversation_id, hash) VALUES (?1, ?2)")?
        .execute(params![column::text(id), hash])?;
    Ok(())
}

/// Keeps bytes for a conversation and puts their part into its draft, once.
pub(crate) fn attach(
    db: &Connection,
    id: ConversationId,
    part: &Part,
    bytes: &[u8],
) -> Result<(), Fault> {
    let mut draft = conversations::get(db, id)?.draft_attachments;
    keep(db, id, part, bytes)?;
    if !draft.iter().any(|there| there.attached_hash() == part.attached_hash()) {
        draft.push(part.clone());
        set_draft(db, id, draft)?;
    }
    Ok(())
}

/// Takes a part out of a conversation's draft.
pub(crate) fn detach(db: &Connection, id: ConversationId, hash: &str) -> Result<(), Fault> {
    let mut draft = conversations::get(db, id)?.draft_attachments;
    draft.retain(|part| part.attached_hash() != Some(hash));
    set_draft(db, id, draft)?;
    release(db, id, hash)
}

fn set_draft(db: &Connection, id: ConversationId, draft: Vec<Part>) -> Result<(), Fault> {
    let patch = ConversationPatch { draft_attachments: Some(draft), ..Default::default() };
    conversations::update(db, id, &patch)
}

/// Ends the keeping of bytes that nothing in the conversation names any more.
pub(crate) fn release(db: &Connection, id: ConversationId, hash: &str) -> Result<(), Fault> {
    db.prepare_cached(
        "DELETE FROM attachments WHERE conversation_id = ?1 AND hash = ?2 \
         AND NOT EXISTS (SELECT 1 FROM conversations WHERE id = ?1 AND instr(draft_attachments, ?2)) \
         AND (EXISTS (SELECT 1 FROM blobs WHERE hash = ?2 AND media_type = ?3) OR NOT ( \
         EXISTS (SELECT 1 FROM queue WHERE conversation_id = ?1 AND instr(attachments, ?2)) \
         OR EXISTS (SELECT 1 FROM messages WHERE conversation_id = ?1 AND instr(parts, ?2))))",
    )?
    .execute(params![column::text(id), hash, PASTED])?;
    remove_unkept(db, hash)
}

/// Ends the keeping of everything that a conversation keeps.
pub(crate) fn release_all(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    let kept: Vec<String> = db
        .prepare_cached("DELETE FROM attachments WHERE conversation_id = ?1 RETURNING hash")?
        .query_map([column::text(id)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    kept.iter().try_for_each(|hash| remove_unkept(db, hash))
}

/// Deletes the bytes if no conversation keeps them.
fn remove_unkept(db: &Connection, hash: &str) -> Result<(), Fault> {
    db.prepare_cached(
        "DELETE FROM blobs WHERE hash = ?1 \
         AND NOT EXISTS (SELECT 1 FROM attachments WHERE hash = ?1)",
    )?
    .execute([hash])?;
    Ok(())
}

/// The bytes under a hash.
pub(crate) fn get(db: &Connection, hash: &str) -> Result<Blob, Fault> {
    db.prepare_cached("SELECT media_type, bytes FROM blobs WHERE hash = ?1")?
        .query_row([hash], |row| {
            let bytes: Arc<[u8]> = row.get_ref(1)?.as_blob()?.into();
            Ok(Blob { media_type: row.get(0)?, bytes })
        })
        .optional()?
        .ok_or_else(|| not_found("attachment", hash))
}

/// How many bytes there are under a hash.
pub(crate) fn size(db: &Connection, hash: &str) -> Result<u64, Fault> {
    db.prepare_cached("SELECT length(bytes) FROM blobs WHERE hash = ?1")?
        .query_row([hash], |row| column::count(row, 0))
        .optional()?
        .ok_or_else(|| not_found("attachment", hash))
}

//! The table of messages that wait for the reply before them to end.

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::conversation::QueuedMessage;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::Part;

use crate::blobs;
use crate::column;
use crate::fault::Fault;

/// Adds a message behind those that wait already.
pub(crate) fn add(
    db: &Connection,
    conversation: ConversationId,
    message: &QueuedMessage,
) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO queue (id, conversation_id, text, attachments) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        column::text(message.id),
        column::text(conversation),
        message.text,
        column::to_json(&message.attachments)?,
    ])?;
    Ok(())
}

/// Messages that wait, oldest first.
pub(crate) fn list(
    db: &Connection,
    conversation: ConversationId,
) -> Result<Vec<QueuedMessage>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT id, text, attachments FROM queue WHERE conversation_id = ?1 ORDER BY seq",
    )?;
    let rows = statement.query_map([column::text(conversation)], |row| {
        Ok(QueuedMessage {
            id: column::id(row, 0)?,
            text: row.get(1)?,
            attachments: column::json(row, 2)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Takes one out, and what it alone attached; `false` if it was gone already.
pub(crate) fn remove(db: &Connection, message: MessageId) -> Result<bool, Fault> {
    let removed = db
        .prepare_cached("DELETE FROM queue WHERE id = ?1 RETURNING conversation_id, attachments")?
        .query_row([column::text(message)], |row| {
            Ok((column::id::<ConversationId>(row, 0)?, column::json::<Vec<Part>>(row, 1)?))
        })
        .optional()?;
    let Some((conversation, attachments)) = removed else { return Ok(false) };
    for hash in attachments.iter().filter_map(Part::attached_hash) {
        blobs::release(db, conversation, hash)?;
    }
    Ok(true)
}

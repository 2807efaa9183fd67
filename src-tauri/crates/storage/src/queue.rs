//! The table of messages that wait for the reply before them to end.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::conversation::QueuedMessage;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::Part;

use crate::blobs;
use crate::column;
use crate::fault::Fault;

const SELECT: &str = "SELECT id, text, attachments FROM queue";

fn from_row(row: &Row<'_>) -> rusqlite::Result<QueuedMessage> {
    Ok(QueuedMessage {
        id: column::id(row, 0)?,
        text: row.get(1)?,
        attachments: column::json(row, 2)?,
    })
}

/// Whether a message reads as one.
pub(crate) fn is_readable(db: &Connection, seq: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE seq = ?1"), seq, from_row)
}

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
    let mut statement =
        db.prepare_cached(&format!("{SELECT} WHERE conversation_id = ?1 ORDER BY seq"))?;
    let rows = statement.query_map([column::text(conversation)], from_row)?;
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

//! The table of recorded conversations, one a language.

use rusqlite::{Connection, OptionalExtension};
use siltstone_engine::ids::ConversationId;

use crate::column;
use crate::fault::Fault;

/// The conversation recorded in this language, if it still exists.
pub(crate) fn get(db: &Connection, language: &str) -> Result<Option<ConversationId>, Fault> {
    Ok(db
        .prepare_cached("SELECT conversation_id FROM samples WHERE language = ?1")?
        .query_row([language], |row| column::id(row, 0))
        .optional()?)
}

/// Remembers a conversation in place of the earlier one.
pub(crate) fn put(db: &Connection, language: &str, id: ConversationId) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO samples (language, conversation_id) VALUES (?1, ?2)",
    )?
    .execute([language, &column::text(id)])?;
    Ok(())
}

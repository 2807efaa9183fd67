//! The table of streamed text: appended while a reply is written, joined whenever it is read, gone when it ends.

use rusqlite::{Connection, params};
use siltstone_engine::ids::TurnId;
use siltstone_engine::message::Part;

use crate::column;
use crate::fault::Fault;

/// Adds the next piece of a turn's reply.
pub(crate) fn append(db: &Connection, turn: TurnId, text: &str) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO partials (turn_id, seq, text) \
         SELECT ?1, coalesce(max(seq), 0) + 1, ?2 FROM partials WHERE turn_id = ?1",
    )?
    .execute(params![column::text(turn), text])?;
    Ok(())
}

/// Puts what came so far behind `parts`, into the last text if there is one.
pub(crate) fn join(db: &Connection, turn: TurnId, parts: &mut Vec<Part>) -> Result<(), Fault> {
    let mut statement =
        db.prepare_cached("SELECT text FROM partials WHERE turn_id = ?1 ORDER BY seq")?;
    let mut rows = statement.query([column::text(turn)])?;
    let mut joined = String::new();
    while let Some(row) = rows.next()? {
        joined.push_str(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?);
    }
    if joined.is_empty() {
        return Ok(());
    }
    match parts.last_mut() {
        Some(Part::Text { text }) => text.push_str(&joined),
        _ => parts.push(Part::Text { text: joined }),
    }
    Ok(())
}

/// Forgets the pieces of a turn that ended.
pub(crate) fn remove(db: &Connection, turn: TurnId) -> Result<(), Fault> {
    db.prepare_cached("DELETE FROM partials WHERE turn_id = ?1")?.execute([column::text(turn)])?;
    Ok(())
}

//! Deleting a conversation for ever. A long one goes in steps, between which others may write; the first of them takes it
//! out of every list, so that nobody comes back to half of it, and what a process leaves behind that ends on the way the
//! next one takes up. What it cost stays, as with every one.
//!
//! What others have of it goes in the first step: the bodies and the traces of requests that carried its words, and
//! wishes about its passages; as it goes for a kept session that is forgotten.

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::StoreError;
use siltstone_engine::section::{self, Manifest, PassageOf};
use siltstone_engine::session::Words;
use siltstone_engine::vault::SaidAt;

use crate::fault::{Fault, conflict};
use crate::tools::{nodes, outputs};
use crate::{Store, blobs, column, conversations, egress, messages, search, spending, turns};

/// The time of deletion that says that this was begun. Nobody puts anything into the trash a nanosecond after 1970.
pub(crate) const BEGUN: i64 = 1;

/// Messages of a step.
const STEP: u64 = 2_000;

/// Takes a trashed conversation out of every list, for good, and its words out of what others were sent.
pub(crate) fn begin(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    let conversation = conversations::get(db, id)?;
    if conversation.deleted_at.is_none() {
        return Err(conflict("the conversation is not in the trash"));
    }
    egress::drop_bodies_beside_turns(db, conversation.created_at)?;
    if let Some(project) = conversation.project_id {
        forget_in_others(db, &conversation, &column::text(project))?;
    }
    db.prepare_cached("UPDATE conversations SET deleted_at = ?2 WHERE id = ?1")?
        .execute(params![column::text(id), BEGUN])?;
    Ok(())
}

/// Other conversations of the project may have been sent its words, since it was there.
fn forget_in_others(db: &Connection, gone: &Conversation, project: &str) -> Result<(), Fault> {
    let words = Words::of(gone.id, &messages::all(db, gone.id)?);
    let turns: Vec<String> = db
        .prepare_cached(
            "SELECT t.id FROM turns t JOIN conversations c ON c.id = t.conversation_id \
             WHERE c.project_id = ?1 AND c.id <> ?2 AND coalesce(t.closed_at, t.opened_at) >= ?3",
        )?
        .query_map(
            params![project, column::text(gone.id), column::nanoseconds(gone.created_at)],
            |row| row.get(0),
        )?
        .collect::<rusqlite::Result<_>>()?;
    for turn in &turns {
        let mut any = turns::forget_in_manifest(db, turn, &words)?;
        for (node, stored) in nodes::manifests(db, turn)? {
            let mut manifest = nodes::unzip(&stored)?;
            if manifest.forget(&words) {
                nodes::put_manifest(db, node, &nodes::zip(&manifest)?)?;
                any = true;
            }
        }
        if any {
            egress::drop_bodies_of_turn(db, turn)?;
        }
    }
    conversations::forget_passages(db, Some(project), &|of| {
        of.message().is_some_and(|message| words.has(message))
    })
}

/// Conversations may have been sent what was said in kept sessions that are gone.
pub(crate) fn forget_sessions(
    db: &Connection,
    gone: &dyn Fn(&SaidAt) -> bool,
) -> Result<(), Fault> {
    let gone = |of: &PassageOf| matches!(of, PassageOf::Session(at) if gone(at));
    let mut turns = db.prepare_cached("SELECT id, manifest FROM turns WHERE manifest LIKE ?1")?;
    let found: Vec<(String, Option<Manifest>)> = turns
        .query_map([format!("%{}%", section::SESSION)], |row| {
            Ok((row.get(0)?, column::optional_json(row, 1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (turn, manifest) in found {
        if manifest.is_some_and(|it| it.has_passage(gone)) {
            egress::drop_bodies_of_turn(db, &turn)?;
        }
    }
    conversations::forget_passages(db, None, &gone)
}

/// Deletes the last messages of a conversation with all that hangs on them, and with the first of them the conversation.
/// How many are left.
fn step(db: &Connection, id: ConversationId) -> Result<u64, Fault> {
    let key = column::text(id);
    db.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS going (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
         DELETE FROM going;",
    )?;
    db.prepare_cached(
        "INSERT INTO going SELECT seq, id FROM messages WHERE conversation_id = ?1 \
         ORDER BY idx DESC LIMIT ?2",
    )?
    .execute(params![key, column::integer(STEP)])?;
    let left = db
        .prepare_cached(
            "SELECT (SELECT count(*) FROM messages WHERE conversation_id = ?1) \
             - (SELECT count(*) FROM going)",
        )?
        .query_row([&key], |row| column::count(row, 0))?;
    if left == 0 {
        search::remove_conversation(db, id)?;
        egress::drop_bodies_of(db, id)?;
        spending::keep_costs_of(db, id)?;
        blobs::release_all(db, id)?;
        outputs::release_all(db, id)?;
        db.execute("DELETE FROM conversations WHERE id = ?1", [key])?;
        return Ok(0);
    }
    let of_turns = "SELECT id FROM turns WHERE conversation_id = ?1 \
         AND (user_message_id IN (SELECT id FROM going) OR reply_id IN (SELECT id FROM going))";
    db.execute(&format!("UPDATE egress SET body = NULL WHERE turn_id IN ({of_turns})"), [&key])?;
    spending::keep_costs_of_turns(db, of_turns, &key)?;
    for sql in [
        format!("DELETE FROM turns WHERE id IN ({of_turns})"),
        // Whichever message answers one of these, it goes later.
        String::from(
            "UPDATE messages SET parent_id = NULL \
             WHERE conversation_id = ?1 AND parent_id IN (SELECT id FROM going)",
        ),
        String::from(
            "DELETE FROM vectors WHERE conversation_id = ?1 AND seq IN (SELECT seq FROM going)",
        ),
    ] {
        db.execute(&sql, [&key])?;
    }
    db.execute("DELETE FROM message_index WHERE rowid IN (SELECT seq FROM going)", [])?;
    db.execute("DELETE FROM messages WHERE seq IN (SELECT seq FROM going)", [])?;
    Ok(left)
}

/// A conversation whose deletion was begun.
fn next(db: &Connection) -> Result<Option<ConversationId>, Fault> {
    let found = db
        .prepare_cached("SELECT id FROM conversations WHERE deleted_at = ?1 LIMIT 1")?
        .query_row([BEGUN], |row| column::id(row, 0))
        .optional()?;
    Ok(found)
}

impl Store {
    /// Goes on until nothing is left of what was begun, or `go_on` says no; it hears after each step how many messages of
    /// a conversation are left. At the end what was deleted is written out of the files too.
    pub(crate) fn go_on_purging(
        &self,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), StoreError> {
        if self.database.read(|db| next(db))?.is_none() {
            return Ok(());
        }
        while let Some(id) = self.database.read(|db| next(db))? {
            let left = self.database.write(|db| match next(db)? {
                // Another process was faster.
                Some(still) if still == id => step(db, id),
                _ => Ok(0),
            })?;
            if !go_on(left) {
                return Ok(());
            }
        }
        search::compact(&self.database, "message_index")?;
        search::compact(&self.database, "note_index")?;
        // The WAL still holds the pages as they were; who reads them now lets them go when it ends.
        match self.database.is_wal_emptied()? {
            true => Ok(()),
            false => Err(StoreError::Busy),
        }
    }
}

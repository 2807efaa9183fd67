//! Taking a conversation that is deleted for ever out of checkpoints, and its words out of packs.

use rusqlite::params;
use siltstone_engine::checkpoint::{Checkpoint, ContextState};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::StoreError;

use super::collect;
use super::{Opened, index, rows};
use crate::column;
use crate::packs::pack::Kind;
use crate::packs::sweep::Dead;

/// The checkpoint without the conversation it stood in. What memory was merged to goes with that conversation's lines.
fn without_conversation(mut checkpoint: Checkpoint, lines: &[String]) -> Checkpoint {
    let ContextState { runtime_additions, memory, .. } = &mut checkpoint.context;
    let before = runtime_additions.len();
    runtime_additions.retain(|line| !lines.contains(line));
    if runtime_additions.len() < before {
        *memory = None;
    }
    Checkpoint { conversation: None, ..checkpoint }
}

impl Opened {
    /// Takes a conversation out of the checkpoints that stood in it. Each is changed in a transaction of its own: what
    /// a process leaves behind that ends on the way is changed when the deletion is asked for again.
    pub(super) fn forget_conversation(
        &self,
        id: ConversationId,
        lines: &[String],
    ) -> Result<(), StoreError> {
        let of_it = |it: &Checkpoint| it.conversation.as_ref().is_some_and(|state| state.id == id);
        let all = self.database.read(|db| {
            let seal = self.shelf.lock.reading(db)?;
            rows::all(db, None, seal.as_ref())
        })?;
        let mut any = false;
        for (_, checkpoint) in all.into_iter().filter(|(_, it)| of_it(it)) {
            self.put_changed(&without_conversation(checkpoint, lines))?;
            any = true;
        }
        if any {
            collect::collect(&self.database, &self.shelf, Dead::Goes)?;
            self.database.empty_wal()?;
        }
        Ok(())
    }

    /// Puts a checkpoint in the place of the one with its id.
    fn put_changed(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let record = serde_json::to_vec(checkpoint)
            .map_err(|error| StoreError::Io { detail: error.to_string() })?;
        self.shelf.put(&self.database, Kind::Record, &record)?;
        self.shelf.commit(&self.database, |db, _| {
            let (bytes, lost): (i64, bool) = db
                .prepare_cached("DELETE FROM checkpoints WHERE id = ?1 RETURNING bytes, lost")?
                .query_row([column::text(checkpoint.id)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let seal = self.shelf.lock.writing(db)?;
            index::insert_row(db, checkpoint, bytes.unsigned_abs(), false, seal.as_ref())?;
            db.prepare_cached("UPDATE checkpoints SET lost = ?2 WHERE id = ?1")?
                .execute(params![column::text(checkpoint.id), lost])?;
            Ok(())
        })
    }
}

//! The database of checkpoints: how it is opened, and the rows that are made of what packs hold.

use std::path::Path;

use rusqlite::{Connection, Transaction, params};
use siltstone_engine::checkpoint::Checkpoint;
use siltstone_engine::ports::StoreError;

use super::rows;
use crate::column;
use crate::connection::Database;
use crate::fault::Fault;
use crate::packs::folder::Packs;
use crate::packs::index;
use crate::packs::lock::{self, Fact, Seal};
use crate::packs::opening::Form;

/// The form of the database, and how it is made again.
const FORM: Form = Form {
    file: "checkpoints.db",
    steps: &[
        include_str!("../migrations/checkpoints.sql"),
        include_str!("../migrations/checkpoints_sealing.sql"),
        include_str!("../migrations/checkpoints_places.sql"),
    ],
    take_in: |db, packs, pack| match take_in(db, packs, pack, None) {
        // What is in it is found when the key comes.
        Err(Fault::Store(StoreError::Locked)) => {
            lock::put_fact(db, Some(Fact { due: true, mark: None }))
        }
        taken => taken,
    },
};

/// Opens the database, or makes it: empty, or from the packs that are there.
pub(super) fn open(dir: &Path, packs: &Packs) -> Result<Database, StoreError> {
    FORM.open(dir, packs)
}

/// Opens the database where nothing can be written; without one there are no checkpoints to be seen.
pub(super) fn open_to_read(dir: &Path) -> Result<Database, StoreError> {
    FORM.open_to_read(dir)
}

/// Whether there is a database that says anything.
pub(super) fn is_there(dir: &Path) -> Result<bool, StoreError> {
    FORM.is_there(dir)
}

/// Takes in what a pack holds and no row names; the rows of its checkpoints are not sealed yet. A pack of another form is
/// left alone.
pub(super) fn take_in(
    db: &Transaction<'_>,
    packs: &Packs,
    pack: &str,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    index::take_in(db, packs, pack, seal, &mut |record| match serde_json::from_slice::<Checkpoint>(
        &record.bytes,
    ) {
        Ok(checkpoint) => insert_row(db, &checkpoint, 0, true, None),
        Err(_) => Ok(()),
    })
}

/// Adds the row of a checkpoint; `bytes` are what it added to the packs.
pub(super) fn insert_row(
    db: &Connection,
    checkpoint: &Checkpoint,
    bytes: u64,
    again: bool,
    seal: Option<&Seal>,
) -> Result<(), Fault> {
    let on_conflict = if again { "OR IGNORE " } else { "" };
    let (record, sealed) = rows::record(checkpoint, column::to_json(checkpoint)?, seal)?;
    db.prepare_cached(&format!(
        "INSERT {on_conflict}INTO checkpoints (id, project_id, created_at, tag, pinned, bytes, \
         record, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    ))?
    .execute(params![
        column::text(checkpoint.id),
        column::optional_text(checkpoint.project_id),
        column::nanoseconds(checkpoint.created_at),
        checkpoint.tag,
        checkpoint.pinned,
        column::integer(bytes),
        record,
        sealed,
    ])?;
    Ok(())
}

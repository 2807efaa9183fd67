//! Checkpoints on disk: objects in append-only packs, and a database of their places and of the checkpoints' rows.
//!
//! `checkpoints/packs/*.pack` hold the bytes, each object once over all projects; a pack is full at a size and never
//! changes afterwards. `checkpoints/checkpoints.db` says where each object is. A capture appends to a pack, presses it
//! onto the disk once, and then commits one transaction with the places and the row: a process that dies at any
//! instant leaves every finished checkpoint whole, and at most a tail of a pack that nothing names. The records of
//! checkpoints stand in the packs too, so the database can be made again from them. Where the person wants it, both
//! are sealed, and nothing that was in a file can be read in either without the key. Called through the engine's ports.
//!
//! A project may have a copy of its own in its folder: `copies` writes it, and nothing is read there but what somebody
//! else left, by `found`. What an earlier version kept there alone is brought home by `earlier`.

mod carried;
mod collect;
mod copies;
mod earlier;
mod forget;
mod found;
mod home;
mod index;
mod marker;
mod places;
mod plans;
mod rows;
mod sealing;
mod verify;

use std::path::Path;
use std::sync::Arc;

use siltstone_engine::checkpoint::Sealer;
use siltstone_engine::ports::StoreError;

use crate::connection::Database;
use crate::packs::shelf::Shelf;
use places::Core;

/// The folder of checkpoints in the data folder.
const FOLDER: &str = "checkpoints";

/// The checkpoints of a data folder, and the copies of them in projects' folders.
pub struct CheckpointStore {
    core: Arc<Core>,
}

/// Packs, and the database that knows what is in them.
struct Opened {
    database: Database,
    shelf: Shelf,
}

impl CheckpointStore {
    /// The checkpoints of a data folder, opened when they are first needed: one that cannot be opened keeps nobody from
    /// the conversations, and is tried again at the next call.
    pub fn new(data_dir: &Path, sealer: Arc<dyn Sealer>) -> Self {
        Self { core: Arc::new(Core::new(data_dir.join(FOLDER), sealer, false)) }
    }

    /// Those of a data folder that cannot be written: what is there is read, and nothing is made.
    pub fn to_read(data_dir: &Path, sealer: Arc<dyn Sealer>) -> Self {
        Self { core: Arc::new(Core::new(data_dir.join(FOLDER), sealer, true)) }
    }

    /// The same, opened now. It is made if there is none; a database that is lost or damaged is made again from the
    /// packs, and a damaged one is kept beside it.
    pub fn open(data_dir: &Path, sealer: Arc<dyn Sealer>) -> Result<Self, StoreError> {
        let store = Self::new(data_dir, sealer);
        store.core.home()?;
        Ok(store)
    }
}

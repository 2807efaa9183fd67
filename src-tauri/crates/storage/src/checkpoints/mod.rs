//! Checkpoints on disk: objects in append-only packs, and a database of their places and of the checkpoints' rows.
//!
//! `checkpoints/packs/*.pack` hold the bytes, each object once over all projects; a pack is full at a size and never
//! changes afterwards. `checkpoints/checkpoints.db` says where each object is. A capture appends to a pack, presses it
//! onto the disk once, and then commits one transaction with the places and the row: a process that dies at any
//! instant leaves every finished checkpoint whole, and at most a tail of a pack that nothing names. The records of
//! checkpoints stand in the packs too, so the database can be made again from them. Where the person wants it, both
//! are sealed, and nothing that was in a file can be read in either without the key. Called through the engine's ports.

mod collect;
mod index;
mod lock;
mod pack;
mod rows;
mod sealing;
mod shelf;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use siltstone_engine::checkpoint::Sealer;
use siltstone_engine::ports::StoreError;

use crate::connection::Database;
use crate::files;
use lock::Lock;
use shelf::Shelf;

/// The folder of checkpoints in the data folder.
const FOLDER: &str = "checkpoints";

/// The checkpoints of a data folder.
pub struct CheckpointStore {
    dir: PathBuf,
    sealer: Arc<dyn Sealer>,
    opened: OnceLock<Opened>,
    /// Held while it is opened, so that this is done once.
    opening: Mutex<()>,
}

struct Opened {
    database: Database,
    shelf: Shelf,
}

impl CheckpointStore {
    /// The checkpoints of a data folder, opened when they are first needed: one that cannot be opened keeps nobody from
    /// the conversations, and is tried again at the next call.
    pub fn new(data_dir: &Path, sealer: Arc<dyn Sealer>) -> Self {
        let dir = data_dir.join(FOLDER);
        Self { dir, sealer, opened: OnceLock::new(), opening: Mutex::default() }
    }

    /// The same, opened now. It is made if there is none; a database that is lost or damaged is made again from the
    /// packs, and a damaged one is kept beside it.
    pub fn open(data_dir: &Path, sealer: Arc<dyn Sealer>) -> Result<Self, StoreError> {
        let store = Self::new(data_dir, sealer);
        store.opened()?;
        Ok(store)
    }

    fn opened(&self) -> Result<&Opened, StoreError> {
        let _once = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        files::create_private_dir(&self.dir)?;
        let packs = self.dir.join("packs");
        files::create_private_dir(&packs)?;
        let database = index::open(&self.dir, &packs)?;
        let lock = Lock::new(self.sealer.clone());
        let shelf = Shelf::new(packs, gate_of(&self.dir), lock);
        Ok(self.opened.get_or_init(|| Opened { database, shelf }))
    }
}

/// Held shared by whoever captures, and alone by whoever frees space.
fn gate_of(dir: &Path) -> PathBuf {
    dir.join("collect.lock")
}

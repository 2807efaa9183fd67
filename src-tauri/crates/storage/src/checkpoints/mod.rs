//! Checkpoints on disk: objects in append-only packs, and a database of their places and of the checkpoints' rows.
//!
//! `checkpoints/packs/*.pack` hold the bytes, each object once over all projects; a pack is sealed at a size and never
//! changes afterwards. `checkpoints/checkpoints.db` says where each object is. A capture appends to a pack, presses it
//! onto the disk once, and then commits one transaction with the places and the row: a process that dies at any
//! instant leaves every finished checkpoint whole, and at most a tail of a pack that nothing names. The records of
//! checkpoints stand in the packs too, so the database can be made again from them. Called through the engine's ports.

mod collect;
mod index;
mod pack;
mod rows;
mod shelf;
mod verify;

use std::path::{Path, PathBuf};

use siltstone_engine::ports::StoreError;

use crate::connection::Database;
use crate::files;
use shelf::Shelf;

/// The folder of checkpoints in the data folder.
const FOLDER: &str = "checkpoints";

/// An open store of checkpoints.
pub struct CheckpointStore {
    database: Database,
    shelf: Shelf,
}

impl CheckpointStore {
    /// Opens the checkpoints of a data folder, which are made if there are none. A database that is lost or damaged is
    /// made again from the packs; a damaged one is kept beside it.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let dir = data_dir.join(FOLDER);
        files::create_private_dir(&dir)?;
        let packs = dir.join("packs");
        files::create_private_dir(&packs)?;
        let database = index::open(&dir, &packs)?;
        Ok(Self { database, shelf: Shelf::new(packs, gate_of(&dir)) })
    }
}

/// Held shared by whoever captures, and alone by whoever frees space.
fn gate_of(dir: &Path) -> PathBuf {
    dir.join("collect.lock")
}

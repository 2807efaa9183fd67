//! Opening the data folder, and what is answered while it cannot be opened.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use siltstone_contract::Failure;
use siltstone_engine::ids::TurnId;
use siltstone_engine::ports::{StoreError, Stores};

use crate::World;
use crate::core::failure::Outcome;
use crate::core::standing::Standing;
use crate::core::{Core, locked};

/// The opened stores, or why there are none.
pub(crate) type Opened = Result<Stores, StoreError>;

pub(crate) fn open(world: &World, left_open: &Mutex<Vec<TurnId>>) -> Opened {
    let now = world.clock.now();
    let opened = world.data.open(now)?;
    let writable = opened.read_only.is_none();
    if writable && let Err(error) = Standing::note(&*opened.records, &*world.files) {
        tracing::warn!(%error, "keeping which folders projects are");
    }
    let records = Standing::over(opened.records.clone(), world.files.clone());
    let stores = Stores { records, ..opened };
    if !writable {
        return Ok(stores);
    }
    stores.summaries.recover_summaries(now)?;
    let recovered = stores.transcripts.recover_turns(now)?;
    if !recovered.is_empty() {
        tracing::info!(turns = recovered.len(), "closed turns that a process left open");
        locked(left_open).extend(recovered);
    }
    Ok(stores)
}

impl Core {
    /// The stores, or the failure that every command gives while the database cannot be opened.
    pub(crate) fn stores(&self) -> Result<Stores, Failure> {
        let opened = self.stores.read().unwrap_or_else(PoisonError::into_inner);
        opened.clone().or_failure()
    }

    /// Whether nothing can be kept now, so that what is only kept for later need not be tried.
    pub(crate) fn is_read_only(&self) -> bool {
        self.stores().is_ok_and(|stores| stores.read_only.is_some())
    }
}

/// Where everything is kept unless the person says otherwise: `SILTSTONE_DATA_DIR`, else `siltstone` in the system's
/// folder for application data (`~/.local/share` on Linux).
pub fn default_data_dir() -> Option<PathBuf> {
    match std::env::var_os("SILTSTONE_DATA_DIR") {
        Some(dir) if !dir.is_empty() => Some(PathBuf::from(dir)),
        _ => dirs::data_dir().map(|dir| dir.join("siltstone")),
    }
}

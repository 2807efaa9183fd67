//! Opening the data folder, and what is answered while it cannot be opened.

use std::path::PathBuf;
use std::sync::PoisonError;

use siltstone_contract::{DataState, Failure};
use siltstone_engine::Timestamp;
use siltstone_engine::ports::{DataFolder, StoreError, Stores};

use crate::failure::{self, Outcome};
use crate::{App, World};

/// The opened stores, or why there are none.
pub(crate) type Opened = Result<Stores, StoreError>;

pub(crate) fn open(world: &World) -> Opened {
    let now = world.clock.now();
    let stores = world.data.open(now)?;
    if stores.read_only.is_some() {
        return Ok(stores);
    }
    stores.summaries.recover_summaries(now)?;
    let recovered = stores.transcripts.recover_turns(now)?;
    if !recovered.is_empty() {
        tracing::info!(turns = recovered.len(), "closed turns that a process left open");
    }
    Ok(stores)
}

impl App {
    /// The stores, or the failure that every command gives while the database cannot be opened.
    pub(crate) fn stores(&self) -> Result<Stores, Failure> {
        let opened = self.0.stores.read().unwrap_or_else(PoisonError::into_inner);
        opened.clone().or_failure()
    }

    /// Tries again to open what could not be opened, or only to be read: the person may have mended it. Whether it can be
    /// written since.
    pub(crate) fn reopen(&self) -> bool {
        let mut opened = self.0.stores.write().unwrap_or_else(PoisonError::into_inner);
        let is_to_read = match &*opened {
            Ok(stores) if stores.read_only.is_none() => return false,
            Ok(_) => true,
            Err(_) => false,
        };
        let again = open(&self.0.world);
        let is_writable = again.as_ref().is_ok_and(|stores| stores.read_only.is_none());
        // What can be read stays open until something better is.
        if is_writable || !is_to_read {
            *opened = again;
        }
        is_to_read && is_writable
    }

    /// Whether nothing can be kept now, so that what is only kept for later need not be tried.
    pub(crate) fn is_read_only(&self) -> bool {
        self.stores().is_ok_and(|stores| stores.read_only.is_some())
    }

    pub(crate) fn data_state(&self) -> DataState {
        let opened = self.0.stores.read().unwrap_or_else(PoisonError::into_inner);
        match &*opened {
            Ok(stores) => match &stores.read_only {
                Some(detail) => DataState::ReadOnly { detail: detail.clone() },
                None => DataState::Open,
            },
            Err(error @ StoreError::Damaged { .. }) => {
                DataState::Damaged { detail: error.to_string() }
            }
            Err(error @ StoreError::Newer { .. }) => DataState::Newer { detail: error.to_string() },
            Err(error) => DataState::Unavailable { detail: error.to_string() },
        }
    }

    /// Puts something in the place of a database that could not be opened, and opens that.
    pub(crate) fn replace(
        &self,
        put: impl FnOnce(&dyn DataFolder, Timestamp) -> Result<(), StoreError>,
    ) -> Result<(), Failure> {
        let mut opened = self.0.stores.write().unwrap_or_else(PoisonError::into_inner);
        if opened.is_ok() {
            return Err(failure::conflict("the database is open and needs no repair"));
        }
        put(self.0.world.data.as_ref(), self.now()).or_failure()?;
        *opened = open(&self.0.world);
        opened.as_ref().map(|_| ()).map_err(|error| failure::of_store(error.clone()))
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

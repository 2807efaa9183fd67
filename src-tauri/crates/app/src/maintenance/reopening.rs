//! What is done about a database that cannot be opened, or of which something cannot be read.

use std::sync::PoisonError;

use siltstone_contract::{DataState, Failure};
use siltstone_engine::Timestamp;
use siltstone_engine::ports::{DataFolder, StoreError};

use crate::core::data::open;
use crate::core::failure::{self, Outcome};
use crate::core::locked;
use crate::maintenance::MaintenanceService;

impl MaintenanceService {
    /// Tries again to open what could not be opened, or only to be read: the person may have mended it. Whether it can be
    /// written since.
    pub(crate) fn reopen(&self) -> bool {
        // Whoever puts something in its place opens that.
        let Ok(_alone) = self.mending.try_lock() else { return false };
        let mut opened = self.core.stores.write().unwrap_or_else(PoisonError::into_inner);
        let is_to_read = match &*opened {
            Ok(stores) if stores.read_only.is_none() => return false,
            Ok(_) => true,
            Err(_) => false,
        };
        let again = open(&self.core.world, &self.core.left_open);
        let is_writable = again.as_ref().is_ok_and(|stores| stores.read_only.is_none());
        // What can be read stays open until something better is.
        if is_writable || !is_to_read {
            *opened = again;
        }
        is_to_read && is_writable
    }

    pub(crate) fn data_state(&self) -> DataState {
        let opened = self.core.stores.read().unwrap_or_else(PoisonError::into_inner);
        match &*opened {
            Ok(stores) => match &stores.read_only {
                Some(detail) => DataState::ReadOnly { detail: detail.clone() },
                None => match self.core.world.data.damage() {
                    Some(detail) => DataState::PartlyDamaged { detail },
                    None => DataState::Open,
                },
            },
            Err(error @ StoreError::Damaged { .. }) => {
                DataState::Damaged { detail: error.to_string() }
            }
            Err(error @ StoreError::Newer { .. }) => DataState::Newer { detail: error.to_string() },
            Err(error) => DataState::Unavailable { detail: error.to_string() },
        }
    }

    /// Puts something in the place of a database that could not be opened, or of which something cannot be read, and
    /// opens that. What is open is let go of before, and opened again where nothing took its place.
    pub(crate) fn replace(
        &self,
        put: impl FnOnce(&dyn DataFolder, Timestamp) -> Result<(), StoreError>,
    ) -> Result<(), Failure> {
        let _alone = locked(&self.mending);
        self.let_go()?;
        let done = put(self.core.world.data.as_ref(), self.core.now()).or_failure();
        let again = open(&self.core.world, &self.core.left_open);
        let wrong = again.as_ref().err().cloned();
        *self.core.stores.write().unwrap_or_else(PoisonError::into_inner) = again;
        done?;
        wrong.map_or(Ok(()), |error| Err(failure::of_store(error)))
    }

    /// Lets go of an open database of which something cannot be read; any other is kept.
    fn let_go(&self) -> Result<(), Failure> {
        let mut opened = self.core.stores.write().unwrap_or_else(PoisonError::into_inner);
        if opened.is_err() {
            return Ok(());
        }
        let Some(detail) = self.core.world.data.damage() else {
            return Err(failure::conflict("the database is open and needs no repair"));
        };
        if !self.core.live.is_idle() || !self.folding.jobs.is_idle() {
            return Err(failure::conflict("a reply or a summary is on its way"));
        }
        let path = self.core.options.data_dir.display().to_string();
        *opened = Err(StoreError::Damaged { path, detail });
        drop(opened);
        self.forget_read();
        Ok(())
    }

    /// Forgets what was read from a database that another one takes the place of.
    pub(crate) fn forget_read(&self) {
        self.folding.ledgers.forget();
        locked(&self.turns.held).clear();
    }
}

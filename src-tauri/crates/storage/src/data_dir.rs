//! The port for the folder itself: opening it, and its backups while it cannot be opened.

use std::path::PathBuf;
use std::sync::Arc;

use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{Sealer, Space};
use siltstone_engine::ports::{DataFolder, StoreError, Stores};

use crate::{CheckpointStore, Store, fault, files};

/// A data folder by its path. Hosts make one and hand it to the app.
#[derive(Clone)]
pub struct DataDir {
    dir: PathBuf,
    sealer: Arc<dyn Sealer>,
}

impl DataDir {
    /// The folder at `dir`, which need not exist yet.
    pub fn new(dir: PathBuf, sealer: Arc<dyn Sealer>) -> Self {
        Self { dir, sealer }
    }
}

impl DataFolder for DataDir {
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError> {
        let store = Arc::new(Store::open(&self.dir, now)?);
        // Off the way of the first window: a large database takes seconds to copy.
        let copied = store.clone();
        std::thread::spawn(move || {
            if let Err(error) = copied.backup_if_due(now) {
                tracing::warn!(%error, "making the daily backup");
            }
        });
        let checkpoints = Arc::new(CheckpointStore::new(&self.dir, self.sealer.clone()));
        Ok(Stores {
            transcripts: store.clone(),
            records: store.clone(),
            passages: store.clone(),
            finder: store.clone(),
            spending: store.clone(),
            summaries: store.clone(),
            contexts: store.clone(),
            memory: store.clone(),
            sessions: store.clone(),
            tools: store.clone(),
            egress: store,
            checkpoints: checkpoints.clone(),
            objects: checkpoints.clone(),
            sealing: checkpoints,
        })
    }

    fn backups(&self) -> Result<Vec<String>, StoreError> {
        let found = Store::backups(&self.dir)?;
        let names = found.iter().filter_map(|backup| backup.path.file_name());
        Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
    }

    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError> {
        let known = Store::backups(&self.dir)?;
        let named = |path: &PathBuf| path.file_name().is_some_and(|found| found == name);
        let Some(backup) = known.into_iter().map(|backup| backup.path).find(named) else {
            return Err(StoreError::NotFound { what: "backup", id: name.to_owned() });
        };
        Store::restore_backup(&self.dir, &backup, now)
    }

    fn put_files(&self, folder: &str, files: &[(&str, &[u8])]) -> Result<String, StoreError> {
        let folder = self.dir.join(folder);
        for (name, bytes) in files {
            files::put_if_missing(&folder.join(name), bytes)?;
        }
        Ok(folder.to_string_lossy().into_owned())
    }

    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError> {
        Store::start_anew(&self.dir, now)
    }

    fn space(&self) -> Result<Space, StoreError> {
        let stats = fs4::statvfs(&self.dir).map_err(|error| fault::io(&self.dir, &error))?;
        Ok(Space { free: stats.available_space(), total: stats.total_space() })
    }
}

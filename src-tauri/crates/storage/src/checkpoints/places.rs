//! Where checkpoints lie: all of them in the data folder, and copies of some projects' in their own folders.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use siltstone_engine::checkpoint::Sealer;
use siltstone_engine::ports::StoreError;

use super::found::packs_of;
use super::marker::{self, Marker};
use super::{Opened, index};
use crate::fault::io;
use crate::files;
use crate::held::Held;
use crate::packs::folder::Packs;
use crate::packs::lock::Lock;
use crate::packs::shelf::Shelf;

/// All places of a data folder.
pub(super) struct Core {
    dir: PathBuf,
    sealer: Arc<dyn Sealer>,
    /// Whether nothing can be written here.
    pub(super) read_only: bool,
    home: OnceLock<Arc<Opened>>,
    /// Held while it is opened, so that this is done once.
    opening: Mutex<()>,
    /// Whether something that an earlier version kept elsewhere waits for the key.
    pub(super) waits: AtomicBool,
}

impl Core {
    pub(super) fn new(dir: PathBuf, sealer: Arc<dyn Sealer>, read_only: bool) -> Self {
        let (home, opening, waits) = (OnceLock::new(), Mutex::default(), AtomicBool::default());
        Self { dir, sealer, read_only, home, opening, waits }
    }

    /// The folder in the data folder.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Held shared by whoever captures, and alone by whoever frees space.
    fn gate(&self) -> PathBuf {
        self.dir.join("collect.lock")
    }

    /// Held alone by whoever restores.
    fn restores(&self) -> PathBuf {
        self.dir.join("restore.lock")
    }

    /// Waits until nobody else restores.
    pub(super) fn restore_alone(&self) -> Result<Held, StoreError> {
        let path = self.restores();
        Held::alone(files::open_private(&path)?).map_err(|error| io(&path, &error))
    }

    /// Reads what no restore changes meanwhile; nothing while one is under way.
    pub(super) fn unless_restoring<T>(
        &self,
        read: impl FnOnce() -> Result<Vec<T>, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let path = self.restores();
        if self.read_only && !path.exists() {
            return read();
        }
        let file = match self.read_only {
            true => File::open(&path).map_err(|error| io(&path, &error))?,
            false => files::open_private(&path)?,
        };
        match Held::try_shared(file) {
            Err(TryLockError::WouldBlock) => Ok(Vec::new()),
            // A file system without locks: what is under way is shown as cut off rather than the other way round.
            Err(TryLockError::Error(_)) => read(),
            Ok(_none) => read(),
        }
    }

    /// What counts. What an earlier version kept elsewhere is brought there first.
    pub(super) fn home(&self) -> Result<Arc<Opened>, StoreError> {
        let _once = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(home) = self.home.get() {
            return Ok(home.clone());
        }
        let home = self.opened(&self.dir, Packs::Here(self.dir.join("packs")))?;
        self.bring_home(&home)?;
        Ok(self.home.get_or_init(|| Arc::new(home)).clone())
    }

    /// What lies in a project's folder, by what is known of it here.
    pub(super) fn beneath(&self, home: &Opened, marker: &Marker) -> Result<Opened, StoreError> {
        let dir = marker::database_dir(&self.dir, marker);
        let opened = self.opened(&dir, packs_of(marker))?;
        opened.shelf.lock.hold(home.shelf.lock.key());
        Ok(opened)
    }

    fn opened(&self, dir: &Path, packs: Packs) -> Result<Opened, StoreError> {
        let database = if self.read_only {
            index::open_to_read(dir)?
        } else {
            files::create_private_dir(dir)?;
            if !packs.is_beneath() {
                packs.make()?;
            }
            index::open(dir, &packs)?
        };
        let shelf = Shelf::new(packs, self.gate(), Lock::new(self.sealer.clone()));
        Ok(Opened { database, shelf })
    }
}

//! The port for the folder itself: opening it, and its backups, also while it cannot be opened.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Backup, BackupKind, BackupPlan};
use siltstone_engine::checkpoint::{Sealer, Space};
use siltstone_engine::ports::{DataFolder, StoreError, Stores};
use siltstone_engine::salvage::{Salvage, SalvagePlan};

use crate::{CheckpointStore, Store, Vault, backup, fault, files, owner, returning, salvage};

/// How often it is looked whether anybody still works with what was opened, and how long it waits between two looks.
const LOOKS: u32 = 3_000;
/// How often it is looked whether a database that is being closed is closed.
const CLOSING: u32 = 250;
const PAUSE: Duration = Duration::from_millis(20);

/// A data folder by its path. Hosts make one and hand it to the app.
#[derive(Clone)]
pub struct DataDir {
    dir: PathBuf,
    sealer: Arc<dyn Sealer>,
    /// What this process opened last: going back to a backup happens inside of it.
    open: Arc<Mutex<Weak<Store>>>,
    beside: Arc<Beside>,
}

/// What is made beside the first window. It ends with the host: a process that ended in the middle of it would leave the
/// database unclosed, and one call of `silt` after the other would begin the backup of the day and none would make it.
#[derive(Default)]
struct Beside {
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Set at the end: the index goes on the next time.
    ends: Arc<AtomicBool>,
}

impl Beside {
    fn begin(&self, work: impl FnOnce() + Send + 'static) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread::spawn(work));
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl DataDir {
    /// The folder at `dir`, which need not exist yet.
    pub fn new(dir: PathBuf, sealer: Arc<dyn Sealer>) -> Self {
        Self { dir, sealer, open: Arc::default(), beside: Arc::default() }
    }

    fn opened(&self) -> MutexGuard<'_, Weak<Store>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named(&self, name: &str) -> Result<backup::Backup, StoreError> {
        let known = Store::backups(&self.dir)?;
        let found = known.into_iter().find(|it| it.path.file_name().is_some_and(|of| of == name));
        found.ok_or_else(|| StoreError::NotFound { what: "backup", id: name.to_owned() })
    }

    fn told(&self, path: &std::path::Path) -> Result<Backup, StoreError> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.named(&name.unwrap_or_default()).map(|backup| returning::told(&backup))
    }

    /// What came of work beside the open database; damage that it met is kept in mind.
    fn noted<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        let open = self.opened().upgrade();
        done.map_err(|error| match open {
            Some(store) => store.noted(error),
            None => error,
        })
    }

    /// Waits until nobody in this process works with a database any more that the host has let go of.
    fn let_go(&self) -> Result<(), StoreError> {
        for _ in 0..LOOKS {
            if self.opened().strong_count() == 0 {
                self.closed();
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
        Err(StoreError::Busy)
    }

    /// Waits while the last one who had it closes it: nobody has it any more from the beginning of that on, and the lock
    /// ends at its end. Whoever else is in the folder stays, and is told of by whoever asks.
    fn closed(&self) {
        for _ in 0..CLOSING {
            if !owner::in_use(&self.dir) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Makes what is due beside the first window.
    fn keep_up(&self, store: &Arc<Store>, now: Timestamp) {
        // Off the way of the first window: a large database takes seconds to copy.
        let copied = store.clone();
        self.beside.begin(move || {
            if let Err(error) = copied.backup_if_due(now).map_err(|error| copied.noted(error)) {
                tracing::warn!(%error, "making the daily backup");
            }
        });
        let (indexed, ends) = (store.clone(), self.beside.ends.clone());
        self.beside.begin(move || {
            if let Err(error) = indexed.complete_index(&mut |_| !ends.load(Ordering::Relaxed)) {
                tracing::warn!(%error, "making the index");
            }
        });
    }
}

impl DataFolder for DataDir {
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError> {
        let store = Arc::new(Store::open(&self.dir, now)?);
        *self.opened() = Arc::downgrade(&store);
        let read_only = store.read_only().map(str::to_owned);
        if read_only.is_none() {
            self.keep_up(&store, now);
        }
        let checkpoints = Arc::new(match read_only {
            None => CheckpointStore::new(&self.dir, self.sealer.clone()),
            Some(_) => CheckpointStore::to_read(&self.dir, self.sealer.clone()),
        });
        let vault = Arc::new(Vault::new(&self.dir, self.sealer.clone(), read_only.is_some()));
        Ok(Stores {
            transcripts: store.clone(),
            records: store.clone(),
            passages: store.clone(),
            finder: store.clone(),
            vectors: store.clone(),
            spending: store.clone(),
            summaries: store.clone(),
            contexts: store.clone(),
            memory: store.clone(),
            sessions: store.clone(),
            tools: store.clone(),
            egress: store,
            checkpoints: checkpoints.clone(),
            places: checkpoints.clone(),
            sealing: checkpoints,
            vault,
            read_only,
        })
    }

    fn backups(&self) -> Result<Vec<Backup>, StoreError> {
        Ok(Store::backups(&self.dir)?.iter().map(returning::told).collect())
    }

    fn back_up(&self, now: Timestamp) -> Result<Backup, StoreError> {
        self.told(&self.noted(backup::write(&self.dir, BackupKind::Asked, now))?)
    }

    fn back_up_if_due(&self, now: Timestamp) -> Result<Option<Backup>, StoreError> {
        let made = self.noted(backup::write_if_due(&self.dir, now))?;
        made.map(|path| self.told(&path)).transpose()
    }

    fn delete_backup(&self, name: &str) -> Result<(), StoreError> {
        let path = self.named(name)?.path;
        std::fs::remove_file(&path).map_err(|error| fault::io(&path, &error))
    }

    fn backup_plan(&self, name: &str) -> Result<BackupPlan, StoreError> {
        returning::plan(&self.dir, &self.named(name)?)
    }

    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError> {
        let backup = self.named(name)?;
        let open = self.opened().upgrade();
        match open {
            Some(store) if store.damage().is_none() => self.noted(store.go_back(&backup.path, now)),
            open => {
                drop(open);
                self.let_go()?;
                Store::restore_backup(&self.dir, &backup.path, now)
            }
        }
    }

    fn damage(&self) -> Option<String> {
        let open = self.opened().upgrade();
        open.and_then(|store| store.damage().map(str::to_owned))
    }

    fn look_whole(&self) -> Result<Option<String>, StoreError> {
        let open = self.opened().upgrade();
        match open {
            Some(store) => Ok(store.look_whole()?.map(str::to_owned)),
            None => Ok(None),
        }
    }

    fn salvage_plan(&self) -> Result<SalvagePlan, StoreError> {
        let open = self.opened().upgrade();
        salvage::plan(&self.dir, open.as_deref())
    }

    fn salvage(&self, backup: Option<&str>, now: Timestamp) -> Result<Salvage, StoreError> {
        let backup = backup.map(|name| self.named(name)).transpose()?;
        // What this process still makes beside the first window ends by itself; whoever else has the database open is told of
        // below.
        let _ = self.let_go();
        salvage::carry_out(&self.dir, backup.as_ref().map(|backup| backup.path.as_path()), now)
    }

    fn put_files(&self, folder: &str, files: &[(&str, &[u8])]) -> Result<String, StoreError> {
        let folder = self.dir.join(folder);
        for (name, bytes) in files {
            files::put_if_missing(&folder.join(name), bytes)?;
        }
        Ok(folder.to_string_lossy().into_owned())
    }

    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError> {
        self.let_go()?;
        Store::start_anew(&self.dir, now)
    }

    fn space(&self) -> Result<Space, StoreError> {
        let stats = fs4::statvfs(&self.dir).map_err(|error| fault::io(&self.dir, &error))?;
        Ok(Space { free: stats.available_space(), total: stats.total_space() })
    }
}

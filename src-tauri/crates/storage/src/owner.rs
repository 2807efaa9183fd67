//! Which processes are alive: each holds the lock of its own file under `owners/` for as long as it runs.
//!
//! The system lets go of a lock when its process ends, however it ends, so a file whose lock can be taken was left by
//! a process that is gone. A process that ends well removes its file; one that stays behind also says that the last
//! shutdown was not clean.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use siltstone_engine::ports::StoreError;
use uuid::Uuid;

use crate::fault::io;
use crate::files;
use crate::held::Held;

const FOLDER: &str = "owners";
const SUFFIX: &str = ".lock";

/// This process's own lock, held until it is dropped.
pub(crate) struct Owner {
    id: String,
    folder: PathBuf,
    /// Holds the lock by being open; nothing for one that only reads.
    _held: Option<Held>,
}

impl Owner {
    /// Takes a lock of its own in the data folder `dir`.
    pub(crate) fn register(dir: &Path) -> Result<Self, StoreError> {
        let folder = dir.join(FOLDER);
        files::create_private_dir(&folder)?;
        let id = Uuid::now_v7().to_string();
        // Locked before it has its name, so that nobody finds it unlocked.
        let fresh = folder.join(format!("{id}.new"));
        let held = files::create_private(&fresh)?;
        let held = Held::alone(held).map_err(|error| io(&fresh, &error))?;
        let named = folder.join(format!("{id}{SUFFIX}"));
        files::rename(&fresh, &named).map_err(|error| io(&named, &error))?;
        Ok(Self { id, folder, _held: Some(held) })
    }

    /// One that owns nothing, for a data folder that cannot be written.
    pub(crate) fn of_nothing(dir: &Path) -> Self {
        Self { id: Uuid::now_v7().to_string(), folder: dir.join(FOLDER), _held: None }
    }

    /// Its name in the rows it owns.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Whether the process behind `owner` runs.
    pub(crate) fn is_alive(&self, owner: &str) -> bool {
        owner == self.id || is_held(&self.folder.join(format!("{owner}{SUFFIX}")))
    }

    /// Whether anybody else works in the data folder now.
    pub(crate) fn has_company(&self) -> bool {
        locks(&self.folder).any(|(id, path)| id != self.id && is_held(&path))
    }

    /// Removes the files of processes that are gone; a row they still own is as good as theirs without it.
    pub(crate) fn tidy(&self) {
        for (id, path) in locks(&self.folder) {
            if !self.is_alive(&id) {
                // Whoever else tidies at this moment may have been faster.
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // A file that stays costs the next start one check of the database, nothing more.
        let _ = fs::remove_file(self.folder.join(format!("{}{SUFFIX}", self.id)));
    }
}

/// Whether a database was ever made in the data folder `dir`.
pub(crate) fn was_used(dir: &Path) -> bool {
    dir.join(FOLDER).exists()
}

/// Whether a process left the data folder `dir` without saying good-bye.
pub(crate) fn left_unclean(dir: &Path) -> bool {
    locks(&dir.join(FOLDER)).any(|(_, path)| !is_held(&path))
}

/// Whether a process works in the data folder `dir` now.
pub(crate) fn in_use(dir: &Path) -> bool {
    locks(&dir.join(FOLDER)).any(|(_, path)| is_held(&path))
}

fn locks(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name.strip_suffix(SUFFIX)?.to_owned(), entry.path()))
    })
}

fn is_held(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => match Held::try_alone(file) {
            Ok(_) => false,
            Err(TryLockError::WouldBlock) => true,
            // A file system without locks: better to leave a turn open than to close one that is written to.
            Err(TryLockError::Error(_)) => true,
        },
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

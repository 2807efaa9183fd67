//! Project folders on disk: the engine's `ProjectFiles` and `MemoryFiles` over the file system.
//!
//! `walk` goes through a folder as git would, `nearest` finds the texts of an index, `read` opens one file beneath it,
//! `text` decodes it, `probe` counts what a folder would bring, `git` knows the branch, `place` which folders are too wide to look through, `exclude` which
//! files the person keeps out, `alike` what of a file stays when another takes its place. `foreign` finds the checkpoints of other programs, `memory` finds, reads, writes and watches the files that speak to models, `brain` keeps
//! a session's, `skills` lists the folders of skills, `tools` carries out what models ask for, `clients` names Siltstone in the settings of other programs; nothing else is ever written. The app calls all of it through the ports.
//!
//! A folder is hostile until shown otherwise: nothing here follows a link out of it, runs anything in it, or waits for
//! a pipe. Deliberately absent: git itself.

mod alike;
mod brain;
mod clients;
mod exclude;
mod foreign;
mod git;
mod memory;
mod nearest;
mod place;
mod probe;
mod read;
mod skills;
mod snapshots;
mod text;
mod tools;
mod walk;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_workspace;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use siltstone_engine::memory::{MemoryFiles, MemoryPlace, MemorySettings};
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{Folder, FolderError, OnProgress, ProjectFiles};
use siltstone_engine::project::{MAX_FILES, Probe, ProbeWarning};

use exclude::ExcludeRules;
use memory::Memory;

pub use nearest::MAX_TEXT_FILES;
pub use snapshots::Snapshots;

/// The folders of this computer.
#[derive(Clone, Debug)]
pub struct Folders {
    home: Option<PathBuf>,
    config: Option<PathBuf>,
    max_files: u64,
    memory: Arc<Memory>,
}

impl Folders {
    /// With the home folder, and the folder of settings, of whoever runs the program.
    pub fn new() -> Self {
        Self::of(std::env::home_dir(), dirs::config_dir())
    }

    /// With given folders; with `None`, no folder is taken for the home, and there is no global memory in it.
    pub fn of(home: Option<PathBuf>, config: Option<PathBuf>) -> Self {
        let home = home.and_then(|home| home.canonicalize().ok());
        let memory = Arc::new(Memory::new(home.as_deref(), config.as_deref()));
        Self { home, config, max_files: MAX_FILES, memory }
    }

    fn root(&self, folder: Folder<'_>) -> Result<Root, FolderError> {
        let (path, real) = self.opened(folder.root)?;
        let wide = place::wide(&real, self.home.as_deref());
        Ok(Root { path, real, wide, exclude: ExcludeRules::new(folder.exclude) })
    }
}

impl Folders {
    /// A folder that was opened, by both of its paths. That it was opened by was free of links: where one leads elsewhere
    /// now, another folder is there, about which nobody was asked.
    fn opened(&self, root: &str) -> Result<(String, PathBuf), FolderError> {
        let path = self.real_path(root)?;
        if Path::new(&path) != Path::new(root) {
            return Err(io(root, &place::REPLACED));
        }
        let real = Path::new(&path).canonicalize().map_err(|error| io(&path, &error))?;
        Ok((path, real))
    }
}

impl Default for Folders {
    fn default() -> Self {
        Self::new()
    }
}

/// A folder that exists, by the path people see and the one the system compares.
struct Root {
    path: String,
    real: PathBuf,
    /// Why only the top level of this folder is looked at, if it is so.
    wide: Option<ProbeWarning>,
    /// What of it is never taken in.
    exclude: ExcludeRules,
}

impl ProjectFiles for Folders {
    fn real_path(&self, path: &str) -> Result<String, FolderError> {
        let not_a_folder = || FolderError::NotAFolder { path: path.to_owned() };
        let real = Path::new(path).canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidInput => {
                not_a_folder()
            }
            _ => io(path, &error),
        })?;
        if !real.is_dir() {
            return Err(not_a_folder());
        }
        let real = real.to_str().ok_or_else(|| FolderError::Io {
            path: path.to_owned(),
            detail: "the path is not valid Unicode".to_owned(),
        })?;
        Ok(place::plain(real))
    }

    fn identity(&self, path: &str) -> Option<String> {
        place::identity(Path::new(path))
    }

    fn probe(&self, folder: Folder<'_>, progress: OnProgress<'_>) -> Result<Probe, FolderError> {
        let settings = MemorySettings::default();
        let place =
            MemoryPlace { root: Some(folder.root), settings: &settings, exclude: folder.exclude };
        let memory = self.along(&place, &[])?;
        probe::probe(&self.root(folder)?, &memory, probe::MAX_COUNTED, progress)
    }

    fn text_files(
        &self,
        folder: Folder<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError> {
        nearest::text_files(&self.root(folder)?, progress)
    }

    fn read_text(&self, folder: Folder<'_>, path: &str) -> Result<String, FolderError> {
        read_text(&self.root(folder)?, path)
    }

    fn read_texts(
        &self,
        folder: Folder<'_>,
        paths: &[&str],
    ) -> Result<Vec<Result<String, FolderError>>, FolderError> {
        let root = self.root(folder)?;
        Ok(paths.iter().map(|path| read_text(&root, path)).collect())
    }
}

fn read_text(root: &Root, path: &str) -> Result<String, FolderError> {
    let bytes = read::beneath(root, path)?;
    text::decode(bytes).ok_or_else(|| FolderError::NotText { path: path.to_owned() })
}

fn io(path: &str, error: &dyn std::fmt::Display) -> FolderError {
    FolderError::Io { path: path.to_owned(), detail: error.to_string() }
}

/// The lock, whether or not a thread panicked while it held it: the maps inside are valid after every statement.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Project folders on disk, read-only: the engine's `ProjectFiles` over the file system.
//!
//! `walk` goes through a folder as git would, `read` opens one file beneath it, `text` decodes it, `probe` counts
//! what a folder would bring, `instructions` and `git` look at the few files that matter before anything else,
//! `place` knows which folders are too wide to look through. The app calls all of it through the port.
//!
//! A folder is hostile until shown otherwise: nothing here follows a link out of it, runs anything in it, writes to
//! it, or waits for a pipe. Deliberately absent: git itself, and watching for changes.

mod git;
mod instructions;
mod place;
mod probe;
mod read;
mod text;
mod walk;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{FolderError, OnProgress, ProjectFiles};
use siltstone_engine::project::{InstructionFile, MAX_FILES, Probe, ProbeWarning};

pub use walk::MAX_TEXT_FILES;

/// The folders of this computer.
#[derive(Clone, Debug)]
pub struct Folders {
    home: Option<PathBuf>,
    max_files: u64,
}

impl Folders {
    /// With the home folder of whoever runs the program.
    pub fn new() -> Self {
        Self::with_home(std::env::home_dir())
    }

    /// With a given home folder; no folder is taken for the home with `None`.
    pub fn with_home(home: Option<PathBuf>) -> Self {
        Self { home: home.and_then(|home| home.canonicalize().ok()), max_files: MAX_FILES }
    }

    fn root(&self, path: &str) -> Result<Root, FolderError> {
        let path = self.real_path(path)?;
        let real = Path::new(&path).canonicalize().map_err(|error| io(&path, &error))?;
        let wide = place::wide(&real, self.home.as_deref());
        Ok(Root { path, real, wide })
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

    fn probe(&self, path: &str, progress: OnProgress<'_>) -> Result<Probe, FolderError> {
        probe::probe(&self.root(path)?, self.max_files, progress)
    }

    fn instructions(&self, root: &str) -> Result<Vec<InstructionFile>, FolderError> {
        instructions::find(&self.root(root)?)
    }

    fn text_files(
        &self,
        root: &str,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError> {
        walk::text_files(&self.root(root)?, self.max_files, MAX_TEXT_FILES, progress)
    }

    fn read_text(&self, root: &str, path: &str) -> Result<String, FolderError> {
        let bytes = read::beneath(&self.root(root)?, path)?;
        text::decode(bytes).ok_or_else(|| FolderError::NotText { path: path.to_owned() })
    }
}

fn io(path: &str, error: &dyn std::fmt::Display) -> FolderError {
    FolderError::Io { path: path.to_owned(), detail: error.to_string() }
}

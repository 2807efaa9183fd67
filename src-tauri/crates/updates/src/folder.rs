//! The folder where an offer and its package are kept, with what a run that was killed left behind.
//!
//! One process at a time writes there. A package is written under another name, pressed onto the disk, and has its own
//! name only when it is verified.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use siltstone_engine::update::{Kept, Offer, UpdateError};

/// What was offered last.
const OFFER: &str = "offer.json";

/// Held while something is written.
const LOCK: &str = "lock";

/// How a file ends that is not whole.
const PART: &str = "part";

pub(crate) struct Folder {
    path: PathBuf,
}

/// Who writes in the folder.
pub(crate) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing it is not enough: a program that is being started has the file, too, for a moment.
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "letting go of the folder of updates");
        }
    }
}

impl Folder {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn lock(&self) -> Result<Lock, UpdateError> {
        let mut made = DirBuilder::new();
        made.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
        made.create(&self.path).map_err(failed)?;
        let mut opened = OpenOptions::new();
        let file = opened.create(true).truncate(false).write(true).open(self.path.join(LOCK));
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(UpdateError::Busy),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// What was offered last. An offer that cannot be read is none: the next look makes a new one.
    pub(crate) fn kept(&self) -> Result<Option<Kept>, UpdateError> {
        let said = match fs::read(self.path.join(OFFER)) {
            Ok(said) => said,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let Ok(offer) = serde_json::from_slice::<Offer>(&said) else { return Ok(None) };
        let package = self.path.join(&offer.update.file);
        let package = package.is_file().then(|| package.display().to_string());
        Ok(Some(Kept { offer, package }))
    }

    pub(crate) fn keep(&self, offer: Option<&Offer>) -> Result<(), UpdateError> {
        if offer.is_none() && !self.path.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let stays = self.kept()?.filter(|kept| Some(&kept.offer) == offer);
        if let Some(offer) = offer.filter(|_| stays.is_none()) {
            let said = serde_json::to_vec_pretty(offer)
                .map_err(|error| UpdateError::Io { detail: error.to_string() })?;
            let mut part = Part::of(self.path.join(OFFER), said.len() as u64)?;
            part.write(&said)?;
            part.press()?;
            part.named()?;
        }
        // The package of an offer that is another one now is not of this one, whatever it is called.
        let package = stays.map(|kept| kept.offer.update.file);
        self.remove(|name| {
            name != LOCK
                && (offer.is_none() || name != OFFER)
                && package.as_deref().is_none_or(|package| name != package)
        });
        Ok(())
    }

    /// Removes what is not whole, unless somebody is at it.
    pub(crate) fn sweep(&self) {
        if self.path.exists()
            && let Ok(_lock) = self.lock()
        {
            self.remove(|name| Path::new(name).extension() == Some(OsStr::new(PART)));
        }
    }

    fn remove(&self, goes: impl Fn(&OsStr) -> bool) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if goes(&entry.file_name())
                && let Err(error) = fs::remove_file(entry.path())
            {
                tracing::warn!(%error, "removing what is left of an update");
            }
        }
    }

    /// Begins a file of this name, of so many bytes where that is known.
    pub(crate) fn part(&self, name: &str, needed: u64) -> Result<Part, UpdateError> {
        Part::of(self.path.join(name), needed)
    }
}

/// A file that is not whole yet; it goes where it never gets its name.
pub(crate) struct Part {
    /// Closed before it has its name, as Windows wants it.
    file: Option<File>,
    path: PathBuf,
    name: PathBuf,
    written: u64,
    needed: u64,
    whole: bool,
}

impl Part {
    /// Beside the place that it is for.
    pub(crate) fn of(name: PathBuf, needed: u64) -> Result<Self, UpdateError> {
        let mut path = name.clone().into_os_string();
        path.push(".");
        path.push(PART);
        let path = PathBuf::from(path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let file = OpenOptions::new().create_new(true).write(true).open(&path);
        let file = file.map_err(|error| of_writing(error, needed))?;
        Ok(Self { file: Some(file), path, name, written: 0, needed, whole: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    pub(crate) fn write(&mut self, piece: &[u8]) -> Result<(), UpdateError> {
        self.written += piece.len() as u64;
        let needed = self.needed.max(self.written);
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(piece).map_err(|error| of_writing(error, needed))
    }

    /// Onto the disk.
    pub(crate) fn press(&self) -> Result<(), UpdateError> {
        let Some(file) = &self.file else { return Ok(()) };
        file.sync_all().map_err(|error| of_writing(error, self.needed.max(self.written)))
    }

    /// Gives it its name.
    pub(crate) fn named(mut self) -> Result<(), UpdateError> {
        drop(self.file.take());
        fs::rename(&self.path, &self.name).map_err(failed)?;
        self.whole = true;
        #[cfg(unix)]
        if let Some(folder) = self.name.parent() {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.whole {
            drop(self.file.take());
            // The next look removes what stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}

pub(crate) fn of_writing(error: io::Error, needed: u64) -> UpdateError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            UpdateError::Full { needed }
        }
        _ => failed(error),
    }
}

pub(crate) fn failed(error: io::Error) -> UpdateError {
    UpdateError::Io { detail: error.to_string() }
}

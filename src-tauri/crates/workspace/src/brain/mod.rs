//! The folder `.ai-brain` of a project: the engine's `SessionFiles` over the file system.
//!
//! The folder is opened by handle and never through a link, so nothing here leads out of the project; of one that is a
//! link, or of a project that is the home, nothing is read or written. Every write takes the folder's lock, compares
//! and replaces in one step, as memory files are saved. `ignore` keeps the folder out of git. Deliberately absent: what
//! the files mean, and who may write on a folder that machines share.

mod ignore;

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::Timestamp;
use siltstone_engine::session::{
    BrainFile, BrainFiles, Holder, SessionError, SessionFiles, Snapshot, Stored,
};

use crate::memory::swap::{self, Put};
use crate::read::{self, MAX_BYTES, Refused};
use crate::{Folders, place};

/// The folder.
const FOLDER: &str = ".ai-brain";

/// Copies of its files.
const SNAPSHOTS: &str = "snapshots";

/// Whether a project brings the folder; a link is none.
pub(crate) fn is_in(real: &Path) -> bool {
    real.join(FOLDER).symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

impl SessionFiles for Folders {
    fn holder(&self) -> Holder {
        let owner =
            ["USER", "USERNAME", "LOGNAME"].into_iter().find_map(|it| std::env::var(it).ok());
        Holder { owner: owner.unwrap_or_default(), host: host(), pid: std::process::id() }
    }

    fn read(&self, root: &str) -> Result<BrainFiles, SessionError> {
        let base = self.project(root)?;
        let in_git = ignore::would_take_in(&self.real(root)?);
        let Some(dir) = folder(&base, FOLDER)? else {
            return Ok(BrainFiles { in_git, ..BrainFiles::default() });
        };
        let stored = |file: BrainFile| stored(&dir, file.name());
        Ok(BrainFiles {
            exists: true,
            context: stored(BrainFile::Context)?,
            workflow: stored(BrainFile::Workflow)?,
            lock: stored(BrainFile::Lock)?,
            in_git,
        })
    }

    fn write(
        &self,
        root: &str,
        file: BrainFile,
        bytes: &[u8],
        expected: Option<&str>,
    ) -> Result<String, SessionError> {
        let dir = made(&self.project(root)?, FOLDER)?;
        let _lock = lock(&dir)?;
        put(&dir, file.name(), bytes, expected)
    }

    fn remove(&self, root: &str, file: BrainFile, expected: &str) -> Result<(), SessionError> {
        let name = file.name();
        let Some(dir) = folder(&self.project(root)?, FOLDER)? else {
            return Err(conflict(name));
        };
        let _lock = lock(&dir)?;
        compare(&dir, name, Some(expected))?;
        dir.remove_file(name).map_err(|error| failed(name, &error))
    }

    fn set_aside(
        &self,
        root: &str,
        file: BrainFile,
        expected: &str,
    ) -> Result<String, SessionError> {
        let name = file.name();
        let Some(dir) = folder(&self.project(root)?, FOLDER)? else {
            return Err(conflict(name));
        };
        let _lock = lock(&dir)?;
        compare(&dir, name, Some(expected))?;
        let mut aside = format!("{name}.broken-{}", expected.get(..8).unwrap_or(expected));
        while dir.symlink_metadata(&aside).is_ok() {
            aside.push('_');
        }
        dir.rename(name, &dir, &aside).map_err(|error| failed(name, &error))?;
        swap::press(&dir);
        Ok(aside)
    }

    fn snapshots(&self, root: &str) -> Result<Vec<Snapshot>, SessionError> {
        self.copies(root)?.map_or(Ok(Vec::new()), |dir| list(&dir))
    }

    fn put_snapshot(
        &self,
        root: &str,
        file: BrainFile,
        bytes: &[u8],
        now: Timestamp,
    ) -> Result<Option<Snapshot>, SessionError> {
        let dir = made(&self.project(root)?, FOLDER)?;
        let dir = made(&dir, SNAPSHOTS)?;
        let _lock = lock(&dir)?;
        let known = list(&dir)?;
        let hash: String = swap::hash_of(bytes).chars().take(8).collect();
        let newest = known.iter().rfind(|snapshot| snapshot.file == file);
        if newest.is_some_and(|newest| newest.hash == hash) {
            return Ok(None);
        }
        let number = known.last().map_or(0, |last| last.number).saturating_add(1);
        let snapshot = Snapshot { file, number, at: now, hash };
        put(&dir, &snapshot.name(), bytes, None)?;
        Ok(Some(snapshot))
    }

    fn read_snapshot(&self, root: &str, snapshot: &Snapshot) -> Result<Vec<u8>, SessionError> {
        let name = snapshot.name();
        let missing = || failed(&name, &ErrorKind::NotFound.into());
        let dir = self.copies(root)?.ok_or_else(missing)?;
        let bytes = stored(&dir, &name)?.ok_or_else(missing)?.bytes;
        if snapshot.is_whole(&bytes) { Ok(bytes) } else { Err(SessionError::Damaged { name }) }
    }

    fn delete_snapshots(&self, root: &str, snapshots: &[Snapshot]) -> Result<(), SessionError> {
        let Some(dir) = self.copies(root)? else {
            return Ok(());
        };
        for name in snapshots.iter().map(Snapshot::name) {
            match dir.remove_file(&name) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(failed(&name, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn ignore(&self, root: &str) -> Result<bool, SessionError> {
        let base = self.project(root)?;
        ignore::add(&self.real(root)?, &base)
    }
}

impl Folders {
    fn real(&self, root: &str) -> Result<std::path::PathBuf, SessionError> {
        let opened = self
            .opened(root)
            .map_err(|error| SessionError::Io { name: root.to_owned(), detail: error.to_string() });
        opened.map(|(_, real)| real)
    }

    /// The project's folder by handle.
    fn project(&self, root: &str) -> Result<Dir, SessionError> {
        let real = self.real(root)?;
        if place::wide(&real, self.home.as_deref()).is_some() {
            return Err(SessionError::TooWide { root: root.to_owned() });
        }
        Dir::open_ambient_dir(&real, ambient_authority()).map_err(|error| failed(root, &error))
    }

    /// The folder of copies, if there is one.
    fn copies(&self, root: &str) -> Result<Option<Dir>, SessionError> {
        match folder(&self.project(root)?, FOLDER)? {
            Some(dir) => folder(&dir, SNAPSHOTS),
            None => Ok(None),
        }
    }
}

/// A folder beneath another, if there is one; no link is followed.
fn folder(base: &Dir, name: &str) -> Result<Option<Dir>, SessionError> {
    match base.symlink_metadata(name) {
        Ok(metadata) if !metadata.is_dir() => Err(refused(name)),
        Ok(_) => base.open_dir_nofollow(name).map(Some).map_err(|error| failed(name, &error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(name, &error)),
    }
}

fn made(base: &Dir, name: &str) -> Result<Dir, SessionError> {
    if let Some(dir) = folder(base, name)? {
        return Ok(dir);
    }
    match base.create_dir(name) {
        // Somebody else made it meanwhile.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(name, &error)),
        _ => {
            swap::press(base);
            folder(base, name)?.ok_or_else(|| failed(name, &ErrorKind::NotFound.into()))
        }
    }
}

fn lock(dir: &Dir) -> Result<Option<std::fs::File>, SessionError> {
    swap::lock(dir).map_err(|_| SessionError::Busy)
}

fn stored(dir: &Dir, name: &str) -> Result<Option<Stored>, SessionError> {
    match read::regular(dir, Path::new(name), MAX_BYTES) {
        Ok(bytes) => Ok(Some(Stored { hash: swap::hash_of(&bytes), bytes })),
        Err(Refused::NotRegular) => Err(refused(name)),
        Err(Refused::TooLarge { bytes }) => {
            Err(SessionError::TooLarge { name: name.to_owned(), bytes, most: MAX_BYTES })
        }
        Err(Refused::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(Refused::Io(error)) => {
            let is_other = dir.symlink_metadata(name).is_ok_and(|metadata| !metadata.is_file());
            Err(if is_other { refused(name) } else { failed(name, &error) })
        }
    }
}

fn compare(dir: &Dir, name: &str, expected: Option<&str>) -> Result<(), SessionError> {
    let now = stored(dir, name)?.map(|stored| stored.hash);
    if now.as_deref() == expected { Ok(()) } else { Err(conflict(name)) }
}

/// Writes a file in place of one of this hash, within the lock of its folder.
fn put(
    dir: &Dir,
    name: &str,
    bytes: &[u8],
    expected: Option<&str>,
) -> Result<String, SessionError> {
    compare(dir, name, expected)?;
    let hash = swap::hash_of(bytes);
    if bytes.len() as u64 > MAX_BYTES {
        let bytes = bytes.len() as u64;
        return Err(SessionError::TooLarge { name: name.to_owned(), bytes, most: MAX_BYTES });
    }
    if expected == Some(hash.as_str()) {
        return Ok(hash);
    }
    match swap::put(dir, OsStr::new(name), bytes, expected) {
        Ok(Put::Done) => Ok(hash),
        Ok(Put::Overtaken) => Err(conflict(name)),
        Err(error) => Err(failed(name, &error)),
    }
}

/// The copies in a folder, oldest first.
fn list(dir: &Dir) -> Result<Vec<Snapshot>, SessionError> {
    let entries = dir.entries().map_err(|error| failed(SNAPSHOTS, &error))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut copies: Vec<Snapshot> =
        names.filter_map(|name| Snapshot::parse(name.to_str()?)).collect();
    copies.sort_by_key(|snapshot| snapshot.number);
    Ok(copies)
}

fn refused(name: &str) -> SessionError {
    SessionError::Refused { name: name.to_owned() }
}

fn conflict(name: &str) -> SessionError {
    SessionError::Conflict { name: name.to_owned() }
}

fn failed(name: &str, error: &io::Error) -> SessionError {
    let (name, detail) = (name.to_owned(), error.to_string());
    match error.kind() {
        ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded => SessionError::ReadOnly { name, detail },
        _ => SessionError::Io { name, detail },
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

//! Opening one file beneath a folder. Called for every file whose content is read.
//!
//! The path is resolved first, so that the name that is judged is the real one (`notes.md` may be a link to `.env`).
//! Then the resolved path is opened by handle, component by component beneath the folder, which keeps a link that is
//! swapped in between from leading out; the handle, not the path, is asked whether it is a regular file.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use siltstone_engine::ports::FolderError;
use siltstone_engine::project::is_never_sent;

use crate::{Root, io};

/// Largest file that is read.
pub const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The bytes of a file of the folder.
pub fn beneath(root: &Root, path: &str) -> Result<Vec<u8>, FolderError> {
    let outside = || FolderError::Outside { path: path.to_owned() };
    let inside = resolve(&root.real, path).map_err(|astray| match astray {
        Astray::Outside | Astray::Secret => outside(),
        Astray::Io(error) => io(path, &error),
    })?;
    if root.exclude.excludes(Path::new(path), false) || root.exclude.excludes(&inside, false) {
        return Err(FolderError::Excluded { path: path.to_owned() });
    }
    let dir =
        Dir::open_ambient_dir(&root.real, ambient_authority()).map_err(|error| io(path, &error))?;
    match regular(&dir, &inside, MAX_BYTES) {
        Ok(bytes) => Ok(bytes),
        Err(Refused::NotRegular) => Err(outside()),
        Err(Refused::TooLarge { bytes }) => {
            Err(FolderError::TooLarge { path: path.to_owned(), bytes, most: MAX_BYTES })
        }
        Err(Refused::Io(error)) => Err(io(path, &error)),
    }
}

/// Why a path names no file of a folder that may be read.
pub enum Astray {
    Outside,
    Secret,
    Io(std::io::Error),
}

/// What a path beneath a real folder leads to, relative to the folder and free of links.
pub fn resolve(base: &Path, path: &str) -> Result<PathBuf, Astray> {
    if !is_plain_relative(path) {
        return Err(Astray::Outside);
    }
    let real = base.join(path).canonicalize().map_err(Astray::Io)?;
    let inside = real.strip_prefix(base).map_err(|_| Astray::Outside)?;
    if is_never_read(Path::new(path)) || is_never_read(inside) {
        return Err(Astray::Secret);
    }
    Ok(inside.to_path_buf())
}

/// Why a file beneath a handle was not read.
pub enum Refused {
    NotRegular,
    TooLarge { bytes: u64 },
    Io(std::io::Error),
}

/// The bytes of a regular file beneath a folder's handle; its last component may not be a link.
pub fn regular(dir: &Dir, path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refused> {
    let (file, metadata) = open(dir, path)?;
    at_most(file, &metadata, max_bytes)
}

/// A regular file beneath a folder's handle; its last component may not be a link.
pub fn open(dir: &Dir, path: &Path) -> Result<(File, Metadata), Refused> {
    let mut options = OpenOptions::new();
    // Opening a pipe without a writer would wait for one.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(path, &options).map_err(Refused::Io)?;
    let metadata = file.metadata().map_err(Refused::Io)?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(Refused::NotRegular) }
}

/// All bytes of a file that is not too large; it may have grown since it was measured.
pub fn at_most(file: File, metadata: &Metadata, max_bytes: u64) -> Result<Vec<u8>, Refused> {
    let too_large = || Refused::TooLarge { bytes: metadata.len() };
    if metadata.len() > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let read = file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(Refused::Io)?;
    if read as u64 > max_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// Whether a path is made of names alone, so that it cannot climb or start elsewhere.
pub fn is_plain_relative(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

/// Secrets by name, and git's own folder: its `config` may hold a password in an address.
pub fn is_never_read(path: &Path) -> bool {
    let in_git =
        path.components().any(|component| component.as_os_str().eq_ignore_ascii_case(".git"));
    in_git || path.file_name().and_then(|name| name.to_str()).is_none_or(is_never_sent)
}

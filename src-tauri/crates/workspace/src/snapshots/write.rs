//! Making one path what it was: whole or not at all, and only while it is what the plan says. A file that takes another's
//! place is made like it, and names of one file go on being that where all of them become the same.

use std::io::Write;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, OpenOptions};
use siltstone_engine::checkpoint::{Leaf, ObjectId, Objects, SnapshotError, shown};

use super::name::{failed_at, split, to_path};
use crate::alike::{Same, make_alike, same};
use crate::memory::swap::make_dirs;
use crate::read::{Refused, open, regular};

/// The ending of a file's name until it is whole.
const FRESH: &str = "siltstone-restoring";

/// See the port.
pub(super) fn write(
    root: &Path,
    path: &[u8],
    now: Option<&Leaf>,
    then: Option<&Leaf>,
    alike: &[&[u8]],
    objects: &dyn Objects,
) -> Result<(), SnapshotError> {
    let dir =
        Dir::open_ambient_dir(root, ambient_authority()).map_err(|error| failed_at(path, error))?;
    let place = to_path(path).ok_or_else(|| failed_at(path, "no such name on this system"))?;
    if is(&dir, path, &place, then)? {
        return Ok(());
    }
    let fresh = place.with_added_extension(FRESH);
    // What a process that died left behind is ours.
    let _ = dir.remove_file(&fresh);
    if !is(&dir, path, &place, now)? {
        return Err(SnapshotError::Changed { path: shown(path) });
    }
    let failed = |error: std::io::Error| failed_at(path, error);
    match then {
        None => {
            dir.remove_file(&place).map_err(failed)?;
            remove_empty(&dir, path);
            Ok(())
        }
        Some(leaf) => {
            // The content is there before anything is touched.
            let bytes = match leaf {
                Leaf::File { id, .. } => objects.get(*id)?,
                Leaf::Link { target } => target.clone(),
            };
            let above = to_path(split(path).0).unwrap_or_default();
            if !above.as_os_str().is_empty() {
                make_dirs(&dir, &above).map_err(failed)?;
            }
            if now.is_none() {
                make_room(&dir, &place);
            }
            let (old, was) = open(&dir, &place).ok().unzip();
            // Not every system puts a file in the place of one that is open, so it is closed by then.
            let made = make(&dir, &fresh, leaf, &bytes, old)
                .and_then(|()| dir.rename(&fresh, &dir, &place))
                .and_then(|()| press(&dir, &above));
            if made.is_err() {
                let _ = dir.remove_file(&fresh);
            }
            made.map_err(failed)?;
            let file = was.and_then(|metadata| same(&metadata)).filter(|it| it.has_others());
            if let (Leaf::File { .. }, Some(file)) = (leaf, file) {
                for other in alike {
                    // What cannot be one file any more is made the same by itself.
                    let _ = link_again(&dir, &place, other, file);
                }
            }
            Ok(())
        }
    }
}

/// Makes a path another name of the file at `place`, if it still is one of the file that was there before. That has the
/// content of the plan, and so has the path.
fn link_again(dir: &Dir, place: &Path, other: &[u8], was: Same) -> std::io::Result<()> {
    let Some(path) = to_path(other) else { return Ok(()) };
    if !same(&dir.symlink_metadata(&path)?).is_some_and(|it| it.is(was)) {
        return Ok(());
    }
    let fresh = path.with_added_extension(FRESH);
    let _ = dir.remove_file(&fresh);
    dir.hard_link(place, dir, &fresh)?;
    let linked = dir.rename(&fresh, dir, &path);
    let _ = dir.remove_file(&fresh);
    linked.and_then(|()| press(dir, &to_path(split(other).0).unwrap_or_default()))
}

/// Makes a folder with all above it; `false` when there is one, or something else has its name.
pub(super) fn make_folder(root: &Path, path: &[u8]) -> Result<bool, SnapshotError> {
    let dir =
        Dir::open_ambient_dir(root, ambient_authority()).map_err(|error| failed_at(path, error))?;
    let place = to_path(path).ok_or_else(|| failed_at(path, "no such name on this system"))?;
    if dir.symlink_metadata(&place).is_ok() {
        return Ok(false);
    }
    make_dirs(&dir, &place).map_err(|error| failed_at(path, error))?;
    Ok(true)
}

fn make(
    dir: &Dir,
    fresh: &Path,
    leaf: &Leaf,
    bytes: &[u8],
    old: Option<cap_std::fs::File>,
) -> std::io::Result<()> {
    match leaf {
        Leaf::File { mode, .. } => {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let mut file = dir.open_with(fresh, &options)?;
            file.write_all(bytes)?;
            if let Some(old) = old {
                make_alike(&file, &old)?;
            }
            set_mode(&file, *mode)?;
            file.sync_all()
        }
        Leaf::Link { target } => {
            let target = to_path(target).ok_or_else(|| std::io::Error::other("no such target"))?;
            link(dir, &target, fresh)
        }
    }
}

#[cfg(unix)]
fn link(dir: &Dir, target: &Path, fresh: &Path) -> std::io::Result<()> {
    // What it says is kept, wherever it leads; it is not followed here.
    dir.symlink_contents(target, fresh)
}

#[cfg(not(unix))]
fn link(dir: &Dir, target: &Path, fresh: &Path) -> std::io::Result<()> {
    dir.symlink_file(target, fresh)
}

#[cfg(unix)]
fn set_mode(file: &cap_std::fs::File, mode: u32) -> std::io::Result<()> {
    use cap_std::fs::PermissionsExt;
    file.set_permissions(cap_std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_file: &cap_std::fs::File, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn press(dir: &Dir, above: &Path) -> std::io::Result<()> {
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    dir.open(above)?.sync_all()
}

#[cfg(not(unix))]
fn press(_dir: &Dir, _above: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Whether a path is this; `None` is nothing at all.
fn is(dir: &Dir, path: &[u8], place: &Path, leaf: Option<&Leaf>) -> Result<bool, SnapshotError> {
    let metadata = match dir.symlink_metadata(place) {
        Ok(metadata) => metadata,
        Err(error) => {
            use std::io::ErrorKind::{NotADirectory, NotFound};
            return match error.kind() {
                NotFound | NotADirectory => Ok(leaf.is_none()),
                _ => Err(failed_at(path, error)),
            };
        }
    };
    match leaf {
        // Folders in which there is nothing are in nobody's way.
        None => Ok(metadata.is_dir() && holds_nothing(dir, place)),
        Some(Leaf::Link { target }) => {
            if !metadata.is_symlink() {
                return Ok(false);
            }
            let found = dir.read_link_contents(place).map_err(|error| failed_at(path, error))?;
            Ok(found.as_os_str().as_encoded_bytes() == target)
        }
        Some(Leaf::File { id, size, mode }) => {
            if !metadata.is_file() || metadata.len() != *size || !has_mode(&metadata, *mode) {
                return Ok(false);
            }
            match regular(dir, place, *size) {
                Ok(bytes) => Ok(ObjectId::of(&bytes) == *id),
                Err(Refused::NotRegular | Refused::TooLarge { .. }) => Ok(false),
                Err(Refused::Io(error)) => Err(failed_at(path, error)),
            }
        }
    }
}

/// Whether a folder has folders alone in it, all the way down.
fn holds_nothing(dir: &Dir, place: &Path) -> bool {
    let is_nothing = |entry: std::io::Result<DirEntry>| {
        entry.is_ok_and(|it| {
            it.file_type().is_ok_and(|kind| kind.is_dir())
                && holds_nothing(dir, &place.join(it.file_name()))
        })
    };
    dir.read_dir(place).is_ok_and(|mut entries| entries.all(is_nothing))
}

/// Removes a folder with those in it, as far as there is nothing else in any.
fn make_room(dir: &Dir, place: &Path) {
    let Ok(metadata) = dir.symlink_metadata(place) else { return };
    if metadata.is_dir() {
        for entry in dir.read_dir(place).into_iter().flatten().flatten() {
            make_room(dir, &place.join(entry.file_name()));
        }
        let _ = dir.remove_dir(place);
    }
}

#[cfg(unix)]
fn has_mode(metadata: &cap_std::fs::Metadata, mode: u32) -> bool {
    use cap_std::fs::MetadataExt;
    metadata.mode() & 0o7777 == mode
}

#[cfg(not(unix))]
fn has_mode(_metadata: &cap_std::fs::Metadata, _mode: u32) -> bool {
    true
}

/// Removes the directories above a path that hold nothing any more.
fn remove_empty(dir: &Dir, path: &[u8]) {
    let mut above = split(path).0;
    while let Some(place) = to_path(above).filter(|_| !above.is_empty()) {
        if dir.remove_dir(&place).is_err() {
            break;
        }
        above = split(above).0;
    }
}

//! A memory file as an editor holds it: opening, and saving in place of what was opened.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Permissions};
use siltstone_engine::memory::expand::expand;
use siltstone_engine::memory::{
    MAX_FILE_BYTES, MemoryDocument, MemoryFiles, MemoryPlace, Refusal, SaveError,
};
use siltstone_engine::ports::FolderError;

use super::form::Form;
use super::import::global_base;
use super::swap::{self, Put};
use crate::place::plain;
use crate::read::{self, Astray, Refused};
use crate::{Folders, io};

/// Where a document lies.
pub(super) struct Spot {
    /// A real folder that it never leaves.
    base: PathBuf,
    /// Its path beneath that folder.
    path: String,
    /// How much of the path is folders that must exist already.
    place: usize,
    /// Its path as in [`MemoryDocument`].
    shown: String,
}

/// The file of a spot.
struct Found {
    dir: Dir,
    name: OsString,
    bytes: Vec<u8>,
    permissions: Permissions,
}

impl Folders {
    /// The spot of a path that may be edited.
    pub(super) fn spot(&self, place: &MemoryPlace<'_>, path: &str) -> Result<Spot, FolderError> {
        let outside = || FolderError::Outside { path: path.to_owned() };
        if Path::new(path).is_absolute() {
            return match self.memory.globals.iter().find(|global| is_at(global, path)) {
                Some(global) => global_spot(global, path),
                None if self.is_imported(place, path)? => {
                    let (base, inside) = global_base(&self.memory, path).ok_or_else(outside)?;
                    Ok(Spot { base, place: inside.len(), path: inside, shown: path.to_owned() })
                }
                None => Err(outside()),
            };
        }
        let kept = self.kept(place)?.ok_or_else(outside)?;
        if !read::is_plain_relative(path) || read::is_never_read(Path::new(path)) {
            return Err(outside());
        }
        if kept.excludes(path) {
            return Err(FolderError::Excluded { path: path.to_owned() });
        }
        match kept.texts.take(&kept.root, path).text().ok().and_then(|text| kept.refuses(text)) {
            None => {}
            Some(Refusal::Excluded) => return Err(FolderError::Excluded { path: path.to_owned() }),
            Some(_) => return Err(outside()),
        }
        let before = match kept.finder.place_of(path) {
            Some(before) => before.len(),
            None if self.is_imported(place, path)? => path.len(),
            None => return Err(outside()),
        };
        Ok(Spot {
            base: kept.root.clone(),
            path: path.to_owned(),
            place: before,
            shown: path.to_owned(),
        })
    }

    /// Whether a memory file imports this path, directly or not.
    fn is_imported(&self, place: &MemoryPlace<'_>, path: &str) -> Result<bool, FolderError> {
        let files = self.all(place, &mut |_| true)?;
        Ok(files.iter().any(|file| {
            let expanded = expand(file, &mut |from, target| self.import(place, from, target));
            expanded.imports.iter().any(|note| note.to.as_deref() == Some(path))
        }))
    }
}

fn is_at(global: &Path, path: &str) -> bool {
    plain(&global.to_string_lossy()) == path
}

/// A file of global memory, where a link leads to; one that does not exist yet is made with its folder.
fn global_spot(global: &Path, shown: &str) -> Result<Spot, FolderError> {
    let shown = shown.to_owned();
    let outside = || FolderError::Outside { path: shown.clone() };
    if let Ok(real) = global.canonicalize() {
        let base = real.parent().ok_or_else(outside)?.to_path_buf();
        let path = real.file_name().and_then(|name| name.to_str()).ok_or_else(outside)?.to_owned();
        return Ok(Spot { base, place: path.len(), path, shown });
    }
    let folder = global.ancestors().skip(1).find(|folder| folder.is_dir()).ok_or_else(outside)?;
    let inside = global.strip_prefix(folder).ok().and_then(Path::to_str).ok_or_else(outside)?;
    let base = folder.canonicalize().map_err(|error| io(&shown, &error))?;
    Ok(Spot { base, path: inside.replace('\\', "/"), place: 0, shown })
}

impl Spot {
    /// The file as it is now; `None` if there is none.
    fn find(&self) -> Result<Option<Found>, FolderError> {
        let outside = || FolderError::Outside { path: self.shown.clone() };
        let failed = |error: std::io::Error| io(&self.shown, &error);
        let inside = match read::resolve(&self.base, &self.path) {
            Ok(inside) => inside,
            Err(Astray::Io(error)) if error.kind() == ErrorKind::NotFound => {
                // A link to nothing is not followed to where it would make a file.
                let is_link = self.base.join(&self.path).symlink_metadata().is_ok();
                return if is_link { Err(outside()) } else { Ok(None) };
            }
            Err(Astray::Io(error)) => return Err(failed(error)),
            Err(Astray::Outside | Astray::Secret) => return Err(outside()),
        };
        let dir = self.folder(inside.parent())?;
        let name = inside.file_name().ok_or_else(outside)?.to_owned();
        let opened = read::open(&dir, Path::new(&name)).and_then(|(file, metadata)| {
            let bytes = read::at_most(file, &metadata, MAX_FILE_BYTES)?;
            Ok(Found { dir, name, bytes, permissions: metadata.permissions() })
        });
        opened.map(Some).map_err(|refused| match refused {
            Refused::NotRegular => outside(),
            Refused::TooLarge { bytes } => {
                FolderError::TooLarge { path: self.shown.clone(), bytes, most: MAX_FILE_BYTES }
            }
            Refused::Io(error) => failed(error),
        })
    }

    /// A folder beneath the base, by handle.
    fn folder(&self, path: Option<&Path>) -> Result<Dir, FolderError> {
        Dir::open_ambient_dir(&self.base, ambient_authority())
            .and_then(|base| match path {
                Some(path) if path != Path::new("") => base.open_dir(path),
                _ => Ok(base),
            })
            .map_err(|error| io(&self.shown, &error))
    }

    /// The folder of a file that does not exist yet, and the file's name. Only folders that belong to the name are made.
    fn make(&self) -> Result<(Dir, OsString), FolderError> {
        let (before, named) = self.path.split_at(self.place);
        let named = Path::new(named.trim_start_matches('/'));
        let outside = || FolderError::Outside { path: self.shown.clone() };
        let inside = match before {
            "" => PathBuf::new(),
            before => read::resolve(&self.base, before).map_err(|astray| match astray {
                Astray::Io(error) => io(&self.shown, &error),
                Astray::Outside | Astray::Secret => outside(),
            })?,
        };
        let dir = self.folder(Some(&inside))?;
        let name = named.file_name().ok_or_else(outside)?.to_owned();
        let dir = match named.parent() {
            Some(own) if own != Path::new("") => swap::make_dirs(&dir, own)
                .and_then(|()| dir.open_dir(own))
                .map_err(|error| io(&self.shown, &error))?,
            _ => dir,
        };
        Ok((dir, name))
    }

    fn document(&self, found: Option<&Found>) -> Result<MemoryDocument, FolderError> {
        let Some(found) = found else {
            return Ok(MemoryDocument {
                path: self.shown.clone(),
                text: String::new(),
                hash: None,
                writable: true,
            });
        };
        let (_, text) = Form::of(&found.bytes)
            .ok_or_else(|| FolderError::NotText { path: self.shown.clone() })?;
        Ok(MemoryDocument {
            path: self.shown.clone(),
            text,
            hash: Some(swap::hash_of(&found.bytes)),
            writable: !found.permissions.readonly(),
        })
    }
}

/// The document of a spot.
pub(super) fn open(spot: &Spot) -> Result<MemoryDocument, FolderError> {
    spot.document(spot.find()?.as_ref())
}

/// What the system said to a change.
fn refused(spot: &Spot, error: &std::io::Error) -> SaveError {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            SaveError::ReadOnly { detail: error.to_string() }
        }
        _ => SaveError::Folder(io(&spot.shown, error)),
    }
}

/// Takes away what has the hash `base`.
pub(super) fn remove(spot: &Spot, base: &str) -> Result<(), SaveError> {
    let found = spot.find()?;
    let now = spot.document(found.as_ref())?;
    let Some(Found { dir, name, .. }) = found.filter(|_| now.hash.as_deref() == Some(base)) else {
        return Err(SaveError::Changed { now });
    };
    if !now.writable {
        return Err(SaveError::ReadOnly { detail: String::from("the file is write-protected") });
    }
    let failed = |error: std::io::Error| refused(spot, &error);
    let _lock = swap::lock(&dir).map_err(failed)?;
    match swap::take(&dir, &name, base).map_err(failed)? {
        Put::Done => Ok(()),
        Put::Overtaken => Err(SaveError::Changed { now: open(spot)? }),
    }
}

/// Puts `text` in place of what has the hash `base`.
pub(super) fn save(
    spot: &Spot,
    text: &str,
    base: Option<&str>,
) -> Result<MemoryDocument, SaveError> {
    let failed = |error: std::io::Error| refused(spot, &error);
    let found = spot.find()?;
    let now = spot.document(found.as_ref())?;
    if now.hash.as_deref() != base {
        return Err(SaveError::Changed { now });
    }
    let Some(found) = found else {
        let bytes = encoded(Form::default(), (b"", ""), text)?;
        let (dir, name) = spot.make()?;
        let _lock = swap::lock(&dir).map_err(failed)?;
        let put = swap::put(&dir, &name, &bytes, None).map_err(failed)?;
        return ended(spot, put, &bytes);
    };
    if !now.writable {
        return Err(SaveError::ReadOnly { detail: String::from("the file is write-protected") });
    }
    if text == now.text {
        return Ok(now);
    }
    let form = Form::of(&found.bytes).map(|(form, _)| form).unwrap_or_default();
    let bytes = encoded(form, (&found.bytes, &now.text), text)?;
    let Found { dir, name, .. } = found;
    let _lock = swap::lock(&dir).map_err(failed)?;
    let put = swap::put(&dir, &name, &bytes, base).map_err(failed)?;
    ended(spot, put, &bytes)
}

/// The bytes of `text` in place of the ones of `old`, which say what stands beside them.
fn encoded(form: Form, old: (&[u8], &str), text: &str) -> Result<Vec<u8>, SaveError> {
    let bytes = form.bytes(old.0, old.1, text).ok_or_else(|| SaveError::ReadOnly {
        detail: format!("the file is in {}, which has no such characters", form.encoding()),
    })?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(SaveError::ReadOnly {
            detail: format!("{} bytes, more than {MAX_FILE_BYTES}", bytes.len()),
        });
    }
    Ok(bytes)
}

fn ended(spot: &Spot, put: Put, bytes: &[u8]) -> Result<MemoryDocument, SaveError> {
    if put == Put::Overtaken {
        return Err(SaveError::Changed { now: open(spot)? });
    }
    // What was written, not what the file says by now: the next save begins with this.
    let (_, text) = Form::of(bytes).unwrap_or_default();
    Ok(MemoryDocument {
        path: spot.shown.clone(),
        text,
        hash: Some(swap::hash_of(bytes)),
        writable: true,
    })
}

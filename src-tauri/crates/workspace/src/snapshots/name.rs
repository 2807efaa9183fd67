//! Names as bytes, and paths of the system made of them.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use siltstone_engine::checkpoint::{SnapshotError, shown};

use crate::place;

/// The real path of a folder.
pub(super) fn real(root: &str) -> Result<PathBuf, SnapshotError> {
    let real = Path::new(root).canonicalize().map_err(|error| failed(root, error))?;
    let is_it = real.to_str().is_some_and(|real| Path::new(&place::plain(real)) == Path::new(root));
    if is_it { Ok(real) } else { Err(failed(root, place::REPLACED)) }
}

/// What went wrong with a path.
pub(super) fn failed(path: impl Into<String>, detail: impl ToString) -> SnapshotError {
    SnapshotError::Folder { path: path.into(), detail: detail.to_string() }
}

/// The same with a path below a root.
pub(super) fn failed_at(path: &[u8], detail: impl ToString) -> SnapshotError {
    failed(shown(path), detail)
}

/// A path below a root as bytes with `/`; `None` when it is not one.
pub(super) fn below(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for component in path.strip_prefix(root).ok()?.components() {
        let Component::Normal(name) = component else { return None };
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(of(name));
    }
    Some(bytes)
}

/// The bytes of a name. Where names are not bytes, they are the system's own encoding of them.
pub(super) fn of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// A path of the system from bytes with `/`, whose names came from a tree.
#[cfg(unix)]
pub(super) fn to_path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

/// Only Unicode names can be made where names are not bytes.
#[cfg(not(unix))]
pub(super) fn to_path(bytes: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(bytes).ok()?;
    let odd = |name: &str| name.contains(['\\', ':']) || name.is_empty();
    (!text.split('/').any(odd)).then(|| text.split('/').collect())
}

/// The directory a path lies in, and its name.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (path.get(..at).unwrap_or_default(), path.get(at + 1..).unwrap_or_default()),
        None => (&[], path),
    }
}

/// A path of a name in a directory.
pub(super) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = dir.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Whether a path is a directory, or lies beneath it.
pub(super) fn is_beneath(path: &[u8], dir: &[u8]) -> bool {
    dir.is_empty() || path == dir || (path.starts_with(dir) && path.get(dir.len()) == Some(&b'/'))
}

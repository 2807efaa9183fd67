//! Files and folders that belong to the person alone, whatever the umask says, and writes that survive a power cut.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use siltstone_engine::ports::StoreError;

use crate::fault::io;

/// Makes a folder, and makes it the person's own if it is there already.
pub(crate) fn create_private_dir(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|error| io(path, &error))?;
    restrict(path, 0o700)
}

/// Makes a new empty file.
pub(crate) fn create_private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| io(path, &error))?;
    restrict(path, 0o600)?;
    Ok(file)
}

/// Opens a file, making it if needed.
pub(crate) fn open_private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| io(path, &error))?;
    restrict(path, 0o600)?;
    Ok(file)
}

/// Writes a new file and the folders above it; one that is there stays as it is.
pub(crate) fn put_if_missing(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| io(folder, &error))?;
    }
    // Beside its place first, so that half of a file never stands for a whole one.
    let fresh = path.with_added_extension("new");
    fs::write(&fresh, bytes).map_err(|error| io(&fresh, &error))?;
    restrict(&fresh, 0o600)?;
    fs::rename(&fresh, path).map_err(|error| io(path, &error))
}

/// Sets the permissions of a file or folder, where the system has such a thing.
#[cfg(unix)]
pub(crate) fn restrict(path: &Path, mode: u32) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|error| io(path, &error))
}

/// The person's own folder is private already on systems without such modes.
#[cfg(not(unix))]
pub(crate) fn restrict(_path: &Path, _mode: u32) -> Result<(), StoreError> {
    Ok(())
}

/// Presses a file onto the disk.
pub(crate) fn sync_file(path: &Path) -> Result<(), StoreError> {
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| io(path, &error))
}

/// Presses the names in a folder onto the disk.
#[cfg(unix)]
pub(crate) fn sync_dir(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|error| io(path, &error))
}

/// Other systems write names with their files.
#[cfg(not(unix))]
pub(crate) fn sync_dir(_path: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// Puts a whole file in the place of the one that is there; when it returns, it survives a power cut.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let fresh = path.with_added_extension("new");
    let _ = fs::remove_file(&fresh);
    let written = create_private(&fresh)?.write_all(bytes);
    written.map_err(|error| io(&fresh, &error))?;
    sync_file(&fresh)?;
    fs::rename(&fresh, path).map_err(|error| io(path, &error))?;
    path.parent().map_or(Ok(()), sync_dir)
}

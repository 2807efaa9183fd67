//! Files and folders that belong to the person alone, whatever the umask says, and writes that survive a power cut.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use siltstone_engine::ports::StoreError;

use crate::fault::io;

/// Makes a folder, and makes it the person's own if it is there already.
pub(crate) fn create_private_dir(path: &Path) -> Result<(), StoreError> {
    let is_new = !path.exists();
    fs::create_dir_all(path).map_err(|error| io(path, &error))?;
    restrict(path, 0o700)?;
    // Else a power cut takes the folder, and with it what was pressed onto the disk in it.
    match path.parent().filter(|parent| is_new && parent.is_dir()) {
        Some(parent) => sync_dir(parent),
        None => Ok(()),
    }
}

/// Makes a new empty file.
pub(crate) fn create_private(path: &Path) -> Result<File, StoreError> {
    let file =
        options_of_private().create_new(true).open(path).map_err(|error| io(path, &error))?;
    restrict(path, 0o600)?;
    Ok(file)
}

/// Opens a file, making it if needed.
pub(crate) fn open_private(path: &Path) -> Result<File, StoreError> {
    let opened = options_of_private().create(true).truncate(false).open(path);
    let file = opened.map_err(|error| io(path, &error))?;
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
    put_in_place(&fresh, path)
}

/// Takes from the permissions of a file or folder what goes beyond these, where the system has such a thing. What the person
/// took from themselves stays taken.
#[cfg(unix)]
pub(crate) fn restrict(path: &Path, mode: u32) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let narrow = || {
        let now = fs::metadata(path)?.permissions().mode() & 0o7777;
        match now & mode {
            same if same == now => Ok(()),
            less => fs::set_permissions(path, fs::Permissions::from_mode(less)),
        }
    };
    narrow().map_err(|error| io(path, &error))
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
    put_in_place(&fresh, path)
}

/// Moves a finished file to its name; when it returns, it survives a power cut.
pub(crate) fn put_in_place(fresh: &Path, place: &Path) -> Result<(), StoreError> {
    sync_file(fresh)?;
    rename(fresh, place).map_err(|error| io(place, &error))?;
    place.parent().map_or(Ok(()), sync_dir)
}

/// Gives a file another name, in the place of the one that has it. Windows may refuse that while somebody has one of both
/// open, as who reads it has, or a scanner of viruses for some milliseconds: there it is tried again for a second.
pub(crate) fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut renamed = fs::rename(from, to);
    for wait in [1, 5, 20, 60, 100, 200, 300, 300] {
        match &renamed {
            Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {
                thread::sleep(Duration::from_millis(wait));
                renamed = fs::rename(from, to);
            }
            _ => break,
        }
    }
    renamed
}

/// Writes a file that the person asked for, and nobody else may read: beside its place first and then moved there.
/// Whatever happens, an older file of that name is whole until the new one is, and when this returns the new one survives
/// a power cut.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let beside = path.with_added_extension(format!("{}.part", std::process::id()));
    // Of a process that had this number and died.
    let _ = fs::remove_file(&beside);
    let written = options_of_private()
        .create_new(true)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| rename(&beside, path));
    if written.is_err() {
        // What is half written helps nobody; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
        return written;
    }
    #[cfg(unix)]
    if let Some(Ok(folder)) = path.parent().filter(|it| !it.as_os_str().is_empty()).map(File::open)
    {
        // Some file systems cannot press a folder onto the disk and do it in their own time.
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Whether others may put files into the folder in which this one lies, and so put another in its place.
#[cfg(unix)]
pub fn is_shared(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o022 != 0)
}

/// Folders have no such modes here.
#[cfg(not(unix))]
pub fn is_shared(_path: &Path) -> bool {
    false
}

fn options_of_private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

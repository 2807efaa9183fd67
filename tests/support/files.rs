//! Files of tests: every one of a folder that somebody may be working in, and one that is a program.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Each file beneath a folder with what it holds. Links are passed over: what they lead to is looked at in its own place,
/// or is none of the folder's. So is what goes between the look at its folder and the look at itself: a database that is
/// closed takes its log away.
pub fn beneath(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut folders, mut found) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() => {
                    found.extend(fs::read(&path).ok().map(|bytes| (path, bytes)));
                }
                _ => {}
            }
        }
    }
    found
}

/// Lets a file be started as a program, where its mode says so.
#[cfg(unix)]
pub fn executable(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

/// Every file may be.
#[cfg(not(unix))]
pub fn executable(_file: &Path) -> io::Result<()> {
    Ok(())
}

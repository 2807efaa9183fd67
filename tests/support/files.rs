//! Every file of a folder that somebody may be working in.

use std::fs;
use std::path::{Path, PathBuf};

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

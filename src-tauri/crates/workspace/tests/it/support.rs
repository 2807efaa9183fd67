//! Folders made for a test, and the port asked about them.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{Folder, FolderError, ProjectFiles};
use siltstone_engine::project::Probe;
use siltstone_workspace::Folders;
use tempfile::TempDir;

pub fn tree(files: &[(&str, &str)]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files {
        put(temp.path(), path, text.as_bytes());
    }
    temp
}

/// The same, written a minute ago.
pub fn rested(files: &[(&str, &str)]) -> TempDir {
    let temp = tree(files);
    let then = SystemTime::now() - Duration::from_secs(60);
    for (path, _) in files {
        let file = File::options().write(true).open(temp.path().join(path)).unwrap();
        file.set_modified(then).unwrap();
    }
    temp
}

pub fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub fn at(folder: &Path) -> &str {
    folder.to_str().unwrap()
}

pub fn whole(folder: &Path) -> Folder<'_> {
    Folder { root: at(folder), exclude: &[] }
}

pub fn folders() -> Folders {
    Folders::of(None, None)
}

pub fn probe(folder: &Path) -> Probe {
    folders().probe(whole(folder), &mut |_| true).unwrap()
}

pub fn stamps(folder: &Path) -> Vec<FileStamp> {
    folders().text_files(whole(folder), &mut |_| true).unwrap()
}

pub fn paths(folder: &Path) -> Vec<String> {
    stamps(folder).into_iter().map(|stamp| stamp.path).collect()
}

pub fn read(folder: &Path, path: &str) -> Result<String, FolderError> {
    let alone = folders().read_text(whole(folder), path);
    // Among others a file is read, or refused, as it is alone.
    let all = folders().read_texts(whole(folder), &["a.md", path]);
    assert_eq!(all.map(|mut all| all.remove(1)).as_ref().ok(), Some(&alone));
    alone
}

pub fn outside(path: &str) -> Result<String, FolderError> {
    Err(FolderError::Outside { path: path.into() })
}

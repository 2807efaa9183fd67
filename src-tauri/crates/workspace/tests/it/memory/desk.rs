//! A project, a home and a folder of settings of their own, and the port asked about them.

use std::fs;
use std::path::{Path, PathBuf};

use siltstone_engine::memory::{
    MemoryDocument, MemoryFile, MemoryFiles, MemoryPlace, MemorySettings, SaveError,
};
use siltstone_engine::ports::FolderError;
use siltstone_workspace::Folders;
use tempfile::TempDir;

/// A project with a home and settings around it.
pub struct Desk {
    pub root: TempDir,
    pub home: TempDir,
    pub folders: Folders,
    pub settings: MemorySettings,
    pub exclude: Vec<String>,
}

impl Desk {
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::beneath(&std::env::temp_dir(), files)
    }

    pub fn beneath(folder: &Path, files: &[(&str, &str)]) -> Self {
        let home = TempDir::new_in(folder).unwrap();
        let folders = Folders::of(Some(home.path().to_owned()), Some(home.path().join(".config")));
        let root = TempDir::new_in(folder).unwrap();
        let settings = MemorySettings::default();
        let desk = Self { root, home, folders, settings, exclude: Vec::new() };
        for (path, text) in files {
            desk.put(path, text.as_bytes());
        }
        desk
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub fn put(&self, path: &str, bytes: &[u8]) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), bytes).unwrap();
    }

    pub fn put_global(&self, path: &str, text: &str) -> String {
        let path = self.home.path().canonicalize().unwrap().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn place(&self) -> MemoryPlace<'_> {
        MemoryPlace {
            root: Some(self.root.path().to_str().unwrap()),
            settings: &self.settings,
            exclude: &self.exclude,
        }
    }

    pub fn all(&self) -> Vec<MemoryFile> {
        self.folders.all(&self.place(), &mut |_| true).unwrap()
    }

    pub fn along(&self, dirs: &[&str]) -> Vec<MemoryFile> {
        let dirs: Vec<String> = dirs.iter().map(|dir| (*dir).to_owned()).collect();
        self.folders.along(&self.place(), &dirs).unwrap()
    }

    pub fn open(&self, path: &str) -> Result<MemoryDocument, FolderError> {
        self.folders.open(&self.place(), path)
    }

    pub fn save(
        &self,
        path: &str,
        text: &str,
        base: Option<&str>,
    ) -> Result<MemoryDocument, SaveError> {
        self.folders.save(&self.place(), path, text, base)
    }
}

/// Where there is a file system in memory, thousands of files and flushes cost nothing there.
pub fn quick() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

pub fn paths(files: &[MemoryFile]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

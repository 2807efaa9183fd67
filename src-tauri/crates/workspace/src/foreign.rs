//! Checkpoints of other programs, at the places that the Checkpoints design names: looked for and read, never written.

use std::io::{self, Read};
use std::path::PathBuf;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::checkpoint::foreign::{ForeignCheckpoints, MAX_FOREIGN};
use siltstone_engine::ports::StoreError;

use crate::Folders;

/// Below the person's folder of settings.
const OWN: &str = "google-generative-ai/checkpoints";

/// Below a project.
const IN_PROJECT: &str = ".gemini/checkpoints";

/// Files that are listed of one place.
const MOST: usize = 1_000;

impl Folders {
    /// Each place: a folder, and what is looked for below it. No link is followed out of the folder.
    fn foreign_places(&self, root: &str) -> [(Option<PathBuf>, &'static str); 2] {
        let settings = match cfg!(windows) {
            true => self.config.clone(),
            false => self.home.as_ref().map(|home| home.join(".config")),
        };
        [(settings, OWN), (Some(PathBuf::from(root)), IN_PROJECT)]
    }
}

impl ForeignCheckpoints for Folders {
    fn found(&self, root: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (folder, below) in self.foreign_places(root) {
            let Some(folder) = folder else { continue };
            let Ok(dir) = opened(&folder, below) else { continue };
            let Ok(entries) = dir.entries() else { continue };
            let files = entries.flatten().filter(|entry| {
                let known = entry.metadata();
                known.is_ok_and(|known| known.is_file() && known.len() <= MAX_FOREIGN)
            });
            let names = files.map(|entry| PathBuf::from(entry.file_name()));
            let json = names.filter(|name| name.extension().is_some_and(|end| end == "json"));
            let paths = json.map(|name| folder.join(below).join(name).display().to_string());
            found.extend(paths.take(MOST));
        }
        found
    }

    fn read(&self, root: &str, path: &str) -> Result<Vec<u8>, StoreError> {
        for (folder, below) in self.foreign_places(root) {
            let Some(folder) = folder else { continue };
            let place = folder.join(below);
            let path = PathBuf::from(path);
            if path.parent() == Some(place.as_path())
                && let Some(name) = path.file_name()
            {
                let bytes = opened(&folder, below).and_then(|dir| {
                    let mut bytes = Vec::new();
                    dir.open(name)?.take(MAX_FOREIGN).read_to_end(&mut bytes)?;
                    Ok(bytes)
                });
                return bytes.map_err(|error| StoreError::Io { detail: error.to_string() });
            }
        }
        Err(StoreError::NotFound { what: "checkpoint file", id: path.to_owned() })
    }
}

fn opened(folder: &std::path::Path, below: &str) -> io::Result<Dir> {
    Dir::open_ambient_dir(folder, ambient_authority())?.open_dir(below)
}

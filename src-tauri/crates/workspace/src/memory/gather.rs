//! The list of memory files of some folders, with what each says and which of them say the same. Called whenever
//! memory is asked for.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use siltstone_engine::memory::{MemoryFile, MemoryLayer, Refusal, SameAs, Sameness};

use super::find::Listed;
use super::spread::spread;
use super::texts::{self, Taken, Text};
use super::{Kept, Memory};
use crate::place::plain;

/// Global memory, then the files of these folders in their order.
pub(super) fn gather(
    memory: &Memory,
    kept: Option<&Kept>,
    folders: &[Arc<Listed>],
) -> Vec<MemoryFile> {
    let mut sames = Sames::default();
    let mut files = globals(memory, &mut sames);
    let Some(kept) = kept else {
        return files;
    };
    // A file in a folder of its own, such as `.gemini/GEMINI.md`, belongs to the folder around that one.
    let mut known = HashSet::new();
    let wanted: Vec<(&str, &str)> = folders
        .iter()
        .flat_map(|folder| folder.files.iter().map(|file| (folder.path.as_str(), file.as_str())))
        .filter(|(_, path)| known.insert(*path))
        .collect();
    let taken = spread(&wanted, |(_, path)| kept.texts.take(&kept.root, path));
    files.extend(wanted.into_iter().zip(taken).map(|((dir, path), taken)| {
        let layer = if dir.is_empty() { MemoryLayer::Project } else { MemoryLayer::Directory };
        let what = match &taken.what {
            _ if kept.excludes(path) => Err(Refusal::Excluded),
            Ok(text) => kept.refuses(text).map_or(Ok(text), Err),
            Err(refusal) => Err(refusal.clone()),
        };
        sames.file(path.to_owned(), layer, dir.to_owned(), what)
    }));
    files
}

fn globals(memory: &Memory, sames: &mut Sames) -> Vec<MemoryFile> {
    memory
        .globals
        .iter()
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| {
            let taken = global(memory, path);
            let what = taken.as_ref().map_err(Clone::clone).and_then(|taken| taken.text());
            sames.file(plain(&path.to_string_lossy()), MemoryLayer::Global, String::new(), what)
        })
        .collect()
}

/// A file of global memory. It is the person's own, who may keep it elsewhere behind a link.
fn global(memory: &Memory, path: &Path) -> Result<Arc<Taken>, Refusal> {
    let real = path.canonicalize().map_err(|error| texts::unreadable(&error))?;
    match (real.parent(), real.file_name().and_then(|name| name.to_str())) {
        (Some(folder), Some(name)) => Ok(memory.global_texts.take(folder, name)),
        _ => Err(Refusal::NotRegular),
    }
}

/// What tells the files of a list from each other, and the path of the first of each.
#[derive(Default)]
struct Sames {
    files: HashMap<(u64, u64), String>,
    texts: HashMap<blake3::Hash, String>,
}

impl Sames {
    fn file(
        &mut self,
        path: String,
        layer: MemoryLayer,
        dir: String,
        what: Result<&Text, Refusal>,
    ) -> MemoryFile {
        match what {
            Ok(text) => MemoryFile {
                same_as: self.earlier(text, &path),
                path,
                layer,
                dir,
                text: text.text.clone(),
                hash: text.hash.clone(),
                bytes: text.bytes,
                refused: None,
            },
            Err(refusal) => MemoryFile {
                path,
                layer,
                dir,
                text: String::new(),
                hash: String::new(),
                bytes: 0,
                same_as: None,
                refused: Some(refusal),
            },
        }
    }

    /// The earlier file that says the same; else this one is the earlier one from now on.
    fn earlier(&mut self, text: &Text, path: &str) -> Option<SameAs> {
        let file = self.files.get(&text.identity).map(|path| (path, Sameness::File));
        let words = || text.words.and_then(|words| self.texts.get(&words));
        if let Some((path, how)) = file.or_else(|| words().map(|path| (path, Sameness::Text))) {
            return Some(SameAs { path: path.clone(), how });
        }
        self.files.insert(text.identity, path.to_owned());
        if let Some(words) = text.words {
            self.texts.insert(words, path.to_owned());
        }
        None
    }
}

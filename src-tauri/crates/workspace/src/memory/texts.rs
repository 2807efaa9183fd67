//! Texts of memory files and of what they import, kept by stamp. Asked by whoever needs a text: a file that did not
//! change costs one look at its stamp.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata};
use siltstone_engine::memory::{MAX_FILE_BYTES, Refusal};

use super::stamp::Stamp;
use crate::read::{self, Astray, Refused};
use crate::{locked, text};

/// How long anything read is believed although its stamp is the same (behaviour.md, Memory).
pub(super) const MAX_AGE: Duration = Duration::from_secs(5 * 60);

/// A file as it was read.
#[derive(Debug)]
pub(super) struct Taken {
    stamp: Option<Stamp>,
    at: Instant,
    pub(super) what: Result<Text, Refusal>,
}

impl Taken {
    pub(super) fn text(&self) -> Result<&Text, Refusal> {
        self.what.as_ref().map_err(Clone::clone)
    }
}

/// Its text, and what tells it from others.
#[derive(Debug)]
pub(super) struct Text {
    /// Its real path beneath the folder, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    /// BLAKE3 of the bytes, hexadecimal.
    pub(super) hash: String,
    pub(super) bytes: u64,
    /// Device and inode.
    pub(super) identity: (u64, u64),
    /// How many names the file has (hard links).
    pub(super) names: u64,
    /// Of the text without blanks around it; `None` when nothing is left.
    pub(super) words: Option<blake3::Hash>,
}

#[derive(Debug, Default)]
pub(super) struct Texts(Mutex<HashMap<PathBuf, Arc<Taken>>>);

impl Texts {
    /// The file at `path` beneath the real folder `base`.
    pub(super) fn take(&self, base: &Path, path: &str) -> Arc<Taken> {
        let full = base.join(path);
        let now = Stamp::at(&full);
        if let Some(kept) = locked(&self.0).get(&full)
            && now.is_some()
            && kept.stamp == now
            && kept.at.elapsed() < MAX_AGE
        {
            return Arc::clone(kept);
        }
        let taken = Arc::new(read(base, path, now));
        locked(&self.0).insert(full, Arc::clone(&taken));
        taken
    }
}

fn read(base: &Path, path: &str, now: Option<Stamp>) -> Taken {
    let at = Instant::now();
    let refused =
        |refusal| Taken { stamp: now.clone().filter(Stamp::is_settled), at, what: Err(refusal) };
    let Opened { path, file, metadata } = match open(base, path) {
        Ok(opened) => opened,
        Err(refusal) => return refused(refusal),
    };
    let (identity, names) = (identity(&metadata), metadata.nlink());
    // The stamp is older than the bytes: what is written while they are read changes it.
    let stamp = match file.try_clone().and_then(|file| file.into_std().metadata()) {
        Ok(metadata) => Stamp::of(&metadata),
        Err(error) => return refused(unreadable(&error)),
    };
    let what = read::at_most(file, &metadata, MAX_FILE_BYTES).map_err(refusal).and_then(|bytes| {
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let size = bytes.len() as u64;
        let text = text::decode(bytes).ok_or(Refusal::NotText)?;
        let trimmed = text.trim();
        let words = (!trimmed.is_empty()).then(|| blake3::hash(trimmed.as_bytes()));
        Ok(Text { path, hash, bytes: size, identity, names, words, text })
    });
    Taken { stamp: Some(stamp).filter(Stamp::is_settled), at, what }
}

/// What a file is, whatever it is called.
pub(super) fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// A regular file that was opened.
pub(super) struct Opened {
    /// Its real path beneath the folder, with `/`.
    pub(super) path: String,
    pub(super) file: File,
    pub(super) metadata: Metadata,
}

/// Opens a regular file beneath a real folder, whatever links lie on the way.
pub(super) fn open(base: &Path, path: &str) -> Result<Opened, Refusal> {
    let inside = read::resolve(base, path).map_err(astray)?;
    let dir =
        Dir::open_ambient_dir(base, ambient_authority()).map_err(|error| unreadable(&error))?;
    let (file, metadata) = read::open(&dir, &inside).map_err(refusal)?;
    let names: Vec<_> = inside.iter().map(|name| name.to_string_lossy()).collect();
    Ok(Opened { path: names.join("/"), file, metadata })
}

pub(super) fn astray(astray: Astray) -> Refusal {
    match astray {
        Astray::Outside => Refusal::Outside,
        Astray::Secret => Refusal::Excluded,
        Astray::Io(error) => unreadable(&error),
    }
}

pub(super) fn refusal(refused: Refused) -> Refusal {
    match refused {
        Refused::NotRegular => Refusal::NotRegular,
        Refused::TooLarge { bytes } => Refusal::TooLarge { bytes, most: MAX_FILE_BYTES },
        Refused::Io(error) => unreadable(&error),
    }
}

pub(super) fn unreadable(error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::Missing,
        _ => Refusal::Unreadable { detail: error.to_string() },
    }
}

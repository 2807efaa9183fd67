//! Capturing a project's files into objects, and writing them back: the engine's `FileSnapshots` over the file system.
//!
//! `scan` lists what is there as git would, the whole folder or only what may have changed; `capture` reads what has
//! another stamp than last time and builds the trees above it; `seen` is what is remembered between captures, in memory
//! and in a file; `write` makes one path what it was. A folder is hostile: every file is opened beneath the root's
//! handle, links are kept as what they say and never followed, and no pipe is waited for.

mod capture;
mod name;
mod scan;
mod seen;
mod write;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use siltstone_engine::checkpoint::{
    Captured, Dirty, FileSnapshots, Leaf, Objects, SnapshotError, SnapshotPlace,
};
use siltstone_engine::ports::OnProgress;

use crate::place as places;
use seen::Seen;

/// The project folders of this computer, and what was seen of them.
pub struct Snapshots {
    /// Where stamps are kept between runs.
    state: PathBuf,
    home: Option<PathBuf>,
    seen: Mutex<HashMap<PathBuf, Arc<Mutex<Option<Seen>>>>>,
}

impl Snapshots {
    /// With a folder for what is remembered between runs; it can be deleted at any time.
    pub fn new(state: PathBuf) -> Self {
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        Self { state, home, seen: Mutex::default() }
    }
}

impl FileSnapshots for Snapshots {
    fn is_wide(&self, root: &str) -> bool {
        name::real(root).is_ok_and(|real| places::wide(&real, self.home.as_deref()).is_some())
    }

    fn capture(
        &self,
        place: &SnapshotPlace<'_>,
        dirty: &Dirty,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Captured, SnapshotError> {
        let root = name::real(place.root)?;
        if places::wide(&root, self.home.as_deref()).is_some() {
            return Err(SnapshotError::TooWide { path: place.root.to_owned() });
        }
        let known = {
            let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(root.clone()).or_default().clone()
        };
        // One capture of a folder at a time: the next one finds what this one read.
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match known.take() {
            Some(seen) => Some(seen),
            None => Seen::load(&self.state, &root),
        };
        let (captured, seen) = capture::capture(&root, place, dirty, before, objects, progress)?;
        if *dirty == Dirty::Anything && captured.read > 0 {
            seen.save(&self.state, &root);
        }
        *known = Some(seen);
        Ok(captured)
    }

    fn write(
        &self,
        root: &str,
        path: &[u8],
        now: Option<&Leaf>,
        then: Option<&Leaf>,
        objects: &dyn Objects,
    ) -> Result<(), SnapshotError> {
        write::write(&name::real(root)?, path, now, then, objects)
    }
}

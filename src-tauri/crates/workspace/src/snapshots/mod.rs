//! Capturing a project's files into objects, and writing them back: the engine's `FileSnapshots` over the file system.
//!
//! `scan` lists what is there as git would, the whole folder or only what may have changed, `flat` a few directories
//! without the way to them, and `sweep` finds by stamps alone which these are; `capture` reads what has
//! another stamp than last time and builds the trees above it; `seen` is what is remembered between captures, in memory
//! and in a file; `hear` is what the system told since the last one, and `mapped`
//! what programs may be writing without a word; `write` makes one path what it was. A folder is hostile: every file is opened beneath the root's
//! handle, links are kept as what they say and never followed, and no pipe is waited for.

mod capture;
mod flat;
#[cfg_attr(not(target_os = "linux"), path = "deaf.rs")]
mod hear;
#[cfg_attr(not(target_os = "linux"), path = "unasked.rs")]
mod mapped;
mod name;
mod scan;
mod seen;
#[cfg_attr(not(target_os = "linux"), path = "still.rs")]
mod sweep;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use siltstone_engine::checkpoint::{
    Captured, Dirty, FileSnapshots, Heard, Leaf, NotCaptured, NotCapturedWhy, Objects,
    SnapshotError, SnapshotPlace,
};
use siltstone_engine::ports::OnProgress;

use crate::{locked, place as places};
use capture::Look;
use hear::Ear;
use seen::{Rules, Seen};

/// Folders that are listened to at most.
const LISTENED: usize = 4;

/// The project folders of this computer, and what was seen of them.
pub struct Snapshots {
    /// Where stamps are kept between runs.
    state: PathBuf,
    home: Option<PathBuf>,
    folders: Mutex<HashMap<PathBuf, Arc<Mutex<Known>>>>,
    /// Those that are listened to, the one captured last at the end.
    listened: Mutex<Vec<PathBuf>>,
    watches: Arc<AtomicUsize>,
}

/// What is known of a folder.
#[derive(Default)]
struct Known {
    seen: Option<Seen>,
    ear: Option<Ear>,
    /// The system did not tell of something once, and is not believed again.
    is_distrusted: bool,
}

impl Snapshots {
    /// With a folder for what is remembered between runs; it can be deleted at any time.
    pub fn new(state: PathBuf) -> Self {
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        let (folders, listened) = (Mutex::default(), Mutex::default());
        Self { state, home, folders, listened, watches: Arc::default() }
    }

    fn known(&self, root: &Path) -> Arc<Mutex<Known>> {
        locked(&self.folders).entry(root.to_owned()).or_default().clone()
    }

    fn real(&self, place: &SnapshotPlace<'_>) -> Result<PathBuf, SnapshotError> {
        let root = name::real(place.root)?;
        match places::wide(&root, self.home.as_deref()) {
            Some(_) => Err(SnapshotError::TooWide { path: place.root.to_owned() }),
            None => Ok(root),
        }
    }

    /// Puts a folder last among those that are listened to, of which the first may have to go.
    fn listen_to(&self, root: &Path) {
        let mut listened = locked(&self.listened);
        listened.retain(|other| other != root);
        listened.push(root.to_owned());
        if listened.len() > LISTENED {
            let first = self.known(&listened.remove(0));
            // One that is captured right now comes back at once.
            if let Ok(mut known) = first.try_lock() {
                known.ear = None;
            }
        }
    }

    fn capture_known(
        &self,
        (root, known): (&Path, &mut Known),
        place: &SnapshotPlace<'_>,
        dirty: &Dirty,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Captured, SnapshotError> {
        self.capture_by((root, known), place, (dirty, true), objects, progress)
    }

    /// `by_stamps` lets a look at everything ask for the stamps of what is known, instead of going through the folder.
    fn capture_by(
        &self,
        (root, known): (&Path, &mut Known),
        place: &SnapshotPlace<'_>,
        (dirty, by_stamps): (&Dirty, bool),
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Captured, SnapshotError> {
        let rules = Rules {
            exclude: place.exclude.to_vec(),
            also: place.also.to_vec(),
            max_file_bytes: place.max_file_bytes,
        };
        let same_rules = |seen: &Seen| seen.rules == rules;
        // Stamps do not tell of these; nor of those that were held at the last capture, which doubts them already.
        let mut mapped = mapped::mapped(root);
        mapped.paths.extend(place.surely.iter().cloned());
        let mut seen = known.seen.take();
        seen.iter_mut().for_each(|seen| seen.doubt(&mapped.paths, &mapped.inodes));
        // What was told is only of use beside what was seen. Without success both are gone.
        let mut ear = known.ear.take().filter(|_| seen.is_some());
        ear = ear.and_then(|mut ear| ear.listen().then_some(ear));
        let told = match (dirty, &ear, &seen) {
            (Dirty::Told, Some(ear), Some(seen)) if same_rules(seen) => {
                Dirty::Paths(ear.dirty().chain(&seen.restless).cloned().collect())
            }
            (Dirty::Told, ..) => Dirty::Anything,
            (dirty, ..) => dirty.clone(),
        };
        let before = seen.or_else(|| {
            let mut seen = Seen::load(&self.state, root)?;
            seen.find_names();
            seen.doubt(&mapped.paths, &mapped.inodes);
            Some(seen)
        });
        if *dirty == Dirty::Told && ear.is_none() && !known.is_distrusted {
            ear = Ear::open(root, &self.watches);
            // What is watched before the look at everything is known after it.
            let dirs: Vec<Vec<u8>> =
                before.iter().flat_map(|seen| seen.dirs.keys().cloned()).collect();
            if let (Some(new), Some(before)) = (&mut ear, &before)
                && !new.turn_to(before, &dirs, true)
            {
                ear = None;
            }
        }
        let by_stamps = by_stamps
            && told == Dirty::Anything
            && before.as_ref().is_some_and(same_rules)
            && place.also.is_empty()
            && places::is_told(root);
        let look = if by_stamps { Look::Stamps } else { Look::At(&told) };
        let mut taken = capture::capture(root, place, look, before, objects, progress)?;
        taken.seen.rules = rules;
        // What was held while it was read may have been written after it, and be let go before the next capture.
        taken.seen.doubt(&mapped.paths, &mapped.inodes);
        // Whoever names paths knows of others that nobody told.
        ear = ear.filter(|_| !matches!(dirty, Dirty::Paths(_)));
        ear = ear.and_then(|mut ear| {
            ear.turn_to(&taken.seen, &taken.listed, taken.whole).then_some(ear)
        });
        if told == Dirty::Anything && (taken.captured.read > 0 || taken.marked) {
            taken.seen.save(&self.state, root);
        }
        if mapped.is_unsure {
            let unsure = NotCaptured { path: ".".to_owned(), why: NotCapturedWhy::Unsure };
            taken.captured.not_captured.push(unsure);
        }
        (known.seen, known.ear) = (Some(taken.seen), ear);
        Ok(taken.captured)
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
        let root = self.real(place)?;
        if *dirty == Dirty::Told {
            self.listen_to(&root);
        }
        let known = self.known(&root);
        // One capture of a folder at a time: the next one finds what this one read.
        let mut known = locked(&known);
        self.capture_known((&root, &mut known), place, dirty, objects, progress)
    }

    fn verify(
        &self,
        place: &SnapshotPlace<'_>,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Heard, SnapshotError> {
        let root = self.real(place)?;
        let known = self.known(&root);
        let mut known = locked(&known);
        let known = &mut *known;
        if known.ear.is_none() {
            return Ok(Heard::Nothing);
        }
        let told = self.capture_known((&root, known), place, &Dirty::Told, objects, progress)?;
        let heard = known.ear.as_ref().map(Ear::heard);
        let everything = (&Dirty::Anything, false);
        let all = self.capture_by((&root, known), place, everything, objects, progress)?;
        let Some(ear) = known.ear.as_mut() else { return Ok(Heard::Unsure) };
        if told.tree == all.tree {
            return Ok(Heard::All);
        }
        // What happened between both captures, or in the middle of one, tells nothing.
        if !ear.listen() || Some(ear.heard()) != heard {
            return Ok(Heard::Unsure);
        }
        (known.ear, known.is_distrusted) = (None, true);
        Ok(Heard::NotAll)
    }

    fn write(
        &self,
        root: &str,
        path: &[u8],
        now: Option<&Leaf>,
        then: Option<&Leaf>,
        alike: &[&[u8]],
        objects: &dyn Objects,
    ) -> Result<(), SnapshotError> {
        write::write(&name::real(root)?, path, now, then, alike, objects)
    }

    fn make_folder(&self, root: &str, path: &[u8]) -> Result<bool, SnapshotError> {
        write::make_folder(&name::real(root)?, path)
    }
}

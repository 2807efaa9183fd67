//! Telling of changes to memory. One thread a watched place, from `watch` to `unwatch`.
//!
//! What the system says is only a reason to look: a look compares what memory says now with what it said before, so
//! that saving by renaming, a checkout of a thousand files, and a folder that is deleted and made again all come out
//! right. Single folders are watched, at most [`MAX_WATCHES`]: those that hold memory and those above them, then others
//! while there is room, for the system has few watches and every program of the person shares them. The rest is looked
//! at now and then; so is everything where the system has no watches left.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use siltstone_engine::memory::{OnMemoryChange, Refusal, Watching};
use siltstone_engine::ports::FolderError;

use super::find::Listed;
use super::gather::gather;
use super::stamp::Stamp;
use super::{Kept, Memory};
use crate::{io, locked};

/// Folders that are watched at most.
const MAX_WATCHES: usize = 500;

/// A burst of changes is over when nothing happened for so long.
const SETTLING: Duration = Duration::from_millis(100);

/// One that does not end is looked at all the same after so long.
const BURST: Duration = Duration::from_secs(1);

/// Time between two looks at what is not watched.
const SLOWLY: Duration = Duration::from_secs(30);

/// Time between two looks where nothing can be watched.
const POLLING: Duration = Duration::from_secs(2);

/// A place that is watched until this is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    tell: Sender<Told>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A thread that is gone needs no end.
        let _ = self.tell.send(Told::End);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

/// What the thread hears.
#[derive(Debug)]
enum Told {
    Changed,
    End,
}

/// What memory says: the hash of each file, or why it is not read.
type Seen = BTreeMap<String, Result<String, Refusal>>;

/// Starts to watch global memory and that of a project.
pub(super) fn start(
    memory: &Arc<Memory>,
    kept: Option<Arc<Kept>>,
    on_change: OnMemoryChange,
) -> Result<(Watch, Watching), FolderError> {
    let (tell, told) = mpsc::channel();
    let mut place = Place {
        eyes: Eyes::open(
            tell.clone(),
            Ears { kept: kept.clone(), globals: memory.globals.clone() },
        ),
        memory: Arc::downgrade(memory),
        kept,
        seen: Seen::new(),
        on_change,
    };
    place.look(memory);
    let watching = place.eyes.watching();
    let thread = thread::Builder::new()
        .name(String::from("memory-watch"))
        .spawn(move || place.run(&told))
        .map_err(|error| io("", &error))?;
    Ok((Watch { tell, thread: Some(thread) }, watching))
}

/// A watched place.
struct Place {
    memory: Weak<Memory>,
    kept: Option<Arc<Kept>>,
    eyes: Eyes,
    seen: Seen,
    on_change: OnMemoryChange,
}

impl Place {
    fn run(mut self, told: &Receiver<Told>) {
        loop {
            let is_there = self.kept.as_ref().is_none_or(|kept| kept.root.is_dir());
            let wait = if self.eyes.watcher.is_some() && is_there { SLOWLY } else { POLLING };
            match told.recv_timeout(wait) {
                Ok(Told::Changed) if goes_on_after_the_burst(told) => {}
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
            }
            let Some(memory) = self.memory.upgrade() else {
                return;
            };
            let before = self.seen.clone();
            self.look(&memory);
            let changed = differences(&before, &self.seen);
            if !changed.is_empty() {
                (self.on_change)(changed);
            }
        }
    }

    /// Looks at everything, and again while there are folders that were not watched before: what happened in them
    /// between the look and the watch was not told.
    fn look(&mut self, memory: &Memory) {
        loop {
            let folders = self.folders();
            self.seen = self.says(memory, &folders);
            if !self.eyes.turn_to(self.wanted(memory, &folders)) {
                return;
            }
        }
    }

    fn folders(&self) -> Vec<Arc<Listed>> {
        let all = self.kept.as_ref().map(|kept| kept.finder.all(&mut |_| true));
        all.and_then(Result::ok).unwrap_or_default()
    }

    fn says(&self, memory: &Memory, folders: &[Arc<Listed>]) -> Seen {
        let kept = self.kept.as_deref();
        let mut seen: Seen = gather(memory, kept, folders)
            .into_iter()
            .map(|file| (file.path, file.refused.map_or(Ok(file.hash), Err)))
            .collect();
        for (kept, path) in
            kept.iter().flat_map(|kept| kept.imports().map(move |path| (kept, path)))
        {
            let taken = kept.texts.take(&kept.root, &path);
            seen.insert(path, taken.text().map(|text| text.hash.clone()));
        }
        seen
    }

    /// The folders to watch, those that matter most first.
    fn wanted(&self, memory: &Memory, folders: &[Arc<Listed>]) -> Vec<PathBuf> {
        let mut wanted = Vec::new();
        for file in &memory.globals {
            // The folder may come later; the one around it tells.
            wanted.extend(
                file.ancestors().skip(1).take(2).find(|folder| folder.is_dir()).map(Path::to_owned),
            );
        }
        if let Some(kept) = &self.kept {
            // The folder around the project tells when the project itself goes and comes.
            wanted.extend(kept.root.ancestors().take(2).map(Path::to_owned));
            let imports: Vec<String> = kept.imports().collect();
            let files = folders.iter().flat_map(|folder| &folder.files).chain(&imports);
            for folder in files.filter_map(|file| file.rsplit_once('/')).map(|(folder, _)| folder) {
                wanted.extend(Path::new(folder).ancestors().map(|folder| kept.root.join(folder)));
            }
            wanted.extend(folders.iter().map(|folder| kept.root.join(&folder.path)));
        }
        let mut known = HashSet::new();
        wanted.retain(|folder| known.insert(folder.clone()));
        wanted
    }
}

/// Waits until a burst of changes is over. Nothing ticks while there is none.
fn goes_on_after_the_burst(told: &Receiver<Told>) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < BURST {
        match told.recv_timeout(SETTLING) {
            Ok(Told::Changed) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(Told::End) | Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

fn differences(before: &Seen, now: &Seen) -> Vec<String> {
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let other = now.iter().filter(|(path, says)| before.get(*path) != Some(*says));
    gone.chain(other.map(|(path, _)| path)).cloned().collect()
}

/// What the system tells of single folders.
struct Eyes {
    /// `None` where the system cannot tell.
    watcher: Option<RecommendedWatcher>,
    why: String,
    /// The folders that are watched, and which folder each was: one that was made again needs another watch.
    folders: HashMap<PathBuf, Option<Identity>>,
    /// How many there would be if all were watched.
    wanted: usize,
}

type Identity = (u64, u64);

impl Eyes {
    fn open(tell: Sender<Told>, ears: Ears) -> Self {
        let hears = move |event: notify::Result<notify::Event>| {
            if !event.is_ok_and(|event| !ears.hear(&event)) {
                // Nobody listens when the watch has just ended.
                let _ = tell.send(Told::Changed);
            }
        };
        let (watcher, why) = match RecommendedWatcher::new(hears, notify::Config::default()) {
            Ok(watcher) => (Some(watcher), String::new()),
            Err(error) => (None, error.to_string()),
        };
        Self { watcher, why, folders: HashMap::new(), wanted: 0 }
    }

    fn watching(&self) -> Watching {
        match self.watcher {
            Some(_) if self.wanted > MAX_WATCHES => {
                Watching::Partly { folders: MAX_WATCHES as u64, of: self.wanted as u64 }
            }
            Some(_) => Watching::Notified,
            None => Watching::Polled { why: self.why.clone() },
        }
    }

    /// Watches the first of these folders and no others; whether there are new ones among them.
    fn turn_to(&mut self, wanted: Vec<PathBuf>) -> bool {
        let Some(watcher) = &mut self.watcher else {
            return false;
        };
        self.wanted = wanted.len();
        let wanted: HashMap<PathBuf, Option<Identity>> = wanted
            .into_iter()
            .take(MAX_WATCHES)
            .map(|folder| {
                let identity = Stamp::at(&folder).map(|stamp| stamp.identity());
                (folder, identity)
            })
            .collect();
        self.folders.retain(|folder, identity| {
            let stays = identity.is_some() && wanted.get(folder) == Some(identity);
            if !stays {
                // The system has dropped it already where the folder is gone.
                let _ = watcher.unwatch(folder);
            }
            stays
        });
        let mut is_new = false;
        for (folder, identity) in wanted {
            if identity.is_none() || self.folders.contains_key(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    is_new = true;
                    self.folders.insert(folder, identity);
                }
                Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => {
                    self.why = error.to_string();
                    self.watcher = None;
                    self.folders.clear();
                    return false;
                }
                // One that is gone by now, or may not be read, is looked at now and then.
                Err(_) => {}
            }
        }
        is_new
    }
}

/// Which of all events are about memory.
struct Ears {
    kept: Option<Arc<Kept>>,
    globals: Vec<PathBuf>,
}

impl Ears {
    /// Whether an event may change what memory says. Folders of the place always may; of files, those whose names are
    /// memory's.
    fn hear(&self, event: &notify::Event) -> bool {
        let is_of_a_file = matches!(
            event.kind,
            EventKind::Create(CreateKind::File)
                | EventKind::Remove(RemoveKind::File)
                | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
        );
        // An event without a path says that some were lost.
        !matches!(event.kind, EventKind::Access(_))
            && (event.paths.is_empty()
                || event.paths.iter().any(|path| self.is_near(path, is_of_a_file)))
    }

    fn is_near(&self, path: &Path, is_file: bool) -> bool {
        let in_project = self
            .kept
            .as_ref()
            .is_some_and(|kept| path.starts_with(&kept.root) && (!is_file || kept.knows(path)));
        let in_global = |global: &PathBuf| {
            global.starts_with(path) || global.parent().is_some_and(|own| path.starts_with(own))
        };
        in_project || self.globals.iter().any(in_global)
    }
}

impl Kept {
    /// The files that memory files import, as far as they were asked for.
    fn imports(&self) -> impl Iterator<Item = String> + use<> {
        locked(&self.imported).clone().into_iter()
    }

    fn knows(&self, path: &Path) -> bool {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return false;
        };
        self.finder.tells(name)
            || locked(&self.imported).iter().any(|path| path.rsplit('/').next() == Some(name))
    }
}

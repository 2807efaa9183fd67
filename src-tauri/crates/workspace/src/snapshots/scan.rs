//! Listing what is there: the whole folder, or the directories in which something may have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use siltstone_engine::checkpoint::{
    Dirty, NotCaptured, NotCapturedWhy, SnapshotError, SnapshotPlace, shown,
};
use siltstone_engine::ports::OnProgress;
use siltstone_engine::project::{ProbeProgress, is_never_sent};

use super::flat::flat;
use super::name::{below, failed_at, is_beneath, join, of, split};
use super::seen::{Seen, Stamp};
use crate::walk::as_git;

/// Entries between two reports.
const STRIDE: usize = 2_000;

/// Files whose change changes what is seen of everything beneath their directory.
pub(super) const PATTERN_FILES: [&[u8]; 3] = [b".gitignore", b".ignore", b"exclude"];

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    File(Stamp),
    Link(Stamp),
}

/// One directory as it is now.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed {
    pub(super) leaves: BTreeMap<Vec<u8>, Found>,
    pub(super) dirs: Vec<Vec<u8>>,
    pub(super) missed: Vec<NotCaptured>,
}

/// The directories that were listed. What is not among them is as it was.
#[derive(Default)]
pub(super) struct Scan {
    pub(super) dirs: BTreeMap<Vec<u8>, Listed>,
    /// Directories of which everything beneath was listed.
    pub(super) whole: Vec<Vec<u8>>,
    /// Those of `dirs` that were looked for and not met: they are gone, or nobody goes there any more.
    pub(super) absent: BTreeSet<Vec<u8>>,
    /// Something was met that is told of in a directory which was not listed: only a look at everything says it all.
    pub(super) is_unsure: bool,
}

/// Where to look.
#[derive(Clone, Debug, Default)]
pub(super) struct Area {
    /// These directories with all beneath them.
    whole: BTreeSet<Vec<u8>>,
    /// These directories alone.
    flat: BTreeSet<Vec<u8>>,
}

impl Area {
    /// Everything.
    pub(super) fn all() -> Self {
        Self { whole: BTreeSet::from([Vec::new()]), flat: BTreeSet::new() }
    }

    /// These directories alone.
    pub(super) fn flat(dirs: BTreeSet<Vec<u8>>) -> Self {
        Self { whole: BTreeSet::new(), flat: dirs }
    }

    /// Where something may have changed.
    pub(super) fn of(dirty: &Dirty, seen: Option<&Arc<Seen>>) -> Self {
        let mut area = Self::default();
        let (Dirty::Paths(paths), Some(seen)) = (dirty, seen) else { return Self::all() };
        for path in paths {
            let (dir, name) = split(path);
            if PATTERN_FILES.contains(&name) {
                let dir = dir.strip_suffix(b".git/info").unwrap_or(dir);
                area.whole.insert(dir.strip_suffix(b"/").unwrap_or(dir).to_vec());
            } else {
                if seen.dirs.contains_key(path) {
                    area.whole.insert(path.clone());
                }
                // A directory that is not known itself is found from the nearest one that is.
                let mut dir = dir;
                while !dir.is_empty() && !seen.dirs.contains_key(dir) {
                    dir = split(dir).0;
                }
                area.flat.insert(dir.to_vec());
            }
        }
        area
    }

    fn is_whole(&self, path: &[u8]) -> bool {
        self.whole.iter().any(|dir| is_beneath(path, dir))
    }

    /// Whether the walk goes into a directory.
    fn enters(&self, dir: &[u8], is_new: bool) -> bool {
        let leads_on = |to: &Vec<u8>| is_beneath(to, dir);
        self.is_whole(dir)
            || (is_new && self.lists(split(dir).0))
            || self.whole.iter().chain(&self.flat).any(leads_on)
    }

    /// Whether the names in a directory are taken down.
    fn lists(&self, dir: &[u8]) -> bool {
        self.flat.contains(dir) || self.is_whole(dir)
    }
}

/// Lists what may have changed.
pub(super) fn scan(
    root: &Path,
    place: &SnapshotPlace<'_>,
    area: Area,
    seen: Option<&Arc<Seen>>,
    progress: OnProgress<'_>,
) -> Result<Scan, SnapshotError> {
    std::fs::read_dir(root).map_err(|error| failed_at(&[], error))?;
    let area = Arc::new(area);
    let known = seen.cloned().unwrap_or_default();
    let rules = Rules { root, place, exclude: patterns(root, place.exclude) };
    if area.whole.is_empty()
        && place.also.is_empty()
        && let Some(scan) = flat(&rules, &area.flat, &known)
    {
        return match progress(ProbeProgress::default()) {
            true => Ok(scan),
            false => Err(SnapshotError::Cancelled),
        };
    }
    let mut listing = Listing { scan: Scan::default(), rules };
    listing.walk(&area, &known, false, progress)?;
    if !place.also.is_empty() {
        listing.walk(&area, &known, true, progress)?;
    }
    let mut scan = listing.scan;
    scan.whole = area.whole.iter().cloned().collect();
    // A directory that is gone was not met, and has nothing now.
    for dir in area.whole.iter().chain(&area.flat) {
        if !scan.dirs.contains_key(dir) {
            scan.dirs.insert(dir.clone(), Listed::default());
            scan.absent.insert(dir.clone());
        }
    }
    Ok(scan)
}

struct Listing<'a> {
    scan: Scan,
    rules: Rules<'a>,
}

impl Listing<'_> {
    /// `ignored` looks once more, at what git ignores and the person wants.
    fn walk(
        &mut self,
        area: &Arc<Area>,
        known: &Arc<Seen>,
        ignored: bool,
        progress: OnProgress<'_>,
    ) -> Result<(), SnapshotError> {
        let root = self.rules.root;
        let skipped = Arc::new(AtomicBool::new(false));
        let (real, inside, dirs) = (root.to_owned(), Arc::clone(area), Arc::clone(known));
        // Directories that stay as they are, met on the way.
        let passed: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let passing = Arc::clone(&passed);
        let mut builder = as_git(root, Arc::clone(&skipped), move |entry| {
            let Some(path) = below(&real, entry.path()) else { return false };
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            let listed = path.is_empty() || listed_here(&inside, &dirs, &path);
            if !is_dir {
                return listed;
            }
            let enters = inside.enters(&path, !dirs.dirs.contains_key(&path))
                || is_new_below(&inside, &dirs, &path);
            if listed && !enters {
                passing.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            }
            enters
        });
        if ignored {
            builder.git_ignore(false).ignore(false);
        }
        let also = patterns(root, self.rules.place.also);
        let mut counts = ProbeProgress::default();
        for (index, entry) in builder.build().enumerate() {
            if index % STRIDE == 0 && !progress(counts) {
                return Err(SnapshotError::Cancelled);
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.unreadable(&error, area, known);
                    continue;
                }
            };
            let Some(path) = below(root, entry.path()).filter(|path| !path.is_empty()) else {
                continue;
            };
            let (dir, name) = split(&path);
            let Some(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                counts.folders += 1;
                // It may have nothing in it, and is there all the same.
                if !ignored && listed_here(area, known, &join(&path, b".")) {
                    self.scan.dirs.entry(path.clone()).or_default();
                }
                if listed_here(area, known, &path) {
                    self.scan.dirs.entry(dir.to_vec()).or_default().dirs.push(name.to_vec());
                }
                continue;
            }
            if ignored && !also.matched_path_or_any_parents(entry.path(), false).is_ignore() {
                continue;
            }
            let wanted =
                ignored || also.matched_path_or_any_parents(entry.path(), false).is_ignore();
            // What is gone by now is not there.
            let Ok(metadata) = entry.metadata() else { continue };
            counts.files += 1;
            counts.bytes += metadata.len();
            let listed = self.scan.dirs.entry(dir.to_vec()).or_default();
            match self.rules.judge(entry.path(), of(entry.file_name()), &metadata, wanted) {
                Ok(found) => _ = listed.leaves.insert(name.to_vec(), found),
                Err(why) => listed.missed.push(NotCaptured { path: shown(&path), why }),
            }
        }
        for path in passed.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let (dir, name) = split(&path);
            self.scan.dirs.entry(dir.to_vec()).or_default().dirs.push(name.to_vec());
        }
        if skipped.load(Ordering::Relaxed) {
            self.scan.is_unsure |= !area.is_whole(&[]);
            let root = self.scan.dirs.entry(Vec::new()).or_default();
            root.missed.push(NotCaptured {
                path: String::from(".gitignore"),
                why: NotCapturedWhy::NotRegular,
            });
        }
        Ok(())
    }

    fn unreadable(&mut self, error: &ignore::Error, area: &Area, known: &Seen) {
        let Some(path) = path_of(error).and_then(|path| below(self.rules.root, path)) else {
            return;
        };
        self.scan.is_unsure |= !listed_here(area, known, &path);
        let listed = self.scan.dirs.entry(split(&path).0.to_vec()).or_default();
        let why = NotCapturedWhy::Unreadable;
        listed.missed.push(NotCaptured { path: shown(&path), why });
    }
}

/// Whether the directory of a path is taken down, and not only passed through.
fn listed_here(area: &Area, known: &Seen, path: &[u8]) -> bool {
    area.lists(split(path).0) || is_new_below(area, known, path)
}

/// Whether a path lies in a directory that was not there at the last capture.
fn is_new_below(area: &Area, known: &Seen, path: &[u8]) -> bool {
    let mut dir = split(path).0;
    while !dir.is_empty() && !known.dirs.contains_key(dir) {
        let above = split(dir).0;
        if area.lists(above) {
            return true;
        }
        dir = above;
    }
    false
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

pub(super) struct Rules<'a> {
    pub(super) root: &'a Path,
    place: &'a SnapshotPlace<'a>,
    exclude: Gitignore,
}

impl Rules<'_> {
    pub(super) fn judge(
        &self,
        path: &Path,
        name: &[u8],
        metadata: &Metadata,
        wanted: bool,
    ) -> Result<Found, NotCapturedWhy> {
        let secret = !wanted && std::str::from_utf8(name).is_ok_and(is_never_sent);
        if secret || self.exclude.matched_path_or_any_parents(path, false).is_ignore() {
            return Err(NotCapturedWhy::Excluded);
        }
        let stamp = stamp(metadata);
        if metadata.is_symlink() {
            Ok(Found::Link(stamp))
        } else if !metadata.is_file() {
            Err(NotCapturedWhy::NotRegular)
        } else if metadata.len() > self.place.max_file_bytes {
            Err(NotCapturedWhy::TooLarge)
        } else {
            Ok(Found::File(stamp))
        }
    }
}

/// Patterns as in `.gitignore`; a line that is none is left out.
pub(super) fn patterns(root: &Path, lines: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for line in lines {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The stamp of a file.
pub(super) fn stamp(metadata: &Metadata) -> Stamp {
    let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
    let modified_ns = match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    };
    let (changed_ns, inode, mode, links) = system(metadata);
    Stamp { size: metadata.len(), modified_ns, changed_ns, inode, mode, links }
}

#[cfg(unix)]
fn system(metadata: &Metadata) -> (i64, u64, u32, u64) {
    use std::os::unix::fs::MetadataExt;
    let changed =
        metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
    (changed, metadata.ino(), metadata.mode() & 0o7777, metadata.nlink())
}

/// Only whether it may be written is known there.
#[cfg(not(unix))]
fn system(metadata: &Metadata) -> (i64, u64, u32, u64) {
    (0, 0, if metadata.permissions().readonly() { 0o444 } else { 0o644 }, 1)
}

//! One capture: what has another stamp is read, by all processors at once, and the trees above it are built anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::checkpoint::{
    Captured, Dirty, IN_PROJECT, Leaf, Node, NotCaptured, NotCapturedWhy, Objects, SnapshotError,
    SnapshotPlace, Tree, shown,
};
use siltstone_engine::ports::{OnProgress, StoreError};
use siltstone_engine::project::ProbeProgress;

use super::name::{failed_at, join, split, to_path};
use super::scan::{Area, Found, Scan, patterns, scan};
use super::seen::{Seen, SeenDir, SeenLeaf, Stamp};
use super::sweep;
use crate::read::{Refused, regular};

/// How often a file is read again that changes while it is read.
const TRIES: u32 = 3;

/// A file that changed this shortly before may change again without another stamp: file systems count time in steps.
const STEP_NS: i64 = 20_000_000;

/// What came of a capture.
pub(super) struct Taken {
    pub(super) captured: Captured,
    /// What is known of the folder from here on.
    pub(super) seen: Seen,
    /// The directories that were looked into.
    pub(super) listed: Vec<Vec<u8>>,
    /// Whether those are all there are.
    pub(super) whole: bool,
    /// Whether the stamp of any of them tells from now on whether it is the same.
    pub(super) marked: bool,
}

/// How to find what changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look<'a> {
    /// By going there; everywhere, if that is what is dirty.
    At(&'a Dirty),
    /// By the stamp of everything that is known.
    Stamps,
}

/// Captures a folder.
pub(super) fn capture(
    root: &Path,
    place: &SnapshotPlace<'_>,
    look: Look<'_>,
    before: Option<Seen>,
    objects: &dyn Objects,
    progress: OnProgress<'_>,
) -> Result<Taken, SnapshotError> {
    // Content that was captured is there still if the tree above all of it is.
    let before = match before {
        Some(seen) if is_kept(&seen, objects)? => Some(seen),
        _ => None,
    };
    let started = now_ns();
    let everywhere = sweep::everywhere();
    // The walk needs it in its own threads, and gives it back.
    let before = before.map(Arc::new);
    let area = match (look, &before) {
        (Look::At(dirty), before) => Area::of(dirty, before.as_ref()),
        (Look::Stamps, Some(seen)) if seen.everywhere == everywhere => {
            sweep::sweep(root, seen).map_or_else(Area::all, Area::flat)
        }
        (Look::Stamps, _) => Area::all(),
    };
    let mut found = scan(root, place, area, before.as_ref(), progress)?;
    if found.is_unsure || before.as_deref().is_some_and(|seen| names_again(&found, seen)) {
        found = scan(root, place, Area::all(), before.as_ref(), progress)?;
    }
    let whole = found.whole.iter().any(Vec::is_empty);
    let mut seen = before.and_then(Arc::into_inner).unwrap_or_default();
    let mut old = BTreeMap::new();
    for dir in &found.whole {
        seen.take(dir, &mut old);
    }
    let mut changed = BTreeSet::new();
    let mut wanted = Vec::new();
    for (dir, listed) in found.dirs {
        let was = seen.dirs.remove(&dir).or_else(|| old.remove(&dir)).unwrap_or_default();
        let mut now = SeenDir { missed: listed.missed, ..SeenDir::default() };
        for (name, found) in listed.leaves {
            let same = was.leaves.get(&name).filter(|was| is_same(was, found));
            match same {
                Some(leaf) => _ = now.leaves.insert(name, leaf.clone()),
                None => wanted.push((dir.clone(), name, found)),
            }
        }
        let inner: BTreeSet<Vec<u8>> = listed.dirs.into_iter().collect();
        let gone = seen.inner.get(&dir).into_iter().flatten();
        let gone: Vec<Vec<u8>> =
            gone.filter(|path| !inner.contains(split(path).1)).cloned().collect();
        for dir in gone {
            seen.take(&dir, &mut old);
        }
        let inner = inner.iter().map(|name| join(&dir, name)).collect();
        seen.inner.insert(dir.clone(), inner);
        seen.dirs.insert(dir.clone(), now);
        changed.insert(dir);
    }
    // What was looked for and is gone is not known any more, or nobody would find it when it comes back.
    changed.retain(|dir| {
        let above = seen.inner.get(split(dir).0);
        let there = dir.is_empty() || above.is_some_and(|dirs| dirs.contains(dir));
        if !there {
            seen.take(dir, &mut old);
        }
        there
    });
    let read = read_all(root, place, &wanted, objects, started, progress)?;
    let count = read.len() as u64;
    for ((dir, name, _), outcome) in wanted.into_iter().zip(read) {
        let Some(at) = seen.dirs.get_mut(&dir) else { continue };
        match outcome {
            Ok(leaf) => _ = at.leaves.insert(name, leaf),
            Err(Some(why)) => {
                at.missed.push(NotCaptured { path: shown(&join(&dir, &name)), why });
            }
            // Gone meanwhile.
            Err(None) => {}
        }
    }
    seen.look_for_restless(&changed);
    seen.everywhere = everywhere;
    let mut marked = false;
    for dir in &changed {
        let Some(at) = seen.dirs.get_mut(dir) else { continue };
        at.marks = sweep::marks(root, dir).filter(|it| it.is_before(started - STEP_NS));
        marked |= at.marks.is_some();
    }
    let listed = changed.iter().cloned().collect();
    let exclude = patterns(root, place.exclude);
    // A folder is there without anything in it; one that the person keeps out, or that holds checkpoints alone, is not.
    let is_kept = |dir: &[u8]| {
        let path = to_path(dir).map(|dir| root.join(dir));
        let out = |path| exclude.matched_path_or_any_parents(path, true).is_ignore();
        dir != IN_PROJECT[0].as_bytes()
            && !found.absent.contains(dir)
            && path.is_some_and(|path| !out(path))
    };
    build(&mut seen, changed, objects, &is_kept)?;
    let missed = seen.dirs.values().flat_map(|dir| dir.missed.iter().cloned());
    let not_captured = missed.collect();
    let top = seen.dirs.get(&Vec::new());
    let captured = Captured {
        tree: top.and_then(|top| top.tree),
        files: top.map_or(0, |top| top.files),
        bytes: top.map_or(0, |top| top.bytes),
        read: count,
        not_captured,
    };
    Ok(Taken { captured, seen, listed, whole, marked })
}

fn is_kept(seen: &Seen, objects: &dyn Objects) -> Result<bool, StoreError> {
    let tree = seen.dirs.get(&Vec::new()).and_then(|top| top.tree);
    tree.map_or(Ok(true), |tree| objects.has(tree))
}

fn is_same(was: &SeenLeaf, found: Found) -> bool {
    let (Found::File(stamp) | Found::Link(stamp)) = found;
    let same_kind = matches!(was.leaf, Leaf::Link { .. }) == matches!(found, Found::Link(_));
    !was.racy && same_kind && was.stamp == stamp
}

/// Whether a file was met that has several names and had not, as far as is known: it may have been written by this name
/// and be known by another one, of which nobody tells.
fn names_again(scan: &Scan, seen: &Seen) -> bool {
    let is_whole = scan.whole.iter().any(Vec::is_empty);
    let mut listed = scan.dirs.iter().filter(|_| !is_whole);
    listed.any(|(dir, listed)| {
        let was = seen.dirs.get(dir);
        listed.leaves.iter().any(|(name, found)| {
            let (Found::File(now) | Found::Link(now)) = found;
            let was = was.and_then(|was| was.leaves.get(name)).map(|was| was.stamp);
            now.links > 1 && was.is_none_or(|was| (was.inode, was.links) != (now.inode, now.links))
        })
    })
}

type Wanted = (Vec<u8>, Vec<u8>, Found);

/// What came of reading one file; `Err(None)` when it is gone.
type Outcome = Result<SeenLeaf, Option<NotCapturedWhy>>;

/// Reads files into objects, on every processor.
fn read_all(
    root: &Path,
    place: &SnapshotPlace<'_>,
    wanted: &[Wanted],
    objects: &dyn Objects,
    started: i64,
    progress: OnProgress<'_>,
) -> Result<Vec<Outcome>, SnapshotError> {
    let dir =
        Dir::open_ambient_dir(root, ambient_authority()).map_err(|error| failed_at(&[], error))?;
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
    let failed: Mutex<Option<StoreError>> = Mutex::default();
    let reader = Reader { dir: &dir, max_bytes: place.max_file_bytes, objects, started };
    let work = |report: &mut dyn FnMut() -> bool| {
        let mut mine = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(wanted) = wanted.get(index) else { break };
            match reader.read(wanted) {
                Ok(outcome) => mine.push((index, outcome)),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                }
            }
            if !report() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(mine);
    };
    let others = std::thread::available_parallelism().map_or(1, |count| count.get()) - 1;
    let others = others.min(wanted.len() / 64);
    let mut cancelled = false;
    std::thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|| work(&mut || true));
        }
        let mut counts = ProbeProgress::default();
        work(&mut || {
            counts.files = next.load(Ordering::Relaxed) as u64;
            cancelled = counts.files.is_multiple_of(64) && !progress(counts);
            !cancelled
        });
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error.into());
    }
    if cancelled {
        return Err(SnapshotError::Cancelled);
    }
    let done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(done.into_values().collect())
}

struct Reader<'a> {
    dir: &'a Dir,
    max_bytes: u64,
    objects: &'a dyn Objects,
    started: i64,
}

impl Reader<'_> {
    fn read(&self, (dir, name, found): &Wanted) -> Result<Outcome, StoreError> {
        let Some(path) = to_path(&join(dir, name)) else {
            return Ok(Err(Some(NotCapturedWhy::Unreadable)));
        };
        match found {
            Found::Link(stamp) => Ok(match self.dir.read_link_contents(&path) {
                Ok(target) => {
                    let target = target.as_os_str().as_encoded_bytes().to_vec();
                    Ok(self.seen(*stamp, Leaf::Link { target }))
                }
                Err(error) => Err(why(&error)),
            }),
            Found::File(stamp) => self.file(&path, *stamp),
        }
    }

    fn file(&self, path: &Path, listed: Stamp) -> Result<Outcome, StoreError> {
        let mut stamp = listed;
        for _ in 0..TRIES {
            let bytes = match regular(self.dir, path, self.max_bytes) {
                Ok(bytes) => bytes,
                Err(Refused::NotRegular) => return Ok(Err(Some(NotCapturedWhy::NotRegular))),
                Err(Refused::TooLarge { .. }) => return Ok(Err(Some(NotCapturedWhy::TooLarge))),
                Err(Refused::Io(error)) => return Ok(Err(why(&error))),
            };
            let after = match self.dir.symlink_metadata(path) {
                Ok(metadata) => again(&metadata, stamp),
                Err(error) => return Ok(Err(why(&error))),
            };
            if after == stamp && bytes.len() as u64 == stamp.size {
                let id = self.objects.put(&bytes)?;
                let leaf = Leaf::File { id, size: stamp.size, mode: stamp.mode };
                return Ok(Ok(self.seen(stamp, leaf)));
            }
            stamp = after;
        }
        Ok(Err(Some(NotCapturedWhy::Unsteady)))
    }

    fn seen(&self, stamp: Stamp, leaf: Leaf) -> SeenLeaf {
        let latest = stamp.modified_ns.max(stamp.changed_ns);
        SeenLeaf { stamp, leaf, racy: latest >= self.started - STEP_NS }
    }
}

/// The stamp of a file that was just read, through the root's handle.
#[cfg(unix)]
fn again(metadata: &cap_std::fs::Metadata, _before: Stamp) -> Stamp {
    use cap_std::fs::MetadataExt;
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000) + rest;
    Stamp {
        size: metadata.len(),
        modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
        mode: metadata.mode() & 0o7777,
        links: metadata.nlink(),
    }
}

/// Where the system tells less, size and time decide.
#[cfg(not(unix))]
fn again(metadata: &cap_std::fs::Metadata, before: Stamp) -> Stamp {
    let modified = metadata.modified().map(|at| at.into_std()).unwrap_or(UNIX_EPOCH);
    let modified_ns = modified
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|after| i64::try_from(after.as_nanos()).ok())
        .unwrap_or(before.modified_ns);
    Stamp { size: metadata.len(), modified_ns, ..before }
}

fn why(error: &std::io::Error) -> Option<NotCapturedWhy> {
    (error.kind() != std::io::ErrorKind::NotFound).then_some(NotCapturedWhy::Unreadable)
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Builds the trees of these directories and of all above them, the deepest first. `is_kept` says which of those in which
/// there is nothing have one.
fn build(
    seen: &mut Seen,
    mut changed: BTreeSet<Vec<u8>>,
    objects: &dyn Objects,
    is_kept: &dyn Fn(&[u8]) -> bool,
) -> Result<(), StoreError> {
    for dir in changed.clone() {
        let mut dir = dir.as_slice();
        while !dir.is_empty() {
            dir = split(dir).0;
            changed.insert(dir.to_vec());
        }
    }
    let depth = |dir: &Vec<u8>| match dir.is_empty() {
        true => 0,
        false => 1 + dir.iter().filter(|byte| **byte == b'/').count(),
    };
    let mut order: Vec<Vec<u8>> = changed.into_iter().collect();
    order.sort_by_key(|dir| std::cmp::Reverse(depth(dir)));
    for dir in order {
        let (mut entries, mut files, mut bytes) = (Vec::new(), 0, 0);
        for path in seen.inner.get(&dir).into_iter().flatten() {
            let Some(inner) = seen.dirs.get(path) else { continue };
            files += inner.files;
            bytes += inner.bytes;
            entries.extend(inner.tree.map(|id| (split(path).1.to_vec(), Node::Dir(id))));
        }
        let Some(at) = seen.dirs.get_mut(&dir) else { continue };
        for (name, leaf) in &at.leaves {
            files += 1;
            bytes += leaf.stamp.size;
            entries.push((name.clone(), Node::Leaf(leaf.leaf.clone())));
        }
        (at.files, at.bytes) = (files, bytes);
        let is_nothing =
            entries.is_empty() && (dir.is_empty() || !at.missed.is_empty() || !is_kept(&dir));
        at.tree = match is_nothing {
            true => None,
            false => Some(objects.put(&Tree::new(entries).encode().1)?),
        };
    }
    Ok(())
}

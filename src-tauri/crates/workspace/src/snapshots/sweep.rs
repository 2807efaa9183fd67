//! Looking at every stamp and at nothing else: which known directories have something that is not as it was seen.
//!
//! A name comes, goes or changes hands only with the stamp of its directory, so a directory whose stamp is the same has
//! the same names, and each of them is asked for its own. The patterns of ignored files are asked for too, whether they
//! were captured or not. That is sound where stamps are: on the file systems of this computer. Nothing is listed here,
//! and nothing is read.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, Stat, open, statat};
use siltstone_engine::checkpoint::Leaf;

use super::flat::KINDS;
use super::name::to_path;
use super::seen::{Marks, Moment, Seen, SeenDir, SeenLeaf};
use crate::locked;

/// Directories that a thread takes at once.
const STRIDE: usize = 32;

/// Directories that have to be listed again; `None` when everything has to be looked at.
pub(super) fn sweep(root: &Path, seen: &Seen) -> Option<BTreeSet<Vec<u8>>> {
    let dirs: Vec<(&Vec<u8>, &SeenDir)> = seen.dirs.iter().collect();
    let (next, other_rules) = (AtomicUsize::new(0), AtomicBool::new(false));
    let dirty = Mutex::new(BTreeSet::new());
    let work = || {
        let mut mine = Vec::new();
        while !other_rules.load(Ordering::Relaxed) {
            let first = next.fetch_add(STRIDE, Ordering::Relaxed);
            let Some(some) = dirs.get(first..(first + STRIDE).min(dirs.len())) else { break };
            if some.is_empty() {
                break;
            }
            for (path, dir) in some {
                match look(root, path, dir) {
                    Found::Same => {}
                    Found::Other => mine.push((*path).clone()),
                    Found::OtherRules => other_rules.store(true, Ordering::Relaxed),
                }
            }
        }
        locked(&dirty).extend(mine);
    };
    let others = std::thread::available_parallelism().map_or(1, |count| count.get()) - 1;
    std::thread::scope(|scope| {
        for _ in 0..others.min(dirs.len() / STRIDE) {
            scope.spawn(work);
        }
        work();
    });
    let mut dirty = dirty.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    // Those in which there was nothing yet.
    let inner = seen.inner.values().flatten();
    dirty.extend(inner.filter(|dir| !seen.dirs.contains_key(*dir)).cloned());
    // Beyond that a walk is the shorter way.
    (!other_rules.into_inner() && dirty.len() <= dirs.len() / 2).then_some(dirty)
}

enum Found {
    Same,
    Other,
    OtherRules,
}

fn look(root: &Path, path: &[u8], dir: &SeenDir) -> Found {
    let Some(before) = &dir.marks else { return Found::Other };
    let Some(now) = marks(root, path) else { return Found::Other };
    if now.patterns != before.patterns {
        return Found::OtherRules;
    }
    // What was left out may have become what is captured without another name.
    if now != *before || !dir.missed.is_empty() {
        return Found::Other;
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Some(Ok(handle)) = to_path(path).map(|path| open(root.join(path), flags, Mode::empty()))
    else {
        return Found::Other;
    };
    let is_same = |(name, leaf): (&Vec<u8>, &SeenLeaf)| {
        let Some(name) = to_path(name) else { return false };
        let stat = statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| is_as_seen(&stat, leaf))
    };
    if dir.leaves.iter().all(is_same) { Found::Same } else { Found::Other }
}

fn is_as_seen(stat: &Stat, leaf: &SeenLeaf) -> bool {
    let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
    let same_kind = match leaf.leaf {
        Leaf::Link { .. } => kind.is_symlink(),
        Leaf::File { .. } => kind.is_file(),
    };
    let stamp = &leaf.stamp;
    let nanoseconds = |seconds: i64, rest: u64| {
        seconds.saturating_mul(1_000_000_000).saturating_add_unsigned(rest)
    };
    let modified = nanoseconds(stat.st_mtime, stat.st_mtime_nsec);
    let changed = nanoseconds(stat.st_ctime, stat.st_ctime_nsec);
    !leaf.racy
        && same_kind
        && u64::try_from(stat.st_size).is_ok_and(|size| size == stamp.size)
        && (modified, changed, stat.st_ino) == (stamp.modified_ns, stamp.changed_ns, stamp.inode)
        && stat.st_mode & 0o7777 == stamp.mode
        && stat.st_nlink == stamp.links
}

/// The stamp of the patterns that hold in every repository of this computer.
pub(super) fn everywhere() -> Option<Moment> {
    let path = ignore::gitignore::gitconfig_excludes_path()?;
    Some(moment(&path.metadata().ok()?))
}

/// What tells whether a directory has the same names and rules; `None` where it is no directory any more.
pub(super) fn marks(root: &Path, path: &[u8]) -> Option<Marks> {
    let place = root.join(to_path(path)?);
    let own = place.symlink_metadata().ok().filter(Metadata::is_dir)?;
    // A link to patterns elsewhere is followed, as they are when they are read.
    let patterns = KINDS.map(|kind| place.join(kind).metadata().ok().map(|it| moment(&it)));
    Some(Marks { own: moment(&own), patterns })
}

fn moment(it: &Metadata) -> Moment {
    let time = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    (it.ino(), time(it.mtime(), it.mtime_nsec()), time(it.ctime(), it.ctime_nsec()))
}

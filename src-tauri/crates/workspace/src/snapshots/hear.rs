//! What the system tells of a folder between two captures. The kernel queues what happened before whoever did it goes
//! on, and a capture empties the queue before it looks: so what is done before a capture is in it, without a thread and
//! without waiting. Only directories that are captured are watched, one by one, for the system has few watches.
//!
//! What is not told: a mapped file until it is unmapped, a write through a name outside of the folder (files with
//! several names are looked at each time, as far as they had them before), a folder that stops being a cache. The walk
//! that verifies finds those. Where more may be missing nothing is watched at all: on other file systems than
//! [`place::is_told`](crate::place::is_told) names, and where watches have run out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::Metadata;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::inotify::{
    CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch,
};
use rustix::io::Errno;

use super::name::{is_beneath, join, split, to_path};
use super::seen::Seen;
use crate::place;

/// The part of the system's watches that may be taken, as a divisor: other programs of the person need them too.
const SHARE: usize = 8;

/// Where the system says how many watches one person may have.
const LIMIT: &str = "/proc/sys/fs/inotify/max_user_watches";

/// Bytes of the queue that are read at once.
const BUFFER: usize = 64 * 1024;

/// The file of patterns git keeps in a repository, which is not captured itself.
const GIT_EXCLUDE: &[u8] = b".git/info/exclude";

/// What is listened to.
const EVENTS: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::EXCL_UNLINK);

/// Listens to one folder, as long as it lives.
pub(super) struct Ear {
    queue: OwnedFd,
    root: PathBuf,
    /// Which folder that was.
    identity: (u64, u64),
    /// Patterns for every repository of the person, and their state.
    patterns: Patterns,
    folders: HashMap<i32, Vec<u8>>,
    watches: BTreeMap<Vec<u8>, i32>,
    /// Watches of all folders that are listened to, and how many there may be.
    all: Arc<AtomicUsize>,
    most: usize,
    dirty: BTreeSet<Vec<u8>>,
    /// Events that were heard.
    heard: u64,
}

type Patterns = Option<(PathBuf, Option<(u64, i64, i64)>)>;

impl Ear {
    /// Begins to listen; the directories are named with [`Ear::turn_to`]. `None` where not all would be told.
    pub(super) fn open(root: &Path, all: &Arc<AtomicUsize>) -> Option<Self> {
        if !place::is_told(root) {
            return None;
        }
        Some(Self {
            queue: init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?,
            root: root.to_owned(),
            identity: identity(&root.metadata().ok()?),
            patterns: patterns(),
            folders: HashMap::new(),
            watches: BTreeMap::new(),
            all: Arc::clone(all),
            most: limit() / SHARE,
            dirty: BTreeSet::new(),
            heard: 0,
        })
    }

    /// Takes in what was told until now; `false` when more happened than was told.
    pub(super) fn listen(&mut self) -> bool {
        let is_root = self.root.metadata().is_ok_and(|now| identity(&now) == self.identity);
        if !is_root || patterns() != self.patterns {
            return false;
        }
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        let mut told = Vec::new();
        {
            let mut reader = Reader::new(&self.queue, &mut buffer);
            loop {
                match reader.next() {
                    Ok(event) => {
                        let name = event.file_name().map(|name| name.to_bytes().to_vec());
                        told.push((event.wd(), event.events(), name));
                    }
                    Err(Errno::AGAIN) => break,
                    Err(Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
        }
        told.into_iter().all(|(watch, what, name)| self.hear(watch, what, name))
    }

    fn hear(&mut self, watch: i32, what: ReadFlags, name: Option<Vec<u8>>) -> bool {
        if what.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            return false;
        }
        // A directory that went or moved was told by the one above it, and is watched anew if it is there.
        let Some(dir) = self.folders.get(&watch).cloned() else { return true };
        self.heard += 1;
        if what.contains(ReadFlags::IGNORED) {
            self.drop_watch(&dir, watch);
            return !dir.is_empty();
        }
        let (owner, last) = split(&dir);
        if last == b".git" || dir.ends_with(b".git/info") {
            let is_pattern = name.is_none_or(|name| name == b"info" || name == b"exclude");
            if is_pattern {
                let repository = if last == b".git" { owner } else { split(owner).0 };
                self.repository(repository);
            }
            return true;
        }
        let Some(name) = name else {
            let is_other = what.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF);
            if is_other {
                self.forget(&dir);
            }
            let is_root = dir.is_empty();
            self.dirty.insert(dir);
            return !(is_root && is_other);
        };
        let path = join(&dir, &name);
        if name == b".git" {
            self.repository(&dir);
        }
        let other =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        if what.contains(ReadFlags::ISDIR) && what.intersects(other) {
            self.forget(&path);
        }
        self.dirty.insert(path);
        true
    }

    /// The patterns of a repository may be others now.
    fn repository(&mut self, dir: &[u8]) {
        self.forget(&join(dir, b".git"));
        self.dirty.insert(join(dir, GIT_EXCLUDE));
    }

    /// What may have changed since the last capture that was finished.
    pub(super) fn dirty(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.dirty.iter()
    }

    /// How much was heard so far.
    pub(super) fn heard(&self) -> u64 {
        self.heard
    }

    /// A capture is finished: from here on only what was told after [`Ear::listen`] is dirty, and what was not watched
    /// while these directories were listed. `whole` when they are all there are. `false` when watches run out.
    pub(super) fn turn_to(&mut self, seen: &Seen, listed: &[Vec<u8>], whole: bool) -> bool {
        self.dirty.clear();
        let inner = listed.iter().filter_map(|dir| seen.inner.get(dir)).flatten();
        let dirs: BTreeSet<&Vec<u8>> = listed.iter().chain(inner).collect();
        if whole {
            let of = |path: &Vec<u8>| match path.strip_suffix(b"/info").unwrap_or(path) {
                b".git" => Vec::new(),
                path => path.strip_suffix(b"/.git").unwrap_or(path).to_vec(),
            };
            let gone = self.watches.keys().filter(|path| !dirs.contains(&of(path)));
            for path in gone.cloned().collect::<Vec<_>>() {
                self.forget(&path);
            }
        }
        dirs.into_iter().all(|dir| {
            self.watch(dir, dir)
                && self.watch(&join(dir, b".git"), &join(dir, GIT_EXCLUDE))
                && self.watch(&join(dir, b".git/info"), &join(dir, GIT_EXCLUDE))
        })
    }

    /// Watches a directory. What was not watched until now is `dirty`.
    fn watch(&mut self, dir: &[u8], dirty: &[u8]) -> bool {
        if self.watches.contains_key(dir) {
            return true;
        }
        let Some(path) = to_path(dir) else { return true };
        match add_watch(&self.queue, self.root.join(path), EVENTS) {
            Ok(watch) => {
                self.folders.insert(watch, dir.to_vec());
                self.watches.insert(dir.to_vec(), watch);
                self.dirty.insert(dirty.to_vec());
                self.all.fetch_add(1, Ordering::Relaxed) < self.most
            }
            // It is gone, which is told; or it is no directory; or it may not be read, and was not.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => true,
            Err(_) => false,
        }
    }

    /// Stops watching a directory and what is beneath it.
    fn forget(&mut self, dir: &[u8]) {
        let beneath = self.watches.range(dir.to_vec()..);
        let beneath = beneath.take_while(|(path, _)| path.starts_with(dir));
        let beneath = beneath.filter(|(path, _)| is_beneath(path, dir));
        let gone: Vec<(Vec<u8>, i32)> = beneath.map(|(path, at)| (path.clone(), *at)).collect();
        for (path, watch) in gone {
            // One that moved has another name by now, and its watch goes with it.
            if self.folders.get(&watch) == Some(&path) {
                // The system has dropped it already where the directory is gone.
                let _ = remove_watch(&self.queue, watch);
            }
            self.drop_watch(&path, watch);
        }
    }

    fn drop_watch(&mut self, path: &[u8], watch: i32) {
        if self.folders.get(&watch).is_some_and(|of| of == path) {
            self.folders.remove(&watch);
        }
        if self.watches.get(path) == Some(&watch) {
            self.watches.remove(path);
            self.all.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.all.fetch_sub(self.watches.len(), Ordering::Relaxed);
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Patterns that hold in every repository stand outside of the folder.
fn patterns() -> Patterns {
    let path = ignore::gitignore::gitconfig_excludes_path()?;
    let stamp = path.metadata().ok().map(|it| (it.size(), it.mtime(), it.mtime_nsec()));
    Some((path, stamp))
}

fn limit() -> usize {
    let said = std::fs::read_to_string(LIMIT);
    said.ok().and_then(|said| said.trim().parse().ok()).unwrap_or_default()
}

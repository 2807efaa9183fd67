//! What a capture remembers for the next one: the stamp and the content of each file, and the tree of each directory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use siltstone_engine::checkpoint::{Leaf, NotCaptured, ObjectId};

use super::name::{join, split};
use super::scan::PATTERN_FILES;

/// How the file begins: a name and the form; another one is not read. What follows is compressed, for it weighs as much
/// as a tenth of what small files hold.
const START: &[u8; 8] = b"SILTSN\0\x04";

/// Fast, and less than half of the size.
const LEVEL: i32 = 1;

/// What tells whether a file is the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) modified_ns: i64,
    /// When its content, name or permissions changed; nobody can set it back. Zero where the system has none.
    pub(super) changed_ns: i64,
    pub(super) inode: u64,
    pub(super) mode: u32,
    /// Its names in the file system; one where the system does not say.
    pub(super) links: u64,
}

/// A file or link that was captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenLeaf {
    pub(super) stamp: Stamp,
    pub(super) leaf: Leaf,
    /// It changed so shortly before it was read that a later change may have the same stamp.
    pub(super) racy: bool,
}

impl SeenLeaf {
    /// Whether it is looked at again although nobody tells of it: it may have changed in the instant it was read, it
    /// may be written by another name, or the patterns in it stand elsewhere.
    fn is_restless(&self, name: &[u8]) -> bool {
        let is_elsewhere = matches!(self.leaf, Leaf::Link { .. }) && PATTERN_FILES.contains(&name);
        self.racy || self.stamp.links > 1 || is_elsewhere
    }
}

/// A directory that was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenDir {
    pub(super) leaves: BTreeMap<Vec<u8>, SeenLeaf>,
    pub(super) missed: Vec<NotCaptured>,
    /// Its tree, unless it is empty.
    pub(super) tree: Option<ObjectId>,
    /// Files and links in it and beneath it.
    pub(super) files: u64,
    /// Their bytes.
    pub(super) bytes: u64,
    /// What it was when it was listed; `None` when it may have changed in that instant, or where nothing tells.
    pub(super) marks: Option<Marks>,
}

/// When something has a stamp: its inode, and the times of its content and of itself.
pub(super) type Moment = (u64, i64, i64);

/// What tells whether a directory has the names and the patterns it was listed with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    pub(super) own: Moment,
    /// Of the files of patterns in it.
    pub(super) patterns: [Option<Moment>; 3],
}

impl Marks {
    /// Whether all of it is older than this.
    pub(super) fn is_before(&self, moment: i64) -> bool {
        let all = self.patterns.iter().flatten().chain([&self.own]);
        all.into_iter().all(|(_, modified, changed)| *modified.max(changed) < moment)
    }
}

/// What of a folder is captured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rules {
    pub(super) exclude: Vec<String>,
    pub(super) also: Vec<String>,
    pub(super) max_file_bytes: u64,
}

/// A folder that was captured, by the paths of its directories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) dirs: BTreeMap<Vec<u8>, SeenDir>,
    /// The directories in a directory.
    pub(super) inner: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    /// The stamp of the patterns that hold on the whole computer.
    pub(super) everywhere: Option<Moment>,
    /// By which rules all of it was found.
    pub(super) rules: Rules,
    /// Files that may change, or have changed, without a word.
    #[serde(skip)]
    pub(super) restless: BTreeSet<Vec<u8>>,
}

impl Seen {
    /// What was seen of a root in an earlier run; nothing is lost when it cannot be read.
    pub(super) fn load(state: &Path, root: &Path) -> Option<Self> {
        let bytes = fs::read(file(state, root)).ok()?;
        let bytes = zstd::decode_all(bytes.strip_prefix(START)?).ok()?;
        let (of, seen): (Vec<u8>, Self) = postcard::from_bytes(&bytes).ok()?;
        (of == root.as_os_str().as_encoded_bytes()).then_some(seen)
    }

    /// Keeps it for the next run.
    pub(super) fn save(&self, state: &Path, root: &Path) {
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(state)?;
            let of = root.as_os_str().as_encoded_bytes();
            let bytes = postcard::to_stdvec(&(of, self)).map_err(std::io::Error::other)?;
            let mut fresh = tempfile::NamedTempFile::new_in(state)?;
            fresh.write_all(START)?;
            fresh.write_all(&zstd::bulk::compress(&bytes, LEVEL)?)?;
            fresh.persist(file(state, root))?;
            Ok(())
        };
        // The next run then reads every file once more.
        let _ = write();
    }

    /// Finds what is restless in directories that were listed; elsewhere nothing is another than it was.
    pub(super) fn look_for_restless(&mut self, listed: &BTreeSet<Vec<u8>>) {
        let mut restless = std::mem::take(&mut self.restless);
        restless.retain(|path| {
            let (dir, name) = split(path);
            !listed.contains(dir)
                && self.dirs.get(dir).is_some_and(|at| at.leaves.contains_key(name))
        });
        for dir in listed {
            let leaves = self.dirs.get(dir).into_iter().flat_map(|at| &at.leaves);
            let found = leaves.filter(|(name, leaf)| leaf.is_restless(name));
            restless.extend(found.map(|(name, _)| join(dir, name)));
        }
        self.restless = restless;
    }

    /// Finds the files with several names after it was loaded.
    pub(super) fn find_names(&mut self) {
        for (dir, at) in &self.dirs {
            let named = at.leaves.iter().filter(|(_, leaf)| leaf.stamp.links > 1);
            self.restless.extend(named.map(|(name, _)| join(dir, name)));
        }
    }

    /// Takes the stamps of these files for nothing: they are read at the next capture, whatever they say.
    pub(super) fn doubt(&mut self, paths: &BTreeSet<Vec<u8>>, inodes: &HashSet<u64>) {
        let named = self.restless.iter().filter(|path| {
            let (dir, name) = split(path);
            let leaf = self.dirs.get(dir).and_then(|at| at.leaves.get(name));
            leaf.is_some_and(|leaf| leaf.stamp.links > 1 && inodes.contains(&leaf.stamp.inode))
        });
        for path in named.chain(paths).cloned().collect::<Vec<_>>() {
            let (dir, name) = split(&path);
            let leaf = self.dirs.get_mut(dir).and_then(|at| at.leaves.get_mut(name));
            if let Some(leaf) = leaf {
                leaf.racy = true;
                self.restless.insert(path);
            }
        }
    }

    /// Takes out a directory and what lies beneath it.
    pub(super) fn take(&mut self, dir: &[u8], taken: &mut BTreeMap<Vec<u8>, SeenDir>) {
        let mut gone = vec![dir.to_vec()];
        while let Some(dir) = gone.pop() {
            gone.extend(self.inner.remove(&dir).unwrap_or_default());
            if let Some(seen) = self.dirs.remove(&dir) {
                taken.insert(dir, seen);
            }
        }
    }
}

fn file(state: &Path, root: &Path) -> PathBuf {
    let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    state.join(format!("{name}.seen"))
}

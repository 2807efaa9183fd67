//! Listing a few known directories without going to them from the root: a walk passes all that stands beside its way.
//!
//! What stands in the way of that (a new directory, a link where a directory was, patterns of the whole computer) gives
//! `None`, and the walk looks. The patterns of ignored files weigh as in the walk: per kind the nearest file that says
//! something, and the kinds in the order of [`IGNORE_FILES`] with git's `exclude` first, which is how `ignore` has them
//! where no repository is needed.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use siltstone_engine::checkpoint::{IN_PROJECT, NotCaptured, shown};

use super::name::{join, of, split, to_path};
use super::scan::{Listed, Rules, Scan};
use super::seen::Seen;
use crate::walk::{CACHE_MARK, is_filled_by_tools, odd_ignore_file};

/// Files of patterns in a directory, the one with the most weight first.
pub(super) const KINDS: [&str; 3] = [".git/info/exclude", ".ignore", ".gitignore"];

/// Lists these directories; `None` where only a walk can tell.
pub(super) fn flat(rules: &Rules<'_>, dirs: &BTreeSet<Vec<u8>>, seen: &Seen) -> Option<Scan> {
    if !Gitignore::global().0.is_empty() {
        return None;
    }
    let mut chain = Chain { root: rules.root, known: HashMap::new() };
    let mut scan = Scan::default();
    for dir in dirs {
        let listed = chain.list(rules, dir, seen)?;
        scan.dirs.insert(dir.clone(), listed);
    }
    Some(scan)
}

/// The patterns of directories, from one to the root.
struct Chain<'a> {
    root: &'a Path,
    known: HashMap<Vec<u8>, [Gitignore; 3]>,
}

impl Chain<'_> {
    fn list(&mut self, rules: &Rules<'_>, dir: &[u8], seen: &Seen) -> Option<Listed> {
        let place = self.enter(dir)?;
        let [above, kept] = IN_PROJECT;
        let mut listed = Listed::default();
        for entry in std::fs::read_dir(&place).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name();
            let (path, at) = (join(dir, of(&name)), entry.path());
            let is_dir = entry.file_type().ok()?.is_dir();
            let is_ours = name == ".git"
                || (is_dir && dir.is_empty() && name == ".ai-brain")
                || (is_dir && dir == above.as_bytes() && name == kept);
            if is_ours || self.ignores(dir, &at, is_dir) {
                continue;
            }
            if is_dir {
                if seen.dirs.contains_key(&path) {
                    listed.dirs.push(of(&name).to_vec());
                } else if !is_filled_by_tools(&name) && !at.join(CACHE_MARK).is_file() {
                    return None;
                }
                continue;
            }
            // What is gone by now is not there.
            let Ok(metadata) = entry.metadata() else { continue };
            match rules.judge(&at, of(&name), &metadata, false) {
                Ok(found) => _ = listed.leaves.insert(of(&name).to_vec(), found),
                Err(why) => listed.missed.push(NotCaptured { path: shown(&path), why }),
            }
        }
        Some(listed)
    }

    /// The path of a directory, when it is one and everything above it is, and the walk would go there.
    fn enter(&mut self, dir: &[u8]) -> Option<PathBuf> {
        let place = self.root.join(to_path(dir)?);
        if self.known.contains_key(dir) {
            return Some(place);
        }
        if !dir.is_empty() {
            let (above, name) = split(dir);
            self.enter(above)?;
            let by_tools = is_filled_by_tools(to_path(name)?.as_os_str());
            let is_dir = place.symlink_metadata().ok()?.is_dir();
            if !is_dir || by_tools || place.join(CACHE_MARK).is_file() {
                return None;
            }
        }
        if odd_ignore_file(&place).is_some() {
            return None;
        }
        let read = |kind: &str| {
            let mut builder = GitignoreBuilder::new(&place);
            // A file that is not there has no patterns.
            let _ = builder.add(place.join(kind));
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        };
        self.known.insert(dir.to_vec(), KINDS.map(read));
        Some(place)
    }

    fn ignores(&self, dir: &[u8], path: &Path, is_dir: bool) -> bool {
        for kind in 0..KINDS.len() {
            let mut above = dir;
            loop {
                let said = self.known.get(above).and_then(|files| files.get(kind));
                match said.map_or(Match::None, |said| said.matched(path, is_dir)) {
                    Match::None if above.is_empty() => break,
                    Match::None => above = split(above).0,
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
        }
        false
    }
}

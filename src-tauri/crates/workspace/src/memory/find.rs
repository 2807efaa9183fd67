//! Where memory lies: the folders of a project from its root down, and the memory files that each of them holds.
//! Called before texts are taken.
//!
//! A folder is listed once and then kept by its stamp: the system changes it when a name comes, goes or is renamed in
//! it. So a folder that did not change costs one look, and the whole project as many looks as it has folders. Git's
//! ignored folders are not entered, nor what package managers fill; links are not followed. A memory file that git
//! ignores is found all the same: people keep their own rules out of the repository that way.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use siltstone_engine::ports::{FolderError, OnProgress};
use siltstone_engine::project::{MAX_FILES, ProbeProgress};

use super::spread::spread;
use super::stamp::Stamp;
use super::texts::MAX_AGE;
use crate::{locked, read, walk};

/// Folders in folders of rules that are looked at.
const MAX_RULE_DEPTH: usize = 5;

/// Folders between two reports.
const STRIDE: usize = 4_000;

/// A folder as it was listed.
#[derive(Debug)]
pub(super) struct Listed {
    /// Its path beneath the root; empty for the root.
    pub(super) path: String,
    /// Names of the folders in it that are entered, sorted.
    folders: Vec<String>,
    /// Paths beneath the root of the memory files it holds, in the order of the names.
    pub(super) files: Vec<String>,
    ignored: Ignored,
    above: Ignored,
    /// What the listing rests on: the folder, and files and folders in it that were looked into.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    at: Instant,
}

/// Patterns of the folders from the root down, the innermost first.
type Ignored = Option<Arc<Patterns>>;

#[derive(Debug)]
struct Patterns {
    own: Gitignore,
    above: Ignored,
}

/// The folders of one project.
#[derive(Debug)]
pub(super) struct Finder {
    root: PathBuf,
    /// What memory files are called.
    names: Vec<String>,
    /// Names whose presence in a folder matters.
    telling: Vec<String>,
    /// Whether only the root itself is looked at.
    wide: bool,
    listed: Mutex<HashMap<String, Arc<Listed>>>,
}

impl Finder {
    /// Of a real folder. Names that climb or start elsewhere are no names.
    pub(super) fn new(root: PathBuf, names: &[String], wide: bool) -> Self {
        let names: Vec<String> =
            names.iter().filter(|name| read::is_plain_relative(name)).cloned().collect();
        let telling = names
            .iter()
            .filter_map(|name| name.split('/').next())
            .chain(walk::IGNORE_FILES.into_iter().filter_map(|name| name.split('/').next()))
            .chain([walk::CACHE_MARK])
            .map(str::to_owned)
            .collect();
        Self { root, names, telling, wide, listed: Mutex::default() }
    }

    /// The folders from the root to `dir`, as far as they are entered.
    pub(super) fn chain(&self, dir: &str) -> Vec<Arc<Listed>> {
        let mut at = self.listed("", &None);
        let mut chain = vec![Arc::clone(&at)];
        for name in dir.split('/').filter(|name| !name.is_empty()) {
            if at.folders.binary_search_by(|known| known.as_str().cmp(name)).is_err() {
                break;
            }
            at = self.listed(&join(&at.path, name), &at.ignored);
            chain.push(Arc::clone(&at));
        }
        chain
    }

    /// Every folder that is entered, those nearest the root first.
    pub(super) fn all(&self, progress: OnProgress<'_>) -> Result<Vec<Arc<Listed>>, FolderError> {
        let mut all = Vec::new();
        let mut counts = ProbeProgress::default();
        let mut level: Vec<(String, Ignored)> = vec![(String::new(), None)];
        while !level.is_empty() && (all.len() as u64) < MAX_FILES {
            let mut next = Vec::new();
            for some in level.chunks(STRIDE) {
                if !progress(counts) {
                    return Err(FolderError::Cancelled);
                }
                for folder in spread(some, |(path, above)| self.listed(path, above)) {
                    next.extend(
                        folder
                            .folders
                            .iter()
                            .map(|name| (join(&folder.path, name), folder.ignored.clone())),
                    );
                    counts.folders += 1;
                    counts.files += folder.files.len() as u64;
                    all.push(folder);
                }
            }
            level = next;
        }
        let kept = all.iter().map(|folder| (folder.path.clone(), Arc::clone(folder)));
        *locked(&self.listed) = kept.collect();
        Ok(all)
    }

    fn listed(&self, path: &str, above: &Ignored) -> Arc<Listed> {
        let kept = locked(&self.listed).get(path).cloned();
        if let Some(kept) = kept
            && same(&kept.above, above)
            && kept.at.elapsed() < MAX_AGE
            && kept.stamps.iter().all(|(path, stamp)| stamp.is_some() && Stamp::at(path) == *stamp)
        {
            return kept;
        }
        let listed = Arc::new(self.list(path, above));
        locked(&self.listed).insert(path.to_owned(), Arc::clone(&listed));
        listed
    }

    fn list(&self, path: &str, above: &Ignored) -> Listed {
        let at = Instant::now();
        let full = self.root.join(path);
        let mut stamps = vec![stamped(full.clone())];
        let mut folders = Vec::new();
        let mut present = Vec::new();
        // One that cannot be read holds nothing; a stamp that cannot be had makes it listed again.
        for entry in fs::read_dir(&full).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            if kind.is_dir()
                && name != ".git"
                && !walk::is_filled_by_tools(name.as_ref())
                && !self.wide
            {
                folders.push(name.clone());
            }
            if self.telling.contains(&name) {
                present.push(name);
            }
        }
        let has = |name: &str| present.iter().any(|known| known == name);
        let mut ignored = above.clone();
        let mut files = Vec::new();
        let is_cache = !path.is_empty() && has(walk::CACHE_MARK);
        let is_odd = walk::IGNORE_FILES.iter().any(|name| has(first(name)))
            && walk::odd_ignore_file(&full).is_some();
        if is_cache || is_odd {
            folders.clear();
        } else if let Some(own) = patterns(&full, &has, &mut stamps) {
            ignored = Some(Arc::new(Patterns { own, above: ignored }));
        }
        if !is_cache {
            for name in self.names.iter().filter(|name| has(first(name))) {
                self.files_of(path, name, &mut stamps, &mut files);
            }
        }
        folders.retain(|name| !is_ignored(&ignored, &full.join(name)));
        folders.sort_unstable();
        Listed { path: path.to_owned(), folders, files, ignored, above: above.clone(), stamps, at }
    }

    /// The files that a name stands for in a folder: itself, or the rule files of a folder of that name.
    fn files_of(
        &self,
        path: &str,
        name: &str,
        stamps: &mut Vec<(PathBuf, Option<Stamp>)>,
        files: &mut Vec<String>,
    ) {
        let named = join(path, name);
        let full = self.root.join(&named);
        // A name in a folder of its own comes and goes with that folder.
        let folder = self.root.join(path);
        let inner = full.ancestors().skip(1).take_while(|inner| *inner != folder);
        stamps.extend(inner.filter(|inner| inner.exists()).map(|inner| stamped(inner.into())));
        match full.metadata() {
            Ok(metadata) if metadata.is_dir() => {
                let mut rules = Vec::new();
                let opened = Dir::open_ambient_dir(&self.root, ambient_authority())
                    .and_then(|root| root.open_dir(&named));
                if let Ok(folder) = opened {
                    self.collect(&folder, &named, MAX_RULE_DEPTH, stamps, &mut rules);
                }
                rules.sort();
                // A folder with no rules in it is named, so that it can be said why it counts for nothing.
                if rules.is_empty() {
                    rules.push(named);
                }
                files.extend(rules);
            }
            Ok(_) => files.push(named),
            Err(_) if full.symlink_metadata().is_ok() => files.push(named),
            Err(_) => {}
        }
    }

    /// Collects rule files; links are not followed, so there is no cycle.
    fn collect(
        &self,
        folder: &Dir,
        path: &str,
        depth: usize,
        stamps: &mut Vec<(PathBuf, Option<Stamp>)>,
        rules: &mut Vec<String>,
    ) {
        stamps.push(stamped(self.root.join(path)));
        for entry in folder.entries().into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = join(path, &name);
            if kind.is_dir() && depth > 0 {
                if let Ok(inner) = entry.open_dir() {
                    self.collect(&inner, &path, depth - 1, stamps, rules);
                }
            } else if kind.is_file() && is_rule(&name) {
                rules.push(path);
            }
        }
    }

    /// Whether a file of this name, wherever it lies, may change what is found.
    pub(super) fn tells(&self, name: &str) -> bool {
        is_rule(name)
            || walk::IGNORE_FILES.contains(&name)
            || self.names.iter().any(|known| known.rsplit('/').next() == Some(name))
    }

    /// The folder that a path of a memory file speaks for, which is what stands before its name; `None` for a path
    /// with no such name.
    pub(super) fn place_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
        let named = |at: &usize| {
            self.names
                .iter()
                .any(|name| path[*at..].strip_prefix(name.as_str()).is_some_and(is_all))
        };
        starts.into_iter().find(named).map(|at| path[..at].trim_end_matches('/'))
    }
}

/// Whether nothing follows a name but the path of a rule file in a folder of that name.
fn is_all(rest: &str) -> bool {
    rest.is_empty() || (rest.starts_with('/') && is_rule(rest))
}
fn is_rule(name: &str) -> bool {
    name.ends_with(".md") || name.ends_with(".mdc")
}

fn first(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// One path beneath another; the root is empty.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

fn stamped(path: PathBuf) -> (PathBuf, Option<Stamp>) {
    let stamp = Stamp::at(&path).filter(Stamp::is_settled);
    (path, stamp)
}

/// The patterns of a folder, those that git gives more weight last.
fn patterns(
    folder: &Path,
    has: &impl Fn(&str) -> bool,
    stamps: &mut Vec<(PathBuf, Option<Stamp>)>,
) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for name in walk::IGNORE_FILES.iter().rev().filter(|name| has(first(name))) {
        let path = folder.join(name);
        if path.is_file() {
            // A line that is no pattern ignores nothing, as with git.
            let _ = builder.add(&path);
            stamps.push(stamped(path));
        }
    }
    builder.build().ok().filter(|own| !own.is_empty())
}

fn is_ignored(ignored: &Ignored, folder: &Path) -> bool {
    let mut at = ignored;
    while let Some(patterns) = at {
        match patterns.own.matched(folder, true) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => at = &patterns.above,
        }
    }
    false
}

fn same(a: &Ignored, b: &Ignored) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

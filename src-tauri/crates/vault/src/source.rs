//! What an agent's files are, as data, and looking for them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{
    Agent, Beside, ComposeError, Composed, FileRole, GoesOn, Listing, Outgoing, SeenFile, Session,
    Stamp,
};

use crate::draft::Draft;
use crate::stamp_of;

/// No agent nests deeper.
const DEEPEST: usize = 16;

/// An agent, and where it keeps what.
pub(crate) struct Source {
    pub(crate) agent: Agent,
    /// Where its homes are; the first is that of a session that is written for it.
    pub(crate) roots: &'static [Root],
    /// Which files belong to sessions.
    pub(crate) files: Files,
    /// The session that a file belongs to, where its path says so.
    pub(crate) owner: fn(&str) -> Option<String>,
    /// The files that say more of a session than its own does, where the agent writes such.
    pub(crate) beside: Option<fn(&str) -> Vec<String>>,
    /// Where a session's file may go on from another one.
    pub(crate) goes_on: Option<GoingOn>,
    /// Understands a session.
    pub(crate) read: fn(&str, &mut dyn Read, Draft) -> io::Result<Session>,
    /// Writes a session that the agent goes on with, as far as that is done here.
    pub(crate) compose: Option<Compose>,
    /// Where a session is a part of something bigger, rows of a database or a conversation of an export: each is listed and
    /// read as if it were a file.
    pub(crate) rows: Option<&'static dyn Rows>,
}

/// Files of which one goes on from another.
pub(crate) struct GoingOn {
    /// From which this one does, by its path and its first bytes.
    pub(crate) from: fn(&str, &mut dyn Read) -> io::Result<Option<GoesOn>>,
    /// Understands a session with those before it.
    pub(crate) read: fn(&str, &mut dyn Read, &mut [Beside<'_>], Draft) -> io::Result<Session>,
}

/// Where homes are.
pub(crate) struct Root {
    /// The variable that names another folder; empty where none does.
    pub(crate) variable: &'static str,
    /// The folders, below the person's home, while the variable is not set.
    pub(crate) usual: &'static [&'static str],
    /// What of each of them is a home; empty where it is that itself.
    pub(crate) below: &'static [&'static str],
}

/// Where programs keep their settings; on macOS no variable names another folder.
pub(crate) const SETTINGS: (&str, &str) = if cfg!(windows) {
    ("APPDATA", "AppData/Roaming")
} else if cfg!(target_os = "macos") {
    ("", "Library/Application Support")
} else {
    ("XDG_CONFIG_HOME", ".config")
};

/// Makes the file of a session; the path is the agent's home, where it has one.
pub(crate) type Compose = fn(&Outgoing<'_>, Option<&Path>) -> Result<Composed, ComposeError>;

/// Sessions out of a database or an export, as files.
pub(crate) trait Rows: Sync {
    /// All of them below a home.
    fn list(&self, root: &Path, go_on: &mut dyn FnMut(u64) -> bool)
    -> Result<Listing, FolderError>;

    /// One of them; `None` where what lies at this path is a file itself.
    fn open(&self, root: &Path, path: &str) -> io::Result<Option<Opened>>;

    /// Whether a file of this name in a home may have to do with them.
    fn has(&self, _name: &str) -> bool {
        true
    }
}

/// The whole text of a session, and the stamp that it has in the list.
pub(crate) type Opened = (Vec<u8>, Stamp);

/// Patterns of files that belong to sessions, with what they are; the first that fits holds.
pub(crate) struct Files {
    patterns: &'static [(&'static str, FileRole)],
    /// The same, compiled when the first path is asked for: that takes longer than to compare thousands.
    compiled: OnceLock<Vec<(GlobMatcher, FileRole)>>,
}

impl Files {
    pub(crate) const fn of(patterns: &'static [(&'static str, FileRole)]) -> Self {
        Self { patterns, compiled: OnceLock::new() }
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let compile = |(pattern, role): &(&str, FileRole)| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build().ok()?;
            Some((glob.compile_matcher(), *role))
        };
        let compiled =
            self.compiled.get_or_init(|| self.patterns.iter().filter_map(compile).collect());
        compiled.iter().find(|(pattern, _)| pattern.is_match(path)).map(|(_, role)| *role)
    }

    /// How many folders a file that fits lies in at most.
    fn deepest(&self) -> usize {
        let depth = |pattern: &str| match pattern.contains("**") {
            true => DEEPEST,
            false => pattern.matches('/').count(),
        };
        self.patterns.iter().map(|(pattern, _)| depth(pattern)).max().unwrap_or_default()
    }

    /// What stands directly below a home and has to be looked through.
    fn starts(&self) -> BTreeSet<&'static str> {
        self.patterns.iter().filter_map(|(pattern, _)| pattern.split('/').next()).collect()
    }
}

impl Source {
    /// What a file at this path is; `None` where it belongs to no session.
    pub(crate) fn role(&self, path: &str) -> Option<FileRole> {
        self.files.role(path)
    }

    /// The files that fit at a place below a home, by path; all of them where it is empty.
    pub(crate) fn list(
        &self,
        root: &Path,
        at: &str,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        if let Some(rows) = self.rows {
            return rows.list(root, go_on);
        }
        let starts = if at.is_empty() { self.files.starts() } else { BTreeSet::from([at]) };
        let fits = |path: &str| self.role(path).is_some();
        walk(root, starts, &fits, self.files.deepest(), go_on)
    }
}

/// All files below these entries of a home that fit, by path.
pub(crate) fn walk<'s>(
    root: &Path,
    starts: impl IntoIterator<Item = &'s str>,
    fits: &dyn Fn(&str) -> bool,
    deepest: usize,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Listing, FolderError> {
    let mut walk = Walk { fits, deepest, listing: Listing::default(), go_on };
    for start in starts {
        if walk.leads(root, start) {
            walk.entry(&root.join(start), start, start.matches('/').count())?;
        }
    }
    walk.listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    walk.listing.files.dedup_by(|a, b| a.path == b.path);
    Ok(walk.listing)
}

struct Walk<'w> {
    fits: &'w dyn Fn(&str) -> bool,
    /// No file that fits lies in more folders.
    deepest: usize,
    listing: Listing,
    go_on: &'w mut dyn FnMut(u64) -> bool,
}

impl Walk<'_> {
    /// Whether the names above a place are folders of the home, as they are for whoever comes from above.
    fn leads(&mut self, root: &Path, at: &str) -> bool {
        let above = at.match_indices('/').map(|(end, _)| &at[..end]);
        let mut is_none = |above: &&str| {
            let found = fs::symlink_metadata(root.join(above));
            if found.as_ref().is_ok_and(|found| !found.is_dir()) {
                self.listing.skipped.push((*above).to_owned());
            }
            !found.is_ok_and(|found| found.is_dir())
        };
        !above.into_iter().any(|above| is_none(&above))
    }

    fn entry(&mut self, whole: &Path, path: &str, depth: usize) -> Result<(), FolderError> {
        let found = match fs::symlink_metadata(whole) {
            Ok(found) => found,
            // Gone since it was listed, or never there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) => {
                self.listing.skipped.push(path.to_owned());
                return Ok(());
            }
        };
        if found.is_dir() {
            return self.folder(whole, path, depth);
        }
        match (found.is_file(), (self.fits)(path), stamp_of(&found)) {
            (true, true, Ok(stamp)) => {
                self.listing.files.push(SeenFile { path: path.to_owned(), stamp });
                match (self.go_on)(self.listing.files.len() as u64) {
                    true => Ok(()),
                    false => Err(FolderError::Cancelled),
                }
            }
            (true, false, _) => Ok(()),
            _ => {
                self.listing.skipped.push(path.to_owned());
                Ok(())
            }
        }
    }

    fn folder(&mut self, whole: &Path, path: &str, depth: usize) -> Result<(), FolderError> {
        if depth >= self.deepest && self.deepest < DEEPEST {
            return Ok(());
        }
        let Ok(entries) = fs::read_dir(whole).and_then(Iterator::collect::<io::Result<Vec<_>>>)
        else {
            self.listing.skipped.push(path.to_owned());
            return Ok(());
        };
        if depth == DEEPEST {
            self.listing.skipped.push(path.to_owned());
            return Ok(());
        }
        for entry in entries {
            match entry.file_name().into_string() {
                Ok(name) => self.entry(&entry.path(), &format!("{path}/{name}"), depth + 1)?,
                Err(name) => {
                    self.listing.skipped.push(format!("{path}/{}", name.to_string_lossy()));
                }
            }
        }
        Ok(())
    }
}

/// What the system said about a file of an agent.
pub(crate) fn refused(path: &Path, error: &io::Error) -> FolderError {
    FolderError::Io { path: path.display().to_string(), detail: error.to_string() }
}

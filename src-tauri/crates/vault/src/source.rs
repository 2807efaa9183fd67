//! What an agent's files are, as data, and looking for them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use globset::GlobBuilder;
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{
    Agent, ComposeError, Composed, FileRole, Listing, Outgoing, SeenFile, Session,
};

use crate::draft::Draft;
use crate::stamp_of;

/// No agent nests deeper.
const DEEPEST: usize = 16;

/// An agent, and where it keeps what.
pub(crate) struct Source {
    pub(crate) agent: Agent,
    /// The variable that names another place.
    pub(crate) variable: &'static str,
    /// What of that place is the home; empty where it is that itself.
    pub(crate) below: &'static str,
    /// Below the person's home while the variable is not set.
    pub(crate) usual: &'static [&'static str],
    /// Patterns of files that belong to sessions, with what they are; the first that fits holds.
    pub(crate) files: &'static [(&'static str, FileRole)],
    /// The session that a file belongs to, where its path says so.
    pub(crate) owner: fn(&str) -> Option<String>,
    /// Understands a session.
    pub(crate) read: fn(&str, &mut dyn Read, Draft) -> io::Result<Session>,
    /// Writes a session that the agent goes on with; the root is its home, where it has one.
    pub(crate) compose: fn(&Outgoing<'_>, Option<&Path>) -> Result<Composed, ComposeError>,
}

impl Source {
    /// What a file at this path is; `None` where it belongs to no session.
    pub(crate) fn role(&self, path: &str) -> Option<FileRole> {
        let fits = |pattern: &str| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
        };
        self.files.iter().find(|(pattern, _)| fits(pattern)).map(|(_, role)| *role)
    }

    /// All files below a home that fit, by path.
    pub(crate) fn list(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        let matchers = self.files.iter().filter_map(|(pattern, _)| {
            Some(GlobBuilder::new(pattern).literal_separator(true).build().ok()?.compile_matcher())
        });
        let matchers: Vec<_> = matchers.collect();
        let fits = |path: &str| matchers.iter().any(|matcher| matcher.is_match(path));
        let mut walk = Walk { fits: &fits, listing: Listing::default(), go_on };
        for start in self.starts() {
            walk.entry(&root.join(start), start, 0)?;
        }
        walk.listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        walk.listing.files.dedup_by(|a, b| a.path == b.path);
        Ok(walk.listing)
    }

    /// What stands directly below a home and has to be looked through.
    fn starts(&self) -> BTreeSet<&'static str> {
        let first = |pattern: &'static str| pattern.split('/').next();
        self.files.iter().filter_map(|(pattern, _)| first(pattern)).collect()
    }
}

struct Walk<'w> {
    fits: &'w dyn Fn(&str) -> bool,
    listing: Listing,
    go_on: &'w mut dyn FnMut(u64) -> bool,
}

impl Walk<'_> {
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

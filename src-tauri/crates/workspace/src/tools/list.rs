//! Showing a folder, and finding files by name.

use std::path::Path;
use std::time::SystemTime;

use cap_std::fs::{Dir, DirEntry};
use globset::{GlobBuilder, GlobMatcher};
use siltstone_engine::tool::{Answer, ToolError};

use super::site::{Found, Site};
use super::{of_folder, refused, shown, system};
use crate::walk;

/// Most entries of a folder that are shown.
const MAX_ENTRIES: usize = 1_000;

/// Most files that are found, the last changed first.
const MAX_FOUND: usize = 200;

/// The entries of a folder, folders first.
pub(super) fn list(site: &Site, path: &str, go_on: &dyn Fn() -> bool) -> Result<Answer, ToolError> {
    let (Found::Folder(dir), real) = site.find(path)? else {
        return Err(refused(format!("{} is a file. Read it.", shown(path))));
    };
    let entries = dir.entries().map_err(|error| system(&shown(path), &error))?;
    let (mut lines, mut unnamed) = (Vec::new(), 0_usize);
    for entry in entries {
        if !go_on() {
            return Err(ToolError::Stopped);
        }
        let entry = entry.map_err(|error| system(&shown(path), &error))?;
        match entry.file_name().to_str() {
            Some(name) => lines.extend(line_of(site, &dir, &entry, &join(&real, name), name)),
            None => unnamed += 1,
        }
    }
    lines.sort();
    let more = lines.len().saturating_sub(MAX_ENTRIES);
    let mut text: String =
        lines.iter().take(MAX_ENTRIES).map(|(_, _, line)| format!("{line}\n")).collect();
    if lines.is_empty() {
        text.push_str("[nothing here]\n");
    }
    if more > 0 {
        text.push_str(&format!("[{more} more; find_files finds them by a pattern]\n"));
    }
    if unnamed > 0 {
        text.push_str(&format!("[{unnamed} whose names are not Unicode are not shown]\n"));
    }
    Ok(Answer { text, ..Answer::default() })
}

/// An entry's place in the order, and its line; `None` where it does not exist for tools.
fn line_of(
    site: &Site,
    dir: &Dir,
    entry: &DirEntry,
    path: &str,
    name: &str,
) -> Option<(bool, String, String)> {
    let metadata = entry.metadata().ok()?;
    let metadata = if metadata.is_symlink() {
        // A link is what it leads to, and nothing where that is not to be seen.
        match site.find(path).ok()?.0 {
            Found::Folder(_) => dir.dir_metadata().ok()?,
            Found::File(_, metadata) => metadata,
        }
    } else {
        metadata
    };
    let is_dir = metadata.is_dir();
    if site.hides(path, is_dir) {
        return None;
    }
    let shown = shown(name);
    let line = if is_dir {
        format!("{shown}/")
    } else if metadata.is_file() {
        format!("{shown}  {} bytes", metadata.len())
    } else {
        format!("{shown}  [not a file]")
    };
    Some((!is_dir, name.to_owned(), line))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Files whose path matches a pattern.
pub(super) fn find(
    site: &Site,
    pattern: &str,
    max_files: u64,
    go_on: &dyn Fn() -> bool,
) -> Result<Answer, ToolError> {
    let matcher = matcher(site, pattern)?;
    let mut found = files(site, max_files, go_on, |path| matcher.is_match(path))?;
    found.files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    let count = found.files.len();
    let mut text: String =
        found.files.iter().take(MAX_FOUND).map(|file| shown(&file.path) + "\n").collect();
    if count == 0 {
        text.push_str(
            "[no file matches; files that git ignores are not looked at, list_files shows them]\n",
        );
    } else if count > MAX_FOUND {
        let more = count - MAX_FOUND;
        text.push_str(&format!("[{more} more that were changed before; narrow the pattern]\n"));
    }
    text.push_str(found.note());
    Ok(Answer { text, ..Answer::default() })
}

/// A glob pattern relative to the root. One without a folder is for all folders.
pub(super) fn matcher(site: &Site, pattern: &str) -> Result<GlobMatcher, ToolError> {
    let given = Path::new(pattern);
    let below = given
        .strip_prefix(&site.root.path)
        .or_else(|_| given.strip_prefix(&site.root.real))
        .ok()
        .and_then(Path::to_str)
        .unwrap_or(pattern);
    let below = below.strip_prefix("./").unwrap_or(below);
    let anywhere = if below.contains('/') { below.to_owned() } else { format!("**/{below}") };
    GlobBuilder::new(&anywhere)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| refused(format!("The pattern cannot be understood: {}.", error.kind())))
}

/// A file that a walk met.
pub(super) struct Met {
    pub path: String,
    pub modified: SystemTime,
}

/// What a walk met.
pub(super) struct Files {
    pub files: Vec<Met>,
    too_many: bool,
}

impl Files {
    /// What to say of a walk that did not see everything.
    pub(super) fn note(&self) -> &'static str {
        if self.too_many {
            "[the project has too many files; not all of them were looked at]\n"
        } else {
            ""
        }
    }
}

/// Files of the project as git sees them, without those that do not exist for tools.
pub(super) fn files(
    site: &Site,
    max_files: u64,
    go_on: &dyn Fn() -> bool,
    wanted: impl Fn(&str) -> bool,
) -> Result<Files, ToolError> {
    let mut files = Vec::new();
    let walked = walk::walk(&site.root, max_files, &mut |_| go_on(), |entry, metadata| {
        if let Some(path) = walk::relative(&site.root, entry.path())
            && wanted(&path)
            && !site.hides(&path, false)
        {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push(Met { path, modified });
        }
    });
    let walked = walked.map_err(of_folder)?;
    Ok(Files { files, too_many: walked.too_many })
}

//! Keeping `.ai-brain` out of git (behaviour.md, Sessions). Git itself is never asked: its files say enough.

use std::ffi::OsStr;
use std::path::Path;

use ::ignore::gitignore::GitignoreBuilder;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::session::SessionError;

use super::{FOLDER, failed, lock, refused, stored};
use crate::memory::form::Form;
use crate::memory::swap::{self, Put};
use crate::read;

/// Where git reads what to leave out.
const GITIGNORE: &str = ".gitignore";

/// What is added to it.
const LINE: &str = ".ai-brain/\n";

/// Whether git would take the folder in; `None` where there is no repository.
pub(super) fn would_take_in(root: &Path) -> Option<bool> {
    let top = root.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?;
    let inside = root.ancestors().take_while(|above| above.starts_with(top));
    // The nearest file that says anything about it decides.
    let said = inside.filter_map(|folder| says(folder, &root.join(FOLDER))).next();
    Some(!said.unwrap_or(false))
}

/// Whether the `.gitignore` of a folder leaves a path out, takes it in, or says nothing about it.
fn says(folder: &Path, path: &Path) -> Option<bool> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority()).ok()?;
    let bytes = read::regular(&dir, Path::new(GITIGNORE), read::MAX_BYTES).ok()?;
    let (_, text) = Form::of(&bytes)?;
    let mut rules = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // Git passes over a line that it cannot read, too.
        let _ = rules.add_line(None, line);
    }
    let rules = rules.build().ok()?;
    let matched = rules.matched_path_or_any_parents(path, true);
    (!matched.is_none()).then(|| matched.is_ignore())
}

/// Adds the folder to the project's `.gitignore` where git would take it in; whether it was added.
pub(super) fn add(root: &Path, base: &Dir) -> Result<bool, SessionError> {
    if would_take_in(root) != Some(true) {
        return Ok(false);
    }
    let _lock = lock(base)?;
    let before = stored(base, GITIGNORE)?;
    let old = before.as_ref().map_or(&[][..], |stored| &stored.bytes);
    let (form, shown) = Form::of(old).ok_or_else(|| refused(GITIGNORE))?;
    let line_end = if shown.is_empty() || shown.ends_with('\n') { "" } else { "\n" };
    let text = format!("{shown}{line_end}{LINE}");
    let bytes = form.bytes(old, &shown, &text).ok_or_else(|| refused(GITIGNORE))?;
    let hash = before.map(|stored| stored.hash);
    let name = OsStr::new(GITIGNORE);
    match swap::put(base, name, &bytes, hash.as_deref()) {
        Ok(Put::Done) => Ok(true),
        Ok(Put::Overtaken) => Err(super::conflict(GITIGNORE)),
        Err(error) => Err(failed(GITIGNORE, &error)),
    }
}

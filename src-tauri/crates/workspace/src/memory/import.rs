//! What `@path` in a memory file leads to. Called while a file's imports are expanded.

use std::path::{Path, PathBuf};

use siltstone_engine::memory::{Imported, Refusal};

use super::find::join;
use super::texts::{self, Text};
use super::{Kept, Memory};
use crate::locked;
use crate::place::plain;

impl Kept {
    /// Whether the person excluded a path beneath the root.
    pub(super) fn excludes(&self, path: &str) -> bool {
        self.exclude.excludes(Path::new(path), false)
    }

    /// Why a file that was read may not speak all the same: its real name is excluded, or it has a name that may lie
    /// outside of the project (a hard link). Names of memory beside it are counted, for people link those.
    pub(super) fn refuses(&self, text: &Text) -> Option<Refusal> {
        if self.excludes(&text.path) {
            return Some(Refusal::Excluded);
        }
        let folder = text.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_it = |path: &String| {
            let opened = texts::open(&self.root, path);
            *path != text.path
                && opened.is_ok_and(|it| {
                    it.path == *path && texts::identity(&it.metadata) == text.identity
                })
        };
        let beside = || self.names.iter().map(|name| join(folder, name)).filter(is_it).count();
        (text.names > 1 && text.names > 1 + beside() as u64).then_some(Refusal::Outside)
    }
}

/// The file that `target` names in the file `from`. A file of the project imports inside the project, a file of global
/// memory inside its own folder.
pub(super) fn import(
    memory: &Memory,
    kept: Option<&Kept>,
    from: &str,
    target: &str,
) -> Result<Imported, Refusal> {
    if target.contains("://") {
        return Err(Refusal::Remote);
    }
    if Path::new(from).is_absolute() {
        let (base, from) = global_base(memory, from).ok_or(Refusal::Outside)?;
        let path = aimed(&base, &from, target).ok_or(Refusal::Outside)?;
        let taken = memory.global_texts.take(&base, &path);
        let text = taken.text()?;
        let path = plain(&base.join(&text.path).to_string_lossy());
        return Ok(Imported { path, text: text.text.clone() });
    }
    let kept = kept.ok_or(Refusal::Outside)?;
    let path = aimed(&kept.root, from, target).ok_or(Refusal::Outside)?;
    if kept.excludes(&path) {
        return Err(Refusal::Excluded);
    }
    let taken = kept.texts.take(&kept.root, &path);
    let text = taken.text()?;
    if let Some(refusal) = kept.refuses(text) {
        return Err(refusal);
    }
    locked(&kept.imported).insert(text.path.clone());
    Ok(Imported { path: text.path.clone(), text: text.text.clone() })
}

/// The real folder of global memory that holds a file, and the file's path beneath it.
pub(super) fn global_base(memory: &Memory, file: &str) -> Option<(PathBuf, String)> {
    memory.globals.iter().filter_map(|global| global.parent()).find_map(|folder| {
        let real = folder.canonicalize().ok()?;
        let file = Path::new(file);
        let inside =
            file.strip_prefix(folder).or_else(|_| file.strip_prefix(plain_path(&real))).ok()?;
        let path = slashed("", inside.to_str()?)?;
        Some((real, path))
    })
}

/// The path beneath `base` that `target` names from the file `from`, decided before the disk is asked.
fn aimed(base: &Path, from: &str, target: &str) -> Option<String> {
    let target = target.trim();
    if Path::new(target).is_absolute() {
        let inside = Path::new(target).strip_prefix(plain_path(base)).ok()?;
        return slashed("", inside.to_str()?);
    }
    slashed(from.rsplit_once('/').map_or("", |(folder, _)| folder), target)
}

fn plain_path(real: &Path) -> PathBuf {
    PathBuf::from(plain(&real.to_string_lossy()))
}

/// A path from a folder, without `.` and `..`; `None` when it climbs out.
fn slashed(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split(['/', std::path::MAIN_SEPARATOR]) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

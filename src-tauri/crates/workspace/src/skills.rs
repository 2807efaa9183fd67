//! Folders of skills: the engine's `SkillFolders` over the file system. Called when somebody looks at them, and for a
//! request of a model that is told of any.
//!
//! A folder of skills is listed as it lies there now; a link is followed as long as it stays beneath the root or the home.
//! Nothing in it is run or written. Deliberately absent: what a skill means, and whether it may be said to a model.

use std::fs;
use std::path::Path;

use siltstone_engine::ports::FolderError;
use siltstone_engine::skill::{FILE, FOLDERS, HOME, MAX_BYTES, SkillFolder, SkillFolders};

use crate::exclude::ExcludeRules;
use crate::{Folders, Root, place, read, read_text};

/// Skills of one place, and files of one skill, that are listed.
const MOST: usize = 200;

/// Names of a folder, and of a skill, that are looked at.
const LOOKED_AT: usize = 2_000;

/// Folders in a skill that are looked into.
const DEPTH: usize = 4;

impl SkillFolders for Folders {
    fn find(&self, root: Option<&str>, exclude: &[String]) -> Vec<SkillFolder> {
        let project = root.and_then(|root| self.skills_root(Some(root), exclude).ok());
        // Who opens the home as a project finds its skills there once.
        let home = self.skills_root(None, exclude).ok();
        let home = home.filter(|home| project.as_ref().is_none_or(|it| it.real != home.real));
        let of = |root: Option<Root>, before: &str| match root {
            Some(root) => listed(&root, before),
            None => Vec::new(),
        };
        let mut all = of(project, "");
        all.extend(of(home, HOME));
        all
    }

    fn files(&self, root: Option<&str>, exclude: &[String], id: &str) -> Vec<String> {
        let Ok((root, inside)) = self.skill_in(root, exclude, id) else { return Vec::new() };
        files_of(&root, inside)
    }

    fn read(
        &self,
        root: Option<&str>,
        exclude: &[String],
        id: &str,
        file: &str,
    ) -> Result<String, FolderError> {
        if !read::is_plain_relative(file) {
            return Err(FolderError::Outside { path: format!("{id}/{file}") });
        }
        let (root, inside) = self.skill_in(root, exclude, id)?;
        within(&root, inside, file)
    }
}

impl Folders {
    /// Where a skill lies, and its path there.
    fn skill_in<'id>(
        &self,
        root: Option<&str>,
        exclude: &[String],
        id: &'id str,
    ) -> Result<(Root, &'id str), FolderError> {
        let none = || FolderError::Outside { path: id.to_owned() };
        let (root, inside) = match id.strip_prefix(HOME) {
            Some(inside) => (None, inside),
            None => (Some(root.ok_or_else(none)?), id),
        };
        let is_one = inside.rsplit_once('/').is_some_and(|(folder, name)| {
            FOLDERS.contains(&folder) && read::is_plain_relative(name)
        });
        if !is_one {
            return Err(none());
        }
        Ok((self.skills_root(root, exclude)?, inside))
    }

    /// The project, or the home.
    fn skills_root(&self, root: Option<&str>, exclude: &[String]) -> Result<Root, FolderError> {
        let (path, real) = match (root, &self.home) {
            (Some(root), _) => self.opened(root)?,
            (None, Some(home)) => (place::plain(&home.to_string_lossy()), home.clone()),
            (None, None) => return Err(FolderError::NotAFolder { path: HOME.to_owned() }),
        };
        Ok(Root { path, real, wide: None, exclude: ExcludeRules::new(exclude) })
    }
}

/// A file of a skill, which may be a link within its own folder and no further.
fn within(root: &Root, skill: &str, file: &str) -> Result<String, FolderError> {
    let path = format!("{skill}/{file}");
    let outside = || FolderError::Outside { path: path.clone() };
    let real = |path: &str| root.real.join(path).canonicalize().ok();
    let inside = real(skill).zip(real(&path)).is_some_and(|(of, file)| file.starts_with(of));
    if !inside && root.real.join(&path).exists() {
        return Err(outside());
    }
    read_text(root, &path)
}

fn listed(root: &Root, before: &str) -> Vec<SkillFolder> {
    let folders = FOLDERS.iter().flat_map(|folder| {
        let mut names = names_in(&root.real.join(folder));
        names.retain(|name| {
            let at = root.real.join(folder).join(name);
            let real = at.canonicalize().ok();
            at.join(FILE).is_file() && real.is_some_and(|real| real.starts_with(&root.real))
        });
        names.into_iter().map(move |name| format!("{folder}/{name}"))
    });
    let skill =
        |path: String| SkillFolder { text: said(root, &path), id: format!("{before}{path}") };
    folders.take(MOST).map(skill).collect()
}

/// What a skill says, if it is no longer than it may be.
fn said(root: &Root, skill: &str) -> Result<String, FolderError> {
    let (path, most) = (format!("{skill}/{FILE}"), MAX_BYTES as u64);
    match fs::metadata(root.real.join(&path)).map(|found| found.len()) {
        Ok(bytes) if bytes > most => Err(FolderError::TooLarge { path, bytes, most }),
        _ => within(root, skill, FILE),
    }
}

/// Names in a folder, sorted; those that begin with a dot, and those that no path here can be written with, are passed over.
fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.flatten().take(LOOKED_AT);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_plain = |name: &String| !name.starts_with('.') && !name.contains(char::is_control);
    let mut names: Vec<String> = names.filter(is_plain).collect();
    names.sort();
    names
}

/// Files beneath a skill's folder beside its own that may be read, no link among them.
fn files_of(root: &Root, skill: &str) -> Vec<String> {
    let (mut files, mut looked) = (Vec::new(), 0);
    let mut level = vec![String::new()];
    for _ in 0..=DEPTH {
        let mut next = Vec::new();
        for at in level {
            for name in names_in(&root.real.join(skill).join(&at)) {
                looked += 1;
                if files.len() == MOST || looked > LOOKED_AT {
                    return files;
                }
                let path = if at.is_empty() { name } else { format!("{at}/{name}") };
                let whole = format!("{skill}/{path}");
                let Ok(found) = root.real.join(&whole).symlink_metadata() else { continue };
                let whole = Path::new(&whole);
                if root.exclude.excludes(whole, found.is_dir()) || read::is_never_read(whole) {
                    continue;
                }
                if found.is_dir() {
                    next.push(path);
                } else if found.is_file() && path != FILE {
                    files.push(path);
                }
            }
        }
        level = next;
    }
    files
}

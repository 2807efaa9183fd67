//! Where a path of a call leads, and what does not exist for tools. Called before anything is looked at or changed.
//!
//! Looking follows links that stay inside: the path is resolved, both names are judged, and the resolved one is opened
//! by handle, folder by folder, where no link is followed any more. Changing follows none at all.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::path::{Component, Path};

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata};
use siltstone_engine::project::is_never_sent;
use siltstone_engine::tool::ToolError;

use super::{refused, shown, system};
use crate::Root;
use crate::alike::{names_beneath, same};
use crate::memory::swap::press;
use crate::read::{self, Refused};

/// Folders of programs: git's may hold a password, the others are ours.
const OF_PROGRAMS: [&str; 3] = [".git", ".ai-brain", ".siltstone"];

/// Most files and folders among which another name of a file is looked for.
const MAX_ENTRIES: usize = 1_000_000;

/// A project's folder, opened.
pub(super) struct Site {
    pub root: Root,
    dir: Dir,
}

/// Names of one file beside the one it was asked for by.
#[derive(Default)]
pub(super) struct OtherNames {
    /// Those that tools may change.
    pub inside: Vec<String>,
    /// Those with the ones that do not exist for tools.
    pub all: Vec<String>,
    /// How many are elsewhere, or not for tools.
    pub left_out: u64,
}

/// What a path leads to.
pub(super) enum Found {
    Folder(Dir),
    File(File, Metadata),
}

impl Site {
    pub(super) fn open(root: Root) -> Result<Self, ToolError> {
        let dir = Dir::open_ambient_dir(&root.real, ambient_authority())
            .map_err(|error| system(&root.path, &error))?;
        Ok(Self { root, dir })
    }

    /// A path as it was asked for, relative to the root with `/`; empty for the root.
    pub(super) fn relative(&self, path: &str) -> Result<String, ToolError> {
        let outside = || ToolError::Outside { path: shown(path) };
        let given = Path::new(path);
        let below = if given.is_absolute() {
            // By whole names: `/code/aurora-2` does not lie in `/code/aurora`.
            given
                .strip_prefix(&self.root.path)
                .or_else(|_| given.strip_prefix(&self.root.real))
                .map_err(|_| outside())?
        } else {
            given
        };
        let mut names = Vec::new();
        for component in below.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => names.push(name.to_str().ok_or_else(outside)?),
                _ => return Err(outside()),
            }
        }
        let has_drive = names.first().is_some_and(|first| is_drive(first));
        let is_odd = |name: &&str| cfg!(windows) && is_odd_on_windows(name);
        if path.contains('\0') || has_drive || names.iter().any(is_odd) {
            return Err(outside());
        }
        Ok(names.join("/"))
    }

    /// Whether a path does not exist for tools.
    pub(super) fn hides(&self, path: &str, is_dir: bool) -> bool {
        let of_program =
            |name: &str| OF_PROGRAMS.iter().any(|known| name.eq_ignore_ascii_case(known));
        path.split('/').any(of_program)
            || (!is_dir && is_never_sent(name_of(path)))
            || (!path.is_empty() && self.root.exclude.excludes(Path::new(path), is_dir))
    }

    /// What a path leads to, also through links that stay inside, and where that really lies.
    pub(super) fn find(&self, path: &str) -> Result<(Found, String), ToolError> {
        let missing = || ToolError::NotFound { path: shown(path) };
        let relative = self.relative(path)?;
        if self.hides(split(&relative).0, true) {
            return Err(missing());
        }
        let real = self.real(&relative, path)?;
        let (above, name) = split(&real);
        let dir = self.descend(above, path)?;
        let is_dir = if real.is_empty() { true } else { self.kind(&dir, name, path)?.is_dir() };
        if self.hides(&relative, is_dir) || self.hides(&real, is_dir) {
            return Err(missing());
        }
        if is_dir {
            return Ok((Found::Folder(self.descend(&real, path)?), real));
        }
        let (file, metadata) = self.open_regular(&dir, name, path)?;
        Ok((Found::File(file, metadata), real))
    }

    /// A regular file at a path without links, which is known not to be hidden.
    pub(super) fn open_file(&self, path: &str) -> Result<(File, Metadata), ToolError> {
        let (above, name) = split(path);
        self.open_regular(&self.descend(above, path)?, name, path)
    }

    /// The folder in which a file lies that is to be changed, and its name. Folders are made where `make` says so.
    pub(super) fn parent<'a>(
        &self,
        relative: &'a str,
        make: bool,
    ) -> Result<(Dir, &'a str), ToolError> {
        let (above, name) = split(relative);
        let mut dir = self.dir.try_clone().map_err(|error| system(relative, &error))?;
        for step in above.split('/').filter(|step| !step.is_empty()) {
            if make && is_missing(&dir, step) {
                match dir.create_dir(step) {
                    // Somebody else made it meanwhile.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    other => other.map_err(|error| system(relative, &error))?,
                }
                press(&dir);
            }
            dir = enter(&dir, step, relative)?;
        }
        Ok((dir, name))
    }

    /// A path that a change names: inside, not the root, and not one that tools know nothing of.
    pub(super) fn target(&self, path: &str) -> Result<String, ToolError> {
        let relative = self.relative(path)?;
        if relative.is_empty() || path.ends_with('/') {
            return Err(is_folder(path));
        }
        let kept_out = || {
            refused(format!(
                "{} may be neither read nor changed: the person keeps it out, or files of this name hold secrets.",
                shown(path)
            ))
        };
        // Where letters have no case, the system knows the name by which the person's patterns go.
        let real = self.root.real.join(&relative).canonicalize().ok();
        let real = real.as_deref().and_then(|real| below(&self.root.real, real));
        if self.hides(&relative, false) || real.is_some_and(|real| self.hides(&real, false)) {
            return Err(kept_out());
        }
        Ok(relative)
    }

    /// The other names in the project of a file, known to have no link in its path: those that may be changed, and how many
    /// there are beside them.
    pub(super) fn other_names(&self, relative: &str) -> Result<OtherNames, ToolError> {
        let (dir, name) = self.parent(relative, false)?;
        let Some(file) = same(&self.kind(&dir, name, relative)?).filter(|it| it.has_others())
        else {
            return Ok(OtherNames::default());
        };
        // Nobody looks through all of a home for them.
        let most = if self.root.wide.is_some() { 0 } else { MAX_ENTRIES };
        let found = names_beneath(&self.root.real, file, most);
        let found = found.iter().filter_map(|path| below(&self.root.real, path));
        let all: Vec<String> = found.filter(|path| path != relative).collect();
        let inside: Vec<String> =
            all.iter().filter(|path| !self.hides(path, false)).cloned().collect();
        let left_out = file.names().saturating_sub(1).saturating_sub(inside.len() as u64);
        Ok(OtherNames { inside, all, left_out })
    }

    /// What else a path is called: where links on it lead, and every other name of the file there.
    pub(super) fn names(&self, path: &str) -> Result<Vec<String>, ToolError> {
        let relative = self.relative(path)?;
        let real = self.real(&relative, path)?;
        let mut names = self.other_names(&real).map(|others| others.all).unwrap_or_default();
        names.push(real);
        names.retain(|name| *name != relative);
        Ok(names)
    }

    /// The path free of links.
    fn real(&self, relative: &str, path: &str) -> Result<String, ToolError> {
        if relative.is_empty() {
            return Ok(String::new());
        }
        let missing = || ToolError::NotFound { path: shown(path) };
        let real =
            self.root.real.join(relative).canonicalize().map_err(|error| match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => missing(),
                _ => system(&shown(path), &error),
            })?;
        if !real.starts_with(&self.root.real) {
            return Err(ToolError::Outside { path: shown(path) });
        }
        below(&self.root.real, &real).ok_or_else(missing)
    }

    fn descend(&self, folder: &str, path: &str) -> Result<Dir, ToolError> {
        let mut dir = self.dir.try_clone().map_err(|error| system(path, &error))?;
        for step in folder.split('/').filter(|step| !step.is_empty()) {
            dir = enter(&dir, step, path)?;
        }
        Ok(dir)
    }

    fn kind(&self, dir: &Dir, name: &str, path: &str) -> Result<Metadata, ToolError> {
        dir.symlink_metadata(name).map_err(|error| match error.kind() {
            ErrorKind::NotFound => ToolError::NotFound { path: shown(path) },
            _ => system(&shown(path), &error),
        })
    }

    /// A device may do something when it is opened, and a pipe waits, so both are known before.
    pub(super) fn open_regular(
        &self,
        dir: &Dir,
        name: &str,
        path: &str,
    ) -> Result<(File, Metadata), ToolError> {
        let metadata = self.kind(dir, name, path)?;
        if metadata.is_dir() {
            return Err(is_folder(path));
        }
        if metadata.is_symlink() {
            return Err(is_link(path));
        }
        if !metadata.is_file() {
            return Err(not_regular(path));
        }
        read::open(dir, Path::new(name)).map_err(|why| match why {
            Refused::NotRegular | Refused::TooLarge { .. } => not_regular(path),
            Refused::Io(error) if error.kind() == ErrorKind::NotFound => {
                ToolError::NotFound { path: shown(path) }
            }
            Refused::Io(error) if is_link_at(dir, name) || is_loop(&error) => is_link(path),
            Refused::Io(error) => system(&shown(path), &error),
        })
    }
}

/// Whether nothing has this name in a folder.
pub(super) fn is_missing(dir: &Dir, name: &str) -> bool {
    dir.symlink_metadata(name).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// The folder above a path with `/`, and the last name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn name_of(path: &str) -> &str {
    split(path).1
}

fn enter(dir: &Dir, name: &str, path: &str) -> Result<Dir, ToolError> {
    dir.open_dir_nofollow(name).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            ToolError::NotFound { path: shown(path) }
        } else if is_link_at(dir, name) || is_loop(&error) {
            is_link(path)
        } else if error.kind() == ErrorKind::NotADirectory {
            refused(format!("{} lies in something that is not a folder.", shown(path)))
        } else {
            system(&shown(path), &error)
        }
    })
}

fn is_link_at(dir: &Dir, name: &str) -> bool {
    dir.symlink_metadata(name).is_ok_and(|metadata| metadata.is_symlink())
}

#[cfg(unix)]
fn is_loop(error: &Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
fn is_loop(_error: &Error) -> bool {
    false
}

/// A path below a folder with `/`; `None` where a name in it is not Unicode.
fn below(base: &Path, path: &Path) -> Option<String> {
    let names: Option<Vec<&str>> =
        path.strip_prefix(base).ok()?.iter().map(OsStr::to_str).collect();
    names.map(|names| names.join("/"))
}

fn is_folder(path: &str) -> ToolError {
    refused(format!("{} is a folder. List it, or name a file in it.", shown(path)))
}

fn is_link(path: &str) -> ToolError {
    refused(format!(
        "{} is a link or lies behind one. Links are not changed: name the file it leads to.",
        shown(path)
    ))
}

fn not_regular(path: &str) -> ToolError {
    refused(format!("{} is a pipe, a socket or a device, not a file.", shown(path)))
}

/// `C:` or `C:name`, which Windows takes for a place on a drive.
fn is_drive(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

/// Names that mean something else on Windows: devices, streams of a file, and endings that it drops.
fn is_odd_on_windows(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered = |kind: &str| {
        stem.strip_prefix(kind).is_some_and(|rest| {
            rest.chars().count() == 1
                && rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³'))
        })
    };
    let is_device =
        matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$");
    is_device
        || numbered("COM")
        || numbered("LPT")
        || name.contains(':')
        || name.ends_with(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("nul", true)]
    #[case("Com1.txt", true)]
    #[case("aux.c", true)]
    #[case(".env:stream", true)]
    #[case(".env.", true)]
    #[case("command.rs", false)]
    #[case("console.log", false)]
    fn names_that_windows_understands_otherwise_are_known(
        #[case] name: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_odd_on_windows(name), expected, "{name}");
    }
}

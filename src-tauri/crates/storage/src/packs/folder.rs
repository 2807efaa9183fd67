//! Where packs lie: in the data folder, or a copy of them in a project's own folder.
//!
//! A project's folder may be anybody's. There every file is opened by handle beneath the project, no link is followed,
//! no pipe is waited for, and what is read is checked by its hash by whoever asked. What is made there is the person's
//! alone, and git is told to leave it alone.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use siltstone_engine::checkpoint::IN_PROJECT;
use siltstone_engine::ports::StoreError;

use crate::fault::io;
use crate::files;

/// How the name of a pack's file ends.
const END: &str = "pack";

/// How a pack's name ends on its way out.
const GOING: &str = ".going";

/// What keeps git from seeing the folder, and what it says.
const IGNORE: &str = ".gitignore";
const IGNORED: &[u8] = b"*\n";

/// A folder of packs.
pub(crate) enum Packs {
    /// In the data folder.
    Here(PathBuf),
    /// Below a project's root, under a name of its own.
    Beneath {
        /// The root.
        root: PathBuf,
        /// The name.
        name: String,
    },
}

impl Packs {
    /// The folder as it is shown.
    pub(crate) fn shown(&self) -> PathBuf {
        match self {
            Self::Here(path) => path.clone(),
            Self::Beneath { root, name } => above(root).join(name),
        }
    }

    /// A pack's file as it is shown.
    pub(crate) fn path(&self, pack: &str) -> PathBuf {
        self.shown().join(file_name(pack))
    }

    /// Whether it lies where others may write.
    pub(crate) fn is_beneath(&self) -> bool {
        matches!(self, Self::Beneath { .. })
    }

    fn dir(root: &Path, names: &[&str]) -> io::Result<Dir> {
        let mut dir = Dir::open_ambient_dir(root, ambient_authority())?;
        for name in names {
            dir = dir.open_dir_nofollow(name)?;
        }
        Ok(dir)
    }

    fn own(&self) -> io::Result<Dir> {
        match self {
            Self::Here(path) => Self::dir(path, &[]),
            Self::Beneath { root, name } => Self::dir(root, &[IN_PROJECT[0], IN_PROJECT[1], name]),
        }
    }

    /// Makes it, if it is not there.
    pub(crate) fn make(&self) -> Result<(), StoreError> {
        let (root, name) = match self {
            Self::Here(path) => return files::create_private_dir(path),
            Self::Beneath { root, name } => (root, name),
        };
        let made = || -> io::Result<()> {
            let mut dir = Self::dir(root, &[])?;
            for name in [IN_PROJECT[0], IN_PROJECT[1], name] {
                match dir.create_dir(name) {
                    Ok(()) => press(&dir)?,
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                dir = dir.open_dir_nofollow(name)?;
                if name == IN_PROJECT[1] {
                    restrict(&dir, 0o700)?;
                    ignore(&dir)?;
                }
            }
            restrict(&dir, 0o700)
        };
        made().map_err(|error| io(&self.shown(), &error))
    }

    /// Fails where the folder above cannot be opened: what lies there may come back with it.
    pub(crate) fn reach(&self) -> Result<(), StoreError> {
        let (Self::Here(root) | Self::Beneath { root, .. }) = self;
        Self::dir(root, &[]).map(|_| ()).map_err(|error| io(root, &error))
    }

    /// Deletes these packs, and the folders above them that are empty then. What else is there stays.
    pub(crate) fn unmake(&self, packs: impl Iterator<Item = String>) -> Result<(), StoreError> {
        let Self::Beneath { root, name } = self else { return Ok(()) };
        for pack in packs {
            self.remove(&pack)?;
        }
        // Each may be gone already: whoever did this before may have been cut off at any of them.
        let emptied = || -> io::Result<()> {
            if let Some(dir) = if_there(Self::dir(root, &IN_PROJECT))? {
                if_there(dir.remove_dir(name))?;
                let mut others = dir.entries()?.flatten();
                if !others.all(|entry| entry.file_name() == IGNORE) {
                    return Ok(());
                }
                if_there(dir.remove_file(IGNORE))?;
            }
            if let Some(above) = if_there(Self::dir(root, &IN_PROJECT[..1]))? {
                if_there(above.remove_dir(IN_PROJECT[1]))?;
            }
            if_there(Self::dir(root, &[])?.remove_dir(IN_PROJECT[0]))?;
            Ok(())
        };
        if let Err(error) = emptied() {
            tracing::debug!(%error, "a folder stays at {}", self.shown().display());
        }
        Ok(())
    }

    /// Opens a pack to be read.
    pub(crate) fn open(&self, pack: &str) -> io::Result<File> {
        match self {
            Self::Here(path) => File::open(path.join(file_name(pack))),
            Self::Beneath { .. } => self.open_with(pack, OpenOptions::new().read(true)),
        }
    }

    /// Opens a pack to be appended to.
    pub(crate) fn open_to_write(&self, pack: &str) -> io::Result<File> {
        match self {
            Self::Here(path) => {
                fs::OpenOptions::new().read(true).write(true).open(path.join(file_name(pack)))
            }
            Self::Beneath { .. } => self.open_with(pack, OpenOptions::new().read(true).write(true)),
        }
    }

    /// Makes a new pack.
    pub(crate) fn create(&self, pack: &str) -> Result<File, StoreError> {
        let path = self.path(pack);
        if let Self::Here(_) = self {
            return files::create_private(&path);
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        self.open_with(pack, &options).map_err(|error| io(&path, &error))
    }

    fn open_with(&self, pack: &str, options: &OpenOptions) -> io::Result<File> {
        let mut options = options.clone();
        // Opening a pipe without a writer would wait for one.
        options.follow(FollowSymlinks::No).nonblock(true);
        let file = self.own()?.open_with(file_name(pack), &options)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidData, "it is no file"));
        }
        Ok(file.into_std())
    }

    /// The bytes of a pack; `None` where there is none.
    pub(crate) fn size(&self, pack: &str) -> Result<Option<u64>, StoreError> {
        let found = match self {
            Self::Here(path) => path.join(file_name(pack)).metadata().map(|it| it.len()),
            Self::Beneath { .. } => self.open(pack).and_then(|it| it.metadata()).map(|it| it.len()),
        };
        match found {
            Ok(size) => Ok(Some(size)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(io(&self.path(pack), &error)),
        }
    }

    /// Deletes a pack, if it is there.
    pub(crate) fn remove(&self, pack: &str) -> Result<(), StoreError> {
        let name = file_name(pack);
        let removed = self.own().and_then(|dir| {
            if !cfg!(windows) {
                return dir.remove_file(name);
            }
            // A name may stay until whoever has the file open lets go of it; it is no pack's any more then.
            let going = format!("{name}{GOING}");
            dir.rename(name, &dir, &going)?;
            dir.remove_file(going)
        });
        match removed {
            Err(error) if !is_missing(&error) => Err(io(&self.path(pack), &error)),
            _ => Ok(()),
        }
    }

    /// The packs in the order in which they were begun.
    pub(crate) fn list(&self) -> Result<Vec<String>, StoreError> {
        let names = || -> io::Result<Vec<String>> {
            let dir = self.own()?;
            let entries = dir.entries()?.flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let packs = names.filter_map(|name| {
                if cfg!(windows) && name.ends_with(GOING) {
                    // Of a process that died while it deleted it.
                    let _ = dir.remove_file(&name);
                }
                name.strip_suffix(END)?.strip_suffix('.').map(str::to_owned)
            });
            Ok(packs.collect())
        };
        match names() {
            Ok(mut names) => {
                names.sort();
                Ok(names)
            }
            Err(error) if is_missing(&error) && self.is_beneath() => Ok(Vec::new()),
            Err(error) => Err(io(&self.shown(), &error)),
        }
    }

    /// Presses the names in it onto the disk.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        match self {
            Self::Here(path) => files::sync_dir(path),
            Self::Beneath { .. } => {
                let pressed = self.own().and_then(|dir| press(&dir));
                pressed.map_err(|error| io(&self.shown(), &error))
            }
        }
    }
}

/// The names of folders below a root in which packs may lie.
pub(crate) fn names(root: &Path) -> Vec<String> {
    let Ok(dir) = Packs::dir(root, &IN_PROJECT) else { return Vec::new() };
    let Ok(entries) = dir.entries() else { return Vec::new() };
    let dirs = entries.flatten().filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
    dirs.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// What lies above such folders, as it is shown.
fn above(root: &Path) -> PathBuf {
    root.join(IN_PROJECT[0]).join(IN_PROJECT[1])
}

fn file_name(pack: &str) -> String {
    format!("{pack}.{END}")
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// What came of it; `None` where there is nothing.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if is_missing(&error) => Ok(None),
        found => found.map(Some),
    }
}

/// What is there already stays as it is.
fn ignore(dir: &Dir) -> io::Result<()> {
    match dir.open_with(IGNORE, OpenOptions::new().write(true).create_new(true)) {
        Ok(mut file) => {
            file.write_all(IGNORED)?;
            file.sync_all()
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Presses the names in a folder onto the disk.
#[cfg(unix)]
fn press(dir: &Dir) -> io::Result<()> {
    dir.open(".")?.sync_all()
}

/// Other systems write names with their files, and open no folder as one.
#[cfg(not(unix))]
fn press(_dir: &Dir) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn restrict(dir: &Dir, mode: u32) -> io::Result<()> {
    use cap_std::fs::PermissionsExt;
    dir.set_permissions(".", cap_std::fs::Permissions::from_mode(mode))
}

/// The person's own folder is private already on systems without such modes.
#[cfg(not(unix))]
fn restrict(_dir: &Dir, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// What lies there when a process died while it made the folder, or took it away.
    #[rstest]
    #[case::nothing(&[], "")]
    #[case::above(&[".siltstone/"], "")]
    #[case::below(&[".siltstone/checkpoints/"], "")]
    #[case::ignored(&[".siltstone/checkpoints/", ".siltstone/checkpoints/.gitignore"], "")]
    #[case::own(&[".siltstone/checkpoints/own/", ".siltstone/checkpoints/.gitignore"], "")]
    #[case::packs(&[".siltstone/checkpoints/own/", ".siltstone/checkpoints/own/a.pack"], "")]
    #[case::unknown(
        &[".siltstone/checkpoints/own/", ".siltstone/checkpoints/own/b.pack"],
        ".siltstone/checkpoints/own/b.pack"
    )]
    #[case::others(
        &[".siltstone/checkpoints/other/", ".siltstone/checkpoints/.gitignore"],
        ".siltstone/checkpoints/.gitignore"
    )]
    #[case::persons(&[".siltstone/checkpoints/", ".siltstone/notes.md"], ".siltstone/notes.md")]
    fn what_was_cut_off_is_taken_away_whole(#[case] made: &[&str], #[case] stays: &str) {
        let root = tempfile::tempdir().unwrap();
        for path in made {
            match path.strip_suffix('/') {
                Some(dir) => fs::create_dir_all(root.path().join(dir)).unwrap(),
                None => fs::write(root.path().join(path), "*\n").unwrap(),
            }
        }
        let packs = Packs::Beneath { root: root.path().to_owned(), name: "own".into() };
        packs.unmake(["a".to_owned()].into_iter()).unwrap();
        assert!(!packs.path("a").exists());
        assert_eq!(packs.shown().exists(), stays.contains("/own/"));
        assert_eq!(root.path().join(".siltstone").exists(), !stays.is_empty());
        assert!(root.path().join(stays).exists());
    }
}

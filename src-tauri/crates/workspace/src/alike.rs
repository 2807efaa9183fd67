//! What a file keeps when another takes its place: its permissions, its owner and its extended attributes, as far as this
//! process may give them, and its other names. Called by whatever puts a file in the place of one.
//!
//! A file is never written into: what dies in the middle would leave it half. So a new one takes its place, and then has
//! to be made like it. Of what only the system may give (another owner, a label of a security module) nothing is kept
//! where it is refused: `git` and editors do no more.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::File;

/// What tells a file from every other, and how many names it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Same {
    device: u64,
    inode: u64,
    names: u64,
}

impl Same {
    /// Whether it has another name somewhere.
    pub(crate) fn has_others(self) -> bool {
        self.names > 1
    }

    /// How many names it has.
    pub(crate) fn names(self) -> u64 {
        self.names
    }

    /// Whether this is the same file.
    pub(crate) fn is(self, other: Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

#[cfg(unix)]
mod system {
    use std::collections::BTreeSet;
    use std::ffi::CString;
    use std::os::unix::fs::fchown;

    use cap_std::fs::MetadataExt;
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

    use super::*;

    /// Most bytes of an attribute, and of the names of all: what Linux has at most.
    const MOST: usize = 64 * 1024;

    /// Makes a new file like the one whose place it takes.
    pub(crate) fn make_alike(new: &File, old: &File) -> io::Result<()> {
        let (is, was) = (new.metadata()?, old.metadata()?);
        let mut mode = was.mode() & 0o7777;
        if (is.uid(), is.gid()) != (was.uid(), was.gid()) {
            // Whoever is not the system may still give it to a group of their own.
            let given = fchown(new, Some(was.uid()), Some(was.gid()));
            if given.is_err()
                && is.gid() != was.gid()
                && fchown(new, None, Some(was.gid())).is_err()
            {
                // What one group might do is not for another one.
                mode &= 0o707 | ((mode & 0o007) << 3);
            }
            if given.is_err() {
                // Nor does a program run as another person than it was made to.
                mode &= 0o1777;
            }
        }
        use cap_std::fs::PermissionsExt;
        new.set_permissions(cap_std::fs::Permissions::from_mode(mode))?;
        let there = attributes(new);
        for name in attributes(old) {
            let mut value = vec![0; MOST];
            if let Ok(bytes) = fgetxattr(old, &*name, &mut value[..]) {
                // One that the system keeps for itself, or that this file system has not, is not given.
                let _ = fsetxattr(new, &*name, &value[..bytes], XattrFlags::empty());
            }
        }
        // What a folder gives to new files was not the old one's. Of the system's own none is taken.
        for name in there.difference(&attributes(old)) {
            if name.as_bytes().starts_with(b"user.") || name.as_bytes().starts_with(b"system.") {
                let _ = rustix::fs::fremovexattr(new, &**name);
            }
        }
        Ok(())
    }

    fn attributes(file: &File) -> BTreeSet<CString> {
        let mut names = vec![0; MOST];
        let length = flistxattr(file, &mut names[..]).unwrap_or_default();
        let all = names.get(..length).unwrap_or_default().split(|byte| *byte == 0);
        all.filter(|name| !name.is_empty()).filter_map(|name| CString::new(name).ok()).collect()
    }

    /// The names of a file beneath a folder: whole paths, as many as are found among `most` entries. No link is followed.
    pub(crate) fn names_beneath(root: &Path, file: Same, most: usize) -> Vec<PathBuf> {
        use std::os::unix::fs::DirEntryExt;
        let (mut found, mut met, mut folders) = (Vec::new(), 0, vec![root.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                met += 1;
                if found.len() as u64 == file.names || met > most {
                    return found;
                }
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if entry.ino() == file.inode
                    && entry
                        .metadata()
                        .ok()
                        .and_then(|it| same_at(&it))
                        .is_some_and(|it| it.is(file))
                {
                    found.push(entry.path());
                }
            }
        }
        found
    }

    /// Which file it is.
    pub(crate) fn same(metadata: &cap_std::fs::Metadata) -> Option<Same> {
        let (device, inode, names) = (metadata.dev(), metadata.ino(), metadata.nlink());
        metadata.is_file().then_some(Same { device, inode, names })
    }

    fn same_at(metadata: &std::fs::Metadata) -> Option<Same> {
        use std::os::unix::fs::MetadataExt;
        let (device, inode, names) = (metadata.dev(), metadata.ino(), metadata.nlink());
        metadata.is_file().then_some(Same { device, inode, names })
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    /// Only whether it may be written is kept there.
    pub(crate) fn make_alike(new: &File, old: &File) -> io::Result<()> {
        new.set_permissions(old.metadata()?.permissions())
    }

    /// It is not told there.
    pub(crate) fn same(_metadata: &cap_std::fs::Metadata) -> Option<Same> {
        None
    }

    /// None is known there.
    pub(crate) fn names_beneath(_root: &Path, _file: Same, _most: usize) -> Vec<PathBuf> {
        Vec::new()
    }
}

pub(crate) use system::{make_alike, names_beneath, same};

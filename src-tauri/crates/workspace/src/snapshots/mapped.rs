//! Which files other programs hold in their memory, where they write without a word: neither the size nor a time of a
//! mapped file moves until the system writes it down, and nothing is told either. So whatever is mapped is read at each
//! capture, and once more after it is let go. A file that is open and not mapped needs no such care: what is written there
//! moves its times at once.
//!
//! `/proc` says what is mapped, of programs that may be asked. The system's own are not asked: whoever is root is beyond
//! what can be guarded against.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::name::below;

/// What is held in memory at a moment.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    /// Paths below the root.
    pub(super) paths: BTreeSet<Vec<u8>>,
    /// Numbers of all such files, by whatever name: one of several names may be below the root.
    pub(super) inodes: HashSet<u64>,
    /// A program that may write in the folder could not be asked.
    pub(super) is_unsure: bool,
}

/// Asks every program.
pub(super) fn mapped(root: &Path) -> Mapped {
    let mut mapped = Mapped::default();
    let (mut maps, owned) = (Vec::new(), root.metadata().ok());
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if !process.file_name().as_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        maps.clear();
        let read =
            File::open(process.path().join("maps")).and_then(|mut it| it.read_to_end(&mut maps));
        match read {
            Ok(_) => maps.split(|byte| *byte == b'\n').for_each(|line| mapped.take(root, line)),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                let by = process.metadata().map_or(0, |it| it.uid());
                let may = |it: &fs::Metadata| it.uid() == by || it.mode() & 0o022 != 0;
                mapped.is_unsure |= by != 0 && owned.as_ref().is_none_or(may);
            }
            // It has ended.
            Err(_) => {}
        }
    }
    mapped
}

impl Mapped {
    /// Takes in a line of `from-to perm offset device inode    path`. What is mapped for itself alone is written nowhere.
    fn take(&mut self, root: &Path, line: &[u8]) {
        let mut words = line.splitn(6, |byte| *byte == b' ');
        if words.nth(1).is_none_or(|allowed| allowed.get(3) != Some(&b's')) {
            return;
        }
        let (Some(inode), Some(path)) = (words.nth(2), words.next()) else { return };
        let inode = std::str::from_utf8(inode).ok().and_then(|it| it.parse().ok());
        let Some(inode) = inode.filter(|inode| *inode != 0) else { return };
        self.inodes.insert(inode);
        let path = unescaped(path.trim_ascii_start());
        self.paths.extend(below(root, Path::new(std::ffi::OsStr::from_bytes(&path))));
    }
}

/// A new line in a path is written as `\012`, and nothing else is.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(path.len());
    let mut left = path;
    while let Some((first, rest)) = left.split_first() {
        match left.strip_prefix(b"\\012") {
            Some(after) => {
                whole.push(b'\n');
                left = after;
            }
            None => {
                whole.push(*first);
                left = rest;
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_taken_by_its_path_and_number() {
        let mut mapped = Mapped::default();
        for line in [
            "7f00-7f01 rw-s 00000000 fe:00 41                         /desk/a/deep/b c.db",
            "7f00-7f01 r--s 00000000 fe:00 42                         /desk/a/new\\012line",
            "7f00-7f01 rw-p 00000000 fe:00 43                         /desk/a/private",
            "7f00-7f01 rw-s 00000000 fe:00 44                         /desk/ab",
            "7f00-7f01 rw-s 00000000 00:01 0                          /dev/zero (deleted)",
            "7f00-7f01 rw-p 00000000 00:00 0 ",
            "",
        ] {
            mapped.take(Path::new("/desk/a"), line.as_bytes());
        }
        let paths: Vec<&[u8]> = mapped.paths.iter().map(Vec::as_slice).collect();
        assert_eq!(paths, [b"deep/b c.db".as_slice(), b"new\nline"]);
        assert_eq!(mapped.inodes, HashSet::from([41, 42, 44]));
    }
}

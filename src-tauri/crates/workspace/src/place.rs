//! Where a folder lies: the home, the root of a file system, a network share. Called before a folder is walked.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use file_id::FileId;
use siltstone_engine::project::ProbeWarning;

/// Kinds of file systems on Linux whose every look-up may cross a network.
const NETWORK_KINDS: [&str; 17] = [
    "9p",
    "afs",
    "ceph",
    "cifs",
    "davfs",
    "fuse.davfs2",
    "fuse.gvfsd-fuse",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "fuse.glusterfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "smb3",
    "smbfs",
];

/// Kinds of file systems on Linux whose changes are all made, and so told, by this computer.
const TOLD_KINDS: [&str; 11] = [
    "bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs",
];

/// Said of a folder in whose place there is another one.
pub const REPLACED: &str =
    "it is not the folder that was opened: a link leads elsewhere. Open the folder where it is";

/// What tells a folder from every other one. The number of a file is given again once it is gone, so the moment it was
/// made says the rest; where nobody knows that, the device does. That alone would not do: a disk that is plugged in again,
/// and a volume after a start of the system, may have another one.
pub fn identity(path: &Path) -> Option<String> {
    let (device, file) = match file_id::get_file_id(path).ok()? {
        FileId::Inode { device_id, inode_number } => (device_id, u128::from(inode_number)),
        FileId::LowRes { volume_serial_number, file_index } => {
            (u64::from(volume_serial_number), u128::from(file_index))
        }
        FileId::HighRes { volume_serial_number, file_id } => (volume_serial_number, file_id),
    };
    let made = path.metadata().ok()?.created().ok();
    let made = made.and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    Some(match made.filter(|made| !made.is_zero()) {
        Some(made) => format!("{file:x} made {}", made.as_nanos()),
        None => format!("{file:x} on {device:x}"),
    })
}

/// Whether a folder is too wide to look through. The home and everything above it hold mail, browser profiles,
/// other projects and mounted disks: counting them takes minutes, and indexing them would read what nobody meant to
/// show. Of these only the top level is looked at.
pub fn wide(real: &Path, home: Option<&Path>) -> Option<ProbeWarning> {
    if real.parent().is_none() {
        Some(ProbeWarning::Root)
    } else if home.is_some_and(|home| home.starts_with(real)) {
        Some(ProbeWarning::Home)
    } else {
        None
    }
}

/// Whether a folder lies on a network file system, as far as this system says.
pub fn on_network(real: &Path) -> bool {
    if real.to_str().is_some_and(|path| plain(path).starts_with(r"\\")) {
        return true;
    }
    // Only Linux has this file; elsewhere nothing is said, which is no worse than not knowing.
    std::fs::read_to_string("/proc/self/mountinfo")
        .is_ok_and(|mounts| mounted_from_network(&mounts, real))
}

/// Whether every change in a folder, and in what is mounted beneath it, is told by the system.
pub fn is_told(real: &Path) -> bool {
    std::fs::read_to_string("/proc/self/mountinfo")
        .is_ok_and(|mounts| told_by_mounts(&mounts, real))
}

fn told_by_mounts(mounts: &str, real: &Path) -> bool {
    let is_told = |kind: &str| TOLD_KINDS.contains(&kind);
    let mut beneath = mounted(mounts).filter(|(point, _)| point.starts_with(real));
    beneath.all(|(_, kind)| is_told(kind)) && holding(mounts, real).is_some_and(is_told)
}

/// Mount points and kinds, from lines of `36 35 98:0 /root /mount/point options [tags] - kind source options`.
fn mounted(mounts: &str) -> impl Iterator<Item = (PathBuf, &str)> {
    mounts.lines().filter_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4).map(unescape)?;
        Some((PathBuf::from(point), system.split(' ').next()?))
    })
}

/// The kind of file system that holds a folder: the last of the longest mount points is the one that is seen.
fn holding<'a>(mounts: &'a str, real: &Path) -> Option<&'a str> {
    let above = mounted(mounts).filter(|(point, _)| real.starts_with(point));
    above.max_by_key(|(point, _)| point.as_os_str().len()).map(|(_, kind)| kind)
}

fn mounted_from_network(mounts: &str, real: &Path) -> bool {
    holding(mounts, real).is_some_and(|kind| NETWORK_KINDS.contains(&kind))
}

/// Mount points write blank, tab, newline and backslash as three octal digits.
fn unescape(point: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(point.to_owned(), |text, (code, c)| text.replace(code, c))
}

/// The path as people write it: Windows calls a canonical path `\\?\C:\…`.
pub fn plain(path: &str) -> String {
    if let Some(share) = path.strip_prefix(r"\\?\UNC\") {
        return format!(r"\\{share}");
    }
    path.strip_prefix(r"\\?\").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:44 / /srv/team rw shared:2 - nfs4 server:/team rw
41 40 8:2 / /srv/team/local rw - xfs /dev/sdb1 rw
42 22 0:50 / /home/me/My\\040Server rw - fuse.sshfs me@host: rw
";

    #[rstest]
    #[case("/srv/team/aurora", true)]
    #[case("/srv/team", true)]
    #[case("/srv/team/local/aurora", false)]
    #[case("/srv/teammate", false)]
    #[case("/home/me/My Server/x", true)]
    #[case("/home/me", false)]
    fn the_innermost_mount_decides(#[case] path: &str, #[case] network: bool) {
        assert_eq!(mounted_from_network(MOUNTS, Path::new(path)), network);
    }

    #[rstest]
    #[case("/home/me/aurora", true)]
    #[case("/home/me", false)]
    #[case("/srv/team/local/aurora", true)]
    #[case("/srv/team/aurora", false)]
    fn a_folder_tells_where_it_and_what_is_mounted_in_it_are_of_this_computer(
        #[case] path: &str,
        #[case] told: bool,
    ) {
        assert_eq!(told_by_mounts(MOUNTS, Path::new(path)), told);
    }

    #[rstest]
    #[case(r"\\?\C:\work\aurora", r"C:\work\aurora")]
    #[case(r"\\?\UNC\server\share", r"\\server\share")]
    #[case("/code/aurora", "/code/aurora")]
    fn paths_are_shown_as_people_write_them(#[case] real: &str, #[case] shown: &str) {
        assert_eq!(plain(real), shown);
    }

    #[cfg(unix)]
    #[rstest]
    #[case("/", Some(ProbeWarning::Root))]
    #[case("/home", Some(ProbeWarning::Home))]
    #[case("/home/me", Some(ProbeWarning::Home))]
    #[case("/home/me/aurora", None)]
    #[case("/home/m", None)]
    fn the_home_and_what_is_above_it_are_wide(
        #[case] path: &str,
        #[case] expected: Option<ProbeWarning>,
    ) {
        assert_eq!(wide(Path::new(path), Some(Path::new("/home/me"))), expected);
    }
}

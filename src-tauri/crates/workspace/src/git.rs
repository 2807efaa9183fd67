//! The checked-out branch, read from git's files. Called by the probe. Git itself is not run for it: a folder's
//! own configuration can make it run programs.

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::read;

/// Far more than `HEAD` or a `gitdir:` line needs.
const MAX_BYTES: u64 = 8 * 1024;

/// The branch of the repository whose top folder this is; none when a commit is checked out.
pub fn branch(root: &Path) -> Option<String> {
    let dir = Dir::open_ambient_dir(root, ambient_authority()).ok()?;
    let head = match line(&dir, ".git") {
        // A worktree or submodule: the file names the place. All that is taken from there is a branch's name.
        Some(pointer) => {
            let place: PathBuf = root.join(pointer.strip_prefix("gitdir: ")?.trim());
            line(&Dir::open_ambient_dir(place, ambient_authority()).ok()?, "HEAD")
        }
        None => line(&dir, ".git/HEAD"),
    }?;
    let name = head.strip_prefix("ref: refs/heads/")?.trim();
    let shown = !name.is_empty() && name.len() <= 255 && !name.contains(char::is_control);
    shown.then(|| name.to_owned())
}

fn line(dir: &Dir, path: &str) -> Option<String> {
    let bytes = read::regular(dir, Path::new(path), MAX_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().next().map(str::to_owned)
}

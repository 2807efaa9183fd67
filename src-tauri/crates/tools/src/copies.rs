//! Folders beside a project, in which an agent or a person works on a copy of it: worktrees of git, and plain ones.
//!
//! Git is run here and nowhere else, on the person's word, in a project that they trust. It starts nothing of what the
//! repository's own configuration names: no hook, no monitor of files, no filter, and no connection to anywhere. It checks
//! nothing out: what is in the folder afterwards is written by the one who asked.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

use siltstone_engine::ports::{Copies, CopyError};

use crate::environment::scrubbed;

/// How often whoever asked is asked whether git shall go on.
const ASKED: Duration = Duration::from_millis(50);

/// Most of what git says that is told.
const TOLD: usize = 400;

/// The folders beside projects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside;

impl Copies for Beside {
    fn has_commits(&self, root: &str) -> bool {
        Path::new(root).join(".git").exists()
            && git(root, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], &|| true).is_ok()
    }

    fn make(
        &self,
        root: &str,
        path: &str,
        branch: Option<&str>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), CopyError> {
        // Whoever makes it has the name; git takes a folder in which there is nothing.
        fs::create_dir(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => taken(path),
            _ => refused(format!("{path}: {error}")),
        })?;
        let Some(branch) = branch else { return Ok(()) };
        if let Err(error) = git(root, &["branch", "--no-track", "--", branch, "HEAD"], goes_on) {
            let _ = fs::remove_dir(path);
            let full = format!("refs/heads/{branch}");
            let is_there = git(root, &["show-ref", "--verify", "--quiet", &full], &|| true).is_ok();
            return Err(if is_there { taken(branch) } else { error });
        }
        // Nothing is checked out: what is in the project is written by whoever asked, and no filter is started.
        let add = ["worktree", "add", "--quiet", "--no-checkout", path, branch];
        let made =
            git(root, &add, goes_on).and_then(|()| git(path, &["read-tree", "HEAD"], goes_on));
        made.inspect_err(|_| self.unmake(root, path, Some(branch)))
    }

    fn settle(&self, root: &str, path: &str) -> Result<(), CopyError> {
        let listed = command(path, &["ls-files", "--deleted", "-z"]).stderr(Stdio::null()).output();
        let listed = listed.map_err(|error| refused(format!("git: {error}")))?.stdout;
        let absent: Vec<u8> = listed
            .split_inclusive(|byte| *byte == 0)
            .filter(|name| is_in(Path::new(root), name.strip_suffix(&[0]).unwrap_or(name)))
            .flatten()
            .copied()
            .collect();
        if absent.is_empty() {
            return Ok(());
        }
        let mut child = command(path, &["update-index", "-z", "--skip-worktree", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| refused(format!("git: {error}")))?;
        let wrote = child.stdin.take().map(|mut to| to.write_all(&absent));
        let ended = child.wait();
        match (wrote, ended) {
            (Some(Ok(())), Ok(status)) if status.success() => Ok(()),
            _ => Err(refused(String::from("git: update-index failed"))),
        }
    }

    fn unmake(&self, root: &str, path: &str, branch: Option<&str>) {
        let _ = self.remove(branch.is_some().then_some(root), path);
        if let Some(branch) = branch {
            let _ = git(root, &["branch", "--quiet", "-D", "--", branch], &|| true);
        }
    }

    fn remove(&self, root: Option<&str>, path: &str) -> Result<Option<String>, CopyError> {
        // First its name: what is deleted in part must not be taken for a copy in which files were deleted.
        let going = format!("{path}.removed-{}", process::id());
        let rest = match fs::rename(path, &going) {
            Ok(()) => fs::remove_dir_all(&going).is_err().then_some(going),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(refused(format!("{path}: {error}"))),
        };
        // The repository may be gone, or know nothing of it any more.
        if let Some(root) = root.filter(|root| Path::new(root).join(".git").exists()) {
            let _ = git(root, &["worktree", "remove", "--force", "--force", "--", path], &|| true);
        }
        Ok(rest)
    }
}

fn taken(name: &str) -> CopyError {
    CopyError::Taken { name: name.to_owned() }
}

/// Whether something has this name below a folder.
#[cfg(unix)]
fn is_in(root: &Path, name: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    root.join(std::ffi::OsStr::from_bytes(name)).symlink_metadata().is_ok()
}

#[cfg(not(unix))]
fn is_in(root: &Path, name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| root.join(name).symlink_metadata().is_ok())
}

fn refused(detail: String) -> CopyError {
    CopyError::Refused { detail }
}

/// Git in a folder.
fn command(root: &str, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(["-c", "submodule.recurse=false", "-c", "protocol.allow=never", "-C", root])
        .args(arguments)
        .env_clear()
        .envs(scrubbed())
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null());
    git
}

/// Runs git in a folder, and waits.
fn git(root: &str, arguments: &[&str], goes_on: &dyn Fn() -> bool) -> Result<(), CopyError> {
    let mut child = command(root, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| refused(format!("git: {error}")))?;
    let errors = child.stderr.take();
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        errors.map(|mut from| from.read_to_end(&mut said));
        String::from_utf8_lossy(&said).into_owned()
    });
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| refused(error.to_string()))? {
            break status;
        }
        if !goes_on() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(CopyError::Cancelled);
        }
        thread::sleep(ASKED);
    };
    if status.success() {
        return Ok(());
    }
    let said = said.join().unwrap_or_default();
    Err(refused(format!("git: {}", said.trim().chars().take(TOLD).collect::<String>())))
}

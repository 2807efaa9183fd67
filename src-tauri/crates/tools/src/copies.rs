//! Folders beside a project, in which an agent or a person works on a copy of it: worktrees of git, and plain ones.
//!
//! Git is run here and nowhere else, on the person's word, in a project that they trust: without hooks, without a monitor of
//! files, and without a connection to anywhere. What is in the folder afterwards, beyond what is committed, is written by the
//! one who asked.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
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
        let taken = |name: &str| CopyError::Taken { name: name.to_owned() };
        if fs::symlink_metadata(path).is_ok() {
            return Err(taken(path));
        }
        let Some(branch) = branch else {
            return fs::create_dir(path).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => taken(path),
                _ => refused(format!("{path}: {error}")),
            });
        };
        let full = format!("refs/heads/{branch}");
        if git(root, &["show-ref", "--verify", "--quiet", &full], goes_on).is_ok() {
            return Err(taken(branch));
        }
        let made = git(root, &["worktree", "add", "--quiet", "-b", branch, path, "HEAD"], goes_on);
        made.inspect_err(|_| {
            // What git began is ours alone: neither name was there before.
            let _ = self.remove(root, path, true);
            let _ = git(root, &["branch", "--quiet", "-D", branch], &|| true);
        })
    }

    fn remove(&self, root: &str, path: &str, worktree: bool) -> Result<(), CopyError> {
        // The repository may be gone, or know nothing of it any more; the folder goes in any case.
        if worktree && Path::new(root).join(".git").exists() {
            let _ = git(root, &["worktree", "remove", "--force", "--force", path], &|| true);
        }
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(refused(format!("{path}: {error}")))
            }
            _ => Ok(()),
        }
    }
}

fn refused(detail: String) -> CopyError {
    CopyError::Refused { detail }
}

/// Runs git in a folder, and waits.
fn git(root: &str, arguments: &[&str], goes_on: &dyn Fn() -> bool) -> Result<(), CopyError> {
    let mut child = Command::new("git")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", root])
        .args(arguments)
        .env_clear()
        .envs(scrubbed())
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .stdin(Stdio::null())
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

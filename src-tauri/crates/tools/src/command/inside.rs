//! A program that is kept inside of what it may reach, with the best means that the system has. Called to start a command,
//! and to start a server of tools.
//!
//! What a thread is kept inside of it never leaves, and what it starts does not either: [`kept`] is called on a thread of
//! its own, which ends.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use siltstone_engine::tool::Sandbox;
use tokio::process::Command;

/// What a program may reach beside the system, its toolchain and a temporary folder of its own.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing keeps it inside there"))]
pub(crate) struct May {
    /// The folder it starts in.
    pub(crate) root: PathBuf,
    /// What it reads, because somebody named it; `~/` is the home.
    pub(crate) reads: Vec<String>,
    /// What it reads because it is made of it. The home, and what is above it, are never meant.
    pub(crate) parts: Vec<PathBuf>,
    /// What it changes; `~/` is the home.
    pub(crate) writes: Vec<String>,
    /// What is not there for it, wherever it lies.
    pub(crate) closed: Vec<PathBuf>,
    /// Whether it may use the network.
    pub(crate) network: bool,
}

/// What keeps a program inside here.
pub(crate) fn sandbox() -> Sandbox {
    #[cfg(target_os = "linux")]
    if super::mounts::program().is_some() {
        return Sandbox::Whole;
    } else if super::sandbox::is_enforced() {
        return Sandbox::Writes;
    }
    Sandbox::None
}

/// The program with its arguments, with this thread kept inside of what keeps the program.
#[cfg(target_os = "linux")]
pub(crate) fn kept(
    words: &[OsString],
    may: &May,
    temp: &Path,
    sandbox: Sandbox,
) -> io::Result<Command> {
    use super::{mounts, reach::Reach, sandbox as landlock};
    if sandbox == Sandbox::None {
        return plain(words);
    }
    let reach = Reach::of(may, temp)?;
    match mounts::program().filter(|_| sandbox == Sandbox::Whole) {
        Some(program) => {
            let mut command = Command::new(program);
            command.args(mounts::arguments(words, &reach));
            mounts::enter()?;
            Ok(command)
        }
        None => {
            landlock::enter(&reach)?;
            plain(words)
        }
    }
}

/// The program with its arguments: nothing keeps it inside here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kept(
    words: &[OsString],
    _may: &May,
    _temp: &Path,
    _sandbox: Sandbox,
) -> io::Result<Command> {
    plain(words)
}

fn plain(words: &[OsString]) -> io::Result<Command> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

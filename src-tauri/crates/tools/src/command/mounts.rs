//! A view of its own for a program, by bubblewrap: what it may read is mounted there to be read, what it may change and its
//! temporary folder to be written, and nothing else is there. Called before one is started.
//!
//! What is mounted to be read keeps its modes, times and attributes too. Processes of others are not seen, and nothing that
//! it started outlives it. Without leave for the network it has one of its own, in which it may talk to itself.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use super::inside::May;
use super::reach::Reach;
use super::{calls, repository, sandbox};

/// A process of a shell that was ended by a signal says this much more than its number.
const BY_SIGNAL: i32 = 128;

/// The most signals that there are.
const SIGNALS: i32 = 64;

/// The program that makes such a view, if there is one and it really does here. It is tried once.
pub(super) fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(|| found().filter(|it| try_it(it).unwrap_or(false))).as_deref()
}

fn found() -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    let folders = env::split_paths(&paths).filter(|it| it.is_absolute()).collect::<Vec<_>>();
    folders.into_iter().map(|it| it.join("bwrap")).find(|it| it.is_file())
}

/// Whether a command in such a view runs, changes what it may, and nothing else.
fn try_it(program: &Path) -> io::Result<bool> {
    let (inside, temp, outside) =
        (tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?);
    let file = outside.path().join("file");
    fs::write(&file, "x")?;
    let before = fs::metadata(&file)?;
    let line = format!(
        "echo x > new; chmod 000 '{0}' 2>/dev/null; touch '{0}' 2>/dev/null; exit 7",
        file.display()
    );
    let root = inside.path().canonicalize()?;
    let writes = vec![root.to_string_lossy().into_owned()];
    let reach = Reach::of(&May { root, writes, ..May::default() }, temp.path())?;
    let arguments = arguments(&["/bin/sh", "-c", "--", &line].map(OsString::from), &reach);
    // What a thread is kept inside of it never leaves, so it is a thread of its own.
    let ended = thread::scope(|scope| {
        let tried =
            thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(scope, || {
                enter()?;
                let mut command = Command::new(program);
                command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
                command.stderr(Stdio::null()).status()
            })?;
        tried.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    })?;
    let after = fs::metadata(&file)?;
    let is_same =
        before.permissions() == after.permissions() && before.modified()? == after.modified()?;
    Ok(ended.code() == Some(7) && is_same && inside.path().join("new").is_file())
}

/// Keeps this thread, and everything it starts, from what no view shows: processes and sockets that have no place in a
/// folder, and calls of the system that go around it.
pub(super) fn enter() -> io::Result<()> {
    sandbox::enter_scope();
    calls::close(true)
}

/// What the program is told: the view, and what is started in it.
pub(super) fn arguments(words: &[OsString], reach: &Reach) -> Vec<OsString> {
    let mut view = View::default();
    view.say(["--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]);
    if !reach.network {
        view.say(["--unshare-net"]);
    }
    for (link, to) in &reach.links {
        view.tell("--symlink", [to, link]);
    }
    for path in &reach.readable {
        view.tell("--ro-bind-try", [path, path]);
    }
    let mut own = reach.writable.iter().chain([&reach.temp]);
    let is_above = |path: &Path| own.clone().any(|it| it.starts_with(path));
    let is_own = |path: &Path| reach.writable.iter().any(|it| path.starts_with(it));
    let (within, beside): (Vec<_>, Vec<_>) =
        reach.closed.iter().filter(|path| !is_above(path)).partition(|path| is_own(path));
    let is_read = |path: &Path| path.ancestors().any(|it| reach.readable.contains(it));
    for path in beside.into_iter().filter(|path| is_read(path)) {
        view.close(path);
    }
    let home = reach.home.as_deref().and_then(|home| home.canonicalize().ok());
    for folder in home.iter().map(PathBuf::as_path).chain([Path::new("/tmp")]) {
        view.tell("--dir", [folder]);
    }
    let is_all = own.any(|it| it.parent().is_none());
    if is_all {
        view.tell("--bind", ["/", "/"]);
    }
    view.say(["--proc", "/proc", "--dev", "/dev"]);
    for path in reach.writable.iter().filter(|_| !is_all) {
        view.tell("--bind", [path, path]);
    }
    for kept in reach.writable.iter().map(|it| repository::kept(it)) {
        for path in &kept.anchored {
            view.tell("--bind", [path, path]);
        }
        for path in &kept.fixed {
            view.tell("--ro-bind", [path, path]);
        }
    }
    for path in within {
        view.close(path);
    }
    view.tell("--bind", [&reach.temp, &reach.temp]);
    view.say(["--remount-ro", "/dev"]);
    if !is_all {
        view.say(["--remount-ro", "/"]);
    }
    view.tell("--chdir", [&reach.root]);
    view.say(["--"]);
    view.0.extend_from_slice(words);
    view.0
}

#[derive(Default)]
struct View(Vec<OsString>);

impl View {
    fn say<const N: usize>(&mut self, words: [&str; N]) {
        self.0.extend(words.map(OsString::from));
    }

    fn tell<const N: usize>(&mut self, what: &str, paths: [impl AsRef<Path>; N]) {
        self.0.push(what.into());
        self.0.extend(paths.map(|path| path.as_ref().as_os_str().to_owned()));
    }

    /// Covers a place with nothing.
    fn close(&mut self, path: &Path) {
        if path.is_dir() {
            self.tell("--tmpfs", [path]);
            self.tell("--remount-ro", [path]);
        } else {
            self.tell("--ro-bind", [Path::new("/dev/null"), path]);
        }
    }
}

/// The signal that ended the command, as the program tells it. A command that says such a number by itself is a shell whose
/// own last command was ended so.
pub(super) fn signal(code: i32) -> Option<i32> {
    Some(code - BY_SIGNAL).filter(|signal| (1..=SIGNALS).contains(signal))
}

//! What the stories stand on: a browser session, the program's window in it, the desktop around it, and folders.
//!
//! Everything blocks and panics with the line of the story that asked: a story reads from top to bottom.

pub(crate) mod agents;
mod alone;
mod browser;
mod chat;
mod connect;
pub(crate) mod desktop;
pub(crate) mod elsewhere;
pub(crate) mod folder;
mod found;
mod key;
mod keyring;
mod models;
mod page;
mod silt;
mod window;
mod words;

pub(crate) use alone::{alone, beside_ollama};
pub(crate) use browser::Browser;
pub(crate) use chat::{drop_on, words_in};
pub(crate) use connect::PAGES;
pub(crate) use found::Found;
pub(crate) use keyring::Keyring;
pub(crate) use models::{scripted, slow_reply};
pub(crate) use page::Page;
pub(crate) use silt::Silt;
pub(crate) use siltstone_test_servers::until::PATIENCE;
pub(crate) use window::{Start, TITLE, Window};

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(40);

/// How long what was pressed or typed may go without any trace before it is done once more: a key that is pressed while
/// the focus changes hands goes nowhere.
const PRESS_AGAIN: Duration = Duration::from_secs(10);

/// Asks again and again until there is an answer.
#[track_caller]
pub(crate) fn wait<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    wait_within(PATIENCE, what, ask)
}

/// As `wait`, with another patience.
#[track_caller]
pub(crate) fn wait_within<T>(
    patience: Duration,
    what: &str,
    mut ask: impl FnMut() -> Option<T>,
) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < patience, "waited {patience:?} in vain for {what}");
        std::thread::sleep(POLL);
    }
}

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("tests/window has two parents")
}

/// A built program of this workspace.
pub(crate) fn built(name: &str) -> PathBuf {
    // The test's own program is target/<profile>/deps/window-…: the others are one folder up.
    let own = std::env::current_exe().expect("a running program has a path");
    let program = own.ancestors().nth(2).expect("deps has a parent").join(name);
    assert!(program.is_file(), "{} is not built: use scripts/window.sh", program.display());
    program
}

/// Where pictures go.
pub(crate) fn picture(name: &str) -> PathBuf {
    let folder = root().join("target/shots");
    std::fs::create_dir_all(&folder).expect("target/ can be written");
    folder.join(format!("{name}.png"))
}

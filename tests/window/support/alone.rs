//! A network of its own for a story that needs a port which everybody uses, or that watches what leaves: in it nobody else
//! listens, and nothing beyond this computer can be reached.

use std::fs::File;
use std::net::TcpListener;
use std::process::Command;

use siltstone_test_servers::Server;
use siltstone_test_servers::held::Held;

/// Says to a story that it has one.
const ALONE: &str = "SILTSTONE_ALONE";

/// Where Ollama listens unless it was told otherwise.
const OLLAMA: &str = "127.0.0.1:11434";

/// Plays a story, by its whole name, in a network that has a loopback and nothing else. Not every system gives one: in some
/// containers nobody may make any.
#[track_caller]
pub(crate) fn alone(name: &str, story: impl FnOnce()) -> bool {
    if std::env::var_os(ALONE).is_some() {
        story();
        return true;
    }
    let own = || {
        let mut command = Command::new("unshare");
        command.args(["-rn", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
        command
    };
    if !own().arg("true").status().is_ok_and(|status| status.success()) {
        return false;
    }
    let played = own()
        .arg(std::env::current_exe().expect("a test has a program"))
        .args([name, "--exact", "--include-ignored", "--nocapture"])
        .env(ALONE, "yes")
        .status();
    assert!(played.expect("unshare is installed").success(), "see above");
    true
}

/// Plays a story while a server stands where Ollama listens: in a network of its own, or, where there is none, while no
/// other story does the same. Gives nothing where somebody's own Ollama listens: it is not asked.
#[track_caller]
pub(crate) fn beside_ollama(
    name: &str,
    server: impl Fn() -> Server,
    story: impl Fn(&Server, &Held),
) {
    let play = || {
        let Ok(listener) = TcpListener::bind(OLLAMA) else {
            eprintln!("skipped: something listens where Ollama does");
            return;
        };
        let server = server();
        let held = Held::from(listener, server.port()).expect("a listener has a port");
        story(&server, &held);
    };
    if !alone(name, play) {
        let lock = File::create(std::env::temp_dir().join("siltstone-ollama.lock"));
        let lock = lock.expect("a file to lock");
        lock.lock().expect("a lock");
        play();
    }
}

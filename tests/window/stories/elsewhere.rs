//! What may leave this computer: with *this computer only* no socket is opened, and no redirect takes a key along.

use std::process::{Child, Command};

use siltstone_test_servers::guarded::{Guarded, MODEL};
use tempfile::NamedTempFile;

use crate::support::{Page, Start, Window, alone, wait};

const KEY: &str = "sk-story-Hb6Zc9Tq2Nf5Xw8M";

/// Notes every socket that the running program opens from now on.
struct Sockets {
    strace: Child,
    notes: NamedTempFile,
}

impl Sockets {
    #[track_caller]
    fn of(window: &Window) -> Self {
        let notes = NamedTempFile::new().expect("a file for the notes");
        let words = NamedTempFile::new().expect("a file for its words");
        let programs = window.programs();
        let strace = Command::new("strace")
            .args(["-f", "-e", "trace=socket,connect", "-o"])
            .arg(notes.path())
            .args(programs.iter().map(|pid| format!("--attach={pid}")))
            .stderr(words.reopen().expect("the same file"))
            .spawn()
            .expect("strace is installed (scripts/setup.sh test)");
        wait("a look at the program", || {
            let said = std::fs::read_to_string(words.path()).expect("its words");
            said.contains("attached").then_some(())
        });
        Self { strace, notes }
    }

    /// Those that lead over a network.
    fn opened(&self) -> Vec<String> {
        let notes = std::fs::read_to_string(self.notes.path()).expect("the notes");
        notes.lines().filter(|line| line.contains("AF_INET")).map(str::to_owned).collect()
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // Both fail only when it ended by itself.
        drop(self.strace.kill());
        drop(self.strace.wait());
    }
}

/// Whether a program can be watched: `timeout` says 124 when strace was still at it.
fn can_be_watched() -> bool {
    let watched = "sleep 9 & timeout -s INT 1 strace -o /dev/null -p $!; [ $? = 124 ]";
    Command::new("sh").args(["-c", watched]).status().is_ok_and(|status| status.success())
}

#[test]
fn with_this_computer_only_not_even_a_socket_is_opened() {
    const NAME: &str = "stories::elsewhere::with_this_computer_only_not_even_a_socket_is_opened";
    let watched = || match can_be_watched() {
        true => asks_elsewhere(),
        false => eprintln!("skipped: strace may not watch where there is no network"),
    };
    if !alone(NAME, watched) {
        eprintln!("skipped: this system gives no network of its own");
    }
}

fn asks_elsewhere() {
    let start = Start::new("ko");
    let far = ["--kind", "ollama", "--name", "far", "--base-url", "https://model.invalid"];
    start.silt().ask(&[&["provider", "add"], &far[..]].concat());
    start.silt().ask(&["provider", "default", "far", "m"]);
    let window = start.window();
    let switch = || {
        let page = window.settings("privacy");
        window.turn(&page.the("switch", &window.word("settings:privacy.only")));
        window.dismiss();
    };
    switch();
    window.just_talk();
    let sockets = Sockets::of(&window);
    window.say("거기 누구 있어요?");
    window.fails_with("provider_not_local");
    window.shoot("story-this-computer-only");
    assert_eq!(sockets.opened(), Vec::<String>::new());
    // The same without the setting: a name is looked up, which takes a socket.
    switch();
    window.finished().the("button", &window.word("chat:actions.retry")).click();
    window.fails_with("provider_unreachable");
    wait("a socket", || (!sockets.opened().is_empty()).then_some(()));
}

#[test]
fn a_server_that_leads_elsewhere_takes_no_key_along() {
    let other = Guarded::by(KEY).expect("a port to listen at");
    let leading = Guarded::leading_to(other.base_url()).expect("a port to listen at");
    let window = Start::new("en").without_keyring().window();
    window.paste_key("keys:connect.key", KEY);
    window.at_address("OpenAI-compatible", leading.base_url());
    window.control("button", "keys:connect.test").click();
    window.control("button", "keys:connect.keep").click();
    window.control("button", "keys:place.session").click();
    let name = leading.base_url().trim_start_matches("http://").trim_end_matches("/v1");
    window.reads(&window.phrase("keys:connect.kept", &[("name", name)]));
    window.silt().ask(&["provider", "default", name, MODEL]);
    window.just_talk();
    window.say("Where does this go?");
    window.fails_with("provider_refused");

    assert!(!leading.received().is_empty(), "the key's own server was asked");
    let arrived = other.received();
    assert!(arrived.iter().all(|request| request.header("authorization").is_none()), "{arrived:?}");
    let left = window.silt().ask(&["egress", "list"]).to_string();
    assert!(!left.contains(other.base_url()), "nothing left for another origin: {left}");
}

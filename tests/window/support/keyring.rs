//! A session bus of a story's own, with the real gnome-keyring on it: open, locked, hanging, or not there at all.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use super::desktop::{focus_window, press, type_keys};
use super::{PRESS_AGAIN, wait};

/// What opens the keyring.
const PASSWORD: &str = "the keyring of a story";

/// The collection that keys go to.
const LOGIN: &str = "/org/freedesktop/secrets/collection/login";

/// What shows gnome-keyring's question for the password; the only thing that the bus starts by itself.
const PROMPTER: &str = "/usr/share/dbus-1/services/org.gnome.keyring.SystemPrompter.service";

/// What the question is called above its window.
const QUESTION: &str = "Unlock Login Keyring";

/// The bus and the keyring on it; both end with this value.
pub(crate) struct Keyring {
    /// Holds the bus's socket and the keyring's files.
    _folder: TempDir,
    bus: Child,
    address: String,
    daemon: Child,
}

impl Keyring {
    /// An open keyring.
    #[track_caller]
    pub(crate) fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the session");
        let (mut bus, address) = bus(folder.path());
        let mut daemon = Command::new("gnome-keyring-daemon")
            .args(["--foreground", "--components=secrets", "--unlock"])
            .env("DBUS_SESSION_BUS_ADDRESS", &address)
            .env("XDG_DATA_HOME", folder.path())
            .env("XDG_RUNTIME_DIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .inspect_err(|_| drop(bus.kill()))
            .expect("gnome-keyring is installed (scripts/setup.sh test)");
        let mut stdin = daemon.stdin.take().expect("its input is piped");
        stdin.write_all(PASSWORD.as_bytes()).expect("it reads its password");
        drop(stdin);
        let keyring = Self { _folder: folder, bus, address, daemon };
        wait("an open keyring", || (!keyring.is_locked()?).then_some(()));
        keyring
    }

    /// Where the bus listens, for a program's environment.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Closes it, as a desktop does that was left alone.
    #[track_caller]
    pub(crate) fn lock(&self) {
        let collection = format!("array:objpath:{LOGIN}");
        self.call(
            "/org/freedesktop/secrets",
            &["org.freedesktop.Secret.Service.Lock", &collection],
        );
        assert_eq!(self.is_locked(), Some(true));
    }

    /// Answers the question for the password that is on the screen.
    #[track_caller]
    pub(crate) fn give_password(&self) {
        let answer = || {
            focus_window(QUESTION);
            // What an answer before this one left there, if its keys came before the field had the focus.
            press(&["ctrl+a"]);
            type_keys(PASSWORD);
            press(&["Return"]);
            Instant::now()
        };
        let mut answered = answer();
        wait("an open keyring", || {
            let is_open = !self.is_locked()?;
            if !is_open && answered.elapsed() > PRESS_AGAIN {
                answered = answer();
            }
            is_open.then_some(())
        });
    }

    /// Lets every question to it lie, until it wakes.
    #[track_caller]
    pub(crate) fn hang(&self) {
        signal(&self.daemon, "STOP");
    }

    /// Answers again.
    #[track_caller]
    pub(crate) fn wake(&self) {
        signal(&self.daemon, "CONT");
    }

    /// `None` while there is no answer.
    fn is_locked(&self) -> Option<bool> {
        let (collection, name) = ("string:org.freedesktop.Secret.Collection", "string:Locked");
        let answer =
            self.call(LOGIN, &["org.freedesktop.DBus.Properties.Get", collection, name])?;
        Some(answer.contains("boolean true"))
    }

    fn call(&self, object: &str, words: &[&str]) -> Option<String> {
        let output = Command::new("dbus-send")
            .arg(format!("--bus={}", self.address))
            .args(["--print-reply", "--dest=org.freedesktop.secrets", object])
            .args(words)
            .output()
            .expect("dbus is installed");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Keyring {
    fn drop(&mut self) {
        for process in [&mut self.daemon, &mut self.bus] {
            // Both fail only when it ended by itself.
            drop(process.kill());
            drop(process.wait());
        }
    }
}

/// A bus that starts nothing but the question for a password.
#[track_caller]
fn bus(folder: &Path) -> (Child, String) {
    let services = folder.join("services");
    std::fs::create_dir(&services).expect("a folder for what the bus may start");
    std::fs::copy(PROMPTER, services.join("prompter.service")).expect("gcr is installed");
    let config = format!(
        "<busconfig>
           <type>session</type>
           <listen>unix:dir={}</listen>
           <auth>EXTERNAL</auth>
           <servicedir>{}</servicedir>
           <policy context=\"default\">
             <allow send_destination=\"*\" eavesdrop=\"true\"/>
             <allow eavesdrop=\"true\"/>
             <allow own=\"*\"/>
           </policy>
         </busconfig>",
        folder.display(),
        services.display()
    );
    let file = folder.join("bus.conf");
    std::fs::write(&file, config).expect("the session's folder can be written");
    let mut bus = Command::new("dbus-daemon")
        .arg(format!("--config-file={}", file.display()))
        .args(["--nofork", "--print-address=1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("dbus is installed");
    let mut address = String::new();
    let said = bus.stdout.take().expect("its output is piped");
    BufReader::new(said).read_line(&mut address).expect("the bus says its address");
    (bus, address.trim_end().to_owned())
}

#[track_caller]
fn signal(process: &Child, name: &str) {
    let arguments = [format!("-{name}"), process.id().to_string()];
    let status = Command::new("kill").args(arguments).status();
    assert!(status.expect("kill").success(), "{name} reaches the keyring");
}

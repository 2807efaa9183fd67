//! A desktop session of a test's own: a message bus, a home folder, and whatever owns the keyring's name on the bus.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::blocking::fdo::DBusProxy;

/// Set inside a session, to the folder of its data.
pub const INSIDE: &str = "SILTSTONE_TEST_SESSION";

/// The name a keyring has on the bus.
const SECRETS: &str = "org.freedesktop.secrets";

/// The name of what shows gnome-keyring's dialogs.
const DIALOGS: &str = "org.gnome.keyring.SystemPrompter";

/// A bus that starts nothing by itself: what owns the keyring's name is what the test puts there.
const BUS: &str = r#"<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>"#;

pub struct Session {
    dir: TempDir,
    address: String,
    processes: Vec<Child>,
    silent: Vec<Connection>,
}

impl Session {
    /// An open gnome-keyring, with dialogs that nobody answers.
    pub fn with_keyring(password: &str) -> Self {
        let mut session = Self::without_keyring();
        session.start_keyring(&["--unlock"], password);
        session
    }

    /// The same that nobody has used yet.
    pub fn with_new_keyring() -> Self {
        let mut session = Self::without_keyring();
        session.start_keyring(&["--start"], "");
        session
    }

    /// Something owns the keyring's name and never answers.
    pub fn with_silent_keyring() -> Self {
        let mut session = Self::without_keyring();
        session.silence(SECRETS);
        session
    }

    /// A bus without a keyring.
    pub fn without_keyring() -> Self {
        let mut session = Self::without_bus();
        let config = session.dir.path().join("bus.conf");
        std::fs::write(&config, BUS).expect("the session's folder can be written");
        let mut bus = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--print-address=1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon is installed (make setup)");
        let said = bus.stdout.take().expect("its output is piped");
        session.processes.push(bus);
        session.address.clear();
        BufReader::new(said).read_line(&mut session.address).expect("the bus says its address");
        session.address.truncate(session.address.trim_end().len());
        session
    }

    /// No bus at all.
    pub fn without_bus() -> Self {
        let dir = TempDir::new().expect("a folder for the session");
        for name in ["home", "run", "data"] {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).expect("a folder of the session");
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            std::fs::set_permissions(&path, private).expect("the folder is ours");
        }
        let address = format!("unix:path={}", dir.path().join("no-bus").display());
        Self { dir, address, processes: Vec::new(), silent: Vec::new() }
    }

    /// Plays one part of a story in a new process inside this session.
    pub fn play(&self, part: &str) {
        let program = std::env::current_exe().expect("a test has a program");
        let played = self
            .command(program)
            .args([&format!("keyring::{part}"), "--exact", "--ignored", "--nocapture"])
            .output()
            .expect("the test's own program runs");
        let said = String::from_utf8_lossy(&played.stdout);
        let complained = String::from_utf8_lossy(&played.stderr);
        assert!(
            played.status.success() && said.contains("1 passed"),
            "{part}:\n{said}\n{complained}"
        );
    }

    /// Owns a name; a connection without an object server takes calls and lets them lie.
    fn silence(&mut self, name: &str) {
        let connection = self.connection();
        connection.request_name(name).expect("the name is free");
        self.silent.push(connection);
    }

    fn start_keyring(&mut self, how: &[&str], password: &str) {
        self.silence(DIALOGS);
        let mut keyring = self
            .command(PathBuf::from("gnome-keyring-daemon"))
            .args(["--foreground", "--components=secrets"])
            .args(how)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("gnome-keyring is installed (make setup)");
        let mut stdin = keyring.stdin.take().expect("its input is piped");
        stdin.write_all(password.as_bytes()).expect("it reads its password");
        drop(stdin);
        self.processes.push(keyring);
        let connection = self.connection();
        let bus = DBusProxy::new(&connection).expect("the bus answers");
        let there = || {
            let name = SECRETS.try_into().expect("a name");
            bus.name_has_owner(name).expect("the bus answers")
        };
        for _ in 0..200 {
            if there() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(there(), "gnome-keyring did not start");
    }

    fn connection(&self) -> Connection {
        let builder = Builder::address(self.address.as_str()).expect("an address");
        builder.build().expect("the bus takes connections")
    }

    fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env("HOME", self.dir.path().join("home"))
            .env("XDG_RUNTIME_DIR", self.dir.path().join("run"))
            .env(INSIDE, self.dir.path().join("data"))
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("GNOME_KEYRING_CONTROL");
        command
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            // One that ended already cannot be ended again.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

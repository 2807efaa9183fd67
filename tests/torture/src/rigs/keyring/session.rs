//! A session bus of a rig's own, and what owns the keyring's name on it: the real gnome-keyring, one that refuses, or
//! nothing. Dialogs are owned by somebody who never shows one.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use zbus::blocking::connection::Builder;
use zbus::blocking::fdo::DBusProxy;
use zbus::blocking::{Connection, Proxy};
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

use super::refusing::{self, Stage};
use crate::Trouble;

/// The name a keyring has on the bus.
pub const SECRETS: &str = "org.freedesktop.secrets";

/// Where it is.
pub const SERVICE: &str = "/org/freedesktop/secrets";

/// The name of what shows gnome-keyring's dialogs.
const DIALOGS: &str = "org.gnome.keyring.SystemPrompter";

/// The keyring that keys go to.
const LOGIN: &str = "/org/freedesktop/secrets/collection/login";

/// Where gnome-keyring has its files in a home folder.
const FILES: &str = ".local/share/keyrings";

/// The bus, and the keyring on it. Both end with this value.
pub struct Session {
    dir: TempDir,
    bus: Child,
    address: String,
    keyring: Option<Child>,
    /// One that refuses goes on as long as its connection does.
    refusing: Option<Connection>,
    /// Takes questions for a dialog and lets them lie.
    _dialogs: Connection,
}

impl Session {
    /// A bus on which nobody has the keyring's name; it starts nothing by itself.
    pub fn start() -> Result<Self, Trouble> {
        let dir = tempfile::Builder::new().prefix("keyring-").tempdir()?;
        let config = format!(
            "<busconfig>
               <type>session</type>
               <listen>unix:dir={}</listen>
               <auth>EXTERNAL</auth>
               <policy context=\"default\">
                 <allow send_destination=\"*\" eavesdrop=\"true\"/>
                 <allow eavesdrop=\"true\"/>
                 <allow own=\"*\"/>
               </policy>
             </busconfig>",
            dir.path().display()
        );
        let file = dir.path().join("bus.conf");
        std::fs::write(&file, config)?;
        let mut bus = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", file.display()))
            .args(["--nofork", "--print-address=1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut address = String::new();
        let said = bus.stdout.take().ok_or("the output of the bus")?;
        BufReader::new(said).read_line(&mut address)?;
        let address = address.trim_end().to_owned();
        let dialogs = Builder::address(address.as_str())?.name(DIALOGS)?.build()?;
        Ok(Self { dir, bus, address, keyring: None, refusing: None, _dialogs: dialogs })
    }

    /// Where the bus listens, for a program's environment.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The folder of everything that is kept for this session, the keyring's files among it.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// Opens the keyring of a home of this name, which is made when it is not there, instead of what was there.
    pub fn open(&mut self, home: &str) -> Result<(), Trouble> {
        self.leave()?;
        let home = self.home(home)?;
        let mut keyring = Command::new("gnome-keyring-daemon")
            .args(["--foreground", "--components=secrets", "--unlock"])
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env("HOME", &home)
            .env("XDG_RUNTIME_DIR", home.join("run"))
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("GNOME_KEYRING_CONTROL")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = keyring.stdin.take().ok_or("the input of the keyring")?;
        self.keyring = Some(keyring);
        // Each home has a password of its own.
        write!(stdin, "the password of {}", home.display())?;
        drop(stdin);
        let connection = self.connection()?;
        self.wait_for("an open keyring", || Ok(is_locked(&connection).is_ok_and(|locked| !locked)))
    }

    /// Puts the keyring of one home beside the other's own, as an old one that stays locked.
    pub fn lay_beside(&self, old: &str, new: &str) -> Result<(), Trouble> {
        let (old, new) = (self.home(old)?.join(FILES), self.home(new)?.join(FILES));
        std::fs::create_dir_all(&new)?;
        std::fs::copy(old.join("login.keyring"), new.join("old.keyring"))?;
        std::fs::write(new.join("default"), "login")?;
        Ok(())
    }

    /// Puts one that refuses in the place of what was there.
    pub fn refuse(&mut self, stage: Stage) -> Result<(), Trouble> {
        self.leave()?;
        self.refusing = Some(refusing::serve(&self.address, stage)?);
        Ok(())
    }

    /// Nobody owns the keyring's name any more.
    pub fn leave(&mut self) -> Result<(), Trouble> {
        self.refusing = None;
        if let Some(mut keyring) = self.keyring.take() {
            keyring.kill()?;
            keyring.wait()?;
        }
        let connection = self.connection()?;
        let bus = DBusProxy::new(&connection)?;
        self.wait_for("no keyring", || Ok(!bus.name_has_owner(SECRETS.try_into()?)?))
    }

    /// Closes the keyring, as a desktop does that was left alone.
    pub fn lock(&self) -> Result<(), Trouble> {
        let connection = self.connection()?;
        let service = of(&connection, SERVICE, "org.freedesktop.Secret.Service")?;
        let login = ObjectPath::try_from(LOGIN)?;
        let _: (Vec<OwnedObjectPath>, OwnedObjectPath) = service.call("Lock", &(vec![login],))?;
        if is_locked(&connection)? { Ok(()) } else { Err("the keyring does not lock".into()) }
    }

    /// Stops the keyring, or lets it go on: every question to it waits meanwhile.
    pub fn signal(&self, name: &str) -> Result<(), Trouble> {
        let keyring = self.keyring.as_ref().ok_or("no keyring")?;
        signal(keyring.id(), name)
    }

    /// The process of the keyring.
    pub fn process(&self) -> Option<u32> {
        self.keyring.as_ref().map(Child::id)
    }

    /// What another program does to the items that are kept for Siltstone: deletes them, or gives them these bytes.
    pub fn meddle(&self, bytes: Option<&[u8]>) -> Result<usize, Trouble> {
        let connection = self.connection()?;
        let service = of(&connection, SERVICE, "org.freedesktop.Secret.Service")?;
        let wanted = HashMap::from([("service", "siltstone")]);
        let (found, _): (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>) =
            service.call("SearchItems", &(wanted,))?;
        let (_, session): (OwnedValue, OwnedObjectPath) =
            service.call("OpenSession", &("plain", Value::from("")))?;
        for item in &found {
            let item = of(&connection, item.as_str(), "org.freedesktop.Secret.Item")?;
            match bytes {
                None => {
                    let _: OwnedObjectPath = item.call("Delete", &())?;
                }
                Some(bytes) => {
                    let secret = (&session, Vec::<u8>::new(), bytes, "text/plain");
                    item.call::<_, _, ()>("SetSecret", &(secret,))?;
                }
            }
        }
        Ok(found.len())
    }

    fn home(&self, name: &str) -> Result<PathBuf, Trouble> {
        let home = self.dir.path().join(name);
        let run = home.join("run");
        std::fs::create_dir_all(&run)?;
        #[cfg(unix)]
        for folder in [&home, &run] {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700))?;
        }
        Ok(home)
    }

    fn connection(&self) -> Result<Connection, Trouble> {
        Ok(Builder::address(self.address.as_str())?.build()?)
    }

    fn wait_for(
        &self,
        what: &str,
        mut there: impl FnMut() -> Result<bool, Trouble>,
    ) -> Result<(), Trouble> {
        for _ in 0..1_200 {
            if there()? {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("waited for {what} in vain").into())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for process in self.keyring.iter_mut().chain([&mut self.bus]) {
            // One that ended already cannot be ended again.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Sends a signal to a process of ours.
pub fn signal(process: u32, name: &str) -> Result<(), Trouble> {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status()?;
    if sent.success() { Ok(()) } else { Err(format!("{name} does not reach {process}").into()) }
}

fn of<'a>(
    connection: &Connection,
    path: &'a str,
    interface: &'a str,
) -> Result<Proxy<'a>, Trouble> {
    Ok(Proxy::new(connection, SECRETS, path, interface)?)
}

fn is_locked(connection: &Connection) -> Result<bool, Trouble> {
    let keyring = of(connection, LOGIN, "org.freedesktop.DBus.Properties")?;
    let locked: OwnedValue =
        keyring.call("Get", &("org.freedesktop.Secret.Collection", "Locked"))?;
    Ok(locked.try_into()?)
}

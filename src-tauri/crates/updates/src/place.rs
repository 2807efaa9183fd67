//! The place of the program: as what it was installed, and how a package gets there.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use siltstone_engine::update::{Installed, InstalledAs, Update, UpdateError};

use crate::folder::{Part, failed, of_writing};

/// What packages of ours are called.
const PACKAGE: &str = "siltstone";

/// Where packages of this system put what says who signs them, as seen from the program's folder.
const NAMED: &str = match () {
    () if cfg!(target_os = "linux") => "../lib/Siltstone/updates.json",
    () if cfg!(target_os = "macos") => "../Resources/updates.json",
    () => "updates.json",
};

/// Where systems of packages of Fedora's kind keep the list of them.
const RPMS: [&str; 2] = ["/usr/lib/sysimage/rpm", "/var/lib/rpm"];

/// How Linux marks the path of a program that another one took the place of while it runs.
const REPLACED: &str = " (deleted)";

/// Asks a person for a password in a window, and runs what they let it.
const ASKS: &str = "/usr/bin/pkexec";

/// What it ends with where nothing can ask, or nobody may.
const NOBODY_ASKS: i32 = 127;

/// What it ends with where the person would rather not.
const NOT_LET: i32 = 126;

/// As what this copy was installed, and what is there to replace it.
#[derive(Clone, Debug)]
pub struct Place {
    /// As what.
    pub installed: InstalledAs,
    /// The file that is the program, of an AppImage.
    pub program: PathBuf,
    /// The program that asks for a password and runs another one as root, where there is one.
    pub asks: Option<PathBuf>,
}

/// The file that came with this program and says who signs its updates.
pub fn shipped() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.with_file_name(NAMED))
}

impl Place {
    /// As the system says.
    pub fn of_system() -> Self {
        let asks = Path::new(ASKS);
        let asks = asks.is_file().then(|| asks.to_path_buf());
        let program = as_it_was(env::current_exe().unwrap_or_default());
        let by_hand = Self { installed: InstalledAs::ByHand, program, asks };
        if !cfg!(target_os = "linux") {
            return by_hand;
        }
        let variable = |name| env::var_os(name).map(PathBuf::from);
        // A program that was started from another AppImage has its variables, and is none.
        if let (Some(file), Some(within)) = (variable("APPIMAGE"), variable("APPDIR"))
            && within.is_absolute()
            && by_hand.program.starts_with(&within)
        {
            return Self { installed: InstalledAs::Appimage, program: file, ..by_hand };
        }
        let program = by_hand.program.as_os_str();
        let deb = said(Command::new("dpkg").arg("-S").arg(program));
        if deb.is_some_and(|it| it.split(':').next() == Some(PACKAGE)) {
            return Self { installed: InstalledAs::Deb, ..by_hand };
        }
        if !RPMS.iter().any(|folder| Path::new(folder).is_dir()) {
            // Asked all the same, it would make a list of its own.
            return by_hand;
        }
        let rpm = said(Command::new("rpm").args(["-qf", "--queryformat", "%{NAME}"]).arg(program));
        if rpm.is_some_and(|it| it == PACKAGE) {
            return Self { installed: InstalledAs::Rpm, ..by_hand };
        }
        by_hand
    }
}

/// The path of a program before another one took its place.
fn as_it_was(program: PathBuf) -> PathBuf {
    match program.to_str().and_then(|path| path.strip_suffix(REPLACED)) {
        Some(path) => PathBuf::from(path),
        None => program,
    }
}

/// What a program says, where it succeeds.
fn said(command: &mut Command) -> Option<String> {
    let done = command.env("LC_ALL", "C").stdin(Stdio::null()).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// Whether a package says of itself what is offered, where the system can read that. It is signed, so what it says otherwise
/// is a mistake of who packed it.
pub(crate) fn says(
    package: &Path,
    installed: InstalledAs,
    update: &Update,
) -> Result<(), UpdateError> {
    if installed != InstalledAs::Deb {
        return Ok(());
    }
    let mut command = Command::new("dpkg-deb");
    let fields = ["--showformat", "${Package} ${Version}"];
    let Some(it) = said(command.arg("--show").args(fields).arg(package)) else {
        let detail = "the system cannot read the package".to_owned();
        return Err(UpdateError::Unusable { detail });
    };
    // Debian writes what comes before a version with a tilde.
    if it.replace('~', "-") == format!("{PACKAGE} {}", update.version) {
        return Ok(());
    }
    Err(UpdateError::Replayed { offered: format!("{PACKAGE} {}", update.version), signed: it })
}

/// Puts a package in the program's place.
pub(crate) fn put(
    place: &Place,
    installed: InstalledAs,
    package: &Path,
) -> Result<Installed, UpdateError> {
    let by = match installed {
        InstalledAs::Deb => ["/usr/bin/dpkg", "-i"],
        InstalledAs::Rpm => ["/usr/bin/rpm", "-U"],
        InstalledAs::Appimage => return exchange(&place.program, package),
        InstalledAs::ByHand => return Err(UpdateError::ByHand),
    };
    let by_command = || {
        let words = ["sudo", by[0], by[1], &package.display().to_string()];
        let command = shlex::try_join(words);
        let command = command.map_err(|error| UpdateError::Io { detail: error.to_string() })?;
        Ok(Installed::ByCommand { command })
    };
    let Some(asks) = &place.asks else { return by_command() };
    let done = Command::new(asks).args(by).arg(package).stdin(Stdio::null()).output();
    let done = done.map_err(failed)?;
    match done.status.code() {
        Some(0) => Ok(Installed::Done),
        Some(NOBODY_ASKS) => by_command(),
        Some(NOT_LET) => {
            Err(UpdateError::NotInstalled { detail: "the password was not given".to_owned() })
        }
        _ => {
            let said = String::from_utf8_lossy(&done.stderr);
            let last = said.trim().lines().next_back().unwrap_or_default();
            Err(UpdateError::NotInstalled { detail: format!("{}: {last}", done.status) })
        }
    }
}

/// Puts a file in the place of the one that is the program, which stays beside it. There is a whole program at every moment.
fn exchange(program: &Path, package: &Path) -> Result<Installed, UpdateError> {
    let mut from = fs::File::open(package).map_err(failed)?;
    let needed = from.metadata().map_err(failed)?.len();
    let rights = fs::metadata(program).map_err(failed)?.permissions();
    let mut part = Part::of(program.to_path_buf(), needed)?;
    io::copy(&mut from, &mut Into(&mut part)).map_err(|error| of_writing(error, needed))?;
    fs::set_permissions(part.path(), runnable(rights)).map_err(failed)?;
    part.press()?;
    let mut previous = program.to_path_buf().into_os_string();
    previous.push(".previous");
    match fs::remove_file(&previous) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    // Where a file has one name alone, it is copied.
    if fs::hard_link(program, &previous).is_err() {
        fs::copy(program, &previous).map_err(|error| of_writing(error, needed))?;
    }
    part.named()?;
    Ok(Installed::Done)
}

/// The rights of the file before it, and to be run by whoever may read it.
#[cfg(unix)]
fn runnable(rights: fs::Permissions) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    let mode = rights.mode();
    PermissionsExt::from_mode(mode | ((mode & 0o444) >> 2))
}

#[cfg(not(unix))]
fn runnable(rights: fs::Permissions) -> fs::Permissions {
    rights
}

/// Writes into a part.
struct Into<'a>(&'a mut Part);

impl io::Write for Into<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.write(piece).map_err(|error| match error {
            UpdateError::Full { .. } => io::ErrorKind::StorageFull.into(),
            other => io::Error::other(other.to_string()),
        })?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_replaced_while_it_runs_is_known_by_its_path() {
        for path in ["/usr/bin/silt", "/usr/bin/silt (deleted)"] {
            assert_eq!(as_it_was(PathBuf::from(path)), Path::new("/usr/bin/silt"));
        }
    }
}

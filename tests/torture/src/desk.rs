//! A data folder, a project folder, and the real `silt` run in them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Trouble, kept};

/// The `silt` that was built beside this program, or the one that `SILTSTONE_SILT` names.
pub fn silt() -> Result<PathBuf, Trouble> {
    if let Some(named) = std::env::var_os("SILTSTONE_SILT") {
        return Ok(PathBuf::from(named));
    }
    let own = std::env::current_exe()?;
    let found = own.ancestors().skip(1).take(2).map(|dir| dir.join("silt"));
    found
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| "silt is not built: cargo build -p siltstone-cli".into())
}

/// A computer of one's own: a data folder, a project folder, and `silt` in it.
#[derive(Debug)]
pub struct Desk {
    /// Holds both folders until the desk is dropped.
    _home: TempDir,
    /// Everything that Siltstone keeps.
    pub data: PathBuf,
    /// The folder that is worked in.
    pub project: PathBuf,
    silt: PathBuf,
}

/// What `silt` said.
#[derive(Clone, Debug)]
pub struct Said {
    /// How it ended; nothing when it was killed.
    pub code: Option<i32>,
    /// What it wrote to stdout.
    pub out: String,
    /// What it wrote to stderr.
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Desk {
    /// Two empty folders.
    pub fn new() -> Result<Self, Trouble> {
        // In memory where there is such a place: what a disk would keep of it is worked out and not waited for.
        let memory = Path::new("/dev/shm");
        let mut named = tempfile::Builder::new();
        named.prefix("torture-");
        let home = if memory.is_dir() { named.tempdir_in(memory)? } else { named.tempdir()? };
        let (data, project) = (home.path().join("data"), home.path().join("project"));
        std::fs::create_dir(&data)?;
        std::fs::create_dir(&project)?;
        Ok(Self { _home: home, data, project, silt: silt()? })
    }

    /// The same with a few files and its project opened and trusted.
    pub fn trusted() -> Result<Self, Trouble> {
        let desk = Self::new()?;
        desk.file("AGENTS.md", "# Rules\nAlways answer in full sentences.\n")?;
        desk.file("docs/server.md", "# Server\nThe preview server listens on port 4747.\n")?;
        desk.json(&["project", "open", ".", "--trust"])?;
        Ok(desk)
    }

    /// The folder that holds both.
    pub fn home(&self) -> &Path {
        self._home.path()
    }

    /// Makes both folders what they are in an image, which holds a `data` and a `project`. They stay the folders they are:
    /// another one in the place of a project would be asked about.
    pub fn lay(&self, image: &Path) -> Result<(), Trouble> {
        for (name, folder) in [("data", &self.data), ("project", &self.project)] {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                match entry.file_type()?.is_dir() {
                    true => std::fs::remove_dir_all(entry.path())?,
                    false => std::fs::remove_file(entry.path())?,
                }
            }
            kept::copy(&image.join(name), folder)?;
        }
        Ok(())
    }

    /// Keeps what both folders hold as an image.
    pub fn image(&self) -> Result<PathBuf, Trouble> {
        let image = self.home().join("image");
        kept::copy(&self.data, &image.join("data"))?;
        kept::copy(&self.project, &image.join("project"))?;
        Ok(image)
    }

    /// An empty folder on the same disk, for what a tracer keeps.
    pub fn keep(&self) -> Result<PathBuf, Trouble> {
        let keep = self.home().join("keep");
        let _ = std::fs::remove_dir_all(&keep);
        std::fs::create_dir(&keep)?;
        Ok(keep)
    }

    /// Writes a file of the project.
    pub fn file(&self, path: &str, text: &str) -> Result<(), Trouble> {
        let path = self.project.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(std::fs::write(path, text)?)
    }

    /// `silt` with these words, not yet started.
    pub fn command<S: AsRef<str>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(&self.silt);
        let args: Vec<OsString> = args.iter().map(|arg| OsString::from(arg.as_ref())).collect();
        command
            .args(args)
            .current_dir(&self.project)
            .env("SILTSTONE_DATA_DIR", &self.data)
            // Global memory of its own, so that nobody's real one speaks.
            .env("HOME", &self.data)
            .env("XDG_CONFIG_HOME", self.data.join("config"))
            .env("LC_ALL", "en_GB.UTF-8")
            .env_remove("SILTSTONE_LOG")
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .stdin(Stdio::null());
        command
    }

    /// Runs `silt` with these words.
    pub fn run<S: AsRef<str>>(&self, args: &[S]) -> Result<Said, Trouble> {
        Ok(self.command(args).output()?.into())
    }

    /// What `silt --json` gives, which has to succeed.
    pub fn json<S: AsRef<str>>(&self, args: &[S]) -> Result<Value, Trouble> {
        let args: Vec<&str> =
            std::iter::once("--json").chain(args.iter().map(AsRef::as_ref)).collect();
        let said = self.run(&args)?;
        if said.code != Some(0) {
            return Err(format!("{args:?} ended with {:?}: {}", said.code, said.err).into());
        }
        Ok(serde_json::from_str(&said.out)?)
    }
}

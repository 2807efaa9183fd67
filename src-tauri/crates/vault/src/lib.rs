//! The session files of other agents: finding them, and understanding what they say.
//!
//! An agent is a `source::Source`, which is data: the variable and the folders by which its home is found, patterns of the
//! files that belong to sessions, and the function that reads one. Each agent has a file of its own here (`claude`,
//! `codex`, `gemini`); a further one is a further file and a line in `SOURCES`. Reading is one pass over lines that are
//! bounded (`lines`) into a `draft` that is bounded, too, so a file of any size, and of anybody's making, takes a
//! known room; what is not understood is counted and never an error. Hosts hand `Agents` to the app.
//!
//! Nothing is ever written in an agent's home, no link is followed there, and files that hold keys or settings match no
//! pattern. Deliberately absent: keeping (that is `storage`) and asking (that is the `app`).

mod claude;
mod codex;
mod draft;
mod gemini;
mod lines;
mod source;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_vault;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use siltstone_engine::Timestamp;
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{Agent, AgentHome, AgentSessions, FileRole, Listing, Session, Stamp};

use source::Source;

/// The agents that are known.
const SOURCES: [&Source; 3] = [&claude::SOURCE, &codex::SOURCE, &gemini::SOURCE];

/// Raised whenever files are understood in another way than before.
const READER: u32 = 1;

/// The agents of a person, by their home folder and environment.
#[derive(Clone, Debug)]
pub struct Agents {
    home: Option<PathBuf>,
    variables: Vec<(&'static str, OsString)>,
}

impl Agents {
    /// Those of the person who runs this process.
    pub fn of_system() -> Self {
        let set = |name: &&'static str| std::env::var_os(name).filter(|value| !value.is_empty());
        let names = SOURCES.iter().map(|source| source.variable);
        let variables = names.filter_map(|name| Some((name, set(&name)?))).collect();
        Self { home: dirs::home_dir(), variables }
    }

    /// Those below this home folder, whatever the environment says.
    pub fn below(home: &Path) -> Self {
        Self { home: Some(home.to_owned()), variables: Vec::new() }
    }

    fn roots(&self, source: &Source) -> Vec<PathBuf> {
        let named = self.variables.iter().find(|(name, _)| *name == source.variable);
        match (named, &self.home) {
            (Some((_, folder)), _) => vec![Path::new(folder).join(source.below)],
            (None, Some(home)) => source.usual.iter().map(|usual| home.join(usual)).collect(),
            (None, None) => Vec::new(),
        }
    }
}

fn source_of(agent: Agent) -> &'static Source {
    match agent {
        Agent::ClaudeCode => &claude::SOURCE,
        Agent::Codex => &codex::SOURCE,
        Agent::GeminiCli => &gemini::SOURCE,
    }
}

impl AgentSessions for Agents {
    fn homes(&self) -> Vec<AgentHome> {
        let mut homes = Vec::new();
        for source in SOURCES {
            for root in self.roots(source) {
                // One that is no text cannot be named; none of the agents makes such a one.
                let real = root.canonicalize().ok().filter(|real| real.is_dir());
                let root = real.and_then(|real| real.into_os_string().into_string().ok());
                let home = root.map(|root| AgentHome { agent: source.agent, root });
                homes.extend(home.filter(|home| !homes.contains(home)));
            }
        }
        homes
    }

    fn files(
        &self,
        home: &AgentHome,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        source_of(home.agent).list(Path::new(&home.root), go_on)
    }

    fn open(
        &self,
        home: &AgentHome,
        path: &str,
    ) -> Result<(Box<dyn Read + Send>, Stamp), FolderError> {
        let whole = Path::new(&home.root).join(path);
        let opened = open_regular(&whole).and_then(|(file, found)| Ok((file, stamp_of(&found)?)));
        match opened {
            Ok((file, stamp)) => Ok((Box::new(file), stamp)),
            Err(error) => Err(source::refused(&whole, &error)),
        }
    }

    fn role(&self, agent: Agent, path: &str) -> (FileRole, Option<String>) {
        let source = source_of(agent);
        (source.role(path).unwrap_or(FileRole::Beside), (source.owner)(path))
    }

    fn read(&self, agent: Agent, path: &str, bytes: &mut dyn Read) -> io::Result<Session> {
        (source_of(agent).read)(path, bytes)
    }

    fn reader(&self) -> u32 {
        READER
    }
}

/// A file that is no link, no pipe and no device.
fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a pipe without a writer would wait for one.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    let file = options.open(path)?;
    let found = file.metadata()?;
    match found.is_file() {
        true => Ok((file, found)),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file")),
    }
}

fn stamp_of(found: &Metadata) -> io::Result<Stamp> {
    let modified = Timestamp::try_from(found.modified()?).map_err(io::Error::other)?;
    Ok(Stamp { bytes: found.len(), modified })
}

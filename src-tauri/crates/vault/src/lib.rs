//! The session files of other agents: finding them, and understanding what they say.
//!
//! An agent is a `source::Source`, which is data: the variable and the folders by which its home is found, patterns of the
//! files that belong to sessions, and the function that reads one. Each agent has a file of its own here (`antigravity`,
//! `claude`, `cline` with `cline_tasks`, `codex`, `cursor` with `cursor_cli`, `gemini`, `opencode`); a further one is a further
//! file and a line in `SOURCES`. Where an agent keeps rows of a database (`source::Rows`), those of a session are told as
//! lines, and are a file for everybody else. Services on the web have no home; what they export lies where a person put it
//! (`exports`, read by `chatgpt` and `claude_web`), and a conversation in it is a file for everybody else, too. So do
//! Siltstone's own exports (`siltstone`). Reading is one pass over lines that are
//! bounded (`lines`) into a `draft` that is bounded, too, so a file of any size, and of anybody's making, takes a
//! known room; what is not understood is counted and never an error. Hosts hand `Agents` to the app.
//!
//! No file of an agent is ever changed: what is written for one to go on with (`handover`) is a new file. No link is
//! followed there, and files that hold keys or settings match no pattern. Deliberately absent: keeping (that is `storage`) and asking (that is the `app`).

mod antigravity;
mod chatgpt;
mod claude;
mod claude_web;
mod cline;
mod cline_tasks;
mod codex;
mod cursor;
mod cursor_cli;
mod database;
mod draft;
mod exports;
mod gemini;
mod handover;
mod lines;
mod opencode;
mod protobuf;
mod siltstone;
mod source;
mod watch;
mod written;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_vault;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use siltstone_engine::Timestamp;
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{
    Agent, AgentHome, AgentSessions, Beside, ComposeError, Composed, FileRole, GoesOn, Listing,
    Outgoing, Place, Session, Stamp,
};

use draft::Draft;
use source::{Root, Source};

/// The agents that are known.
static SOURCES: [&Source; 10] = [
    &claude::SOURCE,
    &codex::SOURCE,
    &gemini::SOURCE,
    &antigravity::SOURCE,
    &opencode::SOURCE,
    &cline::SOURCE,
    &cursor::SOURCE,
    &chatgpt::SOURCE,
    &claude_web::SOURCE,
    &siltstone::SOURCE,
];

/// Raised whenever files are understood in another way than before.
const READER: u32 = 4;

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
        let places = SOURCES.iter().flat_map(|source| source.roots);
        let names = places.map(|place| place.variable).filter(|name| !name.is_empty());
        let variables = names.filter_map(|name| Some((name, set(&name)?))).collect();
        Self { home: dirs::home_dir(), variables }
    }

    /// Those below this home folder, whatever the environment says.
    pub fn below(home: &Path) -> Self {
        Self { home: Some(home.to_owned()), variables: Vec::new() }
    }

    fn roots(&self, source: &Source) -> Vec<PathBuf> {
        source.roots.iter().flat_map(|place| self.roots_of(place)).collect()
    }

    fn roots_of(&self, place: &Root) -> Vec<PathBuf> {
        let named = self.variables.iter().find(|(name, _)| *name == place.variable);
        let folders: Vec<PathBuf> = match (named, &self.home) {
            (Some((_, folder)), _) => vec![folder.into()],
            (None, Some(home)) => place.usual.iter().map(|usual| home.join(usual)).collect(),
            (None, None) => Vec::new(),
        };
        let below = |folder: &PathBuf| {
            let folder = folder.clone();
            // Joined with nothing, a path would end with a slash.
            place.below.iter().map(move |below| match below.is_empty() {
                true => folder.clone(),
                false => folder.join(below),
            })
        };
        folders.iter().flat_map(below).collect()
    }
}

fn source_of(agent: Agent) -> &'static Source {
    match agent {
        Agent::ClaudeCode => &claude::SOURCE,
        Agent::Codex => &codex::SOURCE,
        Agent::GeminiCli => &gemini::SOURCE,
        Agent::Antigravity => &antigravity::SOURCE,
        Agent::Opencode => &opencode::SOURCE,
        Agent::Cline => &cline::SOURCE,
        Agent::Cursor => &cursor::SOURCE,
        Agent::ChatGpt => &chatgpt::SOURCE,
        Agent::ClaudeWeb => &claude_web::SOURCE,
        Agent::Siltstone => &siltstone::SOURCE,
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

    fn homes_at(&self, place: &Path, agent: Option<Agent>) -> Vec<AgentHome> {
        let real =
            place.canonicalize().ok().and_then(|real| real.into_os_string().into_string().ok());
        let wanted = |source: &&&Source| match agent {
            Some(agent) => source.agent == agent,
            None => source.roots.is_empty(),
        };
        let home = |root: &str, agent| AgentHome { agent, root: root.to_owned() };
        let sources = SOURCES.iter().filter(wanted);
        real.iter().flat_map(|root| sources.clone().map(|it| home(root, it.agent))).collect()
    }

    fn places(&self, homes: &[AgentHome], path: &Path) -> Vec<Place> {
        let Ok(whole) = std::path::absolute(path) else { return Vec::new() };
        // A name that is a link stays that: what it leads to is not read.
        let real = whole.parent().and_then(|above| above.canonicalize().ok());
        places(
            homes,
            &real.zip(whole.file_name()).map_or(whole.clone(), |(at, name)| at.join(name)),
        )
    }

    fn files(
        &self,
        place: &Place,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        let Place { home, path } = place;
        source_of(home.agent).list(Path::new(&home.root), path, go_on)
    }

    fn open(
        &self,
        home: &AgentHome,
        path: &str,
    ) -> Result<(Box<dyn Read + Send>, Stamp), FolderError> {
        let root = Path::new(&home.root);
        let whole = root.join(path);
        if let Some(rows) = source_of(home.agent).rows {
            let opened = rows.open(root, path).map_err(|error| source::refused(&whole, &error))?;
            if let Some((bytes, stamp)) = opened {
                return Ok((Box::new(io::Cursor::new(bytes)), stamp));
            }
        }
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

    fn beside(&self, agent: Agent, path: &str) -> Vec<String> {
        source_of(agent).beside.map(|beside| beside(path)).unwrap_or_default()
    }

    fn goes_on(
        &self,
        agent: Agent,
        path: &str,
        bytes: &mut dyn Read,
    ) -> io::Result<Option<GoesOn>> {
        source_of(agent).goes_on.as_ref().map_or(Ok(None), |it| (it.from)(path, bytes))
    }

    fn read(
        &self,
        agent: Agent,
        path: &str,
        bytes: &mut dyn Read,
        beside: &mut [Beside<'_>],
    ) -> io::Result<Session> {
        understood(agent, path, bytes, beside, Draft::default())
    }

    fn read_whole(
        &self,
        agent: Agent,
        path: &str,
        bytes: &mut dyn Read,
        beside: &mut [Beside<'_>],
    ) -> io::Result<Session> {
        understood(agent, path, bytes, beside, Draft::with_pictures())
    }

    fn root(&self, agent: Agent) -> Option<PathBuf> {
        let home = self.homes().into_iter().find(|home| home.agent == agent);
        let usual = || self.roots(source_of(agent)).into_iter().next();
        home.map(|home| home.root.into()).or_else(usual)
    }

    fn is_there(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn watch(
        &self,
        homes: &[AgentHome],
        heard: Arc<dyn Fn(Option<Place>) + Send + Sync>,
    ) -> Option<Box<dyn Send>> {
        let mut folders = BTreeSet::new();
        for home in homes {
            let found = self.files(&Place::all_of(home.clone()), &mut |_| true);
            let found = found.unwrap_or_default();
            folders.extend(watch::folders(Path::new(&home.root), &found.files));
        }
        watch::watch(&folders, homes.to_vec(), heard)
    }

    fn compose(&self, agent: Agent, session: &Outgoing<'_>) -> Result<Composed, ComposeError> {
        let compose = source_of(agent).compose.ok_or(ComposeError::NotWritten(agent))?;
        compose(session, self.root(agent).as_deref())
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
        new_file(path, bytes).map_err(|error| source::refused(path, &error))
    }

    fn reader(&self) -> u32 {
        READER
    }
}

fn understood(
    agent: Agent,
    path: &str,
    bytes: &mut dyn Read,
    beside: &mut [Beside<'_>],
    draft: Draft,
) -> io::Result<Session> {
    let source = source_of(agent);
    match &source.goes_on {
        Some(it) => (it.read)(path, bytes, beside, draft),
        None => (source.read)(path, bytes, draft.with(beside)?),
    }
}

/// The part of these homes that a real path names. One folder may be the home of several.
fn places(homes: &[AgentHome], path: &Path) -> Vec<Place> {
    let below = |home: &AgentHome| path.strip_prefix(&home.root).ok();
    let length = |home: &AgentHome| below(home).map(|below| below.as_os_str().len());
    let Some(nearest) = homes.iter().filter_map(length).min() else { return Vec::new() };
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_str()?.to_owned()),
        _ => None,
    };
    let place = |home: &AgentHome| {
        if source_of(home.agent).rows.is_some() {
            return Some(Place::all_of(home.clone()));
        }
        let names: Option<Vec<String>> = below(home)?.components().map(name).collect();
        Some(Place { home: home.clone(), path: names?.join("/") })
    };
    homes.iter().filter(|home| length(home) == Some(nearest)).filter_map(place).collect()
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

/// Writes a file that was not there, whole or not at all.
fn new_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half of a session would be taken for all of it.
        _ = std::fs::remove_file(path);
    }
    written
}

fn stamp_of(found: &Metadata) -> io::Result<Stamp> {
    let modified = Timestamp::try_from(found.modified()?).map_err(io::Error::other)?;
    Ok(Stamp { bytes: found.len(), modified })
}

//! What keeping sessions of other agents needs of the world.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Agent;
use super::handover::{ComposeError, Composed, Outgoing};
use super::said::{Said, SaidAt, SaidCandidates, SaidHits};
use super::session::{Session, SessionFacts};
use crate::ports::{FolderError, StoreError};
use crate::search::{Phrase, Query};

/// A folder in which an agent keeps its sessions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "VaultHome"))]
pub struct AgentHome {
    /// Whose.
    pub agent: Agent,
    /// Its real path.
    pub root: String,
}

/// A file or a folder of a home, with everything in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// In which.
    pub home: AgentHome,
    /// Below the home, with `/` between names; empty for all of it.
    pub path: String,
}

impl Place {
    /// All of a home.
    pub fn all_of(home: AgentHome) -> Self {
        Self { home, path: String::new() }
    }

    /// Whether a file of the home lies there.
    pub fn has(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.path.as_str());
        below.is_some_and(|rest| self.path.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }
}

/// What tells that a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its size.
    pub bytes: u64,
    /// When it was written last.
    pub modified: Timestamp,
}

/// What a file is to sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// A session.
    Session,
    /// The session of a subagent.
    Child,
    /// A long result, or something else that a session put beside itself.
    Output,
    /// About many sessions: names, prompts, memory.
    Beside,
}

/// A file of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// Below the home, with `/` between names.
    pub path: String,
    /// How it looked in the listing.
    pub stamp: Stamp,
}

/// The files of a home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Those that belong to sessions, in the order in which they are best opened.
    pub files: Vec<SeenFile>,
    /// What is in their place and is not read: links, pipes, names that are no text, folders that cannot be opened.
    pub skipped: Vec<String>,
    /// Whether something that could not be read may hold any file that is missing here, so that none is known to be gone.
    pub hides: bool,
}

/// A file that is read with a session's own.
pub struct Beside<'b> {
    /// Where it lies, below the same home.
    pub path: &'b str,
    /// What it says, from its first byte on.
    pub bytes: &'b mut dyn Read,
    /// How many of its bytes, as they are when it is unpacked, stand before what the session's own file says.
    pub until: u64,
}

/// Where a session's file goes on from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoesOn {
    /// How the name of the other file ends, without what says its form.
    pub name: String,
    /// How many of its bytes stand before.
    pub until: u64,
}

/// Finds the files of agents, understands them, and writes sessions that they go on with. No file of theirs is ever changed.
pub trait AgentSessions: Send + Sync {
    /// The homes that are there, by the agents' own variables and defaults.
    fn homes(&self) -> Vec<AgentHome>;
    /// The homes that a place is which the person names: of this agent, or of all whose sessions lie wherever a person put
    /// them. None where nothing is at that place.
    fn homes_at(&self, place: &Path, agent: Option<Agent>) -> Vec<AgentHome>;
    /// The part of these homes that a path names, for each that has it; none where it lies in none of them. Where sessions
    /// are parts of something bigger it is the whole home.
    fn places(&self, homes: &[AgentHome], path: &Path) -> Vec<Place>;
    /// The files at a place; `go_on` hears how many were found so far.
    fn files(
        &self,
        place: &Place,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError>;
    /// Opens a file of a home, and says how it looked before the first byte was read. No link is followed.
    fn open(
        &self,
        home: &AgentHome,
        path: &str,
    ) -> Result<(Box<dyn Read + Send>, Stamp), FolderError>;
    /// What a file at this path is, and the session that it belongs to where the path says so.
    fn role(&self, agent: Agent, path: &str) -> (FileRole, Option<String>);
    /// The files that say more of a session than its own does, where the agent writes such: below the same home.
    fn beside(&self, agent: Agent, path: &str) -> Vec<String>;
    /// The file from which one goes on, where the agent lets what was said first stand in another one. `bytes` are its own,
    /// of which the first are read.
    fn goes_on(&self, agent: Agent, path: &str, bytes: &mut dyn Read)
    -> io::Result<Option<GoesOn>>;
    /// Understands a session or a subagent's, with what the files beside it say, or those from which it goes on, the first
    /// first. What cannot be understood is counted; only reading itself may fail.
    fn read(
        &self,
        agent: Agent,
        path: &str,
        bytes: &mut dyn Read,
        beside: &mut [Beside<'_>],
    ) -> io::Result<Session>;
    /// The same with the bytes of its pictures.
    fn read_whole(
        &self,
        agent: Agent,
        path: &str,
        bytes: &mut dyn Read,
        beside: &mut [Beside<'_>],
    ) -> io::Result<Session>;
    /// Where the agent keeps its sessions, or would if it were there.
    fn root(&self, agent: Agent) -> Option<PathBuf>;
    /// Whether something lies at this path.
    fn is_there(&self, path: &Path) -> bool;
    /// Listens to what is written in these homes, as far as the system tells, until what is given back is dropped; `None`
    /// where it tells nothing. `heard` is called for each thing, from any thread, with where it was; `None` where more may
    /// have happened than is told, or where a folder came that is not listened to yet.
    fn watch(
        &self,
        homes: &[AgentHome],
        heard: Arc<dyn Fn(Option<Place>) + Send + Sync>,
    ) -> Option<Box<dyn Send>>;
    /// A session in the form in which the agent goes on with it. Nothing is written.
    fn compose(&self, agent: Agent, session: &Outgoing<'_>) -> Result<Composed, ComposeError>;
    /// Writes a file that is not there yet, for its owner alone, with the folders above it; refuses one that is there.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), FolderError>;
    /// Another number whenever files are understood in another way than before.
    fn reader(&self) -> u32;
}

/// A file that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Its number here.
    pub id: u64,
    /// Where it was seen.
    pub home: AgentHome,
    /// Below the home.
    pub path: String,
    /// How many times it was written anew; 1 for a file that only ever grew.
    pub versions: u32,
    /// Bytes of the newest version.
    pub bytes: u64,
    /// When something of it was kept last.
    pub kept_at: Timestamp,
    /// Since when it is not there any more.
    pub gone_at: Option<Timestamp>,
    /// Bytes that the agent's own file lacks at its end.
    pub cut: u64,
    /// The version, bytes and reader for which its facts hold.
    pub understood: Option<(u32, u64, u32)>,
}

/// What came of looking at a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// All of it is kept already.
    Known,
    /// It is the beginning of what is kept: what it lost stays here.
    Cut,
    /// So many bytes were added.
    Grew(u64),
    /// It was written anew, with so many bytes that were not there before.
    Rewritten(u64),
    /// It was seen for the first time.
    New(u64),
    /// The person had it forgotten.
    Forgotten,
}

/// How much is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VaultSize {
    /// Bytes of all versions as the agents wrote them; what two of them share counts once.
    pub bytes: u64,
    /// Bytes on the disk for them.
    pub stored: u64,
}

/// A place where what was kept is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct VaultFault {
    /// Whose file.
    pub agent: Agent,
    /// Which, below its home.
    pub path: String,
    /// Which version of it, from 1.
    pub version: u32,
    /// From which byte on.
    pub at: u64,
    /// What is wrong.
    pub detail: String,
}

/// What forgetting did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "VaultForgotten"))]
pub struct Forgotten {
    /// Files.
    pub files: u64,
    /// Bytes that the disk has back.
    pub freed: u64,
}

/// Files of agents, every byte of every version.
pub trait VaultStore: Send + Sync {
    /// The homes that the person said yes to.
    fn agreed(&self) -> Result<Vec<AgentHome>, StoreError>;
    /// The person says yes to a home, or takes that back; what is kept stays.
    fn agree(&self, home: &AgentHome, yes: bool, now: Timestamp) -> Result<(), StoreError>;
    /// Begins to keep what is new. Nobody else does so meanwhile; `Conflict` while somebody does.
    fn pass(&self) -> Result<Box<dyn VaultPass>, StoreError>;
    /// All files that are kept, by home and path.
    fn files(&self) -> Result<Vec<KeptFile>, StoreError>;
    /// Those of a place alone.
    fn files_at(&self, place: &Place) -> Result<Vec<KeptFile>, StoreError>;
    /// The file of a home whose name ends like this, behind a `-` or a `_` and before what says its form; that of the last
    /// path where there are several.
    fn file_named(&self, home: &AgentHome, name: &str) -> Result<Option<KeptFile>, StoreError>;
    /// What a version of a file says from its first byte on; the newest one unless one is named. An error of reading
    /// carries the [`StoreError`].
    fn bytes(&self, file: u64, version: Option<u32>) -> Result<Box<dyn Read + Send>, StoreError>;
    /// The facts of all sessions that were understood, by the number of their file.
    fn facts(&self) -> Result<HashMap<u64, SessionFacts>, StoreError>;
    /// The same of these files alone.
    fn facts_of(&self, files: &[u64]) -> Result<HashMap<u64, SessionFacts>, StoreError>;
    /// Keeps the facts of a file, and makes what was said in it findable; both hold for what it said when it was listed.
    fn put_facts(
        &self,
        file: &KeptFile,
        reader: u32,
        facts: &SessionFacts,
        said: &[Said],
    ) -> Result<(), StoreError>;
    /// What was said with these words, in these files or in all of them; the best first.
    fn find(
        &self,
        query: &Query,
        files: Option<&HashSet<u64>>,
        limit: usize,
    ) -> Result<SaidHits, StoreError>;
    /// At most `limit` things that people and models said in sessions that worked in this folder or beneath it and that have
    /// any of the phrases, those with the rarest first, each with what was said right before and after it.
    fn candidates(
        &self,
        asked: &[Phrase],
        folder: &str,
        limit: u32,
    ) -> Result<SaidCandidates, StoreError>;
    /// What was said there, its words alone, if it may be recalled and its session worked in this folder or beneath it.
    fn said(&self, at: &SaidAt, folder: &str) -> Result<Option<Said>, StoreError>;
    /// How much there is.
    fn state(&self) -> Result<VaultSize, StoreError>;
    /// Reads every byte of every version again; names what is not what was kept. `go_on` hears how many bytes were read.
    fn verify(&self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Vec<VaultFault>, StoreError>;
    /// Deletes files with every version of them, out of the packs, too. With `for_good` they are not kept again although
    /// the agent still has them.
    fn forget(&self, files: &[u64], for_good: bool) -> Result<Forgotten, StoreError>;
}

/// Keeping what is new. What was looked at is durable after [`VaultPass::commit`]; a pass that ends before, however it
/// ends, keeps what was committed.
pub trait VaultPass: Send {
    /// Files at a place that need no look while they have this stamp.
    fn known(&mut self, place: &Place) -> Result<HashMap<String, Stamp>, StoreError>;
    /// Looks at a file and takes in what is new of it. `stamp` is how it looked before. Commits by itself whenever much
    /// waits. `go_on` hears how many more bytes were read.
    fn look(
        &mut self,
        home: &AgentHome,
        path: &str,
        stamp: Stamp,
        source: &mut dyn Read,
        now: Timestamp,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Looked, StoreError>;
    /// Of a place that was listed whole: what is not among these files is gone since now.
    fn there(
        &mut self,
        place: &Place,
        files: &HashSet<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// Makes what was looked at durable.
    fn commit(&mut self) -> Result<(), StoreError>;
}

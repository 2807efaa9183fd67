//! What may be typed about memory.

use clap::builder::PossibleValue;
use clap::{Args as Fields, Subcommand, ValueEnum};
use siltstone_engine::memory::ShareFile;

#[derive(Debug, Fields)]
pub struct Memory {
    /// The directory that is worked in, relative to the project's root [default: all of them]
    #[arg(long, global = true, value_name = "DIR")]
    pub dir: Option<String>,
    /// The session memory of this conversation, too
    #[arg(long, global = true, value_name = "ID")]
    pub conversation: Option<String>,
    #[command(subcommand)]
    pub what: About,
}

#[derive(Debug, Subcommand)]
pub enum About {
    /// The layers, and what they say when they are put together
    Show,
    /// What memory says, line by line
    Effective,
    /// The files and the added lines
    List,
    /// Remember a line; `-` reads it from stdin
    Add {
        /// What to remember
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Keep a tool's result or a file for the conversation, as data
    Keep {
        /// The section of a request, by its id
        section: String,
    },
    /// What trusted MCP servers have to read, and what of it is kept for the conversation
    Resources,
    /// What one of it says now, with the hash that --keep takes
    Resource {
        /// The server's name
        server: String,
        /// What the resource is asked for by, as `resources` lists it
        uri: String,
        /// Keep it for the conversation, as data; refused when it says something else than what has this hash
        #[arg(long, value_name = "HASH")]
        keep: Option<String>,
    },
    /// Remove the added lines
    Clear,
    /// Read all of it again
    Refresh,
    /// What to look at before a model reads it: hidden characters, orders to run or to send, secrets
    Lint,
    /// Let a flagged line go into requests; flagged lines are left out until then
    Allow {
        /// Its file, relative to the project's root
        file: String,
        /// Its number, as `lint` gives it
        line: u32,
        /// Leave it out again
        #[arg(long)]
        off: bool,
    },
    /// The versions of a file, or the text of one of them
    History {
        /// The file, relative to the project's root; absolute for global memory
        file: String,
        /// This version
        #[arg(long, value_name = "NUMBER")]
        version: Option<u64>,
    },
    /// Lines that models and agents propose to remember; none is memory before you accept it
    Inbox {
        /// Remember this line
        #[arg(long, value_name = "ID", conflicts_with = "dismiss")]
        accept: Option<String>,
        /// For all projects, not for this one alone
        #[arg(long, requires = "accept")]
        all: bool,
        /// Do not want this line
        #[arg(long, value_name = "ID")]
        dismiss: Option<String>,
    },
    /// Files that changed since you agreed to them; with --yes, agree to what they say now
    Agree {
        /// These files [default: all that changed]
        files: Vec<String>,
        /// Agree
        #[arg(long)]
        yes: bool,
    },
    /// Keep memory in files that other agents read, in a block that follows what it says; shows what changes in them
    Share {
        /// The files; without one, all are listed
        #[arg(value_enum, value_name = "FILE")]
        files: Vec<AgentFile>,
        /// With what belongs to no project
        #[arg(long, requires = "files")]
        global: bool,
        /// As text, also where a line that imports AGENTS.md would do
        #[arg(long, requires = "files")]
        text: bool,
        /// Only show what would change
        #[arg(long, requires = "files")]
        dry_run: bool,
    },
    /// Take memory out of files that other agents read, which are then as they were
    Unshare {
        /// The files
        #[arg(value_enum, value_name = "FILE", required = true)]
        files: Vec<AgentFile>,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
    },
}

/// A file that other agents read, by its path or by who reads it.
#[derive(Clone, Copy, Debug)]
pub struct AgentFile(pub ShareFile);

impl ValueEnum for AgentFile {
    fn value_variants<'a>() -> &'a [Self] {
        const FILES: [AgentFile; 5] = {
            let [a, b, c, d, e] = ShareFile::ALL;
            [AgentFile(a), AgentFile(b), AgentFile(c), AgentFile(d), AgentFile(e)]
        };
        &FILES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let by_reader: &[&str] = match self.0 {
            ShareFile::Agents => &["codex", "opencode"],
            ShareFile::Claude => &["claude-code"],
            ShareFile::Gemini => &["gemini-cli"],
            ShareFile::Copilot => &["copilot"],
            ShareFile::Cursor => &["cursor"],
        };
        Some(PossibleValue::new(self.0.path()).aliases(by_reader.iter().copied()))
    }
}

//! What may be typed about sessions of other agents.

use std::path::PathBuf;

use clap::{ArgGroup, Subcommand, ValueEnum};
use siltstone_engine::vault::Agent;

#[derive(Debug, Subcommand)]
pub enum Vault {
    /// Folders in which other agents keep sessions: how many, how large, since when
    Sources,
    /// Keep every byte that is new in the folders you agreed to; Ctrl-C stops it and keeps what it has
    Scan {
        /// Files and folders to look at, below those you agreed to; without any, all of these
        #[arg(value_name = "PATH", conflicts_with_all = ["agree", "withdraw"])]
        paths: Vec<PathBuf>,
        /// Agree to the folders that `sources` lists, from now on
        #[arg(long)]
        agree: bool,
        /// Keep nothing new of them any more; what is kept stays
        #[arg(long, conflicts_with = "agree")]
        withdraw: bool,
        /// Agree to, or withdraw from, this agent's folders alone
        #[arg(long, value_enum)]
        agent: Option<AgentName>,
        /// Of this agent a folder that is elsewhere, as the one in which exports of ChatGPT or Claude lie, or one export
        #[arg(long, value_name = "PATH", requires = "agent")]
        home: Option<PathBuf>,
    },
    /// How much is kept, what the agents have no more, and what was not understood
    Status,
    /// Sessions, the one in which something was said last first
    List {
        /// Of this agent alone
        #[arg(long, value_enum)]
        agent: Option<AgentName>,
        /// Of work in this folder, or beneath it
        #[arg(long, value_name = "PATH")]
        folder: Option<PathBuf>,
        /// At most so many
        #[arg(long, value_name = "COUNT")]
        limit: Option<u32>,
    },
    /// Find what was said in sessions by its words
    Search {
        /// Words that all must be there; phrases in quotes
        #[arg(required = true)]
        words: Vec<String>,
        /// Of this agent alone
        #[arg(long, value_enum)]
        agent: Option<AgentName>,
        /// Of work in this folder, or beneath it
        #[arg(long, value_name = "PATH")]
        folder: Option<PathBuf>,
        /// Most hits to give, at most 100
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
        limit: u32,
    },
    /// One session with what was said in it
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// With what was said on other branches
        #[arg(long)]
        branches: bool,
        /// As it was before it was written anew: a version, from 1
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
        /// The bytes of its file as they were seen, with keys, tokens and passwords
        #[arg(long)]
        raw: bool,
        /// The bytes of another file that belongs to it
        #[arg(long, value_name = "PATH", requires = "raw")]
        file: Option<String>,
    },
    /// What each compaction of a session dropped: rules, decisions, paths, commands, figures
    Dropped {
        /// Its id, or the beginning of it
        id: String,
        /// As it was before it was written anew: a version, from 1
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
        /// With what the summary or later messages still say
        #[arg(long)]
        all: bool,
    },
    /// Go on with a session here, with an agent or as a text; without --yes, only say what would go and what would not
    Continue {
        /// Its id, or the beginning of it; or the id of a conversation from here, which goes on elsewhere
        id: String,
        /// As it was before it was written anew: a version, from 1
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
        /// As a session of this agent; a new file, and none of the agent's own is changed
        #[arg(long, value_enum, value_name = "AGENT")]
        to: Option<Heir>,
        /// As a text for whoever goes on: rules and decisions, the summary so far, the last exchanges
        #[arg(long, conflicts_with_all = ["to", "yes"])]
        as_text: bool,
        /// The folder in which the agent goes on, where that is not the session's own any more
        #[arg(long, value_name = "PATH", requires = "to")]
        folder: Option<PathBuf>,
        /// With what was before the last compaction, in the place of its summary
        #[arg(long, requires = "to")]
        whole: bool,
        /// Straight into the agent's own folder, at the path that is shown without --yes
        #[arg(long, requires = "to")]
        install: bool,
        /// Do it: the session itself stays as it is
        #[arg(long)]
        yes: bool,
    },
    /// Read every byte that is kept, and compare it with its hash
    Verify,
    /// Delete what is kept for ever; without --yes, only say what would go
    #[command(group = ArgGroup::new("what").required(true))]
    Forget {
        /// A session with its subagents; it is not kept again
        #[arg(group = "what")]
        id: Option<String>,
        /// Everything of an agent, and the yes to its folders
        #[arg(long, value_enum, group = "what")]
        agent: Option<AgentName>,
        /// Do it: nothing brings it back
        #[arg(long)]
        yes: bool,
    },
}

/// An agent by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AgentName {
    #[value(alias = "claude")]
    ClaudeCode,
    Codex,
    #[value(alias = "gemini")]
    GeminiCli,
    #[value(alias = "agy")]
    Antigravity,
    Opencode,
    Cline,
    Cursor,
    #[value(name = "chatgpt")]
    ChatGpt,
    ClaudeWeb,
    Siltstone,
}

impl From<AgentName> for Agent {
    fn from(name: AgentName) -> Self {
        match name {
            AgentName::ClaudeCode => Self::ClaudeCode,
            AgentName::Codex => Self::Codex,
            AgentName::GeminiCli => Self::GeminiCli,
            AgentName::Antigravity => Self::Antigravity,
            AgentName::Opencode => Self::Opencode,
            AgentName::Cline => Self::Cline,
            AgentName::Cursor => Self::Cursor,
            AgentName::ChatGpt => Self::ChatGpt,
            AgentName::ClaudeWeb => Self::ClaudeWeb,
            AgentName::Siltstone => Self::Siltstone,
        }
    }
}

/// An agent for which a session can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heir {
    #[value(alias = "claude")]
    ClaudeCode,
    Codex,
    #[value(alias = "gemini")]
    GeminiCli,
}

impl From<Heir> for Agent {
    fn from(name: Heir) -> Self {
        match name {
            Heir::ClaudeCode => Self::ClaudeCode,
            Heir::Codex => Self::Codex,
            Heir::GeminiCli => Self::GeminiCli,
        }
    }
}

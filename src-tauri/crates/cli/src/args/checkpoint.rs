//! What may be typed about checkpoints. One is named by its id or its tag.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as Fields, Subcommand, ValueEnum};

use super::Carry;

use super::Keep;

#[derive(Debug, Subcommand)]
pub enum Checkpoint {
    /// Make a checkpoint of the project now
    #[command(alias = "make")]
    Create {
        /// Its name; it then stays until it is deleted by hand
        #[arg(long, value_name = "NAME")]
        tag: Option<String>,
        /// With where this conversation stands
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
    },
    /// Checkpoints of the project, the newest first
    List {
        /// At most so many
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// One checkpoint: what it holds, and what it does not
    Show {
        /// The checkpoint, by id or name
        id: String,
    },
    /// What is different between two checkpoints, or a checkpoint and now
    Diff {
        /// The earlier one, by id or name
        id: String,
        /// The later one [default: now]
        with: Option<String>,
        /// The lines of this file
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
    },
    /// What a restore would do; nothing is done
    Plan {
        /// The checkpoint, by id or name
        id: String,
        /// What comes back [default: all]
        #[arg(long, value_enum, value_delimiter = ',')]
        parts: Vec<Part>,
    },
    /// Go back to a checkpoint, carry a plan out, or go on with one that was cut off; a checkpoint is made before it
    Restore {
        /// The checkpoint, by id or name, or a plan
        of: String,
        #[command(flatten)]
        how: How,
        #[command(flatten)]
        picked: Picked,
    },
    /// Undo the last restore of the project
    Undo,
    /// Show a conversation as it stood, to go on from there; no file is touched
    Continue {
        /// The checkpoint, by id or name
        id: String,
    },
    /// Delete checkpoints for ever
    Delete {
        /// The checkpoints, by id or name
        #[arg(required = true)]
        ids: Vec<String>,
        /// Pinned ones, too
        #[arg(long)]
        yes: bool,
    },
    /// Let old checkpoints go by the rules of the settings, or by these
    Clean {
        /// Only say what would go
        #[arg(long)]
        dry_run: bool,
        /// Older than these days
        #[arg(long)]
        days: Option<u32>,
        /// More than these
        #[arg(long)]
        count: Option<u32>,
        /// More than these bytes
        #[arg(long)]
        bytes: Option<u64>,
    },
    /// Read everything that checkpoints hold, and name what is damaged
    Verify,
    /// Find again what can be found of what is damaged or missing
    Repair,
    /// Let a checkpoint stay whatever the rules say
    Pin {
        /// The checkpoint, by id or name
        id: String,
        /// Let it go by the rules again
        #[arg(long)]
        off: bool,
    },
    /// Give a checkpoint a name
    Tag {
        /// The checkpoint, by id or name
        id: String,
        /// The name; none takes it away
        name: Option<String>,
    },
    /// Say where the project's checkpoints are kept, or keep a copy in the project
    Place {
        /// Where they are kept from now on
        #[arg(value_enum)]
        to: Option<Home>,
        /// Take over what this folder holds, which another computer wrote
        #[arg(long, value_name = "FOLDER", conflicts_with = "to")]
        take: Option<String>,
    },
    #[command(flatten)]
    Sealing(Sealing),
    #[command(flatten)]
    Carry(Carry),
}

/// Sealing of everything that checkpoints hold.
#[derive(Debug, Subcommand)]
pub enum Sealing {
    /// Seal checkpoints from now on, and all that exist; goes on with what was cut off
    Seal {
        /// Where a new key is kept [default: what is open]
        #[arg(long, value_enum)]
        keep: Option<Keep>,
    },
    /// Seal checkpoints no longer, and open all that exist
    Unseal,
    /// Say whether the key of sealed checkpoints is at hand
    Unlock,
    /// Open sealed checkpoints with the recovery passphrase, and keep their key again
    Recover {
        /// A file that holds the passphrase
        file: PathBuf,
    },
    /// Set a recovery passphrase in place of the earlier one; it is shown this once
    Recovery {
        /// A file that holds one of your own [default: a new one]
        file: Option<PathBuf>,
    },
}

/// How a checkpoint is restored without a plan of its own.
#[derive(Debug, Fields)]
pub struct How {
    /// What comes back [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub parts: Vec<Part>,
    /// What becomes of every file that was changed since [default: keep-mine]
    #[arg(long, value_enum)]
    pub all: Option<ForAll>,
}

/// What becomes of files that somebody changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ForAll {
    /// What it was
    AsItWas,
    /// What it is now
    KeepMine,
    /// Both, where they fit together; else what it is now
    Merge,
}

/// What the person wants for files instead of what the plan says.
#[derive(Debug, Fields)]
pub struct Picked {
    /// Leave this file as it is, by its path, or by its number in the plan; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub keep: Vec<String>,
    /// Make this file what it was, by its path, or by its number in the plan; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<String>,
    /// Make this file the text of another one, for example a merge; may be given more than once
    #[arg(long, value_name = "FILE=OTHER")]
    pub merge: Vec<Merged>,
}

/// A file of a plan, and where its text is.
#[derive(Clone, Debug)]
pub struct Merged {
    pub file: String,
    pub from: String,
}

impl FromStr for Merged {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (file, from) = typed.split_once('=').ok_or("write FILE=OTHER")?;
        Ok(Self { file: file.to_owned(), from: from.to_owned() })
    }
}

/// Where the checkpoints of a project are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Home {
    /// On this computer alone
    Here,
    /// On this computer, with a copy in the project's own folder, where git does not see it
    Project,
}

/// What of a checkpoint comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The conversation as it stood
    Chat,
    /// The project's files
    Files,
    /// What was added while working
    Memory,
    /// What is known beside the conversation
    Context,
}

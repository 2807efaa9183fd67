//! What may be typed about copies of projects.

use clap::{Subcommand, ValueEnum};

use super::Picked;

#[derive(Debug, Subcommand)]
pub enum Copy {
    /// Make a copy of this project beside it: its files as they are now, on a branch of its own where it is a git repository
    Create {
        /// What it is for; folder and branch are named after it
        name: String,
        /// A folder without a repository, also where git could make a worktree
        #[arg(long)]
        folder: bool,
    },
    /// Copies of this project, the oldest first
    List,
    /// What was changed in a copy since it was made
    Diff {
        /// The copy, by its name or its folder
        copy: String,
        /// The lines of this file
        file: Option<String>,
    },
    /// Bring what was changed in a copy into this project; a checkpoint is made before, and `silt checkpoint undo` takes it back
    Merge {
        /// The copy, by its name or its folder
        copy: String,
        /// Say what would happen to each file; nothing is done
        #[arg(long)]
        dry_run: bool,
        /// What becomes of files that were changed here and there in the same place [default: mine]
        #[arg(long, value_enum)]
        conflicts: Option<Conflicts>,
        #[command(flatten)]
        picked: Picked,
    },
    /// Remove a copy with its folder; what it held is kept in a checkpoint of this project, which gets its conversations
    Remove {
        /// The copy, by its name or its folder
        copy: String,
        /// Do it, though something of it is not merged or goes with it
        #[arg(long)]
        yes: bool,
    },
}

/// What becomes of files that were changed here and in a copy in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Conflicts {
    /// What they are here
    Mine,
    /// What they are in the copy
    Copy,
}

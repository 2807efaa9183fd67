//! What may be typed about where the work stands: the session, its plans, tasks and decisions.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum Session {
    /// Where the work stands, and files that Siltstone did not write
    Show,
    /// Write `.ai-brain` into the project from now on, or no more
    Share {
        /// No more; what is there stays
        #[arg(long)]
        off: bool,
    },
    /// Take in `.ai-brain` files that Siltstone did not write; name none to take all
    Accept {
        /// The files, by name
        files: Vec<String>,
        /// Keep what Siltstone knows instead, and write over them
        #[arg(long)]
        mine: bool,
    },
    /// What a new conversation is told first
    Hydrate,
    /// Copy the session into `.ai-brain/snapshots` now
    Snapshot,
    /// Go back to a snapshot; without a name, list them
    Restore {
        /// The snapshot
        name: Option<String>,
    },
    /// Read the files again and name what is wrong with them
    Verify,
    /// Write the files although another computer holds them
    TakeOver,
    /// Whether new conversations are told where the work stopped
    Carry {
        /// The rule from now on; without one, say which it is
        #[arg(value_enum)]
        rule: Option<CarryRule>,
    },
    /// Whether what was said in one conversation of the project may go in another
    Others {
        /// The answer; without one, say which it is
        #[arg(value_enum)]
        answer: Option<Answer>,
    },
}

/// When new conversations are told where the work stopped.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CarryRule {
    /// Where it is taken
    Offer,
    /// Every one, where it is not taken out
    Always,
    /// None
    Never,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Answer {
    /// They may
    Yes,
    /// They may not
    No,
}

#[derive(Debug, Subcommand)]
pub enum Plan {
    /// Plans with their tasks
    List,
    /// Add a plan
    Add {
        /// What it is called
        #[arg(required = true)]
        title: Vec<String>,
        /// What it is about
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,
    },
    /// Change a plan
    Edit {
        /// The plan
        id: String,
        /// What it is called
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
        /// What it is about
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
    /// Move a plan to a place of the list, counted from 1
    Move {
        /// The plan
        id: String,
        /// The place
        to: u32,
    },
    /// Work on this plan; the running summary stays
    Switch {
        /// The plan
        id: String,
        /// Begin the running summary anew, with what the plan is about
        #[arg(long)]
        reset: bool,
    },
    /// The plan is done
    Finish {
        /// The plan
        id: String,
    },
    /// Put the plan away
    Archive {
        /// The plan
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Task {
    /// Tasks of the plan that is worked on
    List,
    /// Add a task
    Add {
        /// What it is called
        #[arg(required = true)]
        title: Vec<String>,
        /// Its plan [default: the one that is worked on]
        #[arg(long, value_name = "ID")]
        plan: Option<String>,
    },
    /// Change a task
    Edit {
        /// The task
        id: String,
        /// What it is called
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
        /// Notes
        #[arg(long, value_name = "TEXT")]
        notes: Option<String>,
        /// What must be true when it is done; may be given more than once
        #[arg(long, value_name = "TEXT")]
        accept: Option<Vec<String>>,
        /// A task that comes before it; may be given more than once
        #[arg(long, value_name = "ID")]
        after: Option<Vec<String>>,
    },
    /// Move a task to a place of its plan, counted from 1
    Move {
        /// The task
        id: String,
        /// The place
        to: u32,
    },
    /// Work on this task
    Start {
        /// The task
        id: String,
    },
    /// The task is done
    Finish {
        /// The task
        id: String,
    },
    /// Put the task away
    Archive {
        /// The task
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Decision {
    /// Decisions, oldest first
    List,
    /// Record a decision
    Add {
        /// What was decided
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Remove a decision
    Remove {
        /// The decision
        id: String,
    },
}

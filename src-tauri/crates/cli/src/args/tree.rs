//! What may be typed about plans that a model makes, and about verdicts.

use std::path::PathBuf;

use clap::{Args as Fields, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Tree {
    /// Ask a model for a plan; with --json it can be edited and run
    Create {
        /// Ask in this conversation [default: a new one]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// What is to be done
        #[arg(required = true)]
        goal: Vec<String>,
    },
    /// Carry a plan out, task after task, until it is done or waits; Ctrl-C stops it
    Run {
        /// Carry it out in this conversation [default: a new one]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Let one call of this tool go without asking; given twice, two
        #[arg(long, value_name = "TOOL")]
        allow: Vec<String>,
        /// The plan as JSON; `-` reads it from stdin
        file: PathBuf,
    },
    /// Go on with a plan that waits
    GoOn {
        /// Let one call of this tool go without asking; given twice, two
        #[arg(long, value_name = "TOOL")]
        allow: Vec<String>,
    },
    /// Carry a plan out no further; its tasks stay
    Stop,
}

#[derive(Debug, Fields)]
pub struct Evaluate {
    /// The turn, as a line of `silt chat --json` names it
    pub turn: String,
}

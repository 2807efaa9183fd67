//! What may be typed about agents that are asked like a model.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Agent {
    /// Agents that can be asked, and those that are on this computer and can be added
    List,
    /// Add an agent, or change what starts it; `silt chat --provider NAME` asks it
    Add {
        /// Your name for it, or that of an agent on this computer
        name: String,
        /// The command that starts it for the Agent Client Protocol, as in a terminal [default: of the agent of that name]
        command: Option<String>,
    },
    /// Start it in an empty folder, ask it nothing, and list its models
    Test {
        /// Its name
        name: String,
    },
    /// Remove an agent; the program and what it keeps stay where they are
    Remove {
        /// Its name
        name: String,
    },
}

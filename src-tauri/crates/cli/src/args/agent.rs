//! What may be typed about agents that are asked like a model.

use clap::Subcommand;

use super::Asking;

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
    /// Start it in an empty folder, ask it nothing, and list its models, its modes and its commands
    Test {
        /// Its name
        name: String,
    },
    /// Have an agent do something in this project, or in a copy of it, and wait until it is done; Ctrl-C stops it
    Run {
        /// Its name
        name: String,
        /// Work in this copy of the project, which is made if there is none of that name
        #[arg(long, value_name = "COPY")]
        copy: Option<String>,
        /// Go on with this conversation [default: a new one]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Ask this one of its models
        #[arg(long, value_name = "ID")]
        model: Option<String>,
        /// Work in this mode of its own, now and later in this conversation; empty for the one in which it asks
        #[arg(long, value_name = "MODE")]
        mode: Option<String>,
        #[command(flatten)]
        asking: Asking,
        /// What is to be done; `-` reads it from stdin
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Conversations with agents in this project and its copies, and how each stands
    Sessions,
    /// Stop what an agent does in a conversation, whichever program it was begun in; what it said and did stays
    Stop {
        /// The conversation
        conversation: String,
    },
    /// Remove an agent; the program and what it keeps stay where they are
    Remove {
        /// Its name
        name: String,
    },
}

//! What may be typed about single messages, and about every reply that is waited for.

use clap::{Args as Fields, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Message {
    /// Say one of your messages differently and ask again; the old one stays as a branch
    Edit {
        /// The message, as `conversation show` names it
        id: String,
        #[command(flatten)]
        asking: Asking,
        /// The new text; `-` reads it from stdin
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Ask for another reply; the old one stays as a branch
    Regenerate {
        /// The reply, as `conversation show` names it
        id: String,
        /// Ask this model, for this reply alone
        #[arg(long, value_name = "[PROVIDER/]MODEL")]
        model: Option<String>,
        #[command(flatten)]
        asking: Asking,
    },
    /// All replies to the question of one, each under its model
    Versions {
        /// One of the replies, as `conversation show` names it
        id: String,
    },
    /// Go on where a reply was stopped
    Continue {
        /// The reply, as `conversation show` names it
        id: String,
        #[command(flatten)]
        asking: Asking,
    },
    /// Show the branch on which a message is, from now on
    Branch {
        /// The message, as `conversation show --branches` names it
        id: String,
    },
}

/// What a reply may do that would be asked about in the window.
#[derive(Debug, Default, Fields)]
pub struct Asking {
    /// Let one call of this tool go in this reply; given twice, two [default: what has to be asked is refused]
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,
    /// Let this month go on, if its limit is reached
    #[arg(long)]
    pub over_limit: bool,
}

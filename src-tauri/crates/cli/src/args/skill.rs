//! What may be typed about skills.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Skill {
    /// Skills of this project and your own, with what each would cost
    List {
        /// Say of this conversation what it has of them [default: the last one here]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
    },
    /// What a skill says, as it would go
    Show {
        /// The skill, by its name or its folder
        skill: String,
    },
    /// Send a skill with every request of a conversation from now on
    Use {
        /// The skill, by its name or its folder
        skill: String,
        /// The conversation [default: the last one here]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
    },
    /// No longer send a skill with a conversation
    Drop {
        /// The skill, by its name or its folder
        skill: String,
        /// The conversation [default: the last one here]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
    },
    /// Tell models of a skill, so that they may read it when they need it; as it is now, until its file changes
    Offer {
        /// The skill, by its name or its folder
        skill: String,
    },
    /// No longer tell models of a skill
    Withdraw {
        /// The skill, by its name or its folder
        skill: String,
    },
}

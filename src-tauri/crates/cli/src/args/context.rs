//! What may be typed about what a model sees.

use std::path::PathBuf;

use clap::{Args as Fields, Subcommand};
use siltstone_contract::{BroughtContext, ContextEntry};
use siltstone_engine::context::VolatilePolicy;
use siltstone_engine::summary::Rate;

use super::summary::{Policy, rate};
use crate::words::Lang;

#[derive(Debug, Subcommand)]
pub enum Context {
    /// What is known beside the conversations, store by store
    Show,
    /// What one key says
    Get {
        /// For example currentFile
        key: String,
    },
    /// From now on a key says this, for every program on the data folder
    Put {
        /// For example currentFile or selection
        key: String,
        /// What it says; `-` reads it from stdin
        value: String,
        /// Keep it with the rules
        #[arg(long)]
        persistent: bool,
    },
    /// Nothing is known of a key any more
    Remove {
        /// As it was put
        key: String,
        /// It is kept with the rules
        #[arg(long)]
        persistent: bool,
    },
    /// Forget all that was put but not kept
    Clear,
    /// Load rules and layers anew
    Refresh,
    /// What the next message would send, piece by piece
    Preview(Preview),
    /// Send a section with every message of a conversation from now on
    Pin(Section),
    /// Send the next message of a conversation without a section
    LeaveOut(Section),
    /// Neither pin a section nor leave it out
    ClearWish(Section),
    /// What was sent for a reply, rebuilt
    Sent {
        /// The reply, or its turn
        #[arg(default_value = "last")]
        turn: String,
        /// With which call of the model within the turn, from 1 [default: the last]
        #[arg(long, value_name = "N")]
        call: Option<usize>,
    },
}

/// A section of a conversation's requests.
#[derive(Debug, Fields)]
pub struct Section {
    /// The conversation
    pub conversation: String,
    /// The section's id, as the preview says it: memory:AGENTS.md
    pub section: String,
}

#[derive(Debug, Fields)]
pub struct Preview {
    /// The conversation [default: the last one]
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// The message that would be sent
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub draft: String,
    #[command(flatten)]
    pub brought: Brought,
    #[command(flatten)]
    pub replay: Replay,
}

/// Something that one request knows.
#[derive(Debug, Default, Fields)]
pub struct Brought {
    /// The request knows this; may be given more than once
    #[arg(long, value_name = "KEY=VALUE", value_parser = entry)]
    pub with: Vec<ContextEntry>,
    /// And nothing that was put
    #[arg(long, requires = "with")]
    pub alone: bool,
}

/// A conversation from a file, told as a policy would by now.
#[derive(Debug, Fields)]
pub struct Replay {
    /// A transcript, one message a line; it is read and nothing is asked
    #[arg(long, value_name = "FILE", conflicts_with_all = ["conversation", "with"])]
    pub transcript: Option<PathBuf>,
    /// How its earlier messages are told
    #[arg(long, value_enum, default_value = "rolling", requires = "transcript")]
    pub policy: Policy,
    /// Length of its summaries, 0.1 to 0.5
    #[arg(long, requires = "transcript", value_parser = rate)]
    pub rate: Option<Rate>,
    /// Exactly as the designs write it, with what they lose
    #[arg(long, requires = "transcript")]
    pub strict: bool,
    /// The model that would be asked
    #[arg(long, value_name = "ID", default_value = "unknown", requires = "transcript")]
    pub model: String,
    /// Most tokens of the request [default: three quarters of the usual window]
    #[arg(long, value_name = "TOKENS", requires = "transcript")]
    pub budget: Option<u64>,
    /// Language of its summaries [default: the one it is written in]
    #[arg(long, value_enum, requires = "transcript")]
    pub language: Option<Lang>,
}

impl From<Brought> for Option<BroughtContext> {
    fn from(said: Brought) -> Self {
        let policy = if said.alone { VolatilePolicy::RequestAlone } else { VolatilePolicy::Merged };
        (!said.with.is_empty()).then_some(BroughtContext { entries: said.with, policy })
    }
}

fn entry(typed: &str) -> Result<ContextEntry, String> {
    let (key, value) = typed.split_once('=').ok_or("a key, `=` and a value")?;
    Ok(ContextEntry { key: key.to_owned(), value: value.to_owned() })
}

//! What may be typed about the ledger, and about what a summary keeps of it.

use std::path::PathBuf;

use clap::{Args as Fields, Subcommand};
use siltstone_engine::summary::Rate;

use super::summary::{Policy, rate};
use crate::words::Lang;

#[derive(Debug, Subcommand)]
pub enum Ledger {
    /// What a conversation said that must not get lost, with the messages that say it
    Show {
        /// The conversation [default: the last one]
        #[arg(conflicts_with = "transcript")]
        id: Option<String>,
        /// A transcript instead, one message a line
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
    },
}

/// What summaries keep and claim.
#[derive(Debug, Fields)]
pub struct Check {
    /// The summary
    #[arg(required_unless_present = "transcript", conflicts_with = "transcript")]
    pub summary: Option<String>,
    /// The summaries of sentences that a transcript would have had instead; nothing is asked
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// How its earlier messages are told
    #[arg(long, value_enum, default_value = "segments", requires = "transcript")]
    pub policy: Policy,
    /// Length of its summaries, 0.1 to 0.5
    #[arg(long, requires = "transcript", value_parser = rate)]
    pub rate: Option<Rate>,
    /// Percent of the summaries' tokens for facts that go with them, 0 to 50
    #[arg(long, value_name = "PERCENT", default_value_t = 20, requires = "transcript",
          value_parser = clap::value_parser!(u8).range(0..=50))]
    pub kept_facts: u8,
    /// Language of its summaries [default: the one it is written in]
    #[arg(long, value_enum, requires = "transcript")]
    pub language: Option<Lang>,
}

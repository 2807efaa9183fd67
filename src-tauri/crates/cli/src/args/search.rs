//! What may be typed about searching.

use clap::{Args as Fields, ValueEnum};
use jiff::civil::Date;
use siltstone_engine::message::Role;
use siltstone_engine::search::FoundKind;

/// A search of messages.
#[derive(Debug, Fields)]
pub struct SearchMessages {
    /// What to look for
    pub query: String,
    /// In every project
    #[arg(long)]
    pub all: bool,
    /// Only in this conversation
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// Most hits to give, at most 100
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub limit: u32,
}

/// A search over everything.
#[derive(Debug, Fields)]
pub struct Search {
    /// What to look for
    #[arg(required_unless_present = "rebuild", conflicts_with = "rebuild")]
    pub query: Option<String>,
    /// Make the index anew instead of searching
    #[arg(long)]
    pub rebuild: bool,
    /// In every project
    #[arg(long)]
    pub all: bool,
    /// Only in this conversation
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// Only these kinds; several with commas
    #[arg(long, value_enum, value_delimiter = ',')]
    pub kind: Vec<Kind>,
    /// Only what this one said
    #[arg(long, value_enum)]
    pub role: Option<Speaker>,
    /// Only from this day on, such as 2026-05-01
    #[arg(long, value_name = "DAY")]
    pub from: Option<Date>,
    /// Only up to this day, itself included
    #[arg(long, value_name = "DAY")]
    pub to: Option<Date>,
    /// Most to give of each kind, at most 100
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub limit: u32,
}

/// What can be found.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kind {
    Message,
    ToolResult,
    Summary,
    Decision,
    Memory,
    File,
    Checkpoint,
}

impl From<Kind> for FoundKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Message => Self::Message,
            Kind::ToolResult => Self::ToolResult,
            Kind::Summary => Self::Summary,
            Kind::Decision => Self::Decision,
            Kind::Memory => Self::Memory,
            Kind::File => Self::File,
            Kind::Checkpoint => Self::Checkpoint,
        }
    }
}

/// Who said something.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Speaker {
    User,
    Model,
    Tool,
}

impl From<Speaker> for Role {
    fn from(speaker: Speaker) -> Self {
        match speaker {
            Speaker::User => Self::User,
            Speaker::Model => Self::Assistant,
            Speaker::Tool => Self::Tool,
        }
    }
}

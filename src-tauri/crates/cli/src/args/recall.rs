//! What may be typed about recall.

use std::path::PathBuf;

use clap::{Args as Fields, Subcommand, ValueEnum};
use siltstone_engine::recall::trial::Strategy;

#[derive(Debug, Subcommand)]
pub enum Recall {
    /// What would be put before a model for questions about conversations, one line of JSON for each question and budget
    Eval(Eval),
    /// Whether what is said in a project's conversations may go along in its others, and be looked up by agents that work in it
    Others {
        /// Without one, what holds is told
        #[arg(value_enum)]
        answer: Option<Others>,
    },
    /// Whether what was said in kept sessions of agents that worked in a project may go in its requests
    Sessions {
        /// Without one, what holds is told
        #[arg(value_enum)]
        answer: Option<Others>,
    },
    /// Who makes vectors of messages, so that recall finds what was said in other words
    #[command(subcommand)]
    Embedder(Embedder),
}

/// What the person says of the other conversations of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Others {
    /// They may
    Allow,
    /// They may not
    Refuse,
}

#[derive(Debug, Subcommand)]
pub enum Embedder {
    /// Who makes them, how far that is, and which models lie in the data folder
    Status,
    /// The models of a provider that seem to make vectors
    Models {
        /// The provider's name
        provider: String,
    },
    /// What an embedder would take; nothing is sent
    Plan(EmbedderArgs),
    /// Choose one and make the vectors; those of an earlier one are forgotten
    Use {
        #[command(flatten)]
        which: EmbedderArgs,
        /// Most tokens to send to another computer, in all; needed where texts leave this one
        #[arg(long, value_name = "TOKENS")]
        most: Option<u64>,
    },
    /// Make the vectors that are missing
    Build,
    /// Forget all vectors and make them anew
    Rebuild,
    /// Make no more of them, here and in the window
    Stop,
    /// Choose nobody and forget all vectors
    Off,
}

#[derive(Debug, Fields)]
pub struct EmbedderArgs {
    /// A model in the data folder, or that comes with Siltstone
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "provider",
        conflicts_with = "provider"
    )]
    pub local: Option<String>,
    /// A provider
    #[arg(long, value_name = "NAME", requires = "model")]
    pub provider: Option<String>,
    /// The provider's model
    #[arg(long, value_name = "ID", requires = "provider")]
    pub model: Option<String>,
}

#[derive(Debug, Fields)]
pub struct Eval {
    /// Conversations and questions as JSON
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Names for lists of conversations, as JSON
    #[arg(long, value_name = "FILE", requires = "split")]
    pub splits: Option<PathBuf>,
    /// Only the conversations of this name
    #[arg(long, value_name = "NAME", requires = "splits")]
    pub split: Option<String>,
    /// Tokens of a context; several with commas
    #[arg(long, value_name = "TOKENS", value_delimiter = ',', default_value = "512,1024,2048,4096,8192",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Vec<u64>,
    /// How the conversation is told
    #[arg(long, value_enum, default_value = "recall")]
    pub strategy: Way,
    /// With this model in the data folder, or that comes with Siltstone, for what is near in meaning
    #[arg(long, value_name = "NAME")]
    pub local: Option<String>,
    /// Write to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Way {
    Recall,
    Bm25,
    Window,
    Importance,
    Rolling,
    Segments,
}

impl From<Way> for Strategy {
    fn from(way: Way) -> Self {
        match way {
            Way::Recall => Self::Recall,
            Way::Bm25 => Self::Bm25,
            Way::Window => Self::Window,
            Way::Importance => Self::Importance,
            Way::Rolling => Self::Rolling,
            Way::Segments => Self::Segments,
        }
    }
}

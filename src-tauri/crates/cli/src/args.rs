//! What may be typed.

use std::path::PathBuf;

use clap::{ArgGroup, Args as Fields, Parser, Subcommand, ValueEnum};
use siltstone_contract::ExportFormat;
use siltstone_engine::keys::Place;
use siltstone_engine::provider::ProviderKind;

use crate::words::Lang;

/// Siltstone without a window: conversations with language models over your own files
#[derive(Debug, Parser)]
#[command(name = "silt", version, arg_required_else_help = true)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Fields)]
pub struct Global {
    /// Project folder [default: the opened project that holds the current folder]
    #[arg(long, global = true, value_name = "PATH")]
    pub project: Option<String>,
    /// Data folder [default: SILTSTONE_DATA_DIR, else your own]
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// One JSON value on stdout; streams give one JSON object a line
    #[arg(long, global = true)]
    pub json: bool,
    /// Open the encrypted file of keys with the passphrase that this file holds
    #[arg(long, global = true, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Language of messages [default: the system's]
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Lang>,
    /// No progress and no notes
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open, list and forget project folders
    #[command(subcommand)]
    Project(Project),
    /// Send a message and stream the reply; Ctrl-C stops it and keeps what came
    Chat(Chat),
    /// List, show, search, import, export, delete and restore conversations
    #[command(subcommand)]
    Conversation(Conversation),
    /// What the next message would send, and what was sent for a reply
    #[command(subcommand)]
    Context(Context),
    /// Language models: list, add, test, choose, find on this computer
    #[command(subcommand)]
    Provider(Provider),
    /// Search all messages
    Search(Search),
}

#[derive(Debug, Subcommand)]
pub enum Project {
    /// Open a folder and say what it brings
    Open {
        /// The folder
        path: String,
        /// Its instruction files and texts may be sent to a model
        #[arg(long, conflicts_with = "no_trust")]
        trust: bool,
        /// Open it without its instruction files and texts
        #[arg(long)]
        no_trust: bool,
    },
    /// Folders that were opened, the last one first
    List,
    /// Forget a folder; its conversations stay
    Forget {
        /// The folder
        path: String,
    },
}

#[derive(Debug, Fields)]
pub struct Chat {
    /// Go on with this conversation [default: a new one]
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// Ask this provider, now and later in this conversation
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Ask this model, now and later in this conversation
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
    /// The message; `-` reads it from stdin
    #[arg(required = true)]
    pub text: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum Conversation {
    /// Conversations of the project, or all when there is none
    List {
        /// Of every project
        #[arg(long)]
        all: bool,
        /// Those in the trash
        #[arg(long)]
        trash: bool,
    },
    /// One conversation with its messages
    Show {
        /// Its id
        id: String,
    },
    /// Search messages
    Search(Search),
    /// A conversation from Markdown, JSON or JSONL
    Import {
        /// The file; `-` reads stdin
        file: PathBuf,
    },
    /// A conversation as text
    Export {
        /// Its id
        id: String,
        /// For reading, for keeping every branch, or one message a line for other programs
        #[arg(long, value_enum, default_value = "markdown")]
        format: Format,
        /// Write to a file instead of stdout
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Move to the trash
    Delete {
        /// Its id
        id: String,
    },
    /// Take out of the trash
    Restore {
        /// Its id
        id: String,
    },
}

#[derive(Debug, Fields)]
pub struct Search {
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

#[derive(Debug, Subcommand)]
pub enum Context {
    /// What the next message would send, piece by piece
    Preview {
        /// The conversation
        #[arg(long, value_name = "ID")]
        conversation: String,
        /// The message that would be sent
        #[arg(long, value_name = "TEXT", default_value = "")]
        draft: String,
    },
    /// What was sent for a reply, rebuilt
    Sent {
        /// The reply's turn
        turn: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Provider {
    /// Providers, the offline one first
    List,
    /// Add or change a provider on this computer
    Add {
        /// Its wire format; openai means chat completions
        #[arg(long, value_enum)]
        kind: Kind,
        /// Your name for it
        #[arg(long)]
        name: String,
        /// Where it listens, such as http://127.0.0.1:11434/v1
        #[arg(long, value_name = "URL")]
        base_url: String,
        /// Read its key from stdin
        #[arg(long)]
        key_stdin: bool,
        /// Where to keep the key: the system's keyring, or a file encrypted with --passphrase-file
        #[arg(long, value_enum, default_value = "keyring", requires = "key_stdin")]
        keep: Keep,
    },
    /// Give a provider another key, or take it away
    #[command(group = ArgGroup::new("what").required(true))]
    Key {
        /// The provider's name
        name: String,
        /// Read the key from stdin
        #[arg(long, group = "what")]
        key_stdin: bool,
        /// Forget the key
        #[arg(long, group = "what")]
        remove: bool,
        /// Where to keep the key: the system's keyring, or a file encrypted with --passphrase-file
        #[arg(long, value_enum, default_value = "keyring", requires = "key_stdin")]
        keep: Keep,
    },
    /// Whether it answers
    Test {
        /// Its name
        name: String,
    },
    /// The models it offers
    Models {
        /// Its name
        name: String,
    },
    /// Ask this provider and model wherever nothing else was chosen
    Default {
        /// The provider's name
        name: String,
        /// The model's id
        model: String,
    },
    /// Remove a provider
    Remove {
        /// Its name
        name: String,
    },
    /// Find servers on this computer
    Discover,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Markdown,
    Json,
    Jsonl,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Markdown => Self::Markdown,
            Format::Json => Self::Json,
            Format::Jsonl => Self::Jsonl,
        }
    }
}

/// A key for one session alone would be forgotten with the call, so that place is the window's.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Keep {
    Keyring,
    Vault,
}

impl From<Keep> for Place {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Keyring => Self::Keyring,
            Keep::Vault => Self::Vault,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kind {
    Openai,
    /// Anthropic messages
    Anthropic,
    /// Gemini
    Gemini,
    /// Ollama's own format
    Ollama,
}

impl From<Kind> for ProviderKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Openai => Self::Openai,
            Kind::Anthropic => Self::Anthropic,
            Kind::Gemini => Self::Gemini,
            Kind::Ollama => Self::Ollama,
        }
    }
}

//! What may be typed.

use std::path::PathBuf;

use clap::{ArgGroup, Args as Fields, Parser, Subcommand, ValueEnum};
use siltstone_contract::ExportFormat;
use siltstone_engine::keys::Place;
use siltstone_engine::provider::{Effort, ProviderKind};

use crate::words::Lang;

mod agent;
mod backup;
mod checkpoint;
mod context;
mod copy;
mod ledger;
mod mcp;
mod memory;
mod message;
mod recall;
mod remote;
mod search;
mod session;
mod settings;
mod skill;
mod summary;
mod tree;
mod update;
mod vault;

pub use agent::Agent;
pub use backup::Backup;
pub use checkpoint::{Checkpoint, ForAll, Home, How, Part, Picked, Sealing};
pub use context::{Brought, Context, Preview, Replay, Section};
pub use copy::{Conflicts, Copy};
pub use ledger::{Check, Ledger};
pub use mcp::{Mcp, Program};
pub use memory::{About, Memory};
pub use message::{Asking, Message};
pub use recall::{Embedder, EmbedderArgs, Eval, Others, Recall};
pub use remote::{Carry, Remote, Where};
pub use search::{Search, SearchMessages};
pub use session::{Answer, CarryRule, Decision, Plan, Session, Task};
pub use settings::Settings;
pub use skill::Skill;
pub use summary::{Folding, Summary};
pub use tree::{Evaluate, Tree};
pub use update::Update;
pub use vault::Vault;

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
    /// Copies of a project, in which agents work beside it: create, list, diff, merge, remove
    #[command(subcommand)]
    Copy(Copy),
    /// Send a message and stream the reply; Ctrl-C stops it and keeps what came
    Chat(Chat),
    /// Single messages: edit, regenerate, continue, branch
    #[command(subcommand)]
    Message(Message),
    /// List, show, search, import, export, delete, restore and purge conversations
    #[command(subcommand)]
    Conversation(Conversation),
    /// What is known beside the conversations, what the next message would send, and what was sent
    #[command(subcommand)]
    Context(Context),
    /// Memory in layers: show, add, keep, lint, history, inbox, agree, share
    Memory(Memory),
    /// Moments of a project to go back to: create, diff, plan, restore, undo, clean
    #[command(subcommand)]
    Checkpoint(Checkpoint),
    /// Where the work stands: show, share, accept, snapshot, restore
    #[command(subcommand)]
    Session(Session),
    /// Plans: list, add, edit, switch, finish
    #[command(subcommand)]
    Plan(Plan),
    /// Tasks of a plan: list, add, edit, start, finish
    #[command(subcommand)]
    Task(Task),
    /// Plans by a model: create, run, go-on, stop
    #[command(subcommand)]
    Tree(Tree),
    /// Whether an answer did what was asked, as a model judges it
    Evaluate(Evaluate),
    /// What was decided: list, add, remove
    #[command(subcommand)]
    Decision(Decision),
    /// Summaries of earlier messages: list, show, run, diff, edit
    #[command(subcommand)]
    Summary(Summary),
    /// What was said that must not get lost: rules, decisions, paths, commands, figures
    #[command(subcommand)]
    Ledger(Ledger),
    /// Language models: list, add, test, default, discover on this computer
    #[command(subcommand)]
    Provider(Provider),
    /// Agents that do the work themselves, asked like a model: list, add, test, run, sessions, stop, remove
    #[command(subcommand)]
    Agent(Agent),
    /// Servers whose tools models may call, and Siltstone as one: list, add, test, trust, serve, install
    #[command(subcommand)]
    Mcp(Mcp),
    /// Skills, folders with a SKILL.md that hold instructions for a kind of work: list, show, use, drop, offer
    #[command(subcommand)]
    Skill(Skill),
    /// Everything that the window's settings say: list, get, set, unset
    #[command(subcommand)]
    Settings(Settings),
    /// What models cost: list, set and remove prices
    #[command(subcommand)]
    Price(Price),
    /// What this month cost, and its limit
    Spending(Spending),
    /// A small project with a recorded conversation, to look around in
    #[command(subcommand)]
    Sample(Sample),
    /// Copies of conversations and settings to go back to: list, create, restore
    #[command(subcommand)]
    Backup(Backup),
    /// What left this program: requests to models, and their exact bytes
    #[command(subcommand)]
    Egress(Egress),
    /// How well what was said long ago is found again: measure it
    #[command(subcommand)]
    Recall(Recall),
    /// Search everything: conversations, summaries, decisions, memory, files, checkpoints
    Search(Search),
    /// Sessions of Claude Code, Codex, Gemini CLI, Antigravity, opencode, Cline and Cursor: keep them for good, look into them, see what a compaction dropped
    #[command(subcommand)]
    Vault(Vault),
    /// Newer versions of Siltstone, signed by those who made this copy: status, look, get, install
    #[command(subcommand)]
    Update(Update),
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
        /// Its conversations ask models on this computer alone
        #[arg(long, conflicts_with = "any_computer")]
        this_computer_only: bool,
        /// Its conversations ask any model again
        #[arg(long)]
        any_computer: bool,
    },
    /// Folders that were opened, the last one first
    List,
    /// Forget a folder with what is kept of it; its conversations and its files stay
    Forget {
        /// The folder
        path: String,
        /// Do it, though plans, decisions, memory or checkpoints go with it for ever
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Default, Fields)]
pub struct Chat {
    /// Go on with this conversation [default: a new one]
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// Go on with the last conversation of this project, or of none
    #[arg(long, conflicts_with = "conversation")]
    pub last: bool,
    /// Begin a new conversation that is told where the work in the project stopped
    #[arg(long = "continue", conflicts_with_all = ["conversation", "last"])]
    pub carry: bool,
    /// Ask this provider, now and later in this conversation
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Ask this model, now and later in this conversation
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
    /// Ask this model the same after the reply, for this message alone; may be given up to three times
    #[arg(long, value_name = "[PROVIDER/]MODEL")]
    pub also: Vec<String>,
    /// Send this skill with every request of the conversation, by its name or its folder; may be given more than once
    #[arg(long, value_name = "SKILL")]
    pub skill: Vec<String>,
    /// Send this picture or PDF file with it; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<PathBuf>,
    /// Instructions to the model, now and later in this conversation; empty for none
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    /// Sampling temperature from 0 to 2, now and later in this conversation
    #[arg(long, value_name = "DEGREES")]
    pub temperature: Option<f32>,
    /// Most tokens of a reply, now and later in this conversation
    #[arg(long, value_name = "TOKENS")]
    pub max_output: Option<u32>,
    /// How much to think, now and later in this conversation
    #[arg(long, value_enum)]
    pub effort: Option<Thinking>,
    #[command(flatten)]
    pub folding: Folding,
    #[command(flatten)]
    pub brought: Brought,
    #[command(flatten)]
    pub asking: Asking,
    /// Send the message as it is written, also where it begins like a command: /memory, /plan, /task, /decide
    #[arg(long)]
    pub literal: bool,
    /// The mode of an agent's own; empty for the one in which it asks.
    #[arg(skip)]
    pub mode: Option<String>,
    /// The message; `-` reads it from stdin
    #[arg(required_unless_present = "attach")]
    pub text: Vec<String>,
}

/// How much a model thinks.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Thinking {
    Minimal,
    Low,
    Medium,
    High,
}

impl From<Thinking> for Effort {
    fn from(thinking: Thinking) -> Self {
        match thinking {
            Thinking::Minimal => Self::Minimal,
            Thinking::Low => Self::Low,
            Thinking::Medium => Self::Medium,
            Thinking::High => Self::High,
        }
    }
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
        #[arg(default_value = "last")]
        id: String,
        /// With the messages of branches that are not shown
        #[arg(long)]
        branches: bool,
    },
    /// What its newest question had changed in files, and which of that nobody was asked about
    Changes {
        /// Its id
        #[arg(default_value = "last")]
        id: String,
    },
    /// Take back what its newest question had changed in files; a checkpoint is made before
    Undo {
        /// Its id
        id: String,
        /// These files alone [default: all that still are as it left them]
        files: Vec<String>,
    },
    /// Search messages
    Search(SearchMessages),
    /// A conversation from Markdown, JSON or JSONL, or all of an export of ChatGPT or Claude
    Import {
        /// The file; `-` reads stdin
        file: PathBuf,
    },
    /// A conversation as text
    Export {
        /// Its id
        #[arg(default_value = "last")]
        id: String,
        /// For reading, for keeping every branch, or one message a line for other programs
        #[arg(long, value_enum, default_value = "markdown")]
        format: Format,
        /// With keys, tokens and passwords, which are redacted otherwise
        #[arg(long)]
        as_is: bool,
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
    /// Delete what is in the trash for ever
    Purge {
        /// Its id
        id: String,
        /// Backups that hold it, too
        #[arg(long)]
        backups: bool,
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
    /// Say how many tokens a model holds; without a number, it is as its server or its name says
    Window {
        /// The model's id
        model: String,
        /// Tokens of a request and its reply together
        tokens: Option<u64>,
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

#[derive(Debug, Subcommand)]
pub enum Price {
    /// Prices in US dollars for a million tokens: built in, of servers, your own
    List,
    /// Your own price for a model
    Set {
        /// The model's id; a `*` at the end stands for any ending
        model: String,
        /// For what is sent
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        input: u64,
        /// For what is answered
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        output: u64,
        /// For what is sent and found in the provider's cache
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        cached_input: Option<u64>,
        /// For what is sent and written to the provider's cache
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        cache_write: Option<u64>,
    },
    /// Take your own price away
    Remove {
        /// As it was set
        model: String,
    },
}

#[derive(Debug, Fields)]
pub struct Spending {
    /// Ask before a month costs more than this
    #[arg(long, value_name = "DOLLARS", value_parser = dollars, conflicts_with = "no_limit")]
    pub limit: Option<u64>,
    /// Never ask
    #[arg(long)]
    pub no_limit: bool,
    /// Let this month go on until one more limit's worth is spent
    #[arg(long)]
    pub allow: bool,
}

#[derive(Debug, Subcommand)]
pub enum Sample {
    /// Open it in your language; what is there already stays
    Open,
}

/// An amount such as `0.075`, in millionths.
fn dollars(typed: &str) -> Result<u64, String> {
    let (whole, part) = typed.split_once('.').unwrap_or((typed, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return Err("an amount such as 3 or 0.075, with at most six decimals".into());
    }
    let whole: u64 = whole.parse().map_err(|_| "too large")?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| "too large")?;
    whole.checked_mul(1_000_000).and_then(|whole| whole.checked_add(part)).ok_or("too large".into())
}

#[derive(Debug, Subcommand)]
pub enum Egress {
    /// Requests that left, the last one first
    List {
        /// Only those to other computers
        #[arg(long)]
        away: bool,
        /// Only those before this number
        #[arg(long, value_name = "NUMBER")]
        before: Option<u64>,
        /// Most requests to give, at most 500
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
        limit: u32,
    },
    /// One request as it was sent, without the key
    Show {
        /// Its number
        number: u64,
        /// As a command that sends the same again, with the key from the variable KEY
        #[arg(long)]
        curl: bool,
    },
    /// Forget all of it
    Clear,
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

//! What may be typed about MCP servers. Secrets come over stdin, never as words.

use std::path::PathBuf;

use clap::{ArgGroup, Subcommand, ValueEnum};
use siltstone_engine::client::Client;

#[derive(Debug, Subcommand)]
pub enum Mcp {
    /// Servers of the project and those of all projects
    List,
    /// Servers that the project's own files name; none of them is run
    Found,
    /// Add a server, or change the one of this name; it has to be trusted then
    #[command(group = ArgGroup::new("where").required(true))]
    Add {
        /// Its name: letters, digits, - and _
        name: String,
        /// For all projects, not for this one alone
        #[arg(long)]
        all: bool,
        /// The program and its arguments, after --
        #[arg(last = true, group = "where", value_name = "COMMAND")]
        command: Vec<String>,
        /// Its address: https, or one of this computer
        #[arg(long, group = "where")]
        url: Option<String>,
        /// A variable of its environment that is no secret
        #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url")]
        env: Vec<String>,
        /// The name of a variable, or with --url of a header, whose value is kept with the keys
        #[arg(long, value_name = "NAME")]
        secret: Vec<String>,
        /// A file or folder that the program reads, beside the project and its toolchain
        #[arg(long, value_name = "PATH", conflicts_with = "url")]
        read: Vec<String>,
        /// A file or folder that the program changes, beside the project
        #[arg(long, value_name = "PATH", conflicts_with = "url")]
        write: Vec<String>,
        /// Let the program use the network
        #[arg(long, conflicts_with = "url")]
        network: bool,
        /// Add it without offering its tools
        #[arg(long)]
        off: bool,
    },
    /// Keep a secret of a server with the keys; it is read from stdin, and an empty one is forgotten
    Secret {
        /// The server's name
        name: String,
        /// The name of the variable or header
        variable: String,
        /// The server of all projects
        #[arg(long)]
        all: bool,
    },
    /// Start or reach a server and show what it offers
    Test {
        /// The server's name
        name: String,
        /// The server of all projects
        #[arg(long)]
        all: bool,
    },
    /// Let a server be used as it is now; whatever is changed in it asks again
    Trust {
        /// The server's name
        name: String,
        /// The server of all projects
        #[arg(long)]
        all: bool,
        /// The fingerprint that was shown; refused when it is another one by now
        #[arg(long, value_name = "HASH")]
        fingerprint: Option<String>,
        /// Let the instructions with this hash take effect; "test" shows it
        #[arg(long, value_name = "HASH", default_value = "")]
        instructions: String,
    },
    /// Be a server for other programs: what was said here, the rules, and a place for what they propose, over stdin and stdout
    Serve {
        /// Be it over HTTP, on this computer alone, for whoever shows the token; until Ctrl-C
        #[arg(long)]
        http: bool,
        /// The port; without it one that is free
        #[arg(long, requires = "http", default_value_t = 0, hide_default_value = true)]
        port: u16,
        /// A file with a token of your own, of 16 characters or more; without it one is made for this time
        #[arg(long, requires = "http", value_name = "FILE")]
        token_file: Option<PathBuf>,
    },
    /// Name Siltstone as a server in the settings of other programs; shows what changes in them
    Install {
        /// The programs; without one, all are listed
        #[arg(value_enum, value_name = "PROGRAM")]
        clients: Vec<Program>,
        /// Only show what would change
        #[arg(long, requires = "clients")]
        dry_run: bool,
    },
    /// Take Siltstone out of the settings of other programs, which are then as they were
    Uninstall {
        /// The programs
        #[arg(value_enum, value_name = "PROGRAM", required = true)]
        clients: Vec<Program>,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove a server and its secrets
    Remove {
        /// The server's name
        name: String,
        /// The server of all projects
        #[arg(long)]
        all: bool,
    },
}

/// A program of others that speaks MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Program {
    ClaudeCode,
    Codex,
    GeminiCli,
    Vscode,
    Cursor,
    Opencode,
}

impl From<Program> for Client {
    fn from(program: Program) -> Self {
        match program {
            Program::ClaudeCode => Self::ClaudeCode,
            Program::Codex => Self::Codex,
            Program::GeminiCli => Self::GeminiCli,
            Program::Vscode => Self::Vscode,
            Program::Cursor => Self::Cursor,
            Program::Opencode => Self::Opencode,
        }
    }
}

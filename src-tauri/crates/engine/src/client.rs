//! Programs of others that may use Siltstone as an MCP server: in whose settings, and where in them, it is named.
//!
//! Which program writes what stands in this table; how it is put into a file is the adapter's. Deliberately absent:
//! anything that a program keeps beyond that, such as whether it trusts the server.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name under which programs know the server.
pub const SERVER: &str = "siltstone";

/// The program that is the server, as it is found by its name, and its arguments.
pub const COMMAND: [&str; 3] = ["silt", "mcp", "serve"];

/// A program whose settings name MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Claude Code, in the project.
    ClaudeCode,
    /// Codex, for whoever runs it: it has no settings of a project that count at once.
    Codex,
    /// Gemini CLI, in the project.
    GeminiCli,
    /// Visual Studio Code, in the project.
    Vscode,
    /// Cursor, in the project.
    Cursor,
    /// opencode, in the project.
    Opencode,
}

/// Where a program's settings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settings {
    /// This path in the project.
    Project(&'static str),
    /// This path in the program's own folder, which a variable names, or else one of the home folder.
    Own {
        /// The variable.
        variable: &'static str,
        /// The folder in the home folder.
        folder: &'static str,
        /// The file.
        file: &'static str,
    },
}

/// How they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON, perhaps with comments; servers stand in the object of this name.
    Json(&'static str),
    /// TOML; servers are tables in the table of this name.
    Toml(&'static str),
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::Vscode,
        Self::Cursor,
        Self::Opencode,
    ];

    /// What it is called by people.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Vscode => "VS Code",
            Self::Cursor => "Cursor",
            Self::Opencode => "opencode",
        }
    }

    /// Where its settings are.
    pub fn settings(self) -> Settings {
        match self {
            Self::ClaudeCode => Settings::Project(".mcp.json"),
            Self::Codex => {
                Settings::Own { variable: "CODEX_HOME", folder: ".codex", file: "config.toml" }
            }
            Self::GeminiCli => Settings::Project(".gemini/settings.json"),
            Self::Vscode => Settings::Project(".vscode/mcp.json"),
            Self::Cursor => Settings::Project(".cursor/mcp.json"),
            Self::Opencode => Settings::Project("opencode.json"),
        }
    }

    /// How they are written.
    pub fn form(self) -> Form {
        match self {
            Self::ClaudeCode | Self::GeminiCli | Self::Cursor => Form::Json("mcpServers"),
            Self::Vscode => Form::Json("servers"),
            Self::Opencode => Form::Json("mcp"),
            Self::Codex => Form::Toml("mcp_servers"),
        }
    }

    /// What they say of the server, in the order in which it is written.
    pub fn entry(self) -> Vec<(&'static str, Value)> {
        let [command, arguments @ ..] = COMMAND;
        let (program, arguments) = (("command", json!(command)), ("args", json!(arguments)));
        match self {
            Self::Opencode => {
                let whole = ("command", json!(COMMAND));
                vec![("type", json!("local")), whole, ("enabled", json!(true))]
            }
            Self::Vscode => vec![("type", json!("stdio")), program, arguments],
            _ => vec![program, arguments],
        }
    }
}

/// Whether a program's settings name the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Named {
    /// They do not.
    No,
    /// As it is written here.
    Yes,
    /// In another way, or on other lines: somebody wrote it, and it is left alone.
    Otherwise,
}

/// Settings as they are, and as they would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ClientFile {
    /// Whose they are.
    pub client: Client,
    /// The file.
    pub path: String,
    /// What it says; `None` where there is none.
    pub before: Option<String>,
    /// What it would say; `None` where there would be none.
    pub after: Option<String>,
    /// Whether it names the server.
    pub named: Named,
}

/// Why settings cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The program's folder is not known.
    #[error("{client} keeps its settings in the home folder, and there is none")]
    Homeless {
        /// The program.
        client: &'static str,
    },
    /// A file of a project is asked for without one.
    #[error("{client} keeps its settings in the project, and there is none here")]
    NoProject {
        /// The program.
        client: &'static str,
    },
    /// They are not in the form that the program reads.
    #[error("{path} cannot be read: {detail}")]
    Form {
        /// The file.
        path: String,
        /// What is wrong.
        detail: String,
    },
    /// Somebody wrote another entry.
    #[error("{path} names {SERVER} in another way; it is left as it is")]
    Otherwise {
        /// The file.
        path: String,
    },
    /// Another program wrote them meanwhile.
    #[error("{path} was changed meanwhile")]
    Changed {
        /// The file.
        path: String,
    },
    /// The file system refused, or the path leads out of the project.
    #[error("{path}: {detail}")]
    Io {
        /// The file.
        path: String,
        /// What it said.
        detail: String,
    },
}

/// The settings of other programs.
pub trait Clients: Send + Sync {
    /// What they are, and would be if they named the server, or did not, as `wanted` says.
    fn look(
        &self,
        client: Client,
        root: Option<&str>,
        wanted: bool,
    ) -> Result<ClientFile, ClientError>;
    /// Makes that so, if they still are what was shown. The file is replaced whole, with its permissions; one that
    /// would say nothing else is removed.
    fn change(&self, root: Option<&str>, file: &ClientFile) -> Result<(), ClientError>;
}

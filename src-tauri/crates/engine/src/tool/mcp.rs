//! MCP servers: programs or addresses whose tools a model may call. What they say is data.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, ToolSpec};
use crate::egress::Outbox;
use crate::ids::ProjectId;
use crate::secret::Secret;
use crate::settings::Network;

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum McpTransport {
    /// A program that is started, spoken to over its input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment that are no secrets.
        env: BTreeMap<String, String>,
        /// Names of variables whose values are kept with the keys.
        secret_env: Vec<String>,
    },
    /// An address; https, or this computer's own.
    Http {
        /// The whole address.
        url: String,
        /// Name of a header whose value is kept with the keys; empty for none.
        secret_header: String,
    },
}

/// A server as the person set it up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct McpServer {
    /// The project whose conversations may use it; `None` for all.
    pub project_id: Option<ProjectId>,
    /// Unique for its project: letters, digits, `-` and `_`, at most 32.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether its tools are offered.
    pub on: bool,
    /// The fingerprint the person trusted; another one asks again. Empty before the first answer.
    pub trusted: String,
    /// BLAKE3 of the instructions the person let take effect; empty for none.
    pub instructions_trusted: String,
}

/// A tool of a server, in the server's own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct McpTool {
    /// The server's own name for it.
    pub name: String,
    /// What it says it does.
    pub description: String,
    /// JSON schema of its arguments.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub schema: Value,
    /// Whether the server says that it only looks. Shown; believed by nobody.
    pub says_read_only: bool,
}

/// How a server fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// It could not be started or reached.
    #[error("the server {name} cannot be reached: {detail}")]
    Unreachable {
        /// Which.
        name: String,
        /// What the system said, and the end of what the server wrote to its error output.
        detail: String,
    },
    /// It did not answer in time.
    #[error("the server {name} did not answer within {seconds} s")]
    TimedOut {
        /// Which.
        name: String,
        /// How long was waited.
        seconds: u64,
    },
    /// It ended, or what it said is not the protocol.
    #[error("the server {name} broke off: {detail}")]
    Broken {
        /// Which.
        name: String,
        /// How.
        detail: String,
    },
    /// The address may not be asked.
    #[error("the server {name} may not be asked: {detail}")]
    Forbidden {
        /// Which.
        name: String,
        /// Why.
        detail: String,
    },
}

/// With what a server is reached.
#[derive(Clone, Debug)]
pub struct McpAccess {
    /// The folder it starts in.
    pub root: String,
    /// Values of its secret variables, or of its secret header under that header's name.
    pub secrets: BTreeMap<String, Secret>,
    /// Whether no address but this computer's own may be asked.
    pub this_computer_only: bool,
    /// How other computers are reached.
    pub network: Network,
    /// Where every request is written down before it leaves.
    pub outbox: Outbox,
}

/// A future of a server.
pub type FromServer<'a, T> = Pin<Box<dyn Future<Output = Result<T, McpError>> + Send + 'a>>;

/// Starts or reaches servers.
pub trait McpServers: Send + Sync {
    /// A session with a server. It ends, and a program with all its children, when the session is dropped.
    fn connect(
        &self,
        server: &McpServer,
        access: McpAccess,
    ) -> FromServer<'static, Arc<dyn McpSession>>;
}

/// A server that is spoken to.
pub trait McpSession: Send + Sync {
    /// What it wants models to be told.
    fn instructions(&self) -> Option<String>;
    /// Its tools.
    fn tools(&self) -> FromServer<'_, Vec<McpTool>>;
    /// Calls one. Dropping the future cancels the call.
    fn call<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> FromServer<'a, Answer>;
    /// Whether it broke off, so that it has to be reached anew.
    fn is_over(&self) -> bool;
    /// Ends it and waits until a program is gone, a few seconds at most.
    fn end(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// What a tool's name starts with, and what parts the server's name from the tool's.
const PREFIX: &str = "mcp__";
const BETWEEN: &str = "__";

impl McpServer {
    /// What trust is bound to: everything that decides what runs or is asked. Values of variables that are no secrets are
    /// in it; of secrets only the names.
    pub fn fingerprint(&self) -> String {
        let said = serde_json::to_vec(&self.transport).unwrap_or_default();
        blake3::hash(&said).to_hex().to_string()
    }

    /// Whether the person trusted it as it is now.
    pub fn is_trusted(&self) -> bool {
        self.trusted == self.fingerprint()
    }

    /// A tool as models are told of it; `None` when no wire format takes its name.
    pub fn spec(&self, tool: &McpTool) -> Option<ToolSpec> {
        let name = format!("{PREFIX}{}{BETWEEN}{}", self.name, tool.name);
        let fits = name.len() <= 64
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        fits.then(|| ToolSpec {
            name,
            description: tool.description.clone(),
            schema: tool.schema.clone(),
        })
    }
}

/// Server and tool of a name that [`McpServer::spec`] made.
pub fn parts_of(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(PREFIX)?.split_once(BETWEEN)
}

/// What the person's answer to a server's instructions is bound to: these words and no others.
pub fn instructions_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Whether a variable of this name is likely to hold a secret. What does is kept with the keys, is never shown, and is
/// never handed to a child that was not given it.
pub fn looks_secret(name: &str) -> bool {
    const PARTS: [&str; 16] = [
        "KEY",
        "KEYS",
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "PASS",
        "PWD",
        "CREDENTIAL",
        "CREDENTIALS",
        "AUTH",
        "PAT",
        "APIKEY",
    ];
    const STARTS: [&str; 6] = ["AWS_", "AZURE_", "GOOGLE_", "GCP_", "SILTSTONE_", "SSH_"];
    const WITHIN: [&str; 8] = [
        "SECRET",
        "PASSWORD",
        "TOKEN",
        "APIKEY",
        "ACCESSKEY",
        "PRIVATEKEY",
        "CONNECTION_STRING",
        "DATABASE_URL",
    ];
    let name = name.to_ascii_uppercase();
    name.split(['_', '-', '.']).any(|part| PARTS.contains(&part))
        && !matches!(&*name, "PWD" | "OLDPWD")
        || STARTS.iter().any(|start| name.starts_with(start))
        || WITHIN.iter().any(|part| name.contains(part))
}

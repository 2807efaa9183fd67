//! MCP servers: programs or addresses whose tools a model may call. What they say is data.

use std::collections::BTreeMap;
use std::path::PathBuf;
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
        /// What it may reach beside what every program of ours may.
        #[serde(default)]
        needs: McpNeeds,
    },
    /// An address; https, or this computer's own.
    Http {
        /// The whole address.
        url: String,
        /// Name of a header whose value is kept with the keys; empty for none.
        secret_header: String,
    },
}

/// What a program may reach beside the project, the system and its programs. Named by the person, and agreed to with the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct McpNeeds {
    /// Files and folders that it reads; `~/` is the home.
    pub reads: Vec<String>,
    /// Files and folders that it changes. What it changes is no part of what was agreed to, but for its own code.
    pub writes: Vec<String>,
    /// Whether it may use the network; never with *This computer only*.
    pub network: bool,
}

impl McpNeeds {
    /// These and others.
    pub fn with(&self, more: &Self) -> Self {
        let all = |some: &[String], more: &[String]| {
            let fresh = more.iter().filter(|it| !some.contains(it));
            some.iter().chain(fresh).cloned().collect()
        };
        Self {
            reads: all(&self.reads, &more.reads),
            writes: all(&self.writes, &more.writes),
            network: self.network || more.network,
        }
    }
}

/// What programs that fetch what they run usually need: the network, and where they keep what they fetched. Proposed to
/// the person, and given by nobody else.
pub fn usual_needs(command: &str) -> McpNeeds {
    const FETCHING: [(&[&str], &[&str]); 5] = [
        (&["npx", "npm"], &["~/.npm"]),
        (&["pnpm", "pnpx"], &["~/.cache/pnpm", "~/.local/share/pnpm"]),
        (&["bunx", "bun"], &["~/.bun"]),
        (&["uvx", "uv"], &["~/.cache/uv", "~/.local/share/uv"]),
        (&["pipx"], &["~/.local/pipx", "~/.local/share/pipx", "~/.cache/pip"]),
    ];
    let name = program_name(command);
    let found = FETCHING.iter().find(|(names, _)| names.contains(&name.as_str()));
    found.map_or_else(McpNeeds::default, |(_, writes)| McpNeeds {
        writes: writes.iter().map(|it| (*it).to_owned()).collect(),
        network: true,
        ..McpNeeds::default()
    })
}

/// What a program is called, without where it lies and what its name ends with on some systems.
pub fn program_name(command: &str) -> String {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let ending = [".exe", ".cmd", ".bat"].into_iter().find(|it| name.ends_with(it));
    ending.map_or_else(|| name.clone(), |it| name[..name.len() - it.len()].to_owned())
}

/// What a program is made of, as far as it can change unasked: where its name leads, and its files that lie where tools or
/// the project can write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpParts {
    /// The program itself, free of links; empty where there is none of this name.
    pub program: String,
    /// Its files with the BLAKE3 of their bytes; of a link to a folder, of what it says.
    pub files: BTreeMap<String, String>,
    /// Whether there are more than are looked at: those are bound to nothing.
    pub more: bool,
}

/// What a person agreed to of a server's parts, for each folder that it starts in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpAgreed(BTreeMap<String, McpParts>);

impl McpAgreed {
    /// Agrees to these parts in this folder.
    pub fn put(&mut self, root: &str, parts: McpParts) {
        self.0.insert(root.to_owned(), parts);
    }

    /// What was agreed to in a folder. A server without a file that can change is the same one everywhere.
    fn at(&self, root: &str) -> Option<&McpParts> {
        let is_same_everywhere = |it: &&McpParts| it.files.is_empty() && !it.more;
        self.0.get(root).or_else(|| self.0.values().find(is_same_everywhere))
    }

    /// How a server is another one than was agreed to; nothing where it is the same.
    pub fn changes(&self, root: &str, now: &McpParts) -> Vec<McpChange> {
        let none = McpParts::default();
        let was = self.at(root).unwrap_or(&none);
        let change = |path: &str, kind| McpChange { path: path.to_owned(), kind };
        let mut changes = Vec::new();
        if was.program != now.program {
            changes.push(change(&now.program, McpChangeKind::Program));
        }
        for (path, hash) in &now.files {
            match was.files.get(path) {
                None => changes.push(change(path, McpChangeKind::Added)),
                Some(was) if was != hash => changes.push(change(path, McpChangeKind::Changed)),
                Some(_) => {}
            }
        }
        let gone = was.files.keys().filter(|path| !now.files.contains_key(*path));
        changes.extend(gone.map(|path| change(path, McpChangeKind::Removed)));
        changes
    }
}

/// What of a server is not as it was agreed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct McpChange {
    /// The file.
    pub path: String,
    /// How.
    pub kind: McpChangeKind,
}

/// How a part of a server is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum McpChangeKind {
    /// Its name leads to another program.
    Program,
    /// It was not there.
    Added,
    /// It says something else.
    Changed,
    /// It is gone.
    Removed,
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
    /// The files that were agreed to. They stay in the database: nobody else needs them all.
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub agreed: McpAgreed,
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

/// Something a server has to read (behaviour.md, Memory), in the server's own words. Its text is asked for by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct McpResource {
    /// What it is asked for by.
    pub uri: String,
    /// What it is called.
    pub name: String,
    /// What it is about; empty where the server does not say.
    pub description: String,
    /// Its size in bytes, if the server says it.
    pub size: Option<u64>,
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
    /// The address may not be asked, or the program not started.
    #[error("the server {name} may not be used: {detail}")]
    Forbidden {
        /// Which.
        name: String,
        /// Why.
        detail: String,
    },
    /// It wanted the network, which it was not given.
    #[error("the server {name} could not reach the network, which it was not given: {detail}")]
    NoNetwork {
        /// Which.
        name: String,
        /// What it said.
        detail: String,
    },
    /// It is made of other files than the person agreed to.
    #[error(
        "the server {name} was not started: what it runs is not what was agreed to: {}",
        told(changes)
    )]
    Changed {
        /// Which.
        name: String,
        /// How.
        changes: Vec<McpChange>,
    },
}

/// The first of some changes, by their files.
fn told(changes: &[McpChange]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = changes.iter().take(SHOWN).map(|it| it.path.as_str()).collect();
    let more = changes.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// With what a server is reached.
#[derive(Clone, Debug)]
pub struct McpAccess {
    /// The folder it starts in.
    pub root: String,
    /// Whether that is a project it may change.
    pub in_project: bool,
    /// Folders that are not there for a program, wherever they lie: those of this one.
    pub closed: Vec<PathBuf>,
    /// Values of its secret variables, or of its secret header under that header's name.
    pub secrets: BTreeMap<String, Secret>,
    /// Whether no address but this computer's own may be asked, and a program has no network.
    pub this_computer_only: bool,
    /// How other computers are reached.
    pub network: Network,
    /// Where every request is written down before it leaves.
    pub outbox: Outbox,
}

impl McpAccess {
    /// What a program with these needs may change.
    pub fn may_write(&self, needs: &McpNeeds) -> Vec<String> {
        let project = self.in_project.then(|| self.root.clone());
        project.into_iter().chain(needs.writes.iter().cloned()).collect()
    }
}

/// Where the files of a program may change unasked.
#[derive(Clone, Debug, Default)]
pub struct McpPlace {
    /// The folder it starts in.
    pub root: String,
    /// Projects, and what servers may change: beneath them, what lies beside a program belongs to it.
    pub writable: Vec<String>,
    /// Whether commands may write anywhere, because nothing keeps them inside.
    pub anywhere: bool,
}

/// A future of a server.
pub type FromServer<'a, T> = Pin<Box<dyn Future<Output = Result<T, McpError>> + Send + 'a>>;

/// Starts or reaches servers.
pub trait McpServers: Send + Sync {
    /// What a program is made of now, as far as it can change unasked; nothing for an address. It reads files.
    fn parts(&self, server: &McpServer, place: &McpPlace) -> McpParts;
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
    /// What it has to read; nothing where it has nothing.
    fn resources(&self) -> FromServer<'_, Vec<McpResource>>;
    /// The text of one of them, or why there is none.
    fn resource<'a>(&'a self, uri: &'a str) -> FromServer<'a, Answer>;
    /// Whether it broke off, so that it has to be reached anew.
    fn is_over(&self) -> bool;
    /// Ends it and waits until a program is gone, a few seconds at most.
    fn end(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// What a tool's name starts with, and what parts the server's name from the tool's.
const PREFIX: &str = "mcp__";

/// Where a kept line is from that a server's resource said: the server and the resource's own address.
pub fn resource_source(server: &str, uri: &str) -> String {
    format!("{RESOURCE}{server}/{uri}")
}

/// Server and address of what [`resource_source`] made.
pub fn of_resource(source: &str) -> Option<(&str, &str)> {
    source.strip_prefix(RESOURCE)?.split_once('/')
}

const RESOURCE: &str = "mcp:";

/// Whether a tool that is called so is a server's.
pub fn is_of_server(name: &str) -> bool {
    name.starts_with(PREFIX)
}
const BETWEEN: &str = "__";

impl McpServer {
    /// What trust is bound to: everything that decides what runs or is asked, and of a program the files that were agreed
    /// to. Values of variables that are no secrets are in it; of secrets only the names.
    pub fn fingerprint(&self) -> String {
        let said = match self.transport {
            McpTransport::Stdio { .. } => serde_json::to_vec(&(&self.transport, &self.agreed)),
            McpTransport::Http { .. } => serde_json::to_vec(&self.transport),
        };
        blake3::hash(&said.unwrap_or_default()).to_hex().to_string()
    }

    /// What it would be trusted as, started in this folder with these parts.
    #[must_use]
    pub fn with_parts(&self, root: &str, parts: McpParts) -> Self {
        let mut server = self.clone();
        if matches!(server.transport, McpTransport::Stdio { .. }) {
            server.agreed.put(root, parts);
        }
        server
    }

    /// Whether the person trusted it as it is set up now; its files may have changed meanwhile.
    pub fn is_trusted(&self) -> bool {
        self.trusted == self.fingerprint()
    }

    /// What it needs beside what every program may reach; nothing for an address.
    pub fn needs(&self) -> Option<&McpNeeds> {
        match &self.transport {
            McpTransport::Stdio { needs, .. } => Some(needs),
            McpTransport::Http { .. } => None,
        }
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

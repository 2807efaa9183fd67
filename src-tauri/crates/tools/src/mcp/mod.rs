//! MCP servers, spoken to with the official SDK over connections of our own: `stdio` starts programs, `http` asks addresses
//! through the one gate, `session` speaks, `answer` reads what came. `parts` says what a program is made of.
//!
//! The app's sessions with servers are the only caller. Whatever a server does (it hangs, ends, floods, speaks nonsense)
//! becomes an [`McpError`] of that server, and holds nobody else up. What it says is data: bounded, cleaned of the secrets it
//! was given, and never written to a log. It may ask us for nothing: neither sampling, nor roots, nor elicitation is offered.

mod answer;
mod http;
mod parts;
mod session;
mod stdio;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use siltstone_engine::checkpoint::remote::Web;
use siltstone_engine::secret::Secret;
use siltstone_engine::tool::mcp::{
    FromServer, McpAccess, McpError, McpParts, McpPlace, McpServer, McpServers, McpSession,
    McpTransport,
};

use http::Address;
use parts::Hashes;
use session::Session;
use stdio::Program;

/// Shortest secret that is looked for in what a server says; a shorter one is in many a word.
const SECRET_BYTES: usize = 4;

/// Servers over input and output, and over HTTP.
#[derive(Clone)]
pub struct Servers {
    web: Arc<dyn Web>,
    hashes: Hashes,
    patience: Patience,
}

/// How long servers are waited for.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// For the handshake, and for the list of tools.
    start: Duration,
    /// For a call.
    call: Duration,
}

impl Servers {
    /// Addresses are asked through this gate.
    pub fn new(web: Arc<dyn Web>) -> Self {
        let patience = Patience { start: Duration::from_secs(20), call: Duration::from_secs(120) };
        Self { web, hashes: Hashes::default(), patience }
    }

    /// Waits this long for a handshake and for a call instead.
    pub fn with_patience(mut self, start: Duration, call: Duration) -> Self {
        self.patience = Patience { start, call };
        self
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Servers")
    }
}

impl McpServers for Servers {
    fn parts(&self, server: &McpServer, place: &McpPlace) -> McpParts {
        match &server.transport {
            McpTransport::Stdio { command, args, env, needs, .. } => {
                parts::parts(command, &parts::named(args, env), needs, place, &self.hashes)
            }
            McpTransport::Http { .. } => McpParts::default(),
        }
    }

    fn connect(
        &self,
        server: &McpServer,
        access: McpAccess,
    ) -> FromServer<'static, Arc<dyn McpSession>> {
        let (web, patience, server) = (self.web.clone(), self.patience, server.clone());
        Box::pin(async move {
            let lacks_network =
                access.this_computer_only || !server.needs().is_some_and(|it| it.network);
            let is_program = matches!(server.transport, McpTransport::Stdio { .. });
            let said = Said::new(server.name, &access.secrets, is_program && lacks_network);
            let said = Arc::new(said);
            let session = match server.transport {
                McpTransport::Stdio { command, args, env, needs, .. } => {
                    let starting =
                        Program::start(&command, &args, env, &needs, access, said.clone());
                    let program = starting.await?;
                    Session::begin(program, said, patience).await?
                }
                McpTransport::Http { url, secret_header } => {
                    let address = Address::new(web, url, &secret_header, access, &said)?;
                    Session::begin(address, said, patience).await?
                }
            };
            Ok(Arc::new(session) as Arc<dyn McpSession>)
        })
    }
}

/// What a connection knows of its server: its name, why it broke off, and what it wrote to its error output.
struct Said {
    name: String,
    secrets: Vec<Secret>,
    lacks_network: bool,
    why: Mutex<Option<String>>,
    errors: Mutex<Vec<u8>>,
}

/// How programs say that there is no network: of systems, of languages, and of those that fetch what they run.
const NO_NETWORK: [&str; 16] = [
    "network is unreachable",
    "name resolution",
    "name or service not known",
    "could not resolve",
    "failed to resolve",
    "getaddrinfo",
    "enotfound",
    "eai_again",
    "enetunreach",
    "fetch failed",
    "failed to fetch",
    "no such host",
    "dns error",
    "urlerror",
    "connecterror",
    "nodename nor servname",
];

/// Most bytes that are kept of a program's error output.
const ERROR_BYTES: usize = 4 * 1024;

impl Said {
    fn new(name: String, secrets: &BTreeMap<String, Secret>, lacks_network: bool) -> Self {
        let secrets =
            secrets.values().filter(|it| it.expose().len() >= SECRET_BYTES).cloned().collect();
        let (why, errors) = (Mutex::default(), Mutex::default());
        Self { name, secrets, lacks_network, why, errors }
    }

    /// Keeps why it broke off; the first reason is the one.
    fn broke_off(&self, why: String) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    fn is_over(&self) -> bool {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn wrote_error(&self, bytes: &[u8]) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.extend_from_slice(bytes);
        let over = errors.len().saturating_sub(ERROR_BYTES);
        errors.drain(..over);
    }

    /// Text of the server without the secrets it was given.
    fn clean(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| {
            if text.contains(secret.expose()) {
                text.replace(secret.expose(), "[secret]")
            } else {
                text
            }
        })
    }

    /// Why it broke off, else `otherwise`, with the end of its error output.
    fn detail(&self, otherwise: &str) -> String {
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let errors = String::from_utf8_lossy(&errors).into_owned();
        let shown = |c: char| if c == '\n' || !c.is_control() { c } else { ' ' };
        let errors: String = errors.trim().chars().map(shown).collect();
        let why = why.unwrap_or_else(|| otherwise.to_owned());
        let whole = if errors.is_empty() { why } else { format!("{why}\n{errors}") };
        self.clean(whole)
    }

    fn broken(&self, otherwise: &str) -> McpError {
        let (name, detail) = (self.name.clone(), self.detail(otherwise));
        match self.wants_network() {
            true => McpError::NoNetwork { name, detail },
            false => McpError::Broken { name, detail },
        }
    }

    fn unreachable(&self, otherwise: &str) -> McpError {
        let (name, detail) = (self.name.clone(), self.detail(otherwise));
        match self.wants_network() {
            true => McpError::NoNetwork { name, detail },
            false => McpError::Unreachable { name, detail },
        }
    }

    /// Whether it says that there is no network, and was given none.
    fn wants_network(&self) -> bool {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let errors = String::from_utf8_lossy(&errors).to_lowercase();
        self.lacks_network && NO_NETWORK.iter().any(|words| errors.contains(words))
    }

    fn forbidden(&self, detail: &str) -> McpError {
        McpError::Forbidden { name: self.name.clone(), detail: self.clean(detail.to_owned()) }
    }

    fn timed_out(&self, after: Duration) -> McpError {
        if self.wants_network() {
            return self.unreachable(&format!("no answer within {} s", after.as_secs()));
        }
        McpError::TimedOut { name: self.name.clone(), seconds: after.as_secs() }
    }
}

/// How a connection fails.
#[derive(Clone, Debug, thiserror::Error)]
enum Fault {
    #[error("{0}")]
    Unreachable(String),
    #[error("no answer within {0} s")]
    TimedOut(u64),
    #[error("{0}")]
    Broken(String),
    #[error("it ended")]
    Ended,
    #[error("{0}")]
    Forbidden(String),
}

impl Fault {
    fn of(&self, said: &Said) -> McpError {
        match self {
            Self::Unreachable(detail) => said.unreachable(detail),
            Self::TimedOut(seconds) => said.timed_out(Duration::from_secs(*seconds)),
            Self::Broken(detail) => said.broken(detail),
            Self::Ended => said.broken("it ended"),
            Self::Forbidden(detail) => said.forbidden(detail),
        }
    }
}

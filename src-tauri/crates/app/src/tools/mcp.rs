//! MCP servers as the person sets them up: added, changed, trusted, tested, removed.
//!
//! Trust is bound to everything that decides what runs or is asked ([`McpServer::fingerprint`]); a change of any of it asks
//! again. Sessions are in `servers.rs`, secrets in `server_secrets.rs`, what a project's own files name in `found.rs`.

use siltstone_contract::{
    Code, Failure, McpItem, McpRef, McpTested, SetMcp, ToolsAt, Topic, TrustMcp,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::keys::on_this_computer;
use siltstone_engine::tool::mcp::{McpServer, McpTransport, instructions_hash, looks_secret};

use crate::App;
use crate::failure::{Outcome, bad_request, conflict};

/// Longest name of a server: with a tool's it has to fit into 64.
const NAME: usize = 32;

/// Most that a server is set up with: arguments, variables, and bytes of each.
const MOST: usize = 200;
const MOST_BYTES: usize = 32 * 1024;

/// Headers that the protocol, or the connection, has for itself.
const OURS: [&str; 10] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

impl App {
    /// MCP servers at a place.
    pub async fn mcp_list(&self, at: ToolsAt) -> Result<Vec<McpItem>, Failure> {
        let servers = self.stores()?.tools.servers(at.project_id).or_failure()?;
        servers.into_iter().map(|server| self.mcp_item(server)).collect()
    }

    /// Adds a server or changes it; a changed one has to be trusted again.
    pub async fn mcp_set(&self, request: SetMcp) -> Result<McpItem, Failure> {
        let SetMcp { project_id, name, transport, on } = request;
        let name = name.trim().to_owned();
        well_named(&name)?;
        let transport = well_formed(transport)?;
        let stores = self.stores()?;
        if let Some(id) = project_id {
            stores.records.project(id).or_failure()?;
        }
        let earlier = self.mcp_server(project_id, &name)?;
        let (trusted, instructions_trusted) = earlier
            .as_ref()
            .map(|earlier| (earlier.trusted.clone(), earlier.instructions_trusted.clone()))
            .unwrap_or_default();
        let mut server =
            McpServer { project_id, name, transport, on, trusted, instructions_trusted };
        if !server.is_trusted() {
            // An answer given for something else must not come alive again when it is changed back.
            server.trusted.clear();
            server.instructions_trusted.clear();
        }
        stores.tools.put_server(&server).or_failure()?;
        if let Some(earlier) = earlier
            && earlier != server
        {
            self.0.mcp.end(&earlier);
            self.forget_unused_secrets(&earlier, Some(&server)).await?;
        }
        self.changed([Topic::Tools]);
        self.mcp_item(server)
    }

    /// Removes a server and its secrets.
    pub async fn mcp_remove(&self, request: McpRef) -> Result<(), Failure> {
        let server = self.known_server(&request)?;
        self.0.mcp.end(&server);
        self.forget_unused_secrets(&server, None).await?;
        self.stores()?.tools.remove_server(server.project_id, &server.name).or_failure()?;
        self.changed([Topic::Tools]);
        Ok(())
    }

    /// Trusts a server as it was shown.
    pub async fn mcp_trust(&self, request: TrustMcp) -> Result<McpItem, Failure> {
        let mut server = self.known_server(&request.server)?;
        if server.fingerprint() != request.fingerprint {
            return Err(conflict("the server was changed since it was shown"));
        }
        server.trusted = request.fingerprint;
        server.instructions_trusted = request.instructions;
        self.stores()?.tools.put_server(&server).or_failure()?;
        self.changed([Topic::Tools]);
        self.mcp_item(server)
    }

    /// Starts or reaches a server and asks what it offers.
    pub async fn mcp_test(&self, request: McpRef) -> Result<McpTested, Failure> {
        let server = self.known_server(&request)?;
        let (tools, instructions) = self.try_server(&server).await?;
        let instructions_hash = instructions.as_deref().map(instructions_hash).unwrap_or_default();
        Ok(McpTested { fingerprint: server.fingerprint(), tools, instructions, instructions_hash })
    }

    /// Forgets the servers of a project that is forgotten, with their secrets.
    pub(crate) async fn forget_servers(&self, project: ProjectId) -> Result<(), Failure> {
        let all = self.stores()?.tools.servers(Some(project)).or_failure()?;
        for server in all.into_iter().filter(|server| server.project_id.is_some()) {
            self.0.mcp.end(&server);
            if let Err(failure) = self.forget_unused_secrets(&server, None).await {
                tracing::warn!(%failure, "a secret of a server stays where it was, unused");
            }
            self.stores()?.tools.remove_server(server.project_id, &server.name).or_failure()?;
        }
        Ok(())
    }

    pub(super) fn mcp_item(&self, server: McpServer) -> Result<McpItem, Failure> {
        let seen = self.0.mcp.seen(&server);
        Ok(McpItem {
            trusted: server.is_trusted(),
            missing_secrets: self.missing_secrets(&server)?,
            fault: seen.fault,
            tools: seen.tools,
            server,
        })
    }

    pub(super) fn known_server(&self, named: &McpRef) -> Result<McpServer, Failure> {
        self.mcp_server(named.project_id, &named.name)?
            .ok_or_else(|| Failure::new(Code::NotFound, format!("no server {}", named.name)))
    }

    fn mcp_server(
        &self,
        project: Option<ProjectId>,
        name: &str,
    ) -> Result<Option<McpServer>, Failure> {
        let all = self.stores()?.tools.servers(project).or_failure()?;
        Ok(all.into_iter().find(|known| known.project_id == project && known.name == name))
    }
}

/// A tool's name is made of its server's, with `__` between them; which is where, must be plain.
fn well_named(name: &str) -> Result<(), Failure> {
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fits = (1..=NAME).contains(&name.len())
        && name.chars().all(letters)
        && !name.contains("__")
        && !name.ends_with('_');
    let rule = "a name has 1 to 32 letters, digits, - and _, no two _ in a row and none at its end";
    fits.then_some(()).ok_or_else(|| bad_request(rule))
}

fn well_formed(transport: McpTransport) -> Result<McpTransport, Failure> {
    match transport {
        McpTransport::Stdio { command, args, env, secret_env } => {
            let command = command.trim().to_owned();
            if command.is_empty() {
                return Err(bad_request("a server needs a command"));
            }
            let texts = || [&command].into_iter().chain(&args).chain(env.values());
            if args.len() > MOST || env.len() + secret_env.len() > MOST {
                return Err(bad_request("too many arguments or variables"));
            }
            if texts().any(|text| text.len() > MOST_BYTES || text.contains('\0')) {
                return Err(bad_request("an argument or a value is too long or no text"));
            }
            if let Some(name) = env.keys().chain(&secret_env).find(|name| !is_variable(name)) {
                return Err(bad_request(&format!("{name:?} is no name of a variable")));
            }
            if let Some(name) = env.keys().find(|name| looks_secret(name)) {
                return Err(bad_request(&format!(
                    "{name} looks like a secret: keep it with the keys"
                )));
            }
            let mut secret_env = secret_env;
            secret_env.sort();
            secret_env.dedup();
            if let Some(name) = secret_env.iter().find(|name| env.contains_key(*name)) {
                return Err(bad_request(&format!("{name} is named twice")));
            }
            Ok(McpTransport::Stdio { command, args, env, secret_env })
        }
        McpTransport::Http { url, secret_header } => {
            let (url, secret_header) = (url.trim().to_owned(), secret_header.trim().to_owned());
            let encrypted = url.get(..8).is_some_and(|it| it.eq_ignore_ascii_case("https://"));
            if !encrypted && !on_this_computer(&url) {
                return Err(Failure::new(
                    Code::ProviderInsecure,
                    "an address begins with https://, or is this computer's own",
                ));
            }
            let header = secret_header.to_ascii_lowercase();
            let free = !OURS.contains(&&*header) && !header.starts_with("mcp-");
            if url.len() > MOST_BYTES || !(header.is_empty() || free && is_header(&header)) {
                return Err(bad_request("the address or the header's name cannot be used"));
            }
            Ok(McpTransport::Http { url, secret_header })
        }
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 128
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_header(name: &str) -> bool {
    name.len() <= 128 && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

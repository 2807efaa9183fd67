//! MCP servers as the person sets them up: added, changed, trusted, tested, removed.
//!
//! Trust is bound to everything that decides what runs or is asked ([`McpServer::fingerprint`]), of a program its
//! files too, as far as something of ours can change them; a change of any of it asks again. Sessions are in
//! `servers.rs`, secrets in `server_secrets.rs`, what a project's own files name in `found.rs`.

use std::path::Path;

use siltstone_contract::{
    Code, Failure, McpItem, McpRef, McpTested, SetMcp, TestMcp, ToolsAt, Topic, TrustMcp,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::keys::on_this_computer;
use siltstone_engine::tool::mcp::{
    McpAgreed, McpNeeds, McpServer, McpTransport, instructions_hash, looks_secret, usual_needs,
};

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::tools::ToolService;

/// Longest name of a server: with a tool's it has to fit into 64.
const NAME: usize = 32;

/// Most that a server is set up with: arguments, variables, and bytes of each.
const MOST: usize = 200;
const MOST_BYTES: usize = 32 * 1024;

/// Most files that are shown of one.
const SHOWN: usize = 100;

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

impl ToolService {
    /// MCP servers at a place.
    pub async fn mcp_list(&self, at: ToolsAt) -> Result<Vec<McpItem>, Failure> {
        let servers = self.core.stores()?.tools.servers(at.project_id).or_failure()?;
        let mut items = Vec::with_capacity(servers.len());
        for server in servers {
            items.push(self.mcp_item(server, at.project_id).await?);
        }
        Ok(items)
    }

    /// Adds a server or changes it; a changed one has to be trusted again.
    pub async fn mcp_set(&self, request: SetMcp) -> Result<McpItem, Failure> {
        let SetMcp { project_id, name, transport, on } = request;
        let name = name.trim().to_owned();
        well_named(&name)?;
        let transport = well_formed(transport)?;
        let stores = self.core.stores()?;
        if let Some(id) = project_id {
            stores.records.project(id).or_failure()?;
        }
        let earlier = self.mcp_server(project_id, &name)?;
        // An answer given for something else must not come alive again when it is changed back.
        let same = earlier.as_ref().filter(|earlier| earlier.transport == transport).cloned();
        let server = match same {
            Some(same) => McpServer { on, ..same },
            None => McpServer {
                project_id,
                name,
                transport,
                on,
                trusted: String::new(),
                instructions_trusted: String::new(),
                agreed: McpAgreed::default(),
            },
        };
        stores.tools.put_server(&server).or_failure()?;
        if let Some(earlier) = earlier
            && earlier != server
        {
            self.mcp.end(&earlier);
            self.forget_unused_secrets(&earlier, Some(&server)).await?;
        }
        self.core.changed([Topic::Tools]);
        self.mcp_item(server, None).await
    }

    /// Removes a server and its secrets.
    pub async fn mcp_remove(&self, request: McpRef) -> Result<(), Failure> {
        let server = self.known_server(&request)?;
        self.mcp.end(&server);
        self.forget_unused_secrets(&server, None).await?;
        self.core.stores()?.tools.remove_server(server.project_id, &server.name).or_failure()?;
        self.core.changed([Topic::Tools]);
        Ok(())
    }

    /// Trusts a server as it was shown, with its files as they were then.
    pub async fn mcp_trust(&self, request: TrustMcp) -> Result<McpItem, Failure> {
        let server = self.known_server(&request.server)?;
        let made = self.made_of(&server, request.at).await?;
        let mut server = server.with_parts(&made.root, made.parts);
        if server.fingerprint() != request.fingerprint {
            return Err(conflict("the server or a file of it was changed since it was shown"));
        }
        server.trusted = request.fingerprint;
        server.instructions_trusted = request.instructions;
        self.core.stores()?.tools.put_server(&server).or_failure()?;
        self.mcp.is_asked_again(&server);
        self.core.changed([Topic::Tools]);
        self.mcp_item(server, request.at).await
    }

    /// Starts or reaches a server and asks what it offers.
    pub async fn mcp_test(&self, request: TestMcp) -> Result<McpTested, Failure> {
        let server = self.known_server(&request.server)?;
        let made = self.made_of(&server, request.at).await?;
        let shown = server.with_parts(&made.root, made.parts);
        let (tools, instructions) = self.try_server(&server, &shown, request.at).await?;
        let instructions_hash = instructions.as_deref().map(instructions_hash).unwrap_or_default();
        Ok(McpTested { fingerprint: shown.fingerprint(), tools, instructions, instructions_hash })
    }

    /// Forgets the servers of a project that is forgotten, with their secrets.
    pub(crate) async fn forget_servers(&self, project: ProjectId) -> Result<(), Failure> {
        let all = self.core.stores()?.tools.servers(Some(project)).or_failure()?;
        for server in all.into_iter().filter(|server| server.project_id.is_some()) {
            self.mcp.end(&server);
            if let Err(failure) = self.forget_unused_secrets(&server, None).await {
                tracing::warn!(%failure, "a secret of a server stays where it was, unused");
            }
            self.core
                .stores()?
                .tools
                .remove_server(server.project_id, &server.name)
                .or_failure()?;
        }
        Ok(())
    }

    pub(super) async fn mcp_item(
        &self,
        server: McpServer,
        at: Option<ProjectId>,
    ) -> Result<McpItem, Failure> {
        let seen = self.mcp.seen(&server);
        let made = self.made_of(&server, at).await?;
        let mut changes = match server.is_trusted() {
            true => made.changes(&server),
            false => Vec::new(),
        };
        let trusted = server.is_trusted() && changes.is_empty();
        changes.truncate(SHOWN);
        let files: Vec<String> = made.parts.files.keys().take(SHOWN).cloned().collect();
        Ok(McpItem {
            trusted,
            fingerprint: server.with_parts(&made.root, made.parts.clone()).fingerprint(),
            changes,
            files,
            file_count: made.parts.files.len() as u64,
            more_files: made.parts.more,
            lacks: lacks(&server, &made.root),
            sandbox: self.core.world.commands.sandbox(),
            this_computer_only: made.this_computer_only,
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
        let all = self.core.stores()?.tools.servers(project).or_failure()?;
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
        McpTransport::Stdio { command, args, env, secret_env, needs } => {
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
            let needs = well_named_needs(needs)?;
            Ok(McpTransport::Stdio { command, args, env, secret_env, needs })
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

/// Places as they were entered, without blanks, empty ones and doubles. All of the computer, or of the home, is
/// nobody's need.
fn well_named_needs(needs: McpNeeds) -> Result<McpNeeds, Failure> {
    let listed = |places: Vec<String>| -> Result<Vec<String>, Failure> {
        let mut listed: Vec<String> = Vec::new();
        for place in places.iter().map(|it| it.trim()).filter(|it| !it.is_empty()) {
            let is_all = matches!(place.trim_end_matches('/'), "" | "~" | "." | "..");
            if is_all || place.len() > MOST_BYTES || place.contains('\0') {
                return Err(bad_request(&format!(
                    "{place:?} is too much to be named, or no place"
                )));
            }
            if !listed.iter().any(|it| it == place) {
                listed.push(place.to_owned());
            }
        }
        if listed.len() > MOST { Err(bad_request("too many places")) } else { Ok(listed) }
    };
    let McpNeeds { reads, writes, network } = needs;
    Ok(McpNeeds { reads: listed(reads)?, writes: listed(writes)?, network })
}

/// What a server usually needs and was not given: where programs that fetch what they run keep it, and the folders that
/// its arguments name.
fn lacks(server: &McpServer, root: &str) -> McpNeeds {
    let McpTransport::Stdio { command, args, needs, .. } = &server.transport else {
        return McpNeeds::default();
    };
    let home = dirs::home_dir();
    let place = |it: &str| match it.strip_prefix("~/").zip(home.as_ref()) {
        Some((rest, home)) => home.join(rest),
        None => Path::new(root).join(it),
    };
    let is_given = |path: &str, given: &[&[String]]| {
        let path = place(path);
        given.iter().copied().flatten().any(|it| path.starts_with(place(it)))
    };
    let usual = usual_needs(command);
    let is_named = |it: &&String| Path::new(it).is_absolute() && Path::new(it).is_dir();
    let inside = [root.to_owned()];
    let inside: &[String] = if server.project_id.is_some() { &inside } else { &[] };
    let reads = args.iter().filter(is_named);
    let reads = reads.filter(|it| !is_given(it, &[&needs.reads, &needs.writes, inside])).cloned();
    let writes = usual.writes.into_iter().filter(|it| !is_given(it, &[&needs.writes]));
    let (reads, writes) = (reads.collect(), writes.collect());
    McpNeeds { reads, writes, network: usual.network && !needs.network }
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

//! Sessions with MCP servers: begun when they are needed first, kept for a server and a project, begun anew after
//! they broke off, ended when the server or a file of it is changed, when it is removed or no longer trusted, and
//! with the app.
//!
//! Turns call [`ToolService::server_tools`] and [`ToolService::call_server`]; the commands of `mcp.rs` test and end
//! sessions. What a server cannot do becomes a fault that is shown with it, never an error of a turn: others go on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use siltstone_contract::{Failure, Topic};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::clean;
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::settings::Network;
use siltstone_engine::tool::mcp::{
    McpAccess, McpChange, McpError, McpParts, McpPlace, McpServer, McpSession, McpTool,
    McpTransport, instructions_hash,
};
use siltstone_engine::tool::{Answer, Sandbox};

use crate::core::failure::Outcome;
use crate::core::{blocking, locked};
use crate::tools::ToolService;

/// How long a turn waits for a server that is still starting. It goes on starting, and the next turn finds it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Seconds in which a server that failed is not tried again for a turn.
const REST: i64 = 60;

/// A server that may be used, with what it offers.
#[derive(Clone, Debug)]
pub(crate) struct ServerTools {
    /// The server, as it is trusted.
    pub(crate) server: McpServer,
    /// Its tools.
    pub(crate) tools: Vec<McpTool>,
    /// Its instructions, if the person let these take effect.
    pub(crate) instructions: Option<String>,
}

/// What is known of a server beside its record.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Why it could not be reached the last time.
    pub(super) fault: Option<String>,
    /// Names of the tools it offered the last time.
    pub(super) tools: Vec<String>,
    failed_at: Option<Timestamp>,
}

/// A server: whose it is, and its name.
type Whose = (Option<ProjectId>, String);

/// A server, and the project it is used in.
type Where = (Whose, Option<ProjectId>);

/// The sessions of this process.
#[derive(Default)]
pub(crate) struct Sessions {
    slots: Mutex<HashMap<Where, Arc<Slot>>>,
    seen: Mutex<HashMap<Whose, Seen>>,
}

/// Holds one session; whoever begins it keeps the others waiting.
type Slot = tokio::sync::Mutex<Option<Open>>;

struct Open {
    /// What it was begun with: another server or another reach needs another session.
    like: Like,
    session: Arc<dyn McpSession>,
}

#[derive(Clone, Debug, PartialEq)]
struct Like {
    fingerprint: String,
    root: String,
    /// How far an address may be, and the way there; of a program, whether it has no network.
    reach: (bool, Option<Network>),
}

/// What a server is made of, started in this folder.
pub(super) struct Made {
    pub(super) root: String,
    pub(super) parts: McpParts,
    /// Whether no network is there for it, whatever it was given.
    pub(super) this_computer_only: bool,
}

impl Made {
    /// How it is another one than was agreed to.
    pub(super) fn changes(&self, server: &McpServer) -> Vec<McpChange> {
        match server.transport {
            McpTransport::Stdio { .. } => server.agreed.changes(&self.root, &self.parts),
            McpTransport::Http { .. } => Vec::new(),
        }
    }
}

impl Sessions {
    /// Ends the sessions of a server; calls that are under way end when theirs are over.
    pub(super) fn end(&self, server: &McpServer) {
        let whose = whose(server);
        locked(&self.slots).retain(|(of, _), _| *of != whose);
        locked(&self.seen).remove(&whose);
    }

    pub(super) fn seen(&self, server: &McpServer) -> Seen {
        locked(&self.seen).get(&whose(server)).cloned().unwrap_or_default()
    }

    fn slot(&self, server: &McpServer, project: Option<ProjectId>) -> Arc<Slot> {
        locked(&self.slots).entry((whose(server), project)).or_default().clone()
    }

    /// It is another one now, or was agreed to again: what it failed at before keeps nobody from asking it.
    pub(super) fn is_asked_again(&self, server: &McpServer) {
        if let Some(seen) = locked(&self.seen).get_mut(&whose(server)) {
            (seen.fault, seen.failed_at) = (None, None);
        }
    }

    /// Keeps what came of asking a server; whether what is shown is different now.
    fn note(&self, server: &McpServer, came: Result<&[McpTool], String>, now: Timestamp) -> bool {
        let mut all = locked(&self.seen);
        let seen = all.entry(whose(server)).or_default();
        let before = (seen.fault.clone(), seen.tools.clone());
        match came {
            Ok(tools) => {
                let tools = tools.iter().map(|tool| tool.name.clone()).collect();
                *seen = Seen { fault: None, tools, failed_at: None };
            }
            Err(fault) => {
                seen.fault = Some(fault);
                seen.failed_at = Some(now);
            }
        }
        before != (seen.fault.clone(), seen.tools.clone())
    }

    /// Says that a server is late. It is still asked, so that the next turn may find it.
    fn note_late(&self, server: &McpServer, fault: String) -> bool {
        let mut all = locked(&self.seen);
        let seen = all.entry(whose(server)).or_default();
        seen.fault.replace(fault.clone()) != Some(fault)
    }
}

impl ToolService {
    /// The servers that may be used at a place, with what they offer now. Those that do not answer within some
    /// seconds are left out, and their fault is shown with them.
    pub(crate) async fn server_tools(&self, project: Option<ProjectId>) -> Vec<ServerTools> {
        let usable = match self.usable_servers(project) {
            Ok(usable) => usable,
            Err(failure) => {
                tracing::warn!(%failure, "reading the servers");
                return Vec::new();
            }
        };
        let rested = |server: &McpServer| {
            let failed = self.mcp.seen(server).failed_at;
            failed.is_none_or(|at| self.core.now().duration_since(at).as_secs().abs() >= REST)
        };
        let usable = usable.into_iter().filter(rested);
        let asked = usable.map(|server| self.asked_in_time(server, project));
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Calls a tool of a server, as the server was when the call was allowed. What goes wrong is told to the model.
    pub(crate) async fn call_server(
        &self,
        project: Option<ProjectId>,
        server: &McpServer,
        tool: &str,
        arguments: &Value,
    ) -> Answer {
        let failed = |text: String| Answer { text, is_error: true, touched: Vec::new() };
        let now = match self.usable_servers(project) {
            Ok(usable) => usable.into_iter().find(|now| whose(now) == whose(server)),
            Err(failure) => return failed(failure.message),
        };
        let Some(now) = now.filter(|now| now.fingerprint() == server.fingerprint()) else {
            return failed(format!(
                "The server {} was changed or switched off meanwhile. It cannot be called.",
                server.name
            ));
        };
        let session = match self.session(&now, project).await {
            Ok(session) => session,
            Err(Trouble::Server(error)) => return failed(self.fault(&now, &error)),
            Err(Trouble::Here(failure)) => return failed(failure.message),
        };
        match session.call(tool, arguments).await {
            Ok(answer) => answer,
            Err(error) => failed(self.fault(&now, &error)),
        }
    }

    /// A session with each server that may be used at a place, or with the one of this name; or why there is none.
    pub(super) async fn sessions_at(
        &self,
        project: Option<ProjectId>,
        named: Option<&str>,
    ) -> Result<Vec<(McpServer, Result<Arc<dyn McpSession>, String>)>, Failure> {
        let mut usable = self.usable_servers(project)?;
        usable.retain(|server| named.is_none_or(|name| name == server.name));
        let begun = usable.into_iter().map(|server| async move {
            let session = match self.session(&server, project).await {
                Ok(session) => Ok(session),
                Err(Trouble::Server(error)) => Err(self.fault(&server, &error)),
                Err(Trouble::Here(failure)) => Err(failure.message),
            };
            (server, session)
        });
        Ok(join_all(begun).await)
    }

    /// Ends the sessions with all servers, when the program ends.
    pub async fn leave_servers(&self) {
        let all: Vec<Arc<Slot>> = locked(&self.mcp.slots).drain().map(|(_, slot)| slot).collect();
        let ended = all.iter().map(|slot| async move {
            // One that is still being begun is not waited for.
            if let Some(open) = slot.try_lock().ok().and_then(|mut kept| kept.take()) {
                open.session.end().await;
            }
        });
        join_all(ended).await;
    }

    /// Begins a session anew, whoever trusts the server or not: the person asked for it. It is kept only if they do, and
    /// it is `shown` with the files that they agreed to.
    pub(super) async fn try_server(
        &self,
        server: &McpServer,
        shown: &McpServer,
        at: Option<ProjectId>,
    ) -> Result<(Vec<McpTool>, Option<String>), Failure> {
        self.mcp.end(server);
        let project = server.project_id.or(at);
        let access = self.server_access(server, project).await?;
        let like = like(server, &access);
        let begun = async {
            let session = self.core.world.mcp.connect(server, access).await?;
            let tools = session.tools().await?;
            Ok((session, tools))
        };
        let (session, tools) = match begun.await {
            Ok(begun) => begun,
            Err(error) => {
                self.fault(server, &error);
                return Err(error).or_failure();
            }
        };
        let instructions = session.instructions();
        self.noted(server, Ok(&tools));
        if server.is_trusted() && server.fingerprint() == shown.fingerprint() && server.on {
            *self.mcp.slot(server, project).lock().await = Some(Open { like, session });
        } else {
            session.end().await;
        }
        Ok((tools, instructions))
    }

    /// Servers that are on and trusted as they are: a project's own before those for all of the same name. Those of a
    /// folder that is not trusted are not used: they would start inside it.
    fn usable_servers(&self, project: Option<ProjectId>) -> Result<Vec<McpServer>, Failure> {
        let stores = self.core.stores()?;
        let all = stores.tools.servers(project).or_failure()?;
        let folder = project.map(|id| stores.records.project(id)).transpose().or_failure()?;
        let trusted = folder.is_some_and(|folder| folder.trust == Trust::Trusted);
        let own: Vec<String> =
            all.iter().filter(|it| it.project_id.is_some()).map(|it| it.name.clone()).collect();
        let usable = all.into_iter().filter(|server| match server.project_id {
            Some(_) => trusted && server.on && server.is_trusted(),
            None => !own.contains(&server.name) && server.on && server.is_trusted(),
        });
        Ok(usable.collect())
    }

    /// Asks a server what it offers, and stops waiting after a while.
    async fn asked_in_time(
        &self,
        server: McpServer,
        project: Option<ProjectId>,
    ) -> Option<ServerTools> {
        let (this, of) = (self.clone(), server.clone());
        // In a task of its own: a server that is late goes on starting, and the next turn finds it.
        let asking = tokio::spawn(async move { this.offered(of, project).await });
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(done) => done.ok().flatten(),
            Err(_) => {
                let late =
                    McpError::TimedOut { name: server.name.clone(), seconds: PATIENCE.as_secs() };
                if self.mcp.note_late(&server, late.to_string()) {
                    self.core.changed([Topic::Tools]);
                }
                None
            }
        }
    }

    async fn offered(&self, server: McpServer, project: Option<ProjectId>) -> Option<ServerTools> {
        let asked = async {
            let session = self.session(&server, project).await?;
            let tools = session.tools().await.map_err(Trouble::Server)?;
            Ok((tools, session.instructions()))
        };
        match asked.await {
            Ok((tools, said)) => {
                self.noted(&server, Ok(&tools));
                let agreed = |said: &String| instructions_hash(said) == server.instructions_trusted;
                let instructions = said.filter(agreed).map(|it| clean(&it).into_owned());
                let tools = tools.into_iter().map(seen_whole).collect();
                Some(ServerTools { server, tools, instructions })
            }
            Err(Trouble::Server(error)) => {
                self.fault(&server, &error);
                None
            }
            Err(Trouble::Here(failure)) => {
                self.noted(&server, Err(failure.message));
                None
            }
        }
    }

    /// The session with a server, begun if there is none that goes on.
    async fn session(
        &self,
        server: &McpServer,
        project: Option<ProjectId>,
    ) -> Result<Arc<dyn McpSession>, Trouble> {
        let slot = self.mcp.slot(server, project);
        let mut kept = slot.lock().await;
        let made = self.made_of(server, project).await.map_err(Trouble::Here)?;
        let changes = made.changes(server);
        if !changes.is_empty() {
            // What runs on would load the changed files a moment later.
            *kept = None;
            return Err(Trouble::Server(McpError::Changed { name: server.name.clone(), changes }));
        }
        let access = self.server_access(server, project).await.map_err(Trouble::Here)?;
        let like = like(server, &access);
        if let Some(open) = kept.as_ref().filter(|it| it.like == like && !it.session.is_over()) {
            return Ok(open.session.clone());
        }
        *kept = None;
        let session = self.core.world.mcp.connect(server, access).await.map_err(Trouble::Server)?;
        *kept = Some(Open { like, session: session.clone() });
        Ok(session)
    }

    /// What a server is made of now where it starts: for one of all projects, in this one.
    pub(super) async fn made_of(
        &self,
        server: &McpServer,
        at: Option<ProjectId>,
    ) -> Result<Made, Failure> {
        let stores = self.core.stores()?;
        let project = server.project_id.or(at);
        // One that was forgotten meanwhile is no place to start in.
        let folder = project.and_then(|id| stores.records.project(id).ok());
        let stays_here = folder.as_ref().is_some_and(|folder| folder.this_computer_only);
        let settings = stores.records.settings().or_failure()?;
        // A project's own starts in it as soon as the folder is trusted, and not before.
        let root = match folder {
            Some(folder) if server.project_id.is_some() => folder.path,
            folder => self.start_folder(folder).0,
        };
        let this_computer_only = settings.this_computer_only || stays_here;
        if matches!(server.transport, McpTransport::Http { .. }) {
            return Ok(Made { root, parts: McpParts::default(), this_computer_only });
        }
        // Tools write in projects, and so do commands; servers where each was told that it may.
        let projects = stores.records.projects().or_failure()?.into_iter().map(|it| it.path);
        let others = stores.tools.servers(project).or_failure()?;
        let written = others.iter().filter_map(McpServer::needs).flat_map(|it| it.writes.clone());
        let place = McpPlace {
            root: root.clone(),
            writable: projects.chain(written).collect(),
            anywhere: self.core.world.commands.sandbox() == Sandbox::None,
        };
        let (servers, server) = (self.core.world.mcp.clone(), server.clone());
        let parts = blocking(move || servers.parts(&server, &place)).await?;
        Ok(Made { root, parts, this_computer_only })
    }

    /// With what, and how far, a server is reached.
    async fn server_access(
        &self,
        server: &McpServer,
        project: Option<ProjectId>,
    ) -> Result<McpAccess, Failure> {
        let stores = self.core.stores()?;
        let settings = stores.records.settings().or_failure()?;
        let folder = project.map(|id| stores.records.project(id)).transpose().or_failure()?;
        let stays_here = folder.as_ref().is_some_and(|folder| folder.this_computer_only);
        let (root, in_project) = self.start_folder(folder);
        Ok(McpAccess {
            root,
            in_project,
            closed: vec![self.core.options.data_dir.clone()],
            secrets: self.server_secrets(server).await?,
            this_computer_only: settings.this_computer_only || stays_here,
            network: settings.network(),
            outbox: self.models.outbox(&format!("MCP {}", server.name), None)?,
        })
    }

    /// The folder a program starts in, and whether it is a project: that is so if it is trusted, because programs
    /// read what lies where they start.
    fn start_folder(&self, folder: Option<Project>) -> (String, bool) {
        match folder.filter(|folder| folder.trust == Trust::Trusted) {
            Some(folder) => (folder.path, true),
            None => {
                let home = dirs::home_dir().unwrap_or_else(|| self.core.options.data_dir.clone());
                (home.display().to_string(), false)
            }
        }
    }

    /// Keeps a fault with its server, and gives its words.
    fn fault(&self, server: &McpServer, error: &McpError) -> String {
        let words = error.to_string();
        self.noted(server, Err(words.clone()));
        words
    }

    fn noted(&self, server: &McpServer, came: Result<&[McpTool], String>) {
        if self.mcp.note(server, came, self.core.now()) {
            self.core.changed([Topic::Tools]);
        }
    }
}

/// Why there is no session.
enum Trouble {
    /// Because of the server.
    Server(McpError),
    /// Because of what is kept here: a place of keys that is closed, a disk.
    Here(Failure),
}

fn whose(server: &McpServer) -> Whose {
    (server.project_id, server.name.clone())
}

fn like(server: &McpServer, access: &McpAccess) -> Like {
    let way = match server.transport {
        McpTransport::Http { .. } => Some(access.network.clone()),
        McpTransport::Stdio { .. } => None,
    };
    let reach = (access.this_computer_only, way);
    Like { fingerprint: server.fingerprint(), root: access.root.clone(), reach }
}

/// A tool without what nobody sees in its description: it would carry orders past the person's eyes.
fn seen_whole(tool: McpTool) -> McpTool {
    McpTool { description: clean(&tool.description).into_owned(), ..tool }
}

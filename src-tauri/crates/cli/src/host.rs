//! The program around the app: which folders, which adapters, which project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use siltstone_app::{App, CleanLog, Options, World};
use siltstone_contract::{
    BroughtContext, Code, ContextEntry, ConversationRef, Failure, OpenProject, UnlockVault,
};
use siltstone_engine::Timestamp;
use siltstone_engine::context::key::WORKING_DIRECTORY;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ports::{Clock, ProjectFiles};
use siltstone_engine::project::Project;
use siltstone_providers::{Connections, Embeddings, shipped_models};
use siltstone_remotes::Buckets;
use siltstone_secrets::{Seals, Secrets};
use siltstone_storage::DataDir;
use siltstone_tools::{Beside, Programs, Servers, Shell, silt};
use siltstone_updates::{Packages, shipped};
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};
use tracing_subscriber::EnvFilter;

use crate::args::Global;
use crate::input;
use crate::out::{Out, Stop};

/// The app, with what the whole call has in common.
#[derive(Clone)]
pub struct Host {
    pub app: App,
    pub out: Out,
    project: Option<String>,
    folders: Arc<dyn ProjectFiles>,
}

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl Host {
    /// Wires the same adapters as the window.
    pub fn start(global: &Global, out: Out) -> Result<Self, Stop> {
        let data_dir = data_dir(global)?;
        let folders = Arc::new(Folders::new());
        let connections = Arc::new(Connections::new());
        let world = World {
            data: Arc::new(DataDir::new(data_dir.clone(), Arc::new(Seals))),
            files: folders.clone(),
            memory: folders.clone(),
            skills: folders.clone(),
            sessions: folders.clone(),
            snapshots: Arc::new(Snapshots::new(data_dir.join("checkpoints").join("stamps"))),
            providers: connections.clone(),
            embedders: Arc::new(
                Embeddings::new(data_dir.join("models")).with_shipped(shipped_models()),
            ),
            secrets: Arc::new(Secrets::new(&data_dir)),
            sealer: Arc::new(Seals),
            remotes: Arc::new(Buckets::new(connections.clone())),
            foreign: folders.clone(),
            clients: folders.clone(),
            file_tools: folders.clone(),
            commands: Arc::new(Shell),
            mcp: Arc::new(Servers::new(connections.clone())),
            copies: Arc::new(Beside),
            workers: Arc::new(Programs::new().with_server(silt().as_deref(), &data_dir)),
            agents: Arc::new(Agents::of_system()),
            updates: Arc::new(Packages::new(connections, data_dir.join("updates"), shipped())),
            clock: Arc::new(SystemClock),
        };
        let options = Options {
            data_dir,
            system_language: out.lang.code().to_owned(),
            start_path: None,
            working_directory: std::env::current_dir().ok().map(|here| here.display().to_string()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok(Self { app: App::start(world, options), out, project: global.project.clone(), folders })
    }

    /// Opens the encrypted file of keys, if this call brings its passphrase. A line end after it does not belong to it.
    pub async fn open_vault(&self, global: &Global) -> Result<(), Stop> {
        let Some(path) = &global.passphrase_file else { return Ok(()) };
        let passphrase = input::secret(path)?;
        self.app.vault_unlock(UnlockVault { passphrase }).await?;
        Ok(())
    }

    /// The same within another project.
    pub fn within(&self, project: &Project) -> Self {
        let (app, out, folders) = (self.app.clone(), self.out.clone(), self.folders.clone());
        Self { app, out, project: Some(project.path.clone()), folders }
    }

    /// The one that was named, wherever we are.
    pub async fn named_project(&self) -> Result<Option<Project>, Stop> {
        if self.project.is_some() { self.project().await } else { Ok(None) }
    }

    /// The project of this call: the one that was named, else the innermost opened one around the current folder.
    pub async fn project(&self) -> Result<Option<Project>, Stop> {
        match (self.opened_here().await?, &self.project) {
            (None, Some(path)) => {
                // Refused with the reason: no folder, or no answer about trust.
                let request = OpenProject {
                    path: path.clone(),
                    trust: None,
                    this_computer_only: None,
                    seen: Vec::new(),
                };
                Ok(Some(self.app.project_open(request).await?))
            }
            (opened, _) => Ok(opened),
        }
    }

    /// The same, of those that are opened already.
    pub async fn opened_here(&self) -> Result<Option<Project>, Stop> {
        match &self.project {
            Some(path) => self.opened(path).await,
            None => {
                let here = std::env::current_dir().and_then(|here| here.canonicalize());
                let Ok(here) = here else { return Ok(None) };
                let all = self.app.project_list(()).await?;
                Ok(all
                    .into_iter()
                    .filter(|project| here.starts_with(Path::new(&project.path)))
                    .max_by_key(|project| project.path.len()))
            }
        }
    }

    /// What a call brings, and the folder of the shell where that lies in the conversation's project: it is where the
    /// person works, and its memory joins.
    pub async fn brought_from_here(
        &self,
        conversation: ConversationId,
        brought: Option<BroughtContext>,
    ) -> Result<Option<BroughtContext>, Stop> {
        let asked = ConversationRef { id: conversation };
        let project_id = self.app.conversation_get(asked).await?.item.project_id;
        let all = self.app.project_list(()).await?;
        let project = all.into_iter().find(|project| Some(project.id) == project_id);
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let (Some(project), Ok(here)) = (project, here) else { return Ok(brought) };
        let says = |it: &BroughtContext| it.entries.iter().any(|it| it.key == WORKING_DIRECTORY);
        let root = Path::new(&project.path);
        if here == root || !here.starts_with(root) || brought.as_ref().is_some_and(says) {
            return Ok(brought);
        }
        let value = here.display().to_string();
        let mut brought = brought.unwrap_or_default();
        brought.entries.push(ContextEntry { key: WORKING_DIRECTORY.to_owned(), value });
        Ok(Some(brought))
    }

    /// The opened project at this path; a path that is gone is compared as it is written.
    pub async fn opened(&self, path: &str) -> Result<Option<Project>, Stop> {
        let real = self.folders.real_path(path);
        let real = real.unwrap_or_else(|_| path.to_owned());
        let all = self.app.project_list(()).await?;
        Ok(all.into_iter().find(|project| project.path == real))
    }
}

fn data_dir(global: &Global) -> Result<PathBuf, Stop> {
    let named = global.data_dir.clone();
    named.or_else(siltstone_app::default_data_dir).ok_or_else(|| {
        let message = "the system names no folder for data; name one with --data-dir";
        Stop::Failure(Failure::new(Code::Io, message))
    })
}

/// What the app remarks on the way, such as lines that an import left out; `SILTSTONE_LOG` asks for more.
pub fn log_to_stderr(quiet: bool) {
    let usual = if quiet { "error" } else { "warn" };
    let filter = EnvFilter::try_from_env("SILTSTONE_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    // What servers say is in no log, however much is asked for; the library that speaks to them would trace it.
    let filter = match "rmcp=off".parse() {
        Ok(off) => filter.add_directive(off),
        Err(_) => filter,
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| CleanLog(std::io::stderr()))
        .without_time()
        .with_target(false)
        .with_ansi(false)
        .log_internal_errors(false)
        .compact()
        .init();
}

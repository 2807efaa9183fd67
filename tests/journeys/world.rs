//! A data folder and a project of its own for each journey, and short words for what journeys do.

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_app::{App, Options, SystemClock, World};
use siltstone_contract::{
    AgreeMemory, AgreedFile, AllowOthers, ChangedMemory, ConversationRef, CreateConversation,
    MessageItem, OpenProject, PageConversation, ProjectRef, SendMessage, Sent, TurnEvent,
};
use siltstone_engine::Timestamp;
use siltstone_engine::acp::Agents as Workers;
use siltstone_engine::checkpoint::remote::Remotes;
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::message::text_of;
use siltstone_engine::ports::{Clock, Providers};
use siltstone_engine::project::Trust;
use siltstone_engine::tool::mcp::McpServers;
use siltstone_engine::update::Updates;
use siltstone_providers::{Connections, Embeddings};
use siltstone_remotes::Buckets;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use siltstone_test_servers::until::PATIENCE;
use siltstone_tools::{Beside, Servers, Shell};
use siltstone_updates::Packages;
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};
use tempfile::TempDir;

use crate::kept::Kept;

pub struct Journey {
    pub app: App,
    pub data: TempDir,
    pub project: TempDir,
}

pub fn app_on(data: &Path, providers: Arc<dyn Providers>) -> App {
    app_keeping(data, providers, Arc::new(Kept::default()))
}

pub fn app_keeping(data: &Path, providers: Arc<dyn Providers>, secrets: Arc<Kept>) -> App {
    app_reaching(data, providers, secrets, buckets())
}

/// Remotes behind a gate of their own.
pub fn buckets() -> Arc<dyn Remotes> {
    Arc::new(Buckets::new(Arc::new(Connections::new())))
}

/// MCP servers behind a gate of their own.
pub fn servers() -> Arc<dyn McpServers> {
    Arc::new(Servers::new(Arc::new(Connections::new())))
}

/// Newer versions, of a copy that names nobody who signs them.
pub fn updates(data: &Path) -> Arc<dyn Updates> {
    Arc::new(Packages::new(Arc::new(Connections::new()), data.join("updates"), None))
}

/// The same with other remotes.
pub fn app_reaching(
    data: &Path,
    providers: Arc<dyn Providers>,
    secrets: Arc<Kept>,
    remotes: Arc<dyn Remotes>,
) -> App {
    started(World { remotes, ..world(data, providers, secrets) }, data)
}

/// What surrounds the program for a data folder; whoever needs another part puts it in its place.
pub fn world(data: &Path, providers: Arc<dyn Providers>, secrets: Arc<Kept>) -> World {
    // Global memory of its own, so that nobody's real one speaks.
    let folders = Arc::new(Folders::of(std::env::home_dir(), Some(data.join("config"))));
    World {
        data: Arc::new(DataDir::new(data.to_path_buf(), Arc::new(Seals))),
        files: folders.clone(),
        memory: folders.clone(),
        skills: folders.clone(),
        sessions: folders.clone(),
        snapshots: Arc::new(Snapshots::new(data.join("checkpoints/stamps"))),
        providers,
        embedders: Arc::new(
            Embeddings::new(data.join("models")).with_shipped(Some(data.join("shipped"))),
        ),
        secrets,
        sealer: Arc::new(Seals),
        remotes: buckets(),
        foreign: folders.clone(),
        clients: folders.clone(),
        file_tools: folders,
        commands: Arc::new(Shell),
        mcp: servers(),
        copies: Arc::new(Beside),
        workers: Arc::new(siltstone_tools::Programs::new()),
        agents: Arc::new(Agents::below(data)),
        updates: updates(data),
        clock: Arc::new(SystemClock),
    }
}

/// A clock that is set by hand, in seconds.
#[derive(Default)]
pub struct Stepped(pub AtomicI64);

impl Clock for Stepped {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_790_000_000 + self.0.load(SeqCst)).unwrap()
    }
}

/// The program in such a world.
pub fn started(world: World, data: &Path) -> App {
    let options = Options {
        data_dir: data.to_path_buf(),
        system_language: "en".into(),
        start_path: None,
        working_directory: None,
        version: "test".into(),
    };
    App::start(world, options)
}

impl Journey {
    pub fn offline() -> Self {
        Self::with(Arc::new(Connections::new().with_offline_pace(Duration::from_millis(1))))
    }

    pub fn with(providers: Arc<dyn Providers>) -> Self {
        Self::keeping(providers, Arc::new(Kept::default()))
    }

    pub fn keeping(providers: Arc<dyn Providers>, secrets: Arc<Kept>) -> Self {
        Self::of(|data| app_keeping(data, providers, secrets))
    }

    /// With other agents.
    pub fn with_workers(providers: Arc<dyn Providers>, workers: Arc<dyn Workers>) -> Self {
        let world = |data: &Path| World { workers, ..world(data, providers, Arc::default()) };
        Self::of(|data| started(world(data), data))
    }

    fn of(app: impl FnOnce(&Path) -> App) -> Self {
        let data = TempDir::new().unwrap();
        let project = TempDir::new().unwrap();
        write(&project, "AGENTS.md", "# Rules\n\nNever break the public API.\n");
        write(&project, "docs/setup.md", "# Setup\n\nThe database listens on port 5433.\n");
        write(&project, "docs/설치.md", "# 설치\n\n데이터베이스 포트는 5433번입니다.\n");
        write(&project, ".env", "SECRET_TOKEN=do-not-read-me\n");
        Self { app: app(data.path()), data, project }
    }

    pub async fn open(&self, trust: Trust) -> ProjectId {
        self.open_as(self.project.path(), trust).await
    }

    /// Trusts a folder beside the journey's own.
    pub async fn open_at(&self, folder: &Path) -> ProjectId {
        self.open_as(folder, Trust::Trusted).await
    }

    /// Opens a folder with this answer to what is in it now.
    pub async fn open_as(&self, folder: &Path, trust: Trust) -> ProjectId {
        let path = folder.display().to_string();
        let seen = self.app.memory_seen(&path).await.unwrap();
        let request = OpenProject { path, trust: Some(trust), this_computer_only: None, seen };
        self.app.project_open(request).await.unwrap().id
    }

    /// Says that what was said in one conversation of a project may go in another.
    pub async fn allow_others(&self, project_id: ProjectId) {
        self.app.others_allow(AllowOthers { project_id, allow: true }).await.unwrap();
    }

    /// Agrees to every file that changed, as it is shown.
    pub async fn agree(&self, project_id: ProjectId) {
        let changes = self.app.memory_changes(ProjectRef { id: project_id }).await.unwrap();
        let file = |it: ChangedMemory| AgreedFile { path: it.path, hash: it.hash };
        let files = changes.into_iter().map(file).collect();
        self.app.memory_agree(AgreeMemory { project_id, files }).await.unwrap();
    }

    pub async fn conversation(&self, project_id: Option<ProjectId>) -> ConversationId {
        self.app.conversation_create(CreateConversation { project_id }).await.unwrap().id
    }

    pub async fn send(&self, id: ConversationId, text: &str) -> Sent {
        self.app
            .send(SendMessage {
                conversation_id: id,
                text: text.into(),
                attachments: Vec::new(),
                context: None,
                also: Vec::new(),
            })
            .await
            .unwrap()
    }

    /// Sends and waits for the reply, and those to queued messages.
    pub async fn ask(&self, id: ConversationId, text: &str) -> MessageItem {
        self.send(id, text).await;
        self.settled(id).await;
        self.path(id).await.pop().unwrap()
    }

    /// Follows whatever is on its way to its end; gives what a watcher saw.
    pub async fn settled(&self, id: ConversationId) -> Vec<TurnEvent> {
        let seen: Arc<Mutex<Vec<TurnEvent>>> = Arc::default();
        let into = seen.clone();
        let watch = self.app.turn_watch(
            ConversationRef { id },
            Arc::new(move |event| into.lock().unwrap().push(event)),
        );
        tokio::time::timeout(PATIENCE, watch).await.unwrap().unwrap();
        Arc::try_unwrap(seen)
            .map_or_else(|kept| kept.lock().unwrap().clone(), |all| all.into_inner().unwrap())
    }

    pub async fn path(&self, id: ConversationId) -> Vec<MessageItem> {
        let request = PageConversation { id, start: Some(0), limit: 200 };
        self.app.conversation_page(request).await.unwrap().messages
    }

    /// What was said on the shown path, in order.
    pub async fn said(&self, id: ConversationId) -> Vec<String> {
        self.path(id).await.iter().map(|message| text_of(&message.parts)).collect()
    }
}

pub fn write(project: &TempDir, path: &str, text: &str) {
    let file = project.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

pub fn text(message: &MessageItem) -> String {
    text_of(&message.parts)
}

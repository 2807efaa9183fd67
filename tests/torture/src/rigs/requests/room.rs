//! The program in this process, on a data folder and a project that `silt` sees too, before a server that answers over real
//! HTTP. What the program hands to its provider is noted, and so is what arrives at the server.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use siltstone_app::{App, Options, SystemClock, World};
use siltstone_contract::{
    ConversationRef, CreateConversation, OpenProject, PageConversation, PreviewRequest,
    ProviderRef, RequestView, SendMessage, Sent, SummaryPanel,
};
use siltstone_engine::acp::Agents as Workers;
use siltstone_engine::egress::Outbox;
use siltstone_engine::ids::{ConversationId, ProjectId, TurnId};
use siltstone_engine::keys::{Account, KeyringState, Place, VaultState};
use siltstone_engine::ports::{
    Access, Asked, ModelProvider, Providers, ReplyStream, SecretError, SecretStore,
};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{
    FoundServer, ModelInfo, ModelRequest, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::{Network, Settings};
use siltstone_providers::{Connections, Embeddings};
use siltstone_remotes::Buckets;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use siltstone_test_servers::request::Received;
use siltstone_tools::{Beside, Servers, Shell};
use siltstone_updates::Packages;
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};

use super::server::{MODELS, Server};
use crate::Trouble;
use crate::desk::Desk;

/// What the provider is called.
pub const PROVIDER: &str = "work";

/// A room with everything in it.
pub struct Room {
    pub app: App,
    pub desk: Desk,
    pub project: ProjectId,
    pub server: Server,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
    workers: Option<Arc<dyn Workers>>,
}

impl Room {
    /// A project that is trusted, and no conversation.
    pub async fn new() -> Result<Self, Trouble> {
        Self::with(None).await
    }

    /// The same with agents of the rig's own.
    pub async fn with(workers: Option<Arc<dyn Workers>>) -> Result<Self, Trouble> {
        let (desk, server, asked) = (Desk::new()?, Server::start()?, Arc::default());
        let app = started(&desk, &asked, workers.as_ref());
        desk.file("AGENTS.md", "# Rules\n\nNever break the public API.\n")?;
        desk.file("docs/setup.md", "# Setup\n\nThe database listens on port 5433.\n")?;
        desk.file("docs/등대.md", "# 등대\n\n등대의 불빛은 밤에만 켠다.\n")?;
        desk.file(".env", "SECRET_TOKEN=do-not-read-me\n")?;
        let base_url = server.base_url().to_owned();
        let (name, kind) = (PROVIDER.to_owned(), ProviderKind::Openai);
        app.provider_add(ProviderRecord { name: name.clone(), kind, base_url }).await?;
        app.provider_models(ProviderRef { name: name.clone() }).await?;
        let settings = app.settings_get(()).await?;
        let (model, _) = MODELS[1];
        let settings = Settings { default_provider: name, default_model: model.into(), ..settings };
        app.settings_set(settings).await?;
        let path = desk.project.display().to_string();
        let (trust, seen) = (Some(Trust::Trusted), app.memory_seen(&path).await?);
        let open = OpenProject { path, trust, this_computer_only: None, seen };
        let project = app.project_open(open).await?.id;
        Ok(Self { app, desk, project, server, asked, workers })
    }

    /// Another process on the same folders.
    pub async fn restart(&mut self) -> Result<(), Trouble> {
        self.app = started(&self.desk, &self.asked, self.workers.as_ref());
        self.app.provider_models(ProviderRef { name: PROVIDER.into() }).await?;
        Ok(())
    }

    /// A new conversation.
    pub async fn conversation(&self, project: bool) -> Result<ConversationId, Trouble> {
        let project_id = project.then_some(self.project);
        Ok(self.app.conversation_create(CreateConversation { project_id }).await?.id)
    }

    /// What the next message would send.
    pub async fn preview(&self, id: ConversationId, draft: &str) -> Result<RequestView, Trouble> {
        let (draft, conversation_id) = (draft.to_owned(), id);
        let request = PreviewRequest { conversation_id, draft, context: None, model: None };
        Ok(self.app.request_preview(request).await?)
    }

    /// What the panel of summaries says.
    pub async fn panel(&self, id: ConversationId) -> Result<SummaryPanel, Trouble> {
        Ok(self.app.summary_list(ConversationRef { id }).await?)
    }

    /// The number of messages of the shown path, and how many tokens those from `start` on are.
    pub async fn tokens_from(&self, id: ConversationId, start: u64) -> Result<(u64, u64), Trouble> {
        let page = PageConversation { id, start: Some(start), limit: 500 };
        let page = self.app.conversation_page(page).await?;
        Ok((page.total, page.messages.iter().map(|message| message.tokens).sum()))
    }

    /// Sends what is in the composer with this text; gives the turn.
    pub async fn send(&self, id: ConversationId, text: &str) -> Result<Option<TurnId>, Trouble> {
        let detail = self.app.conversation_get(ConversationRef { id }).await?;
        let hash = |part: &siltstone_engine::message::Part| part.attached_hash().map(str::to_owned);
        let attachments = detail.attachments.iter().filter_map(|it| hash(&it.part)).collect();
        let message = SendMessage {
            conversation_id: id,
            text: text.into(),
            attachments,
            context: None,
            also: Vec::new(),
        };
        Ok(match self.app.send(message).await? {
            Sent::Asked { turn_id, .. } => Some(turn_id),
            Sent::Queued { .. } => None,
        })
    }

    /// Waits until nothing goes on: neither a turn, nor what follows it.
    pub async fn settled(&self, id: ConversationId) -> Result<(), Trouble> {
        self.app.turn_watch(ConversationRef { id }, Arc::new(|_| {})).await?;
        self.app.summaries_settled(id).await;
        self.app.sessions_settled().await;
        Ok(())
    }

    /// Everything that left since the last look.
    pub fn left(&self) -> (Vec<ModelRequest>, Vec<Received>) {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        (asked, self.server.received())
    }

    /// Asks this model from now on, where a conversation chose none.
    pub async fn choose(&self, model: &str) -> Result<(), Trouble> {
        let settings = self.app.settings_get(()).await?;
        let settings = Settings { default_model: model.into(), ..settings };
        self.app.settings_set(settings).await?;
        Ok(())
    }
}

/// Whether it is work of our own, and no turn of a conversation.
pub fn is_task(request: &ModelRequest) -> bool {
    matches!(request.sections.as_slice(), [only] if only.id == "task")
}

fn started(
    desk: &Desk,
    asked: &Arc<Mutex<Vec<ModelRequest>>>,
    workers: Option<&Arc<dyn Workers>>,
) -> App {
    let world = world(&desk.data, asked.clone());
    let workers = workers.cloned().unwrap_or_else(|| world.workers.clone());
    let world = World { workers, ..world };
    let options = Options {
        data_dir: desk.data.clone(),
        system_language: "en".into(),
        start_path: None,
        working_directory: None,
        version: "test".into(),
    };
    App::start(world, options)
}

/// As `silt` on the same desk has it, but for keys, which nobody has.
fn world(data: &Path, asked: Arc<Mutex<Vec<ModelRequest>>>) -> World {
    let folders = Arc::new(Folders::of(Some(data.to_owned()), Some(data.join("config"))));
    World {
        data: Arc::new(DataDir::new(data.to_owned(), Arc::new(Seals))),
        files: folders.clone(),
        memory: folders.clone(),
        skills: folders.clone(),
        sessions: folders.clone(),
        snapshots: Arc::new(Snapshots::new(data.join("checkpoints/stamps"))),
        providers: Arc::new(Noting { connections: Connections::new(), asked }),
        embedders: Arc::new(Embeddings::new(data.join("models"))),
        secrets: Arc::new(NoKeys),
        sealer: Arc::new(Seals),
        remotes: Arc::new(Buckets::new(Arc::new(Connections::new()))),
        foreign: folders.clone(),
        clients: folders.clone(),
        file_tools: folders,
        commands: Arc::new(Shell),
        mcp: Arc::new(Servers::new(Arc::new(Connections::new()))),
        copies: Arc::new(Beside),
        workers: Arc::new(siltstone_tools::Programs::new()),
        agents: Arc::new(Agents::below(data)),
        updates: Arc::new(Packages::new(Arc::new(Connections::new()), data.join("updates"), None)),
        clock: Arc::new(SystemClock),
    }
}

/// The real connections; what goes through them is noted first.
struct Noting {
    connections: Connections,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Providers for Noting {
    fn connect(
        &self,
        record: &ProviderRecord,
        access: Access,
    ) -> Result<Arc<dyn ModelProvider>, ProviderError> {
        let inner = self.connections.connect(record, access)?;
        Ok(Arc::new(Noted { inner, asked: self.asked.clone() }))
    }

    fn discover(&self, outbox: Outbox) -> Asked<'_, Vec<FoundServer>> {
        self.connections.discover(outbox)
    }

    fn check_network(&self, network: &Network) -> Result<(), ProviderError> {
        self.connections.check_network(network)
    }
}

struct Noted {
    inner: Arc<dyn ModelProvider>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelProvider for Noted {
    fn models(&self) -> Asked<'_, Vec<ModelInfo>> {
        self.inner.models()
    }

    fn stream(&self, request: ModelRequest) -> ReplyStream {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        self.inner.stream(request)
    }

    fn wants_passages(&self) -> bool {
        self.inner.wants_passages()
    }
}

/// A computer without a place for keys: the server wants none.
struct NoKeys;

impl SecretStore for NoKeys {
    fn keyring(&self) -> KeyringState {
        KeyringState::Absent
    }

    fn unlock_keyring(&self) -> Result<(), SecretError> {
        Err(SecretError::Absent { detail: "none".into() })
    }

    fn vault(&self) -> VaultState {
        VaultState::Absent
    }

    fn unlock_vault(&self, _: &Secret) -> Result<(), SecretError> {
        Err(SecretError::VaultLocked)
    }

    fn discard_vault(&self) -> Result<(), SecretError> {
        Ok(())
    }

    fn get(&self, _: Place, _: &Account) -> Result<Option<Secret>, SecretError> {
        Ok(None)
    }

    fn put(&self, _: Place, _: &Account, _: &Secret) -> Result<(), SecretError> {
        Err(SecretError::VaultLocked)
    }

    fn remove(&self, _: Place, _: &Account) -> Result<(), SecretError> {
        Ok(())
    }
}

//! Use cases: one method per command of the contract's table, in services that stand over one another; here they are put
//! together.
//!
//! The app carries out what the engine decides, through the engine's ports. It knows neither SQLite, nor HTTP, nor a
//! window: hosts (the shell and `silt`) hand it a [`World`] of adapters. Methods are `async` so that every host calls
//! them alike; what takes long (a walk, a model) yields, and a database call of a few milliseconds does not.

mod agents;
mod checkpoints;
mod contexts;
mod conversations;
mod core;
mod folding;
mod index;
mod maintenance;
mod memory;
mod models;
mod privacy;
mod projects;
mod requests;
mod search;
mod sessions;
mod skills;
mod tools;
mod turns;
mod vault;

use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use siltstone_contract::{
    AgreedFile, Attached, Changed, CheckpointItem, ExportCheckpoint, ExportedText, Failure,
    FileImported, ImportedCheckpoint, LineWaits, ProjectRef, ProposeLine, RecallFor, Recalled,
    ResumeCard, SessionFilesState, SourceFor, SourcePage, Topic, VaultRef,
};
use siltstone_engine::Timestamp;
use siltstone_engine::acp::Agents;
use siltstone_engine::checkpoint::foreign::ForeignCheckpoints;
use siltstone_engine::checkpoint::remote::Remotes;
use siltstone_engine::checkpoint::{FileSnapshots, Sealer};
use siltstone_engine::client::{Client, ClientFile, Clients};
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::meaning::{Embedder, EmbedderChoice, Embedders};
use siltstone_engine::memory::{Effective, MemoryFiles};
use siltstone_engine::ports::{Clock, Copies, DataFolder, ProjectFiles, Providers, SecretStore};
use siltstone_engine::project::Project;
use siltstone_engine::secret::Secret;
use siltstone_engine::session::SessionFiles;
use siltstone_engine::skill::SkillFolders;
use siltstone_engine::tool::mcp::McpServers;
use siltstone_engine::tool::{Commands, FileTools};
use siltstone_engine::update::Updates;
use siltstone_engine::vault::AgentSessions;
use siltstone_engine::workflow::Decision;
use tokio::sync::broadcast;

use crate::agents::AgentService;
use crate::checkpoints::CheckpointService;
use crate::contexts::ContextService;
use crate::conversations::ConversationService;
use crate::core::{Core, News};
use crate::folding::FoldingService;
use crate::index::IndexService;
use crate::maintenance::MaintenanceService;
use crate::memory::MemoryService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use crate::projects::ProjectService;
use crate::requests::RequestService;
use crate::search::SearchService;
use crate::sessions::SessionService;
use crate::skills::SkillService;
use crate::tools::ToolService;
use crate::turns::TurnService;
use crate::vault::VaultService;

pub use crate::checkpoints::PackedCheckpoint;
pub use crate::core::data::default_data_dir;
pub use crate::core::log::CleanLog;

/// Where a streaming command puts its events.
pub type Sink<E> = Arc<dyn Fn(E) + Send + Sync>;

/// The adapters a host wires in.
pub struct World {
    /// Everything durable.
    pub data: Arc<dyn DataFolder>,
    /// Project folders.
    pub files: Arc<dyn ProjectFiles>,
    /// Files that speak to models.
    pub memory: Arc<dyn MemoryFiles>,
    /// Folders of skills.
    pub skills: Arc<dyn SkillFolders>,
    /// The folders `.ai-brain` of projects.
    pub sessions: Arc<dyn SessionFiles>,
    /// Capturing project folders and writing them back.
    pub snapshots: Arc<dyn FileSnapshots>,
    /// Folders beside projects.
    pub copies: Arc<dyn Copies>,
    /// Language models.
    pub providers: Arc<dyn Providers>,
    /// Models that make vectors.
    pub embedders: Arc<dyn Embedders>,
    /// Keys.
    pub secrets: Arc<dyn SecretStore>,
    /// What is done to checkpoints that are sealed, and to files under a passphrase.
    pub sealer: Arc<dyn Sealer>,
    /// Places beyond this computer where checkpoints are kept.
    pub remotes: Arc<dyn Remotes>,
    /// Checkpoints of other programs.
    pub foreign: Arc<dyn ForeignCheckpoints>,
    /// Settings of other programs.
    pub clients: Arc<dyn Clients>,
    /// Files of a project, for tools.
    pub file_tools: Arc<dyn FileTools>,
    /// Commands, for tools.
    pub commands: Arc<dyn Commands>,
    /// MCP servers.
    pub mcp: Arc<dyn McpServers>,
    /// Agents that are set to work.
    pub workers: Arc<dyn Agents>,
    /// Sessions of other agents.
    pub agents: Arc<dyn AgentSessions>,
    /// Newer versions of the program.
    pub updates: Arc<dyn Updates>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// The system's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// What a host knows of its surroundings.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where everything durable is kept; shown, never opened here.
    pub data_dir: PathBuf,
    /// The system's language, `ko` or `en`.
    pub system_language: String,
    /// A folder that was named when the program was started.
    pub start_path: Option<String>,
    /// Where the person works outside of projects; `None` for their home.
    pub working_directory: Option<String>,
    /// The program's version.
    pub version: String,
}

/// All use cases. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct App(Arc<Services>);

/// The services, each over those before it.
struct Services {
    core: Core,
    vault: VaultService,
    models: ModelService,
    memory: MemoryService,
    skills: SkillService,
    index: IndexService,
    folding: FoldingService,
    search: SearchService,
    sessions: SessionService,
    conversations: ConversationService,
    tools: ToolService,
    contexts: ContextService,
    checkpoints: CheckpointService,
    agents: AgentService,
    requests: RequestService,
    turns: TurnService,
    projects: ProjectService,
    maintenance: MaintenanceService,
}

impl Services {
    fn over(core: Core) -> Self {
        let privacy = PrivacyService::new(&core);
        let vault = VaultService::new(&core, &privacy);
        let models = ModelService::new(&core, &privacy);
        let memory = MemoryService::new(&core, &privacy, &models);
        let skills = SkillService::new(&core, &privacy, &memory);
        let index = IndexService::new(&core, &privacy, &memory);
        let folding = FoldingService::new(&core, &privacy, &models, &memory);
        let search = SearchService::new(&core, &privacy, &models, &memory, &index);
        let sessions = SessionService::new(&core, &models);
        let conversations =
            ConversationService::new(&core, &privacy, &vault, &models, &index, &folding, &sessions);
        let tools = ToolService::new(&core, &privacy, &models, &memory, &skills, &search);
        let contexts = ContextService::new(&core, &privacy, &models, &memory, &tools);
        let checkpoints =
            CheckpointService::new(&core, &privacy, &models, &memory, &conversations, &contexts);
        let agents = AgentService::new(
            &core,
            &privacy,
            &memory,
            &search,
            &sessions,
            &conversations,
            &checkpoints,
        );
        let requests = RequestService::new(
            &core,
            &privacy,
            &models,
            &memory,
            &index,
            &search,
            &sessions,
            &conversations,
            &tools,
            &contexts,
            &folding,
        );
        let turns = TurnService::new(
            &core,
            &privacy,
            &models,
            &sessions,
            &conversations,
            &tools,
            &contexts,
            &checkpoints,
            &folding,
            &requests,
        );
        let projects = ProjectService::new(
            &core,
            &privacy,
            &memory,
            &index,
            &sessions,
            &conversations,
            &tools,
            &contexts,
            &checkpoints,
            &requests,
        );
        let maintenance = MaintenanceService::new(
            &core,
            &models,
            &memory,
            &search,
            &sessions,
            &conversations,
            &contexts,
            &checkpoints,
            &folding,
            &turns,
        );
        Self {
            core,
            vault,
            models,
            memory,
            skills,
            index,
            folding,
            search,
            sessions,
            conversations,
            tools,
            contexts,
            checkpoints,
            agents,
            requests,
            turns,
            projects,
            maintenance,
        }
    }
}

/// Carries news to the services that they are for, as long as there are any.
struct Wires(Weak<Services>);

impl News for Wires {
    fn changed(&self, topics: &[Topic]) {
        let Some(services) = self.0.upgrade() else { return };
        let is_in = |of: fn(&Topic) -> bool| topics.iter().any(of);
        if is_in(|it| matches!(it, Topic::All | Topic::Conversation { .. })) {
            services.search.tend_meaning();
        }
        if is_in(|it| matches!(it, Topic::All | Topic::Memory | Topic::Sessions)) {
            services.agents.follow_shares();
        }
    }

    fn layers_changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(services) = self.0.upgrade() {
                services.contexts.layers_changed().await;
            }
        })
    }

    fn rules_changed<'a>(&'a self, project: &'a Project) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Some(services) = self.0.upgrade() {
                services.contexts.rules_changed(project).await;
            }
        })
    }

    fn keys_opened(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(services) = self.0.upgrade() {
                services.checkpoints.ask_for_seal_key().await;
            }
        })
    }

    fn month_goes_on(&self) {
        if let Some(services) = self.0.upgrade() {
            services.turns.send_held();
        }
    }

    fn plan_changed(&self, project: Project, plan: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(services) = self.0.upgrade() {
                services.checkpoints.plan_changed(project, plan).await;
            }
        })
    }
}

impl App {
    /// Opens the data folder and closes turns whose process is gone. A database that cannot be opened is reported by
    /// `app_info`, and every other command then fails with the reason.
    pub fn start(world: World, options: Options) -> Self {
        let services = Arc::new(Services::over(Core::new(world, options)));
        services.core.heard_by(Wires(Arc::downgrade(&services)));
        Self(services)
    }
}

/// Commands, each carried out by the service that the contract's table names.
mod commands {
    use siltstone_contract::commands::types::*;
    use siltstone_contract::for_each_command;

    use crate::{App, Sink};

    macro_rules! carried_out {
        (
            app { $($service:ident { $($(#[$doc:meta])* $name:ident: $request:ty => $reply:ty;)* })* }
            streams {
                $($streaming:ident { $($(#[$sdoc:meta])* $sname:ident: $srequest:ty => $sreply:ty, $event:ty;)* })*
            }
            host { $($host:tt)* }
        ) => {
            impl App {
                $($(
                    $(#[$doc])*
                    pub async fn $name(&self, request: $request) -> Result<$reply, Failure> {
                        self.0.$service.$name(request).await
                    }
                )*)*
                $($(
                    $(#[$sdoc])*
                    pub async fn $sname(
                        &self,
                        request: $srequest,
                        sink: Sink<$event>,
                    ) -> Result<$sreply, Failure> {
                        self.0.$streaming.$sname(request, sink).await
                    }
                )*)*
            }
        };
    }

    for_each_command!(carried_out);
}

/// What hosts do beside commands.
impl App {
    /// Follows the broadcast of what went stale. An observer that lags should treat everything as stale ([`Topic::All`]).
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.0.core.subscribe()
    }

    /// Watches for changes by other processes on the same data folder, for as long as the host runs. This host is one
    /// that stays from the call on, however late the work itself begins.
    pub fn watch_other_processes(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.maintenance.watch_other_processes()
    }

    /// Keeps what other agents write in the folders that were agreed to, until it is dropped: for hosts that stay.
    pub fn follow_agents(&self) -> impl Future<Output = ()> + Send + 'static {
        let vault = self.0.vault.clone();
        async move { vault.follow().await }
    }

    /// Attaches a picture or file whose bytes the host read itself.
    pub async fn attach(
        &self,
        id: ConversationId,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<Attached, Failure> {
        self.0.conversations.attach(id, name, bytes).await
    }

    /// A conversation out of a file that the host opened, or, where it is an export of another service, the file kept open
    /// for [`App::conversation_import_all`]. `name` is the title where the text has none.
    pub async fn import_file(
        &self,
        name: String,
        file: impl Read + Seek + Send + 'static,
        project_id: Option<ProjectId>,
    ) -> Result<FileImported, Failure> {
        self.0.conversations.import_file(name, Box::new(file), project_id).await
    }

    /// A checkpoint with everything that restoring it elsewhere takes, as the bytes of one file.
    pub async fn checkpoint_packed(
        &self,
        request: ExportCheckpoint,
    ) -> Result<PackedCheckpoint, Failure> {
        self.0.checkpoints.checkpoint_packed(request).await
    }

    /// A checkpoint out of the bytes of a file; nothing is kept unless all of it is whole.
    pub async fn checkpoint_unpacked(
        &self,
        project_id: ProjectId,
        bytes: Vec<u8>,
        passphrase: Option<Secret>,
    ) -> Result<ImportedCheckpoint, Failure> {
        self.0.checkpoints.checkpoint_unpacked(project_id, bytes, passphrase).await
    }

    /// Makes the index over conversations anew, while everything goes on. `go_on` hears how many messages are left, and
    /// stops it with `false`; the next start then goes on with it.
    pub async fn rebuild_index(
        &self,
        go_on: Arc<dyn Fn(u64) -> bool + Send + Sync>,
    ) -> Result<(), Failure> {
        self.0.search.rebuild_index(go_on).await
    }

    /// Reads again what changed of a project's files, and is done when the next search knows it: for a program that
    /// ends with its search.
    pub async fn refresh_files(&self, request: ProjectRef) -> Result<(), Failure> {
        self.0.search.refresh_files(request).await
    }

    /// What an answer that trusts this folder names, as it is now: for who made all of it.
    pub async fn memory_seen(&self, path: &str) -> Result<Vec<AgreedFile>, Failure> {
        self.0.memory.memory_seen(path).await
    }

    /// A person sits before this host from now on: the first new conversation of each project begins where the work
    /// stopped, and shows that.
    pub fn sit(&self) {
        self.0.sessions.sit();
    }

    /// Waits until no plan of a project is carried out here: for hosts that end when they are done.
    pub async fn plan_settled(&self, project: ProjectId) {
        self.0.turns.plan_settled(project).await;
    }

    /// Waits until no files of sessions are being written here.
    pub async fn sessions_settled(&self) {
        self.0.sessions.sessions_settled().await;
    }

    /// What stopped the writing of sessions in this process, each with its project.
    pub fn sessions_unwritten(&self) -> Vec<(ProjectId, SessionFilesState)> {
        self.0.sessions.sessions_unwritten()
    }

    /// Other computers whose lock of a session was taken in this process, because they had gone silent.
    pub fn sessions_taken(&self) -> Vec<siltstone_contract::SilentOwner> {
        self.0.sessions.sessions_taken()
    }

    /// Waits until checkpoints that go to remotes by rule went there.
    pub async fn syncs_settled(&self) {
        self.0.checkpoints.syncs_settled().await;
    }

    /// The host ends: what goes to remotes then is sent, what is being written of sessions is finished, and other computers may write at once. A folder that
    /// does not answer keeps nobody from ending.
    pub async fn leave_sessions(&self) {
        self.0.sessions.leave_sessions().await;
        self.0.checkpoints.leave_remotes().await;
    }

    /// Ends the sessions with all servers of tools, when the program ends.
    pub async fn leave_servers(&self) {
        self.0.tools.leave_servers().await;
    }

    /// What was said in a project, for an agent outside.
    pub async fn agent_recall(&self, request: RecallFor) -> Result<Vec<Recalled>, Failure> {
        self.0.agents.recall(request).await
    }

    /// A page of a message, for an agent outside.
    pub async fn agent_source(&self, request: SourceFor) -> Result<SourcePage, Failure> {
        self.0.agents.source(request).await
    }

    /// What the person agreed to of memory on the way to a path, for an agent outside.
    pub async fn agent_rules(
        &self,
        project: Option<ProjectId>,
        path: &str,
    ) -> Result<Effective, Failure> {
        self.0.agents.rules(project, path).await
    }

    /// Puts what an agent outside wants to be remembered before the person.
    pub async fn agent_propose(&self, request: ProposeLine) -> Result<LineWaits, Failure> {
        self.0.agents.propose(request)
    }

    /// Makes a checkpoint for an agent outside, under its note or one like it.
    pub async fn agent_checkpoint(
        &self,
        project: ProjectId,
        note: &str,
    ) -> Result<CheckpointItem, Failure> {
        self.0.agents.checkpoint(project, note).await
    }

    /// A conversation of a project as Markdown, for an agent outside.
    pub async fn agent_session(
        &self,
        project: ProjectId,
        id: ConversationId,
    ) -> Result<ExportedText, Failure> {
        self.0.agents.session(project, id).await
    }

    /// What was decided in a project, for an agent outside.
    pub async fn agent_decisions(&self, project: ProjectId) -> Result<Vec<Decision>, Failure> {
        self.0.agents.decisions(project).await
    }

    /// Where the work in a project stopped, for an agent outside.
    pub async fn agent_resume(&self, project: ProjectId) -> Result<Option<ResumeCard>, Failure> {
        self.0.agents.resume(project).await
    }

    /// What a new conversation of a project is told first, for an agent outside.
    pub async fn agent_handoff(&self, project: ProjectId) -> Result<Vec<String>, Failure> {
        self.0.agents.handoff(project).await
    }

    /// The settings of a program of others in which Siltstone is named for it, or is not, as `wanted`; nothing is changed.
    pub async fn agent_client(
        &self,
        client: Client,
        project: Option<ProjectId>,
        wanted: bool,
    ) -> Result<ClientFile, Failure> {
        self.0.agents.client(client, project, wanted).await
    }

    /// Makes such settings so, if they still are what was shown.
    pub async fn agent_client_change(
        &self,
        project: Option<ProjectId>,
        file: ClientFile,
    ) -> Result<(), Failure> {
        self.0.agents.change_client(project, file).await
    }

    /// The conversation of a message, whatever branch it is on: for hosts that name messages alone.
    pub fn conversation_of(&self, id: MessageId) -> Result<ConversationId, Failure> {
        self.0.conversations.conversation_of(id)
    }

    /// A model of this computer that makes vectors, by its name: for hosts that measure what it adds.
    pub async fn local_embedder(&self, name: &str) -> Result<Arc<dyn Embedder>, Failure> {
        let choice = EmbedderChoice::Local { name: name.to_owned() };
        self.0.search.embedder(&choice, None).await
    }

    /// Writes the bytes of a file of another agent's session as they were seen, secrets and all: for hosts that were asked
    /// for exactly that. Of the session's own file, or of one that belongs to it by its path.
    pub async fn vault_bytes(
        &self,
        request: VaultRef,
        path: Option<String>,
        into: Box<dyn Write + Send>,
    ) -> Result<u64, Failure> {
        self.0.vault.bytes(request, path, into).await
    }

    /// Waits until no summary of a conversation is being made here: for hosts that end when they are done.
    pub async fn summaries_settled(&self, id: ConversationId) {
        self.0.folding.summaries_settled(id).await;
    }

    /// The same, and what kept the job from its work where it could store nothing: a summary that failed is a record.
    pub async fn summaries_made(&self, id: ConversationId) -> Result<(), Failure> {
        self.0.folding.summaries_made(id).await
    }
}

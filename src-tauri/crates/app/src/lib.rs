//! Use cases: one method per command of the contract's table.
//!
//! The app carries out what the engine decides, through the engine's ports. It knows neither SQLite, nor HTTP, nor a
//! window: hosts (the shell and `silt`) hand it a [`World`] of adapters. Methods are `async` so that every host calls
//! them alike; what takes long (a walk, a model) yields, and a database call of a few milliseconds does not.

mod asides;
mod attachments;
mod background;
mod backups;
pub mod changes;
mod checkpoints;
mod composing;
mod contexts;
mod conversations;
mod counting;
mod data;
mod deleting;
mod egress;
mod failure;
mod finding;
mod folding;
mod folds;
mod following;
mod index;
mod info;
mod jobs;
mod kept;
mod keys;
mod live;
mod loading;
mod log;
mod meaning;
mod memory;
mod mentions;
mod previewing;
mod privacy;
mod projects;
mod providers;
mod rebuilding;
mod recalling;
mod reopening;
mod running;
mod sample;
mod sessions;
mod spending;
mod standing;
mod summaries;
mod summarising;
mod tools;
mod transfer;
mod turns;
mod watching;
mod wishes;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::foreign::ForeignCheckpoints;
use siltstone_engine::checkpoint::remote::Remotes;
use siltstone_engine::checkpoint::{FileSnapshots, Sealer};
use siltstone_engine::ids::{ConversationId, ProjectId, RuleId, TurnId};
use siltstone_engine::meaning::Embedders;
use siltstone_engine::memory::MemoryFiles;
use siltstone_engine::ports::{Clock, DataFolder, ProjectFiles, Providers, SecretStore};
use siltstone_engine::privacy::Known;
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::session::SessionFiles;
use siltstone_engine::tool::approval::Rule;
use siltstone_engine::tool::mcp::McpServers;
use siltstone_engine::tool::{Commands, FileTools};
use tokio_util::sync::CancellationToken;

pub use checkpoints::PackedCheckpoint;
pub use data::default_data_dir;
pub use log::CleanLog;

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
    /// The folders `.ai-brain` of projects.
    pub sessions: Arc<dyn SessionFiles>,
    /// Capturing project folders and writing them back.
    pub snapshots: Arc<dyn FileSnapshots>,
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
    /// Files of a project, for tools.
    pub file_tools: Arc<dyn FileTools>,
    /// Commands, for tools.
    pub commands: Arc<dyn Commands>,
    /// MCP servers.
    pub mcp: Arc<dyn McpServers>,
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
    /// The program's version.
    pub version: String,
}

/// All use cases. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    world: World,
    options: Options,
    stores: RwLock<data::Opened>,
    /// Held while something is put in the place of the database.
    mending: Mutex<()>,
    live: live::LiveTurns,
    jobs: jobs::Jobs,
    changes: changes::Changes,
    contexts: contexts::Contexts,
    meaning: meaning::Meaning,
    memory: memory::Memory,
    /// What was said in conversations, as far as it was read.
    ledgers: folding::Ledgers,
    sessions: sessions::Sessions,
    /// Turns that a process which died left open, and whose replies no session knows yet.
    left_open: Mutex<Vec<TurnId>>,
    taking: checkpoints::Taking,
    probes: Mutex<HashMap<String, CancellationToken>>,
    /// What servers told of their models, by provider and model.
    models: Mutex<HashMap<(String, String), ModelInfo>>,
    /// Conversations whose queue waits for the monthly limit.
    held: Mutex<HashSet<ConversationId>>,
    /// Held while the sample project is opened, so that it is made once.
    sampling: tokio::sync::Mutex<()>,
    indexing: Mutex<HashMap<ProjectId, Arc<index::Indexing>>>,
    paths: Mutex<HashMap<ProjectId, mentions::Listed>>,
    /// What became of texts that went without their secrets.
    redacted: Known,
    counting: counting::Counting,
    recalling: recalling::Recalling,
    /// What is asked beside turns, and the plans that are carried out.
    plans: sessions::carried::Plans,
    /// Sessions with MCP servers.
    mcp: tools::servers::Sessions,
    /// Calls of tools that wait for the person.
    waiting: tools::Waiting,
    /// Answers about tools that were forgotten, as long as they may be wanted back.
    forgotten: Mutex<HashMap<RuleId, Rule>>,
    offering: tools::Known,
}

impl App {
    /// Opens the data folder and closes turns whose process is gone. A database that cannot be opened is reported by
    /// `app_info`, and every other command then fails with the reason.
    pub fn start(world: World, options: Options) -> Self {
        let left_open = Mutex::default();
        let stores = data::open(&world, &left_open);
        Self(Arc::new(Inner {
            world,
            options,
            stores: RwLock::new(stores),
            mending: Mutex::default(),
            live: live::LiveTurns::default(),
            jobs: jobs::Jobs::default(),
            changes: changes::Changes::default(),
            contexts: contexts::Contexts::default(),
            meaning: meaning::Meaning::default(),
            memory: memory::Memory::default(),
            ledgers: folding::Ledgers::default(),
            sessions: sessions::Sessions::default(),
            left_open,
            taking: checkpoints::Taking::default(),
            probes: Mutex::default(),
            models: Mutex::default(),
            held: Mutex::default(),
            sampling: tokio::sync::Mutex::default(),
            indexing: Mutex::default(),
            paths: Mutex::default(),
            redacted: Known::default(),
            counting: counting::Counting::default(),
            recalling: recalling::Recalling::default(),
            plans: sessions::carried::Plans::default(),
            mcp: tools::servers::Sessions::default(),
            waiting: tools::Waiting::default(),
            forgotten: Mutex::default(),
            offering: tools::Known::default(),
        }))
    }

    fn now(&self) -> Timestamp {
        self.0.world.clock.now()
    }
}

/// The lock, whether or not a thread panicked while it held it: the maps inside are valid after every statement.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

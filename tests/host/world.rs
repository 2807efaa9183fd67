//! What surrounds the program: the real adapters as the window wires them, and beside them what a test may change.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use siltstone_app::{App, Options, World};
use siltstone_engine::keys::KeyringState;
use siltstone_engine::ports::{Clock, SecretStore};
use siltstone_engine::secret::Secret;
use siltstone_providers::{Connections, Embeddings};
use siltstone_remotes::Buckets;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use siltstone_tools::{Beside, Programs, Servers, Shell};
use siltstone_updates::Packages;
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};

use crate::secrets::Secrets;

/// What a test starts with. Home and configuration are the environment's, which is the test's own.
#[derive(Deserialize)]
pub(crate) struct Start {
    data_dir: PathBuf,
    language: String,
    start_path: Option<String>,
}

/// What may be another way from now on; what is not said stays.
#[derive(Deserialize)]
pub(crate) struct Surroundings {
    keyring: Option<KeyringState>,
    /// Whether the open keyring refuses every key.
    keyring_refuses: Option<bool>,
    /// There is an encrypted file under this passphrase, and it is closed.
    vault_locked: Option<String>,
    /// How far the clock is ahead of the system's, in seconds.
    clock_ahead: Option<i64>,
}

/// The parts that are not the system's.
#[derive(Default)]
pub(crate) struct Around {
    secrets: Arc<Secrets>,
    clock: Arc<Ahead>,
}

/// The system's clock, so many seconds ahead.
#[derive(Default)]
struct Ahead(AtomicI64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        Timestamp::now() + SignedDuration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

impl Around {
    pub(crate) fn become_so(&self, now: Surroundings) {
        let Secrets { kept, refuses, vault_closed } = &*self.secrets;
        if let Some(state) = now.keyring {
            kept.set_keyring(state);
        }
        if let Some(so) = now.keyring_refuses {
            refuses.store(so, Ordering::SeqCst);
        }
        if let Some(passphrase) = now.vault_locked {
            self.secrets.unlock_vault(&Secret::new(passphrase)).expect("its own passphrase");
            vault_closed.store(true, Ordering::SeqCst);
        }
        if let Some(seconds) = now.clock_ahead {
            self.clock.0.store(seconds, Ordering::SeqCst);
        }
    }
}

/// The app over the real adapters, as `src-tauri/src/start.rs` has it.
pub(crate) fn app(start: Start, around: Arc<Around>) -> App {
    let Start { data_dir, language, start_path } = start;
    let folders = Arc::new(Folders::new());
    let connections = Arc::new(Connections::new().with_offline_pace(Duration::from_millis(1)));
    let world = World {
        data: Arc::new(DataDir::new(data_dir.clone(), Arc::new(Seals))),
        files: folders.clone(),
        memory: folders.clone(),
        skills: folders.clone(),
        sessions: folders.clone(),
        snapshots: Arc::new(Snapshots::new(data_dir.join("checkpoints").join("stamps"))),
        providers: connections.clone(),
        embedders: Arc::new(Embeddings::new(data_dir.join("models"))),
        secrets: around.secrets.clone(),
        sealer: Arc::new(Seals),
        remotes: Arc::new(Buckets::new(connections.clone())),
        foreign: folders.clone(),
        clients: folders.clone(),
        file_tools: folders,
        commands: Arc::new(Shell),
        mcp: Arc::new(Servers::new(connections.clone())),
        copies: Arc::new(Beside),
        workers: Arc::new(Programs::new()),
        agents: Arc::new(Agents::below(&data_dir)),
        updates: Arc::new(Packages::new(connections, data_dir.join("updates"), None)),
        clock: around.clock.clone(),
    };
    let options = Options {
        data_dir,
        system_language: language,
        start_path,
        working_directory: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    App::start(world, options)
}

//! A second process on a data folder, which counts how often memory is read and whose clock can be moved on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use siltstone_app::{App, Options, World};
use siltstone_engine::Timestamp;
use siltstone_engine::memory::{
    Imported, MemoryDocument, MemoryFile, MemoryFiles, MemoryPlace, MemorySettings, OnMemoryChange,
    Refusal, SaveError, Watching,
};
use siltstone_engine::ports::{Clock, FolderError, OnProgress};
use siltstone_providers::Connections;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use siltstone_tools::Shell;
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};

use crate::kept::Kept;

/// The real folders, and how often their rules were read.
#[derive(Default)]
struct Counted {
    folders: Folders,
    read: Arc<AtomicUsize>,
}

impl MemoryFiles for Counted {
    fn own_file(&self) -> Option<String> {
        self.folders.own_file()
    }
    fn along(
        &self,
        place: &MemoryPlace<'_>,
        dirs: &[String],
    ) -> Result<Vec<MemoryFile>, FolderError> {
        self.read.fetch_add(1, SeqCst);
        self.folders.along(place, dirs)
    }
    fn all(
        &self,
        place: &MemoryPlace<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<MemoryFile>, FolderError> {
        self.folders.all(place, progress)
    }
    fn import(
        &self,
        place: &MemoryPlace<'_>,
        from: &str,
        target: &str,
    ) -> Result<Imported, Refusal> {
        self.folders.import(place, from, target)
    }
    fn open(&self, place: &MemoryPlace<'_>, path: &str) -> Result<MemoryDocument, FolderError> {
        self.folders.open(place, path)
    }
    fn save(
        &self,
        place: &MemoryPlace<'_>,
        path: &str,
        text: &str,
        base: Option<&str>,
    ) -> Result<MemoryDocument, SaveError> {
        self.folders.save(place, path, text, base)
    }
    fn remove(&self, place: &MemoryPlace<'_>, path: &str, base: &str) -> Result<(), SaveError> {
        self.folders.remove(place, path, base)
    }
    fn root_of(&self, folder: &str, settings: &MemorySettings) -> Result<String, FolderError> {
        self.folders.root_of(folder, settings)
    }
    fn watch(
        &self,
        place: &MemoryPlace<'_>,
        on_change: OnMemoryChange,
    ) -> Result<Watching, FolderError> {
        self.folders.watch(place, on_change)
    }
    fn unwatch(&self, root: &str) {
        self.folders.unwatch(root);
    }
}

/// The real time, and so many minutes more.
#[derive(Default)]
pub struct Ahead(pub AtomicU64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        Timestamp::now() + Duration::from_secs(self.0.load(SeqCst) * 60)
    }
}

/// A second process on the data folder of a journey, which counts.
pub fn counting(data: &Path) -> (App, Arc<AtomicUsize>, Arc<Ahead>) {
    let (memory, clock) = (Counted::default(), Arc::new(Ahead::default()));
    let (read, files) = (memory.read.clone(), memory.folders.clone());
    let world = World {
        data: Arc::new(DataDir::new(data.to_path_buf(), Arc::new(Seals))),
        files: Arc::new(files.clone()),
        memory: Arc::new(memory),
        skills: Arc::new(Folders::new()),
        sessions: Arc::new(files),
        snapshots: Arc::new(Snapshots::new(data.join("checkpoints/stamps"))),
        providers: Arc::new(Connections::new().with_offline_pace(Duration::from_millis(1))),
        embedders: Arc::new(siltstone_providers::Embeddings::new(data.join("models"))),
        secrets: Arc::new(Kept::default()),
        sealer: Arc::new(Seals),
        remotes: crate::world::buckets(),
        foreign: Arc::new(Folders::new()),
        clients: Arc::new(Folders::new()),
        file_tools: Arc::new(Folders::new()),
        commands: Arc::new(Shell),
        mcp: crate::world::servers(),
        copies: Arc::new(siltstone_tools::Beside),
        workers: Arc::new(siltstone_tools::Programs::new()),
        agents: Arc::new(Agents::below(data)),
        updates: crate::world::updates(data),
        clock: clock.clone(),
    };
    let options = Options {
        data_dir: data.to_path_buf(),
        system_language: "en".into(),
        start_path: None,
        working_directory: None,
        version: "test".into(),
    };
    (App::start(world, options), read, clock)
}

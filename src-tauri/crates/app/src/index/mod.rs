//! Keeping a project's full-text index in step with its files: only what changed is read, what lies nearest the root
//! first.

pub(crate) mod mentions;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use siltstone_engine::ids::ProjectId;
use siltstone_engine::passage::{self, FileStamp, Passage};
use siltstone_engine::ports::FolderError;
use siltstone_engine::project::Project;

use crate::core::{Core, blocking, locked, service};
use crate::memory::MemoryService;
use crate::privacy::PrivacyService;

service! {
    /// Full-text indexes of projects' files, and the files that messages name.
    IndexService {
        needs { core: Core, privacy: PrivacyService, memory: MemoryService }
        keeps {
            indexing: Mutex<HashMap<ProjectId, Arc<Indexing>>>,
            paths: Mutex<HashMap<ProjectId, mentions::Listed>>,
        }
    }
}

/// Files that enter the index together.
const AT_ONCE: usize = 100;

/// Changed files that a message waits for. Those beyond are found by a later one.
const WAITED_FOR: usize = 2_000;

/// Files and folders that a message waits for while they are looked at, to find those files.
const LOOKED_AT: u64 = 150_000;

/// How the index of a project is brought up to date.
#[derive(Default)]
pub(crate) struct Indexing {
    alone: tokio::sync::Mutex<()>,
    /// Set when what a message waits for has entered, while the rest goes on: whether that is all that is to be read.
    enough: tokio::sync::watch::Sender<Option<bool>>,
}

impl IndexService {
    /// Brings the index of a project up to date for a message, which does not wait for more files than it has to. Whether
    /// all of them are known by then.
    pub(crate) async fn refresh_index_for_message(&self, project: &Project) -> bool {
        let mut enough = self.indexing(project.id).enough.subscribe();
        let (this, of) = (self.clone(), project.clone());
        let all = tokio::spawn(async move { this.refresh_index(&of).await });
        tokio::select! {
            biased;
            _ = all => true,
            enough = enough.wait_for(Option::is_some) => enough.is_ok_and(|all| *all == Some(true)),
        }
    }

    fn indexing(&self, id: ProjectId) -> Arc<Indexing> {
        locked(&self.indexing).entry(id).or_default().clone()
    }

    /// Brings the index of a project up to date. Failures are logged: an older index still answers.
    pub(crate) async fn refresh_index(&self, project: &Project) {
        if self.core.is_read_only() {
            return;
        }
        let indexing = self.indexing(project.id);
        let _alone = indexing.alone.lock().await;
        let (this, project, is_on) = (self.clone(), project.clone(), indexing.clone());
        let done = blocking(move || this.index_changes(&project, &is_on)).await;
        indexing.enough.send_replace(None);
        if let Ok(Err(error)) | Err(error) = done
            .map(|done| done.map_err(|error| error.to_string()))
            .map_err(|error| error.to_string())
        {
            tracing::warn!(%error, "indexing a project");
        }
    }

    fn index_changes(
        &self,
        project: &Project,
        indexing: &Indexing,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let passages = self.core.stores()?.passages;
        let known: HashMap<String, FileStamp> = passages
            .stamps(project.id)?
            .into_iter()
            .map(|stamp| (stamp.path.clone(), stamp))
            .collect();
        let found = self.privacy.files_to_send(project, &mut |met| {
            if met.files + met.folders >= LOOKED_AT {
                indexing.enough.send_replace(Some(false));
            }
            true
        })?;
        let is_large = found.len() > WAITED_FOR;
        let there: HashSet<&str> = found.iter().map(|stamp| stamp.path.as_str()).collect();
        let gone: Vec<String> =
            known.keys().filter(|path| !there.contains(path.as_str())).cloned().collect();
        if !gone.is_empty() {
            passages.remove_files(project.id, &gone)?;
        }
        let mut changed: Vec<FileStamp> =
            found.into_iter().filter(|stamp| known.get(&stamp.path) != Some(stamp)).collect();
        changed.sort_by_key(|stamp| stamp.path.matches('/').count());
        for (done, some) in changed.chunks(AT_ONCE).enumerate() {
            passages.put_files(project.id, &self.passages_of(project, some)?)?;
            if (done + 1) * AT_ONCE >= WAITED_FOR {
                indexing.enough.send_replace(Some(false));
            }
        }
        if is_large {
            // A request reads the memory that is about it by itself; looking for all of it goes through every folder.
            indexing.enough.send_replace(Some(true));
        }
        self.memory.index_memory(Some(project));
        Ok(())
    }

    /// What is found in files. An unreadable or binary one has no passages, and is not read again until it changes.
    fn passages_of(
        &self,
        project: &Project,
        stamps: &[FileStamp],
    ) -> Result<Vec<(FileStamp, Vec<Passage>)>, FolderError> {
        let paths: Vec<&str> = stamps.iter().map(|stamp| stamp.path.as_str()).collect();
        let shown = self.memory.memory_as_found(project);
        let cut = |(stamp, text): (&FileStamp, Result<String, FolderError>)| {
            let passages = text.map(|text| passage::cut(&stamp.path, &shown(&stamp.path, text)));
            let passages = passages.inspect_err(|error| tracing::debug!(%error, "not indexed"));
            (stamp.clone(), passages.unwrap_or_default())
        };
        Ok(stamps.iter().zip(self.privacy.texts_to_send(project, &paths)?).map(cut).collect())
    }
}

//! Where a project keeps its checkpoints: with everything else on this computer, and where the person wants it a copy in
//! its own folder.
//!
//! The storage writes the copy; here it is asked to after every checkpoint, and the person's word switches it on,
//! off, and stops it. A folder that this computer did not write is listed, and read only when the person takes it over.

use std::collections::BTreeSet;
use std::time::Duration;

use siltstone_contract::{
    CheckpointPlace, Code, CopyEvent, Failure, FolderFound, ProjectRef, SetPlace, TakeFolder,
    TakenFolder, Topic,
};
use siltstone_engine::checkpoint::{Checkpoint, FoundCheckpoints, Kept, ObjectId, Tree, needed};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::Project;
use tokio_util::sync::CancellationToken;

use super::carrying::Arrived;
use crate::Sink;
use crate::checkpoints::CheckpointService;
use crate::core::failure::{Outcome, conflict, of_store};
use crate::core::{blocking, locked};

/// How often, and after which pause, is tried again what another process is in the way of.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// After how many objects it is told how far the copy is.
const EACH: u64 = 100;

impl CheckpointService {
    /// Where the checkpoints of a project are kept, and folders of others in it.
    pub async fn checkpoint_place(&self, request: ProjectRef) -> Result<CheckpointPlace, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let working = locked(&self.taking.placing).contains_key(&project.id);
        let places = stores.places;
        let read = move || {
            let found = places.found(project.id, &project.path)?;
            Ok::<_, StoreError>((places.place(project.id)?, found))
        };
        let (state, found) = blocking(read).await?.or_failure()?;
        let found = found.into_iter().map(|folder| FolderFound {
            name: folder.name,
            bytes: folder.bytes,
            taken: folder.taken,
        });
        Ok(CheckpointPlace {
            kept: state.kept,
            path: state.path,
            whole: state.whole,
            failed: state.failed,
            waits: state.waits,
            lost: state.lost,
            working,
            found: found.collect(),
        })
    }

    /// Keeps a copy of the checkpoints of a project in its own folder, or none any more.
    pub async fn checkpoint_place_set(
        &self,
        request: SetPlace,
        sink: Sink<CopyEvent>,
    ) -> Result<CheckpointPlace, Failure> {
        self.unlocked().await?;
        let SetPlace { project_id: id, to } = request;
        let project = self.core.stores()?.records.project(id).or_failure()?;
        if to == Kept::Project && self.core.world.snapshots.is_wide(&project.path) {
            return Err(Failure::new(Code::FolderTooWide, "the folder is too wide to be kept"));
        }
        let stop = CancellationToken::new();
        {
            let mut placing = locked(&self.taking.placing);
            if placing.contains_key(&id) {
                return Err(conflict("this is being done already"));
            }
            placing.insert(id, stop.clone());
        }
        let done = self.place_until(project, to, &stop, sink).await;
        locked(&self.taking.placing).remove(&id);
        self.core.changed([Topic::Checkpoints]);
        done?;
        self.checkpoint_place(ProjectRef { id }).await
    }

    /// Stops the first copy; there is none then.
    pub async fn checkpoint_place_cancel(&self, request: ProjectRef) -> Result<(), Failure> {
        if let Some(stop) = locked(&self.taking.placing).get(&request.id) {
            stop.cancel();
        }
        Ok(())
    }

    /// Takes over what a folder of checkpoints holds that this computer did not write: files, memory and context. The
    /// conversations are not in it.
    pub async fn checkpoint_place_take(&self, request: TakeFolder) -> Result<TakenFolder, Failure> {
        self.unlocked().await?;
        let stores = self.core.stores()?;
        let project = stores.records.project(request.project_id).or_failure()?;
        let alone = self.taking.alone.lock().await;
        let this = self.clone();
        let taken = blocking(move || {
            let places = stores.places;
            let name = request.name;
            let found = places.open_found(project.id, &project.path, &name).or_failure()?;
            let taken = this.take_over(project.id, found.as_ref())?;
            if !taken.taken.is_empty() {
                places.settle_found(project.id, &name).or_failure()?;
            }
            Ok::<_, Failure>(taken)
        });
        let taken = taken.await??;
        drop(alone);
        self.copy_after(request.project_id).await;
        self.core.changed([Topic::Checkpoints]);
        Ok(taken)
    }

    fn take_over(
        &self,
        project: ProjectId,
        found: &dyn FoundCheckpoints,
    ) -> Result<TakenFolder, Failure> {
        let mut taken = TakenFolder { taken: Vec::new(), left_out: 0, sealed: found.is_sealed() };
        for checkpoint in found.checkpoints() {
            let Some(objects) = whole(found, checkpoint) else {
                taken.left_out += 1;
                continue;
            };
            let mut objects = objects.into_iter().map(|id| found.object(id).or_failure());
            let arrived = Arrived { checkpoint: checkpoint.clone(), chat: None };
            let (kept, _) = self.arrive(project, arrived, &mut objects)?;
            taken.taken.push(kept.id);
        }
        Ok(taken)
    }

    /// Waits for who is at the copy, and writes or deletes it.
    async fn place_until(
        &self,
        project: Project,
        to: Kept,
        stop: &CancellationToken,
        sink: Sink<CopyEvent>,
    ) -> Result<(), Failure> {
        let mut tries = 0;
        loop {
            let places = self.core.stores()?.places;
            let (project, stop, sink) = (project.clone(), stop.clone(), sink.clone());
            let stopped = stop.clone();
            let done = blocking(move || {
                places.set_place(project.id, &project.path, to, &mut |done, total| {
                    if done % EACH == 0 || done == total {
                        sink(CopyEvent { done, total });
                    }
                    !stop.is_cancelled()
                })
            });
            match done.await? {
                Ok(()) => return Ok(()),
                Err(_) if stopped.is_cancelled() => {
                    return Err(Failure::new(Code::Cancelled, "cancelled"));
                }
                Err(StoreError::Conflict { what: "its copy is being written" })
                    if tries < TRIES =>
                {
                    tries += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(of_store(error)),
            }
        }
    }

    /// Brings the copy of a project up to what is kept, if it has one: beside the work of a host that stays, and before
    /// another one goes. What fails there is told with the place, and is in nobody's way.
    pub(super) async fn copy_after(&self, project: ProjectId) {
        let Ok(Stores { places, .. }) = self.core.stores() else { return };
        let this = self.clone();
        let copied = async move {
            let done = blocking(move || places.copy(project).or_failure()).await;
            match done.and_then(|done| done) {
                Ok(false) => return,
                Ok(true) => {}
                Err(failure) => tracing::warn!(%failure, "copying checkpoints into the project"),
            }
            this.core.changed([Topic::Checkpoints]);
        };
        if self.memory.stays() {
            tokio::spawn(copied);
        } else {
            copied.await;
        }
    }
}

/// What a found checkpoint needs, if all of it is there and nothing in it leads elsewhere.
fn whole(found: &dyn FoundCheckpoints, checkpoint: &Checkpoint) -> Option<Vec<ObjectId>> {
    if !checkpoint.is_known() {
        return None;
    }
    let mut objects = Vec::new();
    let mut tree =
        |id| -> Result<Tree, StoreError> { Ok(Tree::decode_foreign(id, &found.object(id)?)?) };
    needed(checkpoint, &mut BTreeSet::new(), &mut objects, &mut tree).ok()?;
    objects.iter().all(|id| found.object(*id).is_ok()).then_some(objects)
}

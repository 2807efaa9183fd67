//! Where a project keeps its checkpoints: with everything else on this computer, or in its own folder.
//!
//! The storage copies and switches; here are the steps between which checkpoints are taken as ever, and the person's word
//! that stops them. A folder that this computer did not write is listed, and read only when the person takes it over.

use std::collections::BTreeSet;
use std::time::Duration;

use siltstone_contract::{
    CheckpointPlace, Code, Failure, FolderFound, MoveCheckpoints, MoveEvent, ProjectRef,
    TakeFolder, TakenFolder, Topic,
};
use siltstone_engine::checkpoint::{
    Checkpoint, FoundCheckpoints, Kept, Moved, Moving, ObjectId, Tree, needed,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;
use tokio_util::sync::CancellationToken;

use super::carrying::Arrived;
use crate::failure::{Outcome, conflict, of_store};
use crate::projects::blocking;
use crate::{App, Sink, locked};

/// How often, and after which pause, is tried again what another process is in the way of.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

impl App {
    /// Where the checkpoints of a project are kept, and folders of others in it.
    pub async fn checkpoint_place(&self, request: ProjectRef) -> Result<CheckpointPlace, Failure> {
        let stores = self.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        let working = locked(&self.0.taking.moving).contains_key(&project.id);
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
            gone: state.gone,
            lost: state.lost,
            working,
            found: found.collect(),
        })
    }

    /// Brings the checkpoints of a project into its own folder, or back.
    pub async fn checkpoint_place_move(
        &self,
        request: MoveCheckpoints,
        sink: Sink<MoveEvent>,
    ) -> Result<CheckpointPlace, Failure> {
        self.unlocked().await?;
        let MoveCheckpoints { project_id: id, to } = request;
        let project = self.stores()?.records.project(id).or_failure()?;
        if to == Kept::Project && self.0.world.snapshots.is_wide(&project.path) {
            return Err(Failure::new(Code::FolderTooWide, "the folder is too wide to be kept"));
        }
        let stop = CancellationToken::new();
        {
            let mut moving = locked(&self.0.taking.moving);
            if moving.contains_key(&id) {
                return Err(conflict("this is being done already"));
            }
            moving.insert(id, stop.clone());
        }
        let done = self.bring_over(id, project.path, to, &stop, sink).await;
        locked(&self.0.taking.moving).remove(&id);
        self.changed([Topic::Checkpoints]);
        done?;
        // What was left behind is nobody's now; where it cannot be freed, the next cleaning does.
        if let Err(failure) = self.collect().await {
            tracing::warn!(%failure, "freeing what was moved");
        }
        self.checkpoint_place(ProjectRef { id }).await
    }

    /// Stops moving them; they stay where they are.
    pub async fn checkpoint_place_cancel(&self, request: ProjectRef) -> Result<(), Failure> {
        if let Some(stop) = locked(&self.0.taking.moving).get(&request.id) {
            stop.cancel();
        }
        Ok(())
    }

    /// Takes over what a folder of checkpoints holds that this computer did not write: files, memory and context. The
    /// conversations are not in it.
    pub async fn checkpoint_place_take(&self, request: TakeFolder) -> Result<TakenFolder, Failure> {
        self.unlocked().await?;
        let stores = self.stores()?;
        let project = stores.records.project(request.project_id).or_failure()?;
        let alone = self.0.taking.alone.lock().await;
        let app = self.clone();
        let taken = blocking(move || {
            let places = stores.places;
            let found = places.open_found(project.id, &project.path, &request.name).or_failure()?;
            let taken = app.take_over(project.id, found.as_ref())?;
            if !taken.taken.is_empty() {
                places.settle_found(project.id, &request.name).or_failure()?;
            }
            Ok::<_, Failure>(taken)
        });
        let taken = taken.await??;
        drop(alone);
        self.changed([Topic::Checkpoints]);
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

    /// Goes on step by step until the other place counts.
    async fn bring_over(
        &self,
        project: ProjectId,
        root: String,
        to: Kept,
        stop: &CancellationToken,
        sink: Sink<MoveEvent>,
    ) -> Result<(), Failure> {
        let places = self.stores()?.places;
        let begun = blocking(move || places.begin_moving(project, &root, to));
        let mut moving = begun.await?.or_failure()?;
        let mut tries = 0;
        loop {
            let alone = self.0.taking.alone.lock().await;
            let (stepped, moved) = step(moving, stop.is_cancelled()).await?;
            drop(alone);
            moving = match stepped {
                Some(moving) => moving,
                None => return Err(Failure::new(Code::Cancelled, "cancelled")),
            };
            match moved {
                Ok(Moved { done, total, finished }) => {
                    tries = 0;
                    sink(MoveEvent { done, total });
                    if finished {
                        return Ok(());
                    }
                }
                Err(StoreError::Conflict { what: "a checkpoint is being made" })
                    if tries < TRIES =>
                {
                    tries += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => {
                    // What was copied goes, off the async threads.
                    blocking(move || drop(moving)).await?;
                    return Err(of_store(error));
                }
            }
        }
    }
}

/// A move under way, if it goes on, and how far it is.
type Stepped = (Option<Box<dyn Moving>>, Result<Moved, StoreError>);

/// One step, or the end of a move that was cancelled: then everything is where it was.
async fn step(mut moving: Box<dyn Moving>, is_cancelled: bool) -> Result<Stepped, Failure> {
    blocking(move || {
        if is_cancelled {
            drop(moving);
            return (None, Ok(Moved::default()));
        }
        let moved = moving.step();
        (Some(moving), moved)
    })
    .await
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

//! Copies of projects, as far as they are files: a new folder gets what the project holds, and what is changed there is taken
//! over by a plan, as a checkpoint is restored.

use siltstone_contract::{Failure, ProjectRef, RestoreParts, RestorePlan, Topic};
use siltstone_engine::checkpoint::{
    Action, Captured, Change, Checkpoint, CheckpointReason, ContextState, Dirty, FORMAT, Leaf,
    Metadata, NotCaptured, ObjectId, Objects, Parts, SnapshotError, SnapshotPlace, StoredPlan,
    TakenOver, Texts, Why, diff, take_over,
};
use siltstone_engine::ids::{CheckpointId, PlanId, ProjectId};
use siltstone_engine::ports::{Folder, FolderError, Stores};
use siltstone_engine::project::Project;

use super::TAG;
use super::changes::still_there;
use super::comparing::{Readable, readable, tree_of, trees};
use super::restoring::planned;
use super::taking::{NEWEST, Wanted, after, files_state, is_own, of_snapshot};
use crate::checkpoints::CheckpointService;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict};

/// A folder that is filled: how many files of how many; `false` cancels.
pub(crate) type Filling<'a> = &'a mut (dyn FnMut(u64, u64) -> bool + Send);

impl CheckpointService {
    /// Makes a folder, which holds nothing of the person's, hold what a project holds, with what is not committed.
    pub(crate) fn fill(
        &self,
        project: &Project,
        path: &str,
        filling: Filling<'_>,
    ) -> Result<(), Failure> {
        let _alone = self.taking.alone.blocking_lock();
        let stores = self.core.stores()?;
        let objects = stores.checkpoints.objects();
        let snapshots = &self.core.world.snapshots;
        let here = self.capture(&stores, project, &[]).map_err(of_snapshot)?.tree;
        let there = self.at_place(&stores, project, |place| {
            let place = SnapshotPlace { root: path, ..*place };
            snapshots.capture(&place, &Dirty::Anything, objects.as_ref(), &mut |_| true)
        });
        let there = there.map_err(of_snapshot)?.tree;
        let mut changes = diff(there, here, &mut trees(objects.as_ref())).or_failure()?;
        // What goes makes room for what comes.
        changes.sort_by_key(|change| change.after.is_some());
        let total = changes.len() as u64;
        for (done, Change { path: below, before, after }) in (0..).zip(&changes) {
            if !filling(done, total) {
                return Err(of_snapshot(SnapshotError::Cancelled));
            }
            let (before, after) = (before.as_ref(), after.as_ref());
            snapshots
                .write(path, below, before, after, &[], objects.as_ref())
                .map_err(of_snapshot)?;
        }
        filling(total, total);
        Ok(())
    }

    /// The first checkpoint of a copy of `of`, which stays.
    pub(crate) async fn begin_copy(
        &self,
        copy: Project,
        of: &str,
    ) -> Result<CheckpointId, Failure> {
        let tag = match self.core.language().as_str() {
            "ko" => format!("{of}의 복사본"),
            _ => format!("Copy of {of}"),
        };
        let _alone = self.taking.alone.lock().await;
        let reason = CheckpointReason::Manual;
        let (tag, surely) = (Some(tag.chars().take(TAG).collect()), Vec::new());
        let wanted = Wanted { project: copy, conversation: None, reason, tag, surely };
        let (taken, _) = self.take(wanted).await?.ok_or_else(|| conflict("nothing changed"))?;
        let rows = self.core.stores()?.checkpoints;
        rows.change_checkpoint(taken.id, taken.tag.as_deref(), true).or_failure()?;
        Ok(taken.id)
    }

    /// What taking over the changes of a copy would do to the project; nothing is done.
    pub async fn copy_plan(&self, request: ProjectRef) -> Result<RestorePlan, Failure> {
        self.unlocked().await?;
        let _alone = self.taking.alone.lock().await;
        let this = self.clone();
        blocking(move || this.plan_taking_over(request.id)).await?
    }

    /// How many files a copy changed that the project does not have so, and what of it no checkpoint holds.
    pub(crate) async fn left_in_copy(
        &self,
        id: ProjectId,
    ) -> Result<(u64, Vec<NotCaptured>), Failure> {
        if let Ok(plan) = self.copy_plan(ProjectRef { id }).await {
            return Ok((plan.files.len() as u64, plan.untouched));
        }
        // Nothing can be compared: what it began with, or the project's folder, is gone. All of it is said to be left.
        let _alone = self.taking.alone.lock().await;
        let this = self.clone();
        let held = blocking(move || {
            let stores = this.core.stores()?;
            let copy = stores.records.project(id).or_failure()?;
            if this.is_gone(&copy) {
                return Ok((0, Vec::new()));
            }
            let held = this.capture(&stores, &copy, &[]).map_err(of_snapshot)?;
            stores.checkpoints.objects().sync().or_failure()?;
            Ok::<_, Failure>((held.files, held.not_captured))
        });
        held.await?
    }

    /// Keeps what a copy holds in a checkpoint of the project that it is of, which stays. `None` where its folder is gone.
    pub(crate) async fn keep_copy(
        &self,
        copy: Project,
        project: Project,
    ) -> Result<Option<CheckpointId>, Failure> {
        self.unlocked().await?;
        let _alone = self.taking.alone.lock().await;
        let this = self.clone();
        let kept = blocking(move || {
            if this.is_gone(&copy) {
                return Ok::<_, Failure>(None);
            }
            let stores = this.core.stores()?;
            let held = this.capture(&stores, &copy, &[]).map_err(of_snapshot)?;
            let kept = this.kept_of_copy(&stores, &project, &copy, held)?;
            // One that was looked at before may have been given a name.
            let tag = stores.checkpoints.checkpoint(kept).or_failure()?.tag;
            stores.checkpoints.change_checkpoint(kept, tag.as_deref(), true).or_failure()?;
            Ok(Some(kept))
        });
        kept.await?
    }

    /// Whether the folder of a project is no more.
    fn is_gone(&self, project: &Project) -> bool {
        let real = self.core.world.files.real_path(&project.path);
        matches!(real, Err(FolderError::NotAFolder { .. }))
    }

    /// Whether something stands at a path, though no checkpoint holds it: what git ignores by now, what is too large, what
    /// could not be read. Where nobody can tell it is.
    fn is_there(&self, project: &Project, path: &[u8]) -> bool {
        let folder = Folder { root: &project.path, exclude: &[] };
        let path = std::str::from_utf8(path);
        path.map_or(true, |path| !matches!(self.core.world.file_tools.leaf(folder, path), Ok(None)))
    }

    fn plan_taking_over(&self, id: ProjectId) -> Result<RestorePlan, Failure> {
        let stores = self.core.stores()?;
        let copy = stores.records.project(id).or_failure()?;
        let of = copy.copy.clone().ok_or_else(|| bad_request("this project is no copy"))?;
        let project = stores.records.project(of.project).or_failure()?;
        let base = still_there(&stores, of.base)?;
        let base = base.ok_or_else(|| conflict("what the copy began with is not kept any more"))?;
        let held = self.capture(&stores, &copy, &[]).map_err(of_snapshot)?;
        let now = self.capture(&stores, &project, &[]).map_err(of_snapshot)?.tree;
        let (theirs, untouched) = (held.tree, held.not_captured.clone());
        let kept = self.kept_of_copy(&stores, &project, &copy, held)?;
        let objects = stores.checkpoints.objects();
        let finished = stores.checkpoints.finished_plans(project.id).or_failure()?;
        let before = TakenOver::by(id, &finished);
        let mut read = |id| trees(objects.as_ref())(id).or_failure();
        let trees_of = [tree_of(&base), theirs, now];
        let mut steps = take_over(trees_of, &before, &mut read, &mut Kept(objects.as_ref()))?;
        let own = |path: &[u8]| self.privacy.is_own_data(&project.path, path);
        steps.retain(|(step, _)| !own(&step.path));
        for (step, choice) in steps.iter_mut().filter(|(step, _)| step.then.is_none()) {
            if self.is_there(&copy, &step.path) {
                (step.action, step.why, *choice) = (Action::Skip, Why::Unknown, None);
            }
        }
        let todo = StoredPlan {
            id: PlanId::new(self.core.now()),
            checkpoint: kept,
            created_at: self.core.now(),
            parts: Parts { chat: false, files: true, memory: false, context: false },
            base: tree_of(&base),
            steps,
            before: None,
            finished_at: None,
            turn: None,
            copy: Some(id),
        };
        stores.checkpoints.put_plan(project.id, &todo).or_failure()?;
        Ok(RestorePlan {
            plan_id: todo.id,
            checkpoint_id: kept,
            parts: RestoreParts { chat: false, files: true, memory: false, context: false },
            files: planned(objects.as_ref(), &todo)?,
            untouched,
            messages: 0,
            lines: 0,
            keys: 0,
        })
    }

    /// The checkpoint of the project that holds what the copy holds; the one of before where nothing changed since.
    fn kept_of_copy(
        &self,
        stores: &Stores,
        project: &Project,
        copy: &Project,
        held: Captured,
    ) -> Result<CheckpointId, Failure> {
        let latest = stores.checkpoints.checkpoints(project.id, None, NEWEST).or_failure()?;
        let of_it = latest.iter().map(|(checkpoint, _)| checkpoint).find(|checkpoint| {
            matches!(checkpoint.reason, CheckpointReason::Copy { copy: of, .. } if of == copy.id)
        });
        if let Some(same) = of_it.filter(|it| tree_of(it) == held.tree) {
            stores.checkpoints.objects().sync().or_failure()?;
            return Ok(same.id);
        }
        let newest = latest.first().map(|(newest, _)| newest.created_at);
        let last = latest.iter().map(|(checkpoint, _)| checkpoint).find(|it| is_own(it));
        let objects = stores.checkpoints.objects();
        let now = after(newest, self.core.now());
        let checkpoint = Checkpoint {
            id: CheckpointId::new(now),
            tag: None,
            pinned: false,
            created_at: now,
            reason: CheckpointReason::Copy { copy: copy.id, name: copy.name.clone() },
            // Nothing of the project's own goes on from it.
            parent: None,
            project_id: Some(project.id),
            conversation: None,
            files: Some(files_state(objects.as_ref(), held, last)),
            context: ContextState::default(),
            metadata: Metadata {
                session_id: self.taking.session.clone(),
                user_id: None,
                project_path: copy.path.clone(),
                version: self.core.options.version.clone(),
                format: FORMAT,
            },
        };
        stores.checkpoints.add_checkpoint(&checkpoint).or_failure()?;
        self.core.changed([Topic::Checkpoints]);
        Ok(checkpoint.id)
    }
}

/// Texts that checkpoints hold.
struct Kept<'a>(&'a dyn Objects);

impl Texts<Failure> for Kept<'_> {
    fn read(&mut self, leaf: &Leaf) -> Result<Option<String>, Failure> {
        // One that no checkpoint holds any more is not compared.
        Ok(readable(self.0, Some(leaf)).ok().and_then(Readable::text))
    }

    fn keep(&mut self, text: &str) -> Result<ObjectId, Failure> {
        self.0.put(text.as_bytes()).or_failure()
    }
}

//! Going back: a plan first, then one file after another, and a checkpoint before the first of them, so that every
//! restore can be undone. A restore that was cut off goes on where it stopped: what is done is found to be done.

use std::collections::HashMap;

use siltstone_contract::{
    CheckpointRef, ConversationRef, FailedPath, Failure, MergeTexts, PathOutcome, PlanRestore,
    PlannedFile, PlannedFileRef, ProjectRef, RestoreParts, RestorePlan, Restored, RunRestore,
    Topic,
};
use siltstone_engine::checkpoint::{
    Action, Checkpoint, CheckpointReason, Choice, Did, Known, Leaf, ObjectId, Objects, Parts,
    RolledBack, SnapshotError, Step, StoredPlan, Why, empty_folders, merge, plan, shown,
};
use siltstone_engine::ids::{BranchId, ConversationId, MemoryLineId, PlanId, ProjectId};
use siltstone_engine::memory::{LineKind, MemoryLine};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::turn::Turn;
use tokio::sync::MutexGuard;

use super::comparing::{Readable, leaf_in, readable, size_of, tree_of, trees};
use super::seen::{Undone, notes, seen_tree};
use super::taking::{Wanted, after, of_snapshot, read_json};
use crate::checkpoints::CheckpointService;
use crate::contexts::Told;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict, of_store};
use crate::core::standing::is_replaced;

impl CheckpointService {
    /// What a restore would do; nothing is done.
    pub async fn checkpoint_plan(&self, request: PlanRestore) -> Result<RestorePlan, Failure> {
        self.unlocked().await?;
        let _alone = self.taking.alone.lock().await;
        self.plan_restore(request).await
    }

    /// Makes a plan and keeps it; whoever calls holds `alone`.
    async fn plan_restore(&self, request: PlanRestore) -> Result<RestorePlan, Failure> {
        let (checkpoint, project) = self.checkpoint_at(request.id)?;
        if !checkpoint.is_known() {
            return Err(conflict("a newer version made it; it can be looked at, not restored"));
        }
        let stores = self.core.stores()?;
        let project = stores.records.project(project).or_failure()?;
        let conversation = checkpoint.conversation.as_ref().map(|state| state.id);
        let parts = Parts {
            // A conversation may have been deleted for ever.
            chat: request.parts.chat
                && conversation.is_some_and(|id| stores.transcripts.conversation(id).is_ok()),
            files: request.parts.files && checkpoint.files.is_some(),
            memory: request.parts.memory,
            context: request.parts.context,
        };
        let messages = if parts.chat { self.messages_after(&stores, &checkpoint)? } else { 0 };
        let lines = match parts.memory {
            true => lines_to_change(&stores, &checkpoint, project.id)?,
            false => 0,
        };
        let keys = match parts.context {
            true => self.keys_to_change(&stores, &checkpoint, project.id).await?,
            false => 0,
        };
        let todo = StoredPlan {
            id: PlanId::new(self.core.now()),
            checkpoint: checkpoint.id,
            created_at: self.core.now(),
            parts,
            base: None,
            steps: Vec::new(),
            before: None,
            finished_at: None,
            turn: None,
            copy: None,
        };
        let (this, of) = (self.clone(), checkpoint.clone());
        let (todo, files) = blocking(move || this.plan_files(todo, &of, &project)).await??;
        let not_captured = checkpoint.files.map(|files| files.not_captured);
        Ok(RestorePlan {
            plan_id: todo.id,
            checkpoint_id: checkpoint.id,
            parts: RestoreParts {
                chat: parts.chat,
                files: parts.files,
                memory: parts.memory,
                context: parts.context,
            },
            files,
            untouched: not_captured.filter(|_| parts.files).unwrap_or_default(),
            messages,
            lines,
            keys,
        })
    }

    /// The texts of a file of a plan that can be merged.
    pub async fn checkpoint_merge(&self, request: PlannedFileRef) -> Result<MergeTexts, Failure> {
        self.unlocked().await?;
        let stores = self.core.stores()?;
        let found = stores.checkpoints.plan(request.plan_id).or_failure()?;
        let step = found.steps.get(request.index as usize).map(|(step, _)| step);
        let step = step.ok_or_else(|| bad_request("the plan has no such file"))?;
        let objects = stores.checkpoints.objects();
        let base = leaf_in(objects.as_ref(), found.base, &step.path)?;
        let texts = [base.as_ref(), step.now.as_ref(), step.then.as_ref()];
        let texts = texts.map(|leaf| readable(objects.as_ref(), leaf).map(Readable::text));
        let [base, now, then] = texts;
        let (Some(base), Some(now), Some(then)) = (base?, now?, then?) else {
            return Err(bad_request("only texts can be merged"));
        };
        let merged = merge(&base, &now, &then);
        Ok(MergeTexts { base, now, then, merged: merged.text, conflicts: merged.conflicts })
    }

    /// Carries a plan out, or goes on with one that was cut off.
    pub async fn checkpoint_restore(&self, request: RunRestore) -> Result<Restored, Failure> {
        self.unlocked().await?;
        let _alone = self.restore_alone().await?;
        self.restore_by_plan(request).await
    }

    /// Waits until nothing else restores or takes a checkpoint, here or in another process.
    pub(super) async fn restore_alone(
        &self,
    ) -> Result<(MutexGuard<'_, ()>, Box<dyn Send + Sync>), Failure> {
        let here = self.taking.alone.lock().await;
        let rows = self.core.stores()?.checkpoints;
        let anywhere = blocking(move || rows.restore_alone()).await?.or_failure()?;
        Ok((here, anywhere))
    }

    /// Carries a plan out; whoever calls restores alone.
    pub(super) async fn restore_by_plan(&self, request: RunRestore) -> Result<Restored, Failure> {
        let stores = self.core.stores()?;
        let mut todo = stores.checkpoints.plan(request.plan_id).or_failure()?;
        if todo.finished_at.is_some() {
            return Err(conflict("this restore was done already"));
        }
        let (checkpoint, project) = self.checkpoint_at(todo.checkpoint)?;
        let project = stores.records.project(project).or_failure()?;
        let objects = stores.checkpoints.objects();
        let conversation = checkpoint.conversation.as_ref().map(|state| state.id);
        if let Some(id) = conversation.filter(|_| todo.parts.chat)
            && stores.transcripts.open_turn_of(id).or_failure()?.is_some()
        {
            return Err(conflict("a reply is being written in this conversation"));
        }
        let before = match todo.before {
            Some(before) => before,
            None => {
                choose(objects.as_ref(), &mut todo, request)?;
                // Of what is taken over, or taken back, it may be that nothing is wanted.
                if !todo.is_whole() && todo.steps.iter().all(|(it, by)| it.outcome(*by).is_none()) {
                    return Err(conflict("nothing of this would change anything"));
                }
                let wanted = Wanted {
                    project: project.clone(),
                    conversation: conversation
                        .filter(|id| stores.transcripts.conversation(*id).is_ok()),
                    reason: CheckpointReason::BeforeRestore { of: checkpoint.id },
                    tag: None,
                    // What is to be written over.
                    surely: todo.steps.iter().map(|(step, _)| step.path.clone()).collect(),
                };
                let taken = self.take(wanted).await?.map(|(taken, _)| taken.id);
                let taken = taken.ok_or_else(|| conflict("nothing changed"))?;
                todo.before = Some(taken);
                // Noted before the first of them is written: a restore that is cut off then still knows its own.
                let undone = Undone::by(&stores, project.id, &checkpoint)?;
                let notes = notes(&todo, undone.as_ref());
                stores.checkpoints.note_written(project.id, &notes).or_failure()?;
                stores.checkpoints.put_plan(project.id, &todo).or_failure()?;
                taken
            }
        };
        let (this, steps, of) = (self.clone(), todo.steps.clone(), project.clone());
        let (then, was) =
            (tree_of(&checkpoint), stores.checkpoints.checkpoint(before).or_failure()?);
        let whole = todo.parts.files && todo.is_whole();
        let folders = whole.then(|| (then, tree_of(&was)));
        let wrote = blocking(move || this.write_files(&of, &steps, folders)).await??;
        let conversation_id = match todo.parts.chat {
            true => Some(self.show_moment(&stores, &checkpoint)?),
            false => None,
        };
        if todo.parts.memory {
            self.restore_lines(&stores, &checkpoint, project.id)?;
        }
        if todo.parts.context
            && let Some(then) = read_json::<Told>(objects.as_ref(), checkpoint.context.stores)?
        {
            self.contexts.tell_again(project.id, &then).await?;
        }
        let (parts, paths) = (todo.parts, wrote.done.as_slice());
        let did = match &checkpoint.reason {
            _ if todo.is_whole() => Did::Restored,
            CheckpointReason::Copy { name, .. } => Did::TookOver { copy: name },
            _ => Did::TookBack,
        };
        let told = RolledBack { to: &checkpoint, parts, paths, did };
        let told = told.tell(&self.core.language());
        self.contexts.say_restored(Some(project.id), Some(&told)).await?;
        let taken_at = stores.checkpoints.checkpoint(before).or_failure()?.created_at;
        todo.finished_at = Some(after(Some(taken_at), self.core.now()));
        stores.checkpoints.put_plan(project.id, &todo).or_failure()?;
        self.core.changed([Topic::Checkpoints, Topic::Memory]);
        Ok(Restored {
            before,
            done: wrote.done.len() as u64,
            kept: wrote.kept,
            failed: wrote.failed,
            conversation_id,
        })
    }

    /// Undoes the last restore of a project: what was there before it is restored, as far as it went. One that was cut
    /// off is finished first.
    pub async fn checkpoint_undo(&self, request: ProjectRef) -> Result<Restored, Failure> {
        self.unlocked().await?;
        let _alone = self.restore_alone().await?;
        let rows = self.core.stores()?.checkpoints;
        for cut_off in rows.unfinished_plans(request.id).or_failure()? {
            let rest = RunRestore { plan_id: cut_off.id, choices: Vec::new() };
            self.restore_by_plan(rest).await?;
        }
        let last = rows.last_restore(request.id).or_failure()?;
        let last = last.and_then(|plan| Some((plan.before?, plan.parts)));
        let (id, Parts { chat, files, memory, context }) =
            last.ok_or_else(|| conflict("nothing was restored in this project"))?;
        let parts = RestoreParts { chat, files, memory, context };
        let planned = self.plan_restore(PlanRestore { id, parts }).await?;
        let run = RunRestore { plan_id: planned.plan_id, choices: Vec::new() };
        self.restore_by_plan(run).await
    }

    /// Goes on from where a checkpoint's conversation stood, on a branch of its own; no file is touched.
    pub async fn checkpoint_continue(
        &self,
        request: CheckpointRef,
    ) -> Result<ConversationRef, Failure> {
        self.unlocked().await?;
        let (checkpoint, _) = self.checkpoint_at(request.id)?;
        let id = self.show_moment(&self.core.stores()?, &checkpoint)?;
        Ok(ConversationRef { id })
    }

    /// What the turn's request says of a restore.
    pub(crate) async fn told_of_restore(&self, turn: &Turn) -> Option<String> {
        self.contexts.restored(Some(self.project_of_turn(turn)?)).await
    }

    /// A request said it, and the next one does not.
    pub(crate) async fn told(&self, turn: &Turn, told: Option<String>) {
        let (Some(project), true) = (self.project_of_turn(turn), told.is_some()) else { return };
        // Another restore may have followed.
        if self.contexts.restored(Some(project)).await == told
            && let Err(failure) = self.contexts.say_restored(Some(project), None).await
        {
            tracing::warn!(%failure, "forgetting that a restore was told");
        }
    }

    fn project_of_turn(&self, turn: &Turn) -> Option<ProjectId> {
        self.core.stores().ok()?.transcripts.conversation(turn.conversation_id).ok()?.project_id
    }

    /// Puts the files into a plan and keeps it; whoever calls holds `alone`.
    fn plan_files(
        &self,
        mut todo: StoredPlan,
        checkpoint: &Checkpoint,
        project: &Project,
    ) -> Result<(StoredPlan, Vec<PlannedFile>), Failure> {
        let stores = self.core.stores()?;
        if todo.parts.files {
            todo.base = seen_tree(&stores, project.id)?;
            let now = self.capture(&stores, project, &[]).map_err(of_snapshot)?;
            let undone = Undone::by(&stores, project.id, checkpoint)?;
            let ours = |path: &[u8]| stores.checkpoints.written(project.id, path).ok().flatten();
            let put = |path: &[u8]| undone.as_ref().and_then(|undone| undone.wrote(path));
            let known = Known { seen: todo.base, ours: &ours, undone: &put };
            let objects = stores.checkpoints.objects();
            let read = &mut trees(objects.as_ref());
            let steps = plan(tree_of(checkpoint), now.tree, &known, read).or_failure()?;
            // A checkpoint of another program, or of a time before this was left out, may hold it.
            let other =
                steps.into_iter().filter(|it| !self.privacy.is_own_data(&project.path, &it.path));
            todo.steps = other.map(|step| (step, None)).collect();
        }
        stores.checkpoints.put_plan(project.id, &todo).or_failure()?;
        let files = planned(stores.checkpoints.objects().as_ref(), &todo)?;
        Ok((todo, files))
    }

    /// Writes one path after another; one that cannot be written does not stop the others. `folders` are the trees from
    /// which, and beside which, folders come back in which there is nothing.
    fn write_files(
        &self,
        project: &Project,
        steps: &[(Step, Option<Choice>)],
        folders: Option<(Option<ObjectId>, Option<ObjectId>)>,
    ) -> Result<Wrote, Failure> {
        let objects = self.core.stores()?.checkpoints.objects();
        let mut wrote = Wrote::default();
        let mut todo: Vec<(&Step, Option<Leaf>)> = Vec::new();
        for (step, choice) in steps {
            match step.outcome(*choice) {
                Some(then) if !self.privacy.is_own_data(&project.path, &step.path) => {
                    todo.push((step, then));
                }
                _ => wrote.kept += 1,
            }
        }
        // What goes makes room for what comes.
        todo.sort_by_key(|(_, then)| then.is_some());
        let (snapshots, root) = (&self.core.world.snapshots, project.path.as_str());
        // What is the same and becomes the same may be one file.
        let mut alike: HashMap<Becomes<'_>, Vec<&[u8]>> = HashMap::new();
        for (step, then) in &todo {
            alike.entry((step.now.as_ref(), then.as_ref())).or_default().push(&step.path);
        }
        for (step, then) in &todo {
            if is_replaced(&*self.core.world.files, project) {
                return Err(of_store(StoreError::Replaced { path: project.path.clone() }));
            }
            let (now, then) = (step.now.as_ref(), then.as_ref());
            let alike = alike.get(&(now, then)).map_or(&[][..], Vec::as_slice);
            match snapshots.write(root, &step.path, now, then, alike, objects.as_ref()) {
                Ok(()) => wrote.done.push(shown(&step.path)),
                // There is no room; it goes on where it stopped when there is.
                Err(SnapshotError::Store(error @ StoreError::Full)) => {
                    return Err(of_store(error));
                }
                Err(error) => {
                    let (path, detail) = (shown(&step.path), error.to_string());
                    wrote.failed.push(FailedPath { path, detail });
                }
            }
        }
        let Some((then, was)) = folders else { return Ok(wrote) };
        for path in empty_folders(then, was, &mut trees(objects.as_ref())).or_failure()? {
            if self.privacy.is_own_data(root, &path) {
                continue;
            }
            match snapshots.make_folder(root, &path) {
                Ok(true) => wrote.done.push(format!("{}/", shown(&path))),
                Ok(false) => {}
                Err(error) => {
                    let (path, detail) = (shown(&path), error.to_string());
                    wrote.failed.push(FailedPath { path, detail });
                }
            }
        }
        Ok(wrote)
    }

    /// Shows a conversation as it stood; what came later stays on its branch.
    fn show_moment(
        &self,
        stores: &Stores,
        checkpoint: &Checkpoint,
    ) -> Result<ConversationId, Failure> {
        let state = checkpoint.conversation.as_ref();
        let state = state.ok_or_else(|| bad_request("no conversation was open then"))?;
        if stores.transcripts.open_turn_of(state.id).or_failure()?.is_some() {
            return Err(conflict("a reply is being written in this conversation"));
        }
        let branch = BranchId::new(self.core.now());
        stores.transcripts.rewind(state.id, state.message, branch).or_failure()?;
        self.core.conversation_changed(state.id);
        Ok(state.id)
    }

    fn messages_after(&self, stores: &Stores, checkpoint: &Checkpoint) -> Result<u64, Failure> {
        let Some(state) = &checkpoint.conversation else { return Ok(0) };
        let page = stores.transcripts.page(state.id, None, 1).or_failure()?;
        let tip = page.messages.last().map(|found| found.message.id);
        let (_, after) = self.paths_apart(stores, state.message, tip)?;
        Ok(after.len() as u64)
    }

    fn restore_lines(
        &self,
        stores: &Stores,
        checkpoint: &Checkpoint,
        project: ProjectId,
    ) -> Result<(), Failure> {
        let conversation = checkpoint.conversation.as_ref().map(|state| state.id);
        let there = stores.memory.lines(Some(project), conversation).or_failure()?;
        let wanted = &checkpoint.context.runtime_additions;
        for line in there.iter().filter(|line| !wanted.contains(&line.text)) {
            let removed = MemoryLine { removed_at: Some(self.core.now()), ..line.clone() };
            stores.memory.put_line(&removed).or_failure()?;
        }
        for text in wanted.iter().filter(|text| !there.iter().any(|line| line.text == **text)) {
            let line = MemoryLine {
                id: MemoryLineId::new(self.core.now()),
                project_id: Some(project),
                conversation_id: None,
                kind: LineKind::Added,
                text: text.clone(),
                source: None,
                created_at: self.core.now(),
                removed_at: None,
            };
            stores.memory.put_line(&line).or_failure()?;
        }
        Ok(())
    }

    async fn keys_to_change(
        &self,
        stores: &Stores,
        checkpoint: &Checkpoint,
        project: ProjectId,
    ) -> Result<u64, Failure> {
        let objects = stores.checkpoints.objects();
        let Some(then) = read_json::<Told>(objects.as_ref(), checkpoint.context.stores)? else {
            return Ok(0);
        };
        let (now, then) = (self.contexts.told_context(project).await?.entries(), then.entries());
        let gone = now.keys().filter(|key| !then.contains_key(*key)).count();
        let other = then.iter().filter(|(key, value)| now.get(*key) != Some(value)).count();
        Ok((gone + other) as u64)
    }
}

/// What a path is and what it becomes.
type Becomes<'a> = (Option<&'a Leaf>, Option<&'a Leaf>);

#[derive(Default)]
struct Wrote {
    done: Vec<String>,
    kept: u64,
    failed: Vec<FailedPath>,
}

fn lines_to_change(
    stores: &Stores,
    checkpoint: &Checkpoint,
    project: ProjectId,
) -> Result<u64, Failure> {
    let conversation = checkpoint.conversation.as_ref().map(|state| state.id);
    let there = stores.memory.lines(Some(project), conversation).or_failure()?;
    let wanted = &checkpoint.context.runtime_additions;
    let gone = there.iter().filter(|line| !wanted.contains(&line.text)).count();
    let come = wanted.iter().filter(|text| !there.iter().any(|line| line.text == **text)).count();
    Ok((gone + come) as u64)
}

/// The files of a plan as the person sees them.
pub(super) fn planned(
    objects: &dyn Objects,
    todo: &StoredPlan,
) -> Result<Vec<PlannedFile>, Failure> {
    let mut files = Vec::with_capacity(todo.steps.len());
    for (index, (step, _)) in todo.steps.iter().enumerate() {
        let is_file = |leaf: &Option<Leaf>| matches!(leaf, Some(Leaf::File { .. }));
        let can_merge = (step.action == Action::Conflict || step.why == Why::Both)
            && is_file(&step.now)
            && is_file(&step.then)
            && is_file(&leaf_in(objects, todo.base, &step.path)?);
        files.push(PlannedFile {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            path: shown(&step.path),
            action: step.action,
            why: step.why,
            now: size_of(step.now.as_ref()),
            then: size_of(step.then.as_ref()),
            can_merge,
        });
    }
    Ok(files)
}

/// Puts the person's choices into a plan.
fn choose(
    objects: &dyn Objects,
    todo: &mut StoredPlan,
    request: RunRestore,
) -> Result<(), Failure> {
    for made in request.choices {
        let step = todo.steps.get_mut(made.index as usize);
        let (_, choice) = step.ok_or_else(|| bad_request("the plan has no such file"))?;
        *choice = Some(match made.choice {
            PathOutcome::Keep => Choice::Keep,
            PathOutcome::Overwrite => Choice::Overwrite,
            PathOutcome::Merge { text } => {
                let id = objects.put(text.as_bytes()).or_failure()?;
                Choice::Merge { id, size: text.len() as u64, mode: None }
            }
        });
    }
    Ok(())
}

//! What a turn changed in a project's files: listed under its reply, looked at piece by piece, and taken back. In the same
//! way, all that is different in a copy of a project from what it began with.
//!
//! What a turn did is the difference between the checkpoint before its first tool and the one after its end, never between
//! then and today: the person goes on working. Where no command ran, only what a tool for files wrote counts; where one did,
//! everything that changed meanwhile is listed, and what no tool wrote is said to be so. Taking back is a plan as any
//! restore is ([`super::restoring`]), so a checkpoint is taken before, it is gone on with after a crash, and undone.

use std::collections::HashSet;

use siltstone_contract::{
    ChangedFile, ChangesKnown, ChangesOf, Failure, Restored, ReviewChanges, ReviewedFile,
    RunRestore, ShownChange, TakeBackChanges, TakenBackFile, TurnChange, TurnChanges, TurnReview,
};
use siltstone_engine::checkpoint::{
    Action, Change, Checkpoint, Choice, Leaf, ObjectId, Objects, Parts, Pieces, Standing, Step,
    StoredPlan, Why, diff, shown,
};
use siltstone_engine::difference::Difference;
use siltstone_engine::ids::{CheckpointId, PlanId, ProjectId, TurnId};
use siltstone_engine::ports::{Folder, StoreError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::run::{NodeKind, RunNode};
use siltstone_engine::tool::Effect;

use super::comparing::{Readable, leaf_in, readable, size_of, tree_of, trees};
use super::taking::{is_own, of_snapshot};
use crate::checkpoints::CheckpointService;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict};

/// Files whose lines are counted, and that are looked for in the folder, when the changes are listed.
const COUNTED: usize = 200;

/// Lines of all differences together that a review shows at once.
const SHOWN_LINES: usize = 6_000;

/// Checkpoints that are looked through for the one that follows.
const PAGE: u32 = 200;

/// The two moments of a turn.
struct Span {
    before: Checkpoint,
    project: Project,
    /// The tree that the turn left; `None` where today's stands for it.
    left: Option<Option<ObjectId>>,
    known: ChangesKnown,
    /// What tools for files wrote.
    touched: HashSet<String>,
    /// Whether something ran that may write anywhere in the project.
    ran: bool,
}

/// What a look at a turn comes to.
enum Looked {
    Nothing,
    Gone,
    Found(Box<Span>),
}

/// One file of a turn: a change, or two of them where it was moved.
#[derive(Clone)]
struct Touched {
    change: Change,
    /// What stood under the name it had before.
    from: Option<Change>,
}

impl CheckpointService {
    /// The files that a turn changed, or that are different in a copy.
    pub async fn changes_get(&self, of: ChangesOf) -> Result<TurnChanges, Failure> {
        let none = |known| TurnChanges {
            project_id: None,
            known,
            files: Vec::new(),
            added: 0,
            removed: 0,
        };
        let mut span = match self.span_of(of).await? {
            Looked::Nothing => return Ok(none(ChangesKnown::Nothing)),
            Looked::Gone => return Ok(none(ChangesKnown::Gone)),
            Looked::Found(span) => span,
        };
        let left = match span.left {
            Some(left) => left,
            None => *span.left.insert(self.tree_now(&span.before).await?),
        };
        let this = self.clone();
        let listed = blocking(move || this.list(&span, left));
        listed.await?
    }

    /// The same with the differences, and how they stand in today's files.
    pub async fn changes_review(&self, request: ReviewChanges) -> Result<TurnReview, Failure> {
        let empty = |known| TurnReview { known, files: Vec::new() };
        let span = match self.span_of(request.of).await? {
            Looked::Nothing => return Ok(empty(ChangesKnown::Nothing)),
            Looked::Gone => return Ok(empty(ChangesKnown::Gone)),
            Looked::Found(span) => span,
        };
        let now = self.tree_now(&span.before).await?;
        let this = self.clone();
        let reviewed = blocking(move || {
            let objects = this.core.stores()?.checkpoints.objects();
            let mut room = SHOWN_LINES;
            let mut files = Vec::new();
            for touched in span.files(objects.as_ref(), span.left.unwrap_or(now))? {
                let path = shown(&touched.change.path);
                if request.path.as_ref().is_some_and(|wanted| *wanted != path) {
                    continue;
                }
                let stands = Stands::of(objects.as_ref(), &touched, now)?;
                let texts = Texts::of(objects.as_ref(), &touched, &stands)?;
                let standing = stands.standing(&touched);
                let file = span.changed_file(&touched, texts.difference(), Some(standing));
                let shown = texts.shown(request.path.is_none().then_some(&mut room));
                files.push(ReviewedFile { file, shown, seen: stands.token() });
            }
            Ok::<_, Failure>(TurnReview { known: span.known, files })
        });
        reviewed.await?
    }

    /// Takes back what was changed, or pieces of it.
    pub async fn changes_take_back(&self, request: TakeBackChanges) -> Result<Restored, Failure> {
        let _alone = self.restore_alone().await?;
        let Looked::Found(span) = self.span_of(request.of).await? else {
            return Err(conflict("what was there before is not kept any more"));
        };
        let this = self.clone();
        let planned = blocking(move || this.plan_taking_back(&span, request));
        let plan_id = planned.await??;
        self.restore_by_plan(RunRestore { plan_id, choices: Vec::new() }).await
    }

    async fn span_of(&self, of: ChangesOf) -> Result<Looked, Failure> {
        match of {
            ChangesOf::Turn { id } => self.span_of_turn(id).await,
            ChangesOf::Copy { id } => self.span_of_copy(id).await,
        }
    }

    /// What a copy began with, and what it holds today.
    async fn span_of_copy(&self, id: ProjectId) -> Result<Looked, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(id).or_failure()?;
        let Some(copy) = &project.copy else { return Ok(Looked::Nothing) };
        self.unlocked().await?;
        let Some(before) = still_there(&stores, copy.base)? else { return Ok(Looked::Gone) };
        let (known, touched) = (ChangesKnown::Whole, HashSet::new());
        Ok(Looked::Found(Box::new(Span { before, project, left: None, known, touched, ran: true })))
    }

    /// What a turn began and ended with.
    async fn span_of_turn(&self, turn: TurnId) -> Result<Looked, Failure> {
        let stores = self.core.stores()?;
        let nodes = stores.tools.nodes(turn).or_failure()?;
        let Some((before, left)) = nodes.iter().find_map(kept_at) else {
            return Ok(Looked::Nothing);
        };
        self.unlocked().await?;
        let Some(before) = still_there(&stores, before)? else { return Ok(Looked::Gone) };
        let Some(project) = before.project_id else { return Ok(Looked::Nothing) };
        let project = stores.records.project(project).or_failure()?;
        let left = match left {
            Some(left) => still_there(&stores, left)?,
            None => None,
        };
        let (left, known) = match left {
            Some(left) => (Some(tree_of(&left)), ChangesKnown::Whole),
            None => (following(&stores, project.id, &before)?, ChangesKnown::UntilNext),
        };
        let touched = nodes.iter().flat_map(written_by).cloned().collect();
        let ran = nodes.iter().any(may_have_written);
        Ok(Looked::Found(Box::new(Span { before, project, left, known, touched, ran })))
    }

    fn list(&self, span: &Span, left: Option<ObjectId>) -> Result<TurnChanges, Failure> {
        let objects = self.core.stores()?.checkpoints.objects();
        let exclude = self.privacy.excluded(Some(&span.project))?;
        let folder = Folder { root: &span.project.path, exclude: &exclude };
        let stands_at = |path: &[u8]| {
            let path = std::str::from_utf8(path).ok()?;
            self.core.world.file_tools.leaf(folder, path).ok()
        };
        let mut files = Vec::new();
        for (at, touched) in span.files(objects.as_ref(), left)?.iter().enumerate() {
            let (mut difference, mut standing) = (None, None);
            if at < COUNTED {
                let was = readable(objects.as_ref(), touched.before())?;
                let is = readable(objects.as_ref(), touched.change.after.as_ref())?;
                difference = difference_of(&was, &is);
                let now = stands_at(&touched.change.path);
                let from = touched.from.as_ref().map(|from| stands_at(&from.path));
                standing = match (now, from) {
                    (Some(now), None) => Some(Stands { now, from: None }.standing(touched)),
                    (Some(now), Some(Some(from))) => {
                        Some(Stands { now, from: Some(from) }.standing(touched))
                    }
                    _ => None,
                };
            }
            files.push(span.changed_file(touched, difference.as_ref(), standing));
        }
        let sum = |lines: &dyn Fn(&ChangedFile) -> Option<u32>| {
            files.iter().filter_map(lines).map(u64::from).sum()
        };
        Ok(TurnChanges {
            project_id: Some(span.project.id),
            known: span.known,
            added: sum(&|file| file.added),
            removed: sum(&|file| file.removed),
            files,
        })
    }

    /// Makes the plan of taking back, and keeps it; whoever calls restores alone.
    fn plan_taking_back(&self, span: &Span, request: TakeBackChanges) -> Result<PlanId, Failure> {
        let stores = self.core.stores()?;
        let objects = stores.checkpoints.objects();
        let surely: Vec<Vec<u8>> =
            request.files.iter().map(|file| file.path.clone().into_bytes()).collect();
        let now = self.capture(&stores, &span.project, &surely).map_err(of_snapshot)?.tree;
        let left = span.left.unwrap_or(now);
        let files = span.files(objects.as_ref(), left)?;
        let mut steps = Vec::new();
        for wanted in &request.files {
            let found = files.iter().find(|file| shown(&file.change.path) == wanted.path);
            let touched = found.ok_or_else(|| bad_request("this file was not changed"))?;
            let stands = Stands::of(objects.as_ref(), touched, now)?;
            if stands.token() != wanted.seen {
                return Err(conflict("the file was changed since its differences were shown"));
            }
            steps.extend(steps_of(objects.as_ref(), touched, &stands, wanted)?);
        }
        if steps.is_empty() {
            return Err(conflict("all of it is as it was before"));
        }
        for (step, _) in &mut steps {
            let ours = stores.checkpoints.written(span.project.id, &step.path).or_failure()?;
            if step.now.is_some() && ours == step.now {
                step.why = Why::Ours;
            }
        }
        let plan = StoredPlan {
            id: PlanId::new(self.core.now()),
            checkpoint: span.before.id,
            created_at: self.core.now(),
            parts: Parts { chat: false, files: true, memory: false, context: false },
            base: left,
            steps,
            before: None,
            finished_at: None,
            turn: match request.of {
                ChangesOf::Turn { id } => Some(id),
                ChangesOf::Copy { .. } => None,
            },
            copy: match request.of {
                ChangesOf::Turn { .. } => None,
                ChangesOf::Copy { id } => Some(id),
            },
        };
        stores.checkpoints.put_plan(span.project.id, &plan).or_failure()?;
        Ok(plan.id)
    }
}

/// Where a call says that files were kept before it, and after its turn.
fn kept_at(node: &RunNode) -> Option<(CheckpointId, Option<CheckpointId>)> {
    match &node.kind {
        NodeKind::Tool { checkpoint_id, left_id, .. } => Some(((*checkpoint_id)?, *left_id)),
        NodeKind::Model { .. } => None,
    }
}

/// What a tool for files wrote.
fn written_by(node: &RunNode) -> &[String] {
    match &node.kind {
        NodeKind::Tool { effect: Effect::Changes, touched, .. } => touched,
        _ => &[],
    }
}

/// Whether a call may have written anywhere. One that was refused did not run.
fn may_have_written(node: &RunNode) -> bool {
    use siltstone_engine::run::NodeStatus::{Denied, Waiting};
    matches!(&node.kind, NodeKind::Tool { effect: Effect::Runs, .. })
        && !matches!(node.status, Denied | Waiting)
}

pub(super) fn still_there(
    stores: &Stores,
    id: CheckpointId,
) -> Result<Option<Checkpoint>, Failure> {
    match stores.checkpoints.checkpoint(id) {
        Err(StoreError::NotFound { .. }) => Ok(None),
        found => found.or_failure().map(Some),
    }
}

/// The files of the checkpoint that follows another one; `None` where none does.
fn following(
    stores: &Stores,
    project: ProjectId,
    before: &Checkpoint,
) -> Result<Option<Option<ObjectId>>, Failure> {
    let (mut until, mut next) = (None, None);
    loop {
        let page = stores.checkpoints.checkpoints(project, until, PAGE).or_failure()?;
        for (checkpoint, _) in &page {
            if checkpoint.created_at <= before.created_at {
                return Ok(next);
            }
            if checkpoint.files.is_some() && is_own(checkpoint) {
                next = Some(tree_of(checkpoint));
            }
        }
        let Some((last, _)) = page.last() else { return Ok(next) };
        until = Some(last.created_at);
    }
}

impl Span {
    /// The files, by path; a file that was moved is one.
    fn files(
        &self,
        objects: &dyn Objects,
        left: Option<ObjectId>,
    ) -> Result<Vec<Touched>, Failure> {
        let mut changes = diff(tree_of(&self.before), left, &mut trees(objects)).or_failure()?;
        changes.retain(|change| self.ran || self.touched.contains(&shown(&change.path)));
        let (mut gone, rest): (Vec<Change>, Vec<Change>) =
            changes.into_iter().partition(|change| change.after.is_none());
        let mut files: Vec<Touched> = Vec::new();
        for change in rest {
            let same = |gone: &Change| change.before.is_none() && is_same(gone, &change);
            let from = gone.iter().position(same).map(|at| gone.remove(at));
            files.push(Touched { change, from });
        }
        files.extend(gone.into_iter().map(|change| Touched { change, from: None }));
        files.sort_by(|a, b| a.change.path.cmp(&b.change.path));
        Ok(files)
    }

    fn changed_file(
        &self,
        touched: &Touched,
        difference: Option<&Difference>,
        standing: Option<Standing>,
    ) -> ChangedFile {
        let path = shown(&touched.change.path);
        let moved = touched.from.is_some();
        // Nothing of what it says is different.
        let lines = |count: &dyn Fn(&Difference) -> u32| match moved {
            true => Some(0),
            false => difference.map(count),
        };
        ChangedFile {
            from: touched.from.as_ref().map(|from| shown(&from.path)),
            kind: touched.kind(),
            before: size_of(touched.before()),
            after: size_of(touched.change.after.as_ref()),
            added: lines(&|difference| difference.added),
            removed: lines(&|difference| difference.removed),
            by_tool: self.touched.contains(&path),
            standing,
            path,
        }
    }
}

/// Whether one name of a file went and another one came. What is empty is the same as everything that is.
fn is_same(gone: &Change, come: &Change) -> bool {
    matches!(gone.before, Some(Leaf::File { size: 1.., .. })) && gone.before == come.after
}

impl Touched {
    /// What the file was, under whatever name.
    fn before(&self) -> Option<&Leaf> {
        self.from.as_ref().map_or(self.change.before.as_ref(), |from| from.before.as_ref())
    }

    fn kind(&self) -> TurnChange {
        match (&self.change.before, &self.change.after) {
            _ if self.from.is_some() => TurnChange::Moved,
            (None, _) => TurnChange::Added,
            (_, None) => TurnChange::Deleted,
            (Some(Leaf::File { id: was, .. }), Some(Leaf::File { id: is, .. })) if was == is => {
                TurnChange::Mode
            }
            _ => TurnChange::Modified,
        }
    }
}

/// What stands where a turn changed a file, today.
struct Stands {
    now: Option<Leaf>,
    /// Under the name it had before.
    from: Option<Option<Leaf>>,
}

impl Stands {
    fn of(
        objects: &dyn Objects,
        touched: &Touched,
        now: Option<ObjectId>,
    ) -> Result<Self, Failure> {
        let at = |change: &Change| leaf_in(objects, now, &change.path);
        let from = touched.from.as_ref().map(at).transpose()?;
        Ok(Self { now: at(&touched.change)?, from })
    }

    fn standing(&self, touched: &Touched) -> Standing {
        let is = |which: fn(&Change) -> &Option<Leaf>| {
            let from = touched.from.as_ref().map(which);
            self.now == *which(&touched.change) && self.from.as_ref() == from
        };
        match () {
            () if is(|change| &change.after) => Standing::Stands,
            () if is(|change| &change.before) => Standing::TakenBack,
            () => Standing::Changed,
        }
    }

    /// Stands for it: the same for the same.
    fn token(&self) -> String {
        // Strings and numbers alone: writing them to memory cannot fail.
        let said = serde_json::to_vec(&(&self.now, &self.from)).unwrap_or_default();
        ObjectId::of(&said).to_string()
    }
}

/// The three texts of a file, as far as they are texts.
struct Texts {
    found: Option<(Difference, Vec<Standing>)>,
    kind: TurnChange,
}

impl Texts {
    fn of(objects: &dyn Objects, touched: &Touched, stands: &Stands) -> Result<Self, Failure> {
        let kind = touched.kind();
        let texts = match kind {
            TurnChange::Moved | TurnChange::Mode => None,
            _ => three_texts(objects, touched, stands)?,
        };
        let found = texts.map(|[before, left, now]| {
            let standing = Pieces::of(&before, &left, &now).standing();
            (Difference::of(&before, &left), standing)
        });
        Ok(Self { found, kind })
    }

    fn difference(&self) -> Option<&Difference> {
        self.found.as_ref().map(|(difference, _)| difference)
    }

    /// What is shown of it, while there is room.
    fn shown(self, room: Option<&mut usize>) -> ShownChange {
        match (self.found, self.kind) {
            (None, TurnChange::Moved | TurnChange::Mode) => ShownChange::Outside,
            (None, _) => ShownChange::Opaque,
            (Some((difference, standing)), _) => {
                if let Some(room) = room {
                    let lines = difference.hunks.iter().map(|hunk| hunk.lines.len()).sum();
                    let Some(left) = room.checked_sub(lines) else { return ShownChange::Later };
                    *room = left;
                }
                ShownChange::Pieces { difference, standing }
            }
        }
    }
}

/// What a file said before the turn, as the turn left it, and today; what is not there says nothing. `None` where one of
/// them is a link, is not text, or is too large.
fn three_texts(
    objects: &dyn Objects,
    touched: &Touched,
    stands: &Stands,
) -> Result<Option<[String; 3]>, Failure> {
    let leaves = [&touched.change.before, &touched.change.after, &stands.now];
    if leaves.iter().any(|leaf| matches!(leaf, Some(Leaf::Link { .. }))) {
        return Ok(None);
    }
    let mut texts = [const { String::new() }; 3];
    for (leaf, text) in leaves.iter().zip(&mut texts) {
        match readable(objects, leaf.as_ref())? {
            Readable::Nothing => {}
            Readable::Text(said) => *text = said,
            Readable::Binary => return Ok(None),
        }
    }
    Ok(Some(texts))
}

fn difference_of(was: &Readable, is: &Readable) -> Option<Difference> {
    let text = |readable: &'_ Readable| match readable {
        Readable::Nothing => Some(String::new()),
        Readable::Text(text) => Some(text.clone()),
        Readable::Binary => None,
    };
    Some(Difference::of(&text(was)?, &text(is)?))
}

/// What is done to a file, so that it says without the turn, or without pieces of what the turn made.
fn steps_of(
    objects: &dyn Objects,
    touched: &Touched,
    stands: &Stands,
    wanted: &TakenBackFile,
) -> Result<Vec<(Step, Option<Choice>)>, Failure> {
    let Some(chosen) = &wanted.pieces else {
        let here = step(&touched.change, stands.now.clone());
        let from = touched.from.as_ref().zip(stands.from.clone());
        let steps = [here, from.and_then(|(from, now)| step(from, now))];
        return Ok(steps.into_iter().flatten().map(|step| (step, None)).collect());
    };
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let texts = three_texts(objects, touched, stands)?;
    let [before, left, now] = texts.ok_or_else(|| bad_request("it has no pieces"))?;
    let text = Pieces::of(&before, &left, &now).without(chosen);
    let text = text.ok_or_else(|| conflict("a piece was changed since it was shown"))?;
    let Some(step) = step(&touched.change, stands.now.clone()) else { return Ok(Vec::new()) };
    // Nothing else is left of it: it is what it was, or is not there, as before.
    if text == before || step.now.is_none() {
        return Ok(vec![(step, None)]);
    }
    let id = objects.put(text.as_bytes()).or_failure()?;
    let choice = Choice::Merge { id, size: text.len() as u64, mode: None };
    Ok(vec![(Step { action: Action::Overwrite, ..step }, Some(choice))])
}

/// A path becomes what it was before the turn; `None` where it is that.
fn step(change: &Change, now: Option<Leaf>) -> Option<Step> {
    let then = change.before.clone();
    let action = match (&now, &then) {
        (now, then) if now == then => return None,
        (None, _) => Action::Create,
        (_, None) => Action::Delete,
        _ => Action::Overwrite,
    };
    Some(Step { path: change.path.clone(), action, why: Why::TakenBack, now, then })
}

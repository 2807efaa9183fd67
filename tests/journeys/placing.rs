//! Checkpoints in a project's own folder (seed 004, "체크포인트 저장 위치"): everything that is done with them is done there
//! too, git and captures do not see them, and what others left there is taken over only when asked.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use siltstone_app::App;
use siltstone_contract::{
    CheckpointItem, CheckpointPlace, CheckpointRef, CleanCheckpoints, Code, CompareCheckpoints,
    CreateCheckpoint, ExportCheckpoint, Failure, ListCheckpoints, MoveCheckpoints, MoveEvent,
    PathChoice, PathOutcome, PlanRestore, ProjectRef, RestoreParts, RunRestore, TakeFolder,
};
use siltstone_engine::checkpoint::{CheckpointReason, Kept, Retention};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::project::Trust;
use siltstone_providers::Connections;

use crate::world::{Journey, app_on, write};

async fn brought(app: &App, project_id: ProjectId, to: Kept) -> Result<CheckpointPlace, Failure> {
    let seen: Arc<Mutex<Vec<MoveEvent>>> = Arc::default();
    let into = seen.clone();
    let sink = Arc::new(move |event| into.lock().unwrap().push(event));
    let moved = app.checkpoint_place_move(MoveCheckpoints { project_id, to }, sink).await;
    let seen = seen.lock().unwrap();
    assert!(moved.is_err() || seen.last().is_some_and(|event| event.done == event.total));
    moved
}

async fn place(app: &App, id: ProjectId) -> CheckpointPlace {
    app.checkpoint_place(ProjectRef { id }).await.unwrap()
}

async fn create(app: &App, project_id: ProjectId, tag: Option<&str>) -> CheckpointItem {
    let tag = tag.map(str::to_owned);
    app.checkpoint_create(CreateCheckpoint { project_id, conversation_id: None, tag })
        .await
        .unwrap()
}

async fn listed(app: &App, project_id: ProjectId) -> Vec<CheckpointItem> {
    let request = ListCheckpoints { project_id, before: None, limit: 50 };
    app.checkpoint_list(request).await.unwrap().items
}

/// Goes back to a checkpoint whatever changed since.
async fn restored(app: &App, id: siltstone_engine::ids::CheckpointId) -> u64 {
    let parts = RestoreParts { chat: false, files: true, memory: false, context: false };
    let plan = app.checkpoint_plan(PlanRestore { id, parts }).await.unwrap();
    let choice = |index| PathChoice { index, choice: PathOutcome::Overwrite };
    let choices = plan.files.iter().map(|file| choice(file.index)).collect();
    let done = app.checkpoint_restore(RunRestore { plan_id: plan.plan_id, choices }).await;
    done.unwrap().done
}

/// Another run of the program over the same data.
fn again(journey: &Journey) -> App {
    app_on(journey.data.path(), Arc::new(Connections::new()))
}

fn read(journey: &Journey, path: &str) -> String {
    fs::read_to_string(journey.project.path().join(path)).unwrap()
}

#[tokio::test]
async fn in_the_projects_folder_everything_is_done_as_before() {
    let journey = Journey::offline();
    let (app, root) = (&journey.app, journey.project.path());
    let has_git = Command::new("git").args(["init", "-q"]).current_dir(root).status();
    let project = journey.open(Trust::Trusted).await;
    // Not even who wants everything that git ignores gets them.
    let mut settings = app.settings_get(()).await.unwrap();
    settings.checkpoints.also = vec!["**".into()];
    app.settings_set(settings).await.unwrap();
    write(&journey.project, "a.txt", "one\n");
    let first = create(app, project, Some("works")).await;
    assert_eq!(place(app, project).await.kept, Kept::Here);

    let there = brought(app, project, Kept::Project).await.unwrap();
    let folder = PathBuf::from(there.path.unwrap());
    assert!(folder.starts_with(root.join(".siltstone/checkpoints")) && folder.is_dir());
    assert_eq!((there.gone, there.lost, there.working), (false, 0, false));
    if has_git.is_ok_and(|done| done.success()) {
        let seen = Command::new("git").args(["status", "--porcelain"]).current_dir(root).output();
        let seen = String::from_utf8(seen.unwrap().stdout).unwrap();
        assert!(seen.contains("a.txt") && !seen.contains("siltstone"), "{seen}");
    }
    assert_eq!(brought(app, project, Kept::Project).await.unwrap_err().code, Code::Conflict);

    write(&journey.project, "a.txt", "two\n");
    let second = create(app, project, None).await;
    assert_eq!(second.files, first.files, "what is kept there is no file of the project");
    let with = Some(second.id);
    let diff = app.checkpoint_diff(CompareCheckpoints { id: first.id, with }).await.unwrap();
    let paths: Vec<&str> = diff.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.txt"]);
    assert_eq!(restored(app, first.id).await, 1);
    assert_eq!(read(&journey, "a.txt"), "one\n");
    let other = again(&journey);
    other.checkpoint_undo(ProjectRef { id: project }).await.unwrap();
    assert_eq!(read(&journey, "a.txt"), "two\n");

    // By the stamps of an earlier run nothing in it is looked at either; what was undone is the one change.
    let third = create(&other, project, None).await;
    assert_eq!((third.files, third.changed), (first.files, 1));
    let file = other.checkpoint_packed(ExportCheckpoint { id: first.id, passphrase: None }).await;
    assert!(!file.unwrap().bytes.is_empty());
    let rules = Some(Retention { days: None, count: Some(1), bytes: None });
    let clean = CleanCheckpoints { project_id: project, rules, dry_run: false };
    other.checkpoint_clean(clean).await.unwrap();
    let left: Vec<_> = listed(app, project).await.into_iter().map(|item| item.id).collect();
    assert!(left.contains(&first.id) && left.len() < 5, "the named one and the newest stay");
    assert!(other.checkpoint_verify(()).await.unwrap().damaged.is_empty());

    let back = brought(&other, project, Kept::Here).await.unwrap();
    assert_eq!((back.kept, back.path), (Kept::Here, None));
    assert!(!root.join(".siltstone").exists());
    restored(app, first.id).await;
    assert_eq!(read(&journey, "a.txt"), "one\n");
    assert!(app.checkpoint_verify(()).await.unwrap().damaged.is_empty());
}

#[tokio::test]
async fn a_move_that_is_stopped_leaves_everything_where_it_was() {
    let journey = Journey::offline();
    let app = &journey.app;
    let project = journey.open(Trust::Trusted).await;
    let made = create(app, project, None).await;
    // The first word of how far it is stops it.
    let stopping = app.clone();
    let sink = Arc::new(move |_| {
        let app = stopping.clone();
        futures_now(async move { app.checkpoint_place_cancel(ProjectRef { id: project }).await });
    });
    let request = MoveCheckpoints { project_id: project, to: Kept::Project };
    let stopped = app.checkpoint_place_move(request, sink).await.unwrap_err();
    assert_eq!(stopped.code, Code::Cancelled);
    assert_eq!(place(app, project).await.kept, Kept::Here);
    assert!(!journey.project.path().join(".siltstone").exists());
    assert_eq!(listed(app, project).await, [made]);
    brought(app, project, Kept::Project).await.unwrap();
}

/// Carries out what waits for nothing.
fn futures_now<T>(work: impl Future<Output = Result<T, Failure>>) {
    let mut work = std::pin::pin!(work);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(done) = work.as_mut().poll(&mut context) else { panic!("it waits") };
    assert!(done.is_ok());
}

/// `git clean -fdx` takes the folder; the list says so, and what is taken afterwards is whole.
#[tokio::test]
async fn without_the_folder_the_list_says_so_and_work_goes_on() {
    let journey = Journey::offline();
    let app = &journey.app;
    let project = journey.open(Trust::Trusted).await;
    write(&journey.project, "a.txt", "zero\n");
    let lost = create(app, project, Some("works")).await;
    brought(app, project, Kept::Project).await.unwrap();
    write(&journey.project, "a.txt", "one\n");
    fs::remove_dir_all(journey.project.path().join(".siltstone")).unwrap();
    let now = place(app, project).await;
    assert!(now.gone && now.lost == 1);
    assert_eq!(listed(app, project).await.len(), 1);
    let parts = RestoreParts { chat: false, files: true, memory: false, context: false };
    assert!(app.checkpoint_plan(PlanRestore { id: lost.id, parts }).await.is_err());

    let kept = create(app, project, None).await;
    write(&journey.project, "a.txt", "two\n");
    restored(app, kept.id).await;
    assert_eq!(read(&journey, "a.txt"), "one\n");
    let now = place(app, project).await;
    assert_eq!((now.gone, now.lost), (false, 1));
    app.checkpoint_delete(siltstone_contract::CheckpointRefs { ids: vec![lost.id] }).await.unwrap();
    assert_eq!(place(app, project).await.lost, 0);
    assert!(app.checkpoint_verify(()).await.unwrap().damaged.is_empty());
}

/// What came with a cloned project is data until the person takes it over, and then it is pinned and has another id.
#[tokio::test]
async fn what_another_computer_wrote_is_taken_over_only_when_asked() {
    let theirs = Journey::offline();
    let of_them = theirs.open(Trust::Trusted).await;
    write(&theirs.project, "a.txt", "one\n");
    let made = create(&theirs.app, of_them, Some("works")).await;
    brought(&theirs.app, of_them, Kept::Project).await.unwrap();

    let ours = Journey::offline();
    let app = &ours.app;
    let project = ours.open_at(theirs.project.path()).await;
    assert!(listed(app, project).await.is_empty(), "it does not count by itself");
    let found = place(app, project).await.found;
    let [folder] = found.as_slice() else { panic!("{found:?}") };
    assert!(!folder.taken);
    let request = TakeFolder { project_id: project, name: folder.name.clone() };
    let taken = app.checkpoint_place_take(request).await.unwrap();
    assert_eq!((taken.taken.len(), taken.left_out, taken.sealed), (1, 0, false));
    assert!(place(app, project).await.found[0].taken, "it is not offered again");
    let id = taken.taken[0];
    assert_ne!(id, made.id);
    let shown = app.checkpoint_get(CheckpointRef { id }).await.unwrap();
    assert!(shown.item.pinned && shown.item.reason == CheckpointReason::Imported);
    fs::write(theirs.project.path().join("a.txt"), "two\n").unwrap();
    restored(app, id).await;
    assert_eq!(read(&theirs, "a.txt"), "one\n");
    assert_eq!(listed(&theirs.app, of_them).await.len(), 1, "nothing of theirs changed");
}

//! Copies of checkpoints in a project's own folder (behaviour.md, Checkpoints): they follow everything that is done,
//! git and captures do not see them, no checkpoint depends on them, and what others left there is taken over only when
//! asked.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use siltstone_app::App;
use siltstone_contract::{
    ApprovalAnswer, CheckpointItem, CheckpointPlace, CheckpointRef, CleanCheckpoints, Code,
    CompareCheckpoints, CopyEvent, CreateCheckpoint, ExportCheckpoint, Failure, ListCheckpoints,
    PathChoice, PathOutcome, PlanRestore, ProjectRef, RestoreParts, RunRestore, SetPlace,
    TakeFolder,
};
use siltstone_engine::checkpoint::{CheckpointReason, Kept, Retention};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::project::Trust;
use siltstone_providers::Connections;

use crate::runs::{Desk, call, say};
use crate::scripted::Step;
use crate::world::{Journey, app_on, write};

async fn brought(app: &App, project_id: ProjectId, to: Kept) -> Result<CheckpointPlace, Failure> {
    let seen: Arc<Mutex<Vec<CopyEvent>>> = Arc::default();
    let into = seen.clone();
    let sink = Arc::new(move |event| into.lock().unwrap().push(event));
    let moved = app.checkpoint_place_set(SetPlace { project_id, to }, sink).await;
    let seen = seen.lock().unwrap();
    let is_all = seen.last().is_none_or(|event| event.done == event.total);
    assert!(moved.is_err() || is_all && seen.is_empty() == (to == Kept::Here));
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
async fn with_a_copy_in_the_projects_folder_everything_is_done_as_before() {
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
    assert_eq!((there.whole, there.lost, there.working), (true, 0, false));
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
    let clean = CleanCheckpoints { project_id: project, rules, only: None, dry_run: false };
    other.checkpoint_clean(clean).await.unwrap();
    let left: Vec<_> = listed(app, project).await.into_iter().map(|item| item.id).collect();
    assert!(left.contains(&first.id) && left.len() < 5, "the named one and the newest stay");
    assert!(other.checkpoint_verify(()).await.unwrap().damaged.is_empty());
    assert!(place(app, project).await.whole, "it followed all of that");

    let back = brought(&other, project, Kept::Here).await.unwrap();
    assert_eq!((back.kept, back.path), (Kept::Here, None));
    assert!(!root.join(".siltstone").exists());
    restored(app, first.id).await;
    assert_eq!(read(&journey, "a.txt"), "one\n");
    assert!(app.checkpoint_verify(()).await.unwrap().damaged.is_empty());
}

#[tokio::test]
async fn a_first_copy_that_is_stopped_leaves_nothing() {
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
    let request = SetPlace { project_id: project, to: Kept::Project };
    let stopped = app.checkpoint_place_set(request, sink).await.unwrap_err();
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

/// The person's own files, by their path; the one with secrets is in no checkpoint.
fn files(journey: &Journey) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut folders, mut all) = (vec![journey.project.path().to_owned()], BTreeMap::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true if entry.file_name() == ".git" || entry.file_name() == ".siltstone" => {}
                true => folders.push(entry.path()),
                false if entry.file_name() == ".env" => {}
                false => _ = all.insert(entry.path(), fs::read(entry.path()).unwrap()),
            }
        }
    }
    all
}

/// What guards a turn is out of reach of what the turn runs.
#[tokio::test]
async fn the_checkpoint_before_a_command_outlives_whatever_that_does_to_the_folder() {
    let line = "git init -q; git clean -fdx; rm -rf .siltstone a.txt docs";
    let run = vec![call("a", "run_command", serde_json::json!({"command": line})), Step::Finish];
    let desk = Desk::of([run, say("Cleaned.")]).await;
    let (app, project) = (&desk.journey.app, desk.project);
    desk.allow_commands().await;
    write(&desk.journey.project, "a.txt", "one\n");
    write(&desk.journey.project, "docs/b.txt", "two\n");
    let before = files(&desk.journey);
    brought(app, project, Kept::Project).await.unwrap();
    desk.journey.send(desk.id, "Clean up.").await;
    let approval = desk.waiting().await;
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert!(files(&desk.journey).is_empty());

    // What the turn left is a checkpoint too, and with that the copy, which the command had deleted, is written again.
    let mut newest = listed(app, project).await;
    let (left, guard) = (newest.remove(0), newest.remove(0));
    assert_eq!(left.reason, CheckpointReason::AfterTurn);
    assert!(matches!(guard.reason, CheckpointReason::BeforeTool { .. }));
    let now = place(app, project).await;
    assert_eq!((now.kept, now.whole, now.lost), (Kept::Project, true, 0));
    assert_eq!(restored(app, guard.id).await as usize, before.len());
    assert_eq!(files(&desk.journey), before, "every file, out of the data folder");
    // The restore took one before it, and with that the copy is written again.
    assert!(place(app, project).await.whole);
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

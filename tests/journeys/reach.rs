//! How far a project reaches: no further than its own folder, wherever links lead, and never into this program's own data.

use std::fs;
use std::sync::Arc;

use siltstone_contract::{
    Code, CreateCheckpoint, Failure, ListCheckpoints, OpenProject, PlanRestore, ProbeProject,
    ProjectRef, ReadProjectFile, RunRestore, TrustProject,
};
use siltstone_engine::project::{ProbeWarning, Trust};
use siltstone_providers::Connections;
use tempfile::TempDir;

use crate::checkpoints::{FILES, create, disk, plan, restore};
use crate::world::{Journey, app_on};

#[cfg(unix)]
#[tokio::test]
async fn a_link_in_the_place_of_a_project_leads_nowhere() {
    let journey = Journey::offline();
    let (beside, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let root = beside.path().canonicalize().unwrap().join("project");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.md"), "one\n").unwrap();
    let id = journey.open_at(&root).await;
    let taken = create(&journey.app, id, None, None).await;
    fs::write(root.join("a.md"), "two\n").unwrap();
    create(&journey.app, id, None, Some("two")).await;
    let planned = plan(&journey.app, taken.id, FILES).await;
    fs::rename(&root, beside.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(other.path(), &root).unwrap();
    fs::write(other.path().join("a.md"), "the other's\n").unwrap();
    let before = disk(other.path());

    let read = ReadProjectFile { id, path: "a.md".into() };
    let failure = journey.app.project_file(read).await.unwrap_err();
    assert_eq!(failure.code, Code::FolderReplaced, "{failure:?}");
    let request = CreateCheckpoint { project_id: id, conversation_id: None, tag: None };
    journey.app.checkpoint_create(request).await.unwrap_err();
    journey.app.checkpoint_plan(PlanRestore { id: taken.id, parts: FILES }).await.unwrap_err();
    let run = RunRestore { plan_id: planned.plan_id, choices: Vec::new() };
    journey.app.checkpoint_restore(run).await.unwrap_err();
    assert_eq!(disk(other.path()), before);

    // Where it leads to is another folder, about which nobody was asked yet.
    let path = root.display().to_string();
    let opened = OpenProject { path, trust: None, this_computer_only: None, seen: Vec::new() };
    let failure = journey.app.project_open(opened).await.unwrap_err();
    assert_eq!(failure.code, Code::TrustUnanswered);

    fs::remove_file(&root).unwrap();
    fs::rename(beside.path().join("moved"), &root).unwrap();
    let planned = plan(&journey.app, taken.id, FILES).await;
    restore(&journey.app, &planned, Vec::new()).await;
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "one\n");
}

#[tokio::test]
async fn another_folder_in_the_place_of_a_project_is_noticed_and_asked_about() {
    let journey = Journey::offline();
    let beside = TempDir::new().unwrap();
    let root = beside.path().canonicalize().unwrap().join("project");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.md"), "one\n").unwrap();
    let id = journey.open_at(&root).await;
    let conversation = journey.conversation(Some(id)).await;
    journey.ask(conversation, "What does it say?").await;
    let (app, taken) = (&journey.app, create(&journey.app, id, None, None).await);
    fs::write(root.join("a.md"), "two\n").unwrap();
    create(app, id, None, Some("two")).await;
    let planned = plan(app, taken.id, FILES).await;
    fs::rename(&root, beside.path().join("moved")).unwrap();
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.md"), "the other's\n").unwrap();
    let before = disk(&root);

    let replaced = |failure: Failure| assert_eq!(failure.code, Code::FolderReplaced, "{failure:?}");
    let read = || ReadProjectFile { id, path: "a.md".into() };
    replaced(app.project_file(read()).await.unwrap_err());
    let request = CreateCheckpoint { project_id: id, conversation_id: None, tag: None };
    replaced(app.checkpoint_create(request).await.unwrap_err());
    replaced(app.checkpoint_plan(PlanRestore { id: taken.id, parts: FILES }).await.unwrap_err());
    let run = || RunRestore { plan_id: planned.plan_id, choices: Vec::new() };
    replaced(app.checkpoint_restore(run()).await.unwrap_err());
    replaced(app.project_trust(TrustProject { id, trust: Trust::Trusted }).await.unwrap_err());
    assert_eq!(disk(&root), before);
    // It is listed, trusted by nobody; what was said can be read, and what was kept is there.
    assert_eq!(app.project_get(ProjectRef { id }).await.unwrap().trust, Trust::Untrusted);
    assert_eq!(journey.path(conversation).await.len(), 2);
    let list = ListCheckpoints { project_id: id, before: None, limit: 10 };
    assert_eq!(app.checkpoint_list(list).await.unwrap().items.len(), 2);

    // The question is that of a folder that was never opened; the answer is about the one that is there.
    let open = |trust| {
        let path = root.display().to_string();
        app.project_open(OpenProject { path, trust, this_computer_only: None, seen: Vec::new() })
    };
    assert_eq!(open(None).await.unwrap_err().code, Code::TrustUnanswered);
    assert_eq!(open(Some(Trust::Trusted)).await.unwrap().id, id);
    assert_eq!(app.project_file(read()).await.unwrap().text, "the other's\n");
    assert_eq!(open(None).await.unwrap().trust, Trust::Trusted, "asked once");

    // Made again at the same place, as a clone is, it is another one.
    fs::remove_dir_all(&root).unwrap();
    assert_ne!(app.project_file(read()).await.unwrap_err().code, Code::FolderReplaced, "gone");
    fs::rename(beside.path().join("moved"), &root).unwrap();
    assert_eq!(open(None).await.unwrap_err().code, Code::TrustUnanswered);
    open(Some(Trust::Trusted)).await.unwrap();
    let planned = plan(app, taken.id, FILES).await;
    restore(app, &planned, Vec::new()).await;
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "one\n");
}

#[tokio::test]
async fn our_own_data_is_in_no_project_around_it() {
    let around = TempDir::new().unwrap();
    let root = around.path().canonicalize().unwrap();
    let data = root.join("of us [1]");
    fs::create_dir(&data).unwrap();
    fs::write(root.join("a.md"), "one\n").unwrap();
    let app = app_on(&data, Arc::new(Connections::new()));
    let path = root.display().to_string();
    let probe = ProbeProject { path: path.clone(), probe_id: "around".into() };
    let shown = app.project_probe(probe, Arc::new(|_| ())).await.unwrap();
    assert!(shown.probe.warnings.contains(&ProbeWarning::OwnData), "{:?}", shown.probe.warnings);
    let (trust, seen) = (Some(Trust::Trusted), shown.seen);
    let request = OpenProject { path, trust, this_computer_only: None, seen };
    let id = app.project_open(request).await.unwrap().id;
    let first = create(&app, id, None, None).await;
    fs::write(root.join("a.md"), "two\n").unwrap();
    create(&app, id, None, Some("second")).await;
    let planned = plan(&app, first.id, FILES).await;
    let paths: Vec<&str> = planned.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.md"]);
    restore(&app, &planned, Vec::new()).await;
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "one\n");
    assert_eq!(app.project_list(()).await.unwrap().len(), 1);
}

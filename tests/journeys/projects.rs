//! Folders: probed before they are opened, trusted once, readable only inside.

use std::sync::Arc;

use siltstone_contract::{
    CancelProbe, Code, ListConversations, OpenProject, ProbeProject, ProjectRef, ReadProjectFile,
    TrustProject,
};
use siltstone_engine::project::Trust;

use crate::world::{Journey, write};

#[tokio::test]
async fn a_probe_says_what_a_folder_would_bring_and_opens_nothing() {
    let journey = Journey::offline();
    let path = journey.project.path().display().to_string();
    let request = ProbeProject { path, probe_id: "p".into() };
    let probe = journey.app.project_probe(request, Arc::new(|_| {})).await.unwrap();
    assert_eq!(probe.probe.instructions[0].path, "AGENTS.md");
    assert_eq!(probe.probe.never_sent, [".env"]);
    assert!(journey.app.project_list(()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_cancelled_probe_ends_and_says_so() {
    let journey = Journey::offline();
    for folder in 0..60 {
        for file in 0..60 {
            write(&journey.project, &format!("d{folder}/f{file}.txt"), "x");
        }
    }
    let path = journey.project.path().display().to_string();
    let app = journey.app.clone();
    let handle = tokio::runtime::Handle::current();
    let sink = Arc::new(move |_| {
        let app = app.clone();
        let (cancelled, told) = std::sync::mpsc::channel();
        handle.spawn(async move {
            let request = CancelProbe { probe_id: "p".into() };
            cancelled.send(app.project_probe_cancel(request).await).unwrap();
        });
        told.recv().unwrap().unwrap();
    });
    let request = ProbeProject { path, probe_id: "p".into() };
    let failure = journey.app.project_probe(request, sink).await.unwrap_err();
    assert_eq!(failure.code, Code::Cancelled);
}

#[tokio::test]
async fn trust_is_asked_once_kept_and_revocable() {
    let journey = Journey::offline();
    let path = journey.project.path().display().to_string();
    let unanswered =
        OpenProject { path: path.clone(), trust: None, this_computer_only: None, seen: Vec::new() };
    let failure = journey.app.project_open(unanswered.clone()).await.unwrap_err();
    assert_eq!(failure.code, Code::TrustUnanswered);
    let id = journey.open(Trust::Trusted).await;
    let again = journey.app.project_open(unanswered).await.unwrap();
    assert_eq!((again.id, again.trust), (id, Trust::Trusted));
    let revoke = TrustProject { id, trust: Trust::Untrusted };
    assert_eq!(journey.app.project_trust(revoke).await.unwrap().trust, Trust::Untrusted);
}

#[tokio::test]
async fn only_files_inside_the_folder_are_read() {
    let journey = Journey::offline();
    let id = journey.open(Trust::Trusted).await;
    let read = |path: &str| journey.app.project_file(ReadProjectFile { id, path: path.into() });
    assert!(read("docs/setup.md").await.unwrap().text.contains("5433"));
    for path in ["../secret", "/etc/passwd", "docs/../../x", ".env", "docs"] {
        assert!(read(path).await.is_err(), "{path}");
    }
}

#[tokio::test]
async fn a_forgotten_project_leaves_its_conversations() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Which port does the database listen on?").await;
    journey.app.project_forget(ProjectRef { id: project }).await.unwrap();
    let all = ListConversations { project_id: None, trashed: false };
    let left = journey.app.conversation_list(all).await.unwrap();
    assert_eq!((left[0].id, left[0].project_id), (id, None));
    journey.ask(id, "Still there?").await;
}

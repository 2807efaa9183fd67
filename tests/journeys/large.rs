//! A project of more files than anybody waits for.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_app::World;
use siltstone_contract::{Find, MessageItem, ProjectRef, TurnRef};
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{Folder, FolderError, OnProgress, ProjectFiles};
use siltstone_engine::project::{Probe, ProbeProgress, Trust};
use siltstone_engine::search::Filter;
use siltstone_engine::section::LeftOutWhy;
use siltstone_providers::Connections;
use siltstone_workspace::Folders;
use tempfile::TempDir;

use crate::kept::Kept;
use crate::world::{Journey, started, text, world, write};

/// Project files of which something comes when it is let go.
struct Held {
    of: Folders,
    what: What,
    /// Ends when the test lets go, or is over.
    until: Mutex<Receiver<()>>,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    /// The text of the last file.
    LastText,
    /// The list of the files, after more were met than anybody waits for.
    List,
}

impl Held {
    fn wait_for(&self, what: What) {
        if self.what == what {
            // An end lets go too.
            let _ = self.until.lock().unwrap().recv();
        }
    }
}

const LAST: &str = "far/away/from/the/root/last.md";

impl ProjectFiles for Held {
    fn real_path(&self, path: &str) -> Result<String, FolderError> {
        self.of.real_path(path)
    }
    fn identity(&self, path: &str) -> Option<String> {
        self.of.identity(path)
    }
    fn probe(&self, folder: Folder<'_>, progress: OnProgress<'_>) -> Result<Probe, FolderError> {
        self.of.probe(folder, progress)
    }
    fn text_files(
        &self,
        folder: Folder<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError> {
        if self.what == What::List {
            progress(ProbeProgress { files: 200_000, ..ProbeProgress::default() });
        }
        self.wait_for(What::List);
        self.of.text_files(folder, progress)
    }
    fn read_text(&self, folder: Folder<'_>, path: &str) -> Result<String, FolderError> {
        if path == LAST {
            self.wait_for(What::LastText);
        }
        self.of.read_text(folder, path)
    }
}

/// safety.md, G20: what is far from the root keeps no answer waiting, and is found once it was read.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_waits_for_the_files_nearest_the_root_and_not_for_all_of_them() {
    let project = TempDir::new().unwrap();
    write(&project, "docs/setup.md", "# Setup\n\nThe database listens on port 5433.\n");
    for number in 0..2_100 {
        write(&project, &format!("notes/{number}.md"), "Nothing.\n");
    }
    write(&project, LAST, "The lighthouse is green.\n");
    let (journey, let_go) = holding(What::LastText, project);
    let project_id = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project_id)).await;

    let answer = journey.ask(id, "Which port does the database listen on?").await;
    assert!(text(&answer).contains("5433"), "{}", text(&answer));
    assert!(says_that_more_is_read(&journey, &answer).await);
    let find = async || {
        let filter = Filter { project_id: Some(project_id), ..Filter::default() };
        let find = Find { query: "lighthouse".into(), filter, limit: 5 };
        journey.app.find(find).await.unwrap().groups
    };
    assert_eq!(find().await, []);

    drop(let_go);
    journey.app.refresh_files(ProjectRef { id: project_id }).await.unwrap();
    assert_eq!(find().await.len(), 1);
    let answer = journey.ask(id, "Which colour does the lighthouse have?").await;
    assert!(text(&answer).contains("green"), "{}", text(&answer));
    assert!(!says_that_more_is_read(&journey, &answer).await);
}

/// safety.md, G20: a folder that takes long to go through keeps no answer waiting either, and the request says so.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_does_not_wait_until_every_folder_was_looked_at() {
    let project = TempDir::new().unwrap();
    write(&project, "docs/setup.md", "# Setup\n\nThe database listens on port 5433.\n");
    let (journey, let_go) = holding(What::List, project);
    let project_id = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project_id)).await;

    let answer = journey.ask(id, "Which port does the database listen on?").await;
    assert!(!text(&answer).contains("5433"), "{}", text(&answer));
    assert!(says_that_more_is_read(&journey, &answer).await);

    drop(let_go);
    journey.app.refresh_files(ProjectRef { id: project_id }).await.unwrap();
    let answer = journey.ask(id, "And which port does the database listen on?").await;
    assert!(text(&answer).contains("5433"), "{}", text(&answer));
}

/// A journey whose project holds something back until what comes with it is dropped.
fn holding(what: What, project: TempDir) -> (Journey, Sender<()>) {
    let data = TempDir::new().unwrap();
    let (let_go, until) = channel();
    let folders = Folders::of(None, Some(data.path().join("config")));
    let files = Arc::new(Held { of: folders, what, until: Mutex::new(until) });
    let offline = Arc::new(Connections::new().with_offline_pace(Duration::from_millis(1)));
    let world = World { files, ..world(data.path(), offline, Arc::new(Kept::default())) };
    (Journey { app: started(world, data.path()), data, project }, let_go)
}

/// Whether the request of an answer says that files of the project were not read yet.
async fn says_that_more_is_read(journey: &Journey, answer: &MessageItem) -> bool {
    let id = answer.turn_id.unwrap();
    let sent = journey.app.request_sent(TurnRef { id }).await.unwrap();
    sent.left_out.iter().any(|left| left.why == LeftOutWhy::StillReading)
}

//! A project of more files than anybody waits for.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_app::World;
use siltstone_contract::{Find, ProjectRef};
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{Folder, FolderError, OnProgress, ProjectFiles};
use siltstone_engine::project::{Probe, Trust};
use siltstone_engine::search::Filter;
use siltstone_providers::Connections;
use siltstone_workspace::Folders;
use tempfile::TempDir;

use crate::kept::Kept;
use crate::world::{Journey, started, text, world, write};

/// Project files of which the last one is read when it is let go.
struct Held {
    of: Folders,
    /// Ends when the test lets go, or is over.
    until: Mutex<Receiver<()>>,
}

const LAST: &str = "far/away/from/the/root/last.md";

impl ProjectFiles for Held {
    fn real_path(&self, path: &str) -> Result<String, FolderError> {
        self.of.real_path(path)
    }
    fn probe(&self, folder: Folder<'_>, progress: OnProgress<'_>) -> Result<Probe, FolderError> {
        self.of.probe(folder, progress)
    }
    fn text_files(
        &self,
        folder: Folder<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError> {
        self.of.text_files(folder, progress)
    }
    fn read_text(&self, folder: Folder<'_>, path: &str) -> Result<String, FolderError> {
        if path == LAST {
            let _ = self.until.lock().unwrap().recv();
        }
        self.of.read_text(folder, path)
    }
}

/// safety.md, G20: what is far from the root keeps no answer waiting, and is found once it was read.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_waits_for_the_files_nearest_the_root_and_not_for_all_of_them() {
    let (data, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    write(&project, "docs/setup.md", "# Setup\n\nThe database listens on port 5433.\n");
    for number in 0..2_100 {
        write(&project, &format!("notes/{number}.md"), "Nothing.\n");
    }
    write(&project, LAST, "The lighthouse is green.\n");
    let (let_go, until) = channel();
    let folders = Arc::new(Folders::of(None, Some(data.path().join("config"))));
    let files = Arc::new(Held { of: (*folders).clone(), until: Mutex::new(until) });
    let offline = Arc::new(Connections::new().with_offline_pace(Duration::from_millis(1)));
    let world = World { files, ..world(data.path(), offline, Arc::new(Kept::default())) };
    let journey = Journey { app: started(world, data.path()), data, project };
    let project_id = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project_id)).await;

    let answer = journey.ask(id, "Which port does the database listen on?").await;
    assert!(text(&answer).contains("5433"), "{}", text(&answer));
    let find = async || {
        let filter = Filter { project_id: Some(project_id), ..Filter::default() };
        let find = Find { query: "lighthouse".into(), filter, limit: 5 };
        journey.app.find(find).await.unwrap().groups
    };
    assert_eq!(find().await, []);

    drop(let_go);
    journey.app.refresh_files(ProjectRef { id: project_id }).await.unwrap();
    assert_eq!(find().await.len(), 1);
}

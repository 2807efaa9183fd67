//! A data folder that cannot be written (safety.md, R11): the program opens it to be read, says so, refuses every change
//! with the reason, and goes on as ever once it can be written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use siltstone_contract::{Code, DataState, OpenProject, Topic};
use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Backup, BackupPlan};
use siltstone_engine::checkpoint::Space;
use siltstone_engine::ports::{DataFolder, StoreError, Stores};
use siltstone_engine::project::Trust;
use siltstone_engine::salvage::{Salvage, SalvagePlan};
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;

use crate::kept::Kept;
use crate::scripted::Scripted;
use crate::world::{Journey, started, world};

/// A folder that is told to be for reading only. That storage refuses what is written there is shown where it is opened.
struct Refusing {
    dir: DataDir,
    refuses: Arc<AtomicBool>,
}

impl DataFolder for Refusing {
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError> {
        let stores = self.dir.open(now)?;
        let refuses = self.refuses.load(Ordering::Relaxed);
        Ok(Stores { read_only: refuses.then(|| String::from("mounted to be read")), ..stores })
    }
    fn backups(&self) -> Result<Vec<Backup>, StoreError> {
        self.dir.backups()
    }
    fn back_up(&self, now: Timestamp) -> Result<Backup, StoreError> {
        self.dir.back_up(now)
    }
    fn back_up_if_due(&self, now: Timestamp) -> Result<Option<Backup>, StoreError> {
        self.dir.back_up_if_due(now)
    }
    fn delete_backup(&self, name: &str) -> Result<(), StoreError> {
        self.dir.delete_backup(name)
    }
    fn backup_plan(&self, name: &str) -> Result<BackupPlan, StoreError> {
        self.dir.backup_plan(name)
    }
    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError> {
        self.dir.restore_backup(name, now)
    }
    fn damage(&self) -> Option<String> {
        self.dir.damage()
    }
    fn look_whole(&self) -> Result<Option<String>, StoreError> {
        self.dir.look_whole()
    }
    fn salvage_plan(&self) -> Result<SalvagePlan, StoreError> {
        self.dir.salvage_plan()
    }
    fn salvage(&self, backup: Option<&str>, now: Timestamp) -> Result<Salvage, StoreError> {
        self.dir.salvage(backup, now)
    }
    fn put_files(&self, folder: &str, files: &[(&str, &[u8])]) -> Result<String, StoreError> {
        self.dir.put_files(folder, files)
    }
    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError> {
        self.dir.start_anew(now)
    }
    fn space(&self) -> Result<Space, StoreError> {
        self.dir.space()
    }
}

#[tokio::test]
async fn a_folder_for_reading_only_is_said_to_be_one_until_it_can_be_written() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let opened_at = journey.app.project_list(()).await.unwrap()[0].opened_at;
    let refuses = Arc::new(AtomicBool::new(true));
    let dir = DataDir::new(journey.data.path().to_path_buf(), Arc::new(Seals));
    let data = Arc::new(Refusing { dir, refuses: refuses.clone() });
    let usual =
        world(journey.data.path(), Arc::new(Scripted::default()), Arc::new(Kept::default()));
    let app = started(siltstone_app::World { data, ..usual }, journey.data.path());

    let state = app.app_info(()).await.unwrap().data;
    assert_eq!(state, DataState::ReadOnly { detail: String::from("mounted to be read") });
    let path = journey.project.path().display().to_string();
    let looked =
        OpenProject { path: path.clone(), trust: None, this_computer_only: None, seen: Vec::new() };
    let known = app.project_open(looked).await.unwrap();
    assert_eq!((known.id, known.opened_at), (project, opened_at), "looked at, and nothing noted");
    assert_eq!(app.data_start_anew(()).await.unwrap_err().code, Code::Conflict);

    let mut changes = app.subscribe();
    refuses.store(false, Ordering::Relaxed);
    assert_eq!(app.app_info(()).await.unwrap().data, DataState::Open);
    assert!(changes.recv().await.unwrap().topics.contains(&Topic::All), "the window looks again");
    let request = OpenProject { path, trust: None, this_computer_only: None, seen: Vec::new() };
    assert!(app.project_open(request).await.unwrap().opened_at > opened_at);
}

//! Disks that make trouble on cue: nearly full, and a process that dies in the midst of what it writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use siltstone_engine::Timestamp;
use siltstone_engine::backup::{Backup, BackupPlan};
use siltstone_engine::checkpoint::{
    Captured, Dirty, FileSnapshots, Heard, Leaf, ObjectId, Objects, SnapshotError, SnapshotPlace,
    Space,
};
use siltstone_engine::ports::{DataFolder, OnProgress, StoreError, Stores};
use siltstone_engine::salvage::{Salvage, SalvagePlan};
use siltstone_storage::DataDir;

/// A data folder on a disk that can be nearly full.
pub struct Small {
    pub folder: DataDir,
    pub low: AtomicBool,
}

impl DataFolder for Small {
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError> {
        self.folder.open(now)
    }
    fn backups(&self) -> Result<Vec<Backup>, StoreError> {
        self.folder.backups()
    }
    fn back_up(&self, now: Timestamp) -> Result<Backup, StoreError> {
        self.folder.back_up(now)
    }
    fn back_up_if_due(&self, now: Timestamp) -> Result<Option<Backup>, StoreError> {
        self.folder.back_up_if_due(now)
    }
    fn delete_backup(&self, name: &str) -> Result<(), StoreError> {
        self.folder.delete_backup(name)
    }
    fn backup_plan(&self, name: &str) -> Result<BackupPlan, StoreError> {
        self.folder.backup_plan(name)
    }
    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError> {
        self.folder.restore_backup(name, now)
    }
    fn damage(&self) -> Option<String> {
        self.folder.damage()
    }
    fn look_whole(&self) -> Result<Option<String>, StoreError> {
        self.folder.look_whole()
    }
    fn salvage_plan(&self) -> Result<SalvagePlan, StoreError> {
        self.folder.salvage_plan()
    }
    fn salvage(&self, backup: Option<&str>, now: Timestamp) -> Result<Salvage, StoreError> {
        self.folder.salvage(backup, now)
    }
    fn put_files(&self, folder: &str, files: &[(&str, &[u8])]) -> Result<String, StoreError> {
        self.folder.put_files(folder, files)
    }
    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError> {
        self.folder.start_anew(now)
    }
    fn space(&self) -> Result<Space, StoreError> {
        let total = 1 << 40;
        Ok(Space { free: if self.low.load(SeqCst) { total / 200 } else { total / 2 }, total })
    }
}

/// Files that are captured and written until so many objects and files were; then nothing more is, as if the process
/// had ended there.
#[derive(Clone)]
pub struct Mortal {
    pub files: Arc<dyn FileSnapshots>,
    pub left: Arc<AtomicU64>,
}

impl Mortal {
    /// Counts one more; fails when there is none.
    fn count(&self) -> Result<(), StoreError> {
        let left = self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        left.map(|_| ()).map_err(|_| StoreError::Full)
    }
}

impl FileSnapshots for Mortal {
    fn is_wide(&self, root: &str) -> bool {
        self.files.is_wide(root)
    }
    fn capture(
        &self,
        place: &SnapshotPlace<'_>,
        dirty: &Dirty,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Captured, SnapshotError> {
        self.files.capture(place, dirty, &Counted { objects, by: self }, progress)
    }
    fn verify(
        &self,
        place: &SnapshotPlace<'_>,
        objects: &dyn Objects,
        progress: OnProgress<'_>,
    ) -> Result<Heard, SnapshotError> {
        self.files.verify(place, objects, progress)
    }
    fn write(
        &self,
        root: &str,
        path: &[u8],
        now: Option<&Leaf>,
        then: Option<&Leaf>,
        alike: &[&[u8]],
        objects: &dyn Objects,
    ) -> Result<(), SnapshotError> {
        self.count()?;
        self.files.write(root, path, now, then, alike, objects)
    }
    fn make_folder(&self, root: &str, path: &[u8]) -> Result<bool, SnapshotError> {
        self.files.make_folder(root, path)
    }
}

struct Counted<'a> {
    objects: &'a dyn Objects,
    by: &'a Mortal,
}

impl Objects for Counted<'_> {
    fn put(&self, bytes: &[u8]) -> Result<ObjectId, StoreError> {
        self.by.count()?;
        self.objects.put(bytes)
    }
    fn has(&self, id: ObjectId) -> Result<bool, StoreError> {
        self.objects.has(id)
    }
    fn get(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        self.objects.get(id)
    }
    fn sync(&self) -> Result<(), StoreError> {
        self.objects.sync()
    }
}

//! A folder of its own for each test, and objects in memory.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use siltstone_engine::checkpoint::{
    Captured, Dirty, FileSnapshots, Leaf, ObjectId, Objects, SnapshotError, SnapshotPlace, Tree,
    diff, empty_folders, shown,
};
use siltstone_engine::ports::StoreError;
use siltstone_workspace::Snapshots;
use tempfile::TempDir;

/// Objects in memory, and how many were put.
#[derive(Default)]
pub struct Shelf(pub Mutex<HashMap<ObjectId, Vec<u8>>>);

impl Objects for Shelf {
    fn put(&self, bytes: &[u8]) -> Result<ObjectId, StoreError> {
        let id = ObjectId::of(bytes);
        self.0.lock().unwrap().insert(id, bytes.to_vec());
        Ok(id)
    }
    fn has(&self, id: ObjectId) -> Result<bool, StoreError> {
        Ok(self.0.lock().unwrap().contains_key(&id))
    }
    fn get(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        let found = self.0.lock().unwrap().get(&id).cloned();
        found.ok_or_else(|| StoreError::NotFound { what: "object", id: id.to_string() })
    }
    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

pub struct World {
    pub dir: TempDir,
    pub shelf: Shelf,
    pub snapshots: Snapshots,
    pub exclude: Vec<String>,
    pub also: Vec<String>,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        let snapshots = Snapshots::new(dir.path().join("state"));
        let (exclude, also) = (Vec::new(), Vec::new());
        Self { dir, shelf: Shelf::default(), snapshots, exclude, also }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn capture(&self, dirty: &Dirty) -> Captured {
        let root = self.root();
        let place = SnapshotPlace {
            root: root.to_str().unwrap(),
            exclude: &self.exclude,
            also: &self.also,
            max_file_bytes: 1_000,
            surely: &[],
        };
        self.snapshots.capture(&place, dirty, &self.shelf, &mut |_| true).unwrap()
    }

    pub fn all(&self) -> Captured {
        self.capture(&Dirty::Anything)
    }

    pub fn leaves(&self, tree: Option<ObjectId>) -> BTreeMap<String, Leaf> {
        let read = &mut |id| Ok::<_, StoreError>(Tree::decode(id, &self.shelf.get(id)?).unwrap());
        let found = diff(None, tree, read).unwrap();
        found.into_iter().map(|change| (shown(&change.path), change.after.unwrap())).collect()
    }

    pub fn paths(&self, captured: &Captured) -> Vec<String> {
        self.leaves(captured.tree).into_keys().collect()
    }

    pub fn restore(&self, now: Option<ObjectId>, then: Option<ObjectId>) {
        let read = &mut |id| Ok::<_, StoreError>(Tree::decode(id, &self.shelf.get(id)?).unwrap());
        let mut changes = diff(now, then, read).unwrap();
        // What goes makes room first.
        changes.sort_by_key(|change| change.after.is_some());
        for change in changes {
            self.write(&change.path, change.before.as_ref(), change.after.as_ref()).unwrap();
        }
        for path in empty_folders(then, now, read).unwrap() {
            self.snapshots.make_folder(self.root().to_str().unwrap(), &path).unwrap();
        }
    }

    pub fn write(
        &self,
        path: &[u8],
        now: Option<&Leaf>,
        then: Option<&Leaf>,
    ) -> Result<(), SnapshotError> {
        self.snapshots.write(self.root().to_str().unwrap(), path, now, then, &[], &self.shelf)
    }
}

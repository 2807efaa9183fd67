//! Folders of checkpoints in a project that this computer did not write, cloned with it or of another data folder, and
//! what the screens are told of our own copy there.
//!
//! Listing reads nothing in them. When the person takes one over, its packs are read through once with limits, and what
//! they give is checked by its hash each time. Nothing is ever written there. Our own copy is read in the same way, when
//! something is missing here.

use std::collections::HashMap;
use std::path::PathBuf;

use siltstone_engine::checkpoint::{
    Checkpoint, FoundCheckpoints, FoundFolder, Kept, ObjectId, OnCopied, PlaceState, Places,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;

use super::marker::{self, Marker, State};
use super::{CheckpointStore, rows};
use crate::packs::folder::{self, Packs};
use crate::packs::lock::Seal;
use crate::packs::pack::{self, Kind};

/// Folders that are listed.
const MOST: usize = 20;

/// Packs of a folder that are looked at.
const MOST_PACKS: usize = 1_000;

/// Largest object that is taken from a foreign folder, and all of them together.
const MOST_OBJECT: u32 = 256 * 1024 * 1024;
const MOST_BYTES: u64 = 8 * 1024 * 1024 * 1024;

/// A folder of packs that was read through.
pub(super) struct Found {
    packs: Packs,
    seal: Option<Seal>,
    /// Where each object is: its pack, its place there, and its name there.
    places: HashMap<ObjectId, (String, u64, ObjectId)>,
    checkpoints: Vec<Checkpoint>,
    is_sealed: bool,
}

impl Found {
    fn open(packs: Packs, seal: Option<Seal>) -> Result<Self, StoreError> {
        let (places, checkpoints) = (HashMap::new(), Vec::new());
        let mut found = Self { packs, seal, places, checkpoints, is_sealed: false };
        let mut left = MOST_BYTES;
        for name in found.packs.list()?.into_iter().take(MOST_PACKS) {
            let mut here = Vec::new();
            let scanned = pack::scan(
                (&found.packs, &name),
                MOST_OBJECT,
                found.seal.as_ref(),
                |at, record| {
                    let too_much =
                        StoreError::Conflict { what: "the folder holds more than may be read" };
                    left = left.checked_sub(record.bytes.len() as u64).ok_or(too_much)?;
                    let checkpoint = (record.kind == Kind::Record)
                        .then(|| serde_json::from_slice::<Checkpoint>(&record.bytes).ok());
                    here.push((record.id, at, checkpoint.flatten()));
                    Ok(())
                },
            );
            let is_sealed = pack::is_sealed(&found.packs, &name)? == Some(true);
            match scanned {
                Err(StoreError::Locked) => {}
                // It is no pack, or one of another version.
                Err(StoreError::Damaged { .. }) => continue,
                scanned => scanned?,
            }
            found.is_sealed |= is_sealed && here.is_empty();
            for (id, at, checkpoint) in here {
                found.checkpoints.extend(checkpoint);
                found.places.insert(id, (name.clone(), at.offset, at.name));
            }
        }
        let mut seen = std::collections::HashSet::new();
        found.checkpoints.retain(|checkpoint| seen.insert(checkpoint.id));
        found.checkpoints.sort_by_key(|checkpoint| (checkpoint.created_at, checkpoint.id));
        Ok(found)
    }
}

impl FoundCheckpoints for Found {
    fn checkpoints(&self) -> &[Checkpoint] {
        &self.checkpoints
    }

    fn object(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        let none = || StoreError::NotFound { what: "object", id: id.to_string() };
        let (pack, offset, name) = self.places.get(&id).ok_or_else(none)?;
        let record = pack::read_at(&self.packs, pack, *offset, *name, self.seal.as_ref())?;
        if record.id == id { Ok(record.bytes) } else { Err(none()) }
    }

    fn is_sealed(&self) -> bool {
        self.is_sealed
    }
}

/// The folder of a copy.
pub(super) fn packs_of(marker: &Marker) -> Packs {
    Packs::Beneath { root: PathBuf::from(&marker.root), name: marker.name.clone() }
}

impl CheckpointStore {
    /// What lies in the folders of our own copies, as far as it can be read.
    pub(super) fn found_in_copies(&self) -> Vec<Found> {
        let seal = || self.core.home().ok()?.shelf.lock.held();
        let copies = self.core.copied().unwrap_or_default().into_iter();
        copies.filter_map(|(_, marker)| Found::open(packs_of(&marker), seal()).ok()).collect()
    }
}

impl Places for CheckpointStore {
    fn place(&self, project: ProjectId) -> Result<PlaceState, StoreError> {
        let home = self.core.home()?;
        let lost = home.database.read(|db| rows::lost(db, Some(project)))?.len() as u64;
        let marker = marker::read(self.core.dir(), project)?;
        let path = Some(packs_of(&marker).shown().display().to_string());
        let there = PlaceState { kept: Kept::Project, path, ..PlaceState::default() };
        match marker.state {
            State::Ours => Ok(PlaceState { waits: true, ..there }),
            State::Copied => {
                let whole = self.core.is_whole(project, &marker)?;
                Ok(PlaceState { whole, failed: marker.failed, lost, ..there })
            }
            _ => Ok(PlaceState { lost, ..PlaceState::default() }),
        }
    }

    fn set_place(
        &self,
        project: ProjectId,
        root: &str,
        to: Kept,
        progress: OnCopied<'_>,
    ) -> Result<(), StoreError> {
        self.core.set_place(project, root, to, progress)
    }

    fn copy(&self, project: ProjectId) -> Result<bool, StoreError> {
        self.core.copy(project)
    }

    fn found(&self, project: ProjectId, root: &str) -> Result<Vec<FoundFolder>, StoreError> {
        let marker = marker::read(self.core.dir(), project)?;
        let root = PathBuf::from(root);
        let mut names = folder::names(&root);
        names.retain(|name| *name != marker.name);
        names.sort();
        let mut found = Vec::new();
        for name in names.into_iter().take(MOST) {
            let packs = Packs::Beneath { root: root.clone(), name: name.clone() };
            let there = packs.list()?;
            if there.is_empty() {
                continue;
            }
            // What cannot be opened has no size here, and is said when it is taken over.
            let sizes = there.iter().take(MOST_PACKS).map(|pack| packs.size(pack));
            let bytes = sizes.filter_map(Result::ok).flatten().sum();
            let taken = marker.taken.contains(&name);
            found.push(FoundFolder { name, bytes, taken });
        }
        Ok(found)
    }

    fn open_found(
        &self,
        project: ProjectId,
        root: &str,
        name: &str,
    ) -> Result<Box<dyn FoundCheckpoints>, StoreError> {
        let known = self.found(project, root)?;
        if !known.iter().any(|folder| folder.name == name) {
            return Err(StoreError::NotFound {
                what: "folder of checkpoints",
                id: name.to_owned(),
            });
        }
        let packs = Packs::Beneath { root: PathBuf::from(root), name: name.to_owned() };
        Ok(Box::new(Found::open(packs, self.core.home()?.shelf.lock.held())?))
    }

    fn settle_found(&self, project: ProjectId, name: &str) -> Result<(), StoreError> {
        let _gate = marker::gate(self.core.dir(), project)?;
        let mut marker = marker::read(self.core.dir(), project)?;
        if !marker.taken.iter().any(|taken| taken == name) {
            marker.taken.push(name.to_owned());
        }
        marker::write(self.core.dir(), project, &marker)
    }
}

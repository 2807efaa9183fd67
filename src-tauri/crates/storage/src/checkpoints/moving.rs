//! Bringing the checkpoints of a project to another place.
//!
//! What they need is copied part by part, between which checkpoints are taken as ever, and read again where it lies then.
//! When nothing is missing, their rows follow in one transaction, and one file is replaced whole: from then on the other
//! place counts. Only after that does anything go. Whatever dies in between leaves every checkpoint whole where it
//! counts, and a leftover that the next one to look takes away.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use siltstone_engine::checkpoint::{Checkpoint, Kept, Moved, Moving, ObjectId, needed};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;

use super::carried::{self, Carried};
use super::collect::{named_by, read_tree};
use super::folder::Packs;
use super::marker::{self, Marker, State};
use super::pack::Kind;
use super::places::Core;
use super::sealing::alone;
use super::{CheckpointStore, Opened};
use crate::fault::io;
use crate::held::Held;

/// Objects of one part, and their bytes.
const PART: usize = 1_000;
const PART_BYTES: usize = 16 * 1024 * 1024;

/// A project on its way.
pub(super) struct Move {
    core: Arc<Core>,
    project: ProjectId,
    to: Kept,
    marker: Marker,
    source: Arc<Opened>,
    target: Arc<Opened>,
    /// What was found to be needed.
    needed: BTreeSet<ObjectId>,
    /// What is still to be copied, and what to be read again.
    left: Vec<ObjectId>,
    unread: Vec<ObjectId>,
    finished: bool,
    /// Keeps others from moving it.
    _gate: Held,
}

impl Move {
    pub(super) fn begin(
        core: Arc<Core>,
        project: ProjectId,
        root: &str,
        to: Kept,
    ) -> Result<Self, StoreError> {
        let gate = marker::gate(core.dir(), project)?;
        core.tidy(project)?;
        let marker = marker::read(core.dir(), project)?;
        let (source, target, marker) = match (to, marker.state) {
            (Kept::Project, State::Here) => {
                let marker = marker.renewed(State::Coming, root);
                marker::write(core.dir(), project, &marker)?;
                let made = core.away(&marker).and_then(|target| {
                    target.shelf.packs().make()?;
                    Ok(target)
                });
                if made.is_err() {
                    core.tidy(project)?;
                }
                (core.home()?, made?, marker)
            }
            (Kept::Here, State::Ours) => {
                let source = core.of(Some(project))?;
                source.mend()?;
                (source, core.home()?, marker::read(core.dir(), project)?)
            }
            _ => return Err(StoreError::Conflict { what: "its checkpoints are there already" }),
        };
        let (needed, left, unread) = (BTreeSet::new(), Vec::new(), Vec::new());
        let finished = false;
        Ok(Self {
            core,
            project,
            to,
            marker,
            source,
            target,
            needed,
            left,
            unread,
            finished,
            _gate: gate,
        })
    }

    /// Finds what the checkpoints and plans of the project need, as they are now.
    fn look(&mut self) -> Result<Carried, StoreError> {
        let (source, project) = (&self.source, self.project);
        let carried = source
            .database
            .read(|db| carried::carried(db, project, source.shelf.lock.reading(db)?.as_ref()))?;
        let mut found = Vec::new();
        let mut tree = |id| read_tree(&source.database, &source.shelf, id);
        for row in carried.checkpoints.iter().filter(|row| !row.lost) {
            let checkpoint: &Checkpoint = &row.checkpoint;
            needed::<StoreError>(checkpoint, &mut self.needed, &mut found, &mut tree)?;
        }
        for id in carried.plans.iter().flat_map(named_by) {
            // A plan may name what is gone, if it was finished.
            if !self.needed.contains(&id) && source.finds(id)? {
                self.needed.insert(id);
                found.push(id);
            }
        }
        self.left.extend(found);
        Ok(carried)
    }

    /// Copies a part; whoever calls holds the gate alone.
    fn copy(&mut self) -> Result<(), StoreError> {
        let writing = self.target.database.read(|db| self.target.shelf.lock.writing(db))?;
        let (mut count, mut bytes) = (0, 0);
        while count < PART && bytes < PART_BYTES {
            let Some(id) = self.left.last().copied() else { break };
            if !self.target.finds(id)? {
                let object = self.source.shelf.get(&self.source.database, id)?;
                (count, bytes) = (count + 1, bytes + object.len());
                let (database, shelf) = (&self.target.database, &self.target.shelf);
                shelf.append(database, Kind::Object, id, &object, writing.as_ref())?;
            }
            self.left.pop();
            self.unread.push(id);
        }
        self.target.shelf.commit(&self.target.database, |_, _| Ok(()))
    }

    /// Reads again a part of what was copied; bytes that are not what they were are never given.
    fn read(&mut self) -> Result<(), StoreError> {
        let mut bytes = 0;
        for _ in 0..PART {
            let Some(id) = self.unread.last() else { break };
            bytes += self.target.shelf.get(&self.target.database, *id)?.len();
            self.unread.pop();
            if bytes > PART_BYTES {
                break;
            }
        }
        Ok(())
    }

    /// From here on the other place counts; whoever calls holds the gate alone.
    fn switch(&mut self, carried: &Carried) -> Result<(), StoreError> {
        let (target, project) = (&self.target, self.project);
        if self.to == Kept::Project && !target.is_sealed_as(&self.source)? {
            return Err(StoreError::Conflict { what: "sealing was switched meanwhile" });
        }
        let writing = target.database.read(|db| target.shelf.lock.writing(db))?;
        for row in &carried.checkpoints {
            let record = row.record.as_bytes();
            let id = ObjectId::of(record);
            if !target.finds(id)? {
                let (database, shelf) = (&target.database, &target.shelf);
                shelf.append(database, Kind::Checkpoint, id, record, writing.as_ref())?;
            }
        }
        target.shelf.commit(&target.database, |db, _| {
            carried::forget(db, project)?;
            carried::put(db, project, carried, writing.as_ref())
        })?;
        self.marker.state = match self.to {
            Kept::Project => State::Ours,
            Kept::Here => State::Leaving,
        };
        marker::write(self.core.dir(), project, &self.marker)?;
        self.finished = true;
        if let Err(error) = self.core.tidy(project) {
            tracing::warn!(%error, "what was left behind of a move goes later");
        }
        Ok(())
    }

    fn moved(&self) -> Moved {
        let total = 2 * self.needed.len() as u64;
        let left = 2 * self.left.len() as u64 + self.unread.len() as u64;
        Moved { done: total.saturating_sub(left), total, finished: self.finished }
    }
}

impl Moving for Move {
    fn step(&mut self) -> Result<Moved, StoreError> {
        if self.finished {
            return Ok(self.moved());
        }
        // Of a capture that failed.
        for place in [&self.source, &self.target] {
            place.shelf.commit(&place.database, |_, _| Ok(()))?;
        }
        let _alone = alone(&self.core.gate())?;
        let carried = self.look()?;
        if !self.left.is_empty() {
            self.copy()?;
        } else if !self.unread.is_empty() {
            self.read()?;
        } else {
            // Nothing names there yet what was copied, so it may have been freed.
            for id in &self.needed {
                if !self.target.finds(*id)? {
                    self.left.push(*id);
                }
            }
            if self.left.is_empty() {
                self.switch(&carried)?;
            }
        }
        Ok(self.moved())
    }
}

impl Drop for Move {
    fn drop(&mut self) {
        if !self.finished
            && let Err(error) = self.core.tidy(self.project)
        {
            tracing::warn!(%error, "what was copied for a move goes later");
        }
    }
}

impl Opened {
    /// Whether an object is there.
    pub(super) fn finds(&self, id: ObjectId) -> Result<bool, StoreError> {
        Ok(self.shelf.find(&self.database, id)?.is_some())
    }
}

impl Core {
    /// Takes away what a move left behind; whoever calls holds the gate of the project.
    pub(super) fn tidy(&self, project: ProjectId) -> Result<(), StoreError> {
        let marker = marker::read(self.dir(), project)?;
        match marker.state {
            State::Here => Ok(()),
            State::Ours => {
                let home = self.home()?;
                match home.database.read(|db| carried::is_any(db, project))? {
                    true => home.database.write(|db| carried::forget(db, project)),
                    false => Ok(()),
                }
            }
            State::Coming | State::Leaving => {
                self.forget(&marker);
                let (root, name) = (PathBuf::from(&marker.root), marker.name.clone());
                Packs::Beneath { root, name }.unmake()?;
                let dir = marker::database_dir(self.dir(), &marker);
                match fs::remove_dir_all(&dir) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(io(&dir, &error));
                    }
                    _ => {}
                }
                let here = Marker { taken: marker.taken, ..Marker::default() };
                marker::write(self.dir(), project, &here)
            }
        }
    }
}

impl CheckpointStore {
    /// Takes away what moves that died left behind.
    pub(super) fn tidy_all(&self) -> Result<(), StoreError> {
        for (project, marker) in marker::all(self.core.dir())? {
            // One that is on its way is left alone.
            if marker.state != State::Here
                && let Ok(_gate) = marker::gate(self.core.dir(), project)
            {
                self.core.tidy(project)?;
            }
        }
        Ok(())
    }
}

//! Checkpoints that an earlier version kept in a project's folder alone, with their rows in a database of their own:
//! brought home when they are first needed.
//!
//! The rows come at once, as they are, so that every checkpoint is listed and can be deleted here. What they hold comes as
//! soon as it can be read: what is sealed waits for its key, and what lies on a drive that is not there for the drive. It
//! is put with everything else and read again there, and then one file is replaced whole: the folder is a copy from then
//! on. Whatever dies in between begins anew. What cannot be read is listed as lost.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering;

use siltstone_engine::checkpoint::{Checkpoint, needed};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;

use super::collect::{named_by, read_tree};
use super::marker::{self, Marker, State};
use super::places::Core;
use super::{Opened, carried, index, verify};
use crate::packs::pack::Kind;

impl Core {
    /// Brings home what is elsewhere, as far as it can be.
    pub(super) fn bring_home(&self, home: &Opened) -> Result<(), StoreError> {
        let mut waits = false;
        for (project, marker) in marker::all(self.dir())? {
            if marker.state != State::Ours {
                continue;
            }
            if self.read_only {
                let detail = format!("{} was left by an earlier version", self.dir().display());
                return Err(StoreError::ReadOnly { detail });
            }
            let _gate = marker::gate(self.dir(), project)?;
            self.bring_rows(home, project)?;
            match self.bring(home, project) {
                Err(StoreError::Locked) => waits = true,
                // Told with the place.
                Err(error) => tracing::info!(%error, %project, "it stays in the project's folder"),
                Ok(()) => {}
            }
        }
        self.waits.store(waits, Ordering::Relaxed);
        Ok(())
    }

    /// Brings the rows of a project home. Whoever calls holds its gate.
    fn bring_rows(&self, home: &Opened, project: ProjectId) -> Result<(), StoreError> {
        let marker = marker::read(self.dir(), project)?;
        if marker.state != State::Ours {
            // Another process was first.
            return Ok(());
        }
        if !index::is_there(&marker::database_dir(self.dir(), &marker))? {
            tracing::warn!(%project, "the rows of checkpoints in a project's folder are lost");
            // Nothing tells what in that folder is ours, so it is foreign from now on.
            let root = marker.root.clone();
            return marker::write(self.dir(), project, &marker.renewed(State::Copied, &root));
        }
        let from = self.beneath(home, &marker)?;
        let rows = from.database.read(|db| carried::as_they_are(db, project))?;
        home.database.write(|db| carried::put_as_they_are(db, project, &rows))?;
        from.database.write(|db| carried::forget(db, project))?;
        // Nothing of a conversation stays beside the copy.
        from.database.empty_wal()
    }

    /// Brings home what the checkpoints of a project hold, if that is elsewhere. Whoever calls holds its gate.
    pub(super) fn bring(&self, home: &Opened, project: ProjectId) -> Result<(), StoreError> {
        let marker = marker::read(self.dir(), project)?;
        if marker.state != State::Ours {
            return Ok(());
        }
        let from = self.beneath(home, &marker)?;
        let (database, shelf) = (&from.database, &from.shelf);
        shelf.packs().reach()?;
        let reading = database.read(|db| shelf.lock.reading(db))?;
        let there = home.database.read(|db| {
            let here = home.shelf.lock.reading(db)?;
            carried::carried(db, project, reading.as_ref().or(here.as_ref()))
        })?;
        let mut ids = Vec::new();
        let mut seen = BTreeSet::new();
        for row in &there.checkpoints {
            // A tree that is not there has nothing below it; reading it again names it.
            needed::<StoreError>(&row.checkpoint, &mut seen, &mut ids, &mut |id| {
                Ok(read_tree(database, shelf, id).unwrap_or_default())
            })?;
        }
        ids.extend(there.plans.iter().flat_map(named_by));
        for id in ids {
            match shelf.get(database, id) {
                Ok(bytes) => _ = home.shelf.put(&home.database, Kind::Object, &bytes)?,
                Err(error) => tracing::warn!(%error, "an object in a project's folder is lost"),
            }
        }
        for row in &there.checkpoints {
            home.shelf.put(&home.database, Kind::Record, row.record.as_bytes())?;
        }
        let all: Vec<Checkpoint> =
            there.checkpoints.into_iter().map(|row| row.checkpoint).collect();
        let bad = verify::unreadable(&home.database, &home.shelf, &all, &mut |_| true)?;
        let lost: HashSet<_> = bad.into_iter().flat_map(|(_, of)| of).collect();
        home.shelf.commit(&home.database, |db, _| {
            // In the form of this database; with what came and went meanwhile.
            let (here, writing) = (home.shelf.lock.reading(db)?, home.shelf.lock.writing(db)?);
            let mut rows = carried::carried(db, project, reading.as_ref().or(here.as_ref()))?;
            for row in &mut rows.checkpoints {
                row.lost = lost.contains(&row.checkpoint.id);
            }
            carried::forget(db, project)?;
            carried::put(db, project, &rows, writing.as_ref())
        })?;
        marker::write(self.dir(), project, &Marker { state: State::Copied, ..marker })
    }
}

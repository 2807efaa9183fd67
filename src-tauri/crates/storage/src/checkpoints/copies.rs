//! The copy of a project's checkpoints in its own folder: packs there, and in the data folder a database that says what
//! was put into them.
//!
//! Nothing depends on it. It is written after every checkpoint, brought after what was deleted, and written again whole
//! where it is not what was put there; what is done to it is no harm to any checkpoint. One process at a time is at it.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::ErrorKind;

use siltstone_engine::checkpoint::{Checkpoint, Kept, ObjectId, OnCopied, Tree, needed};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::ports::StoreError;

use super::collect::{self, read_tree};
use super::marker::{self, Marker, State};
use super::places::Core;
use super::{Opened, index, rows, verify};
use crate::column;
use crate::fault::io;
use crate::held::Held;
use crate::packs::index::objects_of;
use crate::packs::lock::{Fact, fact, put_fact};
use crate::packs::pack::{self, Record};
use crate::packs::sweep::{Dead, sweep, unneeded};

/// Objects after which what was written counts.
const PART: usize = 1_000;

impl Core {
    /// Keeps a copy in a project's folder from now on, or no longer.
    pub(super) fn set_place(
        &self,
        project: ProjectId,
        root: &str,
        to: Kept,
        progress: OnCopied<'_>,
    ) -> Result<(), StoreError> {
        let home = self.home()?;
        let _gate = marker::try_gate(self.dir(), project)?;
        self.bring(&home, project)?;
        self.tidy(&home, project)?;
        let marker = marker::read(self.dir(), project)?;
        match (to, marker.state) {
            (Kept::Project, State::Here) => {
                let marker = marker.renewed(State::Coming, root);
                marker::write(self.dir(), project, &marker)?;
                match self.fill(&home, project, &marker, progress) {
                    // What is damaged here is told with the copy, which holds the rest.
                    Ok(()) | Err(StoreError::Damaged { .. } | StoreError::NotFound { .. }) => {}
                    Err(error) => {
                        self.tidy(&home, project)?;
                        return Err(error);
                    }
                }
                let marker = Marker { state: State::Copied, ..marker };
                marker::write(self.dir(), project, &marker)?;
                // What was made meanwhile was not copied by whoever made it. Why it is not whole is told with the place.
                _ = self.follow(&home, project, marker);
                Ok(())
            }
            (Kept::Here, State::Copied) => {
                let marker = Marker { state: State::Leaving, failed: None, ..marker };
                marker::write(self.dir(), project, &marker)?;
                self.tidy(&home, project)
            }
            _ => Err(StoreError::Conflict { what: "it is so already" }),
        }
    }

    /// Makes the copy of a project whole, if it has one; remembers why it could not.
    pub(super) fn copy(&self, project: ProjectId) -> Result<bool, StoreError> {
        let home = self.home()?;
        if !matches!(marker::read(self.dir(), project)?.state, State::Copied | State::Ours) {
            return Ok(false);
        }
        let _gate = marker::gate(self.dir(), project)?;
        self.bring(&home, project)?;
        let marker = marker::read(self.dir(), project)?;
        match marker.state {
            State::Copied => self.follow(&home, project, marker).map(|()| true),
            _ => Ok(false),
        }
    }

    /// Brings a copy up to what is kept, and remembers why it could not be. Whoever calls holds the gate of the project.
    fn follow(
        &self,
        home: &Opened,
        project: ProjectId,
        mut marker: Marker,
    ) -> Result<(), StoreError> {
        if !index::is_there(&marker::database_dir(self.dir(), &marker))? {
            // Nothing tells what in that folder is ours, so it is foreign from now on.
            let root = marker.root.clone();
            marker = marker.renewed(State::Copied, &root);
            marker::write(self.dir(), project, &marker)?;
        }
        let done = self.fill(home, project, &marker, &mut |_, _| true);
        let failed = done.as_ref().err().map(ToString::to_string);
        if failed != marker.failed {
            marker::write(self.dir(), project, &Marker { failed, ..marker })?;
        }
        done
    }

    /// Writes what a copy lacks; whoever calls holds the gate of the project. What cannot be read here keeps only the
    /// checkpoints out that need it.
    fn fill(
        &self,
        home: &Opened,
        project: ProjectId,
        marker: &Marker,
        progress: OnCopied<'_>,
    ) -> Result<(), StoreError> {
        let copy = self.beneath(home, marker)?;
        copy.shelf.packs().make()?;
        if copy.is_gone()? || copy.form()? != home.form()? {
            copy.renew(home.form()?)?;
        }
        let lacking = home.lacking(&copy, project)?;
        let error = match home.write_into(&copy, &lacking, progress) {
            Err(error @ (StoreError::Damaged { .. } | StoreError::NotFound { .. })) => error,
            done => return done,
        };
        // Asked again: it may have been deleted meanwhile.
        let mut lacking = home.lacking(&copy, project)?;
        let all: Vec<Checkpoint> = lacking.iter().map(|(_, it)| it.clone()).collect();
        let bad = verify::unreadable(&home.database, &home.shelf, &all, &mut |_| true)?;
        let bad: HashSet<CheckpointId> = bad.into_iter().flat_map(|(_, of)| of).collect();
        lacking.retain(|(_, checkpoint)| !bad.contains(&checkpoint.id));
        home.write_into(&copy, &lacking, progress)?;
        if bad.is_empty() { Ok(()) } else { Err(error) }
    }

    /// Takes out of a copy what the checkpoints of its project do not need any more, to the last byte: whoever gets the
    /// folder reads what lies there, and not what is known here.
    pub(super) fn thin(&self, project: ProjectId) -> Result<(), StoreError> {
        let home = self.home()?;
        let Some((_gate, copy)) = self.existing(&home, project)? else { return Ok(()) };
        let needed = collect::needed(&home.database, &home.shelf, Some(project))?;
        let dead = unneeded(&copy.database, &needed)?;
        // Without any there may still be bytes of some, left by a process that died here.
        match copy.shelf.packs().reach() {
            Err(_) if dead.is_empty() => return Ok(()),
            reached => reached?,
        }
        let swept = match copy.is_gone()? {
            true => copy.renew(home.form()?),
            false => sweep(&copy.database, &copy.shelf, &dead, Dead::Goes).map(|_| ()),
        };
        match swept {
            Err(StoreError::Damaged { .. }) => copy.renew(home.form()?)?,
            swept => swept?,
        }
        copy.database.empty_wal()
    }

    /// Deletes a copy that is not sealed as it should be; the next checkpoint writes it again.
    pub(super) fn reform(&self, project: ProjectId) -> Result<(), StoreError> {
        let home = self.home()?;
        let Some((_gate, copy)) = self.existing(&home, project)? else { return Ok(()) };
        if copy.form()? != home.form()? {
            copy.shelf.packs().reach()?;
            copy.renew(home.form()?)?;
        }
        Ok(())
    }

    /// Reads everything in a copy; one that does not hold what was put there is written again with the next checkpoint.
    pub(super) fn look_through(&self, project: ProjectId) -> Result<(), StoreError> {
        let home = self.home()?;
        let Some((_gate, copy)) = self.existing(&home, project)? else { return Ok(()) };
        let (packs, seal) = (copy.shelf.packs(), copy.shelf.lock.held());
        for (pack, _) in copy.known()? {
            for (name, offset) in copy.database.read(|db| objects_of(db, &pack))? {
                match pack::read_at(packs, &pack, offset, name, seal.as_ref()) {
                    Err(StoreError::Damaged { .. }) => return copy.renew(home.form()?),
                    read => _ = read?,
                }
            }
        }
        Ok(())
    }

    /// The copy of a project, if it has one and it is known what was put there.
    fn existing(
        &self,
        home: &Opened,
        project: ProjectId,
    ) -> Result<Option<(Held, Opened)>, StoreError> {
        let gate = marker::gate(self.dir(), project)?;
        let marker = marker::read(self.dir(), project)?;
        let is_there = index::is_there(&marker::database_dir(self.dir(), &marker));
        if marker.state != State::Copied || !is_there? {
            return Ok(None);
        }
        Ok(Some((gate, self.beneath(home, &marker)?)))
    }

    /// Whether a copy holds every checkpoint that is not lost, as far as can be said without reading it.
    pub(super) fn is_whole(&self, project: ProjectId, marker: &Marker) -> Result<bool, StoreError> {
        let home = self.home()?;
        if !index::is_there(&marker::database_dir(self.dir(), marker))? {
            return Ok(false);
        }
        let copy = self.beneath(&home, marker)?;
        let is_there = !copy.is_gone()? && copy.form()? == home.form()?;
        match home.lacking(&copy, project) {
            Err(StoreError::Locked) => Ok(is_there),
            lacking => Ok(is_there && lacking?.is_empty()),
        }
    }

    /// The projects that have a copy.
    pub(super) fn copied(&self) -> Result<Vec<(ProjectId, Marker)>, StoreError> {
        let mut all = marker::all(self.dir())?;
        all.retain(|(_, marker)| marker.state == State::Copied);
        Ok(all)
    }

    /// Does something with every copy; what cannot be done to one is in nobody's way.
    pub(super) fn each_copy(&self, act: impl Fn(ProjectId) -> Result<(), StoreError>) {
        for (project, _) in self.copied().unwrap_or_default() {
            if let Err(error) = act(project) {
                tracing::warn!(%error, %project, "the copy in a project's folder");
            }
        }
    }

    /// Takes away a copy that is not to be, or never came to be whole: what we know of it, and nothing else. Whoever
    /// calls holds the gate of the project.
    fn tidy(&self, home: &Opened, project: ProjectId) -> Result<(), StoreError> {
        let marker = marker::read(self.dir(), project)?;
        if !matches!(marker.state, State::Coming | State::Leaving) {
            return Ok(());
        }
        let dir = marker::database_dir(self.dir(), &marker);
        if index::is_there(&dir)? {
            let copy = self.beneath(home, &marker)?;
            let known = copy.known()?.into_iter().map(|(name, _)| name);
            copy.shelf.packs().unmake(known)?;
        }
        match fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(io(&dir, &error)),
            _ => {}
        }
        let here = Marker { taken: marker.taken, ..Marker::default() };
        marker::write(self.dir(), project, &here)
    }

    /// Takes away what processes that died left behind.
    pub(super) fn tidy_all(&self) -> Result<(), StoreError> {
        let home = self.home()?;
        for (project, marker) in marker::all(self.dir())? {
            // One that somebody is at is left alone.
            if marker.state != State::Here
                && let Ok(_gate) = marker::try_gate(self.dir(), project)
            {
                self.tidy(&home, project)?;
            }
        }
        Ok(())
    }
}

impl Opened {
    /// The packs that are known, and how far.
    fn known(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.database.read(|db| {
            let mut find = db.prepare_cached("SELECT name, ends FROM packs")?;
            let rows = find.query_map([], |row| Ok((row.get(0)?, column::count(row, 1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Whether packs that are known are not there any more, or not as long as they were.
    fn is_gone(&self) -> Result<bool, StoreError> {
        let is_there = |(name, end): (String, u64)| {
            end == 0
                || self.shelf.packs().size(&name).is_ok_and(|it| it.is_some_and(|it| it >= end))
        };
        Ok(!self.known()?.into_iter().all(is_there))
    }

    /// What comes is sealed so.
    fn form(&self) -> Result<Option<Fact>, StoreError> {
        Ok(self.database.read(|db| fact(db))?.filter(|fact| fact.due))
    }

    /// Begins a copy anew.
    fn renew(&self, form: Option<Fact>) -> Result<(), StoreError> {
        for (name, _) in self.known()? {
            self.shelf.packs().remove(&name)?;
        }
        self.database.write(|db| {
            db.execute_batch("DELETE FROM objects; DELETE FROM packs;")?;
            put_fact(db, form)
        })
    }

    /// Writes checkpoints into a copy, each with what it needs. What lies below an object is written before it, so that
    /// whatever is there is there whole, wherever this ends.
    fn write_into(
        &self,
        copy: &Self,
        checkpoints: &[(ObjectId, Checkpoint)],
        progress: OnCopied<'_>,
    ) -> Result<(), StoreError> {
        let (mut ids, mut seen) = (Vec::new(), BTreeSet::new());
        let mut tree = |id| match copy.finds(id)? {
            true => Ok(Tree::default()),
            false => read_tree(&self.database, &self.shelf, id),
        };
        let mut listed = Ok(());
        for (record, checkpoint) in checkpoints {
            listed = needed::<StoreError>(checkpoint, &mut seen, &mut ids, &mut tree);
            if listed.is_err() {
                break;
            }
            ids.push(*record);
        }
        let writing = copy.database.read(|db| copy.shelf.lock.writing(db))?;
        let mut write = || -> Result<(), StoreError> {
            for (done, id) in ids.iter().enumerate() {
                if !progress(done as u64, ids.len() as u64) {
                    return Err(StoreError::Conflict { what: "cancelled" });
                }
                if !copy.finds(*id)? {
                    let Record { kind, bytes, .. } = self.shelf.record(&self.database, *id)?;
                    copy.shelf.append(&copy.database, kind, *id, &bytes, writing.as_ref())?;
                }
                if done % PART == PART - 1 {
                    copy.shelf.commit(&copy.database, |_, _| Ok(()))?;
                }
            }
            progress(ids.len() as u64, ids.len() as u64);
            Ok(())
        };
        let written = write();
        copy.shelf.commit(&copy.database, |_, _| Ok(()))?;
        written.and(listed)
    }

    fn finds(&self, id: ObjectId) -> Result<bool, StoreError> {
        Ok(self.shelf.find(&self.database, id)?.is_some())
    }

    /// The checkpoints of a project that a copy does not hold, the newest first, each with the object of its record.
    fn lacking(
        &self,
        copy: &Self,
        project: ProjectId,
    ) -> Result<Vec<(ObjectId, Checkpoint)>, StoreError> {
        let (all, lost) = self.database.read(|db| {
            let seal = self.shelf.lock.reading(db)?;
            Ok((rows::all(db, Some(project), seal.as_ref())?, rows::lost(db, Some(project))?))
        })?;
        let mut lacking = Vec::new();
        for (record, checkpoint) in all {
            if !lost.contains(&checkpoint.id) && !copy.finds(record)? {
                lacking.push((record, checkpoint));
            }
        }
        lacking.sort_by_key(|(_, it)| std::cmp::Reverse((it.created_at, it.id)));
        Ok(lacking)
    }
}

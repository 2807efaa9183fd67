//! The places of checkpoints: the one of this computer, and those in projects' folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use siltstone_engine::checkpoint::Sealer;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;

use super::folder::Packs;
use super::lock::Lock;
use super::marker::{Marker, State};
use super::shelf::Shelf;
use super::{Opened, index, marker, rows};
use crate::{column, files};

/// All places of a data folder.
pub(super) struct Core {
    dir: PathBuf,
    sealer: Arc<dyn Sealer>,
    /// Whether nothing can be written here.
    read_only: bool,
    home: OnceLock<Arc<Opened>>,
    /// Held while it is opened, so that this is done once.
    opening: Mutex<()>,
    /// Those in projects' folders, by the names of these.
    away: Mutex<HashMap<String, Arc<Opened>>>,
}

impl Core {
    pub(super) fn new(dir: PathBuf, sealer: Arc<dyn Sealer>, read_only: bool) -> Self {
        let (home, opening, away) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Self { dir, sealer, read_only, home, opening, away }
    }

    /// The folder in the data folder.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Held shared by whoever captures anywhere, and alone by whoever frees space or moves a project.
    pub(super) fn gate(&self) -> PathBuf {
        self.dir.join("collect.lock")
    }

    /// The place of this computer.
    pub(super) fn home(&self) -> Result<Arc<Opened>, StoreError> {
        let _once = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(home) = self.home.get() {
            return Ok(home.clone());
        }
        self.make(&self.dir)?;
        let opened = self.opened(&self.dir, Packs::Here(self.dir.join("packs")))?;
        Ok(self.home.get_or_init(|| Arc::new(opened)).clone())
    }

    fn make(&self, dir: &Path) -> Result<(), StoreError> {
        if self.read_only { Ok(()) } else { files::create_private_dir(dir) }
    }

    fn opened(&self, dir: &Path, packs: Packs) -> Result<Opened, StoreError> {
        let database = if self.read_only {
            index::open_to_read(dir)?
        } else {
            if !packs.is_beneath() {
                packs.make()?;
            }
            index::open(dir, &packs)?
        };
        let shelf = Shelf::new(packs, self.gate(), Lock::new(self.sealer.clone()));
        Ok(Opened { database, shelf })
    }

    /// Where the checkpoints of a project are.
    pub(super) fn of(&self, project: Option<ProjectId>) -> Result<Arc<Opened>, StoreError> {
        let Some(project) = project else { return self.home() };
        let marker = marker::read(&self.dir, project)?;
        match marker.state {
            State::Ours => self.ours(project, marker),
            State::Here | State::Coming | State::Leaving => self.home(),
        }
    }

    /// The place of a project that keeps its own. Without its database nothing tells what in that folder is ours, and it
    /// is foreign from then on.
    fn ours(&self, project: ProjectId, marker: Marker) -> Result<Arc<Opened>, StoreError> {
        if let Some(known) = self.known(&marker) {
            return Ok(known);
        }
        if self.read_only || index::is_there(&marker::database_dir(&self.dir, &marker))? {
            return self.away(&marker);
        }
        tracing::warn!(%project, "the rows of checkpoints in a project's folder are lost");
        let root = marker.root.clone();
        let fresh = marker.renewed(State::Ours, &root);
        let opened = self.away(&fresh)?;
        marker::write(&self.dir, project, &fresh)?;
        Ok(opened)
    }

    fn known(&self, marker: &Marker) -> Option<Arc<Opened>> {
        self.away.lock().unwrap_or_else(PoisonError::into_inner).get(&marker.name).cloned()
    }

    /// A place in a project's folder, sealed as the one of this computer is.
    pub(super) fn away(&self, marker: &Marker) -> Result<Arc<Opened>, StoreError> {
        let home = self.home()?;
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = away.get(&marker.name) {
            return Ok(known.clone());
        }
        let dir = marker::database_dir(&self.dir, marker);
        let is_new = !self.read_only && !index::is_there(&dir)?;
        self.make(&dir)?;
        let packs = Packs::Beneath { root: PathBuf::from(&marker.root), name: marker.name.clone() };
        let opened = Arc::new(self.opened(&dir, packs)?);
        opened.shelf.lock.hold(home.shelf.lock.key());
        if is_new {
            opened.seal_as(&home)?;
        }
        away.insert(marker.name.clone(), opened.clone());
        Ok(opened)
    }

    /// Forgets a place in a project's folder.
    pub(super) fn forget(&self, marker: &Marker) {
        self.away.lock().unwrap_or_else(PoisonError::into_inner).remove(&marker.name);
    }

    /// Every place that counts, the one of this computer first.
    pub(super) fn all(&self) -> Result<Vec<Arc<Opened>>, StoreError> {
        let mut all = vec![self.home()?];
        for (project, marker) in marker::all(&self.dir)? {
            if marker.state == State::Ours {
                all.push(self.ours(project, marker)?);
            }
        }
        Ok(all)
    }

    /// The place whose row of this id counts: one that was left behind by a move does not.
    pub(super) fn holder(
        &self,
        table: rows::Table,
        id: &str,
    ) -> Result<Option<Arc<Opened>>, StoreError> {
        for place in self.all()? {
            if let Some(project) = place.database.read(|db| rows::project_of(db, table, id))?
                && Arc::ptr_eq(&place, &self.of(project)?)
            {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Where a project's checkpoints are, and stay until what is put there has a row: whoever moves them waits.
    pub(super) fn steady(&self, project: Option<ProjectId>) -> Result<Arc<Opened>, StoreError> {
        loop {
            let place = self.of(project)?;
            if place.shelf.holds_back() {
                return Ok(place);
            }
            place.shelf.hold_back_collecting(&place.database)?;
            place.mend()?;
            if Arc::ptr_eq(&place, &self.of(project)?) {
                return Ok(place);
            }
            place.shelf.let_go();
        }
    }
}

impl Opened {
    /// Whether packs that rows name are not there any more.
    pub(super) fn is_gone(&self) -> Result<bool, StoreError> {
        let packs = self.shelf.packs();
        if !packs.is_beneath() {
            return Ok(false);
        }
        let known: Vec<(String, u64)> = self.database.read(|db| {
            let mut find = db.prepare_cached("SELECT name, ends FROM packs WHERE ends > 0")?;
            let rows = find.query_map([], |row| Ok((row.get(0)?, column::count(row, 1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })?;
        for (pack, end) in known {
            if packs.size(&pack)?.is_none_or(|size| size < end) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where packs are gone from a project's folder, nothing there is known any more, so that what comes is kept whole;
    /// what the checkpoints before it held is lost with them, unless the packs come back.
    pub(super) fn mend(&self) -> Result<(), StoreError> {
        let packs = self.shelf.packs();
        if self.is_gone()? {
            tracing::warn!("checkpoints are gone from {}", packs.shown().display());
            self.database.write(|db| {
                db.execute_batch(
                    "DELETE FROM objects; DELETE FROM packs; UPDATE checkpoints SET lost = 1;",
                )?;
                Ok(())
            })?;
        }
        if packs.is_beneath() { packs.make() } else { Ok(()) }
    }
}

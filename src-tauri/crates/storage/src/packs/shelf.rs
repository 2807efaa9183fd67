//! Putting objects into packs and taking them out. What was put waits in memory with its place until a commit.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs::{File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Transaction;
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::ports::StoreError;
use uuid::Uuid;

use super::folder::Packs;
use super::index::{self, Place};
use super::lock::{Lock, Seal};
use super::pack::{self, Kind, Record};
use crate::connection::Database;
use crate::fault::{Fault, io};
use crate::files;
use crate::held::Held;

/// A pack of at least this size is full.
const PACK_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes that wait in memory before they are written.
const BUFFER: usize = 1024 * 1024;

/// Packs in one folder.
pub(crate) struct Shelf {
    packs: Packs,
    gate: PathBuf,
    /// Whether what is sealed can be read here.
    pub(crate) lock: Lock,
    open: Mutex<Open>,
}

/// What a commit will make durable.
#[derive(Default)]
struct Open {
    pack: Option<OpenPack>,
    /// In packs already, and in no row yet.
    waiting: HashMap<ObjectId, Waiting>,
    /// Packs that were filled since the last commit.
    filled: Vec<OpenPack>,
    /// Keeps objects that were found from being freed until a row names them, and packs from being rewritten.
    guard: Option<Held>,
    /// What seals what is put while the guard is held.
    seal: Option<Seal>,
}

/// An object in a pack that no row names yet.
#[derive(Clone)]
struct Waiting {
    /// What it is called there.
    name: ObjectId,
    pack: String,
    offset: u64,
    stored: u64,
}

/// A pack that only this process appends to, because it holds its lock.
struct OpenPack {
    name: String,
    sealed: bool,
    file: File,
    _held: Held,
    end: u64,
    /// Where it ended at the last commit.
    kept: u64,
    buffer: Vec<u8>,
    is_new: bool,
}

impl Shelf {
    pub(crate) fn new(packs: Packs, gate: PathBuf, lock: Lock) -> Self {
        Self { packs, gate, lock, open: Mutex::default() }
    }

    pub(crate) fn path(&self, pack: &str) -> PathBuf {
        self.packs.path(pack)
    }

    pub(crate) fn packs(&self) -> &Packs {
        &self.packs
    }

    pub(crate) fn gate(&self) -> &std::path::Path {
        &self.gate
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an object that is not there yet.
    pub(crate) fn put(
        &self,
        database: &Database,
        kind: Kind,
        bytes: &[u8],
    ) -> Result<ObjectId, StoreError> {
        let id = ObjectId::of(bytes);
        let seal = self.hold_back_collecting(database)?;
        if self.open().waiting.contains_key(&id) || self.find(database, id)?.is_some() {
            return Ok(id);
        }
        let put = self.append(database, kind, id, bytes, seal.as_ref());
        self.or_give_back(put)?;
        Ok(id)
    }

    /// Puts an object at the end of this process's pack, unless it waits already; the bytes it takes.
    pub(crate) fn append(
        &self,
        database: &Database,
        kind: Kind,
        id: ObjectId,
        bytes: &[u8],
        seal: Option<&Seal>,
    ) -> Result<u64, StoreError> {
        // Compressed and sealed before anybody is kept waiting.
        let (name, record) = pack::record(kind, id, bytes, seal)?;
        let mut open = self.open();
        if open.waiting.contains_key(&id) {
            return Ok(0);
        }
        let sealed = seal.is_some();
        if open.pack.as_ref().is_some_and(|it| it.end >= PACK_BYTES || it.sealed != sealed)
            && let Some(mut full) = open.pack.take()
        {
            full.flush(&self.path(&full.name))?;
            full.press(self)?;
            open.filled.push(full);
        }
        let pack = match &mut open.pack {
            Some(pack) => pack,
            none => none.insert(self.begin(database, sealed)?),
        };
        let (in_pack, offset) = (pack.name.clone(), pack.end);
        pack.append(&record, &self.path(&in_pack))?;
        let stored = record.len() as u64;
        open.waiting.insert(id, Waiting { name, pack: in_pack, offset, stored });
        Ok(stored)
    }

    /// Where an object is, the name of its pack, and its own name there. While what is sealed cannot be read, nobody can
    /// say that an object is not there.
    pub(crate) fn find(
        &self,
        database: &Database,
        id: ObjectId,
    ) -> Result<Option<(Place, String, ObjectId)>, StoreError> {
        database.read(|db| {
            let seal = self.lock.reading(db);
            let mask = seal.as_ref().ok().and_then(Option::as_ref).map(|seal| seal.mask(id));
            for name in mask.into_iter().chain([id]) {
                if let Some((place, pack)) = index::place(db, name)? {
                    return Ok(Some((place, pack, name)));
                }
            }
            seal.map(|_| None)
        })
    }

    pub(crate) fn get(&self, database: &Database, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        Ok(self.record(database, id)?.bytes)
    }

    /// An object, and what it is.
    pub(crate) fn record(&self, database: &Database, id: ObjectId) -> Result<Record, StoreError> {
        {
            let mut open = self.open();
            if let Some(waiting) = open.waiting.get(&id).cloned() {
                let path = self.path(&waiting.pack);
                if let Some(pack) = open.pack.as_mut().filter(|pack| pack.name == waiting.pack) {
                    pack.flush(&path)?;
                }
                let (seal, Waiting { name, pack, offset, .. }) = (self.lock.held(), waiting);
                return pack::read_at(&self.packs, &pack, offset, name, seal.as_ref());
            }
        }
        let none = || StoreError::NotFound { what: "object", id: id.to_string() };
        let mut at = self.find(database, id)?.ok_or_else(none)?;
        loop {
            let (place, pack, name) = &at;
            let seal = self.lock.held();
            match pack::read_at(&self.packs, pack, place.offset, *name, seal.as_ref()) {
                // Its pack may have been rewritten since the question where it is.
                Err(error) => match self.find(database, id)?.ok_or_else(none)? {
                    moved if moved != at => at = moved,
                    _ => return Err(error),
                },
                Ok(found) => return Ok(found),
            }
        }
    }

    pub(crate) fn has(&self, database: &Database, id: ObjectId) -> Result<bool, StoreError> {
        self.hold_back_collecting(database)?;
        Ok(self.open().waiting.contains_key(&id) || self.find(database, id)?.is_some())
    }

    /// Presses what waits onto the disk, and in one transaction makes it findable and does `more`, which is told how
    /// many bytes were added.
    pub(crate) fn commit<T>(
        &self,
        database: &Database,
        more: impl FnOnce(&Transaction<'_>, u64) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let done = self.commit_after(database, |_| Ok(()), more);
        self.or_give_back(done)
    }

    /// What a full disk could not take is captured anew some time; until then it has the room that was taken since the
    /// last commit. Whoever captures is alone in this process, and fails with it.
    fn or_give_back<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(done, Err(StoreError::Full)) {
            let mut open = self.open();
            open.waiting.clear();
            open.guard = None;
            let open = &mut *open;
            for pack in open.filled.drain(..).chain(open.pack.take()) {
                let path = self.path(&pack.name);
                let given_back = match pack.kept {
                    pack::START => self.packs.remove(&pack.name),
                    kept => pack.file.set_len(kept).map_err(|error| io(&path, &error)),
                };
                if let Err(error) = given_back {
                    tracing::warn!(%error, "giving back the room of {}", path.display());
                }
            }
        }
        done
    }

    fn commit_after<T>(
        &self,
        database: &Database,
        first: impl FnOnce(&Transaction<'_>) -> Result<(), Fault>,
        more: impl FnOnce(&Transaction<'_>, u64) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut open = self.open();
        if let Some(pack) = &mut open.pack {
            pack.flush(&self.path(&pack.name))?;
            if !open.waiting.is_empty()
                && let Some(pack) = &mut open.pack
            {
                pack.press(self)?;
            }
        }
        let done = database.write(|db| {
            first(db)?;
            let mut bytes = 0;
            let mut waiting: Vec<&Waiting> = open.waiting.values().collect();
            // In the order of the rows: each page of the database is touched once.
            waiting.sort_unstable_by_key(|it| it.name);
            let mut ends: BTreeMap<&str, (i64, u64)> = BTreeMap::new();
            for Waiting { name, pack, offset, stored } in waiting {
                let (pack, end) = match ends.entry(pack) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert((index::pack_id(db, pack)?, 0)),
                };
                index::put_place(
                    db,
                    *name,
                    Place { pack: *pack, offset: *offset, stored: *stored },
                )?;
                *end = (*end).max(offset + stored);
                bytes += stored;
            }
            for (pack, end) in ends.into_values() {
                index::put_end(db, pack, end)?;
            }
            more(db, bytes)
        })?;
        open.waiting.clear();
        open.filled.clear();
        open.guard = None;
        if let Some(pack) = &mut open.pack {
            pack.kept = pack.end;
        }
        Ok(done)
    }

    /// Ends this process's pack, so that it never changes again.
    pub(crate) fn close(&self) -> Result<(), StoreError> {
        let mut open = self.open();
        if let Some(mut pack) = open.pack.take() {
            pack.flush(&self.path(&pack.name))?;
            pack.press(self)?;
        }
        Ok(())
    }

    /// The pack this process appends to.
    pub(crate) fn current(&self) -> Option<String> {
        self.open().pack.as_ref().map(|pack| pack.name.clone())
    }

    /// Gives what seals what is put meanwhile.
    pub(crate) fn hold_back_collecting(
        &self,
        database: &Database,
    ) -> Result<Option<Seal>, StoreError> {
        let mut open = self.open();
        if open.guard.is_none() {
            let file = files::open_private(&self.gate)?;
            let guard = Held::shared(file).map_err(|error| io(&self.gate, &error))?;
            open.seal = database.read(|db| self.lock.writing(db))?;
            // Another process may have rewritten this one's pack into another form.
            if let Some(pack) = &open.pack
                && self.packs.size(&pack.name)?.is_none()
            {
                open.pack = None;
            }
            open.guard = Some(guard);
        }
        Ok(open.seal.clone())
    }

    /// Keeps everybody else from appending to a pack and from rewriting it, as long as it is held. Nobody is kept from
    /// reading: a lock would do that on Windows, where a file beside the gate is locked for it.
    pub(crate) fn hold(&self, pack: &str) -> Result<Held, TryLockError> {
        #[cfg(windows)]
        return Held::while_it_is_there(&self.gate.with_file_name(format!("{pack}.lock")));
        #[cfg(not(windows))]
        Held::try_alone(self.packs.open(pack).map_err(TryLockError::Error)?)
    }

    /// A pack to append to: one of this form that is not full and that nobody appends to, or a new one.
    fn begin(&self, database: &Database, sealed: bool) -> Result<OpenPack, StoreError> {
        for (name, end) in database.read(|db| index::ends(db))? {
            let path = self.path(&name);
            if end >= PACK_BYTES
                || self.packs.size(&name)?.is_none()
                || pack::is_sealed(&self.packs, &name)? != Some(sealed)
            {
                continue;
            }
            let held = match self.hold(&name) {
                Ok(held) => held,
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(io(&path, &error)),
            };
            let file = self.packs.open_to_write(&name);
            let mut file = file.map_err(|error| io(&path, &error))?;
            // Another process may have appended between the question and the lock.
            if database.read(|db| index::end_of(db, &name))? != Some(end) {
                continue;
            }
            // What a process that died left behind its last commit.
            let ready = file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end)));
            ready.map_err(|error| io(&path, &error))?;
            return Ok(OpenPack {
                name,
                sealed,
                file,
                _held: held,
                end,
                kept: end,
                buffer: Vec::new(),
                is_new: false,
            });
        }
        let name = Uuid::now_v7().to_string();
        let path = self.path(&name);
        // What dies before its first commit leaves a pack of which nothing is needed, and not one that nobody knows.
        database.write(|db| index::pack_id(db, &name).map(|_| ()))?;
        let mut file = self.packs.create(&name)?;
        let held = self.hold(&name).map_err(|error| io(&path, &error.into()))?;
        file.write_all(pack::start(sealed)).map_err(|error| io(&path, &error))?;
        let end = pack::START;
        Ok(OpenPack {
            name,
            sealed,
            file,
            _held: held,
            end,
            kept: end,
            buffer: Vec::new(),
            is_new: true,
        })
    }

    /// Makes what was copied out of a pack durable, and forgets the pack.
    fn commit_moved(&self, database: &Database, pack: &str) -> Result<(), StoreError> {
        let forget = |db: &Transaction<'_>| -> Result<(), Fault> {
            db.execute(
                "DELETE FROM objects WHERE pack = (SELECT id FROM packs WHERE name = ?1)",
                [pack],
            )?;
            db.execute("DELETE FROM packs WHERE name = ?1", [pack])?;
            Ok(())
        };
        self.commit_after(database, forget, |_, _| Ok(()))
    }

    /// Writes anew, in the form in which things are to be now, what rows need of a pack, which goes only after that is
    /// durable; the bytes it takes. Whoever calls holds the gate alone. What is damaged stops it, or is left out.
    pub(crate) fn rewrite(
        &self,
        database: &Database,
        pack: &str,
        leave_out: bool,
    ) -> Result<u64, StoreError> {
        let (moved, reading, writing) = database.read(|db| {
            Ok((index::objects_of(db, pack)?, self.lock.reading(db)?, self.lock.writing(db)?))
        })?;
        let mut kept = 0;
        for (name, offset) in moved {
            match pack::read_at(&self.packs, pack, offset, name, reading.as_ref()) {
                Ok(Record { kind, id, bytes }) => {
                    kept += self.append(database, kind, id, &bytes, writing.as_ref())?;
                }
                Err(error @ StoreError::Damaged { .. }) if leave_out => {
                    tracing::warn!(%error, "a damaged object is not kept on");
                }
                Err(error) => return Err(error),
            }
        }
        self.commit_moved(database, pack)?;
        self.packs.remove(pack)?;
        Ok(kept)
    }
}

impl OpenPack {
    fn append(&mut self, record: &[u8], path: &std::path::Path) -> Result<(), StoreError> {
        self.buffer.extend_from_slice(record);
        self.end += record.len() as u64;
        if self.buffer.len() >= BUFFER { self.flush(path) } else { Ok(()) }
    }

    /// Hands what waits to the system. What a full disk took only in part is written again at the same place.
    fn flush(&mut self, path: &std::path::Path) -> Result<(), StoreError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let start = self.end - self.buffer.len() as u64;
        let written =
            self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.write_all(&self.buffer));
        written.map_err(|error| io(path, &error))?;
        self.buffer.clear();
        Ok(())
    }

    fn press(&mut self, shelf: &Shelf) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|error| io(&shelf.path(&self.name), &error))?;
        if self.is_new {
            shelf.packs.sync()?;
            self.is_new = false;
        }
        Ok(())
    }
}

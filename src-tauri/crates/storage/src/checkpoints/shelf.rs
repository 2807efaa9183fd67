//! Putting objects into packs and taking them out. What was put waits in memory with its place until a commit.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Transaction;
use siltstone_engine::checkpoint::{ObjectId, Objects};
use siltstone_engine::ports::StoreError;
use uuid::Uuid;

use super::index::{self, Place};
use super::pack::{self, Kind};
use super::{CheckpointStore, verify};
use crate::connection::Database;
use crate::fault::{Fault, io};
use crate::files;

/// A pack of at least this size is sealed.
const PACK_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes that wait in memory before they are written.
const BUFFER: usize = 1024 * 1024;

/// The packs of a data folder.
pub(super) struct Shelf {
    packs: PathBuf,
    gate: PathBuf,
    open: Mutex<Open>,
}

/// What a commit will make durable.
#[derive(Default)]
struct Open {
    pack: Option<OpenPack>,
    /// In packs already, and in no row yet.
    waiting: HashMap<ObjectId, (String, u64, u64)>,
    /// Keeps objects that were found from being freed until a row names them.
    guard: Option<File>,
}

/// A pack that only this process appends to, because it holds its lock.
struct OpenPack {
    name: String,
    file: File,
    end: u64,
    buffer: Vec<u8>,
    is_new: bool,
}

impl Shelf {
    pub(super) fn new(packs: PathBuf, gate: PathBuf) -> Self {
        Self { packs, gate, open: Mutex::default() }
    }

    pub(super) fn path(&self, pack: &str) -> PathBuf {
        self.packs.join(format!("{pack}.pack"))
    }

    pub(super) fn packs(&self) -> &std::path::Path {
        &self.packs
    }

    pub(super) fn gate(&self) -> &std::path::Path {
        &self.gate
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an object that is not there yet.
    pub(super) fn put(
        &self,
        database: &Database,
        kind: Kind,
        bytes: &[u8],
    ) -> Result<ObjectId, StoreError> {
        let id = ObjectId::of(bytes);
        self.hold_back_collecting()?;
        if self.open().waiting.contains_key(&id)
            || database.read(|db| index::place(db, id))?.is_some()
        {
            return Ok(id);
        }
        // Compressed before anybody is kept waiting.
        self.append(database, id, &pack::record(kind, id, bytes)?)?;
        Ok(id)
    }

    /// Puts a record at the end of this process's pack, unless its object waits already.
    fn append(&self, database: &Database, id: ObjectId, record: &[u8]) -> Result<(), StoreError> {
        let mut open = self.open();
        if open.waiting.contains_key(&id) {
            return Ok(());
        }
        if open.pack.as_ref().is_some_and(|pack| pack.end >= PACK_BYTES)
            && let Some(mut full) = open.pack.take()
        {
            full.flush(&self.path(&full.name))?;
            full.press(self)?;
        }
        let pack = match &mut open.pack {
            Some(pack) => pack,
            none => none.insert(self.begin(database)?),
        };
        let (name, offset) = (pack.name.clone(), pack.end);
        pack.append(record, &self.path(&name))?;
        open.waiting.insert(id, (name, offset, record.len() as u64));
        Ok(())
    }

    pub(super) fn get(&self, database: &Database, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        {
            let mut open = self.open();
            if let Some((name, offset, _)) = open.waiting.get(&id).cloned() {
                let path = self.path(&name);
                if let Some(pack) = open.pack.as_mut().filter(|pack| pack.name == name) {
                    pack.flush(&path)?;
                }
                return Ok(pack::read_at(&path, offset, id)?.1);
            }
        }
        match database.read(|db| index::place(db, id))? {
            Some((place, name)) => Ok(pack::read_at(&self.path(&name), place.offset, id)?.1),
            None => Err(StoreError::NotFound { what: "object", id: id.to_string() }),
        }
    }

    pub(super) fn has(&self, database: &Database, id: ObjectId) -> Result<bool, StoreError> {
        self.hold_back_collecting()?;
        Ok(self.open().waiting.contains_key(&id)
            || database.read(|db| index::place(db, id))?.is_some())
    }

    /// Presses what waits onto the disk, and in one transaction makes it findable and does `more`, which is told how
    /// many bytes were added.
    pub(super) fn commit<T>(
        &self,
        database: &Database,
        more: impl FnOnce(&Transaction<'_>, u64) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.commit_after(database, |_| Ok(()), more)
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
            for (id, (name, offset, stored)) in &open.waiting {
                let pack = index::pack_id(db, name)?;
                index::put_place(db, *id, Place { pack, offset: *offset, stored: *stored })?;
                bytes += stored;
            }
            more(db, bytes)
        })?;
        open.waiting.clear();
        open.guard = None;
        Ok(done)
    }

    /// Ends this process's pack, so that it never changes again.
    pub(super) fn seal(&self) -> Result<(), StoreError> {
        let mut open = self.open();
        if let Some(mut pack) = open.pack.take() {
            pack.flush(&self.path(&pack.name))?;
            pack.press(self)?;
        }
        Ok(())
    }

    /// The pack this process appends to.
    pub(super) fn current(&self) -> Option<String> {
        self.open().pack.as_ref().map(|pack| pack.name.clone())
    }

    fn hold_back_collecting(&self) -> Result<(), StoreError> {
        let mut open = self.open();
        if open.guard.is_none() {
            let file = files::open_private(&self.gate)?;
            file.lock_shared().map_err(|error| io(&self.gate, &error))?;
            open.guard = Some(file);
        }
        Ok(())
    }

    /// A pack to append to: one that is not full and that nobody appends to, or a new one.
    fn begin(&self, database: &Database) -> Result<OpenPack, StoreError> {
        for (name, end) in database.read(|db| verify::ends(db))? {
            let path = self.path(&name);
            if end >= PACK_BYTES || !path.exists() {
                continue;
            }
            let file = OpenOptions::new().read(true).write(true).open(&path);
            let mut file = file.map_err(|error| io(&path, &error))?;
            // Another process may have appended between the question and the lock.
            if file.try_lock().is_err()
                || database.read(|db| verify::end_of(db, &name))? != Some(end)
            {
                continue;
            }
            // What a process that died left behind its last commit.
            let ready = file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end)));
            ready.map_err(|error| io(&path, &error))?;
            return Ok(OpenPack { name, file, end, buffer: Vec::new(), is_new: false });
        }
        let name = Uuid::now_v7().to_string();
        let path = self.path(&name);
        let mut file = files::create_private(&path)?;
        file.try_lock().map_err(|error| io(&path, &error.into()))?;
        file.write_all(pack::MAGIC).map_err(|error| io(&path, &error))?;
        let end = pack::MAGIC.len() as u64;
        Ok(OpenPack { name, file, end, buffer: Vec::new(), is_new: true })
    }

    /// Appends an object that is in another pack, which is about to go; the bytes it takes.
    pub(super) fn copy(
        &self,
        database: &Database,
        kind: Kind,
        id: ObjectId,
        bytes: &[u8],
    ) -> Result<u64, StoreError> {
        let record = pack::record(kind, id, bytes)?;
        self.append(database, id, &record)?;
        Ok(record.len() as u64)
    }

    /// Makes what was copied out of a pack durable, and forgets the pack.
    pub(super) fn commit_moved(
        &self,
        database: &Database,
        pack: &str,
        moved: &[(ObjectId, u64)],
    ) -> Result<(), StoreError> {
        let forget = |db: &Transaction<'_>| -> Result<(), Fault> {
            let mut forget = db.prepare_cached("DELETE FROM objects WHERE id = ?1")?;
            for (id, _) in moved {
                forget.execute([id.as_bytes().as_slice()])?;
            }
            db.execute("DELETE FROM packs WHERE name = ?1", [pack])?;
            Ok(())
        };
        self.commit_after(database, forget, |_, _| Ok(()))
    }

    /// Deletes a pack that no row names.
    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io(&path, &error)),
            _ => Ok(()),
        }
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
            files::sync_dir(&shelf.packs)?;
            self.is_new = false;
        }
        Ok(())
    }
}

impl Objects for CheckpointStore {
    fn put(&self, bytes: &[u8]) -> Result<ObjectId, StoreError> {
        self.opened()?.shelf.put(&self.opened()?.database, Kind::Object, bytes)
    }

    fn has(&self, id: ObjectId) -> Result<bool, StoreError> {
        self.opened()?.shelf.has(&self.opened()?.database, id)
    }

    fn get(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
        self.opened()?.shelf.get(&self.opened()?.database, id)
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.opened()?.shelf.commit(&self.opened()?.database, |_, _| Ok(()))
    }
}

//! Files of other agents, every byte of every version that was seen.
//!
//! `vault/packs/*.pack` hold the bytes in spans of at most a mebibyte, each once; `vault/vault.db` says which spans make a
//! version of a file. A file that grew gets spans behind those it has. One that was written anew becomes another version,
//! which shares the spans before the first change. One that is now a mere beginning of what is kept, or is gone, stays what
//! it was. So nothing that was kept is ever changed by anything but [`forget`](VaultStore::forget), which takes it out of
//! the packs as well.
//!
//! Beside its spans each look leaves a record in the packs, of which the rows are made again when the database is lost.
//! Called through the engine's port. Not here: which files there are, what they mean, and whether anybody agreed.

mod forget;
mod pass;
mod recalling;
mod record;
mod rows;
mod verify;
mod words;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rusqlite::params;
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{ObjectId, Sealer};
use siltstone_engine::ports::StoreError;
use siltstone_engine::search::{Phrase, Query};
use siltstone_engine::vault::{
    AgentHome, Forgotten, KeptFile, Place, Said, SaidAt, SaidCandidates, SaidHits, SessionFacts,
    VaultFault, VaultPass, VaultSize, VaultStore,
};

use crate::column;
use crate::connection::Database;
use crate::files;
use crate::finder::lately::{Lately, OF_SAID};
use crate::packs::folder::Packs;
use crate::packs::lock::Lock;
use crate::packs::opening::Form;
use crate::packs::shelf::Shelf;

/// The folder in the data folder.
const FOLDER: &str = "vault";

/// The form of the database, and how it is made again.
const FORM: Form = Form {
    file: "vault.db",
    steps: &[
        include_str!("../migrations/vault.sql"),
        include_str!("../migrations/vault_2.sql"),
        include_str!("../migrations/vault_3.sql"),
    ],
    take_in: record::take_in,
};

/// The files of agents that are kept in a data folder.
pub struct Vault {
    dir: PathBuf,
    sealer: Arc<dyn Sealer>,
    read_only: bool,
    opened: OnceLock<Arc<Opened>>,
    /// Held while it is opened, so that this is done once.
    opening: Mutex<()>,
}

/// Packs, and the database that knows what is in them.
struct Opened {
    dir: PathBuf,
    database: Database,
    shelf: Shelf,
    lately: Lately<String>,
}

impl Vault {
    /// What is kept in a data folder, opened when it is first needed: what cannot be opened keeps nobody from the
    /// conversations, and is tried again at the next call.
    pub fn new(data_dir: &Path, sealer: Arc<dyn Sealer>, read_only: bool) -> Self {
        let (opened, opening) = (OnceLock::new(), Mutex::default());
        Self { dir: data_dir.join(FOLDER), sealer, read_only, opened, opening }
    }

    fn opened(&self) -> Result<Arc<Opened>, StoreError> {
        let _once = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = self.opened.get() {
            return Ok(opened.clone());
        }
        let packs = Packs::Here(self.dir.join("packs"));
        let database = if self.read_only {
            FORM.open_to_read(&self.dir)?
        } else {
            files::create_private_dir(&self.dir)?;
            packs.make()?;
            FORM.open(&self.dir, &packs)?
        };
        let shelf =
            Shelf::new(packs, self.dir.join("collect.lock"), Lock::new(self.sealer.clone()));
        let lately = Lately::new(OF_SAID);
        let opened = Opened { dir: self.dir.clone(), database, shelf, lately };
        Ok(self.opened.get_or_init(|| Arc::new(opened)).clone())
    }

    /// The same, unless nothing was ever kept: looking makes nothing.
    fn if_there(&self) -> Result<Option<Arc<Opened>>, StoreError> {
        match self.opened.get().is_some() || self.dir.exists() {
            true => self.opened().map(Some),
            false => Ok(None),
        }
    }
}

impl VaultStore for Vault {
    fn agreed(&self) -> Result<Vec<AgentHome>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(Vec::new()) };
        opened.database.read(rows::agreed)
    }

    fn agree(&self, home: &AgentHome, yes: bool, now: Timestamp) -> Result<(), StoreError> {
        let at = yes.then(|| column::nanoseconds(now));
        self.opened()?.database.write(|db| {
            let id = rows::home(db, home)?;
            db.execute("UPDATE homes SET agreed_at = ?2 WHERE id = ?1", params![id, at])?;
            Ok(())
        })
    }

    fn pass(&self) -> Result<Box<dyn VaultPass>, StoreError> {
        Ok(Box::new(pass::Pass::begin(self.opened()?)?))
    }

    fn files(&self) -> Result<Vec<KeptFile>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(Vec::new()) };
        opened.database.read(rows::files)
    }

    fn files_at(&self, place: &Place) -> Result<Vec<KeptFile>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(Vec::new()) };
        opened.database.read(|db| rows::files_at(db, place))
    }

    fn file_named(&self, home: &AgentHome, name: &str) -> Result<Option<KeptFile>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(None) };
        opened.database.read(|db| rows::file_named(db, home, name))
    }

    fn bytes(&self, file: u64, version: Option<u32>) -> Result<Box<dyn Read + Send>, StoreError> {
        let opened = self.opened()?;
        let spans = opened.database.read(|db| rows::spans(db, file, version))?;
        let spans = spans.into_iter().map(|span| span.object).collect();
        Ok(Box::new(Bytes { opened, spans, now: Cursor::default() }))
    }

    fn facts(&self) -> Result<HashMap<u64, SessionFacts>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(HashMap::new()) };
        opened.database.read(rows::facts)
    }

    fn facts_of(&self, files: &[u64]) -> Result<HashMap<u64, SessionFacts>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(HashMap::new()) };
        opened.database.read(|db| rows::facts_of(db, files))
    }

    fn put_facts(
        &self,
        file: &KeptFile,
        reader: u32,
        facts: &SessionFacts,
        said: &[Said],
    ) -> Result<(), StoreError> {
        self.opened()?.database.write(|db| {
            if rows::put_facts(db, file, reader, facts)? {
                words::put(db, file.id, facts.folder.as_deref(), said)?;
            }
            Ok(())
        })
    }

    fn find(
        &self,
        query: &Query,
        files: Option<&HashSet<u64>>,
        limit: usize,
    ) -> Result<SaidHits, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(SaidHits::default()) };
        opened.database.read(|db| words::find(db, query, files, limit))
    }

    fn candidates(
        &self,
        asked: &[Phrase],
        folder: &str,
        limit: u32,
    ) -> Result<SaidCandidates, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(SaidCandidates::default()) };
        let limit = limit as usize;
        opened.database.read(|db| recalling::candidates(db, &opened.lately, asked, folder, limit))
    }

    fn said(&self, at: &SaidAt, folder: &str) -> Result<Option<Said>, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(None) };
        opened.database.read(|db| recalling::said(db, at, folder))
    }

    fn state(&self) -> Result<VaultSize, StoreError> {
        let Some(opened) = self.if_there()? else { return Ok(VaultSize::default()) };
        let bytes = opened.database.read(rows::distinct_bytes)?;
        let mut stored = 0;
        for pack in opened.shelf.packs().list()? {
            stored += opened.shelf.packs().size(&pack)?.unwrap_or_default();
        }
        Ok(VaultSize { bytes, stored })
    }

    fn verify(&self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Vec<VaultFault>, StoreError> {
        match self.if_there()? {
            Some(opened) => verify::verify(&opened, go_on),
            None => Ok(Vec::new()),
        }
    }

    fn forget(&self, files: &[u64], for_good: bool) -> Result<Forgotten, StoreError> {
        let opened = self.opened()?;
        let gone = forget::forget(&opened, files, for_good)?;
        opened.lately.forget();
        Ok(gone)
    }
}

/// A version, span after span; one of them at a time is in memory.
struct Bytes {
    opened: Arc<Opened>,
    spans: VecDeque<ObjectId>,
    now: Cursor<Vec<u8>>,
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.now.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(next) = self.spans.pop_front() else { return Ok(0) };
            let bytes = self.opened.shelf.get(&self.opened.database, next);
            self.now = Cursor::new(bytes.map_err(io::Error::other)?);
        }
    }
}

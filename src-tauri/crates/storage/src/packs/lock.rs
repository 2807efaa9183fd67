//! What is sealed, with which key, and whether that key is at hand.
//!
//! The database says whether what comes is to be sealed; the key comes from outside and is held in memory. Everything
//! that is sealed names what it is about, so that nothing can be put in the place of something else.

use std::sync::{Arc, PoisonError, RwLock};

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::checkpoint::{ObjectId, SealError, SealKey, Sealer};
use siltstone_engine::ports::StoreError;

use crate::fault::Fault;

/// What a key masks to be told from others; no object has this content.
const MARK: &[u8] = b"the key of these checkpoints";

/// Whether the key is at hand, for a store.
pub(crate) struct Lock {
    sealer: Arc<dyn Sealer>,
    key: RwLock<Option<SealKey>>,
}

/// What the database says of sealing, once it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Whether what comes is sealed.
    pub(crate) due: bool,
    /// What tells the key from others, unless the database was made again without it.
    pub(crate) mark: Option<ObjectId>,
}

/// A key, and how to seal with it.
#[derive(Clone)]
pub(crate) struct Seal {
    sealer: Arc<dyn Sealer>,
    key: SealKey,
}

impl Lock {
    pub(crate) fn new(sealer: Arc<dyn Sealer>) -> Self {
        Self { sealer, key: RwLock::default() }
    }

    /// Holds a key, or no key any more.
    pub(crate) fn hold(&self, key: Option<SealKey>) {
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = key;
    }

    /// The key itself, for a copy of the same checkpoints.
    pub(crate) fn key(&self) -> Option<SealKey> {
        self.key.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How to seal with a key.
    pub(crate) fn with(&self, key: &SealKey) -> Seal {
        Seal { sealer: self.sealer.clone(), key: key.clone() }
    }

    /// The key that is held, whatever it is for.
    pub(crate) fn held(&self) -> Option<Seal> {
        let key = self.key.read().unwrap_or_else(PoisonError::into_inner);
        key.as_ref().map(|key| self.with(key))
    }

    /// The key that opens what is sealed; `None` where nothing is.
    pub(crate) fn reading(&self, db: &Connection) -> Result<Option<Seal>, Fault> {
        let Some(fact) = fact(db)? else { return Ok(None) };
        let right = self.held().filter(|seal| fact.mark == Some(seal.mark()));
        right.map(Some).ok_or(Fault::Store(StoreError::Locked))
    }

    /// What seals what comes; `None` when it is not to be sealed.
    pub(crate) fn writing(&self, db: &Connection) -> Result<Option<Seal>, Fault> {
        if fact(db)?.is_some_and(|fact| fact.due) { self.reading(db) } else { Ok(None) }
    }
}

impl Seal {
    /// What tells this key from others.
    pub(crate) fn mark(&self) -> ObjectId {
        self.mask(ObjectId::of(MARK))
    }

    pub(crate) fn mask(&self, id: ObjectId) -> ObjectId {
        self.sealer.mask(&self.key, id)
    }

    pub(crate) fn seal(&self, about: &[u8], bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
        let sealed = self.sealer.seal(&self.key, about, bytes);
        sealed.map_err(|error| StoreError::Io { detail: error.to_string() })
    }

    pub(crate) fn open(&self, about: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        self.sealer.open(&self.key, about, sealed)
    }
}

/// What the database says; `None` where nothing is sealed.
pub(crate) fn fact(db: &Connection) -> Result<Option<Fact>, Fault> {
    let mut find = db.prepare_cached("SELECT due, mark FROM sealing")?;
    let fact = find.query_row([], |row| {
        let mark: Option<[u8; 32]> = row.get(1)?;
        Ok(Fact { due: row.get(0)?, mark: mark.map(ObjectId::from_bytes) })
    });
    Ok(fact.optional()?)
}

/// From now on the database says this.
pub(crate) fn put_fact(db: &Connection, fact: Option<Fact>) -> Result<(), Fault> {
    db.execute("DELETE FROM sealing", [])?;
    if let Some(Fact { due, mark }) = fact {
        let mark = mark.as_ref().map(|mark| mark.as_bytes().as_slice());
        db.execute("INSERT INTO sealing (id, due, mark) VALUES (1, ?1, ?2)", params![due, mark])?;
    }
    Ok(())
}

//! The form a persistent store is kept in: JSON, keys in their order, fields of other versions kept.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::store::{ContextScope, ContextSnapshot, ContextStore, PersistenceKind};

/// The newest form we know.
const VERSION: u32 = 1;

/// How reading the text of a store fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreFileError {
    /// It is not what we write.
    #[error("not a context store: {detail}")]
    Damaged {
        /// What is wrong with it.
        detail: String,
    },
    /// A newer version wrote it; it must be left as it is.
    #[error("the context store has version {found}, this program knows {known}")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest we know.
        known: u32,
    },
    /// It belongs to another scope.
    #[error("a context store of scope {found:?} where {expected:?} belongs")]
    OtherScope {
        /// What belongs there.
        expected: ContextScope,
        /// What is there.
        found: ContextScope,
    },
}

/// A persistent store as it lies in its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreFile {
    version: u32,
    scope: ContextScope,
    /// The project root its rules were read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_root: Option<String>,
    /// When it was renewed last; for people, nothing is decided by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refreshed_at: Option<Timestamp>,
    /// Keys and values.
    pub entries: ContextSnapshot,
    /// Fields we do not know, to be written back.
    #[serde(flatten)]
    pub unknown: IndexMap<String, Value>,
}

impl StoreFile {
    /// The file of this store.
    pub fn of(store: &ContextStore) -> Self {
        Self {
            version: VERSION,
            scope: store.scope(),
            project_root: None,
            refreshed_at: None,
            entries: store.snapshot().clone(),
            unknown: IndexMap::new(),
        }
    }

    /// Reads the file of a store of this scope.
    pub fn from_json(text: &str, expected: ContextScope) -> Result<Self, StoreFileError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        // The version first: the rest of a newer file need not make sense to us.
        let head: Head = serde_json::from_str(text).map_err(damaged)?;
        if head.version > VERSION {
            return Err(StoreFileError::Newer { found: head.version, known: VERSION });
        }
        let file: Self = serde_json::from_str(text).map_err(damaged)?;
        if file.scope != expected {
            return Err(StoreFileError::OtherScope { expected, found: file.scope });
        }
        Ok(file)
    }

    /// The text to write; the same content always gives the same text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The store it holds.
    pub fn store(&self) -> ContextStore {
        let mut store = ContextStore::new(self.scope, PersistenceKind::Persistent);
        store.put_all(&self.entries);
        store
    }
}

fn damaged(error: serde_json::Error) -> StoreFileError {
    StoreFileError::Damaged { detail: error.to_string() }
}

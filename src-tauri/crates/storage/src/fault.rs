//! From what SQLite, serde and the file system say to the port's [`StoreError`].

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;
use siltstone_engine::ports::StoreError;

/// What can go wrong inside a transaction, before the file it concerns is known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// Already in the port's words.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// SQLite refused.
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
    /// A value does not have the form it was stored in.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Fault {
    /// The port's error, for the database at `path`.
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Sql(error) => sql(path, &error),
            Self::Json(error) => damaged(path, error.to_string()),
        }
    }
}

/// A missing record.
pub(crate) fn not_found(what: &'static str, id: impl ToString) -> Fault {
    Fault::Store(StoreError::NotFound { what, id: id.to_string() })
}

/// A state that does not allow what was asked.
pub(crate) fn conflict(what: &'static str) -> Fault {
    Fault::Store(StoreError::Conflict { what })
}

/// A database that cannot be read.
pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> StoreError {
    StoreError::Damaged { path: path.display().to_string(), detail: detail.into() }
}

/// What SQLite said about the database at `path`.
pub(crate) fn sql(path: &Path, error: &rusqlite::Error) -> StoreError {
    match error {
        // What a statement looks into is no JSON any more, which SQLite has no code for.
        rusqlite::Error::SqliteFailure(_, Some(said)) if said == "malformed JSON" => {
            damaged(path, said.as_str())
        }
        // Statements name what every database of ours has: its list of tables was changed by something else.
        rusqlite::Error::SqlInputError { msg, .. } if msg.starts_with("no such ") => {
            damaged(path, msg.as_str())
        }
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DiskFull => StoreError::Full,
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                StoreError::ReadOnly { detail: format!("{}: {error}", path.display()) }
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                damaged(path, error.to_string())
            }
            ErrorCode::ConstraintViolation => StoreError::Conflict {
                what: "a record of this id is there already, or one it names is not",
            },
            _ => StoreError::Io { detail: error.to_string() },
        },
        // A stored value that no longer reads as its type: the file was changed by something else.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => damaged(path, error.to_string()),
        _ => StoreError::Io { detail: error.to_string() },
    }
}

/// What the file system said about `path`.
pub(crate) fn io(path: &Path, error: &io::Error) -> StoreError {
    let detail = format!("{}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { detail }
        }
        _ => StoreError::Io { detail },
    }
}

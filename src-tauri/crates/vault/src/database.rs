//! Databases of other programs: opened to read, with nothing of them trusted, and told as lines.
//!
//! Nothing is made beside one: while its program runs or was killed, it is read through the index of its write-ahead log,
//! which is there then; else that log is empty and the file is all. One without such a log is read under its own locks.
//! Used by `antigravity`, `opencode` and `cursor`. Deliberately absent: what stands in which table, which each of them knows.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use siltstone_engine::vault::Stamp;
use url::Url;

/// Most bytes of a session: it is in memory while it is kept.
const MOST: u64 = 512 << 20;

/// How long a program may be waited for.
const WAIT: Duration = Duration::from_secs(2);

/// Where a file says how it is read, and what stands there if that is by a write-ahead log.
const READ_VERSION: usize = 19;
const BY_LOG: u8 = 2;

/// Opened to read, and so that nothing is made beside it.
pub(crate) fn opened(path: &Path) -> io::Result<Connection> {
    if !path.symlink_metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file"));
    }
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        fs::symlink_metadata(name)
    };
    let is_in_log = beside("-wal").is_ok_and(|log| log.len() > 0);
    // On Windows SQLite makes the index that it is told only to read.
    if is_in_log && beside("-shm").is_err() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "its log has no index"));
    }
    let way = match (is_in_log, has_log(path)?) {
        (true, _) => "mode=ro&readonly_shm=1",
        (false, true) => "immutable=1",
        (false, false) => "mode=ro",
    };
    let url = path.canonicalize().ok().and_then(|path| Url::from_file_path(path).ok());
    let url = url.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let open = || -> rusqlite::Result<Connection> {
        let db = Connection::open_with_flags(format!("{url}?{way}"), flags)?;
        // Anybody may have made the file: nothing in its schema is carried out.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        db.pragma_update(None, "trusted_schema", false)?;
        db.pragma_update(None, "cell_size_check", true)?;
        db.busy_timeout(WAIT)?;
        Ok(db)
    };
    open().map_err(io::Error::other)
}

/// Whether a database is written by way of a log beside it.
fn has_log(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    let (file, _) = crate::open_regular(path)?;
    file.take(READ_VERSION as u64 + 1).read_to_end(&mut head)?;
    Ok(head.get(READ_VERSION) == Some(&BY_LOG))
}

/// How a database looks, with its log: what was said is in one of them.
pub(crate) fn stamp_of(path: &Path) -> io::Result<Stamp> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let stamp = crate::stamp_of(&path.symlink_metadata()?)?;
    let log = fs::symlink_metadata(log).and_then(|found| crate::stamp_of(&found));
    Ok(log.map_or(stamp, |log| Stamp {
        bytes: stamp.bytes + log.bytes,
        modified: stamp.modified.max(log.modified),
    }))
}

/// Whether there is a table of this name; a view is none.
pub(crate) fn has(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")?.exists([table])
}

/// Refuses a session that takes more room than there is for one.
pub(crate) fn bounded(bytes: u64) -> io::Result<()> {
    match bytes > MOST {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large to be read")),
        false => Ok(()),
    }
}

/// Adds the line of a row: what stands before its JSON, and that, byte for byte.
pub(crate) fn line(to: &mut Vec<u8>, before: &str, data: ValueRef<'_>) {
    to.extend_from_slice(before.as_bytes());
    match data {
        // An end of a line is a blank to JSON, and would end this one.
        ValueRef::Text(said) | ValueRef::Blob(said) => {
            to.extend(said.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
        }
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => to.extend_from_slice(b"null"),
    }
    to.extend_from_slice(b"}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_room_is_for_is_refused_before_it_is_read() {
        assert!(bounded(MOST).is_ok());
        assert_eq!(bounded(MOST + 1).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}

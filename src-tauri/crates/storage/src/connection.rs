//! Connections to one database file: one that writes and a few that read.
//!
//! SQLite lets one connection of all processes write at a time and readers go on meanwhile (WAL). Writes begin
//! IMMEDIATE, so that a transaction that read first can never fail later because another process wrote in between.
//! In a folder that cannot be written a database is opened to read alone, and every write is refused.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use siltstone_engine::ports::StoreError;

use crate::fault::{Fault, sql};
use crate::passages::with_suffix;

/// Between two looks of a writer whether another process still writes.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks before it gives up: five seconds, and more where the machine is so busy that pauses take longer.
const LOOKS: i32 = 1_000;

/// Readers that are kept open while idle.
const IDLE_READERS: usize = 4;

/// Statements a connection keeps prepared.
const STATEMENTS: usize = 64;

/// How old an answer about others' commits may be while the WAL seems untouched: a file system whose clock is coarser
/// than two commits hides the second one, and some stamp a file only when it is closed.
const VERSION_HOLDS: Duration = Duration::from_secs(2);

/// A WAL that grew beyond this is cut back after a checkpoint.
const WAL_BYTES: i64 = 32 * 1024 * 1024;

/// How hard a commit is pressed onto the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// On the disk when the commit returns.
    Full,
    /// Never torn, but the last commits may be missing after a power cut: for what can be made again.
    Normal,
}

/// How a database is worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Read and written.
    Written,
    /// Read, beside others who may write it.
    Read,
    /// Read where nobody can have left anything beside it, nor can it be put there.
    Still,
    /// Not a file at all: empty, and gone with this process.
    Memory,
}

/// One database file, open.
pub(crate) struct Database {
    path: PathBuf,
    way: Way,
    /// What was wrong with it where something of it could not be read, from the first time on.
    met: OnceLock<String>,
    readers: Mutex<Vec<Connection>>,
    /// What the writer said last about commits of others.
    version: Mutex<Option<Version>>,
    /// Says whether anybody committed; opened when that is asked for the first time.
    watching: Mutex<Option<Connection>>,
    /// Closed last, because it is the one that brings the WAL home when nobody else has the file open.
    writer: Mutex<Connection>,
}

/// What was said about commits of others, and how the WAL looked just before.
#[derive(Clone, Copy)]
struct Version {
    number: u64,
    wal: Option<(u64, SystemTime)>,
    at: Instant,
}

impl Database {
    /// Opens a file whose schema is right already.
    pub(crate) fn open(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        let writer = open_writer(path, durability)?;
        Ok(Self {
            path: path.to_owned(),
            way: Way::Written,
            met: OnceLock::new(),
            readers: Mutex::new(vec![open_reader(path)?]),
            version: Mutex::default(),
            watching: Mutex::default(),
            writer: Mutex::new(writer),
        })
    }

    /// Opens a file whose folder cannot be written, to read alone.
    pub(crate) fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let (way, reader) = match open_reader(path).and_then(|reader| seen(path, reader)) {
            Ok(reader) => (Way::Read, reader),
            // Without the file of shared memory, which cannot be made here, what is in a WAL cannot be read; where there is
            // nothing in one, nothing is missed.
            Err(refused) => match wal_is_empty(path) {
                true => (Way::Still, seen(path, open_untouched(path)?)?),
                false => return Err(refused),
            },
        };
        Ok(Self {
            path: path.to_owned(),
            way,
            met: OnceLock::new(),
            readers: Mutex::default(),
            version: Mutex::default(),
            watching: Mutex::default(),
            writer: Mutex::new(reader),
        })
    }

    /// What stands for a file that is not there and cannot be made; `schema` is what it would hold at first.
    pub(crate) fn in_memory(path: &Path, schema: &[&str]) -> Result<Self, StoreError> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_in_memory()?;
            prepare(&connection)?;
            schema.iter().try_for_each(|part| connection.execute_batch(part))?;
            Ok(connection)
        };
        let writer = open().map_err(|error| sql(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            way: Way::Memory,
            met: OnceLock::new(),
            readers: Mutex::default(),
            version: Mutex::default(),
            watching: Mutex::default(),
            writer: Mutex::new(writer),
        })
    }

    fn another_reader(&self) -> Result<Connection, StoreError> {
        match self.way {
            Way::Still => open_untouched(&self.path),
            Way::Written | Way::Read | Way::Memory => open_reader(&self.path),
        }
    }

    /// Runs `work` in a writing transaction and commits it, or leaves everything as it was.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        if self.way != Way::Written {
            return Err(read_only(&self.path));
        }
        let mut writer = lock(&self.writer);
        let run = || -> Result<T, Fault> {
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|fault| self.noted(fault.at(&self.path)))
    }

    /// What was wrong with it when something of it could not be read for the first time.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.met.get().map(String::as_str)
    }

    /// The same error; one of damage in this file is kept in mind.
    pub(crate) fn noted(&self, error: StoreError) -> StoreError {
        if matches!(&error, StoreError::Damaged { path, .. } if Path::new(path) == self.path) {
            let _ = self.met.set(error.to_string());
        }
        error
    }

    /// Brings the WAL home and empties it, unless another process reads from it at this moment.
    pub(crate) fn empty_wal(&self) -> Result<(), StoreError> {
        self.is_wal_emptied().map(|_| ())
    }

    /// The same; whether nobody was in the way.
    pub(crate) fn is_wal_emptied(&self) -> Result<bool, StoreError> {
        let busy: bool = lock(&self.writer)
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|error| self.noted(sql(&self.path, &error)))?;
        Ok(!busy)
    }

    /// Runs `work` on one unchanging state of the database.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        if self.way == Way::Memory {
            return reading(&mut lock(&self.writer), work).map_err(|fault| self.failed(fault));
        }
        let mut reader = self.reader()?;
        let result = reading(&mut reader, work);
        self.give_back(reader);
        result.map_err(|fault| self.failed(fault))
    }

    fn reader(&self) -> Result<Connection, StoreError> {
        let idle = lock(&self.readers).pop();
        idle.map_or_else(|| self.another_reader(), Ok)
    }

    fn give_back(&self, reader: Connection) {
        let mut idle = lock(&self.readers);
        if idle.len() < IDLE_READERS {
            idle.push(reader);
        }
    }

    /// What went wrong here, noted where it is damage.
    fn failed(&self, fault: Fault) -> StoreError {
        self.noted(fault.at(&self.path))
    }

    /// A number that is another one after any commit, of this process as of others; `None` where nothing tells. What
    /// was read after it was asked for is as it was for as long as it stays the same. Costs less than a read.
    pub(crate) fn state(&self) -> Result<Option<i64>, StoreError> {
        if self.way == Way::Memory {
            return Ok(None);
        }
        let mut watching = lock(&self.watching);
        let connection = match watching.take() {
            Some(connection) => connection,
            None => self.another_reader()?,
        };
        let connection = watching.insert(connection);
        // A connection sees the commits of all others, and this one makes none.
        let number = connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|error| self.noted(sql(&self.path, &error)))?;
        Ok(Some(number))
    }

    /// A number that is another one after another process committed: SQLite does not count a connection's own commits,
    /// and all of ours go through the writer. Whoever asks again and again does not take the writer from those who
    /// write: nobody committed while the WAL is as it was.
    pub(crate) fn version(&self) -> Result<u64, StoreError> {
        let wal = std::fs::metadata(with_suffix(&self.path, "-wal"))
            .and_then(|wal| Ok((wal.len(), wal.modified()?)))
            .ok();
        let mut known = lock(&self.version);
        if let Some(known) = *known
            && known.wal == wal
            && known.at.elapsed() < VERSION_HOLDS
        {
            return Ok(known.number);
        }
        let at = Instant::now();
        let number: i64 = lock(&self.writer)
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| sql(&self.path, &error))?;
        let number = number.unsigned_abs();
        *known = Some(Version { number, wal, at });
        Ok(number)
    }
}

/// Runs `work` on one unchanging state. A table that it made in the connection's own memory stays there.
fn reading<T>(
    reader: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let transaction = reader.transaction()?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

/// The value behind a mutex. A panic while it was held left at most a transaction behind, which rolled back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection that writes. The file must exist: nothing but a first start makes one.
pub(crate) fn open_writer(path: &Path, durability: Durability) -> Result<Connection, StoreError> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        prepare(&connection)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        let synchronous = match durability {
            Durability::Full => "FULL",
            Durability::Normal => "NORMAL",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What is purged is overwritten, not only unlinked.
        connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_size_limit", WAL_BYTES, |_| Ok(()))?;
        Ok(connection)
    };
    open().map_err(|error| sql(path, &error))
}

/// The same connection, once it was seen that something can be read through it.
fn seen(path: &Path, reader: Connection) -> Result<Connection, StoreError> {
    reader
        .query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))
        .map_err(|error| sql(path, &error))?;
    Ok(reader)
}

fn wal_is_empty(path: &Path) -> bool {
    match std::fs::metadata(with_suffix(path, "-wal")) {
        Ok(wal) => wal.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn read_only(path: &Path) -> StoreError {
    let detail =
        format!("{}: it was opened to read, because nothing can be written there", path.display());
    StoreError::ReadOnly { detail }
}

/// A connection that cannot change the file: not by a statement, and not by tidying up when it closes.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        prepare(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| sql(path, &error))
}

/// A connection to a file nobody works with, so that not even an empty file appears beside it. Only for a file whose
/// WAL is gone: it would not be read.
pub(crate) fn open_untouched(path: &Path) -> Result<Connection, StoreError> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri(path), flags)?;
        prepare(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| sql(path, &error))
}

fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    if path.has_root() && !path.as_os_str().as_encoded_bytes().starts_with(b"/") {
        uri.push_str("///");
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b':' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Waits for another process, up to a number of looks and not of seconds. SQLite's own wait looks ten times a second in the
/// end, and whoever writes without a pause keeps it out for good.
fn waits(looks: i32) -> bool {
    std::thread::sleep(PAUSE);
    looks < LOOKS
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_handler(Some(waits))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// safety.md, R2: NORMAL, the usual advice for a WAL, loses what was acknowledged when the power is cut.
    #[test]
    fn what_is_the_persons_is_on_the_disk_when_a_commit_returns() {
        let dir = tempfile::tempdir().unwrap();
        let asked = |name: &str, durability| {
            let path = dir.path().join(name);
            std::fs::write(&path, "").unwrap();
            let writer = open_writer(&path, durability).unwrap();
            let pragma = |name| writer.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            pragma("synchronous").unwrap()
        };
        assert_eq!(asked("full", Durability::Full), 2);
        assert_eq!(asked("normal", Durability::Normal), 1);
    }

    fn with_one_row(dir: &Path) -> PathBuf {
        let path = dir.join("of.db");
        std::fs::write(&path, "").unwrap();
        let writer = open_writer(&path, Durability::Full).unwrap();
        writer
            .execute_batch("CREATE TABLE said (text); INSERT INTO said VALUES ('first')")
            .unwrap();
        path
    }

    fn rows(database: &Database) -> i64 {
        let counted = "SELECT count(*) FROM said";
        database.read(|db| Ok(db.query_row(counted, [], |row| row.get(0))?)).unwrap()
    }

    fn names(dir: &Path) -> Vec<std::ffi::OsString> {
        let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    }

    /// safety.md, R11.
    #[test]
    fn what_is_opened_to_read_refuses_every_write_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = with_one_row(dir.path());
        let before = (std::fs::read(&path).unwrap(), names(dir.path()));
        {
            let untouched = Database {
                path: path.clone(),
                way: Way::Still,
                met: OnceLock::new(),
                readers: Mutex::default(),
                version: Mutex::default(),
                watching: Mutex::default(),
                writer: Mutex::new(open_untouched(&path).unwrap()),
            };
            assert_eq!(rows(&untouched), 1);
            let refused = untouched.write(|db| Ok(db.execute("DELETE FROM said", [])?));
            assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
            assert_eq!(names(dir.path()), before.1);
        }
        assert_eq!((std::fs::read(&path).unwrap(), names(dir.path())), before);
    }

    #[test]
    fn what_a_writer_has_not_brought_home_yet_is_read_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = with_one_row(dir.path());
        let writer = open_writer(&path, Durability::Full).unwrap();
        writer.execute("INSERT INTO said VALUES ('second')", []).unwrap();
        let beside = Database::open_to_read(&path).unwrap();
        assert_eq!(beside.way, Way::Read);
        assert_eq!(rows(&beside), 2);
        writer.execute("INSERT INTO said VALUES ('third')", []).unwrap();
        assert_eq!(rows(&beside), 3, "another one may still write");
        assert!(beside.write(|_| Ok(())).is_err());
    }

    #[test]
    fn what_cannot_be_made_is_empty_and_refuses_writes() {
        let nowhere = Path::new("/nowhere/of.db");
        let none = Database::in_memory(nowhere, &["CREATE TABLE said (text)"]).unwrap();
        assert_eq!(rows(&none), 0);
        assert!(matches!(none.write(|_| Ok(())), Err(StoreError::ReadOnly { .. })));
        assert!(!nowhere.exists());
    }
}

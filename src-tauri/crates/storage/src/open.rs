//! How the database is found, judged, made and brought up to date.
//!
//! What is there is first looked at through a connection that cannot change it. A file that is damaged, foreign or
//! written by a newer version is left byte for byte as it is, and so is one that is missing where there was one
//! before: an empty program in place of somebody's conversations is the one thing that must never happen by itself.
//! A new database is made beside its place and moved there whole.
//!
//! Reading all of a big database takes seconds, so it is done only when a process ended without closing it, or when
//! the file is small. Rows and indices are held against each other then: of a page that stands in the place of another
//! one a writer would take notice only after it had written. Damage elsewhere is met when it is read, and kept in mind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction};
use rusqlite_migration::{M, Migrations};
use siltstone_engine::Timestamp;
use siltstone_engine::ports::StoreError;

use crate::connection::{Database, Durability, open_reader, open_untouched, open_writer};
use crate::fault::{damaged, io, sql};
use crate::held::Held;
use crate::owner::{self, Owner};
use crate::passages::{self, with_suffix};
use crate::{backup, files};

/// The name of the database in the data folder.
pub(crate) const FILE: &str = "siltstone.db";

/// `Silt`, in the header of every database of ours.
const APPLICATION_ID: i64 = 0x5369_6C74;

/// A file of at most this size is read whole at every start; it takes some two milliseconds for each MiB.
const ALWAYS_CHECKED: u64 = 16 * 1024 * 1024;

/// Every change of the schema, oldest first. A released one is never edited.
pub(crate) const MIGRATIONS: &[M<'static>] = &[
    M::up(include_str!("migrations/0001_conversations.sql")),
    M::up(include_str!("migrations/0002_keys_shown.sql")),
    M::up(include_str!("migrations/0003_attachments_costs_egress.sql")),
    M::up(include_str!("migrations/0004_summaries.sql")),
    M::up(include_str!("migrations/0005_memory_wishes_counts.sql")),
    M::up(include_str!("migrations/0006_sessions.sql")),
    M::up(include_str!("migrations/0007_folds.sql")),
    M::up(include_str!("migrations/0008_runs.sql")),
    M::up(include_str!("migrations/0009_recall.sql")),
    M::up(include_str!("migrations/0010_origins.sql")),
    M::up(include_str!("migrations/0011_server_files.sql")),
    M::up(include_str!("migrations/0012_identity.sql")),
    M::up(include_str!("migrations/0013_fold_chain.sql")),
    M::up(include_str!("migrations/0014_inbox_from.sql")),
    M::up(include_str!("migrations/0015_memory_vectors.sql")),
    M::up(include_str!("migrations/0016_standing.sql")),
    M::up(include_str!("migrations/0017_copies.sql")),
    M::up(include_str!("migrations/0018_offers.sql")),
    M::up(include_str!("migrations/0019_stretches.sql")),
];

/// What an opened data folder consists of.
pub(crate) struct Opened {
    pub(crate) database: Database,
    pub(crate) passages: Database,
    pub(crate) owner: Owner,
    /// Why nothing can be written, where that is so.
    pub(crate) read_only: Option<String>,
}

/// Opens the data folder, which is made if there is none.
pub(crate) fn open(
    dir: &Path,
    now: Timestamp,
    migrations: &[M<'static>],
) -> Result<Opened, StoreError> {
    files::create_private_dir(dir)?;
    let _alone = gate(dir)?;
    let path = dir.join(FILE);
    let unclean = owner::left_unclean(dir);
    match judge(dir, &path, unclean, migrations.len())? {
        None => create(dir, migrations)?,
        Some(version) if version < migrations.len() => {
            backup::before_migration(dir, version, now)?;
            let mut connection = open_writer(&path, Durability::Full)?;
            migrate(&path, &mut connection, migrations)?;
        }
        Some(_) => {}
    }
    for suffix in ["", "-wal", "-shm"] {
        let file = with_suffix(&path, suffix);
        if file.exists() {
            files::restrict(&file, 0o600)?;
        }
    }
    Ok(Opened {
        database: Database::open(&path, Durability::Full)?,
        passages: passages::open(dir, unclean)?,
        owner: Owner::register(dir)?,
        read_only: None,
    })
}

/// Opens a data folder that refused to be written, to read alone. What would first have to be made, mended or brought up
/// to date stays refused.
pub(crate) fn open_to_read(
    dir: &Path,
    refused: StoreError,
    known: usize,
) -> Result<Opened, StoreError> {
    let path = dir.join(FILE);
    let is_whole = fs::metadata(&path).is_ok_and(|database| database.len() > 0);
    // Only who may write can take back what a process left half changed.
    let journal = fs::metadata(with_suffix(&path, "-journal")).is_ok_and(|it| it.len() > 0);
    if !is_whole || journal {
        return Err(refused);
    }
    let database = Database::open_to_read(&path)?;
    let unclean = owner::left_unclean(dir);
    let version = database.read(|db| Ok(judged(db, &path, unclean, known)?))?;
    if version < known {
        let what = "it is of an older version, and cannot be brought up to date where nothing can be written";
        return Err(StoreError::ReadOnly { detail: format!("{}: {what}", path.display()) });
    }
    Ok(Opened {
        database,
        passages: passages::open_to_read(dir)?,
        owner: Owner::of_nothing(dir),
        read_only: Some(refused.to_string()),
    })
}

/// Holds everybody else back while the database is judged, made, migrated or replaced.
pub(crate) fn gate(dir: &Path) -> Result<Held, StoreError> {
    let path = dir.join("open.lock");
    let file = files::open_private(&path)?;
    Held::alone(file).map_err(|error| io(&path, &error))
}

/// The version of the database that is there; `None` if there never was one.
fn judge(
    dir: &Path,
    path: &Path,
    unclean: bool,
    known: usize,
) -> Result<Option<usize>, StoreError> {
    let size = match fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let newest = backup::list(dir)?.into_iter().next();
            let wal = with_suffix(path, "-wal").exists();
            return match newest {
                Some(backup) => Err(damaged(
                    path,
                    format!("it is missing; the newest backup is {}", backup.path.display()),
                )),
                None if wal || owner::was_used(dir) => Err(damaged(path, "it is missing")),
                None => Ok(None),
            };
        }
        Err(error) => return Err(io(path, &error)),
    };
    if size == 0 {
        return Err(damaged(path, "it is empty"));
    }
    let version = check(path, unclean || size <= ALWAYS_CHECKED, known)?;
    Ok(Some(version))
}

/// Looks at a database without changing it; says its version.
pub(crate) fn check(path: &Path, whole: bool, known: usize) -> Result<usize, StoreError> {
    take_back(path)?;
    let wal = fs::metadata(with_suffix(path, "-wal")).is_ok_and(|wal| wal.len() > 0);
    // The file of shared memory is there while anybody has the database open, and after a crash.
    let mut connection = if wal || with_suffix(path, "-shm").exists() {
        open_reader(path)?
    } else {
        open_untouched(path)?
    };
    let still = connection.transaction().map_err(|error| sql(path, &error))?;
    judged(&still, path, whole, known)
}

/// The version of what a transaction reads, unless it is damaged or newer than `known`.
fn judged(
    connection: &Transaction<'_>,
    path: &Path,
    whole: bool,
    known: usize,
) -> Result<usize, StoreError> {
    let number = |name: &str| -> Result<i64, StoreError> {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| sql(path, &error))
    };
    if number("application_id")? != APPLICATION_ID {
        return Err(damaged(path, "it is not a database of Siltstone"));
    }
    let version = number("user_version")?;
    let found = usize::try_from(version).unwrap_or(0);
    if found == 0 {
        return Err(damaged(path, "it has no schema"));
    }
    if found > known {
        return Err(StoreError::Newer {
            path: path.display().to_string(),
            found: u32::try_from(found).unwrap_or(u32::MAX),
            known: u32::try_from(known).unwrap_or(u32::MAX),
        });
    }
    if whole && let Some(fault) = whole_check(connection).map_err(|error| sql(path, &error))? {
        return Err(damaged(path, fault));
    }
    Ok(found)
}

/// Takes back what a process began that died while it changed a database of ours; only a writer can, and until then no
/// reader opens it.
fn take_back(path: &Path) -> Result<(), StoreError> {
    if !fs::metadata(with_suffix(path, "-journal")).is_ok_and(|journal| journal.len() > 0) {
        return Ok(());
    }
    let ours = open_untouched(path)?
        .pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0))
        .is_ok_and(|id| id == APPLICATION_ID);
    if ours {
        open_writer(path, Durability::Full)?;
    }
    Ok(())
}

/// Reads all of a database and holds its rows and indices against each other; the first thing that is wrong with it. In
/// one transaction: another process may write between two questions.
pub(crate) fn whole_check(connection: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let found: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if found != "ok" {
        return Ok(Some(found));
    }
    match lacking(connection)? {
        Some(fault) => Ok(Some(fault)),
        None => unfit(connection),
    }
}

/// A table or a column that a database of this version has and this one has not: SQLite takes the list of tables for what
/// it says.
fn lacking(connection: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let mut like_it = Connection::open_in_memory()?;
    // One of a version that this program does not know is judged by whoever does.
    let known = MIGRATIONS.get(..version as usize).map(Migrations::from_slice);
    if known.is_none_or(|known| known.to_latest(&mut like_it).is_err()) {
        return Ok(None);
    }
    let there = columns(connection)?;
    let lacking = columns(&like_it)?.into_iter().find(|column| !there.contains(column));
    Ok(lacking.map(|(table, column)| format!("it has no column {column} in {table}")))
}

fn columns(connection: &Connection) -> rusqlite::Result<BTreeSet<(String, String)>> {
    let mut columns = connection.prepare(
        "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c \
         WHERE t.schema = 'main' AND t.type = 'table'",
    )?;
    columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// What SQLite's own check lets pass: the empty page of a table in the place of an index or the other way round, which
/// whoever begins to read it is refused, and an index over a part of a table that holds more than that part, because only
/// the entries of all others are counted.
fn unfit(connection: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let mut trees = connection.prepare(
        "SELECT tbl_name, iif(type = 'index', name, NULL), coalesce(sql, '') FROM sqlite_schema WHERE rootpage > 0",
    )?;
    let trees = trees.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let trees: Vec<(String, Option<String>, String)> = trees.collect::<rusqlite::Result<_>>()?;
    for (table, index, sql) in trees {
        let by = match &index {
            Some(index) => format!("INDEXED BY \"{index}\""),
            None => "NOT INDEXED".to_owned(),
        };
        let part = sql.split_once(" WHERE ").filter(|_| index.is_some());
        let (Some((_, part)), Some(index)) = (part, index) else {
            let begin = format!("SELECT 1 FROM \"{table}\" {by} LIMIT 1");
            connection.query_row(&begin, [], |_| Ok(())).optional()?;
            continue;
        };
        let counted = |by: &str| -> rusqlite::Result<i64> {
            let sql = format!("SELECT count(*) FROM \"{table}\" {by} WHERE {part}");
            connection.query_row(&sql, [], |row| row.get(0))
        };
        if counted(&by)? != counted("NOT INDEXED")? {
            return Ok(Some(format!("wrong number of entries in index {index}")));
        }
    }
    Ok(None)
}

/// Reads all of a database; the first thing that is wrong with its form.
pub(crate) fn quick_check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    Ok((found != "ok").then_some(found))
}

/// Makes a new database: beside its place first, so that half of one is never taken for a damaged one.
pub(crate) fn create(dir: &Path, migrations: &[M<'static>]) -> Result<(), StoreError> {
    let place = dir.join(FILE);
    let fresh = fresh_file(dir)?;
    make(&fresh, migrations)?;
    files::put_in_place(&fresh, &place)
}

/// Makes a database of an empty file.
pub(crate) fn make(fresh: &Path, migrations: &[M<'static>]) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection =
        Connection::open_with_flags(fresh, flags).map_err(|error| sql(fresh, &error))?;
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .map_err(|error| sql(fresh, &error))?;
    migrate(fresh, &mut connection, migrations)
}

/// An empty private file in which the next database takes shape.
pub(crate) fn fresh_file(dir: &Path) -> Result<PathBuf, StoreError> {
    let fresh = dir.join(format!("{FILE}.new"));
    for suffix in ["", "-journal"] {
        let left = with_suffix(&fresh, suffix);
        if left.exists() {
            fs::remove_file(&left).map_err(|error| io(&left, &error))?;
        }
    }
    files::create_private(&fresh)?;
    Ok(fresh)
}

/// Brings a copy that nobody else has open up to date, and leaves it as one file.
pub(crate) fn bring_up_to_date(path: &Path, migrations: &[M<'static>]) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection =
        Connection::open_with_flags(path, flags).map_err(|error| sql(path, &error))?;
    migrate(path, &mut connection, migrations)
}

fn migrate(
    path: &Path,
    connection: &mut Connection,
    migrations: &[M<'static>],
) -> Result<(), StoreError> {
    Migrations::from_slice(migrations).to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => sql(path, &err),
        other => StoreError::Io { detail: other.to_string() },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use siltstone_engine::backup::BackupKind;

    const NEXT: M<'static> = M::up("ALTER TABLE settings ADD COLUMN note TEXT");
    const BROKEN: M<'static> = M::up("CREATE TABLE half (id); THIS IS NOT SQL");

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_760_000_000 + second).unwrap()
    }

    fn version(dir: &Path) -> usize {
        check(&dir.join(FILE), true, usize::MAX).unwrap()
    }

    #[test]
    fn a_migration_is_preceded_by_a_backup_and_an_older_program_refuses_the_result() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let current = MIGRATIONS.len();
        drop(open(dir, at(0), MIGRATIONS).unwrap());
        assert_eq!(backup::list(dir).unwrap(), vec![], "nothing to lose yet");
        let next: Vec<M<'static>> = MIGRATIONS.iter().cloned().chain([NEXT]).collect();
        drop(open(dir, at(1), &next).unwrap());
        assert_eq!(version(dir), current + 1);
        let backups = backup::list(dir).unwrap();
        let from = u32::try_from(current).unwrap();
        assert_eq!(backups.len(), 1);
        assert_eq!(backups[0].kind, BackupKind::Migration { from });
        assert_eq!(check(&backups[0].path, true, current), Ok(current));
        let refused = open(dir, at(2), MIGRATIONS).err();
        assert!(matches!(refused, Some(StoreError::Newer { .. })), "{refused:?}");
        assert_eq!(version(dir), current + 1);
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        drop(open(dir, at(0), MIGRATIONS).unwrap());
        let broken: Vec<M<'static>> = MIGRATIONS.iter().cloned().chain([BROKEN]).collect();
        for second in 1..=8 {
            assert!(open(dir, at(second), &broken).is_err());
        }
        assert_eq!(version(dir), MIGRATIONS.len());
        let kept: Vec<Timestamp> =
            backup::list(dir).unwrap().into_iter().map(|backup| backup.made_at).collect();
        assert_eq!(kept, (4..=8).rev().map(at).collect::<Vec<_>>(), "the last five");
        drop(open(dir, at(9), MIGRATIONS).unwrap());
    }

    /// The entries of an index over a part of a table are counted beside its rows, and others write meanwhile.
    #[test]
    fn a_database_that_is_written_to_while_it_is_looked_at_is_sound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let _used = open(dir.path(), at(0), MIGRATIONS).unwrap();
        let writer = open_writer(&path, Durability::Normal).unwrap();
        writer
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO conversations (id, title, title_source, pinned, created_at, updated_at, active_branch, draft)
                 VALUES ('a', '', 'derived', 0, 0, 0, 'b', '');",
            )
            .unwrap();
        let looked = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let looked = &looked;
            scope.spawn(move || {
                while !looked.load(Ordering::Relaxed) {
                    for deleted in ["0", "NULL"] {
                        let write = format!("UPDATE conversations SET deleted_at = {deleted}");
                        writer.execute_batch(&write).unwrap();
                    }
                }
            });
            let found: Vec<_> =
                (0..200).filter_map(|_| check(&path, true, MIGRATIONS.len()).err()).collect();
            looked.store(true, Ordering::Relaxed);
            assert_eq!(found, vec![]);
        });
    }

    /// safety.md, R11: opened where it refused to be written; what would have to be written first stays refused.
    #[test]
    fn a_folder_that_refuses_to_be_written_is_read_unless_it_must_be_changed_first() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let refused = || StoreError::ReadOnly { detail: String::from("open.lock") };
        let read = |known| open_to_read(dir, refused(), known).err();
        assert_eq!(read(MIGRATIONS.len()), Some(refused()), "there is nothing to read");
        drop(open(dir, at(0), MIGRATIONS).unwrap());
        let opened = open_to_read(dir, refused(), MIGRATIONS.len()).unwrap();
        assert!(opened.read_only.is_some_and(|detail| detail.contains("open.lock")));
        let written = opened.database.write(|_| Ok(()));
        assert!(matches!(written, Err(StoreError::ReadOnly { .. })), "{written:?}");
        assert!(opened.passages.read(|_| Ok(())).is_ok());
        assert!(!owner::in_use(dir), "it owns nothing");
        let older = read(MIGRATIONS.len() + 1);
        assert!(
            matches!(&older, Some(StoreError::ReadOnly { detail }) if detail.contains("older")),
            "{older:?}"
        );
        let newer = read(MIGRATIONS.len() - 1);
        assert!(matches!(newer, Some(StoreError::Newer { .. })), "{newer:?}");
        fs::write(dir.join("siltstone.db-journal"), "half a change").unwrap();
        assert_eq!(read(MIGRATIONS.len()), Some(refused()), "only a writer takes it back");
    }
}

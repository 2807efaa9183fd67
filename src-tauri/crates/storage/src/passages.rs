//! The index over project files, in a database file of its own.
//!
//! Nothing in it is the person's word: it can be made again from the folder. So it is kept out of the backups and out
//! of the changes that windows follow, commits without waiting for the disk, and is made anew when it is damaged or
//! of another version.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::passage::{FileStamp, Passage};
use siltstone_engine::ports::{Passages, StoreError};
use siltstone_engine::search::{index_text, question};

use crate::connection::{Database, Durability, open_reader, open_writer};
use crate::fault::{Fault, io, sql};
use crate::search::{any, scope_token};
use crate::{Store, column, files};

const FILE: &str = "passages.db";
const SCHEMA: &str = include_str!("migrations/passages.sql");
const VERSION: i64 = 1;

/// Opens the index of the data folder `dir`, or makes it anew. `check` reads all of it first.
pub(crate) fn open(dir: &Path, check: bool) -> Result<Database, StoreError> {
    let path = dir.join(FILE);
    if !is_usable(&path, check) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            remove(&with_suffix(&path, suffix))?;
        }
        files::create_private(&path)?;
        let mut connection = open_writer(&path, Durability::Normal)?;
        let mut make = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.commit()
        };
        make().map_err(|error| sql(&path, &error))?;
    }
    Database::open(&path, Durability::Normal)
}

fn is_usable(path: &Path, check: bool) -> bool {
    let Ok(connection) = open_reader(path) else {
        return false;
    };
    let version = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    if version != Ok(VERSION) {
        return false;
    }
    !check || crate::open::quick_check(&connection).is_ok_and(|fault| fault.is_none())
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io(path, &error)),
        _ => Ok(()),
    }
}

/// The file beside a database that belongs to it.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Forgets everything about a project.
pub(crate) fn remove_project(db: &Connection, project: ProjectId) -> Result<(), Fault> {
    let key = column::text(project);
    db.execute(
        "DELETE FROM passage_index WHERE rowid IN (SELECT p.id FROM passages p \
         JOIN files f ON f.id = p.file_id WHERE f.project_id = ?1)",
        [&key],
    )?;
    db.execute("DELETE FROM files WHERE project_id = ?1", [&key])?;
    Ok(())
}

fn remove_file(db: &Transaction<'_>, project: &str, path: &str) -> Result<(), Fault> {
    let file: Option<i64> = db
        .prepare_cached("SELECT id FROM files WHERE project_id = ?1 AND path = ?2")?
        .query_row([project, path], |row| row.get(0))
        .optional()?;
    if let Some(file) = file {
        db.prepare_cached(
            "DELETE FROM passage_index WHERE rowid IN (SELECT id FROM passages WHERE file_id = ?1)",
        )?
        .execute([file])?;
        db.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([file])?;
    }
    Ok(())
}

fn put_file(
    db: &Transaction<'_>,
    project: &str,
    stamp: &FileStamp,
    passages: &[Passage],
) -> Result<(), Fault> {
    remove_file(db, project, &stamp.path)?;
    db.prepare_cached(
        "INSERT INTO files (project_id, path, size, modified_ns) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![project, stamp.path, column::integer(stamp.size), stamp.modified_ns])?;
    let file = db.last_insert_rowid();
    let path = index_text(&stamp.path);
    let path = format!("{} {}", path.body, path.parts);
    let scope = scope_token('p', project);
    let mut row =
        db.prepare_cached("INSERT INTO passages (file_id, line, text) VALUES (?1, ?2, ?3)")?;
    let mut tokens = db.prepare_cached(
        "INSERT INTO passage_index (rowid, body, parts, path, scope) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for passage in passages {
        row.execute(params![file, passage.line, passage.text])?;
        let text = index_text(&passage.text);
        tokens.execute(params![db.last_insert_rowid(), text.body, text.parts, path, scope])?;
    }
    Ok(())
}

fn find(
    db: &Transaction<'_>,
    project: ProjectId,
    asked: &str,
    limit: u32,
) -> Result<Vec<Passage>, Fault> {
    let phrases = question(asked);
    if phrases.is_empty() {
        return Ok(Vec::new());
    }
    let scope = scope_token('p', &column::text(project));
    let expression = format!("scope : {scope} AND {{body parts path}} : ({})", any(&phrases));
    let mut statement = db.prepare_cached(
        "SELECT f.path, p.line, p.text FROM passage_index i JOIN passages p ON p.id = i.rowid \
         JOIN files f ON f.id = p.file_id WHERE passage_index MATCH ?1 \
         ORDER BY bm25(passage_index, 4.0, 1.0, 2.0, 0.0), i.rowid LIMIT ?2",
    )?;
    let rows = statement.query_map(params![expression, limit], |row| {
        Ok(Passage { path: row.get(0)?, line: row.get(1)?, text: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

impl Passages for Store {
    fn stamps(&self, project: ProjectId) -> Result<Vec<FileStamp>, StoreError> {
        self.passages.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT path, size, modified_ns FROM files WHERE project_id = ?1 ORDER BY path",
            )?;
            let rows = statement.query_map([column::text(project)], |row| {
                Ok(FileStamp {
                    path: row.get(0)?,
                    size: column::count(row, 1)?,
                    modified_ns: row.get(2)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn put_file(
        &self,
        project: ProjectId,
        stamp: &FileStamp,
        passages: &[Passage],
    ) -> Result<(), StoreError> {
        self.passages.write(|db| put_file(db, &column::text(project), stamp, passages))
    }

    fn remove_files(&self, project: ProjectId, paths: &[String]) -> Result<(), StoreError> {
        self.passages.write(|db| {
            let project = column::text(project);
            paths.iter().try_for_each(|path| remove_file(db, &project, path))
        })
    }

    fn find(
        &self,
        project: ProjectId,
        asked: &str,
        limit: u32,
    ) -> Result<Vec<Passage>, StoreError> {
        self.passages.read(|db| find(db, project, asked, limit))
    }
}

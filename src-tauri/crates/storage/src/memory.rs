//! Versions of memory files, what is known of each, and lines that belong to no file.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MemoryLineId, ProjectId};
use siltstone_engine::memory::{
    FileRecord, MemoryLine, MemoryRecords, MemoryVersion, VersionOrigin,
};
use siltstone_engine::ports::StoreError;

use crate::fault::{Fault, not_found};
use crate::finder::notes;
use crate::{Store, column};

/// Memory files are small and written seldom.
const LEVEL: i32 = 3;

const LINES: &str = "SELECT id, project_id, conversation_id, kind, text, source, created_at, \
     removed_at FROM memory_lines";

const VERSIONS: &str = "SELECT seq, hash, origin, at, size FROM memory_versions JOIN memory_texts \
     USING (hash)";

const FILES: &str = "SELECT path, seen, choice FROM memory_files";

/// What tells what is known of files apart.
pub(crate) const FILE: &str = "project_id || ' ' || path";

fn version(row: &Row<'_>) -> rusqlite::Result<MemoryVersion> {
    Ok(MemoryVersion {
        seq: column::count(row, 0)?,
        hash: row.get(1)?,
        origin: column::name(row, 2)?,
        at: column::time(row, 3)?,
        size: column::count(row, 4)?,
    })
}

fn line(row: &Row<'_>) -> rusqlite::Result<MemoryLine> {
    Ok(MemoryLine {
        id: column::id(row, 0)?,
        project_id: column::optional_id(row, 1)?,
        conversation_id: column::optional_id(row, 2)?,
        kind: column::name(row, 3)?,
        text: row.get(4)?,
        source: row.get(5)?,
        created_at: column::time(row, 6)?,
        removed_at: column::optional_time(row, 7)?,
    })
}

fn file(row: &Row<'_>) -> rusqlite::Result<FileRecord> {
    Ok(FileRecord { path: row.get(0)?, seen: row.get(1)?, choice: column::json(row, 2)? })
}

/// Whether a version reads as one.
pub(crate) fn is_version(db: &Connection, seq: &Value) -> bool {
    column::is_readable(db, &format!("{VERSIONS} WHERE seq = ?1"), seq, version)
}

/// Whether a line reads as one.
pub(crate) fn is_line(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, &format!("{LINES} WHERE id = ?1"), id, line)
}

/// Whether what is known of a file reads as that; by [`FILE`].
pub(crate) fn is_file(db: &Connection, key: &Value) -> bool {
    column::is_readable(db, &format!("{FILES} WHERE {FILE} = ?1"), key, file)
}

/// All lines that were not removed.
pub(crate) fn living_lines(db: &Connection) -> Result<Vec<MemoryLine>, Fault> {
    let mut statement = db.prepare(&format!("{LINES} WHERE removed_at IS NULL"))?;
    let rows = statement.query_map([], line)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn newest(db: &Connection, path: &str) -> Result<Option<String>, Fault> {
    Ok(db
        .prepare_cached(
            "SELECT hash FROM memory_versions WHERE path = ?1 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([path], |row| row.get(0))
        .optional()?)
}

fn zipped(error: std::io::Error) -> StoreError {
    StoreError::Io { detail: error.to_string() }
}

impl MemoryRecords for Store {
    fn add_version(
        &self,
        path: &str,
        text: &str,
        hash: &str,
        origin: VersionOrigin,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        // Most calls find that nothing changed, and need no writer.
        if self.database.read(|db| newest(db, path))?.as_deref() == Some(hash) {
            return Ok(false);
        }
        let bytes = zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(zipped)?;
        self.database.write(|db| {
            if newest(db, path)?.as_deref() == Some(hash) {
                return Ok(false);
            }
            db.prepare_cached(
                "INSERT OR IGNORE INTO memory_texts (hash, size, text) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![hash, text.len() as i64, bytes])?;
            db.prepare_cached(
                "INSERT INTO memory_versions (path, hash, origin, at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                path,
                hash,
                column::to_name(&origin)?,
                column::nanoseconds(at)
            ])?;
            Ok(true)
        })
    }

    fn versions(&self, path: &str, limit: u32) -> Result<Vec<MemoryVersion>, StoreError> {
        self.database.read(|db| {
            let mut statement = db.prepare_cached(&format!(
                "{VERSIONS} WHERE path = ?1 ORDER BY seq DESC LIMIT ?2"
            ))?;
            let rows = statement.query_map(params![path, limit], version)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn version_text(&self, seq: u64) -> Result<String, StoreError> {
        let (size, bytes): (u64, Vec<u8>) = self.database.read(|db| {
            db.prepare_cached(
                "SELECT size, text FROM memory_versions JOIN memory_texts USING (hash) \
                 WHERE seq = ?1",
            )?
            .query_row([column::integer(seq)], |row| Ok((column::count(row, 0)?, row.get(1)?)))
            .optional()?
            .ok_or_else(|| not_found("version", seq))
        })?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let text = zstd::bulk::decompress(&bytes, size).map_err(zipped)?;
        String::from_utf8(text).map_err(|error| StoreError::Io { detail: error.to_string() })
    }

    fn file_records(&self, project: ProjectId) -> Result<Vec<FileRecord>, StoreError> {
        self.database.read(|db| {
            let mut statement =
                db.prepare_cached(&format!("{FILES} WHERE project_id = ?1 ORDER BY path"))?;
            let rows = statement.query_map([column::text(project)], file)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn sharing(&self) -> Result<Vec<ProjectId>, StoreError> {
        self.database.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT DISTINCT project_id FROM memory_files \
                 WHERE json_extract(choice, '$.share') IS NOT NULL",
            )?;
            let rows = statement.query_map([], |row| column::id(row, 0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn put_file_record(&self, project: ProjectId, record: &FileRecord) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO memory_files (project_id, path, seen, choice) \
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                column::text(project),
                record.path,
                record.seen,
                column::to_json(&record.choice)?,
            ])?;
            Ok(())
        })
    }

    fn lines(
        &self,
        project: Option<ProjectId>,
        conversation: Option<ConversationId>,
    ) -> Result<Vec<MemoryLine>, StoreError> {
        self.database.read(|db| {
            // A line of a conversation is found by it alone; one of none by its project, or by having none.
            let mut statement = db.prepare_cached(&format!(
                "{LINES} WHERE removed_at IS NULL AND CASE WHEN conversation_id IS NULL \
                 THEN project_id IS ?1 ELSE conversation_id = ?2 END ORDER BY created_at, id"
            ))?;
            let asked =
                params![column::optional_text(project), column::optional_text(conversation)];
            let rows = statement.query_map(asked, line)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn line(&self, id: MemoryLineId) -> Result<MemoryLine, StoreError> {
        self.database.read(|db| {
            db.prepare_cached(&format!("{LINES} WHERE id = ?1"))?
                .query_row([column::text(id)], line)
                .optional()?
                .ok_or_else(|| not_found("line of memory", id))
        })
    }

    fn put_line(&self, line: &MemoryLine) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO memory_lines (id, project_id, conversation_id, kind, text, \
                 source, created_at, removed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                column::text(line.id),
                column::optional_text(line.project_id),
                column::optional_text(line.conversation_id),
                column::to_name(&line.kind)?,
                line.text,
                line.source,
                column::nanoseconds(line.created_at),
                line.removed_at.map(column::nanoseconds),
            ])?;
            notes::put_line(db, line)
        })
    }
}

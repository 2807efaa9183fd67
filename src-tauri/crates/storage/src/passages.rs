//! The index over project files and memory files, in a database file of its own.
//!
//! Nothing in it is the person's word: it can be made again from the folder. So it is kept out of the backups and out
//! of the changes that windows follow, commits without waiting for the disk, and is made anew when it is damaged or
//! of another version.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::link;
use siltstone_engine::passage::{FileStamp, Passage};
use siltstone_engine::ports::{Passages, StoreError};
use siltstone_engine::search::{
    Filter, Found, FoundGroup, FoundKind, Phrase, Query, Searched, index_text, lines_before,
    question, snippet,
};

use crate::connection::{Database, Durability, open_reader, open_writer};
use crate::fault::{Fault, io, sql};
use crate::finder::asking;
use crate::finder::ranking::{Matches, OfPhrase, rank, rarest};
use crate::search::{RANKED, scope_token, tokens_of};
use crate::{Store, column, files};

const FILE: &str = "passages.db";
const SCHEMA: &str = include_str!("migrations/passages.sql");
const VERSION: i64 = 2;

/// Passages that have a phrase are counted up to so many, and so many are weighed for a question.
const COUNTED: usize = 2_000;
const WEIGHED: usize = 200;

/// What a phrase in the path counts beside one in the text.
const IN_PATH: f64 = 0.5;

/// The tokens of what a row is of.
const FILES: &str = "/f";
const MEMORY: &str = "/m";

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

/// The index where nothing can be written: as it was left, or none.
pub(crate) fn open_to_read(dir: &Path) -> Result<Database, StoreError> {
    let path = dir.join(FILE);
    let version = |db: &Transaction<'_>| -> Result<i64, Fault> {
        Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
    };
    match Database::open_to_read(&path) {
        Ok(left) if left.read(version) == Ok(VERSION) => Ok(left),
        _ => Database::in_memory(&path, &[SCHEMA]),
    }
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
    db.execute("DELETE FROM files WHERE project_id = ?1", [column::text(project)])?;
    Ok(())
}

fn remove_file(db: &Transaction<'_>, project: &str, path: &str) -> Result<(), Fault> {
    db.prepare_cached("DELETE FROM files WHERE project_id = ?1 AND memory = 0 AND path = ?2")?
        .execute([project, path])?;
    Ok(())
}

/// A file as a row. The path is found with its first passage.
struct Indexed<'a> {
    project: &'a str,
    path: &'a str,
    memory: bool,
    size: u64,
    modified_ns: i64,
}

fn put(
    db: &Transaction<'_>,
    of: &Indexed<'_>,
    passages: &mut dyn Iterator<Item = &Passage>,
) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO files (project_id, path, memory, size, modified_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![of.project, of.path, of.memory, column::integer(of.size), of.modified_ns])?;
    let file = db.last_insert_rowid();
    let mut scope = format!(" {}", if of.memory { MEMORY } else { FILES });
    if !of.project.is_empty() {
        scope.push_str(&format!(" {}", scope_token('p', of.project)));
    }
    let mut row =
        db.prepare_cached("INSERT INTO passages (file_id, line, text) VALUES (?1, ?2, ?3)")?;
    let mut index =
        db.prepare_cached("INSERT INTO passage_index (rowid, tokens) VALUES (?1, ?2)")?;
    for (number, passage) in passages.enumerate() {
        row.execute(params![file, passage.line, passage.text])?;
        let searched = match number == 0 && !of.memory {
            true => with_path(of.path, &passage.text),
            false => passage.text.clone(),
        };
        let tokens = tokens_of(&index_text(&searched)) + &scope;
        index.execute(params![db.last_insert_rowid(), tokens])?;
    }
    Ok(())
}

fn with_path(path: &str, text: &str) -> String {
    format!("{path}\n{text}")
}

/// The stretches of memory that are known of a project, or of the person.
fn known_memory(db: &Transaction<'_>, project: &str) -> Result<Vec<Passage>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT f.path, p.line, p.text FROM passages p JOIN files f ON f.id = p.file_id \
         WHERE f.project_id = ?1 AND f.memory = 1 ORDER BY p.id",
    )?;
    let rows = statement.query_map([project], passage)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn put_memory(db: &Transaction<'_>, project: &str, lines: &[Passage]) -> Result<(), Fault> {
    db.execute("DELETE FROM files WHERE project_id = ?1 AND memory = 1", [project])?;
    let mut paths: Vec<&str> = Vec::new();
    for line in lines {
        if !paths.contains(&line.path.as_str()) {
            paths.push(&line.path);
        }
    }
    for path in paths {
        let of = Indexed { project, path, memory: true, size: 0, modified_ns: 0 };
        put(db, &of, &mut lines.iter().filter(|line| line.path == path))?;
    }
    Ok(())
}

fn passage(row: &Row<'_>) -> rusqlite::Result<Passage> {
    Ok(Passage { path: row.get(0)?, line: row.get(1)?, text: row.get(2)? })
}

const PASSAGE: &str = "SELECT f.path, p.line, p.text, f.project_id, f.modified_ns, \
     p.id = (SELECT min(id) FROM passages WHERE file_id = f.id) FROM passages p \
     JOIN files f ON f.id = p.file_id WHERE p.id = ?1";

/// The best passages of a project's files for a question: by the phrases they have, the rarer the more.
fn find(
    db: &Transaction<'_>,
    project: ProjectId,
    asked: &str,
    limit: u32,
) -> Result<Vec<Passage>, Fault> {
    let phrases = question(asked);
    let must = [scope_token('p', &column::text(project)), FILES.to_owned()];
    let mut of_phrases = Vec::new();
    let mut rare = Vec::new();
    let all = db
        .prepare_cached(
            "SELECT count(*) FROM passages p JOIN files f ON f.id = p.file_id \
             WHERE f.project_id = ?1 AND f.memory = 0",
        )?
        .query_row([column::text(project)], |row| column::count(row, 0))?;
    for phrase in &phrases {
        let expression = asking::narrowed(&asking::all(phrase), &must, &[]);
        let rows = newest(db, &expression, COUNTED)?;
        rare.push((1.0 + all as f64 / (rows.len() as f64 + 1.0)).ln());
        of_phrases.push(OfPhrase::in_all(rows));
    }
    let mut found = Vec::new();
    for id in rarest(&of_phrases, all, WEIGHED) {
        found.push((id, db.prepare_cached(PASSAGE)?.query_row([id], passage)?));
    }
    let bytes: usize = found.iter().map(|(_, passage)| passage.text.len()).sum();
    let usual = bytes as f64 / found.len().max(1) as f64;
    let mut weighed: Vec<(f64, i64, Passage)> = found
        .into_iter()
        .map(|(id, passage)| (worth(&passage, &phrases, &rare, usual), id, passage))
        .collect();
    weighed.sort_by(|(a, id_a, _), (b, id_b, _)| b.total_cmp(a).then(id_a.cmp(id_b)));
    // Tokens of a phrase that only stand apart are no match.
    weighed.retain(|(worth, ..)| *worth > 0.0);
    Ok(weighed.into_iter().take(limit as usize).map(|(_, _, passage)| passage).collect())
}

/// What a passage is worth to the phrases of a question, after BM25.
fn worth(passage: &Passage, phrases: &[Phrase], rare: &[f64], usual: f64) -> f64 {
    let (text, path) = (Searched::new(&passage.text), Searched::new(&passage.path));
    let long = 0.5 + 0.5 * text.length() as f64 / usual.max(1.0);
    let of = |(phrase, rare): (&Phrase, &f64)| {
        let often = text.count(phrase) as f64;
        let named = if path.has(phrase) { IN_PATH } else { 0.0 };
        rare * (often * 2.2 / (often + 1.2 * long) + named)
    };
    phrases.iter().zip(rare).map(of).sum()
}

fn newest(db: &Connection, expression: &str, limit: usize) -> Result<Vec<i64>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT rowid FROM passage_index WHERE passage_index MATCH ?1 ORDER BY rowid DESC LIMIT ?2",
    )?;
    let limit = column::integer(limit as u64);
    let rows = statement.query_map(params![expression, limit], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Files, by their project and path.
pub(crate) type Paths = HashSet<Place>;

/// A project, or an empty text, and a path.
type Place = (String, String);

/// The best stretches of files, or lines of memory files, of trusted projects and of the person. What was found as memory
/// joins `shown`, and is not found again as a file.
pub(crate) fn find_kind(
    db: &Connection,
    query: &Query,
    kind: FoundKind,
    filter: &Filter,
    trusted: &HashSet<ProjectId>,
    limit: u32,
    shown: &mut Paths,
) -> Result<Option<FoundGroup>, Fault> {
    if filter.project_id.is_some_and(|id| !trusted.contains(&id)) {
        return Ok(None);
    }
    let mut must = asking::scopes(filter.project_id, None);
    must.push(if kind == FoundKind::Memory { MEMORY } else { FILES }.to_owned());
    let expression = asking::narrowed(&asking::words(query), &must, &[]);
    let trusted: HashSet<String> = trusted.iter().map(column::text).collect();
    let mut newest = of_trusted(db, &expression, filter, &trusted, shown)?;
    let capped = newest.len() > RANKED;
    newest.truncate(RANKED);
    let ids = newest.iter().map(|(id, _)| *id).collect();
    let mut matches = Matches { newest: ids, whole: Vec::new(), capped };
    let rarity = asking::rarity(db, "passage_index", query)?;
    let mut text = |id: i64| -> Result<Option<String>, Fault> {
        Ok(db
            .prepare_cached(PASSAGE)?
            .query_row([id], |row| {
                let Passage { path, text, .. } = passage(row)?;
                let named: bool = row.get(5)?;
                Ok(if named && kind == FoundKind::File { with_path(&path, &text) } else { text })
            })
            .optional()?)
    };
    let ranked = rank(query, &rarity, &mut matches, &mut text)?;
    if kind == FoundKind::Memory {
        let best: HashSet<i64> = ranked.best.iter().copied().collect();
        let whole = newest.into_iter().filter(|(id, _)| best.contains(id));
        shown.extend(whole.map(|(_, path)| path));
    }
    let mut found: Vec<Found> = Vec::new();
    for id in ranked.best.into_iter().take(limit as usize) {
        let mut statement = db.prepare_cached(PASSAGE)?;
        found.push(statement.query_row([id], |row| at_passage(row, kind, query))?);
    }
    let group = FoundGroup { kind, found, total: ranked.total, capped: ranked.capped };
    Ok((group.total > 0).then_some(group))
}

/// The newest matches of trusted projects, and of no project, between the moments of a filter and elsewhere than where
/// something is shown already; one more than count.
fn of_trusted(
    db: &Connection,
    expression: &str,
    filter: &Filter,
    trusted: &HashSet<String>,
    shown: &Paths,
) -> Result<Vec<(i64, Place)>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT i.rowid, f.project_id, f.path FROM passage_index i CROSS JOIN passages p ON p.id = i.rowid \
         CROSS JOIN files f ON f.id = p.file_id WHERE passage_index MATCH ?1 \
         AND (?2 IS NULL OR f.modified_ns >= ?2) \
         AND (?3 IS NULL OR (f.modified_ns < ?3 AND f.memory = 0)) ORDER BY i.rowid DESC",
    )?;
    let from = filter.from.map(column::nanoseconds);
    let before = filter.before.map(column::nanoseconds);
    let mut rows = statement.query(params![expression, from, before])?;
    let mut newest = Vec::new();
    while let Some(row) = rows.next()? {
        let path: Place = (row.get(1)?, row.get(2)?);
        if (path.0.is_empty() || trusted.contains(&path.0)) && !shown.contains(&path) {
            newest.push((row.get(0)?, path));
        }
        if newest.len() > RANKED {
            break;
        }
    }
    Ok(newest)
}

fn at_passage(row: &Row<'_>, kind: FoundKind, query: &Query) -> rusqlite::Result<Found> {
    let Passage { path, line, text } = passage(row)?;
    // A passage is some lines long: the link leads to the one that matches.
    let line = line.saturating_add(lines_before(&text, query));
    let of_project = !row.get_ref(3)?.as_str()?.is_empty();
    let modified: i64 = row.get(4)?;
    let at = Timestamp::from_nanosecond(modified.into()).ok().filter(|_| modified > 0);
    let link = match kind {
        FoundKind::Memory => link::to_memory(&path, line),
        _ => link::to_file(&path, line),
    };
    Ok(Found {
        project_id: if of_project { Some(column::id(row, 3)?) } else { None },
        at,
        ..Found::new(kind, path, link, snippet(&text, query))
    })
}

impl Passages for Store {
    fn stamps(&self, project: ProjectId) -> Result<Vec<FileStamp>, StoreError> {
        self.passages.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT path, size, modified_ns FROM files WHERE project_id = ?1 AND memory = 0 \
                 ORDER BY path",
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

    fn put_files(
        &self,
        project: ProjectId,
        files: &[(FileStamp, Vec<Passage>)],
    ) -> Result<(), StoreError> {
        self.passages.write(|db| {
            let project = &column::text(project);
            for (FileStamp { path, size, modified_ns }, passages) in files {
                remove_file(db, project, path)?;
                let (size, modified_ns) = (*size, *modified_ns);
                let of = Indexed { project, path, memory: false, size, modified_ns };
                put(db, &of, &mut passages.iter())?;
            }
            Ok(())
        })
    }

    fn remove_files(&self, project: ProjectId, paths: &[String]) -> Result<(), StoreError> {
        self.passages.write(|db| {
            let project = column::text(project);
            paths.iter().try_for_each(|path| remove_file(db, &project, path))
        })
    }

    fn put_memory(&self, project: Option<ProjectId>, lines: &[Passage]) -> Result<(), StoreError> {
        let project = column::optional_text(project).unwrap_or_default();
        // Most calls find that nothing changed, and need no writer.
        if self.passages.read(|db| known_memory(db, &project))? == lines {
            return Ok(());
        }
        self.passages.write(|db| put_memory(db, &project, lines))
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

//! What was said in sessions, findable by its words.
//!
//! The rows of a session are made when it is understood; of one that grew, only those that are new. As in the search over
//! conversations the index names rows, and what they are worth is read in their texts. What may be recalled has the
//! folders of its session as tokens.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use siltstone_engine::checkpoint::ObjectId;
use siltstone_engine::message::Role;
use siltstone_engine::search::{Query, index_text};
use siltstone_engine::vault::{FoundSaid, MAX_SAID, Said, SaidHits};
use zstd::bulk::Decompressor;

use crate::column;
use crate::fault::Fault;
use crate::finder::asking;
use crate::finder::ranking::{Matches, rank};
use crate::search::{RANKED, scope_token, tokens_of};

/// The index.
pub(super) const INDEX: &str = "said_index";

/// How hard texts are compressed.
const LEVEL: i32 = 3;

/// Bytes that tell a text from another one.
const MARK: usize = 8;

/// Digits that tell a folder from another one.
const FOLDER: usize = 16;

/// Most bytes of a text: what stands for a secret may be longer than that.
const MOST: usize = 4 * MAX_SAID;

/// With what something begins that is compressed, and no text does.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Makes the rows of a file what was said in it, in a session that worked in this folder.
pub(super) fn put(
    db: &Connection,
    file: u64,
    folder: Option<&str>,
    said: &[Said],
) -> Result<(), Fault> {
    let scopes = scopes_of(folder);
    let file = column::integer(file);
    let mut known: HashMap<i64, (i64, Vec<u8>)> = {
        let mut find = db.prepare_cached("SELECT entry, id, mark FROM said WHERE file = ?1")?;
        let rows = find.query_map([file], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut delete = db.prepare_cached("DELETE FROM said WHERE id = ?1")?;
    for it in said.iter().filter(|it| !it.text.trim().is_empty()) {
        let entry = column::integer(it.entry);
        let known_by = format!("{}\n{}\n{}", it.words, folder.unwrap_or_default(), it.text);
        let hash = ObjectId::of(known_by.as_bytes());
        let mark = &hash.as_bytes()[..MARK];
        match known.remove(&entry) {
            Some((_, before)) if before == mark => continue,
            Some((id, _)) => _ = delete.execute([id])?,
            None => {}
        }
        db.prepare_cached(
            "INSERT INTO said (file, entry, role, at, mark, text, words) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            file,
            entry,
            column::to_name(&it.role)?,
            it.at.map(column::nanoseconds),
            mark,
            packed(&it.text)?,
            column::integer(it.words as u64),
        ])?;
        let id = db.last_insert_rowid();
        db.prepare_cached("INSERT INTO said_index (rowid, tokens) VALUES (?1, ?2)")?
            .execute(params![id, tokens(it, &scopes)])?;
    }
    for (id, _) in known.into_values() {
        delete.execute([id])?;
    }
    Ok(())
}

/// The tokens of a row: of its text, of who said it unless it is of no use to recall, and of the folders above it.
fn tokens(said: &Said, scopes: &[String]) -> String {
    let mut tokens = tokens_of(&index_text(&said.text));
    if is_recalled(said) {
        for scope in scopes {
            tokens.push(' ');
            tokens.push_str(scope);
        }
    }
    tokens
}

/// What tools answered and what stands for other things is not recalled.
fn is_recalled(said: &Said) -> bool {
    said.words > 0 && said.role != Role::Tool
}

/// The tokens of a folder and of those around it.
fn scopes_of(folder: Option<&str>) -> Vec<String> {
    let mut scopes = Vec::new();
    let mut around = folder.map(|it| it.trim_end_matches(['/', '\\']));
    while let Some(folder) = around.filter(|folder| !folder.is_empty()) {
        scopes.push(scope_of(folder));
        around = folder.rfind(['/', '\\']).map(|end| &folder[..end]);
    }
    scopes
}

/// The token of what was said in a folder or beneath it.
pub(super) fn scope_of(folder: &str) -> String {
    let folder = folder.trim_end_matches(['/', '\\']);
    scope_token('f', &ObjectId::of(folder.as_bytes()).to_string()[..FOLDER])
}

/// The columns of what was said.
pub(super) const SAID: &str = "entry, role, at, text, words";

pub(super) fn said(row: &Row<'_>) -> rusqlite::Result<Said> {
    Ok(Said {
        entry: column::count(row, 0)?,
        role: column::name(row, 1)?,
        at: column::optional_time(row, 2)?,
        text: text_of(row, 3)?,
        words: column::count(row, 4)? as usize,
    })
}

/// The best of what was said, in these files or in all of them.
pub(super) fn find(
    db: &Transaction<'_>,
    query: &Query,
    files: Option<&HashSet<u64>>,
    limit: usize,
) -> Result<SaidHits, Fault> {
    if query.terms.is_empty() {
        return Ok(SaidHits::default());
    }
    let mut ask = |words: &str, limit: usize| matching(db, words, files, limit);
    let mut matches = Matches::of(query, RANKED, &mut ask)?;
    let rarity = asking::rarity(db, INDEX, query)?;
    let mut read = db.prepare_cached("SELECT text FROM said WHERE id = ?1")?;
    let mut text = |id: i64| Ok(read.query_row([id], |row| text_of(row, 0)).optional()?);
    let ranked = rank(query, &rarity, &mut matches, &mut text)?;
    let mut hits: Vec<FoundSaid> = Vec::new();
    let mut find = db.prepare_cached(&format!("SELECT {SAID}, file FROM said WHERE id = ?1"))?;
    for id in ranked.best {
        if hits.len() == limit {
            break;
        }
        let hit = find.query_row([id], |row| {
            Ok(FoundSaid { file: column::count(row, 5)?, said: said(row)? })
        })?;
        // A session that went out of another one says the same once more.
        if hits.iter().all(|it| (it.said.at, &it.said.text) != (hit.said.at, &hit.said.text)) {
            hits.push(hit);
        }
    }
    Ok(SaidHits { hits, total: ranked.total, capped: ranked.capped })
}

/// Rows that have what is asked, those that were made last first.
fn matching(
    db: &Connection,
    expression: &str,
    files: Option<&HashSet<u64>>,
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    // CROSS JOIN fixes the order of the loops: the index first.
    let of = match files {
        None => "SELECT rowid, 0 FROM said_index WHERE said_index MATCH ?1 ORDER BY rowid DESC",
        Some(_) => {
            "SELECT said.id, said.file FROM said_index CROSS JOIN said ON said.id = said_index.rowid \
             WHERE said_index MATCH ?1 ORDER BY said_index.rowid DESC"
        }
    };
    let mut find = db.prepare_cached(of)?;
    let mut rows = find.query([expression])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let file = column::count(row, 1)?;
        if files.is_none_or(|files| files.contains(&file)) {
            found.push(row.get(0)?);
            if found.len() == limit {
                break;
            }
        }
    }
    Ok(found)
}

fn packed(text: &str) -> Result<Vec<u8>, Fault> {
    let refused = |error: io::Error| rusqlite::Error::ToSqlConversionFailure(error.into());
    let small = zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(refused)?;
    Ok(if small.len() < text.len() { small } else { text.as_bytes().to_vec() })
}

thread_local! {
    /// To make one takes longer than to unpack a text of usual length.
    static UNPACKS: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let size = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
    let size = size.map_or(MOST, |size| MOST.min(size as usize));
    UNPACKS.with_borrow_mut(|unpacks| match unpacks {
        Some(unpacks) => unpacks.decompress(bytes, size),
        None => unpacks.insert(Decompressor::new()?).decompress(bytes, size),
    })
}

pub(super) fn text_of(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(index)?.as_blob()?;
    let broken = |error: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Blob, error)
    };
    let whole = match bytes.starts_with(&ZSTD) {
        true => unpacked(bytes).map_err(|error| broken(error.into()))?,
        false => bytes.to_vec(),
    };
    String::from_utf8(whole).map_err(|error| broken(error.into()))
}

//! What kept sessions say to a question: as in conversations, what has the rarest phrases comes first.
//!
//! Only what people and models said, in sessions that worked in the folder that is asked about.

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::search::Phrase;
use siltstone_engine::vault::{Agent, Said, SaidAt, SaidCandidates, SaidNear};

use super::words::{SAID, said as said_of, scope_of, text_of};
use crate::column;
use crate::fault::Fault;
use crate::finder::asking;
use crate::finder::recalling::{Named, Rows, about, named_by};

/// Rows that are counted; of more it is not told how many there are.
const COUNTED: usize = 100_000;

/// What may be recalled with the session it is of; `file` and `seq` tell it from others.
const NEAR: &str = "FROM said JOIN facts ON facts.file = said.file JOIN files ON files.id = said.file \
     JOIN homes ON homes.id = files.home WHERE said.words > 0 AND said.role <> 'tool'";

/// What may answer, each with its neighbours.
pub(super) fn candidates(
    db: &Connection,
    asked: &[Phrase],
    folder: &str,
    limit: usize,
) -> Result<SaidCandidates, Fault> {
    let mut within = Within { db, scope: scope_of(folder), all: 0, newest: 0 };
    let all = within.matching(&format!("\"{}\"", within.scope), COUNTED)?;
    (within.all, within.newest) = (all.len() as u64, all.first().copied().unwrap_or(0));
    let Named { rows, having } = named_by(&within, asked, within.all, limit)?;
    let columns = format!("SELECT {SAID}, agent, session, said.id, said.file, kept_at {NEAR}");
    let mut by_id = db.prepare_cached(&format!("{columns} AND said.id = ?1"))?;
    let mut found: Vec<(i64, SaidNear)> = Vec::new();
    for id in rows {
        found.extend(by_id.query_row([id], |row| near(row, true)).optional()?.flatten());
    }
    let mut before = db.prepare_cached(&format!(
        "{columns} AND said.file = ?1 AND entry < ?2 ORDER BY entry DESC LIMIT 1"
    ))?;
    let mut after = db.prepare_cached(&format!(
        "{columns} AND said.file = ?1 AND entry > ?2 ORDER BY entry LIMIT 1"
    ))?;
    let named: Vec<(i64, u64)> = found.iter().map(|(file, it)| (*file, it.said.entry)).collect();
    for (file, entry) in named {
        for beside in [&mut before, &mut after] {
            let at = params![file, column::integer(entry)];
            found.extend(beside.query_row(at, |row| near(row, false)).optional()?.flatten());
        }
    }
    // What is named before the same as a neighbour.
    found.sort_by_key(|(file, it)| (*file, it.said.entry, !it.named));
    found.dedup_by_key(|(file, it)| (*file, it.said.entry));
    Ok(SaidCandidates {
        said: found.into_iter().map(|(_, it)| it).collect(),
        all: within.all,
        having,
    })
}

/// What was said there. Of several files of one session the one that says most is meant.
pub(super) fn said(db: &Connection, at: &SaidAt, folder: &str) -> Result<Option<Said>, Fault> {
    let Some(entry) = at.number.checked_sub(1) else { return Ok(None) };
    let mut find = db.prepare_cached(&format!(
        "SELECT {SAID}, agent, session, said.id, said.file, kept_at {NEAR} \
         AND session = ?1 AND agent = ?2 AND entry = ?3 ORDER BY facts.bytes DESC LIMIT 1"
    ))?;
    let of = params![at.session, at.agent.name(), column::integer(entry)];
    let Some((_, found)) = find.query_row(of, |row| near(row, true)).optional()?.flatten() else {
        return Ok(None);
    };
    let mut within =
        db.prepare_cached("SELECT 1 FROM said_index WHERE said_index MATCH ?1 AND rowid = ?2")?;
    let inside = within.exists(params![format!("\"{}\"", scope_of(folder)), found.seq])?;
    Ok(inside.then_some(found.said))
}

/// A row with the number of its file. Nothing where only a newer version knows its agent.
fn near(row: &Row<'_>, named: bool) -> rusqlite::Result<Option<(i64, SaidNear)>> {
    let Some(agent) = Agent::named(&row.get::<_, String>(5)?) else { return Ok(None) };
    let Some(session) = row.get(6)? else { return Ok(None) };
    let mut said = said_of(row)?;
    said.text.truncate(said.text.floor_char_boundary(said.words));
    // Where nobody says when, it was when it was seen.
    said.at = said.at.or(Some(column::time(row, 9)?));
    let at = SaidAt { agent, session, number: said.entry + 1 };
    Ok(Some((row.get(8)?, SaidNear { at, said, seq: row.get(7)?, named })))
}

/// The rows of a folder.
struct Within<'d> {
    db: &'d Connection,
    scope: String,
    all: u64,
    newest: i64,
}

impl Within<'_> {
    fn matching(&self, expression: &str, limit: usize) -> Result<Vec<i64>, Fault> {
        let mut find = self.db.prepare_cached(
            "SELECT rowid FROM said_index WHERE said_index MATCH ?1 ORDER BY rowid DESC LIMIT ?2",
        )?;
        let limit = column::integer(limit as u64);
        let rows = find.query_map(params![expression, limit], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Rows for Within<'_> {
    fn newest(&self, words: &str, limit: usize) -> Result<Vec<i64>, Fault> {
        self.matching(&asking::narrowed(words, std::slice::from_ref(&self.scope), &[]), limit)
    }

    fn having(&self, rows: &[i64]) -> u64 {
        about(rows, 1, self.newest, self.all)
    }

    fn text(&self, row: i64) -> Result<Option<String>, Fault> {
        let mut find = self.db.prepare_cached("SELECT text FROM said WHERE id = ?1")?;
        Ok(find.query_row([row], |row| text_of(row, 0)).optional()?)
    }
}

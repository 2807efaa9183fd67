//! What kept sessions say to a question: as in conversations, what has the rarest phrases comes first.
//!
//! Only what people and models said, in sessions that worked in the folder that is asked about.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::search::Phrase;
use siltstone_engine::vault::{Agent, Said, SaidAt, SaidCandidates, SaidNear};

use super::words::{INDEX, SAID, said as said_of, scope_of, text_of};
use crate::column;
use crate::fault::Fault;
use crate::finder::asking;
use crate::finder::beginnings::Words;
use crate::finder::lately::{Here, Lately};
use crate::finder::recalling::{Find, Named, Rows, about, named_by};

/// What may be recalled. How much of it is words stands after its text, and what a tool answered is long.
const RECALLED: &str = "said.role <> 'tool' AND said.words > 0";

/// What may answer, each with its neighbours.
pub(super) fn candidates(
    db: &Connection,
    lately: &Lately<String>,
    asked: &[Phrase],
    folder: &str,
    limit: usize,
) -> Result<SaidCandidates, Fault> {
    let within = Within::of(db, lately, scope_of(folder))?;
    let Named { rows, having } = named_by(&within, asked, within.all, limit)?;
    let mut sessions = Sessions { db, known: HashMap::new() };
    let columns = format!("SELECT {SAID}, id, file FROM said WHERE {RECALLED}");
    let mut by_id = db.prepare_cached(&format!("{columns} AND id = ?1"))?;
    let mut found: Vec<(i64, SaidNear)> = Vec::new();
    for id in rows {
        let named = by_id.query_row([id], |row| sessions.near(row, true));
        found.extend(named.optional()?.flatten());
    }
    let mut before = db.prepare_cached(&format!(
        "{columns} AND file = ?1 AND entry < ?2 ORDER BY entry DESC LIMIT 1"
    ))?;
    let mut after = db.prepare_cached(&format!(
        "{columns} AND file = ?1 AND entry > ?2 ORDER BY entry LIMIT 1"
    ))?;
    let named: Vec<(i64, u64)> = found.iter().map(|(file, it)| (*file, it.said.entry)).collect();
    for (file, entry) in named {
        for beside in [&mut before, &mut after] {
            let at = params![file, column::integer(entry)];
            let beside = beside.query_row(at, |row| sessions.near(row, false));
            found.extend(beside.optional()?.flatten());
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
        "SELECT {SAID}, said.id, said.file FROM said JOIN facts ON facts.file = said.file \
         JOIN files ON files.id = said.file JOIN homes ON homes.id = files.home \
         WHERE {RECALLED} AND session = ?1 AND agent = ?2 AND entry = ?3 \
         ORDER BY facts.bytes DESC LIMIT 1"
    ))?;
    let mut sessions = Sessions { db, known: HashMap::new() };
    let of = params![at.session, at.agent.name(), column::integer(entry)];
    let Some((_, found)) = find.query_row(of, |row| sessions.near(row, true)).optional()?.flatten()
    else {
        return Ok(None);
    };
    let mut within =
        db.prepare_cached("SELECT 1 FROM said_index WHERE said_index MATCH ?1 AND rowid = ?2")?;
    let inside = within.exists(params![format!("\"{}\"", scope_of(folder)), found.seq])?;
    Ok(inside.then_some(found.said))
}

/// The sessions that files are of, each read once: what is understood of one stands before its id.
struct Sessions<'a> {
    db: &'a Connection,
    known: HashMap<i64, Option<Session>>,
}

#[derive(Clone)]
struct Session {
    agent: Agent,
    id: String,
    kept_at: Timestamp,
}

impl Sessions<'_> {
    /// Nothing where only a newer version knows the agent.
    fn of(&mut self, file: i64) -> rusqlite::Result<Option<Session>> {
        if let Some(known) = self.known.get(&file) {
            return Ok(known.clone());
        }
        let mut find = self.db.prepare_cached(
            "SELECT agent, session, kept_at FROM facts JOIN files ON files.id = facts.file \
             JOIN homes ON homes.id = files.home WHERE facts.file = ?1",
        )?;
        let read = |row: &Row<'_>| {
            let agent = Agent::named(row.get_ref(0)?.as_str()?);
            let id: Option<String> = row.get(1)?;
            let kept_at = column::time(row, 2)?;
            Ok(agent.zip(id).map(|(agent, id)| Session { agent, id, kept_at }))
        };
        let session = find.query_row([file], read).optional()?.flatten();
        self.known.insert(file, session.clone());
        Ok(session)
    }

    /// A row with the number of its file.
    fn near(&mut self, row: &Row<'_>, named: bool) -> rusqlite::Result<Option<(i64, SaidNear)>> {
        let file = row.get(6)?;
        let Some(Session { agent, id, kept_at }) = self.of(file)? else { return Ok(None) };
        let mut said = said_of(row)?;
        said.text.truncate(said.text.floor_char_boundary(said.words));
        // Where nobody says when, it was when it was seen.
        said.at = said.at.or(Some(kept_at));
        let at = SaidAt { agent, session: id, number: said.entry + 1 };
        Ok(Some((file, SaidNear { at, said, seq: row.get(5)?, named })))
    }
}

/// The rows of a folder.
struct Within<'a> {
    db: &'a Connection,
    lately: Here<'a, String>,
    words: Words<'a>,
    scope: String,
    all: u64,
    newest: i64,
}

impl<'a> Within<'a> {
    fn of(db: &'a Connection, lately: &'a Lately<String>, scope: String) -> Result<Self, Fault> {
        let (lately, words) = (lately.here(db, &scope)?, Words::of(db, INDEX)?);
        let mut within = Self { db, lately, words, scope, all: 0, newest: 0 };
        // Remembered beside what words name: no word is empty.
        let counted = within.lately.rows(String::new(), || {
            let mut count = db.prepare_cached(
                "SELECT count(*), coalesce(max(rowid), 0) FROM said_index WHERE said_index MATCH ?1",
            )?;
            let all = format!("\"{}\"", within.scope);
            Ok(count.query_row([all], |row| Ok(vec![row.get(0)?, row.get(1)?]))?)
        })?;
        if let [all, newest] = counted[..] {
            (within.all, within.newest) = (all.unsigned_abs(), newest);
        }
        Ok(within)
    }

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
    fn having_all(&self, phrase: &Phrase) -> Result<String, Fault> {
        self.words.having_all(&self.lately, phrase)
    }

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

    fn known(&self, of: String, find: Find<'_>) -> Result<Vec<i64>, Fault> {
        self.lately.rows(of, find)
    }
}

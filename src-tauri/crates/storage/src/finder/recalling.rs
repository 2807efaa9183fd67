//! What the index says to a question: the messages that may answer it, those with the rarest phrases first.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::MessageId;
use siltstone_engine::recall::{Candidate, Candidates, Scope};
use siltstone_engine::search::{Phrase, Searched};

use super::asking::{self, Within};
use super::ranking::rarest;
use crate::column;
use crate::fault::Fault;
use crate::search::{findable_in, text};

/// A phrase is counted up to this share of all messages, in hundredths, and at least up to so many.
const SHARE: u64 = 15;
const AT_LEAST: u64 = 200;

/// Up to how many messages with all tokens of a phrase are asked whether the tokens stand together.
const ASKED: usize = 64;

const CANDIDATE: &str = "SELECT m.id, m.parent_id, m.conversation_id, c.title, m.seq, m.idx, m.role, m.parts, \
     m.created_at FROM messages m JOIN conversations c ON c.id = m.conversation_id";

/// Bounds of a scope that are read from rows: `?1` is the conversation, `?2` the project if there is one.
const OF_SCOPE: &str = "m.status <> 'streaming' AND c.deleted_at IS NULL \
     AND CASE WHEN ?2 IS NULL THEN c.id = ?1 ELSE c.project_id = ?2 END";

/// The messages that may answer, each with its neighbours.
pub(super) fn candidates(
    db: &Connection,
    asked: &[Phrase],
    named: &[MessageId],
    scope: Scope,
    limit: u32,
) -> Result<Candidates, Fault> {
    let bounds = params_of(scope);
    let all = count(db, &bounds)?;
    let others = others(db, scope, all)?;
    let within = Within {
        conversation: scope.project_id.is_none().then_some(scope.conversation_id),
        project: scope.project_id.filter(|_| others.is_none()),
        ..Within::default()
    };
    let others = others.unwrap_or_default();
    let most = (all * SHARE / 100).max(AT_LEAST);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let trashed = asking::trashed(db)?;
    let mut having = Vec::new();
    let mut of_phrases = Vec::new();
    for phrase in asked {
        let limit = most.saturating_add(others.len());
        let named = asking::all(phrase);
        let mut rows = asking::messages_outside(db, &named, &within, &trashed, limit)?;
        rows.retain(|seq| others.binary_search(seq).is_err());
        rows.truncate(most);
        let rows = standing(db, phrase, rows)?;
        having.push(rows.len() as u64);
        of_phrases.push(rows);
    }
    let mut messages = BTreeMap::new();
    let mut by_seq = db.prepare_cached(&format!("{CANDIDATE} WHERE m.seq = ?3 AND {OF_SCOPE}"))?;
    for seq in rarest(&of_phrases, all, limit as usize) {
        let key = params![bounds.0, bounds.1, seq];
        if let Some(found) = by_seq.query_row(key, |row| candidate(row, true)).optional()? {
            messages.insert(seq, found);
        }
    }
    let mut by_id = db.prepare_cached(&format!("{CANDIDATE} WHERE m.id = ?3 AND {OF_SCOPE}"))?;
    for id in named {
        let key = params![bounds.0, bounds.1, column::text(*id)];
        if let Some(found) = by_id.query_row(key, |row| candidate(row, true)).optional()? {
            messages.insert(found.seq, found);
        }
    }
    let mut first_child = db.prepare_cached(&format!(
        "{CANDIDATE} WHERE m.parent_id = ?3 AND {OF_SCOPE} ORDER BY m.seq LIMIT 1"
    ))?;
    let found: Vec<(MessageId, Option<MessageId>)> =
        messages.values().map(|it| (it.message_id, it.parent_id)).collect();
    for (id, parent) in found {
        let key = params![bounds.0, bounds.1, column::text(id)];
        let next = first_child.query_row(key, |row| candidate(row, false)).optional()?;
        let before = match parent {
            Some(parent) => {
                let key = params![bounds.0, bounds.1, column::text(parent)];
                by_id.query_row(key, |row| candidate(row, false)).optional()?
            }
            None => None,
        };
        for beside in before.into_iter().chain(next) {
            messages.entry(beside.seq).or_insert(beside);
        }
    }
    let mut messages: Vec<Candidate> = messages.into_values().collect();
    messages.sort_by_key(|it| (it.conversation_id, it.seq));
    Ok(Candidates { messages, all, having })
}

fn params_of(scope: Scope) -> (String, Option<String>) {
    (column::text(scope.conversation_id), column::optional_text(scope.project_id))
}

fn count(
    db: &Connection,
    (conversation, project): &(String, Option<String>),
) -> Result<u64, Fault> {
    let sql = match project {
        None => {
            "SELECT count(*) FROM messages m JOIN conversations c ON c.id = m.conversation_id \
             WHERE c.id = ?1 AND c.deleted_at IS NULL"
        }
        // The messages of each conversation are counted in an index of theirs.
        Some(_) => {
            "SELECT coalesce(sum((SELECT count(*) FROM messages m WHERE m.conversation_id = c.id)), 0) \
             FROM conversations c WHERE c.project_id = ?1 AND c.deleted_at IS NULL"
        }
    };
    let key = project.as_ref().unwrap_or(conversation);
    Ok(db.prepare_cached(sql)?.query_row([key], |row| column::count(row, 0))?)
}

/// The messages of other projects and of none, where they are fewer than those of the project. The token of a project that
/// nearly everything is of stands in nearly every row of the index, and each phrase would go through all of them.
fn others(db: &Connection, scope: Scope, all: u64) -> Result<Option<Vec<i64>>, Fault> {
    let Some(project) = scope.project_id else { return Ok(None) };
    let newest: Option<i64> =
        db.prepare_cached("SELECT max(seq) FROM messages")?.query_row([], |row| row.get(0))?;
    if newest.unwrap_or(0).unsigned_abs() >= all.saturating_mul(2) {
        return Ok(None);
    }
    let mut statement = db.prepare_cached(
        "SELECT m.seq FROM conversations c JOIN messages m ON m.conversation_id = c.id \
         WHERE c.project_id IS NOT ?1 AND c.deleted_at IS NULL ORDER BY m.seq",
    )?;
    let rows = statement.query_map([column::text(project)], |row| row.get(0))?;
    Ok(Some(rows.collect::<rusqlite::Result<_>>()?))
}

/// The messages with a phrase, of those with all of its tokens. Of a few it is read whether these stand together; of many,
/// all count.
fn standing(db: &Connection, phrase: &Phrase, rows: Vec<i64>) -> Result<Vec<i64>, Fault> {
    if phrase.tokens.len() < 2 || rows.len() > ASKED {
        return Ok(rows);
    }
    let mut standing = Vec::new();
    for seq in rows {
        if text(db, seq)?.is_some_and(|text| Searched::new(&text).has(phrase)) {
            standing.push(seq);
        }
    }
    Ok(standing)
}

fn candidate(row: &Row<'_>, named: bool) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        message_id: column::id(row, 0)?,
        parent_id: column::optional_id(row, 1)?,
        conversation_id: column::id(row, 2)?,
        title: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        seq: row.get(4)?,
        index: column::count(row, 5)?,
        role: column::name(row, 6)?,
        text: findable_in(row, 7)?,
        at: column::time(row, 8)?,
        named,
    })
}

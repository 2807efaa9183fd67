//! What is found beside messages: summaries, decisions, and lines of memory that belong to no file. A note enters and
//! leaves in the transaction that writes what it is of; what deletes that deletes the note (`0009_recall.sql`).

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::{ProjectId, SummaryId};
use siltstone_engine::link;
use siltstone_engine::memory::MemoryLine;
use siltstone_engine::search::{Filter, Found, FoundGroup, FoundKind, Query, index_text, snippet};
use siltstone_engine::workflow::{Decision, Workflow};

use super::asking;
use super::ranking::{Matches, rank};
use crate::column;
use crate::fault::Fault;
use crate::search::{RANKED, scope_token, tokens_of};

/// The kinds, by their names in the table and their tokens.
const SUMMARY: (&str, &str) = ("summary", "/ks");
const DECISION: (&str, &str) = ("decision", "/kd");
const MEMORY: (&str, &str) = ("memory", "/km");

/// Something that is found by its words.
struct Note<'a> {
    kind: (&'static str, &'static str),
    id: &'a str,
    project_id: Option<String>,
    conversation_id: Option<String>,
    message_id: Option<String>,
    at: Option<i64>,
    text: &'a str,
}

fn put(db: &Connection, note: &Note<'_>) -> Result<(), Fault> {
    remove(db, note.kind.0, note.id, note.project_id.as_deref())?;
    let text = index_text(note.text);
    if text.body.is_empty() {
        return Ok(());
    }
    // The words of a decision stand nowhere else as a row.
    let kept = (note.kind == DECISION).then_some(note.text);
    db.prepare_cached(
        "INSERT INTO notes (kind, id, project_id, conversation_id, message_id, at, text) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        note.kind.0,
        note.id,
        note.project_id,
        note.conversation_id,
        note.message_id,
        note.at,
        kept
    ])?;
    let mut tokens = format!("{} {}", tokens_of(&text), note.kind.1);
    for (kind, id) in [('p', &note.project_id), ('c', &note.conversation_id)] {
        if let Some(id) = id {
            tokens.push_str(&format!(" {}", scope_token(kind, id)));
        }
    }
    db.prepare_cached("INSERT INTO note_index (rowid, tokens) VALUES (?1, ?2)")?
        .execute(params![db.last_insert_rowid(), tokens])?;
    Ok(())
}

fn remove(db: &Connection, kind: &str, id: &str, project: Option<&str>) -> Result<(), Fault> {
    db.prepare_cached(
        "DELETE FROM notes WHERE kind = ?1 AND id = ?2 AND coalesce(project_id, '') = coalesce(?3, '')",
    )?
    .execute(params![kind, id, project])?;
    Ok(())
}

/// Brings the notes of a summary and of its other versions up to date: the newest one that holds is found.
pub(crate) fn put_summary(db: &Connection, id: SummaryId) -> Result<(), Fault> {
    // It may be put aside, and is no version of anything then.
    db.prepare_cached("DELETE FROM notes WHERE kind = 'summary' AND id = ?1")?
        .execute([column::text(id)])?;
    let group = db
        .prepare_cached(
            "SELECT conversation_id, policy, level, start FROM summaries WHERE id = ?1",
        )?
        .query_row([column::text(id)], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, i64>(3)?,
            ))
        })
        .optional()?;
    match group {
        Some((conversation, policy, level, start)) => {
            put_versions(db, &conversation, &policy, level, start)
        }
        None => Ok(()),
    }
}

fn put_versions(
    db: &Connection,
    conversation: &str,
    policy: &str,
    level: i64,
    start: i64,
) -> Result<(), Fault> {
    let of = params![conversation, policy, level, start];
    db.prepare_cached(
        "DELETE FROM notes WHERE kind = 'summary' AND id IN (SELECT id FROM summaries \
         WHERE conversation_id = ?1 AND policy = ?2 AND level = ?3 AND start = ?4 AND aside = 0)",
    )?
    .execute(of)?;
    let newest = db
        .prepare_cached(
            "SELECT s.id, s.summary, coalesce(s.finished_at, s.created_at), c.project_id \
             FROM summaries s JOIN conversations c ON c.id = s.conversation_id \
             WHERE s.conversation_id = ?1 AND s.policy = ?2 AND s.level = ?3 AND s.start = ?4 \
             AND s.aside = 0 AND s.status = 'COMPLETED' AND s.unfolded_at IS NULL \
             ORDER BY s.version DESC LIMIT 1",
        )?
        .query_row(of, |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, Option<String>>(3)?,
            ))
        })
        .optional()?;
    let Some((id, text, at, project_id)) = newest else { return Ok(()) };
    let note = Note {
        kind: SUMMARY,
        id: &id,
        project_id,
        conversation_id: Some(conversation.to_owned()),
        message_id: None,
        at: Some(at),
        text: &text,
    };
    put(db, &note)
}

/// Brings the notes of a project's decisions up to date; what did not change is not written again.
pub(crate) fn put_decisions(
    db: &Connection,
    project: ProjectId,
    workflow: &Workflow,
) -> Result<(), Fault> {
    let project = column::text(project);
    let mut known: HashMap<String, Option<String>> = db
        .prepare_cached("SELECT id, text FROM notes WHERE kind = 'decision' AND project_id = ?1")?
        .query_map([&project], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for decision in &workflow.decisions {
        let Decision { id, text, at, source, .. } = decision;
        if known.remove(id).flatten().as_deref() == Some(text.as_str()) {
            continue;
        }
        let note = Note {
            kind: DECISION,
            id,
            project_id: Some(project.clone()),
            conversation_id: source.map(|source| column::text(source.conversation_id)),
            message_id: source.map(|source| column::text(source.message_id)),
            at: at.map(column::nanoseconds),
            text,
        };
        put(db, &note)?;
    }
    known.keys().try_for_each(|id| remove(db, DECISION.0, id, Some(&project)))
}

/// Brings the note of a line of memory up to date.
pub(crate) fn put_line(db: &Connection, line: &MemoryLine) -> Result<(), Fault> {
    let id = column::text(line.id);
    if line.removed_at.is_some() {
        return remove(db, MEMORY.0, &id, column::optional_text(line.project_id).as_deref());
    }
    let note = Note {
        kind: MEMORY,
        id: &id,
        project_id: column::optional_text(line.project_id),
        conversation_id: column::optional_text(line.conversation_id),
        message_id: None,
        at: Some(column::nanoseconds(line.created_at)),
        text: &line.text,
    };
    put(db, &note)
}

/// Makes all notes of an empty table.
pub(crate) fn fill(db: &Connection) -> Result<(), Fault> {
    let groups: Vec<(String, String, i64, i64)> = db
        .prepare("SELECT DISTINCT conversation_id, policy, level, start FROM summaries")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (conversation, policy, level, start) in &groups {
        put_versions(db, conversation, policy, *level, *start)?;
    }
    let sessions: Vec<(ProjectId, Workflow)> = db
        .prepare("SELECT project_id, workflow FROM sessions")?
        .query_map([], |row| Ok((column::id(row, 0)?, column::json(row, 1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (project, workflow) in &sessions {
        put_decisions(db, *project, workflow)?;
    }
    let lines: Vec<MemoryLine> = crate::memory::living_lines(db)?;
    lines.iter().try_for_each(|line| put_line(db, line))
}

/// The best notes of a kind.
pub(crate) fn find(
    db: &Connection,
    query: &Query,
    kind: FoundKind,
    filter: &Filter,
    limit: u32,
) -> Result<Option<FoundGroup>, Fault> {
    let token = match kind {
        FoundKind::Summary => SUMMARY.1,
        FoundKind::Decision => DECISION.1,
        _ => MEMORY.1,
    };
    let mut must = asking::scopes(filter.project_id, filter.conversation_id);
    must.push(token.to_owned());
    let expression = asking::narrowed(&asking::words(query), &must, &[]);
    // A decision is the project's, and stays when the conversation it was said in is in the trash.
    let mut statement = db.prepare_cached(
        "SELECT i.rowid FROM note_index i CROSS JOIN notes n ON n.seq = i.rowid \
         LEFT JOIN conversations c ON c.id = n.conversation_id \
         WHERE note_index MATCH ?1 AND (n.kind = 'decision' OR c.deleted_at IS NULL) \
         AND (?3 IS NULL OR n.at >= ?3) AND (?4 IS NULL OR n.at < ?4) ORDER BY i.rowid DESC LIMIT ?2",
    )?;
    let most = column::integer(RANKED as u64 + 1);
    let from = filter.from.map(column::nanoseconds);
    let before = filter.before.map(column::nanoseconds);
    let rows = statement.query_map(params![expression, most, from, before], |row| row.get(0))?;
    let mut newest: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    let capped = newest.len() > RANKED;
    newest.truncate(RANKED);
    if newest.is_empty() {
        return Ok(None);
    }
    let rarity = asking::rarity(db, "note_index", query)?;
    let mut matches = Matches { newest, whole: Vec::new(), capped };
    let ranked = rank(query, &rarity, &mut matches, &mut |seq| text(db, seq))?;
    let best = ranked.best.into_iter().take(limit as usize);
    let found: Vec<Found> =
        best.map(|seq| shown(db, seq, kind, query)).collect::<Result<_, Fault>>()?;
    let group = FoundGroup { kind, found, total: ranked.total, capped: ranked.capped };
    Ok((group.total > 0).then_some(group))
}

const WORDS: &str = "coalesce(n.text, s.summary, l.text, '') FROM notes n \
     LEFT JOIN summaries s ON n.kind = 'summary' AND s.id = n.id \
     LEFT JOIN memory_lines l ON n.kind = 'memory' AND l.id = n.id";

fn text(db: &Connection, seq: i64) -> Result<Option<String>, Fault> {
    Ok(db
        .prepare_cached(&format!("SELECT {WORDS} WHERE n.seq = ?1"))?
        .query_row([seq], |row| row.get(0))
        .optional()?)
}

fn shown(db: &Connection, seq: i64, kind: FoundKind, query: &Query) -> Result<Found, Fault> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT n.id, n.project_id, n.conversation_id, n.message_id, n.at, c.title, p.name, {WORDS} \
         LEFT JOIN conversations c ON c.id = n.conversation_id \
         LEFT JOIN projects p ON p.id = n.project_id WHERE n.seq = ?1"
    ))?;
    Ok(statement.query_row([seq], |row| found(row, kind, query))?)
}

fn found(row: &Row<'_>, kind: FoundKind, query: &Query) -> rusqlite::Result<Found> {
    let id: String = row.get(0)?;
    let (title, name): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    let text: String = row.get(7)?;
    // A decision is of its project first, a summary or a line of a conversation of that.
    let title = match kind {
        FoundKind::Decision => name.or(title),
        _ => title.or(name),
    };
    let link = match kind {
        FoundKind::Summary => link::to_summary(column::id(row, 0)?),
        FoundKind::Decision => link::to_decision(&id),
        _ => link::to_memory_line(column::id(row, 0)?),
    };
    Ok(Found {
        project_id: column::optional_id(row, 1)?,
        conversation_id: column::optional_id(row, 2)?,
        message_id: column::optional_id(row, 3)?,
        at: column::optional_time(row, 4)?,
        ..Found::new(kind, title.unwrap_or_default(), link, snippet(&text, query))
    })
}

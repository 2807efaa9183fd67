//! The full-text index over messages. Each message enters it in the transaction that makes it whole.
//!
//! The index holds tokens only; the text a snippet is cut from is that of the message. Words that are everywhere are
//! not looked up to the end: the newest [`RANKED`] matches compete, and the caller is told that there are more.

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Part, text_of};
use siltstone_engine::ports::StoreError;
use siltstone_engine::search::{
    Phrase, Query, SearchHit, SearchHits, SearchScope, index_text, snippet,
};

use crate::column;
use crate::connection::Database;
use crate::fault::{Fault, not_found};

/// Matches that are counted and ranked at most, the newest ones.
const RANKED: usize = 5_000;

/// Pages of the index that are written in one step when it is compacted.
const MERGED_PAGES: i64 = 500;

/// Makes a whole message findable.
pub(crate) fn index(db: &Connection, id: MessageId, parts: &[Part]) -> Result<(), Fault> {
    let text = index_text(&findable(parts));
    if text.body.is_empty() {
        return Ok(());
    }
    let (seq, scope) = db
        .prepare_cached(
            "SELECT m.seq, c.id, c.project_id FROM messages m \
             JOIN conversations c ON c.id = m.conversation_id WHERE m.id = ?1",
        )?
        .query_row([column::text(id)], |row| {
            let conversation = scope_token('c', row.get_ref(1)?.as_str()?);
            let project = row.get_ref(2)?.as_str_or_null()?;
            let project = project.map(|id| scope_token('p', id)).unwrap_or_default();
            Ok((row.get::<_, i64>(0)?, format!("{conversation} {project}")))
        })
        .optional()?
        .ok_or_else(|| not_found("message", id))?;
    db.prepare_cached(
        "INSERT INTO message_index (rowid, body, parts, scope) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![seq, text.body, text.parts, scope])?;
    Ok(())
}

/// What of a message is found: what it says and what tools answered. What a model wrote for a tool to read is not.
pub(crate) fn findable(parts: &[Part]) -> String {
    let mut text = text_of(parts);
    for part in parts {
        if let Part::ToolResult { text: answer, .. } = part {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(answer);
        }
    }
    text
}

/// Takes a conversation's messages out of the index.
pub(crate) fn remove_conversation(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    db.execute(
        "DELETE FROM message_index WHERE rowid IN (SELECT seq FROM messages WHERE conversation_id = ?1)",
        [column::text(id)],
    )?;
    Ok(())
}

/// Writes an index anew without what was deleted from it, which until then is only marked. Goes in steps, between
/// which others may write: all at once takes seconds for a big index.
pub(crate) fn compact(database: &Database, index: &str) -> Result<(), StoreError> {
    let step = |pages: i64| {
        database.write(|db| {
            let before = db.total_changes();
            db.execute(
                &format!("INSERT INTO {index} ({index}, rank) VALUES ('merge', ?1)"),
                [pages],
            )?;
            // The command itself counts as one change, so a single one means that nothing was left to do.
            Ok(db.total_changes() - before > 1)
        })
    };
    // A negative number of pages begins to merge everything into one.
    let mut more = step(-MERGED_PAGES)?;
    while more {
        more = step(MERGED_PAGES)?;
    }
    Ok(())
}

/// The best matches of what was typed, outside of the trash.
pub(crate) fn find(
    db: &Connection,
    typed: &str,
    scope: &SearchScope,
    limit: u32,
) -> Result<SearchHits, Fault> {
    let query = Query::parse(typed);
    if query.terms.is_empty() {
        return Ok(SearchHits::default());
    }
    let mut ranked = newest_matches(db, &expression(&query, scope))?;
    let capped = ranked.len() > RANKED;
    ranked.truncate(RANKED);
    let total = ranked.len() as u64;
    // The score of FTS5 is lower for better matches; among equals the newest comes first.
    ranked.sort_by(|(a, score_a), (b, score_b)| score_a.total_cmp(score_b).then(b.cmp(a)));
    let mut hits: Vec<SearchHit> = Vec::new();
    for (seq, _) in ranked {
        if hits.len() == limit as usize {
            break;
        }
        let found = hit(db, seq, &query)?;
        // Several results of one reply are found there, by the best of them.
        if hits.iter().all(|hit| hit.message_id != found.message_id) {
            hits.push(found);
        }
    }
    Ok(SearchHits { hits, total, capped })
}

fn newest_matches(db: &Connection, expression: &str) -> Result<Vec<(i64, f64)>, Fault> {
    // CROSS JOIN fixes the order of the loops: the index first, from its newest row down, and no further than needed.
    let mut statement = db.prepare_cached(
        "SELECT i.rowid, bm25(message_index, 4.0, 2.0, 0.0) FROM message_index i \
         CROSS JOIN messages m ON m.seq = i.rowid CROSS JOIN conversations c ON c.id = m.conversation_id \
         WHERE message_index MATCH ?1 AND c.deleted_at IS NULL ORDER BY i.rowid DESC LIMIT ?2",
    )?;
    let one_more = column::integer(RANKED as u64 + 1);
    let rows =
        statement.query_map(params![expression, one_more], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A hit at its message; what a tool answered is found at the reply that asked for it.
fn hit(db: &Connection, seq: i64, query: &Query) -> Result<SearchHit, Fault> {
    Ok(db
        .prepare_cached(
            "WITH RECURSIVE up (id, parent_id, role, created_at) AS ( \
             SELECT id, parent_id, role, created_at FROM messages WHERE seq = ?1 UNION ALL \
             SELECT m.id, m.parent_id, m.role, m.created_at FROM messages m \
             JOIN up ON m.id = up.parent_id WHERE up.role = 'tool') \
             SELECT m.conversation_id, c.title, up.id, up.role, up.created_at, m.parts FROM messages m \
             JOIN conversations c ON c.id = m.conversation_id JOIN up \
             WHERE m.seq = ?1 AND (up.role <> 'tool' OR up.parent_id IS NULL)",
        )?
        .query_row([seq], |row| {
            let parts: Vec<Part> = column::json(row, 5)?;
            Ok(SearchHit {
                conversation_id: column::id(row, 0)?,
                title: row.get(1)?,
                message_id: column::id(row, 2)?,
                role: column::name(row, 3)?,
                created_at: column::time(row, 4)?,
                snippet: snippet(&findable(&parts), query),
            })
        })?)
}

/// A query in FTS5's language: every word present, in this scope.
fn expression(query: &Query, scope: &SearchScope) -> String {
    let words: Vec<String> =
        query.terms.iter().map(|term| format!("({})", any(&term.alternatives))).collect();
    let mut expression = format!("{{body parts}} : ({})", words.join(" AND "));
    if let Some(id) = scope.conversation_id {
        expression.push_str(&format!(" AND scope : {}", scope_token('c', &column::text(id))));
    }
    if let Some(id) = scope.project_id {
        expression.push_str(&format!(" AND scope : {}", scope_token('p', &column::text(id))));
    }
    expression
}

/// Phrases of which any may match. Tokens hold letters, digits and underscores alone, so quotes need no escape.
pub(crate) fn any(phrases: &[Phrase]) -> String {
    let quoted: Vec<String> = phrases
        .iter()
        .map(|phrase| {
            let open = if phrase.open { " *" } else { "" };
            format!("\"{}\"{open}", phrase.tokens.join(" "))
        })
        .collect();
    quoted.join(" OR ")
}

/// The token that stands for a conversation or a project: a letter and the id without its hyphens.
pub(crate) fn scope_token(kind: char, id: &str) -> String {
    std::iter::once(kind).chain(id.chars().filter(|c| *c != '-')).collect()
}

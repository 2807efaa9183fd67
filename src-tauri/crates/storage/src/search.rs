//! The full-text index over messages. Each message enters it in the transaction that makes it whole.
//!
//! The index holds which messages have which tokens, and nothing else: where they stand, and how often, is read in the
//! texts of those that may be shown (`finder::ranking`). Words that are everywhere are not looked up to the end: the
//! newest [`RANKED`] matches compete, and the caller is told that there are more. While the index is still being made
//! (`finder::making`), what it lacks is read through.

use std::borrow::Cow;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Deserialize;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Part, Role, push_paragraph, text_of};
use siltstone_engine::ports::StoreError;
use siltstone_engine::recall::is_standing;
use siltstone_engine::search::{
    IndexText, Query, SearchHit, SearchHits, SearchScope, index_text, snippet,
};

use crate::column;
use crate::connection::Database;
use crate::fault::{Fault, not_found};
use crate::finder::asking::{self, Within};
use crate::finder::making;
use crate::finder::ranking::{Matches, rank};

/// Matches that are counted and ranked at most, the newest ones.
pub(crate) const RANKED: usize = 5_000;

/// Pages of the index that are written in one step when it is compacted.
const MERGED_PAGES: i64 = 500;

/// The token of a message in which the person says what holds from then on.
pub(crate) const STANDING: &str = "/i";

const TEXT: &str = "SELECT parts FROM messages WHERE seq = ?1";

/// Makes a whole message findable; one that the making of the index has yet to reach is left to it.
pub(crate) fn index(db: &Connection, id: MessageId, parts: &[Part]) -> Result<(), Fault> {
    let (seq, conversation, project, role) = db
        .prepare_cached(
            "SELECT m.seq, c.id, c.project_id, m.role FROM messages m \
             JOIN conversations c ON c.id = m.conversation_id WHERE m.id = ?1",
        )?
        .query_row([column::text(id)], |row| {
            let project: Option<String> = row.get(2)?;
            let role: Role = column::name(row, 3)?;
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, project, role))
        })
        .optional()?
        .ok_or_else(|| not_found("message", id))?;
    if seq <= making::below(db)? {
        return Ok(());
    }
    put(db, seq, parts, &conversation, project.as_deref(), role)
}

/// Writes a message's tokens.
pub(crate) fn put(
    db: &Connection,
    seq: i64,
    parts: &[Part],
    conversation: &str,
    project: Option<&str>,
    role: Role,
) -> Result<(), Fault> {
    let text = index_text(&findable(parts));
    if text.body.is_empty() {
        return Ok(());
    }
    let mut tokens = tokens_of(&text);
    tokens.push_str(&format!(" {} {}", scope_token('c', conversation), role_token(role)));
    if let Some(project) = project {
        tokens.push_str(&format!(" {}", scope_token('p', project)));
    }
    if is_standing(role, parts) {
        tokens.push_str(&format!(" {STANDING}"));
    }
    db.prepare_cached("INSERT INTO message_index (rowid, tokens) VALUES (?1, ?2)")?
        .execute(params![seq, tokens])?;
    Ok(())
}

/// All tokens of a text in one line.
pub(crate) fn tokens_of(text: &IndexText) -> String {
    format!("{} {}", text.body, text.parts)
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

/// What of a part is looked at for its words.
#[derive(Deserialize)]
struct Said<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    text: Option<Cow<'a, str>>,
}

/// The same as [`findable`], from a row and without reading the rest of it: a search reads thousands of them.
pub(crate) fn findable_in(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    let unreadable = |error: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, error)
    };
    let json = row.get_ref(index)?.as_str()?;
    let parts: Vec<Said<'_>> =
        serde_json::from_str(json).map_err(|error| unreadable(error.into()))?;
    let mut text = String::new();
    for Said { kind, text: said } in &parts {
        match kind.as_ref() {
            "text" => text.push_str(said.as_deref().unwrap_or_default()),
            "pasted" => push_paragraph(&mut text, said.as_deref().unwrap_or_default()),
            _ => {}
        }
    }
    let answers = parts.iter().filter(|part| part.kind == "tool_result");
    for answer in answers.filter_map(|part| part.text.as_deref()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(answer);
    }
    Ok(text)
}

/// Makes the messages of a conversation findable where it is now; those that the making of the index has yet to reach are
/// left to it.
pub(crate) fn index_again(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    remove_conversation(db, id)?;
    let mut messages = db.prepare_cached(
        "SELECT m.seq, m.parts, c.id, c.project_id, m.role FROM messages m \
         JOIN conversations c ON c.id = m.conversation_id \
         WHERE c.id = ?1 AND m.seq > ?2 AND m.status <> 'streaming'",
    )?;
    let mut rows = messages.query(params![column::text(id), making::below(db)?])?;
    while let Some(row) = rows.next()? {
        let parts: Vec<Part> = column::json(row, 1)?;
        let conversation: String = row.get(2)?;
        let project: Option<String> = row.get(3)?;
        let role: Role = column::name(row, 4)?;
        put(db, row.get(0)?, &parts, &conversation, project.as_deref(), role)?;
    }
    Ok(())
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
    let within = Within {
        project: scope.project_id,
        conversation: scope.conversation_id,
        ..Within::default()
    };
    find_within(db, &query, &within, limit)
}

/// The best messages of a query within bounds.
pub(crate) fn find_within(
    db: &Connection,
    query: &Query,
    within: &Within,
    limit: u32,
) -> Result<SearchHits, Fault> {
    if query.terms.is_empty() {
        return Ok(SearchHits::default());
    }
    let mut matches = matching(db, query, within)?;
    let rarity = asking::rarity(db, "message_index", query)?;
    let mut statement = db.prepare_cached(TEXT)?;
    let mut text =
        |seq: i64| Ok(statement.query_row([seq], |row| findable_in(row, 0)).optional()?);
    let ranked = rank(query, &rarity, &mut matches, &mut text)?;
    let mut hits: Vec<SearchHit> = Vec::new();
    for seq in ranked.best {
        if hits.len() == limit as usize {
            break;
        }
        let found = hit(db, seq, query)?;
        // Several results of one reply are found there, by the best of them.
        if hits.iter().all(|hit| hit.message_id != found.message_id) {
            hits.push(found);
        }
    }
    Ok(SearchHits { hits, total: ranked.total, capped: ranked.capped })
}

/// The newest messages that have all tokens of a query.
fn matching(db: &Connection, query: &Query, within: &Within) -> Result<Matches, Fault> {
    let mut ask = |words: &str, limit: usize| asking::messages(db, words, within, limit);
    let mut found = Matches::of(query, RANKED, &mut ask)?;
    if !found.capped {
        let room = RANKED + 1 - found.newest.len();
        found.newest.extend(making::read_through(db, query, within, room)?);
        found.capped = found.newest.len() > RANKED;
        found.newest.truncate(RANKED);
    }
    Ok(found)
}

/// What is searched of a message.
pub(crate) fn text(db: &Connection, seq: i64) -> Result<Option<String>, Fault> {
    let mut statement = db.prepare_cached(TEXT)?;
    Ok(statement.query_row([seq], |row| findable_in(row, 0)).optional()?)
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
            let text = findable_in(row, 5)?;
            Ok(SearchHit {
                conversation_id: column::id(row, 0)?,
                title: row.get(1)?,
                message_id: column::id(row, 2)?,
                role: column::name(row, 3)?,
                created_at: column::time(row, 4)?,
                snippet: snippet(&text, query),
            })
        })?)
}

/// The token that stands for a conversation or a project: a slash, a letter and the id without its hyphens.
pub(crate) fn scope_token(kind: char, id: &str) -> String {
    ['/', kind].into_iter().chain(id.chars().filter(|c| *c != '-')).collect()
}

/// The token of who speaks.
pub(crate) fn role_token(role: Role) -> &'static str {
    match role {
        Role::System => "/s",
        Role::User => "/u",
        Role::Assistant => "/a",
        Role::Tool => "/t",
    }
}

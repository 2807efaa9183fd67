//! What hangs together again after rows were lost: conversations, their branches, and the places of messages that
//! could not be read.
//!
//! A conversation or a branch that is gone follows from its messages. In the place of a message that is gone stands one
//! that says so, with its id where another row names it. What still names something that is not there is set aside.

use std::collections::{BTreeMap, HashSet};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::conversation::TitleSource;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{MessageStatus, Part, Role, text_of};
use siltstone_engine::salvage::LOST;
use siltstone_engine::{Timestamp, title, tokens};
use uuid::Uuid;

use super::copying::Copying;
use super::readers::{self, Senseless};
use super::shapes::Shape;
use crate::fault::Fault;
use crate::{column, messages};

/// Most messages that stand on a page: so many may be lost with one.
const OF_PAGE: i64 = 64;

/// Most rounds of looking for what names something that is not there.
const ROUNDS: usize = 16;

/// Why a row is set aside that has the form of one.
const SENSELESS: &str = "it cannot be understood";

/// Lost messages by their conversation.
pub(super) type Lost = BTreeMap<String, u32>;

/// Mends a new database of which so many pages and rows are lost; says how many messages of which conversations are.
pub(super) fn mend(
    copying: &mut Copying<'_>,
    shapes: &[Shape],
    damage: u32,
) -> Result<Lost, Fault> {
    // Those of a backup too.
    let more: u32 = senseless(copying)?.into_values().sum();
    // Numbers that want more places than can be lost are wrong numbers.
    let room = i64::from(damage.saturating_add(more)) * OF_PAGE;
    misplaced(copying, room)?;
    let mut lost = Lost::new();
    branches(copying.db)?;
    conversations(copying.db)?;
    for branch in all_branches(copying.db)? {
        fill(copying, &branch, room, &mut lost)?;
    }
    shown(copying)?;
    loose(copying, shapes)?;
    Ok(lost)
}

/// Sets aside rows that say nothing that can be understood; how many of each table.
pub(super) fn senseless(copying: &mut Copying<'_>) -> Result<BTreeMap<&'static str, u32>, Fault> {
    let db = copying.db;
    let mut found = BTreeMap::new();
    let mut statement = db.prepare("SELECT seq, id FROM messages")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    for (seq, id) in rows {
        let reads = id.parse().is_ok_and(|id: MessageId| messages::get(db, id).is_ok());
        if !reads {
            copying.remove("messages", seq, SENSELESS)?;
            *found.entry("messages").or_default() += 1;
        }
    }
    for Senseless { table, key: (column, key) } in readers::senseless(db)? {
        copying.remove_by(table, column, &key, SENSELESS)?;
        *found.entry(table).or_default() += 1;
    }
    Ok(found)
}

/// Messages at a place that their branch cannot have.
fn misplaced(copying: &mut Copying<'_>, room: i64) -> Result<(), Fault> {
    // Whose conversation is written wrong follows from who is in one, and where a branch begins from its first message.
    copying.db.execute_batch(
        "UPDATE branches SET conversation_id = (SELECT m.conversation_id FROM messages m WHERE m.branch_id = branches.id) \
         WHERE conversation_id NOT IN (SELECT id FROM conversations) AND EXISTS (SELECT 1 FROM messages m \
         JOIN conversations c ON c.id = m.conversation_id WHERE m.branch_id = branches.id); \
         UPDATE messages SET conversation_id = (SELECT b.conversation_id FROM branches b WHERE b.id = messages.branch_id) \
         WHERE conversation_id NOT IN (SELECT id FROM conversations) AND EXISTS (SELECT 1 FROM branches b \
         JOIN conversations c ON c.id = b.conversation_id WHERE b.id = messages.branch_id); \
         UPDATE branches SET fork_index = 0 WHERE parent_id IS NULL OR fork_index < 0; \
         UPDATE branches SET fork_index = min(fork_index, (SELECT min(idx) FROM messages WHERE branch_id = branches.id)) \
         WHERE EXISTS (SELECT 1 FROM messages m WHERE m.branch_id = branches.id AND m.idx >= 0)",
    )?;
    let mut statement = copying.db.prepare(
        "SELECT m.seq FROM messages m LEFT JOIN branches b ON b.id = m.branch_id WHERE m.idx < 0 \
         OR b.conversation_id <> m.conversation_id OR m.idx - coalesce(b.fork_index, 0) > ?1 \
         + (SELECT count(*) FROM messages o WHERE o.branch_id = m.branch_id) AND b.id IS NOT NULL \
         OR m.idx > ?1 + (SELECT count(*) FROM messages)",
    )?;
    let found = statement.query_map([room], |row| row.get(0))?;
    let found: Vec<i64> = found.collect::<Result<_, _>>()?;
    for seq in found {
        copying.remove("messages", seq, "its place is not one of its branch")?;
    }
    Ok(())
}

/// Makes branches that only other rows name.
fn branches(db: &Connection) -> Result<(), Fault> {
    // Of messages: from the first that is left, after what that one answers.
    let mut orphans = db.prepare(
        "SELECT branch_id, conversation_id, min(idx), max(idx) FROM messages \
         WHERE branch_id NOT IN (SELECT id FROM branches) GROUP BY branch_id",
    )?;
    let orphans: Vec<(String, String, i64, i64)> = orphans
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    for (branch, conversation, first, last) in orphans {
        let parent: Option<String> = db
            .prepare_cached(
                "SELECT p.branch_id FROM messages m JOIN messages p ON p.id = m.parent_id \
                 WHERE m.branch_id = ?1 AND m.idx = ?2 AND p.idx = ?2 - 1 AND p.branch_id <> ?1",
            )?
            .query_row(params![branch, first], |row| row.get(0))
            .optional()?;
        let fork = if parent.is_some() { first } else { 0 };
        put_branch(db, &branch, &conversation, parent.as_deref(), (fork, last))?;
    }
    // Of branches: what they went off from.
    loop {
        let mut lost = db.prepare(
            "SELECT parent_id, conversation_id, max(fork_index) FROM branches \
             WHERE parent_id NOT IN (SELECT id FROM branches) GROUP BY parent_id",
        )?;
        let lost: Vec<(String, String, i64)> = lost
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        if lost.is_empty() {
            break;
        }
        for (branch, conversation, fork) in lost {
            put_branch(db, &branch, &conversation, None, (0, fork - 1))?;
        }
    }
    // Of conversations: the one that was shown, and was empty.
    db.execute(
        "INSERT INTO branches (id, conversation_id, fork_index, tip_index, touched) \
         SELECT active_branch, id, 0, -1, 1 FROM conversations c \
         WHERE active_branch NOT IN (SELECT id FROM branches) \
         AND NOT EXISTS (SELECT 1 FROM branches b WHERE b.conversation_id = c.id)",
        [],
    )?;
    Ok(())
}

fn put_branch(
    db: &Connection,
    id: &str,
    conversation: &str,
    parent: Option<&str>,
    (fork, tip): (i64, i64),
) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO branches (id, conversation_id, parent_id, fork_index, tip_index, touched) \
         VALUES (?1, ?2, ?3, ?4, ?5, 1)",
    )?
    .execute(params![id, conversation, parent, fork, tip])?;
    Ok(())
}

/// Makes conversations of which branches are left, titled as a new one is.
fn conversations(db: &Connection) -> Result<(), Fault> {
    let mut lost = db.prepare(
        "SELECT DISTINCT conversation_id FROM branches \
         WHERE conversation_id NOT IN (SELECT id FROM conversations)",
    )?;
    let lost = lost.query_map([], |row| row.get(0))?;
    let lost: Vec<String> = lost.collect::<Result<_, _>>()?;
    for id in lost {
        let first: Option<String> = db
            .prepare_cached(
                "SELECT parts FROM messages WHERE conversation_id = ?1 AND role = 'user' ORDER BY idx LIMIT 1",
            )?
            .query_row([&id], |row| row.get(0))
            .optional()?;
        let parts: Vec<Part> =
            first.and_then(|parts| serde_json::from_str(&parts).ok()).unwrap_or_default();
        db.prepare_cached(
            "INSERT INTO conversations (id, title, title_source, pinned, created_at, updated_at, active_branch, draft) \
             SELECT ?1, ?2, ?3, 0, coalesce(min(created_at), 0), coalesce(max(created_at), 0), \
             (SELECT id FROM branches WHERE conversation_id = ?1 ORDER BY touched DESC, tip_index DESC LIMIT 1), '' \
             FROM messages WHERE conversation_id = ?1",
        )?
        .execute(params![
            id,
            title::derive(&text_of(&parts)),
            column::to_name(&TitleSource::Derived)?
        ])?;
    }
    Ok(())
}

/// A branch as the rows say it.
struct Branch {
    id: String,
    conversation: String,
    parent: Option<String>,
    fork: i64,
    tip: i64,
}

fn all_branches(db: &Connection) -> Result<Vec<Branch>, Fault> {
    let mut statement = db.prepare(
        "SELECT id, conversation_id, parent_id, fork_index, tip_index FROM branches \
         ORDER BY fork_index, touched",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Branch {
            id: row.get(0)?,
            conversation: row.get(1)?,
            parent: row.get(2)?,
            fork: row.get(3)?,
            tip: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One message of a branch.
struct There {
    id: String,
    parent: Option<String>,
    at: i64,
}

/// Puts a message that says so into each place of a branch whose message is lost.
fn fill(
    copying: &mut Copying<'_>,
    branch: &Branch,
    room: i64,
    lost: &mut Lost,
) -> Result<(), Fault> {
    let db = copying.db;
    let there = there(db, branch)?;
    let end = there.keys().next_back().copied().unwrap_or(branch.fork - 1);
    // A tip far beyond the last message is a wrong number, and so is one before it.
    let tip = if branch.tip.saturating_sub(end) > room { end } else { branch.tip.max(end) };
    let mut above = match branch.fork {
        0 => None,
        fork => before(db, branch.parent.as_deref(), fork - 1)?,
    };
    let mut at = there.values().next().map_or_else(|| at_of(db, branch), |first| Ok(first.at))?;
    for place in branch.fork..=tip {
        if let Some(message) = there.get(&place) {
            at = message.at;
            if message.parent != above {
                db.prepare_cached("UPDATE messages SET parent_id = ?2 WHERE id = ?1")?
                    .execute(params![message.id, above])?;
            }
            above = Some(message.id.clone());
            continue;
        }
        let named = there.get(&(place + 1)).and_then(|next| next.parent.clone());
        let id = match named {
            Some(id) if !exists(db, &id)? => id,
            _ => Uuid::now_v7().to_string(),
        };
        let user: bool = db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM turns WHERE user_message_id = ?1)")?
            .query_row([&id], |row| row.get(0))?;
        let parts = [Part::Text { text: String::from(LOST) }];
        db.prepare_cached(
            "INSERT INTO messages (id, conversation_id, branch_id, idx, parent_id, turn_id, role, status, tokens, \
             created_at, parts) VALUES (?1, ?2, ?3, ?4, ?5, \
             (SELECT id FROM turns WHERE user_message_id = ?1 OR reply_id = ?1 LIMIT 1), ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id,
            branch.conversation,
            branch.id,
            place,
            above,
            column::to_name(if user { &Role::User } else { &Role::Assistant })?,
            column::to_name(&MessageStatus::Complete)?,
            column::integer(tokens::estimate_parts(&parts)),
            at,
            column::to_json(&parts)?,
        ])?;
        *lost.entry(branch.conversation.clone()).or_default() += 1;
        above = Some(id);
    }
    if tip != branch.tip {
        db.prepare_cached("UPDATE branches SET tip_index = ?2 WHERE id = ?1")?
            .execute(params![branch.id, tip])?;
    }
    Ok(())
}

fn there(db: &Connection, branch: &Branch) -> Result<BTreeMap<i64, There>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT idx, id, parent_id, created_at FROM messages WHERE branch_id = ?1",
    )?;
    let rows = statement.query_map([&branch.id], |row| {
        Ok((row.get(0)?, There { id: row.get(1)?, parent: row.get(2)?, at: row.get(3)? }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// When a conversation was begun, which is the time of what is lost where nothing else tells.
fn at_of(db: &Connection, branch: &Branch) -> Result<i64, Fault> {
    let found = db
        .prepare_cached("SELECT created_at FROM conversations WHERE id = ?1")?
        .query_row([&branch.conversation], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or_else(|| column::nanoseconds(Timestamp::UNIX_EPOCH)))
}

/// The message at a place of a path that ends with a branch.
fn before(db: &Connection, branch: Option<&str>, place: i64) -> Result<Option<String>, Fault> {
    let (mut next, mut seen) = (branch.map(str::to_owned), HashSet::new());
    while let Some(id) = next {
        if !seen.insert(id.clone()) {
            return Ok(None);
        }
        let found: Option<(Option<String>, i64)> = db
            .prepare_cached("SELECT parent_id, fork_index FROM branches WHERE id = ?1")?
            .query_row([&id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((parent, fork)) = found else { return Ok(None) };
        if place >= fork {
            return Ok(db
                .prepare_cached("SELECT id FROM messages WHERE branch_id = ?1 AND idx = ?2")?
                .query_row(params![id, place], |row| row.get(0))
                .optional()?);
        }
        next = parent;
    }
    Ok(None)
}

fn exists(db: &Connection, message: &str) -> Result<bool, Fault> {
    Ok(db.prepare_cached("SELECT 1 FROM messages WHERE id = ?1")?.exists([message])?)
}

/// Lets each conversation show a branch of its own, and sets aside what is none.
fn shown(copying: &mut Copying<'_>) -> Result<(), Fault> {
    let db = copying.db;
    db.execute(
        "UPDATE conversations SET active_branch = (SELECT id FROM branches b \
         WHERE b.conversation_id = conversations.id ORDER BY touched DESC LIMIT 1) \
         WHERE NOT EXISTS (SELECT 1 FROM branches b WHERE b.id = active_branch AND b.conversation_id = conversations.id) \
         AND EXISTS (SELECT 1 FROM branches b WHERE b.conversation_id = conversations.id)",
        [],
    )?;
    let mut statement = db.prepare("SELECT rowid, id FROM conversations")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    for (rowid, id) in rows {
        let reads = |id: ConversationId| crate::conversations::get(db, id).is_ok();
        if id.parse().is_ok_and(reads) {
            continue;
        }
        // What is chosen for it may be what is wrong.
        db.execute(
            "UPDATE conversations SET tuning = '{}', folding = '{}', wishes = '{}', draft_attachments = '[]', \
             title_source = 'person' WHERE rowid = ?1",
            [rowid],
        )?;
        if !id.parse().is_ok_and(reads) {
            copying.remove("conversations", rowid, SENSELESS)?;
        }
    }
    Ok(())
}

/// Sets aside what names a row that is not there, or lets go of the name where that may be.
fn loose(copying: &mut Copying<'_>, shapes: &[Shape]) -> Result<(), Fault> {
    let db = copying.db;
    for _ in 0..ROUNDS {
        let mut statement = db.prepare(
            "SELECT c.\"table\", c.rowid, c.parent, f.\"from\", f.\"to\", f.on_delete FROM pragma_foreign_key_check AS c \
             JOIN pragma_foreign_key_list(c.\"table\") AS f ON f.id = c.fkid",
        )?;
        let found = statement.query_map([], |row| {
            let (table, rowid): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
            let (parent, from, to): (String, String, String) =
                (row.get(2)?, row.get(3)?, row.get(4)?);
            Ok((table, rowid, parent, (from, to), row.get::<_, String>(5)?))
        })?;
        let found = found.collect::<Result<Vec<_>, _>>()?;
        if found.is_empty() {
            return Ok(());
        }
        for (table, rowid, parent, (from, to), on_delete) in found {
            let Some(shape) = shapes.iter().find(|shape| shape.name == table) else { continue };
            let dangling = format!(
                "\"{from}\" IS NOT NULL AND \"{from}\" NOT IN (SELECT \"{to}\" FROM \"{parent}\")"
            );
            if on_delete == "SET NULL" {
                db.execute(
                    &format!("UPDATE \"{table}\" SET \"{from}\" = NULL WHERE {dangling}"),
                    [],
                )?;
                continue;
            }
            let why = format!("its {from} is not there");
            match rowid {
                Some(rowid) => copying.remove(&table, rowid, &why)?,
                None => keyless(copying, shape, &dangling, &why)?,
            }
        }
    }
    Ok(())
}

/// Sets aside the rows of a table without row ids that meet a condition.
fn keyless(
    copying: &mut Copying<'_>,
    shape: &Shape,
    condition: &str,
    why: &str,
) -> Result<(), Fault> {
    let key: Vec<String> = shape
        .columns
        .iter()
        .filter(|column| column.is_key)
        .map(|column| format!("\"{}\"", column.name))
        .collect();
    let sql = format!("SELECT {} FROM \"{}\" WHERE {condition}", key.join(", "), shape.name);
    let mut statement = copying.db.prepare(&sql)?;
    let width = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..width).map(|place| row.get::<_, Value>(place)).collect::<Result<Vec<_>, _>>()
    })?;
    let rows: Vec<Vec<Value>> = rows.collect::<Result<_, _>>()?;
    for key in rows {
        copying.remove_keyed(shape, &key, why)?;
    }
    Ok(())
}

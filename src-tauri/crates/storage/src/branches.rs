//! The table of branches, and how a path is read from them.
//!
//! A branch owns the messages from its fork to its tip; below the fork its path is that of its parent. A path of any
//! length is therefore a few ranges, one for each fork on the way, and any stretch of it is read without the rest.

use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::ids::{BranchId, ConversationId};

use crate::column;
use crate::fault::{Fault, not_found};

/// A stretch of a path that one branch owns.
pub(crate) struct Stretch {
    /// The branch.
    pub(crate) branch: String,
    /// Its part of the path.
    pub(crate) range: RangeInclusive<u64>,
}

/// Adds a branch without messages; it becomes the one touched last.
pub(crate) fn insert(
    db: &Connection,
    id: BranchId,
    conversation: ConversationId,
    parent: Option<&str>,
    fork_index: u64,
) -> Result<(), Fault> {
    let fork_index = column::integer(fork_index);
    db.prepare_cached(
        "INSERT INTO branches (id, conversation_id, parent_id, fork_index, tip_index, touched) \
         VALUES (?1, ?2, ?3, ?4, ?5, \
         (SELECT coalesce(max(touched), 0) + 1 FROM branches WHERE conversation_id = ?2))",
    )?
    .execute(params![
        column::text(id),
        column::text(conversation),
        parent,
        fork_index,
        fork_index - 1
    ])?;
    Ok(())
}

/// The branch without messages that would go on at `index` of `parent`.
pub(crate) fn waiting(
    db: &Connection,
    conversation: ConversationId,
    parent: Option<&str>,
    index: u64,
) -> Result<Option<String>, Fault> {
    Ok(db
        .prepare_cached(
            "SELECT id FROM branches WHERE conversation_id = ?1 AND parent_id IS ?2 AND fork_index = ?3 \
             AND tip_index < fork_index ORDER BY touched DESC LIMIT 1",
        )?
        .query_row(params![column::text(conversation), parent, column::integer(index)], |row| {
            row.get(0)
        })
        .optional()?)
}

/// Whether a branch has no messages and goes on at `index` of `parent`.
pub(crate) fn waits_at(
    db: &Connection,
    id: &str,
    parent: Option<&str>,
    index: u64,
) -> Result<bool, Fault> {
    Ok(db
        .prepare_cached(
            "SELECT parent_id IS ?2 AND fork_index = ?3 AND tip_index < fork_index \
             FROM branches WHERE id = ?1",
        )?
        .query_row(params![id, parent, column::integer(index)], |row| row.get(0))?)
}

/// Whether a branch ends before `index`.
pub(crate) fn ends_before(db: &Connection, id: &str, index: u64) -> Result<bool, Fault> {
    Ok(db
        .prepare_cached("SELECT tip_index < ?2 FROM branches WHERE id = ?1")?
        .query_row(params![id, column::integer(index)], |row| row.get(0))?)
}

/// Makes a branch the one touched last.
pub(crate) fn touch(db: &Connection, id: &str) -> Result<(), Fault> {
    db.prepare_cached(
        "UPDATE branches SET touched = (SELECT max(o.touched) + 1 FROM branches o \
         WHERE o.conversation_id = branches.conversation_id) WHERE id = ?1",
    )?
    .execute([id])?;
    Ok(())
}

/// Moves a branch's end to `tip_index`, and touches it.
pub(crate) fn grow(db: &Connection, id: &str, tip_index: u64) -> Result<(), Fault> {
    db.prepare_cached("UPDATE branches SET tip_index = ?2 WHERE id = ?1")?
        .execute(params![id, column::integer(tip_index)])?;
    touch(db, id)
}

/// The shown branch of a conversation.
pub(crate) fn active(db: &Connection, conversation: ConversationId) -> Result<String, Fault> {
    db.prepare_cached("SELECT active_branch FROM conversations WHERE id = ?1")?
        .query_row([column::text(conversation)], |row| row.get(0))
        .optional()?
        .ok_or_else(|| not_found("conversation", conversation))
}

/// The stretches of the path that ends at the tip of `branch`, the last one first.
pub(crate) fn stretches(db: &Connection, branch: &str) -> Result<Vec<Stretch>, Fault> {
    let mut statement = db.prepare_cached(
        "WITH RECURSIVE chain (id, parent_id, fork_index, tip_index, depth) AS ( \
         SELECT id, parent_id, fork_index, tip_index, 0 FROM branches WHERE id = ?1 UNION ALL \
         SELECT b.id, b.parent_id, b.fork_index, b.tip_index, c.depth + 1 FROM branches b \
         JOIN chain c ON b.id = c.parent_id) \
         SELECT id, fork_index, tip_index + 1 FROM chain ORDER BY depth",
    )?;
    let mut rows = statement.query([branch])?;
    let mut stretches = Vec::new();
    let mut end = None;
    while let Some(row) = rows.next()? {
        let fork = column::count(row, 1)?;
        // The exclusive end: the tip on the last branch, the fork above it on every other.
        let stop = match end {
            Some(fork_above) => fork_above,
            None => column::count(row, 2)?,
        };
        end = Some(fork);
        if let Some(last) = stop.checked_sub(1)
            && fork <= last
        {
            stretches.push(Stretch { branch: row.get(0)?, range: fork..=last });
        }
    }
    Ok(stretches)
}

/// The branch that was touched last among those whose path leads through place `index` of `branch`.
pub(crate) fn last_through(db: &Connection, branch: &str, index: u64) -> Result<String, Fault> {
    Ok(db
        .prepare_cached(
            "WITH RECURSIVE through (id, touched) AS ( \
             SELECT id, touched FROM branches WHERE id = ?1 UNION ALL \
             SELECT b.id, b.touched FROM branches b JOIN through t ON b.parent_id = t.id \
             WHERE t.id <> ?1 OR b.fork_index > ?2) \
             SELECT id FROM through ORDER BY touched DESC LIMIT 1",
        )?
        .query_row(params![branch, column::integer(index)], |row| row.get(0))?)
}

//! The table of conversations. Lists are made from its rows and one counter of the shown branch each.

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::conversation::{
    Conversation, ConversationFilter, ConversationPatch, TitleSource,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::section::PassageOf;
use siltstone_engine::wish::Wishes;

use crate::column;
use crate::fault::{Fault, not_found};
use crate::{branches, purging};

const SELECT: &str = "SELECT c.id, c.project_id, c.title, c.title_source, c.pinned, c.deleted_at, c.created_at, \
     c.updated_at, c.active_branch, c.provider, c.model, c.tuning, c.folding, c.wishes, c.draft, c.draft_attachments, b.tip_index + 1 \
     FROM conversations c JOIN branches b ON b.id = c.active_branch";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    Ok(Conversation {
        id: column::id(row, 0)?,
        project_id: column::optional_id(row, 1)?,
        title: row.get(2)?,
        title_source: column::name(row, 3)?,
        pinned: row.get(4)?,
        deleted_at: column::optional_time(row, 5)?,
        created_at: column::time(row, 6)?,
        updated_at: column::time(row, 7)?,
        active_branch: column::id(row, 8)?,
        provider: row.get(9)?,
        model: row.get(10)?,
        tuning: column::json(row, 11)?,
        folding: column::json(row, 12)?,
        wishes: column::json(row, 13)?,
        draft: row.get(14)?,
        draft_attachments: column::json(row, 15)?,
        message_count: column::count(row, 16)?,
    })
}

/// Adds a conversation with its first, empty branch.
pub(crate) fn create(db: &Connection, conversation: &Conversation) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO conversations (id, project_id, title, title_source, pinned, deleted_at, created_at, \
         updated_at, active_branch, provider, model, tuning, folding, wishes, draft, draft_attachments) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    )?
    .execute(params![
        column::text(conversation.id),
        column::optional_text(conversation.project_id),
        conversation.title,
        column::to_name(&conversation.title_source)?,
        conversation.pinned,
        conversation.deleted_at.map(column::nanoseconds),
        column::nanoseconds(conversation.created_at),
        column::nanoseconds(conversation.updated_at),
        column::text(conversation.active_branch),
        conversation.provider,
        conversation.model,
        column::to_json(&conversation.tuning)?,
        column::to_json(&conversation.folding)?,
        column::to_json(&conversation.wishes)?,
        conversation.draft,
        column::to_json(&conversation.draft_attachments)?,
    ])?;
    branches::insert(db, conversation.active_branch, conversation.id, None, 0)
}

/// One conversation, also from the trash.
pub(crate) fn get(db: &Connection, id: ConversationId) -> Result<Conversation, Fault> {
    db.prepare_cached(&format!("{SELECT} WHERE c.id = ?1"))?
        .query_row([column::text(id)], from_row)
        .optional()?
        .ok_or_else(|| not_found("conversation", id))
}

/// Pinned ones first, then the latest; those with nothing to see are left out.
pub(crate) fn list(
    db: &Connection,
    filter: &ConversationFilter,
) -> Result<Vec<Conversation>, Fault> {
    let place = match filter.trashed {
        true => format!("NOT NULL AND c.deleted_at <> {}", purging::BEGUN),
        false => String::from("NULL"),
    };
    let sql = format!(
        "{SELECT} WHERE c.deleted_at IS {place} AND (?1 IS NULL OR c.project_id = ?1) \
         AND (b.tip_index >= 0 OR c.draft <> '' OR c.draft_attachments <> '[]' OR c.title <> '') \
         ORDER BY c.pinned DESC, c.updated_at DESC, c.id DESC"
    );
    let project = column::optional_text(filter.project_id);
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map([project], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Changes what the patch names.
pub(crate) fn update(
    db: &Connection,
    id: ConversationId,
    patch: &ConversationPatch,
) -> Result<(), Fault> {
    let key = column::text(id);
    let title = patch.title.as_ref();
    let source = title.map(|(_, source)| column::to_name(source)).transpose()?;
    let model = patch.model.as_ref();
    let changed = db
        .prepare_cached(
            "UPDATE conversations SET title = coalesce(?2, title), title_source = coalesce(?3, title_source), \
             pinned = coalesce(?4, pinned), draft = coalesce(?5, draft), \
             tuning = coalesce(?11, tuning), draft_attachments = coalesce(?12, draft_attachments), \
             folding = coalesce(?13, folding), \
             deleted_at = CASE WHEN ?6 THEN ?7 ELSE deleted_at END, \
             provider = CASE WHEN ?8 THEN ?9 ELSE provider END, \
             model = CASE WHEN ?8 THEN ?10 ELSE model END WHERE id = ?1 AND deleted_at IS NOT ?14",
        )?
        .execute(params![
            key,
            title.map(|(title, _)| title),
            source,
            patch.pinned,
            patch.draft,
            patch.deleted_at.is_some(),
            patch.deleted_at.flatten().map(column::nanoseconds),
            model.is_some(),
            model.and_then(Option::as_ref).map(|(provider, _)| provider),
            model.and_then(Option::as_ref).map(|(_, model)| model),
            patch.tuning.as_ref().map(column::to_json).transpose()?,
            patch.draft_attachments.as_ref().map(column::to_json).transpose()?,
            patch.folding.as_ref().map(column::to_json).transpose()?,
            purging::BEGUN,
        ])?;
    if changed == 0 {
        return Err(not_found("conversation", id));
    }
    Ok(())
}

/// Changes the wishes of a conversation; within one transaction, so that of two changes none is lost.
pub(crate) fn change_wishes(
    db: &Connection,
    id: ConversationId,
    change: &mut dyn FnMut(&mut Wishes),
) -> Result<(), Fault> {
    let before = get(db, id)?.wishes;
    let mut wishes = before.clone();
    change(&mut wishes);
    if wishes != before {
        put_wishes(db, id, &wishes)?;
    }
    Ok(())
}

fn put_wishes(db: &Connection, id: ConversationId, wishes: &Wishes) -> Result<(), Fault> {
    db.prepare_cached("UPDATE conversations SET wishes = ?2 WHERE id = ?1")?
        .execute([column::text(id), column::to_json(wishes)?])?;
    Ok(())
}

/// Forgets what conversations want of passages of what is gone: those of a project, or all.
pub(crate) fn forget_passages(
    db: &Connection,
    project: Option<&str>,
    gone: &dyn Fn(&PassageOf) -> bool,
) -> Result<(), Fault> {
    let found: Vec<(ConversationId, Wishes)> = db
        .prepare_cached(
            "SELECT id, wishes FROM conversations \
             WHERE (?1 IS NULL OR project_id = ?1) AND wishes <> '{}'",
        )?
        .query_map([project], |row| Ok((column::id(row, 0)?, column::json(row, 1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (id, mut wishes) in found {
        if wishes.forget_passages(gone) {
            put_wishes(db, id, &wishes)?;
        }
    }
    Ok(())
}

/// Gives a title to a conversation that has none.
pub(crate) fn derive_title(db: &Connection, id: ConversationId, title: &str) -> Result<(), Fault> {
    db.prepare_cached(
        "UPDATE conversations SET title = ?2, title_source = ?3 WHERE id = ?1 AND title_source = ?4",
    )?
    .execute(params![
        column::text(id),
        title,
        column::to_name(&TitleSource::Derived)?,
        column::to_name(&TitleSource::Unset)?,
    ])?;
    Ok(())
}

/// Something was said at `at`.
pub(crate) fn touch(db: &Connection, id: ConversationId, at: Timestamp) -> Result<(), Fault> {
    db.prepare_cached("UPDATE conversations SET updated_at = max(updated_at, ?2) WHERE id = ?1")?
        .execute(params![column::text(id), column::nanoseconds(at)])?;
    Ok(())
}

/// Shows another branch.
pub(crate) fn show_branch(db: &Connection, id: ConversationId, branch: &str) -> Result<(), Fault> {
    db.prepare_cached("UPDATE conversations SET active_branch = ?2 WHERE id = ?1")?
        .execute([column::text(id).as_str(), branch])?;
    Ok(())
}

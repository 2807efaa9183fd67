//! The table of messages: how one joins the tree, and how a stretch of the shown path is read.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::conversation::{PathMessage, PathPage, Siblings};
use siltstone_engine::ids::{BranchId, ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part};
use siltstone_engine::ports::NewMessage;
use siltstone_engine::tokens::Encoding;

use crate::branches::Stretch;
use crate::column;
use crate::fault::{Fault, conflict, not_found};
use crate::{branches, conversations, partials, search};

const SELECT: &str = "SELECT id, conversation_id, parent_id, turn_id, idx, role, status, model, tokens, created_at, \
     parts, tokens_o200k, tokens_cl100k FROM messages";

/// A row, and for a reply that is being written the text that came so far.
fn from_row(db: &Connection, row: &Row<'_>) -> Result<Message, Fault> {
    let mut message = Message {
        id: column::id(row, 0)?,
        conversation_id: column::id(row, 1)?,
        parent_id: column::optional_id(row, 2)?,
        turn_id: column::optional_id(row, 3)?,
        index: column::count(row, 4)?,
        role: column::name(row, 5)?,
        status: column::name(row, 6)?,
        model: row.get(7)?,
        tokens: column::count(row, 8)?,
        created_at: column::time(row, 9)?,
        parts: column::json(row, 10)?,
    };
    if message.status == MessageStatus::Streaming
        && let Some(turn) = message.turn_id
    {
        partials::join(db, turn, &mut message.parts)?;
    }
    Ok(message)
}

/// One message, without its surroundings.
pub(crate) fn get(db: &Connection, id: MessageId) -> Result<Message, Fault> {
    let mut statement = db.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    let mut rows = statement.query([column::text(id)])?;
    match rows.next()? {
        Some(row) => from_row(db, row),
        None => Err(not_found("message", id)),
    }
}

/// One message with its siblings.
pub(crate) fn path_message(db: &Connection, id: MessageId) -> Result<PathMessage, Fault> {
    with_siblings(db, get(db, id)?)
}

/// A reply and what followed it in its turn, in order.
pub(crate) fn whole_reply(db: &Connection, reply: MessageId) -> Result<Vec<PathMessage>, Fault> {
    let mut all = vec![path_message(db, reply)?];
    let sql =
        "SELECT id FROM messages WHERE parent_id = ?1 AND turn_id = ?2 ORDER BY seq DESC LIMIT 1";
    let mut next = db.prepare_cached(sql)?;
    while let Some(PathMessage { message, .. }) = all.last()
        && let Some(turn) = message.turn_id
    {
        let key = [column::text(message.id), column::text(turn)];
        let Some(id) = next.query_row(key, |row| column::id(row, 0)).optional()? else { break };
        all.push(path_message(db, id)?);
    }
    Ok(all)
}

/// Messages `start..start + limit` of the shown path, or its newest `limit`.
pub(crate) fn page(
    db: &Connection,
    conversation: ConversationId,
    start: Option<u64>,
    limit: u64,
) -> Result<PathPage, Fault> {
    let stretches = branches::stretches(db, &branches::active(db, conversation)?)?;
    let total = stretches.first().map_or(0, |last| last.range.end() + 1);
    let start = start.unwrap_or_else(|| total.saturating_sub(limit)).min(total);
    let end = start.saturating_add(limit).min(total);
    let messages = read(db, stretches, start..end, |row| with_siblings(db, from_row(db, row)?))?;
    Ok(PathPage { messages, start, total })
}

/// Messages with these places of the shown path, each with its exact count in an encoding if that is known.
pub(crate) fn counted(
    db: &Connection,
    conversation: ConversationId,
    places: Range<u64>,
    encoding: Option<Encoding>,
) -> Result<Vec<(Message, Option<u64>)>, Fault> {
    let stretches = branches::stretches(db, &branches::active(db, conversation)?)?;
    read(db, stretches, places, |row| {
        let count = match encoding {
            Some(Encoding::O200k) => column::optional_count(row, 11)?,
            Some(Encoding::Cl100k) => column::optional_count(row, 12)?,
            None => None,
        };
        Ok((from_row(db, row)?, count))
    })
}

/// Keeps the exact counts of messages that are not being written any more.
pub(crate) fn put_counts(
    db: &Connection,
    encoding: Encoding,
    counts: &[(MessageId, u64)],
) -> Result<(), Fault> {
    let column = match encoding {
        Encoding::O200k => "tokens_o200k",
        Encoding::Cl100k => "tokens_cl100k",
    };
    let mut statement = db.prepare_cached(&format!(
        "UPDATE messages SET {column} = ?2 WHERE id = ?1 AND status <> 'streaming'"
    ))?;
    for (id, count) in counts {
        statement.execute(params![column::text(*id), column::integer(*count)])?;
    }
    Ok(())
}

/// Reads these places of a path, of which `stretches` are the newest first.
fn read<T>(
    db: &Connection,
    mut stretches: Vec<Stretch>,
    places: Range<u64>,
    make: impl Fn(&Row<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut read = Vec::new();
    let mut statement = db.prepare_cached(&format!(
        "{SELECT} WHERE branch_id = ?1 AND idx >= ?2 AND idx < ?3 ORDER BY idx"
    ))?;
    stretches.reverse();
    for stretch in stretches {
        let first = places.start.max(*stretch.range.start());
        let stop = places.end.min(stretch.range.end() + 1);
        if first >= stop {
            continue;
        }
        let mut rows = statement.query(params![
            stretch.branch,
            column::integer(first),
            column::integer(stop)
        ])?;
        while let Some(row) = rows.next()? {
            read.push(make(row)?);
        }
    }
    Ok(read)
}

/// The messages at these places of the shown path, without reading them.
pub(crate) fn ids_at(
    db: &Connection,
    conversation: ConversationId,
    places: &[u64],
) -> Result<Vec<Option<MessageId>>, Fault> {
    let stretches = branches::stretches(db, &branches::active(db, conversation)?)?;
    places.iter().map(|place| at(db, &stretches, *place)).collect()
}

/// The message at a place of a path, without reading it; `None` beyond its end.
pub(crate) fn at(
    db: &Connection,
    path: &[Stretch],
    place: u64,
) -> Result<Option<MessageId>, Fault> {
    let Some(stretch) = path.iter().find(|stretch| stretch.range.contains(&place)) else {
        return Ok(None);
    };
    let mut statement =
        db.prepare_cached("SELECT id FROM messages WHERE branch_id = ?1 AND idx = ?2")?;
    let key = params![stretch.branch, column::integer(place)];
    Ok(statement.query_row(key, |row| column::id(row, 0)).optional()?)
}

/// Every message of a conversation, parents before children.
pub(crate) fn all(db: &Connection, conversation: ConversationId) -> Result<Vec<Message>, Fault> {
    // Names the conversation that is missing, where an empty list would not.
    branches::active(db, conversation)?;
    let mut statement =
        db.prepare_cached(&format!("{SELECT} WHERE conversation_id = ?1 ORDER BY idx, id"))?;
    let mut rows = statement.query([column::text(conversation)])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        messages.push(from_row(db, row)?);
    }
    Ok(messages)
}

/// Adds a message to its conversation's tree and shows the path that ends with it.
pub(crate) fn insert(db: &Connection, new: &NewMessage) -> Result<(), Fault> {
    let message = &new.message;
    let conversation = message.conversation_id;
    let (branch, index) = place(db, new)?;
    let written = message.status != MessageStatus::Streaming;
    db.prepare_cached(
        "INSERT INTO messages (id, conversation_id, branch_id, idx, parent_id, turn_id, role, status, model, tokens, \
         created_at, parts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        column::text(message.id),
        column::text(conversation),
        branch,
        column::integer(index),
        column::optional_text(message.parent_id),
        column::optional_text(message.turn_id),
        column::to_name(&message.role)?,
        column::to_name(&message.status)?,
        message.model,
        column::integer(message.tokens),
        column::nanoseconds(message.created_at),
        column::to_json(&message.parts)?,
    ])?;
    if written {
        search::index(db, message.id, &message.parts)?;
    }
    branches::grow(db, &branch, index)?;
    conversations::touch(db, conversation, message.created_at)
}

/// Adds a message that goes on with a turn. It does not bring the turn's path back when another one is shown by then.
pub(crate) fn go_on(db: &Connection, new: &NewMessage) -> Result<(), Fault> {
    let conversation = new.message.conversation_id;
    let shown = branches::active(db, conversation)?;
    let (parent, _) = after(db, conversation, new.message.parent_id)?;
    insert(db, new)?;
    if parent.is_some_and(|parent| parent != shown) {
        conversations::show_branch(db, conversation, &shown)?;
    }
    Ok(())
}

/// The branch and the index at which a message joins the tree; the branch is shown from now on.
fn place(db: &Connection, new: &NewMessage) -> Result<(String, u64), Fault> {
    let conversation = new.message.conversation_id;
    let shown = branches::active(db, conversation)?;
    let (parent_branch, index) = after(db, conversation, new.message.parent_id)?;
    let branch = if branches::waits_at(db, &shown, parent_branch.as_deref(), index)? {
        // The conversation's first branch, or where it was rewound to.
        shown.clone()
    } else if sibling_ids(db, conversation, new.message.parent_id)?.is_empty() {
        // Without a child the parent ends its branch.
        parent_branch.unwrap_or_else(|| shown.clone())
    } else {
        let id = new.branch_if_needed;
        branches::insert(db, id, conversation, parent_branch.as_deref(), index)?;
        column::text(id)
    };
    if branch != shown {
        conversations::show_branch(db, conversation, &branch)?;
    }
    Ok((branch, index))
}

/// The branch of a message, and the place after it; before everything for `None`.
fn after(
    db: &Connection,
    conversation: ConversationId,
    message: Option<MessageId>,
) -> Result<(Option<String>, u64), Fault> {
    let Some(message) = message else { return Ok((None, 0)) };
    let (owner, branch, index) = db
        .prepare_cached("SELECT conversation_id, branch_id, idx FROM messages WHERE id = ?1")?
        .query_row([column::text(message)], |row| {
            Ok((
                column::id::<ConversationId>(row, 0)?,
                row.get::<_, String>(1)?,
                column::count(row, 2)?,
            ))
        })
        .optional()?
        .ok_or_else(|| not_found("message", message))?;
    if owner != conversation {
        return Err(conflict("the message belongs to another conversation"));
    }
    Ok((Some(branch), index + 1))
}

/// Shows the path that ends with a message, or with nothing.
pub(crate) fn rewind(
    db: &Connection,
    conversation: ConversationId,
    to: Option<MessageId>,
    branch_if_needed: BranchId,
) -> Result<(), Fault> {
    branches::active(db, conversation)?;
    let (parent, index) = after(db, conversation, to)?;
    let branch = match parent {
        Some(branch) if branches::ends_before(db, &branch, index)? => branch,
        parent => match branches::waiting(db, conversation, parent.as_deref(), index)? {
            Some(waiting) => waiting,
            None => {
                let id = branch_if_needed;
                branches::insert(db, id, conversation, parent.as_deref(), index)?;
                column::text(id)
            }
        },
    };
    branches::touch(db, &branch)?;
    conversations::show_branch(db, conversation, &branch)
}

/// Gives a reply its final form.
pub(crate) fn finish(
    db: &Connection,
    id: MessageId,
    status: MessageStatus,
    parts: &[Part],
    tokens: u64,
) -> Result<(), Fault> {
    db.prepare_cached("UPDATE messages SET status = ?2, parts = ?3, tokens = ?4 WHERE id = ?1")?
        .execute(params![
            column::text(id),
            column::to_name(&status)?,
            column::to_json(&parts)?,
            column::integer(tokens),
        ])?;
    search::index(db, id, parts)
}

/// Says of a whole reply how its turn ended.
pub(crate) fn set_status(
    db: &Connection,
    id: MessageId,
    status: MessageStatus,
) -> Result<(), Fault> {
    db.prepare_cached("UPDATE messages SET status = ?2 WHERE id = ?1")?
        .execute(params![column::text(id), column::to_name(&status)?])?;
    Ok(())
}

/// Shows the path through a message that was shown last.
pub(crate) fn activate(db: &Connection, id: MessageId) -> Result<(), Fault> {
    let (conversation, branch, index) = db
        .prepare_cached("SELECT conversation_id, branch_id, idx FROM messages WHERE id = ?1")?
        .query_row([column::text(id)], |row| {
            Ok((
                column::id::<ConversationId>(row, 0)?,
                row.get::<_, String>(1)?,
                column::count(row, 2)?,
            ))
        })
        .optional()?
        .ok_or_else(|| not_found("message", id))?;
    let found = branches::last_through(db, &branch, index)?;
    branches::touch(db, &found)?;
    conversations::show_branch(db, conversation, &found)
}

fn with_siblings(db: &Connection, message: Message) -> Result<PathMessage, Fault> {
    let ids = sibling_ids(db, message.conversation_id, message.parent_id)?;
    let place = ids.iter().position(|id| *id == message.id).unwrap_or(0);
    let siblings = Siblings { position: u32::try_from(place).unwrap_or(u32::MAX), ids };
    Ok(PathMessage { message, siblings })
}

/// The children of a parent, or the first messages of a conversation, oldest first.
fn sibling_ids(
    db: &Connection,
    conversation: ConversationId,
    parent: Option<MessageId>,
) -> Result<Vec<MessageId>, Fault> {
    let (sql, key) = match parent {
        Some(parent) => {
            ("SELECT id FROM messages WHERE parent_id = ?1 ORDER BY seq", column::text(parent))
        }
        None => (
            "SELECT id FROM messages WHERE conversation_id = ?1 AND parent_id IS NULL ORDER BY seq",
            column::text(conversation),
        ),
    };
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([key], |row| column::id(row, 0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use siltstone_engine::Timestamp;
    use siltstone_engine::conversation::{Conversation, ConversationFilter};
    use siltstone_engine::ids::{BranchId, ProjectId, TurnId};
    use siltstone_engine::message::Role;
    use siltstone_engine::ports::Transcripts;

    use super::*;
    use crate::Store;

    fn history(store: &Store, length: u64) -> ConversationId {
        told(store, None, length, |_| "a few words")
    }

    /// A conversation of so many messages, each of which says what its place says.
    pub(crate) fn told(
        store: &Store,
        project: Option<ProjectId>,
        length: u64,
        says: impl Fn(u64) -> &'static str,
    ) -> ConversationId {
        let now = Timestamp::UNIX_EPOCH;
        let conversation = Conversation::empty(project, now);
        store.create_conversation(&conversation).unwrap();
        let mut parent_id = None;
        let all: Vec<NewMessage> = (0..length)
            .map(|place| {
                let message = Message {
                    id: MessageId::new(now),
                    conversation_id: conversation.id,
                    parent_id,
                    turn_id: None,
                    index: 0,
                    role: Role::User,
                    parts: vec![Part::Text { text: says(place).into() }],
                    status: MessageStatus::Complete,
                    model: None,
                    tokens: 3,
                    created_at: now,
                };
                parent_id = Some(message.id);
                NewMessage { message, branch_if_needed: BranchId::new(now) }
            })
            .collect();
        store.append_messages(&all).unwrap();
        conversation.id
    }

    /// The steps of SQLite's machine that `work` takes: the same at every run, whatever else the computer does.
    pub(crate) fn steps(store: &Store, work: impl FnOnce(&Connection) -> Result<(), Fault>) -> u64 {
        let count = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&count);
        store
            .database
            .write(|db| {
                let one_more = move || {
                    counter.fetch_add(1, Ordering::Relaxed);
                    false
                };
                db.progress_handler(1, Some(one_more))?;
                let result = work(db);
                db.progress_handler(0, None::<fn() -> bool>)?;
                result
            })
            .unwrap();
        count.load(Ordering::Relaxed)
    }

    #[test]
    fn a_page_and_an_append_cost_the_same_however_long_the_history_is() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        let [short, long] = [200, 20_000].map(|length| history(&store, length));
        let newest = |id| steps(&store, |db| page(db, id, None, 50).map(|_| ()));
        // A step or two differ, as the first use of a statement does from the next.
        let same = |short: u64, long: u64| assert!(long <= short + 5, "{short}, then {long}");
        assert!(newest(short) > 50, "the steps are counted");
        same(newest(short), newest(long));
        let composing = |id, end: u64| {
            let places = end - 50..end;
            steps(&store, |db| counted(db, id, places, Some(Encoding::O200k)).map(|_| ()))
        };
        same(composing(short, 200), composing(long, 20_000));
        assert!(composing(long, 20_000) < newest(long), "siblings are not looked for");
        let middle = |id| steps(&store, |db| page(db, id, Some(100), 50).map(|_| ()));
        same(middle(short), middle(long));
        let append = |id| {
            let mut last = store.page(id, None, 1).unwrap().messages.remove(0).message;
            last.parent_id = Some(last.id);
            last.id = MessageId::new(Timestamp::UNIX_EPOCH);
            let new = NewMessage {
                message: last,
                branch_if_needed: BranchId::new(Timestamp::UNIX_EPOCH),
            };
            steps(&store, |db| place(db, &new).map(|_| ()))
        };
        same(append(short), append(long));
        // The list of conversations looks at none of their messages.
        let list = || {
            let all = ConversationFilter::default();
            steps(&store, |db| conversations::list(db, &all).map(|_| ()))
        };
        let before = list();
        let mut parent_id = store.page(short, None, 1).unwrap().messages[0].message.id;
        let more: Vec<NewMessage> = (0..2_000)
            .map(|_| {
                let mut message = store.page(long, None, 1).unwrap().messages.remove(0).message;
                message.conversation_id = short;
                message.parent_id = Some(parent_id);
                message.id = MessageId::new(Timestamp::UNIX_EPOCH);
                parent_id = message.id;
                let branch_if_needed = BranchId::new(Timestamp::UNIX_EPOCH);
                NewMessage { message, branch_if_needed }
            })
            .collect();
        store.append_messages(&more).unwrap();
        same(before, list());
    }

    #[test]
    fn a_piece_of_a_reply_costs_the_same_however_long_the_reply_is() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        let id = history(&store, 2);
        let path = store.page(id, None, 2).unwrap();
        let turn = TurnId::new(Timestamp::UNIX_EPOCH);
        let key = column::text(turn);
        store
            .database
            .write(|db| {
                let sql = "INSERT INTO turns (id, conversation_id, user_message_id, reply_id, status, \
                     provider, model, opened_at, owner) VALUES (?1, ?2, ?3, ?4, 'open', 'p', 'm', 0, 'o')";
                let [asked, reply] = [0, 1].map(|at| column::text(path.messages[at].message.id));
                Ok(db.execute(sql, [key.clone(), column::text(id), asked, reply]).map(|_| ())?)
            })
            .unwrap();
        let append = || steps(&store, |db| partials::append(db, turn, "a few words"));
        let first = append();
        (0..500).for_each(|_| _ = append());
        let last = append();
        assert!(first > 5, "the steps are counted");
        assert!(last <= first + 5, "{first}, then {last}");
    }
}

//! The table of turns: opened with question and reply in one commit, closed once, by whoever is left to do it.

use std::collections::HashSet;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MessageId, TurnId};
use siltstone_engine::message::{MessageStatus, Part, Role, text_of};
use siltstone_engine::ports::{NewMessage, TurnClosing, TurnOpening};
use siltstone_engine::section::Manifest;
use siltstone_engine::session::Words;
use siltstone_engine::tokens;
use siltstone_engine::turn::{Spent, Turn, TurnStatus};

use crate::column;
use crate::fault::{Fault, conflict, not_found};
use crate::owner::Owner;
use crate::tools::nodes;
use crate::{conversations, messages, partials, queue};

const SELECT: &str = "SELECT id, conversation_id, user_message_id, reply_id, status, provider, model, usage, cost, fault, \
     opened_at, closed_at, owner FROM turns";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: column::id(row, 0)?,
        conversation_id: column::id(row, 1)?,
        user_message_id: column::id(row, 2)?,
        reply_id: column::id(row, 3)?,
        status: column::name(row, 4)?,
        provider: row.get(5)?,
        model: row.get(6)?,
        usage: column::optional_json(row, 7)?,
        cost: column::optional_count(row, 8)?,
        fault: column::optional_json(row, 9)?,
        opened_at: column::time(row, 10)?,
        closed_at: column::optional_time(row, 11)?,
    })
}

/// Whether a turn reads as one.
pub(crate) fn is_readable(db: &Connection, rowid: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE rowid = ?1"), rowid, from_row)
}

fn with_owner(row: &Row<'_>) -> rusqlite::Result<(Turn, String)> {
    Ok((from_row(row)?, row.get(12)?))
}

/// Makes question, empty reply and turn durable together. A message that waited under the question's id waits no more.
pub(crate) fn open(db: &Connection, owner: &Owner, opening: &TurnOpening) -> Result<(), Fault> {
    let turn = &opening.turn;
    if let Some((left, by)) = open_of(db, turn.conversation_id)? {
        if owner.is_alive(&by) {
            return Err(conflict("a reply is being written in this conversation"));
        }
        interrupt(db, &left, turn.opened_at)?;
    }
    if let Some(question) = &opening.question {
        messages::insert(db, question)?;
        queue::remove(db, question.message.id)?;
    }
    messages::insert(db, &opening.reply)?;
    insert(db, owner, turn)?;
    match &opening.title {
        Some(title) => conversations::derive_title(db, turn.conversation_id, title),
        None => Ok(()),
    }
}

/// Adds the row of a turn.
pub(crate) fn insert(db: &Connection, owner: &Owner, turn: &Turn) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO turns (id, conversation_id, user_message_id, reply_id, status, provider, model, usage, cost, \
         fault, opened_at, closed_at, owner) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?
    .execute(params![
        column::text(turn.id),
        column::text(turn.conversation_id),
        column::text(turn.user_message_id),
        column::text(turn.reply_id),
        column::to_name(&turn.status)?,
        turn.provider,
        turn.model,
        turn.usage.as_ref().map(column::to_json).transpose()?,
        turn.cost.map(column::integer),
        turn.fault.as_ref().map(column::to_json).transpose()?,
        column::nanoseconds(turn.opened_at),
        turn.closed_at.map(column::nanoseconds),
        owner.id(),
    ])?;
    Ok(())
}

/// Appends streamed text to an open reply; what came after it was whole would be taken for the next one's.
pub(crate) fn append_partial(db: &Connection, id: TurnId, text: &str) -> Result<(), Fault> {
    let (turn, reply): (TurnStatus, MessageStatus) = db
        .prepare_cached(
            "SELECT t.status, m.status FROM turns t JOIN messages m ON m.id = t.reply_id \
             WHERE t.id = ?1",
        )?
        .query_row([column::text(id)], |row| Ok((column::name(row, 0)?, column::name(row, 1)?)))
        .optional()?
        .ok_or_else(|| not_found("turn", id))?;
    if turn != TurnStatus::Open {
        return Err(conflict("the turn has ended"));
    }
    if reply != MessageStatus::Streaming {
        return Err(conflict("the reply is whole already"));
    }
    partials::append(db, id, text)
}

/// Makes the parts of an open turn's reply durable, which calls tools. They do not change any more.
pub(crate) fn finish_step(
    db: &Connection,
    id: TurnId,
    parts: &[Part],
    tokens: u64,
) -> Result<(), Fault> {
    let turn = opened(db, id)?;
    if messages::get(db, turn.reply_id)?.status != MessageStatus::Streaming {
        return Err(conflict("the reply is whole already"));
    }
    messages::finish(db, turn.reply_id, MessageStatus::Complete, parts, tokens)?;
    partials::remove(db, id)
}

/// Adds the result of a call to an open turn. The call is durable by then, and has none.
pub(crate) fn append_result(db: &Connection, id: TurnId, result: &NewMessage) -> Result<(), Fault> {
    let turn = opened(db, id)?;
    let message = &result.message;
    let mut open = unanswered(db, &turn, message.parent_id)?;
    let answered: Vec<&str> = answered_by(&message.parts).collect();
    if message.role != Role::Tool || message.turn_id != Some(id) || answered.is_empty() {
        return Err(conflict("only results of its calls go on with a reply"));
    }
    for call in answered {
        let place = open.iter().position(|id| id == call);
        open.remove(place.ok_or_else(|| conflict("no call waits for this result"))?);
    }
    messages::go_on(db, result)
}

/// Another empty reply becomes the open turn's, once every call has its result.
pub(crate) fn begin_step(db: &Connection, id: TurnId, reply: &NewMessage) -> Result<(), Fault> {
    let turn = opened(db, id)?;
    let message = &reply.message;
    if message.role != Role::Assistant || message.turn_id != Some(id) {
        return Err(conflict("only a reply of the same turn goes on with it"));
    }
    if !unanswered(db, &turn, message.parent_id)?.is_empty() {
        return Err(conflict("a call has no result yet"));
    }
    messages::go_on(db, reply)?;
    db.prepare_cached("UPDATE turns SET reply_id = ?2 WHERE id = ?1")?
        .execute([column::text(id), column::text(message.id)])?;
    Ok(())
}

/// The calls of a turn's whole reply that no message from there to `last` answers.
fn unanswered(db: &Connection, turn: &Turn, last: Option<MessageId>) -> Result<Vec<String>, Fault> {
    let mut answered: Vec<String> = Vec::new();
    let mut next = last;
    let reply = loop {
        let id = next.ok_or_else(|| conflict("the message does not follow its reply"))?;
        let message = messages::get(db, id)?;
        if message.id == turn.reply_id {
            break message;
        }
        if message.role != Role::Tool || message.turn_id != Some(turn.id) {
            return Err(conflict("the message does not follow its reply"));
        }
        answered.extend(answered_by(&message.parts).map(str::to_owned));
        next = message.parent_id;
    };
    if reply.status == MessageStatus::Streaming {
        return Err(conflict("the reply is not whole yet"));
    }
    // Some servers give two calls of a reply the same id: each of them is answered once.
    let waits = |part: &Part| match part {
        Part::ToolCall { id, .. } => match answered.iter().position(|call| call == id) {
            Some(place) => {
                answered.swap_remove(place);
                None
            }
            None => Some(id.clone()),
        },
        _ => None,
    };
    Ok(reply.parts.iter().filter_map(waits).collect())
}

fn answered_by(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        Part::ToolResult { call_id, .. } => Some(call_id.as_str()),
        _ => None,
    })
}

fn opened(db: &Connection, id: TurnId) -> Result<Turn, Fault> {
    let turn = get(db, id)?;
    if turn.status != TurnStatus::Open {
        return Err(conflict("the turn has ended"));
    }
    Ok(turn)
}

/// Ends a turn that is open.
pub(crate) fn close(db: &Connection, closing: &TurnClosing) -> Result<(), Fault> {
    let turn = get(db, closing.turn_id)?;
    if turn.status != TurnStatus::Open {
        return Err(conflict("the turn has ended"));
    }
    db.prepare_cached(
        "UPDATE turns SET status = ?2, usage = ?3, cost = ?4, fault = ?5, closed_at = ?6 \
         WHERE id = ?1",
    )?
    .execute(params![
        column::text(turn.id),
        column::to_name(&closing.status)?,
        closing.usage.as_ref().map(column::to_json).transpose()?,
        closing.cost.map(column::integer),
        closing.fault.as_ref().map(column::to_json).transpose()?,
        column::nanoseconds(closing.closed_at),
    ])?;
    let TurnClosing { reply_status, parts, tokens, .. } = closing;
    if messages::get(db, turn.reply_id)?.status == MessageStatus::Streaming {
        messages::finish(db, turn.reply_id, *reply_status, parts, *tokens)?;
    } else {
        // Its calls are durable; the turn ended while they were carried out.
        messages::set_status(db, turn.reply_id, *reply_status)?;
    }
    partials::remove(db, turn.id)?;
    nodes::stop(db, turn.id, closing.closed_at)?;
    conversations::touch(db, turn.conversation_id, closing.closed_at)
}

/// Ends a turn whose process is gone, with the text that was durable, and with what its models had counted. The reply
/// stays even if nothing of it came.
fn interrupt(db: &Connection, turn: &Turn, now: Timestamp) -> Result<(), Fault> {
    // Reading a reply that is being written joins what came so far.
    let parts = messages::get(db, turn.reply_id)?.parts;
    let tokens = tokens::estimate(&text_of(&parts));
    let usage = match turn.usage {
        Some(usage) => Some(usage),
        None => nodes::usage_of(db, turn.id)?,
    };
    close(
        db,
        &TurnClosing {
            turn_id: turn.id,
            status: TurnStatus::Interrupted,
            reply_status: MessageStatus::Interrupted,
            parts,
            tokens,
            usage,
            cost: turn.cost,
            fault: None,
            closed_at: now,
        },
    )
}

/// Ends the turns of processes that are gone.
pub(crate) fn recover(
    db: &Connection,
    owner: &Owner,
    now: Timestamp,
) -> Result<Vec<TurnId>, Fault> {
    let open: Vec<(Turn, String)> = db
        .prepare_cached(&format!("{SELECT} WHERE status = 'open' ORDER BY id"))?
        .query_map([], with_owner)?
        .collect::<rusqlite::Result<_>>()?;
    let mut gone = HashSet::new();
    let mut alive = HashSet::new();
    let mut recovered = Vec::new();
    for (turn, by) in open {
        if alive.contains(&by) {
            continue;
        }
        if !gone.contains(&by) && owner.is_alive(&by) {
            alive.insert(by);
            continue;
        }
        gone.insert(by);
        interrupt(db, &turn, now)?;
        recovered.push(turn.id);
    }
    Ok(recovered)
}

/// Stores what a turn's request was made of.
pub(crate) fn set_manifest(db: &Connection, id: TurnId, manifest: &Manifest) -> Result<(), Fault> {
    let changed = db
        .prepare_cached("UPDATE turns SET manifest = ?2 WHERE id = ?1")?
        .execute([column::text(id), column::to_json(manifest)?])?;
    if changed == 0 {
        return Err(not_found("turn", id));
    }
    Ok(())
}

/// What was sent for a turn.
pub(crate) fn manifest(db: &Connection, id: TurnId) -> Result<Option<Manifest>, Fault> {
    db.prepare_cached("SELECT manifest FROM turns WHERE id = ?1")?
        .query_row([column::text(id)], |row| column::optional_json(row, 0))
        .optional()?
        .ok_or_else(|| not_found("turn", id))
}

/// Takes the words of a conversation that goes out of what was sent for a turn; whether there were any.
pub(crate) fn forget_in_manifest(
    db: &Connection,
    turn: &str,
    words: &Words,
) -> Result<bool, Fault> {
    let stored: Option<Manifest> = db
        .prepare_cached("SELECT manifest FROM turns WHERE id = ?1")?
        .query_row([turn], |row| column::optional_json(row, 0))
        .optional()?
        .flatten();
    let Some(mut manifest) = stored else { return Ok(false) };
    let any = manifest.forget(words);
    if any {
        db.prepare_cached("UPDATE turns SET manifest = ?2 WHERE id = ?1")?
            .execute([turn, column::to_json(&manifest)?.as_str()])?;
    }
    Ok(any)
}

/// One turn.
pub(crate) fn get(db: &Connection, id: TurnId) -> Result<Turn, Fault> {
    db.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
        .query_row([column::text(id)], from_row)
        .optional()?
        .ok_or_else(|| not_found("turn", id))
}

/// The turns behind these replies, in the order of the replies, each once.
pub(crate) fn of_replies(db: &Connection, replies: &[MessageId]) -> Result<Vec<Turn>, Fault> {
    let mut statement = db.prepare_cached(&format!(
        "{SELECT} WHERE id = (SELECT turn_id FROM messages WHERE id = ?1 AND role = 'assistant')"
    ))?;
    let mut turns: Vec<Turn> = Vec::new();
    for reply in replies {
        let found = statement.query_row([column::text(reply)], from_row).optional()?;
        turns.extend(found.filter(|found| turns.iter().all(|turn| turn.id != found.id)));
    }
    Ok(turns)
}

/// What a conversation took so far.
pub(crate) fn spent_in(db: &Connection, id: ConversationId) -> Result<Spent, Fault> {
    Ok(db
        .prepare_cached(
            "SELECT coalesce(sum(cost), 0), coalesce(sum(usage ->> 'input_tokens'), 0), \
             coalesce(sum(usage ->> 'output_tokens'), 0), \
             count(*) FILTER (WHERE usage IS NOT NULL AND cost IS NULL) \
             FROM (SELECT usage, cost FROM turns WHERE conversation_id = ?1 UNION ALL \
             SELECT usage, cost FROM summaries WHERE conversation_id = ?1 AND provider IS NOT NULL)",
        )?
        .query_row([column::text(id)], |row| {
            Ok(Spent {
                cost: column::count(row, 0)?,
                input_tokens: column::count(row, 1)?,
                output_tokens: column::count(row, 2)?,
                unpriced_turns: column::count(row, 3)?,
            })
        })?)
}

/// Asks whoever carries an open turn out to stop it.
pub(crate) fn ask_to_stop(db: &Connection, id: TurnId) -> Result<(), Fault> {
    let ask = "UPDATE turns SET stop_asked = 1 WHERE id = ?1 AND status = 'open'";
    db.prepare_cached(ask)?.execute([column::text(id)])?;
    Ok(())
}

/// Whether somebody asked for that.
pub(crate) fn is_asked_to_stop(db: &Connection, id: TurnId) -> Result<bool, Fault> {
    let asked = "SELECT 1 FROM turns WHERE id = ?1 AND stop_asked = 1";
    Ok(db.prepare_cached(asked)?.exists([column::text(id)])?)
}

/// The open turn of a conversation with the process that has it.
pub(crate) fn open_of(
    db: &Connection,
    id: ConversationId,
) -> Result<Option<(Turn, String)>, Fault> {
    Ok(db
        .prepare_cached(&format!("{SELECT} WHERE conversation_id = ?1 AND status = 'open'"))?
        .query_row([column::text(id)], with_owner)
        .optional()?)
}

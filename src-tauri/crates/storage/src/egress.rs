//! The table of what left this computer: every request, and the newest bodies.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::egress::{Departure, EgressItem, EgressLog, SentRequest};
use siltstone_engine::ids::{ConversationId, TurnId};
use siltstone_engine::ports::StoreError;

use crate::fault::{Fault, not_found};
use crate::{Store, column};

/// Bytes that all kept bodies may have together, compressed.
const BODIES: i64 = 64 * 1024 * 1024;

/// Requests that are remembered.
const ROWS: i64 = 100_000;

/// Fast; a conversation that is sent again and again shrinks to about a third.
const LEVEL: i32 = 3;

impl EgressLog for Store {
    fn leaving(&self, request: &Departure<'_>) -> Result<u64, StoreError> {
        // Before the transaction: a large body takes a while, and other writers need not wait for it.
        let body = match request.body {
            [] => None,
            _ if !request.keep => None,
            body => Some(zstd::bulk::compress(body, LEVEL).map_err(unreadable)?),
        };
        self.database.write(|db| {
            let seq = insert(db, request, body.as_deref())?;
            make_room(db, seq, BODIES, ROWS)?;
            Ok(seq.unsigned_abs())
        })
    }

    fn answered(&self, seq: u64, answer: &str) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached("UPDATE egress SET answer = ?2 WHERE seq = ?1")?
                .execute(params![column::integer(seq), answer])?;
            Ok(())
        })
    }

    fn departures(
        &self,
        before: Option<u64>,
        limit: u32,
        away_only: bool,
    ) -> Result<Vec<EgressItem>, StoreError> {
        self.database.read(|db| list(db, before, limit, away_only))
    }

    fn sent(&self, seq: u64) -> Result<SentRequest, StoreError> {
        let (size, body, mut sent) = self.database.read(|db| get(db, seq))?;
        if let Some(body) = body {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            sent.body = zstd::bulk::decompress(&body, size).map_err(unreadable)?;
        } else if size > 0 {
            return Err(StoreError::NotFound { what: "body of request", id: seq.to_string() });
        }
        Ok(sent)
    }

    fn last_of(
        &self,
        turn: TurnId,
        from: Option<Timestamp>,
        before: Option<Timestamp>,
    ) -> Result<Option<u64>, StoreError> {
        let [from, before] = [from, before].map(|at| at.map(column::nanoseconds));
        self.database.read(|db| {
            Ok(db
                .prepare_cached(
                    "SELECT max(seq) FROM egress WHERE turn_id = ?1 AND body IS NOT NULL \
                     AND (?2 IS NULL OR at >= ?2) AND (?3 IS NULL OR at < ?3)",
                )?
                .query_row(params![column::text(turn), from, before], |row| {
                    column::optional_count(row, 0)
                })?)
        })
    }

    fn receivers(&self, conversation: ConversationId) -> Result<Vec<String>, StoreError> {
        self.database.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT DISTINCT e.provider FROM egress e JOIN turns t ON t.id = e.turn_id \
                 WHERE t.conversation_id = ?1 AND e.home = 0 ORDER BY 1",
            )?;
            let rows = statement.query_map([column::text(conversation)], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.execute("DELETE FROM egress", [])?;
            Ok(())
        })?;
        // The WAL still holds the pages as they were.
        self.database.empty_wal()
    }
}

fn unreadable(error: std::io::Error) -> StoreError {
    StoreError::Io { detail: error.to_string() }
}

fn insert(db: &Connection, request: &Departure<'_>, body: Option<&[u8]>) -> Result<i64, Fault> {
    db.prepare_cached(
        "INSERT INTO egress (at, turn_id, provider, method, url, home, headers, size, hash, body) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        column::nanoseconds(request.at),
        column::optional_text(request.turn_id),
        request.provider,
        request.method,
        request.url,
        request.home,
        column::to_json(&request.headers)?,
        column::integer(request.body.len() as u64),
        request.hash(),
        body,
    ])?;
    Ok(db.last_insert_rowid())
}

/// Drops the oldest bodies when all together are larger than `bodies`, and records older than the newest `rows`.
fn make_room(db: &Connection, newest: i64, bodies: i64, rows: i64) -> Result<(), Fault> {
    db.prepare_cached(
        "UPDATE egress SET body = NULL WHERE body IS NOT NULL AND seq <= (SELECT seq FROM \
         (SELECT seq, sum(length(body)) OVER (ORDER BY seq DESC) AS total FROM egress WHERE body IS NOT NULL) \
         WHERE total > ?1 ORDER BY seq DESC LIMIT 1)",
    )?
    .execute([bodies])?;
    db.prepare_cached("DELETE FROM egress WHERE seq <= ?1")?.execute([newest - rows])?;
    Ok(())
}

/// Drops the bodies that were sent for a conversation. That something left is not forgotten.
pub(crate) fn drop_bodies_of(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    db.execute(
        "UPDATE egress SET body = NULL WHERE turn_id IN (SELECT id FROM turns WHERE conversation_id = ?1)",
        [column::text(id)],
    )?;
    Ok(())
}

/// Drops the bodies that left for no turn since then: summaries, titles, vectors. Nothing says what they are of.
pub(crate) fn drop_bodies_beside_turns(db: &Connection, since: Timestamp) -> Result<(), Fault> {
    db.execute(
        "UPDATE egress SET body = NULL WHERE turn_id IS NULL AND body IS NOT NULL AND at >= ?1",
        [column::nanoseconds(since)],
    )?;
    Ok(())
}

/// Drops the bodies that left for a turn.
pub(crate) fn drop_bodies_of_turn(db: &Connection, turn: &str) -> Result<(), Fault> {
    db.prepare_cached("UPDATE egress SET body = NULL WHERE turn_id = ?1 AND body IS NOT NULL")?
        .execute([turn])?;
    Ok(())
}

const SELECT: &str = "SELECT e.seq, e.at, e.turn_id, t.conversation_id, e.provider, e.method, e.url, e.home, e.size, \
     e.hash, e.answer, e.body IS NOT NULL, e.headers FROM egress e LEFT JOIN turns t ON t.id = e.turn_id";

/// Whether a request reads as one.
pub(crate) fn is_readable(db: &Connection, seq: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE e.seq = ?1"), seq, |row| {
        column::json::<Vec<(String, String)>>(row, 12)?;
        from_row(row)
    })
}

fn list(
    db: &Connection,
    before: Option<u64>,
    limit: u32,
    away_only: bool,
) -> Result<Vec<EgressItem>, Fault> {
    let away = if away_only { "AND e.home = 0" } else { "" };
    let sql = format!("{SELECT} WHERE e.seq < ?1 {away} ORDER BY e.seq DESC LIMIT ?2");
    let mut statement = db.prepare_cached(&sql)?;
    let before = before.map_or(i64::MAX, column::integer);
    let rows = statement.query_map(params![before, limit], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<EgressItem> {
    Ok(EgressItem {
        seq: column::count(row, 0)?,
        at: column::time(row, 1)?,
        turn_id: column::optional_id(row, 2)?,
        conversation_id: column::optional_id(row, 3)?,
        provider: row.get(4)?,
        method: row.get(5)?,
        url: row.get(6)?,
        home: row.get(7)?,
        size: column::count(row, 8)?,
        hash: row.get(9)?,
        answer: row.get(10)?,
        body_kept: row.get(11)?,
    })
}

type Compressed = Option<Vec<u8>>;

/// The size of the body, the body if it is kept, and the rest.
fn get(db: &Connection, seq: u64) -> Result<(u64, Compressed, SentRequest), Fault> {
    db.prepare_cached("SELECT method, url, headers, hash, size, body FROM egress WHERE seq = ?1")?
        .query_row([column::integer(seq)], |row| {
            let sent = SentRequest {
                method: row.get(0)?,
                url: row.get(1)?,
                headers: column::json(row, 2)?,
                body: Vec::new(),
                hash: row.get(3)?,
            };
            Ok((column::count(row, 4)?, row.get(5)?, sent))
        })
        .optional()?
        .ok_or_else(|| not_found("request", seq))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::MIGRATIONS;

    #[test]
    fn the_oldest_bodies_make_room_for_newer_ones_and_the_oldest_rows_too() {
        let mut db = Connection::open_in_memory().unwrap();
        rusqlite_migration::Migrations::from_slice(MIGRATIONS).to_latest(&mut db).unwrap();
        let left = |body: &str| {
            let request = Departure {
                at: Timestamp::UNIX_EPOCH,
                turn_id: None,
                provider: "",
                method: "",
                url: "",
                home: true,
                headers: &[],
                body: body.as_bytes(),
                keep: true,
            };
            let body = Some(body.as_bytes()).filter(|body| !body.is_empty());
            let seq = insert(&db, &request, body).unwrap();
            make_room(&db, seq, 10, 4).unwrap();
            let all = list(&db, None, 100, false).unwrap();
            all.iter().map(|item| (item.size, item.body_kept)).collect::<Vec<_>>()
        };
        assert_eq!(left("xxxx"), [(4, true)]);
        assert_eq!(left("xxxxxx"), [(6, true), (4, true)]);
        assert_eq!(left(""), [(0, false), (6, true), (4, true)]);
        assert_eq!(left("x"), [(1, true), (0, false), (6, true), (4, false)]);
        assert_eq!(left("xxxx"), [(4, true), (1, true), (0, false), (6, false)]);
        assert_eq!(left("xxxxxxxxxxx"), [(11, false), (4, false), (1, false), (0, false)]);
    }
}

//! The tables of summaries and of calibrations. The database itself holds that one summary of a conversation is made at
//! a time; what a dead process left in progress has failed for the next one that looks.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, SummaryId};
use siltstone_engine::ports::{Standing, StoreError, Summaries};
use siltstone_engine::summary::{Coverage, Policy, Record, abandoned};
use siltstone_engine::tokens::Calibration;

use crate::fault::{Fault, conflict, not_found};
use crate::finder::notes;
use crate::owner::Owner;
use crate::{Store, column};

pub(crate) const SELECT: &str = "SELECT id, conversation_id, policy, level, version, status, start, count, last, \
     covered_token_count, turns, original_chars, summary_chars, compression_rate, summary, model, usage, cost, edited, \
     fault, unfolded_at, created_at, finished_at, owner, receipt FROM summaries";

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Record> {
    let rate: f64 = row.get(13)?;
    Ok(Record {
        id: column::id(row, 0)?,
        conversation_id: column::id(row, 1)?,
        policy: column::name(row, 2)?,
        level: row.get(3)?,
        version: row.get(4)?,
        status: column::name(row, 5)?,
        coverage: coverage(row)?,
        covered_token_count: column::count(row, 9)?,
        turns: column::optional_json(row, 10)?,
        original_chars: column::count(row, 11)?,
        summary_chars: column::count(row, 12)?,
        compression_rate: rate.into(),
        summary: row.get(14)?,
        model: row.get(15)?,
        usage: column::optional_json(row, 16)?,
        cost: column::optional_count(row, 17)?,
        edited: row.get(18)?,
        fault: column::optional_json(row, 19)?,
        unfolded_at: column::optional_time(row, 20)?,
        receipt: column::json(row, 24)?,
        created_at: column::time(row, 21)?,
        finished_at: column::optional_time(row, 22)?,
    })
}

/// Whether a summary reads as one.
pub(crate) fn is_readable(db: &Connection, rowid: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE rowid = ?1"), rowid, from_row)
}

fn insert(
    db: &Connection,
    owner: &Owner,
    record: &Record,
    provider: Option<&str>,
    aside: bool,
) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO summaries (id, conversation_id, policy, level, version, status, start, count, last, \
         covered_token_count, turns, original_chars, summary_chars, compression_rate, summary, model, usage, cost, \
         edited, fault, unfolded_at, created_at, finished_at, owner, provider, aside, receipt) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
         ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)",
    )?
    .execute(params![
        column::text(record.id),
        column::text(record.conversation_id),
        column::to_name(&record.policy)?,
        record.level,
        record.version,
        column::to_name(&record.status)?,
        column::integer(record.coverage.start),
        column::integer(record.coverage.count),
        column::text(record.coverage.last),
        column::integer(record.covered_token_count),
        record.turns.as_ref().map(column::to_json).transpose()?,
        column::integer(record.original_chars),
        column::integer(record.summary_chars),
        f64::from(record.compression_rate),
        record.summary,
        record.model,
        record.usage.as_ref().map(column::to_json).transpose()?,
        record.cost.map(column::integer),
        record.edited,
        record.fault.as_ref().map(column::to_json).transpose()?,
        record.unfolded_at.map(column::nanoseconds),
        column::nanoseconds(record.created_at),
        record.finished_at.map(column::nanoseconds),
        owner.id(),
        provider,
        aside,
        column::to_json(&record.receipt)?,
    ])?;
    notes::put_summary(db, record.id)
}

/// Changes all that may change of a summary in one of these states; `false` if there is none.
fn update(db: &Connection, record: &Record, in_progress: bool) -> Result<bool, Fault> {
    let changed = db
        .prepare_cached(
            "UPDATE summaries SET status = ?2, summary = ?3, summary_chars = ?4, model = ?5, usage = ?6, cost = ?7, \
             fault = ?8, unfolded_at = ?9, finished_at = ?10, receipt = ?11 \
             WHERE id = ?1 AND (status = 'IN_PROGRESS') = ?12",
        )?
        .execute(params![
            column::text(record.id),
            column::to_name(&record.status)?,
            record.summary,
            column::integer(record.summary_chars),
            record.model,
            record.usage.as_ref().map(column::to_json).transpose()?,
            record.cost.map(column::integer),
            record.fault.as_ref().map(column::to_json).transpose()?,
            record.unfolded_at.map(column::nanoseconds),
            record.finished_at.map(column::nanoseconds),
            column::to_json(&record.receipt)?,
            in_progress,
        ])?;
    if changed > 0 {
        notes::put_summary(db, record.id)?;
    }
    Ok(changed > 0)
}

/// Ends what dead processes left in progress, of one conversation or of all.
fn recover(
    db: &Connection,
    owner: &Owner,
    of: Option<ConversationId>,
    now: Timestamp,
) -> Result<Vec<ConversationId>, Fault> {
    let found: Vec<(Record, String)> = db
        .prepare_cached(&format!(
            "{SELECT} WHERE status = 'IN_PROGRESS' AND (?1 IS NULL OR conversation_id = ?1)"
        ))?
        .query_map([column::optional_text(of)], |row| Ok((from_row(row)?, row.get(23)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let left = found.into_iter().filter(|(_, by)| !owner.is_alive(by)).map(|(record, _)| record);
    let failed = abandoned(left.collect(), now);
    for record in &failed {
        update(db, record, true)?;
    }
    Ok(failed.into_iter().map(|record| record.conversation_id).collect())
}

pub(crate) fn coverage(row: &Row<'_>) -> rusqlite::Result<Coverage> {
    Ok(Coverage {
        start: column::count(row, 6)?,
        count: column::count(row, 7)?,
        last: column::id(row, 8)?,
    })
}

impl Summaries for Store {
    fn standing(&self, id: ConversationId) -> Result<Standing, StoreError> {
        self.standing.get(&self.database, id)
    }

    fn next_version(
        &self,
        id: ConversationId,
        policy: Policy,
        level: u32,
        start: u64,
    ) -> Result<u32, StoreError> {
        self.database.read(|db| {
            let newest: Option<u32> = db
                .prepare_cached(
                    "SELECT max(version) FROM summaries WHERE conversation_id = ?1 AND policy = ?2 \
                     AND level = ?3 AND start = ?4 AND aside = 0",
                )?
                .query_row(
                    params![
                        column::text(id),
                        column::to_name(&policy)?,
                        level,
                        column::integer(start)
                    ],
                    |row| row.get(0),
                )?;
            Ok(newest.unwrap_or(0) + 1)
        })
    }

    fn summaries(&self, id: ConversationId) -> Result<Vec<Record>, StoreError> {
        self.database.read(|db| {
            let sql = format!(
                "{SELECT} WHERE conversation_id = ?1 AND aside = 0 ORDER BY created_at, id"
            );
            let mut statement = db.prepare_cached(&sql)?;
            let rows = statement.query_map([column::text(id)], from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn summary(&self, id: SummaryId) -> Result<Record, StoreError> {
        self.database.read(|db| {
            db.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?
                .query_row([column::text(id)], from_row)
                .optional()?
                .ok_or_else(|| not_found("summary", id))
        })
    }

    fn begin_summary(&self, record: &Record, provider: Option<&str>) -> Result<(), StoreError> {
        self.database.write(|db| {
            let of = Some(record.conversation_id);
            recover(db, &self.owner, of, record.created_at)?;
            let busy =
                "SELECT 1 FROM summaries WHERE conversation_id = ?1 AND status = 'IN_PROGRESS'";
            if db.prepare_cached(busy)?.exists([column::text(record.conversation_id)])? {
                return Err(conflict("another program summarises this conversation"));
            }
            insert(db, &self.owner, record, provider, false)
        })
    }

    fn finish_summary(&self, record: &Record) -> Result<(), StoreError> {
        self.database.write(|db| match update(db, record, true)? {
            true => Ok(()),
            false => Err(conflict("the summary is not in progress")),
        })
    }

    fn put_summary(&self, record: &Record) -> Result<(), StoreError> {
        self.database.write(|db| match update(db, record, false)? {
            true => Ok(()),
            false => insert(db, &self.owner, record, None, false),
        })
    }

    fn put_candidate(&self, record: &Record, provider: Option<&str>) -> Result<(), StoreError> {
        self.database.write(|db| insert(db, &self.owner, record, provider, true))
    }

    fn spent_on_summaries(&self, id: ConversationId) -> Result<u64, StoreError> {
        self.database.read(|db| {
            // As `turns::spent_in` counts them: one that was taken over again was paid for once.
            Ok(db
                .prepare_cached(
                    "SELECT coalesce(sum(usage ->> 'input_tokens'), 0) + \
                     coalesce(sum(usage ->> 'output_tokens'), 0) \
                     FROM summaries WHERE conversation_id = ?1 AND provider IS NOT NULL",
                )?
                .query_row([column::text(id)], |row| column::count(row, 0))?)
        })
    }

    fn discard_summary(&self, id: SummaryId) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached("UPDATE summaries SET aside = 1 WHERE id = ?1")?
                .execute([column::text(id)])?;
            notes::put_summary(db, id)
        })
    }

    fn recover_summaries(&self, now: Timestamp) -> Result<Vec<ConversationId>, StoreError> {
        self.database.write(|db| recover(db, &self.owner, None, now))
    }

    fn calibration(&self, provider: &str, model: &str) -> Result<Calibration, StoreError> {
        self.database.read(|db| {
            let known = db
                .prepare_cached(
                    "SELECT value FROM calibrations WHERE provider = ?1 AND model = ?2",
                )?
                .query_row([provider, model], |row| column::json(row, 0))
                .optional()?;
            Ok(known.unwrap_or_default())
        })
    }

    fn put_calibration(
        &self,
        provider: &str,
        model: &str,
        known: &Calibration,
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO calibrations (provider, model, value) VALUES (?1, ?2, ?3)",
            )?
            .execute([provider, model, &column::to_json(known)?])?;
            Ok(())
        })
    }
}

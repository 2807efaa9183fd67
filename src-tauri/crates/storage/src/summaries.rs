//! The tables of summaries and of calibrations. The database itself holds that one summary of a conversation is made at
//! a time; what a dead process left in progress has failed for the next one that looks.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MessageId, SummaryId};
use siltstone_engine::ports::{Standing, StoreError, Summaries};
use siltstone_engine::summary::{Coverage, Policy, Record, abandoned};
use siltstone_engine::tokens::Calibration;

use crate::fault::{Fault, conflict, not_found};
use crate::finder::notes;
use crate::owner::Owner;
use crate::{Store, branches, column, messages};

const SELECT: &str = "SELECT id, conversation_id, policy, level, version, status, start, count, last, \
     covered_token_count, turns, original_chars, summary_chars, compression_rate, summary, model, usage, cost, edited, \
     fault, unfolded_at, created_at, finished_at, owner, receipt FROM summaries";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Record> {
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

/// The place of a record's last message.
fn last_place(coverage: &Coverage) -> u64 {
    coverage.end().saturating_sub(1)
}

fn coverage(row: &Row<'_>) -> rusqlite::Result<Coverage> {
    Ok(Coverage {
        start: column::count(row, 6)?,
        count: column::count(row, 7)?,
        last: column::id(row, 8)?,
    })
}

/// What holds on the shown path, and what that is judged by.
fn standing(db: &Connection, id: ConversationId) -> Result<Standing, Fault> {
    let path = branches::stretches(db, &branches::active(db, id)?)?;
    let mut ends: BTreeMap<u64, Option<MessageId>> = BTreeMap::new();
    let mut lies_on = |coverage: &Coverage| -> Result<bool, Fault> {
        let place = last_place(coverage);
        let at = match ends.get(&place) {
            Some(at) => *at,
            None => *ends.entry(place).or_insert(messages::at(db, &path, place)?),
        };
        Ok(at == Some(coverage.last))
    };
    let key = column::text(id);
    let mut newest = db.prepare_cached(&format!(
        "{SELECT} WHERE conversation_id = ?1 AND start = ?2 AND status = 'COMPLETED' AND aside = 0 AND count > 0 \
         ORDER BY finished_at DESC, id DESC"
    ))?;
    let mut records: Vec<Record> = Vec::new();
    let mut end = 0;
    loop {
        let mut rows = newest.query(params![key, column::integer(end)])?;
        let mut next = None;
        while let Some(row) = rows.next()? {
            if lies_on(&coverage(row)?)? {
                next = Some(from_row(row)?);
                break;
            }
        }
        let Some(next) = next else { break };
        end = next.coverage.end();
        records.push(next);
    }
    let folded = records.iter().rev().find(|record| record.unfolded_at.is_none());
    if let Some(folded) = folded.map(|record| record.coverage.end()) {
        let mut before = db.prepare_cached(&format!(
            "{SELECT} WHERE conversation_id = ?1 AND status = 'COMPLETED' AND aside = 0 AND start + count < ?2 \
             ORDER BY start + count DESC"
        ))?;
        let mut rows = before.query(params![key, column::integer(folded)])?;
        while let Some(row) = rows.next()? {
            if lies_on(&coverage(row)?)? {
                let before = from_row(row)?;
                if records.iter().all(|record| record.id != before.id) {
                    records.push(before);
                }
                break;
            }
        }
    }
    let mut others = db.prepare_cached(&format!(
        "{SELECT} WHERE conversation_id = ?1 AND aside = 0 AND status = 'IN_PROGRESS' \
         UNION ALL {SELECT} WHERE conversation_id = ?1 AND aside = 0 AND status = 'FAILED' AND start + count > ?2"
    ))?;
    let mut rows = others.query(params![key, column::integer(end)])?;
    while let Some(row) = rows.next()? {
        let other = from_row(row)?;
        lies_on(&other.coverage)?;
        records.push(other);
    }
    let ends = ends.into_iter().filter_map(|(place, at)| Some((place, at?))).collect();
    Ok(Standing { records, ends })
}

impl Summaries for Store {
    fn standing(&self, id: ConversationId) -> Result<Standing, StoreError> {
        self.database.read(|db| standing(db, id))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::it::summaries::{begun, made};
    use crate::messages::tests::{steps, told};

    /// Counted in steps of SQLite's machine.
    #[test]
    fn what_holds_is_found_in_the_same_steps_however_much_was_folded() {
        let taken = [40, 400].map(|folds| {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
            let id = told(&store, None, folds, |_| "a few words");
            let places: Vec<u64> = (0..folds).collect();
            let path = siltstone_engine::ports::Transcripts::ids_at(&store, id, &places).unwrap();
            // Each fold goes on from the one before, all from the beginning.
            for (place, last) in (0..).zip(path) {
                let version = u32::try_from(place).unwrap() + 1;
                let record = begun(id, version, i64::from(version));
                let finished_at = Some(record.created_at);
                let coverage = Coverage { start: 0, count: place + 1, last: last.unwrap() };
                store.put_summary(&Record { finished_at, coverage, ..made(&record) }).unwrap();
            }
            let found = store.standing(id).unwrap();
            assert_eq!(found.records.len(), 2, "the one that holds, and the one before it");
            assert_eq!(found.records[0].coverage.end(), folds);
            let next = steps(&store, |db| standing(db, id).map(|_| ()));
            let version = store.next_version(id, Policy::Segments, 1, 0).unwrap();
            assert_eq!(u64::from(version), folds + 1);
            next
        });
        assert!(taken[0] > 50, "the steps are counted");
        assert!(taken[1] <= taken[0] + 5, "{taken:?}");
    }
}

//! What replies cost, and the table of allowances. Sums go over a month of an index, however many turns there are.

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, TurnId};
use siltstone_engine::ports::{Spending, StoreError};
use siltstone_engine::spending::{Aside, SpentOn};
use siltstone_engine::turn::Usage;

use crate::fault::{Fault, not_found};
use crate::{Store, column};

/// Not over the view `costs`, whose rows are read whole.
const COST: &str = "SELECT \
     (SELECT COALESCE(SUM(cost), 0) FROM turns WHERE opened_at >= ?1 AND opened_at < ?2) + \
     (SELECT COALESCE(SUM(cost), 0) FROM summaries \
     WHERE provider IS NOT NULL AND created_at >= ?1 AND created_at < ?2) + \
     (SELECT COALESCE(SUM(cost), 0) FROM purged_costs WHERE opened_at >= ?1 AND opened_at < ?2)";

const SPENT: &str = "SELECT provider, model, COALESCE(SUM(cost), 0) AS total, \
     COALESCE(SUM(usage ->> 'input_tokens'), 0), COALESCE(SUM(usage ->> 'output_tokens'), 0), \
     COUNT(*), COUNT(*) - COUNT(cost) FROM costs WHERE opened_at >= ?1 AND opened_at < ?2 \
     GROUP BY provider, model ORDER BY total DESC, provider, model";

fn from_row(row: &Row<'_>) -> rusqlite::Result<SpentOn> {
    Ok(SpentOn {
        provider: row.get(0)?,
        model: row.get(1)?,
        cost: column::count(row, 2)?,
        input_tokens: column::count(row, 3)?,
        output_tokens: column::count(row, 4)?,
        turns: column::count(row, 5)?,
        unpriced_turns: column::count(row, 6)?,
    })
}

/// Keeps what a conversation cost that is about to be deleted for ever.
pub(crate) fn keep_costs_of(db: &Connection, id: ConversationId) -> Result<(), Fault> {
    db.execute(
        "INSERT INTO purged_costs (opened_at, provider, model, usage, cost) \
         SELECT opened_at, provider, model, usage, cost FROM turns WHERE conversation_id = ?1 \
         UNION ALL SELECT created_at, provider, model, usage, cost FROM summaries \
         WHERE conversation_id = ?1 AND provider IS NOT NULL",
        [column::text(id)],
    )?;
    Ok(())
}

/// The same of single turns, which `of_turns` selects with the conversation.
pub(crate) fn keep_costs_of_turns(
    db: &Connection,
    of_turns: &str,
    conversation: &str,
) -> Result<(), Fault> {
    let sql = format!(
        "INSERT INTO purged_costs (opened_at, provider, model, usage, cost) \
         SELECT opened_at, provider, model, usage, cost FROM turns WHERE id IN ({of_turns})"
    );
    db.execute(&sql, [conversation])?;
    Ok(())
}

impl Spending for Store {
    fn set_cost(&self, turn: TurnId, cost: Option<u64>) -> Result<(), StoreError> {
        self.database.write(|db| {
            let changed = db
                .prepare_cached("UPDATE turns SET cost = ?2 WHERE id = ?1 AND status = 'open'")?
                .execute(params![column::text(turn), cost.map(column::integer)])?;
            if changed == 0 { Err(not_found("open turn", turn)) } else { Ok(()) }
        })
    }

    fn cost(&self, from: Timestamp, to: Timestamp) -> Result<u64, StoreError> {
        self.database.read(|db| {
            let span = [column::nanoseconds(from), column::nanoseconds(to)];
            Ok(db.prepare_cached(COST)?.query_row(span, |row| column::count(row, 0))?)
        })
    }

    fn spent(&self, from: Timestamp, to: Timestamp) -> Result<Vec<SpentOn>, StoreError> {
        self.database.read(|db| {
            let span = [column::nanoseconds(from), column::nanoseconds(to)];
            let mut statement = db.prepare_cached(SPENT)?;
            let rows = statement.query_map(span, from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn note_aside(&self, aside: &Aside) -> Result<i64, StoreError> {
        self.database.write(|db| {
            // Nothing else is left of it, as of what was asked in a conversation that is gone.
            db.prepare_cached(
                "INSERT INTO purged_costs (opened_at, provider, model, usage, cost) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                column::nanoseconds(aside.at),
                aside.provider,
                aside.model,
                column::to_json(&aside.usage)?,
                aside.cost.map(column::integer),
            ])?;
            Ok(db.last_insert_rowid())
        })
    }

    fn settle_aside(&self, id: i64, took: Option<(Usage, Option<u64>)>) -> Result<(), StoreError> {
        self.database.write(|db| {
            match took {
                Some((usage, cost)) => {
                    db.prepare_cached(
                        "UPDATE purged_costs SET usage = ?2, cost = ?3 WHERE rowid = ?1",
                    )?
                    .execute(params![
                        id,
                        column::to_json(&usage)?,
                        cost.map(column::integer)
                    ])?;
                }
                None => {
                    db.prepare_cached("DELETE FROM purged_costs WHERE rowid = ?1")?
                        .execute([id])?;
                }
            }
            Ok(())
        })
    }

    fn allowed_until(&self, month: &str) -> Result<Option<u64>, StoreError> {
        self.database.read(|db| {
            Ok(db
                .prepare_cached("SELECT amount FROM allowances WHERE month = ?1")?
                .query_row([month], |row| column::count(row, 0))
                .optional()?)
        })
    }

    fn allow_until(&self, month: &str, amount: u64) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached("INSERT OR REPLACE INTO allowances (month, amount) VALUES (?1, ?2)")?
                .execute(params![month, column::integer(amount)])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;

    #[test]
    fn a_months_sum_reads_that_month_of_the_indexes_alone() {
        for (table, at) in
            [("turns", "opened_at"), ("summaries", "created_at"), ("purged_costs", "opened_at")]
        {
            let index = &format!("INDEX {table}_cost");
            let step = |index: &str| format!("SEARCH {table} USING {index} ({at}>? AND {at}<?)");
            assert!(plan(COST).contains(&step(&format!("COVERING {index}"))), "{}", plan(COST));
            assert!(plan(SPENT).contains(&step(index)), "{}", plan(SPENT));
        }
    }
}

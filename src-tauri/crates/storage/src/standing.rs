//! The summaries that hold on the shown path of a conversation, found without reading those that do not.
//!
//! They are asked for several times while one is made and at every preview, and one that stands for thousands of messages
//! names them all. So they are kept as they were read until anybody commits, and then only rows that say something else
//! are read again.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params};
use siltstone_engine::ids::{ConversationId, MessageId, SummaryId};
use siltstone_engine::ports::{Standing, StoreError};
use siltstone_engine::summary::{Coverage, Record};

use crate::connection::Database;
use crate::fault::Fault;
use crate::summaries::{SELECT, coverage, from_row};
use crate::{branches, column, messages};

/// Conversations of which they are kept.
const MOST: usize = 4;

/// The standing summaries of conversations as they were read last.
#[derive(Default)]
pub(crate) struct Known(Mutex<HashMap<ConversationId, Arc<Found>>>);

/// What was found, and the state of the database that it was found in.
#[derive(Default)]
struct Found {
    state: Option<i64>,
    records: Vec<Arc<Kept>>,
    ends: Vec<(u64, MessageId)>,
}

/// A record, and all that its row says.
struct Kept {
    row: Vec<Value>,
    record: Arc<Record>,
}

impl Known {
    /// What holds, which is looked for where anything was committed since.
    pub(crate) fn get(
        &self,
        database: &Database,
        id: ConversationId,
    ) -> Result<Standing, StoreError> {
        let state = database.state()?;
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(found) = before.as_ref().filter(|it| state.is_some() && it.state == state) {
            return Ok(found.told());
        }
        let before = before.unwrap_or_default();
        let found = database.read(|db| Reader::new(db, id, &before)?.find(state))?;
        let told = found.told();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(&id) {
            known.clear();
        }
        known.insert(id, Arc::new(found));
        Ok(told)
    }

    /// Nothing of a conversation that is deleted for ever stays in memory.
    pub(crate) fn forget(&self, id: ConversationId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}

impl Found {
    fn told(&self) -> Standing {
        let records = self.records.iter().map(|kept| kept.record.clone()).collect();
        Standing { records, ends: self.ends.clone() }
    }
}

/// Reads the summaries of one conversation.
struct Reader<'a> {
    db: &'a Connection,
    id: ConversationId,
    path: Vec<branches::Stretch>,
    /// Which message is at a place, as far as it was looked up.
    ends: BTreeMap<u64, Option<MessageId>>,
    before: HashMap<SummaryId, &'a Arc<Kept>>,
    records: Vec<Arc<Kept>>,
}

impl<'a> Reader<'a> {
    fn new(db: &'a Connection, id: ConversationId, before: &'a Found) -> Result<Self, Fault> {
        let path = branches::stretches(db, &branches::active(db, id)?)?;
        let before = before.records.iter().map(|kept| (kept.record.id, kept)).collect();
        Ok(Self { db, id, path, ends: BTreeMap::new(), before, records: Vec::new() })
    }

    fn find(mut self, state: Option<i64>) -> Result<Found, Fault> {
        let end = self.chain()?;
        let folded = self.records.iter().rev().find(|kept| kept.record.unfolded_at.is_none());
        if let Some(folded) = folded.map(|kept| kept.record.coverage.end()) {
            self.one_before(folded)?;
        }
        self.others(end)?;
        let ends = self.ends.into_iter().filter_map(|(place, at)| Some((place, at?))).collect();
        Ok(Found { state, records: self.records, ends })
    }

    /// The newest that lie on the path, one after the other from its beginning; where the last ends.
    fn chain(&mut self) -> Result<u64, Fault> {
        let mut newest = self.db.prepare_cached(&format!(
            "{SELECT} WHERE conversation_id = ?1 AND start = ?2 AND status = 'COMPLETED' AND aside = 0 AND count > 0 \
             ORDER BY finished_at DESC, id DESC"
        ))?;
        let mut end = 0;
        loop {
            let mut rows = newest.query(params![column::text(self.id), column::integer(end)])?;
            let mut next = None;
            while let Some(row) = rows.next()? {
                if self.lies_on(&coverage(row)?)? {
                    next = Some(self.read(row)?);
                    break;
                }
            }
            let Some(next) = next else { return Ok(end) };
            end = next.record.coverage.end();
            self.records.push(next);
        }
    }

    /// What held before the newest fold was made.
    fn one_before(&mut self, folded: u64) -> Result<(), Fault> {
        let mut before = self.db.prepare_cached(&format!(
            "{SELECT} WHERE conversation_id = ?1 AND status = 'COMPLETED' AND aside = 0 AND start + count < ?2 \
             ORDER BY start + count DESC"
        ))?;
        let mut rows = before.query(params![column::text(self.id), column::integer(folded)])?;
        while let Some(row) = rows.next()? {
            if self.lies_on(&coverage(row)?)? {
                let before = self.read(row)?;
                if self.records.iter().all(|kept| kept.record.id != before.record.id) {
                    self.records.push(before);
                }
                break;
            }
        }
        Ok(())
    }

    /// What is being made, and what failed beyond `end`.
    fn others(&mut self, end: u64) -> Result<(), Fault> {
        let mut others = self.db.prepare_cached(&format!(
            "{SELECT} WHERE conversation_id = ?1 AND aside = 0 AND status = 'IN_PROGRESS' \
             UNION ALL {SELECT} WHERE conversation_id = ?1 AND aside = 0 AND status = 'FAILED' AND start + count > ?2"
        ))?;
        let mut rows = others.query(params![column::text(self.id), column::integer(end)])?;
        while let Some(row) = rows.next()? {
            let other = self.read(row)?;
            self.lies_on(&other.record.coverage)?;
            self.records.push(other);
        }
        Ok(())
    }

    fn lies_on(&mut self, coverage: &Coverage) -> Result<bool, Fault> {
        // The place of its last message.
        let place = coverage.end().saturating_sub(1);
        let at = match self.ends.get(&place) {
            Some(at) => *at,
            None => *self.ends.entry(place).or_insert(messages::at(self.db, &self.path, place)?),
        };
        Ok(at == Some(coverage.last))
    }

    /// A row as it was read before, where it says the same.
    fn read(&self, row: &Row<'_>) -> Result<Arc<Kept>, Fault> {
        let values: Vec<ValueRef<'_>> =
            (0..row.as_ref().column_count()).map(|at| row.get_ref(at)).collect::<Result<_, _>>()?;
        let before = self.before.get(&column::id(row, 0)?);
        if let Some(same) =
            before.filter(|it| it.row.iter().map(ValueRef::from).eq(values.iter().copied()))
        {
            return Ok(Arc::clone(same));
        }
        let said = values.into_iter().map(Value::try_from).collect::<Result<_, _>>();
        let said = said.map_err(rusqlite::Error::from)?;
        Ok(Arc::new(Kept { row: said, record: Arc::new(from_row(row)?) }))
    }
}

#[cfg(test)]
mod tests {
    use siltstone_engine::Timestamp;
    use siltstone_engine::conversation::ConversationPatch;
    use siltstone_engine::ports::{Records, Summaries, Transcripts};
    use siltstone_engine::settings::Settings;
    use siltstone_engine::summary::Policy;

    use super::*;
    use crate::Store;
    use crate::finder::notes::put_summary;
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
            let path = store.ids_at(id, &places).unwrap();
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
            let nothing = Found::default();
            let next = steps(&store, |db| Reader::new(db, id, &nothing)?.find(None).map(|_| ()));
            let version = store.next_version(id, Policy::Segments, 1, 0).unwrap();
            assert_eq!(u64::from(version), folds + 1);
            next
        });
        assert!(taken[0] > 50, "the steps are counted");
        assert!(taken[1] <= taken[0] + 5, "{taken:?}");
    }

    /// Counted as above. What is noted of a fold for searching is part of making one.
    #[test]
    fn a_fold_is_noted_in_the_same_steps_however_much_was_folded() {
        let taken = [40, 400].map(|folds| {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
            let id = told(&store, None, folds, |_| "a few words");
            let mut last = None;
            for start in 0..folds {
                let record = begun(id, 1, 1);
                let coverage = Coverage { start, count: 1, ..record.coverage };
                store.put_summary(&Record { coverage, ..made(&record) }).unwrap();
                last = Some(record.id);
            }
            steps(&store, |db| put_summary(db, last.unwrap()))
        });
        assert!(taken[0] > 50, "the steps are counted");
        assert!(taken[1] <= taken[0] * 3 / 2, "{taken:?}");
    }

    #[test]
    fn only_rows_that_say_something_else_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        let (store, other) = (open(), open());
        let id = told(&store, None, 3, |_| "a few words");
        let last = store.ids_at(id, &[2]).unwrap()[0];
        let coverage = Coverage { start: 0, count: 3, last: last.unwrap() };
        let mut record = Record { coverage, ..made(&begun(id, 1, 1)) };
        store.put_summary(&record).unwrap();

        let known = || store.standing.0.lock().unwrap().get(&id).cloned().unwrap();
        assert_eq!(store.standing(id).unwrap().records, [Arc::new(record.clone())]);
        let first = known();
        store.standing(id).unwrap();
        assert!(Arc::ptr_eq(&first, &known()), "nothing was committed");

        other.put_settings(&Settings::default()).unwrap();
        store.standing(id).unwrap();
        assert!(!Arc::ptr_eq(&first, &known()), "something was");
        assert!(Arc::ptr_eq(&first.records[0], &known().records[0]), "nothing of this");

        record.receipt.dropped.push("port 5433".into());
        other.put_summary(&record).unwrap();
        assert_eq!(store.standing(id).unwrap().records, [Arc::new(record)]);

        let now = Some(Some(Timestamp::UNIX_EPOCH));
        let trash = ConversationPatch { deleted_at: now, ..Default::default() };
        store.update_conversation(id, &trash).unwrap();
        store.purge_conversation(id).unwrap();
        assert!(store.standing.0.lock().unwrap().is_empty(), "nothing is kept of it");
    }
}

//! How the indices of the database are made: of a database that had others, and again when the person asks.
//!
//! In steps, from the newest message down, between which others may write. What is written meanwhile enters as ever;
//! what the steps have yet to reach is read through by a search, so nothing is missed on the way.

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::StoreError;
use siltstone_engine::search::{Query, Searched};

use super::asking::{Speaker, Within};
use super::notes;
use crate::fault::Fault;
use crate::search::{findable_in, put};
use crate::{Store, column};

/// Messages of a step.
const STEP: u64 = 500;

/// Messages that are indexed while the database is opened; the rest follows beside the first window.
const AT_ONCE: u64 = 2_000;

/// Messages up to this one are not in the index yet.
pub(crate) fn below(db: &Connection) -> Result<i64, Fault> {
    let found = db
        .prepare_cached("SELECT below FROM indexing WHERE id = 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// How many messages are to be indexed yet, and whether the notes are.
fn left(db: &Connection) -> Result<(u64, bool), Fault> {
    let due = db
        .prepare_cached("SELECT notes FROM indexing WHERE id = 1")?
        .query_row([], |row| row.get::<_, bool>(0))
        .optional()?;
    let left = match below(db)? {
        // Nothing has to be looked at, not even the page that the first messages stand on.
        ..=0 => 0,
        below => db
            .prepare_cached("SELECT count(*) FROM messages WHERE seq <= ?1")?
            .query_row([below], |row| column::count(row, 0))?,
    };
    Ok((left, due == Some(false)))
}

/// Indexes the next messages; how many are left.
fn step(db: &Connection, most: u64) -> Result<u64, Fault> {
    let (left, notes) = left(db)?;
    if notes {
        notes::fill(db)?;
        db.execute("UPDATE indexing SET notes = 1", [])?;
    }
    if left == 0 {
        return Ok(0);
    }
    let mut statement = db.prepare_cached(
        "SELECT m.seq, m.parts, c.id, c.project_id, m.role, m.status FROM messages m \
         JOIN conversations c ON c.id = m.conversation_id WHERE m.seq <= ?1 \
         ORDER BY m.seq DESC LIMIT ?2",
    )?;
    let mut rows = statement.query(params![below(db)?, column::integer(most)])?;
    let mut reached = None;
    let mut done = 0;
    while let Some(row) = rows.next()? {
        let seq: i64 = row.get(0)?;
        // A reply that is being written enters when it is whole.
        let status: String = row.get(5)?;
        if status != "streaming" {
            let parts: Vec<Part> = column::json(row, 1)?;
            let conversation: String = row.get(2)?;
            let project: Option<String> = row.get(3)?;
            let role: Role = column::name(row, 4)?;
            put(db, seq, &parts, &conversation, project.as_deref(), role)?;
        }
        reached = Some(seq);
        done += 1;
    }
    let left = left.saturating_sub(done);
    let below = reached.filter(|_| left > 0).map_or(0, |seq| seq - 1);
    db.execute("UPDATE indexing SET below = ?1", [below])?;
    Ok(left)
}

/// The newest messages that are not indexed yet and meet a query.
pub(crate) fn read_through(
    db: &Connection,
    query: &Query,
    within: &Within,
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    let below = below(db)?;
    if below == 0 {
        return Ok(Vec::new());
    }
    let mut statement = db.prepare_cached(
        "SELECT m.seq, m.parts, m.role FROM messages m JOIN conversations c ON c.id = m.conversation_id \
         WHERE m.seq <= ?1 AND m.status <> 'streaming' AND c.deleted_at IS NULL \
         AND (?2 IS NULL OR c.id = ?2) AND (?3 IS NULL OR c.project_id = ?3) \
         AND (?4 IS NULL OR m.created_at >= ?4) AND (?5 IS NULL OR m.created_at < ?5) ORDER BY m.seq DESC",
    )?;
    let mut rows = statement.query(params![
        below,
        column::optional_text(within.conversation),
        column::optional_text(within.project),
        within.from,
        within.before,
    ])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let role: Role = column::name(row, 2)?;
        let speaks = match within.speaker {
            Speaker::Any => true,
            Speaker::NoTool => role != Role::Tool,
            Speaker::Only(only) => role == only,
        };
        if speaks && Searched::new(&findable_in(row, 1)?).meets(query) {
            found.push(row.get(0)?);
            if found.len() == limit {
                break;
            }
        }
    }
    Ok(found)
}

impl Store {
    /// The first step, which is all of it for most databases.
    pub(crate) fn begin_index(&self) -> Result<(), StoreError> {
        if self.database.read(|db| left(db))? != (0, false) {
            self.database.write(|db| step(db, AT_ONCE))?;
        }
        Ok(())
    }

    /// Makes what is missing of the index. `go_on` hears how many messages are left, and may stop it: what is not
    /// indexed then is read through by searches until the next time.
    pub(crate) fn complete_index(
        &self,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), StoreError> {
        let mut left = self.database.read(|db| left(db))?.0;
        while left > 0 && go_on(left) {
            left = self.database.write(|db| step(db, STEP))?;
        }
        if left == 0 {
            go_on(0);
        }
        Ok(())
    }

    /// Empties the indices, so that they are made again.
    pub(crate) fn empty_index(&self) -> Result<(), StoreError> {
        self.database.write(|db| {
            for index in ["message_index", "note_index"] {
                db.execute(&format!("INSERT INTO {index} ({index}) VALUES ('delete-all')"), [])?;
            }
            db.execute("DELETE FROM notes", [])?;
            db.execute(
                "INSERT OR REPLACE INTO indexing (id, below, notes) \
                 SELECT 1, coalesce(max(seq), 0), 0 FROM messages",
                [],
            )?;
            notes::fill(db)?;
            db.execute("UPDATE indexing SET notes = 1", [])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use siltstone_engine::Timestamp;
    use siltstone_engine::ids::{BranchId, ConversationId, MemoryLineId, MessageId};
    use siltstone_engine::ports::Transcripts;
    use siltstone_engine::recall::Finder;
    use siltstone_engine::search::{Filter, FoundKind, SearchScope};

    use super::*;
    use crate::open::{self, MIGRATIONS};

    /// Migrations before the one that brought this index.
    const BEFORE: usize = 8;

    /// A history that was written before, of so many messages, and a line of memory.
    fn old_history(path: &std::path::Path, messages: u64) {
        let now = Timestamp::UNIX_EPOCH;
        let db = Connection::open(path).unwrap();
        let (id, branch) = (ConversationId::new(now).to_string(), BranchId::new(now).to_string());
        let begun = "BEGIN; PRAGMA defer_foreign_keys = ON;";
        db.execute_batch(begun).unwrap();
        db.execute(
            "INSERT INTO conversations (id, title, title_source, pinned, created_at, updated_at, \
             active_branch, draft) VALUES (?1, 'old', 'unset', 0, 0, 0, ?2, '')",
            [&id, &branch],
        )
        .unwrap();
        db.execute(
            "INSERT INTO branches (id, conversation_id, fork_index, tip_index, touched) \
             VALUES (?1, ?2, 0, ?3, 1)",
            params![branch, id, column::integer(messages) - 1],
        )
        .unwrap();
        for index in 0..column::integer(messages) {
            db.execute(
                "INSERT INTO messages (id, conversation_id, branch_id, idx, role, status, tokens, \
                 created_at, parts) VALUES (?1, ?2, ?3, ?4, 'user', 'complete', 3, 0, ?5)",
                params![
                    MessageId::new(now).to_string(),
                    id,
                    branch,
                    index,
                    format!("[{{\"type\":\"text\",\"text\":\"현무암 granite {index}\"}}]"),
                ],
            )
            .unwrap();
        }
        db.execute(
            "INSERT INTO memory_lines (id, kind, text, created_at) VALUES (?1, 'added', 'granite rule', 0)",
            [MemoryLineId::new(now).to_string()],
        )
        .unwrap();
        db.execute_batch("COMMIT").unwrap();
    }

    #[test]
    fn a_history_that_was_indexed_otherwise_is_found_from_the_first_moment_on() {
        let dir = tempfile::tempdir().unwrap();
        let now = Timestamp::UNIX_EPOCH;
        drop(open::open(dir.path(), now, &MIGRATIONS[..BEFORE]).unwrap());
        let all = AT_ONCE + 2 * STEP + 100;
        old_history(&dir.path().join(open::FILE), all);
        let store = Store::open(dir.path(), now).unwrap();
        let waiting = || store.database.read(|db| left(db)).unwrap();
        assert_eq!(waiting(), (2 * STEP + 100, false), "the rest is not waited for");
        let found = |typed: &str| store.search(typed, &SearchScope::default(), 5).unwrap();
        let check = || {
            assert_eq!(found("granite").total, all);
            assert_eq!(found("현무").total, all);
            assert_eq!((found("\"granite 7\"").total, found("absent").total), (1, 0));
            let filter = Filter { kinds: vec![FoundKind::Memory], ..Filter::default() };
            assert_eq!(store.find_everywhere("granite", &filter, 5).unwrap().groups[0].total, 1);
        };
        check();
        let mut seen = Vec::new();
        store
            .make_index(false, &mut |more| {
                seen.push(more);
                seen.len() < 2
            })
            .unwrap();
        assert_eq!(waiting().0, STEP + 100, "it was stopped after a step: {seen:?}");
        check();
        store.complete_index(&mut |_| true).unwrap();
        assert_eq!(waiting(), (0, false));
        check();
        assert_eq!(store.database.read(|db| below(db)).unwrap(), 0);
    }
}

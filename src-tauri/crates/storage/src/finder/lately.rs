//! Which messages the index named lately. A text that is being written asks for all of its words again at every pause, and
//! all but the last are those of the pause before, and the last one begins as many words as it did: while the index is as
//! it was, they are answered from here, and a pause costs what was typed since. It keeps what was looked for, which is words
//! of messages too where one was not finished, and numbers of rows; no text of a message.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use siltstone_engine::recall::Scope;

use crate::fault::Fault;

/// Phrases, and pairs of them, that are remembered, each with at most some two hundred rows: those of two of the longest
/// texts.
const MOST: usize = 2_048;

/// All that rows depend on beside what is asked. Under these two numbers FTS5 notes how many rows an index has and of which
/// pieces it is made, anew with every commit that writes to it ("averages" and "structure record", `fts5_index.c`).
/// Messages without words are in no index, and conversations in the trash are in it still.
const STATE: &str = "SELECT (SELECT block FROM message_index_data WHERE id = 1), \
     (SELECT block FROM message_index_data WHERE id = 10), (SELECT max(seq) FROM messages), \
     (SELECT group_concat(rowid) FROM conversations WHERE deleted_at IS NOT NULL)";

#[derive(Clone, PartialEq)]
struct State {
    rows: Vec<u8>,
    pieces: Vec<u8>,
    last: Option<i64>,
    trashed: Option<String>,
}

/// What was named since the index became what it is.
#[derive(Default)]
pub(crate) struct Lately(Mutex<Known>);

#[derive(Default)]
struct Known {
    state: Option<Arc<State>>,
    rows: HashMap<(Scope, String), Vec<i64>>,
}

/// The same within one state of the database.
pub(super) struct Here<'a> {
    lately: &'a Lately,
    state: Arc<State>,
    scope: Scope,
}

impl Lately {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing that was asked in a conversation that is deleted for ever stays in memory.
    pub(crate) fn forget(&self) {
        *self.known() = Known::default();
    }

    /// What is remembered of the state that a reader sees.
    pub(super) fn here(&self, db: &Connection, scope: Scope) -> Result<Here<'_>, Fault> {
        let state = db.prepare_cached(STATE)?.query_row([], |row| {
            let (rows, pieces) = (row.get(0)?, row.get(1)?);
            Ok(State { rows, pieces, last: row.get(2)?, trashed: row.get(3)? })
        })?;
        let mut known = self.known();
        let state = match &known.state {
            Some(same) if **same == state => same.clone(),
            _ => {
                let state = Arc::new(state);
                *known = Known { state: Some(state.clone()), rows: HashMap::new() };
                state
            }
        };
        Ok(Here { lately: self, state, scope })
    }
}

impl Here<'_> {
    /// What `find` names for what is looked for, or has named.
    pub(super) fn rows(
        &self,
        of: String,
        find: impl FnOnce() -> Result<Vec<i64>, Fault>,
    ) -> Result<Vec<i64>, Fault> {
        let of = (self.scope, of);
        if let Some(rows) = self.known().and_then(|known| known.rows.get(&of).cloned()) {
            return Ok(rows);
        }
        let rows = find()?;
        if let Some(mut known) = self.known() {
            if known.rows.len() >= MOST {
                known.rows.clear();
            }
            known.rows.insert(of, rows.clone());
        }
        Ok(rows)
    }

    /// What is remembered, unless another reader saw another state meanwhile.
    fn known(&self) -> Option<MutexGuard<'_, Known>> {
        let known = self.lately.known();
        let is_same = known.state.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.state));
        is_same.then_some(known)
    }
}

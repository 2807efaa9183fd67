//! Which rows an index named lately. A text that is being written asks for all of its words again at every pause, and
//! all but the last are those of the pause before, and the last one begins as many words as it did: while the index is as
//! it was, they are answered from here, and a pause costs what was typed since. It keeps what was looked for, which is words
//! of messages too where one was not finished, and numbers of rows; no text of a message.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::fault::Fault;
use rusqlite::Connection;

/// Phrases, and pairs of them, that are remembered, each with at most some two hundred rows: those of two of the longest
/// texts.
const MOST: usize = 2_048;

/// All that rows of messages depend on beside what is asked. Under these two numbers FTS5 notes how many rows an index has
/// and of which pieces it is made, anew with every commit that writes to it ("averages" and "structure record",
/// `fts5_index.c`). Messages without words are in no index, and conversations in the trash are in it still.
pub(crate) const OF_MESSAGES: &str = "SELECT (SELECT block FROM message_index_data WHERE id = 1), \
     (SELECT block FROM message_index_data WHERE id = 10), (SELECT max(seq) FROM messages), \
     (SELECT group_concat(rowid) FROM conversations WHERE deleted_at IS NOT NULL)";

/// The same of rows of kept sessions.
pub(crate) const OF_SAID: &str = "SELECT (SELECT block FROM said_index_data WHERE id = 1), \
     (SELECT block FROM said_index_data WHERE id = 10), (SELECT max(id) FROM said), NULL";

#[derive(Clone, PartialEq)]
struct State {
    rows: Vec<u8>,
    pieces: Vec<u8>,
    last: Option<i64>,
    trashed: Option<String>,
}

/// What was named within scopes since the index became what it is.
pub(crate) struct Lately<S> {
    /// The question for the state of the index.
    state: &'static str,
    known: Mutex<Known<S>>,
}

struct Known<S> {
    state: Option<Arc<State>>,
    rows: HashMap<(S, String), Vec<i64>>,
    /// What has any word that begins so, as an expression.
    words: HashMap<String, String>,
}

impl<S> Known<S> {
    fn of(state: Option<Arc<State>>) -> Self {
        Self { state, rows: HashMap::new(), words: HashMap::new() }
    }
}

/// The same within one state of the database.
pub(crate) struct Here<'a, S> {
    lately: &'a Lately<S>,
    state: Arc<State>,
    scope: S,
}

impl<S: Clone + Eq + Hash> Lately<S> {
    /// Nothing yet, of the index whose state is asked for so.
    pub(crate) fn new(state: &'static str) -> Self {
        Self { state, known: Mutex::new(Known::of(None)) }
    }

    fn known(&self) -> MutexGuard<'_, Known<S>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing that was asked in a conversation that is deleted for ever stays in memory.
    pub(crate) fn forget(&self) {
        *self.known() = Known::of(None);
    }

    /// What is remembered of the state that a reader sees.
    pub(crate) fn here(&self, db: &Connection, scope: &S) -> Result<Here<'_, S>, Fault> {
        let state = db.prepare_cached(self.state)?.query_row([], |row| {
            let (rows, pieces) = (row.get(0)?, row.get(1)?);
            Ok(State { rows, pieces, last: row.get(2)?, trashed: row.get(3)? })
        })?;
        let mut known = self.known();
        let state = match &known.state {
            Some(same) if **same == state => same.clone(),
            _ => {
                let state = Arc::new(state);
                *known = Known::of(Some(state.clone()));
                state
            }
        };
        Ok(Here { lately: self, state, scope: scope.clone() })
    }
}

impl<S: Clone + Eq + Hash> Here<'_, S> {
    /// What `find` names for what is looked for, or has named.
    pub(crate) fn rows(
        &self,
        of: String,
        find: impl FnOnce() -> Result<Vec<i64>, Fault>,
    ) -> Result<Vec<i64>, Fault> {
        self.remembered((self.scope.clone(), of), |known| &mut known.rows, find)
    }

    /// The expression that `find` makes of the words that begin so, or has made.
    pub(super) fn words(
        &self,
        beginning: &str,
        find: impl FnOnce() -> Result<String, Fault>,
    ) -> Result<String, Fault> {
        self.remembered(beginning.to_owned(), |known| &mut known.words, find)
    }

    fn remembered<K: Eq + Hash, V: Clone>(
        &self,
        of: K,
        among: impl Fn(&mut Known<S>) -> &mut HashMap<K, V>,
        find: impl FnOnce() -> Result<V, Fault>,
    ) -> Result<V, Fault> {
        if let Some(it) = self.known().and_then(|mut known| among(&mut known).get(&of).cloned()) {
            return Ok(it);
        }
        let found = find()?;
        if let Some(mut known) = self.known() {
            let known = among(&mut known);
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(of, found.clone());
        }
        Ok(found)
    }

    /// What is remembered, unless another reader saw another state meanwhile.
    fn known(&self) -> Option<MutexGuard<'_, Known<S>>> {
        let known = self.lately.known();
        let is_same = known.state.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.state));
        is_same.then_some(known)
    }
}

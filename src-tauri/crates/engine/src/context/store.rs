//! One store: a scope, a kind, and keys with values in the order in which they first came.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::key;

/// What a piece of context is for, and so how long it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ContextScope {
    /// As long as the app runs.
    App,
    /// One carrying-out of a request, to its end.
    Run,
    /// One call of a model.
    Task,
    /// The described capabilities: tools and providers.
    Layer,
}

/// Whether a store is renewed on conditions only, or changed by requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PersistenceKind {
    /// Renewed when a condition says so; kept in a file.
    Persistent,
    /// Set at start and changed by whoever knows better; gone with the process.
    Volatile,
}

/// The content of a store at one moment. Two of them are equal whatever their order; compare `iter()` where it counts.
pub type ContextSnapshot = IndexMap<String, String>;

/// Context of one scope and kind.
#[derive(Clone, Debug)]
pub struct ContextStore {
    scope: ContextScope,
    kind: PersistenceKind,
    entries: ContextSnapshot,
}

impl ContextStore {
    /// An empty store.
    pub fn new(scope: ContextScope, kind: PersistenceKind) -> Self {
        Self { scope, kind, entries: ContextSnapshot::new() }
    }

    /// The context of one run; whoever carries the run out owns it and drops it at the end.
    pub fn of_run(execution_id: &str, user_message: &str, request: &ContextSnapshot) -> Self {
        let mut store = Self::new(ContextScope::Run, PersistenceKind::Volatile);
        store.put(key::EXECUTION_ID, execution_id);
        store.put(key::USER_MESSAGE, user_message);
        if !request.is_empty() {
            let request = serde_json::to_string(request).unwrap_or_default();
            store.put(key::REQUEST_CONTEXT, request);
        }
        store
    }

    /// What it is for.
    pub fn scope(&self) -> ContextScope {
        self.scope
    }

    /// How it is renewed.
    pub fn kind(&self) -> PersistenceKind {
        self.kind
    }

    /// What it holds.
    pub fn snapshot(&self) -> &ContextSnapshot {
        &self.entries
    }

    /// Sets one key; a known key keeps its place.
    pub fn put(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.entries.insert(key.into(), value.into());
    }

    /// Sets many keys, in their order.
    pub fn put_all<K: Into<String>, V: Into<String>>(
        &mut self,
        entries: impl IntoIterator<Item = (K, V)>,
    ) {
        for (key, value) in entries {
            self.put(key, value);
        }
    }

    /// Takes one key out, because nothing is known of it any more.
    pub fn remove(&mut self, key: &str) {
        self.entries.shift_remove(key);
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The file a persistent store is kept in: one store, one file, by purpose.
    pub fn file_name(&self) -> Option<&'static str> {
        let name = match self.scope {
            ContextScope::App => "persistent-context.json",
            ContextScope::Run => "execution-summary-cache.json",
            ContextScope::Task => "task-context.json",
            ContextScope::Layer => "layer-context.json",
        };
        (self.kind == PersistenceKind::Persistent).then_some(name)
    }
}

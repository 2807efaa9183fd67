//! behaviour.md, Context stores.

mod app;
mod compose;
mod forgery;
mod kept;

use super::*;

/// Keys and values in their order.
fn pairs(snapshot: &ContextSnapshot) -> Vec<(&str, &str)> {
    snapshot.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

fn snapshot(entries: &[(&str, &str)]) -> ContextSnapshot {
    entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn store(scope: ContextScope, kind: PersistenceKind, entries: &[(&str, &str)]) -> ContextStore {
    let mut store = ContextStore::new(scope, kind);
    store.put_all(entries.iter().copied());
    store
}

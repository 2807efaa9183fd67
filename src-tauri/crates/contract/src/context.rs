//! What is known beside the conversation, as hosts ask for it, change it and see it.

use serde::{Deserialize, Serialize};
use siltstone_engine::context::{ContextScope, PersistenceKind, VolatilePolicy};
use siltstone_engine::ids::ProjectId;
use ts_rs::TS;

/// Names the context of a project, or what belongs to none.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ContextRef {
    /// The project.
    pub project_id: Option<ProjectId>,
}

/// A key of the app's context, with what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextEntry {
    /// For example `currentFile` or `selection`.
    pub key: String,
    /// The value.
    pub value: String,
}

/// Volatile context that comes with one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BroughtContext {
    /// In the order in which a model reads it.
    pub entries: Vec<ContextEntry>,
    /// Whether it is laid over what is known, or is all that the request sees.
    #[serde(default)]
    pub policy: VolatilePolicy,
}

/// Something to know from now on.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PutContext {
    /// The project, if it is about one.
    pub project_id: Option<ProjectId>,
    /// Whether it is kept with the rules, or may change at any time.
    pub kind: PersistenceKind,
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// Something that is not known any more.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemoveContext {
    /// The project, if it was about one.
    pub project_id: Option<ProjectId>,
    /// Where it is.
    pub kind: PersistenceKind,
    /// The key.
    pub key: String,
}

/// Where an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EntrySource {
    /// Where the person works; set at every request.
    Place,
    /// Loaded from files and settings.
    Loaded,
    /// Told by the person, or by another program.
    Told,
    /// Brought by a request.
    Request,
}

/// An entry with where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EntryView {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// Where it comes from.
    pub source: EntrySource,
}

/// One store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StoreView {
    /// What it is for.
    pub scope: ContextScope,
    /// How it is renewed.
    pub kind: PersistenceKind,
    /// What it holds, in order.
    pub entries: Vec<EntryView>,
}

/// All stores, and what a chat takes of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextView {
    /// The stores of the app and of the layers, and of runs while there are some.
    pub stores: Vec<StoreView>,
    /// The block of what is kept; `None` when it says nothing.
    pub composed_persistent: Option<String>,
    /// The block of what may change, without what one request or call adds.
    pub composed_volatile: Option<String>,
}

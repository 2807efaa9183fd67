//! Context stores: what is known beside the conversation, by purpose and by how long it lasts, and the prompt that is
//! composed of it (behaviour.md, Context stores).
//!
//! A store belongs to a [`ContextScope`] and is persistent (renewed on conditions only) or volatile (set at start,
//! changed by requests). [`AppContext`] holds the two of the app and decides what to load and when; the `app` crate
//! carries the loading out, keeps the persistent store through [`ContextFiles`] and asks [`PromptComposer`] for the
//! text. Nothing here reads a file: rules come in as text from the memory loader.

mod app;
mod block;
mod compose;
mod file;
mod layer;
mod path;
mod port;
mod refresh;
mod store;
#[cfg(test)]
mod tests;

pub use app::{AppContext, RequestContext, VolatilePolicy, Workplace};
pub use compose::{Composed, PromptComposer, TaskKind, TaskScopes};
pub use file::{StoreFile, StoreFileError};
pub use layer::{Layer, LayerKind, layer_store, layer_summary};
pub use path::resolve;
pub use port::ContextFiles;
pub use refresh::{Load, LoadSource, REFRESH_HOURS, RefreshTrigger};
pub use store::{ContextScope, ContextSnapshot, ContextStore, PersistenceKind};

/// The keys the design names.
pub mod key {
    /// Volatile, App: the folder that relative paths start from.
    pub const WORKING_DIRECTORY: &str = "workingDirectory";
    /// Volatile, App: the root of the project; the working directory unless a request says otherwise.
    pub const PROJECT_ROOT: &str = "projectRoot";
    /// Volatile, App: the file the person is in, while someone knows it.
    pub const CURRENT_FILE: &str = "currentFile";
    /// Volatile, App: what is selected there, while someone knows it.
    pub const SELECTION: &str = "selection";
    /// Persistent, App: the rules of the project.
    pub const PROJECT_RULES: &str = "projectRules";
    /// Persistent, App: rules that hold in every project.
    pub const DEFAULT_SYSTEM_RULES: &str = "defaultSystemRules";
    /// Persistent, App: tools and providers, a line each.
    pub const LAYER_SUMMARY: &str = "layerSummary";
    /// Volatile, Run: which execution this is.
    pub const EXECUTION_ID: &str = "executionId";
    /// Volatile, Run: what the person asked for.
    pub const USER_MESSAGE: &str = "userMessage";
    /// Volatile, Run: the context the request brought, as JSON.
    pub const REQUEST_CONTEXT: &str = "requestContext";
}

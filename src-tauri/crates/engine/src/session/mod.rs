//! Where a project's work stands, so that tomorrow begins where today ended (behaviour.md, Sessions).
//!
//! `file` is `.ai-brain/context.json` field by field; `register` keeps it up with what is said, `hydrate` tells a new
//! conversation what it holds, `forget` takes a conversation's words out of it, `proposal` finds decisions and changes of the plan in what was said. `merge` brings two
//! states of one file together, `lock` says who writes on a shared folder, `snapshot` names copies and says which of
//! them go, `port` is what all this needs of the disk. A file is opened by [`parse`] and written by [`to_bytes`], which
//! lets no secret through. Deliberately absent: when a file is written, and whether one that came from elsewhere is
//! believed.

mod file;
mod forget;
mod hydrate;
mod lock;
mod merge;
mod port;
mod proposal;
mod record;
mod register;
mod snapshot;
#[cfg(test)]
mod tests;

pub use file::{
    ContextFile, ConversationState, Parsed, SessionMemory, SessionStats, VERSION, WindowMessage,
    parse, to_bytes,
};
pub use forget::{Forgotten, Words, forget};
pub use hydrate::{Hydrating, TOKEN_LIMIT, hydrate, hydrate_prompt, plan_sections};
pub use lock::{Holder, LockFile, STALE_AFTER, Sighting, Standing, sighting, standing};
pub use merge::{MergeConflict, Merged, merge, merge_workflows};
pub use port::{BrainFile, BrainFiles, SessionError, SessionFiles, Stored};
pub use proposal::{Proposal, proposals};
pub use record::{ProposalRecord, ProposalState, SessionRecord, SessionRecords};
pub use register::{
    LAST_DECISIONS, Leaving, Registered, Registering, WINDOW_KEEP, Workplace, extractive,
    plan_switched, register_message, remember,
};
pub use snapshot::{Snapshot, overdue};

/// The JSON Schema of `context.json`.
pub const CONTEXT_SCHEMA: &str = include_str!("../../../../../docs/schema/context.schema.json");

/// The JSON Schema of `workflow.json`.
pub const WORKFLOW_SCHEMA: &str = include_str!("../../../../../docs/schema/workflow.schema.json");

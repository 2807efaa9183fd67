//! Copies of projects, in which something is worked on beside them, as hosts ask for them and see them.

use serde::{Deserialize, Serialize};
use siltstone_engine::checkpoint::NotCaptured;
use siltstone_engine::ids::{CheckpointId, ProjectId};
use ts_rs::TS;

use crate::ProjectHolds;

/// What can be made of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CopyPlace {
    /// Whether git can make a worktree of it. Otherwise a copy is a folder without a repository.
    pub worktree: bool,
    /// The folder in which copies are made: the one that the project lies in.
    pub beside: String,
}

/// Makes a copy of a project beside it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CreateCopy {
    /// Names this for `copy_cancel`.
    pub making_id: String,
    /// Of which project; the person trusts it.
    pub project_id: ProjectId,
    /// What it is for: folder and branch are named after it.
    pub name: String,
    /// A worktree of git, on a branch of its own; otherwise a folder without a repository.
    pub worktree: bool,
}

/// How far a copy has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CopyMade {
    /// Files that are written.
    pub done: u64,
    /// Of so many.
    pub total: u64,
}

/// Cancels the making of a copy.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CancelCopy {
    /// Which.
    pub making_id: String,
}

/// What there is in a copy that would go with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CopyHolds {
    /// The folder.
    pub path: String,
    /// The branch that stays in the repository, with what was committed to it.
    pub branch: Option<String>,
    /// Files in which the copy differs from the project that it is of, as far as the copy changed them.
    pub unmerged: u64,
    /// Conversations; they go over to the project, and so do lines of memory and proposals.
    pub conversations: u64,
    /// Checkpoints that somebody named or pinned; they go too.
    pub named: u64,
    /// What else is kept of it. Its plans, tasks, decisions and checkpoints go.
    pub holds: ProjectHolds,
    /// Paths that are in no checkpoint and go for good; the first ones. What git ignores goes too and is not among them.
    pub lost: Vec<NotCaptured>,
}

/// What became of a copy that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CopyRemoved {
    /// The project that it was of.
    pub project_id: Option<ProjectId>,
    /// The checkpoint there that holds what the copy held last.
    pub kept: Option<CheckpointId>,
    /// Where that of the folder lies that could not be deleted.
    pub rest: Option<String>,
}

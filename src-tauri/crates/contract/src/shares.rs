//! Memory in the files that other agents read by themselves.

use serde::{Deserialize, Serialize};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::{Share, ShareFile};
use ts_rs::TS;

/// A file that agents read, and whether memory is kept in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SharedFile {
    /// Which.
    pub file: ShareFile,
    /// Its path from the project's root.
    pub path: String,
    /// Who reads it.
    pub readers: String,
    /// As the person chose it; `None` where memory is not kept in it.
    pub how: Option<Share>,
    /// How it stands.
    pub state: ShareState,
    /// Lines that were written into the block by hand.
    pub by_hand: Vec<String>,
}

/// How a file stands in which memory may be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ShareState {
    /// Memory is not kept in it.
    Off,
    /// It says what memory says.
    Current,
    /// Memory says something else by now.
    Behind,
    /// Somebody wrote into the block.
    Edited,
    /// The person chose it, and the block is not there any more.
    Gone,
    /// Somebody else changed the file, which waits for the person's answer.
    Waits,
    /// Its marks are not one pair.
    Broken,
    /// It cannot be read, or is another of these files under another name.
    Unreadable {
        /// Why.
        detail: String,
    },
}

/// Asks what files would say.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LookShare {
    /// The project.
    pub project_id: ProjectId,
    /// The files.
    pub files: Vec<ShareWish>,
}

/// How memory is to be kept in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ShareWish {
    /// The file.
    pub file: ShareFile,
    /// How; `None` takes it out.
    pub how: Option<Share>,
}

/// What a file says and would say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SharePlan {
    /// How memory would be kept in it.
    pub wish: ShareWish,
    /// Its path from the project's root.
    pub path: String,
    /// What it says; `None` where there is none.
    pub before: Option<String>,
    /// What it would say; `None` where there would be none.
    pub after: Option<String>,
    /// The hash of what it says.
    pub base: Option<String>,
    /// Lines that were written into the block by hand, which become proposals.
    pub by_hand: Vec<String>,
}

/// Writes files as they were shown.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WriteShare {
    /// The project.
    pub project_id: ProjectId,
    /// The plans that were shown.
    pub plans: Vec<SharePlan>,
}

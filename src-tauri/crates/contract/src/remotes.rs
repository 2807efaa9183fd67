//! Checkpoints that go beyond this computer: in a file, from other programs' places, and on remotes.

use serde::{Deserialize, Serialize};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::foreign::ForeignNote;
use siltstone_engine::checkpoint::remote::{RemotePlace, SyncRule, Synced};
use siltstone_engine::export::ImportWarning;
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::keys::Place;
use siltstone_engine::secret::Secret;
use ts_rs::TS;

use crate::CheckpointItem;

/// A checkpoint as one file.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct ExportCheckpoint {
    /// Which.
    pub id: CheckpointId,
    /// Locks the file; without it, secrets are taken out of the conversation, as out of any export.
    pub passphrase: Option<Secret>,
}

/// Takes a checkpoint out of a file.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct ImportCheckpoint {
    /// Into this project.
    pub project_id: ProjectId,
    /// Opens the file, if it is locked.
    pub passphrase: Option<Secret>,
    /// A file that was handed over by a start of the program, or dropped on the window; else the person is asked for one.
    #[serde(default)]
    #[ts(optional)]
    pub file: Option<String>,
}

/// A checkpoint that came from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportedCheckpoint {
    /// The checkpoint; the rules leave it alone until it is unpinned.
    pub item: CheckpointItem,
    /// What of its conversation was not taken over as it stood.
    pub warnings: Vec<ImportWarning>,
    /// What of a foreign file was not as it says.
    pub notes: Vec<ForeignNote>,
}

/// A file in the form and at a place of the Checkpoints design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ForeignItem {
    /// Where it is.
    pub path: String,
    /// Its id there.
    pub id: String,
    /// Its tag.
    pub tag: Option<String>,
    /// When it was made.
    pub timestamp: Option<Timestamp>,
    /// How many messages can be had.
    pub messages: u64,
    /// How many files can be had; `None` when it holds none.
    pub files: Option<u64>,
    /// The version that wrote it.
    pub version: String,
    /// What of it is not as it says.
    pub notes: Vec<ForeignNote>,
}

/// Takes such a file over.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportForeign {
    /// Into this project.
    pub project_id: ProjectId,
    /// One of the listed files.
    pub path: String,
}

/// Names a remote.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemoteRef {
    /// Its name.
    pub name: String,
}

/// A new remote. One that others push to already is joined with its passphrase; else this passphrase becomes its own.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct AddRemote {
    /// Its name, unique.
    pub name: String,
    /// Where it is.
    pub at: RemotePlace,
    /// The secret that goes with the place; a folder has none.
    pub credentials: Option<Secret>,
    /// Opens the remote on every computer; at least eight characters.
    pub passphrase: Secret,
    /// Where its key and credentials are kept.
    pub key_place: Place,
}

/// A remote as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RemoteItem {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub at: RemotePlace,
    /// Where its key and credentials are kept.
    pub key_place: Place,
    /// Whether the settings let anything go there.
    pub allowed: bool,
    /// When checkpoints go there without being asked for.
    pub sync: SyncRule,
    /// How that went last, by project.
    pub synced: Vec<SyncedProject>,
}

/// How sending by rule went for one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SyncedProject {
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub project: String,
    /// How it went.
    pub synced: Synced,
}

/// When checkpoints go to a remote.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SetSync {
    /// The remote.
    pub name: String,
    /// When.
    pub sync: SyncRule,
}

/// What asking a remote found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RemoteTested {
    /// Checkpoints it keeps.
    pub checkpoints: u64,
    /// Bundles of objects it keeps.
    pub bundles: u64,
}

/// A checkpoint on a remote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RemoteCheckpoint {
    /// As in the list of the computer that made it.
    pub item: CheckpointItem,
    /// The name of its project there.
    pub project: String,
    /// Where it was made.
    pub project_path: String,
    /// Whether this computer has it.
    pub here: bool,
}

/// Sends a project's checkpoints to a remote that lacks them.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PushCheckpoints {
    /// The remote's name.
    pub remote: String,
    /// The project.
    pub project_id: ProjectId,
    /// Names the run, to cancel it.
    pub carry_id: String,
}

/// Fetches checkpoints of a remote into a project. Nothing here is overwritten.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PullCheckpoints {
    /// The remote's name.
    pub remote: String,
    /// The project.
    pub project_id: ProjectId,
    /// Which; none for all.
    pub ids: Vec<CheckpointId>,
    /// Names the run, to cancel it.
    pub carry_id: String,
}

/// A push or pull to cancel.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CancelCarrying {
    /// As given to it.
    pub carry_id: String,
}

/// How far a push or pull is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CarryEvent {
    /// Checkpoints that are through.
    pub done: u64,
    /// Checkpoints in all.
    pub total: u64,
    /// Bytes that went over.
    pub bytes: u64,
}

/// What a push or pull did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Carried {
    /// Checkpoints that went over.
    pub done: Vec<CheckpointId>,
    /// Checkpoints that were there already.
    pub known: u64,
    /// Checkpoints that are not whole, or of a newer form, each with why; the rest went over.
    pub left_out: Vec<NotCarried>,
    /// Bytes that went over.
    pub bytes: u64,
}

/// A checkpoint that did not go over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NotCarried {
    /// Which.
    pub id: CheckpointId,
    /// Why.
    pub detail: String,
}

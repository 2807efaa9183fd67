//! Newer versions of the program: what is asked of them and said about them.

use serde::{Deserialize, Serialize};
use siltstone_engine::update::{InstalledAs, Update};
use ts_rs::TS;

/// How this copy stands; nothing is asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UpdateState {
    /// The version that runs.
    pub version: String,
    /// As what it was installed.
    pub installed_as: InstalledAs,
    /// The address where newer versions are told of; `None` where this copy names nobody who signs them.
    pub feed: Option<String>,
    /// The newer version that a look found last.
    pub update: Option<Update>,
    /// Whether its package is here, verified.
    pub fetched: bool,
}

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UpdateLooked {
    /// The version that the feed offers, newer or not.
    pub offered: String,
    /// How this copy stands since.
    pub state: UpdateState,
}

/// Fetches the package of a version that was shown.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GetUpdate {
    /// The version.
    pub version: String,
    /// Names the download, to cancel it.
    pub work_id: String,
}

/// A download to cancel.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CancelUpdate {
    /// As given to it.
    pub work_id: String,
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UpdateEvent {
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes in all, where that is known.
    pub of: Option<u64>,
}

/// Puts a package that was fetched in the program's place.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct InstallUpdate {
    /// The version that was shown.
    pub version: String,
}

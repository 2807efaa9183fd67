//! Who writes a `.ai-brain` on a folder that machines share (behaviour.md, Sessions).
//!
//! On one machine the folder's own lock and comparing are enough. A file system that machines share may keep no such
//! locks, so the one that writes says so in `lock.json` and lets its revision grow at every heartbeat; the others read.
//! A revision that stands still is what tells that the owner is gone, because the clocks of two machines differ; its lock
//! is taken then, and that is said.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An owner whose revision did not grow for so long is gone.
pub const STALE_AFTER: Duration = Duration::from_secs(90);

/// Who writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The account.
    pub owner: String,
    /// The machine.
    pub host: String,
    /// The process.
    pub pid: u32,
}

/// `lock.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockFile {
    /// The account that writes.
    pub owner: String,
    /// Its machine.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// When it was written; shown, never compared.
    pub heartbeat: Timestamp,
    /// Grows at every heartbeat.
    pub revision: u64,
    /// What others put beside it.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A lock as it was seen first with its revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The lock.
    pub lock: LockFile,
    /// When it was seen first.
    pub since: Timestamp,
}

/// Who may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody says so yet.
    Free,
    /// We do.
    Ours,
    /// Another process of this machine does, beside which we write too.
    SameMachine,
    /// Another machine does; we read.
    Foreign,
    /// Another machine did and has gone silent; we write in its place.
    Stale,
}

impl Standing {
    /// Whether we write.
    pub fn may_write(self) -> bool {
        !matches!(self, Self::Foreign)
    }
}

impl LockFile {
    /// The next heartbeat of a holder, after the lock that is there. Taking over is the same.
    pub fn next(holder: &Holder, before: Option<&Self>, now: Timestamp) -> Self {
        let Holder { owner, host, pid } = holder.clone();
        let revision = before.map_or(0, |lock| lock.revision).saturating_add(1);
        let rest = before.map(|lock| lock.rest.clone()).unwrap_or_default();
        Self { owner, host, pid, heartbeat: now, revision, rest }
    }
}

/// What to remember of the lock that is there: when it was seen first as it is.
pub fn sighting(lock: LockFile, before: Option<Sighting>, now: Timestamp) -> Sighting {
    match before {
        Some(before) if before.lock == lock => before,
        _ => Sighting { lock, since: now },
    }
}

/// Who may write, by the lock that is there and how long it has stood still.
pub fn standing(seen: Option<&Sighting>, us: &Holder, now: Timestamp) -> Standing {
    let Some(Sighting { lock, since }) = seen else {
        return Standing::Free;
    };
    if lock.host == us.host {
        return if lock.pid == us.pid { Standing::Ours } else { Standing::SameMachine };
    }
    let still = now.duration_since(*since);
    if still.unsigned_abs() >= STALE_AFTER { Standing::Stale } else { Standing::Foreign }
}

//! Sealing of checkpoints (behaviour.md, Checkpoints) as hosts ask for it and see it.

use serde::{Deserialize, Serialize};
use siltstone_engine::keys::Place;
use siltstone_engine::secret::Secret;
use ts_rs::TS;

/// How far checkpoints are sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckpointSealing {
    /// Whether what comes is sealed.
    pub on: bool,
    /// Whether the key is not at hand: the list shows what may be seen without it, and everything else waits.
    pub locked: bool,
    /// Whether this program is at it, sealing what exists or the other way round.
    pub working: bool,
    /// Bytes on disk that are sealed.
    pub sealed_bytes: u64,
    /// Bytes on disk that are not.
    pub plain_bytes: u64,
    /// Whether a recovery passphrase was set.
    pub recovery: bool,
    /// Where the key is kept; `None` while there is none.
    pub place: Option<Place>,
}

/// Seals checkpoints from now on, and all that exist. Goes on with what was cut off.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct SealCheckpoints {
    /// Where a new key is kept, the keyring or the encrypted file; `None` for the one that is open. A key that is kept
    /// already stays where it is.
    pub place: Option<Place>,
}

/// How far sealing what exists has come, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SealEvent {
    /// Bytes that have the form they should have.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Sets the recovery passphrase, in place of the earlier one.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct SetRecovery {
    /// The person's own, of at least twelve characters; `None` for a new one.
    pub passphrase: Option<Secret>,
}

/// A recovery passphrase, which is shown this once and kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecoveryShown {
    /// The passphrase.
    pub passphrase: String,
}

/// Opens sealed checkpoints.
#[derive(Clone, Debug, Deserialize, TS)]
pub struct UnlockCheckpoints {
    /// With the recovery passphrase, after which the key is kept again where it was; `None` for the kept key.
    pub passphrase: Option<Secret>,
}

//! Checkpoints beyond one computer: what a remote is, what it keeps, and what reaching it needs of the world.
//!
//! A remote is a set of blobs that are written once and never change, so two computers that push at once cannot hurt each
//! other. Everything in it is sealed under a key of its own; [`KEY`] holds that key under the person's passphrase. Names
//! tell ids and times, sizes tell sizes, and nothing else can be read there. What leaves goes through [`Web`], the one
//! gate. Deliberately absent: deleting, and any notion of a newest one.

use std::collections::{BTreeMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Checkpoint;
use crate::ids::{CheckpointId, ProjectId};
use crate::keys::{Account, Place};
use crate::ports::{Access, Asked};
use crate::provider::ProviderError;
use crate::secret::Secret;

/// The remote's key under a passphrase.
pub const KEY: &str = "key.age";
/// Where bundles of objects are.
pub const OBJECTS: &str = "objects/";
/// Where the lists of what is in each bundle are, written after it.
pub const INDEXES: &str = "indexes/";
/// Where checkpoints are, each written after everything it names.
pub const CHECKPOINTS: &str = "checkpoints/";

/// Bytes a bundle has, unless it holds one larger object.
pub const BUNDLE_BYTES: usize = 16 * 1024 * 1024;

/// A place for checkpoints, as the person set it up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Remote {
    /// Its name, unique.
    pub name: String,
    /// Where it is.
    pub at: RemotePlace,
    /// Where its key and credentials are kept.
    pub key_place: Place,
    /// When checkpoints go there without being asked for.
    #[serde(default)]
    pub sync: SyncRule,
    /// How that went last, by project.
    #[serde(default)]
    pub synced: BTreeMap<ProjectId, Synced>,
}

/// When checkpoints go to a remote without being asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SyncRule {
    /// Only when the person says so.
    #[default]
    ByHand,
    /// After each checkpoint.
    AfterEach,
    /// Once a day, with the first checkpoint of it.
    Daily,
    /// When the program ends.
    OnClose,
}

/// What happens when a rule is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMoment {
    /// A checkpoint was taken.
    Taken,
    /// The program ends.
    Closing,
}

/// How sending by rule went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Synced {
    /// When.
    pub at: Timestamp,
    /// Checkpoints of the project that other computers left there and that are not here.
    pub waiting: u32,
    /// Those of them that go on from a checkpoint from which this computer went on, too.
    pub conflicts: Vec<CheckpointId>,
    /// What kept them from going, in English; `None` where they went.
    pub failed: Option<String>,
}

impl SyncRule {
    /// Whether checkpoints go now; `last` is when they went by rule last.
    pub fn is_due(self, moment: SyncMoment, last: Option<Timestamp>, now: Timestamp) -> bool {
        let a_day = || last.is_none_or(|last| now.duration_since(last).as_hours().abs() >= 24);
        match (self, moment) {
            (Self::AfterEach, SyncMoment::Taken) | (Self::OnClose, SyncMoment::Closing) => true,
            (Self::Daily, _) => a_day(),
            _ => false,
        }
    }
}

/// Those of the waiting checkpoints that go on from where something here went on as well.
pub fn conflicts(here: &[Checkpoint], waiting: &[Checkpoint]) -> Vec<CheckpointId> {
    let went_on: HashSet<CheckpointId> = here.iter().filter_map(|it| it.parent).collect();
    let both = waiting.iter().filter(|it| it.parent.is_some_and(|id| went_on.contains(&id)));
    both.map(|it| it.id).collect()
}

impl Remote {
    /// What its key is kept under.
    pub fn account(&self) -> Account {
        Account::from_text(format!("remote key {} {}", self.name, self.at.shown()))
    }

    /// What the credentials are kept under. They belong to the place they were entered for.
    pub fn credentials_account(&self) -> Account {
        Account::from_text(format!("remote credentials {} {}", self.name, self.at.shown()))
    }
}

/// Where a remote is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RemotePlace {
    /// A folder: another disk, a stick, a share.
    Folder {
        /// Its path.
        path: String,
    },
    /// A bucket that speaks S3.
    S3 {
        /// Address of the service; empty for Amazon's own.
        endpoint: String,
        /// The region.
        region: String,
        /// The bucket.
        bucket: String,
        /// What every name begins with; empty for nothing.
        prefix: String,
        /// The id that goes with the secret key.
        access_key_id: String,
    },
    /// A container of Azure's blob storage.
    Azure {
        /// Address of the service; empty for the account's own.
        endpoint: String,
        /// The account.
        account: String,
        /// The container.
        container: String,
        /// What every name begins with; empty for nothing.
        prefix: String,
    },
    /// A bucket of Google's cloud storage.
    Gcs {
        /// The bucket.
        bucket: String,
        /// What every name begins with; empty for nothing.
        prefix: String,
    },
}

impl RemotePlace {
    /// The place in one line, without credentials.
    pub fn shown(&self) -> String {
        match self {
            Self::Folder { path } => path.clone(),
            Self::S3 { endpoint, bucket, prefix, .. } => format!("s3 {endpoint} {bucket}/{prefix}"),
            Self::Azure { endpoint, account, container, prefix } => {
                format!("azure {endpoint} {account} {container}/{prefix}")
            }
            Self::Gcs { bucket, prefix } => format!("gcs {bucket}/{prefix}"),
        }
    }

    /// Whether it is reached without a network.
    pub fn is_folder(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }
}

/// How reaching a remote fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// What the person typed names no place.
    #[error("the remote cannot be used: {detail}")]
    Unusable {
        /// What is wrong with it.
        detail: String,
    },
    /// It is elsewhere, and only this computer may be used.
    #[error("{url} is not on this computer")]
    NotLocal {
        /// The address without credentials or query.
        url: String,
    },
    /// It is elsewhere, and the way there is not encrypted.
    #[error("{url} is not encrypted")]
    Insecure {
        /// The address without credentials or query.
        url: String,
    },
    /// Nobody answers, or the answer is no use.
    #[error("the remote cannot be reached: {detail}")]
    Unreachable {
        /// What the network or the service said.
        detail: String,
    },
    /// It says no.
    #[error("the remote refused: {detail}")]
    Refused {
        /// What the service said.
        detail: String,
    },
    /// There is no such blob.
    #[error("{name} is not on the remote")]
    NotFound {
        /// Its name.
        name: String,
    },
    /// What was to leave could not be written down, so it did not leave.
    #[error("not sent, because it could not be recorded: {detail}")]
    NotRecorded {
        /// What the store said.
        detail: String,
    },
}

/// A future of a remote.
pub type Carried<'a, T> = Pin<Box<dyn Future<Output = Result<T, RemoteError>> + Send + 'a>>;

/// Named blobs that are written once. Names are ours: `/` and letters that any service takes.
pub trait RemoteBlobs: Send + Sync {
    /// The names that begin so, in any order.
    fn list<'a>(&'a self, prefix: &'a str) -> Carried<'a, Vec<String>>;
    /// The bytes under a name.
    fn get<'a>(&'a self, name: &'a str) -> Carried<'a, Vec<u8>>;
    /// Writes a blob whole; `false` when the name is taken, and then nothing changes.
    fn put_if_absent<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Carried<'a, bool>;
}

/// Reaches remotes.
pub trait Remotes: Send + Sync {
    /// The blobs of a place. Asks nobody yet.
    fn connect(
        &self,
        at: &RemotePlace,
        credentials: Option<&Secret>,
        access: Access,
    ) -> Result<Arc<dyn RemoteBlobs>, RemoteError>;
}

/// A request that a library made and that leaves through the gate.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// The method.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Names and values; `authorization` and the like are written down without their values.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Name of another header whose value opens something; empty for none.
    pub secret_header: String,
    /// The bytes.
    pub body: Vec<u8>,
    /// Whether the bytes are worth keeping in the record of what left; nobody can read what is sealed.
    pub keep: bool,
    /// Whether it is written down also where it carries nothing and stays on this computer.
    pub noted: bool,
    /// Most bytes of the answer, and of a line of it.
    pub most: u64,
}

/// What came back, whatever its status.
#[derive(Clone, Debug)]
pub struct WebAnswer {
    /// The status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The bytes.
    pub body: Vec<u8>,
}

/// What comes back piece by piece, whatever its status. Dropping it closes the connection.
pub struct WebStream {
    /// The status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The bytes as they come.
    pub body: Pin<Box<dyn Stream<Item = Result<Vec<u8>, ProviderError>> + Send>>,
}

/// The one gate, for libraries that speak HTTP of their own.
pub trait Web: Send + Sync {
    /// Sends a request, if its address may be asked, after it was written down.
    fn send(&self, request: WebRequest, access: Access) -> Asked<'_, WebAnswer>;
    /// The same, for an answer that is read while it comes.
    fn open(&self, request: WebRequest, access: Access) -> Asked<'_, WebStream>;
}

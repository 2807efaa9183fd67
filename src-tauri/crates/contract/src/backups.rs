//! What hosts ask of backups and of a damaged database.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which backup to put in place.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RestoreBackup {
    /// File name inside the backups folder.
    pub name: String,
}

/// Which backups to delete.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DeleteBackups {
    /// File names inside the backups folder.
    pub names: Vec<String>,
}

/// What a damaged database is salvaged with.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RunSalvage {
    /// File name of a backup that adds what the damaged database does not have; none where it is `None`.
    pub backup: Option<String>,
}

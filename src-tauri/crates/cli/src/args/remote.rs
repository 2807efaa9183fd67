//! What may be typed about checkpoints that go beyond this computer. Secrets come in files, never as words.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use siltstone_engine::checkpoint::remote::SyncRule;

use super::Keep;

#[derive(Debug, Subcommand)]
pub enum Carry {
    /// Write a checkpoint into a file, with everything that restoring it elsewhere takes
    Export {
        /// The checkpoint, by id or name
        id: String,
        /// The file; it must not exist
        file: PathBuf,
        /// Lock the file with the passphrase that this one holds
        #[arg(long, value_name = "FILE")]
        lock: Option<PathBuf>,
    },
    /// Take a checkpoint out of such a file
    Import {
        /// The file
        file: PathBuf,
        /// Unlock it with the passphrase that this file holds
        #[arg(long, value_name = "FILE")]
        unlock: Option<PathBuf>,
    },
    /// Checkpoints of other programs; with a path, take that one over
    Foreign {
        /// One of the listed files
        path: Option<String>,
    },
    /// Send the project's checkpoints to a remote that lacks them
    Push {
        /// The remote
        remote: String,
    },
    /// Fetch checkpoints of a remote into the project; nothing is overwritten
    Pull {
        /// The remote
        remote: String,
        /// Their ids [default: all]
        ids: Vec<String>,
    },
    /// Places beyond this computer: list, add, test, remove
    #[command(subcommand)]
    Remote(Remote),
}

#[derive(Debug, Subcommand)]
pub enum Remote {
    /// The remotes
    List,
    /// Add a remote: join what is there with its passphrase, or begin with it
    Add {
        /// Its name
        name: String,
        /// What it is
        kind: Where,
        /// The folder, the bucket, or the account and container as ACCOUNT/CONTAINER
        place: String,
        /// The file that holds the passphrase; it opens the remote on every computer
        #[arg(long, value_name = "FILE")]
        open: PathBuf,
        /// The file that holds the secret key, account key or service account
        #[arg(long, value_name = "FILE")]
        credentials: Option<PathBuf>,
        /// Address of the service, unless it is the maker's own
        #[arg(long, default_value = "", value_name = "URL")]
        endpoint: String,
        /// The region
        #[arg(long, default_value = "us-east-1")]
        region: String,
        /// What every name begins with
        #[arg(long, default_value = "")]
        prefix: String,
        /// The id that goes with the secret key
        #[arg(long, default_value = "", value_name = "ID")]
        access_key_id: String,
        /// Where its key is kept
        #[arg(long, value_enum, default_value = "keyring")]
        keep: Keep,
    },
    /// Ask a remote what it keeps, and whether the key here opens it
    Test {
        /// The remote
        name: String,
    },
    /// The checkpoints on a remote
    Show {
        /// The remote
        name: String,
    },
    /// When checkpoints go to a remote without being asked for
    Sync {
        /// The remote
        name: String,
        /// When
        #[arg(value_enum)]
        rule: SyncWhen,
    },
    /// Forget a remote and what opens it; what is on it stays
    Remove {
        /// The remote
        name: String,
    },
}

/// When checkpoints go to a remote.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SyncWhen {
    /// Only when they are pushed
    ByHand,
    /// After each checkpoint
    AfterEach,
    /// Once a day, with the first checkpoint of it
    Daily,
    /// When the program ends
    OnClose,
}

impl From<SyncWhen> for SyncRule {
    fn from(when: SyncWhen) -> Self {
        match when {
            SyncWhen::ByHand => Self::ByHand,
            SyncWhen::AfterEach => Self::AfterEach,
            SyncWhen::Daily => Self::Daily,
            SyncWhen::OnClose => Self::OnClose,
        }
    }
}

/// What a remote is.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Where {
    /// A folder: another disk, a stick, a share
    Folder,
    /// A bucket that speaks S3
    S3,
    /// A container of Azure's blob storage
    Azure,
    /// A bucket of Google's cloud storage
    Gcs,
}

//! How the engine's world fails. Adapters say what happened; the app turns it into a code with a hint.

/// How keeping and finding durable things fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No such thing.
    #[error("no {what} {id}")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// Its id or name.
        id: String,
    },
    /// The thing is not in a state that allows this.
    #[error("{what}")]
    Conflict {
        /// What stands in the way.
        what: &'static str,
    },
    /// Another folder has the place of a project's.
    #[error("{path} is another folder than the one that was opened")]
    Replaced {
        /// Its path.
        path: String,
    },
    /// It is sealed, and the key is not at hand.
    #[error("checkpoints are sealed, and their key is not at hand")]
    Locked,
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// The place cannot be written.
    #[error("cannot write: {detail}")]
    ReadOnly {
        /// What the system said.
        detail: String,
    },
    /// Another process held the database for too long.
    #[error("the database is busy")]
    Busy,
    /// The database cannot be read; it is left as it is.
    #[error("{path} is damaged: {detail}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The database was written by a newer version; it is left as it is.
    #[error("{path} has version {found}, this program knows {known}")]
    Newer {
        /// The file.
        path: String,
        /// Its schema version.
        found: u32,
        /// The newest we know.
        known: u32,
    },
    /// Anything else the system says.
    #[error("{detail}")]
    Io {
        /// What the system said.
        detail: String,
    },
}

/// How reading a project folder fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    /// There is no folder at this path.
    #[error("no folder at {path}")]
    NotAFolder {
        /// The path.
        path: String,
    },
    /// The path leaves the project, is not a regular file, or is one that is never read.
    #[error("{path} is not readable in this project")]
    Outside {
        /// The path.
        path: String,
    },
    /// The person excluded the file from requests.
    #[error("{path} is excluded")]
    Excluded {
        /// The path.
        path: String,
    },
    /// The file is not text.
    #[error("{path} is not text")]
    NotText {
        /// The path.
        path: String,
    },
    /// The file is larger than any that is read.
    #[error("{path} has {bytes} bytes, more than the {most} that are read")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        bytes: u64,
        /// The largest size that is read.
        most: u64,
    },
    /// The person cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Anything else the system says.
    #[error("{path}: {detail}")]
    Io {
        /// The path.
        path: String,
        /// What the system said.
        detail: String,
    },
}

/// How keeping and finding keys fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The system's keyring is closed until the person opens it.
    #[error("the keyring is locked")]
    Locked,
    /// The system has no keyring.
    #[error("no keyring: {detail}")]
    Absent {
        /// What the system said.
        detail: String,
    },
    /// The keyring, or the person it asked, did not answer.
    #[error("the keyring did not answer within {seconds} s")]
    TimedOut {
        /// How long was waited.
        seconds: u64,
    },
    /// The keyring is open and does not do what it is asked for.
    #[error("the keyring refused: {detail}")]
    Refused {
        /// What the system said.
        detail: String,
    },
    /// The encrypted file is closed, or there is none.
    #[error("the encrypted file is not open")]
    VaultLocked,
    /// The passphrase does not open the encrypted file.
    #[error("the passphrase does not open the encrypted file, or the file is damaged")]
    WrongPassphrase,
    /// Anything else the system says.
    #[error("{detail}")]
    Io {
        /// What the system said.
        detail: String,
    },
}

/// The texts of several files, each of them read or refused.
pub type Texts = Vec<Result<String, FolderError>>;

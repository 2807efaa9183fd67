//! What the engine's world must offer. Small traits, one per concept; adapters implement them.

use std::pin::Pin;

use futures_core::Stream;
use jiff::Timestamp;

use crate::conversation::{
    Conversation, ConversationFilter, ConversationPatch, PathMessage, PathPage, QueuedMessage,
};
use crate::ids::{BranchId, ConversationId, MessageId, ProjectId, TurnId};
use crate::keys::{Account, KeyShown, KeyringState, Place, VaultState};
use crate::message::{Message, MessageStatus, Part};
use crate::passage::{FileStamp, Passage};
use crate::project::{InstructionFile, Probe, ProbeProgress, Project, Trust};
use crate::provider::{Chunk, FoundServer, ModelInfo, ModelRequest, ProviderError, ProviderRecord};
use crate::search::{SearchHits, SearchScope};
use crate::secret::Secret;
use crate::section::Manifest;
use crate::settings::Settings;
use crate::turn::{Turn, TurnFault, TurnStatus, Usage};

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
    /// The file is not text.
    #[error("{path} is not text")]
    NotText {
        /// The path.
        path: String,
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

/// Everything that becomes durable when a question is asked, in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnOpening {
    /// The turn, open.
    pub turn: Turn,
    /// The question when it is new; `None` when a reply is regenerated or continued.
    pub question: Option<NewMessage>,
    /// The empty reply, streaming.
    pub reply: NewMessage,
    /// What the conversation is called from now on, if it has no title yet.
    pub title: Option<String>,
}

/// A message that joins a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// The message; `index` is set by the store.
    pub message: Message,
    /// A branch of this id is made when the message's parent already has a child; it becomes the active one.
    pub branch_if_needed: BranchId,
}

/// How a turn ends.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnClosing {
    /// Which turn.
    pub turn_id: TurnId,
    /// Completed, interrupted or failed.
    pub status: TurnStatus,
    /// The reply's final status.
    pub reply_status: MessageStatus,
    /// The reply's final parts.
    pub parts: Vec<Part>,
    /// Tokens of the reply's parts.
    pub tokens: u64,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// What it cost, in billionths of a US dollar; `None` when the price is not known.
    pub cost: Option<u64>,
    /// Why it failed.
    pub fault: Option<TurnFault>,
    /// When.
    pub closed_at: Timestamp,
}

/// Conversations and their messages.
pub trait Transcripts: Send + Sync {
    /// Makes an empty conversation durable.
    fn create_conversation(&self, conversation: &Conversation) -> Result<(), StoreError>;
    /// One conversation, also from the trash.
    fn conversation(&self, id: ConversationId) -> Result<Conversation, StoreError>;
    /// Conversations, pinned first, then the latest; empty ones without a draft are left out.
    fn conversations(&self, filter: &ConversationFilter) -> Result<Vec<Conversation>, StoreError>;
    /// Changes what the patch names.
    fn update_conversation(
        &self,
        id: ConversationId,
        patch: &ConversationPatch,
    ) -> Result<(), StoreError>;
    /// Deletes a trashed conversation with all its traces, for ever.
    fn purge_conversation(&self, id: ConversationId) -> Result<(), StoreError>;

    /// Messages `start..start + limit` of the active path; `None` gives the newest `limit`. Cost grows with `limit`
    /// and the number of branches, never with the length of the history.
    fn page(
        &self,
        id: ConversationId,
        start: Option<u64>,
        limit: u64,
    ) -> Result<PathPage, StoreError>;
    /// One message.
    fn message(&self, id: MessageId) -> Result<PathMessage, StoreError>;
    /// Every message of a conversation on every branch, parents before children, for exports.
    fn all_messages(&self, id: ConversationId) -> Result<Vec<Message>, StoreError>;
    /// Adds a whole message (imports); the parent must exist.
    fn append_message(&self, message: &NewMessage) -> Result<(), StoreError>;
    /// Adds many messages in one transaction, parents before children (imports).
    fn append_messages(&self, messages: &[NewMessage]) -> Result<(), StoreError>;
    /// Shows the path through this message that was shown or grew last.
    fn activate(&self, id: MessageId) -> Result<(), StoreError>;

    /// Makes question, empty reply and turn durable in one transaction. Fails with `Conflict` while another turn of
    /// the conversation is open in a living process.
    fn open_turn(&self, opening: &TurnOpening) -> Result<(), StoreError>;
    /// Appends streamed text to an open reply; durable when it returns.
    fn append_partial(&self, turn: TurnId, text: &str) -> Result<(), StoreError>;
    /// Stores what the turn's request was made of.
    fn set_manifest(&self, turn: TurnId, manifest: &Manifest) -> Result<(), StoreError>;
    /// Ends a turn.
    fn close_turn(&self, closing: &TurnClosing) -> Result<(), StoreError>;
    /// One turn.
    fn turn(&self, id: TurnId) -> Result<Turn, StoreError>;
    /// What was sent for a turn.
    fn manifest(&self, id: TurnId) -> Result<Option<Manifest>, StoreError>;
    /// The turns behind these replies.
    fn turns_of_replies(&self, replies: &[MessageId]) -> Result<Vec<Turn>, StoreError>;
    /// The open turn of a conversation, if a living process carries one out.
    fn open_turn_of(&self, id: ConversationId) -> Result<Option<Turn>, StoreError>;
    /// Closes turns whose process is gone as interrupted, with the text that was durable; says which.
    fn recover_turns(&self, now: Timestamp) -> Result<Vec<TurnId>, StoreError>;

    /// Adds a message that waits.
    fn enqueue(&self, id: ConversationId, message: &QueuedMessage) -> Result<(), StoreError>;
    /// Messages that wait, oldest first.
    fn queued(&self, id: ConversationId) -> Result<Vec<QueuedMessage>, StoreError>;
    /// Takes one out; `false` if it was gone already.
    fn dequeue(&self, message: MessageId) -> Result<bool, StoreError>;

    /// Full-text search over messages.
    fn search(
        &self,
        query: &str,
        scope: &SearchScope,
        limit: u32,
    ) -> Result<SearchHits, StoreError>;
}

/// Projects, settings and providers.
pub trait Records: Send + Sync {
    /// Adds a project or changes its name, trust and time of opening; keyed by path.
    fn put_project(&self, project: &Project) -> Result<(), StoreError>;
    /// One project.
    fn project(&self, id: ProjectId) -> Result<Project, StoreError>;
    /// The project at this real path, if it was opened before.
    fn project_at(&self, path: &str) -> Result<Option<Project>, StoreError>;
    /// All projects, the last opened first.
    fn projects(&self) -> Result<Vec<Project>, StoreError>;
    /// Changes the person's answer.
    fn set_trust(&self, id: ProjectId, trust: Trust) -> Result<(), StoreError>;
    /// Forgets a project and its index; its conversations stay, without a project.
    fn forget_project(&self, id: ProjectId) -> Result<(), StoreError>;

    /// The settings.
    fn settings(&self) -> Result<Settings, StoreError>;
    /// Stores the settings.
    fn put_settings(&self, settings: &Settings) -> Result<(), StoreError>;

    /// Providers the person added, by name.
    fn providers(&self) -> Result<Vec<ProviderRecord>, StoreError>;
    /// Adds or changes a provider.
    fn put_provider(&self, provider: &ProviderRecord) -> Result<(), StoreError>;
    /// Removes a provider; `false` if there was none.
    fn remove_provider(&self, name: &str) -> Result<bool, StoreError>;

    /// What is shown of the keys that were kept, by account.
    fn keys_shown(&self) -> Result<Vec<(Account, KeyShown)>, StoreError>;
    /// Adds or changes what is shown of a key.
    fn put_key_shown(&self, account: &Account, shown: &KeyShown) -> Result<(), StoreError>;
    /// Forgets what is shown of a key; `false` if there was none.
    fn remove_key_shown(&self, account: &Account) -> Result<bool, StoreError>;

    /// A number that changes whenever another process commits a change.
    fn data_version(&self) -> Result<u64, StoreError>;
}

/// The full-text index over a project's files.
pub trait Passages: Send + Sync {
    /// The stamps of all indexed files of a project.
    fn stamps(&self, project: ProjectId) -> Result<Vec<FileStamp>, StoreError>;
    /// Replaces one file's passages.
    fn put_file(
        &self,
        project: ProjectId,
        stamp: &FileStamp,
        passages: &[Passage],
    ) -> Result<(), StoreError>;
    /// Removes files that are gone.
    fn remove_files(&self, project: ProjectId, paths: &[String]) -> Result<(), StoreError>;
    /// The best passages for a question in ordinary words, best first.
    fn find(
        &self,
        project: ProjectId,
        question: &str,
        limit: u32,
    ) -> Result<Vec<Passage>, StoreError>;
}

/// The opened database, by concept.
#[derive(Clone)]
pub struct Stores {
    /// Conversations.
    pub transcripts: std::sync::Arc<dyn Transcripts>,
    /// Projects, settings, providers.
    pub records: std::sync::Arc<dyn Records>,
    /// The index over project files.
    pub passages: std::sync::Arc<dyn Passages>,
}

/// The folder where everything durable is kept.
pub trait DataFolder: Send + Sync {
    /// Opens the database, making it only where there never was one.
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError>;
    /// File names of backups, newest first.
    fn backups(&self) -> Result<Vec<String>, StoreError>;
    /// Puts a backup in the place of a damaged database, which is moved aside and kept.
    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError>;
    /// Begins with an empty database, because the person said so; a damaged one is moved aside and kept.
    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError>;
}

/// Decides whether to go on: called with counts now and then, `false` cancels.
pub type OnProgress<'a> = &'a mut dyn FnMut(ProbeProgress) -> bool;

/// A project's folder, read-only.
pub trait ProjectFiles: Send + Sync {
    /// The real path of an existing folder.
    fn real_path(&self, path: &str) -> Result<String, FolderError>;
    /// Looks through a folder, gitignore-aware, and says what it would bring.
    fn probe(&self, path: &str, progress: OnProgress<'_>) -> Result<Probe, FolderError>;
    /// The instruction files of a folder, root first, with their tokens.
    fn instructions(&self, root: &str) -> Result<Vec<InstructionFile>, FolderError>;
    /// Text files that may be indexed: gitignored, never-sent, binary and huge ones left out.
    fn text_files(
        &self,
        root: &str,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError>;
    /// The text of one file inside the folder; links out of it are refused.
    fn read_text(&self, root: &str, path: &str) -> Result<String, FolderError>;
}

/// A streamed reply. Dropping it stops the request.
pub type ReplyStream = Pin<Box<dyn Stream<Item = Result<Chunk, ProviderError>> + Send>>;

/// A future of a provider.
pub type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// A language model behind some wire, or behind none.
pub trait ModelProvider: Send + Sync {
    /// The models it offers; also serves as a test of the connection.
    fn models(&self) -> Asked<'_, Vec<ModelInfo>>;
    /// Asks; the request leaves when the stream is first polled.
    fn stream(&self, request: ModelRequest) -> ReplyStream;
    /// Whether it answers from passages alone, which are then searched for it.
    fn wants_passages(&self) -> bool {
        false
    }
}

/// With what, and how far, a provider may be asked.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The provider's key, sent to the origin of its base URL and nowhere else.
    pub key: Option<Secret>,
    /// Whether no address but this computer's own may be asked.
    pub this_computer_only: bool,
}

/// Makes providers from what the person set up, and finds servers on this computer.
pub trait Providers: Send + Sync {
    /// The provider behind a record; fails when its address may not be used.
    fn connect(
        &self,
        record: &ProviderRecord,
        access: Access,
    ) -> Result<std::sync::Arc<dyn ModelProvider>, ProviderError>;
    /// Servers that answer on this computer's usual ports.
    fn discover(&self) -> Asked<'_, Vec<FoundServer>>;
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

/// Keys, each in the place the person chose. Calls may wait some seconds for the system, never longer.
pub trait SecretStore: Send + Sync {
    /// The state of the system's keyring; never makes it ask the person anything.
    fn keyring(&self) -> KeyringState;
    /// Lets the system ask the person to open the keyring, and waits for the answer.
    fn unlock_keyring(&self) -> Result<(), SecretError>;

    /// The state of the encrypted file.
    fn vault(&self) -> VaultState;
    /// Opens the encrypted file in this process; makes it with this passphrase when there is none.
    fn unlock_vault(&self, passphrase: &Secret) -> Result<(), SecretError>;
    /// Deletes the encrypted file with every key in it.
    fn discard_vault(&self) -> Result<(), SecretError>;

    /// The key of an account, if one is kept at this place.
    fn get(&self, place: Place, account: &Account) -> Result<Option<Secret>, SecretError>;
    /// Keeps a key in place of the earlier one.
    fn put(&self, place: Place, account: &Account, key: &Secret) -> Result<(), SecretError>;
    /// Forgets a key; one that is not there is forgotten already.
    fn remove(&self, place: Place, account: &Account) -> Result<(), SecretError>;
}

/// The time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

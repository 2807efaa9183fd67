//! What the engine's world must offer. Small traits, one per concept; adapters implement them.

mod faults;

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use jiff::Timestamp;

use crate::attachment::Blob;
use crate::backup::{Backup, BackupPlan};
use crate::checkpoint::{Checkpoints, Places, Sealing, Space};
use crate::context::ContextFiles;
use crate::conversation::{
    Conversation, ConversationFilter, ConversationPatch, PathMessage, PathPage, QueuedMessage,
};
use crate::egress::{EgressLog, Outbox};
use crate::ids::{BranchId, ConversationId, MessageId, ProjectId, SummaryId, TurnId};
use crate::keys::{Account, KeyShown, KeyringState, Place, VaultState};
use crate::meaning::Vectors;
use crate::memory::MemoryRecords;
use crate::message::{Message, MessageStatus, Part};
use crate::offers::OffersAt;
use crate::passage::{FileStamp, Passage};
use crate::project::{Probe, ProbeProgress, Project, Trust};
use crate::provider::{Chunk, FoundServer, ModelInfo, ModelRequest, ProviderError, ProviderRecord};
use crate::recall::Finder;
use crate::salvage::{Salvage, SalvagePlan};
use crate::search::{SearchHits, SearchScope};
use crate::secret::Secret;
use crate::section::Manifest;
use crate::session::SessionRecords;
use crate::settings::{Network, Settings};
use crate::spending::{Aside, SpentOn};
use crate::summary::{Policy, Record};
use crate::tokens::{Calibration, Encoding};
use crate::tool::ToolRecords;
use crate::turn::{Spent, Turn, TurnFault, TurnStatus, Usage};
use crate::vault::{SaidAt, VaultStore};
use crate::wish::Wishes;

pub use faults::{FolderError, SecretError, StoreError, Texts};

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
    /// Changes what is wanted of single sections, upon what is stored by then.
    fn change_wishes(
        &self,
        id: ConversationId,
        change: &mut dyn FnMut(&mut Wishes),
    ) -> Result<(), StoreError>;
    /// Forgets what conversations want of passages of kept sessions that are gone, and the bodies of requests that carried
    /// such passages.
    fn forget_sessions(&self, gone: &dyn Fn(&SaidAt) -> bool) -> Result<(), StoreError>;
    /// Deletes a trashed conversation with all its traces, for ever.
    fn purge_conversation(&self, id: ConversationId) -> Result<(), StoreError>;
    /// Begins to do so: it is in no list any more, and nothing brings it back.
    fn begin_purge(&self, id: ConversationId) -> Result<(), StoreError>;
    /// Goes on with what was begun anywhere; `go_on` hears how much is left and stops it with `false`.
    fn purge_rest(&self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError>;

    /// Keeps bytes, which `part` names, for a conversation, and puts the part into its draft if it is not there.
    fn attach(&self, id: ConversationId, part: &Part, bytes: &[u8]) -> Result<(), StoreError>;
    /// Takes a part out of a conversation's draft. Its bytes go when nothing else names them.
    fn detach(&self, id: ConversationId, hash: &str) -> Result<(), StoreError>;
    /// Keeps bytes, which `part` names, for a conversation whose messages will name them (imports).
    fn keep_blob(&self, id: ConversationId, part: &Part, bytes: &[u8]) -> Result<(), StoreError>;
    /// The bytes under a hash.
    fn blob(&self, hash: &str) -> Result<Blob, StoreError>;
    /// How many bytes there are under a hash, without reading them.
    fn blob_size(&self, hash: &str) -> Result<u64, StoreError>;

    /// Messages `start..start + limit` of the active path; `None` gives the newest `limit`. Cost grows with `limit`
    /// and the number of branches, never with the length of the history.
    fn page(
        &self,
        id: ConversationId,
        start: Option<u64>,
        limit: u64,
    ) -> Result<PathPage, StoreError>;
    /// The messages at these places of the active path, without reading them; `None` beyond its end.
    fn ids_at(
        &self,
        id: ConversationId,
        places: &[u64],
    ) -> Result<Vec<Option<MessageId>>, StoreError>;
    /// A number that is another one after any commit, whoever made it; `None` where nothing tells. What was read after it
    /// was asked for is as it was for as long as it stays the same. Costs less than a read.
    fn state(&self) -> Result<Option<i64>, StoreError>;
    /// Messages with these places of the active path, oldest first, each with its exact count in an encoding if that is
    /// known. Nothing else is read: this is what composing goes by.
    fn counted(
        &self,
        id: ConversationId,
        places: Range<u64>,
        encoding: Option<Encoding>,
    ) -> Result<Vec<(Message, Option<u64>)>, StoreError>;
    /// Keeps the exact counts of messages that are whole.
    fn put_counts(&self, encoding: Encoding, counts: &[(MessageId, u64)])
    -> Result<(), StoreError>;
    /// One message.
    fn message(&self, id: MessageId) -> Result<PathMessage, StoreError>;
    /// A reply and what followed it in its turn, in order.
    fn whole_reply(&self, reply: MessageId) -> Result<Vec<PathMessage>, StoreError>;
    /// Every message of a conversation on every branch, parents before children, for exports.
    fn all_messages(&self, id: ConversationId) -> Result<Vec<Message>, StoreError>;
    /// Adds a whole message (imports); the parent must exist.
    fn append_message(&self, message: &NewMessage) -> Result<(), StoreError>;
    /// Adds many messages in one transaction, parents before children (imports).
    fn append_messages(&self, messages: &[NewMessage]) -> Result<(), StoreError>;
    /// Shows the path through this message that was shown or grew last.
    fn activate(&self, id: MessageId) -> Result<(), StoreError>;
    /// Shows the path that ends with this message, or with nothing; what is said next follows it. Where others followed
    /// it already, a branch of this id without messages is made.
    fn rewind(
        &self,
        id: ConversationId,
        to: Option<MessageId>,
        branch_if_needed: BranchId,
    ) -> Result<(), StoreError>;

    /// Makes question, empty reply and turn durable in one transaction. Fails with `Conflict` while another turn of
    /// the conversation is open in a living process.
    fn open_turn(&self, opening: &TurnOpening) -> Result<(), StoreError>;
    /// Records a turn that has ended, of a question and a reply that are there already (the sample), with what was sent.
    fn record_turn(&self, turn: &Turn, manifest: &Manifest) -> Result<(), StoreError>;
    /// Appends streamed text to an open reply; durable when it returns.
    fn append_partial(&self, turn: TurnId, text: &str) -> Result<(), StoreError>;
    /// Stores what the turn's request was made of.
    fn set_manifest(&self, turn: TurnId, manifest: &Manifest) -> Result<(), StoreError>;
    /// The reply of an open turn is whole and calls tools: its parts become durable, with the tokens they have, and do
    /// not change any more. `Conflict` for one that is whole already.
    fn finish_step(&self, turn: TurnId, parts: &[Part], tokens: u64) -> Result<(), StoreError>;
    /// Adds the result of a call to an open turn, after what it has. `Conflict` unless the turn's whole reply holds the
    /// call, and the call has no result yet. Neither this nor [`Self::begin_step`] takes the person back from another
    /// branch they look at.
    fn append_result(&self, turn: TurnId, result: &NewMessage) -> Result<(), StoreError>;
    /// The model is asked again: an empty reply after the results becomes the turn's reply. `Conflict` while a call of the
    /// reply before it has no result.
    fn begin_step(&self, turn: TurnId, reply: &NewMessage) -> Result<(), StoreError>;
    /// Ends a turn. A reply that is whole already, because its calls were carried out, keeps its parts and takes the status
    /// alone. Nodes that are still under way are stopped.
    fn close_turn(&self, closing: &TurnClosing) -> Result<(), StoreError>;
    /// One turn.
    fn turn(&self, id: TurnId) -> Result<Turn, StoreError>;
    /// What was sent for a turn.
    fn manifest(&self, id: TurnId) -> Result<Option<Manifest>, StoreError>;
    /// The turns behind these replies, whichever step of theirs they are; each turn once.
    fn turns_of_replies(&self, replies: &[MessageId]) -> Result<Vec<Turn>, StoreError>;
    /// The open turn of a conversation, if a living process carries one out.
    fn open_turn_of(&self, id: ConversationId) -> Result<Option<Turn>, StoreError>;
    /// Asks the process that carries a turn out to stop it.
    fn ask_to_stop(&self, id: TurnId) -> Result<(), StoreError>;
    /// Whether somebody asked for that.
    fn is_asked_to_stop(&self, id: TurnId) -> Result<bool, StoreError>;
    /// What a conversation took so far.
    fn spent_in(&self, id: ConversationId) -> Result<Spent, StoreError>;
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
    /// Gives conversations, lines of memory and proposals of a project to another one.
    fn hand_over(&self, from: ProjectId, to: ProjectId) -> Result<(), StoreError>;

    /// The settings.
    fn settings(&self) -> Result<Settings, StoreError>;
    /// Stores the settings.
    fn put_settings(&self, settings: &Settings) -> Result<(), StoreError>;
    /// Changes the settings as they are stored, so that nothing is lost that others change at the same moment; gives them
    /// back as stored.
    fn change_settings(
        &self,
        change: &mut dyn FnMut(&mut Settings),
    ) -> Result<Settings, StoreError>;

    /// Providers the person added, by name.
    fn providers(&self) -> Result<Vec<ProviderRecord>, StoreError>;
    /// Adds or changes a provider.
    fn put_provider(&self, provider: &ProviderRecord) -> Result<(), StoreError>;
    /// Removes a provider; `false` if there was none.
    fn remove_provider(&self, name: &str) -> Result<bool, StoreError>;
    /// What an agent said last that it offers, by place; nothing where it said nothing since it was added or changed.
    fn offers(&self, agent: &str) -> Result<Vec<OffersAt>, StoreError>;
    /// Keeps what an agent says that it offers; nothing happens where it is gone, or is another one by now.
    fn put_offers(&self, agent: &ProviderRecord, offers: &OffersAt) -> Result<(), StoreError>;

    /// What is shown of the keys that were kept, by account.
    fn keys_shown(&self) -> Result<Vec<(Account, KeyShown)>, StoreError>;
    /// Adds or changes what is shown of a key.
    fn put_key_shown(&self, account: &Account, shown: &KeyShown) -> Result<(), StoreError>;
    /// Forgets what is shown of a key; `false` if there was none.
    fn remove_key_shown(&self, account: &Account) -> Result<bool, StoreError>;

    /// The recorded conversation of the sample project in a language, in the trash or not; `None` when there is none.
    fn sample(&self, language: &str) -> Result<Option<ConversationId>, StoreError>;
    /// Remembers the recorded conversation of the sample project in a language.
    fn put_sample(&self, language: &str, id: ConversationId) -> Result<(), StoreError>;

    /// A number that changes whenever another process commits a change.
    fn data_version(&self) -> Result<u64, StoreError>;
}

/// What replies cost, and how far the person lets a month go.
pub trait Spending: Send + Sync {
    /// Notes what an open turn costs so far, in case nobody is left to close it.
    fn set_cost(&self, turn: TurnId, cost: Option<u64>) -> Result<(), StoreError>;
    /// Known costs of the turns opened in `from..to`, together; reads nothing but an index.
    fn cost(&self, from: Timestamp, to: Timestamp) -> Result<u64, StoreError>;
    /// What the turns opened in `from..to` were spent on, the dearest first.
    fn spent(&self, from: Timestamp, to: Timestamp) -> Result<Vec<SpentOn>, StoreError>;
    /// Notes a request beside turns and summaries before it leaves; gives what it is settled by.
    fn note_aside(&self, aside: &Aside) -> Result<i64, StoreError>;
    /// What it took in the end; nothing at all where it was refused.
    fn settle_aside(&self, id: i64, took: Option<(Usage, Option<u64>)>) -> Result<(), StoreError>;
    /// Up to where the person let a month go on, in millionths of a US dollar.
    fn allowed_until(&self, month: &str) -> Result<Option<u64>, StoreError>;
    /// Lets a month go on.
    fn allow_until(&self, month: &str, amount: u64) -> Result<(), StoreError>;
}

/// The summaries of a conversation that an [`Overlay`](crate::summary::Overlay) on its shown path is made of: it comes
/// out as one of all that were ever made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// From the beginning of the path on, one where the other ends, the newest of those that lie on it; what was folded
    /// right before the newest of them that is not unfolded; what is being made; and what failed or was taken back
    /// beyond their end.
    pub records: Vec<Arc<Record>>,
    /// The messages of the path at the places that these end at.
    pub ends: Vec<(u64, MessageId)>,
}

/// Summaries of conversations, and what providers taught about our estimates of tokens.
pub trait Summaries: Send + Sync {
    /// All summaries of a conversation, on all its branches, oldest first.
    fn summaries(&self, id: ConversationId) -> Result<Vec<Record>, StoreError>;
    /// Those of them that what holds on the shown path is told by. Cost grows with how many hold, never with how many were
    /// made.
    fn standing(&self, id: ConversationId) -> Result<Standing, StoreError>;
    /// The version of the next summary of this policy and level that begins at this place.
    fn next_version(
        &self,
        id: ConversationId,
        policy: Policy,
        level: u32,
        start: u64,
    ) -> Result<u32, StoreError>;
    /// One summary.
    fn summary(&self, id: SummaryId) -> Result<Record, StoreError>;
    /// Makes a summary in progress durable, as this process's; `provider` will be asked for it, or nobody. Fails with `Conflict` while another one of the
    /// conversation is in progress in a living process; what a dead one left has failed then.
    fn begin_summary(&self, record: &Record, provider: Option<&str>) -> Result<(), StoreError>;
    /// Makes what came of a summary in progress durable. Fails with `Conflict` when it is not in progress any more.
    fn finish_summary(&self, record: &Record) -> Result<(), StoreError>;
    /// Adds or changes a summary that is not in progress.
    fn put_summary(&self, record: &Record) -> Result<(), StoreError>;
    /// Keeps a summary that stands for nothing unless it is adopted; `provider` was asked for it, or nobody.
    fn put_candidate(&self, record: &Record, provider: Option<&str>) -> Result<(), StoreError>;
    /// Tokens that were spent on summaries of a conversation: those that hold, and those that were replaced, tried or
    /// failed. Read and written ones are counted alike.
    fn spent_on_summaries(&self, id: ConversationId) -> Result<u64, StoreError>;
    /// Lets a summary stand for nothing any more.
    fn discard_summary(&self, id: SummaryId) -> Result<(), StoreError>;
    /// What processes that are gone left in progress has failed; says of which conversations.
    fn recover_summaries(&self, now: Timestamp) -> Result<Vec<ConversationId>, StoreError>;

    /// What is known about the estimates for a provider's model.
    fn calibration(&self, provider: &str, model: &str) -> Result<Calibration, StoreError>;
    /// Keeps what is known about them.
    fn put_calibration(
        &self,
        provider: &str,
        model: &str,
        known: &Calibration,
    ) -> Result<(), StoreError>;
}

/// The full-text index over a project's files.
pub trait Passages: Send + Sync {
    /// The stamps of all indexed files of a project.
    fn stamps(&self, project: ProjectId) -> Result<Vec<FileStamp>, StoreError>;
    /// Replaces the passages of these files, of all or of none.
    fn put_files(
        &self,
        project: ProjectId,
        files: &[(FileStamp, Vec<Passage>)],
    ) -> Result<(), StoreError>;
    /// Removes files that are gone.
    fn remove_files(&self, project: ProjectId, paths: &[String]) -> Result<(), StoreError>;
    /// Replaces the lines of memory files that may be found, of a project or of the person. They are found by the
    /// search over everything alone.
    fn put_memory(&self, project: Option<ProjectId>, lines: &[Passage]) -> Result<(), StoreError>;
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
    pub transcripts: Arc<dyn Transcripts>,
    /// Projects, settings, providers.
    pub records: Arc<dyn Records>,
    /// What replies cost.
    pub spending: Arc<dyn Spending>,
    /// Summaries.
    pub summaries: Arc<dyn Summaries>,
    /// The files of context stores.
    pub contexts: Arc<dyn ContextFiles>,
    /// What is kept of memory beside its files.
    pub memory: Arc<dyn MemoryRecords>,
    /// Sessions of projects.
    pub sessions: Arc<dyn SessionRecords>,
    /// The index over project files.
    pub passages: Arc<dyn Passages>,
    /// The index over everything.
    pub finder: Arc<dyn Finder>,
    /// Vectors of messages.
    pub vectors: Arc<dyn Vectors>,
    /// What left this computer.
    pub egress: Arc<dyn EgressLog>,
    /// Checkpoints. They may fail to open while everything else does not; each call then says why.
    pub checkpoints: Arc<dyn Checkpoints>,
    /// Where projects keep them.
    pub places: Arc<dyn Places>,
    /// Runs, rules and servers.
    pub tools: Arc<dyn ToolRecords>,
    /// Sealing of both.
    pub sealing: Arc<dyn Sealing>,
    /// Sessions of other agents. They may fail to open while everything else does not; each call then says why.
    pub vault: Arc<dyn VaultStore>,
    /// Why the data folder cannot be written, where that is so: everything is there to be read, and each change is refused.
    pub read_only: Option<String>,
}

/// The folder where everything durable is kept.
pub trait DataFolder: Send + Sync {
    /// Opens the database, making it only where there never was one.
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError>;
    /// The backups, newest first. Works while the database cannot be opened.
    fn backups(&self) -> Result<Vec<Backup>, StoreError>;
    /// Makes a backup because the person asked, while everything goes on.
    fn back_up(&self, now: Timestamp) -> Result<Backup, StoreError>;
    /// Makes the backup of the day if it is due; `None` if it is not, or another process is at it.
    fn back_up_if_due(&self, now: Timestamp) -> Result<Option<Backup>, StoreError>;
    /// Deletes a backup.
    fn delete_backup(&self, name: &str) -> Result<(), StoreError>;
    /// What going back to a backup would change.
    fn backup_plan(&self, name: &str) -> Result<BackupPlan, StoreError>;
    /// Puts a backup in the place of an open database, which is backed up before, or of a damaged one, which is kept.
    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError>;
    /// What is wrong with the database that is open, where something of it could not be read so far.
    fn damage(&self) -> Option<String>;
    /// Reads all of the database that is open, and says what is wrong with it.
    fn look_whole(&self) -> Result<Option<String>, StoreError>;
    /// What could be read of a damaged database, one that is open included; changes nothing.
    fn salvage_plan(&self) -> Result<SalvagePlan, StoreError>;
    /// Puts what can be read of a damaged database in its place, with what a backup has beside it; that one is kept.
    fn salvage(&self, backup: Option<&str>, now: Timestamp) -> Result<Salvage, StoreError>;
    /// Writes files into a folder of the data folder and gives its path. What is there already stays as it is.
    fn put_files(&self, folder: &str, files: &[(&str, &[u8])]) -> Result<String, StoreError>;
    /// Begins with an empty database, because the person said so; a damaged one is moved aside and kept.
    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError>;
    /// What the folder's file system has left.
    fn space(&self) -> Result<Space, StoreError>;
}

/// Decides whether to go on: called with counts now and then, `false` cancels.
pub type OnProgress<'a> = &'a mut dyn FnMut(ProbeProgress) -> bool;

/// A project's folder, and what of it is never taken in.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    /// Its path.
    pub root: &'a str,
    /// Patterns of its files that never enter a request or an index, as in `.gitignore`.
    pub exclude: &'a [String],
}

/// A project's folder, read-only.
pub trait ProjectFiles: Send + Sync {
    /// The real path of an existing folder.
    fn real_path(&self, path: &str) -> Result<String, FolderError>;
    /// What tells the folder at a path from every other one, before and after it; `None` where there is none, or nobody can
    /// tell.
    fn identity(&self, path: &str) -> Option<String>;
    /// Looks through a folder, gitignore-aware, and says what it would bring.
    fn probe(&self, folder: Folder<'_>, progress: OnProgress<'_>) -> Result<Probe, FolderError>;
    /// Text files that may be indexed: gitignored, excluded, never-sent, binary and huge ones left out.
    fn text_files(
        &self,
        folder: Folder<'_>,
        progress: OnProgress<'_>,
    ) -> Result<Vec<FileStamp>, FolderError>;
    /// The text of one file inside the folder; links out of it and excluded files are refused.
    fn read_text(&self, folder: Folder<'_>, path: &str) -> Result<String, FolderError>;
    /// The same of many files, in their order; the folder itself is looked up once.
    fn read_texts(&self, folder: Folder<'_>, paths: &[&str]) -> Result<Texts, FolderError> {
        Ok(paths.iter().map(|path| self.read_text(folder, path)).collect())
    }
}

/// Why a folder could not be made or removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// Something has the name of the folder or of the branch already.
    #[error("{name} is there already")]
    Taken {
        /// The name.
        name: String,
    },
    /// The system or git refused.
    #[error("{detail}")]
    Refused {
        /// What it said.
        detail: String,
    },
    /// The person cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Folders in which something is worked on beside a project.
pub trait Copies: Send + Sync {
    /// Whether git is there, and the folder is the top of a repository in which something is committed.
    fn has_commits(&self, root: &str) -> bool;
    /// Makes the folder, with nothing in it but what git needs: a worktree of `root` on a new branch at what is committed,
    /// or an empty one where no branch is named. What it made goes again where it fails. Asked now and then whether to go on.
    fn make(
        &self,
        root: &str,
        path: &str,
        branch: Option<&str>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), CopyError>;
    /// Of a worktree that was filled: what is committed, is in `root` and was not brought along does not count as deleted.
    fn settle(&self, root: &str, path: &str) -> Result<(), CopyError>;
    /// Takes back what was made: the folder with all that is in it, and the branch.
    fn unmake(&self, root: &str, path: &str, branch: Option<&str>);
    /// Removes the folder with all that is in it, and takes it out of the list of the repository `root`, if that is one; a
    /// branch stays. It has its name no more, or all of it is as it was; gives the path of what could not be deleted.
    fn remove(&self, root: Option<&str>, path: &str) -> Result<Option<String>, CopyError>;
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

/// With what, how far and by which way a provider may be asked, and where that is written down.
#[derive(Clone, Debug)]
pub struct Access {
    /// The provider's key, sent to the origin of its base URL and nowhere else.
    pub key: Option<Secret>,
    /// Whether no address but this computer's own may be asked.
    pub this_computer_only: bool,
    /// How other computers are reached.
    pub network: Network,
    /// Where every request is written down before it leaves.
    pub outbox: Outbox,
}

/// Makes providers from what the person set up, and finds servers on this computer.
pub trait Providers: Send + Sync {
    /// The provider behind a record; fails when its address may not be used.
    fn connect(
        &self,
        record: &ProviderRecord,
        access: Access,
    ) -> Result<Arc<dyn ModelProvider>, ProviderError>;
    /// Servers that answer on this computer's usual ports.
    fn discover(&self, outbox: Outbox) -> Asked<'_, Vec<FoundServer>>;
    /// Whether other computers could be reached this way; reads the certificates anew. Asks nobody.
    fn check_network(&self, network: &Network) -> Result<(), ProviderError>;
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

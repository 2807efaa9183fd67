//! The table of commands: name, request, reply. Callers hand the table a macro and get every row.
//!
//! `resource_verb` names. The rows of `app` stand with the service of the app that carries them out, whose method has the
//! same name; rows of `streams` also get a channel for events; rows of `host` need a window and exist in the shell alone.

/// The types of the rows, by the names that they have there.
pub mod types {
    pub use siltstone_engine::backup::{Backup, BackupPlan};
    pub use siltstone_engine::egress::EgressItem;
    pub use siltstone_engine::keys::KeyShown;
    pub use siltstone_engine::memory::{Effective, MemoryDocument, MemoryLine, MemoryVersion};
    pub use siltstone_engine::price::PricedModel;
    pub use siltstone_engine::project::Project;
    pub use siltstone_engine::provider::{FoundServer, ModelInfo, ProviderRecord};
    pub use siltstone_engine::salvage::{Salvage, SalvagePlan};
    pub use siltstone_engine::search::{FoundEverywhere, SearchHits};
    pub use siltstone_engine::session::ProposalRecord;
    pub use siltstone_engine::settings::Settings;
    pub use siltstone_engine::summary::Record as Summary;
    pub use siltstone_engine::update::Installed;
    pub use siltstone_engine::workflow::Workflow;

    pub use crate::*;
}

/// Calls `$with!` with all rows: `app { … } streams { … } host { … }`.
#[macro_export]
macro_rules! for_each_command {
    ($with:ident) => {
        $with! {
            app {
                vault {
                    /// Folders in which other agents keep sessions, with how much and since when. Nothing is read but names and sizes.
                    vault_sources: () => Vec<VaultSource>;
                    /// The same of a place that the person names. Exports in it are read through, and nothing is kept.
                    vault_look: LookVault => Vec<VaultSource>;
                    /// Says yes to keeping what is in such folders, or takes that back.
                    vault_agree: AgreeVault => Vec<VaultSource>;
                    /// Whether what was said in sessions that worked in a project may go in its requests.
                    vault_recall: RecallVault => ();
                    /// Cancels a scan or a look at everything.
                    vault_cancel: CancelVault => ();
                    /// What is kept of whom.
                    vault_status: () => VaultStatus;
                    /// Sessions of other agents, the one in which something was said last first.
                    vault_list: ListVault => Vec<VaultItem>;
                    /// One session, with all branches.
                    vault_session: VaultRef => VaultSession;
                    /// What was said in sessions with these words.
                    vault_search: SearchVault => VaultFound;
                    /// Its compactions, and what became of what they folded.
                    vault_dropped: VaultRef => Vec<VaultDropped>;
                    /// Deletes sessions for ever, or says what would go.
                    vault_forget: ForgetVault => VaultForgets;
                }
                models {
                    /// Requests that left this program, the latest first.
                    egress_list: ListEgress => Vec<EgressItem>;
                    /// The exact bytes of a request that left.
                    egress_body: EgressRef => SentBody;
                    /// Forgets what left.
                    egress_clear: () => ();
                    /// Providers, the offline one first.
                    provider_list: () => Vec<ProviderItem>;
                    /// Adds or changes a provider.
                    provider_add: ProviderRecord => ProviderItem;
                    /// Removes a provider.
                    provider_remove: ProviderRef => ();
                    /// The models of a provider; also a test of the connection.
                    provider_models: ProviderRef => Vec<ModelInfo>;
                    /// Servers that answer on this computer.
                    provider_discover: () => Vec<FoundServer>;
                    /// Chooses provider and model for conversations that chose none.
                    provider_default: DefaultModel => Settings;
                    /// What models cost: built in, said by servers, and the person's own.
                    price_list: () => Vec<PricedModel>;
                    /// What this calendar month cost so far.
                    spending_get: () => Spending;
                    /// Lets this month go on until one more limit's worth is spent.
                    spending_allow: () => Spending;
                    /// Where keys can go.
                    key_state: () => KeysState;
                    /// The provider whose keys begin like this one, to be suggested.
                    key_recognise: RecogniseKey => Option<ProviderRecord>;
                    /// Keeps a provider's key at the chosen place, instead of the earlier one.
                    key_set: SetKey => KeyShown;
                    /// Asks a provider with a key before either is stored: the models it lists.
                    key_test: TestKey => Vec<ModelInfo>;
                    /// Forgets a provider's key.
                    key_remove: ProviderRef => ();
                    /// Lets the system ask the person to open its keyring; answers when that is done.
                    keyring_unlock: () => KeysState;
                    /// Opens the encrypted file; makes it with this passphrase when there is none.
                    vault_unlock: UnlockVault => KeysState;
                    /// Deletes the encrypted file with every key in it.
                    vault_discard: () => KeysState;
                }
                memory {
                    /// The layers of memory at a place.
                    memory_layers: MemoryAt => MemoryView;
                    /// What memory says when all of a place is put together.
                    memory_effective: MemoryAt => Effective;
                    /// Reads all of it again.
                    memory_refresh: MemoryAt => MemoryView;
                    /// Carries out `/memory add|show|refresh|clear|list`.
                    memory_command: MemoryCommand => MemoryAnswer;
                    /// A memory file for editing; one that does not exist yet is empty.
                    memory_open: MemoryFileRef => MemoryDocument;
                    /// Writes a memory file, unless it is not what the editor began with.
                    memory_save: SaveMemory => Saved;
                    /// The versions of a memory file, newest first.
                    memory_versions: MemoryFileRef => Vec<MemoryVersion>;
                    /// What a version says.
                    memory_version: VersionRef => VersionText;
                    /// Writes a version again.
                    memory_restore: RestoreMemory => Saved;
                    /// Says whether and when a file takes part in a project's requests.
                    memory_choose: ChooseMemory => ();
                    /// A first memory file for a project, from what its folder shows; nothing is written.
                    memory_draft: ProjectRef => DraftText;
                    /// Files of a trusted project that are not what the person agreed to.
                    memory_changes: ProjectRef => Vec<ChangedMemory>;
                    /// Agrees to changed files as they were shown.
                    memory_agree: AgreeMemory => ();
                    /// Lets a flagged passage of a memory file into requests, or leaves it out.
                    memory_allow: AllowPassage => ();
                    /// Remembers a line.
                    memory_add: AddMemory => MemoryLine;
                    /// Keeps a tool's result or a file for a conversation, as data.
                    memory_keep: KeepMemory => MemoryLine;
                    /// Removes a line; it can be taken back.
                    memory_remove: LineRef => ();
                    /// Takes back the removal of a line.
                    memory_undo: LineRef => MemoryLine;
                    /// Removes all lines of a place; each can be taken back.
                    memory_clear: MemoryAt => Vec<MemoryLine>;
                    /// Makes a line part of a file of the project, or of global memory.
                    memory_move: MoveLine => MemoryDocument;
                }
                skills {
                    /// Skills at a place, and what a conversation has of them.
                    skill_list: SkillsAt => SkillPanel;
                    /// What a skill says now.
                    skill_text: SkillRef => SkillText;
                    /// Keeps one for a conversation as it was shown; `memory_remove` takes it away.
                    skill_choose: ChooseSkill => MemoryLine;
                    /// Says whether models may be told of one as it was shown.
                    skill_offer: OfferSkill => ();
                }
                index {
                    /// Files of a trusted project that a message could name, the best first.
                    project_paths: ListPaths => Vec<PathHit>;
                }
                search {
                    /// Search over everything: conversations, summaries, decisions, memory, files, checkpoints.
                    find: Find => FoundEverywhere;
                    /// Who makes vectors of messages, and how far that is.
                    meaning_state: () => MeaningState;
                    /// The models of a provider that seem to make vectors.
                    meaning_models: ProviderRef => Vec<String>;
                    /// What an embedder would take, before it is chosen; nothing is sent.
                    meaning_plan: MeaningBy => MeaningPlan;
                    /// Chooses who makes vectors, or nobody; they are made in the background.
                    meaning_choose: ChooseMeaning => MeaningState;
                    /// Forgets all vectors and makes them anew.
                    meaning_rebuild: () => MeaningState;
                    /// Makes no more vectors until the person says so; those that are there still serve.
                    meaning_stop: () => MeaningState;
                    /// Goes on with them.
                    meaning_resume: () => MeaningState;
                }
                sessions {
                    /// Where the work in a project stands, and files of it that Siltstone did not write.
                    session_get: ProjectRef => SessionView;
                    /// Writes `.ai-brain` into a project from now on, or no more.
                    session_share: ShareSession => SessionView;
                    /// Takes in files that Siltstone did not write, or writes over them.
                    session_accept: AcceptSession => SessionView;
                    /// Writes the files although another computer says that it does.
                    session_take_over: ProjectRef => SessionView;
                    /// What a new conversation of a project is told first.
                    session_hydrate: ProjectRef => Hydrated;
                    /// Copies the session now; nothing where the newest copy says the same.
                    session_snapshot: ProjectRef => Vec<SessionSnapshot>;
                    /// Goes back to a copy.
                    session_restore: SnapshotRef => SessionView;
                    /// Reads the files again, and names what is wrong with them.
                    session_verify: ProjectRef => SessionVerified;
                    /// Where the work stopped, made without a model; nothing while there is nothing to go on with.
                    session_resume: ProjectRef => Option<ResumeCard>;
                    /// Whether a new conversation is told where the work stopped.
                    place_take: TakePlace => ();
                    /// Whether what was said in one conversation of a project may go in another.
                    others_allow: AllowOthers => ();
                    /// Plans, tasks and decisions of a project.
                    workflow_get: ProjectRef => Workflow;
                    /// Changes plans, tasks or decisions.
                    workflow_change: ChangeWorkflow => Workflow;
                    /// Carries out `/plan`, `/task` or `/decide`.
                    workflow_command: WorkflowCommand => Workflow;
                    /// Proposals of a project that wait for the person, oldest first.
                    proposal_list: ProjectRef => Vec<ProposalRecord>;
                    /// Carries a proposal out.
                    proposal_accept: ProposalRef => Workflow;
                    /// The person does not want a proposal.
                    proposal_dismiss: ProposalRef => ();
                }
                conversations {
                    /// Conversations for the list.
                    conversation_list: ListConversations => Vec<ConversationItem>;
                    /// A new, empty conversation.
                    conversation_create: CreateConversation => ConversationItem;
                    /// One conversation with its draft and queue.
                    conversation_get: ConversationRef => ConversationDetail;
                    /// A stretch of the shown path.
                    conversation_page: PageConversation => ConversationPage;
                    /// Where a message stands on the shown path; shows another branch first if it must.
                    conversation_locate: MessageRef => Located;
                    /// All replies to the question of this one, the first of which was made first.
                    conversation_versions: MessageRef => Vec<Version>;
                    /// Gives a title.
                    conversation_rename: RenameConversation => ();
                    /// Pins or unpins.
                    conversation_pin: PinConversation => ();
                    /// Chooses provider and model for this conversation.
                    conversation_model: ChooseModel => ();
                    /// Changes how the conversation's model is asked.
                    conversation_tune: TuneConversation => ();
                    /// Keeps what is in the composer.
                    conversation_draft: SaveDraft => ();
                    /// Takes out of the trash.
                    conversation_restore: ConversationRef => ();
                    /// The conversation as text.
                    conversation_export: ExportConversation => ExportedText;
                    /// A conversation from text that was exported.
                    conversation_import: ImportConversation => Imported;
                    /// What going on with a session of another agent would take along, and what not.
                    vault_plan: PlanVault => VaultPlan;
                    /// Goes on where a session of another agent stopped: here, with an agent, or as a text.
                    vault_continue: ContinueVault => VaultContinued;
                    /// Cancels an import of many conversations, or closes its file; what is in stays.
                    conversation_import_cancel: ImportAll => ();
                    /// Full-text search over messages.
                    search: Search => SearchHits;
                    /// Attaches a picture or a PDF file to the message in the composer.
                    attachment_add: AddAttachment => Attached;
                    /// Keeps a long text that was pasted into the composer beside what is typed there.
                    attachment_paste: PasteText => Attached;
                    /// Takes one out of the composer; its bytes go when nothing else names them.
                    attachment_remove: AttachmentRef => ();
                    /// The bytes of a picture or file.
                    attachment_read: ReadAttachment => AttachmentBytes;
                    /// Shows the newest path through this message.
                    branch_switch: MessageRef => ();
                    /// Wants a section in every request, the next request without it, or nothing of it any more.
                    section_wish: WishSection => ();
                    /// Goes on where the work stopped, or begins fresh.
                    session_begin: BeginSession => ConversationRef;
                }
                tools {
                    /// Tools at a place, and what was remembered of them.
                    tool_panel: ToolsAt => ToolPanel;
                    /// Says whether commands may be run in a project.
                    tool_commands: AllowCommands => ToolPanel;
                    /// Forgets a remembered answer.
                    tool_rule_revoke: RuleRef => ();
                    /// Remembers an answer again that was forgotten since the program started.
                    tool_rule_restore: RuleRef => ();
                    /// A part of a long result.
                    tool_output: ReadOutput => OutputText;
                    /// Calls of a conversation that wait for the person.
                    approval_list: ConversationRef => Vec<Approval>;
                    /// Answers one.
                    approval_answer: AnswerApproval => ();
                    /// A turn as it was carried out.
                    run_get: TurnRef => RunView;
                    /// MCP servers at a place.
                    mcp_list: ToolsAt => Vec<McpItem>;
                    /// Adds a server or changes it; a changed one has to be trusted again.
                    mcp_set: SetMcp => McpItem;
                    /// Removes a server and its secrets.
                    mcp_remove: McpRef => ();
                    /// Keeps a secret of a server with the keys.
                    mcp_secret: SetMcpSecret => McpItem;
                    /// Trusts a server as it was shown.
                    mcp_trust: TrustMcp => McpItem;
                    /// Starts or reaches a server and asks what it offers; its fingerprint counts as seen, not as trusted.
                    mcp_test: TestMcp => McpTested;
                    /// Servers that a trusted project's files name.
                    mcp_found: ProjectRef => Vec<McpFound>;
                    /// What the trusted servers of a conversation's place have to read, and what of it is kept. It asks them.
                    mcp_resources: ConversationRef => Vec<ServerResources>;
                    /// What one of it says now.
                    mcp_resource: ResourceRef => ResourceText;
                    /// Keeps one for the conversation as it was shown, as data.
                    mcp_resource_keep: KeepResource => MemoryLine;
                    /// Lines that models want to be remembered, oldest first.
                    inbox_list: ToolsAt => Vec<InboxItem>;
                    /// Takes one into memory.
                    inbox_accept: AcceptInbox => MemoryLine;
                    /// Does not want one.
                    inbox_dismiss: InboxRef => ();
                }
                contexts {
                    /// What is known beside the conversations, by store, and what a chat makes of it.
                    context_get: ContextRef => ContextView;
                    /// From now on a key of the app's context says this, for every program on the data folder.
                    context_put: PutContext => ();
                    /// Nothing is known of a key any more.
                    context_remove: RemoveContext => ();
                    /// Forgets all volatile context but where the person works.
                    context_clear: ContextRef => ();
                    /// Loads rules and layers anew.
                    context_refresh: ContextRef => ContextView;
                }
                checkpoints {
                    /// Makes a checkpoint now.
                    checkpoint_create: CreateCheckpoint => CheckpointItem;
                    /// Checkpoints of a project, the newest first.
                    checkpoint_list: ListCheckpoints => CheckpointList;
                    /// One checkpoint.
                    checkpoint_get: CheckpointRef => CheckpointDetail;
                    /// Gives a checkpoint another name, or lets it stay whatever the rules say.
                    checkpoint_change: ChangeCheckpoint => ();
                    /// Deletes checkpoints for ever.
                    checkpoint_delete: CheckpointRefs => ();
                    /// What is different between two checkpoints, or a checkpoint and now.
                    checkpoint_diff: CompareCheckpoints => CheckpointDiff;
                    /// One file at two moments.
                    checkpoint_file_diff: CompareFile => FileTexts;
                    /// What a restore would do; nothing is done.
                    checkpoint_plan: PlanRestore => RestorePlan;
                    /// The texts of a file of a plan that can be merged.
                    checkpoint_merge: PlannedFileRef => MergeTexts;
                    /// Carries a plan out, or goes on with one that was cut off.
                    checkpoint_restore: RunRestore => Restored;
                    /// Undoes the last restore of a project.
                    checkpoint_undo: ProjectRef => Restored;
                    /// Shows a conversation as it stood at a checkpoint, to go on from there; no file is touched.
                    checkpoint_continue: CheckpointRef => ConversationRef;
                    /// The files that a turn changed, or that are different in a copy of a project.
                    changes_get: ChangesOf => TurnChanges;
                    /// The same with the differences, and how they stand in today's files.
                    changes_review: ReviewChanges => TurnReview;
                    /// Takes back what was changed, or pieces of it; undone as every restore.
                    changes_take_back: TakeBackChanges => Restored;
                    /// What taking over the changes of a copy would do to the project; carried out as every restore is.
                    copy_plan: ProjectRef => RestorePlan;
                    /// Lets old checkpoints go by rules, or says which would go.
                    checkpoint_clean: CleanCheckpoints => Cleaned;
                    /// Reads everything that checkpoints hold, and names what is damaged.
                    checkpoint_verify: () => Verified;
                    /// Finds again what can be found of what is damaged or missing.
                    checkpoint_repair: () => Verified;
                    /// Checkpoints of other programs, the latest first.
                    checkpoint_foreign_list: ProjectRef => Vec<ForeignItem>;
                    /// Takes one of them over.
                    checkpoint_foreign_import: ImportForeign => ImportedCheckpoint;
                    /// Places beyond this computer that checkpoints are pushed to.
                    remote_list: () => Vec<RemoteItem>;
                    /// Adds one: joins what is there with its passphrase, or begins with it.
                    remote_add: AddRemote => RemoteItem;
                    /// When checkpoints go to one without being asked for.
                    remote_sync: SetSync => RemoteItem;
                    /// Forgets one and what opens it; what is on it stays.
                    remote_remove: RemoteRef => ();
                    /// Asks one what it keeps, and whether the key here opens it.
                    remote_test: RemoteRef => RemoteTested;
                    /// The checkpoints on one, the newest first.
                    remote_checkpoints: RemoteRef => Vec<RemoteCheckpoint>;
                    /// Cancels a push or pull.
                    remote_cancel: CancelCarrying => ();
                    /// Where the checkpoints of a project are kept, and folders of others in it.
                    checkpoint_place: ProjectRef => CheckpointPlace;
                    /// Stops the first copy; there is none then.
                    checkpoint_place_cancel: ProjectRef => ();
                    /// Takes over what a folder of checkpoints holds that this computer did not write.
                    checkpoint_place_take: TakeFolder => TakenFolder;
                    /// How far checkpoints are sealed.
                    checkpoint_sealing: () => CheckpointSealing;
                    /// Stops sealing what exists, or opening it; it can go on later.
                    checkpoint_seal_cancel: () => ();
                    /// Sets the recovery passphrase of sealed checkpoints, and shows it this once.
                    checkpoint_recovery_set: SetRecovery => RecoveryShown;
                    /// Opens sealed checkpoints with the kept key or with the recovery passphrase.
                    checkpoint_unlock: UnlockCheckpoints => CheckpointSealing;
                }
                agents {
                    /// The files that agents read, and whether memory is kept in them.
                    share_list: ProjectRef => Vec<SharedFile>;
                    /// What such files would say. Nothing is written.
                    share_look: LookShare => Vec<SharePlan>;
                    /// Writes them as they were shown, and follows from now on what memory says.
                    share_write: WriteShare => Vec<SharedFile>;
                }
                folding {
                    /// The summaries of a conversation, and how it is told.
                    summary_list: ConversationRef => SummaryPanel;
                    /// One summary.
                    summary_get: SummaryRef => Summary;
                    /// Summarises in the background what can be summarised now.
                    summary_run: ConversationRef => ();
                    /// Stops the summary that is being made.
                    summary_cancel: ConversationRef => ();
                    /// A new version of a summary, in the person's words.
                    summary_edit: EditSummary => Summary;
                    /// Makes a summary once more in the background, as a new version.
                    summary_retry: SummaryRef => ();
                    /// A summary of the same messages at another rate, which stands for nothing until it is adopted.
                    summary_try: TrySummary => Summary;
                    /// Stops the summary that is being tried.
                    summary_try_cancel: ConversationRef => ();
                    /// The next fold in sentences that are chosen without a model, at any rate; none where nothing can be
                    /// folded. A newer one stops it.
                    summary_sketch: SketchFold => Option<FoldSketch>;
                    /// Takes a candidate or an older version as the newest one.
                    summary_adopt: SummaryRef => Summary;
                    /// Takes the newest summary of the shown path back: what held before it holds again.
                    summary_undo: SummaryRef => SummaryPanel;
                    /// What a summary keeps of its messages, leaves behind and claims without support.
                    summary_check: SummaryRef => FoldCheck;
                    /// Keeps a fact with a summary, as a new version.
                    summary_keep: KeepFact => Summary;
                    /// Drops a fact that goes with a summary, as a new version.
                    summary_drop: KeepFact => Summary;
                    /// Changes how a conversation is told.
                    folding_set: SetFolding => SummaryPanel;
                }
                requests {
                    /// What the next message would send.
                    request_preview: PreviewRequest => RequestView;
                    /// What was sent for a reply, rebuilt from its manifest.
                    request_sent: TurnRef => SentRequestView;
                    /// What was sent with one call of the model within a turn.
                    call_sent: CallRef => SentRequestView;
                    /// Sends the messages themselves in a summary's place, or the summary again.
                    summary_unfold: UnfoldSummary => ();
                    /// What the next fold would be and cost; nothing changes until it is adopted.
                    summary_preview: ConversationRef => FoldPreview;
                }
                turns {
                    /// Makes a message durable and asks the model, or queues it while a reply is on its way.
                    send: SendMessage => Sent;
                    /// Asks again with another text; the old message stays as a sibling.
                    edit: EditMessage => Sent;
                    /// Another reply to the same question; the old one stays as a sibling.
                    regenerate: Regenerate => Sent;
                    /// Goes on where an interrupted reply stopped.
                    continue_reply: MessageRef => Sent;
                    /// Stops the reply of a conversation; what came is kept.
                    stop: ConversationRef => ();
                    /// Takes a waiting message out of the queue.
                    unqueue: MessageRef => ();
                    /// Asks a model for a plan of what is to be done; nothing is kept of it.
                    tree_create: CreateTree => ExecutionTree;
                    /// Carries a plan out.
                    tree_run: RunTree => Sent;
                    /// Goes on with a plan that waits: the same task again, or the next one where that is done.
                    tree_go_on: ProjectRef => Sent;
                    /// Carries a plan out no further; what is on its way for it is stopped.
                    tree_stop: ProjectRef => Workflow;
                    /// Asks a model whether an answer did what its task demands.
                    turn_evaluate: TurnRef => Evaluation;
                }
                projects {
                    /// Cancels a running probe.
                    project_probe_cancel: CancelProbe => ();
                    /// Opens a folder with the person's answer about trust.
                    project_open: OpenProject => Project;
                    /// Folders that were opened, the last one first.
                    project_list: () => Vec<Project>;
                    /// One project.
                    project_get: ProjectRef => Project;
                    /// Changes the person's answer about trust.
                    project_trust: TrustProject => Project;
                    /// Says whether the project's conversations ask this computer alone.
                    project_reach: ReachProject => Project;
                    /// Says which files of the project never enter a request, an index or a checkpoint.
                    project_exclude: ExcludeFiles => Project;
                    /// What goes when a project is forgotten.
                    project_holds: ProjectRef => ProjectHolds;
                    /// Forgets a folder with what is kept of it; its conversations and its files stay.
                    project_forget: ProjectRef => ();
                    /// How copies can be made of a project, and where.
                    copy_place: ProjectRef => CopyPlace;
                    /// Cancels the making of a copy.
                    copy_cancel: CancelCopy => ();
                    /// What there is in a copy that would go with it.
                    copy_holds: ProjectRef => CopyHolds;
                    /// Removes a copy with its folder. What it held last is kept in a checkpoint of the project that it is of.
                    copy_remove: ProjectRef => CopyRemoved;
                    /// The text of a file of the project, for reading.
                    project_file: ReadProjectFile => ProjectFile;
                    /// Opens the sample project with its recorded conversation; makes what of it is not there.
                    sample_open: () => SampleOpened;
                }
                maintenance {
                    /// Version, folders, languages and what start-up found.
                    app_info: () => AppInfo;
                    /// The backups, the newest first; also while the database cannot be opened.
                    backup_list: () => Vec<Backup>;
                    /// Makes a backup while everything goes on.
                    backup_create: () => Backup;
                    /// What going back to a backup would change.
                    backup_plan: RestoreBackup => BackupPlan;
                    /// Goes back to a backup: what is there is backed up first, or moved aside when it cannot be opened.
                    backup_restore: RestoreBackup => ();
                    /// Deletes backups.
                    backup_delete: DeleteBackups => ();
                    /// What could be read of a damaged database, alone and with the newest backup; changes nothing.
                    salvage_plan: () => SalvagePlan;
                    /// Puts what can be read of a damaged database in its place; that one is moved aside and kept.
                    salvage_run: RunSalvage => Salvage;
                    /// Begins with an empty database; a damaged one is moved aside and kept, and backups stay.
                    data_start_anew: () => ();
                    /// The settings.
                    settings_get: () => Settings;
                    /// Stores all settings.
                    settings_set: Settings => Settings;
                    /// Moves to the trash.
                    conversation_delete: ConversationRef => ();
                    /// Deletes a trashed conversation for ever.
                    conversation_purge: ConversationRef => Traces;
                    /// What deleting it for ever would not reach.
                    conversation_traces: ConversationRef => Traces;
                    /// How this copy of the program stands to newer versions. Nothing leaves.
                    update_status: () => UpdateState;
                    /// Asks once whether there is a newer version, and says what would be fetched.
                    update_look: () => UpdateLooked;
                    /// Cancels the download of a package.
                    update_cancel: CancelUpdate => ();
                    /// Puts a package that was fetched and verified in the program's place, or says what the person has to run.
                    update_install: InstallUpdate => Installed;
                }
            }
            streams {
                vault {
                    /// Keeps what is new in the folders that were agreed to, and understands it.
                    vault_scan: ScanVault => VaultScanned, VaultEvent;
                    /// Reads every byte that is kept, and compares it with its hash.
                    vault_verify: VerifyVault => VaultVerified, VaultEvent;
                }
                conversations {
                    /// Imports every conversation of an export that was opened and is not there already.
                    conversation_import_all: ImportAll => ImportedAll, ImportEvent;
                }
                checkpoints {
                    /// Seals checkpoints from now on, and all that exist; goes on with what was cut off.
                    checkpoint_seal: SealCheckpoints => CheckpointSealing, SealEvent;
                    /// Seals checkpoints no longer, and opens all that exist; goes on with what was cut off.
                    checkpoint_unseal: () => CheckpointSealing, SealEvent;
                    /// Keeps a copy of the checkpoints of a project in its own folder, or none any more.
                    checkpoint_place_set: SetPlace => CheckpointPlace, CopyEvent;
                    /// Sends the checkpoints of a project that a remote lacks.
                    checkpoint_push: PushCheckpoints => Carried, CarryEvent;
                    /// Fetches checkpoints of a remote into a project; nothing is overwritten.
                    checkpoint_pull: PullCheckpoints => Carried, CarryEvent;
                }
                turns {
                    /// Follows the reply of a conversation until nothing is on its way any more.
                    turn_watch: ConversationRef => (), TurnEvent;
                }
                projects {
                    /// Looks through a folder and says what it would bring.
                    project_probe: ProbeProject => ProbeView, ProbeEvent;
                    /// Makes a copy of a project beside it, and opens that.
                    copy_create: CreateCopy => Project, CopyMade;
                }
                maintenance {
                    /// Fetches the package of the newer version that was shown, and verifies it.
                    update_get: GetUpdate => UpdateState, UpdateEvent;
                }
            }
            host {
                /// Asks for a folder with the system's dialog.
                pick_folder: () => Option<String>;
                /// Asks for a file of certificates with the system's dialog.
                pick_certificates: () => Option<String>;
                /// Asks where to, and writes an export there; gives the path.
                export_to_file: ExportConversation => Option<SavedFile>;
                /// Asks for a file and imports it, or opens it where it holds many conversations.
                import_from_file: () => Option<FileImported>;
                /// Asks where to, and writes a checkpoint there as one file; gives the path.
                checkpoint_export: ExportCheckpoint => Option<SavedFile>;
                /// Asks for such a file and takes the checkpoint over.
                checkpoint_import: ImportCheckpoint => Option<ImportedCheckpoint>;
                /// Asks for pictures and PDF files with the system's dialog, and attaches them.
                attachment_pick: ConversationRef => Vec<Attached>;
                /// Attaches files that were dropped on the window just now, and no others.
                attachment_drop: DropFiles => Vec<Attached>;
                /// Opens an address outside, after the person saw it and agreed; http, https and mailto only.
                open_link: OpenLink => ();
                /// Opens the data folder in the system's file manager.
                open_data_folder: () => ();
                /// A notification of the system, when the window is in the background.
                notify: Notify => ();
            }
        }
    };
}

// Written by siltstone-contract from its table of commands; `make bindings` renews it. Do not edit.

export type AcceptInbox = { 
/**
 * Which.
 */
id: InboxId, 
/**
 * The text as the person wants it.
 */
text: string, 
/**
 * Whether it goes into global memory; otherwise into the project's.
 */
global: boolean, };

export type AcceptSession = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * The files as they were shown.
 */
files: Array<ShownFile>, 
/**
 * What stands where both say something else.
 */
keep: Keep, };

export type Action = "create" | "overwrite" | "delete" | "conflict" | "skip";

export type AddAttachment = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The file's name.
 */
name: string, 
/**
 * Its bytes in base64, at most 20 MiB of them.
 */
data: string, };

export type AddMemory = { 
/**
 * The project it is about.
 */
project_id: ProjectId | null, 
/**
 * The conversation it is for; `None` for all of the project.
 */
conversation_id: ConversationId | null, 
/**
 * What to remember.
 */
text: string, 
/**
 * Where it was said: a `silt:` link or a path.
 */
source: string | null, };

export type AddRemote = { 
/**
 * Its name, unique.
 */
name: string, 
/**
 * Where it is.
 */
at: RemotePlace, 
/**
 * The secret that goes with the place; a folder has none.
 */
credentials: Secret | null, 
/**
 * Opens the remote on every computer; at least eight characters.
 */
passphrase: Secret, 
/**
 * Where its key and credentials are kept.
 */
key_place: Place, };

export type AddedFor = "conversation" | "until_cleared";

export type Agent = "claude-code" | "codex" | "gemini-cli" | "antigravity" | "opencode" | "cline" | "cursor" | "chatgpt" | "claude-web" | "siltstone";

export type AgentCommand = { 
/**
 * Without the slash.
 */
name: string, 
/**
 * What it does, in the agent's words.
 */
about: string, 
/**
 * What may be written behind it; empty where nothing is.
 */
hint: string, };

export type AgentMode = { 
/**
 * What the agent knows it by.
 */
id: string, 
/**
 * Its name, in the agent's words.
 */
name: string, 
/**
 * What it is, in the agent's words.
 */
about: string, 
/**
 * It is one in which the agent is known to ask before it changes anything.
 */
asks: boolean, };

export type AgreeMemory = { 
/**
 * Their project.
 */
project_id: ProjectId, 
/**
 * The files as they were shown.
 */
files: Array<AgreedFile>, };

export type AgreeVault = { 
/**
 * Which.
 */
homes: Array<VaultHome>, 
/**
 * Yes, or no longer.
 */
yes: boolean, };

export type AgreedFile = { 
/**
 * Its path.
 */
path: string, 
/**
 * [`ChangedMemory::hash`].
 */
hash: string | null, };

export type AllowCommands = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Whether.
 */
allowed: boolean, };

export type AllowOthers = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Whether it may; remembered until it is answered anew.
 */
allow: boolean, };

export type AllowPassage = { 
/**
 * Its project.
 */
project_id: ProjectId, 
/**
 * Its file.
 */
path: string, 
/**
 * [`Passage::hash`](siltstone_engine::memory::Passage::hash).
 */
hash: string, 
/**
 * Whether it goes.
 */
on: boolean, };

export type AnswerApproval = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The call.
 */
call_id: string, 
/**
 * The hash that was shown.
 */
hash: string, } & ({ "answer": "once" } | { "answer": "always_tool" } | { "answer": "always_pattern", 
/**
 * One of the patterns that were offered, or the person's own.
 */
pattern: string, } | { "answer": "always_exactly" } | { "answer": "no", 
/**
 * What to do instead; empty for nothing.
 */
note: string, } | { "answer": "never" });

export type AppInfo = { 
/**
 * The program's version.
 */
version: string, 
/**
 * Where everything is kept.
 */
data_dir: string, 
/**
 * Whether the database could be opened.
 */
data: DataState, 
/**
 * The system's language, `ko` or `en`.
 */
system_language: string, 
/**
 * A folder that was named when the program was started.
 */
start_path: string | null, };

export type Approval = { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The call.
 */
call_id: string, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * The server it is of.
 */
server: string | null, 
/**
 * What it does.
 */
effect: ToolEffect, 
/**
 * What a file would be changed to.
 */
change: ToolChange | null, 
/**
 * The whole command, as it would run.
 */
command: string | null, 
/**
 * What the model says it is for.
 */
purpose: string | null, 
/**
 * The arguments as they are carried out, whole: JSON over several lines.
 */
arguments: string, 
/**
 * Path patterns that "always for this" could mean, the narrowest first.
 */
patterns: Array<string>, 
/**
 * Hash of everything above; an answer names it, so that nothing else can be agreed to.
 */
hash: string, };

export type Attached = { 
/**
 * What the message will hold.
 */
part: Part, 
/**
 * Number of its bytes; 0 when they are gone.
 */
size: number, };

export type AttachmentBytes = { 
/**
 * For example `image/png`; one of those that can be attached.
 */
media_type: string, 
/**
 * The bytes in base64.
 */
data: string, };

export type AttachmentRef = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * Its hash.
 */
hash: string, };

export type Backup = { 
/**
 * Its file name inside the backups folder.
 */
name: string, 
/**
 * Why it was made.
 */
kind: BackupKind, 
/**
 * When it was made.
 */
made_at: string, 
/**
 * Its size.
 */
bytes: number, 
/**
 * What it holds; `None` when it cannot be read.
 */
holds: Holds | null, };

export type BackupKind = { "why": "migration", 
/**
 * The version that it holds.
 */
from: number, } | { "why": "daily" } | { "why": "asked" } | { "why": "restore" };

export type BackupPlan = { 
/**
 * The backup.
 */
backup: Backup, 
/**
 * What is there now; `None` when it cannot be read.
 */
present: Holds | null, 
/**
 * Conversations that would be gone or shorter, the largest loss first, and at most [`NAMED`] of them.
 */
going: Array<Going>, 
/**
 * Number of all of those.
 */
going_count: number, 
/**
 * Conversations that would be back: they are in the backup and not here, not even in the trash.
 */
back_count: number, };

export type BeginSession = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * In a new conversation that is told nothing; otherwise where it stopped.
 */
fresh: boolean, };

export type BroughtContext = { 
/**
 * In the order in which a model reads it.
 */
entries: Array<ContextEntry>, 
/**
 * Whether it is laid over what is known, or is all that the request sees.
 */
policy: VolatilePolicy, };

export type CallRef = { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The call, as the run of the turn names it.
 */
node_id: NodeId, };

export type CancelCarrying = { 
/**
 * As given to it.
 */
carry_id: string, };

export type CancelCopy = { 
/**
 * Which.
 */
making_id: string, };

export type CancelProbe = { 
/**
 * As given to the probe.
 */
probe_id: string, };

export type CancelUpdate = { 
/**
 * As given to it.
 */
work_id: string, };

export type CancelVault = { 
/**
 * The name that was given to it.
 */
work_id: string, };

export type Carried = { 
/**
 * Checkpoints that went over.
 */
done: Array<CheckpointId>, 
/**
 * Checkpoints that were there already.
 */
known: number, 
/**
 * Checkpoints that are not whole, or of a newer form, each with why; the rest went over.
 */
left_out: Array<NotCarried>, 
/**
 * Bytes that went over.
 */
bytes: number, };

export type CarryEvent = { 
/**
 * Checkpoints that are through.
 */
done: number, 
/**
 * Checkpoints in all.
 */
total: number, 
/**
 * Bytes that went over.
 */
bytes: number, };

export type CarryOver = "offer" | "always" | "never";

export type ChangeCheckpoint = { 
/**
 * Which.
 */
id: CheckpointId, 
/**
 * The name; `None` for none.
 */
tag: string | null, 
/**
 * Whether it stays.
 */
pinned: boolean, };

export type ChangeKind = "added" | "modified" | "mode" | "deleted";

export type ChangeWorkflow = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * The change.
 */
change: WorkflowChange, 
/**
 * When the plan becomes another one: the running summary begins anew with what that plan is about.
 */
reset: boolean, };

export type Changed = { 
/**
 * What went stale.
 */
topics: Array<Topic>, };

export type ChangedFile = { 
/**
 * Below the root, as shown.
 */
path: string, 
/**
 * The name it had before, where it was moved.
 */
from: string | null, 
/**
 * How.
 */
kind: TurnChange, 
/**
 * Bytes before.
 */
before: number | null, 
/**
 * Bytes after.
 */
after: number | null, 
/**
 * Lines that came; `None` where it is not text, is too large, or is one of very many.
 */
added: number | null, 
/**
 * Lines that went.
 */
removed: number | null, 
/**
 * Whether a tool for files did it. Otherwise a command or a server did, or somebody else at the same time.
 */
by_tool: boolean, 
/**
 * How it stands now; `None` where the folder cannot be looked at.
 */
standing: Standing | null, };

export type ChangedMemory = { 
/**
 * The file, or what one imports.
 */
path: string, 
/**
 * What was agreed to, which goes into requests; `None` for a new file.
 */
before: string | null, 
/**
 * What it says now; `None` where it is gone.
 */
now: string | null, 
/**
 * What it says now, by its hash.
 */
hash: string | null, 
/**
 * What to look at in it.
 */
findings: Array<Finding>, };

export type ChangesKnown = "nothing" | "whole" | "until_next" | "gone";

export type ChangesOf = { "of": "turn", 
/**
 * Which.
 */
id: TurnId, } | { "of": "copy", 
/**
 * The copy.
 */
id: ProjectId, };

export type CheckpointDetail = { 
/**
 * As in the list.
 */
item: CheckpointItem, 
/**
 * Where it was made, and by what.
 */
metadata: Metadata, 
/**
 * Where the conversation stood, if one was open.
 */
conversation: ConversationState | null, 
/**
 * The turn that ended there: what was sent for it is what the model saw last. `None` where nothing was sent.
 */
turn_id: TurnId | null, 
/**
 * The first paths that were not captured.
 */
not_captured: Array<NotCaptured>, 
/**
 * What was added while working.
 */
runtime_additions: Array<string>, 
/**
 * The merged memory at that moment.
 */
memory: string | null, };

export type CheckpointDiff = { 
/**
 * Files, by path.
 */
files: Array<FileChange>, 
/**
 * Messages of the conversation that are only in the earlier one.
 */
messages_before: number, 
/**
 * Messages that are only in the later one.
 */
messages_after: number, 
/**
 * The first of the messages that would go, and those that would come.
 */
messages: Array<MomentMessage>, 
/**
 * Lines of memory, settings and context that differ.
 */
context: Array<ContextChange>, };

export type CheckpointId = string;

export type CheckpointItem = { 
/**
 * Its id.
 */
id: CheckpointId, 
/**
 * Its name.
 */
tag: string | null, 
/**
 * Stays whatever the rules say.
 */
pinned: boolean, 
/**
 * When it was made.
 */
created_at: string, 
/**
 * Why.
 */
reason: CheckpointReason, 
/**
 * The one before it on the same line of work.
 */
parent: CheckpointId | null, 
/**
 * The conversation, and where it stood.
 */
conversation_id: ConversationId | null, 
/**
 * The last message of it.
 */
message_id: MessageId | null, 
/**
 * How many messages it had.
 */
messages: number, 
/**
 * Files it holds; `None` when it holds none of the project's.
 */
files: number | null, 
/**
 * Paths that differ from the checkpoint before.
 */
changed: number, 
/**
 * Bytes it added on disk.
 */
bytes: number, 
/**
 * Paths that were not captured.
 */
not_captured: number, 
/**
 * Whether this version can restore it.
 */
known: boolean, };

export type CheckpointList = { 
/**
 * The newest first.
 */
items: Array<CheckpointItem>, 
/**
 * Whether there are older ones.
 */
more: boolean, 
/**
 * What all of the project's take on disk.
 */
bytes: number, 
/**
 * The most they may take.
 */
cap: number | null, 
/**
 * Restores that were begun and not finished, for example because the program was killed.
 */
unfinished: Array<UnfinishedRestore>, 
/**
 * Why files are not captured in this project, if they are not.
 */
files_off: FilesOff | null, 
/**
 * Whether the last one could not be made because the disk is full. Conversations go on.
 */
disk_full: boolean, 
/**
 * Whether so little of the disk is left that none is taken by itself. Those that are asked for are.
 */
disk_low: boolean, };

export type CheckpointPlace = { 
/**
 * Where.
 */
kept: Kept, 
/**
 * The folder of the copy in the project, while there is to be one.
 */
path: string | null, 
/**
 * Whether the copy holds every checkpoint. One that does not is written again with the next checkpoint.
 */
whole: boolean, 
/**
 * Why it could not be written the last time.
 */
failed: string | null, 
/**
 * Whether that folder alone still has what checkpoints hold, as an earlier version left it: it is brought here as soon
 * as it can be read.
 */
waits: boolean, 
/**
 * Checkpoints that lost what they hold, when an earlier version kept it in the project's folder alone.
 */
lost: number, 
/**
 * Whether this program writes the first copy right now, or deletes it.
 */
working: boolean, 
/**
 * Folders of checkpoints in the project that this computer did not write.
 */
found: Array<FolderFound>, };

export type CheckpointReason = { "code": "manual" } | { "code": "interval" } | { "code": "before_tool", 
/**
 * Its name.
 */
tool: string, } | { "code": "after_turn" } | { "code": "before_restore", 
/**
 * Of which checkpoint.
 */
of: CheckpointId, } | { "code": "before_memory", 
/**
 * Its path.
 */
path: string, } | { "code": "plan_change", 
/**
 * Its title; empty for none.
 */
plan: string, } | { "code": "imported" } | { "code": "copy", 
/**
 * The copy, which may be gone.
 */
copy: ProjectId, 
/**
 * What the copy is called.
 */
name: string, };

export type CheckpointRef = { 
/**
 * Which.
 */
id: CheckpointId, };

export type CheckpointRefs = { 
/**
 * Which.
 */
ids: Array<CheckpointId>, };

export type CheckpointSealing = { 
/**
 * Whether what comes is sealed.
 */
on: boolean, 
/**
 * Whether the key is not at hand: the list shows what may be seen without it, and everything else waits.
 */
locked: boolean, 
/**
 * Whether this program is at it, sealing what exists or the other way round.
 */
working: boolean, 
/**
 * Bytes on disk that are sealed.
 */
sealed_bytes: number, 
/**
 * Bytes on disk that are not.
 */
plain_bytes: number, 
/**
 * Whether a recovery passphrase was set.
 */
recovery: boolean, 
/**
 * Where the key is kept; `None` while there is none.
 */
place: Place | null, };

export type CheckpointSettings = { 
/**
 * Whether they are taken without being asked for.
 */
on: boolean, 
/**
 * Which ones go.
 */
retention: Retention, 
/**
 * Who makes them, as new ones say it; empty for nobody.
 */
user_id: string, 
/**
 * Largest file that is captured, in bytes.
 */
max_file_bytes: number, 
/**
 * Patterns of files that are captured although git ignores them, as in `.gitignore`.
 */
also: Array<string>, 
/**
 * Places beyond this computer that checkpoints are pushed to; what opens them is kept elsewhere.
 */
remotes: Array<Remote>, };

export type ChooseMeaning = { 
/**
 * By whom; `None` for nobody.
 */
embedder: EmbedderChoice | null, 
/**
 * Most tokens to send in all, which the person agreed to; needed where texts leave this computer.
 */
most_tokens: number | null, };

export type ChooseMemory = { 
/**
 * The project it is chosen for.
 */
project_id: ProjectId, 
/**
 * The file.
 */
path: string, 
/**
 * The choice.
 */
choice: FileChoice, };

export type ChooseModel = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The choice; `None` follows the default.
 */
choice: DefaultModel | null, };

export type ChooseSkill = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The skill's folder.
 */
id: string, 
/**
 * As it was shown.
 */
hash: string, };

export type ChosenMode = { 
/**
 * The name of the agent's provider: another agent knows nothing of it.
 */
agent: string, 
/**
 * The mode's id.
 */
id: string, };

export type CleanCheckpoints = { 
/**
 * Of this project.
 */
project_id: ProjectId, 
/**
 * The rules; `None` for those of the settings.
 */
rules: Retention | null, 
/**
 * Of what goes by them these alone, as somebody was shown; `None` for all of it.
 */
only: Array<CheckpointId> | null, 
/**
 * Only says what would go.
 */
dry_run: boolean, };

export type Cleaned = { 
/**
 * Checkpoints, the oldest first.
 */
gone: Array<Overdue>, 
/**
 * Bytes that were freed; in a dry run, about how many would be.
 */
freed: number, };

export type Code = "bad_request" | "not_found" | "conflict" | "disk_full" | "read_only" | "busy" | "damaged" | "newer_data" | "io" | "not_a_folder" | "outside_project" | "file_read_only" | "folder_too_wide" | "folder_replaced" | "not_text" | "cancelled" | "trust_unanswered" | "import_unreadable" | "import_broken" | "input_too_long" | "attachment_unsupported" | "attachment_too_large" | "attachment_missing" | "provider_unreachable" | "provider_not_local" | "provider_insecure" | "proxy_unusable" | "certificates_unusable" | "not_recorded" | "provider_timed_out" | "reply_cut" | "reply_full" | "reply_withheld" | "reply_empty" | "limit_rounds" | "limit_tokens" | "limit_time" | "rate_limited" | "key_refused" | "no_credit" | "limit_reached" | "key_missing" | "keyring_locked" | "keyring_absent" | "keyring_timed_out" | "keyring_refused" | "vault_locked" | "vault_wrong_passphrase" | "checkpoints_locked" | "nothing_to_fold" | "wrong_passphrase" | "checkpoint_unreadable" | "copy_damaged" | "passphrase_needed" | "no_cloud" | "remote_unusable" | "remote_unreachable" | "remote_refused" | "remote_key_missing" | "mcp_unreachable" | "mcp_timed_out" | "mcp_broken" | "mcp_forbidden" | "mcp_no_network" | "mcp_changed" | "model_needed" | "answer_unusable" | "model_not_found" | "not_shorter" | "unfold_too_large" | "context_overflow" | "no_tools" | "provider_trouble" | "provider_refused" | "provider_malformed" | "update_absent" | "update_unreachable" | "update_redirected" | "update_unusable" | "update_unsigned" | "update_replayed" | "update_cut" | "update_not_installed" | "internal";

export type CompareCheckpoints = { 
/**
 * The earlier one.
 */
id: CheckpointId, 
/**
 * The later one; `None` for now.
 */
with: CheckpointId | null, };

export type CompareFile = { 
/**
 * The earlier moment.
 */
id: CheckpointId, 
/**
 * The later one; `None` for now.
 */
with: CheckpointId | null, 
/**
 * The path, as in [`FileChange`].
 */
path: string, };

export type ContextChange = { 
/**
 * What it is: a memory file, a line, a setting, a key of a store.
 */
name: string, 
/**
 * What it said.
 */
before: string | null, 
/**
 * What it says.
 */
after: string | null, };

export type ContextEntry = { 
/**
 * For example `currentFile` or `selection`.
 */
key: string, 
/**
 * The value.
 */
value: string, };

export type ContextFile = { 
/**
 * The version of its form.
 */
version: string, 
/**
 * When the session began.
 */
created_at: string, 
/**
 * When it was written last.
 */
updated_at: string, 
/**
 * What is worked on.
 */
memory: SessionMemory, 
/**
 * What was said.
 */
conversation: SessionConversation, 
/**
 * How much was said.
 */
stats: SessionStats, };

export type ContextRef = { 
/**
 * The project.
 */
project_id: ProjectId | null, };

export type ContextScope = "app" | "run" | "task" | "layer";

export type ContextView = { 
/**
 * The stores of the app and of the layers, and of runs while there are some.
 */
stores: Array<StoreView>, 
/**
 * The block of what is kept; `None` when it says nothing.
 */
composed_persistent: string | null, 
/**
 * The block of what may change, without what one request or call adds.
 */
composed_volatile: string | null, };

export type ContinueVault = { 
/**
 * The agent's own id, or a beginning of it that no other has; or the whole id of a conversation from here.
 */
id: string, 
/**
 * A version of its file; the newest one otherwise.
 */
version: number | null, 
/**
 * Where it goes on.
 */
goal: VaultGoal, 
/**
 * The path that the person was shown and said yes to, for an agent's session: nothing is written elsewhere.
 */
path: string | null, };

export type ConversationDetail = { 
/**
 * As in the list.
 */
item: ConversationItem, 
/**
 * Text in the composer.
 */
draft: string, 
/**
 * Pictures and files in the composer.
 */
attachments: Array<Attached>, 
/**
 * Messages that wait for the reply to end.
 */
queued: Array<QueuedMessage>, 
/**
 * The provider that will be asked.
 */
provider: string, 
/**
 * The model that will be asked.
 */
model: string, 
/**
 * Whether provider and model follow the default.
 */
follows_default: boolean, 
/**
 * Whether that model reads pictures, when that is known.
 */
takes_images: boolean | null, 
/**
 * Whether that model reads PDF files, when that is known.
 */
takes_files: boolean | null, 
/**
 * How it is asked.
 */
tuning: Tuning, 
/**
 * What the conversation took so far.
 */
spent: Spent, 
/**
 * The turn whose reply is on its way.
 */
open_turn: TurnId | null, 
/**
 * Models that are asked the same once it ended.
 */
also: Array<DefaultModel>, 
/**
 * Messages that wait and are then asked of other models too.
 */
queued_also: Array<QueuedAlso>, };

export type ConversationId = string;

export type ConversationItem = { 
/**
 * Its id.
 */
id: ConversationId, 
/**
 * The project it belongs to.
 */
project_id: ProjectId | null, 
/**
 * The title; empty until the first question.
 */
title: string, 
/**
 * Who gave the title.
 */
title_source: TitleSource, 
/**
 * Stays at the top.
 */
pinned: boolean, 
/**
 * In the trash since.
 */
deleted_at: string | null, 
/**
 * When something was last said.
 */
updated_at: string, 
/**
 * Messages on the shown path.
 */
message_count: number, };

export type ConversationPage = { 
/**
 * Messages in order.
 */
messages: Array<MessageItem>, 
/**
 * Index of the first.
 */
start: number, 
/**
 * Messages on the whole path.
 */
total: number, 
/**
 * The turn that was under way when they were read: what it left unfinished is not cut off.
 */
open_turn: TurnId | null, };

export type ConversationRef = { 
/**
 * The conversation.
 */
id: ConversationId, };

export type ConversationState = { 
/**
 * Which.
 */
id: ConversationId, 
/**
 * The last message of the shown path; `None` while there was none. The messages are those above it.
 */
message: MessageId | null, 
/**
 * How many messages the path had.
 */
messages: number, 
/**
 * The summaries that held.
 */
summaries: Array<SummaryId>, 
/**
 * What the conversation took so far (`tokenUsage`).
 */
token_usage: Usage, 
/**
 * The model that was asked.
 */
model: string, 
/**
 * Its provider.
 */
provider: string, };

export type CopyEvent = { 
/**
 * Objects that were copied.
 */
done: number, 
/**
 * Objects that are needed.
 */
total: number, };

export type CopyHolds = { 
/**
 * The folder.
 */
path: string, 
/**
 * The branch that stays in the repository, with what was committed to it.
 */
branch: string | null, 
/**
 * Files in which the copy differs from the project that it is of, as far as the copy changed them.
 */
unmerged: number, 
/**
 * Conversations; they go over to the project, and so do lines of memory and proposals.
 */
conversations: number, 
/**
 * Checkpoints that somebody named or pinned; they go too.
 */
named: number, 
/**
 * What else is kept of it. Its plans, tasks, decisions and checkpoints go.
 */
holds: ProjectHolds, 
/**
 * Paths that are in no checkpoint and go for good; the first ones. What git ignores goes too and is not among them.
 */
lost: Array<NotCaptured>, };

export type CopyMade = { 
/**
 * Files that are written.
 */
done: number, 
/**
 * Of so many.
 */
total: number, };

export type CopyOf = { 
/**
 * The project that was copied. It may have been forgotten since.
 */
project: ProjectId, 
/**
 * What it is for, as the person said.
 */
name: string, 
/**
 * The copy's first checkpoint: the files that both began with.
 */
base: CheckpointId, 
/**
 * The branch that was made for it, where it is a worktree of git; `None` for a folder without a repository.
 */
branch: string | null, };

export type CopyPlace = { 
/**
 * Whether git can make a worktree of it. Otherwise a copy is a folder without a repository.
 */
worktree: boolean, 
/**
 * The folder in which copies are made: the one that the project lies in.
 */
beside: string, };

export type CopyRemoved = { 
/**
 * The project that it was of.
 */
project_id: ProjectId | null, 
/**
 * The checkpoint there that holds what the copy held last.
 */
kept: CheckpointId | null, 
/**
 * Where that of the folder lies that could not be deleted.
 */
rest: string | null, };

export type Coverage = { 
/**
 * Index of the first message.
 */
start: number, 
/**
 * Number of messages; never 0.
 */
count: number, 
/**
 * The last message.
 */
last: MessageId, };

export type CreateCheckpoint = { 
/**
 * Of this project.
 */
project_id: ProjectId, 
/**
 * With where this conversation stands.
 */
conversation_id: ConversationId | null, 
/**
 * A name, unique in the project; the checkpoint then stays until it is deleted by hand.
 */
tag: string | null, };

export type CreateConversation = { 
/**
 * The project it belongs to, if any.
 */
project_id: ProjectId | null, };

export type CreateCopy = { 
/**
 * Names this for `copy_cancel`.
 */
making_id: string, 
/**
 * Of which project; the person trusts it.
 */
project_id: ProjectId, 
/**
 * What it is for: folder and branch are named after it.
 */
name: string, 
/**
 * A worktree of git, on a branch of its own; otherwise a folder without a repository.
 */
worktree: boolean, };

export type CreateTree = { 
/**
 * The conversation in which it is asked.
 */
conversation_id: ConversationId, 
/**
 * What is to be done.
 */
goal: string, };

export type DamagedObject = { 
/**
 * Its BLAKE3.
 */
id: string, 
/**
 * The checkpoints that cannot be restored whole.
 */
checkpoints: Array<CheckpointId>, };

export type DataState = { "state": "open" } | { "state": "read_only", 
/**
 * What the system said.
 */
detail: string, } | { "state": "partly_damaged", 
/**
 * What was wrong.
 */
detail: string, } | { "state": "damaged", 
/**
 * What is wrong.
 */
detail: string, } | { "state": "newer", 
/**
 * What was found.
 */
detail: string, } | { "state": "unavailable", 
/**
 * What the system said.
 */
detail: string, };

export type Decision = { 
/**
 * `decision_001`.
 */
id: string, 
/**
 * What.
 */
text: string, 
/**
 * When.
 */
at?: string, 
/**
 * Where it was said.
 */
source?: DecisionSource, 
/**
 * The plan that was worked on.
 */
plan_id?: string, 
/**
 * How it came here.
 */
origin: DecisionOrigin, };

export type DecisionOrigin = "person" | "accepted" | "found";

export type DecisionSource = { 
/**
 * Its conversation.
 */
conversation_id: ConversationId, 
/**
 * The message.
 */
message_id: MessageId, };

export type DefaultModel = { 
/**
 * Name of the provider.
 */
provider: string, 
/**
 * Id of the model.
 */
model: string, };

export type DeleteBackups = { 
/**
 * File names inside the backups folder.
 */
names: Array<string>, };

export type DiffLine = { 
/**
 * What it is.
 */
kind: LineChange, 
/**
 * What it says, without its end.
 */
text: string, 
/**
 * Its number before, from 1.
 */
before: number | null, 
/**
 * Its number after, from 1.
 */
after: number | null, 
/**
 * Whether the text ends with it and no line end follows.
 */
unended: boolean, };

export type Difference = { 
/**
 * What changes, in order; empty where both are the same.
 */
hunks: Array<Hunk>, 
/**
 * Equal lines below the last one that are not shown.
 */
skipped: number, 
/**
 * Lines that come.
 */
added: number, 
/**
 * Lines that go.
 */
removed: number, 
/**
 * Whether no smaller difference exists; false where looking for it would take too long.
 */
smallest: boolean, };

export type DraftText = { 
/**
 * The file it is for.
 */
path: string, 
/**
 * Its text.
 */
text: string, };

export type DropFiles = { 
/**
 * The conversation they are for.
 */
conversation_id: ConversationId, 
/**
 * As the window system named them.
 */
paths: Array<string>, };

export type EditMessage = { 
/**
 * The person's message.
 */
id: MessageId, 
/**
 * The new text; may be empty when something is attached.
 */
text: string, 
/**
 * Hashes of the message's own pictures and files, or of those in the composer, that go with it; `None` keeps the
 * message's own.
 */
attachments: Array<string> | null, 
/**
 * What is known of the place it was written at.
 */
context?: BroughtContext, };

export type EditSummary = { 
/**
 * The summary.
 */
id: SummaryId, 
/**
 * What it says from now on.
 */
text: string, };

export type Effect = { 
/**
 * The file that asks.
 */
path: string, 
/**
 * What it is.
 */
kind: EffectKind, 
/**
 * Its name.
 */
name: string, 
/**
 * The command or the address, as it is written.
 */
what: string, };

export type EffectKind = "mcp_server" | "hook";

export type Effective = { 
/**
 * Every line, the lowest layer first.
 */
lines: Array<EffectiveLine>, 
/**
 * What each file brings.
 */
files: Array<FileShare>, 
/**
 * What each layer costs.
 */
tokens: Array<LayerTokens>, };

export type EffectiveLine = { 
/**
 * What it says.
 */
text: string, 
/**
 * Its layer.
 */
layer: MemoryLayer, 
/**
 * The file it is of.
 */
path: string | null, 
/**
 * The added line it is of.
 */
line_id: MemoryLineId | null, 
/**
 * Its number there, from 1.
 */
line: number, 
/**
 * What speaks over it.
 */
overridden_by: Origin | null, 
/**
 * A lower line that says the same.
 */
same_as: Origin | null, 
/**
 * Whether it goes into every request.
 */
must: boolean, };

export type Effort = "minimal" | "low" | "medium" | "high";

export type EgressItem = { 
/**
 * Its number; later requests have higher ones.
 */
seq: number, 
/**
 * When it left.
 */
at: string, 
/**
 * The turn it was for.
 */
turn_id: TurnId | null, 
/**
 * That turn's conversation.
 */
conversation_id: ConversationId | null, 
/**
 * Name of the provider it went to.
 */
provider: string, 
/**
 * The HTTP method.
 */
method: string, 
/**
 * The whole address.
 */
url: string, 
/**
 * Whether the address is this computer's own.
 */
home: boolean, 
/**
 * Bytes of the body.
 */
size: number, 
/**
 * BLAKE3 of the body, in hexadecimal digits.
 */
hash: string, 
/**
 * The HTTP status, or the code of the error that came instead; `None` while neither came, and for ever when the
 * request was given up.
 */
answer: string | null, 
/**
 * Whether the body can still be read.
 */
body_kept: boolean, };

export type EgressRef = { 
/**
 * Its number.
 */
seq: number, };

export type EmbedderChoice = { "by": "local", 
/**
 * The name of its folder.
 */
name: string, } | { "by": "provider", 
/**
 * The provider's name.
 */
provider: string, 
/**
 * The model's id.
 */
model: string, };

export type EntrySource = "place" | "loaded" | "told" | "request";

export type EntryView = { 
/**
 * The key.
 */
key: string, 
/**
 * The value.
 */
value: string, 
/**
 * Where it comes from.
 */
source: EntrySource, };

export type EvaluatedCriterion = { 
/**
 * The criterion.
 */
text: string, 
/**
 * Whether it is met.
 */
met: boolean, 
/**
 * Why, with what it rests on.
 */
why: string, };

export type Evaluation = { 
/**
 * Whether every criterion is met.
 */
met: boolean, 
/**
 * Each criterion with the verdict on it.
 */
criteria: Array<EvaluatedCriterion>, 
/**
 * The model that judged.
 */
model: string, };

export type Excess = { 
/**
 * Tokens too many.
 */
over: number, 
/**
 * Most tokens a request may have.
 */
budget: number, };

export type ExcludeFiles = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * Its files, as in `.gitignore`, one pattern each.
 */
patterns: Array<string>, };

export type ExecutionTree = { 
/**
 * What is to be done, in a few words.
 */
title: string, 
/**
 * Its steps, in an order that can be followed.
 */
steps: Array<TreeStep>, };

export type ExportCheckpoint = { 
/**
 * Which.
 */
id: CheckpointId, 
/**
 * Locks the file; without it, secrets are taken out of the conversation, as out of any export.
 */
passphrase: Secret | null, };

export type ExportConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The form.
 */
format: ExportFormat, 
/**
 * With the secrets in it, for the person alone.
 */
as_is: boolean, };

export type ExportFormat = "markdown" | "json" | "jsonl";

export type ExportedText = { 
/**
 * A file name that fits.
 */
name: string, 
/**
 * The text.
 */
text: string, };

export type FactCategory = "constraint" | "decision" | "question" | "path" | "command" | "number" | "error" | "identifier" | "url" | "version" | "date" | "quote" | "name";

export type FailedPath = { 
/**
 * As shown.
 */
path: string, 
/**
 * What the system said.
 */
detail: string, };

export type Failure = { 
/**
 * What to switch on.
 */
code: Code, 
/**
 * The technical message, without secrets.
 */
message: string, 
/**
 * What to do.
 */
hint: string, 
/**
 * By how much something is too large, where that is known.
 */
excess?: Excess, };

export type FileChange = { 
/**
 * Below the root, as shown.
 */
path: string, 
/**
 * How.
 */
kind: ChangeKind, 
/**
 * Bytes before.
 */
before: number | null, 
/**
 * Bytes after.
 */
after: number | null, };

export type FileChoice = { 
/**
 * Whether it takes part at all.
 */
on: boolean, 
/**
 * When it goes in; `None` as the file itself says, else [`Injection::Static`].
 */
injection: Injection | null, };

export type FileImported = { "kind": "one" } & Imported | { "kind": "many" } & ImportAll;

export type FileRole = "session" | "child" | "output" | "beside";

export type FileShare = { 
/**
 * Its path.
 */
path: string, 
/**
 * Its layer.
 */
layer: MemoryLayer, 
/**
 * Estimated tokens with its imports.
 */
tokens: number, 
/**
 * An earlier file that says the same.
 */
same_as: SameAs | null, 
/**
 * Why it was not read.
 */
refused: Refusal | null, 
/**
 * What it imports.
 */
imports: Array<ImportNote>, };

export type FileTexts = { 
/**
 * Before.
 */
before: string | null, 
/**
 * After.
 */
after: string | null, 
/**
 * Whether one of them is not text, or too large to show.
 */
binary: boolean, };

export type FilesOff = "too_wide";

export type Filter = { 
/**
 * Only of this project.
 */
project_id: ProjectId | null, 
/**
 * Only of this conversation.
 */
conversation_id: ConversationId | null, 
/**
 * Only these; empty for all.
 */
kinds: Array<FoundKind>, 
/**
 * Only what this one said.
 */
role: Role | null, 
/**
 * Only from this moment on.
 */
from: string | null, 
/**
 * Only before this moment.
 */
before: string | null, };

export type Find = { 
/**
 * What is looked for.
 */
query: string, 
/**
 * What narrows it.
 */
filter: Filter, 
/**
 * Most to give of each kind; capped at 100.
 */
limit: number, };

export type Finding = { 
/**
 * The line, from 1.
 */
line: number, 
/**
 * The character in it, from 1.
 */
column: number, 
/**
 * What it is.
 */
kind: FindingKind, 
/**
 * The words; hidden characters are shown by their numbers.
 */
excerpt: string, 
/**
 * Its lines, where they can be left out alone.
 */
passage?: Passage, 
/**
 * The imported file that it is in; `None` for the file itself.
 */
in_file?: string, };

export type FindingKind = { "code": "hidden_unicode", 
/**
 * How many of them the line has.
 */
count: number, } | { "code": "bidi" } | { "code": "html_comment" } | { "code": "far_right" } | { "code": "asks_to_run" } | { "code": "asks_to_send" } | { "code": "asks_to_hide" } | { "code": "too_long", 
/**
 * Estimated tokens.
 */
tokens: number, } | { "code": "secret", 
/**
 * The rule that says so.
 */
rule: string, };

export type FoldCheck = { 
/**
 * The summary.
 */
id: SummaryId, 
/**
 * Whether it may stand for its messages, and what it lost.
 */
gate: FoldGate, 
/**
 * How much of them it keeps, kind by kind.
 */
retention: FoldRetention, 
/**
 * What is neither in it nor beside it nor in memory, the weightiest first.
 */
left_behind: Array<LeftBehind>, 
/**
 * Its lines that claim what their messages do not say.
 */
unsupported: Array<SummaryLine>, 
/**
 * What both sides weigh.
 */
tokens: FoldTokens, };

export type FoldDistance = { "unit": "tokens", "left": number } | { "unit": "turns", "left": number };

export type FoldGate = { "verdict": "pass" } | { "verdict": "soft", 
/**
 * The weightiest first.
 */
lost: Array<FactCategory>, } | { "verdict": "hard", 
/**
 * Why.
 */
reason: FoldRefusal, };

export type FoldPreview = { 
/**
 * The summary; it stands for nothing until it is adopted.
 */
candidate: Summary, 
/**
 * What it keeps and leaves behind.
 */
check: FoldCheck, 
/**
 * Tokens of the next request without it.
 */
tokens_before: number, 
/**
 * Tokens of the next request with it.
 */
tokens_after: number, 
/**
 * Tokens behind the place where the request changes: no provider has them in its cache.
 */
reread_tokens: number, 
/**
 * What reading those once costs, in billionths of a US dollar, when the price is known.
 */
reread_cost: number | null, 
/**
 * Rules in force that the next request would not say: the first 50.
 */
missing_constraints: Array<MissingConstraint>, 
/**
 * How many more of them there are.
 */
missing_more: number, };

export type FoldRefusal = "empty" | "larger_than_source" | "constraint_lost";

export type FoldRetention = { 
/**
 * The kinds that stand in it, the weightiest first.
 */
shares: Array<FoldShare>, };

export type FoldShare = { 
/**
 * What kind.
 */
category: FactCategory, 
/**
 * So many stand in the stretch, those in force alone.
 */
in_source: number, 
/**
 * So many of them are told.
 */
kept: number, };

export type FoldSketch = { 
/**
 * The summary. Its id names nothing.
 */
summary: Summary, 
/**
 * What it keeps and leaves behind.
 */
check: FoldCheck, };

export type FoldTokens = { 
/**
 * Of the messages.
 */
source: number, 
/**
 * Of the summary.
 */
summary: number, 
/**
 * Of the facts that go with it.
 */
kept_facts: number, };

export type FolderFound = { 
/**
 * Its name.
 */
name: string, 
/**
 * Bytes on disk.
 */
bytes: number, 
/**
 * Whether it was taken over already.
 */
taken: boolean, };

export type Folding = { 
/**
 * The policy.
 */
policy: SummaryPolicy | null, 
/**
 * How long summaries are; counts from the next one.
 */
rate: Rate | null, 
/**
 * Whether the designs are followed to the letter.
 */
strict?: boolean, 
/**
 * What is recalled of earlier messages.
 */
recall?: RecallSettings, };

export type ForeignFile = { 
/**
 * `context.json` or `workflow.json`.
 */
name: string, 
/**
 * What Siltstone would write, which it is compared with.
 */
before: string, 
/**
 * What it says.
 */
now: string, 
/**
 * What it says, by its hash.
 */
hash: string, 
/**
 * What it and Siltstone changed in different ways, by id or field.
 */
conflicts: Array<string>, 
/**
 * Plans and tasks that it names, by id, and that no workflow here or beside it has: nothing is worked on of them.
 */
dropped: Array<string>, 
/**
 * Whether it can be read as what it should be.
 */
readable: boolean, };

export type ForeignItem = { 
/**
 * Where it is.
 */
path: string, 
/**
 * Its id there.
 */
id: string, 
/**
 * Its tag.
 */
tag: string | null, 
/**
 * When it was made.
 */
timestamp: string | null, 
/**
 * How many messages can be had.
 */
messages: number, 
/**
 * How many files can be had; `None` when it holds none.
 */
files: number | null, 
/**
 * The version that wrote it.
 */
version: string, 
/**
 * What of it is not as it says.
 */
notes: Array<ForeignNote>, };

export type ForeignNote = { "note": "newer", 
/**
 * Its version.
 */
version: string, } | { "note": "hash_differs", 
/**
 * The file's path.
 */
path: string, } | { "note": "hash_unknown", 
/**
 * The file's path.
 */
path: string, } | { "note": "file_left_out", 
/**
 * The path as written.
 */
path: string, } | { "note": "message_left_out", 
/**
 * Its place, counted from 1.
 */
place: number, };

export type ForgetVault = { 
/**
 * What.
 */
what: ForgetWhat, 
/**
 * Do it; otherwise it is only said what would go.
 */
yes: boolean, };

export type ForgetWhat = { "type": "session", 
/**
 * The agent's id of it, or a beginning of that.
 */
id: string, } | { "type": "agent", 
/**
 * Which.
 */
agent: Agent, };

export type Found = { 
/**
 * What it is.
 */
kind: FoundKind, 
/**
 * What it is part of, as a person calls it: the title of a conversation, the path of a file.
 */
title: string, 
/**
 * A `silt:` link to the place, made by `crate::link`: `message`, `summary`, `decision`, `memory`, `file` or
 * `checkpoint`; a path in it is of the project that is named beside it.
 */
link: string, 
/**
 * Its project, if it is of one.
 */
project_id: ProjectId | null, 
/**
 * Its conversation, if it is of one.
 */
conversation_id: ConversationId | null, 
/**
 * The message to show, if it is at one.
 */
message_id: MessageId | null, 
/**
 * Who said it, where somebody did.
 */
role: Role | null, 
/**
 * The surroundings of the first match.
 */
snippet: Array<SnippetPart>, 
/**
 * When it was said or written, where that is known.
 */
at: string | null, };

export type FoundEverywhere = { 
/**
 * In the order of [`FoundKind`].
 */
groups: Array<FoundGroup>, };

export type FoundGroup = { 
/**
 * What they are.
 */
kind: FoundKind, 
/**
 * Best first.
 */
found: Array<Found>, 
/**
 * How many match; a lower bound when `capped`.
 */
total: number, 
/**
 * Counting or ranking stopped early because the words are everywhere.
 */
capped: boolean, };

export type FoundKind = "message" | "tool_result" | "summary" | "decision" | "memory" | "file" | "checkpoint";

export type FoundServer = { 
/**
 * The product, for example `Ollama`.
 */
name: string, 
/**
 * The wire format it is best spoken to in.
 */
kind: ProviderKind, 
/**
 * Base URL to add it with.
 */
base_url: string, 
/**
 * The models it lists.
 */
models: Array<ModelInfo>, };

export type GetUpdate = { 
/**
 * The version.
 */
version: string, 
/**
 * Names the download, to cancel it.
 */
work_id: string, };

export type Going = { 
/**
 * Its title now.
 */
title: string, 
/**
 * Messages that it has now.
 */
messages: number, 
/**
 * Messages that it would have; `None` when it would not be there.
 */
then: number | null, };

export type Holds = { 
/**
 * Conversations.
 */
conversations: number, 
/**
 * Their messages, on every branch.
 */
messages: number, };

export type Hunk = { 
/**
 * Equal lines above it that are not shown.
 */
skipped: number, 
/**
 * Its lines.
 */
lines: Array<DiffLine>, };

export type Hydrated = { 
/**
 * In the design's order.
 */
lines: Array<string>, };

export type ImportAll = { 
/**
 * As it was given when the file was opened.
 */
import_id: string, };

export type ImportCheckpoint = { 
/**
 * Into this project.
 */
project_id: ProjectId, 
/**
 * Opens the file, if it is locked.
 */
passphrase: Secret | null, 
/**
 * A file that was handed over by a start of the program, or dropped on the window; else the person is asked for one.
 */
file?: string, };

export type ImportConversation = { 
/**
 * The text of the file.
 */
text: string, 
/**
 * The file's name, which becomes the title when the text has none.
 */
name: string, 
/**
 * The project it joins.
 */
project_id: ProjectId | null, };

export type ImportEvent = { 
/**
 * Conversations that were looked at.
 */
done: number, 
/**
 * Conversations in the file.
 */
total: number, };

export type ImportForeign = { 
/**
 * Into this project.
 */
project_id: ProjectId, 
/**
 * One of the listed files.
 */
path: string, };

export type ImportNote = { 
/**
 * The file that asks.
 */
from: string, 
/**
 * The line in it.
 */
line: number, 
/**
 * What it asks for, as it is written.
 */
target: string, 
/**
 * The file that it is.
 */
to: string | null, 
/**
 * Why it was not taken in.
 */
refused: Refusal | null, 
/**
 * Whether it was in already, so that it was not taken in again.
 */
again: boolean, };

export type ImportWarning = { "kind": "last_line_cut", 
/**
 * Counted from 1.
 */
line: number, } | { "kind": "time_unreadable", 
/**
 * Counted from 1.
 */
line: number, } | { "kind": "speakers_in_text" } | { "kind": "summary_left_out" } | { "kind": "attachment_left_out", 
/**
 * The name it came with.
 */
name: string, } | { "kind": "output_left_out" };

export type Imported = { 
/**
 * The new conversation.
 */
item: ConversationItem, 
/**
 * What was read, but not as it stood.
 */
warnings: Array<ImportWarning>, };

export type ImportedAll = { 
/**
 * Conversations that are new here.
 */
conversations: number, 
/**
 * Messages in them.
 */
messages: number, 
/**
 * Conversations that were there already.
 */
already: number, 
/**
 * Conversations in which nothing was said.
 */
empty: number, 
/**
 * Conversations that could not be read.
 */
unreadable: number, 
/**
 * Pictures and files of which only the name is there.
 */
left_out: number, 
/**
 * Whether it was cancelled before it came to the end.
 */
cancelled: boolean, 
/**
 * The new conversation in which something was last said.
 */
latest: ConversationItem | null, };

export type ImportedCheckpoint = { 
/**
 * The checkpoint; the rules leave it alone until it is unpinned.
 */
item: CheckpointItem, 
/**
 * What of its conversation was not taken over as it stood.
 */
warnings: Array<ImportWarning>, 
/**
 * What of a foreign file was not as it says.
 */
notes: Array<ForeignNote>, };

export type InboxId = string;

export type InboxItem = { 
/**
 * Its id.
 */
id: InboxId, 
/**
 * The project; `None` where there was none.
 */
project_id: ProjectId | null, 
/**
 * The conversation it is from; `None` where it is from none of ours.
 */
conversation_id: ConversationId | null, 
/**
 * The message that proposes it, or that an agent's rests on.
 */
message_id: MessageId | null, 
/**
 * The line.
 */
text: string, 
/**
 * What it rests on, in the model's words.
 */
why: string, 
/**
 * Whether it is about all projects.
 */
for_all_projects: boolean, 
/**
 * When.
 */
at: string, 
/**
 * The agent outside that proposes it, as it calls itself; `None` for a model in a conversation of ours.
 */
from: string | null, };

export type InboxRef = { 
/**
 * Which.
 */
id: InboxId, };

export type InjectedWhy = { "code": "always" } | { "code": "directory", 
/**
 * The path that is.
 */
path: string, 
/**
 * Whether the message names it; else it is open, the shell is there, or a tool uses it.
 */
named: boolean, } | { "code": "paths", 
/**
 * The path that is.
 */
path: string, 
/**
 * The same.
 */
named: boolean, } | { "code": "headings", 
/**
 * The headings; empty for a file without any.
 */
headings: Array<string>, } | { "code": "mentioned", 
/**
 * The word.
 */
word: string, } | { "code": "must" } | { "code": "added", 
/**
 * How many lines it is.
 */
lines: number, } | { "code": "skill" } | { "code": "kept", 
/**
 * What it is of.
 */
kind: LineKind, };

export type Injection = "static" | "dynamic" | "lazy";

export type InstallUpdate = { 
/**
 * The version that was shown.
 */
version: string, };

export type Installed = { "how": "done" } | { "how": "by_command", 
/**
 * The command, for a shell.
 */
command: string, };

export type InstalledAs = "deb" | "rpm" | "appimage" | "by_hand";

export type InstructionFile = { 
/**
 * Path relative to the folder, with `/`.
 */
path: string, 
/**
 * Estimated tokens.
 */
tokens: number, 
/**
 * An earlier file of the list with the same text.
 */
same_as: string | null, };

export type Keep = "theirs" | "mine";

export type KeepFact = { 
/**
 * The summary.
 */
id: SummaryId, 
/**
 * The fact, as its messages say it.
 */
text: string, };

export type KeepMemory = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The section, by its id.
 */
section_id: string, };

export type KeepResource = { 
/**
 * [`ResourceText::hash`] of what was shown.
 */
hash: string, 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The server's name.
 */
server: string, 
/**
 * What the resource is asked for by.
 */
uri: string, };

export type Kept = "here" | "project";

export type KeptBy = "person" | "gate" | "auto";

export type KeptFact = { 
/**
 * As it was said.
 */
text: string, 
/**
 * What it is.
 */
category: FactCategory, 
/**
 * Who said it.
 */
message: MessageId, 
/**
 * Where in that message, in bytes.
 */
span: { start: number, end: number, }, 
/**
 * Who wants it.
 */
by: KeptBy, };

export type KeptOutput = { 
/**
 * BLAKE3 of its bytes, hexadecimal: the handle.
 */
hash: string, 
/**
 * Its bytes.
 */
bytes: number, 
/**
 * Its lines.
 */
lines: number, };

export type KeyShown = { 
/**
 * Where it is kept.
 */
place: Place, 
/**
 * Its last four characters; empty when it is too short to show any.
 */
last_four: string, };

export type KeyringState = "unlocked" | "locked" | "absent" | "silent";

export type KeysState = { 
/**
 * The system's keyring.
 */
keyring: KeyringState, 
/**
 * The encrypted file.
 */
vault: VaultState, 
/**
 * Where a key is best kept now; `None` when the person must open or choose a place first.
 */
place: Place | null, };

export type Language = "system" | "ko" | "en";

export type LayerTokens = { 
/**
 * The layer.
 */
layer: MemoryLayer, 
/**
 * Estimated tokens.
 */
tokens: number, };

export type LeftBehind = { 
/**
 * As it was said.
 */
text: string, 
/**
 * What it is.
 */
category: FactCategory, 
/**
 * Who said it first.
 */
message: MessageId, 
/**
 * Where in that message, in bytes.
 */
span: { start: number, end: number, }, 
/**
 * Whether a later message says it again.
 */
used_again: boolean, };

export type LeftOut = { 
/**
 * The section it would be, where it is one.
 */
id: string | null, 
/**
 * Where it is.
 */
source: string, 
/**
 * What it would have cost.
 */
tokens: number, 
/**
 * Why it is out.
 */
why: LeftOutWhy, 
/**
 * What it is worth, where messages are chosen by that.
 */
worth: Worth | null, };

export type LeftOutWhy = "no_room" | "untrusted" | "unreadable" | "duplicate" | "never_sent" | "excluded" | "changed_since_agreed" | "off" | "not_touched" | "not_mentioned" | "refused" | "outside" | "not_taken" | "summarised" | "by_you" | "still_reading" | "small_talk" | "no_tools" | "agent_command";

export type LineChange = "same" | "added" | "removed";

export type LineKind = "added" | "tool_result" | "file" | "mcp" | "skill";

export type LineRef = { 
/**
 * The line.
 */
id: MemoryLineId, };

export type Lines = { 
/**
 * The first.
 */
first: number, 
/**
 * The last.
 */
last: number, };

export type ListCheckpoints = { 
/**
 * Of this project.
 */
project_id: ProjectId, 
/**
 * Made before this time; `None` for the newest.
 */
before: string | null, 
/**
 * At most so many.
 */
limit: number, };

export type ListConversations = { 
/**
 * Only of this project.
 */
project_id: ProjectId | null, 
/**
 * The trash instead of the living.
 */
trashed: boolean, };

export type ListEgress = { 
/**
 * Only those before this number; `None` begins with the latest.
 */
before: number | null, 
/**
 * Most requests to give; capped at 500.
 */
limit: number, 
/**
 * Only those that went to other computers.
 */
away_only: boolean, };

export type ListPaths = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * What their names or paths hold; empty for any.
 */
query: string, 
/**
 * Most paths to give; capped at 100.
 */
limit: number, };

export type ListVault = { 
/**
 * Of this agent alone.
 */
agent: Agent | null, 
/**
 * Of work in this folder, or beneath it.
 */
folder: string | null, 
/**
 * At most so many, those of which something was said last.
 */
limit: number | null, };

export type LocalEmbedder = { 
/**
 * The name of its folder.
 */
name: string, 
/**
 * Bytes of its files.
 */
bytes: number, 
/**
 * Whether it came with this program; the others lie in the data folder.
 */
shipped: boolean, };

export type Located = { 
/**
 * Its conversation.
 */
conversation_id: ConversationId, 
/**
 * Its place on the shown path.
 */
index: number, };

export type LookShare = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * The files.
 */
files: Array<ShareWish>, };

export type LookVault = { 
/**
 * Where.
 */
path: string, 
/**
 * Whose; without one, of every service whose sessions lie wherever a person put them.
 */
agent: Agent | null, };

export type ManifestSection = { 
/**
 * The section's id.
 */
id: string, 
/**
 * What it was.
 */
kind: SectionKind, 
/**
 * Where it came from.
 */
source: string, 
/**
 * A `silt:` link to that place.
 */
link: string | null, 
/**
 * Tokens at that time.
 */
tokens: number, 
/**
 * Whether a tokenizer counted them.
 */
exact: boolean, 
/**
 * Why it was there.
 */
reason: Reason, 
/**
 * Whether the person wanted it.
 */
pinned: boolean, 
/**
 * The messages it showed.
 */
messages: Array<MessageId>, 
/**
 * The turns it was of.
 */
turns: TurnSpan | null, 
/**
 * The rules by which secrets were taken out of its text.
 */
redacted: Array<string>, 
/**
 * BLAKE3 of the text, hexadecimal.
 */
hash: string, 
/**
 * The text of tools, of a context block, of a plan or of key sentences, of which there is no other trace.
 */
text?: string, 
/**
 * Pictures and files that went with the text.
 */
attached: Array<Part>, };

export type McpChange = { 
/**
 * The file.
 */
path: string, 
/**
 * How.
 */
kind: McpChangeKind, };

export type McpChangeKind = "program" | "added" | "changed" | "removed";

export type McpFound = { 
/**
 * The file that names it.
 */
path: string, 
/**
 * Its name there.
 */
name: string, 
/**
 * How it would be reached.
 */
transport: McpTransport, 
/**
 * Whether one is set up that is the same.
 */
added: boolean, };

export type McpItem = { 
/**
 * As it was set up.
 */
server: McpServer, 
/**
 * Whether the person trusted it as it is now, with its files as they are now.
 */
trusted: boolean, 
/**
 * What trust in it would be bound to now.
 */
fingerprint: string, 
/**
 * How it is another one than was trusted, by its files; at most a hundred.
 */
changes: Array<McpChange>, 
/**
 * Files of it that can be changed where it lies, and that trust is bound to; at most a hundred.
 */
files: Array<string>, 
/**
 * How many there are.
 */
file_count: number, 
/**
 * Whether there are more than are looked at, to which trust is not bound.
 */
more_files: boolean, 
/**
 * What it usually needs, by its name and its arguments, and was not given.
 */
lacks: McpNeeds, 
/**
 * What keeps a program inside here.
 */
sandbox: Sandbox, 
/**
 * Whether no program has a network here, whatever it is given.
 */
this_computer_only: boolean, 
/**
 * Names of its secrets that are not kept yet.
 */
missing_secrets: Array<string>, 
/**
 * Why it could not be reached the last time; `None` when it could, or was not asked.
 */
fault: string | null, 
/**
 * Tools it offered the last time.
 */
tools: Array<string>, };

export type McpNeeds = { 
/**
 * Files and folders that it reads; `~/` is the home.
 */
reads: Array<string>, 
/**
 * Files and folders that it changes. What it changes is no part of what was agreed to, but for its own code.
 */
writes: Array<string>, 
/**
 * Whether it may use the network; never with *This computer only*.
 */
network: boolean, };

export type McpRef = { 
/**
 * The project; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * Its name.
 */
name: string, };

export type McpResource = { 
/**
 * What it is asked for by.
 */
uri: string, 
/**
 * What it is called.
 */
name: string, 
/**
 * What it is about; empty where the server does not say.
 */
description: string, 
/**
 * Its size in bytes, if the server says it.
 */
size: number | null, };

export type McpServer = { 
/**
 * The project whose conversations may use it; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * Unique for its project: letters, digits, `-` and `_`, at most 32.
 */
name: string, 
/**
 * How it is reached.
 */
transport: McpTransport, 
/**
 * Whether its tools are offered.
 */
on: boolean, 
/**
 * The fingerprint the person trusted; another one asks again. Empty before the first answer.
 */
trusted: string, 
/**
 * BLAKE3 of the instructions the person let take effect; empty for none.
 */
instructions_trusted: string, };

export type McpTested = { 
/**
 * Its fingerprint.
 */
fingerprint: string, 
/**
 * Its tools, in its own words.
 */
tools: Array<McpTool>, 
/**
 * What it wants models to be told; shown before it takes effect.
 */
instructions: string | null, 
/**
 * BLAKE3 of that.
 */
instructions_hash: string, };

export type McpTool = { 
/**
 * The server's own name for it.
 */
name: string, 
/**
 * What it says it does.
 */
description: string, 
/**
 * JSON schema of its arguments.
 */
schema: unknown, 
/**
 * Whether the server says that it only looks. Shown; believed by nobody.
 */
says_read_only: boolean, };

export type McpTransport = { "by": "stdio", 
/**
 * The program.
 */
command: string, 
/**
 * Its arguments.
 */
args: Array<string>, 
/**
 * Variables of its environment that are no secrets.
 */
env: { [key in string]: string }, 
/**
 * Names of variables whose values are kept with the keys.
 */
secret_env: Array<string>, 
/**
 * What it may reach beside what every program of ours may.
 */
needs: McpNeeds, } | { "by": "http", 
/**
 * The whole address.
 */
url: string, 
/**
 * Name of a header whose value is kept with the keys; empty for none.
 */
secret_header: string, };

export type MeaningBy = { 
/**
 * Which.
 */
embedder: EmbedderChoice, };

export type MeaningHalt = { "why": "stopped" } | { "why": "limit" } | { "why": "fault", 
/**
 * Why; the code has its words in the window.
 */
fault: TurnFault, };

export type MeaningPlan = { 
/**
 * Whether texts would stay on this computer.
 */
home: boolean, 
/**
 * Messages to read.
 */
messages: number, 
/**
 * Tokens of them, estimated.
 */
tokens: number, 
/**
 * What that costs, in billionths of a US dollar, when the price is known.
 */
cost: number | null, };

export type MeaningSettings = { 
/**
 * By whom; until the person chooses, by the model that came with this program, if one did.
 */
embedder: EmbedderChoice | null, 
/**
 * The person wants nobody to.
 */
nobody: boolean, 
/**
 * Most tokens to send to a provider of another computer in all; nothing is sent there without it.
 */
most_tokens: number | null, 
/**
 * The person stopped the making of vectors; those that are there still serve.
 */
stopped: boolean, };

export type MeaningState = { 
/**
 * By whom they are made; `None` while recall goes by words alone.
 */
embedder: EmbedderChoice | null, 
/**
 * Whether texts stay on this computer.
 */
home: boolean, 
/**
 * The models in the data folder and those that came with this program, by name.
 */
local: Array<LocalEmbedder>, 
/**
 * The folder where those are looked for.
 */
folder: string, 
/**
 * Messages that have vectors.
 */
done: number, 
/**
 * Messages that could have some.
 */
all: number, 
/**
 * Bytes of the vectors.
 */
bytes: number, 
/**
 * Tokens sent so far to a provider.
 */
tokens: number, 
/**
 * Most tokens that the person agreed to; `None` where nothing leaves this computer.
 */
most_tokens: number | null, 
/**
 * Whether vectors are being made now.
 */
running: boolean, 
/**
 * Why not, where some are missing.
 */
halted: MeaningHalt | null, };

export type MemoryAnswer = { "did": "added", 
/**
 * The line.
 */
line: MemoryLine, } | { "did": "shown", 
/**
 * What memory says.
 */
effective: Effective, } | { "did": "listed", 
/**
 * Where it comes from.
 */
view: MemoryView, } | { "did": "refreshed", 
/**
 * As it is now.
 */
view: MemoryView, } | { "did": "cleared", 
/**
 * What was removed; each can be taken back.
 */
lines: Array<MemoryLine>, };

export type MemoryAt = { 
/**
 * The project; `None` for global memory alone.
 */
project_id: ProjectId | null, 
/**
 * The conversation whose session memory it is.
 */
conversation_id: ConversationId | null, 
/**
 * The directory that is worked in, relative to the root; `None` for all of them.
 */
dir: string | null, };

export type MemoryCommand = { 
/**
 * The project.
 */
project_id: ProjectId | null, 
/**
 * The conversation it was typed in.
 */
conversation_id: ConversationId | null, 
/**
 * What was typed.
 */
text: string, };

export type MemoryDocument = { 
/**
 * Its path as in [`MemoryFile`].
 */
path: string, 
/**
 * Its text with `\n` and without a byte-order mark; how it is written on disk is kept aside and restored.
 */
text: string, 
/**
 * BLAKE3 of its bytes; `None` while there is no such file.
 */
hash: string | null, 
/**
 * Whether it may be written.
 */
writable: boolean, };

export type MemoryFileRef = { 
/**
 * Its project; `None` for a file of global memory.
 */
project_id: ProjectId | null, 
/**
 * Its path as in [`MemoryFileView`].
 */
path: string, };

export type MemoryFileView = { 
/**
 * Relative to the root; absolute for a file of global memory.
 */
path: string, 
/**
 * Its layer.
 */
layer: MemoryLayer, 
/**
 * The directory it speaks for.
 */
dir: string, 
/**
 * Estimated tokens with its imports.
 */
tokens: number, 
/**
 * Its size.
 */
bytes: number, 
/**
 * BLAKE3 of its bytes.
 */
hash: string, 
/**
 * Whether it takes part.
 */
on: boolean, 
/**
 * When it goes into a request.
 */
injection: Injection, 
/**
 * What the person chose of that; `None` as the file says.
 */
choice_injection: Injection | null, 
/**
 * An earlier file that says the same.
 */
same_as: SameAs | null, 
/**
 * Why it was not read.
 */
refused: Refusal | null, 
/**
 * What it imports.
 */
imports: Array<ImportNote>, 
/**
 * What to look at before a model reads it.
 */
findings: Array<Finding>, 
/**
 * Whether there is no such file yet.
 */
missing: boolean, 
/**
 * Whether it, or what it imports, is not what the person agreed to.
 */
changed: boolean, 
/**
 * What it costs a day at today's use, in billionths of a US dollar; `None` where the price is not known.
 */
cost_a_day: number | null, };

export type MemoryLayer = "global" | "project" | "directory" | "session" | "runtime";

export type MemoryLine = { 
/**
 * Its id.
 */
id: MemoryLineId, 
/**
 * The project it is about; `None` for one that belongs to no project.
 */
project_id: ProjectId | null, 
/**
 * The conversation it belongs to: then it is session memory, else runtime memory.
 */
conversation_id: ConversationId | null, 
/**
 * Where it comes from.
 */
kind: LineKind, 
/**
 * What it says.
 */
text: string, 
/**
 * A `silt:` link or a path to where it was said.
 */
source: string | null, 
/**
 * When it was added.
 */
created_at: string, 
/**
 * When it was removed.
 */
removed_at: string | null, };

export type MemoryLineId = string;

export type MemorySettings = { 
/**
 * Names that hold memory in every directory; a folder of that name holds rule files (`.md`, `.mdc`).
 */
names: Array<string>, 
/**
 * Names whose presence marks the root of a project.
 */
markers: Array<string>, 
/**
 * Only the current directory's file beside the root's, exactly as the Memory design says ("디렉토리 메모리").
 */
strict: boolean, 
/**
 * How long a line lasts that `/memory add` adds; `None` until the person was asked, which then lasts until it is
 * cleared.
 */
added_for: AddedFor | null, };

export type MemoryVersion = { 
/**
 * Its number over all files; later ones are greater.
 */
seq: number, 
/**
 * BLAKE3 of the bytes.
 */
hash: string, 
/**
 * How it came to be.
 */
origin: VersionOrigin, 
/**
 * When.
 */
at: string, 
/**
 * Bytes.
 */
size: number, };

export type MemoryView = { 
/**
 * The files, the lowest layer first.
 */
files: Array<MemoryFileView>, 
/**
 * The lines that were added, oldest first.
 */
lines: Array<MemoryLine>, 
/**
 * What each layer costs.
 */
tokens: Array<LayerTokens>, 
/**
 * How the project is watched; `None` while it is not.
 */
watching: Watching | null, 
/**
 * The person's answer; `None` without a project.
 */
trust: Trust | null, 
/**
 * How many files of it the person keeps out.
 */
excluded: number, };

export type MergeTexts = { 
/**
 * What both began with.
 */
base: string, 
/**
 * Now.
 */
now: string, 
/**
 * Then.
 */
then: string, 
/**
 * Both together, with marks where they contradict each other.
 */
merged: string, 
/**
 * Whether it has such marks.
 */
conflicts: boolean, };

export type MessageId = string;

export type MessageItem = { 
/**
 * Its id.
 */
id: MessageId, 
/**
 * The message before it.
 */
parent_id: MessageId | null, 
/**
 * Its turn.
 */
turn_id: TurnId | null, 
/**
 * Place on the path, from 0.
 */
index: number, 
/**
 * Who speaks.
 */
role: Role, 
/**
 * What was said.
 */
parts: Array<Part>, 
/**
 * How it ended.
 */
status: MessageStatus, 
/**
 * The model that wrote it.
 */
model: string | null, 
/**
 * Estimated tokens.
 */
tokens: number, 
/**
 * When it was made.
 */
created_at: string, 
/**
 * The ways to go at this point.
 */
siblings: Siblings, 
/**
 * For replies: whether the record of its turn is here. One that came in a file has none.
 */
recorded: boolean, 
/**
 * For replies: what the provider counted.
 */
usage: Usage | null, 
/**
 * For replies: what it cost, in billionths of a US dollar, when the price is known.
 */
cost: number | null, 
/**
 * For failed replies: why.
 */
fault: TurnFault | null, };

export type MessageRef = { 
/**
 * The message.
 */
id: MessageId, };

export type MessageStatus = "complete" | "streaming" | "interrupted" | "failed";

export type Metadata = { 
/**
 * The sitting in which it was made: one run of the program.
 */
session_id: string, 
/**
 * The name of the person's account on this computer, if they want it kept.
 */
user_id: string | null, 
/**
 * The project's root.
 */
project_path: string, 
/**
 * The program's version.
 */
version: string, 
/**
 * [`FORMAT`] when it was made.
 */
format: number, };

export type MissingConstraint = { 
/**
 * What it says.
 */
text: string, 
/**
 * The section it would be in: `summary:…`, `memory:…`, `message:…`.
 */
section: string, };

export type ModelInfo = { 
/**
 * The name to ask for.
 */
id: string, 
/**
 * Tokens that request and reply may have together, when that is known.
 */
context_window: number | null, 
/**
 * Whether nobody says so of this model: it is what most of its family have.
 */
window_guessed: boolean, 
/**
 * Whether it reads pictures, when that is known.
 */
takes_images: boolean | null, 
/**
 * Whether it reads PDF files, when that is known.
 */
takes_files: boolean | null, 
/**
 * Whether it calls tools, when that is known.
 */
takes_tools: boolean | null, 
/**
 * What the server asks for it, when it says so.
 */
price: Price | null, };

export type MomentMessage = { 
/**
 * Which.
 */
id: MessageId, 
/**
 * Who said it.
 */
role: Role, 
/**
 * Its beginning.
 */
text: string, 
/**
 * Whether the later moment has it.
 */
later: boolean, };

export type MoveLine = { 
/**
 * The line.
 */
id: MemoryLineId, 
/**
 * Project or global.
 */
to: MemoryLayer, };

export type NodeId = string;

export type NodeStatus = "waiting" | "running" | "done" | "failed" | "denied" | "stopped";

export type NotCaptured = { 
/**
 * Below the root, as shown.
 */
path: string, 
/**
 * Why.
 */
why: NotCapturedWhy, };

export type NotCapturedWhy = "too_large" | "excluded" | "not_regular" | "unreadable" | "unsteady" | "unsure";

export type NotCarried = { 
/**
 * Which.
 */
id: CheckpointId, 
/**
 * Why.
 */
detail: string, };

export type Notify = { 
/**
 * First line.
 */
title: string, 
/**
 * Second line.
 */
body: string, };

export type OfferSkill = { 
/**
 * The project at which it was looked at.
 */
project_id: ProjectId | null, 
/**
 * The skill's folder.
 */
id: string, 
/**
 * As it was shown.
 */
hash: string, 
/**
 * Whether they may.
 */
on: boolean, };

export type OffersAt = { 
/**
 * The project; `None` where it was started in none, which holds wherever nothing else was told.
 */
project_id: ProjectId | null, 
/**
 * What it told there.
 */
told: Told, };

export type OpenLink = { 
/**
 * The whole address.
 */
url: string, };

export type OpenProject = { 
/**
 * Path of the folder.
 */
path: string, 
/**
 * The person's answer; `None` keeps the earlier one and fails when there is none.
 */
trust: Trust | null, 
/**
 * Whether its conversations ask this computer alone; `None` keeps the earlier answer.
 */
this_computer_only: boolean | null, 
/**
 * With an answer that trusts it: the instruction files as they were shown. What is there and is not as it is here
 * stays asked about.
 */
seen: Array<AgreedFile>, };

export type Origin = { 
/**
 * Its layer.
 */
layer: MemoryLayer, 
/**
 * Its file; `None` for an added line.
 */
path: string | null, 
/**
 * Its number there, from 1.
 */
line: number, };

export type OutputText = { 
/**
 * The lines.
 */
text: string, 
/**
 * First line, from 1.
 */
offset: number, 
/**
 * Lines of the whole.
 */
lines: number, };

export type Overdue = { 
/**
 * Which.
 */
id: CheckpointId, 
/**
 * When it was made.
 */
created_at: string, 
/**
 * The rule.
 */
rule: Rule, 
/**
 * Bytes it added on disk.
 */
bytes: number, };

export type PageConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * Index of the first message; `None` for the newest ones.
 */
start: number | null, 
/**
 * Most messages to give; capped at 200.
 */
limit: number, };

export type Part = { "type": "text", 
/**
 * The text itself.
 */
text: string, } | { "type": "image", 
/**
 * BLAKE3 of the bytes, hexadecimal.
 */
hash: string, 
/**
 * For example `image/png`.
 */
media_type: string, 
/**
 * The name it came with.
 */
name: string, 
/**
 * Estimated tokens.
 */
tokens: number, } | { "type": "file", 
/**
 * BLAKE3 of the bytes, hexadecimal.
 */
hash: string, 
/**
 * For example `application/pdf`.
 */
media_type: string, 
/**
 * The name it came with.
 */
name: string, 
/**
 * Estimated tokens.
 */
tokens: number, } | { "type": "pasted", 
/**
 * BLAKE3 of the text, hexadecimal.
 */
hash: string, 
/**
 * How many lines it has.
 */
lines: number, 
/**
 * Estimated tokens.
 */
tokens: number, 
/**
 * The text itself; empty in a draft, which keeps it beside itself under `hash`.
 */
text: string, } | { "type": "tool_call", 
/**
 * The provider's id of the call.
 */
id: string, 
/**
 * The tool's name.
 */
name: string, 
/**
 * The arguments as JSON text, as the model wrote them.
 */
arguments: string, 
/**
 * What the provider wants back with the call.
 */
seal: Seal | null, } | { "type": "tool_result", 
/**
 * The id of the call it answers.
 */
call_id: string, 
/**
 * The answer.
 */
text: string, 
/**
 * Whether the tool failed.
 */
is_error: boolean, 
/**
 * The whole of it, when `text` is only its beginning and end.
 */
kept: KeptOutput | null, } | { "type": "reasoning", 
/**
 * The thought; empty when the provider keeps it to itself.
 */
text: string, 
/**
 * What the provider wants back with it.
 */
seal: Seal | null, };

export type Parts = Array<Stretch>;

export type Passage = { 
/**
 * How many lines they are on, from the finding's on.
 */
lines: number, 
/**
 * BLAKE3 of their words, hexadecimal.
 */
hash: string, 
/**
 * Whether the person's answer leaves them out.
 */
left_out: boolean, };

export type PasteText = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The text, at most 20 MiB.
 */
text: string, };

export type PathChoice = { 
/**
 * Its place in the plan.
 */
index: number, 
/**
 * What happens.
 */
choice: PathOutcome, };

export type PathHit = { 
/**
 * Path relative to the project, with `/`.
 */
path: string, 
/**
 * Number of its bytes.
 */
size: number, };

export type PathOffered = { 
/**
 * Its path.
 */
path: string, };

export type PathOutcome = { "is": "keep" } | { "is": "overwrite" } | { "is": "merge", 
/**
 * The text.
 */
text: string, };

export type PersistenceKind = "persistent" | "volatile";

export type PinConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * Whether it stays at the top.
 */
pinned: boolean, };

export type Place = "keyring" | "session" | "vault";

export type PlaceOffer = { 
/**
 * Whether it goes with the first message.
 */
taken: boolean, 
/**
 * Its tokens.
 */
tokens: number, 
/**
 * Exactly what goes, or would.
 */
sections: Array<Section>, };

export type Plan = { 
/**
 * `plan_001`.
 */
id: string, 
/**
 * In a few words.
 */
title: string, 
/**
 * At length; may be empty.
 */
description: string, 
/**
 * How far it is.
 */
status: PlanStatus, 
/**
 * When it was made.
 */
created_at?: string, 
/**
 * In the person's order.
 */
tasks: Array<Task>, };

export type PlanId = string;

export type PlanRestore = { 
/**
 * The checkpoint.
 */
id: CheckpointId, 
/**
 * What comes back.
 */
parts: RestoreParts, };

export type PlanRun = { 
/**
 * The plan.
 */
plan_id: string, 
/**
 * The task that was asked for last.
 */
task_id: string, 
/**
 * The message that asks for it.
 */
asked: DecisionSource, } & ({ "state": "asked" } | { "state": "judging" } | { "state": "waiting", 
/**
 * Why.
 */
why: WaitingWhy, });

export type PlanStatus = "open" | "active" | "done" | "archived";

export type PlanVault = { 
/**
 * The agent's own id, or a beginning of it that no other has; or the whole id of a conversation from here.
 */
id: string, 
/**
 * A version of its file; the newest one otherwise.
 */
version: number | null, 
/**
 * Where it goes on.
 */
goal: VaultGoal, };

export type PlannedFile = { 
/**
 * Its place in the plan, which names it.
 */
index: number, 
/**
 * As shown.
 */
path: string, 
/**
 * What happens unless the person chooses otherwise.
 */
action: Action, 
/**
 * Why.
 */
why: Why, 
/**
 * Bytes now.
 */
now: number | null, 
/**
 * Bytes then.
 */
then: number | null, 
/**
 * Whether both can be merged: the checkpoint, now, and what both began with are text.
 */
can_merge: boolean, };

export type PlannedFileRef = { 
/**
 * The plan.
 */
plan_id: PlanId, 
/**
 * Its place in the plan.
 */
index: number, };

export type PreviewRequest = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * What is in the composer.
 */
draft: string, 
/**
 * What is known of the place it is written at.
 */
context?: BroughtContext, 
/**
 * The model that would be asked, if not the conversation's.
 */
model?: DefaultModel, };

export type Price = { 
/**
 * What is sent.
 */
input: number, 
/**
 * What is sent and was found in the provider's cache; as `input` when it is not priced apart.
 */
cached_input: number | null, 
/**
 * What is sent and written to the provider's cache; as `input` when it is not priced apart.
 */
cache_write: number | null, 
/**
 * What is answered, thoughts included.
 */
output: number, };

export type PriceSource = "built_in" | "server" | "person";

export type PricedModel = { 
/**
 * The model's id; one of the person's may end with a `*`.
 */
model: string, 
/**
 * Its price.
 */
price: Price, 
/**
 * Who says so.
 */
source: PriceSource, };

export type PrivacySettings = { 
/**
 * Files that never enter a request, an index or a checkpoint, as in `.gitignore`; for every project.
 */
exclude_patterns: Array<string>, 
/**
 * Whether keys, tokens and passwords are redacted on the way into a request, a summary or an export. The log is
 * always redacted.
 */
sanitize_secrets: boolean, 
/**
 * Whether checkpoints are sealed (`encryptCheckpoints`). Sealing and opening them set it, nobody else.
 */
encrypt_checkpoints: boolean, 
/**
 * *No cloud storage* (`localOnly`): checkpoints go to no remote.
 */
local_only: boolean, };

export type ProbeEvent = { 
/**
 * Counts so far.
 */
counts: ProbeProgress, };

export type ProbeProgress = { 
/**
 * Files seen, after gitignore.
 */
files: number, 
/**
 * Folders seen.
 */
folders: number, 
/**
 * Bytes of those files.
 */
bytes: number, };

export type ProbeProject = { 
/**
 * Path of the folder.
 */
path: string, 
/**
 * Chosen by the caller, to cancel by.
 */
probe_id: string, };

export type ProbeView = { 
/**
 * Its memory files, with what to look at in them.
 */
memory: Array<MemoryFileView>, 
/**
 * They and what they import, as they are now; an answer that trusts the folder names them.
 */
seen: Array<AgreedFile>, 
/**
 * What it asks other programs to run. Siltstone runs none of it.
 */
effects: Array<Effect>, 
/**
 * The real path of the folder.
 */
path: string, 
/**
 * The folder's name.
 */
name: string, 
/**
 * Final counts.
 */
counts: ProbeProgress, 
/**
 * The checked-out git branch, read from `.git/HEAD` and never by running git.
 */
git_branch: string | null, 
/**
 * Whether the folder brings a session of its own in `.ai-brain`.
 */
brain: boolean, 
/**
 * Instruction files, root first.
 */
instructions: Array<InstructionFile>, 
/**
 * Names that are never sent (`.env`, keys and the like), as found.
 */
never_sent: Array<string>, 
/**
 * Things to know.
 */
warnings: Array<ProbeWarning>, };

export type ProbeWarning = "home" | "root" | "own_data" | "network" | "too_many_files" | "unreadable" | "still_written";

export type Project = { 
/**
 * Its id.
 */
id: ProjectId, 
/**
 * The real path of the folder.
 */
path: string, 
/**
 * The folder's name.
 */
name: string, 
/**
 * The person's answer.
 */
trust: Trust, 
/**
 * Its conversations ask no address but this computer's own.
 */
this_computer_only: boolean, 
/**
 * Its files that never enter a request, an index or a checkpoint, as in `.gitignore`.
 */
exclude: Array<string>, 
/**
 * When it was last opened.
 */
opened_at: string, 
/**
 * Of which project it is a copy, if it is one.
 */
copy: CopyOf | null, };

export type ProjectFile = { 
/**
 * Path relative to the project.
 */
path: string, 
/**
 * The text, at most the first 2 MiB.
 */
text: string, 
/**
 * Whether the file goes on.
 */
truncated: boolean, };

export type ProjectHolds = { 
/**
 * Plans, finished ones too.
 */
plans: number, 
/**
 * Their tasks.
 */
tasks: number, 
/**
 * Decisions.
 */
decisions: number, 
/**
 * Lines of memory that were added to no file.
 */
lines: number, 
/**
 * Proposals that wait for an answer.
 */
proposals: number, 
/**
 * MCP servers of this project alone.
 */
servers: number, 
/**
 * Checkpoints.
 */
checkpoints: number, 
/**
 * What those take on the disk, in bytes.
 */
bytes: number, };

export type ProjectId = string;

export type ProjectRef = { 
/**
 * The project.
 */
id: ProjectId, };

export type ProposalId = string;

export type ProposalRecord = { 
/**
 * Its id.
 */
id: ProposalId, 
/**
 * The project it is about.
 */
project_id: ProjectId, 
/**
 * The conversation it was made in.
 */
conversation_id: ConversationId, 
/**
 * The message that makes it.
 */
message_id: MessageId, 
/**
 * What it proposes.
 */
change: WorkflowChange, 
/**
 * Where its words begin in the message's text, in bytes.
 */
start: number, 
/**
 * Where they end.
 */
end: number, 
/**
 * Whether it waits.
 */
state: ProposalState, 
/**
 * When.
 */
at: string, };

export type ProposalRef = { 
/**
 * The proposal.
 */
id: ProposalId, };

export type ProposalState = "open" | "accepted" | "dismissed";

export type ProviderItem = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its wire format.
 */
kind: ProviderKind, 
/**
 * Where it listens; empty for the offline one.
 */
base_url: string, 
/**
 * The default model, when it is the default provider.
 */
default_model: string | null, 
/**
 * What is shown of its key.
 */
key: KeyShown | null, 
/**
 * Whether it answers nobody without a key.
 */
needs_key: boolean, 
/**
 * What an agent offers beside its models, as it said when it was started last: in each project, and where there was
 * none, which holds for projects in which it was not started yet.
 */
offers: Array<OffersAt>, };

export type ProviderKind = "offline" | "openai" | "anthropic" | "gemini" | "ollama" | "agent";

export type ProviderRecord = { 
/**
 * Unique name, chosen by the person or by the server's kind.
 */
name: string, 
/**
 * Its wire format.
 */
kind: ProviderKind, 
/**
 * Where it listens: up to and including the version segment, for example `http://127.0.0.1:8080/v1`; Ollama's own
 * format has no version and ends with the port. Of an agent, the command that starts it.
 */
base_url: string, };

export type ProviderRef = { 
/**
 * Its name.
 */
name: string, };

export type Proxy = { "by": "system" } | { "by": "direct" } | { "by": "address", 
/**
 * For example `http://proxy.example:3128` or `socks5h://127.0.0.1:1080`.
 */
url: string, };

export type PullCheckpoints = { 
/**
 * The remote's name.
 */
remote: string, 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Which; none for all.
 */
ids: Array<CheckpointId>, 
/**
 * Names the run, to cancel it.
 */
carry_id: string, };

export type PushCheckpoints = { 
/**
 * The remote's name.
 */
remote: string, 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Names the run, to cancel it.
 */
carry_id: string, };

export type PutContext = { 
/**
 * The project, if it is about one.
 */
project_id: ProjectId | null, 
/**
 * Whether it is kept with the rules, or may change at any time.
 */
kind: PersistenceKind, 
/**
 * The key.
 */
key: string, 
/**
 * The value.
 */
value: string, };

export type QueuedAlso = { 
/**
 * The message.
 */
message_id: MessageId, 
/**
 * The models.
 */
models: Array<DefaultModel>, };

export type QueuedMessage = { 
/**
 * Its id, which the sent message keeps.
 */
id: MessageId, 
/**
 * What to send.
 */
text: string, 
/**
 * Pictures and files to send with it.
 */
attachments: Array<Part>, };

export type Rate = number;

export type ReachProject = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * Whether they ask this computer alone.
 */
this_computer_only: boolean, };

export type ReadAttachment = { 
/**
 * Its hash.
 */
hash: string, };

export type ReadOutput = { 
/**
 * The conversation that has it.
 */
conversation_id: ConversationId, 
/**
 * Its handle.
 */
hash: string, 
/**
 * First line, from 1.
 */
offset: number, 
/**
 * Most lines.
 */
limit: number, };

export type ReadProjectFile = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * Path relative to the project, with `/`.
 */
path: string, };

export type Reason = { "code": "base" } | { "code": "conversation_rule" } | { "code": "memory", 
/**
 * Its layer.
 */
layer: MemoryLayer, 
/**
 * Why it was injected.
 */
why: InjectedWhy, } | { "code": "found", 
/**
 * Place in the ranking.
 */
rank: number, } | { "code": "recalled", 
/**
 * Place in the ranking.
 */
rank: number, 
/**
 * What it is worth to the question, 0 to 100.
 */
worth: number, 
/**
 * Whether that is for its meaning more than for the words it shares with what is asked.
 */
by_meaning: boolean, 
/**
 * What is shown of a long message; `None` where all of it is.
 */
cut: Parts | null, 
/**
 * The day on which otherwise was said since; `None` where nothing was.
 */
otherwise: string | null, } | { "code": "standing", 
/**
 * What is shown of the message; `None` where all of it is.
 */
cut: Parts | null, } | { "code": "mentioned", 
/**
 * The lines that were meant; `None` for the whole file.
 */
lines: Lines | null, } | { "code": "summary", 
/**
 * Its version.
 */
version: number, } | { "code": "key_sentences", 
/**
 * How many messages they are of.
 */
messages: number, } | { "code": "recent" } | { "code": "important", 
/**
 * What it is worth.
 */
worth: Worth, } | { "code": "shortened", 
/**
 * Characters that are sent.
 */
chars: number, } | { "code": "pinned" } | { "code": "persistent" } | { "code": "volatile" } | { "code": "plan" } | { "code": "resumed" } | { "code": "draft" } | { "code": "as_the_seed" } | { "code": "continue" };

export type RecallScope = "conversation" | "project";

export type RecallSettings = { 
/**
 * Whether it does; `None` says yes, except in the strict forms, which know nothing of it.
 */
on: boolean | null, 
/**
 * From where.
 */
scope: RecallScope, 
/**
 * Percent of the room for earlier messages that passages may have; `None` lets it move with what is asked.
 */
share: number | null, };

export type RecallVault = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Whether they may.
 */
allow: boolean, };

export type Receipt = { 
/**
 * The lines of its text.
 */
lines: Array<SummaryLine>, 
/**
 * What goes with it.
 */
kept: Array<KeptFact>, 
/**
 * What the person does not want to go with it.
 */
dropped: Array<string>, 
/**
 * What must and must never be, by what was said and holds still: every request has it, word for word.
 */
constraints: Array<string>, 
/**
 * How much of its messages it keeps, kept facts included.
 */
retention: FoldRetention | null, 
/**
 * Whether the model's answer ended before it was done, at its greatest length or because the rest was withheld: what
 * the newest of the messages say may be missing.
 */
cut: boolean, };

export type RecogniseKey = { 
/**
 * As it was pasted.
 */
key: Secret, };

export type RecoveryShown = { 
/**
 * The passphrase.
 */
passphrase: string, };

export type Refusal = { "code": "missing" } | { "code": "outside" } | { "code": "remote" } | { "code": "not_regular" } | { "code": "not_text" } | { "code": "too_large", 
/**
 * Its size.
 */
bytes: number, 
/**
 * The most a file may have.
 */
most: number, } | { "code": "too_much", 
/**
 * The most they may have.
 */
most: number, } | { "code": "too_many", 
/**
 * The most.
 */
most: number, } | { "code": "too_deep", 
/**
 * The deepest.
 */
most: number, } | { "code": "cycle" } | { "code": "excluded" } | { "code": "unreadable", 
/**
 * What the system said.
 */
detail: string, };

export type Regenerate = { 
/**
 * The reply.
 */
id: MessageId, 
/**
 * What is known of the place it is asked at.
 */
context?: BroughtContext, 
/**
 * The model that writes it, if not the conversation's.
 */
model?: DefaultModel, };

export type Remote = { 
/**
 * Its name, unique.
 */
name: string, 
/**
 * Where it is.
 */
at: RemotePlace, 
/**
 * Where its key and credentials are kept.
 */
key_place: Place, 
/**
 * When checkpoints go there without being asked for.
 */
sync: SyncRule, 
/**
 * How that went last, by project.
 */
synced: { [key in ProjectId]: Synced }, };

export type RemoteCheckpoint = { 
/**
 * As in the list of the computer that made it.
 */
item: CheckpointItem, 
/**
 * The name of its project there.
 */
project: string, 
/**
 * Where it was made.
 */
project_path: string, 
/**
 * Whether this computer has it.
 */
here: boolean, };

export type RemoteItem = { 
/**
 * Its name.
 */
name: string, 
/**
 * Where it is.
 */
at: RemotePlace, 
/**
 * Where its key and credentials are kept.
 */
key_place: Place, 
/**
 * Whether the settings let anything go there.
 */
allowed: boolean, 
/**
 * When checkpoints go there without being asked for.
 */
sync: SyncRule, 
/**
 * How that went last, by project.
 */
synced: Array<SyncedProject>, };

export type RemotePlace = { "kind": "folder", 
/**
 * Its path.
 */
path: string, } | { "kind": "s3", 
/**
 * Address of the service; empty for Amazon's own.
 */
endpoint: string, 
/**
 * The region.
 */
region: string, 
/**
 * The bucket.
 */
bucket: string, 
/**
 * What every name begins with; empty for nothing.
 */
prefix: string, 
/**
 * The id that goes with the secret key.
 */
access_key_id: string, } | { "kind": "azure", 
/**
 * Address of the service; empty for the account's own.
 */
endpoint: string, 
/**
 * The account.
 */
account: string, 
/**
 * The container.
 */
container: string, 
/**
 * What every name begins with; empty for nothing.
 */
prefix: string, } | { "kind": "gcs", 
/**
 * The bucket.
 */
bucket: string, 
/**
 * What every name begins with; empty for nothing.
 */
prefix: string, };

export type RemoteRef = { 
/**
 * Its name.
 */
name: string, };

export type RemoteTested = { 
/**
 * Checkpoints it keeps.
 */
checkpoints: number, 
/**
 * Bundles of objects it keeps.
 */
bundles: number, };

export type RemoveContext = { 
/**
 * The project, if it was about one.
 */
project_id: ProjectId | null, 
/**
 * Where it is.
 */
kind: PersistenceKind, 
/**
 * The key.
 */
key: string, };

export type RenameConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The title.
 */
title: string, };

export type RequestView = { 
/**
 * In send order.
 */
sections: Array<Section>, 
/**
 * What is not sent.
 */
left_out: Array<LeftOut>, 
/**
 * Sum over the sections.
 */
tokens: number, 
/**
 * Most tokens the sections may have.
 */
budget: number, 
/**
 * Tokens that the model holds, the reply included.
 */
window: number, 
/**
 * Who says so.
 */
window_source: WindowSource, 
/**
 * What has to go weighs, where that is more than fits: it cannot be sent.
 */
needed: number | null, 
/**
 * The provider that would be asked.
 */
provider: string, 
/**
 * The model that would be asked.
 */
model: string, 
/**
 * Rules in force that it does not say: there was no room, or the person wants it without them. The first 50.
 */
missing_constraints: Array<MissingConstraint>, 
/**
 * How many more of them there are.
 */
missing_more: number, 
/**
 * How the room for earlier messages is shared out; `None` where nothing is recalled in this conversation.
 */
recall: Shares | null, 
/**
 * Where the work stopped, while this conversation has no message yet and can be told of it.
 */
place: PlaceOffer | null, 
/**
 * Passages of other conversations that would go if the person said that they may; 0 once they answered.
 */
others: number, 
/**
 * It goes to an agent that may look up more by itself: what was said in the project, and its rules.
 */
looks_up: boolean, 
/**
 * The mode in which the agent works that is asked; `None` for the one in which it asks, and where no agent is asked.
 */
mode: string | null, };

export type ResourceItem = { 
/**
 * In the server's own words.
 */
resource: McpResource, 
/**
 * How it stands to the conversation.
 */
state: ResourceState, };

export type ResourceRef = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The server's name.
 */
server: string, 
/**
 * What the resource is asked for by.
 */
uri: string, };

export type ResourceState = "not_kept" | "as_kept" | "changed" | "gone";

export type ResourceText = { 
/**
 * Its text, without what nobody sees in it, and no longer than a kept one is.
 */
text: string, 
/**
 * BLAKE3 of that: what a yes is given to.
 */
hash: string, 
/**
 * Whether it says more than that.
 */
cut: boolean, 
/**
 * What is kept of it now.
 */
kept: string | null, };

export type RestoreBackup = { 
/**
 * File name inside the backups folder.
 */
name: string, };

export type RestoreMemory = { 
/**
 * Its project; `None` for a file of global memory.
 */
project_id: ProjectId | null, 
/**
 * Its path.
 */
path: string, 
/**
 * The version.
 */
seq: number, 
/**
 * The hash that the file is believed to have.
 */
base: string | null, };

export type RestoreParts = { 
/**
 * The conversation as it stood; what came later stays on its branch.
 */
chat: boolean, 
/**
 * The project's files.
 */
files: boolean, 
/**
 * What was added while working.
 */
memory: boolean, 
/**
 * What is known beside the conversation.
 */
context: boolean, };

export type RestorePlan = { 
/**
 * Names the plan when it is carried out.
 */
plan_id: PlanId, 
/**
 * The checkpoint.
 */
checkpoint_id: CheckpointId, 
/**
 * What comes back.
 */
parts: RestoreParts, 
/**
 * Files, by path.
 */
files: Array<PlannedFile>, 
/**
 * Paths that were not captured and stay as they are.
 */
untouched: Array<NotCaptured>, 
/**
 * How many messages of the shown path would no longer be on it.
 */
messages: number, 
/**
 * Lines of memory that come or go.
 */
lines: number, 
/**
 * Keys of the context that change.
 */
keys: number, };

export type Restored = { 
/**
 * The checkpoint that was taken before; restoring it undoes this.
 */
before: CheckpointId, 
/**
 * Paths that are what they were now.
 */
done: number, 
/**
 * Paths that stayed as they are.
 */
kept: number, 
/**
 * Paths that could not be written, with why; the rest is done.
 */
failed: Array<FailedPath>, 
/**
 * The conversation that is shown now, if it was restored.
 */
conversation_id: ConversationId | null, };

export type ResumeCard = { 
/**
 * What we were doing: the last question.
 */
doing: ResumeLine | null, 
/**
 * The running summary; empty while there is none.
 */
summary: string, 
/**
 * The last decisions, newest first.
 */
decisions: Array<ResumeLine>, 
/**
 * Files that were named, shown or worked in, relative to the root, the last one first.
 */
open_files: Array<string>, 
/**
 * The plan that is worked on.
 */
plan: string | null, 
/**
 * The task that is worked on.
 */
task: string | null, 
/**
 * Tasks of that plan that are done.
 */
tasks_done: number, 
/**
 * All its tasks but the archived ones.
 */
tasks: number, 
/**
 * The conversation to go on with; `None` where it was held elsewhere.
 */
conversation_id: ConversationId | null, 
/**
 * When something was last said, as the file says it.
 */
last_message_at: string | null, 
/**
 * Turns so far.
 */
dialog_turns: number, };

export type ResumeLine = { 
/**
 * What.
 */
text: string, 
/**
 * A `silt:` link; `None` where it was said elsewhere.
 */
link: string | null, };

export type Retention = { 
/**
 * Older than these days.
 */
days: number | null, 
/**
 * More than these.
 */
count: number | null, 
/**
 * More than these bytes on disk.
 */
bytes: number | null, };

export type ReviewChanges = { 
/**
 * Whose.
 */
of: ChangesOf, 
/**
 * Of this file alone, as [`ChangedFile::path`] names it; `None` for all.
 */
path: string | null, };

export type ReviewedFile = { 
/**
 * Which.
 */
file: ChangedFile, 
/**
 * What can be seen of it.
 */
shown: ShownChange, 
/**
 * Stands for what is there now; taking something back names it, so that nothing else is written over.
 */
seen: string, };

export type Role = "system" | "user" | "assistant" | "tool";

export type Rule = "age" | "count" | "size";

export type RuleId = string;

export type RuleRef = { 
/**
 * Which.
 */
id: RuleId, };

export type RuleScope = { "kind": "tool" } | { "kind": "paths", 
/**
 * The pattern, such as `src/**`.
 */
pattern: string, } | { "kind": "command", 
/**
 * The line.
 */
line: string, } | { "kind": "exactly", 
/**
 * [`Subject::hash`].
 */
hash: string, };

export type RuleVerdict = "allow" | "deny";

export type RunNode = { 
/**
 * Its id.
 */
id: NodeId, 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The node it hangs on.
 */
parent: NodeId | null, 
/**
 * Where it stands.
 */
status: NodeStatus, 
/**
 * When it began.
 */
started_at: string, 
/**
 * When it ended.
 */
ended_at: string | null, 
/**
 * Tokens of a model call; of a tool call, its result's as `output_tokens`.
 */
usage: Usage | null, 
/**
 * What a model call cost, in billionths of a US dollar, when the price is known.
 */
cost: number | null, } & ({ "kind": "model", 
/**
 * Which.
 */
model: string, 
/**
 * The reply it wrote.
 */
message_id: MessageId, } | { "kind": "tool", 
/**
 * The tool's name.
 */
tool: string, 
/**
 * The call's id in the reply that asked for it.
 */
call_id: string, 
/**
 * What it does.
 */
effect: ToolEffect, 
/**
 * The message with its result, once there is one.
 */
message_id: MessageId | null, 
/**
 * One line that says what it is about: a path, a pattern, a command.
 */
about: string, 
/**
 * Files of the project that it read or changed.
 */
touched: Array<string>, 
/**
 * The checkpoint that was made before it.
 */
checkpoint_id: CheckpointId | null, 
/**
 * The checkpoint of what the turn left, where `checkpoint_id` is there: the same one where no file changed.
 */
left_id: CheckpointId | null, 
/**
 * Whether its result was kept for the conversation, by a rule of the person's.
 */
kept: boolean, });

export type RunRestore = { 
/**
 * The plan.
 */
plan_id: PlanId, 
/**
 * Where the person chose otherwise.
 */
choices: Array<PathChoice>, };

export type RunSalvage = { 
/**
 * File name of a backup that adds what the damaged database does not have; none where it is `None`.
 */
backup: string | null, };

export type RunTree = { 
/**
 * The conversation in which it runs.
 */
conversation_id: ConversationId, 
/**
 * As the person edited it.
 */
tree: ExecutionTree, };

export type RunView = { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Its nodes, in the order in which they began.
 */
nodes: Array<RunNode>, };

export type Salvage = { 
/**
 * Pages of the file.
 */
pages: number, 
/**
 * Pages that could not be read.
 */
unreadable_pages: number, 
/**
 * What there is now, the messages that stand for lost ones left out.
 */
holds: Holds, 
/**
 * Messages that are known to be lost.
 */
lost_messages: number, 
/**
 * The conversations they are lost from, the largest loss first, and at most [`NAMED`] of them.
 *
 * [`NAMED`]: crate::backup::NAMED
 */
touched: Array<TouchedConversation>, 
/**
 * Number of all of those.
 */
touched_count: number, 
/**
 * Rows that were read and set aside.
 */
aside: number, 
/**
 * Rows by their table, without tables that had none.
 */
tables: Array<SalvagedTable>, 
/**
 * The folder in which the damaged file is kept; `None` while this is a plan.
 */
kept: string | null, };

export type SalvagePlan = { 
/**
 * Of the damaged file alone.
 */
alone: Salvage, 
/**
 * The newest backup.
 */
backup: Backup | null, 
/**
 * With what that one has beside it.
 */
with_backup: Salvage | null, };

export type SalvagedTable = { 
/**
 * Its name.
 */
name: string, 
/**
 * Rows that were read.
 */
read: number, 
/**
 * Rows that the backup had beside those.
 */
added: number, 
/**
 * Rows that were read and cannot stand in a database; they are kept in a file of their own.
 */
aside: number, };

export type SameAs = { 
/**
 * Its path.
 */
path: string, 
/**
 * How they are the same.
 */
how: Sameness, };

export type Sameness = "file" | "text";

export type SampleOpened = { 
/**
 * The project, trusted.
 */
project: Project, 
/**
 * Its recorded conversation.
 */
conversation_id: ConversationId, };

export type Sandbox = "whole" | "writes" | "none";

export type SaveDraft = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The text.
 */
text: string, };

export type SaveMemory = { 
/**
 * Its project; `None` for a file of global memory.
 */
project_id: ProjectId | null, 
/**
 * Its path.
 */
path: string, 
/**
 * What it is to say.
 */
text: string, 
/**
 * The hash that the editor began with; `None` for a file that did not exist.
 */
base: string | null, };

export type Saved = { "state": "saved", 
/**
 * As it is now.
 */
document: MemoryDocument, } | { "state": "changed", 
/**
 * What it says now.
 */
now: MemoryDocument, };

export type SavedFile = { 
/**
 * Where.
 */
path: string, 
/**
 * Whether others may write in its folder; the file is the person's alone.
 */
shared: boolean, };

export type ScanVault = { 
/**
 * A name for cancelling it.
 */
work_id: string, 
/**
 * Files and folders below those that were agreed to; empty for all of these.
 */
paths: Array<string>, };

export type Seal = { 
/**
 * The model that thought.
 */
model: string, 
/**
 * What the data is.
 */
form: SealForm, 
/**
 * The provider's own text.
 */
data: string, };

export type SealCheckpoints = { 
/**
 * Where a new key is kept, the keyring or the encrypted file; `None` for the one that is open. A key that is kept
 * already stays where it is.
 */
place: Place | null, };

export type SealEvent = { 
/**
 * Bytes that have the form they should have.
 */
done: number, 
/**
 * Bytes in all.
 */
total: number, };

export type SealForm = "signature" | "redacted";

export type Search = { 
/**
 * What is looked for.
 */
query: string, 
/**
 * Where.
 */
scope: SearchScope, 
/**
 * Most hits to give; capped at 100.
 */
limit: number, };

export type SearchHit = { 
/**
 * Its conversation.
 */
conversation_id: ConversationId, 
/**
 * The conversation's title.
 */
title: string, 
/**
 * The message.
 */
message_id: MessageId, 
/**
 * Who said it.
 */
role: Role, 
/**
 * The surroundings of the first match.
 */
snippet: Array<SnippetPart>, 
/**
 * When it was said.
 */
created_at: string, };

export type SearchHits = { 
/**
 * Best first.
 */
hits: Array<SearchHit>, 
/**
 * How many messages match; a lower bound when `capped`.
 */
total: number, 
/**
 * Counting or ranking stopped early because the words are everywhere.
 */
capped: boolean, };

export type SearchScope = { 
/**
 * Only conversations of this project.
 */
project_id: ProjectId | null, 
/**
 * Only this conversation.
 */
conversation_id: ConversationId | null, };

export type SearchVault = { 
/**
 * What is looked for: words that all must be there, phrases in quotes.
 */
query: string, 
/**
 * In sessions of this agent alone.
 */
agent: Agent | null, 
/**
 * In sessions of work in this folder, or beneath it.
 */
folder: string | null, 
/**
 * Most hits to give; capped at 100.
 */
limit: number, };

export type Secret = string;

export type Section = { 
/**
 * Stable within a conversation: the same piece keeps its id from request to request.
 */
id: string, 
/**
 * What it is.
 */
kind: SectionKind, 
/**
 * Who speaks it to the model.
 */
role: Role, 
/**
 * Where it comes from, readable: a path, `conversation`, `composer`, `siltstone`.
 */
source: string, 
/**
 * A `silt:` link to that place, where there is one.
 */
link: string | null, 
/**
 * The text the model gets.
 */
text: string, 
/**
 * Parts beyond text (pictures, files), for messages.
 */
parts: Array<Part>, 
/**
 * Tokens.
 */
tokens: number, 
/**
 * Whether a tokenizer counted, or it is an estimate.
 */
exact: boolean, 
/**
 * Why it is here.
 */
reason: Reason, 
/**
 * Kept by the person's wish.
 */
pinned: boolean, 
/**
 * The messages it shows.
 */
messages: Array<MessageId>, 
/**
 * The turns it is of, where their numbers are known.
 */
turns: TurnSpan | null, 
/**
 * The rules by which secrets were taken out of its text.
 */
redacted: Array<string>, };

export type SectionKind = "instructions" | "tools" | "memory" | "persistent_context" | "plan" | "summary" | "turn" | "passage" | "volatile_context" | "draft";

export type SendMessage = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The text; may be empty when something is attached.
 */
text: string, 
/**
 * Hashes of the pictures and files in the composer that go with it.
 */
attachments: Array<string>, 
/**
 * What is known of the place it was written at.
 */
context?: BroughtContext, 
/**
 * Models that are asked the same, one after the other, once the reply before theirs ended; at most three.
 */
also?: Array<DefaultModel>, };

export type Sent = { "as": "asked", 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The question.
 */
message_id: MessageId, 
/**
 * The reply that is being written.
 */
reply_id: MessageId, } | { "as": "queued", 
/**
 * The waiting message.
 */
message_id: MessageId, };

export type SentBody = { 
/**
 * The HTTP method.
 */
method: string, 
/**
 * The whole address.
 */
url: string, 
/**
 * Header names and values; where the key was stands `$KEY`.
 */
headers: Array<[string, string]>, 
/**
 * Exactly what was sent.
 */
body: string, 
/**
 * BLAKE3 of the body, in hexadecimal digits.
 */
hash: string, 
/**
 * A shell command that sends the same again, with the key from the variable `KEY`; empty where none can: what an agent
 * was told in a session.
 */
curl: string, };

export type SentRequestView = { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Where it stands.
 */
status: TurnStatus, 
/**
 * When it was asked.
 */
opened_at: string, 
/**
 * The provider that was asked.
 */
provider: string, 
/**
 * The model that was asked.
 */
model: string, 
/**
 * What the provider counted.
 */
usage: Usage | null, 
/**
 * How the model was asked.
 */
tuning: Tuning, 
/**
 * In send order.
 */
sections: Array<SentSection>, 
/**
 * What was not sent.
 */
left_out: Array<LeftOut>, 
/**
 * Sum over the sections at that time.
 */
tokens: number, 
/**
 * Most tokens the sections could have.
 */
budget: number, 
/**
 * The number of the last request that left for it, while its body is kept.
 */
egress: number | null, };

export type SentSection = { 
/**
 * Its trace.
 */
section: ManifestSection, 
/**
 * Its text, if it still is what was sent.
 */
text: string | null, 
/**
 * Whether its source has changed or gone since.
 */
changed_since: boolean, };

export type ServerResources = { 
/**
 * The server's name.
 */
server: string, 
/**
 * What it has, with what is kept though the server does not list it.
 */
resources: Array<ResourceItem>, 
/**
 * Why it could not be asked.
 */
fault: string | null, };

export type SessionConversation = { 
/**
 * What left the window, in a few sentences.
 */
running_summary: string, 
/**
 * The newest messages, oldest first.
 */
recent_window: Array<WindowMessage>, };

export type SessionFilesState = { "state": "off" } | { "state": "written" } | { "state": "foreign" } | { "state": "held", 
/**
 * Who.
 */
owner: string, 
/**
 * On which computer.
 */
host: string, 
/**
 * When it last said so, by its clock.
 */
heartbeat: string, } | { "state": "newer", 
/**
 * Its version.
 */
version: string, } | { "state": "refused", 
/**
 * What the system said.
 */
detail: string, };

export type SessionMemory = { 
/**
 * The plan, by its id in the workflow.
 */
active_plan_id: string | null, 
/**
 * The task, by its id in the workflow.
 */
active_task_id: string | null, 
/**
 * What was decided last, oldest first.
 */
last_decisions: Array<string>, 
/**
 * Files that were worked with last, as paths in the project.
 */
open_files: Array<string>, 
/**
 * Where the work is done.
 */
working_directory: string, };

export type SessionProblem = { 
/**
 * The file.
 */
name: string, 
/**
 * What is wrong.
 */
detail: string, };

export type SessionSnapshot = { 
/**
 * Its name.
 */
name: string, 
/**
 * `context.json` or `workflow.json`.
 */
file: string, 
/**
 * When it was taken.
 */
at: string, };

export type SessionStats = { 
/**
 * Questions that were asked.
 */
dialog_turns: number, 
/**
 * Tokens of all messages.
 */
total_tokens: number, };

export type SessionVerified = { 
/**
 * Whether all of it is as it should be.
 */
whole: boolean, 
/**
 * What is not, in English, each with its file.
 */
problems: Array<SessionProblem>, };

export type SessionView = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Whether `.ai-brain` is written into it; `None` until the person was asked.
 */
shared: boolean | null, 
/**
 * Whether the folder has an `.ai-brain` already.
 */
there: boolean, 
/**
 * Whether git would take the folder in; `None` where there is no repository.
 */
in_git: boolean | null, 
/**
 * How the files stand.
 */
files: SessionFilesState, 
/**
 * The session, as in `context.json`.
 */
context: ContextFile, 
/**
 * Plans, tasks and decisions, as in `workflow.json`.
 */
workflow: Workflow, 
/**
 * Files that Siltstone did not write; nothing of them is in any request.
 */
foreign: Array<ForeignFile>, 
/**
 * Copies to go back to, newest first.
 */
snapshots: Array<SessionSnapshot>, 
/**
 * Proposals that wait.
 */
proposals: number, 
/**
 * Whose lock was taken here because its owner had gone silent.
 */
taken_from: SilentOwner | null, };

export type SetFolding = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The policy; `None` follows the settings.
 */
policy: SummaryPolicy | null, 
/**
 * How long summaries are; `None` follows the settings.
 */
rate: Rate | null, 
/**
 * Whether the designs are followed to the letter; `None` follows the settings.
 */
strict?: boolean, 
/**
 * What is recalled of earlier messages; `None` follows the settings.
 */
recall?: RecallSettings, };

export type SetKey = { 
/**
 * Name of the provider it belongs to.
 */
provider: string, 
/**
 * As it was pasted.
 */
key: Secret, 
/**
 * Where the person wants it kept.
 */
place: Place, };

export type SetMcp = { 
/**
 * The project; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * Its name.
 */
name: string, 
/**
 * How it is reached.
 */
transport: McpTransport, 
/**
 * Whether its tools are offered.
 */
on: boolean, };

export type SetMcpSecret = { 
/**
 * Name of the variable or header.
 */
variable: string, 
/**
 * Its value.
 */
value: string, 
/**
 * Where it is kept; `None` where keys go without a question.
 */
place: Place | null, 
/**
 * The project; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * Its name.
 */
name: string, };

export type SetPlace = { 
/**
 * Of this project.
 */
project_id: ProjectId, 
/**
 * Where.
 */
to: Kept, };

export type SetRecovery = { 
/**
 * The person's own, of at least twelve characters; `None` for a new one.
 */
passphrase: Secret | null, };

export type SetSync = { 
/**
 * The remote.
 */
name: string, 
/**
 * When.
 */
sync: SyncRule, };

export type Settings = { 
/**
 * Language of the window.
 */
language: Language, 
/**
 * Light or dark.
 */
theme: Theme, 
/**
 * Text size in percent, 50 to 200.
 */
zoom: number, 
/**
 * Provider of conversations that chose none.
 */
default_provider: string, 
/**
 * Model of conversations that chose none.
 */
default_model: string, 
/**
 * Ask no address but this computer's own.
 */
this_computer_only: boolean, 
/**
 * How other computers are reached.
 */
proxy: Proxy, 
/**
 * Path of a PEM file with certificates to trust beside the system's; empty for none.
 */
extra_ca: string, 
/**
 * Prices that differ from the built-in ones, by model id; a `*` at the end stands for any ending.
 */
prices: { [key in string]: Price }, 
/**
 * How many tokens models hold, by model id, where the person says so.
 */
windows: { [key in string]: number }, 
/**
 * Most to spend in a calendar month before asking, in millionths of a US dollar.
 */
monthly_limit: number | null, 
/**
 * A notification when a long answer ends while the window is in the background.
 */
notify: boolean, 
/**
 * Key bindings that differ from the built-in ones: action id to chord, an empty chord for none.
 */
keys: { [key in string]: string }, 
/**
 * Whether new conversations are told where the work stopped.
 */
carry_over: CarryOver, 
/**
 * Projects for which the person said whether what was said in one conversation may go in another.
 */
recall_others: { [key in ProjectId]: boolean }, 
/**
 * Projects in which passages of kept sessions of agents that worked there may go.
 */
recall_sessions: Array<ProjectId>, 
/**
 * How the earlier part of conversations is told to the model.
 */
summary: SummarySettings, 
/**
 * How memory is found.
 */
memory: MemorySettings, 
/**
 * Who makes vectors of messages.
 */
meaning: MeaningSettings, 
/**
 * Which checkpoints are taken and kept.
 */
checkpoints: CheckpointSettings, 
/**
 * What never leaves.
 */
privacy: PrivacySettings, 
/**
 * What models may call, and how far a turn may go.
 */
tools: ToolSettings, 
/**
 * Models for work that is no answer, by what it is; what is missing asks the conversation's model.
 */
tasks: { [key in TaskKind]?: TaskModel }, };

export type Share = { 
/**
 * With what belongs to no project.
 */
global: boolean, 
/**
 * As text, also where a line that imports `AGENTS.md` would do.
 */
text: boolean, };

export type ShareFile = "agents" | "claude" | "gemini" | "copilot" | "cursor";

export type SharePlan = { 
/**
 * How memory would be kept in it.
 */
wish: ShareWish, 
/**
 * Its path from the project's root.
 */
path: string, 
/**
 * What it says; `None` where there is none.
 */
before: string | null, 
/**
 * What it would say; `None` where there would be none.
 */
after: string | null, 
/**
 * The hash of what it says.
 */
base: string | null, 
/**
 * Lines that were written into the block by hand, which become proposals.
 */
by_hand: Array<string>, };

export type ShareSession = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Whether it is; what is there stays when it is not.
 */
on: boolean, 
/**
 * Adds `.ai-brain/` to `.gitignore`, where git would take it in.
 */
ignore: boolean, };

export type ShareState = { "code": "off" } | { "code": "current" } | { "code": "behind" } | { "code": "edited" } | { "code": "gone" } | { "code": "waits" } | { "code": "broken" } | { "code": "unreadable", 
/**
 * Why.
 */
detail: string, };

export type ShareWhy = "fixed" | "unrelated" | "related" | "looks_back" | "all_sent";

export type ShareWish = { 
/**
 * The file.
 */
file: ShareFile, 
/**
 * How; `None` takes it out.
 */
how: Share | null, };

export type SharedFile = { 
/**
 * Which.
 */
file: ShareFile, 
/**
 * Its path from the project's root.
 */
path: string, 
/**
 * Who reads it.
 */
readers: string, 
/**
 * As the person chose it; `None` where memory is not kept in it.
 */
how: Share | null, 
/**
 * How it stands.
 */
state: ShareState, 
/**
 * Lines that were written into the block by hand.
 */
by_hand: Array<string>, };

export type Shares = { 
/**
 * Tokens that summaries, recent turns and passages have together.
 */
room: number, 
/**
 * Percent of it that passages may have.
 */
percent: number, 
/**
 * Why so many.
 */
why: ShareWhy, 
/**
 * Tokens of the passages that go.
 */
recalled: number, 
/**
 * Tokens of summaries and key sentences.
 */
summaries: number, 
/**
 * Tokens of messages that go word for word.
 */
turns: number, };

export type ShownChange = { "is": "pieces", 
/**
 * From the text before the turn to the text that it left.
 */
difference: Difference, 
/**
 * How each hunk stands today.
 */
standing: Array<Standing>, } | { "is": "outside" } | { "is": "opaque" } | { "is": "later" };

export type ShownFile = { 
/**
 * [`ForeignFile::name`].
 */
name: string, 
/**
 * [`ForeignFile::hash`].
 */
hash: string, };

export type Siblings = { 
/**
 * Zero-based place of the shown one.
 */
position: number, 
/**
 * All of them, oldest first.
 */
ids: Array<MessageId>, };

export type SilentOwner = { 
/**
 * Who.
 */
owner: string, 
/**
 * On which computer.
 */
host: string, 
/**
 * When it last said that it writes, by its clock.
 */
heartbeat: string, };

export type SketchFold = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * At which rate; none takes the conversation's own.
 */
rate: Rate | null, };

export type SkillChosen = { 
/**
 * The line of memory that keeps it: removing that takes it away, and can be taken back.
 */
line_id: MemoryLineId, 
/**
 * Whether the file says something else by now; what was chosen goes on being sent.
 */
changed: boolean, };

export type SkillFault = { "code": "no_front" } | { "code": "unreadable", 
/**
 * What the parser said, and where.
 */
detail: string, } | { "code": "empty" } | { "code": "too_long", 
/**
 * Its size.
 */
bytes: number, 
/**
 * The most it may have.
 */
most: number, } | { "code": "gone" } | { "code": "closed", 
/**
 * What the system said.
 */
detail: string, };

export type SkillItem = { 
/**
 * Its folder: relative to the project's root, or `~/` and its path in the home.
 */
id: string, 
/**
 * What it is called.
 */
name: string, 
/**
 * What it is for, by its own word; empty where it does not say.
 */
description: string, 
/**
 * What it says that it needs.
 */
needs: string | null, 
/**
 * Tokens of its instructions, estimated.
 */
tokens: number, 
/**
 * Tokens that a model takes to be told of it.
 */
told_tokens: number, 
/**
 * BLAKE3 of its file; empty where it cannot be used.
 */
hash: string, 
/**
 * Its other files, as far as they are listed.
 */
files: Array<string>, 
/**
 * Other folders that hold the same.
 */
also_in: Array<string>, 
/**
 * Whether models may be told of it.
 */
offered: boolean, 
/**
 * Whether the conversation has it.
 */
chosen: SkillChosen | null, 
/**
 * Why it cannot be used.
 */
fault: SkillFault | null, };

export type SkillPanel = { 
/**
 * Those of the project, then the person's own; the same text once.
 */
skills: Array<SkillItem>, 
/**
 * The project is not trusted: nothing in it was read.
 */
untrusted: boolean, };

export type SkillRef = { 
/**
 * The project; `None` for the person's own alone.
 */
project_id: ProjectId | null, 
/**
 * Its folder.
 */
id: string, };

export type SkillText = { 
/**
 * Its instructions, as they would go.
 */
text: string, 
/**
 * BLAKE3 of its file.
 */
hash: string, 
/**
 * Its other files.
 */
files: Array<string>, 
/**
 * What in it reads like a word to the model that somebody else put there.
 */
findings: Array<Finding>, };

export type SkillsAt = { 
/**
 * The project; `None` for the person's own alone. That of the conversation counts where one is named.
 */
project_id: ProjectId | null, 
/**
 * The conversation whose choice is told.
 */
conversation_id: ConversationId | null, };

export type SnapshotRef = { 
/**
 * Its project.
 */
project_id: ProjectId, 
/**
 * [`SessionSnapshot::name`].
 */
name: string, };

export type SnippetPart = { 
/**
 * The text.
 */
text: string, 
/**
 * Whether it is what was searched for.
 */
hit: boolean, };

export type Spending = { 
/**
 * The month of the person's time zone, for example `2026-11`.
 */
month: string, 
/**
 * Known costs, in billionths of a US dollar.
 */
cost: number, 
/**
 * Where it asks, in millionths of a US dollar; `None` for nowhere.
 */
limit: number | null, 
/**
 * Up to where the person let this month go on, in millionths of a US dollar, when that is beyond the limit.
 */
allowed_until: number | null, 
/**
 * Replies whose price is not known.
 */
unpriced_turns: number, 
/**
 * What it was spent on, the dearest first.
 */
by_model: Array<SpentOn>, };

export type Spent = { 
/**
 * Billionths of a US dollar, over the turns whose price is known.
 */
cost: number, 
/**
 * Tokens of all requests.
 */
input_tokens: number, 
/**
 * Tokens of all replies.
 */
output_tokens: number, 
/**
 * Turns whose tokens are counted and whose price is not known.
 */
unpriced_turns: number, };

export type SpentOn = { 
/**
 * Name of the provider that was asked.
 */
provider: string, 
/**
 * The model that was asked.
 */
model: string, 
/**
 * Known costs, in billionths of a US dollar.
 */
cost: number, 
/**
 * Tokens sent.
 */
input_tokens: number, 
/**
 * Tokens answered.
 */
output_tokens: number, 
/**
 * How many replies.
 */
turns: number, 
/**
 * Those of them whose price is not known.
 */
unpriced_turns: number, };

export type Standing = "stands" | "taken_back" | "changed";

export type Stays = "summary" | "later" | "nowhere";

export type StoreView = { 
/**
 * What it is for.
 */
scope: ContextScope, 
/**
 * How it is renewed.
 */
kind: PersistenceKind, 
/**
 * What it holds, in order.
 */
entries: Array<EntryView>, };

export type Stretch = { 
/**
 * The first.
 */
from: number, 
/**
 * Behind the last.
 */
to: number, };

export type Summary = { 
/**
 * Its id.
 */
id: SummaryId, 
/**
 * The conversation it belongs to (behaviour.md, Segments).
 */
conversation_id: ConversationId, 
/**
 * The policy that made it.
 */
policy: SummaryPolicy, 
/**
 * 1 for a summary of messages, more for one that merges summaries.
 */
level: number, 
/**
 * 1, 2, 3 … among the summaries of this policy and level that begin at the same message.
 */
version: number, 
/**
 * Where it stands.
 */
status: SummaryStatus, 
/**
 * The messages it stands for.
 */
coverage: Coverage, 
/**
 * Tokens of those messages.
 */
covered_token_count: number, 
/**
 * The completed turns it stands for, if a whole one is among them.
 */
turns: TurnSpan | null, 
/**
 * Characters of those messages.
 */
original_chars: number, 
/**
 * Characters of the summary.
 */
summary_chars: number, 
/**
 * The rate it was made with.
 */
compression_rate: Rate, 
/**
 * The summary; empty until it is completed.
 */
summary: string, 
/**
 * The model that is asked for it, or was; `None` for one a person wrote.
 */
model: string | null, 
/**
 * Tokens spent on it.
 */
usage: Usage | null, 
/**
 * What it cost, in billionths of a US dollar, when the price is known.
 */
cost: number | null, 
/**
 * Whether a person changed the text.
 */
edited: boolean, 
/**
 * Why it failed.
 */
fault: TurnFault | null, 
/**
 * Since when the person wants the messages themselves in its place.
 */
unfolded_at: string | null, 
/**
 * What its lines rest on, and what goes with it.
 */
receipt: Receipt, 
/**
 * When it was begun.
 */
created_at: string, 
/**
 * When it was completed or failed.
 */
finished_at: string | null, };

export type SummaryId = string;

export type SummaryLine = { 
/**
 * What it says, without marks.
 */
text: string, 
/**
 * The messages it cites; none where it rests on all that the summary stands for.
 */
sources: Array<MessageId>, 
/**
 * Bytes of the text that claim what none of those messages says.
 */
unsupported: Array<{ start: number, end: number, }>, };

export type SummaryPanel = { 
/**
 * How its earlier part is told.
 */
policy: SummaryPolicy, 
/**
 * How long its next summary is.
 */
rate: Rate, 
/**
 * Whether policy and rate follow the settings.
 */
follows_default: boolean, 
/**
 * What the conversation itself has chosen.
 */
folding: Folding, 
/**
 * Whether the designs are followed to the letter.
 */
strict: boolean, 
/**
 * Whether anything earlier is told at all.
 */
enabled: boolean, 
/**
 * The summaries of the shown path, all versions, made, failed or being made, oldest first.
 */
records: Array<Summary>, 
/**
 * Those that hold, by place.
 */
shown: Array<SummaryId>, 
/**
 * Index of the first message that is sent whole.
 */
first_raw: number, 
/**
 * How far the next summary is; `None` for policies that make none.
 */
distance: FoldDistance | null, 
/**
 * The summary that is being made, on whatever branch.
 */
busy: SummaryId | null, 
/**
 * What came of it so far, where it is made in this process.
 */
writing: string, 
/**
 * What summarising has saved.
 */
statistics: SummaryStatistics, 
/**
 * Tokens spent on summaries of this conversation, on all its branches: those of the statistics, and what was spent on
 * others that were replaced, tried or failed.
 */
spent_tokens: number, };

export type SummaryPolicy = "rolling" | "segments" | "running" | "window" | "importance" | "summarise" | "none";

export type SummaryRef = { 
/**
 * The summary.
 */
id: SummaryId, };

export type SummarySettings = { 
/**
 * Off: a request is the bare message.
 */
enabled: boolean, 
/**
 * Policy of conversations that chose none.
 */
policy: SummaryPolicy, 
/**
 * Whether the person was shown what may stand for earlier messages: `None` before a fold was due that nobody chose the
 * policy of, then whether they chose, or let it be.
 */
asked: boolean | null, 
/**
 * Whether a summary is due by the numbers here, as the designs write it, and not by a share of the model's window;
 * `None` says so where the person changed the numbers of the policy.
 */
by_numbers: boolean | null, 
/**
 * Rolling: a summary is due when more tokens than this are not summarised.
 */
threshold: number, 
/**
 * Rolling: how many messages after the summary a strict request has. Otherwise more of them than the design's six stay
 * whole.
 */
recent_messages: number, 
/**
 * Segments: how long a summary is; a change counts from the next one.
 */
rate: Rate, 
/**
 * Exactly as the designs write it, with what they lose.
 */
strict: boolean, 
/**
 * Running: tokens of the window of recent messages.
 */
window_keep: number, 
/**
 * Running: tokens of summary and recent messages together.
 */
token_limit: number, 
/**
 * The model that summarises; `None` takes the provider's cheapest.
 */
model: string | null, 
/**
 * Seconds after which a summary has failed.
 */
timeout_s: number, 
/**
 * Percent of a summary's tokens that kept facts may have beside it; constraints and decisions go in any case.
 */
kept_facts_share: number, 
/**
 * Passages of earlier messages beside what is told of them.
 */
recall: RecallSettings, };

export type SummaryStatistics = { 
/**
 * Summaries that hold on the path.
 */
count: number, 
/**
 * Turns they stand for.
 */
turns: number, 
/**
 * Characters of those turns.
 */
original_chars: number, 
/**
 * Characters of the summaries.
 */
summary_chars: number, 
/**
 * What is saved, in percent; negative when the summaries are longer.
 */
saved_percent: number, 
/**
 * Tokens that were spent on the summaries.
 */
spent_tokens: number, };

export type SummaryStatus = "IN_PROGRESS" | "COMPLETED" | "FAILED";

export type SyncRule = "by_hand" | "after_each" | "daily" | "on_close";

export type Synced = { 
/**
 * When.
 */
at: string, 
/**
 * Checkpoints of the project that other computers left there and that are not here.
 */
waiting: number, 
/**
 * Those of them that go on from a checkpoint from which this computer went on, too.
 */
conflicts: Array<CheckpointId>, 
/**
 * What kept them from going, in English; `None` where they went.
 */
failed: string | null, };

export type SyncedProject = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * Its name.
 */
project: string, 
/**
 * How it went.
 */
synced: Synced, };

export type TakeBackChanges = { 
/**
 * Whose.
 */
of: ChangesOf, 
/**
 * The files, and what of them.
 */
files: Array<TakenBackFile>, };

export type TakeFolder = { 
/**
 * Of this project.
 */
project_id: ProjectId, 
/**
 * The folder's name.
 */
name: string, };

export type TakePlace = { 
/**
 * The conversation, which has no message yet.
 */
conversation_id: ConversationId, 
/**
 * Whether it is.
 */
take: boolean, };

export type TakenBackFile = { 
/**
 * Which, as [`ChangedFile::path`] names it.
 */
path: string, 
/**
 * [`ReviewedFile::seen`] as it was shown.
 */
seen: string, 
/**
 * Hunks, from 0; `None` for the whole file, which becomes what it was before, whoever changed it since.
 */
pieces: Array<number> | null, };

export type TakenFolder = { 
/**
 * The checkpoints as they are here, pinned, the earliest first.
 */
taken: Array<CheckpointId>, 
/**
 * Those that are damaged, or that a newer version wrote.
 */
left_out: number, 
/**
 * Whether a part of the folder is sealed with a key that is not here.
 */
sealed: boolean, };

export type Task = { 
/**
 * `task_004`, once in the project.
 */
id: string, 
/**
 * In a few words.
 */
title: string, 
/**
 * How far it is.
 */
status: TaskStatus, 
/**
 * The tasks that must be done before.
 */
depends_on: Array<string>, 
/**
 * What was written about it; may be empty.
 */
notes: string, 
/**
 * What must hold for it to be done.
 */
acceptance: Array<string>, 
/**
 * When it was begun.
 */
started_at?: string, 
/**
 * When it was done.
 */
finished_at?: string, 
/**
 * The message that asked for it last, where it was asked for.
 */
asked?: DecisionSource, };

export type TaskKind = "chat" | "create_tree" | "evaluate" | "summarise" | "title";

export type TaskModel = { 
/**
 * The provider's name.
 */
provider: string, 
/**
 * The model's id.
 */
model: string, };

export type TaskStatus = "todo" | "doing" | "done" | "archived";

export type TestKey = { 
/**
 * The provider, stored or not.
 */
record: ProviderRecord, 
/**
 * As it was pasted.
 */
key: Secret, };

export type TestMcp = { 
/**
 * The project in which one of all projects is looked at: it starts there. One of a project starts in that one.
 */
at?: ProjectId, 
/**
 * The project; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * Its name.
 */
name: string, };

export type Theme = "system" | "light" | "dark";

export type TitleSource = "unset" | "derived" | "person";

export type Told = { 
/**
 * Its commands, which it tells when it likes.
 */
commands: Array<AgentCommand> | null, 
/**
 * Its modes.
 */
modes: Array<AgentMode> | null, };

export type ToolChange = { 
/**
 * The file, relative to the project's root, with `/`.
 */
path: string, 
/**
 * What it says now; `None` where there is nothing or no text.
 */
before: string | null, 
/**
 * What it would say; `None` where it would not be there, or is no text.
 */
after: string | null, 
/**
 * BLAKE3 of its bytes now, hexadecimal; empty where it is not there. A change is refused when they are others by then.
 */
stamp: string, } & ({ "kind": "create" } | { "kind": "edit" } | { "kind": "move", 
/**
 * The new path.
 */
to: string, } | { "kind": "delete" });

export type ToolEffect = "reads" | "proposes" | "changes" | "runs";

export type ToolItem = { 
/**
 * Its name.
 */
name: string, 
/**
 * What models are told of it; of a server's tool, the server's words.
 */
description: string, 
/**
 * What it does.
 */
effect: ToolEffect, 
/**
 * The server it is of; `None` for a built-in one.
 */
server: string | null, 
/**
 * Whether the person offers it.
 */
on: boolean, 
/**
 * Whether it can be offered here: it may need a trusted project.
 */
available: boolean, };

export type ToolPanel = { 
/**
 * All of them.
 */
tools: Array<ToolItem>, 
/**
 * Whether commands may be run in the project.
 */
commands_allowed: boolean, 
/**
 * What keeps them inside it.
 */
sandbox: Sandbox, 
/**
 * What was remembered for the project, and for all of them.
 */
rules: Array<ToolRule>, };

export type ToolProgress = { 
/**
 * The call.
 */
call_id: string, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * One line that says what it is about.
 */
about: string, 
/**
 * Where it stands.
 */
status: NodeStatus, 
/**
 * Whether its result was kept for the conversation, by a rule of the person's.
 */
kept: boolean, };

export type ToolRule = { 
/**
 * Its id.
 */
id: RuleId, 
/**
 * The project it holds in; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * The fingerprint of the tool it was given for.
 */
fingerprint: string, 
/**
 * Which calls.
 */
scope: RuleScope, 
/**
 * What it says.
 */
verdict: RuleVerdict, 
/**
 * When the person said so.
 */
created_at: string, };

export type ToolSettings = { 
/**
 * Whether models are offered tools at all.
 */
on: boolean, 
/**
 * Most times the model is asked in one turn.
 */
max_rounds: number, 
/**
 * Most tokens that all requests and replies of a turn may have together; 0 for no limit.
 */
max_tokens: number, 
/**
 * Longest that a turn may take, in seconds, the waiting for the person's answers not counted; 0 for no limit.
 */
max_seconds: number, 
/**
 * Longest that a command may run, in seconds.
 */
command_seconds: number, 
/**
 * Names of tools that are offered to no model.
 */
off: Array<string>, 
/**
 * Folders that commands may read beside their project, the system and its programs; `~/` is the home.
 */
reads: Array<string>, 
/**
 * Projects whose commands may use the network.
 */
network: Array<ProjectId>, 
/**
 * Calls whose results are kept for the conversation without being asked for (behaviour.md, Memory): each a tool's
 * name and, behind a blank, what the call has to be about; `*` stands for anything. None until the person says so.
 */
keep: Array<string>, 
/**
 * Skills that models may be told of: hashes of their files as they were looked at.
 */
skills: Array<string>, };

export type ToolsAt = { 
/**
 * The project; `None` for conversations without one.
 */
project_id: ProjectId | null, };

export type Topic = { "type": "all" } | { "type": "conversations" } | { "type": "conversation", 
/**
 * Which.
 */
id: ConversationId, } | { "type": "projects" } | { "type": "settings" } | { "type": "providers" } | { "type": "context" } | { "type": "memory" } | { "type": "checkpoints" } | { "type": "tools" } | { "type": "meaning" } | { "type": "sessions" } | { "type": "vault" };

export type TouchedConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * Its title.
 */
title: string, 
/**
 * Messages that could not be read.
 */
lost: number, };

export type Traces = { 
/**
 * Backups that were made while it was there, the newest first.
 */
backups: Array<Backup>, 
/**
 * Providers on other computers that it was sent to.
 */
sent_to: Array<string>, 
/**
 * Places beyond this computer that checkpoints of its project are pushed to.
 */
pushed_to: Array<string>, 
/**
 * What could not be cleaned when it was deleted, and why.
 */
refused: Array<string>, };

export type TreeStep = { 
/**
 * What is to be done.
 */
title: string, 
/**
 * How, where that is not plain.
 */
notes: string, 
/**
 * What must be true when it is done.
 */
acceptance: Array<string>, 
/**
 * Places of the steps it waits for, from 0; all of them earlier ones.
 */
after: Array<number>, };

export type Trust = "trusted" | "untrusted";

export type TrustMcp = { 
/**
 * The fingerprint that was shown.
 */
fingerprint: string, 
/**
 * BLAKE3 of its instructions that may take effect; empty for none.
 */
instructions: string, 
/**
 * The project in which it was looked at; as when it was asked.
 */
at?: ProjectId, 
/**
 * The project; `None` for all.
 */
project_id: ProjectId | null, 
/**
 * Its name.
 */
name: string, };

export type TrustProject = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * The new answer.
 */
trust: Trust, };

export type TrySummary = { 
/**
 * The summary.
 */
id: SummaryId, 
/**
 * The rate.
 */
rate: Rate, };

export type TuneConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * All of it; what is not set is left to the provider.
 */
tuning: Tuning, };

export type Tuning = { 
/**
 * The person's instructions for this conversation; empty for none.
 */
instructions: string, 
/**
 * Sampling temperature, 0 to 2.
 */
temperature: number | null, 
/**
 * Most tokens of a reply.
 */
max_output_tokens: number | null, 
/**
 * How much to think.
 */
effort: Effort | null, 
/**
 * In which mode an agent works; without one, in that in which it asks.
 */
mode: ChosenMode | null, };

export type TurnChange = "added" | "modified" | "mode" | "moved" | "deleted";

export type TurnChanges = { 
/**
 * The project whose files they are.
 */
project_id: ProjectId | null, 
/**
 * What is known.
 */
known: ChangesKnown, 
/**
 * The files, by path.
 */
files: Array<ChangedFile>, 
/**
 * Lines that came, in all files whose lines were counted.
 */
added: number, 
/**
 * Lines that went.
 */
removed: number, };

export type TurnEvent = { "type": "started", 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The reply.
 */
reply_id: MessageId, 
/**
 * Text so far.
 */
text: string, 
/**
 * Reasoning so far.
 */
reasoning: string, 
/**
 * Calls of this reply that are under way.
 */
calls: Array<ToolProgress>, 
/**
 * Why nothing comes for a while.
 */
waiting: Waiting | null, } | { "type": "text", 
/**
 * The addition.
 */
text: string, } | { "type": "reasoning", 
/**
 * The addition.
 */
text: string, } | { "type": "reply", 
/**
 * It.
 */
reply_id: MessageId, } | { "type": "tool", 
/**
 * The call.
 */
call: ToolProgress, } | { "type": "waiting", 
/**
 * Until when.
 */
waiting: Waiting, } | { "type": "output", 
/**
 * The call.
 */
call_id: string, 
/**
 * The addition.
 */
text: string, } | { "type": "done", 
/**
 * The reply.
 */
reply_id: MessageId, 
/**
 * How it ended.
 */
status: MessageStatus, 
/**
 * What the provider counted.
 */
usage: Usage | null, 
/**
 * Why it failed.
 */
fault: TurnFault | null, };

export type TurnFault = { 
/**
 * A stable code such as `offline` or `rate_limited`.
 */
code: string, 
/**
 * The technical detail, for the curious.
 */
message: string, };

export type TurnId = string;

export type TurnRef = { 
/**
 * The turn.
 */
id: TurnId, };

export type TurnReview = { 
/**
 * What is known.
 */
known: ChangesKnown, 
/**
 * The files, by path.
 */
files: Array<ReviewedFile>, };

export type TurnSpan = { 
/**
 * The first; turns are counted from 1.
 */
first: number, 
/**
 * The last.
 */
last: number, };

export type TurnStatus = "open" | "completed" | "interrupted" | "failed";

export type UnfinishedRestore = { 
/**
 * Its plan.
 */
plan_id: PlanId, 
/**
 * Of this checkpoint.
 */
checkpoint_id: CheckpointId, 
/**
 * The checkpoint that was taken before it.
 */
before: CheckpointId, };

export type UnfoldSummary = { 
/**
 * The summary.
 */
id: SummaryId, 
/**
 * Whether the messages themselves are.
 */
unfolded: boolean, };

export type UnlockCheckpoints = { 
/**
 * With the recovery passphrase, after which the key is kept again where it was; `None` for the kept key.
 */
passphrase: Secret | null, };

export type UnlockVault = { 
/**
 * As it was typed; at least eight characters for a new file.
 */
passphrase: Secret, };

export type Update = { 
/**
 * Its version.
 */
version: string, 
/**
 * What its makers say of it, as plain text.
 */
notes: string, 
/**
 * When it came out, where the feed says so.
 */
published_at: string | null, 
/**
 * The address of the package.
 */
url: string, 
/**
 * The computer that would be asked for it.
 */
host: string, 
/**
 * The name of the package's file.
 */
file: string, 
/**
 * Its bytes, where the feed says so.
 */
size: number | null, };

export type UpdateEvent = { 
/**
 * Bytes that came.
 */
bytes: number, 
/**
 * Bytes in all, where that is known.
 */
of: number | null, };

export type UpdateLooked = { 
/**
 * The version that the feed offers, newer or not.
 */
offered: string, 
/**
 * How this copy stands since.
 */
state: UpdateState, };

export type UpdateState = { 
/**
 * The version that runs.
 */
version: string, 
/**
 * As what it was installed.
 */
installed_as: InstalledAs, 
/**
 * The address where newer versions are told of; `None` where this copy names nobody who signs them.
 */
feed: string | null, 
/**
 * The newer version that a look found last.
 */
update: Update | null, 
/**
 * Whether its package is here, verified.
 */
fetched: boolean, };

export type Usage = { 
/**
 * Tokens of the request.
 */
input_tokens: number, 
/**
 * Tokens of the reply.
 */
output_tokens: number, 
/**
 * Those of `input_tokens` that were found in the provider's cache.
 */
cached_input_tokens: number, 
/**
 * Those of `input_tokens` that were written to the provider's cache.
 */
cache_write_tokens: number, 
/**
 * Whether the provider counted; `false` means our own estimate.
 */
exact: boolean, };

export type VaultContinued = { "type": "here", 
/**
 * The new conversation.
 */
item: ConversationItem, 
/**
 * What was read, but not as it stood.
 */
warnings: Array<ImportWarning>, } | { "type": "agent", 
/**
 * Where it is, and how it goes on.
 */
handover: VaultHandover, } | { "type": "text", 
/**
 * The text itself.
 */
text: string, 
/**
 * A name for a file of it.
 */
name: string, };

export type VaultDropped = { 
/**
 * Its place among the session's entries, from 1.
 */
number: number, 
/**
 * When.
 */
at: string | null, 
/**
 * Whether it came by itself; `None` where nobody says.
 */
automatic: boolean | null, 
/**
 * Tokens of the context before it, as the agent counted them.
 */
before: number | null, 
/**
 * Tokens of the context after it.
 */
after: number | null, 
/**
 * The summary's text; empty where the agent keeps it to itself.
 */
summary: string, 
/**
 * Its tokens, estimated.
 */
summary_tokens: number, 
/**
 * Entries that it folded.
 */
entries: Array<number>, 
/**
 * Their tokens, estimated.
 */
tokens: number, 
/**
 * What of it is still told, kind by kind.
 */
retention: FoldRetention, 
/**
 * Everything that was said there, the weightiest first.
 */
facts: Array<VaultDroppedFact>, };

export type VaultDroppedFact = { 
/**
 * What kind of thing it is.
 */
category: FactCategory, 
/**
 * As it was said.
 */
text: string, 
/**
 * The entry that said it first.
 */
entry: number, 
/**
 * Where it stays.
 */
stays: Stays, };

export type VaultEntry = { 
/**
 * Its place, from 1.
 */
number: number, 
/**
 * The place of the one before it.
 */
parent: number | null, 
/**
 * Whether it is on the path that the agent would go on with.
 */
active: boolean, 
/**
 * Who speaks.
 */
role: Role, 
/**
 * What it is.
 */
kind: VaultEntryKind, 
/**
 * What was said, called and answered.
 */
parts: Array<Part>, 
/**
 * The model that wrote it.
 */
model: string | null, 
/**
 * When.
 */
at: string | null, };

export type VaultEntryKind = "said" | "context" | "fold";

export type VaultEvent = { 
/**
 * Files that were looked at.
 */
files: number, 
/**
 * Files there are; 0 while nobody knows.
 */
of: number, 
/**
 * Bytes that were read.
 */
bytes: number, };

export type VaultFault = { 
/**
 * Whose file.
 */
agent: Agent, 
/**
 * Which, below its home.
 */
path: string, 
/**
 * Which version of it, from 1.
 */
version: number, 
/**
 * From which byte on.
 */
at: number, 
/**
 * What is wrong.
 */
detail: string, };

export type VaultFile = { 
/**
 * Below its agent's folder.
 */
path: string, 
/**
 * What it is to the session.
 */
role: FileRole, 
/**
 * Bytes of the newest version.
 */
bytes: number, 
/**
 * How many versions there are.
 */
versions: number, 
/**
 * Since when the agent does not have it any more.
 */
gone_at: string | null, };

export type VaultFollowing = { 
/**
 * Whether it does so, in the folders that were agreed to.
 */
on: boolean, 
/**
 * When everything had been looked at last.
 */
looked_at: string | null, 
/**
 * Why the last look did not succeed.
 */
failure: Failure | null, };

export type VaultForgets = { 
/**
 * Files that go.
 */
files: Array<VaultFile>, 
/**
 * Whether they are gone.
 */
done: boolean, 
/**
 * Bytes that the disk has back.
 */
freed: number, };

export type VaultFound = { 
/**
 * Best first.
 */
hits: Array<VaultHit>, 
/**
 * How many match; a lower bound when `capped`.
 */
total: number, 
/**
 * Counting or ranking stopped early because the words are everywhere.
 */
capped: boolean, };

export type VaultGoal = { "type": "here", 
/**
 * The project that it belongs to; that of the session's folder otherwise, if it was ever opened.
 */
project_id: ProjectId | null, } | { "type": "agent", 
/**
 * Which.
 */
agent: Agent, 
/**
 * The folder in which it goes on; that of the session otherwise.
 */
folder: string | null, 
/**
 * With what was before the last compaction, in the place of its summary.
 */
whole: boolean, 
/**
 * In the agent's own folder; otherwise below the data folder, from where the person takes it.
 */
install: boolean, } | { "type": "text" };

export type VaultHandover = { 
/**
 * Its id there.
 */
session_id: string, 
/**
 * The file that is written.
 */
path: string, 
/**
 * The command that puts it where the agent looks, when it is written elsewhere.
 */
install: string | null, 
/**
 * The command with which the agent goes on.
 */
start: string, };

export type VaultHit = { 
/**
 * Whose session.
 */
agent: Agent, 
/**
 * The agent's own id of it.
 */
id: string, 
/**
 * The session that began it, where it is a subagent's.
 */
parent: string | null, 
/**
 * What it is called; may be empty.
 */
title: string, 
/**
 * The folder in which it worked.
 */
folder: string | null, 
/**
 * Its place among the session's entries, from 1.
 */
number: number, 
/**
 * Who said it.
 */
role: Role, 
/**
 * When.
 */
at: string | null, 
/**
 * The surroundings of the first match.
 */
snippet: Array<SnippetPart>, };

export type VaultHome = { 
/**
 * Whose.
 */
agent: Agent, 
/**
 * Its real path.
 */
root: string, };

export type VaultItem = { 
/**
 * Where its agent wrote it.
 */
home: VaultHome, 
/**
 * Its file, below that.
 */
path: string, 
/**
 * How many times that was written anew; 1 for one that only ever grew.
 */
versions: number, 
/**
 * Bytes of the newest version.
 */
bytes: number, 
/**
 * Since when the agent does not have it any more.
 */
gone_at: string | null, 
/**
 * Bytes that the agent's own file lacks at its end.
 */
cut: number, 
/**
 * Sessions of its subagents.
 */
children: number, 
/**
 * Whose it is.
 */
agent: Agent, 
/**
 * The agent's own id.
 */
id: string, 
/**
 * The session that began it.
 */
parent: string | null, 
/**
 * What it is called; may be empty.
 */
title: string, 
/**
 * The folder in which it worked.
 */
folder: string | null, 
/**
 * The branch of git there.
 */
git_branch: string | null, 
/**
 * The models that answered, in the order in which they did first.
 */
models: Array<string>, 
/**
 * When something was said first.
 */
started_at: string | null, 
/**
 * When something was said last.
 */
ended_at: string | null, 
/**
 * Questions of the person, on all branches.
 */
turns: number, 
/**
 * Calls of tools.
 */
calls: number, 
/**
 * Ends of branches; 1 for a session that never forked.
 */
branches: number, 
/**
 * Compactions.
 */
folds: number, 
/**
 * Tokens, each counted once.
 */
usage: Usage, 
/**
 * Records of kinds that are not known here.
 */
unknown: { [key in string]: number }, 
/**
 * Lines that could not be read.
 */
unreadable: number, };

export type VaultKept = { 
/**
 * Whose, and where.
 */
home: VaultHome, 
/**
 * Whether what is new there is kept, too.
 */
agreed: boolean, 
/**
 * Sessions.
 */
sessions: number, 
/**
 * Files.
 */
files: number, 
/**
 * Files that the agent has no more.
 */
gone: number, 
/**
 * Files of which the agent has less, or something else.
 */
changed: number, 
/**
 * Bytes of the newest versions.
 */
bytes: number, 
/**
 * When something was kept last.
 */
kept_at: string | null, 
/**
 * Records of kinds that are not known here.
 */
unknown: { [key in string]: number }, 
/**
 * Lines that could not be read.
 */
unreadable: number, };

export type VaultLeft = { 
/**
 * Why.
 */
reason: VaultLeftReason, 
/**
 * How much.
 */
count: number, };

export type VaultLeftReason = "folded" | "summary" | "branch" | "unwanted" | "context" | "thought" | "picture" | "result" | "aside" | "subagent" | "output" | "shortened" | "unknown" | "unreadable";

export type VaultPlan = { 
/**
 * The session; none for a conversation from here.
 */
item: VaultItem | null, 
/**
 * What it is called.
 */
title: string, 
/**
 * The project that the conversation would belong to.
 */
project: Project | null, 
/**
 * Questions of the person that go.
 */
turns: number, 
/**
 * Messages that go, those and the answers of tools included.
 */
messages: number, 
/**
 * Calls of tools that go.
 */
calls: number, 
/**
 * Pictures that go.
 */
pictures: number, 
/**
 * Compactions that become summaries.
 */
summaries: number, 
/**
 * Tokens of what goes on the path that goes on, estimated.
 */
tokens: number, 
/**
 * What stays behind, with the reason; the session keeps it.
 */
left: Array<VaultLeft>, 
/**
 * The session that would be written, for an agent.
 */
handover: VaultHandover | null, };

export type VaultRef = { 
/**
 * The agent's own id, or a beginning of it that no other has.
 */
id: string, 
/**
 * A version of its file; the newest one otherwise.
 */
version: number | null, };

export type VaultScanned = { 
/**
 * Files that belong to sessions.
 */
files: number, 
/**
 * Seen for the first time.
 */
new: number, 
/**
 * Longer than before.
 */
grew: number, 
/**
 * Written anew; what they said before is kept.
 */
rewritten: number, 
/**
 * Shorter than before; what they lost is kept.
 */
cut: number, 
/**
 * Bytes that were added.
 */
bytes: number, 
/**
 * Sessions that were understood anew.
 */
understood: number, 
/**
 * Files that could not be read, with the reason.
 */
unreadable: Array<string>, 
/**
 * What is in the place of files and is not read.
 */
skipped: Array<string>, 
/**
 * Kinds of records of the sessions that were understood anew which are not known here; they are kept.
 */
unknown: { [key in string]: number }, 
/**
 * Whether it was cancelled before its end.
 */
cancelled: boolean, };

export type VaultSession = { 
/**
 * What the list says of it.
 */
item: VaultItem, 
/**
 * Everything that was said, on all branches, in the order in which it was written.
 */
entries: Array<VaultEntry>, 
/**
 * Its subagents' sessions.
 */
children: Array<VaultItem>, 
/**
 * Tokens of it and of those, each counted once.
 */
usage: Usage, 
/**
 * Files that belong to it, its own first.
 */
files: Array<VaultFile>, 
/**
 * How often each kind of record stands in it that says nothing of the conversation.
 */
beside: { [key in string]: number }, 
/**
 * Texts that are shown in part, and entries that are not: all of it is kept.
 */
shortened: number, 
/**
 * Whether its last line is cut off.
 */
is_cut: boolean, };

export type VaultSource = { 
/**
 * Whose, and where.
 */
home: VaultHome, 
/**
 * Whether the person said yes to it.
 */
agreed: boolean, 
/**
 * Sessions in it, those of subagents not counted.
 */
sessions: number, 
/**
 * Files that belong to sessions.
 */
files: number, 
/**
 * Their size.
 */
bytes: number, 
/**
 * When the one that rests longest was written.
 */
first: string | null, 
/**
 * When the newest was written.
 */
last: string | null, 
/**
 * What is in the place of such files and is not read: links, pipes, folders that cannot be opened.
 */
skipped: Array<string>, };

export type VaultState = "absent" | "locked" | "unlocked";

export type VaultStatus = { 
/**
 * By folder.
 */
kept: Array<VaultKept>, 
/**
 * Bytes of all versions; what versions share counts once.
 */
bytes: number, 
/**
 * What they take on the disk.
 */
stored: number, 
/**
 * Whether this program keeps what is new by itself.
 */
following: VaultFollowing, };

export type VaultVerified = { 
/**
 * Files.
 */
files: number, 
/**
 * Versions of them.
 */
versions: number, 
/**
 * Bytes that were read and compared with their hashes.
 */
bytes: number, 
/**
 * What is not what was kept.
 */
faults: Array<VaultFault>, };

export type Verified = { 
/**
 * Objects that are damaged or missing, in hexadecimal, each with the checkpoints that need it.
 */
damaged: Array<DamagedObject>, 
/**
 * Objects that were found again, after a repair.
 */
repaired: number, };

export type VerifyVault = { 
/**
 * A name for cancelling it.
 */
work_id: string, };

export type Version = { 
/**
 * What was said, called and answered in it, in order. Its places are those of its own branch.
 */
messages: Array<MessageItem>, 
/**
 * The provider that was asked; `None` where nothing is recorded of it.
 */
provider: string | null, };

export type VersionOrigin = "disk" | "saved" | "restored";

export type VersionRef = { 
/**
 * Its number.
 */
seq: number, };

export type VersionText = { 
/**
 * Its text.
 */
text: string, };

export type VolatilePolicy = "merged" | "request_alone";

export type Waiting = { 
/**
 * Whether too much was asked of it; it has trouble of its own otherwise.
 */
limited: boolean, 
/**
 * When it is asked again.
 */
until: string, };

export type WaitingWhy = { "reason": "not_met", 
/**
 * The verdict.
 */
criteria: Array<EvaluatedCriterion>, } | { "reason": "stopped" } | { "reason": "interrupted" } | { "reason": "failed", 
/**
 * The stable code.
 */
code: string, } | { "reason": "not_judged", 
/**
 * The stable code.
 */
code: string, } | { "reason": "blocked" };

export type Watching = { "how": "notified" } | { "how": "partly", 
/**
 * How many are watched.
 */
folders: number, 
/**
 * Of how many.
 */
of: number, } | { "how": "polled", 
/**
 * Why.
 */
why: string, };

export type Why = "missing" | "kept" | "ours" | "undone" | "taken_back" | "copied" | "both" | "apart" | "unknown" | "changed_outside" | "not_ours" | "in_the_way";

export type WindowMessage = { 
/**
 * `user`, `assistant`, `system` or `tool`.
 */
role: string, 
/**
 * What was said.
 */
content: string, 
/**
 * When.
 */
ts: string, 
/**
 * A reply that was stopped or cut off: more was to come.
 */
interrupted?: boolean, 
/**
 * The message, by its id; absent where another program wrote the file.
 */
message_id?: string, 
/**
 * The conversation it was said in, so that it goes with that.
 */
conversation_id?: string, };

export type WindowSource = "known" | "assumed" | "person";

export type Wish = "pinned" | "left_out";

export type WishSection = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The section's id.
 */
id: string, 
/**
 * Where the section comes from, to be shown where it is gone.
 */
source: string, 
/**
 * What is wanted; `None` for nothing any more.
 */
wish: Wish | null, };

export type Workflow = { 
/**
 * The version of its form.
 */
version: string, 
/**
 * Grows with every change, so that of two states of one line the newer is known without a clock.
 */
revision: number, 
/**
 * What the project is called.
 */
project_name: string, 
/**
 * The plan that is worked on.
 */
current_plan_id?: string, 
/**
 * The task that is worked on.
 */
current_task_id?: string, 
/**
 * In the person's order.
 */
plans: Array<Plan>, 
/**
 * Oldest first.
 */
decisions: Array<Decision>, 
/**
 * The plan that is carried out, as far as it came.
 */
run?: PlanRun, };

export type WorkflowChange = { "change": "rename_project", 
/**
 * The name.
 */
name: string, } | { "change": "add_plan", 
/**
 * In a few words.
 */
title: string, 
/**
 * At length.
 */
description: string, } | { "change": "edit_plan", 
/**
 * Which.
 */
id: string, 
/**
 * In a few words.
 */
title: string | null, 
/**
 * At length.
 */
description: string | null, } | { "change": "move_plan", 
/**
 * Which.
 */
id: string, 
/**
 * The place.
 */
to: number, } | { "change": "switch_plan", 
/**
 * Which.
 */
id: string | null, } | { "change": "finish_plan", 
/**
 * Which.
 */
id: string, } | { "change": "archive_plan", 
/**
 * Which.
 */
id: string, } | { "change": "add_task", 
/**
 * The plan; `None` for the one that is worked on.
 */
plan_id: string | null, 
/**
 * In a few words.
 */
title: string, 
/**
 * What is to be known about it.
 */
notes: string, 
/**
 * What must hold for it to be done.
 */
acceptance: Array<string>, 
/**
 * The tasks that must be done before.
 */
depends_on: Array<string>, } | { "change": "edit_task", 
/**
 * Which.
 */
id: string, 
/**
 * In a few words.
 */
title: string | null, 
/**
 * What is to be known about it.
 */
notes: string | null, 
/**
 * What must hold for it to be done.
 */
acceptance: Array<string> | null, 
/**
 * The tasks that must be done before.
 */
depends_on: Array<string> | null, } | { "change": "move_task", 
/**
 * Which.
 */
id: string, 
/**
 * The place.
 */
to: number, } | { "change": "start_task", 
/**
 * Which.
 */
id: string, } | { "change": "finish_task", 
/**
 * Which.
 */
id: string, } | { "change": "archive_task", 
/**
 * Which.
 */
id: string, } | { "change": "add_decision", 
/**
 * What was decided.
 */
text: string, 
/**
 * Where it was said.
 */
source: DecisionSource | null, 
/**
 * How it came here.
 */
origin: DecisionOrigin, } | { "change": "remove_decision", 
/**
 * Which.
 */
id: string, };

export type WorkflowCommand = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * What was typed.
 */
text: string, };

export type Worth = { 
/**
 * How new it is.
 */
recency: number, 
/**
 * It calls tools.
 */
tools: number, 
/**
 * It failed, or a tool did.
 */
error: number, 
/**
 * Something was decided in it.
 */
decision: number, 
/**
 * It names what the draft names.
 */
mention: number, 
/**
 * How much it says in few words.
 */
density: number, };

export type WriteShare = { 
/**
 * The project.
 */
project_id: ProjectId, 
/**
 * The plans that were shown.
 */
plans: Array<SharePlan>, };

/** Every command: what it takes, what it gives, and what it streams meanwhile. */
export interface Commands {
  /** Folders in which other agents keep sessions, with how much and since when. Nothing is read but names and sizes. */
  vault_sources: { request: null; reply: Array<VaultSource>; event: never };
  /** The same of a place that the person names. Exports in it are read through, and nothing is kept. */
  vault_look: { request: LookVault; reply: Array<VaultSource>; event: never };
  /** Says yes to keeping what is in such folders, or takes that back. */
  vault_agree: { request: AgreeVault; reply: Array<VaultSource>; event: never };
  /** Whether what was said in sessions that worked in a project may go in its requests. */
  vault_recall: { request: RecallVault; reply: null; event: never };
  /** Cancels a scan or a look at everything. */
  vault_cancel: { request: CancelVault; reply: null; event: never };
  /** What is kept of whom. */
  vault_status: { request: null; reply: VaultStatus; event: never };
  /** Sessions of other agents, the one in which something was said last first. */
  vault_list: { request: ListVault; reply: Array<VaultItem>; event: never };
  /** One session, with all branches. */
  vault_session: { request: VaultRef; reply: VaultSession; event: never };
  /** What was said in sessions with these words. */
  vault_search: { request: SearchVault; reply: VaultFound; event: never };
  /** Its compactions, and what became of what they folded. */
  vault_dropped: { request: VaultRef; reply: Array<VaultDropped>; event: never };
  /** Deletes sessions for ever, or says what would go. */
  vault_forget: { request: ForgetVault; reply: VaultForgets; event: never };
  /** Requests that left this program, the latest first. */
  egress_list: { request: ListEgress; reply: Array<EgressItem>; event: never };
  /** The exact bytes of a request that left. */
  egress_body: { request: EgressRef; reply: SentBody; event: never };
  /** Forgets what left. */
  egress_clear: { request: null; reply: null; event: never };
  /** Providers, the offline one first. */
  provider_list: { request: null; reply: Array<ProviderItem>; event: never };
  /** Adds or changes a provider. */
  provider_add: { request: ProviderRecord; reply: ProviderItem; event: never };
  /** Removes a provider. */
  provider_remove: { request: ProviderRef; reply: null; event: never };
  /** The models of a provider; also a test of the connection. */
  provider_models: { request: ProviderRef; reply: Array<ModelInfo>; event: never };
  /** Servers that answer on this computer. */
  provider_discover: { request: null; reply: Array<FoundServer>; event: never };
  /** Chooses provider and model for conversations that chose none. */
  provider_default: { request: DefaultModel; reply: Settings; event: never };
  /** What models cost: built in, said by servers, and the person's own. */
  price_list: { request: null; reply: Array<PricedModel>; event: never };
  /** What this calendar month cost so far. */
  spending_get: { request: null; reply: Spending; event: never };
  /** Lets this month go on until one more limit's worth is spent. */
  spending_allow: { request: null; reply: Spending; event: never };
  /** Where keys can go. */
  key_state: { request: null; reply: KeysState; event: never };
  /** The provider whose keys begin like this one, to be suggested. */
  key_recognise: { request: RecogniseKey; reply: ProviderRecord | null; event: never };
  /** Keeps a provider's key at the chosen place, instead of the earlier one. */
  key_set: { request: SetKey; reply: KeyShown; event: never };
  /** Asks a provider with a key before either is stored: the models it lists. */
  key_test: { request: TestKey; reply: Array<ModelInfo>; event: never };
  /** Forgets a provider's key. */
  key_remove: { request: ProviderRef; reply: null; event: never };
  /** Lets the system ask the person to open its keyring; answers when that is done. */
  keyring_unlock: { request: null; reply: KeysState; event: never };
  /** Opens the encrypted file; makes it with this passphrase when there is none. */
  vault_unlock: { request: UnlockVault; reply: KeysState; event: never };
  /** Deletes the encrypted file with every key in it. */
  vault_discard: { request: null; reply: KeysState; event: never };
  /** The layers of memory at a place. */
  memory_layers: { request: MemoryAt; reply: MemoryView; event: never };
  /** What memory says when all of a place is put together. */
  memory_effective: { request: MemoryAt; reply: Effective; event: never };
  /** Reads all of it again. */
  memory_refresh: { request: MemoryAt; reply: MemoryView; event: never };
  /** Carries out `/memory add|show|refresh|clear|list`. */
  memory_command: { request: MemoryCommand; reply: MemoryAnswer; event: never };
  /** A memory file for editing; one that does not exist yet is empty. */
  memory_open: { request: MemoryFileRef; reply: MemoryDocument; event: never };
  /** Writes a memory file, unless it is not what the editor began with. */
  memory_save: { request: SaveMemory; reply: Saved; event: never };
  /** The versions of a memory file, newest first. */
  memory_versions: { request: MemoryFileRef; reply: Array<MemoryVersion>; event: never };
  /** What a version says. */
  memory_version: { request: VersionRef; reply: VersionText; event: never };
  /** Writes a version again. */
  memory_restore: { request: RestoreMemory; reply: Saved; event: never };
  /** Says whether and when a file takes part in a project's requests. */
  memory_choose: { request: ChooseMemory; reply: null; event: never };
  /** A first memory file for a project, from what its folder shows; nothing is written. */
  memory_draft: { request: ProjectRef; reply: DraftText; event: never };
  /** Files of a trusted project that are not what the person agreed to. */
  memory_changes: { request: ProjectRef; reply: Array<ChangedMemory>; event: never };
  /** Agrees to changed files as they were shown. */
  memory_agree: { request: AgreeMemory; reply: null; event: never };
  /** Lets a flagged passage of a memory file into requests, or leaves it out. */
  memory_allow: { request: AllowPassage; reply: null; event: never };
  /** Remembers a line. */
  memory_add: { request: AddMemory; reply: MemoryLine; event: never };
  /** Keeps a tool's result or a file for a conversation, as data. */
  memory_keep: { request: KeepMemory; reply: MemoryLine; event: never };
  /** Removes a line; it can be taken back. */
  memory_remove: { request: LineRef; reply: null; event: never };
  /** Takes back the removal of a line. */
  memory_undo: { request: LineRef; reply: MemoryLine; event: never };
  /** Removes all lines of a place; each can be taken back. */
  memory_clear: { request: MemoryAt; reply: Array<MemoryLine>; event: never };
  /** Makes a line part of a file of the project, or of global memory. */
  memory_move: { request: MoveLine; reply: MemoryDocument; event: never };
  /** Skills at a place, and what a conversation has of them. */
  skill_list: { request: SkillsAt; reply: SkillPanel; event: never };
  /** What a skill says now. */
  skill_text: { request: SkillRef; reply: SkillText; event: never };
  /** Keeps one for a conversation as it was shown; `memory_remove` takes it away. */
  skill_choose: { request: ChooseSkill; reply: MemoryLine; event: never };
  /** Says whether models may be told of one as it was shown. */
  skill_offer: { request: OfferSkill; reply: null; event: never };
  /** Files of a trusted project that a message could name, the best first. */
  project_paths: { request: ListPaths; reply: Array<PathHit>; event: never };
  /** Search over everything: conversations, summaries, decisions, memory, files, checkpoints. */
  find: { request: Find; reply: FoundEverywhere; event: never };
  /** Who makes vectors of messages, and how far that is. */
  meaning_state: { request: null; reply: MeaningState; event: never };
  /** The models of a provider that seem to make vectors. */
  meaning_models: { request: ProviderRef; reply: Array<string>; event: never };
  /** What an embedder would take, before it is chosen; nothing is sent. */
  meaning_plan: { request: MeaningBy; reply: MeaningPlan; event: never };
  /** Chooses who makes vectors, or nobody; they are made in the background. */
  meaning_choose: { request: ChooseMeaning; reply: MeaningState; event: never };
  /** Forgets all vectors and makes them anew. */
  meaning_rebuild: { request: null; reply: MeaningState; event: never };
  /** Makes no more vectors until the person says so; those that are there still serve. */
  meaning_stop: { request: null; reply: MeaningState; event: never };
  /** Goes on with them. */
  meaning_resume: { request: null; reply: MeaningState; event: never };
  /** Where the work in a project stands, and files of it that Siltstone did not write. */
  session_get: { request: ProjectRef; reply: SessionView; event: never };
  /** Writes `.ai-brain` into a project from now on, or no more. */
  session_share: { request: ShareSession; reply: SessionView; event: never };
  /** Takes in files that Siltstone did not write, or writes over them. */
  session_accept: { request: AcceptSession; reply: SessionView; event: never };
  /** Writes the files although another computer says that it does. */
  session_take_over: { request: ProjectRef; reply: SessionView; event: never };
  /** What a new conversation of a project is told first. */
  session_hydrate: { request: ProjectRef; reply: Hydrated; event: never };
  /** Copies the session now; nothing where the newest copy says the same. */
  session_snapshot: { request: ProjectRef; reply: Array<SessionSnapshot>; event: never };
  /** Goes back to a copy. */
  session_restore: { request: SnapshotRef; reply: SessionView; event: never };
  /** Reads the files again, and names what is wrong with them. */
  session_verify: { request: ProjectRef; reply: SessionVerified; event: never };
  /** Where the work stopped, made without a model; nothing while there is nothing to go on with. */
  session_resume: { request: ProjectRef; reply: ResumeCard | null; event: never };
  /** Whether a new conversation is told where the work stopped. */
  place_take: { request: TakePlace; reply: null; event: never };
  /** Whether what was said in one conversation of a project may go in another. */
  others_allow: { request: AllowOthers; reply: null; event: never };
  /** Plans, tasks and decisions of a project. */
  workflow_get: { request: ProjectRef; reply: Workflow; event: never };
  /** Changes plans, tasks or decisions. */
  workflow_change: { request: ChangeWorkflow; reply: Workflow; event: never };
  /** Carries out `/plan`, `/task` or `/decide`. */
  workflow_command: { request: WorkflowCommand; reply: Workflow; event: never };
  /** Proposals of a project that wait for the person, oldest first. */
  proposal_list: { request: ProjectRef; reply: Array<ProposalRecord>; event: never };
  /** Carries a proposal out. */
  proposal_accept: { request: ProposalRef; reply: Workflow; event: never };
  /** The person does not want a proposal. */
  proposal_dismiss: { request: ProposalRef; reply: null; event: never };
  /** Conversations for the list. */
  conversation_list: { request: ListConversations; reply: Array<ConversationItem>; event: never };
  /** A new, empty conversation. */
  conversation_create: { request: CreateConversation; reply: ConversationItem; event: never };
  /** One conversation with its draft and queue. */
  conversation_get: { request: ConversationRef; reply: ConversationDetail; event: never };
  /** A stretch of the shown path. */
  conversation_page: { request: PageConversation; reply: ConversationPage; event: never };
  /** Where a message stands on the shown path; shows another branch first if it must. */
  conversation_locate: { request: MessageRef; reply: Located; event: never };
  /** All replies to the question of this one, the first of which was made first. */
  conversation_versions: { request: MessageRef; reply: Array<Version>; event: never };
  /** Gives a title. */
  conversation_rename: { request: RenameConversation; reply: null; event: never };
  /** Pins or unpins. */
  conversation_pin: { request: PinConversation; reply: null; event: never };
  /** Chooses provider and model for this conversation. */
  conversation_model: { request: ChooseModel; reply: null; event: never };
  /** Changes how the conversation's model is asked. */
  conversation_tune: { request: TuneConversation; reply: null; event: never };
  /** Keeps what is in the composer. */
  conversation_draft: { request: SaveDraft; reply: null; event: never };
  /** Takes out of the trash. */
  conversation_restore: { request: ConversationRef; reply: null; event: never };
  /** The conversation as text. */
  conversation_export: { request: ExportConversation; reply: ExportedText; event: never };
  /** A conversation from text that was exported. */
  conversation_import: { request: ImportConversation; reply: Imported; event: never };
  /** What going on with a session of another agent would take along, and what not. */
  vault_plan: { request: PlanVault; reply: VaultPlan; event: never };
  /** Goes on where a session of another agent stopped: here, with an agent, or as a text. */
  vault_continue: { request: ContinueVault; reply: VaultContinued; event: never };
  /** Cancels an import of many conversations, or closes its file; what is in stays. */
  conversation_import_cancel: { request: ImportAll; reply: null; event: never };
  /** Full-text search over messages. */
  search: { request: Search; reply: SearchHits; event: never };
  /** Attaches a picture or a PDF file to the message in the composer. */
  attachment_add: { request: AddAttachment; reply: Attached; event: never };
  /** Keeps a long text that was pasted into the composer beside what is typed there. */
  attachment_paste: { request: PasteText; reply: Attached; event: never };
  /** Takes one out of the composer; its bytes go when nothing else names them. */
  attachment_remove: { request: AttachmentRef; reply: null; event: never };
  /** The bytes of a picture or file. */
  attachment_read: { request: ReadAttachment; reply: AttachmentBytes; event: never };
  /** Shows the newest path through this message. */
  branch_switch: { request: MessageRef; reply: null; event: never };
  /** Wants a section in every request, the next request without it, or nothing of it any more. */
  section_wish: { request: WishSection; reply: null; event: never };
  /** Goes on where the work stopped, or begins fresh. */
  session_begin: { request: BeginSession; reply: ConversationRef; event: never };
  /** Tools at a place, and what was remembered of them. */
  tool_panel: { request: ToolsAt; reply: ToolPanel; event: never };
  /** Says whether commands may be run in a project. */
  tool_commands: { request: AllowCommands; reply: ToolPanel; event: never };
  /** Forgets a remembered answer. */
  tool_rule_revoke: { request: RuleRef; reply: null; event: never };
  /** Remembers an answer again that was forgotten since the program started. */
  tool_rule_restore: { request: RuleRef; reply: null; event: never };
  /** A part of a long result. */
  tool_output: { request: ReadOutput; reply: OutputText; event: never };
  /** Calls of a conversation that wait for the person. */
  approval_list: { request: ConversationRef; reply: Array<Approval>; event: never };
  /** Answers one. */
  approval_answer: { request: AnswerApproval; reply: null; event: never };
  /** A turn as it was carried out. */
  run_get: { request: TurnRef; reply: RunView; event: never };
  /** MCP servers at a place. */
  mcp_list: { request: ToolsAt; reply: Array<McpItem>; event: never };
  /** Adds a server or changes it; a changed one has to be trusted again. */
  mcp_set: { request: SetMcp; reply: McpItem; event: never };
  /** Removes a server and its secrets. */
  mcp_remove: { request: McpRef; reply: null; event: never };
  /** Keeps a secret of a server with the keys. */
  mcp_secret: { request: SetMcpSecret; reply: McpItem; event: never };
  /** Trusts a server as it was shown. */
  mcp_trust: { request: TrustMcp; reply: McpItem; event: never };
  /** Starts or reaches a server and asks what it offers; its fingerprint counts as seen, not as trusted. */
  mcp_test: { request: TestMcp; reply: McpTested; event: never };
  /** Servers that a trusted project's files name. */
  mcp_found: { request: ProjectRef; reply: Array<McpFound>; event: never };
  /** What the trusted servers of a conversation's place have to read, and what of it is kept. It asks them. */
  mcp_resources: { request: ConversationRef; reply: Array<ServerResources>; event: never };
  /** What one of it says now. */
  mcp_resource: { request: ResourceRef; reply: ResourceText; event: never };
  /** Keeps one for the conversation as it was shown, as data. */
  mcp_resource_keep: { request: KeepResource; reply: MemoryLine; event: never };
  /** Lines that models want to be remembered, oldest first. */
  inbox_list: { request: ToolsAt; reply: Array<InboxItem>; event: never };
  /** Takes one into memory. */
  inbox_accept: { request: AcceptInbox; reply: MemoryLine; event: never };
  /** Does not want one. */
  inbox_dismiss: { request: InboxRef; reply: null; event: never };
  /** What is known beside the conversations, by store, and what a chat makes of it. */
  context_get: { request: ContextRef; reply: ContextView; event: never };
  /** From now on a key of the app's context says this, for every program on the data folder. */
  context_put: { request: PutContext; reply: null; event: never };
  /** Nothing is known of a key any more. */
  context_remove: { request: RemoveContext; reply: null; event: never };
  /** Forgets all volatile context but where the person works. */
  context_clear: { request: ContextRef; reply: null; event: never };
  /** Loads rules and layers anew. */
  context_refresh: { request: ContextRef; reply: ContextView; event: never };
  /** Makes a checkpoint now. */
  checkpoint_create: { request: CreateCheckpoint; reply: CheckpointItem; event: never };
  /** Checkpoints of a project, the newest first. */
  checkpoint_list: { request: ListCheckpoints; reply: CheckpointList; event: never };
  /** One checkpoint. */
  checkpoint_get: { request: CheckpointRef; reply: CheckpointDetail; event: never };
  /** Gives a checkpoint another name, or lets it stay whatever the rules say. */
  checkpoint_change: { request: ChangeCheckpoint; reply: null; event: never };
  /** Deletes checkpoints for ever. */
  checkpoint_delete: { request: CheckpointRefs; reply: null; event: never };
  /** What is different between two checkpoints, or a checkpoint and now. */
  checkpoint_diff: { request: CompareCheckpoints; reply: CheckpointDiff; event: never };
  /** One file at two moments. */
  checkpoint_file_diff: { request: CompareFile; reply: FileTexts; event: never };
  /** What a restore would do; nothing is done. */
  checkpoint_plan: { request: PlanRestore; reply: RestorePlan; event: never };
  /** The texts of a file of a plan that can be merged. */
  checkpoint_merge: { request: PlannedFileRef; reply: MergeTexts; event: never };
  /** Carries a plan out, or goes on with one that was cut off. */
  checkpoint_restore: { request: RunRestore; reply: Restored; event: never };
  /** Undoes the last restore of a project. */
  checkpoint_undo: { request: ProjectRef; reply: Restored; event: never };
  /** Shows a conversation as it stood at a checkpoint, to go on from there; no file is touched. */
  checkpoint_continue: { request: CheckpointRef; reply: ConversationRef; event: never };
  /** The files that a turn changed, or that are different in a copy of a project. */
  changes_get: { request: ChangesOf; reply: TurnChanges; event: never };
  /** The same with the differences, and how they stand in today's files. */
  changes_review: { request: ReviewChanges; reply: TurnReview; event: never };
  /** Takes back what was changed, or pieces of it; undone as every restore. */
  changes_take_back: { request: TakeBackChanges; reply: Restored; event: never };
  /** What taking over the changes of a copy would do to the project; carried out as every restore is. */
  copy_plan: { request: ProjectRef; reply: RestorePlan; event: never };
  /** Lets old checkpoints go by rules, or says which would go. */
  checkpoint_clean: { request: CleanCheckpoints; reply: Cleaned; event: never };
  /** Reads everything that checkpoints hold, and names what is damaged. */
  checkpoint_verify: { request: null; reply: Verified; event: never };
  /** Finds again what can be found of what is damaged or missing. */
  checkpoint_repair: { request: null; reply: Verified; event: never };
  /** Checkpoints of other programs, the latest first. */
  checkpoint_foreign_list: { request: ProjectRef; reply: Array<ForeignItem>; event: never };
  /** Takes one of them over. */
  checkpoint_foreign_import: { request: ImportForeign; reply: ImportedCheckpoint; event: never };
  /** Places beyond this computer that checkpoints are pushed to. */
  remote_list: { request: null; reply: Array<RemoteItem>; event: never };
  /** Adds one: joins what is there with its passphrase, or begins with it. */
  remote_add: { request: AddRemote; reply: RemoteItem; event: never };
  /** When checkpoints go to one without being asked for. */
  remote_sync: { request: SetSync; reply: RemoteItem; event: never };
  /** Forgets one and what opens it; what is on it stays. */
  remote_remove: { request: RemoteRef; reply: null; event: never };
  /** Asks one what it keeps, and whether the key here opens it. */
  remote_test: { request: RemoteRef; reply: RemoteTested; event: never };
  /** The checkpoints on one, the newest first. */
  remote_checkpoints: { request: RemoteRef; reply: Array<RemoteCheckpoint>; event: never };
  /** Cancels a push or pull. */
  remote_cancel: { request: CancelCarrying; reply: null; event: never };
  /** Where the checkpoints of a project are kept, and folders of others in it. */
  checkpoint_place: { request: ProjectRef; reply: CheckpointPlace; event: never };
  /** Stops the first copy; there is none then. */
  checkpoint_place_cancel: { request: ProjectRef; reply: null; event: never };
  /** Takes over what a folder of checkpoints holds that this computer did not write. */
  checkpoint_place_take: { request: TakeFolder; reply: TakenFolder; event: never };
  /** How far checkpoints are sealed. */
  checkpoint_sealing: { request: null; reply: CheckpointSealing; event: never };
  /** Stops sealing what exists, or opening it; it can go on later. */
  checkpoint_seal_cancel: { request: null; reply: null; event: never };
  /** Sets the recovery passphrase of sealed checkpoints, and shows it this once. */
  checkpoint_recovery_set: { request: SetRecovery; reply: RecoveryShown; event: never };
  /** Opens sealed checkpoints with the kept key or with the recovery passphrase. */
  checkpoint_unlock: { request: UnlockCheckpoints; reply: CheckpointSealing; event: never };
  /** The files that agents read, and whether memory is kept in them. */
  share_list: { request: ProjectRef; reply: Array<SharedFile>; event: never };
  /** What such files would say. Nothing is written. */
  share_look: { request: LookShare; reply: Array<SharePlan>; event: never };
  /** Writes them as they were shown, and follows from now on what memory says. */
  share_write: { request: WriteShare; reply: Array<SharedFile>; event: never };
  /** The summaries of a conversation, and how it is told. */
  summary_list: { request: ConversationRef; reply: SummaryPanel; event: never };
  /** One summary. */
  summary_get: { request: SummaryRef; reply: Summary; event: never };
  /** Summarises in the background what can be summarised now. */
  summary_run: { request: ConversationRef; reply: null; event: never };
  /** Stops the summary that is being made. */
  summary_cancel: { request: ConversationRef; reply: null; event: never };
  /** A new version of a summary, in the person's words. */
  summary_edit: { request: EditSummary; reply: Summary; event: never };
  /** Makes a summary once more in the background, as a new version. */
  summary_retry: { request: SummaryRef; reply: null; event: never };
  /** A summary of the same messages at another rate, which stands for nothing until it is adopted. */
  summary_try: { request: TrySummary; reply: Summary; event: never };
  /** Stops the summary that is being tried. */
  summary_try_cancel: { request: ConversationRef; reply: null; event: never };
  /** The next fold in sentences that are chosen without a model, at any rate; none where nothing can be folded. A newer one stops it. */
  summary_sketch: { request: SketchFold; reply: FoldSketch | null; event: never };
  /** Takes a candidate or an older version as the newest one. */
  summary_adopt: { request: SummaryRef; reply: Summary; event: never };
  /** Takes the newest summary of the shown path back: what held before it holds again. */
  summary_undo: { request: SummaryRef; reply: SummaryPanel; event: never };
  /** What a summary keeps of its messages, leaves behind and claims without support. */
  summary_check: { request: SummaryRef; reply: FoldCheck; event: never };
  /** Keeps a fact with a summary, as a new version. */
  summary_keep: { request: KeepFact; reply: Summary; event: never };
  /** Drops a fact that goes with a summary, as a new version. */
  summary_drop: { request: KeepFact; reply: Summary; event: never };
  /** Changes how a conversation is told. */
  folding_set: { request: SetFolding; reply: SummaryPanel; event: never };
  /** What the next message would send. */
  request_preview: { request: PreviewRequest; reply: RequestView; event: never };
  /** What was sent for a reply, rebuilt from its manifest. */
  request_sent: { request: TurnRef; reply: SentRequestView; event: never };
  /** What was sent with one call of the model within a turn. */
  call_sent: { request: CallRef; reply: SentRequestView; event: never };
  /** Sends the messages themselves in a summary's place, or the summary again. */
  summary_unfold: { request: UnfoldSummary; reply: null; event: never };
  /** What the next fold would be and cost; nothing changes until it is adopted. */
  summary_preview: { request: ConversationRef; reply: FoldPreview; event: never };
  /** Makes a message durable and asks the model, or queues it while a reply is on its way. */
  send: { request: SendMessage; reply: Sent; event: never };
  /** Asks again with another text; the old message stays as a sibling. */
  edit: { request: EditMessage; reply: Sent; event: never };
  /** Another reply to the same question; the old one stays as a sibling. */
  regenerate: { request: Regenerate; reply: Sent; event: never };
  /** Goes on where an interrupted reply stopped. */
  continue_reply: { request: MessageRef; reply: Sent; event: never };
  /** Stops the reply of a conversation; what came is kept. */
  stop: { request: ConversationRef; reply: null; event: never };
  /** Takes a waiting message out of the queue. */
  unqueue: { request: MessageRef; reply: null; event: never };
  /** Asks a model for a plan of what is to be done; nothing is kept of it. */
  tree_create: { request: CreateTree; reply: ExecutionTree; event: never };
  /** Carries a plan out. */
  tree_run: { request: RunTree; reply: Sent; event: never };
  /** Goes on with a plan that waits: the same task again, or the next one where that is done. */
  tree_go_on: { request: ProjectRef; reply: Sent; event: never };
  /** Carries a plan out no further; what is on its way for it is stopped. */
  tree_stop: { request: ProjectRef; reply: Workflow; event: never };
  /** Asks a model whether an answer did what its task demands. */
  turn_evaluate: { request: TurnRef; reply: Evaluation; event: never };
  /** Cancels a running probe. */
  project_probe_cancel: { request: CancelProbe; reply: null; event: never };
  /** Opens a folder with the person's answer about trust. */
  project_open: { request: OpenProject; reply: Project; event: never };
  /** Folders that were opened, the last one first. */
  project_list: { request: null; reply: Array<Project>; event: never };
  /** One project. */
  project_get: { request: ProjectRef; reply: Project; event: never };
  /** Changes the person's answer about trust. */
  project_trust: { request: TrustProject; reply: Project; event: never };
  /** Says whether the project's conversations ask this computer alone. */
  project_reach: { request: ReachProject; reply: Project; event: never };
  /** Says which files of the project never enter a request, an index or a checkpoint. */
  project_exclude: { request: ExcludeFiles; reply: Project; event: never };
  /** What goes when a project is forgotten. */
  project_holds: { request: ProjectRef; reply: ProjectHolds; event: never };
  /** Forgets a folder with what is kept of it; its conversations and its files stay. */
  project_forget: { request: ProjectRef; reply: null; event: never };
  /** How copies can be made of a project, and where. */
  copy_place: { request: ProjectRef; reply: CopyPlace; event: never };
  /** Cancels the making of a copy. */
  copy_cancel: { request: CancelCopy; reply: null; event: never };
  /** What there is in a copy that would go with it. */
  copy_holds: { request: ProjectRef; reply: CopyHolds; event: never };
  /** Removes a copy with its folder. What it held last is kept in a checkpoint of the project that it is of. */
  copy_remove: { request: ProjectRef; reply: CopyRemoved; event: never };
  /** The text of a file of the project, for reading. */
  project_file: { request: ReadProjectFile; reply: ProjectFile; event: never };
  /** Opens the sample project with its recorded conversation; makes what of it is not there. */
  sample_open: { request: null; reply: SampleOpened; event: never };
  /** Version, folders, languages and what start-up found. */
  app_info: { request: null; reply: AppInfo; event: never };
  /** The backups, the newest first; also while the database cannot be opened. */
  backup_list: { request: null; reply: Array<Backup>; event: never };
  /** Makes a backup while everything goes on. */
  backup_create: { request: null; reply: Backup; event: never };
  /** What going back to a backup would change. */
  backup_plan: { request: RestoreBackup; reply: BackupPlan; event: never };
  /** Goes back to a backup: what is there is backed up first, or moved aside when it cannot be opened. */
  backup_restore: { request: RestoreBackup; reply: null; event: never };
  /** Deletes backups. */
  backup_delete: { request: DeleteBackups; reply: null; event: never };
  /** What could be read of a damaged database, alone and with the newest backup; changes nothing. */
  salvage_plan: { request: null; reply: SalvagePlan; event: never };
  /** Puts what can be read of a damaged database in its place; that one is moved aside and kept. */
  salvage_run: { request: RunSalvage; reply: Salvage; event: never };
  /** Begins with an empty database; a damaged one is moved aside and kept, and backups stay. */
  data_start_anew: { request: null; reply: null; event: never };
  /** The settings. */
  settings_get: { request: null; reply: Settings; event: never };
  /** Stores all settings. */
  settings_set: { request: Settings; reply: Settings; event: never };
  /** Moves to the trash. */
  conversation_delete: { request: ConversationRef; reply: null; event: never };
  /** Deletes a trashed conversation for ever. */
  conversation_purge: { request: ConversationRef; reply: Traces; event: never };
  /** What deleting it for ever would not reach. */
  conversation_traces: { request: ConversationRef; reply: Traces; event: never };
  /** How this copy of the program stands to newer versions. Nothing leaves. */
  update_status: { request: null; reply: UpdateState; event: never };
  /** Asks once whether there is a newer version, and says what would be fetched. */
  update_look: { request: null; reply: UpdateLooked; event: never };
  /** Cancels the download of a package. */
  update_cancel: { request: CancelUpdate; reply: null; event: never };
  /** Puts a package that was fetched and verified in the program's place, or says what the person has to run. */
  update_install: { request: InstallUpdate; reply: Installed; event: never };
  /** Keeps what is new in the folders that were agreed to, and understands it. */
  vault_scan: { request: ScanVault; reply: VaultScanned; event: VaultEvent };
  /** Reads every byte that is kept, and compares it with its hash. */
  vault_verify: { request: VerifyVault; reply: VaultVerified; event: VaultEvent };
  /** Imports every conversation of an export that was opened and is not there already. */
  conversation_import_all: { request: ImportAll; reply: ImportedAll; event: ImportEvent };
  /** Seals checkpoints from now on, and all that exist; goes on with what was cut off. */
  checkpoint_seal: { request: SealCheckpoints; reply: CheckpointSealing; event: SealEvent };
  /** Seals checkpoints no longer, and opens all that exist; goes on with what was cut off. */
  checkpoint_unseal: { request: null; reply: CheckpointSealing; event: SealEvent };
  /** Keeps a copy of the checkpoints of a project in its own folder, or none any more. */
  checkpoint_place_set: { request: SetPlace; reply: CheckpointPlace; event: CopyEvent };
  /** Sends the checkpoints of a project that a remote lacks. */
  checkpoint_push: { request: PushCheckpoints; reply: Carried; event: CarryEvent };
  /** Fetches checkpoints of a remote into a project; nothing is overwritten. */
  checkpoint_pull: { request: PullCheckpoints; reply: Carried; event: CarryEvent };
  /** Follows the reply of a conversation until nothing is on its way any more. */
  turn_watch: { request: ConversationRef; reply: null; event: TurnEvent };
  /** Looks through a folder and says what it would bring. */
  project_probe: { request: ProbeProject; reply: ProbeView; event: ProbeEvent };
  /** Makes a copy of a project beside it, and opens that. */
  copy_create: { request: CreateCopy; reply: Project; event: CopyMade };
  /** Fetches the package of the newer version that was shown, and verifies it. */
  update_get: { request: GetUpdate; reply: UpdateState; event: UpdateEvent };
  /** Asks for a folder with the system's dialog. */
  pick_folder: { request: null; reply: string | null; event: never };
  /** Asks for a file of certificates with the system's dialog. */
  pick_certificates: { request: null; reply: string | null; event: never };
  /** Asks where to, and writes an export there; gives the path. */
  export_to_file: { request: ExportConversation; reply: SavedFile | null; event: never };
  /** Asks for a file and imports it, or opens it where it holds many conversations. */
  import_from_file: { request: null; reply: FileImported | null; event: never };
  /** Asks where to, and writes a checkpoint there as one file; gives the path. */
  checkpoint_export: { request: ExportCheckpoint; reply: SavedFile | null; event: never };
  /** Asks for such a file and takes the checkpoint over. */
  checkpoint_import: { request: ImportCheckpoint; reply: ImportedCheckpoint | null; event: never };
  /** Asks for pictures and PDF files with the system's dialog, and attaches them. */
  attachment_pick: { request: ConversationRef; reply: Array<Attached>; event: never };
  /** Attaches files that were dropped on the window just now, and no others. */
  attachment_drop: { request: DropFiles; reply: Array<Attached>; event: never };
  /** Opens an address outside, after the person saw it and agreed; http, https and mailto only. */
  open_link: { request: OpenLink; reply: null; event: never };
  /** Opens the data folder in the system's file manager. */
  open_data_folder: { request: null; reply: null; event: never };
  /** A notification of the system, when the window is in the background. */
  notify: { request: Notify; reply: null; event: never };
}

// Written by siltstone-contract from its table of commands; `make bindings` renews it. Do not edit.

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

export type CancelProbe = { 
/**
 * As given to the probe.
 */
probe_id: string, };

export type Changed = { 
/**
 * What went stale.
 */
topics: Array<Topic>, };

export type ChooseModel = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The choice; `None` follows the default.
 */
choice: DefaultModel | null, };

export type Code = "bad_request" | "not_found" | "conflict" | "disk_full" | "read_only" | "busy" | "damaged" | "newer_data" | "io" | "not_a_folder" | "outside_project" | "not_text" | "cancelled" | "trust_unanswered" | "import_unreadable" | "provider_unreachable" | "provider_not_local" | "provider_insecure" | "provider_timed_out" | "reply_cut" | "rate_limited" | "key_refused" | "no_credit" | "key_missing" | "keyring_locked" | "keyring_absent" | "keyring_timed_out" | "vault_locked" | "vault_wrong_passphrase" | "model_not_found" | "context_overflow" | "provider_trouble" | "provider_refused" | "provider_malformed" | "internal";

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
 * The turn whose reply is on its way.
 */
open_turn: TurnId | null, };

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
total: number, };

export type ConversationRef = { 
/**
 * The conversation.
 */
id: ConversationId, };

export type CreateConversation = { 
/**
 * The project it belongs to, if any.
 */
project_id: ProjectId | null, };

export type DataState = { "state": "open" } | { "state": "damaged", 
/**
 * What is wrong.
 */
detail: string, 
/**
 * File names of backups, newest first.
 */
backups: Array<string>, } | { "state": "newer", 
/**
 * What was found.
 */
detail: string, } | { "state": "unavailable", 
/**
 * What the system said.
 */
detail: string, };

export type DefaultModel = { 
/**
 * Name of the provider.
 */
provider: string, 
/**
 * Id of the model.
 */
model: string, };

export type EditMessage = { 
/**
 * The person's message.
 */
id: MessageId, 
/**
 * The new text.
 */
text: string, };

export type ExportConversation = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The form.
 */
format: ExportFormat, };

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
hint: string, };

export type FolderOffered = { 
/**
 * Its path.
 */
path: string, };

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

export type LeftOut = { 
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
why: LeftOutWhy, };

export type LeftOutWhy = "no_room" | "untrusted" | "unreadable" | "duplicate";

export type ListConversations = { 
/**
 * Only of this project.
 */
project_id: ProjectId | null, 
/**
 * The trash instead of the living.
 */
trashed: boolean, };

export type Located = { 
/**
 * Its conversation.
 */
conversation_id: ConversationId, 
/**
 * Its place on the shown path.
 */
index: number, };

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
 * Why it was there.
 */
reason: Reason, 
/**
 * The messages it showed.
 */
messages: Array<MessageId>, 
/**
 * BLAKE3 of the text, hexadecimal.
 */
hash: string, };

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
 * For replies: what the provider counted.
 */
usage: Usage | null, 
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

export type ModelInfo = { 
/**
 * The name to ask for.
 */
id: string, 
/**
 * Tokens that request and reply may have together, when the server says so.
 */
context_window: number | null, 
/**
 * Whether it reads pictures, when that is known.
 */
takes_images: boolean | null, 
/**
 * Whether it reads PDF files, when that is known.
 */
takes_files: boolean | null, 
/**
 * What the server asks for it, when it says so.
 */
price: Price | null, };

export type Notify = { 
/**
 * First line.
 */
title: string, 
/**
 * Second line.
 */
body: string, };

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
trust: Trust | null, };

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
tokens: number, } | { "type": "tool_call", 
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
arguments: string, } | { "type": "tool_result", 
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
is_error: boolean, } | { "type": "reasoning", 
/**
 * The thought; empty when the provider keeps it to itself.
 */
text: string, 
/**
 * What the provider wants back with it.
 */
seal: Seal | null, };

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

export type PreviewRequest = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * What is in the composer.
 */
draft: string, };

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

export type Probe = { 
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

export type ProbeWarning = "home" | "root" | "network" | "too_many_files" | "unreadable";

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
 * When it was last opened.
 */
opened_at: string, };

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

export type ProjectId = string;

export type ProjectRef = { 
/**
 * The project.
 */
id: ProjectId, };

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
needs_key: boolean, };

export type ProviderKind = "offline" | "openai" | "anthropic" | "gemini" | "ollama";

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
 * format has no version and ends with the port.
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

export type ReadProjectFile = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * Path relative to the project, with `/`.
 */
path: string, };

export type Reason = { "code": "base" } | { "code": "project_rule" } | { "code": "found", 
/**
 * Place in the ranking.
 */
rank: number, } | { "code": "recent" } | { "code": "draft" } | { "code": "continue" };

export type RecogniseKey = { 
/**
 * As it was pasted.
 */
key: Secret, };

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
 * The provider that would be asked.
 */
provider: string, 
/**
 * The model that would be asked.
 */
model: string, };

export type RestoreBackup = { 
/**
 * File name inside the backups folder.
 */
name: string, };

export type Role = "system" | "user" | "assistant" | "tool";

export type SaveDraft = { 
/**
 * The conversation.
 */
id: ConversationId, 
/**
 * The text.
 */
text: string, };

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
messages: Array<MessageId>, };

export type SectionKind = "instructions" | "memory" | "passage" | "turn" | "draft";

export type SendMessage = { 
/**
 * The conversation.
 */
conversation_id: ConversationId, 
/**
 * The text.
 */
text: string, };

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
budget: number, };

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
keys: { [key in string]: string }, };

export type Siblings = { 
/**
 * Zero-based place of the shown one.
 */
position: number, 
/**
 * All of them, oldest first.
 */
ids: Array<MessageId>, };

export type SnippetPart = { 
/**
 * The text.
 */
text: string, 
/**
 * Whether it is what was searched for.
 */
hit: boolean, };

export type Theme = "system" | "light" | "dark";

export type TitleSource = "unset" | "derived" | "person";

export type Topic = { "type": "all" } | { "type": "conversations" } | { "type": "conversation", 
/**
 * Which.
 */
id: ConversationId, } | { "type": "projects" } | { "type": "settings" } | { "type": "providers" };

export type Trust = "trusted" | "untrusted";

export type TrustProject = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * The new answer.
 */
trust: Trust, };

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
reasoning: string, } | { "type": "text", 
/**
 * The addition.
 */
text: string, } | { "type": "reasoning", 
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

export type TurnStatus = "open" | "completed" | "interrupted" | "failed";

export type UnlockVault = { 
/**
 * As it was typed; at least eight characters for a new file.
 */
passphrase: Secret, };

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

export type VaultState = "absent" | "locked" | "unlocked";

/** Every command: what it takes, what it gives, and what it streams meanwhile. */
export interface Commands {
  /** Version, folders, languages and what start-up found. */
  app_info: { request: null; reply: AppInfo; event: never };
  /** Puts a backup in the place of a damaged database; the damaged one is moved aside. */
  backup_restore: { request: RestoreBackup; reply: null; event: never };
  /** Begins with an empty database; a damaged one is moved aside and kept, and backups stay. */
  data_start_anew: { request: null; reply: null; event: never };
  /** The settings. */
  settings_get: { request: null; reply: Settings; event: never };
  /** Stores all settings. */
  settings_set: { request: Settings; reply: Settings; event: never };
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
  /** Forgets a folder; its conversations stay. */
  project_forget: { request: ProjectRef; reply: null; event: never };
  /** The text of a file of the project, for reading. */
  project_file: { request: ReadProjectFile; reply: ProjectFile; event: never };
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
  /** Gives a title. */
  conversation_rename: { request: RenameConversation; reply: null; event: never };
  /** Pins or unpins. */
  conversation_pin: { request: PinConversation; reply: null; event: never };
  /** Chooses provider and model for this conversation. */
  conversation_model: { request: ChooseModel; reply: null; event: never };
  /** Keeps what is in the composer. */
  conversation_draft: { request: SaveDraft; reply: null; event: never };
  /** Moves to the trash. */
  conversation_delete: { request: ConversationRef; reply: null; event: never };
  /** Takes out of the trash. */
  conversation_restore: { request: ConversationRef; reply: null; event: never };
  /** Deletes a trashed conversation for ever. */
  conversation_purge: { request: ConversationRef; reply: null; event: never };
  /** The conversation as text. */
  conversation_export: { request: ExportConversation; reply: ExportedText; event: never };
  /** A conversation from text that was exported. */
  conversation_import: { request: ImportConversation; reply: ConversationItem; event: never };
  /** Full-text search over messages. */
  search: { request: Search; reply: SearchHits; event: never };
  /** Makes a message durable and asks the model, or queues it while a reply is on its way. */
  send: { request: SendMessage; reply: Sent; event: never };
  /** Asks again with another text; the old message stays as a sibling. */
  edit: { request: EditMessage; reply: Sent; event: never };
  /** Another reply to the same question; the old one stays as a sibling. */
  regenerate: { request: MessageRef; reply: Sent; event: never };
  /** Goes on where an interrupted reply stopped. */
  continue_reply: { request: MessageRef; reply: Sent; event: never };
  /** Stops the reply of a conversation; what came is kept. */
  stop: { request: ConversationRef; reply: null; event: never };
  /** Takes a waiting message out of the queue. */
  unqueue: { request: MessageRef; reply: null; event: never };
  /** Shows the newest path through this message. */
  branch_switch: { request: MessageRef; reply: null; event: never };
  /** What the next message would send. */
  request_preview: { request: PreviewRequest; reply: RequestView; event: never };
  /** What was sent for a reply, rebuilt from its manifest. */
  request_sent: { request: TurnRef; reply: SentRequestView; event: never };
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
  /** Where keys can go. */
  key_state: { request: null; reply: KeysState; event: never };
  /** The provider whose keys begin like this one, to be suggested. */
  key_recognise: { request: RecogniseKey; reply: ProviderRecord | null; event: never };
  /** Keeps a provider's key at the chosen place, instead of the earlier one. */
  key_set: { request: SetKey; reply: KeyShown; event: never };
  /** Forgets a provider's key. */
  key_remove: { request: ProviderRef; reply: null; event: never };
  /** Lets the system ask the person to open its keyring; answers when that is done. */
  keyring_unlock: { request: null; reply: KeysState; event: never };
  /** Opens the encrypted file; makes it with this passphrase when there is none. */
  vault_unlock: { request: UnlockVault; reply: KeysState; event: never };
  /** Deletes the encrypted file with every key in it. */
  vault_discard: { request: null; reply: KeysState; event: never };
  /** Looks through a folder and says what it would bring. */
  project_probe: { request: ProbeProject; reply: Probe; event: ProbeEvent };
  /** Follows the reply of a conversation until nothing is on its way any more. */
  turn_watch: { request: ConversationRef; reply: null; event: TurnEvent };
  /** Asks for a folder with the system's dialog. */
  pick_folder: { request: null; reply: string | null; event: never };
  /** Asks where to, and writes an export there; gives the path. */
  export_to_file: { request: ExportConversation; reply: string | null; event: never };
  /** Asks for a file and imports it. */
  import_from_file: { request: null; reply: ConversationItem | null; event: never };
  /** Opens an address outside, after the person saw it and agreed; http, https and mailto only. */
  open_link: { request: OpenLink; reply: null; event: never };
  /** Opens the data folder in the system's file manager. */
  open_data_folder: { request: null; reply: null; event: never };
  /** A notification of the system, when the window is in the background. */
  notify: { request: Notify; reply: null; event: never };
}

// What the fake keeps: a disk, projects, conversation trees, providers, settings. In memory, and as
// strict as the real host: unknown ids fail, a conversation answers one question at a time.
import type {
  Attached,
  AttachmentBytes,
  Code,
  ConversationId,
  DataState,
  DefaultModel,
  Failure,
  Folding,
  FoundServer,
  KeyringState,
  LeftOut,
  LocalEmbedder,
  MessageId,
  MessageItem,
  ModelInfo,
  PersistenceKind,
  Place,
  Project,
  ProjectId,
  ProviderRecord,
  QueuedMessage,
  Section,
  Settings,
  Summary,
  TitleSource,
  Topic,
  Tuning,
  TurnEvent,
  Wish,
  TurnId,
  VaultState,
} from "../bindings";
import type { CheckpointState } from "./checkpoints";
import type { RemoteState } from "./remotes";
import type { StoredRequest } from "./egress";
import type { MemoryState } from "./memory";
import type { Kept } from "./backups";
import type { PlaceStates } from "./places";
import type { SealingState } from "./sealing";
import type { FakeSession } from "./sessions";
import type { FakeStep, ToolState } from "./tools";

export interface FakeFolder {
  files: Record<string, string>;
  branch?: string;
  neverSent?: string[];
  warnings?: import("../bindings").ProbeWarning[];
  /** What it asks programs to run. */
  effects?: import("../bindings").Effect[];
}

export interface FakeOptions {
  folders?: Record<string, FakeFolder>;
  /** Files of global memory by their paths. */
  globalMemory?: Record<string, string>;
  servers?: FoundServer[];
  /** Models that make vectors, by their providers, and in the data folder. */
  embedders?: Record<string, string[]>;
  localEmbedders?: LocalEmbedder[];
  /** Services elsewhere that answer to this key alone. */
  hosted?: { base_url: string; key: string; models: ModelInfo[] }[];
  /** What a model answers; the offline one quotes. */
  reply?: (question: string) => string;
  /** What it makes of a stretch of a conversation that is to become so long; a thrown failure is its own. */
  summarise?: (original: string, target: number) => string;
  /** What it does with tools before that, reply by reply. */
  steps?: (question: string) => FakeStep[];
  /** What it thinks before that. */
  thought?: (question: string) => string;
  /** Between two words of a reply, and between two steps of a probe. */
  delayMs?: number;
  data?: DataState;
  backups?: Kept[];
  startPath?: string;
  language?: "ko" | "en";
  settings?: Partial<Settings>;
  keyring?: KeyringState;
  keyringRefuses?: boolean;
  vault?: VaultState;
  /** What opens the vault, when there is one from the start. */
  passphrase?: string;
  /** What the system's folder dialog answers. */
  picks?: string | null;
  /** What its dialog for certificates answers. */
  picksCertificates?: string;
  /** Files outside of folders, in base64: what can be dropped. */
  disk?: Record<string, string>;
  /** Which of them the system's dialog for attachments answers. */
  picksFiles?: string[];
  /** Shift of the clock, for older conversations. */
  now?: () => number;
}

export type StoredMessage = Omit<MessageItem, "index" | "siblings">;

export interface StoredConversation {
  id: ConversationId;
  project_id: string | null;
  title: string;
  title_source: TitleSource;
  pinned: boolean;
  deleted_at: string | null;
  updated_at: string;
  draft: string;
  attachments: Attached[];
  tuning: Tuning;
  folding: Folding;
  /** What the person wants of single sections, by their ids. */
  wishes: Map<string, Wish>;
  summaries: Summary[];
  /** Summaries at another rate that nobody has adopted. */
  candidates: Summary[];
  /** Whether a candidate is being made. */
  trying: boolean;
  /** What came so far of the summary that is being made. */
  writing: string;
  queued: QueuedMessage[];
  choice: DefaultModel | null;
  open_turn: TurnId | null;
  /** The chosen child of each message; "" stands for the root. */
  chosen: Map<MessageId, MessageId>;
  messages: Map<MessageId, StoredMessage>;
}

export interface StoredTurn {
  id: TurnId;
  conversation_id: ConversationId;
  reply_id: MessageId;
  opened_at: string;
  provider: string;
  model: string;
  tuning: Tuning;
  sections: Section[];
  left_out: LeftOut[];
  stopped: boolean;
}

export interface StoredKey {
  key: string;
  place: Place;
}

export interface State {
  options: FakeOptions;
  data: DataState;
  settings: Settings;
  projects: Map<string, Project>;
  conversations: Map<ConversationId, StoredConversation>;
  turns: Map<TurnId, StoredTurn>;
  providers: ProviderRecord[];
  keys: {
    keyring: KeyringState;
    /** It is open and takes no key. */
    refuses: boolean;
    vault: VaultState;
    passphrase: string;
    /** Both by name and origin of the provider. */
    session: Map<string, StoredKey>;
    kept: Map<string, StoredKey>;
  };
  /** What left, oldest first. */
  egress: StoredRequest[];
  /** Up to where each month may go on, in millionths of a dollar. */
  allowed: Map<string, number>;
  /** The sample's conversation by language. */
  samples: Map<string, ConversationId>;
  /** What is known beside the conversations, and what of the volatile was told; by project, "" stands for none. */
  contexts: Map<string, Record<PersistenceKind | "told", Map<string, string>>>;
  /** Attached bytes by their hash. */
  blobs: Map<string, AttachmentBytes>;
  watchers: Map<ConversationId, Set<(event: TurnEvent) => void>>;
  cancelled: Set<string>;
  memory: MemoryState;
  checkpoints: CheckpointState;
  remotes: RemoteState;
  places: PlaceStates;
  sealing: SealingState;
  /** The newest first. */
  backups: Kept[];
  sessions: Map<ProjectId, FakeSession>;
  tools: ToolState;
  opened: string[];
  emit: (...topics: Topic[]) => void;
}

export const BUDGET = 8_000;

export function failure(code: Code, message: string): Failure {
  return { code, message, hint: "" };
}

export function isFailure(thrown: unknown): thrown is Failure {
  return typeof thrown === "object" && thrown !== null && "code" in thrown;
}

let counter = 0;

export function newId(): string {
  counter += 1;
  return `00000000-0000-7000-8000-${String(counter).padStart(12, "0")}`;
}

export function now(state: State): string {
  return new Date(state.options.now?.() ?? Date.now()).toISOString();
}

/** Hangul costs about a token for two characters, everything else one for four. */
export function tokensOf(text: string): number {
  const hangul = (text.match(/[가-힣]/g) ?? []).length;
  return Math.ceil(hangul / 2 + (text.length - hangul) / 4);
}

export function pause(state: State, factor = 1): Promise<void> {
  return new Promise((done) => setTimeout(done, (state.options.delayMs ?? 0) * factor));
}

export function conversationOf(state: State, id: ConversationId): StoredConversation {
  const found = state.conversations.get(id);
  if (!found) throw failure("not_found", `conversation ${id}`);
  return found;
}

/** Whom a conversation asks. */
export function chosen({ settings }: State, { choice }: StoredConversation): DefaultModel {
  return choice ?? { provider: settings.default_provider, model: settings.default_model };
}

export function findMessage(state: State, id: MessageId): [StoredConversation, StoredMessage] {
  for (const conversation of state.conversations.values()) {
    const message = conversation.messages.get(id);
    if (message) return [conversation, message];
  }
  throw failure("not_found", `message ${id}`);
}

export function textOf(message: Pick<MessageItem, "parts">): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

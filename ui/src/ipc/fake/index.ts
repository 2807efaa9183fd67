// An honest host in memory: the same commands, kept by the same rules, for component tests and for
// running the interface in a plain browser. A command that is missing here does not compile.
import type { Commands, Settings, Topic } from "../bindings";
import type { DragDrop, Transport, Unlisten } from "../transport";
import * as attachments from "./attachments";
import * as checkpoints from "./checkpoints";
import * as context from "./context";
import * as egress from "./egress";
import { find } from "./find";
import * as keys from "./keys";
import * as meaning from "./meaning";
import * as memory from "./memory";
import * as projects from "./projects";
import * as providers from "./providers";
import * as remotes from "./remotes";
import * as sample from "./sample";
import * as backups from "./backups";
import * as places from "./places";
import * as sealing from "./sealing";
import * as sessions from "./sessions";
import * as spending from "./spending";
import { conversationOf, failure, findMessage, now, type FakeOptions, type State } from "./state";
import * as summaries from "./summaries";
import * as tools from "./tools";
import * as tree from "./tree";
import * as turns from "./turns";
import * as wishes from "./wishes";

export type { FakeFolder, FakeOptions } from "./state";

type Handlers = {
  [C in keyof Commands]: (
    request: Commands[C]["request"],
    onEvent: (event: Commands[C]["event"]) => void,
  ) => Commands[C]["reply"] | Promise<Commands[C]["reply"]>;
};

const DEFAULTS: Settings = {
  language: "en",
  theme: "system",
  zoom: 100,
  default_provider: "offline",
  default_model: "offline",
  this_computer_only: false,
  proxy: { by: "system" },
  extra_ca: "",
  prices: {},
  monthly_limit: null,
  notify: true,
  keys: {},
  summary: summaries.DEFAULTS,
  memory: {
    names: [
      "AGENTS.md",
      "CLAUDE.md",
      "GEMINI.md",
      ".gemini/GEMINI.md",
      ".cursor/rules",
      ".goosehints",
      ".clinerules",
    ],
    markers: [".git"],
    strict: false,
  },
  privacy: {
    exclude_patterns: [],
    sanitize_secrets: true,
    encrypt_checkpoints: false,
    local_only: false,
  },
  ...checkpoints.SETTINGS,
  ...tools.SETTINGS,
  ...meaning.SETTINGS,
  tasks: {},
};

export interface Fake extends Transport {
  state: State;
  /** What was asked of the system outside the window: links, notifications, the data folder. */
  opened: string[];
  drag(event: DragDrop): void;
  offer(path: string): void;
}

export function createFake(options: FakeOptions = {}): Fake {
  const changed = listeners<{ topics: Topic[] }>();
  const offered = listeners<{ path: string }>();
  const dragged = listeners<DragDrop>();
  const state: State = {
    options,
    data: options.data ?? { state: "open" },
    settings: { ...DEFAULTS, ...options.settings },
    projects: new Map(),
    conversations: new Map(),
    turns: new Map(),
    providers: [{ name: "offline", kind: "offline", base_url: "" }],
    keys: {
      keyring: options.keyring ?? "unlocked",
      refuses: options.keyringRefuses ?? false,
      vault: options.vault ?? "absent",
      passphrase: options.passphrase ?? "",
      session: new Map(),
      kept: new Map(),
    },
    egress: [],
    allowed: new Map(),
    samples: new Map(),
    contexts: new Map(),
    blobs: new Map(),
    watchers: new Map(),
    cancelled: new Set(),
    memory: memory.fresh(options.globalMemory),
    checkpoints: checkpoints.fresh(),
    remotes: remotes.fresh(),
    places: new Map(),
    sealing: sealing.fresh(),
    backups: options.backups ?? [],
    sessions: new Map(),
    tools: tools.fresh(),
    opened: [],
    emit: (...topics) => queueMicrotask(() => changed.tell({ topics })),
  };
  const handlers = handle(state);
  return {
    state,
    opened: state.opened,
    invoke: async (command, request) => handlers[command](request as never, () => {}),
    stream: async (command, request, onEvent) =>
      handlers[command](request as never, onEvent as never) as never,
    onChanged: changed.on,
    onFolderOffered: offered.on,
    onDragDrop: dragged.on,
    drag: dragged.tell,
    offer: (path) => offered.tell({ path }),
  };
}

function listeners<T>() {
  const all = new Set<(event: T) => void>();
  return {
    on: (listener: (event: T) => void): Unlisten => {
      all.add(listener);
      return () => void all.delete(listener);
    },
    tell: (event: T) => all.forEach((listener) => listener(event)),
  };
}

function handle(state: State): Handlers {
  const touched = (id: string) =>
    state.emit({ type: "conversations" }, { type: "conversation", id });
  const change = (id: string, how: Partial<ReturnType<typeof conversationOf>>): null => {
    Object.assign(conversationOf(state, id), how);
    touched(id);
    return null;
  };
  const set = (settings: Settings): Settings => {
    const { proxy, extra_ca } = settings;
    const usable = proxy.by !== "address" || /^(https?|socks5h?):\/\/[^@/]+$/.test(proxy.url);
    if (!usable) throw failure("proxy_unusable", proxy.url);
    if (extra_ca !== "" && !extra_ca.endsWith(".pem")) throw failure("certificates_unusable", extra_ca);
    const { encrypt_checkpoints } = state.settings.privacy;
    const privacy = { ...settings.privacy, encrypt_checkpoints };
    state.settings = { ...settings, privacy, zoom: Math.min(200, Math.max(50, settings.zoom)) };
    state.emit({ type: "settings" });
    return state.settings;
  };
  return {
    app_info: () => ({
      version: "0.1.0",
      data_dir: "/home/ada/.local/share/siltstone",
      data: state.data,
      system_language: state.options.language ?? "en",
      start_path: state.options.startPath ?? null,
    }),
    data_start_anew: () => {
      state.data = { state: "open" };
      state.emit({ type: "all" });
      return null;
    },
    settings_get: () => state.settings,
    settings_set: set,
    project_probe_cancel: ({ probe_id }) => {
      state.cancelled.add(probe_id);
      return null;
    },
    project_open: (request) => projects.open(state, request),
    project_list: () => [...state.projects.values()].reverse(),
    project_get: ({ id }) => projects.get(state, id),
    project_trust: ({ id, trust }) => {
      const project = { ...projects.get(state, id), trust };
      state.projects.set(id, project);
      state.emit({ type: "projects" });
      return project;
    },
    project_reach: ({ id, this_computer_only }) => {
      const project = { ...projects.get(state, id), this_computer_only };
      state.projects.set(id, project);
      state.emit({ type: "projects" });
      return project;
    },
    project_forget: ({ id }) => {
      projects.get(state, id);
      state.projects.delete(id);
      for (const c of state.conversations.values()) if (c.project_id === id) c.project_id = null;
      state.emit({ type: "projects" }, { type: "conversations" });
      return null;
    },
    project_file: ({ id, path }) => projects.file(state, id, path),
    project_paths: (request) => projects.paths(state, request),
    conversation_list: ({ project_id, trashed }) => tree.list(state, project_id, trashed),
    conversation_create: ({ project_id }) => tree.item(tree.create(state, project_id)),
    conversation_get: ({ id }) => tree.detail(state, id),
    conversation_page: ({ id, start, limit }) => tree.page(state, id, start, limit),
    conversation_locate: ({ id }) => tree.locate(state, id),
    conversation_rename: ({ id, title }) => change(id, { title, title_source: "person" }),
    conversation_pin: ({ id, pinned }) => change(id, { pinned }),
    conversation_model: ({ id, choice }) => change(id, { choice }),
    conversation_draft: ({ id, text }) => {
      conversationOf(state, id).draft = text;
      return null;
    },
    conversation_delete: ({ id }) => change(id, { deleted_at: now(state) }),
    conversation_restore: ({ id }) => change(id, { deleted_at: null }),
    conversation_purge: ({ id }) => {
      if (!conversationOf(state, id).deleted_at) throw failure("conflict", "not in the trash");
      state.conversations.delete(id);
      touched(id);
      return null;
    },
    conversation_export: ({ id, format }) => tree.exported(state, id, format),
    conversation_import: ({ text, name, project_id }) => ({
      item: tree.imported(state, text, name, project_id),
      warnings: [],
    }),
    search: (request) => tree.search(state, request),
    find: (request) => find(state, request),
    conversation_tune: ({ id, tuning }) => change(id, { tuning }),
    attachment_add: (request) => attachments.attach(state, request),
    attachment_pick: ({ id }) => attachments.attachPaths(state, id, state.options.picksFiles ?? []),
    attachment_drop: ({ conversation_id, paths }) => attachments.attachPaths(state, conversation_id, paths),
    attachment_remove: ({ conversation_id, hash }) => attachments.detach(state, conversation_id, hash),
    attachment_read: ({ hash }) => attachments.read(state, hash),
    send: (request) => turns.send(state, request),
    edit: (request) => turns.edit(state, request),
    regenerate: (request) => turns.regenerate(state, request),
    continue_reply: ({ id }) => turns.continueReply(state, id),
    stop: ({ id }) => turns.stop(state, id),
    unqueue: ({ id }) => {
      for (const c of state.conversations.values()) {
        c.queued = c.queued.filter((message) => message.id !== id);
        state.emit({ type: "conversation", id: c.id });
      }
      return null;
    },
    branch_switch: ({ id }) => {
      const [conversation, message] = findMessage(state, id);
      tree.show(conversation, message);
      state.emit({ type: "conversation", id: conversation.id });
      return null;
    },
    request_preview: ({ conversation_id, draft, context }) =>
      turns.preview(state, conversationOf(state, conversation_id), draft, context),
    section_wish: (request) => wishes.set(state, request),
    request_sent: ({ id }) => turns.sentRequest(state, id),
    call_sent: ({ turn_id, node_id }) => turns.sentCall(state, turn_id, node_id),
    summary_list: ({ id }) => summaries.list(state, id),
    summary_get: ({ id }) => summaries.get(state, id),
    summary_run: ({ id }) => summaries.run(state, id),
    summary_cancel: ({ id }) => summaries.cancel(state, id),
    summary_edit: ({ id, text }) => summaries.edit(state, id, text),
    summary_retry: ({ id }) => summaries.retry(state, id),
    summary_unfold: ({ id, unfolded }) => summaries.unfold(state, id, unfolded),
    summary_try: ({ id, rate }) => summaries.attempt(state, id, rate),
    summary_try_cancel: ({ id }) => summaries.cancelAttempt(state, id),
    summary_adopt: ({ id }) => summaries.adopt(state, id),
    summary_undo: ({ id }) => summaries.undo(state, id),
    summary_check: ({ id }) => summaries.check(state, id),
    summary_keep: ({ id, text }) => summaries.keep(state, id, text, true),
    summary_drop: ({ id, text }) => summaries.keep(state, id, text, false),
    summary_preview: ({ id }) => {
      const conversation = conversationOf(state, id);
      return summaries.preview(state, id, turns.preview(state, conversation, conversation.draft));
    },
    folding_set: (request) => summaries.setFolding(state, request),
    project_exclude: ({ id, patterns }) => {
      const project = { ...projects.get(state, id), exclude: patterns };
      state.projects.set(id, project);
      state.emit({ type: "projects" }, { type: "memory" });
      return project;
    },
    memory_layers: (at) => memory.layers(state, at),
    memory_effective: (at) => memory.effective(state, at),
    memory_refresh: (at) => memory.refresh(state, at),
    memory_command: (request) => memory.command(state, request),
    memory_open: (request) => memory.open(state, request),
    memory_save: (request) => memory.save(state, request),
    memory_versions: (request) => memory.versions(state, request),
    memory_version: ({ seq }) => memory.version(state, seq),
    memory_restore: (request) => memory.restore(state, request),
    memory_choose: (request) => memory.choose(state, request),
    memory_draft: ({ id }) => memory.draft(state, id),
    memory_changes: ({ id }) => memory.changes(state, id),
    memory_agree: (request) => memory.agree(state, request),
    memory_add: (request) => memory.add(state, request),
    memory_remove: ({ id }) => memory.remove(state, id),
    memory_undo: ({ id }) => memory.undo(state, id),
    memory_clear: (at) => memory.clear(state, at),
    memory_move: (request) => memory.move(state, request),
    ...checkpoints.handlers(state),
    ...remotes.handlers(state, set),
    ...places.handlers(state),
    ...sealing.handlers(state),
    ...backups.handlers(state),
    ...sessions.handlers(state),
    ...tools.handlers(state),
    ...meaning.handlers(state),
    context_get: ({ project_id }) => context.get(state, project_id),
    context_put: (request) => context.put(state, request),
    context_remove: ({ project_id, kind, key }) => context.remove(state, project_id, kind, key),
    context_clear: ({ project_id }) => context.clear(state, project_id),
    context_refresh: ({ project_id }) => context.get(state, project_id),
    egress_list: (request) => egress.list(state, request),
    egress_body: ({ seq }) => egress.body(state, seq),
    egress_clear: () => {
      state.egress = [];
      return null;
    },
    price_list: () => spending.list(state),
    spending_get: () => spending.get(state),
    spending_allow: () => spending.allow(state),
    sample_open: () => sample.open(state),
    provider_list: () => providers.list(state),
    provider_add: (record) => providers.add(state, record),
    provider_remove: ({ name }) => providers.remove(state, name, set),
    provider_models: ({ name }) => providers.models(state, name),
    provider_discover: () => state.options.servers ?? [],
    provider_default: ({ provider: name, model }) => {
      providers.item(state, name);
      state.emit({ type: "providers" });
      return set({ ...state.settings, default_provider: name, default_model: model });
    },
    key_state: () => keys.where(state),
    key_test: ({ record, key }) => providers.answering(state, record, keys.wellFormed(key)),
    key_recognise: ({ key }) => keys.recognise(key),
    key_set: ({ provider: name, key, place }) => keys.set(state, providers.item(state, name), key, place),
    key_remove: ({ name }) => keys.remove(state, providers.item(state, name)),
    keyring_unlock: () => keys.unlockKeyring(state),
    vault_unlock: ({ passphrase }) => keys.unlockVault(state, passphrase),
    vault_discard: () => keys.discardVault(state),
    project_probe: ({ path, probe_id }, onEvent) => projects.probe(state, path, probe_id, onEvent),
    turn_watch: ({ id }, onEvent) => turns.watch(state, id, onEvent),
    pick_certificates: () => state.options.picksCertificates ?? null,
    pick_folder: () => state.options.picks ?? null,
    export_to_file: ({ id, format }) => `/home/ada/${tree.exported(state, id, format).name}`,
    import_from_file: () => null,
    open_link: ({ url }) => {
      if (!/^(https?:|mailto:)/.test(url)) throw failure("bad_request", url);
      state.opened.push(url);
      return null;
    },
    open_data_folder: () => {
      state.opened.push("data folder");
      return null;
    },
    notify: ({ title, body }) => {
      state.opened.push(`${title}: ${body}`);
      return null;
    },
  };
}

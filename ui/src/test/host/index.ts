// The real program behind the interface, for tests of whole stories: real database, real files, real requests to a model
// server that the test speaks for. What a window has besides (dialogs, links, dragging) is answered here; a single command
// can be made to fail where the real one cannot be brought to it. One is started for each test and ends with it.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { onTestFinished } from "vitest";
import type {
  Attached,
  Changed,
  Command,
  DragDrop,
  EventOf,
  Failure,
  FileImported,
  PathOffered,
  FoundServer,
  ImportedCheckpoint,
  McpTransport,
  MessageItem,
  Place,
  PlainCommand,
  Project,
  ProviderRecord,
  ReplyOf,
  RequestOf,
  SavedFile,
  Settings,
  Transport,
  Trust,
  Unlisten,
} from "@/ipc";
import { elsewhere } from "./elsewhere";
import { filesIn, write, type Files } from "./files";
import { ModelServer, type Listed, type Model } from "./model";
import { makeRoot, Program, type Start, type Surroundings } from "./program";

export { CERTIFICATES } from "./elsewhere";
export { change, copy, ofAgent, remove, zip } from "./files";
export { lock } from "./lock";
export { CUT, latch, Refusal, type Call, type Listed, type Model, type Step } from "./model";
export type { Files } from "./files";
export type { Surroundings } from "./program";

/** The one model of a test that says no more about it. */
export const MODEL = "test-1";

/** What runs programs of tests. */
export const NODE = process.execPath;

/** How a server of tools is started that offers these. */
export function mcp(tools: { name: string; description?: string; annotations?: object }[], instructions = "", notes = ""): McpTransport {
  const args = [join(import.meta.dirname, "mcp.mjs"), JSON.stringify(tools), instructions, notes];
  return { by: "stdio", command: NODE, args, env: {}, secret_env: [], needs: { reads: [], writes: [], network: false } };
}

/** A program that is such a server whatever it is started with, as the text of its file. */
export function mcpProgram(tools: { name: string; description?: string; annotations?: object }[], instructions = ""): string {
  const given = [JSON.stringify(tools), instructions].map((text) => JSON.stringify(text)).join(", ");
  // Whole: a program is let read itself and what lies beside it, and nothing of this folder.
  const program = readFileSync(join(import.meta.dirname, "mcp.mjs"), "utf8");
  return `process.argv.splice(2, Infinity, ${given});\n${program}`;
}

/** The command that starts an agent which does what the question says, line by line; its file says what it knows. */
export function agent(...options: string[]): string {
  const program = join(import.meta.dirname, "../../../../tests/support/acp_agent.py");
  return ["python3", program, ...options].map((word) => `'${word}'`).join(" ");
}

/** A conversation in which the person and a model said these in turn. */
export async function imported(host: Host, said: readonly string[], project_id: string | null = null): Promise<string> {
  const line = (content: string, n: number) => JSON.stringify({ role: n % 2 === 0 ? "user" : "assistant", content });
  const { item } = await host.invoke("conversation_import", { text: said.map(line).join("\n"), name: "said.jsonl", project_id });
  return item.id;
}

/** All of its shown path. */
export async function pathOf(host: Host, id: string): Promise<MessageItem[]> {
  const messages: MessageItem[] = [];
  for (;;) {
    const page = await host.invoke("conversation_page", { id, start: messages.length, limit: 200 });
    messages.push(...page.messages);
    if (page.messages.length === 0 || messages.length >= page.total) return messages;
  }
}

export interface HostOptions extends Start {
  /** Folders by their paths, as a person would have them; they are made below the test's own. */
  folders?: Record<string, Files>;
  /** Single files beside them. */
  disk?: Record<string, string | Uint8Array>;
  /** Answers by this model, unless conversations choose another; without it by the offline one. */
  model?: Model;
  /** What its server lists; with a model, or a name for the server, the first one is chosen. */
  models?: Listed[];
  /** Whom it lets in. */
  key?: string;
  /** Where its key is kept. */
  keyPlace?: Place;
  /** What opens the encrypted file that is made when a key goes there. */
  passphrase?: string;
  /** What it is known as. Without an address it is one of this computer. */
  provider?: Partial<ProviderRecord>;
  /** Whether it is one of elsewhere, at any address that a request goes to. */
  elsewhere?: boolean;
  settings?: Partial<Settings>;
  world?: Surroundings;
  /** Under which names its server is found on this computer; nobody asks the real ports. */
  servers?: Pick<FoundServer, "name" | "kind">[];
}

/** What the person answers to the system's dialogs. */
interface Dialogs {
  folder: string | null;
  certificates: string | null;
  /** Where something is written to, or read from. */
  file: string | null;
  /** Whether others may write in its folder. */
  shared: boolean;
  attachments: string[];
}

type Override<C extends Command> = (
  request: RequestOf<C>,
  real: () => Promise<ReplyOf<C>>,
  onEvent: (event: EventOf<C>) => void,
) => ReplyOf<C> | Promise<ReplyOf<C>>;

export interface Host extends Transport {
  /** What was asked of the system outside the window: links, notifications, the data folder. */
  opened: string[];
  dialogs: Dialogs;
  /** What answers as the model; a test may change what it says. */
  server: ModelServer;
  /** Where everything durable is. */
  data: string;
  /** Where a path of the test lies on the disk. */
  at(path: string): string;
  /** The texts of a folder of the test, as they are on the disk now. */
  files(path: string): Files;
  /** Those of a folder where everything durable is. */
  kept(path: string): Files;
  settings(): Promise<Settings>;
  change(settings: Partial<Settings>): Promise<Settings>;
  /** Opens a folder of the test, answered about trust. */
  open(path: string, trust?: Trust): Promise<Project>;
  /** Waits until nothing is on its way in a conversation. */
  settled(id: string): Promise<void>;
  world(now: Surroundings): Promise<void>;
  /** Ends the program, does something to what it left, and starts it again. */
  again(between?: () => void | Promise<void>): Promise<void>;
  /** Says that this went stale, as if another program had changed it. */
  tell(changed: Changed): void;
  drag(event: DragDrop): void;
  offer(path: string): void;
  /** Starts it again on a database that nothing can be read of, or all but its first page. */
  breakDatabase(how?: { wholly: boolean }, besides?: () => void): Promise<void>;
  /** Another answer to a command, from now on; the way back is returned. */
  instead<C extends Command>(command: C, answer: Override<C>): () => void;
  failing(command: Command, failure: Partial<Failure> & Pick<Failure, "code">): () => void;
}

export async function startHost(options: HostOptions = {}): Promise<Host> {
  const { folders = {}, disk = {}, model, models = [{ id: MODEL }], key = null } = options;
  const root = makeRoot();
  for (const [folder, files] of Object.entries(folders)) {
    filesIn(join(root, folder));
    for (const [path, text] of Object.entries(files)) write(join(root, folder, path), text);
  }
  for (const [path, bytes] of Object.entries(disk)) write(join(root, path), bytes);
  const server = await ModelServer.start(model ?? {}, models, key);
  const away = options.elsewhere ? await elsewhere((request, response) => void server.answer(request, response)) : null;
  const { host, end } = hostOf(root, server, { ...options, env: { ...options.env, ...away?.env } });
  onTestFinished(async () => {
    server.end();
    away?.end();
    await end();
    rmSync(root, { recursive: true, force: true });
  });
  if (options.world) await host.world(options.world);
  if (model || options.provider) {
    const record = { name: "Test", kind: "openai" as const, base_url: server.baseUrl, ...options.provider };
    await host.invoke("provider_add", record);
    if (options.keyPlace === "vault") await host.invoke("vault_unlock", { passphrase: options.passphrase! });
    if (key !== null) await host.invoke("key_set", { provider: record.name, key, place: options.keyPlace ?? "keyring" });
    // As connecting does it; from then on it is known what the models take.
    await host.invoke("provider_models", { name: record.name });
    await host.invoke("provider_default", { provider: record.name, model: models[0]!.id });
  }
  if (options.settings) await host.change(options.settings);
  return host;
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

function hostOf(root: string, server: ModelServer, options: HostOptions) {
  let program = new Program(root, options);
  const offered = listeners<PathOffered>();
  const dragged = listeners<DragDrop>();
  const opened: string[] = [];
  const dialogs: Dialogs = { folder: null, certificates: null, file: null, shared: false, attachments: [] };
  const changed = listeners<Changed>();
  program.onChanged(changed.tell);
  const call = <C extends PlainCommand>(command: C, request: RequestOf<C>) => program.call(command, request) as Promise<ReplyOf<C>>;
  const overrides = new Map<Command, Override<Command>>();
  /** What answers in the place of a command, if anything does. */
  const other = <C extends Command>(command: C) => overrides.get(command) as unknown as Override<C> | undefined;
  const window = windowOf((command, request) => program.call(command, request), dialogs, opened);
  const host: Host = {
    opened,
    dialogs,
    server,
    data: program.data,
    at: (path) => join(root, path),
    files: (path) => filesIn(join(root, path)),
    kept: (path) => filesIn(join(program.data, path)),
    settings: () => call("settings_get", null),
    change: async (settings) => call("settings_set", { ...(await call("settings_get", null)), ...settings }),
    open: async (path, trust = "trusted") => {
      const at = join(root, path);
      const { seen } = (await program.call("project_probe", { path: at, probe_id: at })) as ReplyOf<"project_probe">;
      return call("project_open", { path: at, trust, this_computer_only: null, seen });
    },
    settled: async (id) => void (await program.call("turn_watch", { id })),
    world: (now) => program.become(now),
    tell: changed.tell,
    drag: dragged.tell,
    offer: (path) => offered.tell({ path: join(root, path) }),
    again: async (between = () => {}) => {
      await program.end();
      await between();
      program = new Program(root, options);
      program.onChanged(changed.tell);
    },
    breakDatabase: ({ wholly } = { wholly: true }, besides = () => {}) =>
      host.again(() => {
        const file = join(program.data, "siltstone.db");
        // A journal would still hold what was written last.
        if (existsSync(`${file}-wal`)) throw new Error("the program did not close its database");
        const bytes = readFileSync(file);
        write(file, bytes.fill(7, 0, wholly ? bytes.length : 4_096));
        besides();
      }),
    instead: (command, answer) => {
      const before = overrides.get(command);
      overrides.set(command, answer as unknown as Override<Command>);
      return () => void (before ? overrides.set(command, before) : overrides.delete(command));
    },
    failing: (command, failure) => host.instead(command, () => Promise.reject({ message: "", hint: "", ...failure })),
    invoke: async (command, request) => {
      const own = window[command as keyof typeof window] as ((request: unknown) => unknown) | undefined;
      const real = async () => (own ? own(request) : call(command, request)) as Promise<ReplyOf<typeof command>>;
      const instead = other(command);
      return instead ? instead(request, real, () => {}) : real();
    },
    stream: async (command, request, onEvent) => {
      const real = () => program.call(command, request, onEvent as (event: never) => void) as Promise<ReplyOf<typeof command>>;
      const instead = other(command);
      return instead ? instead(request, real, onEvent) : real();
    },
    onChanged: changed.on,
    onPathOffered: offered.on,
    onDragDrop: dragged.on,
  };
  const found = { base_url: server.baseUrl, models: server.models() };
  host.instead("provider_discover", () => (options.servers ?? []).map((one) => ({ ...one, ...found })));
  return { host, end: () => program.end() };
}

/** The rows of the table that need a window, by the answers that the test gives for the person. */
function windowOf(call: (command: string, request: unknown) => Promise<unknown>, dialogs: Dialogs, opened: string[]) {
  const attach = async (conversation_id: string, paths: readonly string[]): Promise<Attached[]> => {
    const outcomes: PromiseSettledResult<Attached>[] = [];
    for (const path of paths) {
      const data = readFileSync(path).toString("base64");
      const added = call("attachment_add", { conversation_id, name: basename(path), data }) as Promise<Attached>;
      outcomes.push(...(await Promise.allSettled([added])));
    }
    return outcomes.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
  };
  const written = (bytes: string | Uint8Array): SavedFile | null => {
    if (dialogs.file === null) return null;
    write(dialogs.file, bytes);
    return { path: dialogs.file, shared: dialogs.shared };
  };
  return {
    pick_folder: () => dialogs.folder,
    pick_certificates: () => dialogs.certificates,
    export_to_file: async (request: RequestOf<"export_to_file">) => {
      const { text } = (await call("conversation_export", request)) as ReplyOf<"conversation_export">;
      return written(text);
    },
    import_from_file: async () =>
      dialogs.file === null ? null : ((await call("import_file", { path: dialogs.file })) as FileImported),
    checkpoint_export: async (request: RequestOf<"checkpoint_export">) => {
      const { base64 } = (await call("checkpoint_packed", request)) as { base64: string };
      return written(Buffer.from(base64, "base64"));
    },
    checkpoint_import: async (request: RequestOf<"checkpoint_import">) => {
      const file = request.file ?? dialogs.file;
      if (file === null) return null;
      const base64 = readFileSync(file).toString("base64");
      return (await call("checkpoint_unpacked", { ...request, base64 })) as ImportedCheckpoint;
    },
    attachment_pick: ({ id }: RequestOf<"attachment_pick">) => attach(id, dialogs.attachments),
    attachment_drop: ({ conversation_id, paths }: RequestOf<"attachment_drop">) => attach(conversation_id, paths),
    open_link: ({ url }: RequestOf<"open_link">) => {
      opened.push(url);
      return null;
    },
    open_data_folder: () => {
      opened.push("data folder");
      return null;
    },
    notify: ({ title, body }: RequestOf<"notify">) => {
      opened.push(`${title}: ${body}`);
      return null;
    },
  } satisfies { [C in PlainCommand]?: (request: RequestOf<C>) => unknown };
}

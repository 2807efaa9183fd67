// Servers out of the JSON that a README tells people to paste somewhere. Pure: nothing of it is added or runs here, and
// what cannot be taken over is named. Deliberately wide in what it reads: every program has its own wrapper around the
// same few fields.
import type { McpTransport } from "@/ipc";
import { isName, NO_NEEDS, READS_SECRET } from "./transport";

export interface Pasted {
  name: string;
  transport: McpTransport;
  /** Values of its secrets, by their names; empty where the README only says that there is one. */
  secrets: Record<string, string>;
  /** Fields that have no counterpart here. */
  ignored: string[];
  /** Why it cannot be added as it stands. */
  wrong: "address" | "headers" | null;
}

type Fields = Record<string, unknown>;

/** What programs wrap their servers in. */
const WRAPPERS = ["mcpServers", "mcp_servers", "mcp.servers", "context_servers", "servers", "mcp"];
/** Fields that are taken over, or say nothing that is not said by others. */
const KNOWN = ["name", "type", "transport", "command", "args", "env", "environment", "url", "serverUrl", "httpUrl", "headers", "description"];
/** What stands where a person has to put their own. */
const PLACEHOLDER = /^\s*$|[<>…]|\$\{|\.\.\.|xxx|your[-_ ]|replace|insert|(token|key|secret) here/i;

/** The servers that a text names; null where it is not JSON. None where it is JSON of something else. */
export function pastedServers(text: string): Pasted[] | null {
  const value = parsed(text);
  return value === undefined ? null : serversIn(value).map(([name, fields]) => serverOf(name, fields));
}

/** As JSON; what people leave in and around it there (fences, comments, commas at ends, no outer braces) does no harm. */
function parsed(text: string): unknown {
  const bare = text.trim().replace(/^```\w*\s*|\s*```$/g, "");
  const plain = bare
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1")
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*(?:[}\]]|$))/g, "$1");
  for (const whole of [plain, `{${plain}}`]) {
    try {
      return JSON.parse(whole) as unknown;
    } catch {
      // The next reading.
    }
  }
  return undefined;
}

function serversIn(value: unknown): [string | null, Fields][] {
  if (!isFields(value)) return [];
  if (isServer(value)) return [[typeof value.name === "string" ? value.name : null, value]];
  const wrapped = WRAPPERS.filter((wrapper) => isFields(value[wrapper])).flatMap((wrapper) => serversIn(value[wrapper]));
  if (wrapped.length > 0) return wrapped;
  return Object.entries(value).flatMap(([name, one]) => (isFields(one) && isServer(one) ? [[name, one] as [string, Fields]] : []));
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const addressOf = ({ url, serverUrl, httpUrl }: Fields) => [url, serverUrl, httpUrl].find((one) => typeof one === "string");
const isServer = (fields: Fields) => commandOf(fields).length > 0 || addressOf(fields) !== undefined;

/** The program with its arguments; some give both in one list. */
function commandOf({ command, args }: Fields): string[] {
  const all = [command, args].flatMap((part) => (Array.isArray(part) ? (part as unknown[]) : [part]));
  return typeof all[0] === "string" ? all.filter((part) => typeof part === "string" || typeof part === "number").map(String) : [];
}

function textsIn(fields: unknown): [string, string][] {
  return isFields(fields) ? Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]) : [];
}

function serverOf(named: string | null, fields: Fields): Pasted {
  const url = addressOf(fields);
  const ignored = Object.keys(fields).filter((field) => !KNOWN.includes(field));
  if (typeof url === "string") {
    const headers = textsIn(fields.headers);
    const [header, value = ""] = headers[0] ?? [""];
    return {
      name: nameOf(named ?? hostOf(url)),
      transport: { by: "http", url, secret_header: header },
      secrets: header === "" ? {} : { [header]: own(value) },
      ignored,
      // One header has a place where keys are; a server that wants more would be asked without them.
      wrong: !/^https?:\/\/[^\s/@]+(\/\S*)?$/.test(url) ? "address" : headers.length > 1 ? "headers" : null,
    };
  }
  const [command = "", ...args] = commandOf(fields);
  const variables = [...textsIn(fields.env), ...textsIn(fields.environment)];
  const isSecret = ([name, value]: [string, string]) => READS_SECRET.test(name) || /\$\{/.test(value);
  const secrets = Object.fromEntries(variables.filter(isSecret).map(([name, value]) => [name, own(value)]));
  return {
    name: nameOf(named ?? packageOf(command, args)),
    transport: {
      by: "stdio",
      command,
      args,
      env: Object.fromEntries(variables.filter((one) => !isSecret(one))),
      secret_env: Object.keys(secrets),
      needs: NO_NEEDS,
    },
    secrets,
    ignored,
    wrong: null,
  };
}

const own = (value: string) => (PLACEHOLDER.test(value) ? "" : value);

function hostOf(url: string): string {
  const host = /^https?:\/\/([^/:?#]+)/.exec(url)?.[1] ?? "server";
  return host.split(".").find((part) => !["www", "mcp", "api"].includes(part)) ?? host;
}

/** What the package is called that an argument names, without its scope and version; else the program. */
function packageOf(command: string, args: readonly string[]): string {
  const named = args.find((arg) => !arg.startsWith("-") && /[a-z]/i.test(arg) && !["run", "exec", "dlx"].includes(arg)) ?? command;
  return named.replace(/(.)@[^/@]*$/, "$1").split(/[/\\]/).at(-1) ?? command;
}

/** As a server may be called: tools are told to models by it. */
function nameOf(wanted: string): string {
  if (isName(wanted)) return wanted;
  const plain = wanted.replace(/[^A-Za-z0-9-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 32);
  return isName(plain) ? plain : "server";
}

// How a server is reached, as lines that a person can judge and compare; and back from what they typed. Pure.
import type { McpNeeds, McpTransport } from "@/ipc";

export interface TransportLine {
  kind: "program" | "argument" | "variable" | "secretVariable" | "reads" | "writes" | "network" | "address" | "secretHeader";
  text: string;
}

/** Everything that decides what runs or is asked, one line each, in the order in which it takes effect. */
export function linesOf(transport: McpTransport): TransportLine[] {
  if (transport.by === "http") {
    const { url, secret_header } = transport;
    return [
      { kind: "address", text: url },
      ...(secret_header === "" ? [] : [{ kind: "secretHeader" as const, text: secret_header }]),
    ];
  }
  const { command, args, env, secret_env, needs } = transport;
  return [
    { kind: "program", text: command },
    ...args.map((text) => ({ kind: "argument" as const, text })),
    ...Object.entries(env).map(([name, value]) => ({ kind: "variable" as const, text: `${name}=${value}` })),
    ...secret_env.map((text) => ({ kind: "secretVariable" as const, text })),
    ...needs.reads.map((text) => ({ kind: "reads" as const, text })),
    ...needs.writes.map((text) => ({ kind: "writes" as const, text })),
    ...(needs.network ? [{ kind: "network" as const, text: "" }] : []),
  ];
}

/** What a program has that nothing was named for. */
export const NO_NEEDS: McpNeeds = { reads: [], writes: [], network: false };

/** These and others. */
export function needsWith(needs: McpNeeds, more: McpNeeds): McpNeeds {
  const all = (some: readonly string[], more: readonly string[]) => [...new Set([...some, ...more])];
  return {
    reads: all(needs.reads, more.reads),
    writes: all(needs.writes, more.writes),
    network: needs.network || more.network,
  };
}

export function sameNeeds(one: McpNeeds, other: McpNeeds): boolean {
  const text = ({ reads, writes, network }: McpNeeds) => JSON.stringify([reads, writes, network]);
  return text(one) === text(other);
}

/** Names of what is kept with the keys. */
export function secretsOf(transport: McpTransport): readonly string[] {
  if (transport.by === "stdio") return transport.secret_env;
  return transport.secret_header === "" ? [] : [transport.secret_header];
}

/** What is in the form. */
export interface Typed {
  by: McpTransport["by"];
  command: string;
  /** One on a line; spaces are part of them. */
  args: string;
  /** `NAME=value` on each line. */
  env: string;
  /** One name on a line. */
  secrets: string;
  /** What it may reach; named where the server is looked at. */
  needs: McpNeeds;
  url: string;
  header: string;
}

export function typedOf(transport: McpTransport): Typed {
  const empty = { command: "", args: "", env: "", secrets: "", needs: NO_NEEDS, url: "", header: "" };
  if (transport.by === "http") return { ...empty, by: "http", url: transport.url, header: transport.secret_header };
  const { command, args, env, secret_env, needs } = transport;
  return {
    ...empty,
    needs,
    by: "stdio",
    command,
    args: args.join("\n"),
    env: Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
    secrets: secret_env.join("\n"),
  };
}

export const NEW: McpTransport = { by: "stdio", command: "", args: [], env: {}, secret_env: [], needs: NO_NEEDS };

export type Wrong = "command" | "env" | "secrets" | "url" | "header";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Lines with something in them. */
export const listed = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export function secretNames({ by, secrets, header }: Typed): string[] {
  if (by === "http") return header.trim() === "" ? [] : [header.trim()];
  return [...new Set(listed(secrets))];
}

/** What was typed as a transport, or the field that cannot be taken. */
export function transportOf(typed: Typed): McpTransport | { wrong: Wrong } {
  if (typed.by === "http") {
    const url = typed.url.trim();
    if (!/^https?:\/\/[^\s/@]+(\/\S*)?$/.test(url)) return { wrong: "url" };
    const header = typed.header.trim();
    if (header !== "" && !HEADER.test(header)) return { wrong: "header" };
    return { by: "http", url, secret_header: header };
  }
  const command = typed.command.trim();
  if (command === "") return { wrong: "command" };
  const env: Record<string, string> = {};
  for (const line of typed.env.split("\n").filter((line) => line.trim() !== "")) {
    const at = line.indexOf("=");
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (!VARIABLE.test(name)) return { wrong: "env" };
    env[name] = line.slice(at + 1);
  }
  const secret_env = secretNames(typed);
  if (!secret_env.every((name) => VARIABLE.test(name) && !(name in env))) return { wrong: "secrets" };
  // An empty line at the end is how people finish a list; one in the middle is an empty argument.
  const args = typed.args === "" ? [] : typed.args.replace(/\n+$/, "").split("\n");
  return { by: "stdio", command, args, env, secret_env, needs: typed.needs };
}

/** What names of secrets have in them. */
export const READS_SECRET = /token|secret|passw|api_?key|credential|private_?key/i;

/** Names of plain variables that read as if they held a secret. */
export function secretLooking({ by, env }: Typed): string[] {
  if (by === "http") return [];
  return listed(env)
    .map((line) => line.split("=", 1)[0]!)
    .filter((name) => READS_SECRET.test(name));
}

/** Whether a name can be that of a server: tools are told to models as `mcp__NAME__TOOL`. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(name) && !name.includes("__") && !/^_|_$/.test(name);
}

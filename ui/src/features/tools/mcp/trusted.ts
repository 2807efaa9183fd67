// How each server was reached when this window last saw it trusted: so that a changed one can be shown beside what it
// was. The host forgets that with the trust. No secret is in a transport.
import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { McpItem, McpTransport } from "@/ipc";

interface Trusted {
  transports: Record<string, McpTransport | undefined>;
}

const useTrusted = create<Trusted>()(persist((): Trusted => ({ transports: {} }), { name: "siltstone.trusted-servers" }));

/** What a server is told from others by. */
export function keyOf({ server: { project_id, name } }: McpItem): string {
  return `${project_id ?? ""} ${name}`;
}

export function rememberTrusted(items: readonly McpItem[]): void {
  const seen = items.filter(({ trusted }) => trusted).map((item) => [keyOf(item), item.server.transport] as const);
  if (seen.length === 0) return;
  useTrusted.setState(({ transports }) => ({ transports: { ...transports, ...Object.fromEntries(seen) } }));
}

/** One that is removed was never trusted, should the same name come again. */
export function forgetTrusted(item: McpItem): void {
  useTrusted.setState(({ transports }) => ({ transports: { ...transports, [keyOf(item)]: undefined } }));
}

/** What was trusted of a server that is not trusted any more; undefined when this window never saw it. */
export function useWasTrusted(item: McpItem): McpTransport | undefined {
  const was = useTrusted(({ transports }) => transports[keyOf(item)]);
  return item.trusted ? undefined : was;
}
